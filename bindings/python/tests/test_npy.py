# SPDX-License-Identifier: MIT
"""NumPy reads the .npy that the library writes, and the other way round. The
library is called directly: the package needs no part of this."""

import ctypes
import io
import os
import pathlib

import numpy
import numpy.typing
import pytest

RECORD = numpy.dtype(
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


def read(data: bytes, n: int) -> numpy.typing.NDArray[numpy.void]:
    """What ssdpm_trace_read() makes of it."""
    lib = library()
    lib.ssdpm_trace_free.argtypes = [ctypes.c_void_p]
    trace = ctypes.c_void_p()
    ios = numpy.zeros(n + 1, RECORD)
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


def records() -> numpy.typing.NDArray[numpy.void]:
    ios = numpy.zeros(3, RECORD)
    ios["start_ns"] = [5, 5, 2**64 - 1]
    ios["offset"] = [0, 4096, 2**40]
    ios["bytes"] = [0, 2**32 - 1, 512]
    ios["service_ns"] = [1, 2**32 - 1, 7]
    ios["op"] = [3, 4, 1]
    ios["flags"] = [0, 1, 0]
    return ios


def test_numpy_loads_what_the_library_writes() -> None:
    ios = records()
    loaded = numpy.load(io.BytesIO(header(3) + ios.tobytes()))
    assert loaded.dtype == RECORD
    assert loaded.dtype.itemsize == 32
    assert (loaded == ios).all()


def test_a_header_may_be_written_again_at_the_end() -> None:
    assert numpy.load(io.BytesIO(header(0))).size == 0
    for n in (0, 1, 2**64 - 1):
        assert len(header(n)) == HEADER_BYTES
        assert b"'shape': (%d,)" % n in header(n)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_the_library_reads_what_numpy_saves(version: tuple[int, int]) -> None:
    ios = records()
    file = io.BytesIO()
    numpy.lib.format.write_array(file, ios, version=version)
    assert (read(file.getvalue(), 3) == ios).all()


def test_a_member_may_stand_for_the_padding() -> None:
    for kind in (("u1", (6,)), "V6"):
        fields = [(name, RECORD[name]) for name in RECORD.names or ()]
        dtype = numpy.dtype([*fields, ("reserved", kind)])
        ios = numpy.zeros(3, dtype)
        for name in RECORD.names or ():
            ios[name] = records()[name]
        file = io.BytesIO()
        numpy.save(file, ios)
        assert (read(file.getvalue(), 3) == records()).all()
