# SPDX-License-Identifier: MIT
"""Ranges over all powers that a drive can have, against a solver of linear programs."""

from __future__ import annotations

import dataclasses
import os
import random
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog  # type: ignore[import-untyped]

import ssdpm
from made import MS
from ssdpm import PowerState, Trace

N_CASES = 10_000 // 10 if "SSDPM_FEW_CASES" in os.environ else 10_000
OPS = ("read", "write", "flush", "discard")
TRACES = [
    Trace.from_columns(
        start_ns=np.cumsum([0, *gaps]) * MS,
        op=[OPS[i % 3] for i in range(len(gaps) + 1)],
        bytes=4096,
        service_ns=100_000,
    )
    for gaps in ([50, 400, 3, 9_000], [5] * 9, [120, 700, 700], [30_000], [1])
]


def make_model(rng: random.Random) -> ssdpm.Model:
    n = rng.choice([1, 2, 3, 5, 8])
    states = [PowerState(True, max_power_uw=6_000_000, entry_latency_us=0)]
    for _ in range(n):
        states.append(
            PowerState(
                rng.random() < 0.2 and not any(not s.operational for s in states),
                max_power_uw=rng.choice([3_000_000, 1_000_000, 50_000, 5_000]),
                entry_latency_us=rng.choice([1, 500, 5_000]),
                exit_latency_us=rng.choice([1, 900, 40_000]),
            )
        )
    return ssdpm.Model.from_states(states, apsta=1)


def certain(model: ssdpm.Model, latency: str) -> dict[str, int]:
    """A latency of each sleeping state, as it is declared."""
    return {
        f"PS{i}": getattr(state, latency)
        for i, state in enumerate(model.power_states)
        if not state.operational
    }


def three(rng: random.Random) -> tuple[int, int, int]:
    """A range; few values, so that ends meet and contradict each other."""
    powers = [0, 1, 5_000, 40_000, 300_000, 1_000_000, rng.randrange(3_000_000)]
    low, nominal, high = sorted(rng.choice(powers) for _ in range(3))
    return low, nominal, high


def make_parameters(
    rng: random.Random, model: ssdpm.Model
) -> tuple[ssdpm.Parameter, ...]:
    service = {op: 100_000 for op in OPS}
    return ssdpm.parameters(
        model,
        idle_power_uw=[three(rng) for _ in model.power_states],
        active_power_uw={op: three(rng) for op in OPS},
        transition_power_uw=three(rng),
        link_power_uw=three(rng),
        entry_latency_us=certain(model, "entry_latency_us"),
        exit_latency_us=certain(model, "exit_latency_us"),
        base_latency_ns=service,
        bandwidth_bytes_per_second=dict.fromkeys(OPS[:2], 10**9),
    )


def make_table(rng: random.Random, model: ssdpm.Model) -> ssdpm.ApstTable | None:
    """Some chain through the sleeping states; another one each time."""
    sleeping = [i for i, s in enumerate(model.power_states) if not s.operational]
    chosen = sorted(rng.sample(sleeping, rng.randrange(len(sleeping) + 1)))
    if not chosen:
        return None
    entries = [0] * 32
    for source, target in zip([0, *chosen], chosen):
        entries[source] = target << 3 | rng.choice([1, 10, 100, 2_000]) << 8
    return ssdpm.ApstTable.from_data(np.array(entries, "<u8").tobytes())


def weights(run: ssdpm.Run) -> np.ndarray[Any, Any]:
    """By what each power counts in the energy of a run: seconds."""
    n = len(run.states)
    idle = [state.time_ns for state in run.states]
    moving = sum(state.entry_ns + state.exit_ns for state in run.states)
    return np.array([*idle, *run.busy_ns_by_op, moving, sum(idle[1:])]) / 1e9


def ordered_pairs(
    parameters: tuple[ssdpm.Parameter, ...], estimate: ssdpm.Estimate
) -> list[tuple[int, int]]:
    """Numbers of two parameters, of which the first is no less than the second."""
    n = sum(p.kind == "idle_power_uw" for p in parameters)
    pairs = [(i - 1, i) for i in range(1, n) if i not in estimate.loose_states]
    actives = [i for i, op in enumerate(OPS) if op not in estimate.loose_ops]
    return pairs + [(n + i, 0) for i in actives]


