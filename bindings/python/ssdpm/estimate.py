# SPDX-License-Identifier: MIT
"""The estimate: what a policy costs and saves on a workload.

Times are whole nanoseconds and energies sums of exact integers. What nobody knows of
a drive has a low, a nominal and a high value, and so has every result. ssdpm(7) has
the semantics, ssdpm_estimate(3) the rules for what is not known.
"""

from __future__ import annotations

import copy
import errno
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, SupportsIndex, Union

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm._arrays import share
from ssdpm.base import (
    Error,
    InvalidError,
    Ongoing,
    UnsupportedError,
    Value,
    check_bool,
    check_float,
    check_instance,
    check_list,
    check_text,
    check_unsigned,
    check_word,
    check_words,
    html_table,
)
from ssdpm.device import Device, DeviceSettings
from ssdpm.model import Model, state_name
from ssdpm.policy import (
    Algorithm,
    ApstTable,
    PowerSource,
    Quirk,
    apst,
    limit_word,
    quirk_bits,
)
from ssdpm.workload import (
    OPS,
    Histogram,
    PerOp,
    Records,
    Service,
    Trace,
    record_arrays,
    service_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ssdpm.calibration import Calibration

TraceLike = Union[Trace, Records, Iterable[Union[Trace, Records]]]
"""A trace in memory, or its parts one after the other, as iter_trace() gives them."""

TableLike = Union[ApstTable, Algorithm, str, None]
"""A table, an algorithm that makes one, "today", which a device has, "auto", which is
that or what Linux does by default, or None: the drive never sleeps."""

interval_dtype: np.dtype[np.void] = _core.interval_dtype
"""Layout of struct ssdpm_interval: start_ns, energy_nj, busy_ns, idle_ns, asleep_ns,
transition_ns, n_ios, delay_sum_ns."""

change_dtype: np.dtype[np.void] = _core.change_dtype
"""time_ns, phase (PHASES has the words), state."""

PHASES: Mapping[str, int] = _core.PHASES
"""The number of each phase: busy, idle, entry, resident, exit, end."""

_DEFAULT_TABLE = "auto"
_DEFAULT_LPM = "med_power_with_dipm"
_NO_TABLE = bytes(_core.APST_BYTES)
_WINDOWS = tuple(
    f"windows:{scheme}:{source}"
    for scheme in ("balanced", "performance", "power-saver", "modern-standby")
    for source in PowerSource
)


def _words(words: Mapping[str, int]) -> dict[int, str]:
    return {number: word for word, number in words.items()}


_KIND_WORDS = _words(_core.PARAMETER_KINDS)
_PROVENANCE_WORDS = _words(_core.PROVENANCES)
_AXIS_WORDS = _words(_core.AXES)
_ROUTE_WORDS = _words(_core.ROUTES)

# What the index of a kind is; that of the others is 0.
_BY_STATE = (
    "idle_power_uw",
    "entry_latency_us",
    "exit_latency_us",
    "link_idle_time_us",
)
_SCALAR = ("transition_power_uw", "link_power_uw", "background_time_ps")


@dataclass(frozen=True, eq=False)
class Parameter(Value):
    """One thing that a simulation has to know of a drive.

    Attributes:
        kind: as in "idle_power_uw"; the name has the unit.
        index: number of the state, of the operation (0 for "read", and so on in the
            order of OPS), or 0.
        provenance: "reported", "measured", "catalogue", "assumed", or "stated" for one
            that was overridden.
        low, nominal, high: its value; all three are the same where it is known.
        rule: one line: where it comes from.
    """

    kind: str
    index: int
    provenance: str
    low: int
    nominal: int
    high: int
    rule: str

    def _tuple(self) -> tuple[int, int, int, int, int, int, str]:
        return (
            _core.PARAMETER_KINDS[self.kind],
            self.index,
            _core.PROVENANCES[self.provenance],
            self.low,
            self.nominal,
            self.high,
            self.rule,
        )


def check_parameters(parameters: object, name: str = "parameters") -> tuple[Any, ...]:
    """Several of them, as parameters() gives them."""
    listed = check_list(parameters, name, "ssdpm.Parameter")
    return tuple(check_instance(one, name, Parameter) for one in listed)


_ParameterTuples = list[tuple[int, int, int, int, int, int, str]]


def _parameters(tuples: _ParameterTuples) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(_KIND_WORDS[one[0]], one[1], _PROVENANCE_WORDS[one[2]], *one[3:])
        for one in tuples
    )


def _number(value: object, name: str, watts: bool) -> int:
    if not watts:
        return check_unsigned(value, name, 2**64 - 1)
    number = check_float(value, name, "watts are")
    if not 0 <= number <= 1e12:
        raise InvalidError(errno.EINVAL, f"{name}: {number:g} W is no power")
    return round(number * 1e6)


def _values(value: object, name: str, watts: bool) -> tuple[int, int, int]:
    """A number, which is certain, or (low, nominal, high)."""
    if not isinstance(value, (tuple, list)):
        value = (value, value, value)
    if len(value) != 3:
        raise ValueError(f"{name}: a number or (low, nominal, high) is needed")
    low, nominal, high = (_number(one, name, watts) for one in value)
    return low, nominal, high


def _state_index(model: Model, key: object, name: str) -> int:
    """Of 4, "PS4" or, on SATA, "slumber"."""
    if not isinstance(key, str):
        return check_unsigned(key, name, 2**32 - 1)
    for number, state in enumerate(model.power_states):
        if key in (f"PS{number}", state.link_state):
            return number
    raise ValueError(f"{name}: {key!r} is no state of this drive")


def _items(model: Model, kind: str, name: str, value: object) -> Iterator[Any]:
    """(index, value) of what one override names."""
    if kind in _SCALAR:
        yield 0, value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            if kind in _BY_STATE:
                yield _state_index(model, key, name), one
            else:
                yield OPS[check_word(key, name, OPS)] - 1, one
    elif kind not in _BY_STATE:
        for index in range(len(OPS)):
            yield index, value
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for index, one in enumerate(value):
            if one is not None:
                yield index, one
    else:
        raise TypeError(
            f"{name}: a dict by state is needed, as {{'PS0': ...}}, or a list"
        )


