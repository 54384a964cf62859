# SPDX-License-Identifier: MIT
"""Drives that fail as their link wakes from one state, always or once in 20 times: the
search names the mode of the PCIe link, or the policy of the SATA link, and leaves
nothing behind. One drive fails only if it sleeps, too."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import drives
import pytest
import test_hour
import vm

# So many faults come before the search, if the drive gets so many reads.
N_FAULTS = 3
N_READS = 300
# Linux slows a SATA link down after more errors than that in 10 minutes.
REST_SECONDS = 700

LINK = ["off", "l1", "clkpm", "l1.1", "l1.2"]
LPM = ["max_performance", "medium_power", "med_power_with_dipm", "min_power"]


@dataclass(frozen=True)
class Faulty:
    serial: str
    state: str  # as the emulated drive calls it
    culprit: str
    one_in: int = 1
    seed: int = 0
    # All its settings are searched, and it is in everyday use.
    whole: bool = False
    # In the deepest power state alone.
    asleep: bool = False

    def __str__(self) -> str:
        return self.serial

    @property
    def is_sata(self) -> bool:
        return self.culprit in LPM

    @property
    def steps(self) -> list[str]:
        return LPM if self.is_sata else LINK

    @property
    def good(self) -> str:
        return self.steps[self.steps.index(self.culprit) - 1]

    @property
    def n_trials(self) -> int:
        n = len(self.steps)
        if self.whole:
            n += 1 if self.is_sata else 2  # NCQ; two states to sleep in
        return (math.ceil(math.log2(n)) + 2) * (2 if self.asleep else 1)

    @property
    def only(self) -> str:
        only = "--only lpm" if self.is_sata else "--only pcie-link"
        return "" if self.whole else only

    @property
    def fault(self) -> str:
        asleep = ",fault-state=4" if self.asleep else ""
        chance = f"fault-one-in={self.one_in},fault-seed={self.seed}"
        return f"fault-link={self.state},{chance}{asleep}"


NVME = [
    Faulty("L1", "l1", "l1"),
    Faulty("CLOCK", "clkpm", "clkpm"),
    Faulty("L11", "l1.1", "l1.1"),
    Faulty("L12", "l1.2", "l1.2"),
    *(Faulty(f"L12SELDOM{seed}", "l1.2", "l1.2", 20, seed) for seed in (1, 2, 3)),
    Faulty("L11OFALL", "l1.1", "l1.1", whole=True),
    Faulty("L12ASLEEP", "l1.2", "l1.2", whole=True, asleep=True),
]
# One for each port.
SATA = [
    Faulty("PARTIAL", "partial", "medium_power"),
    Faulty("DIPMOFALL", "dipm", "med_power_with_dipm", whole=True),
    Faulty("SLUMBER", "slumber", "min_power"),
    *(
        Faulty(f"SLUMBERSELDOM{seed}", "slumber", "min_power", 20, seed)
        for seed in (1, 2, 3)
    ),
]
DRIVES = [*NVME, *SATA]

SCRIPT = f"""
. /lib.sh
until_true live_controllers {len(NVME)}
disks() {{
	[ "$(ls /sys/class/block | grep -c '^sd.$')" = {len(SATA)} ]
}}
until_true disks
run mount mount -t tracefs tracefs /sys/kernel/tracing
mkdir -p /var/lib
echo powersupersave >/sys/module/pcie_aspm/parameters/policy
for policy in /sys/class/scsi_host/host*/link_power_management_policy; do
	echo min_power >"$policy"
done
sleep 5

