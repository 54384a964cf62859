# SPDX-License-Identifier: MIT
"""The survey: which policy is best on this machine.

Runs in a random order, the mean of each with the noise it really has, and all pairs of
policies held against each other::

    from ssdpm.measure import survey

    plan = survey.schedule(["max_performance", "med_power_with_dipm"], seed=1)
    runs = []
    for step in plan:
        ...  # set step.policy, settle, take readings until step.end_ns
        summary = survey.summarise(readings, rate_hz=1 / 3)
        runs.append(survey.Run.from_summary(step, summary))
    found = survey.analyse(runs)
    print(found)
    found.plot()

What `ssdpm measure survey` has written is read in one call::

    survey.read("survey.csv").analyse("idle").plot()

Policies, scenarios and drives are named as the caller likes. ssdpm_measure(3) has the
methods.
"""

from __future__ import annotations

import errno
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base import (
    Error,
    UnknownValueError,
    Value,
    check_bool,
    check_instance,
    check_list,
    check_text,
    check_unsigned,
    check_word,
    check_words,
    html_table,
)
from ssdpm.measure import (
    SignalLike,
    _cell,
    _columns,
    _Html,
    _number,
    _s,
    _signal,
    _w,
)
from ssdpm.policy import _Word
from ssdpm.workload import TraceSource, open_source

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Analysis",
    "Detectable",
    "Difference",
    "FioRun",
    "Judgement",
    "Mean",
    "Merged",
    "Noise",
    "Readings",
    "Result",
    "Run",
    "RunStatus",
    "Schedule",
    "Stated",
    "Step",
    "Summary",
    "Survey",
    "Trend",
    "Verdict",
    "analyse",
    "detectable",
    "judge",
    "merge",
    "range_p",
    "range_q",
    "read",
    "schedule",
    "summarise",
]

_TREND_WORDS = {number: word for word, number in _core.SURVEY_TRENDS.items()}
_VERDICT_WORDS = {number: word for word, number in _core.SURVEY_VERDICTS.items()}
_MOST_NS = 2**63 - 1
_T = TypeVar("_T")


def _names(values: object, name: str) -> tuple[str, ...]:
    """Words that differ, in their order; one may stand alone."""
    words = tuple(check_text(one, name) for one in check_words(values, name, "names"))
    for word in words:
        if words.count(word) > 1:
            raise ValueError(f"{name}: {word!r} is there more than once")
    return words


def _or_nan(value: object, name: str) -> float:
    """NaN is what C has for what is not known."""
    return math.nan if value is None else _number(value, name)


def _finite(value: object, name: str) -> float:
    return _number(value, name, -1e300)