def _measured_rows(measured: object, model: Model) -> list[Any]:
    """What was measured, if it is of this drive."""
    from ssdpm.calibration import Calibration

    if not isinstance(measured, Calibration):
        raise TypeError(
            "measured: an ssdpm.measure.Calibration is needed, not "
            f"{type(measured).__name__}; Calibration.load() reads a file"
        )
    if measured.match(model) == "other-drive":
        raise InvalidError(
            errno.EINVAL,
            f"measured: it is of {measured.product!r}, and the drive is "
            f"{model.product!r}: pass parameters=measured.parameters(model) to take it "
            "all the same",
        )
    return [one._tuple() for one in measured.measured]


def _model_of(model: Model | Device) -> tuple[Model, DeviceSettings | None]:
    """A drive, and what the machine of a device says."""
    if not isinstance(model, Device):
        return check_instance(model, "model", Model), None
    found = model.model()
    return found, model.settings(found)


def _link_of(pcie_link: str | None, settings: DeviceSettings | None) -> str | None:
    """A word of PCIE_LINKS; None: not known."""
    if pcie_link is None:
        return None
    if check_word(pcie_link, "pcie_link", [*_core.PCIE_LINKS, "auto"]) != "auto":
        return pcie_link
    return "l1.2" if settings is None else settings.pcie_link


def parameters(
    model: Model | Device,
    pcie_link: str | None = "auto",
    measured: Calibration | None = None,
    spare: float | None = None,
    measured_wa: float | None = None,
    **overrides: object,
) -> tuple[Parameter, ...]:
    """What is known and what is assumed of a drive, sorted by kind and index.

    Args:
        model: a drive, or a device, whose model() it is then.
        pcie_link: "l0", "l1" or "l1.2": the state of the PCIe link while the drive is
            in a non-operational state; SATA drives have none. None: not known, and the
            power of the link is a range from the best to the worst. "auto": as the
            machine of a device has it (None where it does not say), else "l1.2".
        measured: what ssdpm.measure.calibrate() found of this drive, in place of what
            is assumed.
        spare: the spare factor of its flash, as for ssdpm.wa.calculate(): the work of
            garbage collection behind each written byte, background_time_ps, and what
            that adds to the byte energy of writes, scaled from all that is known of
            them, at no more than the maximum power of the drive. Nominal is that of even
            writes, low that of writes in sequence (none), high that of a drive that
            collects any block; ssdpm.wa.background() says how long it works for it.
            None: not known, and nothing of it is in an estimate.
        measured_wa: the write amplification at which its writes were measured; None:
            what measured says of it, or 1, that of erased flash.
        **overrides: values of your own by kind, the name with its unit:
            idle_power_uw, active_power_uw, transition_power_uw, link_power_uw,
            entry_latency_us, exit_latency_us, base_latency_ns,
            bandwidth_bytes_per_second, operation_energy_nj, byte_energy_pj,
            link_idle_time_us, background_time_ps; the powers in watts too, as
            idle_power_w. A value is a number, which is then certain, or (low, nominal,
            high). Of a state: a dict by its number or name, or a list of all states
            with None for "as it is"; of an operation: a dict by its word, or one value
            for all::

                ssdpm.parameters(model, idle_power_w={"PS0": (0.4, 0.5, 0.8)})
                ssdpm.parameters(model, exit_latency_us={4: 51_000})
                ssdpm.parameters(model, active_power_w={"read": 2.5, "write": 3.1})

    Raises:
        NotFoundError: the drive has no such parameter.
        InvalidError, RangeError: not low <= nominal <= high, or beyond its range.
        TypeError, ValueError: an argument of another type, an unknown word.
    """
    model, settings = _model_of(model)
    handle = model._handle
    link = _link_of(pcie_link, settings)
    found = _core.parameters_from_model(
        handle, 0 if link is None else _core.PCIE_LINKS[link]
    )
    if measured is not None:
        found = _core.parameters_calibrate(found, _measured_rows(measured, model))
    for name, value in overrides.items():
        watts = name.endswith("_power_w")
        kind = name[:-1] + "uw" if watts else name
        if kind not in _core.PARAMETER_KINDS:
            known = ", ".join(_core.PARAMETER_KINDS)
            raise TypeError(f"parameters() has no argument {name!r}; kinds are {known}")
        number = _core.PARAMETER_KINDS[kind]
        for index, one in _items(model, kind, name, value):
            values = _values(one, name, watts)
            found = _core.parameters_set(found, number, index, *values)
    if spare is not None and measured_wa is None and measured is not None:
        measured_wa = measured.measured_wa
    return _parameters(_with_spare(handle, found, spare, measured_wa))


def _with_spare(
    handle: _core.Model,
    found: _ParameterTuples,
    spare: float | None,
    measured_wa: float | None,
) -> _ParameterTuples:
    """Last: it is a factor of all that was measured and stated."""
    from ssdpm import wa

    start = wa.check_measured_wa(1.0 if measured_wa is None else measured_wa)
    if spare is None:
        if measured_wa is not None:
            raise InvalidError(
                errno.EINVAL, "measured_wa: it says where spare starts: pass both"
            )
        return found
    return _core.parameters_set_spare(handle, found, wa.check_spare(spare), start)[0]


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
        mean_power_uw: energy by duration. Where background_ns is more than all time
            without I/O, the drive never sleeps, and works longer: then that of I/Os
            and of the work behind them, over the time that these take.
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

    @property
    def energy_j(self) -> float:
        """energy_nj in joules."""
        return self.energy_nj / 1e9

    @property
    def mean_power_w(self) -> float:
        """mean_power_uw in watts."""
        return self.mean_power_uw / 1e6

    @property
    def duration_s(self) -> float:
        """duration_ns in seconds."""
        return self.duration_ns / 1e9

    @property
    def delay_mean_s(self) -> float:
        """delay_mean_ns in seconds."""
        return self.delay_mean_ns / 1e9

    @property
    def delay_p99_s(self) -> float:
        """delay_p99_ns in seconds."""
        return self.delay_p99_ns / 1e9

    @property
    def delay_max_s(self) -> float:
        """delay_max_ns in seconds."""
        return self.delay_max_ns / 1e9

    @property
    def delayed_share(self) -> float:
        """n_delayed by all I/Os, 0 to 1."""
        n = sum(self.n_ios)
        return self.n_delayed / n if n else 0.0


_PER_OP = ("busy_ns_by_op", "n_ios", "bytes")


def _run(numbers: np.void, n_states: int) -> Run:
    values: dict[str, Any] = dict(zip(numbers.dtype.names or (), numbers.tolist()))
    for name in _PER_OP:
        values[name] = PerOp(*values[name].tolist())
    rows = numbers["states"][: max(n_states, 1)].tolist()
    values["states"] = tuple(Residency(i, *row) for i, row in enumerate(rows))
    return Run(**values)


