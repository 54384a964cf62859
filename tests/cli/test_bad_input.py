# SPDX-License-Identifier: MIT
"""Wrong input and wrong usage: one line that names the thing and the cause."""

from __future__ import annotations

import copy
import os
import socket
import subprocess
from collections.abc import Callable

import pytest
from command import Command

BOTH = pytest.mark.parametrize("subcommand", ["show", "apst"])


@BOTH
@pytest.mark.parametrize(
    "content, words",
    [
        (b"", "no data"),
        (b"\0" * 100, "100 bytes of binary data"),
        (b"\0" * 4097, "4097 bytes of binary data"),
        (b"\x93" * 4096, "model number"),
        (b"hello\n", ":1: not a known format"),
        (b"{", ":1: not JSON"),
        (b"[" * 10000, ":1: JSON nested deeper than 32"),
        (b'{"schema": NaN}', ":1: not JSON: 'N'"),
        (b'{"a": 1,\n"a": 2}', ':2: the key "a" is given twice'),
        (b"[]", ":1: drives: the array is empty"),
        (b"{}", ":1: schema: "),
        (b'{"schema": "ssdpm.model/2"}', ":1: schema: "),
        (b"\xff\xfe{\0}\0", "binary data"),
    ],
)
def test_a_bad_file_is_named_with_its_line_and_cause(
    ssdpm: Command, subcommand: str, content: bytes, words: str
) -> None:
    name = ssdpm.write("bad", content)
    assert f"{name}{'' if words.startswith(':') else ': '}" in ssdpm.fails(
        1, subcommand, name
    )
    assert words in ssdpm.fails(1, subcommand, name)
    assert words in ssdpm.fails(1, subcommand, "-", stdin=content)


@pytest.mark.parametrize("size", [1, 263, 2048, 4095, 8192])
def test_a_truncated_or_oversized_identify_is_refused(
    ssdpm: Command, size: int
) -> None:
    raw = (ssdpm.directory / "drive.bin").read_bytes() * 2
    ssdpm.write("cut", b"\0" + raw[1:size])
    assert f"cut: {size} bytes of binary data" in ssdpm.fails(1, "show", "cut")


@pytest.mark.parametrize(
    "key, value, words",
    [
        ("exit_latency_us", "12", "states[3].exit_latency_us: a string"),
        ("exit_latency_us", 1.5, "a fraction where a whole number"),
        ("exit_latency_us", -1, "-1 is negative"),
        ("exit_latency_us", 2**32, "4294967296 is more than 4294967295"),
        ("exit_latency_us", 10**30, "is more than 4294967295"),
        ("read_latency_rank", 32, "32 is more than 31"),
        ("operational", 1, "a whole number where a boolean"),
        ("not_reported", ["exit_latency_us"], "has a value"),
        ("not_reported", ["serial"], "names no field"),
    ],
)
def test_a_bad_number_is_named_with_its_line(
    ssdpm: Command, key: str, value: object, words: str
) -> None:
    model = copy.deepcopy(ssdpm.example)
    model["states"][3][key] = value
    ssdpm.write("bad.json", model)
    message = ssdpm.fails(1, "apst", "bad.json")
    assert words in message
    line = int(message.split(":")[2])
    text = (ssdpm.directory / "bad.json").read_text().splitlines()
    assert key in text[line - 1] or key == "not_reported"


def test_33_states_are_refused(ssdpm: Command) -> None:
    model = copy.deepcopy(ssdpm.example)
    model["states"] = model["states"][:1] * 33
    ssdpm.write("many.json", model)
    assert "33 power states" in ssdpm.fails(1, "show", "many.json")
    raw = bytearray((ssdpm.directory / "drive.bin").read_bytes())
    raw[263] = 32
    ssdpm.write("many.bin", bytes(raw))
    assert "33 power states" in ssdpm.fails(1, "show", "many.bin")


def test_what_cannot_be_opened_is_named(ssdpm: Command) -> None:
    assert "unknown drive 'gone'; no such file, and not in the catalogue" in ssdpm.fails(1, "show", "gone")
    assert '" " is no drive; see ssdpm show --help' in ssdpm.fails(1, "show", " ")
    (ssdpm.directory / "dir").mkdir()
    assert "dir: is a directory" in ssdpm.fails(1, "show", "dir")
    assert "unknown drive '/dev/null'; " in ssdpm.fails(1, "show", "/dev/null")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(ssdpm.directory / "sock"))
        assert "sock: " in ssdpm.fails(1, "show", "sock")


def test_an_unreadable_file_is_named(
    ssdpm: Command, unprivileged: Callable[..., subprocess.CompletedProcess[bytes]]
) -> None:
    path = ssdpm.directory / "secret"
    path.write_bytes(b"x")
    path.chmod(0)
    result = unprivileged("show", "secret")
    assert result.returncode == 4
    assert result.stderr == b"ssdpm: cannot read secret: permission denied\n"


