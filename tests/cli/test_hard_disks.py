# SPDX-License-Identifier: MIT
"""Hard disks: no command has a power of their motor, and each says why."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest
from command import Command

Make = Callable[[str], pathlib.Path]
WHY = "sdd: a hard disk: the power of its motor is not estimated"


def without_lpm(root: pathlib.Path) -> pathlib.Path:
    for path in root.glob("sys/devices/**/link_power_management_policy"):
        path.write_text("max_performance\n")
    return root


@pytest.mark.parametrize(
    "call",
    [
        ["estimate"],
        ["estimate", "--json"],
        ["compare"],
        ["recommend"],
        ["measure", "state", "--power", "3.5W"],
        ["budget", "--watts", "30", "--max-power", "PS0=4W"],
    ],
)
def test_a_hard_disk_that_is_named_is_refused(
    ssdpm: Command, machine: Make, call: list[str]
) -> None:
    result = ssdpm(*call, "--root", str(machine("eight-drives")), "sdd")
    assert result.returncode == 3
    assert WHY in result.stderr.decode()
    assert b" mW" not in result.stdout and b"_uw" not in result.stdout


def test_a_hard_disk_of_a_machine_is_left_out(ssdpm: Command, machine: Make) -> None:
    root = machine("eight-drives")
    assert f"  {WHY}\n" in ssdpm.output("tune", "-n", "--root", str(root))
    without_lpm(root)
    for call in (["recommend"], ["plan", "-p", "auto", "-t", "desktop-session"]):
        result = ssdpm(*call, "--root", str(root))
        assert result.returncode == 0, call
        assert WHY in result.stderr.decode()
        assert b"sda: CT1000MX500SSD1 on " in result.stdout
        assert b"sdd: WDC" not in result.stdout


def test_the_screen_names_a_hard_disk(ssdpm: Command, machine: Make) -> None:
    for root in (machine("eight-drives"), without_lpm(machine("eight-drives"))):
        lines = ssdpm.output("status", "--root", str(root)).splitlines()
        (line,) = [line for line in lines if line.startswith("sdd ")]
        assert line.split()[-4:] == ["hard", "disk", "not", "estimated"]


def test_a_hard_disk_of_the_catalogue_is_refused(ssdpm: Command) -> None:
    result = ssdpm("estimate", "WDC  WUH721414ALE604")
    assert result.returncode == 3 and not result.stdout
    assert b"a hard disk: the power of its motor" in result.stderr
    assert ssdpm.json("show", "WDC  WUH721414ALE604")["sata"]["rotational"] is True


def test_a_link_that_nobody_can_put_to_sleep_gets_no_advice(
    ssdpm: Command, machine: Make
) -> None:
    root = without_lpm(machine("eight-drives"))
    said = ssdpm.output("show", "--root", str(root), "sdd")
    assert "neither host nor drive can put the link to sleep" in said
    assert "--set" not in said and "LPM is off" not in said
    assert "--set" not in ssdpm.output("lpm", "--root", str(root), "sdd")


def test_a_disk_that_does_not_say_is_what_linux_takes_it_for(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("eight-drives")
    (root / "dumps/sdd.identify").unlink()
    (path,) = root.glob("sys/devices/**/ata4/**/id")
    words = path.read_text().split()
    words[217] = words[255] = "0000"
    path.write_text(" ".join(words))
    assert WHY in ssdpm("estimate", "--root", str(root), "sdd").stderr.decode()
    (flag,) = root.glob("sys/devices/**/sdd/queue/rotational")
    flag.write_text("0\n")
    assert "mean power" in ssdpm.output("estimate", "--root", str(root), "sdd")
