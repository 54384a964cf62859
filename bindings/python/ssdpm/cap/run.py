# SPDX-License-Identifier: MIT
"""A trace under a power cap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, SupportsIndex

import numpy as np

from ssdpm import _core
from ssdpm.base.convert import check_unsigned
from ssdpm.base.notebook import html_table
from ssdpm.base.values import Value
from ssdpm.cap.drive import (
    CapsLike,
    Timeline,
    cap_uw_of,
    cap_watts,
    segments_of,
    timeline_of,
)
from ssdpm.cap.stream import Span, span_percent, span_w
from ssdpm.device.machine import Device
from ssdpm.estimate.parameters import Overlay
from ssdpm.estimate.setup import DEFAULT_TABLE, Setup, TableLike
from ssdpm.model.drive import Model
from ssdpm.parameter import Parameter
from ssdpm.workload.trace import TraceLike, all_records


@dataclass(frozen=True, eq=False)
class Run(Value):
    """A trace under a cap, or under caps that change.

    Attributes:
        cap_w: the lowest cap; None: there is none.
        duration_ns, uncapped_duration_ns: nominal, with caps, and in state 0 without.
        interval_ns: what p99 and most are taken over: a second, or the 65536th part of
            a longer trace.
        n_ios: how many.
        n_slowed: of these, whose service a cap made longer.
        delay_mean_ns, delay_p99_ns, delay_max_ns: by how much, over all I/Os.
        loss_share: of the throughput.
        power_uw: mean; likewise p99_power_uw and max_power_uw over the intervals, and
            uncapped_power_uw.
        timeline: a point for each cap; limit is "power" where it made an I/O longer,
            otherwise 0. Caps that the trace does not come to are not there.
    """

    cap_w: float | None
    duration_ns: int
    uncapped_duration_ns: int
    interval_ns: int
    n_ios: int
    n_slowed: int
    delay_mean_ns: int
    delay_p99_ns: int
    delay_max_ns: int
    loss_share: Span
    power_uw: Span
    p99_power_uw: Span
    max_power_uw: Span
    uncapped_power_uw: Span
    timeline: Timeline = field(hash=False)

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("duration", f"{self.duration_ns / 1e9:.6g} s"),
            ("without the cap", f"{self.uncapped_duration_ns / 1e9:.6g} s"),
            ("throughput lost", span_percent(self.loss_share)),
            ("mean power", span_w(self.power_uw)),
            ("p99 power", span_w(self.p99_power_uw)),
            ("most", span_w(self.max_power_uw)),
            ("  without", span_w(self.uncapped_power_uw)),
            ("slower I/Os", f"{self.n_slowed} of {self.n_ios}"),
            ("added, mean", f"{self.delay_mean_ns / 1e3:.6g} us"),
            ("added, p99", f"{self.delay_p99_ns / 1e3:.6g} us"),
            *self.timeline._rows(),
        ]

    def __str__(self) -> str:
        rows = self._rows()
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:{width}} {value}" for name, value in rows)

    def _repr_html_(self) -> str:
        cap = "no cap" if self.cap_w is None else f"a cap of {self.cap_w:g} W"
        if len(self.timeline) > 1:
            cap = "caps that change"
        return html_table(cap, ("", ""), self._rows())


def simulate(
    model: Model | Device,
    trace: TraceLike,
    caps: float | CapsLike | None,
    *,
    state: SupportsIndex = 0,
    table: TableLike = DEFAULT_TABLE,
    loop: str = "closed",
    lpm: str | None = None,
    pcie_link: str | None = "auto",
    parameters: Iterable[Parameter] | None = None,
    measured: Overlay | None = None,
    spare: float | None = None,
) -> Run:
    """What a trace loses under a cap, or under caps that change, and what it draws.

    Args:
        model: a drive, or a device.
        trace: as for ssdpm.estimate(); all of it is held in memory.
        caps: watts, or None: there is no cap; or one after the other, as for
            Drive.timeline(). The last one lasts as long as the trace.
        state: the operational state whose idle power the drive has.
        table, loop, lpm, pcie_link, parameters, measured, spare: as for
            ssdpm.estimate().

    Raises:
        RangeError: the drive does not keep up: an I/O takes over 4.29 s under the cap,
            or waits for that long in the open loop; the cap is below the idle power.
        InvalidError, UnknownValueError, TypeError, ValueError: as ssdpm.estimate().
    """
    setup = Setup(
        model,
        loop=loop,
        lpm=lpm,
        pcie_link=pcie_link,
        parameters=parameters,
        measured=measured,
        spare=spare,
    )
    if isinstance(caps, Iterable):
        segments = segments_of(caps)
    else:
        segments = [(0, cap_uw_of(caps, "caps"), 0)]
    *numbers, points = _core.energy.cap_simulate(
        setup.model._handle,
        setup.core(setup.table(table), check_unsigned(state, "state", 2**32 - 1)),
        segments,
        all_records(trace),
    )
    n_reached = max(np.count_nonzero(points["duration_ns"]), 1)
    values: list[Any] = [
        *numbers[:8],
        *(Span(*span) for span in numbers[8:]),
        timeline_of(points[:n_reached]),
    ]
    return Run(cap_watts(min(cap_uw for _, cap_uw, _ in segments)), *values)
