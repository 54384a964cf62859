# SPDX-License-Identifier: MIT
"""Arrays of callers: masks, missing times, units, time zones; the same for all.

NumPy reads the .npy that the library writes, and the other way round. The
library is called directly: the package needs no part of this.
"""

from __future__ import annotations

import builtins
import ctypes
import datetime
import io
import os
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas
import pytest

import ssdpm
from every_result import MODULES
from ssdpm import Trace, _core, cap, consistency, ftl, measure, wa
from ssdpm.measure import survey

S = 10**9
Y2020 = 1_577_836_800 * S
ZONED = pandas.date_range("2020-01-01 01:00", periods=3, freq="s", tz="Europe/Berlin")
UTC = datetime.timezone.utc


def start_ns(times: Any) -> list[int]:
    found: list[int] = Trace.from_columns(start_ns=times).start_ns.tolist()
    return found


def time_ns(times: Any) -> list[int]:
    array = measure.Signal(np.ones(len(times)), times=times).time_ns
    assert array is not None and array.dtype == np.int64
    found: list[int] = array.tolist()
    return found


BOTH = pytest.mark.parametrize("read", [start_ns, time_ns])
SECONDS = [Y2020, Y2020 + S, Y2020 + 2 * S]


@BOTH
@pytest.mark.parametrize(
    "times",
    [
        SECONDS,
        np.array(SECONDS),
        np.array(SECONDS, ">i8"),
        pandas.Series(SECONDS, dtype="Int64"),
        np.ma.array(SECONDS, mask=False),
        np.array(SECONDS, "M8[ns]").astype("M8[s]"),
        np.array(SECONDS, "M8[ns]").astype(">M8[ms]"),
        ZONED,
        pandas.Series(ZONED),
        ZONED.array,
        list(ZONED),
        ZONED.tz_convert(None),
        [datetime.datetime(2020, 1, 1, 0, 0, n) for n in range(3)],
        [datetime.datetime(2020, 1, 1, 0, 0, n, tzinfo=UTC) for n in range(3)],
        [np.datetime64("2020-01-01T00:00:00"), *SECONDS[1:]],
    ],
    ids=lambda times: f"{type(times).__name__} {getattr(times, 'dtype', '')}",
)
def test_times_of_any_kind_are_the_same_nanoseconds(
    read: Callable[[Any], list[int]], times: Any
) -> None:
    assert read(times) == SECONDS


@BOTH
@pytest.mark.parametrize(
    ("times", "error", "words"),
    [
        (np.array([0, "NaT"], "M8[s]"), ssdpm.RangeError, r"\[1\]: NaT is no time"),
        (np.array([0, "NaT"], "m8[ns]"), ssdpm.RangeError, r"\[1\]: NaT is no time"),
        ([ZONED[0], pandas.NaT], ssdpm.RangeError, r"\[1\]: it is missing"),
        ([0, None], ssdpm.RangeError, r"\[1\]: it is missing"),
        (pandas.Series([0, None], dtype="Int64"), ssdpm.RangeError, r"\[1\]: it is mis"),
        (np.ma.array([0, 1], mask=[False, True]), ssdpm.RangeError, r"\[1\]: it is missing"),
        (np.array(["2020", "3000"], "M8[s]"), ssdpm.RangeError, r"\[1\]: 3000.*beyond"),
        (np.array(["2020", "3000"], "M8[Y]"), ssdpm.RangeError, r"\[1\]: 3000.*beyond"),
        (np.array([1], "m8[M]"), TypeError, r"timedelta64\[M\] has no length"),
        (["a"], TypeError, "integers are needed"),
        ([[1], [2, 3]], ValueError, "rows differ in length"),
    ],
    ids=str,
)
def test_times_that_are_none_are_refused_by_name_and_index(
    read: Callable[[Any], list[int]], times: Any, error: type[Exception], words: str
) -> None:
    name = "start_ns" if read is start_ns else "times"
    with pytest.raises(error, match=f"^{name}.*{words}"):
        read(times)


