#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The closed loop in NumPy, as well as it can be done, against ours.

usage: numpy_sim.py BENCH_SIM

BENCH_SIM writes a trace, the policy and what it made of them, and how long it
took. The same numbers must come out here. Chunks fit the L2 cache; what depends
on the record before is a running maximum.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time

import numpy as np

LIMIT = 6.0
CHUNK = 16384
REPETITIONS = 3

IO = np.dtype(
    [("start", "u8"), ("offset", "u8"), ("bytes", "u4"), ("service", "u4")]
    + [("op", "u1"), ("flags", "u1"), ("reserved", "u1", 6)]
)


class Run:
    """What is counted of a chunk, and what goes on into the next one."""

    def __init__(self, steps: list[tuple[int, int, int]], start: int) -> None:
        # Of each class: from when on, its delay, whether idle time shortens it.
        self.bounds = np.array([t for step in steps for t in step[:2]], np.uint64)
        base = [0]
        for _, resident, leave in steps:
            base += [resident + leave, leave]
        self.base = np.array(base, np.uint64)
        self.mask = np.array([0] + [2**64 - 1, 0] * len(steps), np.uint64)
        self.until = np.uint64(start)
        # Of the period so far: its first start, completion, delay.
        self.first = self.least = np.uint64(start)
        self.delay = np.uint64(0)
        self.n = np.zeros(len(base), np.int64)
        self.ns = np.zeros(len(base), np.uint64)
        self.n_late = self.late_ns = 0
        self.busy = np.zeros(4)
        self.bytes = np.zeros(4)
        self.n_ios = np.zeros(4, np.int64)

    def feed(self, ios: np.ndarray) -> None:
        start = ios["start"]
        end = start + ios["service"]
        until = np.empty(len(ios) + 1, np.uint64)
        until[0] = self.until
        np.maximum(np.maximum.accumulate(end), self.until, out=until[1:])
        idle = start > until[:-1]
        op = ios["op"] - np.uint8(1)
        busy = until[1:] - np.maximum(until[:-1], start)
        self.busy += np.bincount(op, busy, 4)
        self.bytes += np.bincount(op, ios["bytes"], 4)
        self.n_ios += np.bincount(op, minlength=4)
        places = np.flatnonzero(idle)
        gaps = start[places] - until[places]
        classes = np.searchsorted(self.bounds, gaps, "right")
        counts = np.bincount(classes, minlength=len(self.n))
        self.n += counts
        for c in np.flatnonzero(counts):
            self.ns[c] += gaps[classes == c].sum()
        delays = self.base[classes] - (gaps & self.mask[classes])
        self.find_early(start, end, idle, places, delays)
        self.until = until[-1]

    def find_early(self, start, end, idle, places, delays) -> None:
        """I/Os that start before the first completion of their period."""
        firsts = np.concatenate(([self.first], start[places]))
        waits = np.concatenate(([self.delay], delays))
        leasts = np.concatenate(([self.least], end[places]))
        others = np.flatnonzero(~idle)
        if len(others):
            period = np.cumsum(idle)[others]
            # A running minimum that begins anew in each period: later periods
            # lie lower.
            floor = period.astype(np.int64) << 40
            after = (end[others] - firsts[period]).astype(np.int64) - floor
            before = np.minimum.accumulate(after)
            least = (leasts[period] - firsts[period]).astype(np.int64) - floor
            least[1:] = np.minimum(least[1:], before[:-1])
            offset = start[others] - firsts[period]
            early = offset.astype(np.int64) - floor < least
            early &= waits[period] > offset
            late = waits[period[early]] - offset[early]
            self.n_late += len(late)
            self.late_ns += int(late.sum())
            if period[-1] == len(places):
                end_of = np.uint64(before[-1] + floor[-1]) + firsts[-1]
                leasts[-1] = min(leasts[-1], end_of)
        self.first, self.least, self.delay = firsts[-1], leasts[-1], waits[-1]


def simulate(ios: np.ndarray, steps: list[tuple[int, int, int]]) -> Run:
    run = Run(steps, int(ios["start"][0]))
    for at in range(0, len(ios), CHUNK):
        run.feed(ios[at : at + CHUNK])
    return run


def numbers_of(run: Run) -> list[int]:
    n_delayed = int(run.n[1:].sum()) + run.n_late
    delays = sum(
        int(n) * int(base) - (int(ns) if mask else 0)
        for n, ns, base, mask in zip(run.n, run.ns, run.base, run.mask)
    )
    return [
        int(run.busy.sum()),
        *map(int, run.busy),
        *map(int, run.n_ios),
        *map(int, run.bytes),
        int(run.n.sum()),
        int(run.n[1:].sum()),
        n_delayed,
        delays + run.late_ns,
    ]


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        done = subprocess.run(
            [sys.argv[1], file.name], check=True, text=True, stdout=subprocess.PIPE
        )
        ios = np.fromfile(file.name, IO)
    lines = [list(map(int, line.split())) for line in done.stdout.splitlines()]
    (ours_ns,), expected, *steps = lines
    times = []
    for _ in range(REPETITIONS):
        begin = time.process_time_ns()
        run = simulate(ios, [tuple(step) for step in steps])
        times.append(time.process_time_ns() - begin)
        assert numbers_of(run) == expected, (numbers_of(run), expected)
    ratio = sorted(times)[REPETITIONS // 2] / ours_ns
    print(f"{len(ios)} records: NumPy {sorted(times)[1] / len(ios):.1f} ns each")
    print(f"bench numpy_vs_sim {ratio:.2f} >= {LIMIT}")
    sys.exit(ratio < LIMIT)


if __name__ == "__main__":
    main()
