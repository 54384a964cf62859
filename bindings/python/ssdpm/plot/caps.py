# SPDX-License-Identifier: MIT
"""Drawings of power budgets and power caps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ssdpm.budget import Budget
from ssdpm.cap.drive import Curve as CapCurve
from ssdpm.cap.drive import Timeline as CapTimeline
from ssdpm.plot.style import BUSY, POLICIES, new_axes, note

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
        color=POLICIES[0],
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
        color=POLICIES[1],
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
    """What Curve.plot() says."""
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
    color = POLICIES[0]
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
    """What Timeline.plot() says."""
    ax = new_axes(ax)
    points = timeline.points
    color, other = POLICIES[:2]
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
