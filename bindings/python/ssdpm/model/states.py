# SPDX-License-Identifier: MIT
"""The power states of a drive, as exact integers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.convert import (
    by_number,
    check_bool,
    check_list,
    check_unsigned,
    check_word,
    check_words,
    number_of,
    watts_of,
    words_of,
)
from ssdpm.base.values import Value

power_state_dtype: np.dtype[np.void] = _core.power_state_dtype
"""Layout of struct ssdpm_power_state: 128 bytes, the reserved ones left out."""

_LINK_STATE_WORDS = by_number(_core.LINK_STATES)


@dataclass(frozen=True, eq=False)
class PowerState(Value):
    """One power state. None is unknown; see struct ssdpm_power_state.

    Attributes:
        operational: whether the drive does I/O in this state.
        max_power_uw: the most it draws, in microwatts.
        active_power_uw: what it draws under the workload active_power_workload.
        idle_power_uw: what it draws when idle.
        entry_latency_us: the most that entering takes, in microseconds.
        exit_latency_us: the most that leaving takes.
        read_throughput_rank: 0 is best, at most 31; likewise the next three.
        active_power_workload: 1 or 2, 0 where the drive names none.
        emergency_power_fail_recovery_time_us: and the next two, NVMe 2.1.
        not_reported: names of the fields for which the drive gives the value that
            NVMe defines as "not reported". For max_power_uw and the latencies that
            is a 0 that stands: Linux computes with it.
        link_state: "active", "partial", "slumber" or "devsleep" for a SATA drive.
    """

    operational: bool
    max_power_uw: int | None = None
    active_power_uw: int | None = None
    idle_power_uw: int | None = None
    entry_latency_us: int | None = None
    exit_latency_us: int | None = None
    read_throughput_rank: int | None = None
    read_latency_rank: int | None = None
    write_throughput_rank: int | None = None
    write_latency_rank: int | None = None
    active_power_workload: int | None = None
    emergency_power_fail_recovery_time_us: int | None = None
    forced_quiescence_vault_time_us: int | None = None
    emergency_power_fail_vault_time_us: int | None = None
    not_reported: frozenset[str] = frozenset()
    link_state: str | None = None

    @property
    def max_power_w(self) -> float | None:
        """max_power_uw in watts, or None."""
        return watts_of(self.max_power_uw)

    @property
    def active_power_w(self) -> float | None:
        """active_power_uw in watts, or None."""
        return watts_of(self.active_power_uw)

    @property
    def idle_power_w(self) -> float | None:
        """idle_power_uw in watts, or None."""
        return watts_of(self.idle_power_uw)


def state_name(number: int, state: PowerState) -> str:
    """ "PS1", or "PS1 partial" for a state of a link."""
    return f"PS{number} {state.link_state}" if state.link_state else f"PS{number}"


def power_state(names: Iterable[str], numbers: Iterable[int]) -> PowerState:
    """A row of the states array, with None for what is unknown."""
    row = dict(zip(names, numbers))
    values = {
        name: None if row["unknown"] & bit else row[name]
        for name, bit in _core.FIELDS.items()
    }
    return PowerState(
        operational=not row["flags"] & _core.STATE_NON_OPERATIONAL,
        not_reported=frozenset(words_of(row["not_reported"], _core.FIELDS)),
        link_state=_LINK_STATE_WORDS.get(row["link_state"]),
        **values,
    )


def _field_bits(names: Iterable[str], what: str) -> int:
    bits = 0
    for name in check_words(names, what):
        bits |= _core.FIELDS[check_word(name, what, _core.FIELDS)]
    return bits


def _fill_row(array: npt.NDArray[np.void], index: int, state: object) -> None:
    what = f"states[{index}]"
    if not isinstance(state, PowerState):
        raise TypeError(f"{what}: a PowerState is needed, not {type(state).__name__}")
    if not check_bool(state.operational, f"{what}.operational"):
        array["flags"][index] = _core.STATE_NON_OPERATIONAL
    for name, bit in _core.FIELDS.items():
        value = getattr(state, name)
        if value is None:
            array["unknown"][index] |= bit
            continue
        maximum = int(np.iinfo(array.dtype[name]).max)
        array[name][index] = check_unsigned(value, f"{what}.{name}", maximum)
    array["link_state"][index] = number_of(
        state.link_state, f"{what}.link_state", _core.LINK_STATES
    )
    array["not_reported"][index] = _field_bits(
        state.not_reported, f"{what}.not_reported"
    )


def states_array(
    states: npt.NDArray[np.void] | Iterable[PowerState],
) -> npt.NDArray[np.void]:
    """An own array of states whose reserved bytes are 0."""
    if not isinstance(states, np.ndarray):
        rows = check_list(states, "states", "ssdpm.PowerState")
        array = np.zeros(len(rows), power_state_dtype)
        for index, state in enumerate(rows):
            _fill_row(array, index, state)
        return array
    if states.dtype != power_state_dtype or states.ndim != 1:
        raise TypeError(
            "states: an array of one dimension and of ssdpm.power_state_dtype is "
            f"needed, not of {states.ndim} dimensions and of {states.dtype}"
        )
    array = np.zeros(len(states), power_state_dtype)
    # NumPy leaves what stands between fields undefined, so copy each field.
    for name in power_state_dtype.names or ():
        array[name] = states[name]
    return array
