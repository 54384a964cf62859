# SPDX-License-Identifier: MIT
"""The devices: what a running Linux, or a capture of one, says of its SSDs, and why
each does or does not save power.

Reading sysfs sends no command to any drive. Commands are sent by what says so:
``commands=True``, Device.apst(), Device.power_state() and Device.devsleep(). All names
are those of <ssdpm/device.h>, but two: what is power_state there is pci_power_state
here, and quirks is kernel_quirks, beside the methods power_state() and quirks().
"""

from __future__ import annotations

import errno
import logging
import math
import os
import time
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base import (
    Error,
    Live,
    RangeError,
    Value,
    check_bool,
    check_float,
    check_instance,
    check_path,
    check_word,
    html_table,
)
from ssdpm.model import Catalogue, Model
from ssdpm.policy import (
    ApstParameters,
    ApstTable,
    Host,
    PowerSource,
    Quirk,
    apst_parameters,
    limit_word,
    quirk_names,
)

Log = Union[logging.Logger, Callable[[int, str], object]]

_LEVELS = {
    _core.LOG_WARNING: logging.WARNING,
    _core.LOG_INFO: logging.INFO,
    _core.LOG_DEBUG: logging.DEBUG,
}

# A library that nobody listens to is silent.
logging.getLogger("ssdpm").addHandler(logging.NullHandler())


@dataclass(frozen=True, eq=False)
class MachineFacts(Value):
    """The machine as a whole. None is unknown.

    Attributes:
        power_source: "ac" or "battery".
        suspend: what Linux does when the machine is suspended: "s2idle", "shallow"
            or "deep".
        aspm_policy: "default", "performance", "powersave" or "powersupersave"; None
            too where there is no ASPM at all.
        nvme_core: parameters of nvme_core by name, as in "apst_primary_timeout_ms",
            each a number or None: Linux 5.13 and older have no apst_ ones.
        linux_release: as in uname -r.
        sys_vendor: and the next five: files of /sys/class/dmi/id.
        mask_port_ext: parameter of ahci: ports that count as internal.
        mobile_lpm_policy: parameter of ahci; -1 is what it holds if nobody set it.
        capture: 0: this machine; 1: another root; 2: one with the marker of a
            capture, so that a plan may write there.
    """

    power_source: PowerSource | None
    suspend: str | None
    aspm_policy: str | None
    nvme_core: Mapping[str, int | None] = field(hash=False)
    linux_release: str | None
    sys_vendor: str | None
    product_name: str | None
    product_version: str | None
    board_vendor: str | None
    board_name: str | None
    bios_date: str | None
    mask_port_ext: str | None
    mobile_lpm_policy: int | None
    capture: int


@dataclass(frozen=True, eq=False)
class Owner(Value):
    """A program that sets latency tolerances or LPM too.

    Attributes:
        kind: "tlp", "tuned", "laptop-mode-tools", "udev", "modprobe", "systemd" or
            "ssdpm".
        path: the file.
        line: of it, or None: the file as a whole.
        setting: what it says.
    """

    kind: str
    path: str
    line: int | None
    setting: str

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.setting}"


@dataclass(frozen=True, eq=False)
class Meter(Value):
    """Something that measures power.

    Attributes:
        kind: "battery", "rapl", "hwmon", "acpi-power", "nvme" or "command".
        name: "BAT0", "package-0".
        path: the file that holds the number, the node of the drive, or the command.
        readable: whether this user may read it.
    """

    kind: str
    name: str
    path: str
    readable: bool


@dataclass(frozen=True, eq=False)
class Reading(Value):
    """What a meter says. NaN is not known.

    Attributes:
        time_ns: when it was read: CLOCK_BOOTTIME.
        power_w: now, or of a meter that only counts, the mean since the reading
            before: NaN for its first reading, and after its counter began anew.
        energy_j: counted since the first reading, or since the counter began anew; NaN:
            it has no counter.
        same: the meter said the same before: it is read more often than it measures,
            or the power is constant.
        wrapped: its counter went through its range once.
        reset: its counter began anew otherwise.
        charge_counter: energy_j is charge times voltage.
    """

    time_ns: int
    power_w: float
    energy_j: float
    same: bool
    wrapped: bool
    reset: bool
    charge_counter: bool


