# SPDX-License-Identifier: MIT
"""What policies cost: properties that hold for all drives, tables and traces."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
import pickle
import threading
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings

import ssdpm
from made import MS, drives, records, traces
from ssdpm import PerOp, PowerState, Run, Trace, _core

LOOPS = st.sampled_from(["closed", "open"])
WORDS = st.sampled_from(["linux", "linux-legacy", "windows:balanced:battery", "none"])
LIMITS = st.sampled_from([0, 1_000, 10_000, 100_000]) | st.integers(0, 60_000)
MEMBERS = [field.name for field in fields(Run) if field.name not in ("states",)]
STATE_MEMBERS = [field.name for field in fields(ssdpm.Residency)]


@pytest.fixture
def trace() -> Trace:
    """I/Os before which the drive sleeps, or does not, and two at once."""
    return Trace.from_columns(
        start_ns=[0, 50 * MS, 400 * MS, 401 * MS, 9_000 * MS],
        op=["read", "write", "read", "read", "write"],
        bytes=4096,
        service_ns=[100_000, 100_000, 5 * MS, 5 * MS, 100_000],
    )


def numbers(run: Run) -> dict[str, int]:
    """All numbers of a run by name."""
    values: dict[str, int] = {}
    for name in MEMBERS:
        value = getattr(run, name)
        if isinstance(value, tuple):
            values.update({f"{name}_{i}": number for i, number in enumerate(value)})
        else:
            values[name] = value
    for state in run.states:
        values.update(
            {f"ps{state.state}_{name}": getattr(state, name) for name in STATE_MEMBERS}
        )
    return values


@given(drives(), traces(), WORDS, LOOPS, st.booleans())
def test_residencies_add_up_to_the_duration(
    model: ssdpm.Model, trace: Trace, word: str, loop: str, from_start: bool
) -> None:
    estimate = ssdpm.estimate(model, trace, word, loop=loop, idle_from_start=from_start)
    run = estimate.nominal
    assert run.duration_ns == run.busy_ns + run.idle_ns + run.entry_ns + run.exit_ns
    assert run.idle_ns == sum(state.time_ns for state in run.states)
    assert run.entry_ns == sum(state.entry_ns for state in run.states)
    assert run.exit_ns == sum(state.exit_ns for state in run.states)
    assert run.busy_ns == sum(run.busy_ns_by_op)
    assert run.n_wakes == sum(state.n_wakes for state in run.states)
    continued = (trace.flags & _core.energy.IO_CONTINUED) != 0
    assert sum(run.n_ios) == len(trace) - continued.sum()
    assert sum(run.bytes) == trace.bytes.sum(dtype=object)
    assert sum(estimate.delays.counts.tolist()) == sum(run.n_ios)


# Two at once, of which one discards: with other service times the drive is busy longer
# with the other, so the least energy is at no corner.
AT_ONCE = Trace.from_columns(
    start_ns=[0, 0],
    op=["discard", "read"],
    bytes=0,
    service_ns=[ssdpm.SERVICE_UNKNOWN, 50_000],
)
ONE_STATE = ssdpm.Model.from_states(
    [PowerState(True, max_power_uw=4_000_000)], apsta=1
)


@given(drives(), traces(), WORDS, LOOPS)
@example(ONE_STATE, AT_ONCE, "linux", "closed")
def test_low_nominal_and_high_are_in_order(
    model: ssdpm.Model, trace: Trace, word: str, loop: str
) -> None:
    estimate = ssdpm.estimate(model, trace, word, loop=loop)
    low, nominal, high = map(numbers, (estimate.low, estimate.nominal, estimate.high))
    for name, value in nominal.items():
        assert low[name] <= value <= high[name], name
    for axis_low, axis_high in estimate.axis_energy_nj.values():
        assert low["energy_nj"] <= axis_low <= nominal["energy_nj"]
        assert nominal["energy_nj"] <= axis_high <= high["energy_nj"]
    assert (estimate.widest_axis is None) or estimate.widest_axis in estimate.axes
    assert 0 <= estimate.assumed_share <= 1


@given(drives(), traces(), WORDS)
def test_energy_lies_between_the_clairvoyant_and_the_highest_power(
    model: ssdpm.Model, trace: Trace, word: str
) -> None:
    run = ssdpm.estimate(model, trace, word).nominal
    best = ssdpm.clairvoyant(model, trace)
    powers = [
        p.nominal for p in ssdpm.parameters(model) if p.kind.endswith("_power_uw")
    ]
    link = next(p.nominal for p in ssdpm.parameters(model) if p.kind == "link_power_uw")
    assert best.energy_nj <= run.energy_nj
    # uW x ns = fJ; the energy is rounded to nJ
    assert run.energy_nj <= (max(powers) + link) * run.duration_ns // 10**6 + 1


@given(drives(), traces(), LIMITS, LIMITS, WORDS)
def test_a_smaller_latency_limit_never_uses_a_deeper_state(
    model: ssdpm.Model, trace: Trace, one: int, other: int, word: str
) -> None:
    assume(word in ("linux", "linux-legacy"))
    deepest = []
    for limit in sorted((one, other)):
        table = ssdpm.apst(model, algorithm=word, max_exit_latency_us=limit)
        run = ssdpm.estimate(model, trace, table).nominal
        deepest.append(max((s.state for s in run.states if s.n_entries), default=0))
    assert deepest[0] <= deepest[1]


@given(drives(), traces(), st.sampled_from(["linux", "windows:balanced:ac"]))
def test_the_loops_agree_where_nothing_is_delayed(
    model: ssdpm.Model, trace: Trace, word: str
) -> None:
    states = [
        replace(state, entry_latency_us=0, exit_latency_us=0)
        for state in model.power_states
    ]
    quick = ssdpm.Model.from_states(states, apsta=1)
    runs = [
        ssdpm.estimate(quick, trace, word, loop=loop).nominal
        for loop in ("closed", "open")
    ]
    assert runs[0].n_delayed == 0
    assert runs[0] == runs[1]
    never = [ssdpm.estimate(model, trace, None, loop=o) for o in ("closed", "open")]
    assert never[0].nominal == never[1].nominal
    assert (never[0].low, never[0].high) == (never[1].low, never[1].high)


@given(drives(), traces(), WORDS, LOOPS, st.integers(1, 5))
def test_feeding_in_pieces_is_feeding_at_once(
    model: ssdpm.Model, trace: Trace, word: str, loop: str, piece: int
) -> None:
    options: dict[str, Any] = {"loop": loop, "changes": True, "interval_ns": 10**8}
    at_once = ssdpm.estimate(model, trace, word, **options)
    simulation = ssdpm.Simulation(model, word, **options)
    for first in range(0, len(trace), piece):
        simulation.feed(trace[first : first + piece])
    assert simulation.finish() == at_once
    pieces = (trace.records[i : i + 1] for i in range(len(trace)))
    assert ssdpm.estimate(model, pieces, word, **options) == at_once


@given(drives(), traces(), WORDS, LOOPS, st.integers(0, 10**10))
def test_changes_and_intervals_are_the_nominal_run(
    model: ssdpm.Model, trace: Trace, word: str, loop: str, after: int
) -> None:
    estimate = ssdpm.estimate(
        model,
        trace,
        word,
        loop=loop,
        changes=True,
        interval_ns=10**9,
        end_ns=int(trace.start_ns[-1]) + after,
    )
    run, changes, intervals = estimate.nominal, estimate.changes, estimate.intervals
    assert changes is not None and intervals is not None
    lengths = np.diff(changes["time_ns"].astype(object))
    sums = {
        phase: sum(lengths[changes["phase"][:-1] == number])
        for phase, number in ssdpm.PHASES.items()
        if phase != "end"
    }
    assert sums["busy"] == run.busy_ns
    assert sums["entry"] == run.entry_ns
    assert sums["exit"] == run.exit_ns
    assert sums["idle"] + sums["resident"] == run.idle_ns
    assert changes["phase"][-1] == ssdpm.PHASES["end"]
    assert not changes.flags.writeable
    totals = {
        name: sum(intervals[name].tolist()) for name in ssdpm.interval_dtype.names or ()
    }
    assert totals["busy_ns"] == run.busy_ns
    assert totals["idle_ns"] + totals["asleep_ns"] == run.idle_ns
    assert totals["transition_ns"] == run.entry_ns + run.exit_ns
    assert totals["n_ios"] == sum(run.n_ios)
    assert totals["delay_sum_ns"] == run.delay_sum_ns
    assert abs(totals["energy_nj"] - run.energy_nj) <= 1


@settings(max_examples=50)
@given(drives(), traces())
def test_a_saving_at_the_nominal_corner_is_the_difference(
    model: ssdpm.Model, trace: Trace
) -> None:
    comparison = ssdpm.compare(model, trace, ["linux", "none", "linux-legacy"])
    first = comparison.policies[0].estimate
    assert ssdpm.compare(model, trace, ["linux"])[0].estimate == ssdpm.estimate(
        model, trace
    )
    for policy in comparison:
        other = policy.estimate
        nominal = first.nominal.energy_nj - other.nominal.energy_nj
        assert policy.saving.nominal_nj == nominal
        assert policy.saving.low_nj <= nominal <= policy.saving.high_nj
        # One interval minus the other is never narrower, but for rounding.
        assert policy.saving.low_nj + 1 >= first.low.energy_nj - other.high.energy_nj
        assert policy.saving.high_nj - 1 <= first.high.energy_nj - other.low.energy_nj
    same = comparison["linux"].saving
    assert same == ssdpm.Saving(0, 0, 0, 0, 0, 0)


@settings(max_examples=50)
@given(drives(), traces(), st.lists(WORDS, min_size=1, max_size=4))
def test_a_sweep_is_the_nominal_run_of_each_table(
    model: ssdpm.Model, trace: Trace, words: list[str]
) -> None:
    rows = ssdpm.sweep(model, trace, words)
    assert rows["name"].tolist() == words
    for row, word in zip(rows, words):
        run = ssdpm.estimate(model, trace, word).nominal
        for name in MEMBERS:
            if name in ("busy_ns_by_op", "n_ios", "bytes"):
                for op, number in zip(ssdpm.OPS, getattr(run, name)):
                    assert row[f"{name.replace('_by_op', '')}_{op}"] == number
            elif "_p" not in name:  # quantiles are exact here
                assert row[name] == getattr(run, name), name
        for state in run.states:
            for name in STATE_MEMBERS[1:]:
                assert row[f"ps{state.state}_{name}"] == getattr(state, name)
        assert row["energy_j"] == run.energy_j
        assert row["mean_power_w"] == run.mean_power_w


def test_a_sweep_is_a_dataframe_and_takes_idle_times(
    model: ssdpm.Model, trace: Trace
) -> None:
    tables = {
        f"limit {us}": ssdpm.apst(model, max_exit_latency_us=us)
        for us in (0, 20_000, 100_000)
    }
    gaps = ssdpm.Gaps(trace)
    frame = pd.DataFrame(ssdpm.sweep(model, gaps, tables))
    assert frame["name"].tolist() == list(tables)
    assert frame["energy_j"].is_monotonic_decreasing
    assert frame.equals(pd.DataFrame(ssdpm.sweep(model, trace, tables)))
    assert len(ssdpm.sweep(model, gaps, [])) == 0
    assert len(gaps) == 3
    assert gaps.idle_ns.tolist() == [49_900_000, 349_900_000, 8_594_000_000]
    assert not gaps.idle_ns.flags.writeable
    with pytest.raises(ValueError, match=r"^end_ns: the idle times are those of a"):
        ssdpm.sweep(model, gaps, tables, end_ns=10**12)


def test_idle_times_are_copied_and_pickled_and_answer_the_same(
    model: ssdpm.Model, trace: Trace
) -> None:
    tables = [ssdpm.apst(model, max_exit_latency_us=us) for us in (0, 20_000, 100_000)]
    gaps = ssdpm.Gaps((trace[i : i + 1] for i in range(len(trace))), end_ns=10**11)
    twins = [ssdpm.Gaps(trace, end_ns=10**11), copy.copy(gaps), copy.deepcopy(gaps)]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        twins.append(pickle.loads(pickle.dumps(gaps, protocol)))
    for twin in twins:
        assert twin == gaps and not twin != gaps
        assert repr(twin) == repr(gaps)
        assert twin.idle_ns.tolist() == gaps.idle_ns.tolist()
        assert not twin.idle_ns.flags.writeable
        wanted = ssdpm.sweep(model, gaps, tables)
        assert ssdpm.sweep(model, twin, tables).tobytes() == wanted.tobytes()
        assert ssdpm.clairvoyant(model, twin) == ssdpm.clairvoyant(model, gaps)
        assert ssdpm.best_table(model, twin) == ssdpm.best_table(model, gaps)
    with pytest.raises(TypeError, match="unhashable"):
        hash(gaps)


def test_idle_times_of_other_work_are_not_equal(trace: Trace) -> None:
    gaps = ssdpm.Gaps(trace)
    larger = trace.records.copy()
    larger["bytes"][2] += 512
    assert ssdpm.Gaps(Trace.from_records(larger)) != gaps
    assert ssdpm.Gaps(trace, end_ns=10**11) != gaps
    assert ssdpm.Gaps(trace[:-1]) != gaps
    assert gaps != 3
    assert gaps != trace


@given(traces(), st.integers(0, 10_000 * MS))
def test_idle_times_of_every_trace_come_back_from_a_pickle(
    trace: Trace, end_ns: int
) -> None:
    gaps = ssdpm.Gaps(trace, end_ns=end_ns)
    assert pickle.loads(pickle.dumps(gaps)) == gaps
    assert ssdpm.Gaps(iter([trace]), end_ns=end_ns) == gaps


def test_idle_times_from_other_bytes_are_refused(trace: Trace) -> None:
    rebuild, (data, _) = ssdpm.Gaps(trace).__reduce__()
    for wrong in (b"", data[:-1], data + b"\0", b"x" + data[1:]):
        with pytest.raises(ssdpm.FormatError, match=r"^gaps: "):
            rebuild(wrong)


def test_the_default_is_what_linux_does(model: ssdpm.Model, trace: Trace) -> None:
    estimate = ssdpm.estimate(model, trace)
    table = ssdpm.apst(model)
    assert estimate.table == table
    for same in ("linux", ssdpm.Algorithm.LINUX, table):
        assert ssdpm.estimate(model, trace, same) == estimate
    assert estimate.nominal.n_wakes == 2
    for never in (None, "none"):
        awake = ssdpm.estimate(model, trace, never)
        assert awake.table is None
        assert awake.nominal.n_wakes == 0 == awake.nominal.n_delayed
    assert estimate.nominal.energy_nj < awake.nominal.energy_nj


def test_the_quirks_of_linux_count(model: ssdpm.Model, trace: Trace) -> None:
    sn550 = ssdpm.Model.from_states(
        model.states, product="WDC WDS500G2B0C-00PXH0", vendor_id=0x15B7, apsta=1
    )
    states = ssdpm.estimate(sn550, trace).states
    assert [s.state for s in states if s.n_entries] == [3]
    assert ssdpm.estimate(model, trace).states[4].n_entries == 1


def test_delays_are_those_of_the_states(model: ssdpm.Model, trace: Trace) -> None:
    run = ssdpm.estimate(model, trace).nominal
    # From PS3 10 ms: the I/O after 350 ms, and 1 ms less for the one that is there
    # when it wakes. From PS4 45 ms.
    assert (run.n_delayed, run.delay_sum_ns) == (3, (10 + 9 + 45) * MS)
    assert run.delay_max_ns == 45 * MS
    assert run.delay_max_s == 0.045
    assert run.delayed_share == 0.6
    assert run.duration_s == run.duration_ns / 1e9
    assert (run.delay_mean_s, run.delay_p99_s) == (0.0128, 0.045)
    idle = ssdpm.estimate(model, trace, end_ns=20_000 * MS).nominal
    assert idle.duration_ns == 20_000 * MS + 55 * MS
    assert idle.n_wakes == run.n_wakes
    assert idle.states[4].n_entries == 2


def test_idle_times_may_count_from_the_start(model: ssdpm.Model) -> None:
    trace = Trace.from_columns(start_ns=[0, 2_050 * MS], service_ns=0)
    assert ssdpm.estimate(model, trace).states[4].n_entries == 0
    early = ssdpm.estimate(model, trace, idle_from_start=True)
    assert early.states[4].n_entries == 1


def test_a_sata_drive_has_link_policies(trace: Trace) -> None:
    drive = ssdpm.Model.catalogue("Samsung SSD 860 EVO 4TB")
    default = ssdpm.estimate(drive, trace)
    assert (default.lpm, default.table) == ("med_power_with_dipm", None)
    assert default == ssdpm.estimate(drive, trace, lpm="med_power_with_dipm")
    awake = ssdpm.estimate(drive, trace, lpm="max_performance")
    assert default.nominal.energy_nj < awake.nominal.energy_nj
    assert default.state_names()[2] == "PS2 slumber"
    comparison = ssdpm.compare(drive, trace)
    assert [p.names for p in comparison] == [
        ("med_power_with_dipm",),
        ("medium_power", "none"),  # the host cannot put the link to sleep
        ("min_power_with_partial", "min_power"),
    ]
    alone = ssdpm.compare(drive, trace, ["none"])
    assert alone["none"].estimate == awake
    ends = {p.estimate.nominal.duration_ns for p in comparison}
    assert ends == {max(p.estimate.own_duration_ns for p in comparison)}
    with pytest.raises(ssdpm.UnsupportedError, match=r"^table: a SATA drive has none"):
        ssdpm.estimate(drive, trace, "windows")
    with pytest.raises(ValueError, match=r"^lpm: 'best' is none of 'keep_firmware_"):
        ssdpm.estimate(drive, trace, lpm="best")
    with pytest.raises(ssdpm.InvalidError, match=r"^lpm: a link policy is for SATA"):
        ssdpm.estimate(ssdpm.Model.catalogue("WDC PC SN530"), trace, lpm="min_power")
    one = {"slumber": 0.05}
    changed = ssdpm.parameters(drive, idle_power_w=one)
    assert [p.nominal for p in changed if p.provenance == "stated"] == [50_000]


def test_what_is_likely_stands_beside_what_is_possible() -> None:
    drive = ssdpm.Model.catalogue("WDC PC SN530")
    trace = ssdpm.generate("lomax", n_ios=900)
    first, *others = ssdpm.compare(drive, trace, ["linux", "none", "linux-legacy"])
    assert first.likely is None
    for one in others:
        likely, saving = one.likely, one.saving
        assert likely is not None and likely.priors_version == 4
        assert saving.low_uw <= likely.low_uw <= likely.median_uw <= likely.high_uw
        assert likely.high_uw <= saving.high_uw and 0 <= likely.saves_share < 0.5
        assert likely.verdict in ("probably-costs", "costs")
        assert likely.decider_kind in ("idle_power_uw", "transition_power_uw")
        assert str(likely).startswith(f"{likely.verdict.replace('-', ' ')} ")
        assert f" {-likely.median_uw / 1e3:.4g} mW (likely " in str(likely)
        assert str(likely) in repr(ssdpm.compare(drive, trace, ["linux", *one.names]))
        unsure = dataclasses.replace(likely, verdict="not-decided")
        assert str(unsure).startswith(f"not decided: cost {-likely.median_uw / 1e3:.4g} mW")
        assert str(dataclasses.replace(unsure, median_uw=5000)).startswith("not decided: 5 mW")
    rows = ssdpm.compare(drive, trace).to_records()
    assert rows["verdict"][0] == "" and rows["verdict"][1] != ""
    assert rows["saving_likely_median_uw"].dtype == np.dtype("i8")
    [alone] = ssdpm.compare(drive, trace, ["linux"], likely=False)
    assert alone.likely is None


def test_a_word_turned_round_is_its_mirror() -> None:
    """Also where the policies do the same on many of the drives that are drawn."""
    mirror = {"saves": "costs", "probably-saves": "probably-costs"}
    mirror |= {other: word for word, other in mirror.items()}
    drive = ssdpm.Model.catalogue("Samsung SSD 860 EVO 500GB")
    seen = set()
    for word in ("apst-7", "lomax", "poisson"):
        trace = ssdpm.generate(word, n_ios=1500)
        names = ["med_power_with_dipm", "min_power", "none"]
        for one, other in itertools.combinations(names, 2):
            there = ssdpm.compare(drive, trace, [one, other])[other].likely
            back = ssdpm.compare(drive, trace, [other, one])[one].likely
            if there is None or back is None:
                continue  # the same policy
            assert back.verdict == mirror.get(there.verdict, there.verdict)
            seen.add(there.verdict)
            if there.verdict in ("costs", "probably-costs"):
                assert there.median_uw < 0 and there.high_uw <= 0 or back.saves_share > 0.8
    assert len(seen) >= 3


def test_what_saves_in_every_case_is_decided_however_little_it_is() -> None:
    catalogue = ssdpm.Catalogue()
    trace = ssdpm.generate("poisson", n_ios=200, mean_idle_ns=20_000 * MS)
    words = set()
    for number in range(0, len(catalogue), 40):
        drive = catalogue.model(number)
        if drive.kind != "nvme":
            continue
        sooner = ssdpm.apst(drive, primary_timeout_ms=50, secondary_timeout_ms=1000)
        found = ssdpm.compare(drive, trace, {"linux": "linux", "sooner": sooner})
        one = found["sooner"]
        if one.likely is None or one.saving.low_uw <= 0:
            continue
        assert one.likely.verdict in ("saves", "too-small")
        words.add(one.likely.verdict)
    assert "saves" in words


def test_a_recommendation_rests_on_what_is_likely() -> None:
    drive = ssdpm.Model.catalogue("WDC PC SN530")
    trace = ssdpm.generate("lomax", n_ios=900)
    for one in ssdpm.recommend(drive, trace, today="none"):
        assert one.likely is not None and one.saving is not None
        assert one.advice == "set" and one.likely.verdict in ("saves", "probably-saves")
        assert str(one.likely) in str(one)
        assert one.saving.low_uw <= one.likely.low_uw < one.likely.high_uw
        assert one.likely.high_uw <= one.saving.high_uw
    # The same saving is one policy against the other.
    found = ssdpm.recommend(drive, trace, today="none")[0]
    assert found.table is not None
    tables = {"none": None, "found": found.table}
    assert found.likely is not None
    compared = ssdpm.compare(drive, trace, tables)["found"].likely
    assert compared == found.likely
    for one in ssdpm.recommend(drive, trace, today="none", likely=False):
        assert one.likely is None


def test_all_policies_are_compared_each_table_once(trace: Trace) -> None:
    drive = ssdpm.Model.catalogue("WDC PC SN530")
    comparison = ssdpm.compare(drive, iter([trace[:2], trace[2:]]))
    names = [name for policy in comparison for name in policy.names]
    assert sorted(names) == sorted(ssdpm.default_policies(drive))
    assert comparison.skipped == {}
    assert comparison.policies[0].names == ("linux",)
    assert comparison[0] is comparison["linux"]
    assert len(comparison) == len(comparison.policies) < len(names)
    never = comparison["none"]
    assert "windows:performance:ac" in never.names
    assert never.estimate.nominal.n_wakes == 0
    with pytest.raises(KeyError):
        comparison["mine"]
    rows = comparison.to_records()
    frame = pd.DataFrame(rows).set_index("names")
    assert frame.loc["linux", "saving_nominal_uw"] == 0
    nominal = never.estimate.nominal
    assert nominal.mean_power_uw in frame["mean_power_nominal_uw"].tolist()
    assert rows["saving_low_nj"].dtype == np.int64
    html = comparison._repr_html_()
    assert "<td>linux</td>" in html and "WDC PC SN530" in html
    assert repr(comparison).count("\n") == len(comparison)


def test_own_tables_are_compared_by_their_names(
    model: ssdpm.Model, trace: Trace
) -> None:
    mine = ssdpm.apst(model, primary_timeout_ms=20)
    comparison = ssdpm.compare(
        model, trace, {"today": "linux", "mine": mine, "again": mine, "off": None}
    )
    assert [p.names for p in comparison] == [("today",), ("mine", "again"), ("off",)]
    assert comparison["again"].estimate.table == mine
    listed = ssdpm.compare(model, trace, [mine, "linux", None])
    assert [p.names for p in listed] == [("table 0",), ("linux",), ("none",)]
    with pytest.raises(ValueError, match="at least one is needed"):
        ssdpm.compare(model, trace, [])
    with pytest.raises(TypeError, match="policies: the name of one: a str is needed, not int"):
        ssdpm.compare(model, trace, {1: mine})  # type: ignore[dict-item]


def test_questions_about_tables_are_for_nvme(trace: Trace) -> None:
    drive = ssdpm.Model.catalogue("Samsung SSD 860 EVO 4TB")
    for ask in (ssdpm.clairvoyant, ssdpm.best_table):
        with pytest.raises((ssdpm.InvalidError, ssdpm.UnsupportedError)):
            ask(drive, trace)
    with pytest.raises(ssdpm.UnsupportedError):
        ssdpm.recommend(drive, trace, today="linux-legacy")
    with pytest.raises((ssdpm.InvalidError, ssdpm.UnsupportedError)):
        ssdpm.sweep(drive, trace, ["linux"])


@pytest.mark.parametrize("likely", [True, False])
def test_a_sata_drive_is_recommended_a_link_policy(trace: Trace, likely: bool) -> None:
    drive = ssdpm.Model.catalogue("Samsung SSD 860 EVO 4TB")
    [usual] = ssdpm.recommend(drive, trace, likely=likely)
    assert (usual.route, usual.advice) == ("link-policy", "keep")
    # The best one, which saves too little to be set.
    assert usual.lpm in ("med_power_with_dipm", "medium_power") and usual.table is None
    assert "leave all as it is" in str(usual)
    found = ssdpm.recommend(drive, trace, max_delay_mean_ns=0, may_cost=True, likely=likely)
    [less] = found
    assert less.advice == "set" and less.today_keeps_bounds is False
    assert less.lpm in ("medium_power", "max_performance")
    assert less.max_exit_latency_us is None and less.primary_timeout_ms is None
    assert str(less).startswith(f"set the link policy to {less.lpm}: ")
    [change] = less.changes
    assert change.target.endswith("/hostN/link_power_management_policy")
    assert change.value == less.lpm
    written = json.loads(found.to_json())["recommendations"][0]
    assert written["lpm"] == less.lpm and "entries" not in written


def test_a_policy_that_a_drive_cannot_have_is_skipped_with_its_reason(
    trace: Trace,
) -> None:
    states = [
        PowerState(True, max_power_uw=10**6),
        PowerState(False, max_power_uw=10**4),
    ]
    unknown = ssdpm.Model.from_states(states, apsta=1)
    try:
        comparison = ssdpm.compare(unknown, trace)
    except ssdpm.UnknownValueError:
        pytest.fail("one policy must not fail all")
    assert "none" in {name for policy in comparison for name in policy.names}
    assert set(comparison.skipped) <= set(ssdpm.default_policies(unknown))
    with pytest.raises(ssdpm.UnknownValueError):
        ssdpm.compare(unknown, trace, ["linux"])
    assert "linux" in comparison.skipped
    assert comparison.skipped["linux"]


def test_parameters_say_what_is_assumed(model: ssdpm.Model) -> None:
    known = ssdpm.parameters(model)
    assert all(p.rule for p in known)
    assert len({(p.kind, p.index) for p in known}) == len(known)
    deepest = next(p for p in known if (p.kind, p.index) == ("idle_power_uw", 4))
    assert (deepest.provenance, deepest.low, deepest.high) == ("reported", 2500, 2500)
    assumed = next(p for p in known if (p.kind, p.index) == ("idle_power_uw", 0))
    assert assumed.provenance == "assumed" and assumed.low < assumed.high
    awake = ssdpm.parameters(model, "l0")
    [link] = [p for p in awake if p.kind == "link_power_uw"]
    assert link.nominal > 0
    assert ssdpm.parameters(model, pcie_link="l1.2") == known


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ({"idle_power_w": {"PS0": 0.5}}, {("idle_power_uw", 0): (500_000,) * 3}),
        ({"idle_power_uw": {4: (1, 2, 3)}}, {("idle_power_uw", 4): (1, 2, 3)}),
        (
            {"idle_power_w": [None, 1, None, (0.1, 0.2, 0.3)]},
            {
                ("idle_power_uw", 1): (10**6,) * 3,
                ("idle_power_uw", 3): (100_000, 200_000, 300_000),
            },
        ),
        (
            {"active_power_w": 2, "transition_power_uw": 7},
            {
                **{("active_power_uw", op): (2_000_000,) * 3 for op in range(4)},
                ("transition_power_uw", 0): (7, 7, 7),
            },
        ),
        (
            {"exit_latency_us": {"PS4": 51_000}, "base_latency_ns": {"write": 5}},
            {
                ("exit_latency_us", 4): (51_000,) * 3,
                ("base_latency_ns", 1): (5, 5, 5),
            },
        ),
        (
            {"link_power_w": (0, np.float32(0.5), np.int64(1))},
            {("link_power_uw", 0): (0, 500_000, 10**6)},
        ),
    ],
)
def test_parameters_are_overridden(
    overrides: dict[str, Any],
    expected: dict[tuple[str, int], tuple[int, int, int]],
    model: ssdpm.Model,
) -> None:
    before = {(p.kind, p.index): p for p in ssdpm.parameters(model)}
    after = {(p.kind, p.index): p for p in ssdpm.parameters(model, **overrides)}
    assert list(after) == list(before)
    changed = {key: p for key, p in after.items() if p.provenance == "stated"}
    assert {k: (p.low, p.nominal, p.high) for k, p in changed.items()} == expected
    assert {k: p for k, p in after.items() if k not in changed} == {
        k: p for k, p in before.items() if k not in changed
    }


@pytest.mark.parametrize(
    ("overrides", "error", "message"),
    [
        (
            {"power": 1},
            TypeError,
            r"^parameters\(\) has no argument 'power'; kinds are",
        ),
        ({"idle_power_w": 0.5}, TypeError, "^idle_power_w: a dict by state is needed"),
        ({"idle_power_w": {"PS9": 1}}, ValueError, "^idle_power_w: 'PS9' is no state"),
        ({"idle_power_w": {9: 1}}, ssdpm.NotFoundError, "."),
        ({"idle_power_w": {0: "1W"}}, TypeError, "^idle_power_w: watts are needed"),
        ({"idle_power_w": {0: -1}}, ssdpm.InvalidError, "^idle_power_w: -1 W is no"),
        ({"idle_power_w": {0: float("nan")}}, ssdpm.InvalidError, "is no power"),
        ({"idle_power_uw": {0: 0.5}}, TypeError, "^idle_power_uw: an integer is"),
        ({"idle_power_uw": {0: (1, 2)}}, ValueError, r"number or \(low, nominal, hi"),
        ({"idle_power_uw": {0: (3, 2, 1)}}, ssdpm.InvalidError, "."),
        ({"idle_power_uw": {0: 2**63}}, ssdpm.RangeError, "."),
        ({"base_latency_ns": {"trim": 1}}, ValueError, "^base_latency_ns: 'trim' is"),
        ({"link_power_uw": True}, TypeError, "^link_power_uw: an integer is needed"),
        ({"pcie_link": "l2"}, ValueError, "^pcie_link: 'l2' is none of 'l0', 'l1'"),
    ],
)
def test_a_bad_override_is_named(
    overrides: dict[str, Any],
    error: type[Exception],
    message: str,
    model: ssdpm.Model,
) -> None:
    with pytest.raises(error, match=message):
        ssdpm.parameters(model, **overrides)


def test_parameters_decide_an_estimate(model: ssdpm.Model, trace: Trace) -> None:
    known = ssdpm.parameters(model)
    estimate = ssdpm.estimate(model, trace, parameters=known)
    assert estimate == ssdpm.estimate(model, trace)
    assert estimate.parameters == known
    certain = [replace(p, low=p.nominal, high=p.nominal) for p in known]
    sure = ssdpm.estimate(model, trace, parameters=certain)
    assert sure.low == sure.nominal == sure.high
    assert (sure.axes, sure.loose_states, sure.widest_axis) == ((), (), None)
    assert sure.nominal == estimate.nominal
    link = ssdpm.estimate(model, trace, pcie_link="l0").nominal
    assert link.energy_nj > estimate.nominal.energy_nj
    with pytest.raises(ssdpm.InvalidError):
        ssdpm.estimate(model, trace, parameters=known[1:])
    with pytest.raises(ssdpm.InvalidError):
        ssdpm.estimate(model, trace, parameters=known + known)
    with pytest.raises(ssdpm.InvalidError, match=r"^parameters: there is none"):
        ssdpm.estimate(model, trace, parameters=[])
    with pytest.raises(TypeError, match=r"^parameters: an ssdpm.Parameter is needed"):
        ssdpm.estimate(model, trace, parameters=[1])  # type: ignore[list-item]


def test_a_bad_trace_is_named_with_its_index(model: ssdpm.Model) -> None:
    array = records(3_000_000)
    array["start_ns"] = 5
    array["start_ns"][2_500_000] = 4
    with pytest.raises(ssdpm.InvalidError, match="2500000"):
        ssdpm.estimate(model, array)
    array["start_ns"] = 5
    array["op"][2_999_999] = 5
    with pytest.raises(ssdpm.InvalidError, match="2999999"):
        ssdpm.estimate(model, iter([array[:1000], array[1000:]]))
    with pytest.raises(ssdpm.UnknownValueError):
        ssdpm.estimate(model, array[:0])
    with pytest.raises(ssdpm.UnknownValueError):
        ssdpm.clairvoyant(model, iter([]))


@pytest.mark.parametrize(
    ("trace", "message"),
    [
        ("trace.npy", "^trace: a trace is needed, not where it is: read it with"),
        (5, "^trace: an ssdpm.Trace is needed, not int"),
        ([1], "^trace: an iterable of ssdpm.Trace or of arrays is needed, not of int"),
        (["trace.npy"], "^trace: an iterable of ssdpm.Trace or of arrays is needed"),
        (pd.DataFrame({"start_ns": [0]}), r"ssdpm.Trace.from_dataframe\(\)"),
    ],
)
def test_something_that_is_no_trace_is_a_typeerror(
    trace: Any, message: str, model: ssdpm.Model
) -> None:
    with pytest.raises(TypeError, match=message):
        ssdpm.estimate(model, trace)


def test_arguments_are_checked(model: ssdpm.Model, trace: Trace) -> None:
    with pytest.raises(TypeError, match=r"^model: an ssdpm.Model is needed, not str"):
        ssdpm.estimate("drive", trace)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^table: 'best' is none of 'linux', "):
        ssdpm.estimate(model, trace, "best")
    with pytest.raises(TypeError, match=r"^table: a str is needed, not int"):
        ssdpm.estimate(model, trace, 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^loop: 'half' is none of 'closed', 'open'"):
        ssdpm.estimate(model, trace, loop="half")
    with pytest.raises(TypeError, match=r"^idle_from_start: a bool is needed, not int"):
        ssdpm.estimate(model, trace, idle_from_start=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^changes: a bool is needed, not str"):
        ssdpm.estimate(model, trace, changes="yes")  # type: ignore[arg-type]
    with pytest.raises(ssdpm.RangeError, match=r"^end_ns: -1 is not in 0"):
        ssdpm.estimate(model, trace, end_ns=-1)
    with pytest.raises(TypeError, match=r"^interval_ns: an integer is needed, not fl"):
        ssdpm.estimate(model, trace, interval_ns=1.5)  # type: ignore[arg-type]
    other = ssdpm.Model.from_states([PowerState(True, max_power_uw=1)], apsta=1)
    with pytest.raises(ssdpm.InvalidError):
        ssdpm.estimate(other, trace, ssdpm.apst(model))


def test_a_simulation_ends_once(model: ssdpm.Model, trace: Trace) -> None:
    simulation = ssdpm.Simulation(model)
    assert "ACME Swift" in repr(simulation)
    simulation.feed(trace)
    simulation.finish()
    with pytest.raises(ssdpm.InvalidError):
        simulation.finish()
    with pytest.raises(ssdpm.InvalidError):
        simulation.feed(trace)


def test_results_are_frozen_compared_copied_pickled_and_printed(
    model: ssdpm.Model, trace: Trace
) -> None:
    estimate = ssdpm.estimate(model, trace, changes=True, interval_ns=10**9)
    for same in (copy.deepcopy(estimate), pickle.loads(pickle.dumps(estimate))):
        assert same == estimate
    assert estimate != ssdpm.estimate(model, trace) and estimate != 1
    with pytest.raises(FrozenInstanceError):
        estimate.loop = "open"  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        estimate.delays.counts[0] = 1
    text = repr(estimate)
    assert text.startswith("<ssdpm.Estimate 'ACME Swift 512GB': ")
    assert "2 wakes, 60 % of I/Os delayed, p99 45 ms" in text
    html = estimate._repr_html_()
    assert "<td>PS4</td>" in html and "<td>busy</td>" in html
    assert estimate.states == estimate.nominal.states
    run = estimate.nominal
    assert run.energy_j == run.energy_nj / 1e9
    assert run.mean_power_w == run.mean_power_uw / 1e6


def test_a_saving_is_energy_per_year_and_minutes_of_battery() -> None:
    saving = ssdpm.Saving(0, 0, 0, -100_000, 500_000, 1_000_000)
    assert saving.kwh_per_year() == pytest.approx((-0.876, 4.38, 8.76))
    low, nominal, high = saving.battery_minutes(50, 5)
    assert nominal == pytest.approx(60 * (50 / 4.5 - 10))
    assert low < 0 < nominal < high
    assert str(saving) == "500 mW (-100..1000)"
    for wrong in ((0, 5), (50, 1), (50, 0)):
        with pytest.raises(ValueError, match="too little for such a machine"):
            saving.battery_minutes(*wrong)


def test_other_threads_run_while_the_library_works(model: ssdpm.Model) -> None:
    """A thread that waits for the start gets its turn before a long call has ended."""
    array = records(1 << 20, service_ns=1)
    for work in (
        lambda: ssdpm.estimate(model, iter([array] * 10), None),
        lambda: ssdpm.trace_stats(iter([array] * 50)),
        lambda: ssdpm.Gaps(iter([array] * 50)),
    ):
        started, done = threading.Event(), threading.Event()

        def run(work: Any = work, started: Any = started, done: Any = done) -> None:
            started.set()
            work()
            done.set()

        thread = threading.Thread(target=run)
        thread.start()
        turns = 0
        started.wait()
        while not done.is_set():
            turns += 1
            done.wait(0.0005)
        thread.join()
        assert turns > 3


def test_threads_take_turns_at_one_simulation(model: ssdpm.Model) -> None:
    array = records(1 << 16, service_ns=1)
    simulation = ssdpm.Simulation(model, None)
    threads = [
        threading.Thread(target=simulation.feed, args=([array] * 8,)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert simulation.finish().nominal.n_ios == PerOp(32 << 16, 0, 0, 0)


@settings(max_examples=50)
@given(drives(), traces(), st.sampled_from([None, 0, 5 * MS, 40 * MS]))
def test_the_best_table_is_no_worse_than_any_other(
    model: ssdpm.Model, trace: Trace, mean_ns: int | None
) -> None:
    best = ssdpm.best_table(model, trace, max_delay_mean_ns=mean_ns, quirks=())
    assert best.exact
    assert best.energy_bound_nj == best.run.energy_nj
    again = ssdpm.sweep(model, trace, [best.table])[0]
    assert again["energy_nj"] == best.run.energy_nj
    assert ssdpm.clairvoyant(model, trace).energy_nj <= best.run.energy_nj
    n = sum(best.run.n_ios)
    if mean_ns is not None and n:
        assert best.run.delay_sum_ns <= mean_ns * n
    for word in ("linux", "linux-legacy", "none"):
        run = ssdpm.estimate(model, trace, word).nominal
        if mean_ns is None or run.delay_sum_ns <= mean_ns * n:
            assert best.run.energy_nj <= run.energy_nj


def test_bounds_of_the_best_table_hold(model: ssdpm.Model, trace: Trace) -> None:
    free = ssdpm.best_table(model, trace)
    assert {e.target for e in free.table.entries} & {3, 4}
    kept = ssdpm.best_table(model, trace, max_exit_latency_us=20_000)
    assert 4 not in {e.target for e in kept.table.entries}
    none = ssdpm.best_table(model, trace, max_delay_p99_ns=0)
    assert none.run.n_delayed == 0
    quirk = ssdpm.best_table(model, trace, quirks="no-apst")
    assert quirk.table.entries == ()
    with pytest.raises(ssdpm.RangeError, match=r"^max_states: 32 is not in 0 to 31"):
        ssdpm.best_table(model, trace, max_states=32)
    with pytest.raises(TypeError, match=r"^max_delay_mean_ns: an integer is needed"):
        ssdpm.best_table(model, trace, max_delay_mean_ns=0.5)  # type: ignore[arg-type]


def test_a_recommendation_without_a_gain_says_to_leave_all(
    model: ssdpm.Model, trace: Trace
) -> None:
    best = ssdpm.recommend(model, trace, max_delay_mean_ns="any")[2].table
    for one in ssdpm.recommend(model, trace, today=best, max_delay_mean_ns="any")[2:]:
        assert one.advice == "keep"
        assert str(one).startswith("leave all as it is: nothing better found on this")
    for one in ssdpm.recommend(model, trace, max_delay_p99_ns=0):
        assert one.advice == "costs" and not one.today_keeps_bounds
        assert "may_cost=True: to set" in str(one) and "costs" in str(one)
        assert "0 mW" not in str(one).split(" mW")[0][-2:]
    for one in ssdpm.recommend(model, trace, max_delay_p99_ns=0, may_cost=True):
        assert one.advice == "set"
        assert str(one).startswith("set ") and ": costs " in str(one)
        assert str(one).endswith("; the bounds are kept surely")


def test_without_a_bound_delays_stay_below_those_of_linux_or_a_hundredth(
    model: ssdpm.Model, trace: Trace
) -> None:
    linux = ssdpm.estimate(model, trace).nominal
    most = max(linux.delay_sum_ns, linux.duration_ns // 100)
    for one in ssdpm.recommend(model, trace, today="none"):
        assert one.run is not None
        assert one.run.delay_sum_ns <= most + sum(one.run.n_ios)
        assert one.run.delay_p99_ns <= max(linux.delay_p99_ns, 25 * MS)


def test_a_recommendation_says_what_to_set(model: ssdpm.Model, trace: Trace) -> None:
    settings_ = ssdpm.recommend(model, trace, max_delay_mean_ns=15 * MS)
    assert [one.route for one in settings_] == [
        "latency-limit",
        "nvme-core",
        "raw-table",
    ]
    tables = {"today": ssdpm.apst(model)} | {one.route: one.table for one in settings_}
    compared = ssdpm.compare(model, trace, tables)
    energies = []
    for one in settings_:
        assert one.possible
        assert one.run is not None and one.saving is not None and one.table is not None
        assert one.run.delay_sum_ns <= 15 * MS * 5
        assert one.saving == compared[one.route].saving
        assert one.run == compared[one.route].estimate.nominal
        assert (" mW" in str(one)) == (one.advice != "keep")
        assert "on this workload; delays" in str(one)
        energies.append(one.run.energy_nj)
    assert energies == sorted(energies, reverse=True)
    limit, core, raw = settings_
    assert limit.primary_timeout_ms is None and core.primary_timeout_ms is not None
    assert limit.table == ssdpm.apst(
        model, max_exit_latency_us=limit.max_exit_latency_us
    )
    assert core.table == ssdpm.apst(
        model,
        max_exit_latency_us=core.max_exit_latency_us,
        primary_timeout_ms=core.primary_timeout_ms,
        primary_latency_tolerance_us=core.primary_latency_tolerance_us,
        secondary_timeout_ms=core.secondary_timeout_ms,
        secondary_latency_tolerance_us=core.secondary_latency_tolerance_us,
    )
    assert limit.advice == "keep" and str(limit).startswith("leave all as it is")
    assert "apst_primary_timeout_ms" in str(core)
    assert raw.max_exit_latency_us is None
    off = ssdpm.recommend(model, trace, today=None)
    assert off[0].advice == "set" and "pm_qos_latency_tolerance_us" in str(off[0])
    # Written once, a limit that is there already changes nothing.
    assert "to another value and then to" in str(off[0])
    *_, first, second = [one for one in off[0].changes if one.target[0] == "/"]
    assert first.target == second.target and first.value != second.value
    assert second.target.startswith("/sys/class/nvme/nvmeN/power/")
    assert str(off[0].max_exit_latency_us) == second.value
    assert not off[2].changes
    boot = [one for one in core.changes if one.target.startswith("nvme_core.")]
    written = {one.target: int(one.value) for one in boot}
    name = "nvme_core.apst_primary_timeout_ms"
    assert written.get(name, 100) == core.primary_timeout_ms
    compared = ssdpm.compare(
        model, trace, {"today": None} | {one.route: one.table for one in off}
    )
    for one in off:
        assert one.run is not None and one.saving is not None
        assert one.saving == compared[one.route].saving


def test_without_writes_spare_flash_makes_no_power_possible() -> None:
    model = ssdpm.Model.catalogue("PC711 NVMe SK hynix 512GB")
    trace = ssdpm.Trace.from_columns(start_ns=[0], op=["read"], bytes=4096)
    plain, spare = (ssdpm.estimate(model, trace, spare=s).high for s in (None, 0.07))
    assert spare.mean_power_uw == plain.mean_power_uw
    assert spare.mean_power_uw <= (model.power_states[0].max_power_uw or 0)
