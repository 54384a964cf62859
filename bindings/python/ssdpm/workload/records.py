# SPDX-License-Identifier: MIT
"""The records of a trace, how many there are, and their statistics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.convert import by_number, check_instance, check_unsigned
from ssdpm.base.result import Json, Value, html_table
from ssdpm.parameter import Parameter, check_parameters

IO_DTYPE: np.dtype[np.void] = _core.energy.io_dtype
"""Layout of struct ssdpm_io, 32 bytes: start_ns, offset, bytes, service_ns, op, flags;
the reserved bytes are left out."""

SERVICE_UNKNOWN: int = _core.energy.SERVICE_UNKNOWN
"""service_ns of a record: nobody recorded it."""

OPS: Mapping[str, int] = _core.energy.OPS
"""The number of each operation in records: read, write, flush, discard."""

Records = npt.NDArray[np.void]
OP_WORDS = by_number(OPS)


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
        n_cached: I/Os of files that a cache served, left out.
        n_late: records that lay late in the trace, and were put in their place.
        late_max_ns: by how much at most.
        n_unsized: I/Os but flushes that have no size in the trace; they have 0 bytes.
        n_untyped: I/Os whose operation the trace does not have; they are reads.
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
    n_cached: int
    n_late: int
    late_max_ns: int
    n_unsized: int
    n_untyped: int
    format: str | None


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


HISTOGRAM_STARTS_NS: npt.NDArray[np.uint64] = np.array(
    _core.energy.HISTOGRAM_STARTS, dtype=np.uint64
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
        known = check_parameters(parameters)
        base_ns, bytes_per_second = _core.energy.parameters_get_service(
            [one._tuple() for one in known]
        )
        return cls(PerOp(*base_ns), PerOp(*bytes_per_second))


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
class TraceStats(Json):
    """A trace in numbers; it has JSON if a reader has counted what it met.

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
