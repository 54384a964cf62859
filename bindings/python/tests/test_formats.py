# SPDX-License-Identifier: MIT
"""The same drive in every format: what other programs print of it reads alike.

The renderers are ours, in the words of the programs; what they print is compared
with what the reader of the raw structure makes of the same descriptors.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

import ssdpm
from made import State, identify

TIMES = (
    ("emergency_power_fail_recovery_time_us", "emerg_power_fail_recover"),
    ("forced_quiescence_vault_time_us", "force_quiesce_vault"),
    ("emergency_power_fail_vault_time_us", "emerg_power_fail_vault"),
)
UNITS = [
    f"{number:,} {unit}{'s' * (number > 1)}"
    for unit, numbers in (
        ("microsecond", (1, 10, 100)),
        ("millisecond", (1, 10, 100)),
        ("second", (1, 10, 100, 1000, 10000, 100000, 1000000)),
    )
    for number in numbers
]
WORKLOADS = ("-", "1MiB 32 RW, 30s idle", "80K 128KiB SW")
NOISE = (
    "",
    "[...]",
    "Hello, this is what it says of ps 3:",
    "  [0:0] : 0x1\tAutonomous Power State Transitions Supported",
    "hmpre     : 16384",
    "ps aux",
    "sn        : S3CR3T",
)


Times = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]


@dataclass(frozen=True)
class Drive:
    """Raw values, and for each state three (value, scale) of power loss."""

    states: Sequence[State]
    times: Sequence[Times]
    head: dict[str, Any]  # vid, mn, fr, apsta, as far as the text has them


def names(size: int) -> st.SearchStrategy[str]:
    printable = st.characters(min_codepoint=32, max_codepoint=126)
    text = st.text(printable, min_size=1, max_size=size).map(str.strip)
    return text.filter(lambda name: name and " # " not in name)


BYTE, WORD, LONG = (st.integers(0, 2**bits - 1) for bits in (8, 16, 32))
SCALE = st.integers(0, 3)
RANK = st.integers(0, 31)
TIME = st.tuples(st.integers(0, 99), st.integers(0, 15))
STATE = st.builds(
    State,
    max_power=WORD,
    scale=st.integers(0, 1),
    operational=st.booleans(),
    entry=LONG,
    exit=LONG,
    ranks=st.tuples(RANK, RANK, RANK, RANK),
    idle=st.tuples(WORD | st.just(102), SCALE),
    active=st.tuples(WORD | st.just(302), SCALE, st.integers(0, 7)),
)


@st.composite
def drives(draw: st.DrawFn) -> Drive:
    states = draw(st.lists(STATE, min_size=1, max_size=8))
    size = len(states)
    head = {"vid": draw(WORD), "mn": draw(names(40)), "fr": draw(names(8))}
    head["apsta"] = draw(BYTE)
    times = draw(st.lists(st.tuples(TIME, TIME, TIME), min_size=size, max_size=size))
    kept = draw(st.sets(st.sampled_from(sorted(head))))
    return Drive(states, times, {name: head[name] for name in kept})


def expected(drive: Drive, *, workload: int, times: bool) -> dict[str, Any]:
    """What the raw structure says, of that which the text has.

    workload is the highest that the format can name.
    """
    head = drive.head
    raw = identify(drive.states, head.get("mn", ""), head.get("fr", ""))
    model = ssdpm.Model(raw).to_dict()
    del model["format"]
    names = {"vendor_id": "vid", "product": "mn", "firmware": "fr", "apsta": "apsta"}
    model.update({name: head.get(short) for name, short in names.items()})
    for state, values in zip(model["states"], drive.times):
        if state["active_power_workload"] > workload:
            del state["active_power_workload"]
        for (name, _), (value, scale) in zip(TIMES, values):
            if times and value and scale < len(UNITS):
                state[name] = value * 10**scale
    return model


def watts(value: int, decimals: int) -> str:
    return f"{value // 10**decimals}.{value % 10**decimals:0{decimals}}W"


def scaled(value: int, scale: int) -> str:
    return ("-", watts(value, 4), watts(value, 2), "reserved")[scale]


def signed(value: int) -> int:
    """What printf's %d makes of 32 bits without a sign."""
    return value - 2**32 if value >= 2**31 else value


def state_lines(index: int, state: State, width: int) -> list[str]:
    kind = "operational" if state.operational else "non-operational"
    rrt, rrl, rwt, rwl = state.ranks
    indent = " " * (width + 6)
    return [
        f"ps {index:{width}} : mp:{watts(state.max_power, 4 if state.scale else 2)} "
        f"{kind} enlat:{signed(state.entry)} exlat:{signed(state.exit)} "
        f"rrt:{rrt} rrl:{rrl}",
        f"{indent}rwt:{rwt} rwl:{rwl} idle_power:{scaled(*state.idle)} "
        f"active_power:{scaled(*state.active[:2])}",
    ]


def time_lines(values: Times) -> list[str]:
    lines = []
    for (name, _), (value, scale) in zip(TIMES, values):
        unit = UNITS[scale] if scale < len(UNITS) else "Reserved"
        words = name.removesuffix("_us").replace("_", " ")
        lines.append(f"  {words}: {f'{value} (unit: {unit})' if value else '-'}")
    return lines


