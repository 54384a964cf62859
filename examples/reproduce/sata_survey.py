# SPDX-License-Identifier: MIT
"""A survey of SATA link power management (Linux 5.3): four policies, two drives, and
what its table of fio can tell.

The table has a mean and a standard deviation of single I/Os for each policy. Neither
says how the mean of another run would be: that takes more runs than one, and how they
vary. What difference such runs would have to have is worked out below.
"""

from __future__ import annotations

import ssdpm
from report import PUBLISHED, Claim, Report, main
from ssdpm.measure import survey

POLICIES = ("max_performance", "medium_power", "min_power", "med_power_with_dipm")
TESTS = ("seq read", "rand read", "seq write", "rand write")

# Latency in microseconds, mean and standard deviation; policies as above.
FIO = {
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

# What the examples below suppose: the table does not say it.
RUNS = 5

INPUTS = [
    "the means and deviations of the table, latencies in microseconds",
    "all pairs of the four policies are compared, at an error rate of 5 % for a test",
    f"the last column supposes {RUNS} runs of each policy, all of which vary alike",
]


def stated(
    drive: str, test: int, between_sd: float | None, n_runs: int | None
) -> dict[str, survey.Stated]:
    return {
        policy: survey.Stated(*row[test], between_sd, n_runs)
        for policy, row in zip(POLICIES, FIO[drive])
    }


def spread(drive: str, test: int) -> float:
    """Largest mean minus the smallest."""
    means = [row[test][0] for row in FIO[drive]]
    return max(means) - min(means)


def between_at_most(drive: str, test: int) -> float:
    """Deviation of runs up to which the table would show a difference."""
    low, high = 0.0, spread(drive, test)
    for _ in range(40):
        middle = (low + high) / 2
        found = survey.judge(stated(drive, test, middle, RUNS))
        if found.verdict == survey.Verdict.DIFFERENT:
            low = middle
        else:
            high = middle
    return low


def fio(drive: str) -> Claim:
    found = [survey.judge(stated(drive, n, None, None)) for n in range(len(TESTS))]
    decided = sum(one.verdict != survey.Verdict.NOT_DECIDABLE for one in found)
    largest = max(range(len(TESTS)), key=lambda test: between_at_most(drive, test))
    return Claim(
        f"{drive}, fio",
        "table of fio's latencies",
        PUBLISHED,
        "performance differs between measurable and negligible",
        said=f"{decided or 'none'} of {len(TESTS)} tests can be decided; in "
        f"{TESTS[largest]} {RUNS} runs of each would show a difference if they vary by "
        f"less than {between_at_most(drive, largest):.2g} us",
        why="n and between-run variance unpublished",
    )


def power() -> Claim:
    plan = survey.schedule(POLICIES, ("idle", "sync", "async"), n_blocks=1)
    try:
        # Whatever the noise is.
        survey.detectable(plan, survey.Noise(1.0, 100.0, plan.duration_ns))
        predicted = "they can tell a difference"
    except ssdpm.UnknownValueError:
        predicted = "they tell no difference from noise"
    return Claim(
        "laptop, power",
        "charts of battery readings",
        PUBLISHED,
        f"a policy changes it by up to a third; {len(plan)} runs",
        said=f"{len(plan)} runs in {plan.total_s / 3600:.0f} h: {predicted}",
        why="each policy was run once in each scenario, and the readings are not public",
    )


def report() -> Report:
    return Report(
        "SATA link power management, a survey, Linux 5.3",
        INPUTS,
        [*(fio(drive) for drive in FIO), power()],
        ("drive", "test", "means, us", "deviation of I/Os", "runs must vary by less"),
        [
            (
                drive,
                test,
                f"{min(r[n][0] for r in rows):.2f} to {max(r[n][0] for r in rows):.2f}",
                f"{min(r[n][1] for r in rows):.0f} to {max(r[n][1] for r in rows):.0f}",
                f"than {between_at_most(drive, n):.2g} us",
            )
            for drive, rows in FIO.items()
            for n, test in enumerate(TESTS)
        ],
    )


if __name__ == "__main__":
    main(report)
