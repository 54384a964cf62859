# SPDX-License-Identifier: MIT
# Written by hand; mypy.stubtest holds it against the module.
#
# The functions take what ssdpm/<stage>/ has checked. Errors of the library are
# raised as ssdpm.Error or MemoryError.
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias, type_check_only

import numpy as np
import numpy.typing as npt

JSON_MAX_BYTES: int
STATE_NON_OPERATIONAL: int
APST_BYTES: int
CAP_NONE: int
LATENCY_ANY: int
SERVICE_UNKNOWN: int
SERVICE_MAX: int
IO_CONTINUED: int
SIM_IDLE_FROM_START: int
LOG_WARNING: int
LOG_INFO: int
LOG_DEBUG: int
READING_SAME: int
READING_WRAP: int
READING_RESET: int
READING_CHARGE_COUNTER: int
BUDGET_MAX: int
BUDGET_MAX_ITEMS: int
BUDGET_MAX_OPTIONS: int
HISTOGRAM_STARTS: list[int]

# Words of the library, each with its number or bit.
KINDS: dict[str, int]
PROVENANCES: dict[str, int]
FORMATS: dict[str, int]
LINK_STATES: dict[str, int]
FINDING_CODES: dict[str, int]
SATA_FEATURES: dict[str, int]
FIELDS: dict[str, int]
GOVERNOR_FORMS: dict[str, int]
ALGORITHMS: dict[str, int]
SCHEMES: dict[str, int]
POWER_SOURCES: dict[str, int]
QUIRKS: dict[str, int]
VERDICTS: dict[str, int]
OPS: dict[str, int]
TRACE_FORMATS: dict[str, int]
LPM: dict[str, int]
LOOPS: dict[str, int]
PCIE_LINKS: dict[str, int]
PARAMETER_KINDS: dict[str, int]
AXES: dict[str, int]
PHASES: dict[str, int]
ROUTES: dict[str, int]
BOUNDS_MAY_COST: int
CAP_LIMITS: dict[str, int]
WA_FORMULAS: dict[str, int]
FTL_COLLECTORS: dict[str, int]
FTL_ORDERS: dict[str, int]
NVME_CORE: dict[str, int]
METER_KINDS: dict[str, int]
PERSIST_KINDS: dict[str, int]
SIGNAL_REMARKS: dict[str, int]
BASELINE_METHODS: dict[str, int]
BACKGROUNDS: dict[str, int]
SURVEY_RUN_STATUSES: dict[str, int]
SURVEY_TRENDS: dict[str, int]
SURVEY_VERDICTS: dict[str, int]
SURVEY_MISSING: dict[str, int]
SURVEY_MAX_BLOCKS: int
POWER_FORMATS: dict[str, int]
MEASURED_STATUSES: dict[str, int]
OVERLAY_MATCHES: dict[str, int]
CALIBRATE_OPERATION_ENERGY: int
CALIBRATE_BYTE_ENERGY: int

# words_valid, generations as bits, apm_level; supported and enabled, each with
# the mask of what is unknown.
_SataFacts: TypeAlias = tuple[bool | None, int | None, int | None, int, int, int, int]

# base_ns and bytes_per_second, by operation.
_Service: TypeAlias = tuple[list[int], list[int]]
# kind, index, provenance, low, nominal, high, rule.
_Parameter: TypeAlias = tuple[int, int, int, int, int, int, str]
# The members of struct ssdpm_bounds in their order.
_Bounds: TypeAlias = tuple[int, int, int, int, int, int]

power_state_dtype: np.dtype[np.void]
apst_entry_dtype: np.dtype[np.void]
io_dtype: np.dtype[np.void]
run_dtype: np.dtype[np.void]
ftl_second_dtype: np.dtype[np.void]
cap_point_dtype: np.dtype[np.void]
interval_dtype: np.dtype[np.void]
change_dtype: np.dtype[np.void]

@type_check_only
class _Pybind11Type(type): ...

class Model(metaclass=_Pybind11Type):
    def __init__(self, *args: object, **kwargs: object) -> NoReturn: ...
    @property
    def kind(self) -> str: ...
    @property
    def vendor_id(self) -> int | None: ...
    @property
    def product(self) -> str | None: ...
    @property
    def firmware(self) -> str | None: ...
    @property
    def apsta(self) -> int | None: ...
    @property
    def provenance(self) -> str | None: ...
    @property
    def format(self) -> str | None: ...
    @property
    def sata(self) -> _SataFacts | None: ...
    @property
    def states(self) -> npt.NDArray[np.void]: ...
    def power_range(self, state: int, field: int) -> tuple[int, int] | None: ...
    def to_json(self) -> str: ...
    def lint(self) -> list[tuple[str, int | None, str]]: ...

