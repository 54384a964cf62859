# SPDX-License-Identifier: MIT
"""Tables of results in notebooks."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from ssdpm.base.values import Value


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
