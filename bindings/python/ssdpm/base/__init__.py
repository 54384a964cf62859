# SPDX-License-Identifier: MIT
"""What all stages share: the errors, and the checks of arguments."""

from __future__ import annotations

from ssdpm.base.errors import (
    AccessError,
    BusyError,
    Error,
    ExistsError,
    FormatError,
    GoneError,
    InvalidError,
    NotFoundError,
    NotInForceError,
    RangeError,
    ReadOnlyError,
    TableDiffersError,
    TimedOutError,
    TooLargeError,
    UnknownValueError,
    UnsupportedError,
)
from ssdpm.base.values import Live, Ongoing, Value

__all__ = [
    "AccessError",
    "BusyError",
    "Error",
    "ExistsError",
    "FormatError",
    "GoneError",
    "InvalidError",
    "Live",
    "NotFoundError",
    "NotInForceError",
    "Ongoing",
    "RangeError",
    "ReadOnlyError",
    "TableDiffersError",
    "TimedOutError",
    "TooLargeError",
    "UnknownValueError",
    "UnsupportedError",
    "Value",
]
