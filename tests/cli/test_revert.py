# SPDX-License-Identifier: MIT
"""ssdpm revert: back to what was there before the first apply."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

from command import Command

Make = Callable[[str], pathlib.Path]
LIMIT = "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"


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
    assert "no operand" in ssdpm.fails(2, "revert", "--root", root, "nvme0")
    assert "--persist cron" in ssdpm.fails(2, "revert", "--root", root, "--persist=cron")
    message = ssdpm.fails(2, "revert", "--root", root, "--persist", "udev")
    assert "write --persist=udev" in message


def test_a_root_without_the_marker_is_left_alone(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    ssdpm.output("apply", "--root", str(laptop), "--latency", "25ms")
    (laptop / "ssdpm-capture").unlink()
    assert ssdpm("revert", "--root", str(laptop)).returncode == 1
    assert (laptop / LIMIT).read_text().strip() == "25000"


def test_without_privileges_it_is_status_4(
    ssdpm: Command, laptop: pathlib.Path, unprivileged: Callable[..., Any]
) -> None:
    ssdpm.output("apply", "--root", str(laptop), "--latency", "25ms")
    result = unprivileged("revert", "--root", str(laptop))
    assert result.returncode == 4, result.stderr
    assert (laptop / LIMIT).read_text().strip() == "25000"
