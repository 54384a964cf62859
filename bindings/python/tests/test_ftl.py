# SPDX-License-Identifier: MIT
"""A simulated drive: what is conserved, which collector is better, and its seconds."""

from __future__ import annotations

import math
import threading
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import matplotlib
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

import ssdpm
from ssdpm import ftl, wa
from test_plot import is_drawn

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
