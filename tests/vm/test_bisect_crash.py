# SPDX-License-Identifier: MIT
"""A machine that dies whenever a trial lets a PCIe link sleep, and is booted again:
with consent each death is a bad trial, and the search goes on to its end."""

from __future__ import annotations

import json
import pathlib
import subprocess
import tempfile

import drives
import test_hour
import vm

MIB = 1 << 20
MOST_BOOTS = 8
# A fault in a state that it does not have: so it has no Doorbell Buffer Config, with
# which Linux 6.1 reads nothing after a boot.
DRIVE = "power-file={dir}/d.bin,fault-state=31,fault-one-in=1"

SCRIPT = f"""
. /lib.sh
until_true live_controllers 2
run mount mount -t tracefs tracefs /sys/kernel/tracing
mkdir -p /var/lib
mount -t ext4 "/dev/$(basename "$(controller STATE)")n1" /var/lib || exit
echo boot >>/var/lib/boots
sync
boots=$(wc -l </var/lib/boots)
device=$(basename "$(controller DIES)")
link=/sys/class/nvme/$device/device/link

# In a trial of this boot with l1_aspm the machine dies, without a last word.
die() {{
	token=$(cat /proc/sys/kernel/random/boot_id)
	until is_deadly && sleep 1 && is_deadly; do
		sleep 0.1
	done
	echo b >/proc/sysrq-trigger
}}
is_deadly() {{
	[ "$(cat $link/l1_aspm)" = 1 ] && grep -q "$token" /var/lib/ssdpm/bisect
}}
if [ "$boots" = 1 ]; then
	grep . $link/* >/var/lib/before
	ssdpm bisect start --identify --only pcie-link --errors 3 --entries 9 "$device" \\
		>/var/lib/start.out 2>&1
	sync
fi
if [ "$boots" -le {MOST_BOOTS} ]; then
	die &
	ssdpm bisect run --identify --count-death --provoke --settle 5s \\
		>"/var/lib/run$boots" 2>&1
	kill $!
	sync
fi
run status ssdpm bisect
run report ssdpm bisect report --json
grep . $link/* >/result/after
run stop ssdpm bisect stop
ls /sys/kernel/tracing/instances >/result/left
ls -d /var/lib/ssdpm /run/ssdpm/bisect >>/result/left 2>/dev/null
cp /var/lib/boots /var/lib/before /var/lib/start.out /var/lib/run* /result
umount /var/lib
"""


def file_system() -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "state"
        path.write_bytes(bytes(16 * MIB))
        options = ["-O", "^metadata_csum"]
        subprocess.run(["/sbin/mkfs.ext4", "-q", *options, path], check=True)
        return path.read_bytes()


def boot(release: str) -> vm.Guest:
    # ext4 asked for the driver of its checksums until Linux 6.14.
    sums = [name for name in ("crc32c_generic",) if name in vm.Kernel(release).needs]
    return vm.boot(
        "bisect-crash",
        release,
        SCRIPT,
        ["nvme", *sums, "ext4"],
        icount=True,
        append="pcie_aspm.policy=powersupersave",
        host_files={
            "d.bin": drives.identify(test_hour.DRIVE),
            "state": file_system(),
        },
        qemu=[
            *("-action", "reboot=reset"),
            *("-drive", "driver=null-co,size=64M,read-zeroes=on,if=none,id=n0"),
            *("-drive", "file={dir}/state,format=raw,if=none,id=n1"),
            *("-device", "pcie-root-port,id=port0,chassis=0,link-pm=on"),
            "-device",
            f"nvme,bus=port0,drive=n0,serial=DIES,link-pm=on,{DRIVE}",
            *("-device", f"nvme,drive=n1,serial=STATE,{DRIVE}"),
        ],
    )


def test_each_death_is_a_bad_trial_and_the_search_goes_on(guest: vm.Guest) -> None:
    said = guest.ok("status")
    assert "PCIe link: l1, but not with off\n" in said
    [search] = json.loads(guest.ok("report"))["searches"]
    died = "the machine went down"
    trials = [(t["steps"], t["verdict"], t["sign"]) for t in search["trials"]]
    assert trials == [
        (["off"], "good", None),
        (["clkpm"], "bad", died),
        (["l1"], "bad", died),
    ]
    assert guest.read("boots") == 3 * "boot\n"


def test_the_link_is_as_before(guest: vm.Guest) -> None:
    before = guest.read("before")
    assert [line[-2:] for line in before.splitlines()] == [":1"] * 4
    assert guest.read("after") == before
    guest.ok("stop")
    assert guest.read("left") == ""