class Catalogue(metaclass=_Pybind11Type):
    def __init__(self, *args: object, **kwargs: object) -> NoReturn: ...
    @property
    def n_rows(self) -> int: ...
    def row(self, index: int) -> tuple[str, str | None, int, int]: ...
    def model(self, index: int) -> Model: ...
    def find(
        self, product: str, firmware: str | None
    ) -> tuple[int, bool, int, int, int, int]: ...
    def alternatives(
        self, product: str, firmware: str | None
    ) -> list[tuple[int, bool, int, int, int, int]]: ...

class ApstParams(metaclass=_Pybind11Type):
    algorithm: int
    quirks: int
    max_exit_latency_us: int
    primary_timeout_ms: int
    primary_latency_tolerance_us: int
    secondary_timeout_ms: int
    secondary_latency_tolerance_us: int
    scheme: int
    power_source: int
    idle_power_uw: int
    transition_power_uw: int
    def __init__(self) -> None: ...

class ApstTable(metaclass=_Pybind11Type):
    def __init__(self, *args: object, **kwargs: object) -> NoReturn: ...
    @property
    def array(self) -> npt.NDArray[np.void]: ...
    @property
    def sent(self) -> bool: ...
    @property
    def enabled(self) -> bool: ...
    def encode(self) -> bytes: ...
    def validate(self, model: Model) -> None: ...
    def equals(self, other: ApstTable) -> bool: ...
    def diff(self, other: ApstTable) -> int: ...

class Reader(metaclass=_Pybind11Type):
    def __init__(self, *args: object, **kwargs: object) -> NoReturn: ...
    def read(self, max: int) -> npt.NDArray[np.void]: ...
    def read_all(self) -> npt.NDArray[np.void]: ...
    @property
    def counts(self) -> dict[str, int]: ...

class Stats(metaclass=_Pybind11Type):
    def __init__(self, service: _Service | None) -> None: ...
    def feed(self, ios: npt.NDArray[np.void]) -> None: ...
    def get(self) -> npt.NDArray[np.void]: ...

class SimParams(metaclass=_Pybind11Type):
    def __init__(
        self,
        parameters: list[_Parameter],
        table: ApstTable | None,
        lpm: int,
        loop: int,
        flags: int,
        operational_state: int,
        interval_ns: int,
    ) -> None: ...

class Sim(metaclass=_Pybind11Type):
    def __init__(self, model: Model, params: SimParams, want_changes: bool) -> None: ...
    def feed(self, ios: npt.NDArray[np.void]) -> None: ...
    # Nominal, low and high run; assumed_nj, axes, n_corners, widest_axis,
    # axis_low_nj, axis_high_nj; delays, intervals, changes.
    def finish(
        self, end_ns: int
    ) -> tuple[
        npt.NDArray[np.void],
        int,
        int,
        int,
        int,
        list[int],
        list[int],
        npt.NDArray[np.uint64],
        npt.NDArray[np.void],
        npt.NDArray[np.void],
    ]: ...
    def saving(self, to: Sim) -> tuple[int, int, int, int, int, int]: ...

class Gaps(metaclass=_Pybind11Type):
    # bytes: from to_data().
    def __init__(self, service: _Service | bytes | None) -> None: ...
    def feed(self, ios: npt.NDArray[np.void]) -> None: ...
    def finish(self, end_ns: int) -> None: ...
    def to_data(self) -> bytes: ...
    @property
    def idle_ns(self) -> npt.NDArray[np.uint64]: ...

# order, first_page, n_pages, (address_share, write_share) of each class
_Pattern: TypeAlias = tuple[int, int, int, list[tuple[float, float]]]

class Ftl(metaclass=_Pybind11Type):
    def __init__(
        self,
        seed: int,
        n_user_pages: int,
        n_blocks: int,
        pages_per_block: int,
        reserve_blocks: int,
        collector: int,
        choices: int,
    ) -> None: ...
    def write(self, first_page: int, n_pages: int) -> None: ...
    def trim(self, first_page: int, n_pages: int) -> None: ...
    def feed(self, ios: npt.NDArray[np.void], page_bytes: int) -> None: ...
    def write_pattern(self, pattern: _Pattern, n_writes: int) -> None: ...
    # The numbers are the members of struct ssdpm_ftl_cost in their order.
    def run(
        self, pattern: _Pattern, cost: list[int], n_seconds: int
    ) -> npt.NDArray[np.void]: ...
    # The members of struct ssdpm_ftl_counts in their order.
    def counts(self) -> tuple[int, int, int, int, int, int]: ...

