# SPDX-License-Identifier: MIT
"""The theory of idle times (Irani, Shukla, Gupta and others): the lower envelope costs
ALG = OPT + beta, and the best timeout for known distributions of idle times.

Each number comes twice: by its formula, in fractions, and from the simulator. A table
has whole milliseconds. So the simulator's clock is slower by SCALE: every latency and
idle time is so many times longer, and so is every energy; ratios stay. Then the
thresholds are whole milliseconds, and 1 ms, the shortest idle time of a table, is
1/SCALE ms here. Only an idle time of 0 remains out of reach: to a table it is "never".
"""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import numpy as np

import ssdpm
from report import NOT_DERIVABLE, REPRODUCED, Claim, Range, Report, main

# Watts, and joules above them to enter and leave: like those of a WD SN530.
POWERS = (Fraction(1, 2), Fraction(25, 1000), Fraction(5, 1000))
BETAS = (Fraction(0), Fraction(7350, 10**6), Fraction(21975, 10**6))
BREAK_EVEN = BETAS[1] / (POWERS[0] - POWERS[1])  # of the first state, seconds

SCALE = 76
N_GAPS = 100_000
MEAN = Fraction(50, 1000)

INPUTS = [
    "PS0 0.5 W, PS1 25 mW, PS2 5 mW; transitions cost 7.35 mJ and 21.975 mJ, all of it "
    "in the exit, at 0.5 W: 14.7 ms and 43.95 ms",
    f"the simulator's times and energies are {SCALE} times as long and large; I/Os "
    "take no time",
    f"random idle times: {N_GAPS} of them, seed 0; their sum is held exactly against "
    "the cost of each, and their mean against the formula, within 4 standard errors",
]


def thresholds() -> list[Fraction]:
    """When the lower envelope goes on to each state, in seconds."""
    lines = list(zip(POWERS, BETAS))
    return [(b2 - b1) / (p1 - p2) for (p1, b1), (p2, b2) in zip(lines, lines[1:])]


def drive() -> ssdpm.Model:
    """The example, slower by SCALE; what it does not say is stated below."""
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


def envelope() -> ssdpm.ApstTable:
    return ssdpm.apst(
        MODEL,
        algorithm="lower-envelope",
        max_exit_latency_us="any",
        transition_power_uw=int(POWERS[0] * 10**6),
    )


def after(idle_ms: int) -> ssdpm.ApstTable:
    """PS1 after so long in PS0."""
    data = struct.pack("<32Q", idle_ms << 8 | 1 << 3, *[0] * 31)
    return ssdpm.ApstTable.from_bytes(data)


def with_gap(gap_ms: int) -> ssdpm.Trace:
    """Two I/Os that take no time, and the idle time between them."""
    return ssdpm.Trace.from_columns(start_ns=[0, gap_ms * 10**6], service_ns=0)


def alg_and_opt() -> tuple[int, bool, Fraction]:
    """How many idle times were simulated, whether ALG = OPT + beta held for each, to
    the nanojoule, and the worst ratio.
    """
    table = envelope()
    limits = [int(t * SCALE * 1000) for t in thresholds()]
    gaps = {*range(1, 120_000, 97)}
    gaps |= {limit + near for limit in limits for near in (-1, 0, 1)}
    holds, worst = True, Fraction(1)
    for gap in sorted(gaps):
        trace = with_gap(gap)
        alg = ssdpm.estimate(MODEL, trace, table, parameters=PARAMETERS)
        opt = ssdpm.clairvoyant(MODEL, trace, parameters=PARAMETERS)
        beta = BETAS[sum(gap >= limit for limit in limits)] * SCALE * 10**9
        holds &= alg.nominal.energy_nj == opt.energy_nj + beta
        worst = max(worst, Fraction(alg.nominal.energy_nj, opt.energy_nj))
    return len(gaps), holds, worst


def cost(gaps: ssdpm.Gaps, idle_ms: int | None) -> tuple[float, float, bool]:
    """Of a table on idle times: the mean of the simulator in mJ, its standard error,
    and whether the sum is exactly that of the costs of each idle time.
    """
    table = None if idle_ms is None else after(idle_ms)
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
    each = (p0 * awake.astype(float) + p1 * asleep + beta_fj * (times >= tau)) * 1e-12
    return (
        int(run["energy_nj"]) / n / SCALE / 1e6,
        float(each.std()) / math.sqrt(n) / SCALE,
        int(run["energy_nj"]) == (sum_fj + 500_000) // 1_000_000,
    )


def exponential(tau: float) -> float:
    """Mean cost in mJ of one idle time with a timeout of tau seconds."""
    rate = float(1 / MEAN)
    p0, p1, beta = float(POWERS[0]), float(POWERS[1]), float(BETAS[1])
    left = math.exp(-rate * tau)
    return 1e3 * (p0 * (1 - left) / rate + left * (beta + p1 / rate))


def number(about: str, theory: float, value: float, digits: int, unit: str) -> Claim:
    found = Range(value, value, value, unit, digits)
    verdict = found.verdict(theory, digits)
    return Claim(about, f"{theory:.{digits}f} {unit}".strip(), str(found), verdict)


