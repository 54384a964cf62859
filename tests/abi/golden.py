#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program prints exactly what a file says.

usage: golden.py [--update] [--machine NAME] [--part PART] EXPECTED PROGRAM
                 [ARGUMENT...]

--part compares what stands below "== PART ==" in EXPECTED.
--update writes EXPECTED anew; read its diff before you commit it.
--machine makes a machine of tests/captures/machines.py, and gives its root to the
program as the last argument.
"""

import difflib
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "captures"))

import machines  # noqa: E402
from common import on_target, parts  # noqa: E402


def run(command: list[str], machine: "str | None") -> str:
    with tempfile.TemporaryDirectory() as folder:
        if machine:
            machines.write(machine, pathlib.Path(folder, machine))
            command = [*command, f"{folder}/{machine}"]
        # A script has its own way to run what is for another processor.
        if not command[0].endswith(".sh"):
            command = on_target(command)
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{command[0]}: exit status {done.returncode}")
    return done.stdout


def write(path: pathlib.Path, part: "str | None", text: str) -> None:
    if part:
        texts = {**parts(path), part: text}
        text = "".join(f"== {name} ==\n{one}" for name, one in texts.items())
    path.write_text(text)


def main() -> None:
    arguments = sys.argv[1:]
    update = arguments[:1] == ["--update"]
    if update:
        arguments = arguments[1:]
    machine = part = None
    if arguments[:1] == ["--machine"]:
        machine, *arguments = arguments[1:]
    if arguments[:1] == ["--part"]:
        part, *arguments = arguments[1:]
    if len(arguments) < 2:
        sys.exit(__doc__)
    expected, *command = arguments
    printed = run(command, machine)
    path = pathlib.Path(expected)
    if update:
        write(path, part, printed)
        return
    wanted = parts(path)[part] if part else path.read_text()
    if printed == wanted:
        return
    sys.stdout.writelines(
        difflib.unified_diff(
            wanted.splitlines(keepends=True),
            printed.splitlines(keepends=True),
            pathlib.Path(expected).name,
            pathlib.Path(command[0]).name,
        )
    )
    sys.exit("To mend it: if the new text is right, run this with --update first")


if __name__ == "__main__":
    main()
