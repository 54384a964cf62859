# SPDX-License-Identifier: MIT
"""Drives that are observed, from the text of trace events."""

from __future__ import annotations

import errno
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex

from ssdpm import _core
from ssdpm.base.convert import (
    TextLike,
    by_number,
    bytes_of_text,
    check_text,
    check_unsigned,
    takes,
)
from ssdpm.base.errors import GoneError, InvalidError, UnknownValueError
from ssdpm.base.result import Items, Ongoing, Scaled, Value, html_list, in_s
from ssdpm.device.machine import Device
from ssdpm.estimate.result import LikelyPower
from ssdpm.estimate.setup import DEFAULT_TABLE, Known, Setup, TableLike, end_number
from ssdpm.model.drive import Model

if TYPE_CHECKING:
    from typing_extensions import Unpack

CAUSE_KINDS: tuple[str, ...] = tuple(_core.observe.CAUSE_KINDS)
"""What a cause can be: "process"; "writeback", a process changed the pages before;
"journal", of a file system; "kernel", for whom is unknown; "other", without room;
"cgroup", one of its processes changed the pages before."""

HELP_KINDS: tuple[str, ...] = tuple(_core.observe.HELP_KINDS)
"""What may help: "interval" and "batch" of a process; "writeback-interval" and
"laptop-mode" of Linux; "commit-interval" and "noatime" of a file system;
"admin-interval" of who asks the controller."""

EVENTS: tuple[str, ...] = tuple(_core.observe.EVENTS)
"""The events that are read, as below events/ of tracefs; a kernel may lack some."""

_KINDS = by_number(_core.observe.CAUSE_KINDS)
_HELPS = by_number(_core.observe.HELP_KINDS)
_PHASES = by_number(_core.energy.PHASES)
_MOST = 2**64 - 1


class ObservedOptions(Known, total=False):
    """The parameters of a drive, and its link policy."""

    lpm: str | None


@dataclass(frozen=True, eq=False)
class ObservationCounts(Value):
    """What was met on the way.

    Attributes:
        n_lines: lines that were read.
        n_events: of these, events that say something.
        n_bad: lines of such events, of formats and of partitions that could not be read;
            of a live session also events that came too late.
        n_lost: events that the kernel says it lost.
        n_unmatched: I/Os that were not completed within 30 s.
        n_orphans: completions without an I/O.
        unknown_bytes: of I/Os whose origin was not seen: their cause is the thread that
            sent them to the drive.
        n_clipped: discards above 4 GiB, taken for 512 bytes less.
    """

    n_lines: int
    n_events: int
    n_bad: int
    n_lost: int
    n_unmatched: int
    n_orphans: int
    unknown_bytes: int
    n_clipped: int


@dataclass(frozen=True, eq=False)
class ObservedDrive(Value):
    """The facts of a drive.

    Attributes:
        start_ns: of its first I/O, on the clock of the trace.
        now_ns: all numbers are up to here.
        phase: one of ssdpm.PHASES, now; None: it had no I/O, or only a gap is known.
        state: of that phase.
        busy_ns: with an I/O in service; this, the next three and uncovered_ns are
            now_ns - start_ns.
        idle_ns: idle in the operational state.
        asleep_ns: in other states.
        transition_ns: entering and leaving them.
        n_ios, bytes: I/Os that began.
        n_wakes: I/Os that ended a sleep, or the way to it.
        n_delayed, delay_sum_ns: I/Os that waited for the drive to wake.
        n_admin: admin commands, and those of programs that are no I/Os, as of smartctl
            to a SATA disk; no energy here includes them. None: unknown, because the
            kernel does not tell them, or because the NVMe controller is unknown.
        energy_nj: nominal.
        resting_nj: of it, the part of no cause: asleep, or idle where the policy never
            lets the drive sleep.
        n_causes: how many there are.
        uncovered_ns, n_uncovered_ios: gaps of the trace in which the drive had I/Os, and
            these; no other number includes them.
    """

    start_ns: int
    now_ns: int
    phase: str | None
    state: int
    busy_ns: int
    idle_ns: int
    asleep_ns: int
    transition_ns: int
    n_ios: int
    bytes: int
    n_wakes: int
    n_delayed: int
    delay_sum_ns: int
    n_admin: int | None
    energy_nj: int
    resting_nj: int
    n_causes: int
    uncovered_ns: int
    n_uncovered_ios: int

    energy_j = Scaled[float]("energy_nj")

    def __str__(self) -> str:
        covered_ns = self.now_ns - self.start_ns - self.uncovered_ns
        asleep = self.asleep_ns / max(covered_ns, 1)
        return (
            f"{asleep:.1%} asleep, {self.n_wakes} wake-ups, {self.energy_j:.3g} J, "
            f"{self.n_ios} I/Os"
        )


