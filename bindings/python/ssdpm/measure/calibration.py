# SPDX-License-Identifier: MIT
"""What was measured of a drive, with its intervals."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.convert import (
    by_number,
    check_instance,
    check_measured_wa,
    check_text,
    check_unsigned,
    nan_if_none,
    none_if_nan,
    words_of,
)
from ssdpm.base.errors import InvalidError
from ssdpm.base.result import Value, Word, drawn, html_table, in_j, in_s, in_w
from ssdpm.estimate.parameters import Overlay
from ssdpm.estimate.parameters import parameters as parameters_of
from ssdpm.estimate.setup import Setup
from ssdpm.measure.baseline import Sampling
from ssdpm.measure.files import Loaded
from ssdpm.measure.signal import Signal
from ssdpm.model.drive import Model
from ssdpm.parameter import KIND_WORDS, Parameter, check_parameters, parameters_from
from ssdpm.policy.table import ApstTable
from ssdpm.workload.records import OPS, Records

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class MeasuredRun:
    """What was calibrated from."""

    setup: Setup
    table: ApstTable | None
    records: Records
    signal: Signal


_STATUS_WORDS = by_number(_core.energy.MEASURED_STATUSES)
_SAMPLING_WORDS = by_number(_core.energy.METER_SAMPLINGS)
_CONTRADICTION_WORDS = by_number(_core.energy.CONTRADICTIONS)
_MATCH_WORDS = by_number(_core.energy.OVERLAY_MATCHES)
_DRIVE_WORDS = by_number(_core.KINDS)
_LINK_WORDS = by_number(_core.energy.PCIE_LINKS)
_LPM_WORDS = by_number(_core.LPM)
_OP_WORDS = tuple(OPS)

# The bytes that struct ssdpm_overlay has for each text.
TEXT_BYTES = {
    "product": 40,
    "firmware": 8,
    "policy": 197,
    "power_name": 255,
    "trace_name": 255,
    "date": 31,
}

_QUALITY = (
    "n_bins",
    "n_spikes",
    "bin_ns",
    "offset_ns",
    "offset_error_ns",
    "sigma_w",
    "drift_w",
    "noise_phi",
    "noise_share",
)

# What one of a unit is in W, J and s.
_SCALES = {"uw": 1e-6, "us": 1e-6, "nj": 1e-9, "pj": 1e-12}
_UNITS = {"uw": "uW", "us": "us", "nj": "nJ", "pj": "pJ"}


class MeasuredStatus(Word):
    """The outcome for a parameter in a calibration; members are their words."""

    KNOWN = "known"
    """It has an interval."""
    NOT_REACHED = "not-reached"
    """The drive was never in that state, or did no such work."""
    NOT_IDENTIFIABLE = "not-identifiable"
    """It cannot be told apart from something else in these data."""
    TOO_FEW = "too-few"
    """Fewer than 5 I/Os to tell it from."""
    NEGATIVE = "negative"
    """All of its interval is below 0, which nothing can have."""
    CONTRADICTED = "contradicted"
    """The data contradict what it would rest on."""


class Contradiction(Word):
    """Why a run is refused: what the data contradict; members are their words."""

    RESPONSE = "response"
    """The stated response of the meter, or any of fewer than 27 steps."""
    SAMPLING = "sampling"
    """What a sample is stated to be."""
    CLOCK = "clock"
    """The stated rate of the clock, or any near 1."""
    DRIFT = "drift"
    """The stated drift of the zero."""
    WAIT = "wait"
    """I/Os that wake the drive take no longer: service times leave the wait out."""
    HALVES = "halves"
    """The powers of the second half of the run are others."""
    EDGES = "edges"
    """Power rises and falls at other times than the I/Os say."""
    NOISE = "noise"
    """What is left is not the noise that the intervals rest on."""
    ENERGY = "energy"
    """The power depends on the number or the size of I/Os: see operation_energy and
    byte_energy of calibrate()."""


@dataclass(frozen=True, eq=False)
class MeterTraits(Value):
    """The meter that the intervals of a calibration rest on.

    Attributes:
        known: what was stated, of "sampling", "response", "drift", "gain" and "clock".
            The rest was found in the data, but the gain, which is assumed.
        sampling: a sample is the "mean" over its step, or the power at its "point" in
            time; None: not known.
        response_ns: time constant by which the meter lags; 0: it does not.
        drift_uw: how far its zero walks at random during the run: the standard
            deviation.
        gain_ppm: what it shows is within so many millionths of the power.
        clock_ppb: a step is longer than the times say, by so many billionths.
    """

    known: tuple[str, ...] = ()
    sampling: str | None = None
    response_ns: int = 0
    drift_uw: int = 0
    gain_ppm: int = 0
    clock_ppb: int = 0

    @classmethod
    def _of(cls, traits: TraitsTuple) -> MeterTraits:
        known = words_of(traits[0], _core.energy.METER_TRAITS)
        return cls(known, _SAMPLING_WORDS.get(traits[1]), *traits[2:])

    def _tuple(self) -> TraitsTuple:
        return (
            sum(_core.energy.METER_TRAITS[word] for word in self.known),
            _core.energy.METER_SAMPLINGS[self.sampling] if self.sampling else 0,
            self.response_ns,
            self.drift_uw,
            self.gain_ppm,
            self.clock_ppb,
        )


@dataclass(frozen=True, eq=False)
class Measured(Value):
    """One parameter of a drive, as measured.

    Attributes:
        kind: as in Parameter: "idle_power_uw"; the name has the unit.
        index: number of the state, of the operation (0 for "read"), or 0.
        status: whether it is known, and if not, why; reason has the words.
        exceeds: an exit latency of which even low is above stated.
        n: steps of time with some of it, or I/Os.
        low, nominal, high: the interval of 95 % and what is in its middle; None: not
            measured.
        stated: what the drive declares; or else the most that was known or assumed.
        reason: one line, or "": why it is not known, or what exceeds what.
    """

    kind: str
    index: int
    status: MeasuredStatus
    exceeds: bool
    n: int
    low: float | None
    nominal: float | None
    high: float | None
    stated: float
    reason: str

    @property
    def unit(self) -> str:
        """That of low, nominal, high and stated: "uW", "us", "nJ" or "pJ"."""
        return _UNITS[self.kind.rpartition("_")[2]]

    @property
    def name(self) -> str:
        """ "idle power of PS3", "active power of read"."""
        what = self.kind.rpartition("_")[0].replace("_", " ")
        if "state" in what or self.kind in ("idle_power_uw", "exit_latency_us"):
            return f"{what} of PS{self.index}"
        if self.kind == "transition_power_uw" or self.index >= len(_OP_WORDS):
            return what
        return f"{what} of {_OP_WORDS[self.index]}"

    def _in_words(self, value: float) -> str:
        unit = self.kind.rpartition("_")[2]
        scaled = value * _SCALES[unit]
        if unit == "uw":
            return in_w(scaled)
        if unit == "us":
            return in_s(scaled * 1e9)
        return in_j(scaled) if unit == "nj" else f"{value:.4g} pJ"

    def _value(self) -> str | None:
        if self.low is None or self.nominal is None or self.high is None:
            return None
        low, nominal, high = map(self._in_words, (self.low, self.nominal, self.high))
        return f"{nominal} ({low} to {high})"

    def __str__(self) -> str:
        value = self._value()
        if value is None:
            return f"{self.name}: {self.status}: {self.reason}"
        return f"{self.name}: {value}" + (f"; {self.reason}" if self.reason else "")

    def _tuple(self) -> MeasuredTuple:
        return (
            _core.energy.PARAMETER_KINDS[self.kind],
            self.index,
            _core.energy.MEASURED_STATUSES[str(self.status)],
            bool(self.exceeds),
            self.n,
            nan_if_none(self.low),
            nan_if_none(self.nominal),
            nan_if_none(self.high),
            nan_if_none(self.stated),
            self.reason,
        )

    @classmethod
    def _of(cls, values: MeasuredTuple) -> Measured:
        kind, index, status, exceeds, n, low, nominal, high, stated, reason = values
        return cls(
            KIND_WORDS[kind],
            index,
            MeasuredStatus(_STATUS_WORDS[status]),
            exceeds,
            n,
            none_if_nan(low),
            none_if_nan(nominal),
            none_if_nan(high),
            stated,
            reason,
        )


MeasuredTuple = tuple[int, int, int, bool, int, float, float, float, float, str]
TraitsTuple = tuple[int, int, int, int, int, int]
QualityTuple = tuple[
    int, int, int, int, int, float, float, float, float, TraitsTuple, int
]  # fmt: skip

OverlayTuple = tuple[
    int, int, int, int, int, int, int, int, str, str, str, str, str, str
]  # fmt: skip


def wa_milli(wa: float | None) -> int:
    """As the overlay has it; 0: not known."""
    return 0 if wa is None else round(1000 * check_measured_wa(wa))


@dataclass(frozen=True, eq=False)
class Calibration(Loaded, Overlay):
    """What was measured of a drive, and how well; str() of it has a line for each.

    Where estimates take ``measured``, they take one of these: their bounds become
    those of what was measured.

    Attributes:
        measured: what was looked for, sorted by kind and index.
        n_bins: steps of time that were compared.
        n_spikes: of these left out, since nothing explains them.
        bin_ns: the length of a step.
        offset_ns: what was added to the time of a sample for that of the I/Os.
        offset_error_ns: half its interval of 95 %; 0 where it was given.
        sigma_w: of the noise of a step; None: not known, as below.
        drift_w: how much more the instrument shows at the end than at the begin.
        noise_phi: how much of the noise that lasts is there a step later.
        noise_share: the share of the noise's variance that lasts.
        meter: the meter that the intervals rest on.
        contradiction: why the run is refused, and no parameter is known; None: the
            data do not contradict its fit.
        n_samples, n_ios: that it is from.
        kind: of the drive, "nvme" or "sata".
        product, firmware: of the drive, or None.
        policy: what was in force, in words, or None.
        pcie_link: NVMe: the link's state in the run, whose power is in the idle
            powers; None: not known.
        lpm: SATA: the link policy that was in force, or None.
        operational_state: the state in which the drive worked.
        idle_from_start: as calibrate() had it.
        measured_wa: write amplification during the run, where spare of an estimate
            starts; None: nobody said.
        power_name, trace_name, date: of the files and of the run, or None;
            dataclasses.replace() sets them.
    """

    measured: tuple[Measured, ...]
    n_bins: int
    n_spikes: int
    bin_ns: int
    offset_ns: int
    offset_error_ns: int
    sigma_w: float | None
    drift_w: float | None
    noise_phi: float | None
    noise_share: float | None
    meter: MeterTraits
    contradiction: Contradiction | None
    n_samples: int
    n_ios: int
    kind: str
    product: str | None = None
    firmware: str | None = None
    policy: str | None = None
    pcie_link: str | None = None
    lpm: str | None = None
    operational_state: int = 0
    idle_from_start: bool = False
    measured_wa: float | None = None
    power_name: str | None = None
    trace_name: str | None = None
    date: str | None = None
    sampling: Sampling | None = field(default=None, repr=False, compare=False)
    _run: MeasuredRun | None = field(default=None, repr=False, compare=False)

    @property
    def known(self) -> tuple[Measured, ...]:
        """Those that have an interval."""
        return tuple(one for one in self.measured if one.status == "known")

    @property
    def exceeding(self) -> tuple[Measured, ...]:
        """Exit latencies that are longer than the drive says."""
        return tuple(one for one in self.measured if one.exceeds)

    def get(self, kind: str, index: int = 0) -> Measured | None:
        """The measured value of a kind and a state or operation; None: it has none."""
        check_text(kind, "kind")
        check_unsigned(index, "index", 2**32 - 1)
        for one in self.measured:
            if (one.kind, one.index) == (kind, index):
                return one
        return None

    def parameters(self, base: Model | Iterable[Parameter]) -> tuple[Parameter, ...]:
        """The parameters for an estimate: the measured values put into others.

        Measured values have the provenance "measured"; the rest stays. Measured idle
        powers have the link's in them, so its power becomes 0. It is added to the idle
        powers of states asleep that were not measured. match() says whether it is of
        this drive.

        Args:
            base: a drive, or what parameters() has of it.

        Raises:
            NotFoundError: the drive has no such parameter.
            InvalidError: the run is refused.
        """
        rows = self._rows()
        if isinstance(base, Model):
            base = parameters_of(base, self.pcie_link)
        tuples = [one._tuple() for one in check_parameters(base, "base")]
        return parameters_from(_core.energy.parameters_calibrate(tuples, rows))

    def match(self, model: Model) -> str:
        """Its drive: "same", "other-firmware", "other-drive" or "unknown"."""
        handle = check_instance(model, "model", Model)._handle
        return _MATCH_WORDS[_core.energy.overlay_match(self._overlay(), handle)]

    def fitted(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """The middle of each step, and its power by the fit.

        The time is in ns on the clock of the samples. The power is NaN before the first
        I/O, and where a parameter is unknown.

        Raises:
            ValueError: it was read from a file: the samples are not in it.
        """
        run = self._run
        if run is None:
            raise ValueError(
                "the samples are not in a file of what was measured: only "
                "calibrate() has them"
            )
        begin_ns, bin_ns, power_w = _core.energy.calibration_get_fitted(
            run.setup.model._handle,
            run.setup.core(run.table),
            run.records,
            run.signal._handle,
            self._rows(),
            self._quality(),
        )
        steps = np.arange(len(power_w), dtype=np.int64)
        return begin_ns + bin_ns // 2 + bin_ns * steps, power_w

    def plot(self, kind: str = "fit", ax: Axes | None = None) -> Axes:
        """Draw it.

        Args:
            kind: "fit", the samples with the fitted power over them; "parameters", the
                interval of each parameter, and what was known before.
            ax: where to; None: a new figure.

        Raises:
            ImportError: matplotlib is not installed.
            ValueError: another kind; "fit" of one that was read from a file.
        """
        return drawn("plot_calibration", self, kind, ax)

    def to_json(self) -> str:
        """As "ssdpm.overlay/1", which ssdpm-json(5) has; --measured of the command
        reads it. Values are whole numbers of their units there, intervals rounded
        outwards: estimates with it are the same."""
        return _core.energy.overlay_to_json(
            self._overlay(), self._rows(), self._quality()
        )

    @classmethod
    def _read(cls, raw: bytes) -> Calibration:
        return cls._of(*_core.energy.overlay_from_json(raw))

    @classmethod
    def _of(
        cls,
        overlay: OverlayTuple,
        measured: list[MeasuredTuple],
        quality: QualityTuple,
        **run: Any,
    ) -> Calibration:
        numbers: dict[str, Any] = dict(zip(_QUALITY, quality))
        for name in _QUALITY[5:]:
            numbers[name] = none_if_nan(numbers[name])
        word = _CONTRADICTION_WORDS.get(quality[10])
        texts: dict[str, Any] = dict(
            zip(TEXT_BYTES, (word or None for word in overlay[8:]))
        )
        return cls(
            tuple(map(Measured._of, measured)),
            **numbers,
            meter=MeterTraits._of(quality[9]),
            contradiction=Contradiction(word) if word else None,
            n_samples=overlay[0],
            n_ios=overlay[1],
            kind=_DRIVE_WORDS[overlay[2]],
            pcie_link=_LINK_WORDS.get(overlay[3]),
            lpm=_LPM_WORDS.get(overlay[4]),
            operational_state=overlay[5],
            idle_from_start=bool(overlay[6] & _core.energy.SIM_IDLE_FROM_START),
            measured_wa=overlay[7] / 1000 if overlay[7] else None,
            **texts,
            **run,
        )

    def _rows(self) -> list[Any]:
        return [one._tuple() for one in self.measured]

    def _quality(self) -> QualityTuple:
        return (
            self.n_bins,
            self.n_spikes,
            self.bin_ns,
            self.offset_ns,
            self.offset_error_ns,
            nan_if_none(self.sigma_w),
            nan_if_none(self.drift_w),
            nan_if_none(self.noise_phi),
            nan_if_none(self.noise_share),
            self.meter._tuple(),
            _core.energy.CONTRADICTIONS[self.contradiction] if self.contradiction else 0,
        )

    def _overlay(self) -> OverlayTuple:
        def text(name: str) -> str:
            value = getattr(self, name)
            found = "" if value is None else check_text(value, name)
            most = TEXT_BYTES[name]
            if len(found.encode()) > most:
                raise InvalidError(
                    errno.EINVAL, f"{name}: longer than {most} bytes of UTF-8"
                )
            return found

        return (
            self.n_samples,
            self.n_ios,
            _core.KINDS[self.kind],
            _core.energy.PCIE_LINKS[self.pcie_link] if self.pcie_link else 0,
            _core.LPM[self.lpm] if self.lpm else 0,
            self.operational_state,
            _core.energy.SIM_IDLE_FROM_START if self.idle_from_start else 0,
            wa_milli(self.measured_wa),
            text("product"),
            text("firmware"),
            text("policy"),
            text("power_name"),
            text("trace_name"),
            text("date"),
        )

    def _summary(self) -> str:
        words = []
        if self.contradiction:
            words.append(f"refused for {self.contradiction}")
        words += [f"{len(self.known)} of {len(self.measured)} parameters known"]
        if self.sigma_w is not None:
            words.append(f"noise {in_w(self.sigma_w)} in steps of {in_s(self.bin_ns)}")
        if self.n_spikes:
            words.append(f"{self.n_spikes} of {self.n_bins} steps left out")
        if self.offset_ns or self.offset_error_ns:
            words.append(
                f"clocks {in_s(self.offset_ns)} +- {in_s(self.offset_error_ns)} apart"
            )
        return f"{self.product or 'unknown drive'}: " + ", ".join(words)

    def __str__(self) -> str:
        reached = (one for one in self.measured if one.status != "not-reached")
        notes = self.sampling._lines() if self.sampling else []
        return "\n".join([self._summary(), *(f"  {one}" for one in (*notes, *reached))])

    def __repr__(self) -> str:
        return f"<ssdpm.measure.Calibration {self._summary()}>"

    def _repr_html_(self) -> str:
        rows = (
            (
                one.name,
                str(one.status),
                one._value(),
                one._in_words(one.stated),
                one.n,
                one.reason or None,
            )
            for one in self.measured
        )
        columns = ("", "status", "measured", "stated", "n", "")
        return html_table(self._summary(), columns, rows)
