# SPDX-License-Identifier: MIT
"""A drive of which all is known, and what an instrument shows of a run of it.

Made without anything of the package: bursts of I/Os, the states that the table leads to
in the gaps, the wait of what wakes the drive, the mean power of each step. The drive
says 2 and 8 ms of its exits; the deeper one takes 50 in truth, as that of a well-known
one does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

import ssdpm
from truth import correlated

Floats = npt.NDArray[np.float64]

ENTRY_S = (0.0, 0.004, 0.015)
IDLE_S = (0.1, 2.0, math.inf)  # Linux' table of such a drive
BEGIN_S = 10.0


def drive(product: str = "ACME Truth", firmware: str = "1.0") -> ssdpm.Model:
    """Three states without a word on their watts."""
    state = ssdpm.PowerState
    return ssdpm.Model.from_states(
        [
            state(operational=True, max_power_uw=6_000_000),
            state(
                operational=False,
                max_power_uw=300_000,
                entry_latency_us=4000,
                exit_latency_us=2000,
            ),
            state(
                operational=False,
                max_power_uw=5000,
                entry_latency_us=15_000,
                exit_latency_us=8000,
            ),
        ],
        apsta=1,
        product=product,
        firmware=firmware,
    )


@dataclass(frozen=True)
class Truth:
    """In W, s and J; noise_w and so on are those of a sample."""

    idle_w: tuple[float, float, float] = (0.8, 0.15, 0.02)
    active_w: tuple[float, float] = (2.5, 4.5)
    transition_w: float = 1.2
    exit_s: tuple[float, float, float] = (0.0, 0.0015, 0.05)
    operation_j: float = 0.0
    noise_w: float = 0.02
    rho: float = 0.6
    spikes: float = 0.0
    drift_w: float = 0.0
    offset_ns: int = 0

    def value(self, kind: str, index: int) -> float:
        """In the unit of the kind."""
        return {
            "idle_power_uw": lambda: self.idle_w[index] * 1e6,
            "active_power_uw": lambda: self.active_w[index] * 1e6,
            "transition_power_uw": lambda: self.transition_w * 1e6,
            "exit_latency_us": lambda: self.exit_s[index] * 1e6,
            "operation_energy_nj": lambda: self.operation_j * 1e9,
        }[kind]()


@dataclass
class _Maker:
    truth: Truth
    n: int
    step_s: float
    now_s: float = BEGIN_S
    power_w: Floats = field(default_factory=lambda: np.zeros(0))
    ios: list[tuple[int, int, int, int]] = field(default_factory=list)

    def spend(self, watts: float, seconds: float) -> None:
        begin = (self.now_s - BEGIN_S) / self.step_s
        end = min(begin + seconds / self.step_s, self.n)
        self.now_s += seconds
        for row in range(int(begin), min(math.ceil(end), self.n)):
            share = min(end, row + 1) - max(begin, row)
            self.power_w[row] += watts * max(share, 0)

    def rest(self, seconds: float) -> float:
        """Return how long the I/O at its end has to wait."""
        truth, state = self.truth, 0
        while seconds > IDLE_S[state]:
            self.spend(truth.idle_w[state], IDLE_S[state])
            seconds -= IDLE_S[state]
            state += 1
            if seconds < ENTRY_S[state]:
                self.spend(truth.transition_w, seconds)
                return ENTRY_S[state] - seconds + truth.exit_s[state]
            self.spend(truth.transition_w, ENTRY_S[state])
            seconds -= ENTRY_S[state]
        self.spend(truth.idle_w[state], seconds)
        return truth.exit_s[state]

    def io(self, op: int, wait_s: float, rng: np.random.Generator) -> None:
        size = 4096 if rng.random() < 0.5 else 131_072
        usual = (1e-3 if size == 4096 else 6e-3) * (1 if op == 1 else 3)
        service_s = usual * math.exp(0.3 * rng.standard_normal())
        start_ns = round(self.now_s * 1e9)
        self.ios.append((start_ns, op, size, round((wait_s + service_s) * 1e9)))
        # Evenly over the service, the wait too: nobody can tell them apart.
        extra_w = self.truth.operation_j / (wait_s + service_s)
        self.spend(self.truth.transition_w + extra_w, wait_s)
        self.spend(self.truth.active_w[op - 1] + extra_w, service_s)

    def burst(self, wait_s: float, rng: np.random.Generator) -> None:
        op = 1 if rng.random() < 0.5 else 2
        for number in range(1 if rng.random() < 0.5 else int(rng.integers(1, 61))):
            if number and rng.random() < 0.2:
                wait_s = self.rest(0.01 * rng.random())
            self.io(op, wait_s, rng)
            wait_s = 0.0


@dataclass(frozen=True)
class Run:
    """What was recorded: true_w is the power of each sample without its noise."""

    model: ssdpm.Model
    trace: ssdpm.Trace
    signal: ssdpm.measure.Signal
    true_w: Floats
    n_spikes: int


def run(truth: Truth, seed: int, n: int = 3000, step_s: float = 0.05) -> Run:
    """A run of so many samples."""
    rng = np.random.default_rng([760, seed])
    maker = _Maker(truth, n, step_s, power_w=np.zeros(n))
    end_s = BEGIN_S + n * step_s
    maker.burst(0.0, rng)
    while maker.now_s < end_s - 8:
        gap_s = rng.exponential(0.15)
        if rng.random() < 0.4:
            gap_s = rng.uniform(0.3, 8)
        maker.burst(maker.rest(gap_s), rng)
    maker.rest(end_s - maker.now_s + step_s)
    true_w = maker.power_w + truth.drift_w * (np.arange(n) / n - 0.5)
    seen = true_w + truth.noise_w * correlated(rng, n, truth.rho)
    spike = rng.random(n) < truth.spikes
    seen[spike] += truth.noise_w * rng.uniform(8, 40, int(spike.sum()))
    start, op, size, service = (np.array(column) for column in zip(*maker.ios))
    trace = ssdpm.Trace.from_columns(
        start_ns=start, op=op, bytes=size, service_ns=service
    )
    signal = ssdpm.measure.Signal(
        seen,
        rate_hz=1 / step_s,
        start_ns=round((BEGIN_S + step_s / 2) * 1e9) - truth.offset_ns,
    )
    return Run(drive(), trace, signal, true_w, int(spike.sum()))
