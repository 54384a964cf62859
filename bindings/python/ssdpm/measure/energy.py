# SPDX-License-Identifier: MIT
"""The energy of samples; where a series becomes steady, and where its mean changes."""

from __future__ import annotations

import errno
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.arrays import float_list
from ssdpm.base.convert import check_number, check_unsigned, takes, words_of
from ssdpm.base.errors import Error
from ssdpm.base.result import Json, Ongoing, Scaled, in_j, in_s, in_w
from ssdpm.measure.signal import Signal, SignalLike, When, joined, power_json, signal_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True, eq=False)
class Energy(Json):
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

    covered_s = Scaled[float]("covered_ns")

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


@takes(When, signal_of)
def energy(
    power: SignalLike,
    *,
    max_gap_ns: int = 0,
    tolerance: float = 0.0,
    **when: Unpack[When],
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
    signal = signal_of(power, **when)
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

    @takes(When, signal_of)
    def feed(self, power: SignalLike, **when: Unpack[When]) -> None:
        """The next samples, any number at a time."""
        signal = signal_of(power, **when)
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


def steady_state(
    rounds: object,
    *,
    window: int = 5,
    max_range: float = 0.2,
    max_slope: float = 0.1,
) -> int | None:
    """The first round of the first window that is steady by the rules of SNIA.

    Args:
        rounds: one value for each round: IOPS, watts.
        window: rounds that are looked at together.
        max_range: largest minus smallest, by the mean, is at most this.
        max_slope: likewise of the line fitted to the window.

    Returns:
        Its index; None: steady state was not reached.
    """
    values = float_list(rounds, "rounds")
    number = check_unsigned(window, "window", 2**32 - 1, 2)
    limits = check_number(max_range, "max_range"), check_number(max_slope, "max_slope")
    try:
        return _core.energy.measure_steady_state(values, number, *limits)
    except Error as error:
        if error.errno != errno.ENODATA:
            raise
        return None


@takes(When, signal_of)
def change_points(
    power: SignalLike,
    *,
    sigma_w: float = 0.0,
    penalty: float = 0.0,
    min_samples: int = 2,
    **when: Unpack[When],
) -> npt.NDArray[np.intp]:
    """Where the mean of a signal changes: index of the first sample of each stretch
    but the first.

    The noise must be white: correlated noise, as of a filter in the instrument, gives
    changes where there are none. Means over five times its correlation time or more
    have few of these.

    Args:
        power, rate_hz, times, start_ns: as Signal has them; 20000 samples at most.
        sigma_w: of the noise; 0: from the differences of neighbours.
        penalty: in squares of sigma for each change; 0: 2 ln n (BIC).
        min_samples: in each stretch.

    Raises:
        UnknownValueError: fewer than 2 min_samples finite samples.
        TooLargeError: too many samples: take means first.
    """
    numbers = check_number(sigma_w, "sigma_w"), check_number(penalty, "penalty")
    least = check_unsigned(min_samples, "min_samples", 2**31, 1)
    signal = signal_of(power, **when)
    found = _core.energy.measure_change_points(signal._handle, *numbers, least)
    return np.array(found, dtype=np.intp)
