# SPDX-License-Identifier: MIT
"""An estimate: the nominal run and the bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.notebook import html_table
from ssdpm.base.optional import drawn
from ssdpm.base.result import Json
from ssdpm.base.units import in_ms, in_mw, in_percent
from ssdpm.estimate.run import Residency, Run
from ssdpm.model.drive import Model
from ssdpm.model.states import state_name
from ssdpm.parameter import Parameter
from ssdpm.policy.table import ApstTable
from ssdpm.workload.stats import Histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        parameters: what was taken for known.
        nominal: every parameter at its nominal value.
        low, high: member by member the minimum and maximum over all corners of what is
            not known, the nominal run, and those in which one axis alone leaves its
            nominal value: each member alone, so their sums need not fit.
        assumed_nj: nominal energy whose power is assumed.
        axes: on which something is not known, as in "idle-power".
        n_corners: how many runs that made.
        widest_axis: which axis, alone, moves the energy most; None: nothing does.
        axis_energy_nj: for each axis, the least and most energy when it alone leaves
            its nominal value.
        delays: histogram of the added latencies of the nominal run; I/Os without one
            are in the first bucket.
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
    n_corners: int
    widest_axis: str | None
    axis_energy_nj: dict[str, tuple[int, int]]
    delays: Histogram
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
        return (
            f"{in_mw(run.mean_power_uw)} mW ({low}..{high}) over {run.duration_s:.6g} s"
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
