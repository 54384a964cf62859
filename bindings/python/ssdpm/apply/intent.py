# SPDX-License-Identifier: MIT
"""What the files of ssdpm.conf(5) ask for."""

from __future__ import annotations

from ssdpm import _core
from ssdpm.base.convert import check_bool, check_instance, check_text, check_word
from ssdpm.base.result import Live
from ssdpm.device.machine import Device, Machine, Root, machine_of
from ssdpm.policy.parameters import PowerSource
from ssdpm.policy.profiles import ProfileSettings, settings_from


class Intent(Live):
    """The policy of each drive, as the files of a machine say it; made by read().

    It never changes: read the files again to see a change of theirs. Threads may share
    it. Plan.add_intent() makes steps of it.
    """

    __slots__ = ("_handle", "_machine")

    _handle: _core.Intent
    _machine: Machine

    def __init__(self) -> None:
        raise TypeError("made by ssdpm.Intent.read()")

    @classmethod
    def read(cls, root: Root = None) -> Intent:
        """Read the files; a machine without files has an intent that sets nothing.

        Args:
            root: this machine (None), a capture, or a Machine.

        Raises:
            InvalidError: a fault in a file; the message has the file and the line.
            Error: E2BIG: a file of more than 1 MiB, or more than 1024 lines that set
                something.
            AccessError: a file that this user may not read.
        """
        self = cls.__new__(cls)
        self._machine = machine_of(root)
        self._handle = _core.Intent(self._machine._handle)
        return self

    @staticmethod
    def keep(
        lines: str,
        device: Device | None = None,
        root: Root = None,
        *,
        until_reboot: bool = False,
    ) -> None:
        """Ask for something from now on: /etc/ssdpm.conf.d/50-local.conf has it then.

        It takes the place of what that file says of the same, and sets nothing.

        Args:
            lines: "key = value" lines, as in "max_exit_latency = 25ms"; profile comes
                first.
            device: what it is for; None: all drives.
            root: this machine (None), a capture, or a Machine.
            until_reboot: until the next boot only: the file is in /run/ssdpm.conf.d.

        Raises:
            InvalidError: a line is not sound; the message says which.
            AccessError: root is needed.
            ReadOnlyError: a root without the marker of a capture.
        """
        if device is not None:
            check_instance(device, "device", Device)
        _core.keep_intent(
            machine_of(root)._handle,
            None if device is None else device._handle,
            check_text(lines, "lines"),
            check_bool(until_reboot, "until_reboot"),
        )

    @staticmethod
    def forget(root: Root = None, *, until_reboot: bool = False) -> None:
        """Remove what keep() has written, as ssdpm revert --forget.

        Args:
            root: this machine (None), a capture, or a Machine.
            until_reboot: as keep() was told.
        """
        _core.forget_intent(
            machine_of(root)._handle, check_bool(until_reboot, "until_reboot")
        )

    @property
    def machine(self) -> Machine:
        """Where the files are."""
        return self._machine

    @property
    def flags(self) -> frozenset[str]:
        """The words for its settings, and for what they depend on.

        "sets": there are any. "by-source", "by-desktop": there are others on another
        power source, or under another profile of the desktop. "by-command": a reset of
        the drive loses some."""
        return frozenset(self._handle.flags())

    @property
    def profiles(self) -> tuple[str, ...]:
        """The names of all profiles: those of later files first, the built-in ones
        last."""
        return tuple(self._handle.profiles())

    def profile(
        self, name: str, source: PowerSource | str = PowerSource.AC
    ) -> ProfileSettings:
        """The settings of a profile, of the files or built in, on a power source.

        Args:
            name: one of profiles, or "auto".
            source: "ac" or "battery".

        Raises:
            NotFoundError: no such profile; the message names those that there are.
        """
        return self._settings(check_text(name, "name"), source)

    def settings(self, source: PowerSource | str = PowerSource.AC) -> ProfileSettings:
        """What the files ask for of all drives, as for persist() and other programs that
        treat all drives alike.

        Sections for a model, a serial number, a port or a profile of the desktop are
        left out. The link policies are for SATA drives, and all else for NVMe drives.

        Args:
            source: "ac" or "battery".
        """
        return self._settings(None, source)

    def _settings(self, name: str | None, source: object) -> ProfileSettings:
        word = check_word(source, "source", _core.POWER_SOURCES)
        return settings_from(self._handle.settings(name, _core.POWER_SOURCES[word]))

    def __bool__(self) -> bool:
        """Whether it sets anything."""
        return "sets" in self.flags

    def __repr__(self) -> str:
        words = ", ".join(sorted(self.flags)) or "nothing is asked for"
        return f"<ssdpm.Intent of {self._machine!r}: {words}>"
