# SPDX-License-Identifier: MIT
"""Files of surveys, made from numbers: the same seed gives the same file."""

from __future__ import annotations

import random

MAX, MEDIUM, DIPM = "lpm=max_performance", "lpm=medium_power", "lpm=med_power_with_dipm"
POLICIES = {MAX: 5.2, MEDIUM: 5.0, DIPM: 4.98}
LATENCIES = {MAX: 90.0, MEDIUM: 100.0, DIPM: 180.0}
THROUGHPUT = {"seqread": 5.2e8, "randread": 4e7}
COLUMNS = "run,policy,scenario,block,time_s,power_w,latency_us,latency_sd_us,bytes_per_s\n"


def head(
    policies: dict[str, float] = POLICIES, n_blocks: int = 5, n: int = 60, **more: str
) -> str:
    facts = {
        "machine": "6.1.0-18-amd64, Fixture",
        "drive": "Fixture SSD 256GB, FW 1.0",
        "meter": "power_supply BAT0",
        "policies": ";".join(policies),
        "scenarios": "idle;sync;async",
        "blocks": str(n_blocks),
        "seed": "1",
        "settle_s": "600",
        "interval_s": "3",
        "duration_s": str(3 * n),
        "found": f"host0 {next(iter(policies))}",
        **more,
    }
    text = "".join(f"# {key}: {value}\n" for key, value in facts.items() if value)
    return f"# ssdpm survey 1\n{text}{COLUMNS}"


class Survey:
    """Readings with AR(1) noise of 10 mW, and runs that differ by 20 mW."""

    def __init__(self, seed: int = 2, n: int = 60) -> None:
        self.random = random.Random(seed)
        self.random_fio = random.Random(-seed)
        self.n = n
        self.run = 0

    def readings(
        self, policy: str, scenario: str, block: int, power_w: float, drift_w: float = 0
    ) -> str:
        noise, rows = 0.0, ""
        level = power_w + self.random.gauss(0, 0.02)
        own = scenario != "idle"
        delay = self.random.gauss(1, 0.02) * LATENCIES.get(policy, 100)
        self.run += 1
        for i in range(self.n):
            noise = 0.5 * noise + self.random.gauss(0, 0.01)
            watts = level + noise + drift_w * 0.5 ** (i / 6)
            us = f"{delay * self.random.gauss(1, 0.1):.1f}" if own else ""
            rows += f"{self.run},{policy},{scenario},{block},"
            rows += f"{600 + 3 * i}.000,{watts:.4f},{us},,\n"
        return rows

    def fio(self, policy: str, test: str, block: int) -> str:
        self.run += 1
        us = self.random_fio.gauss(1, 0.02) * LATENCIES[policy]
        rate = self.random_fio.gauss(1, 0.01) * THROUGHPUT[test]
        return (
            f"{self.run},{policy},fio:{test},{block},,,{us:.2f},{us / 5:.2f},{rate:.0f}\n"
        )


def survey(
    policies: dict[str, float] = POLICIES,
    scenarios: tuple[str, ...] = ("idle", "sync", "async"),
    n_blocks: int = 5,
    fio: tuple[str, ...] = (),
    seed: int = 2,
    n: int = 60,
    **more: str,
) -> str:
    """A whole one; what is done takes 0.3 W more, blocks differ by 50 mW."""
    made = Survey(seed, n)
    text = head(policies, n_blocks, n, **more)
    for block in range(1, n_blocks + 1):
        of_block = made.random.gauss(0, 0.05)
        for scenario in scenarios:
            for policy, watts in policies.items():
                work = 0 if scenario == "idle" else 0.3
                text += made.readings(policy, scenario, block, watts + work + of_block)
        for test in fio:
            for policy in policies:
                text += made.fio(policy, test, block)
    return text


if __name__ == "__main__":
    print(survey(fio=("seqread", "randread")), end="")
