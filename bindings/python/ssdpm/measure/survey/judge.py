# SPDX-License-Identifier: MIT
"""What a survey can find, and what published numbers show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ssdpm import _core
from ssdpm.base.convert import (
    by_number,
    check_instance,
    check_list,
    check_number,
    check_text,
    check_unsigned,
    words_of,
)
from ssdpm.base.result import Value, Word, in_w_of
from ssdpm.measure.survey.analysis import Analysis, check_finite
from ssdpm.measure.survey.schedule import Schedule, Summary


def check_or_nan(value: object, name: str) -> float:
    """NaN is what C has for what is not known."""
    return math.nan if value is None else check_number(value, name)


@dataclass(frozen=True, eq=False)
class Noise(Value):
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
        """A run, with the runs like it that were analysed before."""
        check_instance(summary, "summary", Summary)
        numbers = (summary.se_w, summary.se_df, summary.covered_ns)
        if analysis is None:
            return cls(*numbers)
        check_instance(analysis, "analysis", Analysis)
        return cls(*numbers, analysis.sigma_w, analysis.df)


@dataclass(frozen=True, eq=False)
class Detectable(Value):
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
        found = in_w_of(self.difference_w, self.low_w, self.high_w)
        text = f"a difference of {least}{found} is found in 80 of 100 surveys"
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
        check_number(noise.se_w, "se_w"),
        check_number(noise.se_df, "se_df"),
        check_unsigned(noise.covered_ns, "covered_ns", 2**64 - 1),
        check_or_nan(noise.run_sigma_w, "run_sigma_w"),
        check_or_nan(noise.run_sigma_df, "run_sigma_df"),
    )
    rate = check_number(error_rate, "error_rate", 1e-6)
    asked = check_finite(0 if difference_w is None else difference_w, "difference_w")
    return Detectable(
        *_core.energy.survey_detectable(plan._params(), numbers, rate, asked)
    )


_VERDICT_WORDS = by_number(_core.energy.SURVEY_VERDICTS)


@dataclass(frozen=True, eq=False)
class Stated(Value):
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


class Verdict(Word):
    """The verdict on a table; members are their words."""

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
class Judgement(Value):
    """The verdict on a table that others have published.

    Attributes:
        verdict: what can be said.
        missing: why it is not decidable. "n": how many runs each row is of; "between":
            the variance between runs; "runs": one run says nothing of the next one.
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
            return (
                f"not decidable: {words} {'are' if ' and ' in words else 'is'} missing"
            )
        word = (
            "different" if self.verdict == Verdict.DIFFERENT else "not shown to differ"
        )
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
                check_finite(row.mean, "mean"),
                check_or_nan(row.sd, "sd"),
                check_or_nan(row.between_sd, "between_sd"),
                check_unsigned(row.n_runs or 0, "n_runs", 2**32 - 1),
            )
        )
    rate = check_number(error_rate, "error_rate", 1e-6)
    verdict, bits, p, one, other = _core.energy.survey_judge(numbers, rate)
    word = Verdict(_VERDICT_WORDS[verdict])
    missing = words_of(bits, _core.energy.SURVEY_MISSING)
    if word == Verdict.NOT_DECIDABLE:
        return Judgement(word, missing, p, None, None)
    return Judgement(word, missing, p, names[one], names[other])
