#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shares of causes against slow, obvious ones, on random drives and lines of events.

usage: observe_differential.py OBSERVE_CASES [FIRST_SEED [N]]

The simulator of sim_differential.py gives stretches of time. Each is given to a cause by
the rules of ssdpm_observe(3), and added up. Recorded service times have the wake-up in
them, as those of a real drive do.
"""

from __future__ import annotations

import os
import pathlib
import random
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, replace
from typing import Union

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "estimate"))
import estimate_model as model  # noqa: E402

N_CASES = 400 // 4 if "SSDPM_FEW_CASES" in os.environ else 400
US, MS = 1000, 10**6
OPS = {1: "R", 2: "W"}
REST = None


@dataclass(frozen=True)
class Made:
    case: model.Case
    # Of each I/O: the bytes of each thread, in the order of their sectors.
    parts: list[list[tuple[int, int]]]


def make_case(seed: int) -> Made:
    rng = random.Random(seed)
    values = {
        (kind, index): rng.choice(choices)
        for kind, indices, choices in [
            (model.ACTIVE_POWER, range(4), [3_000_000, 4_000_001, 7_654_321]),
            (model.TRANSITION_POWER, [0], [0, 1_234_567, 2_000_000]),
            (model.LINK_POWER, [0], [0, 1000]),
            (model.ENTRY_LATENCY, [1, 2], [0, 50, 1000, 5000, 40_000]),
            (model.EXIT_LATENCY, [1, 2], [0, 50, 1000, 9000, 90_000]),
            (model.BASE_LATENCY, range(4), [0, 700, 1000]),
            (model.BANDWIDTH, range(4), [0]),
            (model.OPERATION_ENERGY, range(4), [0, 333, 10**5]),
            (model.BYTE_ENERGY, range(4), [0, 77]),
            (model.BACKGROUND_TIME, [0], [0]),
        ]
        for index in indices
    }
    for state, power in enumerate([1_000_000, 123_456, 5001]):
        values[model.IDLE_POWER, state] = power
    table: list[tuple[int, int] | None] = [None] * model.MAX_STATES
    for state in range(rng.choice([0, 1, 2, 2])):
        table[state] = (rng.choice([1, 10, 100]), state + 1)
    ios, parts, now = [], [], 10**9
    for _ in range(rng.choice([1, 2, 10, 60])):
        now += US * rng.choice([0, 1, 300, 5000, 30_000, rng.randrange(400_000)])
        split = [(rng.randrange(5), 4096 * rng.choice([1, 1, 3]))]
        if rng.random() < 0.3:
            split.append(((split[0][0] + 1) % 5, 8192))
        service = US * rng.choice([1, 90, 3000, 60_000])
        size = sum(n for _, n in split)
        ios.append(model.IO(now, size, service, rng.choice(list(OPS)), 0))
        parts.append(split)
    case = model.Case(
        parameters=tuple(
            model.Parameter(kind, index, 3, value, value, value)
            for (kind, index), value in sorted(values.items())
        ),
        table=tuple(table), links=(), operational=0, loop=model.OPEN, flags=0,
        interval=0, end=now + rng.choice([1, 500]) * MS, ios=tuple(ios),
    )  # fmt: skip
    return Made(case, parts)


def other_table(case: model.Case) -> tuple[tuple[int, int] | None, ...]:
    """Another policy for the drive: an observation under it reads the recording."""
    rng = random.Random(case.end)
    table: list[tuple[int, int] | None] = [None] * model.MAX_STATES
    for state in range(rng.choice([0, 1, 2, 2])):
        table[state] = (rng.choice([1, 20, 300]), state + 1)
    return tuple(table)


def answered(case: model.Case, ends: list[int], waits: list[int]) -> model.Case:
    """Under another policy: what comes soon after the recorded end of an I/O that
    waited for the drive is as late after its end there."""
    ios: list[model.IO] = []
    late = since = until = 0
    for io, end, wait in zip(case.ios, ends, waits):
        if io.start > until + 10 * MS:
            late = since = 0
        is_answer = io.start >= since
        start = io.start + (late if is_answer else 0)
        ios.append(replace(io, start=max(start, ios[-1].start if ios else 0)))
        until = max(until, end)
        delay = run(replace(case, ios=tuple(ios))).delays[-1]
        if is_answer and (delay or wait):
            since, late = end, late + delay - wait
    return replace(case, ios=tuple(ios))


def check_other(made: Made, other: list[int]) -> list[str]:
    """Recorded under one policy, predicted for another: as if recorded under that."""
    case, waits = made.case, run(made.case).delays
    # The recording ends with its last line.
    ends = [io.start + d + io.service for io, d in zip(case.ios, waits)]
    other_case = replace(case, table=other_table(case), end=max(case.end, *ends))
    drive = run(answered(other_case, ends, waits))
    want = [*energy_and_sleep(drive), sum(drive.wakes.values())]
    want += [io.service for io in case.ios]
    return [] if other == want else [f"under another policy {other}, {want} expected"]


def run(case: model.Case) -> model.Drive:
    return model.Drive(case, model.values_at(case, {}))


Event = tuple[int, int, str, str]


def write_lines(made: Made, comm: dict[int, str], more: list[Event]) -> str:
    """With more events; comm: the names of threads."""
    events = list(more)
    for k, (io, delay) in enumerate(zip(made.case.ios, run(made.case).delays)):
        rwbs, sector, at = OPS[io.op], 1000 * k, 1000 * k
        for thread, size in made.parts[k]:
            place = f"259,0 {rwbs} {at} + {size // 512} [x]"
            events.append((io.start, k, f"{comm[thread]}-7", f"block_bio_queue: {place}"))
            at += size // 512
        place = f"{sector} + {io.bytes // 512}"
        issue = f"block_rq_issue: 259,0 {rwbs} {io.bytes} () {place} [x]"
        events.append((io.start, k, "kworker/0:1H-9", issue))
        done = f"block_rq_complete: 259,0 {rwbs} () {place} [0]"
        events.append((io.start + delay + io.service, k, "<idle>-0", done))
    events.sort(key=lambda event: event[:2])
    return "".join(
        f"{thread} [000] d. {ns // 10**9}.{ns % 10**9 // US:06}: {event}\n"
        for ns, _, thread, event in events
    )


COMM = {thread: f"t{thread}" for thread in range(5)}


def write_case(
    made: Made, comm: dict[int, str] = COMM, more: list[Event] | None = None
) -> str:
    case, lines = made.case, write_lines(made, comm, more or [])
    numbers = [len(case.parameters)]
    for p in case.parameters:
        numbers += [p.kind, p.index, p.nominal]
    for entry in case.table[:2] + other_table(case)[:2]:
        numbers += entry or (0, 0)
    numbers += [case.end, len(lines)]
    return " ".join(map(str, numbers)) + "\n" + lines


def shares(made: Made) -> tuple[Counter[int | None], Counter[int]]:
    """fJ, and wake-ups, of each thread."""
    drive = run(made.case)
    energy: Counter[int | None] = Counter()
    wakes: Counter[int] = Counter()
    last, k = made.parts[0], 0

    def charge(fj: int, parts: list[tuple[int, int]]) -> None:
        total, rest = sum(size for _, size in parts), fj
        for thread, size in parts[:-1]:
            energy[thread] += fj * size // total
            rest -= fj * size // total
        energy[parts[-1][0]] += rest

    for stretch in drive.stretches:
        fj = stretch.ns * drive.power(stretch)
        own = made.parts[min(k, len(made.parts) - 1)]
        if stretch.phase == model.BUSY:
            charge(fj, own)
            charge(drive.extra(made.case.ios[k]), own)
            last = own if stretch.ns else last
            k += 1
        elif stretch.phase == model.EXIT:
            charge(fj, own)
            wakes[max(own, key=lambda part: part[1])[0]] += 1
        elif stretch.phase == model.RESIDENT or not drive.steps:
            energy[REST] += fj
        else:
            charge(fj, last)
    return energy, wakes


def without(made: Made, thread: int) -> list[int] | None:
    """Of a run without it; None: that would begin later."""
    ios = []
    for io, parts in zip(made.case.ios, made.parts):
        size = sum(n for other, n in parts if other != thread)
        ios += [replace(io, bytes=size)] if size else []
    if not ios or ios[0].start != made.case.ios[0].start:
        return None
    # Both runs end when the drive was busy last, if that is after the end.
    end = ios[0].start + run(made.case).duration
    drive = run(replace(made.case, ios=tuple(ios), end=end))
    return [*energy_and_sleep(drive), sum(drive.wakes.values())]


def energy_and_sleep(drive: model.Drive) -> list[int]:
    fj = drive.energy(model.BUSY, model.IDLE, model.ENTRY, model.RESIDENT, model.EXIT)
    fj += sum(map(drive.extra, drive.case.ios))
    return [model.nearest(fj, 10**6), drive.time(model.RESIDENT)]


def check(made: Made, numbers: list[int], causes: dict[str, list[int]]) -> list[str]:
    drive, (energy, wakes) = run(made.case), shares(made)
    nj, asleep = energy_and_sleep(drive)
    want = [
        len(causes), drive.time(model.BUSY), drive.time(model.IDLE), asleep,
        drive.time(model.ENTRY, model.EXIT), sum(drive.wakes.values()),
        sum(delay > 0 for delay in drive.delays), sum(drive.delays), nj,
        model.nearest(energy[REST], 10**6),
    ]  # fmt: skip
    found = [] if numbers == want else [f"drive: {numbers}, {want} expected"]
    if numbers[8] != numbers[9] + sum(cause[3] for cause in causes.values()):
        found.append("shares are not all")
    flat = [(k, *part) for k, parts in enumerate(made.parts) for part in parts]
    if sorted(causes) != sorted({f"t{thread}" for _, thread, _ in flat}):
        found.append(f"causes are {sorted(causes)}")
    for name, (_, n_bytes, n_wakes, share, *less) in causes.items():
        thread = int(name[1:])
        if n_bytes != sum(size for _, other, size in flat if other == thread):
            found.append(f"{name}: {n_bytes} bytes")
        if n_wakes != wakes[thread]:
            found.append(f"{name}: {n_wakes} wakes, {wakes[thread]} expected")
        # Each is rounded so that the sum is right.
        if abs(share - energy[thread] / 10**6) > 1:
            found.append(f"{name}: {share} nJ, {energy[thread] / 10**6} expected")
        if without(made, thread) not in (None, less):
            found.append(f"{name}: without {less}, {without(made, thread)} expected")
    return found


Causes = dict[str, list[int]]
Helps = list[list[Union[int, str]]]


def read_cases(
    program: str, cases: list[str]
) -> list[tuple[list[int], list[int], Causes, Helps]]:
    """What the library says of each: of another policy, of the drive, its causes by
    name, what would help."""
    text = "\n".join([str(len(cases)), *cases])
    done = subprocess.run(
        [program], input=text, text=True, check=True, stdout=subprocess.PIPE
    )
    lines = iter(done.stdout.splitlines())
    found = []
    for _ in cases:
        other = [int(word) for word in next(lines).split()]
        numbers = [int(word) for word in next(lines).split()]
        rows = [next(lines).split() for _ in range(numbers[0])]
        causes = {name: [int(word) for word in words] for name, *words in rows}
        helps: Helps = []
        for _ in range(int(next(lines))):
            kind, *words = next(lines).split()
            helps.append([kind, *map(int, words)])
        found.append((other, numbers, causes, helps))
    return found


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    n = int(sys.argv[3]) if len(sys.argv) > 3 else N_CASES
    cases = {seed: make_case(seed) for seed in range(first, first + n)}
    read = read_cases(sys.argv[1], [write_case(made) for made in cases.values()])
    woken = 0
    for (seed, made), (other, numbers, causes, _) in zip(cases.items(), read):
        found = check(made, numbers, causes) + check_other(made, other)
        if found:
            sys.exit("\n".join([f"seed {seed}:", *found, str(made)]))
        woken += numbers[5] > 0
    # What is compared must be worth it.
    assert woken > n / 4, woken
    print(f"{n} observations agree, {woken} of them with wake-ups")


if __name__ == "__main__":
    main()
