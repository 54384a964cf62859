#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The simulator against a slow, obvious one, on random drives and traces.

usage: sim_differential.py SIM_CASES [FIRST_SEED [N]]

Every number of the nominal run must be the same, its intervals and changes, too. Where
all times are certain, low and high are the least and the most of each number;
otherwise they hold whatever is possible: all ends, and times drawn between them.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys

sys.dont_write_bytecode = True
import estimate_model as model  # noqa: E402

# As fixture_cases() has it.
N_CASES = 2500 // 4 if "SSDPM_FEW_CASES" in os.environ else 2500
NON_OPERATIONAL = 1
NVME, SATA = 1, 2
# enum ssdpm_lpm: what a drive that supports all goes through.
LPM = {2: (), 3: (1,), 4: (1, 2), 5: (1, 2, 3)}


def three(rng: random.Random, values: list[int], wide: bool) -> tuple[int, int, int]:
    if not wide:
        return (rng.choice(values),) * 3
    low, nominal, high = sorted(rng.choice(values) for _ in range(3))
    return low, nominal, high


def make_parameters(
    rng: random.Random, kind: int, flags: list[int]
) -> tuple[model.Parameter, ...]:
    """All that a drive has, sorted by kind and index."""
    sleeping = [i for i, flag in enumerate(flags) if flag]
    powers = [0, 1, 999, 5000, 80_000, 1_000_000, 2**32 - 1]
    latencies = [0, 1, 2, 50, 1000, 5000, rng.randrange(1, 40_000)]
    kinds = [
        (model.IDLE_POWER, range(len(flags)), powers),
        (model.ACTIVE_POWER, range(4), powers),
        (model.TRANSITION_POWER, [0], powers),
        (model.LINK_POWER, [0], powers[:4]),
        (model.ENTRY_LATENCY, sleeping, latencies),
        (model.EXIT_LATENCY, sleeping, latencies),
        (model.BASE_LATENCY, range(4), [0, 1, 700, 90_000, 2**32 - 1]),
        (model.BANDWIDTH, range(4), [0]),
        (model.OPERATION_ENERGY, range(4), [0, 1, 333, 10**6]),
        (model.BYTE_ENERGY, range(4), [0, 1, 77]),
    ]
    if kind == SATA:
        kinds.append((model.LINK_IDLE_TIME, sleeping, latencies))
    kinds.append((model.BACKGROUND_TIME, [0], [0, 0, 1, 5000, 10**6, 2**32 - 1]))
    axes = {axis for axis in range(1, 8) if rng.random() < rng.choice([0, 0.2, 0.4])}
    parameters = []
    for number, indices, values in kinds:
        for index in indices:
            p = model.Parameter(number, index, rng.randrange(1, 6), 0, 0, 0)
            wide = model.axis_of(p, 0) in axes
            if number == model.BANDWIDTH and rng.random() < 0.8:
                values = [1, 1_000_000, 3 * 10**9, 10**15]
            low, nominal, high = three(rng, values, wide)
            parameters.append(
                model.Parameter(number, index, p.provenance, low, nominal, high)
            )
    return tuple(parameters)


def make_table(rng: random.Random, flags: list[int], operational: int) -> list:
    """A chain, as long as there are states."""
    table: list[tuple[int, int] | None] = [None] * model.MAX_STATES
    sleeping = [i for i, flag in enumerate(flags) if flag and i > operational]
    rng.shuffle(sleeping)
    state = operational
    for target in sorted(sleeping[: rng.choice([0, 1, 2, 2, 3, 31])]):
        table[state] = (rng.choice([1, 2, 5, 100, rng.randrange(1, 50)]), target)
        state = target
    return table


def edges_of(case: model.Case) -> list[int]:
    """Idle times at which something changes, at each corner."""
    edges = {1}
    for side in ("nominal", "low", "high"):
        values = model.values_at(case, {5: side, 7: side})
        for step in model.chain_of(case, values):
            for edge in (step.at, step.resident, step.resident + step.exit):
                edges |= {edge - 1, edge, edge + 1}
    return sorted(edge for edge in edges if edge > 0)


