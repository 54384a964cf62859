# SPDX-License-Identifier: MIT
"""The workload: what a host asks of a drive, read from traces or generated."""

from __future__ import annotations

import abc
import contextlib
import errno
import importlib
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import (
    IO,
    TYPE_CHECKING,
    Any,
    Generic,
    NamedTuple,
    SupportsIndex,
    TypeVar,
    Union,
    overload,
)

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm._arrays import array_of, integers, refuse, refuse_masked, share
from ssdpm.base import (
    Error,
    InvalidError,
    Ongoing,
    RangeError,
    Value,
    bytes_of,
    check_bool,
    check_filename,
    check_instance,
    check_memory,
    check_text,
    check_unsigned,
    check_word,
    html_table,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ssdpm.estimate import Parameter

IO_DTYPE: np.dtype[np.void] = _core.io_dtype
"""Layout of struct ssdpm_io, 32 bytes: start_ns, offset, bytes, service_ns, op, flags;
the reserved bytes are left out."""

SERVICE_UNKNOWN: int = _core.SERVICE_UNKNOWN
"""service_ns of a record: nobody recorded it."""

OPS: Mapping[str, int] = _core.OPS
"""The number of each operation in records: read, write, flush, discard."""

Records = npt.NDArray[np.void]
TraceSource = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, IO[bytes]]

_OP_WORDS = {number: word for word, number in OPS.items()}
_FORMAT_WORDS = {number: word for word, number in _core.TRACE_FORMATS.items()}


class PerOp(NamedTuple):
    """One number for each kind of operation."""

    read: int
    write: int
    flush: int
    discard: int


@dataclass(frozen=True, eq=False)
class TraceCounts(Value):
    """What a reader met.

    Attributes:
        n_ios: I/Os, continued records not counted.
        n_records: records.
        n_lines: lines or events read.
        n_bad: lines that could not be read and were skipped.
        n_unmatched: issues without a completion within 30 s, left out.
        n_orphans: completions without an issue, left out.
        n_saturated: service times too long for their field (4.29 s).
        n_backward: records that lay before their predecessor and were moved to it.
        n_wrapped: times that blkparse wrapped below 0.
        n_other_device: I/Os of other devices, left out on demand.
        resolution_ns: the largest power of ten that divides all times.
        format: how the trace was written, as in "blkparse"; None: it was generated.
    """

    n_ios: int
    n_records: int
    n_lines: int
    n_bad: int
    n_unmatched: int
    n_orphans: int
    n_saturated: int
    n_backward: int
    n_wrapped: int
    n_other_device: int
    resolution_ns: int
    format: str | None


def _counts(reader: _core.Reader) -> TraceCounts:
    numbers = reader.counts
    word = _FORMAT_WORDS.get(numbers.pop("format"))
    return TraceCounts(**numbers, format=word)


HISTOGRAM_STARTS_NS: npt.NDArray[np.uint64] = np.array(
    _core.HISTOGRAM_STARTS, dtype=np.uint64
)
"""The least time of each bucket of a Histogram: four for each power of two."""
HISTOGRAM_STARTS_NS.flags.writeable = False


@dataclass(frozen=True, eq=False, repr=False)
class Histogram(Value):
    """How many times (idle times, delays) fall into each bucket.

    Attributes:
        counts: how many, shape (256,); bucket i begins at HISTOGRAM_STARTS_NS[i].
        sums_ns: their sum in each bucket, or None.
    """

    counts: npt.NDArray[np.uint64]
    sums_ns: npt.NDArray[np.uint64] | None = None

    def share_above(self, time_ns: SupportsIndex) -> float:
        """The share, 0 to 1, of all this time that lies in times of time_ns and more.

        Without sums_ns: the share of their number. Exact where a bucket begins at
        time_ns; otherwise the bucket that time_ns lies in counts as below it.
        """
        limit = check_unsigned(time_ns, "time_ns", 2**64 - 1)
        weights = self.counts if self.sums_ns is None else self.sums_ns
        total = sum(weights.tolist())
        first = int(np.searchsorted(HISTOGRAM_STARTS_NS, np.uint64(limit)))
        return sum(weights[first:].tolist()) / total if total else 0.0

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<ssdpm.Histogram of {sum(self.counts.tolist())} times>"


