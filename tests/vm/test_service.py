# SPDX-License-Identifier: MIT
"""ssdpmd as its unit is installed, on real kernels: boot, power source in storms,
hot-plug, suspend, power states by command, and what ordinary users may."""

from __future__ import annotations

import pathlib
import re

import machine
import pytest
import test_commands
import vm

SERVICE = vm.TOP / "examples/ssdpmd"
BUILT = vm.BUILD / "examples/ssdpmd"
UNITS = "etc/systemd/system"
BUS = """<busconfig>
  <type>system</type>
  <servicedir>/usr/share/dbus-1/system-services</servicedir>
  <listen>systemd:</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <deny own="*"/>
    <deny send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus"/>
  </policy>
  <policy user="root">
    <allow own="*"/><allow send_destination="*"/>
  </policy>
  <includedir>/usr/share/dbus-1/system.d</includedir>
</busconfig>
"""
FILES: dict[str, bytes | str] = {
    "etc/dbus.conf": BUS,
    f"{UNITS}/dbus.socket": "[Socket]\nListenStream=/run/dbus/system_bus_socket\n",
    f"{UNITS}/dbus.service": (
        "[Unit]\nRequires=dbus.socket\nAfter=dbus.socket\n[Service]\n"
        "ExecStart=/bin/dbus-daemon --config-file=/etc/dbus.conf --nofork "
        "--nopidfile --systemd-activation\n"
    ),
    "etc/ssdpm.conf": "[machine]\nprofile = auto\n",
}
N_STORMS = 50
SCRIPT = r"""
machine() {
	busctl get-property org.ssdpm1 /org/ssdpm1 org.ssdpm1.Machine $1
}
runs() {
	machine Runs | cut -d ' ' -f 2
}
settings() {
	cat "$(controller TWO)/power/pm_qos_latency_tolerance_us" \
		/sys/module/nvme_core/parameters/apst_primary_timeout_ms \
		/sys/class/scsi_host/host0/link_power_management_policy \
		>"/result/settings.$1"
}
# $1: what happened; then what is asked for is set, sooner or later
set_by() {
	until_true ssdpm check -q
	until_true ports_running
	settings $1
	run check.$1 ssdpm check --identify
}
# What test_commands.py finds in QEMU's trace again. Nothing is opened to be written:
# udev would identify the disk then.
mark() {
	sync /dev/sda
}
export DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/dbus/system_bus_socket
set_by boot
pid=$(systemctl show -P MainPID ssdpmd.service)
grep Cap /proc/$pid/status >/result/capabilities
run_user read busctl get-property org.ssdpm1 /org/ssdpm1/drive/nvme0 \
	org.ssdpm1.Drive Policy
run_user tree busctl tree --list org.ssdpm1
mark
run_user objects busctl call org.ssdpm1 /org/ssdpm1 \
	org.freedesktop.DBus.ObjectManager GetManagedObjects
run_user machine busctl introspect org.ssdpm1 /org/ssdpm1
run_user plan busctl call org.ssdpm1 /org/ssdpm1 org.ssdpm1.Machine Plan ass 0 \
	performance
run_user ask busctl call org.ssdpm1 /org/ssdpm1 org.ssdpm1.Machine Check
mark
run_user write busctl call org.ssdpm1 /org/ssdpm1 org.ssdpm1.Machine Apply ass 0 \
	performance
run apply busctl call org.ssdpm1 /org/ssdpm1 org.ssdpm1.Machine Apply ass 0 \
	performance
settings apply
run revert busctl call org.ssdpm1 /org/ssdpm1 org.ssdpm1.Machine Revert
set_by revert

source_is() {
	grep -q $1 /sys/class/power_supply/ADP1/online
}
power 101
until_true source_is 0
set_by battery
power 100
until_true source_is 1
set_by ac

udevadm monitor --kernel --subsystem-match=power_supply >/result/events 2>&1 &
# 20 flips, as fast as they go; they end on either side. The charge differs each time:
# the firmware looks ten times a second, and would miss a flip there and back.
storm=0
while [ $storm -lt {N_STORMS} ]; do
	before=$(runs)
	begin=$(now)
	flip=0
	while [ $flip -lt 20 ]; do
		power $((100 + 4 * flip + (flip + storm) % 2))
		flip=$((flip + 1))
	done
	end=$(now)
	until_true source_is $(((19 + storm + 1) % 2))
	source=$([ $(((19 + storm) % 2)) = 0 ] && echo ac || echo battery)
	until_true ssdpm check -q --config --source $source
	# Longer than any row of events is waited for: it stays so.
	sleep 3
	run storm.$storm ssdpm check --config --source $source
	echo $begin $end $(($(runs) - before)) >>/result/runs
	storm=$((storm + 1))
done
power 100
until_true source_is 1
set_by storms

c=$(controller TWO)
pci=$(readlink -f $c/device)
echo 1 >$pci/remove
until_true live_controllers 1
one_is_left() {
	[ "$(busctl tree --list org.ssdpm1 | grep -c drive/nvme)" = 1 ]
}
until_true one_is_left
run gone busctl tree --list org.ssdpm1
echo 1 >/sys/bus/pci/rescan
until_true live_controllers 2
set_by hot_plug

# Power states by command: with the drop-in that is shipped for them.
mkdir -p /etc/systemd/system/ssdpmd.service.d
ln -s /usr/share/ssdpm/commands.conf /etc/systemd/system/ssdpmd.service.d
systemctl daemon-reload
systemctl restart ssdpmd.service
printf '[drive]\nserial = TWO\npower_state = 1\n' >>/etc/ssdpm.conf
until_true ssdpm check -q --identify
run state ssdpm check --identify
echo 1 >$(controller TWO)/reset_controller
until_true live_controllers 2
until_true ssdpm check -q --identify
run reset ssdpm check --identify
echo devices >/sys/power/pm_test
echo 1 >/sys/module/suspend/parameters/pm_test_delay
run suspend systemctl start suspend.target
until_true live_controllers 2
until_true ssdpm check -q --identify
run resume ssdpm check --identify
# And asleep for real, until the clock wakes it.
echo none >/sys/power/pm_test
echo s2idle >/sys/power/mem_sleep
echo 7000 >$(controller TWO)/power/pm_qos_latency_tolerance_us
echo +10 >/sys/class/rtc/rtc0/wakealarm
run sleep systemctl start suspend.target
until_true live_controllers 2
until_true ssdpm check -q --identify
run woken ssdpm check --identify

# An event that comes later would start it again.
udevadm settle
run stop systemctl stop ssdpmd.service
systemctl show -P Result ssdpmd.service >/result/unit
# The bus starts it again.
run start busctl get-property org.ssdpm1 /org/ssdpm1 org.ssdpm1.Machine InForce
"""


