#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a library may load at run time stands in its ELF dlopen metadata.

usage: dlopen.py FILE SONAME...

https://uapi-group.org/specifications/specs/elf_dlopen_metadata/
"""

from __future__ import annotations

import json
import os
import struct
import sys
import tempfile

sys.dont_write_bytecode = True

from common import Faults, run  # noqa: E402

SECTION, OWNER, TYPE = ".note.dlopen", b"FDO\0", 0x407C0C0A


def notes(file: str) -> list[bytes]:
    """The texts of the notes; a name and a text are padded to four bytes."""
    with tempfile.TemporaryDirectory() as folder:
        dump = os.path.join(folder, "notes")
        # The copy is not wanted, but FILE would be written without one.
        copy = os.path.join(folder, "copy")
        run("objcopy", f"--dump-section={SECTION}={dump}", file, copy)
        with open(dump, "rb") as opened:
            data = opened.read()
    texts, at = [], 0
    while at < len(data):
        n_name, n_text, kind = struct.unpack_from("=III", data, at)
        at += 12
        name = data[at : at + n_name]
        at += (n_name + 3) // 4 * 4
        if (name, kind) == (OWNER, TYPE):
            texts.append(data[at : at + n_text])
        at += (n_text + 3) // 4 * 4
    return texts


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    file, *expected = sys.argv[1:]
    faults = Faults()
    found = []
    for text in notes(file):
        for entry in json.loads(text.rstrip(b"\0")):
            found += entry["soname"]
            if entry["priority"] not in ("required", "recommended", "suggested"):
                faults.add(f"{entry['soname']}: priority {entry['priority']}")
            if not entry["feature"] or not entry["description"]:
                faults.add(f"{entry['soname']}: no words for packagers")
    if sorted(found) != sorted(expected):
        faults.add(f"the notes name {found}, and not {expected}")
    faults.report("each file that calls dlopen() has a note: see base/dynamic.h")


if __name__ == "__main__":
    main()
