#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What would help against slow, obvious simulations, on random drives and causes.

usage: help_differential.py OBSERVE_CASES [FIRST_SEED [N]]

The I/Os of a cause are moved by the rules of ssdpm_observe(3), Help, and the simulator
of sim_differential.py has them all again.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import dataclass, replace

sys.dont_write_bytecode = True
import observe_differential as observe  # noqa: E402
from observe_differential import Made, model, run  # noqa: E402

S, MS, US = 10**9, 10**6, 1000
MINUTE = 60 * S
N_CASES = observe.N_CASES // 2
PROCESSES, JOURNAL, WRITEBACK, ASKER = (0, 1, 2), 3, 4, 5
COMM = {0: "t0", 1: "t1", 2: "t2", JOURNAL: "jbd2/t3", WRITEBACK: "kworker/u8:1", ASKER: "t5"}
NAMES = {**COMM, WRITEBACK: "t4"}
FLUSH = 3


@dataclass(frozen=True)
class Asked:
    made: Made
    # When admin commands came.
    asked: tuple[int, ...]


def periodic(rng: random.Random, end: int, jitter: float) -> list[int]:
    step = rng.choice([2000, 5000, 7500, 10_000, 20_000, 31_000, 45_000, 70_000]) * MS
    times, now = [], rng.randrange(S, step + S + 1)
    while now < end:
        times.append(now + int(step * jitter * rng.uniform(-0.5, 0.5)))
        now += step
    return times


def make_case(seed: int) -> Asked:
    rng = random.Random(seed)
    case = observe.make_case(seed).case
    start = case.ios[0].start
    end = rng.choice([20, 100, 300]) * S
    causes = rng.sample(range(5), rng.choice([1, 2, 3, 5]))
    # The journal and who only reads, too: access times.
    only_reads = rng.random() < 0.3
    # A process is first, so that nothing that moves is.
    events: list[tuple[int, int, int]] = [(0, 0, 1)]
    for thread in causes:
        if thread in (*PROCESSES, WRITEBACK) and only_reads:
            op = 1
        else:
            op = 2 if thread in (JOURNAL, WRITEBACK) else rng.choice([1, 2])
        if thread == WRITEBACK and only_reads:
            continue
        for time in periodic(rng, end, rng.choice([0, 0.02, 0.3, 1.5])):
            for burst in range(rng.choice([1, 1, 1, 3])):
                events.append((time + burst * 3 * MS, thread, op))
            if op == 2 and thread != JOURNAL and rng.random() < 0.5:
                events.append((time + rng.choice([20, 300, 2000]) * MS, JOURNAL, 2))
    ios, parts = [], []
    for time, thread, op in sorted(events):
        size = 4096 * rng.choice([1, 3])
        service = US * rng.choice([1, 90, 3000, 60_000])
        at = start + max(time, 0) // US * US
        ios.append(model.IO(at, size, service, op, 0))
        split = [(thread, size)]
        if rng.random() < 0.1 and op == 2 and thread != WRITEBACK:
            split.append((JOURNAL, 16384))
            ios[-1] = replace(ios[-1], bytes=size + 16384)
        parts.append(split)
    asked = [
        start + max(time, 0) // US * US
        for time in periodic(rng, end, 0.1)
        if rng.random() < 0.9
    ]
    if rng.random() < 0.5:
        asked = []
    now = ios[-1].start + rng.choice([1, 5000]) * MS
    return Asked(
        Made(replace(case, ios=tuple(ios), end=now), parts),
        tuple(at for at in asked if at <= now),
    )


def write_case(made: Asked) -> str:
    first = made.made.case.ios[0].start
    dirty = "writeback_dirty_folio: bdi 259:0: ino=1 index=1"
    more = [(first, -1, "t4-7", dirty)]
    for time in made.asked:
        more.append((time, 10**6, "t5-7", "nvme_setup_cmd: nvme0: qid=0, cmdid=1, x"))
    return observe.write_case(made.made, COMM, more)


@dataclass
class Entry:
    io: model.IO
    cause: int
    mover: int


def entries_of(made: Made) -> list[Entry]:
    entries, data = [], None
    for io, parts in zip(made.case.ios, made.parts):
        sizes: Counter[int] = Counter()
        for thread, size in parts:
            sizes[thread] += size
        cause = max(sizes, key=lambda thread: sizes[thread])
        entry = Entry(io, cause, cause)
        if cause == JOURNAL and data and io.start - data.io.start <= S:
            entry.mover = data.cause
        if cause != JOURNAL and io.op == 2:
            data = entry
        entries.append(entry)
    return entries