def data_files() -> dict[str, bytes | str]:
    """What meson install puts there, below /usr."""
    share = {
        "dbus-1/system.d": SERVICE / "org.ssdpm1.conf",
        "dbus-1/system-services": SERVICE / "org.ssdpm1.service",
        "ssdpm": SERVICE / "commands.conf",
    }
    files: dict[str, bytes | str] = {
        f"usr/share/{folder}/{path.name}": path.read_text()
        for folder, path in share.items()
    }
    files[f"{UNITS}/ssdpmd.service"] = (BUILT / "ssdpmd.service").read_text()
    rule = "84-ssdpm-config.rules"
    files[f"lib/udev/rules.d/{rule}"] = (BUILT / rule).read_text()
    return files


def boot(release: str) -> vm.Guest:
    links = {
        f"{UNITS}/sockets.target.wants/dbus.socket": "../dbus.socket",
        f"{UNITS}/multi-user.target.wants/ssdpmd.service": "../ssdpmd.service",
    }
    return machine.boot(
        "service",
        release,
        SCRIPT.replace("{N_STORMS}", str(N_STORMS)),
        ["TWO", "DEEPEST", "HIPM", "DIPM"],
        systemd=True,
        files={**FILES, **data_files()},
        links=links,
        programs=[pathlib.Path("/usr/bin/dbus-daemon"), vm.PACKAGES / "usr/bin/busctl"],
        named={BUILT / "ssdpmd": "usr/local/libexec/ssdpm/ssdpmd"},
        more_qemu=test_commands.TRACE,
        limit=2400,
    )


BALANCED = ["100000", "100", "med_power_with_dipm"]
POWER_SAVER = ["200000", "50", "min_power_with_partial"]


def test_what_is_asked_for_is_in_force_at_boot(guest: vm.Guest) -> None:
    assert guest.read("test.err") == ""
    assert guest.read("settings.boot").split() == BALANCED


def test_the_service_has_no_capability(guest: vm.Guest) -> None:
    masks = re.findall(r"Cap\w+:\t(\w+)", guest.read("capabilities"))
    assert masks and not any(int(mask, 16) for mask in masks)


