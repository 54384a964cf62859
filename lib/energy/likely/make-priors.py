#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a table of C of the priors.

usage: make-priors.py PRIORS.TSV > PRIORS.INC
"""

from __future__ import annotations

import sys


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    version, rows = "", []
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                continue
            cells = line.rstrip("\n").split("\t")
            if cells[0] == "version":
                version = str(int(cells[1]))
            elif cells[0] != "rule":
                rows.append(cells)
    names = [row[0] for row in rows]
    if len(set(names)) != len(names):
        sys.exit("a rule is given twice")
    print(f"#define PRIORS_VERSION {version}")
    print("static const struct prior priors[] = {")
    for name, spread, sources, drawn, evidence in rows:
        if drawn not in ("drive", "value") or not evidence:
            sys.exit(f"{name}: drawn for what? on what evidence?")
        spread = "0" if spread == "range" else repr(float(spread))
        shared = "true" if drawn == "drive" else "false"
        print(f'\t{{ "{name}", {spread}, {int(sources)}, {shared} }},')
    print("};")


if __name__ == "__main__":
    main()
