# SPDX-License-Identifier: MIT
"""The command against the corpus: the kernel's own tables, the drives that have
quirks, and a calibration from the measured power of a real drive.

The quirks were looked through by eye: each name in the list belongs to a row of
Linux, and no row of Linux is for a name that is not in it.

PowerSensor3 (ISPASS 2025) has the mean power and the throughput of random reads for
each size of request, one at a time, for 10 s each. No trace of I/Os was published; but
one read at a time of a known size, at a known rate, is a trace: each takes its size by
the rate. The drive was never idle, so nothing is found of that.
"""

from __future__ import annotations

import fnmatch
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / os.environ.get("SSDPM_BUILD", "build")
COMMAND = BUILD / "examples/ssdpm/ssdpm"
SHARED = pathlib.Path(os.environ.get("SSDPM_SHARED", TOP.parent / "shared"))
SAMPLE = 300


def drive(vector: dict[str, Any]) -> dict[str, Any]:
    return {
        "schema": "ssdpm.model/1",
        "kind": "nvme",
        "apsta": vector["apsta"],
        "states": [
            {
                "operational": not non_operational,
                "entry_latency_us": entry_us,
                "exit_latency_us": exit_us,
            }
            for non_operational, entry_us, exit_us in vector["states"]
        ],
    }


def options(vector: dict[str, Any]) -> list[str]:
    limit = vector["max_exit_latency_us"]
    result = [
        f"--algorithm={vector['algorithm']}",
        f"--max-exit-latency={limit}{'' if limit == 'any' else 'us'}",
    ]
    for name in ("no-apst", "no-deepest-ps"):
        if vector["quirk_" + name.replace("-", "_")]:
            result += ["--quirk", name]
    if vector["algorithm"] == "linux":
        result += [
            f"--primary-timeout={vector['primary_timeout_ms']}ms",
            f"--primary-tolerance={vector['primary_latency_tolerance_us']}us",
            f"--secondary-timeout={vector['secondary_timeout_ms']}ms",
            f"--secondary-tolerance={vector['secondary_latency_tolerance_us']}us",
        ]
    return result


def raw(entries: dict[str, str]) -> str:
    table = bytearray(256)
    for state, entry in entries.items():
        at = 8 * int(state)
        table[at : at + 8] = int(entry, 16).to_bytes(8, "little")
    return table.hex()


