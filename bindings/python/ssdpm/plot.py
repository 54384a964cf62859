# SPDX-License-Identifier: MIT
"""Drawing, with matplotlib where it is installed; the methods plot() come here."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ssdpm.base import check_word
from ssdpm.workload import HISTOGRAM_STARTS_NS, TraceStats, need

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ssdpm.budget import Budget
    from ssdpm.calibration import Calibration, Measured
    from ssdpm.cap import Curve as CapCurve
    from ssdpm.cap import Timeline as CapTimeline
    from ssdpm.consistency import Comparison as Consistencies
    from ssdpm.estimate import Comparison, Estimate
    from ssdpm.ftl import Run as FtlRun
    from ssdpm.measure import (
        Activities,
        DatasheetComparison,
        Matrix,
        ProportionalityCurve,
        SizeProfile,
    )
    from ssdpm.survey import Analysis, Difference, Readings, Survey
    from ssdpm.wa import Curve

_BUSY = "#4d4d4d"
_OPERATIONAL = "#e08214"
# Deeper states are darker.
_ASLEEP = ("#9ecae1", "#6baed6", "#3182bd", "#08519c", "#08306b")
_TRANSITION = "#d6604d"
# Told apart by people who see few colours, too (Okabe and Ito).
_POLICIES = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#000000",
)
_MARKERS = "osD^vP*"

_TIME_UNITS = ((1, "ns"), (10**3, "us"), (10**6, "ms"), (10**9, "s"))


def _axes(ax: Axes | None, height: float = 4.0) -> Axes:
    pyplot = need("matplotlib.pyplot", "plot()", "plot")
    if ax is not None:
        return ax
    _, new = pyplot.subplots(figsize=(8, height), layout="constrained")
    result: Axes = new
    return result


def _time_word(ns: float) -> str:
    """10 us, 1 ms."""
    if ns >= 1e9:
        return f"{ns / 1e9:g} s"
    scale, unit = next(u for u in reversed(_TIME_UNITS) if ns >= u[0] or u[0] == 1)
    return f"{ns / scale:g} {unit}"


def _log_time_axis(ax: Axes, low: float, high: float) -> None:
    """Powers of ten with their units."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    ax.set_xscale("log")
    first, last = np.floor(np.log10(low)), np.ceil(np.log10(high))
    ax.set_xlim(10.0**first, 10.0 ** max(last, first + 1))
    step = 1 if last - first <= 10 else 2
    digits = (1, 2, 5) if last - first <= 3 else (1,)
    powers = np.arange(first, max(last, first + 1) + 1, step)
    ticks = [d * 10.0**e for e in powers for d in digits if d == 1 or e < last]
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda ns, _: _time_word(ns)))


def _note(ax: Axes, text: str) -> None:
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center")


def _shares(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """In percent."""
    numbers = values.astype(np.float64)
    total = numbers.sum()
    return 100 * numbers / total if total else numbers


def plot_stats(stats: TraceStats, ax: Axes | None) -> Axes:
    """Idle times: the share of their number by length, and of their time above it."""
    ax = _axes(ax)
    ax.set_ylabel("share (%)")
    ax.set_xlabel("length of an idle time")
    ax.set_title(
        f"{stats.n_gaps} idle times, {stats.idle_ns / 1e9:.4g} s of "
        f"{stats.duration_ns / 1e9:.4g} s"
    )
    used = np.flatnonzero(stats.gaps.counts)
    if not len(used) or stats.gaps.sums_ns is None:
        _note(ax, "no idle time")
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
        color=_ASLEEP[1],
        edgecolor="white",
        linewidth=0.5,
        label="idle times of this length",
    )
    ax.plot(edges, above, color=_TRANSITION, label="idle time in longer ones")
    _log_time_axis(ax, float(edges[0]), float(edges[-1]))
    ax.set_ylim(0, 105)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2, frameon=False)
    return ax


