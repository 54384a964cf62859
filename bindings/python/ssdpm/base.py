# SPDX-License-Identifier: MIT
"""What all stages share: the errors, and the checks of arguments."""

from __future__ import annotations

import errno
import html
import operator
import os
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, NoReturn, SupportsIndex, TypeVar

import numpy as np

_LiveT = TypeVar("_LiveT", bound="Live")


class Error(OSError):
    """A call of the library failed.

    The message names the thing and the cause; the file and the line stand in front
    of it where there are any: ``drive.json:7: states[3].exit_latency_us: ...``.

    Attributes:
        errno: a number of the module errno.
        strerror: the message without file and line.
        filename: the file that was read, or None.
        line: line of a text input, counted from 1, or None.
        nvme_status: what the drive answered to a command, or None.
    """

    line: int | None
    nvme_status: int | None

    def __init__(
        self,
        code: int,
        message: str,
        filename: str | None = None,
        line: int | None = None,
        nvme_status: int | None = None,
    ) -> None:
        super().__init__(code, message)
        self.filename = filename
        self.line = line
        self.nvme_status = nvme_status

    def __str__(self) -> str:
        if self.filename is not None and self.line is not None:
            return f"{self.filename}:{self.line}: {self.strerror}"
        if self.filename is not None:
            return f"{self.filename}: {self.strerror}"
        if self.line is not None:
            return f"line {self.line}: {self.strerror}"
        return str(self.strerror)


class InvalidError(Error, ValueError):
    """EINVAL: values contradict each other, or mean nothing."""


class FormatError(InvalidError):
    """EINVAL from a reader: the data is not what it should be."""


class RangeError(Error, ValueError):
    """ERANGE: a number or a text is beyond what its field can hold."""


class TooLargeError(Error, ValueError):
    """E2BIG: more data than is read."""


class UnsupportedError(Error):
    """EOPNOTSUPP: the drive, or the object, has no such thing."""


class UnknownValueError(Error):
    """ENODATA: a value is needed that nobody knows."""


class NotFoundError(Error, LookupError):
    """ENOENT: there is no such drive, device, profile or root."""


class AccessError(Error, PermissionError):
    """EACCES, EPERM: root is needed, or Linux or a quirk forbids it."""


class ExistsError(Error, FileExistsError):
    """EEXIST: something of that name is there, and is not ours."""


class GoneError(Error):
    """ENODEV: the device is gone, or a library for live commands is missing."""


class ReadOnlyError(Error):
    """EROFS: a root without the marker of a capture is not written to."""


class BusyError(Error):
    """EBUSY: another commit holds the lock, a battery charges, a disk is in standby."""


class TimedOutError(Error, TimeoutError):
    """ETIMEDOUT: a SATA port did not come back, or a command did not end."""


class NotInForceError(Error):
    """ESTALE: a value is not, or no longer, what a plan shows."""


class TableDiffersError(NotInForceError):
    """EREMOTEIO: the kernel built another table than was predicted."""


_CLASSES: dict[int, type[Error]] = {
    errno.EINVAL: InvalidError,
    errno.ERANGE: RangeError,
    errno.E2BIG: TooLargeError,
    errno.EOPNOTSUPP: UnsupportedError,
    errno.ENODATA: UnknownValueError,
    errno.ENOENT: NotFoundError,
    errno.EACCES: AccessError,
    errno.EPERM: AccessError,
    errno.EEXIST: ExistsError,
    errno.ENODEV: GoneError,
    errno.EROFS: ReadOnlyError,
    errno.EBUSY: BusyError,
    errno.ETIMEDOUT: TimedOutError,
    errno.ESTALE: NotInForceError,
    errno.EREMOTEIO: TableDiffersError,
}


def _error_from_c(
    code: int, message: str, line: int, nvme_status: int, reading: bool
) -> Error:
    """The exception for an error of the library; _core raises it."""
    cls = _CLASSES.get(code, Error)
    if reading and cls is InvalidError:
        cls = FormatError
    return cls(code, message, line=line or None, nvme_status=nvme_status or None)


def _own(value: Any) -> Any:
    """A field as a Value keeps it: numbers of Python, arrays that are read-only."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        array = value.view()
        array.flags.writeable = False
        return array
    if isinstance(value, tuple):
        items = [_own(one) for one in value]
        if all(one is other for one, other in zip(items, value)):
            return value
        # A NamedTuple takes its members one by one.
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    if type(value) is dict:
        return {_own(key): _own(one) for key, one in value.items()}
    return value


def same(one: Any, other: Any) -> bool:
    """Equality of fields; NaN is an unknown number, and equals NaN."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
            return False
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
        if one.dtype.names:  # The bytes between members mean nothing.
            return all(same(one[name], other[name]) for name in one.dtype.names)
        return one.tobytes() == other.tobytes()
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            same(value, other[key]) for key, value in one.items()
        )
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (one != one and other != other)
    return bool(one == other)


def _hashed(value: Any) -> Any:
    """The value to hash in place of a field: two NaN have different hashes."""
    if isinstance(value, tuple):
        return tuple(map(_hashed, value))
    return None if isinstance(value, float) and value != value else value


