# SPDX-License-Identifier: MIT
"""What a PCIe link may do, and the queue of a SATA drive: planned, set, undone."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest
import suspends
from command import Command

Make = Callable[[str], pathlib.Path]

LINK = "sys/class/nvme/nvme0/device/link"
DEPTH = "sys/class/block/sda/device/queue_depth"


def link_of(root: pathlib.Path) -> dict[str, str]:
    return {file.name: file.read_text().strip() for file in (root / LINK).iterdir()}


ALL_ON = dict.fromkeys(["clkpm", "l1_aspm", "l1_1_aspm", "l1_2_aspm"], "1")


def test_a_plan_shows_the_feature_that_was_asked_for(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("laptop"))
    call = ["plan", "-q", "--root", root, "--link", "l1_2_aspm=off", "nvme0"]
    lines = ssdpm.output(*call).splitlines()
    assert lines[0] == "nvme0: link feature l1_2_aspm 1 -> 0 (planned)"
    assert lines[1] == "    until the next boot"
    assert len(lines) == 3 and lines[2].endswith("/nvme0/device/link/l1_2_aspm")
    # The others stay as they are.
    assert [step["state"] for step in ssdpm.json(*call)["steps"]] == ["planned"]


@pytest.mark.parametrize(
    ("link", "off"),
    [
        ("l1_2_aspm=off", {"l1_2_aspm"}),
        ("l1.2=off", {"l1_2_aspm"}),
        # Linux turns substates off with L1.
        ("l1_aspm=off", {"l1_aspm", "l1_1_aspm", "l1_2_aspm"}),
        ("aspm=off", {"l1_aspm", "l1_1_aspm", "l1_2_aspm"}),
        # A later feature overrides an earlier one, and a substate needs L1.
        ("aspm=off,l1_1_aspm=on", {"l1_2_aspm"}),
        ("aspm=on,clkpm=off", {"clkpm"}),
    ],
)
def test_a_feature_is_set_checked_and_undone(
    ssdpm: Command, machine: Make, link: str, off: set[str]
) -> None:
    root = machine("laptop")
    assert link_of(root) == ALL_ON
    assert ssdpm("apply", "--root", root, "--link", link, "nvme0").returncode == 0
    assert {name for name, value in link_of(root).items() if value == "0"} == off
    assert ssdpm("check", "--root", root, "--link", link).returncode == 0
    assert ssdpm("check", "--root", root).returncode == 0
    for name in off:
        (root / LINK / name).write_text("1\n")
    assert ssdpm("check", "--root", root).returncode == 5
    assert ssdpm("check", "--root", root, "--link", link).returncode == 5
    assert ssdpm("apply", "--root", root, "--link", link).returncode == 0
    assert ssdpm("revert", "--root", root).returncode == 0
    assert link_of(root) == ALL_ON


def test_what_a_policy_has_off_is_turned_off(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    assert link_of(root)["l1_2_aspm"] == "0"
    call = ["--root", str(root), "--link", "l1_2_aspm=off", "nvme0"]
    assert ssdpm("check", *call).returncode == 0
    assert "l1_2_aspm 0 -> 0 (done)" in ssdpm.output("apply", *call)
    # Linux is told once. A policy in the same call has its own step.
    policy = ["--aspm-policy", "powersupersave"]
    said = ssdpm.output("apply", *call, *policy)
    assert "l1_2_aspm 0 (in force)" in said
    (root / LINK / "l1_2_aspm").write_text("1\n")
    done = ssdpm.json("apply", *call, *policy[:1], "powersave")
    assert [(step["kind"], step["before"], step["after"]) for step in done["steps"]] == [
        ("aspm-policy", "powersupersave", "powersave"), ("pcie-link", "1", "0"),
    ]  # fmt: skip
    assert link_of(root)["l1_2_aspm"] == "0"


def test_a_feature_that_the_policy_forbids_is_not_written(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    policy = root / "sys/module/pcie_aspm/parameters/policy"
    policy.write_text("default performance [powersave] powersupersave\n")
    for name in link_of(root):
        (root / LINK / name).write_text("0\n")
    said = "the ASPM policy powersave forbids l1_2_aspm"
    call = ["apply", "--root", str(root), "--link", "l1_2_aspm=on"]
    done = ssdpm(*call, "nvme0")
    assert done.returncode == 3 and said in done.stderr.decode()
    # The policy of the call decides, and nothing is set for a named drive.
    done = ssdpm(*call, "--strict", "--aspm-policy", "performance", "nvme0")
    assert done.returncode == 3 and b"performance forbids l1" in done.stderr
    assert "[powersave]" in policy.read_text()
    assert set(link_of(root).values()) == {"0"}
    checked = ssdpm("check", *call[1:], "--aspm-policy", "powersave")
    assert checked.returncode == 5 and said in " ".join(checked.stdout.decode().split())
    # Of all drives those are set that can be.
    done = ssdpm(*call)
    assert done.returncode == 0 and said in " ".join(done.stdout.decode().split())
    assert {name for name, on in link_of(root).items() if on == "1"} == {"l1_aspm"}
    done = ssdpm("check", *call[1:])
    assert done.returncode == 0 and said in " ".join(done.stdout.decode().split())
    assert ssdpm.output(*call, "--aspm-policy", "powersupersave", "nvme0")
    assert link_of(root)["l1_2_aspm"] == "1"


def test_a_policy_turns_off_what_nobody_asked_for(ssdpm: Command, machine: Make) -> None:
    root = machine("laptop")
    assert ssdpm("apply", "--root", root, "--link", "l1_2_aspm=off", "nvme0").returncode == 0
    assert ssdpm("apply", "--root", root, "--aspm-policy", "performance").returncode == 0
    for name in link_of(root):
        (root / LINK / name).write_text("0\n")
    done = ssdpm("check", "--root", root)
    assert (done.returncode, done.stdout) == (0, b"in force\n")


def test_drives_with_the_same_feature_share_a_line(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("eight-drives"))
    said = ssdpm.output("plan", "-q", "--root", root, "--link", "l1_aspm=off")
    heads = [line for line in said.splitlines() if not line.startswith(" ")]
    assert heads == [
        "nvme0, nvme1, nvme2: link feature l1_2_aspm 1 -> 0 (planned)",
        "nvme0, nvme1, nvme2: link feature l1_1_aspm 1 -> 0 (planned)",
        "nvme0, nvme1, nvme2, nvme3: link feature l1_aspm 1 -> 0 (planned)",
    ]


def test_a_queue_depth_is_set_and_undone(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    (root / DEPTH).write_text("32\n")
    call = ["--root", root, "--queue-depth", "1", "sda"]
    said = ssdpm.output("plan", *call)
    assert said.startswith("sda: queue depth 32 -> 1 (planned)\n")
    assert ssdpm("apply", *call).returncode == 0
    assert (root / DEPTH).read_text() == "1\n"
    assert ssdpm("check", *call).returncode == 0
    assert ssdpm("revert", "--root", root).returncode == 0
    assert (root / DEPTH).read_text() == "32\n"
    # A port without a disk has no queue.
    done = ssdpm("plan", *call[:-1])
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--link", "l2=on"], 2, "unknown --link 'l2=on'; expected aspm=off,"),
        (["--link", "l1_aspm"], 2, "did you mean 'l1_aspm=off'?"),
        (["--link", "l1_aspm=yes"], 2, "did you mean 'l1_aspm=off'?"),
        (["--link", "aspm=on,"], 2, "unknown --link 'aspm=on,'"),
        (["--link", f"{'l' * 99}=on"], 2, "unknown --link 'lll"),
        (["--link", "l0s_aspm=on", "nvme0"], 3, "its link lacks a feature"),
        (["--queue-depth", "1", "nvme0"], 3, "no SATA drive of libata"),
        (["--queue-depth", "0"], 2, "from 1 to 32"),
        (["--queue-depth", "33"], 2, "from 1 to 32"),
        (["--link", "aspm=on", "--persist", "udev"], 2, "until the next boot"),
        (["--link", "aspm=on", "--config"], 2, "give no other setting"),
        (["--aspm-policy", "super"], 2, "unknown --aspm-policy 'super'"),
        (["--aspm-policy", "powersav"], 2, "did you mean 'powersave'?"),
        (["--aspm-policy", "default", "--persist", "tlp"], 2, "until the next boot"),
        (["--aspm-policy", "default", "--config"], 2, "give no other setting"),
        (["--d3cold", "yes"], 2, "unknown --d3cold 'yes'; expected on or off"),
        (["--d3cold", "on", "--persist", "udev"], 2, "until the next boot"),
    ],
)
def test_what_cannot_be_set_is_refused(
    ssdpm: Command, machine: Make, arguments: list[str], status: int, words: str
) -> None:
    done = ssdpm("plan", "--root", machine("laptop"), *arguments)
    assert done.returncode == status
    assert words in " ".join(done.stderr.decode().split())


def test_a_feature_cannot_be_kept(ssdpm: Command, machine: Make) -> None:
    root = machine("laptop")
    done = ssdpm("apply", "--keep", "--root", root, "--link", "aspm=off")
    assert done.returncode == 2 and b"until the next boot" in done.stderr
    assert link_of(root) == ALL_ON
    # Files that ask for something ask for nothing of a link.
    (root / "etc").mkdir(exist_ok=True)
    (root / "etc/ssdpm.conf").write_text("[machine]\nmax_exit_latency = 25ms\n")
    done = ssdpm("apply", "--root", root, "--link", "aspm=off")
    assert (done.returncode, b"kept" in done.stderr) == (0, False)
    done = ssdpm("apply", "--root", root, "--link", "aspm=on", "--latency", "9ms")
    assert (done.returncode, b"kept until the next boot" in done.stderr) == (0, True)


def test_suspend_names_the_call_that_turns_a_feature_on(ssdpm: Command) -> None:
    """Somebody wrote 0 to the file: the policy of ASPM has it on."""
    root = ssdpm.directory / "team"
    suspends.write("team", root)
    policy = root / "sys/module/pcie_aspm/parameters/policy"
    policy.write_text("default performance powersave [powersupersave]\n")
    said = ssdpm.output("suspend", "--root", "team").splitlines()
    call = "ssdpm apply --root team --link l1_2_aspm=on nvme0"
    at = said.index(f"  {call}")
    assert said[at + 1] == "    to undo it: ssdpm apply --root team --link l1_2_aspm=off nvme0"
    assert ssdpm(*call.split()[1:]).returncode == 0
    assert link_of(root)["l1_2_aspm"] == "1"
    assert ssdpm("revert", "--root", "team").returncode == 0
    assert link_of(root)["l1_2_aspm"] == "0"
