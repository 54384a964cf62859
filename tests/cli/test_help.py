# SPDX-License-Identifier: MIT
"""What --help prints: it fits a screen, and --help-all has every option."""

from __future__ import annotations

import pathlib
import re
import subprocess

import pytest
from command import Command

ENGLISH = pathlib.Path(__file__).resolve().parents[2] / ".ci/english"
LINES, COLUMNS = 40, 80
OPTION = re.compile(r"^  (?:-(.), |    )--([a-z0-9-]+)", re.M)


@pytest.fixture
def commands(ssdpm: Command) -> list[list[str]]:
    """The words of each command, and of each action of one."""
    text = ssdpm.output("--help").split("Commands:\n")[1].split("\n\n")[0]
    found = [[name] for name in re.findall(r"^  (\w+)", text, re.M)]
    for [name] in found[:]:
        usage = ssdpm.output(name, "--help").split("\n\n")[0]
        found += [
            [name, word] for word in re.findall(rf"ssdpm {name} (\w+) \[OPT", usage)
        ]
    assert ["estimate"] in found and ["measure", "calibrate"] in found
    return found


def options(text: str) -> dict[str, str]:
    """Long options and their letters."""
    return {name: letter for letter, name in OPTION.findall(text)}


def test_help_of_every_command_fits_a_screen(
    ssdpm: Command, commands: list[list[str]]
) -> None:
    for command in [[], *commands]:
        lines = ssdpm.output(*command, "--help").splitlines()
        assert len(lines) <= LINES, command
        for line in lines + ssdpm.output(*command, "--help-all").splitlines():
            assert len(line) <= COLUMNS and line == line.rstrip(), line
            # What the command prints for a byte that is no text.
            assert not line.startswith("?"), line


def test_help_counts_the_options_that_only_help_all_has(
    ssdpm: Command, commands: list[list[str]]
) -> None:
    for command in commands:
        some = ssdpm.output(*command, "--help")
        every = options(ssdpm.output(*command, "--help-all"))
        assert options(some).items() <= every.items()
        assert {"json", "value", "help-all"} <= every.keys()
        n_more = len(every) - len(options(some))
        assert f"\n{n_more} more options: ssdpm {' '.join(command)} --help-all\n" in some
        # Everyday options come first.
        blocks = [b for b in some.split("\n\n") if not b.startswith(("Actions:\n", "Operands:\n"))]
        heading = blocks[2].splitlines()[0]
        assert heading in ("Options:", "Every command:", "Settings:", "Saving:")


def test_an_example_needs_no_option_that_help_does_not_show(
    ssdpm: Command, commands: list[list[str]]
) -> None:
    shown: dict[str, set[str]] = {}
    for command in commands:
        text = ssdpm.output(*command, "--help").split("Examples:\n")[0]
        found = options(text)
        shown[" ".join(command)] = {*found, *(one for one in found.values() if one)}
    for command in commands:
        text = ssdpm.output(*command, "--help").split("Examples:\n")[1].split("\n\n")[0]
        for call in re.findall(r"ssdpm (.*)", text.replace("\\\n", "")):
            words = re.match(r"\w+ ?\w*", call)
            assert words
            named = words[0] if words[0] in shown else words[0].split()[0]
            if named != command[0] and named != " ".join(command):
                continue  # what another command does with the result
            for option in re.findall(r" --?([a-z][a-z0-9-]*)", call):
                assert option in shown[named], call


def test_each_group_of_options_has_its_own_name(
    ssdpm: Command, commands: list[list[str]]
) -> None:
    for command in commands:
        for option in ("--help", "--help-all"):
            text = ssdpm.output(*command, option)
            names = re.findall(r"^(\w[\w ]*):$", text, re.M)
            assert len(set(names)) == len(names) > 1, (command, names)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("measure", "energy baseline background survey merge calibrate check state"),
        ("bisect", "start run good bad skip set status report stop"),
    ],
)
def test_help_explains_each_action(ssdpm: Command, command: str, words: str) -> None:
    text = ssdpm.output(command, "--help").split("Actions:\n")[1].split("\n\n")[0]
    lines = [re.fullmatch(r"  (\w[\w, ]*?) {2,}\w.*", line) for line in text.splitlines()]
    assert " ".join(line[1].replace(",", "") for line in lines if line) == words
    for word in words.split():
        assert ssdpm.output("help", command, word).startswith(f"Usage: ssdpm {command}")
    assert "unknown action of" in ssdpm.fails(2, "help", command, "frobnicate")


def test_a_letter_has_one_meaning_in_all_commands(
    ssdpm: Command, commands: list[list[str]]
) -> None:
    meanings: dict[str, set[str]] = {}
    for command in commands:
        for name, letter in options(ssdpm.output(*command, "--help-all")).items():
            if letter:
                meanings.setdefault(letter, set()).add(name)
    assert {"e", "l", "n", "o", "p", "t"} < meanings.keys()
    assert [names for names in meanings.values() if len(names) > 1] == []


def test_help_is_plain_english(ssdpm: Command, commands: list[list[str]]) -> None:
    files = []
    for command in [[], *commands]:
        name = "-".join(["help", *command]) + ".help"
        files.append(ssdpm.write(name, ssdpm.output(*command, "--help-all")))
    files.append(ssdpm.write("bad.help", "  -x, --x  Of these it is the last one.\n"))
    paths = sorted(ssdpm.directory.glob("*.help"))
    assert len(paths) == len(files)
    done = subprocess.run([ENGLISH, *paths], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "bad.help:1: begin with the subject: Of these it is the last one."
    ]


def test_help_of_help_lists_the_commands(ssdpm: Command) -> None:
    assert ssdpm.output("help", "help") == ssdpm.output("help")


def test_help_of_check_sets_nothing(ssdpm: Command) -> None:
    text = ssdpm.output("check", "--help-all")
    assert "NVMe: Expect the latency limit" in text
    assert not re.search(r"\bSet (a|the|an|what|how|features)\b", text)
    assert "NVMe: Set the latency limit" in ssdpm.output("apply", "--help")


def test_help_of_measure_names_the_one_action_with_a_page(ssdpm: Command) -> None:
    line = "survey: Also write an HTML page with charts."
    assert line in ssdpm.output("measure", "--help")
