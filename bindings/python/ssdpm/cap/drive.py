# SPDX-License-Identifier: MIT
"""A drive under caps: by formula, and on a trace."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex, Union

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.arrays import frozen
from ssdpm.base.convert import (
    by_number,
    check_instance,
    check_list,
    check_memory,
    check_unsigned,
    check_word,
    check_words,
    ns_of,
    takes,
    uw_of,
)
from ssdpm.base.errors import InvalidError
from ssdpm.base.result import Json, Table, Value, drawn, html_table
from ssdpm.cap.stream import (
    DRIVE_FIELDS,
    Span,
    SpanLike,
    Stream,
    StreamTuple,
    field_names,
    set_field,
    span_gb,
    span_of,
    span_percent,
    span_w,
    stream_of,
    triple,
)
from ssdpm.device.machine import Device
from ssdpm.estimate.parameters import Overlay
from ssdpm.estimate.setup import DEFAULT_TABLE, Known, Setup, TableLike
from ssdpm.model.drive import Model
from ssdpm.parameter import Parameter
from ssdpm.wa import Nand
from ssdpm.workload.trace import TraceLike, all_records

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

_LIMITS = by_number(_core.energy.CAP_LIMITS)


def cap_uw_of(watts: object, name: str = "cap_w") -> int:
    """None: no cap."""
    if watts is None:
        return _core.energy.CAP_NONE
    cap_uw = uw_of(watts, name)
    if not watts:
        raise InvalidError(errno.EINVAL, f"{name}: 0 W is no cap")
    return max(cap_uw, 1)


def cap_watts(cap_uw: int) -> float | None:
    """None: no cap."""
    return None if cap_uw == _core.energy.CAP_NONE else cap_uw / 1e6


CapsLike = Iterable[Sequence[Union[float, str, None]]]
"""Seconds and watts of one cap after the other, as Drive.timeline() takes them."""


@dataclass(frozen=True, eq=False)
class Result(Value):
    """What a drive reaches under a cap.

    Attributes:
        cap_w: the cap; None: there is none.
        bytes_per_s: of all streams together.
        uncapped_bytes_per_s: likewise without the cap.
        loss_share: 1 - the one by the other; NaN where nothing says what it reaches
            without the cap.
        power_uw: mean.
        p99_power_uw: not exceeded 99 % of the time, streams taken one by one.
        max_power_uw: the most.
        limit: "interface", "nand" or "power", of the nominal values.
        assumed: what rests on an assumption.
    """

    cap_w: float | None
    bytes_per_s: Span
    uncapped_bytes_per_s: Span
    loss_share: Span
    power_uw: Span
    p99_power_uw: Span
    max_power_uw: Span
    limit: str
    assumed: tuple[str, ...]

    @property
    def power_w(self) -> float:
        """power_uw, nominal, in watts."""
        return self.power_uw.nominal / 1e6

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("throughput", span_gb(self.bytes_per_s)),
            ("without the cap", span_gb(self.uncapped_bytes_per_s)),
            ("lost", span_percent(self.loss_share)),
            ("mean power", span_w(self.power_uw)),
            ("p99 power", span_w(self.p99_power_uw)),
            ("most", span_w(self.max_power_uw)),
            ("limited by", self.limit),
            ("assumed", ", ".join(self.assumed) or "nothing"),
        ]

    def __str__(self) -> str:
        return "\n".join(f"{name:16} {value}" for name, value in self._rows())

    def _repr_html_(self) -> str:
        cap = "no cap" if self.cap_w is None else f"a cap of {self.cap_w:g} W"
        return html_table(cap, ("quantity", "value"), self._rows())


@dataclass(frozen=True, eq=False)
class Curve(Table, Value):
    """Results of the same drive under many caps, in the order that was asked for."""

    results: tuple[Result, ...]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __getitem__(self, index: SupportsIndex) -> Result:
        return self.results[index]

    def to_records(self) -> npt.NDArray[np.void]:
        """A row for each cap, as for pandas.DataFrame.

        The columns: cap_w (NaN: none), the spans as low, nominal and high, limit.
        """
        rows = []
        for one in self.results:
            row: dict[str, Any] = {"cap_w": np.nan if one.cap_w is None else one.cap_w}
            for field in fields(one):
                value = getattr(one, field.name)
                if isinstance(value, Span):
                    for corner, number in zip(("low", "nominal", "high"), value):
                        row[f"{field.name}_{corner}"] = number
            row["limit"] = one.limit
            rows.append(row)
        types = [(n, "U9" if n == "limit" else "f8") for n in rows[0]]
        return np.array([tuple(row.values()) for row in rows], types)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Throughput against watts with its bounds, and where the cap begins to tell.

        Raises:
            ImportError: matplotlib is not installed.
        """
        return drawn("plot_cap_curve", self, ax)

    def _repr_html_(self) -> str:
        rows = (
            (
                "none" if one.cap_w is None else f"{one.cap_w:g} W",
                span_gb(one.bytes_per_s),
                span_percent(one.loss_share),
                span_w(one.power_uw),
                one.limit,
            )
            for one in self.results
        )
        columns = ("cap", "throughput", "lost", "mean power", "limited by")
        return html_table("power caps", columns, rows)


