# SPDX-License-Identifier: MIT
"""The machine and its devices."""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Union

from ssdpm import _core
from ssdpm.base.convert import (
    LEVELS,
    Log,
    check_bool,
    check_instance,
    check_path,
    log_of,
)
from ssdpm.base.errors import Error
from ssdpm.base.result import Live, Written, html_table
from ssdpm.device.facts import (
    Change,
    DevicePower,
    DeviceQuirks,
    DeviceSettings,
    Devsleep,
    Diagnosis,
    MachineFacts,
    Meter,
    Owner,
)
from ssdpm.model.drive import Catalogue, Model
from ssdpm.policy.parameters import (
    ApstParameters,
    Host,
    PowerSource,
    Quirk,
    apst_parameters,
    limit_word,
    quirk_names,
)
from ssdpm.policy.table import ApstTable


class _Read(Live):
    """The part of a Device beside its facts: it is not compared, and pandas and
    dataclasses.asdict() do not see it."""

    _machine: Machine
    _handle: _core.Device

    @property
    def machine(self) -> Machine:
        """Where it was read."""
        return self._machine


@dataclass(frozen=True, repr=False)
class Device(_Read):
    """An NVMe controller, a SATA port with its disk, or a disk that is out of reach.

    A snapshot of what sysfs said when it was read, by Machine.devices() or
    Machine.open(). None is unknown; what is for the other kind of drive is None too.
    Devices with the same facts are equal, of whatever machine they are.
    ``pandas.DataFrame(ssdpm.devices())`` has a row for each and a column for each
    fact.

    Attributes:
        name: "nvme0", "sda"; a port without a disk: "host3".
        kind: "nvme" or "sata"; None: out of reach, and not known to be either.
        reach: "yes", or what stands before setting its policy: "sas", "usb",
            "remapped", "vmd", "raid" or "no-lpm".
        flags: of "fabrics", "empty", "optical", "external", "hot-plug",
            "shared-port", "rotational", "removable" and "limit-unread" (the latency
            limit of an NVMe drive cannot be read).
        product: model number.
        firmware: firmware revision.
        state: of the controller, "live", or of the disk, "running".
        address: PCI address of the controller or of the SATA adapter.
        driver: of the PCI device: "nvme", "ahci", "ata_piix".
        path: its directory in sysfs, without symbolic links.
        pci_vendor_id, pci_device_id: of address.
        pci_power_state: of the PCI device: "D0", "D3hot"; power_state() is that of
            the drive.
        runtime_pm: of the PCI device: "on" or "auto".
        pcie_capable: of "clkpm", "l0s", "l1", "l1.1", "l1.2", "l1.1-pcipm" and
            "l1.2-pcipm".
        pcie_enabled: likewise.
        d3cold_allowed: whether Linux may switch the slot off.
        kernel_quirks: the quirks in force, where the kernel says so.
        latency_tolerance_us: pm_qos_latency_tolerance_us, or "any"; None: the kernel
            has no APST for this controller, by its own word or by a quirk.
        transport: "pcie", "tcp".
        reset_count: resets of the controller since it was found.
        host: number N of hostN.
        ata_port: number P of ataP.
        lpm: what the port is told to do, as in "med_power_with_dipm".
        lpm_word: what the kernel says of that, if this version does not know it.
        lpm_supported: whether the port has link power management.
        ahci_port_cmd, ahci_host_caps, ahci_host_cap2: registers PxCMD, CAP and CAP2.
        devices_without_hipm: how many devices on the port do not take requests of
            the host.
        n_devices: how many devices are on the port; how many NVMe drives RST hides.
        port: number of the port on its adapter, as the masks of the module ahci count.
    """

    name: str
    kind: str | None
    reach: str
    flags: frozenset[str]
    product: str | None
    firmware: str | None
    state: str | None
    address: str | None
    driver: str | None
    path: str | None
    pci_vendor_id: int | None
    pci_device_id: int | None
    pci_power_state: str | None
    runtime_pm: str | None
    pcie_capable: frozenset[str] | None
    pcie_enabled: frozenset[str] | None
    d3cold_allowed: bool | None
    kernel_quirks: tuple[Quirk, ...] | None
    latency_tolerance_us: int | str | None
    transport: str | None
    reset_count: int | None
    host: int | None
    ata_port: int | None
    lpm: str | None
    lpm_word: str | None
    lpm_supported: bool | None
    ahci_port_cmd: int | None
    ahci_host_caps: int | None
    ahci_host_cap2: int | None
    devices_without_hipm: int | None
    n_devices: int | None
    port: int | None

    @classmethod
    def _wrap(cls, machine: Machine, core: _core.Device) -> Device:
        facts = core.facts()
        for name in ("flags", "pcie_capable", "pcie_enabled"):
            if facts[name] is not None:
                facts[name] = frozenset(facts[name])
        if facts["kernel_quirks"] is not None:
            facts["kernel_quirks"] = quirk_names(facts["kernel_quirks"])
        if facts["latency_tolerance_us"] is not None:
            facts["latency_tolerance_us"] = limit_word(facts["latency_tolerance_us"])
        self = cls(**facts)
        object.__setattr__(self, "_machine", machine)
        object.__setattr__(self, "_handle", core)
        return self

    def model(
        self, *, commands: bool = False, catalogue: Catalogue | None = None
    ) -> Model:
        """The power states that the drive reports.

        Args:
            commands: send Identify. Without, or where that is not allowed, sysfs
                (SATA), the dump of a capture, or the catalogue by product and firmware
                has it: Model.provenance tells. A SATA disk in standby is left asleep:
                then sysfs has it, too.
            catalogue: None is the built-in one.

        Raises:
            UnsupportedError: out of reach.
            AccessError: root is needed, and nothing else knows the drive.
            NotFoundError: it is not in the catalogue.
            GoneError: the drive is gone, or libnvme or libatasmart is missing.
            Error: EIO.
        """
        check_bool(commands, "commands")
        if catalogue is None:
            catalogue = Catalogue()
        check_instance(catalogue, "catalogue", Catalogue)
        core = self._handle.model(commands, catalogue._handle)
        return Model._wrap(core, self.name)

    def apst(self) -> ApstTable:
        """The table that is in force: Get Features 0Ch, or the dump of a capture.

        Raises:
            UnsupportedError: not NVMe, or no APST.
            AccessError: the command takes CAP_SYS_ADMIN.
            NotFoundError: the capture has no dump.
            GoneError, Error: as model().
        """
        return ApstTable._wrap(self._handle.apst())

    def power_state(self) -> int:
        """Get Features 02h: the power state now; a drive that sleeps may wake.

        Raises:
            As apst().
        """
        return self._handle.power_state()

    def power(self) -> DevicePower:
        """Power state, workload hint, and what limits the power: Get Features, or the
        dump of a capture. A drive that sleeps may wake.

        Raises:
            As apst().
        """
        members = self._handle.power()
        for name in ("nopp", "power_measurement"):
            if members[name] is not None:
                members[name] = bool(members[name])
        return DevicePower(**{**members, "supported": frozenset(members["supported"])})

    def devsleep(self) -> Devsleep:
        """DevSleep timing of a SATA drive: a log page, by READ LOG EXT.

        Raises:
            BusyError: the disk is in standby, and is left asleep.
            And as apst().
        """
        return Devsleep(*self._handle.devsleep())

    def quirks_host(self) -> Host:
        """What its quirks depend on, for ssdpm.quirks(model, host=...)."""
        return Host(**self._handle.host(self.machine._handle))

    def _own_model(self, model: Model | None) -> Model:
        if model is None:
            return self.model()
        check_instance(model, "model", Model)
        return model

    def known_model(self, model: Model | None = None) -> Model | None:
        """The model given, else what model() reads, or None where it fails."""
        try:
            return self._own_model(model)
        except Error:
            return None

    def known_table(self, table: ApstTable | None = None) -> ApstTable | None:
        """The table given, else what a capture has of it; None: a command is needed."""
        if table is not None:
            check_instance(table, "table", ApstTable)
            return table
        if self.machine.root is None:
            return None
        try:
            return self.apst()
        except Error:
            return None

    def quirks(self, model: Model | None = None) -> DeviceQuirks:
        """The quirks in force.

        Args:
            model: of the drive; None: what model() reads.

        Raises:
            As model() and ssdpm.quirks().
        """
        bits, from_kernel = self._handle.quirks(
            self.machine._handle, self._own_model(model)._handle
        )
        return DeviceQuirks(quirk_names(bits), from_kernel)

    def settings(self, model: Model | None = None) -> DeviceSettings:
        """What a prediction takes from the machine of this device.

        ssdpm.estimate(device, trace) takes it by itself.

        Args:
            model: of the drive; None: what model() reads, if it can.

        Raises:
            OSError: what the library cannot read or hold.
        """
        known = self.known_model(model)
        bits, link, lpm, table, left_alone, refused = self._handle.settings(
            self.machine._handle, None if known is None else known._handle
        )
        return DeviceSettings(
            None if bits is None else quirk_names(bits),
            link,
            lpm,
            None if table is None else ApstTable._wrap(table),
            left_alone,
            refused,
        )

    def apst_params(self, model: Model | None = None) -> ApstParameters:
        """What this kernel builds its table from.

        ``ssdpm.apst(model, **device.apst_params(model).arguments())`` is the table
        that Linux programs.

        Args:
            model: of the drive; None: what model() reads.

        Raises:
            UnsupportedError: not an NVMe drive.
            And those of quirks().
        """
        found = self._handle.apst_params(
            self.machine._handle, self._own_model(model)._handle
        )
        return apst_parameters(found)

    def diagnose(
        self, model: Model | None = None, table: ApstTable | None = None
    ) -> list[Diagnosis]:
        """Whether it saves power, why not, and what to do.

        Args:
            model: of the drive; None: what known_model() finds.
            table: the one in force, from apst(); None: what known_table() finds;
                nothing found: what this kernel builds is taken, and said so.

        Returns:
            At least one; the first is the verdict.
        """
        known = self.known_model(model)
        table = self.known_table(table)
        found = self._handle.diagnose(
            self.machine._handle,
            None if known is None else known._handle,
            None if table is None else table._handle,
        )
        return [Diagnosis(*one[:5], Change._make(one[5])) for one in found]

    def to_json(
        self, model: Model | None = None, table: ApstTable | None = None
    ) -> str:
        """The object "ssdpm.device/1", as ``ssdpm list --json`` prints it.

        It has the facts of its kind of drive, the quirks, the diagnosis and a journal
        that is there.

        Args:
            As diagnose().
        """
        known = self.known_model(model)
        table = self.known_table(table)
        return _core.device_json(
            self._handle,
            self.machine._handle,
            None if known is None else known._handle,
            None if table is None else table._handle,
        )

    def to_dict(
        self, model: Model | None = None, table: ApstTable | None = None
    ) -> dict[str, Any]:
        """The JSON as a dict.

        Args:
            As diagnose().
        """
        result: dict[str, Any] = json.loads(self.to_json(model, table))
        return result

    def __repr__(self) -> str:
        words = [self.name, self.kind or "unknown", repr(self.product or "")]
        if self.kind == "nvme":
            words.append(f"latency_tolerance_us={self.latency_tolerance_us}")
        elif self.lpm or self.lpm_word:
            words.append(f"lpm={self.lpm or self.lpm_word}")
        if self.reach != "yes":
            words.append(f"reach={self.reach}")
        return f"<ssdpm.Device {' '.join(words)}>"

    def _repr_html_(self) -> str:
        rows = []
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name == "name" or value is None:
                continue
            if one.name.startswith(("pci_", "ahci_")) and isinstance(value, int):
                value = f"{value:#x}"
            rows.append((one.name, value))
        return html_table(self.name, ("fact", "value"), rows)


