# SPDX-License-Identifier: MIT
"""A survey on real kernels: a battery is read while one policy after another is in
force, and whatever ends it, what was found is put back."""

from __future__ import annotations

import collections
import csv

import machine
import vm

SCRIPT = r"""
limit=$(controller TWO)/power/pm_qos_latency_tolerance_us
nvme=$(basename "$(controller TWO)")
port=/sys/class/scsi_host/host0
settings() {
	cat "$limit" $port/link_power_management_policy $port/ahci_port_cmd \
		/sys/module/nvme_core/parameters/apst_*
}
begun() {
	[ -s "$1" ] && [ "$(grep -c ^1, "$1")" -gt 1 ]
}
ended() {
	! kill -0 "$1"
}
as_before() {
	[ "$(settings)" = "$(cat /result/settings.before)" ]
}
# survey NAME OPTION...
survey() {
	name=$1
	shift
	run "$name" ssdpm measure survey --save "/result/$name.csv" --yes \
		--drive "$nvme" --drive host0 "$@"
}
a="--policy latency=15ms+lpm=max_performance"
b="--policy latency=12ms+lpm=med_power_with_dipm"
short="--settle 300ms --interval 100ms --duration 1s"
long="--settle 300ms --interval 100ms --duration 1h --blocks 1"

power 1
until_true grep -q Discharging /sys/class/power_supply/BAT0/status
settings >/result/settings.before
run look ssdpm measure survey --dry-run $short
survey whole $a $b $short --blocks 3
settings >/result/settings.whole

# What is in force meanwhile, and after it is killed.
survey killed $a $b $long &
until_true begun /result/killed.csv
settings >/result/settings.meanwhile
pid=$(pidof ssdpm | tr ' ' '\n' | sort -n | head -n 1)
kill -9 "$pid"
until_true as_before
settings >/result/settings.killed
wait

# Killed with its guard: revert.
survey both $a $b $long &
until_true begun /result/both.csv
kill -9 $(pidof ssdpm)
wait
settings >/result/settings.left
run revert ssdpm revert
settings >/result/settings.revert

survey ended $a $b $long &
until_true begun /result/ended.csv
pid=$(pidof ssdpm | tr ' ' '\n' | sort -n | head -n 1)
kill "$pid"
wait
settings >/result/settings.ended

# It is plugged in: the battery charges, or is full.
survey charged $a $b $long &
until_true begun /result/charged.csv
power 0
wait
settings >/result/settings.charged
power 1
until_true grep -q Discharging /sys/class/power_supply/BAT0/status

# It sleeps, as far as the kernel's test goes: clocks too, but not the processor.
survey slept $a $b $short --blocks 1 &
until_true begun /result/slept.csv
echo deep >/sys/power/mem_sleep
echo core >/sys/power/pm_test
echo 3 >/sys/module/suspend/parameters/pm_test_delay
echo mem >/sys/power/state
wait
settings >/result/settings.slept
run_user user ssdpm measure survey --save /tmp/user.csv --yes $a $b
"""


def boot(release: str) -> vm.Guest:
    return machine.boot("survey", release, SCRIPT, ["TWO", "HIPM"])


def rows(guest: vm.Guest, name: str) -> list[dict[str, str]]:
    lines = guest.read(f"{name}.csv").splitlines()
    return list(csv.DictReader(line for line in lines if line[0] != "#"))


def test_every_run_is_measured_and_all_is_put_back(guest: vm.Guest) -> None:
    guest.ok("whole")
    runs = collections.Counter(row["run"] for row in rows(guest, "whole"))
    assert runs == {str(run): 10 for run in range(1, 7)}
    assert {row["power_w"] for row in rows(guest, "whole")} == {"9.500000"}
    before = guest.read("settings.before")
    assert guest.read("settings.whole") == before
    assert before not in guest.read("settings.meanwhile")


def test_a_dry_run_finds_drives_policies_and_the_battery(guest: vm.Guest) -> None:
    text = guest.ok("look")
    assert "battery BAT0" in text
    assert "lpm=med_power_with_dipm" in text and "latency=0us" in text


def test_the_policies_are_in_force_while_they_are_measured(guest: vm.Guest) -> None:
    limit, lpm = guest.read("settings.meanwhile").split()[:2]
    policies = {"15000": "max_performance", "12000": "med_power_with_dipm"}
    assert policies[limit] == lpm


def test_a_kill_has_all_put_back(guest: vm.Guest) -> None:
    before = guest.read("settings.before")
    assert guest.status("killed") == 128 + 9
    assert guest.read("settings.killed") == before
    assert guest.status("both") == 128 + 9
    assert guest.read("settings.left") != before
    guest.ok("revert")
    assert guest.read("settings.revert") == before


def test_a_signal_and_a_charger_end_it_and_have_all_put_back(guest: vm.Guest) -> None:
    before = guest.read("settings.before")
    assert guest.status("ended") == 128 + 15
    assert guest.status("charged") == 1 and "BAT0" in guest.err("charged")
    assert guest.read("settings.ended") == guest.read("settings.charged") == before


def test_a_run_that_the_machine_slept_in_is_made_again(guest: vm.Guest) -> None:
    guest.ok("slept")
    assert "run 1 is left out: the machine was suspended" in guest.err("slept")
    runs = collections.Counter(row["run"] for row in rows(guest, "slept"))
    assert runs.pop("1") < 10 and runs == {"2": 10, "3": 10}
    assert guest.read("settings.slept") == guest.read("settings.before")


def test_a_user_is_told_before_anything_is_set(guest: vm.Guest) -> None:
    assert guest.status("user") == 4 and "root" in guest.err("user")
