# SPDX-License-Identifier: MIT
"""The power states of a drive. A dash is a value that the drive does not report:
unknown, not zero.

The argument is a file with one drive: what "nvme id-ctrl --raw-binary" writes, or
ssdpm's JSON.
"""

from __future__ import annotations

import sys

import ssdpm


def power(watts: float | None) -> str:
    return f"{'-' if watts is None else f'{watts:.4f} W':>10}"


def latency(us: int | None) -> str:
    return f"{'-' if us is None else f'{us} us':>10}"


def main(path: str) -> None:
    model = ssdpm.Model(path)
    print(model.product or "")
    columns = ("max_power", "idle_power", "entry", "exit")
    print(f"{'state':<20}", *(f"{column:>10}" for column in columns))
    for number, state in enumerate(model.power_states):
        kind = "operational" if state.operational else "non-operational"
        print(
            f"PS{number:<2} {kind:<15}",
            power(state.max_power_w),
            power(state.idle_power_w),
            latency(state.entry_latency_us),
            latency(state.exit_latency_us),
        )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: show_states.py FILE")
    main(sys.argv[1])
