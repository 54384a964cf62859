# SPDX-License-Identifier: MIT
"""The policy: the APST table that an algorithm makes for a drive, and why.

APST (Autonomous Power State Transition, NVMe feature 0Ch) tells a drive for each
power state: after this much idle time, go to that state.
"""

from __future__ import annotations

import enum
import errno
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base import (
    Error,
    FormatError,
    UnsupportedError,
    Value,
    bytes_of,
    check_bool,
    check_filename,
    check_instance,
    check_text,
    check_unsigned,
    check_word,
    check_words,
    html_table,
)
from ssdpm.model import Model, read_file

apst_entry_dtype: np.dtype[np.void] = _core.apst_entry_dtype
"""Layout of struct ssdpm_apst_entry: idle_ms, target; 8 bytes."""


class _Word(str, enum.Enum):
    """An enum whose members are equal to their words."""

    def __new__(cls, value: str) -> _Word:
        self = str.__new__(cls, value)
        self._value_ = value
        return self

    def __str__(self) -> str:
        return str(self.value)


class Algorithm(_Word):
    """Whose rule makes the table."""

    LINUX = "linux"
    """Linux 5.14 and later: two idle times, two tolerances."""
    LINUX_LEGACY = "linux-legacy"
    """Linux 4.11 to 5.13: idle time = 50 x (entry + exit)."""
    WINDOWS = "windows"
    """Windows' StorNVMe: the timeouts and tolerances of a power scheme."""
    LOWER_ENVELOPE = "lower-envelope"
    """The idle times that cost least energy without knowledge of the future."""


class PowerScheme(_Word):
    """A power scheme of Windows."""

    PERFORMANCE = "performance"
    BALANCED = "balanced"
    POWER_SAVER = "power-saver"
    MODERN_STANDBY = "modern-standby"
    """S0 low-power idle."""


class PowerSource(_Word):
    """Where the machine has its power from; Windows has a column for each."""

    AC = "ac"
    BATTERY = "battery"


class Quirk(_Word):
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


class VerdictKind(_Word):
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
class ApstEntry(Value):
    """One transition: from state to target after idle_ms of idle time."""

    state: int
    target: int
    idle_ms: int


@dataclass(frozen=True, eq=False)
class ApstDifference(Value):
    """Two tables differ for a state: their entries, None where there is none."""

    state: int
    entry: ApstEntry | None
    other: ApstEntry | None


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


@dataclass(frozen=True, eq=False)
class Reached(Value):
    """What reach() found: parameters, their table, and whether it is the wanted one."""

    parameters: ApstParameters
    table: ApstTable
    exact: bool


@dataclass(frozen=True, eq=False)
class Verdict(Value):
    """What became of one state, and one line with the numbers that decided it."""

    state: int
    verdict: VerdictKind
    reason: str


@dataclass(frozen=True, eq=False)
class Host(Value):
    """What the drive itself does not say; None is unknown.

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


@dataclass(frozen=True, eq=False)
class ProfileSettings(Value):
    """What a profile says on one power source; None is left as it is.

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


def quirk_names(bits: int) -> tuple[Quirk, ...]:
    """The members of some bits."""
    return tuple(Quirk(word) for word, bit in _core.QUIRKS.items() if bits & bit)


def _host_dict(host: Host | None) -> dict[str, str | int | None]:
    """The members for C, checked: there 0 is an unknown id."""
    if host is None:
        host = Host()
    if not isinstance(host, Host):
        raise TypeError(f"host: an ssdpm.Host is needed, not {type(host).__name__}")
    values: dict[str, str | int | None] = {}
    for field in fields(host):
        value = getattr(host, field.name)
        if field.name.endswith("_id"):
            value = check_unsigned(0 if value is None else value, field.name, 0xFFFF)
        elif value is not None and not isinstance(value, str):
            raise TypeError(
                f"{field.name}: a str is needed, not {type(value).__name__}"
            )
        elif value is not None and "\0" in value:
            raise ValueError(f"{field.name}: a zero byte stands in it")
        values[field.name] = value
    if (host.pci_vendor_id is None) != (host.pci_device_id is None):
        raise ValueError("pci_vendor_id and pci_device_id: both are needed, or none")
    return values


def quirks(
    model: Model, *, host: Host | None = None, rules: str | None = None
) -> Quirks:
    """The quirks that Linux applies to a drive, and why.

    Where the host does not say the PCI id of an NVMe drive, its product name stands
    for it, if all drives of that name have the same.

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
        _check_model(model)._handle, _host_dict(host), text.encode()
    )
    return Quirks(
        quirk_names(found),
        quirk_names(unknown),
        tuple(QuirkMatch(quirk_names(q), quirk_names(u), reason) for q, u, reason in matches),
    )


_AUTO = "auto"
# The algorithms know these; the others are not about APST.
_APST_QUIRKS = _core.QUIRKS["no-apst"] | _core.QUIRKS["no-deepest-ps"]

_TIMES = (
    "primary_timeout_ms",
    "primary_latency_tolerance_us",
    "secondary_timeout_ms",
    "secondary_latency_tolerance_us",
)
_POWERS = ("idle_power_uw", "transition_power_uw")


def _word(number: int, words: Mapping[str, int]) -> str:
    return next(word for word, n in words.items() if n == number)


def _defaults() -> Mapping[str, Any]:
    params = _core.ApstParams()
    values: dict[str, Any] = {
        "algorithm": Algorithm(_word(params.algorithm, _core.ALGORITHMS)),
        "scheme": PowerScheme(_word(params.scheme, _core.SCHEMES)),
        "power_source": PowerSource(_word(params.power_source, _core.POWER_SOURCES)),
        "max_exit_latency_us": params.max_exit_latency_us,
        "quirks": _AUTO,
    }
    for name in _TIMES + _POWERS:
        values[name] = getattr(params, name)
    return MappingProxyType(values)


APST_DEFAULTS: Mapping[str, Any] = _defaults()
"""What apst() takes for an argument that is None: the defaults of Linux."""


def quirk_bits(model: Model, words: Iterable[str] | str, algorithm: int) -> int:
    """Linux's own quirks, "auto", are none of Windows."""
    bits = 0
    for word in check_words(words, "quirks"):
        if check_word(word, "quirks", [*_core.QUIRKS, _AUTO]) == _AUTO:
            if algorithm == _core.ALGORITHMS["windows"]:
                continue
            found, _, _ = _core.quirks_find(model._handle, _host_dict(None), b"")
            bits |= found & _APST_QUIRKS
        else:
            bits |= _core.QUIRKS[str(word)]
    return bits


_WORDS = {
    "algorithm": _core.ALGORITHMS,
    "scheme": _core.SCHEMES,
    "power_source": _core.POWER_SOURCES,
}


def _params(
    model: Model,
    *,
    max_exit_latency_us: SupportsIndex | str | None = None,
    quirks: Iterable[str] | str = (),
    **others: SupportsIndex | str | None,
) -> _core.ApstParams:
    """What apst() takes, checked; None is the default."""
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
            setattr(params, name, known[check_word(value, name, known)])
        else:
            most = 2**32 - 1 if name in _POWERS else 2**64 - 1
            setattr(params, name, check_unsigned(value, name, most))
    params.quirks = quirk_bits(model, quirks, params.algorithm)
    return params


def limit_word(us: int) -> int | str:
    return "any" if us == _core.LATENCY_ANY else us


def apst_parameters(
    found: tuple[_core.ApstParams, int, int],
) -> ApstParameters:
    """Parameters, and the range of the limit."""
    params, low, high = found
    return ApstParameters(
        algorithm=_word(params.algorithm, _core.ALGORITHMS),
        max_exit_latency_us=limit_word(params.max_exit_latency_us),
        primary_timeout_ms=params.primary_timeout_ms,
        primary_latency_tolerance_us=params.primary_latency_tolerance_us,
        secondary_timeout_ms=params.secondary_timeout_ms,
        secondary_latency_tolerance_us=params.secondary_latency_tolerance_us,
        quirks=quirk_names(params.quirks),
        scheme=_word(params.scheme, _core.SCHEMES),
        power_source=_word(params.power_source, _core.POWER_SOURCES),
        idle_power_uw=params.idle_power_uw,
        transition_power_uw=params.transition_power_uw,
        limit_range=(limit_word(low), limit_word(high)),
    )