@dataclass(frozen=True, eq=False)
class Saving(Value):
    """What one policy saves against another; both are taken at the same corner.

    Attributes:
        low_nj, nominal_nj, high_nj: energy of the other minus that of the one; below 0
            it costs. low and high are the least and the most over all corners.
        low_uw, nominal_uw, high_uw: likewise mean power.
    """

    low_nj: int
    nominal_nj: int
    high_nj: int
    low_uw: int
    nominal_uw: int
    high_uw: int

    def kwh_per_year(self) -> tuple[float, float, float]:
        """low, nominal and high, if the workload went on for 365 days."""
        low, nominal, high = (
            uw * 365 * 24 / 1e9 for uw in (self.low_uw, self.nominal_uw, self.high_uw)
        )
        return low, nominal, high

    def battery_minutes(
        self, battery_wh: float, machine_w: float
    ) -> tuple[float, float, float]:
        """low, nominal and high: how much longer a battery lasts.

        Args:
            battery_wh: what it holds.
            machine_w: what the whole machine draws before the change.

        Raises:
            ValueError: not above 0, or less than what is saved.
        """
        savings = [uw / 1e6 for uw in (self.low_uw, self.nominal_uw, self.high_uw)]
        battery_wh = check_float(battery_wh, "battery_wh")
        machine_w = check_float(machine_w, "machine_w")
        if not (battery_wh > 0 and machine_w > max(0, *savings)):
            raise ValueError("battery_wh, machine_w: too little for such a machine")
        low, nominal, high = (
            60 * (battery_wh / (machine_w - w) - battery_wh / machine_w)
            for w in savings
        )
        return low, nominal, high

    def __str__(self) -> str:
        return f"{_mw(self.nominal_uw)} mW ({_mw(self.low_uw)}..{_mw(self.high_uw)})"


def _mw(uw: int) -> str:
    return f"{uw / 1e3:.4g}"