class Machine(metaclass=_Pybind11Type):
    def __init__(
        self,
        root: bytes | None,
        log: Callable[[int, str], object] | None,
        log_level: int,
    ) -> None: ...
    # The members of the structs by name; None is unknown.
    def facts(self) -> dict[str, Any]: ...
    def devices(self) -> list[Device]: ...
    def open(self, name: bytes) -> Device: ...
    # kind, path, line, setting.
    def owners(self) -> list[tuple[str, str, int, str]]: ...
    # kind, name, path, readable.
    def meters(self) -> list[tuple[str, str, str, bool]]: ...
    def find_meter(self, text: bytes, /) -> tuple[str, str, str, bool]: ...
    def capture(self, directory: bytes, commands: bool) -> None: ...

class Sampler(metaclass=_Pybind11Type):
    def __init__(
        self, machine: Machine, kind: int, name: bytes, path: bytes, /
    ) -> None: ...
    # time_ns, power_w, energy_j, flags.
    def read(self) -> tuple[int, float, float, int]: ...

class Device(metaclass=_Pybind11Type):
    def __init__(self, *args: object, **kwargs: object) -> NoReturn: ...
    def facts(self) -> dict[str, Any]: ...
    def model(self, commands: bool, catalogue: Catalogue | None) -> Model: ...
    def apst(self) -> ApstTable: ...
    def power_state(self) -> int: ...
    # The members of struct ssdpm_device_power, and asleep.
    def power(self) -> dict[str, Any]: ...
    def devsleep(self) -> tuple[bool, int, int]: ...
    def host(self, machine: Machine) -> dict[str, Any]: ...
    # Bits, and whether the kernel says so.
    def quirks(self, machine: Machine, model: Model) -> tuple[int, bool]: ...
    # Bits of the quirks, the word of the link, that of the policy, the table.
    def settings(
        self, machine: Machine, model: Model | None
    ) -> tuple[int | None, str | None, str | None, ApstTable | None]: ...
    def apst_params(
        self, machine: Machine, model: Model
    ) -> tuple[ApstParams, int, int]: ...
    # code, severity, message, advice.
    def diagnose(
        self, machine: Machine, model: Model | None, table: ApstTable | None
    ) -> list[tuple[str, str, str, str | None]]: ...

class Plan(metaclass=_Pybind11Type):
    def __init__(
        self, machine: Machine, directory: bytes | None, timeouts: tuple[int, int]
    ) -> None: ...
    def add_latency_tolerance(
        self, device: Device, model: Model | None, max_exit_latency_us: int
    ) -> None: ...
    def add_nvme_core(self, parameter: int, value: int) -> None: ...
    def add_apst(
        self, device: Device, model: Model | None, table: ApstTable
    ) -> None: ...
    def add_power_state(
        self,
        device: Device,
        model: Model | None,
        power_state: int,
        workload_hint: int | None,
    ) -> None: ...
    def add_nopp(self, device: Device, enabled: bool) -> None: ...
    def add_applied(self) -> None: ...
    def add_lpm(
        self, device: Device, model: Model | None, lpms: list[int], any_port: bool
    ) -> None: ...
    def add_profile(
        self, device: Device, model: Model | None, settings: dict[str, Any]
    ) -> None: ...
    def add_revert(self) -> None: ...
    def lock(self) -> None: ...
    def unlock(self) -> None: ...
    # state, age_ms, n_undone, n_left_alone, line, reason.
    def journal(self) -> tuple[str, int, int, int, int | None, str | None] | None: ...
    def read(self) -> None: ...
    def commit(self) -> None: ...
    def verify(self, commands: bool) -> None: ...
    def revert(self) -> None: ...
    # kind, state, flags, device, target, before, after, why, warning, parameter,
    # before_value, after_value: max_exit_latency_us, nvme_core, lpm, power_state,
    # workload_hint, nopp, table.
    def steps(
        self,
    ) -> list[
        tuple[
            str,
            str,
            list[str],
            str | None,
            str | None,
            str | None,
            str | None,
            str | None,
            str | None,
            str | None,
            tuple[Any, ...] | None,
            tuple[Any, ...] | None,
        ]
    ]: ...
    # device, provenance, before, after, built.
    def tables(
        self,
    ) -> list[
        tuple[str, str | None, ApstTable | None, ApstTable | None, ApstTable | None]
    ]: ...
    @property
    def n_planned(self) -> int: ...
    @property
    def committed(self) -> bool: ...

