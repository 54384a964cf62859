# SPDX-License-Identifier: MIT
"""An Identify Controller structure from numbers (NVMe Base 2.1, CNS 01h)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class State:
    """A power state descriptor, its fields as raw as the drive has them.

    idle is (IDLP, IPS); active is (ACTP, APS, APW); ranks are RRT, RRL, RWT, RWL.
    """

    max_power: int = 0
    scale: int = 0
    operational: bool = True
    entry: int = 0
    exit: int = 0
    ranks: tuple[int, int, int, int] = (0, 0, 0, 0)
    idle: tuple[int, int] = (0, 0)
    active: tuple[int, int, int] = (0, 0, 0)

    def pack(self) -> bytes:
        active, active_scale, workload = self.active
        return struct.pack(
            "<HxBLL4BHBxHB9x",
            self.max_power,
            self.scale | (not self.operational) << 1,
            self.entry,
            self.exit,
            *self.ranks,
            self.idle[0],
            self.idle[1] << 6,
            active,
            active_scale << 6 | workload,
        )


def identify(
    states: Sequence[State],
    product: str = "",
    firmware: str = "",
    vendor_id: int = 0,
    apsta: int = 1,
) -> bytes:
    data = bytearray(4096)
    struct.pack_into("<H", data, 0, vendor_id)
    data[24:64] = product.encode().ljust(40)
    data[64:72] = firmware.encode().ljust(8)
    data[263] = len(states) - 1
    data[265] = apsta
    for index, state in enumerate(states):
        data[2048 + 32 * index : 2080 + 32 * index] = state.pack()
    return bytes(data)
