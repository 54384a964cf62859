# SPDX-License-Identifier: MIT
"""The first screen: it fits, it says whether drives sleep, and its next command works."""

from __future__ import annotations

import fcntl
import json
import os
import pathlib
import pty
import re
import shlex
import signal
import struct
import subprocess
import termios
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import machines
import pytest
from command import Command, read_terminal
from test_programs import put

Make = Callable[[str], pathlib.Path]


@pytest.fixture(autouse=True)
def as_on_a_screen(ssdpm: Command) -> None:
    ssdpm.wide = False


@pytest.fixture
def screen(ssdpm: Command) -> Callable[..., list[str]]:
    """The lines of ssdpm status of a machine, below the directory of the command."""

    def lines(name: str, *options: str) -> list[str]:
        root = ssdpm.directory / name
        if not root.exists():
            machines.write(name, root)
        result = ssdpm("status", "--root", name, *options)
        # Of six, something cannot be read.
        assert result.returncode == (name == "hostile"), result.stderr
        return result.stdout.decode().splitlines()

    return lines


def cells(line: str) -> list[str]:
    return re.split(r"  +", line.strip())


@pytest.mark.parametrize("name", machines.MACHINES)
def test_the_screen_fits_a_terminal_and_leads_on(
    screen: Callable[..., list[str]], name: str
) -> None:
    lines = screen(name)
    assert len(lines) <= 24
    assert not [line for line in lines if len(line) > 80]
    assert cells(lines[0]) == ["drive", "product", "now", "best change, I/O delay"]
    end = lines.index("")
    assert all(
        len(cells(line)) == 4
        for line in lines[1:end]
        if not line.startswith(("Savings are", "A capture keeps"))
    )
    assert lines[end + 1].startswith(
        ("Next", "No other latency limit or link policy is known to save")
    ) or "; tune may find more." in lines[end + 1]
    assert [line.split()[:2] for line in lines[-3:]] == [
        ["ssdpm", word] for word in ("show", "tune", "help")
    ]


def setting_words(setting: dict[str, Any]) -> str:
    us = setting["max_exit_latency_us"]
    if setting["lpm"]:
        return str(setting["lpm"])
    return f"latency limit {us / 1000:g} ms" if us >= 1000 else f"latency limit {us} us"


@pytest.mark.parametrize("name", machines.MACHINES)
def test_the_screens_say_what_to_set_what_waits_and_how_to_go_back(
    ssdpm: Command, screen: Callable[..., list[str]], name: str
) -> None:
    undo = f"ssdpm revert --root {name}"
    changed = [last for _, _, last in rows(screen(name)).values() if re.search(r"W [+-]\d", last)]
    first = "\n".join(screen(name))
    assert (f"Next: ssdpm tune --root {name}\n" in first) is bool(changed)
    assert (f"It shows the change and asks; {undo} undoes it." in first) is bool(changed)
    lines = ssdpm("tune", "--dry-run", "--root", name).stdout.decode().splitlines()
    assert len(lines) <= 24 and not [line for line in lines if len(line) > 80]
    assert lines[0].startswith("Change " if changed else "Nothing to change: ")
    whole = "\n".join(lines)
    assert (f"\nUndo: {undo}\n" in whole) is bool(changed)
    assert bool(re.search(r"\nI/Os then wait for at most [\d.]+ % of the time", whole)) is bool(
        changed
    )
    # The setting that the first screen gives is the one of tune, on both.
    listed = json.loads(ssdpm("tune", "-n", "--root", name, "--json").stdout)["drives"]
    to_set = {one["name"]: one for one in listed if one["advice"] == "set"}
    settings = {setting_words(one["setting"]) for one in to_set.values()}
    named = re.search(r"\n  It sets (.*?)\.\n  It shows", first, re.S)
    assert bool(named) is bool(changed)
    if named:
        given = re.findall(r"(\S.*?) on (\S+)(?: and (\d+) more)?(?:, |$)", " ".join(named[1].split()))
        for setting, drive, _ in given:
            assert setting_words(to_set[drive]["setting"]) == setting
        assert sum(1 + int(more or 0) for *_, more in given) == len(changed)
        assert all(setting in whole for setting in settings)
    # What is open has what would decide it.
    assert ("not decided" in whole) is ("\nTo decide: ssdpm compare " in whole)
    # Only what tune would evaluate, too, is said to need no change.
    found = json.loads(ssdpm("tune", "-n", "--root", name, "--json").stdout)["drives"]
    estimated = {one["name"]: one.get("likely") for one in found}
    for drive, (_, _, last) in rows(screen(name)).items():
        likely = estimated.get(drive)
        if likely and likely["verdict"] == "not-decided":
            assert last in ("not decided", "see tune")


