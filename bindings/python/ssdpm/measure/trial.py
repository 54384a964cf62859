# SPDX-License-Identifier: MIT
"""Whether setting B saves power against setting A, on a running machine.

The caller sets, waits and reads; a trial says what and when::

    trial = measure.Trial(update_ns=10**9, likely_uw=advice.trial_likely_uw)
    while trial.state.decision == "not-yet":
        block = trial.next(time.monotonic_ns())
        apply(block.setting)                      # "a" or "b"
        trial.feed(time.monotonic_ns(), read_meter())

Advice.trial_likely_uw is None if no trial is needed. find_meter("machine") finds a
meter that sees the drives. Reading.update_ns is how often it has a new value.
ssdpm_trial(3) has the rules and the statistics.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import SupportsIndex

from ssdpm import _core
from ssdpm.base.convert import (
    by_number,
    check_float,
    check_time,
    check_unsigned,
    none_if_nan,
    unsigned_or_zero,
)
from ssdpm.base.result import Ongoing, Value

TRIAL_DECISIONS: tuple[str, ...] = tuple(_core.energy.TRIAL_DECISIONS)
"""What a trial decides: "not-yet"; "saves" and "costs", which B does; "hopeless", the
time left resolves neither the likely saving nor the one so far; "undecided", the time
limit is reached."""

_SETTINGS = by_number(_core.energy.TRIAL_SETTINGS)
_DECISIONS = by_number(_core.energy.TRIAL_DECISIONS)
_MOST = 2**64 - 1


@dataclass(frozen=True, eq=False)
class TrialBlock(Value):
    """What to set now.

    Attributes:
        index: 0 for the first block; two make a pair.
        start_ns: when it started.
        count_ns: readings count from here on.
        end_ns: and up to here, itself not counted.
        setting: "a", the setting before the trial; "b"; None: no block is left.
    """

    index: int
    start_ns: int
    count_ns: int
    end_ns: int
    setting: str | None


@dataclass(frozen=True, eq=False)
class TrialState(Value):
    """The result so far.

    Attributes:
        n_pairs: complete pairs of blocks.
        max_pairs: that the time limit has room for.
        saving_w: estimate of the power of A less that of B; None: no pair.
        low_w, high_w: confidence sequence of 95 %: it holds for all numbers of pairs
            together; infinite before 6 pairs.
        resolvable_w: half of its expected width at the time limit; None before 4 pairs.
        decision: one of TRIAL_DECISIONS.
    """

    n_pairs: int
    max_pairs: int
    saving_w: float | None
    low_w: float
    high_w: float
    resolvable_w: float | None
    decision: str

    def __str__(self) -> str:
        if self.saving_w is None:
            return f"{self.decision}: no pair"
        return (
            f"{self.decision}: {self.saving_w:.3g} W, {self.low_w:.3g} to "
            f"{self.high_w:.3g} W, after {self.n_pairs} of {self.max_pairs} pairs"
        )


class Trial(Ongoing):
    """A trial of setting B against setting A; threads take turns.

    Args:
        update_ns: from one new reading of the meter to the next.
        response_ns: how long power before a reading still changes it.
        block_ns: length of a block; None: the shortest that is allowed.
        limit_ns: time for all blocks, at most 7 days; None: 30 minutes, or 6 pairs if
            they take longer.
        likely_uw: saving that is expected; None: unknown.
        seed: of the coin that draws the order of each pair; None: drawn at random.

    Raises:
        RangeError: a block shorter than the meter allows, or no room for 6 pairs.
    """

    __slots__ = ("_handle",)

    def __init__(
        self,
        *,
        update_ns: SupportsIndex = 0,
        response_ns: SupportsIndex = 0,
        block_ns: SupportsIndex | None = None,
        limit_ns: SupportsIndex | None = None,
        likely_uw: SupportsIndex | None = None,
        seed: SupportsIndex | None = None,
    ) -> None:
        drawn = secrets.randbits(64) if seed is None else seed
        self._handle = _core.energy.Trial(
            [
                check_unsigned(drawn, "seed", _MOST),
                check_unsigned(update_ns, "update_ns", _MOST),
                check_unsigned(response_ns, "response_ns", _MOST),
                unsigned_or_zero(block_ns, "block_ns", _MOST, 1),
                unsigned_or_zero(limit_ns, "limit_ns", _MOST, 1),
                unsigned_or_zero(likely_uw, "likely_uw", _MOST, 1),
            ]
        )

    def next(self, now_ns: SupportsIndex) -> TrialBlock:
        """The block of a time: the same one until it has ended, then the next.

        Raises:
            UnknownValueError: no reading counts in the block; the trial cannot go on.
            RangeError: the time is before the start of the block.
        """
        index, start_ns, count_ns, end_ns, setting = self._handle.next(
            check_time(now_ns, "now_ns")
        )
        return TrialBlock(index, start_ns, count_ns, end_ns, _SETTINGS.get(setting))

    def feed(self, time_ns: SupportsIndex, power_w: float) -> None:
        """A reading of the meter; outside of the counted part it changes nothing.

        Raises:
            InvalidError: NaN.
            RangeError: infinite, or above 1 MW.
        """
        self._handle.feed(
            check_time(time_ns, "time_ns"), check_float(power_w, "power_w")
        )

    @property
    def state(self) -> TrialState:
        """The result of the complete pairs; valid however often it is asked for."""
        n_pairs, max_pairs, saving, low, high, resolvable, decision = (
            self._handle.state()
        )
        return TrialState(
            n_pairs,
            max_pairs,
            none_if_nan(saving),
            low,
            high,
            none_if_nan(resolvable),
            _DECISIONS[decision],
        )
