# SPDX-License-Identifier: MIT
"""The ASPM policy of a machine, and D3cold of a drive: planned, set, undone."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest
import suspends
from command import Command

Make = Callable[[str], pathlib.Path]

POLICY = "sys/module/pcie_aspm/parameters/policy"
DEFAULT = "[default] performance powersave powersupersave\n"
D3COLD = "sys/class/nvme/nvme0/device/d3cold_allowed"


def test_a_policy_is_planned_for_all(ssdpm: Command, machine: Make) -> None:
    root = str(machine("laptop"))
    call = ["plan", "--root", root, "--aspm-policy", "powersupersave"]
    assert ssdpm.output(*call).splitlines() == [
        "all: ASPM policy default -> powersupersave (planned)",
        "    for all PCIe devices, until the next boot",
        f"    /{POLICY}",
        f"To set it: ssdpm apply --root {root} --aspm-policy powersupersave",
    ]
    (step,) = ssdpm.json(*call)["steps"]
    assert (step["kind"], step["device"]) == ("aspm-policy", "all")
    assert step["flags"] == ["reversible", "all-drives", "until-reboot"]


@pytest.mark.parametrize("drives", [[], ["nvme0"]])
def test_a_policy_is_set_checked_and_undone(
    ssdpm: Command, machine: Make, drives: list[str]
) -> None:
    root = machine("laptop")
    call = ["--root", root, "--aspm-policy", "powersave", *drives]
    assert ssdpm("apply", *call).returncode == 0
    # As Linux shows it, so that the capture has this policy.
    assert (root / POLICY).read_text() == DEFAULT.replace("[default]", "default").replace(
        "powersave ", "[powersave] "
    )
    assert "ASPM policy     powersave\n" in ssdpm.output("show", "--root", root, "nvme0")
    for arguments in (call, call[:2], [*call[:2], "nvme0"]):
        assert ssdpm("check", *arguments).returncode == 0
    (root / POLICY).write_text(DEFAULT)
    for arguments in (call, call[:2], [*call[:2], "nvme0"]):
        assert ssdpm("check", *arguments).returncode == 5
    assert ssdpm("apply", *call).returncode == 0
    assert ssdpm("revert", "--root", root).returncode == 0
    assert (root / POLICY).read_text() == DEFAULT


def test_the_policy_of_a_machine_without_nvme_is_set(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    call = ["--root", root, "--aspm-policy", "performance"]
    assert ssdpm("apply", *call, "sda").returncode == 0
    assert ssdpm("check", *call).returncode == 0
    assert ssdpm.output("check", "--root", root, "sda") == "in force\n"
    (root / POLICY).write_text(DEFAULT)
    assert ssdpm("check", "--root", root, "sda").returncode == 5
    assert ssdpm("apply", *call).returncode == 0
    assert ssdpm("revert", "--root", root).returncode == 0
    assert (root / POLICY).read_text() == DEFAULT


def test_a_drive_that_cannot_be_read_is_nothing_to_the_policy(
    ssdpm: Command, machine: Make
) -> None:
    call = ["--root", machine("hostile"), "--aspm-policy", "powersave"]
    assert ssdpm("check", "--root", call[1], "--d3cold", "on").returncode == 1
    for command in ("plan", "apply", "check"):
        done = ssdpm(command, *call)
        assert done.returncode == 0 and not done.stderr, (command, done)


def test_d3cold_is_set_checked_and_undone(ssdpm: Command, machine: Make) -> None:
    root = machine("laptop")
    call = ["--root", root, "--d3cold", "off"]
    head = ssdpm.output("plan", *call, "nvme0").splitlines()[0]
    assert head == "nvme0: D3cold 1 -> 0 (planned)"
    assert ssdpm("apply", *call).returncode == 0
    assert (root / D3COLD).read_text() == "0\n"
    assert ssdpm("check", *call).returncode == 0
    assert ssdpm("check", "--root", root, "--d3cold", "on").returncode == 5
    assert ssdpm("revert", "--root", root).returncode == 0
    assert (root / D3COLD).read_text() == "1\n"


def test_neither_is_kept(ssdpm: Command, machine: Make) -> None:
    root = machine("laptop")
    for arguments in (["--d3cold", "off"], ["--aspm-policy", "powersave"]):
        done = ssdpm("apply", "--keep", "--root", root, *arguments)
        assert done.returncode == 2 and b"until the next boot" in done.stderr
    assert (root / POLICY).read_text() == DEFAULT


def test_a_file_that_is_missing_is_named(ssdpm: Command, machine: Make) -> None:
    root = machine("laptop")
    (root / POLICY).unlink()
    done = ssdpm("apply", "--root", root, "--aspm-policy", "powersave")
    assert done.returncode == 3
    assert f"this Linux has no ASPM policy: there is no /{POLICY}" in done.stderr.decode()
    (root / D3COLD).unlink()
    done = ssdpm("apply", "--root", root, "--d3cold", "on", "nvme0")
    assert done.returncode == 3 and b"nvme0: sysfs has no d3cold_allowed" in done.stderr


def test_a_policy_of_a_newer_kernel_is_left_alone(ssdpm: Command, machine: Make) -> None:
    root = machine("laptop")
    text = "default performance powersave powersupersave [ultrasave]\n"
    (root / POLICY).write_text(text)
    for call in ("plan", "apply", "check"):
        done = ssdpm(call, "--root", root, "--aspm-policy", "powersave")
        assert done.returncode == 3 and not done.stdout
        assert b"ASPM policy left alone: it reads ultrasave" in done.stderr
    assert (root / POLICY).read_text() == text


@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        (POLICY, ["--aspm-policy", "powersave"]),
        ("sys/class/block/sda/device/queue_depth", ["--queue-depth", "1", "sda"]),
    ],
)
def test_an_empty_file_is_left_alone(
    ssdpm: Command, machine: Make, file: str, arguments: list[str]
) -> None:
    root = machine("desktop-6.1")
    (root / file).write_text("")
    for call in ("plan", "apply", "check"):
        done = ssdpm(call, "--root", root, *arguments)
        assert done.returncode == 3 and b"its file is empty" in done.stderr
    assert not (root / file).read_text()


def test_a_queue_depth_that_is_not_known_is_left_alone(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    (root / "sys/class/block/sda/device/queue_depth").write_text("77\n")
    for call in ("plan", "apply", "check"):
        done = ssdpm(call, "--root", root, "--queue-depth", "1", "sda")
        assert done.returncode == 3 and not done.stdout
        assert b"it reads 77, which this version" in done.stderr


def paste(ssdpm: Command, line: str) -> None:
    assert line.startswith("ssdpm ")
    assert ssdpm.shell(line).returncode == 0


def test_the_remedy_of_a_public_case_is_pasted_and_undone(ssdpm: Command) -> None:
    root = ssdpm.directory / "team"
    suspends.write("team", root)
    before = (root / POLICY).read_text()
    said = [line.strip() for line in ssdpm.output("suspend", "--root", "team").splitlines()]
    call = "ssdpm apply --root team --aspm-policy powersupersave"
    paste(ssdpm, said[said.index(call)])
    assert "[powersupersave]" in (root / POLICY).read_text()
    assert ssdpm("check", "--root", "team").returncode == 0
    undo = said[said.index(call) + 1]
    paste(ssdpm, undo.removeprefix("to undo it: "))
    assert (root / POLICY).read_text() == before


def test_to_undo_a_remedy_leaves_other_settings(ssdpm: Command) -> None:
    root = ssdpm.directory / "team"
    suspends.write("team", root)
    assert ssdpm("apply", "--root", "team", "--d3cold", "off").returncode == 0
    said = [line.strip() for line in ssdpm.output("suspend", "--root", "team").splitlines()]
    undo = said[said.index("ssdpm apply --root team --aspm-policy powersupersave") + 1]
    paste(ssdpm, undo.removeprefix("to undo it: "))
    assert (root / D3COLD).read_text() == "0\n"


def test_a_drive_that_keeps_its_power_gets_the_call_that_lets_it_go(ssdpm: Command) -> None:
    root = ssdpm.directory / "team"
    suspends.write("team", root)
    (root / D3COLD).write_text("0\n")
    # Without ASPM, suspend shuts a drive down.
    for file in (root / "sys/class/nvme/nvme0/device/link").iterdir():
        file.write_text("0\n")
    said = [line.strip() for line in ssdpm.output("suspend", "--root", "team").splitlines()]
    call = "ssdpm apply --root team --d3cold on nvme0"
    at = said.index(call)
    shown = " ".join(ssdpm.output("show", "--root", "team", "nvme0").split())
    assert f"{call}; find out who wrote 0" in shown
    paste(ssdpm, call)
    assert (root / D3COLD).read_text() == "1\n"
    paste(ssdpm, said[at + 1].removeprefix("to undo it: "))
    assert (root / D3COLD).read_text() == "0\n"


def test_a_link_policy_that_suspend_names_is_pasted_and_undone(ssdpm: Command) -> None:
    root = ssdpm.directory / "sata"
    suspends.write("sata", root)
    [policy] = root.glob("sys/devices/**/link_power_management_policy")
    before = policy.read_text()
    said = [line.strip() for line in ssdpm.output("suspend", "--root", "sata").splitlines()]
    call = "ssdpm lpm --root sata --set med_power_with_dipm sda"
    undo = said[said.index(call) + 1]
    paste(ssdpm, call)
    assert policy.read_text() == "med_power_with_dipm\n"
    paste(ssdpm, undo.removeprefix("to undo it: "))
    assert policy.read_text() == before


def test_a_program_that_sets_the_policy_too_is_named(ssdpm: Command) -> None:
    root = ssdpm.directory / "team"
    suspends.write("team", root)
    tlp = root / "etc/tlp.conf"
    tlp.parent.mkdir(exist_ok=True)
    tlp.write_text("SATA_LINKPWR_ON_AC=medium_power\nPCIE_ASPM_ON_BAT=default\n")
    said = ssdpm("apply", "--root", "team", "--aspm-policy", "powersupersave").stderr.decode()
    assert "may undo this: /etc/tlp.conf:2: PCIE_ASPM_ON_BAT=default" in " ".join(said.split())
    # TLP cannot be made to set the same, and the link policy is another matter.
    assert "--persist tlp" not in said and "SATA_LINKPWR" not in said