def timeouts() -> list[Claim]:
    trace = ssdpm.generate(
        "poisson",
        n_ios=N_GAPS + 1,
        mean_idle_ns=int(MEAN * SCALE * 10**9),
        service_ns=0,
    )
    gaps = ssdpm.Gaps(trace)
    claims = []
    for name, tau_ms, idle_ms, theory in (
        ("0", 0, 1, 8.6),
        ("10 ms", 10, 10 * SCALE, 11.57282),
        ("50 ms", 50, 50 * SCALE, 18.96678),
        ("inf", math.inf, None, 25.0),
    ):
        formula = exponential(tau_ms / 1e3)
        mean, error, exact = cost(gaps, idle_ms)
        reached = math.inf if idle_ms is None else idle_ms / SCALE
        near = exact and abs(mean - exponential(reached / 1e3)) <= 4 * error
        claims.append(
            Claim(
                f"exponential, J({name})",
                f"{theory:.5f} mJ",
                f"{formula:.5f} mJ; simulated {mean:.3f} +- {error:.3f} mJ",
                REPRODUCED if near and round(formula, 5) == theory else NOT_DERIVABLE,
                f"simulated at {reached:.3f} ms, where the formula gives "
                f"{exponential(reached / 1e3):.3f} mJ: a table has no 0"
                if tau_ms == 0
                else "",
            )
        )
    return claims


def lomax(shape: int, scale_ms: int) -> Claim:
    """tau* = max(0, a B - m): there the hazard a / (m + tau) is 1/B."""
    best = max(Fraction(0), shape * BREAK_EVEN - Fraction(scale_ms, 1000))
    hazard = shape / (Fraction(scale_ms, 1000) + best)
    at_end = best == 0 and hazard <= 1 / BREAK_EVEN
    mean_ns = scale_ms * 10**6 * SCALE // (shape - 1)
    gaps = ssdpm.Gaps(
        ssdpm.generate(
            "lomax",
            n_ios=N_GAPS + 1,
            mean_idle_ns=mean_ns,
            shape_milli=1000 * shape,
            service_ns=0,
        )
    )
    found = ssdpm.best_table(MODEL, gaps, max_states=1, parameters=only_ps1())
    [entry] = found.table.entries[:1]
    theory_ms = max(1, round(best * SCALE * 1000))
    mean, error, exact = cost(gaps, theory_ms)
    least, _, _ = cost(gaps, entry.idle_ms)
    holds = (hazard == 1 / BREAK_EVEN or at_end) and exact and mean - least <= error
    return Claim(
        f"Lomax, a {shape}, m {scale_ms} ms",
        f"best timeout max(0, a B - m) = {float(best * 1000):.3f} ms",
        f"{float(best * 1000):.3f} ms; simulated, the best table of these idle times "
        f"has {entry.idle_ms / SCALE:.3f} ms and costs {least:.3f} mJ, the theory's "
        f"{mean:.3f} +- {error:.3f} mJ",
        REPRODUCED if holds else NOT_DERIVABLE,
    )


def only_ps1() -> tuple[ssdpm.Parameter, ...]:
    """PS2 costs too much to enter: the theory has two states."""
    return ssdpm.parameters(
        MODEL,
        entry_latency_us={"PS1": 0, "PS2": 2**31},
        transition_power_uw=int(POWERS[0] * 10**6),
    )


def deterministic() -> Claim:
    """Sleep at once if D > B, else never; at once is 1 ms of the simulator's clock."""

    def sleeps(gap_ms: int) -> bool:
        found = ssdpm.best_table(
            MODEL, with_gap(gap_ms), max_states=1, parameters=PARAMETERS
        )
        return bool(found.table.entries)

    limit = int(BREAK_EVEN * SCALE * 1000)
    holds = not sleeps(limit - 1) and not sleeps(limit) and sleeps(limit + 2)
    return Claim(
        "deterministic",
        "sleep at once if D > B = 15.473684 ms, else never",
        f"B = {float(BREAK_EVEN * 1000):.6f} ms; simulated, the best table never "
        f"sleeps up to {limit / SCALE:.3f} ms and sleeps at once from "
        f"{(limit + 2) / SCALE:.3f} ms",
        REPRODUCED if holds else NOT_DERIVABLE,
        f"a table sleeps after {1 / SCALE:.3f} ms at the soonest",
    )


def report() -> Report:
    first, second = thresholds()
    entries = {e.state: e.idle_ms for e in envelope().entries}
    n, holds, worst = alg_and_opt()
    ratio1 = 2 - POWERS[1] / POWERS[0]
    ratio2 = 1 + BETAS[2] / (BETAS[2] + POWERS[2] * second)
    in_table = (
        Fraction(entries[0], SCALE * 1000),
        Fraction(entries[0] + entries[1], SCALE * 1000),
    )
    return Report(
        "S. Irani, S. Shukla, R. Gupta: strategies for dynamic power management",
        INPUTS,
        [
            number("first threshold", 15.473684, float(first * 1000), 6, "ms"),
            number("second threshold", 731.25, float(second * 1000), 6, "ms"),
            Claim(
                "both, in ssdpm's table",
                "15.473684 ms and 731.25 ms",
                " and ".join(f"{float(t * 1000):.6f} ms" for t in in_table),
                REPRODUCED if in_table == (first, second) else NOT_DERIVABLE,
            ),
            number("ratio at the first", 1.95, float(ratio1), 6, ""),
            number("ratio at the second", 1.857352, float(ratio2), 6, ""),
            Claim(
                "ALG = OPT + beta",
                "for every idle time; ALG/OPT at most 1.95",
                f"simulated for {n} idle times, equal to the nanojoule; ALG/OPT at "
                f"most {float(worst):.6f}",
                REPRODUCED if holds and worst == ratio1 else NOT_DERIVABLE,
            ),
            *timeouts(),
            lomax(3, 30),
            lomax(3, 60),
            deterministic(),
        ],
    )


if __name__ == "__main__":
    main(report)
