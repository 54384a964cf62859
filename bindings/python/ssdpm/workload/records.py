# SPDX-License-Identifier: MIT
"""The records of a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.convert import by_number
from ssdpm.base.values import Value

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
