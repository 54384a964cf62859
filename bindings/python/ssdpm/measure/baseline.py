# SPDX-License-Identifier: MIT
"""The level of a drive at rest, and how to tell work from it."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import Any

from ssdpm import _core
from ssdpm.base.convert import (
    by_number,
    check_instance,
    check_number,
    check_time,
    check_unsigned,
    number_of,
)
from ssdpm.base.errors import InvalidError
from ssdpm.base.notebook import Html
from ssdpm.base.units import in_w
from ssdpm.base.values import Ongoing
from ssdpm.measure.signal import SignalLike, signal_of

_METHOD_WORDS = by_number(_core.energy.BASELINE_METHODS)


@dataclass(frozen=True, eq=False)
class Baseline(Html):
    """What the drive draws when it does nothing.

    Attributes:
        level_w: the median of the window, or the mode.
        mad_w: median of the distances from level_w.
        sigma_w: of the noise: 1.4826 MAD, and no less than that of quantisation.
        quantum_w: the smallest step between two values, where many are equal; 0: the
            signal is not quantised.
        error_w: level_w and mad_w are that good; 0: exact.
        n: samples that it is from, the finite ones.
        method: "window" or "half-sample".
    """

    level_w: float
    mad_w: float
    sigma_w: float
    quantum_w: float
    error_w: float
    n: int
    method: str

    def _tuple(self) -> tuple[float, float, float, float, float, int, int]:
        return (
            self.level_w,
            self.mad_w,
            self.sigma_w,
            self.quantum_w,
            self.error_w,
            self.n,
            _core.energy.BASELINE_METHODS[self.method],
        )

    def __str__(self) -> str:
        return (
            f"{in_w(self.level_w)}, noise {in_w(self.sigma_w)} "
            f"({self.method}, {self.n} samples)"
        )


def _baseline(values: tuple[Any, ...]) -> Baseline:
    return Baseline(*(*values[:-1], _METHOD_WORDS[values[-1]]))


def baseline(
    power: SignalLike,
    *,
    rate_hz: float | None = None,
    times: object = None,
    start_ns: int = 0,
    window: tuple[int, int] | None = None,
    method: str | None = None,
) -> Baseline:
    """What the drive draws when it does nothing.

    Args:
        power, rate_hz, times, start_ns: as Signal has them.
        window: (begin, end) in nanoseconds of a stretch in which it is known to idle;
            None: nobody knows when.
        method: "window": median and MAD, exact; "half-sample": the lowest level around
            which samples crowd; None: the first where there is a window.

    Raises:
        UnknownValueError: fewer than 3 finite samples.
        Error: with errno EDOM: no level stands out as that of an idle drive.
    """
    number = number_of(method, "method", _core.energy.BASELINE_METHODS)
    begin = end = 0
    if window is not None:
        if not isinstance(window, (tuple, list)) or len(window) != 2:
            raise TypeError("window: (begin, end) in nanoseconds is needed")
        begin, end = (check_time(one, "window") for one in window)
        if end <= begin:
            raise InvalidError(
                errno.EINVAL, f"window: its end, {end} ns, is not after its begin"
            )
    signal = signal_of(power, rate_hz, times, start_ns)
    return _baseline(_core.energy.measure_baseline(signal._handle, begin, end, number))


class Level(Ongoing):
    """The baseline of a window that is too long to keep, in one pass."""

    __slots__ = ("_handle",)

    def __init__(self) -> None:
        self._handle = _core.energy.Level()

    def feed(
        self,
        power: SignalLike,
        *,
        rate_hz: float | None = None,
        times: object = None,
        start_ns: int = 0,
    ) -> None:
        """The next samples of an idle drive."""
        self._handle.feed(signal_of(power, rate_hz, times, start_ns)._handle)

    def baseline(self) -> Baseline:
        """What came of all samples; error_w says how far each may be off.

        Raises:
            UnknownValueError: fewer than 3 finite samples.
            RangeError: the signal is too quiet for one pass.
        """
        return _baseline(self._handle.get())


Detect = tuple[float, float, float, int, int, int]


def detect_numbers(
    enter_sigmas: float,
    leave_sigmas: float,
    floor_w: float,
    enter_samples: int,
    leave_samples: int,
    filter_samples: int,
) -> Detect:
    """The members of struct ssdpm_detect, checked."""
    return (
        check_number(enter_sigmas, "enter_sigmas"),
        check_number(leave_sigmas, "leave_sigmas"),
        check_number(floor_w, "floor_w"),
        check_unsigned(enter_samples, "enter_samples", 2**32 - 1),
        check_unsigned(leave_samples, "leave_samples", 2**32 - 1),
        check_unsigned(filter_samples, "filter_samples", 2**32 - 1),
    )


def level_numbers(value: object) -> tuple[float, float, float, float, float, int, int]:
    """The members of struct ssdpm_baseline, checked."""
    return check_instance(value, "baseline", Baseline)._tuple()  # type: ignore[no-any-return]