@dataclass(frozen=True, eq=False)
class Cause(Value):
    """What one cause takes of a drive.

    Attributes:
        kind: one of CAUSE_KINDS.
        pid: of the process or thread that was seen first.
        name: of the process or thread: any text that it gave itself.
        n_ios: I/Os; one that is merged from several counts for the cause with most of
            its bytes.
        bytes: its part of all bytes.
        n_wakes: how often one of its I/Os woke the drive.
        n_admin: admin commands; None: unknown.
        energy_nj: its share, nominal; all shares and resting_nj are energy_nj of the
            drive.
    """

    kind: str
    pid: int
    name: str
    n_ios: int
    bytes: int
    n_wakes: int
    n_admin: int | None
    energy_nj: int

    energy_j = Scaled[float]("energy_nj")

    def __str__(self) -> str:
        return (
            f"{self.kind} {self.name!r}: {self.energy_j:.3g} J, {self.n_wakes} "
            f"wake-ups, {self.n_ios} I/Os"
        )


@dataclass(frozen=True, eq=False)
class Causes(Items[Cause]):
    """All causes of a drive, in the order in which they came; a sequence of them."""

    causes: tuple[Cause, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.causes)) or "no I/O"


@dataclass(frozen=True, eq=False)
class Interval(Value):
    """A time in which a drive stays in one phase.

    Attributes:
        start_ns, end_ns: on the clock of the trace.
        phase: one of ssdpm.PHASES.
        state: of that phase.
    """

    start_ns: int
    end_ns: int
    phase: str
    state: int

    def __str__(self) -> str:
        return f"{self.phase} PS{self.state}: {in_s(self.end_ns - self.start_ns)}"


@dataclass(frozen=True, eq=False)
class Intervals(Items[Interval]):
    """What a drive did, one interval after the other; a sequence of them."""

    intervals: tuple[Interval, ...]

    def __str__(self) -> str:
        return f"{len(self.intervals)} intervals"


@dataclass(frozen=True, eq=False)
class Without(Value):
    """A drive with and without a cause, simulated.

    Attributes:
        from_ns: the first I/O that is still known: 32,768 are kept.
        until_ns: now_ns of the drive.
        energy_nj, asleep_ns, n_wakes: of all I/Os since then.
        without_energy_nj, without_asleep_ns, without_n_wakes: the same without the cause.
        uncovered_ns: gaps since from_ns, which no other number includes.
    """

    from_ns: int
    until_ns: int
    energy_nj: int
    asleep_ns: int
    n_wakes: int
    without_energy_nj: int
    without_asleep_ns: int
    without_n_wakes: int
    uncovered_ns: int

    energy_j = Scaled[float]("energy_nj")
    without_energy_j = Scaled[float]("without_energy_nj")

    def __str__(self) -> str:
        return f"{self.energy_j:.3g} J, without it {self.without_energy_j:.3g} J"


@dataclass(frozen=True, eq=False)
class Help(Value):
    """What would let a drive sleep more, and how much that saves, simulated.

    Attributes:
        kind: one of HELP_KINDS.
        cause: against which cause, by its index.
        period_ns: at which the cause works now; None: it is not periodic.
        interval_ns: the interval that was simulated; None: the I/Os were left out.
        from_ns, until_ns: the time that was simulated.
        saving_low_nj, saving_high_nj: energy that it saves in this time. They differ
            where only the most is known.
        n_wakes: I/Os that would then wake the drive.
    """

    kind: str
    cause: int
    period_ns: int | None
    interval_ns: int | None
    from_ns: int
    until_ns: int
    saving_low_nj: int
    saving_high_nj: int
    n_wakes: int

    saving_low_j = Scaled[float]("saving_low_nj")
    saving_high_j = Scaled[float]("saving_high_nj")

    def __str__(self) -> str:
        most = "" if self.saving_low_nj == self.saving_high_nj else "at most "
        return f"{self.kind}: saves {most}{self.saving_high_j:.3g} J"


