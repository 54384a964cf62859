# SPDX-License-Identifier: MIT
"""Machines that were suspended: reconstructed from public cases, or invented.

A reconstruction has what the public case says: the drive, the release of Linux, lines of
the kernel's log, which counters grew and which did not. All else is invented: how much they grew, the drive's
power states and PCI device ID, its slot, and what its link has on.
"""

from __future__ import annotations

import pathlib
import shutil
from collections.abc import Callable
from dataclasses import replace

from machines import (
    ALL_OFF, KERNEL_5, KERNEL_6_1, KERNEL_6_12, KERNEL_7, L1_2_OFF, L1_2_ON, MX500, SN530,
    SN530_TABLE, Machine, Nvme, Port, State, sleeps,
)  # fmt: skip

STATES = [State(4.5), State(2.7), State(2.2), sleeps(0.05, 4000, 10000),
          sleeps(0.004, 8000, 40000)]  # fmt: skip
TEAM = Nvme("TEAM TM8FP4001T", "ECFM32.1", 0x1987, 0x5000, STATES)
CRUCIAL_P3 = Nvme("CT1000P3SSD8", "P9CR30A", 0xC0A9, 0x5000, STATES)
MICRON = Nvme("Micron MTFDKCD512QGN", "1001V8LN", 0x1344, 0x5000, STATES)
BOOT = "5f2c8a1e-0d4b-4c6f-9a53-3f0d5be1c7a2"

STATS = "sys/power/suspend_stats"
CPUIDLE = "sys/devices/system/cpu/cpuidle"
PMC = "sys/kernel/debug/pmc_core"


def stats(m: Machine, success: int = 3, fail: int = 0, **sleep: int) -> None:
    """sleep: last_hw_sleep and others, which Linux has since 6.4."""
    m.files_in(STATS, success=success, fail=fail, **sleep)
    m.file("proc/sys/kernel/random/boot_id", BOOT)
    m.file("sys/power/state", "freeze mem")


def substates(m: Machine, **residency_us: int) -> None:
    """S0i2_0=1 is the line of S0i2.0."""
    rows = [("Substate", "Residency")]
    rows += [(name.replace("_", "."), str(us)) for name, us in residency_us.items()]
    text = "".join(f"{name:<10} {us:<15}\n" for name, us in rows)
    m.text(f"{PMC}/substate_residencies", text)


def without_quirks(m: Machine) -> None:
    """Linux before 7.2 names no quirks of a drive."""
    for path in [p for p in m.files if p.endswith(("/quirks", "_count"))]:
        if "/nvme" in path:
            del m.files[path]


def log(m: Machine, *lines: str) -> None:
    """The kernel's log since boot, as dmesg prints it."""
    first = f"Linux version {m.kernel} (builder@example)"
    said = [f"[{at:12.6f}] {line}\n" for at, line in enumerate([first, *lines])]
    m.text("dev/kmsg", "".join(said))


SIMPLE = "nvme 0000:01:00.0: platform quirk: setting simple suspend"
PROBE = "nvme nvme0: pci function 0000:01:00.0"


def team() -> Machine:
    """Reconstructed from intel/S0ixSelftestTool#41."""
    m = Machine("6.18.26")
    m.host("Reconstructed", "intel/S0ixSelftestTool#41", "Board", "[s2idle]")
    m.nvme(TEAM, L1_2_OFF, table=SN530_TABLE)
    without_quirks(m)
    stats(m, last_hw_sleep=21000000, total_hw_sleep=63000000)
    substates(m, S0i2_0=63000000, S0i3_0=0)
    log(m, SIMPLE, PROBE)
    return m


def crucial_p3() -> Machine:
    """Reconstructed from pop-os/pop#3196."""
    m = Machine("6.2.6")
    m.host("Reconstructed", "pop-os/pop#3196", "galp5", "[s2idle] deep")
    m.nvme(CRUCIAL_P3, L1_2_OFF, table=SN530_TABLE)
    stats(m)
    m.file(f"{PMC}/slp_s0_residency_usec", 0)
    return m


def micron() -> Machine:
    """Reconstructed from omacom/omarchy#12887, which has no counter of sleep."""
    m = Machine("7.2.5")
    m.host("LENOVO", "82XQ", "Reconstructed: omacom/omarchy#12887", "[s2idle]")
    m.nvme(MICRON, L1_2_ON, table=SN530_TABLE, quirks=["simple_suspend"])
    stats(m)
    return m


