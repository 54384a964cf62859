# SPDX-License-Identifier: MIT
"""A trace in memory."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Union, overload

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.arrays import array_of, integers, refuse, refuse_masked, share
from ssdpm.base.convert import check_filename, check_text, check_word, number_of
from ssdpm.base.errors import InvalidError
from ssdpm.base.result import drawn, html_table, need
from ssdpm.workload.records import (
    IO_DTYPE,
    OPS,
    OP_WORDS,
    SERVICE_UNKNOWN,
    Histogram,
    PerOp,
    Records,
    Service,
    TraceCounts,
    TraceStats,
    check_records,
    service_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _ops(values: object) -> npt.NDArray[np.uint64]:
    if isinstance(values, str):
        return np.array(number_of(values, "op", OPS), np.uint64)
    array, masked = array_of(values, "op")
    refuse_masked("op", array, masked)
    if array.dtype.kind in "OU":
        found, places = np.unique(array.astype(str), return_inverse=True)
        numbers = [number_of(str(word), "op", OPS) for word in found]
        return np.array(numbers, dtype=np.uint64)[places].reshape(array.shape)
    numbers_of = integers(array, "op", len(OPS))
    if not numbers_of.all():
        raise refuse("op", numbers_of == 0, numbers_of, "is no operation")
    return numbers_of


def _resolution(times: npt.NDArray[np.uint64]) -> int:
    divisor = int(np.gcd.reduce(times)) if len(times) else 0
    power = 1
    while divisor and divisor % (power * 10) == 0:
        power *= 10
    return power


class Trace:
    """A workload in memory: one record for each I/O, sorted by start_ns.

    Made by read_trace(), generate(), from_records(), from_columns() or
    from_dataframe(). Indexing with a slice or a mask gives a trace, with a number one
    record. Its data never change through it, and threads may share it.
    """

    __slots__ = ("_counts", "_name", "_records")

    _records: Records
    _counts: TraceCounts | None
    _name: str | None

    def __init__(self) -> None:
        raise TypeError("made by ssdpm.read_trace() or ssdpm.Trace.from_records()")

    @classmethod
    def _wrap(
        cls,
        records: Records,
        counts: TraceCounts | None = None,
        name: str | None = None,
    ) -> Trace:
        self = cls.__new__(cls)
        self._records = records.view()
        self._records.flags.writeable = False
        self._counts = counts
        self._name = name
        return self

    @classmethod
    def from_records(cls, records: Records) -> Trace:
        """A trace from an array of IO_DTYPE.

        No copy: the trace uses the memory of the array. One with gaps between its
        records, as records[::2], or in unaligned memory, is copied once.

        Raises:
            TypeError: another dtype.
            ValueError: more than one dimension.
        """
        if not isinstance(records, np.ndarray):
            raise TypeError(
                f"records: an array is needed, not {type(records).__name__}"
            )
        return cls._wrap(check_records(records))

    @classmethod
    def from_columns(
        cls,
        *,
        start_ns: npt.ArrayLike,
        op: npt.ArrayLike | str = "read",
        bytes: npt.ArrayLike = 4096,
        offset: npt.ArrayLike = 0,
        service_ns: npt.ArrayLike | Sequence[int | None] | None = None,
        flags: npt.ArrayLike = 0,
    ) -> Trace:
        """A trace from columns; one value may stand for a whole column.

        Args:
            start_ns: when each I/O was issued, ascending, any integers; times of NumPy,
                pandas and datetime are taken as ns, those with a time zone in UTC.
            op: words as in "read", or their numbers in OPS.
            bytes: how many; 0 for a flush.
            offset: first byte on the drive.
            service_ns: from issue to completion, integers or timedelta64; NaN, NaT,
                <NA>, None, and what is masked: unknown. More than
                4294967294 ns become that, and are counted in counts.n_saturated.
            flags: bits of enum ssdpm_io_flag.

        Raises:
            RangeError: a number beyond its field, or a missing one (NaT, masked); the
                message has its index.
            InvalidError: start_ns descends.
            TypeError, ValueError: no integers, an unknown word, other lengths.
        """
        starts = integers(start_ns, "start_ns", 2**64 - 1, times="mM")
        if starts.ndim != 1:
            raise ValueError("start_ns: an array of one dimension is needed")
        backward = starts[1:] < starts[:-1]
        if backward.any():
            i = int(np.argmax(backward)) + 1
            raise InvalidError(
                errno.EINVAL,
                f"start_ns[{i}]: {starts[i]} is before {starts[i - 1]}: sort them",
            )
        missing = 2**64 - 1
        service = integers(
            np.nan if service_ns is None else service_ns,
            "service_ns",
            missing - 1,
            unknown=missing,
            times="m",
        )
        unknown = (service == missing) | (service == SERVICE_UNKNOWN)
        saturated = ~unknown & (service > _core.energy.SERVICE_MAX)
        service = np.where(saturated, np.uint64(_core.energy.SERVICE_MAX), service)
        service = np.where(unknown, np.uint64(SERVICE_UNKNOWN), service)
        records = np.zeros(len(starts), IO_DTYPE)
        columns: dict[str, npt.NDArray[np.uint64]] = {
            "start_ns": starts,
            "offset": integers(offset, "offset", 2**64 - 1),
            "bytes": integers(bytes, "bytes", 2**32 - 1),
            "service_ns": service,
            "op": _ops(op),
            "flags": integers(flags, "flags", 0xFF),
        }
        for name, column in columns.items():
            if column.shape not in ((), starts.shape):
                raise ValueError(
                    f"{name}: {len(starts)} values are needed, as start_ns has, not "
                    f"the shape {column.shape}"
                )
            records[name] = column
        continued = (records["flags"] & _core.energy.IO_CONTINUED) != 0
        counts = TraceCounts(
            n_ios=int(len(records) - continued.sum()),
            n_records=len(records),
            n_lines=len(records),
            n_bad=0,
            n_unmatched=0,
            n_orphans=0,
            n_saturated=int(np.broadcast_to(saturated, starts.shape).sum()),
            n_backward=0,
            n_wrapped=0,
            n_other_device=0,
            resolution_ns=_resolution(starts),
            n_cached=0,
            n_late=0,
            late_max_ns=0,
            n_unsized=int(
                ((records["bytes"] == 0) & (records["op"] != OPS["flush"])).sum()
            ),
            n_untyped=0,
            format=None,
        )
        return cls._wrap(records, counts)

    @classmethod
    def from_dataframe(cls, frame: Any) -> Trace:
        """A trace from a pandas DataFrame with columns of the names of from_columns().

        Other columns are not looked at; those that are missing have its defaults.

        Raises:
            ValueError: there is no column start_ns.
            And as from_columns().
        """
        if not hasattr(frame, "columns"):
            raise TypeError(f"frame: a DataFrame is needed, not {type(frame).__name__}")
        names = IO_DTYPE.names or ()
        columns = {name: frame[name] for name in names if name in frame.columns}
        if "start_ns" not in columns:
            raise ValueError("frame: a column start_ns is needed")
        return cls.from_columns(**columns)

    @property
    def records(self) -> Records:
        """The records, shape (len(self),), dtype IO_DTYPE, read-only; no copy."""
        return self._records

    @property
    def counts(self) -> TraceCounts | None:
        """What the reader met; None for records that were not read, and for a part."""
        return self._counts

    @property
    def name(self) -> str | None:
        """The name of the file of read_trace(), without its directory, or of the
        workload of generate(); or None."""
        return self._name

    @property
    def start_ns(self) -> npt.NDArray[np.uint64]:
        """When each I/O was issued, on the clock of the trace."""
        return self._records["start_ns"]

    @property
    def offset(self) -> npt.NDArray[np.uint64]:
        """The first byte of each on the drive."""
        return self._records["offset"]

    @property
    def bytes(self) -> npt.NDArray[np.uint32]:
        """How many bytes each has."""
        return self._records["bytes"]

    @property
    def service_ns(self) -> npt.NDArray[np.uint32]:
        """From issue to completion; SERVICE_UNKNOWN where nobody recorded it."""
        return self._records["service_ns"]

    @property
    def op(self) -> npt.NDArray[np.uint8]:
        """The number of each operation; OPS has the words."""
        return self._records["op"]

    @property
    def flags(self) -> npt.NDArray[np.uint8]:
        """Bits of enum ssdpm_io_flag."""
        return self._records["flags"]

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        """The records, for numpy.asarray(); the same memory, unless a copy is due."""
        return share(self._records, dtype, copy)

    def stats(self, service: Service | None = None) -> TraceStats:
        """The trace in numbers, exact but for the quantiles.

        Args:
            service: for records without a service time, as
                Service.from_parameters(ssdpm.parameters(model)); None: they take no
                time.

        Raises:
            InvalidError: start_ns descends, or an operation is unknown; the message
                has the index of the record.
        """
        return trace_stats(self, service)

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with the columns of the records.

        op is a Categorical of words, an unknown service_ns is <NA>.

        Raises:
            ImportError: pandas is not installed.
        """
        pandas = need("pandas", "to_dataframe()", "pandas")
        frame = {name: self._records[name] for name in IO_DTYPE.names or ()}
        service = pandas.array(frame["service_ns"], dtype="UInt32")
        service[frame["service_ns"] == SERVICE_UNKNOWN] = pandas.NA
        frame["service_ns"] = service
        frame["op"] = pandas.Categorical.from_codes(
            self.op.astype(np.int16) - 1, categories=list(OPS)
        )
        return pandas.DataFrame(frame)

    def save(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,
        *,
        file: str = "/dev/ssd",
    ) -> None:
        """Write the trace to a file.

        Args:
            path: of the file; it is replaced.
            format: "npy", which keeps everything, or "fio-iolog", version 3, which fio
                replays; None: "npy" where path ends in .npy, "fio-iolog" where it ends
                in .iolog or .log.
            file: the name that a fio log calls the drive by, without blanks; fio's
                option replay_redirect gives it the real one.

        Raises:
            ValueError: no format is given, and path does not tell.
            InvalidError: fio has no such operation or name.
            OSError: the file cannot be written.
        """
        filename = check_filename(path, "path")
        check_text(file, "file")
        suffix = os.path.splitext(filename)[1]
        if format is None:
            format = {".npy": "npy", ".iolog": "fio-iolog", ".log": "fio-iolog"}.get(
                suffix
            )
            if format is None:
                raise ValueError(f"format: {filename!r} does not tell; name it")
        if check_word(format, "format", ("npy", "fio-iolog")) == "npy":
            with open(filename, "wb") as out:
                np.lib.format.write_array(out, self._records, version=(1, 0))
        else:
            _save_fio_iolog(self._records, filename, file)

    def plot(self, ax: Axes | None = None, *, service: Service | None = None) -> Axes:
        """Draw the idle times: how many of each length, and whose time it is.

        Args:
            ax: where to; None: a new figure.
            service: as for stats().

        Raises:
            ImportError: matplotlib is not installed.
        """
        return drawn("plot_stats", self.stats(service), ax)

    def __len__(self) -> int:
        """The number of records."""
        return len(self._records)

    def __bool__(self) -> bool:
        """True: one without a record is a trace too."""
        return True

    @overload
    def __getitem__(self, index: slice | npt.NDArray[Any] | list[int]) -> Trace: ...
    @overload
    def __getitem__(self, index: int | np.integer[Any]) -> np.void: ...
    def __getitem__(self, index: Any) -> Any:
        part = self._records[index]
        return (
            Trace._wrap(check_records(part)) if isinstance(part, np.ndarray) else part
        )

    def __iter__(self) -> Iterator[np.void]:
        return iter(self._records)

    def __eq__(self, other: object) -> bool:
        """Equal records; how they were read does not matter."""
        if not isinstance(other, Trace):
            return NotImplemented
        return bool(np.array_equal(self._records, other._records))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _trace_from, (self._records, self._counts, self._name)

    def __repr__(self) -> str:
        text = f"<ssdpm.Trace {len(self)} records"
        if len(self):
            text += f", {(int(self.start_ns[-1]) - int(self.start_ns[0])) / 1e9:.6g} s"
        return text + ">"

    def _repr_html_(self) -> str:
        n = 10
        rows = [
            (start, OP_WORDS.get(op, op), offset, n_bytes, service)
            for start, offset, n_bytes, service, op, _ in self._records[:n].tolist()
        ]
        rows = [
            (*row[:4], None if row[4] == SERVICE_UNKNOWN else row[4]) for row in rows
        ]
        caption = f"{len(self)} records" + (", the first 10" if len(self) > n else "")
        columns = ("start_ns", "op", "offset", "bytes", "service_ns")
        return html_table(caption, columns, rows)


