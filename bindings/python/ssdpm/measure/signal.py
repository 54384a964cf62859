# SPDX-License-Identifier: MIT
"""Samples of power: of arrays, and of files."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex, TypedDict, Union

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.arrays import array_of, floats, integers, one_dimension, share
from ssdpm.base.convert import check_number, check_text, check_time, check_word, takes
from ssdpm.base.errors import RangeError
from ssdpm.base.result import Value, html_fields, same
from ssdpm.workload.files import Parts, TraceSource

if TYPE_CHECKING:
    from typing_extensions import Unpack


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


@dataclass(frozen=True, eq=False)
class PowerCounts(Value):
    """What a reader of samples met.

    Attributes:
        n_lines: lines, those without a sample too; 0: the file has none.
        n_samples: samples.
        n_wraps: times that a counter of energy began anew at counter_j.
        n_resets: times that one fell otherwise: the power of that step is NaN.
    """

    n_lines: int
    n_samples: int
    n_wraps: int
    n_resets: int

    def _repr_html_(self) -> str:
        return html_fields("what was met", self)


class Signal:
    """Samples of power with their times: a view, nothing is copied.

    Args:
        power: watts: an array of float32 or float64, one dimension, without strides; a
            pandas Series; a list of numbers. Masked values and <NA> become NaN, in a
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
        self.start_ns = check_time(start_ns, "start_ns")
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
        self._handle = _core.energy.Samples(
            self.power_w, self.time_ns, self.start_ns, self.interval_ns
        )

    @staticmethod
    def _interval(rate_hz: float | None, n: int) -> float:
        if rate_hz is None:
            raise TypeError(
                "power: when were the samples taken? Pass rate_hz, or times in "
                "nanoseconds"
            )
        rate = check_number(rate_hz, "rate_hz")
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

    def _first(self, n: int) -> Signal:
        """Some of them, which do not keep the others in memory."""
        if len(self) <= n:
            return self
        power, times = self.power_w[:n].copy(), self.time_ns
        if times is not None:
            times = times[:n].copy()
        place = self.start_ns, self.interval_ns
        return _signal_from((power, times, *place, self.counts, self.name))

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
    self._handle = _core.energy.Samples(power_w, time_ns, start_ns, interval_ns)
    return self


def joined(parts: Sequence[Signal]) -> Signal:
    """The samples of parts, one after the other; counts are those of the last one."""
    if len(parts) == 1:
        return parts[0]
    power = np.concatenate([np.asarray(one.power_w, np.float64) for one in parts])
    signal = Signal(power, times=np.concatenate([one.times_ns() for one in parts]))
    signal.counts, signal.name = parts[-1].counts, parts[-1].name
    return signal


def power_json(
    kind: str,
    signal: Signal,
    baseline: tuple[Any, ...] | None,
    *,
    energy: bytes | None = None,
    sampling: bytes | None = None,
    activities: bytes | None = None,
    tail: bytes | None = None,
    work: bytes | None = None,
) -> str:
    """An object about a signal, of what the library has found."""
    met = signal.counts or PowerCounts(0, len(signal), 0, 0)
    counts = (met.n_lines, met.n_samples, met.n_wraps, met.n_resets)
    parts = (energy, sampling, activities, tail, work)
    return _core.energy.power_json(kind, signal.name or "", counts, baseline, parts)


SignalLike = Union[Signal, npt.NDArray[Any], Sequence[float], Any]
"""A Signal, or what makes one, together with rate_hz or times."""


class When(TypedDict, total=False):
    """When samples that are no Signal were taken, as Signal() has it."""

    rate_hz: float | None
    times: object
    start_ns: int


def signal_of(
    power: object,
    *,
    rate_hz: float | None = None,
    times: object = None,
    start_ns: int = 0,
) -> Signal:
    """A signal as it is, or a new one of an array."""
    if not isinstance(power, Signal):
        return Signal(power, rate_hz=rate_hz, times=times, start_ns=start_ns)
    if rate_hz is not None or times is not None or check_time(start_ns, "start_ns"):
        raise ValueError("rate_hz, times, start_ns: the signal has its own")
    return power


def _scale(value: float | None) -> float:
    """Below 0 is a shunt the wrong way round."""
    if value is None:
        return 0.0
    if isinstance(value, (int, float, np.number)) and value < 0:
        return -check_number(-value, "scale")
    number = check_number(value, "scale")
    if number == 0:
        raise RangeError(errno.ERANGE, "scale: with 0 W for one unit all is 0")
    return number


_Params = tuple["str | None", float, float, float, float, float, int]


class Columns(TypedDict, total=False):
    """How the numbers of a file become watts, as read_power() has it."""

    rate_hz: float | None
    scale: float | None
    shunt_ohm: float | None
    supply_v: float | None
    counter_j: float | None
    format: str


