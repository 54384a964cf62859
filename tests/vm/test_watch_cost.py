# SPDX-License-Identifier: MIT
"""The processor time that ssdpm watch takes of a whole system, under several loads on
one drive: windows with it against windows without it, in turns (ABBA).

The guest has one processor, on which an instruction takes a nanosecond of its time. So
other work of this machine changes no share at a given rate: it counts instructions. It
is that of a slow processor: others do 3 to 6 instructions in this time. As fast as it
goes, the load itself takes from 32 to 90 % of the processor, as QEMU is given time:
there, only what the watch takes itself is limited."""

from __future__ import annotations

import subprocess
from typing import Any, NamedTuple

import drives
import pytest
import test_hour
import vm

WINDOW_S = 4
# A burst must be over before the window, or else the trace is still on. That of 1,900
# I/Os a second takes 2.8 to 3 s here.
SETTLED_S = 4
# I/Os a second; 0: as fast as it goes, which makes the guest slow.
RATES = (100, 500, 1900, 12000, 0)
# On a processor that slow, the text of 1,900 takes too long.
TRACED, COUNTED = (100, 500), (1900, 12000, 0)
SCREENED = (1900,)
MOST_SHARE = 0.03
# While I/Os are only counted: COUNT_SHARE in lib/energy/watch/load.c
MOST_OWN_SHARE = 0.01
# Faster loads fall behind while the command starts, and catch up.
STEADY = (100, 500, 1900)
FIGURES = "{:>9} {:>6} {:>8.2f} {:>8.2f} {:>7.2f} {:>7.2f} {:>7.2f} {:>9.0f}"

SCRIPT = """
. /lib.sh
until_true test -b /dev/nvme0n1
run mount mount -t tracefs tracefs /sys/kernel/tracing
look() {
	cut -d ' ' -f 1 /proc/uptime
	head -n 1 /proc/stat
	cat /sys/block/nvme0n1/stat
	grep cpu0 /proc/schedstat
	cat "/proc/$watch/schedstat" 2>/dev/null || echo 0
}
# window NAME MODE
window() {
	watch=none
	case $2 in
	plain) ssdpm watch --identify --json --for 1h nvme0 >"$1.json" 2>"$1.err" & ;;
	screen) TERM=linux ssdpm watch --identify nvme0 </dev/tty1 >/dev/tty1 2>"$1.err" & ;;
	esac
	[ "$2" = off ] || watch=$!
	sleep {settled}
	look >"$1"
	sleep "$seconds"
	look >>"$1"
	if [ "$2" != off ]; then
		kill -TERM $watch
		wait $watch
	fi
}
# windows RATE MODE: ABBA
windows() {
	seconds={window}
	[ "$1" = 0 ] && seconds=1
	load=
	if [ "$1" != idle ]; then
		load /dev/nvme0n1 "$1" &
		load=$!
	fi
	number=0
	for mode in off "$2" "$2" off; do
		number=$((number + 1))
		window "/result/$2-$1-$number" "$mode"
	done
	[ -n "$load" ] && kill "$load"
}
for rate in {rates}; do
	windows "$rate" plain
done
for rate in {screened}; do
	windows "$rate" screen
done
"""


def words(rates: tuple[int, ...]) -> str:
    return " ".join(["idle", *map(str, rates)])


def boot(release: str) -> vm.Guest:
    program = vm.BUILD / "vm" / f"load-{release}"
    program.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["gcc", "-O1", "-static", "-o", program, vm.HERE / "guest/load.c"], check=True
    )
    script = SCRIPT.replace("{rates}", words(RATES))
    script = script.replace("{screened}", words(SCREENED))
    script = script.replace("{settled}", str(SETTLED_S))
    script = script.replace("{window}", str(WINDOW_S))
    return vm.boot(
        "watch-cost",
        release,
        script,
        ["nvme"],
        icount=True,
        files={"bin/load": program.read_bytes()},
        host_files={"d.bin": drives.identify(test_hour.DRIVE)},
        qemu=[
            *("-drive", "driver=null-co,size=64M,read-zeroes=on,if=none,id=n0"),
            *("-device", "nvme,drive=n0,serial=D,power-file={dir}/d.bin"),
        ],
        limit=1800,
    )


