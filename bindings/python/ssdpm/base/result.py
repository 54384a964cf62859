# SPDX-License-Identifier: MIT
"""What results share: numbers with units, tables in notebooks, JSON, drawings."""

from __future__ import annotations

import errno
import html
import importlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import Any, TypeVar, Union, overload

from ssdpm.base.errors import UnsupportedError
from ssdpm.base.values import Value

_Drawn = TypeVar("_Drawn")


def need(module: str, what: str, extra: str) -> Any:
    """Import what is optional; the error says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{what} needs {module.partition('.')[0]}: pip install ssdpm[{extra}]"
        ) from error


def drawn(name: str, *arguments: object) -> _Drawn:  # type: ignore[type-var]
    """What a function of ssdpm.plot returns; no other module imports it."""
    plot = importlib.import_module("ssdpm.plot")
    result: _Drawn = getattr(plot, name)(*arguments)
    return result


def in_w(watts: float) -> str:
    """Watts, or milliwatts below 1 W."""
    return f"{watts:.4g} W" if abs(watts) >= 1 else f"{watts * 1e3:.4g} mW"


def in_j(joules: float) -> str:
    """Joules, or millijoules below 1 J."""
    return f"{joules:.6g} J" if abs(joules) >= 1 else f"{joules * 1e3:.4g} mJ"


def in_s(ns: float) -> str:
    """A duration in the largest unit up to seconds."""
    for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if abs(ns) >= scale:
            return f"{ns / scale:.4g} {unit}"
    return f"{ns:g} ns"


def in_mw(uw: int) -> str:
    """Milliwatts, without their unit."""
    return f"{uw / 1e3:.4g}"


def in_ms(ns: int) -> str:
    """Milliseconds, without their unit."""
    return f"{ns / 1e6:.4g}"


def in_percent(part: int, whole: int) -> str:
    """A share of a whole; of nothing it is 0 %."""
    return f"{100 * part / whole if whole else 0:.3g} %"


def _text(value: object) -> str:
    """A cell: unknown numbers and empty lists are a dash."""
    if isinstance(value, float):
        value = None if math.isnan(value) else f"{value:.6g}"
    elif isinstance(value, (tuple, frozenset)):
        words = map(str, value)
        value = ", ".join(sorted(words) if isinstance(value, frozenset) else words)
        value = value or None
    return "&ndash;" if value is None else html.escape(str(value))


def html_table(
    caption: str, columns: Iterable[str], rows: Iterable[Iterable[object]]
) -> str:
    """What _repr_html_() returns; None becomes a dash."""

    def cells(tag: str, values: Iterable[object]) -> str:
        return "".join(f"<{tag}>{_text(value)}</{tag}>" for value in values)

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return (
        f"<table><caption>{html.escape(caption)}</caption>"
        f"<thead><tr>{cells('th', columns)}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def html_fields(caption: str, value: Any, *left_out: str) -> str:
    """A line for each field of one result."""
    names = (one.name for one in fields(value) if one.name not in left_out)
    return html_table(caption, ("", ""), ((n, getattr(value, n)) for n in names))


def html_list(
    caption: str, items: Iterable[object], columns: type[Value] | Iterable[str]
) -> str:
    """A line for each of some results; columns: their class, for all its fields."""
    if isinstance(columns, type):
        columns = [one.name for one in fields(columns)]  # type: ignore[arg-type]
    names = list(columns)
    rows = ([getattr(one, name) for name in names] for one in items)
    return html_table(caption, names, rows)


class Html(Value):
    """A value whose fields are its table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return html_fields(str(self), self)


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