class Value:
    """The base of all dataclasses that never change.

    Numbers of NumPy become Python's own, and arrays become read-only views. Values of
    one class are equal if their fields are, and NaN equals NaN. Copies and pickles are
    equal to the original. A dataclass of this base is made with eq=False.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            own = _own(value)
            if own is not value:
                object.__setattr__(self, name, own)

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, _own(value))

    def _compared(self) -> list[str]:
        return [one.name for one in fields(self) if one.compare]  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = self._compared()
        return all(same(getattr(self, n), getattr(other, n)) for n in names)

    def __hash__(self) -> int:
        return hash(
            tuple(
                _hashed(getattr(self, one.name))
                for one in fields(self)  # type: ignore[arg-type]
                if (one.compare if one.hash is None else one.hash)
            )
        )


class Ongoing:
    """What has a state that goes on; it is neither copied nor pickled."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(
            f"cannot copy or pickle an ssdpm.{type(self).__name__}: its state goes "
            "on; make another one"
        )


class Live:
    """What holds on to a machine: copies of it are itself, and it is not pickled."""

    __slots__ = ()

    def __copy__(self: _LiveT) -> _LiveT:
        return self

    def __deepcopy__(self: _LiveT, memo: object) -> _LiveT:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"cannot pickle an ssdpm.{type(self).__name__}, which is of this process: "
            "pickle names of devices and the root, and open them there"
        )


def check_unsigned(value: object, name: str, maximum: int, minimum: int = 0) -> int:
    """An integer of minimum to maximum, of any integer type but bool."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"{name}: an integer is needed, not {type(value).__name__}"
        ) from None
    if not minimum <= number <= maximum:
        raise RangeError(
            errno.ERANGE, f"{name}: {number} is not in {minimum} to {maximum}"
        )
    return number


def check_bool(value: object, name: str) -> bool:
    """A bool, and nothing that is only true or false in some sense."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: a bool is needed, not {type(value).__name__}")
    return bool(value)


def check_path(value: object, name: str) -> bytes:
    """A path, as the system takes it."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name}: a path is needed, not {type(value).__name__}")
    try:
        path = os.fsencode(value)
    except UnicodeEncodeError:
        raise ValueError(f"{name}: {value!r} is no name of a file") from None
    if b"\0" in path:
        raise ValueError(f"{name}: a zero byte stands in it")
    return path


def check_filename(value: object, name: str) -> str:
    """A path, as Python opens it."""
    return os.fsdecode(check_path(value, name))


def check_text(value: object, name: str) -> str:
    """A str that C can read to its end."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: a str is needed, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"{name}: a zero byte stands in it")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name}: {value!r} has no form in UTF-8") from None
    return value


def check_float(value: object, name: str, needed: str = "a number is") -> float:
    """Any real number but a bool."""
    if isinstance(value, (bool, np.complexfloating)) or not isinstance(
        value, (int, float, np.number)
    ):
        raise TypeError(f"{name}: {needed} needed, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        raise RangeError(errno.ERANGE, f"{name}: it is beyond any float") from None


def check_word(value: object, name: str, words: Iterable[str]) -> str:
    """One of some words; the members of our enums are words too."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: a str is needed, not {type(value).__name__}")
    known = list(words)
    if value not in known:
        raise ValueError(
            f"{name}: {str(value)!r} is none of {', '.join(map(repr, known))}"
        )
    return str(value)


def check_memory(n: int, each: int, name: str) -> None:
    """Say the size before the machine runs out of memory."""
    needed, gib = n * each, 2.0**30
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > total:
        raise MemoryError(
            f"{name}: {n} of {each} bytes are {needed} bytes ({needed / gib:.4g} GiB); "
            f"this machine has {total / gib:.4g} GiB of memory"
        )


def check_list(values: object, name: str, what: str) -> list[Any]:
    """Several things; a text or a single thing is none."""
    texts = (str, bytes, bytearray)
    single = isinstance(values, np.ndarray) and values.ndim == 0
    if isinstance(values, texts) or single or not isinstance(values, Iterable):
        raise TypeError(
            f"{name}: a list of {what} is needed, not {type(values).__name__}"
        )
    if hasattr(values, "columns"):
        raise TypeError(f"{name}: a list of {what} is needed, not a DataFrame")
    return list(values)


def check_words(values: object, name: str, what: str = "words") -> list[Any]:
    """Several words, or one that stands alone."""
    return [values] if isinstance(values, str) else check_list(values, name, what)


def check_instance(value: object, name: str, cls: type) -> Any:
    """One of our objects."""
    if not isinstance(value, cls):
        raise TypeError(
            f"{name}: an ssdpm.{cls.__name__} is needed, not {type(value).__name__}"
        )
    return value


def bytes_of(source: object, wanted: str, name: str = "source") -> bytes:
    """Any buffer of bytes; bytes are not copied."""
    if isinstance(source, bytes):
        return source
    try:
        memory = memoryview(source)  # type: ignore[arg-type]
    except TypeError:
        memory = None
    # Bytes only: an array of numbers is no file.
    if memory is None or memory.itemsize != 1:
        raise TypeError(f"{name}: {wanted} is needed, not {type(source).__name__}")
    return memory.tobytes()


def html_table(
    caption: str, columns: Iterable[str], rows: Iterable[Iterable[object]]
) -> str:
    """A table for notebooks; None becomes a dash."""

    def cells(tag: str, values: Iterable[object]) -> str:
        texts = (
            "&ndash;" if value is None else html.escape(str(value)) for value in values
        )
        return "".join(f"<{tag}>{text}</{tag}>" for text in texts)

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return (
        f"<table><caption>{html.escape(caption)}</caption>"
        f"<thead><tr>{cells('th', columns)}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )
