# SPDX-License-Identifier: MIT
"""A run of a drive whose powers and latencies are known: its I/Os and its power.

    tests/cli/measured_run.py DIRECTORY

writes there the drive as its table has it (intel-760p.json), and 100 s of a run under
the table of Linux: run-power.csv, run-ios.csv, and run-plan.csv: the I/Os as the host
planned them, with no wake-up in a service time. The table is that of the Intel 760p,
which says that it wakes in 8 ms; this one, as that drive, needs 50 ms.
"""

from __future__ import annotations

import json
import math
import pathlib
import random
import sys
from dataclasses import dataclass, field
from typing import Any

S = 10**9
MS = 10**6
US = 1000


@dataclass(frozen=True)
class Truth:
    """Watts and nanoseconds; PS4 follows 100 ms of idle time."""

    idle_w: float = 0.55
    asleep_w: float = 0.0045
    active_w: dict[str, float] = field(
        default_factory=lambda: {"read": 2.4, "write": 4.1}
    )
    transition_w: float = 1.1
    entry_ns: int = 6 * MS
    exit_ns: int = 50 * MS
    byte_j: float = 0.0
    sigma_w: float = 0.02
    phi: float = 0.6
    lead_ns: int = 2300 * MS  # how long samples are there before the first I/O
    idle_ns: int = 100 * MS


def state(
    max_uw: int, entry_us: int, exit_us: int, operational: bool
) -> dict[str, Any]:
    return {
        "operational": operational,
        "max_power_uw": max_uw,
        "entry_latency_us": entry_us,
        "exit_latency_us": exit_us,
        "not_reported": [] if entry_us else ["entry_latency_us", "exit_latency_us"],
    }


DRIVE = {
    "schema": "ssdpm.model/1",
    "kind": "nvme",
    "vendor_id": 0x8086,
    "product": "INTEL SSDPEKKW256G8",
    "firmware": "001C",
    "apsta": 1,
    "provenance": "reported",
    "format": "nvme-identify",
    "states": [
        state(9000000, 0, 0, True),
        state(4600000, 0, 0, True),
        state(3800000, 0, 0, True),
        state(45000, 2000, 2000, False),
        state(4000, 6000, 8000, False),
    ],
}


class Run:
    """The drive, moment by moment."""

    def __init__(
        self, truth: Truth, seed: int, duration_s: float, step_ns: int
    ) -> None:
        self.truth = truth
        self.step_ns = step_ns
        self.random = random.Random(seed)
        self.now_ns = 0
        self.energy_j = [0.0] * (int(duration_s * S) // step_ns)
        self.ios: list[tuple[int, int, int, str]] = []  # start, bytes, service, op
        self.plan: list[tuple[int, int, int, str]] = []
        self.plan_ns = 0
        self.spend(truth.lead_ns, truth.idle_w)
        self.burst()
        while self.now_ns < (duration_s - 4) * S:
            self.rest(self.pause_ns())
            self.burst()
        self.rest(len(self.energy_j) * step_ns - self.now_ns)
        self.power_w = self.measure()

    def spend(self, ns: int, watts: float) -> None:
        """It draws so much for so long."""
        end_ns = self.now_ns + ns
        while self.now_ns < end_ns:
            step = self.now_ns // self.step_ns
            until = min(end_ns, (step + 1) * self.step_ns)
            if step < len(self.energy_j):
                self.energy_j[step] += watts * (until - self.now_ns) / S
            self.now_ns = until

    def pause_ns(self) -> int:
        """Some shorter than the time to sleep after, some longer."""
        return int(math.exp(self.random.uniform(math.log(2e-3), math.log(2.0))) * S)

    def rest(self, ns: int) -> None:
        """Idle, and asleep after a while: what wakes it waits for that."""
        truth = self.truth
        self.wait_ns = 0
        self.plan_ns += ns
        self.spend(min(ns, truth.idle_ns), truth.idle_w)
        if ns <= truth.idle_ns:
            return
        entering_ns = min(ns - truth.idle_ns, truth.entry_ns)
        self.spend(entering_ns, truth.transition_w)
        self.spend(ns - truth.idle_ns - entering_ns, truth.asleep_w)
        self.wait_ns = truth.entry_ns - entering_ns + truth.exit_ns

    wait_ns = 0

    def burst(self) -> None:
        op = self.random.choice(["read", "write"])
        for _ in range(self.random.choice([1, 1, 1, 8, 40])):
            size = self.random.choice([4096, 131072])
            usual = {4096: 400, 131072: 1500}[size] * {"read": 1, "write": 2}[op]
            service_ns = int(usual * math.exp(self.random.gauss(0, 0.2))) * US
            self.ios.append((self.now_ns, size, self.wait_ns + service_ns, op))
            self.plan.append((self.plan_ns, size, service_ns, op))
            self.plan_ns += service_ns
            # Evenly over all of it: nobody can tell more.
            more_w = self.truth.byte_j * size * S / (self.wait_ns + service_ns)
            self.spend(self.wait_ns, self.truth.transition_w + more_w)
            self.spend(service_ns, self.truth.active_w[op] + more_w)
            self.wait_ns = 0

    def measure(self) -> list[float]:
        """What an instrument shows of it: noise of which some lasts."""
        noise, power = 0.0, []
        for joules in self.energy_j:
            fresh = self.random.gauss(0, self.truth.sigma_w)
            noise = self.truth.phi * noise + math.sqrt(1 - self.truth.phi**2) * fresh
            power.append(joules * S / self.step_ns + noise)
        return power

    def power_csv(self) -> str:
        rows = (
            f"{(i + 0.5) * self.step_ns / S:.3f},{watts:.4f}\n"
            for i, watts in enumerate(self.power_w)
        )
        return "time_s,power_w\n" + "".join(rows)

    def ios_csv(self) -> str:
        return trace_csv(self.ios)

    def plan_csv(self) -> str:
        return trace_csv(self.plan)


def trace_csv(ios: list[tuple[int, int, int, str]]) -> str:
    first = ios[0][0]
    rows = (
        f"{start - first},0,{size},{service},{op},0\n"
        for start, size, service, op in ios
    )
    return "start_ns,offset,bytes,service_ns,op,flags\n" + "".join(rows)


def write(directory: pathlib.Path, truth: Truth = Truth(), seed: int = 760) -> Run:
    run = Run(truth, seed, 100, 20 * MS)
    (directory / "intel-760p.json").write_text(json.dumps(DRIVE, indent=2))
    (directory / "run-power.csv").write_text(run.power_csv())
    (directory / "run-ios.csv").write_text(run.ios_csv())
    (directory / "run-plan.csv").write_text(run.plan_csv())
    return run


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
