# SPDX-License-Identifier: MIT
"""The theory of idle times (Irani, Shukla, Gupta and others): the lower envelope costs
ALG = OPT + beta, and the best timeout for known distributions of idle times. And write
amplification: a table of all formulas, which was computed once by other means.

Each number of the theory comes twice: by its formula, in fractions, and from the
simulator. A table has whole milliseconds. So the simulator's clock is slower by SCALE:
every latency and idle time is so many times longer, and so is every energy; ratios stay.
Then the thresholds are whole milliseconds, and 1 ms, the shortest idle time of a table,
is 1/SCALE ms here.
"""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ssdpm
from ssdpm import ftl, wa

# Watts, and joules above them to enter and leave: like those of a WD SN530.
POWERS = (Fraction(1, 2), Fraction(25, 1000), Fraction(5, 1000))
BETAS = (Fraction(0), Fraction(7350, 10**6), Fraction(21975, 10**6))
BREAK_EVEN = BETAS[1] / (POWERS[0] - POWERS[1])  # of the first state, seconds

SCALE = 76
N_GAPS = 100_000
MEAN = Fraction(50, 1000)


def drive() -> ssdpm.Model:
    """The example, slower by SCALE."""
    sleeping = [
        ssdpm.PowerState(
            False,
            idle_power_uw=int(power * 10**6),
            entry_latency_us=0,
            exit_latency_us=int(beta / POWERS[0] * SCALE * 10**6),
        )
        for power, beta in zip(POWERS[1:], BETAS[1:])
    ]
    awake = ssdpm.PowerState(True, idle_power_uw=int(POWERS[0] * 10**6))
    return ssdpm.Model.from_states([awake, *sleeping], apsta=1)


MODEL = drive()
PARAMETERS = ssdpm.parameters(
    MODEL,
    entry_latency_us={"PS1": 0, "PS2": 0},
    transition_power_uw=int(POWERS[0] * 10**6),
)
# PS2 costs too much to enter: the theory of one timeout has two states.
ONLY_PS1 = ssdpm.parameters(
    MODEL,
    entry_latency_us={"PS1": 0, "PS2": 2**31},
    transition_power_uw=int(POWERS[0] * 10**6),
)


def envelope() -> ssdpm.ApstTable:
    return ssdpm.apst(
        MODEL,
        algorithm="lower-envelope",
        max_exit_latency_us="any",
        transition_power_uw=int(POWERS[0] * 10**6),
    )


def thresholds() -> list[Fraction]:
    """When the lower envelope goes on to each state, in seconds."""
    lines = list(zip(POWERS, BETAS))
    return [(b2 - b1) / (p1 - p2) for (p1, b1), (p2, b2) in zip(lines, lines[1:])]


def with_gap(gap_ms: int) -> ssdpm.Trace:
    """Two I/Os that take no time, and the idle time between them."""
    return ssdpm.Trace.from_columns(start_ns=[0, gap_ms * 10**6], service_ns=0)


def test_the_thresholds_of_the_envelope_are_those_of_the_theory() -> None:
    first, second = thresholds()
    assert float(first * 1000) == pytest.approx(15.473684, abs=5e-7)
    assert second * 1000 == Fraction("731.25")
    entries = {e.state: e.idle_ms for e in envelope().entries}
    assert Fraction(entries[0], SCALE * 1000) == first
    assert Fraction(entries[0] + entries[1], SCALE * 1000) == second
    assert 1 + BETAS[2] / (BETAS[2] + POWERS[2] * second) == pytest.approx(
        1.857352, abs=5e-7
    )


def test_the_envelope_costs_what_the_optimum_does_and_beta_to_the_nanojoule() -> None:
    table = envelope()
    limits = [int(t * SCALE * 1000) for t in thresholds()]
    gaps = {*range(1, 120_000, 97)}
    gaps |= {limit + near for limit in limits for near in (-1, 0, 1)}
    worst = Fraction(1)
    for gap in sorted(gaps):
        trace = with_gap(gap)
        alg = ssdpm.estimate(MODEL, trace, table, parameters=PARAMETERS)
        opt = ssdpm.clairvoyant(MODEL, trace, parameters=PARAMETERS)
        beta = BETAS[sum(gap >= limit for limit in limits)] * SCALE * 10**9
        assert alg.nominal.energy_nj == opt.energy_nj + beta
        worst = max(worst, Fraction(alg.nominal.energy_nj, opt.energy_nj))
    assert worst == 2 - POWERS[1] / POWERS[0] == Fraction("1.95")


def cost(gaps: ssdpm.Gaps, idle_ms: int | None) -> tuple[float, float]:
    """The mean in mJ that the simulator finds for a table, and its standard error.

    The sum is exactly that of the costs of each idle time.
    """
    table = None
    if idle_ms is not None:
        data = struct.pack("<32Q", idle_ms << 8 | 1 << 3, *[0] * 31)
        table = ssdpm.ApstTable.from_bytes(data)
    [run] = ssdpm.sweep(MODEL, gaps, [table], parameters=PARAMETERS)
    times = gaps.idle_ns
    n = len(times)
    tau = int(times.max()) + 1 if idle_ms is None else idle_ms * 10**6
    awake = np.minimum(times, np.uint64(tau))
    asleep = times - awake
    slept = int((times >= tau).sum())
    p0, p1 = (int(power * 10**6) for power in POWERS[:2])
    beta_fj = int(BETAS[1] * SCALE * 10**15)
    sum_fj = p0 * int(awake.sum()) + p1 * int(asleep.sum()) + beta_fj * slept
    assert int(run["energy_nj"]) == (sum_fj + 500_000) // 1_000_000
    each = (p0 * awake.astype(float) + p1 * asleep + beta_fj * (times >= tau)) * 1e-12
    error = float(each.std()) / math.sqrt(n) / SCALE
    return int(run["energy_nj"]) / n / SCALE / 1e6, error


