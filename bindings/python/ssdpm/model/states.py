# SPDX-License-Identifier: MIT
"""The power states, the link and the governor that a drive reports."""

from __future__ import annotations

import errno
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
    words_of,
)
from ssdpm.base.errors import InvalidError, RangeError
from ssdpm.base.result import Scaled, Value

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
        shown_active_power_uw: what smartctl prints as active power, where it prints
            one: it may take the scale from the wrong bits.
        idle_power_of_family: the idle power is that of other drives of its family.
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
    shown_active_power_uw: int | None = None
    idle_power_of_family: bool = False

    max_power_w = Scaled["float | None"]("max_power_uw")
    active_power_w = Scaled["float | None"]("active_power_uw")
    idle_power_w = Scaled["float | None"]("idle_power_uw")


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
    shown = row["flags"] & _core.STATE_ACTIVE_POWER_SHOWN
    return PowerState(
        operational=not row["flags"] & _core.STATE_NON_OPERATIONAL,
        not_reported=frozenset(words_of(row["not_reported"], _core.FIELDS)),
        link_state=_LINK_STATE_WORDS.get(row["link_state"]),
        shown_active_power_uw=row["shown_active_power_uw"] if shown else None,
        idle_power_of_family=bool(row["flags"] & _core.STATE_IDLE_POWER_OF_FAMILY),
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
        array["flags"][index] |= _core.STATE_NON_OPERATIONAL
    if check_bool(state.idle_power_of_family, f"{what}.idle_power_of_family"):
        array["flags"][index] |= _core.STATE_IDLE_POWER_OF_FAMILY
    if state.shown_active_power_uw is not None:
        array["flags"][index] |= _core.STATE_ACTIVE_POWER_SHOWN
        array["shown_active_power_uw"][index] = check_unsigned(
            state.shown_active_power_uw, f"{what}.shown_active_power_uw", 2**32 - 1
        )
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


@dataclass(frozen=True, eq=False)
class SataLink(Value):
    """The link that a SATA drive reports. None is unknown, and never False.

    Attributes:
        words_valid: whether words 76 to 79 of IDENTIFY DEVICE mean something. Where
            they do not, the drive says nothing of its link, and Linux takes that
            for not supported.
        generations: which signaling speeds it has: 1 is 1.5 Gb/s, 2 is 3, 3 is 6.
        apm_level: level of advanced power management, 1 (least power) to 254;
            None where APM is not enabled.
        rotational: a hard disk (word 217), whose motor nothing here estimates.
        hipm_supported: requests of the host are accepted (word 76 bit 9).
        hipm_enabled: this and host_auto_partial_to_slumber_enabled are the host's
            business: no drive says so.
        dipm_supported: the drive makes requests, too (78.3).
        dipm_enabled: it does so now (79.3).
        device_auto_partial_to_slumber_supported: the drive goes from partial to
            slumber on its own (76.14).
        device_auto_partial_to_slumber_enabled: 79.7.
        host_auto_partial_to_slumber_supported: it accepts that the host does (76.13).
        host_auto_partial_to_slumber_enabled: None out of any file.
        devsleep_supported: 78.8.
        devsleep_enabled: 79.8.
        apm_supported: advanced power management (83.3).
        apm_enabled: 86.3.
    """

    words_valid: bool | None = None
    generations: tuple[int, ...] | None = None
    apm_level: int | None = None
    rotational: bool | None = None
    hipm_supported: bool | None = None
    hipm_enabled: bool | None = None
    dipm_supported: bool | None = None
    dipm_enabled: bool | None = None
    device_auto_partial_to_slumber_supported: bool | None = None
    device_auto_partial_to_slumber_enabled: bool | None = None
    host_auto_partial_to_slumber_supported: bool | None = None
    host_auto_partial_to_slumber_enabled: bool | None = None
    devsleep_supported: bool | None = None
    devsleep_enabled: bool | None = None
    apm_supported: bool | None = None
    apm_enabled: bool | None = None


_LAST_GENERATION = 3


def _features_of(what: str, bits: int, unknown: int) -> dict[str, bool | None]:
    """The attributes whose names end in what, out of masks."""
    return {
        f"{name}_{what}": None if unknown & bit else bool(bits & bit)
        for name, bit in _core.SATA_FEATURES.items()
    }


def _feature_bits(link: SataLink, what: str) -> tuple[int, int]:
    """Masks out of these attributes: what is, and what is unknown."""
    bits = unknown = 0
    for feature, bit in _core.SATA_FEATURES.items():
        name = f"{feature}_{what}"
        value = getattr(link, name)
        if value is None:
            unknown |= bit
        elif check_bool(value, f"sata.{name}"):
            bits |= bit
    return bits, unknown


def _generation_bits(generations: object) -> int | None:
    what = "sata.generations"
    if generations is None:
        return None
    if not isinstance(generations, tuple):
        raise TypeError(f"{what}: a tuple is needed, not {type(generations).__name__}")
    bits = 0
    for generation in generations:
        number = check_unsigned(generation, what, _LAST_GENERATION)
        if not number:
            raise RangeError(
                errno.ERANGE, f"{what}: 0 is not in 1 to {_LAST_GENERATION}"
            )
        bits |= 1 << number
    return bits


def sata_facts(link: object, kind: str) -> _core._SataFacts | None:
    """A SataLink, or None for one that is unknown, as _core takes it."""
    if link is None:
        link = SataLink()
    elif kind != "sata":
        raise InvalidError(errno.EINVAL, f"sata: the drive is {kind!r}")
    if not isinstance(link, SataLink):
        raise TypeError(f"sata: a SataLink is needed, not {type(link).__name__}")
    if kind != "sata":
        return None
    if link.words_valid is not None:
        check_bool(link.words_valid, "sata.words_valid")
    apm_level = link.apm_level
    if apm_level is not None:
        apm_level = check_unsigned(apm_level, "sata.apm_level", 0xFF)
    if link.rotational is not None:
        check_bool(link.rotational, "sata.rotational")
    return (
        link.words_valid,
        _generation_bits(link.generations),
        apm_level,
        link.rotational,
        *_feature_bits(link, "supported"),
        *_feature_bits(link, "enabled"),
    )


def sata_link(facts: _core._SataFacts | None) -> SataLink | None:
    """The link as a value; None: not a SATA drive."""
    if facts is None:
        return None
    valid, bits, apm_level, rotational, *masks = facts
    generations = None
    if bits is not None:
        numbers = range(1, _LAST_GENERATION + 1)
        generations = tuple(number for number in numbers if bits >> number & 1)
    return SataLink(
        words_valid=valid,
        generations=generations,
        apm_level=apm_level,
        rotational=rotational,
        **_features_of("supported", masks[0], masks[1]),
        **_features_of("enabled", masks[2], masks[3]),
    )


@dataclass(frozen=True, eq=False)
class GovernorMode(Value):
    """A mode of the power governor of Intel's data-centre drives.

    Attributes:
        mode: 0, 1 or 2; of an NVMe drive its power state.
        power_uw: what it may take on average; None: no limit.
    """

    mode: int
    power_uw: int | None

    power_w = Scaled["float | None"]("power_uw")


def governor_modes(form: str) -> tuple[GovernorMode, ...]:
    """The modes of a form of drive, as published for the DC P3700 and its family.

    Args:
        form: "pcie", "pcie-x8" (a card with two drives on it) or "sata", where mode 1
            is what is typical.

    Raises:
        ValueError: another form.
    """
    check_word(form, "form", _core.GOVERNOR_FORMS)
    modes = _core.governor_modes(_core.GOVERNOR_FORMS[form])
    return tuple(GovernorMode(*mode) for mode in modes)
