# SPDX-License-Identifier: MIT
"""Write amplification by formula, and what it does to an estimate.

A simulated drive: what is conserved, which collector is better, and its seconds.
"""

from __future__ import annotations

import json
import math
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import matplotlib
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

import ssdpm
from made import MS, records
from ssdpm import ftl, measure, wa
from test_plot import is_drawn, labels

matplotlib.use("Agg")

HOT = [(0.2, 0.8), (0.8, 0.2)]
SPARES = st.floats(1e-9, 1, exclude_max=True)
NO_SPARE = [0, 1, -0.1, 1.5, math.nan, math.inf, -math.inf]


@pytest.mark.parametrize(
    ("found", "number"),
    [
        (wa.calculate(0.07), 7.3177),
        (wa.calculate(0.07, "random"), 14.2857),
        (wa.calculate(0.07, "greedy", 64), 6.6001),
        (wa.calculate(0.2, "greedy", pages_per_block=16), 2.3527),
        (wa.calculate(0.3 / 1.3), 2.3642),
        (wa.calculate(0.3 / 1.3, "agarwal"), 2.1667),
        (wa.classes(0.07, HOT), 7.6817),
        (wa.classes(0.2, [(0.1, 0.9), (0.9, 0.1)]), 3.5329),
        (wa.calculate(0.07) / wa.calculate(0.25), 3.325),
        (wa.spare_of(512, 476), 0.0703),
        (wa.spare_of(1, 0.75, parity=0.07), 0.18),
        # 3 / 4 of the addresses are in use
        (wa.trim(0.2, 0.2), 0.4),
    ],
)
def test_the_numbers_of_the_papers(found: float, number: float) -> None:
    assert round(found, 4) == pytest.approx(number, abs=1e-4)


@given(SPARES, SPARES, st.sampled_from(["random", "fifo", "agarwal"]))
def test_it_is_1_or_more_and_decreases_with_spare(a: float, b: float, formula: str) -> None:
    low, high = sorted((a, b))
    if formula == "agarwal":
        low, high = low / 2, high / 2
    more, less = wa.calculate(low, formula), wa.calculate(high, formula)
    assert 1 <= less <= more
    if high > low * 1.001:
        assert less < more or math.isclose(less, 1, rel_tol=1e-9)


@given(st.floats(0.01, 0.9), st.floats(0.01, 0.9), st.sampled_from([16, 64, 256, 4096]))
def test_greedy_is_1_or_more_and_decreases_and_is_below_fifo(
    a: float, b: float, pages: int
) -> None:
    low, high = sorted((a, b))
    try:
        more, less = (wa.calculate(x, "greedy", pages) for x in (low, high))
    except ssdpm.RangeError as error:
        assert "not valid for that spare factor" in str(error)
        return
    assert 1 <= less <= more <= wa.calculate(low) * (1 + 1e-12)
    assert wa.calculate(low) <= wa.calculate(low, "random")


@given(st.floats(1e-3, 0.99), st.floats(0.01, 0.99), st.floats(0, 1))
def test_skew_is_never_better_than_even_writes(
    spare: float, addresses: float, writes: float
) -> None:
    found = wa.classes(spare, [(addresses, writes), (1 - addresses, 1 - writes)])
    even = wa.calculate(spare)
    assert found >= 1
    # One stream of writes; classes that are never written hold valid pages for ever.
    assert found >= even * (1 - 1e-6) or found == pytest.approx(even, rel=1e-6)
    assert wa.classes(spare, [(addresses, addresses), (1 - addresses, 1 - addresses)]) == (
        pytest.approx(even, rel=1e-9)
    )


@given(st.floats(1e-6, 0.999), st.floats(0, 0.499))
def test_trim_adds_spare(spare: float, share: float) -> None:
    assert spare <= wa.trim(spare, share) + 1e-15
    assert wa.trim(spare, share) < 1


@pytest.mark.parametrize("spare", NO_SPARE)
def test_a_spare_factor_that_is_none_is_refused(spare: float, model: ssdpm.Model) -> None:
    trace = records(1)
    for call in (
        lambda: wa.calculate(spare),
        lambda: wa.classes(spare, HOT),
        lambda: wa.trim(spare, 0.1),
        lambda: wa.curve([0.1, spare]),
        lambda: wa.background(model, spare),
        lambda: ssdpm.parameters(model, spare=spare),
        lambda: ssdpm.estimate(model, trace, spare=spare),
        lambda: ssdpm.ftl.simulate(spare),
    ):
        with pytest.raises(ssdpm.RangeError, match="above 0 and below 1"):
            call()


