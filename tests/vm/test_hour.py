# SPDX-License-Identifier: MIT
"""An hour of a guest's time, and where the drive was in it: the simulator's word
against the controller's own log."""

from __future__ import annotations

import pathlib
import re
import subprocess
from typing import Any

import drives
import vm

# Fast and slow by the kernel's rules: PS3 after 100 ms, PS4 2 s later.
DRIVE: dict[str, Any] = {
    "vendor_id": 0x1B36,
    "product": "Two states to sleep in",
    "firmware": "1",
    "states": [
        {
            "operational": i < 3,
            "max_power_uw": power,
            "entry_latency_us": entry,
            "exit_latency_us": exit,
        }
        for i, (power, entry, exit) in enumerate(
            (
                (6000000, 0, 0),
                (4000000, 0, 0),
                (3000000, 0, 0),
                (50000, 4000, 10000),
                (5000, 4000, 45000),
            )
        )
    ],
}

SCRIPT = """
. /lib.sh
until_true test -b /dev/nvme0n1
run io io /dev/nvme0n1 3600 1
"""


def boot(release: str) -> vm.Guest:
    program = vm.BUILD / "vm" / f"io-{release}"
    program.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["gcc", "-O1", "-static", "-o", program, vm.HERE / "guest/io.c"], check=True
    )
    return vm.boot(
        "hour",
        release,
        SCRIPT,
        ["nvme"],
        icount=True,
        files={"bin/io": program.read_bytes()},
        host_files={"d.bin": drives.identify(DRIVE)},
        qemu=[
            *("-drive", "driver=null-co,size=64M,read-zeroes=on,if=none,id=n0"),
            "-device",
            "nvme,drive=n0,serial=D,power-file={dir}/d.bin,power-log={dir}/d.log",
        ],
    )


def intervals(guest: vm.Guest) -> list[tuple[int, int]]:
    lines = guest.ok("io").splitlines()
    return [(int(a), int(b)) for a, b in (line.split() for line in lines)]


def trace(ios: list[tuple[int, int]], path: pathlib.Path) -> int:
    """The same I/Os from a drive that never sleeps: the idle times are those that
    the guest had, the service time is that of the I/O that waited least."""
    service = min(after - before for before, after in ios)
    time = 0
    with open(path, "w") as file:
        for i, (before, _) in enumerate(ios):
            if i:
                time += service + before - ios[i - 1][1]
            file.write(f"{time},0,4096,{service},read\n")
    return service


def estimate(guest: vm.Guest, path: pathlib.Path) -> Any:
    return drives.ssdpm(
        *("estimate", "--json", "--trace", str(path), "--format", "delimited"),
        *("--columns", "time:ns,offset,bytes,service:ns,op"),
        str(guest.directory / "d.bin"),
    )


def logged(guest: vm.Guest, n: int) -> list[dict[str, int]]:
    """Before each of the last n I/Os: time in each state, entry and exit."""
    lines = [l for l in guest.log("d.log").splitlines() if " io from=" in l][-n:]
    assert len(lines) == n
    return [
        {key: int(value) for key, value in re.findall(r"(\w+)_ns=(\d+)", line)}
        for line in lines
    ]


def near(said: int, was: int) -> bool:
    return abs(said - was) <= was / 100


def test_an_hour_is_as_simulated_within_one_percent(guest: vm.Guest) -> None:
    ios = intervals(guest)
    assert len(ios) > 150 and ios[-1][1] - ios[0][0] > 3400e9
    path = guest.directory / "trace.csv"
    service = trace(ios, path)
    said = estimate(guest, path)["nominal"]
    log = logged(guest, len(ios))[1:]

    for state in (0, 3, 4):
        was = sum(line.get(f"ps{state}", 0) for line in log)
        assert was > 1e9
        assert near(said["states"][state]["time_ns"], was), (state, said, was)
    for state in (1, 2):
        assert said["states"][state]["time_ns"] == 0
        assert not any(f"ps{state}" in line for line in log)
    assert near(said["entry_ns"], sum(line["entry"] for line in log))
    assert near(said["exit_ns"], sum(line["exit"] for line in log))
    assert said["n_wakes"] == sum(line["exit"] > 0 for line in log)
    # What the guest itself saw of it.
    late = sum(after - before - service for before, after in ios[1:])
    assert near(said["delay_sum_ns"], late)
