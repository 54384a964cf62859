# SPDX-License-Identifier: MIT
"""Power states on real kernels: set, lost at a reset and at a resume, set again by
udev, and what the controller saw of that."""

from __future__ import annotations

import re
from typing import Any

import machine
import vm

SCRIPT = r"""
c=$(controller TWO)
n=$(basename $c)
stock=$(basename $(controller STOCK))
wanted="--power-state 1 --workload-hint 2"
reset() {
	echo 1 >$(controller TWO)/reset_controller
	until_true live_controllers 2
}
# As far as the kernel's test of suspend goes: all devices sleep and wake.
echo devices >/sys/power/pm_test
echo 1 >/sys/module/suspend/parameters/pm_test_delay
suspend() {
	echo mem >/sys/power/state
	until_true live_controllers 2
}

run first ssdpm show --json --identify $n
run_user user_check ssdpm check $wanted $n
run_user user_apply ssdpm apply $wanted $n
run plan ssdpm plan --json $wanted $n
run apply ssdpm apply --json $wanted $n
run_user user_applied ssdpm check
run_user user_revert ssdpm revert
run now ssdpm show --json --identify $n
run again ssdpm apply --json $wanted $n
run check ssdpm check $wanted $n
sleep 5
run asleep ssdpm show --json --identify $n
run asleep_check ssdpm check $wanted $n
run asleep_apply ssdpm apply --json --power-state 2 --workload-hint 2 $n
run back ssdpm apply --json $wanted $n
reset
run reset_check ssdpm check
run reset_show ssdpm show --json --identify $n
run reset_apply ssdpm apply --json $wanted $n
run reset_checked ssdpm check
suspend
run resume_check ssdpm check
run resume_apply ssdpm apply --json $wanted $n
run sleeping ssdpm apply --power-state 3 $n
run nopp ssdpm apply --nopp on $n
run stock ssdpm apply --power-state 0 --workload-hint 1 $stock
run revert ssdpm revert --json
run reverted ssdpm check --power-state 0 --workload-hint 0 $n

run persist ssdpm apply --power-state 2 --workload-hint 1 --persist udev $n
/lib/systemd/systemd-udevd --daemon 2>/result/udevd
udevadm control --ping
is_set() {
	ssdpm check -q --power-state 2 --workload-hint 1 $(basename $(controller TWO))
}
reset
until_true is_set
udevadm settle
run udev_check ssdpm check --power-state 2 --workload-hint 1 $n
suspend
until_true is_set
udevadm settle
run resumed_check is_set
pci=$(readlink -f $c)
echo 1 >${pci%/nvme/*}/remove
until_true live_controllers 1
echo 1 >/sys/bus/pci/rescan
until_true live_controllers 2
until_true is_set
udevadm settle
run plugged_check is_set
run remove ssdpm revert --persist
# udevd looks at its rules once in three seconds.
udevadm control --reload
reset
udevadm settle
run removed_check is_set
"""


def boot(release: str) -> vm.Guest:
    return machine.boot(
        "power-state",
        release,
        SCRIPT,
        ["TWO", "STOCK", "HIPM"],
        udev=True,
        files={"etc/udev/rules.d/.keep": "", "etc/udev/udev.conf": ""},
    )


def show(guest: vm.Guest, name: str) -> Any:
    return guest.json(name)


def step(guest: vm.Guest, name: str) -> Any:
    (only,) = guest.json(name)["steps"]
    return only


def sent(guest: vm.Guest) -> list[int]:
    """What the controller was sent as Set Features 02h, in order."""
    found = re.findall(r"set-features fid=0x02 dw11=(0x[0-9a-f]+)", guest.log("TWO.log"))
    return [int(word, 16) for word in found]


def test_all_ran_to_its_end(guest: vm.Guest) -> None:
    assert guest.read("test.err") == ""


def test_the_state_and_its_hint_reach_the_drive(guest: vm.Guest) -> None:
    first = show(guest, "first")
    assert (first["power_state"], first["workload_hint"]) in {(0, 0), (3, 0), (4, 0)}
    assert step(guest, "plan")["before"] == "PS0"
    assert step(guest, "apply")["state"] == "done"
    now = show(guest, "now")
    assert now["workload_hint"] == 2
    assert step(guest, "again")["state"] == "in-force"
    assert guest.status("check") == 0
    assert sent(guest)[0] == 2 << 5 | 1


def test_a_user_is_told_that_root_is_needed(guest: vm.Guest) -> None:
    for name in ("user_check", "user_apply", "user_applied", "user_revert"):
        assert guest.status(name) == 4, guest.err(name)
        assert "root" in guest.err(name)
        assert guest.err(name).count(": nvme") <= 1
    assert "unknown -> PS1 hint 2 (not known)" in guest.read("user_applied.out")
    assert "unknown -> PS0" in guest.read("user_revert.out")


def test_a_drive_that_sleeps_is_woken_to_be_asked(guest: vm.Guest) -> None:
    asleep = show(guest, "asleep")
    assert asleep["asleep"] and asleep["power_state"] == 4
    assert guest.status("asleep_check") == 0, guest.read("asleep_check.out")
    assert step(guest, "asleep_apply")["before"] == "PS1 hint 2"
    assert step(guest, "back")["before"] == "PS2 hint 2"


def test_a_reset_loses_it_and_check_says_so(guest: vm.Guest) -> None:
    assert guest.status("reset_check") == 5
    assert "PS0 -> PS1 hint 2 (not in force)" in guest.read("reset_check.out")
    assert show(guest, "reset_show")["workload_hint"] == 0
    assert step(guest, "reset_apply")["state"] == "done"
    assert guest.status("reset_checked") == 0
    assert step(guest, "revert")["state"] == "done"
    assert guest.status("reverted") == 0


def test_a_resume_loses_it_too(guest: vm.Guest) -> None:
    assert "suspend debug: Waiting for 1 second" in guest.read("dmesg")
    assert guest.status("resume_check") == 5
    assert "PS0 -> PS1 hint 2 (not in force)" in guest.read("resume_check.out")
    assert step(guest, "resume_apply")["state"] == "done"


def test_what_a_drive_cannot_do_is_said(guest: vm.Guest) -> None:
    for name, words in (
        ("sleeping", "PS3 is non-operational"),
        ("nopp", "no permissive mode"),
        ("stock", "Set Features 02h (power state): the drive answers with status"),
    ):
        assert guest.status(name) == 3, guest.err(name)
        assert words in guest.err(name)


def test_the_rule_sets_it_again_at_each_start_of_the_controller(
    guest: vm.Guest,
) -> None:
    assert guest.status("persist") == 0, guest.err("persist")
    assert guest.status("udev_check") == 0, guest.err("udev_check")
    assert guest.status("resumed_check") == 0
    assert guest.status("plugged_check") == 0
    # By hand, after the reset, after the resume, and plugged in again.
    assert sent(guest).count(1 << 5 | 2) >= 4
    assert guest.status("remove") == 0
    assert guest.status("removed_check") == 5
