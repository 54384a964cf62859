# SPDX-License-Identifier: MIT
"""Killed at 200 random moments, and all is as it was before or as it was to be; and
at last as it was at first."""

from __future__ import annotations

import re
import subprocess

import machine
import vm

N = 200

SCRIPT = """
for c in TWO DEEPEST; do
	echo $(controller $c)/power/pm_qos_latency_tolerance_us
done >/tmp/files
for n in 0 1; do
	echo /sys/class/scsi_host/host$n/link_power_management_policy
	echo /sys/class/scsi_host/host$n/ahci_port_cmd c000000
done >>/tmp/files
ls /sys/module/nvme_core/parameters/apst_*_timeout_ms |
	while read f; do echo $f; done >>/tmp/files
two=$(basename $(controller TWO))
deepest=$(basename $(controller DEEPEST))
echo $two >>/tmp/files
echo $deepest >>/tmp/files
a="ssdpm apply --strict -q --profile performance --source ac"
a="$a --power-state $two=1,$deepest=2 --workload-hint 0"
b="ssdpm apply --strict -q --profile power-saver --source battery"
b="$b --power-state $two=2,$deepest=1 --workload-hint 2"
run crash crash {N} {SEED} /tmp/files "$a" "$b"
"""


def boot(release: str) -> vm.Guest:
    program = vm.BUILD / "vm" / f"crash-{release}"
    program.parent.mkdir(parents=True, exist_ok=True)
    library = vm.BUILD / "lib"
    subprocess.run(
        [
            *("gcc", "-O1", "-o", program, vm.HERE / "guest/crash.c"),
            *("-I", vm.TOP / "include", "-L", library, "-lssdpm"),
            f"-Wl,-rpath,{library.resolve()}",
        ],
        check=True,
    )
    script = SCRIPT.replace("{N}", str(N)).replace(
        "{SEED}", str(vm.version(release)[1])
    )
    return machine.boot(
        "kill",
        release,
        script,
        ["TWO", "DEEPEST", "HIPM", "DIPM"],
        files={"bin/crash": program.read_bytes()},
        limit=1800,
    )


def test_nothing_is_ever_half_applied(guest: vm.Guest) -> None:
    text = guest.ok("crash")
    found = re.search(
        r"old (\d+) new (\d+) half (\d+), whole (\d+) midway (\d+) recovered (\d+) "
        r"lies (\d+)",
        text,
    )
    assert found, text
    old, new, half, whole, midway, recovered, lies = map(int, found.groups())
    assert half == 0, text
    # ssdpm check: status 5 over a journal, 0 once it is recovered.
    assert lies == 0, text
    assert old + new == N
    # It was killed in the middle too, not only before or after.
    assert midway >= N / 20 and recovered >= N / 10
    assert old > 0 and new > 0 and whole < N / 2


def test_what_was_killed_can_be_reverted(guest: vm.Guest) -> None:
    assert "reverted 1" in guest.ok("crash"), guest.read("crash.out")


# Of TWO and DEEPEST, at both ends; and what that is in Set Features 02h.
ENDS = (("PS1 hint 0", "PS2 hint 0"), ("PS2 hint 2", "PS1 hint 2"))
SENT = {"TWO": {0x01, 0x42}, "DEEPEST": {0x02, 0x41}}


def test_power_states_were_among_what_was_killed(guest: vm.Guest) -> None:
    """The drives were sent them, and at last what they had at first."""
    ends = guest.ok("crash").split("state 1 after")
    for end, states in zip(ends, ENDS, strict=True):
        assert [state for state in states if state in end] == list(states)
    for serial, words in SENT.items():
        sent = re.findall(
            r"set-features fid=0x02 dw11=(0x[0-9a-f]+)", guest.log(f"{serial}.log")
        )
        assert {int(word, 16) for word in sent} >= words
        assert len(sent) > N / 4 and int(sent[-1], 16) == 0