class Window(NamedTuple):
    seconds: float
    busy_s: float  # what is not idle, as the kernel measures it
    run_s: float  # all threads, without interrupts
    own_s: float  # those of ssdpm watch
    n_ios: int


def window(guest: vm.Guest, name: str) -> Window:
    lines = [line.split() for line in guest.read(name).splitlines()]
    (up, stat, disk, sched, own), (up2, stat2, disk2, sched2, own2) = lines[:5], lines[5:]
    seconds = float(up2[0]) - float(up[0])
    idle = sum(int(b) - int(a) for a, b in zip(stat[4:6], stat2[4:6])) / 100
    run_s = (int(sched2[7]) - int(sched[7])) / 1e9
    own_s = (int(own2[0]) - int(own[0])) / 1e9
    n_ios = int(disk2[0]) - int(disk[0])
    return Window(seconds, seconds - idle, run_s, own_s, n_ios)


def total(guest: vm.Guest, name: str, numbers: tuple[int, int]) -> Window:
    one, other = (window(guest, f"{name}-{number}") for number in numbers)
    return Window(*(a + b for a, b in zip(one, other)))


def watched(guest: vm.Guest, rate: int, number: int) -> Any:
    return vm.listed(guest.read(f"plain-{rate}-{number}.json"))


def print_shares(guest: vm.Guest, mode: str, rate: str) -> None:
    without = total(guest, f"{mode}-{rate}", (1, 4))
    with_it = total(guest, f"{mode}-{rate}", (2, 3))
    busy = [100 * w.busy_s / w.seconds for w in (without, with_it)]
    run = [100 * w.run_s / w.seconds for w in (without, with_it)]
    print(
        FIGURES.format(
            mode, rate, *run, run[1] - run[0], 100 * with_it.own_s / with_it.seconds,
            busy[1] - busy[0], with_it.n_ios / with_it.seconds,
        )
    )  # fmt: skip


def test_it_takes_less_than_3_percent_of_the_processor(guest: vm.Guest) -> None:
    for rate in words(RATES[:-1]).split():
        without = total(guest, f"plain-{rate}", (1, 4))
        with_it = total(guest, f"plain-{rate}", (2, 3))
        more = with_it.run_s / with_it.seconds - without.run_s / without.seconds
        assert more < MOST_SHARE, rate


def test_it_takes_less_than_1_percent_itself_where_ios_are_counted(guest: vm.Guest) -> None:
    for rate in COUNTED:
        with_it = total(guest, f"plain-{rate}", (2, 3))
        assert with_it.own_s / with_it.seconds < MOST_OWN_SHARE, rate


def test_the_shares_of_the_processor_are_printed(guest: vm.Guest) -> None:
    print(f"\nLinux {guest.release}, % of one processor with 1e9 instructions a second:")
    print("     mode   rate  without     with   run +     own  busy +   I/Os a second")
    for mode, rates in (("plain", RATES), ("screen", SCREENED)):
        for rate in words(rates).split():
            print_shares(guest, mode, rate)


def test_a_load_within_the_limit_is_traced_whole(guest: vm.Guest) -> None:
    for rate in TRACED:
        for number in (2, 3):
            drive = watched(guest, rate, number)
            assert drive["uncovered_ns"] == drive["n_uncovered_ios"] == 0
            assert drive["n_lost"] == 0
            assert drive["n_ios"] >= rate * WINDOW_S


def test_above_the_limit_the_ios_are_counted_and_the_gap_is_told(guest: vm.Guest) -> None:
    for rate in COUNTED:
        for number in (2, 3):
            drive = watched(guest, rate, number)
            in_window = window(guest, f"plain-{rate}-{number}")
            assert drive["uncovered_ns"] >= in_window.seconds * 1e9
            assert drive["n_uncovered_ios"] >= in_window.n_ios


def test_each_io_is_either_traced_or_counted(guest: vm.Guest) -> None:
    for rate in STEADY:
        for number in (2, 3):
            drive = watched(guest, rate, number)
            n = drive["n_ios"] + drive["n_uncovered_ios"]
            seconds = (drive["now_ns"] - drive["start_ns"]) / 1e9
            assert drive["n_lost"] == 0
            assert n == pytest.approx(rate * seconds, rel=1e-3, abs=2)
