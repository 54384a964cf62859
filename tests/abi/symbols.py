#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A symbol is born in four places at once: header, map, library, man page.
The page of a function is the one with the word of its header.

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
    page_of,
    without_comments,
    without_directives,
)


# A library reads neither environment nor locale, prints nothing and ends nothing.
FORBIDDEN = {
    *("strerror", "strerror_r", "perror", "setlocale", "localeconv", "nl_langinfo"),
    *("getenv", "secure_getenv", "setenv", "exit", "_exit", "abort"),
    *("printf", "puts", "putchar", "__printf_chk", "stdout", "stderr"),
    *("pthread_create", "thrd_create"),
}


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


def from_man(man: str) -> dict[str, tuple[list[str], list[str]]]:
    """By the name of a page: the functions of its NAME, and of its SYNOPSIS."""
    pages = {}
    for page in sorted(pathlib.Path(man).glob("ssdpm_*.3")):
        text = page.read_text()
        found = re.search(
            r"^\.Sh NAME\n(.*?)^\.Nd .*?^\.Sh SYNOPSIS\n(.*?)^\.Sh ", text, re.M | re.S
        )
        if not found:
            sys.exit(f"{page.name}: no NAME with SYNOPSIS")
        names = re.findall(r"^\.Nm (\w+)", found.group(1), re.M)
        functions = re.findall(r"^\.F[on] (\w+)", found.group(2), re.M)
        pages[page.name] = names, functions
    return pages


def misplaced(
    headers: list[pathlib.Path], pages: dict[str, tuple[list[str], list[str]]]
) -> list[str]:
    """Each function of a header is in NAME and SYNOPSIS of its page, once, and in
    no other one."""
    faults = []
    wanted: dict[str, set[str]] = {}
    for header in headers:
        functions = from_headers([header])
        if functions:
            wanted.setdefault(page_of(header), set()).update(functions)
    for page, functions in wanted.items():
        for section, found in zip(("NAME", "SYNOPSIS"), pages.get(page, ([], []))):
            where = f"{section} of {page}"
            for name in functions - {*found}:
                faults.append(f"{name}: not in {where}")
            for name in {*found} - functions:
                faults.append(f"{name}: does not belong in {where}")
            for name in {one for one in found if found.count(one) > 1}:
                faults.append(f"{name}: twice in {where}")
    return sorted(faults)


def main() -> None:
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    which, library, map_file, include, man = sys.argv[1:]
    ours, theirs = core_headers(include), energy_headers(include)
    if which == "energy":
        ours, theirs = theirs, ours
    pages = from_man(man)
    documented = {name for names, _ in pages.values() for name in names}
    places = {
        "the library (nm -D)": nm("-D", "--defined-only", library),
        pathlib.Path(map_file).name: from_map(map_file),
        "the headers (SSDPM_API)": from_headers(ours),
        # The pages of both libraries are in one folder.
        "man/ssdpm_*.3 (NAME)": documented - from_headers(theirs),
    }
    faults = Faults()
    for name in sorted(set().union(*places.values())):
        missing = [place for place, names in places.items() if name not in names]
        if missing:
            faults.add(f"{name}: missing in {', '.join(missing)}")
    for name in sorted(unmarked(ours)):
        faults.add(f"{name}: declared in a header without SSDPM_API")
    for name in sorted(FORBIDDEN & nm("-D", "--undefined-only", library)):
        faults.add(f"{name}: no library function may call it")
    for message in misplaced(ours, pages):
        faults.add(message)
    faults.report(
        "add the name there, or take it away elsewhere; a name that was "
        "released stays for ever"
    )


if __name__ == "__main__":
    main()
