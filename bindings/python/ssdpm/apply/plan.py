# SPDX-License-Identifier: MIT
"""A plan: shown, committed device by device, verified, undone."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, SupportsIndex, Union

from ssdpm import _core
from ssdpm.apply.arguments import (
    Settings,
    directory_path,
    profile_members,
    timeout_numbers,
)
from ssdpm.apply.intent import Intent
from ssdpm.apply.steps import Journal, PlannedTable, Step, StepValue
from ssdpm.base.convert import (
    check_bool,
    check_filename,
    check_instance,
    check_text,
    check_unsigned,
    check_word,
    check_words,
)
from ssdpm.base.errors import InvalidError
from ssdpm.base.result import Live, Written, html_table
from ssdpm.device.machine import Device, Machine, Root, machine_of
from ssdpm.model.drive import Model
from ssdpm.policy.parameters import PowerSource, limit_number
from ssdpm.policy.profiles import lpm_numbers
from ssdpm.policy.table import ApstTable

Target = Union[Device, str, "os.PathLike[str]"]


class Plan(Written, Live):
    """A list of steps; made by ssdpm.plan().

    Nothing is written before commit(). The end of a with block, or an exception in
    it, reverts a plan that was committed, unless keep() was called. A plan that is only
    forgotten stays in force. Ctrl-C is heard when the call that it
    falls into is over, so that a commit is never left in its middle. Threads take
    turns. A log that a commit calls cannot use the plan.
    """

    __slots__ = ("__weakref__", "_handle", "_kept", "_machine")

    _handle: _core.Plan
    _machine: Machine
    _kept: bool

    def __init__(self) -> None:
        raise TypeError("made by ssdpm.plan()")

    @classmethod
    def _wrap(cls, machine: Machine, core: _core.Plan) -> Plan:
        self = cls.__new__(cls)
        self._handle = core
        self._machine = machine
        self._kept = False
        return self

    @property
    def machine(self) -> Machine:
        """Where it is carried out."""
        return self._machine

    def _handles(
        self, device: Target, model: Model | None
    ) -> tuple[_core.Device, _core.Model | None]:
        if isinstance(device, (str, os.PathLike)):
            device = self._machine.open(check_filename(device, "device"))
        check_instance(device, "device", Device)
        if device.machine._place != self._machine._place:
            raise InvalidError(
                errno.EINVAL,
                f"{device.name}: a device of {device.machine!r} in a plan for "
                f"{self._machine!r}",
            )
        known = device.known_model(model)
        return device._handle, None if known is None else known._handle

    def add_latency_tolerance(
        self,
        device: Target,
        max_exit_latency_us: SupportsIndex | str,
        model: Model | None = None,
    ) -> None:
        """The latency tolerance of an NVMe controller, until the next boot.

        A setting that is so already gives a step "in-force". A second call for the same
        device replaces the first.

        Args:
            device: a Device, or its name, as Machine.open() takes it.
            max_exit_latency_us: up to 2147483646, or "any"; 0 switches APST off.
            model: what its table is predicted from; None: what
                Device.known_model() finds; nothing found: no prediction.

        Raises:
            UnsupportedError: not NVMe, or the kernel has no APST for it.
            RangeError: a number beyond what the kernel takes.
            NotFoundError: there is no such device.
            TypeError, ValueError: an argument of another type.
        """
        limit = limit_number(max_exit_latency_us, "max_exit_latency_us")
        self._handle.add_latency_tolerance(*self._handles(device, model), limit)

    def add_nvme_core(self, parameter: str, value: SupportsIndex) -> None:
        """A parameter of nvme_core, for all controllers.

        Every controller is made to build its table anew, in steps of their own.

        Args:
            parameter: "apst_primary_timeout_ms", "apst_primary_latency_tol_us", or
                one of the two with "secondary".
            value: what it shall be.

        Raises:
            UnsupportedError: this kernel has none.
            InvalidError: another parameter of nvme_core.
            RangeError: a number that the kernel would spill into reserved bits.
        """
        check_word(parameter, "parameter", _core.NVME_CORE)
        self._handle.add_nvme_core(
            _core.NVME_CORE[parameter], check_unsigned(value, "value", 2**64 - 1)
        )

    def add_apst(
        self, device: Target, table: ApstTable, model: Model | None = None
    ) -> None:
        """A table of one's own, by Set Features 0Ch; the save bit is never set.

        It lasts until the next reset of the controller or change of its latency
        tolerance. New kernels refuse it when it is committed: AccessError.

        Raises:
            InvalidError: the table is not sound for the model.
            AccessError: a quirk forbids it.
            UnsupportedError: not NVMe, or no APST.
        """
        check_instance(table, "table", ApstTable)
        self._handle.add_apst(*self._handles(device, model), table._handle)

    def add_power_state(
        self,
        device: Target,
        power_state: SupportsIndex,
        workload_hint: SupportsIndex | None = None,
        model: Model | None = None,
    ) -> None:
        """An operational power state of an NVMe drive, until its next reset.

        A drive that sleeps does not say which state it wakes to: then read() reads one
        block of it. If the state cannot be read, the before of the step stays None.

        Args:
            device: a Device, or its name.
            power_state: from 0 on.
            workload_hint: 0 to 7; None: as it is.
            model: which states it has; None: what Device.known_model() finds.

        Raises:
            InvalidError: the drive has no such state, or it is non-operational; no
                model is known; no such hint.
            UnsupportedError: not NVMe.
        """
        hint = None
        if workload_hint is not None:
            hint = check_unsigned(workload_hint, "workload_hint", 2**32 - 2)
        state = check_unsigned(power_state, "power_state", 2**32 - 1)
        self._handle.add_power_state(*self._handles(device, model), state, hint)

    def add_nopp(self, device: Target, enabled: bool) -> None:
        """Whether background work may exceed the power of a non-operational state.

        If the drive has no such mode, read() leaves it alone.

        Raises:
            UnsupportedError: not NVMe.
        """
        handle, _ = self._handles(device, None)
        self._handle.add_value(handle, "nopp", check_bool(enabled, "enabled"))

    def add_link(self, device: Target, features: Iterable[str]) -> None:
        """What the PCIe link of an NVMe drive may do, until the next boot.

        There is a step for each feature that the link has. One that is off stays off
        under each ASPM policy. If that or the firmware forbids one, the commit fails.

        Args:
            features: those of DeviceFacts.pcie_capable that shall be on.

        Raises:
            InvalidError: a feature that the link has not, or a substate without L1.
            UnsupportedError: not NVMe, or Linux does not control the link.
        """
        handle, _ = self._handles(device, None)
        self._handle.add_link(
            handle,
            [
                check_word(feature, "features", _core.PCIE_FEATURES)
                for feature in check_words(features, "features")
            ],
        )

    def add_queue_depth(self, device: Target, depth: int) -> None:
        """How many commands a SATA drive has at a time, 1 to 32, until the next boot.
        With 1 Linux does not use NCQ.

        Raises:
            UnsupportedError: not a SATA drive.
        """
        handle, _ = self._handles(device, None)
        number = check_unsigned(depth, "depth", 2**64 - 1)
        self._handle.add_value(handle, "queue-depth", number)

    def add_d3cold(self, device: Target, allowed: bool) -> None:
        """Whether Linux may take the power of a suspended NVMe drive away."""
        handle, _ = self._handles(device, None)
        self._handle.add_value(handle, "d3cold", check_bool(allowed, "allowed"))

    def add_aspm_policy(self, policy: str) -> None:
        """The ASPM policy for all PCIe devices: "default", "performance", "powersave"
        or "powersupersave". It holds until the next boot.

        Raises:
            UnsupportedError: this Linux has none; from commit(): the firmware keeps it.
        """
        check_word(policy, "policy", _core.ASPM_POLICIES)
        self._handle.add_aspm_policy(_core.ASPM_POLICIES[policy])

    def add_applied(self, device: Target | None = None) -> None:
        """Steps to what the commits since the boot have set: is it so still?

        To commit them sets again what a reset has cost. There are no steps where
        nothing was committed.

        Args:
            device: whose settings. Parameters of nvme_core are those of each NVMe
                drive. The ASPM policy is that of each drive, and a port's policy that
                of each disk on it. None: of all.

        Raises:
            As add_revert().
        """
        self._handle.add_applied(
            None if device is None else self._handles(device, None)[0]
        )

    def add_lpm(
        self,
        device: Target,
        lpms: Iterable[str] | str,
        model: Model | None = None,
        *,
        any_port: bool = False,
    ) -> None:
        """The policy of a SATA port.

        A port that is left alone gives a step "left-alone" with the reason.

        Args:
            device: a Device, or its name.
            lpms: policies: the port gets the first that it takes, as in
                "med_power_with_dipm".
            model: of its disk, for its quirks; None: what Device.known_model()
                finds.
            any_port: external, hot-plug, shared, empty and optical ports too.

        Raises:
            UnsupportedError: not SATA, or the port or a quirk forbids it.
            InvalidError: no policy, or "keep_firmware_settings", which cannot be set.
        """
        check_bool(any_port, "any_port")
        self._handle.add_lpm(
            *self._handles(device, model), lpm_numbers(lpms, "lpms"), any_port
        )

    def add_profile(
        self, device: Target, settings: Settings, model: Model | None = None
    ) -> None:
        """The settings of a profile, for one device.

        A device that it cannot be applied to gives a step "left-alone".

        Args:
            device: a Device, or its name.
            settings: from ssdpm.profile(). Or the name of a profile, of ssdpm.conf(5)
                or built in, on the source of now; on AC if that is unknown.
            model: of the drive; None: what Device.known_model() finds.

        Raises:
            NotFoundError: there is no such device or profile.
            InvalidError: settings that mean nothing. With a name, as Intent.read().
        """
        members = profile_members(self._machine, settings)
        self._handle.add_profile(*self._handles(device, model), members)

    def add_profile_all(self, settings: Settings = "auto") -> None:
        """The settings of a profile, for all devices of the machine.

        They are read anew, and their models without a command: from sysfs, a capture
        or the built-in catalogue.

        Args:
            settings: as for add_profile().

        Raises:
            As add_profile() and Machine.devices().
        """
        self._handle.add_profile_all(profile_members(self._machine, settings))

    def add_intent(
        self,
        intent: Intent,
        device: Target | None = None,
        model: Model | None = None,
        *,
        power_source: PowerSource | str | None = None,
        desktop_profile: str | None = None,
    ) -> None:
        """What the files of ssdpm.conf(5) ask for, for one device or for all.

        A setting that cannot be applied to a device gives a step "left-alone". The
        origin of each step is the line that decides it.

        Args:
            intent: from ssdpm.Intent.read().
            device: a Device, or its name; None: all devices, which are read anew, and
                their models without a command.
            model: of the drive; None: what Device.known_model() finds.
            power_source: "ac" or "battery"; None: that of the machine, or AC where
                that is not known.
            desktop_profile: the profile of the desktop, as in "power-saver"; None: the
                one that ssdpmd(8) has noted; "": not known.

        Raises:
            NotFoundError: there is no such device.
            ValueError: a model without a device; another power source.
        """
        check_instance(intent, "intent", Intent)
        source = 0
        if power_source is not None:
            word = check_word(power_source, "power_source", _core.POWER_SOURCES)
            source = _core.POWER_SOURCES[word]
        if desktop_profile is not None:
            check_text(desktop_profile, "desktop_profile")
        if device is not None:
            handles = self._handles(device, model)
            self._handle.add_intent(*handles, intent._handle, source, desktop_profile)
        elif model is not None:
            raise ValueError("model: it is that of one device, and none is given")
        else:
            self._handle.add_intent_all(intent._handle, source, desktop_profile)

    def add_revert(self) -> None:
        """Steps back to what was there before the first commit.

        A value that somebody else has changed since is left alone, and one that cannot
        be read now, which can be reverted later. There are no steps where nothing was
        committed.

        Raises:
            AccessError: the record cannot be read.
            Error: EIO: it is damaged.
        """
        self._handle.add_revert()

    @contextmanager
    def locked(self) -> Iterator[Journal | None]:
        """Hold the lock in a with block: first lock, then read, then plan and commit.

        This first undoes what a killed commit left. Nobody else who uses this library
        sets anything until the block ends, so that what is read in it stays so::

            with ssdpm.plan() as plan, plan.locked():
                plan.add_profile("nvme0", "balanced")   # for the power source of now
                plan.commit()
                plan.keep()

        Yields:
            The journal that was undone, or that stands since a device cannot be put
            back, or None.

        Raises:
            InvalidError: the plan has steps already.
            BusyError: another program has the lock.
            AccessError, ReadOnlyError: as commit(). The message says how old a
                journal is that stands.
            Error: EIO: the journal is damaged; EALREADY: it was committed.
        """
        self._handle.lock()
        try:
            yield self.journal
        finally:
            self._handle.unlock()

    @property
    def journal(self) -> Journal | None:
        """The journal that locked() or commit() found, or None.

        It is "undone", or "killed" if a device could not be put back.
        """
        found = self._handle.journal()
        return None if found is None else Journal(*found)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, as they are now, in their order."""
        return tuple(
            Step(
                *row[:2],
                frozenset(row[2]),
                *row[3:-3],
                StepValue._make(row[-3]),
                StepValue._make(row[-2]),
                row[-1],
            )
            for row in self._handle.steps()
        )

    @property
    def n_planned(self) -> int:
        """How many steps would write something."""
        return self._handle.n_planned

    @property
    def tables(self) -> tuple[PlannedTable, ...]:
        """The APST tables of the controllers whose tables change."""
        return tuple(PlannedTable._make(*table) for table in self._handle.tables())

    def read(self) -> None:
        """Read what the steps find, before they are shown; commit() does it too.

        To add a step reads no device: sysfs is as the Device has it. This reads once
        what only a command tells, and what is set now for add_applied() and
        add_revert(). Each controller that a parameter of nvme_core concerns gets a
        "rebuild" step. If something cannot be read, its step says why.

        Raises:
            Error: a controller cannot be read.
        """
        self._handle.read()

    def has_failed(self, device: str | None = None) -> bool:
        """Whether a commit failed for the device of this name; None: for any."""
        return self._handle.has_failed(
            None if device is None else check_text(device, "device")
        )

    def commit(self) -> None:
        """Carry out all steps of each device, or none.

        If one fails, those of the same device that were done are undone, and the other
        devices go on. The error is that of the first; has_failed() and the states of
        the steps say what happened. A strict plan is done as a whole or not at all.
        Nothing is written where all is so already.

        Raises:
            AccessError: root is needed, or Linux refuses it: the message says which.
            ReadOnlyError: a root without the marker of a capture.
            NotInForceError: a value is no longer what the plan shows.
            BusyError: another commit holds the lock; or a drive sleeps, and does not
                say which power state it wakes to.
            UnsupportedError: the kernel refused a policy.
            TimedOutError: a SATA port did not come back.
            GoneError: a device is gone.
            Error: EIO, EALREADY (it was committed).
        """
        self._handle.commit()

    def apply(self, fill: Callable[[Plan], object]) -> None:
        """Lock, fill, commit and verify, in one call.

        If somebody who takes no lock writes meanwhile, the plan is emptied and made
        anew: five times at most. What the user may not write is no fault if all is in
        force already::

            with ssdpm.plan() as plan:
                plan.apply(ssdpm.Plan.add_profile_all)
                plan.keep()

        Args:
            fill: called with this plan, which has no steps, under the lock. It reads
                the devices anew and adds steps.

        Raises:
            NotInForceError: it is committed, and not in force.
            BusyError: somebody else writes again and again, or has the lock.
            What fill raises, and those of locked() and commit().
        """
        if not callable(fill):
            raise TypeError(f"fill: a callable is needed, not {type(fill).__name__}")
        self._handle.apply(lambda: fill(self))

    def verify(self, *, commands: bool = False) -> None:
        """Is it in force now? Returns if it is; a plan need not be committed for that.

        Args:
            commands: read back the tables that the kernel built, too.

        Raises:
            NotInForceError: a value is not in force; its step is "differs".
            TableDiffersError: a table is not the predicted one; tables has both.
            And those of Device.apst() where commands are sent.
        """
        self._handle.verify(check_bool(commands, "commands"))

    def revert(self) -> None:
        """Undo what this plan committed, in reverse.

        A value that somebody else has changed since, or whose device is gone, is left
        alone: its step stays "done" and says why.

        Raises:
            InvalidError: it was not committed.
            And those of commit().
        """
        self._handle.revert()

    def to_json(self) -> str:
        """The object "ssdpm.plan/1" as ``ssdpm plan --json`` prints it, without the
        estimates and the files that its options add.

        The profile is that of the last call of add_profile() or add_profile_all().

        Raises:
            AccessError: whether a journal is there is unknown.
        """
        return self._handle.to_json()

    def keep(self) -> None:
        """Leave it in force after the with block."""
        self._kept = True

    def __enter__(self) -> Plan:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._handle.committed and not self._kept:
            self.revert()

    def __str__(self) -> str:
        return "\n".join(map(str, self.steps)) or "nothing to do"

    def __repr__(self) -> str:
        steps = self.steps
        return f"<ssdpm.Plan {len(steps)} steps, {self.n_planned} planned>"

    def _repr_html_(self) -> str:
        columns = ("device", "before", "after", "state", "why", "target")
        rows = (
            tuple(getattr(step, name) for name in columns) for step in self.steps
        )
        return html_table("Plan", columns, rows)


def plan(
    root: Root = None,
    directory: str | os.PathLike[str] | None = None,
    *,
    state_timeout_ms: SupportsIndex | None = None,
    lock_timeout_ms: SupportsIndex | None = None,
    strict: bool = False,
) -> Plan:
    """A plan without steps.

    Args:
        root: this machine (None), a capture, or a Machine.
        directory: of the lock, the journal and what revert needs; None: /run/ssdpm,
            under the root.
        state_timeout_ms: how long to wait for a SATA port to be running again; None:
            10000.
        lock_timeout_ms: how long to wait for another commit; None: 10000.
        strict: where one device fails, all others are put back.

    Raises:
        RangeError: a time of 0, or of more than 32 bits.
        And those of Machine().
    """
    machine = machine_of(root)
    core = _core.Plan(
        machine._handle,
        directory_path(directory),
        timeout_numbers(state_timeout_ms, lock_timeout_ms),
        check_bool(strict, "strict"),
    )
    return Plan._wrap(machine, core)
