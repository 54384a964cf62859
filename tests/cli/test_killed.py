# SPDX-License-Identifier: MIT
"""Killed at every call that changes something: everything is as before or as planned
once the next command is through, and none says otherwise."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from command import Command

Make = Callable[[str], pathlib.Path]

# What changes a file, a name or a drive. Linux counts each by itself.
CALLS = (
    "write", "pwrite64", "rename", "renameat", "renameat2", "unlink", "unlinkat",
    "fsync", "fdatasync", "ioctl", "mkdir", "mkdirat", "openat", "openat2",
)  # fmt: skip
CHANGES = re.compile(r"^(\w+)\(")
SETTINGS = (
    "sys/devices/**/pm_qos_latency_tolerance_us",
    "sys/devices/**/link_power_management_policy",
    "sys/module/nvme_core/parameters/apst_*",
)
FIRST = ("--profile", "performance", "--source", "ac")
SECOND = ("--profile", "power-saver", "--source", "battery")
Values = dict[str, str]


def values(root: pathlib.Path) -> Values:
    """All that a policy sets, as it is."""
    return {
        str(path.relative_to(root)): path.read_text().strip()
        for pattern in SETTINGS
        for path in sorted(root.glob(pattern))
    }


def digest(root: pathlib.Path) -> str:
    """Every file with its content: what a command that only looks leaves alone."""
    total = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        total.update(str(path.relative_to(root)).encode())
        if path.is_symlink():
            total.update(os.readlink(path).encode())
        elif path.is_file():
            total.update(path.read_bytes() + str(path.stat().st_mtime_ns).encode())
    return total.hexdigest()


def written(root: pathlib.Path) -> dict[str, bytes]:
    """The files of --persist. One that has not got its name yet is read by nobody, and
    replaced by the next one."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted((root / "etc").rglob("*"))
        if path.is_file() and not re.fullmatch(r"\..*\.new", path.name)
    }


@dataclass(frozen=True)
class Scene:
    """A command that is killed, on a machine where others have run before."""

    name: str
    before: tuple[tuple[str, ...], ...]
    call: tuple[str, ...]


PERSIST = (*SECOND, "--persist", "tuned")
SCENES = (
    Scene("a first apply", (), ("apply", *SECOND)),
    Scene("a second apply", (("apply", *FIRST),), ("apply", *SECOND)),
    Scene("a revert", (("apply", *SECOND),), ("revert",)),
    Scene("an apply that persists", (("apply", *FIRST),), ("apply", *PERSIST)),
)


class Stage:
    """The machine before a scene, after it, and killed in its middle."""

    def __init__(self, ssdpm: Command, root: pathlib.Path, scene: Scene) -> None:
        self.ssdpm = ssdpm
        self.scene = scene
        self.at_first = values(root)
        self.own_files = written(root)
        for call in scene.before:
            self.run(root, *call)
        self.root = root
        self.step = 3 if os.environ.get("SSDPM_FEW_CASES") else 1
        self.before = values(root)
        whole = self.copy("whole")
        self.n_calls = self.count(whole)
        self.planned = values(whole)
        self.files = written(whole)

    def run(self, root: pathlib.Path, *call: str) -> None:
        result = self.ssdpm(*call, "--root", str(root), "-q")
        assert result.returncode == 0, result.stderr

    def copy(self, name: str) -> pathlib.Path:
        to = self.root.parent / name
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(self.root, to, symlinks=True)
        return to

    def strace(self, root: pathlib.Path, *options: str) -> int:
        call = [*self.scene.call, "--root", str(root), "-q"]
        environment = {**self.ssdpm.environment, "ASAN_OPTIONS": "detect_leaks=0"}
        return subprocess.run(
            ["strace", "-qq", *options, "ssdpm", *call],
            env=environment,
            cwd=self.ssdpm.directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=120,
            check=False,
        ).returncode

    def count(self, root: pathlib.Path) -> dict[str, tuple[int, ...]]:
        """Which of each kind of call changes something: numbers from 1 on."""
        log = root.parent / "calls"
        names = ",".join(CALLS)
        assert self.strace(root, "-y", "-o", str(log), "-e", f"trace={names}") == 0
        seen: dict[str, int] = {}
        found: dict[str, list[int]] = {}
        for line in log.read_text().splitlines():
            match = CHANGES.match(line)
            if not match:
                continue
            name = match[1]
            seen[name] = seen.get(name, 0) + 1
            if self.changes(name, line):
                found.setdefault(name, []).append(seen[name])
        return {name: tuple(numbers) for name, numbers in found.items()}

    @staticmethod
    def changes(name: str, line: str) -> bool:
        if name.startswith("openat"):
            return bool(re.search(r"O_CREAT|O_TRUNC", line))
        # What is said to people changes nothing.
        return not (name == "write" and re.match(r"write\([12]<", line))

    def killed(self) -> Iterator[tuple[str, pathlib.Path]]:
        for name, numbers in self.n_calls.items():
            for number in numbers[:: self.step]:
                root = self.copy("killed")
                inject = f"inject={name}:signal=KILL:when={number}"
                status = self.strace(root, "-o", "/dev/null", "-e", inject)
                assert status != 0, f"{name} {number}: it was not killed"
                yield f"{self.scene.name}, killed at {name} {number}", root


