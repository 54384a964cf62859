# SPDX-License-Identifier: MIT
"""uFLIP's energy study of flash devices (2010): active power of the data sheet x time
against what the drive took.

With two levels, idle and active, the data sheet is P_active / (P_idle + u (P_active -
P_idle)) times too high at a utilisation u: at most P_active / P_idle, at u = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import ssdpm
from report import (
    NOT_DERIVABLE,
    REPRODUCED,
    WITHIN,
    Claim,
    Range,
    Report,
    main,
    mean_watts,
)
from ssdpm.measure import BackgroundRun

INPUTS = [
    "active watts of the data sheet; idle watts as the study measured them, low and "
    "high one standard deviation apart, which is that of samples and not of their mean",
    "two levels of power, and no state to sleep in",
]


@dataclass(frozen=True)
class Drive:
    """Watts: active by the data sheet, idle measured with its standard deviation."""

    name: str
    active_w: float
    idle_w: float
    deviation_w: float

    def ratio(self) -> Range:
        """P_active / P_idle."""
        most, least = self.idle_w + self.deviation_w, self.idle_w - self.deviation_w
        return Range(
            self.active_w / most, self.active_w / self.idle_w, self.active_w / least
        )

    def utilisation(self, factor: float) -> float:
        """At which the data sheet is too high by this factor; below 0: at none."""
        return (self.active_w / factor - self.idle_w) / (self.active_w - self.idle_w)

    def simulated(self, utilisation: float) -> float:
        """The factor that ssdpm gives for writes, against active power x time."""
        mean_w = mean_watts("write", self.idle_w, self.active_w, utilisation)
        return self.active_w / mean_w


DRIVES = (
    Drive("Memoright", 2.5, 0.96, 0.3),
    Drive("MTron", 2.7, 0.99, 0.05),
    Drive("X25-E 32 GB", 2.4, 0.54, 0.05),
    Drive("X25-E 64 GB", 2.6, 0.57, 0.05),
)


def factor(drive: Drive, value: float) -> Claim:
    u = drive.utilisation(value)
    if u > 0:
        text = f"at a utilisation of {u:.3f}; simulated there: "
        text += f"{drive.simulated(u):.2f} times"
        why = "the utilisation of the runs is not public"
    else:
        text = f"at none: at most {drive.ratio().nominal:.2f} times"
        why = "its idle power alone is more than that"
        if drive.ratio().high >= value:
            why += "; with one deviation less it would not be"
    return Claim(
        f"{drive.name}, {value:.0f} times",
        "data sheet x time is two to three times too high",
        text,
        WITHIN if u > 0 else NOT_DERIVABLE,
        why,
    )


def idle() -> Claim:
    """The samples are not public; those drawn here have their mean and deviation."""
    found = []
    for seed, drive in enumerate(DRIVES):
        noise = np.random.default_rng(seed).standard_normal(100_000)
        baseline = ssdpm.measure.baseline(
            drive.idle_w + drive.deviation_w * noise, rate_hz=100_000, method="window"
        )
        found.append(f"{baseline.level_w:.2f} +- {baseline.sigma_w:.2f}")
    return Claim(
        "all, idle",
        ", ".join(f"{d.idle_w:.2f} +- {d.deviation_w:.2f}" for d in DRIVES) + " W",
        f"of samples drawn so, {', '.join(found)} W",
        NOT_DERIVABLE,
        "the samples of the study are not public: this tries the estimator alone",
    )


def patterns() -> Claim:
    """Half the energy in a fifth of the time is 2.5 times the mean power."""
    drive = DRIVES[0]
    ratio = 0.5 / 0.2
    possible = ratio <= drive.ratio().nominal
    return Claim(
        f"{drive.name}, sequential against random writes",
        "half the energy in a fifth of the time",
        f"{ratio:.1f} times the mean power; at most {drive.ratio().nominal:.2f} "
        "times, active against idle",
        WITHIN if possible else NOT_DERIVABLE,
        "power and time of both are in a figure, not in numbers: no more than that it "
        "is possible",
    )


# Background work as the study classified it, SW / RW; one word stands for both.
MATRIX_DRIVES = ("Memoright", "MTron", "Intel")
MATRIX = {
    "granularity": ("GWP", "NS / S", "S / none"),
    "alignment": ("Ex", "S", "none"),
    "locality": ("GWP", "NS / S", "none / GWP"),
    "partitioning": ("Ex", "NS / GWP", "none / S"),
    "order": ("GWP", "NS / GWP", "none / GWP"),
    "parallelism": ("Ex", "NS", "S"),
    "mix": ("GWP", "S", "none / GWP"),
}


def drawn(word: str, rng: np.random.Generator) -> list[BackgroundRun]:
    """Runs of an experiment of that class: eight values of its parameter, each three
    times; a tail of 1 W, and 0.1 J of noise.
    """
    runs: list[BackgroundRun] = []
    for value in (1, 2, 3, 4, 5, 6, 7, 8) * 3:
        # of each class: none; a quarter of all runs; 0.4 s; 5 s; 1 s for each step
        rare = 0.6 * (len(runs) % 4 == 0)
        some = {"NS": rare, "S": 0.4, "Ex": 5.0, "GWP": float(value)}
        seconds = some.get(word, 0.0) * (1 + 0.1 * rng.standard_normal())
        extra_j = seconds + 0.1 * rng.standard_normal()
        runs.append(BackgroundRun(value, round(abs(seconds) * 1e9), extra_j, 0.1))
    return runs


def matrix() -> Claim:
    """The runs are not public; those drawn here have the classes of the study."""
    rng = np.random.default_rng(0)
    suite = {}
    for name, cells in MATRIX.items():
        for drive, cell in zip(MATRIX_DRIVES, cells):
            words = (cell.split(" / ") * 2)[:2]
            for pattern, word in zip(("SW", "RW"), words):
                suite[name, drive, pattern] = drawn(word, rng)
    found = ssdpm.measure.classify_suite(suite)
    same = sum(
        found[name, drive] == cell
        for name, cells in MATRIX.items()
        for drive, cell in zip(MATRIX_DRIVES, cells)
    )
    return Claim(
        "all, background work",
        f"{len(MATRIX)} micro-benchmarks on {len(MATRIX_DRIVES)} drives, 21 classes",
        f"of runs drawn with these classes, {same} of 21 cells:\n"
        + "\n".join(f"    {line}" for line in str(found).splitlines()),
        NOT_DERIVABLE,
        "the runs of the study are not public: this tries the classifier alone",
    )


def report() -> Report:
    always = all(drive.ratio().low > 1 for drive in DRIVES)
    return Report(
        "uFLIP, energy study of flash devices, 2010",
        INPUTS,
        [
            Claim(
                "all, always too high",
                "on all four drives, in all runs",
                "never too low: idle takes less than active",
                REPRODUCED if always else NOT_DERIVABLE,
            ),
            *(factor(drive, value) for value in (2.0, 3.0) for drive in DRIVES),
            idle(),
            patterns(),
            matrix(),
        ],
        ("drive", "active W", "idle W", "too high by at most", "2 times", "3 times"),
        [
            (
                d.name,
                f"{d.active_w}",
                f"{d.idle_w} +- {d.deviation_w}",
                str(d.ratio()),
                *(
                    f"u = {d.utilisation(f):.3f}" if d.utilisation(f) > 0 else "no u"
                    for f in (2.0, 3.0)
                ),
            )
            for d in DRIVES
        ],
    )


if __name__ == "__main__":
    main(report)
