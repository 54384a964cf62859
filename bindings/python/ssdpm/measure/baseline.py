# SPDX-License-Identifier: MIT
"""The power of an idle drive, and whether samples are fast enough."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ssdpm import _core
from ssdpm.base.convert import (
    by_number,
    check_instance,
    check_number,
    check_time,
    check_unsigned,
    number_of,
    takes,
    words_of,
)
from ssdpm.base.errors import InvalidError
from ssdpm.base.result import Ongoing, Value, in_s, in_w
from ssdpm.measure.signal import Signal, SignalLike, When, signal_of
from ssdpm.workload.records import Records
from ssdpm.workload.trace import TraceLike, all_records

if TYPE_CHECKING:
    from typing_extensions import Unpack

_METHOD_WORDS = by_number(_core.energy.BASELINE_METHODS)


@dataclass(frozen=True, eq=False)
class Baseline(Value):
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


@takes(When, signal_of)
def baseline(
    power: SignalLike,
    *,
    window: tuple[int, int] | None = None,
    method: str | None = None,
    **when: Unpack[When],
) -> Baseline:
    """What the drive draws when it does nothing.

    Args:
        power, rate_hz, times, start_ns: as Signal has them.
        window: (begin, end) in nanoseconds of a stretch in which it is known to idle;
            None: unknown.
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
    signal = signal_of(power, **when)
    return _baseline(_core.energy.measure_baseline(signal._handle, begin, end, number))


class Level(Ongoing):
    """The baseline of a window that is too long to keep, in one pass."""

    __slots__ = ("_handle",)

    def __init__(self) -> None:
        self._handle = _core.energy.Level()

    @takes(When, signal_of)
    def feed(self, power: SignalLike, **when: Unpack[When]) -> None:
        """The next samples of an idle drive."""
        self._handle.feed(signal_of(power, **when)._handle)

    def baseline(self) -> Baseline:
        """The level of all samples; error_w says how far each may be off.

        Raises:
            UnknownValueError: fewer than 3 finite samples.
            RangeError: the signal is too quiet for one pass.
        """
        return _baseline(self._handle.get())


Detect = tuple[float, float, float, int, int, int]


class Above(When, total=False):
    """What counts as above the baseline, as activity() has it."""

    enter_sigmas: float
    leave_sigmas: float
    floor_w: float
    filter_samples: int


class Lasting(Above, total=False):
    """And for how long it has to last."""

    enter_samples: int
    leave_samples: int


@takes(When, signal_of)
def detection_of(
    power: SignalLike,
    *,
    enter_sigmas: float = 5.0,
    leave_sigmas: float = 3.0,
    floor_w: float = 0.0,
    enter_samples: int = 3,
    leave_samples: int = 3,
    filter_samples: int = 0,
    **when: Unpack[When],
) -> tuple[Signal, Detect]:
    """The samples, and the members of struct ssdpm_detect, checked."""
    detect = (
        check_number(enter_sigmas, "enter_sigmas"),
        check_number(leave_sigmas, "leave_sigmas"),
        check_number(floor_w, "floor_w"),
        check_unsigned(enter_samples, "enter_samples", 2**32 - 1),
        check_unsigned(leave_samples, "leave_samples", 2**32 - 1),
        check_unsigned(filter_samples, "filter_samples", 2**32 - 1),
    )
    return signal_of(power, **when), detect


