# SPDX-License-Identifier: MIT
"""An estimate: the nominal run, the bounds, and the saving between two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm._core import energy
from ssdpm.base.convert import check_float
from ssdpm.base.result import (
    Json,
    Scaled,
    Value,
    drawn,
    html_table,
    in_ms,
    in_mw,
    in_percent,
)
from ssdpm.model.drive import Model
from ssdpm.model.states import state_name
from ssdpm.parameter import Parameter
from ssdpm.policy.table import ApstTable
from ssdpm.workload.records import Histogram, PerOp

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Residency(Value):
    """One state in a run.

    Attributes:
        state: its number.
        time_ns: in the state itself; of the operational state: idle in it.
        entry_ns: entering it.
        exit_ns: leaving it.
        energy_nj: of all three.
        n_entries: how often it was entered.
        n_wakes: how often an I/O woke the drive from it, or while it was entered.
    """

    state: int
    time_ns: int
    entry_ns: int
    exit_ns: int
    energy_nj: int
    n_entries: int
    n_wakes: int


@dataclass(frozen=True, eq=False)
class Run(Value):
    """The outcome of one run; struct ssdpm_run has each member.

    Attributes:
        duration_ns: from the first I/O to the end; busy, idle, entry and exit time.
        energy_nj: all of it.
        transition_nj: of it, for entering and leaving states.
        mean_power_uw: energy by duration. If background_ns is more than all time
            without I/O, the drive never sleeps and works longer. It is then that of
            I/Os and the work for them, over the time that these take.
        busy_ns_by_op: an I/O has the time by which it makes the busy period longer.
        n_ios, bytes: by operation.
        n_gaps: times that the drive was without work, the end not counted.
        n_wakes: of these, how many ended in or on the way to a state.
        n_deepest: entries of the deepest state that the policy leads to.
        deepest_per_day: the same for 24 hours.
        n_delayed: I/Os with an added latency.
        delay_sum_ns: of their added latencies.
        delay_mean_ns: over all I/Os.
        delay_mean_delayed_ns: over those delayed.
        delay_p50_ns, delay_p99_ns, delay_p999_ns: over all I/Os, by nearest rank.
        delay_max_ns: the largest.
        background_ns: of work behind the writes, in idle time; 0: none is known.
        states: by number.
    """

    duration_ns: int
    busy_ns: int
    idle_ns: int
    entry_ns: int
    exit_ns: int
    energy_nj: int
    transition_nj: int
    mean_power_uw: int
    busy_ns_by_op: PerOp
    n_ios: PerOp
    bytes: PerOp
    n_gaps: int
    n_wakes: int
    n_deepest: int
    deepest_per_day: int
    n_delayed: int
    delay_sum_ns: int
    delay_mean_ns: int
    delay_mean_delayed_ns: int
    delay_p50_ns: int
    delay_p99_ns: int
    delay_p999_ns: int
    delay_max_ns: int
    background_ns: int
    states: tuple[Residency, ...]

    energy_j = Scaled[float]("energy_nj")
    mean_power_w = Scaled[float]("mean_power_uw")
    duration_s = Scaled[float]("duration_ns")
    delay_mean_s = Scaled[float]("delay_mean_ns")
    delay_p99_s = Scaled[float]("delay_p99_ns")
    delay_max_s = Scaled[float]("delay_max_ns")

    @property
    def delayed_share(self) -> float:
        """n_delayed by all I/Os, 0 to 1."""
        n = sum(self.n_ios)
        return self.n_delayed / n if n else 0.0


PER_OP = ("busy_ns_by_op", "n_ios", "bytes")


def run_from(numbers: np.void, n_states: int) -> Run:
    """A struct ssdpm_run as a value."""
    values: dict[str, Any] = dict(zip(numbers.dtype.names or (), numbers.tolist()))
    for name in PER_OP:
        values[name] = PerOp(*values[name].tolist()[: len(PerOp._fields)])
    rows = numbers["states"][: max(n_states, 1)].tolist()
    values["states"] = tuple(Residency(i, *row) for i, row in enumerate(rows))
    return Run(**values)


class _Gains:
    """A saved power as energy and time."""

    def _uw(self) -> tuple[int, int, int]:
        raise NotImplementedError

    def kwh_per_year(self) -> tuple[float, float, float]:
        """low, middle and high, if the workload went on for 365 days."""
        low, nominal, high = energy.saving_year_wh(self._uw(), 24)
        return low / 1e3, nominal / 1e3, high / 1e3

    def battery_minutes(
        self, battery_wh: float, machine_w: float
    ) -> tuple[float, float, float]:
        """low, middle and high: how much longer a battery lasts.

        Args:
            battery_wh: what it holds.
            machine_w: what the whole machine draws before the change.

        Raises:
            ValueError: not above 0, or less than what is saved.
        """
        found = energy.saving_battery_s(
            self._uw(),
            check_float(battery_wh, "battery_wh") * 1e3,
            check_float(machine_w, "machine_w") * 1e6,
        )
        if found is None:
            raise ValueError("battery_wh, machine_w: too little for such a machine")
        low, nominal, high = found
        return low / 60, nominal / 60, high / 60


@dataclass(frozen=True, eq=False)
class Saving(Value, _Gains):
    """What one policy saves against another: for the same work over the same time.

    Attributes:
        low_nj, nominal_nj, high_nj: energy of the other minus that of the one; below 0
            it costs. These are the least and the most over all powers that the drive
            can have, the same under both. If times are unknown, they enclose what
            is possible.
        low_uw, nominal_uw, high_uw: likewise mean power.
    """

    low_nj: int
    nominal_nj: int
    high_nj: int
    low_uw: int
    nominal_uw: int
    high_uw: int

    def _uw(self) -> tuple[int, int, int]:
        return self.low_uw, self.nominal_uw, self.high_uw

    def __str__(self) -> str:
        return (
            f"{in_mw(self.nominal_uw)} mW ({in_mw(self.low_uw)}..{in_mw(self.high_uw)})"
        )


def saving_text(verdict: str, low: int | None, median: int, high: int | None) -> str:
    """Words of a saving in microwatts; an end that is None is unknown."""
    word = verdict.replace("-", " ")
    if not any((low, median, high)):
        return "likely saves nothing"
    lost = word.endswith("costs") or median < 0
    if lost:
        low, median, high = high, -median, low
        low, high = (None if end is None else -end for end in (low, high))
    if word in ("not decided", "too small"):
        word += ": cost" if lost else ":"
    said = f"{word} {in_mw(median)} mW"
    if low is None or high is None:
        return said
    return f"{said} (likely {in_mw(low)} to {in_mw(high)})"


@dataclass(frozen=True, eq=False)
class Likely(Value, _Gains):
    """The likely range of a saving, under the assumptions of ssdpm_likely(3).

    Attributes:
        verdict: "saves", "probably-saves", "not-decided", "probably-costs", "costs" or
            "too-small".
        low_nj, median_nj, high_nj: energy that is saved: 5, 50 and 95 of 100 cases have
            less.
        low_uw, median_uw, high_uw: likewise mean power.
        saves_share: the cases that save, 0 to 1.
        priors_version: of the assumptions.
        decider_kind: the parameter that moves the chance most, as in "idle_power_uw";
            None: nothing does.
        decider_index: of which state, or operation from 0 on.
        decider_share: by how much the chance differs between the upper half of its
            values and the lower one.
        decider_ways: how it can be known: "identify", because the drive reports it and
            what was read leaves it out; "calibrate", by measure.calibrate(); "state",
            as an argument.
    """

    verdict: str
    low_nj: int
    median_nj: int
    high_nj: int
    low_uw: int
    median_uw: int
    high_uw: int
    saves_share: float
    priors_version: int
    decider_kind: str | None
    decider_index: int
    decider_share: float
    decider_ways: tuple[str, ...]

    def _uw(self) -> tuple[int, int, int]:
        return self.low_uw, self.median_uw, self.high_uw

    def __str__(self) -> str:
        return saving_text(self.verdict, *self._uw())


@dataclass(frozen=True, eq=False)
class LikelyPower(Value):
    """The mean power that is likely, under the assumptions of ssdpm_likely(3).

    Attributes:
        low_uw, median_uw, high_uw: 5, 50 and 95 of 100 cases have less.
        priors_version: of the assumptions.
    """

    low_uw: int
    median_uw: int
    high_uw: int
    priors_version: int

    def __str__(self) -> str:
        return f"likely {in_mw(self.low_uw)} to {in_mw(self.high_uw)} mW"


interval_dtype: np.dtype[np.void] = _core.energy.interval_dtype
"""Layout of struct ssdpm_interval: start_ns, energy_nj, busy_ns, idle_ns, asleep_ns,
transition_ns, n_ios, delay_sum_ns."""

change_dtype: np.dtype[np.void] = _core.energy.change_dtype
"""time_ns, phase (PHASES has the words), state."""

PHASES: Mapping[str, int] = _core.energy.PHASES
"""The number of each phase: busy, idle, entry, resident, exit, end."""


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Json):
    """What a policy costs on a workload, with bounds.

    Attributes:
        model: the drive.
        table: its APST table; None: it never sleeps, or it is a SATA drive.
        lpm: the link policy of a SATA drive, or None.
        loop: "closed" or "open".
        parameters: what was taken for known; of ranges of powers what the order of
            the states leaves.
        nominal: every parameter at its nominal value.
        low, high: member by member the minimum and maximum, exact over all powers that
            the drive can have. If times are unknown, they enclose what is possible.
            Each member is alone, so their sums need not fit.
        assumed_nj: nominal energy whose power is assumed.
        axes: on which something is not known, as in "idle-power".
        own_duration_ns: to the end of this run: less than that of nominal where it
            idles on until the last policy of a comparison ends.
        loose_states: states that may take more than the state before them. Known values
            contradict the order, or leave it open for a state between them.
        loose_ops: likewise I/Os that may take less than the idle drive.
        widest_axis: which axis, alone, moves the energy most; None: nothing does.
        axis_energy_nj: for each axis, the least and most energy when it alone leaves
            its nominal value.
        delays: histogram of the added latencies of the nominal run; I/Os without one
            are in the first bucket.
        likely_power: the mean power that is likely; None: nobody asked for it.
        intervals: the nominal run piece by piece, dtype interval_dtype; None: not
            asked for.
        changes: its changes of state, dtype change_dtype; None: not asked for.
    """

    model: Model
    table: ApstTable | None
    lpm: str | None
    loop: str
    parameters: tuple[Parameter, ...]
    nominal: Run
    low: Run
    high: Run
    assumed_nj: int
    axes: tuple[str, ...]
    own_duration_ns: int
    loose_states: tuple[int, ...]
    loose_ops: tuple[str, ...]
    widest_axis: str | None
    axis_energy_nj: dict[str, tuple[int, int]]
    delays: Histogram
    likely_power: LikelyPower | None = None
    intervals: npt.NDArray[np.void] | None = None
    changes: npt.NDArray[np.void] | None = None

    @property
    def states(self) -> tuple[Residency, ...]:
        """The states of the nominal run."""
        return self.nominal.states

    @property
    def assumed_share(self) -> float:
        """assumed_nj by the nominal energy, 0 to 1."""
        energy = self.nominal.energy_nj
        return self.assumed_nj / energy if energy else 0.0

    def plot(self, kind: str = "residency", ax: Axes | None = None) -> Axes:
        """Draw the nominal run.

        Args:
            kind: "residency", the share of time and of energy in each state;
                "timeline", the states over time, which needs changes or intervals;
                "delays", how many I/Os wait how long.
            ax: where to; None: a new figure.

        Raises:
            ImportError: matplotlib is not installed.
            ValueError: another kind, or no changes and no intervals.
        """
        return drawn("plot_estimate", self, kind, ax)

    def state_names(self) -> tuple[str, ...]:
        """ "PS0" and so on; "PS1 partial" for the state of a link."""
        known = self.model.power_states
        return tuple(
            state_name(r.state, known[r.state]) if known else "PS0" for r in self.states
        )

    def _rows(self) -> Iterator[tuple[str, int, int, int]]:
        """(what, time, energy, entries); the sums are those of the nominal run."""
        run = self.nominal
        asleep_nj = sum(state.energy_nj for state in run.states)
        yield "busy", run.busy_ns, run.energy_nj - asleep_nj, 0
        for name, state in zip(self.state_names(), run.states):
            time_ns = state.time_ns + state.entry_ns + state.exit_ns
            yield name, time_ns, state.energy_nj, state.n_entries

    __hash__ = None  # type: ignore[assignment]

    def _summary(self) -> str:
        run = self.nominal
        low, high = in_mw(self.low.mean_power_uw), in_mw(self.high.mean_power_uw)
        likely = f"{self.likely_power}, " if self.likely_power else ""
        return (
            f"{in_mw(run.mean_power_uw)} mW ({likely}{low}..{high}) over {run.duration_s:.6g} s"
            f", {run.n_wakes} wakes, "
            f"{100 * run.delayed_share:.3g} % of I/Os delayed, "
            f"p99 {in_ms(run.delay_p99_ns)} ms"
        )

    def __repr__(self) -> str:
        return f"<ssdpm.Estimate {self.model.product!r}: {self._summary()}>"

    def _repr_html_(self) -> str:
        run = self.nominal
        rows = (
            (
                what,
                f"{time_ns / 1e9:.6g} s",
                in_percent(time_ns, run.duration_ns),
                f"{energy_nj / 1e9:.6g} J",
                in_percent(energy_nj, run.energy_nj),
                entries or None,
            )
            for what, time_ns, energy_nj, entries in self._rows()
        )
        columns = ("state", "time", "", "energy", "", "entries")
        caption = f"{self.model.product or 'unknown drive'}: {self._summary()}"
        return html_table(caption, columns, rows)
