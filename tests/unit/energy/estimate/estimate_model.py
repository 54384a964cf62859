# SPDX-License-Identifier: MIT
"""A slow, obvious simulator: what ssdpm(7) says, event by event, in plain ints.

It is what the fast one is held against. A run is a list of stretches of time,
one after the other; every number is then added up from that list. Nothing here
is shared with the library, and nothing is clever.
"""

from __future__ import annotations

import dataclasses
import itertools
import random

MAX = 2**64 - 1
N_OPS = 4
MAX_STATES = 32
UNKNOWN_SERVICE = 2**32 - 1
CONTINUED = 1

BUSY, IDLE, ENTRY, RESIDENT, EXIT, END = 1, 2, 3, 4, 5, 6
CLOSED, OPEN = 1, 2
IDLE_FROM_START = 1
ASSUMED = 4

# Kinds of parameters.
IDLE_POWER, ACTIVE_POWER, TRANSITION_POWER, LINK_POWER = 1, 2, 3, 4
ENTRY_LATENCY, EXIT_LATENCY, BASE_LATENCY, BANDWIDTH = 5, 6, 7, 8
OPERATION_ENERGY, BYTE_ENERGY, LINK_IDLE_TIME, BACKGROUND_TIME = 9, 10, 11, 12
POWERS = {IDLE_POWER, ACTIVE_POWER, TRANSITION_POWER, LINK_POWER} | {
    OPERATION_ENERGY, BYTE_ENERGY
}  # fmt: skip

N_AXES = 7


class Beyond(Exception):
    """A number that does not fit 64 bits: -ERANGE."""


@dataclasses.dataclass(frozen=True)
class IO:
    start: int
    bytes: int
    service: int
    op: int
    flags: int


@dataclasses.dataclass(frozen=True)
class Parameter:
    kind: int
    index: int
    provenance: int
    low: int
    nominal: int
    high: int


@dataclasses.dataclass(frozen=True)
class Case:
    parameters: tuple[Parameter, ...]
    # From each state: idle_ms and target, or None. NVMe.
    table: tuple[tuple[int, int] | None, ...]
    # The states that a SATA link goes through.
    links: tuple[int, ...]
    operational: int
    loop: int
    flags: int
    interval: int
    end: int
    ios: tuple[IO, ...]


def fit(number: int) -> int:
    if number > MAX:
        raise Beyond
    return number


def nearest(a: int, b: int) -> int:
    return (2 * a + b) // (2 * b)


def axis_of(parameter: Parameter, operational: int) -> int:
    if parameter.kind == IDLE_POWER:
        return 1 if parameter.index == operational else 2
    return {
        LINK_POWER: 2,
        ACTIVE_POWER: 3, OPERATION_ENERGY: 3, BYTE_ENERGY: 3, BACKGROUND_TIME: 3,
        TRANSITION_POWER: 4,
        ENTRY_LATENCY: 5, EXIT_LATENCY: 5,
        BASE_LATENCY: 6, BANDWIDTH: 6,
        LINK_IDLE_TIME: 7,
    }[parameter.kind]  # fmt: skip


def values_at(case: Case, corner: dict[int, str]) -> dict[tuple[int, int], int]:
    """(kind, index) -> value; corner: axis -> low, high; others are nominal."""
    values = {}
    for p in case.parameters:
        side = corner.get(axis_of(p, case.operational), "nominal")
        if p.kind == BANDWIDTH and side != "nominal":
            side = "high" if side == "low" else "low"  # low: a quick drive
        values[p.kind, p.index] = getattr(p, side)
    return values


@dataclasses.dataclass
class Step:
    state: int
    at: int
    resident: int
    exit: int


def chain_of(case: Case, values: dict[tuple[int, int], int]) -> list[Step]:
    steps: list[Step] = []

    def add(state: int, at: int) -> None:
        entry = 1000 * values[ENTRY_LATENCY, state]
        leave = 1000 * values[EXIT_LATENCY, state]
        steps.append(Step(state, at, at + entry, leave))

    for state in case.links:
        before = steps[-1].resident if steps else 0
        add(state, before + 1000 * values[LINK_IDLE_TIME, state])
    state = case.operational
    while not case.links and case.table[state]:
        idle_ms, target = case.table[state]
        before = steps[-1].resident if steps else 0
        if case.flags & IDLE_FROM_START:
            add(target, max(before, idle_ms * 1_000_000))
        else:
            add(target, before + idle_ms * 1_000_000)
        state = target
    return steps


