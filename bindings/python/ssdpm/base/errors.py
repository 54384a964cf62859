# SPDX-License-Identifier: MIT
"""The errors that calls of the library raise."""

from __future__ import annotations

import errno


class Error(OSError):
    """A call of the library failed.

    The message names the thing and the cause. The file and the line come first,
    where there are any: ``drive.json:7: states[3].exit_latency_us: ...``.

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
    """ENODATA: a needed value is unknown."""


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


def error_from_c(
    code: int, message: str, line: int, nvme_status: int, reading: bool
) -> Error:
    """The exception for an error of the library; _core raises it."""
    cls = _CLASSES.get(code, Error)
    if reading and cls is InvalidError:
        cls = FormatError
    return cls(code, message, line=line or None, nvme_status=nvme_status or None)
