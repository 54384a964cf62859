# SPDX-License-Identifier: MIT
"""How often the likely range of an idle power holds a drive of another vendor.

Of each drive whose idle power is known, the drives of all other vendors and the same
class give the median; the spread is that of the prior. ssdpm_likely(3) has the counts,
as they are.
"""

from __future__ import annotations

import csv
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

import ssdpm

TOP = Path(__file__).resolve().parents[4]
SHARED = Path(os.environ.get("SSDPM_SHARED", TOP.parent / "shared"))

NINETY_PERCENT = 1.6449  # standard deviations on each side
# Drives of 6 Gb/s; the others are older.
QUICK = {"JMicron", "Silicon Motion", "Angelbird", "850 PRO", "Vertex 3", "520"}
REPORTING = {
    "CT4000P3PSSD8": "Crucial",
    "TM8FPL500G": "Team",
    "WDS250G2B0C": "WD",
    "SBFPF2BU153T": "Solidigm",
    "MZWLJ7T6HALA": "Samsung",
}


@dataclass(frozen=True)
class Known:
    """Watts of a SATA drive, or a share of the maximum power of an NVMe drive."""

    rule: str
    vendor: str
    value: float
    tried: bool = True  # else it only stands among the others


def measured_rows() -> list[dict[str, str]]:
    with (SHARED / "data/measured_power.tsv").open() as file:
        return list(csv.DictReader(file, delimiter="\t"))


def sata_drives() -> list[Known]:
    """One for each value of a model: capacities with the same watts are no evidence."""
    found = set()
    for row in measured_rows():
        if row["form"] != "2.5 SATA" or row["kind"] != "measured":
            continue
        if row["state"] not in ("idle", "active-idle"):
            continue
        quick = QUICK & {row["vendor"], row["model"]}
        rule = "sata-idle-6" if quick else "sata-idle-3"
        watts = 0.28 if row["model"] == "850 PRO" else float(row["watts"])
        name = row["model"] if row["model"] == "850 PRO" else (
            row["model"] + row["capacity_gb"]
        )
        found.add((rule, row["vendor"], watts, name))
    return [Known(*one[:3]) for one in sorted(found)]


def nvme_drives() -> list[Known]:
    """Those that report it, and what a paper and data sheets say of others."""
    found = [
        Known("idle-data-centre", "SK hynix", 2.495 / 7.39),
        Known("idle-data-centre", "a paper on OCP drives", 5 / 20, False),
        Known("idle-data-centre", "Intel", 4 / 25, False),
        Known("idle-client", "PowerSensor3", 2.518 / 6.2, False),
    ]
    for row in ssdpm.Catalogue():
        for name, vendor in REPORTING.items():
            if name not in row.product:
                continue
            state = ssdpm.Model.catalogue(row.product, row.firmware).power_states[0]
            if state.idle_power_uw is None or state.idle_power_of_family:
                continue
            assert state.max_power_uw is not None
            rule = "idle-client" if state.max_power_uw < 12e6 else "idle-data-centre"
            share = state.idle_power_uw / state.max_power_uw
            found.append(Known(rule, vendor, share))
    return found


def spreads() -> dict[str, float]:
    lines = (TOP / "lib/energy/likely/priors.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {row[0]: float(row[1]) for row in rows[2:] if row[1] != "range"}


def holds(one: Known, drives: list[Known]) -> bool:
    logs = [
        math.log(other.value)
        for other in drives
        if other.rule == one.rule and other.vendor != one.vendor
    ]
    distance = math.log(one.value) - sum(logs) / len(logs)
    return abs(distance) <= NINETY_PERCENT * spreads()[one.rule]


def wilson(k: int, n: int) -> tuple[float, float]:
    """E. B. Wilson's interval of 95 % of a share."""
    z = 1.96
    share, scale = k / n, 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z * math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2) / scale
    return centre - half, centre + half


def counted(drives: list[Known]) -> str:
    tried = [one for one in drives if one.tried]
    k = sum(holds(one, drives) for one in tried)
    low, high = wilson(k, len(tried))
    return f"{k} of {len(tried)}, {100 * low:.0f} to {100 * high:.0f} %"


def test_the_page_says_how_often_the_range_holds_a_drive_of_another_vendor() -> None:
    page = re.sub(r"\s+", " ", (TOP / "man/ssdpm_likely.3").read_text())
    assert len([one for one in nvme_drives() if one.tried]) == 6
    assert f"NVMe: {counted(nvme_drives())}" in page, counted(nvme_drives())
    assert f"SATA: {counted(sata_drives())}" in page, counted(sata_drives())
