#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a program or library loads at its start is a list that we chose.

usage: needed.py FILE ALLOWED...
"""

import os
import re
import sys

sys.dont_write_bytecode = True

from common import Faults, run  # noqa: E402


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    file, *allowed = sys.argv[1:]
    dynamic = run(os.environ.get("READELF", "readelf"), "-dW", file)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    faults = Faults()
    for name in needed:
        if name not in allowed:
            faults.add(f"{os.path.basename(file)} needs {name}")
    if re.search(r"\(TEXTREL\)", dynamic):
        faults.add(f"{os.path.basename(file)} has text relocations")
    faults.report(
        f"only {', '.join(allowed)} may be linked; load the rest with dlopen "
        "where it is used first"
    )


if __name__ == "__main__":
    main()
