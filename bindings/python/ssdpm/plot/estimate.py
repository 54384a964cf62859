# SPDX-License-Identifier: MIT
"""Drawings of estimates, of policies compared, and of the idle times of a trace."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ssdpm.base.convert import check_word
from ssdpm.estimate.compare import Comparison
from ssdpm.estimate.result import PHASES, Estimate
from ssdpm.plot.style import (
    ASLEEP,
    BUSY,
    OPERATIONAL,
    TRANSITION,
    log_time_axis,
    looks,
    new_axes,
    note,
)
from ssdpm.workload.records import HISTOGRAM_STARTS_NS, TraceStats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _shares(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """In percent."""
    numbers = values.astype(np.float64)
    total = numbers.sum()
    return 100 * numbers / total if total else numbers


def plot_stats(stats: TraceStats, ax: Axes | None) -> Axes:
    """Idle times: the share of their number by length, and of their time above it."""
    ax = new_axes(ax)
    ax.set_ylabel("share (%)")
    ax.set_xlabel("length of an idle time")
    ax.set_title(
        f"{stats.n_gaps} idle times, {stats.idle_ns / 1e9:.4g} s of "
        f"{stats.duration_ns / 1e9:.4g} s"
    )
    used = np.flatnonzero(stats.gaps.counts)
    if not len(used) or stats.gaps.sums_ns is None:
        note(ax, "no idle time")
        return ax
    # A bar for each power of two: its four buckets together.
    first, last = int(used[0]) // 4 * 4, int(used[-1]) // 4 * 4 + 4
    edges = np.append(HISTOGRAM_STARTS_NS.astype(np.float64), 2.0**64)
    edges = np.maximum(edges[first : last + 1], 0.5)
    counts = _shares(stats.gaps.counts)[first:last].reshape(-1, 4).sum(axis=1)
    times = _shares(stats.gaps.sums_ns)[first:last]
    above = np.append(np.cumsum(times[::-1])[::-1], 0.0)
    ax.bar(
        edges[:-1:4],
        counts,
        width=np.diff(edges[::4]),
        align="edge",
        color=ASLEEP[1],
        edgecolor="white",
        linewidth=0.5,
        label="idle times of this length",
    )
    ax.plot(edges, above, color=TRANSITION, label="idle time in longer ones")
    log_time_axis(ax, float(edges[0]), float(edges[-1]))
    ax.set_ylim(0, 105)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2, frameon=False)
    return ax


def plot_estimate(estimate: Estimate, kind: str, ax: Axes | None) -> Axes:
    """Draw it, as Estimate.plot() describes."""
    kinds = {
        "residency": _plot_residency,
        "timeline": _plot_timeline,
        "delays": _plot_delays,
    }
    return kinds[check_word(kind, "kind", kinds)](estimate, ax)


def _state_colors(estimate: Estimate) -> list[str]:
    """The color of each state by number."""
    known = estimate.model.power_states
    asleep = [n for n, state in enumerate(known) if not state.operational]
    colors = [OPERATIONAL] * max(len(known), 1)
    for place, number in enumerate(asleep):
        depth = place + max(0, len(ASLEEP) - len(asleep)) // 2
        colors[number] = ASLEEP[min(depth, len(ASLEEP) - 1)]
    return colors


def _plot_residency(estimate: Estimate, ax: Axes | None) -> Axes:
    run = estimate.nominal
    ax = new_axes(ax, 2.8)
    moving_ns = run.entry_ns + run.exit_ns
    asleep_nj = sum(state.energy_nj for state in run.states)
    parts = [("busy", BUSY, run.busy_ns, run.energy_nj - asleep_nj)]
    for name, color, state in zip(
        estimate.state_names(), _state_colors(estimate), run.states
    ):
        moving = state.entry_ns + state.exit_ns
        # entering and leaving have the same power in all states
        own_nj = state.energy_nj - (
            run.transition_nj * moving / moving_ns if moving_ns else 0
        )
        if state.time_ns or moving:
            parts.append((name, color, state.time_ns, int(own_nj)))
    if moving_ns:
        parts.append(("entry, exit", TRANSITION, moving_ns, run.transition_nj))
    left = [0.0, 0.0]
    for name, color, time_ns, energy_nj in parts:
        shares = [
            100 * part / whole if whole else 0.0
            for part, whole in ((energy_nj, run.energy_nj), (time_ns, run.duration_ns))
        ]
        ax.barh([0, 1], shares, left=left, color=color, label=name, height=0.6)
        for row, share in enumerate(shares):
            if share >= 6:
                ax.text(
                    left[row] + share / 2,
                    row,
                    f"{share:.0f} %",
                    ha="center",
                    va="center",
                    color="black" if color in ASLEEP[:2] else "white",
                )
            left[row] += share
    ax.set_yticks([0, 1], ["energy", "time"])
    ax.set_xlim(0, 100)
    ax.set_xlabel("share (%)")
    low, high = estimate.low.mean_power_uw / 1e3, estimate.high.mean_power_uw / 1e3
    ax.set_title(
        f"{run.mean_power_uw / 1e3:.4g} mW ({low:.4g}..{high:.4g}) "
        f"over {run.duration_s:.4g} s"
    )
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return ax


def _union(
    start: npt.NDArray[np.float64], end: npt.NDArray[np.float64], pixel: float
) -> list[tuple[float, float]]:
    """Stretches (begin, length), those closer than a pixel taken together."""
    if not len(start):
        return []
    breaks = np.flatnonzero(start[1:] - end[:-1] > pixel)
    begins = start[np.append(0, breaks + 1)]
    ends = end[np.append(breaks, len(end) - 1)]
    return list(zip(begins.tolist(), (ends - begins).tolist()))


def _plot_timeline(estimate: Estimate, ax: Axes | None) -> Axes:
    if estimate.changes is None and estimate.intervals is None:
        raise ValueError(
            "kind: a timeline needs ssdpm.estimate(..., changes=True), or interval_ns"
        )
    ax = new_axes(ax, 3.2)
    ax.set_xlabel("time since the first I/O (s)")
    if estimate.changes is None:
        return _plot_power(estimate, ax)
    changes = estimate.changes
    if not len(changes):
        note(ax, "nothing changes")
        return ax
    time = (changes["time_ns"] - changes["time_ns"][0]).astype(np.float64) / 1e9
    phase, state = changes["phase"][:-1], changes["state"][:-1]
    begin, end = time[:-1], time[1:]
    pixel = time[-1] / 4000
    colors = _state_colors(estimate)
    lanes: list[tuple[str, str, Any, Any]] = [
        ("busy", BUSY, phase == PHASES["busy"], None)
    ]
    for number, name in enumerate(estimate.state_names()):
        there = np.isin(phase, (PHASES["idle"], PHASES["resident"]))
        moving = np.isin(phase, (PHASES["entry"], PHASES["exit"]))
        here = state == number
        if (here & (there | moving)).any():
            lanes.append((name, colors[number], here & there, here & moving))
    for row, (_, color, there, moving) in enumerate(lanes):
        for mask, shade in ((there, color), (moving, TRANSITION)):
            if mask is None or not mask.any():
                continue
            ax.broken_barh(
                _union(begin[mask], end[mask], pixel),
                (row - 0.35, 0.7),
                facecolors=shade,
                edgecolors=shade,
                linewidth=0.4,
            )
    ax.set_yticks(range(len(lanes)), [lane[0] for lane in lanes])
    ax.set_ylim(len(lanes) - 0.5, -0.5)
    ax.set_xlim(0, time[-1] or 1)
    if any(lane[3] is not None and lane[3].any() for lane in lanes):
        ax.plot([], [], color=TRANSITION, linewidth=6, label="entering and leaving")
        ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def _plot_power(estimate: Estimate, ax: Axes) -> Axes:
    intervals = estimate.intervals
    assert intervals is not None
    if not len(intervals):
        note(ax, "no time")
        return ax
    length = np.zeros(len(intervals))
    for name in ("busy_ns", "idle_ns", "asleep_ns", "transition_ns"):
        length += intervals[name]
    known = length > 0
    power = np.zeros(len(intervals))
    # nJ by ns is W
    power[known] = intervals["energy_nj"][known] / length[known]
    edges = np.append(intervals["start_ns"], estimate.nominal.duration_ns) / 1e9
    ax.stairs(power, edges, color=ASLEEP[2], fill=True)
    ax.set_xlim(0, edges[-1] or 1)
    ax.set_ylabel("mean power (W)")
    ax.set_ylim(bottom=0)
    return ax


def _plot_delays(estimate: Estimate, ax: Axes | None) -> Axes:
    ax = new_axes(ax)
    run = estimate.nominal
    n = sum(run.n_ios)
    ax.set_xlabel("added latency")
    ax.set_ylabel("I/Os delayed so long or longer (%)")
    ax.set_title(f"{run.n_delayed} of {n} I/Os delayed")
    counts = estimate.delays.counts.astype(np.float64)
    counts[0] = 0  # those without a delay
    used = np.flatnonzero(counts)
    if not len(used):
        note(ax, "no I/O is delayed")
        return ax
    first, last = int(used[0]), int(used[-1])
    edges = HISTOGRAM_STARTS_NS[first : last + 1].astype(np.float64)
    edges = np.append(edges, max(float(run.delay_max_ns), edges[-1]))
    above = 100 * np.cumsum(counts[::-1])[::-1][first : last + 1] / n
    ax.stairs(above, edges, baseline=None, color=ASLEEP[3], linewidth=1.5)
    ax.set_yscale("log")
    ax.set_ylim(100 / n / 2, 200)
    ax.yaxis.set_major_formatter("{x:g}")
    low = edges[0]
    for share, value in ((50, run.delay_p50_ns), (1, run.delay_p99_ns)):
        if value:
            ax.axvline(value, color="#888888", linewidth=0.8, linestyle=":")
            ax.annotate(
                f"p{100 - share}",
                (value, 1),
                xycoords=("data", "axes fraction"),
                xytext=(3, -10),
                textcoords="offset points",
                color="#555555",
            )
            low = min(low, float(value))
    log_time_axis(ax, low, float(edges[-1]))
    ax.grid(True, which="major", axis="y", alpha=0.3)
    return ax


def plot_comparison(comparison: Comparison, ax: Axes | None) -> Axes:
    """Mean power, with its bounds, against mean added latency."""
    ax = new_axes(ax, 4.5)
    points = []
    shown = looks(policy.names[0] for policy in comparison.policies)
    for look, policy in zip(shown, comparison.policies):
        nominal = policy.estimate.nominal
        x, y = nominal.delay_mean_ns / 1e6, nominal.mean_power_uw / 1e3
        low = policy.estimate.low.mean_power_uw / 1e3
        high = policy.estimate.high.mean_power_uw / 1e3
        points.append((x, y))
        ax.errorbar(
            x,
            y,
            yerr=[[y - low], [high - y]],
            color=look.color,
            marker=look.marker,
            markersize=7,
            linestyle="none",
            elinewidth=1,
            capsize=3,
            alpha=0.9,
            label=textwrap.fill(", ".join(policy.names), 32, break_on_hyphens=False),
        )
    frontier: list[tuple[float, float]] = []
    for x, y in sorted(points):
        if not frontier or y < frontier[-1][1]:
            frontier.append((x, y))
    if len(frontier) > 1:
        ax.plot(
            *zip(*frontier),
            color="#888888",
            linewidth=1,
            linestyle="--",
            drawstyle="steps-post",
            zorder=0,
            label="frontier (nominal)",
        )
    ax.set_xlabel("mean added latency (ms)")
    ax.set_ylabel("mean power (mW), low to high")
    ax.set_ylim(bottom=0)
    ax.margins(x=0.08)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax
