# SPDX-License-Identifier: MIT
"""Which difference a survey finds."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ssdpm import _core
from ssdpm.base.convert import check_instance, check_number, check_unsigned
from ssdpm.base.notebook import Html
from ssdpm.base.units import in_w
from ssdpm.measure.survey.analysis import Analysis, check_finite
from ssdpm.measure.survey.schedule import Schedule
from ssdpm.measure.survey.summary import Summary


def check_or_nan(value: object, name: str) -> float:
    """NaN is what C has for what is not known."""
    return math.nan if value is None else check_number(value, name)


@dataclass(frozen=True, eq=False)
class Noise(Html):
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
class Detectable(Html):
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
            f"a difference of {least}{in_w(self.difference_w)} ({in_w(self.low_w)} to "
            f"{in_w(self.high_w)}) is found in 80 of 100 surveys"
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
