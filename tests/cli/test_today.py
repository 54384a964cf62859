# SPDX-License-Identifier: MIT
"""What the machine of a device does now: what savings are counted from."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import documented
from command import Command

Machine = Callable[[str], pathlib.Path]
TRACE = ["-q", "-t", "lomax", "--n-ios", "200"]


def test_a_drive_whose_limit_is_0_saves_against_never_sleeping(
    ssdpm: Command, machine: Machine
) -> None:
    root = str(machine("apst-off"))
    text = ssdpm.output("recommend", *TRACE, "--root", root, "nvme0")
    assert "; APST is off, the latency limit is 0\n  today: never sleeps\n" in text
    advice = ssdpm.json("recommend", *TRACE, "--root", root, "nvme0")
    assert advice["from"] == "today"
    first = advice["recommendations"][0]
    assert first["advice"] == "set" and first["saving"]["nominal_uw"] > 0

    rows = ssdpm.json("compare", *TRACE, "--root", root, "nvme0")["rows"]
    assert rows[0]["policies"][0] == "today" and "none" in rows[0]["policies"]
    assert rows[0]["entries"] == []
    assert ["linux"] in [row["policies"] for row in rows]

    found = ssdpm.json("estimate", *TRACE, "--root", root, "nvme0")
    assert (found["policy"], found["entries"]) == ("today", [])
    linux = ssdpm.json("estimate", *TRACE, "-a", "linux", "--root", root, "nvme0")
    assert linux["policy"] == "linux" and linux["entries"]


def test_today_has_the_parameters_of_the_machine(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    timeout = laptop / "sys/module/nvme_core/parameters/apst_primary_timeout_ms"
    timeout.write_text("1234\n")
    found = ssdpm.json("estimate", *TRACE, "--root", str(laptop), "nvme0")
    assert found["policy"] == "today"
    assert found["entries"][0]["idle_ms"] == 1234
    plan = ssdpm.json(
        "plan", *TRACE, "--root", str(laptop), "--latency", "0us", "nvme0"
    )  # fmt: skip
    before, after = plan["estimates"][0]["rows"]
    assert before["entries"][0]["idle_ms"] == 1234
    assert after["entries"] == []


def test_today_of_a_port_is_its_link_policy(
    ssdpm: Command, desktop: pathlib.Path
) -> None:
    for path in desktop.glob("sys/class/scsi_host/*/link_power_management_policy"):
        path.write_text("medium_power\n")
    found = ssdpm.json("estimate", *TRACE, "--root", str(desktop), "sda")
    assert (found["policy"], found["lpm"]) == ("today", "medium_power")
    text = ssdpm.output("estimate", *TRACE, "--root", str(desktop), "sda")
    assert "\n  today: medium_power\n" in text


def test_only_a_device_has_a_policy_of_today(ssdpm: Command) -> None:
    found = ssdpm.json("estimate", *TRACE, "plain.json")
    assert found["policy"] == "linux"
    rows = ssdpm.json("compare", *TRACE, "plain.json")["rows"]
    assert "today" not in [name for row in rows for name in row["policies"]]
    result = ssdpm("compare", *TRACE, "-p", "today", "plain.json")
    assert result.returncode == 3
    assert result.stderr == (
        b"ssdpm: plain.json: today is unknown: only devices have it\n"
    )


def test_a_sata_disk_of_a_machine_leaves_the_other_drives_their_answer(
    ssdpm: Command, machine: Machine
) -> None:
    call = ["recommend", "-t", "lomax", "--n-ios", "200", "--json"]
    root = str(machine("desktop-6.1"))
    all_of_it = ssdpm(*call, "--root", root)
    assert all_of_it.returncode == 0
    assert documented.listed(all_of_it.stdout)["drive"] == "nvme0"
    lines = all_of_it.stderr.decode().splitlines()
    names = [line.split(":")[1] for line in lines if "only these have APST" in line]
    assert names == [" sda", " sdb"]
    assert b"APST" not in ssdpm(*call, "-q", "--root", root).stderr

    named = ssdpm(*call, "--root", root, "sda", "nvme0")
    assert named.returncode == 3
    assert documented.listed(named.stdout)["drive"] == "nvme0"
    assert documented.items(ssdpm(*call, "--root", root, "sda").stdout) == []


def test_a_link_policy_that_the_firmware_has_set_is_a_range(
    ssdpm: Command, desktop: pathlib.Path
) -> None:
    call = ["estimate", *TRACE, "--root", str(desktop), "sda"]
    deep = ssdpm.json(*call, "--lpm", "min_power")
    awake = ssdpm.json(*call, "--lpm", "max_performance")
    for path in desktop.glob("sys/class/scsi_host/*/link_power_management_policy"):
        path.write_text("keep_firmware_settings\n")
    found = ssdpm.json(*call)
    assert found["policy"] == "today"
    assert found["nominal"]["energy_nj"] == awake["nominal"]["energy_nj"]
    assert found["high"]["energy_nj"] == awake["high"]["energy_nj"]
    assert found["low"]["energy_nj"] == deep["low"]["energy_nj"]
    assert deep["low"]["energy_nj"] < awake["low"]["energy_nj"]
    assert "so it is a range, min_power to max_performance" in ssdpm.output(*call)
