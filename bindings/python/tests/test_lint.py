# SPDX-License-Identifier: MIT
"""What is odd in a model: Model.lint()."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

import ssdpm
from ssdpm import Finding, PowerState, _core
from test_model import model_dicts

SOUND = (
    PowerState(operational=True, max_power_uw=5_000_000, idle_power_uw=500_000),
    PowerState(
        operational=False,
        max_power_uw=3_000,
        idle_power_uw=3_000,
        entry_latency_us=60_000,
        exit_latency_us=40_000,
    ),
)


def test_nothing_is_odd_in_a_sound_drive() -> None:
    assert ssdpm.Model.from_states(SOUND, apsta=1).lint() == ()


@st.composite
def sound_states(draw: st.DrawFn) -> list[PowerState]:
    """Powers fall, latencies rise up to 100 ms together, who sleeps is deeper."""
    n_awake, n_asleep = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    n = n_awake + n_asleep
    powers = draw(st.sets(st.integers(1, 75_000_000), min_size=n, max_size=n))
    entries = draw(st.lists(st.integers(1, 50_000), min_size=n, max_size=n))
    exits = draw(st.lists(st.integers(1, 50_000), min_size=n, max_size=n))
    numbers = zip(sorted(powers, reverse=True), sorted(entries), sorted(exits))
    return [
        PowerState(
            operational=number < n_awake,
            max_power_uw=power,
            idle_power_uw=power,
            entry_latency_us=entry if number >= n_awake else min(entry, 999),
            exit_latency_us=exit_ if number >= n_awake else min(exit_, 999),
        )
        for number, (power, entry, exit_) in enumerate(numbers)
    ]


@given(sound_states(), st.none() | st.integers(1, 255))
def test_any_sound_drive_gives_no_finding(
    states: list[PowerState], apsta: int | None
) -> None:
    assert ssdpm.Model.from_states(states, apsta=apsta).lint() == ()


def test_a_finding_has_a_code_a_state_and_a_line_of_words() -> None:
    slow = replace(SOUND[1], exit_latency_us=70_000)
    (finding,) = ssdpm.Model.from_states([SOUND[0], slow], apsta=1).lint()
    assert finding == Finding(
        code="never-entered",
        state=1,
        message=(
            "PS1: entry+exit 130 ms > 100 ms: Linux 5.14 and later never enters it, "
            "whatever the latency limit, unless apst_secondary_latency_tol_us is raised"
        ),
    )
    with pytest.raises(FrozenInstanceError):
        finding.state = 2  # type: ignore[misc]


def test_a_finding_on_the_drive_has_no_state() -> None:
    (finding,) = ssdpm.Model.from_states(SOUND, apsta=0).lint()
    assert (finding.code, finding.state) == ("apsta-zero", None)


def test_a_drive_that_reports_no_idle_power_is_said_so_once(model: ssdpm.Model) -> None:
    assert [(f.code, f.state) for f in model.lint()] == [("idle-power-unknown", None)]
    assert "4 of 5 states" in model.lint()[0].message


@given(model_dicts())
def test_any_model_is_judged_in_words_and_order(drive: dict[str, Any]) -> None:
    model = ssdpm.Model(drive)
    findings = model.lint()
    assert findings == model.lint()
    order = [-1 if f.state is None else f.state for f in findings]
    assert order == sorted(order)
    for finding in findings:
        assert finding.code in _core.FINDING_CODES
        assert finding.message and "\n" not in finding.message
        assert finding.state is None or finding.state < len(model)
        if finding.state is not None:
            assert finding.message.startswith(f"PS{finding.state}: ")


@given(model_dicts())
def test_no_finding_rests_on_what_is_unknown(drive: dict[str, Any]) -> None:
    for state in drive["states"]:
        for name in ("max_power_uw", "entry_latency_us", "exit_latency_us"):
            state[name] = None
        state["not_reported"] = []
    drive["apsta"] = None
    codes = {finding.code for finding in ssdpm.Model(drive).lint()}
    assert codes <= {
        "idle-power-unknown",
        "only-operational",
        "operational-after-non-operational",
        "sata-no-lpm",
        "sata-words-invalid",
        "smartctl-source",
    }