@dataclass(frozen=True, eq=False)
class Diagnosis(Value):
    """One thing about a drive; str() of it is the message and the advice.

    Attributes:
        code: a word that scripts can rely on, as in "apst-empty"; all are in
            ssdpm_device(3).
        severity: "good", "note", "problem", or "unknown": more has to be known.
        message: one line with the evidence.
        advice: what to do, or None.
    """

    code: str
    severity: str
    message: str
    advice: str | None

    def __str__(self) -> str:
        if self.advice is None:
            return self.message
        return f"{self.message}; {self.advice}"


@dataclass(frozen=True, eq=False)
class DevicePower(Value):
    """What an NVMe drive says of its power; None: not known, or it has none.

    Attributes:
        power_state: the state that it is in.
        asleep: that state is non-operational, and which one it wakes to is not known.
        workload_hint: 0: none; 1: long idle, bursts of small writes; 2: heavy
            sequential writes.
        nopp: background work may exceed the power of a non-operational state.
        light_throttle_k, heavy_throttle_k: from these temperatures on it throttles;
            0: never.
        min_throttle_k, max_throttle_k: between these they can be set.
        power_limit_uw: what it may take (NVMe 2.3); None where no limit is set, too.
        power_measurement: it is measuring its power (NVMe 2.3).
        supported: of "state", "workload-hint", "nopp", "thermal", "limit" and
            "measurement", what the drive says that it has; empty: Identify is not
            known.
    """

    power_state: int
    asleep: bool
    workload_hint: int | None
    nopp: bool | None
    light_throttle_k: int | None
    heavy_throttle_k: int | None
    min_throttle_k: int | None
    max_throttle_k: int | None
    power_limit_uw: int | None
    power_measurement: bool | None
    supported: frozenset[str]

    @property
    def power_limit_w(self) -> float | None:
        """power_limit_uw in watts."""
        return None if self.power_limit_uw is None else self.power_limit_uw / 1e6


@dataclass(frozen=True, eq=False)
class Devsleep(Value):
    """DevSleep timing of a SATA drive.

    Attributes:
        reported: whether the drive says so; else the values are those that Serial
            ATA defines then.
        minimum_assertion_ms: MDAT.
        exit_timeout_ms: DETO.
    """

    reported: bool
    minimum_assertion_ms: int
    exit_timeout_ms: int


@dataclass(frozen=True, eq=False)
class DeviceQuirks(Value):
    """The quirks in force, and whether the kernel says so or our rules do."""

    quirks: tuple[Quirk, ...]
    from_kernel: bool


@dataclass(frozen=True, eq=False)
class DeviceSettings(Value):
    """What a prediction takes from the machine of a device.

    Attributes:
        quirks: in force; no-apst also where this kernel has no APST for the drive; None:
            not known.
        pcie_link: NVMe: "l0", "l1" or "l1.2", the deepest state of the link that Linux
            has on; None: Linux does not manage the link. ssdpm.parameters() makes a range
            of None.
        lpm: SATA: the link policy of the port; None: not known.
        apst: NVMe: the table that this kernel programs, of apst_params(); None: not
            known. apst and lpm are the policy of today.
    """

    quirks: tuple[Quirk, ...] | None
    pcie_link: str | None
    lpm: str | None
    apst: ApstTable | None


# Facts of one kind of drive only.
_FACTS_OF = {
    "nvme": ("latency_tolerance_us", "transport", "reset_count"),
    "sata": (
        "host",
        "ata_port",
        "lpm",
        "lpm_word",
        "lpm_supported",
        "ahci_port_cmd",
        "ahci_host_caps",
        "ahci_host_cap2",
        "devices_without_hipm",
        "n_devices",
        "port",
    ),
}