class Persist(metaclass=_Pybind11Type):
    def __init__(
        self,
        kind: int,
        ac: dict[str, Any] | None,
        battery: dict[str, Any] | None,
        command: bytes | None,
        profiles: bytes | None,
        # address, product, power_state and workload_hint, nopp.
        powers: list[tuple[str, str, tuple[int, int] | None, bool | None]],
        settings: dict[str, Any] | None,
    ) -> None: ...
    # path, contents, mode, note.
    def files(self) -> list[tuple[str, str, int, str | None]]: ...
    def check(self, machine: Machine) -> None: ...
    def write(self, machine: Machine) -> None: ...

def version() -> str: ...
def models_from_data(data: bytes) -> list[Model]: ...
def catalogue_new(data: bytes | None) -> Catalogue: ...

# mode, power_uw.
def governor_modes(form: int) -> list[tuple[int, int | None]]: ...
def model_new(
    kind: int,
    vendor_id: int | None,
    product: str | None,
    firmware: str | None,
    apsta: int | None,
    provenance: int,
    format: int,
    sata: _SataFacts | None,
    states: npt.NDArray[np.void],
) -> Model: ...
def apst_generate(model: Model, params: ApstParams) -> ApstTable: ...
def apst_explain(model: Model, params: ApstParams) -> list[tuple[int, str, str]]: ...
def apst_decode(data: bytes, enabled: bool) -> ApstTable: ...
def apst_from_data(data: bytes) -> ApstTable: ...
def apst_infer(model: Model, table: ApstTable) -> list[tuple[ApstParams, int, int]]: ...
def apst_keep(model: Model, params: ApstParams, state: int) -> int: ...
def apst_reach(
    model: Model, table: ApstTable, quirks: int
) -> tuple[tuple[ApstParams, int, int], ApstTable]: ...
def quirks_find(
    model: Model, host: dict[str, str | int | None], rules: bytes
) -> tuple[int, int, list[tuple[int, int, str]]]: ...
def trace_open(
    source: int | bytes,
    format: int,
    columns: str | None,
    device: str | None,
    skip_bad: bool,
) -> Reader: ...
def trace_generate(name: str, numbers: dict[str, int | None]) -> Reader: ...
def fio_job(name: str, numbers: dict[str, int | None]) -> str: ...
def generators() -> list[tuple[str, str]]: ...
def to_fio_iolog(ios: npt.NDArray[np.void], origin_ns: int, file: str) -> bytes: ...
def parameters_from_model(model: Model, pcie_link: int) -> list[_Parameter]: ...
def parameters_set(
    parameters: list[_Parameter],
    kind: int,
    index: int,
    low: int,
    nominal: int,
    high: int,
) -> list[_Parameter]: ...
def parameters_to_model(model: Model, parameters: list[_Parameter]) -> Model: ...

# choices, power, loss, bound, examined, exact; None: nothing fits.
def budget_solve(
    options: npt.NDArray[np.uint64], counts: npt.NDArray[np.uint32], budget_uw: int
) -> tuple[npt.NDArray[np.uint32], int, int, int, int, bool] | None: ...
def budget_frontier(
    options: npt.NDArray[np.uint64], counts: npt.NDArray[np.uint32]
) -> npt.NDArray[np.uint64]: ...
def gaps_sweep(
    gaps: Gaps, model: Model, params: SimParams, tables: list[ApstTable]
) -> npt.NDArray[np.void]: ...
def gaps_clairvoyant(
    gaps: Gaps, model: Model, params: SimParams
) -> npt.NDArray[np.void]: ...
def gaps_best_table(
    gaps: Gaps, model: Model, params: SimParams, bounds: _Bounds
) -> tuple[ApstTable, npt.NDArray[np.void], int]: ...

# route, possible, advice, today_keeps_bounds, table, limit_us, four times of nvme_core, run, saving.
def recommend(
    gaps: Gaps,
    model: Model,
    params: SimParams,
    bounds: _Bounds,
    usual: bool,
    today: ApstTable,
) -> list[
    tuple[
        int,
        bool,
        str,
        bool,
        ApstTable,
        int,
        int,
        int,
        int,
        int,
        npt.NDArray[np.void],
        tuple[int, int, int, int, int, int],
    ]
]: ...

