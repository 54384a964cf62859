# SPDX-License-Identifier: MIT
"""The screen of ssdpm watch in a terminal, and its lines of JSON."""

from __future__ import annotations

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time
from typing import Any, Callable, Iterator

import documented
import pytest
from command import Command, preloaded
from screens import Terminal
from test_watch_live import INSIDE, MACHINE, Watched, kernel, watched

__all__ = ["watched"]

Open = Callable[..., Terminal]


@pytest.fixture
def pipe(watched: Watched) -> Iterator[Any]:
    with kernel(watched) as one:
        yield one


@pytest.fixture
def terminal(watched: Watched, pipe: Any) -> Iterator[Open]:
    """A call in a terminal, once the trace is on."""
    opened: list[Terminal] = []

    def call(*arguments: str, **more: Any) -> Terminal:
        one = Terminal(watched, *arguments, **more)
        opened.append(one)
        one.wait("q quit|^q")
        return one

    yield call
    for one in opened:
        one.close()


def io(watched: Watched, pipe: Any, thread: str = "dd") -> None:
    pipe.write(watched.io().replace("dd", thread))
    pipe.flush()


def work(watched: Watched, pipe: Any, one: Terminal) -> None:
    """Three I/Os of dd and one of cat, all of which the screen shows."""
    for thread in ("dd", "dd", "dd", "cat"):
        io(watched, pipe, thread)
    one.wait(r"^dd +3 +0 ")
    one.wait(r"^cat +1 +0 ")


def test_the_screen_has_the_state_the_power_and_who_makes_it_work(
    watched: Watched, pipe: Any, terminal: Open
) -> None:
    one = terminal()
    assert one.lines[0].startswith("ssdpm watch  nvme0  drive 1 of 1")
    one.wait("^Now unknown: no I/O came yet$")
    one.wait("^nvme0: no I/O came$")
    work(watched, pipe, one)
    one.wait(r"^Now asleep in PS4$")
    one.wait(r"^nvme0, simulated: asleep [\d.]+ % of .*, about [\d.]+ mW$")
    one.wait(r"^Likely power: [\d.]+ mW to [\d.]+ m?W")
    one.wait(r"^Nothing woke it$")
    one.wait(r"^Busy .* %, idle .* %, entering or leaving .* %$")
    one.wait(r"^cause +I/Os +admin +wakes +takes +without it$")
    one.wait(r"^dd +3 +0 +0 +[\d.]+ [mu]?W +-?[\d.]+ [mu]?W$")
    one.wait(r"^nobody: at rest +[\d.]+ mW$")
    assert one.lines[-1] == (
        "q quit  s sort: takes  p pause  d drive  w save  h help"
    )
    one.until(lambda: one.fills(24, 80), "a whole screen")


def test_sorting_goes_through_all_columns(
    watched: Watched, pipe: Any, terminal: Open
) -> None:
    one = terminal()
    work(watched, pipe, one)
    for column in ("without it", "wakes", "I/Os", "name"):
        one.press("s")
        one.wait(f"s sort: {column}  ")
        if column == "I/Os":
            one.until(lambda: one.row("dd") < one.row("cat"))
    one.until(lambda: one.row("cat") < one.row("dd"))
    one.press("s")
    one.wait("s sort: takes  ")


def test_a_paused_screen_stands_still_and_the_trace_goes_on(
    watched: Watched, pipe: Any, terminal: Open
) -> None:
    one = terminal()
    work(watched, pipe, one)
    one.press("p")
    one.wait("nvme0  PAUSED")
    before = one.text
    io(watched, pipe)
    end = time.monotonic() + 3
    while time.monotonic() < end:
        one.read(0.1)
    assert one.text == before
    one.press("p")
    one.wait(r"^dd +4 +0 ")
    assert "PAUSED" not in one.text


def test_help_names_each_key_and_any_key_ends_it(terminal: Open) -> None:
    one = terminal()
    one.press("h")
    one.wait("Press a key to go back")
    keys = re.findall(r"^(s|p|d|w|h|q, Ctrl-C) +\S", one.text, re.M)
    assert len(keys) == 6
    assert max(map(len, one.lines)) < 80
    one.press("h")
    one.wait("^cause ")
    for key in ("x", "\033", "\033[A", "\033[Dh"):
        one.press("h")
        one.wait("Press a key to go back")
        one.press(key)
        one.wait("^cause ")


