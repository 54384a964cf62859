# SPDX-License-Identifier: MIT
"""Settings that outlast a reboot."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ssdpm import _core
from ssdpm.apply.intent import Intent
from ssdpm.apply.arguments import Settings
from ssdpm.base.convert import (
    check_bool,
    check_instance,
    check_list,
    check_path,
    check_text,
    check_unsigned,
    check_word,
)
from ssdpm.base.result import Value
from ssdpm.device.machine import Root, machine_of
from ssdpm.policy.parameters import PowerSource
from ssdpm.policy.profiles import ProfileSettings, profile, settings_dict


@dataclass(frozen=True, eq=False)
class PersistFile(Value):
    """One file that makes a policy last.

    Attributes:
        path: where it goes.
        contents: what it holds; a line of it is its marker.
        mode: permissions, as for chmod.
        note: what else has to be done, or None.
    """

    path: str
    contents: str
    mode: int
    note: str | None


class Persist:
    """The files that make a policy last; made by ssdpm.persist()."""

    __slots__ = ("__weakref__", "_handle", "_kind", "_made_of")

    _handle: _core.Persist
    _kind: str
    _made_of: tuple[Any, ...]

    def __init__(self) -> None:
        raise TypeError("made by ssdpm.persist()")

    @classmethod
    def _make(cls, kind: str, *made_of: Any) -> Persist:
        self = cls.__new__(cls)
        self._handle = _core.Persist(_core.PERSIST_KINDS[kind], *made_of)
        self._kind = kind
        self._made_of = made_of
        return self

    @property
    def kind(self) -> str:
        """As persist() was told."""
        return self._kind

    @property
    def files(self) -> tuple[PersistFile, ...]:
        """What would be written."""
        return tuple(PersistFile(*file) for file in self._handle.files())

    def check(self, root: Root = None) -> None:
        """Would write() be refused? Writes nothing.

        Raises:
            ExistsError: a file of that name has no marker: it is not ours.
            ReadOnlyError: a root without the marker of a capture.
            Error: it cannot be read.
        """
        self._handle.check(machine_of(root)._handle)

    def write(self, root: Root = None) -> None:
        """Write them, each by way of a new file and a rename.

        Files of this kind that an earlier call wrote, and that are none of these, are
        removed, but for other profiles of TuneD.

        Raises:
            As check().
            AccessError, Error: they cannot be written.
        """
        self._handle.write(machine_of(root)._handle)

    def remove(self, root: Root = None) -> int:
        """Remove the files of this kind; see remove_persist()."""
        return remove_persist(self._kind, root)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Persist):
            return NotImplemented
        return self._kind == other._kind and self.files == other.files

    def __hash__(self) -> int:
        return hash((self._kind, self.files))

    def __reduce__(self) -> tuple[Any, ...]:
        return Persist._make, (self._kind, *self._made_of)

    def __repr__(self) -> str:
        return f"<ssdpm.Persist {self._kind}, {len(self.files)} files>"


@dataclass(frozen=True, eq=False)
class PersistPower(Value):
    """A power state that lasts, for persist().

    Attributes:
        address: of the drive, as Device.address.
        product: likewise: another drive in that place is left alone.
        power_state: as Plan.add_power_state(); None: as it is.
        workload_hint: likewise, with a power_state.
        nopp: as Plan.add_nopp(); None: as it is.
    """

    address: str
    product: str
    power_state: int | None = None
    workload_hint: int = 0
    nopp: bool | None = None

    def _tuple(self) -> tuple[str, str, tuple[int, int] | None, bool | None]:
        state = None
        if self.power_state is not None:
            state = (
                check_unsigned(self.power_state, "power_state", 2**32 - 1),
                check_unsigned(self.workload_hint, "workload_hint", 2**32 - 1),
            )
        if self.nopp is not None:
            check_bool(self.nopp, "nopp")
        check_instance(self.address, "address", str)
        check_instance(self.product, "product", str)
        return self.address, self.product, state, self.nopp


def persist(
    kind: str,
    ac: Settings | None = None,
    battery: Settings | None = None,
    *,
    powers: Iterable[PersistPower] = (),
    settings: ProfileSettings | None = None,
    command: str | os.PathLike[str] | None = None,
    profiles: str | os.PathLike[str] | None = None,
    files: Intent | None = None,
) -> Persist:
    """The files that make a policy last. Writes nothing: Persist.write() does.

    Args:
        kind: "udev", "modprobe", "systemd", "tlp" or "tuned".
        ac: what holds on AC: from ssdpm.profile(), or the name of a profile that is
            built in; None: powers and settings alone.
        battery: likewise on battery; None: as on AC.
        powers: power states that last too, set again whenever a controller has
            started: with "udev" (Linux 5.18 and later) or "systemd".
        settings: for both power sources; they override those of ac and battery. Their
            name, power source and reason are not read.
        command: path of ssdpm, for files that call it; None: /usr/bin/ssdpm.
        profiles: path of the file that ac and battery are from, for files that call
            the command; None: they are built in, or of files.
        files: from Intent.read(): names of profiles are those of its files; without ac,
            what they ask for of all drives, with "tlp", "tuned" or "modprobe".

    Raises:
        InvalidError: a kind that cannot express it, as two profiles of different
            names. Without profiles, one that is not built in. A path that is not
            absolute, or has other characters than shells and udev leave alone.
        NotFoundError: no such profile.
        TypeError, ValueError: an argument of another type, an unknown word.
    """

    def members(
        settings: Settings, source: PowerSource, name: str
    ) -> dict[str, object]:
        if isinstance(settings, str):
            find = profile if files is None else files.profile
            settings = find(check_text(settings, name), source)
        check_instance(settings, name, ProfileSettings)
        return settings_dict(settings)

    check_word(kind, "kind", _core.PERSIST_KINDS)
    flags = 0
    if files is not None:
        check_instance(files, "files", Intent)
        flags = _core.PERSIST_NAMED_IN_FILES
        if ac is None and battery is None:
            flags = _core.PERSIST_OF_FILES
            ac = files.settings(PowerSource.AC)
            battery = files.settings(PowerSource.BATTERY)
    return Persist._make(
        kind,
        None if ac is None else members(ac, PowerSource.AC, "ac"),
        None if battery is None else members(battery, PowerSource.BATTERY, "battery"),
        None if command is None else check_path(command, "command"),
        None if profiles is None else check_path(profiles, "profiles"),
        [
            check_instance(power, "powers", PersistPower)._tuple()
            for power in check_list(powers, "powers", "ssdpm.PersistPower")
        ],
        None
        if settings is None
        else settings_dict(check_instance(settings, "settings", ProfileSettings)),
        flags,
    )


def remove_persist(kind: str, root: Root = None) -> int:
    """Remove the files of one kind that have the marker of ssdpm.

    Args:
        kind: as persist().
        root: as plan().

    Returns:
        How many were removed.

    Raises:
        ReadOnlyError: a root without the marker of a capture.
        AccessError, Error: they cannot be removed.
    """
    check_word(kind, "kind", _core.PERSIST_KINDS)
    return _core.persist_remove(machine_of(root)._handle, _core.PERSIST_KINDS[kind])
