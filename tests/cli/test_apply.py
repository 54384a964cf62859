# SPDX-License-Identifier: MIT
"""ssdpm apply: all of it or nothing, and proven."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
from collections.abc import Callable
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
    assert result.stdout == "1\n", result.stderr
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
