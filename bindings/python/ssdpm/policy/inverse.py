# SPDX-License-Identifier: MIT
"""From a table, or from a state to keep, back to parameters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, SupportsIndex

from ssdpm import _core
from ssdpm.base.convert import check_instance, check_unsigned, takes
from ssdpm.base.result import Json, Several
from ssdpm.model.drive import Model
from ssdpm.policy.parameters import (
    ApstParameters,
    Arguments,
    Quirk,
    apst_parameters,
    core_params,
    limit_word,
)
from ssdpm.policy.table import ApstTable, drive_name, table_name

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True, eq=False)
class Reached(Json):
    """The result of reach(): parameters, their table, and if it is the wanted one."""

    parameters: ApstParameters
    table: ApstTable
    exact: bool


@dataclass(frozen=True, eq=False)
class Inferred(Several[ApstParameters]):
    """What makes a table: infer(), the most plausible first.

    Attributes:
        candidates: parameters that make exactly this table.
    """

    candidates: tuple[ApstParameters, ...]


def infer(model: Model, table: ApstTable) -> Inferred:
    """Which algorithm and parameters made this table?

    Returns:
        All that are plausible and make exactly this table, the most plausible first;
        ssdpm_policy(3) has the order. Empty: nothing that is known makes it.

    Raises:
        UnknownValueError: a non-operational state has an unknown latency.
        UnsupportedError: not an NVMe drive.
    """
    found = _core.apst_infer(
        check_instance(model, "model", Model)._handle,
        check_instance(table, "table", ApstTable)._handle,
    )
    inferred = Inferred(tuple(map(apst_parameters, found)))
    params = [one for one, _, _ in found]
    return inferred._written_by(
        lambda: _core.apst_infer_json(
            model._handle, drive_name(model), table_name(table), params
        )
    )


@takes(Arguments, core_params)
def keep(
    model: Model,
    state: SupportsIndex,
    *,
    quirks: Iterable[Quirk | str] | Quirk | str = "auto",
    **arguments: Unpack[Arguments],
) -> int | str:
    """The largest latency limit that keeps a state and drops all deeper ones.

    Args:
        state: the number of the state that is to be the deepest one in use.
        algorithm, and so on: as those of apst().

    Returns:
        A value for max_exit_latency_us; "any": no limit is needed.

    Raises:
        UnsupportedError: no limit does that, and the message says why.
        InvalidError: the drive has no such state.
        And those of apst().
    """
    check_instance(model, "model", Model)
    params = core_params(model, quirks=quirks, **arguments)
    number = check_unsigned(state, "state", 2**32 - 1)
    return limit_word(_core.apst_keep(model._handle, params, number))


def reach(
    model: Model,
    table: ApstTable,
    *,
    quirks: Iterable[Quirk | str] | Quirk | str = "auto",
) -> Reached:
    """The parameters of nvme_core that make Linux build a table, or the closest one.

    New kernels refuse a raw table from user space. The closest table has the fewest
    entries that lead to another state. Then it misses the fewest entries that
    are wanted. At last the idle times of the others differ least in sum.

    Args:
        table: what is wanted.
        quirks: those that the kernel has for this drive; "auto": as apst() does.

    Raises:
        UnknownValueError: a non-operational state has an unknown latency.
        UnsupportedError: not an NVMe drive.
    """
    params = core_params(check_instance(model, "model", Model), quirks=quirks)
    found, made = _core.apst_reach(
        check_instance(model, "model", Model)._handle,
        check_instance(table, "table", ApstTable)._handle,
        params.quirks,
    )
    reached = ApstTable._wrap(made, model, found[0])
    result = Reached(apst_parameters(found), reached, reached == table)
    return result._written_by(
        lambda: _core.apst_reach_json(
            model._handle,
            drive_name(model),
            found[0],
            made,
            (table_name(table), table._handle),
        )
    )
