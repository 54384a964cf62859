# SPDX-License-Identifier: MIT
"""Traces that are made of numbers."""

from __future__ import annotations

HEADER = "start_ns,offset,bytes,service_ns,op,flags\n"
MS = 1_000_000
S = 1_000_000_000


def csv(*rows: tuple[int, int], bytes: int = 4096, op: str = "read") -> str:
    """Rows of start and service, in ns, as ssdpm workload --to csv writes them."""
    lines = [f"{start},0,{bytes},{service},{op},0\n" for start, service in rows]
    return HEADER + "".join(lines)


# 1 ms of work, then 1 s, 5 s and 10 ms of idle time, each with 1 ms after it.
SOME = csv((0, MS), (S + MS, MS), (6 * S + 2 * MS, MS), (6 * S + 13 * MS, MS))
