#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make C of profiles.ini: the same text, without comments and blanks.

usage: make-profiles.py PROFILES_INI OUTPUT_C

The library reads it as it reads a user's (lib/policy/profile.c).
"""

from __future__ import annotations

import pathlib
import re
import sys


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    text = pathlib.Path(sys.argv[1]).read_text(encoding="ascii")
    lines = (line.strip() for line in text.splitlines())
    kept = [line for line in lines if line and not line.startswith("#")]
    data = "".join(re.sub(" *= *", "=", line, count=1) + "\n" for line in kept)
    c = ["/* Made by make-profiles.py of profiles.ini. */", '#include "policy/profile.h"']
    # A string of this length is more than C99 promises to take.
    c += ["", "const char ssdpm__profiles[] = {"]
    for i in range(0, len(data), 16):
        c.append(f"\t{', '.join(str(ord(x)) for x in data[i : i + 16])},")
    c += ["};", f"const size_t ssdpm__profiles_size = {len(data)};"]
    pathlib.Path(sys.argv[2]).write_text("\n".join(c) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
