# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

import pytest
from command import BUILD, COMMAND, Command

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "captures"))
import machines  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def this_machine_is_left_alone() -> Iterator[None]:
    before = machines.own_settings()
    yield
    assert machines.own_settings() == before

# The tests inherit ignored signals from nohup or from a shell's background job,
# and the programs that they start would go on ignoring them.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what the examples print into the man pages and the README",
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


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
def laptop(machine: Callable[[str], pathlib.Path]) -> pathlib.Path:
    return machine("laptop")


@pytest.fixture
def desktop(machine: Callable[[str], pathlib.Path]) -> pathlib.Path:
    return machine("desktop-6.1")


@pytest.fixture
def eight_drives(machine: Callable[[str], pathlib.Path]) -> pathlib.Path:
    return machine("eight-drives")


@pytest.fixture(scope="session")
def public_command() -> Iterator[pathlib.Path]:
    """A copy of the command that all users may run: the checkout may be in a home
    that they cannot enter."""
    with tempfile.TemporaryDirectory(prefix="ssdpm-", dir="/tmp") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        for program in (COMMAND, COMMAND.with_name("ssdpm-energy")):
            shutil.copy(program, folder)
        for library in (BUILD / "lib").glob("**/libssdpm*.so.0"):
            shutil.copy(library, folder)
        yield folder / COMMAND.name


@pytest.fixture
def unprivileged(
    ssdpm: Command, public_command: pathlib.Path
) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run the command as a user without privileges; all may read its directory."""

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        for folder in (ssdpm.directory, *ssdpm.directory.parents):
            if folder.is_relative_to("/tmp/") or folder.name.startswith("pytest-"):
                folder.chmod(folder.stat().st_mode | 0o055)
        command = [str(public_command), *arguments]
        if os.geteuid() == 0:
            who = ["--reuid=65534", "--regid=65534", "--clear-groups"]
            command = ["setpriv", *who, "--", *command]
        return subprocess.run(
            command,
            cwd=ssdpm.directory,
            env={**ssdpm.environment, "LD_LIBRARY_PATH": str(public_command.parent)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
            check=False,
        )

    return run
