# SPDX-License-Identifier: MIT
"""The command as its users meet it: a process, files, pipes, exit statuses."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import select
import struct
import subprocess
from collections.abc import Iterator
from typing import Any

import documented

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / os.environ.get("SSDPM_BUILD", "build")
COMMAND = BUILD / "examples/ssdpm/ssdpm"
EXAMPLE = TOP / "examples/drives/wd-blue-sn550.json"


@functools.cache
def sanitizer() -> str:
    """The shared runtime of a build with sanitizers, which has to be loaded first."""
    needed = subprocess.run(["ldd", COMMAND], capture_output=True, text=True, check=True)
    for line in needed.stdout.splitlines():
        if "libclang_rt.asan" in line:
            return f"{line.split()[2]}:"
    return ""


def preloaded(library: pathlib.Path) -> str:
    """What LD_PRELOAD has to be."""
    return f"{sanitizer()}{library}"


def identify(model: dict[str, Any]) -> bytes:
    """The Identify Controller structure of a drive given as our JSON."""
    data = bytearray(4096)
    struct.pack_into("<H", data, 0, model["vendor_id"])
    data[24:64] = model["product"].encode().ljust(40)
    data[64:72] = model["firmware"].encode().ljust(8)
    data[263] = len(model["states"]) - 1
    data[265] = model["apsta"]
    for i, state in enumerate(model["states"]):
        data[2048 + 32 * i : 2080 + 32 * i] = descriptor(state)
    return bytes(data)


def descriptor(state: dict[str, Any]) -> bytes:
    """One Power State Descriptor; powers in 0.01 W, or in 0.0001 W below."""
    fine = state["max_power_uw"] % 10000 != 0 or not state["operational"]
    idle, active = state["idle_power_uw"], state["active_power_uw"]
    return struct.pack(
        "<HBBII4BHBBHB9x",
        state["max_power_uw"] // (100 if fine else 10000),
        0,
        int(fine) | (0 if state["operational"] else 2),
        state["entry_latency_us"],
        state["exit_latency_us"],
        state["read_throughput_rank"],
        state["read_latency_rank"],
        state["write_throughput_rank"],
        state["write_latency_rank"],
        0 if idle is None else idle // 100,
        0 if idle is None else 1 << 6,
        0,
        0 if active is None else active // 10000,
        (0 if active is None else 2 << 6) | state["active_power_workload"],
    )


def parts_shown(process: subprocess.Popen[bytes], terminal: int) -> Iterator[bytes]:
    """Yield what a terminal shows until a process ends; its slave must be open here, too.

    If nobody has the slave open, a kernel may drop what was not read yet.
    """
    while True:
        ended = process.poll() is not None
        if select.select([terminal], [], [], 0.05)[0]:
            yield os.read(terminal, 65536)
        elif ended:
            return


def read_question(process: subprocess.Popen[bytes], terminal: int) -> bytes:
    """All that is shown until a question waits for its answer."""
    shown = b""
    for part in parts_shown(process, terminal):
        shown += part
        if b"[y/N] " in shown:
            return shown
    raise AssertionError(shown)


def read_terminal(process: subprocess.Popen[bytes], terminal: int, slave: int) -> bytes:
    """All that is shown until a process ends; closes both ends of its terminal."""
    shown = b"".join(parts_shown(process, terminal))
    os.close(slave)
    os.close(terminal)
    return shown


class Command:
    """Runs ssdpm in a directory of its own that holds three files with a drive.

    drive.json and drive.bin are the example, for which Linux has a quirk; plain.json
    is the same under a name that Linux does not know. Lines are whole, as a test of
    words needs them; a test of screens sets wide to False.
    """

    wide = True

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = directory
        self.example = json.loads(EXAMPLE.read_text())
        (directory / "drive.json").write_text(EXAMPLE.read_text())
        (directory / "drive.bin").write_bytes(identify(self.example))
        self.plain = {**self.example, "product": "A plain drive"}
        (directory / "plain.json").write_text(json.dumps(self.plain, indent=2))
        (directory / "bin").mkdir()
        (directory / "bin/ssdpm").symlink_to(COMMAND)
        path = f"{directory}/bin:{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path}

    def __call__(
        self, *arguments: str, stdin: bytes | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        result = subprocess.run(
            ["ssdpm", *arguments],
            cwd=self.directory,
            env=self.environment,
            input=stdin,
            stdin=None if stdin is not None else subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
            check=False,
        )
        # Whatever a test makes the command print is in ssdpm-json(5).
        options = arguments[: (*arguments, "--").index("--")]
        if "--json" in options and result.stdout:
            documented.check_answer(result.stdout, result.returncode)
        return result

    def widened(self, arguments: tuple[str, ...]) -> tuple[str, ...]:
        if not self.wide or not arguments or arguments[0] == "help" or arguments[0][:1] == "-":
            return arguments
        end = (*arguments, "--").index("--")
        return (*arguments[:end], "--wide", *arguments[end:])

    def output(self, *arguments: str, stdin: bytes | None = None) -> str:
        result = self(*self.widened(arguments), stdin=stdin)
        assert result.returncode == 0, result.stderr.decode()
        return result.stdout.decode()

    def json(self, *arguments: str) -> Any:
        """The item that --json lists; all of them where it is not one."""
        return documented.listed(self.output(*arguments, "--json"))

    def fails(
        self, status: int, *arguments: str, stdin: bytes | None = None
    ) -> str:
        """Fails with this status, prints nothing, and says why in one line."""
        result = self(*arguments, stdin=stdin)
        message = result.stderr.decode()
        assert result.returncode == status, message
        assert result.stdout == b""
        assert message.startswith("ssdpm")
        assert message.endswith("\n") and message.count("\n") == 1, message
        return message.rstrip("\n")

    def fails_with_output(self, status: int, *arguments: str) -> str:
        """Fails with this status, says why on standard output, and nothing else."""
        result = self(*arguments)
        assert result.returncode == status, result.stderr
        assert result.stderr == b""
        return result.stdout.decode()

    def run(
        self, *words: str | pathlib.Path, cwd: pathlib.Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Any program."""
        return subprocess.run(
            words,
            cwd=cwd or self.directory,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def shell(self, line: str) -> subprocess.CompletedProcess[str]:
        return self.run("bash", "-c", line)

    def write(self, name: str, content: bytes | str | dict[str, Any]) -> str:
        if isinstance(content, dict):
            content = json.dumps(content, indent=1)
        if isinstance(content, str):
            content = content.encode()
        (self.directory / name).write_bytes(content)
        return name
