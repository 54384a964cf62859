#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make C of quirks.ini, or of profiles.ini, without their comments.

usage: make-ini.py QUIRKS_INI|PROFILES_INI OUTPUT_C

Quirks get one letter for each key, those of lib/policy/quirk-rule.c; any fault ends
the build. Profiles are the same text: the library reads it as it reads a user's
(lib/policy/profile.c).
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


def pack_quirks(text: str) -> dict[str, bytes]:
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
    return {f"quirks_{kind}": lines.encode("ascii") for kind, lines in packed.items()}


def pack_profiles(text: str) -> dict[str, bytes]:
    lines = (line.strip() for line in text.splitlines())
    kept = [line for line in lines if line and not line.startswith("#")]
    packed = "".join(re.sub(" *= *", "=", line, count=1) + "\n" for line in kept)
    return {"profiles": packed.encode("ascii")}


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source = pathlib.Path(sys.argv[1])
    pack, header = {
        "quirks.ini": (pack_quirks, "policy/quirks.h"),
        "profiles.ini": (pack_profiles, "policy/internal.h"),
    }[source.name]
    c = [f"/* Made by make-ini.py of {source.name}. */", f'#include "{header}"']
    for name, data in pack(source.read_text(encoding="ascii")).items():
        # A string of this length is more than C99 promises to take.
        c += ["", f"const char ssdpm__{name}[] = {{"]
        for i in range(0, len(data), 16):
            c.append(f"\t{', '.join(map(str, data[i : i + 16]))},")
        c += ["};", f"const size_t ssdpm__{name}_size = {len(data)};"]
    pathlib.Path(sys.argv[2]).write_text("\n".join(c) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
