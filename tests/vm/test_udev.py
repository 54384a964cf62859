# SPDX-License-Identifier: MIT
"""From AC to battery and back by ACPI, and drives that come and go: the real udev,
the rule that we write, and what the controllers saw; then TLP with our file."""

from __future__ import annotations

import re

import drives
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

# Both come back as Linux has them.
c=$(readlink -f "$(controller TWO)")
pci=${c%/nvme/*}
echo 1 >$pci/remove
until_true live_controllers 4
port=/sys/class/scsi_host/host0
echo 1 >$port/device/target0:0:0/0:0:0:0/delete
echo max_performance >$port/link_power_management_policy
until_true ports_running
run not_in_force ssdpm check --profile auto
echo 1 >/sys/bus/pci/rescan
until_true live_controllers 5
echo "- - -" >$port/scan
until_true ssdpm check -q --profile auto
settings again

change 100 1
settings ac_again
run remove ssdpm revert --persist
ls /etc/udev/rules.d >/result/rules

# tlp_sets NAME: all links but those that refuse, from where TLP starts
tlp_sets() {
	for n in 0 1 2 3 4 5; do
		echo max_performance >/sys/class/scsi_host/host$n/link_power_management_policy
	done 2>/dev/null
	until_true ports_running
	run $1 tlp ac
	until_true ports_running
	for n in 0 1 2 3 4 5; do
		cat /sys/class/scsi_host/host$n/link_power_management_policy
	done >/result/links.$1
}
run tlp_persist ssdpm apply --profile auto --persist tlp
tlp_sets tlp
echo 'SATA_LINKPWR_DENYLIST="host2 host3"' >/etc/tlp.d/60-refusing.conf
tlp_sets tlp_deny
"""


def boot(release: str) -> vm.Guest:
    return machine.boot(
        "udev",
        release,
        SCRIPT,
        udev=True,
        tlp=True,
        files={"etc/udev/rules.d/.keep": "", "etc/udev/udev.conf": ""},
    )


def test_the_rule_applies_the_profile_of_each_power_source(guest: vm.Guest) -> None:
    assert guest.read("test.err") == ""
    assert guest.read("settings.ac").split() == ["100000", "med_power_with_dipm", "100"]
    assert guest.read("settings.battery").split() == [
        *("200000", "min_power_with_partial", "50"),
    ]
    assert guest.read("settings.ac_again") == guest.read("settings.ac")
    for moment in ("ac", "battery", "again", "ac_again"):
        assert guest.status(f"check.{moment}") == 0


def test_the_power_source_is_seen(guest: vm.Guest) -> None:
    for moment, source in (("ac", "ac"), ("battery", "battery"), ("ac_again", "ac")):
        assert f'"power_source": "{source}"' in guest.ok(f"source.{moment}")


def test_a_drive_that_is_plugged_in_gets_the_policy(guest: vm.Guest) -> None:
    assert guest.status("not_in_force") == 5
    assert guest.read("settings.again") == guest.read("settings.battery")


def test_the_controller_got_the_table_of_each_source(guest: vm.Guest) -> None:
    tables = re.findall(r"fid=0x0c dw11=\S+ data=(\S+)", guest.log("TWO.log"))
    drive = str(guest.directory / "TWO.bin")
    ac = drives.ssdpm("apst", "--json", drive)["raw"]
    battery = drives.ssdpm(
        *("apst", "--json", "--max-exit-latency", "200ms"),
        *("--primary-timeout", "50ms", "--secondary-timeout", "1s"),
        *("--secondary-tolerance", "200ms", drive),
    )["raw"]
    assert tables[0] == ac != battery
    changes = [t for i, t in enumerate(tables) if i == 0 or t != tables[i - 1]]
    # In between, parameters change before drives do.
    assert changes.index(battery) < len(changes) - 1
    assert tables[-1] == ac


def test_revert_removes_the_rule(guest: vm.Guest) -> None:
    assert guest.status("remove") == 0
    assert guest.read("rules").split() == []


def test_tlp_sets_the_links_of_our_file_where_none_that_refuses_is_before(
    guest: vm.Guest,
) -> None:
    """TLP 1.5 leaves out a policy for all further ports once one refused it; in a
    list of those it keeps off, a port does no harm."""
    for result in ("tlp_persist", "tlp", "tlp_deny"):
        assert guest.status(result) == 0, guest.err(result)
    off, on = "max_performance", "med_power_with_dipm"
    assert guest.read("links.tlp").split()[:3] == [on, on, off]
    assert guest.read("links.tlp").split()[4:] == [off, off]
    assert guest.read("links.tlp_deny").split()[:3] == [on, on, off]
    assert guest.read("links.tlp_deny").split()[4:] == [on, on]
