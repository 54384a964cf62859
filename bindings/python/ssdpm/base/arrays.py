# SPDX-License-Identifier: MIT
"""From what callers call an array to arrays of ours: one set of rules for all.

* An entry that is masked (NumPy), <NA> (pandas), None, NaN or NaT is missing. Where
  missing has a meaning, it gets that; elsewhere it is refused by its index.
* Times are datetime64 and timedelta64 of any unit, columns of pandas, or objects of
  datetime. Those with a time zone are taken in UTC, and so are those without one.
"""

from __future__ import annotations

import datetime
import errno
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ssdpm.base.convert import check_unsigned
from ssdpm.base.errors import RangeError

_NS = {
    "W": 604800 * 10**9,
    "D": 86400 * 10**9,
    "h": 3600 * 10**9,
    "m": 60 * 10**9,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}
_EPOCH = datetime.datetime(1970, 1, 1)
_MASK = npt.NDArray[np.bool_]
_ScalarT = TypeVar("_ScalarT", bound=np.generic)


def is_series(values: object) -> bool:
    """A Series or an Index of pandas, which need not be installed."""
    return hasattr(values, "to_numpy") and not hasattr(values, "columns")


def _of_pandas(values: Any) -> tuple[npt.NDArray[Any], _MASK | None]:
    if getattr(values.dtype, "tz", None) is not None:
        values = getattr(values, "dt", values).tz_convert(None)
    kind = getattr(values.dtype, "numpy_dtype", None)
    if kind is None:  # of NumPy, or of words
        return np.asarray(values.to_numpy()), None
    missing = np.asarray(values.isna())
    return values.to_numpy(dtype=kind, na_value=kind.type(0)), missing


def array_of(values: object, name: str) -> tuple[npt.NDArray[Any], _MASK | None]:
    """An array, not copied if it is one, and which of its entries are masked."""
    if isinstance(values, (str, bytes, bytearray)) or hasattr(values, "columns"):
        raise TypeError(
            f"{name}: an array is needed, not {type(values).__name__}"
            + (": take one column" if hasattr(values, "columns") else "")
        )
    missing: _MASK | None = None
    if isinstance(values, np.ma.MaskedArray):
        array, missing = np.asarray(values.data), np.ma.getmaskarray(values)
    elif is_series(values):
        array, missing = _of_pandas(values)
    elif isinstance(values, np.ndarray):
        array = np.asarray(values)
    else:
        try:
            array = np.asarray(values)
        except ValueError:
            raise ValueError(f"{name}: its rows differ in length") from None
    return array, missing if missing is not None and missing.any() else None


def refuse(name: str, bad: _MASK, array: npt.NDArray[Any], text: str) -> RangeError:
    """The error that names the first bad entry."""
    index = int(np.argmax(bad))
    place = f"{name}[{index}]" if array.ndim else name
    return RangeError(errno.ERANGE, f"{place}: {array.ravel()[index]} {text}")


def refuse_masked(name: str, array: npt.NDArray[Any], missing: _MASK | None) -> None:
    """Where nothing is to be missing."""
    if missing is not None:
        index = int(np.argmax(missing))
        place = f"{name}[{index}]" if array.ndim else name
        raise RangeError(errno.ERANGE, f"{place}: it is missing: a value is needed")


def one_dimension(array: npt.NDArray[Any], name: str) -> None:
    """Take a column only."""
    if array.ndim != 1:
        raise ValueError(
            f"{name}: one dimension is needed, not shape {array.shape}: take one "
            "column, or ravel()"
        )


def _nanoseconds(
    array: npt.NDArray[Any], name: str, keep_missing: bool
) -> tuple[npt.NDArray[np.int64], _MASK]:
    """Times as nanoseconds, and which are NaT; astype() would wrap, and NaT too."""
    unit, count = np.datetime_data(array.dtype)
    if unit in ("Y", "M") and array.dtype.kind == "M":
        array, unit, count = array.astype("M8[D]"), "D", 1
    missing = np.isnat(array)
    if missing.any() and not keep_missing:
        raise refuse(name, missing, array, "is no time")
    if unit in ("ps", "fs", "as"):
        array, unit, count = array.astype(f"{array.dtype.kind}8[ns]"), "ns", 1
    if unit not in _NS:
        raise TypeError(f"{name}: {array.dtype} has no length in nanoseconds")
    factor = _NS[unit] * count
    if factor == 1 and array.dtype.isnative:
        return array.view(np.int64), missing
    numbers = array.astype(array.dtype.newbyteorder("=")).view(np.int64)
    most = (2**63 - 1) // factor
    beyond = ~missing & ((numbers > most) | (numbers < -most))
    if beyond.any():
        raise refuse(name, beyond, array, "is beyond 64 bits of nanoseconds")
    return np.where(missing, 0, numbers) * np.int64(factor), missing


def _is_missing(value: object) -> bool:
    """None, NaN, NaT, what is masked, or pandas' NA, which is not even comparable."""
    if value is None or value is np.ma.masked or type(value).__name__ == "NAType":
        return True
    return bool(value != value)


def _time_of(value: object) -> object:
    """Nanoseconds of an object that is a time; others as they are."""
    nanoseconds = getattr(value, "value", None)  # Timestamp and Timedelta of pandas
    if isinstance(value, (datetime.datetime, datetime.timedelta)):
        if isinstance(nanoseconds, int):
            return nanoseconds
        if isinstance(value, datetime.datetime):
            zone = None if value.tzinfo is None else datetime.timezone.utc
            value = value - _EPOCH.replace(tzinfo=zone)
        return value // datetime.timedelta(microseconds=1) * 1000
    return value


