# SPDX-License-Identifier: MIT
"""The work above a baseline: runs, tails, work in idle."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ssdpm import _core
from ssdpm.base.convert import check_time, takes
from ssdpm.base.errors import UnknownValueError
from ssdpm.base.result import (
    Json,
    Scaled,
    Several,
    Value,
    drawn,
    html_list,
    in_j,
    in_s,
    in_w,
)
from ssdpm.measure.baseline import (
    Above,
    Baseline,
    Detect,
    Lasting,
    Sampling,
    check_sampling,
    detection_of,
    level_numbers,
)
from ssdpm.measure.signal import Signal, SignalLike, power_json

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

_OPEN_BEGIN, _OPEN_END = 1, 2


@dataclass(frozen=True, eq=False)
class Activity(Value):
    """A stretch in which the drive works.

    Attributes:
        begin: index of its first sample.
        end: index of the first one after it.
        begin_ns: time of the first.
        end_ns: time of the one after it; of the last sample, where the signal ends
            before the activity does.
        energy_j: all that was drawn.
        extra_j: of it, above the baseline.
        peak_w: the largest sample.
        open_begin: it had begun before the first sample.
        open_end: it had not ended with the last.
    """

    begin: int
    end: int
    begin_ns: int
    end_ns: int
    energy_j: float
    extra_j: float
    peak_w: float
    open_begin: bool
    open_end: bool

    @property
    def duration_s(self) -> float:
        """From begin_ns to end_ns, in seconds."""
        return (self.end_ns - self.begin_ns) / 1e9

    @property
    def mean_power_w(self) -> float:
        """energy_j by duration_s; NaN for one sample alone."""
        return self.energy_j / self.duration_s if self.duration_s else math.nan

    def __str__(self) -> str:
        return (
            f"{in_s(self.begin_ns)} to {in_s(self.end_ns)}: {in_j(self.energy_j)}, of "
            f"it {in_j(self.extra_j)} above the baseline, up to {in_w(self.peak_w)}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Activities(Several[Activity]):
    """All stretches in which the drive works, in their order.

    Attributes:
        signal: the samples.
        baseline: what they were held against.
        runs: the stretches; indexing, len() and iteration give these.
        sampling: whether there are shorter ones than the samples can tell.
    """

    signal: Signal = field(compare=False)
    baseline: Baseline
    runs: tuple[Activity, ...]
    sampling: Sampling = field(compare=False)

    def _items(self) -> tuple[Activity, ...]:
        return self.runs

    def __str__(self) -> str:
        head = f"{len(self)} runs above {self.baseline}"
        rows = (*self.sampling._lines(), *self.runs)
        return "\n".join([head, *(f"  {one}" for one in rows)])

    def __repr__(self) -> str:
        return f"<ssdpm.measure.Activities: {len(self)} runs above {self.baseline}>"

    def _repr_html_(self) -> str:
        return html_list(f"{len(self)} runs above {self.baseline}", self.runs, Activity)

    def plot(self, ax: Axes | None = None) -> Axes:
        """The samples with the baseline and the runs drawn over them.

        Where there are more samples than pixels, the least and the largest of each
        pixel are drawn.

        Raises:
            ImportError: there is no matplotlib.
        """
        return drawn("plot_activities", self, ax)


@takes(Lasting, detection_of)
def activity(
    power: SignalLike,
    baseline: Baseline,
    **options: Unpack[Lasting],
) -> Activities:
    """When a drive works, by its power alone.

    Args:
        power, rate_hz, times, start_ns: as Signal has them.
        baseline: what baseline() found.
        enter_sigmas: activity begins with enter_samples in a row that are more above
            the baseline than this,
        leave_sigmas: and ends before leave_samples that are not even this much above;
        floor_w: never with less above it than this.
        enter_samples, leave_samples: how many in a row.
        filter_samples: length of a running median over the samples before all that,
            against spikes: odd, up to 101; 0: none.

    Raises:
        InvalidError: parameters that contradict each other.
    """
    level = level_numbers(baseline)
    signal, detect = detection_of(power, **options)
    found, kept = _core.energy.measure_activity(signal._handle, level, detect)
    runs = (
        Activity(*one[:-1], bool(one[-1] & _OPEN_BEGIN), bool(one[-1] & _OPEN_END))
        for one in found
    )
    fast, sampling = check_sampling(signal, baseline, detect)
    result = Activities(signal, baseline, tuple(runs), fast)
    return result._written_by(
        lambda: power_json(
            "baseline", signal, level, activities=kept, sampling=sampling
        )
    )


@dataclass(frozen=True, eq=False)
class Tail(Json):
    """Work that goes on after the last I/O.

    Its JSON has, beside this, what the drive does by itself after it.

    Attributes:
        end_ns: when it ends.
        duration_ns: from the last completion to there; 0: there is none.
        extra_j: energy above the baseline in that time.
        sigma_j: its standard error, from the noise of the baseline.
        open: it had not ended with the last sample.
        n: samples in it.
    """

    end_ns: int
    duration_ns: int
    extra_j: float
    sigma_j: float
    open: bool
    n: int

    duration_s = Scaled[float]("duration_ns")

    def __str__(self) -> str:
        if not self.duration_ns:
            return "no tail"
        more = ", and it had not ended" if self.open else ""
        return (
            f"{in_s(self.duration_ns)}: {in_j(self.extra_j)} +- {in_j(self.sigma_j)} "
            f"above the baseline{more}"
        )


@takes(Above, detection_of)
def tail(
    power: SignalLike,
    baseline: Baseline,
    completion_ns: int,
    *,
    leave_samples: int = 3,
    **options: Unpack[Above],
) -> Tail:
    """The work after the last completion.

    Args:
        power, rate_hz, times, start_ns: as Signal has them.
        baseline: what baseline() found.
        completion_ns: of the last I/O, on the clock of the samples.
        enter_sigmas, leave_sigmas, floor_w, leave_samples, filter_samples: as
            activity() has them.

    Raises:
        UnknownValueError: the samples end before completion_ns.
        InvalidError: parameters that contradict each other.
    """
    completion = check_time(completion_ns, "completion_ns")
    level = level_numbers(baseline)
    signal, detect = detection_of(
        power, enter_samples=0, leave_samples=leave_samples, **options
    )
    values = _core.energy.measure_tail(signal._handle, level, detect, completion)
    found, kept = Tail(*values[:-1]), values[-1]

    def write() -> str:
        _, sampling = check_sampling(signal, baseline, detect)
        work = _work_after(signal, found.end_ns, level, detect)
        return power_json(
            "background", signal, level, tail=kept, work=work, sampling=sampling
        )

    return found._written_by(write)


def _work_after(
    signal: Signal, end_ns: int, level: tuple[Any, ...], detect: Detect
) -> bytes | None:
    """The work of the drive after its tail; None: the tail is all there is."""
    times = signal.times_ns()
    later = times >= end_ns
    if not later.any():
        return None
    first = int(np.argmax(later))
    rest = Signal(signal.power_w[first:], times=times[first:])
    try:
        return _core.energy.measure_idle_work(rest._handle, level, detect)[-1]
    except UnknownValueError:
        return None


@dataclass(frozen=True, eq=False)
class IdleWork(Json):
    """What a drive does by itself while idle.

    Attributes:
        n: stretches of activity, without those cut off by an end.
        regular: they come at one period.
        period_ns: median time from one to the next; None: fewer than two.
        period_mad_ns: MAD of these times.
        duration_ns: median of their lengths.
        extra_j: median of their energies above the baseline.
        extra_mad_j: MAD of these.
        mean_extra_w: what all of them add to the mean power.
        sampling: whether there are shorter ones than the samples can tell.
    """

    n: int
    regular: bool
    period_ns: int | None
    period_mad_ns: int | None
    duration_ns: int
    extra_j: float
    extra_mad_j: float
    mean_extra_w: float
    sampling: Sampling = field(compare=False, repr=False)

    def __str__(self) -> str:
        return "; ".join([self._words(), *self.sampling._lines()])

    def _words(self) -> str:
        if not self.n:
            return "no work in idle"
        times = f"every {in_s(self.period_ns)}" if self.period_ns else "once"
        if self.period_ns and not self.regular:
            times = f"irregularly, median {in_s(self.period_ns)} apart"
        return (
            f"{self.n} times, {times}: {in_s(self.duration_ns)} and "
            f"{in_j(self.extra_j)} each, {in_w(self.mean_extra_w)} in the mean"
        )


@takes(Lasting, detection_of)
def idle_work(
    power: SignalLike,
    baseline: Baseline,
    **options: Unpack[Lasting],
) -> IdleWork:
    """Regular work while no I/O is sent; the arguments are those of activity().

    It is regular if there are four or more, and the MAD of the period is at most a
    tenth of it.
    """
    level = level_numbers(baseline)
    signal, detect = detection_of(power, **options)
    found = _core.energy.measure_idle_work(signal._handle, level, detect)
    values: list[Any] = list(found[:-1])
    if values[0] < 2:
        values[2] = values[3] = None
    fast, sampling = check_sampling(signal, baseline, detect)
    values.append(fast)
    result = IdleWork(*values)
    return result._written_by(
        lambda: power_json(
            "background", signal, level, work=found[-1], sampling=sampling
        )
    )