def _ms(ns: int) -> str:
    return f"{ns / 1e6:.4g}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole if whole else 0:.3g} %"


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Value):
    """What a policy costs on a workload, with bounds.

    Attributes:
        model: the drive.
        table: its APST table; None: it never sleeps, or it is a SATA drive.
        lpm: the link policy of a SATA drive, or None.
        loop: "closed" or "open".
        parameters: what was taken for known.
        nominal: every parameter at its nominal value.
        low, high: member by member the minimum and maximum over all corners of what is
            not known, and the nominal run: each alone, so their sums need not fit.
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
        from ssdpm import plot

        return plot.plot_estimate(self, kind, ax)

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
        low, high = _mw(self.low.mean_power_uw), _mw(self.high.mean_power_uw)
        return (
            f"{_mw(run.mean_power_uw)} mW ({low}..{high}) over {run.duration_s:.6g} s, "
            f"{run.n_wakes} wakes, "
            f"{100 * run.delayed_share:.3g} % of I/Os delayed, "
            f"p99 {_ms(run.delay_p99_ns)} ms"
        )

    def __repr__(self) -> str:
        return f"<ssdpm.Estimate {self.model.product!r}: {self._summary()}>"

    def _repr_html_(self) -> str:
        run = self.nominal
        rows = (
            (
                what,
                f"{time_ns / 1e9:.6g} s",
                _percent(time_ns, run.duration_ns),
                f"{energy_nj / 1e9:.6g} J",
                _percent(energy_nj, run.energy_nj),
                entries or None,
            )
            for what, time_ns, energy_nj, entries in self._rows()
        )
        columns = ("state", "time", "", "energy", "", "entries")
        caption = f"{self.model.product or 'unknown drive'}: {self._summary()}"
        return html_table(caption, columns, rows)


def _table(
    model: Model,
    table: TableLike,
    known: Sequence[Parameter],
    quirks: Iterable[Quirk | str] | str = "auto",
    name: str = "table",
) -> ApstTable | None:
    """A table of what estimate() takes for one."""
    if table is None or isinstance(table, ApstTable):
        return table
    words = [*_core.ALGORITHMS, *_WINDOWS, "none", "today", "auto"]
    word = check_word(table, name, words)
    if word == "none":
        return None
    algorithm, *rest = word.split(":")
    if word != "lower-envelope":
        scheme, source = rest or (None, None)
        return apst(
            model,
            algorithm=algorithm,
            scheme=scheme,
            power_source=source,
            quirks="auto" if algorithm == "windows" else quirks,
        )
    transition = next(
        (p.nominal for p in known if p.kind == "transition_power_uw"), None
    )
    return apst(
        Model._wrap(
            _core.parameters_to_model(model._handle, [one._tuple() for one in known])
        ),
        algorithm=word,
        transition_power_uw=transition,
        quirks=_quirk_words(quirk_bits(model, quirks, _core.ALGORITHMS[word])),
    )


def _quirk_words(bits: int) -> list[str]:
    return [word for word, bit in _core.QUIRKS.items() if bits & bit]


def _apst_quirks(quirks: Iterable[Quirk]) -> list[str]:
    return [str(one) for one in quirks if str(one) in ("no-apst", "no-deepest-ps")]


class _Setup:
    """What all that is simulated has in common, checked."""

    def __init__(
        self,
        model: Model | Device,
        *,
        loop: str = "closed",
        lpm: str | None = None,
        pcie_link: str | None = "auto",
        parameters: Iterable[Parameter] | None = None,
        measured: Calibration | None = None,
        spare: float | None = None,
        idle_from_start: bool = False,
        interval_ns: SupportsIndex | None = None,
    ) -> None:
        self.model, self.settings = _model_of(model)
        model = self.model
        self.pcie_link = _link_of(pcie_link, self.settings)
        self.loop = check_word(loop, "loop", _core.LOOPS)
        if parameters is None:
            self.parameters = _parameters_of(
                model, self.pcie_link, measured, spare
            )
        elif spare is not None:
            raise ValueError(
                "parameters, spare: one of both is needed, not both: pass "
                "parameters=ssdpm.parameters(model, spare=spare, ...)"
            )
        elif measured is not None:
            raise ValueError(
                "parameters, measured: one of both is needed, not both: pass "
                "parameters=ssdpm.parameters(model, measured=measured, ...)"
            )
        else:
            self.parameters = check_parameters(parameters)
        if not self.parameters:
            raise InvalidError(errno.EINVAL, "parameters: there is none")
        if lpm is not None and model.kind != "sata":
            raise InvalidError(
                errno.EINVAL, "lpm: a link policy is for SATA drives, this is none"
            )
        if lpm is None and model.kind == "sata":
            lpm = self.settings.lpm if self.settings else _DEFAULT_LPM
        self.lpm = None if lpm is None else check_word(lpm, "lpm", _core.LPM)
        self.flags = 0
        if check_bool(idle_from_start, "idle_from_start"):
            self.flags |= _core.SIM_IDLE_FROM_START
        self.interval_ns = (
            0
            if interval_ns is None
            else check_unsigned(interval_ns, "interval_ns", 2**64 - 1)
        )

    def today(self) -> ApstTable | None:
        """The table that the machine of a device has, if it says so."""
        return None if self.settings is None else self.settings.apst

    def table(self, table: TableLike, name: str = "table") -> ApstTable | None:
        if self.model.kind == "nvme":
            table = self.named(table)
            if isinstance(table, str) and table == "today":
                table = self._known_today()
            return _table(self.model, table, self.parameters, self.quirks(), name)
        if table is None or table in (_DEFAULT_TABLE, "linux"):
            return None
        raise UnsupportedError(
            errno.EOPNOTSUPP, "table: a SATA drive has none; lpm is its policy"
        )

    def named(self, table: TableLike) -> TableLike:
        """What "auto" is here."""
        if not isinstance(table, str) or table != "auto":
            return table
        return "today" if self.today() else "linux"

    def _known_today(self) -> ApstTable:
        today = self.today()
        if today is None:
            raise UnsupportedError(
                errno.EOPNOTSUPP, "today: only a device has it, whose machine says so"
            )
        return today

    def table_or_none(self, table: TableLike, name: str) -> ApstTable:
        """The same where C wants a table: None is one without entries."""
        found = self.table(table, name)
        return (
            ApstTable.from_bytes(_NO_TABLE, enabled=False) if found is None else found
        )

    def quirks(self) -> Iterable[Quirk | str] | str:
        """Those that the machine of a device says, else those of Linux."""
        if self.settings is None or self.settings.quirks is None:
            return "auto"
        return _apst_quirks(self.settings.quirks)

    def core(self, table: ApstTable | None, state: int = 0) -> _core.SimParams:
        return _core.SimParams(
            [one._tuple() for one in self.parameters],
            None if table is None else table._handle,
            0 if self.lpm is None else _core.LPM[self.lpm],
            _core.LOOPS[self.loop],
            self.flags,
            state,
            self.interval_ns,
        )


def _parameters_of(
    model: Model, pcie_link: str | None, measured: Calibration | None, spare: float | None
) -> tuple[Parameter, ...]:
    return parameters(model, pcie_link, measured, spare)


def _end(end_ns: SupportsIndex | None) -> int:
    return 0 if end_ns is None else check_unsigned(end_ns, "end_ns", 2**64 - 1)


class Simulation(Ongoing):
    """A simulation that is fed piece by piece, in constant memory::

        simulation = ssdpm.Simulation(model)
        for part in ssdpm.iter_trace("trace.gz"):
            simulation.feed(part)
        print(simulation.finish())

    Args and errors: as estimate(). With changes=True, each change takes 16 bytes; with
    interval_ns, each interval 64.
    """

    __slots__ = ("_changes", "_handle", "_setup", "_table")

    def __init__(
        self,
        model: Model | Device,
        table: TableLike = _DEFAULT_TABLE,
        *,
        loop: str = "closed",
        lpm: str | None = None,
        pcie_link: str | None = "auto",
        parameters: Iterable[Parameter] | None = None,
        measured: Calibration | None = None,
        spare: float | None = None,
        idle_from_start: bool = False,
        interval_ns: SupportsIndex | None = None,
        changes: bool = False,
    ) -> None:
        self._begin(
            _Setup(
                model,
                loop=loop,
                lpm=lpm,
                pcie_link=pcie_link,
                parameters=parameters,
                measured=measured,
                spare=spare,
                idle_from_start=idle_from_start,
                interval_ns=interval_ns,
            ),
            table,
            check_bool(changes, "changes"),
        )

    def _begin(self, setup: _Setup, table: TableLike, changes: bool) -> None:
        self._setup = setup
        self._changes = changes
        self._table = setup.table(table)
        self._handle = _core.Sim(setup.model._handle, setup.core(self._table), changes)

    @classmethod
    def _of(cls, setup: _Setup, table: TableLike) -> Simulation:
        self = cls.__new__(cls)
        self._begin(setup, table, False)
        return self

    def feed(self, trace: TraceLike) -> None:
        """The next records, any number at a time; the GIL is released.

        Raises:
            InvalidError: start_ns descends, or an operation is unknown; the message has
                the index, counted from the first record.
            RangeError: a time beyond 2^64 ns.
        """
        for records in record_arrays(trace):
            self._handle.feed(records)

    def finish(self, end_ns: SupportsIndex | None = None) -> Estimate:
        """End it; what end_ns is, see estimate().

        Raises:
            UnknownValueError: there was no record.
            RangeError: a time or an energy beyond 64 bits.
            InvalidError: it was finished before.
        """
        (
            runs,
            assumed_nj,
            axes,
            n_corners,
            widest,
            low_nj,
            high_nj,
            delays,
            intervals,
            changes,
        ) = self._handle.finish(_end(end_ns))
        setup = self._setup
        nominal, low, high = (_run(run, len(setup.model)) for run in runs)
        words = [w for n, w in _AXIS_WORDS.items() if axes >> (n - 1) & 1]
        for array in (intervals, changes):
            array.flags.writeable = False
        return Estimate(
            model=setup.model,
            table=self._table,
            lpm=setup.lpm,
            loop=setup.loop,
            parameters=setup.parameters,
            nominal=nominal,
            low=low,
            high=high,
            assumed_nj=assumed_nj,
            axes=tuple(words),
            n_corners=n_corners,
            widest_axis=_AXIS_WORDS.get(widest),
            axis_energy_nj={
                w: (low_nj[_core.AXES[w] - 1], high_nj[_core.AXES[w] - 1])
                for w in words
            },
            delays=Histogram(delays),
            intervals=intervals if setup.interval_ns else None,
            changes=changes if self._changes else None,
        )

    def __repr__(self) -> str:
        return f"<ssdpm.Simulation of {self._setup.model!r}>"


def estimate(
    model: Model | Device,
    trace: TraceLike,
    table: TableLike = _DEFAULT_TABLE,
    *,
    loop: str = "closed",
    lpm: str | None = None,
    pcie_link: str | None = "auto",
    parameters: Iterable[Parameter] | None = None,
    measured: Calibration | None = None,
    spare: float | None = None,
    idle_from_start: bool = False,
    end_ns: SupportsIndex | None = None,
    interval_ns: SupportsIndex | None = None,
    changes: bool = False,
) -> Estimate:
    """What a policy costs on a workload.

    Args:
        model: a drive, or a device: then what its machine says of its link, its quirks
            and its policy counts, unless it is passed; Device.settings() has it.
        trace: a Trace, an array of IO_DTYPE, or an iterator of them, as iter_trace();
            memory is constant then.
        table: an ApstTable; the name of an algorithm of apst(), which makes it with its
            defaults and the quirks of Linux, as in "linux" or
            "windows:balanced:battery"; "today": what the machine of a device does; or
            None, or "none": the drive never sleeps. "auto" is "today", and "linux"
            where no machine says. "lower-envelope" takes the nominal values of
            what the drive does not report. A SATA drive has no table.
        loop: "closed": the host waits for a delayed I/O, idle times stand and all that
            is later moves; "open": arrival times stand.
        lpm: the link policy of a SATA drive, a word as Linux has it;
            "keep_firmware_settings" is unknown, and so a range; a saving against it can
            be higher than its range says, unless the timers of the link are stated.
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
        interval_ns: length of the pieces in Estimate.intervals; None: none.
        changes: record each change of state in Estimate.changes.

    Raises:
        InvalidError: the trace goes back in time (the message has the index), a table
            that is not sound, or a policy of the other kind of drive.
        UnknownValueError: the trace is empty, or something that has to be known is not,
            and the message says what.
        RangeError: a time or an energy beyond 64 bits.
        TypeError, ValueError: an argument of another type, an unknown word.
    """
    simulation = Simulation(
        model,
        table,
        loop=loop,
        lpm=lpm,
        pcie_link=pcie_link,
        parameters=parameters,
        measured=measured,
        spare=spare,
        idle_from_start=idle_from_start,
        interval_ns=interval_ns,
        changes=changes,
    )
    simulation.feed(trace)
    return simulation.finish(end_ns)


@dataclass(frozen=True, eq=False)
class ComparedPolicy(Value):
    """One policy of a comparison.

    Attributes:
        names: of all policies that are the same table, at least one.
        estimate: what it costs.
        saving: against the first policy; all 0 for that one.
    """

    names: tuple[str, ...]
    estimate: Estimate
    saving: Saving


_NVME_POLICIES = ("linux", "linux-legacy", *_WINDOWS, "lower-envelope", "none")
_SATA_POLICIES = (
    _DEFAULT_LPM,
    "medium_power",
    "min_power_with_partial",
    "min_power",
    "none",
)


def default_policies(model: Model | Device) -> tuple[str, ...]:
    """The policies that compare() looks at unless it is told; those of the command.

    NVMe: "linux", "linux-legacy", "windows:SCHEME:SOURCE", "lower-envelope", "none".
    SATA: the link policies of Linux, and "none". A device has "today" before these:
    what its machine does.
    """
    model, settings = _model_of(model)
    usual = _SATA_POLICIES if model.kind == "sata" else _NVME_POLICIES
    known = settings is not None and (model.kind == "sata" or settings.apst)
    return ("today", *usual) if known else usual


def _named(
    policies: Mapping[str, Any] | Iterable[Any], name: str
) -> list[tuple[str, Any]]:
    """Policies with their names, or with one that says what they are."""
    if isinstance(policies, Mapping):
        for key in policies:
            check_text(key, f"{name}: the name of one")
        return list(policies.items())
    named = []
    for number, policy in enumerate(check_words(policies, name, "policies")):
        word = "none" if policy is None else f"table {number}"
        named.append((str(policy) if isinstance(policy, str) else word, policy))
    return named


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Value):
    """Policies on the same workload; it is a sequence of ComparedPolicy.

    Attributes:
        policies: each table once, with all its names.
        skipped: names of policies that this drive cannot have, and why.
    """

    policies: tuple[ComparedPolicy, ...]
    skipped: dict[str, str]

    def __len__(self) -> int:
        """The number of different policies."""
        return len(self.policies)

    def __iter__(self) -> Iterator[ComparedPolicy]:
        return iter(self.policies)

    def __getitem__(self, key: str | SupportsIndex) -> ComparedPolicy:
        if not isinstance(key, str):
            return self.policies[key]
        for policy in self.policies:
            if key in policy.names:
                return policy
        raise KeyError(key)

    def to_records(self) -> npt.NDArray[np.void]:
        """A row for each policy, for pandas.DataFrame and the like.

        The columns: names, joined by ", "; energy, mean power and saving as low,
        nominal and high; the added latencies and counts of the nominal run.
        """
        rows = []
        for policy in self.policies:
            row: dict[str, Any] = {"names": ", ".join(policy.names)}
            estimate = policy.estimate
            for corner in ("low", "nominal", "high"):
                run: Run = getattr(estimate, corner)
                row[f"energy_{corner}_nj"] = run.energy_nj
                row[f"mean_power_{corner}_uw"] = run.mean_power_uw
                row[f"saving_{corner}_nj"] = getattr(policy.saving, f"{corner}_nj")
                row[f"saving_{corner}_uw"] = getattr(policy.saving, f"{corner}_uw")
            for name in _COMPARED:
                row[name] = getattr(estimate.nominal, name)
            rows.append(row)
        width = max((len(row["names"]) for row in rows), default=1)
        dtype = [
            (name, f"U{width}" if name == "names" else _signed(name))
            for name in (rows[0] if rows else {})
        ]
        return np.array([tuple(row.values()) for row in rows], dtype=dtype)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw mean power against mean added latency, and the frontier.

        Args:
            ax: where to; None: a new figure.

        Raises:
            ImportError: matplotlib is not installed.
        """
        from ssdpm import plot

        return plot.plot_comparison(self, ax)

    def __repr__(self) -> str:
        lines = [
            f"  {', '.join(p.names)}: {p.estimate._summary()}; saves {p.saving}"
            for p in self.policies
        ]
        return "\n".join(["<ssdpm.Comparison", *lines]) + ">"

    def _repr_html_(self) -> str:
        columns = (
            "policy",
            "mean power (low..high)",
            "saves (low..high)",
            "delayed",
            "mean delay",
            "p99",
            "max",
            "wakes",
        )
        rows = []
        for policy in self.policies:
            estimate, run = policy.estimate, policy.estimate.nominal
            low, high = estimate.low.mean_power_uw, estimate.high.mean_power_uw
            rows.append(
                (
                    ", ".join(policy.names),
                    f"{_mw(run.mean_power_uw)} mW ({_mw(low)}..{_mw(high)})",
                    str(policy.saving),
                    f"{100 * run.delayed_share:.3g} %",
                    f"{_ms(run.delay_mean_ns)} ms",
                    f"{_ms(run.delay_p99_ns)} ms",
                    f"{_ms(run.delay_max_ns)} ms",
                    run.n_wakes,
                )
            )
        product = self.policies[0].estimate.model.product if self.policies else None
        return html_table(product or "unknown drive", columns, rows)


