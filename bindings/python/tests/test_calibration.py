# SPDX-License-Identifier: MIT
"""ssdpm.measure.calibrate(): against what made the samples, and what it refuses."""

from __future__ import annotations

import copy
import errno
import functools
import json
import math
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pandas
import pytest
from hypothesis import given, settings

import ssdpm
from made import while_others_run
from ssdpm import measure
from ssdpm.measure import Calibration, Measured, MeasuredStatus
from test_plot import is_drawn, labels
from truth import Run, Truth, correlated, drive, run

S = 10**9

# Samples and I/Os of truth.py have one clock.
calibrate = functools.partial(measure.calibrate, offset_ns=0, meter_gain_ppm=0)


@functools.cache
def a_run(seed: int = 1, truth: Truth = Truth(), n: int = 3000) -> Run:
    return run(truth, seed, n)


@functools.cache
def found(seed: int = 1, truth: Truth = Truth()) -> Calibration:
    one = a_run(seed, truth)
    return calibrate(one.model, one.trace, one.signal)


def value(one: Measured | None) -> tuple[float, float, float]:
    assert one is not None
    assert one.low is not None and one.nominal is not None and one.high is not None
    return one.low, one.nominal, one.high


def holds(one: Measured, truth: Truth) -> bool:
    """Twice the interval: that 95 % hold once is counted in C."""
    low, _, high = value(one)
    slack = (high - low) / 2
    return low - slack <= truth.value(one.kind, one.index) <= high + slack


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "truth",
    [
        Truth(),
        Truth(rho=0.0, spikes=0.01),
        Truth(rho=0.9, idle_w=(1.2, 0.3, 0.05)),
        Truth(drift_w=0.08, exit_s=(0, 0.006, 0.03)),
    ],
    ids=["ar-0.6", "white-spikes", "ar-0.9", "drift"],
)
def test_what_made_the_samples_is_found(truth: Truth, seed: int) -> None:
    one = found(seed, truth)
    known = {(m.kind, m.index) for m in one.known}
    assert known == {
        ("idle_power_uw", 0),
        ("idle_power_uw", 1),
        ("idle_power_uw", 2),
        ("active_power_uw", 0),
        ("active_power_uw", 1),
        ("transition_power_uw", 0),
        ("exit_latency_us", 1),
        ("exit_latency_us", 2),
    }
    for measured in one.known:
        assert holds(measured, truth), str(measured)
        low, nominal, high = value(measured)
        assert 0 <= low <= nominal <= high and measured.n > 0
    assert one.sigma_w == pytest.approx(truth.noise_w, rel=0.15)
    assert one.offset_ns == one.offset_error_ns == 0
    assert one.n_samples == 3000 and one.bin_ns == S // 20


@pytest.mark.parametrize("seed", range(4))
def test_the_fit_is_the_power_without_its_noise(seed: int) -> None:
    truth = Truth(rho=0.3, spikes=0.005, drift_w=0.05)
    one, made = found(seed, truth), a_run(seed, truth)
    time_ns, power_w = one.fitted()
    assert time_ns[: len(made.signal)].tolist() == made.signal.times_ns().tolist()
    inside = power_w[: len(made.true_w)]
    assert not np.isnan(inside).any()
    # 8 parameters from about 1600 independent samples.
    assert float(np.std(inside - made.true_w)) < 0.25 * truth.noise_w
    assert abs(one.n_spikes - made.n_spikes) <= 6


def test_an_exit_latency_above_the_table_is_said_with_both_numbers() -> None:
    one = found()
    (slow,) = one.exceeding
    assert (slow.kind, slow.index, slow.unit) == ("exit_latency_us", 2, "us")
    assert slow.stated == 8000 and value(slow)[0] > 8000
    assert "measured exit latency exceeds the table: " in slow.reason
    assert "the table says 8000 us" in slow.reason
    quick = one.get("exit_latency_us", 1)
    assert quick is not None and not quick.exceeds and quick.reason == ""