def test_the_drives_follow_each_other_and_each_has_its_own_causes(
    watched: Watched, pipe: Any, terminal: Open
) -> None:
    [first] = watched.root.glob("sys/class/nvme/nvme0")
    for i in range(1, 20):
        name = f"nvme{i}"
        shutil.copytree(first, first.parent / name, symlinks=True)
        (first.parent / name / "nvme0n1").rename(first.parent / name / f"{name}n1")
        watched.make_disk(f"{name}n1", f"259:{16 * i}")
        shutil.copy(watched.disk / "stat", watched.disk.parent / f"{name}n1/stat")
    one = terminal()
    one.wait("nvme0  drive 1 of 20")
    work(watched, pipe, one)
    for shown in range(2, 21):
        one.press("d")
        one.wait(f"drive {shown} of 20")
        one.wait("no I/O came yet")
        assert "dd" not in one.text
    one.press("d")
    one.wait(r"^dd +3 +0 ")
    one.press("ddd")
    one.wait("drive 4 of 20")
    one.press("q")
    assert one.ends() == 0


def test_the_trace_is_kept_from_one_key_to_the_next(
    watched: Watched, pipe: Any, terminal: Open
) -> None:
    directory = watched.ssdpm.directory
    (directory / "watch-1.txt").write_text("mine\n")
    one = terminal()
    io(watched, pipe)
    one.wait(r"^dd +1 +0 ")
    one.press("w")
    one.wait("saved to watch-2.txt")
    work_before = watched.n_ios
    io(watched, pipe, "cat")
    one.wait(r"^cat +1 +0 ")
    one.press("w")
    one.until(lambda: "saved to" not in one.text)
    io(watched, pipe)
    one.wait(r"^dd +2 +0 ")
    one.press("q")
    assert one.ends() == 0
    assert work_before == 1
    call = ["watch", "-q", "--read", "watch-2.txt", "--device", "259,0", "SN530"]
    drive = watched.ssdpm.json(*call)
    assert [(c["name"], c["n_ios"]) for c in drive["causes"]] == [("cat", 1)]
    assert "# policy: 259,0" in (directory / "watch-2.txt").read_text()
    assert (directory / "watch-1.txt").read_text() == "mine\n"


def test_a_file_that_cannot_be_made_is_said_and_ends_nothing(
    watched: Watched, pipe: Any, terminal: Open
) -> None:
    for i in range(1, 1000):
        (watched.ssdpm.directory / f"watch-{i}.txt").touch()
    one = terminal()
    one.press("w")
    one.wait(r"^cannot write watch-999.txt: File exists$")
    work(watched, pipe, one)
    one.press("x")
    one.until(lambda: "File exists" not in one.text)
    one.press("q")
    assert one.ends() == 0
    # It is said again where it stays.
    assert b"ssdpm: cannot write watch-999.txt: File exists" in one.raw


def test_of_hundreds_of_causes_the_first_are_shown_and_the_others_are_one(
    watched: Watched, pipe: Any, terminal: Open
) -> None:
    one = terminal()
    for i in range(390):
        io(watched, pipe, f"worker{i:03}")
    # There is room for 255; all others are one.
    one.wait(r"^other +135 ")
    for rows in (24, 30):
        one.resize(rows, 80)
        shown = r"^(\d+) others +[\d.]+ [mu]?W$"
        one.until(lambda rows=rows: one.fills(rows, 80), f"{rows} rows")
        one.until(lambda rows=rows: one.row("nobody: at rest") == rows - 2)
        others = int(one.wait(shown)[1])
        assert others + one.row("nobody") - 1 - (one.row("cause") + 1) == 256


def test_any_size_of_the_terminal_is_filled_and_not_more(
    watched: Watched, pipe: Any, terminal: Open
) -> None:
    one = terminal()
    work(watched, pipe, one)
    for rows, columns in ((5, 20), (50, 200), (1, 1), (2, 300), (24, 80)):
        one.resize(rows, columns)
        size = (rows, columns)
        one.until(lambda: one.fills(*size), f"a screen of {size}")


