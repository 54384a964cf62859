# SPDX-License-Identifier: MIT
"""What `ssdpm measure survey` has written."""

from __future__ import annotations

import errno
import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.arrays import frozen
from ssdpm.base.convert import by_number, check_number, check_text, check_word
from ssdpm.base.errors import UnknownValueError, UnsupportedError
from ssdpm.base.result import Json, Value, Word, drawn, html_table
from ssdpm.measure.survey.analysis import Analysis, Run, analysis_of, one_of
from ssdpm.measure.survey.schedule import Summary, summarise
from ssdpm.workload.files import TraceSource, reading

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class RunStatus(Word):
    """Whether a run of a file counts; members are their words."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    """It was interrupted."""
    REPLACED = "replaced"
    """A later one is of the same thing."""


_STATUS_WORDS = by_number(_core.energy.SURVEY_RUN_STATUSES)


@dataclass(frozen=True, eq=False, repr=False)
class Readings(Value):
    """One run of a file, with all of its readings.

    Attributes:
        run: its number in the file; None: it has none.
        policy, scenario: their names.
        block: from 0 on.
        status: whether it counts.
        time_ns: of each reading, from when the policy was set; None: not known.
        power_w: NaN: there was none.
        latency_us: of the scenario's own I/O; NaN: none.
        interval_ns: from one reading to the next, where the file says it, else the mean
            of that; a second if unknown.
        mean_w: what is compared: without a slow rise or fall at its begin, where there
            is one; NaN: no reading.
    """

    run: int | None
    policy: str
    scenario: str
    block: int
    status: RunStatus
    time_ns: npt.NDArray[np.int64] | None
    power_w: npt.NDArray[np.float64]
    latency_us: npt.NDArray[np.float64]
    interval_ns: float
    mean_w: float

    def __len__(self) -> int:
        return len(self.power_w)

    def __hash__(self) -> int:
        return hash((self.run, self.policy, self.scenario, self.block))

    def summary(self) -> Summary:
        """Its mean, and how well that is known; the steps are taken to be even.

        Raises:
            UnknownValueError: as summarise().
        """
        return summarise(self.power_w, rate_hz=1e9 / self.interval_ns)

    def mean(self) -> Run:
        """What it came to, as analyse() takes it."""
        return Run(self.policy, self.scenario, self.block, self.mean_w)

    def __repr__(self) -> str:
        return (
            f"<ssdpm.measure.survey.Readings of {self.policy}, {self.scenario}, block "
            f"{self.block}: {len(self)}, {self.status}>"
        )


@dataclass(frozen=True, eq=False)
class FioRun(Value):
    """One run of fio.

    Attributes:
        run: its number in the file; None: it has none.
        policy: its name.
        test: "seqread", "randread", "seqwrite" or "randwrite".
        block: from 0 on.
        status: whether it counts.
        latency_us: mean of its I/Os; NaN: not known, as the next two.
        latency_sd_us: their standard deviation.
        bytes_per_s: its throughput.
    """

    run: int | None
    policy: str
    test: str
    block: int
    status: RunStatus
    latency_us: float
    latency_sd_us: float
    bytes_per_s: float


@dataclass(frozen=True, eq=False)
class Advice(Value):
    """Which policy a survey speaks for.

    Attributes:
        kind: "change", "keep", "not-shown" (no policy is shown to draw less) or
            "undecided" (no power can be compared).
        scenario: that it is from; None: none can be compared.
        policy: to set, or to keep; None: none.
        from_policy: what it is compared with: the policy that all drives had, or else
            the one that draws the most; None: none.
        was_found: all drives had from_policy before the survey.
        detectable_w: the difference that such a survey finds in 80 of 100 cases; NaN:
            not known.
        risks_data: policy is "lpm=min_power", which has lost data on some drives.
    """

    kind: str
    scenario: str | None
    policy: str | None
    from_policy: str | None
    was_found: bool
    detectable_w: float
    risks_data: bool


@dataclass(frozen=True, eq=False, repr=False)
class Survey(Json):
    """The file of a survey.

    Its JSON is what the survey found, with the sentences of the command null.

    Attributes:
        policies, scenarios, tests: names, in the order of the file.
        n_blocks: how often each policy was to be run in each scenario; None: the file
            does not tell, as of the next three.
        settle_ns: between setting a policy and the first reading.
        interval_ns: from one reading to the next.
        duration_ns: of the readings of a run.
        n_lines: of the file.
        n_rows: readings, and results of fio.
        n_cut: rows that were being written when the survey was killed: left out.
        facts: comments: what stands before and after the colon.
        readings: of all runs, by their number.
        fio: all runs of fio.
    """

    policies: tuple[str, ...]
    scenarios: tuple[str, ...]
    tests: tuple[str, ...]
    n_blocks: int | None
    settle_ns: int | None
    interval_ns: int | None
    duration_ns: int | None
    n_lines: int
    n_rows: int
    n_cut: int
    facts: tuple[tuple[str, str], ...]
    readings: tuple[Readings, ...]
    fio: tuple[FioRun, ...]
    # The name of the file and what it holds, and how the library keeps that.
    _source: ClassVar[tuple[str, bytes] | None] = None
    _file: ClassVar[_core.energy.SurveyFile | None] = None

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_file": None}

    def _result(
        self, error_rate: float = 0.0, system_power_w: float = 0.0
    ) -> _core.energy.SurveyResult:
        """0: the defaults."""
        if self._source is None:
            raise UnsupportedError(
                errno.EOPNOTSUPP, "a Survey made by hand has no file that says more"
            )
        name, data = self._source
        file = self._file or _core.energy.SurveyFile(data)
        object.__setattr__(self, "_file", file)
        return _core.energy.SurveyResult(file, name, error_rate, system_power_w)

    def get(self, key: str) -> tuple[str, ...]:
        """All that comments of this key say: get("drive")."""
        check_text(key, "key")
        return tuple(value for name, value in self.facts if name == key)

    def count(self, status: RunStatus | str) -> int:
        """How many runs are "complete", "incomplete" or "replaced"."""
        check_word(status, "status", _STATUS_WORDS.values())
        return sum(run.status == status for run in self.readings)

    def runs(self) -> tuple[Run, ...]:
        """The mean power of each run that counts and has a reading."""
        return tuple(
            one.mean()
            for one in self.readings
            if one.status == RunStatus.COMPLETE and not math.isnan(one.mean_w)
        )

    def analyse(
        self,
        scenario: str | None = None,
        *,
        error_rate: float = 0.05,
        system_power_w: float | None = None,
    ) -> Analysis:
        """Which policies differ in a scenario, of those that have runs in 3 blocks.

        For other policies, pass runs() to survey.analyse().

        Args:
            scenario: which one; None: there is only one.
            error_rate: of all pairs in all scenarios that can be compared.
            system_power_w: of the whole system; None: what the file says.

        Raises:
            UnknownValueError: they cannot be compared: the message says why.
            InvalidError: a number out of its range.
        """
        place = one_of(scenario, self.scenarios, "scenario")
        rate = check_number(error_rate, "error_rate", 1e-6)
        system = 0 if system_power_w is None else system_power_w
        result = self._result(rate, check_number(system, "system_power_w"))
        reason: str | None = "it has no complete run"
        for of, quantity, fio, why, runs, found in result.comparisons():
            if (of, quantity, fio) != (place, "power", False):
                continue
            if found is not None:
                taken = tuple(
                    Run(self.policies[policy], place, block, mean_w)
                    for policy, block, mean_w in runs
                )
                return analysis_of(place, rate, found, self.policies, taken)
            reason = why
        raise UnknownValueError(errno.ENODATA, f"{place}: {reason}")

    def advise(
        self, *, error_rate: float = 0.05, system_power_w: float | None = None
    ) -> Advice:
        """Which policy to set, as ``ssdpm measure survey`` says it.

        Args and errors: as analyse().
        """
        rate = check_number(error_rate, "error_rate", 1e-6)
        system = 0 if system_power_w is None else system_power_w
        kind, scenario, policy, other, was_found, detectable_w, risks = self._result(
            rate, check_number(system, "system_power_w")
        ).recommendation()
        return Advice(
            kind,
            scenario,
            None if policy is None else self.policies[policy],
            None if other is None else self.policies[other],
            was_found,
            detectable_w,
            risks,
        )

    def _head(self) -> str:
        parts = [f"{self.count('complete')} complete runs"]
        parts += [
            f"{n} {word}"
            for word in ("incomplete", "replaced")
            if (n := self.count(word))
        ]
        if self.fio:
            parts.append(f"{len(self.fio)} of fio")
        text = ", ".join(parts)
        text += f" of {len(self.policies)} policies in {', '.join(self.scenarios)}"
        return "; ".join([*self.get("drive")[:1], text])

    def __str__(self) -> str:
        return self._head()

    def __repr__(self) -> str:
        return f"<ssdpm.measure.survey.Survey {self._head()}>"

    def _repr_html_(self) -> str:
        names = ("run", "policy", "scenario", "block", "readings", "status", "mean_w")
        rows = (
            (r.run, r.policy, r.scenario, r.block, len(r), r.status, r.mean_w)
            for r in self.readings
        )
        return html_table(self._head(), names, rows)

    def plot(self, scenario: str | None = None, ax: Axes | None = None) -> Axes:
        """All readings of a scenario, run after run, in the colour of their policy.

        Args:
            scenario: which one; None: there is only one.

        Raises:
            ImportError: there is no matplotlib.
        """
        return drawn(
            "plot_survey", self, one_of(scenario, self.scenarios, "scenario"), ax
        )


def _whole(descriptor: int) -> bytes:
    with open(descriptor, "rb", closefd=False) as file:
        return file.read()


def _step_of(interval_ns: int, times: npt.NDArray[np.int64] | None) -> float:
    if interval_ns:
        return float(interval_ns)
    if times is None or len(times) < 2:
        return 1e9
    step = (float(times[-1]) - float(times[0])) / (len(times) - 1)
    return step if step >= 1 else 1e9


def read(source: TraceSource) -> Survey:
    """Read the file of a survey, or what others have recorded; see ssdpm-survey(5).

    Args:
        source: a path, an open binary file, or bytes; gzip, zstd, xz and bzip2 are
            unpacked.

    Raises:
        FormatError: a line that cannot be read; the error has the file and the line.
        UnknownValueError: nothing names its columns.
        TooLargeError: more than 2^24 rows.
        UnsupportedError: packed, and this build cannot unpack it.
        OSError: the file cannot be read (FileNotFoundError and so on).
    """
    with reading(source) as (what, filename):
        data = what if isinstance(what, bytes) else _whole(what)
        held = _core.energy.SurveyFile(data)
    name = os.path.basename(filename or "")
    result = _core.energy.SurveyResult(held, name, 0.0, 0.0)
    policies, scenarios, tests, params, counts, facts, readings, fio = held.contents()
    n_blocks, settle_ns, interval_ns, duration_ns = params
    runs = (
        Readings(
            number or None,
            policies[policy],
            scenarios[scenario],
            block,
            RunStatus(_STATUS_WORDS[status]),
            None if times is None else frozen(times),
            frozen(power),
            frozen(latency),
            _step_of(interval_ns, times),
            mean_w,
        )
        for (number, policy, scenario, block, status, times, power, latency), mean_w in (
            zip(readings, result.means())
        )
    )
    tested = (
        FioRun(
            number or None,
            policies[policy],
            tests[test],
            block,
            RunStatus(_STATUS_WORDS[status]),
            *rest,
        )
        for number, policy, test, block, status, *rest in fio
    )
    survey = Survey(
        tuple(policies),
        tuple(scenarios),
        tuple(tests),
        n_blocks or None,
        settle_ns or None,
        interval_ns or None,
        duration_ns or None,
        *counts,
        tuple(facts),
        tuple(runs),
        tuple(tested),
    )
    object.__setattr__(survey, "_source", (name, data))
    object.__setattr__(survey, "_file", held)
    return survey._written_by(result.to_json)
