# SPDX-License-Identifier: MIT
"""Traces: read, generated, made of columns; their layout, and their memory."""

from __future__ import annotations

import copy
import bz2
import gzip
import io
import lzma
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import ssdpm
from made import MS, records, traces
from ssdpm import PerOp, Trace

MQSIM = b"""0 0 8 8 1
100000 0 16 8 0
2000000 0 24 8 1
"""


def run_python(code: str, *arguments: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout


def test_the_layout_is_that_of_the_header() -> None:
    fields = ssdpm.IO_DTYPE.fields
    assert fields is not None
    assert ssdpm.IO_DTYPE.itemsize == 32
    assert {name: (str(f[0]), f[1]) for name, f in fields.items()} == {
        "start_ns": ("uint64", 0),
        "offset": ("uint64", 8),
        "bytes": ("uint32", 16),
        "service_ns": ("uint32", 20),
        "op": ("uint8", 24),
        "flags": ("uint8", 25),
    }
    assert ssdpm.OPS == {"read": 1, "write": 2, "flush": 3, "discard": 4}


def test_a_trace_lies_on_the_array_that_it_is_made_from() -> None:
    array = records(100, 5)
    trace = Trace.from_records(array)
    assert np.shares_memory(trace.records, array)
    for name in ssdpm.IO_DTYPE.names or ():
        column = getattr(trace, name)
        assert np.shares_memory(column, array)
        assert not column.flags.writeable
    assert np.shares_memory(trace[10:20].records, array)
    assert array.flags.writeable
    assert len(trace) == 100 and len(trace[10:20]) == 10


def test_records_with_gaps_or_unaligned_are_copied_once() -> None:
    array = records(100, 5)
    for part in (array[::2], array[::-1][::-1][::3]):
        trace = Trace.from_records(part)
        assert not np.shares_memory(trace.records, array)
        assert np.array_equal(trace.records, part)
        assert trace.records.flags.c_contiguous
    raw = np.zeros(32 * 10 + 1, np.uint8)
    unaligned = raw[1:].view(ssdpm.IO_DTYPE)
    unaligned["op"] = 1
    trace = Trace.from_records(unaligned)
    assert trace.records.ctypes.data % 8 == 0
    assert trace.stats().n_ios == PerOp(10, 0, 0, 0)


@pytest.mark.parametrize(
    "dtype",
    [
        np.dtype(np.uint64),
        ssdpm.IO_DTYPE.newbyteorder(">"),
        np.dtype([(name, ssdpm.IO_DTYPE[name]) for name in ssdpm.IO_DTYPE.names or ()]),
        ssdpm.apst_entry_dtype,
    ],
)
def test_another_dtype_is_a_typeerror(dtype: np.dtype[Any], model: ssdpm.Model) -> None:
    array = np.zeros(4, dtype)
    with pytest.raises(TypeError, match=r"^records: an array of ssdpm.IO_DTYPE is"):
        Trace.from_records(array)
    with pytest.raises(TypeError, match=r"^trace: an array of ssdpm.IO_DTYPE is"):
        ssdpm.estimate(model, array)


def test_records_have_one_dimension_and_are_an_array() -> None:
    with pytest.raises(ValueError, match="one dimension is needed, not of 2"):
        Trace.from_records(np.zeros((2, 2), ssdpm.IO_DTYPE))
    with pytest.raises(TypeError, match="an array is needed, not list"):
        Trace.from_records([1])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"made by ssdpm.read_trace\(\) or"):
        Trace()


def test_columns_become_records() -> None:
    trace = Trace.from_columns(
        start_ns=[5, 5, 9],
        op=["read", "flush", "discard"],
        bytes=np.array([1, 0, 2**32 - 1]),
        offset=[0, 0, 2**64 - 1],
        service_ns=[1.0, float("nan"), 5e9],
        flags=[0, 0, 1],
    )
    assert trace.records.tolist() == [
        (5, 0, 1, 1, 1, 0),
        (5, 0, 0, ssdpm.SERVICE_UNKNOWN, 3, 0),
        (9, 2**64 - 1, 2**32 - 1, 2**32 - 2, 4, 1),
    ]
    assert trace.counts is not None
    assert (trace.counts.n_ios, trace.counts.n_records) == (2, 3)
    assert trace.counts.n_saturated == 1
    one = Trace.from_columns(start_ns=[0, 10], op="write", service_ns=7)
    assert one.records.tolist() == [(0, 0, 4096, 7, 2, 0), (10, 0, 4096, 7, 2, 0)]
    assert one.counts is not None and one.counts.resolution_ns == 10
    assert len(Trace.from_columns(start_ns=[])) == 0