_Span: TypeAlias = tuple[float, float, float]
# op, known, assumed, io_bytes, share, write_amplification, the spans.
_Stream: TypeAlias = tuple[
    int, int, int, int, float, float, _Span, _Span, _Span, _Span, _Span
]
_Nand: TypeAlias = tuple[float, float, float, float, float, float]
# known, assumed, idle_uw, max_uw, the members of struct ssdpm_nand.
_CapDrive: TypeAlias = tuple[int, int, _Span, _Span, _Nand | None]

# The spans of struct ssdpm_cap_result, limit, assumed.
def cap_calculate(
    drive: _CapDrive, streams: list[_Stream], cap_uw: int
) -> tuple[_Span, _Span, _Span, _Span, _Span, _Span, int, int]: ...

# The members of struct ssdpm_cap_segment.
_Segment: TypeAlias = tuple[int, int, int]

# cap_uw, known, assumed, idle_uw, max_uw, streams.
def cap_params_from_model(
    model: Model, parameters: list[_Parameter], state: int, streams: list[_Stream]
) -> tuple[int, int, int, _Span, _Span, list[_Stream]]: ...
def cap_timeline(
    drive: _CapDrive,
    streams: list[_Stream],
    segments: list[_Segment],
    interval_ns: int,
) -> npt.NDArray[np.void]: ...

# The members of struct ssdpm_cap_run: eight numbers, five spans; an
# ssdpm_cap_point for each segment.
def cap_simulate(
    model: Model,
    params: SimParams,
    segments: list[_Segment],
    ios: npt.NDArray[np.void],
) -> tuple[Any, ...]: ...
def profile_find(text: bytes, name: str, power_source: int) -> dict[str, Any]: ...
def profile_names(text: bytes) -> list[str]: ...
def journal_read(
    machine: Machine, directory: bytes | None
) -> tuple[str, int, int, int, int | None, str | None] | None: ...
def recover(
    machine: Machine, directory: bytes | None, timeouts: tuple[int, int]
) -> int: ...
def persist_remove(machine: Machine, kind: int) -> int: ...

# The members of struct ssdpm_baseline, and those of struct ssdpm_detect_params.
_Baseline: TypeAlias = tuple[float, float, float, float, float, int, int]
_Detect: TypeAlias = tuple[float, float, float, int, int, int]

class Samples(metaclass=_Pybind11Type):
    def __init__(
        self,
        power_w: npt.NDArray[Any],
        time_ns: npt.NDArray[np.int64] | None,
        start_ns: int,
        interval_ns: float,
        /,
    ) -> None: ...

class Integral(metaclass=_Pybind11Type):
    def __init__(self, max_gap_ns: int, tolerance: float, /) -> None: ...
    def feed(self, samples: Samples, /) -> None: ...
    def get(self) -> tuple[Any, ...]: ...

class Level(metaclass=_Pybind11Type):
    def __init__(self) -> None: ...
    def feed(self, samples: Samples, /) -> None: ...
    def get(self) -> _Baseline: ...

def measure_energy(
    samples: Samples, max_gap_ns: int, tolerance: float, /
) -> tuple[Any, ...]: ...
def measure_baseline(
    samples: Samples, begin_ns: int, end_ns: int, method: int, /
) -> _Baseline: ...
def measure_activity(
    samples: Samples, baseline: _Baseline, detect: _Detect, /
) -> list[tuple[int, int, int, int, float, float, float, int]]: ...
def measure_tail(
    samples: Samples, baseline: _Baseline, detect: _Detect, completion_ns: int, /
) -> tuple[int, int, float, float, bool, int]: ...
def measure_idle_work(
    samples: Samples, baseline: _Baseline, detect: _Detect, /
) -> tuple[int, bool, int, int, int, float, float, float]: ...
def measure_sampling(
    samples: Samples,
    baseline: _Baseline | None,
    detect: _Detect | None,
    ios: npt.NDArray[Any] | None,
    /,
) -> tuple[Any, ...]: ...
def measure_classify(
    runs: list[tuple[float, int, float, float]], /
) -> tuple[int, int, int, float, float, float]: ...
def measure_proportionality(load: list[float], power_w: list[float], /) -> float: ...
def measure_steady_state(
    rounds: list[float], window: int, max_range: float, max_slope: float, /
) -> int: ...
def measure_change_points(
    samples: Samples, sigma_w: float, penalty: float, min_samples: int, /
) -> list[int]: ...
def iops_log_read(source: int | bytes, op: int, /) -> npt.NDArray[np.float64]: ...
def consistency_measure(
    iops: npt.NDArray[np.float64], begin_s: int, end_s: int, threshold_iops: float, /
) -> tuple[Any, ...]: ...

