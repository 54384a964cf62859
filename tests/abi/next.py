#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Old programs run with the next libraries, and next programs with the old ones.

usage: next.py [--plant] SOURCE_DIR OLD_BUILD_DIR NEXT_DIR [MESON_OPTION...]

NEXT_DIR gets a copy of the sources that is one version ahead: each sized structure
has one member more, each enum of numbers one value more, and there is one operation
more. It is built as OLD_BUILD_DIR was, with the options. Both should have ASan: it
sees a byte that is written beyond the structure of a caller.

--plant puts in the fault that this is for: a library that fills a structure as far
as it knows it, and not as far as the caller has it. Then this has to fail.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

from common import Faults, parts, public_headers  # noqa: E402

SKIP = shutil.ignore_patterns(".git", "build*", "__pycache__")
STRUCT = re.compile(r"^(struct ssdpm_\w+ \{\n\tsize_t size;\n.*?)^\};", re.M | re.S)
ENUM = re.compile(r"^(enum ssdpm_(\w+) \{\n)(.*?)^\};", re.M | re.S)
EXAMPLES = ("apst-table", "show-states", "estimate")
SIZED = ("test-sized", "test-sized-energy")
FAULT = ("memcpy(dst, src, least(size, known));", "memcpy(dst, src, known);")


def more(enum: re.Match[str]) -> str:
    """An enum of numbers with the number after its last one."""
    head, name, body = enum.groups()
    if "<<" in body:
        return enum.group()
    last = re.findall(r"^\s*(SSDPM_\w+)\s*=", body, re.M)[-1]
    return f"{head}{body}\tSSDPM_NEXT_{name.upper()} = {last} + 1,\n}};"


def step_ahead(root: pathlib.Path) -> int:
    """Edit a copy of the sources. Return: how many structures have grown."""
    headers = public_headers(str(root / "include"))
    # What stands in another structure cannot grow: headers.py lists these.
    inside = set(re.findall(
        r"^\tstruct (\w+) \w+;", "".join(one.read_text() for one in headers), re.M
    ))  # fmt: skip
    grown = 0

    def longer(struct: re.Match[str]) -> str:
        if struct.group().split()[1] in inside:
            return struct.group()
        return struct.group(1) + "\tuint64_t next_member;\n};"

    for header in headers:
        text, n = STRUCT.subn(longer, header.read_text())
        text = re.sub(r"(#define SSDPM_N_OPS) 4\b", r"\1 5", ENUM.sub(more, text))
        header.write_text(text)
        grown += n
    return grown


def plant(root: pathlib.Path) -> None:
    source = root / "lib/base/error.c"
    text = source.read_text()
    if text.count(FAULT[0]) != 1:
        sys.exit(f"{source}: there is no place for the fault")
    source.write_text(text.replace(*FAULT))


def build(root: pathlib.Path, options: list[str]) -> pathlib.Path:
    folder = root / "build"
    if not folder.exists():
        subprocess.run(["meson", "setup", str(folder), str(root), *options], check=True)
    targets = [f"examples/minimal/{name}" for name in EXAMPLES]
    targets += [f"tests/unit/{name}" for name in SIZED] + ["tests/captures/stamp"]
    subprocess.run(["ninja", "-C", str(folder), "--quiet", *targets], check=True)
    return folder


def run(
    program: pathlib.Path, libraries: pathlib.Path, drive: pathlib.Path | None
) -> tuple[int, str]:
    env = dict(os.environ, LD_LIBRARY_PATH=f"{libraries}/lib:{libraries}/lib/energy")
    env["SSDPM_CAPTURES"] = str(libraries / "tests/captures")
    command = [str(program)] + ([str(drive)] if drive else [])
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout


def check(
    programs: pathlib.Path, libraries: pathlib.Path, source: pathlib.Path, faults: Faults
) -> None:
    drive = source / "examples/drives/wd-blue-sn550.json"
    expected = parts(source / "tests/abi/examples.txt")
    for name in EXAMPLES:
        program = programs / "examples/minimal" / name
        code, output = run(program, libraries, drive)
        if code or output != expected[name]:
            faults.add(f"{program} with {libraries}: exit status {code}\n{output}")
    for name in SIZED:
        program = programs / "tests/unit" / name
        code, _ = run(program, libraries, None)
        if code:
            faults.add(f"{program} with {libraries}: exit status {code}")


def main() -> None:
    arguments = sys.argv[1:]
    planted = arguments[:1] == ["--plant"]
    arguments = arguments[planted:]
    if len(arguments) < 3:
        sys.exit(__doc__)
    source, old, root = (pathlib.Path(path).resolve() for path in arguments[:3])
    shutil.copytree(source, root, ignore=SKIP, dirs_exist_ok=True)
    if step_ahead(root) < 40:
        sys.exit("hardly a structure has grown: are they read as they should be?")
    if planted:
        plant(root)
    ahead = build(root, arguments[3:])
    faults = Faults()
    check(old, ahead, source, faults)
    check(ahead, old, source, faults)
    faults.report("write no more than the size that the caller has set")


if __name__ == "__main__":
    main()
