# SPDX-License-Identifier: MIT
"""Each drive of a machine: does it save power, and what would a profile change?"""

from __future__ import annotations

from dataclasses import dataclass

from ssdpm import _core
from ssdpm.apply.plan import Settings, profile_members
from ssdpm.base.values import Value
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
        verdict: code of the verdict, as in "saves".
        message: the verdict in words.
        reason: code of what keeps it from saving; None: nothing does.
        remedy: what to do about that, as in "latency-limit", or None.
        remedy_changes: what the remedy changes.
        changes: what the profile would change.
    """

    name: str
    product: str | None
    policy: str | None
    verdict: str
    message: str
    reason: str | None
    remedy: str | None
    remedy_changes: tuple[Change, ...]
    changes: tuple[Change, ...]


def report(root: Root = None, settings: Settings = "auto") -> tuple[ReportItem, ...]:
    """An item for each drive. Sends no command, writes nothing, needs no root.

    Args:
        root: this machine (None), a capture, or a Machine.
        settings: from ssdpm.profile(), or the name of a built-in profile.

    Raises:
        As Machine(), Machine.devices() and Plan.add_profile().
    """
    machine = machine_of(root)
    members = profile_members(machine, settings)
    items = []
    for row in _core.report(machine._handle, members):
        code, remedy, changes = row[5] or (None, None, [])
        make = Change._make
        items.append(ReportItem(*row[:5], code, remedy, make(changes), make(row[6])))
    return tuple(items)
