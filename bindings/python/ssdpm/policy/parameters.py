# SPDX-License-Identifier: MIT
"""The parameters of an algorithm that makes an APST table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, SupportsIndex

from ssdpm import _core
from ssdpm.base.convert import by_number, check_unsigned, number_of
from ssdpm.base.values import Value
from ssdpm.model.drive import Model
from ssdpm.policy.quirks import AUTO, quirk_bits, quirk_names
from ssdpm.policy.words import Algorithm, PowerScheme, PowerSource, Quirk


@dataclass(frozen=True, eq=False)
class ApstParameters(Value):
    """What made a table, or makes Linux build one.

    The attributes are arguments of apst(), which says what each algorithm reads;
    limit_range is the least and the largest max_exit_latency_us that make the same
    table.
    """

    algorithm: str
    max_exit_latency_us: int | str
    primary_timeout_ms: int
    primary_latency_tolerance_us: int
    secondary_timeout_ms: int
    secondary_latency_tolerance_us: int
    quirks: tuple[Quirk, ...]
    scheme: str
    power_source: str
    idle_power_uw: int
    transition_power_uw: int
    limit_range: tuple[int | str, int | str]

    def arguments(self) -> dict[str, Any]:
        """Them as arguments of apst(), which makes the table of them."""
        return {name: getattr(self, name) for name in APST_DEFAULTS}


TIMES = (
    "primary_timeout_ms",
    "primary_latency_tolerance_us",
    "secondary_timeout_ms",
    "secondary_latency_tolerance_us",
)
POWERS = ("idle_power_uw", "transition_power_uw")


def _defaults() -> Mapping[str, Any]:
    params = _core.ApstParams()
    values: dict[str, Any] = {
        "algorithm": Algorithm(by_number(_core.ALGORITHMS)[params.algorithm]),
        "scheme": PowerScheme(by_number(_core.SCHEMES)[params.scheme]),
        "power_source": PowerSource(
            by_number(_core.POWER_SOURCES)[params.power_source]
        ),
        "max_exit_latency_us": params.max_exit_latency_us,
        "quirks": AUTO,
    }
    for name in TIMES + POWERS:
        values[name] = getattr(params, name)
    return MappingProxyType(values)


APST_DEFAULTS: Mapping[str, Any] = _defaults()
"""What apst() takes for an argument that is None: the defaults of Linux."""

_WORDS = {
    "algorithm": _core.ALGORITHMS,
    "scheme": _core.SCHEMES,
    "power_source": _core.POWER_SOURCES,
}


def limit_word(us: int) -> int | str:
    """A latency limit as people write it: "any" is none."""
    return "any" if us == _core.LATENCY_ANY else us


def limit_number(value: object, name: str) -> int:
    """A latency in microseconds, or "any"."""
    if isinstance(value, str) and value == "any":
        return _core.LATENCY_ANY
    return check_unsigned(value, name, _core.LATENCY_ANY - 1)


def core_params(
    model: Model,
    *,
    max_exit_latency_us: SupportsIndex | str | None = None,
    quirks: Iterable[str] | str = (),
    **others: SupportsIndex | str | None,
) -> _core.ApstParams:
    """What apst() takes, checked; None is the default."""
    params = _core.ApstParams()
    if max_exit_latency_us is not None:
        params.max_exit_latency_us = limit_number(
            max_exit_latency_us, "max_exit_latency_us"
        )
    for name, value in others.items():
        known = _WORDS.get(name)
        if value is None:
            continue
        if known is not None:
            setattr(params, name, number_of(value, name, known))
        else:
            most = 2**32 - 1 if name in POWERS else 2**64 - 1
            setattr(params, name, check_unsigned(value, name, most))
    params.quirks = quirk_bits(model, quirks, params.algorithm)
    return params


def apst_parameters(
    found: tuple[_core.ApstParams, int, int],
) -> ApstParameters:
    """Parameters, and the range of the limit."""
    params, low, high = found
    return ApstParameters(
        algorithm=by_number(_core.ALGORITHMS)[params.algorithm],
        max_exit_latency_us=limit_word(params.max_exit_latency_us),
        primary_timeout_ms=params.primary_timeout_ms,
        primary_latency_tolerance_us=params.primary_latency_tolerance_us,
        secondary_timeout_ms=params.secondary_timeout_ms,
        secondary_latency_tolerance_us=params.secondary_latency_tolerance_us,
        quirks=quirk_names(params.quirks),
        scheme=by_number(_core.SCHEMES)[params.scheme],
        power_source=by_number(_core.POWER_SOURCES)[params.power_source],
        idle_power_uw=params.idle_power_uw,
        transition_power_uw=params.transition_power_uw,
        limit_range=(limit_word(low), limit_word(high)),
    )
