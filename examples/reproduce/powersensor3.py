# SPDX-License-Identifier: MIT
"""PowerSensor3 (ISPASS 2025): an NVMe drive at 20 kHz, its power while it reads, and
when random writes begin to cost more. sustained_write.py simulates that drive.

The directory has four series that we read from the vector figures of the results
(nlesc-recruit/powersensor3-results, Apache-2.0): ps3_nvme_randread_power_vs_bs.csv,
ps3_nvme_randread_bw_vs_bs.csv, ps3_nvme_randwrite_power_1s.csv,
ps3_nvme_randwrite_bw_1s.csv. Their drawing left out points on straight lines: what is
between two points is on the line between them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from ssdpm import measure

Floats = npt.NDArray[np.float64]

S = 10**9
MIB_PER_GIB = 1024
BINS = 60

# The drive writes into its cache, and has begun not to.
BEFORE, AFTER, QUIET = (0, 290), (290, 390), (60, 270)

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