_COMPARED = (
    "n_wakes",
    "n_deepest",
    "deepest_per_day",
    "n_delayed",
    "delay_mean_ns",
    "delay_p50_ns",
    "delay_p99_ns",
    "delay_p999_ns",
    "delay_max_ns",
)


def _signed(name: str) -> str:
    return "i8" if name.startswith("saving") else "u8"


def _simulations(
    setup: _Setup, named: list[tuple[str, Any]], optional: bool
) -> tuple[list[tuple[list[str], Simulation]], dict[str, str]]:
    """A simulation for each different policy, with its names."""
    found: list[tuple[list[str], Any, Simulation]] = []
    skipped: dict[str, str] = {}
    for name, policy in named:
        try:
            simulation = _simulation(setup, policy)
        except Error as error:
            if not optional or not (found or len(skipped) + 1 < len(named)):
                raise
            skipped[name] = str(error)
            continue
        key = simulation._setup.lpm or _transitions(simulation._table)
        same = next((names for names, other, _ in found if other == key), None)
        if same is not None:
            same.append(name)
        else:
            found.append(([name], key, simulation))
    return [(names, simulation) for names, _, simulation in found], skipped


def _transitions(table: ApstTable | None) -> object:
    """What a drive does with a table: nothing, where it is not in force."""
    if table is None or not (table.sent and table.enabled):
        return ()
    return tuple(entry for entry in table.entries if entry.idle_ms)