def check_only_looks(stage: Stage, where: str, root: pathlib.Path) -> bool:
    """Status 0 only for what is so. Return whether a journal stands."""
    was = digest(root)
    journal = (root / "run/ssdpm/journal").exists()
    for call in (["check"], ["check", *SECOND], ["plan", *SECOND], ["list"]):
        result = stage.ssdpm(*call, "--root", str(root), "--json", "-q")
        assert result.returncode in {0, 5}, (where, call, result.stderr)
        if call[0] == "check":
            said = json.loads(result.stdout)
            assert said["in_force"] is (result.returncode == 0), where
            assert (said["journal"] is not None) is journal, where
            assert result.returncode == 5 or not journal, where
    assert digest(root) == was, f"{where}: looking has changed something"
    now = values(root)
    if stage.ssdpm("check", "--root", str(root), "-q").returncode == 0:
        assert now in (stage.before, stage.planned), where
    if stage.ssdpm("check", *SECOND, "--root", str(root), "-q").returncode == 0:
        assert all(now[path] == after for path, after in wanted(stage, root)), where
    return journal


def wanted(stage: Stage, root: pathlib.Path) -> list[tuple[str, str]]:
    """What the second profile wants, by the plan itself."""
    plan = stage.ssdpm.json("plan", "--root", str(root), "-q", *SECOND)
    return [
        (os.path.relpath(root / step["target"][1:], root), step["after"])
        for step in plan["steps"]
        if step["state"] != "left-alone" and step["kind"] != "rebuild"
    ]


def settle(stage: Stage, where: str, root: pathlib.Path, *call: str) -> Values:
    """The next command: it is done, says that a journal was undone, and leaves none."""
    journal = (root / "run/ssdpm/journal").exists()
    result = stage.ssdpm(*call, "--root", str(root), "--json")
    assert result.returncode == 0, (where, call, result.stderr)
    said = json.loads(result.stdout)
    undone = said["journal"]
    assert (undone is not None) is journal, where
    if undone:
        assert undone["state"] == "undone" and undone["n_left_alone"] == 0, where
        assert b"was killed" in result.stderr and b"is undone now" in result.stderr
    left = {path.name for path in (root / "run/ssdpm").glob("*")}
    assert left <= {"lock", "undo"}, (where, left)
    for step in said["steps"]:
        if step["state"] in {"done", "in-force"} and step["target"].startswith("/"):
            path = root / step["target"][1:]
            assert path.read_text().strip() == step["after"], where
    return values(root)


def then_apply(stage: Stage, where: str, root: pathlib.Path) -> None:
    call = PERSIST if "--persist" in stage.scene.call else SECOND
    after = settle(stage, where, root, "apply", *call)
    assert stage.ssdpm("check", *SECOND, "--root", str(root)).returncode == 0, where
    assert stage.ssdpm("check", "--root", str(root)).returncode == 0, where
    if stage.scene.call[0] == "apply":
        assert after == stage.planned, where
        assert written(root) == stage.files, where


