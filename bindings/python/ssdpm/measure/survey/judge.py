# SPDX-License-Identifier: MIT
"""What others have stated: does it differ?"""

from __future__ import annotations

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
from ssdpm.base.notebook import Html
from ssdpm.base.values import Word
from ssdpm.measure.survey.analysis import check_finite
from ssdpm.measure.survey.detectable import check_or_nan

_VERDICT_WORDS = by_number(_core.energy.SURVEY_VERDICTS)


@dataclass(frozen=True, eq=False)
class Stated(Html):
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
class Judgement(Html):
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