def test_other_bad_input_is_refused() -> None:
    for text in ("0.1", None, True):
        with pytest.raises(TypeError, match="a number is needed"):
            wa.calculate(text)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is none of"):
        wa.calculate(0.1, "lambert")
    with pytest.raises(ssdpm.InvalidError, match='"greedy" needs it'):
        wa.calculate(0.1, "greedy")
    with pytest.raises(ssdpm.InvalidError, match="has none"):
        wa.calculate(0.1, "fifo", 64)
    with pytest.raises(ssdpm.RangeError, match="not valid above"):
        wa.calculate(0.6, "agarwal")
    with pytest.raises(ssdpm.InvalidError, match="must come to 1"):
        wa.classes(0.1, [(0.2, 0.8), (0.7, 0.2)])
    with pytest.raises(ValueError, match=r"classes\[1\]"):
        wa.classes(0.1, [(0.2, 0.8), (0.8,)])
    with pytest.raises(ssdpm.RangeError, match="TRIM"):
        wa.trim(0.1, 0.5)
    for flash, data in ((0, 0), (10, 10), (10, 11), (10, 0)):
        with pytest.raises(ssdpm.RangeError):
            wa.spare_of(flash, data)
    with pytest.raises(ssdpm.InvalidError, match="1 or more"):
        wa.write_cost(wa.Nand(), 0.5)


def test_a_byte_costs_what_is_programmed_and_moved_for_it() -> None:
    nand = wa.Nand(10, 30, 8, 2, program_bytes_per_s=1e9, read_bytes_per_s=4e9)
    cost = wa.write_cost(nand, 3)
    assert cost.byte_pj == 10 + 3 * 32 + 2 * 8
    assert cost.bytes_per_s == pytest.approx(1 / (3e-9 + 2 * 0.25e-9))
    assert wa.write_cost(wa.Nand(), 3) == wa.WriteCost(0, math.inf)


def test_a_curve_has_nan_where_a_formula_is_not_valid(tmp_path: Path) -> None:
    curve = wa.curve([0.6, 0.2])
    assert curve.spare.tolist() == [0.2, 0.6]
    assert curve.wa["agarwal"][0] == 2.5 and math.isnan(curve.wa["agarwal"][1])
    assert curve.wa["fifo"][0] == wa.calculate(0.2)
    assert curve == wa.curve([0.2, 0.6]) and curve != wa.curve([0.2, 0.5])
    assert repr(curve) == (
        "<ssdpm.wa.Curve of random, fifo, greedy, agarwal at 2 spare factors, 0.2..0.6>"
    )
    with pytest.raises(ValueError, match="read-only"):
        curve.spare[0] = 1
    ax = wa.curve().plot()
    assert labels(ax) == ["random", "fifo", "greedy, 64 pages per block", "agarwal"]
    is_drawn(ax, tmp_path / "curve.png")


def writes(n: int) -> npt.NDArray[np.void]:
    """n writes of 1 MB, 1 ms each, a second apart."""
    array = records(n, 1000 * MS, MS)
    array["op"] = ssdpm.OPS["write"]
    array["bytes"] = 1_000_000
    return array


# A gigabyte per second at 1 W above idle: 1000 pJ.
KNOWN: dict[str, Any] = {
    "idle_power_w": {"PS0": 1.0},
    "active_power_w": 2.0,
    "bandwidth_bytes_per_second": 10**9,
}


def test_an_estimate_has_what_spare_adds(model: ssdpm.Model) -> None:
    plain = ssdpm.parameters(model, **KNOWN)
    spare = ssdpm.parameters(model, spare=0.2, **KNOWN)
    changed = [(a, b) for a, b in zip(plain, spare) if a != b]
    assert [(b.kind, b.index) for _, b in changed] == [
        ("byte_energy_pj", 1),
        ("background_time_ps", 0),
    ]
    for before, after in changed:
        assert (after.low, after.nominal, after.high) == (0, 1693, 8000)
        assert (before.provenance, after.provenance) == ("assumed", "assumed")
        assert after.rule.startswith("spare-factor: write amplification 2.69 of even")
    one, other = (
        ssdpm.estimate(model, writes(3), parameters=known).nominal.energy_nj
        for known in (plain, spare)
    )
    assert other - one == 3 * 1_693_000


