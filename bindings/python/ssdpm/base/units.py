# SPDX-License-Identifier: MIT
"""Numbers with units, for people."""

from __future__ import annotations


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
