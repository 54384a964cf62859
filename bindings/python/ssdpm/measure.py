# SPDX-License-Identifier: MIT
"""The measurement: from samples of power to energy, to what a drive does by itself,
and to a model that fits the drive at hand.

Power is in watts, an array of float32 or float64 that is used as it is; times are
whole nanoseconds, or a rate::

    from ssdpm import measure

    print(measure.energy(power, rate_hz=20_000, tolerance=0.05))
    signal = measure.Signal(power, times=times)
    idle = measure.baseline(signal, window=(0, 1_000_000_000))
    runs = measure.activity(signal, idle)
    runs.plot()

Together with the I/Os of the same run::

    found = measure.calibrate(drive, trace, measure.read_power("watts.csv"))
    print(ssdpm.estimate(drive, other, measured=found))

A study of drives, and a survey of policies::

    print(measure.classify_suite(pandas.read_csv("suite.csv")))
    measure.survey.read("survey.csv").analyse("idle").plot()

A pandas Series is recognised; its index has the times, if it is one of times.
ssdpm_measure(3) has the rules.
"""

from __future__ import annotations

import errno
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Union, overload

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm._arrays import array_of, floats, integers, one_dimension, share
from ssdpm.base import (
    Error,
    InvalidError,
    Ongoing,
    RangeError,
    Value,
    check_float,
    check_instance,
    check_list,
    check_text,
    check_unsigned,
    check_word,
    html_table,
    same,
)
from ssdpm.policy import _Word

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Activities",
    "Activity",
    "Background",
    "BackgroundClass",
    "BackgroundRun",
    "Baseline",
    "Calibration",
    "DatasheetComparison",
    "DatasheetRun",
    "Energy",
    "Experiment",
    "IdleWork",
    "Integral",
    "Level",
    "Measured",
    "MeasuredStatus",
    "PowerCounts",
    "PowerIterator",
    "ProportionalityCurve",
    "Sampling",
    "Signal",
    "SizeLevel",
    "SizeProfile",
    "SizeRun",
    "Tail",
    "activity",
    "against_datasheet",
    "baseline",
    "calibrate",
    "change_points",
    "classify",
    "classify_suite",
    "energy",
    "idle_work",
    "iter_power",
    "proportionality",
    "proportionality_curve",
    "read_power",
    "sampling",
    "size_profile",
    "steady_state",
    "survey",
    "tail",
]

_METHOD_WORDS = {number: word for word, number in _core.BASELINE_METHODS.items()}
_BACKGROUND_WORDS = {number: word for word, number in _core.BACKGROUNDS.items()}
_OPEN_BEGIN, _OPEN_END = 1, 2