def _simulation(setup: _Setup, policy: TableLike) -> Simulation:
    if setup.model.kind != "sata":
        return Simulation._of(setup, setup.table(policy, "policies"))
    if policy is None or policy == "none":
        policy = "max_performance"
    own = copy.copy(setup)
    if policy == "today" and setup.settings is not None:
        own.lpm = setup.settings.lpm
    else:
        own.lpm = check_word(policy, "policies", _core.LPM)
    return Simulation._of(own, None)


def compare(
    model: Model | Device,
    trace: TraceLike,
    policies: Mapping[str, TableLike] | Iterable[TableLike] | None = None,
    *,
    loop: str = "closed",
    pcie_link: str | None = "auto",
    parameters: Iterable[Parameter] | None = None,
    measured: Calibration | None = None,
    spare: float | None = None,
    idle_from_start: bool = False,
    end_ns: SupportsIndex | None = None,
) -> Comparison:
    """Estimate several policies on one workload, and what each saves against the first.

    The trace is read once. Policies that are the same table are taken together.

    Args:
        policies: names and what estimate() takes for a table (SATA: for lpm); or a list
            of these without names; None: default_policies(model), without those that
            this drive cannot have: they are in Comparison.skipped.
        And as estimate().

    Raises:
        As estimate().
    """
    setup = _Setup(
        model,
        loop=loop,
        pcie_link=pcie_link,
        parameters=parameters,
        measured=measured,
        spare=spare,
        idle_from_start=idle_from_start,
    )
    named = _named(
        default_policies(model) if policies is None else policies, "policies"
    )
    if not named:
        raise ValueError("policies: at least one is needed")
    simulations, skipped = _simulations(setup, named, policies is None)
    for records in record_arrays(trace):
        for _, simulation in simulations:
            simulation.feed(records)
    estimates = [simulation.finish(end_ns) for _, simulation in simulations]
    first = simulations[0][1]._handle
    return Comparison(
        tuple(
            ComparedPolicy(tuple(names), one, Saving(*first.saving(simulation._handle)))
            for (names, simulation), one in zip(simulations, estimates)
        ),
        skipped,
    )


