#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The SYNOPSIS of a page declares what its header declares: functions with their
types and arguments, structures with their members.

usage: synopsis.py INCLUDE_DIR MAN_DIR
"""

import pathlib
import re
import sys

sys.dont_write_bytecode = True

from common import (  # noqa: E402
    Faults,
    page_of,
    public_headers,
    without_comments,
    without_directives,
)


def words(declaration: str) -> str:
    """One spelling: a page and a header break lines in different places."""
    return " ".join(re.findall(r"\w+|[^\w\s]", declaration))


def structures(text: str) -> dict[str, list[str]]:
    """The members of each structure, by its name."""
    return {
        name: [words(member) for member in body.split(";")]
        for name, body in re.findall(r"^struct (\w+) \{(.*?)^\};", text, re.M | re.S)
    }


def from_header(text: str) -> dict[str, list[str]]:
    """The type of each function and its arguments, by its name."""
    found = re.findall(r"SSDPM_API\s([^;(]*?)(\w+)\s*\(([^;]*)\)\s*;", text)
    return {
        name: [words(kind), *map(words, arguments.split(","))]
        for kind, name, arguments in found
    }


def from_page(synopsis: str) -> dict[str, list[str]]:
    """The same, from .Ft with .Fn, or with .Fo and a line .Fa for each argument."""
    functions = {}
    for block in re.split(r"^\.Ft ", synopsis, flags=re.M)[1:]:
        kind, rest = block.split("\n", 1)
        name = re.findall(r"^\.F[no] (\w+)", rest, re.M)[0]
        arguments = re.findall(r'^\.Fa "?(.*?)"?$', rest, re.M)
        if rest.startswith(".Fn"):
            line = re.findall(r'"(.*?)"|(\S+)', rest.split("\n")[0])
            arguments = [quoted or bare for quoted, bare in line[2:]]
        functions[name] = [words(kind.replace('"', "")), *map(words, arguments)]
    return functions


def synopsis_of(page: pathlib.Path) -> str:
    found = re.search(r"^\.Sh SYNOPSIS\n(.*?)^\.Sh ", page.read_text(), re.M | re.S)
    return found.group(1) if found else ""


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    include, man = sys.argv[1:]
    faults = Faults()
    for header in public_headers(include):
        text = without_directives(header.read_text())
        declared = {**structures(text), **from_header(text)}
        if not declared:
            continue
        page = pathlib.Path(man) / page_of(header)
        synopsis = synopsis_of(page)
        shown = {**structures(without_comments(synopsis)), **from_page(synopsis)}
        for name, wanted in declared.items():
            if name not in shown:
                faults.add(f"{page.name}: no {name} in SYNOPSIS")
            elif shown[name] != wanted:
                faults.add(f"{page.name}: {name} is {wanted}, not {shown[name]}")
    faults.report("write the SYNOPSIS as the header has it")


if __name__ == "__main__":
    main()
