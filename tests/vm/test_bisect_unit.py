# SPDX-License-Identifier: MIT
"""The unit that goes on with ssdpm bisect, under systemd with all that it forbids."""

from __future__ import annotations

from typing import Any

import machine
import vm

UNIT = "examples/integration/bisect/ssdpm-bisect.service"
OPTIONS = '[Service]\nEnvironment="OPTIONS=--identify --provoke --settle 1s"\n'

SCRIPT = r"""
mount -t tracefs tracefs /sys/kernel/tracing
state() {
	for property in ActiveState Result ConditionResult; do
		systemctl show -P $property ssdpm-bisect.service
	done >"/result/state.$1"
}
start() {
	run "start.$1" systemctl start ssdpm-bisect.service
}
over() {
	! systemctl -q is-active ssdpm-bisect.service
}
limit=$(controller TWO)/power/pm_qos_latency_tolerance_us
drive=$(basename "$(controller TWO)")
start none
state none
# Ten errors in ten entries: a trial is good after six.
run begin ssdpm bisect start --identify --only latency-limit --errors 10 --entries 10 "$drive"
# As after a boot.
echo 100000 >"$limit"
start search
until_true grep -qx 0 "$limit"
until_true grep -q ' run:' /var/lib/ssdpm/bisect
state search
systemctl stop ssdpm-bisect.service
state stopped
run stopped grep -c ' stopped:' /var/lib/ssdpm/bisect
start again
within 90 over
state again
run status ssdpm bisect --json
start over
until_true over
state over
cat "$limit" >/result/limit
run stop ssdpm bisect stop
"""


def boot(release: str) -> vm.Guest:
    units = "etc/systemd/system"
    return machine.boot(
        "bisect-unit",
        release,
        SCRIPT,
        ["TWO", "HIPM"],
        systemd=True,
        files={
            f"{units}/ssdpm-bisect.service": (vm.TOP / UNIT).read_bytes(),
            f"{units}/ssdpm-bisect.service.d/options.conf": OPTIONS,
        },
    )


def state(guest: vm.Guest, when: str) -> list[str]:
    """ActiveState, Result and ConditionResult"""
    return guest.read(f"state.{when}").split()


def test_without_a_search_it_does_not_start(guest: vm.Guest) -> None:
    assert guest.read("test.err") == ""
    assert guest.status("start.none") == 0
    assert state(guest, "none") == ["inactive", "success", "no"]


def test_it_goes_on_with_a_search_and_sets_its_trial_again(guest: vm.Guest) -> None:
    guest.ok("begin")
    assert guest.status("start.search") == 0
    assert state(guest, "search") == ["active", "success", "yes"]


def test_a_stop_keeps_the_trial(guest: vm.Guest) -> None:
    assert state(guest, "stopped")[:2] == ["inactive", "success"]
    assert guest.ok("stopped") == "1\n"


def test_it_ends_with_the_search_and_then_does_nothing(guest: vm.Guest) -> None:
    assert state(guest, "again")[:2] == ["inactive", "success"]
    search = vm.listed(guest.ok("status"))
    trials: list[Any] = search["trials"]
    assert search["decision"] != "searching" and trials
    assert {trial["verdict"] for trial in trials} == {"good"}
    assert state(guest, "over")[0] == "inactive"
    assert "ssdpm-bisect.service: Skipped due to 'exec-condition'" in guest.read("dmesg")
    assert guest.read("limit").split() == ["100000"]