def _trace_from(
    records: Records, counts: TraceCounts | None, name: str | None = None
) -> Trace:
    return Trace._wrap(records, counts, name)


def _save_fio_iolog(records: Records, filename: str, file: str) -> None:
    step = 1 << 16
    origin = int(records["start_ns"][0]) if len(records) else 0
    last = b"0"
    with open(filename, "wb") as out:
        out.write(f"fio version 3 iolog\n0 {file} add\n0 {file} open\n".encode())
        for first in range(0, len(records), step):
            lines = _core.energy.to_fio_iolog(
                records[first : first + step], origin, file
            )
            out.write(lines)
            last = lines.rstrip(b"\n").rpartition(b"\n")[2].partition(b" ")[0]
        out.write(last + f" {file} close\n".encode())


TraceLike = Union[Trace, Records, Iterable[Union[Trace, Records]]]
"""A trace in memory, or its parts one after the other, as iter_trace() gives them."""


CountNumbers = tuple[int, ...]
"""The members of struct ssdpm_trace_counts, in their order."""


def count_numbers(counts: TraceCounts) -> CountNumbers:
    """For _core; the format by its number."""
    *numbers, word = (getattr(counts, one.name) for one in fields(counts))
    return (*numbers, _core.energy.TRACE_FORMATS.get(word, 0))