# search SERIAL FAULT FILE...: provoke its faults, search; FILE has its settings
search() {{
	serial=$1 fault=$2 pause=1
	shift 2
	# In the deepest power state, too.
	[ "$only" ] || pause=3
	echo "$device" >"/result/$serial.device"
	grep . "$@" >"/result/$serial.before"
	n=0
	while [ "$(faults)" -lt {N_FAULTS} ] && [ $n -lt {N_READS} ]; do
		sleep $pause
		use
		n=$((n + 1))
	done
	echo $n >"/result/$serial.entries"
	faults >"/result/$serial.faults"
	# Errors slow a link down if they come too often.
	sleep {REST_SECONDS}
	if [ "$only" ]; then
		provoke=--provoke
	else
		provoke=
		while sleep $pause; do use; done &
	fi
	run "$serial.start" ssdpm bisect start --identify $only --errors {N_FAULTS} \\
		--entries $n "$device"
	run "$serial" ssdpm bisect run --identify $provoke --settle 2s
	[ "$only" ] || kill $!
	run "$serial.report" ssdpm bisect report --json
	grep . "$@" >"/result/$serial.after"
	run "$serial.stop" ssdpm bisect stop
	grep . "$@" >"/result/$serial.stopped"
	ls /sys/kernel/tracing/instances >"/result/$serial.left"
	ls -d /var/lib/ssdpm /run/ssdpm/bisect >>"/result/$serial.left" 2>/dev/null || :
}}
use() {{
	dd if="/dev/$disk" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null
}}
faults() {{
	dmesg | grep -c "$fault"
}}
# nvme SERIAL [ONLY]
nvme() {{
	device=$(basename "$(controller "$1")") only=$2
	disk=${{device}}n1
	controller=/sys/class/nvme/$device
	search "$1" "$device: controller is down" "$controller/device/link/"* \\
		"$controller/power/pm_qos_latency_tolerance_us"
}}
# sata SERIAL PORT [ONLY]: hosts have the order of the ports, disks need not
sata() {{
	host=/sys/class/scsi_host/$(ls /sys/class/scsi_host | sed -n "$2p") only=$3
	port=$(readlink -f "$host" | grep -o 'ata[0-9]*')
	disk=$(ls "$host"/device/target*/*/block)
	device=$disk
	search "$1" "$port.00: exception Emask" "$host/link_power_management_policy" \\
		"/sys/class/block/$disk/device/queue_depth"
}}
{"; ".join(f"nvme {drive} '{drive.only}'" for drive in NVME)}
{"; ".join(f"sata {drive} {i + 1} '{drive.only}'" for i, drive in enumerate(SATA))}
echo powersave >/sys/module/pcie_aspm/parameters/policy
cat "$(controller L12)/device/link/"* >/result/powersave
"""


def devices() -> list[str]:
    """Arguments of QEMU: each NVMe drive at a root port of its own."""
    qemu: list[str] = []
    for i, drive in enumerate(DRIVES):
        qemu += ["-drive", f"driver=null-co,size=64M,read-zeroes=on,if=none,id=n{i}"]
    for i, drive in enumerate(NVME):
        qemu += [
            *("-device", f"pcie-root-port,id=port{i},chassis={i},link-pm=on"),
            "-device",
            f"nvme,bus=port{i},drive=n{i},serial={drive},link-pm=on,"
            f"power-file={{dir}}/d.bin,power-log={{dir}}/{drive}.log,{drive.fault}",
        ]
    for i, drive in enumerate(SATA):
        qemu += [
            "-device",
            f"ide-hd,bus=ide.{i},drive=n{len(NVME) + i},serial={drive},rotation_rate=1,"
            f"{drive.fault}",
        ]
    return qemu


def boot(release: str) -> vm.Guest:
    return vm.boot(
        "bisect-link",
        release,
        SCRIPT,
        ["nvme", "ahci", "sd_mod"],
        icount=True,
        # Nothing fails before the test sets it.
        append="pcie_aspm.policy=performance ahci.mobile_lpm_policy=1",
        environment={"QEMU_TEST_SATA_LPM": "1", "QEMU_TEST_SATA_LOG": "{dir}/sata.log"},
        host_files={"d.bin": drives.identify(test_hour.DRIVE)},
        qemu=devices(),
        limit=1800,
    )


def n_faults(guest: vm.Guest, drive: Faulty) -> int:
    """By the log of the emulated drive."""
    if drive.is_sata:
        return guest.log("sata.log").count(f" disk {drive} fault in={drive.state}\n")
    return guest.log(f"{drive}.log").count(f" fault in={drive.state}\n")


def search_of(guest: vm.Guest, drive: Faulty) -> Any:
    guest.ok(f"{drive}.start")
    guest.ok(str(drive))
    [search] = json.loads(guest.ok(f"{drive}.report"))["searches"]
    return search


@pytest.mark.parametrize("drive", DRIVES, ids=str)
def test_the_link_state_that_fails_is_found(guest: vm.Guest, drive: Faulty) -> None:
    search = search_of(guest, drive)
    device = guest.read(f"{drive}.device").strip()
    setting = "link policy" if drive.is_sata else "PCIe link"
    found = f"{device} {setting}: {drive.culprit}, but not with {drive.good}\n"
    assert found in guest.ok(str(drive))
    both = f"{device} latency limit: 100 ms, but not with 10 ms\n"
    assert (both in guest.ok(str(drive))) == drive.asleep
    print(drive, guest.read(f"{drive}.entries"), search["trials"])
    assert len(search["trials"]) <= drive.n_trials
    # It did fail before: Linux and the emulated drive say so.
    assert int(guest.read(f"{drive}.faults")) == N_FAULTS
    n_bad = sum(trial["verdict"] == "bad" for trial in search["trials"])
    assert n_faults(guest, drive) == N_FAULTS + n_bad


@pytest.mark.parametrize("drive", NVME, ids=str)
def test_a_policy_of_linux_keeps_l1_if_only_a_substate_fails(
    guest: vm.Guest, drive: Faulty
) -> None:
    policy = "powersave" if drive.culprit in ("l1.1", "l1.2") else "performance"
    assert f"pcie_aspm.policy={policy}\n" in guest.ok(str(drive))
    # clkpm, l1_1_aspm, l1_2_aspm, l1_aspm
    assert guest.read("powersave").split() == ["1", "0", "0", "1"]


@pytest.mark.parametrize("drive", DRIVES, ids=str)
def test_the_link_is_as_before(guest: vm.Guest, drive: Faulty) -> None:
    before = guest.read(f"{drive}.before")
    values = [line.rpartition(":")[2] for line in before.splitlines()]
    assert values == (["min_power", "32"] if drive.is_sata else [*"1111", "100000"])
    assert guest.read(f"{drive}.after") == before
    guest.ok(f"{drive}.stop")
    assert guest.read(f"{drive}.stopped") == before
    assert guest.read(f"{drive}.left") == ""