def _check_layout(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    if not (array.flags.c_contiguous and array.flags.aligned):
        raise ValueError(
            f"{name}: its values do not stand one after the other (strides "
            f"{array.strides}): pass numpy.ascontiguousarray({name})"
        )
    return array


def _powers(values: object) -> npt.NDArray[Any]:
    array, masked = array_of(values, "power")
    one_dimension(array, "power")
    if isinstance(values, np.ndarray) and array.dtype.kind == "f":
        if array.dtype.itemsize in (4, 8):
            if not array.dtype.isnative:
                raise TypeError(
                    f"power: {array.dtype} has the byte order of another machine: pass "
                    'power.astype(power.dtype.newbyteorder("="))'
                )
            if masked is not None:
                array = np.where(masked, array.dtype.type(np.nan), array)
            return _check_layout(array, "power")
    elif not isinstance(values, np.ndarray) and array.dtype.kind != "b":
        kept = array.dtype.kind == "f" and array.dtype.itemsize == 4
        numbers = np.ascontiguousarray(floats(values, "power"))
        return numbers.astype(np.float32) if kept else numbers
    if array.dtype.kind in "iu":
        advice = "codes of an instrument times its watts per step are; whole watts "
        advice += "are as power.astype(numpy.float64)"
    else:
        advice = "pass power.astype(numpy.float64)"
    raise TypeError(
        f"power: watts as float32 or float64 are needed, not {array.dtype}: {advice}"
    )


def _times(values: object) -> npt.NDArray[np.int64]:
    dtype = getattr(values, "dtype", None)
    if getattr(dtype, "kind", "") == "f":
        raise TypeError(
            f"times: nanoseconds as integers are needed, not {dtype}: pass of seconds "
            "numpy.rint(times * 1e9).astype(numpy.int64)"
        )
    array = integers(values, "times", 2**63 - 1, -(2**63), times="mM")
    one_dimension(array, "times")
    return _check_layout(array, "times")


def _index_times(index: Any) -> npt.NDArray[np.int64] | None:
    """The times of a DatetimeIndex or a TimedeltaIndex; None: another one."""
    kind = getattr(getattr(index, "dtype", None), "kind", "")
    return _times(index) if kind in ("m", "M") else None


def _number(value: object, name: str, low: float = 0.0) -> float:
    number = check_float(value, name)
    if not (low <= number < math.inf):
        raise RangeError(
            errno.ERANGE, f"{name}: {number} is not finite and at least {low:g}"
        )
    return number


def _time(value: object, name: str) -> int:
    return check_unsigned(value, name, 2**63 - 1, -(2**63))


class Signal:
    """Samples of power with their times: a view, nothing is copied.

    Args:
        power: watts: an array of float32 or float64, one dimension, without strides; a
            pandas Series; a list of numbers. What is masked or <NA> becomes NaN, in a
            copy.
        rate_hz: samples in a second; or
        times: the nanoseconds of each: integers, or times of NumPy, pandas and
            datetime, those with a time zone in UTC. Neither is needed for a Series
            whose index has times.
        start_ns: time of the first sample, where there is a rate.

    Attributes:
        power_w, time_ns: the arrays; time_ns is None where there is a rate.
        start_ns, interval_ns: of the rate, which is 1e9 / interval_ns.
        counts: what read_power() met, or None.
        name: of the file that read_power() has read, without its directory, or None.

    Raises:
        TypeError, ValueError: another type, shape or layout; the message says what to
            pass instead.
    """

    __slots__ = (
        "_handle",
        "counts",
        "interval_ns",
        "name",
        "power_w",
        "start_ns",
        "time_ns",
    )

    power_w: npt.NDArray[Any]
    time_ns: npt.NDArray[np.int64] | None
    start_ns: int
    interval_ns: float
    counts: PowerCounts | None
    name: str | None

    def __init__(
        self,
        power: object,
        *,
        rate_hz: float | None = None,
        times: object = None,
        start_ns: int = 0,
    ) -> None:
        self.power_w = _powers(power)
        self.counts = None
        self.name = None
        self.time_ns = None
        self.interval_ns = 1.0
        self.start_ns = _time(start_ns, "start_ns")
        if rate_hz is not None and times is not None:
            raise ValueError("rate_hz, times: one of both is needed, not both")
        if times is not None:
            self.time_ns = _times(times)
        elif rate_hz is None:
            self.time_ns = _index_times(getattr(power, "index", None))
        if self.time_ns is None:
            self.interval_ns = self._interval(rate_hz, len(self.power_w))
        elif len(self.time_ns) != len(self.power_w):
            raise ValueError(
                f"times: there are {len(self.time_ns)} of them for "
                f"{len(self.power_w)} samples of power"
            )
        elif self.start_ns:
            raise ValueError("start_ns: times say when the first sample is")
        self._handle = _core.Samples(
            self.power_w, self.time_ns, self.start_ns, self.interval_ns
        )

    @staticmethod
    def _interval(rate_hz: float | None, n: int) -> float:
        if rate_hz is None:
            raise TypeError(
                "power: when were the samples taken? Pass rate_hz, or times in "
                "nanoseconds"
            )
        rate = _number(rate_hz, "rate_hz")
        if not (0 < rate <= 1e9) or 1e9 / rate * max(n, 1) >= 4e18:
            raise RangeError(
                errno.ERANGE, f"rate_hz: {rate:g} is not above 0 and at most 1e9"
            )
        return 1e9 / rate

    def __len__(self) -> int:
        return len(self.power_w)

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        """power_w, for numpy.asarray(); the same memory, unless a copy is due."""
        return share(self.power_w, dtype, copy)

    def times_ns(self) -> npt.NDArray[np.int64]:
        """The time of each sample, made where there is a rate."""
        if self.time_ns is not None:
            return self.time_ns
        steps = np.arange(len(self), dtype=np.float64) * self.interval_ns
        return self.start_ns + np.floor(steps + 0.5).astype(np.int64)

    def _ends_ns(self) -> tuple[int, int]:
        """Times of the first sample and of the last; 0 where there is none."""
        if not len(self):
            return 0, 0
        if self.time_ns is not None:
            return int(self.time_ns[0]), int(self.time_ns[-1])
        return self.start_ns, self.start_ns + int((len(self) - 1) * self.interval_ns)

    def __repr__(self) -> str:
        if self.time_ns is None:
            when = f"rate_hz={1e9 / self.interval_ns:g}"
        else:
            when = "times"
        return f"<ssdpm.measure.Signal {len(self)} x {self.power_w.dtype}, {when}>"

    def _samples(self) -> tuple[Any, ...]:
        return self.power_w, self.time_ns, self.start_ns, self.interval_ns

    def __eq__(self, other: object) -> bool:
        """Equal samples and times; how they were read does not matter."""
        if not isinstance(other, Signal):
            return NotImplemented
        return same(self._samples(), other._samples())

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _signal_from, ((*self._samples(), self.counts, self.name),)


def _signal_from(values: tuple[Any, ...]) -> Signal:
    """What pickle kept of one."""
    self = Signal.__new__(Signal)
    power_w, time_ns, start_ns, interval_ns, self.counts, self.name = values
    self.power_w, self.time_ns = power_w, time_ns
    self.start_ns, self.interval_ns = start_ns, interval_ns
    self._handle = _core.Samples(power_w, time_ns, start_ns, interval_ns)
    return self


SignalLike = Union[Signal, npt.NDArray[Any], Sequence[float], Any]
"""A Signal, or what makes one, together with rate_hz or times."""


def _signal(
    power: object, rate_hz: float | None, times: object, start_ns: int
) -> Signal:
    if not isinstance(power, Signal):
        return Signal(power, rate_hz=rate_hz, times=times, start_ns=start_ns)
    if rate_hz is not None or times is not None or _time(start_ns, "start_ns"):
        raise ValueError("rate_hz, times, start_ns: the signal has its own")
    return power


def _rows(value: Any) -> list[tuple[str, object]]:
    return [(one.name, getattr(value, one.name)) for one in fields(value)]


def _cell(value: object) -> object:
    if isinstance(value, float):
        return None if math.isnan(value) else f"{value:.6g}"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or None
    return value


class _Html(Value):
    """A table of the fields, for notebooks."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        rows = [(name, _cell(value)) for name, value in _rows(self)]
        return html_table(str(self), ("", ""), rows)


def _w(watts: float) -> str:
    return f"{watts:.4g} W" if abs(watts) >= 1 else f"{watts * 1e3:.4g} mW"


def _j(joules: float) -> str:
    return f"{joules:.6g} J" if abs(joules) >= 1 else f"{joules * 1e3:.4g} mJ"


def _s(ns: float) -> str:
    for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if abs(ns) >= scale:
            return f"{ns / scale:.4g} {unit}"
    return f"{ns:g} ns"


@dataclass(frozen=True, eq=False)
class Energy(_Html):
    """The energy of a signal.

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
        text = _j(self.energy_j)
        if self.high_j != self.low_j:
            text += f" ({_j(self.low_j)} to {_j(self.high_j)})"
        text += f" in {_s(self.covered_ns)}"
        if not math.isnan(self.mean_power_w):
            text += f", mean {_w(self.mean_power_w)}"
        return "; ".join([text, *self.remarks])


def _energy(values: tuple[Any, ...]) -> Energy:
    bits = values[-1]
    remarks = tuple(w for w, bit in _core.SIGNAL_REMARKS.items() if bits & bit)
    return Energy(*(*values[:-1], remarks))


def _energy_params(max_gap_ns: int, tolerance: float) -> tuple[int, float]:
    return (
        check_unsigned(max_gap_ns, "max_gap_ns", 2**63 - 1),
        _number(tolerance, "tolerance"),
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
    signal = _signal(power, rate_hz, times, start_ns)
    return _energy(_core.measure_energy(signal._handle, *params))


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

    __slots__ = ("_handle",)

    def __init__(self, *, max_gap_ns: int = 0, tolerance: float = 0.0) -> None:
        self._handle = _core.Integral(*_energy_params(max_gap_ns, tolerance))

    def feed(
        self,
        power: SignalLike,
        *,
        rate_hz: float | None = None,
        times: object = None,
        start_ns: int = 0,
    ) -> None:
        """The next samples, any number at a time."""
        self._handle.feed(_signal(power, rate_hz, times, start_ns)._handle)

    def energy(self) -> Energy:
        """What came of all samples up to now.

        Raises:
            UnknownValueError: not one finite sample.
        """
        return _energy(self._handle.get())


@dataclass(frozen=True, eq=False)
class Baseline(_Html):
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
            _core.BASELINE_METHODS[self.method],
        )

    def __str__(self) -> str:
        return (
            f"{_w(self.level_w)}, noise {_w(self.sigma_w)} "
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
    number = 0
    if method is not None:
        word = check_word(method, "method", _core.BASELINE_METHODS)
        number = _core.BASELINE_METHODS[word]
    begin = end = 0
    if window is not None:
        if not isinstance(window, (tuple, list)) or len(window) != 2:
            raise TypeError("window: (begin, end) in nanoseconds is needed")
        begin, end = (_time(one, "window") for one in window)
        if end <= begin:
            raise InvalidError(
                errno.EINVAL, f"window: its end, {end} ns, is not after its begin"
            )
    signal = _signal(power, rate_hz, times, start_ns)
    return _baseline(_core.measure_baseline(signal._handle, begin, end, number))


class Level(Ongoing):
    """The baseline of a window that is too long to keep, in one pass."""

    __slots__ = ("_handle",)

    def __init__(self) -> None:
        self._handle = _core.Level()

    def feed(
        self,
        power: SignalLike,
        *,
        rate_hz: float | None = None,
        times: object = None,
        start_ns: int = 0,
    ) -> None:
        """The next samples of an idle drive."""
        self._handle.feed(_signal(power, rate_hz, times, start_ns)._handle)

    def baseline(self) -> Baseline:
        """What came of all samples; error_w says how far each may be off.

        Raises:
            UnknownValueError: fewer than 3 finite samples.
            RangeError: the signal is too quiet for one pass.
        """
        return _baseline(self._handle.get())


@dataclass(frozen=True, eq=False)
class Activity(_Html):
    """A stretch in which the drive works.

    Attributes:
        begin: index of its first sample.
        end: index of the first one after it.
        begin_ns: time of the first.
        end_ns: time of the one after it; of the last sample, where the signal ends
            before the activity does.
        energy_j: all that was drawn.
        extra_j: of it, above the baseline.
        peak_w: the largest sample.
        open_begin: it had begun before the first sample.
        open_end: it had not ended with the last.
    """

    begin: int
    end: int
    begin_ns: int
    end_ns: int
    energy_j: float
    extra_j: float
    peak_w: float
    open_begin: bool
    open_end: bool

    @property
    def duration_s(self) -> float:
        """From begin_ns to end_ns, in seconds."""
        return (self.end_ns - self.begin_ns) / 1e9

    @property
    def mean_power_w(self) -> float:
        """energy_j by duration_s; NaN for one sample alone."""
        return self.energy_j / self.duration_s if self.duration_s else math.nan

    def __str__(self) -> str:
        return (
            f"{_s(self.begin_ns)} to {_s(self.end_ns)}: {_j(self.energy_j)}, of it "
            f"{_j(self.extra_j)} above the baseline, up to {_w(self.peak_w)}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Activities(Value, Sequence[Activity]):
    """All stretches in which the drive works, in their order.

    Attributes:
        signal: the samples.
        baseline: what they were held against.
        runs: the stretches; indexing, len() and iteration give these.
        sampling: whether there are shorter ones than the samples can tell.
    """

    signal: Signal = field(compare=False)
    baseline: Baseline
    runs: tuple[Activity, ...]
    sampling: Sampling = field(compare=False)

    def __len__(self) -> int:
        return len(self.runs)

    @overload
    def __getitem__(self, index: int) -> Activity: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Activity, ...]: ...
    def __getitem__(self, index: int | slice) -> Activity | tuple[Activity, ...]:
        return self.runs[index]

    def __str__(self) -> str:
        head = f"{len(self)} runs above {self.baseline}"
        rows = (*self.sampling._lines(), *self.runs)
        return "\n".join([head, *(f"  {one}" for one in rows)])

    def __repr__(self) -> str:
        return f"<ssdpm.measure.Activities: {len(self)} runs above {self.baseline}>"

    def _repr_html_(self) -> str:
        names = [one.name for one in fields(Activity)]
        rows = ([_cell(getattr(one, name)) for name in names] for one in self.runs)
        head = f"{len(self)} runs above {self.baseline}"
        return html_table(head, names, rows)

    def plot(self, ax: Axes | None = None) -> Axes:
        """The samples with the baseline and the runs drawn over them.

        Where there are more samples than pixels, the least and the largest of each
        pixel are drawn.

        Raises:
            ImportError: there is no matplotlib.
        """
        from ssdpm.plot import plot_activities

        return plot_activities(self, ax)


_Detect = tuple[float, float, float, int, int, int]


def _detect(
    enter_sigmas: float,
    leave_sigmas: float,
    floor_w: float,
    enter_samples: int,
    leave_samples: int,
    filter_samples: int,
) -> _Detect:
    return (
        _number(enter_sigmas, "enter_sigmas"),
        _number(leave_sigmas, "leave_sigmas"),
        _number(floor_w, "floor_w"),
        check_unsigned(enter_samples, "enter_samples", 2**32 - 1),
        check_unsigned(leave_samples, "leave_samples", 2**32 - 1),
        check_unsigned(filter_samples, "filter_samples", 2**32 - 1),
    )


def _level(value: object) -> tuple[float, float, float, float, float, int, int]:
    return check_instance(value, "baseline", Baseline)._tuple()  # type: ignore[no-any-return]


def activity(
    power: SignalLike,
    baseline: Baseline,
    *,
    rate_hz: float | None = None,
    times: object = None,
    start_ns: int = 0,
    enter_sigmas: float = 5.0,
    leave_sigmas: float = 3.0,
    floor_w: float = 0.0,
    enter_samples: int = 3,
    leave_samples: int = 3,
    filter_samples: int = 0,
) -> Activities:
    """When a drive works, by its power alone.

    Args:
        power, rate_hz, times, start_ns: as Signal has them.
        baseline: what baseline() found.
        enter_sigmas: activity begins with enter_samples in a row that are more above
            the baseline than this,
        leave_sigmas: and ends before leave_samples that are not even this much above;
        floor_w: never with less above it than this.
        enter_samples, leave_samples: how many in a row.
        filter_samples: length of a running median over the samples before all that,
            against spikes: odd, up to 101; 0: none.

    Raises:
        InvalidError: parameters that contradict each other.
    """
    detect = _detect(
        enter_sigmas,
        leave_sigmas,
        floor_w,
        enter_samples,
        leave_samples,
        filter_samples,
    )
    level = _level(baseline)
    signal = _signal(power, rate_hz, times, start_ns)
    from ssdpm.sampling import check

    found = _core.measure_activity(signal._handle, level, detect)
    runs = (
        Activity(*one[:-1], bool(one[-1] & _OPEN_BEGIN), bool(one[-1] & _OPEN_END))
        for one in found
    )
    fast = check(signal, baseline, detect)
    return Activities(signal, baseline, tuple(runs), fast)


@dataclass(frozen=True, eq=False)
class Tail(_Html):
    """Work that goes on after the last I/O.

    Attributes:
        end_ns: when it ends.
        duration_ns: from the last completion to there; 0: there is none.
        extra_j: energy above the baseline in that time.
        sigma_j: its standard error, from the noise of the baseline.
        open: it had not ended with the last sample.
        n: samples in it.
    """

    end_ns: int
    duration_ns: int
    extra_j: float
    sigma_j: float
    open: bool
    n: int

    @property
    def duration_s(self) -> float:
        """duration_ns in seconds."""
        return self.duration_ns / 1e9

    def __str__(self) -> str:
        if not self.duration_ns:
            return "no tail"
        more = ", and it had not ended" if self.open else ""
        return (
            f"{_s(self.duration_ns)}: {_j(self.extra_j)} +- {_j(self.sigma_j)} "
            f"above the baseline{more}"
        )


def tail(
    power: SignalLike,
    baseline: Baseline,
    completion_ns: int,
    *,
    rate_hz: float | None = None,
    times: object = None,
    start_ns: int = 0,
    enter_sigmas: float = 5.0,
    leave_sigmas: float = 3.0,
    floor_w: float = 0.0,
    leave_samples: int = 3,
    filter_samples: int = 0,
) -> Tail:
    """The work after the last completion.

    Args:
        power, rate_hz, times, start_ns: as Signal has them.
        baseline: what baseline() found.
        completion_ns: of the last I/O, on the clock of the samples.
        enter_sigmas, leave_sigmas, floor_w, leave_samples, filter_samples: as
            activity() has them.

    Raises:
        UnknownValueError: the samples end before completion_ns.
        InvalidError: parameters that contradict each other.
    """
    detect = _detect(
        enter_sigmas, leave_sigmas, floor_w, 0, leave_samples, filter_samples
    )
    completion = _time(completion_ns, "completion_ns")
    level = _level(baseline)
    signal = _signal(power, rate_hz, times, start_ns)
    return Tail(*_core.measure_tail(signal._handle, level, detect, completion))


@dataclass(frozen=True, eq=False)
class IdleWork(_Html):
    """What a drive does by itself while idle.

    Attributes:
        n: stretches of activity, without those cut off by an end.
        regular: they come at one period.
        period_ns: median time from one to the next; None: fewer than two.
        period_mad_ns: MAD of these times.
        duration_ns: median of their lengths.
        extra_j: median of their energies above the baseline.
        extra_mad_j: MAD of these.
        mean_extra_w: what all of them add to the mean power.
        sampling: whether there are shorter ones than the samples can tell.
    """

    n: int
    regular: bool
    period_ns: int | None
    period_mad_ns: int | None
    duration_ns: int
    extra_j: float
    extra_mad_j: float
    mean_extra_w: float
    sampling: Sampling = field(compare=False, repr=False)

    def __str__(self) -> str:
        return "; ".join([self._words(), *self.sampling._lines()])

    def _words(self) -> str:
        if not self.n:
            return "no work in idle"
        times = f"every {_s(self.period_ns)}" if self.period_ns else "once"
        if self.period_ns and not self.regular:
            times = f"irregularly, median {_s(self.period_ns)} apart"
        return (
            f"{self.n} times, {times}: {_s(self.duration_ns)} and {_j(self.extra_j)} "
            f"each, {_w(self.mean_extra_w)} in the mean"
        )


def idle_work(
    power: SignalLike,
    baseline: Baseline,
    *,
    rate_hz: float | None = None,
    times: object = None,
    start_ns: int = 0,
    enter_sigmas: float = 5.0,
    leave_sigmas: float = 3.0,
    floor_w: float = 0.0,
    enter_samples: int = 3,
    leave_samples: int = 3,
    filter_samples: int = 0,
) -> IdleWork:
    """Regular work while no I/O is sent; the arguments are those of activity().

    It is regular if there are four or more, and the MAD of the period is at most a
    tenth of it.
    """
    detect = _detect(
        enter_sigmas,
        leave_sigmas,
        floor_w,
        enter_samples,
        leave_samples,
        filter_samples,
    )
    level = _level(baseline)
    signal = _signal(power, rate_hz, times, start_ns)
    values: list[Any] = list(_core.measure_idle_work(signal._handle, level, detect))
    if values[0] < 2:
        values[2] = values[3] = None
    from ssdpm.sampling import check

    values.append(check(signal, baseline, detect))
    return IdleWork(*values)


class Background(_Word):
    """What a drive does after the runs of an experiment; members are their words."""

    NONE = "none"
    """Nothing that can be told."""
    NOT_SIGNIFICANT = "not-significant"
    """Something, here and there."""
    SMALL = "small"
    """Less than a second."""
    EXTENDED = "extended"
    """Seconds, whatever the parameter."""
    GROWS = "grows"
    """With the parameter."""


@dataclass(frozen=True, eq=False)
class BackgroundRun(_Html):
    """One run of an experiment.

    Attributes:
        parameter: what is varied: a size, a pause, a number.
        tail_ns: length of its tail.
        extra_j: energy of it above the baseline.
        sigma_j: standard error of that.
    """

    parameter: float
    tail_ns: int
    extra_j: float
    sigma_j: float

    @classmethod
    def from_tail(cls, parameter: float, tail: Tail) -> BackgroundRun:
        """Of what tail() measured."""
        check_float(parameter, "parameter")
        check_instance(tail, "tail", Tail)
        return cls(parameter, tail.duration_ns, tail.extra_j, tail.sigma_j)


@dataclass(frozen=True, eq=False)
class BackgroundClass(_Html):
    """The class of an experiment.

    Attributes:
        background: its class.
        n_tails: runs with a tail.
        tail_ns: median length over all runs.
        extra_j: median energy over all runs.
        trend: Kendall's tau-b of parameter and energy: -1 to 1.
        trend_p: how likely a trend as strong is by chance.
    """

    background: Background
    n_tails: int
    tail_ns: int
    extra_j: float
    trend: float
    trend_p: float

    def __str__(self) -> str:
        return (
            f"{self.background}: {self.n_tails} runs with a tail, median "
            f"{_s(self.tail_ns)} and {_j(self.extra_j)}, trend {self.trend:+.2f} "
            f"(p {self.trend_p:.2g})"
        )


def classify(runs: Iterable[BackgroundRun]) -> BackgroundClass:
    """The class of an experiment, of which the rules are in ssdpm_measure(3).

    Args:
        runs: in any order, repeated values of the parameter welcome.

    Raises:
        UnknownValueError: fewer than 4 runs, or than 3 values of the parameter.
        InvalidError: a value that is not finite.
    """
    rows = []
    for one in check_list(runs, "runs", "ssdpm.BackgroundRun"):
        run = check_instance(one, "runs", BackgroundRun)
        tail_ns = check_unsigned(run.tail_ns, "tail_ns", 2**64 - 1)
        numbers = (float(run.parameter), tail_ns, float(run.extra_j))
        rows.append((*numbers, float(run.sigma_j)))
    found = _core.measure_classify(rows)
    return BackgroundClass(Background(_BACKGROUND_WORDS[found[0]]), *found[1:])


@dataclass(frozen=True, eq=False)
class Experiment(_Html):
    """One experiment of a suite, with its class.

    Attributes:
        micro_benchmark: what is varied: "granularity", "pause".
        drive: its name.
        pattern: of the I/Os: "SW", "RW".
        n_runs: how many it had.
        background: its class.
    """

    micro_benchmark: str
    drive: str
    pattern: str
    n_runs: int
    background: BackgroundClass

    def __str__(self) -> str:
        return f"{self.micro_benchmark}, {self.drive}, {self.pattern}: {self.background}"


# As the study writes them.
_CLASS_WORDS = {
    Background.NONE: "none",
    Background.NOT_SIGNIFICANT: "NS",
    Background.SMALL: "S",
    Background.EXTENDED: "Ex",
    Background.GROWS: "GWP",
}
_PATTERNS = ("SR", "SW", "RR", "RW")


@dataclass(frozen=True, eq=False, repr=False)
class Matrix(Value):
    """The classes of a suite, as the study of uFLIP published them.

    Indexing with a micro-benchmark and a drive gives a cell: ``matrix["mix", "MTron"]``
    is "NS / S", or one word where all patterns have it; "-": not run.

    Attributes:
        micro_benchmarks: the lines.
        drives: the columns.
        patterns: what stands in a cell.
        experiments: all of them, in their order.
    """

    micro_benchmarks: tuple[str, ...]
    drives: tuple[str, ...]
    patterns: tuple[str, ...]
    experiments: tuple[Experiment, ...]

    def get(self, micro_benchmark: str, drive: str, pattern: str) -> Experiment | None:
        """One experiment; None: it was not run."""
        check_text(micro_benchmark, "micro_benchmark")
        check_text(drive, "drive")
        check_text(pattern, "pattern")
        for one in self.experiments:
            if (one.micro_benchmark, one.drive, one.pattern) == (
                micro_benchmark,
                drive,
                pattern,
            ):
                return one
        return None

    def words(self, micro_benchmark: str, drive: str) -> tuple[str, ...]:
        """Of each pattern, as in "GWP"; "-": not run."""
        check_word(micro_benchmark, "micro_benchmark", self.micro_benchmarks)
        check_word(drive, "drive", self.drives)
        found = (self.get(micro_benchmark, drive, p) for p in self.patterns)
        return tuple(
            "-" if one is None else _CLASS_WORDS[one.background.background]
            for one in found
        )

    def __getitem__(self, at: tuple[str, str]) -> str:
        words = self.words(*at)
        return words[0] if len(set(words)) == 1 else " / ".join(words)

    def _table(self) -> list[list[str]]:
        patterns = " / ".join(self.patterns)
        rows = [["", *(f"{drive} {patterns}" for drive in self.drives)]]
        rows += [
            [name, *(self[name, drive] for drive in self.drives)]
            for name in self.micro_benchmarks
        ]
        return rows

    def __str__(self) -> str:
        rows = self._table()
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
            for row in rows
        )

    def __repr__(self) -> str:
        return (
            f"<ssdpm.measure.Matrix: {len(self.experiments)} experiments, "
            f"{len(self.micro_benchmarks)} micro-benchmarks on {len(self.drives)} drives>"
        )

    def _repr_html_(self) -> str:
        head, *rows = self._table()
        return html_table("background work", head, rows)

    def plot(self, ax: Axes | None = None) -> Axes:
        """The matrix in colours, a part of each cell for each pattern.

        Raises:
            ImportError: there is no matplotlib.
        """
        from ssdpm.plot import plot_matrix

        return plot_matrix(self, ax)


_Place = tuple[str, str, str]


def _suite_of_frame(frame: Any) -> dict[_Place, list[BackgroundRun]]:
    """Of a DataFrame with the columns that `ssdpm measure background --sweep` reads."""
    names = [
        *("micro_benchmark", "drive", "pattern"),
        *("parameter", "tail_s", "extra_j", "sigma_j"),
    ]
    for name in names:
        if name not in frame.columns:
            raise ValueError(f"runs: there is no column {name!r}")
    suite: dict[_Place, list[BackgroundRun]] = {}
    for *place, parameter, tail_s, extra_j, sigma_j in zip(
        *(frame[name].tolist() for name in names)
    ):
        seconds = _number(tail_s, "tail_s")
        if seconds > 1e9:
            raise RangeError(errno.ERANGE, "tail_s: a tail is 0 to 1e9 seconds long")
        numbers = (float(parameter), round(seconds * 1e9), float(extra_j))
        where = (str(place[0]), str(place[1]), str(place[2]))
        suite.setdefault(where, []).append(BackgroundRun(*numbers, float(sigma_j)))
    return suite


def _pattern_rank(pattern: str) -> int:
    return _PATTERNS.index(pattern) if pattern in _PATTERNS else len(_PATTERNS)


def classify_suite(
    runs: Mapping[tuple[str, str, str], Iterable[BackgroundRun]] | Any,
) -> Matrix:
    """The classes of all experiments of a suite, as a matrix.

    Args:
        runs: those of each experiment, by micro-benchmark, drive and pattern; or a
            DataFrame with columns micro_benchmark, drive, pattern, parameter, tail_s,
            extra_j, sigma_j and a line for each run.

    Raises:
        UnknownValueError: an experiment has fewer than 4 runs, or than 3 values of the
            parameter; the message names it.
        InvalidError: a value that is not finite.
    """
    suite = _suite_of_frame(runs) if hasattr(runs, "columns") else runs
    if not isinstance(suite, Mapping):
        raise TypeError(
            f"runs: a dict or a DataFrame is needed, not {type(runs).__name__}"
        )
    experiments = []
    for place, some in suite.items():
        if not isinstance(place, tuple) or len(place) != 3:
            raise TypeError(
                f"runs: each key is (micro-benchmark, drive, pattern), not {place!r}"
            )
        names = [check_text(name, "runs") for name in place]
        rows = check_list(some, "runs", "ssdpm.BackgroundRun")
        try:
            background = classify(rows)
        except Error as error:
            code, message = error.errno or 0, error.strerror
            raise type(error)(code, f"{', '.join(names)}: {message}") from None
        bench, drive, pattern = names
        experiments.append(Experiment(bench, drive, pattern, len(rows), background))
    patterns = dict.fromkeys(one.pattern for one in experiments)
    return Matrix(
        tuple(dict.fromkeys(one.micro_benchmark for one in experiments)),
        tuple(dict.fromkeys(one.drive for one in experiments)),
        tuple(sorted(patterns, key=_pattern_rank)),
        tuple(experiments),
    )


def _floats(values: object, name: str) -> list[float]:
    array = floats(values, name, missing_is_nan=False)
    one_dimension(array, name)
    result: list[float] = array.tolist()
    return result


def proportionality(load: object, power_w: object) -> float:
    """How far power follows work: 1 in proportion, 0 not at all.

    Args:
        load: of each level of work, in any unit, from 0 (idle) on, ascending.
        power_w: watts at these.

    Raises:
        InvalidError: not ascending from 0, not finite, no power at the top.
        ValueError: not as many of both.
    """
    loads, powers = _floats(load, "load"), _floats(power_w, "power_w")
    if len(loads) != len(powers):
        raise ValueError(
            f"power_w: there are {len(powers)} for {len(loads)} levels of load"
        )
    return _core.measure_proportionality(loads, powers)


@dataclass(frozen=True, eq=False)
class ProportionalityCurve(_Html):
    """Power at levels of work.

    Attributes:
        index: as of proportionality().
        load: levels of work, from 0 on, ascending.
        power_w: watts at these.
    """

    index: float
    load: tuple[float, ...]
    power_w: tuple[float, ...]

    def __str__(self) -> str:
        return (
            f"index {self.index:.3f}: {_w(self.power_w[0])} idle, "
            f"{_w(self.power_w[-1])} at most, {len(self.load)} levels of work"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Power over work, with the lines of proportion and of no change.

        Raises:
            ImportError: there is no matplotlib.
        """
        from ssdpm.plot import plot_proportionality

        return plot_proportionality(self, ax)


def proportionality_curve(load: object, power_w: object) -> ProportionalityCurve:
    """proportionality() with what it is from, to be drawn; the arguments are its."""
    loads, powers = _floats(load, "load"), _floats(power_w, "power_w")
    return ProportionalityCurve(
        proportionality(loads, powers), tuple(loads), tuple(powers)
    )


@dataclass(frozen=True, eq=False)
class SizeRun(_Html):
    """One run with I/Os of one size.

    Attributes:
        bytes: size of an I/O.
        time_s: how long the run took.
        energy_j: what it took.
        pattern: of the I/Os: "SW", "RW".
    """

    bytes: int
    time_s: float
    energy_j: float
    pattern: str = ""


@dataclass(frozen=True, eq=False)
class SizeLevel(_Html):
    """All runs of one pattern with I/Os of one size.

    Attributes:
        pattern: of the I/Os.
        bytes: size of an I/O.
        n_runs: how many runs.
        time_s, energy_j: their medians.
    """

    pattern: str
    bytes: int
    n_runs: int
    time_s: float
    energy_j: float

    @property
    def mean_power_w(self) -> float:
        """energy_j by time_s; NaN where that is 0."""
        return self.energy_j / self.time_s if self.time_s else math.nan


@dataclass(frozen=True, eq=False, repr=False)
class SizeProfile(Value):
    """Time and energy against the size of I/Os.

    Attributes:
        levels: of each pattern, the sizes in their order.
        runs: what they are from.
    """

    levels: tuple[SizeLevel, ...]
    runs: tuple[SizeRun, ...]

    @property
    def patterns(self) -> tuple[str, ...]:
        """In the order of the runs."""
        return tuple(dict.fromkeys(one.pattern for one in self.levels))

    def _head(self) -> str:
        sizes = sorted({one.bytes for one in self.levels})
        return f"{len(self.runs)} runs, {len(sizes)} sizes of I/Os"

    def __repr__(self) -> str:
        return f"<ssdpm.measure.SizeProfile: {self._head()}>"

    def _repr_html_(self) -> str:
        names = [one.name for one in fields(SizeLevel)]
        rows = ([_cell(getattr(one, name)) for name in names] for one in self.levels)
        return html_table(self._head(), names, rows)

    def plot(self, axes: Sequence[Axes] | None = None) -> tuple[Axes, Axes]:
        """Time on the left, energy on the right: their medians, and all runs.

        Args:
            axes: two of them; None: a new figure.

        Raises:
            ImportError: there is no matplotlib.
        """
        from ssdpm.plot import plot_sizes

        return plot_sizes(self, axes)


def _columns(
    values: Any, cls: type, name: str, defaults: Mapping[str, object]
) -> list[Any]:
    """Objects of ours, or a DataFrame with columns of these names."""
    if not hasattr(values, "columns"):
        listed = check_list(values, name, f"ssdpm.{cls.__name__}")
        return [check_instance(one, name, cls) for one in listed]
    wanted = [one.name for one in fields(cls)]
    for column in wanted:
        if column not in values.columns and column not in defaults:
            raise ValueError(f"{name}: there is no column {column!r}")
    columns = [
        values[column].tolist()
        if column in values.columns
        else [defaults[column]] * len(values)
        for column in wanted
    ]
    return [cls(*row) for row in zip(*columns)]


def size_profile(runs: Iterable[SizeRun] | Any) -> SizeProfile:
    """Time and energy of runs against the size of their I/Os.

    Args:
        runs: in any order, more of one size welcome; or a DataFrame with columns bytes,
            time_s, energy_j and, where there is more than one, pattern.

    Raises:
        RangeError: a size below 1, a time or an energy that is not finite or below 0.
    """
    some: list[SizeRun] = _columns(runs, SizeRun, "runs", {"pattern": ""})
    groups: dict[tuple[str, int], list[SizeRun]] = {}
    for one in some:
        check_unsigned(one.bytes, "bytes", 2**63 - 1, 1)
        _number(one.time_s, "time_s")
        _number(one.energy_j, "energy_j")
        groups.setdefault((one.pattern, int(one.bytes)), []).append(one)
    patterns = list(dict.fromkeys(one.pattern for one in some))
    levels = (
        SizeLevel(
            pattern,
            size,
            len(group),
            float(np.median([one.time_s for one in group])),
            float(np.median([one.energy_j for one in group])),
        )
        for (pattern, size), group in sorted(
            groups.items(), key=lambda item: (patterns.index(item[0][0]), item[0][1])
        )
    )
    return SizeProfile(tuple(levels), tuple(some))


@dataclass(frozen=True, eq=False)
class DatasheetRun(_Html):
    """A run, and what the data sheet of its drive says.

    Attributes:
        name: of the drive, or the run.
        active_w: active power of the data sheet.
        time_s: how long the run took.
        energy_j: what was measured.
    """

    name: str
    active_w: float
    time_s: float
    energy_j: float

    @classmethod
    def from_energy(cls, name: str, active_w: float, energy: Energy) -> DatasheetRun:
        """Of what energy() measured."""
        check_text(name, "name")
        check_float(active_w, "active_w")
        check_instance(energy, "energy", Energy)
        return cls(name, active_w, energy.covered_s, energy.energy_j)

    @property
    def datasheet_j(self) -> float:
        """active_w x time_s: what the data sheet makes of it."""
        return self.active_w * self.time_s

    @property
    def ratio(self) -> float:
        """How many times too high that is; below 1: too low."""
        return self.datasheet_j / self.energy_j

    def __str__(self) -> str:
        return (
            f"{self.name}: data sheet {_j(self.datasheet_j)}, measured "
            f"{_j(self.energy_j)}: {self.ratio:.2f} times"
        )


@dataclass(frozen=True, eq=False, repr=False)
class DatasheetComparison(Value):
    """Watts of data sheets x time against measured joules.

    Attributes:
        runs: what was compared.
    """

    runs: tuple[DatasheetRun, ...]

    @property
    def ratios(self) -> tuple[float, ...]:
        """Of each run."""
        return tuple(run.ratio for run in self.runs)

    def _head(self) -> str:
        if not self.runs:
            return "no runs"
        return (
            f"data sheet x time is {min(self.ratios):.2f} to {max(self.ratios):.2f} "
            f"times what was measured in {len(self.runs)} runs"
        )

    def __str__(self) -> str:
        return "\n".join([self._head(), *(f"  {run}" for run in self.runs)])

    def __repr__(self) -> str:
        return f"<ssdpm.measure.DatasheetComparison: {self._head()}>"

    def _repr_html_(self) -> str:
        names = ("name", "active_w", "time_s", "datasheet_j", "energy_j", "ratio")
        rows = ([_cell(getattr(run, name)) for name in names] for run in self.runs)
        return html_table(self._head(), names, rows)

    def plot(self, ax: Axes | None = None) -> Axes:
        """A bar for the data sheet and one for what was measured, and their ratio.

        Raises:
            ImportError: there is no matplotlib.
        """
        from ssdpm.plot import plot_datasheet

        return plot_datasheet(self, ax)


def against_datasheet(runs: Iterable[DatasheetRun] | Any) -> DatasheetComparison:
    """Watts of the data sheet x time against what was measured.

    Args:
        runs: or a DataFrame with columns name, active_w, time_s, energy_j.

    Raises:
        RangeError: a value that is not finite, not above 0.
    """
    some: list[DatasheetRun] = _columns(runs, DatasheetRun, "runs", {})
    for one in some:
        for name in ("active_w", "time_s", "energy_j"):
            if not _number(getattr(one, name), name):
                raise RangeError(errno.ERANGE, f"{name}: of {one.name} it is 0")
    return DatasheetComparison(tuple(some))


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
    values = _floats(rounds, "rounds")
    number = check_unsigned(window, "window", 2**32 - 1, 2)
    limits = _number(max_range, "max_range"), _number(max_slope, "max_slope")
    try:
        return _core.measure_steady_state(values, number, *limits)
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
    numbers = _number(sigma_w, "sigma_w"), _number(penalty, "penalty")
    least = check_unsigned(min_samples, "min_samples", 2**31, 1)
    signal = _signal(power, rate_hz, times, start_ns)
    found = _core.measure_change_points(signal._handle, *numbers, least)
    return np.array(found, dtype=np.intp)


# Each needs what stands above.
from ssdpm import survey  # noqa: E402
from ssdpm.sampling import Sampling, sampling  # noqa: E402
from ssdpm.power import (  # noqa: E402
    PowerCounts,
    PowerIterator,
    iter_power,
    read_power,
)
from ssdpm.calibration import (  # noqa: E402
    Calibration,
    Measured,
    MeasuredStatus,
    calibrate,
)