def test_a_sample_of_the_kernels_tables_comes_out_of_the_command() -> None:
    lines = (SHARED / "vectors/apst_linux.jsonl").read_text().splitlines()
    vectors = [json.loads(line) for line in lines]
    assert len(vectors) > 2000
    for vector in random.Random(1).sample(vectors, SAMPLE):
        text = subprocess.run(
            [COMMAND, "apst", "--json", "-", *options(vector)],
            input=json.dumps(drive(vector)),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        (answer,), expected = json.loads(text)["drives"], vector["expect"]
        assert answer["sent"] == expected["sent"], vector["name"]
        assert answer["enabled"] == bool(expected["apste"]), vector["name"]
        assert answer["raw"] == raw(expected["entries"]), vector["name"]
        states = {entry["state"] for entry in answer["entries"]}
        assert states == {int(state) for state in expected["entries"]}


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
    for drive in json.loads(text)["drives"]:
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


TRACES = SHARED / "data/traces"

Floats = npt.NDArray[np.float64]

# Read from the same figures once, by other means: watts, and mJ/MiB as pJ a byte.
BASE_UW, BYTE_PJ = 2518000, 621e6 / 2**20
STEP_NS = 200_000_000  # stands for the 10 s of a size
BINS = 60

DRIVE = {
    "schema": "ssdpm.model/1",
    "kind": "nvme",
    "states": [{"operational": True, "max_power_uw": 9000000}],
}


def columns(name: str) -> tuple[Floats, Floats]:
    first, second = np.loadtxt(TRACES / name, delimiter=",", skiprows=1, unpack=True)
    return first, second


def runs() -> list[tuple[float, float, float]]:
    """Size in bytes, bytes per second, watts: means of sizes that are alike."""
    size, power = columns("ps3_nvme_randread_power_vs_bs.csv")
    known, rate = columns("ps3_nvme_randread_bw_vs_bs.csv")
    rate = np.interp(size, known, rate)
    place = np.digitize(size, np.geomspace(size.min(), size.max() * 1.0001, BINS + 1))
    means = [
        (size[place == one].mean() * 1024, rate[place == one].mean() * 2**20)
        + (power[place == one].mean(),)
        for one in np.unique(place)
    ]
    # In the order of sizes they would look like a drift of the instrument.
    random.Random(1).shuffle(means)
    return means


def write(directory: pathlib.Path) -> None:
    power, ios = ["time_s,power_w"], ["start_ns,offset,bytes,service_ns,op,flags"]
    for i, (size, rate, watts) in enumerate(runs()):
        begin_ns = i * STEP_NS
        n = max(1, round(STEP_NS / 1e9 * rate / size))
        power.append(f"{(begin_ns + STEP_NS / 2) / 1e9:.6f},{watts:.5f}")
        for j in range(n):
            start_ns = begin_ns + j * STEP_NS // n
            end_ns = begin_ns + (j + 1) * STEP_NS // n
            ios.append(f"{start_ns},0,{round(size)},{end_ns - start_ns},read,0")
    (directory / "power.csv").write_text("\n".join(power) + "\n")
    (directory / "ios.csv").write_text("\n".join(ios) + "\n")
    (directory / "drive.json").write_text(json.dumps(DRIVE))


def test_the_line_of_real_reads_is_in_the_intervals(tmp_path: pathlib.Path) -> None:
    write(tmp_path)
    # The published line is of the same meter: its gain is in both.
    call = [str(COMMAND), "measure", "calibrate", "--none", "--offset", "100ms"]
    call += ["--meter-gain", "0%"]
    result = subprocess.run(
        [*call, "--byte-energy", "--json", "drive.json", "power.csv", "ios.csv"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    (answer,) = json.loads(result.stdout)["calibrations"]
    measured = answer["measured"]
    found = {(one["kind"], one["index"]): one for one in measured}
    for name, value in [
        (("active_power_uw", 0), BASE_UW),
        (("byte_energy_pj", 0), BYTE_PJ),
    ]:
        one = found[name]
        assert one["status"] == "known"
        assert one["low"] <= value <= one["high"]
        assert abs(one["nominal"] / value - 1) < 0.01
        assert one["high"] - one["low"] < 0.02 * value
    assert found["idle_power_uw", 0]["status"] == "not-reached"


def shared_line(*files: pathlib.Path) -> str:
    return subprocess.run(
        [COMMAND, "show", "--share", *files],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip


def merge(lines: str, directory: pathlib.Path) -> pathlib.Path:
    """Where the catalogue's files are, made anew with these lines."""
    sent = directory / "sent.jsonl"
    sent.write_text(lines)
    copy = directory / "lib"
    for folder in ("data", "energy/evidence"):
        shutil.copytree(TOP / "lib" / folder, copy / folder)
    subprocess.run(
        [sys.executable, copy / "data/from-corpus.py", SHARED, sent], check=True
    )
    return copy


def test_what_smartctl_prints_of_a_known_drive_is_that_drive(
    tmp_path: pathlib.Path,
) -> None:
    """Its text names no vendor, and not the scale of its active power."""
    raw = SHARED / "data"
    copy = merge(
        shared_line(
            raw / "raw_trusted/CT4000P3PSSD8_P9CR40A_smartctl.txt",
            raw / "raw/smartctl-x_nvme_WDC_PC_SN530_SDBPNPZ-256G-1006_HPS2.txt",
        ),
        tmp_path,
    )
    before = (TOP / "lib/data/nvme-drives.tsv").read_text()
    after = (copy / "data/nvme-drives.tsv").read_text()
    tables = [re.findall("^state.*$", text, re.MULTILINE) for text in (before, after)]
    assert tables[0] == tables[1]
    names = [set(re.findall(r"^drive\t(.*)\t\d+\t", text, re.MULTILINE))
             for text in (before, after)]  # fmt: skip
    assert names[0] == names[1]


def test_what_owners_share_becomes_rows_of_the_catalogue(tmp_path: pathlib.Path) -> None:
    lines = shared_line(
        SHARED / "data/raw_trusted/INTEL_SSDPD2KS150T8_VDAAD453.txt",
        SHARED / "data/raw/ata-identify-raw_Samsung_SSD_860_EVO_500GB_RVT01B6Q.bin",
    )
    copy = merge(lines.replace("VDAAD453", "NEVERSEEN"[:8]), tmp_path)
    before = (TOP / "lib/data/nvme-drives.tsv").read_text().splitlines()
    after = (copy / "data/nvme-drives.tsv").read_text().splitlines()
    known = next(line for line in before if "INTEL SSDPD2KS150T8\tVDAAD453" in line)
    table = known.split("\t")[-1]
    assert set(after) - set(before) == {
        "#      1 owners of drives, ssdpm show --share",
        f"drive\tINTEL SSDPD2KS150T8\tNEVERSEE\t0x8086\t1\t{table}",
    }
    assert set(before) < set(after)
    sata = (copy / "data/sata-drives.tsv").read_text()
    assert "Samsung SSD 860 EVO 500GB\tRVT01B6Q\t2\t" in sata
