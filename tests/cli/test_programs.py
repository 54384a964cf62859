# SPDX-License-Identifier: MIT
"""ssdpm, which needs libssdpm alone, and ssdpm-energy, which has all commands."""

from __future__ import annotations

import pathlib
import shutil
from collections.abc import Callable

import pytest
from command import BUILD, COMMAND, Command

MISSING = "ssdpm-energy is not installed"
ENERGY = "workload estimate compare recommend budget consistency measure tune watch suspend bisect".split()


def put(ssdpm: Command, *programs: str) -> None:
    """These programs alone are in bin, not links to those of the build."""
    folder = ssdpm.directory / "bin"
    (folder / "ssdpm").unlink()
    for program in programs:
        shutil.copy(COMMAND.with_name(program), folder)
    libraries = f"{BUILD}/lib:{BUILD}/lib/energy"
    ssdpm.environment["LD_LIBRARY_PATH"] = libraries


@pytest.fixture
def alone(ssdpm: Command) -> Command:
    put(ssdpm, "ssdpm")
    return ssdpm


def commands(text: str) -> set[str]:
    lines = text.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    return {line.split()[0] for line in lines}


def test_help_and_completions_have_what_is_installed(ssdpm: Command) -> None:
    every = commands(ssdpm.output("--help"))
    assert set(ENERGY) < every
    completions = ssdpm.output("--completion", "fish")
    put(ssdpm, "ssdpm")
    assert commands(ssdpm.output("help")) == every - set(ENERGY)
    some = ssdpm.output("--completion", "fish")
    assert "-a estimate" in completions and "estimate" not in some
    assert "--trace" not in ssdpm.output("plan", "--help")


def test_a_command_that_is_not_installed_names_the_program(alone: Command) -> None:
    for name in ENERGY:
        assert alone.fails(1, name) == f"ssdpm: {name}: {MISSING}"
        assert alone.fails(1, "help", name) == f"ssdpm: {name}: {MISSING}"
    assert "unknown command 'frobnicate'" in alone.fails(2, "frobnicate")
    assert "--trace" in alone.fails(2, "plan", "--trace", "lomax")
    (alone.directory / "bin/ssdpm-energy").touch()
    result = alone("estimate")
    assert result.returncode == 1
    first, second = result.stderr.decode().splitlines()
    assert "cannot run" in first and first.endswith("ssdpm-energy: Permission denied")


def test_without_energy_only_power_meters_and_watts_are_missing(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = str(machine("laptop"))
    calls = [
        ("list", "--root", root),
        ("show", "drive.json"),
        ("apst", "drive.json", "--diff", "windows:balanced:battery"),
        ("plan", "--root", root, "--profile", "auto", "--apst", "linux-legacy"),
        ("lpm", "--root", root),
    ]
    whole = [ssdpm.output(*call) for call in calls]
    adds_watts = "-t WORKLOAD adds what it saves in watts; so does ssdpm tune.\n"
    assert adds_watts in whole[3]
    whole[3] = whole[3].replace(adds_watts, "")
    shown = ssdpm.json("show", "--root", root)
    lines = ssdpm.output("show", "--root", root).splitlines()
    put(ssdpm, "ssdpm")
    assert [ssdpm.output(*call) for call in calls] == whole
    assert shown["machine"].pop("meters")
    assert ssdpm.json("show", "--root", root) == shown
    without = ssdpm.output("show", "--root", root).splitlines()
    assert without == lines[: len(without)]
    assert lines[len(without)].startswith("  power meters")


def test_without_energy_status_takes_the_profiles_of_the_files_first(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = machine("laptop")
    call = ("status", "--root", str(root))
    put(ssdpm, "ssdpm")
    assert "  sleeps  other settings\n" in ssdpm.output(*call)
    (root / "etc").mkdir(exist_ok=True)
    conf = root / "etc/ssdpm.conf"
    # The limit that is set, and on battery auto is this profile.
    conf.write_text("[profile power-saver]\nmax_exit_latency = 100ms\n")
    assert "other settings" not in ssdpm.output(*call)
    conf.write_text("[profile power-saver\n")
    wrong = ssdpm(*call)
    assert wrong.returncode == 1 and wrong.stderr.count(b"ssdpm.conf") == 1
    assert b"  sleeps  other settings\n" in wrong.stdout


def test_it_finds_the_other_program_beside_itself(ssdpm: Command) -> None:
    call = ("estimate", "-q", "-t", "lomax", "-")
    data = (ssdpm.directory / "drive.bin").read_bytes()
    before = ssdpm.output(*call, stdin=data)
    put(ssdpm, "ssdpm", "ssdpm-energy")
    assert ssdpm.output(*call, stdin=data) == before
    # Not in PATH, and by another name.
    other = ssdpm.directory / "else where"
    (ssdpm.directory / "bin").rename(other)
    (ssdpm.directory / "bin").mkdir()
    (ssdpm.directory / "bin/ssdpm").symlink_to(other / "ssdpm")
    assert ssdpm.output(*call, stdin=data) == before
