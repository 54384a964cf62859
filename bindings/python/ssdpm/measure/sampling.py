# SPDX-License-Identifier: MIT
"""Whether samples are taken fast enough for what happens between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ssdpm import _core
from ssdpm.base.convert import words_of
from ssdpm.base.notebook import Html
from ssdpm.base.units import in_s
from ssdpm.measure.baseline import Baseline, Detect, detect_numbers, level_numbers
from ssdpm.measure.signal import Signal, SignalLike, signal_of
from ssdpm.workload.records import Records
from ssdpm.workload.trace import TraceLike, all_records


@dataclass(frozen=True, eq=False)
class Sampling(Html):
    """Is a signal sampled fast enough for what happens?

    Attributes:
        n: finite samples.
        step_ns: from one to the next: the median of the first 4096 steps.
        interval_ns: from one measurement of the instrument to the next: step_ns, or
            longer where it holds its readings.
        n_excursions: stretches above the baseline, of one sample or more.
        n_short: of these, of no more than two measurements.
        short_ns: mean length of those, as the samples have it: what happened may have
            been much shorter.
        busy_ns: median length of the stretches with an I/O in work, between which
            there is a rest; None: fewer than 3, or an I/O without service time.
        advised_ns: sample at least every so often; None: it is fast enough, or
            nothing tells.
        energy_j: of all samples, each for a step.
        extra_j: above the baseline, of all excursions; None: no baseline.
        short_j: likewise, of the short ones.
        remarks: "slow": short excursions have most of the energy above the baseline;
            "slower-than-io": so do stretches with an I/O last; "held": readings repeat
            until the instrument has a new one.
    """

    n: int
    step_ns: int
    interval_ns: int
    n_excursions: int
    n_short: int
    short_ns: int
    busy_ns: int | None
    advised_ns: int | None
    energy_j: float
    extra_j: float | None
    short_j: float | None
    remarks: tuple[str, ...]

    def __bool__(self) -> bool:
        """Nothing is wrong with it."""
        return not self.remarks

    def _lines(self) -> list[str]:
        every = f"measured every {in_s(self.interval_ns)}"
        advice = f"sample at least every {in_s(self.advised_ns or 0)}"
        lines = []
        if "held" in self.remarks:
            lines.append(f"values repeat: {every}, not every {in_s(self.step_ns)}")
        if "slow" in self.remarks:
            lines.append(
                f"{every}, slower than the events: {self.n_short} of "
                f"{self.n_excursions} excursions are of two measurements or fewer "
                f"(or are they spikes of the instrument?): {advice}"
            )
        if "slower-than-io" in self.remarks:
            lines.append(
                f"{every}, slower than the I/Os: half of their stretches are shorter "
                f"than {in_s(self.busy_ns or 0)}, which is right only if each sample is "
                f"the mean of its step: {advice}"
            )
        return lines

    def __str__(self) -> str:
        if not self.remarks:
            return f"measured every {in_s(self.interval_ns)}: nothing tells it is slow"
        return "; ".join(self._lines())


def check_sampling(
    signal: Signal,
    baseline: Baseline | None,
    detect: Detect | None = None,
    records: Records | None = None,
) -> tuple[Sampling, bytes]:
    """What sampling() does, with what was checked; and what the library found."""
    level = None if baseline is None else level_numbers(baseline)
    values = _core.energy.measure_sampling(signal._handle, level, detect, records)
    numbers: list[Any] = list(values[:-1])
    for optional in (6, 7):
        numbers[optional] = numbers[optional] or None
    if baseline is None:
        numbers[9:11] = None, None
    bits = numbers.pop()
    numbers.append(words_of(bits, _core.energy.SIGNAL_REMARKS))
    return Sampling(*numbers), values[-1]


def sampling(
    power: SignalLike,
    baseline: Baseline | None = None,
    *,
    trace: TraceLike | None = None,
    rate_hz: float | None = None,
    times: object = None,
    start_ns: int = 0,
    enter_sigmas: float = 5.0,
    leave_sigmas: float = 3.0,
    floor_w: float = 0.0,
    filter_samples: int = 0,
) -> Sampling:
    """Are there events that the samples are too slow for?

    It is slow if three excursions or more are of no more than two measurements, and
    these have most of the energy above the baseline and 1 % of all energy. Their
    lengths and energies are not known, and others like them may have been missed: or
    they are spikes of the instrument, which look the same.

    Args:
        power, rate_hz, times, start_ns: as Signal has them.
        baseline: what baseline() found; None: there are no excursions.
        trace: the I/Os of the same time, as estimate() takes them; their clock may be
            another one.
        enter_sigmas, leave_sigmas, floor_w: what is above the baseline, as activity()
            has them.
        filter_samples: likewise; it takes short excursions away.

    Raises:
        UnknownValueError: no finite sample.
        InvalidError: parameters that contradict each other.
    """
    detect = detect_numbers(enter_sigmas, leave_sigmas, floor_w, 0, 0, filter_samples)
    signal = signal_of(power, rate_hz, times, start_ns)
    records = None if trace is None else all_records(trace)
    return check_sampling(signal, baseline, detect, records)[0]