def _range(first: int, last: int) -> str:
    return f"PS{first}" if first == last else f"PS{first}-PS{last}"


class ApstTable:
    """An APST table; it never changes, and threads may share it.

    Made by apst(), from_bytes() or from_data(). Two tables are equal if a host would program the
    same: their entries, sent and enabled are; how they were made does not matter.
    """

    __slots__ = ("__weakref__", "_handle", "_model", "_params")

    _handle: _core.ApstTable
    _model: Model | None
    _params: _core.ApstParams | None

    def __init__(self) -> None:
        raise TypeError("made by ssdpm.apst() or ssdpm.ApstTable.from_bytes()")

    @classmethod
    def _wrap(
        cls,
        core: _core.ApstTable,
        model: Model | None = None,
        params: _core.ApstParams | None = None,
    ) -> ApstTable:
        self = cls.__new__(cls)
        self._handle = core
        self._model = model
        self._params = params
        return self

    @classmethod
    def from_bytes(
        cls,
        data: bytes | bytearray | memoryview,
        *,
        enabled: bool = True,
    ) -> ApstTable:
        """Read the 256 bytes of feature 0Ch.

        Args:
            data: what Get Features returned.
            enabled: APSTE, bit 0 of dword 0, which is not part of the bytes.

        Raises:
            FormatError: another length, or a reserved bit is set.
            TypeError: not bytes.
        """
        check_bool(enabled, "enabled")
        table = bytes_of(data, "bytes", "data")
        if len(table) != _core.APST_BYTES:
            raise FormatError(
                errno.EINVAL,
                f"{len(table)} bytes; an APST table has {_core.APST_BYTES}",
            )
        return cls._wrap(_core.apst_decode(table, enabled))

    @classmethod
    def from_data(cls, data: bytes | bytearray | memoryview) -> ApstTable:
        """Read a table from whatever somebody saved, recognised by content.

        Args:
            data: the 256 bytes of feature 0Ch; 512 hexadecimal digits; the text of
                nvme get-feature -f 0x0c, with and without -H; or our JSON
                (``"schema": "ssdpm.apst/1"``). Where it does not say whether APST
                was enabled, it was unless the table is empty.

        Raises:
            FormatError: none of these, cut off in the middle, or two tables.
            RangeError: a number of the JSON beyond its field.
            TooLargeError: more JSON than is read.
            TypeError: not bytes.
        """
        return cls._wrap(_core.apst_from_data(bytes_of(data, "bytes", "data")))

    def diff(self, other: ApstTable) -> tuple[ApstDifference, ...]:
        """The states whose entries differ, by state; sent and enabled do not count."""
        mine = {entry.state: entry for entry in self.entries}
        others = {entry.state: entry for entry in check_instance(other, "other", ApstTable).entries}
        bits = self._handle.diff(other._handle)
        return tuple(
            ApstDifference(state, mine.get(state), others.get(state))
            for state in range(len(self.array))
            if bits >> state & 1
        )

    @property
    def sent(self) -> bool:
        """Whether the host sends Set Features 0Ch at all."""
        return self._handle.sent

    @property
    def enabled(self) -> bool:
        """Whether it switches APST on (APSTE)."""
        return self._handle.enabled

    @property
    def algorithm(self) -> Algorithm | None:
        """What made the table; None for one from bytes."""
        if self._params is None:
            return None
        return Algorithm(_word(self._params.algorithm, _core.ALGORITHMS))

    @property
    def quirks(self) -> tuple[Quirk, ...] | None:
        """The quirks that it was made with; None for one from bytes."""
        return None if self._params is None else quirk_names(self._params.quirks)

    @property
    def array(self) -> npt.NDArray[np.void]:
        """All entries, shape (32,), dtype apst_entry_dtype, read-only, by state.

        No copy: the array keeps the memory of the table alive.
        """
        return self._handle.array

    @property
    def entries(self) -> tuple[ApstEntry, ...]:
        """The entries that are not empty, by state."""
        return tuple(
            ApstEntry(state, target, idle_ms)
            for state, (idle_ms, target) in enumerate(self.array.tolist())
            if idle_ms or target
        )

    def to_bytes(self) -> bytes:
        """The 256 bytes of Set Features 0Ch; sent and enabled are no part of them."""
        return self._handle.encode()

    def explain(self) -> tuple[Verdict, ...]:
        """Why each state of the drive is or is not in the table, by state.

        Raises:
            UnsupportedError: a table from bytes does not say how it was made.
        """
        if self._model is None or self._params is None:
            raise UnsupportedError(
                errno.EOPNOTSUPP,
                "a table from bytes does not say how it was made: only one from "
                "ssdpm.apst() can be explained",
            )
        verdicts = _core.apst_explain(self._model._handle, self._params)
        return tuple(
            Verdict(state, VerdictKind(word), reason)
            for state, word, reason in verdicts
        )

    def validate(self, model: Model) -> None:
        """Check that the table is sound for a drive.

        Each target must exist, be non-operational and deeper than its source, which
        must exist; its idle time must be set. A table not enabled must be empty.

        Raises:
            InvalidError: with the first fault.
            UnsupportedError: not an NVMe drive.
        """
        self._handle.validate(_check_model(model)._handle)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ApstTable):
            return NotImplemented
        return self._handle.equals(other._handle)

    def __hash__(self) -> int:
        return hash((self.to_bytes(), self.sent, self.enabled))

    def __reduce__(self) -> tuple[Any, ...]:
        if self._model is None or self._params is None:
            words = {"schema": "ssdpm.apst/1", "raw": self.to_bytes().hex()}
            flags = {"sent": self.sent, "enabled": self.enabled}
            return ApstTable.from_data, (json.dumps({**words, **flags}).encode(),)
        numbers = {name: getattr(self._params, name) for name in APST_DEFAULTS}
        return _table_from_numbers, (self._model, numbers)

    def _state_word(self) -> str:
        if not self.sent:
            return "not sent"
        return "enabled" if self.enabled else "switched off"

    def _transitions(self) -> list[tuple[str, str, int]]:
        """(sources, target, idle_ms), neighbours that do the same taken together."""
        groups: list[list[ApstEntry]] = []
        for entry in self.entries:
            last = groups[-1][-1] if groups else None
            if last and (last.state + 1, last.target, last.idle_ms) == (
                entry.state,
                entry.target,
                entry.idle_ms,
            ):
                groups[-1].append(entry)
            else:
                groups.append([entry])
        return [
            (_range(g[0].state, g[-1].state), f"PS{g[0].target}", g[0].idle_ms)
            for g in groups
        ]

    def __str__(self) -> str:
        parts = [self._state_word()]
        for sources, target, idle_ms in self._transitions():
            parts.append(f"{sources} to {target} after {idle_ms} ms")
        return "; ".join(parts)

    def __repr__(self) -> str:
        return f"<ssdpm.ApstTable {self}>"

    def _repr_html_(self) -> str:
        caption = f"APST table, {self._state_word()}"
        if self.algorithm:
            caption += f", {self.algorithm}"
        columns = ("state", "target", "idle_ms")
        return html_table(caption, columns, self._transitions())


