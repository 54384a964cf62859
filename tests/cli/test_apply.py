# SPDX-License-Identifier: MIT
"""ssdpm apply, check and revert: all of it or nothing, proven, in force, and undone."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import documented
import pytest
from command import Command

Make = Callable[[str], pathlib.Path]
LIMIT = "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
PARAMETERS = "sys/module/nvme_core/parameters"


def value(root: pathlib.Path, path: str = LIMIT) -> str:
    return (root / path).read_text().strip()


def test_a_limit_is_written_read_back_and_in_force(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    plan = ssdpm.json("apply", "--root", str(laptop), "--latency", "25ms")
    assert [step["state"] for step in plan["steps"]] == ["done"]
    assert plan["in_force"] is True
    assert value(laptop) == "25000"
    again = ssdpm.json("apply", "--root", str(laptop), "--latency", "25ms")
    assert [step["state"] for step in again["steps"]] == ["in-force"]


def test_a_profile_is_written_as_a_whole(ssdpm: Command, laptop: pathlib.Path) -> None:
    call = ["--root", str(laptop), "--profile", "auto"]
    plan = ssdpm.json("plan", *call)
    done = ssdpm.json("apply", *call)
    assert {step["state"] for step in done["steps"]} <= {"done", "in-force"}
    for before, after in zip(plan["steps"], done["steps"], strict=True):
        assert before["after"] == after["after"]
        if before["state"] == "planned" and before["kind"] != "rebuild":
            assert value(laptop, before["target"].lstrip("/")) == before["after"]
    assert ssdpm("check", *call).returncode == 0


def test_of_many_at_once_each_is_done_and_the_last_one_holds(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    profiles = ["balanced", "performance", "power-saver"]
    for _ in range(8):
        running = [
            subprocess.Popen(
                ["ssdpm", "apply", "-q", "--root", laptop, "--profile", profile],
                env=ssdpm.environment,
                stderr=subprocess.PIPE,
            )
            for profile in profiles * 2
        ]
        for process in running:
            _, complaint = process.communicate(timeout=60)
            assert (process.returncode, complaint) == (0, b"")
        checks = [
            ssdpm("check", "--root", str(laptop), "--profile", profile).returncode
            for profile in profiles
        ]
        assert sorted(checks) == [0, 5, 5]


def test_quiet_runs_that_go_well_print_no_line(ssdpm: Command, machine: Make) -> None:
    """A coldplug calls apply for each drive, and all of it is logged."""
    for name in ("laptop", "eight-drives", "external-ports", "server"):
        root = machine(name)
        for _ in range(4):
            for profile in ("balanced", "power-saver"):
                result = ssdpm("apply", "-q", "--root", str(root), "-p", profile)
                assert (result.stdout, result.stderr) == (b"", b""), name
                assert result.returncode == 0
        result = ssdpm("revert", "-q", "--root", str(root))
        assert (result.stdout, result.stderr) == (b"", b""), name
        assert result.returncode == 0
    # What was asked for is printed.
    call = ["--root", str(machine("laptop")), "-q", "-l", "25ms"]
    assert ssdpm("apply", *call, "--dry-run").stdout
    assert ssdpm.json("apply", *call)["in_force"] is True


def test_a_quiet_run_says_what_failed(ssdpm: Command, laptop: pathlib.Path) -> None:
    (laptop / LIMIT).unlink()
    (laptop / LIMIT).symlink_to("/proc/self/comm")
    result = ssdpm("apply", "-q", "--root", str(laptop), "-l", "25ms", "nvme0")
    assert result.returncode != 0
    assert len(result.stderr.splitlines()) == 1
    assert len(result.stdout.splitlines()) <= 4


def test_dry_run_writes_nothing(ssdpm: Command, laptop: pathlib.Path) -> None:
    text = ssdpm.output("apply", "-n", "--root", str(laptop), "--latency", "25ms")
    assert text == ssdpm.output("plan", "--root", str(laptop), "--latency", "25ms")
    assert value(laptop) == "100000"
    assert not (laptop / "run").exists()


@pytest.mark.parametrize("name", ["laptop", "server", "desktop-6.1", "apst-off"])
@pytest.mark.parametrize("profile", ["power-saver", "balanced", "performance"])
def test_a_dry_run_lists_the_steps_of_the_run(
    ssdpm: Command, machine: Make, name: str, profile: str
) -> None:
    call = ["--root", str(machine(name))]
    for words in (["apply", *call, "-p", profile], ["revert", *call]):
        planned, done = (ssdpm.json(*words, *more)["steps"] for more in (["-n"], []))
        assert [
            {**step, "state": "done" if step["state"] == "planned" else step["state"]}
            for step in planned
        ] == done


def test_a_step_that_fails_has_all_undone_and_is_named(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    last = next(eight_drives.glob("sys/devices/pci*/*/*/nvme/nvme1")) / "power"
    limit = last / "pm_qos_latency_tolerance_us"
    limit.unlink()
    # Linux would take a number here; nobody can write this one.
    limit.symlink_to("/proc/self/comm")
    call = ["apply", "--root", str(eight_drives), "--latency", "25ms"]
    result = ssdpm(*call, "nvme0", "nvme1")
    assert result.returncode != 0
    assert result.stderr.startswith(b"ssdpm: ")
    assert value(eight_drives) == "100000"


def test_a_root_without_the_marker_is_left_alone(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    (laptop / "ssdpm-capture").unlink()
    result = ssdpm("apply", "--root", str(laptop), "--latency", "25ms")
    assert result.returncode == 1
    assert b"ssdpm-capture" in result.stderr or b"marker" in result.stderr
    assert value(laptop) == "100000"
    # To look is allowed.
    assert "(planned)" in ssdpm.output("plan", "--root", str(laptop), "-l", "25ms")


def test_without_privileges_it_is_status_4_with_advice(
    ssdpm: Command, laptop: pathlib.Path, unprivileged: Callable[..., Any]
) -> None:
    result = unprivileged("apply", "--root", str(laptop), "--latency", "25ms")
    assert result.returncode == 4, result.stderr
    assert b"root" in result.stderr
    assert value(laptop) == "100000"
    # What is so already needs none.
    result = unprivileged("apply", "--root", str(laptop), "--latency", "100ms")
    assert result.returncode == 0, result.stderr


def test_files_that_make_it_last_are_shown_then_written(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    call = ["apply", "--root", str(laptop), "-p", "balanced", "--persist", "udev"]
    text = ssdpm.output(*call)
    paths = re.findall(r"^(/\S+), mode \d+:$", text, re.M)
    assert paths
    for path in paths:
        written = (laptop / path.lstrip("/")).read_text()
        assert written in text and "ssdpm" in written
    (laptop / paths[0].lstrip("/")).write_text("# mine\n")
    result = ssdpm(*call)
    assert result.returncode == 1 and paths[0].encode() in result.stderr
    assert (laptop / paths[0].lstrip("/")).read_text() == "# mine\n"


def test_a_table_cannot_be_sent_to_a_capture(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    result = ssdpm("apply", "--root", str(laptop), "--apst", "linux-legacy", "nvme0")
    assert result.returncode != 0
    assert result.stderr.count(b"\n") == 1
    assert b"failed" in result.stdout or b"planned" in result.stdout


def test_an_old_kernel_is_told_by_its_own_rule(ssdpm: Command, machine: Make) -> None:
    root = machine("old-5.10")
    plan = ssdpm.json("apply", "--root", str(root), "--latency", "25ms", "nvme0")
    assert value(root) == "25000"
    assert plan["tables"][0]["after"]["entries"][0]["idle_ms"] == 745


@pytest.mark.parametrize("call", [["list"], ["apply", "--profile", "balanced"]])
def test_what_is_in_force_is_neither_written_nor_is_a_command_sent(
    ssdpm: Command, eight_drives: pathlib.Path, call: list[str]
) -> None:
    assert shutil.which("strace"), "install the package strace"
    assert ssdpm("apply", "--root", str(eight_drives), "-p", "balanced").returncode == 0
    assert (eight_drives / "run/ssdpm/lock").exists()
    trace = ssdpm.directory / "trace"
    line = " ".join([*call, "--root", str(eight_drives)])
    # Under strace a build with sanitizers cannot look for leaks.
    no_leaks = "ASAN_OPTIONS=detect_leaks=0"
    result = ssdpm.shell(f"{no_leaks} strace -f -y -o {trace} ssdpm {line}")
    assert result.returncode == 0, result.stderr
    text = trace.read_text()
    assert str(eight_drives) in text
    assert not re.search(r"\b(io_uring_\w+|unlink\w*|rename\w*|mkdir\w*)\(", text)
    # The terminal is asked for its size, perhaps; a drive never.
    assert not re.search(r"ioctl\([^)]*/(dev|machines)/", text)
    for write in re.findall(r"\bp?write(?:v|64)?\((\d+)<", text):
        assert write in "12", text
    opened = re.findall(r"\bopen(?:at2?)?\((.*)", text)
    assert opened
    # The lock is there already.
    opened = [o for o in opened if '"lock", O_RDONLY|O_CREAT|' not in o]
    assert not [o for o in opened if re.search(r"O_(WRONLY|RDWR|CREAT)", o)]


def test_the_json_of_a_failure_has_the_steps(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    (laptop / "ssdpm-capture").unlink()
    result = ssdpm("apply", "--root", str(laptop), "-l", "25ms", "--json")
    assert result.returncode == 1
    plan = documented.listed(result.stdout)
    assert plan["in_force"] is False and len(plan["steps"]) == 1


def test_drives_of_both_kinds_each_take_what_is_for_them(
    ssdpm: Command, machine: Make
) -> None:
    call = ["plan", "--root", str(machine("desktop-6.1"))]
    call += ["--latency", "25ms", "--lpm", "medium_power"]
    steps = ssdpm.json(*call, "nvme0", "sda")["steps"]
    assert [(step["device"], step["kind"]) for step in steps] == [
        ("nvme0", "latency-tolerance"), ("sda", "lpm"),
    ]  # fmt: skip
    # A disk behind USB takes neither.
    server = ["--root", str(machine("server")), *call[3:], "sdc"]
    assert f"ssdpm show --root {server[1]} sdc" in ssdpm.fails(3, "plan", *server)


def test_a_reader_that_goes_away_leaves_nothing_half_done(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    line = f"ssdpm apply --root {laptop} -p auto --persist udev"
    # Its output goes to a pipe that nobody reads any more.
    result = ssdpm.shell(f"exec 3> >(exec true); wait $!; {line} >&3; echo $?")
    assert result.stdout == "141\n", result.stderr
    assert value(laptop) == "200000"
    assert (laptop / "etc/udev/rules.d/85-ssdpm.rules").exists()


def test_a_root_that_is_no_capture_is_no_machine_without_drives(
    ssdpm: Command, machine: Make
) -> None:
    (ssdpm.directory / "notes").mkdir()
    for call in (["list"], ["apply", "--profile", "auto"], ["revert"]):
        assert "notes: is no capture" in ssdpm.fails(1, *call, "--root", "notes")
        assert '--root ""' in ssdpm.fails(2, *call, "--root", "")
    assert '"" is no drive' in ssdpm.fails(1, "show", "")


def test_in_force_is_said_only_where_something_is(
    ssdpm: Command, machine: Make
) -> None:
    call = ["apply", "--root", str(machine("external-ports")), "-p", "balanced"]
    assert ssdpm.output(*call, "host1").endswith("\nnothing to do\n")
    assert ssdpm.output(*call, "host0").endswith("\nin force\n")
    root = machine("laptop")
    ssdpm.output("apply", "--root", str(root), "--latency", "25ms")
    (root / LIMIT).write_text("5000\n")
    assert ssdpm.output("revert", "--root", str(root)).endswith("\nnothing to do\n")


def test_nothing_is_set_where_a_file_is_in_the_way_of_making_it_last(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    rules = laptop / "etc/udev/rules.d/85-ssdpm.rules"
    rules.parent.mkdir(parents=True)
    rules.write_text("# mine\n")
    call = ["--root", str(laptop), "-p", "auto", "--persist", "udev"]
    assert "move it away" in ssdpm.fails(1, "apply", *call)
    assert value(laptop) == "100000"
    assert [path.name for path in (laptop / "run/ssdpm").iterdir()] == ["lock"]
    # To look is allowed.
    assert rules.name in ssdpm.output("plan", *call)


CALL = ("apply", "--profile", "power-saver", "--source", "battery")
STOPPED = re.compile(r"^(\d+) +--- stopped by SIGSTOP ---$", re.MULTILINE)


@dataclass
class Run:
    status: int
    words: str
    plan: dict[str, Any]
    removed: bool


def removed_at(
    ssdpm: Command, root: pathlib.Path, name: str, number: int, *options: str
) -> Run:
    """It is stopped at this call, nvme1 is taken away, and it goes on."""
    log = ssdpm.directory / "calls"
    log.unlink(missing_ok=True)
    inject = f"inject={name}:signal=STOP:when={number}"
    out, words = ssdpm.directory / "out", ssdpm.directory / "words"
    with out.open("wb") as stdout, words.open("wb") as stderr:
        process = subprocess.Popen(
            ["strace", "-f", "-o", log, "-e", f"trace={name}", "-e", inject,
             "ssdpm", *CALL, *options, "--root", root, "--json"],
            env={**ssdpm.environment, "ASAN_OPTIONS": "detect_leaks=0"},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
        )  # fmt: skip
    removed = False
    end = time.monotonic() + 60
    while process.poll() is None:
        assert time.monotonic() < end, log.read_text()
        stopped = STOPPED.search(log.read_text()) if log.exists() else None
        if stopped and not removed:
            link = root / "sys/class/nvme/nvme1"
            shutil.move(link.resolve(), root.parent / "removed")
            link.unlink()
            removed = True
        if stopped:
            # Again and again: strace may be about to stop it only now.
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(stopped[1]), signal.SIGCONT)
        time.sleep(0.02)
    status = process.returncode
    return Run(status, words.read_text(), documented.listed(out.read_text()), removed)


def expected(run: Run, step: dict[str, Any]) -> set[str]:
    """The states that agree with the exit status."""
    is_gone = step["device"] == "nvme1"
    if run.status == 0:
        return {"done", "in-force"}
    if run.status == 5:
        return {"differs"} if is_gone else {"done", "in-force"}
    return {"planned", "in-force", "failed" if is_gone else "undone"}


def removals(
    ssdpm: Command, machine: Make, name: str, *options: str
) -> Iterator[tuple[str, pathlib.Path, Run]]:
    """At one such call after the other: which it was, the machine, and the run."""
    assert shutil.which("strace"), "install the package strace"
    for number in itertools.count(1):
        shutil.rmtree(ssdpm.directory / "machines", ignore_errors=True)
        root = machine("eight-drives")
        run = removed_at(ssdpm, root, name, number, *options)
        if not run.removed:
            assert run.status == 0 and number > 1
            return
        where = f"{name} {number}: {run.status}: {run.words}"
        assert run.status == 0 or "nvme1: it was removed" in run.words, where
        yield where, root, run
        assert not (root / "run/ssdpm/journal").exists()


@pytest.mark.parametrize("name", ["fdatasync", "renameat", "unlinkat"])
def test_status_and_words_are_those_of_the_values_on_the_machine(
    ssdpm: Command, machine: Make, name: str
) -> None:
    statuses = set[int]()
    for where, root, run in removals(ssdpm, machine, name, "--strict"):
        statuses.add(run.status)
        assert run.status in {0, 1, 5}, where
        assert run.plan["in_force"] is (run.status == 0), where
        for step in run.plan["steps"]:
            if step["state"] == "left-alone":
                continue
            assert step["state"] in expected(run, step), (where, step)
            if step["device"] != "nvme1":
                now = (root / step["target"][1:]).read_text().strip()
                held = "before" if run.status == 1 else "after"
                assert now == step[held], (where, step)
    # Before the commit counts, and after that.
    assert statuses == {1, 5}


@pytest.mark.parametrize("name", ["fdatasync", "unlinkat"])
def test_a_drive_that_is_removed_at_any_call_stops_no_other(
    ssdpm: Command, machine: Make, name: str
) -> None:
    statuses = set[int]()
    for where, root, run in removals(ssdpm, machine, name):
        statuses.add(run.status)
        assert run.status in {0, 5, 6}, where
        for step in run.plan["steps"]:
            if step["device"] != "nvme1" and step["state"] != "left-alone":
                assert step["state"] in {"done", "in-force"}, (where, step)
                now = (root / step["target"][1:]).read_text().strip()
                assert now == step["after"], (where, step)
    # Before it is done, and after that.
    assert {5, 6} <= statuses


LIMIT_OF = "sys/class/nvme/nvme{}/power/pm_qos_latency_tolerance_us"


@pytest.mark.parametrize("form", ["", "--quiet"])
def test_what_cannot_be_put_back_is_counted_and_printed_even_if_quiet(
    ssdpm: Command, eight_drives: pathlib.Path, form: str
) -> None:
    assert shutil.which("strace"), "install the package strace"
    limits = [(eight_drives / LIMIT_OF.format(i)).resolve() for i in (0, 1)]
    before = limits[1].read_text()
    paths = " ".join(f"-P {limit}" for limit in limits)
    call = f"apply --strict --latency 5ms nvme0 nvme1 --root {eight_drives}"
    # The first is written; the second is not, nor is the first put back.
    result = ssdpm.shell(
        "ASAN_OPTIONS=detect_leaks=0 strace -o /dev/null -e trace=write "
        f"-e inject=write:error=EIO:when=2+ {paths} ssdpm {call} {form}"
    )
    assert result.returncode == 1
    assert "1 setting was not put back\n" in result.stderr
    out = result.stdout
    calls = f"ssdpm revert --root {eight_drives} or apply"
    journal = rf"could not undo all, \d+ s ago: {calls}"
    said = " ".join(out.replace(" \\\n", " ").split())
    assert bool(re.search(journal, said)) is (not form)
    assert "ssdpm goes on" not in out
    assert "nvme0: latency tolerance 100 ms -> 5 ms (done, and not put back)" in out
    assert "nvme1: latency tolerance 100 ms -> 5 ms (failed)" in out
    assert (limits[0].read_text().strip(), limits[1].read_text()) == ("5000", before)
    assert ssdpm(*call.split()).returncode == 0
    assert {limit.read_text().strip() for limit in limits} == {"5000"}


def values_of(root: pathlib.Path) -> list[str]:
    limits = (root / LIMIT_OF.format(i) for i in range(3))
    return [limit.read_text().strip() for limit in limits]


def mute(ssdpm: Command, root: pathlib.Path, call: str, from_read: int = 1) -> Run:
    """The value of nvme0 can be written, but from one read on not be read."""
    limit = (root / LIMIT_OF.format(0)).resolve()
    result = ssdpm.shell(
        "ASAN_OPTIONS=detect_leaks=0 strace -o /dev/null -e trace=read,pread64 "
        f"-e inject=read,pread64:error=EIO:when={from_read}+ -P {limit} "
        f"ssdpm {call} --root {root} --json"
    )
    plan = documented.listed(result.stdout) if result.stdout else {}
    return Run(result.returncode, result.stderr, plan, True)


def test_a_device_that_cannot_be_put_back_is_in_no_other_devices_way(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    assert shutil.which("strace"), "install the package strace"
    root, state = eight_drives, eight_drives / "run/ssdpm"
    before = values_of(root)
    # Each number of reads that it answers, until it answers all.
    for number in range(1, 30):
        run = mute(ssdpm, root, "apply --latency 5ms", number)
        if (state / "journal-nvme0").exists():
            break
        assert ssdpm("revert", "--root", str(root), "-q").returncode == 0
        assert values_of(root) == before
    assert run.status == 6 and not (state / "journal").exists(), run.words
    assert values_of(root) == ["5000"] * 3
    assert "nvme0" in run.words and run.plan["in_force"] is False

    # It stands; everybody says so, and everybody else can be set.
    found = ssdpm("check", "--root", str(root), "--latency", "5ms", "--json")
    assert found.returncode == 5
    assert documented.listed(found.stdout.decode())["journal"]["state"] == "killed"
    run = mute(ssdpm, root, "apply --latency 25ms nvme1")
    assert run.status == 6 and run.plan["in_force"] is False, run.words
    assert [step["state"] for step in run.plan["steps"]] == ["done"]
    assert "could not undo all" in run.words
    assert values_of(root) == ["5000", "25000", "5000"]
    assert (state / "journal-nvme0").exists()
    run = mute(ssdpm, root, "revert")
    assert run.status == 6 and (state / "journal-nvme0").exists()
    assert values_of(root)[1:] == before[1:]

    # Strict is all or nothing, and says why it is nothing.
    run = mute(ssdpm, root, "apply --strict --latency 25ms")
    assert run.status == 1 and "nvme0" in run.words
    assert values_of(root)[1:] == before[1:]

    # Once it answers, the next run puts it back first.
    result = ssdpm("apply", "--root", str(root), "--latency", "25ms", "nvme1", "--json")
    assert result.returncode == 0
    assert documented.listed(result.stdout.decode())["journal"]["n_undone"] == 1
    assert values_of(root) == [before[0], "25000", before[2]]
    assert ssdpm("revert", "--root", str(root), "-q").returncode == 0
    assert values_of(root) == before
    assert not list(state.glob("journal*"))


def set_aside(ssdpm: Command, root: pathlib.Path) -> None:
    """nvme0 has 5 ms, and 100 ms could not be put back."""
    for number in range(1, 30):
        mute(ssdpm, root, "apply --latency 5ms nvme0", number)
        if (root / "run/ssdpm/journal-nvme0").exists():
            return
        ssdpm("apply", "--root", str(root), "--latency", "100ms", "nvme0", "-q")
    raise AssertionError("it was always put back")


def test_a_revert_goes_back_to_what_was_there_first_not_to_what_a_journal_has(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    root, limit = eight_drives, eight_drives / LIMIT_OF.format(0)
    limit.write_text("70000\n")
    assert ssdpm("apply", "--root", str(root), "--latency", "100ms", "nvme0").returncode == 0
    set_aside(ssdpm, root)
    shown = ssdpm.output("revert", "--dry-run", "--root", str(root))
    assert "nvme0: latency tolerance 5 ms -> 70 ms (planned)" in shown
    # Whichever try to look at it fails, and if none does.
    for number in range(1, 12):
        path = limit.resolve()
        result = ssdpm.shell(
            "ASAN_OPTIONS=detect_leaks=0 strace -o /dev/null -e trace=read,pread64 "
            f"-e inject=read,pread64:error=EIO:when={number} -P {path} "
            f"ssdpm revert --root {root}"
        )
        now = limit.read_text().strip()
        done = result.returncode == 0 and "left alone" not in result.stdout
        assert now == "70000" or not done, (number, result)
        if now == "70000":
            break
    assert ssdpm("revert", "--root", str(root), "-q").returncode == 0
    assert limit.read_text().strip() == "70000"
    assert ssdpm.output("revert", "--root", str(root)) == "nothing to do\n"


def test_a_strict_apply_puts_back_what_it_can(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    root, other = eight_drives, eight_drives / LIMIT_OF.format(1)
    aside, before = root / "run/ssdpm/journal-nvme0", values_of(root)
    set_aside(ssdpm, root)
    text = aside.read_text()
    assert ssdpm("revert", "--root", str(root), "-q").returncode == 0
    number = 0
    while values_of(root) == before:
        number += 1
        assert number < 30
        ssdpm.shell(
            "ASAN_OPTIONS=detect_leaks=0 strace -o /dev/null -e trace=read,pread64 "
            f"-e inject=read,pread64:signal=KILL:when={number} -P {other.resolve()} "
            f"ssdpm apply --root {root} --latency 9ms nvme1 -q"
        )
    assert (root / "run/ssdpm/journal").exists()
    aside.write_text(text)
    (root / LIMIT_OF.format(0)).write_text("5000\n")
    run = mute(ssdpm, root, "apply --strict --latency 7ms nvme1")
    assert run.status == 1 and aside.exists(), run.words
    assert values_of(root) == ["5000", *before[1:]]


def test_a_journal_that_is_tried_again_does_not_grow(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    root, limit = eight_drives, (eight_drives / LIMIT_OF.format(0)).resolve()
    set_aside(ssdpm, root)
    journal = root / "run/ssdpm/journal-nvme0"
    sizes = []
    for _ in range(4):
        result = ssdpm.shell(
            "ASAN_OPTIONS=detect_leaks=0 strace -o /dev/null -e trace=write,pwrite64 "
            f"-e inject=write,pwrite64:error=EIO:when=1+ -P {limit} "
            f"ssdpm apply --root {root} --latency 25ms nvme1 -q"
        )
        assert result.returncode == 6
        sizes.append(journal.stat().st_size)
    assert len(set(sizes)) == 1


def test_what_a_commit_keeps_outlives_a_failure_of_the_next_device(
    ssdpm: Command, machine: Make
) -> None:
    """The record of nvme0 does not get its name, and a write for nvme1 fails."""
    failed = 0
    for number in range(3, 16):
        shutil.rmtree(ssdpm.directory / "machines", ignore_errors=True)
        root = machine("eight-drives")
        before = values_of(root)
        result = ssdpm.shell(
            "ASAN_OPTIONS=detect_leaks=0 strace -o /dev/null -e trace=write,renameat "
            f"-e inject=renameat:error=EIO:when=2 -e inject=write:error=EIO:when={number} "
            f"ssdpm apply --root {root} --latency 5ms nvme0 nvme1 -q"
        )
        failed += result.returncode == 6
        assert ssdpm("revert", "--root", str(root), "-q").returncode == 0
        assert values_of(root) == before, number
    assert failed


def test_what_is_in_force_is_status_0(ssdpm: Command, machine: Make) -> None:
    root = str(machine("eight-drives"))
    assert ssdpm.output("check", "--root", root, "--latency", "100ms", "-q") == "in force\n"
    assert ssdpm.json("check", "--root", root, "-q", "-l", "100ms")["in_force"] is True


def test_what_is_not_is_status_5_with_what_differs(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("eight-drives"))
    result = ssdpm("check", "--root", root, "-q", "--latency", "25ms")
    assert result.returncode == 5 and result.stderr == b""
    lines = result.stdout.decode().splitlines()
    assert lines[:2] == [
        "nvme0, nvme1: latency tolerance 100 ms -> 25 ms (not in force)",
        "    a state may take up to 25 ms to leave; until the next boot",
    ]
    assert [line.split("/")[-3] for line in lines[2:4]] == ["nvme0", "nvme1"]
    result = ssdpm("check", "--root", root, "-q", "--latency", "25ms", "--json")
    plan = documented.listed(result.stdout)
    documented.check(plan)
    assert result.returncode == 5 and plan["in_force"] is False


def test_a_profile_is_in_force_after_apply_and_not_after_somebody_else(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    call = ["--root", str(laptop), "--profile", "auto"]
    assert ssdpm("check", *call).returncode == 5
    ssdpm.output("apply", *call)
    assert ssdpm("check", *call).returncode == 0
    parameter = laptop / "sys/module/nvme_core/parameters/apst_primary_timeout_ms"
    parameter.write_text("70\n")
    result = ssdpm("check", *call)
    assert result.returncode == 5
    assert b"apst_primary_timeout_ms 70 -> 50 (not in force)" in result.stdout


def test_another_power_source_is_another_profile(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("laptop"))
    ssdpm.output("apply", "--root", root, "--profile", "auto")
    call = ["check", "--root", root, "--profile", "auto"]
    assert ssdpm(*call, "--source", "battery").returncode == 0
    assert ssdpm(*call, "--source", "ac").returncode == 5


def test_a_table_that_is_lost_at_a_reset_is_said_to_be(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("laptop"))
    result = ssdpm("check", "--root", root, "--apst", "linux-legacy")
    assert result.returncode == 5
    assert b"a reset or a resume of the controller loses such a table" in result.stdout


def test_check_needs_no_privileges(
    ssdpm: Command, machine: Make, unprivileged: Callable[..., Any]
) -> None:
    root = str(machine("laptop"))
    result = unprivileged("check", "--root", root, "--latency", "100ms")
    assert result.returncode == 0 and result.stdout.endswith(b"in force\n")


def test_check_of_a_drive_looks_at_its_settings_alone(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("desktop-6.1")
    at = ("--root", str(root))
    ssdpm.output("apply", *at, "-l", "25ms", "nvme0")
    said = ssdpm.output("check", *at, "sda")
    assert said == (
        "nothing is applied to these devices\n"
    )
    ssdpm.output("apply", *at, "--lpm", "medium_power", "sda")
    (root / LIMIT).write_text("7000\n")
    assert ssdpm.output("check", *at, "sda").endswith("in force\n")
    for operands in (["nvme0"], ["sda", "nvme0"], []):
        result = ssdpm("check", *at, *operands)
        assert result.returncode == 5 and b"nvme0: latency" in result.stdout
    both = ssdpm("check", "--json", *at, "sda", "nvme0")
    (plan,) = json.loads(both.stdout)["plans"]
    assert [step["device"] for step in plan["steps"]] == ["nvme0", "sda"]


def test_drives_that_are_left_alone_for_one_reason_share_a_line(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    at = ("--root", str(eight_drives))
    ssdpm.output("apply", "-q", *at, "-l", "25ms", "nvme0", "nvme1")
    for number, value in enumerate(("7000", "8000")):
        (eight_drives / LIMIT_OF.format(number)).write_text(f"{value}\n")
    said = ssdpm.output("revert", "-n", *at)
    assert said.count("left alone: it has changed since 25000") == 1
    assert said.startswith("nvme0, nvme1: latency tolerance left alone: ")


def test_a_disk_without_a_port_has_no_policy_of_a_port(
    ssdpm: Command, machine: Make
) -> None:
    root, other = machine("external-ports"), machine("server")
    usb = "devices/pci0000:00/0000:00:14.0"
    shutil.copytree(other / "sys" / usb, root / "sys" / usb, symlinks=True)
    (disk,) = (root / "sys" / usb).glob("**/block/sdc")
    disk = disk.rename(disk.with_name("sdd"))
    (root / "sys/block/sdd").symlink_to(os.path.relpath(disk, root / "sys/block"))
    at = ("--root", str(root))
    ssdpm.output("apply", *at, "--lpm", "medium_power", "sda")
    assert ssdpm.output("check", *at, "sda").endswith("in force\n")
    said = ssdpm.output("check", *at, "sdd")
    assert said.startswith("nothing is applied to these devices")


def test_usage_and_devices_fail_as_of_plan(ssdpm: Command, machine: Make) -> None:
    root = str(machine("laptop"))
    assert "sdx" in ssdpm.fails(1, "check", "--root", root, "-l", "any", "sdx")
    assert "unknown option" in ssdpm.fails(2, "check", "--root", root, "--dry-run")


def test_what_was_there_before_the_first_apply_comes_back(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    for limit in ("25ms", "10ms", "any"):
        ssdpm.output("apply", "--root", str(laptop), "--latency", limit)
    dry = ssdpm.json("revert", "-n", "--root", str(laptop))
    assert [step["state"] for step in dry["steps"]] == ["planned"]
    assert (laptop / LIMIT).read_text().strip() == "any"
    done = ssdpm.json("revert", "--root", str(laptop))
    assert [step["state"] for step in done["steps"]] == ["done"]
    assert done["steps"][0]["after"] == "100000"
    assert (laptop / LIMIT).read_text().strip() == "100000"


def test_without_anything_to_revert_nothing_is_done(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    assert ssdpm.output("revert", "--root", str(laptop)) == "nothing to do\n"
    ssdpm.output("apply", "--root", str(laptop), "--latency", "25ms")
    ssdpm.output("revert", "--root", str(laptop))
    assert ssdpm.output("revert", "--root", str(laptop)) == "nothing to do\n"


def test_a_profile_is_reverted_as_a_whole(ssdpm: Command, laptop: pathlib.Path) -> None:
    parameters = laptop / "sys/module/nvme_core/parameters"
    before = {path.name: path.read_text() for path in parameters.iterdir()}
    ssdpm.output("apply", "--root", str(laptop), "--profile", "auto")
    assert before != {path.name: path.read_text() for path in parameters.iterdir()}
    ssdpm.output("revert", "--root", str(laptop))
    assert {name: text.strip() for name, text in before.items()} == {
        path.name: path.read_text().strip() for path in parameters.iterdir()
    }


def test_what_somebody_else_has_set_since_is_left_alone(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    ssdpm.output("apply", "--root", str(laptop), "--latency", "25ms")
    (laptop / LIMIT).write_text("5000\n")
    text = ssdpm.output("revert", "--root", str(laptop))
    assert "left alone" in text
    assert (laptop / LIMIT).read_text() == "5000\n"


def test_what_is_reverted_has_the_bytes_that_were_there(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    before = (laptop / LIMIT).read_bytes()
    ssdpm.output("apply", "--root", str(laptop), "--latency", "25ms")
    assert (laptop / LIMIT).read_bytes() == b"25000\n"
    ssdpm.output("revert", "--root", str(laptop))
    assert (laptop / LIMIT).read_bytes() == before == b"100000\n"


def test_a_kept_table_that_is_not_that_of_the_limit_is_named(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    """By plan, apply and check alike; the limit is in force."""
    words = "The capture keeps the APST table that was read.\n"
    call = ["--root", str(laptop), "--latency", "100ms", "nvme0"]
    assert words not in ssdpm.output("check", *call) + ssdpm.output("plan", *call)
    [dump] = laptop.glob("dumps/nvme0.apst")
    dump.write_text(json.dumps({**json.loads(dump.read_text()), "raw": "00" * 256}))
    assert ssdpm.output("check", *call) == words + "in force\n"
    for command in ("plan", "apply"):
        text = ssdpm.output(command, *call)
        assert words in text and "    before  never sleeps\n" in text and "as now" not in text
    call[3] = "25ms"
    assert words in ssdpm("check", *call).stdout.decode()
    assert ssdpm("check", *call).returncode == 5


def test_files_with_our_marker_are_removed_and_no_others(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    ssdpm.output("apply", "--root", str(laptop), "-p", "balanced", "--persist", "udev")
    rules = laptop / "etc/udev/rules.d"
    ours = list(rules.iterdir())
    assert ours
    (rules / "99-mine.rules").write_text("# mine\n")
    result = ssdpm("revert", "-n", "--root", str(laptop), "--persist")
    assert result.returncode == 0 and ours[0].exists()
    path = "/etc/udev/rules.d/85-ssdpm.rules"
    assert f"{path} (to be removed)\n" in result.stdout.decode()
    result = ssdpm("revert", "--root", str(laptop), "--persist=tlp")
    assert result.returncode == 0 and ours[0].exists()
    assert path not in result.stdout.decode()
    (file,) = ssdpm.json("revert", "-n", "--root", str(laptop), "--persist")["files"]
    assert file["path"] == path and file["contents"] == ours[0].read_text()
    text = ssdpm.output("revert", "--root", str(laptop), "--persist")
    assert f"{path} (removed)\n    then: udevadm control --reload\n" in text
    assert [path.name for path in rules.iterdir()] == ["99-mine.rules"]


def test_what_the_initramfs_has_goes_on_and_that_is_said(
    ssdpm: Command, machine: Make
) -> None:
    call = ["--root", str(machine("laptop"))]
    options = ["-p", "balanced", "--source", "ac", "--persist", "modprobe"]
    ssdpm.output("apply", *call, *options)
    text = ssdpm.output("revert", *call, "--persist")
    assert "/etc/modprobe.d/ssdpm.conf (removed)\n" in text
    assert "update-initramfs -u" in text


def test_wrong_usage_is_status_2(ssdpm: Command, machine: Make) -> None:
    root = str(machine("laptop"))
    assert "unexpected operand" in ssdpm.fails(2, "revert", "--root", root, "nvme0")
    assert "unknown --persist 'cron'; " in ssdpm.fails(2, "revert", "--root", root, "--persist=cron")
    message = ssdpm.fails(2, "revert", "--root", root, "--persist", "udev")
    assert "write --persist=udev" in message


def test_revert_leaves_a_root_without_the_marker_alone(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    ssdpm.output("apply", "--root", str(laptop), "--latency", "25ms")
    (laptop / "ssdpm-capture").unlink()
    assert ssdpm("revert", "--root", str(laptop)).returncode == 1
    assert (laptop / LIMIT).read_text().strip() == "25000"


@pytest.mark.parametrize("command", ["check", "plan", "apply"])
def test_identify_without_privileges_is_status_4(
    unprivileged: Callable[..., Any], command: str
) -> None:
    result = unprivileged(command, "--identify", "--latency", "25ms")
    assert result.returncode == 4, result.stderr
    assert f"from root alone: sudo ssdpm {command} ..." in result.stderr.decode()
    assert result.stdout == b""


def test_without_privileges_it_is_status_4(
    ssdpm: Command, laptop: pathlib.Path, unprivileged: Callable[..., Any]
) -> None:
    ssdpm.output("apply", "--root", str(laptop), "--latency", "25ms")
    result = unprivileged("revert", "--root", str(laptop))
    assert result.returncode == 4, result.stderr
    assert (laptop / LIMIT).read_text().strip() == "25000"


def test_what_is_kept_is_not_said_to_end_at_the_next_boot(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    call = ["apply", "--root", str(laptop), "--nvme-core", "apst_primary_timeout_ms=50"]
    kept = ssdpm.output(*call, "--keep", "--dry-run")
    assert "for all controllers" in kept and "until the next boot" not in kept
    assert "for all controllers; until the next boot" in ssdpm.output(*call, "--dry-run")


def test_a_plan_of_files_that_last_does_not_end_at_the_next_boot(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    at = ("--root", str(laptop))
    for more in ((), ("--both-sources",)):
        plan = ssdpm.output(
            "plan", "--profile", "power-saver", "--persist", "udev", *more, *at
        )
        assert "for all controllers" in plan and "until the next boot" not in plan


def test_a_parameter_is_not_kept_for_one_drive(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    call = ("apply", "-n", "--profile", "power-saver", "--keep", "--root", str(laptop))
    of_one = ssdpm.output(*call, "nvme0")
    assert "for all controllers; until the next boot" in of_one
    assert "200 ms to leave; until" not in of_one
    assert "until the next boot" not in ssdpm.output(*call)
