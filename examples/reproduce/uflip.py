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
    COMPUTED,
    PUBLISHED,
    Claim,
    Number,
    Range,
    Report,
    exactly,
    main,
    mean_watts,
    rounded,
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


SHEET = "comparison with the data sheets"


def factor(drive: Drive) -> Claim:
    """Two to three times; of the drive a bound is known, and no utilisation."""
    most = drive.ratio().nominal
    assert most is not None
    reached = {value: drive.utilisation(value) for value in (2.0, 3.0)}
    text = [
        f"{value:.0f} times at a utilisation of {u:.3f}; simulated there "
        f"{drive.simulated(u):.2f} times"
        if u > 0
        else f"{value:.0f} times at none"
        for value, u in reached.items()
    ]
    return Claim(
        f"{drive.name}, data sheet",
        SHEET,
        PUBLISHED,
        "data sheet x time is two to three times too high",
        [Number(2, 3, "times")],
        [Range(1, None, most, "times")],
        f"1 to {most:.2f} times: {'; '.join(text)}",
        why="the utilisation of the runs is not public",
    )


def always() -> Claim:
    """On each drive, by its measured idle power and one deviation."""
    return Claim(
        "all, always too high",
        SHEET,
        PUBLISHED,
        "on all four drives, in all runs: more than 1 time",
        [Number(1, None, "times")] * len(DRIVES),
        [
            Range(min(1, drive.ratio().low), None, drive.ratio().high, "times")
            for drive in DRIVES
        ],
        "never too low: idle takes less than active",
    )


def idle() -> Claim:
    return Claim(
        "all, idle",
        "table of idle and active power",
        PUBLISHED,
        ", ".join(f"{d.idle_w:.2f} +- {d.deviation_w:.2f}" for d in DRIVES) + " W",
        [rounded(d.idle_w, "W", 2) for d in DRIVES],
        said="the baseline of samples, which are not there",
        why="the samples of the study are not public",
    )


def patterns() -> Claim:
    """Half the energy in a fifth of the time is 2.5 times the mean power."""
    drive = DRIVES[0]
    most = drive.ratio().nominal
    assert most is not None
    return Claim(
        f"{drive.name}, sequential against random writes",
        "text on the Memoright's patterns",
        COMPUTED,
        "half the energy in a fifth of the time: 2.5 times the mean power",
        [exactly(0.5 / 0.2, "times")],
        [Range(1 / most, None, most, "times")],
        f"at most {most:.2f} times, active against idle",
        why="power and time of both are in a figure, not in numbers: no more than that "
        "it is possible",
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


def matrix() -> ssdpm.measure.Matrix:
    """Of runs that are drawn with the classes of the study, which has not published its
    runs.
    """
    rng = np.random.default_rng(0)
    suite = {}
    for name, cells in MATRIX.items():
        for drive, cell in zip(MATRIX_DRIVES, cells):
            words = (cell.split(" / ") * 2)[:2]
            for pattern, word in zip(("SW", "RW"), words):
                suite[name, drive, pattern] = drawn(word, rng)
    return ssdpm.measure.classify_suite(suite)


def background() -> Claim:
    return Claim(
        "all, background work",
        "table of background work",
        PUBLISHED,
        f"{len(MATRIX)} micro-benchmarks on {len(MATRIX_DRIVES)} drives, 21 classes",
        [exactly(len(MATRIX) * len(MATRIX_DRIVES), "classes")],
        said="a classifier of runs, which are not there",
        why="the runs of the study are not public",
    )


def report() -> Report:
    return Report(
        "M. Bjorling and others, uFLIP: Understanding the Energy Consumption of Flash "
        "Devices, IEEE Data Engineering Bulletin 33 (4), 2010",
        INPUTS,
        [always(), *map(factor, DRIVES), idle(), patterns(), background()],
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