@pytest.mark.parametrize("offset_ns", [1_234_567_890, -1_900_000_000])
def test_clocks_that_differ_are_brought_together(offset_ns: int) -> None:
    truth = Truth(offset_ns=offset_ns)
    made = run(truth, 3, 2000)
    one = calibrate(made.model, made.trace, made.signal, max_offset_ns=3 * S)
    assert 0 < one.offset_error_ns < 2_000_000
    assert abs(one.offset_ns - offset_ns) <= 2 * one.offset_error_ns
    assert "apart" in repr(one)
    told = calibrate(made.model, made.trace, made.signal, offset_ns=offset_ns)
    assert told.offset_error_ns == 0
    assert holds(told.known[0], truth)


def test_clocks_that_have_nothing_in_common_are_brought_together(
    tmp_path: Path,
) -> None:
    """The samples of a file begin at 0, I/Os of other tools at the epoch."""
    made = a_run()
    path = tmp_path / "watts.csv"
    rows = zip(made.signal.times_ns().tolist(), made.signal.power_w.tolist())
    path.write_text("time_ns,power_w\n" + "".join(f"{t},{w!r}\n" for t, w in rows))
    records = made.trace.records.copy()
    records["start_ns"] += np.uint64(1_700_000_000 * S)
    # The samples began a second before the I/Os did.
    signal = measure.read_power(path)
    one = measure.calibrate(made.model, records, signal)
    true_ns = 1_700_000_000 * S + made.signal.start_ns
    assert abs(one.offset_ns - true_ns) <= 2 * one.offset_error_ns < 1_000_000
    assert all(holds(m, Truth()) for m in one.known) and len(one.known) == 8
    assert not np.isnan(one.fitted()[1][1:3000]).any()


@settings(max_examples=15)
@given(st.integers(-(10**18), 10**18))
def test_an_offset_that_is_told_is_as_good_as_the_same_clock(offset_ns: int) -> None:
    made = a_run()
    moved = measure.Signal(
        made.signal.power_w,
        rate_hz=20,
        start_ns=made.signal.start_ns - offset_ns,
    )
    one = calibrate(made.model, made.trace, moved, offset_ns=offset_ns)
    assert one.measured == found().measured and one.offset_ns == offset_ns


@settings(max_examples=15)
@given(st.integers(-8, 8))
def test_an_instrument_that_shows_twice_as_much_gives_twice_the_powers(
    power_of_two: int,
) -> None:
    made, factor = a_run(), 2.0**power_of_two
    one = calibrate(
        made.model,
        made.trace,
        made.signal.power_w * factor,
        rate_hz=20,
        start_ns=made.signal.start_ns,
    )
    for before, after in zip(found().measured, one.measured):
        assert (before.kind, before.status) == (after.kind, after.status)
        if before.status == "known":
            scale = factor if before.kind.endswith("_uw") else 1
            expected = [scale * v for v in value(before)]
            assert list(value(after)) == pytest.approx(expected, rel=1e-6)


def test_the_energy_of_operations_is_told_from_their_power() -> None:
    truth = Truth(operation_j=0.05, exit_s=(0, 0.0001, 0.0001), noise_w=0.01)
    made = run(truth, 4, 4000)
    one = calibrate(made.model, made.trace, made.signal, operation_energy=True)
    energies = [m for m in one.known if m.kind == "operation_energy_nj"]
    assert [m.index for m in energies] == [0, 1]
    assert all(holds(m, truth) for m in energies)
    assert energies[0].unit == "nJ" and " mJ (" in str(energies[0])
    time_ns, power_w = one.fitted()
    error = power_w[: len(made.true_w)] - made.true_w
    assert float(np.std(error)) < truth.noise_w
    without = calibrate(made.model, made.trace, made.signal)
    assert without.get("operation_energy_nj") is None
    bytes_too = calibrate(
        made.model, made.trace, made.signal, operation_energy=True, byte_energy=True
    )
    assert bytes_too.get("byte_energy_pj", 1) is not None
    assert len(bytes_too.fitted()[1]) == len(power_w)


