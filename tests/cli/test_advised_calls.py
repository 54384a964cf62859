# SPDX-License-Identifier: MIT
"""Calls of ssdpm that ssdpm prints: each one works as it was pasted."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Callable, Iterator

import pytest
from command import Command

# A call ends where the sentence goes on.
CALL = re.compile(r"ssdpm (?:apply|check|lpm|plan|revert|show)\b.*")
END = re.compile(r", or |, and |; | says more| or apply undoes|: ")
WRITES = ("apply", "lpm", "revert")
PRINTING: list[list[str]] = [
    ["list", "-v"],
    ["show"],
    ["lpm"],
    ["check", "--profile", "power-saver"],
    ["plan", "--profile", "power-saver"],
    ["plan", "--apst", "off"],
    ["recommend", "--trace", "lomax"],
    ["recommend", "--trace", "lomax", "--json"],
    ["recommend", "--trace", "lomax", "--raw", "table.bin"],
    ["apst"],
    ["budget", "--watts", "30"],
    ["budget", "--watts", "30", "--json"],
    ["plan", "--power-state", "1", "sda"],
    ["plan", "--lpm", "min_power", "nvme0"],
    ["plan", "--latency", "25ms", "sda"],
]
MACHINES = [
    "laptop",
    "desktop-6.1",
    "eight-drives",
    "apst-empty",
    "apst-off",
    "pm-only-max-performance",
]


def strings(value: object) -> Iterator[str]:
    """All texts of an object of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def calls(text: str) -> Iterator[str]:
    """What a reader would paste: to the end of its clause."""
    try:
        lines = list(strings(json.loads(text)))
    except ValueError:
        lines = text.split("\n")
    for line in lines:
        for match in CALL.finditer(line):
            yield END.split(match.group())[0]


def tried(call: str) -> str:
    """The call without its effect; what it leaves to its user is not tried."""
    if any(f"ssdpm {word}" in call for word in WRITES):
        return f"{call} --dry-run"
    return call


@pytest.mark.parametrize("name", MACHINES)
def test_an_advised_call_names_the_root_and_works_as_pasted(
    ssdpm: Command, machine: Callable[[str], pathlib.Path], name: str
) -> None:
    root = machine(name).rename(ssdpm.directory / "it's a root")
    seen = set()
    for arguments in PRINTING:
        result = ssdpm(*arguments, "--root", str(root))
        for text in (result.stdout, result.stderr):
            for call in calls(text.decode()):
                assert "it'\\''s" in call, (arguments, call)
                seen.add(call)
    assert seen
    for call in sorted(seen):
        if " FILE" in call:
            continue
        result = ssdpm.shell(tried(call))
        assert result.returncode in (0, 5), (call, result.stderr)
