# SPDX-License-Identifier: MIT
"""The unit of systemd that goes on with ssdpm bisect after a boot.
tests/vm/test_bisect_unit.py has a real systemd."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess

import pytest
from command import COMMAND, TOP, Command
from test_bisect_run import SEEN, Searched, boottime, kernel, searched
from test_watch_prometheus import analyze, flat, system_calls

__all__ = ["searched"]

UNIT = TOP / "examples/integration/bisect/ssdpm-bisect.service"


def settings(key: str) -> list[str]:
    lines = UNIT.read_text().splitlines()
    return [line.split("=", 1)[1] for line in lines if line.startswith(f"{key}=")]


def test_systemd_takes_the_unit_without_a_word(ssdpm: Command) -> None:
    # The command is where it was built.
    text = UNIT.read_text().replace("/usr/bin/ssdpm", str(COMMAND))
    ssdpm.write(UNIT.name, text)
    said = analyze("verify", "--man=no", ssdpm.directory / UNIT.name)
    assert "ssdpm" not in said, said


def test_no_more_is_open_to_the_unit_than_it_needs() -> None:
    # In tenths: 4.0. It sets values below /sys and reads the kernel's log.
    analyze("security", "--offline=yes", "--threshold=40", UNIT)


def condition(searched: Searched, patch: pytest.MonkeyPatch) -> int:
    """That of the unit, with the command where it was built."""
    [text] = settings("ExecCondition")
    program = str(searched.ssdpm.directory / "bin/ssdpm")
    shell, flag, script = shlex.split(text)
    # The library is the command's alone: it may be built with a sanitizer.
    call = f'LD_PRELOAD="{searched.preload}" "{program}"'
    script = script.replace("$$", "$").replace("/usr/bin/ssdpm", call)
    with patch.context() as context:
        context.setattr(Searched, "runner", ("sh", "-c", 'eval "$condition"'))
        context.setattr(Searched, "preload", "")
        with searched.call("status", condition=shlex.join([shell, flag, script])) as process:
            process.communicate(timeout=120)
    return process.returncode


def test_the_unit_does_nothing_without_a_search_that_is_under_way(
    searched: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert settings("ConditionPathExists") == ["/var/lib/ssdpm/bisect"]
    assert condition(searched, monkeypatch) == 1
    searched.ok("start", *SEEN, "nvme0")
    assert condition(searched, monkeypatch) == 0
    searched.ok("bad")
    assert searched.state()["decision"] != "searching" and searched.file().exists()
    assert condition(searched, monkeypatch) == 1


def test_what_the_unit_calls_ends_well_when_systemd_stops_it(searched: Searched) -> None:
    [call] = settings("ExecStart")
    assert call == "/usr/bin/ssdpm bisect run $OPTIONS"
    assert settings("Restart") == ["no"] and settings("KillSignal") == ["SIGTERM"]
    searched.ok("start", *SEEN, "nvme0")
    with kernel(searched), searched.call("run") as process:
        searched.wait_for_token(" run:")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    assert process.returncode == 0


def test_bisect_makes_no_system_call_that_the_unit_forbids(
    searched: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert settings("SystemCallFilter") == ["@system-service"]
    allowed = flat(system_calls(), "@system-service")
    searched.ok("start", *SEEN, "nvme0")
    log = searched.ssdpm.directory / "calls"
    monkeypatch.setattr(Searched, "runner", ("strace", "-o", str(log)))
    with kernel(searched), searched.call("run", "--provoke") as process:
        end = boottime() + 120
        while not log.exists() or "poll" not in log.read_text():
            assert boottime() < end and process.poll() is None
        searched.fail()
        process.communicate(timeout=120)
    called = set(re.findall(r"^(\w+)\(", log.read_text(), re.MULTILINE))
    called -= {"vfork", "clone3", "clone", "wait4"}
    assert {"rename", "flock", "poll"} <= called <= allowed, called - allowed
