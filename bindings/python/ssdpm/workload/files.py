# SPDX-License-Identifier: MIT
"""Traces from files of any length."""

from __future__ import annotations

import abc
import contextlib
import io
import os
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import (
    IO,
    TYPE_CHECKING,
    Any,
    Generic,
    SupportsIndex,
    TypeVar,
    TypedDict,
    Union,
)

from ssdpm import _core
from ssdpm.base.convert import (
    by_number,
    bytes_of,
    check_bool,
    check_filename,
    check_memory,
    check_text,
    check_unsigned,
    number_of,
    takes,
)
from ssdpm.base.errors import Error
from ssdpm.base.result import Ongoing
from ssdpm.workload.records import IO_DTYPE, TraceCounts
from ssdpm.workload.trace import Trace

if TYPE_CHECKING:
    from typing_extensions import Unpack

TraceSource = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, IO[bytes]]
_FORMAT_WORDS = by_number(_core.energy.TRACE_FORMATS)


def trace_counts(reader: _core.energy.Reader) -> TraceCounts:
    """What a reader has met so far."""
    numbers = reader.counts
    word = _FORMAT_WORDS.get(numbers.pop("format"))
    return TraceCounts(**numbers, format=word)


def _option_text(value: str | None, name: str) -> str | None:
    return None if value is None else check_text(value, name)


def _descriptor_of(source: Any) -> int | None:
    """The descriptor of an open file, at the next read; None: it has none."""
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


@contextlib.contextmanager
def reading(
    source: TraceSource, name: str = "source"
) -> Iterator[tuple[int | bytes, str | None]]:
    """The source for C, and the name of its file for errors; the file is closed."""
    what, file, filename = open_source(source, name)
    try:
        yield what, filename
    except Error as error:
        error.filename = filename
        raise
    finally:
        if file is not None:
            file.close()


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
        """The name of the file, without its directory; None: it has none."""
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
        number = number_of(format, "format", _core.energy.TRACE_FORMATS)
        texts = _option_text(columns, "columns"), _option_text(device, "device")
        check_bool(skip_bad, "skip_bad")
        super().__init__(
            source,
            chunk,
            lambda what: _core.energy.trace_open(what, number, *texts, skip_bad),
        )

    def _count(self) -> TraceCounts:
        return trace_counts(self._reader)

    def _read(self, everything: bool) -> Trace | None:
        reader = self._open()
        with self._failing():
            records = reader.read_all() if everything else reader.read(self._chunk)
        if everything:
            return Trace._wrap(records, self.counts, self.name)
        return Trace._wrap(records) if len(records) else None


class TraceOptions(TypedDict, total=False):
    """How a trace is read, as read_trace() has it."""

    format: str | None
    columns: str | None
    device: str | None
    skip_bad: bool


@takes(TraceOptions, TraceIterator)
def iter_trace(
    source: TraceSource,
    *,
    chunk: SupportsIndex = 1 << 16,
    **options: Unpack[TraceOptions],
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
    return TraceIterator(source, chunk=chunk, **options)


def read_trace(
    source: TraceSource,
    format: str | None = None,
    columns: str | None = None,
    device: str | None = None,
    skip_bad: bool = False,
) -> Trace:
    """Read a whole trace into memory, 32 bytes for each I/O.

    Args:
        source: a path, an open binary file, or bytes; gzip, zstd, xz and bzip2 are
            unpacked.
        format: a word: "npy", "blkparse", "blktrace", "fio-iolog", "fio-latency-log",
            "biosnoop", "delimited", "msr", "spc", "fiu", "mqsim", "disksim",
            "blkreplay", "pixel", "procmon", "cloudphysics", "perf-script", "ftrace",
            "vscsi", "oracle-general", "procmon-csv"; None: by content.
        columns: the column map of "delimited"; ssdpm_workload(3) describes it.
        device: read only the I/Os of this device, as the trace writes it ("8,16").
        skip_bad: count lines that cannot be read, and times that go backwards, in
            place of failing.

    Raises:
        FormatError: no known format, a line that cannot be read, several devices,
            time that goes backwards; the error has the file and the line.
        RangeError: a number beyond its field.
        UnsupportedError: packed, and this build cannot unpack it.
        OSError: the file cannot be read (FileNotFoundError and so on).
        TypeError, ValueError: an argument of another type, an unknown word.
    """
    with iter_trace(
        source, format=format, columns=columns, device=device, skip_bad=skip_bad
    ) as parts:
        trace = parts._read(True)
        assert trace is not None
        return trace
