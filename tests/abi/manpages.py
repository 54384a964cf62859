#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pages of sections 3, 5 and 7 have the sections that they should, in order.
The program in EXAMPLES of one of section 3 compiles without a warning and prints
what the page says.

usage: manpages.py DRIVE PAGE... -- COMPILER... -- FLAGS...

The first display (.Bd) of EXAMPLES is the program, the second one its output.
DRIVE is its standard input; it runs where the captures are (SSDPM_CAPTURES). FLAGS come last on the compiler's command line.
The examples of the other sections call the command: tests/cli runs them.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from common import Faults  # noqa: E402

# By the section of the manual; those in OPTIONAL may be left out.
SECTIONS = {
    ".3": [
        "NAME", "SYNOPSIS", "DESCRIPTION", "RETURN VALUES", "EXAMPLES", "ERRORS",
        "SEE ALSO", "STANDARDS", "HISTORY",
    ],
    ".5": [
        "NAME", "SYNOPSIS", "DESCRIPTION", "FILES", "EXAMPLES", "SEE ALSO", "STANDARDS",
        "HISTORY",
    ],
    ".7": ["NAME", "DESCRIPTION", "EXAMPLES", "SEE ALSO", "STANDARDS"],
}  # fmt: skip
OPTIONAL = {".3": ["STANDARDS"], ".5": ["SYNOPSIS", "FILES", "STANDARDS"], ".7": ["STANDARDS"]}
WARNINGS = "-std=c99 -pedantic -Wall -Wextra -Werror".split()


def unescape(text: str) -> str:
    """Text of a literal display as the reader sees it."""
    text = re.sub(r"^\\&", "", text, flags=re.MULTILINE)
    return text.replace(r"\-", "-").replace(r"\e", "\\")


def displays(page: str) -> list[str]:
    found = re.search(r"^\.Sh EXAMPLES\n(.*?)^\.Sh ", page, re.M | re.S)
    section = found.group(1) if found else ""
    blocks = re.findall(r"^\.Bd [^\n]*\n(.*?)^\.Ed", section, re.M | re.S)
    return [unescape(block) for block in blocks]


def check_example(
    path: pathlib.Path,
    drive: str,
    compiler: list[str],
    flags: list[str],
    faults: Faults,
) -> None:
    found = displays(path.read_text())
    if len(found) < 2:
        faults.add(f"{path.name}: EXAMPLES needs a program and its output")
        return
    program, wanted = found[:2]
    with tempfile.TemporaryDirectory() as directory:
        source = pathlib.Path(directory) / "example.c"
        source.write_text(program)
        binary = str(source.with_suffix(""))
        command = [*compiler, *WARNINGS, str(source), "-o", binary, *flags]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            faults.add(f"{path.name}: the example does not compile\n{done.stderr}")
            return
        with open(drive, "rb") as file:
            done = subprocess.run(
                [binary],
                stdin=file,
                capture_output=True,
                text=True,
                cwd=os.environ["SSDPM_CAPTURES"],
            )
    if done.returncode or done.stdout != wanted:
        faults.add(
            f"{path.name}: the example exits with {done.returncode} and prints\n"
            f"{done.stdout}{done.stderr}instead of\n{wanted}"
        )


def check_sections(path: pathlib.Path, faults: Faults) -> None:
    sections = re.findall(r"^\.Sh (.*)", path.read_text(), re.MULTILINE)
    wanted = [
        name
        for name in SECTIONS[path.suffix]
        if name in sections or name not in OPTIONAL[path.suffix]
    ]
    if sections != wanted:
        faults.add(f"{path.name}: sections are {sections}, not {wanted}")


def main() -> None:
    arguments = sys.argv[1:]
    if arguments.count("--") != 2:
        sys.exit(__doc__)
    first = arguments.index("--")
    second = arguments.index("--", first + 1)
    drive, *pages = arguments[:first]
    faults = Faults()
    for page in pages:
        path = pathlib.Path(page)
        check_sections(path, faults)
        if path.suffix != ".3":
            continue
        check_example(
            path, drive, arguments[first + 1 : second], arguments[second + 1 :], faults
        )
    faults.report("make the page say what the code does")


if __name__ == "__main__":
    main()
