# SPDX-License-Identifier: MIT
"""The energy of a signal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ssdpm import _core
from ssdpm.base.convert import check_number, check_unsigned, words_of
from ssdpm.base.notebook import Html
from ssdpm.base.result import Json
from ssdpm.base.units import in_j, in_s, in_w
from ssdpm.base.values import Ongoing
from ssdpm.measure.signal import Signal, SignalLike, joined, power_json, signal_of


@dataclass(frozen=True, eq=False)
class Energy(Html, Json):
    """The energy of a signal.

    Its JSON has, beside this, how its first 65536 samples were taken.

    Attributes:
        n: samples.
        n_not_finite: of these NaN or infinite, left out.
        n_negative: below 0.
        n_duplicates: at the time of the one before.
        n_backwards: earlier than the one before: a new stretch begins.
        n_gaps: steps longer than max_gap_ns: likewise.
        n_at_max: at the largest value.
        gap_ns: time in gaps.
        covered_ns: time that energy_j is of.
        min_step_ns, max_step_ns: between two samples of a stretch.
        energy_j: by the trapezoid rule, the sum compensated.
        low_j, high_j: what it is for the tolerance of the instrument.
        mean_power_w: energy_j by covered_ns; NaN where that is 0.
        min_power_w, max_power_w: of the finite samples.
        remarks: what is wrong with the signal, or may be: "not-finite", "negative",
            "constant", "saturated", "duplicates", "backwards", "gaps".
    """

    n: int
    n_not_finite: int
    n_negative: int
    n_duplicates: int
    n_backwards: int
    n_gaps: int
    n_at_max: int
    gap_ns: int
    covered_ns: int
    min_step_ns: int
    max_step_ns: int
    energy_j: float
    low_j: float
    high_j: float
    mean_power_w: float
    min_power_w: float
    max_power_w: float
    remarks: tuple[str, ...]

    @property
    def covered_s(self) -> float:
        """covered_ns in seconds."""
        return self.covered_ns / 1e9

    def __str__(self) -> str:
        text = in_j(self.energy_j)
        if self.high_j != self.low_j:
            text += f" ({in_j(self.low_j)} to {in_j(self.high_j)})"
        text += f" in {in_s(self.covered_ns)}"
        if not math.isnan(self.mean_power_w):
            text += f", mean {in_w(self.mean_power_w)}"
        return "; ".join([text, *self.remarks])


_FIRST_SAMPLES = _core.energy.SAMPLING_SAMPLES


def _energy(values: tuple[Any, ...], first: Signal) -> Energy:
    *numbers, bits, kept = values
    remarks = words_of(bits, _core.energy.SIGNAL_REMARKS)
    found = Energy(*(*numbers, remarks))
    return found._written_by(lambda: _to_json(kept, first))


def _to_json(kept: bytes, first: Signal) -> str:
    sampling = _core.energy.measure_first_sampling(first._handle)
    return power_json("energy", first, None, energy=kept, sampling=sampling)


def _energy_params(max_gap_ns: int, tolerance: float) -> tuple[int, float]:
    return (
        check_unsigned(max_gap_ns, "max_gap_ns", 2**63 - 1),
        check_number(tolerance, "tolerance"),
    )


def energy(
    power: SignalLike,
    *,
    rate_hz: float | None = None,
    times: object = None,
    start_ns: int = 0,
    max_gap_ns: int = 0,
    tolerance: float = 0.0,
) -> Energy:
    """The energy of a signal, and what is odd about it.

    Args:
        power, rate_hz, times, start_ns: as Signal has them.
        max_gap_ns: a longer step is a gap, over which no energy is counted; 0: ten
            times the median step of the first 4096 samples.
        tolerance: relative error of the instrument that is the same for all samples:
            0.05 for a shunt of 5 %.

    Raises:
        UnknownValueError: not one finite sample.
        InvalidError: a tolerance of 1 or more.
    """
    params = _energy_params(max_gap_ns, tolerance)
    signal = signal_of(power, rate_hz, times, start_ns)
    found = _core.energy.measure_energy(signal._handle, *params)
    return _energy(found, signal._first(_FIRST_SAMPLES))


class Integral(Ongoing):
    """The energy of a signal that comes in pieces, which need not be kept.

    ::

        integral = measure.Integral(tolerance=0.05)
        for block in blocks:
            integral.feed(block, rate_hz=20_000, start_ns=...)
        print(integral.energy())

    Raises:
        InvalidError: a tolerance of 1 or more.
    """

    __slots__ = ("_first", "_handle")

    def __init__(self, *, max_gap_ns: int = 0, tolerance: float = 0.0) -> None:
        self._first: list[Signal] = []  # of the samples that JSON looks at
        self._handle = _core.energy.Integral(*_energy_params(max_gap_ns, tolerance))

    def feed(
        self,
        power: SignalLike,
        *,
        rate_hz: float | None = None,
        times: object = None,
        start_ns: int = 0,
    ) -> None:
        """The next samples, any number at a time."""
        signal = signal_of(power, rate_hz, times, start_ns)
        self._handle.feed(signal._handle)
        left = _FIRST_SAMPLES - sum(map(len, self._first))
        if left:
            self._first.append(signal._first(left))

    def energy(self) -> Energy:
        """What came of all samples up to now.

        Raises:
            UnknownValueError: not one finite sample.
        """
        return _energy(self._handle.get(), joined(self._first))
