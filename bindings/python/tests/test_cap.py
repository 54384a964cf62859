# SPDX-License-Identifier: MIT
"""Power caps: the formula, caps that change, traces, and pictures of them."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
import matplotlib
import numpy as np
import pytest
from hypothesis import given

import ssdpm
from ssdpm.cap import Drive, Nand, Result, Span, Stream

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes

# For what type checkers refuse.
ANY: Any = ssdpm.cap
WRITES = Stream("write", nand_bytes_per_s=2e9, byte_pj=11080)
P3700 = Drive([WRITES], idle_uw=4_000_000)


def labels(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def model() -> ssdpm.Model:
    return ssdpm.Model.from_states(
        [
            ssdpm.PowerState(True, max_power_uw=one, idle_power_uw=4_000_000)
            for one in (25_000_000, 20_000_000, 10_000_000)
        ]
    )


def certain() -> tuple[ssdpm.Parameter, ...]:
    """25 W at work, 2 GB/s."""
    return ssdpm.parameters(
        model(),
        active_power_w=25,
        bandwidth_bytes_per_second={"read": 2 * 10**9, "write": 2 * 10**9},
        base_latency_ns=0,
        transition_power_w=4,
    )


@pytest.mark.parametrize(
    ("watts", "gb_per_s", "limit"),
    [(None, 2.0, "nand"), (25, 1.895, "power"), (20, 1.444, "power"), (10, 0.542, "power")],
)
def test_writes_are_what_the_cap_leaves_for_their_bytes(
    watts: float | None, gb_per_s: float, limit: str
) -> None:
    result = P3700.at(watts)
    assert round(result.bytes_per_s.nominal / 1e9, 3) == gb_per_s
    assert result.limit == limit
    assert result.cap_w == watts
    assert result.assumed == ()
    if watts is not None:
        assert result.power_w == watts
        assert result.loss_share.nominal == pytest.approx(1 - gb_per_s / 2, abs=1e-3)


def test_a_result_prints_its_bounds_and_what_is_assumed() -> None:
    drive = Drive([Stream("write", nand_bytes_per_s=2e9)], 4_000_000, 25_000_000)
    result = drive.at(10)
    assert "0.5714 (0.5714..2) GB/s" in str(result)
    assert "active_uw" in str(result)
    assert "0.5714 (0.5714..2) GB/s" in result._repr_html_()
    assert pickle.loads(pickle.dumps(result)) == result


def test_amplification_takes_from_the_flash() -> None:
    nand = Nand(1000, 4000, 1000, 500, 2e9, 4e9)
    drive = Drive([Stream("write", write_amplification=3)], 4_000_000, nand=nand)
    assert drive.at(None).bytes_per_s.nominal == pytest.approx(0.5e9)
    assert drive.at(10).bytes_per_s.nominal == pytest.approx(6e12 / 16500)
    endless = replace(drive, nand=Nand(1000, 4000, 1000, 500))
    assert endless.at(10).bytes_per_s.nominal == pytest.approx(6e12 / 16500)


spans = st.lists(st.floats(0, 1), min_size=3, max_size=3).map(sorted)


def scaled(least: float, most: float) -> Any:
    return spans.map(lambda s: Span(*(least + one * (most - least) for one in s)))


streams = st.builds(
    Stream,
    st.sampled_from(["read", "write"]),
    io_bytes=st.integers(512, 1 << 20),
    interface_bytes_per_s=st.none() | scaled(1e8, 7e9),
    nand_bytes_per_s=scaled(1e8, 7e9),
    active_uw=st.none() | scaled(1e5, 3e7),
    operation_nj=st.none() | scaled(0, 1e5),
    byte_pj=scaled(0, 3e4),
)


@given(st.lists(streams, min_size=1, max_size=4), scaled(1e5, 5e6), st.data())
def test_more_watts_are_never_less_throughput_nor_a_cap_less_than_the_power(
    mix: list[Stream], idle: Span, data: st.DataObject
) -> None:
    shared = [
        Stream(**{**vars(one), "share": 1 / len(mix)})  # a mix of equal parts
        for one in mix
    ]
    drive = Drive(shared, idle)
    caps = sorted(data.draw(st.lists(st.floats(5, 40), min_size=2, max_size=6)))
    before = None
    for result in drive.sweep(caps):
        assert result.cap_w is not None
        for span in (result.power_uw, result.p99_power_uw, result.max_power_uw):
            assert span.low <= span.nominal <= span.high <= result.cap_w * 1e6 + 0.5
        assert 0 <= result.loss_share.low <= result.loss_share.high <= 1
        fastest = max(one.nand_bytes_per_s.high for one in shared)  # type: ignore[union-attr]
        assert result.bytes_per_s.high <= fastest
        if before is not None:
            for less, more in zip(before, result.bytes_per_s):
                assert less <= more
        before = result.bytes_per_s


def test_a_model_gives_its_states_and_says_what_it_assumes() -> None:
    drive, cap_w = ssdpm.cap.from_model(model(), [Stream("write")], state=2)
    assert cap_w == 10
    assert drive.idle_uw == Span(4e6, 4e6, 4e6)
    assert drive.max_uw == Span(25e6, 25e6, 25e6)
    stream = drive.streams[0]
    assert isinstance(stream.active_uw, Span)
    assert stream.active_uw.nominal == stream.active_uw.high == 25e6
    assert set(stream.assumed) == {"nand_bytes_per_s", "active_uw"}
    stated = ssdpm.cap.from_model(model(), [Stream("write")], parameters=certain())[0]
    assert stated.at(10).assumed == ()
    with pytest.raises(ssdpm.InvalidError, match="state 3"):
        ssdpm.cap.from_model(model(), [Stream("write")], state=3)


def test_caps_that_change_move_the_same_bytes_however_they_are_cut() -> None:
    caps = [(2.5, None), (3, 20), (3, 10), (1, None)]
    whole = P3700.timeline(caps, interval_s=None)
    pieces = P3700.timeline(caps)
    assert len(whole) == 4
    assert len(pieces) == 10
    assert whole.duration_s == pieces.duration_s == 9.5
    assert whole.bytes == pytest.approx(pieces.bytes)
    assert whole.energy_j == pytest.approx(pieces.energy_j)
    assert list(whole.cap_w) == [np.inf, 20, 10, np.inf]
    words = {number: word for word, number in ssdpm.cap.LIMITS.items()}
    assert [words[n] for n in whole.points["limit"]] == ["nand", "power", "power", "nand"]
    assert whole != pieces
    assert "9.5 s in 4 points" in repr(whole)
    with pytest.raises(ValueError, match="read-only"):
        whole.points["limit"] = 0


def test_a_trace_takes_as_long_as_its_energy_under_the_cap() -> None:
    trace = ssdpm.Trace.from_columns(
        start_ns=[0, 40_000_000], op="write", service_ns=10_000_000
    )
    run = ssdpm.cap.simulate(
        model(), trace, 10, state=2, table=None, parameters=certain()
    )
    assert run.uncapped_duration_ns == 50_000_000
    assert run.duration_ns == 100_000_000
    assert run.loss_share == Span(0.5, 0.5, 0.5)
    assert run.delay_mean_ns == 25_000_000
    assert run.power_uw.nominal == pytest.approx(8.2e6)
    assert "2 of 2" in str(run)
    assert "2 of 2" in run._repr_html_()
    parts = [trace.records[:1], trace.records[1:]]
    assert run == ssdpm.cap.simulate(
        model(), parts, 10, state=2, table=None, parameters=certain()
    )
    free = ssdpm.cap.simulate(model(), trace, None, table=None, parameters=certain())
    estimate = ssdpm.estimate(model(), trace, None, parameters=certain())
    assert free.duration_ns == estimate.nominal.duration_ns
    assert free.power_uw.nominal == estimate.nominal.mean_power_uw


def test_a_trace_comes_under_one_cap_after_the_other() -> None:
    """Writes of 10 ms each 20 ms; at 10 W, 35 ms, 45 ms apart."""
    trace = ssdpm.Trace.from_columns(
        start_ns=np.arange(100) * 20_000_000,
        op="write",
        service_ns=10_000_000,
        bytes=4096,
    )
    caps = [(1, None), (1, 10, 0.1), (2, None), (60, 10)]
    run = ssdpm.cap.simulate(model(), trace, caps, table=None, parameters=certain())
    assert run.cap_w == 10
    line = run.timeline
    assert list(line.points["duration_ns"]) == [10**9, 10**9, 590_000_000]
    assert list(line.points["limit"]) == [0, ssdpm.cap.LIMITS["power"], 0]
    rate = line.points["bytes_per_s"]["nominal"]
    assert list(np.round(rate[:2] / 4096)) == [50, 20]
    assert line.bytes == pytest.approx(100 * 4096)
    assert line.energy_j == pytest.approx(run.power_uw.nominal * 2.59e-6)
    assert line.duration_s == run.duration_ns / 1e9
    assert "1 to 2 s at 10 W" in str(run)
    assert "8.2 W" in str(run)
    assert hash(run)
    line.plot()
    again = ssdpm.cap.simulate(
        model(), trace, [(1, 10)], table=None, parameters=certain()
    )
    one = ssdpm.cap.simulate(model(), trace, 10, table=None, parameters=certain())
    assert again == one
    assert one.timeline.duration_s == one.duration_ns / 1e9


def test_less_spare_flash_loses_more_under_a_cap() -> None:
    streams = [Stream("write", nand_bytes_per_s=1e9)]
    trace = ssdpm.generate("apst-2", service_ns=100_000)
    found, lost = [], []
    for spare in (None, 0.25, 0.07):
        drive, cap_w = ssdpm.cap.from_model(model(), streams, state=2, spare=spare)
        found.append(drive.at(cap_w).bytes_per_s.low)
        run = ssdpm.cap.simulate(model(), trace, 6, table=None, spare=spare)
        lost.append(run.loss_share.high)
    assert found[0] > found[1] > found[2]
    assert lost[0] < lost[1] < lost[2]


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(1, 10**7)), min_size=1))
def test_a_tighter_cap_never_makes_a_trace_faster(ios: list[tuple[int, int]]) -> None:
    starts = np.cumsum([gap for gap, _ in ios])
    trace = ssdpm.Trace.from_columns(
        start_ns=starts, op="write", service_ns=[one for _, one in ios], bytes=4096
    )
    before = 0
    for cap_w in (30, 20, 12, 7):
        run = ssdpm.cap.simulate(
            model(), trace, cap_w, table=None, parameters=certain()
        )
        assert run.duration_ns >= before
        assert run.max_power_uw.high <= cap_w * 1e6 + 0.5
        before = run.duration_ns


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Stream("flush"), ValueError, "op"),
        (lambda: ANY.Stream("read", byte_pj=(1, 2)), ValueError, "low, nominal, high"),
        (lambda: ANY.Stream("read", byte_pj="1"), TypeError, "byte_pj"),
        (lambda: Stream("write", write_amplification=0.5), ssdpm.InvalidError, "below 1"),
        (lambda: Stream("read", io_bytes=-1), ssdpm.RangeError, "io_bytes"),
        (lambda: Stream("read", assumed=("idle_uw",)), ValueError, "assumed"),
        (lambda: P3700.at(0), ssdpm.InvalidError, "no cap"),
        (lambda: P3700.at(math.nan), ssdpm.InvalidError, "no power"),
        (lambda: ANY.Drive([WRITES], 1e6).at("10"), TypeError, "cap_w"),
        (lambda: P3700.at(3.9), ssdpm.RangeError, "at least 4000000 uW"),
        (lambda: P3700.sweep([]), ssdpm.InvalidError, "none"),
        (lambda: P3700.timeline([]), ssdpm.InvalidError, "1 segment"),
        (lambda: P3700.timeline([(0, 10)]), ssdpm.RangeError, "duration"),
        (lambda: P3700.timeline([(1, 10)], 0), ssdpm.RangeError, "interval_s"),
        (lambda: Drive([Stream("read")], 1e6).at(10), ssdpm.UnknownValueError, "give"),
        (lambda: Drive([WRITES, WRITES], 1e6).at(10), ssdpm.InvalidError, "come to 1"),
        (lambda: ANY.Drive([1], 1e6), TypeError, "Stream"),
        (lambda: ANY.Drive([WRITES], 1e6, nand=1), TypeError, "Nand"),
        (lambda: Drive([WRITES], None).at(10), ssdpm.UnknownValueError, "idle power"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make()


def test_a_loss_that_nothing_can_tell_is_nan() -> None:
    result: Result = Drive([Stream("write", byte_pj=11080)], 4_000_000).at(10)
    assert math.isnan(result.loss_share.nominal)
    assert result.bytes_per_s.nominal == pytest.approx(6e12 / 11080)


def test_a_sweep_is_a_table_and_a_picture() -> None:
    stream = Stream("write", nand_bytes_per_s=2e9, byte_pj=(10000, 11080, 12500))
    curve = Drive([stream], 4_000_000).sweep([5, 10, 20, 30, None])
    rows = curve.to_records()
    assert list(rows["limit"]) == ["power"] * 3 + ["nand"] * 2
    assert math.isnan(rows["cap_w"][-1])
    assert len(curve) == 5
    assert curve[1] == Drive([stream], 4_000_000).at(10)
    assert "none" in curve._repr_html_()
    ax = curve.plot()
    assert labels(ax) == ["bounds", "nominal", "without a cap"]
    xs, ys = np.asarray(ax.lines[0].get_data())
    assert list(xs) == [5, 10, 20, 30]
    assert ys[1] == pytest.approx(6 / 11.08)
    assert curve.plot(ax) is ax
    pyplot.close("all")


def test_a_timeline_draws_throughput_power_and_the_cap() -> None:
    ax = P3700.timeline([(60, None), (60, 20), (60, 10), (60, None)]).plot()
    assert labels(ax) == ["throughput", "mean power", "cap"]
    xs, ys = np.asarray(ax.lines[0].get_data())
    assert xs[-1] == 240
    assert ys[100] == pytest.approx(16 / 11.08)
    pyplot.close("all")


def test_a_power_state_is_a_cap() -> None:
    trace = ssdpm.generate("lomax", n_ios=100)
    in_state = ssdpm.cap.simulate(model(), trace, "PS1", parameters=certain())
    assert in_state.cap_w == 20
    assert in_state == ssdpm.cap.simulate(model(), trace, 20, parameters=certain())
    drive, _ = ssdpm.cap.from_model(model(), [Stream("write")], parameters=certain())
    changed = drive.timeline([(1, "PS0"), (1, "PS2")], None)
    assert list(changed.cap_w) == [25, 10]
    for word, why in (("PS3", "no PS3"), ("fast", "is no state")):
        with pytest.raises(ssdpm.Error, match=why):
            ssdpm.cap.simulate(model(), trace, word)
    with pytest.raises(ssdpm.InvalidError, match="from_model"):
        P3700.timeline([(1, "PS1")])
