#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make the C source of the catalogue out of its data files.

usage: make-catalogue.py NVME_TSV SATA_TSV OUTPUT_C OUTPUT_H

The build runs it. All of the catalogue is one constant object without pointers:
it needs no relocation, and programs share its pages. Rows are sorted by product
with ASCII capitals made small, then by firmware likewise; of one firmware's rows
the one that says more comes first.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable, Iterable

NVME, SATA = 1, 2  # enum ssdpm_kind
NON_OPERATIONAL, SHOWN, OF_FAMILY = 1, 2, 4  # enum ssdpm_state_flag
VENDOR_UNKNOWN = 1  # enum catalogue_row_flag
SHOWN_COARSELY = 128  # enum catalogue_state_flag
UNITS = (100, 10_000)  # of the scales of NVMe, in uW
UNKNOWN, NOT_REPORTED = "?", "-"

# Bits of enum ssdpm_field, in the order of the file's columns.
MAX_POWER, ACTIVE_POWER, IDLE_POWER = 1 << 0, 1 << 1, 1 << 2
ENTRY, EXIT = 1 << 3, 1 << 4
RANKS = (1 << 5, 1 << 6, 1 << 7, 1 << 8)
WORKLOAD = 1 << 9
NVME_2_1 = 7 << 10  # the three times that nobody prints yet
COLUMNS = (MAX_POWER, ENTRY, EXIT, *RANKS, ACTIVE_POWER, IDLE_POWER, WORKLOAD)

# Bits of enum ssdpm_info_field.
WORDS_VALID, GENERATIONS, APM_LEVEL, ROTATIONAL = 1 << 4, 1 << 5, 1 << 6, 1 << 7
N_FEATURES = 6

HEAD = "/* SPDX-License-Identifier: MIT */\n/* Made by make-catalogue.py. */\n"

Columns = list[str]


class Fault(Exception):
    """A line of the data that is not as it should be."""


def records(path: str) -> Iterable[tuple[str, Columns]]:
    """Where each line stands, and its columns."""
    text = pathlib.Path(path).read_text(encoding="ascii")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("#"):
            yield f"{path}:{number}", line.split("\t")


def number(text: str, maximum: int) -> int:
    value = int(text, 0)
    if not 0 <= value <= maximum:
        raise Fault(f"{value} is not in 0 to {maximum}")
    return value


def fold(text: str) -> str:
    return "".join(c.lower() if "A" <= c <= "Z" else c for c in text)


class Strings:
    """Strings one after the other, each once and with a zero byte."""

    def __init__(self) -> None:
        self.text = ""
        self.offsets: dict[str, int] = {}

    def add(self, text: str) -> int:
        if text not in self.offsets:
            self.offsets[text] = len(self.text)
            self.text += text + "\0"
        return self.offsets[text]


class Table:
    """What rows share: the power states, or what a SATA drive says."""

    def __init__(self, kind: int) -> None:
        self.kind = kind
        self.states: list[str] = []
        self.first_state = 0
        self.n_unknown = 0
        self.sata = "{ 0 }"


class Row:
    def __init__(self, product: str, firmware: str, seen: int, table: Table) -> None:
        if not 0 < len(product) <= 40 or len(firmware) > 8:
            raise Fault("a product or firmware of this length cannot be")
        self.product = product
        self.firmware = firmware
        self.seen = seen
        self.table = table
        self.vendor_id, self.flags = 0, VENDOR_UNKNOWN

    def key(self) -> tuple[str, str, int]:
        return fold(self.product), fold(self.firmware), self.table.n_unknown


def is_zero(bit: int, text: str) -> bool:
    """A maximum power or latency of 0 is NVMe's "not reported", and stands."""
    return bit in (MAX_POWER, ENTRY, EXIT) and text == "0"


