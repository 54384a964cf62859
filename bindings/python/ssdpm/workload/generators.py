# SPDX-License-Identifier: MIT
"""Workloads that are generated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, SupportsIndex, TypedDict

from ssdpm import _core
from ssdpm.base.convert import (
    check_memory,
    check_text,
    check_unsigned,
    number_of,
    takes,
)
from ssdpm.base.result import Json, Write
from ssdpm.workload.files import trace_counts
from ssdpm.workload.records import IO_DTYPE, OPS
from ssdpm.workload.trace import Trace

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True, eq=False)
class Workload(Json):
    """A workload that generate() makes, and one line about it."""

    name: str
    description: str


def workloads() -> tuple[Workload, ...]:
    """The workloads that generate() makes."""

    def write(index: int) -> Write:
        return lambda: _core.energy.generator_json(index)

    return tuple(
        Workload(*one)._written_by(write(index))
        for index, one in enumerate(_core.energy.generators())
    )


class Arrivals(TypedDict, total=False):
    """The parameters of a workload, as generate() has them."""

    seed: SupportsIndex | None
    n_ios: SupportsIndex | None
    value: SupportsIndex | None
    op: str | None
    bytes: SupportsIndex | None
    mean_idle_ns: SupportsIndex | None
    shape_milli: SupportsIndex | None
    area_bytes: SupportsIndex | None


def _generator(
    name: str, *, op: str | None = None, **numbers: SupportsIndex | None
) -> dict[str, int | None]:
    check_text(name, "name")
    small = ("bytes", "service_ns", "shape_milli")
    values: dict[str, int | None] = {
        key: None
        if number is None
        else check_unsigned(
            number,
            key,
            2**32 - 1 if key in small else 2**64 - 1,
            # To the library 0 is the default, which here is None.
            0 if key in ("seed", "service_ns") else 1,
        )
        for key, number in numbers.items()
    }
    values["op"] = number_of(op, "op", OPS) or None
    return values


@takes(Arrivals, _generator)
def generate(
    name: str,
    *,
    service_ns: SupportsIndex | None = None,
    **options: Unpack[Arrivals],
) -> Trace:
    """Make a workload; the same arguments give the same records on every machine.

    An argument that is None has the default of the workload; workloads() lists them,
    ssdpm_workload(3) describes them.

    Args:
        name: as in "server-mysql", "apst-1", "uflip-granularity-sr", "poisson".
        seed: of the random numbers.
        n_ios: how many I/Os.
        value: the one parameter that a uFLIP micro-benchmark varies, in its unit.
        op: "read" or "write", where the workload leaves it open.
        bytes: size of an I/O.
        service_ns: service time of each I/O; None: a nominal one, and unknown for an
            everyday workload.
        mean_idle_ns: mean idle time of arrivals.
        shape_milli: shape of the Lomax distribution in thousandths.
        area_bytes: offsets lie below it.

    Raises:
        NotFoundError: there is no such workload.
        InvalidError, RangeError: a number that it cannot have.
        MemoryError: more records than fit into memory; the message has their size.
        TypeError, ValueError: an argument of another type, an unknown word.
    """
    numbers = _generator(name, service_ns=service_ns, **options)
    check_memory(numbers.get("n_ios") or 0, IO_DTYPE.itemsize, "n_ios")
    reader = _core.energy.trace_generate(name, numbers)
    return Trace._wrap(reader.read_all(), trace_counts(reader), name)


@takes(Arrivals, _generator)
def fio_job(name: str, **options: Unpack[Arrivals]) -> str:
    """A workload as a job file of fio. It names no device: give fio --filename.

    Args: as generate().

    Raises:
        UnsupportedError: fio has no such arrivals.
        And as generate().
    """
    numbers = _generator(name, service_ns=None, **options)
    return _core.energy.fio_job(name, numbers)
