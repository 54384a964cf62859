# SPDX-License-Identifier: MIT
"""A drive over levels of work, sizes of I/Os, and against its data sheet."""

from __future__ import annotations

import errno
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ssdpm import _core
from ssdpm.base.arrays import float_list
from ssdpm.base.convert import (
    check_float,
    check_instance,
    check_number,
    check_text,
    check_unsigned,
    rows_of,
)
from ssdpm.base.errors import RangeError
from ssdpm.base.result import Value, drawn, html_list, in_j, in_w
from ssdpm.measure.energy import Energy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def proportionality(load: object, power_w: object) -> float:
    """How far power follows work: 1 in proportion, 0 not at all.

    Args:
        load: of each level of work, in any unit, from 0 (idle) on, ascending.
        power_w: watts at these.

    Raises:
        InvalidError: not ascending from 0, not finite, no power at the top.
        ValueError: not as many of both.
    """
    loads, powers = float_list(load, "load"), float_list(power_w, "power_w")
    if len(loads) != len(powers):
        raise ValueError(
            f"power_w: there are {len(powers)} for {len(loads)} levels of load"
        )
    return _core.energy.measure_proportionality(loads, powers)


@dataclass(frozen=True, eq=False)
class ProportionalityCurve(Value):
    """Power at levels of work.

    Attributes:
        index: as of proportionality().
        load: levels of work, from 0 on, ascending.
        power_w: watts at these.
    """

    index: float
    load: tuple[float, ...]
    power_w: tuple[float, ...]

    def __str__(self) -> str:
        return (
            f"index {self.index:.3f}: {in_w(self.power_w[0])} idle, "
            f"{in_w(self.power_w[-1])} at most, {len(self.load)} levels of work"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Power over work, with the lines of proportion and of no change.

        Raises:
            ImportError: there is no matplotlib.
        """
        return drawn("plot_proportionality", self, ax)


def proportionality_curve(load: object, power_w: object) -> ProportionalityCurve:
    """proportionality() with what it is from, to be drawn; the arguments are its."""
    loads, powers = float_list(load, "load"), float_list(power_w, "power_w")
    return ProportionalityCurve(
        proportionality(loads, powers), tuple(loads), tuple(powers)
    )


@dataclass(frozen=True, eq=False)
class SizeRun(Value):
    """One run with I/Os of one size.

    Attributes:
        bytes: size of an I/O.
        time_s: how long the run took.
        energy_j: what it took.
        pattern: of the I/Os: "SW", "RW".
    """

    bytes: int
    time_s: float
    energy_j: float
    pattern: str = ""


@dataclass(frozen=True, eq=False)
class SizeLevel(Value):
    """All runs of one pattern with I/Os of one size.

    Attributes:
        pattern: of the I/Os.
        bytes: size of an I/O.
        n_runs: how many runs.
        time_s, energy_j: their medians.
    """

    pattern: str
    bytes: int
    n_runs: int
    time_s: float
    energy_j: float

    @property
    def mean_power_w(self) -> float:
        """energy_j by time_s; NaN where that is 0."""
        return self.energy_j / self.time_s if self.time_s else math.nan


@dataclass(frozen=True, eq=False, repr=False)
class SizeProfile(Value):
    """Time and energy against the size of I/Os.

    Attributes:
        levels: of each pattern, the sizes in their order.
        runs: what they are from.
    """

    levels: tuple[SizeLevel, ...]
    runs: tuple[SizeRun, ...]

    @property
    def patterns(self) -> tuple[str, ...]:
        """In the order of the runs."""
        return tuple(dict.fromkeys(one.pattern for one in self.levels))

    def _head(self) -> str:
        sizes = sorted({one.bytes for one in self.levels})
        return f"{len(self.runs)} runs, {len(sizes)} sizes of I/Os"

    def __repr__(self) -> str:
        return f"<ssdpm.measure.SizeProfile: {self._head()}>"

    def _repr_html_(self) -> str:
        return html_list(self._head(), self.levels, SizeLevel)

    def plot(self, axes: Sequence[Axes] | None = None) -> tuple[Axes, Axes]:
        """Time on the left, energy on the right: their medians, and all runs.

        Args:
            axes: two of them; None: a new figure.

        Raises:
            ImportError: there is no matplotlib.
        """
        return drawn("plot_sizes", self, axes)


def size_profile(runs: Iterable[SizeRun] | Any) -> SizeProfile:
    """Time and energy of runs against the size of their I/Os.

    Args:
        runs: in any order, more of one size welcome; or a DataFrame with columns bytes,
            time_s, energy_j and, where there is more than one, pattern.

    Raises:
        RangeError: a size below 1, a time or an energy that is not finite or below 0.
    """
    some: list[SizeRun] = rows_of(runs, SizeRun, "runs", {"pattern": ""})
    groups: dict[tuple[str, int], list[SizeRun]] = {}
    for one in some:
        check_unsigned(one.bytes, "bytes", 2**63 - 1, 1)
        check_number(one.time_s, "time_s")
        check_number(one.energy_j, "energy_j")
        groups.setdefault((one.pattern, int(one.bytes)), []).append(one)
    patterns = list(dict.fromkeys(one.pattern for one in some))
    levels = (
        SizeLevel(
            pattern,
            size,
            len(group),
            float(np.median([one.time_s for one in group])),
            float(np.median([one.energy_j for one in group])),
        )
        for (pattern, size), group in sorted(
            groups.items(), key=lambda item: (patterns.index(item[0][0]), item[0][1])
        )
    )
    return SizeProfile(tuple(levels), tuple(some))


@dataclass(frozen=True, eq=False)
class DatasheetRun(Value):
    """A run, and what the data sheet of its drive says.

    Attributes:
        name: of the drive, or the run.
        active_w: active power of the data sheet.
        time_s: how long the run took.
        energy_j: what was measured.
    """

    name: str
    active_w: float
    time_s: float
    energy_j: float

    @classmethod
    def from_energy(cls, name: str, active_w: float, energy: Energy) -> DatasheetRun:
        """Make one from what energy() measured."""
        check_text(name, "name")
        check_float(active_w, "active_w")
        check_instance(energy, "energy", Energy)
        return cls(name, active_w, energy.covered_s, energy.energy_j)

    @property
    def datasheet_j(self) -> float:
        """active_w x time_s: what the data sheet makes of it."""
        return self.active_w * self.time_s

    @property
    def ratio(self) -> float:
        """How many times too high that is; below 1: too low."""
        return self.datasheet_j / self.energy_j

    def __str__(self) -> str:
        return (
            f"{self.name}: data sheet {in_j(self.datasheet_j)}, measured "
            f"{in_j(self.energy_j)}: {self.ratio:.2f} times"
        )


@dataclass(frozen=True, eq=False, repr=False)
class DatasheetComparison(Value):
    """Watts of data sheets x time against measured joules.

    Attributes:
        runs: what was compared.
    """

    runs: tuple[DatasheetRun, ...]

    @property
    def ratios(self) -> tuple[float, ...]:
        """The ratios of all runs."""
        return tuple(run.ratio for run in self.runs)

    def _head(self) -> str:
        if not self.runs:
            return "no runs"
        return (
            f"data sheet x time is {min(self.ratios):.2f} to {max(self.ratios):.2f} "
            f"times what was measured in {len(self.runs)} runs"
        )

    def __str__(self) -> str:
        return "\n".join([self._head(), *(f"  {run}" for run in self.runs)])

    def __repr__(self) -> str:
        return f"<ssdpm.measure.DatasheetComparison: {self._head()}>"

    def _repr_html_(self) -> str:
        names = ("name", "active_w", "time_s", "datasheet_j", "energy_j", "ratio")
        return html_list(self._head(), self.runs, names)

    def plot(self, ax: Axes | None = None) -> Axes:
        """A bar for the data sheet and one for what was measured, and their ratio.

        Raises:
            ImportError: there is no matplotlib.
        """
        return drawn("plot_datasheet", self, ax)


def against_datasheet(runs: Iterable[DatasheetRun] | Any) -> DatasheetComparison:
    """Watts of the data sheet x time against what was measured.

    Args:
        runs: or a DataFrame with columns name, active_w, time_s, energy_j.

    Raises:
        RangeError: a value that is not finite, not above 0.
    """
    some: list[DatasheetRun] = rows_of(runs, DatasheetRun, "runs", {})
    for one in some:
        for name in ("active_w", "time_s", "energy_j"):
            if not check_number(getattr(one, name), name):
                raise RangeError(errno.ERANGE, f"{name}: of {one.name} it is 0")
    return DatasheetComparison(tuple(some))
