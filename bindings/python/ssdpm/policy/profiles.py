# SPDX-License-Identifier: MIT
"""The profiles: named settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ssdpm import _core
from ssdpm.base.convert import (
    check_text,
    check_unsigned,
    check_word,
    check_words,
    number_of,
)
from ssdpm.base.result import Value
from ssdpm.policy.parameters import TIMES, PowerSource, limit_number, limit_word


@dataclass(frozen=True, eq=False)
class ProfileSettings(Value):
    """The settings of a profile on one power source; None is left as it is.

    Attributes:
        name: "performance", "balanced", "power-saver", or the user's.
        power_source: on which these values hold.
        reason: one line: why these values, with their source.
        max_exit_latency_us: latency tolerance of NVMe controllers, or "any".
        primary_timeout_ms: parameter of nvme_core, for all controllers; likewise the
            next three.
        lpms: policies of SATA ports, as in "med_power_with_dipm": a port gets the
            first that it takes.
    """

    name: str
    power_source: PowerSource
    reason: str = ""
    max_exit_latency_us: int | str | None = None
    primary_timeout_ms: int | None = None
    primary_latency_tolerance_us: int | None = None
    secondary_timeout_ms: int | None = None
    secondary_latency_tolerance_us: int | None = None
    lpms: tuple[str, ...] | None = None


def lpm_numbers(lpms: Iterable[str] | str, name: str) -> list[int]:
    """The numbers of policies; one may stand alone."""
    words = check_words(lpms, name, "policies")
    return [number_of(word, name, _core.LPM) for word in words]


def settings_dict(settings: ProfileSettings) -> dict[str, Any]:
    """The members for C, checked."""
    source = check_word(settings.power_source, "power_source", _core.POWER_SOURCES)
    limit, lpms = settings.max_exit_latency_us, settings.lpms
    numbers = {name: getattr(settings, name) for name in TIMES}
    return {
        "name": check_text(settings.name, "name"),
        "power_source": _core.POWER_SOURCES[source],
        "reason": check_text(settings.reason, "reason"),
        "max_exit_latency_us": (
            None if limit is None else limit_number(limit, "max_exit_latency_us")
        ),
        "lpms": None if lpms is None else lpm_numbers(lpms, "lpms"),
        **{
            name: None if value is None else check_unsigned(value, name, 2**64 - 1)
            for name, value in numbers.items()
        },
    }


def _profile_text(text: object) -> bytes:
    """The profiles of a user, in UTF-8; none where there is no text."""
    if text is None:
        return b""
    if not isinstance(text, str):
        raise TypeError(f"text: a str is needed, not {type(text).__name__}")
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        raise ValueError(f"text: {text!r} has no form in UTF-8") from None


def settings_from(values: dict[str, Any]) -> ProfileSettings:
    """The settings, of the members from C."""
    limit, lpms = values["max_exit_latency_us"], values["lpms"]
    values["max_exit_latency_us"] = None if limit is None else limit_word(limit)
    values["lpms"] = None if lpms is None else tuple(lpms)
    values["power_source"] = PowerSource(values["power_source"])
    return ProfileSettings(**values)


def profile(
    name: str,
    source: PowerSource | str = PowerSource.AC,
    *,
    text: str | None = None,
) -> ProfileSettings:
    """The settings of a profile on a power source.

    Args:
        name: "performance", "balanced", "power-saver", or one of text.
        source: "ac" or "battery".
        text: profiles of your own, which come before those that are built in;
            ssdpm_policy(3), Profiles, has the format.

    Raises:
        NotFoundError: no such profile; the message names those that there are.
        FormatError: text is faulty; the error has the line.
        TypeError, ValueError: an argument of another type, an unknown word.
    """
    check_word(source, "source", _core.POWER_SOURCES)
    values = _core.profile_find(
        _profile_text(text),
        check_text(name, "name"),
        _core.POWER_SOURCES[str(source)],
    )
    return settings_from(values)


def profiles(text: str | None = None) -> tuple[str, ...]:
    """The names of all profiles, those of text first.

    Raises:
        FormatError: text is faulty; the error has the line.
        TypeError: text is no str.
    """
    return tuple(_core.profile_names(_profile_text(text)))
