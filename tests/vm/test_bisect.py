# SPDX-License-Identifier: MIT
"""Drives that fail as they leave one state, always or once in 20 times: the search
runs by itself, names the state, and leaves nothing behind."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import drives
import pytest
import test_hour
import vm

ALLOWED = "100 ms"
WITHOUT = "no APST"
SHALLOW = "10 ms"
# So many faults come before the search, if the drive gets so many reads.
N_FAULTS = 3
N_READS = 300


@dataclass(frozen=True)
class Faulty:
    serial: str
    state: int
    one_in: int
    seed: int = 0
    pause_seconds: int = 4  # before each read: then it is in the state

    def __str__(self) -> str:
        return self.serial


DEEPEST_ALWAYS = Faulty("PS4", 4, 1)
SHALLOW_ALWAYS = Faulty("PS3", 3, 1, pause_seconds=1)
DEEPEST_SELDOM = [Faulty(f"PS4SELDOM{seed}", 4, 20, seed) for seed in (1, 2, 3)]
SHALLOW_SELDOM = [Faulty(f"PS3SELDOM{seed}", 3, 20, seed, 1) for seed in (1, 2, 3)]
AWAKE = Faulty("AWAKE", 0, 20)
ASLEEP = [DEEPEST_ALWAYS, SHALLOW_ALWAYS, *DEEPEST_SELDOM, *SHALLOW_SELDOM]
DRIVES = [*ASLEEP, AWAKE]

SCRIPT = f"""
. /lib.sh
until_true live_controllers {len(DRIVES)}
run mount mount -t tracefs tracefs /sys/kernel/tracing
mkdir -p /var/lib
# search SERIAL PAUSE: how many entries its faults took, and the search
search() {{
	device=$(basename "$(controller "$1")")
	n=0
	while [ "$(down)" -lt {N_FAULTS} ] && [ $n -lt {N_READS} ]; do
		sleep "$2"
		dd if="/dev/${{device}}n1" of=/dev/null bs=4k count=1 iflag=direct
		n=$((n + 1))
	done 2>/dev/null
	echo $n >"/result/$1.entries"
	down >"/result/$1.faults"
	find_it "$1" {N_FAULTS} $n
}}
# find_it SERIAL ERRORS ENTRIES
find_it() {{
	device=$(basename "$(controller "$1")")
	echo "$device" >"/result/$1.device"
	run "$1.start" ssdpm bisect start --identify --errors "$2" --entries "$3" "$device"
	run "$1" ssdpm bisect run --identify --provoke --settle 2s
	run "$1.report" ssdpm bisect report --json
	cat "$(controller "$1")/power/pm_qos_latency_tolerance_us" >"/result/$1.limit"
	run "$1.stop" ssdpm bisect stop
	ls /sys/kernel/tracing/instances >"/result/$1.left"
	ls -d /var/lib/ssdpm /run/ssdpm/bisect >>"/result/$1.left" 2>/dev/null || :
}}
down() {{
	dmesg | grep -c "$device: controller is down"
}}
{"; ".join(f"search {drive} {drive.pause_seconds}" for drive in ASLEEP)}
find_it {AWAKE} {N_FAULTS} {N_FAULTS * AWAKE.one_in}
"""


def boot(release: str) -> vm.Guest:
    qemu = []
    for i, drive in enumerate(DRIVES):
        qemu += [
            *("-drive", f"driver=null-co,size=64M,read-zeroes=on,if=none,id=n{i}"),
            "-device",
            f"nvme,drive=n{i},serial={drive},power-file={{dir}}/d.bin,"
            f"power-log={{dir}}/{drive}.log,fault-state={drive.state},"
            f"fault-one-in={drive.one_in},fault-seed={drive.seed}",
        ]
    return vm.boot(
        "bisect",
        release,
        SCRIPT,
        ["nvme"],
        icount=True,
        host_files={"d.bin": drives.identify(test_hour.DRIVE)},
        qemu=qemu,
        limit=1800,
    )


def search_of(guest: vm.Guest, drive: Faulty) -> Any:
    guest.ok(f"{drive}.start")
    guest.ok(str(drive))
    [search] = json.loads(guest.ok(f"{drive}.report"))["searches"]
    return search


@pytest.mark.parametrize(
    ("drive", "culprit", "good"),
    [
        (DEEPEST_ALWAYS, ALLOWED, SHALLOW),
        (SHALLOW_ALWAYS, SHALLOW, WITHOUT),
        *((drive, ALLOWED, SHALLOW) for drive in DEEPEST_SELDOM),
        *((drive, SHALLOW, WITHOUT) for drive in SHALLOW_SELDOM),
    ],
    ids=str,
)
def test_the_state_that_fails_is_found(
    guest: vm.Guest, drive: Faulty, culprit: str, good: str
) -> None:
    search = search_of(guest, drive)
    said = guest.ok(str(drive))
    device = guest.read(f"{drive}.device").strip()
    assert f"{device} latency limit: {culprit}, but not with {good}\n" in said
    # Three levels: log2 and two more.
    assert len(search["trials"]) <= 4
    print(drive, guest.read(f"{drive}.entries"), search["trials"])
    # It did fail before: Linux and the controller say so.
    assert int(guest.read(f"{drive}.faults")) == N_FAULTS
    faults = guest.log(f"{drive}.log").count(f" fault in={drive.state}\n")
    assert faults == N_FAULTS + sum(t["verdict"] == "bad" for t in search["trials"])


def test_a_drive_that_fails_awake_has_no_culprit(guest: vm.Guest) -> None:
    search_of(guest, AWAKE)
    assert "Something else makes it fail." in guest.ok(str(AWAKE))


@pytest.mark.parametrize("drive", DRIVES, ids=str)
def test_nothing_is_left_behind(guest: vm.Guest, drive: Faulty) -> None:
    assert guest.read(f"{drive}.limit") == "100000\n"
    guest.ok(f"{drive}.stop")
    assert guest.read(f"{drive}.left") == ""
