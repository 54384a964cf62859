# SPDX-License-Identifier: MIT
"""Whose pages Linux writes back: of a process that ssdpm watch saw changing them, and of a
cgroup whose process was at work before that."""

from __future__ import annotations

import subprocess
from typing import Any

import drives
import test_hour
import vm

MIB = 1 << 20
# What each writes, in MiB; only the second is seen.
EARLIER, SEEN = 4, 2

SCRIPT = f"""
. /lib.sh
until_true test -b /dev/nvme0n1
run mount mount -t tracefs tracefs /sys/kernel/tracing
run cgroups mount -t cgroup2 none /sys/fs/cgroup
echo "+memory +io" >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/system.slice /mnt
echo "+memory +io" >/sys/fs/cgroup/system.slice/cgroup.subtree_control
mkdir /sys/fs/cgroup/system.slice/database.service
run ext4 mount -t ext4 -o noatime /dev/nvme0n1 /mnt
# Pages are written when they are 15 s old.
echo 1500 >/proc/sys/vm/dirty_expire_centisecs
echo 100 >/proc/sys/vm/dirty_writeback_centisecs
# One that nobody sees, then one that is seen.
sh -c 'echo $$ >/sys/fs/cgroup/system.slice/database.service/cgroup.procs
	exec dd if=/dev/zero of=/mnt/database bs=64k count={EARLIER * 16}' 2>/dev/null
ls -id /sys/fs/cgroup/system.slice/database.service >/result/number
(
	sleep 3
	dd if=/dev/zero of=/mnt/notes bs=64k count={SEEN * 16} 2>/dev/null
) &
run watch ssdpm watch --identify --json --for 40s --save /result/trace nvme0
wait
umount /mnt
"""


def boot(release: str) -> vm.Guest:
    identify = drives.identify(test_hour.DRIVE)
    # ext4 asked for the driver of its checksums until Linux 6.14.
    kernel = vm.Kernel(release)
    crc = [name for name in ["crc32c_generic"] if name in kernel.needs]
    disk = vm.BUILD / "vm" / f"ext4-{release}"
    disk.parent.mkdir(parents=True, exist_ok=True)
    disk.unlink(missing_ok=True)
    subprocess.run(["/sbin/mkfs.ext4", "-q", disk, "64M"], check=True)
    return vm.boot(
        "watch-writeback",
        release,
        SCRIPT,
        ["nvme", *crc, "ext4"],
        files={"d.bin": identify},
        host_files={"d.bin": identify},
        qemu=[
            *("-drive", f"file={disk},format=raw,cache=unsafe,if=none,id=n0"),
            *("-device", "nvme,drive=n0,serial=D,power-file={dir}/d.bin"),
        ],
    )


def causes_of(drive: Any) -> dict[tuple[str, str], int]:
    return {(cause["kind"], cause["name"]): cause["bytes"] for cause in drive["causes"]}


def watched(guest: vm.Guest) -> Any:
    for step in ("mount", "cgroups", "ext4"):
        guest.ok(step)
    return vm.listed(guest.ok("watch"))


def test_pages_are_of_the_process_that_was_seen_or_of_the_cgroup(guest: vm.Guest) -> None:
    causes = causes_of(watched(guest))
    print(f"Linux {guest.release}: {causes}")
    assert causes["cgroup", "database"] == EARLIER * MIB
    assert causes["writeback", "dd"] == SEEN * MIB


def test_a_recording_has_the_name_of_the_cgroup(guest: vm.Guest) -> None:
    trace = guest.directory / "result/trace"
    number = guest.read("number").split()[0]
    assert f"# cgroup: {number} /system.slice/database.service\n" in trace.read_text()
    said = drives.ssdpm(
        *("watch", "--json", "--read", str(trace), "--device", "259,0"),
        str(guest.directory / "d.bin"),
    )
    assert causes_of(said) == causes_of(watched(guest))
