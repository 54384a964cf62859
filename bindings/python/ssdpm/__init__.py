# SPDX-License-Identifier: MIT
r"""Power states and power policies of SSDs.

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

What it reaches under a power cap::

    drive, cap_w = ssdpm.cap.from_model(model, [ssdpm.cap.Stream("write")], state=2)
    print(drive.at(cap_w))                   # throughput, mean and p99 power
    print(ssdpm.cap.simulate(model, trace, cap_w, state=2))

Which states fit many drives into a power budget, at the least loss::

    found = ssdpm.budget([model, model, other], 60)
    print(found.states, found.left_w)        # found.plot() draws watts against loss

What a drive took, from samples of its power::

    print(ssdpm.measure.energy(watts, rate_hz=20_000))
    found = ssdpm.measure.calibrate(model, trace, ssdpm.measure.read_power("watts.csv"))
    print(ssdpm.estimate(model, trace, measured=found))

The unit is part of each name. Exact integers are ``_us`` microseconds, ``_ms``
milliseconds, ``_uw`` microwatts, ``_ns`` nanoseconds and ``_nj`` nanojoules. Watts
``_w``, joules ``_j`` and seconds ``_s`` are floats made from them. ``None`` is an
unknown value; it is never 0.

How even sustained writes go, from logs of fio::

    print(ssdpm.consistency.measure("one_iops.log"))

A steady load of writes, once no erased flash is left::

    print(ssdpm.estimate(model, trace, spare=0.07))
    print(ssdpm.wa.calculate(0.07))          # write amplification, by formula
    print(ssdpm.ftl.simulate(0.07))          # and by a simulated drive

Who wakes a drive, from trace events of Linux::

    observation = ssdpm.observe.Observation()
    observation.add_drive(model, "259:0")
    observation.feed(open("trace.txt").read())
    print(*observation.causes(), sep="\n")

Whether the machine slept deeply since it was started, and what may keep it from that::

    print(ssdpm.suspend.judge())             # or judge(before, after), of two readings

What is, why, and what to set::

    for device in ssdpm.devices():           # or ssdpm.devices("a/capture")
        print(device.name, *device.diagnose(), sep="\n  ")
    with ssdpm.plan() as plan:               # until the end of the block
        plan.add_latency_tolerance("nvme0", 25_000)
        plan.commit()

Nothing is written but by commit() and write(), and by revert(). No command is sent to a
drive but by the calls that say so.
"""

from __future__ import annotations

from ssdpm import _core, cap, consistency, ftl, measure, observe, suspend, wa
from ssdpm.apply.intent import Intent
from ssdpm.apply.journal import read_journal, revert
from ssdpm.apply.persist import (
    Persist,
    PersistFile,
    PersistPower,
    persist,
    remove_persist,
)
from ssdpm.apply.plan import Plan, plan
from ssdpm.apply.report import ReportItem, report
from ssdpm.apply.requests import add_request, serve_requests
from ssdpm.apply.steps import Journal, PlannedTable, Step, StepValue
from ssdpm.base.errors import (
    AccessError,
    BusyError,
    Error,
    ExistsError,
    FormatError,
    GoneError,
    InvalidError,
    NotFoundError,
    NotInForceError,
    RangeError,
    ReadOnlyError,
    TableDiffersError,
    TimedOutError,
    TooLargeError,
    UnknownValueError,
    UnsupportedError,
)
from ssdpm.base.result import answer
from ssdpm.budget import BUDGET_POWERS, Budget, BudgetItem, budget, budget_item
from ssdpm.device.facts import (
    Change,
    DevicePower,
    DeviceQuirks,
    DeviceSettings,
    Devsleep,
    Diagnosis,
    MachineFacts,
    Meter,
    Owner,
    Reading,
)
from ssdpm.device.machine import Device, Machine, devices, find_meter
from ssdpm.device.machine import open as open  # not in __all__: Python has its own
from ssdpm.device.sampler import Sampler
from ssdpm.estimate.compare import ComparedPolicy, Comparison, compare, default_policies
from ssdpm.estimate.gaps import Gaps, clairvoyant, sweep
from ssdpm.estimate.parameters import parameters
from ssdpm.estimate.recommend import (
    BestTable,
    Recommendation,
    Recommendations,
    best_table,
    recommend,
)
from ssdpm.estimate.result import (
    PHASES,
    Estimate,
    Likely,
    LikelyPower,
    Residency,
    Run,
    Saving,
    change_dtype,
    interval_dtype,
)
from ssdpm.estimate.simulation import Simulation, estimate
from ssdpm.estimate.tune import (
    Advice,
    LinkSaving,
    Total,
    TrialResult,
    UsualWorkload,
    total,
    total_asleep,
    tune,
    usual_workload,
)
from ssdpm.model.drive import (
    Catalogue,
    CatalogueMatch,
    CatalogueRow,
    Finding,
    Model,
    load,
)
from ssdpm.model.states import (
    GovernorMode,
    PowerState,
    SataLink,
    governor_modes,
    power_state_dtype,
)
from ssdpm.parameter import Parameter
from ssdpm.policy.inverse import Inferred, Reached, infer, keep, reach
from ssdpm.policy.parameters import (
    APST_DEFAULTS,
    Algorithm,
    ApstParameters,
    Host,
    PowerScheme,
    PowerSource,
    Quirk,
    QuirkMatch,
    Quirks,
    VerdictKind,
    quirks,
)
from ssdpm.policy.profiles import ProfileSettings, profile, profiles
from ssdpm.policy.table import (
    ApstDifference,
    ApstDifferences,
    ApstEntry,
    ApstTable,
    Verdict,
    apst,
    apst_entry_dtype,
    load_apst,
)
from ssdpm.workload.files import TraceIterator, iter_trace, read_trace
from ssdpm.workload.generators import Workload, fio_job, generate, workloads
from ssdpm.workload.records import (
    HISTOGRAM_STARTS_NS,
    IO_DTYPE,
    OPS,
    SERVICE_UNKNOWN,
    Histogram,
    PerOp,
    Service,
    TraceCounts,
    TraceStats,
)
from ssdpm.workload.trace import Trace, trace_stats

