# SPDX-License-Identifier: MIT
"""Each drive of a machine: does it save power, and what would a profile change?"""

from __future__ import annotations

import errno
from dataclasses import dataclass

from ssdpm import _core
from ssdpm.apply.arguments import Settings, profile_members
from ssdpm.base.result import Value
from ssdpm.device.facts import Change
from ssdpm.device.machine import Root, machine_of


@dataclass(frozen=True, eq=False)
class ReportItem(Value):
    """A drive.

    Attributes:
        name: "nvme0", "sda".
        product: model number, or None.
        policy: what is in force, as its file has it: the latency tolerance in
            microseconds or "any", or the policy of the link; None: not known.
        verdict: code of the verdict, as in "saves"; None: the drive is gone, or cannot
            be read, and nothing is known but its name and the message.
        message: the verdict in words, or the error.
        reason: code of what keeps it from saving; None: nothing does.
        remedy: what to do about that, as in "latency-limit", or None.
        remedy_changes: what the remedy changes.
        changes: what the profile would change.
        error: name of the errno, as in "ENODEV", where there is no verdict, else None.
        risk: code of what may cost data, as in "lpm-min-power"; None: nothing does.
    """

    name: str
    product: str | None
    policy: str | None
    verdict: str | None
    message: str
    reason: str | None
    remedy: str | None
    remedy_changes: tuple[Change, ...]
    changes: tuple[Change, ...]
    error: str | None
    risk: str | None


def report(root: Root = None, settings: Settings = "auto") -> tuple[ReportItem, ...]:
    """An item for each drive. Sends no command, writes nothing, needs no root.

    A drive that is gone or cannot be read does not keep the others from their items.

    Args:
        root: this machine (None), a capture, or a Machine.
        settings: as for Plan.add_profile().

    Raises:
        As Machine(), Machine.devices() and Plan.add_profile().
    """
    machine = machine_of(root)
    members = profile_members(machine, settings)
    items = []
    for row in _core.report(machine._handle, members):
        code, remedy, changes = row[5] or (None, None, [])
        make = Change._make
        error = errno.errorcode.get(-row[7]) if row[7] else None
        items.append(
            ReportItem(
                *row[:5], code, remedy, make(changes), make(row[6]), error, row[8]
            )
        )
    return tuple(items)
