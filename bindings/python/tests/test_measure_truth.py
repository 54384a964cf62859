# SPDX-License-Identifier: MIT
"""What is found in 1000 signals of which all is known; truth.py says how they are."""

from __future__ import annotations

import os

import numpy as np

from ssdpm import Error, measure
from truth import IDLE_NS, RATE_HZ, SWEEP_HZ, Case, case, correlated, sweep

CASES = 100 if os.environ.get("SSDPM_FEW_CASES") else 1000


def allowed(of_1000: int) -> int:
    """How many cases may be missed; of fewer, with three standard deviations more."""
    share = of_1000 / 1000
    return int(CASES * share + (3 * (CASES * share) ** 0.5 if CASES < 1000 else 0))


def find_baseline(one: Case) -> measure.Baseline | None:
    try:
        return measure.baseline(one.power_w, rate_hz=RATE_HZ)
    except Error as error:
        assert "say when it idles" in str(error)
        return None


def test_a_baseline_is_within_one_percent_where_there_is_enough_idle() -> None:
    enough = missed = seed = 0
    while enough < CASES:
        one = case(seed)
        seed += 1
        if not one.enough_idle:
            continue
        enough += 1
        found = find_baseline(one)
        missed += (
            found is None or abs(found.level_w - one.baseline_w) > 0.01 * one.baseline_w
        )
    assert missed <= allowed(20), f"{missed} of {CASES}"


def test_runs_of_ten_sigmas_begin_and_end_within_two_samples() -> None:
    """Each run on its own; one that is not there, or too much, misses both its ends."""
    edges = missed = 0
    for seed in range(CASES):
        one = case(seed, height=10.0)
        if not one.enough_idle:
            continue
        edges += 2 * len(one.sharp)
        idle = find_baseline(one)
        if idle is None:
            missed += 2 * len(one.sharp)
            continue
        runs = measure.activity(one.power_w, idle, rate_hz=RATE_HZ)
        if len(runs) != len(one.sharp):
            missed += 2 * len(one.sharp)
            continue
        for run, (begin, end) in zip(runs, one.sharp):
            missed += (abs(run.begin - begin) > 2) + (abs(run.end - end) > 2)
    assert missed <= edges / 100, f"{missed} of {edges}"


def test_the_class_of_an_experiment_is_that_which_made_it() -> None:
    """None and not significant are one class, as in the study."""
    missed = 0
    nothing = {"none", "not-significant"}
    for seed in range(CASES):
        one = sweep(seed)
        runs = []
        for parameter, power in zip(one.parameters, one.powers):
            signal = measure.Signal(power, rate_hz=SWEEP_HZ)
            idle = measure.baseline(signal, window=(0, IDLE_NS))
            tail = measure.tail(signal, idle, one.completion_ns)
            runs.append(measure.BackgroundRun.from_tail(float(parameter), tail))
        found = str(measure.classify(runs).background)
        missed += found != one.word and not {found, one.word} <= nothing
    assert missed <= allowed(72), f"{missed} of {CASES}"


def test_the_noise_of_the_cases_is_what_they_say() -> None:
    for rho in (0.0, 0.5, 0.9):
        noise = correlated(np.random.default_rng(1), 200_000, rho)
        assert abs(noise.std() - 1) < 0.02
        assert abs(np.corrcoef(noise[1:], noise[:-1])[0, 1] - rho) < 0.01