def test_spare_is_an_argument_of_all_that_estimate(model: ssdpm.Model) -> None:
    trace, known = writes(2), ssdpm.parameters(model, spare=0.1)
    one = ssdpm.estimate(model, trace, spare=0.1)
    assert one == ssdpm.estimate(model, trace, parameters=known)
    assert one != ssdpm.estimate(model, trace)
    compared = ssdpm.compare(model, trace, ["linux"], spare=0.1)
    assert compared["linux"].estimate.nominal == one.nominal
    table = ssdpm.apst(model)
    [row] = ssdpm.sweep(model, trace, [table], spare=0.1)
    assert row["energy_nj"] == one.nominal.energy_nj
    for call in (ssdpm.best_table, ssdpm.recommend, ssdpm.clairvoyant):
        assert call(model, trace, spare=0.1) == call(model, trace, parameters=known)
        assert call(model, trace, spare=0.1) != call(model, trace)
    simulation = ssdpm.Simulation(model, spare=0.1)
    simulation.feed(trace)
    assert simulation.finish() == one
    with pytest.raises(ValueError, match="parameters, spare: one of both"):
        ssdpm.estimate(model, trace, parameters=known, spare=0.1)


def test_without_spare_nothing_is_assumed(model: ssdpm.Model) -> None:
    assert not any(p.rule.startswith("spare") for p in ssdpm.parameters(model))
    assert ssdpm.parameters(model, spare=None) == ssdpm.parameters(model)


def test_the_work_behind_writes_is_a_state(model: ssdpm.Model) -> None:
    work = wa.background(model, 0.2, ssdpm.parameters(model, **KNOWN))
    assert (work.low_wa, work.high_wa) == (1, 5)
    assert work.nominal_wa == wa.calculate(0.2)
    assert work.power_w == 2 and work.nominal_ps_per_byte == 1693
    assert (work.low_ps_per_byte, work.high_ps_per_byte) == (0, 8000)
    assert work.time_s(10**9) == pytest.approx(1.693)
    # Its energy above idle is what spare adds.
    added = (work.power_w - 1) * work.time_s(1) * 1e12
    assert added == pytest.approx(1693)


def test_spare_starts_where_writes_were_measured(model: ssdpm.Model) -> None:
    start = wa.calculate(0.2)
    for measured, nominal in ((1.0, 1693), (2.0, 346), (start, 0)):
        known = ssdpm.parameters(model, spare=0.2, measured_wa=measured, **KNOWN)
        [byte] = (p for p in known if p.kind == "byte_energy_pj" and p.index == 1)
        assert byte.nominal == nominal
    for bad in (0.9, math.nan, start * 1.01):
        with pytest.raises(ssdpm.RangeError, match="measured_wa"):
            ssdpm.parameters(model, spare=0.2, measured_wa=bad)
    with pytest.raises(ssdpm.InvalidError, match="pass both"):
        ssdpm.parameters(model, measured_wa=2.0)


def test_a_calibration_may_say_where_spare_starts(model: ssdpm.Model) -> None:
    overlay: dict[str, Any] = {
        "schema": "ssdpm.overlay/1",
        "kind": "nvme",
        "product": model.product,
        "firmware": model.firmware,
        "measured_wa_milli": 2000,
        "measured": [],
    }
    kept = measure.Calibration.from_json(json.dumps(overlay))
    assert kept.measured_wa == 2.0
    assert json.loads(kept.to_json())["measured_wa_milli"] == 2000
    known = ssdpm.parameters(model, measured=kept, spare=0.2)
    assert known == ssdpm.parameters(model, spare=0.2, measured_wa=2.0)
    assert known != ssdpm.parameters(model, spare=0.2)
    stated = ssdpm.parameters(model, measured=kept, spare=0.2, measured_wa=1.0)
    assert stated == ssdpm.parameters(model, spare=0.2)
    trace = writes(2)
    assert ssdpm.estimate(model, trace, measured=kept, spare=0.2) == ssdpm.estimate(
        model, trace, parameters=known
    )
    unsaid = replace(kept, measured_wa=None)
    assert "measured_wa_milli" not in json.loads(unsaid.to_json())
    with pytest.raises(ssdpm.RangeError, match="is not in 1 to 1000000"):
        replace(kept, measured_wa=0.5).to_json()


