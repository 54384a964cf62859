#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make C of quirks.ini: texts without comments, with one letter for each key.

usage: make-quirks.py QUIRKS_INI OUTPUT_C

Any fault ends the build. The letters are those of lib/policy/quirk-rule.c.
"""

from __future__ import annotations

import pathlib
import re
import sys

KINDS = {"nvme": "n", "sata": "s", "ahci": "a"}
PATTERN = r"[ -~]+"
NUMBER = r"[0-9a-f]{4}"
RELEASE = r"\d+\.\d+\.\d+"
# The letter of each key, and what its value must be.
KEYS = {
    "linux": ("l", RELEASE),
    "absent": ("a", RELEASE),
    "source": ("s", PATTERN),
    "vendor": ("v", NUMBER),
    "product": ("p", PATTERN),
    "firmware": ("f", PATTERN),
    "sata_generations": ("g", "[123]( [123])*"),
    "pci": ("c", f"{NUMBER}:{NUMBER}"),
    "pci.product": ("d", PATTERN),
    "pci.perhaps": ("e", PATTERN),
    "dmi.sys_vendor": ("S", PATTERN),
    "dmi.product_name": ("N", PATTERN),
    "dmi.product_version": ("V", PATTERN),
    "dmi.board_vendor": ("B", PATTERN),
    "dmi.board_name": ("O", PATTERN),
    "dmi.bios_before": ("D", r"\d{8}"),
}


# The bits of enum ssdpm_quirk.
QUIRKS = {
    "no-apst": "0",
    "no-deepest-ps": "1",
    "simple-suspend": "2",
    "force-no-simple-suspend": "3",
    "no-lpm": "4",
    "no-lpm-on-ati": "5",
    "no-lpm-on-ati-and-amd": "6",
}


def pack(text: str) -> dict[str, bytes]:
    """The lines that the library reads: those for NVMe and those for SATA."""
    packed = {"nvme": "", "sata": ""}
    to = last = ""
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        header = re.fullmatch(r"\[(\w+) ([ -Z^-~]+)\]", line)
        key, _, value = (part.strip() for part in line.partition("="))
        if header and header.group(1) in KINDS:
            to = "nvme" if header.group(1) == "nvme" else "sata"
            packed[to] += f"[{KINDS[header.group(1)]}{header.group(2)}\n"
        elif key in ("pci", "vendor") and last not in ("head", "pci", "vendor"):
            sys.exit(f"quirks.ini:{number}: pci and vendor come first in a rule")
        elif to and key == "quirks" and set(value.split()) <= set(QUIRKS):
            packed[to] += "q" + "".join(QUIRKS[q] for q in value.split()) + "\n"
        elif to and key in KEYS and re.fullmatch(KEYS[key][1], value):
            packed[to] += f"{KEYS[key][0]}{value}\n"
        else:
            sys.exit(f"quirks.ini:{number}: {line}: neither a rule nor its key")
        last = "head" if header else key
    return {kind: lines.encode("ascii") for kind, lines in packed.items()}


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    c = ["/* Made by make-quirks.py of quirks.ini. */", '#include "policy/quirks.h"']
    packed = pack(pathlib.Path(sys.argv[1]).read_text(encoding="ascii"))
    for kind, data in packed.items():
        # A string of this length is more than C99 promises to take.
        c += ["", f"const char ssdpm__quirks_{kind}[] = {{"]
        for i in range(0, len(data), 16):
            c.append(f"\t{', '.join(map(str, data[i : i + 16]))},")
        c += ["};", f"const size_t ssdpm__quirks_{kind}_size = {len(data)};"]
    pathlib.Path(sys.argv[2]).write_text("\n".join(c) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
