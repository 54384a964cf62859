# SPDX-License-Identifier: MIT
"""A prediction of the mean power of a run, and its check by a measurement."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, SupportsIndex

from ssdpm import _core
from ssdpm.base.convert import check_float, check_instance, check_text, takes
from ssdpm.base.result import Scaled, Value, in_s, in_w, in_w_of
from ssdpm.device.machine import Device
from ssdpm.estimate.setup import (
    DEFAULT_TABLE,
    RunOptions,
    Setup,
    TableLike,
    end_number,
)
from ssdpm.measure.energy import Energy
from ssdpm.measure.files import Loaded
from ssdpm.model.drive import Model
from ssdpm.workload.trace import TraceLike, all_records

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _time(text: str | None, name: str) -> str:
    """A time in words, by default now: UTC, to the second."""
    if text is not None:
        return check_text(text, name)
    now = datetime.datetime.now(datetime.timezone.utc)
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, eq=False)
class Prediction(Loaded, Value):
    """The mean power of a run, before it is measured.

    Attributes:
        duration_ns: nominal, of the run.
        nominal_uw: with every parameter at its nominal value.
        likely_low_uw, likely_median_uw, likely_high_uw: 5, 50 and 95 of 100 cases of
            ssdpm_likely(3) have less.
        possible_low_uw, possible_high_uw: no drive has less or more.
        priors_version: of what is assumed to be likely.
        text: the file, "ssdpm.prediction/1".
    """

    duration_ns: int
    nominal_uw: int
    likely_low_uw: int
    likely_median_uw: int
    likely_high_uw: int
    possible_low_uw: int
    possible_high_uw: int
    priors_version: int
    text: str = field(repr=False)

    duration_s = Scaled[float]("duration_ns")
    nominal_w = Scaled[float]("nominal_uw")

    def to_json(self) -> str:
        """The file: ssdpm-json(5) has "ssdpm.prediction/1". PredictionCheck reads one
        that has a measurement; here from_json() and load() raise ExistsError."""
        return self.text

    @classmethod
    def _read(cls, raw: bytes) -> Prediction:
        return cls(*_core.energy.prediction_from_json(raw), raw.decode())

    def check(
        self,
        measured: Energy,
        *,
        subtracted_w: float = 0.0,
        measured_at: str | None = None,
    ) -> PredictionCheck:
        """Is the measured power inside what was predicted?

        Args:
            measured: the energy of the run alone, from ssdpm.measure.energy(); its
                tolerance is the error of the instrument.
            subtracted_w: what the instrument measures beside the drive.
            measured_at: when, in words; None: now.

        Raises:
            UnknownValueError: measured covers no time.
            InvalidError: subtracted_w is below 0, or more than was measured.
            RangeError: a power beyond 2**53 uW.
        """
        energy = _energy_tuple(measured)
        raw = self.text.encode()
        beside_w = check_float(subtracted_w, "subtracted_w")
        found = _core.energy.prediction_judge(raw, energy, beside_w)
        text = _core.energy.prediction_add_measured(
            raw, energy, beside_w, _time(measured_at, "measured_at")
        )
        return PredictionCheck(self, *found, text)

    def __str__(self) -> str:
        likely = in_w_of(
            self.nominal_uw / 1e6, self.likely_low_uw / 1e6, self.likely_high_uw / 1e6
        )
        low, high = self.possible_low_uw / 1e6, self.possible_high_uw / 1e6
        return (
            f"{likely.replace('(', '(likely ')} in {in_s(self.duration_ns)}, "
            f"possible {in_w(low)} to {in_w(high)}"
        )


def _energy_tuple(measured: Energy) -> tuple[int, float, float, float, float, int, int]:
    one = check_instance(measured, "measured", Energy)
    bits = sum(_core.energy.SIGNAL_REMARKS[word] for word in one.remarks)
    times = one.covered_ns, one.energy_j, one.low_j, one.high_j
    return (*times, one.mean_power_w, one.n, bits)


@dataclass(frozen=True, eq=False)
class PredictionCheck(Loaded, Value):
    """A prediction and its measurement; load() reads a file that has both.

    Attributes:
        prediction: what was predicted.
        verdict: "inside-likely", "inside-possible" (and outside the likely range) or
            "missed": outside both.
        certain: each power within the error of the instrument has this verdict.
        power_uw: mean power that was measured, less what was subtracted.
        low_uw, high_uw: it within the error of the instrument.
        length_differs: the time of the samples and the predicted one differ by more than
            a tenth of the longer one.
        text: the file, "ssdpm.prediction/1"; but for the measurement, the bytes are
            those of prediction.text.
    """

    prediction: Prediction
    verdict: str
    certain: bool
    power_uw: int
    low_uw: int
    high_uw: int
    length_differs: bool
    text: str = field(repr=False)

    power_w = Scaled[float]("power_uw")

    def to_json(self) -> str:
        """The file with its measurement. One that has none is not read back: from_json()
        and load() raise UnknownValueError."""
        return self.text

    @classmethod
    def _read(cls, raw: bytes) -> PredictionCheck:
        found, before = _core.energy.prediction_check_from_json(raw)
        return cls(Prediction._read(before.encode()), *found, raw.decode())

    def __str__(self) -> str:
        measured = in_w(self.power_w)
        if self.low_uw != self.high_uw:
            measured = in_w_of(self.power_w, self.low_uw / 1e6, self.high_uw / 1e6)
        doubt = "" if self.certain else ", not certain"
        length = ", of another length" if self.length_differs else ""
        return f"{measured}: {self.verdict}{doubt}{length}"


@takes(RunOptions, Setup)
def predict(
    model: Model | Device,
    trace: TraceLike,
    table: TableLike = DEFAULT_TABLE,
    *,
    end_ns: SupportsIndex | None = None,
    policy: str | None = None,
    predicted_at: str | None = None,
    **options: Unpack[RunOptions],
) -> Prediction:
    """Predict the mean power of a run, as ``ssdpm measure check`` does::

        said = measure.predict(drive, trace)
        said.save("check.json")
        # Run the workload, and record the power.
        print(said.check(measure.energy(power, times=times)))

    Args:
        model, trace, table, end_ns, options: as ssdpm.estimate(). A trace that was
            recorded while the drive slept has wake-ups in its service times, which the
            prediction would count twice. All of its records are in memory.
        policy: what is in force, in words; None: its word, and what its table does.
        predicted_at: when, in words; None: now.

    Raises:
        As ssdpm.estimate().
    """
    records = all_records(trace)
    setup = Setup(model, likely=True, **options)
    chosen = setup.table(table)
    handle = _core.energy.Sim(setup.model._handle, setup.core(chosen), False)
    handle.feed(records)
    handle.finish(end_number(end_ns))
    if policy is None:
        words = setup.policy_words(table, names_file=False)
    else:
        words = check_text(policy, "policy")
    when = _time(predicted_at, "predicted_at")
    text = handle.prediction_to_json(records, words, when)
    return Prediction(*handle.prediction(), text)