def test_the_index_of_a_series_has_a_zone_too() -> None:
    signal = measure.Signal(pandas.Series([1.0, 2.0, 3.0], index=ZONED))
    assert signal.time_ns is not None and signal.time_ns.tolist() == SECONDS


@pytest.mark.parametrize(
    "service",
    [
        np.ma.array([5, 6, 7], mask=[False, True, False]),
        pandas.Series([5, None, 7], dtype="UInt32"),
        [5, None, 7],
        np.array([5, np.nan, 7]),
        np.array([5, "NaT", 7], "m8[ns]"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_missing_service_time_is_unknown(service: Any) -> None:
    trace = Trace.from_columns(start_ns=[0, 1, 2], service_ns=service)
    assert trace.service_ns.tolist() == [5, ssdpm.SERVICE_UNKNOWN, 7]


@pytest.mark.parametrize(
    "power",
    [
        np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False]),
        np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False], dtype="f4"),
        pandas.Series([1, None, 3], dtype="Float64"),
        pandas.Series([1, None, 3], dtype="Int64"),
        [1.0, None, 3.0],
    ],
    ids=lambda one: f"{type(one).__name__} {getattr(one, 'dtype', '')}",
)
def test_a_missing_sample_is_nan_and_not_what_lies_below_the_mask(power: Any) -> None:
    energy = measure.energy(power, rate_hz=1)
    assert (energy.n, energy.n_not_finite, energy.max_power_w) == (3, 1, 3.0)
    found = consistency.measure(power)
    assert (found.n, found.n_holes, found.max_iops) == (2, 1, 3.0)


def test_elsewhere_what_is_masked_is_refused() -> None:
    masked = np.ma.array([1, 2], mask=[False, True])
    for name in ("offset", "bytes", "op", "flags"):
        columns: dict[str, Any] = {name: masked}
        with pytest.raises(ssdpm.RangeError, match=rf"^{name}\[1\]: it is missing"):
            Trace.from_columns(start_ns=[0, 1], **columns)
    with pytest.raises(ssdpm.RangeError, match=r"^rounds\[1\]: it is missing"):
        measure.steady_state(masked)
    records = np.ma.array(ssdpm.generate("lomax", n_ios=2).records)
    assert len(Trace.from_records(records)) == 2
    records[1] = np.ma.masked
    with pytest.raises(ValueError, match="some are masked"):
        Trace.from_records(records)


def test_words_and_times_are_no_numbers() -> None:
    with pytest.raises(TypeError, match="^iops: numbers are needed"):
        consistency.measure(["1", "2"])
    with pytest.raises(TypeError, match="^bytes: integers are needed, not datetime64"):
        Trace.from_columns(start_ns=[0], bytes=np.array([1], "M8[ns]"))
    with pytest.raises(TypeError, match="^spare: a number is needed, not complex"):
        wa.calculate(np.complex128(0.1))  # type: ignore[arg-type]
    with pytest.raises(ssdpm.RangeError, match="^spare: it is beyond any float"):
        wa.calculate(10**400)


def test_asarray_shares_the_memory() -> None:
    trace = ssdpm.generate("lomax", n_ios=20)
    signal = measure.Signal(np.ones(5, np.float32), rate_hz=1)
    gaps = ssdpm.Gaps(trace)
    for value, array in (
        (trace, trace.records),
        (signal, signal.power_w),
        (gaps, gaps.idle_ns),
    ):
        thing: Any = value
        assert np.shares_memory(np.asarray(thing), array)
        assert np.shares_memory(thing.__array__(copy=False), array)
        assert not np.shares_memory(np.array(thing), array)
        assert np.array(thing).flags.writeable
        assert np.array_equal(np.array(thing), array)
        assert np.shares_memory(thing.__array__(array.dtype), array)
        with pytest.raises(ValueError, match="without a copy"):
            thing.__array__("u2", copy=False)
    assert np.asarray(signal, np.float64).dtype == np.float64


@pytest.mark.parametrize(
    "name", ["n_ios", "value", "bytes", "mean_idle_ns", "shape_milli", "area_bytes"]
)
def test_zero_is_no_default(name: str) -> None:
    numbers: dict[str, Any] = {name: 0}
    with pytest.raises(ssdpm.RangeError, match=f"^{name}: 0 is not in 1 to"):
        ssdpm.generate("lomax", **numbers)