def _check_model(model: object) -> Model:
    if not isinstance(model, Model):
        raise TypeError(f"model: an ssdpm.Model is needed, not {type(model).__name__}")
    return model


def load_apst(path: str | os.PathLike[str]) -> ApstTable:
    """Read a table from a file; what it may hold, see ApstTable.from_data().

    Raises:
        FormatError, RangeError, TooLargeError: as there, with the file's name.
        OSError: the file cannot be read (FileNotFoundError and so on).
    """
    filename = check_filename(path, "path")
    data = read_file(filename)
    try:
        return ApstTable.from_data(data)
    except Error as error:
        error.filename = filename
        raise


def _table_from_numbers(model: Model, numbers: Mapping[str, int]) -> ApstTable:
    params = _core.ApstParams()
    for name, number in numbers.items():
        setattr(params, name, number)
    return ApstTable._wrap(_core.apst_generate(model._handle, params), model, params)


def apst(
    model: Model,
    *,
    algorithm: Algorithm | str | None = None,
    max_exit_latency_us: SupportsIndex | str | None = None,
    primary_timeout_ms: SupportsIndex | None = None,
    primary_latency_tolerance_us: SupportsIndex | None = None,
    secondary_timeout_ms: SupportsIndex | None = None,
    secondary_latency_tolerance_us: SupportsIndex | None = None,
    scheme: PowerScheme | str | None = None,
    power_source: PowerSource | str | None = None,
    idle_power_uw: SupportsIndex | None = None,
    transition_power_uw: SupportsIndex | None = None,
    quirks: Iterable[Quirk | str] | Quirk | str = "auto",
) -> ApstTable:
    """Make the table that a host programs, bit by bit as Linux does.

    An argument that is None takes the default of the library, which is that of
    Linux; ssdpm.APST_DEFAULTS has them.

    Args:
        model: an NVMe drive; an unknown APSTA counts as support.
        algorithm: "linux" (5.14 and later), "linux-legacy", "windows" or
            "lower-envelope".
        max_exit_latency_us: a state whose *exit* takes longer is not used; 0
            switches APST off; "any" is no limit. What the kernel's file
            pm_qos_latency_tolerance_us holds; Windows has none, but it holds for
            every algorithm here.
        primary_timeout_ms, primary_latency_tolerance_us: the deepest state whose
            entry and exit *together* take no longer is entered after this much idle
            time; either 0: the legacy rule. Only "linux" reads these four.
        secondary_timeout_ms, secondary_latency_tolerance_us: likewise for a deeper,
            slower state; timeout 0: none.
        scheme, power_source: "performance", "balanced", "power-saver" or
            "modern-standby"; "ac" or "battery". Only "windows" reads them.
        idle_power_uw: what the drive takes when it is idle in PS0; 0: what it
            reports. Only "lower-envelope" reads this and the next.
        transition_power_uw: what it takes while it enters or leaves a state; 0: its
            idle power.
        quirks: "no-apst", "no-deepest-ps", or "auto" for those that Linux applies to
            such a drive, as far as ssdpm.quirks(model) knows: the default, as in the
            command. "windows" has none of these. Several are added; () is none.

    Raises:
        RangeError: a number beyond its field, such as a timeout of more than
            16777215 ms; the message names it.
        UnknownValueError: a non-operational state has an unknown latency, or
            "lower-envelope" lacks a power.
        UnsupportedError: not an NVMe drive.
        TypeError, ValueError: an argument of another type, an unknown word.
    """
    _check_model(model)
    params = _params(
        model,
        algorithm=algorithm,
        max_exit_latency_us=max_exit_latency_us,
        primary_timeout_ms=primary_timeout_ms,
        primary_latency_tolerance_us=primary_latency_tolerance_us,
        secondary_timeout_ms=secondary_timeout_ms,
        secondary_latency_tolerance_us=secondary_latency_tolerance_us,
        scheme=scheme,
        power_source=power_source,
        idle_power_uw=idle_power_uw,
        transition_power_uw=transition_power_uw,
        quirks=quirks,
    )
    return ApstTable._wrap(_core.apst_generate(model._handle, params), model, params)