def test_an_unknown_service_is_none_nan_or_its_number() -> None:
    unknown = [ssdpm.SERVICE_UNKNOWN] * 2
    values: list[Any] = [None, [None, None], [np.nan, pd.NA], unknown]
    for value in (*values, np.array(unknown)):
        trace = Trace.from_columns(start_ns=[0, 1], service_ns=value)
        assert trace.service_ns.tolist() == unknown
        assert trace.counts is not None and trace.counts.n_saturated == 0


def test_times_of_numpy_and_pandas_are_taken() -> None:
    stamps = pd.to_datetime(["2024-01-01 00:00:00", "2024-01-01 00:00:01"])
    trace = Trace.from_columns(start_ns=stamps)
    assert np.diff(trace.start_ns).tolist() == [10**9]
    spans = np.array([1, 2], "timedelta64[ms]")
    assert Trace.from_columns(start_ns=spans).start_ns.tolist() == [MS, 2 * MS]


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"start_ns": [0, -1]}, ssdpm.RangeError, r"^start_ns\[1\]: -1 is not in 0"),
        ({"start_ns": [0, 0.5]}, ssdpm.RangeError, r"^start_ns\[1\]: 0.5 is no integ"),
        ({"start_ns": [2.0**64]}, ssdpm.RangeError, r"^start_ns\[0\]: "),
        ({"start_ns": [np.nan]}, ssdpm.RangeError, r"^start_ns\[0\]: it is missing"),
        (
            {"start_ns": np.array([0, 0.5])},
            ssdpm.RangeError,
            r"^start_ns\[1\]: 0.5 is ",
        ),
        ({"start_ns": np.array([2.0**64])}, ssdpm.RangeError, r"^start_ns\[0\]: "),
        ({"start_ns": np.array([np.nan])}, ssdpm.RangeError, r"^start_ns\[0\]: nan "),
        ({"start_ns": [None]}, ssdpm.RangeError, r"^start_ns\[0\]: it is missing"),
        ({"start_ns": [2**64]}, ssdpm.RangeError, r"^start_ns\[0\]: 1844674"),
        ({"start_ns": ["a"]}, TypeError, r"^start_ns: integers are needed"),
        ({"start_ns": [True]}, TypeError, r"^start_ns: integers are needed"),
        ({"start_ns": 5}, ValueError, "^start_ns: an array of one dimension"),
        ({"start_ns": [2, 1]}, ssdpm.InvalidError, r"^start_ns\[1\]: 1 is before 2"),
        ({"bytes": [1, 2**32]}, ssdpm.RangeError, r"^bytes\[1\]: 4294967296 is not"),
        ({"bytes": [1, 2, 3]}, ValueError, r"^bytes: 2 values are needed, as start"),
        ({"op": "trim"}, ValueError, "^op: 'trim' is none of 'read', 'write', "),
        ({"op": [1, 5]}, ssdpm.RangeError, r"^op\[1\]: 5 is not in 0 to 4"),
        ({"op": [1, 0]}, ssdpm.RangeError, r"^op\[1\]: 0 is no operation"),
        ({"flags": 256}, ssdpm.RangeError, "^flags: 256 is not in 0 to 255"),
    ],
)
def test_a_bad_column_is_named(
    columns: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Trace.from_columns(**{"start_ns": [0, 1], **columns})


@given(traces(min_size=0))
def test_a_dataframe_and_back_is_the_same_trace(trace: Trace) -> None:
    frame = trace.to_dataframe()
    assert list(frame.columns) == list(ssdpm.IO_DTYPE.names or ())
    assert Trace.from_dataframe(frame) == trace
    assert (
        frame["service_ns"].isna().sum()
        == (trace.service_ns == ssdpm.SERVICE_UNKNOWN).sum()
    )
    words = [list(ssdpm.OPS)[op - 1] for op in trace.op]
    assert frame["op"].tolist() == words


def test_a_dataframe_needs_start_ns_alone() -> None:
    frame = pd.DataFrame({"start_ns": [0, 1], "latency": [1.5, 2.5]})
    assert Trace.from_dataframe(frame).op.tolist() == [1, 1]
    with pytest.raises(ValueError, match="a column start_ns is needed"):
        Trace.from_dataframe(frame[["latency"]])


def test_a_slice_and_a_mask_give_a_trace_and_a_number_a_record() -> None:
    trace = Trace.from_records(records(10, 7))
    assert isinstance(trace[2:4], Trace)
    assert trace[::3].start_ns.tolist() == [0, 21, 42, 63]
    assert trace[trace.start_ns > 60].start_ns.tolist() == [63]
    assert trace[-1]["start_ns"] == 63
    assert [record["start_ns"] for record in trace][:2] == [0, 7]
    assert trace[3:3].counts is None
    with pytest.raises(IndexError):
        trace[10]


def test_traces_are_compared_copied_pickled_and_printed() -> None:
    trace = Trace.from_columns(start_ns=[0, 2 * 10**9], op=["read", "write"])
    for same in (copy.deepcopy(trace), pickle.loads(pickle.dumps(trace))):
        assert same == trace
        assert same.counts == trace.counts
        assert not same.records.flags.writeable
    assert trace != trace[:1]
    assert trace != 5
    assert repr(trace) == "<ssdpm.Trace 2 records, 2 s>"
    assert repr(trace[:0]) == "<ssdpm.Trace 0 records>"
    html = trace._repr_html_()
    assert "<td>write</td>" in html and "&ndash;" in html
    assert bool(trace[:0])


@pytest.mark.parametrize(
    "how", ["path", "str", "bytes", "file", "memory", "gzip", "xz", "bzip2", "utf-16"]
)
def test_a_trace_is_read_from_whatever_holds_it(tmp_path: Path, how: str) -> None:
    path = tmp_path / "trace.txt"
    path.write_bytes(MQSIM)
    source: Any = path
    if how == "str":
        source = str(path)
    elif how == "bytes":
        source = MQSIM
    elif how == "memory":
        source = io.BytesIO(MQSIM)
    elif how == "gzip":
        path.write_bytes(gzip.compress(MQSIM))
    elif how == "xz":
        path.write_bytes(lzma.compress(MQSIM))
    elif how == "bzip2":
        path.write_bytes(bz2.compress(MQSIM))
    elif how == "utf-16":
        path.write_bytes(MQSIM.decode().encode("utf-16"))
    if how == "file":
        with path.open("rb") as file:
            trace = ssdpm.read_trace(file, "mqsim")
            assert not file.closed
    else:
        trace = ssdpm.read_trace(source, "mqsim")
    assert trace.start_ns.tolist() == [0, 100_000, 2_000_000]
    assert trace.offset.tolist() == [4096, 8192, 12288]
    assert trace.counts is not None
    assert (trace.counts.format, trace.counts.n_lines) == ("mqsim", 3)


def test_an_open_file_is_read_from_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "trace.txt"
    path.write_bytes(b"a head of our own\n" + MQSIM)
    with path.open("rb") as file:
        file.readline()
        assert len(ssdpm.read_trace(file, "mqsim")) == 3


def test_what_cannot_be_read_is_named_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "trace.txt"
    path.write_bytes(MQSIM + b"3000000 0 x 8 1\n")
    with pytest.raises(ssdpm.FormatError) as caught:
        ssdpm.read_trace(path, "mqsim")
    assert (caught.value.filename, caught.value.line) == (str(path), 4)
    with pytest.raises(ssdpm.FormatError) as caught, path.open("rb") as file:
        ssdpm.read_trace(file, "mqsim")
    assert caught.value.filename == str(path)
    trace = ssdpm.read_trace(path, "mqsim", skip_bad=True)
    assert trace.counts is not None
    assert (len(trace), trace.counts.n_bad) == (3, 1)


def test_errors_of_files_are_the_usual_ones(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ssdpm.read_trace(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        ssdpm.read_trace(tmp_path)
    path = tmp_path / "empty"
    path.touch()
    with pytest.raises(ssdpm.FormatError, match=r"empty: the trace is empty$"):
        ssdpm.read_trace(path)
    with pytest.raises(ssdpm.FormatError, match=r"^this is no trace in a known"):
        ssdpm.read_trace(b"\x01\x02\x03")
    path.write_bytes(MQSIM)
    with pytest.raises(TypeError, match="open it as 'rb'"), path.open() as file:
        ssdpm.read_trace(file)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^source: a path, an open file or bytes is"):
        ssdpm.read_trace(5)  # type: ignore[arg-type]


def test_arguments_of_readers_are_checked() -> None:
    with pytest.raises(ValueError, match=r"^format: 'text' is none of 'npy', "):
        ssdpm.read_trace(MQSIM, "text")
    with pytest.raises(TypeError, match=r"^columns: a str is needed, not int"):
        ssdpm.read_trace(MQSIM, columns=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^device: a zero byte"):
        ssdpm.read_trace(MQSIM, device="\0")
    with pytest.raises(TypeError, match=r"^skip_bad: a bool is needed, not int"):
        ssdpm.read_trace(MQSIM, skip_bad=1)  # type: ignore[arg-type]
    with pytest.raises(ssdpm.RangeError, match=r"^chunk: 0 is"):
        ssdpm.iter_trace(MQSIM, chunk=0)


@settings(max_examples=30)
@given(traces(min_size=2), st.integers(1, 14))
def test_parts_together_are_the_trace(trace: Trace, chunk: int) -> None:
    out = io.BytesIO()
    np.lib.format.write_array(out, trace.records)
    with ssdpm.iter_trace(out.getvalue(), chunk=chunk) as parts:
        arrays = [part.records for part in parts]
        counts = parts.counts
    assert np.array_equal(np.concatenate(arrays), trace.records)
    assert all(len(array) <= chunk for array in arrays)
    assert trace.counts is not None
    assert (counts.n_ios, counts.n_records) == (trace.counts.n_ios, len(trace))


def test_the_file_of_an_iterator_is_closed_in_time(tmp_path: Path) -> None:
    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    path = tmp_path / "trace.txt"
    path.write_bytes(MQSIM)
    before = descriptors()
    parts = ssdpm.iter_trace(path, format="mqsim", chunk=2)
    assert descriptors() == before + 1
    assert [len(part) for part in parts] == [2, 1]
    assert descriptors() == before
    assert parts.counts.n_ios == 3
    assert list(parts) == []
    with ssdpm.iter_trace(path, format="mqsim") as parts:
        pass
    assert descriptors() == before
    parts.close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ssdpm.iter_trace(path, format="mqsim")
    assert descriptors() == before
    path.write_bytes(b"?")
    with pytest.raises(ssdpm.FormatError):
        ssdpm.iter_trace(path, format="mqsim").__next__()
    assert descriptors() == before


def test_what_stands_before_a_fault_is_given_out_first() -> None:
    parts = ssdpm.iter_trace(MQSIM + b"what\n", format="mqsim", chunk=100)
    assert len(next(parts)) == 3
    with pytest.raises(ssdpm.FormatError, match="line 4|4"):
        next(parts)


PEAK = """
import sys, numpy as np, ssdpm
def peak():
    with open("/proc/self/status") as status:
        return next(int(l.split()[1]) for l in status if l.startswith("VmHWM"))
"""


def test_iterating_takes_constant_memory(tmp_path: Path) -> None:
    path = tmp_path / "trace.npy"
    Trace.from_records(records(2_000_000, 1000)).save(path)
    code = PEAK + (
        "before = peak()\n"
        "n = sum(len(part) for part in ssdpm.iter_trace(sys.argv[1]))\n"
        "print(n, peak() - before)\n"
    )
    n, grown = map(int, run_python(code, str(path)).split())
    assert n == 2_000_000
    assert grown < 16 << 10  # KiB; the trace has 62500


def test_a_trace_reaches_the_library_without_a_copy(tmp_path: Path) -> None:
    code = PEAK + (
        "array = np.zeros(4_000_000, ssdpm.IO_DTYPE)\n"
        "array['op'] = 1\n"
        "array['service_ns'] = 1\n"
        "states = [ssdpm.PowerState(True, max_power_uw=10**6)]\n"
        "model = ssdpm.Model.from_states(states)\n"
        "before = peak()\n"
        "trace = ssdpm.Trace.from_records(array)\n"
        "trace.stats()\n"
        "ssdpm.estimate(model, trace, None)\n"
        "print(peak() - before)\n"
    )
    assert int(run_python(code)) < 16 << 10  # KiB; the trace has 125000


@given(traces(min_size=0))
def test_npy_keeps_everything(trace: Trace) -> None:
    path = f"/dev/shm/ssdpm-test-{os.getpid()}.npy"
    try:
        trace.save(path)
        assert np.array_equal(np.load(path), trace.records)
        assert np.load(path).dtype == ssdpm.IO_DTYPE
        assert ssdpm.read_trace(path) == trace
    finally:
        os.unlink(path)


def test_an_iolog_of_fio_keeps_what_fio_knows(tmp_path: Path) -> None:
    trace = Trace.from_columns(
        start_ns=[5_000, 7_000, 2_005_000],
        op=["read", "write", "discard"],
        bytes=[512, 4096, 8192],
        offset=[0, 4096, 1 << 40],
    )
    path = tmp_path / "trace.iolog"
    trace.save(path)
    again = ssdpm.read_trace(path)
    assert again.counts is not None and again.counts.format == "fio-iolog"
    assert np.diff(again.start_ns).tolist() == np.diff(trace.start_ns).tolist()
    for name in ("op", "bytes", "offset"):
        assert getattr(again, name).tolist() == getattr(trace, name).tolist()
    trace.save(tmp_path / "other", "fio-iolog", file="sdx")
    lines = (tmp_path / "other").read_text().splitlines()
    assert lines[:3] == ["fio version 3 iolog", "0 sdx add", "0 sdx open"]
    assert lines[-1].endswith(" sdx close")


def test_saving_needs_a_format_that_there_is(tmp_path: Path) -> None:
    trace = Trace.from_records(records(2))
    with pytest.raises(ValueError, match=r"^format: .* does not tell; name it"):
        trace.save(tmp_path / "trace.txt")
    with pytest.raises(ValueError, match=r"^format: 'csv' is none of 'npy', 'fio-"):
        trace.save(tmp_path / "trace", "csv")
    with pytest.raises(ssdpm.InvalidError):
        trace.save(tmp_path / "trace.iolog", file="a b")


def test_statistics_are_those_of_the_records() -> None:
    trace = Trace.from_columns(
        start_ns=[0, 100, 5_000, 1_000_000],
        op=["read", "read", "write", "flush"],
        bytes=[4096, 4096, 512, 0],
        offset=[0, 4096, 0, 0],
        service_ns=[200, 50, 1_000, None],
    )
    stats = trace.stats()
    assert stats.n_ios == PerOp(read=2, write=1, flush=1, discard=0)
    assert stats.bytes == PerOp(8192, 512, 0, 0)
    assert (stats.n_unknown_service, stats.n_sequential) == (1, 1)
    assert (stats.busy_ns, stats.idle_ns) == (1_200, 4_800 + 994_000)
    assert stats.duration_ns == stats.busy_ns + stats.idle_ns
    assert (stats.n_gaps, stats.gap_max_ns) == (2, 994_000)
    assert stats.gaps.sums_ns is not None
    assert stats.gaps.counts.sum() == 2
    assert stats.gaps.sums_ns.sum() == stats.idle_ns
    assert stats.gaps.share_above(0) == 1.0
    assert stats.gaps.share_above(65_536) == 994_000 / 998_800
    assert stats.gaps.share_above(2**64 - 1) == 0.0
    assert "4 times" not in repr(stats) and "2 times" in repr(stats)
    service = ssdpm.Service(PerOp(0, 0, 9, 0), PerOp(0, 0, 0, 0))
    assert trace.stats(service).busy_ns == 1_209
    assert ssdpm.trace_stats(iter([trace[:2], trace[2:]])) == stats
    assert trace.stats() == stats and trace.stats(service) != stats
    assert "<td>flush</td>" in stats._repr_html_()
    assert pickle.loads(pickle.dumps(stats)) == stats


def test_statistics_name_the_record_that_is_wrong(model: ssdpm.Model) -> None:
    array = records(10, 5)
    array["start_ns"][7] = 3
    with pytest.raises(ssdpm.InvalidError, match="7"):
        Trace.from_records(array).stats()
    with pytest.raises(TypeError, match=r"^service: an ssdpm.Service is needed, not"):
        Trace.from_records(array).stats(model)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^base_ns: 4 numbers are needed"):
        few: Any = (1, 2)
        Trace.from_records(array).stats(ssdpm.Service(few, PerOp(0, 0, 0, 0)))


def test_all_workloads_are_made_and_again_the_same() -> None:
    workloads = ssdpm.workloads()
    assert {"apst-1", "apst-7", "uflip-pause-rw", "consistency", "lomax"} <= {
        workload.name for workload in workloads
    }
    for workload in workloads:
        assert workload.description
        trace = ssdpm.generate(workload.name, n_ios=50, seed=1)
        assert trace == ssdpm.generate(workload.name, n_ios=50, seed=1)
        assert trace.counts is not None
        assert trace.counts.n_ios == 50 and trace.counts.format is None


def test_arguments_of_a_generator_arrive() -> None:
    trace = ssdpm.generate(
        "poisson",
        seed=2**64 - 1,
        n_ios=1000,
        op="write",
        bytes=512,
        service_ns=77,
        mean_idle_ns=10**6,
        area_bytes=1 << 20,
    )
    assert set(trace.op.tolist()) == {ssdpm.OPS["write"]}
    assert set(trace.bytes.tolist()) == {512}
    assert set(trace.service_ns.tolist()) == {77}
    assert trace.offset.max() < 1 << 20
    assert trace.start_ns[-1] / 999 == pytest.approx(10**6, rel=0.2)
    assert trace != ssdpm.generate("poisson", seed=1, n_ios=1000)


def test_wrong_arguments_of_a_generator_are_named() -> None:
    with pytest.raises(ssdpm.NotFoundError):
        ssdpm.generate("apst-8")
    with pytest.raises(TypeError, match=r"^name: a str is needed, not int"):
        ssdpm.generate(1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^op: 'trim' is none of"):
        ssdpm.generate("poisson", op="trim")
    with pytest.raises(ssdpm.RangeError, match=r"^bytes: 4294967296 is not in"):
        ssdpm.generate("poisson", bytes=2**32)
    with pytest.raises(TypeError, match=r"^seed: an integer is needed, not float"):
        ssdpm.generate("poisson", seed=1.5)  # type: ignore[arg-type]


def test_a_workload_is_a_job_of_fio_without_a_device() -> None:
    text = ssdpm.fio_job("apst-2", n_ios=5000)
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert lines[0] == "[apst-2]"
    assert not any(line.startswith("filename") for line in lines)
    with pytest.raises(ssdpm.UnsupportedError):
        ssdpm.fio_job("lomax")


def test_without_pandas_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "import ssdpm\n"
        "trace = ssdpm.Trace.from_columns(start_ns=[0])\n"
        "try: trace.to_dataframe()\n"
        "except ImportError as error: print(error)"
    )
    message = "to_dataframe() needs pandas: pip install ssdpm[pandas]\n"
    assert run_python(code) == message


def test_importing_the_package_imports_neither_pandas_nor_matplotlib() -> None:
    code = "import sys, ssdpm; print({'pandas', 'matplotlib'} & set(sys.modules))"
    assert run_python(code) == "set()\n"