@dataclass(frozen=True, eq=False)
class Step(_Html):
    """One run of a schedule.

    Attributes:
        begin_ns: when its policy is set, from the begin of the survey on.
        measure_ns: when its first reading is due: begin_ns and the time to settle.
        end_ns: when it ends.
        policy, scenario: their names.
        block: from 0 on.
        n_samples: readings that it takes.
    """

    begin_ns: int
    measure_ns: int
    end_ns: int
    policy: str
    scenario: str
    block: int
    n_samples: int

    def __str__(self) -> str:
        return (
            f"{_s(self.begin_ns)}: {self.policy}, {self.scenario}, block {self.block}, "
            f"{self.n_samples} readings from {_s(self.measure_ns)} on"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Schedule(Value, Sequence[Step]):
    """In which order policies and scenarios are run.

    Attributes:
        policies, scenarios: their names.
        n_blocks: how often all of it is run.
        seed: of the order.
        settle_ns: between setting a policy and the first reading.
        interval_ns: from one reading to the next.
        duration_ns: of the readings of a run.
        total_ns: how long all of it takes.
        steps: the runs; indexing, len() and iteration give these.
    """

    policies: tuple[str, ...]
    scenarios: tuple[str, ...]
    n_blocks: int
    seed: int
    settle_ns: int
    interval_ns: int
    duration_ns: int
    total_ns: int
    steps: tuple[Step, ...]

    @property
    def total_s(self) -> float:
        """total_ns in seconds."""
        return self.total_ns / 1e9

    def _params(self) -> tuple[int, int, int, int, int, int, int]:
        return (
            len(self.policies),
            len(self.scenarios),
            self.n_blocks,
            self.seed,
            self.settle_ns,
            self.interval_ns,
            self.duration_ns,
        )

    def __len__(self) -> int:
        return len(self.steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        return self.steps[index]

    def _head(self) -> str:
        return (
            f"{len(self)} runs of {len(self.policies)} policies in "
            f"{len(self.scenarios)} scenarios, {self.n_blocks} blocks: "
            f"{self.total_s / 3600:.3g} h"
        )

    def __str__(self) -> str:
        return "\n".join([self._head(), *(f"  {step}" for step in self)])

    def __repr__(self) -> str:
        return f"<ssdpm.survey.Schedule: {self._head()}>"

    def _repr_html_(self) -> str:
        names = ("begin", "policy", "scenario", "block", "readings")
        rows = (
            (_s(s.begin_ns), s.policy, s.scenario, s.block, s.n_samples) for s in self
        )
        return html_table(self._head(), names, rows)


def schedule(
    policies: Iterable[str],
    scenarios: Iterable[str] = ("idle",),
    *,
    n_blocks: int = 5,
    seed: int = 0,
    settle_ns: int = 600 * 10**9,
    interval_ns: int = 3 * 10**9,
    duration_ns: int = 900 * 10**9,
) -> Schedule:
    """A survey in a random order that its seed decides, the same everywhere.

    A block has each scenario once, in random order, and in each scenario each policy
    once, in random order: what is compared is run close together. The times are those
    of the published survey.

    Args:
        policies: names of 2 to 16.
        scenarios: names of 1 to 16.
        n_blocks: how often all of it is run, up to 1000.
        seed: of the order.
        settle_ns: between setting a policy and the first reading.
        interval_ns: from one reading to the next.
        duration_ns: of the readings of a run.

    Raises:
        InvalidError: no such number of policies or scenarios; a run of fewer than 2
            readings.
    """
    ways, places = _names(policies, "policies"), _names(scenarios, "scenarios")
    params = (
        len(ways),
        len(places),
        check_unsigned(n_blocks, "n_blocks", _core.SURVEY_MAX_BLOCKS, 1),
        check_unsigned(seed, "seed", 2**64 - 1),
        check_unsigned(settle_ns, "settle_ns", _MOST_NS, 1),
        check_unsigned(interval_ns, "interval_ns", _MOST_NS, 1),
        check_unsigned(duration_ns, "duration_ns", _MOST_NS, 1),
    )
    found, total_ns = _core.survey_schedule(params)
    steps = tuple(
        Step(begin, measure, end, ways[policy], places[scenario], block, n)
        for begin, measure, end, policy, scenario, block, n in found
    )
    return Schedule(ways, places, *params[2:], total_ns, steps)


class Trend(_Word):
    """Whether a run had settled; members are their words."""

    NONE = "none"
    """None that noise would not make."""
    RISE = "rise"
    """Slow, after settling: an averaging artefact of the first readings."""
    FALL = "fall"
    """Likewise, downwards."""
    UNSETTLED = "unsettled"
    """Its second half has a trend of its own: settle longer."""


@dataclass(frozen=True, eq=False)
class Summary(_Html):
    """One run in numbers.

    Attributes:
        n: finite samples.
        n_not_finite: others, left out.
        covered_ns: from the first sample to one step after the last.
        mean_w: of all finite samples.
        se_w: standard error of mean_w that respects autocorrelation.
        se_df: degrees of freedom of se_w, which is an estimate itself.
        low_w, high_w: 95 % interval of mean_w.
        sd_w: standard deviation of the samples.
        n_effective: independent samples that would give the same se_w.
        order: of the autoregression that se_w is from.
        trend: whether the run had settled.
        leave_out_ns: the part at the begin that is not settled; 0: none.
        n_left_out: samples in it.
        trend_w: mean of what is after that part, minus mean of that part.
        settled_mean_w, settled_se_w: as mean_w and se_w, without that part.
    """

    n: int
    n_not_finite: int
    covered_ns: int
    mean_w: float
    se_w: float
    se_df: float
    low_w: float
    high_w: float
    sd_w: float
    n_effective: float
    order: int
    trend: Trend
    leave_out_ns: int
    n_left_out: int
    trend_w: float
    settled_mean_w: float
    settled_se_w: float

    def _mean(self, settled: bool) -> float:
        slow = self.trend in (Trend.RISE, Trend.FALL)
        return self.settled_mean_w if check_bool(settled, "settled") and slow else self.mean_w

    def __str__(self) -> str:
        text = (
            f"{_w(self.mean_w)} ({_w(self.low_w)} to {_w(self.high_w)}) of {self.n} "
            f"samples, which are worth {self.n_effective:.3g}"
        )
        if self.trend == Trend.UNSETTLED:
            text += "; it has not settled: settle longer"
        elif self.trend != Trend.NONE:
            text += (
                f"; a {self.trend} in the first {_s(self.leave_out_ns)}, without it "
                f"{_w(self.settled_mean_w)}"
            )
        return text


def summarise(
    power: SignalLike,
    *,
    rate_hz: float | None = None,
    times: object = None,
    start_ns: int = 0,
) -> Summary:
    """Mean power of one run, and how well it is known.

    Args:
        power, rate_hz, times, start_ns: as measure.Signal has them: of the run after
            settling, at even steps.

    Raises:
        UnknownValueError: fewer than 30 finite samples, or all of them are the same.
    """
    signal = _signal(power, rate_hz, times, start_ns)
    values: list[Any] = list(_core.survey_summarise(signal._handle))
    values[11] = Trend(_TREND_WORDS[values[11]])
    return Summary(*values)


def range_p(q: float, k: int, df: float) -> float:
    """How likely a studentised range is above q, where all means are the same.

    Args:
        q: the range of k means, by the standard error of one of them.
        k: 2 to 100.
        df: degrees of freedom of that standard error, 1 or more.
    """
    return _core.survey_range_p(
        _number(q, "q"), check_unsigned(k, "k", 100, 2), _number(df, "df", 1)
    )


def range_q(p: float, k: int, df: float) -> float:
    """The studentised range of this probability: the inverse of range_p().

    Args:
        p: that it is above the result: 1e-6 to 0.999999.
        k, df: as range_p() has them.

    Raises:
        InvalidError: no such probability.
    """
    return _core.survey_range_q(
        _number(p, "p"), check_unsigned(k, "k", 100, 2), _number(df, "df", 1)
    )


@dataclass(frozen=True, eq=False)
class Run(_Html):
    """What a run came to.

    Attributes:
        policy, scenario: their names.
        block: from 0 to 999.
        mean_w: mean power.
    """

    policy: str
    scenario: str
    block: int
    mean_w: float

    @classmethod
    def from_summary(cls, step: Step, summary: Summary, *, settled: bool = True) -> Run:
        """Of what summarise() found for a step of a schedule.

        Args:
            settled: without a slow rise or fall at its begin, where there is one.
        """
        check_instance(step, "step", Step)
        mean = check_instance(summary, "summary", Summary)._mean(settled)
        return cls(step.policy, step.scenario, step.block, mean)


@dataclass(frozen=True, eq=False)
class Mean(_Html):
    """One policy in a scenario.

    Attributes:
        policy: its name.
        n_runs: runs of it.
        mean_w: over all blocks, by least squares where some are missing.
        low_w, high_w: 95 % interval, of other blocks too: it is no test of differences,
            which are known better.
        se_w: standard error of mean_w.
        share: mean_w by the power of the system.
    """

    policy: str
    n_runs: int
    mean_w: float
    low_w: float
    high_w: float
    se_w: float
    share: float

    def __str__(self) -> str:
        return (
            f"{self.policy}: {_w(self.mean_w)} ({_w(self.low_w)} to {_w(self.high_w)}), "
            f"{self.n_runs} runs"
        )


@dataclass(frozen=True, eq=False)
class Difference(_Html):
    """Two policies in a scenario.

    Attributes:
        policy: the one.
        other_policy: the other one.
        difference_w: mean of policy minus that of other_policy.
        se_w: its standard error.
        low_w, high_w: interval: all of the family hold together with a probability of
            1 - error_rate.
        p: that chance makes any difference of the family this large.
        share: difference_w by the power of the system.
        different: the interval does not have 0 in it.
    """

    policy: str
    other_policy: str
    difference_w: float
    se_w: float
    low_w: float
    high_w: float
    p: float
    share: float
    different: bool

    def __str__(self) -> str:
        verdict = "different" if self.different else "no difference shown"
        return (
            f"{self.policy} - {self.other_policy}: {_w(self.difference_w)} "
            f"({_w(self.low_w)} to {_w(self.high_w)}), p {self.p:.2g}: {verdict}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(Value):
    """All runs of a scenario together.

    Attributes:
        scenario: its name.
        error_rate: of the whole family: all pairs in all scenarios.
        n_runs: runs of that scenario.
        n_blocks: blocks that have one of them or more.
        n_complete: blocks that have all policies.
        n_missing: runs that are missing from the others.
        df: degrees of freedom of sigma_w.
        sigma_w: standard deviation of a run, without what its block shares.
        block_sigma_w: standard deviation of blocks; 0: not more than noise makes.
        critical_q: a studentised range above this is a difference.
        system_w: what shares are of; NaN: no mean is above 0, and shares are NaN too.
        n_different: differences that were found.
        means: of each policy.
        differences: of each pair.
        runs: what all this is from.
    """

    scenario: str
    error_rate: float
    n_runs: int
    n_blocks: int
    n_complete: int
    n_missing: int
    df: int
    sigma_w: float
    block_sigma_w: float
    critical_q: float
    system_w: float
    n_different: int
    means: tuple[Mean, ...]
    differences: tuple[Difference, ...]
    runs: tuple[Run, ...]

    @property
    def policies(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(mean.policy for mean in self.means)

    def _head(self) -> str:
        text = (
            f"{self.scenario}: {self.n_runs} runs of {len(self.means)} policies in "
            f"{self.n_blocks} blocks, {self.n_different} of {len(self.differences)} "
            f"pairs differ"
        )
        if self.n_missing:
            text += f"; {self.n_missing} missing"
        return text

    def __str__(self) -> str:
        lines = [f"  {one}" for one in (*self.means, *self.differences)]
        return "\n".join([self._head(), *lines])

    def __repr__(self) -> str:
        return f"<ssdpm.survey.Analysis {self._head()}>"

    def _repr_html_(self) -> str:
        names = [one.name for one in fields(Mean)]
        means = ([_cell(getattr(one, name)) for name in names] for one in self.means)
        pairs = [one.name for one in fields(Difference)]
        rows = (
            [_cell(getattr(one, name)) for name in pairs] for one in self.differences
        )
        return html_table(self._head(), names, means) + html_table(
            "differences", pairs, rows
        )

    def plot(self, axes: Sequence[Axes] | None = None) -> tuple[Axes, Axes]:
        """Means of the policies over their runs, and differences, with intervals.

        Args:
            axes: two of them; None: a new figure.

        Raises:
            ImportError: there is no matplotlib.
        """
        from ssdpm.plot import plot_analysis

        return plot_analysis(self, axes)


def _with_names(call: Callable[[], _T], names: Sequence[str], what: str) -> _T:
    """C numbers what has names here."""
    try:
        return call()
    except UnknownValueError as error:
        numbers = ", ".join(f"{n} is {name!r}" for n, name in enumerate(names))
        message = f"{error.strerror} ({what} {numbers})"
        raise UnknownValueError(errno.ENODATA, message) from None


def _first_ones(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _one_of(value: str | None, known: Sequence[str], name: str) -> str:
    if value is None and len(known) == 1:
        return known[0]
    if value is None:
        raise ValueError(f"{name}: which one of {', '.join(map(repr, known))}?")
    if check_text(value, name) not in known:
        raise ValueError(
            f"{name}: {value!r} is none of {', '.join(map(repr, known)) or 'none'}"
        )
    return value


def analyse(
    runs: Iterable[Run] | Any,
    scenario: str | None = None,
    *,
    policies: Iterable[str] | None = None,
    n_scenarios: int | None = None,
    error_rate: float = 0.05,
    system_power_w: float | None = None,
) -> Analysis:
    """Which policies differ in a scenario, and by how much: Tukey's test.

    Args:
        runs: in any order, of any scenarios; blocks may lack some. Or a DataFrame with
            columns policy, block, mean_w and, where there is more than one, scenario.
        scenario: which one; None: there is only one.
        policies: those that are compared, in this order; None: all, as they come.
        n_scenarios: that are analysed, each by a call: they share error_rate; None: as
            many as the runs have.
        error_rate: of the whole family: all pairs in all scenarios.
        system_power_w: of the whole system, where the samples are of a part of it.

    Raises:
        UnknownValueError: a policy has fewer than 3 runs, two policies are linked by no
            block, or nothing is left to tell noise by: the message says which runs
            would help.
        InvalidError: a number out of its range, a run twice.
    """
    given: list[Run] = _columns(runs, Run, "runs", {"scenario": "idle"})
    places = _first_ones(run.scenario for run in given)
    place = _one_of(scenario, places, "scenario")
    there = tuple(run for run in given if run.scenario == place)
    seen = _first_ones(run.policy for run in there)
    ways = seen if policies is None else _names(policies, "policies")
    taken = tuple(run for run in there if run.policy in ways)
    n = len(places) if n_scenarios is None else check_unsigned(
        n_scenarios, "n_scenarios", 2**32 - 1, 1
    )
    rate = _number(error_rate, "error_rate", 1e-6)
    system = _number(
        0 if system_power_w is None else system_power_w, "system_power_w"
    )
    rows = [
        (
            _finite(run.mean_w, "mean_w"),
            ways.index(run.policy),
            0,
            check_unsigned(run.block, "block", _core.SURVEY_MAX_BLOCKS - 1),
        )
        for run in taken
    ]
    if len(ways) < 2:
        raise ValueError(f"policies: 2 or more are compared, there is {len(ways)}")
    numbers = (rate, system, len(ways), n, 0)
    whole, means, differences = _with_names(
        lambda: _core.survey_analyse(rows, numbers), ways, "policy"
    )
    both = (
        tuple(Mean(ways[policy], *rest) for policy, *rest in means),
        tuple(
            Difference(ways[policy], ways[other], *rest)
            for policy, other, *rest in differences
        ),
    )
    return Analysis(*(place, rate, *whole, *both, taken))


class RunStatus(_Word):
    """Whether a run of a file counts; members are their words."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    """It was interrupted."""
    REPLACED = "replaced"
    """A later one is of the same thing."""


_STATUS_WORDS = {number: word for word, number in _core.SURVEY_RUN_STATUSES.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Readings(Value):
    """One run of a file, with all of its readings.

    Attributes:
        run: its number in the file; None: it has none.
        policy, scenario: their names.
        block: from 0 on.
        status: whether it counts.
        time_ns: of each reading, from when the policy was set; None: not known.
        power_w: NaN: there was none.
        latency_us: of the scenario's own I/O; NaN: none.
        interval_ns: from one reading to the next, where the file says it, else the mean
            of that; a second where nobody knows.
    """

    run: int | None
    policy: str
    scenario: str
    block: int
    status: RunStatus
    time_ns: npt.NDArray[np.int64] | None
    power_w: npt.NDArray[np.float64]
    latency_us: npt.NDArray[np.float64]
    interval_ns: float

    def __len__(self) -> int:
        return len(self.power_w)

    def __hash__(self) -> int:
        return hash((self.run, self.policy, self.scenario, self.block))

    def summary(self) -> Summary:
        """Its mean, and how well that is known; the steps are taken to be even.

        Raises:
            UnknownValueError: as summarise().
        """
        return summarise(self.power_w, rate_hz=1e9 / self.interval_ns)

    def mean(self, *, settled: bool = True) -> Run:
        """What it came to, as analyse() takes it; mean_w is NaN without a reading.

        Args:
            settled: without a slow rise or fall at its begin, where there is one.
        """
        try:
            mean_w = self.summary()._mean(settled)
        except UnknownValueError:
            known = self.power_w[np.isfinite(self.power_w)]
            mean_w = float(known.mean()) if len(known) else math.nan
        return Run(self.policy, self.scenario, self.block, mean_w)

    def __repr__(self) -> str:
        return (
            f"<ssdpm.survey.Readings of {self.policy}, {self.scenario}, block "
            f"{self.block}: {len(self)}, {self.status}>"
        )


@dataclass(frozen=True, eq=False)
class FioRun(_Html):
    """One run of fio.

    Attributes:
        run: its number in the file; None: it has none.
        policy: its name.
        test: "seqread", "randread", "seqwrite" or "randwrite".
        block: from 0 on.
        status: whether it counts.
        latency_us: mean of its I/Os; NaN: not known, as the next two.
        latency_sd_us: their standard deviation.
        bytes_per_s: its throughput.
    """

    run: int | None
    policy: str
    test: str
    block: int
    status: RunStatus
    latency_us: float
    latency_sd_us: float
    bytes_per_s: float


@dataclass(frozen=True, eq=False, repr=False)
class Survey(Value):
    """The file of a survey.

    Attributes:
        policies, scenarios, tests: names, in the order of the file.
        n_blocks: how often each policy was to be run in each scenario; None: the file
            does not tell, as of the next three.
        settle_ns: between setting a policy and the first reading.
        interval_ns: from one reading to the next.
        duration_ns: of the readings of a run.
        n_lines: of the file.
        n_rows: readings, and results of fio.
        n_cut: rows that were being written when the survey was killed: left out.
        facts: comments: what stands before and after the colon.
        readings: of all runs, by their number.
        fio: all runs of fio.
    """

    policies: tuple[str, ...]
    scenarios: tuple[str, ...]
    tests: tuple[str, ...]
    n_blocks: int | None
    settle_ns: int | None
    interval_ns: int | None
    duration_ns: int | None
    n_lines: int
    n_rows: int
    n_cut: int
    facts: tuple[tuple[str, str], ...]
    readings: tuple[Readings, ...]
    fio: tuple[FioRun, ...]

    def get(self, key: str) -> tuple[str, ...]:
        """All that comments of this key say: get("drive")."""
        check_text(key, "key")
        return tuple(value for name, value in self.facts if name == key)

    def count(self, status: RunStatus | str) -> int:
        """How many runs are "complete", "incomplete" or "replaced"."""
        check_word(status, "status", _STATUS_WORDS.values())
        return sum(run.status == status for run in self.readings)

    def runs(self, *, settled: bool = True) -> tuple[Run, ...]:
        """The mean power of each run that counts and has a reading.

        Args:
            settled: without a slow rise or fall at the begin of a run.
        """
        means = (
            one.mean(settled=settled)
            for one in self.readings
            if one.status == RunStatus.COMPLETE
        )
        return tuple(mean for mean in means if not math.isnan(mean.mean_w))

    def analyse(
        self,
        scenario: str | None = None,
        *,
        policies: Iterable[str] | None = None,
        error_rate: float = 0.05,
        system_power_w: float | None = None,
        settled: bool = True,
    ) -> Analysis:
        """Which policies differ in a scenario; as analyse().

        Args:
            scenario: which one; None: there is only one.
            policies: those that are compared; None: those that have 3 runs.
            error_rate: of all pairs in all scenarios that can be compared.
            system_power_w: of the whole system; None: what the file says.
            settled: without a slow rise or fall at the begin of a run.

        Raises:
            As analyse().
        """
        runs = self.runs(settled=settled)
        comparable = {place: self._comparable(runs, place) for place in self.scenarios}
        place = _one_of(scenario, self.scenarios, "scenario")
        if policies is None and len(comparable[place]) >= 2:
            policies = comparable[place]
        if system_power_w is None:
            system_power_w = next(map(float, self.get("system_w")), None)
        return analyse(
            [run for run in runs if run.scenario == place],
            place,
            policies=policies,
            n_scenarios=max(1, sum(len(ways) >= 2 for ways in comparable.values())),
            error_rate=error_rate,
            system_power_w=system_power_w,
        )

    def _comparable(self, runs: Sequence[Run], scenario: str) -> list[str]:
        there = [run.policy for run in runs if run.scenario == scenario]
        return [policy for policy in self.policies if there.count(policy) >= 3]

    def _head(self) -> str:
        parts = [f"{self.count('complete')} complete runs"]
        parts += [
            f"{n} {word}"
            for word in ("incomplete", "replaced")
            if (n := self.count(word))
        ]
        if self.fio:
            parts.append(f"{len(self.fio)} of fio")
        text = ", ".join(parts)
        text += f" of {len(self.policies)} policies in {', '.join(self.scenarios)}"
        return "; ".join([*self.get("drive")[:1], text])

    def __str__(self) -> str:
        return self._head()

    def __repr__(self) -> str:
        return f"<ssdpm.survey.Survey {self._head()}>"

    def _repr_html_(self) -> str:
        names = ("run", "policy", "scenario", "block", "readings", "status", "mean_w")
        rows = (
            (r.run, r.policy, r.scenario, r.block, len(r), r.status, _cell(m.mean_w))
            for r, m in ((one, one.mean()) for one in self.readings)
        )
        return html_table(self._head(), names, rows)

    def plot(self, scenario: str | None = None, ax: Axes | None = None) -> Axes:
        """All readings of a scenario, run after run, in the colour of their policy.

        Args:
            scenario: which one; None: there is only one.

        Raises:
            ImportError: there is no matplotlib.
        """
        from ssdpm.plot import plot_survey

        return plot_survey(self, _one_of(scenario, self.scenarios, "scenario"), ax)


def _step_of(interval_ns: int, times: npt.NDArray[np.int64] | None) -> float:
    if interval_ns:
        return float(interval_ns)
    if times is None or len(times) < 2:
        return 1e9
    step = (float(times[-1]) - float(times[0])) / (len(times) - 1)
    return step if step >= 1 else 1e9


def _frozen(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    values.flags.writeable = False
    return values


def read(source: TraceSource) -> Survey:
    """Read the file of a survey, or what others have recorded; see ssdpm-survey(5).

    Args:
        source: a path, an open binary file, or bytes; gzip and zstd are unpacked.

    Raises:
        FormatError: a line that cannot be read; the error has the file and the line.
        UnknownValueError: nothing names its columns.
        TooLargeError: more than 2^24 rows.
        UnsupportedError: packed, and the library that unpacks it is not there.
        OSError: the file cannot be read (FileNotFoundError and so on).
    """
    what, file, filename = open_source(source)
    try:
        found = _core.survey_read(what)
    except Error as error:
        error.filename = filename
        raise
    finally:
        if file is not None:
            file.close()
    policies, scenarios, tests, params, counts, facts, readings, fio = found
    n_blocks, settle_ns, interval_ns, duration_ns = params
    runs = (
        Readings(
            number or None,
            policies[policy],
            scenarios[scenario],
            block,
            RunStatus(_STATUS_WORDS[status]),
            None if times is None else _frozen(times),
            _frozen(power),
            _frozen(latency),
            _step_of(interval_ns, times),
        )
        for number, policy, scenario, block, status, times, power, latency in readings
    )
    tested = (
        FioRun(
            number or None,
            policies[policy],
            tests[test],
            block,
            RunStatus(_STATUS_WORDS[status]),
            *rest,
        )
        for number, policy, test, block, status, *rest in fio
    )
    return Survey(
        tuple(policies),
        tuple(scenarios),
        tuple(tests),
        n_blocks or None,
        settle_ns or None,
        interval_ns or None,
        duration_ns or None,
        *counts,
        tuple(facts),
        tuple(runs),
        tuple(tested),
    )


@dataclass(frozen=True, eq=False)
class Noise(_Html):
    """Noise that was sampled.

    Attributes:
        se_w: of the mean of a run, as of summarise().
        se_df: its degrees of freedom, 1 or more.
        covered_ns: length of that run: longer runs have less noise.
        run_sigma_w: standard deviation of runs of that length in a block, as sigma_w of
            an analysis; None: not known.
        run_sigma_df: its degrees of freedom.
    """

    se_w: float
    se_df: float
    covered_ns: int
    run_sigma_w: float | None = None
    run_sigma_df: float | None = None

    @classmethod
    def from_summary(cls, summary: Summary, analysis: Analysis | None = None) -> Noise:
        """Of a run, and of runs like it that were analysed before."""
        check_instance(summary, "summary", Summary)
        numbers = (summary.se_w, summary.se_df, summary.covered_ns)
        if analysis is None:
            return cls(*numbers)
        check_instance(analysis, "analysis", Analysis)
        return cls(*numbers, analysis.sigma_w, analysis.df)


@dataclass(frozen=True, eq=False)
class Detectable(_Html):
    """What a schedule can tell.

    Attributes:
        difference_w: between two policies, found with a probability of 80 %.
        low_w, high_w: 95 % interval, as the noise is an estimate.
        power: probability that the difference that was asked for is found; NaN: none
            was.
        power_low, power_high: 95 % interval.
        sigma_w: standard deviation of a run that all this is for.
        between_known: False: it is the noise within runs alone: read difference_w as
            "not less than".
    """

    difference_w: float
    low_w: float
    high_w: float
    power: float
    power_low: float
    power_high: float
    sigma_w: float
    between_known: bool

    def __str__(self) -> str:
        least = "" if self.between_known else "not less than "
        text = (
            f"a difference of {least}{_w(self.difference_w)} ({_w(self.low_w)} to "
            f"{_w(self.high_w)}) is found in 80 of 100 surveys"
        )
        if not math.isnan(self.power):
            most = "" if self.between_known else "at most "
            text += (
                f"; the one that was asked for in {most}{100 * self.power:.0f} "
                f"({100 * self.power_low:.0f} to {100 * self.power_high:.0f})"
            )
        return text


def detectable(
    schedule: Schedule,
    noise: Noise | Summary,
    *,
    error_rate: float = 0.05,
    difference_w: float | None = None,
) -> Detectable:
    """The difference that a schedule can find.

    Args:
        schedule: from schedule().
        noise: as just sampled; a Summary says nothing of how runs differ.
        error_rate: of all pairs in all scenarios.
        difference_w: to find the power for; None: none.

    Raises:
        UnknownValueError: fewer than 3 blocks.
        InvalidError: a number out of its range.
    """
    plan: Schedule = check_instance(schedule, "schedule", Schedule)
    if isinstance(noise, Summary):
        noise = Noise.from_summary(noise)
    check_instance(noise, "noise", Noise)
    if (noise.run_sigma_w is None) != (noise.run_sigma_df is None):
        raise ValueError("noise: run_sigma_w and run_sigma_df are known together")
    numbers = (
        _number(noise.se_w, "se_w"),
        _number(noise.se_df, "se_df"),
        check_unsigned(noise.covered_ns, "covered_ns", 2**64 - 1),
        _or_nan(noise.run_sigma_w, "run_sigma_w"),
        _or_nan(noise.run_sigma_df, "run_sigma_df"),
    )
    rate = _number(error_rate, "error_rate", 1e-6)
    asked = _finite(0 if difference_w is None else difference_w, "difference_w")
    return Detectable(*_core.survey_detectable(plan._params(), numbers, rate, asked))


@dataclass(frozen=True, eq=False)
class Stated(_Html):
    """A row of a table, as published.

    Attributes:
        mean: in any unit, as are the next two.
        sd: standard deviation of single samples (single I/Os): no number of them makes
            up for runs; None: not stated.
        between_sd: standard deviation of the means of runs; None: not stated.
        n_runs: runs that mean is of; None: not stated.
    """

    mean: float
    sd: float | None = None
    between_sd: float | None = None
    n_runs: int | None = None


class Verdict(_Word):
    """What can be said of a table; members are their words."""

    DIFFERENT = "different"
    """At least two rows are."""
    NOT_SHOWN = "not-shown"
    """No difference is: not that there is none."""
    NOT_DECIDABLE = "not-decidable"
    """Something is missing."""


_MISSING_WORDS = {
    "n": "how many runs each row is of",
    "between": "the variance between runs",
    "runs": "a second run",
}


@dataclass(frozen=True, eq=False)
class Judgement(_Html):
    """Of a table that others have published.

    Attributes:
        verdict: what can be said.
        missing: why it is not decidable: "n" (how many runs each row is of), "between"
            (the variance between runs), "runs" (one run says nothing of the next one).
        p: the smallest of all pairs, for the family; NaN: not decidable.
        row, other_row: the pair that it is of; None: not decidable.
    """

    verdict: Verdict
    missing: tuple[str, ...]
    p: float
    row: str | None
    other_row: str | None

    def __str__(self) -> str:
        if self.verdict == Verdict.NOT_DECIDABLE:
            words = " and ".join(_MISSING_WORDS[word] for word in self.missing)
            return f"not decidable: {words} {'are' if ' and ' in words else 'is'} missing"
        word = "different" if self.verdict == Verdict.DIFFERENT else "not shown to differ"
        return f"{self.row} and {self.other_row} are {word} (p {self.p:.2g})"


def judge(
    rows: Mapping[str, Stated] | Iterable[Stated], *, error_rate: float = 0.05
) -> Judgement:
    """Can a published table tell its rows apart?

    By the test of Games and Howell (1976), which asks for no equal variances.

    Args:
        rows: 2 to 100, from independent runs, by name or numbered from 0 on.
        error_rate: of all pairs.

    Raises:
        InvalidError: no such number of rows, a deviation between runs of 0.
    """
    if not isinstance(rows, Mapping):
        listed = check_list(rows, "rows", "survey.Stated")
        rows = {str(number): row for number, row in enumerate(listed)}
    names = tuple(check_text(name, "rows") for name in rows)
    numbers = []
    for row in rows.values():
        check_instance(row, "rows", Stated)
        numbers.append(
            (
                _finite(row.mean, "mean"),
                _or_nan(row.sd, "sd"),
                _or_nan(row.between_sd, "between_sd"),
                check_unsigned(row.n_runs or 0, "n_runs", 2**32 - 1),
            )
        )
    rate = _number(error_rate, "error_rate", 1e-6)
    verdict, bits, p, one, other = _core.survey_judge(numbers, rate)
    word = Verdict(_VERDICT_WORDS[verdict])
    missing = tuple(w for w, bit in _core.SURVEY_MISSING.items() if bits & bit)
    if word == Verdict.NOT_DECIDABLE:
        return Judgement(word, missing, p, None, None)
    return Judgement(word, missing, p, names[one], names[other])


@dataclass(frozen=True, eq=False)
class Result(_Html):
    """What one survey found.

    Attributes:
        drive: its name, or that of its model.
        mean_w: of a policy, or of a difference of two: machines differ by more than
            policies do, so merge differences.
        se_w: its standard error, above 0.
        policy: its name, or that of the pair.
    """

    drive: str
    mean_w: float
    se_w: float
    policy: str = ""

    @classmethod
    def from_difference(cls, drive: str, difference: Difference) -> Result:
        """Of what analyse() found."""
        check_text(drive, "drive")
        check_instance(difference, "difference", Difference)
        pair = f"{difference.policy} - {difference.other_policy}"
        return cls(drive, difference.difference_w, difference.se_w, pair)


@dataclass(frozen=True, eq=False)
class Merged(_Html):
    """Many surveys as one.

    Attributes:
        policy: of which all this is.
        n_results: results of it.
        n_drives: drives that they are of.
        mean_w: over drives.
        se_w: its standard error.
        low_w, high_w: 95 % interval of the mean of all such drives.
        drive_low_w, drive_high_w: 95 % interval for the next drive; NaN: fewer than 3
            drives cannot tell.
        tau_w: standard deviation between drives.
        heterogeneity_q: Cochran's Q.
        inconsistency: I^2: share of what is seen between drives that is not noise.
    """

    policy: str
    n_results: int
    n_drives: int
    mean_w: float
    se_w: float
    low_w: float
    high_w: float
    drive_low_w: float
    drive_high_w: float
    tau_w: float
    heterogeneity_q: float
    inconsistency: float

    def __str__(self) -> str:
        name = f"{self.policy}: " if self.policy else ""
        text = (
            f"{name}{_w(self.mean_w)} ({_w(self.low_w)} to {_w(self.high_w)}) over "
            f"{self.n_drives} drives"
        )
        if not math.isnan(self.drive_low_w):
            text += f"; the next one: {_w(self.drive_low_w)} to {_w(self.drive_high_w)}"
        return text


def merge(
    results: Iterable[Result] | Any,
    policy: str | None = None,
    *,
    error_rate: float = 0.05,
) -> Merged:
    """One policy, or one pair of them, over all drives.

    Results of one drive are one, weighed by their precision. Drives are a random sample
    of all (DerSimonian and Laird); the interval is that of Hartung and Knapp, never
    shorter than without it.

    Args:
        results: in any order, of any policies; or a DataFrame with columns drive,
            mean_w, se_w and, where there is more than one, policy.
        policy: which one; None: there is only one.
        error_rate: of the intervals of all policies of the results together: each has
            its part of it (Bonferroni).

    Raises:
        UnknownValueError: fewer than 2 drives.
        InvalidError: a standard error of 0, a value that is not finite.
    """
    given: list[Result] = _columns(results, Result, "results", {"policy": ""})
    ways = _first_ones(one.policy for one in given)
    drives = _first_ones(one.drive for one in given)
    way = _one_of(policy, ways, "policy")
    rows = [
        (
            _finite(one.mean_w, "mean_w"),
            _number(one.se_w, "se_w"),
            drives.index(one.drive),
            ways.index(one.policy),
        )
        for one in given
    ]
    number = ways.index(way)
    rate = _number(error_rate, "error_rate") / len(ways)
    found = _with_names(lambda: _core.survey_merge(rows, number, rate), ways, "policy")
    return Merged(way, *found)
