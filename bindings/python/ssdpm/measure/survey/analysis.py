# SPDX-License-Identifier: MIT
"""All pairs of policies held against each other."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ssdpm import _core
from ssdpm.base.convert import (
    check_instance,
    check_number,
    check_text,
    check_unsigned,
    rows_of,
)
from ssdpm.base.errors import UnknownValueError
from ssdpm.base.result import Value, drawn, html_list, in_w_of
from ssdpm.measure.survey.schedule import Step, Summary, check_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_T = TypeVar("_T")


def check_finite(value: object, name: str) -> float:
    """A number that may be negative."""
    return check_number(value, name, -1e300)


def range_p(q: float, k: int, df: float) -> float:
    """How likely a studentised range is above q, where all means are the same.

    Args:
        q: the range of k means, by the standard error of one of them.
        k: 2 to 100.
        df: degrees of freedom of that standard error, 1 or more.
    """
    return _core.energy.survey_range_p(
        check_number(q, "q"), check_unsigned(k, "k", 100, 2), check_number(df, "df", 1)
    )


def range_q(p: float, k: int, df: float) -> float:
    """The studentised range of this probability: the inverse of range_p().

    Args:
        p: that it is above the result: 1e-6 to 0.999999.
        k, df: as range_p() has them.

    Raises:
        InvalidError: no such probability.
    """
    return _core.energy.survey_range_q(
        check_number(p, "p"), check_unsigned(k, "k", 100, 2), check_number(df, "df", 1)
    )


@dataclass(frozen=True, eq=False)
class Run(Value):
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
        """Make one from what summarise() found for a step of a schedule.

        Args:
            settled: without a slow rise or fall at its begin, where there is one.
        """
        check_instance(step, "step", Step)
        mean = check_instance(summary, "summary", Summary)._mean(settled)
        return cls(step.policy, step.scenario, step.block, mean)


@dataclass(frozen=True, eq=False)
class Mean(Value):
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
        mean = in_w_of(self.mean_w, self.low_w, self.high_w)
        return f"{self.policy}: {mean}, {self.n_runs} runs"


@dataclass(frozen=True, eq=False)
class Difference(Value):
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
        difference = in_w_of(self.difference_w, self.low_w, self.high_w)
        return (
            f"{self.policy} - {self.other_policy}: {difference}, p {self.p:.2g}: "
            f"{verdict}"
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
        return f"<ssdpm.measure.survey.Analysis {self._head()}>"

    def _repr_html_(self) -> str:
        means = html_list(self._head(), self.means, Mean)
        return means + html_list("differences", self.differences, Difference)

    def plot(self, axes: Sequence[Axes] | None = None) -> tuple[Axes, Axes]:
        """Means of the policies over their runs, and differences, with intervals.

        Args:
            axes: two of them; None: a new figure.

        Raises:
            ImportError: there is no matplotlib.
        """
        return drawn("plot_analysis", self, axes)


def with_names(call: Callable[[], _T], names: Sequence[str], what: str) -> _T:
    """C numbers what has names here."""
    try:
        return call()
    except UnknownValueError as error:
        numbers = ", ".join(f"{n} is {name!r}" for n, name in enumerate(names))
        message = f"{error.strerror} ({what} {numbers})"
        raise UnknownValueError(errno.ENODATA, message) from None


def first_ones(values: Iterable[str]) -> tuple[str, ...]:
    """Each value once, in the order of the first ones."""
    return tuple(dict.fromkeys(values))


def one_of(value: str | None, known: Sequence[str], name: str) -> str:
    """The value that is meant; None: there is only one."""
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
        UnknownValueError: a policy has fewer than 3 runs, no block links two policies,
            or nothing tells the noise. The message says which runs would help.
        InvalidError: a number out of its range, a run twice.
    """
    given: list[Run] = rows_of(runs, Run, "runs", {"scenario": "idle"})
    places = first_ones(run.scenario for run in given)
    place = one_of(scenario, places, "scenario")
    there = tuple(run for run in given if run.scenario == place)
    seen = first_ones(run.policy for run in there)
    ways = seen if policies is None else check_names(policies, "policies")
    taken = tuple(run for run in there if run.policy in ways)
    n = (
        len(places)
        if n_scenarios is None
        else check_unsigned(n_scenarios, "n_scenarios", 2**32 - 1, 1)
    )
    rate = check_number(error_rate, "error_rate", 1e-6)
    system = check_number(
        0 if system_power_w is None else system_power_w, "system_power_w"
    )
    rows = [
        (
            check_finite(run.mean_w, "mean_w"),
            ways.index(run.policy),
            0,
            check_unsigned(run.block, "block", _core.energy.SURVEY_MAX_BLOCKS - 1),
        )
        for run in taken
    ]
    if len(ways) < 2:
        raise ValueError(f"policies: 2 or more are compared, there is {len(ways)}")
    numbers = (rate, system, len(ways), n, 0)
    whole, means, differences = with_names(
        lambda: _core.energy.survey_analyse(rows, numbers), ways, "policy"
    )
    return analysis_of(place, rate, (whole, means, differences), ways, taken)


def analysis_of(
    scenario: str,
    error_rate: float,
    found: tuple[Any, ...],
    names: Sequence[str],
    runs: tuple[Run, ...],
) -> Analysis:
    """What the library found of policies by their numbers."""
    whole, means, differences = found
    both = (
        tuple(Mean(names[policy], *rest) for policy, *rest in means),
        tuple(
            Difference(names[policy], names[other], *rest)
            for policy, other, *rest in differences
        ),
    )
    return Analysis(*(scenario, error_rate, *whole, *both, runs))
