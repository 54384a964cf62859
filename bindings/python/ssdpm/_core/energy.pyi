# SPDX-License-Identifier: MIT
from typing import Any, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from ssdpm._core import ApstParams, ApstTable, Device, Machine, Model, _Pybind11Type

CAP_NONE: int
SERVICE_UNKNOWN: int
SERVICE_MAX: int
IO_CONTINUED: int
SIM_IDLE_FROM_START: int
SIM_LIKELY: int
BUDGET_MAX: int
BUDGET_MAX_ITEMS: int
BUDGET_MAX_STATES: int
BUDGET_POWERS: dict[str, int]
HISTOGRAM_STARTS: list[int]
OPS: dict[str, int]
TRACE_FORMATS: dict[str, int]
LOOPS: dict[str, int]
PCIE_LINKS: dict[str, int]
PARAMETER_KINDS: dict[str, int]
AXES: dict[str, int]
PHASES: dict[str, int]
ROUTES: dict[str, int]
PATIENCES: dict[str, int]
BOUNDS_MAY_COST: int
BOUNDS_IN_FORCE: int
BOUNDS_OWN: tuple[int, int, int]
CAP_LIMITS: dict[str, int]
WA_FORMULAS: dict[str, int]
SIGNAL_REMARKS: dict[str, int]
TRIAL_SETTINGS: dict[str, int]
TRIAL_DECISIONS: dict[str, int]
BASELINE_METHODS: dict[str, int]
BACKGROUNDS: dict[str, int]
EXPERIMENT_PLACES: dict[str, int]
SURVEY_RUN_STATUSES: dict[str, int]
SURVEY_TRENDS: dict[str, int]
SURVEY_VERDICTS: dict[str, int]
SURVEY_MISSING: dict[str, int]
SURVEY_MAX_BLOCKS: int
POWER_FORMATS: dict[str, int]
MEASURED_STATUSES: dict[str, int]
OVERLAY_MATCHES: dict[str, int]
METER_TRAITS: dict[str, int]
METER_SAMPLINGS: dict[str, int]
CONTRADICTIONS: dict[str, int]
IDLE_VERDICTS: dict[str, int]
IDLE_FITS: dict[str, int]
CALIBRATE_OPERATION_ENERGY: int
CALIBRATE_BYTE_ENERGY: int

# base_ns and bytes_per_second, by operation.
_Service: TypeAlias = tuple[list[int], list[int]]
# kind, index, provenance, low, nominal, high, rule.
_Parameter: TypeAlias = tuple[int, int, int, int, int, int, str]
# The members of struct ssdpm_bounds in their order.
_Bounds: TypeAlias = tuple[int, int, int, int, int, int]
# The members of struct ssdpm_prediction in their order.
_Prediction: TypeAlias = tuple[int, int, int, int, int, int, int, int]
# covered_ns, energy_j, low_j, high_j, mean_power_w, n, remarks.
_Energy: TypeAlias = tuple[int, float, float, float, float, int, int]
# The members of struct ssdpm_trace_counts in their order.
_Counts: TypeAlias = tuple[int, ...]
# Names of the drive and of the trace, what its reader met, spare_ppm.
_Names: TypeAlias = tuple[Any, ...]
# The members of struct ssdpm_background_work in their order.
_Work: TypeAlias = tuple[float, float, float, int, int, int, int]
io_dtype: np.dtype[np.void]
run_dtype: np.dtype[np.void]
cap_point_dtype: np.dtype[np.void]
budget_state_dtype: np.dtype[np.void]
interval_dtype: np.dtype[np.void]
change_dtype: np.dtype[np.void]

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
        pcie_link: int,
    ) -> None: ...

class BudgetItem(metaclass=_Pybind11Type):
    def __init__(self, *args: object, **kwargs: object) -> NoReturn: ...
    def states(self) -> npt.NDArray[np.void]: ...

class Budget(metaclass=_Pybind11Type):
    def __init__(self, items: list[BudgetItem], budget_uw: int, base_uw: int) -> None: ...
    def answer(self) -> tuple[bool, int, int, int, int, bool, int]: ...
    def choices(self) -> npt.NDArray[np.uint32]: ...
    def frontier(self) -> npt.NDArray[np.void]: ...
    def to_json(self, mix: list[tuple[int, float, int]]) -> str: ...

