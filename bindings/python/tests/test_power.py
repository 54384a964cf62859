# SPDX-License-Identifier: MIT
"""Samples of power from files: read back, in pieces, and what bad ones give."""

from __future__ import annotations

import gzip
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ssdpm
from made import while_others_run
from ssdpm import measure

S = 10**9

# Of instruments: up to 15 digits; and any doubles.
watts = st.integers(-(10**15), 10**15).map(lambda n: n / 10**9)
doubles = st.floats(-1e12, 1e12, allow_subnormal=False).map(
    lambda w: w if abs(w) > 1e-12 else 0.0
)
samples = st.lists(st.tuples(st.integers(1, 10**12), watts), min_size=2, max_size=60)


def as_csv(times: list[int], powers: list[float], separator: str = ",") -> bytes:
    rows = (f"{t}{separator}{w!r}\n" for t, w in zip(times, powers))
    return f"time_ns{separator}power_w\n".encode() + "".join(rows).encode()


def the_same(one: measure.Signal, other: measure.Signal) -> bool:
    return np.array_equal(one.times_ns(), other.times_ns()) and np.array_equal(
        one.power_w, other.power_w, equal_nan=True
    )


@given(samples, st.integers(0, 2**60), st.sampled_from([",", ";", "\t", " "]))
def test_what_is_written_as_text_comes_back(
    rows: list[tuple[int, float]], begin: int, separator: str
) -> None:
    steps, powers = zip(*rows)
    times = [0, *np.cumsum(steps[1:], dtype=np.int64).tolist()]
    found = measure.read_power(
        as_csv([begin + t for t in times], list(powers), separator)
    )
    # The first time is 0.
    assert found.times_ns().tolist() == times
    assert found.power_w.tolist() == list(powers)
    assert found.counts == measure.PowerCounts(len(rows) + 1, len(rows), 0, 0)


@given(st.lists(doubles, min_size=1, max_size=60))
def test_any_double_comes_back_to_two_units_of_its_last_place(
    powers: list[float],
) -> None:
    found = measure.read_power(as_csv(list(range(len(powers))), powers)).power_w
    error = np.abs(found - np.array(powers))
    assert (error <= 2 * np.spacing(np.abs(powers))).all()


@given(
    st.lists(st.integers(-(2**15), 2**15 - 1), min_size=1, max_size=100),
    st.floats(1e-6, 1e3),
)
def test_raw_numbers_come_back_times_their_scale(
    codes: list[int], scale: float
) -> None:
    raw = np.array(codes, "<i2").tobytes()
    found = measure.read_power(raw, format="int16", rate_hz=48_000, scale=scale)
    assert found.power_w.tolist() == [code * scale for code in codes]
    assert found.time_ns is None and found.interval_ns == S / 48_000
    floats = np.array(codes, "<f4").tobytes()
    again = measure.read_power(floats, format="float32", rate_hz=1000)
    assert again.power_w.tolist() == codes


@given(samples, st.integers(1, 70))
def test_the_energy_of_all_pieces_is_that_of_the_whole(
    rows: list[tuple[int, float]], chunk: int
) -> None:
    steps, powers = zip(*rows)
    text = as_csv(np.cumsum(steps, dtype=np.int64).tolist(), list(powers))
    whole = measure.energy(measure.read_power(text), max_gap_ns=2**62)
    integral = measure.Integral(max_gap_ns=2**62)
    lengths = []
    for part in measure.iter_power(text, chunk=chunk):
        lengths.append(len(part))
        integral.feed(part)
    found = integral.energy()
    assert found.n == whole.n and found.covered_ns == whole.covered_ns
    size = max(abs(whole.min_power_w), abs(whole.max_power_w)) * whole.covered_s
    assert found.energy_j == pytest.approx(whole.energy_j, rel=0, abs=1e-14 * size)
    assert sum(lengths) == len(rows) and set(lengths[:-1]) <= {chunk}


def test_files_are_read_packed_or_not_by_path_by_file_and_from_bytes(
    tmp_path: Path,
) -> None:
    text = as_csv([0, S, 3 * S], [1.0, 2.0, 4.0])
    plain, packed = tmp_path / "w.csv", tmp_path / "w.csv.gz"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    whole = measure.read_power(text)
    for source in (plain, str(packed), bytearray(text), io.BytesIO(text)):
        assert the_same(measure.read_power(source), whole)
    with plain.open("rb") as file:
        assert the_same(measure.read_power(file), whole)
        assert not file.closed
    with pytest.raises(TypeError, match="open it as 'rb'"):
        measure.read_power(io.StringIO("1"))  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        measure.read_power(tmp_path / "none")


