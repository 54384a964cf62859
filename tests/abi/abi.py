#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library's binary interface against the one that is committed.

usage: abi.py [--update] LIBRARY BASELINE INCLUDE_DIR

LIBRARY needs debug information (meson's default buildtype has it). --update
writes BASELINE anew; read its diff before you commit it:

    python3 tests/abi/abi.py --update build/lib/libssdpm.so \\
        tests/abi/libssdpm.abi include
    python3 tests/abi/abi.py --update build/lib/energy/libssdpm-energy.so \\
        tests/abi/libssdpm-energy.abi include
"""

import os
import pathlib
import subprocess
import sys
import tempfile

# Nothing of the machine that wrote it: no path, line, processor or libc.
ABIDW = """abidw --no-comp-dir-path --no-corpus-path --no-show-locs --short-locs
--no-architecture --no-elf-needed --drop-undefined-syms --drop-private-types
--no-write-default-sizes --type-id-style hash""".split()
LICENCE = "<!-- SPDX-License-Identifier: MIT -->\n"


def write(library: str, include: str, path: str) -> None:
    command = [*ABIDW, "--headers-dir", include, "--out-file", path, library]
    subprocess.run(command, check=True)


def update(library: str, baseline: str, include: str) -> None:
    write(library, include, baseline)
    # abidiff knows the format by the first line, so ours is the second.
    first, rest = pathlib.Path(baseline).read_text().split("\n", 1)
    pathlib.Path(baseline).write_text(f"{first}\n  {LICENCE}{rest}")


def compare(library: str, baseline: str, include: str) -> int:
    # Both sides go through abidw, so that both are cut to the same facts.
    with tempfile.TemporaryDirectory() as directory:
        now = os.path.join(directory, "now.abi")
        write(library, include, now)
        # Additions pass: old programs do not see them. The list of symbols is
        # compared by symbols.py.
        done = subprocess.run(
            ["abidiff", "--no-added-syms", "--no-default-suppression", baseline, now]
        )
    return done.returncode


def main() -> None:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--update"] and len(arguments) == 4:
        update(*arguments[1:])
        return
    if len(arguments) != 3:
        sys.exit(__doc__)
    status = compare(*arguments)
    if status:
        print(
            "To mend it: give the old interface back. Only before the first "
            "release, or with a new soname and a line in NEWS.md: "
            "python3 tests/abi/abi.py --update LIBRARY BASELINE INCLUDE_DIR"
        )
        sys.exit(1)


if __name__ == "__main__":
    main()
