# SPDX-License-Identifier: MIT
"""ssdpm show, apst, estimate and others of the drives of a machine."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import documented
import machines
import pytest
from command import Command

Make = Callable[[str], pathlib.Path]


def test_without_a_drive_all_are_diagnosed_and_the_machine_follows(
    ssdpm: Command, machine: Make
) -> None:
    text = ssdpm.output("show", "--root", str(machine("apst-empty")))
    blocks = text.split("\n\n")
    assert blocks[0].startswith("nvme0: WDC PC SN530")
    assert "  saves nothing: " in blocks[0]
    assert "  ! APST enabled but empty: " in blocks[0]
    assert blocks[1].startswith("nvme1: Fixture Slow SSD")
    assert "PS4" in blocks[1] and "113 ms" in blocks[1]
    assert blocks[-1].startswith("This machine: ")
    assert "apst_secondary_latency_tol_us=100000" in blocks[-1]
    assert "max power" not in text


def test_a_named_device_is_shown_with_its_table_and_states(
    ssdpm: Command, machine: Make
) -> None:
    text = ssdpm.output("show", "--root", str(machine("laptop")), "nvme0")
    assert "latency limit   100 ms" in text
    assert "APST by rule    PS0-PS2 to PS3 after 100 ms, PS3 to PS4 after 2 s" in text
    assert "PCIe link       clkpm, l1, l1.1, l1.2" in text
    assert "PS3    no               25 mW" in text


def test_a_sata_port_is_shown_with_its_registers(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("external-ports"))
    text = ssdpm.output("show", "--root", root, "sdb", "host3")
    assert "HPCP (hot-plug)" in text or "ESP (external)" in text
    assert "LPM policy      max_performance" in text
    assert "mask_port_ext" in text
    assert "host3: no drive" in text


@pytest.mark.parametrize(
    "name", ["nvme0", "nvme0n1", "nvme0n1p1", "/dev/nvme0", "/dev/nvme0n1"]
)
def test_a_device_goes_by_all_its_names(
    ssdpm: Command, machine: Make, name: str
) -> None:
    root = str(machine("laptop"))
    assert ssdpm.output("show", "--root", root, "--value", "name", name) == "nvme0\n"


def test_a_disk_that_is_out_of_reach_has_no_port(ssdpm: Command, machine: Make) -> None:
    root = str(machine("server"))
    text = ssdpm.output("show", "--root", root, "sdc")
    assert "out of reach: behind a USB bridge" in text
    assert "ata0" not in text and "LPM" not in text


def test_what_is_printed_of_every_machine_is_documented(
    ssdpm: Command, machine: Make
) -> None:
    for name in machines.MACHINES:
        result = ssdpm("show", "--json", "--root", str(machine(name)))
        documented.check(json.loads(result.stdout))
        assert result.returncode == (1 if name == "hostile" else 0), name


def test_the_model_and_the_machine_are_inside_the_device(
    ssdpm: Command, machine: Make
) -> None:
    answer = ssdpm.json("show", "--root", str(machine("laptop")), "nvme0")
    assert answer["schema"] == "ssdpm.device/1"
    assert answer["model"]["schema"] == "ssdpm.model/1"
    assert answer["model"]["states"][4]["exit_latency_us"] == 39000
    assert answer["machine"]["power_source"] == "battery"
    assert answer["machine"]["nvme_core"]["apst_primary_timeout_ms"] == 100
    assert answer["table"] == answer["table_predicted"]
    assert answer["power_state"] == 0
    text = ssdpm.output("show", "--root", str(machine_of(ssdpm)), "--shell", "nvme0")
    assert "machine_power_source='battery'\n" in text


def machine_of(ssdpm: Command) -> pathlib.Path:
    return ssdpm.directory / "machines/laptop"


def test_an_old_kernel_has_no_parameters_and_null_says_so(
    ssdpm: Command, machine: Make
) -> None:
    answer = ssdpm.json("show", "--root", str(machine("old-5.10")), "nvme0")
    assert answer["machine"]["nvme_core"]["apst_primary_timeout_ms"] is None
    # The rule of Linux 5.13 and before: 50 times what entry and exit take.
    assert answer["table_predicted"]["entries"][0]["idle_ms"] == 745


def test_a_capture_is_an_operand_of_every_command_that_takes_a_drive(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("eight-drives")
    assert len(ssdpm.json("show", str(root))) == 9
    laptop = machine("laptop")
    answer = ssdpm.json("estimate", "-q", "-t", "lomax", "--n-ios", "9", str(laptop))
    assert answer["drive"] == f"{laptop}:nvme0"
    table = ssdpm.output("apst", "-q", "--value", "raw", "--root", str(root), "nvme0")
    file = machine_dump(root)
    assert table == ssdpm.output("apst", "-q", "--value", "raw", str(file))


def machine_dump(root: pathlib.Path) -> pathlib.Path:
    return root / "dumps/nvme0.identify"


def test_a_device_that_is_there_comes_before_a_file_and_the_catalogue(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("laptop"))
    ssdpm.write("nvme0", json.dumps(ssdpm.plain))
    ssdpm.write("nvme7", json.dumps(ssdpm.plain))
    device = ssdpm.json("show", "--root", root, "nvme0")
    assert device["product"].startswith("WDC PC SN530")
    assert ssdpm.json("show", "--root", root, "./nvme0")["product"] == "A plain drive"
    # No such device: a file of that name will do.
    assert ssdpm.json("show", "--root", root, "nvme7")["product"] == "A plain drive"
    message = ssdpm.fails(1, "show", "--root", root, "nvme9")
    assert "nvme9" in message and "nvme0" in message
    assert "sdz" in ssdpm.fails(1, "show", "--root", root, "/dev/sdz")


def test_a_directory_that_is_no_capture_is_an_error(ssdpm: Command) -> None:
    (ssdpm.directory / "folder").mkdir()
    assert "no capture" in ssdpm.fails(1, "show", "folder")


def test_a_drive_that_nothing_knows_is_shown_without_states(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("server")
    text = ssdpm.output("show", "--root", str(root), "sda")
    assert "power states: not known: " in text
    assert ssdpm.json("show", "--root", str(root), "sda")["model"] is None
    # Without a model there is no table, and that is said.
    assert "sda" in ssdpm.fails(3, "apst", "--root", str(root), "sda")


def test_what_the_kernel_says_of_quirks_stands(ssdpm: Command, machine: Make) -> None:
    root = str(machine("quirked"))
    answer = ssdpm.json("show", "--root", root, "nvme0")
    assert answer["quirks_from_kernel"] is True
    assert "no-deepest-ps" in answer["quirks"]
    entries = ssdpm.json("apst", "-q", "--root", root, "nvme0")["entries"]
    assert {entry["target"] for entry in entries} == {3}


def test_a_user_without_privileges_sees_the_same(
    ssdpm: Command, machine: Make, unprivileged: Callable[..., Any]
) -> None:
    root = str(machine("laptop"))
    result = unprivileged("show", "--root", root)
    assert result.returncode == 0
    assert result.stdout.decode() == ssdpm.output("show", "--root", root)


def test_lint_judges_the_model_of_a_device(ssdpm: Command, machine: Make) -> None:
    root = str(machine("laptop"))
    answer = ssdpm.json("show", "--lint", "--root", root, "nvme0")
    assert any("code" in finding for finding in answer["model"]["diagnosis"])
