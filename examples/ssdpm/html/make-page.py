#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make C of the page that --html fills: its styles and scripts become part of it.

usage: make-page.py OUTPUT PAGE STYLE LOOKS SCRIPT...

LOOKS is the object that stands in a script as @LOOKS@.
"""

from __future__ import annotations

import pathlib
import sys


def main() -> None:
    output, page, style, looks, *scripts = map(pathlib.Path, sys.argv[1:])
    html = page.read_text(encoding="utf-8")
    html = html.replace("@STYLE@", style.read_text(encoding="utf-8"))
    script = "\n".join(one.read_text(encoding="utf-8") for one in scripts)
    script = script.replace("@LOOKS@", looks.read_text(encoding="utf-8").strip())
    data = html.replace("@SCRIPT@", script).encode() + b"\0"
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
