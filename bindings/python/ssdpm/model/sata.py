# SPDX-License-Identifier: MIT
"""What a SATA drive says of its link."""

from __future__ import annotations

import errno
from dataclasses import dataclass

from ssdpm import _core
from ssdpm.base.convert import check_bool, check_unsigned
from ssdpm.base.errors import InvalidError, RangeError
from ssdpm.base.values import Value


@dataclass(frozen=True, eq=False)
class SataLink(Value):
    """What a SATA drive says of its link. None is unknown, and never False.

    Attributes:
        words_valid: whether words 76 to 79 of IDENTIFY DEVICE mean something. Where
            they do not, the drive says nothing of its link, and Linux takes that
            for not supported.
        generations: which signaling speeds it has: 1 is 1.5 Gb/s, 2 is 3, 3 is 6.
        apm_level: level of advanced power management, 1 (least power) to 254;
            None where APM is not enabled.
        hipm_supported: requests of the host are accepted (word 76 bit 9).
        hipm_enabled: this and host_auto_partial_to_slumber_enabled are the host's
            business: no drive says so.
        dipm_supported: the drive makes requests of its own (78.3).
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
    return (
        link.words_valid,
        _generation_bits(link.generations),
        apm_level,
        *_feature_bits(link, "supported"),
        *_feature_bits(link, "enabled"),
    )


def sata_link(facts: _core._SataFacts | None) -> SataLink | None:
    """The link as a value; None: not a SATA drive."""
    if facts is None:
        return None
    valid, bits, apm_level, *masks = facts
    generations = None
    if bits is not None:
        numbers = range(1, _LAST_GENERATION + 1)
        generations = tuple(number for number in numbers if bits >> number & 1)
    return SataLink(
        words_valid=valid,
        generations=generations,
        apm_level=apm_level,
        **_features_of("supported", masks[0], masks[1]),
        **_features_of("enabled", masks[2], masks[3]),
    )
