# SPDX-License-Identifier: MIT
"""Killed at every call that changes something: everything is as before or as planned
once the next command is through, and none says otherwise."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import documented
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
    """The files of --persist, with what is on its way, and folders of our own."""
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else b""
        for path in sorted((root / "etc").rglob("*"))
        if path.is_file() or path.name.startswith("ssdpm-")
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
    Scene("a strict apply", (), ("apply", "--strict", *SECOND)),
    Scene("a second apply", (("apply", *FIRST),), ("apply", *SECOND)),
    Scene("a revert", (("apply", *SECOND),), ("revert",)),
    Scene("a tune", (), ("tune", "--yes")),
    Scene("an apply that persists", (("apply", *FIRST),), ("apply", *PERSIST)),
)


def is_old_or_new(now: Values, old: Values, new: Values, strict: bool) -> bool:
    """Each drive and port; what all controllers share together; or all of it."""
    shared = {path for path in now if path.startswith("sys/module/")}
    parts = [shared, *({path} for path in now if path not in shared)]
    if strict:
        parts = [set(now)]
    return all(
        {path: now[path] for path in part} in ({path: state[path] for path in part} for state in (old, new))
        for part in parts
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
            said = documented.listed(result.stdout)
            assert said["in_force"] is (result.returncode == 0), where
            assert (said["journal"] is not None) is journal, where
            assert result.returncode == 5 or not journal, where
    assert digest(root) == was, f"{where}: looking has changed something"
    now = values(root)
    strict = "--strict" in stage.scene.call
    if not journal:
        assert is_old_or_new(now, stage.before, stage.planned, strict), where
    if stage.ssdpm("check", "--root", str(root), "-q").returncode == 0:
        assert not journal, where
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
    said = documented.listed(result.stdout)
    undone = said["journal"]
    assert (undone is not None) is journal, where
    if undone:
        assert undone["state"] == "undone" and undone["n_left_alone"] == 0, where
        assert b"was killed" in result.stderr and b"is undone now" in result.stderr
    left = {path.name for path in (root / "run/ssdpm").glob("*")}
    assert left <= {"lock", "undo", "reserve"}, (where, left)
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


@pytest.mark.parametrize(
    "scene",
    [
        Scene("a tune", (), ("tune", "--yes")),
        Scene("a revert of a tune", (("tune", "--yes"),), ("revert",)),
    ],
    ids=lambda scene: scene.name,
)
def test_a_tune_undoes_first_what_a_killed_command_left(
    ssdpm: Command, machine: Make, memory: pathlib.Path, scene: Scene
) -> None:
    root = memory / "machine"
    shutil.copytree(machine("desktop-6.1"), root, symlinks=True)
    stage = Stage(ssdpm, root, scene)
    tuned = stage.planned if scene.call[0] == "tune" else stage.before
    n_journals = 0
    for where, root in stage.killed():
        journal = (root / "run/ssdpm/journal").exists()
        n_journals += journal
        was = digest(root)
        result = ssdpm("tune", "--dry-run", "--root", str(root))
        assert result.returncode == 0 and digest(root) == was, where
        assert (b"a run of ssdpm was killed" in result.stderr) is journal, where
        result = ssdpm("tune", "--yes", "--root", str(root))
        assert result.returncode == 0, (where, result.stderr)
        assert (b"is undone now" in result.stderr) is journal, where
        assert values(root) == tuned, where
        assert ssdpm("check", "--root", str(root)).returncode == 0, where
    assert n_journals >= 5


@functools.cache
def profile(name: str) -> str:
    return {"ac": "balanced", "battery": "power-saver"}[name]


def kill_at_write(ssdpm: Command, root: pathlib.Path, number: int) -> None:
    inject = f"inject=write:signal=KILL:when={number}"
    result = ssdpm.shell(
        f"ASAN_OPTIONS=detect_leaks=0 strace -o /dev/null -e trace=write -e {inject} "
        f"ssdpm apply --strict -q --root {root} --profile power-saver"
    )
    assert result.returncode != 0
    assert (root / "run/ssdpm/journal").exists()


LIMIT = "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"


@pytest.fixture(params=range(4, 11))
def before(
    ssdpm: Command, laptop: pathlib.Path, request: pytest.FixtureRequest
) -> Values:
    """The values of the laptop, before an apply that was killed at a write."""
    found = values(laptop)
    kill_at_write(ssdpm, laptop, request.param)
    return found


def test_a_revert_undoes_what_a_killed_apply_left_and_says_so(
    ssdpm: Command, laptop: pathlib.Path, before: Values
) -> None:
    said = ssdpm.fails_with_output(5, "check", "--root", str(laptop))
    assert "a run of ssdpm was killed" in said
    for call in (["list"], ["show", "nvme0"]):
        result = ssdpm(*call, "--root", str(laptop))
        assert result.returncode == 0 and b"a run of ssdpm was killed" in result.stderr
    result = ssdpm("revert", "--root", str(laptop))
    assert result.returncode == 0
    assert b"was killed" in result.stderr and b"is undone now" in result.stderr
    assert result.stdout == b"nothing else to do\n"
    assert values(laptop) == before
    assert not (laptop / "run/ssdpm/journal").exists()


def swap(root: pathlib.Path) -> None:
    """Another drive in the place of nvme0."""
    (root / "sys/class/nvme/nvme0/serial").write_text("ANOTHER\n")


def test_a_drive_in_the_place_of_another_does_not_get_its_values(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    call = ("apply", "--root", str(laptop), "nvme0", "--latency")
    assert ssdpm(*call, "25ms").returncode == 0
    swap(laptop)
    # It has the same value, by chance; that is not the one that was set.
    text = ssdpm.output("check", "--root", str(laptop))
    left = "nvme0: latency tolerance left alone: another drive is in its place\n"
    assert text == left
    text = ssdpm.output("revert", "--dry-run", "--root", str(laptop))
    assert text.startswith(left)
    (laptop / LIMIT).write_text("7000\n")
    assert ssdpm(*call, "5ms").returncode == 0
    assert ssdpm("revert", "--root", str(laptop), "-q").returncode == 0
    assert (laptop / LIMIT).read_text().strip() == "7000"


def test_a_drive_that_finds_its_value_in_force_has_a_record_of_its_own(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    call = ("apply", "--root", str(laptop), "nvme0", "--latency", "25ms")
    assert ssdpm(*call).returncode == 0
    swap(laptop)
    assert ssdpm.output(*call).endswith("in force\n")
    assert ssdpm.output("check", "--root", str(laptop)) == "in force\n"
    assert ssdpm("revert", "--root", str(laptop), "-q").returncode == 0
    assert (laptop / LIMIT).read_text().strip() == "25000"


def test_recovery_gives_another_drive_nothing(
    ssdpm: Command, laptop: pathlib.Path, before: Values
) -> None:
    swap(laptop)
    (laptop / LIMIT).write_text("7000\n")
    assert ssdpm("revert", "--root", str(laptop), "-q").returncode == 0
    assert values(laptop) == before | {values_path(laptop): "7000"}
    assert not list((laptop / "run/ssdpm").glob("journal*"))


def values_path(root: pathlib.Path) -> str:
    return str((root / LIMIT).resolve().relative_to(root.resolve()))


def test_a_journal_whose_last_line_is_cut_off_outlives_the_kill_of_its_recovery(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    before = values(laptop)
    kill_at_write(ssdpm, laptop, 8)
    with (laptop / "run/ssdpm/journal").open("a") as journal:
        journal.write("begi")
    result = ssdpm.shell(
        "ASAN_OPTIONS=detect_leaks=0 strace -o /dev/null -e trace=fdatasync "
        f"-e inject=fdatasync:signal=KILL:when=1 ssdpm revert --root {laptop}"
    )
    assert result.returncode != 0
    result = ssdpm("revert", "--root", str(laptop))
    assert result.returncode == 0, result.stderr
    assert values(laptop) == before
    assert not (laptop / "run/ssdpm/journal").exists()


def make_link(path: pathlib.Path) -> None:
    path.symlink_to(path.with_name("elsewhere"))


def make_socket(path: pathlib.Path) -> None:
    with socket.socket(socket.AF_UNIX) as made, contextlib.chdir(path.parent):
        made.bind(path.name)


STRANGE: dict[str, Callable[[pathlib.Path], object]] = {
    "a pipe": os.mkfifo,
    "a directory": pathlib.Path.mkdir,
    "a link": make_link,
    "a socket": make_socket,
}


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("name", ["lock", "journal", "undo"])
def test_what_is_no_file_is_named_and_neither_followed_nor_waited_for(
    ssdpm: Command, laptop: pathlib.Path, name: str, kind: str
) -> None:
    ssdpm.output("apply", "-q", "--root", str(laptop), "--latency", "25ms")
    place = laptop / "run/ssdpm" / name
    if name == "lock":
        kill_at_write(ssdpm, laptop, 8)
    place.unlink(missing_ok=True)
    STRANGE[kind](place)
    was = values(laptop)
    words = f"/run/ssdpm/{name} is {kind}, and no file: remove it"
    looks = 1 if name == "undo" else 5
    calls = (("check", looks), ("revert", 1), ("apply --latency 50ms", 1), ("list", 0))
    for call, status in calls:
        run = ssdpm.shell(f"timeout 20 ssdpm {call} --root {laptop}")
        assert run.returncode == status, (call, run.stderr)
        if name != "undo" or status:
            assert words in " ".join((run.stdout + run.stderr).split()), call
            assert "undoes it first" not in run.stdout + run.stderr, call
    assert values(laptop) == was
    assert not (laptop / "run/ssdpm/elsewhere").exists()
    place.rmdir() if kind == "a directory" else place.unlink()
    assert ssdpm("revert", "--root", str(laptop)).returncode == 0


def test_over_a_journal_check_is_5_also_where_a_value_is_not_known(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    (laptop / "dumps/nvme0.power-state").unlink()
    call = ("check", "--power-state", "1", "--root", str(laptop), "nvme0")
    assert ssdpm(*call).returncode in {1, 4}
    kill_at_write(ssdpm, laptop, 8)
    result = ssdpm(*call)
    assert b"not known" in result.stdout and b"was killed" in result.stdout
    assert result.returncode == 5, result.stderr


def test_what_somebody_wrote_after_a_kill_stays_and_is_reported(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    before = values(laptop)
    kill_at_write(ssdpm, laptop, 10)
    parameter = laptop / "sys/module/nvme_core/parameters/apst_primary_timeout_ms"
    assert parameter.read_text().strip() == "50"
    parameter.write_text("777\n")
    result = ssdpm("apply", "--root", str(laptop), "--latency", "25ms", "--json")
    assert result.returncode == 0
    assert parameter.read_text() == "777\n"
    journal = documented.listed(result.stdout)["journal"]
    assert (journal["state"], journal["n_left_alone"]) == ("undone", 1)
    assert b"777, which somebody else has written: it stays" in result.stderr
    now = values(laptop)
    different = {path for path in now if now[path] != before[path]}
    assert {path.rsplit("/")[-1] for path in different} == {
        "apst_primary_timeout_ms", "pm_qos_latency_tolerance_us",
    }  # fmt: skip


def test_without_privileges_a_journal_is_status_4_with_its_age(
    ssdpm: Command, laptop: pathlib.Path, unprivileged: Callable[..., Any]
) -> None:
    kill_at_write(ssdpm, laptop, 8)
    journal = laptop / "run/ssdpm/journal"
    os.utime(journal, (journal.stat().st_atime, journal.stat().st_mtime - 3600))
    was = digest(laptop)
    for call in (["revert"], ["apply", "--latency", "any"]):
        result = unprivileged(*call, "--root", str(laptop))
        assert result.returncode == 4, result.stderr
        assert re.search(rb"killed 36\d\d s ago", result.stderr), result.stderr
    # Even where all looks as it should.
    ssdpm.json("plan", "--root", str(laptop), "--latency", "100ms")
    call = ["apply", "--root", str(laptop), "--latency", "100ms", "--json"]
    result = unprivileged(*call)
    assert result.returncode == 4
    assert documented.listed(result.stdout)["journal"]["state"] == "found"
    result = unprivileged("check", "--root", str(laptop))
    assert result.returncode == 5 and b"not undo all, 36" in result.stdout
    assert digest(laptop) == was


def test_check_sees_what_somebody_else_changed_of_what_was_applied(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    ssdpm.output("apply", "-q", "--root", str(eight_drives), "--profile", "power-saver")
    assert ssdpm.output("check", "--root", str(eight_drives)).endswith("in force\n")
    for path in eight_drives.glob(SETTINGS[0]):
        path.write_text("0\n")
    for path in eight_drives.glob(SETTINGS[1]):
        path.write_text("max_performance\n")
    text = ssdpm.fails_with_output(5, "check", "--root", str(eight_drives))
    assert "nvme0, nvme1, nvme2: latency tolerance 0 (off) -> 100 ms (not" in text
    assert "max_performance -> med_power_with_dipm (not in force)" in text
    assert "in force\n" not in text.replace("(not in force)", "")


def test_check_knows_what_was_applied_where_it_was_so_already(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    ssdpm.output("apply", "-q", "--root", str(laptop), "--latency", "100ms")
    assert ssdpm.output("check", "--root", str(laptop)).endswith("in force\n")
    (laptop / LIMIT).write_text("5000\n")
    assert ssdpm("check", "--root", str(laptop)).returncode == 5
    # It was nobody's here to change: there is no way back from it.
    assert ssdpm.output("revert", "--root", str(laptop)) == "nothing to do\n"
    assert (laptop / LIMIT).read_text() == "5000\n"
    assert "nothing is applied" in ssdpm.output("check", "--root", str(laptop))


def test_what_somebody_wrote_before_the_first_change_is_what_revert_puts_back(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    ssdpm.output("apply", "-q", "--root", str(laptop), "--latency", "100ms")
    (laptop / LIMIT).write_text("5000\n")
    ssdpm.output("apply", "-q", "--root", str(laptop), "--latency", "25ms")
    assert "25 ms -> 5 ms (done)" in ssdpm.output("revert", "--root", str(laptop))
    assert (laptop / LIMIT).read_text().strip() == "5000"


def test_while_a_journal_stands_nobody_says_that_nothing_is_to_be_done(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    kill_at_write(ssdpm, laptop, 8)
    text = ssdpm.output("revert", "--dry-run", "--root", str(laptop))
    assert text.startswith("nothing else to do\na run of ssdpm was killed, ")


def damage(journal: pathlib.Path, old: str, new: str) -> None:
    """With a checksum that fits."""
    body, _, begun = journal.read_text().partition("\nend ")
    assert old in body
    body = body.replace(old, new, 1) + "\n"
    total = functools.reduce(
        lambda s, c: (s ^ c) * 0x100000001B3 % 2**64, body.encode(), 0xCBF29CE484222325
    )
    journal.write_text(f"{body}end {total:016x}{begun[16:]}")


REFUSED = (
    ("ssdpm-changes 3", "ssdpm-changes 4", 1, "unknown version '4', not '3'"),
    ("\nnvme-core\t", "\nnvme-gore\t", 3, "unknown step 'nvme-gore'"),
    ("", "", 0, "the checksum is wrong: it is damaged"),
)


@pytest.mark.parametrize("old, new, line, why", REFUSED, ids=[r[3] for r in REFUSED])
def test_of_a_journal_that_is_refused_everybody_says_why_and_what_can_be_done(
    ssdpm: Command, laptop: pathlib.Path, old: str, new: str, line: int, why: str
) -> None:
    kill_at_write(ssdpm, laptop, 8)
    journal = laptop / "run/ssdpm/journal"
    if old:
        damage(journal, old, new)
    else:
        text = journal.read_text()
        line = text[: text.index("\nend ") + 1].count("\n") + 1
        journal.write_text(text.replace("\nend ", "\nend 0", 1))
    was = digest(laptop)
    reason = (
        f"/run/ssdpm/journal:{line}: {why}: use the ssdpm that wrote it, or look at "
        "the file and remove it"
    )
    calls = (
        (["check"], 5), (["check", *SECOND], 5), (["plan", *SECOND], 0), (["list"], 0),
        (["show", "nvme0"], 0), (["revert", "-n"], 0), (["apply", "-n", *SECOND], 0),
        (["revert"], 1), (["apply", *SECOND], 1),
    )  # fmt: skip
    for call, status in calls:
        result = ssdpm(*call, "--root", str(laptop))
        said = (result.stdout + result.stderr).decode()
        assert result.returncode == status, (call, said)
        assert reason in " ".join(said.split()), call
        assert "undoes it first" not in said, call
    for call in (["check"], ["list"], ["show", "nvme0"], ["plan", *SECOND]):
        result = ssdpm(*call, "--root", str(laptop), "--json", "-q")
        found = documented.listed(result.stdout)
        found = found[0] if isinstance(found, list) else found
        assert found["journal"]["state"] == "refused", call
        assert (found["journal"]["line"], found["journal"]["reason"]) == (line, reason)
    assert digest(laptop) == was


def test_list_and_show_have_the_journal_that_stands_in_their_json(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    for call in (["list"], ["show", "nvme0"]):
        found = documented.listed(ssdpm.output(*call, "--json", "--root", str(laptop)))
        assert (found[0] if isinstance(found, list) else found)["journal"] is None
    kill_at_write(ssdpm, laptop, 8)
    for call in (["list"], ["show", "nvme0"]):
        answer = ssdpm.output(*call, "-q", "--json", "--root", str(laptop))
        found = documented.listed(answer)
        journal = (found[0] if isinstance(found, list) else found)["journal"]
        assert journal["state"] == "killed" and journal["reason"] is None


def test_beside_a_journal_check_does_not_say_that_nothing_was_applied(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    kill_at_write(ssdpm, laptop, 8)
    text = ssdpm.fails_with_output(5, "check", "--root", str(laptop))
    assert text.startswith("nothing else to check\na run of ssdpm was killed, ")


@pytest.mark.parametrize(
    "error, why",
    [
        ("EROFS", "the file system is read-only"),
        ("EPERM", "it, or its directory, is immutable: see lsattr(1)"),
        ("ENOSPC", "no space left"),
    ],
)
def test_where_nothing_can_be_written_the_words_say_why_and_nothing_else(
    ssdpm: Command, laptop: pathlib.Path, error: str, why: str
) -> None:
    ssdpm.output("apply", "-q", "--root", str(laptop), "--latency", "25ms")
    before = values(laptop)
    result = ssdpm.shell(
        "ASAN_OPTIONS=detect_leaks=0 strace -o /dev/null -e trace=unlinkat "
        f"-e inject=unlinkat:error={error} ssdpm apply --root {laptop} --latency 50ms"
    )
    assert result.returncode == 1
    assert f"ssdpm: the journal /run/ssdpm/journal.new: {why}" in result.stderr
    assert "to undo it failed" not in result.stderr
    assert values(laptop) == before


@pytest.fixture
def small(machine: Make) -> Iterator[pathlib.Path]:
    """A machine whose /run is a small file system of its own."""
    root = machine("laptop")
    (root / "run").mkdir(exist_ok=True)
    call = ["mount", "-t", "tmpfs", "-o", "size=128k", "none", root / "run"]
    subprocess.run(call, check=True)
    yield root
    subprocess.run(["umount", root / "run"], check=True)


def fill(root: pathlib.Path) -> None:
    with pytest.raises(OSError, match="No space left"), (root / "run/full").open("wb") as file:
        while True:
            file.write(b"x" * 512)
            file.flush()


def assert_no_room(ssdpm: Command, *call: str) -> None:
    result = ssdpm(*call)
    assert result.returncode == 1
    assert b"no space left" in result.stderr and b"undo it failed" not in result.stderr


def test_where_run_is_full_a_revert_works_and_an_apply_changes_nothing(
    ssdpm: Command, small: pathlib.Path
) -> None:
    first = values(small)
    ssdpm.output("apply", "-q", "--root", str(small), *SECOND)
    before = values(small)
    assert before != first
    fill(small)
    for latency in ("25ms", "50ms"):
        assert_no_room(ssdpm, "apply", "--root", str(small), "--latency", latency)
        assert values(small) == before
        assert not (small / "run/ssdpm/journal").exists()
    assert ssdpm("check", "--root", str(small)).returncode == 0
    ssdpm.output("revert", "--root", str(small))
    assert values(small) == first
    assert ssdpm.output("revert", "--root", str(small)) == "nothing to do\n"


def test_a_revert_that_finds_no_room_at_all_changes_nothing(
    ssdpm: Command, small: pathlib.Path
) -> None:
    ssdpm.output("apply", "-q", "--root", str(small), *SECOND)
    before = values(small)
    (small / "run/ssdpm/reserve").unlink()
    fill(small)
    assert_no_room(ssdpm, "revert", "--root", str(small))
    assert values(small) == before
    (small / "run/full").unlink()
    ssdpm.output("revert", "--root", str(small))


def test_what_could_not_be_reverted_is_not_applied(
    ssdpm: Command, small: pathlib.Path
) -> None:
    before = values(small)
    fill(small)
    assert_no_room(ssdpm, "apply", "--root", str(small), *SECOND)
    assert values(small) == before


def test_a_limit_of_the_process_is_named(ssdpm: Command, laptop: pathlib.Path) -> None:
    before = values(laptop)
    result = ssdpm.shell(
        f"ulimit -f 1; trap '' XFSZ; ssdpm apply --root {laptop} {' '.join(SECOND)}"
    )
    assert result.returncode == 1 and "see ulimit(1)" in result.stderr
    assert values(laptop) == before


def test_a_user_learns_that_rights_lack_wherever_they_do(
    ssdpm: Command, laptop: pathlib.Path, unprivileged: Callable[..., Any]
) -> None:
    calls = (["apply", "--latency", "25ms"], ["revert"])
    assert unprivileged(*calls[0], "--root", str(laptop)).returncode == 4
    ssdpm.output("apply", "-q", "--root", str(laptop), "--latency", "50ms")
    for name, mode in (("lock", 0o600), ("lock", 0o644), ("", 0o700)):
        place = laptop / "run/ssdpm" / name
        old = place.stat().st_mode
        place.chmod(mode)
        for call in calls:
            result = unprivileged(*call, "--root", str(laptop))
            assert result.returncode == 4, (name, mode, call, result.stderr)
            assert b"only root with its capabilities may" in result.stderr
        place.chmod(old)


def test_a_record_with_an_unknown_word_is_refused_by_file_and_line(
    ssdpm: Command, desktop: pathlib.Path
) -> None:
    ssdpm.output("apply", "-q", "--root", str(desktop), "--profile", "performance")
    undo = desktop / "run/ssdpm/undo"
    lpm = re.search(r"\nlpm\t\S+\t0\tm\w+", undo.read_text())
    assert lpm
    damage(undo, lpm[0], re.sub(r"\w+$", "med_powder", lpm[0]))
    text = undo.read_text()
    line = 1 + [n for n, each in enumerate(text.split("\n")) if "powder" in each][0]
    was = digest(desktop)
    for call in (["revert"], ["check"]):
        message = ssdpm.fails(1, *call, "--root", str(desktop))
        assert f"/run/ssdpm/undo:{line}: lpm: unknown value before" in message
    assert digest(desktop) == was


def test_of_power_sources_that_flip_the_last_one_is_followed(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    """AC, battery, AC, while somebody holds the lock: ten times, and each way."""
    ssdpm.output("apply", "-q", "--root", str(laptop), "--profile", "balanced")
    for number in range(10):
        last = ("ac", "battery")[number % 2]
        sources = [last, ("battery", "ac")[number % 2], last]
        flip(ssdpm, laptop, sources)
        now = ssdpm("check", "-q", "--root", str(laptop), "--profile", profile(last),
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


def test_tables_that_a_kill_left_older_than_the_parameters_are_built_anew(
    ssdpm: Command, machine: Make
) -> None:
    fresh = machine("eight-drives")
    (fresh / "etc").mkdir(exist_ok=True)
    (fresh / "etc/ssdpm.conf").write_text(
        "[machine]\nprofile = power-saver\nmax_exit_latency = 100ms\n"
    )
    root = fresh.with_name("killed")
    parameter = root / "sys/module/nvme_core/parameters/apst_primary_timeout_ms"
    n_old = 0
    for number in range(1, 100):
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(fresh, root, symlinks=True)
        before = parameter.read_text()
        killed = ssdpm.shell(
            "ASAN_OPTIONS=detect_leaks=0 strace -o /dev/null -e trace=renameat -e "
            f"inject=renameat:signal=KILL:when={number} "
            f"ssdpm apply --config -q --root {root}"
        )
        if killed.returncode == 0:
            break
        # In the transaction of a drive, and not in that of the parameters.
        is_new = parameter.read_text() != before
        steps = ssdpm.json("plan", "--config", "--root", str(root))["steps"]
        kinds = {step["kind"] for step in steps if step["state"] == "planned"}
        if is_new and "nvme-core" not in kinds:
            assert kinds == {"rebuild"}, number
            n_old += 1
            # A commit that fails before it has done anything forgets none.
            failed = ssdpm.shell(
                "ASAN_OPTIONS=detect_leaks=0 strace -o /dev/null -e trace=renameat -e "
                "inject=renameat:error=EIO "
                f"ssdpm apply --strict --config -q --root {root}"
            )
            assert failed.returncode == 1
            assert (root / "run/ssdpm/rebuild").exists()
        assert ssdpm("check", "--config", "-q", "--root", str(root)).returncode == 5
        assert ssdpm("apply", "--config", "-q", "--root", str(root)).returncode == 0
        assert ssdpm("check", "--config", "-q", "--root", str(root)).returncode == 0
        assert not (root / "run/ssdpm/rebuild").exists()
    assert n_old > 3


def test_a_damaged_list_of_old_tables_is_said_by_all_that_would_need_it(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("eight-drives")
    (root / "etc").mkdir(exist_ok=True)
    (root / "etc/ssdpm.conf").write_text("[machine]\nmax_exit_latency = 100ms\n")
    assert ssdpm("apply", "-q", "--config", "--root", str(root)).returncode == 0
    (root / "run/ssdpm/rebuild").write_text("garbage\n")
    for command in (["check"], ["plan", "--config"], ["apply", "--config"], ["revert"]):
        result = ssdpm(*command, "--root", str(root))
        assert result.returncode == 1, command
        assert "/run/ssdpm/rebuild:1: not a record" in result.stderr.decode()
    assert ssdpm("show", "--root", str(root)).returncode == 0
