# SPDX-License-Identifier: MIT
"""Power states: planned, checked, shown, made to last. A capture takes none."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import documented
import pytest
from command import Command

Make = Callable[[str], pathlib.Path]


def checksum(text: bytes) -> int:
    """FNV-1a, as lists of changes end in."""
    value = 0xCBF29CE484222325
    for byte in text:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def record(root: pathlib.Path, *changes: str) -> None:
    """What an apply since the boot has left."""
    boot = root / "proc/sys/kernel/random/boot_id"
    word = boot.read_text().strip() if boot.exists() else "-"
    lines = ["ssdpm-changes 3", f"boot {word}", *changes]
    text = "".join(f"{line}\n" for line in lines).encode()
    (root / "run/ssdpm").mkdir(parents=True)
    (root / "run/ssdpm/undo").write_bytes(text + b"end %016x\n" % checksum(text))


def controller(root: pathlib.Path) -> str:
    """The path of nvme0 below the root."""
    return str((root / "sys/class/nvme/nvme0").resolve().relative_to(root))


def test_a_power_state_is_planned_in_words(ssdpm: Command, machine: Make) -> None:
    root = str(machine("eight-drives"))
    call = ["plan", "-q", "--root", root, "--power-state", "2", "--workload-hint", "1"]
    lines = ssdpm.output(*call, "nvme0").splitlines()
    assert lines == [
        "nvme0: power state PS0 -> PS2 hint 1 (planned)",
        "    at most 1.90 W, until the next reset",
        "    Set Features 02h",
    ]
    step = ssdpm.json(*call, "nvme0")["steps"][0]
    assert step["kind"] == "power-state" and step["state"] == "planned"
    assert step["flags"] == ["reversible", "until-reset"]
    assert (step["before"], step["after"]) == ("PS0", "PS2 hint 1")
    assert step["target"] == "Set Features 02h"


def test_a_hint_stays_unless_it_is_given(ssdpm: Command, machine: Make) -> None:
    root = str(machine("eight-drives"))
    call = ["plan", "--root", root, "nvme1", "--power-state"]
    steps = ssdpm.json(*call, "2")["steps"]
    assert (steps[0]["before"], steps[0]["after"]) == ("PS1 hint 2", "PS2 hint 2")
    steps = ssdpm.json(*call, "2", "--workload-hint", "0")["steps"]
    assert steps[0]["after"] == "PS2"


def test_of_all_drives_those_without_the_state_are_said_and_left_out(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("eight-drives"))
    result = ssdpm("plan", "--root", root, "--power-state", "2", "--json")
    assert result.returncode == 0
    names = [step["device"] for step in documented.listed(result.stdout)["steps"]]
    assert names == ["nvme0", "nvme1", "nvme2"]
    assert result.stderr == b"ssdpm: nvme3 has no PS2: PS0 is its only state\n"


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (["--power-state", "9", "nvme0"], 3, "has no PS9"),
        (["--power-state", "3", "nvme0"], 3, "PS3 is non-operational"),
        (["--power-state", "1", "sda"], 3, "no NVMe controller"),
        (["--nopp", "on", "nvme0"], 3, "no permissive mode"),
        (["--power-state", "32"], 2, "at most 31"),
        (["--power-state", "PS1"], 2, "a whole number"),
        (["--power-state", "nvme0="], 2, "nvme0=: a device and a number"),
        (["--power-state", "nvme0 = 1"], 2, "nvme0 = 1: a device and a number"),
        (["--power-state", "nvme1=1,nvme0=x"], 2, "nvme0=x: a device and a number"),
        (["--power-state", "nvme0=1,nvme1=32"], 2, "at most 31"),
        (["--power-state", "1", "--workload-hint", "8"], 2, "at most 7"),
        (["--workload-hint", "1"], 2, "requires --power-state"),
        (["--nopp", "yes"], 2, "on or off"),
        (["--power-state", "1", "--persist", "tlp", "nvme0"], 2, "udev and systemd can"),
    ],
)
def test_what_cannot_be_is_refused(
    ssdpm: Command, machine: Make, options: list[str], status: int, words: str
) -> None:
    root = str(machine("eight-drives"))
    assert words in ssdpm.fails(status, "plan", "--root", root, *options)


def test_an_estimate_says_that_it_leaves_a_power_state_out(
    ssdpm: Command, machine: Make
) -> None:
    call = ["plan", "--root", str(machine("laptop")), "--power-state", "1"]
    call += ["--trace", "lomax", "--n-ios", "100", "nvme0"]
    words = b"the power state is no part of the estimate"
    result = ssdpm(*call)
    assert result.returncode == 0 and words in result.stderr
    assert b"no estimate: of no drive" in result.stderr
    result = ssdpm(*call, "--latency", "25ms")
    assert words in result.stderr and b"no estimate" not in result.stderr
    assert words not in ssdpm(*call, "--latency", "25ms", "--quiet").stderr


def test_a_capture_takes_no_command(ssdpm: Command, machine: Make) -> None:
    root = str(machine("eight-drives"))
    call = ["apply", "--root", root, "--power-state", "1", "nvme0"]
    result = ssdpm(*call)
    assert result.returncode == 3
    assert b"a capture takes no commands" in result.stderr
    assert b"(failed)" in result.stdout
    assert ssdpm("apply", "--root", root, "--power-state", "0", "nvme0").returncode == 0


def test_check_says_what_a_reset_has_cost(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    call = ["check", "--root", str(eight_drives), "--power-state"]
    assert ssdpm(*call, "0", "nvme0").returncode == 0
    result = ssdpm(*call, "1", "nvme0")
    assert result.returncode == 5
    assert b"nvme0: power state PS0 -> PS1 (not in force)" in result.stdout
    assert b"a reset or a resume of the controller loses such" in result.stdout


def test_without_settings_all_that_was_applied_is_checked(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    call = ["check", "--root", str(eight_drives)]
    assert ssdpm.output(*call) == "nothing is applied\n"
    path = controller(eight_drives)
    file = f"{path}/power/pm_qos_latency_tolerance_us"
    tolerance = f"latency-tolerance\t{file}\t0\t25000\t100000"
    record(eight_drives, f"power-state\t{path}\t0\tPS0\tPS2 hint 1", tolerance)
    result = ssdpm(*call, "--json")
    plan = documented.listed(result.stdout)
    documented.check(plan)
    assert result.returncode == 5 and not plan["in_force"]
    states = {step["kind"]: step["state"] for step in plan["steps"]}
    assert states == {"power-state": "planned", "latency-tolerance": "in-force"}
    lines = ssdpm(*call).stdout.decode().splitlines()
    assert lines[0] == "nvme0: power state PS0 -> PS2 hint 1 (not in force)"
    assert lines[1].startswith("    it was set, and is not so now: a reset")
    (eight_drives / "dumps/nvme0.power").write_text("power_state 2\nworkload_hint 1\n")
    assert ssdpm.output(*call) == "in force\n"


def test_what_was_applied_to_a_drive_that_is_gone_is_said(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    path = controller(eight_drives)
    gone = path.replace("nvme0", "nvme9")
    call = ["check", "--root", str(eight_drives)]
    record(eight_drives, f"power-state\t{gone}\t0\tPS0\tPS2")
    ssdpm.wide = False
    said = f"nvme9: power state left alone:\n  /{gone} is gone\n"
    assert ssdpm.output(*call) == said
    (eight_drives / "run/ssdpm/undo").unlink()
    (eight_drives / "run/ssdpm").rmdir()
    steps = f"power-state\t{gone}\t0\tPS0\tPS2", f"power-state\t{path}\t0\tPS1\tPS0"
    record(eight_drives, *steps)
    assert ssdpm.output(*call) == said + "in force\n"


def test_a_state_that_nobody_can_ask_for_is_not_called_out_of_force(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    for dump in ("power", "power-state"):
        (eight_drives / f"dumps/nvme0.{dump}").unlink(missing_ok=True)
    result = ssdpm("check", "--root", str(eight_drives), "--power-state", "1", "nvme0")
    assert result.returncode in (1, 4)
    assert b"what it is now is not known" in result.stderr
    lines = result.stdout.decode().splitlines()
    assert lines[0] == "nvme0: power state unknown -> PS1 (not known)"
    assert "loses such a setting" not in lines[-1]
    call = ["plan", "--root", str(eight_drives), "--power-state", "1", "nvme0"]
    (step,) = ssdpm.json(*call)["steps"]
    assert step["before"] is None and step["after"] == "PS1"
    assert ssdpm.output(*call, "--value", "steps_0_before") == "\n"
    (eight_drives / "dumps/nvme0.apst").unlink()
    call = ["check", "--root", str(eight_drives), "--apst", "linux-legacy", "nvme0"]
    result = ssdpm(*call)
    assert result.returncode in (1, 4)
    assert b"nvme0: which table is in force is not known" in result.stderr
    assert b"APST table unknown -> PS0" in result.stdout


def test_background_work_is_planned_where_the_drive_has_a_say(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("eight-drives"))
    call = ["plan", "--root", root, "nvme1", "--nopp"]
    assert ssdpm.output(*call, "on").splitlines() == [
        "nvme1: background work beyond non-operational power on (in force)",
        "in force",
    ]
    lines = ssdpm.output(*call, "off").splitlines()
    assert lines[0] == (
        "nvme1: background work beyond non-operational power on -> off (planned)"
    )


def test_of_all_drives_those_without_the_mode_are_left_alone(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("eight-drives"))
    steps = ssdpm.json("plan", "--root", root, "--nopp", "on")["steps"]
    left = {step["device"]: step["why"] for step in steps if step["before"] is None}
    assert left.keys() == {"nvme0", "nvme2", "nvme3"}
    assert "no permissive mode" in left["nvme0"]
    assert "is not known" in left["nvme3"]
    for kind in ("udev", "systemd"):
        made = ssdpm.output("plan", "--root", root, "--nopp", "on", "--persist", kind)
        files = made.split("nvme", 1)[1]
        assert "0000:" in files


def test_a_power_state_lasts_by_udev_and_by_systemd(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("eight-drives"))
    call = ["plan", "--root", root, "--power-state", "1", "nvme0", "nvme1", "--persist"]
    files = ssdpm.json(*call, "udev")["files"]
    assert [file["path"] for file in files] == ["/etc/udev/rules.d/85-ssdpm.rules"]
    rules = files[0]["contents"]
    assert 'ENV{NVME_EVENT}=="connected"' in rules
    assert 'ATTRS{address}=="0000:02:00.0"' in rules
    assert '="--power-state 1 --workload-hint 0"' in rules
    assert '="--power-state 1 --workload-hint 2"' in rules
    unit = ssdpm.json(*call, "systemd")["files"][0]["contents"]
    assert unit.count("ExecStart=") == 2
    assert "/dev/disk/by-path/pci-0000:02:00.0-nvme-1" in unit


def test_a_linux_without_the_uevent_is_said(ssdpm: Command, machine: Make) -> None:
    def notes(name: str, kind: str, *more: str) -> bytes:
        call = ["plan", "--root", str(machine(name)), "--power-state", "1", "nvme0"]
        result = ssdpm(*call, "--persist", kind, *more)
        assert result.returncode == 0
        return result.stderr

    words = b"ssdpm: Linux 5.10 does not tell udev of a reset or a resume"
    assert notes("old-5.10", "udev").startswith(words)
    assert notes("old-5.10", "udev", "--quiet") == b""
    assert notes("old-5.10", "systemd") == b""
    assert notes("laptop", "udev") == b""


def test_show_has_what_limits_the_power(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    text = ssdpm.output("show", "--root", str(eight_drives), "nvme1")
    for line in (
        "  power state     PS1, workload hint 2 when it was read",
        "  asleep          background work may exceed the power of the state",
        "  throttles       lightly at 70 C, heavily never",
        "  power limit     6 W",
        "  measures power  yes",
    ):
        assert line in text.splitlines()
    answer: dict[str, Any] = ssdpm.json("show", "--root", str(eight_drives), "nvme1")
    assert answer["power_state"] == 1 and answer["workload_hint"] == 2
    assert answer["asleep"] is False and answer["nopp"] is True
    assert (answer["light_throttle_k"], answer["heavy_throttle_k"]) == (343, 0)
    assert (answer["min_throttle_k"], answer["max_throttle_k"]) == (321, 356)
    assert answer["power_limit_uw"] == 6000000
    assert answer["power_measurement"] is True
    answer = ssdpm.json("show", "--root", str(eight_drives), "nvme0")
    assert answer["power_state"] == 0 and answer["nopp"] is None
    (eight_drives / "dumps/nvme1.power").write_text("power_state 4\nnopp 0\n")
    text = ssdpm.output("show", "--root", str(eight_drives), "nvme1")
    assert "PS4 (asleep; it does not say which it wakes to)" in text
    assert "background work may not exceed" in text