def test_what_is_known_of_the_meter_is_stated_or_found() -> None:
    made = a_run()
    meter = found().meter
    assert meter.known == ("gain",) and meter.gain_ppm == 0
    assert meter.sampling == "mean" and meter.response_ns == meter.clock_ppb == 0
    wide = measure.calibrate(made.model, made.trace, made.signal, offset_ns=0)
    assert wide.meter.known == () and wide.meter.gain_ppm == 50000
    low, _, high = value(wide.get("idle_power_uw"))
    near = value(found().get("idle_power_uw"))
    assert low == pytest.approx(near[0] / 1.05) and high == pytest.approx(near[2] / 0.95)
    one = calibrate(made.model, made.trace, made.signal, meter_sampling="point")
    assert one.contradiction is measure.Contradiction.SAMPLING
    assert one.known == () and "refused for sampling" in str(one)
    again = Calibration.from_json(one.to_json())
    assert again.meter == one.meter and again.contradiction is one.contradiction
    assert again.to_json() == one.to_json()
    refused = "the run is refused, and no parameter is known: the data contradict what"
    for refuse in (
        lambda: again.parameters(made.model),
        lambda: ssdpm.estimate(made.model, made.trace, measured=again),
    ):
        with pytest.raises(ssdpm.InvalidError, match=refused):
            refuse()
    stated = calibrate(
        made.model,
        made.trace,
        made.signal,
        meter_sampling="mean",
        meter_response_ns=0,
        meter_drift_uw=0,
        meter_clock_ppb=-10,
    )
    assert stated.meter.clock_ppb == -10 and stated.contradiction is None
    assert set(stated.meter.known) == {"sampling", "response", "drift", "gain", "clock"}
    with pytest.raises(ssdpm.RangeError):
        calibrate(made.model, made.trace, made.signal, meter_clock_ppb=2**31)
    with pytest.raises(ValueError):
        calibrate(made.model, made.trace, made.signal, meter_sampling="median")