def test_savings_are_the_exact_extremes_over_the_powers() -> None:
    rng = random.Random(19)
    widest = loose = 0
    for _ in range(N_CASES):
        model = make_model(rng)
        parameters = make_parameters(rng, model)
        tables = {name: make_table(rng, model) for name in ("one", "other")}
        found = ssdpm.compare(
            model, rng.choice(TRACES), tables, likely=False, parameters=parameters
        )
        if len(found) == 1:
            continue
        one, other = found
        powers = [p for p in parameters if p.kind.endswith("_power_uw")]
        pairs = ordered_pairs(parameters, one.estimate)
        weight = weights(one.estimate.nominal) - weights(other.estimate.nominal)
        matrix = np.zeros((len(pairs), len(powers)))
        for row, (upper, lower) in enumerate(pairs):
            matrix[row, upper], matrix[row, lower] = -1, 1
        for sign, got in ((1, other.saving.low_nj), (-1, other.saving.high_nj)):
            solved = linprog(
                sign * weight,
                A_ub=matrix if pairs else None,
                b_ub=np.zeros(len(pairs)) if pairs else None,
                bounds=[(p.low, p.high) for p in powers],
            )
            assert solved.status == 0, solved.message
            # uW x s is uJ. The nominal powers need not be in the order.
            extreme = sign * min(solved.fun * 1e3, sign * other.saving.nominal_nj)
            assert got == pytest.approx(extreme, rel=1e-7, abs=20)
        widest += other.saving.low_nj < 0 < other.saving.high_nj
        loose += bool(one.estimate.loose_states)
    assert widest > N_CASES / 20 and loose > N_CASES / 20


POLICIES = ("linux", "linux-legacy", "windows:balanced:battery", "none")
LPM_POLICIES = ("max_performance", "medium_power", "med_power_with_dipm", "min_power")
N_DRAWS = 10_000 // 10 if "SSDPM_FEW_CASES" in os.environ else 10_000
WORKLOADS = [ssdpm.generate(name, n_ios=60) for name in ("lomax", "apst-6", "apst-7")]
TIMES = ("entry_latency_us", "exit_latency_us", "base_latency_ns", "link_idle_time_us",
         "bandwidth_bytes_per_second")  # fmt: skip


