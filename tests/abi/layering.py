#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pure stages stay pure, each builds on those before it, the core never on energy.

usage: layering.py SOURCE_DIR BUILD_DIR

Reads the #include lines of lib/ and include/, and the undefined names of every
object of the library (compile_commands.json says which they are).
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import sys
from typing import NamedTuple

sys.dont_write_bytecode = True

from common import (  # noqa: E402
    INSTRUMENTATION,
    Faults,
    public_headers,
    run,
    without_comments,
)

# Stages of several folders.
DEVICE = ("device", "device/capture", "device/command", "device/diagnose")
APPLY = ("apply", "apply/persist", "apply/record")
# The folders of lib/, and those whose headers each may include: the public ones of
# all, and the private ones of base and of what INTERNALS names.
CORE = {
    "base": set(),
    "model": {"base"},
    "policy": {"base", "model"},
    **dict.fromkeys(DEVICE, {"base", "model", "policy", *DEVICE}),
    **dict.fromkeys(APPLY, {"base", "model", "policy", *DEVICE, *APPLY}),
    "intent": {"base", "model", "policy", *DEVICE, *APPLY},
    "object": {"base", "model", "policy", *DEVICE, *APPLY},
}
# Stages in which no file calls one that leads back to it.
ACYCLIC = {"device", "apply"}
# The second library: of the core it sees base, and what any program sees.
SEEN = {"base", "model", "policy"}
WORK = {*SEEN, "energy/common", "energy/workload"}
ESTIMATE = {*WORK, "energy/estimate"}
LIKELY = {*ESTIMATE, "energy/likely"}
SIGNAL = {*WORK, "energy/power", "energy/measure"}
ENERGY = {
    "energy/common": SEEN,
    "energy/workload": {"base", "energy/common"},
    "energy/workload/generator": {"base", "energy/common", "energy/workload", "energy/workload/everyday"},
    "energy/workload/everyday": {"base", "energy/common", "energy/workload", "energy/workload/generator"},
    "energy/evidence": SEEN,
    "energy/estimate": {*WORK, "energy/evidence"},
    "energy/workload/binary": {"base", "energy/common", "energy/workload"},
    "energy/likely": {*ESTIMATE, "energy/measure"},
    "energy/recommend": LIKELY,
    "energy/writes": ESTIMATE,
    "energy/caps": {*ESTIMATE, "energy/writes"},
    "energy/budget": {*ESTIMATE, "energy/caps"},
    "energy/power": {*WORK, "energy/measure"},
    "energy/measure": {*WORK, "energy/power"},
    "energy/background": SIGNAL,
    "energy/compare": {*LIKELY, "energy/recommend"},
    "energy/consistency": {*SIGNAL, "device"},
    "energy/calibrate": {*SIGNAL, "energy/estimate"},
    "energy/survey": SIGNAL,
    "energy/json": {
        *SIGNAL, *ESTIMATE, "energy/background", "energy/budget", "energy/caps", "energy/compare",
        "energy/consistency", "energy/likely", "energy/recommend", "energy/survey", "energy/writes", "device",
    },
    "energy/tracer": {"base", "device", "energy/common"},
    "energy/suspend": {"base", "device", "policy", "energy/common", "energy/meters"},
    "energy/trial": {"base", "energy/common"},
    "energy/watch": {"base", "device", "energy/common", "energy/observe", "energy/tracer"},
    "energy/bisect": {*SEEN, "device", "energy/common"},
    "energy/faults": {"base"},
    "energy/lint": {"base", "model"},
    "energy/observe": LIKELY,
    "energy/report": {*ESTIMATE, "device", "apply", "energy/compare", "energy/likely", "energy/recommend", "energy/trial"},
    "energy/meters": {*SEEN, "device", "energy/power"},
}  # fmt: skip
STAGES = {**CORE, **ENERGY}
IO = {*DEVICE, *APPLY, "intent", "object", "energy/meters", "energy/report", "energy/suspend", "energy/tracer", "energy/watch"}
PURE = STAGES.keys() - IO
# Whose private headers a folder may include, beside its own and those of base.
INTERNALS = {
    **dict.fromkeys(DEVICE, {*DEVICE}),
    # What a profile's settings come to together, and which values they may have.
    **dict.fromkeys(APPLY, {"policy", "device", *APPLY}),
    "intent": {"policy", "apply", "device"},
    # Which of the findings of a drive is a risk.
    "object": {"device"},
    **{name: {one for one in seen if one.startswith("energy/")} for name, seen in ENERGY.items()},
}

PURE_HEADERS = {
    "assert.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdarg.h",
    "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h",
}  # fmt: skip
# What the build makes of lib/data/ and of tables of keys.
KEYS = (
    "background", "bisect", "budget", "evenness", "idle-state", "overlay", "prediction", "results",
    "samples", "survey", "suspend", "watch", "workload",
)  # fmt: skip
PURE_HEADERS |= {"catalogue-data.h", "everyday.inc", "priors.inc", "published.inc", *(f"{name}-json.h" for name in KEYS)}
# What the pure stages may take from the system. None reads a clock, a file, the
# environment or the locale (%f in a format does: see check_formats), none
# prints or exits.
PURE_FUNCTIONS = {
    "memchr", "memcmp", "memcpy", "memmem", "memmove", "memset", "qsort", "snprintf",
    "strchr", "strcmp", "strcspn", "strlen", "strncmp", "strnlen", "strrchr", "strspn", "strstr",
    "vsnprintf",
}  # fmt: skip
ALLOCATION = {"malloc", "calloc", "realloc", "reallocarray", "strdup", "free"}
ALLOCATES_NOTHING = {"policy"}
# A trace may come from a descriptor that the caller opened and names: it is
# read, in one file, and no other is opened; one that is non-blocking is waited
# for. The libraries that unpack it work on memory alone.
FILES = {
    "energy/common/input.c": (
        {"poll.h", "unistd.h"},
        {"poll", "read", "__errno_location"},
    ),
    "base/dynamic.h": ({"dlfcn.h"}, set()),
    # Whether a disk is in use is asked of Linux.
    "energy/consistency/disk-use.c": (
        {
            "dirent.h", "fcntl.h", "linux/loop.h", "sys/ioctl.h", "sys/stat.h",
            "sys/sysmacros.h", "unistd.h",
        },
        {
            "__errno_location", "close", "closedir", "faccessat",
            "fclose", "fdopen", "fdopendir", "feof", "fstatat64", "getline", "getpid",
            "gnu_dev_makedev", "ioctl", "open64", "openat64", "readdir64", "readlinkat",
            "setvbuf", "sscanf",
        },
    ),
    "energy/common/unpack-bzip2.c": (
        {"bzlib.h"},
        {"BZ2_bzDecompress", "BZ2_bzDecompressEnd", "BZ2_bzDecompressInit"},
    ),
    "energy/common/unpack-lzma.c": (
        {"lzma.h"},
        {"lzma_code", "lzma_end", "lzma_stream_decoder"},
    ),
    "energy/common/unpack-zlib.c": (
        {"zlib.h"},
        {"inflate", "inflateEnd", "inflateInit2_", "inflateReset"},
    ),
    "energy/common/unpack-zstd.c": (
        {"zstd.h", "zstd_errors.h"},
        {
            "ZSTD_DCtx_setParameter",
            "ZSTD_createDCtx",
            "ZSTD_decompressStream",
            "ZSTD_freeDCtx",
            "ZSTD_getErrorCode",
            "ZSTD_getErrorName",
            "ZSTD_isError",
        },
    ),
}
FLOAT_FORMAT = re.compile(r"%[-+ #0']*[\d*]*(?:\.[\d*]*)?[Ll]?[aAeEfFgG]")
# Names that compilers put in: position independence, -fstack-protector, clang's
# memcmp, division of 128 bits, and the end of assert(3), which is for our own
# mistakes only.
COMPILER = {"_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail", "bcmp", "__assert_fail"}
COMPILER |= {"__divti3", "__udivti3", "__umodti3", "__udivmodti4"}
# And how many bits are set, and snprintf of words alone.
COMPILER |= {"__popcountdi2", "strcpy"}

