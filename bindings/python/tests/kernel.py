# SPDX-License-Identifier: MIT
"""What Linux does with a drive's power states, slowly and plainly.

The rule of nvme_configure_apst() in drivers/nvme/host/core.c, in our own words:
each table entry is looked for on its own, from the deepest state up, instead of
being carried along. It shares nothing with the library.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
