#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make C of the page that --html fills.

usage: make-page.py PAGE OUTPUT
"""

from __future__ import annotations

import pathlib
import sys


def main() -> None:
    page, output = map(pathlib.Path, sys.argv[1:])
    data = page.read_bytes() + b"\0"
    lines = [
        ", ".join(rf"'\x{byte:02x}'" for byte in data[i : i + 12])
        for i in range(0, len(data), 12)
    ]
    text = "/* SPDX-License-Identifier: MIT */\n"
    text += "extern const char page_template[];\n"
    text += f"const char page_template[{len(data)}] = {{\n"
    text += "".join(f"\t{line},\n" for line in lines) + "};\n"
    output.write_text(text)


if __name__ == "__main__":
    main()
