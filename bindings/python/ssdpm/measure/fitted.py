# SPDX-License-Identifier: MIT
"""What a drive did while its power was measured, and what that takes by a fit.

ssdpm_calibrate() sees a run so: the drive is at work for an operation as long as its
I/Os take, but for the time that the first one wakes it; between them it idles, and
enters states. Power is a step function of that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ssdpm.estimate.result import PHASES
from ssdpm.estimate.setup import Setup
from ssdpm.estimate.simulation import Simulation
from ssdpm.measure.signal import Signal
from ssdpm.parameter import Parameter
from ssdpm.policy.table import ApstTable
from ssdpm.workload.records import Records

Floats = npt.NDArray[np.float64]
Times = npt.NDArray[np.int64]

Powers = Mapping["tuple[str, int]", float]
"""By kind and index, in W, J and s; NaN: not known."""


@dataclass(frozen=True)
class MeasuredRun:
    """What was calibrated from."""

    setup: Setup
    table: ApstTable | None
    records: Records
    signal: Signal


def _certain(parameters: Sequence[Parameter]) -> list[Parameter]:
    """One value for each; waking takes no time: a recorded service has that in it."""
    result = []
    for one in parameters:
        value = 0 if one.kind == "exit_latency_us" else one.nominal
        result.append(replace(one, low=value, nominal=value, high=value))
    return result


def _changes(run: MeasuredRun, end_ns: int) -> npt.NDArray[np.void]:
    setup = run.setup
    simulation = Simulation(
        setup.model,
        run.table if setup.lpm is None else "linux",
        loop="open",
        lpm=setup.lpm,
        parameters=_certain(setup.parameters),
        idle_from_start=bool(setup.flags),
        changes=True,
    )
    simulation.feed(run.records)
    changes = simulation.finish(end_ns).changes
    assert changes is not None
    return changes


class _Steps:
    """Where power changes, gathered in any order of time."""

    def __init__(self) -> None:
        self._times: list[Times] = []
        self._powers: list[Floats] = []

    def add(self, times: Times, powers: Floats) -> None:
        self._times.append(times)
        self._powers.append(powers)

    def sorted(self) -> tuple[Times, Floats]:
        times, powers = np.concatenate(self._times), np.concatenate(self._powers)
        order = np.argsort(times, kind="stable")
        return times[order], powers[order]


def _table(powers: Powers, kind: str, n: int) -> Floats:
    return np.array([powers.get((kind, index), np.nan) for index in range(n)])


class _Course:
    """The pieces of a run, as lib/energy/calibrate/calibrate-course.c cuts them."""

    def __init__(self, run: MeasuredRun, powers: Powers, end_ns: int) -> None:
        self._powers = powers
        changes = _changes(run, end_ns)
        self._change_ns = changes["time_ns"].astype(np.int64)
        self._phase, self._state = changes["phase"], changes["state"].astype(np.intp)
        n = max(int(self._state.max(initial=0)) + 1, len(run.setup.model), 1)
        self._idle_w = _table(powers, "idle_power_uw", n)
        self._exit_s = np.nan_to_num(_table(powers, "exit_latency_us", n))
        self._active_w = _table(powers, "active_power_uw", 4)
        self._moving_w = powers.get(("transition_power_uw", 0), np.nan)
        self._op = run.records["op"].astype(np.intp) - 1
        self._start = run.records["start_ns"].astype(np.int64)
        self._end = self._start + run.records["service_ns"].astype(np.int64)
        self._end_ns = end_ns

    def _power_at(
        self, change: npt.NDArray[np.intp], op: npt.NDArray[np.intp]
    ) -> Floats:
        """Without I/Os, from a change on; op is that of the I/O before."""
        phase = self._phase[change]
        power = self._idle_w[self._state[change]]
        moving = (phase == PHASES["entry"]) | (phase == PHASES["exit"])
        power = np.where(moving, self._moving_w, power)
        busy = phase == PHASES["busy"]
        return np.where(busy, self._active_w[op], power)

    def _awake(self, start: Times, before: Times) -> Times:
        """From when on an I/O after a gap is served."""
        at = np.searchsorted(self._change_ns, start, side="left") - 1
        at = np.maximum(at, 0)
        following = self._change_ns[np.minimum(at + 1, len(self._change_ns) - 1)]
        exit_ns = (self._exit_s[self._state[at]] * 1e9).astype(np.int64)
        phase = self._phase[at]
        # What has begun is brought to an end first.
        entered = np.maximum(following, start) + exit_ns
        awake = np.where(phase == PHASES["entry"], entered, start)
        awake = np.where(phase == PHASES["resident"], start + exit_ns, awake)
        return np.where(start > before, awake, before)

    def steps(self) -> tuple[Times, Floats]:
        """(time, power from then on), ascending."""
        last = np.maximum.accumulate(self._end)
        before = np.concatenate((self._start[:1], last[:-1]))
        gap = self._start > before
        steps = _Steps()
        # The time after the last I/O is a gap as the others are.
        begin = np.append(before[gap], last[-1])
        end = np.append(self._start[gap], max(self._end_ns, int(last[-1])))
        first = np.append(np.flatnonzero(gap), len(self._start))
        op = self._op[first - 1]
        change = np.searchsorted(self._change_ns, begin, side="right") - 1
        change = np.maximum(change, 0)
        steps.add(begin, self._power_at(change, op))
        where = np.searchsorted(begin, self._change_ns, side="left") - 1
        inside = where >= 0
        inside &= self._change_ns < end[where]
        number = np.flatnonzero(inside)
        steps.add(self._change_ns[number], self._power_at(number, op[where[number]]))
        awake = np.minimum(self._awake(self._start, before), self._end)
        waking = gap & (awake > self._start)
        steps.add(self._start[waking], np.full(int(waking.sum()), self._moving_w))
        served = np.where(gap, awake, before)
        busy = served < self._end
        steps.add(served[busy], self._active_w[self._op[busy]])
        times, powers = steps.sorted()
        return np.append(times, end[-1]), np.append(powers, 0.0)

    def energies(self, records: Records) -> tuple[Times, Floats]:
        """The same of what I/Os and bytes take, evenly over their services."""
        per_io = _table(self._powers, "operation_energy_nj", 4)[self._op]
        per_byte = _table(self._powers, "byte_energy_pj", 4)[self._op]
        whole = np.where(records["flags"] & 1, 0.0, per_io)
        joules = whole + per_byte * records["bytes"]
        length = np.maximum(self._end - self._start, 1)
        watts = joules / length * 1e9
        steps = _Steps()
        steps.add(self._start, watts)
        steps.add(self._start + length, -watts)
        times, changes = steps.sorted()
        return times, np.cumsum(changes)


def _means(edges: Times, steps: tuple[Times, Floats]) -> Floats:
    """Mean power between edges; NaN where any of it is not known."""
    times, powers = steps
    length = np.diff(times).astype(np.float64)
    unknown = np.isnan(powers[:-1])

    def integral(rates: Floats) -> Floats:
        sums = np.concatenate(([0.0], np.cumsum(rates * length)))
        # From the first one on: 64 bits of time are more than a double has.
        origin = times[0]
        at = (edges - origin).astype(np.float64)
        found: Floats = np.diff(np.interp(at, (times - origin).astype(float), sums))
        return found

    width = np.diff(edges).astype(np.float64)
    mean: Floats = integral(np.where(unknown, 0.0, powers[:-1])) / width
    mean[integral(unknown.astype(np.float64)) > 0.5] = np.nan
    return mean


def fitted(
    run: MeasuredRun,
    powers: Powers,
    bin_ns: int,
    offset_ns: int,
    drift_w: float,
    energies: Callable[[str], bool],
) -> tuple[Times, Floats]:
    """Middle of each step on the clock of the samples, and power by the fit."""
    sample_ns = run.signal.times_ns()
    step_ns = int(np.median(np.diff(sample_ns)))
    begin = int(sample_ns[0]) - step_ns // 2
    n = max(int(sample_ns[-1]) + step_ns - step_ns // 2 - begin, 1) // bin_ns + 1
    edges = begin + bin_ns * np.arange(n + 1, dtype=np.int64)
    end_ns = max(int(edges[-1]) + offset_ns, 0)
    course = _Course(run, powers, end_ns)
    on_ios = edges + offset_ns
    power = _means(on_ios, course.steps())
    if energies("operation_energy_nj") or energies("byte_energy_pj"):
        power += _means(on_ios, course.energies(run.records))
    power += drift_w * (np.arange(n) / n - 0.5)
    # Before the first I/O nobody knows what the drive does.
    power[on_ios[:-1] < int(run.records["start_ns"][0])] = np.nan
    middle = (edges[:-1] + bin_ns // 2).astype(np.int64)
    return middle, power