def period_of(times: list[int]) -> int:
    bursts = [t for i, t in enumerate(times) if not i or t - times[i - 1] > 100 * MS]
    steps = sorted(b - a for a, b in zip(bursts, bursts[1:]))
    if len(bursts) < 5:
        return 0
    middle = steps[len(steps) // 2]
    near = [step for step in steps if abs(step - middle) <= middle // 8]
    return middle if 4 * len(near) >= 3 * len(steps) else 0


def together(entries: list[Entry], moves: list[bool], window: int) -> list[model.IO]:
    """Each goes to the first of its group, after the one before."""
    ios, first, end = [], -window, 0
    for entry, move in zip(entries, moves):
        io = entry.io
        if move and io.start - first >= window:
            first, end = io.start, io.start + io.service
        elif move:
            io = replace(io, start=min(io.start, end))
            end = max(end, io.start + io.service)
        ios.append(io)
    return ios


def after_others(entries: list[Entry], moves: list[bool]) -> list[model.IO]:
    ios, end = [], 0
    for k, (entry, move) in enumerate(zip(entries, moves)):
        io = entry.io
        later = [e.io.start for e in entries[k + 1 :] if e.mover != WRITEBACK]
        if move and later and later[0] - io.start <= MINUTE:
            io = replace(io, start=max(later[0], end))
            end = io.start + io.service
        ios.append(io)
    return ios


def results(made: Asked, ios: list[model.IO]) -> tuple[int, int]:
    case = made.made.case
    end = case.ios[0].start + run(case).duration
    drive = run(replace(case, ios=tuple(sorted(ios, key=lambda io: io.start)), end=end))
    return observe.energy_and_sleep(drive)[0], sum(drive.wakes.values())


def wanted(made: Asked, names: list[str]) -> list[list[int | str]]:
    entries = entries_of(made.made)
    plain = [entry.io for entry in entries]
    base, base_wakes = results(made, plain)
    found: list[list[int | str]] = []

    def add(kind: str, cause: int, period: int, interval: int, ios: list[model.IO]) -> None:
        energy, wakes = results(made, ios)
        high = max(base - energy, 0)
        low = 0 if kind == "noatime" else high
        found.append([kind, names.index(NAMES[cause]), period, interval, low, high, wakes])

    for cause in sorted({entry.cause for entry in entries}):
        moves = [entry.mover == cause for entry in entries]
        own = [
            entry.io.start
            for entry, move in zip(entries, moves)
            if move and entry.cause == cause
        ]
        period = period_of(own)
        if cause in PROCESSES and period:
            n = max(-(-MINUTE // period), 2)
            ios = together(entries, moves, n * period - period // 2)
            add("interval", cause, period, n * period, ios)
        elif cause in PROCESSES:
            writes = [move and e.io.op == 2 for e, move in zip(entries, moves)]
            add("batch", cause, 0, MINUTE, together(entries, writes, MINUTE))
        elif cause == WRITEBACK:
            ios = together(entries, moves, MINUTE)
            add("writeback-interval", cause, period, MINUTE, ios)
            add("laptop-mode", cause, period, MINUTE, after_others(entries, moves))
        else:
            ios = together(entries, moves, MINUTE)
            add("commit-interval", cause, period, MINUTE, ios)
            writers = {entry.cause for entry in entries if entry.io.op == 2}
            if writers == {JOURNAL}:
                left = [e.io for e, move in zip(entries, moves) if not move]
                add("noatime", cause, period, 0, left)
    asked = [model.IO(time, 0, 0, FLUSH, model.CONTINUED) for time in made.asked]
    first, last = plain[0].start, plain[0].start + run(made.made.case).duration
    asked = [io for io in asked if first <= io.start <= last]
    if asked:
        energy, _ = results(made, plain + asked)
        found.append(
            ["admin-interval", names.index(NAMES[ASKER]), period_of([io.start for io in asked]),
             0, 0, max(energy - base, 0), base_wakes]
        )  # fmt: skip
    kept = [help for help in found if help[5] and int(help[5]) >= base // 100]
    return sorted(kept, key=lambda help: (-int(help[5]), help[1]))


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    n = int(sys.argv[3]) if len(sys.argv) > 3 else N_CASES
    cases = {seed: make_case(seed) for seed in range(first, first + n)}
    read = observe.read_cases(sys.argv[1], [write_case(made) for made in cases.values()])
    kinds: Counter[str] = Counter()
    for (seed, made), (other, _, causes, helps) in zip(cases.items(), read):
        want = wanted(made, list(causes))
        # Of two that save the same, the library has its own order of kinds.
        if sorted(map(str, helps)) != sorted(map(str, want)) or [h[5] for h in helps] != [
            h[5] for h in want
        ]:
            sys.exit(f"seed {seed}: {helps}, {want} expected\n{made}")
        if observe.check_other(made.made, other):
            sys.exit(f"seed {seed}: {observe.check_other(made.made, other)}\n{made}")
        kinds.update(str(help[0]) for help in helps)
    # What is compared must be worth it.
    assert len(kinds) == 7 and min(kinds.values()) > n / 50, kinds
    print(f"{n} observations agree: {dict(kinds)}")


if __name__ == "__main__":
    main()
