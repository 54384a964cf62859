# SPDX-License-Identifier: MIT
"""The tables of Windows and of the lower envelope."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

import ssdpm
from oracles import Envelope, Sleep, pairs
from ssdpm import ApstEntry, PowerState, VerdictKind

# Microsoft's table: timeout and tolerance, twice, in ms.
STORNVME: dict[tuple[str, str], tuple[int, int, int | None, int]] = {
    ("performance", "ac"): (200, 0, 2000, 0),
    ("performance", "battery"): (200, 10, 2000, 0),
    ("balanced", "ac"): (200, 15, 2000, 100),
    ("balanced", "battery"): (100, 50, 1000, 100),
    ("power-saver", "ac"): (100, 100, 1000, 200),
    ("power-saver", "battery"): (100, 200, 1000, 200),
    ("modern-standby", "ac"): (50, 500, None, 0),
    ("modern-standby", "battery"): (50, 500, None, 0),
}

# Totals at and around the tolerances.
TOTALS = st.sampled_from(
    [ms * 1000 + us for ms in (0, 10, 15, 50, 100, 200, 500) for us in (0, 1)]
) | st.integers(0, 2**32 - 1)
STATES = st.lists(
    st.tuples(st.booleans(), TOTALS, st.integers(0, 4)), min_size=1, max_size=32
)


def rows(table: ssdpm.ApstTable) -> list[tuple[int, int]]:
    return list(zip(table.array["target"].tolist(), table.array["idle_ms"].tolist()))


def follow(table: ssdpm.ApstTable, source: int, ms: int) -> int:
    """Where a drive is that is idle for so long, having been in this state."""
    while True:
        target, idle_ms = rows(table)[source]
        if not target or idle_ms > ms:
            return source
        source, ms = target, ms - idle_ms


def verdicts_fit(table: ssdpm.ApstTable) -> None:
    used = {v.state for v in table.explain() if v.verdict is VerdictKind.USED}
    assert used == {entry.target for entry in table.entries}


@settings(max_examples=300)
@given(
    STATES,
    st.sampled_from(list(STORNVME)),
    st.none() | st.integers(1, 10**6),
    st.sampled_from([(), ("no-deepest-ps",)]),
)
def test_a_drive_under_the_table_is_where_windows_would_have_it(
    numbers: list[tuple[bool, int, int]],
    scheme: tuple[str, str],
    limit: int | None,
    quirks: tuple[str, ...],
) -> None:
    first_ms, first_tolerance, second_ms, second_tolerance = STORNVME[scheme]
    states = [
        PowerState(
            operational, entry_latency_us=total * n // 4,
            exit_latency_us=total - total * n // 4,
        )
        for operational, total, n in numbers
    ]  # fmt: skip
    table = ssdpm.apst(
        ssdpm.Model.from_states(states),
        algorithm="windows",
        scheme=scheme[0],
        power_source=scheme[1],
        max_exit_latency_us="any" if limit is None else limit,
        quirks=quirks,
    )

    def deepest(tolerance_ms: int) -> int:
        allowed = [
            i
            for i, (operational, total, n) in enumerate(numbers)
            if not operational
            and total <= tolerance_ms * 1000
            and (limit is None or total - total * n // 4 <= limit)
            and not (quirks and i == len(numbers) - 1)
        ]
        return max(allowed, default=0)

    def windows(source: int, ms: int) -> int:
        if ms >= first_ms:
            source = max(source, deepest(first_tolerance))
        if second_ms is not None and ms >= second_ms:
            source = max(source, deepest(second_tolerance))
        return source

    for source, ms in itertools.product(
        range(len(numbers)), (0, 49, 50, 99, 100, 199, 200, 999, 1000, 1999, 2000, 9999)
    ):
        if source == 0 or source != deepest(first_tolerance):
            assert follow(table, source, ms) == windows(source, ms)
    verdicts_fit(table)


def test_the_worked_example_of_microsoft() -> None:
    model = ssdpm.Model.from_states(
        [
            PowerState(True, entry_latency_us=5, exit_latency_us=5),
            PowerState(False, entry_latency_us=10_000, exit_latency_us=300),
            PowerState(False, entry_latency_us=50_000, exit_latency_us=10_000),
        ]
    )
    battery = ssdpm.apst(
        model, algorithm="windows", scheme="balanced", power_source="battery"
    )
    assert battery.entries == (ApstEntry(0, 1, 100), ApstEntry(1, 2, 900))
    standby = ssdpm.apst(model, algorithm="windows", scheme="modern-standby")
    assert standby.entries == (ApstEntry(0, 2, 50), ApstEntry(1, 2, 50))
    default = ssdpm.apst(model, algorithm="windows")
    assert default.entries == (ApstEntry(0, 1, 200), ApstEntry(1, 2, 1800))
    assert default == ssdpm.apst(
        model, algorithm="windows", scheme="balanced", power_source="ac"
    )


SMALL = st.integers(0, 30)


@st.composite
def envelopes(draw: st.DrawFn, powers: st.SearchStrategy[int] = SMALL) -> Envelope:
    """Few different numbers: many lines meet in one point, or are the same."""
    state = st.builds(
        Sleep,
        operational=st.sampled_from([False, False, False, True]),
        power=powers.map(lambda n: n + 1),
        entry=SMALL | st.integers(0, 10**5),
        exit=SMALL.map(lambda n: n * 1000) | st.integers(0, 10**5),
    )
    return Envelope(
        base=draw(powers) + 1,
        transition=draw(powers) + 1,
        limit=draw(st.sampled_from([10**9, 20_000])),
        states=[Sleep(True, 0, 0, 0), *draw(st.lists(state, max_size=9))],
        quirks=draw(st.sampled_from([set(), set(), {"no-deepest-ps"}])),
    )


def falling(envelope: Envelope) -> Envelope:
    """The same drive with its powers in the order that NVMe asks for."""
    powers = sorted((s.power for s in envelope.states[1:]), reverse=True)
    states = [
        Sleep(s.operational, power, s.entry, s.exit)
        for s, power in zip(envelope.states[1:], powers)
    ]
    return replace(envelope, states=[envelope.states[0], *states])


def table_of(envelope: Envelope) -> ssdpm.ApstTable:
    states = [
        PowerState(
            s.operational,
            max_power_uw=s.power + 1,
            idle_power_uw=s.power,
            entry_latency_us=s.entry,
            exit_latency_us=s.exit,
        )
        for s in envelope.states
    ]
    return ssdpm.apst(
        ssdpm.Model.from_states(states),
        algorithm="lower-envelope",
        idle_power_uw=envelope.base,
        transition_power_uw=envelope.transition,
        max_exit_latency_us=envelope.limit,
        quirks=envelope.quirks,
    )


@settings(max_examples=1000)
@given(envelopes())
@example(Envelope(30, 1, 10**9, [Sleep(True, 0, 0, 0), Sleep(False, 5, 9, 0)]))
def test_the_table_is_that_of_the_slow_model(envelope: Envelope) -> None:
    table = table_of(envelope)
    assert rows(table) == envelope.table()
    verdicts_fit(table)


@settings(max_examples=300)
@given(envelopes(st.integers(0, 4 * 10**6)))
def test_so_it_is_with_powers_of_real_size(envelope: Envelope) -> None:
    envelope = falling(envelope)
    table = table_of(envelope)
    assert rows(table) == envelope.table()
    verdicts_fit(table)


def moments(envelope: Envelope) -> list[Fraction]:
    """Before, at and after each threshold, and far beyond."""
    times = envelope.thresholds
    near = [t + d for t in times for d in (Fraction(-1, 10**9), 0, Fraction(1, 10**9))]
    middle = [(a + b) / 2 for a, b in pairs(times)]
    beyond = [Fraction(10**12), Fraction(1, 10**9)]
    return [t for t in [*near, *middle, *beyond] if t >= 0]


@settings(max_examples=300)
@given(envelopes())
def test_it_costs_the_optimum_and_the_overhead_of_where_it_ends(
    envelope: Envelope,
) -> None:
    times, steps = envelope.thresholds, envelope.steps
    assert times == sorted(times)
    for idle in moments(envelope):
        cost, state = envelope.online(times, steps, idle)
        assert cost == envelope.optimum(idle) + envelope.overhead(state)
        assert cost <= 2 * envelope.optimum(idle)


@settings(max_examples=300)
@given(envelopes())
def test_where_powers_fall_no_state_is_cheaper_than_the_optimum(
    envelope: Envelope,
) -> None:
    envelope = falling(envelope)
    everything = [0, *envelope.candidates()]
    for idle in moments(envelope):
        assert envelope.optimum(idle) == min(envelope.cost(n, idle) for n in everything)


@settings(max_examples=300)
@given(envelopes())
def test_whole_milliseconds_cost_no_more_than_their_delay(envelope: Envelope) -> None:
    """Late by a time d, a step costs at most d times what it saves."""
    steps, exact = envelope.steps, envelope.thresholds
    table = rows(table_of(envelope))
    times, state, passed = [], 0, 0
    for _ in steps[1:]:
        target, idle_ms = table[state]
        passed += idle_ms
        times.append(Fraction(passed * 1000))
        state = target
    late = [b - a for a, b in zip(exact, times)]
    assert all(0 <= delay <= 1000 * n for n, delay in enumerate(late, 1))
    most = sum(
        delay * (envelope.power(a) - envelope.power(b))
        for delay, (a, b) in zip(late, pairs(steps))
    )
    for idle in [*moments(envelope), *times]:
        cost, _ = envelope.online(times, steps, idle)
        assert cost <= envelope.online(exact, steps, idle)[0] + most
        assert cost <= 2 * envelope.optimum(idle) + most


def laptop(idle_power_uw: int | None) -> ssdpm.Model:
    """Overheads of 7.35 and 21.975 mJ at 0.5 W."""
    return ssdpm.Model.from_states(
        [
            PowerState(True, max_power_uw=3_500_000, idle_power_uw=idle_power_uw),
            PowerState(
                False, max_power_uw=25_000,
                entry_latency_us=4000, exit_latency_us=10_900,
            ),
            PowerState(
                False, max_power_uw=5000,
                entry_latency_us=5000, exit_latency_us=39_000,
            ),
        ]
    )  # fmt: skip


def test_the_worked_example_of_the_lower_envelope() -> None:
    states = [Sleep(True, 0, 0, 0), Sleep(False, 25_000, 4000, 10_900),
              Sleep(False, 5000, 5000, 39_000)]  # fmt: skip
    slow = Envelope(500_000, 500_000, 100_000, states)
    first, second = slow.thresholds
    assert [slow.overhead(n) for n in (1, 2)] == [7_350_000_000, 21_975_000_000]
    assert round(float(first), 3) == 15473.684 and second == 731_250

    def ratio(idle: Fraction) -> float:
        cost, _ = slow.online([first, second], [0, 1, 2], idle)
        return float(cost / slow.optimum(idle))

    assert [round(ratio(t), 6) for t in (first, second)] == [1.95, 1.857352]
    table = ssdpm.apst(laptop(500_000), algorithm="lower-envelope")
    assert table.entries == (ApstEntry(0, 1, 16), ApstEntry(1, 2, 716))
    assert rows(table) == slow.table()


@pytest.mark.parametrize(
    ("arguments", "entries"),
    [
        ({"idle_power_uw": 500_000}, [(0, 1, 16), (1, 2, 716)]),
        ({"idle_power_uw": 1_000_000}, [(0, 1, 16), (1, 2, 1443)]),
        (
            {"idle_power_uw": 500_000, "transition_power_uw": 2_000_000},
            [(0, 1, 63), (1, 2, 2851)],
        ),
        ({"idle_power_uw": 25_000}, [(0, 2, 54), (1, 2, 54)]),
        ({"idle_power_uw": 5000}, []),
    ],
)
def test_the_powers_may_be_given(
    arguments: dict[str, Any], entries: Sequence[tuple[int, int, int]]
) -> None:
    table = ssdpm.apst(laptop(None), algorithm="lower-envelope", **arguments)
    assert [(e.state, e.target, e.idle_ms) for e in table.entries] == list(entries)


def test_a_power_that_nobody_knows_is_an_error_and_not_zero() -> None:
    with pytest.raises(ssdpm.UnknownValueError, match="PS0: .*: give idle_power_uw$"):
        ssdpm.apst(laptop(None), algorithm="lower-envelope")
    model = ssdpm.Model.from_states(
        [
            PowerState(True, idle_power_uw=5),
            PowerState(False, entry_latency_us=1, exit_latency_us=1),
        ]
    )
    with pytest.raises(ssdpm.UnknownValueError, match="^PS1: idle_power_uw and max_"):
        ssdpm.apst(model, algorithm="lower-envelope")


def test_a_threshold_that_no_entry_holds_is_a_rangeerror() -> None:
    model = ssdpm.Model.from_states(
        [
            PowerState(True, idle_power_uw=1000),
            PowerState(
                False, idle_power_uw=999, entry_latency_us=0, exit_latency_us=16777216
            ),
        ]
    )
    with pytest.raises(ssdpm.RangeError, match="^PS0 to PS1: idle time 16777216 ms; "):
        ssdpm.apst(model, algorithm="lower-envelope", max_exit_latency_us="any")
