# SPDX-License-Identifier: MIT
"""What all stages share: the errors, and the checks of arguments."""

from __future__ import annotations

import errno
import html
import operator
import os
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, NoReturn, TypeVar

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
    if not isinstance(value, bool):
        raise TypeError(f"{name}: a bool is needed, not {type(value).__name__}")
    return value


def check_path(value: object, name: str) -> bytes:
    """A path, as the system takes it."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name}: a path is needed, not {type(value).__name__}")
    path = os.fsencode(value)
    if b"\0" in path:
        raise ValueError(f"{name}: a zero byte stands in it")
    return path


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
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"{name}: {needed} needed, not {type(value).__name__}")
    return float(value)


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


def check_instance(value: object, name: str, cls: type) -> Any:
    """One of our objects."""
    if not isinstance(value, cls):
        raise TypeError(
            f"{name}: an ssdpm.{cls.__name__} is needed, not {type(value).__name__}"
        )
    return value


def bytes_of(source: object, wanted: str) -> bytes:
    """Any buffer of bytes; bytes are not copied."""
    if isinstance(source, bytes):
        return source
    try:
        memory = memoryview(source)  # type: ignore[arg-type]
    except TypeError:
        memory = None
    # Bytes only: an array of numbers is no file.
    if memory is None or memory.itemsize != 1:
        raise TypeError(f"source: {wanted} is needed, not {type(source).__name__}")
    return memory.tobytes()


def equal_fields(one: Any, other: Any) -> bool:
    """__eq__ of a dataclass that holds arrays."""
    if type(one) is not type(other):
        return False

    def same(a: object, b: object) -> bool:
        if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)):
            return type(a) is type(b) and bool(a == b)
        # NaN is what is not known, twice the same: so by bytes.
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()

    names = [field.name for field in fields(one)]
    return all(same(getattr(one, name), getattr(other, name)) for name in names)


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
