# SPDX-License-Identifier: MIT
"""Drawings of surveys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ssdpm.measure.survey.analysis import Analysis, Difference
from ssdpm.measure.survey.readings import Readings, Survey
from ssdpm.plot.style import (
    BUSY,
    TRANSITION,
    envelope,
    looks,
    new_axes,
    note,
    rows_axis,
    run_name,
    two_axes,
    watts_scale,
    whole_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _plot_means(analysis: Analysis, ax: Axes) -> None:
    means = analysis.means
    scale, unit = watts_scale([mean.high_w for mean in means])
    shown = looks(mean.policy for mean in means)
    for row, (mean, look) in enumerate(zip(means, shown)):
        values = [r.mean_w * scale for r in analysis.runs if r.policy == mean.policy]
        ax.plot(
            values,
            [row + 0.18] * len(values),
            color=look.color,
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
            color=look.color,
            marker=look.marker,
            markersize=7,
            capsize=4,
        )
    rows_axis(ax, [mean.policy for mean in means], 24)
    ax.set_xlabel(f"mean power ({unit}), 95 %; ticks: runs")
    ax.set_title(f"{analysis.scenario}: {analysis.n_runs} runs")


def _plot_difference(one: Difference, row: int, scale: float, ax: Axes) -> None:
    color = TRANSITION if one.different else "#888888"
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


def plot_analysis(analysis: Analysis, axes: Sequence[Axes] | None) -> tuple[Axes, Axes]:
    """Draw it, as Analysis.plot() describes."""
    pairs = analysis.differences
    height = 1.4 + 0.5 * max(len(pairs), len(analysis.means))
    left, right = two_axes(axes, 11, min(height, 30))
    _plot_means(analysis, left)
    scale, unit = watts_scale(end for one in pairs for end in (one.low_w, one.high_w))
    for row, one in enumerate(pairs):
        _plot_difference(one, row, scale, right)
    right.axvline(0, color=BUSY, linewidth=1, zorder=0)
    rows_axis(right, [f"{one.policy} -\n{one.other_policy}" for one in pairs], 60)
    right.set_xlabel(
        f"difference ({unit}), {100 - 100 * analysis.error_rate:g} % for all"
    )
    right.set_title(f"{analysis.n_different} of {len(pairs)} pairs differ")
    return left, right


def _plot_run(run: Readings, at: int, color: str, scale: float, ax: Axes) -> None:
    """Readings from at - 0.45 to at + 0.45."""
    counts = run.status == "complete"
    place = at + np.linspace(-0.45, 0.45, max(len(run), 2))[: len(run)]
    place, power = envelope(place, run.power_w * scale, 600)
    ax.plot(place, power, color=color, linewidth=0.7, alpha=0.85 if counts else 0.25)
    mean = run.mean_w * scale
    if counts and np.isfinite(mean):
        ax.plot([at - 0.45, at + 0.45], [mean, mean], color="black", linewidth=1.6)


def plot_survey(survey: Survey, scenario: str, ax: Axes | None) -> Axes:
    """Draw it, as Survey.plot() describes."""
    runs = [run for run in survey.readings if run.scenario == scenario]
    ax = new_axes(ax, 4.2)
    powers = [run.power_w[np.isfinite(run.power_w)] for run in runs]
    scale, unit = watts_scale(float(np.abs(p).max()) for p in powers if len(p))
    for name, look in zip(survey.policies, looks(survey.policies)):
        mine = [at for at, run in enumerate(runs) if run.policy == name]
        for at in mine:
            _plot_run(runs[at], at, look.color, scale, ax)
        if mine:
            ax.plot([], [], color=look.color, linewidth=4, label=name)
    ax.plot([], [], color="black", linewidth=1.6, label="mean of a run")
    if any(run.status != "complete" for run in runs):
        ax.plot([], [], color="#888888", linewidth=4, alpha=0.3, label="not counted")
    for at in range(1, len(runs)):
        if runs[at].block != runs[at - 1].block:
            ax.axvline(at - 0.5, color="#bbbbbb", linewidth=0.8, linestyle=":")
    if not runs:
        note(ax, "no runs")
    ax.xaxis.set_major_locator(whole_numbers())
    ax.xaxis.set_major_formatter(lambda x, _: run_name(runs, x))
    ax.set_xlim(-0.6, max(len(runs), 1) - 0.4)
    ax.set_xlabel("run, in the order of the file; dotted: blocks")
    ax.set_ylabel(f"power ({unit})")
    ax.set_title(f"{scenario}: {len(runs)} runs")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax
