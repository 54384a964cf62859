# SPDX-License-Identifier: MIT
"""The estimate of one policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

from ssdpm import _core
from ssdpm.base.arrays import frozen
from ssdpm.base.convert import by_number, check_bool, takes
from ssdpm.base.result import Ongoing
from ssdpm.device.machine import Device
from ssdpm.estimate.result import Estimate, LikelyPower, run_from
from ssdpm.estimate.setup import (
    DEFAULT_TABLE,
    Fed,
    Options,
    Setup,
    TableLike,
    end_number,
)
from ssdpm.model.drive import Model
from ssdpm.parameter import parameters_from
from ssdpm.policy.table import ApstTable
from ssdpm.workload.records import Histogram
from ssdpm.workload.trace import TraceLike, record_arrays, source_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

_AXIS_WORDS = by_number(_core.energy.AXES)
_OP_WORDS = by_number(_core.energy.OPS)


def estimate_from(
    setup: Setup,
    table: ApstTable | None,
    lpm: str | None,
    found: tuple[Any, ...],
    wants_changes: bool = False,
    likely_power: LikelyPower | None = None,
) -> Estimate:
    """What the library found of one policy."""
    (
        runs,
        parameters,
        assumed_nj,
        axes,
        own_duration_ns,
        loose_states,
        loose_ops,
        widest,
        low_nj,
        high_nj,
        delays,
        intervals,
        changes,
    ) = found
    nominal, low, high = (run_from(run, len(setup.model)) for run in runs)
    words = [w for n, w in _AXIS_WORDS.items() if axes >> (n - 1) & 1]
    frozen(intervals)
    if wants_changes:
        frozen(changes)
    return Estimate(
        model=setup.model,
        table=table,
        lpm=lpm,
        loop=setup.loop,
        parameters=parameters_from(parameters),
        nominal=nominal,
        low=low,
        high=high,
        assumed_nj=assumed_nj,
        axes=tuple(words),
        own_duration_ns=own_duration_ns,
        loose_states=tuple(i for i in range(32) if loose_states >> i & 1),
        loose_ops=tuple(w for n, w in _OP_WORDS.items() if loose_ops >> (n - 1) & 1),
        widest_axis=_AXIS_WORDS.get(widest),
        axis_energy_nj={
            w: (low_nj[_core.energy.AXES[w] - 1], high_nj[_core.energy.AXES[w] - 1])
            for w in words
        },
        delays=Histogram(delays),
        likely_power=likely_power,
        intervals=intervals if setup.interval_ns else None,
        changes=changes if wants_changes else None,
    )


class Simulation(Ongoing):
    """A simulation that is fed piece by piece, in constant memory::

        simulation = ssdpm.Simulation(model)
        for part in ssdpm.iter_trace("trace.gz"):
            simulation.feed(part)
        print(simulation.finish())

    Args and errors: as estimate(). With changes=True, each change takes 16 bytes; with
    interval_ns, each interval 64.
    """

    __slots__ = ("_changes", "_fed", "_handle", "_setup", "_table", "_word")

    @takes(Options, Setup)
    def __init__(
        self,
        model: Model | Device,
        table: TableLike = DEFAULT_TABLE,
        *,
        changes: bool = False,
        **options: Unpack[Options],
    ) -> None:
        setup = Setup(model, **options)
        self._begin(setup, table, check_bool(changes, "changes"))

    def _begin(self, setup: Setup, table: TableLike, changes: bool) -> None:
        self._setup = setup
        self._changes = changes
        self._fed: Fed | None = None
        self._table = setup.table(table)
        self._word = setup.word(table)
        self._handle = _core.energy.Sim(
            setup.model._handle, setup.core(self._table), changes
        )

    def feed(self, trace: TraceLike) -> None:
        """The next records, any number at a time; the GIL is released.

        Raises:
            InvalidError: start_ns descends, or an operation is unknown; the message has
                the index, counted from the first record.
            RangeError: a time beyond 2^64 ns.
        """
        for records in record_arrays(trace):
            self._handle.feed(records)
        # Of parts, nobody says what was met in all.
        self._fed = source_of(trace) if self._fed is None else (None, None)

    def finish(self, end_ns: SupportsIndex | None = None) -> Estimate:
        """End it; what end_ns is, see estimate().

        Raises:
            UnknownValueError: there was no record.
            RangeError: a time or an energy beyond 64 bits.
            InvalidError: it was finished before.
        """
        found = self._handle.finish(end_number(end_ns))
        setup, handle = self._setup, self._handle
        names, word = setup.names(self._fed or (None, None)), self._word
        table = None if self._table is None else self._table._handle
        lpm = 0 if setup.lpm is None else _core.LPM[setup.lpm]
        likely_power = None
        if setup.flags & _core.energy.SIM_LIKELY:
            _, _, low, median, high, _, _, version = handle.prediction()
            likely_power = LikelyPower(low, median, high, version)
        result = estimate_from(
            setup, self._table, setup.lpm, found, self._changes, likely_power
        )
        return result._written_by(
            lambda: handle.to_json(names, word, table, lpm, setup.background)
        )

    def __repr__(self) -> str:
        return f"<ssdpm.Simulation of {self._setup.model!r}>"


@takes(Options, Setup)
def estimate(
    model: Model | Device,
    trace: TraceLike,
    table: TableLike = DEFAULT_TABLE,
    *,
    end_ns: SupportsIndex | None = None,
    changes: bool = False,
    **options: Unpack[Options],
) -> Estimate:
    """What a policy costs on a workload.

    Args:
        model: a drive, or a device. For a device, the link, the quirks and the policy
            are those of its machine, unless they are passed: see Device.settings().
        trace: a Trace, an array of IO_DTYPE, or an iterator of them, as iter_trace();
            memory is constant then.
        table: an ApstTable; the name of an algorithm of apst(), which makes it with its
            defaults and the quirks of Linux, as in "linux" or
            "windows:balanced:battery"; "today": what the machine of a device does; or
            None, or "none": the drive never sleeps. "auto" is "today", and "linux"
            without a machine. "lower-envelope" takes the nominal values of
            what the drive does not report. A SATA drive has no table.
        loop: "closed": the host waits for a delayed I/O, idle times stand and all that
            is later moves; "open": arrival times stand.
        lpm: the link policy of a SATA drive, a word as Linux has it;
            "keep_firmware_settings" is unknown: it may be any of them, and so is a range.
            None: that of the port of a device, a range if it does not say, else
            "med_power_with_dipm", what Linux 6.12 and later do.
        pcie_link: see parameters(); not looked at where these are given.
        parameters: what to take for known, from parameters().
        measured: what ssdpm.measure.calibrate() found of this drive, in place of what
            is assumed; parameters() takes it together with values of your own.
        spare: the spare factor of its flash, for a drive that was written to its end;
            see parameters(), which takes it together with the others. None: writes cost
            what they cost without garbage collection.
        idle_from_start: idle_ms of each entry counts from the start of the idle time,
            as some firmware does, and not in its state.
        end_ns: on the clock of the trace; idle time up to it counts. None, or before
            the last completion: that.
        likely: find the mean power that is likely, too, as the command does; it takes
            some ten milliseconds.
        interval_ns: length of the pieces in Estimate.intervals; None: none.
        changes: record each change of state in Estimate.changes.

    Raises:
        InvalidError: the trace goes back in time (the message has the index). A table
            that is not sound, or a policy of the other kind of drive.
        UnknownValueError: the trace is empty, or something that has to be known is not,
            and the message says what.
        UnsupportedError: a hard disk; a device over a network, or one whose controller
            is not live.
        RangeError: a time or an energy beyond 64 bits.
        TypeError, ValueError: an argument of another type, an unknown word.
    """
    simulation = Simulation(model, table, changes=changes, **options)
    simulation.feed(trace)
    return simulation.finish(end_ns)