def then_revert(stage: Stage, where: str, root: pathlib.Path) -> None:
    persist = ["--persist"] if "--persist" in stage.scene.call else []
    assert settle(stage, where, root, "revert", *persist) == stage.at_first, where
    assert written(root) == stage.own_files, where


@pytest.fixture
def memory() -> Iterator[pathlib.Path]:
    """Where a synchronised write does not wait for a disk, if there is such a place."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="ssdpm-killed-", dir=place) as name:
        yield pathlib.Path(name)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_whatever_is_killed_all_is_as_before_or_as_planned_and_nobody_says_otherwise(
    ssdpm: Command, machine: Make, memory: pathlib.Path, scene: Scene
) -> None:
    assert shutil.which("strace"), "install the package strace"
    root = memory / "machine"
    shutil.copytree(machine("desktop-6.1"), root, symlinks=True)
    stage = Stage(ssdpm, root, scene)
    assert stage.before != stage.planned
    points = stage.n_calls
    assert {"write", "renameat", "unlinkat", "fsync"} <= set(points)
    n, n_journals = 0, 0
    for where, root in stage.killed():
        n += 1
        n_journals += check_only_looks(stage, where, root)
        again = root.parent / "again"
        shutil.rmtree(again, ignore_errors=True)
        shutil.copytree(root, again, symlinks=True)
        then_apply(stage, where, again)
        then_revert(stage, where, root)
    counted = ", ".join(f"{name} {len(of)}" for name, of in points.items())
    print(f"{scene.name}: killed at {n} points ({counted}), {n_journals} journals")
    assert n * stage.step >= 30 and 5 <= n_journals < n


@functools.cache
def profile(name: str) -> str:
    return {"ac": "balanced", "battery": "power-saver"}[name]


def kill_at_write(ssdpm: Command, root: pathlib.Path, number: int) -> None:
    inject = f"inject=write:signal=KILL:when={number}"
    result = ssdpm.shell(
        f"ASAN_OPTIONS=detect_leaks=0 strace -o /dev/null -e trace=write -e {inject} "
        f"ssdpm apply -q --root {root} --profile power-saver"
    )
    assert result.returncode != 0
    assert (root / "run/ssdpm/journal").exists()


LIMIT = "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"


@pytest.mark.parametrize("number", range(4, 11))
def test_a_revert_undoes_what_a_killed_apply_left_and_says_so(
    ssdpm: Command, machine: Make, number: int
) -> None:
    root = machine("laptop")
    before = values(root)
    kill_at_write(ssdpm, root, number)
    assert "a commit was killed" in ssdpm.fails_with_output(5, "check", "--root", str(root))
    for call in (["list"], ["show", "nvme0"]):
        result = ssdpm(*call, "--root", str(root))
        assert result.returncode == 0 and b"a commit was killed" in result.stderr
    result = ssdpm("revert", "--root", str(root))
    assert result.returncode == 0
    assert b"was killed" in result.stderr and b"is undone now" in result.stderr
    assert result.stdout == b"nothing else to do\n"
    assert values(root) == before
    assert not (root / "run/ssdpm/journal").exists()


def test_a_journal_whose_last_line_is_cut_off_outlives_the_kill_of_its_recovery(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    before = values(root)
    kill_at_write(ssdpm, root, 8)
    with (root / "run/ssdpm/journal").open("a") as journal:
        journal.write("begi")
    result = ssdpm.shell(
        "ASAN_OPTIONS=detect_leaks=0 strace -o /dev/null -e trace=fdatasync "
        f"-e inject=fdatasync:signal=KILL:when=1 ssdpm revert --root {root}"
    )
    assert result.returncode != 0
    result = ssdpm("revert", "--root", str(root))
    assert result.returncode == 0, result.stderr
    assert values(root) == before
    assert not (root / "run/ssdpm/journal").exists()


def test_a_lock_that_is_a_pipe_keeps_nobody_waiting(ssdpm: Command, machine: Make) -> None:
    root = machine("laptop")
    kill_at_write(ssdpm, root, 8)
    (root / "run/ssdpm/lock").unlink()
    os.mkfifo(root / "run/ssdpm/lock")
    for call, status in (("check", 5), ("list", 0), ("revert", 0)):
        result = ssdpm.shell(f"timeout 20 ssdpm {call} --root {root}")
        assert result.returncode == status, (call, result.stderr)


def test_what_somebody_wrote_after_a_kill_stays_and_is_reported(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    before = values(root)
    kill_at_write(ssdpm, root, 10)
    parameter = root / "sys/module/nvme_core/parameters/apst_primary_timeout_ms"
    assert parameter.read_text().strip() == "50"
    parameter.write_text("777\n")
    result = ssdpm("apply", "--root", str(root), "--latency", "25ms", "--json")
    assert result.returncode == 0
    assert parameter.read_text() == "777\n"
    journal = json.loads(result.stdout)["journal"]
    assert (journal["state"], journal["n_left_alone"]) == ("undone", 1)
    assert b"777, which somebody else has written: it stays" in result.stderr
    now = values(root)
    different = {path for path in now if now[path] != before[path]}
    assert {path.rsplit("/")[-1] for path in different} == {
        "apst_primary_timeout_ms", "pm_qos_latency_tolerance_us",
    }  # fmt: skip


def test_without_privileges_a_journal_is_status_4_with_its_age(
    ssdpm: Command, machine: Make, unprivileged: Callable[..., Any]
) -> None:
    root = machine("laptop")
    kill_at_write(ssdpm, root, 8)
    journal = root / "run/ssdpm/journal"
    os.utime(journal, (journal.stat().st_atime, journal.stat().st_mtime - 3600))
    was = digest(root)
    for call in (["revert"], ["apply", "--latency", "any"]):
        result = unprivileged(*call, "--root", str(root))
        assert result.returncode == 4, result.stderr
        assert re.search(rb"killed 36\d\d s ago", result.stderr), result.stderr
    # Even where all looks as it should.
    ssdpm.json("plan", "--root", str(root), "--latency", "100ms")
    result = unprivileged("apply", "--root", str(root), "--latency", "100ms", "--json")
    assert result.returncode == 4
    assert json.loads(result.stdout)["journal"]["state"] == "found"
    result = unprivileged("check", "--root", str(root))
    assert result.returncode == 5 and b"not undo all, 36" in result.stdout
    assert digest(root) == was


def test_check_sees_what_somebody_else_changed_of_what_was_applied(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("eight-drives")
    ssdpm.output("apply", "-q", "--root", str(root), "--profile", "power-saver")
    assert ssdpm.output("check", "--root", str(root)).endswith("in force\n")
    for path in root.glob(SETTINGS[0]):
        path.write_text("0\n")
    for path in root.glob(SETTINGS[1]):
        path.write_text("max_performance\n")
    text = ssdpm.fails_with_output(5, "check", "--root", str(root))
    assert "nvme0: latency tolerance 0 (off) -> " in text
    assert "max_performance -> med_power_with_dipm (not in force)" in text
    assert "in force\n" not in text.replace("(not in force)", "")


def test_check_knows_what_was_applied_where_it_was_so_already(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    ssdpm.output("apply", "-q", "--root", str(root), "--latency", "100ms")
    assert ssdpm.output("check", "--root", str(root)).endswith("in force\n")
    (root / LIMIT).write_text("5000\n")
    assert ssdpm("check", "--root", str(root)).returncode == 5
    # It was nobody's here to change: there is no way back from it.
    assert ssdpm.output("revert", "--root", str(root)) == "nothing to do\n"
    assert (root / LIMIT).read_text() == "5000\n"
    assert "nothing was applied" in ssdpm.output("check", "--root", str(root))


def test_what_somebody_wrote_before_the_first_change_is_what_revert_puts_back(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    ssdpm.output("apply", "-q", "--root", str(root), "--latency", "100ms")
    (root / LIMIT).write_text("5000\n")
    ssdpm.output("apply", "-q", "--root", str(root), "--latency", "25ms")
    assert "25 ms -> 5 ms (done)" in ssdpm.output("revert", "--root", str(root))
    assert (root / LIMIT).read_text().strip() == "5000"


def test_while_a_journal_stands_nobody_says_that_nothing_is_to_be_done(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    kill_at_write(ssdpm, root, 8)
    text = ssdpm.output("revert", "--dry-run", "--root", str(root))
    assert text.startswith("nothing else to do\na commit was killed, ")


def test_a_journal_of_another_version_is_named_by_those_that_look(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    kill_at_write(ssdpm, root, 8)
    journal = root / "run/ssdpm/journal"
    journal.write_text(journal.read_text().replace("ssdpm-changes 2", "ssdpm-changes 3", 1))
    for call, status in ((["check"], 5), (["list"], 0), (["plan", *SECOND], 0)):
        result = ssdpm(*call, "--root", str(root))
        assert result.returncode == status
        assert b"/run/ssdpm/journal:1: unknown version '3'" in result.stderr, call


def test_where_nothing_can_be_written_no_undo_is_said_to_have_failed(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    ssdpm.output("apply", "-q", "--root", str(root), "--latency", "25ms")
    before = values(root)
    result = ssdpm.shell(
        "ASAN_OPTIONS=detect_leaks=0 strace -o /dev/null -e trace=unlinkat "
        f"-e inject=unlinkat:error=EROFS ssdpm apply --root {root} --latency 50ms"
    )
    assert result.returncode == 1
    assert "journal.new: read-only" in result.stderr
    assert "to undo it failed" not in result.stderr
    assert values(root) == before


def test_a_record_with_an_unknown_word_is_refused_by_file_and_line(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("desktop-6.1")
    ssdpm.output("apply", "-q", "--root", str(root), "--profile", "performance")
    undo = root / "run/ssdpm/undo"
    body, _, _ = undo.read_text().partition("end ")
    body = re.sub(r"(\nlpm\t\S+\tm)\w+", r"\1ed_powder", body)
    total = functools.reduce(
        lambda s, c: (s ^ c) * 0x100000001B3 % 2**64, body.encode(), 0xCBF29CE484222325
    )
    undo.write_text(f"{body}end {total:016x}\n")
    line = 1 + [n for n, text in enumerate(body.split("\n")) if "powder" in text][0]
    was = digest(root)
    for call in (["revert"], ["check"]):
        message = ssdpm.fails(1, *call, "--root", str(root))
        assert f"/run/ssdpm/undo:{line}: lpm: unknown value before" in message
    assert digest(root) == was


def test_of_power_sources_that_flip_the_last_one_is_followed(
    ssdpm: Command, machine: Make
) -> None:
    """AC, battery, AC, while somebody holds the lock: ten times, and each way."""
    root = machine("laptop")
    ssdpm.output("apply", "-q", "--root", str(root), "--profile", "balanced")
    for number in range(10):
        last = ("ac", "battery")[number % 2]
        sources = [last, ("battery", "ac")[number % 2], last]
        flip(ssdpm, root, sources)
        now = ssdpm("check", "-q", "--root", str(root), "--profile", profile(last),
                    "--source", last)  # fmt: skip
        assert now.returncode == 0, (number, now.stdout)


def supply(root: pathlib.Path) -> pathlib.Path:
    (online,) = root.glob("sys/class/power_supply/*/online")
    return online


def flip(ssdpm: Command, root: pathlib.Path, sources: list[str]) -> None:
    running = []
    with subprocess.Popen(
        ["flock", root / "run/ssdpm/lock", "sh", "-c", "echo; read x"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdin and holder.stdout
        holder.stdout.readline()
        for source in sources:
            supply(root).write_text("1\n" if source == "ac" else "0\n")
            process = subprocess.Popen(
                ["ssdpm", "apply", "-q", "--root", root, "--profile", "auto"],
                env=ssdpm.environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            running.append(process)
            wait_for_lock(process.pid, root)
        holder.stdin.close()
    for process in running:
        _, complaint = process.communicate(timeout=60)
        assert (process.returncode, complaint) == (0, b"")


def wait_for_lock(pid: int, root: pathlib.Path) -> None:
    """Until it has the lock open, and waits for it."""
    lock = str(root / "run/ssdpm/lock")
    while True:
        for link in pathlib.Path(f"/proc/{pid}/fd").glob("*"):
            try:
                if os.readlink(link) == lock:
                    return
            except FileNotFoundError:
                continue
