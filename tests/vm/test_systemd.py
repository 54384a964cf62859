# SPDX-License-Identifier: MIT
"""A system that boots: systemd as the first process, modules loaded by udev with
the file for modprobe, our unit at boot and after sleep, and the calls by
systemd-run."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

import drives
import machine
import vm

sys.path.insert(0, str(vm.TOP / "tests" / "captures"))
import machines  # noqa: E402

# Before our unit, and once the drives are there: what modprobe has made of them.
BEFORE = """[Unit]
Before=ssdpm.service
[Service]
Type=oneshot
ExecStart=/bin/busybox sh /before.sh
"""
SETTINGS = r"""
settings() {
	cat "$(controller TWO)/power/pm_qos_latency_tolerance_us" \
		/sys/module/nvme_core/parameters/apst_primary_timeout_ms \
		/sys/class/scsi_host/host0/link_power_management_policy \
		>"/result/settings.$1"
}
"""
SCRIPT = r"""
# $1: what happened; then the policy of now is set, sooner or later
set_by() {
	until_true ssdpm check -q --profile auto
	udevadm settle
	until_true ports_running
	settings $1
	run check.$1 ssdpm check --identify --profile auto
}
set_by boot
systemctl show -P Result ssdpm.service >/result/unit

c=$(controller TWO)
printf '\030\144' >/tmp/table
head -c 254 /dev/zero >>/tmp/table
run raw ssdpm apply -q --identify --apst /tmp/table $(basename $c)
echo max_performance >/sys/class/scsi_host/host0/link_power_management_policy
until_true ports_running
run not_in_force ssdpm check --profile auto
echo devices >/sys/power/pm_test
echo 1 >/sys/module/suspend/parameters/pm_test_delay
run suspend systemctl start suspend.target
set_by sleep
run raw_after ssdpm check --identify --apst /tmp/table $(basename $c)

change() {
	power $1
	until_true grep -q $2 /sys/class/power_supply/ADP1/online
}
change 101 0
set_by battery

run remove ssdpm revert --persist
find /etc -name '*ssdpm*' >/result/left
systemctl daemon-reload
run persist ssdpm apply --profile auto --persist udev
udevadm control --reload
change 100 1
set_by ac

pci=$(readlink -f $c/device)
echo 1 >$pci/remove
until_true live_controllers 1
echo 1 >/sys/bus/pci/rescan
until_true live_controllers 2
set_by hot_plug
"""


def persist(release: str) -> pathlib.Path:
    """The files, as one has them before the boot: written below a capture."""
    root = vm.BUILD / "vm" / f"persist-{release}"
    shutil.rmtree(root, ignore_errors=True)
    machines.write("laptop", root)
    for options in (
        ("--profile", "power-saver", "--source", "battery", "--persist", "modprobe"),
        ("--profile", "auto", "--persist", "systemd"),
    ):
        drives.ssdpm("apply", "--json", "--quiet", "--root", str(root), *options)
    subprocess.run(
        [vm.PACKAGES / "usr/bin/systemctl", f"--root={root}", "enable", "ssdpm.service"],
        check=True,
        capture_output=True,
    )
    return root


def boot(release: str) -> vm.Guest:
    root = persist(release)
    files: dict[str, bytes | str] = {
        "before.sh": ". /ready.sh\n" + SETTINGS + "settings modprobe\n",
        "etc/systemd/system/before.service": BEFORE,
    }
    links = {"etc/systemd/system/multi-user.target.wants/before.service": "../before.service"}
    for path in sorted((root / "etc").rglob("*")):
        if "ssdpm" in path.name:
            name = str(path.relative_to(root))
            if path.is_symlink():
                links[name] = os.readlink(path)
            else:
                files[name] = path.read_text()
    return machine.boot(
        "systemd",
        release,
        SETTINGS + SCRIPT,
        ["TWO", "DEEPEST", "HIPM", "DIPM"],
        systemd=True,
        files=files,
        links=links,
    )


def tables(guest: vm.Guest) -> list[str]:
    return re.findall(r"fid=0x0c dw11=\S+ data=(\S+)", guest.log("TWO.log"))


def predicted(guest: vm.Guest, *options: str) -> str:
    answer = drives.ssdpm("apst", "--json", *options, str(guest.directory / "TWO.bin"))
    return str(answer["raw"])


POWER_SAVER = ["200000", "50", "min_power_with_partial"]
BALANCED = ["100000", "100", "med_power_with_dipm"]


def power_saver(guest: vm.Guest) -> str:
    return predicted(
        guest,
        *("--max-exit-latency", "200ms", "--primary-timeout", "50ms"),
        *("--primary-tolerance", "15ms", "--secondary-timeout", "1s"),
        *("--secondary-tolerance", "200ms"),
    )


def test_what_the_file_for_modprobe_says_is_in_force_when_the_drivers_load(
    guest: vm.Guest,
) -> None:
    wanted = list(POWER_SAVER)
    if guest.version < (6, 12):
        wanted[2] = "max_performance"  # mobile_lpm_policy: no mobile chipset
    assert guest.read("settings.modprobe").split() == wanted
    assert tables(guest)[0] == power_saver(guest)


def test_the_unit_sets_the_profile_at_boot(guest: vm.Guest) -> None:
    assert guest.read("test.err") == ""
    assert guest.read("unit").split() == ["success"]
    assert guest.read("settings.boot").split() == BALANCED


def test_the_unit_sets_it_again_after_sleep(guest: vm.Guest) -> None:
    """As far as the kernel's test of suspend goes: all devices sleep and wake."""
    assert guest.status("not_in_force") == 5
    assert guest.status("suspend") == 0
    assert "suspend debug: Waiting for 1 second" in guest.read("dmesg")
    assert guest.read("settings.sleep").split() == BALANCED


def test_a_table_of_ones_own_is_lost_in_sleep(guest: vm.Guest) -> None:
    own = "1864" + "00" * 254
    assert (own in tables(guest)) is (guest.status("raw") == 0)
    assert guest.status("raw_after") == 5
    # Nobody else has had it programmed until the power source changes.
    if own in tables(guest):
        after = tables(guest)[tables(guest).index(own) + 1 :]
        assert after[0] == predicted(guest)


def test_the_unit_follows_the_power_source(guest: vm.Guest) -> None:
    assert guest.read("settings.battery").split() == POWER_SAVER
    assert power_saver(guest) in tables(guest)[1:]


def test_revert_takes_the_unit_away(guest: vm.Guest) -> None:
    assert guest.status("remove") == 0
    assert guest.read("left").split() == []


def test_udev_has_systemd_call_the_command(guest: vm.Guest) -> None:
    assert guest.status("persist") == 0
    assert guest.read("settings.ac").split() == BALANCED
    # What systemd says of the unit itself is below notice; but there is no journal.
    assert re.search(r"\(ssdpm\)\[\d+\]: run-\w+\.service: ", guest.read("dmesg"))


def test_a_controller_that_is_plugged_in_gets_the_policy(guest: vm.Guest) -> None:
    """By itself it takes what modprobe said: 200 ms."""
    assert guest.read("settings.hot_plug").split() == BALANCED
    assert tables(guest)[-1] == predicted(guest)


def test_every_policy_is_in_force(guest: vm.Guest) -> None:
    for moment in ("boot", "sleep", "battery", "ac", "hot_plug"):
        assert guest.status(f"check.{moment}") == 0
