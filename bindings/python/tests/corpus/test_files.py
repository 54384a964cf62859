# SPDX-License-Identifier: MIT
"""Every real file is a drive or a table, or is refused with a reason. Files of nvme
id-ctrl are compared with numbers read by eye.

The files are not in this tree: the variable SSDPM_SHARED names the directory that
holds them; without it, "shared" beside the top of the tree does.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import ssdpm

TOP = Path(__file__).resolve().parents[4]
RAW = Path(os.environ.get("SSDPM_SHARED", TOP.parent / "shared")) / "data/raw"
FILES = sorted(path for path in RAW.iterdir() if path.name != "SOURCES.tsv")

# What is neither, by the beginning of its name, and why.
REASONS = {
    "nvmetools-nvme.info": "more than 256 keys in one object",
    "smartctl-Hi": "without its table of power states: call smartctl -c",
    "smartctl-json_nvme-null": "nvme_power_states: missing: smartctl",
    "smartctl-json_scrutiny": "nvme_power_states: missing: smartctl",
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_is_a_drive_or_a_table_or_says_why_not(path: Path) -> None:
    reasons = [why for name, why in REASONS.items() if path.name.startswith(name)]
    if reasons:
        with pytest.raises(ssdpm.FormatError, match=reasons[0]):
            ssdpm.load(path)
    elif path.name.startswith("nvme-get-feature"):
        assert ssdpm.load_apst(path).entries
        with pytest.raises(ssdpm.FormatError):
            ssdpm.load(path)
    else:
        (model,) = ssdpm.load(path)
        assert len(model) >= 1
        assert model.format is not None
        assert ssdpm.Model(model.to_json().encode()) == model


def test_there_are_all_75_files() -> None:
    assert len(FILES) == 75


Row = tuple[Any, ...]
# Drive (vendor_id, product, firmware, apsta), then a row for each power state:
# operational, maximum power, entry, exit, ranks, idle power, active power and its
# workload.
EXPECTED: dict[str, tuple[tuple[Any, Any, Any, Any], list[Row]]] = {
    "nvme-id-ctrl-H_SAMSUNG_MZWLJ7T6HALA-00AU3_EPK9CR5Q.txt": (
        (0x144D, "SAMSUNG MZWLJ7T6HALA-00AU3", "EPK9CR5Q", 0),
        [(True, 25000000, 0, 0, (0, 0, 0, 0), 7000000, 19000000, 2)],
    ),
    "nvme-id-ctrl-H_T-FORCE_TM8FPL500G_EJFM90.1.txt": (
        (0x1987, "T-FORCE TM8FPL500G", "EJFM90.1", 1),
        [
            (True, 5000000, 0, 0, (0, 0, 0, 0), 630000, 5000000, None),
            (True, 2400000, 0, 1000, (1, 1, 1, 1), 630000, 2500000, None),
            (True, 1900000, 0, 0, (2, 2, 2, 2), 630000, 1800000, None),
            (False, 50000, 5000, 10000, (3, 3, 3, 3), None, None, None),
            (False, 5000, 10000, 45000, (4, 4, 4, 4), None, None, None),
        ],
    ),
    "nvme-id-ctrl_Amazon_EBS_ps-part.txt": (
        (0x1D0F, "Amazon Elastic Block Store", None, None),
        [
            (True, 10000, 1000000, 1000000, (0, 0, 0, 0), None, None, None),
            (True, 0, 0, 0, (0, 0, 0, 0), None, None, None),
        ],
    ),
    "nvme-id-ctrl_PC401_NVMe_SK_hynix_256GB_80007E00.txt": (
        (0x1C5C, "PC401 NVMe SK hynix 256GB", "80007E00", 1),
        [
            (True, 6000000, 5, 5, (0, 0, 0, 0), None, None, None),
            (True, 3800000, 30, 30, (1, 1, 1, 1), None, None, None),
            (True, 2400000, 100, 100, (2, 2, 2, 2), None, None, None),
            (False, 70000, 1000, 1000, (3, 3, 3, 3), None, None, None),
            (False, 7000, 1000, 5000, (3, 3, 3, 3), None, None, None),
        ],
    ),
    "nvme-id-ctrl_THNSN5512GPU7_57MS4109_ps-part.txt": (
        (0x1179, "THNSN5512GPU7 TOSHIBA", "57MS4109", 1),
        [
            (True, 6000000, 0, 0, (0, 0, 0, 0), None, None, None),
            (True, 2900000, 0, 0, (1, 1, 1, 1), None, None, None),
            (True, 1900000, 0, 0, (2, 2, 2, 2), None, None, None),
            (False, 160000, 1000, 1000, (3, 3, 3, 3), None, None, None),
            (False, 12000, 5000, 20000, (4, 4, 4, 4), None, None, None),
            (False, 6000, 100000, 60000, (5, 5, 5, 5), None, None, None),
        ],
    ),
    "nvme-id-ctrl_ZHITAI_TiPlus5000_1TB_ZTA09139_ps-part.txt": (
        (0x1E49, "ZHITAI TiPlus5000 1TB", "ZTA09139", None),
        [
            (True, 6500000, 0, 0, (0, 0, 0, 0), None, None, None),
            (True, 5800000, 0, 0, (1, 1, 1, 1), None, None, None),
            (True, 3600000, 0, 0, (2, 2, 2, 2), None, None, None),
            (False, 50000, 5000, 10000, (3, 3, 3, 3), None, None, None),
            (False, 2500, 8000, 45000, (4, 4, 4, 4), None, None, None),
        ],
    ),
    # Its mn is a remark of 66 characters: no drive says that.
    "nvme-id-ctrl_unknown_HMB_4TB_idle-power_ps-part.txt": (
        (None, None, None, 1),
        [
            (True, 6000000, 0, 0, (0, 0, 0, 0), 672000, None, None),
            (True, 3000000, 0, 0, (0, 0, 0, 0), 436000, None, None),
            (True, 1500000, 0, 0, (0, 0, 0, 0), 345000, None, None),
            (False, 25000, 5000, 1900, (3, 3, 3, 3), 81000, None, None),
            (False, 3000, 13000, 100000, (4, 4, 4, 4), None, None, None),
        ],
    ),
    "nvme-id-ctrl-o-json_WDC_PC_SN730_11170101_old-flags-form.json": (
        (0x15B7, "WDC PC SN730 SDBQNTY-256G-1001", "11170101", 1),
        [
            (True, 5000000, 0, 0, (0, 0, 0, 0), None, None, 0),
            (True, 3500000, 0, 0, (1, 1, 1, 1), None, None, 0),
            (True, 3000000, 0, 0, (2, 2, 2, 2), None, None, 0),
            (False, 70000, 4000, 10000, (3, 3, 3, 3), None, None, 0),
            (False, 3500, 4000, 40000, (4, 4, 4, 4), None, None, 0),
        ],
    ),
    "nvme-id-ctrl-raw_TOSHIBA_THNSN5512GPU7_410557LA.bin": (
        (0x1179, "THNSN5512GPU7 TOSHIBA", "410557LA", 1),
        [
            (True, 8000000, 0, 0, (0, 0, 0, 0), None, None, 0),
            (True, 3900000, 0, 0, (1, 1, 1, 1), None, None, 0),
            (True, 2000000, 0, 0, (2, 2, 2, 2), None, None, 0),
            (False, 120000, 1000, 1000, (3, 3, 3, 3), None, None, 0),
            (False, 12000, 5000, 10000, (4, 4, 4, 4), None, None, 0),
            (False, 6000, 100000, 50000, (5, 5, 5, 5), None, None, 0),
        ],
    ),
    "nvme-id-ctrl-raw_WDC_WDS250G2B0C_211070WD.bin": (
        (0x15B7, "WDC WDS250G2B0C-00PXH0", "211070WD", 1),
        [
            (True, 3500000, 0, 0, (0, 0, 0, 0), 630000, 1800000, 2),
            (True, 2400000, 0, 0, (0, 0, 0, 0), 630000, 1600000, 2),
            (True, 1900000, 0, 0, (0, 0, 0, 0), 630000, 1500000, 2),
            (False, 20000, 3900, 11000, (3, 3, 3, 3), 20000, None, 0),
            (False, 5000, 5000, 39000, (4, 4, 4, 4), 5000, None, 0),
        ],
    ),
}
FORMATS = {".txt": "nvme-cli-text", ".json": "nvme-cli-json", ".bin": "nvme-identify"}


def row_of(state: ssdpm.PowerState) -> Row:
    ranks = (
        state.read_throughput_rank,
        state.read_latency_rank,
        state.write_throughput_rank,
        state.write_latency_rank,
    )
    return (
        state.operational,
        state.max_power_uw,
        state.entry_latency_us,
        state.exit_latency_us,
        ranks,
        state.idle_power_uw,
        state.active_power_uw,
        state.active_power_workload,
    )


def test_every_file_of_nvme_id_ctrl_is_here() -> None:
    assert {path.name for path in RAW.glob("nvme-id-ctrl*")} == EXPECTED.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_gives_what_stands_in_it(name: str) -> None:
    drive, rows = EXPECTED[name]
    model = ssdpm.Model(RAW / name)
    assert (model.vendor_id, model.product, model.firmware, model.apsta) == drive
    assert [row_of(state) for state in model.power_states] == rows
    assert model.format == FORMATS[Path(name).suffix]


@pytest.mark.parametrize("name", [name for name in EXPECTED if name.endswith(".txt")])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("prefix", ["", "> ", "\t"])
def test_how_it_was_pasted_makes_no_difference(
    name: str, ending: str, prefix: str
) -> None:
    text = (RAW / name).read_text().replace("\r\n", "\n")
    pasted = "".join(prefix + line + ending for line in text.splitlines())
    expected = ssdpm.Model(RAW / name).to_dict()
    assert ssdpm.Model(f"Hello,\n\n{pasted}\nRegards\n".encode()).to_dict() == expected


def test_dropping_the_last_state_is_noticed_where_npss_is_there() -> None:
    for name in EXPECTED:
        if not name.endswith(".txt"):
            continue
        text = (RAW / name).read_text()
        states = len(EXPECTED[name][1])
        cut = text[: text.index(f"{states - 1} : mp:")]
        cut = cut[: cut.rindex("\n") + 1]
        if states > 1 and "npss" not in text:
            assert len(ssdpm.Model(cut.encode()).states) == states - 1
            continue
        with pytest.raises(ssdpm.FormatError, match="missing"):
            ssdpm.Model(cut.encode())
