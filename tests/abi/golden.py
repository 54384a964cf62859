#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program prints exactly what a file says.

usage: golden.py [--update] EXPECTED PROGRAM [ARGUMENT...]

--update writes EXPECTED anew; read its diff before you commit it.
"""

import difflib
import pathlib
import subprocess
import sys


def main() -> None:
    arguments = sys.argv[1:]
    update = arguments[:1] == ["--update"]
    if update:
        arguments = arguments[1:]
    if len(arguments) < 2:
        sys.exit(__doc__)
    expected, *command = arguments
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{command[0]}: exit status {done.returncode}")
    if update:
        pathlib.Path(expected).write_text(done.stdout)
        return
    wanted = pathlib.Path(expected).read_text()
    if done.stdout == wanted:
        return
    sys.stdout.writelines(
        difflib.unified_diff(
            wanted.splitlines(keepends=True),
            done.stdout.splitlines(keepends=True),
            pathlib.Path(expected).name,
            pathlib.Path(command[0]).name,
        )
    )
    sys.exit("To mend it: if the new text is right, run this with --update first")


if __name__ == "__main__":
    main()