@dataclass(frozen=True, eq=False)
class Timeline(Json):
    """Caps that change while a drive works.

    It has JSON if the drive is of from_model(): the object "ssdpm.cap/1".

    Attributes:
        points: the fields of struct ssdpm_cap_point: start_ns, duration_ns, cap_uw (the
            lowest in it; 2^64 - 1: none), limit (LIMITS has the words), bytes_per_s
            and power_uw with low, nominal and high.
    """

    points: npt.NDArray[np.void]

    def __len__(self) -> int:
        return len(self.points)

    __hash__ = None  # type: ignore[assignment]

    @property
    def duration_s(self) -> float:
        """The whole duration."""
        return float(self.points["duration_ns"].sum()) / 1e9

    @property
    def bytes(self) -> float:
        """Moved in all of it, nominal."""
        seconds = self.points["duration_ns"] / 1e9
        return float((self.points["bytes_per_s"]["nominal"] * seconds).sum())

    @property
    def energy_j(self) -> float:
        """The nominal energy of all of it."""
        seconds = self.points["duration_ns"] / 1e9
        return float((self.points["power_uw"]["nominal"] * seconds).sum()) / 1e6

    @property
    def cap_w(self) -> npt.NDArray[np.float64]:
        """The lowest cap of each point; infinite: there is none."""
        caps = self.points["cap_uw"]
        return np.where(caps == _core.energy.CAP_NONE, np.inf, caps / 1e6)

    def _rows(self) -> list[tuple[str, str]]:
        rows: list[tuple[str, str]] = []
        if len(self) < 2:
            return rows
        for point, cap_w in zip(self.points, self.cap_w):
            start, length = (point[f"{one}_ns"] / 1e9 for one in ("start", "duration"))
            cap = "no cap" if cap_w == np.inf else f"{cap_w:g} W"
            rate, power = (Span(*point[one]) for one in ("bytes_per_s", "power_uw"))
            name = f"{start:g} to {start + length:g} s at {cap}"
            rows.append((name, f"{span_gb(rate)}, {span_w(power)}"))
        return rows

    def plot(self, ax: Axes | None = None) -> Axes:
        """Throughput over time; power and the cap on an axis of their own.

        Raises:
            ImportError: matplotlib is not installed.
        """
        return drawn("plot_cap_timeline", self, ax)

    def __repr__(self) -> str:
        return (
            f"<ssdpm.cap.Timeline of {self.duration_s:g} s in {len(self)} points: "
            f"{self.bytes / 1e9:.4g} GB, {self.energy_j:.4g} J>"
        )


def _streams(streams: object) -> tuple[Stream, ...]:
    listed = check_list(streams, "streams", "ssdpm.cap.Stream")
    return tuple(check_instance(one, "streams", Stream) for one in listed)


LIMITS: dict[str, int] = _core.energy.CAP_LIMITS
"""The number of what limits a drive, in Timeline.points: interface, nand, power."""