def make_ios(rng: random.Random, edges: list[int], unknown: float) -> list[model.IO]:
    """Idle times on and beside the edges; I/Os that overlap, and that do not."""
    n = rng.choice([1, 2, 3, 10, 40])
    start = rng.choice([0, 0, 10**9, 2**63, 2**64 - 1 - rng.randrange(2**34)])
    busy_until = start
    ios: list[model.IO] = []
    for _ in range(n):
        how = rng.random()
        if how < 0.45 and ios:
            gap = rng.choice([*edges, rng.randrange(1, 2 * edges[-1] + 2)])
            start = max(start, busy_until) + gap
        elif how < 0.6:
            start = max(start, busy_until)
        elif how < 0.8:
            start += rng.choice([0, 1, 1000, rng.randrange(1, edges[-1] + 2)])
        service = rng.choice([0, 1, 2000, 90_000, 5_000_000, rng.randrange(2**31)])
        if rng.random() < unknown:
            service = model.UNKNOWN_SERVICE
        size = rng.choice([0, 512, 4096, 2**20, 2**32 - 1])
        continued = model.CONTINUED if rng.random() < 0.1 else 0
        io = model.IO(start, size, service, rng.randrange(1, 5), continued)
        if io.start > model.MAX:
            break
        ios.append(io)
        if service != model.UNKNOWN_SERVICE:
            busy_until = max(busy_until, start + service)
    return ios