@dataclasses.dataclass
class Stretch:
    phase: int
    state: int
    ns: int
    op: int = 0  # of a busy one


class Drive:
    """One run at one corner."""

    def __init__(self, case: Case, values: dict[tuple[int, int], int]) -> None:
        self.case = case
        self.values = values
        self.steps = chain_of(case, values)
        self.stretches: list[Stretch] = []
        self.delays: list[int] = []
        # When a record is taken up, counted from the start; it; its delay.
        self.begins: list[tuple[int, IO, int]] = []
        self.entries = dict.fromkeys(range(MAX_STATES), 0)
        self.wakes = dict.fromkeys(range(MAX_STATES), 0)
        self.gaps = 0
        self.channel = 0
        self.run()

    def spend(self, phase: int, state: int, ns: int, op: int = 0) -> None:
        assert ns >= 0
        self.stretches.append(Stretch(phase, state, ns, op))

    def idle(self, gap: int, wakes: bool) -> int:
        """An idle time; returns by how much the I/O at its end is delayed."""
        operational = self.case.operational
        reached = [step for step in self.steps if gap >= step.at]
        if not reached:
            self.spend(IDLE, operational, gap)
            return 0
        self.spend(IDLE, operational, reached[0].at)
        for i, step in enumerate(reached):
            self.entries[step.state] += 1
            last = i == len(reached) - 1
            if last and gap < step.resident and not wakes:
                self.spend(ENTRY, step.state, gap - step.at)
                return 0
            self.spend(ENTRY, step.state, step.resident - step.at)
            until = max(gap, step.resident) if last else reached[i + 1].at
            self.spend(RESIDENT, step.state, until - step.resident)
        if not wakes:
            return 0
        last_step = reached[-1]
        self.wakes[last_step.state] += 1
        self.spend(EXIT, last_step.state, last_step.exit)
        return max(0, last_step.resident - gap) + last_step.exit

    def complete(self, io: IO, begin: int) -> int:
        if io.service != UNKNOWN_SERVICE:
            return fit(begin + io.service)
        ready = fit(begin + self.values[BASE_LATENCY, io.op - 1])
        bandwidth = self.values[BANDWIDTH, io.op - 1]
        transfer = io.bytes * 10**9 // bandwidth if bandwidth else 0
        self.channel = fit(max(ready, self.channel) + transfer)
        return self.channel

    def run(self) -> None:
        case = self.case
        origin = until = case.ios[0].start
        wake = 0  # how long the drive took to wake for this busy period
        first = ready = origin
        completions: list[int] = []  # of this busy period
        shift = 0  # closed: by how much everything has moved
        for io in case.ios:
            delay = 0
            if io.start > until:
                self.gaps += 1
                delay = wake = self.idle(io.start - until, True)
                first = io.start
                completions = []
                if case.loop == OPEN:
                    until = ready = fit(io.start + wake)
                else:
                    until = io.start
                    shift += wake
            elif all(io.start < completion for completion in completions):
                delay = max(0, wake - (io.start - first))
            if case.loop == OPEN:
                begin = max(io.start, ready)
                delay = begin - io.start
            else:
                begin = io.start
            end = self.complete(io, begin)
            completions.append(end)
            busy = max(until, end) - max(until, begin)
            until = max(until, end)
            self.spend(BUSY, case.operational, busy, io.op)
            self.begins.append((begin - origin + shift, io, delay))
            if not io.flags & CONTINUED:
                self.delays.append(delay)
        if case.end > until:
            self.idle(case.end - until, False)
        self.duration = sum(stretch.ns for stretch in self.stretches)
        fit(origin + self.duration)

    def power(self, stretch: Stretch) -> int:
        values = self.values
        if stretch.phase == BUSY:
            return values[ACTIVE_POWER, stretch.op - 1]
        if stretch.phase == IDLE:
            return values[IDLE_POWER, stretch.state]
        if stretch.phase == RESIDENT:
            return values[IDLE_POWER, stretch.state] + values[LINK_POWER, 0]
        return values[TRANSITION_POWER, 0]

    def extra(self, io: IO) -> int:
        """fJ of an I/O and its bytes."""
        energy = io.bytes * self.values[BYTE_ENERGY, io.op - 1] * 1000
        if not io.flags & CONTINUED:
            energy += self.values[OPERATION_ENERGY, io.op - 1] * 10**6
        return energy

    def time(self, *phases: int, state: int | None = None) -> int:
        return sum(
            stretch.ns
            for stretch in self.stretches
            if stretch.phase in phases and state in (None, stretch.state)
        )

    def energy(self, *phases: int, state: int | None = None) -> int:
        return sum(
            stretch.ns * self.power(stretch)
            for stretch in self.stretches
            if stretch.phase in phases and state in (None, stretch.state)
        )

    def quantile(self, numerator: int, denominator: int) -> int:
        """Nearest rank; the largest value of the bucket that holds it."""
        ordered = sorted(self.delays)
        if not ordered:
            return 0
        rank = max(1, -(-len(ordered) * numerator // denominator))
        bucket = bucket_of(ordered[rank - 1])
        return max(delay for delay in ordered if bucket_of(delay) == bucket)

    def mean_power(self, fj: int, background: int) -> int:
        """uW; a drive that has to work longer than it is idle never sleeps."""
        busy = self.time(BUSY)
        if busy + background > self.duration:
            fj = self.energy(BUSY) + sum(self.extra(io) for io in self.case.ios)
            fj += background * self.values[IDLE_POWER, self.case.operational]
            return nearest(fj, fit(busy + background))
        return nearest(fj, self.duration) if self.duration else 0

    def members(self) -> list[int]:
        """struct ssdpm_run, member by member."""
        fj = self.energy(BUSY, IDLE, ENTRY, RESIDENT, EXIT)
        fj += sum(self.extra(io) for io in self.case.ios)
        written = sum(io.bytes for io in self.case.ios if io.op == 2)
        background = fit(written * self.values[BACKGROUND_TIME, 0] // 1000)
        ops = range(1, N_OPS + 1)
        deepest = self.entries[self.steps[-1].state] if self.steps else 0
        delayed = sum(delay > 0 for delay in self.delays)
        day = 86400 * 10**9

        def ratio(a: int, b: int) -> int:
            return nearest(a, b) if b else 0

        members = [
            self.duration,
            self.time(BUSY),
            self.time(IDLE, RESIDENT),
            self.time(ENTRY),
            self.time(EXIT),
            nearest(fj, 10**6),
            nearest(self.energy(ENTRY, EXIT), 10**6),
            self.mean_power(fj, background),
        ]
        for op in ops:
            busy = [s.ns for s in self.stretches if s.phase == BUSY and s.op == op]
            members.append(sum(busy))
        for op in ops:
            ios = [io for io in self.case.ios if io.op == op]
            members.append(sum(not io.flags & CONTINUED for io in ios))
        for op in ops:
            members.append(sum(io.bytes for io in self.case.ios if io.op == op))
        members += [
            self.gaps,
            sum(self.wakes.values()),
            deepest,
            ratio(deepest * day, self.duration),
            delayed,
            sum(self.delays),
            ratio(sum(self.delays), len(self.delays)),
            ratio(sum(self.delays), delayed),
            self.quantile(1, 2),
            self.quantile(99, 100),
            self.quantile(999, 1000),
            max(self.delays, default=0),
            background,
        ]
        for state in range(MAX_STATES):
            energy = self.energy(IDLE, ENTRY, RESIDENT, EXIT, state=state)
            members += [
                self.time(IDLE, RESIDENT, state=state),
                self.time(ENTRY, state=state),
                self.time(EXIT, state=state),
                nearest(energy, 10**6),
                self.entries[state],
                self.wakes[state],
            ]
        return [fit(member) for member in members]

    def changes(self) -> list[tuple[int, int, int]]:
        """Time, phase and state of each change."""
        time = self.case.ios[0].start
        changes: list[tuple[int, int, int]] = []
        for stretch in self.stretches:
            if not stretch.ns:
                continue
            if not changes or changes[-1][1:] != (stretch.phase, stretch.state):
                changes.append((time, stretch.phase, stretch.state))
            time += stretch.ns
        changes.append((time, END, self.case.operational))
        return changes

    def intervals(self) -> list[list[int]]:
        """struct ssdpm_interval, member by member."""
        length = self.case.interval
        if not length:
            return []
        found: dict[int, list[int]] = {}

        def at(time: int) -> list[int]:
            return found.setdefault(time // length, [0] * 7)

        time = 0
        member = {BUSY: 1, IDLE: 2, RESIDENT: 3, ENTRY: 4, EXIT: 4}
        for stretch in self.stretches:
            left = stretch.ns
            while left:
                piece = min(left, length - time % length)
                at(time)[0] += piece * self.power(stretch)
                at(time)[member[stretch.phase]] += piece
                time += piece
                left -= piece
        for begin, io, delay in self.begins:
            at(begin)[0] += self.extra(io)
            if not io.flags & CONTINUED:
                at(begin)[5] += 1
                at(begin)[6] += delay
        result = []
        rest = 0
        for i in range(max(found) + 1):
            numbers = found.get(i, [0] * 7)
            rest += numbers[0]
            result.append([i * length, rest // 10**6, *numbers[1:]])
            rest %= 10**6
        return result


def bucket_of(value: int) -> tuple[int, int]:
    """Of 128 for each power of two."""
    shift = max(0, value.bit_length() - 8)
    return shift, value >> shift


def tightened(
    parameters: list[Parameter], operational: int
) -> tuple[tuple[Parameter, ...], int]:
    """Intervals of powers, cut to what a drive in the order can have; what is loose.

    An I/O takes no less than the idle drive, a state no more than the one before it.
    Known intervals are cut by known ones; assumed ones first leave them room.
    """
    at = {(p.kind, p.index): i for i, p in enumerate(parameters)}
    n_states = sum(p.kind == IDLE_POWER for p in parameters)
    low = [p.low for p in parameters]
    high = [p.high for p in parameters]
    known = [p.provenance != ASSUMED or p.low == p.high for p in parameters]
    # Each above each that it is no less than, and the steps that lead there.
    pairs: list[tuple[int, int, set[int]]] = []
    for j in range(n_states):
        for i in range(j):
            pairs.append((i, j, set(range(i + 1, j + 1))))
        for op in range(N_OPS if j >= operational else 0):
            steps = set(range(operational + 1, j + 1)) | {32 + op}
            pairs.append((at[ACTIVE_POWER, op], j, steps))
    loose: set[int] = set()

    def loosen(which: list[tuple[int, int, set[int]]]) -> None:
        # Nearer pairs first: a step that is loose binds nothing beyond it.
        for upper, lower, steps in sorted(which, key=lambda pair: (pair[1], len(pair[2]))):
            if high[upper] < low[lower] and not (steps & loose and which is not all_known):
                loose.update(steps)

    def bound(which: list[tuple[int, int, set[int]]]) -> list[tuple[int, int, set[int]]]:
        return [pair for pair in which if not pair[2] & loose]

    def cut(which: list[tuple[int, int, set[int]]]) -> None:
        for upper, lower, _ in which:
            low[upper] = max(low[upper], low[lower])
        for upper, lower, _ in which:
            high[lower] = min(high[lower], high[upper])

    all_known = [pair for pair in pairs if known[pair[0]] and known[pair[1]]]
    loosen(all_known)
    for _ in parameters:
        cut(bound(all_known))
    for upper, lower, _ in bound(pairs):
        if known[upper] and not known[lower]:
            low[lower] = min(low[lower], low[upper])
        if known[lower] and not known[upper]:
            high[upper] = max(high[upper], high[lower])
    loosen([pair for pair in pairs if pair not in all_known])
    for _ in parameters:
        cut(bound(pairs))
    # A range that only one value is left of is known.
    known = [known[i] or low[i] == high[i] for i in range(len(known))]
    nominal = [max(low[i], min(high[i], p.nominal)) for i, p in enumerate(parameters)]
    for upper, lower, _ in bound(pairs):
        if known[lower] and not known[upper] and upper < n_states:
            nominal[upper] = max(nominal[upper], nominal[lower])
    for _ in parameters:
        for upper, lower, _ in bound(pairs):
            if not known[lower] and (upper < n_states or known[upper]):
                nominal[lower] = min(nominal[lower], nominal[upper])
    for upper, lower, _ in bound(pairs):
        if upper >= n_states and lower == operational and not known[upper]:
            nominal[upper] = max(nominal[upper], nominal[lower])
    for i in range(n_states):
        nominal[i] = max(low[i], min(high[i], nominal[i]))
    powers = (IDLE_POWER, ACTIVE_POWER)
    return tuple(
        dataclasses.replace(p, low=low[i], high=high[i], nominal=nominal[i])
        if p.kind in powers
        else p
        for i, p in enumerate(parameters)
    ), sum(1 << step for step in loose)


def corners_of(axes: list[int]) -> list[dict[int, str]]:
    """Of the times: nominal, all ends in all combinations, and each axis alone."""
    times = [axis for axis in axes if axis in (5, 6, 7)]
    corners: list[dict[int, str]] = [{}]
    for sides in itertools.product(("low", "high"), repeat=len(times)):
        corners.append(dict(zip(times, sides)))
    return corners + [{axis: side} for axis in times for side in ("low", "high")]


def drawn(rng: random.Random, case: Case) -> Case:
    """Each time has a value of its own: an end, nominal, or between."""
    parameters = []
    for p in case.parameters:
        if axis_of(p, case.operational) in (5, 6, 7):
            ends = [p.low, p.nominal, p.high, rng.randint(p.low, p.high)]
            value = rng.choice(ends)
            p = dataclasses.replace(p, low=value, nominal=value, high=value)
        parameters.append(p)
    return dataclasses.replace(case, parameters=tuple(parameters))


def possible(case: Case, axes: list[int], n_draws: int) -> list[list[int]]:
    """Runs with all powers low, and high; I/Os, with the work behind them, apart."""
    runs = []
    rng = random.Random(str(case))
    cases = [(case, times) for times in corners_of(axes)]
    if set(axes) & {5, 6, 7}:
        cases += [(drawn(rng, case), {}) for _ in range(n_draws)]
    for one, times in cases:
        for side, active in itertools.product(("low", "high"), repeat=2):
            powers = {1: side, 2: side, 3: active, 4: side}
            runs.append(Drive(one, values_at(one, times | powers)).members())
    return runs


def estimate(case: Case, n_draws: int = 4) -> dict[str, object]:
    """struct ssdpm_result, the intervals, and the changes of state.

    Of low and high what they have to hold: runs that are possible.
    """
    parameters, loose = tightened(list(case.parameters), case.operational)
    case = dataclasses.replace(case, parameters=parameters)
    axes = sorted(
        {axis_of(p, case.operational) for p in case.parameters if p.low != p.high}
    )
    drive = Drive(case, values_at(case, {}))
    nominal = drive.members()
    lows, highs = [nominal[5]] * N_AXES, [nominal[5]] * N_AXES
    for axis in axes:
        for side in ("low", "high"):
            run = Drive(case, values_at(case, {axis: side})).members()
            lows[axis - 1] = min(lows[axis - 1], run[5])
            highs[axis - 1] = max(highs[axis - 1], run[5])
    only = dataclasses.replace(
        case,
        parameters=tuple(
            p
            if p.provenance == ASSUMED or p.kind not in POWERS
            else dataclasses.replace(p, nominal=0)
            for p in case.parameters
        ),
    )
    return {
        "nominal": nominal,
        "runs": [nominal, *possible(case, axes, n_draws)],
        "assumed": Drive(only, values_at(only, {})).members()[5],
        "axes": axes,
        "loose": loose,
        "axis_lows": lows,
        "axis_highs": highs,
        "intervals": drive.intervals(),
        "changes": drive.changes(),
    }
