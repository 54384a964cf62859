# SPDX-License-Identifier: MIT
"""Drawings of measurements and calibrations."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ssdpm.base.convert import check_word
from ssdpm.measure.activity import Activities
from ssdpm.measure.background import Matrix
from ssdpm.measure.calibration import Calibration, Measured
from ssdpm.measure.profile import DatasheetComparison, ProportionalityCurve, SizeProfile
from ssdpm.plot.style import (
    ASLEEP,
    BUSY,
    COLORS,
    MARKERS,
    OPERATIONAL,
    TRANSITION,
    envelope,
    new_axes,
    note,
    power_axis,
    rows_axis,
    two_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_activities(activities: Activities, ax: Axes | None) -> Axes:
    """Samples, the baseline with its noise, and the runs."""
    ax = new_axes(ax, 3.6)
    signal, baseline = activities.signal, activities.baseline
    ax.set_xlabel("time (s)")
    times = signal.times_ns()
    origin = int(times.min()) if len(times) else 0
    if not -(10**12) < origin < 10**12:  # an epoch, or the uptime of a day
        ax.set_xlabel(f"time since {origin} ns (s)")
    else:
        origin = 0
    time = (times - origin).astype(np.float64) / 1e9
    power = signal.power_w.astype(np.float64)
    scale = power_axis(ax, power)
    drawn_time, drawn_power = envelope(time, power, 2000)
    ax.plot(
        drawn_time,
        drawn_power * scale,
        color=ASLEEP[1],
        linewidth=0.7,
        label="samples",
        zorder=1,
    )
    spans = [((r.begin_ns - origin) / 1e9, r.end_ns - r.begin_ns) for r in activities]
    label = f"runs ({len(activities)})"
    for number, (begin, length_ns) in enumerate(spans):
        ax.axvspan(
            begin,
            begin + length_ns / 1e9,
            color=OPERATIONAL,
            alpha=0.22,
            linewidth=0,
            label=label if number == 0 else None,
            zorder=0,
        )
    if spans:
        # A run that is narrower than a pixel has a mark all the same.
        ax.plot(
            [begin for begin, _ in spans],
            [1.0] * len(spans),
            transform=ax.get_xaxis_transform(),
            color=OPERATIONAL,
            marker="v",
            markersize=5,
            linestyle="none",
            clip_on=False,
            zorder=3,
        )
    level, sigma = baseline.level_w * scale, baseline.sigma_w * scale
    unit = "W" if scale == 1 else "mW"
    ax.axhline(
        level,
        color=BUSY,
        linewidth=1.2,
        label=f"baseline {level:.4g} {unit} +- 3 sigma",
        zorder=2,
    )
    ax.axhspan(
        level - 3 * sigma, level + 3 * sigma, color=BUSY, alpha=0.15, linewidth=0
    )
    if len(time):
        ax.set_xlim(float(time.min()), max(float(time.max()), float(time.min()) + 1e-9))
    finite = power[np.isfinite(power)]
    if not len(finite):
        note(ax, "no finite sample")
    elif finite.min() >= 0:
        ax.set_ylim(bottom=0)
    extra = sum(run.extra_j for run in activities)
    ax.set_title(f"{len(activities)} runs, {extra:.4g} J above the baseline", pad=10)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


# Of nothing to what grows; the words of Matrix.
_CLASSES = {
    "-": "#ffffff",
    "none": "#f2f2f2",
    "NS": "#d1e5f0",
    "S": "#92c5de",
    "Ex": "#f4a582",
    "GWP": "#d6604d",
}

_CLASS_NAMES = {
    "-": "not run",
    "none": "none",
    "NS": "NS: not significant",
    "S": "S: small, below a second",
    "Ex": "Ex: extended, seconds",
    "GWP": "GWP: grows with the parameter",
}


def _plot_cell(matrix: Matrix, row: int, column: int, ax: Axes) -> set[str]:
    """A part for each pattern, or one for all; return the words in it."""
    words = matrix.words(matrix.micro_benchmarks[row], matrix.drives[column])
    parts = words[:1] if len(set(words)) == 1 else words
    width = 0.96 / len(parts)
    for number, word in enumerate(parts):
        left = column - 0.48 + number * width
        ax.barh(row, width, 0.92, left=left, color=_CLASSES[word], edgecolor="white")
        ax.text(left + width / 2, row, word, ha="center", va="center")
    return set(words)


def plot_matrix(matrix: Matrix, ax: Axes | None) -> Axes:
    """Draw it, as Matrix.plot() describes."""
    n_rows, n_columns = len(matrix.micro_benchmarks), len(matrix.drives)
    ax = new_axes(ax, min(1.6 + 0.42 * n_rows, 30))
    seen: set[str] = set()
    for row in range(n_rows):
        for column in range(n_columns):
            seen |= _plot_cell(matrix, row, column, ax)
    rows_axis(ax, matrix.micro_benchmarks, 24)
    ax.grid(False)
    patterns = " / ".join(matrix.patterns)
    heads = [f"{textwrap.fill(name, 18)}\n{patterns}" for name in matrix.drives]
    ax.set_xticks(range(n_columns), heads)
    ax.tick_params(axis="x", length=0, top=False, labeltop=True, labelbottom=False)
    ax.set_xlim(-0.5, max(n_columns, 1) - 0.5)
    for side in ("top", "right", "bottom", "left"):
        ax.spines[side].set_visible(False)
    if seen:
        from matplotlib.patches import Patch

        keys = [
            Patch(facecolor=color, edgecolor="#888888", label=_CLASS_NAMES[word])
            for word, color in _CLASSES.items()
            if word in seen
        ]
        ax.legend(
            handles=keys, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False
        )
    else:
        note(ax, "no experiments")
    return ax


def _bytes_word(size: float) -> str:
    """512 B, 4 KiB, 1.5 MiB."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << power:
            return f"{size / (1 << power):g} {unit}"
    return f"{size:g} B"