@dataclass(frozen=True, eq=False)
class Service(Value):
    """How long an I/O takes whose record does not say.

    Attributes:
        base_ns: before its transfer; these overlap.
        bytes_per_second: transfers share one channel; 0: they take no time.
    """

    base_ns: PerOp
    bytes_per_second: PerOp

    @classmethod
    def from_parameters(cls, parameters: Iterable[Parameter]) -> Service:
        """The nominal service of a drive, from ssdpm.parameters()."""
        from ssdpm.estimate import check_parameters

        known = check_parameters(parameters)
        values = {(p.kind, p.index): p.nominal for p in known}
        return cls(
            PerOp(*(values.get(("base_latency_ns", i), 0) for i in range(len(OPS)))),
            PerOp(
                *(
                    values.get(("bandwidth_bytes_per_second", i), 0)
                    for i in range(len(OPS))
                )
            ),
        )


def service_numbers(
    service: Service | None,
) -> tuple[list[int], list[int]] | None:
    """For _core, checked."""
    if service is None:
        return None
    check_instance(service, "service", Service)
    lists: list[list[int]] = []
    for name in ("base_ns", "bytes_per_second"):
        values = getattr(service, name)
        lists.append([check_unsigned(v, name, 2**64 - 1) for v in values])
        if len(values) != len(OPS):
            raise ValueError(f"{name}: {len(OPS)} numbers are needed")
    return lists[0], lists[1]


@dataclass(frozen=True, eq=False)
class TraceStats(Value):
    """A trace in numbers.

    Attributes:
        n_ios: continued records not counted.
        bytes: by operation.
        n_unknown_service: I/Os without a recorded service time.
        n_sequential: I/Os that begin where the one before ended.
        start_ns: of the first I/O.
        duration_ns: from there to the last completion; busy_ns + idle_ns.
        busy_ns: with an I/O outstanding.
        idle_ns: without.
        n_gaps: idle times longer than 0.
        gap_p50_ns: their quantiles by nearest rank, at most 1/64 above the true ones.
        gap_max_ns: the longest.
        gaps: their histogram.
    """

    n_ios: PerOp
    bytes: PerOp
    n_unknown_service: int
    n_sequential: int
    start_ns: int
    duration_ns: int
    busy_ns: int
    idle_ns: int
    n_gaps: int
    gap_p50_ns: int
    gap_p90_ns: int
    gap_p99_ns: int
    gap_max_ns: int
    gaps: Histogram

    def _repr_html_(self) -> str:
        rows = [(word, self.n_ios[i], self.bytes[i]) for i, word in enumerate(OPS)]
        idle = f"{self.idle_ns / 1e9:.6g} s idle in {self.n_gaps} times"
        caption = f"{self.duration_ns / 1e9:.6g} s, of it {idle}"
        return html_table(caption, ("operation", "n_ios", "bytes"), rows)


def check_records(array: Records, name: str = "records") -> Records:
    """Records as C takes them: not copied, unless they have gaps or are unaligned."""
    if isinstance(array, np.ma.MaskedArray):
        mask: npt.NDArray[Any] = np.ma.getmaskarray(array)
        if any(mask[name].any() for name in mask.dtype.names or ()):
            raise ValueError(f"{name}: some are masked: pass {name}.compressed()")
        array = np.asarray(array.data)
    if array.dtype != IO_DTYPE:
        raise TypeError(
            f"{name}: an array of ssdpm.IO_DTYPE is needed, not of {array.dtype}; "
            "ssdpm.Trace.from_columns() takes other columns"
        )
    if array.ndim != 1:
        raise ValueError(
            f"{name}: an array of one dimension is needed, not of {array.ndim}"
        )
    if not array.flags.c_contiguous or array.ctypes.data % 8:
        array = array.copy()
    return array


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


def _ops(values: object) -> npt.NDArray[np.uint64]:
    if isinstance(values, str):
        return np.array(OPS[check_word(values, "op", OPS)], np.uint64)
    array, masked = array_of(values, "op")
    refuse_masked("op", array, masked)
    if array.dtype.kind in "OU":
        found, places = np.unique(array.astype(str), return_inverse=True)
        numbers = [OPS[check_word(str(word), "op", OPS)] for word in found]
        return np.array(numbers, dtype=np.uint64)[places].reshape(array.shape)
    numbers_of = integers(array, "op", len(OPS))
    if not numbers_of.all():
        raise refuse("op", numbers_of == 0, numbers_of, "is no operation")
    return numbers_of