class _Read(Live):
    """What a Device has beside its facts: it is not compared, and pandas and
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
            "shared-port", "rotational" and "removable".
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
        """What the drive says of its power states.

        Args:
            commands: send Identify. Without, or where that is not allowed, it is
                what sysfs has (SATA), the dump of a capture, or what the catalogue
                has by product and firmware: Model.provenance tells. A SATA disk in
                standby is left asleep: then it is what sysfs has, too.
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
        return Model._wrap(self._handle.model(commands, catalogue._handle))

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
        return DevicePower(
            **{**members, "supported": frozenset(members["supported"])}
        )

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
        bits, link, lpm, table = self._handle.settings(
            self.machine._handle, None if known is None else known._handle
        )
        return DeviceSettings(
            None if bits is None else quirk_names(bits),
            link,
            lpm,
            None if table is None else ApstTable._wrap(table),
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
        """Is it saving power, if not why, and what to do?

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
        return [Diagnosis(*one) for one in found]

    def to_dict(
        self, model: Model | None = None, table: ApstTable | None = None
    ) -> dict[str, Any]:
        """What ``ssdpm list --json`` has of it: the facts of its kind of drive, the
        quirks and the diagnosis, for json.dumps().

        Args:
            As diagnose().

        Returns:
            An ssdpm.device/1, see ssdpm-json(5).
        """
        known = self.known_model(model)
        facts = self._handle.facts()
        kernel_quirks = facts.pop("kernel_quirks")
        for kind, names in _FACTS_OF.items():
            for name in names:
                if kind != self.kind and facts[name] is None:
                    del facts[name]
        result = {"schema": "ssdpm.device/1", **facts}
        if self.kind == "nvme":
            quirks = self.kernel_quirks
            if quirks is None and known is not None:
                quirks = self.quirks(known).quirks
            result["latency_tolerance_us"] = self.latency_tolerance_us
            result["quirks"] = None if quirks is None else list(map(str, quirks))
            result["quirks_from_kernel"] = kernel_quirks is not None
        found = self.diagnose(known, table)
        result["verdict"] = found[0].code
        result["diagnosis"] = [asdict(one) for one in found]
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
            if isinstance(value, (tuple, frozenset)):
                value = ", ".join(sorted(map(str, value)))
            elif one.name.startswith(("pci_", "ahci_")) and isinstance(value, int):
                value = f"{value:#x}"
            rows.append((one.name, value))
        return html_table(self.name, ("fact", "value"), rows)


def _log_of(log: Log | None) -> tuple[Callable[[int, str], object], int]:
    """What is called with each message, and the most that is wanted."""
    if log is None:
        log = logging.getLogger("ssdpm")
    if isinstance(log, logging.Logger):
        wanted = [ours for ours, theirs in _LEVELS.items() if log.isEnabledFor(theirs)]
        most = max(wanted, default=_core.LOG_WARNING)
        tell: Callable[[int, str], object] = log.log
    else:
        most = _core.LOG_DEBUG
        tell = log
    if not callable(tell):
        raise TypeError(
            f"log: a logging.Logger or a callable is needed, not {type(log).__name__}"
        )
    return tell, most


def _heard_by(machine: Machine) -> Callable[[int, str], None]:
    """What the library calls. It keeps no machine: Python sees no cycle through C."""
    weak = weakref.ref(machine)

    def hear(level: int, message: str) -> None:
        strong = weak()
        if strong is not None:
            strong._tell(_LEVELS[level], message)

    return hear


class Machine(Live):
    """This machine, or a directory that was captured from one.

    Args:
        root: a capture, or any directory that holds a sys/; None: this machine.
            Symbolic links under it never lead out of it.
        log: a logging.Logger, told as much as its level has it when the Machine is
            made; or what is called with a level of the module logging and a line for
            everything down to each file that is read. None: the logger "ssdpm".

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
        self._tell, most = _log_of(log)
        self._handle = _core.Machine(path, _heard_by(self), most)

    @property
    def root(self) -> str | None:
        """The directory, or None for this machine."""
        return self._root

    @property
    def facts(self) -> MachineFacts:
        """What is known of the machine as a whole, read anew each time."""
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

    def owners(self) -> tuple[Owner, ...]:
        """Who else sets latency tolerances and LPM."""
        return tuple(
            Owner(kind, path, line or None, setting)
            for kind, path, line, setting in self._handle.owners()
        )

    def meters(self) -> tuple[Meter, ...]:
        """The power meters that there are."""
        return tuple(Meter(*meter) for meter in self._handle.meters())

    def find_meter(self, name: str) -> Meter:
        """One meter, by what people call it.

        Args:
            name: its name or its path, as of meters(); the folder of its file
                ("hwmon3"), or either with the file ("amdgpu/power2_input"); "battery"
                for all batteries together; a drive ("nvme0"), which is asked whether it
                measures its power, as root; "command:" and a line for /bin/sh, which
                prints watts.

        Raises:
            NotFoundError: there is none; the message names those that there are.
            InvalidError: several have that name: pass the path.
            UnsupportedError: the drive does not measure; a command in a capture.
            AccessError: root alone may ask the drive.
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
        return "<ssdpm.Machine>" if self._root is None else (
            f"<ssdpm.Machine {self._root!r}>"
        )


Root = Union[str, "os.PathLike[str]", Machine, None]


class Sampler(Live):
    """A meter that is read again and again.

    Args:
        meter: a Meter, or its name, as of Machine.find_meter().
        root: where it is: a capture, a Machine, or None: this machine.
        interval_s: from one reading to the next, for iteration and record().

    Iterated, it waits for the interval and reads, without an end. It may stand in a
    with statement, which closes it.

        with ssdpm.Sampler("BAT0") as sampler:
            times, power = sampler.record(60)
        print(ssdpm.measure.energy(power, times=times))

    Raises:
        BusyError: a battery that charges, or is full: its power is not the machine's.
        GoneError, AccessError, UnsupportedError, Error: it cannot be read.
        As Machine.find_meter().
    """

    __slots__ = ("_handle", "_machine", "interval_s", "meter")

    meter: Meter
    interval_s: float
    _machine: Machine
    _handle: _core.Sampler | None

    def __init__(
        self, meter: Meter | str, root: Root = None, *, interval_s: float = 1.0
    ) -> None:
        self._machine = machine_of(root)
        self.interval_s = _seconds(interval_s, "interval_s")
        if isinstance(meter, str):
            meter = self._machine.find_meter(meter)
        self.meter = check_instance(meter, "meter", Meter)
        check_word(meter.kind, "meter.kind", _core.METER_KINDS)
        self._handle = _core.Sampler(
            self._machine._handle,
            _core.METER_KINDS[meter.kind],
            os.fsencode(meter.name),
            os.fsencode(meter.path),
        )

    def read(self) -> Reading:
        """One reading, now. After a failure the next one may succeed.

        Raises:
            BusyError: it charges now.
            GoneError: it is gone, or a command failed.
            TimedOutError: a command did not end within 30 seconds.
            InvalidError: no number, or one that no power can be.
            ValueError: the sampler is closed.
        """
        if self._handle is None:
            raise ValueError("the sampler is closed")
        time_ns, power_w, energy_j, flags = self._handle.read()
        return Reading(
            time_ns,
            power_w,
            energy_j,
            bool(flags & _core.READING_SAME),
            bool(flags & _core.READING_WRAP),
            bool(flags & _core.READING_RESET),
            bool(flags & _core.READING_CHARGE_COUNTER),
        )

    def __iter__(self) -> Iterator[Reading]:
        due = time.monotonic()
        while True:
            yield self.read()
            # One that took too long has missed some.
            missed = max(0.0, time.monotonic() - due) // self.interval_s
            due += (missed + 1) * self.interval_s
            time.sleep(max(0.0, due - time.monotonic()))

    def record(
        self, duration_s: float
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Times in nanoseconds and watts, for ssdpm.measure.

        Ctrl-C, or a meter that fails, ends it with what was measured, the latter with
        a warning. A failure before anything was measured is raised.

        Args:
            duration_s: how long; infinity: until Ctrl-C.
        """
        end = time.monotonic() + _seconds(duration_s, "duration_s", endless=True)
        times: list[int] = []
        power: list[float] = []
        try:
            for reading in self:
                times.append(reading.time_ns)
                power.append(reading.power_w)
                if time.monotonic() + self.interval_s > end:
                    break
        except KeyboardInterrupt:
            if not times:
                raise
        except Error as error:
            if not times:
                raise
            warnings.warn(
                f"{self.meter.name}: ended after {len(times)} readings: {error}",
                RuntimeWarning,
                stacklevel=2,
            )
        return np.array(times, np.int64), np.array(power, np.float64)

    def close(self) -> None:
        """Let the meter go; close it again without harm."""
        self._handle = None

    def __enter__(self) -> Sampler:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ssdpm.Sampler {self.meter.name!r}, each {self.interval_s:g} s>"


def _seconds(value: object, name: str, *, endless: bool = False) -> float:
    number = check_float(value, name, "seconds are")
    if not number > 0 or (not endless and number == math.inf):
        raise RangeError(errno.ERANGE, f"{name}: {number:g} is not above 0 and finite")
    return number


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