def plot_estimate(estimate: Estimate, kind: str, ax: Axes | None) -> Axes:
    """What Estimate.plot() says."""
    kinds = {
        "residency": _plot_residency,
        "timeline": _plot_timeline,
        "delays": _plot_delays,
    }
    return kinds[check_word(kind, "kind", kinds)](estimate, ax)


def _state_colors(estimate: Estimate) -> list[str]:
    """Of each state by number."""
    known = estimate.model.power_states
    asleep = [n for n, state in enumerate(known) if not state.operational]
    colors = [_OPERATIONAL] * max(len(known), 1)
    for place, number in enumerate(asleep):
        depth = place + max(0, len(_ASLEEP) - len(asleep)) // 2
        colors[number] = _ASLEEP[min(depth, len(_ASLEEP) - 1)]
    return colors


def _plot_residency(estimate: Estimate, ax: Axes | None) -> Axes:
    run = estimate.nominal
    ax = _axes(ax, 2.8)
    moving_ns = run.entry_ns + run.exit_ns
    asleep_nj = sum(state.energy_nj for state in run.states)
    parts = [("busy", _BUSY, run.busy_ns, run.energy_nj - asleep_nj)]
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
        parts.append(("entry, exit", _TRANSITION, moving_ns, run.transition_nj))
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
                    color="black" if color in _ASLEEP[:2] else "white",
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
    ax = _axes(ax, 3.2)
    ax.set_xlabel("time since the first I/O (s)")
    if estimate.changes is None:
        return _plot_power(estimate, ax)
    changes = estimate.changes
    if not len(changes):
        _note(ax, "nothing changes")
        return ax
    from ssdpm.estimate import PHASES

    time = (changes["time_ns"] - changes["time_ns"][0]).astype(np.float64) / 1e9
    phase, state = changes["phase"][:-1], changes["state"][:-1]
    begin, end = time[:-1], time[1:]
    pixel = time[-1] / 4000
    colors = _state_colors(estimate)
    lanes: list[tuple[str, str, Any, Any]] = [
        ("busy", _BUSY, phase == PHASES["busy"], None)
    ]
    for number, name in enumerate(estimate.state_names()):
        there = np.isin(phase, (PHASES["idle"], PHASES["resident"]))
        moving = np.isin(phase, (PHASES["entry"], PHASES["exit"]))
        here = state == number
        if (here & (there | moving)).any():
            lanes.append((name, colors[number], here & there, here & moving))
    for row, (_, color, there, moving) in enumerate(lanes):
        for mask, shade in ((there, color), (moving, _TRANSITION)):
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
        ax.plot([], [], color=_TRANSITION, linewidth=6, label="entering and leaving")
        ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def _plot_power(estimate: Estimate, ax: Axes) -> Axes:
    intervals = estimate.intervals
    assert intervals is not None
    if not len(intervals):
        _note(ax, "no time")
        return ax
    length = np.zeros(len(intervals))
    for name in ("busy_ns", "idle_ns", "asleep_ns", "transition_ns"):
        length += intervals[name]
    known = length > 0
    power = np.zeros(len(intervals))
    # nJ by ns is W
    power[known] = intervals["energy_nj"][known] / length[known]
    edges = np.append(intervals["start_ns"], estimate.nominal.duration_ns) / 1e9
    ax.stairs(power, edges, color=_ASLEEP[2], fill=True)
    ax.set_xlim(0, edges[-1] or 1)
    ax.set_ylabel("mean power (W)")
    ax.set_ylim(bottom=0)
    return ax


def plot_calibration(calibration: Calibration, kind: str, ax: Axes | None) -> Axes:
    """What Calibration.plot() says."""
    kinds = {"fit": _plot_fit, "parameters": _plot_measured}
    return kinds[check_word(kind, "kind", kinds)](calibration, ax)


def _title(calibration: Calibration) -> str:
    return textwrap.fill(calibration._summary(), 90)


