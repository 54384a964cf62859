# SPDX-License-Identifier: MIT
"""The APST table that an algorithm makes for a drive, and why."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.convert import (
    by_number,
    bytes_of,
    check_bool,
    check_filename,
    check_instance,
    takes,
)
from ssdpm.base.errors import Error, FormatError, UnsupportedError
from ssdpm.base.result import Several, Value, Written, html_table
from ssdpm.model.drive import Model
from ssdpm.model.source import read_file
from ssdpm.policy.parameters import (
    APST_DEFAULTS,
    Algorithm,
    Arguments,
    Quirk,
    VerdictKind,
    core_params,
    quirk_names,
    quirks_in_force,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

apst_entry_dtype: np.dtype[np.void] = _core.apst_entry_dtype
"""Layout of struct ssdpm_apst_entry: idle_ms, target; 8 bytes."""


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
class ApstDifferences(Several[ApstDifference]):
    """Where two tables differ: ApstTable.diff(), by state.

    Attributes:
        differences: of each state whose entries differ.
    """

    differences: tuple[ApstDifference, ...]


@dataclass(frozen=True, eq=False)
class Verdict(Value):
    """What became of one state, and one line with the numbers that decided it."""

    state: int
    verdict: VerdictKind
    reason: str


def _range(first: int, last: int) -> str:
    return f"PS{first}" if first == last else f"PS{first}-PS{last}"


class ApstTable(Written):
    """An APST table; it never changes, and threads may share it.

    Made by apst(), from_bytes() or from_data(). Two tables are equal if a host would
    program the same: their entries, sent and enabled are; how they were made does not
    matter.
    """

    __slots__ = ("__weakref__", "_handle", "_model", "_name", "_params", "_quirks")

    _handle: _core.ApstTable
    _model: Model | None
    _params: _core.ApstParams | None
    _quirks: tuple[int, int]  # in force, and those that may be
    _name: str | None

    def __init__(self) -> None:
        raise TypeError("made by ssdpm.apst() or ssdpm.ApstTable.from_bytes()")

    @classmethod
    def _wrap(
        cls,
        core: _core.ApstTable,
        model: Model | None = None,
        params: _core.ApstParams | None = None,
        quirks: tuple[int, int] = (0, 0),
    ) -> ApstTable:
        self = cls.__new__(cls)
        self._handle = core
        self._model = model
        self._params = params
        self._quirks = quirks
        self._name = None
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

    def diff(self, other: ApstTable) -> ApstDifferences:
        """The states whose entries differ, by state; sent and enabled do not count.

        The result has JSON if the drive of one of the tables is known.
        """
        mine = {entry.state: entry for entry in self.entries}
        others = {
            entry.state: entry
            for entry in check_instance(other, "other", ApstTable).entries
        }
        bits = self._handle.diff(other._handle)
        found = ApstDifferences(
            tuple(
                ApstDifference(state, mine.get(state), others.get(state))
                for state in range(len(self.array))
                if bits >> state & 1
            )
        )
        model = self._model or other._model
        if model is None:
            return found
        return found._written_by(
            lambda: _core.apst_diff_json(
                model._handle,
                drive_name(model),
                self._params,
                (None if self._params else table_name(self), self._handle),
                (table_name(other), other._handle),
            )
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
        return Algorithm(by_number(_core.ALGORITHMS)[self._params.algorithm])

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

    def _made(self, word: str) -> tuple[Model, _core.ApstParams]:
        if self._model is None or self._params is None:
            raise UnsupportedError(
                errno.EOPNOTSUPP,
                "a table from bytes does not say how it was made: only one from "
                f"ssdpm.apst() {word}",
            )
        return self._model, self._params

    def to_json(self) -> str:
        """The object "ssdpm.apst/1", as ``ssdpm apst --json`` prints it.

        Raises:
            UnsupportedError: a table from bytes does not say how it was made.
        """
        model, params = self._made("has JSON")
        return _core.apst_json(model._handle, drive_name(model), params, self._quirks)

    def explain(self) -> tuple[Verdict, ...]:
        """Why each state of the drive is or is not in the table, by state.

        Raises:
            UnsupportedError: a table from bytes does not say how it was made.
        """
        model, params = self._made("can be explained")
        verdicts = _core.apst_explain(model._handle, params)
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
        self._handle.validate(check_instance(model, "model", Model)._handle)

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
            source = json.dumps({**words, **flags}).encode()
            return ApstTable.from_data, (source,), (None, {"_name": self._name})
        numbers = {name: getattr(self._params, name) for name in APST_DEFAULTS}
        return _table_from_numbers, (self._model, numbers, self._quirks)

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


def load_apst(path: str | os.PathLike[str]) -> ApstTable:
    """Read a table from a file; what it may hold, see ApstTable.from_data().

    Raises:
        FormatError, RangeError, TooLargeError: as there, with the file's name.
        OSError: the file cannot be read (FileNotFoundError and so on).
    """
    filename = check_filename(path, "path")
    data = read_file(filename)
    try:
        table = ApstTable.from_data(data)
    except Error as error:
        error.filename = filename
        raise
    table._name = os.path.basename(filename)
    return table


def drive_name(model: Model) -> str:
    """What JSON about its tables calls a drive."""
    return model.name or model.product or ""


def table_name(table: ApstTable) -> str:
    """Likewise a table: its file, or what made it."""
    return table._name or str(table.algorithm or "")


def _table_from_numbers(
    model: Model, numbers: Mapping[str, int], quirks: tuple[int, int] = (0, 0)
) -> ApstTable:
    params = _core.ApstParams()
    for name, number in numbers.items():
        setattr(params, name, number)
    made = _core.apst_generate(model._handle, params)
    return ApstTable._wrap(made, model, params, quirks)


@takes(Arguments, core_params)
def apst(
    model: Model,
    *,
    max_exit_latency_us: SupportsIndex | str | None = None,
    quirks: Iterable[Quirk | str] | Quirk | str = "auto",
    **arguments: Unpack[Arguments],
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
            such a drive, as far as ssdpm.quirks(model) knows. Default: "auto", as in
            the command. "windows" has none of these. Several are added; () is none.

    Raises:
        RangeError: a number beyond its field, such as a timeout of more than
            16777215 ms; the message names it.
        UnknownValueError: a non-operational state has an unknown latency, or
            "lower-envelope" lacks a power.
        UnsupportedError: not an NVMe drive.
        TypeError, ValueError: an argument of another type, an unknown word.
    """
    check_instance(model, "model", Model)
    params = core_params(
        model, max_exit_latency_us=max_exit_latency_us, quirks=quirks, **arguments
    )
    made = _core.apst_generate(model._handle, params)
    return ApstTable._wrap(made, model, params, quirks_in_force(model, quirks))