def level_numbers(value: object) -> tuple[float, float, float, float, float, int, int]:
    """The members of struct ssdpm_baseline, checked."""
    return check_instance(value, "baseline", Baseline)._tuple()  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class Sampling(Value):
    """Is a signal sampled fast enough for what happens?

    Attributes:
        n: finite samples.
        step_ns: from one to the next: the median of the first 4096 steps.
        interval_ns: from one measurement of the instrument to the next: step_ns, or
            longer where it holds its readings.
        n_excursions: stretches above the baseline, of one sample or more.
        n_short: of these, of no more than two measurements.
        short_ns: mean length of those, as the samples have it: what happened may have
            been much shorter.
        busy_ns: median length of the stretches with an I/O in work, between which
            there is a rest; None: fewer than 3, or an I/O without service time.
        advised_ns: sample at least every so often; None: it is fast enough, or
            nothing tells.
        energy_j: of all samples, each for a step.
        extra_j: above the baseline, of all excursions; None: no baseline.
        short_j: likewise, of the short ones.
        remarks: "slow": short excursions have most of the energy above the baseline;
            "slower-than-io": so do stretches with an I/O last; "held": readings repeat
            until the instrument has a new one.
    """

    n: int
    step_ns: int
    interval_ns: int
    n_excursions: int
    n_short: int
    short_ns: int
    busy_ns: int | None
    advised_ns: int | None
    energy_j: float
    extra_j: float | None
    short_j: float | None
    remarks: tuple[str, ...]

    def __bool__(self) -> bool:
        """Nothing is wrong with it."""
        return not self.remarks

    def _lines(self) -> list[str]:
        every = f"measured every {in_s(self.interval_ns)}"
        advice = f"sample at least every {in_s(self.advised_ns or 0)}"
        lines = []
        if "held" in self.remarks:
            lines.append(f"values repeat: {every}, not every {in_s(self.step_ns)}")
        if "slow" in self.remarks:
            lines.append(
                f"{every}, slower than the events: {self.n_short} of "
                f"{self.n_excursions} excursions are of two measurements or fewer "
                f"(or are they spikes of the instrument?): {advice}"
            )
        if "slower-than-io" in self.remarks:
            lines.append(
                f"{every}, slower than the I/Os: half of their stretches are shorter "
                f"than {in_s(self.busy_ns or 0)}, which is right only if each sample is "
                f"the mean of its step: {advice}"
            )
        return lines

    def __str__(self) -> str:
        if not self.remarks:
            return f"measured every {in_s(self.interval_ns)}: nothing tells it is slow"
        return "; ".join(self._lines())


def check_sampling(
    signal: Signal,
    baseline: Baseline | None,
    detect: Detect | None = None,
    records: Records | None = None,
) -> tuple[Sampling, bytes]:
    """What sampling() does, with what was checked; and what the library found."""
    level = None if baseline is None else level_numbers(baseline)
    values = _core.energy.measure_sampling(signal._handle, level, detect, records)
    numbers: list[Any] = list(values[:-1])
    for optional in (6, 7):
        numbers[optional] = numbers[optional] or None
    if baseline is None:
        numbers[9:11] = None, None
    bits = numbers.pop()
    numbers.append(words_of(bits, _core.energy.SIGNAL_REMARKS))
    return Sampling(*numbers), values[-1]


@takes(Above, detection_of)
def sampling(
    power: SignalLike,
    baseline: Baseline | None = None,
    *,
    trace: TraceLike | None = None,
    **options: Unpack[Above],
) -> Sampling:
    """Are there events that the samples are too slow for?

    It is slow if at least three excursions have one or two measurements each. These
    must have most of the energy above the baseline, and 1 % of all energy. Their
    lengths and energies are unknown, and others may have been missed. Spikes of the
    instrument look the same.

    Args:
        power, rate_hz, times, start_ns: as Signal has them.
        baseline: what baseline() found; None: there are no excursions.
        trace: the I/Os of the same time, as estimate() takes them; their clock may be
            another one.
        enter_sigmas, leave_sigmas, floor_w: what is above the baseline, as activity()
            has them.
        filter_samples: likewise; it takes short excursions away.

    Raises:
        UnknownValueError: no finite sample.
        InvalidError: parameters that contradict each other.
    """
    signal, detect = detection_of(power, enter_samples=0, leave_samples=0, **options)
    records = None if trace is None else all_records(trace)
    return check_sampling(signal, baseline, detect, records)[0]
