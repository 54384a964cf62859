# SPDX-License-Identifier: MIT
"""Samples of power from files: text and raw numbers, packed or not, of any length."""

from __future__ import annotations

import errno
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.convert import check_number, check_text, check_word
from ssdpm.base.errors import RangeError
from ssdpm.measure.signal import PowerCounts, Signal
from ssdpm.workload.files import Parts, TraceSource


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


def _params(
    columns: str | None,
    rate_hz: float | None,
    scale: float | None,
    shunt_ohm: float | None,
    supply_v: float | None,
    counter_j: float | None,
    format: str,
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


def iter_power(
    source: TraceSource,
    columns: str | None = None,
    *,
    chunk: SupportsIndex = 1 << 16,
    rate_hz: float | None = None,
    scale: float | None = None,
    shunt_ohm: float | None = None,
    supply_v: float | None = None,
    counter_j: float | None = None,
    format: str = "csv",
) -> PowerIterator:
    """Read a file of samples of any length a part at a time, in constant memory.

    ::

        integral = measure.Integral()
        for part in measure.iter_power("watts.csv.zst"):
            integral.feed(part)
        print(integral.energy())

    What stands before a line that cannot be read comes out first, then the error.

    Args:
        chunk: how many samples a part has at most.
        And as read_power().

    Returns:
        An iterator of signals, a context manager too; its counts are those so far.

    Raises:
        As read_power(), here or from the iterator.
    """
    params = _params(columns, rate_hz, scale, shunt_ohm, supply_v, counter_j, format)
    return PowerIterator(source, chunk, params)


def read_power(
    source: TraceSource,
    columns: str | None = None,
    *,
    rate_hz: float | None = None,
    scale: float | None = None,
    shunt_ohm: float | None = None,
    supply_v: float | None = None,
    counter_j: float | None = None,
    format: str = "csv",
) -> Signal:
    """Read all samples of a file into memory, 16 bytes each, 8 of raw ones.

    The first time is 0. Times are as the file has them: energy() counts where they
    jump.

    Args:
        source: a path, an open binary file, or bytes; gzip, zstd and xz are unpacked.
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
    params = _params(columns, rate_hz, scale, shunt_ohm, supply_v, counter_j, format)
    with PowerIterator(source, 1, params) as parts:
        signal = parts._read(True)
        assert signal is not None
        return signal