def source_of(trace: object) -> tuple[str | None, CountNumbers | None]:
    """The name and the counts in JSON of a trace that was read to its end."""
    name, counts = getattr(trace, "name", None), getattr(trace, "counts", None)
    if not isinstance(counts, TraceCounts):
        return None, None
    return name if isinstance(name, str) else None, count_numbers(counts)


def record_arrays(trace: object) -> Iterator[Records]:
    """The arrays of a trace, which may be an iterator of them."""
    if isinstance(trace, Trace):
        yield trace.records
    elif isinstance(trace, np.ndarray):
        yield check_records(trace, "trace")
    elif isinstance(trace, (str, bytes, os.PathLike)):
        raise TypeError(
            "trace: a trace is needed, not where it is: read it with "
            "ssdpm.read_trace() or ssdpm.iter_trace()"
        )
    elif hasattr(trace, "to_records") and hasattr(trace, "columns"):
        raise TypeError("trace: make one with ssdpm.Trace.from_dataframe()")
    elif isinstance(trace, Iterable):
        for part in trace:
            if not isinstance(part, (Trace, np.ndarray)):
                raise TypeError(
                    "trace: an iterable of ssdpm.Trace or of arrays is needed, not of "
                    f"{type(part).__name__}"
                )
            yield from record_arrays(part)
    else:
        raise TypeError(f"trace: an ssdpm.Trace is needed, not {type(trace).__name__}")


