#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tables of C of the everyday workloads.

usage: make-everyday.py NAME.TSV... > EVERYDAY.INC
"""

from __future__ import annotations

import pathlib
import sys

OPS = "rwfd"
GAP_PARTS = 32
SIZE_PARTS = 16
N_CLASSES = 7


def numbers(values: list[str], n: int) -> str:
    if len(values) != n:
        sys.exit(f"{len(values)} numbers in place of {n}: {values}")
    return "{ " + ", ".join(str(int(value)) for value in values) + " }"


def gaps(key: str, class_: int, values: list[str]) -> list[str]:
    """Limits of parts, or pauses as they are."""
    ranges = list(zip(values, values[1:] if key == "gap" else values))
    if len(ranges) > GAP_PARTS:
        sys.exit(f"{len(ranges)} ranges of pauses, and {GAP_PARTS} are the most")
    rows = ", ".join(f"{{ {int(low)}, {int(high)} }}" for low, high in ranges)
    return [
        f"\t\t.gaps[{class_}] = {{ {rows} }},",
        f"\t\t.n_gaps[{class_}] = {len(ranges)},",
    ]


class Tables:
    def __init__(self) -> None:
        self.workloads: list[str] = []
        self.states: list[str] = []
        self.ways: list[str] = []

    def add(self, path: pathlib.Path) -> None:
        one: dict[str, str] = {}
        members, rows = [], []
        for line in path.read_text(encoding="utf-8").splitlines():
            key, *cells = line.split("\t")
            if line.startswith("#"):
                continue
            if key in ("gap", "pause"):
                members += gaps(key, int(cells[0]), cells[1:])
            elif key == "size":
                op = OPS.index(cells[0])
                members.append(f"\t\t.n_ops[{op}] = {int(cells[1])},")
                members.append(f"\t\t.n_sequential[{op}] = {int(cells[2])},")
                members.append(f"\t\t.sizes[{op}] = {numbers(cells[3:], SIZE_PARTS)},")
            elif key == "next":
                rows.append((cells[0], [cell.split(":") for cell in cells[1:]]))
            else:
                one[key] = cells[0]
        members += [
            f'\t\t.description = "{one["description"]}",',
            f"\t\t.n_ios = {int(one['n_ios'])},",
            f"\t\t.area_bytes = {int(one['area_bytes'])},",
            f"\t\t.first_state = {len(self.states)},",
            f"\t\t.n_states = {len(rows)},",
        ]
        self.workloads.append("\t{\n" + "\n".join(members) + "\n\t},")
        self.add_states(rows)

    def add_states(self, rows: list[tuple[str, list[list[str]]]]) -> None:
        index = {name: i for i, (name, _) in enumerate(rows)}
        for name, ways in rows:
            op, class_ = OPS.index(name[1]) + 1, int(name[2])
            if class_ >= N_CLASSES:
                sys.exit(f"{name}: there is no such class")
            self.states.append(f"\t{{ {len(self.ways)}, {len(ways)}, {op}, {class_} }},")
            self.ways += [f"\t{{ {int(count)}, {index[to]} }}," for to, count in ways]


def main() -> None:
    paths = [pathlib.Path(name) for name in sys.argv[1:]]
    if not paths:
        sys.exit(__doc__)
    tables = Tables()
    rows = []
    for index, path in enumerate(paths):
        tables.add(path)
        rows.append(f'\t{{ "{path.stem}", KIND_EVERYDAY, 0, {index}, 0 }}')
    print("#define EVERYDAY_WORKLOADS \\\n" + ", \\\n".join(rows))
    print("\n#ifdef EVERYDAY_TABLES")
    for kind, name, lines in (
        ("everyday", "workloads", tables.workloads),
        ("everyday_state", "states", tables.states),
        ("everyday_way", "ways", tables.ways),
    ):
        print(f"static const struct {kind} {name}[] = {{")
        print("\n".join(lines))
        print("};")
    print("#endif")


if __name__ == "__main__":
    main()