def _plot_fit(calibration: Calibration, ax: Axes | None) -> Axes:
    fitted_ns, fitted_w = calibration.fitted()
    assert calibration._run is not None
    signal = calibration._run.signal
    ax = _axes(ax, 3.6)
    ax.set_xlabel("time (s)")
    times = signal.times_ns()
    origin = int(times.min())
    if not -(10**12) < origin < 10**12:
        ax.set_xlabel(f"time since {origin} ns (s)")
    else:
        origin = 0
    power = signal.power_w.astype(np.float64)
    scale = _power_axis(ax, power)
    for time_ns, watts, color, width, label in (
        (times, power, _ASLEEP[0], 2.2, "samples"),
        (fitted_ns, fitted_w, _TRANSITION, 0.7, "fitted"),
    ):
        time = (time_ns - origin).astype(np.float64) / 1e9
        drawn_time, drawn = _envelope(time, watts, 2000)
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
    ax = _axes(ax, 1.4 + 0.34 * max(len(known), 2))
    ax.set_xlabel("times the measured value")
    ax.set_title(_title(calibration), fontsize="medium")
    if not known:
        _note(ax, "nothing is known")
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
            color=_POLICIES[1] if one.exceeds else _POLICIES[0],
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
        ax.plot([], [], "o", color=_POLICIES[1], label="longer than the drive says")
    labels = [f"{one.name}\n{one._value()}" for one in known]
    ax.set_yticks(range(len(known)), labels, fontsize="small")
    ax.set_ylim(len(known) - 0.5, -0.5)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def _plot_delays(estimate: Estimate, ax: Axes | None) -> Axes:
    ax = _axes(ax)
    run = estimate.nominal
    n = sum(run.n_ios)
    ax.set_xlabel("added latency")
    ax.set_ylabel("I/Os delayed so long or longer (%)")
    ax.set_title(f"{run.n_delayed} of {n} I/Os delayed")
    counts = estimate.delays.counts.astype(np.float64)
    counts[0] = 0  # those without a delay
    used = np.flatnonzero(counts)
    if not len(used):
        _note(ax, "no I/O is delayed")
        return ax
    first, last = int(used[0]), int(used[-1])
    edges = HISTOGRAM_STARTS_NS[first : last + 1].astype(np.float64)
    edges = np.append(edges, max(float(run.delay_max_ns), edges[-1]))
    above = 100 * np.cumsum(counts[::-1])[::-1][first : last + 1] / n
    ax.stairs(above, edges, baseline=None, color=_ASLEEP[3], linewidth=1.5)
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
    _log_time_axis(ax, low, float(edges[-1]))
    ax.grid(True, which="major", axis="y", alpha=0.3)
    return ax


_RATES = ((10**9, "GB/s"), (10**6, "MB/s"), (10**3, "kB/s"), (1, "B/s"))


