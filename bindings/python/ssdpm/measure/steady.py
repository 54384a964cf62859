# SPDX-License-Identifier: MIT
"""Where a series becomes steady, and where its mean changes."""

from __future__ import annotations

import errno

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.arrays import float_list
from ssdpm.base.convert import check_number, check_unsigned
from ssdpm.base.errors import Error
from ssdpm.measure.signal import SignalLike, signal_of


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


def change_points(
    power: SignalLike,
    *,
    rate_hz: float | None = None,
    times: object = None,
    start_ns: int = 0,
    sigma_w: float = 0.0,
    penalty: float = 0.0,
    min_samples: int = 2,
) -> npt.NDArray[np.intp]:
    """Where the mean of a signal changes: index of the first sample of each stretch
    but the first.

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
    signal = signal_of(power, rate_hz, times, start_ns)
    found = _core.energy.measure_change_points(signal._handle, *numbers, least)
    return np.array(found, dtype=np.intp)
