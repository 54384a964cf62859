# SPDX-License-Identifier: MIT
"""Did the machine sleep deeply while it was suspended, and what keeps it from that.

Counters of the kernel before a suspend and after it say so::

    before = suspend.read()
    subprocess.run(["rtcwake", "-m", "freeze", "-s", "60"], check=True)
    print(suspend.judge(before))

Most counters require root. ssdpm_suspend(3) has the counters and the rules.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ssdpm import _core
from ssdpm.base.convert import (
    TextLike,
    bytes_of_text,
    check_instance,
    check_text,
    number_of,
)
from ssdpm.base.result import Items, Json, Scaled, Value, in_s
from ssdpm.device.facts import Change
from ssdpm.device.machine import Root, machine_of

__all__ = [
    "BEARINGS",
    "COUNTERS",
    "OUTCOMES",
    "STATUSES",
    "Evidence",
    "EvidenceTable",
    "Remedy",
    "SuspendReading",
    "SuspendVerdict",
    "SuspendedDrive",
    "judge",
    "read",
]

COUNTERS: tuple[str, ...] = tuple(_core.suspend.COUNTERS)
"""What a counter of the machine counts, as ssdpm_suspend(3) describes it."""

OUTCOMES: tuple[str, ...] = tuple(_core.suspend.OUTCOMES)
"""The verdicts: "reached"; "not-reached"; "contradicted", evidence for and against;
"cannot-say", no counter says it; "no-suspend"; "failed", each attempt was given up;
"firmware", another way than s2idle, to which no counter applies."""

BEARINGS: tuple[str, ...] = tuple(_core.suspend.BEARINGS)
"""The side that a piece of evidence is on."""

STATUSES: tuple[str, ...] = tuple(_core.suspend.STATUSES)
"""How much is known of a remedy: "verified", it helped in a public case; "untested";
"none", a public case of the drive without a remedy."""


@dataclass(frozen=True, repr=False, eq=False)
class SuspendReading(Value):
    """The counters of sleep at one time, from read().

    Attributes:
        text: as ``ssdpm suspend --save`` writes it and ``--since`` takes it. A text
            that was saved becomes a reading again: ``SuspendReading(path.read_text())``.

    Raises:
        FormatError: the text is no reading.
        TooLargeError: more than 512 counters.
    """

    text: str

    def __post_init__(self) -> None:
        text = _core.suspend.check(check_text(self.text, "text"))
        object.__setattr__(self, "text", text)

    def add_log(self, log: TextLike) -> SuspendReading:
        """The same with the power states that PCI devices reached.

        Args:
            log: lines of the kernel's log such as "nvme 0000:04:00.0: PCI PM: Suspend
                power state: D3hot", a debug message of drivers/pci/pci-driver.c. Other
                lines are passed over; the last line of a device counts.

        Raises:
            TooLargeError: more than 512 counters.
        """
        return SuspendReading(_core.suspend.add_log(self.text, bytes_of_text(log, "log")))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        lines = self.text.splitlines()[1:]
        counters = sum(not line.startswith(("boot ", "counters ")) for line in lines)
        return f"<ssdpm.suspend.SuspendReading of {counters} counters>"


@dataclass(frozen=True, eq=False)
class Evidence(Value):
    """The reading of a counter.

    Attributes:
        counter: one of COUNTERS.
        name: the substate, battery, device or source of wake-ups, or None.
        source: the file, or "clocks" or "kernel log".
        before, after: its values before and after the suspend; None: unknown.
        bearing: "for" or "against" the deepest sleep; "none": it decides nothing.
    """

    counter: str
    name: str | None
    source: str
    before: int | None
    after: int | None
    bearing: str

    def __str__(self) -> str:
        what = f"{self.counter} {self.name}" if self.name else self.counter
        before = "?" if self.before is None else self.before
        after = "?" if self.after is None else self.after
        side = "" if self.bearing == "none" else f", {self.bearing}"
        return f"{what}: {before} to {after}{side}"


@dataclass(frozen=True, eq=False)
class EvidenceTable(Items[Evidence]):
    """All evidence, in the order in which it was read; a sequence of it."""

    evidence: tuple[Evidence, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.evidence)) or "no evidence"


@dataclass(frozen=True, eq=False)
class Remedy(Value):
    """What may let the machine sleep deeper.

    Attributes:
        status: one of STATUSES.
        drive: "nvme0".
        remedy: what to do, as in Diagnosis; None: no remedy is known.
        change: the value to set, or None.
        source: the public case, as in "intel/S0ixSelftestTool#41", or None.
    """

    status: str
    drive: str
    remedy: str | None
    change: Change | None
    source: str | None

    def __str__(self) -> str:
        words = [f"{self.drive}: {self.remedy or 'no remedy'}, {self.status}"]
        if self.source:
            words.append(f"in {self.source}")
        if self.change and self.change.value:
            words.append(f"({self.change.target}={self.change.value})")
        return " ".join(words)


@dataclass(frozen=True, eq=False)
class SuspendedDrive(Value):
    """A drive of the machine.

    Attributes:
        name: "nvme0".
        product: its model, or None.
        suspend: what Linux does with it at a suspend; None: unknown.
    """

    name: str
    product: str | None
    suspend: str | None

    def __str__(self) -> str:
        return f"{self.name}: {self.suspend or 'unknown'}"


@dataclass(frozen=True, eq=False)
class SuspendVerdict(Json):
    """The answer; None is unknown.

    Attributes:
        outcome: one of OUTCOMES.
        n_suspends: how many succeeded between the readings.
        n_failures: how many Linux gave up.
        asleep_us: how long the machine was suspended, by the clocks.
        deep_us: the most that a counter says of deep sleep.
        battery_uw: the mean power that the batteries gave meanwhile.
        deepest: the deepest substate that grew, or None.
        wanted: the deepest substate of the platform, or None.
        culprit: the drive or device that kept the machine from it, if a public case or
            the kernel names it.
        evidence: all of it, what contradicts the rest too.
        remedies: what may help, verified ones first.
        drives: the drives of the machine.
    """

    outcome: str
    n_suspends: int | None
    n_failures: int | None
    asleep_us: int | None
    deep_us: int | None
    battery_uw: int | None
    deepest: str | None
    wanted: str | None
    culprit: str | None
    evidence: EvidenceTable
    remedies: tuple[Remedy, ...]
    drives: tuple[SuspendedDrive, ...]

    battery_w = Scaled["float | None"]("battery_uw")

    def __str__(self) -> str:
        words = [self.outcome]
        if self.wanted:
            reached = self.deepest or "no substate"
            words.append(f"{reached} of {self.wanted}")
        if self.n_suspends is not None:
            words.append(f"{self.n_suspends} suspends")
        if self.deep_us is not None:
            words.append(f"deep sleep {in_s(self.deep_us * 1000)}")
        if self.culprit:
            words.append(f"because of {self.culprit}")
        return ", ".join(words)


def read(root: Root = None) -> SuspendReading:
    """Read the counters of sleep now; nothing is written, no drive is woken.

    A counter that cannot be read is not in the reading. Those below /sys/kernel/debug
    require root.

    Args:
        root: this machine (None), a capture, or a Machine.

    Raises:
        As Machine().
    """
    return SuspendReading(_core.suspend.read(machine_of(root)._handle))


def judge(
    before: SuspendReading | None = None,
    after: SuspendReading | None = None,
    *,
    root: Root = None,
    suspend: str | None = None,
) -> SuspendVerdict:
    """Did the machine reach its deepest sleep between two readings?

    Args:
        before: from before the suspend; None: the boot, at which counters are 0.
        after: from after it; None: now.
        root: the machine, as for read(): its drives are looked at, without commands.
        suspend: how it was suspended, as in MachineFacts; None: as mem_sleep says. For
            "freeze" written to /sys/power/state, or rtcwake -m freeze, it is "s2idle",
            whatever mem_sleep says.

    Raises:
        NotInForceError: the readings are of two boots.
        RangeError: a counter since boot is less in the second reading, and is no
            register that begins anew.
        As Machine() and Machine.devices().
    """
    machine = machine_of(root)
    number = number_of(suspend, "suspend", _core.suspend.SUSPENDS)
    for name, reading in (("before", before), ("after", after)):
        if reading is not None:
            check_instance(reading, name, SuspendReading)
    first = None if before is None else before.text
    second = read(machine) if after is None else after
    drives = []
    for device in machine.devices():
        model, table = device.known_model(), device.known_table()
        drives.append(
            (
                device._handle,
                None if model is None else model._handle,
                None if table is None else table._handle,
            )
        )
    text = _core.suspend.judge(machine._handle, drives, first, second.text, number)
    return _verdict_of(json.loads(text))._written_by(lambda: text)


def _verdict_of(found: Mapping[str, Any]) -> SuspendVerdict:
    """The object of ssdpm-json(5) has the fields; an empty text is no text."""
    own = {name: found[name] for name in (one.name for one in fields(SuspendVerdict))}
    own["evidence"] = EvidenceTable(
        tuple(
            Evidence(**{**one, "name": one["name"] or None}) for one in found["evidence"]
        )
    )
    own["remedies"] = tuple(map(_remedy_of, found["remedies"]))
    own["drives"] = tuple(
        SuspendedDrive(one["name"], one["product"] or None, one["suspend"])
        for one in found["drives"]
    )
    for name in ("deepest", "wanted", "culprit"):
        own[name] = own[name] or None
    return SuspendVerdict(**own)


def _remedy_of(found: Mapping[str, Any]) -> Remedy:
    target = found["target"]
    return Remedy(
        found["status"],
        found["drive"],
        found["remedy"],
        Change(target, found["value"]) if target else None,
        found["source"] or None,
    )
