# SPDX-License-Identifier: MIT
"""What Linux does with a drive's power states, slowly and plainly.

The rule of nvme_configure_apst() in drivers/nvme/host/core.c, in our own words:
each table entry is looked for on its own, from the deepest state up, instead of
being carried along. It shares nothing with the library.

The lower envelope, slowly and plainly, with fractions.

A state costs overhead + power x t for an idle time t: picojoules and microseconds.
Where the library walks from crossing to crossing, this looks at every crossing there
is and asks which state is cheapest between them. It shares nothing with the library.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

PRIMARY, SECONDARY = 1, 2


@dataclass
class Kernel:
    """States are (operational, entry_us, exit_us); tolerance None is "any"."""

    states: list[tuple[bool, int, int]]
    tolerance_us: int | None
    legacy: bool
    primary_timeout_ms: int
    primary_tolerance_us: int
    secondary_timeout_ms: int
    secondary_tolerance_us: int
    apsta: int = 1
    quirks: set[str] = field(default_factory=set)

    def candidate(self, number: int) -> bool:
        """May this state be a target, but for the two bands?"""
        operational, _, exit_us = self.states[number]
        last = number == len(self.states) - 1
        if operational or (last and "no-deepest-ps" in self.quirks):
            return False
        return self.tolerance_us is None or exit_us <= self.tolerance_us

    def band(self, number: int) -> int | None:
        """Which idle time this state is quick enough for."""
        _, entry_us, exit_us = self.states[number]
        if entry_us + exit_us <= self.primary_tolerance_us:
            return PRIMARY
        if self.secondary_timeout_ms:
            if entry_us + exit_us <= self.secondary_tolerance_us:
                return SECONDARY
        return None

    def target_by_bands(self, source: int) -> tuple[int, int] | None:
        """Deepest first: a primary one ends it, a secondary one is kept in hand."""
        deeper = [s for s in range(source + 1, len(self.states)) if self.candidate(s)]
        primary = [s for s in deeper if self.band(s) == PRIMARY]
        if primary:
            return max(primary), self.primary_timeout_ms
        secondary = [s for s in deeper if self.band(s) == SECONDARY]
        if secondary:
            return max(secondary), self.secondary_timeout_ms
        return None

    def target_by_chain(self, source: int) -> tuple[int, int] | None:
        """The next deeper state, after 50 times what entering and leaving takes."""
        for number in range(source + 1, len(self.states)):
            if self.candidate(number):
                _, entry_us, exit_us = self.states[number]
                idle_us = 50 * (entry_us + exit_us)
                return number, min(-(-idle_us // 1000), 2**24 - 1)
        return None

    def table(self) -> tuple[bool, bool, list[tuple[int, int]]]:
        """sent, enabled, and (target, idle_ms) for all 32 states."""
        empty = [(0, 0)] * 32
        if self.apsta == 0:
            return False, False, empty
        if "no-apst" in self.quirks or self.tolerance_us == 0:
            return True, False, empty
        find = self.target_by_bands
        if self.legacy or not (self.primary_timeout_ms and self.primary_tolerance_us):
            find = self.target_by_chain
        entries = [find(source) or (0, 0) for source in range(len(self.states))]
        return True, True, entries + empty[len(entries) :]


T = TypeVar("T")


def pairs(items: list[T]) -> list[tuple[T, T]]:
    """Each one with the next."""
    return list(zip(items, items[1:]))


@dataclass(frozen=True)
class Sleep:
    """A state: power as it counts, and whether it is operational."""

    operational: bool
    power: int
    entry: int
    exit: int


@dataclass
class Envelope:
    """states[0] is the base; the others may be anything."""

    base: int
    transition: int
    limit: int
    states: list[Sleep]
    quirks: set[str] = field(default_factory=set)

    def overhead(self, number: int) -> int:
        """What entering and leaving costs beyond the state's own power."""
        if number == 0:
            return 0
        s = self.states[number]
        energy = self.transition * s.entry + self.transition * s.exit
        return max(0, energy - s.power * s.entry)

    def power(self, number: int) -> int:
        return self.base if number == 0 else self.states[number].power

    def cost(self, number: int, time: Fraction | int) -> Fraction:
        return self.overhead(number) + self.power(number) * Fraction(time)

    def candidates(self) -> list[int]:
        last = len(self.states) - 1
        return [
            i
            for i, s in enumerate(self.states)
            if i > 0
            and not s.operational
            and not (i == last and "no-deepest-ps" in self.quirks)
            and s.exit <= self.limit
        ]

    def envelope_of(self, numbers: list[int]) -> list[int]:
        """Those that are cheapest somewhere, by time."""
        numbers = [0, *numbers]
        crossings = {Fraction(0)}
        for a, b in itertools.combinations(numbers, 2):
            if self.power(a) != self.power(b):
                time = Fraction(
                    self.overhead(b) - self.overhead(a), self.power(a) - self.power(b)
                )
                crossings.add(max(Fraction(0), time))
        times = sorted(crossings)
        between = [(a + b) / 2 for a, b in pairs(times)]
        steps = [0]  # at time 0 nothing has happened yet
        for time in [*between, times[-1] + 1]:
            cheapest = min(numbers, key=lambda n: (self.cost(n, time), n))
            if cheapest != steps[-1]:
                steps.append(cheapest)
        return steps

    @cached_property
    def steps(self) -> list[int]:
        """Likewise, but APST only leads deeper: drop what would lead back."""
        numbers = self.candidates()
        while True:
            steps = self.envelope_of(numbers)
            back = [a for a, b in pairs(steps) if b < a]
            if not back:
                return steps
            numbers.remove(back[0])

    @cached_property
    def thresholds(self) -> list[Fraction]:
        """When to go to each step but the base, in microseconds."""
        return [
            Fraction(
                self.overhead(b) - self.overhead(a), self.power(a) - self.power(b)
            )
            for a, b in pairs(self.steps)
        ]

    def table(self) -> list[tuple[int, int]]:
        """(target, idle_ms) for all 32 states."""
        rows = [(0, 0)] * 32
        passed = 0
        for (a, b), time in zip(pairs(self.steps), self.thresholds):
            ms = max(passed + 1, math.ceil(time / 1000))
            rows[a] = (b, ms - passed)
            for between in range(a + 1, b):
                rows[between] = (b, ms)
            passed = ms
        return rows

    def optimum(self, time: Fraction | int) -> Fraction:
        """What somebody pays who knows how long it will be idle."""
        return min(self.cost(n, time) for n in self.steps)

    def online(
        self, times: list[Fraction], steps: list[int], idle: Fraction | int
    ) -> tuple[Fraction, int]:
        """What it costs to go to steps[1:] at these times, and where that ends.

        Paid as it happens: the power of each state for as long as it lasts, and at
        each step what its overhead is above that of the one before.
        """
        spent, now, state = Fraction(0), Fraction(0), steps[0]
        for time, target in zip(times, steps[1:]):
            if time > idle:
                break
            spent += self.power(state) * (time - now)
            spent += self.overhead(target) - self.overhead(state)
            now, state = time, target
        return spent + self.power(state) * (Fraction(idle) - now), state
