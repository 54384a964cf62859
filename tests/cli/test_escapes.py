# SPDX-License-Identifier: MIT
"""No name and no text of a file steers the terminal of whoever reads the output."""

from __future__ import annotations

import json
import os
import pathlib
import pty
import subprocess
from collections.abc import Callable

import pytest
from command import Command

# ESC [ 31 m, ESC ] 0 ; ... BEL, backspace, DEL, CSI as U+009B, and no UTF-8; a tab
# and a line of its own.
EVIL = "x\x1b[31m\x1b]0;t\x07\x08\x0d\x7f\u009b2Jy\x01\x02\x03\tz\nFORGED"
RAW = EVIL.encode() + b"\x9b\xff"


def assert_plain(text: bytes) -> None:
    """Line feeds and tabs of ours alone, and valid UTF-8."""
    assert not any(line.startswith(b"FORGED") for line in text.split(b"\n")), text
    for char in text.decode():
        assert char in "\n\t" or (char >= " " and not "\x7f" <= char < "\xa0"), text


@pytest.fixture
def evil(ssdpm: Command) -> Command:
    model = {**ssdpm.plain, "product": EVIL, "firmware": "\x1b[2J"}
    ssdpm.write(EVIL + ".model", model)
    ssdpm.write(EVIL + ".json", ssdpm.plain)
    ssdpm.write(EVIL + ".csv", f"{EVIL},b\n1,2\n")
    ssdpm.write(EVIL + ".bad", '{"schema": "' + "\\u001b[31m" + '", "\x1b[31m": 1}')
    ssdpm.write(EVIL + ".ini", f"[{EVIL}]\nmax_exit_latency = {EVIL}\n")
    return ssdpm


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "NAME.json"],
        ["show", "--lint", "-v", "NAME.json"],
        ["show", "NAME.bad"],
        ["show", "NAME.model"],
        ["show", "NAME.none"],
        ["apst", "NAME.json"],
        ["apst", "--diff", "NAME.none", "NAME.json"],
        ["apst", "--quirks-file", "NAME.ini", "NAME.json"],
        ["apst", "--algorithm", "NAME", "NAME.json"],
        ["list", "--catalogue=NAME.json"],
        ["workload", "NAME.csv"],
        ["workload", "--columns", "NAME", "NAME.csv"],
        ["estimate", "-t", "lomax", "--n-ios", "50", "NAME.json"],
        ["estimate", "-t", "NAME.csv", "NAME.json"],
        ["compare", "-t", "lomax", "--n-ios", "50", "NAME.json"],
        ["compare", "-t", "lomax", "-p", "NAME", "NAME.json"],
        ["recommend", "-t", "lomax", "--n-ios", "50", "NAME.json"],
        ["budget", "--watts", "5", "NAME.json"],
        ["consistency", "NAME.csv"],
        ["measure", "NAME.csv"],
        ["measure", "calibrate", "NAME.csv"],
        ["plan", "--root", "ROOT", "--profile", "NAME", "--profiles", "NAME.ini"],
        ["apply", "--root", "ROOT", "--profile", "NAME"],
        ["check", "--root", "NAME"],
        ["revert", "--root", "NAME"],
        ["capture", "--root", "NAME", "out"],
        ["lpm", "--root", "ROOT", "NAME"],
        ["lpm", "--root", "ROOT", "--set", "NAME", "sda"],
        ["NAME"],
        ["help", "NAME"],
        ["--version", "NAME"],
    ],
)
def test_escapes_reach_neither_standard_output_nor_standard_error(
    evil: Command, machine: Callable[[str], pathlib.Path], arguments: list[str]
) -> None:
    root = str(machine("laptop")) if "ROOT" in arguments else ""
    words = [word.replace("NAME", EVIL).replace("ROOT", root) for word in arguments]
    result = evil(*words)
    assert result.stdout or result.stderr
    assert_plain(result.stdout)
    assert_plain(result.stderr)


def test_a_name_that_is_no_utf_8_is_printed_as_such(ssdpm: Command) -> None:
    for option in ([], ["--json"]):
        result = subprocess.run(
            [b"ssdpm", b"show", *(word.encode() for word in option), RAW],
            cwd=ssdpm.directory,
            env=ssdpm.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
        )
        assert result.returncode != 0
        assert_plain(result.stderr)


def test_json_escapes_what_steers_a_terminal_and_keeps_it(evil: Command) -> None:
    call = ("estimate", "-t", "lomax", "--n-ios", "50", f"{EVIL}.json", "--json")
    text = evil.output(*call)
    assert_plain(text.encode())
    assert json.loads(text)["drive"] == f"{EVIL}.json"


@pytest.mark.parametrize("form", [["--value", "drive"], ["--shell"]])
def test_scripts_get_the_bytes_and_a_terminal_does_not(
    evil: Command, form: list[str]
) -> None:
    call = ["estimate", "-t", "lomax", "--n-ios", "50", *form, f"{EVIL}.json"]
    assert EVIL in evil.output(*call)
    keyboard, screen = pty.openpty()
    with subprocess.Popen(
        ["ssdpm", *call], cwd=evil.directory, env=evil.environment, stdout=screen
    ):
        os.close(screen)
        shown = b""
        while True:
            try:
                shown += os.read(keyboard, 65536)
            except OSError:  # the other end is closed
                break
    os.close(keyboard)
    assert shown
    assert_plain(shown.replace(b"\r\n", b"\n"))
