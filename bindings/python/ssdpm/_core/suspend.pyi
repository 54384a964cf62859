# SPDX-License-Identifier: MIT
# Suspends of a machine; __init__.pyi says more.
from ssdpm._core import ApstTable, Device, Machine, Model

COUNTERS: dict[str, int]
OUTCOMES: dict[str, int]
BEARINGS: dict[str, int]
STATUSES: dict[str, int]
SUSPENDS: dict[str, int]

# A reading is its text.
def read(machine: Machine, /) -> str: ...
def check(text: str, /) -> str: ...
def add_log(text: str, log: bytes, /) -> str: ...

# The object of ssdpm-json(5).
def judge(
    machine: Machine,
    devices: list[tuple[Device, Model | None, ApstTable | None]],
    before: str | None,
    after: str,
    suspend: int,
    /,
) -> str: ...
