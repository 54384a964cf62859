# SPDX-License-Identifier: MIT
"""From AC to battery and back by ACPI: the real udev, the rule that we write, and
what the controllers saw."""

from __future__ import annotations

import re

import machine
import vm

SCRIPT = r"""
# The event of the boot is over when udev starts: power is on AC.
run persist ssdpm apply --profile auto --persist udev
/lib/systemd/systemd-udevd --daemon 2>/result/udevd
udevadm control --ping
settings() {
	udevadm settle
	for f in "$(controller TWO)"/power/pm_qos_latency_tolerance_us \
		/sys/class/scsi_host/host0/link_power_management_policy \
		/sys/module/nvme_core/parameters/apst_primary_timeout_ms; do
		cat "$f"
	done >"/result/settings.$1"
	run "check.$1" ssdpm check --identify --profile auto
	run "source.$1" ssdpm show --json "$(basename "$(controller TWO)")"
}
on_mains() {
	[ "$(cat /sys/class/power_supply/ADP1/online)" = "$1" ]
}
change() {
	power $1
	until_true on_mains $2
	until_true ssdpm check -q --profile auto
}
settings ac
change 101 0
settings battery
change 100 1
settings ac_again
run remove ssdpm revert --persist
ls /etc/udev/rules.d >/result/rules
"""


def boot(release: str) -> vm.Guest:
    return machine.boot(
        "udev",
        release,
        SCRIPT,
        udev=True,
        files={"etc/udev/rules.d/.keep": "", "etc/udev/udev.conf": ""},
    )


def test_the_rule_applies_the_profile_of_each_power_source(guest: vm.Guest) -> None:
    assert guest.read("test.err") == ""
    assert guest.read("settings.ac").split() == ["100000", "med_power_with_dipm", "100"]
    assert guest.read("settings.battery") != guest.read("settings.ac")
    assert guest.read("settings.ac_again") == guest.read("settings.ac")
    for moment in ("ac", "battery", "ac_again"):
        assert guest.status(f"check.{moment}") == 0


def test_the_power_source_is_seen(guest: vm.Guest) -> None:
    for moment, source in (("ac", "ac"), ("battery", "battery"), ("ac_again", "ac")):
        assert f'"power_source": "{source}"' in guest.ok(f"source.{moment}")


def test_the_controller_got_the_table_of_each_source(guest: vm.Guest) -> None:
    tables = re.findall(r"fid=0x0c dw11=\S+ data=(\S+)", guest.log("TWO.log"))
    first = tables[0]
    assert any(table != first for table in tables)
    assert tables[-1] == first


def test_revert_removes_the_rule(guest: vm.Guest) -> None:
    assert guest.status("remove") == 0
    assert guest.read("rules").split() == []