@dataclass(frozen=True, eq=False)
class Drive(Value):
    """A drive that works on a mix of streams.

    Attributes:
        streams: one to four; they share the drive one after the other.
        idle_uw: with nothing to do, ready to work: a number or (low, nominal, high).
        max_uw: the most that it draws without a cap, or None.
        nand: what bytes cost inside of it; a stream of writes with an amplification
            takes its energy and the throughput of the flash from it. Or None.
        assumed: which of idle_uw and max_uw rest on an assumption.
    """

    streams: Sequence[Stream]
    idle_uw: SpanLike
    max_uw: SpanLike = None
    nand: Nand | None = None
    assumed: tuple[str, ...] = ()
    _model: ClassVar[Model | None] = None  # of from_model(): JSON names it

    def __post_init__(self) -> None:
        set_field(self, "streams", _streams(self.streams))
        for name in DRIVE_FIELDS:
            set_field(self, name, span_of(getattr(self, name), name))
        if self.nand is not None:
            check_instance(self.nand, "nand", Nand)
        set_field(self, "assumed", tuple(check_words(self.assumed, "assumed")))
        for name in self.assumed:
            check_word(name, "assumed", DRIVE_FIELDS)
        super().__post_init__()

    def _core(self) -> tuple[Any, list[StreamTuple]]:
        spans = {name: getattr(self, name) for name in DRIVE_FIELDS}
        drive = (
            sum(DRIVE_FIELDS[n] for n, span in spans.items() if span is not None),
            sum(DRIVE_FIELDS[n] for n in self.assumed),
            triple(spans["idle_uw"]),
            triple(spans["max_uw"]),
            None if self.nand is None else self.nand._numbers(),
        )
        return drive, [one._tuple() for one in self.streams]

    def at(self, cap_w: float | None = None) -> Result:
        """What it reaches under a cap in watts, or without one.

        Raises:
            UnknownValueError: neither energy nor throughput is known; the message says
                what to give.
            InvalidError: a number that cannot be, shares that do not come to 1.
            RangeError: the cap is below the least idle power.
        """
        return self._at(cap_w, "cap_w")

    def _at(self, cap_w: float | None, name: str) -> Result:
        cap_uw = cap_uw_of(cap_w, name)
        found = _core.energy.cap_calculate(*self._core(), cap_uw)
        return Result(
            cap_watts(cap_uw),
            Span(*found[0]),
            Span(*found[1]),
            Span(*found[2]),
            Span(*found[3]),
            Span(*found[4]),
            Span(*found[5]),
            _LIMITS[found[6]],
            field_names(found[7]),
        )

    def sweep(self, caps_w: Iterable[float | None]) -> Curve:
        """The same under many caps."""
        results = tuple(
            self._at(one, "caps_w") for one in check_list(caps_w, "caps_w", "caps")
        )
        if not results:
            raise InvalidError(errno.EINVAL, "caps_w: there is none")
        return Curve(results)

    def timeline(
        self,
        caps: CapsLike,
        interval_s: float | None = 1.0,
    ) -> Timeline:
        """What it does while its cap changes.

        Args:
            caps: seconds and watts of each (None: no cap). A third number is the
                seconds in which the drive only changes to it. For a drive of
                from_model(), "PS2" gives the maximum power of that state, and the time
                of the change from the one before.
            interval_s: length of each point; None: one for each cap.

        Raises:
            InvalidError, RangeError, UnknownValueError: as at().
            MemoryError: more points than fit into memory; the message has their size.
        """
        every = 0 if interval_s is None else ns_of(interval_s, "interval_s")
        segments = segments_of(caps, self._model)
        if every:
            n = sum(-(-ns // every) for ns, _, _ in segments)
            check_memory(n, _core.energy.cap_point_dtype.itemsize, "interval_s: points")
        drive, streams = self._core()
        found = timeline_of(
            _core.energy.cap_timeline(drive, streams, segments, every)
        )
        model = self._model
        if model is None:
            return found
        return found._written_by(
            lambda: _core.energy.cap_json(
                model._handle, model.name or model.product, streams, found.points
            )
        )


def state_of(cap: object, model: Model | None) -> int | None:
    """The number in "PS2"; None: the cap is no text."""
    if not isinstance(cap, str):
        return None
    number = re.fullmatch(r"PS([0-9]{1,2})", cap)
    if not number:
        raise InvalidError(errno.EINVAL, f"caps: '{cap}' is no state, as in 'PS2'")
    if model is None:
        raise InvalidError(errno.EINVAL, f"caps: {cap} needs a drive of from_model()")
    return int(number[1])


def cap_of(cap: object, model: Model | None, before: object) -> tuple[int, int]:
    """Microwatts of a cap, and nanoseconds of the change from the one before."""
    state = state_of(cap, model)
    if state is None or model is None:
        return cap_uw_of(cap, "caps"), 0
    return _core.energy.cap_from_state(model._handle, state_of(before, model), state)


def segments_of(caps: CapsLike, model: Model | None) -> list[tuple[int, int, int]]:
    """Nanoseconds, microwatts and nanoseconds of change of each cap."""
    segments = []
    before: object = None
    for one in check_list(caps, "caps", "(seconds, watts)"):
        if not isinstance(one, (tuple, list)) or len(one) not in (2, 3):
            raise TypeError("caps: (seconds, watts) or (seconds, watts, change) each")
        cap_uw, change = cap_of(one[1], model, before)
        if len(one) == 3 and one[2] is not None:
            change = ns_of(one[2], "caps")
        segments.append((ns_of(one[0], "caps"), cap_uw, change))
        before = one[1]
    return segments


def timeline_of(points: npt.NDArray[np.void]) -> Timeline:
    """The points of C, from now on read-only."""
    return Timeline(frozen(points))


def from_model(
    model: Model,
    streams: Iterable[Stream],
    state: SupportsIndex = 0,
    *,
    parameters: Iterable[Parameter] | None = None,
    measured: Overlay | None = None,
    spare: float | None = None,
    nand: Nand | None = None,
) -> tuple[Drive, float | None]:
    """The parameters of a drive in a power state, and the cap of that state in watts.

    Args:
        model: a drive.
        streams: what it does; what they do not know is filled in.
        state: an operational one; its maximum power is the cap, None if the drive does
            not report it.
        parameters: what to take for known, from ssdpm.parameters().
        measured: what ssdpm.measure.calibrate() found of this drive.
        spare: as for ssdpm.estimate(): what garbage collection adds to writes.
        nand: as in Drive.

    Raises:
        InvalidError: the drive does not work in that state.
        TypeError, ValueError: an argument of another type.
    """
    setup = Setup(model, parameters=parameters, measured=measured, spare=spare)
    cap_uw, known, assumed, idle, most, found = _core.energy.cap_params_from_model(
        setup.model._handle,
        setup.core(None, check_unsigned(state, "state", 2**32 - 1)),
        [one._tuple() for one in _streams(streams)],
    )
    drive = Drive(
        [stream_of(one) for one in found],
        Span(*idle),
        Span(*most) if known & DRIVE_FIELDS["max_uw"] else None,
        nand,
        field_names(assumed),
    )
    set_field(drive, "_model", setup.model)
    return drive, cap_watts(cap_uw)


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
        return html_table(cap, ("quantity", "value"), self._rows())


@takes(Known, Setup)
def simulate(
    model: Model | Device,
    trace: TraceLike,
    caps: float | str | CapsLike | None,
    *,
    state: SupportsIndex = 0,
    table: TableLike = DEFAULT_TABLE,
    loop: str = "closed",
    lpm: str | None = None,
    **known: Unpack[Known],
) -> Run:
    """What a trace loses under a cap, or under caps that change, and what it draws.

    Args:
        model: a drive, or a device.
        trace: as for ssdpm.estimate(); all of it is held in memory.
        caps: watts, a power state as in "PS2", or None: there is no cap; or one after
            the other, as for Drive.timeline(). The last one lasts as long as the trace.
        state: the operational state whose idle power the drive has.
        table, loop, lpm, pcie_link, parameters, measured, spare: as for
            ssdpm.estimate().

    Raises:
        RangeError: the drive does not keep up: an I/O takes over 4.29 s under the cap,
            or waits for that long in the open loop. Or the cap is below the idle power.
        InvalidError, UnknownValueError, TypeError, ValueError: as ssdpm.estimate().
    """
    setup = Setup(model, loop=loop, lpm=lpm, **known)
    if isinstance(caps, str) or not isinstance(caps, Iterable):
        segments = [(0, *cap_of(caps, setup.model, None))]
    else:
        segments = segments_of(caps, setup.model)
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
