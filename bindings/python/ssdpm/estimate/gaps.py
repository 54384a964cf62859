# SPDX-License-Identifier: MIT
"""Many tables on the idle times of one trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.arrays import share
from ssdpm.base.convert import takes
from ssdpm.device.machine import Device
from ssdpm.estimate.compare import named_policies
from ssdpm.estimate.result import PER_OP, Residency, Run, run_from
from ssdpm.estimate.setup import Fed, Known, Setup, TableLike, end_number
from ssdpm.model.drive import Model
from ssdpm.workload.records import OPS, Service, service_numbers
from ssdpm.workload.trace import TraceLike, record_arrays, source_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Gaps:
    """The idle times of a trace, collected once for many questions.

    Where sweep(), best_table(), clairvoyant() and recommend() take a trace, they take
    one of these too. It never changes, and threads may share it.

    Args:
        trace: as estimate().
        service: for records without a service time: a drive has its own,
            Service.from_parameters(ssdpm.parameters(model)). None: they take no time.
        end_ns: as estimate().

    Raises:
        UnknownValueError: the trace is empty.
        And as Simulation.feed().
    """

    __slots__ = ("_fed", "_handle")

    def __init__(
        self,
        trace: TraceLike,
        service: Service | None = None,
        end_ns: SupportsIndex | None = None,
    ) -> None:
        handle = _core.energy.Gaps(service_numbers(service))
        for records in record_arrays(trace):
            handle.feed(records)
        handle.finish(end_number(end_ns))
        self._fed = source_of(trace)
        self._handle = handle

    @property
    def idle_ns(self) -> npt.NDArray[np.uint64]:
        """The idle times before I/Os, ascending, read-only; no copy."""
        return self._handle.idle_ns

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        """idle_ns, for numpy.asarray(); the same memory, unless a copy is due."""
        return share(self.idle_ns, dtype, copy)

    def __len__(self) -> int:
        """The number of idle times."""
        return len(self.idle_ns)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        """The same idle times and work, so that every answer is the same."""
        if not isinstance(other, Gaps):
            return NotImplemented
        return (
            self._handle is other._handle
            or self._handle.to_data() == other._handle.to_data()
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _gaps_from, (self._handle.to_data(), self._fed)

    def __repr__(self) -> str:
        return f"<ssdpm.Gaps {len(self)} idle times>"


def _gaps_from(data: bytes, fed: Fed = (None, None)) -> Gaps:
    self = Gaps.__new__(Gaps)
    self._fed = fed
    self._handle = _core.energy.Gaps(data)
    return self


def gaps_of(
    setup: Setup, trace: TraceLike | Gaps, end_ns: SupportsIndex | None
) -> _core.energy.Gaps:
    """The idle times of a trace, on the drive of a setup."""
    if not isinstance(trace, Gaps):
        service = Service.from_parameters(setup.parameters)
        return Gaps(trace, service, end_ns)._handle
    if end_ns is not None:
        raise ValueError("end_ns: the idle times are those of a trace that has ended")
    return trace._handle


def _sweep_columns(n_states: int) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """(column, where it lies in struct ssdpm_run)."""
    for field in fields(Run):
        if field.name in PER_OP:
            name = field.name.replace("_by_op", "")
            for index, op in enumerate(OPS):
                yield f"{name}_{op}", (field.name, index)
        elif field.name != "states":
            yield field.name, (field.name,)
    for state in range(n_states):
        for field in fields(Residency)[1:]:
            yield f"ps{state}_{field.name}", ("states", state, field.name)


@takes(Known, Setup)
def sweep(
    model: Model | Device,
    trace: TraceLike | Gaps,
    tables: Mapping[str, TableLike] | Iterable[TableLike],
    *,
    idle_from_start: bool = False,
    end_ns: SupportsIndex | None = None,
    **known: Unpack[Known],
) -> npt.NDArray[np.void]:
    """The nominal run of many tables of an NVMe drive, in the closed loop.

    A table costs microseconds here, however long the trace is.

    Args:
        tables: what estimate() takes for a table, with names or without.
        And as estimate().

    Returns:
        An array with a row for each table, in their order, which pandas.DataFrame
        takes: name, energy_j, mean_power_w and the members of Run, those of operations
        as n_ios_read and so on, those of states as ps4_time_ns. Quantiles are exact.

    Raises:
        As estimate(); InvalidError, UnsupportedError: not an NVMe drive.
    """
    setup = Setup(model, idle_from_start=idle_from_start, **known)
    named = named_policies(tables, "tables")
    names = [name for name, _ in named]
    made = [setup.table_or_none(table, "tables")._handle for _, table in named]
    gaps = gaps_of(setup, trace, end_ns)
    runs = _core.energy.gaps_sweep(gaps, setup.model._handle, setup.core(None), made)
    columns = dict(_sweep_columns(len(setup.model)))
    width = max((len(name) for name in names), default=0) or 1
    dtype = [("name", f"U{width}"), ("energy_j", "f8"), ("mean_power_w", "f8")]
    result = np.empty(len(runs), dtype + [(name, "u8") for name in columns])
    result["name"] = names
    result["energy_j"] = runs["energy_nj"] / 1e9
    result["mean_power_w"] = runs["mean_power_uw"] / 1e6
    for name, (member, *place) in columns.items():
        column = runs[member]
        for index in place:
            column = column[index] if isinstance(index, str) else column[:, index]
        result[name] = column
    return result


@takes(Known, Setup)
def clairvoyant(
    model: Model | Device,
    trace: TraceLike | Gaps,
    *,
    end_ns: SupportsIndex | None = None,
    **known: Unpack[Known],
) -> Run:
    """The least energy that a table could ever reach on a workload, closed loop.

    This is the optimum if the end of each idle time is known. The drive stays awake or
    goes at once to one state, whichever is cheapest, with the same exits to wait for.
    The regret of a policy is its energy minus this.

    Args and errors: as sweep().
    """
    setup = Setup(model, **known)
    gaps = gaps_of(setup, trace, end_ns)
    [run] = _core.energy.gaps_clairvoyant(gaps, setup.model._handle, setup.core(None))
    return run_from(run, len(setup.model))
