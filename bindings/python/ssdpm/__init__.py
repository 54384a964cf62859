# SPDX-License-Identifier: MIT
"""Power states and power policies of SSDs.

Three steps, each one a value that never changes::

    model = ssdpm.Model("drive.json")        # what the drive says of itself
    table = ssdpm.apst(model)                # the APST table Linux makes of it
    for verdict in table.explain():          # and why
        print(verdict.state, verdict.verdict, verdict.reason)

What it costs and saves on a workload::

    trace = ssdpm.read_trace("trace.gz")     # or ssdpm.generate("apst-1")
    print(ssdpm.estimate(model, trace))      # energy, wakes, added latency
    print(ssdpm.compare(model, trace))       # of all policies
    for setting in ssdpm.recommend(model, trace, max_delay_mean_ns=1_000_000):
        print(setting)                       # what to set, and what it saves

The unit is part of each name: ``_us`` microseconds, ``_ms`` milliseconds, ``_uw``
microwatts, ``_ns`` nanoseconds, ``_nj`` nanojoules, all exact integers; ``_w`` watts,
``_j`` joules and ``_s`` seconds are floats made from them. ``None`` is a value that
nobody knows; it is never 0.

Nothing here opens a drive or changes one.
"""

from __future__ import annotations

from ssdpm import _core
from ssdpm.base import (
    Error,
    FormatError,
    InvalidError,
    NotFoundError,
    RangeError,
    TooLargeError,
    UnknownValueError,
    UnsupportedError,
)
from ssdpm.estimate import (
    PHASES,
    BestTable,
    ComparedPolicy,
    Comparison,
    Estimate,
    Gaps,
    Parameter,
    Recommendation,
    Residency,
    Run,
    Saving,
    Simulation,
    best_table,
    change_dtype,
    clairvoyant,
    compare,
    default_policies,
    estimate,
    interval_dtype,
    parameters,
    recommend,
    sweep,
)
from ssdpm.model import (
    Catalogue,
    CatalogueMatch,
    CatalogueRow,
    Finding,
    Model,
    PowerState,
    SataLink,
    load,
    power_state_dtype,
)
from ssdpm.policy import (
    APST_DEFAULTS,
    Algorithm,
    ApstDifference,
    ApstEntry,
    ApstParameters,
    ApstTable,
    Host,
    PowerScheme,
    PowerSource,
    Quirk,
    QuirkMatch,
    Quirks,
    Reached,
    Verdict,
    VerdictKind,
    apst,
    apst_entry_dtype,
    infer,
    keep,
    load_apst,
    quirks,
    reach,
)
from ssdpm.workload import (
    HISTOGRAM_STARTS_NS,
    IO_DTYPE,
    OPS,
    SERVICE_UNKNOWN,
    Histogram,
    PerOp,
    Service,
    Trace,
    TraceCounts,
    TraceIterator,
    TraceStats,
    Workload,
    fio_job,
    generate,
    iter_trace,
    read_trace,
    trace_stats,
    workloads,
)

__version__: str = _core.version()

__all__ = [
    "APST_DEFAULTS",
    "HISTOGRAM_STARTS_NS",
    "IO_DTYPE",
    "OPS",
    "PHASES",
    "SERVICE_UNKNOWN",
    "Algorithm",
    "ApstDifference",
    "ApstEntry",
    "ApstParameters",
    "ApstTable",
    "BestTable",
    "Catalogue",
    "CatalogueMatch",
    "CatalogueRow",
    "ComparedPolicy",
    "Comparison",
    "Error",
    "Estimate",
    "Finding",
    "FormatError",
    "Gaps",
    "Histogram",
    "Host",
    "InvalidError",
    "Model",
    "NotFoundError",
    "Parameter",
    "PerOp",
    "PowerScheme",
    "PowerSource",
    "PowerState",
    "Quirk",
    "QuirkMatch",
    "Quirks",
    "RangeError",
    "Reached",
    "Recommendation",
    "Residency",
    "Run",
    "SataLink",
    "Saving",
    "Service",
    "Simulation",
    "TooLargeError",
    "Trace",
    "TraceCounts",
    "TraceIterator",
    "TraceStats",
    "UnknownValueError",
    "UnsupportedError",
    "Verdict",
    "VerdictKind",
    "Workload",
    "__version__",
    "apst",
    "apst_entry_dtype",
    "best_table",
    "change_dtype",
    "clairvoyant",
    "compare",
    "default_policies",
    "estimate",
    "fio_job",
    "generate",
    "infer",
    "interval_dtype",
    "iter_trace",
    "keep",
    "load",
    "load_apst",
    "parameters",
    "power_state_dtype",
    "quirks",
    "reach",
    "read_trace",
    "recommend",
    "sweep",
    "trace_stats",
    "workloads",
]
