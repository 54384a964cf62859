# SPDX-License-Identifier: MIT
"""The workload: what a host asks of a drive, read from traces or generated."""

from __future__ import annotations

from ssdpm.workload.files import TraceIterator, TraceSource, iter_trace, read_trace
from ssdpm.workload.generators import Workload, fio_job, generate, workloads
from ssdpm.workload.records import (
    IO_DTYPE,
    OPS,
    SERVICE_UNKNOWN,
    PerOp,
    Records,
    TraceCounts,
)
from ssdpm.workload.stats import HISTOGRAM_STARTS_NS, Histogram, Service, TraceStats
from ssdpm.workload.trace import Trace, TraceLike, trace_stats

__all__ = [
    "HISTOGRAM_STARTS_NS",
    "IO_DTYPE",
    "OPS",
    "SERVICE_UNKNOWN",
    "Histogram",
    "PerOp",
    "Records",
    "Service",
    "Trace",
    "TraceCounts",
    "TraceIterator",
    "TraceLike",
    "TraceSource",
    "TraceStats",
    "Workload",
    "fio_job",
    "generate",
    "iter_trace",
    "read_trace",
    "trace_stats",
    "workloads",
]