def test_an_ordinary_user_reads_and_does_not_write(guest: vm.Guest) -> None:
    assert guest.ok("read").split() == ["s", '"100000"']
    assert "/org/ssdpm1/drive/nvme0" in guest.ok("tree").split()
    assert guest.status("write") != 0
    assert "denied" in guest.err("write")


def test_who_reads_and_plans_sends_no_command_to_a_drive(guest: vm.Guest) -> None:
    for name in ("objects", "machine", "plan", "ask"):
        assert guest.ok(name)
    found = test_commands.steps(guest)
    assert test_commands.questions(found[0]), "the trace sees none"
    assert test_commands.questions(found[1]) == []


def test_root_sets_a_profile_by_the_bus_and_goes_back(guest: vm.Guest) -> None:
    assert '"in-force"' in guest.ok("apply")
    assert guest.read("settings.apply").split() != BALANCED
    guest.ok("revert")
    assert guest.read("settings.revert").split() == BALANCED


def test_it_follows_the_power_source(guest: vm.Guest) -> None:
    assert guest.read("settings.battery").split() == POWER_SAVER
    assert guest.read("settings.ac").split() == BALANCED


@pytest.mark.parametrize("storm", range(N_STORMS))
def test_a_storm_ends_with_the_values_of_the_last_source(
    guest: vm.Guest, storm: int
) -> None:
    assert guest.status(f"storm.{storm}") == 0, guest.out(f"storm.{storm}")


def test_a_storm_is_two_runs_unless_it_pauses(guest: vm.Guest) -> None:
    """The first event at once, then one run after 300 ms of quiet, or after 2 s.

    An emulated processor pauses in the middle of 20 flips, and what the kernel sends
    reaches the service up to 0.1 s later: after 0.2 s it may take it for quiet.
    """
    events = [float(at) for at in re.findall(r"KERNEL\[([\d.]+)\]", guest.read("events"))]
    storms = [line.split() for line in guest.read("runs").splitlines()]
    assert len(storms) == N_STORMS
    without, telling, seen = 0, 0, dict[int, int]()
    for begin, end, runs in storms:
        at = [event for event in events if float(begin) <= event <= float(end) + 2]
        pauses = sum(b - a >= 0.2 for a, b in zip(at, at[1:]))
        if not pauses and at[-1] - at[0] < 2:
            without += 1
        most = 2 + pauses + int((at[-1] - at[0]) / 2)
        telling += len(at) > most
        assert int(runs) <= most, (begin, end, runs, at)
        seen[int(runs)] = seen.get(int(runs), 0) + 1
    print(f"Linux {guest.release}: storms by runs: {seen}; {without} without a pause")
    # Of few events, as a busy machine sends them, each could be a run of its own.
    assert telling >= 0.9 * N_STORMS, telling


def test_a_drive_that_is_plugged_in_gets_the_policy(guest: vm.Guest) -> None:
    assert guest.read("settings.hot_plug").split() == BALANCED
    gone, there = guest.ok("gone").split(), guest.ok("tree").split()
    assert len([path for path in gone if "/nvme" in path]) == 1
    assert len([path for path in there if "/nvme" in path]) == 2


def test_the_machine_slept_until_the_clock_woke_it(guest: vm.Guest) -> None:
    guest.ok("sleep")
    times = re.findall(r"\[ *([\d.]+)\] PM: suspend (?:entry|exit)", guest.read("dmesg"))
    began, ended = map(float, times[-2:])
    assert ended - began > 5


@pytest.mark.parametrize("moment", ["state", "reset", "resume", "woken"])
def test_a_power_state_by_command_is_set_again(guest: vm.Guest, moment: str) -> None:
    if moment != "state" and guest.version < (5, 18):
        pytest.fail("this kernel tells nobody")
    assert guest.status(moment) == 0, guest.out(moment) + guest.err(moment)


def test_it_ends_and_the_bus_starts_it(guest: vm.Guest) -> None:
    assert guest.status("stop") == 0
    assert guest.read("unit").split() == ["success"]
    assert guest.ok("start").split()[0] == "b"


def test_everything_is_in_force_after_each_event(guest: vm.Guest) -> None:
    for moment in ("boot", "revert", "battery", "ac", "storms", "hot_plug"):
        assert guest.status(f"check.{moment}") == 0, moment
