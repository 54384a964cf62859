# SPDX-License-Identifier: MIT
"""A reader that goes away, a full disk, and files that are closed from the start."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest
import test_json_page
import trace
from command import Command

# What changes what it reads is apart.
CALLS = [call for call in test_json_page.CALLS if call[0] not in ("bisect", "capture")]
CALLS += [
    ["bisect", "status", "--json", "--root", "searched"],
    ["check", "--json", "--root", "desktop-6.1", "-p", "balanced"],
    ["apply", "--json", "--dry-run", "--root", "desktop-6.1", "--lpm", "medium_power"],
]
TEXT = [
    [],
    ["help"],
    ["help", "tune"],
    ["estimate", "--help-all"],
    ["--version"],
    ["--completion", "bash"],
    ["--completion", "workloads"],
    ["show", "--shell", "odd.json"],
    ["show", "--value", "kind", "odd.json"],
    ["show", "--share", "odd.json"],
    ["list", "--catalogue"],
    ["apst", "--raw", "-", "odd.json"],
    ["workload", "--to", "iolog", "lomax"],
    ["workload", "--to", "csv", "lomax"],
    ["plan", "--persist", "udev", "-p", "balanced", "--root", "desktop-6.1"],
]
WRITES = [
    ["apply", "--lpm", "medium_power", "--root", "desktop-6.1"],
    ["revert", "--root", "desktop-6.1"],
    ["capture", "--root", "eight-drives", "copy"],
]
FULL = "ssdpm: standard output: No space left on device"


@pytest.fixture
def drives(ssdpm: Command) -> Command:
    test_json_page.write_drives(ssdpm)
    machines = ssdpm.directory
    shutil.copytree(machines / "eight-drives", machines / "searched", symlinks=True)
    ssdpm.output("bisect", "start", "--errors", "1", "--entries", "1", "--root", "searched", "nvme0")
    return ssdpm


def to(
    ssdpm: Command, out: int, call: list[str], ignores_pipes: bool = False
) -> tuple[int, list[str]]:
    """The status of a call that writes there, and its messages."""
    result = subprocess.run(
        ["ssdpm", *call],
        cwd=ssdpm.directory,
        env=ssdpm.environment,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.PIPE,
        restore_signals=not ignores_pipes,
        timeout=300,
        check=False,
    )
    return result.returncode, result.stderr.decode().splitlines()


def to_closed_pipe(
    ssdpm: Command, call: list[str], ignores_pipes: bool = False
) -> tuple[int, list[str]]:
    reader, writer = os.pipe()
    os.close(reader)
    answer = to(ssdpm, writer, call, ignores_pipes)
    os.close(writer)
    return answer


def to_full_disk(ssdpm: Command, call: list[str]) -> tuple[int, list[str]]:
    with pathlib.Path("/dev/full").open("wb") as full:
        return to(ssdpm, full.fileno(), call)


def calls() -> list[list[str]]:
    plain = [[word for word in call if word != "--json"] for call in CALLS]
    return CALLS + plain + TEXT


def test_every_command_is_among_these(ssdpm: Command) -> None:
    listed = ssdpm.output("help").split("Commands:\n")[1].split("\n\n")[0]
    names = set(re.findall(r"^  (\w+)", listed, re.M))
    tried = {call[0] for call in calls() + WRITES if call}
    assert tried - {"help", "--version", "--completion"} == names


def test_a_closed_pipe_ends_every_command_alike_and_without_words(drives: Command) -> None:
    for call in calls():
        status, said = to_closed_pipe(drives, call)
        assert status == -signal.SIGPIPE, call
        assert not [line for line in said if "output" in line or "ipe" in line], call
        # Python and services ignore the signal, and what they start does, too.
        status, said = to_closed_pipe(drives, call, ignores_pipes=True)
        assert status == 1, call
        assert not [line for line in said if "output" in line or "ipe" in line], call


def test_a_full_disk_fails_every_command_with_one_line(drives: Command) -> None:
    for call in calls():
        status, said = to_full_disk(drives, call)
        assert status == 1, call
        assert [line for line in said if "output" in line or "ioctl" in line] == [FULL], call


@pytest.mark.parametrize("call", WRITES, ids=lambda call: call[0])
def test_what_writes_is_done_before_a_closed_pipe_ends_it(
    drives: Command, call: list[str]
) -> None:
    if call[0] == "revert":
        drives.output(*WRITES[0])
    status, _ = to_closed_pipe(drives, call)
    assert status == -signal.SIGPIPE
    policy = drives.directory / "desktop-6.1/sys/class/scsi_host/host0/link_power_management_policy"
    if call[0] == "apply":
        assert policy.read_text().strip() == "medium_power"
    elif call[0] == "revert":
        assert policy.read_text().strip() == "max_performance"
    else:
        assert drives.output("list", "--root", "copy")


@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_a_message_gets_into_no_file_if_standard_error_is_closed(
    ssdpm: Command, closed: str
) -> None:
    ssdpm.write("a.csv", f"{trace.HEADER}0,0,4096,10,read,0\nbad\n")
    call = "ssdpm workload --skip-bad --to csv -o out.csv a.csv"
    assert "1 line could not be read" in ssdpm.shell(call).stderr
    whole = (ssdpm.directory / "out.csv").read_text()
    ssdpm.shell(f"{call} {closed}")
    assert (ssdpm.directory / "out.csv").read_text() == whole


def test_closed_standard_output_is_a_failure_with_its_cause(drives: Command) -> None:
    for call in ("help", "show odd.json", "tune -n --root desktop-6.1", "list --catalogue"):
        result = drives.shell(f"ssdpm {call} >&-")
        assert result.returncode == 1, call
        said = result.stderr.splitlines()
        assert said[-1] == "ssdpm: standard output: Bad file descriptor", call
        assert len(said) <= 2, call