def rows(lines: list[str]) -> dict[str, list[str]]:
    table = [cells(line) for line in lines[1 : lines.index("")]]
    return {row[0]: row[1:] for row in table if len(row) == 4}


def test_drives_of_one_kind_share_a_row_once_there_are_many(ssdpm: Command) -> None:
    made = machines.Machine(machines.KERNEL_7)
    for i in range(26):
        drive = machines.SN530 if i % 3 else machines.EVO_PLUS
        table = machines.SN530_TABLE if i % 3 else machines.EVO_PLUS_TABLE
        made.nvme(drive, machines.L1_2_ON, table=table)
    made.write(ssdpm.directory / "many")
    lines = ssdpm.output("--root", "many").splitlines()
    assert len(lines) <= 24
    assert [cells(line)[:2] for line in lines[1:3]] == [
        ["nvme0 +8", machines.EVO_PLUS.product],
        ["nvme1 +16", machines.SN530.product],
    ]


def test_drives_of_many_kinds_fit_the_screen_and_those_that_could_sleep_come_first(
    ssdpm: Command,
) -> None:
    made = machines.Machine(machines.KERNEL_7)
    made.host("Supermicro", "Super Server", "X12SPL-F")
    for i in range(40):
        drive = replace(machines.SN530, product=f"Drive {i // 2}")
        tolerance = 0 if i in (30, 31) else 100000
        table = machines.SN530_TABLE if tolerance else []
        made.nvme(drive, machines.L1_2_ON, tolerance=tolerance, table=table)
    made.write(ssdpm.directory / "kinds")
    lines = ssdpm.output("--root", "kinds").splitlines()
    assert len(lines) <= 24 and not [line for line in lines if len(line) > 80]
    assert cells(lines[1])[:3] == ["nvme30 +1", "Drive 15", "awake: APST is off"]
    shown = lines[1 : next(i for i, line in enumerate(lines) if line.startswith("and "))]
    assert [cells(line)[0] for line in shown[1:]] == [f"nvme{i} +1" for i in range(0, 20, 2)]
    assert lines[1 + len(shown)] == "and 18 more; --json has all"


def test_tune_counts_the_drives_that_its_screen_leaves_out(ssdpm: Command) -> None:
    made = machines.Machine(machines.KERNEL_7)
    made.host("Supermicro", "Super Server", "X12SPL-F")
    for i in range(60):
        drive = replace(machines.SN530, product=f"Drive {i // 3}")
        made.nvme(drive, machines.L1_2_ON, tolerance=0)
    made.write(ssdpm.directory / "kinds")
    lines = ssdpm.output("tune", "-n", "--root", "kinds").splitlines()
    assert len(lines) <= 24 and lines[0].startswith("Change 60 of 60 drives: ")
    n_rows = sum(" +2 " in line for line in lines)
    assert f"and {60 - 3 * n_rows} more; --json has all" in lines


def test_it_says_whether_each_drive_sleeps_and_why_not(
    screen: Callable[..., list[str]],
) -> None:
    desktop = rows(screen("desktop-6.1"))
    assert desktop["nvme0"][1:] == ["sleeps less: no L1.2", "link: saves 54 mW"]
    assert desktop["sda"][1] == "awake: LPM is off"
    assert desktop["sdb"][1] == "sleeps: data at risk"
    # Ports without a disk are no drives.
    assert "host2" not in desktop
    assert rows(screen("laptop"))["nvme0"][1:] == ["sleeps", "see tune"]
    assert rows(screen("old-5.10"))["sda"][1] == "awake: a quirk"
    assert {row[1] for row in rows(screen("quirked")).values()} == {"sleeps", "awake: a quirk"}
    assert rows(screen("apst-off"))["nvme0"][1] == "awake: APST is off"


