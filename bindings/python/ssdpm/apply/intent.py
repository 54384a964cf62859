# SPDX-License-Identifier: MIT
"""What the files of ssdpm.conf(5) ask for."""

from __future__ import annotations

from ssdpm import _core
from ssdpm.base.result import Live
from ssdpm.device.machine import Machine, Root, machine_of


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

    @property
    def machine(self) -> Machine:
        """Where the files are."""
        return self._machine

    @property
    def flags(self) -> frozenset[str]:
        """What it is about, and depends on: "sets" anything at all; "by-source",
        "by-desktop": other settings on another power source, under another profile of
        the desktop; "by-command": settings that a reset of the drive loses."""
        return frozenset(self._handle.flags())

    def __bool__(self) -> bool:
        """Whether it sets anything."""
        return "sets" in self.flags

    def __repr__(self) -> str:
        words = ", ".join(sorted(self.flags)) or "nothing is asked for"
        return f"<ssdpm.Intent of {self._machine!r}: {words}>"
