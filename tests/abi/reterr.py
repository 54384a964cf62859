#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A call that succeeds leaves reterr as it was.

usage: reterr.py INCLUDE_DIR BUILD_DIR COMPILER... -- PROGRAM [ARGUMENT]... [-- PROGRAM...]

A library made from the headers stands before libssdpm: it hands each call on
with an error of its own, and looks whether a success has changed it. Programs
are the tests that call every function.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True

from common import Faults, on_target, public_headers, without_directives  # noqa: E402

HEAD = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <ssdpm-energy.h>

static int calls = -1;

static void poison(struct ssdpm_error *error)
{
	memset(error, 0x5a, sizeof(*error));
}

/* Once each. No allocation: the programs count them. */
static void note(const char *line, int *noted)
{
	if (!(*noted)++ && write(calls, line, strlen(line)) < 0)
		_exit(99);
}

static int is_changed(const struct ssdpm_error *error)
{
	struct ssdpm_error untouched;

	poison(&untouched);
	return memcmp(error, &untouched, sizeof(untouched)) != 0;
}
"""

WRAP = """
static {type} (*real_{name})({parameters});

{type} {name}({parameters})
{{
	static int called, changed;
	struct ssdpm_error own;
	{type} ret;

	poison(&own);
	ret = real_{name}({arguments});
	if (ret >= 0) {{
		note("+{name}\\n", &called);
		if (is_changed(&own))
			note("{name}\\n", &changed);
	}} else if (reterr) {{
		*reterr = own;
	}}
	return ret;
}}
"""


# A drive has to answer: test-backends.c, whose drive is not there, sees it succeed.
ELSEWHERE = {"ssdpm_machine_read_nvme_health"}


def argument(parameter: str) -> str:
    name = re.sub(r"\[.*", "", parameter).split()[-1].lstrip("*")
    return "&own" if name == "reterr" else name


def functions(include: str) -> list[tuple[str, str, str]]:
    """(type, name, parameters) of each function with a reterr."""
    text = "\n".join(
        without_directives(path.read_text()) for path in public_headers(include)
    )
    found = re.findall(r"SSDPM_API ([^;(]*?)(\w+)\s*\(([^;]*?)\);", text, re.S)
    return [
        (kind.strip(), name, " ".join(parameters.split()))
        for kind, name, parameters in found
        if "*reterr" in parameters
    ]


def source(include: str) -> str:
    wraps, loads = [], []
    for kind, name, parameters in functions(include):
        arguments = ", ".join(argument(one) for one in parameters.split(","))
        wraps.append(
            WRAP.format(type=kind, name=name, parameters=parameters, arguments=arguments)
        )
        loads.append(f'\treal_{name} = dlsym(RTLD_NEXT, "{name}");')
    start = "\n__attribute__((constructor)) static void start(void)\n{\n"
    start += '\tcalls = open(CALLS, O_WRONLY | O_APPEND | O_CLOEXEC);\n'
    return HEAD + "".join(wraps) + start + "\n".join(loads) + "\n}\n"


def build(include: str, folder: pathlib.Path, compiler: list[str]) -> pathlib.Path:
    library = folder / "reterr.so"
    log = folder / "calls"
    log.write_text("")
    code = folder / "reterr.c"
    code.write_text(source(include))
    command = [*compiler, "-shared", "-fPIC", "-O1", f"-I{include}"]
    command += [f'-DCALLS="{log}"', str(code), "-o", str(library), "-ldl"]
    subprocess.run(command, check=True)
    return library


def split(arguments: list[str]) -> list[list[str]]:
    """The lists between the arguments that are --."""
    lists: list[list[str]] = [[]]
    for one in arguments:
        if one == "--":
            lists.append([])
        else:
            lists[-1].append(one)
    return lists


def main() -> None:
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    include = sys.argv[1]
    folder = pathlib.Path(sys.argv[2]) / "reterr"
    folder.mkdir(exist_ok=True)
    compiler, *programs = split(sys.argv[3:])
    library = build(include, folder, compiler)
    env = dict(os.environ, LD_PRELOAD=str(library))
    faults = Faults()
    for program in programs:
        done = subprocess.run(on_target(program), env=env, stdout=subprocess.DEVNULL)
        if done.returncode:
            faults.add(f"{program[0]}: exit status {done.returncode}")
    lines = set((folder / "calls").read_text().splitlines())
    for _, name, _ in functions(include):
        if "+" + name not in lines and name not in ELSEWHERE:
            faults.add(f"{name}(): no program sees it succeed")
        if name in lines:
            faults.add(f"{name}(): it succeeds, and has changed reterr")
    faults.report("fill reterr only where the call fails, or call it in test-alloc.c")


if __name__ == "__main__":
    main()
