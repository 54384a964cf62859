# SPDX-License-Identifier: MIT
"""Results whose JSON the library writes."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, TypeVar, Union, overload

from ssdpm.base.errors import UnsupportedError
from ssdpm.base.notebook import html_list
from ssdpm.base.values import Value

Write = Callable[[], str]

_ResultT = TypeVar("_ResultT", bound="Json")
_T = TypeVar("_T")


class Json(Value):
    """A value that is an object of ssdpm-json(5).

    What the object is made of is kept, and is no field: it is not compared, and a value
    that was made or changed by hand has none. Copies and pickles have the text.
    """

    _write: Union[Write, str, None] = None

    def _written_by(self: _ResultT, write: Write | None) -> _ResultT:
        """The same; write asks the library for its object."""
        object.__setattr__(self, "_write", write)
        return self

    def to_json(self) -> str:
        """The object of ssdpm-json(5) that the command prints with --json.

        Names of files have no directory in it. What the command alone knows, such as a
        call of itself, is null or absent.

        Raises:
            UnsupportedError: a value that no call of ssdpm has returned, or one made of
                what has no such object.
        """
        if self._write is None:
            raise UnsupportedError(
                errno.EOPNOTSUPP,
                f"nothing says what an ssdpm.{type(self).__name__} made by hand is of: "
                "only one that a call has returned has JSON",
            )
        return self._write if isinstance(self._write, str) else self._write()

    def to_dict(self) -> dict[str, Any]:
        """The JSON as a dict.

        Raises:
            As to_json().
        """
        result: dict[str, Any] = json.loads(self.to_json())
        return result

    def __getstate__(self) -> dict[str, Any]:
        state = dict(vars(self))
        if state.get("_write") is not None:
            state["_write"] = self.to_json()
        return state


class Items(Value, Sequence[_T]):
    """A value that is a sequence of what its first field has."""

    def _items(self) -> tuple[_T, ...]:
        first = fields(self)[0]  # type: ignore[arg-type]
        items: tuple[_T, ...] = getattr(self, first.name)
        return items

    def __len__(self) -> int:
        return len(self._items())

    @overload
    def __getitem__(self, index: int) -> _T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[_T, ...]: ...
    def __getitem__(self, index: int | slice) -> _T | tuple[_T, ...]:
        return self._items()[index]

    def _repr_html_(self) -> str:
        items = self._items()
        names = [one.name for one in fields(items[0])] if items else []  # type: ignore[arg-type]
        return html_list(type(self).__name__, items, names)


class Several(Items[_T], Json):
    """Results of one call, and the object of them all."""