def state(columns: Columns, table: Table) -> str:
    """A struct catalogue_state out of the columns after the state's number."""
    operational, *texts, shown = columns
    of_family = texts[-2].startswith("~")
    texts[-2] = texts[-2].removeprefix("~")
    if operational not in ("yes", "no") or len(texts) != len(COLUMNS):
        raise Fault("not a state")
    unknown, not_reported, values = NVME_2_1, 0, []
    for bit, text in zip(COLUMNS, texts):
        maximum = 31 if bit in RANKS else 7 if bit == WORKLOAD else 2**32 - 1
        absent = text in (UNKNOWN, NOT_REPORTED)
        values.append(0 if absent else number(text, maximum))
        unknown |= bit if absent else 0
        not_reported |= bit if text == NOT_REPORTED or is_zero(bit, text) else 0
    power, entry, exit_, *ranks, active, idle, workload = values
    table.n_unknown += bin(unknown).count("1")
    flags = 0 if operational == "yes" else NON_OPERATIONAL
    flags |= OF_FAMILY if of_family else 0
    flags |= SHOWN if shown != UNKNOWN else 0
    uw = 0 if shown == UNKNOWN else number(shown, 2**32 - 1)
    coarse = uw % UNITS[1] == 0
    flags |= SHOWN_COARSELY if coarse else 0
    if uw % UNITS[coarse]:
        raise Fault(f"{uw} uW is no power that smartctl prints")
    shown_units = number(str(uw // UNITS[coarse]), 2**16 - 1)
    return (
        f"{{ {power}u, {active}u, {idle}u, {entry}u, {exit_}u, {unknown}, "
        f"{not_reported}, {shown_units}, {{ {', '.join(map(str, ranks))} }}, {workload}, "
        f"{flags} }}"
    )


def add_state(tables: dict[str, Table], columns: Columns) -> None:
    name, index, *rest = columns
    table = tables.setdefault(name, Table(NVME))
    if int(index) != len(table.states) or int(index) > 31:
        raise Fault(f"state {index} stands where {len(table.states)} should be")
    table.states.append(state(rest, table))


def nvme_drive(tables: dict[str, Table], columns: Columns) -> Row:
    product, firmware, vendor, seen, name = columns
    row = Row(product, firmware, number(seen, 2**31), tables[name])
    if vendor != UNKNOWN:
        row.vendor_id, row.flags = number(vendor, 0xFFFF), 0
    return row


def read_nvme(path: str) -> list[Row]:
    tables: dict[str, Table] = {}
    rows: list[Row] = []

    def take(kind: str, *columns: str) -> None:
        if kind == "state":
            add_state(tables, list(columns))
        else:
            rows.append(nvme_drive(tables, list(columns)))

    each(path, lambda columns: take(*columns))
    return rows


def tristate(text: str) -> tuple[int, int]:
    """Value and whether it is unknown."""
    return {"yes": (1, 0), "no": (0, 0), UNKNOWN: (0, 1)}[text]


def sata_table(columns: Columns) -> Table:
    """A struct catalogue_sata."""
    table = Table(SATA)
    valid, generations, *features, level, rotational = columns
    if len(features) != N_FEATURES:
        raise Fault("not a SATA drive")
    words_valid, unknown_valid = tristate(valid)
    rotates, unknown_rotational = tristate(rotational)
    unknown = WORDS_VALID * unknown_valid | ROTATIONAL * unknown_rotational
    masks = [0, 0, 0, 0]  # supported, unknown; enabled, unknown
    for i, text in enumerate(features):
        for j, part in enumerate(text.split("/")):
            value, is_unknown = tristate(part)
            masks[2 * j] |= value << i
            masks[2 * j + 1] |= is_unknown << i
    bits = 0
    if generations == UNKNOWN:
        unknown |= GENERATIONS
    else:
        bits = sum(1 << number(text, 3) for text in generations.split(","))
    if level == UNKNOWN:
        unknown |= APM_LEVEL
    value = 0 if level == UNKNOWN else number(level, 255)
    numbers = (unknown, words_valid, bits, value, rotates, *masks)
    table.sata = f"{{ {', '.join(map(str, numbers))} }}"
    table.n_unknown = sum(bin(n).count("1") for n in (unknown, masks[1], masks[3]))
    return table


def read_sata(path: str) -> list[Row]:
    tables: dict[str, Table] = {}
    rows: list[Row] = []

    def take(product: str, firmware: str, seen: str, *columns: str) -> None:
        table = sata_table(list(columns))
        table = tables.setdefault(table.sata, table)
        rows.append(Row(product, firmware, number(seen, 2**31), table))

    each(path, lambda columns: take(*columns))
    return rows


def each(path: str, take: Callable[[Columns], None]) -> None:
    for where, columns in records(path):
        try:
            take(columns)
        except (Fault, KeyError, TypeError, ValueError) as error:
            sys.exit(f"{where}: {error}")


def used_tables(rows: list[Row]) -> list[Table]:
    """Each once, in the order of the rows; their states follow one another."""
    tables = list(dict.fromkeys(row.table for row in rows))
    first = 0
    for table in tables:
        table.first_state = first
        first += len(table.states)
    return tables


def array(name: str, lines: Iterable[str]) -> str:
    return f"\t.{name} = {{\n" + "".join(f"\t\t{line},\n" for line in lines) + "\t},\n"


def write(rows: list[Row], source: str, header: str) -> None:
    rows.sort(key=Row.key)
    tables = used_tables(rows)
    numbers = {id(table): i for i, table in enumerate(tables)}
    states = [text for table in tables for text in table.states]
    strings = Strings()
    row_lines = [
        f"{{ {strings.add(fold(row.product))}, {strings.add(row.product)}, "
        f"{strings.add(row.firmware)}, {row.seen}u, {numbers[id(row.table)]}, "
        f"{row.vendor_id}, {row.flags} }}"
        for row in rows
    ]
    table_lines = [
        f"{{ {t.first_state}, {len(t.states)}, {t.kind}, {t.sata} }}" for t in tables
    ]
    codes = [str(ord(c)) for c in strings.text]
    code_lines = [", ".join(codes[i : i + 20]) for i in range(0, len(codes), 20)]
    pathlib.Path(header).write_text(
        f"{HEAD}#ifndef SSDPM_CATALOGUE_DATA_H\n#define SSDPM_CATALOGUE_DATA_H\n\n"
        '#include "model/catalogue-record.h"\n\n'
        f"#define CATALOGUE_ROWS {len(rows)}\n"
        f"#define CATALOGUE_TABLES {len(tables)}\n\n"
        "struct catalogue_data {\n"
        f"\tstruct catalogue_row rows[CATALOGUE_ROWS];\n"
        f"\tstruct catalogue_table tables[CATALOGUE_TABLES];\n"
        f"\tstruct catalogue_state states[{len(states)}];\n"
        f"\tchar strings[{len(codes)}];\n"
        "};\n\nextern const struct catalogue_data ssdpm_catalogue_data;\n\n#endif\n"
    )
    pathlib.Path(source).write_text(
        f'{HEAD}#include "catalogue-data.h"\n\n'
        "const struct catalogue_data ssdpm_catalogue_data = {\n"
        + array("rows", row_lines)
        + array("tables", table_lines)
        + array("states", states)
        + array("strings", code_lines)
        + "};\n"
    )


def main() -> None:
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    nvme, sata, source, header = sys.argv[1:]
    write([*read_nvme(nvme), *read_sata(sata)], source, header)


if __name__ == "__main__":
    main()