class Sim(metaclass=_Pybind11Type):
    def __init__(self, model: Model, params: SimParams, want_changes: bool) -> None: ...
    def feed(self, ios: npt.NDArray[np.void]) -> None: ...
    # Nominal, low and high run; parameters, assumed_nj, axes, own_duration_ns,
    # loose_states, loose_ops, widest_axis, axis_low_nj, axis_high_nj; delays, intervals, changes.
    def finish(self, end_ns: int) -> tuple[
        npt.NDArray[np.void],
        list[_Parameter],
        int,
        int,
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
    def to_json(
        self,
        names: _Names,
        policy: str | None,
        table: ApstTable | None,
        lpm: int,
        background: _Work | None,
    ) -> str: ...
    def saving(self, to: Sim) -> tuple[int, int, int, int, int, int]: ...
    def prediction(self) -> _Prediction: ...
    def prediction_to_json(
        self,
        ios: npt.NDArray[np.void],
        policy: str | None,
        predicted_at: str | None,
    ) -> str: ...

class Gaps(metaclass=_Pybind11Type):
    # bytes: from to_data().
    def __init__(self, service: _Service | bytes | None) -> None: ...
    def feed(self, ios: npt.NDArray[np.void]) -> None: ...
    def finish(self, end_ns: int) -> None: ...
    def to_data(self) -> bytes: ...
    @property
    def idle_ns(self) -> npt.NDArray[np.uint64]: ...

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
def workload_json(name: str, counts: _Counts, numbers: npt.NDArray[np.void]) -> str: ...
def generator_json(index: int) -> str: ...
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

# base_ns, bytes_per_second: for each operation.
def parameters_get_service(
    parameters: list[_Parameter],
) -> tuple[list[int], list[int]]: ...
def common_policies(kind: int) -> list[str]: ...
def usual_pcie_link() -> int: ...

# Quirks, enum ssdpm_lpm or 0, the table of today, left_alone, refused; None: no machine.
_Settings: TypeAlias = tuple[int | None, int, ApstTable | None, bool, bool] | None

def table_of_word(
    model: Model, word: str, params: SimParams, settings: _Settings
) -> ApstTable | None: ...
def policy_word(word: str) -> str: ...
def reference_policy(model: Model, settings: _Settings) -> str: ...

class Comparison(metaclass=_Pybind11Type):
    def __init__(
        self, model: Model, params: SimParams, settings: _Settings
    ) -> None: ...
    def add(self, name: str, policy: str | ApstTable) -> bool: ...
    def feed(self, ios: npt.NDArray[np.void]) -> None: ...
    # same_as, table, lpm, as Sim.finish(), saving, likely, refused, advised.
    def finish(self, end_ns: int) -> list[tuple[Any, ...]]: ...
    def to_json(self, names: _Names) -> str: ...
    def row_to_json(
        self, names: _Names, index: int, background: _Work | None
    ) -> str: ...

def tune(
    machine: Machine, patience: int, name: Any, ios: Any, trials: Any,
    hours_per_day: int, price_per_kwh: float,
) -> Any: ...
def total(savings: list[Any]) -> tuple[Any, ...]: ...
def total_asleep(drives: list[Any]) -> tuple[Any, ...]: ...
def usual_workload(machine: Machine) -> tuple[str, str]: ...
def budget_item_of_drives(
    devices: list[tuple[str | None, Model, SimParams]],
    mix: list[tuple[int, float, int]],
    ios: npt.NDArray[np.void], power: int, weight_thousandths: int,
) -> BudgetItem: ...
def budget_item_of_states(name: str, states: npt.NDArray[np.void]) -> BudgetItem: ...
def gaps_sweep(
    gaps: Gaps, model: Model, params: SimParams, tables: list[ApstTable]
) -> npt.NDArray[np.void]: ...
def gaps_clairvoyant(
    gaps: Gaps, model: Model, params: SimParams
) -> npt.NDArray[np.void]: ...
def gaps_best_table(
    gaps: Gaps, model: Model, params: SimParams, bounds: _Bounds
) -> tuple[ApstTable, npt.NDArray[np.void], int]: ...

# Seconds, and watt-hours: low, nominal and high. None: the system takes too little.
def prediction_from_json(text: bytes) -> _Prediction: ...

# verdict, certain, power_uw, low_uw, high_uw, length_differs.
_PredictionCheck: TypeAlias = tuple[str, bool, int, int, int, bool]

def prediction_check_from_json(text: bytes) -> tuple[_PredictionCheck, str]: ...
def prediction_judge(
    text: bytes, energy: _Energy, subtracted_w: float
) -> _PredictionCheck: ...
def prediction_add_measured(
    text: bytes, energy: _Energy, subtracted_w: float, measured_at: str | None
) -> str: ...
def check_estimable(device: Device, model: Model) -> None: ...
def saving_battery_s(
    saving_uw: tuple[int, int, int], battery_mwh: float, system_uw: float
) -> tuple[float, float, float] | None: ...
def saving_year_wh(saving_uw: tuple[int, int, int], hours_per_day: float) -> _Span: ...

class DeviceBounds(metaclass=_Pybind11Type):
    def __init__(self, device: Device, machine: Machine, model: Model) -> None: ...
    @property
    def flags(self) -> int: ...

class Recommendations(metaclass=_Pybind11Type):
    def __init__(
        self, gaps: Gaps, model: Model, params: SimParams, bounds: _Bounds,
        patience: int, today: ApstTable, place: DeviceBounds | None,
    ) -> None: ...
    # route, possible, advice, today_keeps_bounds, table, lpm, limit_us, four times of
    # nvme_core, run, saving, likely, changes: target, value.
    def answers(self) -> list[tuple[Any, ...]]: ...
    def to_json(self, names: _Names, today: str | None) -> str: ...

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

_Segment: TypeAlias = tuple[int, int, int]  # of struct ssdpm_cap_segment

def cap_from_state(model: Model, before: int | None, state: int) -> tuple[int, int]: ...

# cap_uw, known, assumed, idle_uw, max_uw, streams.
def cap_params_from_model(
    model: Model, params: SimParams, streams: list[_Stream]
) -> tuple[int, int, int, _Span, _Span, list[_Stream]]: ...
def cap_timeline(
    drive: _CapDrive, streams: list[_Stream], segments: list[_Segment], interval_ns: int
) -> npt.NDArray[np.void]: ...

# The members of struct ssdpm_cap_run: eight numbers, five spans; an
# ssdpm_cap_point for each segment.
def cap_simulate(
    model: Model, params: SimParams, segments: list[_Segment], ios: npt.NDArray[np.void]
) -> tuple[Any, ...]: ...
def cap_json(
    model: Model, name: str | None, streams: list[_Stream], points: npt.NDArray[np.void]
) -> str: ...

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

# The members of struct ssdpm_trial_params, _block and _state in their order.
class Trial(metaclass=_Pybind11Type):
    def __init__(self, numbers: list[int], /) -> None: ...
    def next(self, now_ns: int, /) -> tuple[int, int, int, int, int]: ...
    def feed(self, time_ns: int, power_w: float, /) -> None: ...
    def state(self) -> tuple[int, int, float, float, float, float, int]: ...

def measure_energy(
    samples: Samples, max_gap_ns: int, tolerance: float, /
) -> tuple[Any, ...]: ...
def measure_baseline(
    samples: Samples, begin_ns: int, end_ns: int, method: int, /
) -> _Baseline: ...
def measure_activity(
    samples: Samples, baseline: _Baseline, detect: _Detect, /
) -> tuple[list[tuple[int, int, int, int, float, float, float, int]], bytes]: ...
def measure_tail(
    samples: Samples, baseline: _Baseline, detect: _Detect, completion_ns: int, /
) -> tuple[int, int, float, float, bool, int, bytes]: ...
def measure_idle_work(
    samples: Samples, baseline: _Baseline, detect: _Detect, /
) -> tuple[int, bool, int, int, int, float, float, float, bytes]: ...
def measure_sampling(
    samples: Samples,
    baseline: _Baseline | None,
    detect: _Detect | None,
    ios: npt.NDArray[Any] | None,
    /,
) -> tuple[Any, ...]: ...
def measure_first_sampling(samples: Samples, /) -> bytes: ...

SAMPLING_SAMPLES: int

# kind: "energy", "baseline", "background"; parts: energy, sampling, activities, tail,
# work, each as it was found.
def power_json(
    kind: str,
    name: str,
    counts: tuple[int, int, int, int],
    baseline: _Baseline | None,
    parts: tuple[
        bytes | None, bytes | None, bytes | None, bytes | None, bytes | None
    ],
    /,
) -> str: ...

# background, n_tails, tail_ns, extra_j, trend, trend_p.
_Class: TypeAlias = tuple[int, int, int, float, float, float]
# name, micro-benchmark with drive and pattern, n_runs.
_Experiment: TypeAlias = tuple[str, tuple[str, str, str] | None, int, _Class]

def measure_classify(runs: list[tuple[float, int, float, float]], /) -> _Class: ...
def experiment_json(experiment: _Experiment, /) -> str: ...

class Matrix(metaclass=_Pybind11Type):
    def __init__(self, experiments: list[_Experiment], /) -> None: ...
    def names(self, place: int, /) -> list[str]: ...
    def text(self, micro_benchmark: int, drive: int, /) -> str: ...
    def to_json(self) -> str: ...

def measure_proportionality(load: list[float], power_w: list[float], /) -> float: ...
def measure_steady_state(
    rounds: list[float], window: int, max_range: float, max_slope: float, /
) -> int: ...
def measure_change_points(
    samples: Samples, sigma_w: float, penalty: float, min_samples: int, /
) -> list[int]: ...
def iops_log_read(source: int | bytes, op: int, /) -> npt.NDArray[np.float64]: ...
def consistency_measure(
    iops: npt.NDArray[np.float64],
    begin_s: int,
    end_s: int,
    threshold_iops: float,
    power_w: npt.NDArray[np.float64] | None,
    /,
) -> tuple[Any, ...]: ...
def consistency_json(
    name: str, spare_ppm: int, threshold_iops: float, found: bytes, /
) -> str: ...

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

class SurveyFile(metaclass=_Pybind11Type):
    def __init__(self, source: int | bytes, /) -> None: ...
    def contents(self) -> _SurveyFile: ...

class SurveyResult(metaclass=_Pybind11Type):
    # 0: the defaults.
    def __init__(
        self, file: SurveyFile, name: str, error_rate: float, system_power_w: float, /
    ) -> None: ...
    @property
    def error_rate(self) -> float: ...
    def means(self) -> list[float]: ...
    # of, quantity, whether a test of fio, reason, runs: policy, block, mean; what
    # survey_analyse() returns.
    def comparisons(
        self,
    ) -> list[
        tuple[
            str,
            str,
            bool,
            str | None,
            list[tuple[int, int, float]],
            tuple[Any, ...] | None,
        ]
    ]: ...
    # kind, of, policy, from, was_found, detectable_w, risks_data.
    def recommendation(
        self,
    ) -> tuple[str, str | None, int | None, int | None, bool, float, bool]: ...
    def to_json(self) -> str: ...

class SurveyMerge(metaclass=_Pybind11Type):
    def __init__(self, results: list[SurveyResult], error_rate: float, /) -> None: ...
    # n_surveys, n_drives, n_merged, error_rate, row_error_rate.
    def info(self) -> tuple[int, int, int, float, float]: ...
    # name, drive, number, reason.
    def parts(self) -> list[tuple[str, str, int, str | None]]: ...
    # of, quantity, whether a test of fio, policy, from, reason; what survey_merge()
    # returns.
    def rows(
        self,
    ) -> list[
        tuple[str, str, bool, str, str, str | None, tuple[Any, ...] | None]
    ]: ...
    def to_json(self) -> str: ...

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
_Traits: TypeAlias = tuple[int, int, int, int, int, int]
_Quality: TypeAlias = tuple[
    int, int, int, int, int, float, float, float, float, _Traits, int
]

# begin_ns, bin_ns, power_w
def calibration_get_fitted(
    model: Model,
    sim_params: SimParams,
    ios: npt.NDArray[np.void],
    samples: Samples,
    measured: list[_Measured],
    quality: _Quality,
    /,
) -> tuple[int, int, npt.NDArray[np.float64]]: ...
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
# offset_ns, max_offset_ns, bin_ns, flags, meter; the members of struct ssdpm_overlay_names
def calibrate(
    model: Model, sim_params: SimParams, ios: npt.NDArray[np.void], samples: Samples,
    params: tuple[int | None, int | None, int, int, _Traits],
    names: tuple[str | None, str | None, str | None, str | None, int],
    /,
) -> tuple[_Overlay, list[_Measured], _Quality]: ...
def overlay_to_json(o: _Overlay, m: list[_Measured], q: _Quality, /) -> str: ...
def overlay_from_json(text: bytes, /) -> tuple[_Overlay, list[_Measured], _Quality]: ...
def overlay_match(overlay: _Overlay, model: Model, /) -> int: ...
def idle_state(m: Model, b: _Baseline, p: list[_Parameter], gain: int, /) -> Any: ...
