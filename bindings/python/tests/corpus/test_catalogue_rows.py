# SPDX-License-Identifier: MIT
"""Every drive of the corpus is in the catalogue, and says there what it says here.

The facts are read from the corpus by other code than what made lib/data/.
"""

from __future__ import annotations

import collections
import json
import os
from pathlib import Path
from typing import Any

import ssdpm
from ssdpm import _core

TOP = Path(__file__).resolve().parents[4]
SHARED = Path(os.environ.get("SSDPM_SHARED", TOP.parent / "shared"))
CATALOGUE = ssdpm.Catalogue()

Drives = dict[tuple[str, str], list[int]]
SATA_STATES = {"active": None, "partial": 10, "slumber": 10_000, "devsleep": 20_000}


def rows_of(name: str) -> list[dict[str, Any]]:
    lines = (SHARED / "data" / name).read_text().splitlines()
    return [json.loads(line) for line in lines]


def by_drive() -> Drives:
    drives: Drives = collections.defaultdict(list)
    for index, row in enumerate(CATALOGUE):
        assert row.firmware is not None
        drives[row.product, row.firmware].append(index)
    return drives


def is_this_state(state: ssdpm.PowerState, fact: dict[str, Any], smartctl: bool) -> bool:
    """The same numbers; idle and active power are unknown where smartctl read them."""
    active = None if smartctl else fact["active_power_w"]
    idle = None if smartctl else fact["idle_power_w"]
    absent = {
        name
        for name, watts in (("active_power_uw", active), ("idle_power_uw", idle))
        if watts is None
    }
    zeros = {
        name
        for name in ("max_power_uw", "entry_latency_us", "exit_latency_us")
        if getattr(state, name) == 0
    }
    return (
        state.operational == fact["operational"]
        and state.max_power_w == fact["max_power_w"]
        and state.entry_latency_us == fact["entry_us"]
        and state.exit_latency_us == fact["exit_us"]
        and state.read_throughput_rank == fact["rrt"]
        and state.read_latency_rank == fact["rrl"]
        and state.write_throughput_rank == fact["rwt"]
        and state.write_latency_rank == fact["rwl"]
        and state.active_power_w == active
        and state.idle_power_w == idle
        and state.not_reported == zeros | (set() if smartctl else absent)
        and state.emergency_power_fail_recovery_time_us is None
    )


def is_this_nvme(model: ssdpm.Model, row: dict[str, Any]) -> bool:
    smartctl = row["format"].startswith("smartctl")
    return (
        model.kind == "nvme"
        and model.vendor_id == int(row["vid"], 16)
        and model.apsta is None
        and model.provenance == "catalogue"
        and len(model) == len(row["states"])
        and all(
            is_this_state(state, fact, smartctl)
            for state, fact in zip(model.power_states, row["states"])
        )
    )


def check_all(rows: list[dict[str, Any]], fits: Any, kind: str) -> None:
    """Each row is one row of the catalogue, and the other way round."""
    drives = by_drive()
    seen: collections.Counter[int] = collections.Counter()
    for row in rows:
        found = [
            index
            for index in drives[row["model"], row["firmware"]]
            if fits(CATALOGUE.model(index), row)
        ]
        assert len(found) == 1, row
        seen[found[0]] += row["count"]
    for index, number in seen.items():
        assert CATALOGUE[index].seen == number
    all_of_kind = {
        i for i in range(len(CATALOGUE)) if CATALOGUE.model(i).kind == kind
    }
    assert set(seen) == all_of_kind


def test_every_nvme_drive_of_the_corpus_is_in_the_catalogue() -> None:
    rows = rows_of("nvme_power_states.jsonl")
    assert len(rows) > 1000
    check_all(rows, is_this_nvme, "nvme")


def supported(row: dict[str, Any], name: str) -> bool | None:
    value: bool | None = (row[name] or {}).get("supported")
    return value


def sata_facts(row: dict[str, Any]) -> dict[str, Any]:
    """What the row itself says; a key is left out where words may say more."""
    facts: dict[str, Any] = {
        "hipm_supported": supported(row, "hipm"),
        "hipm_enabled": None,
        "dipm_supported": supported(row, "dipm"),
        "dipm_enabled": row["dipm"]["enabled"],
        "devsleep_supported": supported(row, "devslp"),
        "devsleep_enabled": row["devslp"]["enabled"],
        "apm_supported": supported(row, "apm"),
    }
    gen = row.get("gen")
    facts["generations"] = gen or None
    level = str((row["apm"] or {}).get("level"))
    facts["apm_level"] = int(level) if level.isdecimal() else None
    auto = row.get("partial_slumber", {})
    for who, key in (("device", "dev"), ("host", "host")):
        facts[f"{who}_auto_partial_to_slumber_supported"] = auto.get(
            f"{key}_auto_partial_to_slumber"
        )
    words = row.get("words")
    if words:
        facts["words_valid"] = int(words["76"], 16) not in (0, 0xFFFF)
        facts["apm_enabled"] = bool(int(words["86"], 16) & 8)
        if facts["words_valid"]:
            assert facts["hipm_supported"] == bool(int(words["76"], 16) & 1 << 9)
            assert facts["dipm_enabled"] == bool(int(words["79"], 16) & 1 << 3)
            facts["device_auto_partial_to_slumber_enabled"] = bool(
                int(words["79"], 16) & 1 << 7
            )
    else:
        facts["apm_enabled"] = (row["apm"] or {}).get("enabled")
        facts["device_auto_partial_to_slumber_enabled"] = None
    return facts


def is_this_sata(model: ssdpm.Model, row: dict[str, Any]) -> bool:
    if model.kind != "sata" or model.vendor_id is not None:
        return False
    sata, facts = model.to_dict()["sata"], sata_facts(row)
    links = ["active"]
    if facts["hipm_supported"] or facts["dipm_supported"]:
        links += ["partial", "slumber"]
    if facts["devsleep_supported"]:
        links.append("devsleep")
    return (
        all(sata[name] == value for name, value in facts.items())
        and [state.link_state for state in model.power_states] == links
        and all(
            state.exit_latency_us == SATA_STATES[str(state.link_state)]
            and state.max_power_uw is None
            and state.operational == (state.link_state == "active")
            for state in model.power_states
        )
    )


def test_every_sata_drive_of_the_corpus_is_in_the_catalogue() -> None:
    rows = rows_of("sata_identify.jsonl")
    assert len(rows) > 80
    check_all(rows, is_this_sata, "sata")


def test_every_row_survives_json() -> None:
    for index in range(len(CATALOGUE)):
        model = CATALOGUE.model(index)
        again = ssdpm.Model(model.to_json().encode())
        assert again == model
        states = (model.states, again.states)
        for name in _core.FIELDS:
            assert (states[0][name] == states[1][name]).all()
