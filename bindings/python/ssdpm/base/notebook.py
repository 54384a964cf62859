# SPDX-License-Identifier: MIT
"""Tables of results in notebooks."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from ssdpm.base.values import Value


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


def field_rows(value: Any) -> list[tuple[str, object]]:
    return [(one.name, getattr(value, one.name)) for one in fields(value)]


def cell(value: object) -> object:
    if isinstance(value, float):
        return None if math.isnan(value) else f"{value:.6g}"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or None
    return value


class Html(Value):
    """A table of the fields, for notebooks."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        rows = [(name, cell(value)) for name, value in field_rows(self)]
        return html_table(str(self), ("", ""), rows)