def test_the_next_command_does_what_it_promises(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    (line,) = [line for line in screen("desktop-6.1") if line.startswith("Next: ")]
    call = shlex.split(line.removeprefix("Next: "))
    assert ssdpm(*call[1:], "--yes").returncode == 0
    after = rows(screen("desktop-6.1"))
    assert "  ssdpm revert --root desktop-6.1   undoes what ssdpm has set" in screen("desktop-6.1")
    assert [after[name][1:] for name in ("sda", "sdb")] == [["sleeps", "see tune"]] * 2


def test_a_saving_is_the_one_that_plan_shows(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    said = rows(screen("desktop-6.1"))["sda"][2]
    call = "plan --root desktop-6.1 --profile auto sda --trace desktop-session"
    plan = ssdpm.output(*call.split())
    found = re.search(r"saves (\d+ mW) \(likely", plan)
    assert found and said.startswith(f"saves {found[1]} +")


def test_what_waits_is_said_before_all_else(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    screen("laptop")
    root = ssdpm.directory / "laptop"
    (root / "etc").mkdir(exist_ok=True)
    (root / "etc/ssdpm.conf").write_text("[drive]\nkind = nvme\nmax_exit_latency = 7ms\n")
    assert screen("laptop")[:3] == [
        "1 setting of ssdpm.conf(5) is not in force: ssdpm check --root laptop says",
        "  which; ssdpm apply --root laptop --config sets it",
        "",
    ]
    # That is what comes next.
    assert not [line for line in screen("laptop") if line.startswith(("Next", "No change"))]
    assert ssdpm("apply", "--config", "--root", "laptop", "-q").returncode == 0
    assert screen("laptop")[0].startswith("drive ")
    (root / "run/ssdpm/journal").write_text("cut off")
    assert "cannot be undone" in screen("laptop")[0]
    # A fault in a file hides no drive.
    (root / "etc/ssdpm.conf").write_text("[drive]\nkind = tape\n")
    result = ssdpm("status", "--root", "laptop")
    assert result.returncode == 1 and b"ssdpm.conf" in result.stderr
    assert b"\nnvme0  " in result.stdout
    assert screen("laptop", "--quiet")[0].startswith("drive ")


def test_without_a_drive_it_shows_where_to_begin(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    screen("laptop")
    for link in (ssdpm.directory / "laptop/sys/class/nvme").iterdir():
        link.unlink()
    lines = screen("laptop")
    assert lines[0] == "No NVMe or SATA drive is here. Try one of the catalogue:"
    assert ssdpm.output("tune", "--dry-run", "--root", "laptop").splitlines() == lines
    for line in lines[1:]:
        call = shlex.split(re.split(r"   +|  (?=which)", line.strip())[0])
        assert ssdpm(*call[1:]).returncode == 0, line


def test_without_a_command_it_is_that_of_this_machine(ssdpm: Command) -> None:
    result = ssdpm()
    assert result.returncode == 0
    assert result.stdout == ssdpm("status").stdout
    assert result.stdout.startswith((b"drive ", b"No NVMe or SATA drive is here"))


def test_without_the_other_program_it_estimates_nothing(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    screen("desktop-6.1")
    put(ssdpm, "ssdpm")
    found = rows(screen("desktop-6.1"))
    assert found["nvme0"][2] == "no change" and found["sda"][2] == "other settings"


def drives(ssdpm: Command, *call: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(ssdpm.output(*call, "--json"))["drives"]
    return found


def test_as_json_it_has_what_the_screen_says(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    shown = rows(screen("desktop-6.1"))
    found = {one["name"]: one for one in drives(ssdpm, "status", "--root", "desktop-6.1")}
    listed = {one["name"]: one for one in drives(ssdpm, "list", "--root", "desktop-6.1")}
    tuned = {one["name"]: one for one in drives(ssdpm, "tune", "-n", "--root", "desktop-6.1")}
    assert found.keys() == listed.keys()
    assert shown.keys() <= found.keys()
    for name, one in found.items():
        assert one["schema"] == "ssdpm.status/1"
        assert one["verdict"] == listed[name]["verdict"]
        assert one["journal"] is None and one["n_pending"] == 0
    for name in ("sda", "sdb"):
        # The screen of status has no line for the answers that tune takes longer to find.
        known = {**tuned[name], "awake": None, "further": None}
        assert found[name]["best"] == known and known["advice"] == "set"
    assert found["sda"]["reason"] in [d["message"] for d in listed["sda"]["diagnosis"]]
    assert found["sda"]["advice"]


@pytest.mark.parametrize("name", ["apst-empty", "apst-off", "desktop-6.1"])
def test_advice_for_programs_is_that_of_the_first_problem_with_a_remedy_and_names_the_root(
    ssdpm: Command, name: str
) -> None:
    machines.write(name, ssdpm.directory / name)
    shown = drives(ssdpm, "show", "--root", name)
    for short, whole in zip(drives(ssdpm, "status", "--root", name), shown):
        problems = [one for one in whole["diagnosis"] if one["severity"] == "problem"]
        advice = [one["advice"] for one in problems if one["advice"]]
        assert short["advice"] == (advice[0] if advice else None)
        for one in whole["diagnosis"]:
            calls = re.findall(r"\bssdpm [a-z]+ \S+ \S+", one["advice"] or "")
            assert all(call.endswith(f" --root {name}") for call in calls)
    first = ssdpm.output("status", "--root", name, "--value", "advice").splitlines()
    if name != "desktop-6.1":
        assert first[0].startswith(f"ssdpm apply --root {name} --latency 100ms nvme0")
    ports = json.loads(ssdpm.output("lpm", "--root", name, "--json"))["ports"]
    calls = [port["advice"] for port in ports if "ssdpm lpm" in (port["advice"] or "")]
    assert all(call.startswith(f"ssdpm lpm --root {name} --set ") for call in calls)


def test_as_json_it_counts_what_is_not_in_force(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    screen("laptop")
    root = ssdpm.directory / "laptop"
    (root / "etc").mkdir(exist_ok=True)
    (root / "etc/ssdpm.conf").write_text("[drive]\nkind = nvme\nmax_exit_latency = 7ms\n")
    (root / "run/ssdpm").mkdir(parents=True, exist_ok=True)
    (root / "run/ssdpm/journal").write_text("cut off")
    [found] = drives(ssdpm, "status", "--root", "laptop")
    assert found["n_pending"] == 1 and found["journal"]["state"] == "refused"
    # A fault in a file hides no drive.
    (root / "etc/ssdpm.conf").write_text("[drive]\nkind = tape\n")
    result = ssdpm("status", "--root", "laptop", "--json")
    answer = json.loads(result.stdout)
    assert result.returncode == 1 and "ssdpm.conf" in answer["errors"][0]
    assert [(one["name"], one["n_pending"]) for one in answer["drives"]] == [("nvme0", None)]


def test_without_the_other_program_its_json_has_no_best_setting(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    screen("desktop-6.1")
    whole = drives(ssdpm, "status", "--root", "desktop-6.1")
    put(ssdpm, "ssdpm")
    assert drives(ssdpm, "status", "--root", "desktop-6.1") == [
        {**one, "best": None} for one in whole
    ]


def on_terminal(ssdpm: Command, columns: int, *call: str, **environment: str) -> str:
    """What ssdpm status prints on a terminal of so many columns."""
    terminal, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    known = {key: value for key, value in ssdpm.environment.items() if key != "NO_COLOR"}
    with subprocess.Popen(
        ["ssdpm", "status", *call],
        cwd=ssdpm.directory,
        env={**known, "TERM": "xterm", **environment},
        stdout=slave,
    ) as process:
        return read_terminal(process, terminal, slave).decode().replace("\r\n", "\n")


def test_a_terminal_has_colors_unless_it_refuses_them(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    plain = "\n".join(screen("desktop-6.1")) + "\n"
    call = ("--root", "desktop-6.1")
    colored = on_terminal(ssdpm, 80, *call)
    assert {"\x1b[31m", "\x1b[33m"} <= set(re.findall(r"\x1b\[3\dm", colored))
    assert re.sub(r"\x1b\[\d+m", "", colored) == plain
    assert on_terminal(ssdpm, 80, *call, NO_COLOR="1") == plain
    assert on_terminal(ssdpm, 80, *call, TERM="dumb") == plain
    assert on_terminal(ssdpm, 80, *call, "--color", "never") == plain
    assert "\n".join(screen("desktop-6.1", "--color", "always")) + "\n" == colored
    assert ssdpm("status", "--color", "red").returncode == 2


def test_it_is_as_wide_as_the_terminal(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    plain = screen("laptop")
    wide = on_terminal(ssdpm, 200, "--root", "laptop", "--color", "never").splitlines()
    assert wide == plain
    for columns in (30, 40, 50):
        call = ("--root", "laptop", "--color", "never")
        narrow = on_terminal(ssdpm, columns, *call).splitlines()
        # Commands are copied, and stay in one piece.
        long = [line for line in narrow if len(line) > columns]
        assert all(line.startswith("  ssdpm ") for line in long), long
        assert len(wide[1]) > columns


def test_its_options_need_no_command(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    colored = screen("laptop", "--color", "always")
    assert ssdpm.output("--root", "laptop", "--color=always").splitlines() == colored
    # They may stand before a command, too, which takes them or names itself.
    assert ssdpm("--color", "never", "apst", "--root", "laptop", "nvme0").returncode == 2
    result = ssdpm("--watch", "5", "list")
    assert result.returncode == 2 and result.stderr.startswith(b"ssdpm list: ")


def test_watch_prints_it_again_until_nobody_reads_it(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    once = screen("laptop")
    with subprocess.Popen(
        ["ssdpm", "--root", "laptop", "--watch", "1"],
        cwd=ssdpm.directory,
        env=ssdpm.environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        again = [process.stdout.readline().rstrip("\n") for _ in range(2 * len(once))]
        process.stdout.close()
        assert process.wait(timeout=60) != 0
    assert again == once * 2
    assert ssdpm("status", "--watch", "0").returncode == 2
    assert ssdpm("status", "--watch", "1s", "--json").returncode == 2


def test_the_last_column_claims_nothing_of_what_is_out_of_reach(
    screen: Callable[..., list[str]]
) -> None:
    far = [line for line in screen("server") if "out of reach" in line]
    assert len(far) == 5 and all(line.endswith("out of reach  -") for line in far)
    # Its power is that of another machine.
    assert rows(screen("server"))["nvme0"][1:] == ["sleeps", "not estimated"]
    text = " ".join(" ".join(screen("eight-drives")).split())
    assert "6 of 8 drives sleep; tune may find more." in text
    assert "no other latency limit or link policy is known to save." in text
    assert "The drive sleeps; tune may find more." in screen("laptop")


@pytest.mark.parametrize("state", ["dead", "resetting"])
def test_nothing_is_said_to_be_saved_by_a_controller_that_is_not_live(
    ssdpm: Command, state: str
) -> None:
    made = machines.Machine(machines.KERNEL_7)
    made.host("Framework", "Laptop", "FRANMACP04")
    made.nvme(machines.SN530, machines.L1_2_OFF, table=machines.SN530_TABLE, state=state)
    made.nvme(machines.SN530, machines.L1_2_ON, tolerance=0, state=state)
    made.write(ssdpm.directory / "lost")
    lines = ssdpm.output("--root", "lost").splitlines()
    assert [row[1:] for row in rows(lines).values()] == 2 * [
        ["not known: not live", "not estimated"]
    ]
    # No remedy for the link of a drive that does not answer.
    assert not [line for line in lines if line.startswith(("Next", "To decide"))]
    text = ssdpm.output("tune", "-n", "--root", "lost")
    assert text.startswith("Nothing to change: ")
    why = f"the controller is {state}, not live: what it saves is unknown"
    assert f"nvme0 +1: {why}\n" in text
    assert "sleep already saves" not in text and "I/Os wait" not in text
    assert ssdpm.fails(3, "recommend", "--root", "lost", "nvme0") == f"ssdpm: nvme0: {why}"
    for drive in json.loads(ssdpm("tune", "-n", "--root", "lost", "--json").stdout)["drives"]:
        assert drive["message"] == why
        assert not any(drive[key] for key in ("advice", "likely", "awake", "link", "before"))


def test_what_is_wrong_with_the_link_is_not_why_a_drive_is_unknown(ssdpm: Command) -> None:
    made = machines.Machine(machines.KERNEL_7)
    made.host("Framework", "Laptop", "FRANMACP04")
    strange = replace(machines.SN530, product="Zorg 3000")
    made.nvme(strange, machines.L1_2_OFF, known=False)
    made.write(ssdpm.directory / "strange")
    lines = ssdpm("--root", "strange").stdout.decode().splitlines()
    assert rows(lines)["nvme0"][1:] == ["not known", "not known"]
    assert "Next, for nvme0:" in lines


def test_a_capture_that_lacks_the_dump_of_a_drive_is_to_be_made_anew(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    words = "make the capture anew on that machine: sudo ssdpm capture --identify DIR"
    assert words in " ".join(" ".join(screen("hostile")).split())
    assert words in ssdpm("show", "nvme0", "--root", "hostile", "--wide").stdout.decode()


class Watch:
    """ssdpm --watch 1 in a terminal, and its frames."""

    HOME = b"\x1b[H\x1b[J"

    def __init__(self, ssdpm: Command, terminal: str = "xterm") -> None:
        self.fd, other = pty.openpty()
        self.size(80)
        self.shown = b""
        self.process = subprocess.Popen(
            ["ssdpm", "--root", "laptop", "--watch", "1"],
            cwd=ssdpm.directory,
            env={**ssdpm.environment, "TERM": terminal, "NO_COLOR": "1"},
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(other)

    def size(self, columns: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def until(self, text: bytes) -> bytes:
        """What is shown to the first such text after what was read before."""
        while text not in self.shown:
            more = os.read(self.fd, 65536)
            assert more
            self.shown += more
        head, _, self.shown = self.shown.partition(text)
        return head

    def frame(self) -> str:
        return self.until(self.HOME).decode().replace("\r\n", "\n")


def test_watch_draws_over_what_it_drew_and_follows_the_window(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    machine("laptop").rename(ssdpm.directory / "laptop")
    watch = Watch(ssdpm)
    assert watch.frame() == ""
    ssdpm.wide = False
    assert watch.frame() == ssdpm.output("--root", "laptop")
    watch.size(40)
    watch.frame()
    narrow = watch.frame()
    assert max(map(len, narrow.splitlines())) <= 40
    # The terminal's key for an interrupt, which ends it as any other program.
    os.write(watch.fd, b"\x03")
    assert watch.process.wait(60) == -signal.SIGINT
    os.close(watch.fd)


def test_watch_goes_on_if_a_drive_goes_away_and_ends_with_its_terminal(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    machine("laptop").rename(ssdpm.directory / "laptop")
    watch = Watch(ssdpm)
    watch.until(b"nvme0  WDC PC SN530")
    (ssdpm.directory / "laptop/sys/class/nvme/nvme0").unlink()
    watch.until(b"No NVMe")
    watch.until(b"No NVMe")
    os.close(watch.fd)
    assert watch.process.wait(60) == -signal.SIGHUP


def test_watch_sends_a_dumb_terminal_no_sequence(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    machine("laptop").rename(ssdpm.directory / "laptop")
    watch = Watch(ssdpm, "dumb")
    shown = watch.until(b"drive  product") + watch.until(b"drive  product")
    watch.process.kill()
    watch.process.wait(60)
    os.close(watch.fd)
    assert b"\x1b" not in shown


def test_a_link_that_keeps_a_drive_from_sleep_has_its_remedy_on_the_first_screen(
    ssdpm: Command, machine: Make
) -> None:
    machine("no-aspm").rename(ssdpm.directory / "no-aspm")
    screen = ssdpm.output("status", "--root", "no-aspm")
    words = " ".join(screen.split())
    call = "ssdpm apply --root no-aspm --aspm-policy powersupersave"
    found = re.search(
        rf"Next, for nvme1, saves (\d+ mW) \(likely \d+ to \d+\): {call} for all", words
    )
    # A shell takes it as it is printed.
    assert f"\n  {call}\n" in screen
    assert ssdpm.shell(call).returncode == 0
    assert found and f"less: no ASPM link: saves {found[1]}\n" in re.sub("  +", " ", screen)
    assert "Savings are likely ones on the workload desktop-session" in words


def put_port(root: pathlib.Path, port: machines.Port) -> str:
    machine = machines.Machine(machines.KERNEL_6_1)
    machine.host("ACME", "Box", "Board")
    machine.ahci("0000:00:17.0", [port], caps=machines.CAP | machines.CAP_SXS)
    machine.write(root)
    return str(root)


@pytest.mark.parametrize("policy", ["max_performance", "medium_power", "min_power"])
def test_no_sleep_is_advised_on_a_hot_plug_port(
    ssdpm: Command, tmp_path: pathlib.Path, policy: str
) -> None:
    """A disk that is plugged in would not be noticed."""
    port = machines.Port(machines.MX500, policy, bits=machines.HPCP)
    root = put_port(tmp_path / "hot", port)
    for call in (["status"], ["show", "sda"], ["lpm"]):
        assert "--set" not in ssdpm.output(*call, "--root", root)
    assert ssdpm.json("status", "--root", root)["advice"] is None


def test_a_link_that_a_quirk_keeps_awake_does_not_sleep_at_min_power(
    ssdpm: Command, tmp_path: pathlib.Path
) -> None:
    port = machines.Port(machines.MX100, "min_power")
    root = put_port(tmp_path / "quirk", port)
    text = ssdpm.output("--root", root)
    assert "awake: a quirk" in text and "Next, " not in text
    assert "saves nothing: the link is always at full power" in ssdpm.output(
        "show", "--root", root, "sda"
    )


def test_a_limit_that_cannot_be_read_is_not_taken_for_no_apst(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    (root / "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us").write_text("garbage\n")
    call = ["--root", str(root)]
    result = ssdpm(*call)
    assert result.returncode == 1 and b"cannot be read" in result.stdout
    assert b"nvme0: cannot read " in result.stderr
    result = ssdpm("status", *call, "--json")
    found = json.loads(result.stdout)
    assert result.returncode == 1 and found["drives"][0]["verdict"] == "not-known"
    assert len(found["errors"]) == 1
    text = ssdpm.output("show", "nvme0", *call)
    assert "latency limit   cannot be read" in text and "no APST" not in text
    for command in (["check", "-l", "25ms"], ["plan", "-l", "25ms"], ["tune", "-n"]):
        result = ssdpm(*command, *call)
        assert result.returncode == 1 and re.search(rb"cannot be read|cannot read /", result.stderr)


def test_each_call_of_the_screen_has_the_root_that_was_asked(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    for name in ("laptop", "no-aspm", "desktop-6.1"):
        for call in re.findall(r"ssdpm (?!help)[a-z].*", "\n".join(screen(name))):
            assert f"--root {name}" in call or "takes yours" in call, call


def test_a_capture_says_that_it_keeps_the_registers_of_a_port(
    ssdpm: Command, screen: Callable[..., list[str]]
) -> None:
    """What Linux writes there with a policy is not in it."""
    words = "A capture keeps the registers of a port that were read;"
    assert words not in "\n".join(screen("desktop-6.1"))
    root = ssdpm.directory / "desktop-6.1"
    [policy] = root.glob("sys/devices/**/scsi_host/host1/link_power_management_policy")
    [command] = root.glob("sys/devices/**/scsi_host/host1/ahci_port_cmd")
    policy.write_text("med_power_with_dipm\n")
    command.write_text(f"{machines.CMD:x}\n")
    text = "\n".join(screen("desktop-6.1"))
    assert "no ALPE" in text and words in text


def test_an_ssd_that_linux_takes_for_a_hard_disk_is_none_on_the_screen(
    ssdpm: Command, desktop: pathlib.Path
) -> None:
    before = ssdpm.output("status", "--root", str(desktop))
    (desktop / "sys/block/sda/queue/rotational").write_text("1\n")
    assert ssdpm.output("status", "--root", str(desktop)) == before
    assert "awake: LPM is off     saves 260 mW" in before
