# SPDX-License-Identifier: MIT
"""ssdpm suspend --test on real kernels: it suspends to idle once and wakes, sees the
power states that devices reach, and leaves the kernel's messages as they were."""

from __future__ import annotations

import pathlib
from typing import Any

import machine
import vm

SCRIPT = r"""
mount -t debugfs debugfs /sys/kernel/debug
control=/sys/kernel/debug/dynamic_debug/control
state() {
	grep "pci-driver.c.*PCI PM: Suspend power state" $control >/result/$1.messages
	cat /sys/class/rtc/rtc0/wakealarm >/result/$1.alarm
	ls /run >/result/$1.run
	cat /sys/power/mem_sleep >/result/$1.mem_sleep
}
basename $(readlink -f /sys/class/nvme/nvme0/device) >/result/nvme.address
disk=$(readlink -f /sys/block/sda)
basename ${disk%%/ata*} >/result/ahci.address
state before
run never ssdpm suspend --json
now >/result/asleep_from
run tested ssdpm suspend --test 10s --yes --json
now >/result/asleep_until
state after
run tested_text ssdpm suspend --test 10s --yes
until_true live_controllers 1
run alive dd if=/dev/nvme0n1 of=/dev/null bs=4k count=1 iflag=direct

# It is killed when it is about to suspend: all is switched on by then.
run killed strace -o /dev/null -P /sys/power/state \
	-e inject=write:signal=KILL:when=1 ssdpm suspend --test 10s --yes
state killed
run told ssdpm suspend --value n_suspends
run next ssdpm suspend --test 10s --yes --value outcome
state next
"""


def boot(release: str) -> vm.Guest:
    return machine.boot(
        "suspend",
        release,
        SCRIPT,
        ["TWO", "HIPM"],
        programs=[pathlib.Path("/usr/bin/strace")],
    )


def states(guest: vm.Guest, name: str) -> dict[str, int]:
    return {
        one["name"]: one["after"]
        for one in guest.json(name)["evidence"]
        if one["counter"] == "d-state"
    }


def test_all_ran_to_its_end(guest: vm.Guest) -> None:
    assert guest.read("test.err") == ""
    assert guest.ok("alive") == ""


def test_before_a_suspend_there_is_no_verdict(guest: vm.Guest) -> None:
    never = guest.json("never")
    assert never["n_suspends"] == 0
    assert never["outcome"] in {"no-suspend", "firmware"}


def test_it_sleeps_once_until_the_clock_wakes_it(guest: vm.Guest) -> None:
    tested = guest.json("tested")
    assert (tested["n_suspends"], tested["n_failures"]) == (1, 0)
    asleep_s = float(guest.read("asleep_until")) - float(guest.read("asleep_from"))
    assert asleep_s >= 9
    assert "PM: suspend entry (s2idle)" in guest.read("dmesg")
    # Whatever it is set to, it stays.
    assert guest.read("after.mem_sleep") == guest.read("before.mem_sleep")


def test_without_a_counter_of_deep_sleep_nothing_is_said_of_it(guest: vm.Guest) -> None:
    tested: dict[str, Any] = guest.json("tested")
    assert tested["outcome"] == "cannot-say"
    assert tested["deep_us"] is None and tested["culprit"] == ""
    assert {one["bearing"] for one in tested["evidence"]} == {"none"}
    assert tested["remedies"] == []


def test_the_states_of_the_controllers_are_seen(guest: vm.Guest) -> None:
    seen = states(guest, "tested")
    for name in ("nvme", "ahci"):
        assert seen[guest.read(f"{name}.address").strip()] in range(5)
    assert f"d-state {guest.read('nvme.address').strip()}" in guest.ok("tested_text")


def test_messages_and_the_alarm_are_as_before(guest: vm.Guest) -> None:
    assert guest.read("before.messages")
    for name in ("after", "next"):
        for what in ("messages", "alarm", "run"):
            assert guest.read(f"{name}.{what}") == guest.read(f"before.{what}")


def test_after_a_kill_the_next_test_switches_messages_off(guest: vm.Guest) -> None:
    assert guest.status("killed") == 137
    assert guest.read("killed.messages") != guest.read("before.messages")
    assert "ssdpm-suspend" in guest.read("killed.run")
    # It was killed before it slept.
    assert guest.ok("told").strip() == "2"
    assert "a test runs, or was killed" in guest.err("told")
    assert guest.ok("next").strip() == "cannot-say"
    assert "they are off again" in guest.err("next")