class Gaps:
    """The idle times of a trace, collected once for many questions.

    Where sweep(), best_table(), clairvoyant() and recommend() take a trace, they take
    one of these too. It never changes, and threads may share it.

    Args:
        trace: as estimate().
        service: for records without a service time: a drive has its own,
            Service.from_parameters(ssdpm.parameters(model)). None: they take no time.
        end_ns: as estimate().

    Raises:
        UnknownValueError: the trace is empty.
        And as Simulation.feed().
    """

    __slots__ = ("_handle",)

    def __init__(
        self,
        trace: TraceLike,
        service: Service | None = None,
        end_ns: SupportsIndex | None = None,
    ) -> None:
        handle = _core.Gaps(service_numbers(service))
        for records in record_arrays(trace):
            handle.feed(records)
        handle.finish(_end(end_ns))
        self._handle = handle

    @property
    def idle_ns(self) -> npt.NDArray[np.uint64]:
        """The idle times before I/Os, ascending, read-only; no copy."""
        return self._handle.idle_ns

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        """idle_ns, for numpy.asarray(); the same memory, unless a copy is due."""
        return share(self.idle_ns, dtype, copy)

    def __len__(self) -> int:
        """The number of idle times."""
        return len(self.idle_ns)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        """The same idle times and work, so that every answer is the same."""
        if not isinstance(other, Gaps):
            return NotImplemented
        return (
            self._handle is other._handle
            or self._handle.to_data() == other._handle.to_data()
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _gaps_from, (self._handle.to_data(),)

    def __repr__(self) -> str:
        return f"<ssdpm.Gaps {len(self)} idle times>"


def _gaps_from(data: bytes) -> Gaps:
    self = Gaps.__new__(Gaps)
    self._handle = _core.Gaps(data)
    return self


def _gaps(
    setup: _Setup, trace: TraceLike | Gaps, end_ns: SupportsIndex | None
) -> _core.Gaps:
    if not isinstance(trace, Gaps):
        service = Service.from_parameters(setup.parameters)
        return Gaps(trace, service, end_ns)._handle
    if end_ns is not None:
        raise ValueError("end_ns: the idle times are those of a trace that has ended")
    return trace._handle


def _sweep_columns(n_states: int) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """(column, where it lies in struct ssdpm_run)."""
    for field in fields(Run):
        if field.name in _PER_OP:
            name = field.name.replace("_by_op", "")
            for index, op in enumerate(OPS):
                yield f"{name}_{op}", (field.name, index)
        elif field.name != "states":
            yield field.name, (field.name,)
    for state in range(n_states):
        for field in fields(Residency)[1:]:
            yield f"ps{state}_{field.name}", ("states", state, field.name)


def sweep(
    model: Model | Device,
    trace: TraceLike | Gaps,
    tables: Mapping[str, TableLike] | Iterable[TableLike],
    *,
    pcie_link: str | None = "auto",
    parameters: Iterable[Parameter] | None = None,
    measured: Calibration | None = None,
    spare: float | None = None,
    idle_from_start: bool = False,
    end_ns: SupportsIndex | None = None,
) -> npt.NDArray[np.void]:
    """The nominal run of many tables of an NVMe drive, in the closed loop.

    A table costs microseconds here, however long the trace is.

    Args:
        tables: what estimate() takes for a table, with names or without.
        And as estimate().

    Returns:
        An array with a row for each table, in their order, which pandas.DataFrame
        takes: name, energy_j, mean_power_w and the members of Run, those of operations
        as n_ios_read and so on, those of states as ps4_time_ns. Quantiles are exact.

    Raises:
        As estimate(); InvalidError, UnsupportedError: not an NVMe drive.
    """
    setup = _Setup(
        model,
        pcie_link=pcie_link,
        parameters=parameters,
        measured=measured,
        spare=spare,
        idle_from_start=idle_from_start,
    )
    named = _named(tables, "tables")
    names = [name for name, _ in named]
    made = [setup.table_or_none(table, "tables")._handle for _, table in named]
    gaps = _gaps(setup, trace, end_ns)
    runs = _core.gaps_sweep(gaps, setup.model._handle, setup.core(None), made)
    columns = dict(_sweep_columns(len(setup.model)))
    width = max((len(name) for name in names), default=0) or 1
    dtype = [("name", f"U{width}"), ("energy_j", "f8"), ("mean_power_w", "f8")]
    result = np.empty(len(runs), dtype + [(name, "u8") for name in columns])
    result["name"] = names
    result["energy_j"] = runs["energy_nj"] / 1e9
    result["mean_power_w"] = runs["mean_power_uw"] / 1e6
    for name, (member, *place) in columns.items():
        column = runs[member]
        for index in place:
            column = column[index] if isinstance(index, str) else column[:, index]
        result[name] = column
    return result


def clairvoyant(
    model: Model | Device,
    trace: TraceLike | Gaps,
    *,
    pcie_link: str | None = "auto",
    parameters: Iterable[Parameter] | None = None,
    measured: Calibration | None = None,
    spare: float | None = None,
    end_ns: SupportsIndex | None = None,
) -> Run:
    """The least energy that a table could ever reach on a workload, closed loop.

    What somebody who knows the end of each idle time would do: the cheapest of staying
    awake and of going at once to one state, with the same exits to wait for. The
    regret of a policy is its energy minus this.

    Args and errors: as sweep().
    """
    setup = _Setup(
        model,
        pcie_link=pcie_link,
        parameters=parameters,
        measured=measured,
        spare=spare,
    )
    gaps = _gaps(setup, trace, end_ns)
    [run] = _core.gaps_clairvoyant(gaps, setup.model._handle, setup.core(None))
    return _run(run, len(setup.model))


@dataclass(frozen=True, eq=False)
class BestTable(Value):
    """What best_table() found.

    Attributes:
        table: one without entries where nothing saves.
        run: its nominal run.
        energy_bound_nj: no table with whole milliseconds costs less.
    """

    table: ApstTable
    run: Run
    energy_bound_nj: int

    @property
    def exact(self) -> bool:
        """Whether no table is better."""
        return self.energy_bound_nj == self.run.energy_nj


def _bounds(
    setup: _Setup,
    max_delay_mean_ns: SupportsIndex | str | None,
    max_delay_p99_ns: SupportsIndex | str | None,
    max_exit_latency_us: SupportsIndex | str | None,
    max_states: SupportsIndex,
    quirks: Iterable[Quirk | str] | Quirk | str,
    may_cost: bool = False,
) -> tuple[int, int, int, int, int, int]:
    most = 2**64 - 1

    def bound(value: SupportsIndex | str | None, name: str) -> int:
        return most if value is None else check_unsigned(value, name, most)

    return (
        bound(max_delay_mean_ns, "max_delay_mean_ns"),
        bound(max_delay_p99_ns, "max_delay_p99_ns"),
        bound(max_exit_latency_us, "max_exit_latency_us"),
        check_unsigned(max_states, "max_states", 31),
        quirk_bits(
            setup.model,
            setup.quirks() if isinstance(quirks, str) and quirks == "auto" else quirks,
            _core.ALGORITHMS["linux"],
        ),
        _core.BOUNDS_MAY_COST if check_bool(may_cost, "may_cost") else 0,
    )


def best_table(
    model: Model | Device,
    trace: TraceLike | Gaps,
    *,
    max_delay_mean_ns: SupportsIndex | None = None,
    max_delay_p99_ns: SupportsIndex | None = None,
    max_exit_latency_us: SupportsIndex | None = None,
    max_states: SupportsIndex = 2,
    quirks: Iterable[Quirk | str] | Quirk | str = "auto",
    pcie_link: str | None = "auto",
    parameters: Iterable[Parameter] | None = None,
    measured: Calibration | None = None,
    spare: float | None = None,
    end_ns: SupportsIndex | None = None,
) -> BestTable:
    """The static table of least nominal energy on a workload, closed loop.

    Args:
        max_delay_mean_ns: the mean added latency over all I/Os; None: no bound, as for
            the next two.
        max_delay_p99_ns: no more than 1 % of the I/Os are delayed by more.
        max_exit_latency_us: of every state that is used.
        max_states: how many states may be used; 1 and 2 are exact, up to 31 is a
            search that says how far it may be from the best.
        quirks: as for apst().
        And as sweep().

    Raises:
        As sweep().
    """
    setup = _Setup(
        model,
        pcie_link=pcie_link,
        parameters=parameters,
        measured=measured,
        spare=spare,
    )
    bounds = _bounds(
        setup,
        max_delay_mean_ns,
        max_delay_p99_ns,
        max_exit_latency_us,
        max_states,
        quirks,
    )
    gaps = _gaps(setup, trace, end_ns)
    table, [run], bound_nj = _core.gaps_best_table(
        gaps, setup.model._handle, setup.core(None), bounds
    )
    return BestTable(ApstTable._wrap(table), _run(run, len(setup.model)), bound_nj)


@dataclass(frozen=True, eq=False)
class Recommendation(Value):
    """The best setting that a route reaches; str() of it says what to do.

    Attributes:
        route: "latency-limit" (pm_qos_latency_tolerance_us alone), "nvme-core" (the
            parameters apst_* of nvme_core too) or "raw-table" (Set Features).
        possible: whether a setting of this route keeps the bounds; if not, all that
            follows the advice is None.
        advice: "set" it; "keep" all as it is, because the drive does the same today;
            "costs": keep all as it is, because what keeps the bounds takes more power;
            "none": no setting of this route keeps the bounds.
        today_keeps_bounds: whether the table of today does.
        table: the table that the drive will have.
        max_exit_latency_us: the latency limit to set, or "any" (the first two routes).
        primary_timeout_ms: and the next three, parameters of nvme_core (that route).
        run: its nominal run.
        saving: against the table of today.
    """

    route: str
    possible: bool
    advice: str
    today_keeps_bounds: bool
    table: ApstTable | None = None
    max_exit_latency_us: int | str | None = None
    primary_timeout_ms: int | None = None
    primary_latency_tolerance_us: int | None = None
    secondary_timeout_ms: int | None = None
    secondary_latency_tolerance_us: int | None = None
    run: Run | None = None
    saving: Saving | None = None

    def _setting(self) -> str:
        if self.route == "raw-table":
            return f"the table {self.table!r}"
        # A write of what is there already changes nothing: ssdpm(7).
        text = (
            "pm_qos_latency_tolerance_us to another value and then to "
            f"{self.max_exit_latency_us}"
        )
        if self.route == "latency-limit":
            return text
        return (
            f"nvme_core apst_primary_timeout_ms={self.primary_timeout_ms} "
            f"apst_primary_latency_tol_us={self.primary_latency_tolerance_us} "
            f"apst_secondary_timeout_ms={self.secondary_timeout_ms} "
            f"apst_secondary_latency_tol_us={self.secondary_latency_tolerance_us}, "
            + text
        )

    def __str__(self) -> str:
        if self.run is None or self.saving is None:
            return f"{self.route}: no setting keeps the bounds"
        delays = (
            f"on this workload; delays {100 * self.run.delayed_share:.3g} % of I/Os by "
            f"{_ms(self.run.delay_mean_delayed_ns)} ms on average"
        )
        if self.advice == "keep":
            return f"leave all as it is: nothing to gain {delays}"
        if self.advice == "set":
            return f"set {self._setting()}: {self._effect()} {delays}"
        why = (
            "leave all as it is"
            if self.today_keeps_bounds
            else "leave all as it is, or ask for less delay with may_cost=True"
        )
        return f"{why}: to set {self._setting()} {self._effect()} {delays}"

    def _effect(self) -> str:
        assert self.saving is not None
        low, high = self.saving.low_uw, self.saving.high_uw
        if self.saving.nominal_uw < 0:
            more = f"{_mw(-self.saving.nominal_uw)} mW more"
            return f"costs {more} ({_mw(-high)}..{_mw(-low)})"
        if not self.saving.nominal_uw:
            return f"saves nothing ({_mw(low)}..{_mw(high)} mW)"
        return f"saves {self.saving}"


_NVME_CORE = (
    "primary_timeout_ms",
    "primary_latency_tolerance_us",
    "secondary_timeout_ms",
    "secondary_latency_tolerance_us",
)


def _recommendation(found: tuple[Any, ...], n_states: int) -> Recommendation:
    route, possible, advice, today_keeps, table, limit, *times, [run], saving = found
    word = _ROUTE_WORDS[route]
    if not possible:
        return Recommendation(word, False, advice, today_keeps)
    return Recommendation(
        route=word,
        possible=True,
        advice=advice,
        today_keeps_bounds=today_keeps,
        table=ApstTable._wrap(table),
        max_exit_latency_us=None if word == "raw-table" else limit_word(limit),
        run=_run(run, n_states),
        saving=Saving(*saving),
        **(dict(zip(_NVME_CORE, times)) if word == "nvme-core" else {}),
    )


def recommend(
    model: Model | Device,
    trace: TraceLike | Gaps,
    *,
    today: TableLike = _DEFAULT_TABLE,
    max_delay_mean_ns: SupportsIndex | str | None = None,
    max_delay_p99_ns: SupportsIndex | str | None = None,
    max_exit_latency_us: SupportsIndex | str | None = None,
    may_cost: bool = False,
    max_states: SupportsIndex = 2,
    quirks: Iterable[Quirk | str] | Quirk | str = "auto",
    pcie_link: str | None = "auto",
    parameters: Iterable[Parameter] | None = None,
    measured: Calibration | None = None,
    spare: float | None = None,
    end_ns: SupportsIndex | None = None,
) -> tuple[Recommendation, ...]:
    """The best setting that each route reaches, in the order of the routes.

    Args:
        today: the table that the drive has now, which savings are against; as table of
            estimate().
        max_delay_mean_ns, max_delay_p99_ns, max_exit_latency_us: as for best_table();
            "any": no bound. If all three are None, all delays together last for at most
            1 % of the time, and one I/O in 100 may wait for more than 25 ms; or for as
            long as under the default of Linux, if that is longer.
        may_cost: advise to set what keeps the bounds even if it takes more power than
            today.
        And as best_table().

    Raises:
        As best_table().
    """
    setup = _Setup(
        model,
        pcie_link=pcie_link,
        parameters=parameters,
        measured=measured,
        spare=spare,
    )
    given = (max_delay_mean_ns, max_delay_p99_ns, max_exit_latency_us)
    mean, p99, exit_latency = (
        None if isinstance(one, str) and one == "any" else one for one in given
    )
    bounds = _bounds(setup, mean, p99, exit_latency, max_states, quirks, may_cost)
    usual = given == (None, None, None)
    now = setup.table_or_none(today, "today")._handle
    gaps = _gaps(setup, trace, end_ns)
    found = _core.recommend(gaps, setup.model._handle, setup.core(None), bounds, usual, now)
    return tuple(_recommendation(one, len(setup.model)) for one in found)
