# SPDX-License-Identifier: MIT
"""Signals of power of which all is known: what made them, and what is to be found.

A case is a seed. Its definition, which was written down before anything was measured:

- 1 kHz, 8000 to 16000 samples; a baseline of 0.3 to 4 W; noise with a standard
  deviation of 0.5 to 5 % of it, white or AR(1) with 0.5 or 0.9.
- Spikes: of a third of the cases up to 1 % of all samples are 5 to 40 sigma higher.
- Quantisation: a third of the cases has steps of 0.5, 1 or 3 sigma.
- Drift: a third of the cases rises or falls by up to 1 % of the baseline, in a line.
- Runs: 1 to 6, of 50 samples or more, 6 to 100 sigma above the baseline, steady; after
  half of all runs a tail that decays exponentially, to less than 0.1 sigma. The first
  and the last 300 samples are idle.

Idle is a sample outside of runs and tails. A case has ENOUGH IDLE if at least 30 % of
its samples are idle, and if the standard error of the mean of these, which an oracle
knows that is told when the drive idles and how the noise is correlated, is at most
0.25 % of the baseline: four of these errors are the 1 % that is asked for. The true
baseline is the median of the level of all idle samples before noise.

Sigma is that of an idle sample as the instrument shows it: of the noise, and of
quantisation (step / sqrt(12)).

A drive of which all is known, and what an instrument shows of a run of it.

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

Floats = npt.NDArray[np.float64]

RATE_HZ = 1000
MIN_IDLE = 0.3
MAX_ERROR = 0.0025
EDGE = 300


def correlated(rng: np.random.Generator, n: int, rho: float) -> Floats:
    """AR(1) noise of unit variance; exact but for terms of rho^1024."""
    noise: Floats = rng.standard_normal(n + 1024)
    step = 1
    # 1 / (1 - rho z) is the product of all (1 + (rho z)^(2^k)).
    while rho and step < 1024:
        noise[step:] = noise[step:] + rho**step * noise[:-step]
        step *= 2
    return noise[1024:] * math.sqrt(1 - rho * rho)


@dataclass(frozen=True)
class Instrument:
    """What stands between a drive and its samples.

    Attributes:
        noise_w: standard deviation of the noise; its correlation is rho.
        quantum_w: 0: none.
        spikes: share of samples that have one.
        drift_w: from the first sample to the last.
    """

    noise_w: float
    rho: float
    quantum_w: float
    spikes: float
    drift_w: float

    @classmethod
    def draw(cls, rng: np.random.Generator, level_w: float) -> Instrument:
        noise = level_w * math.exp(rng.uniform(math.log(0.005), math.log(0.05)))
        rho = float(rng.choice([0.0, 0.5, 0.9]))
        third = rng.random(3) < 1 / 3
        quantum = noise * float(rng.choice([0.5, 1.0, 3.0])) if third[0] else 0.0
        spikes = rng.uniform(0, 0.01) if third[1] else 0.0
        drift = level_w * rng.uniform(-0.01, 0.01) if third[2] else 0.0
        return cls(noise, rho, quantum, spikes, drift)

    @property
    def sigma_w(self) -> float:
        return math.hypot(self.noise_w, self.quantum_w / math.sqrt(12))

    def mean_error(self, n: int) -> float:
        """Standard error of a mean of n samples."""
        return self.sigma_w * math.sqrt((1 + self.rho) / (1 - self.rho) / max(n, 1))

    def show(self, rng: np.random.Generator, power_w: Floats) -> Floats:
        """What it shows of what a drive draws."""
        n = len(power_w)
        seen = power_w + self.noise_w * correlated(rng, n, self.rho)
        spike = rng.random(n) < self.spikes
        seen[spike] += self.noise_w * rng.uniform(5, 40, int(spike.sum()))
        if self.quantum_w:
            seen = np.rint(seen / self.quantum_w) * self.quantum_w
        return seen


@dataclass(frozen=True)
class Case:
    """A signal; sharp has (begin, end) of runs without a tail."""

    power_w: Floats
    idle: npt.NDArray[np.bool_]
    baseline_w: float
    instrument: Instrument
    sharp: tuple[tuple[int, int], ...]

    @property
    def enough_idle(self) -> bool:
        n = int(self.idle.sum())
        error = self.instrument.mean_error(n) / self.baseline_w
        return n >= MIN_IDLE * len(self.idle) and error <= MAX_ERROR


def _layout(rng: np.random.Generator, n: int, runs: int) -> list[int]:
    """Edges of runs and of pauses between, the ends idle."""
    inner = n - 2 * EDGE
    while True:
        edges = np.sort(rng.integers(EDGE, EDGE + inner, 2 * runs))
        if np.diff(edges).min() >= 50:
            return [int(edge) for edge in edges]


def case(seed: int, height: float | None = None) -> Case:
    """A case; height: all runs are so many sigma high, and have no tail."""
    rng = np.random.default_rng([2010, seed])
    n = int(rng.integers(8000, 16001))
    level = math.exp(rng.uniform(math.log(0.3), math.log(4)))
    instrument = Instrument.draw(rng, level)
    above = np.zeros(n)
    idle = np.ones(n, bool)
    sharp = []
    edges = _layout(rng, n, int(rng.integers(1, 7)))
    for begin, end in zip(edges[::2], edges[1::2]):
        high = instrument.sigma_w * (height or math.exp(rng.uniform(1.8, 4.6)))
        tailed = height is None and rng.random() < 0.5
        above[begin:end] += high
        idle[begin:end] = False
        if not tailed:
            sharp.append((begin, end))
            continue
        decay = rng.uniform(10, 300)
        length = int(decay * math.log(high / (0.1 * instrument.sigma_w)))
        stop = min(end + length, n)
        above[end:stop] += high * np.exp(-np.arange(1, stop - end + 1) / decay)
        idle[end:stop] = False
    base = level + instrument.drift_w * np.linspace(-0.5, 0.5, n)
    seen = instrument.show(rng, base + above)
    true_w = float(np.median(base[idle])) if idle.any() else level
    return Case(seen, idle, true_w, instrument, tuple(sharp))


SWEEP_HZ = 200
CLASSES = ("none", "not-significant", "small", "extended", "grows")


@dataclass(frozen=True)
class Sweep:
    """An experiment: its class, and of each run the parameter and the samples.

    Attributes:
        word: the true class.
        parameters: of the runs.
        powers: of the runs: idle until IDLE_NS, then at work until completion_ns.
    """

    word: str
    parameters: Floats
    powers: list[Floats]
    completion_ns: int


IDLE_NS = 2 * 10**9


def _tail_length(rng: np.random.Generator, word: str, place: float, mean: float) -> int:
    """Of one run, in samples; place: of the parameter, 0 to 1 on its scale."""
    scatter = rng.uniform(0.8, 1.2)
    if word == "none":
        return 0
    if word == "not-significant":
        return int(SWEEP_HZ * mean * scatter) if rng.random() < 0.25 else 0
    if word == "grows":
        # From a tenth of the longest to all of it.
        return int(SWEEP_HZ * mean * (0.1 + 0.9 * place) * scatter)
    return int(SWEEP_HZ * mean * scatter)


def sweep(seed: int) -> Sweep:
    """An experiment of 16 runs, 8 values of the parameter twice.

    200 Hz; 2 s of idle, which is declared, 1 s of work 20 to 100 sigma above it, the
    tail 6 to 30 sigma above it, then idle to the end at 12 s; the instrument as in
    case(). The class is one of the five by turns. Tails: none; a quarter of the runs
    has one (0.1 to 0.7 s); 0.1 to 0.7 s in all runs; 1.5 to 6 s in all; or in
    proportion to the place of the parameter, a tenth to all of 2 to 6 s. Each scatters
    by +-20 %. An experiment that should have tails here and there has two at least (one of 16 is
    less than a tenth),
    and in fewer than half of its runs.
    """
    rng = np.random.default_rng([1074, seed])
    word = CLASSES[seed % len(CLASSES)]
    level = math.exp(rng.uniform(math.log(0.3), math.log(4)))
    instrument = Instrument.draw(rng, level)
    work, rest = rng.uniform(20, 100), rng.uniform(6, 30)
    ranges = {"extended": (1.5, 6.0), "grows": (2.0, 6.0)}
    mean = rng.uniform(*ranges.get(word, (0.1, 0.7)))
    places = np.repeat(np.arange(8) / 7, 2)
    n, begin, end = 12 * SWEEP_HZ, 2 * SWEEP_HZ, 3 * SWEEP_HZ
    while True:
        lengths = [_tail_length(rng, word, float(place), mean) for place in places]
        n_tails = sum(length > 0 for length in lengths)
        if word != "not-significant" or 2 <= n_tails < 8:
            break
    powers = []
    for length in lengths:
        power = level + instrument.drift_w * np.linspace(-0.5, 0.5, n)
        power[begin:end] += work * instrument.sigma_w
        power[end : end + length] += rest * instrument.sigma_w
        powers.append(instrument.show(rng, power))
    return Sweep(word, 512 * 2 ** (7 * places), powers, end * 10**9 // SWEEP_HZ)


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
