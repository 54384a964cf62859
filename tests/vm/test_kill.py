# SPDX-License-Identifier: MIT
"""Killed at 200 random moments, and all is as it was before or as it was to be."""

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
a='ssdpm apply -q --profile performance --source ac'
b='ssdpm apply -q --profile power-saver --source battery'
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
        r"old (\d+) new (\d+) half (\d+), whole (\d+) midway (\d+) recovered (\d+)",
        text,
    )
    assert found, text
    old, new, half, whole, midway, recovered = map(int, found.groups())
    assert half == 0, text
    assert old + new == N
    # It was killed in the middle too, not only before or after.
    assert midway >= N / 20 and recovered >= N / 10
    assert old > 0 and new > 0 and whole < N / 2