def in_pairs() -> tuple[ssdpm.Trace, measure.Signal]:
    """In every third second a read of 100 ms and a write of twice that."""
    begin = 3 * S * np.arange(14)
    trace = ssdpm.Trace.from_columns(
        start_ns=np.stack((begin, begin + 200_000_000), axis=1).ravel(),
        op=["read", "write"] * 14,
        service_ns=[100_000_000, 200_000_000] * 14,
    )
    rng = np.random.default_rng(17)
    power = 1 + 0.8 * (np.arange(40) % 3 == 0) + 0.01 * rng.standard_normal(40)
    return trace, measure.Signal(power, rate_hz=1, start_ns=S // 2)


def test_what_always_goes_together_is_not_identifiable() -> None:
    trace, signal = in_pairs()
    one = calibrate(drive(), trace, signal, table=None)
    for index in (0, 1):
        active = one.get("active_power_uw", index)
        assert active is not None
        assert active.status is MeasuredStatus.NOT_IDENTIFIABLE
        assert active.low is active.nominal is active.high is None
        assert "not identifiable from this data" in active.reason
        assert "active_power_uw" in active.reason
        assert str(active).startswith(
            f"active power of {('read', 'write')[index]}: not-identifiable: not "
        )
    # What they have nothing to do with is known all the same.
    assert value(one.get("idle_power_uw"))[1] == pytest.approx(1e6, rel=0.01)
    asleep = one.get("idle_power_uw", 1)
    assert asleep is not None and asleep.status == "not-reached"
    # Of such a step the fit is not shown.
    _, power_w = one.fitted()
    assert np.isnan(power_w[:40]).tolist() == [i % 3 == 0 for i in range(40)]
    assert np.nanmax(np.abs(power_w[:40] - 1)) < 0.02


def test_of_few_wakes_no_exit_latency_is_told() -> None:
    made = a_run(0, n=300)
    one = calibrate(made.model, made.trace, made.signal)
    for state in (1, 2):
        few = one.get("exit_latency_us", state)
        assert few is not None and few.status is MeasuredStatus.TOO_FEW
        assert 0 < few.n < 5 and few.nominal is None
        assert few.reason.startswith("fewer than 5 I/Os")
    base = ssdpm.parameters(made.model)
    kept = [p for p in one.parameters(base) if p.kind == "exit_latency_us"]
    assert kept == [p for p in base if p.kind == "exit_latency_us"]


def test_a_power_below_zero_is_no_power() -> None:
    made = a_run()
    one = calibrate(
        made.model,
        made.trace,
        made.signal.power_w - 3,
        rate_hz=20,
        start_ns=made.signal.start_ns,
    )
    idle = one.get("idle_power_uw", 0)
    assert idle is not None and idle.status is MeasuredStatus.NEGATIVE
    assert "the instrument has an offset" in idle.reason and idle.low is None


def test_a_trace_may_come_in_parts() -> None:
    made = a_run()
    parts = (made.trace[i : i + 100] for i in range(0, len(made.trace), 100))
    assert calibrate(made.model, parts, made.signal) == found()
    records = made.trace.records
    assert calibrate(made.model, records, made.signal) == found()


def test_samples_with_times_are_as_good_as_those_with_a_rate() -> None:
    made = a_run()
    times = made.signal.times_ns()
    again = calibrate(made.model, made.trace, made.signal.power_w, times=times)
    assert again == found()
    stamps = times.astype("datetime64[ns]")
    assert again == calibrate(made.model, made.trace, made.signal.power_w, times=stamps)


def test_samples_that_are_no_number_are_left_out() -> None:
    made = a_run()
    power = made.signal.power_w.copy()
    power[100:160] = math.nan
    power[500] = math.inf
    one = calibrate(
        made.model, made.trace, power, rate_hz=20, start_ns=made.signal.start_ns
    )
    assert one.n_bins == found().n_bins - 61
    assert all(holds(m, Truth()) for m in one.known)
    with pytest.raises(ssdpm.UnknownValueError):
        calibrate(made.model, made.trace, np.full(50, math.nan), rate_hz=20)


def test_bad_signals_and_traces_are_refused_with_the_cause() -> None:
    made = a_run()
    power, model, trace = made.signal.power_w, made.model, made.trace

    def refused(error: type[Exception], words: str, *args: Any, **more: Any) -> None:
        with pytest.raises(error, match=words):
            calibrate(*args, **more)

    refused(
        TypeError, "^power: .* not int16", model, trace, np.ones(9, "i2"), rate_hz=1
    )
    refused(ValueError, "^power: .*shape", model, trace, np.ones((9, 2)), rate_hz=1)
    refused(TypeError, "Pass rate_hz", model, trace, power)
    refused(TypeError, "^trace: ", model, "trace.gz", made.signal)
    refused(TypeError, "^model: ", "drive", trace, made.signal)
    refused(TypeError, "^trace: ", model, np.ones(4), made.signal)
    times = made.signal.times_ns().copy()
    times[50] = times[10]
    refused(ssdpm.InvalidError, "do not ascend", model, trace, power, times=times)
    records = trace.records.copy()
    records["start_ns"][5] = 0
    refused(ssdpm.InvalidError, "5", model, records, made.signal)
    refused(ssdpm.UnknownValueError, "no I/O", model, trace[:0], made.signal)
    refused(ssdpm.UnknownValueError, "no I/O", model, iter(()), made.signal)
    unknown = ssdpm.Trace.from_columns(start_ns=[1, 2])
    refused(ssdpm.UnknownValueError, "service time", model, unknown, made.signal)
    few = measure.Signal(power[:10], rate_hz=20, start_ns=made.signal.start_ns)
    refused(ssdpm.UnknownValueError, "things to know need more", model, trace, few)
    away = measure.Signal(power, rate_hz=20, start_ns=-(10**15))
    refused(ssdpm.UnknownValueError, "steps of time have both", model, trace, away)
    refused(ssdpm.TooLargeError, "bin_ns", model, trace, made.signal, bin_ns=1)


@pytest.mark.parametrize(
    ("name", "bad", "error"),
    [
        ("offset_ns", 2**70, ssdpm.RangeError),
        ("offset_ns", 2**62, ssdpm.RangeError),
        ("offset_ns", 0.5, TypeError),
        ("max_offset_ns", -1, ssdpm.RangeError),
        ("max_offset_ns", 2**61, ssdpm.RangeError),
        ("bin_ns", -1, ssdpm.RangeError),
        ("bin_ns", None, TypeError),
        ("operation_energy", 1, TypeError),
        ("byte_energy", "yes", TypeError),
        ("lpm", "min_power", ssdpm.InvalidError),
        ("table", "linus", ValueError),
        ("pcie_link", "l9", ValueError),
        ("idle_from_start", None, TypeError),
        ("parameters", [1], TypeError),
    ],
)
def test_an_argument_that_cannot_be_is_refused_by_name(
    name: str, bad: Any, error: type[Exception]
) -> None:
    made = a_run()
    with pytest.raises(error, match=f"^({name}|{name.split('_')[0]}|offset): "):
        calibrate(made.model, made.trace, made.signal, **{name: bad})


def test_estimates_take_what_was_measured() -> None:
    made, one = a_run(), found()
    trace = ssdpm.generate("lomax", seed=3, n_ios=500)
    assumed = ssdpm.estimate(made.model, trace)
    better = ssdpm.estimate(made.model, trace, measured=one)

    def width(estimate: ssdpm.Estimate) -> int:
        return estimate.high.energy_nj - estimate.low.energy_nj

    assert width(better) < width(assumed) / 10
    assert better.assumed_nj < assumed.assumed_nj / 10
    given = one.parameters(ssdpm.parameters(made.model))
    assert better == ssdpm.estimate(made.model, trace, parameters=given)
    assert given == ssdpm.parameters(made.model, measured=one)
    assert given == one.parameters(made.model)
    assert better.nominal.delay_max_ns >= 50_000_000 > assumed.nominal.delay_max_ns
    for parameter in given:
        measured = one.get(parameter.kind, parameter.index)
        if measured is not None and measured.status == "known":
            low, nominal, high = value(measured)
            assert parameter.provenance == "measured"
            assert parameter.low == math.floor(low)
            assert parameter.nominal == math.floor(nominal + 0.5)
            assert parameter.high == math.ceil(high)


def test_every_question_takes_what_was_measured() -> None:
    model, one = drive(), found()
    trace = ssdpm.generate("lomax", seed=3, n_ios=300)
    given = one.parameters(model)
    asked: list[Any] = [
        lambda **p: ssdpm.compare(model, trace, **p).policies,
        lambda **p: ssdpm.sweep(model, trace, ["linux", "none"], **p).tolist(),
        lambda **p: ssdpm.clairvoyant(model, trace, **p),
        lambda **p: ssdpm.best_table(model, trace, **p).run,
        lambda **p: ssdpm.recommend(model, trace, **p)[0].run,
    ]
    for question in asked:
        assert question(measured=one) == question(parameters=given)
        assert question(measured=one) != question()
    simulation = ssdpm.Simulation(model, measured=one)
    simulation.feed(trace)
    assert simulation.finish() == ssdpm.estimate(model, trace, parameters=given)


def test_values_of_your_own_come_after_what_was_measured() -> None:
    stated = ssdpm.parameters(drive(), measured=found(), idle_power_w={"PS0": 0.5})
    first, second = stated[:2]
    assert (first.provenance, first.low, first.high) == ("stated", 500_000, 500_000)
    assert second.provenance == "measured"
    with pytest.raises(ValueError, match="^parameters, measured: one of both"):
        ssdpm.estimate(drive(), a_run().trace, parameters=stated, measured=found())


def test_what_is_measured_of_another_drive_is_refused() -> None:
    one, trace = found(), a_run().trace
    assert one.match(drive()) == "same"
    assert one.match(drive(firmware="2.0")) == "other-firmware"
    other = drive("ACME Other")
    assert one.match(other) == "other-drive"
    with pytest.raises(ssdpm.InvalidError, match="of 'ACME Truth', and the drive is"):
        ssdpm.estimate(other, trace, measured=one)
    assert ssdpm.estimate(other, trace, parameters=one.parameters(other))
    assert replace(one, product=None).match(other) == "unknown"
    fewer = ssdpm.Model.from_states([ssdpm.PowerState(operational=True)], apsta=0)
    with pytest.raises(ssdpm.NotFoundError):
        one.parameters(fewer)
    wrong: Any = "measured.json"
    with pytest.raises(TypeError, match=r"Calibration\.load\(\) reads a file"):
        ssdpm.parameters(drive(), measured=wrong)


def test_what_was_measured_is_a_file(tmp_path: Path) -> None:
    one = replace(found(), power_name="watts.csv", trace_name="ios", date="2026-11-22")
    path = tmp_path / "measured.json"
    one.save(path)
    again = Calibration.load(path)
    assert json.loads(path.read_text())["schema"] == "ssdpm.overlay/1"
    assert again.to_json() == one.to_json() == path.read_text()
    assert again.parameters(drive()) == one.parameters(drive())
    for name in ("product", "firmware", "policy", "power_name", "trace_name", "date"):
        assert getattr(again, name) == getattr(one, name)
    assert (again.kind, again.pcie_link, again.lpm) == ("nvme", "l1.2", None)
    assert again.policy == "linux: PS0 to PS1 after 100 ms, PS1 to PS2 after 2 s"
    assert (again.n_samples, again.n_ios) == (3000, len(a_run().trace))
    with pytest.raises(ValueError, match="the samples are not in a file"):
        again.fitted()
    path.write_text('{"schema": "ssdpm.model/1"}')
    with pytest.raises(ssdpm.FormatError, match=r"measured\.json:1: schema: "):
        Calibration.load(path)
    with pytest.raises(FileNotFoundError):
        Calibration.load(tmp_path / "none")


def test_the_names_of_the_files_that_were_read_and_the_date_are_kept(
    tmp_path: Path,
) -> None:
    made = a_run()
    rows = zip(made.signal.times_ns(), made.signal.power_w)
    text = "".join(f"{t},{w}\n" for t, w in rows)
    (tmp_path / "watts.csv").write_text("time_ns,power_w\n" + text)
    made.trace.save(tmp_path / "ios.npy")
    power = measure.read_power(tmp_path / "watts.csv")
    trace = ssdpm.read_trace(tmp_path / "ios.npy")
    assert (power.name, trace.name) == ("watts.csv", "ios.npy")
    assert pickle.loads(pickle.dumps(power)).name == "watts.csv"
    assert copy.copy(trace).name == "ios.npy" and trace[:9].name is None
    one = measure.calibrate(made.model, trace, power, date="2026-11-22")
    assert (one.power_name, one.trace_name) == ("watts.csv", "ios.npy")
    assert one.date == "2026-11-22"
    again = Calibration.from_json(one.to_json())
    assert (again.power_name, again.trace_name) == ("watts.csv", "ios.npy")
    with ssdpm.iter_trace(tmp_path / "ios.npy") as parts:
        assert parts.name == "ios.npy"
        one = measure.calibrate(made.model, parts, made.signal)
    assert (one.power_name, one.trace_name, one.date) == (None, "ios.npy", None)
    assert ssdpm.read_trace((tmp_path / "ios.npy").read_bytes()).name is None


@pytest.mark.parametrize(
    ("name", "text"),
    [("date", "x" * 32), ("power_name", "é" * 128), ("product", "x" * 41)],
)
def test_a_text_that_a_file_has_no_room_for_is_refused(name: str, text: str) -> None:
    facts: Any = {name: text}
    with pytest.raises(ssdpm.InvalidError, match=f"^{name}: longer than"):
        replace(found(), **facts).to_json()
    facts = {name: "a\nb"}
    with pytest.raises(ssdpm.InvalidError, match=f"^{name}: .*control character"):
        replace(found(), **facts).to_json()


kinds = st.sampled_from(
    ["idle_power_uw", "active_power_uw", "transition_power_uw", "exit_latency_us"]
)


@st.composite
def measurements(draw: st.DrawFn) -> Measured:
    kind = draw(kinds)
    most = {"active_power_uw": 3, "transition_power_uw": 0}.get(kind, 2)
    least = 1 if kind == "exit_latency_us" else 0
    status = draw(st.sampled_from(MeasuredStatus))
    low, nominal, high = sorted(draw(st.tuples(*[st.floats(0, 1e9)] * 3)))
    known = status == "known"
    return Measured(
        kind=kind,
        index=draw(st.integers(least, most)),
        status=status,
        exceeds=False,
        n=draw(st.integers(0, 2**40)),
        low=low if known else None,
        nominal=nominal if known else None,
        high=high if known else None,
        stated=float(draw(st.integers(0, 10**12))),
        reason="" if known else draw(st.sampled_from(["why", 'so "it" is', "ä"])),
    )


ORDER = {
    kind: i
    for i, kind in enumerate(
        ("idle_power_uw", "active_power_uw", "transition_power_uw", "exit_latency_us")
    )
}


@given(
    st.lists(measurements(), max_size=12, unique_by=lambda m: (m.kind, m.index)),
    st.integers(-(2**60), 2**60),
    st.none() | st.floats(0, 1e3),
    st.booleans(),
)
def test_any_measurement_survives_its_file(
    measured: list[Measured], offset_ns: int, sigma_w: float | None, start: bool
) -> None:
    measured.sort(key=lambda m: (ORDER[m.kind], m.index))
    one = replace(
        found(),
        measured=tuple(measured),
        offset_ns=offset_ns,
        sigma_w=sigma_w,
        idle_from_start=start,
    )
    again = Calibration.from_json(one.to_json())
    assert again.to_json() == one.to_json()
    statuses = {m.status for m in measured}
    if "contradicted" in statuses and "known" not in statuses:
        for refused in one, again:
            with pytest.raises(ssdpm.InvalidError, match="the run is refused"):
                refused.parameters(drive())
    else:
        assert again.parameters(drive()) == one.parameters(drive())
    assert Calibration.from_json(again.to_json().encode()) == again
    assert [(m.kind, m.index, m.status, m.n, m.reason) for m in again.measured] == [
        (m.kind, m.index, m.status, m.n, m.reason) for m in measured
    ]
    assert (again.offset_ns, again.idle_from_start) == (offset_ns, start)
    assert again._repr_html_().startswith("<table>") and str(again)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(text: bytes) -> None:
    with pytest.raises(ssdpm.Error):
        Calibration.from_json(text)


def test_a_link_of_sata_is_calibrated_under_its_policy() -> None:
    sata = ssdpm.Model.from_states(
        [
            ssdpm.PowerState(
                operational=True, link_state="active", max_power_uw=3_000_000
            )
        ],
        kind="sata",
        product="ACME Link",
    )
    rng = np.random.default_rng(2)
    start = np.arange(0, 60 * S, S)
    trace = ssdpm.Trace.from_columns(
        start_ns=start,
        op=np.where(start // S % 2, "read", "write"),
        service_ns=300_000_000,
    )
    busy = np.tile([True] * 3 + [False] * 7, 60)
    level = np.where(busy, np.where(np.arange(600) // 10 % 2, 2.0, 3.0), 0.6)
    power = level + 0.01 * correlated(rng, 600, 0.5)
    one = calibrate(
        sata, trace, power, rate_hz=10, start_ns=50_000_000, lpm="max_performance"
    )
    assert (one.kind, one.lpm, one.policy) == (
        "sata",
        "max_performance",
        "max_performance",
    )
    assert one.pcie_link is None
    assert value(one.get("idle_power_uw"))[1] == pytest.approx(0.6e6, rel=0.02)
    assert value(one.get("active_power_uw", 0))[1] == pytest.approx(2e6, rel=0.02)
    assert value(one.get("active_power_uw", 1))[1] == pytest.approx(3e6, rel=0.02)
    assert np.nanmax(np.abs(one.fitted()[1][:600] - level)) < 0.02
    assert Calibration.from_json(one.to_json()).lpm == "max_performance"
    with pytest.raises(ssdpm.UnsupportedError, match="^table: "):
        calibrate(sata, trace, power, "windows:balanced:ac", rate_hz=10)


def test_a_calibration_says_what_it_is_in_text_and_html() -> None:
    one = found()
    assert repr(one).startswith(
        "<ssdpm.measure.Calibration ACME Truth: 8 of 10 parameters known, noise "
    )
    lines = str(one).splitlines()
    assert lines[1].startswith("  idle power of PS0: ")
    assert lines[-1].endswith("the table says 8000 us")
    assert not any("flush" in line for line in lines)
    html = one._repr_html_()
    assert html.startswith("<table>") and "not-reached" in html
    assert one.measured[0]._repr_html_().startswith("<table>")
    assert one.measured[0] == copy.deepcopy(one.measured[0])
    assert hash(one.measured[0]) == hash(copy.copy(one.measured[0]))


def test_what_was_measured_is_a_frame_of_pandas() -> None:
    frame = pandas.DataFrame(found().measured).set_index(["kind", "index"])
    assert frame.loc[("exit_latency_us", 2), "exceeds"]
    assert (frame[frame.status == "known"].low > 0).all()
    assert frame[frame.status != "known"].low.isna().all()


def test_a_calibration_goes_to_other_processes_with_its_samples() -> None:
    again = pickle.loads(pickle.dumps(found()))
    assert again == found()
    assert np.array_equal(again.fitted()[1], found().fitted()[1], equal_nan=True)


def test_the_fit_is_drawn_over_the_samples(tmp_path: Path) -> None:
    ax = found().plot()
    assert labels(ax) == ["samples", "fitted"]
    assert ax.get_title().startswith("ACME Truth: 8 of 10 parameters known")
    samples, fit = (np.asarray(line.get_ydata()) for line in ax.lines[:2])
    assert samples.max() == found()._run.signal.power_w.max()  # type: ignore[union-attr]
    assert abs(np.nanmax(fit) - 4.5) < 0.02
    is_drawn(ax, tmp_path / "fit.png")


def test_intervals_are_drawn_beside_what_was_known_before(tmp_path: Path) -> None:
    one = found()
    ax = one.plot("parameters")
    ticks = [text.get_text() for text in ax.get_yticklabels()]
    assert len(ticks) == len(one.known) == 8
    assert ticks[0].startswith("idle power of PS0\n")
    assert "longer than the drive says" in labels(ax)
    is_drawn(ax, tmp_path / "parameters.png")
    loaded = Calibration.from_json(one.to_json())
    assert "the most before" in labels(loaded.plot("parameters"))
    is_drawn(loaded.plot("parameters"), tmp_path / "loaded.png")
    with pytest.raises(ValueError, match="the samples are not in a file"):
        loaded.plot()
    with pytest.raises(ValueError, match="^kind: 'pie' is none of 'fit', 'parameters'"):
        one.plot("pie")
    nothing = replace(one, measured=())
    is_drawn(nothing.plot("parameters"), tmp_path / "nothing.png")


def test_other_threads_run_while_a_drive_is_calibrated() -> None:
    made = a_run(3, n=20_000)
    found = while_others_run(
        lambda: calibrate(made.model, made.trace, made.signal, bin_ns=S // 20)
    )
    assert found.n_bins > 19_000


def test_a_signal_that_never_changes_is_not_connected() -> None:
    made = a_run()
    constant = np.full(3000, 1.0)
    with pytest.raises(ssdpm.Error, match="all samples are the same") as caught:
        calibrate(
            made.model,
            made.trace,
            constant,
            rate_hz=20,
            start_ns=made.signal.start_ns,
        )
    assert caught.value.errno == errno.EDOM
