# SPDX-License-Identifier: MIT
"""Every real file is a drive or a table, or is refused with a reason."""

from __future__ import annotations

import os
from pathlib import Path

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
