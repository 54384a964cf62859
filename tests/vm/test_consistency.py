# SPDX-License-Identifier: MIT
"""ssdpm consistency --run on an emulated drive with two partitions: in use it is left
alone, whatever uses it, and else it is written and measured."""

from __future__ import annotations

import pathlib
import struct
import subprocess
import tempfile

import vm

MIB = 1 << 20
PARTS = ((1, 16), (17, 16))  # MiB: begin and length

SCRIPT = r"""
. /lib.sh
disk=/dev/nvme0n1
until_true test -b ${disk}p2
# refused NAME: with all that it takes to write
refused() {
	run "$1" ssdpm consistency --run $disk --destroy-data --duration 2s
}
mount -t ext4 ${disk}p1 /mnt
refused mounted
umount /mnt
mkswap ${disk}p2
swapon ${disk}p2
refused swap
swapoff ${disk}p2
dmsetup create held --noudevsync --noudevrules --table "0 2048 linear ${disk}p2 0"
refused held
dmsetup remove --noudevsync held
# What multipath makes of a drive, and a volume manager.
dmsetup create path --noudevsync --noudevrules \
	--table "0 $(cat /sys/class/block/nvme0n1/size) linear $disk 0"
refused member
dmsetup remove --noudevsync path

sha256sum $disk >/result/before
run part ssdpm consistency --run ${disk}p1 --destroy-data
run look ssdpm consistency --run $disk
chmod 600 $disk
run_user user ssdpm consistency --run $disk --destroy-data
sha256sum $disk >/result/after

run written ssdpm consistency --run $disk --destroy-data --duration 10s --share 50% \
	--save /result/run.log --json
run read ssdpm consistency --json /result/run.log
run again ssdpm consistency --run $disk --destroy-data --save /result/run.log
ls -a /tmp /result >/result/files
# It is pulled out while it is written to.
ssdpm consistency --run $disk --destroy-data --no-trim --share 50% \
	--save /result/gone.log >/result/gone.out 2>/result/gone.err &
until_true pidof fio
sleep 5
echo 1 >"$(readlink -f /sys/class/block/nvme0n1/device/device)/remove"
wait $!
echo $? >/result/gone.status
"""


def disk() -> bytes:
    """33 MiB with a partition table, and a file system on the first partition."""
    image = bytearray((PARTS[-1][0] + PARTS[-1][1]) * MIB)
    for i, (begin, length) in enumerate(PARTS):
        row = struct.pack("<B3xB3xII", 0, 0x83, begin * 2048, length * 2048)
        image[446 + 16 * i : 462 + 16 * i] = row
    image[510:512] = b"\x55\xaa"
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "p1"
        path.write_bytes(bytes(PARTS[0][1] * MIB))
        options = ["-O", "^metadata_csum,^has_journal", "-L", "holiday"]
        subprocess.run(["/sbin/mkfs.ext4", "-q", *options, path], check=True)
        image[PARTS[0][0] * MIB : sum(PARTS[0]) * MIB] = path.read_bytes()
    return bytes(image)


def boot(release: str) -> vm.Guest:
    # The file system's checksums, before they came to be a part of the kernel.
    sums = [name for name in ("crc32c_generic",) if name in vm.Kernel(release).needs]
    return vm.boot(
        "consistency",
        release,
        SCRIPT,
        ["nvme", *sums, "ext4", "dm_mod"],
        host_files={"disk": disk()},
        programs=[
            *map(pathlib.Path, ("/usr/bin/fio", "/sbin/wipefs", "/sbin/dmsetup"))
        ],
        qemu=[
            *("-drive", "file={dir}/disk,format=raw,if=none,id=n0,discard=unmap"),
            *("-device", "nvme,drive=n0,serial=SCRATCH-0042"),
        ],
    )


def test_a_drive_in_use_is_left_alone_and_what_uses_it_is_named(guest: vm.Guest) -> None:
    for name, words in {
        "mounted": "nvme0n1p1 is in use: it is mounted at /mnt",
        "swap": "nvme0n1p2 is in use: swap, as /dev/nvme0n1p2",
        "held": "nvme0n1p2 is in use: it is part of dm-0",
        "member": "nvme0n1 is in use: it is part of dm-0",
    }.items():
        assert guest.status(name) == 1, name
        assert words in guest.err(name) and guest.out(name) == ""
    assert guest.status("part") == 1
    assert "it is a partition: name the whole drive" in guest.err("part")


def test_what_would_be_lost_is_said_and_nothing_is_written(guest: vm.Guest) -> None:
    assert guest.status("look") == 2
    said = guest.err("look").splitlines()
    assert said[0] == (
        "ssdpm: /dev/nvme0n1: QEMU NVMe Ctrl, 33 MiB, serial ends in 0042: all of its "
        "data will be lost"
    )
    assert said[1:3] == [f"ssdpm:   nvme0n1p{i}: a partition" for i in (1, 2)]
    assert [line.split()[1:] for line in said[3:-1]] == [
        ["nvme0n1", "dos"], ["nvme0n1p1", "ext4", "holiday"], ["nvme0n1p2", "swap"]
    ]
    assert "--destroy-data" in said[-1]
    assert guest.status("user") == 4
    assert guest.read("before") == guest.read("after")


def test_a_drive_that_nothing_uses_is_written_and_measured(guest: vm.Guest) -> None:
    found = guest.json("written")
    assert guest.json("read") == found
    # An emulated machine writes its first seconds late; beside other work there
    # are seconds without an operation, of which fio writes no line.
    assert 1 <= found["n"] and found["n"] + found["n_holes"] <= 11
    least, mean, most = (found[f"{x}_iops_milli"] for x in ("floor", "mean", "max"))
    assert 0 < least <= mean <= most
    assert "ext4 holiday" in guest.err("written").replace("    ", " ")
    image = (guest.directory / "disk").read_bytes()
    half = len(image) // 2
    assert all(any(image[i : i + 4096]) for i in range(0, half - MIB, 4096))
    assert not any(image[half + MIB :]), "it was not trimmed"
    assert "run.log is there already" in guest.err("again")
    assert "ssdpm-" not in guest.read("files")


def test_a_drive_that_is_pulled_out_ends_the_run(guest: vm.Guest) -> None:
    said = guest.err("gone")
    assert guest.status("gone") == 1 and guest.out("gone") == ""
    assert "io_u error on file" in said and "ssdpm: fio failed (status" in said
