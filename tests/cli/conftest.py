# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest
from command import Command

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "captures"))
import machines  # noqa: E402

# What is started here would go on ignoring it where these run under nohup.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def ssdpm(tmp_path: pathlib.Path) -> Command:
    return Command(tmp_path)


@pytest.fixture
def machine(tmp_path: pathlib.Path) -> Callable[[str], pathlib.Path]:
    """Write a machine of tests/captures/machines.py; return its root."""

    def write(name: str) -> pathlib.Path:
        root = tmp_path / "machines" / name
        machines.write(name, root)
        return root

    return write


@pytest.fixture
def unprivileged(
    ssdpm: Command,
) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run the command as a user without privileges; all may read its directory."""

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        for folder in (ssdpm.directory, *ssdpm.directory.parents):
            if folder.is_relative_to("/tmp/") or folder.name.startswith("pytest-"):
                folder.chmod(folder.stat().st_mode | 0o055)
        command = ["ssdpm", *arguments]
        if os.geteuid() == 0:
            who = ["--reuid=65534", "--regid=65534", "--clear-groups"]
            command = ["setpriv", *who, "--", *command]
        return subprocess.run(
            command,
            cwd=ssdpm.directory,
            env=ssdpm.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
            check=False,
        )

    return run