def _integer(value: object, name: str, low: int, high: int, times: str) -> int:
    if _is_missing(value):
        raise RangeError(errno.ERANGE, f"{name}: it is missing: a value is needed")
    if isinstance(value, (np.datetime64, np.timedelta64)):
        value = np.asarray(value)
        if value.dtype.kind in times:
            return _integer(
                int(_nanoseconds(value, name, False)[0]), name, low, high, ""
            )
    elif times:
        value = _time_of(value)
    if isinstance(value, float):
        if not value.is_integer():
            raise RangeError(
                errno.ERANGE, f"{name}: {value} is no integer of {low} to {high}"
            )
        value = int(value)
    return check_unsigned(value, name, high, low)


def _of_floats(
    array: npt.NDArray[Any], name: str, low: int, high: int, missing: _MASK
) -> npt.NDArray[Any]:
    whole = np.where(missing, 0, array)
    # 2^64 - 1 is no float, 2^64 is
    good = (whole >= low) & (whole <= high) & (whole < float(high + 1))
    bad = ~(good & (whole == np.floor(whole)))
    if bad.any():
        raise refuse(name, bad, array, f"is no integer of {low} to {high}")
    return whole


def integers(
    values: object,
    name: str,
    high: int,
    low: int = 0,
    *,
    unknown: int | None = None,
    times: str = "",
) -> npt.NDArray[Any]:
    """A column as uint64, or int64 where low is below 0; no copy if it is that.

    Args:
        high, low: the largest and the least value.
        unknown: stands for what is missing; None: nothing may be.
        times: "m", "M" or both: which kinds of times are taken, as nanoseconds.
    """
    wanted = np.dtype(np.uint64 if low >= 0 else np.int64)
    array, masked = array_of(values, name)
    missing = np.zeros(array.shape, bool) if masked is None else masked
    listed = not hasattr(values, "dtype")
    if array.dtype.kind in times:
        array, not_times = _nanoseconds(array, name, unknown is not None)
        missing = missing | not_times
    # NumPy makes floats of a list with large and small integers.
    if array.dtype.kind == "O" or (array.dtype.kind == "f" and listed):
        objects = array_of_objects(values, array)
        gone = [unknown is not None and _is_missing(one) for one in objects.ravel()]
        missing = missing | np.array(gone, bool).reshape(objects.shape)
        refuse_masked(
            name, array, missing if unknown is None and missing.any() else None
        )
        numbers = [
            0 if is_gone else _integer(one, f"{name}[{i}]", low, high, times)
            for i, (one, is_gone) in enumerate(zip(objects.ravel(), missing.ravel()))
        ]
        array = np.array(numbers, wanted).reshape(objects.shape)
    elif array.dtype.kind == "f":
        if unknown is not None:
            missing = missing | np.isnan(array)
        array = _of_floats(array, name, low, high, missing)
    elif array.dtype.kind not in "iu":
        raise TypeError(f"{name}: integers are needed, not {array.dtype}")
    refuse_masked(name, array, missing if unknown is None and missing.any() else None)
    bad = ~missing & ((array < low) | (array > high))
    if bad.any():
        raise refuse(name, bad, array, f"is not in {low} to {high}")
    if missing.any():
        array = np.where(missing, wanted.type(0), array.astype(wanted))
        array[missing] = unknown
    return array.astype(wanted, copy=False)


def array_of_objects(values: object, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The entries as they were before NumPy made one type of them."""
    if array.dtype.kind == "O":
        return array
    return np.asarray(values, dtype=object)


def floats(
    values: object, name: str, *, missing_is_nan: bool = True
) -> npt.NDArray[np.float64]:
    """A column as float64; no copy if it is that. Masked values become NaN."""
    array, masked = array_of(values, name)
    if not array.size:
        array = array.astype(np.float64)
    if array.dtype.kind == "O":
        gone = np.array([_is_missing(one) for one in array.ravel()], bool)
        masked = gone.reshape(array.shape) | (False if masked is None else masked)
        masked = masked if masked.any() else None
        kept = [one for one, is_gone in zip(array.ravel(), gone) if not is_gone]
        if not all(isinstance(one, (int, float, np.number)) for one in kept):
            raise TypeError(f"{name}: numbers are needed, not objects")
        array = np.where(gone.reshape(array.shape), 0.0, array).astype(np.float64)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: numbers are needed, not {array.dtype}")
    result = array.astype(np.float64, copy=False)
    if masked is None:
        return result
    if not missing_is_nan:
        refuse_masked(name, array, masked)
    return np.where(masked, np.nan, result)


def share(
    array: npt.NDArray[Any], dtype: npt.DTypeLike | None, copy: bool | None
) -> npt.NDArray[Any]:
    """What __array__() of NumPy 2 has to return: the same memory where it can."""
    wanted = array.dtype if dtype is None else np.dtype(dtype)
    if copy is None:
        return array if wanted == array.dtype else array.astype(wanted)
    if copy:
        return array.astype(wanted, copy=True)
    if wanted != array.dtype:
        raise ValueError(f"copy=False: {wanted} cannot be had without a copy")
    return array


def float_list(values: object, name: str) -> list[float]:
    """A column as numbers of Python; nothing may be missing."""
    array = floats(values, name, missing_is_nan=False)
    one_dimension(array, name)
    result: list[float] = array.tolist()
    return result


def frozen(array: npt.NDArray[_ScalarT]) -> npt.NDArray[_ScalarT]:
    """The same array, from now on read-only."""
    array.flags.writeable = False
    return array
