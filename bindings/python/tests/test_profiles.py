# SPDX-License-Identifier: MIT
"""Profiles: those that are built in, and those of a user."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import example, given

import ssdpm
from ssdpm import PowerSource

MINE = """\
[mine]
ac.max_exit_latency = 25ms
ac.lpm = medium_power max_performance
ac.reason = one that is mine
battery.max_exit_latency = any
battery.reason = no limit
"""


def test_the_built_in_profiles_are_there() -> None:
    assert {"performance", "balanced", "power-saver"} == set(ssdpm.profiles())


@pytest.mark.parametrize("name", ["performance", "balanced", "power-saver"])
@pytest.mark.parametrize("source", ["ac", "battery"])
def test_a_profile_says_its_name_its_source_and_why(name: str, source: str) -> None:
    profile = ssdpm.profile(name, source)
    assert (profile.name, profile.power_source) == (name, source)
    assert isinstance(profile.power_source, PowerSource)
    assert profile.reason


def test_balanced_is_what_linux_does_by_itself() -> None:
    profile = ssdpm.profile("balanced")
    for name in (
        "max_exit_latency_us",
        "primary_timeout_ms",
        "primary_latency_tolerance_us",
        "secondary_timeout_ms",
        "secondary_latency_tolerance_us",
    ):
        assert getattr(profile, name) == ssdpm.APST_DEFAULTS[name]


def test_a_profile_of_ones_own_comes_first_and_says_no_more_than_it_says() -> None:
    assert ssdpm.profiles(MINE)[0] == "mine"
    ac = ssdpm.profile("mine", text=MINE)
    assert ac == ssdpm.ProfileSettings(
        "mine",
        PowerSource.AC,
        "one that is mine",
        max_exit_latency_us=25000,
        lpms=("medium_power", "max_performance"),
    )
    battery = ssdpm.profile("mine", "battery", text=MINE)
    assert battery.max_exit_latency_us == "any"
    assert battery.lpms is None


def test_an_unknown_profile_names_those_that_there_are() -> None:
    with pytest.raises(ssdpm.NotFoundError, match="power-saver"):
        ssdpm.profile("turbo")


def test_a_fault_has_its_line() -> None:
    text = MINE + "max_exit_latency = soon\n"
    with pytest.raises(ssdpm.FormatError) as caught:
        ssdpm.profile("mine", text=text)
    assert caught.value.line == len(text.splitlines())


def test_arguments_of_other_types_are_refused() -> None:
    with pytest.raises(ValueError, match="source: 'mains' is none of"):
        ssdpm.profile("balanced", "mains")
    with pytest.raises(TypeError, match="name: a str"):
        ssdpm.profile(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="name: .* has no form in UTF-8"):
        ssdpm.profile("\udcff")
    with pytest.raises(ValueError, match="name: a zero byte"):
        ssdpm.profile("balanced\0")
    with pytest.raises(TypeError, match="text: a str"):
        ssdpm.profiles(b"")  # type: ignore[arg-type]


LINES = st.sampled_from(MINE.splitlines()) | st.text(max_size=30)


@example("[x]\n")
@given(st.text() | st.lists(LINES, max_size=8).map("\n".join))
def test_no_text_is_anything_but_profiles_or_a_fault_with_its_line(text: str) -> None:
    try:
        names = ssdpm.profiles(text)
    except ssdpm.FormatError as error:
        assert error.line is not None
        assert 1 <= error.line <= text.count("\n") + 1
        return
    assert set(names) >= {"performance", "balanced", "power-saver"}
    for name in names:
        for source in PowerSource:
            try:
                found = ssdpm.profile(name, source, text=text)
            except ssdpm.NotFoundError:
                continue  # it has the other source only
            assert (found.name, found.power_source) == (name, source)
