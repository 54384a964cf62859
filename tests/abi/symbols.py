#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A symbol is born in four places at once: header, map, library, man page.

usage: symbols.py core|energy LIBRARY MAP INCLUDE_DIR MAN_DIR
"""

import pathlib
import re
import sys

sys.dont_write_bytecode = True

from common import (  # noqa: E402
    Faults,
    core_headers,
    energy_headers,
    nm,
    without_comments,
    without_directives,
)


def from_map(path: str) -> set[str]:
    text = without_comments(pathlib.Path(path).read_text())
    exported = re.findall(r"global:(.*?)(?:local:|\})", text, re.DOTALL)
    return set(re.findall(r"([\w*]+)\s*;", " ".join(exported)))


def from_headers(headers: list[pathlib.Path]) -> set[str]:
    names: set[str] = set()
    for header in headers:
        text = without_directives(header.read_text())
        names |= set(re.findall(r"SSDPM_API\s[^;(]*?(\w+)\s*\(", text))
    return names


def unmarked(headers: list[pathlib.Path]) -> set[str]:
    """Functions that a header declares without SSDPM_API: nobody can link them."""
    names: set[str] = set()
    for header in headers:
        text = without_directives(header.read_text())
        text = re.sub(r"SSDPM_API\s[^;]*;", "", text)
        names |= set(re.findall(r"\b(ssdpm_\w+)\s*\(", text))
    return names


def from_man(man: str) -> set[str]:
    names: set[str] = set()
    for page in sorted(pathlib.Path(man).glob("ssdpm_*.3")):
        found = re.search(r"^\.Sh NAME\n(.*?)^\.Nd ", page.read_text(), re.M | re.S)
        if not found:
            sys.exit(f"{page.name}: no NAME section")
        names |= set(re.findall(r"^\.Nm (\w+)", found.group(1), re.MULTILINE))
    return names


def main() -> None:
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    which, library, map_file, include, man = sys.argv[1:]
    ours, theirs = core_headers(include), energy_headers(include)
    if which == "energy":
        ours, theirs = theirs, ours
    places = {
        "the library (nm -D)": nm("-D", "--defined-only", library),
        pathlib.Path(map_file).name: from_map(map_file),
        "the headers (SSDPM_API)": from_headers(ours),
        # The pages of both libraries are in one folder.
        "man/ssdpm_*.3 (NAME)": from_man(man) - from_headers(theirs),
    }
    faults = Faults()
    for name in sorted(set().union(*places.values())):
        missing = [place for place, names in places.items() if name not in names]
        if missing:
            faults.add(f"{name}: missing in {', '.join(missing)}")
    for name in sorted(unmarked(ours)):
        faults.add(f"{name}: declared in a header without SSDPM_API")
    faults.report(
        "add the name there, or take it away elsewhere; a name that was "
        "released stays for ever"
    )


if __name__ == "__main__":
    main()
