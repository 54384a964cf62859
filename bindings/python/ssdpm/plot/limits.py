# SPDX-License-Identifier: MIT
"""Drawings of power budgets, power caps and sustained writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ssdpm.base.result import need
from ssdpm.budget import Budget
from ssdpm.cap.drive import Curve as CapCurve, Timeline as CapTimeline
from ssdpm.consistency import Comparison as Consistencies
from ssdpm.ftl import Run as FtlRun
from ssdpm.plot.style import BUSY, COLORS, from_zero, looks, new_axes, note
from ssdpm.wa import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RATES = ((10**9, "GB/s"), (10**6, "MB/s"), (10**3, "kB/s"), (1, "B/s"))


def plot_budget(budget: Budget, ax: Axes | None) -> Axes:
    """The frontier of watts against loss, the budget, and the answer."""
    ax = new_axes(ax, 4.5)
    watts = (budget.base_uw + budget.frontier_power_uw) / 1e6
    loss = budget.frontier_loss.astype(np.float64)
    scale, unit = 1.0, "loss"
    if all(item.bytes_per_s is not None for item in budget.items):
        most = float(loss.max())
        scale, unit = next((s, u) for s, u in _RATES if most >= s or s == 1)
        unit = f"throughput lost ({unit}, by weight)"
    few = len(watts) <= 40
    ax.plot(
        watts,
        loss / scale,
        color=COLORS[0],
        marker="o" if few else None,
        markersize=4,
        linewidth=1.2,
        label="least loss (corners are reached)" if few else "least loss",
    )
    limit = budget.budget_uw / 1e6
    ax.axvline(
        limit, color=BUSY, linewidth=1, linestyle="--", label=f"budget, {limit:g} W"
    )
    word = "chosen" if budget.fits else "lowest states: more than the budget"
    ax.plot(
        (budget.base_uw + budget.power_uw) / 1e6,
        budget.loss / scale,
        color=COLORS[1],
        marker="D",
        markersize=8,
        linestyle="none",
        label=word,
    )
    count = len(budget.items)
    ax.set_title(f"{count} {'drive' if count == 1 else 'drives'}: {budget._summary()}")
    if budget.base_uw:
        ax.set_xlabel(f"power (W), of it {budget.base_uw / 1e6:g} W for all else")
    else:
        ax.set_xlabel("power of the drives (W)")
    ax.set_ylabel(unit)
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    ax.grid(alpha=0.3)
    return ax


def plot_cap_curve(curve: CapCurve, ax: Axes | None) -> Axes:
    """Draw it, as Curve.plot() describes."""
    ax = new_axes(ax)
    ax.set_xlabel("power cap (W)")
    ax.set_ylabel("throughput (GB/s)")
    ax.set_title("Throughput under a power cap")
    points = sorted(
        (one for one in curve if one.cap_w is not None), key=lambda one: one.cap_w or 0
    )
    if not points:
        note(ax, "no cap")
        return ax
    watts = np.array([one.cap_w for one in points])
    low, nominal, high = np.array([tuple(one.bytes_per_s) for one in points]).T / 1e9
    color = COLORS[0]
    if (low != high).any():
        ax.fill_between(watts, low, high, color=color, alpha=0.2, label="bounds")
    ax.plot(watts, nominal, color=color, marker="o", markersize=3, label="nominal")
    full = points[-1].uncapped_bytes_per_s.nominal / 1e9
    if np.isfinite(full):
        ax.axhline(full, color=BUSY, linestyle="--", label="without a cap")
    ax.set_ylim(bottom=0)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=3, frameon=False)
    return ax


def _steps(timeline: CapTimeline, values: Any) -> tuple[Any, Any]:
    """Seconds and values, for a line of steps to the end of the last point."""
    points = timeline.points
    end = points["start_ns"][-1] + points["duration_ns"][-1]
    return np.append(points["start_ns"], end) / 1e9, np.append(values, values[-1])


def plot_cap_timeline(timeline: CapTimeline, ax: Axes | None) -> Axes:
    """Draw it, as Timeline.plot() describes."""
    ax = new_axes(ax)
    points = timeline.points
    color, other = COLORS[:2]
    seconds, nominal = _steps(timeline, points["bytes_per_s"]["nominal"] / 1e9)
    _, low = _steps(timeline, points["bytes_per_s"]["low"] / 1e9)
    _, high = _steps(timeline, points["bytes_per_s"]["high"] / 1e9)
    if (low != high).any():
        ax.fill_between(seconds, low, high, step="post", color=color, alpha=0.2)
    lines = ax.step(seconds, nominal, where="post", color=color, label="throughput")
    ax.set_xlabel("time (s)")
    ax.set_ylabel("throughput (GB/s)")
    ax.set_ylim(0, 1.1 * max(float(high.max()), 1e-9))
    right = ax.twinx()
    _, watts = _steps(timeline, points["power_uw"]["nominal"] / 1e6)
    _, caps = _steps(timeline, timeline.cap_w)
    lines += right.step(seconds, watts, where="post", color=other, label="mean power")
    lines += right.step(
        seconds,
        np.where(np.isfinite(caps), caps, np.nan),
        where="post",
        color=BUSY,
        linewidth=5,
        alpha=0.3,
        label="cap",
    )
    right.set_ylabel("power (W)")
    most = max(float(watts.max()), float(caps[np.isfinite(caps)].max(initial=0)))
    # So that the lines do not lie on each other.
    right.set_ylim(0, 1.3 * max(most, 1e-9))
    ax.set_title("Throughput and power while the cap changes")
    ax.legend(
        handles=lines,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.15),
        ncols=3,
        frameon=False,
    )
    return ax


def _three_axes(
    axes: Sequence[Axes] | None, powered: bool
) -> tuple[Axes, Axes, Axes, Axes | None]:
    """One above two; in a new figure, one for power between them."""
    pyplot = need("matplotlib.pyplot", "plot()", "plot")
    power = None
    if axes is None:
        figure = pyplot.figure(figsize=(11, 10 if powered else 8), layout="constrained")
        heights = (2, 1, 2) if powered else (1, 1)
        grid = figure.add_gridspec(len(heights), 2, height_ratios=heights)
        axes = [
            figure.add_subplot(grid[0, :]),
            figure.add_subplot(grid[-1, 0]),
            figure.add_subplot(grid[-1, 1]),
        ]
        if powered:
            power = figure.add_subplot(grid[1, :], sharex=axes[0])
    whole, late, linear = axes
    return whole, late, linear, power


def _names(runs: Consistencies) -> list[str]:
    return [run.name or f"run {at + 1}" for at, run in enumerate(runs)]


def _draw_seconds(runs: Consistencies, begin_s: int, log: bool, ax: Axes) -> None:
    """Seconds that are 0 stand at the lower edge of a logarithmic scale."""
    parts = [run.iops[begin_s:] for run in runs]
    known = [part[np.isfinite(part)] for part in parts]
    above = [float(part[part > 0].min()) for part in known if (part > 0).any()]
    most = max((float(part.max()) for part in known if len(part)), default=0.0)
    if log:
        low = 10.0 ** np.floor(np.log10(min(above, default=1.0)))
        ax.set_yscale("log")
        ax.set_ylim(low, max(10.0 ** np.ceil(np.log10(max(most, 1.0))), 10 * low))
    else:
        low = 0.0
        ax.set_ylim(0, 40000 if most <= 40000 else 1.05 * most)
    names = _names(runs)
    for run, part, name, look in zip(runs, parts, names, looks(names)):
        ax.plot(
            begin_s + np.arange(len(part)),
            np.where(part < low, low, part),
            color=look.color,
            marker=".",
            markersize=3.5,
            markeredgewidth=0,
            linestyle="none",
            # Those at an edge are whole, and before it.
            clip_on=not len(part),
            zorder=3,
            label=name,
        )
    if not any(len(part) for part in known):
        note(ax, f"no second from {begin_s} s on")
    ax.set_xlim(begin_s, max([len(run.iops) for run in runs] + [begin_s + 1]))
    ax.yaxis.set_major_formatter(lambda iops, _: f"{iops:,.0f}")
    ax.set_xlabel("time (s)")
    ax.set_ylabel("operations per second")
    ax.grid(True, alpha=0.3)


def _draw_power(runs: Consistencies, ax: Axes) -> None:
    """A line for each run of which it is known."""
    for look, run in zip(looks(_names(runs)), runs):
        if run.power_w is not None:
            time_s = np.arange(len(run.power_w))
            ax.plot(time_s, run.power_w, color=look.color, linewidth=1)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("time (s)")
    ax.set_ylabel("power (W)")
    ax.grid(True, alpha=0.3)


def plot_consistency(
    runs: Consistencies, late_s: int, axes: Sequence[Axes] | None
) -> tuple[Axes, Axes, Axes]:
    """Draw it, as Comparison.plot() describes."""
    powered = any(run.power_w is not None for run in runs)
    whole, late, linear, power = _three_axes(axes, powered)
    _draw_seconds(runs, 0, True, whole)
    if power is not None:
        _draw_power(runs, power)
    _draw_seconds(runs, late_s, True, late)
    _draw_seconds(runs, late_s, False, linear)
    whole.set_title("the whole run")
    late.set_title(f"from {late_s} s on")
    linear.set_title(f"from {late_s} s on, linear")
    if len(runs):
        whole.legend(loc="upper right", markerscale=4, frameon=False)
    return whole, late, linear


def plot_wa(curve: Curve, ax: Axes | None) -> Axes:
    """Write amplification over the spare factor, in percent of the flash."""
    from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

    ax = new_axes(ax)
    for number, (formula, values) in enumerate(curve.wa.items()):
        name = formula
        if formula == "greedy":
            name += f", {curve.pages_per_block} pages per block"
        color = COLORS[number % len(COLORS)]
        ax.plot(100 * curve.spare, values, color=color, label=name)
    ax.set_xscale("log")
    ax.set_yscale("log")
    for axis, ticks in (
        (ax.xaxis, (1, 2, 5, 7, 10, 20, 30, 50)),
        (ax.yaxis, (1, 2, 3, 5, 7, 10, 20, 50, 100)),
    ):
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(ScalarFormatter())
    ax.set_ylim(bottom=1)
    ax.grid(alpha=0.3)
    ax.set_xlabel("spare factor (% of the flash)")
    ax.set_ylabel("write amplification")
    ax.set_title("even writes")
    if curve.wa:
        ax.legend(frameon=False)
    return ax


def plot_ftl(run: FtlRun, ax: Axes | None) -> Axes:
    """IOPS of each second, and power on another axis."""
    iops, power_w = run.iops, run.power_w
    ax = new_axes(ax)
    time_s = np.arange(len(iops))
    wa = run.write_amplification
    ax.set_title(
        f"{run.collector}, {100 * run.spare:.3g} % spare, write amplification "
        f"{'unknown' if wa is None else format(wa, '.3g')}"
    )
    ax.set_xlabel("time (s)")
    ax.set_ylabel("IOPS", color=COLORS[0])
    ax.plot(time_s, iops, ".", markersize=3, color=COLORS[0])
    from_zero(ax, iops)
    if np.isnan(power_w).all():
        return ax
    ax.tick_params(axis="y", colors=COLORS[0])
    right = ax.twinx()
    right.plot(time_s, power_w, color=COLORS[1], linewidth=1)
    from_zero(right, power_w)
    right.set_ylabel("power (W)", color=COLORS[1])
    right.tick_params(axis="y", colors=COLORS[1])
    return ax
