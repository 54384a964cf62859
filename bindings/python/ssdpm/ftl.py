# SPDX-License-Identifier: MIT
"""A simulated drive with a page map, under sustained writes.

What comes of it, once it is in its steady state::

    from ssdpm import ftl

    ftl.simulate(0.07).write_amplification            # about 6.6: greedy, 64 pages
    ftl.simulate(0.07, collector="fifo")
    ftl.simulate(0.07, trace=ssdpm.read_trace("trace.gz"))

Second by second, with what the work takes::

    cost = ftl.Cost(host_ns=10_000, program_ns=20_000, read_ns=5_000)
    run = ftl.simulate(0.07, seconds=2000, cost=cost)
    run.iops, run.power_w, run.wa                     # arrays
    run.plot()

Or step by step: Drive. One block at a time is programmed, for the host and for what is
moved. The same seed gives the same result. ssdpm_writes(3) has the rules.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.arrays import frozen
from ssdpm.base.convert import (
    check_bool,
    check_instance,
    check_memory,
    check_number,
    check_spare,
    check_unsigned,
    check_word,
    unsigned_or_zero,
)
from ssdpm.base.errors import InvalidError
from ssdpm.base.result import Ongoing, Value, drawn
from ssdpm.wa import ClassesLike, check_classes
from ssdpm.workload.trace import TraceLike, record_arrays

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "COLLECTORS",
    "PATTERNS",
    "Cost",
    "Counts",
    "Drive",
    "Run",
    "second_dtype",
    "simulate",
]

COLLECTORS: tuple[str, ...] = tuple(_core.ftl.COLLECTORS)
"""Which block is erased next: "greedy", that with the fewest valid pages; "fifo", the
one written longest ago; "choices", the best of a few random ones."""

PATTERNS: tuple[str, ...] = tuple(_core.ftl.ORDERS)
"""Where writes go: "sequential", and from the begin again; "uniform", to any page;
"classes", to any page of a class, by its share."""

second_dtype: np.dtype[np.void] = _core.ftl.second_dtype
"""Layout of struct ssdpm_ftl_second: n_written, n_programmed, n_erased, background_ns,
power_w."""


@dataclass(frozen=True, eq=False)
class Cost(Value):
    """What the work of a drive takes; times of all its flash working side by side.

    Attributes:
        host_ns: the least time between two pages of the host, above 0.
        program_ns: to program a page.
        read_ns: to read one that is moved.
        erase_ns: to erase a block.
        buffer_ns: work that the drive may be behind before the host waits; 0: that of
            one block that is collected.
        host_nj: for each page of the host; likewise the next three.
        program_nj: for each page that is programmed.
        read_nj: for each page that is moved.
        erase_nj: for each block.
        idle_uw: at all times.
        cache_pages: of a cache in front, which takes writes until it is full. Then each
            write first moves the oldest page of it to where that belongs. 0: none.
        cache_ns: to program a page of the cache.
        cache_nj: likewise.
        background_uw: on top, while the drive moves what was there before.
    """

    host_ns: int
    program_ns: int = 0
    read_ns: int = 0
    erase_ns: int = 0
    buffer_ns: int = 0
    host_nj: int = 0
    program_nj: int = 0
    read_nj: int = 0
    erase_nj: int = 0
    idle_uw: int = 0
    cache_pages: int = 0
    cache_ns: int = 0
    cache_nj: int = 0
    background_uw: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in fields(self):
            check_unsigned(getattr(self, field.name), field.name, 2**64 - 1)

    @classmethod
    def from_bandwidth(
        cls,
        bytes_per_s: SupportsIndex | None = None,
        pages_per_block: SupportsIndex = _core.ftl.PAGES_PER_BLOCK,
    ) -> Cost:
        """The times of flash that is programmed at this rate, all of it together.

        The host is as fast as flash. Reading a page of 4 KiB takes a tenth of
        programming it. Erasing a block takes a hundredth of programming all of it.

        Args:
            bytes_per_s: at which flash is programmed; None: 80 MB/s.
            pages_per_block: 2 to 65536.

        Raises:
            RangeError: a page takes less than 1 ns or more than 1 s, or erasing a block
                takes more than 1 s.
        """
        return cls(
            *_core.ftl.cost_calculate(
                unsigned_or_zero(bytes_per_s, "bytes_per_s", 2**64 - 1, 1),
                check_unsigned(pages_per_block, "pages_per_block", 2**32 - 1),
            )
        )

    def _numbers(self) -> list[int]:
        return [getattr(self, field.name) for field in fields(self)]


@dataclass(frozen=True, eq=False)
class Counts(Value):
    """What a drive did; two may be subtracted.

    Attributes:
        n_written: pages that the host wrote.
        n_trimmed: pages that it gave back, those that held no data too.
        n_moved: valid pages that garbage collection wrote again.
        n_erased: blocks.
        n_mapped: pages that hold data now; a difference keeps that of the later one.
        n_free_blocks: erased now; likewise.
    """

    n_written: int
    n_trimmed: int
    n_moved: int
    n_erased: int
    n_mapped: int
    n_free_blocks: int

    def __sub__(self, before: Counts) -> Counts:
        if not isinstance(before, Counts):
            return NotImplemented
        return Counts(
            self.n_written - before.n_written,
            self.n_trimmed - before.n_trimmed,
            self.n_moved - before.n_moved,
            self.n_erased - before.n_erased,
            self.n_mapped,
            self.n_free_blocks,
        )

    @property
    def write_amplification(self) -> float | None:
        """Pages programmed by pages that the host wrote; None: it wrote none."""
        if not self.n_written:
            return None
        return (self.n_written + self.n_moved) / self.n_written


class Drive(Ongoing):
    """An erased drive with a page map; threads take turns.

    Args:
        n_user_pages: that the host can write.
        n_blocks: of flash, spare ones too.
        pages_per_block: 2 to 65536; a page is what the map maps, 4 KiB.
        collector: one of COLLECTORS.
        choices: of "choices", how many blocks are looked at; 1: any block.
        reserve_blocks: erased ones that are kept ready.
        seed: of its random numbers.

    It takes 8 bytes for each page of flash.

    Raises:
        RangeError: the spare pages do not fill the reserve, the block that is written
            and one more; or more than 2^32 - 2 pages.
        InvalidError: choices without that collector, or others that conflict.
    """

    __slots__ = ("_handle", "n_flash_pages", "n_user_pages")

    n_user_pages: int
    n_flash_pages: int

    def __init__(
        self,
        n_user_pages: SupportsIndex,
        n_blocks: SupportsIndex,
        pages_per_block: SupportsIndex = 64,
        *,
        collector: str = "greedy",
        choices: SupportsIndex | None = None,
        reserve_blocks: SupportsIndex = 1,
        seed: SupportsIndex = 0,
    ) -> None:
        number = _core.ftl.COLLECTORS[
            check_word(collector, "collector", COLLECTORS)
        ]
        most = 2**32 - 1
        pages = check_unsigned(n_user_pages, "n_user_pages", 2**64 - 1)
        blocks = check_unsigned(n_blocks, "n_blocks", most)
        each = check_unsigned(pages_per_block, "pages_per_block", most)
        if blocks * each < most:  # the library refuses more
            check_memory(blocks * each, 8, "n_blocks, pages_per_block: pages")
        self._handle = _core.ftl.Ftl(
            check_unsigned(seed, "seed", 2**64 - 1),
            pages,
            blocks,
            each,
            check_unsigned(reserve_blocks, "reserve_blocks", most, 1),
            number,
            unsigned_or_zero(choices, "choices", most, 1),
        )
        self.n_user_pages = pages
        self.n_flash_pages = blocks * each

    @property
    def spare(self) -> float:
        """The spare factor: what of the flash the host cannot write."""
        return 1 - self.n_user_pages / self.n_flash_pages

    @property
    def counts(self) -> Counts:
        """What it did so far."""
        return Counts(*self._handle.counts())

    def write(self, first_page: SupportsIndex, n_pages: SupportsIndex = 1) -> None:
        """The host writes pages, one after the other.

        Raises:
            RangeError: beyond its pages; nothing was written.
        """
        self._handle.write(*self._range(first_page, n_pages))

    def trim(self, first_page: SupportsIndex, n_pages: SupportsIndex = 1) -> None:
        """The host gives pages back.

        Raises:
            RangeError: beyond its pages.
        """
        self._handle.trim(*self._range(first_page, n_pages))

    @staticmethod
    def _range(first_page: SupportsIndex, n_pages: SupportsIndex) -> tuple[int, int]:
        most = 2**64 - 1
        return (
            check_unsigned(first_page, "first_page", most),
            check_unsigned(n_pages, "n_pages", most),
        )

    def feed(self, trace: TraceLike, page_bytes: SupportsIndex = 4096) -> None:
        """The writes and discards of a trace; no copy, and without the GIL.

        A write of a part of a page writes all of it; a discard gives back the pages
        that it covers. Reads, flushes and times are not looked at.

        Args:
            trace: as for ssdpm.estimate().
            page_bytes: of a page.

        Raises:
            RangeError: a record lies beyond the pages of the host; the message has its
                number, and what was before it is done.
        """
        size = check_unsigned(page_bytes, "page_bytes", 2**30, 1)
        for records in record_arrays(trace):
            self._handle.feed(records, size)

    def write_pattern(
        self,
        n_writes: SupportsIndex,
        pattern: str = "uniform",
        *,
        classes: ClassesLike | None = None,
        first_page: SupportsIndex = 0,
        n_pages: SupportsIndex | None = None,
    ) -> None:
        """The host writes so many single pages by a pattern.

        Args:
            n_writes: how many.
            pattern: one of PATTERNS.
            classes: of "classes": (address share, write share) of each, from the first
                page on.
            first_page, n_pages: where to; None: to the end. A sequential pattern goes
                on where the last one of the same pages ended.

        Raises:
            RangeError: beyond the pages of the host.
            InvalidError: shares that do not come to 1.
        """
        self._handle.write_pattern(
            _pattern(pattern, classes, first_page, n_pages),
            check_unsigned(n_writes, "n_writes", 2**64 - 1),
        )

    def run(
        self,
        seconds: SupportsIndex,
        cost: Cost,
        pattern: str = "uniform",
        *,
        classes: ClassesLike | None = None,
        first_page: SupportsIndex = 0,
        n_pages: SupportsIndex | None = None,
    ) -> npt.NDArray[np.void]:
        """Writes at full speed; an array of second_dtype, a row for each second.

        A run begins with an empty cache, whose pages are in their places after it.

        Args:
            seconds: how long.
            cost: what the work takes.
            And as write_pattern().
        """
        n_seconds = check_unsigned(seconds, "seconds", 2**32 - 1)
        check_memory(n_seconds, second_dtype.itemsize, "seconds")
        rows = self._handle.run(
            _pattern(pattern, classes, first_page, n_pages),
            check_instance(cost, "cost", Cost)._numbers(),
            n_seconds,
        )
        return frozen(rows)

    def __repr__(self) -> str:
        return (
            f"<ssdpm.ftl.Drive: {self.n_user_pages} pages in {self.n_flash_pages} of "
            f"flash, {100 * self.spare:.3g} % spare>"
        )


def _pattern(
    pattern: str,
    classes: ClassesLike | None,
    first_page: SupportsIndex,
    n_pages: SupportsIndex | None,
) -> tuple[int, int, int, list[tuple[float, float]]]:
    word = check_word(pattern, "pattern", PATTERNS)
    if (classes is None) == (word == "classes"):
        raise InvalidError(
            errno.EINVAL,
            'classes: they are for the pattern "classes", which needs them',
        )
    most = 2**64 - 1
    return (
        _core.ftl.ORDERS[word],
        check_unsigned(first_page, "first_page", most),
        unsigned_or_zero(n_pages, "n_pages", most, 1),
        [] if classes is None else check_classes(classes),
    )


@dataclass(frozen=True, eq=False, repr=False)
class Run(Value):
    """What simulate() found.

    Attributes:
        spare: the spare factor, of whole pages.
        n_user_pages: of the host.
        collector: one of COLLECTORS.
        counts: of what was measured: after fill and warm_up.
        seconds: a row for each second, dtype second_dtype; None: not asked for.
    """

    spare: float
    n_user_pages: int
    collector: str
    counts: Counts
    seconds: npt.NDArray[np.void] | None = None

    @property
    def write_amplification(self) -> float | None:
        """That of the whole measurement; None: the host wrote nothing."""
        return self.counts.write_amplification

    def _column(self, name: str) -> npt.NDArray[Any]:
        if self.seconds is None:
            raise InvalidError(
                errno.EINVAL, "seconds: there are none: pass seconds= to simulate()"
            )
        return self.seconds[name]

    @property
    def iops(self) -> npt.NDArray[np.uint64]:
        """Pages of the host in each second; no copy."""
        return self._column("n_written")

    @property
    def power_w(self) -> npt.NDArray[np.float64]:
        """Mean power of each second, NaN where the costs have none; no copy."""
        return self._column("power_w")

    @property
    def wa(self) -> npt.NDArray[np.float64]:
        """Write amplification of each second, with the cache; NaN: nothing written."""
        written = self._column("n_written").astype(np.float64)
        result = np.full(len(written), np.nan)
        some = written > 0
        result[some] = self._column("n_programmed")[some] / written[some]
        return result

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw IOPS, and power where it is known, over time.

        Args:
            ax: where to; None: a new figure.

        Raises:
            ImportError: matplotlib is not installed.
            InvalidError: there are no seconds.
        """
        return drawn("plot_ftl", self, ax)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        wa = self.write_amplification
        text = (
            f"{self.collector}, {100 * self.spare:.3g} % spare: write amplification "
            f"{'unknown' if wa is None else format(wa, '.4g')}"
        )
        if self.seconds is not None and len(self.seconds):
            text += f", {len(self.seconds)} s, {self.iops[0]} -> {self.iops[-1]} IOPS"
            if not np.isnan(self.power_w[0]):
                text += f", {self.power_w[0]:.3g} -> {self.power_w[-1]:.3g} W"
        return f"<ssdpm.ftl.Run {text}>"


def simulate(
    spare: float,
    *,
    n_blocks: SupportsIndex = 8192,
    pages_per_block: SupportsIndex = 64,
    collector: str = "greedy",
    choices: SupportsIndex | None = None,
    reserve_blocks: SupportsIndex = 1,
    seed: SupportsIndex = 0,
    pattern: str = "uniform",
    classes: ClassesLike | None = None,
    trace: TraceLike | None = None,
    page_bytes: SupportsIndex = 4096,
    fill: bool | None = None,
    warm_up: float | None = None,
    writes: float = 5.0,
    seconds: SupportsIndex | None = None,
    cost: Cost | None = None,
) -> Run:
    """Write to a drive, and measure what it does.

    It is filled in sequence. Writes of the pattern then bring it into its steady state.
    The measurement lasts for so many writes, a trace, or seconds.

    Args:
        spare: the spare factor, above 0 and below 1; the pages of the host are all
            others, rounded to whole ones.
        n_blocks: of flash; the formulas are for many.
        pages_per_block, collector, choices, reserve_blocks, seed: as for Drive.
        pattern, classes: as for Drive.write_pattern().
        trace: measure its writes and discards instead of the pattern.
        page_bytes: of a page of the trace.
        fill: whether to fill the drive first; None: with seconds it begins erased, and
            otherwise full.
        warm_up: writes before the measurement, by the pages of the host; None: 5, but
            0 with a trace or seconds.
        writes: that are measured, by the pages of the host.
        seconds: write at full speed for so long instead, and say what was done in each;
            it needs cost.
        cost: what the work takes.

    Raises:
        RangeError: the spare factor is none, or too small for the reserve; a record of
            the trace is beyond the drive.
        InvalidError: arguments that conflict.
    """
    blocks = check_unsigned(n_blocks, "n_blocks", 2**32 - 1)
    each = check_unsigned(pages_per_block, "pages_per_block", 2**32 - 1)
    if (seconds is None) != (cost is None):
        raise InvalidError(errno.EINVAL, "seconds, cost: one needs the other")
    if trace is not None and seconds is not None:
        raise InvalidError(errno.EINVAL, "trace, seconds: one or the other")
    drive = Drive(
        round(blocks * each * (1 - check_spare(spare))),
        blocks,
        each,
        collector=collector,
        choices=choices,
        reserve_blocks=reserve_blocks,
        seed=seed,
    )
    plain = trace is None and seconds is None
    if check_bool(seconds is None if fill is None else fill, "fill"):
        drive.write(0, drive.n_user_pages)
    before_writes = (5.0 if plain else 0.0) if warm_up is None else warm_up
    drive.write_pattern(
        round(check_number(before_writes, "warm_up", 0, 1e6) * drive.n_user_pages),
        pattern,
        classes=classes,
    )
    before, rows = drive.counts, None
    if trace is not None:
        drive.feed(trace, page_bytes)
    elif seconds is not None and cost is not None:
        rows = drive.run(seconds, cost, pattern, classes=classes)
    else:
        count = round(check_number(writes, "writes", 0, 1e6) * drive.n_user_pages)
        drive.write_pattern(count, pattern, classes=classes)
    return Run(
        drive.spare, drive.n_user_pages, str(collector), drive.counts - before, rows
    )
