# SPDX-License-Identifier: MIT
"""Work that goes on after the I/Os: its class, and the classes of a suite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ssdpm import _core
from ssdpm.base.convert import (
    by_number,
    check_float,
    check_instance,
    check_list,
    check_text,
    check_unsigned,
    check_word,
    ns_of,
)
from ssdpm.base.errors import Error
from ssdpm.base.result import Json, Value, Word, drawn, html_table, in_j, in_s
from ssdpm.measure.activity import Tail

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BACKGROUND_WORDS = by_number(_core.energy.BACKGROUNDS)
_ExperimentTuple = tuple[
    str,
    "tuple[str, str, str] | None",
    int,
    tuple[int, int, int, float, float, float],
]


class Background(Word):
    """The work of a drive after the runs of an experiment; members are their words."""

    NONE = "none"
    """Nothing that can be told."""
    NOT_SIGNIFICANT = "not-significant"
    """Something, here and there."""
    SMALL = "small"
    """Less than a second."""
    EXTENDED = "extended"
    """Seconds, whatever the parameter."""
    GROWS = "grows"
    """With the parameter."""


@dataclass(frozen=True, eq=False)
class BackgroundRun(Value):
    """One run of an experiment.

    Attributes:
        parameter: what is varied: a size, a pause, a number.
        tail_ns: length of its tail.
        extra_j: energy of it above the baseline.
        sigma_j: standard error of that.
    """

    parameter: float
    tail_ns: int
    extra_j: float
    sigma_j: float

    @classmethod
    def from_tail(cls, parameter: float, tail: Tail) -> BackgroundRun:
        """Make one from what tail() measured."""
        check_float(parameter, "parameter")
        check_instance(tail, "tail", Tail)
        return cls(parameter, tail.duration_ns, tail.extra_j, tail.sigma_j)


@dataclass(frozen=True, eq=False)
class BackgroundClass(Json):
    """The class of an experiment; classify() gives one that has no name in its JSON.

    Attributes:
        background: its class.
        n_tails: runs with a tail.
        tail_ns: median length over all runs.
        extra_j: median energy over all runs.
        trend: Kendall's tau-b of parameter and energy: -1 to 1.
        trend_p: how likely a trend as strong is by chance.
    """

    background: Background
    n_tails: int
    tail_ns: int
    extra_j: float
    trend: float
    trend_p: float

    def __str__(self) -> str:
        return (
            f"{self.background}: {self.n_tails} runs with a tail, median "
            f"{in_s(self.tail_ns)} and {in_j(self.extra_j)}, trend {self.trend:+.2f} "
            f"(p {self.trend_p:.2g})"
        )


def _numbers(one: BackgroundClass) -> tuple[int, int, int, float, float, float]:
    """The members of struct ssdpm_background_class."""
    word = _core.energy.BACKGROUNDS[one.background]
    return word, one.n_tails, one.tail_ns, one.extra_j, one.trend, one.trend_p


def classify(runs: Iterable[BackgroundRun]) -> BackgroundClass:
    """The class of an experiment, of which the rules are in ssdpm_measure(3).

    Args:
        runs: in any order, repeated values of the parameter welcome.

    Raises:
        UnknownValueError: fewer than 4 runs, or than 3 values of the parameter.
        InvalidError: a value that is not finite.
    """
    rows = []
    for one in check_list(runs, "runs", "ssdpm.BackgroundRun"):
        run = check_instance(one, "runs", BackgroundRun)
        tail_ns = check_unsigned(run.tail_ns, "tail_ns", 2**64 - 1)
        numbers = (float(run.parameter), tail_ns, float(run.extra_j))
        rows.append((*numbers, float(run.sigma_j)))
    found = _core.energy.measure_classify(rows)
    result = BackgroundClass(Background(_BACKGROUND_WORDS[found[0]]), *found[1:])
    return result._written_by(
        lambda: _core.energy.experiment_json(("", None, len(rows), found))
    )


@dataclass(frozen=True, eq=False)
class Experiment(Json):
    """One experiment of a suite, with its class.

    Attributes:
        micro_benchmark: what is varied: "granularity", "pause".
        drive: its name.
        pattern: of the I/Os: "SW", "RW".
        n_runs: how many it had.
        background: its class.
    """

    micro_benchmark: str
    drive: str
    pattern: str
    n_runs: int
    background: BackgroundClass

    def _tuple(self) -> _ExperimentTuple:
        place = (self.micro_benchmark, self.drive, self.pattern)
        return ", ".join(place), place, self.n_runs, _numbers(self.background)

    def to_json(self) -> str:
        """The object "ssdpm.background-class/1", as that of a suite has it."""
        return _core.energy.experiment_json(self._tuple())

    def __str__(self) -> str:
        return (
            f"{self.micro_benchmark}, {self.drive}, {self.pattern}: {self.background}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Matrix(Json):
    """The classes of a suite, as the study of uFLIP published them.

    A micro-benchmark and a drive are the index of a cell: ``matrix["mix", "MTron"]``
    is "NS / S", or one word if all patterns have it. "-": not run.

    Attributes:
        micro_benchmarks: the lines.
        drives: the columns.
        patterns: those of each cell, in their order.
        experiments: all of them, in their order.
    """

    micro_benchmarks: tuple[str, ...]
    drives: tuple[str, ...]
    patterns: tuple[str, ...]
    experiments: tuple[Experiment, ...]

    def get(self, micro_benchmark: str, drive: str, pattern: str) -> Experiment | None:
        """One experiment; None: it was not run."""
        check_text(micro_benchmark, "micro_benchmark")
        check_text(drive, "drive")
        check_text(pattern, "pattern")
        for one in self.experiments:
            if (one.micro_benchmark, one.drive, one.pattern) == (
                micro_benchmark,
                drive,
                pattern,
            ):
                return one
        return None

    def _made(self) -> _core.energy.Matrix:
        return _core.energy.Matrix([one._tuple() for one in self.experiments])

    def to_json(self) -> str:
        """The object "ssdpm.background-matrix/1", as ``ssdpm measure background --sweep
        --json`` prints it."""
        return self._made().to_json()

    def words(self, micro_benchmark: str, drive: str) -> tuple[str, ...]:
        """The words of all patterns, as in "GWP"; "-": not run."""
        words = self[micro_benchmark, drive].split(" / ")
        return tuple(words if len(words) > 1 else words * len(self.patterns))

    def __getitem__(self, at: tuple[str, str]) -> str:
        micro_benchmark, drive = at
        check_word(micro_benchmark, "micro_benchmark", self.micro_benchmarks)
        check_word(drive, "drive", self.drives)
        return self._made().text(
            self.micro_benchmarks.index(micro_benchmark), self.drives.index(drive)
        )

    def _table(self) -> list[list[str]]:
        patterns = " / ".join(self.patterns)
        rows = [["", *(f"{drive} {patterns}" for drive in self.drives)]]
        cell = self._made().text
        rows += [
            [name, *(cell(i, k) for k in range(len(self.drives)))]
            for i, name in enumerate(self.micro_benchmarks)
        ]
        return rows

    def __str__(self) -> str:
        rows = self._table()
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
            for row in rows
        )

    def __repr__(self) -> str:
        return (
            f"<ssdpm.measure.Matrix: {len(self.experiments)} experiments, "
            f"{len(self.micro_benchmarks)} micro-benchmarks on {len(self.drives)} drives>"
        )

    def _repr_html_(self) -> str:
        head, *rows = self._table()
        return html_table("background work", head, rows)

    def plot(self, ax: Axes | None = None) -> Axes:
        """The matrix in colours, a part of each cell for each pattern.

        Raises:
            ImportError: there is no matplotlib.
        """
        return drawn("plot_matrix", self, ax)


_Place = tuple[str, str, str]


def _suite_of_frame(frame: Any) -> dict[_Place, list[BackgroundRun]]:
    """Runs of a DataFrame with the columns of `ssdpm measure background --sweep`."""
    names = [
        *("micro_benchmark", "drive", "pattern"),
        *("parameter", "tail_s", "extra_j", "sigma_j"),
    ]
    for name in names:
        if name not in frame.columns:
            raise ValueError(f"runs: there is no column {name!r}")
    suite: dict[_Place, list[BackgroundRun]] = {}
    for *place, parameter, tail_s, extra_j, sigma_j in zip(
        *(frame[name].tolist() for name in names)
    ):
        numbers = (float(parameter), ns_of(tail_s, "tail_s", zero=True), float(extra_j))
        where = (str(place[0]), str(place[1]), str(place[2]))
        suite.setdefault(where, []).append(BackgroundRun(*numbers, float(sigma_j)))
    return suite


def classify_suite(
    runs: Mapping[tuple[str, str, str], Iterable[BackgroundRun]] | Any,
) -> Matrix:
    """The classes of all experiments of a suite, as a matrix.

    Args:
        runs: those of each experiment, by micro-benchmark, drive and pattern. Or a
            DataFrame with a line for each run and these columns: micro_benchmark,
            drive, pattern, parameter, tail_s, extra_j, sigma_j.

    Raises:
        UnknownValueError: an experiment has fewer than 4 runs, or than 3 values of the
            parameter; the message names it.
        InvalidError: a value that is not finite.
    """
    suite = _suite_of_frame(runs) if hasattr(runs, "columns") else runs
    if not isinstance(suite, Mapping):
        raise TypeError(
            f"runs: a dict or a DataFrame is needed, not {type(runs).__name__}"
        )
    experiments = []
    for place, some in suite.items():
        if not isinstance(place, tuple) or len(place) != 3:
            raise TypeError(
                f"runs: each key is (micro-benchmark, drive, pattern), not {place!r}"
            )
        names = [check_text(name, "runs") for name in place]
        rows = check_list(some, "runs", "ssdpm.BackgroundRun")
        try:
            background = classify(rows)
        except Error as error:
            code, message = error.errno or 0, error.strerror
            raise type(error)(code, f"{', '.join(names)}: {message}") from None
        bench, drive, pattern = names
        experiments.append(Experiment(bench, drive, pattern, len(rows), background))
    made = _core.energy.Matrix([one._tuple() for one in experiments])
    places = _core.energy.EXPERIMENT_PLACES.values()
    rows_of, columns, patterns = (tuple(made.names(place)) for place in places)
    return Matrix(rows_of, columns, patterns, tuple(experiments))