@dataclass(frozen=True, eq=False)
class ObservedPower(LikelyPower):
    """The mean power that a drive likely takes, and of which time that is.

    Attributes:
        duration_ns: the time that was simulated, up to now_ns of the drive: from the last
            gap on, at most the last 32,768 I/Os.
        nominal_uw: with every parameter at its nominal value.
    """

    duration_ns: int
    nominal_uw: int

    nominal_w = Scaled[float]("nominal_uw")
    median_w = Scaled[float]("median_uw")

    def __str__(self) -> str:
        return (
            f"{self.median_w:.3g} W, likely {self.low_uw / 1e6:.3g} to "
            f"{self.high_uw / 1e6:.3g} W"
        )


def _numbers(device: str, name: str) -> tuple[int, int]:
    """ "259:0", as Linux writes it in the file dev of a block device."""
    if not isinstance(device, str):
        raise TypeError(f"{name}: a text is needed, not {type(device).__name__}")
    found = re.fullmatch(r"([0-9]{1,10}):([0-9]{1,10})", device.strip())
    if found is None or max(map(int, found.groups())) >= 2**32:
        raise InvalidError(
            errno.EINVAL, f"{name}: a device number such as '259:0' is needed"
        )
    return int(found[1]), int(found[2])


class Observation(Ongoing):
    """Drives that are observed; threads take turns.

    Drives have the indexes 0, 1, ... in the order in which they are added.
    """

    __slots__ = ("_handle", "_n_drives")

    def __init__(self) -> None:
        self._handle = _core.observe.Observation()
        self._n_drives = 0

    def __repr__(self) -> str:
        return f"<ssdpm.observe.Observation of {self._n_drives} drives>"

    @takes(ObservedOptions, Setup)
    def add_drive(
        self,
        model: Model | Device,
        device: str,
        table: TableLike = DEFAULT_TABLE,
        *,
        ctrl_id: SupportsIndex | None = None,
        **options: Unpack[ObservedOptions],
    ) -> int:
        """Observe a drive, before the first text; its index.

        Args:
            model: the drive.
            device: number of the block device: the file dev below /sys/block has it.
            table: of the policy in force, as for ssdpm.estimate().
            ctrl_id: of its controller, 7 for nvme7; None: there is none, or the text
                names it. Without that, admin commands of an NVMe drive are unknown.
            options: as for ssdpm.estimate().

        Raises:
            ExistsError: the device is observed already.
            BusyError: text was fed before.
        """
        setup = Setup(model, loop="open", **options)
        controller = _core.observe.NO_CONTROLLER
        if ctrl_id is not None:
            controller = check_unsigned(ctrl_id, "ctrl_id", controller - 1)
        self._handle.add_drive(
            setup.model._handle,
            setup.core(setup.table(table)),
            *_numbers(device, "device"),
            controller,
        )
        self._n_drives += 1
        return self._n_drives - 1

    def _add_watched(self, watch: _core.observe.Watch, device: Device) -> None:
        """A drive of this machine, with the policy in force, that watch() feeds."""
        setup = Setup(device, loop="open")
        try:
            watch.add_drive(
                device._handle, setup.model._handle, setup.core(setup.table(DEFAULT_TABLE))
            )
        except GoneError as error:
            raise GoneError(errno.ENODEV, f"{device.name}: {error}") from None
        self._n_drives += 1

    def add_partition(self, drive: SupportsIndex, device: str) -> None:
        """A partition of a drive; Linux queues I/Os there.

        Raises:
            NotFoundError: there is no such drive.
        """
        self._handle.add_partition(_index(drive, "drive"), *_numbers(device, "device"))

    def set_format(self, text: TextLike) -> None:
        """How this kernel prints an event: the file format of it.

        Raises:
            InvalidError: it cannot be followed.
            NotFoundError: an event that is not read.
            UnknownValueError: a field that is needed is missing.
        """
        self._handle.set_format(bytes_of_text(text, "text"))

    def feed(self, text: TextLike) -> None:
        """The next piece of the trace, cut anywhere; the GIL is released.

        Raises:
            InvalidError: it is finished.
            RangeError: a time beyond 2^64 ns.
        """
        self._handle.feed(bytes_of_text(text, "text"))

    def advance(self, now_ns: SupportsIndex) -> None:
        """Time has passed, and no event came."""
        self._handle.advance(check_unsigned(now_ns, "now_ns", _MOST))

    def finish(self, end_ns: SupportsIndex | None = None) -> None:
        """No more text comes; None: it ends with the last line."""
        self._handle.finish(end_number(end_ns))

    @property
    def counts(self) -> ObservationCounts:
        """What was met on the way."""
        return ObservationCounts(*self._handle.counts())

    @property
    def drives(self) -> tuple[ObservedDrive, ...]:
        """The facts of each drive."""
        return tuple(map(self._drive, range(self._n_drives)))

    def _drive(self, index: int) -> ObservedDrive:
        start_ns, now_ns, phase, *rest = self._handle.drive(index)
        return ObservedDrive(start_ns, now_ns, _PHASES.get(phase), *rest)

    def causes(self, drive: SupportsIndex = 0) -> Causes:
        """All causes of a drive, in the order in which they came.

        Raises:
            NotFoundError: there is no such drive.
        """
        found = self._handle.causes(_index(drive, "drive"))
        return Causes(tuple(Cause(_KINDS[one[0]], *one[1:]) for one in found))

    def intervals(self, drive: SupportsIndex = 0) -> Intervals:
        """The I/Os of a drive from the first that is still known; 32,768 are kept.

        Raises:
            NotFoundError: there is no such drive.
        """
        found = self._handle.intervals(_index(drive, "drive"))
        return Intervals(
            tuple(Interval(one[0], one[1], _PHASES[one[2]], one[3]) for one in found)
        )

    def to_json(self, drive: SupportsIndex = 0, name: str | None = None) -> str:
        """A drive with its causes, as ssdpm watch prints it with --json.

        Args:
            drive: its index.
            name: what the drive is called; None: "drive" and its index.

        Raises:
            NotFoundError: there is no such drive.
        """
        index = _index(drive, "drive")
        known = f"drive{index}" if name is None else check_text(name, "name")
        return self._handle.to_json(index, known)

    def to_dict(self, drive: SupportsIndex = 0, name: str | None = None) -> dict[str, Any]:
        """The JSON as a dict.

        Raises:
            As to_json().
        """
        result: dict[str, Any] = json.loads(self.to_json(drive, name))
        return result

    def next_interval(
        self, drive: SupportsIndex = 0, name: str | None = None
    ) -> dict[str, Any]:
        """What a drive did since the call before, as ssdpm watch --json streams it.

        The first call tells all since the first I/O.

        Args:
            drive: its index.
            name: what the drive is called; None: "drive" and its index.

        Raises:
            NotFoundError: there is no such drive.
        """
        index = _index(drive, "drive")
        known = f"drive{index}" if name is None else check_text(name, "name")
        result: dict[str, Any] = json.loads(self._handle.interval_to_json(index, known))
        return result

    def likely(self, drive: SupportsIndex = 0) -> ObservedPower | None:
        """The mean power that a drive likely takes; None: no I/O is known.

        Raises:
            NotFoundError: there is no such drive.
        """
        try:
            found = self._handle.prediction(_index(drive, "drive"))
        except UnknownValueError:
            return None
        duration_ns, nominal_uw, low_uw, median_uw, high_uw, _, _, version = found
        return ObservedPower(low_uw, median_uw, high_uw, version, duration_ns, nominal_uw)

    def _repr_html_(self) -> str:
        return html_list(repr(self)[1:-1], self.drives, ObservedDrive)

    def without(self, drive: SupportsIndex, cause: SupportsIndex) -> Without:
        """Simulate the I/Os of a drive without those of a cause, by its index.

        Raises:
            NotFoundError: there is no such drive or cause.
        """
        return Without(
            *self._handle.without(_index(drive, "drive"), _index(cause, "cause"))
        )

    def policy(self, drive: SupportsIndex = 0) -> str:
        """The policy of a drive as a line "# policy: ..." for a recording.

        Recorded service times hold the wake-ups under this policy. Put the line before
        the events: readers of the recording subtract them.

        Raises:
            NotFoundError: there is no such drive.
        """
        return self._handle.policy(_index(drive, "drive"))

    def help(self, drive: SupportsIndex = 0) -> tuple[Help, ...]:
        """What would let a drive sleep more, the largest saving first.

        Each is simulated alone. Remedies that save less than 1 % of the energy are left
        out.

        Raises:
            NotFoundError: there is no such drive.
        """
        return tuple(
            Help(_HELPS[kind], cause, period or None, interval or None, *rest)
            for kind, cause, period, interval, *rest in self._handle.help(
                _index(drive, "drive")
            )
        )


def _index(value: SupportsIndex, name: str) -> int:
    return check_unsigned(value, name, 2**63 - 1)
