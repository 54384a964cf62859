# SPDX-License-Identifier: MIT
"""PowerSensor3 (ISPASS 2025): an NVMe drive at 20 kHz, its power while it reads, and
when random writes begin to cost more.

usage: powersensor3.py DIRECTORY [--json]

The directory has four series that were read from the vector figures of the results
(nlesc-recruit/powersensor3-results, Apache-2.0): ps3_nvme_randread_power_vs_bs.csv,
ps3_nvme_randread_bw_vs_bs.csv, ps3_nvme_randwrite_power_1s.csv,
ps3_nvme_randwrite_bw_1s.csv.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from report import NOT_DERIVABLE, REPRODUCED, Claim, Report
from ssdpm import measure

Floats = npt.NDArray[np.float64]

S = 10**9
MIB_PER_GIB = 1024
BINS = 60

# Read from the same figures once, by other means: watts, mJ/MiB; W; J/GiB.
READ_BASE_W, READ_MJ_PER_MIB = 2.518, 0.621
ONSET_S = (285, 290)
BEFORE_W, AFTER_W = 3.2, 5.56
BEFORE_J, AFTER_J = 9.64, 35.96
# The drive writes into its cache, and has begun not to.
BEFORE, AFTER, QUIET = (0, 290), (290, 390), (60, 270)

INPUTS = [
    "the figures of the results, whose drawing left out points on straight lines: "
    "what is between two points is on the line between them",
    f"reads: means of {BINS} bins of request sizes, as wide as each other on a log "
    "scale, and a line through them by least squares",
    "writes: means of 1 s; a baseline from 60 to 270 s; a running median of 5 s "
    "against spikes, and activity from 0.5 W above the baseline on",
    "what is held against them was read from the same figures before, by other means",
]


def columns(path: Path) -> tuple[Floats, Floats]:
    first, second = np.loadtxt(path, delimiter=",", skiprows=1, unpack=True)
    return np.ascontiguousarray(first), np.ascontiguousarray(second)


def reads(directory: Path) -> tuple[float, float, float]:
    """Watts at rest, mJ for each MiB, and the mean error of the line in percent."""
    size, power = columns(directory / "ps3_nvme_randread_power_vs_bs.csv")
    known, rate = columns(directory / "ps3_nvme_randread_bw_vs_bs.csv")
    rate = np.interp(size, known, rate)
    edges = np.geomspace(size.min(), size.max() * 1.0001, BINS + 1)
    place = np.digitize(size, edges) - 1
    used = np.unique(place)
    x = np.array([rate[place == one].mean() for one in used])
    y = np.array([power[place == one].mean() for one in used])
    slope, base = np.polyfit(x, y, 1)
    error = float(np.mean(np.abs((base + slope * x) / y - 1)))
    return float(base), float(slope) * 1e3, error * 100


class Writes:
    """The random writes: power, and what was written."""

    def __init__(self, directory: Path) -> None:
        time, power = columns(directory / "ps3_nvme_randwrite_power_1s.csv")
        known, rate = columns(directory / "ps3_nvme_randwrite_bw_1s.csv")
        # One sample each second, at whole seconds.
        self.time = np.arange(np.ceil(time[0]), np.floor(time[-1]) + 1)
        self.power = np.interp(self.time, time, power)
        self.rate = np.interp(self.time, known, rate)
        self.signal = self._signal(self.power)

    def _signal(self, values: Floats) -> measure.Signal:
        return measure.Signal(values, rate_hz=1, start_ns=int(self.time[0]) * S)

    def window(self, bounds: tuple[int, int]) -> tuple[float, float, float]:
        """Mean power in watts, GiB written, and J for each GiB."""
        inside = (self.time >= bounds[0]) & (self.time <= bounds[1])
        energy = measure.energy(self._signal(self.power[inside]))
        # MiB/s over time are MiB as watts are joules.
        gib = measure.energy(self._signal(self.rate[inside])).energy_j / MIB_PER_GIB
        return energy.mean_power_w, gib, energy.energy_j / gib

    def onset_s(self) -> float:
        """Where the work begins that goes on to the end."""
        begin, end = (one * S for one in QUIET)
        idle = measure.baseline(self.signal, window=(begin, end))
        runs = measure.activity(self.signal, idle, floor_w=0.5, filter_samples=5)
        return next(run.begin_ns / S for run in runs if run.open_end)

    def steps(self) -> list[int]:
        """Seconds at which the mean changes, those that are a watt or more apart."""
        changes = measure.change_points(self.signal)
        edges = [0, *changes.tolist(), len(self.time)]
        means = [self.power[a:b].mean() for a, b in zip(edges, edges[1:])]
        return [
            int(self.time[at])
            for at, before, after in zip(edges[1:], means, means[1:])
            if after - before >= 1.0
        ]


def near(found: float, published: float, percent: float) -> bool:
    return abs(found / published - 1) <= percent / 100


def verdict(good: bool) -> tuple[str, str]:
    return (REPRODUCED, "") if good else (NOT_DERIVABLE, "the figures say otherwise")


def report(directory: Path) -> Report:
    base, slope, error = reads(directory)
    writes = Writes(directory)
    before, after = writes.window(BEFORE), writes.window(AFTER)
    onset, steps = writes.onset_s(), writes.steps()
    line = near(base, READ_BASE_W, 1) and near(slope, READ_MJ_PER_MIB, 1)
    inside = all(
        any(ONSET_S[0] <= at <= ONSET_S[1] for at in found)
        for found in ([onset], steps)
    )
    powers = near(before[0], BEFORE_W, 2) and near(after[0], AFTER_W, 2)
    energies = near(before[2], BEFORE_J, 2) and near(after[2], AFTER_J, 2)
    return Report(
        "PowerSensor3, results of ISPASS 2025: an NVMe drive, random reads, random writes",
        INPUTS,
        [
            Claim(
                "reads",
                f"P = {READ_BASE_W} W + {READ_MJ_PER_MIB} mJ/MiB",
                f"P = {base:.3f} W + {slope:.3f} mJ/MiB, off by {error:.2f} % in the "
                "mean",
                *verdict(line),
            ),
            Claim(
                "random writes, onset",
                f"from {ONSET_S[0]} to {ONSET_S[1]} s",
                f"activity from {onset:.0f} s on; the mean rises by a watt or more at "
                f"{', '.join(map(str, steps))} s",
                *verdict(inside),
            ),
            Claim(
                "random writes, power",
                f"{BEFORE_W} -> {AFTER_W} W",
                f"{before[0]:.2f} -> {after[0]:.2f} W",
                *verdict(powers),
            ),
            Claim(
                "random writes, energy per GiB",
                f"{BEFORE_J} -> {AFTER_J} J",
                f"{before[2]:.2f} -> {after[2]:.2f} J, after {before[1]:.1f} GiB",
                *verdict(energies),
            ),
        ],
        ("window", "W", "GiB", "J/GiB"),
        [
            (f"{begin} to {end} s", f"{w:.3f}", f"{gib:.1f}", f"{joules:.2f}")
            for begin, end in (BEFORE, AFTER, (390, 590), (900, 1199))
            for w, gib, joules in [writes.window((begin, end))]
        ],
    )


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--json"]):
        sys.exit(f"usage: {sys.argv[0]} DIRECTORY [--json]")
    made = report(Path(sys.argv[1]))
    print(made.to_json() if sys.argv[2:] else made)