def test_a_drive_that_works_all_the_time_takes_what_work_takes(model: ssdpm.Model) -> None:
    trace = writes(3)
    trace["start_ns"] //= 1000  # 1 ms each, one after the other
    result = ssdpm.estimate(
        model, trace, parameters=ssdpm.parameters(model, spare=0.2, **KNOWN)
    )
    busy, work = 3 * MS, 3 * 1_693_000
    assert (result.nominal.duration_ns, result.nominal.background_ns) == (busy, work)
    assert (result.low.background_ns, result.high.background_ns) == (0, 24 * MS)
    assert result.nominal.mean_power_w == pytest.approx(2, abs=1e-3)
    assert result.high.mean_power_w == pytest.approx(2, abs=1e-3)
    # Energy: 2 W of writing, and 1693 pJ of each byte.
    assert result.nominal.energy_nj == 6_000_000 + 3 * 1_693_000


@given(
    st.floats(0.01, 0.9),
    st.integers(0, 3_500_000),
    st.integers(0, 3_500_000),
    st.sampled_from([10**8, 10**9, 7 * 10**9]),
    st.integers(0, 20_000_000),
    st.floats(1, 3),
)
def test_no_mean_power_is_above_the_maximum(
    spare: float, idle: int, active: int, bandwidth: int, gap: int, measured_wa: float
) -> None:
    model = ssdpm.Model.catalogue("WDC PC SN530")
    assert model.states[0]["max_power_uw"] == 3_500_000
    trace = writes(5)
    trace["start_ns"] = np.arange(5) * (MS + gap)
    known = ssdpm.parameters(
        model,
        spare=spare,
        measured_wa=min(measured_wa, wa.calculate(spare)),
        idle_power_uw={0: idle},
        active_power_uw=(min(idle, active), max(idle, active), 3_500_000),
        transition_power_uw=(0, 0, 3_500_000),
        bandwidth_bytes_per_second={"read": 10**9, "write": bandwidth},
    )
    result = ssdpm.estimate(model, trace, parameters=known)
    assert result.low.energy_nj <= result.nominal.energy_nj <= result.high.energy_nj
    assert result.high.mean_power_w <= 3.5


@given(st.floats(0.005, 0.9), st.floats(0.005, 0.9))
def test_more_spare_costs_no_more(a: float, b: float) -> None:
    model = ssdpm.Model.catalogue("WDC PC SN530")
    low, high = sorted((a, b))
    less, more = (
        next(
            p
            for p in ssdpm.parameters(model, spare=spare)
            if p.kind == "byte_energy_pj" and p.index == 1
        )
        for spare in (high, low)
    )
    assert less.low == more.low == 0
    assert less.nominal <= more.nominal and less.high <= more.high
    assert less.low <= less.nominal <= less.high


def test_numpy_numbers_are_numbers() -> None:
    quarter: Any = np.float32(0.25)
    assert wa.calculate(quarter) == wa.calculate(0.25)


matplotlib.use("Agg")

COST = ftl.Cost(
    host_ns=1_000_000,
    program_ns=2_000_000,
    read_ns=1_000_000,
    host_nj=10_000_000,
    program_nj=30_000_000,
    read_nj=8_000_000,
    idle_uw=1_000_000,
)
PAGE = 4096


def ios(*rows: tuple[str, int, int]) -> npt.NDArray[np.void]:
    """(op, offset, bytes) of each."""
    array = np.zeros(len(rows), ssdpm.IO_DTYPE)
    for record, (op, offset, length) in zip(array, rows):
        record["op"], record["offset"], record["bytes"] = ssdpm.OPS[op], offset, length
    return array


OPERATIONS = st.lists(
    st.tuples(st.sampled_from(["write", "write", "trim"]), st.integers(0, 99), st.integers(0, 12)),
    max_size=80,
)
DRIVES = st.fixed_dictionaries(
    {
        # Pages that fill no whole number of blocks, too.
        "n_user_pages": st.integers(90, 112),
        "n_blocks": st.integers(17, 24),
        "pages_per_block": st.just(8),
        "collector": st.sampled_from(["greedy", "fifo", "choices"]),
        "reserve_blocks": st.integers(1, 2),
        "seed": st.integers(0, 2**64 - 1),
    }
)


