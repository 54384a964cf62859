# SPDX-License-Identifier: MIT
"""Signals of 10 kHz of which fewer samples are kept, until events are too short."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest

from ssdpm import Error, measure
from truth import RATE_HZ, SWEEP_HZ, Floats, case, correlated, sweep

CASES = 100 if os.environ.get("SSDPM_FEW_CASES") else 1000
HZ = 10_000


def events(seed: int) -> tuple[Floats, int, int]:
    """A signal of 20 s; how many samples an event has; how many events there are.

    Events of 4 to 40 ms, each 0.9 to 1.1 times as long, ten times as long apart (half
    to one and a half of that), half to five times the baseline above it; noise of 0.2
    to 2 %.
    """
    rng = np.random.default_rng([806, seed])
    n = 20 * HZ
    length = int(rng.integers(40, 400))
    level = math.exp(rng.uniform(math.log(0.05), math.log(2)))
    power = level * (1 + rng.uniform(0.002, 0.02) * rng.standard_normal(n))
    height = level * rng.uniform(0.5, 5)
    at = count = 0
    while True:
        at += int(length * 10 * rng.uniform(0.5, 1.5))
        if at + 2 * length >= n:
            return power, length, count
        own = int(length * rng.uniform(0.9, 1.1))
        power[at : at + own] += height
        at += own
        count += 1


@pytest.mark.parametrize("per_event", [8, 4, 3, 2, 1.5, 0.5, 0.2])
def test_events_of_three_samples_are_fast_enough_and_of_two_are_not(
    per_event: float,
) -> None:
    said = cases = 0
    for seed in range(CASES // 20):
        power, length, count = events(seed)
        every = max(1, round(length / per_event))
        # Those that are met are a binomial number: eight are three almost always.
        if count * min(1, per_event) < 8:
            continue
        found = np.ascontiguousarray(power[::every])
        rate = HZ / every
        try:
            idle = measure.baseline(found, rate_hz=rate)
        except Error:
            continue
        fast = measure.sampling(found, idle, rate_hz=rate)
        cases += 1
        said += not fast
        if fast.advised_ns and per_event >= 1.5:
            # As it is advised, there are three samples of each.
            assert fast.advised_ns * 3 <= 1.1 * length * 10**9 / HZ
    assert cases >= CASES // 50
    assert said == (0 if per_event >= 3 else cases)


def test_work_and_spikes_of_1000_signals_are_taken_for_no_short_events() -> None:
    """None of 987 with a baseline was: three of 1000 are allowed."""
    said = 0
    for seed in range(CASES):
        one = case(seed)
        try:
            idle = measure.baseline(one.power_w, rate_hz=RATE_HZ)
        except Error:
            said += not measure.sampling(one.power_w, rate_hz=RATE_HZ)
            continue
        said += not measure.sampling(one.power_w, idle, rate_hz=RATE_HZ)
    assert said <= 3


def test_runs_with_tails_have_no_short_events() -> None:
    for seed in range(CASES // 20):
        one = sweep(seed)
        for power in one.powers:
            signal = measure.Signal(power, rate_hz=SWEEP_HZ)
            idle = measure.baseline(signal, window=(0, 2 * 10**9))
            assert measure.activity(signal, idle).sampling


def test_noise_on_the_steps_of_an_instrument_is_not_held() -> None:
    for seed in range(CASES // 4):
        rng = np.random.default_rng([808, seed])
        rho = float(rng.choice([0, 0.5, 0.9, 0.99, 0.999]))
        quantum = rng.uniform(0.1, 8)
        noise = correlated(rng, 5000, rho) + quantum * rng.uniform()
        power = 100 + np.rint(noise / quantum) * quantum
        assert measure.sampling(power, rate_hz=100), (seed, rho, quantum)


def test_an_instrument_that_is_read_too_often_is_told_with_its_interval() -> None:
    for seed in range(CASES // 10):
        rng = np.random.default_rng([807, seed])
        hold = rng.uniform(2, 40)
        power = 2 + correlated(rng, 4000, 0.5) * 0.1
        # Of 100 mW of noise there are 1000 steps, or 10.
        power = np.rint(power / (0.01 if seed % 2 else 1e-4)) * (
            0.01 if seed % 2 else 1e-4
        )
        read = power[(np.arange(4000) / hold).astype(int)]
        found = measure.sampling(read, rate_hz=100)
        assert found.remarks == ("held",)
        assert abs(found.interval_ns / (hold * 1e7) - 1) < 0.03
        assert found.advised_ns is None and found.extra_j is None
        assert str(found).startswith("values repeat: measured every ")


def test_runs_and_work_in_idle_say_what_they_may_have_missed() -> None:
    power, length, _ = events(1)
    found = np.ascontiguousarray(power[::length])
    signal = measure.Signal(found, rate_hz=HZ / length)
    idle = measure.baseline(signal)
    runs = measure.activity(signal, idle)
    assert not runs.sampling and runs.sampling.remarks == ("slow",)
    assert "slower than the events: " in str(runs)
    assert "slower than the events: " in str(measure.idle_work(signal, idle))
    whole = measure.Signal(power, rate_hz=HZ)
    runs = measure.activity(whole, measure.baseline(whole))
    assert runs.sampling and "slower" not in str(runs)
    assert "nothing tells" in str(runs.sampling)
    assert "n_excursions" in runs.sampling._repr_html_()
    with pytest.raises(TypeError, match="baseline"):
        measure.sampling(signal, 3)  # type: ignore[arg-type]
