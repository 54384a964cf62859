# SPDX-License-Identifier: MIT
"""ssdpm.consistency: floor, spread, cliff and steady state of sustained writes."""

from __future__ import annotations

import copy
import dataclasses
import gzip
import io
import json
import pickle
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot

import ssdpm
from ssdpm import consistency, ftl

matplotlib.use("Agg")

# A plateau of 100 s, then 2600 to 3100, in turn.
COURSE = [80000] * 100 + [2600 + 500 * (i % 2) for i in range(1900)]


def log(*iops: float, first: int = 1) -> bytes:
    rows = (f"{1000 * (first + i)}, {v}, 1, 0\n" for i, v in enumerate(iops))
    return "".join(rows).encode()


def test_a_log_is_read_from_a_path_a_file_and_bytes(tmp_path: Path) -> None:
    data = log(*COURSE)
    path = tmp_path / "a_iops.log"
    path.write_bytes(gzip.compress(data))
    with path.open("rb") as file:
        for source in (path, str(path), data, io.BytesIO(data), memoryview(data), file):
            found = consistency.read(source)
            assert found.dtype == np.float64 and not found.flags.writeable
            assert found.tolist() == COURSE
        assert not file.closed


def test_one_kind_of_operation_is_read(tmp_path: Path) -> None:
    data = b"1000, 70, 0, 0\n1000, 30, 1, 0\n"
    assert consistency.read(data).tolist() == [100]
    assert consistency.read(data, op="read").tolist() == [70]
    assert consistency.measure(data, op="write").mean_iops == 30
    with pytest.raises(ssdpm.UnknownValueError, match="no operation of that kind"):
        consistency.read(data, op="discard")
    with pytest.raises(ValueError, match="op: 'flush' is none of"):
        consistency.read(data, op="flush")
    with pytest.raises(TypeError, match="it is for logs"):
        consistency.measure([1.0, 2.0], op="write")


def test_means_of_many_seconds_are_refused() -> None:
    with pytest.raises(ssdpm.FormatError, match="stand 10000 ms apart"):
        consistency.read(b"10000, 70, 1, 0\n20000, 70, 1, 0\n")


@pytest.mark.parametrize(
    "data, error, words",
    [
        (b"", ssdpm.UnknownValueError, "the log is empty"),
        (b"time,iops\n", ssdpm.FormatError, "no line of fio's --write_iops_log"),
        (b"2000, 1, 1, 0\n1000, 1, 1, 0\n", ssdpm.FormatError, "two jobs or two runs"),
        (b"1000, 1, 1, 0\n1500, 1, 1, 4096\n", ssdpm.FormatError, "means and single"),
        (b"1000, 1, 1, 0\n1000, 1, 1, 0\n", ssdpm.FormatError, "a second line at 1000"),
        (b"1, 1, 1, 4096\n", ssdpm.UnknownValueError, "within its first second"),
        (b"9" * 15 + b", 1, 1, 0\n", ssdpm.RangeError, "beyond 12 days"),
    ],
)
def test_what_is_no_log_is_refused_with_its_file(
    data: bytes, error: type[ssdpm.Error], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(data)
    with pytest.raises(error, match=words) as caught:
        consistency.measure(path)
    assert caught.value.filename == str(path)
    if error is ssdpm.FormatError:
        assert caught.value.line == data.count(b"\n")
    with pytest.raises(FileNotFoundError):
        consistency.read(tmp_path / "gone.log")


def test_the_numbers_are_those_of_numpy() -> None:
    chance = np.random.default_rng(7)
    iops = chance.gamma(3, 1000, 4321)
    found = consistency.measure(iops, threshold_iops=500, begin_s=10, end_s=4000)
    part = iops[10:4000]
    ranked = np.sort(part)
    assert found.n == 3990 and found.n_holes == 0
    assert found.floor_iops == part.min() and found.max_iops == part.max()
    assert found.p01_iops == ranked[int(np.ceil(0.001 * 3990)) - 1]
    assert found.p1_iops == ranked[int(np.ceil(0.01 * 3990)) - 1]
    assert found.mean_iops == pytest.approx(part.mean(), rel=1e-12)
    assert found.sd_iops == pytest.approx(part.std(ddof=1), rel=1e-12)
    assert found.variation == pytest.approx(part.std(ddof=1) / part.mean(), rel=1e-12)
    assert found.floor_share == pytest.approx(part.min() / part.mean(), rel=1e-12)
    assert found.n_below == int((part < 500).sum()) > 0
    assert found.below_share == found.n_below / 3990
    assert np.array_equal(found.iops, iops)


RATES = st.one_of(st.just(np.nan), st.floats(0, 1e12), st.integers(0, 9).map(float))


@given(st.lists(RATES, max_size=400), st.floats(0, 1e6))
def test_the_numbers_of_any_run_are_in_order(iops: list[float], limit: float) -> None:
    known = [one for one in iops if one == one]
    if not known:
        with pytest.raises(ssdpm.UnknownValueError):
            consistency.measure(iops, threshold_iops=limit)
        return
    found = consistency.measure(iops, threshold_iops=limit)
    ranks = [found.floor_iops, found.p01_iops, found.p1_iops, found.median_iops]
    assert ranks == sorted(ranks) and set(ranks) <= set(known)
    assert found.max_iops == max(known) and found.floor_iops == min(known)
    assert (found.n, found.n + found.n_holes) == (len(known), len(iops))
    assert found.n_below == sum(one < limit for one in known)
    least, most = found.floor_iops, found.max_iops
    assert least * (1 - 1e-12) <= found.mean_iops <= most * (1 + 1e-12)
    if found.cliff_s is not None:
        assert found.plateau_iops is not None
        assert iops[found.cliff_s] <= found.plateau_iops / 2
    if found.steady_s is not None:
        assert (found.cliff_s or 0) <= found.steady_s <= len(iops) - 300


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=50), st.data())
def test_a_log_of_means_is_read_whatever_holes_it_has(
    iops: list[int], data: st.DataObject
) -> None:
    """A line that is missing is a hole of one second: more than half of those are there
    from which the step is known."""
    kept = data.draw(st.lists(st.booleans(), min_size=len(iops), max_size=len(iops)))
    kept[:9] = [True] * min(9, len(iops))
    rows = [
        f"{1000 * (at + 1)}, {rate}, 1, 0\n"
        for at, (rate, keep) in enumerate(zip(iops, kept))
        if keep
    ]
    found = consistency.read("".join(rows).encode())
    assert len(found) == 1 + max(at for at, keep in enumerate(kept) if keep)
    for at, value in enumerate(found.tolist()):
        if kept[at]:
            assert value == iops[at]
        else:
            assert np.isnan(value)