def limit_number(value: object, name: str) -> int:
    """A latency in microseconds, or "any"."""
    if isinstance(value, str) and value == "any":
        return _core.LATENCY_ANY
    return check_unsigned(value, name, _core.LATENCY_ANY - 1)


def lpm_numbers(lpms: Iterable[str] | str, name: str) -> list[int]:
    """The numbers of policies; one may stand alone."""
    words = check_words(lpms, name, "policies")
    return [_core.LPM[check_word(word, name, _core.LPM)] for word in words]


def settings_dict(settings: ProfileSettings) -> dict[str, Any]:
    """The members for C, checked."""
    source = check_word(settings.power_source, "power_source", _core.POWER_SOURCES)
    limit, lpms = settings.max_exit_latency_us, settings.lpms
    numbers = {name: getattr(settings, name) for name in _TIMES}
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


def profile(
    name: str,
    source: PowerSource | str = PowerSource.AC,
    *,
    text: str | None = None,
) -> ProfileSettings:
    """What a profile says on a power source.

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
    limit, lpms = values["max_exit_latency_us"], values["lpms"]
    values["max_exit_latency_us"] = None if limit is None else limit_word(limit)
    values["lpms"] = None if lpms is None else tuple(lpms)
    values["power_source"] = PowerSource(values["power_source"])
    return ProfileSettings(**values)


def profiles(text: str | None = None) -> tuple[str, ...]:
    """The names of all profiles, those of text first.

    Raises:
        FormatError: text is faulty; the error has the line.
        TypeError: text is no str.
    """
    return tuple(_core.profile_names(_profile_text(text)))


def infer(model: Model, table: ApstTable) -> list[ApstParameters]:
    """Which algorithm and parameters made this table?

    Returns:
        All that are plausible and make exactly this table, the most plausible first;
        ssdpm_policy(3) has the order. Empty: nothing that is known makes it.

    Raises:
        UnknownValueError: a non-operational state has an unknown latency.
        UnsupportedError: not an NVMe drive.
    """
    found = _core.apst_infer(_check_model(model)._handle, check_instance(table, "table", ApstTable)._handle)
    return [apst_parameters(one) for one in found]


def keep(
    model: Model,
    state: SupportsIndex,
    *,
    algorithm: Algorithm | str | None = None,
    primary_timeout_ms: SupportsIndex | None = None,
    primary_latency_tolerance_us: SupportsIndex | None = None,
    secondary_timeout_ms: SupportsIndex | None = None,
    secondary_latency_tolerance_us: SupportsIndex | None = None,
    scheme: PowerScheme | str | None = None,
    power_source: PowerSource | str | None = None,
    idle_power_uw: SupportsIndex | None = None,
    transition_power_uw: SupportsIndex | None = None,
    quirks: Iterable[Quirk | str] | Quirk | str = "auto",
) -> int | str:
    """The largest latency limit that keeps a state and drops all deeper ones.

    Args:
        state: the number of the state that is to be the deepest one in use.
        algorithm, and so on: as those of apst().

    Returns:
        A value for max_exit_latency_us; "any": no limit is needed.

    Raises:
        UnsupportedError: no limit does that, and the message says why.
        InvalidError: the drive has no such state.
        And those of apst().
    """
    _check_model(model)
    params = _params(
        model,
        algorithm=algorithm,
        primary_timeout_ms=primary_timeout_ms,
        primary_latency_tolerance_us=primary_latency_tolerance_us,
        secondary_timeout_ms=secondary_timeout_ms,
        secondary_latency_tolerance_us=secondary_latency_tolerance_us,
        scheme=scheme,
        power_source=power_source,
        idle_power_uw=idle_power_uw,
        transition_power_uw=transition_power_uw,
        quirks=quirks,
    )
    number = check_unsigned(state, "state", 2**32 - 1)
    return limit_word(_core.apst_keep(model._handle, params, number))


def reach(
    model: Model,
    table: ApstTable,
    *,
    quirks: Iterable[Quirk | str] | Quirk | str = "auto",
) -> Reached:
    """The parameters of nvme_core that make Linux build a table, or the closest one.

    New kernels refuse a raw table from user space. The closest table has the fewest
    entries that lead to another state; of these, it misses the fewest entries that
    are wanted; then the idle times of the others differ least in sum.

    Args:
        table: what is wanted.
        quirks: those that the kernel has for this drive; "auto": as apst() does.

    Raises:
        UnknownValueError: a non-operational state has an unknown latency.
        UnsupportedError: not an NVMe drive.
    """
    params = _params(_check_model(model), quirks=quirks)
    found, made = _core.apst_reach(
        _check_model(model)._handle, check_instance(table, "table", ApstTable)._handle, params.quirks
    )
    reached = ApstTable._wrap(made, model, found[0])
    return Reached(apst_parameters(found), reached, reached == table)
