#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a table of C of the powers that were published.

usage: make-published.py PUBLISHED.TSV > PUBLISHED.INC
"""

from __future__ import annotations

import sys

# enum ssdpm_link_state
LINK_STATES = {"ps0": "0", "active": "SSDPM_LINK_ACTIVE", "slumber": "SSDPM_LINK_SLUMBER"}


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("static const struct published published[] = {")
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                continue
            product, state, power, kind, by, condition, _ = line.rstrip("\n").split("\t")
            stem = product.removesuffix("*")
            measured = {"measured": "true", "datasheet": "false"}[kind]
            whole = "false" if product.endswith("*") else "true"
            print(
                f'\t{{ "{stem}", "{condition.split(";")[0]}", "{by}", {int(power)}, '
                f"{LINK_STATES[state]}, {measured}, {whole} }},"
            )
    print("};")


if __name__ == "__main__":
    main()
