# SPDX-License-Identifier: MIT
"""Which commands reach which drive: QEMU's own trace of its controllers. The guest
separates the steps of its script with a cache flush of a disk, which ssdpm never
sends."""

from __future__ import annotations

import re

import machine
import vm

SCRIPT = """
mark() {
	dd if=/dev/zero of=/dev/sda bs=4096 count=1 conv=fsync 2>/dev/null
}
ssdpm apply -q --latency 12ms $(basename $(controller SLOW))
mark
run list ssdpm list --json
run show ssdpm show --json
run plan ssdpm plan --json --latency 12ms --lpm min_power
run check ssdpm check --latency 12ms
run capture ssdpm capture /tmp/captured
mark
run apply ssdpm apply --json --latency 12ms
mark
run identify ssdpm show --json --identify
mark
run lpm ssdpm apply --json --lpm min_power
mark
run again ssdpm apply --json --latency 12ms --lpm min_power
mark
"""

FLUSHES = (0xE7, 0xEA)
CHECK_POWER_MODE, IDENTIFY_DEVICE = 0xE5, 0xEC
READ_LOG_EXT, SMART = 0x2F, 0xB0
SERIALS = ["TWO", "SLOW", "HIPM", "DIPM"]

Commands = list[tuple[str, int]]


TRACE = [
    *("-trace", "ide_exec_cmd", "-trace", "pci_nvme_identify_ctrl"),
    *("-D", "{dir}/trace"),
]


def boot(release: str) -> vm.Guest:
    return machine.boot("commands", release, SCRIPT, SERIALS, more_qemu=TRACE)


def steps(guest: vm.Guest) -> list[Commands]:
    """What was sent in each step, from before the first mark on: the port and the
    command of SATA, "nvme" and 6 for Identify Controller."""
    found: list[Commands] = [[]]
    for line in guest.log("trace").splitlines():
        ata = re.search(r"ide_exec_cmd .*bus (\S+);.* cmd 0x(\w+)", line)
        if ata and int(ata[2], 16) in FLUSHES:
            found.append([])
        elif ata:
            found[-1].append((ata[1], int(ata[2], 16)))
        elif "pci_nvme_identify_ctrl" in line:
            found[-1].append(("nvme", 6))
    return found


def questions(commands: Commands) -> Commands:
    """Without reads and writes, which the marks themselves cause."""
    asked = (CHECK_POWER_MODE, IDENTIFY_DEVICE, READ_LOG_EXT, SMART, 6)
    return [each for each in commands if each[1] in asked]


def test_the_trace_sees_what_linux_sends_at_boot(guest: vm.Guest) -> None:
    assert guest.read("test.err") == ""
    found = steps(guest)
    assert len(found) == 7
    sata = {port for port, command in found[0] if command == IDENTIFY_DEVICE}
    assert len(sata) == 2
    assert ("nvme", 6) in found[0]


def test_list_show_plan_check_and_capture_send_nothing(guest: vm.Guest) -> None:
    for name in ("list", "show", "plan", "capture"):
        guest.ok(name)
    assert guest.status("check") == 5
    assert questions(steps(guest)[1]) == []


def test_apply_asks_only_the_drive_that_it_changes(guest: vm.Guest) -> None:
    rows = guest.json("apply")["steps"]
    assert sorted(step["state"] for step in rows) == ["done", "in-force"]
    assert questions(steps(guest)[2]) == [("nvme", 6)]


def test_identify_asks_each_disk_for_its_power_mode_first(guest: vm.Guest) -> None:
    models = [row["model"] for row in guest.json("identify") if row["kind"] == "sata"]
    assert [m["provenance"] for m in models if m] == ["reported"] * 2
    sent = [each for each in questions(steps(guest)[3]) if each[0] != "nvme"]
    (first, _), _, (second, _), _ = sent
    assert first != second
    assert sent == [
        (port, command)
        for port in (first, second)
        for command in (CHECK_POWER_MODE, IDENTIFY_DEVICE)
    ]


def test_no_apply_asks_a_disk(guest: vm.Guest) -> None:
    """When a policy changes, Linux itself may identify the disk anew."""
    guest.ok("lpm")
    asked = [command for _, command in questions(steps(guest)[4])]
    assert not {CHECK_POWER_MODE, READ_LOG_EXT, SMART, 6} & set(asked)
    guest.ok("again")
    assert questions(steps(guest)[5]) == []
