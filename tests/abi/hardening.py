#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program, library or Python module has all the hardening that its compiler has.

usage: hardening.py FILE...

A wheel is unpacked first.
"""

import os
import pathlib
import re
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True

from common import Faults, run  # noqa: E402

# What each property looks like in what readelf prints of the file.
PROPERTIES = {
    "stack protector (-fstack-protector-strong)": r"\bUND\b.*__stack_chk_fail\b",
    "checked calls (-D_FORTIFY_SOURCE=2)": r"\bUND\b.*__(?!stack)\w+_chk\b",
    "read-only relocations (-z relro)": r"\bGNU_RELRO\b",
    "binding at the start (-z now)": r"\((FLAGS|FLAGS_1)\).*\b(BIND_NOW|NOW)\b",
}
# Where an indirect branch may land. The note of the whole file says less: a libc
# whose start files lack it takes it away. Start files alone have a few of them.
FEW_LANDINGS = 50
LANDINGS = {"X86-64": b"\xf3\x0f\x1e\xfa", "80386": b"\xf3\x0f\x1e\xfb"}


def check(path: str, name: str, faults: Faults) -> None:
    readelf = os.environ.get("READELF", "readelf")
    text = run(readelf, "-hldW", "--dyn-syms", path)
    for what, pattern in PROPERTIES.items():
        if not re.search(pattern, text):
            faults.add(f"{name}: no {what}")
    machine = re.search(r"Machine:.*(X86-64|80386)", text)
    if machine:
        code = pathlib.Path(path).read_bytes()
        if code.count(LANDINGS[machine[1]]) < FEW_LANDINGS:
            faults.add(f"{name}: no landing pads (-fcf-protection)")


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    faults = Faults()
    for path in sys.argv[1:]:
        if not path.endswith(".whl"):
            check(path, os.path.basename(path), faults)
            continue
        with tempfile.TemporaryDirectory() as folder:
            zipfile.ZipFile(path).extractall(folder)
            modules = list(pathlib.Path(folder).rglob("*.so"))
            if not modules:
                faults.add(f"{os.path.basename(path)}: no module in it")
            for module in modules:
                check(str(module), module.name, faults)
    faults.report("see hardening in meson.build")


if __name__ == "__main__":
    main()
