# SPDX-License-Identifier: MIT
"""One number that a simulation needs of a drive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ssdpm import _core
from ssdpm.base.convert import by_number, check_instance, check_list
from ssdpm.base.result import Value

KIND_WORDS = by_number(_core.energy.PARAMETER_KINDS)
_PROVENANCE_WORDS = by_number(_core.PROVENANCES)


@dataclass(frozen=True, eq=False)
class Parameter(Value):
    """One thing that a simulation has to know of a drive.

    Attributes:
        kind: as in "idle_power_uw"; the name has the unit.
        index: number of the state, of the operation (0 for "read", and so on in the
            order of OPS), or 0.
        provenance: "reported"; "measured", on this drive; "catalogue", "family",
            "published", of others; "assumed"; or "stated" for one that was overridden.
        low, nominal, high: its value; all three are the same where it is known.
        rule: one line: where it comes from.
    """

    kind: str
    index: int
    provenance: str
    low: int
    nominal: int
    high: int
    rule: str

    def _tuple(self) -> tuple[int, int, int, int, int, int, str]:
        return (
            _core.energy.PARAMETER_KINDS[self.kind],
            self.index,
            _core.PROVENANCES[self.provenance],
            self.low,
            self.nominal,
            self.high,
            self.rule,
        )


def check_parameters(parameters: object, name: str = "parameters") -> tuple[Any, ...]:
    """Several of them, as parameters() gives them."""
    listed = check_list(parameters, name, "ssdpm.Parameter")
    return tuple(check_instance(one, name, Parameter) for one in listed)


ParameterTuples = list[tuple[int, int, int, int, int, int, str]]


def parameters_from(tuples: ParameterTuples) -> tuple[Parameter, ...]:
    """The parameters that C has made."""
    return tuple(
        Parameter(KIND_WORDS[one[0]], one[1], _PROVENANCE_WORDS[one[2]], *one[3:])
        for one in tuples
    )
