#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Machines that do not exist: directories with the sysfs that they would have.

    tests/captures/machines.py NAME|--all DIRECTORY

Each is a root as ssdpm-capture(5) describes it: sys/ with the symbolic links of
the kernel, dumps/, and the marker. Every serial number, WWN, NQN and host name
has SECRET in it: a capture of such a machine must not.
"""

from __future__ import annotations

import json
import os
import pathlib
import posixpath
import shutil
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

MARKER = "ssdpm-capture"
KERNEL_7, KERNEL_6_12 = "7.3.4+deb13-amd64", "6.12.117+deb13-amd64"
KERNEL_6_1, KERNEL_5 = "6.1.0-56-amd64", "5.10.0-32-amd64"
# Of Debian, whose older releases do not say the patch level.
VERSIONS = {
    KERNEL_6_1: "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-10-30)",
    KERNEL_5: "#1 SMP Debian 5.10.223-1 (2024-08-10)",
}


def release(text: str) -> tuple[int, int]:
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


@dataclass(frozen=True)
class State:
    """A power state: watts, entry and exit latency, as NVMe has them."""

    max_power: float
    entry_us: int = 0
    exit_us: int = 0
    operational: bool = True

    def pack(self, rank: int) -> bytes:
        fine = self.max_power < 1  # units of 0.1 mW instead of 10 mW
        return struct.pack(
            "<HxBLL4B16x",
            round(self.max_power * (10000 if fine else 100)),
            fine | (not self.operational) << 1,
            self.entry_us,
            self.exit_us,
            *[rank] * 4,
        )


def sleeps(max_power: float, entry_us: int, exit_us: int) -> State:
    return State(max_power, entry_us, exit_us, operational=False)


@dataclass(frozen=True)
class Nvme:
    """An NVMe drive: what Identify Controller says, and its PCI ID."""

    product: str
    firmware: str
    vendor_id: int
    device_id: int
    states: Sequence[State]
    apsta: int = 1
    ctratt: int = 0
    throttle_k: tuple[int, int] | None = None  # the least and the most to be set

    def identify(self, number: int) -> bytes:
        data = bytearray(4096)
        struct.pack_into("<HH", data, 0, self.vendor_id, self.vendor_id)
        data[4:24] = f"SECRETNVME{number:010}".encode()
        data[24:64] = self.product.encode("latin-1").ljust(40)
        data[64:72] = self.firmware.encode("latin-1").ljust(8)
        struct.pack_into("<L", data, 80, 0x00010400)  # NVMe 1.4
        struct.pack_into("<L", data, 96, self.ctratt)
        data[112:128] = b"SECRETFGUID00000"
        data[263], data[265] = len(self.states) - 1, self.apsta
        if self.throttle_k:
            struct.pack_into("<3H", data, 322, 1, *self.throttle_k)
        nqn = f"nqn.2014-08.org.nvmexpress:SECRET{number}".encode()
        data[768 : 768 + len(nqn)] = nqn
        data[1024:1038] = b"SECRETRESERVED"
        for index, state in enumerate(self.states):
            data[2048 + 32 * index : 2080 + 32 * index] = state.pack(index)
        data[3072:3084] = data[4084:4096] = b"SECRETVENDOR"
        return bytes(data)


def swapped(text: str, size: int) -> tuple[int, ...]:
    """A text of IDENTIFY DEVICE data: words, their first character high."""
    return struct.unpack(f">{size // 2}H", text.encode("latin-1").ljust(size))


@dataclass(frozen=True)
class Ata:
    """A SATA drive: the words of IDENTIFY DEVICE that matter here."""

    product: str
    firmware: str
    hipm: bool = False
    dipm: bool = True
    devsleep: bool = False
    rotational: bool = False
    packet: bool = False  # an optical drive

    def identify(self, number: int) -> bytes:
        words = [0] * 256
        words[0] = 0x85C0 if self.packet else 0x0040
        words[10:20] = swapped(f"SECRETATA{number:011}", 20)
        words[23:27] = swapped(self.firmware, 8)
        words[27:47] = swapped(self.product, 40)
        words[76] = 0x010E | self.hipm << 9
        words[78] = self.dipm << 3 | self.devsleep << 8
        words[79] = 0
        words[83], words[84], words[87] = 0x4000, 0x4000, 0x4000
        words[108:116] = swapped("SECRETWW" * 2, 16)
        words[129:160] = swapped("SECRETVENDOR", 62)
        words[176:206] = swapped("SECRETMEDIUM", 60)
        words[217] = 7200 if self.rotational else 1
        data = bytearray(struct.pack("<256H", *words))
        data[510] = 0xA5
        data[511] = -sum(data) & 0xFF
        return bytes(data)

    def hex_words(self, number: int) -> str:
        words = struct.unpack("<256H", self.identify(number))
        return "\n".join(
            " ".join(f"{word:04x}" for word in words[i : i + 8])
            for i in range(0, 256, 8)
        )


def of_table(line: str) -> Nvme:
    """A drive with five states, of which two sleep: a line of the table below."""
    ids, firmware, *states, product = (word.strip() for word in line.split("|"))
    vendor, device = (int(number, 16) for number in ids.split(":"))
    awake = [State(float(power)) for power in states[0].split()]
    asleep = [
        sleeps(float(power), int(entry), int(leave))
        for power, entry, leave in (state.split() for state in states[1:])
    ]
    return Nvme(product, firmware, vendor, device, awake + asleep)


# PCI ID, firmware, watts awake; watts, us of entry and of exit asleep; product.
SN530, EVO_PLUS, A2000, TOSHIBA, SLOW = map(of_table, """\
15b7:5008|21106000|3.5 2.4 1.9|0.025 3900 11000|0.005 5000 39000|WDC PC SN530 SDBPNPZ-512G-1002
144d:a808|2B2QEXM7|7.8 6.0 3.4|0.07 210 1200|0.01 2000 8000|Samsung SSD 970 EVO Plus 1TB
2646:2263|S5Z42105|9.0 4.6 3.8|0.045 2000 2000|0.004 15000 15000|KINGSTON SA2000M8500G
1179:010f|51025KLA|6.0 2.4 1.9|0.012 1000 1500|0.006 5000 14000|THNSF5256GPUK TOSHIBA
126f:2263|FW 1.0|4.5 2.7 2.2|0.05 4000 10000|0.004 8000 105000|Fixture Slow SSD 256GB
""".splitlines())  # fmt: skip
NO_APST = Nvme(
    "Fixture Server SSD 1.92TB", "GXA7", 0x144D, 0xA824, [State(8.5)], apsta=0
)
MX500 = Ata("CT1000MX500SSD1", "M3CR046", hipm=False, devsleep=True)
SATA_860 = Ata("Samsung SSD 860 EVO 500GB", "RVT01B6Q", devsleep=True)
INTEL_545 = Ata("INTEL SSDSC2KW512G8", "LHF002C", hipm=True, devsleep=True)
MX100 = Ata("Crucial_CT512MX100SSD1", "MU01", hipm=True)
HARD_DISK = Ata("WDC WD40EZRZ-00GXCB0", "80.00A80", dipm=False, rotational=True)
DVD = Ata("HL-DT-ST DVDRAM GUE1N", "T.03", packet=True, dipm=False)

# CAP of a Sunrise Point laptop: SALP, SSC, PSC; SXS is bit 5.
CAP, CAP_SXS = 0xC734FF02, 0xC734FF22
CAP_NO_SALP = CAP & ~(1 << 26)
CAP2 = 0x0000003C  # APST, SDS, SADM, DESO
# PxCMD: started; bits 18 HPCP, 21 ESP, 26 ALPE, 27 ASP
CMD, HPCP, ESP, ALPE, ASP = 0x0000C017, 1 << 18, 1 << 21, 1 << 26, 1 << 27


@dataclass(frozen=True)
class Port:
    """A SATA port, what is on it, and what its host is told."""

    disk: Ata | None = None
    policy: str = "med_power_with_dipm"
    supported: bool = True
    bits: int = 0  # of PxCMD, more than CMD

    @property
    def command(self) -> int:
        return CMD | self.bits


@dataclass
class Machine:
    """What is to be written: files, links, pipes, by path below the root."""

    kernel: str
    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    pipes: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    drives: int = 0
    disks: int = 0
    hosts: int = 0
    ata_ports: int = 0

    def file(self, path: str, text: object) -> None:
        self.files[path] = f"{text}\n".encode("latin-1")

    def files_in(self, folder: str, **texts: object) -> None:
        for name, text in texts.items():
            self.file(f"{folder}/{name}", text)

    def link(self, path: str, target: str) -> None:
        """A relative one, as sysfs has them."""
        self.links[path] = posixpath.relpath(target, posixpath.dirname(path))

    def has(self, major: int, minor: int) -> bool:
        return release(self.kernel) >= (major, minor)

    def write(self, root: pathlib.Path) -> None:
        for folder in self.folders:
            (root / folder).mkdir(parents=True, exist_ok=True)
        for path, data in self.files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        for path, target in self.links.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).symlink_to(target)
        for path in self.pipes:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            os.mkfifo(root / path)

    def host(
        self,
        vendor: str,
        product: str,
        board: str,
        mem_sleep: str = "[s2idle] deep",
        aspm: str | None = "[default] performance powersave powersupersave",
        parameters: dict[str, int] | None = None,
        chassis_type: int | None = None,
    ) -> None:
        """What belongs to the machine as a whole."""
        self.file(MARKER, "1")
        self.file("proc/sys/kernel/osrelease", self.kernel)
        version = VERSIONS.get(self.kernel, "#1 SMP PREEMPT_DYNAMIC")
        self.file("proc/sys/kernel/version", version)
        self.file("proc/sys/kernel/hostname", "SECRETHOST")
        self.file("proc/cmdline", "root=UUID=SECRETUUID quiet")
        self.file("sys/power/mem_sleep", mem_sleep)
        self.files_in(
            "sys/devices/virtual/dmi/id",
            sys_vendor=vendor,
            product_name=product,
            product_version="1.0",
            board_vendor=vendor,
            board_name=board,
            bios_date="03/14/2024",
            product_serial="SECRETMACHINE",
        )
        if chassis_type:
            self.files_in("sys/devices/virtual/dmi/id", chassis_type=chassis_type)
        self.link("sys/class/dmi/id", "sys/devices/virtual/dmi/id")
        if aspm:
            self.file("sys/module/pcie_aspm/parameters/policy", aspm)
        values: dict[str, object] = {"default_ps_max_latency_us": 100000}
        if self.has(5, 14):
            values |= {
                "apst_primary_timeout_ms": 100,
                "apst_primary_latency_tol_us": 15000,
                "apst_secondary_timeout_ms": 2000,
                "apst_secondary_latency_tol_us": 100000,
            }
        values |= {"force_apst": "N", **(parameters or {})}
        self.files_in("sys/module/nvme_core/parameters", **values)
        self.files_in("sys/module/nvme/parameters", noacpi="N")
        ahci: dict[str, object] = {"mobile_lpm_policy": -1}
        if self.has(6, 17):
            self.file("sys/module/nvme/parameters/quirks", "(null)")
            ahci["mask_port_ext"] = "(null)"
        self.files_in("sys/module/ahci/parameters", **ahci)

    def pci(self, address: str, ids: tuple[int, int], driver: str | None,
            bridge: str | None = None, pci_class: int = 0x010802) -> str:  # fmt: skip
        """A PCI device; return its folder."""
        path = "sys/devices/pci0000:00/"
        if bridge:
            path += bridge + "/"
        path += address
        self.files_in(
            path,
            vendor=f"0x{ids[0]:04x}",
            device=f"0x{ids[1]:04x}",
            power_state="D0",
            d3cold_allowed=1,
        )
        self.file(path + "/class", f"0x{pci_class:06x}")
        self.files_in(path + "/power", control="on")
        if driver:
            folder = f"sys/bus/pci/drivers/{driver}"
            self.link(path + "/driver", folder)
            self.link(f"{folder}/{address}", path)
        self.link(f"sys/bus/pci/devices/{address}", path)
        return path

    def pcie_link(self, pci: str, enabled: dict[str, bool] | None) -> None:
        for name, on in (enabled or {}).items():
            self.file(f"{pci}/link/{name}", int(on))

    def nvme(
        self,
        drive: Nvme,
        link: dict[str, bool] | None,
        tolerance: object = 100000,
        quirks: Sequence[str] = (),
        resets: int = 0,
        table: Sequence[tuple[int, int]] = (),
        state: str = "live",
        known: bool = True,
    ) -> str:
        """An NVMe drive in a slot of its own; table: (target, ms) by state."""
        number = self.drives
        bridge = f"0000:00:{0x1C + number // 2:02x}.{number % 2 * 4}"
        address = f"0000:{number + 1:02x}:00.0"
        pci = self.pci(address, (drive.vendor_id, drive.device_id), "nvme", bridge)
        self.pcie_link(pci, link)
        path = self.controller(
            f"{pci}/nvme", drive, tolerance, quirks, resets, state, known
        )
        self.file(f"{path}/transport", "pcie")
        self.file(f"{path}/address", address)
        self.link(f"{path}/device", pci)
        name = f"nvme{number}"
        namespace = f"{path}/{name}n1"
        self.block(namespace, rotational=False)
        self.files_in(namespace, wwid=f"eui.SECRETWWN{number}", nsid=1)
        self.link(f"{namespace}/device", path)
        self.files_in(f"{namespace}/{name}n1p1", partition=1, size=2048)
        self.link(f"sys/class/block/{name}n1p1", f"{namespace}/{name}n1p1")
        if known and drive.apsta and "no_apst" not in quirks:
            self.apst(name, tolerance, table)
        return path

    def controller(self, folder: str, drive: Nvme, tolerance: object,
                   quirks: Sequence[str], resets: int, state: str,
                   known: bool) -> str:  # fmt: skip
        number = self.drives
        self.drives += 1
        path = f"{folder}/nvme{number}"
        self.files_in(
            path,
            model=drive.product.ljust(40),
            serial=f"SECRETNVME{number:010}",
            firmware_rev=drive.firmware.ljust(8),
            state=state,
            cntlid=0,
            subsysnqn=f"nqn.2014-08.org.nvmexpress:SECRET{number}",
        )
        self.link(f"{path}/subsystem", "sys/class/nvme")
        self.link(f"sys/class/nvme/nvme{number}", path)
        if drive.apsta and "no_apst" not in quirks:
            self.file(f"{path}/power/pm_qos_latency_tolerance_us", tolerance)
        self.files_in(f"{path}/power", control="auto", runtime_status="unsupported")
        if self.has(6, 17):
            self.file(f"{path}/quirks", "\n".join(quirks) or "none")
            self.files_in(f"{path}/diag", reset_count=resets, command_error_count=0)
        self.files_in(f"{path}/hwmon{number}", name="nvme", temp1_input=36850)
        self.link(f"{path}/hwmon{number}/device", path)
        self.link(f"sys/class/hwmon/hwmon{number}", f"{path}/hwmon{number}")
        if known:
            self.files[f"dumps/nvme{number}.identify"] = drive.identify(number)
        return path

    def apst(
        self, name: str, tolerance: object, table: Sequence[tuple[int, int]]
    ) -> None:
        words = [target << 3 | ms << 8 for target, ms in table]
        words += [0] * (32 - len(words))
        value = {
            "schema": "ssdpm.apst/1",
            "sent": True,
            "enabled": tolerance != 0,
            "raw": struct.pack("<32Q", *words).hex(),
        }
        self.file(f"dumps/{name}.apst", json.dumps(value))
        self.file(f"dumps/{name}.power-state", 0)

    def power(self, name: str, **values: int) -> None:
        """What `ssdpm capture` of today writes of the features."""
        lines = [f"{key} {value}\n" for key, value in values.items()]
        self.file(f"dumps/{name}.power-state", values["power_state"])
        self.files[f"dumps/{name}.power"] = "".join(lines).encode()

    def block(self, path: str, rotational: bool, removable: bool = False) -> None:
        name = posixpath.basename(path)
        self.files_in(path, size=1000215216, removable=int(removable))
        self.file(f"{path}/queue/rotational", int(rotational))
        self.link(f"{path}/subsystem", "sys/class/block")
        self.link(f"sys/class/block/{name}", path)
        self.link(f"sys/block/{name}", path)

    def ahci(
        self,
        address: str,
        ports: Sequence[Port],
        ids: tuple[int, int] = (0x8086, 0x9D03),
        caps: int = CAP,
        cap2: int = CAP2,
        remapped: int | None = None,
    ) -> str:
        pci = self.pci(address, ids, "ahci", pci_class=0x010601)
        if remapped is not None:
            self.file(f"{pci}/remapped_nvme", remapped)
        for number, port in enumerate(ports):
            self.port(pci, number, port, (caps, cap2))
        return pci

    def port(
        self, pci: str, number: int, port: Port, caps: tuple[int, int]
    ) -> None:
        host, ata = self.hosts, self.ata_ports + 1
        self.hosts, self.ata_ports = host + 1, ata
        folder = f"{pci}/ata{ata}"
        self.files_in(f"{folder}/ata_port/ata{ata}", port_no=number + 1, idle_irq=0)
        self.link(f"sys/class/ata_port/ata{ata}", f"{folder}/ata_port/ata{ata}")
        link = f"{folder}/link{ata}"
        speed = "6.0 Gbps" if port.disk else "<unknown>"
        self.files_in(f"{link}/ata_link/link{ata}", sata_spd=speed)
        self.link(f"sys/class/ata_link/link{ata}", f"{link}/ata_link/link{ata}")
        self.scsi_host(f"{folder}/host{host}", host, "ahci")
        device = f"{link}/dev{ata}.0/ata_device/dev{ata}.0"
        self.link(f"sys/class/ata_device/dev{ata}.0", device)
        self.files[f"{device}/id"] = b""
        kind = "none"
        if port.disk:
            kind = "atapi" if port.disk.packet else "ata"
            self.file(f"{device}/id", port.disk.hex_words(host))
            self.disk(f"{folder}/host{host}", host, port.disk)
        self.file(f"{device}/class", kind)
        self.file(f"{folder}/power/control", "on")
        scsi = f"{folder}/host{host}/scsi_host/host{host}"
        self.files_in(
            scsi,
            link_power_management_policy=port.policy,
            ahci_port_cmd=f"{port.command:x}",
            ahci_host_caps=f"{caps[0]:x}",
            ahci_host_cap2=f"{caps[1]:x}",
            ahci_host_version="10301",
        )
        if self.has(6, 12):
            name = f"{scsi}/link_power_management_supported"
            self.file(name, int(port.supported))

    def scsi_host(self, path: str, host: int, driver: str) -> None:
        scsi = f"{path}/scsi_host/host{host}"
        self.files_in(scsi, state="running", proc_name=driver, unique_id=host)
        self.link(f"{scsi}/device", path)
        self.link(f"sys/class/scsi_host/host{host}", scsi)

    def disk(self, path: str, host: int, disk: Ata, target: str = "") -> str:
        """A SCSI disk; it is known to SCSI by a part of its name."""
        device = f"{path}/{target}target{host}:0:0/{host}:0:0:0"
        self.files_in(
            device,
            vendor="ATA     ",
            model=disk.product[:16].ljust(16),
            rev=disk.firmware[-4:].ljust(4),
            state="running",
            type=5 if disk.packet else 0,
        )
        self.files_in(f"{device}/power", control="on")
        if disk.packet:
            name = "sr0"
        else:
            name = f"sd{'abcdefghij'[self.disks]}"
            self.disks += 1
            self.file(f"{device}/wwid", f"naa.SECRETWWN{host}")
            if target == "" and "/ata" in path:
                self.files[f"dumps/{name}.identify"] = disk.identify(host)
                self.files[f"dumps/{name}.devsleep"] = devsleep(disk)
        block = f"{device}/block/{name}"
        self.block(block, disk.rotational, removable=disk.packet)
        self.link(f"{block}/device", device)
        return block

    def outside(self, pci: str, below: str, driver: str, disk: Ata,
                target: str = "") -> str:  # fmt: skip
        """A disk that libata knows nothing of."""
        host = self.hosts
        self.hosts += 1
        path = f"{pci}/{below}host{host}"
        self.scsi_host(path, host, driver)
        return self.disk(path, host, disk, target)

    def supplies(self, online: bool, battery: str | None = None) -> None:
        """A mains adapter; battery: "power", "current", or None: there is none."""
        acpi = "sys/devices/LNXSYSTM:00/LNXSYBUS:00"
        mains = f"{acpi}/ACPI0003:00/power_supply/AC"
        self.files_in(mains, type="Mains", online=int(online))
        self.link("sys/class/power_supply/AC", mains)
        self.hwmon(f"{mains}/hwmon{len(self.hwmons())}", name="AC")
        if not battery:
            return
        path = f"{acpi}/PNP0C0A:00/power_supply/BAT0"
        status = "Charging" if online else "Discharging"
        self.files_in(path, type="Battery", status=status, present=1, scope="System")
        self.files_in(path, serial_number="SECRETBATTERY", voltage_now=12100000)
        if battery == "power":
            self.files_in(path, power_now=6200000, energy_now=41000000)
        else:
            self.files_in(path, current_now=512000, charge_now=3400000)
        self.link("sys/class/power_supply/BAT0", path)

    def hwmons(self) -> list[str]:
        return [path for path in self.links if path.startswith("sys/class/hwmon/")]

    def hwmon(self, path: str, **texts: object) -> None:
        self.files_in(path, **texts)
        self.link(f"sys/class/hwmon/{posixpath.basename(path)}", path)

    def power_meter(self) -> None:
        """acpi_power_meter: no name, and its numbers are a folder higher."""
        device = "sys/devices/LNXSYSTM:00/LNXSYBUS:00/ACPI000D:00"
        path = f"{device}/hwmon/hwmon{len(self.hwmons())}"
        self.folders.append(path)
        self.files_in(device, power1_average=41000000, power1_average_interval=1000)
        self.link(f"{path}/device", device)
        self.link(f"sys/class/hwmon/{posixpath.basename(path)}", path)

    def rapl(self) -> None:
        top = "sys/devices/virtual/powercap/intel-rapl"
        self.files_in(top, enabled=1)
        self.link("sys/class/powercap/intel-rapl", top)
        package = f"{top}/intel-rapl:0"
        for path, name in (
            (package, "package-0"),
            (f"{package}/intel-rapl:0:0", "core"),
            (f"{package}/intel-rapl:0:1", "dram"),
        ):
            self.files_in(
                path, name=name, energy_uj=8247720, max_energy_range_uj=262143328850
            )
            self.link(f"sys/class/powercap/{posixpath.basename(path)}", path)

    def text(self, path: str, text: str) -> None:
        self.files[path] = text.encode()


def devsleep(disk: Ata) -> bytes:
    """Log 30h, page 08h: MDAT 10 ms, DETO 20 ms."""
    data = bytearray(512)
    if disk.devsleep:
        data[0x30], data[0x31], data[0x37] = 10, 20, 0x80
        data[0x38:0x3E] = b"SECRET"
    return bytes(data)


# Files of the folder link/: what the link is capable of, and what is enabled.
L1_2_ON = {"clkpm": True, "l1_aspm": True, "l1_1_aspm": True, "l1_2_aspm": True}
L1_2_OFF = L1_2_ON | {"l1_1_aspm": False, "l1_2_aspm": False}
ALL_OFF = dict.fromkeys(L1_2_ON, False)
ONLY_L1 = {"l1_aspm": True}

# What Linux programs by default: (target, ms) for each state.
SN530_TABLE = [(3, 100)] * 3 + [(4, 2000)]
EVO_PLUS_TABLE = [(4, 100)] * 4
LEGACY_SN530_TABLE = [(3, 745)] * 3 + [(4, 2200)]
A2000_TABLE = [(3, 100)] * 3


def laptop() -> Machine:
    m = Machine(KERNEL_7)
    m.host("LENOVO", "20XWCTO1WW", "20XWCTO1WW", mem_sleep="[s2idle]")
    m.nvme(SN530, L1_2_ON, table=SN530_TABLE)
    m.supplies(online=False, battery="power")
    m.rapl()
    m.text(
        "etc/tlp.conf",
        "# TLP settings\n"
        "#SATA_LINKPWR_ON_AC=\"med_power_with_dipm\"\n"
        "SATA_LINKPWR_ON_BAT=\"med_power_with_dipm min_power\"\n"
        "CPU_BOOST_ON_AC=1\n",
    )
    m.text("etc/tlp.d/10-mine.conf", "  AHCI_RUNTIME_PM_ON_BAT=auto\n")
    return m


def desktop() -> Machine:
    m = Machine(KERNEL_6_1)
    m.host("ASUSTeK COMPUTER INC.", "System Product Name", "PRIME B550-PLUS",
           mem_sleep="s2idle [deep]")  # fmt: skip
    m.nvme(EVO_PLUS, L1_2_OFF, table=EVO_PLUS_TABLE)
    m.ahci(
        "0000:00:17.0",
        [
            Port(MX500, "max_performance"),
            Port(INTEL_545, "min_power", bits=ALPE | ASP),
            Port(None, "max_performance"),
            Port(DVD, "max_performance"),
            Port(None, "max_performance"),
        ],
    )
    m.text("etc/tuned/active_profile", "powersave\n")
    m.text(
        "usr/lib/tuned/powersave/tuned.conf",
        "[main]\nsummary=Low power\n\n[scsi_host]\nalpm=med_power_with_dipm\n",
    )
    return m


def old() -> Machine:
    m = Machine(KERNEL_5)
    m.host("Dell Inc.", "Latitude 5490", "0X5490", mem_sleep="s2idle [deep]")
    m.nvme(SN530, L1_2_ON, table=LEGACY_SN530_TABLE)
    m.ahci("0000:00:17.0", [Port(MX100, "max_performance")])
    m.supplies(online=True, battery="current")
    m.text(
        "etc/laptop-mode/conf.d/intel-sata-powermgmt.conf",
        "CONTROL_INTEL_SATA_POWER=1\nBATT_ACTIVATE_SATA_POWER=1\n# end\n",
    )
    return m


def eight_drives() -> Machine:
    m = Machine(KERNEL_6_12)
    m.host("Supermicro", "Super Server", "X12SPL-F", mem_sleep="s2idle [deep]")
    for drive, link, table in (
        (SN530, L1_2_ON, SN530_TABLE),
        (
            # NOPPME, and of NVMe 2.3 a power limit and measurement.
            replace(EVO_PLUS, ctratt=0x300002, throttle_k=(321, 356)),
            L1_2_ON,
            EVO_PLUS_TABLE,
        ),
        (A2000, L1_2_ON, A2000_TABLE),
        (NO_APST, ONLY_L1, []),
    ):
        m.nvme(drive, link, table=table)
    m.power(
        "nvme1", power_state=1, workload_hint=2, light_throttle_k=343,
        heavy_throttle_k=0, nopp=1, power_measurement=1, power_limit_uw=6000000,
    )  # fmt: skip
    m.ahci(
        "0000:00:17.0",
        [
            Port(MX500),
            Port(INTEL_545, bits=ALPE),
            Port(SATA_860),
            Port(HARD_DISK),
            Port(None, "keep_firmware_settings", bits=HPCP),
        ],
        ids=(0x8086, 0xA1D2),
    )
    m.power_meter()
    return m


def server() -> Machine:
    m = Machine(KERNEL_7)
    m.host("Dell Inc.", "PowerEdge R750", "0R750", mem_sleep="[s2idle]", aspm=None,
           chassis_type=23)  # fmt: skip
    path = m.controller(
        "sys/devices/virtual/nvme-fabrics/ctl", EVO_PLUS, 100000, [], 0, "live", True
    )
    m.files_in(path, transport="tcp", address="traddr=192.0.2.7,trsvcid=4420",
               hostnqn="nqn.2014-08.org.nvmexpress:SECRETHOSTNQN",
               hostid="SECRETHOSTID")  # fmt: skip
    m.link(f"{path}/device", "sys/devices/virtual/nvme-fabrics/ctl")
    m.apst("nvme0", 100000, EVO_PLUS_TABLE)
    # With native multipath the namespace is the subsystem's.
    subsystem = "sys/devices/virtual/nvme-subsystem/nvme-subsys0"
    m.files_in(subsystem, subsysnqn="nqn.2014-08.org.nvmexpress:SECRET0")
    m.link(f"{subsystem}/nvme0", path)
    m.block(f"{subsystem}/nvme0n1", rotational=False)
    m.link("sys/class/nvme-subsystem/nvme-subsys0", subsystem)
    sas = m.pci("0000:03:00.0", (0x1000, 0x0097), "mpt3sas", pci_class=0x010700)
    m.outside(sas, "", "mpt3sas", SATA_860, "port-0:0/end_device-0:0/")
    raid = m.pci("0000:04:00.0", (0x1000, 0x10E2), "megaraid_sas",
                 pci_class=0x010400)  # fmt: skip
    block = m.outside(raid, "", "megaraid_sas", Ata("PERC H755 Front", "5.22"))
    m.file(posixpath.dirname(posixpath.dirname(block)) + "/vendor", "DELL    ")
    usb = m.pci("0000:00:14.0", (0x8086, 0xA1AF), "xhci_hcd", pci_class=0x0C0330)
    m.outside(usb, "usb2/2-1/2-1:1.0/", "uas", MX500)
    m.ahci("0000:00:17.0", [Port(None)], ids=(0x8086, 0x2822), remapped=1)
    m.pci("0000:00:0e.0", (0x8086, 0x467F), None, pci_class=0x010400)
    m.text(
        "etc/udev/rules.d/60-ssd.rules",
        "# old\n"
        'ACTION=="add", SUBSYSTEM=="scsi_host", '
        'ATTR{link_power_management_policy}="medium_power"\n'
        'SUBSYSTEM=="nvme", ATTR{power/pm_qos_latency_tolerance_us}="0"\n',
    )
    m.text(
        "etc/modprobe.d/nvme.conf",
        "options nvme_core default_ps_max_latency_us=0\n"
        "# options ahci mobile_lpm_policy=1\noptions snd_hda_intel power_save=1\n",
    )
    return m


def external_ports() -> Machine:
    m = Machine(KERNEL_7)
    m.host("LENOVO", "ThinkCentre", "3102", mem_sleep="s2idle [deep]")
    full = "max_performance"
    m.ahci(
        "0000:00:17.0",
        [
            Port(INTEL_545, bits=ALPE),
            Port(MX500, full, supported=False, bits=HPCP),
            Port(SATA_860, full, supported=False, bits=ESP),
            Port(None, full, supported=False, bits=HPCP),
        ],
        caps=CAP_SXS,
    )
    return m


def apst_empty() -> Machine:
    """A tolerance of 1 ms: enabled, and no state is quick enough."""
    m = Machine(KERNEL_7)
    m.host("Framework", "Laptop", "FRANMACP04", parameters={
        "default_ps_max_latency_us": 1000})  # fmt: skip
    m.nvme(SN530, L1_2_ON, tolerance=1000)
    m.nvme(SLOW, L1_2_OFF, tolerance="any", table=[(3, 100)] * 3, resets=3)
    m.supplies(online=True, battery="power")
    return m


def apst_off() -> Machine:
    m = Machine(KERNEL_6_12)
    m.host("HP", "HP EliteBook 840", "8895", parameters={
        "default_ps_max_latency_us": 0})  # fmt: skip
    m.nvme(SN530, L1_2_ON, tolerance=0)
    m.supplies(online=True, battery="power")
    return m


def quirked() -> Machine:
    m = Machine(KERNEL_7)
    m.host("Notebook", "NS50_70MU", "NS50_70MU")
    m.nvme(A2000, L1_2_ON, quirks=["no_deepest_ps"], table=A2000_TABLE)
    m.nvme(TOSHIBA, L1_2_ON, quirks=["no_apst"])
    m.ahci("0000:00:17.0", [Port(MX100, "max_performance", supported=False)])
    return m


def no_aspm() -> Machine:
    """Booted with pcie_aspm=off: no folder link/."""
    m = Machine(KERNEL_7)
    m.host("ASRock", "B650M", "B650M", mem_sleep="[s2idle] deep")
    m.nvme(SN530, None, table=SN530_TABLE)
    m.nvme(EVO_PLUS, ALL_OFF, table=EVO_PLUS_TABLE)
    return m


def pm_only_max_performance() -> Machine:
    """An adapter without partial and slumber, and one that is not AHCI."""
    m = Machine(KERNEL_7)
    m.host("QEMU", "Standard PC (Q35 + ICH9, 2009)", "Q35", mem_sleep="s2idle [deep]")
    no_states = CAP & ~(1 << 26 | 1 << 14 | 1 << 13)
    m.ahci("0000:00:1f.2", [Port(MX500, "max_performance", supported=False)],
           ids=(0x8086, 0x2922), caps=no_states, cap2=0)  # fmt: skip
    return m


def hostile() -> Machine:
    """What a stranger may send: nothing of it may be followed or believed."""
    m = Machine(KERNEL_7)
    m.host("Evil\x1b[2J", "Box\x07", "Board\x7f")
    m.nvme(
        Nvme("Evil\x1b[31mSSD\x00\x9bX", "F\x1b\x07W", 0x1234, 0x5678, SN530.states),
        L1_2_ON,
        table=SN530_TABLE,
    )
    controller = next(p for p in m.files if p.endswith("nvme/nvme0/model"))
    folder = posixpath.dirname(controller)
    del m.files[f"{folder}/firmware_rev"]
    m.files[f"{folder}/quirks"] = b"none\n" * 400000
    m.links["sys/class/nvme/nvme1"] = "../../../../../../../etc"
    m.links["sys/class/nvme/nvme2"] = "nvme2"  # to itself
    m.links["sys/class/nvme/nvme3"] = "/sys/class/nvme/nvme0"  # stays inside
    m.folders.append("sys/class/nvme/nvme4")  # nothing in it
    m.links["sys/class/nvme/nvme4294967296"] = m.links["sys/class/nvme/nvme0"]
    m.folders.append("sys/class/nvme/nvme5")
    m.pipes.append("sys/class/nvme/nvme5/model")
    m.links["sys/class/nvme/nvme6"] = "../../devices/\x1b[31m\n/nvme6"
    m.files["sys/devices/\x1b[31m\n/nvme6/state"] = b"live\n"
    m.rapl()
    m.files["sys/devices/virtual/powercap/intel-rapl/intel-rapl:0/name"] = b"\x1b[31m"
    m.text("etc/tlp.d/\x1b[31m.conf", "SATA_LINKPWR_ON_BAT=min_power\n")
    m.links["sys/class/nvme/nvme5/state"] = "/etc/passwd"
    m.ahci("0000:00:17.0", [Port(MX500)])
    host = "sys/devices/pci0000:00/0000:00:17.0/ata1/host0/scsi_host/host0"
    m.files[f"{host}/ahci_port_cmd"] = b"fffffffff\n"
    m.files[f"{host}/link_power_management_policy"] = b"min_power_bogus\n"
    m.links["etc/tlp.conf"] = "/etc/shadow"
    m.pipes.append("etc/tlp.d/pipe.conf")
    m.files["dumps/nvme0.identify"] = b"\xff" * 4096
    m.files["dumps/nvme0.apst"] = b"[" * 100000
    m.files["etc/modprobe.d/long.conf"] = b"options nvme_core " + b"x" * 70000
    return m


MACHINES: dict[str, Callable[[], Machine]] = {
    "laptop": laptop,
    "desktop-6.1": desktop,
    "old-5.10": old,
    "eight-drives": eight_drives,
    "server": server,
    "external-ports": external_ports,
    "apst-empty": apst_empty,
    "apst-off": apst_off,
    "quirked": quirked,
    "no-aspm": no_aspm,
    "pm-only-max-performance": pm_only_max_performance,
    "hostile": hostile,
}


def write(name: str, root: pathlib.Path) -> None:
    """Write one machine into root, which is made anew."""
    shutil.rmtree(root, ignore_errors=True)
    MACHINES[name]().write(root)


def own_settings() -> dict[str, int]:
    """When the files of this machine were written that ask for something: no test
    has any business there."""
    paths = [pathlib.Path("/etc/ssdpm.conf"), pathlib.Path("/etc/ssdpm.conf.d")]
    paths += paths[1].glob("*")
    return {str(path): path.stat().st_mtime_ns for path in paths if path.exists()}


def main() -> None:
    if len(sys.argv) != 3 or sys.argv[1] not in [*MACHINES, "--all"]:
        sys.exit(__doc__)
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if name != "--all":
        write(name, folder)
        return
    for each in MACHINES:
        write(each, folder / each)
    (folder / "stamp").write_text("")


if __name__ == "__main__":
    main()