def test_a_fifo_without_a_writer_is_an_error_and_no_hang(ssdpm: Command) -> None:
    os.mkfifo(ssdpm.directory / "fifo")
    assert "fifo: no data: nothing was written" in ssdpm.fails(1, "show", "fifo")


def test_an_endless_input_is_refused(ssdpm: Command) -> None:
    result = ssdpm.shell("yes | ssdpm show -")
    assert result.returncode == 1
    assert result.stderr == "ssdpm: -: larger than 16 MiB: no description of a drive\n"


def test_one_bad_operand_of_three_hides_no_answer_for_the_others(ssdpm: Command) -> None:
    shown = ssdpm.run("ssdpm", "show", "drive.bin", "gone", "drive.json")
    assert shown.returncode == 1
    assert shown.stdout.startswith("drive.bin: ")
    assert "\n\ndrive.json: " in shown.stdout
    assert shown.stderr.startswith("ssdpm: unknown drive 'gone'")


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["status", "nvme0"], "unexpected operand"),
        (["help", "--json"], "help: unexpected operand '--json'"),
        (["revert", "nvme0"], "nvme0: unexpected operand; ssdpm revert restores all drives"),
        (["list", "--catalogue", "--root", "x"], "--catalogue conflicts with --root"),
        (["status", "--watch", "-1"], "as in 5, 5s or 5min"),
        (["status", "--watch", "often"], "as in 5, 5s or 5min"),
        (["status", "--watch", "0"], "--watch 0: from 1 s to 1 d"),
        (["status", "--watch", "1e9"], "the unit is ns, us, ms, s, min, h or d"),
        (["status", "--watch", "1000000000"], "from 1 s to 1 d"),
        (["frobnicate"], "unknown command 'frobnicate'; see ssdpm --help"),
        (["apst"], "no DRIVE"),
        (["show", "--frobnicate", "drive.bin"], "unknown option '--frobnicate'"),
        (["show", "-x", "drive.bin"], "unknown option '-x'"),
        (["show", "--value"], "option '--value' requires an argument"),
        (["show", "--value", "serial", "drive.bin"], "unknown --value 'serial'; see --shell"),
        (["show", "--value", "states_9_operational", "drive.bin", "drive.json"],
         "unknown --value"),
        (["show", "--shell", "drive.bin", "drive.json"], "--shell takes one drive"),
        (["show", "--shell", "--json", "drive.bin"], "conflicts with"),
        (["apst", "--hex", "--json", "drive.bin"], "conflicts with"),
        (["apst", "--raw", "-", "--json", "drive.bin"], "conflicts with"),
        (["apst", "--raw", "t", "drive.bin", "drive.json"], "--raw takes one drive"),
        (["apst", "--algorithm", "best", "drive.bin"],
         "unknown --algorithm 'best'; expected linux, linux-legacy, windows or lower-envelope"),
        (["apst", "-a", "windows", "--scheme", "fast", "drive.bin"],
         "unknown --scheme 'fast'; expected performance, balanced, power-saver or modern-standby"),
        (["apst", "-a", "windows", "--power-source", "dc", "drive.bin"],
         "unknown --power-source 'dc'; expected ac or battery"),
        (["apst", "--scheme", "balanced", "drive.bin"],
         "--scheme is for --algorithm windows, not linux"),
        (["apst", "--power-source", "ac", "-a", "linux-legacy", "drive.bin"],
         "--power-source is for --algorithm windows, not linux-legacy"),
        (["apst", "--scheme", "balanced", "-a", "lower-envelope", "drive.bin"],
         "--scheme is for --algorithm windows, not lower-envelope"),
        (["apst", "--idle-power", "1W", "-a", "windows", "drive.bin"],
         "--idle-power is for --algorithm lower-envelope, not windows"),
        (["apst", "--transition-power", "1W", "drive.bin"],
         "--transition-power is for --algorithm lower-envelope, not linux"),
        (["apst", "--primary-timeout", "1s", "-a", "windows", "drive.bin"],
         "--primary-timeout is for --algorithm linux, not windows"),
        (["apst", "-a", "lower-envelope", "--secondary-tolerance", "1s", "drive.bin"],
         "--secondary-tolerance is for --algorithm linux, not lower-envelope"),
        *[
            (["apst", "-a", "lower-envelope", option, power, "drive.bin"], words)
            for option in ("--idle-power", "--transition-power")
            for power, words in [
                ("500", f"{option} 500: write a number with its unit, as in"),
                ("", "with its unit"),
                ("-5mW", "with its unit"),
                ("500mw", "the unit is uW, mW or W"),
                ("500ms", "the unit is uW, mW or W"),
                ("0.0000001W", "finer than a microwatt"),
                ("0mW", f"{option} 0mW: must be above 0"),
                ("4294.967296W", "too much"),
                ("99999999999999999999W", "too much"),
            ]
        ],
        (["apst", "--quirk", "no-sleep", "drive.bin"], "no-apst, no-deepest-ps"),
        (["apst", "--max-exit-latency", "25", "drive.bin"], "with its unit"),
        (["apst", "--max-exit-latency", "0", "drive.bin"], "with its unit"),
        (["apst", "--max-exit-latency", "ms", "drive.bin"], "with its unit"),
        (["apst", "--max-exit-latency", "", "drive.bin"], "with its unit"),
        (["apst", "--max-exit-latency", "1.ms", "drive.bin"], "with its unit"),
        (["apst", "--max-exit-latency", "-5ms", "drive.bin"], "with its unit"),
        (["apst", "--max-exit-latency", "5 ms", "drive.bin"], "us, ms or s"),
        (["apst", "--max-exit-latency", "5MS", "drive.bin"], "us, ms or s"),
        (["apst", "--max-exit-latency", "5min", "drive.bin"], "us, ms or s"),
        (["apst", "--max-exit-latency", "0.5us", "drive.bin"], "finer than a microsecond"),
        (["apst", "--max-exit-latency", "99999999999999999999us", "drive.bin"], "too long"),
        (["apst", "--primary-timeout", "1.5ms", "drive.bin"], "whole milliseconds"),
        (["apst", "--primary-timeout", "16777216ms", "drive.bin"], "16777215 ms"),
        (["apst", "--secondary-timeout", "5h", "drive.bin"], "us, ms or s"),
        (["apst", "--secondary-timeout", "20000s", "drive.bin"], "16777215 ms"),
    ],
)
def test_wrong_usage_is_status_2(
    ssdpm: Command, arguments: list[str], words: str
) -> None:
    assert words in ssdpm.fails(2, *arguments)