def widened(
    rng: random.Random, parameters: tuple[ssdpm.Parameter, ...]
) -> tuple[ssdpm.Parameter, ...]:
    """Latencies that may be wrong by as much as any that was measured."""
    factor = rng.choice([1, 1, 2, 7])
    return tuple(
        dataclasses.replace(p, low=p.low // factor, high=p.high * factor)
        if p.kind in TIMES[:2]
        else p
        for p in parameters
    )


def drawn(
    rng: random.Random, parameters: tuple[ssdpm.Parameter, ...], share: float
) -> tuple[ssdpm.Parameter, ...]:
    """With a share of them certain: an end of its range, or a value within.

    Powers are in order: from the deepest state up none is below the last one.
    """
    found = list(parameters)
    at = {(p.kind, p.index): i for i, p in enumerate(found)}
    n_states = sum(p.kind == "idle_power_uw" for p in found)
    keys = [("idle_power_uw", i) for i in reversed(range(n_states))]
    keys += [("active_power_uw", i) for i in range(len(OPS))]
    keys += [key for key in at if key not in keys]
    least = 0
    for kind, index in keys:
        p = found[at[kind, index]]
        ordered = kind in ("idle_power_uw", "active_power_uw")
        low = max(p.low, least) if ordered else p.low
        value = rng.choice([low, p.high, rng.randint(low, p.high)])
        least = value if kind == "idle_power_uw" else least
        if rng.random() < share:
            found[at[kind, index]] = dataclasses.replace(
                p, low=value, nominal=value, high=value
            )
    return tuple(found)


def holds(outer: Any, inner: Any, unit: str) -> bool:
    """Is one range within the other, but for rounding?"""
    low, high = f"low_{unit}", f"high_{unit}"
    return bool(
        getattr(outer, low) - 1 <= getattr(inner, low)
        and getattr(inner, high) <= getattr(outer, high) + 1
    )


RANGES = ("energy_nj", "mean_power_uw", "delay_sum_ns", "delay_p99_ns", "delay_max_ns",
          "n_wakes", "duration_ns")  # fmt: skip


def check_run(before: ssdpm.Estimate, after: ssdpm.Estimate) -> None:
    """Energy and delays of what is known better are no less, and no more."""
    for name in RANGES:
        runs = (before.low, after.low, after.high, before.high)
        ends = [getattr(run, name) for run in runs]
        assert ends == sorted(ends), (name, ends)


def check_means(policy: ssdpm.ComparedPolicy) -> None:
    """However uncertain the end is, no mean is beyond the powers of the drive."""
    highs: dict[str, int] = {}
    for p in policy.estimate.parameters:
        if p.kind.endswith("_power_uw"):
            highs[p.kind] = max(highs.get(p.kind, 0), p.high)
    asleep = highs["idle_power_uw"] + highs["link_power_uw"]
    most = max(asleep, highs["active_power_uw"], highs["transition_power_uw"]) + 1
    assert policy.estimate.high.mean_power_uw <= most
    assert -most <= policy.saving.low_uw and policy.saving.high_uw <= most


def test_what_is_known_better_stays_within_what_was_possible() -> None:
    rng = random.Random(1)
    products = sorted({row.product for row in ssdpm.Catalogue()})
    models = [ssdpm.Model.catalogue(name) for name in products]
    # A hard disk is not estimated.
    drives = [one for one in models if not (one.sata and one.sata.rotational)]
    narrower = timed = 0
    for number in range(N_DRAWS):
        model, trace = rng.choice(drives), rng.choice(WORKLOADS)
        policies = POLICIES if model.kind == "nvme" else LPM_POLICIES
        guessed = widened(rng, ssdpm.parameters(model))
        wide = ssdpm.compare(
            model, trace, policies, likely=False, parameters=guessed
        )
        share = rng.choice([0.2, 0.6, 1])
        parameters = drawn(rng, wide[0].estimate.parameters, share)
        known = ssdpm.compare(
            model, trace, policies, likely=False, parameters=parameters
        )
        assert not known[0].estimate.loose_states
        after_of = {name: policy for policy in known for name in policy.names}
        for before in wide:
            check_means(before)
            after = after_of[before.names[0]]
            assert holds(before.saving, after.saving, "nj"), (number, before, after)
            assert holds(before.saving, after.saving, "uw"), (number, before, after)
            check_run(before.estimate, after.estimate)
        widths = [one[-1].saving.high_uw - one[-1].saving.low_uw for one in (wide, known)]
        narrower += widths[1] < widths[0]
        timed += any(p.kind in TIMES and p.low != p.high for p in guessed)
    assert narrower > N_DRAWS / 4 and timed > N_DRAWS / 2


def idle_ranges(estimate: ssdpm.Estimate) -> list[tuple[int, int]]:
    return [(p.low, p.high) for p in estimate.parameters if p.kind == "idle_power_uw"]


def test_what_is_stated_is_not_narrowed_by_what_is_assumed() -> None:
    model = ssdpm.Model.catalogue("WDC PC SN530")
    trace = WORKLOADS[0]
    wide = ssdpm.parameters(model, idle_power_w={"PS0": (2, 5, 8)})
    stated = ssdpm.estimate(model, trace, parameters=wide)
    assert idle_ranges(stated)[0] == (2_000_000, 8_000_000)
    assert not stated.loose_ops
    for watts in (2, 5, 8):
        known = ssdpm.parameters(model, idle_power_w={"PS0": watts})
        one = ssdpm.estimate(model, trace, parameters=known)
        assert stated.low.energy_nj <= one.nominal.energy_nj <= stated.high.energy_nj


def test_a_state_between_two_that_contradict_is_in_order_with_neither() -> None:
    model = ssdpm.Model.catalogue("WDC PC SN530")
    savings = []
    for middle in ((0.01, 0.2, 0.5), 0.1, 0.4):
        idle = {"PS2": 0.2, "PS4": 0.3, "PS3": middle}
        parameters = ssdpm.parameters(model, idle_power_w=idle)
        found = ssdpm.compare(model, WORKLOADS[0], ["none", "linux"], parameters=parameters)
        savings.append(found[1].saving)
        assert {3, 4} == set(found[1].estimate.loose_states)
    assert all(holds(savings[0], one, "nj") for one in savings[1:])


def test_ranges_do_not_depend_on_the_order_of_the_policies() -> None:
    drive = ssdpm.Model.catalogue("Samsung SSD 860 EVO 4TB")
    parameters = tuple(
        dataclasses.replace(p, low=p.nominal, high=p.nominal)
        if p.kind == "link_idle_time_us"
        else p
        for p in ssdpm.parameters(drive)
    )
    policies = ["keep_firmware_settings", "max_performance", "medium_power"]
    ranges = []
    for names in (policies, policies[::-1]):
        found = ssdpm.compare(drive, WORKLOADS[1], names, parameters=parameters)
        ranges.append({n: found[n].estimate.high.energy_nj for n in policies})
    assert ranges[0] == ranges[1]
