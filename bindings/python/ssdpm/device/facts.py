# SPDX-License-Identifier: MIT
"""The facts that a machine reports of itself and of its devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ssdpm.base.result import Scaled, Value
from ssdpm.policy.parameters import PowerSource, Quirk
from ssdpm.policy.table import ApstTable


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
        kind: "tlp", "tuned", "laptop-mode-tools", "udev", "modprobe", "systemd",
            "sysfsutils" or "ssdpm".
        path: the file.
        line: of it, or None: the file as a whole.
        setting: what it says.
        sets: "latency-tolerance", "lpm", "runtime-pm", "aspm-policy"; with "parameter",
            it is read as a module is loaded, and undoes nothing that is set later.
    """

    kind: str
    path: str
    line: int | None
    setting: str
    sets: tuple[str, ...]

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
    """The facts of a meter. NaN is unknown.

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
        left_j: what the battery still holds, or all of them together; NaN: it is none,
            or its driver does not say.
        update_ns: mean time from one new value of the meter to the next, in all
            readings of the sampler, as a Trial needs it; None: unknown, as before 10
            readings.
    """

    time_ns: int
    power_w: float
    energy_j: float
    same: bool
    wrapped: bool
    reset: bool
    charge_counter: bool
    left_j: float
    update_ns: int | None


@dataclass(frozen=True, eq=False)
class Change(Value):
    """A value to set.

    Attributes:
        target: a file, "/sys/..."; else a kernel parameter: "nvme_core.force_apst".
        value: what to write or to boot with; "": remove the parameter.
    """

    target: str
    value: str

    @classmethod
    def _make(cls, pairs: list[tuple[str, str]]) -> tuple[Change, ...]:
        return tuple(cls(target, value) for target, value in pairs)


@dataclass(frozen=True, eq=False)
class Diagnosis(Value):
    """One thing about a drive; str() of it is the message and the advice.

    Attributes:
        code: a word that scripts can rely on, as in "apst-empty"; all are in
            ssdpm_device(3).
        severity: "good", "note", "problem", or "unknown": more has to be known.
        message: one line with the evidence.
        advice: what to do, or None.
        remedy: the same as a word that scripts can rely on, as in "latency-limit".
        changes: what the remedy changes, in this order.
    """

    code: str
    severity: str
    message: str
    advice: str | None
    remedy: str | None = None
    changes: tuple[Change, ...] = ()

    def __str__(self) -> str:
        if self.advice is None:
            return self.message
        return f"{self.message}; {self.advice}"


@dataclass(frozen=True, eq=False)
class DevicePower(Value):
    """The power that an NVMe drive reports; None: unknown, or it has none.

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

    power_limit_w = Scaled["float | None"]("power_limit_uw")


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
        left_alone: SATA: nobody should change the link policy of the port, because it is
            external, for hot-plug, or shared by several disks.
        refused: SATA: the port takes no other link policy.
    """

    quirks: tuple[Quirk, ...] | None
    pcie_link: str | None
    lpm: str | None
    apst: ApstTable | None
    left_alone: bool
    refused: bool = False
