# SPDX-License-Identifier: MIT
"""What ssdpm answers to a word that is mistyped or in another place."""

from __future__ import annotations

import pathlib

import pytest
from command import Command

MEANT = [
    (["aply"], "ssdpm: unknown command 'aply'; did you mean 'apply'?"),
    (["undo"], "ssdpm: unknown command 'undo'; did you mean 'revert'?"),
    (["estim"], "ssdpm: unknown command 'estim'; did you mean 'estimate'?"),
    (["frobnicate"], "ssdpm: unknown command 'frobnicate'; see ssdpm --help"),
    (["help", "plna"], "ssdpm: unknown command 'plna'; did you mean 'plan'?"),
    (
        ["help", "measure", "calbrate"],
        "ssdpm: unknown action of measure 'calbrate'; did you mean 'calibrate'?",
    ),
    (
        ["--verison"],
        "ssdpm: unknown option before a command '--verison'; did you mean '--version'?",
    ),
    (
        ["--rot", "laptop"],
        "ssdpm: unknown option before a command '--rot'; did you mean '--root'?",
    ),
    (
        ["--jsn=x"],
        "ssdpm: unknown option before a command '--jsn'; did you mean '--json'?",
    ),
    (
        ["--profile", "auto", "apply"],
        "ssdpm: unknown option before a command '--profile'; write it after the command",
    ),
    (
        ["apst", "--max-exit-latncy=5ms", "x"],
        "ssdpm apst: unknown option '--max-exit-latncy'; did you mean '--max-exit-latency'?",
    ),
    (
        ["recommend", "--max-added", "1ms"],
        "ssdpm recommend: '--max-added' is ambiguous: --max-added-mean, --max-added-p99",
    ),
    (["plan", "--prof=auto"], "ssdpm plan: '--prof' is ambiguous: --profile, --profiles"),
    (
        ["plan", "--p", "auto"],
        "ssdpm plan: '--p' is ambiguous: --persist, --profile, --profiles, --power-state,"
        " --pcie-link, --parameter",
    ),
    (
        ["show", "--frobnicate"],
        "ssdpm show: unknown option '--frobnicate'; see ssdpm show --help-all",
    ),
    (
        ["compare", "--workload=server", "x"],
        "ssdpm compare: unknown option '--workload'; did you mean '--trace'?",
    ),
    (
        ["apst", "-a", "linx", "x"],
        "ssdpm apst: unknown --algorithm 'linx'; did you mean 'linux'?",
    ),
    (
        ["estimate", "--pcie-link", "l2", "x"],
        "ssdpm estimate: unknown --pcie-link 'l2'; expected l0, l1 or l1.2",
    ),
    (
        ["measure", "servey"],
        "ssdpm: unknown action of measure 'servey'; did you mean 'survey'?",
    ),
    (
        ["bisect", "strat", "x"],
        "ssdpm: unknown action of bisect 'strat'; did you mean 'start'?",
    ),
    (
        ["lpm", "--set", "medium_pwer", "sda"],
        "ssdpm lpm: unknown --set 'medium_pwer'; did you mean 'medium_power'?",
    ),
    (
        ["recommend", "--quirk", "no-apts", "x"],
        "ssdpm recommend: unknown --quirk 'no-apts'; did you mean 'no-apst'?",
    ),
    (["apst", "--explain=4", "x"], "ssdpm apst: option '--explain' takes no argument"),
]


@pytest.mark.parametrize("call, message", MEANT)
def test_a_word_that_is_nearly_right_gets_a_suggestion(
    ssdpm: Command, call: list[str], message: str
) -> None:
    assert ssdpm.fails(2, *call).rstrip("\n") == message


@pytest.mark.parametrize("typed, meant", [
    ("linux:secondry=1s", "secondary"),
    ("linux:primry=50ms", "primary"),
    ("linux:limit=1ms:secondary-timout=1s", "secondary-timeout"),
    ("linux-legacy:limt=1ms", "limit"),
    ("windows:balanced:battery:limits=1ms", "limit"),
])
def test_a_parameter_that_is_nearly_right_gets_a_suggestion(
    ssdpm: Command, typed: str, meant: str
) -> None:
    algorithm, key = typed.partition(":")[0], typed.split(":")[-1].partition("=")[0]
    unknown = f"unknown parameter '{key}' of {algorithm}; did you mean '{meant}'?"
    call = ["apst", "--all", "--diff"]
    assert f"--diff {typed}: {unknown}" in ssdpm.fails(2, *call, typed)


