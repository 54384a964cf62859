# SPDX-License-Identifier: MIT
"""Every example in the man pages of the command and in the README is run."""

from __future__ import annotations

import pathlib
import re

import pytest
import documented
import machines
import measured_run
import surveys
from command import TOP, Command

ESCAPES = {r"\e": "\\", r"\-": "-", r"\&": "", r"\(aq": "'", r"\(dq": '"'}


def unescape(line: str) -> str:
    return re.sub(
        r"\\(?:\(..|.)", lambda found: ESCAPES[found.group()], line
    )


def man_blocks(page: pathlib.Path) -> list[list[str]]:
    """The literal blocks of a page's EXAMPLES."""
    text = page.read_text().split(".Sh EXAMPLES\n")[1]
    blocks = re.findall(r"\.Bd -literal.*?\n(.*?)\.Ed\n", text, re.S)
    return [[unescape(line) for line in block.splitlines()] for block in blocks]


def readme_blocks(page: pathlib.Path) -> list[list[str]]:
    blocks = re.findall(r"```console\n(.*?)```\n", page.read_text(), re.S)
    return [block.splitlines() for block in blocks]


def sessions(blocks: list[list[str]]) -> list[tuple[str, str]]:
    """Pairs of a command and what it prints; "> " continues a command."""
    pairs: list[tuple[str, list[str]]] = []
    for line in (line for block in blocks for line in block):
        if line.startswith("$ "):
            pairs.append((line[2:], []))
        elif line.startswith("> ") and not pairs[-1][1]:
            pairs[-1] = (f"{pairs[-1][0]}\n{line[2:]}", [])
        else:
            pairs[-1][1].append(line)
    return [(call, "".join(f"{line}\n" for line in out)) for call, out in pairs]


def assert_printed(ssdpm: Command, blocks: list[list[str]]) -> None:
    pairs = sessions(blocks)
    assert pairs, "no example"
    for call, expected in pairs:
        result = ssdpm.shell(call)
        assert result.returncode == 0, call
        # In a terminal, what is said comes before what is printed.
        assert result.stderr + result.stdout == expected, call


LIVE = ["list", "show", "lpm", "plan", "apply", "check", "revert", "capture"]
COMMANDS = LIVE + ["apst", "workload", "estimate", "compare", "recommend", "measure"]
COMMANDS += ["budget", "consistency"]
# Words after a command that have options of their own, on the page of the command.
ACTIONS = {"measure": ["calibrate"]}
# Samples of power: some noise.
POWER = "printf '%s\\n' time_s,power_w; for t in $(seq 60); do echo $t,2.0$((t % 7)); done"
POWER = f"{{ {POWER}; }}"
# Captures that the examples have.
CAPTURES = {
    "laptop": "laptop", "desktop": "desktop-6.1", "server": "server",
    "apst-empty": "apst-empty",
}  # fmt: skip
PAGES = [*sorted((TOP / "man").glob("*.[157]")), documented.PAGE]


@pytest.fixture
def captures(ssdpm: Command) -> None:
    for name, machine in CAPTURES.items():
        machines.write(machine, ssdpm.directory / name)
    measured_run.write(ssdpm.directory)


@pytest.mark.usefixtures("captures")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_man_page_print_what_it_says(
    page: pathlib.Path, ssdpm: Command
) -> None:
    assert_printed(ssdpm, man_blocks(page))


@pytest.mark.usefixtures("captures")
def test_the_sessions_of_the_readme_print_what_it_says(ssdpm: Command) -> None:
    assert_printed(ssdpm, readme_blocks(TOP / "README.md"))


@pytest.mark.usefixtures("captures")
def test_the_examples_in_help_work(ssdpm: Command) -> None:
    ssdpm.write("mine.csv", surveys.survey())
    ssdpm.write("yours.csv", surveys.survey(seed=3, drive="Other SSD, FW 1.0"))
    for name in ("a_iops.log", "b_iops.log"):
        ssdpm.write(name, "".join(f"{s}000, {90000 // s}, 1, 0\n" for s in range(1, 1500)))
    made = ssdpm.shell(
        "mkdir made; ssdpm workload --to csv --n-ios 9 lomax > made/trace.csv; "
        f"{POWER} > made/power.csv"
    )
    assert (made.returncode, made.stderr) == (0, "")
    actions = [f"{command} {word}" for command in ACTIONS for word in ACTIONS[command]]
    for subcommand in COMMANDS + actions:
        text = ssdpm.output(*subcommand.split(), "--help")
        examples = text.split("Examples:\n")[1].split("\n\n")[0].splitlines()
        assert examples
        for call in examples:
            if "/dev/" in call:  # needs a drive
                call = call.replace(
                    "nvme id-ctrl --raw-binary /dev/nvme0", "cat drive.bin"
                )
            if subcommand in LIVE:  # whatever this machine has
                call = re.sub(r"\bssdpm \w+", r"\g<0> --root desktop", call)
            if "--meter" in call:  # and not for as long
                call = f"{call} --root laptop --for 100ms --interval 50ms"
            if "survey --dry-run" in call or "survey --save" in call:
                call = (
                    f"{call} --root laptop --quiet --yes --blocks 1 --settle 20ms "
                    "--interval 10ms --duration 50ms"
                )
            result = ssdpm.shell(
                f"set -o pipefail; cp drive.json d; cp made/* .; {call}"
            )
            assert result.returncode == 0, call
            notes = ("quirk", "catalogue has")
            for line in result.stderr.splitlines():
                assert any(note in line for note in notes), call


def test_every_option_is_in_help_and_in_the_man_page(ssdpm: Command) -> None:
    common = (TOP / "man/ssdpm.1").read_text()
    for subcommand in COMMANDS:
        page = common + (TOP / f"man/ssdpm-{subcommand}.1").read_text()
        documented = set(re.findall(r"Fl Fl ([a-z0-9-]+)", page))
        text = ssdpm.output(subcommand, "--help")
        for word in ACTIONS.get(subcommand, []):
            text += ssdpm.output(subcommand, word, "--help")
        helped = set(re.findall(r"^  (?:-., |    )--([a-z0-9-]+)", text, re.M))
        assert helped <= documented
        own = (TOP / f"man/ssdpm-{subcommand}.1").read_text()
        assert set(re.findall(r"Fl Fl ([a-z0-9-]+)", own)) <= helped
