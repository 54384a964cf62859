# SPDX-License-Identifier: MIT
"""Who wakes a drive through LVM and dm-crypt: a reader every 10 s, and a flusher every
5 s as ZFS has one. And ssdpm watch is killed at random, again and again."""

from __future__ import annotations

import itertools
import pathlib
import re
import subprocess
from typing import Any

import drives
import test_hour
import vm

KILLS = 50
# The second recording: PS4 takes longer to enter and leave.
LATENCY_US = 15000
# The first 32 MiB are encrypted; the reader reads behind them.
CRYPT_SECTORS, READER_SECTOR = 65536, 98304
PARTIALLY_BUILT_IN = ["xts", "ecb", "aes", "aes_generic"]

SCRIPT = f"""
. /lib.sh
until_true test -b /dev/nvme0n1
run mount mount -t tracefs tracefs /sys/kernel/tracing
key=$(printf '%064d' 7)
crypt="crypt aes-xts-plain64 $key 0 /dev/nvme0n1 0"
run crypt dmsetup create --noudevsync --table "0 {CRYPT_SECTORS} $crypt" crypt
run lv dmsetup create --noudevsync --table "0 {CRYPT_SECTORS} linear /dev/dm-0 0" lv
until_true test -b /dev/dm-1
cp /bin/periodic /bin/reader
cp /bin/periodic /bin/flusher
run idle ssdpm watch --identify --for 60s nvme0
# both NAME: the processes at work, and a recording of them
both() {{
	(
		sleep 1
		exec flusher flush /dev/dm-1 150 5000 0 >/result/flusher
	) &
	(
		sleep 8
		exec reader read /dev/nvme0n1 120 10000 {READER_SECTOR} >/result/reader
	) &
	run "$1" ssdpm watch --identify --json --for 160s --save "/result/$1.trace" nvme0
	wait
}}
both watch
echo {LATENCY_US} >/sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us
sleep 1
both shallow
# Each one removes what the last one left, whenever that was killed.
RANDOM=7
i=0
while [ $i -lt {KILLS} ]; do
	ssdpm watch --identify --for 1h nvme0 >/dev/null 2>&1 &
	sleep 0.$((RANDOM % 9))$((RANDOM % 10))
	kill -9 $!
	wait $! 2>/dev/null
	ls /sys/kernel/tracing/instances | grep -c . >>/result/dead
	i=$((i + 1))
done
run again ssdpm watch --identify --for 1s nvme0
ls /sys/kernel/tracing/instances >/result/left
"""


def program(release: str) -> bytes:
    path = vm.BUILD / "vm" / f"periodic-{release}"
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["gcc", "-O1", "-static", "-o", path, vm.HERE / "guest/periodic.c"], check=True
    )
    return path.read_bytes()


def boot(release: str) -> vm.Guest:
    kernel = vm.Kernel(release)
    known = kernel.needs.keys() | kernel.builtin
    identify = drives.identify(test_hour.DRIVE)
    return vm.boot(
        "watch-stack",
        release,
        SCRIPT,
        ["nvme", "dm_crypt", *(name for name in PARTIALLY_BUILT_IN if name in known)],
        icount=True,
        files={"bin/periodic": program(release)},
        programs=[pathlib.Path("/usr/sbin/dmsetup")],
        host_files={"d.bin": identify},
        qemu=[
            *("-drive", "driver=null-co,size=64M,read-zeroes=on,if=none,id=n0"),
            "-device",
            "nvme,drive=n0,serial=D,power-file={dir}/d.bin,power-log={dir}/d.log",
        ],
    )


def watched(guest: vm.Guest) -> Any:
    guest.ok("crypt")
    guest.ok("lv")
    return vm.listed(guest.ok("watch"))


def read(guest: vm.Guest, trace: pathlib.Path, *options: str) -> Any:
    return drives.ssdpm(
        *("watch", "-q", "--json", "--read", str(trace), "--device", "259,0"),
        *options,
        str(guest.directory / "d.bin"),
    )


def trace_of(guest: vm.Guest, name: str) -> pathlib.Path:
    return guest.directory / "result" / f"{name}.trace"


def cause_of(drive: Any, name: str) -> Any:
    (found,) = [cause for cause in drive["causes"] if cause["name"] == name]
    return found


def test_an_idle_drive_has_no_cause(guest: vm.Guest) -> None:
    assert guest.ok("idle").endswith(": no I/O came\n")


def test_the_flusher_is_found_behind_two_devices(guest: vm.Guest) -> None:
    drive = watched(guest)
    for name in ("flusher", "reader"):
        cause = cause_of(drive, name)
        assert cause["kind"] == "process"
        assert cause["bytes"] == int(guest.read(name)), name
    causes = sorted(drive["causes"], key=lambda cause: -int(cause["energy_nj"]))
    assert [cause["name"] for cause in causes[:2]] == ["flusher", "reader"]
    print({cause["name"]: cause["energy_nj"] for cause in causes})


