# SPDX-License-Identifier: MIT
"""How the scripts say what was published, what ssdpm predicts, and how they fit."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

import ssdpm

REPRODUCED = "reproduced"
WITHIN = "within bounds"
NOT_DERIVABLE = "not derivable"
NOT_DECIDABLE = "not decidable"
FITTED = "fitted"  # to what was published: not a prediction


@dataclass(frozen=True)
class Range:
    """A prediction: low, nominal and high."""

    low: float
    nominal: float
    high: float
    unit: str = ""
    digits: int = 2

    def __str__(self) -> str:
        text = f"{self.nominal:.{self.digits}f}"
        if round(self.low, self.digits) != round(self.high, self.digits):
            text += f" ({self.low:.{self.digits}f}..{self.high:.{self.digits}f})"
        return f"{text} {self.unit}".rstrip()

    def verdict(self, published: float, digits: int) -> str:
        """One rule for all: the nominal value is the published one, to as many digits
        as were published; or the published one lies between low and high; or neither.
        """
        if round(self.nominal, digits) == published:
            return REPRODUCED
        if self.low <= published <= self.high:
            return WITHIN
        return NOT_DERIVABLE


@dataclass(frozen=True)
class Claim:
    """One thing that was published, and what becomes of it here.

    Attributes:
        about: what it is about; a word that stays.
        published: what the source says.
        predicted: what ssdpm says, in words; with bounds in range, too.
        verdict: one of the five above.
        why: what a verdict rests on; needed where it is not "reproduced".
    """

    about: str
    published: str
    predicted: str
    verdict: str
    why: str = ""
    range: Range | None = None


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

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1)

    def __str__(self) -> str:
        parts = [self.source, "", "Inputs:"]
        parts += [f"  - {one}" for one in self.inputs]
        if self.rows:
            parts += ["", table(self.columns, self.rows)]
        for claim in self.claims:
            parts += ["", f"{claim.about}: {claim.verdict}"]
            parts.append(f"  published: {claim.published}")
            parts.append(f"  predicted: {claim.predicted}")
            if claim.why:
                parts.append(f"  why: {claim.why}")
        return "\n".join(parts)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as what stands in them."""
    widths = [max(map(len, column)) for column in zip(columns, *rows)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
        for row in (columns, *rows)
    ]
    return "\n".join(f"  {line}" for line in lines)


def ranged(
    about: str, published: str, value: float, digits: int, range: Range, why: str
) -> Claim:
    """A claim that is a number: its verdict follows from the rule."""
    verdict = range.verdict(value, digits)
    return Claim(about, published, str(range), verdict, why, range)


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
