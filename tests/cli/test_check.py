# SPDX-License-Identifier: MIT
"""ssdpm check: is it in force?"""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import documented
from command import Command

Make = Callable[[str], pathlib.Path]


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
    assert lines[0] == "nvme0: latency tolerance 100 ms -> 25 ms (not in force)"
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


def test_usage_and_devices_fail_as_of_plan(ssdpm: Command, machine: Make) -> None:
    root = str(machine("laptop"))
    assert "name no TARGET" in ssdpm.fails(2, "check", "--root", root, "nvme0")
    assert "sdx" in ssdpm.fails(1, "check", "--root", root, "-l", "any", "sdx")
    assert "no such option" in ssdpm.fails(2, "check", "--root", root, "--dry-run")