def drive_of(numbers: dict[str, Any]) -> ftl.Drive:
    choices = 3 if numbers["collector"] == "choices" else None
    return ftl.Drive(**numbers, choices=choices)


@given(DRIVES, OPERATIONS)
def test_mapped_pages_are_conserved(
    numbers: dict[str, Any], operations: list[tuple[str, int, int]]
) -> None:
    drive, by_trace = drive_of(numbers), drive_of(numbers)
    mapped: set[int] = set()
    written = trimmed = 0
    for op, first, n in operations:
        pages = range(first, min(first + n, drive.n_user_pages))
        if not pages:
            continue
        if op == "write":
            drive.write(pages[0], len(pages))
            mapped.update(pages)
            written += len(pages)
        else:
            drive.trim(pages[0], len(pages))
            mapped.difference_update(pages)
            trimmed += len(pages)
        word = "write" if op == "write" else "discard"
        by_trace.feed(ios((word, pages[0] * PAGE, len(pages) * PAGE)))
    counts = drive.counts
    assert (counts.n_written, counts.n_trimmed) == (written, trimmed)
    assert counts.n_mapped == len(mapped)
    # A page of flash is programmed once between two erases.
    programmed = counts.n_written + counts.n_moved
    each = numbers["pages_per_block"]
    assert counts.n_erased * each <= programmed
    assert programmed <= (counts.n_erased + numbers["n_blocks"]) * each
    assert by_trace.counts == counts
    amplification = counts.write_amplification
    assert amplification is None if not written else amplification is not None and amplification >= 1


def measured(spare: float, pages: int, n_blocks: int, **more: Any) -> tuple[float, float]:
    """Write amplification, and five standard errors of it, relative.

    WA is the pages of a block by the mean of those that a collected block frees. These
    lie between 0 and all of it, so their deviation is half of it at most (Popoviciu),
    and that of their mean, over C blocks that were collected, half of it by sqrt(C).
    Relative to the mean, which is pages / WA, that is WA / (2 sqrt(C)).
    """
    run = ftl.simulate(
        spare, n_blocks=n_blocks, pages_per_block=pages, warm_up=4, writes=8, **more
    )
    found = run.write_amplification
    assert found is not None
    assert run.counts.n_mapped == run.n_user_pages
    return found, 5 * found / (2 * math.sqrt(run.counts.n_erased))


@settings(max_examples=25)
@given(
    st.floats(0.06, 0.45),
    st.integers(8, 48),
    st.integers(2, 6),
    st.integers(0, 2**32),
    st.integers(200, 400),
)
def test_greedy_is_better_than_some_choices_and_those_than_any_block(
    spare: float, pages: int, choices: int, seed: int, n_blocks: int
) -> None:
    greedy, _ = measured(spare, pages, n_blocks, seed=seed)
    some, some_error = measured(
        spare, pages, n_blocks, seed=seed, collector="choices", choices=choices
    )
    random, random_error = measured(
        spare, pages, n_blocks, seed=seed, collector="choices", choices=1
    )
    assert 1 <= greedy <= some * (1 + some_error)
    assert some <= random * (1 + random_error)


@settings(max_examples=15)
@given(st.floats(0.08, 0.4), st.floats(1.15, 1.5), st.sampled_from(ftl.COLLECTORS))
def test_more_spare_is_better_in_simulation_too(
    spare: float, factor: float, collector: str
) -> None:
    more = {"collector": collector, "choices": 2 if collector == "choices" else None}
    less, error = measured(spare, 32, 256, **more)
    best, _ = measured(spare * factor, 32, 256, **more)
    assert 1 <= best <= less * (1 + error)


@pytest.mark.parametrize(
    ("more", "number", "error"),
    [
        ({"collector": "fifo"}, 2.6927, 0.01),
        ({"collector": "greedy"}, 2.5982, 0.01),
        ({"collector": "greedy", "pages_per_block": 16}, 2.3527, 0.05),
        ({"collector": "choices", "choices": 1}, 5.0, 0.01),
        ({"pattern": "classes", "classes": [(0.2, 0.8), (0.8, 0.2)], "collector": "fifo",
          "warm_up": 15}, 3.0345, 0.01),
        ({"pattern": "sequential"}, 1.0, 0.0),
    ],
)  # fmt: skip
def test_it_comes_to_the_numbers_of_theory(
    more: dict[str, Any], number: float, error: float
) -> None:
    found = ftl.simulate(0.2, n_blocks=4096, **more).write_amplification
    assert found == pytest.approx(number, rel=error)


