# SPDX-License-Identifier: MIT
"""Trials of two settings on a machine that is made up."""

from __future__ import annotations

import math
import random

import pytest

import ssdpm
from ssdpm.measure import TRIAL_DECISIONS, Trial, TrialState

S = 10**9


def run(trial: Trial, saving_w: float, noise_w: float) -> TrialState:
    """Until it decides; a second is 10 seconds."""
    rng = random.Random(5)
    now = 0
    while True:
        block = trial.next(now)
        state = trial.state
        if state.decision != "not-yet" or block.setting is None:
            return state
        power = 5 + rng.gauss(0, noise_w) - (saving_w if block.setting == "b" else 0)
        trial.feed(now, power)
        now += 10 * S


def usual(**more: int) -> Trial:
    return Trial(update_ns=10 * S, likely_uw=100_000, seed=3, **more)


def test_a_saving_is_found() -> None:
    state = run(usual(), 0.3, 0.02)
    assert state.decision == "saves"
    assert state.saving_w == pytest.approx(0.3, abs=0.05)
    assert 0 < state.low_w < 0.3 < state.high_w
    assert 7 <= state.n_pairs <= state.max_pairs == 30
    assert str(state).startswith("saves: 0.3")


def test_a_cost_is_found() -> None:
    state = run(usual(), -0.3, 0.02)
    assert state.decision == "costs" and state.high_w < 0


def test_what_cannot_be_seen_is_hopeless() -> None:
    state = run(usual(), 0.1, 5)
    assert state.decision == "hopeless" and state.n_pairs == 7
    # The first pairs showed more than that: it went on.
    assert state.resolvable_w is not None and state.saving_w is not None
    assert state.resolvable_w > abs(state.saving_w) > 0.1


def test_the_time_limit_ends_a_trial() -> None:
    trial = Trial(update_ns=10 * S, limit_ns=360 * S, seed=1)
    state = run(trial, 0, 0.5)
    assert state.decision == "undecided" and state.n_pairs == 6
    assert trial.next(10**13).setting is None


def test_before_a_pair_nothing_is_known() -> None:
    state = usual().state
    assert state.saving_w is None and state.resolvable_w is None
    assert (state.low_w, state.high_w) == (-math.inf, math.inf)
    assert str(state) == "not-yet: no pair"


def test_the_same_seed_gives_the_same_order() -> None:
    def order(trial: Trial) -> list[str | None]:
        settings = []
        for second in range(0, 1200, 30):
            block = trial.next(second * S)
            settings.append(block.setting)
            trial.feed(block.count_ns, 5)
        return settings

    assert order(usual()) == order(usual())
    # Drawn at random: the same with a probability of 2^-20 each.
    assert order(Trial()) != order(Trial()) or order(Trial()) != order(Trial())


def test_readings_that_are_no_power_are_refused() -> None:
    trial = usual()
    with pytest.raises(ssdpm.InvalidError, match="not a number"):
        trial.feed(0, math.nan)
    with pytest.raises(ssdpm.RangeError, match="1 MW"):
        trial.feed(0, math.inf)


def test_a_block_without_a_reading_is_an_error() -> None:
    trial = usual()
    trial.next(0)
    with pytest.raises(ssdpm.UnknownValueError, match="block 0"):
        trial.next(30 * S)


def test_a_block_that_is_too_short_is_refused() -> None:
    with pytest.raises(ssdpm.RangeError, match="at least 180 s"):
        Trial(update_ns=60 * S, response_ns=60 * S, block_ns=S)


def test_decisions_have_words() -> None:
    assert set(TRIAL_DECISIONS) == {
        "not-yet",
        "saves",
        "costs",
        "hopeless",
        "undecided",
    }
