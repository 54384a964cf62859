# SPDX-License-Identifier: MIT
"""Every NVMe drive of the corpus: what is odd in it, found twice.

The oracle below looks at the raw rows (MP with its scale, latencies); the library
at the model made of them. Both must name the same states.
"""

from __future__ import annotations

import collections
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ssdpm
from ssdpm import PowerState

TOP = Path(__file__).resolve().parents[4]
SHARED = Path(os.environ.get("SSDPM_SHARED", TOP.parent / "shared"))

Row = dict[str, Any]
Found = set[tuple[str, "int | None"]]

# Rows with at least one such finding, of 1,141. README.md of the data has other
# numbers where it counts 1,564 rows, it seems before equal ones were merged: 181
# with a state above 100 ms, which are 11.6 %, as 132 are here. Its 12 rows with
# "deeper total below shallower total" are, it seems, the 12 in which PS1 takes less
# than PS0 (280 ms); both are operational, so that here it is slow-operational. 7
# others have such a pair, all with an operational state: none that APST enters.
EXPECTED = {
    "absurd-latency": 0,
    "absurd-power": 0,
    "deeper-exits-faster": 0,
    "equal-power": 82,
    "idle-power-unknown": 5,
    "never-entered": 132,
    "only-operational": 176,
    "operational-after-non-operational": 0,
    "rising-power": 0,
    "slow-operational": 107,
    "smartctl-source": 1134,
    "zero-latencies": 0,
    "zero-power": 4,
}


def rows() -> list[Row]:
    lines = (SHARED / "data/nvme_power_states.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def microwatts(state: Row) -> int:
    return int(state["mp"]) * (100 if state["mxps"] else 10_000)


def idle_microwatts(state: Row) -> int | None:
    watts = state["idle_power_w"]
    return None if watts is None else round(watts * 1e6)


def model_of(row: Row) -> ssdpm.Model:
    states = [
        PowerState(
            operational=state["operational"],
            max_power_uw=microwatts(state),
            entry_latency_us=state["entry_us"],
            exit_latency_us=state["exit_us"],
            idle_power_uw=idle_microwatts(state),
        )
        for state in row["states"]
    ]
    smartctl = row["format"] if row["format"].startswith("smartctl") else None
    return ssdpm.Model.from_states(states, product=row["model"], format=smartctl)


def odd_states(states: list[Row]) -> Iterator[tuple[str, int]]:
    for i, state in enumerate(states):
        power, total = microwatts(state), state["entry_us"] + state["exit_us"]
        asleep = [s for s in states[:i] if not s["operational"]]
        above = [microwatts(s) for s in states[:i] if microwatts(s)]
        if power == 0:
            yield "zero-power", i
        elif above and power == above[-1]:
            yield "equal-power", i
        elif above and power > above[-1]:
            yield "rising-power", i
        if power > 75e6:
            yield "absurd-power", i
        if max(state["entry_us"], state["exit_us"]) >= 10e6:
            yield "absurd-latency", i
        if state["operational"]:
            if max(state["entry_us"], state["exit_us"]) >= 1000:
                yield "slow-operational", i
            if asleep:
                yield "operational-after-non-operational", i
            continue
        if total == 0:
            yield "zero-latencies", i
        elif any(
            state["exit_us"] < s["exit_us"] or total < s["entry_us"] + s["exit_us"]
            for s in asleep
        ):
            yield "deeper-exits-faster", i
        if total > 100_000:
            yield "never-entered", i


def oracle(row: Row) -> Found:
    found: Found = set(odd_states(row["states"]))
    if all(state["operational"] for state in row["states"]):
        found.add(("only-operational", None))
    if any(state["idle_power_w"] is None for state in row["states"]):
        smartctl = row["format"].startswith("smartctl")
        found.add(("smartctl-source" if smartctl else "idle-power-unknown", None))
    return found


def test_the_library_finds_in_every_row_what_the_raw_numbers_show() -> None:
    for row in rows():
        findings = model_of(row).lint()
        assert {(f.code, f.state) for f in findings} == oracle(row), row["model"]
        assert len(findings) == len(oracle(row))


def total(state: Row) -> int:
    return int(state["entry_us"] + state["exit_us"])


def test_no_state_that_apst_enters_is_faster_than_one_above_it() -> None:
    slower_ps0 = falling = 0
    for row in rows():
        states = row["states"]
        pairs = [(a, b) for a, b in zip(states, states[1:]) if total(b) < total(a)]
        falling += bool(pairs)
        slower_ps0 += bool(pairs) and pairs[0][0] is states[0]
        assert all(a["operational"] for a, _ in pairs), row["model"]
    assert (slower_ps0, falling) == (12, 19)


def test_the_corpus_has_as_many_of_each_as_it_says() -> None:
    by_row: collections.Counter[str] = collections.Counter()
    by_drive: collections.Counter[str] = collections.Counter()
    corpus = rows()
    for row in corpus:
        for code in {finding.code for finding in model_of(row).lint()}:
            by_row[code] += 1
            by_drive[code] += row["count"]
    for code in sorted(by_row):
        print(f"{code:20} {by_row[code]:5} rows {by_drive[code]:5} drives")
    assert len(corpus) == 1141
    assert {code: by_row[code] for code in EXPECTED} == EXPECTED