__version__: str = _core.version()

__all__ = [
    "Advice",
    "APST_DEFAULTS",
    "BUDGET_POWERS",
    "HISTOGRAM_STARTS_NS",
    "IO_DTYPE",
    "Intent",
    "Journal",
    "OPS",
    "PHASES",
    "SERVICE_UNKNOWN",
    "AccessError",
    "Algorithm",
    "ApstDifference",
    "ApstDifferences",
    "ApstEntry",
    "ApstParameters",
    "ApstTable",
    "BestTable",
    "Budget",
    "BudgetItem",
    "BusyError",
    "Catalogue",
    "CatalogueMatch",
    "CatalogueRow",
    "Change",
    "ComparedPolicy",
    "Comparison",
    "Device",
    "DevicePower",
    "DeviceQuirks",
    "DeviceSettings",
    "Devsleep",
    "Diagnosis",
    "Error",
    "Estimate",
    "ExistsError",
    "Finding",
    "FormatError",
    "Gaps",
    "GoneError",
    "GovernorMode",
    "Histogram",
    "Host",
    "Inferred",
    "InvalidError",
    "Likely",
    "LikelyPower",
    "LinkSaving",
    "Machine",
    "MachineFacts",
    "Meter",
    "Model",
    "NotFoundError",
    "NotInForceError",
    "Owner",
    "Parameter",
    "PerOp",
    "Persist",
    "PersistFile",
    "PersistPower",
    "Plan",
    "PlannedTable",
    "PowerScheme",
    "PowerSource",
    "PowerState",
    "ProfileSettings",
    "Quirk",
    "QuirkMatch",
    "Quirks",
    "RangeError",
    "Reached",
    "ReadOnlyError",
    "Reading",
    "ReportItem",
    "Recommendation",
    "Recommendations",
    "Residency",
    "Run",
    "Sampler",
    "SataLink",
    "Saving",
    "Service",
    "Simulation",
    "Step",
    "StepValue",
    "TableDiffersError",
    "TimedOutError",
    "TooLargeError",
    "Total",
    "Trace",
    "TraceCounts",
    "TraceIterator",
    "TraceStats",
    "TrialResult",
    "UnknownValueError",
    "UnsupportedError",
    "UsualWorkload",
    "Verdict",
    "VerdictKind",
    "Workload",
    "__version__",
    "add_request",
    "answer",
    "apst",
    "apst_entry_dtype",
    "best_table",
    "budget",
    "budget_item",
    "cap",
    "change_dtype",
    "clairvoyant",
    "compare",
    "consistency",
    "default_policies",
    "devices",
    "estimate",
    "find_meter",
    "fio_job",
    "ftl",
    "generate",
    "governor_modes",
    "infer",
    "interval_dtype",
    "iter_trace",
    "keep",
    "load",
    "load_apst",
    "measure",
    "observe",
    "parameters",
    "persist",
    "plan",
    "power_state_dtype",
    "profile",
    "profiles",
    "quirks",
    "reach",
    "read_journal",
    "read_trace",
    "recommend",
    "remove_persist",
    "report",
    "revert",
    "serve_requests",
    "suspend",
    "sweep",
    "total",
    "total_asleep",
    "trace_stats",
    "tune",
    "usual_workload",
    "wa",
    "workloads",
]