@pytest.mark.parametrize(
    ("number", "keys"),
    [
        (0, "q"),
        (0, "\003"),
        (signal.SIGINT, ""),
        (signal.SIGTERM, ""),
        (signal.SIGHUP, ""),
        (signal.SIGQUIT, ""),
    ],
)
def test_whatever_ends_it_the_terminal_is_as_before_and_has_what_was_seen(
    watched: Watched, pipe: Any, terminal: Open, number: int, keys: str
) -> None:
    one = terminal()
    work(watched, pipe, one)
    if keys:
        one.press(keys)
    else:
        one.process.send_signal(number)
    assert one.ends() == 0
    assert one.is_as_before()
    after = one.raw[one.raw.rindex(b"\033[?1049l") :].decode()
    assert re.search(r"^.*nvme0, simulated: asleep ", after)
    assert re.search(r"^  dd +3 ", after, re.M)
    assert "\033" not in after.replace("\033[?1049l", "")
    assert not list((watched.root / "sys/kernel/tracing/instances").iterdir())


def test_a_file_that_cannot_grow_ends_the_saving_and_is_told_at_the_end(
    watched: Watched, pipe: Any, terminal: Open
) -> None:
    one = terminal()
    one.press("w")
    one.wait("saved to watch-1.txt")
    resource.prlimit(one.process.pid, resource.RLIMIT_FSIZE, (20000, 20000))
    for _ in range(200):
        io(watched, pipe)
    one.until(lambda: "watch-1.txt" not in one.text)
    one.press("w")
    one.wait("saved to watch-2.txt")
    one.press("q")
    assert one.ends() == 1
    assert one.is_as_before()
    after = one.raw[one.raw.rindex(b"\033[?1049l") :].decode()
    assert "ssdpm: watch-1.txt: File too large" in after


def test_a_terminal_that_goes_away_ends_it(
    watched: Watched, pipe: Any, terminal: Open
) -> None:
    one = terminal()
    work(watched, pipe, one)
    os.close(one.other)
    os.close(one.fd)
    one.fd = one.other = -1
    one.process.wait(timeout=60)
    assert not list((watched.root / "sys/kernel/tracing/instances").iterdir())


def test_a_stop_gives_the_terminal_back_and_goes_on_with_the_screen(
    watched: Watched, pipe: Any, terminal: Open
) -> None:
    one = terminal()
    work(watched, pipe, one)
    for _ in range(2):
        one.press("\032")
        one.until(lambda: not one.is_own(), "a stop")
        one.until(lambda: is_stopped(one.process.pid))
        assert one.is_as_before()
        one.raw = b""
        one.process.send_signal(signal.SIGCONT)
        one.until(one.is_own, "the screen")
        one.until(lambda: b"\033[1;1H" in one.raw)
    io(watched, pipe)
    one.wait(r"^dd +4 +0 ")
    one.press("q")
    assert one.ends() == 0
    assert one.is_as_before()


def is_stopped(pid: int) -> bool:
    text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    return text.rsplit(")", 1)[1].split()[0] == "T"


def test_a_message_is_on_the_screen_and_stays_after_it(
    watched: Watched, pipe: Any, terminal: Open
) -> None:
    one = terminal()
    work(watched, pipe, one)
    watched.disk.rename(watched.root / "gone")
    one.wait("^nvme0 went away: what it does is unknown now$")
    one.wait("^Unknown: .* more, while it was not traced")
    one.press("q")
    assert one.ends() == 0
    after = one.raw[one.raw.rindex(b"\033[?1049l") :].decode()
    assert "ssdpm: nvme0 went away" in after


COLORS = re.compile(rb"\033\[3\dm")


@pytest.mark.parametrize(
    ("arguments", "environment", "colored"),
    [
        ([], {}, True),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"NO_COLOR": ""}, True),
        (["--color", "never"], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
    ],
)
def test_colors_are_what_was_asked_for(
    watched: Watched,
    pipe: Any,
    terminal: Open,
    arguments: list[str],
    environment: dict[str, str],
    colored: bool,
) -> None:
    one = terminal(*arguments, **environment)
    io(watched, pipe)
    one.wait("asleep in")
    assert bool(COLORS.search(one.raw)) == colored