def text_lines(drive: Drive, version: str) -> list[str]:
    """nvme id-ctrl of version "1.x", "2.3" or "2.16"."""
    width, label = (4, 8) if version == "1.x" else (6, 10)
    head = {**drive.head, "npss": len(drive.states) - 1}
    for name in {"vid", "apsta"} & head.keys():
        head[name] = f"{head[name]:#x}"
    lines = ["NVME Identify Controller:"]
    lines += [f"{name:{label}}: {value}" for name, value in head.items()]
    for index, (state, times) in enumerate(zip(drive.states, drive.times)):
        lines += state_lines(index, state, width)
        if version != "1.x":
            number = state.active[2]
            word = WORKLOADS[number] if number < len(WORKLOADS) else "reserved"
            lines.append(f"{' ' * 12}active_power_workload:{word}")
        if version == "2.16":
            lines += time_lines(times)
    return lines


def limit_uw(states: list[dict[str, Any]], index: int) -> int:
    """A state's maximum; if it has none, that of the nearest before it that has one,
    unless the maxima rise before it.
    """
    maxima = [state["max_power_uw"] for state in states[: index + 1]]
    before = [power for power in maxima[:-1] if power]
    if not maxima[-1] and before == sorted(before, reverse=True):
        return before[-1] if before else 2**32
    return maxima[-1] or 2**32


def drop_doubtful(model: dict[str, Any], drive: Drive) -> None:
    """Versions of 1.x until 2020 wrote N.02W for every N and fraction: a range."""
    places = [
        (index, name, value)
        for index, raw in enumerate(drive.states)
        for name, (value, scale) in (
            ("idle_power", raw.idle),
            ("active_power", raw.active[:2]),
        )
        if scale == 2
    ]
    if not all(value % 100 == 2 for _, _, value in places):
        return
    for index, name, value in places:
        state, limit = model["states"][index], limit_uw(model["states"], index)
        low = value // 100 * 1_000_000
        high = low + 990_000
        state[f"{name}_uw"] = None
        state[f"{name}_low_uw"] = low
        state[f"{name}_high_uw"] = min(high, limit) if limit >= low else high


@pytest.mark.parametrize("version", ["1.x", "2.3", "2.16"])
@given(drive=drives(), data=st.data())
def test_text_of_nvme_id_ctrl_is_the_drive(
    version: str, drive: Drive, data: st.DataObject
) -> None:
    lines = text_lines(drive, version)
    for _ in range(data.draw(st.integers(0, 5))):
        at = data.draw(st.integers(0, len(lines)))
        lines.insert(at, data.draw(st.sampled_from(NOISE)))
    prefix = data.draw(st.sampled_from(["", "> ", "\t"]))
    ending = data.draw(st.sampled_from(["\n", "\r\n"]))
    text = "".join(prefix + line + ending for line in lines)
    model = ssdpm.Model(text.encode()).to_dict()
    want = expected(
        drive, workload=-1 if version == "1.x" else 2, times=version == "2.16"
    )
    if version == "1.x":
        drop_doubtful(want, drive)
    assert model.pop("format") == "nvme-cli-text"
    assert model == want


def json_state(state: State, times: Times, version: str) -> dict[str, Any]:
    idle, idle_scale = state.idle
    active, active_scale, workload = state.active
    keys = ("read_tput", "read_lat", "write_tput", "write_lat")
    result: dict[str, Any] = {"max_power": state.max_power}
    if version == "2.16":
        result["max_power_scale"] = state.scale
        result["non-operational_state"] = int(not state.operational)
    else:
        result["flags"] = state.scale | (not state.operational) << 1
    result |= {"entry_lat": state.entry, "exit_lat": state.exit}
    result |= dict(zip(keys, state.ranks))
    result |= {"idle_power": idle, "active_power": active}
    if version == "1.x":
        result["idle_scale"] = idle_scale << 6
        result["active_work_scale"] = active_scale << 6 | workload
    else:
        result["idle_scale"] = idle_scale
        result["active_scale"] = active_scale
        result["active_power_work"] = workload
    if version == "2.16":
        for (_, name), (value, scale) in zip(TIMES, times):
            result |= {f"{name}_time": value, f"{name}_scale": scale}
    return result


@pytest.mark.parametrize("version", ["1.x", "2.3", "2.16"])
@given(drive=drives())
def test_json_of_nvme_id_ctrl_is_the_drive(version: str, drive: Drive) -> None:
    head = {**drive.head, "npss": len(drive.states) - 1, "sn": "S3CR3T"}
    for name, size in (("mn", 40), ("fr", 8)):
        if name in head:
            head[name] = head[name].ljust(size)
    psds = [
        json_state(state, times, version)
        for state, times in zip(drive.states, drive.times)
    ]
    model = ssdpm.Model(json.dumps({**head, "psds": psds}).encode()).to_dict()
    assert model.pop("format") == "nvme-cli-json"
    assert model == expected(drive, workload=7, times=version == "2.16")


def test_a_dict_of_other_programs_is_read_as_its_json_is() -> None:
    model = ssdpm.Model({"vid": 5559, "psds": [{"flags": 1, "max_power": 50}]})
    assert model.format == "nvme-cli-json"
    assert model.vendor_id == 5559
    assert model.power_states[0].max_power_uw == 5000
