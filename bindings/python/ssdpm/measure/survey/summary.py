# SPDX-License-Identifier: MIT
"""The mean of one run, with the noise it really has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ssdpm import _core
from ssdpm.base.convert import by_number, check_bool
from ssdpm.base.notebook import Html
from ssdpm.base.units import in_s, in_w
from ssdpm.base.values import Word
from ssdpm.measure.signal import SignalLike, signal_of

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
class Summary(Html):
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
            f"{in_w(self.mean_w)} ({in_w(self.low_w)} to {in_w(self.high_w)}) of "
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
    signal = signal_of(power, rate_hz, times, start_ns)
    values: list[Any] = list(_core.energy.survey_summarise(signal._handle))
    values[11] = Trend(_TREND_WORDS[values[11]])
    return Summary(*values)
