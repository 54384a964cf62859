# SPDX-License-Identifier: MIT
"""Which of the real drives of the corpus have quirks: all of them, by name.

The list was looked through by eye: each name in it belongs to a row of Linux, and
no row of Linux is for a name that is not in it.
"""

from __future__ import annotations

import fnmatch
import json
import os
import pathlib
import subprocess
from typing import Any

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / os.environ.get("SSDPM_BUILD", "build")
COMMAND = BUILD / "examples/ssdpm/ssdpm"
SHARED = pathlib.Path(os.environ.get("SSDPM_SHARED", TOP.parent / "shared"))

# Patterns of products, and how many rows each one has.
QUIRKS = {
    "no-deepest-ps": {
        "ADATA SX8200PNP": 12,
        "SX8200PNP-512GT": 1,
        "INTEL SSDPEKKW???[GT]7": 6,
        "KINGSTON SA2000M8*G": 9,
        "KINGSTON SKC2500M8500G": 1,
        "WDC WDS[12]00T2B0C-00PXH0": 4,
        "WDC WDS250G2B0C": 1,
    },
    "no-apst": {"THNSF5256GPUK TOSHIBA": 2},
    "no-lpm": {
        "Apacer AS340 120GB": 2,
        "CT120BX500SSD1": 1,
        "SAMSUNG MZ7TD256HAFV-000L9": 3,
    },
    "no-lpm-on-ati-and-amd": {
        "Samsung SSD 860 EVO *": 3,
        "Samsung SSD 870 [EQ]VO *": 3,
    },
}


def nvme(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "schema": "ssdpm.model/1",
        "kind": "nvme",
        "vendor_id": int(row["vid"], 16) if row["vid"] else None,
        "product": row["model"],
        "firmware": row["firmware"],
        "states": [{"operational": True}],
    }


def sata(row: dict[str, Any]) -> dict[str, Any]:
    generations = row.get("gen")
    return {
        "schema": "ssdpm.model/1",
        "kind": "sata",
        "product": row["model"],
        "firmware": row["firmware"],
        "sata": {"generations": generations},
        "states": [],
    }


def drives() -> list[dict[str, Any]]:
    result = []
    for name, make in (("nvme_power_states", nvme), ("sata_identify", sata)):
        lines = (SHARED / f"data/{name}.jsonl").read_text().splitlines()
        result += [make(json.loads(line)) for line in lines]
    return result


def found() -> dict[str, list[str]]:
    """The product of each row that has a quirk."""
    text = subprocess.run(
        [COMMAND, "show", "--json", "-"],
        input=json.dumps(drives()),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    result: dict[str, list[str]] = {}
    for drive in json.loads(text):
        for quirk in drive.get("quirks", []):
            result.setdefault(quirk, []).append(drive["product"])
    return result


def test_the_drives_with_quirks_are_these_and_no_others() -> None:
    assert len(drives()) >= 1233
    quirks = found()
    assert set(quirks) == set(QUIRKS)
    for quirk, products in quirks.items():
        counts = {
            pattern: sum(fnmatch.fnmatchcase(name, pattern) for name in products)
            for pattern in QUIRKS[quirk]
        }
        assert counts == QUIRKS[quirk], quirk
        assert sum(counts.values()) == len(products), (quirk, sorted(set(products)))
