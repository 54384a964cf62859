# SPDX-License-Identifier: MIT
"""Results of several surveys as one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ssdpm import _core
from ssdpm.base.convert import (
    check_instance,
    check_list,
    check_number,
    check_text,
    rows_of,
)
from ssdpm.base.result import Several, Value, in_w, in_w_of
from ssdpm.measure.survey.analysis import (
    Difference,
    check_finite,
    first_ones,
    one_of,
    with_names,
)
from ssdpm.measure.survey.readings import Survey


@dataclass(frozen=True, eq=False)
class Result(Value):
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
        """Make one from what analyse() found."""
        check_text(drive, "drive")
        check_instance(difference, "difference", Difference)
        pair = f"{difference.policy} - {difference.other_policy}"
        return cls(drive, difference.difference_w, difference.se_w, pair)


@dataclass(frozen=True, eq=False)
class Merged(Value):
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
        mean = in_w_of(self.mean_w, self.low_w, self.high_w)
        text = f"{name}{mean} over {self.n_drives} drives"
        if not math.isnan(self.drive_low_w):
            text += (
                f"; the next one: {in_w(self.drive_low_w)} to {in_w(self.drive_high_w)}"
            )
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
    given: list[Result] = rows_of(results, Result, "results", {"policy": ""})
    ways = first_ones(one.policy for one in given)
    drives = first_ones(one.drive for one in given)
    way = one_of(policy, ways, "policy")
    rows = [
        (
            check_finite(one.mean_w, "mean_w"),
            check_number(one.se_w, "se_w"),
            drives.index(one.drive),
            ways.index(one.policy),
        )
        for one in given
    ]
    number = ways.index(way)
    rate = check_number(error_rate, "error_rate") / len(ways)
    found = with_names(
        lambda: _core.energy.survey_merge(rows, number, rate), ways, "policy"
    )
    return Merged(way, *found)


@dataclass(frozen=True, eq=False)
class MergedSurvey(Value):
    """One of the surveys that were merged.

    Attributes:
        name: of its file.
        drive: what its drive is known by.
        first: the first of the surveys that is of this drive, from 0 on.
        reason: why it is left out; None: it is used.
    """

    name: str
    drive: str
    first: int
    reason: str | None


@dataclass(frozen=True, eq=False)
class MergedDifference(Value):
    """A policy against another one, over drives.

    Attributes:
        of: name of the scenario, or of the test of fio.
        quantity: "power" (watts), "latency" (microseconds) or "throughput" (bytes per
            second): the unit of what merged has as _w.
        fio: of is a test of fio.
        policy: the one.
        from_policy: the one that is subtracted.
        reason: why it is not merged; None: it is.
        merged: over drives; None: it is not merged.
    """

    of: str
    quantity: str
    fio: bool
    policy: str
    from_policy: str
    reason: str | None
    merged: Merged | None


@dataclass(frozen=True, eq=False)
class Merge(Several[MergedDifference]):
    """Surveys as one: merge_surveys().

    Attributes:
        differences: powers, latencies, throughputs.
        surveys: all that were given, in their order.
        n_surveys: those that are used.
        n_drives: drives that these are of.
        n_merged: differences that have intervals.
        error_rate: of the intervals of all differences together.
        row_error_rate: of those of each.
    """

    differences: tuple[MergedDifference, ...]
    surveys: tuple[MergedSurvey, ...]
    n_surveys: int
    n_drives: int
    n_merged: int
    error_rate: float
    row_error_rate: float


def merge_surveys(surveys: Iterable[Survey], *, error_rate: float = 0.05) -> Merge:
    """The differences that surveys of several drives have found, as one.

    As ``ssdpm measure merge``: each policy against the one that most surveys have. A
    survey that is given twice counts once.

    Args:
        surveys: from read().
        error_rate: of the intervals of all differences together.

    Raises:
        InvalidError: a rate that is none.
        UnsupportedError: a survey that was made by hand.
    """
    given = check_list(surveys, "surveys", "survey.Survey")
    results = [check_instance(one, "surveys", Survey)._result() for one in given]
    rate = check_number(error_rate, "error_rate", 1e-6)
    merge = _core.energy.SurveyMerge(results, rate)
    differences = tuple(
        MergedDifference(
            *one[:-1], None if one[-1] is None else Merged(*(one[3], *one[-1]))
        )
        for one in merge.rows()
    )
    parts = tuple(MergedSurvey(*one) for one in merge.parts())
    return Merge(differences, parts, *merge.info())._written_by(merge.to_json)
