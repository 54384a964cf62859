# SPDX-License-Identifier: MIT
"""What was published, what ssdpm makes of it, and the verdict that the numbers give.

Nobody types a verdict: derive() has the one rule, and a claim whose numbers give another
verdict than it states is refused.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

import ssdpm

REPRODUCED = "reproduced"
WITHIN = "within bounds"
MISSED = "missed"
FITTED = "fitted"
NOT_DERIVABLE = "not derivable"
NOT_DECIDABLE = "not decidable"
VERDICTS = (REPRODUCED, WITHIN, FITTED, MISSED, NOT_DERIVABLE, NOT_DECIDABLE)

# Where a published number stands.
PUBLISHED = "published"  # in words or digits of the source
DIGITISED = "digitised by us"  # read from a figure of the source
COMPUTED = "computed by us"  # from numbers of the source
STANDS = (PUBLISHED, DIGITISED, COMPUTED)


class ClaimError(ValueError):
    """A row that may not stand in a table."""


@dataclass(frozen=True)
class Number:
    """What a source gives: one number, or the ends between which it lies.

    Attributes:
        low, high: the ends; both the same for one number; None: no end.
        tolerance: how far off a prediction is still the same number.
    """

    low: float | None
    high: float | None
    unit: str = ""
    tolerance: float = 0.0

    def __str__(self) -> str:
        if self.low is None:
            text = f"at most {self.high:.4g}"
        elif self.high is None:
            text = f"at least {self.low:.4g}"
        elif self.low == self.high:
            text = f"{self.low:.4g}"
        else:
            text = f"{self.low:.4g} to {self.high:.4g}"
        if self.tolerance:
            text += f" +- {self.tolerance:.2g}"
        return f"{text} {self.unit}".rstrip()

    def distance(self, value: float) -> float:
        """How far outside the ends; 0: inside, or on an end that belongs to it."""
        if self.low is not None and value < self.low:
            return self.low - value
        if self.high is not None and value > self.high:
            return value - self.high
        return 0.0


def rounded(value: float, unit: str, digits: int) -> Number:
    """A number with so many decimals: what rounds to it is the same."""
    return Number(value, value, unit, 0.5 * 10.0**-digits)


def exactly(value: float, unit: str = "") -> Number:
    return Number(value, value, unit)


def percent(value: float, unit: str, share: float) -> Number:
    """A number that may be missed by a share in percent."""
    return Number(value, value, unit, abs(value) * share / 100)


@dataclass(frozen=True)
class Range:
    """What ssdpm has: low, nominal and high; nominal None: only bounds."""

    low: float
    nominal: float | None
    high: float
    unit: str = ""
    digits: int = 2

    def __str__(self) -> str:
        low, high = (f"{one:.{self.digits}f}" for one in (self.low, self.high))
        if self.nominal is None:
            text = f"{low}..{high}"
        else:
            text = f"{self.nominal:.{self.digits}f}"
            text += f" ({low}..{high})" if low != high else ""
        return f"{text} {self.unit}".rstrip()

    def verdict(self, published: Number) -> str:
        """The nominal value is the published one, within its tolerance (without a nominal
        value the whole range is); or the range reaches it; or it was missed.
        """
        ends = (self.low, self.high) if self.nominal is None else (self.nominal,)
        if max(map(published.distance, ends)) <= published.tolerance:
            return REPRODUCED
        reaches_up = published.low is None or self.high >= published.low
        reaches_down = published.high is None or self.low <= published.high
        return WITHIN if reaches_up and reaches_down else MISSED


def exact(value: float, unit: str = "", digits: int = 2) -> Range:
    return Range(value, value, value, unit, digits)


def derive(published: Sequence[Number], ours: Sequence[Range], fitted: bool) -> str:
    """The verdict of numbers: the worst of all pairs. A fit that does not come to what it
    was given is missed like any other number.
    """
    if not published:
        return NOT_DECIDABLE
    if not ours:
        return NOT_DERIVABLE
    found = [one.verdict(number) for number, one in zip(published, ours)]
    worst = max(found, key=(REPRODUCED, WITHIN, MISSED).index)
    return FITTED if fitted and worst != MISSED else worst


@dataclass(frozen=True)
class Claim:
    """One thing that was published, and what becomes of it here.

    Attributes:
        about: a name that stays.
        place: the section, figure or table of the source.
        stands: where its numbers stand: one of STANDS.
        words: what the source says.
        published: its numbers; none: it has only words.
        ours: a range for each of them; none: nothing gives one.
        said: ours in words, where the ranges alone do not say it.
        fitted: what was taken from the published numbers; "": nothing.
        why: what a verdict rests on, and what would explain a miss. Required of each
            verdict but "reproduced".
        verdict: stated by nobody, or what derive() gives.
    """

    about: str
    place: str
    stands: str
    words: str
    published: Sequence[Number] = ()
    ours: Sequence[Range] = ()
    said: str = ""
    fitted: str = ""
    why: str = ""
    verdict: str = ""

    def __post_init__(self) -> None:
        found = derive(self.published, self.ours, bool(self.fitted))
        pairs = list(zip(self.published, self.ours))
        for refused, cause in (
            (not self.place.strip(), "no section, figure or table of the source"),
            (not self.words.strip(), "nothing that the source says"),
            (self.stands not in STANDS, f"expected one of {', '.join(STANDS)}"),
            (
                self.published and self.ours and len(self.published) != len(self.ours),
                f"{len(self.published)} published numbers, {len(self.ours)} of ours",
            ),
            (any(a.unit != b.unit for a, b in pairs), "the units differ"),
            (not (self.ours or self.said), "nothing of ours"),
            (
                self.verdict not in ("", found),
                f"states {self.verdict!r}, but its numbers give {found!r}",
            ),
            (
                found != REPRODUCED and not (self.why or self.fitted),
                f"{found}, and nothing says why",
            ),
            (found == MISSED and not self.why, "nothing would explain the miss"),
        ):
            if refused:
                raise ClaimError(f"{self.about}: {cause}")
        object.__setattr__(self, "verdict", found)

    @property
    def predicted(self) -> str:
        return self.said or ", ".join(map(str, self.ours))

    @property
    def reason(self) -> str:
        """What stands beside the verdict."""
        taken = f"taken from it: {self.fitted}" if self.fitted else ""
        return "; ".join(one for one in (taken, self.why) if one)


@dataclass(frozen=True)
class Report:
    """All of one source.

    Attributes:
        source: who published it, and where.
        inputs: what is assumed, stated once for all claims.
        claims: at least one.
        columns, rows: the numbers behind them, or none.
    """

    source: str
    inputs: Sequence[str]
    claims: Sequence[Claim]
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.source.strip():
            raise ClaimError(f"{self.claims[0].about}: no source")

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1)

    def __str__(self) -> str:
        parts = [self.source, "", "Inputs:"]
        parts += [f"  - {one}" for one in self.inputs]
        if self.rows:
            parts += ["", table(self.columns, self.rows)]
        for claim in self.claims:
            parts += ["", f"{claim.about}: {claim.verdict}"]
            parts.append(f"  published: {claim.words} ({claim.place}; {claim.stands})")
            parts += [f"  number: {one}" for one in claim.published]
            parts.append(f"  predicted: {claim.predicted}")
            if claim.reason:
                parts.append(f"  why: {claim.reason}")
        return "\n".join(parts)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as what stands in them."""
    widths = [max(map(len, column)) for column in zip(columns, *rows)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
        for row in (columns, *rows)
    ]
    return "\n".join(f"  {line}" for line in lines)


def mean_watts(op: str, idle_w: float, active_w: float, utilisation: float) -> float:
    """What ssdpm gives a drive with two levels of power and no state to sleep in: I/Os
    of 1 ms, with idle times that make up the rest.
    """
    model = ssdpm.Model.from_states([ssdpm.PowerState(True)])
    parameters = ssdpm.parameters(
        model, idle_power_w={0: idle_w}, active_power_w=active_w
    )
    period = round(1e6 / utilisation)
    trace = ssdpm.Trace.from_columns(
        start_ns=range(0, 100 * period, period), op=op, service_ns=10**6
    )
    run = ssdpm.estimate(
        model, trace, None, parameters=parameters, end_ns=100 * period
    ).nominal
    return run.mean_power_w


def main(make: Callable[[], Report]) -> None:
    """What each script does: print its report, or with --json write it."""
    if sys.argv[1:] not in ([], ["--json"]):
        sys.exit(f"usage: {sys.argv[0]} [--json]")
    report = make()
    print(report.to_json() if sys.argv[1:] else report)
