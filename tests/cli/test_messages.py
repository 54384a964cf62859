# SPDX-License-Identifier: MIT
"""What ssdpm prints: a cause only if it looked for it, calls that work as they are
pasted, and nothing that controls the reader's terminal."""

from __future__ import annotations

import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator

import documented
import pytest
from command import Command, read_terminal

Make = Callable[[str], pathlib.Path]
NVME_CORE = ("--nvme-core", "apst_primary_timeout_ms=50")


def test_a_module_that_is_not_loaded_is_not_an_old_kernel(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    shutil.rmtree(laptop / "sys/module/nvme_core")
    result = ssdpm("plan", "--root", str(laptop), *NVME_CORE)
    assert result.returncode == 3
    assert b"nvme_core is not loaded: there is no /sys/module/nvme_core" in result.stderr
    assert b"5.14" not in result.stderr


def test_a_parameter_that_cannot_be_read_is_not_an_old_kernel(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    path = "sys/module/nvme_core/parameters/apst_primary_timeout_ms"
    (laptop / path).write_text("many\n")
    result = ssdpm("plan", "--root", str(laptop), *NVME_CORE)
    assert result.returncode == 3
    assert f"/{path} cannot be read as a number".encode() in result.stderr


def test_a_kernel_without_the_parameter_is_too_old(
    ssdpm: Command, machine: Make
) -> None:
    result = ssdpm("plan", "--root", str(machine("old-5.10")), *NVME_CORE)
    assert result.returncode == 3
    assert b"it came with Linux 5.14" in result.stderr


def test_root_without_the_capability_is_not_sent_to_sudo(ssdpm: Command) -> None:
    drop = ["setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin"]
    result = ssdpm.run(*drop, "ssdpm", "list", "--identify")
    assert result.returncode == 4
    assert "needs CAP_SYS_ADMIN: this process of root lacks it" in result.stderr
    assert "sudo" not in result.stderr


def test_a_machine_whose_sys_is_not_mounted_is_not_one_without_drives(
    ssdpm: Command,
) -> None:
    script = "mount -t tmpfs none /sys && exec ssdpm "
    for call in ("list", "show", "show nvme0", "plan --profile balanced", "lpm"):
        result = ssdpm.run("unshare", "-m", "sh", "-c", script + call)
        assert result.returncode == 1, call
        assert "/sys is not mounted" in result.stderr, (call, result.stderr)


def test_a_drive_that_was_plugged_in_again_may_have_been_that(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    limit = laptop / "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
    limit.write_text("50000\n")
    ssdpm.output("apply", "--root", str(laptop), "--latency", "25ms", "nvme0")
    limit.write_text("100000\n")
    for call in ("check", "revert"):
        result = ssdpm(call, "--root", str(laptop))
        said = b" ".join(result.stdout.split())
        assert b"or as the drive was plugged in" in said, call
        assert b"somebody else" not in result.stdout, call


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
        lines = re.sub(r" \\\n +", " ", text).split("\n")
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
                # A capture refuses a raw table: that call is for its machine.
                if re.fullmatch(r"ssdpm apply --apst \S+ nvme\d", call):
                    continue
                assert "it'\\''s" in call, (arguments, call)
                seen.add(call)
    assert seen
    for call in sorted(seen):
        if " FILE" in call:
            continue
        result = ssdpm.shell(tried(call))
        assert result.returncode in (0, 5), (call, result.stderr)


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
        ["compare", "-t", "lomax", "--policy", "NAME", "NAME.json"],
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
    assert documented.listed(text)["drive"] == f"{EVIL}.json"


@pytest.mark.parametrize("form", [["--value", "drive"], ["--shell"]])
def test_scripts_get_the_bytes_and_a_terminal_does_not(
    evil: Command, form: list[str]
) -> None:
    call = ["estimate", "-t", "lomax", "--n-ios", "50", *form, f"{EVIL}.json"]
    assert EVIL in evil.output(*call)
    keyboard, screen = pty.openpty()
    with subprocess.Popen(
        ["ssdpm", *call], cwd=evil.directory, env=evil.environment, stdout=screen
    ) as process:
        shown = read_terminal(process, keyboard, screen)
    assert shown
    assert_plain(shown.replace(b"\r\n", b"\n"))


def test_the_name_of_a_capture_does_not_control_the_terminal(
    ssdpm: Command, machine: Make
) -> None:
    root = ssdpm.directory / "it's\x1b[31mred\nFORGED"
    machine("apst-off").rename(root)
    recommend = ["recommend", "-t", "lomax", "--n-ios", "50"]
    for call in (
        ["status"], ["tune", "-n"], ["plan", "-p", "auto"], ["bisect", "status"], recommend,
    ):  # fmt: skip
        result = ssdpm(*call, "--root", root.name, "--wide")
        assert_plain(result.stdout)
        assert_plain(result.stderr)
    said = ssdpm.output("tune", "-n", "--root", root.name)
    [undo] = [line for line in said.splitlines() if line.startswith("Undo: ")]
    assert undo == "Undo: ssdpm revert --root $'it\\047s\\033[31mred\\012FORGED'"
    words = ["bash", "-c", undo.replace("Undo: ssdpm revert --root", "printf %s")]
    assert subprocess.check_output(words, text=True) == root.name