def plot_budget(budget: Budget, ax: Axes | None) -> Axes:
    """The frontier of watts against loss, the budget, and the answer."""
    ax = _axes(ax, 4.5)
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
        color=_POLICIES[0],
        marker="o" if few else None,
        markersize=4,
        linewidth=1.2,
        label="least loss (corners are reached)" if few else "least loss",
    )
    limit = budget.budget_uw / 1e6
    ax.axvline(
        limit, color=_BUSY, linewidth=1, linestyle="--", label=f"budget, {limit:g} W"
    )
    word = "chosen" if budget.fits else "lowest states: more than the budget"
    ax.plot(
        (budget.base_uw + budget.power_uw) / 1e6,
        budget.loss / scale,
        color=_POLICIES[1],
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


def plot_comparison(comparison: Comparison, ax: Axes | None) -> Axes:
    """Mean power, with its bounds, against mean added latency."""
    ax = _axes(ax, 4.5)
    points = []
    for number, policy in enumerate(comparison.policies):
        nominal = policy.estimate.nominal
        x, y = nominal.delay_mean_ns / 1e6, nominal.mean_power_uw / 1e3
        low = policy.estimate.low.mean_power_uw / 1e3
        high = policy.estimate.high.mean_power_uw / 1e3
        points.append((x, y))
        ax.errorbar(
            x,
            y,
            yerr=[[y - low], [high - y]],
            color=_POLICIES[number % len(_POLICIES)],
            # not again the same pair of colour and marker
            marker=_MARKERS[(number + number // len(_POLICIES)) % len(_MARKERS)],
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


def _envelope(
    time: npt.NDArray[np.float64], power: npt.NDArray[np.float64], pixels: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Of more samples than pixels: the least and the largest of each piece."""
    piece = -(-len(power) // pixels)
    if piece <= 2:
        return time, power
    begins = np.arange(0, len(power), piece)
    least = np.fmin.reduceat(power, begins)
    largest = np.fmax.reduceat(power, begins)
    return np.repeat(time[begins], 2), np.column_stack((least, largest)).ravel()


def _power_axis(ax: Axes, power: npt.NDArray[np.float64]) -> float:
    """In watts, or milliwatts where all is below one; return what to multiply by."""
    largest = float(np.max(np.abs(power), initial=0.0, where=np.isfinite(power)))
    ax.set_ylabel("power (W)" if largest >= 1 else "power (mW)")
    return 1.0 if largest >= 1 else 1e3


def plot_activities(activities: Activities, ax: Axes | None) -> Axes:
    """Samples, the baseline with its noise, and the runs."""
    ax = _axes(ax, 3.6)
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
    scale = _power_axis(ax, power)
    drawn_time, drawn_power = _envelope(time, power, 2000)
    ax.plot(
        drawn_time,
        drawn_power * scale,
        color=_ASLEEP[1],
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
            color=_OPERATIONAL,
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
            color=_OPERATIONAL,
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
        color=_BUSY,
        linewidth=1.2,
        label=f"baseline {level:.4g} {unit} +- 3 sigma",
        zorder=2,
    )
    ax.axhspan(
        level - 3 * sigma, level + 3 * sigma, color=_BUSY, alpha=0.15, linewidth=0
    )
    if len(time):
        ax.set_xlim(float(time.min()), max(float(time.max()), float(time.min()) + 1e-9))
    finite = power[np.isfinite(power)]
    if not len(finite):
        _note(ax, "no finite sample")
    elif finite.min() >= 0:
        ax.set_ylim(bottom=0)
    extra = sum(run.extra_j for run in activities)
    ax.set_title(f"{len(activities)} runs, {extra:.4g} J above the baseline", pad=10)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def _two_axes(
    axes: Sequence[Axes] | None, width: float, height: float
) -> tuple[Axes, Axes]:
    """Side by side."""
    pyplot = need("matplotlib.pyplot", "plot()", "plot")
    if axes is None:
        _, axes = pyplot.subplots(1, 2, figsize=(width, height), layout="constrained")
    left, right = axes
    return left, right


def _watts(values: Iterable[float]) -> tuple[float, str]:
    """What to multiply by, and the unit: milliwatts where all is below one watt."""
    largest = max((abs(value) for value in values), default=0.0)
    return (1.0, "W") if largest >= 1 else (1e3, "mW")


def _rows_axis(ax: Axes, names: Sequence[str], width: int) -> None:
    """A name for each row, the first on top."""
    lines = [
        "\n".join(textwrap.fill(line, width) for line in name.split("\n"))
        for name in names
    ]
    ax.set_yticks(range(len(lines)), lines)
    ax.set_ylim(max(len(lines), 1) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.grid(True, axis="x", alpha=0.3)


def _plot_means(analysis: Analysis, ax: Axes) -> None:
    means = analysis.means
    scale, unit = _watts([mean.high_w for mean in means])
    for row, mean in enumerate(means):
        color = _POLICIES[row % len(_POLICIES)]
        values = [r.mean_w * scale for r in analysis.runs if r.policy == mean.policy]
        ax.plot(
            values,
            [row + 0.18] * len(values),
            color=color,
            marker="|",
            markersize=9,
            linestyle="none",
            alpha=0.7,
        )
        ax.errorbar(
            mean.mean_w * scale,
            row - 0.08,
            xerr=[
                [(mean.mean_w - mean.low_w) * scale],
                [(mean.high_w - mean.mean_w) * scale],
            ],
            color=color,
            marker=_MARKERS[row % len(_MARKERS)],
            markersize=7,
            capsize=4,
        )
    _rows_axis(ax, [mean.policy for mean in means], 24)
    ax.set_xlabel(f"mean power ({unit}), 95 %; ticks: runs")
    ax.set_title(f"{analysis.scenario}: {analysis.n_runs} runs")


def _plot_difference(one: Difference, row: int, scale: float, ax: Axes) -> None:
    color = _TRANSITION if one.different else "#888888"
    ax.errorbar(
        one.difference_w * scale,
        row,
        xerr=[
            [(one.difference_w - one.low_w) * scale],
            [(one.high_w - one.difference_w) * scale],
        ],
        color=color,
        marker="o",
        markersize=7,
        markerfacecolor=color if one.different else "white",
        capsize=4,
    )


def plot_analysis(
    analysis: Analysis, axes: Sequence[Axes] | None
) -> tuple[Axes, Axes]:
    """What Analysis.plot() says."""
    pairs = analysis.differences
    height = 1.4 + 0.5 * max(len(pairs), len(analysis.means))
    left, right = _two_axes(axes, 11, min(height, 30))
    _plot_means(analysis, left)
    scale, unit = _watts(end for one in pairs for end in (one.low_w, one.high_w))
    for row, one in enumerate(pairs):
        _plot_difference(one, row, scale, right)
    right.axvline(0, color=_BUSY, linewidth=1, zorder=0)
    _rows_axis(right, [f"{one.policy} -\n{one.other_policy}" for one in pairs], 60)
    right.set_xlabel(f"difference ({unit}), {100 - 100 * analysis.error_rate:g} % for all")
    right.set_title(f"{analysis.n_different} of {len(pairs)} pairs differ")
    return left, right


def _plot_run(run: Readings, at: int, color: str, scale: float, ax: Axes) -> None:
    """Readings from at - 0.45 to at + 0.45."""
    counts = run.status == "complete"
    place = at + np.linspace(-0.45, 0.45, max(len(run), 2))[: len(run)]
    place, power = _envelope(place, run.power_w * scale, 600)
    ax.plot(place, power, color=color, linewidth=0.7, alpha=0.85 if counts else 0.25)
    mean = run.mean().mean_w * scale
    if counts and np.isfinite(mean):
        ax.plot([at - 0.45, at + 0.45], [mean, mean], color="black", linewidth=1.6)


def plot_survey(survey: Survey, scenario: str, ax: Axes | None) -> Axes:
    """What Survey.plot() says."""
    runs = [run for run in survey.readings if run.scenario == scenario]
    ax = _axes(ax, 4.2)
    powers = [run.power_w[np.isfinite(run.power_w)] for run in runs]
    scale, unit = _watts(float(np.abs(p).max()) for p in powers if len(p))
    for policy, name in enumerate(survey.policies):
        color = _POLICIES[policy % len(_POLICIES)]
        mine = [at for at, run in enumerate(runs) if run.policy == name]
        for at in mine:
            _plot_run(runs[at], at, color, scale, ax)
        if mine:
            ax.plot([], [], color=color, linewidth=4, label=name)
    ax.plot([], [], color="black", linewidth=1.6, label="mean of a run")
    if any(run.status != "complete" for run in runs):
        ax.plot([], [], color="#888888", linewidth=4, alpha=0.3, label="not counted")
    for at in range(1, len(runs)):
        if runs[at].block != runs[at - 1].block:
            ax.axvline(at - 0.5, color="#bbbbbb", linewidth=0.8, linestyle=":")
    if not runs:
        _note(ax, "no runs")
    ax.xaxis.set_major_locator(_whole_numbers())
    ax.xaxis.set_major_formatter(lambda x, _: _run_name(runs, x))
    ax.set_xlim(-0.6, max(len(runs), 1) - 0.4)
    ax.set_xlabel("run, in the order of the file; dotted: blocks")
    ax.set_ylabel(f"power ({unit})")
    ax.set_title(f"{scenario}: {len(runs)} runs")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def _whole_numbers() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins=20, integer=True)


def _run_name(runs: Sequence[Readings], at: float) -> str:
    if not 0 <= at < len(runs) or at != int(at):
        return ""
    number = runs[int(at)].run
    return str(number) if number is not None else str(int(at) + 1)


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
    """What Matrix.plot() says."""
    n_rows, n_columns = len(matrix.micro_benchmarks), len(matrix.drives)
    ax = _axes(ax, min(1.6 + 0.42 * n_rows, 30))
    seen: set[str] = set()
    for row in range(n_rows):
        for column in range(n_columns):
            seen |= _plot_cell(matrix, row, column, ax)
    _rows_axis(ax, matrix.micro_benchmarks, 24)
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
        _note(ax, "no experiments")
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
        color = _POLICIES[number % len(_POLICIES)]
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
            marker=_MARKERS[number % len(_MARKERS)],
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


def plot_sizes(
    profile: SizeProfile, axes: Sequence[Axes] | None
) -> tuple[Axes, Axes]:
    """What SizeProfile.plot() says."""
    left, right = _two_axes(axes, 10, 3.8)
    left.set_title("time of a run")
    right.set_title("energy of a run")
    if not profile.runs:
        _note(left, "no runs")
        _note(right, "no runs")
        return left, right
    for ax, name, unit in ((left, "time_s", "s"), (right, "energy_j", "J")):
        _plot_by_size(profile, name, unit, ax)
        _size_axis(ax, [run.bytes for run in profile.runs])
    right.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return left, right


def plot_datasheet(comparison: DatasheetComparison, ax: Axes | None) -> Axes:
    """What DatasheetComparison.plot() says."""
    runs = comparison.runs
    ax = _axes(ax, 4.0)
    joules = [max(run.datasheet_j, run.energy_j) for run in runs]
    scale, unit = _seconds_or_joules(joules, "J")
    for place, color, label, values in (
        (-0.2, _TRANSITION, "data sheet x time", [run.datasheet_j for run in runs]),
        (0.2, _ASLEEP[2], "measured", [run.energy_j for run in runs]),
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
        _note(ax, "no runs")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def plot_proportionality(curve: ProportionalityCurve, ax: Axes | None) -> Axes:
    """What ProportionalityCurve.plot() says."""
    ax = _axes(ax, 4.0)
    load, power = np.array(curve.load), np.array(curve.power_w)
    scale = _power_axis(ax, power)
    top_load, top = load[-1], power[-1] * scale
    proportion = top * load / top_load
    ax.fill_between(load, proportion, power * scale, color=_ASLEEP[0], alpha=0.35)
    ax.plot(load, power * scale, color=_ASLEEP[3], marker="o", label="measured")
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


def plot_cap_curve(curve: CapCurve, ax: Axes | None) -> Axes:
    """What Curve.plot() says."""
    ax = _axes(ax)
    ax.set_xlabel("power cap (W)")
    ax.set_ylabel("throughput (GB/s)")
    ax.set_title("Throughput under a power cap")
    points = sorted(
        (one for one in curve if one.cap_w is not None), key=lambda one: one.cap_w or 0
    )
    if not points:
        _note(ax, "no cap")
        return ax
    watts = np.array([one.cap_w for one in points])
    low, nominal, high = np.array([tuple(one.bytes_per_s) for one in points]).T / 1e9
    color = _POLICIES[0]
    if (low != high).any():
        ax.fill_between(watts, low, high, color=color, alpha=0.2, label="bounds")
    ax.plot(watts, nominal, color=color, marker="o", markersize=3, label="nominal")
    full = points[-1].uncapped_bytes_per_s.nominal / 1e9
    if np.isfinite(full):
        ax.axhline(full, color=_BUSY, linestyle="--", label="without a cap")
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
    ax = _axes(ax)
    points = timeline.points
    color, other = _POLICIES[:2]
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
        color=_BUSY,
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
    for at, (run, part) in enumerate(zip(runs, parts)):
        ax.plot(
            begin_s + np.arange(len(part)),
            np.where(part < low, low, part),
            color=_POLICIES[at % len(_POLICIES)],
            marker=".",
            markersize=3.5,
            markeredgewidth=0,
            linestyle="none",
            # Those at an edge are whole, and before it.
            clip_on=not len(part),
            zorder=3,
            label=run.name or f"run {at + 1}",
        )
    if not any(len(part) for part in known):
        _note(ax, f"no second from {begin_s} s on")
    ax.set_xlim(begin_s, max([len(run.iops) for run in runs] + [begin_s + 1]))
    ax.yaxis.set_major_formatter(lambda iops, _: f"{iops:,.0f}")
    ax.set_xlabel("time (s)")
    ax.set_ylabel("operations per second")
    ax.grid(True, alpha=0.3)


def _draw_power(runs: Consistencies, ax: Axes) -> None:
    """A line for each run of which it is known."""
    for at, run in enumerate(runs):
        if run.power_w is not None:
            time_s = np.arange(len(run.power_w))
            color = _POLICIES[at % len(_POLICIES)]
            ax.plot(time_s, run.power_w, color=color, linewidth=1)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("time (s)")
    ax.set_ylabel("power (W)")
    ax.grid(True, alpha=0.3)


def plot_consistency(
    runs: Consistencies, late_s: int, axes: Sequence[Axes] | None
) -> tuple[Axes, Axes, Axes]:
    """What Comparison.plot() says."""
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

    ax = _axes(ax)
    for number, (formula, values) in enumerate(curve.wa.items()):
        name = formula
        if formula == "greedy":
            name += f", {curve.pages_per_block} pages per block"
        color = _POLICIES[number % len(_POLICIES)]
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


def _from_zero(ax: Axes, values: npt.NDArray[np.generic]) -> None:
    """From 0 to above the most, so that a level line is not the edge."""
    ax.set_ylim(0, 1.05 * float(values.max(initial=0)) or 1)


def plot_ftl(run: FtlRun, ax: Axes | None) -> Axes:
    """IOPS of each second, and power on an axis of its own."""
    iops, power_w = run.iops, run.power_w
    ax = _axes(ax)
    time_s = np.arange(len(iops))
    wa = run.write_amplification
    ax.set_title(
        f"{run.collector}, {100 * run.spare:.3g} % spare, write amplification "
        f"{'unknown' if wa is None else format(wa, '.3g')}"
    )
    ax.set_xlabel("time (s)")
    ax.set_ylabel("IOPS", color=_POLICIES[0])
    ax.plot(time_s, iops, ".", markersize=3, color=_POLICIES[0])
    _from_zero(ax, iops)
    if np.isnan(power_w).all():
        return ax
    ax.tick_params(axis="y", colors=_POLICIES[0])
    right = ax.twinx()
    right.plot(time_s, power_w, color=_POLICIES[1], linewidth=1)
    _from_zero(right, power_w)
    right.set_ylabel("power (W)", color=_POLICIES[1])
    right.tick_params(axis="y", colors=_POLICIES[1])
    return ax