def need(module: str, what: str, extra: str) -> Any:
    """Import what is optional; the error says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{what} needs {module.partition('.')[0]}: pip install ssdpm[{extra}]"
        ) from error


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

        No copy: the trace lies on the memory of the array; one with gaps between its
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
        saturated = ~unknown & (service > _core.SERVICE_MAX)
        service = np.where(saturated, np.uint64(_core.SERVICE_MAX), service)
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
        continued = (records["flags"] & _core.IO_CONTINUED) != 0
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
            raise TypeError(
                f"frame: a DataFrame is needed, not {type(frame).__name__}"
            )
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
        """Of the file that read_trace() has read, without its directory, or None."""
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
        from ssdpm import plot

        return plot.plot_stats(self.stats(service), ax)

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
            (start, _OP_WORDS.get(op, op), offset, n_bytes, service)
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
            lines = _core.to_fio_iolog(records[first : first + step], origin, file)
            out.write(lines)
            last = lines.rstrip(b"\n").rpartition(b"\n")[2].partition(b" ")[0]
        out.write(last + f" {file} close\n".encode())


def trace_stats(
    trace: Trace | Records | Iterable[Trace | Records],
    service: Service | None = None,
) -> TraceStats:
    """Trace.stats() of a trace of any length: an array, or an iterator as iter_trace().

    Args and errors: as Trace.stats().
    """
    stats = _core.Stats(service_numbers(service))
    for records in record_arrays(trace):
        stats.feed(records)
    [numbers] = stats.get()
    values: dict[str, Any] = {}
    for name in numbers.dtype.names:
        value = numbers[name]
        if name in ("n_ios", "bytes"):
            values[name] = PerOp(*value.tolist())
        elif name not in ("gaps", "gaps_ns"):
            values[name] = int(value)
    gaps = Histogram(numbers["gaps"].copy(), numbers["gaps_ns"].copy())
    return TraceStats(**values, gaps=gaps)


def _option_text(value: str | None, name: str) -> str | None:
    return None if value is None else check_text(value, name)


def _descriptor_of(source: Any) -> int | None:
    """Of an open file, at the place where it would be read next; None: it has none."""
    if isinstance(source, io.TextIOBase):
        raise TypeError("source: the file is open as text; open it as 'rb'")
    try:
        descriptor: int = source.fileno()
    except (AttributeError, OSError):
        return None
    if source.seekable():
        os.lseek(descriptor, source.tell(), os.SEEK_SET)
    return descriptor


def open_source(
    source: TraceSource, name: str = "source"
) -> tuple[int | bytes, IO[bytes] | None, str | None]:
    """What C reads, a descriptor or bytes; the file to close after it; its name."""
    if isinstance(source, (str, os.PathLike)):
        filename = check_filename(source, name)
        file = open(filename, "rb", buffering=0)
        return file.fileno(), file, filename
    if hasattr(source, "read"):
        descriptor = _descriptor_of(source)
        of_file = getattr(source, "name", None)
        return (
            source.read() if descriptor is None else descriptor,
            None,
            of_file if isinstance(of_file, str) else None,
        )
    return bytes_of(source, "a path, an open file or bytes", name), None, None


_Part = TypeVar("_Part")
_Counts = TypeVar("_Counts")
_Parts = TypeVar("_Parts", bound="Parts[Any, Any]")


class Parts(Ongoing, Iterator[_Part], Generic[_Part, _Counts]):
    """What reads a file in parts: a trace, or samples.

    It closes its file at the end, as a context manager at the latest at the end of
    the block. A file that the caller opened stays open.
    """

    _what = "file"  # in words
    _part_bytes = IO_DTYPE.itemsize  # of one of a chunk

    def __init__(
        self,
        source: TraceSource,
        chunk: SupportsIndex,
        open_reader: Callable[[int | bytes], Any],
    ) -> None:
        self._chunk = check_unsigned(chunk, "chunk", 2**40, 1)
        check_memory(self._chunk, self._part_bytes, "chunk")
        self._source: TraceSource = source  # kept alive and open while it is read
        self._reader: Any = None
        what, self._file, self._filename = open_source(source)
        with self._failing():
            self._reader = open_reader(what)

    @contextlib.contextmanager
    def _failing(self) -> Iterator[None]:
        """An error has the name of the file, which is closed."""
        try:
            yield
        except BaseException as error:
            if isinstance(error, Error):
                error.filename = self._filename
            self.close()
            raise

    @abc.abstractmethod
    def _count(self) -> _Counts:
        """What the reader met."""

    @abc.abstractmethod
    def _read(self, everything: bool) -> _Part | None:
        """All the rest, or the next part; None: the end."""

    def _open(self) -> Any:
        if self._reader is None:
            raise ValueError(f"the {self._what} is closed")
        return self._reader

    @property
    def name(self) -> str | None:
        """Of the file, without its directory; None: it has none."""
        return os.path.basename(self._filename) or None if self._filename else None

    @property
    def counts(self) -> _Counts:
        """What was met so far."""
        if self._reader is not None:
            self._counts = self._count()
        return self._counts

    def close(self) -> None:
        """Close the file; closing again does nothing."""
        if self._reader is not None:
            self._counts = self._count()
        self._reader = None
        if self._file is not None:
            self._file.close()

    def __iter__(self: _Parts) -> _Parts:
        return self

    def __next__(self) -> _Part:
        part = None if self._reader is None else self._read(False)
        if part is None:
            self.close()
            raise StopIteration
        return part

    def __enter__(self: _Parts) -> _Parts:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        file = getattr(self, "_file", None)
        if file is not None:
            file.close()


class TraceIterator(Parts[Trace, TraceCounts]):
    """The parts of a trace, one after the other; see iter_trace().

    It closes its file at the end, as a context manager at the latest at the end of
    the block. A file that the caller opened stays open.
    """

    _what = "trace"

    def __init__(
        self,
        source: TraceSource,
        *,
        chunk: SupportsIndex = 1 << 16,
        format: str | None = None,
        columns: str | None = None,
        device: str | None = None,
        skip_bad: bool = False,
    ) -> None:
        number = 0
        if format is not None:
            known = _core.TRACE_FORMATS
            number = known[check_word(format, "format", known)]
        texts = _option_text(columns, "columns"), _option_text(device, "device")
        check_bool(skip_bad, "skip_bad")
        super().__init__(
            source,
            chunk,
            lambda what: _core.trace_open(what, number, *texts, skip_bad),
        )

    def _count(self) -> TraceCounts:
        return _counts(self._reader)

    def _read(self, everything: bool) -> Trace | None:
        reader = self._open()
        with self._failing():
            records = reader.read_all() if everything else reader.read(self._chunk)
        if everything:
            return Trace._wrap(records, self.counts, self.name)
        return Trace._wrap(records) if len(records) else None


def iter_trace(
    source: TraceSource,
    *,
    chunk: SupportsIndex = 1 << 16,
    format: str | None = None,
    columns: str | None = None,
    device: str | None = None,
    skip_bad: bool = False,
) -> TraceIterator:
    """Read a trace of any length a part at a time, in constant memory.

    Args:
        chunk: how many records a part has at most.
        And as read_trace().

    Returns:
        An iterator of traces, a context manager too; its counts are those so far.

    Raises:
        As read_trace(), here or from the iterator.
    """
    return TraceIterator(
        source,
        chunk=chunk,
        format=format,
        columns=columns,
        device=device,
        skip_bad=skip_bad,
    )


def read_trace(
    source: TraceSource,
    format: str | None = None,
    columns: str | None = None,
    device: str | None = None,
    skip_bad: bool = False,
) -> Trace:
    """Read a whole trace into memory, 32 bytes for each I/O.

    Args:
        source: a path, an open binary file, or bytes; gzip and zstd are unpacked.
        format: a word as in TraceCounts.format: "npy", "blkparse", "blktrace",
            "fio-iolog", "fio-latency-log", "biosnoop", "delimited", "msr", "spc",
            "fiu", "mqsim", "disksim", "blkreplay", "pixel", "procmon"; None: by
            content.
        columns: the column map of "delimited"; ssdpm_workload(3) describes it.
        device: read only the I/Os of this device, as the trace writes it ("8,16").
        skip_bad: count lines that cannot be read, and times that go backwards, in
            place of failing.

    Raises:
        FormatError: no known format, a line that cannot be read, several devices,
            time that goes backwards; the error has the file and the line.
        RangeError: a number beyond its field.
        UnsupportedError: packed, and the library that unpacks it is not there.
        OSError: the file cannot be read (FileNotFoundError and so on).
        TypeError, ValueError: an argument of another type, an unknown word.
    """
    with iter_trace(
        source, format=format, columns=columns, device=device, skip_bad=skip_bad
    ) as parts:
        trace = parts._read(True)
        assert trace is not None
        return trace


@dataclass(frozen=True, eq=False)
class Workload(Value):
    """A workload that generate() makes, and one line about it."""

    name: str
    description: str


def workloads() -> tuple[Workload, ...]:
    """The workloads that generate() makes."""
    return tuple(Workload(*one) for one in _core.generators())


def _generator(
    name: str,
    op: str | None,
    **numbers: SupportsIndex | None,
) -> dict[str, int | None]:
    check_text(name, "name")
    small = ("bytes", "service_ns", "shape_milli")
    values: dict[str, int | None] = {
        key: None
        if number is None
        else check_unsigned(
            number,
            key,
            2**32 - 1 if key in small else 2**64 - 1,
            # To the library 0 is the default, which here is None.
            0 if key in ("seed", "service_ns") else 1,
        )
        for key, number in numbers.items()
    }
    values["op"] = None if op is None else OPS[check_word(op, "op", OPS)]
    return values


def generate(
    name: str,
    *,
    seed: SupportsIndex | None = None,
    n_ios: SupportsIndex | None = None,
    value: SupportsIndex | None = None,
    op: str | None = None,
    bytes: SupportsIndex | None = None,
    service_ns: SupportsIndex | None = None,
    mean_idle_ns: SupportsIndex | None = None,
    shape_milli: SupportsIndex | None = None,
    area_bytes: SupportsIndex | None = None,
) -> Trace:
    """Make a workload; the same arguments give the same records on every machine.

    An argument that is None has the default of the workload; workloads() lists them,
    ssdpm_workload(3) describes them.

    Args:
        name: as in "apst-1", "uflip-granularity-sr", "poisson".
        seed: of the random numbers.
        n_ios: how many I/Os.
        value: the one parameter that a uFLIP micro-benchmark varies, in its unit.
        op: "read" or "write", where the workload leaves it open.
        bytes: size of an I/O.
        service_ns: service time of each I/O; None: unknown.
        mean_idle_ns: mean idle time of arrivals.
        shape_milli: shape of the Lomax distribution in thousandths.
        area_bytes: offsets lie below it.

    Raises:
        NotFoundError: there is no such workload.
        InvalidError, RangeError: a number that it cannot have.
        MemoryError: more records than fit into memory; the message has their size.
        TypeError, ValueError: an argument of another type, an unknown word.
    """
    numbers = _generator(
        name,
        op,
        seed=seed,
        n_ios=n_ios,
        value=value,
        bytes=bytes,
        service_ns=service_ns,
        mean_idle_ns=mean_idle_ns,
        shape_milli=shape_milli,
        area_bytes=area_bytes,
    )
    check_memory(numbers["n_ios"] or 0, IO_DTYPE.itemsize, "n_ios")
    reader = _core.trace_generate(name, numbers)
    return Trace._wrap(reader.read_all(), _counts(reader))


def fio_job(
    name: str,
    *,
    seed: SupportsIndex | None = None,
    n_ios: SupportsIndex | None = None,
    value: SupportsIndex | None = None,
    op: str | None = None,
    bytes: SupportsIndex | None = None,
    mean_idle_ns: SupportsIndex | None = None,
    shape_milli: SupportsIndex | None = None,
    area_bytes: SupportsIndex | None = None,
) -> str:
    """A workload as a job file of fio. It names no device: give fio --filename.

    Args: as generate().

    Raises:
        UnsupportedError: fio has no such arrivals.
        And as generate().
    """
    numbers = _generator(
        name,
        op,
        seed=seed,
        n_ios=n_ios,
        value=value,
        bytes=bytes,
        service_ns=None,
        mean_idle_ns=mean_idle_ns,
        shape_milli=shape_milli,
        area_bytes=area_bytes,
    )
    return _core.fio_job(name, numbers)
