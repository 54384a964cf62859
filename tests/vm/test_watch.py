# SPDX-License-Identifier: MIT
"""Who wakes a drive, as ssdpm watch says it from the trace events of each kernel,
against what was run and against the controller's own log."""

from __future__ import annotations

import pathlib
import re
import subprocess
from typing import Any

import drives
import test_hour
import vm

SECONDS = 300

SCRIPT = """
. /lib.sh
until_true test -b /dev/nvme0n1
run mount mount -t tracefs tracefs /sys/kernel/tracing
cp /bin/io /bin/steady
cp /bin/io /bin/rare
echo 0 >/sys/block/nvme0n1/queue/iostats
(
	sleep 2
	exec steady /dev/nvme0n1 280 1 >/result/steady
) &
(
	sleep 100
	exec rare /dev/nvme0n1 100 7 >/result/rare
) &
run watch ssdpm watch --identify --json --for {seconds}s --save /result/trace nvme0
wait
ls /sys/kernel/tracing/instances >/result/left
# What is left of a process that was killed is removed by the next one.
ssdpm watch --identify --for 1h nvme0 >/dev/null 2>&1 &
until_true sh -c 'ls /sys/kernel/tracing/instances | grep -q ssdpm-'
kill -9 $!
wait $! 2>/dev/null
ls /sys/kernel/tracing/instances >/result/killed
run again ssdpm watch --identify --for 1s nvme0
ls /sys/kernel/tracing/instances >/result/after
run_user rights ssdpm watch --catalogue=/d.bin --for 1s nvme0
"""


def boot(release: str) -> vm.Guest:
    program = vm.BUILD / "vm" / f"io-{release}"
    program.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["gcc", "-O1", "-static", "-o", program, vm.HERE / "guest/io.c"], check=True
    )
    identify = drives.identify(test_hour.DRIVE)
    return vm.boot(
        "watch",
        release,
        SCRIPT.replace("{seconds}", str(SECONDS)),
        ["nvme"],
        icount=True,
        files={"bin/io": program.read_bytes(), "d.bin": identify},
        host_files={"d.bin": identify},
        qemu=[
            *("-drive", "driver=null-co,size=64M,read-zeroes=on,if=none,id=n0"),
            "-device",
            "nvme,drive=n0,serial=D,power-file={dir}/d.bin,power-log={dir}/d.log",
        ],
    )


def watched(guest: vm.Guest) -> Any:
    return vm.listed(guest.ok("watch"))


def logged(guest: vm.Guest) -> list[dict[str, int]]:
    """Before each I/O, as the controller has it: time in each state."""
    lines = [l for l in guest.log("d.log").splitlines() if " io from=" in l]
    return [
        {key: int(value) for key, value in re.findall(r"(\w+)_ns=(\d+)", line)}
        for line in lines
    ]


def runs(guest: vm.Guest, name: str) -> list[tuple[int, int]]:
    lines = guest.read(name).splitlines()
    return [(int(a), int(b)) for a, b in (line.split() for line in lines)]


def simulated(guest: vm.Guest, trace: pathlib.Path) -> Any:
    return drives.ssdpm(
        *("watch", "--json", "--read", str(trace)),
        *("--device", "259,0", str(guest.directory / "d.bin")),
    )


def recorded(guest: vm.Guest) -> Any:
    """The recording, simulated on this side."""
    return simulated(guest, guest.result / "trace")




def test_each_process_has_its_ios(guest: vm.Guest) -> None:
    causes = {c["name"]: c for c in watched(guest)["causes"]}
    assert guest.err("watch") == ""
    assert set(causes) == {"steady", "rare"}
    for name, cause in causes.items():
        assert cause["kind"] == "process"
        assert cause["n_ios"] == len(runs(guest, name))
        assert cause["bytes"] == 4096 * cause["n_ios"]


def test_shares_are_all(guest: vm.Guest) -> None:
    drive = watched(guest)
    shares = sum(cause["energy_nj"] for cause in drive["causes"])
    assert shares + drive["resting_nj"] == drive["energy_nj"]
    assert sum(cause["n_wakes"] for cause in drive["causes"]) == drive["n_wakes"]


def test_the_time_asleep_is_that_of_the_controller(guest: vm.Guest) -> None:
    said = simulated(guest, drives.until_last_io(guest.result / "trace"))
    log = logged(guest)[-said["n_ios"] :][1:]
    asleep = sum(line.get("ps3", 0) + line.get("ps4", 0) for line in log)
    assert asleep > 100e9
    assert abs(said["asleep_ns"] - asleep) <= asleep / 100
    assert said["n_wakes"] == sum(line["exit"] > 0 for line in log)
    print(f"Linux {guest.release}: asleep {said['asleep_ns']} ns, the log {asleep} ns")


def test_a_recording_says_the_same(guest: vm.Guest) -> None:
    live, offline = watched(guest), recorded(guest)
    for key in ("n_ios", "bytes", "n_wakes", "delay_sum_ns", "busy_ns"):
        assert live[key] == offline[key], key
    # 156 us of 296 s differed once, and nobody knows why.
    assert abs(live["asleep_ns"] - offline["asleep_ns"]) <= 1e6
    assert [c["name"] for c in live["causes"]] == [c["name"] for c in offline["causes"]]


def test_a_recording_is_a_trace(guest: vm.Guest) -> None:
    run = drives.ssdpm("workload", "--json", str(guest.directory / "result/trace"))
    assert run["n_ios"][0] == watched(guest)["n_ios"]


def test_nothing_is_left_in_tracefs(guest: vm.Guest) -> None:
    assert guest.read("left") == ""
    assert re.fullmatch(r"ssdpm-\d+-\d+-0\n", guest.read("killed"))
    guest.ok("again")
    assert guest.read("after") == ""


def test_a_user_is_told_what_is_missing(guest: vm.Guest) -> None:
    assert guest.status("rights") == 4
    assert "run ssdpm as root" in guest.err("rights")
