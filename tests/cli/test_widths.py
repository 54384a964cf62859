# SPDX-License-Identifier: MIT
"""No line for people is wider than 80 columns, or than a narrower terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pathlib
import pty
import re
import shlex
import struct
import subprocess
import termios
from collections.abc import Callable

import machines
import pyte
import pytest
from command import Command, read_terminal

TOP = pathlib.Path(__file__).resolve().parents[2]

CALLS = [
    "status",
    "tune --dry-run",
    "list",
    "show",
    "lpm",
    "apst",
    "plan --profile auto",
    "plan --profile auto --trace desktop-session",
    "plan --profile auto --persist udev",
    "check",
    "estimate --trace apst-2",
    "estimate --trace apst-2 --explain",
    "compare --trace apst-2 --explain",
    "recommend --trace apst-2",
    "suspend",
]
NO_MACHINE = [
    "list --catalogue",
    "workload --list",
    "workload desktop-session",
    "estimate --trace apst-2 --power-cap none:200ms,0.8W:200ms,none 'WDC PC SN530'",
    "recommend --trace apst-2 'WDC PC SN530'",
    "budget --watts 60 --frontier 5x KCM61RUL960G",
    "consistency --simulate --capacity 1GiB --bandwidth 20MB/s --duration 30s --from 10s",
]


def too_wide(text: str, columns: int = 80) -> list[str]:
    """Lines that are folded nowhere; a path alone in its line is one word."""
    return [line for line in text.splitlines() if len(line) > columns and " " in line.strip()]


@pytest.fixture(autouse=True)
def as_on_a_screen(ssdpm: Command) -> None:
    ssdpm.wide = False


@pytest.mark.parametrize("name", machines.MACHINES)
def test_no_line_about_a_machine_is_wider_than_80_columns(ssdpm: Command, name: str) -> None:
    machines.write(name, ssdpm.directory / name)
    for call in CALLS:
        result = ssdpm(*call.split(), "--root", name)
        assert result.returncode != 2, (call, result.stderr)
        # Files that a system reads have the lines that it reads.
        text = result.stdout.decode().split(", mode 644:\n")[0]
        assert not too_wide(text), call


@pytest.mark.parametrize("call", NO_MACHINE)
def test_no_other_line_is_wider_than_80_columns(ssdpm: Command, call: str) -> None:
    result = ssdpm(*shlex.split(call))
    assert result.returncode in (0, 1), result.stderr
    assert result.stdout and not too_wide(result.stdout.decode())


def outputs(page: pathlib.Path) -> str:
    """What the examples of a page print; commands and messages in a log are not that."""
    text = page.read_text()
    for escape, plain in ((r"\-", "-"), (r"\(aq", "'"), (r"\e", "\\"), (r"\&", "")):
        text = text.replace(escape, plain)
    lines = "\n".join(re.findall(r"^\.Bd -literal.*?\n(.*?)\n\.Ed", text, re.M | re.S))
    return "\n".join(
        line for line in lines.splitlines() if not line.startswith(("$ ", "> ", "ssdpm: "))
    )


@pytest.mark.parametrize("page", sorted(TOP.glob("man/ssdpm*.1")), ids=lambda page: page.name)
def test_no_output_of_a_page_is_wider_than_80_columns(page: pathlib.Path) -> None:
    assert not too_wide(outputs(page))


def on_terminal(ssdpm: Command, columns: int, *call: str) -> str:
    """What a call prints if both its outputs are a terminal of so many columns."""
    terminal, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        ["ssdpm", *call], cwd=ssdpm.directory, env=ssdpm.environment, stdout=slave, stderr=slave
    ) as process:
        return read_terminal(process, terminal, slave).decode().replace("\r\n", "\n")


def test_text_and_messages_are_folded_to_a_terminal(ssdpm: Command) -> None:
    machines.write("desktop-6.1", ssdpm.directory / "desktop")
    for columns in (50, 60, 80):
        for call in ("show nvme0", "plan --profile auto", "list no-such-drive"):
            text = on_terminal(ssdpm, columns, *call.split(), "--root", "desktop")
            assert text and not too_wide(text, columns), (columns, call)
    # A log has each message in one line.
    result = ssdpm("plan", "--profile", "auto", "--root", "desktop")
    assert max(map(len, result.stderr.splitlines())) > 80
    folded = on_terminal(ssdpm, 60, "plan", "--profile", "auto", "--root", "desktop")
    assert result.stderr.decode().split() == folded[folded.index("ssdpm: ") :].split()[
        : len(result.stderr.split())
    ]


def test_a_word_too_long_for_its_column_goes_to_the_left(ssdpm: Command) -> None:
    machines.write("laptop", ssdpm.directory / "laptop")
    lines = on_terminal(ssdpm, 40, "show", "nvme0", "--root", "laptop").splitlines()
    assert "    default_ps_max_latency_us=100000" in lines
    wide = [line for line in lines if len(line) > 40]
    assert all(len(line.split()[0]) > 36 for line in wide), wide


@pytest.mark.parametrize("call", ["help", "help tune", "estimate --help-all", "help measure"])
def test_help_is_folded_to_a_narrow_terminal_and_is_the_same_words(
    ssdpm: Command, call: str
) -> None:
    whole = ssdpm(*call.split()).stdout.decode().replace("|", "").split()
    for width in (30, 40, 60, 200):
        text = on_terminal(ssdpm, width, *call.split())
        assert not too_wide(text, min(width, 80)), width
        # A call goes on behind a backslash, and a list of words behind a bar.
        words = "".join(text.replace(" \\\n", " ").replace("|", "").split())
        assert words == "".join(whole), width


def test_a_quirk_is_named_in_lines_as_wide_as_the_terminal(ssdpm: Command) -> None:
    machines.write("quirked", ssdpm.directory / "quirked")
    for width in (40, 60, 80):
        text = on_terminal(ssdpm, width, "apst", "--root", "quirked")
        assert "quirk no-apst (Toshiba" in " ".join(text.split())
        assert not too_wide(text, width)


@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 13, 19])
def test_a_terminal_that_is_too_narrow_gets_all_words_in_20_columns(
    ssdpm: Command, width: int
) -> None:
    machines.write("desktop-6.1", ssdpm.directory / "desktop")
    for call in ("status", "tune -n", "list", "show", "plan --profile auto", "help", "suspend"):
        options = [] if call == "help" else ["--root", "desktop"]
        text = on_terminal(ssdpm, width, *call.split(), *options)
        assert text == on_terminal(ssdpm, 20, *call.split(), *options), call


def test_wide_prints_whole_rows_with_all_columns(ssdpm: Command) -> None:
    machines.write("server", ssdpm.directory / "server")
    short = ssdpm.output("list", "--root", "server").splitlines()
    wide = ssdpm.output("list", "--root", "server", "--wide").splitlines()
    assert wide[0].split() == ["name", "product", "firmware", "kind", "setting", "saving"]
    assert short[0].split() == ["name", "product", "setting", "saving"]
    assert max(map(len, wide)) > 80 and len(wide) == 8 < len(short)
    # What is broken is not lost.
    assert short.pop() == "--wide shows firmware and kind, too."
    words = set(" ".join(short[1:]).split())
    assert words <= set(" ".join(wide[1:]).split())
    for word in ("Samsung", "Plus", "1TB", "remapped", "med_power_with_dipm"):
        assert word in words


def test_a_long_call_goes_on_behind_a_backslash(ssdpm: Command) -> None:
    machines.write("desktop-6.1", ssdpm.directory / "desktop")
    call = ["recommend", "--trace", "desktop-session", "--root", "desktop", "nvme0"]

    def calls(*options: str) -> list[list[str]]:
        text = ssdpm.output(*call, *options).replace("\\\n", " ")
        return [shlex.split(line) for line in text.splitlines() if "ssdpm apply" in line]

    assert "ssdpm apply" in ssdpm.output(*call) and "\\\n" in ssdpm.output(*call)
    assert calls() == calls("--wide")


def test_a_narrow_terminal_shows_the_reasons_of_as_many_drives(ssdpm: Command) -> None:
    machines.write("eight-drives", ssdpm.directory / "eight")

    def left(columns: int) -> str:
        text = on_terminal(ssdpm, columns, "tune", "-n", "--root", "eight")
        return " ".join(text.split("Left as they are:\n")[1].split("\nTo decide")[0].split())

    assert left(40) == left(60) == left(80)


def test_each_command_of_a_remedy_is_whole_on_its_line(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    """The limit is that of Linux, and the table in force is empty."""
    machine("laptop").rename(ssdpm.directory / "odd")
    [dump] = ssdpm.directory.glob("odd/dumps/*.apst")
    dump.write_text(json.dumps({**json.loads(dump.read_text()), "raw": "00" * 256}))
    path = "/sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
    calls = [f"echo 0 > {path}", f"echo 100000 > {path}"]
    for call in ("show nvme0", "status", "tune -n", "show nvme0 --wide"):
        for width in (40, 80):
            text = on_terminal(ssdpm, width, *call.split(), "--root", "odd")
            lines = re.sub(r" \\\n *", " ", text).splitlines()
            assert [line.strip() for line in lines if "echo" in line] == calls, (call, width)


def test_prose_before_a_call_is_folded_as_prose(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    machine("apst-off").rename(ssdpm.directory / "off")
    text = on_terminal(ssdpm, 30, "tune", "--yes", "--root", "off")
    before, call = text[text.index("To go back") :].split("ssdpm revert")
    assert before.split() == "To go back to before the first change:".split()
    assert call.replace("\\\n", "").split() == ["--root", "off"]


def test_data_is_not_folded(ssdpm: Command) -> None:
    machines.write("laptop", ssdpm.directory / "laptop")
    shared = ssdpm.output("show", "--share", "--root", "laptop")
    assert max(map(len, shared.splitlines())) > 80
    assert shared == ssdpm.output("show", "--share", "--root", "laptop", "--wide")


def test_a_call_breaks_only_where_a_shell_goes_on(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = machine("apst-off").rename(
        ssdpm.directory / "it's a (long) name; with marks, and more of them than fit"
    )
    ssdpm.wide = False
    text = ssdpm.output("tune", "-n", "--root", str(root))
    lines = text[text.index("Undo: ") :].splitlines()
    n = next(i for i, line in enumerate(lines) if not line.endswith(" \\"))
    assert n
    call = "".join(line.removesuffix("\\") for line in lines[: n + 1])
    assert shlex.split(call.removeprefix("Undo: ")) == [
        "ssdpm",
        "revert",
        "--root",
        str(root),
    ]


def test_a_call_in_prose_is_not_broken_or_goes_on_behind_a_backslash(ssdpm: Command) -> None:
    machines.write("desktop-6.1", ssdpm.directory / "desktop")
    machines.write("apst-empty", ssdpm.directory / "empty")
    plan = ["plan", "--profile", "auto", "--persist", "udev", "--root", "desktop"]
    reload = "udevadm control --reload && udevadm trigger --action=add --subsystem-match=block "
    for columns in (40, 60, 80):
        text = on_terminal(ssdpm, columns, *plan)
        assert reload in " ".join(text.replace("\\\n", "").split()), columns
        assert "reload &&\n" not in text
    # What is pasted is alone.
    for columns in (40, 60, 80):
        text = on_terminal(ssdpm, columns, "show", "nvme1", "--root", "empty")
        call = re.sub(r" \\\n *", " ", text).split("leave it out:\n")[1].splitlines()[0]
        assert call == "    echo 0 > /sys/class/nvme/nvme1/power/pm_qos_latency_tolerance_us"
    # One that fits is whole, with the rest of its sentence around it.
    text = on_terminal(ssdpm, 60, "show", "nvme0", "--root", "empty")
    assert "ssdpm apply --root empty --latency 100ms nvme0" in text


def columns(line: str) -> int:
    """What a terminal that is not ours shows."""
    screen = pyte.Screen(200, 2)
    pyte.Stream(screen).feed(line)
    return screen.cursor.x


def test_wide_and_combining_characters_take_the_columns_that_a_terminal_shows(
    ssdpm: Command,
) -> None:
    for name in ("\u6771\u829d\u6771\u829d", "e\u0301te\u0301e\u0301", "\uac00\ub098\ub2e4"):
        ssdpm.output("apst", "--raw", f"{name}.bin", "plain.json")
        call = ["apst", "--diff", "linux:limit=1ms", "--diff", f"{name}.bin", "plain.json"]
        lines = ssdpm.output(*call).splitlines()
        head = next(line for line in lines if line.endswith("same"))
        row = next(line for line in lines if line.endswith("no"))
        # The last column begins where its head does.
        assert columns(head) - len("same") == columns(row) - len("no"), (head, row)


def test_a_cell_that_is_longer_than_a_line_is_folded(ssdpm: Command) -> None:
    call = "estimate -q --power-cap 0.8W:1000s,0.65W --mix write=100%"
    text = on_terminal(ssdpm, 40, *call.split(), "WDC WDS250G2B0C-00PXH0")
    assert "limited" in text
    assert max(len(line) for line in text.splitlines()) <= 40
