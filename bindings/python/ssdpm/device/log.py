# SPDX-License-Identifier: MIT
"""Where the messages of the library go."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Union

from ssdpm import _core

Log = Union[logging.Logger, Callable[[int, str], object]]

LEVELS = {
    _core.LOG_WARNING: logging.WARNING,
    _core.LOG_INFO: logging.INFO,
    _core.LOG_DEBUG: logging.DEBUG,
}

# A library that nobody listens to is silent.
logging.getLogger("ssdpm").addHandler(logging.NullHandler())


def log_of(log: Log | None) -> tuple[Callable[[int, str], object], int]:
    """What is called with each message, and the most that is wanted."""
    if log is None:
        log = logging.getLogger("ssdpm")
    if isinstance(log, logging.Logger):
        wanted = [ours for ours, theirs in LEVELS.items() if log.isEnabledFor(theirs)]
        most = max(wanted, default=_core.LOG_WARNING)
        tell: Callable[[int, str], object] = log.log
    else:
        most = _core.LOG_DEBUG
        tell = log
    if not callable(tell):
        raise TypeError(
            f"log: a logging.Logger or a callable is needed, not {type(log).__name__}"
        )
    return tell, most
