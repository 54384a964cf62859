# SPDX-License-Identifier: MIT
"""The machine that most tests have: every kind of drive, on a laptop's supplies."""

from __future__ import annotations

import subprocess
import threading
from typing import Any

import drives
import vm

MODULES = [
    *("nvme", "ahci", "sd_mod", "sg", "ac", "battery", "thermal"),
    *("acpi_power_meter", "intel_rapl_msr", "intel_rapl_common"),
]


def nvme(product: str, vendor: int, *latencies: tuple[int, int]) -> dict[str, Any]:
    """PS0-PS2 are operational, the others have these entry and exit latencies."""
    states = [(6000000, 0, 0), (4000000, 0, 0), (3000000, 0, 0)]
    states += [(50000 // (1 + 9 * i), *pair) for i, pair in enumerate(latencies)]
    return {
        "vendor_id": vendor,
        "product": product,
        "firmware": "1.0",
        "states": [
            {
                "operational": i < 3,
                "max_power_uw": power,
                "entry_latency_us": entry,
                "exit_latency_us": exit,
            }
            for i, (power, entry, exit) in enumerate(states)
        ],
    }


# By serial number: what it is, and more properties of the device.
NVME: dict[str, tuple[dict[str, Any], str]] = {
    # Both idle times of the kernel.
    "TWO": (nvme("Two idle times", 0x1B36, (4000, 10000), (4000, 45000)), ""),
    # PS4 takes 113 ms: never, whatever the latency limit is.
    "SLOW": (nvme("A slow last state", 0x1B36, (5000, 9000), (4000, 109000)), ""),
    # Linux does not use the last state, by PCI id (Kingston A2000).
    "DEEPEST": (
        nvme("KINGSTON SA2000M81000G", 0x2646, (1000, 5000), (5000, 9000)),
        ",pci-id=0x26462263",
    ),
    # No APST, by vendor and product (Toshiba).
    "NOAPST": (
        {
            **nvme("THNSF5256GPUK TOSHIBA", 0x1179, (1500, 1500), (6000, 14000)),
        },
        "",
    ),
}

# For who needs more of them.
EIGHT = {
    f"EIGHTH{i}": (nvme("One of eight", 0x1B36, (4000, 10000), (4000, 45000)), "")
    for i in range(8)
}

# A drive of the catalogue: ssdpm knows its states without a command.
CATALOGUED = "WDC PC SN530 SDBPNPZ-512G-1002"

# By number of the port: serial number, more properties.
SATA = {
    0: ("HIPM", ""),
    1: ("DIPM", ",hipm=off"),
    2: ("NOLPM", ",model=Crucial_CT512MX100SSD1,ver=MU01"),
    3: ("HOTPLUG", ""),
}
HOT_PLUG_PORTS = 1 << 3


def devices(serials: list[str]) -> tuple[list[str], dict[str, bytes]]:
    """Arguments of QEMU, and the files that they name."""
    qemu: list[str] = []
    files: dict[str, bytes] = {}
    known = {**NVME, **EIGHT}
    if "KNOWN" in serials:
        known["KNOWN"] = (drives.ssdpm("show", "--json", CATALOGUED), "")
    for serial, (model, more) in known.items():
        if serial not in serials:
            continue
        files[f"{serial}.bin"] = drives.identify(model)
        qemu += [
            "-drive",
            f"driver=null-co,size=64M,read-zeroes=on,if=none,id={serial}",
            "-device",
            f"nvme,drive={serial},serial={serial},power-file={{dir}}/{serial}.bin"
            f",power-log={{dir}}/{serial}.log{more}",
        ]
    # As QEMU has it: no APST.
    if "STOCK" in serials:
        qemu += ["-device", "nvme,serial=STOCK"]
    for port, (serial, more) in SATA.items():
        if serial in serials:
            qemu += disk(port, serial, more)
    return qemu, files


def all_drives() -> list[str]:
    return [*NVME, "STOCK", *(serial for serial, _ in SATA.values())]


def disk(port: int, serial: str, more: str = "") -> list[str]:
    return [
        "-drive",
        f"driver=null-co,size=64M,read-zeroes=on,if=none,id=disk{port}",
        "-device",
        f"ide-hd,drive=disk{port},bus=ide.{port},serial={serial}"
        f",rotation_rate=1{more}",
    ]


ENVIRONMENT = {
    "QEMU_TEST_SATA_LPM": "1",
    "QEMU_TEST_SATA_LOG": "{dir}/sata.log",
    "QEMU_TEST_AHCI_HPCP": hex(HOT_PLUG_PORTS),
}


COMPILING = threading.Lock()


def acpi_table() -> bytes:
    """power.dsl, compiled."""
    where = vm.BUILD / "vm" / "power"
    where.parent.mkdir(parents=True, exist_ok=True)
    # Guests start at once, and iasl truncates what another one reads.
    with COMPILING:
        subprocess.run(
            ["iasl", "-p", where, vm.HERE / "power.dsl"], check=True, capture_output=True
        )
        return where.with_suffix(".aml").read_bytes()


# As ready.sh in the guest: all drives are there, and their ports are at rest.
READY = """
. /lib.sh
until_true live_controllers {NVME}
until_true test -b /dev/{LAST_DISK}
ports_running() {
	! grep -qv running /sys/class/scsi_host/host*/state
}
until_true ports_running
"""


def boot(
    name: str,
    release: str,
    script: str,
    serials: list[str] | None = None,
    files: dict[str, bytes | str] | None = None,
    more_qemu: list[str] | None = None,
    **more: Any,
) -> vm.Guest:
    """With all drives, or with those that have these serial numbers."""
    serials = serials or all_drives()
    qemu, host_files = devices(serials)
    host_files["power.aml"] = acpi_table()
    qemu += ["-acpitable", "file={dir}/power.aml", *(more_qemu or [])]
    n_nvme = sum(serial in (*NVME, *EIGHT, "KNOWN", "STOCK") for serial in serials)
    last_disk = "sd" + "abcd"[len(serials) - n_nvme - 1]
    ready = READY.replace("{NVME}", str(n_nvme)).replace("{LAST_DISK}", last_disk)
    return vm.boot(
        name,
        release,
        ". /ready.sh\n" + script,
        MODULES,
        cpu="Skylake-Client",
        qemu=qemu,
        files={**(files or {}), "ready.sh": ready},
        host_files=host_files,
        environment=ENVIRONMENT,
        **more,
    )