def test_what_does_not_fit_into_memory_says_its_size(model: ssdpm.Model) -> None:
    trace = ssdpm.generate("lomax", n_ios=10)
    drive = cap.Drive([cap.Stream("write", nand_bytes_per_s=1e9, byte_pj=9e3)], 1e6)
    cost, point = ftl.Cost(1000), _core.energy.cap_point_dtype.itemsize
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: ssdpm.generate("lomax", n_ios=2**40), f"n_ios: .* {2**45} bytes"),
        (lambda: ssdpm.iter_trace(b"", chunk=2**40), f"chunk: .* {2**45} bytes"),
        (lambda: measure.iter_power(b"", chunk=2**40), f"chunk: .* {2**44} bytes"),
        (lambda: drive.timeline([(1e9, 5)], 1e-9), f"interval_s: .* {point * 10**18} b"),
        (lambda: ssdpm.estimate(model, trace, interval_ns=1), r"interval_ns: \d+ .*bytes"),
        (
            lambda: ftl.Drive(1000, 64).run(2**32 - 1, cost),
            f"seconds: .* {(2**32 - 1) * ftl.second_dtype.itemsize} bytes",
        ),
    ]
    for call, words in calls:
        with pytest.raises(MemoryError, match=f"^{words}"):
            call()


def test_a_word_stands_for_a_list_of_one(model: ssdpm.Model) -> None:
    trace = ssdpm.generate("lomax", n_ios=50, service_ns=1000)
    one = ssdpm.compare(model, trace, ["linux"])
    assert ssdpm.compare(model, trace, "linux") == one
    assert len(ssdpm.sweep(model, trace, "linux")) == 1
    assert list(wa.curve([0.1], "fifo").wa) == ["fifo"]
    state = ssdpm.PowerState(True, not_reported="idle_power_uw")  # type: ignore[arg-type]
    assert ssdpm.Model.from_states([state]).power_states[0].not_reported == {
        "idle_power_uw"
    }
    assert cap.Stream("write", assumed="byte_pj").assumed == ("byte_pj",)  # type: ignore[arg-type]
    assert survey.schedule(["a", "b"], "io").scenarios == ("io",)


def test_a_single_thing_is_no_list(model: ssdpm.Model) -> None:
    trace = ssdpm.generate("lomax", n_ios=50)
    anything: Any = "abc"
    number: Any = 5
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: ssdpm.compare(model, trace, number), "policies"),
        (lambda: ssdpm.compare(model, trace, b"linux"), "policies"),  # type: ignore[arg-type]
        (lambda: ssdpm.estimate(model, trace, parameters=anything), "parameters"),
        (lambda: ssdpm.Service.from_parameters(anything), "parameters"),
        (lambda: ssdpm.budget(anything, 5), "drives"),
        (lambda: ssdpm.budget([model], 5, weights=anything), "weights"),
        (lambda: cap.Drive(anything, 5), "streams"),
        (lambda: cap.simulate(model, trace, b"abc"), "caps"),  # type: ignore[arg-type]
        (lambda: wa.classes(0.1, anything), "classes"),
        (lambda: wa.curve(number), "spare"),
        (lambda: consistency.simulate(number), "spare"),
        (lambda: consistency.compare(anything), "runs"),
        (lambda: measure.classify(anything), "runs"),
        (lambda: measure.size_profile(anything), "runs"),
        (lambda: survey.judge(anything), "rows"),
        (lambda: survey.merge(anything), "results"),
        (lambda: ssdpm.persist("udev", powers=anything), "powers"),
        (lambda: ssdpm.Model.from_states(anything), "states"),
        (lambda: ssdpm.keep(model, 1, quirks=number), "quirks"),
    ]
    for call, name in calls:
        with pytest.raises(TypeError, match=f"^{name}: a list of .* is needed, not"):
            call()