def _params(
    columns: str | None,
    *,
    rate_hz: float | None = None,
    scale: float | None = None,
    shunt_ohm: float | None = None,
    supply_v: float | None = None,
    counter_j: float | None = None,
    format: str = "csv",
) -> _Params:
    def number(value: float | None, name: str) -> float:
        return 0.0 if value is None else check_number(value, name)

    found = _core.energy.POWER_FORMATS[
        check_word(format, "format", _core.energy.POWER_FORMATS)
    ]
    text = None if columns is None else check_text(columns, "columns")
    rate = number(rate_hz, "rate_hz")
    if rate_hz is not None and not 0 < rate <= 1e9:
        raise RangeError(
            errno.ERANGE, f"rate_hz: {rate:g} is not above 0 and at most 1e9"
        )
    return (
        text,
        rate,
        _scale(scale),
        number(shunt_ohm, "shunt_ohm"),
        number(supply_v, "supply_v"),
        number(counter_j, "counter_j"),
        found,
    )


class PowerIterator(Parts[Signal, PowerCounts]):
    """The parts of a file of samples, one after the other; see iter_power().

    It closes its file at the end, as a context manager at the latest at the end of
    the block. A file that the caller opened stays open.
    """

    _what = "file of samples"
    _part_bytes = 16  # a time and a power

    def __init__(
        self, source: TraceSource, chunk: SupportsIndex, params: _Params
    ) -> None:
        # Raw samples have a rate, and no times of their own.
        self._rate_hz = (
            params[1] if params[-1] != _core.energy.POWER_FORMATS["csv"] else None
        )
        super().__init__(
            source, chunk, lambda what: _core.energy.power_open(what, params)
        )

    def _count(self) -> PowerCounts:
        return PowerCounts(*self._reader.counts)

    def _read(self, everything: bool) -> Signal | None:
        reader = self._open()
        with self._failing():
            if everything:
                times, power = reader.read_all()
            else:
                times, power = reader.read(self._chunk)
        if not (len(power) or everything):
            return None
        return self._signal(times, power)

    def _signal(
        self, times: npt.NDArray[np.int64], power: npt.NDArray[np.float64]
    ) -> Signal:
        if self._rate_hz is None:
            signal = Signal(power, times=times)
        else:
            start_ns = int(times[0]) if len(times) else 0
            signal = Signal(power, rate_hz=self._rate_hz, start_ns=start_ns)
        signal.counts = self.counts
        signal.name = self.name
        return signal


@takes(Columns, _params)
def iter_power(
    source: TraceSource,
    columns: str | None = None,
    *,
    chunk: SupportsIndex = 1 << 16,
    **options: Unpack[Columns],
) -> PowerIterator:
    """Read a file of samples of any length a part at a time, in constant memory.

    ::

        integral = measure.Integral()
        for part in measure.iter_power("watts.csv.zst"):
            integral.feed(part)
        print(integral.energy())

    Lines before one that cannot be read come out first, then the error.

    Args:
        chunk: how many samples a part has at most.
        And as read_power().

    Returns:
        An iterator of signals, a context manager too; its counts are those so far.

    Raises:
        As read_power(), here or from the iterator.
    """
    return PowerIterator(source, chunk, _params(columns, **options))


@takes(Columns, _params)
def read_power(
    source: TraceSource,
    columns: str | None = None,
    **options: Unpack[Columns],
) -> Signal:
    """Read all samples of a file into memory, 16 bytes each, 8 of raw ones.

    The first time is 0. Times are as the file has them: energy() counts where they
    jump.

    Args:
        source: a path, an open binary file, or bytes; gzip, zstd, xz and bzip2 are
            unpacked.
        columns: what each column is, as in "time_s,power_w", "time_ms,volts,-,amperes"
            or "energy_uj"; ssdpm_power(3) has all names; None: from the first line.
        rate_hz: samples in a second, where the file has no times.
        scale: watts for one unit of a raw sample; None: 1.
        shunt_ohm: R of a shunt, for a column shunt_v, shunt_mv or shunt_uv.
        supply_v: the voltage before the shunt, where no column has it.
        counter_j: a counter of energy begins anew there; None: unknown, and the power
            of a step in which it did is NaN.
        format: "csv", or raw numbers one after the other: "float32", "int16".

    Returns:
        A Signal; its counts say what was met.

    Raises:
        FormatError: columns that make no power, a line that cannot be read; the error
            has the file and the line.
        UnknownValueError: the file is empty, or nothing says what its columns are.
        UnsupportedError: packed, and this build cannot unpack it.
        OSError: the file cannot be read (FileNotFoundError and so on).
        TypeError, ValueError: an argument of another type, an unknown word.
    """
    with PowerIterator(source, 1, _params(columns, **options)) as parts:
        signal = parts._read(True)
        assert signal is not None
        return signal
