# SPDX-License-Identifier: MIT
"""The tables that the kernel builds, byte for byte, against those that we predict:
28 controllers, 9 latency tolerances each, other drives for each kernel."""

from __future__ import annotations

import pathlib
import random
import re
import zlib

import drives
import vm

DRIVES = 28
DEFAULT_US = 100000
LIMITS_US = (0, 1, 99, 1200, 15000, 25000, 60000, 200000, 2147483646)

SCRIPT = """
. /lib.sh
until_true live_controllers 28
for c in /sys/class/nvme/nvme*; do
	f=$c/power/pm_qos_latency_tolerance_us
	for limit in {limits}; do
		echo $limit >$f || echo "$c refuses $limit"
	done
	tr -d ' ' <$c/serial
	cat $f
done >/result/tolerances
"""


def boot(release: str) -> vm.Guest:
    chance = random.Random(zlib.crc32(release.encode()))
    qemu = []
    dumps = {}
    for i in range(DRIVES):
        drive = drives.real(chance) if i % 2 else drives.invented(chance, i)
        dumps[f"d{i}.bin"] = drives.identify(drive)
        qemu += [
            "-device",
            f"nvme,serial=D{i},power-file={{dir}}/d{i}.bin,power-log={{dir}}/d{i}.log",
        ]
    script = SCRIPT.replace("{limits}", " ".join(map(str, LIMITS_US)))
    return vm.boot("apst", release, script, ["nvme"], qemu=qemu, host_files=dumps)


def programmed(log: str) -> list[tuple[bool, str]]:
    """(enabled, table) of each Set Features 0Ch that the controller got."""
    return [
        (int(dw11, 16) & 1 == 1, table)
        for dw11, table in re.findall(r"fid=0x0c dw11=(\S+) data=(\S+)", log)
    ]


def predicted(files: list[pathlib.Path], limit: int) -> list[tuple[bool, str]]:
    answers = drives.ssdpm(
        "apst", "--json", "--max-exit-latency", f"{limit}us", *map(str, files)
    )
    return [(a["enabled"], a["raw"]) for a in answers]


def test_every_table_is_the_one_that_is_predicted(guest: vm.Guest) -> None:
    files = [guest.directory / f"d{i}.bin" for i in range(DRIVES)]
    wanted = [predicted(files, limit) for limit in (DEFAULT_US, *LIMITS_US)]
    different = []
    for i in range(DRIVES):
        got = programmed(guest.log(f"d{i}.log"))
        want = [tables[i] for tables in wanted]
        if got != want:
            different.append((i, got, want))
    assert not different
    assert DRIVES * len(LIMITS_US) >= 200


def test_the_last_limit_reads_back(guest: vm.Guest) -> None:
    lines = guest.read("tolerances").split()
    assert len(lines) == 2 * DRIVES
    assert set(lines[1::2]) == {str(LIMITS_US[-1])}
