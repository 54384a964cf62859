# SPDX-License-Identifier: MIT
"""ssdpm list: the drives of a machine."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import shutil
from collections.abc import Callable
from typing import Any

import documented
import machines
import pytest
import ssdpm as package
from command import Command

Make = Callable[[str], pathlib.Path]


def listed(ssdpm: Command, root: pathlib.Path) -> dict[str, dict[str, object]]:
    answer = ssdpm.json("list", "--root", str(root))
    drives = answer if isinstance(answer, list) else [answer]
    return {drive["name"]: drive for drive in drives}


def test_each_drive_has_a_line_with_what_is_set_and_whether_it_saves(
    ssdpm: Command, machine: Make
) -> None:
    lines = ssdpm.output("list", "--root", str(machine("eight-drives"))).splitlines()
    assert lines[0].split() == [
        "name", "product", "firmware", "kind", "setting", "saving",
    ]  # fmt: skip
    assert [line.split()[0] for line in lines[1:]] == [
        "nvme0", "nvme1", "nvme2", "nvme3", "sda", "sdb", "sdc", "sdd", "host4",
    ]  # fmt: skip
    assert lines[1].split()[-4:] == ["nvme", "100", "ms", "saves"]
    assert lines[5].split()[-3:] == ["sata", "med_power_with_dipm", "saves"]
    assert all(line == line.rstrip() for line in lines)


def test_what_is_out_of_reach_has_its_reason(ssdpm: Command, machine: Make) -> None:
    drives = listed(ssdpm, machine("server"))
    reach = {name: drive["reach"] for name, drive in drives.items()}
    assert reach["sda"] == "sas"
    assert reach["sdb"] == "raid"
    assert reach["sdc"] == "usb"
    assert reach["nvme0"] == "yes"
    assert {"vmd", "remapped"} <= set(reach.values())
    for drive in drives.values():
        if drive["reach"] != "yes":
            assert drive["verdict"] == "out-of-reach"
    text = ssdpm.output("list", "--root", str(machine_root(ssdpm, "server")))
    assert "out-of-reach: usb" in text


# Dumps that are too long are an error of the command.
READABLE = sorted(machines.MACHINES.keys() - {"hostile"})


@pytest.mark.parametrize("name", READABLE)
def test_the_package_says_the_same_of_each_drive(
    ssdpm: Command, machine: Make, name: str
) -> None:
    root = machine(name)
    said = {one.name: one.to_dict() for one in package.devices(root)}
    drives = listed(ssdpm, root)
    # It belongs to the machine: ssdpm.read_journal().
    assert all(drive.pop("journal") is None for drive in drives.values())
    assert said == drives
    assert json.loads(json.dumps(said)) == said


@pytest.mark.parametrize("name", READABLE)
def test_the_package_says_the_same_of_the_machine(
    ssdpm: Command, machine: Make, name: str
) -> None:
    root = machine(name)
    one = package.Machine(root)
    said = ssdpm.json("show", "--root", str(root), one.devices()[0].name)["machine"]
    assert said.pop("schema") == "ssdpm.machine/1"
    assert said.pop("owners") == [dataclasses.asdict(owner) for owner in one.owners()]
    assert said.pop("meters") == [dataclasses.asdict(meter) for meter in one.meters()]
    facts = dataclasses.asdict(one.facts)
    assert said.pop("capture") is (facts.pop("capture") > 0)
    assert said == facts


def machine_root(ssdpm: Command, name: str) -> pathlib.Path:
    return ssdpm.directory / "machines" / name


def test_an_old_kernel_says_less_and_that_is_null(
    ssdpm: Command, machine: Make
) -> None:
    drives = listed(ssdpm, machine("old-5.10"))
    assert drives["nvme0"]["reset_count"] is None
    assert drives["nvme0"]["quirks_from_kernel"] is False
    assert drives["sda"]["lpm_supported"] is None


def test_limits_are_numbers_any_or_null(ssdpm: Command, machine: Make) -> None:
    empty = listed(ssdpm, machine("apst-empty"))
    assert empty["nvme0"]["latency_tolerance_us"] == 1000
    assert empty["nvme1"]["latency_tolerance_us"] == "any"
    off = listed(ssdpm, machine("apst-off"))
    assert off["nvme0"]["latency_tolerance_us"] == 0
    assert off["nvme0"]["verdict"] == "saves-nothing"
    none = listed(ssdpm, machine("quirked"))
    assert none["nvme1"]["latency_tolerance_us"] is None


def test_a_machine_without_drives_is_no_failure_and_names_the_catalogue(
    ssdpm: Command,
) -> None:
    (ssdpm.directory / "bare/sys").mkdir(parents=True)
    result = ssdpm("list", "--root", "bare")
    assert result.returncode == 0 and result.stdout == b""
    assert result.stderr.decode().count("\n") == 1
    assert "ssdpm list --catalogue" in result.stderr.decode()
    assert ssdpm("list", "--root", "bare", "-q").stderr == b""
    assert json.loads(ssdpm.output("list", "--root", "bare", "--json", "-q")) == []


def test_one_drive_is_one_object(ssdpm: Command, machine: Make) -> None:
    root = str(machine("laptop"))
    assert ssdpm.output("list", "--root", root, "--value", "name") == "nvme0\n"
    assert "verdict='saves'" in ssdpm.output("list", "--root", root, "--shell")


def test_an_operand_belongs_to_the_catalogue(ssdpm: Command) -> None:
    message = ssdpm.fails(2, "list", "sn530")
    assert "--catalogue" in message


def test_a_root_that_is_none_is_an_error(ssdpm: Command) -> None:
    assert "nowhere" in ssdpm.fails(1, "list", "--root", "nowhere")
    ssdpm.write("file", "")
    assert "file" in ssdpm.fails(1, "list", "--root", "file")


def test_hostile_names_reach_no_terminal(ssdpm: Command, machine: Make) -> None:
    root = str(machine("hostile"))
    for command in ("list", "show", "lpm", "check --lpm min_power",
                    "plan --latency 1ms"):  # fmt: skip
        for more in ([], ["--json"], ["-v"]):
            result = ssdpm(*command.split(), *more, "--root", root)
            text = (result.stdout + result.stderr).decode()
            assert text.replace("\n", "").isprintable(), (command, more)


def test_verbose_says_which_files_are_read_and_no_command_is_sent(
    ssdpm: Command, machine: Make
) -> None:
    result = ssdpm("list", "-v", "--root", str(machine("laptop")))
    assert result.returncode == 0
    log = result.stderr.decode()
    assert "pm_qos_latency_tolerance_us" in log
    assert all(line.startswith("ssdpm: ") for line in log.splitlines())
    assert "Identify" not in log


def test_a_pipe_that_is_closed_early_is_no_noise(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("eight-drives")
    result = ssdpm.shell(f"ssdpm list --root {root} | head -n 1")
    assert result.returncode == 0 and result.stderr == ""


@pytest.mark.parametrize("name", machines.MACHINES)
def test_every_machine_is_listed_and_documented(
    ssdpm: Command, machine: Make, name: str
) -> None:
    result = ssdpm("list", "--root", str(machine(name)), "--json")
    documented.check(json.loads(result.stdout))
    assert result.returncode == (1 if name == "hostile" else 0)


def test_a_drive_that_vanishes_is_left_out(ssdpm: Command, machine: Make) -> None:
    root = machine("eight-drives")
    shutil.rmtree(next(root.glob("sys/devices/pci*/*/*/nvme/nvme1")))
    assert "nvme1" not in listed(ssdpm, root)


def test_identify_without_root_is_refused_with_advice(
    ssdpm: Command, unprivileged: Callable[..., Any]
) -> None:
    result = unprivileged("list", "--identify")
    assert result.returncode == 4 and result.stdout == b""
    assert b"root" in result.stderr