def test_a_trace_is_written_to_a_full_drive() -> None:
    trace = ios(("write", 0, 10 * PAGE), ("read", 0, PAGE), ("discard", PAGE, 2 * PAGE))
    run = ftl.simulate(0.2, n_blocks=64, pages_per_block=16, trace=trace)
    assert (run.counts.n_written, run.counts.n_trimmed) == (10, 2)
    assert run.counts.n_mapped == run.n_user_pages - 2
    half = ftl.simulate(0.2, n_blocks=64, trace=trace, page_bytes=2 * PAGE)
    assert (half.counts.n_written, half.counts.n_trimmed) == (5, 0)
    none = ftl.simulate(0.2, n_blocks=64, trace=trace[1:2])
    assert none.write_amplification is None
    assert "write amplification unknown" in repr(none)


def test_a_trace_beyond_the_drive_is_refused_with_its_record() -> None:
    drive = ftl.Drive(100, 20, 8)
    parts = [ios(("write", 0, PAGE)), ios(("write", 99 * PAGE, PAGE), ("write", 99 * PAGE, PAGE + 1))]
    with pytest.raises(ssdpm.RangeError, match="^.*record 2: 4097 bytes from byte 405504"):
        drive.feed(iter(parts))
    assert drive.counts.n_written == 2
    with pytest.raises(ssdpm.RangeError, match="record 0: "):
        ftl.simulate(0.2, n_blocks=64, trace=ios(("discard", 2**63, PAGE)))


def test_capacities_that_cannot_be_are_refused() -> None:
    for spare in (0, 1, -1, math.nan):
        with pytest.raises(ssdpm.RangeError, match="above 0 and below 1"):
            ftl.simulate(spare)
    # One block of 64 is spare: the reserve, and nothing to write to.
    for spare in (1 / 64, 1e-9):
        with pytest.raises(ssdpm.RangeError, match="the spare ones must fill 2 blocks"):
            ftl.simulate(spare, n_blocks=64)
    with pytest.raises(ssdpm.InvalidError, match="the host has no page"):
        ftl.simulate(0.9999, n_blocks=64)
    with pytest.raises(ssdpm.RangeError, match="more than 2.32 - 2 pages"):
        ftl.Drive(1, 2**32 - 1, 64)
    with pytest.raises(ssdpm.InvalidError, match="1 to 1024 with that collector"):
        ftl.Drive(100, 20, 8, collector="choices")
    with pytest.raises(ssdpm.InvalidError, match="0 with others"):
        ftl.Drive(100, 20, 8, choices=2)
    with pytest.raises(ssdpm.RangeError, match="host has only 100"):
        ftl.Drive(100, 20, 8).write(99, 2)
    with pytest.raises(ssdpm.RangeError, match="host has only 100"):
        ftl.Drive(100, 20, 8).write_pattern(1, first_page=50, n_pages=51)


def test_arguments_that_exclude_each_other_are_refused() -> None:
    with pytest.raises(ssdpm.InvalidError, match="one needs the other"):
        ftl.simulate(0.2, seconds=1)
    with pytest.raises(ssdpm.InvalidError, match="one or the other"):
        ftl.simulate(0.2, seconds=1, cost=COST, trace=ios())
    with pytest.raises(ssdpm.InvalidError, match="classes: they are for"):
        ftl.simulate(0.2, pattern="classes")
    with pytest.raises(ssdpm.InvalidError, match="classes: they are for"):
        ftl.simulate(0.2, n_blocks=64, classes=[(1, 1)])
    with pytest.raises(ssdpm.RangeError, match="writes: nan"):
        ftl.simulate(0.2, n_blocks=64, writes=math.nan)
    with pytest.raises(ssdpm.RangeError, match="host_ns"):
        ftl.Cost(host_ns=-1)
    with pytest.raises(ssdpm.InvalidError, match="host_ns must be above 0"):
        ftl.simulate(0.2, n_blocks=64, seconds=1, cost=ftl.Cost(host_ns=0))
    with pytest.raises(TypeError, match="an integer is needed"):
        ftl.simulate(0.2, n_blocks=64.0)  # type: ignore[arg-type]