def test_columns_are_named_by_the_file_or_by_the_caller() -> None:
    mixed = b"Time [ms];Voltage_mV;note;Current [mA]\n0;5000;a;100\n10;4900;b;200\n"
    found = measure.read_power(mixed)
    assert found.power_w.tolist() == pytest.approx([0.5, 0.98])
    assert found.times_ns().tolist() == [0, 10_000_000]
    named = measure.read_power(b"7 1\n8 2\n", "-,power_mw", rate_hz=4)
    assert named.power_w.tolist() == [0.001, 0.002]
    assert named.times_ns().tolist() == [0, S // 4]


def test_a_shunt_gives_the_power_of_what_is_behind_it() -> None:
    text = b"time_s,shunt_mv\n0,50\n1,100\n"
    found = measure.read_power(text, shunt_ohm=0.1, supply_v=5)
    assert found.power_w.tolist() == pytest.approx([0.5 * 4.95, 1.0 * 4.9])


def test_counters_that_wrap_and_that_reset_are_told_apart() -> None:
    text = b"time_s,energy_j\n0,90\n1,95\n2,1\n3,4\n"
    wrapped = measure.read_power(text, counter_j=100)
    assert wrapped.power_w.tolist() == [5, 5, 6, 3]
    assert wrapped.counts is not None and wrapped.counts.n_wraps == 1
    reset = measure.read_power(text)
    assert reset.counts is not None and reset.counts.n_resets == 1
    assert np.isnan(reset.power_w).tolist() == [False, False, True, False]
    assert "n_resets" in reset.counts._repr_html_()


def test_what_is_no_number_is_nan_and_energy_says_so() -> None:
    found = measure.read_power(b"time_s,power_w\n0,1\n1,nan\n2,\n3,2\n")
    assert np.isnan(found.power_w).tolist() == [False, True, True, False]
    assert measure.energy(found).remarks == ("not-finite",)


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        (b"", {}, "empty"),
        (b"1,2\n", {}, "no names of columns|names no columns|time_s,power_w"),
        (b"time_s,power_w\n0,1\n1,x\n", {}, '^line 3: column 2: "x" is no number'),
        (b"time_s,power_w\n0,1\n1\n", {}, "^line 3: 1 of 2 columns"),
        (b"power_w\n1\n", {}, "rate"),
        (b"time_s,volts\n0,1\n", {}, "make no power"),
        (b"time_s,shunt_v\n0,1\n", {}, "shunt"),
        (b"\0\0\0\0", {}, "no text"),
        (b"\0\0\0", {"format": "int16", "rate_hz": 1}, "ends within a sample"),
        (b"\0\0", {"format": "int16"}, "need a rate"),
        (b"time_s,power_w\n", {"columns": "what"}, "what"),
        (b"power_w\n1\n", {"rate_hz": 1, "scale": 2}, "scale is of raw samples only"),
    ],
)
def test_a_file_that_cannot_be_read_says_why_and_where(
    source: bytes, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ssdpm.Error, match=words):
        measure.read_power(source, **options)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rate_hz", 0),
        ("rate_hz", -1.0),
        ("rate_hz", math.nan),
        ("rate_hz", 2e9),
        ("scale", 0),
        ("scale", math.inf),
        ("scale", -math.inf),
        ("scale", math.nan),
        ("shunt_ohm", -1),
        ("supply_v", math.inf),
        ("counter_j", math.nan),
        ("format", "int32"),
        ("columns", "power_w\0"),
    ],
)
def test_an_option_that_cannot_be_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        measure.read_power(b"power_w\n1\n", **{name: value})
    other: Any = 5 if isinstance(value, str) else "1"
    with pytest.raises(TypeError, match=f"^{name}: "):
        measure.read_power(b"power_w\n1\n", **{name: other})


def test_a_negative_scale_is_a_shunt_the_wrong_way_round() -> None:
    raw = np.array([1, -2], "<i2").tobytes()
    found = measure.read_power(raw, format="int16", rate_hz=1, scale=-0.5)
    assert found.power_w.tolist() == [-0.5, 1.0]


def test_what_stands_before_a_bad_line_comes_out_first(tmp_path: Path) -> None:
    path = tmp_path / "cut.csv"
    path.write_bytes(as_csv(list(range(10)), [1.0] * 10) + b"11,what\n12,1\n")
    parts = measure.iter_power(path, chunk=4)
    lengths = []
    with pytest.raises(ssdpm.FormatError, match=r"cut\.csv:12: column 2: "):
        for part in parts:
            lengths.append(len(part))
    assert lengths == [4, 4, 2]
    assert parts.counts.n_samples == 10
    assert list(parts) == []


def test_an_iterator_is_closed_once_and_for_all() -> None:
    text = as_csv([0, 1], [1.0, 2.0])
    with measure.iter_power(text, chunk=1) as parts:
        first = next(parts)
    assert first.counts is not None and first.counts.n_samples >= 1
    assert list(parts) == [] and parts.counts.n_samples == 1
    parts.close()
    with pytest.raises(ValueError, match="^chunk: "):
        measure.iter_power(text, chunk=0)


def test_other_threads_run_while_a_file_is_read() -> None:
    text = b"power_w\n" + b"1.2345678\n" * 2_000_000
    signal = while_others_run(lambda: measure.read_power(text, rate_hz=1000))
    assert len(signal) == 2_000_000