def interval_of(rng: random.Random, case: model.Case) -> int:
    """So long that there are not too many."""
    try:
        run = model.Drive(case, model.values_at(case, {}))
    except model.Beyond:
        return 0
    return rng.randrange(run.duration // 50 + 1, run.duration + 2)


def make_case(seed: int) -> tuple[model.Case, int, list[int], int, int]:
    rng = random.Random(seed)
    kind = SATA if rng.random() < 0.25 else NVME
    lpm = 0
    if kind == SATA:
        flags = [0, 1, 1, 1]
        lpm = rng.choice(list(LPM))
        operational = 0
    else:
        n_operational = rng.choice([1, 1, 1, 3])
        n_sleeping = rng.choice([0, 1, 2, 2, 3, 32 - n_operational])
        flags = [0] * n_operational + [NON_OPERATIONAL] * n_sleeping
        operational = rng.randrange(n_operational)
    table = [None] * model.MAX_STATES
    if kind == NVME:
        table = make_table(rng, flags, operational)
    case = model.Case(
        parameters=make_parameters(rng, kind, flags),
        table=tuple(table),
        links=LPM.get(lpm, ()),
        operational=operational,
        loop=rng.choice([model.CLOSED, model.OPEN]),
        flags=rng.choice([0, model.IDLE_FROM_START]) if kind == NVME else 0,
        interval=0,
        end=0,
        ios=(),
    )
    edges = edges_of(case)
    ios = make_ios(rng, edges, rng.choice([0, 0, 0.3, 1]))
    last = max(io.start + io.service % model.UNKNOWN_SERVICE for io in ios)
    end = rng.choice([0, 0, last + rng.choice(edges), last, model.MAX])
    case = model.dataclasses.replace(case, ios=tuple(ios), end=min(end, model.MAX))
    if rng.random() < 0.3:
        interval = interval_of(rng, case)
        case = model.dataclasses.replace(case, interval=interval)
    piece = rng.choice([0, 1, 3, 1000])
    return case, kind, flags, lpm, piece


def write_case(made: tuple[model.Case, int, list[int], int, int]) -> str:
    case, kind, flags, lpm, piece = made
    numbers: list[int] = [kind, len(flags), *flags, len(case.parameters)]
    for p in case.parameters:
        numbers += [p.kind, p.index, p.provenance, p.low, p.nominal, p.high]
    for entry in case.table:
        numbers += entry or (0, 0)
    numbers += [lpm, case.operational, case.loop, case.flags, case.interval]
    numbers += [case.end, piece, len(case.ios)]
    for io in case.ios:
        numbers += [io.start, io.bytes, io.service, io.op, io.flags]
    return " ".join(map(str, numbers))


TIMES = {5, 6, 7}
ERANGE = 34
# Of struct ssdpm_run: percentiles, which are known to 1/128.
PERCENTILES = (28, 29, 30)


def differences(name: str, got: list[int], want: list[int]) -> list[str]:
    if len(got) != len(want):
        return [f"{name}: {len(got)} numbers, {len(want)} expected"]
    return [
        f"{name}: number {i} is {a}, {b} expected"
        for i, (a, b) in enumerate(zip(got, want))
        if a != b
    ][:9]


def outside(low: list[int], high: list[int], run: list[int]) -> list[str]:
    """Numbers of a possible run that the ends do not hold."""
    found = []
    for i, number in enumerate(run):
        slack = number // 128 + 1 if i in PERCENTILES else 0
        if not low[i] - slack <= number <= high[i] + slack:
            found.append(f"number {i}: {number} is not in {low[i]}..{high[i]}")
    return found[:9]


def check_axes(want: dict, got: list[int]) -> list[str]:
    """What each axis does alone: of powers the ends themselves."""
    axes = want["axes"]
    bits = sum(1 << (axis - 1) for axis in axes)
    found = differences(
        "rest", got[:3], [want["assumed"], bits, want["loose"]]
    )
    lows, highs = got[4:11], got[11:18]
    for axis in range(1, model.N_AXES + 1):
        low, high = want["axis_lows"][axis - 1], want["axis_highs"][axis - 1]
        exact = axis not in TIMES or axis not in axes
        if exact:
            found += differences(f"axis {axis}", [lows[axis - 1], highs[axis - 1]], [low, high])
        elif lows[axis - 1] > low or highs[axis - 1] < high:
            found.append(f"axis {axis}: does not hold {low}..{high}")
    widths = [high - low for low, high in zip(lows, highs)]
    widest = widths.index(max(widths)) + 1 if max(widths) else 0
    return found + differences("widest", [got[3]], [widest])


def check(made: tuple[model.Case, int, list[int], int, int], want: dict,
          lines: list[list[int]]) -> list[str]:
    low, high = lines[2], lines[3]
    runs = want["runs"]
    found = differences("nominal", lines[1], want["nominal"])
    if set(want["axes"]) & TIMES:
        for run in runs:
            found += outside(low, high, run)
    else:
        found += differences("low", low, [min(column) for column in zip(*runs)])
        found += differences("high", high, [max(column) for column in zip(*runs)])
    found += check_axes(want, lines[4])
    flat = [number for interval in want["intervals"] for number in interval]
    found += differences("intervals", lines[5], flat)
    changes = [number for change in want["changes"] for number in change]
    return found + differences("changes", lines[6], changes if made[4] else [])


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    n = int(sys.argv[3]) if len(sys.argv) > 3 else N_CASES
    cases = {seed: make_case(seed) for seed in range(first, first + n)}
    text = "\n".join([str(n), *map(write_case, cases.values())])
    done = subprocess.run(
        [sys.argv[1]], input=text, text=True, check=True, stdout=subprocess.PIPE
    )
    lines = iter(done.stdout.splitlines())
    beyond = slept = loose = enclosed = 0
    for seed, made in cases.items():
        code = int(next(lines))
        got = [[code]]
        if code == 0:
            got += [[int(word) for word in next(lines).split()] for _ in range(6)]
        beyond += code == ERANGE
        try:
            want = model.estimate(made[0])
        except model.Beyond:
            if code != ERANGE:
                sys.exit(f"seed {seed}: code {code}, but it is beyond 64 bits\n{made[0]}")
            continue
        if code == ERANGE:
            # What encloses is more than what is possible.
            loose += 1
            if not set(want["axes"]) & TIMES:
                sys.exit(f"seed {seed}: nothing is beyond 64 bits\n{made[0]}")
            continue
        found = check(made, want, got)
        if found:
            sys.exit("\n".join([f"seed {seed}:", *found, str(made[0])]))
        slept += want["nominal"][21] > 0
        enclosed += bool(set(want["axes"]) & TIMES)
    # What is compared must be worth it.
    assert beyond < n / 3 and loose < n / 50, (beyond, loose)
    assert slept > n / 4 and enclosed > n / 8, (slept, enclosed)
    print(
        f"{n} cases agree, {beyond} of them beyond 64 bits, {slept} slept, "
        f"{enclosed} have times that are not certain"
    )


if __name__ == "__main__":
    main()
