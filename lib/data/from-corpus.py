#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make the catalogue's data files out of the corpus.

usage: from-corpus.py CORPUS_DIR

Run by hand when the corpus has grown; its data/nvme_power_states.jsonl and
data/sata_identify.jsonl become nvme-drives.tsv and sata-drives.tsv beside this
program. A table that is there already keeps its number, so that the difference
to the last time is what is new.
"""

from __future__ import annotations

import collections
import json
import pathlib
import re
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent

UNKNOWN = "?"  # nobody knows
NOT_REPORTED = "-"  # the drive says NVMe's "not reported"

CC_BY = """\
# The rows of bsdhw/SMART, linuxhw/EnterpriseDrive and linuxhw/SMART are from
# https://github.com/bsdhw/SMART and https://github.com/linuxhw, collected by the
# users of bsd-hardware.info and linux-hardware.org: licence CC BY 4.0
# (https://creativecommons.org/licenses/by/4.0/), rewritten into this form. From
# the others, forums and mailing lists among them, facts only: numbers that a
# drive gives.
"""

NVME_HEAD = """\
# SPDX-License-Identifier: MIT AND CC-BY-4.0
# Power states of NVMe drives, as they report them. Made by from-corpus.py.
#
# Sources, with the number of rows from each:
{sources}
#
{licence}#
# Columns, divided by tabulators:
#   state  table, number, operational, maximum power (uW), entry and exit latency
#          (us), ranks RRT RRL RWT RWL, active power (uW), idle power (uW),
#          workload of the active power
#   drive  product, firmware, PCI vendor ID, drives seen, table
# ? is unknown, - is NVMe's "not reported". What smartctl prints has the former
# for active and idle power, and nothing here says whether a drive has APST.
"""

SATA_HEAD = """\
# SPDX-License-Identifier: MIT
# Link power management of SATA drives, as they report it. Made by from-corpus.py.
#
# Sources, with the number of rows from each:
{sources}
#
# From all of them facts only: bits and numbers that a drive gives.
#
# Columns, divided by tabulators: product, firmware, drives seen, words 76 to 79
# valid, generations of the link, then supported/enabled of HIPM, DIPM, automatic
# partial to slumber transitions of the device and of the host, DevSleep, APM,
# then the APM level. ? is unknown.
"""

Row = dict[str, Any]


def read(path: pathlib.Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def source_name(text: str) -> str:
    """"bsdhw/SMART" of "bsdhw/SMART [smartctl-text]" and the like."""
    found = re.match(r"linux-mailinglist-archives/(linux-\w+)", text)
    if found:
        return f"the mailing list {found.group(1)}"
    found = re.match(r"[\w.-]+/[\w.-]+", text)
    if found:
        return found.group()
    if text.startswith("linux-kernel mailing list"):
        return "the mailing list linux-kernel"
    return "posts and files whose place is not known"


def source_lines(rows: list[Row]) -> str:
    counter: collections.Counter[str] = collections.Counter()
    for row in rows:
        texts = row.get("sources") or [row["source"]]
        counter.update({source_name(text) for text in texts})
    lines = [f"#   {n:4} {name}" for name, n in counter.most_common()]
    return "\n".join(lines)


def by_name(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return (row[0].lower(), row[1].lower(), *row)


# --- NVMe


def nvme_state(state: Row, by_smartctl: bool) -> str:
    # smartctl takes the scales of active and idle power from the wrong bits.
    absent = UNKNOWN if by_smartctl else NOT_REPORTED

    def power(watts: float | None) -> str:
        if by_smartctl or watts is None:
            return absent
        return str(round(watts * 1_000_000))

    workload = {"-": "0", "80K 128KiB SW": "2"}.get(
        state.get("active_workload", ""), UNKNOWN
    )
    fields = [
        state["ps"],
        "yes" if state["operational"] else "no",
        state["mp"] * (100 if state["mxps"] else 10_000),
        state["entry_us"],
        state["exit_us"],
        *(state[rank] for rank in ("rrt", "rrl", "rwt", "rwl")),
        power(state["active_power_w"]),
        power(state["idle_power_w"]),
        workload,
    ]
    return "\t".join(map(str, fields))


def nvme_table(row: Row) -> tuple[str, ...]:
    by_smartctl = row["format"].startswith("smartctl")
    return tuple(nvme_state(state, by_smartctl) for state in row["states"])


def old_tables(path: pathlib.Path) -> dict[tuple[str, ...], int]:
    tables: dict[int, list[str]] = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith("state\t"):
            _, table, state = line.split("\t", 2)
            tables.setdefault(int(table), []).append(state)
    return {tuple(states): number for number, states in tables.items()}


def write_nvme(rows: list[Row], path: pathlib.Path) -> None:
    numbers = old_tables(path)
    following = max(numbers.values(), default=0) + 1
    seen: collections.Counter[tuple[Any, ...]] = collections.Counter()
    used = {}
    for row in sorted(rows, key=lambda row: by_name((row["model"], row["firmware"]))):
        table = nvme_table(row)
        if table not in numbers:
            numbers[table] = following
            following += 1
        used[numbers[table]] = table
        vendor = row["vid"] or UNKNOWN
        seen[row["model"], row["firmware"], vendor, numbers[table]] += row["count"]
    lines = [
        f"state\t{number}\t{state}" for number in sorted(used) for state in used[number]
    ]
    for drive in sorted(seen, key=by_name):
        product, firmware, vendor, number = drive
        lines.append(f"drive\t{product}\t{firmware}\t{vendor}\t{seen[drive]}\t{number}")
    head = NVME_HEAD.format(sources=source_lines(rows), licence=CC_BY)
    path.write_text(head + "\n".join(lines) + "\n")


# --- SATA


def word(row: Row, number: int) -> int | None:
    text = row.get("words", {}).get(str(number))
    return None if text is None else int(text, 16)


def yes_no(value: bool | None) -> str:
    return UNKNOWN if value is None else "yes" if value else "no"


def words_valid(row: Row) -> bool | None:
    """Word 76 is neither 0 nor FFFFh; HIPM and the generations are bits of it."""
    value = word(row, 76)
    if value is not None:
        return value not in (0, 0xFFFF)
    return True if row.get("gen") or row["hipm"]["supported"] else None


def bit(row: Row, number: int, position: int) -> bool | None:
    """A bit of words 76 to 79, or of words 82 to 87, or None."""
    value = word(row, number)
    if value is None or (number < 80 and not words_valid(row)):
        return None
    return bool(value >> position & 1)


def feature(row: Row, name: str) -> tuple[bool | None, bool | None]:
    facts = row.get(name) or {}
    return facts.get("supported"), facts.get("enabled")


def sata_facts(row: Row) -> list[str]:
    auto = row.get("partial_slumber", {})
    apm, apm_enabled = feature(row, "apm")
    if apm_enabled is None:
        apm_enabled = bit(row, 86, 3)
    features = [
        feature(row, "hipm"),
        feature(row, "dipm"),
        (auto.get("dev_auto_partial_to_slumber"), bit(row, 79, 7)),
        (auto.get("host_auto_partial_to_slumber"), None),
        feature(row, "devslp"),
        (apm, apm_enabled),
    ]
    level = str((row.get("apm") or {}).get("level"))
    return [
        yes_no(words_valid(row)),
        ",".join(map(str, row.get("gen", []))) or UNKNOWN,
        *(f"{yes_no(supported)}/{yes_no(enabled)}" for supported, enabled in features),
        level if level.isdecimal() else UNKNOWN,
    ]


def write_sata(rows: list[Row], path: pathlib.Path) -> None:
    seen: collections.Counter[tuple[str, ...]] = collections.Counter()
    for row in rows:
        seen[row["model"], row["firmware"], *sata_facts(row)] += row["count"]
    head = SATA_HEAD.format(sources=source_lines(rows))
    lines = [
        "\t".join((*drive[:2], str(seen[drive]), *drive[2:]))
        for drive in sorted(seen, key=by_name)
    ]
    path.write_text(head + "\n".join(lines) + "\n")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    data = pathlib.Path(sys.argv[1]) / "data"
    write_nvme(read(data / "nvme_power_states.jsonl"), HERE / "nvme-drives.tsv")
    write_sata(read(data / "sata_identify.jsonl"), HERE / "sata-drives.tsv")


if __name__ == "__main__":
    main()