def test_an_argument_of_another_type_is_named(model: ssdpm.Model) -> None:
    anything: Any = np.ones(3)
    signal = measure.Signal([1.0, 2.0], rate_hz=1)
    with pytest.raises(TypeError, match="^catalogue: an ssdpm.Catalogue is needed"):
        ssdpm.Model.catalogue("WDC", catalogue=anything)
    with pytest.raises(TypeError, match="^start_ns: an integer is needed"):
        measure.energy(signal, start_ns=anything)
    with pytest.raises(ValueError, match="^name: .* has no form in UTF-8"):
        ssdpm.generate("\udc80")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_a_star_import_replaces_no_builtin(module: Any) -> None:
    assert set(module.__all__) & set(dir(builtins)) == set()


RECORD = np.dtype(
    {
        "names": ["start_ns", "offset", "bytes", "service_ns", "op", "flags"],
        "formats": ["<u8", "<u8", "<u4", "<u4", "u1", "u1"],
        "offsets": [0, 8, 16, 20, 24, 25],
        "itemsize": 32,
    }
)
HEADER_BYTES = 256


def library() -> ctypes.CDLL:
    build = pathlib.Path(os.environ["SSDPM_BUILD"]).resolve()
    return ctypes.CDLL(str(build / "lib/energy/libssdpm-energy.so.0"))


def header(n: int) -> bytes:
    buffer = ctypes.create_string_buffer(HEADER_BYTES)
    assert library().ssdpm_npy_header(ctypes.c_uint64(n), buffer) == 0
    return buffer.raw


def read(data: bytes, n: int) -> npt.NDArray[np.void]:
    """What ssdpm_trace_read() makes of it."""
    lib = library()
    lib.ssdpm_trace_free.argtypes = [ctypes.c_void_p]
    trace = ctypes.c_void_p()
    ios = np.zeros(n + 1, RECORD)
    count = ctypes.c_size_t()
    error = ctypes.create_string_buffer(256)
    code = lib.ssdpm_trace_open_data(
        data, ctypes.c_size_t(len(data)), None, ctypes.byref(trace), error
    )
    assert code == 0, error.raw[12:]
    code = lib.ssdpm_trace_read(
        trace,
        ctypes.c_void_p(ios.ctypes.data),
        ctypes.c_size_t(n + 1),
        ctypes.byref(count),
        error,
    )
    lib.ssdpm_trace_free(trace)
    assert code == 0, error.raw[12:]
    return ios[: count.value]


def records() -> npt.NDArray[np.void]:
    ios = np.zeros(3, RECORD)
    ios["start_ns"] = [5, 5, 2**64 - 1]
    ios["offset"] = [0, 4096, 2**40]
    ios["bytes"] = [0, 2**32 - 1, 512]
    ios["service_ns"] = [1, 2**32 - 1, 7]
    ios["op"] = [3, 4, 1]
    ios["flags"] = [0, 1, 0]
    return ios


def test_numpy_loads_what_the_library_writes() -> None:
    ios = records()
    loaded = np.load(io.BytesIO(header(3) + ios.tobytes()))
    assert loaded.dtype == RECORD
    assert loaded.dtype.itemsize == 32
    assert (loaded == ios).all()


def test_a_header_may_be_written_again_at_the_end() -> None:
    assert np.load(io.BytesIO(header(0))).size == 0
    for n in (0, 1, 2**64 - 1):
        assert len(header(n)) == HEADER_BYTES
        assert b"'shape': (%d,)" % n in header(n)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_the_library_reads_what_numpy_saves(version: tuple[int, int]) -> None:
    ios = records()
    file = io.BytesIO()
    np.lib.format.write_array(file, ios, version=version)
    assert (read(file.getvalue(), 3) == ios).all()


def test_a_member_may_stand_for_the_padding() -> None:
    for kind in (("u1", (6,)), "V6"):
        fields = [(name, RECORD[name]) for name in RECORD.names or ()]
        dtype = np.dtype([*fields, ("reserved", kind)])
        ios = np.zeros(3, dtype)
        for name in RECORD.names or ():
            ios[name] = records()[name]
        file = io.BytesIO()
        np.save(file, ios)
        assert (read(file.getvalue(), 3) == records()).all()
