# SPDX-License-Identifier: MIT
"""Traces and drives from numbers, and how hypothesis draws them."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import numpy.typing as npt

import ssdpm
from ssdpm import PowerState

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
