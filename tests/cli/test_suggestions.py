# SPDX-License-Identifier: MIT
"""What ssdpm answers to a word that is mistyped or in another place."""

from __future__ import annotations

import pathlib

import pytest
from command import Command

MEANT = [
    (["aply"], "ssdpm: aply: no such command; did you mean apply?"),
    (["estim"], "ssdpm: estim: no such command; did you mean estimate?"),
    (["frobnicate"], "ssdpm: frobnicate: no such command; see ssdpm --help"),
    (["help", "plna"], "ssdpm: plna: no such command; did you mean plan?"),
    (
        ["help", "measure", "calbrate"],
        "ssdpm: measure calbrate: no such command; did you mean calibrate?",
    ),
    (
        ["--verison"],
        "ssdpm: --verison: no such option before a command; did you mean --version?",
    ),
    (
        ["--profile", "auto", "apply"],
        "ssdpm: --profile: no such option before a command; write it after the command",
    ),
    (
        ["apst", "--max-exit-latncy=5ms", "x"],
        "ssdpm apst: --max-exit-latncy: no such option; did you mean --max-exit-latency?",
    ),
    (
        ["recommend", "--max-added", "1ms"],
        "ssdpm recommend: --max-added: no such option; did you mean --max-added-mean?",
    ),
    (
        ["show", "--frobnicate"],
        "ssdpm show: --frobnicate: no such option; see ssdpm show --help-all",
    ),
    (
        ["compare", "--workload=server", "x"],
        "ssdpm compare: --workload: no such option; did you mean --trace?",
    ),
    (["apst", "--explain=4", "x"], "ssdpm apst: --explain takes no argument"),
]


@pytest.mark.parametrize("call, message", MEANT)
def test_a_word_that_is_nearly_right_gets_a_suggestion(
    ssdpm: Command, call: list[str], message: str
) -> None:
    assert ssdpm.fails(2, *call).rstrip("\n") == message


def test_a_workload_that_is_nearly_right_gets_a_suggestion(ssdpm: Command) -> None:
    call = ["estimate", "-q", "drive.json", "-t"]
    known = "no such file, and no workload of this name"
    assert f"lomx: {known}; did you mean lomax?" in ssdpm.fails(1, *call, "lomx")
    message = ssdpm.fails(1, *call, "mine.csv")
    assert f"mine.csv: {known}; ssdpm workload --list prints them" in message


def test_a_device_that_is_nearly_right_gets_a_suggestion(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    message = ssdpm.fails(1, "show", "--root", str(laptop), "nvem0")
    assert message == "ssdpm: nvem0: no such drive; did you mean nvme0?"
    message = ssdpm.fails(1, "show", "--root", str(laptop), "gone.bin")
    assert "nvme0" not in message


def test_options_of_every_command_may_stand_before_it(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    root = str(laptop)
    status = ssdpm.output("status", "--root", root)
    assert ssdpm.output("--root", root) == status
    assert ssdpm.output(f"--root={root}", "-q") == status
    wanted = ssdpm.output("list", "--json", "--root", root)
    assert ssdpm.output("-q", "--root", root, "list", "--json") == wanted
    assert "--root needs an argument" in ssdpm.fails(2, "--root")
