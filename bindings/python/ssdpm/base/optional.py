# SPDX-License-Identifier: MIT
"""Packages that need not be installed: pandas, and matplotlib behind ssdpm.plot."""

from __future__ import annotations

import importlib
from typing import Any, TypeVar

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