def test_each_second_has_what_was_done_in_it(tmp_path: Path) -> None:
    run = ftl.simulate(0.2, n_blocks=256, seconds=300, cost=COST)
    assert run.seconds is not None and len(run.iops) == len(run.power_w) == 300
    # No copy, and nobody changes it.
    assert run.iops.base is not None and np.shares_memory(run.iops, run.seconds)
    with pytest.raises(ValueError, match="read-only"):
        run.power_w[0] = 0
    assert run.iops.sum() == run.counts.n_written
    assert run.seconds["n_programmed"].sum() == run.counts.n_written + run.counts.n_moved
    assert run.seconds["n_erased"].sum() == run.counts.n_erased
    # Fresh: one program each. Later: as the formula of a byte has it.
    assert run.wa[:20].tolist() == [1.0] * 20
    nand = wa.Nand(10e9, 30e9, 8e9, program_bytes_per_s=500, read_bytes_per_s=1000)
    steady = float(run.seconds["n_programmed"][200:].sum() / run.iops[200:].sum())
    cost = wa.write_cost(nand, steady)
    assert run.iops[200:].mean() == pytest.approx(cost.bytes_per_s, rel=0.005)
    watts = 1 + run.iops[200:].mean() * cost.byte_pj / 1e12
    assert run.power_w[200:].mean() == pytest.approx(watts, rel=0.005)
    assert run == ftl.simulate(0.2, n_blocks=256, seconds=300, cost=COST)
    assert run != ftl.simulate(0.2, n_blocks=256, seconds=300, cost=COST, seed=1)
    assert repr(run).startswith("<ssdpm.ftl.Run greedy, 20 % spare: write amplification 1.8")
    ax = run.plot()
    assert ax.get_title().startswith("greedy, 20 % spare, write amplification 1.8")
    is_drawn(ax, tmp_path / "run.png")
    for one, values in zip(ax.figure.axes, (run.iops, run.power_w)):
        assert one.get_ylim() == pytest.approx((0, 1.05 * values.max()))


def test_background_work_has_its_own_power() -> None:
    with_power = ftl.Cost(**{**vars(COST), "background_uw": 700_000})
    plain, more = (
        ftl.simulate(0.2, n_blocks=256, seconds=100, cost=cost)
        for cost in (COST, with_power)
    )
    assert plain.seconds is not None
    assert (plain.iops == more.iops).all()
    work = plain.seconds["background_ns"] / 1e9
    assert (more.power_w - plain.power_w) == pytest.approx(0.7 * work)
    assert work[0] == 0 and work[-1] > 0.5


def test_power_that_no_cost_states_is_not_known() -> None:
    cost = ftl.Cost(host_ns=2_000_000, program_ns=5_000_000)
    run = ftl.simulate(0.2, n_blocks=64, seconds=3, cost=cost)
    assert np.isnan(run.power_w).all() and " W>" not in repr(run)
    assert len(run.plot().figure.axes) == 1
    assert run == ftl.simulate(0.2, n_blocks=64, seconds=3, cost=cost)
    stated = ftl.Cost(host_ns=2_000_000, program_ns=5_000_000, idle_uw=500_000)
    assert (ftl.simulate(0.2, n_blocks=64, seconds=3, cost=stated).power_w == 0.5).all()


def test_without_seconds_there_are_none() -> None:
    run = ftl.simulate(0.2, n_blocks=64)
    for name in ("iops", "power_w", "wa"):
        with pytest.raises(ssdpm.InvalidError, match="pass seconds="):
            getattr(run, name)
    with pytest.raises(ssdpm.InvalidError, match="pass seconds="):
        run.plot()
    empty = ftl.simulate(0.2, n_blocks=64, seconds=0, cost=COST)
    assert len(empty.iops) == 0 and "unknown" in repr(empty)


def test_threads_take_turns() -> None:
    drive = ftl.Drive(10_000, 200, 64)

    def write() -> None:
        for _ in range(20):
            drive.write_pattern(1000)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert drive.counts.n_written == 80_000
    assert repr(drive) == "<ssdpm.ftl.Drive: 10000 pages in 12800 of flash, 21.9 % spare>"