def _heard_by(machine: Machine) -> Callable[[int, str], None]:
    """What the library calls. It keeps no machine: Python sees no cycle through C."""
    weak = weakref.ref(machine)

    def hear(level: int, message: str) -> None:
        strong = weak()
        if strong is not None:
            strong._tell(LEVELS[level], message)

    return hear


class Machine(Written, Live):
    """This machine, or a directory that was captured from one.

    Args:
        root: a capture, or any directory that holds a sys/; None: this machine.
            Symbolic links under it never lead out of it.
        log: a logging.Logger, with the level that it has when the Machine is made. Or
            a function that takes a level of the module logging and a line, down to
            each file that is read. None: the logger "ssdpm".

    It holds one file descriptor, as long as it or a Device or Plan of it is there.

    Raises:
        NotFoundError: there is no such directory.
        AccessError: it cannot be opened.
        Error: ENOTDIR.
        TypeError, ValueError: an argument of another type.
    """

    __slots__ = ("__weakref__", "_handle", "_place", "_root", "_tell")

    _handle: _core.Machine
    _root: str | None
    _place: str | None  # the root, whatever it is called
    _tell: Callable[[int, str], object]

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        *,
        log: Log | None = None,
    ) -> None:
        path = None if root is None else check_path(root, "root")
        self._root = None if root is None else os.fsdecode(root)
        self._place = None if root is None else os.path.realpath(os.fsdecode(root))
        self._tell, most = log_of(log)
        self._handle = _core.Machine(path, _heard_by(self), most)

    @property
    def root(self) -> str | None:
        """The directory, or None for this machine."""
        return self._root

    @property
    def facts(self) -> MachineFacts:
        """The facts of the machine as a whole, read anew each time."""
        values = self._handle.facts()
        if values["power_source"] is not None:
            values["power_source"] = PowerSource(values["power_source"])
        return MachineFacts(**values)

    def devices(self) -> list[Device]:
        """All devices: NVMe controllers, SATA ports, then what is out of reach.

        Sends no command and needs no root.

        Raises:
            AccessError: sysfs cannot be read.
        """
        return [Device._wrap(self, core) for core in self._handle.devices()]

    def open(self, name: str | os.PathLike[str]) -> Device:
        """One device.

        Args:
            name: "nvme0", "nvme0n1", "sda", "host3", with or without "/dev/"; a
                partition stands for its disk; links under /dev too.

        Raises:
            NotFoundError: there is none; the message names those that there are.
            InvalidError: no name of a device.
        """
        return Device._wrap(self, self._handle.open(check_path(name, "name")))

    def to_json(self) -> str:
        """The object "ssdpm.machine/1", read anew each time: as ``ssdpm show --json``
        has it."""
        return _core.machine_json(self._handle)

    def owners(self) -> tuple[Owner, ...]:
        """Other programs that set latency tolerances and LPM."""
        return tuple(
            Owner(kind, path, line or None, setting, tuple(sets))
            for kind, path, line, setting, sets in self._handle.owners()
        )

    def meters(self) -> tuple[Meter, ...]:
        """The power meters that there are."""
        return tuple(Meter(*meter) for meter in self._handle.meters())

    def find_meter(self, name: str) -> Meter:
        """One meter, by what people call it.

        Args:
            name: its name or its path, as of meters(); the folder of its file
                ("hwmon3"), or either with the file ("amdgpu/power2_input"); "battery"
                for all batteries together; "machine" for a meter that sees all of it,
                with its drives; a drive ("nvme0"), which is asked whether it measures
                its power, as root; "command:" and a line for /bin/sh, which prints
                watts.

        Raises:
            NotFoundError: there is none; the message names those that there are.
            InvalidError: several have that name: pass the path.
            UnsupportedError: the drive does not measure; a command in a capture.
            AccessError: root alone may ask the drive.
            BusyError: "machine": its battery charges, and nothing else measures it.
        """
        if not isinstance(name, str):
            raise TypeError(f"name: a str is needed, not {type(name).__name__}")
        return Meter(*self._handle.find_meter(check_path(name, "name")))

    def capture(
        self, directory: str | os.PathLike[str], *, commands: bool = False
    ) -> None:
        """Write a capture: what every call here reads, see ssdpm-capture(5).

        Serial numbers, WWNs, NQNs, vendor areas, host names and the kernel's command
        line are blanked.

        Args:
            directory: made by this call.
            commands: send commands too, where that is allowed, for dumps of
                Identify, of the APST table and of the DevSleep log.

        Raises:
            ExistsError: directory exists.
            Error: it cannot be written.
        """
        self._handle.capture(
            check_path(directory, "directory"), check_bool(commands, "commands")
        )

    def __repr__(self) -> str:
        return (
            "<ssdpm.Machine>"
            if self._root is None
            else (f"<ssdpm.Machine {self._root!r}>")
        )


Root = Union[str, "os.PathLike[str]", Machine, None]


def machine_of(root: Root) -> Machine:
    """A machine is one; anything else is its root."""
    return root if isinstance(root, Machine) else Machine(root)


def devices(root: Root = None) -> list[Device]:
    """All devices of this machine, of a capture, or of a Machine.

    Raises:
        As Machine() and Machine.devices().
    """
    return machine_of(root).devices()


def open(name: str | os.PathLike[str], root: Root = None) -> Device:
    """One device of this machine, of a capture, or of a Machine, by its name.

    Raises:
        As Machine() and Machine.open().
    """
    return machine_of(root).open(name)


def find_meter(name: str, root: Root = None) -> Meter:
    """One power meter of this machine, of a capture, or of a Machine, by its name.

    Raises:
        As Machine() and Machine.find_meter().
    """
    return machine_of(root).find_meter(name)
