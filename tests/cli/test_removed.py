# SPDX-License-Identifier: MIT
"""A drive that is removed while apply runs: status, words and steps say what is so."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import documented
import pytest
from command import Command

Make = Callable[[str], pathlib.Path]

CALL = ("apply", "--profile", "power-saver", "--source", "battery")
STOPPED = re.compile(r"^(\d+) +--- stopped by SIGSTOP ---$", re.MULTILINE)


@dataclass
class Run:
    status: int
    words: str
    plan: dict[str, Any]
    removed: bool


def removed_at(ssdpm: Command, root: pathlib.Path, name: str, number: int) -> Run:
    """It is stopped at this call, nvme1 is taken away, and it goes on."""
    log = ssdpm.directory / "calls"
    log.unlink(missing_ok=True)
    inject = f"inject={name}:signal=STOP:when={number}"
    out, words = ssdpm.directory / "out", ssdpm.directory / "words"
    with out.open("wb") as stdout, words.open("wb") as stderr:
        process = subprocess.Popen(
            ["strace", "-f", "-o", log, "-e", f"trace={name}", "-e", inject,
             "ssdpm", *CALL, "--root", root, "--json"],
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


@pytest.mark.parametrize("name", ["fdatasync", "renameat", "unlinkat"])
def test_status_and_words_are_those_of_the_values_on_the_machine(
    ssdpm: Command, machine: Make, name: str
) -> None:
    assert shutil.which("strace"), "install the package strace"
    number, statuses = 1, set[int]()
    while True:
        shutil.rmtree(ssdpm.directory / "machines", ignore_errors=True)
        root = machine("eight-drives")
        run = removed_at(ssdpm, root, name, number)
        if not run.removed:
            assert run.status == 0 and number > 1
            break
        where = f"{name} {number}: {run.status}: {run.words}"
        statuses.add(run.status)
        assert run.status in {0, 1, 5}, where
        assert run.plan["in_force"] is (run.status == 0), where
        assert run.status == 0 or "nvme1: it was removed" in run.words, where
        for step in run.plan["steps"]:
            if step["state"] == "left-alone":
                continue
            assert step["state"] in expected(run, step), (where, step)
            if step["device"] != "nvme1":
                now = (root / step["target"][1:]).read_text().strip()
                held = "before" if run.status == 1 else "after"
                assert now == step[held], (where, step)
        assert not (root / "run/ssdpm/journal").exists()
        number += 1
    # Before the commit counts, and after that.
    assert statuses == {1, 5}


LIMIT = "sys/class/nvme/nvme{}/power/pm_qos_latency_tolerance_us"


@pytest.mark.parametrize("form", ["", "--quiet"])
def test_what_cannot_be_put_back_is_counted_and_printed_even_if_quiet(
    ssdpm: Command, eight_drives: pathlib.Path, form: str
) -> None:
    assert shutil.which("strace"), "install the package strace"
    limits = [(eight_drives / LIMIT.format(i)).resolve() for i in (0, 1)]
    before = limits[1].read_text()
    paths = " ".join(f"-P {limit}" for limit in limits)
    call = f"apply --latency 5ms nvme0 nvme1 --root {eight_drives}"
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
    assert bool(re.search(journal, out)) is (not form)
    assert "commit runs" not in out
    assert "nvme0: latency tolerance 100 ms -> 5 ms (done, and not put back)" in out
    assert "nvme1: latency tolerance 100 ms -> 5 ms (failed)" in out
    assert (limits[0].read_text().strip(), limits[1].read_text()) == ("5000", before)
    assert ssdpm(*call.split()).returncode == 0
    assert {limit.read_text().strip() for limit in limits} == {"5000"}