def test_plateau_cliff_and_steady_state_are_found() -> None:
    found = consistency.measure(COURSE, begin_s=1400)
    assert (found.plateau_iops, found.cliff_s, found.steady_s) == (80000, 100, 100)
    assert (found.n, found.floor_iops, found.mean_iops) == (600, 2600, 2850)
    never = consistency.measure([5.0] * 9)
    assert never.plateau_iops is never.cliff_s is never.steady_s is None
    zero = consistency.measure([0, 0])
    assert zero.variation is zero.floor_share is None
    assert consistency.measure([4]).sd_iops is None


def test_holes_are_nan_and_no_zeros() -> None:
    data = log(*[50] * 5) + log(*[50] * 5, first=21)
    found = consistency.measure(data)
    assert (found.n, found.n_holes, found.floor_iops) == (10, 15, 50)
    assert np.isnan(found.iops[5:20]).all()
    with pytest.raises(ssdpm.UnknownValueError):
        consistency.measure([np.nan] * 3)


@pytest.mark.parametrize(
    "iops, options, error",
    [
        ([1, -1], {}, ssdpm.InvalidError),
        ([1, np.inf], {}, ssdpm.InvalidError),
        ([], {}, ssdpm.UnknownValueError),
        ([[1, 2]], {}, ValueError),
        (["x"], {}, TypeError),
        ([1], {"begin_s": 2}, ssdpm.InvalidError),
        ([1], {"begin_s": -1}, ssdpm.RangeError),
        ([1], {"end_s": 0}, ssdpm.RangeError),
        ([1], {"begin_s": 0.5}, TypeError),
        ([1], {"threshold_iops": -1}, ssdpm.RangeError),
        ([1], {"threshold_iops": np.nan}, ssdpm.RangeError),
        ([1], {"name": 5}, TypeError),
    ],
)
def test_what_makes_no_sense_is_refused(
    iops: Any, options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        consistency.measure(iops, **options)


def test_a_result_never_changes_and_is_equal_to_its_like() -> None:
    mine = np.array([1.0, np.nan, 3.0])
    found = consistency.measure(mine, name="a")
    mine[0] = 99
    assert found.iops[0] == 1 and not found.iops.flags.writeable
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.n = 5  # type: ignore[misc]
    assert found == copy.deepcopy(found) == pickle.loads(pickle.dumps(found))
    assert found != consistency.measure([1, np.nan, 3], name="b")
    assert found != consistency.measure([1, 2, 3], name="a")
    assert found != "a"


def test_several_stand_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "m.log"
    path.write_bytes(log(*COURSE))
    found = consistency.compare(
        {"m": path, "even": [300.0] * 1000}, threshold_iops=2700
    )
    assert [run.name for run in found] == ["m", "even"]
    assert found[1:] == (found[1],) and len(found) == 2
    assert found == consistency.compare(tuple(found))
    assert [line.split() for line in str(found).splitlines()] == [
        ["seconds", "floor", "p0.1", "p1", "mean", "variation", "floor/mean", "cliff"]
        + ["steady", "below", "2,700"],
        ["m", "2,000", "2,600", "2,600", "2,600", "6,708", "250.8", "%", "38.8", "%"]
        + ["100", "s", "100", "s", "47.5", "%"],
        ["even", "1,000", "300", "300", "300", "300", "0.0", "%", "100.0", "%", "-"]
        + ["0", "s", "100.0", "%"],
    ]
    assert "<td>even</td>" in found._repr_html_()
    assert repr(found).startswith("<ssdpm.consistency.Comparison of 2 runs>")
    assert str(consistency.measure(path)) == (
        "m.log: floor 2,600, mean 6,708 operations per second in 2,000 s, cliff at "
        "100 s, steady from 100 s on"
    )
    assert "floor_iops" in found[0]._repr_html_()
    with pytest.raises(TypeError, match="ssdpm.Consistency is needed"):
        consistency.compare(["m.log"])  # type: ignore[list-item]


def test_spare_area_is_what_makes_a_drive_faster() -> None:
    small = {"n_blocks": 1024, "seconds": 600, "begin_s": 300, "threshold_iops": 5000}
    found = consistency.simulate([0.07, 0.18, 0.25], **small)  # type: ignore[arg-type]
    assert [run.name for run in found] == ["spare 7 %", "spare 18 %", "spare 25 %"]
    means = [run.mean_iops for run in found]
    assert means == sorted(means) and means[-1] < 1e9 / consistency.COST.program_ns
    for run, spare in zip(found, (0.07, 0.18, 0.25)):
        wa = ssdpm.wa.calculate(spare)
        # Programs, a hundredth of each for the erased block; reads of what is moved.
        iops = 1e9 / consistency.COST.program_ns / (1.01 * wa + (wa - 1) / 10)
        assert 0.98 * iops < run.mean_iops < 1.05 * iops
        assert (run.n, len(run.iops)) == (300, 600)
    assert [run.n_below for run in found] == [300, 0, 0]
    small = {"n_blocks": 64, "seconds": 9}
    assert consistency.simulate([0.2], **small) == consistency.simulate([0.2], **small)  # type: ignore[arg-type]
    assert len(consistency.simulate([], **small)) == 0  # type: ignore[arg-type]
    consistency.simulate([0.2], collector="choices", **small)  # type: ignore[arg-type]
    for spare in (0, 1, -0.1, np.nan):
        with pytest.raises(ssdpm.RangeError):
            consistency.simulate([spare])


def test_a_simulation_is_a_drive_that_is_filled_and_written_to_anywhere() -> None:
    assert consistency.SPARES == (0.07, 0.25)
    usual = ftl.Cost.from_bandwidth(80_000_000, 64)
    small: dict[str, Any] = {"n_blocks": 64, "pages_per_block": 64, "seconds": 9}
    for collector, choices in (("greedy", None), ("fifo", None), ("choices", 10)):
        (found,) = consistency.simulate([0.2], collector=collector, **small)
        run = ftl.simulate(
            0.2, collector=collector, choices=choices, seed=1, fill=True, cost=usual, **small
        )
        assert found.iops.tolist() == run.iops.tolist()
    with pytest.raises(MemoryError, match="^seconds: "):
        consistency.simulate([0.2], seconds=2**32 - 1)
    with pytest.raises(TypeError, match="cost"):
        consistency.simulate([0.2], cost=5)  # type: ignore[arg-type]


def test_the_times_of_flash_follow_from_its_bandwidth() -> None:
    assert consistency.COST == ftl.Cost(
        host_ns=51_200, program_ns=51_200, read_ns=5_120, erase_ns=131_072
    )
    assert ftl.Cost.from_bandwidth(20_480_000, 64).erase_ns == 128_000
    for rate, pages in ((4095, 256), (None, 1), (None, 65537), (2**63, 256)):
        with pytest.raises(ssdpm.RangeError):
            ftl.Cost.from_bandwidth(rate, pages)


def test_power_is_known_where_it_is_stated() -> None:
    small: dict[str, Any] = {"n_blocks": 1024, "seconds": 40, "begin_s": 20}
    (plain,) = consistency.simulate([0.2], **small)
    assert plain.power_w is None
    assert plain.mean_power_w is plain.plateau_power_w is None
    # 200 us by the host, 100 by flash: at first it has time left.
    cost = ftl.Cost(
        host_ns=200_000, program_ns=100_000, program_nj=80_000, idle_uw=2_500_000
    )
    both = consistency.simulate([0.2, 0.5], cost=cost, **small)
    run = both[0]
    assert run.power_w is not None and not run.power_w.flags.writeable
    assert run.mean_power_w == pytest.approx(run.power_w[20:].mean())
    assert run.plateau_power_w == pytest.approx(run.power_w[:10].mean())
    assert run.power_w[0] == pytest.approx(2.5 + 5000 * 80e-6, rel=1e-3)
    assert run.mean_power_w > 1.05 * run.power_w[0]
    assert run.iops[20:].mean() < run.iops[0]
    assert str(both).splitlines()[0].endswith("steady           power")
    assert f" W -> {run.mean_power_w:.3g} W" in str(run)
    assert run == pickle.loads(pickle.dumps(run)) != plain
    axes = both.plot()
    (power,) = set(axes[0].get_figure().axes) - set(axes)  # type: ignore[union-attr]
    assert [len(np.asarray(line.get_ydata())) for line in power.lines] == [40, 40]
    assert power.get_ylabel() == "power (W)" and power.get_ylim()[0] == 0
    given = pyplot.subplots(1, 3)
    both.plot(given[1])
    assert len(given[0].axes) == 3
    assert len(plain.plot()[0].get_figure().axes) == 3  # type: ignore[union-attr]
    pyplot.close("all")


def test_power_may_be_measured_with_holes() -> None:
    found = consistency.measure([9.0] * 4, power_w=[1, np.nan, 3, 4], end_s=3)
    assert (found.mean_power_w, found.plateau_power_w) == (2, None)
    assert consistency.measure([9.0], power_w=[np.nan]).power_w is None
    # A second whose operations are not known does not count here either.
    holed = consistency.measure([9.0, np.nan, 9.0], power_w=[1, 50, 3])
    assert (holed.n, holed.mean_power_w) == (2, 2)
    assert json.loads(holed.to_json())["mean_power_uw"] == 2_000_000
    with pytest.raises(ValueError, match="2 are needed"):
        consistency.measure([9.0, 9.0], power_w=[1])
    for bad in (-1, np.inf):
        with pytest.raises(ssdpm.InvalidError, match="watts are 0 or more"):
            consistency.measure([9.0], power_w=[bad])


def test_three_pictures_are_drawn(tmp_path: Path) -> None:
    zeros = [0.0 if i % 7 == 0 else 900.0 for i in range(2000)]
    found = consistency.compare({"m": COURSE, "z": zeros})
    whole, late, linear = found.plot()
    assert [ax.get_yscale() for ax in (whole, late, linear)] == ["log", "log", "linear"]
    assert whole.get_xlim() == (0, 2000) and late.get_xlim() == (1400, 2000)
    assert linear.get_ylim() == (0, 40000)
    assert whole.get_ylim() == (100, 100000)
    drawn = np.asarray(linear.lines[0].get_ydata())
    assert drawn.tolist() == COURSE[1400:]
    # On a logarithmic scale a zero stands at the lower edge.
    assert np.asarray(whole.lines[1].get_ydata()).min() == 100
    legend = whole.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["m", "z"]
    figure = whole.get_figure(root=True)
    assert figure is not None
    figure.savefig(tmp_path / "three.png")
    assert (tmp_path / "three.png").stat().st_size > 20000
    pyplot.close("all")


def test_pictures_of_what_is_short_empty_or_fast_are_drawn() -> None:
    one = consistency.measure([90000.0] * 30)
    _, late, linear = one.plot(late_s=10)
    assert linear.get_ylim()[1] > 90000
    _, late, linear = one.plot()
    assert late.texts[0].get_text() == "no second from 1400 s on"
    given = pyplot.subplots(1, 3)[1]
    assert consistency.Comparison(()).plot(given) == tuple(given)
    consistency.measure([0.0, np.nan]).plot()[0].get_figure().canvas.draw()  # type: ignore[union-attr]
    pyplot.close("all")
