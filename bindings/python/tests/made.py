# SPDX-License-Identifier: MIT
"""An Identify Controller structure from numbers (NVMe Base 2.1, CNS 01h).

Traces and drives from numbers, and how hypothesis draws them.
"""

from __future__ import annotations

import concurrent.futures
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import hypothesis.strategies as st
import numpy as np
import numpy.typing as npt

import ssdpm
from ssdpm import PowerState

_Result = TypeVar("_Result")


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


MS = 1_000_000

# Around the idle times and latencies of usual tables, where something happens.
GAPS = st.sampled_from([0, 1, 99 * MS, 100 * MS, 105 * MS, 2_110 * MS, 9_000 * MS])
SERVICES = st.sampled_from([0, 1, 50_000, 5 * MS, ssdpm.SERVICE_UNKNOWN])


def records(n: int, step_ns: int = 0, service_ns: int = 10_000) -> npt.NDArray[np.void]:
    """n reads, step_ns apart."""
    array = np.zeros(n, ssdpm.IO_DTYPE)
    array["start_ns"] = np.arange(n, dtype=np.uint64) * np.uint64(step_ns)
    array["bytes"] = 4096
    array["service_ns"] = service_ns
    array["op"] = ssdpm.OPS["read"]
    return array


@st.composite
def traces(draw: st.DrawFn, min_size: int = 1) -> ssdpm.Trace:
    gap = GAPS | st.integers(0, 4_000 * MS)
    io = st.tuples(
        gap,
        st.sampled_from(list(ssdpm.OPS)),
        st.integers(0, 2**32 - 1) | st.sampled_from([0, 512, 4096]),
        SERVICES | st.integers(0, 300 * MS),
        st.sampled_from([0, 0, 0, 1]),
    )
    ios = draw(st.lists(io, min_size=min_size, max_size=12))
    first = draw(st.sampled_from([0, 1, 10**18]))
    return ssdpm.Trace.from_columns(
        start_ns=first + np.cumsum([one[0] for one in ios], dtype=np.uint64),
        op=[one[1] for one in ios],
        bytes=[one[2] for one in ios],
        service_ns=[one[3] for one in ios],
        # the first part of an I/O is no continuation
        flags=[one[4] if i else 0 for i, one in enumerate(ios)],
    )


@st.composite
def drives(draw: st.DrawFn) -> ssdpm.Model:
    """Drives whose deeper states take less power and longer to leave, as real ones."""
    n = draw(st.integers(0, 3))
    exits = sorted(draw(st.lists(st.integers(0, 60_000), min_size=n, max_size=n)))
    power = st.none() | st.integers(1_000, 60_000)
    powers = [draw(power) for _ in range(n)]
    states = [PowerState(True, max_power_uw=4_000_000, idle_power_uw=draw(power))]
    states += [
        PowerState(
            False,
            max_power_uw=70_000,
            idle_power_uw=idle,
            # both 0: the legacy rule makes a table that is not sound
            entry_latency_us=draw(st.integers(1, 60_000)),
            exit_latency_us=exit_us,
        )
        for idle, exit_us in zip(powers, exits)
    ]
    return ssdpm.Model.from_states(states, apsta=1)


def swift(*states: State) -> bytes:
    """A drive with two operational states, and with these."""
    return identify(
        product="ACME Swift 512GB",
        firmware="1.0b",
        vendor_id=0x1234,
        states=[
            State(max_power=450, active=(300, 2, 2)),
            State(max_power=300, ranks=(1, 1, 1, 1)),
            *states,
        ],
    )


def while_others_run(work: Callable[[], _Result]) -> _Result:
    """What a thread returns that lets this one run.

    With the GIL held all the time it would be one step or two.
    """
    with concurrent.futures.ThreadPoolExecutor() as pool:
        result = pool.submit(work)
        steps = 0
        while not result.done():
            time.sleep(0.0005)
            steps += 1
    assert steps >= 10
    return result.result()