def all_records(trace: object) -> Records:
    """One array of what record_arrays() gives: that of a trace is not copied."""
    arrays = list(record_arrays(trace))
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate(arrays) if arrays else np.empty(0, IO_DTYPE)


def trace_stats(
    trace: Trace | Records | Iterable[Trace | Records],
    service: Service | None = None,
) -> TraceStats:
    """Trace.stats() of a trace of any length: an array, or an iterator as iter_trace().

    Args and errors: as Trace.stats().
    """
    stats = _core.energy.Stats(service_numbers(service))
    for records in record_arrays(trace):
        stats.feed(records)
    found = stats.get()
    [numbers] = found
    values: dict[str, Any] = {}
    for name in numbers.dtype.names:
        value = numbers[name]
        if name in ("n_ios", "bytes"):
            values[name] = PerOp(*value.tolist()[: len(PerOp._fields)])
        elif name not in ("gaps", "gaps_ns"):
            values[name] = int(value)
    gaps = Histogram(numbers["gaps"].copy(), numbers["gaps_ns"].copy())
    result = TraceStats(**values, gaps=gaps)
    name, counts = source_of(trace)
    if counts is None:
        return result
    met = counts
    return result._written_by(
        lambda: _core.energy.workload_json(name or "", met, found)
    )