def exponential(tau: float) -> float:
    """Mean cost in mJ of one idle time with a timeout of tau seconds."""
    rate = float(1 / MEAN)
    p0, p1, beta = float(POWERS[0]), float(POWERS[1]), float(BETAS[1])
    left = math.exp(-rate * tau)
    return 1e3 * (p0 * (1 - left) / rate + left * (beta + p1 / rate))


@pytest.mark.parametrize(
    ("tau_s", "idle_ms", "theory"),
    [
        (0, 1, 8.6),  # a table has no 0: 1 ms is the least
        (0.01, 10 * SCALE, 11.57282),
        (0.05, 50 * SCALE, 18.96678),
        (math.inf, None, 25.0),
    ],
)
def test_exponential_idle_times_cost_what_their_formula_says(
    tau_s: float, idle_ms: int | None, theory: float
) -> None:
    trace = ssdpm.generate(
        "poisson",
        n_ios=N_GAPS + 1,
        mean_idle_ns=int(MEAN * SCALE * 10**9),
        service_ns=0,
    )
    mean, error = cost(ssdpm.Gaps(trace), idle_ms)
    reached = math.inf if idle_ms is None else idle_ms / SCALE / 1e3
    assert round(exponential(tau_s), 5) == theory
    assert abs(mean - exponential(reached)) <= 4 * error


@pytest.mark.parametrize(("shape", "scale_ms"), [(3, 30), (3, 60)])
def test_the_best_timeout_of_lomax_is_where_its_hazard_is_1_by_break_even(
    shape: int, scale_ms: int
) -> None:
    """tau* = max(0, a B - m): there the hazard a / (m + tau) is 1/B."""
    best = max(Fraction(0), shape * BREAK_EVEN - Fraction(scale_ms, 1000))
    hazard = shape / (Fraction(scale_ms, 1000) + best)
    assert hazard == 1 / BREAK_EVEN or best == 0 and hazard <= 1 / BREAK_EVEN
    gaps = ssdpm.Gaps(
        ssdpm.generate(
            "lomax",
            n_ios=N_GAPS + 1,
            mean_idle_ns=scale_ms * 10**6 * SCALE // (shape - 1),
            shape_milli=1000 * shape,
            service_ns=0,
        )
    )
    found = ssdpm.best_table(MODEL, gaps, max_states=1, parameters=ONLY_PS1)
    [entry] = found.table.entries[:1]
    mean, error = cost(gaps, max(1, round(best * SCALE * 1000)))
    least, _ = cost(gaps, entry.idle_ms)
    assert least <= mean <= least + error


def test_a_known_idle_time_is_slept_at_once_if_it_is_longer_than_break_even() -> None:
    def sleeps(gap_ms: int) -> bool:
        found = ssdpm.best_table(
            MODEL, with_gap(gap_ms), max_states=1, parameters=PARAMETERS
        )
        return bool(found.table.entries)

    # A table sleeps after 1 ms at the soonest.
    limit = int(BREAK_EVEN * SCALE * 1000)
    assert not sleeps(limit - 1) and not sleeps(limit) and sleeps(limit + 2)


# By spare factor: random victim, FIFO, greedy with 16, 64 and 256 pages in a block,
# FIFO where 20 % of the addresses have 80 % of the writes, and 10 % 90 %.
TABLE = {
    0.07: (14.286, 7.3177, 5.1113, 6.6001, 7.1237, 7.6817, 8.3582),
    0.20: (5.000, 2.6927, 2.3527, 2.5982, 2.6684, 3.0345, 3.5329),
    0.30: (3.333, 1.8762, 1.7164, 1.8332, 1.8652, 2.1974, 2.5859),
}
PAGES = (16, 64, 256)
HOT = (((0.2, 0.8), (0.8, 0.2)), ((0.1, 0.9), (0.9, 0.1)))


@pytest.mark.parametrize("spare", TABLE)
def test_write_amplification_is_that_of_the_table(spare: float) -> None:
    found = (
        wa.calculate(spare, "random"),
        wa.calculate(spare, "fifo"),
        *(wa.calculate(spare, "greedy", pages) for pages in PAGES),
        *(wa.classes(spare, classes) for classes in HOT),
    )
    assert round(found[0], 3) == TABLE[spare][0]
    assert [round(one, 4) for one in found[1:]] == list(TABLE[spare][1:])


@pytest.mark.parametrize("spare", TABLE)
def test_a_simulated_drive_amplifies_as_the_formulas_say(spare: float) -> None:
    """Within 1 % from 64 pages in a block on, within 5 % with 16."""
    random, fifo, *greedy, hot, hotter = TABLE[spare]

    def simulated(collector: str, **more: Any) -> float | None:
        warm_up = 20.0 if "classes" in more else 4.0
        return ftl.simulate(
            spare, n_blocks=4096, collector=collector, warm_up=warm_up, writes=4.0, **more
        ).write_amplification

    assert simulated("choices", choices=1) == pytest.approx(random, rel=0.01)
    assert simulated("fifo") == pytest.approx(fifo, rel=0.01)
    for pages, formula in zip(PAGES, greedy):
        limit = 0.05 if pages == 16 else 0.01
        found = simulated("greedy", pages_per_block=pages)
        assert found == pytest.approx(formula, rel=limit)
    for classes, formula in zip(HOT, (hot, hotter)):
        found = simulated("fifo", pattern="classes", classes=classes)
        assert found == pytest.approx(formula, rel=0.01)
