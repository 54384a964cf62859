# SPDX-License-Identifier: MIT
"""The survey of SATA link power policies (Linux 5.3): latencies of fio under each policy,
published as mean +- standard deviation. Does the table tell its policies apart?

The deviation is that of single I/Os, and no number of them makes up for runs: how one run
differs from the next, and how many there were, is not in it.
"""

from __future__ import annotations

from dataclasses import dataclass

from report import NOT_DECIDABLE, NOT_DERIVABLE, REPRODUCED, Claim, Report, main
from ssdpm.survey import Stated, Verdict, judge

INPUTS = [
    "the table as it stands: microseconds, mean +- standard deviation",
    "independent runs, differences by Games and Howell's test, 5 % for all pairs of a row",
]
N_RUNS = 5
TESTS = ("sequential read", "random read", "sequential write", "random write")
POLICIES = ("max_performance", "medium_power", "min_power", "med_power_with_dipm")


@dataclass(frozen=True)
class Row:
    """One drive under one test of fio: mean and deviation for each policy, in us."""

    drive: str
    test: str
    values: tuple[tuple[float, float], ...]

    def stated(
        self, between_us: float | None = None, n_runs: int | None = None
    ) -> dict[str, Stated]:
        """What is published, and what is not, if somebody knew."""
        return {
            policy: Stated(mean, sd=sd, between_sd=between_us, n_runs=n_runs)
            for policy, (mean, sd) in zip(POLICIES, self.values)
        }

    def extremes(self) -> tuple[str, str, float]:
        """The policies with the least and the largest mean, and how far they are apart."""
        means = {policy: mean for policy, (mean, _) in zip(POLICIES, self.values)}
        least, most = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
        return least, most, means[most] - means[least]

    def enough_us(self) -> float:
        """Means of N_RUNS runs may vary by so much for a difference to be shown."""
        low, high = 0.0, self.extremes()[2] * 10
        for _ in range(40):
            middle = (low + high) / 2
            verdict = judge(self.stated(middle, N_RUNS)).verdict
            low, high = (middle, high) if verdict == Verdict.DIFFERENT else (low, middle)
        return low


# Each drive under each policy: the four tests.
TABLE = {
    "MX500": (
        ((55.51, 15.63), (137.86, 44.33), (55.45, 203.61), (60.66, 201.69)),
        ((55.04, 18.86), (133.81, 40.49), (57.13, 205.44), (61.06, 189.13)),
        ((57.04, 722.19), (125.18, 37.99), (55.73, 214.03), (61.77, 507.06)),
        ((55.08, 15.89), (143.51, 46.05), (55.03, 212.41), (61.06, 320.95)),
    ),
    "M550": (
        ((187.91, 40.64), (207.68, 26.32), (73.61, 571.03), (93.28, 898.61)),
        ((187.88, 46.08), (208.13, 30.74), (75.25, 600.71), (79.23, 801.11)),
        ((186.97, 40.07), (202.40, 25.27), (81.19, 509.93), (95.85, 917.91)),
        ((190.73, 39.87), (208.76, 29.56), (75.38, 535.39), (76.29, 664.69)),
    ),
}
ROWS = tuple(
    Row(drive, test, tuple(policy[i] for policy in policies))
    for drive, policies in TABLE.items()
    for i, test in enumerate(TESTS)
)
VERDICTS = {
    Verdict.DIFFERENT: REPRODUCED,
    Verdict.NOT_SHOWN: NOT_DERIVABLE,
    Verdict.NOT_DECIDABLE: NOT_DECIDABLE,
}


def claim(row: Row) -> Claim:
    found = judge(row.stated())
    least, most, difference = row.extremes()
    enough = row.enough_us()
    return Claim(
        f"{row.drive}, {row.test}",
        f"{difference:.2f} us from {least} to {most}",
        f"{N_RUNS} runs of each would show it if their means varied by less than "
        f"{enough:.2g} us",
        VERDICTS[found.verdict],
        "how many runs, and the variance between them, are not published"
        if found.verdict == Verdict.NOT_DECIDABLE
        else "",
    )


def report() -> Report:
    return Report(
        "A survey of SATA link power management on a laptop, Linux 5.3: latencies of fio",
        INPUTS,
        [claim(row) for row in ROWS],
        ("drive", "test", *POLICIES),
        [
            (row.drive, row.test, *(f"{mean:.2f} +- {sd:.2f}" for mean, sd in row.values))
            for row in ROWS
        ],
    )


if __name__ == "__main__":
    main(report)