def test_the_largest_timeout_is_taken(ssdpm: Command) -> None:
    answer = ssdpm.json("apst", "drive.bin", "--primary-timeout", "16777215ms")
    assert answer["entries"][0]["idle_ms"] == 16777215


def test_a_sata_drive_cannot_and_an_unknown_latency_fails(ssdpm: Command) -> None:
    model = copy.deepcopy(ssdpm.example)
    model["kind"] = "sata"
    ssdpm.write("sata.json", model)
    assert "not an NVMe drive" in ssdpm.fails(3, "apst", "sata.json")
    model = copy.deepcopy(ssdpm.example)
    del model["states"][4]["exit_latency_us"]
    ssdpm.write("partial.json", model)
    message = ssdpm.fails(1, "apst", "partial.json")
    assert "PS4: exit_latency_us is unknown" in message


def test_an_idle_power_that_nobody_knows_is_asked_for(ssdpm: Command) -> None:
    model = copy.deepcopy(ssdpm.example)
    model["states"][0]["idle_power_uw"] = None
    ssdpm.write("awake.json", model)
    call = ["apst", "-a", "lower-envelope", "awake.json"]
    assert ssdpm.fails(1, *call) == (
        "ssdpm: awake.json: the power in PS0 is unknown: give it with --idle-power, "
        "as in 500mW"
    )
    assert ssdpm.json(*call, "--idle-power", "630mW")["entries"]
    model["states"][3]["max_power_uw"] = model["states"][3]["idle_power_uw"] = None
    ssdpm.write("dark.json", model)
    message = ssdpm.fails(1, *call[:3], "dark.json", "--idle-power", "630mW")
    assert "PS3: idle_power_uw and max_power_uw are unknown" in message


def test_a_threshold_that_no_entry_holds_fails(ssdpm: Command) -> None:
    model = copy.deepcopy(ssdpm.plain)
    model["states"][4]["exit_latency_us"] = 4294967295
    ssdpm.write("slow.json", model)
    message = ssdpm.fails(
        1, "apst", "-a", "lower-envelope", "--max-exit-latency", "any", "slow.json"
    )
    assert message == (
        "ssdpm: slow.json: PS3 to PS4: idle time 180388199 ms; "
        "an APST entry holds at most 16777215 ms"
    )
    for question in (
        ("--keep", "PS4"),
        ("--diff", "linux"),
        ("--diff", "linux", "--diff", "lower-envelope"),
    ):
        call = ("apst", "-a", "lower-envelope", "--max-exit-latency", "any", *question, "slow.json")
        assert ssdpm.fails(1, *call) == message


def test_a_raw_file_that_cannot_be_written_is_named(ssdpm: Command) -> None:
    message = ssdpm.fails(1, "apst", "-q", "--raw", "no/such/table", "drive.bin")
    assert message == "ssdpm: cannot write no/such/table: No such file or directory"
    assert "/dev/full: No space" in ssdpm.fails(
        1, "apst", "-q", "--raw", "/dev/full", "drive.bin"
    )


def test_a_device_in_capital_letters_is_no_drive_of_the_catalogue(ssdpm: Command) -> None:
    for name in ("SDA", "NVME0", "Sdb"):
        assert f"unknown drive '{name}'" in ssdpm.fails(1, "show", name)
        assert "catalogue" not in ssdpm("show", name).stderr.decode()
