# SPDX-License-Identifier: MIT
"""The runs of a survey: their order, and what each comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from ssdpm import _core
from ssdpm.base.convert import (
    by_number,
    check_bool,
    check_text,
    check_unsigned,
    check_words,
    takes,
)
from ssdpm.base.result import Scaled, Value, Word, html_table, in_s, in_w, in_w_of
from ssdpm.measure.signal import SignalLike, When, signal_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

_MOST_NS = 2**63 - 1


def check_names(values: object, name: str) -> tuple[str, ...]:
    """Words that differ, in their order; one may stand alone."""
    words = tuple(check_text(one, name) for one in check_words(values, name, "names"))
    for word in words:
        if words.count(word) > 1:
            raise ValueError(f"{name}: {word!r} is there more than once")
    return words


@dataclass(frozen=True, eq=False)
class Step(Value):
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
            f"{in_s(self.begin_ns)}: {self.policy}, {self.scenario}, block {self.block}"
            f", {self.n_samples} readings from {in_s(self.measure_ns)} on"
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

    total_s = Scaled[float]("total_ns")

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
        return f"<ssdpm.measure.survey.Schedule: {self._head()}>"

    def _repr_html_(self) -> str:
        names = ("begin", "policy", "scenario", "block", "readings")
        rows = (
            (in_s(s.begin_ns), s.policy, s.scenario, s.block, s.n_samples) for s in self
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

    A block has each scenario once, in random order. Each scenario has each policy once,
    in random order. So runs that are compared are close together. The times are those
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
    ways, places = (
        check_names(policies, "policies"),
        check_names(scenarios, "scenarios"),
    )
    params = (
        len(ways),
        len(places),
        check_unsigned(n_blocks, "n_blocks", _core.energy.SURVEY_MAX_BLOCKS, 1),
        check_unsigned(seed, "seed", 2**64 - 1),
        check_unsigned(settle_ns, "settle_ns", _MOST_NS, 1),
        check_unsigned(interval_ns, "interval_ns", _MOST_NS, 1),
        check_unsigned(duration_ns, "duration_ns", _MOST_NS, 1),
    )
    found, total_ns = _core.energy.survey_schedule(params)
    steps = tuple(
        Step(begin, measure, end, ways[policy], places[scenario], block, n)
        for begin, measure, end, policy, scenario, block, n in found
    )
    return Schedule(ways, places, *params[2:], total_ns, steps)


_TREND_WORDS = by_number(_core.energy.SURVEY_TRENDS)


class Trend(Word):
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
class Summary(Value):
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
        return (
            self.settled_mean_w
            if check_bool(settled, "settled") and slow
            else self.mean_w
        )

    def __str__(self) -> str:
        text = (
            f"{in_w_of(self.mean_w, self.low_w, self.high_w)} of "
            f"{self.n} samples, which are worth {self.n_effective:.3g}"
        )
        if self.trend == Trend.UNSETTLED:
            text += "; it has not settled: settle longer"
        elif self.trend != Trend.NONE:
            text += (
                f"; a {self.trend} in the first {in_s(self.leave_out_ns)}, without it "
                f"{in_w(self.settled_mean_w)}"
            )
        return text


@takes(When, signal_of)
def summarise(power: SignalLike, **when: Unpack[When]) -> Summary:
    """Mean power of one run, and how well it is known.

    Args:
        power, rate_hz, times, start_ns: as measure.Signal has them: of the run after
            settling, at even steps.

    Raises:
        UnknownValueError: fewer than 30 finite samples, or all of them are the same.
    """
    signal = signal_of(power, **when)
    values: list[Any] = list(_core.energy.survey_summarise(signal._handle))
    values[11] = Trend(_TREND_WORDS[values[11]])
    return Summary(*values)
