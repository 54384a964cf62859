# SPDX-License-Identifier: MIT
"""Drawings of calibrations."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from ssdpm.base.convert import check_word
from ssdpm.measure.calibration import Calibration, Measured
from ssdpm.plot.style import (
    ASLEEP,
    POLICIES,
    TRANSITION,
    envelope,
    new_axes,
    note,
    power_axis,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
            color=POLICIES[1] if one.exceeds else POLICIES[0],
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
        ax.plot([], [], "o", color=POLICIES[1], label="longer than the drive says")
    labels = [f"{one.name}\n{one._value()}" for one in known]
    ax.set_yticks(range(len(known)), labels, fontsize="small")
    ax.set_ylim(len(known) - 0.5, -0.5)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax
