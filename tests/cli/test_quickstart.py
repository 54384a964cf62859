# SPDX-License-Identifier: MIT
"""examples/quickstart, on machines with drives and without; nothing is built."""

from __future__ import annotations

import pathlib
import subprocess
from collections.abc import Callable

import pytest
from command import COMMAND, TOP, Command

Make = Callable[[str], pathlib.Path]
Quickstart = Callable[[pathlib.Path], str]


@pytest.fixture
def quickstart(tmp_path: pathlib.Path, ssdpm: Command) -> Quickstart:
    """Run the script in a tree where all is installed and built already."""
    tree = tmp_path / "tree"
    (tree / "examples").mkdir(parents=True)
    (tree / "examples/quickstart").write_bytes((TOP / "examples/quickstart").read_bytes())
    (tree / "examples/quickstart").chmod(0o755)
    (tree / "examples/packages.sh").write_text("need_packages() { :; }\n")
    (tree / "examples/drives").symlink_to(TOP / "examples/drives")
    (tree / "build/examples/ssdpm").mkdir(parents=True)
    (tree / "build/examples/ssdpm/ssdpm").symlink_to(COMMAND)
    (tree / "build/build.ninja").touch()
    (ssdpm.directory / "bin/ninja").symlink_to("/bin/true")

    def run(capture: pathlib.Path) -> str:
        result = subprocess.run(
            # Relative, as a person gives it.
            [tree / "examples/quickstart", capture.name],
            cwd=capture.parent,
            env=ssdpm.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        # The main job is done, whatever the machine has.
        assert "WDC PC SN530: mean power (nominal)" in result.stdout
        assert (tree / "build/quickstart/sn530.html").exists()
        return result.stdout

    return run


def test_a_machine_with_drives_is_shown_with_its_diagnosis(
    quickstart: Quickstart, desktop: pathlib.Path, ssdpm: Command
) -> None:
    output = quickstart(desktop)
    assert ssdpm.output("list", "--root", str(desktop)) in output
    shown = ssdpm.output("show", "--root", str(desktop))
    assert "! LPM is off" in shown and shown in output
    assert "apst --explain" not in output


def test_without_drives_it_is_a_drive_of_the_examples(
    quickstart: Quickstart, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "bare/sys").mkdir(parents=True)
    output = quickstart(tmp_path / "bare")
    assert "$ ssdpm apst --explain examples/drives/wd-blue-sn550.json\n" in output
    assert "PS3  used" in output and "ssdpm list" not in output


def test_a_drive_that_cannot_be_read_does_not_stop_it(
    quickstart: Quickstart, machine: Make
) -> None:
    output = quickstart(machine("hostile"))
    assert "$ ssdpm list" in output and "$ ssdpm show" in output


HIDE = ["unshare", "--mount", "sh", "-c"]


@pytest.mark.parametrize(
    ("machine_without", "lacking"),
    [
        (
            [*HIDE, 'mount -t tmpfs none /sys && exec "$@"', "sh"],
            "no /sys: try: mount -t sysfs sysfs /sys",
        ),
        (
            [*HIDE, 'mount -t tmpfs none /dev && exec "$@"', "sh"],
            "no loop devices: try: modprobe loop, or a container with --privileged",
        ),
        (
            ["setpriv", "--bounding-set=-sys_admin"],
            "no right to mount: try: a container with --privileged",
        ),
    ],
)
def test_tests_run_says_what_the_machine_lacks_before_it_begins(
    machine_without: list[str], lacking: str
) -> None:
    result = subprocess.run(
        [*machine_without, TOP / "tests/run"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert f"tests/run: {lacking}\n" in result.stderr
