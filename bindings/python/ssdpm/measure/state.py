# SPDX-License-Identifier: MIT
"""Which power state is a measured idle power of?"""

from __future__ import annotations

from dataclasses import dataclass

from ssdpm import _core
from ssdpm.base.convert import by_number, check_float, check_instance, check_list, check_unsigned
from ssdpm.base.result import Json, Value, in_w
from ssdpm.device.machine import Device
from ssdpm.estimate.parameters import drive_of, parameters
from ssdpm.measure.baseline import Baseline, level_numbers
from ssdpm.model.drive import Model
from ssdpm.parameter import Parameter

_VERDICTS = by_number(_core.energy.IDLE_VERDICTS)
_FITS = by_number(_core.energy.IDLE_FITS)
_NO_STATE = 2**32 - 1


@dataclass(frozen=True, eq=False)
class StatePower(Value):
    """A state, and what it may draw.

    Attributes:
        state: its number.
        fit: "no", "possible", "near" (within half and twice the nominal power) or
            "unknown": the drive reports no power of it.
        low_uw, nominal_uw, high_uw: its idle power, with that of the link where the
            drive sleeps in it; None: unknown.
    """

    state: int
    fit: str
    low_uw: int | None
    nominal_uw: int | None
    high_uw: int | None

    def __str__(self) -> str:
        if self.low_uw is None or self.high_uw is None:
            return f"PS{self.state}: unknown"
        low, high = in_w(self.low_uw / 1e6), in_w(self.high_uw / 1e6)
        return f"PS{self.state}: {low} to {high}: {self.fit}"


@dataclass(frozen=True, eq=False)
class IdleState(Json):
    """The state that a measured idle power is of.

    Attributes:
        power_w: what was measured.
        low_w, high_w: its interval.
        verdict: "one": only this state can draw it; "likely": others can, too, but only
            this one is near; "several": they cannot be told apart; "none": no state can;
            "unknown": none whose power is known can, but others may.
        state: "one" and "likely": which; else None.
        above, below: "none": the state that draws the least more, and the one that
            draws the most less; None: there is none, or another verdict.
        states: all of them.
    """

    power_w: float
    low_w: float
    high_w: float
    verdict: str
    state: int | None
    above: int | None
    below: int | None
    states: tuple[StatePower, ...]

    def __str__(self) -> str:
        power = f"{in_w(self.power_w)} ({in_w(self.low_w)} to {in_w(self.high_w)})"
        if self.state is not None:
            return f"{power}: PS{self.state} ({self.verdict})"
        fits = [f"PS{one.state}" for one in self.states if one.fit in ("near", "possible")]
        return f"{power}: {self.verdict}{': ' + ', '.join(fits) if fits else ''}"


def _state_power(state: int, fit: int, low: int, nominal: int, high: int) -> StatePower:
    word = _FITS[fit]
    if word == "unknown":
        return StatePower(state, word, None, None, None)
    return StatePower(state, word, low, nominal, high)


def _number(state: int) -> int | None:
    return None if state == _NO_STATE else state


def idle_state(
    model: Model | Device,
    baseline: Baseline | float,
    *,
    pcie_link: str | None = "auto",
    meter_gain_ppm: int = 50_000,
    known: tuple[Parameter, ...] | None = None,
) -> IdleState:
    """Which power state is the idle power of a drive of?

    Args:
        model: the drive.
        baseline: what ssdpm.measure.baseline() found, or a power in W.
        pcie_link: as for ssdpm.parameters().
        meter_gain_ppm: the meter is within so many millionths of the power.
        known: from ssdpm.parameters(); None: these of the drive.

    Raises:
        InvalidError: a baseline below 0, or known is not of this drive.
        RangeError: a gain of more than half.
    """
    if isinstance(baseline, Baseline):
        level = level_numbers(baseline)
    else:
        level = (check_float(baseline, "baseline"), 0.0, 0.0, 0.0, 0.0, 1, 0)
    gain = check_unsigned(meter_gain_ppm, "meter_gain_ppm", 2**32 - 1, 1)
    if known is None:
        known = parameters(model, pcie_link)
    numbers = [
        check_instance(one, "known", Parameter)._tuple()
        for one in check_list(known, "known", "parameters")
    ]
    power_w, low_w, high_w, verdict, state, above, below, states, text = (
        _core.energy.idle_state(drive_of(model)[0]._handle, level, numbers, gain)
    )
    return IdleState(
        power_w,
        low_w,
        high_w,
        _VERDICTS[verdict],
        _number(state),
        _number(above),
        _number(below),
        tuple(_state_power(*one) for one in states),
    )._written_by(lambda: text)
