# SPDX-License-Identifier: MIT
"""Who wakes the drives of a RAID1 of md, and the drive of a btrfs: Linux sends the I/Os of a
process on from threads of its own."""

from __future__ import annotations

import subprocess
from typing import Any

import drives
import pytest
import test_hour
import test_watch_stack
import vm

MIB = 1 << 20
# What dd writes to the btrfs, in MiB.
NOTES = 2
READER_SECTOR = 65536

SCRIPT = f"""
. /lib.sh
for i in 0 1 2; do
	until_true test -b /dev/nvme${{i}}n1
done
run mount mount -t tracefs tracefs /sys/kernel/tracing
# Linux names them in any order; the largest one has the btrfs.
for i in 0 1 2; do
	if [ "$(cat /sys/block/nvme${{i}}n1/size)" -gt 262144 ]; then
		notes=nvme$i
	else
		mirrors="$mirrors /dev/nvme${{i}}n1"
	fi
done
echo "$notes" >/result/notes
run md mdadm --build /dev/md0 --run --level=1 --raid-devices=2 --assume-clean $mirrors
until_true test -b /dev/md0
# Whoever opens it first looks for partitions.
dd if=/dev/md0 of=/dev/null bs=4k count=1 2>/dev/null
run btrfs mount -t btrfs -o noatime "/dev/${{notes}}n1" /mnt
# Pages are written when they are 5 s old.
echo 500 >/proc/sys/vm/dirty_expire_centisecs
echo 100 >/proc/sys/vm/dirty_writeback_centisecs
cp /bin/periodic /bin/reader
cp /bin/periodic /bin/flusher
(
	sleep 1
	exec flusher flush /dev/md0 40 5000 0 >/result/flusher
) &
(
	sleep 3
	exec reader read /dev/md0 40 10000 {READER_SECTOR} >/result/reader
) &
(
	sleep 5
	exec dd if=/dev/zero of=/mnt/notes bs=64k count={NOTES * 16} 2>/dev/null
) &
run watch ssdpm watch --identify --json --for 60s --save /result/trace
wait
umount /mnt
"""


TOOLS = vm.PACKAGES / "usr/sbin"


def boot(release: str) -> vm.Guest:
    identify = drives.identify(test_hour.DRIVE)
    kernel = vm.Kernel(release)
    known = kernel.needs.keys() | kernel.builtin
    # btrfs asked for the driver of its checksums until Linux 6.14.
    some = [name for name in ["crc32c_generic"] if name in known]
    disk = vm.BUILD / "vm" / f"btrfs-{release}"
    disk.parent.mkdir(parents=True, exist_ok=True)
    disk.unlink(missing_ok=True)
    with disk.open("wb") as file:
        file.truncate(256 * MIB)
    mkfs = [TOOLS / "mkfs.btrfs", "-q", disk]
    subprocess.run(mkfs, check=True, stdout=subprocess.DEVNULL)
    device = "nvme,drive={0},serial={0},power-file={{dir}}/d.bin"
    null = "driver=null-co,size=64M,read-zeroes=on,if=none,id="
    return vm.boot(
        "watch-raid",
        release,
        SCRIPT,
        ["nvme", *some, "raid1", "btrfs"],
        icount=True,
        files={"bin/periodic": test_watch_stack.program(release), "mnt/.keep": b""},
        programs=[TOOLS / "mdadm"],
        host_files={"d.bin": identify},
        qemu=[
            *("-drive", f"{null}m0", "-device", device.format("m0")),
            *("-drive", f"{null}m1", "-device", device.format("m1")),
            *("-drive", f"file={disk},format=raw,cache=unsafe,if=none,id=b0"),
            *("-device", device.format("b0")),
        ],
    )


def watched(guest: vm.Guest) -> dict[str, Any]:
    for step in ("mount", "md", "btrfs"):
        guest.ok(step)
    return {drive["name"]: drive for drive in vm.listed(guest.ok("watch"))}


def bytes_of(drive: Any, kind: str, name: str) -> int:
    return sum(
        cause["bytes"]
        for cause in drive["causes"]
        if (cause["kind"], cause["name"]) == (kind, name)
    )


def mirrors(guest: vm.Guest) -> list[Any]:
    notes = guest.read("notes").strip()
    found = [drive for name, drive in watched(guest).items() if name != notes]
    assert len(found) == 2
    return found


def test_each_mirror_has_what_the_process_wrote(guest: vm.Guest) -> None:
    for drive in mirrors(guest):
        print(guest.release, {(c["kind"], c["name"]): c["bytes"] for c in drive["causes"]})
        assert bytes_of(drive, "process", "flusher") == int(guest.read("flusher"))


def test_a_read_is_of_one_mirror_and_of_the_process(guest: vm.Guest) -> None:
    both = sum(bytes_of(drive, "process", "reader") for drive in mirrors(guest))
    assert both == int(guest.read("reader"))


def test_pages_of_a_btrfs_are_of_the_process_that_changed_them(guest: vm.Guest) -> None:
    drive = watched(guest)[guest.read("notes").strip()]
    print(guest.release, {(c["kind"], c["name"]): c["bytes"] for c in drive["causes"]})
    assert bytes_of(drive, "writeback", "dd") == NOTES * MIB


@pytest.mark.parametrize("index", range(2))
def test_shares_of_a_mirror_are_all(guest: vm.Guest, index: int) -> None:
    drive = mirrors(guest)[index]
    shares = sum(cause["energy_nj"] for cause in drive["causes"])
    assert shares + drive["resting_nj"] == drive["energy_nj"]
