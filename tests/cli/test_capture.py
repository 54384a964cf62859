# SPDX-License-Identifier: MIT
"""ssdpm capture: a directory that every command takes with --root."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import machines
import pytest
from command import Command

Make = Callable[[str], pathlib.Path]


@pytest.mark.parametrize("name", [m for m in machines.MACHINES if m != "hostile"])
def test_a_capture_says_what_the_machine_says(
    ssdpm: Command, machine: Make, name: str
) -> None:
    root = str(machine(name))
    ssdpm.output("capture", "--root", root, "copy")
    copy, drives = (
        # Advice has the root of its call.
        json.loads(ssdpm.output("list", "--json", "--root", path).replace(f" --root {path}", ""))
        for path in ("copy", root)
    )
    copy, drives = copy["drives"], drives["drives"]
    if name == "server":  # the address of a fabric names a host
        assert "blanked" in copy[0].pop("address")
        del drives[0]["address"]
    assert copy == drives


LOG = """6,0,0,-;Linux version 6.18.26 (joe@secret)
6,7,9,-;nvme 0000:04:00.0: platform quirk: setting simple suspend
6,8,9,-;nvme nvme0: pci function 0000:04:00.0
6,9,9,-;random: secret
"""


def test_a_capture_of_this_machine_has_what_its_log_says_of_drives(ssdpm: Command) -> None:
    ssdpm.write("log", LOG)
    inside = "mount --bind log /dev/kmsg; exec ssdpm capture mine"
    assert ssdpm.shell(f"unshare -m bash -ec '{inside}'").returncode == 0
    assert (ssdpm.directory / "mine/dev/kmsg").read_text() == (
        "6,0,0,-;Linux version 6.18.26\n"
        "6,0,0,-;nvme 0000:04:00.0: platform quirk: setting simple suspend\n"
        "6,0,0,-;nvme nvme0: pci function 0000:04:00.0\n"
    )


def test_a_capture_has_the_owners_that_decide(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    defaults = root / "usr/share/tlp/defaults.conf"
    defaults.parent.mkdir(parents=True)
    defaults.write_text("TLP_ENABLE=1\nSATA_LINKPWR_ON_AC=a\nSATA_LINKPWR_ON_BAT=b\n")
    (root / "etc/tlp.conf").write_text('#X=1\nSATA_LINKPWR_ON_AC=""\n')
    wants = root / "etc/systemd/system/multi-user.target.wants"
    wants.mkdir(parents=True)
    unit = root / "usr/lib/systemd/system/powertop.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=/usr/sbin/powertop --auto-tune\n")
    (wants / "powertop.service").symlink_to("/usr/lib/systemd/system/powertop.service")
    (root / "etc/tuned/active_profile").write_text("mine\n")
    mine = root / "etc/tuned/mine/tuned.conf"
    mine.parent.mkdir(parents=True)
    mine.write_text("[main]\ninclude = nothing, powersave\n")
    ssdpm.output("capture", "--root", str(root), "copy")
    copy, owners = (
        ssdpm.json("show", "--root", path, "sda")["machine"]["owners"]
        for path in ("copy", str(root))
    )
    assert [owner["kind"] for owner in owners] == ["tlp", "systemd", "tuned"]
    assert copy == owners


def test_no_serial_number_or_other_name_is_in_it(
    ssdpm: Command, machine: Make
) -> None:
    ssdpm.output("capture", "--root", str(machine("eight-drives")), "copy")
    copy = ssdpm.directory / "copy"
    files = [path for path in copy.rglob("*") if path.is_file()]
    assert len(files) > 20
    for path in files:
        assert b"SECRET" not in path.read_bytes(), path
        assert "SECRET" not in str(path)


def test_the_directory_must_not_be_there(ssdpm: Command, machine: Make) -> None:
    root = str(machine("laptop"))
    (ssdpm.directory / "copy").mkdir()
    assert "copy" in ssdpm.fails(1, "capture", "--root", root, "copy")
    assert "no/copy" in ssdpm.fails(1, "capture", "--root", root, "no/copy")
    assert list((ssdpm.directory / "copy").iterdir()) == []


def test_what_was_captured_is_an_object(ssdpm: Command, machine: Make) -> None:
    answer = ssdpm.json("capture", "--root", str(machine("laptop")), "copy")
    assert answer == {
        "schema": "ssdpm.capture/1",
        "directory": "copy",
        "linux_release": machines.KERNEL_7,
        "identify": False,
    }


def test_a_plan_may_be_tried_on_a_capture(ssdpm: Command, machine: Make) -> None:
    ssdpm.output("capture", "--root", str(machine("laptop")), "copy")
    ssdpm.output("apply", "--root", "copy", "--latency", "25ms")
    assert ssdpm("check", "--root", "copy", "--latency", "25ms").returncode == 0


def test_this_machine_can_be_captured_without_privileges(
    ssdpm: Command, unprivileged: Callable[..., Any]
) -> None:
    (ssdpm.directory / "open").mkdir(mode=0o777)
    (ssdpm.directory / "open").chmod(0o777)
    result = unprivileged("capture", "open/copy")
    assert result.returncode == 0, result.stderr
    assert ssdpm("list", "--root", "open/copy").returncode == 0


def test_wrong_usage_is_status_2(ssdpm: Command) -> None:
    assert "no DIR" in ssdpm.fails(2, "capture")
    assert "one DIR; here are 2" in ssdpm.fails(2, "capture", "a", "b")
