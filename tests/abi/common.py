# SPDX-License-Identifier: MIT
"""What the ABI tests share: tools that are run, faults that are collected."""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import subprocess
import sys

# A test sets sys.dont_write_bytecode before it imports this module, so that a
# run leaves no __pycache__ in the source tree.


# Names that the tools add: instrumentation, and what each object has.
INSTRUMENTATION = re.compile(
    r"__(asan|ubsan|tsan|msan|lsan|sanitizer|gcov|llvm|sancov|odr_asan)"
    r"|_(init|fini|edata|end)$|__bss_start|mcount$|__cyg_profile"
)


def run(*command: str) -> str:
    """The standard output of a command that must succeed."""
    # Tools speak the language of the user otherwise.
    env = dict(os.environ, LC_ALL="C")
    done = subprocess.run(command, stdout=subprocess.PIPE, env=env, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}")
    return done.stdout


def on_target(program: list[str]) -> list[str]:
    """The command that runs a program of another machine, as meson has it."""
    return [*shlex.split(os.environ.get("MESON_EXE_WRAPPER", "")), *program]


def parts(path: pathlib.Path) -> dict[str, str]:
    """The texts of a file, each below a line "== NAME =="."""
    _, *rest = re.split(r"^== (.*) ==\n", path.read_text(), flags=re.M)
    return dict(zip(rest[::2], rest[1::2]))


def nm(*arguments: str) -> set[str]:
    """Names that nm lists, without symbol versions and what tools add."""
    lines = run(os.environ.get("NM", "nm"), *arguments).splitlines()
    # Object names end in a colon; absolute symbols are the version nodes.
    names = {
        line.split()[-1].split("@")[0]
        for line in lines
        if len(line.split()) >= 2 and line.split()[-2] != "A"
    }
    return {name for name in names if not INSTRUMENTATION.match(name)}


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)


def without_directives(text: str) -> str:
    """Text of a header without comments and preprocessor lines."""
    text = without_comments(text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.MULTILINE)


def core_headers(include: str) -> list[pathlib.Path]:
    """Of libssdpm: ssdpm.h and ssdpm/*.h."""
    root = pathlib.Path(include)
    return [root / "ssdpm.h", *sorted((root / "ssdpm").glob("*.h"))]


def energy_headers(include: str) -> list[pathlib.Path]:
    """Of libssdpm-energy: ssdpm-energy.h and ssdpm/energy/*.h."""
    root = pathlib.Path(include)
    return [root / "ssdpm-energy.h", *sorted((root / "ssdpm/energy").glob("*.h"))]


def public_headers(include: str) -> list[pathlib.Path]:
    return [*core_headers(include), *energy_headers(include)]


def page_of(header: pathlib.Path) -> str:
    """The manual page has the word of its header; some share one with another."""
    shared = {"background": "measure", "calibrate-state": "calibrate", "survey-file": "survey", "survey-result": "survey"}
    word = shared.get(header.stem, header.stem)
    return f"ssdpm_{word}.3"


class Faults:
    """Collects faults; report() prints them and ends the program."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def add(self, message: str) -> None:
        self.messages.append(message)

    def report(self, mend: str) -> None:
        if not self.messages:
            sys.exit(0)
        for message in self.messages:
            print(message)
        print(f"To mend it: {mend}")
        sys.exit(1)
