# SPDX-License-Identifier: MIT
"""Colours, axes and labels of all drawings."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ssdpm.base.result import need
from ssdpm.measure.survey.readings import Readings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BUSY = "#4d4d4d"
OPERATIONAL = "#e08214"

# Deeper states are darker.
ASLEEP = ("#9ecae1", "#6baed6", "#3182bd", "#08519c", "#08306b")
TRANSITION = "#d6604d"

# What the pages of --html have: the colour of a name is the same in both.
_LOOKS = json.loads((Path(__file__).parent / "looks.json").read_text(encoding="utf-8"))
COLORS: list[str] = _LOOKS["colors"]
MARKERS: list[str] = [mark["marker"] for mark in _LOOKS["marks"]]
_TIME_UNITS = ((1, "ns"), (10**3, "us"), (10**6, "ms"), (10**9, "s"))


class Look(NamedTuple):
    """How a name is drawn."""

    color: str
    marker: str


def _hash(text: str) -> int:
    """The number that pages make of a text (FNV-1a)."""
    value = 0x811C9DC5
    for byte in text.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def looks(names: Iterable[str]) -> list[Look]:
    """The look of each name, in their order, as look() of a page gives it."""
    n, most = len(COLORS), len(COLORS) * len(MARKERS)
    taken: dict[str, int] = dict(_LOOKS["names"])
    found = []
    for name in names:
        word = name.removeprefix("lpm=")
        if word not in taken:
            used = set(taken.values())
            at = _hash(word) % n
            while at in used and at < most - n:
                at += n
            while at in used and len(used) < most:
                at = (at + 1) % most
            taken[word] = at
        at = taken[word]
        found.append(Look(COLORS[at % n], MARKERS[at % len(MARKERS)]))
    return found


def new_axes(ax: Axes | None, height: float = 4.0) -> Axes:
    """The axes that were given, or those of a new figure."""
    pyplot = need("matplotlib.pyplot", "plot()", "plot")
    if ax is not None:
        return ax
    _, new = pyplot.subplots(figsize=(8, height), layout="constrained")
    result: Axes = new
    return result


def time_word(ns: float) -> str:
    """10 us, 1 ms."""
    if ns >= 1e9:
        return f"{ns / 1e9:g} s"
    scale, unit = next(u for u in reversed(_TIME_UNITS) if ns >= u[0] or u[0] == 1)
    return f"{ns / scale:g} {unit}"


def log_time_axis(ax: Axes, low: float, high: float) -> None:
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
    ax.xaxis.set_major_formatter(FuncFormatter(lambda ns, _: time_word(ns)))


def note(ax: Axes, text: str) -> None:
    """A text in the middle of the axes."""
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center")


def two_axes(
    axes: Sequence[Axes] | None, width: float, height: float
) -> tuple[Axes, Axes]:
    """Side by side."""
    pyplot = need("matplotlib.pyplot", "plot()", "plot")
    if axes is None:
        _, axes = pyplot.subplots(1, 2, figsize=(width, height), layout="constrained")
    left, right = axes
    return left, right


def watts_scale(values: Iterable[float]) -> tuple[float, str]:
    """The factor and the unit: milliwatts where all is below one watt."""
    largest = max((abs(value) for value in values), default=0.0)
    return (1.0, "W") if largest >= 1 else (1e3, "mW")


def envelope(
    time: npt.NDArray[np.float64], power: npt.NDArray[np.float64], pixels: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """If samples outnumber pixels: the least and the largest of each piece."""
    piece = -(-len(power) // pixels)
    if piece <= 2:
        return time, power
    begins = np.arange(0, len(power), piece)
    least = np.fmin.reduceat(power, begins)
    largest = np.fmax.reduceat(power, begins)
    return np.repeat(time[begins], 2), np.column_stack((least, largest)).ravel()


def rows_axis(ax: Axes, names: Sequence[str], width: int) -> None:
    """A name for each row, the first on top."""
    lines = [
        "\n".join(textwrap.fill(line, width) for line in name.split("\n"))
        for name in names
    ]
    ax.set_yticks(range(len(lines)), lines)
    ax.set_ylim(max(len(lines), 1) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.grid(True, axis="x", alpha=0.3)


def whole_numbers() -> Any:
    """A locator of ticks at whole numbers alone."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins=20, integer=True)


def run_name(runs: Sequence[Readings], at: float) -> str:
    """The number of the run at a tick; empty between runs."""
    if not 0 <= at < len(runs) or at != int(at):
        return ""
    number = runs[int(at)].run
    return str(number) if number is not None else str(int(at) + 1)


def power_axis(ax: Axes, power: npt.NDArray[np.float64]) -> float:
    """In watts, or milliwatts where all is below one; return what to multiply by."""
    largest = float(np.max(np.abs(power), initial=0.0, where=np.isfinite(power)))
    ax.set_ylabel("power (W)" if largest >= 1 else "power (mW)")
    return 1.0 if largest >= 1 else 1e3


def from_zero(ax: Axes, values: npt.NDArray[np.generic]) -> None:
    """From 0 to above the most, so that a level line is not the edge."""
    ax.set_ylim(0, 1.05 * float(values.max(initial=0)) or 1)
