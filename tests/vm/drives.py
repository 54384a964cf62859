# SPDX-License-Identifier: MIT
"""Identify Controller dumps: of the catalogue's drives, and of drives that nobody
has built."""

from __future__ import annotations

import functools
import pathlib
import random
import re
import struct
import subprocess
from typing import Any

import vm

SPECIAL_US = (0, 7500, 15000, 15001, 50000, 100000, 100001, 0x80000000, 0xFFFFFFFF)


def ssdpm(*arguments: str) -> Any:
    """What the command, on this side, prints as JSON."""
    done = subprocess.run(
        [vm.SSDPM, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done
    return vm.listed(done.stdout)


def descriptor(state: dict[str, Any]) -> bytes:
    watts_fine = state["max_power_uw"] // 100 < 65536
    return struct.pack(
        "<HBBII20x",
        state["max_power_uw"] // (100 if watts_fine else 10000),
        0,
        int(watts_fine) | (0 if state["operational"] else 2),
        state["entry_latency_us"],
        state["exit_latency_us"],
    )


def identify(model: dict[str, Any]) -> bytes:
    data = bytearray(4096)
    struct.pack_into("<HH", data, 0, model["vendor_id"], model["vendor_id"])
    data[24:64] = model["product"].encode().ljust(40)
    data[64:72] = model["firmware"].encode().ljust(8)
    data[263] = len(model["states"]) - 1
    data[265] = 1
    for i, state in enumerate(model["states"]):
        data[2048 + 32 * i : 2080 + 32 * i] = descriptor(state)
    return bytes(data)


@functools.cache
def catalogue() -> tuple[str, ...]:
    """Drives with a state to sleep in."""
    return tuple(
        sorted(
            {
                row["product"]
                for row in ssdpm("list", "--catalogue", "--json")
                if row["kind"] == "nvme" and row["states_count"] > 2
            }
        )
    )


def real(chance: random.Random) -> dict[str, Any]:
    """A drive of the catalogue that neither name nor firmware gives a quirk."""
    while True:
        name = chance.choice(catalogue())
        answer = ssdpm("apst", "--json", name)
        drive: dict[str, Any] = ssdpm("show", "--json", name)
        if not answer["quirks"] and len(drive["product"]) <= 40:
            return drive


def invented(chance: random.Random, number: int) -> dict[str, Any]:
    """States that are legal and odd: latencies that do not rise, operational
    states below others, limits met exactly, all 32 states."""

    def latency() -> int:
        return chance.choice(
            (
                0,
                chance.randint(1, 100),
                chance.randint(100, 20000),
                chance.randint(10000, 200000),
                chance.choice(SPECIAL_US),
            )
        )

    n = chance.randint(1, 8) if chance.random() < 0.8 else chance.randint(9, 32)
    operational = chance.randint(0, n)
    return {
        "vendor_id": 0x1B36,
        "product": f"Invented {number}",
        "firmware": "1",
        "states": [
            {
                "operational": (i < operational) != (chance.random() < 0.1),
                "max_power_uw": 100 * chance.randint(0, 65535),
                "entry_latency_us": latency(),
                "exit_latency_us": latency(),
            }
            for i in range(n)
        ],
    }


def until_last_io(trace: pathlib.Path) -> pathlib.Path:
    """A recording without its end: a controller logs what was before each I/O alone."""
    copy = trace.with_name(f"{trace.name}.until-last-io")
    copy.write_text(re.sub(r"^# end: .*\n", "", trace.read_text(), flags=re.M))
    return copy