def test_shares_are_all(guest: vm.Guest) -> None:
    drive = watched(guest)
    shares = sum(cause["energy_nj"] for cause in drive["causes"])
    assert shares + drive["resting_nj"] == drive["energy_nj"]
    assert sum(cause["n_wakes"] for cause in drive["causes"]) == drive["n_wakes"]


def test_without_the_reader_is_the_recording_without_its_lines(guest: vm.Guest) -> None:
    trace = trace_of(guest, "watch")
    less = guest.directory / "less"
    place = re.compile(r": block_.* (\d+) \+ \d+ ")
    lines = []
    for line in trace.read_text().splitlines(keepends=True):
        found = place.search(line)
        if not found or int(found[1]) < READER_SECTOR:
            lines.append(line)
    less.write_text("".join(lines))
    without = cause_of(read(guest, trace), "reader")["without"]
    alone = read(guest, less)
    assert [cause["name"] for cause in alone["causes"]][:1] == ["flusher"]
    for key in ("energy_nj", "asleep_ns"):
        want, said = alone[key], without[f"without_{key}"]
        assert abs(said - want) <= want / 100, key
        print(f"Linux {guest.release}: without the reader {key} {said}, alone {want}")
    assert without["without_n_wakes"] == alone["n_wakes"]


def test_the_time_asleep_is_that_of_the_controller(guest: vm.Guest) -> None:
    said = read(guest, drives.until_last_io(trace_of(guest, "watch")))
    lines = [line for line in guest.log("d.log").splitlines() if " io from=" in line]
    log = [
        {key: int(value) for key, value in re.findall(r"(\w+)_ns=(\d+)", line)}
        for line in lines
    ]
    # The first I/O of the recording ends the minute without any.
    first = max(range(len(log)), key=lambda k: log[k].get("ps4", 0))
    slept = [line.get("ps3", 0) + line.get("ps4", 0) for line in log[first + 1 :]]
    # The next recording begins after a pause that is longer than the flusher's.
    asleep = sum(itertools.takewhile(lambda ns: ns < 6e9, slept))
    assert asleep > 50e9
    assert abs(said["asleep_ns"] - asleep) <= asleep / 100
    print(f"Linux {guest.release}: asleep {said['asleep_ns']} ns, the log {asleep} ns")


def test_a_longer_interval_is_what_helps(guest: vm.Guest) -> None:
    drive = watched(guest)
    helps = {drive["causes"][h["cause"]]["name"]: h for h in drive["help"]}
    for name, period in (("flusher", 5e9), ("reader", 10e9)):
        assert helps[name]["kind"] == "interval"
        assert abs(helps[name]["period_ns"] - period) < period / 100
        assert helps[name]["interval_ns"] == 60e9 or helps[name]["interval_ns"] > 60e9


def test_a_recording_predicts_another_policy(guest: vm.Guest) -> None:
    """Recorded under one, predicted for another one, and recorded under that."""
    table, drive = guest.directory / "table", guest.directory / "d.bin"
    limit = ("--max-exit-latency", f"{LATENCY_US}us")
    drives.ssdpm("apst", "--json", *limit, "--raw", str(table), str(drive))
    policies = [trace_of(guest, name).read_text() for name in ("watch", "shallow")]
    found = [re.findall(r"^# policy: 259,0 base.*", text, re.M) for text in policies]
    assert [text.count("sleep") for [text] in found] == [2, 1]
    predicted = read(guest, trace_of(guest, "watch"), "--table", str(table))
    recorded = read(guest, trace_of(guest, "shallow"), "--table", str(table))
    assert abs(predicted["asleep_ns"] - recorded["asleep_ns"]) <= (
        recorded["asleep_ns"] / 100
    )
    # fsync() sends more once the first write is done, which comes sooner then.
    assert abs(predicted["idle_ns"] - recorded["idle_ns"]) <= 1e8
    assert abs(predicted["energy_nj"] - recorded["energy_nj"]) <= (
        recorded["energy_nj"] / 50
    )
    for key in ("asleep_ns", "idle_ns", "energy_nj"):
        print(f"Linux {guest.release}: {key} {predicted[key]}, then {recorded[key]}")
    assert abs(predicted["n_wakes"] - recorded["n_wakes"]) <= 1


def test_what_is_killed_at_random_is_removed_by_the_next_one(guest: vm.Guest) -> None:
    dead = [int(line) for line in guest.read("dead").split()]
    assert len(dead) == KILLS
    assert set(dead) <= {0, 1} and sum(dead) > KILLS / 4
    guest.ok("again")
    assert guest.read("left") == ""
    print(f"Linux {guest.release}: {sum(dead)} of {KILLS} left an instance")
