# SPDX-License-Identifier: MIT
"""Every case of vectors/apst_linux.jsonl, bit by bit.

The file is not in this tree: the variable SSDPM_SHARED names the directory that
holds it; without it, "shared" beside the top of the tree does. No file is a failure.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import ssdpm

TOP = Path(__file__).resolve().parents[4]
SHARED = Path(os.environ.get("SSDPM_SHARED", TOP.parent / "shared"))

TIMES = (
    "primary_timeout_ms",
    "primary_latency_tolerance_us",
    "secondary_timeout_ms",
    "secondary_latency_tolerance_us",
)


def table_of(case: dict[str, Any]) -> ssdpm.ApstTable:
    states = [
        ssdpm.PowerState(not non_op, entry_latency_us=entry, exit_latency_us=exit_)
        for non_op, entry, exit_ in case["states"]
    ]
    return ssdpm.apst(
        ssdpm.Model.from_states(states, apsta=case["apsta"]),
        algorithm=case["algorithm"],
        max_exit_latency_us=case["max_exit_latency_us"],
        quirks=[
            quirk
            for quirk in (ssdpm.Quirk.NO_APST, ssdpm.Quirk.NO_DEEPEST_PS)
            if case["quirk_" + quirk.value.replace("-", "_")]
        ],
        **{name: case[name] for name in TIMES if name in case},
    )


def entries_of(table: ssdpm.ApstTable) -> dict[str, str]:
    data = table.to_bytes()
    words = (int.from_bytes(data[8 * i : 8 * i + 8], "little") for i in range(32))
    return {str(state): hex(word) for state, word in enumerate(words) if word}


def test_every_vector_is_met_bit_by_bit() -> None:
    wrong = []
    lines = (SHARED / "vectors" / "apst_linux.jsonl").read_text().splitlines()
    for number, line in enumerate(lines, start=1):
        case = json.loads(line)
        table = table_of(case)
        result = {
            "sent": table.sent,
            "apste": int(table.enabled),
            "entries": entries_of(table),
        }
        if result != case["expect"]:
            wrong.append((number, case["name"], result, case["expect"]))
    assert not wrong
    assert lines