def two_watts() -> Machine:
    """Reconstructed from intel/S0ixSelftestTool#36: S0i3.0 grows by 12 s, and yet
    the machine takes 2 to 3 W. before.txt and after.txt are its readings."""
    m = Machine(KERNEL_6_12)
    m.host("Reconstructed", "intel/S0ixSelftestTool#36", "Board", "[s2idle]")
    m.nvme(SN530, L1_2_ON, table=SN530_TABLE)
    stats(m)
    for name, success, s0i3_us, asleep_us, uwh in (
        ("before.txt", 2, 0, 0, 41000000),
        ("after.txt", 3, 12000000, 3600000000, 38500000),
    ):
        m.text(
            name,
            f"ssdpm-suspend 1\nboot {BOOT}\nat {60000000 + asleep_us}\nsuccess {success} /{STATS}/success\t\n"
            f"substate {s0i3_us} /{PMC}/substate_residencies\tS0i3.0\n"
            f"asleep {asleep_us} clocks\t\n"
            f"battery {uwh} /sys/class/power_supply/BAT0/energy_now\tBAT0\n"
            "d-state 0 kernel log\t0000:01:00.0\n",
        )
    return m


def amd() -> Machine:
    m = Machine(KERNEL_6_12)
    m.host("Framework", "Laptop 13 (AMD)", "Board", "[s2idle]")
    m.nvme(SN530, L1_2_ON, table=SN530_TABLE)
    stats(m, success=1, last_hw_sleep=58000000, total_hw_sleep=58000000)
    m.text(
        "sys/kernel/debug/amd_pmc/s0ix_stats",
        "=== S0ix statistics ===\nS0ix Entry Time: 9326053598\n"
        "S0ix Exit Time: 12110053598\nResidency Time: 58000000\n",
    )
    return m


def smu(m: Machine, status: str = "Success") -> None:
    """smu_fw_info_show() of amd_pmc."""
    m.text(
        "sys/kernel/debug/amd_pmc/smu_fw_info",
        "\n=== SMU Statistics ===\nTable Version: 3\nHint Count: 1\n"
        f"Last S0i3 Status: {status}\nTime (in us) to S0i3: 102543\n"
        "Time (in us) in S0i3: 58000000\nTime (in us) to resume from S0i3: 2000\n"
        "\n=== Active time (in us) ===\nDISPLAY  : 0\nCPU      : 39737\n",
    )


def amd_smu() -> Machine:
    """Before 6.4, where nothing but the SMU says it."""
    m = Machine(KERNEL_6_1)
    m.host("Framework", "Laptop 13 (AMD)", "Board", "[s2idle]")
    m.nvme(SN530, L1_2_ON, table=SN530_TABLE)
    stats(m, success=1)
    smu(m)
    return m


def amd_smu_failed() -> Machine:
    m = amd_smu()
    smu(m, "Unknown/Fail")
    return m


def old() -> Machine:
    """Before 6.4, without the counters of Intel or AMD."""
    m = Machine(KERNEL_5)
    m.host("Dell Inc.", "Latitude", "Board", "[s2idle] deep")
    m.nvme(SN530, L1_2_ON, table=SN530_TABLE)
    stats(m)
    return m


def s3() -> Machine:
    m = Machine(KERNEL_6_12)
    m.host("Dell Inc.", "Desktop", "Board", "s2idle [deep]")
    m.nvme(SN530, L1_2_ON, table=SN530_TABLE)
    stats(m, total_hw_sleep=0)
    return m


def sata() -> Machine:
    m = Machine(KERNEL_6_12)
    m.host("Acer", "Aspire", "Board", "[s2idle]")
    m.ahci("0000:00:17.0", [Port(MX500, "max_performance")])
    stats(m, last_hw_sleep=0, total_hw_sleep=0)
    m.file(f"{CPUIDLE}/low_power_idle_system_residency_us", 0)
    m.file(f"{CPUIDLE}/low_power_idle_cpu_residency_us", 41000000)
    return m


def failed() -> Machine:
    m = Machine(KERNEL_7)
    m.host("HP", "EliteBook", "Board", "[s2idle]")
    m.nvme(replace(SN530), ALL_OFF, table=SN530_TABLE)
    stats(m, success=0, fail=2, total_hw_sleep=0)
    m.file(f"{STATS}/last_failed_dev", "0000:01:00.0")
    return m


def never() -> Machine:
    m = Machine(KERNEL_7)
    m.host("HP", "EliteBook", "Board", "[s2idle]")
    m.nvme(SN530, L1_2_ON, table=SN530_TABLE)
    stats(m, success=0, total_hw_sleep=0)
    return m


MACHINES: dict[str, Callable[[], Machine]] = {
    "team": team,
    "crucial-p3": crucial_p3,
    "micron": micron,
    "two-watts": two_watts,
    "amd": amd,
    "amd-smu": amd_smu,
    "amd-smu-failed": amd_smu_failed,
    "old": old,
    "s3": s3,
    "sata": sata,
    "failed": failed,
    "never": never,
}


def write(name: str, root: pathlib.Path) -> None:
    """Write one machine into root, which is made anew."""
    shutil.rmtree(root, ignore_errors=True)
    MACHINES[name]().write(root)
