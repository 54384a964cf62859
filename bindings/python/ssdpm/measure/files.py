# SPDX-License-Identifier: MIT
"""Values that are files of JSON, which the command reads and writes too."""

from __future__ import annotations

import os
from typing import TypeVar

from ssdpm.base.convert import bytes_of, check_filename, check_text
from ssdpm.base.errors import Error
from ssdpm.base.result import Written
from ssdpm.model.source import read_file

_LoadedT = TypeVar("_LoadedT", bound="Loaded")


class Saved(Written):
    """What save() writes."""

    __slots__ = ()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to_json() to a file; it is replaced.

        Raises:
            OSError: it cannot be written.
        """
        text = self.to_json()
        name = check_filename(path, "path")
        with open(name, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)


class Loaded(Saved):
    """And what load() reads; _read() makes it of the bytes."""

    __slots__ = ()

    @classmethod
    def _read(cls: type[_LoadedT], raw: bytes) -> _LoadedT:
        raise NotImplementedError

    @classmethod
    def from_json(cls: type[_LoadedT], text: str | bytes) -> _LoadedT:
        """The value of to_json(); what the command wrote, too.

        Raises:
            FormatError, RangeError: it is another text; the error has the line.
        """
        if isinstance(text, str):
            return cls._read(check_text(text, "text").encode())
        return cls._read(bytes_of(text, "a text", "text"))

    @classmethod
    def load(cls: type[_LoadedT], path: str | os.PathLike[str]) -> _LoadedT:
        """Read a file that save() or the command wrote.

        Raises:
            FormatError, RangeError: as from_json(), with the file.
            OSError: it cannot be read.
        """
        filename = check_filename(path, "path")
        text = read_file(filename)
        try:
            return cls.from_json(text)
        except Error as error:
            error.filename = filename
            raise