def test_each_parameter_that_is_suggested_exists(ssdpm: Command) -> None:
    call = ["apst", "--all", "--diff"]
    message = ssdpm.fails(2, *call, "linux:frobnicate=1s").splitlines()[0]
    unknown = "unknown parameter '{}' of linux; expected "
    before, _, expected = message.partition(unknown.format("frobnicate"))
    words = expected.replace(" or ", ", ").split(", ")
    assert before and len(words) == len(set(words)) == 7
    for word in words:
        ssdpm.output(*call, f"linux:{word}=50ms")
    # Without a word, and with a long one, the phrase is the same.
    for key in ("", "a" * 32):
        assert unknown.format(key) + expected in ssdpm.fails(2, *call, f"linux:{key}=1s")
    assert "'secondary' of windows; expected limit" in ssdpm.fails(
        2, *call, "windows:secondary=1s"
    )


def test_a_workload_that_is_nearly_right_gets_a_suggestion(ssdpm: Command) -> None:
    call = ["estimate", "-q", "drive.json", "-t"]
    unknown = "unknown trace or workload"
    assert f"{unknown} 'lomx'; did you mean 'lomax'?" in ssdpm.fails(1, *call, "lomx")
    message = ssdpm.fails(1, *call, "mine.csv")
    assert f"{unknown} 'mine.csv'; see ssdpm workload --list" in message


def test_a_device_that_is_nearly_right_gets_a_suggestion(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    message = ssdpm.fails(1, "show", "--root", str(laptop), "nvem0")
    assert message == "ssdpm: unknown drive 'nvem0'; did you mean 'nvme0'?"
    message = ssdpm.fails(1, "show", "--root", str(laptop), "gone.bin")
    assert "nvme0" not in message


@pytest.mark.parametrize(
    "call",
    [
        ["tune", "--dry-run"],
        ["plan", "-p", "auto"],
        ["apply", "-p", "auto", "--dry-run"],
        ["check", "-p", "auto"],
        ["lpm"],
        ["apst"],
        ["estimate", "-t", "lomax"],
        ["bisect", "start", "--errors", "1", "--entries", "3"],
    ],
)
def test_every_command_that_takes_a_device_suggests_one(
    ssdpm: Command, laptop: pathlib.Path, call: list[str]
) -> None:
    result = ssdpm(*call, "--root", str(laptop), "nvem0")
    assert result.returncode == 1
    message = "ssdpm: unknown drive 'nvem0'; did you mean 'nvme0'?\n"
    assert result.stderr.decode() == message


def test_a_policy_and_a_profile_that_are_nearly_right_get_a_suggestion(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    call = ["compare", "-t", "lomax", "--policy"]
    assert ssdpm.fails(1, *call, "linux-legcy", "drive.json").endswith(
        "unknown file or policy 'linux-legcy'; did you mean 'linux-legacy'?"
    )
    assert "windows:balanced" in ssdpm.fails(1, *call, "frobnicate", "drive.json")
    assert "gone.bin: No such file" in ssdpm.fails(1, *call, "gone.bin", "drive.json")
    message = ssdpm.fails(
        1, "apst", "-q", "--diff", "lower-envelop", "drive.json"
    )
    assert "unknown file or algorithm 'lower-envelop'; did you mean" in message
    message = ssdpm.fails(1, "plan", "-p", "balancd", "--root", str(laptop))
    assert message == "ssdpm: unknown profile 'balancd'; did you mean 'balanced'?"


def test_options_of_every_command_may_stand_before_it(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    root = str(laptop)
    ssdpm.wide = False
    status = ssdpm.output("status", "--root", root)
    assert ssdpm.output("--root", root) == status
    assert ssdpm.output(f"--root={root}", "-q") == status
    wanted = ssdpm.output("list", "--json", "--root", root)
    assert ssdpm.output("-q", "--root", root, "list", "--json") == wanted
    assert "option '--root' requires an argument" in ssdpm.fails(2, "--root")


def test_options_of_every_command_may_stand_before_an_action(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    action = ("calibrate", "drive.json")
    wanted = ssdpm.fails(2, "measure", *action)
    assert wanted.startswith("ssdpm measure calibrate: ")
    for words in (["--quiet"], ["-q"], ["-qv"], ["--root", "x"], ["--root=x", "-q"], ["--wide"]):
        assert ssdpm.fails(2, *words, "measure", *action) == wanted
        assert ssdpm.fails(2, "measure", *words, *action) == wanted
    # An option's argument is no action.
    assert "ssdpm: calibrate: not" in ssdpm.fails(1, "--root", "calibrate", "list")
    # The calls that ask about ssdpm are commands, too.
    assert ssdpm.output("-q", "help", "list") == ssdpm.output("help", "list")
    assert ssdpm.output("--quiet", "--version") == ssdpm.output("--version")
    wanted = ssdpm.output("list", "--json", "--root", str(laptop))
    assert ssdpm.output("-qv", "--root", str(laptop), "list", "--json") == wanted