def _size_axis(ax: Axes, sizes: Sequence[int]) -> None:
    """Powers of two with their units, no more than fit."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    ax.set_xscale("log", base=2)
    low, high = np.log2(min(sizes)), np.log2(max(sizes))
    first, last = int(np.floor(low)), int(np.ceil(high))
    step = max(1, -(-(last - first) // 5))
    powers = range(first, last + 1, step)
    ax.xaxis.set_major_locator(FixedLocator([2.0**power for power in powers]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda size, _: _bytes_word(size)))
    ax.set_xlim(2.0 ** (low - 0.5), 2.0 ** (high + 0.5))
    ax.set_xlabel("size of an I/O")


def _seconds_or_joules(values: Sequence[float], unit: str) -> tuple[float, str]:
    """With milli where all is below one."""
    return (1.0, unit) if max(values, default=1.0) >= 1 else (1e3, f"m{unit}")


def _plot_by_size(profile: SizeProfile, name: str, unit: str, ax: Axes) -> None:
    values = [getattr(run, name) for run in profile.runs]
    scale, word = _seconds_or_joules(values, unit)
    for number, pattern in enumerate(profile.patterns):
        color = COLORS[number % len(COLORS)]
        runs = [run for run in profile.runs if run.pattern == pattern]
        levels = [one for one in profile.levels if one.pattern == pattern]
        ax.plot(
            [run.bytes for run in runs],
            [getattr(run, name) * scale for run in runs],
            color=color,
            marker=".",
            linestyle="none",
            alpha=0.35,
        )
        ax.plot(
            [one.bytes for one in levels],
            [getattr(one, name) * scale for one in levels],
            color=color,
            marker=MARKERS[number % len(MARKERS)],
            markersize=5,
            label=pattern or "median",
        )
    # Decades apart, a linear axis would show the largest alone.
    positive = [value for value in values if value > 0]
    if len(positive) == len(values) and max(values) > 20 * min(values):
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter("{x:g}")
    else:
        ax.set_ylim(bottom=0)
    ax.set_ylabel(f"{'time' if name == 'time_s' else 'energy'} ({word})")
    ax.grid(True, which="major", alpha=0.3)


def plot_sizes(profile: SizeProfile, axes: Sequence[Axes] | None) -> tuple[Axes, Axes]:
    """Draw it, as SizeProfile.plot() describes."""
    left, right = two_axes(axes, 10, 3.8)
    left.set_title("time of a run")
    right.set_title("energy of a run")
    if not profile.runs:
        note(left, "no runs")
        note(right, "no runs")
        return left, right
    for ax, name, unit in ((left, "time_s", "s"), (right, "energy_j", "J")):
        _plot_by_size(profile, name, unit, ax)
        _size_axis(ax, [run.bytes for run in profile.runs])
    right.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return left, right


def plot_datasheet(comparison: DatasheetComparison, ax: Axes | None) -> Axes:
    """Draw it, as DatasheetComparison.plot() describes."""
    runs = comparison.runs
    ax = new_axes(ax, 4.0)
    joules = [max(run.datasheet_j, run.energy_j) for run in runs]
    scale, unit = _seconds_or_joules(joules, "J")
    for place, color, label, values in (
        (-0.2, TRANSITION, "data sheet x time", [run.datasheet_j for run in runs]),
        (0.2, ASLEEP[2], "measured", [run.energy_j for run in runs]),
    ):
        where = [number + place for number in range(len(runs))]
        heights = [value * scale for value in values]
        ax.bar(where, heights, 0.38, color=color, label=label)
    for number, run in enumerate(runs):
        ax.annotate(
            f"{run.ratio:.2g} times",
            (number, joules[number] * scale),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
        )
    width = max(8, 72 // max(len(runs), 1))
    ax.set_xticks(range(len(runs)), [textwrap.fill(run.name, width) for run in runs])
    ax.set_xlim(-0.6, max(len(runs), 1) - 0.4)
    ax.margins(y=0.12)
    ax.set_ylabel(f"energy ({unit})")
    if not runs:
        note(ax, "no runs")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def plot_proportionality(curve: ProportionalityCurve, ax: Axes | None) -> Axes:
    """Draw it, as ProportionalityCurve.plot() describes."""
    ax = new_axes(ax, 4.0)
    load, power = np.array(curve.load), np.array(curve.power_w)
    scale = power_axis(ax, power)
    top_load, top = load[-1], power[-1] * scale
    proportion = top * load / top_load
    ax.fill_between(load, proportion, power * scale, color=ASLEEP[0], alpha=0.35)
    ax.plot(load, power * scale, color=ASLEEP[3], marker="o", label="measured")
    ax.plot(
        [0, top_load], [0, top], color="#888888", linestyle="--", label="in proportion"
    )
    ax.plot(
        [0, top_load], [top, top], color="#888888", linestyle=":", label="no change"
    )
    ax.set_xlim(0, top_load)
    ax.set_ylim(0, 1.08 * max(top, float(power.max()) * scale))
    ax.set_xlabel("work, in the unit of load")
    ax.set_title(f"proportionality index {curve.index:.2f}")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def plot_calibration(calibration: Calibration, kind: str, ax: Axes | None) -> Axes:
    """Draw it, as Calibration.plot() describes."""
    kinds = {"fit": _plot_fit, "parameters": _plot_measured}
    return kinds[check_word(kind, "kind", kinds)](calibration, ax)


def _title(calibration: Calibration) -> str:
    return textwrap.fill(calibration._summary(), 90)


def _plot_fit(calibration: Calibration, ax: Axes | None) -> Axes:
    fitted_ns, fitted_w = calibration.fitted()
    assert calibration._run is not None
    signal = calibration._run.signal
    ax = new_axes(ax, 3.6)
    ax.set_xlabel("time (s)")
    times = signal.times_ns()
    origin = int(times.min())
    if not -(10**12) < origin < 10**12:
        ax.set_xlabel(f"time since {origin} ns (s)")
    else:
        origin = 0
    power = signal.power_w.astype(np.float64)
    scale = power_axis(ax, power)
    for time_ns, watts, color, width, label in (
        (times, power, ASLEEP[0], 2.2, "samples"),
        (fitted_ns, fitted_w, TRANSITION, 0.7, "fitted"),
    ):
        time = (time_ns - origin).astype(np.float64) / 1e9
        drawn_time, drawn = envelope(time, watts, 2000)
        ax.plot(drawn_time, drawn * scale, color=color, linewidth=width, label=label)
    ax.margins(x=0)
    ax.set_title(_title(calibration), fontsize="medium")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def _bounds_before(calibration: Calibration, one: Measured) -> tuple[float, float]:
    """What was taken for possible before; of a file, the most alone."""
    known = () if calibration._run is None else calibration._run.setup.parameters
    for parameter in known:
        if (parameter.kind, parameter.index) == (one.kind, one.index):
            return float(parameter.low), float(parameter.high)
    return one.stated, one.stated


def _ratio_axis(ax: Axes) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.margins(x=0.1)
    low, high = ax.get_xlim()
    digits = (1.0,) if high > 200 * low else (1.0, 2.0, 5.0)
    ax.xaxis.set_major_locator(LogLocator(subs=digits, numticks=20))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())


def _plot_measured(calibration: Calibration, ax: Axes | None) -> Axes:
    """Each by its nominal value, so that watts and times stand on one axis."""
    known = [one for one in calibration.known if one.nominal]
    ax = new_axes(ax, 1.4 + 0.34 * max(len(known), 2))
    ax.set_xlabel("times the measured value")
    ax.set_title(_title(calibration), fontsize="medium")
    if not known:
        note(ax, "nothing is known")
        return ax
    before = "known or assumed before"
    if calibration._run is None:
        before = "the most before"
    for row, one in enumerate(known):
        assert one.low is not None and one.high is not None and one.nominal
        low, high = (value / one.nominal for value in _bounds_before(calibration, one))
        if high > 0:
            ax.plot(
                [max(low, 1e-3), max(high, 1e-3)],
                [row, row],
                color="#bbbbbb",
                linewidth=7,
                solid_capstyle="butt",
                marker="|",
                markersize=9,
                label=before if row == 0 else None,
                zorder=1,
            )
        ax.errorbar(
            1.0,
            row,
            xerr=[[1 - one.low / one.nominal], [one.high / one.nominal - 1]],
            color=COLORS[1] if one.exceeds else COLORS[0],
            marker="o",
            markersize=4,
            elinewidth=1.6,
            capsize=3,
            label="measured, 95 %" if row == 0 else None,
            zorder=2,
        )
    _ratio_axis(ax)
    ax.axvline(1.0, color="#888888", linewidth=0.8, linestyle=":", zorder=0)
    if any(one.exceeds for one in known):
        ax.plot([], [], "o", color=COLORS[1], label="longer than the drive says")
    labels = [f"{one.name}\n{one._value()}" for one in known]
    ax.set_yticks(range(len(known)), labels, fontsize="small")
    ax.set_ylim(len(known) - 0.5, -0.5)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax
