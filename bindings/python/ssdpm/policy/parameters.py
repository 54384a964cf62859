# SPDX-License-Identifier: MIT
"""The input of an algorithm: its words, the quirks of a drive, and its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, SupportsIndex, TypedDict

from ssdpm import _core
from ssdpm.base.convert import (
    by_number,
    check_instance,
    check_text,
    check_unsigned,
    check_word,
    check_words,
    number_of,
    unsigned_or_zero,
    words_of,
)
from ssdpm.base.result import Value, Word
from ssdpm.model.drive import Model


class Algorithm(Word):
    """Whose rule makes the table."""

    LINUX = "linux"
    """Linux 5.14 and later: two idle times, two tolerances."""
    LINUX_LEGACY = "linux-legacy"
    """Linux 4.11 to 5.13: idle time = 50 x (entry + exit)."""
    WINDOWS = "windows"
    """Windows' StorNVMe: the timeouts and tolerances of a power scheme."""
    LOWER_ENVELOPE = "lower-envelope"
    """The idle times that cost least energy without knowledge of the future."""


class PowerScheme(Word):
    """A power scheme of Windows."""

    PERFORMANCE = "performance"
    BALANCED = "balanced"
    POWER_SAVER = "power-saver"
    MODERN_STANDBY = "modern-standby"
    """S0 low-power idle."""


class PowerSource(Word):
    """Where the machine has its power from; Windows has a column for each."""

    AC = "ac"
    BATTERY = "battery"


class Quirk(Word):
    """What a host must not do on a drive with a known fault; Linux's names."""

    NO_APST = "no-apst"
    """APST is switched off."""
    NO_DEEPEST_PS = "no-deepest-ps"
    """The last state is never used."""
    SIMPLE_SUSPEND = "simple-suspend"
    """Suspending the machine shuts the drive down."""
    FORCE_NO_SIMPLE_SUSPEND = "force-no-simple-suspend"
    """It never does, whatever the platform asks for."""
    NO_LPM = "no-lpm"
    """SATA: the link stays at full power."""
    NO_LPM_ON_ATI = "no-lpm-on-ati"
    """It does so behind an adapter of ATI."""
    NO_LPM_ON_ATI_AND_AMD = "no-lpm-on-ati-and-amd"
    """It does so behind one of ATI or AMD."""


class VerdictKind(Word):
    """What became of a state."""

    USED = "used"
    OPERATIONAL = "operational"
    """APST enters only non-operational states."""
    EXIT_TOO_SLOW = "exit-too-slow"
    """Its exit takes longer than max_exit_latency_us."""
    TOTAL_TOO_SLOW = "total-too-slow"
    """Entry and exit together take longer than every tolerance."""
    SHADOWED = "shadowed"
    """A deeper state takes its place."""
    QUIRK = "quirk"
    """Forbidden by a quirk."""
    NO_GAIN = "no-gain"
    """It would qualify, but nothing enters it, or entering it saves nothing."""


@dataclass(frozen=True, eq=False)
class Host(Value):
    """The facts that the drive itself does not report; None is unknown.

    The names from sys_vendor on are those of the files in /sys/class/dmi/id.

    Attributes:
        linux_release: whose quirks, as in platform.release(), "6.12.117-amd64";
            None: those of the newest Linux that the data knows.
        pci_vendor_id, pci_device_id: of the drive on the bus; Identify does not say
            the latter.
        adapter_vendor_id: PCI vendor of the SATA adapter.
        bios_date: "04/06/2018": month, day, year.
    """

    linux_release: str | None = None
    pci_vendor_id: int | None = None
    pci_device_id: int | None = None
    adapter_vendor_id: int | None = None
    sys_vendor: str | None = None
    product_name: str | None = None
    product_version: str | None = None
    board_vendor: str | None = None
    board_name: str | None = None
    bios_date: str | None = None


@dataclass(frozen=True, eq=False)
class QuirkMatch(Value):
    """A rule that fits, or may fit, and one line that names it.

    Attributes:
        quirks: what it gives.
        unknown: what it may give: something that it asks for is unknown.
        reason: "Kingston A2000: Linux 5.10.223 and later, nvme_id_table".
    """

    quirks: tuple[Quirk, ...]
    unknown: tuple[Quirk, ...]
    reason: str


@dataclass(frozen=True, eq=False)
class Quirks(Value):
    """What Linux applies to a drive.

    Attributes:
        quirks: what the data decides.
        unknown: what more facts about the host or the drive could add.
        matches: the rules, in their order.
    """

    quirks: tuple[Quirk, ...]
    unknown: tuple[Quirk, ...]
    matches: tuple[QuirkMatch, ...]


def quirk_names(bits: int) -> tuple[Quirk, ...]:
    """The members of some bits."""
    return tuple(map(Quirk, words_of(bits, _core.QUIRKS)))


def _host_dict(host: Host | None) -> dict[str, str | int | None]:
    """The members for C, checked: there 0 is an unknown id."""
    if host is None:
        host = Host()
    check_instance(host, "host", Host)
    values: dict[str, str | int | None] = {}
    for field in fields(host):
        value = getattr(host, field.name)
        if field.name.endswith("_id"):
            value = unsigned_or_zero(value, field.name, 0xFFFF)
        elif value is not None:
            check_text(value, field.name)
        values[field.name] = value
    if (host.pci_vendor_id is None) != (host.pci_device_id is None):
        raise ValueError("pci_vendor_id and pci_device_id: both are needed, or none")
    return values


def quirks(
    model: Model, *, host: Host | None = None, rules: str | None = None
) -> Quirks:
    """The quirks that Linux applies to a drive, and why.

    Without the PCI id of an NVMe drive, its product name is enough if all drives of
    that name have the same.

    Args:
        model: a drive.
        host: what is known of its host.
        rules: rules that come before those of the library; ssdpm_policy(3) has the
            format.

    Raises:
        FormatError: rules is faulty; the error has the line.
        InvalidError: host.linux_release is no release of Linux.
        TooLargeError: more than 32 rules fit.
        TypeError, ValueError: an argument of another type.
    """
    text = "" if rules is None else check_text(rules, "rules")
    found, unknown, matches = _core.quirks_find(
        check_instance(model, "model", Model)._handle, _host_dict(host), text.encode()
    )
    return Quirks(
        quirk_names(found),
        quirk_names(unknown),
        tuple(
            QuirkMatch(quirk_names(q), quirk_names(u), reason)
            for q, u, reason in matches
        ),
    )


AUTO = "auto"

# The algorithms know these; the others are not about APST.
_APST_QUIRKS = _core.QUIRKS["no-apst"] | _core.QUIRKS["no-deepest-ps"]


def quirk_bits(model: Model, words: Iterable[str] | str, algorithm: int) -> int:
    """Linux's own quirks, "auto", are none of Windows."""
    bits = 0
    for word in check_words(words, "quirks"):
        if check_word(word, "quirks", [*_core.QUIRKS, AUTO]) == AUTO:
            if algorithm == _core.ALGORITHMS["windows"]:
                continue
            found, _, _ = _core.quirks_find(model._handle, _host_dict(None), b"")
            bits |= found & _APST_QUIRKS
        else:
            bits |= _core.QUIRKS[str(word)]
    return bits


def quirks_in_force(model: Model, words: Iterable[str] | str) -> tuple[int, int]:
    """Bits of the quirks of a drive, not only those about APST, and of those it may
    have; words as for quirk_bits()."""
    found = unknown = 0
    for word in check_words(words, "quirks"):
        if word == AUTO:
            linux, perhaps, _ = _core.quirks_find(model._handle, _host_dict(None), b"")
            found, unknown = found | linux, unknown | perhaps
        else:
            found |= _core.QUIRKS[str(word)]
    return found, unknown & ~found


@dataclass(frozen=True, eq=False)
class ApstParameters(Value):
    """What made a table, or makes Linux build one.

    The attributes are arguments of apst(), which says what each algorithm reads;
    limit_range is the least and the largest max_exit_latency_us that make the same
    table.
    """

    algorithm: str
    max_exit_latency_us: int | str
    primary_timeout_ms: int
    primary_latency_tolerance_us: int
    secondary_timeout_ms: int
    secondary_latency_tolerance_us: int
    quirks: tuple[Quirk, ...]
    scheme: str
    power_source: str
    idle_power_uw: int
    transition_power_uw: int
    limit_range: tuple[int | str, int | str]

    def arguments(self) -> dict[str, Any]:
        """Them as arguments of apst(), which makes the table of them."""
        return {name: getattr(self, name) for name in APST_DEFAULTS}


TIMES = (
    "primary_timeout_ms",
    "primary_latency_tolerance_us",
    "secondary_timeout_ms",
    "secondary_latency_tolerance_us",
)
POWERS = ("idle_power_uw", "transition_power_uw")


def _defaults() -> Mapping[str, Any]:
    params = _core.ApstParams()
    values: dict[str, Any] = {
        "algorithm": Algorithm(by_number(_core.ALGORITHMS)[params.algorithm]),
        "scheme": PowerScheme(by_number(_core.SCHEMES)[params.scheme]),
        "power_source": PowerSource(
            by_number(_core.POWER_SOURCES)[params.power_source]
        ),
        "max_exit_latency_us": params.max_exit_latency_us,
        "quirks": AUTO,
    }
    for name in TIMES + POWERS:
        values[name] = getattr(params, name)
    return MappingProxyType(values)


APST_DEFAULTS: Mapping[str, Any] = _defaults()
"""What apst() takes for an argument that is None: the defaults of Linux."""

_WORDS = {
    "algorithm": _core.ALGORITHMS,
    "scheme": _core.SCHEMES,
    "power_source": _core.POWER_SOURCES,
}


def limit_word(us: int) -> int | str:
    """A latency limit as people write it: "any" is none."""
    return "any" if us == _core.LATENCY_ANY else us


def limit_number(value: object, name: str) -> int:
    """A latency in microseconds, or "any"."""
    if isinstance(value, str) and value == "any":
        return _core.LATENCY_ANY
    return check_unsigned(value, name, _core.LATENCY_ANY - 1)


class Arguments(TypedDict, total=False):
    """What an algorithm reads beside the latency limit and the quirks, as apst()."""

    algorithm: Algorithm | str | None
    primary_timeout_ms: SupportsIndex | None
    primary_latency_tolerance_us: SupportsIndex | None
    secondary_timeout_ms: SupportsIndex | None
    secondary_latency_tolerance_us: SupportsIndex | None
    scheme: PowerScheme | str | None
    power_source: PowerSource | str | None
    idle_power_uw: SupportsIndex | None
    transition_power_uw: SupportsIndex | None


def core_params(
    model: Model,
    *,
    max_exit_latency_us: SupportsIndex | str | None = None,
    quirks: Iterable[str] | str = (),
    **others: SupportsIndex | str | None,
) -> _core.ApstParams:
    """The parameters of apst(), checked; None is the default."""
    params = _core.ApstParams()
    if max_exit_latency_us is not None:
        params.max_exit_latency_us = limit_number(
            max_exit_latency_us, "max_exit_latency_us"
        )
    for name, value in others.items():
        known = _WORDS.get(name)
        if value is None:
            continue
        if known is not None:
            setattr(params, name, number_of(value, name, known))
        else:
            most = 2**32 - 1 if name in POWERS else 2**64 - 1
            setattr(params, name, check_unsigned(value, name, most))
    params.quirks = quirk_bits(model, quirks, params.algorithm)
    return params


def apst_parameters(
    found: tuple[_core.ApstParams, int, int],
) -> ApstParameters:
    """Parameters, and the range of the limit."""
    params, low, high = found
    return ApstParameters(
        algorithm=by_number(_core.ALGORITHMS)[params.algorithm],
        max_exit_latency_us=limit_word(params.max_exit_latency_us),
        primary_timeout_ms=params.primary_timeout_ms,
        primary_latency_tolerance_us=params.primary_latency_tolerance_us,
        secondary_timeout_ms=params.secondary_timeout_ms,
        secondary_latency_tolerance_us=params.secondary_latency_tolerance_us,
        quirks=quirk_names(params.quirks),
        scheme=by_number(_core.SCHEMES)[params.scheme],
        power_source=by_number(_core.POWER_SOURCES)[params.power_source],
        idle_power_uw=params.idle_power_uw,
        transition_power_uw=params.transition_power_uw,
        limit_range=(limit_word(low), limit_word(high)),
    )
