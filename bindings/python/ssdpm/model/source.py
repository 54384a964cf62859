# SPDX-License-Identifier: MIT
"""Where models and catalogues are read from."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.convert import bytes_of, check_filename
from ssdpm.base.errors import Error, InvalidError

Source = Union[
    str,
    "os.PathLike[str]",
    bytes,
    bytearray,
    memoryview,
    "npt.NDArray[np.uint8]",
    Mapping[str, Any],
]


def read_file(path: str) -> bytes:
    """What a file holds, up to what the library reads at most, and a byte.

    O_NONBLOCK: the open of a FIFO that nobody writes to would wait for ever. It
    gives an empty file; one with a writer is read to its end.
    """

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NONBLOCK)

    with open(path, "rb", opener=opener) as file:
        os.set_blocking(file.fileno(), True)
        return file.read(_core.JSON_MAX_BYTES + 1)


def _plain(value: object) -> object:
    """NumPy's numbers in a dict are numbers like others."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no place in a model")


def data_of(source: Source) -> tuple[bytes, str | None]:
    """The data for the library, and the name of the file that it is from."""
    if isinstance(source, Mapping):
        return json.dumps(dict(source), default=_plain).encode(), None
    if isinstance(source, (str, os.PathLike)):
        filename = check_filename(source, "source")
        return read_file(filename), filename
    return bytes_of(source, "a path, bytes or a dict"), None


def place_error(error: Error, source: Source | None, filename: str | None) -> None:
    """Say which file an error is of; a dict has no lines."""
    error.filename = filename
    if isinstance(source, Mapping):
        error.line = None  # of a text that nobody has seen


def read_models(source: Source) -> list[_core.Model]:
    """All drives of a source."""
    data, filename = data_of(source)
    try:
        return _core.models_from_data(data)
    except Error as error:
        place_error(error, source, filename)
        raise


def check_ascii(value: str | None, name: str) -> str | None:
    """A text that a drive can report."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"{name}: a str is needed, not {type(value).__name__}")
    if not value.isascii() or not value.isprintable():
        raise InvalidError(errno.EINVAL, f"{name}: {value!r} is not printable ASCII")
    return value
