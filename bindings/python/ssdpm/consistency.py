# SPDX-License-Identifier: MIT
"""How even sustained writes go, second by second.

A log that fio has written (``--write_iops_log``), or operations per second from
anywhere else::

    from ssdpm import consistency

    found = consistency.measure("one_iops.log", threshold_iops=1000)
    print(found.floor_iops, found.mean_iops, found.cliff_s, found.steady_s)
    found.plot()

Several side by side, from 1400 s on, as reviews of drives show them::

    logs = {"default": "default_iops.log", "25 % spare": "spare_iops.log"}
    print(consistency.compare(logs, begin_s=1400))

What spare area changes, of a drive that is simulated, and with power where its costs
have any::

    consistency.simulate([0.07, 0.25]).plot()

ssdpm_consistency(3) has the rules.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex, Union, cast

import numpy as np
import numpy.typing as npt

from ssdpm import _core, ftl
from ssdpm.base.arrays import floats, frozen, one_dimension
from ssdpm.base.convert import (
    check_filename,
    check_instance,
    check_list,
    check_memory,
    check_number,
    check_spare,
    check_text,
    check_unsigned,
    check_word,
    none_if_nan,
    number_of,
    unsigned_or_zero,
)
from ssdpm.base.result import Items, Json, drawn, html_fields, html_table
from ssdpm.workload.files import TraceSource, reading
from ssdpm.workload.records import OPS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "COST",
    "LATE_S",
    "SPARES",
    "Comparison",
    "Consistency",
    "compare",
    "measure",
    "read",
    "simulate",
]

LATE_S = 1400
"""Where reviews of drives take the begin of steady state."""

COST = ftl.Cost.from_bandwidth()
"""Flash that is programmed at 80 MB/s, in blocks of 256 pages."""

SPARES: tuple[float, ...] = _core.ftl.SPARES
"""The spare factors that simulate() compares if nobody names any: 0.07 and 0.25."""

Series = Union[TraceSource, npt.ArrayLike]
"""A log (a path, an open file or bytes), or numbers, one for each second."""

_MOST_S = 2**64 - 1


@dataclass(frozen=True, eq=False)
class Consistency(Json):
    """How even one run is.

    Attributes:
        name: what it is of; "" where nobody said.
        n: seconds that have a value, of those that were looked at.
        n_holes: others.
        n_below: below threshold_iops.
        floor_iops: the worst second.
        p01_iops, p1_iops: a thousandth, and a hundredth, of the seconds have no more.
        median_iops, mean_iops, max_iops: of all of them.
        sd_iops: standard deviation; None: of one second.
        variation: coefficient of variation, sd_iops by mean_iops; None: that is 0.
        floor_share: floor_iops by mean_iops; likewise.
        plateau_iops: median of the first 10 seconds of the run, or of those before a
            cliff that comes earlier, after 3 or more; None: it has fewer than 10.
        cliff_s: the first second from which on 10 have a median of no more than half
            of the plateau; None: there is none.
        steady_s: where the first 5 minutes begin that are steady by the rules of SNIA,
            in rounds of a minute from the cliff on; None: not reached.
        threshold_iops: that n_below counts seconds below of; 0: none.
        iops: of each second of all the run, read-only; NaN: not known.
        plateau_power_w: mean power of the seconds of the plateau whose operations and
            power are known; None: there are none.
        mean_power_w: likewise, of the n seconds that mean_iops is of.
        power_w: mean power of each second of all the run, read-only; None: not known.
    """

    name: str
    n: int
    n_holes: int
    n_below: int
    floor_iops: float
    p01_iops: float
    p1_iops: float
    median_iops: float
    mean_iops: float
    sd_iops: float | None
    max_iops: float
    variation: float | None
    floor_share: float | None
    plateau_iops: float | None
    cliff_s: int | None
    steady_s: int | None
    threshold_iops: float
    iops: npt.NDArray[np.float64]
    plateau_power_w: float | None = None
    mean_power_w: float | None = None
    power_w: npt.NDArray[np.float64] | None = None

    __hash__ = None  # type: ignore[assignment]

    @property
    def below_share(self) -> float:
        """Share of the seconds below threshold_iops."""
        return self.n_below / self.n

    def __str__(self) -> str:
        text = f"{self.name}: " if self.name else ""
        text += (
            f"floor {self.floor_iops:,.0f}, mean {self.mean_iops:,.0f} operations per "
            f"second in {self.n:,} s"
        )
        if self.cliff_s is not None:
            text += f", cliff at {self.cliff_s} s"
        if self.steady_s is not None:
            text += f", steady from {self.steady_s} s on"
        if self.mean_power_w is not None:
            text += f", {_power(self)}"
        return text

    def __repr__(self) -> str:
        return f"<ssdpm.consistency.Consistency: {self}>"

    def _repr_html_(self) -> str:
        return html_fields(str(self), self, "name", "iops", "power_w")

    def plot(
        self, axes: Sequence[Axes] | None = None, *, late_s: SupportsIndex = LATE_S
    ) -> tuple[Axes, Axes, Axes]:
        """As Comparison.plot(), of this one."""
        return Comparison((self,)).plot(axes, late_s=late_s)


_COLUMNS = (
    "seconds", "floor", "p0.1", "p1", "mean", "variation", "floor/mean", "cliff",
    "steady",
)  # fmt: skip


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f} %"


def _power(run: Consistency) -> str | None:
    """The power of the plateau, and the mean."""
    if run.mean_power_w is None:
        return None
    text = "" if run.plateau_power_w is None else f"{run.plateau_power_w:.3g} W -> "
    return f"{text}{run.mean_power_w:.3g} W"


def _second(second: int | None) -> str | None:
    return None if second is None else f"{second} s"


@dataclass(frozen=True, eq=False)
class Comparison(Items[Consistency]):
    """Several runs side by side; indexing, len() and iteration give them.

    Each of them has JSON; there is no object of all.

    Attributes:
        runs: in the order in which they were given.
    """

    runs: tuple[Consistency, ...]

    def _powered(self) -> bool:
        return any(run.mean_power_w is not None for run in self.runs)

    def _head(self) -> tuple[str, ...]:
        limits = {run.threshold_iops for run in self.runs} - {0.0}
        below = [f"below {one:,.0f}" for one in sorted(limits)]
        power = ["power"] if self._powered() else []
        return ("", *_COLUMNS, *power, *(below if len(below) < 2 else ["below"]))

    def _row(self, run: Consistency, columns: int) -> tuple[object, ...]:
        rates = (run.floor_iops, run.p01_iops, run.p1_iops, run.mean_iops)
        row = (
            run.name,
            f"{run.n:,}",
            *(f"{rate:,.0f}" for rate in rates),
            _percent(run.variation),
            _percent(run.floor_share),
            _second(run.cliff_s),
            _second(run.steady_s),
            *([_power(run)] if self._powered() else []),
            _percent(run.below_share) if run.threshold_iops else None,
        )
        return row[:columns]

    def _table(self) -> list[tuple[object, ...]]:
        return [self._row(run, len(self._head())) for run in self.runs]

    def __str__(self) -> str:
        rows = [self._head(), *self._table()]
        cells = [["-" if cell is None else str(cell) for cell in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(*cells)]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if i else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(row, widths))
            ).rstrip()
            for row in cells
        )

    def __repr__(self) -> str:
        return f"<ssdpm.consistency.Comparison of {len(self)} runs>\n{self}"

    def _repr_html_(self) -> str:
        return html_table(f"{len(self)} runs", self._head(), self._table())

    def plot(
        self, axes: Sequence[Axes] | None = None, *, late_s: SupportsIndex = LATE_S
    ) -> tuple[Axes, Axes, Axes]:
        """A point for each second, as the review of the M500 has it.

        There are three pictures. The first has all of the run with a logarithmic scale,
        the second what comes from late_s on. The third has this once more, up to 40,000
        operations, or more if there are. A new figure has one of power, too, where that
        is known.

        Args:
            axes: three, to draw on; None: new ones.
            late_s: where the second and the third begin.
        """
        return drawn(
            "plot_consistency", self, check_unsigned(late_s, "late_s", _MOST_S), axes
        )


def read(source: TraceSource, *, op: str | None = None) -> npt.NDArray[np.float64]:
    """Operations in each second, from what ``fio --write_iops_log`` wrote for one job.

    With log_avg_msec a line has the mean since the one before. If lines are missing, it
    is that of the usual step, at most 1.5 s. Without it, a line is one operation. fio
    writes no line for a step in which no operation ended.

    Args:
        source: a path, an open binary file, or bytes; gzip, zstd, xz and bzip2 are
            unpacked.
        op: count only "read", "write" or "discard"; None: all.

    Returns:
        A read-only array, up to the last second that is whole; NaN: the log has none,
        or, of reads and writes together, not of both.

    Raises:
        FormatError: a line that is none of such a log. Times that fall, or means of
            the same time, as two jobs in one log have. Means that are more than 1.5 s
            apart. The error has the file and the line.
        UnknownValueError: no line of that kind, or less than a second.
        RangeError: a time beyond 12 days.
        UnsupportedError: packed, and this build cannot unpack it.
        OSError: the file cannot be read.
    """
    return _read(source, op, "source")


def _read(source: TraceSource, op: str | None, name: str) -> npt.NDArray[np.float64]:
    ops = {word: number for word, number in OPS.items() if word != "flush"}
    number = number_of(op, "op", ops)
    with reading(source, name) as (what, _):
        return _core.energy.iops_log_read(what, number)


def _series(iops: Series, op: str | None) -> npt.NDArray[np.float64]:
    """Read-only numbers of one dimension, without gaps."""
    if isinstance(iops, (str, os.PathLike, bytes, bytearray)) or hasattr(iops, "read"):
        return _read(cast(TraceSource, iops), op, "iops")
    if op is not None:
        raise TypeError("op: numbers are of one kind; it is for logs")
    array = np.array(floats(iops, "iops"), order="C")
    one_dimension(array, "iops")
    return frozen(array)


def _powers(power_w: npt.ArrayLike | None, n: int) -> npt.NDArray[np.float64] | None:
    """None: nothing is known, of no second either."""
    if power_w is None:
        return None
    array = np.array(floats(power_w, "power_w"), order="C")
    if array.shape != (n,):
        raise ValueError(f"power_w: {n} are needed, one for each second")
    return None if np.isnan(array).all() else frozen(array)


def _name_of(iops: object) -> str:
    if isinstance(iops, (str, os.PathLike)):
        return os.path.basename(check_filename(iops, "iops"))
    return ""


def measure(
    iops: Series,
    *,
    begin_s: SupportsIndex = 0,
    end_s: SupportsIndex | None = None,
    threshold_iops: float = 0.0,
    op: str | None = None,
    name: str | None = None,
    power_w: npt.ArrayLike | None = None,
) -> Consistency:
    """Floor, spread, cliff and steady state of a run.

    Args:
        iops: a log, as read() takes it, or operations in each second, NaN where that
            is not known.
        begin_s, end_s: the first second that is looked at, and one after the last;
            None: to the end. Cliff and steady state are of all of the run.
        threshold_iops: seconds below it are counted; 0: none.
        op: of a log, as for read().
        name: what it is of; None: the name of the file.
        power_w: mean power of each second, NaN where that is not known.

    Raises:
        UnknownValueError: no second has a value.
        InvalidError: a number below 0 or infinite; a begin that is not before the end.
        As read(), of a log.
    """
    return _measure(iops, begin_s, end_s, threshold_iops, op, name, power_w)


def _measure(
    iops: Series,
    begin_s: SupportsIndex,
    end_s: SupportsIndex | None,
    threshold_iops: float,
    op: str | None,
    name: str | None,
    power_w: npt.ArrayLike | None,
    spare_ppm: int = 0,
) -> Consistency:
    """measure(), and the spare area of a drive that is simulated; 0: it is a log."""
    series = _series(iops, op)
    powers = _powers(power_w, len(series))
    begin = check_unsigned(begin_s, "begin_s", _MOST_S)
    # To the library 0 is no end at all.
    end = unsigned_or_zero(end_s, "end_s", _MOST_S, 1)
    threshold = check_number(threshold_iops, "threshold_iops")
    title = _name_of(iops) if name is None else check_text(name, "name")
    *found, kept = _core.energy.consistency_measure(
        series, begin, end, threshold, powers
    )
    *plain, cliff, steady, plateau_power_w, mean_power_w = map(none_if_nan, found)
    cliff_s, steady_s = (None if one is None else int(one) for one in (cliff, steady))
    members: list[Any] = [title, *plain, cliff_s, steady_s, threshold, series]
    members += [plateau_power_w, mean_power_w, powers]
    run = Consistency(*members)
    return run._written_by(
        lambda: _core.energy.consistency_json(title, spare_ppm, threshold, kept)
    )


def compare(
    runs: Mapping[str, Series] | Sequence[Consistency],
    *,
    begin_s: SupportsIndex = 0,
    end_s: SupportsIndex | None = None,
    threshold_iops: float = 0.0,
    op: str | None = None,
) -> Comparison:
    """Several drives, or spare areas, side by side.

    Args:
        runs: logs or arrays by their names, which are measured; or what measure()
            gave.
        begin_s, end_s, threshold_iops, op: as for measure(), for those that are
            measured.
    """
    if not isinstance(runs, Mapping):
        return Comparison(
            tuple(
                check_instance(run, "runs", Consistency)
                for run in check_list(runs, "runs", "ssdpm.consistency.Consistency")
            )
        )
    return Comparison(
        tuple(
            measure(
                series,
                begin_s=begin_s,
                end_s=end_s,
                threshold_iops=threshold_iops,
                op=op,
                name=name,
            )
            for name, series in runs.items()
        )
    )


def simulate(
    spare: Iterable[float] = SPARES,
    *,
    seconds: SupportsIndex = 2000,
    cost: ftl.Cost | None = None,
    n_blocks: SupportsIndex = _core.ftl.BLOCKS,
    pages_per_block: SupportsIndex = _core.ftl.PAGES_PER_BLOCK,
    collector: str = "greedy",
    seed: SupportsIndex = 1,
    begin_s: SupportsIndex = 0,
    end_s: SupportsIndex | None = None,
    threshold_iops: float = 0.0,
) -> Comparison:
    """Simulated drives with more and less spare area, side by side.

    Each is filled in the order of its addresses, then written to anywhere, at full
    speed. It is the shape that they show, and what spare area changes about it. Power is
    known where the costs have some.

    Args:
        spare: of each drive, the share of the flash that holds no data.
        seconds: how long.
        cost: what the work takes; None: ssdpm.ftl.Cost.from_bandwidth() for blocks of
            that many pages.
        n_blocks, pages_per_block, collector, seed: as for ssdpm.ftl.simulate(); by
            default 16 GiB of flash. "choices" looks at 10 blocks.
        begin_s, end_s, threshold_iops: as for measure().

    Raises:
        RangeError: a spare factor that is none, or too small for the drive.
    """
    runs = []
    drive = _drive(seed, n_blocks, pages_per_block, collector)
    numbers = None
    if cost is not None:
        numbers = check_instance(cost, "cost", ftl.Cost)._numbers()
    n_seconds = check_unsigned(seconds, "seconds", 2**32 - 1)
    check_memory(n_seconds, ftl.second_dtype.itemsize, "seconds")
    for one in check_list(spare, "spare", "numbers"):
        share = check_spare(one)
        rows = _core.ftl.simulate(drive, share, numbers, n_seconds)
        runs.append(
            _measure(
                rows["n_written"],
                begin_s,
                end_s,
                threshold_iops,
                None,
                f"spare {100 * share:.6g} %",
                rows["power_w"],
                round(share * 1e6),
            )
        )
    return Comparison(tuple(runs))


def _drive(
    seed: SupportsIndex,
    n_blocks: SupportsIndex,
    pages_per_block: SupportsIndex,
    collector: str,
) -> tuple[int, int, int, int]:
    """As _core.ftl.simulate() takes it."""
    most = 2**32 - 1
    word = check_word(collector, "collector", ftl.COLLECTORS)
    blocks = check_unsigned(n_blocks, "n_blocks", most)
    each = check_unsigned(pages_per_block, "pages_per_block", most)
    if blocks * each < most:  # the library refuses more
        check_memory(blocks * each, 8, "n_blocks, pages_per_block: pages")
    return (
        check_unsigned(seed, "seed", 2**64 - 1),
        blocks,
        each,
        _core.ftl.COLLECTORS[word],
    )