def test_a_name_steers_no_terminal(
    watched: Watched, pipe: Any, terminal: Open
) -> None:
    one = terminal()
    io(watched, pipe, "a\033[2Jb")
    one.wait(r"^a\?\[2Jb +1 ")
    io(watched, pipe, "\N{GREEK SMALL LETTER MU}\N{GREEK SMALL LETTER NU}")
    one.wait("^\u03bc\u03bd +1 ")
    one.press("q")
    assert one.ends() == 0
    assert b"\033[2J" not in one.raw


@pytest.mark.parametrize(
    ("arguments", "more"),
    [(["--once"], {}), (["--for", "1s"], {}), (["-q"], {}), ([], {"TERM": "dumb"})],
)
def test_an_end_or_another_terminal_has_no_screen(
    watched: Watched, pipe: Any, arguments: list[str], more: dict[str, str]
) -> None:
    one = Terminal(watched, *arguments, **more)
    try:
        watched.wait(on=True)
        io(watched, pipe)
        time.sleep(1)
        one.process.terminate()
        assert one.ends() == 0
        assert b"\033" not in one.raw
        assert b"nvme0, simulated" in one.raw
    finally:
        one.close()


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_json_is_a_line_for_each_interval_and_all_at_the_end(
    watched: Watched, pipe: Any
) -> None:
    with watched.call("--json", "--interval", "200ms") as process:
        watched.wait(on=True)
        for _ in range(3):
            io(watched, pipe)
            time.sleep(0.5)
        process.terminate()
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    *intervals, last = objects(out)
    assert {one["schema"] for one in intervals} == {"ssdpm.watch-interval/1"}
    keys = set()
    for one in intervals:
        keys |= documented.check(one)["ssdpm.watch-interval/1"]
    assert keys == set(documented.schemas()["ssdpm.watch-interval/1"])
    [drive] = last["drives"]
    assert len(intervals) >= 3
    for before, after in zip(intervals, intervals[1:]):
        assert before["now_ns"] in (0, after["start_ns"])
    for key in ("n_ios", "n_wakes", "busy_ns", "asleep_ns", "bytes", "n_delayed"):
        assert sum(one[key] for one in intervals) == drive[key]
    assert drive["likely"]["low_uw"] <= drive["likely"]["high_uw"]


def test_an_end_alone_gives_one_object_and_an_interval_lines(
    watched: Watched, pipe: Any
) -> None:
    with watched.call("--json", "--for", "2s", "--interval", "500ms") as process:
        out, _ = process.communicate(timeout=120)
    *intervals, last = objects(out)
    assert 3 <= len(intervals) <= 5 and len(last["drives"]) == 1
    with watched.call("--json", "--for", "2s") as process:
        out, _ = process.communicate(timeout=120)
    assert json.loads(out).keys() == last.keys()


def test_who_has_read_enough_ends_it_without_an_error(watched: Watched, pipe: Any) -> None:
    with watched.call("--json", "--interval", "200ms") as process:
        assert process.stdout and process.stderr
        first = process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == ""
    assert json.loads(first)["schema"] == "ssdpm.watch-interval/1"
    assert not list((watched.root / "sys/kernel/tracing/instances").iterdir())


def test_a_stream_that_cannot_be_written_is_a_failure(watched: Watched, pipe: Any) -> None:
    program = str(watched.ssdpm.directory / "bin/ssdpm")
    inside = ["unshare", "-m", "bash", "-ec", INSIDE, str(watched.root), preloaded(MACHINE)]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*inside, program, "watch", "--json", "--interval", "200ms"],
            cwd=watched.ssdpm.directory,
            env=watched.environment,
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    assert done.returncode == 1
    assert b"standard output: No space left on device" in done.stderr


def test_a_recording_has_no_interval(ssdpm: Command) -> None:
    call = ["--read", "trace.txt", "--device", "1,1", "--interval", "1s", "SN530"]
    said = ssdpm.fails(2, "watch", "-q", *call)
    assert "--interval conflicts with --read" in said
    assert "200ms" in ssdpm.fails(2, "watch", "-q", "--interval", "1ms")
