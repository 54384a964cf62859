#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of ssdpm_trial(3) against the simulation that it is from.

usage: trial-times.py [--update] TRIAL_TIMES PAGE

With SSDPM_FEW_CASES the quick rows alone are simulated. --update writes the table
anew; read the difference before you commit it.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

BEGIN = '.\\" BEGIN of what trial-times.py writes\n'
END = '.\\" END\n'


def main() -> None:
    arguments = sys.argv[1:]
    update = arguments[:1] == ["--update"]
    if len(arguments) != 2 + update:
        sys.exit(__doc__)
    program, page = arguments[update], pathlib.Path(arguments[update + 1])
    few = [] if update or "SSDPM_FEW_CASES" not in os.environ else ["quiet"]
    rows = subprocess.run(
        [program, *few], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    text = page.read_text()
    before, rest = text.split(BEGIN)
    table, after = rest.split(END)
    if update:
        page.write_text(f"{before}{BEGIN}{rows}{END}{after}")
        return
    expected = "".join(
        line
        for line in table.splitlines(keepends=True)
        if not few or line.split()[1] in few
    )
    if not rows or rows != expected:
        sys.exit(f"the page has:\n{expected}the simulation:\n{rows}")


if __name__ == "__main__":
    main()
