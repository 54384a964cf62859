# SPDX-License-Identifier: MIT
"""StorNVMe, the NVMe driver of Windows: the worked example of Microsoft's page "Power
management for storage hardware devices (NVMe)", and its schemes on that example.
"""

from __future__ import annotations

import ssdpm
from report import PUBLISHED, Claim, Report, exact, exactly, main

INPUTS = [
    "the three states of the example, entry and exit: PS0 5 us and 5 us, PS1 10 ms and "
    "300 us, PS2 50 ms and 10 ms; PS1 and PS2 are non-operational",
    "the scheme is balanced where the page names none; its secondary timeout, of which "
    "the example says nothing, leads on to PS2",
]


def example() -> ssdpm.Model:
    return ssdpm.Model.from_states(
        [
            ssdpm.PowerState(True, entry_latency_us=5, exit_latency_us=5),
            ssdpm.PowerState(False, entry_latency_us=10_000, exit_latency_us=300),
            ssdpm.PowerState(False, entry_latency_us=50_000, exit_latency_us=10_000),
        ]
    )


def steps(scheme: str, source: str) -> list[tuple[int, int]]:
    """(state, idle time in ms since the last I/O) from PS0 on."""
    table = ssdpm.apst(
        example(), algorithm="windows", scheme=scheme, power_source=source
    )
    targets = {entry.state: entry for entry in table.entries}
    found, state, after_ms = [], 0, 0
    while state in targets and targets[state].target != state:
        after_ms += targets[state].idle_ms
        state = targets[state].target
        found.append((state, after_ms))
    return found


def words(found: list[tuple[int, int]]) -> str:
    return ", ".join(f"PS{state} after {ms} ms" for state, ms in found) or "never"


def claim(about: str, state: int, found: list[tuple[int, int]]) -> Claim:
    """The first state that the driver chooses; 0: it never sleeps."""
    return Claim(
        about,
        "Runtime device power management, the example below its table",
        PUBLISHED,
        f"PS{state}",
        [exactly(state, "state")],
        [exact(found[0][0] if found else 0, "state", 0)],
        words(found),
    )


def report() -> Report:
    schemes = ("performance", "balanced", "power-saver", "modern-standby")
    return Report(
        "Microsoft, Power management for storage hardware devices (NVMe)",
        INPUTS,
        [
            claim("battery", 1, steps("balanced", "battery")),
            claim("Modern Standby", 2, steps("modern-standby", "battery")),
        ],
        ("scheme", "on AC", "on battery"),
        [(s, *(words(steps(s, on)) for on in ("ac", "battery"))) for s in schemes],
    )


if __name__ == "__main__":
    main(report)