def stage_of(include: str, here: str) -> tuple[str, bool] | None:
    """The folder that a header belongs to, and whether it is a private one."""
    public = re.match(r"ssdpm/(energy/)?([\w-]+)\.h$", include)
    if public:
        name = (public.group(1) or "") + public.group(2).removesuffix("-file")
        name = name.removesuffix("-result").removesuffix("-state")
        return name, False
    if "/" not in include or include.split("/")[0] in ("sys", "linux", "scsi"):
        return None
    name = include.rsplit("/", 1)[0]
    # lib/energy is in the way of its sources, too.
    energy = here.startswith("energy/") and f"energy/{name}" in ENERGY
    return (f"energy/{name}" if energy else name), True


def check_include(where: str, stage: str, name: str, faults: Faults) -> bool:
    """Is it a header of ours?"""
    found = stage_of(name, stage)
    if not found:
        return False
    used, private = found
    if used not in STAGES:
        faults.add(f"{where}: {name} is of no stage that this test knows")
    elif used != stage and used not in STAGES[stage]:
        faults.add(f"{where}: {stage} includes {name} of {used}")
    elif private and used not in {stage, "base", *INTERNALS.get(stage, ())}:
        faults.add(f"{where}: {stage} includes {name}, internals of {used}")
    return True


def check_includes(path: pathlib.Path, stage: str, faults: Faults) -> None:
    headers, _ = FILES.get(f"{stage}/{path.name}", (set(), set()))
    for line, text in enumerate(path.read_text().splitlines(), 1):
        found = re.match(r"\s*#\s*include\s*[<\"]([^>\"]+)", text)
        if not found:
            continue
        name = found.group(1)
        where = f"{stage}/{path.name}:{line}"
        if check_include(where, stage, name, faults) or stage in IO:
            continue
        if name not in PURE_HEADERS | headers:
            faults.add(f"{where}: the pure stage {stage} includes {name}")


def check_formats(path: pathlib.Path, faults: Faults) -> None:
    text = without_comments(path.read_text())
    for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', text):
        if FLOAT_FORMAT.search(literal):
            faults.add(
                f'{path.parent.name}/{path.name}: "{literal}" prints with the '
                "decimal point of the locale"
            )


class Symbol(NamedTuple):
    name: str
    type: str
    section: str


def objects(
    source: pathlib.Path, build: pathlib.Path
) -> dict[pathlib.Path, pathlib.PurePath]:
    """The objects of lib/ and their sources, from there on."""
    result = {}
    commands = json.loads((build / "compile_commands.json").read_text())
    for command in commands:
        directory = pathlib.Path(command["directory"])
        file = pathlib.Path(os.path.normpath(directory / command["file"]))
        if source / "lib" not in file.parents:
            continue
        result[directory / command["output"]] = file.relative_to(source / "lib")
    return result


def symbols(files: list[pathlib.Path]) -> dict[pathlib.Path, list[Symbol]]:
    """The symbols of each object, from one run of nm."""
    result: dict[pathlib.Path, list[Symbol]] = {}
    here: list[Symbol] = []
    for line in run("nm", "-f", "sysv", *map(str, files)).splitlines():
        found = re.match(r"\w.* from (.*):$", line)
        if found:
            here = result.setdefault(pathlib.Path(found.group(1)), [])
        columns = [column.strip() for column in line.split("|")]
        if len(columns) >= 7:
            here.append(Symbol(columns[0], columns[3], columns[6]))
    missing = set(files) - result.keys()
    if missing:
        sys.exit(f"nm says nothing of {', '.join(map(str, sorted(missing)))}")
    return result


def check_calls(
    object_file: pathlib.Path,
    file: pathlib.PurePath,
    names: list[Symbol],
    faults: Faults,
) -> None:
    stage = file.parent.as_posix()
    _, functions = FILES.get(file.as_posix(), (set(), set()))
    allowed = PURE_FUNCTIONS | COMPILER | functions
    if stage not in ALLOCATES_NOTHING:
        allowed = allowed | ALLOCATION
    for name in sorted({symbol.name for symbol in names if symbol.section == "*UND*"}):
        # __memcpy_chk is memcpy with _FORTIFY_SOURCE; glibc has a name for each
        # version of C that sscanf() may be of.
        plain = re.sub(r"^__(\w+)_chk$", r"\1", name)
        plain = re.sub(r"^__isoc\d+_", "", plain)
        if name.startswith("ssdpm_") or INSTRUMENTATION.match(name):
            continue
        if not {name, plain} & allowed:
            faults.add(f"{object_file.name}: {stage} calls {name}")


def check_globals(
    object_file: pathlib.Path, names: list[Symbol], faults: Faults
) -> None:
    """What can be written to is in .data or .bss; .data.rel.ro is constant."""
    for symbol in names:
        if symbol.type != "OBJECT":
            continue
        instrumented = re.match(r"\.L|__|\.?Lubsan|llvm", symbol.name)
        if re.match(r"\.(data|bss|tdata|tbss)(?!\.rel\.ro)", symbol.section):
            if not instrumented:
                faults.add(
                    f"{object_file.name}: {symbol.name} is a global in {symbol.section}"
                )


def check_circles(
    found: dict[pathlib.Path, pathlib.PurePath],
    names: dict[pathlib.Path, list[Symbol]],
    faults: Faults,
) -> None:
    """Calls go down: no file is reached from one that it calls."""
    chosen = {f: o for o, f in found.items() if f.parts[0] in ACYCLIC}
    homes = {
        symbol.name: file
        for file, path in chosen.items()
        for symbol in names[path]
        if symbol.section != "*UND*" and symbol.name.startswith("ssdpm_")
    }
    calls = {
        file: {homes[s.name] for s in names[path] if s.name in homes} - {file}
        for file, path in chosen.items()
    }
    # What calls nothing that is left cannot be in a circle.
    while lowest := [file for file in calls if not calls[file] & calls.keys()]:
        for file in lowest:
            del calls[file]
    for file in sorted(calls):
        faults.add(f"lib/{file}: it calls a file that leads back to it")


def check_names(library: pathlib.Path, public: set[str], faults: Faults) -> None:
    """A file and a structure are found by their names: no two have the same one.

    abidw knows a public header by its name. What is opaque would be in the baseline, if
    a private header had the same one.
    """
    found: dict[str, pathlib.Path] = {}
    tags: dict[str, pathlib.Path] = {}
    for path in sorted(library.rglob("*.[ch]")):
        if path.name != "internal.h" and path.name in found:
            faults.add(f"{path} has the name of {found[path.name]}")
        if path.name in public:
            faults.add(f"{path} has the name of a public header")
        found[path.name] = path
        for tag in re.findall(r"^struct (\w+) \{", path.read_text(), re.M):
            if tag in tags:
                faults.add(f"struct {tag} is in {path} and in {tags[tag]}")
            tags[tag] = path


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, build = (pathlib.Path(os.path.abspath(path)) for path in sys.argv[1:])
    faults = Faults()
    library = source / "lib"
    for path in sorted(library.rglob("*.[ch]")):
        stage = path.parent.relative_to(library).as_posix()
        if stage not in STAGES:
            faults.add(f"lib/{stage}/{path.name}: of no stage that this test knows")
            continue
        check_includes(path, stage, faults)
        if stage in PURE:
            check_formats(path, faults)
    headers = public_headers(str(source / "include"))
    check_names(library, {header.name for header in headers}, faults)
    for header in headers:
        name = header.relative_to(source / "include").as_posix()
        found = stage_of(name, "")
        if found:
            check_includes(header, found[0], faults)
    found = objects(source, build)
    if not found:
        sys.exit("compile_commands.json names no source of lib/: nothing was checked")
    names = symbols(sorted(found))
    for object_file, file in sorted(found.items()):
        check_globals(object_file, names[object_file], faults)
        if file.parent.as_posix() in PURE:
            check_calls(object_file, file, names[object_file], faults)
    check_circles(found, names, faults)
    faults.report(
        "move what touches the world to device or apply, or pass it in; a "
        "harmless function goes into a list in tests/abi/layering.py"
    )


if __name__ == "__main__":
    main()
