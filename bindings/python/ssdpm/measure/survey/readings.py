# SPDX-License-Identifier: MIT
"""What `ssdpm measure survey` has written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.arrays import frozen
from ssdpm.base.convert import by_number, check_text, check_word
from ssdpm.base.errors import Error, UnknownValueError
from ssdpm.base.notebook import Html, html_table
from ssdpm.base.optional import drawn
from ssdpm.base.values import Value, Word
from ssdpm.measure.survey.analysis import Analysis, Run, analyse, one_of
from ssdpm.measure.survey.summary import Summary, summarise
from ssdpm.workload.files import TraceSource, open_source

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
            of that; a second where nobody knows.
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

    def mean(self, *, settled: bool = True) -> Run:
        """What it came to, as analyse() takes it; mean_w is NaN without a reading.

        Args:
            settled: without a slow rise or fall at its begin, where there is one.
        """
        try:
            mean_w = self.summary()._mean(settled)
        except UnknownValueError:
            known = self.power_w[np.isfinite(self.power_w)]
            mean_w = float(known.mean()) if len(known) else math.nan
        return Run(self.policy, self.scenario, self.block, mean_w)

    def __repr__(self) -> str:
        return (
            f"<ssdpm.measure.survey.Readings of {self.policy}, {self.scenario}, block "
            f"{self.block}: {len(self)}, {self.status}>"
        )


@dataclass(frozen=True, eq=False)
class FioRun(Html):
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


@dataclass(frozen=True, eq=False, repr=False)
class Survey(Value):
    """The file of a survey.

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

    def get(self, key: str) -> tuple[str, ...]:
        """All that comments of this key say: get("drive")."""
        check_text(key, "key")
        return tuple(value for name, value in self.facts if name == key)

    def count(self, status: RunStatus | str) -> int:
        """How many runs are "complete", "incomplete" or "replaced"."""
        check_word(status, "status", _STATUS_WORDS.values())
        return sum(run.status == status for run in self.readings)

    def runs(self, *, settled: bool = True) -> tuple[Run, ...]:
        """The mean power of each run that counts and has a reading.

        Args:
            settled: without a slow rise or fall at the begin of a run.
        """
        means = (
            one.mean(settled=settled)
            for one in self.readings
            if one.status == RunStatus.COMPLETE
        )
        return tuple(mean for mean in means if not math.isnan(mean.mean_w))

    def analyse(
        self,
        scenario: str | None = None,
        *,
        policies: Iterable[str] | None = None,
        error_rate: float = 0.05,
        system_power_w: float | None = None,
        settled: bool = True,
    ) -> Analysis:
        """Which policies differ in a scenario; as analyse().

        Args:
            scenario: which one; None: there is only one.
            policies: those that are compared; None: those that have 3 runs.
            error_rate: of all pairs in all scenarios that can be compared.
            system_power_w: of the whole system; None: what the file says.
            settled: without a slow rise or fall at the begin of a run.

        Raises:
            As analyse().
        """
        runs = self.runs(settled=settled)
        comparable = {place: self._comparable(runs, place) for place in self.scenarios}
        place = one_of(scenario, self.scenarios, "scenario")
        if policies is None and len(comparable[place]) >= 2:
            policies = comparable[place]
        if system_power_w is None:
            system_power_w = next(map(float, self.get("system_w")), None)
        return analyse(
            [run for run in runs if run.scenario == place],
            place,
            policies=policies,
            n_scenarios=max(1, sum(len(ways) >= 2 for ways in comparable.values())),
            error_rate=error_rate,
            system_power_w=system_power_w,
        )

    def _comparable(self, runs: Sequence[Run], scenario: str) -> list[str]:
        there = [run.policy for run in runs if run.scenario == scenario]
        return [policy for policy in self.policies if there.count(policy) >= 3]

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
            (r.run, r.policy, r.scenario, r.block, len(r), r.status, m.mean_w)
            for r, m in ((one, one.mean()) for one in self.readings)
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
        source: a path, an open binary file, or bytes; gzip, zstd and xz are unpacked.

    Raises:
        FormatError: a line that cannot be read; the error has the file and the line.
        UnknownValueError: nothing names its columns.
        TooLargeError: more than 2^24 rows.
        UnsupportedError: packed, and this build cannot unpack it.
        OSError: the file cannot be read (FileNotFoundError and so on).
    """
    what, file, filename = open_source(source)
    try:
        found = _core.energy.survey_read(what)
    except Error as error:
        error.filename = filename
        raise
    finally:
        if file is not None:
            file.close()
    policies, scenarios, tests, params, counts, facts, readings, fio = found
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
        )
        for number, policy, scenario, block, status, times, power, latency in readings
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
    return Survey(
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