# The members of struct ssdpm_survey_params: policies, scenarios, blocks, seed, times.
_Schedule: TypeAlias = tuple[int, int, int, int, int, int, int]

def survey_schedule(
    params: _Schedule, /
) -> tuple[list[tuple[int, int, int, int, int, int, int]], int]: ...
def survey_summarise(samples: Samples, /) -> tuple[Any, ...]: ...
def survey_range_p(q: float, k: int, df: float, /) -> float: ...
def survey_range_q(p: float, k: int, df: float, /) -> float: ...
def survey_analyse(
    runs: list[tuple[float, int, int, int]],
    params: tuple[float, float, int, int, int],
    /,
) -> tuple[tuple[Any, ...], list[tuple[Any, ...]], list[tuple[Any, ...]]]: ...
def survey_detectable(
    params: _Schedule,
    noise: tuple[float, float, int, float, float],
    error_rate: float,
    difference_w: float,
    /,
) -> tuple[float, float, float, float, float, float, float, bool]: ...
def survey_judge(
    rows: list[tuple[float, float, float, int]], error_rate: float, /
) -> tuple[int, int, float, int, int]: ...
def survey_merge(
    results: list[tuple[float, float, int, int]], policy: int, error_rate: float, /
) -> tuple[int, int, float, float, float, float, float, float, float, float, float]: ...

# policies, scenarios, tests; blocks and times; counts; facts; runs; runs of fio.
_SurveyFile: TypeAlias = tuple[
    list[str],
    list[str],
    list[str],
    tuple[int, int, int, int],
    tuple[int, int, int],
    list[tuple[str, str]],
    list[
        tuple[
            int,
            int,
            int,
            int,
            int,
            npt.NDArray[np.int64] | None,
            npt.NDArray[np.float64],
            npt.NDArray[np.float64],
        ]
    ],
    list[tuple[int, int, int, int, int, float, float, float]],
]

def survey_read(source: int | bytes, /) -> _SurveyFile: ...

# The members of struct ssdpm_power_params.
_PowerParams: TypeAlias = tuple[str | None, float, float, float, float, float, int]

class PowerReader(metaclass=_Pybind11Type):
    def __init__(self, *args: object, **kwargs: object) -> NoReturn: ...
    def read(
        self, max: int, /
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]: ...
    def read_all(
        self,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]: ...
    @property
    def counts(self) -> tuple[int, int, int, int]: ...

def power_open(source: int | bytes, params: _PowerParams, /) -> PowerReader: ...

# The members of struct ssdpm_measured; those of struct ssdpm_calibration from n_bins on.
_Measured: TypeAlias = tuple[int, int, int, bool, int, float, float, float, float, str]
_Quality: TypeAlias = tuple[int, int, int, int, int, float, float, float, float]

def calibrate(
    model: Model,
    sim_params: SimParams,
    ios: npt.NDArray[np.void],
    samples: Samples,
    params: tuple[int, int, int, int],
    /,
) -> tuple[list[_Measured], _Quality]: ...
def wa_calculate(formula: int, spare: float, pages_per_block: int) -> float: ...
def wa_calculate_classes(spare: float, classes: list[tuple[float, float]]) -> float: ...
def spare_factor_trim(spare: float, trim_share: float) -> float: ...

# The numbers are the members of struct ssdpm_nand in their order.
def write_cost(nand: list[float], wa: float) -> tuple[float, float]: ...

# The parameters; the members of struct ssdpm_background_work.
def parameters_set_spare(
    model: Model, parameters: list[_Parameter], spare: float, measured_wa: float
) -> tuple[list[_Parameter], tuple[float, float, float, int, int, int, int]]: ...
def parameters_calibrate(
    parameters: list[_Parameter], measured: list[_Measured], /
) -> list[_Parameter]: ...

# The members of struct ssdpm_overlay.
_Overlay: TypeAlias = tuple[
    int, int, int, int, int, int, int, int, str, str, str, str, str, str
]

def overlay_to_json(
    overlay: _Overlay, measured: list[_Measured], quality: _Quality, /
) -> str: ...
def overlay_from_json(text: bytes, /) -> tuple[_Overlay, list[_Measured], _Quality]: ...
def overlay_match(overlay: _Overlay, model: Model, /) -> int: ...
