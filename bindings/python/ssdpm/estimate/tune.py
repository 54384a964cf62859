# SPDX-License-Identifier: MIT
"""The best setting of each drive of a machine."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ssdpm import _core
from ssdpm.apply.plan import Plan
from ssdpm.base.convert import (
    check_float,
    check_instance,
    check_list,
    check_text,
    check_unsigned,
    check_word,
    nan_if_none,
    number_of,
)
from ssdpm.base.errors import NotFoundError
from ssdpm.base.result import Json, Value, in_ms
from ssdpm.device.facts import Change
from ssdpm.device.machine import Root, machine_of
from ssdpm.estimate.result import Likely, Saving, saving_text
from ssdpm.policy.parameters import limit_word
from ssdpm.workload.trace import TraceLike, all_records


@dataclass(frozen=True, eq=False)
class TrialResult(Value):
    """What a trial of the setting of today against the best one found.

    Attributes:
        decision: as in TrialState, likewise n_pairs, saving_w, low_w, high_w and
            resolvable_w; "not-yet": it was interrupted.
        duration_ns: how long the trial took.
        meter: its name.
        power_source: "ac" or "battery", meanwhile; None: no supply says.
    """

    decision: str
    n_pairs: int
    duration_ns: int
    saving_w: float | None
    low_w: float
    high_w: float
    resolvable_w: float | None = None
    meter: str = ""
    power_source: str | None = None


def _row_of(trial: TrialResult) -> tuple[int | float | str, ...]:
    """As _core.energy.tune() takes it."""
    check_instance(trial, "trials", TrialResult)
    decisions, most = _core.energy.TRIAL_DECISIONS, 2**64 - 1
    return (
        check_unsigned(trial.n_pairs, "n_pairs", most),
        check_unsigned(trial.duration_ns, "duration_ns", most),
        nan_if_none(trial.saving_w),
        check_float(trial.low_w, "low_w"),
        check_float(trial.high_w, "high_w"),
        nan_if_none(trial.resolvable_w),
        decisions[check_word(trial.decision, "decision", decisions)],
        number_of(trial.power_source, "power_source", _core.POWER_SOURCES),
        check_text(trial.meter, "meter"),
    )


@dataclass(frozen=True, eq=False)
class LinkSaving(Value):
    """What a deeper PCIe link would save, which Advice.add_to() does not set.

    Attributes:
        pcie_link_today: "l0", "l1" or "l1.2", while the drive sleeps.
        pcie_link: likewise, the deepest that the remedy leads to.
        remedy: "link-file", which Plan.add_link() sets; "aspm-policy" or
            "aspm-policy-or-firmware", which Plan.add_aspm_policy() sets for all
            devices.
        changes: what the remedy changes.
        likely: what is likely of it; how long the link takes to wake is unknown.
    """

    pcie_link_today: str
    pcie_link: str
    remedy: str
    changes: tuple[Change, ...]
    likely: Likely

    def __str__(self) -> str:
        return f"link in {self.pcie_link}, not {self.pcie_link_today}: {self.likely}"


@dataclass(frozen=True, eq=False)
class Advice(Json):
    """The best setting of a drive; str() of it says what to do.

    Attributes:
        name: "nvme0", "sda".
        product: model number, or None.
        policy: what is in force, as its file has it; None: unknown.
        message: why nothing is known, or why the drive is left as it is; "": neither.
        error: name of the errno, as in "ENOTSUP" for a drive that must be left alone,
            or None.
        advice: "set"; "keep", because nothing is known to be better; "costs", because
            the delays of today are beyond the bounds and less delay costs power;
            "none", because nothing is within the bounds; "rebuild", because the best
            limit is set, but the APST table is not the one that Linux builds of it;
            None with an error.
        max_exit_latency_us: the latency limit of an NVMe drive, or None; "any" only
            with "rebuild".
        lpm: the link policy of a SATA port, or None.
        saving: of that setting against today; None with an error.
        likely: what is likely of it; None: nothing changes.
        added_mean_ns: how much longer an I/O waits on average; None with an error.
        added_p99_ns: likewise at the 99th percentile.
        trial: what a trial of it found, as tune() got it, or None.
        further: another route that saves more, "nvme-core" or "raw-table", or None;
            recommend() finds its settings.
        further_likely: what is likely of that; None: there is none.
        further_gain_uw: its median saving beyond what is to be set, or None.
        awake: what is likely of never sleeping against today, below 0: sleep saves
            that much; None: the drive never sleeps today.
        link: what its PCIe link would save if it slept deeper; None: nothing that is
            known keeps it from that.
        verdict: whether it sleeps, as in ReportItem; None: it could not be read.
        takes_trial: tune() takes a trial of that setting.
        trial_likely_uw: the saving that a Trial of it may expect; None: none is needed,
            because the setting is decided, or costs.
    """

    name: str
    product: str | None
    policy: str | None
    message: str
    error: str | None
    advice: str | None
    max_exit_latency_us: int | str | None
    lpm: str | None
    saving: Saving | None
    likely: Likely | None
    added_mean_ns: int | None
    added_p99_ns: int | None
    trial: TrialResult | None = None
    further: str | None = None
    further_likely: Likely | None = None
    further_gain_uw: int | None = None
    awake: Likely | None = None
    link: LinkSaving | None = None
    verdict: str | None = None
    takes_trial: bool = False
    trial_likely_uw: int | None = None
    # A call that fails if another drive has the name since; None: none is known.
    _check: ClassVar[Any] = None

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_check": None}

    def __str__(self) -> str:
        if self.error:
            return f"{self.name}: {self.message}"
        link = f"; {self.link}" if self.link else ""
        if self.advice == "rebuild":
            return f"{self.name}: have Linux build its APST table: {self.likely}{link}"
        if self.advice != "set":
            return f"{self.name}: leave it as it is{link}"
        what = self.lpm or f"latency limit {self.max_exit_latency_us} us"
        delay = f"{in_ms(self.added_mean_ns or 0)} ms"
        return f"{self.name}: set {what}: {self.likely}, {delay}{link}"

    def add_to(self, plan: Plan) -> None:
        """Add the setting to a plan of the same machine, if the advice is to set it.

        It reads the drive again, unless this was copied or made by hand.

        Raises:
            NotInForceError: it is another drive now: product, place or serial number
                differ.
            As Plan.add_latency_tolerance() and Plan.add_lpm().
        """
        check_instance(plan, "plan", Plan)
        if self.advice != "set":
            return
        if self._check is not None:
            self._check()
        if self.lpm is not None:
            plan.add_lpm(self.name, self.lpm)
        elif self.max_exit_latency_us is not None:
            plan.add_latency_tolerance(self.name, self.max_exit_latency_us)


@dataclass(frozen=True, eq=False)
class Total(Value):
    """The saving of several drives together; str() of it says it.

    Attributes:
        n: drives that are summed.
        n_decided: of these: how many save or cost, at least probably.
        n_undecided: of how many nothing decides it.
        verdict: as of Likely; of one drive its own, of several what both ends agree on;
            None: there is no drive.
        low_uw, high_uw: sums of the ends that nine of ten cases are between; None: a
            trial has not found them.
        median_uw: sum of the medians.
        n_unread: of total_asleep(): drives that could not be read.
        n_unestimated: likewise: drives that may sleep, and are not estimated.
    """

    n: int
    n_decided: int
    n_undecided: int
    verdict: str | None
    low_uw: int | None
    median_uw: int
    high_uw: int | None
    n_unread: int = 0
    n_unestimated: int = 0

    def __str__(self) -> str:
        if self.verdict is None:
            return "of no drive is a saving known"
        drives = "1 drive" if self.n == 1 else f"{self.n} drives"
        said = saving_text(self.verdict, self.low_uw, self.median_uw, self.high_uw)
        return f"{said}, on {drives}"


def _uw_of(likely: Likely | None) -> tuple[Any, ...] | None:
    return (likely.verdict, *likely._uw()) if likely else None


def total(advice: Iterable[Advice]) -> Total:
    """Sum the savings of all settings that are advised.

    Args:
        advice: of tune(), or some of it; a drive that is not to be set adds nothing. A
            trial counts in place of what is likely.
    """
    rows = []
    for one in check_list(advice, "advice", "ssdpm.Advice"):
        check_instance(one, "advice", Advice)
        trial = one.trial and _row_of(one.trial)
        rows.append((one.advice, _uw_of(one.likely), trial))
    return Total(*_core.energy.total(rows))


def total_asleep(advice: Iterable[Advice]) -> Total:
    """Sum what sleep saves today.

    Args:
        advice: of tune(), or some of it. A drive whose sleep saves, at least probably,
            is in the sums; one of which that is not decided only counts as undecided.
    """
    rows = []
    for one in check_list(advice, "advice", "ssdpm.Advice"):
        check_instance(one, "advice", Advice)
        error = -getattr(errno, one.error) if one.error else 0
        rows.append((one.verdict, error, _uw_of(one.awake)))
    return Total(*_core.energy.total_asleep(rows))


def _likely(row: tuple[Any, ...] | None) -> Likely | None:
    return None if row is None else Likely(*row)


def _link(row: tuple[Any, ...] | None) -> LinkSaving | None:
    if row is None:
        return None
    today, reached, remedy, changes, likely = row
    return LinkSaving(today, reached, remedy, Change._make(changes), Likely(*likely))


@dataclass(frozen=True, eq=False)
class UsualWorkload(Value):
    """The usual work of the drives of a machine, and why it is taken.

    Attributes:
        name: of the workload, as generate() takes it.
        reason: the first that holds: "firmware" or "chassis" (of a server), "disks"
            (four or more SATA disks), "no-server" (none of these).
    """

    name: str
    reason: str


def usual_workload(root: Root = None) -> UsualWorkload:
    """The workload that tune() takes for a machine, if it is given no trace.

    Args:
        root: this machine (None), a capture, or a Machine.

    Raises:
        As Machine().
    """
    return UsualWorkload(*_core.energy.usual_workload(machine_of(root)._handle))


def tune(
    root: Root = None,
    trace: TraceLike | str | None = None,
    *,
    patience: str = "normal",
    trials: Mapping[str, TrialResult] | None = None,
    hours_per_day: int = 24,
    price_per_kwh: float = 0.0,
) -> tuple[Advice, ...]:
    """Find the setting of each drive that saves most and delays I/Os little.

    Sends no command, writes nothing, needs no root.

    Args:
        root: this machine (None), a capture, or a Machine.
        trace: what the drives do; the name of a workload; None: that of
            usual_workload(), which has the reason.
        patience: "normal": I/Os may wait for 1 % of the time, and one in 100 for
            25 ms; "patient": 5 % and 100 ms; "instant": 0.1 % and 5 ms, also if that
            costs power.
        trials: by name of a drive that takes one (Advice.takes_trial): what a trial of
            its best setting found. If that saves, the advice is "set", whatever is
            likely.
        hours_per_day: how long the machine runs, 1 to 24, for the year of to_dict().
        price_per_kwh: what a kilowatt-hour costs, for the price of that year; 0: none.

    Raises:
        NotFoundError: there is no such workload, or no such drive.
        UnknownValueError: the trace has no record.
        InvalidError: a trial of a drive that takes none; a price below 0.
        As Machine() and Machine.devices().
    """
    machine = machine_of(root)
    known = _core.energy.PATIENCES
    number = known[check_word(patience, "patience", known)]
    name = check_text(trace, "trace") if isinstance(trace, str) else None
    records = None if trace is None or name is not None else all_records(trace)
    tried = {} if trials is None else trials
    if not isinstance(tried, Mapping):
        raise TypeError(f"trials: a dict is needed, not {type(tried).__name__}")
    tried = dict(tried)
    rows = {check_text(drive, "trials"): _row_of(tried[drive]) for drive in tried}
    hours = check_unsigned(hours_per_day, "hours_per_day", 24, 1)
    price = check_float(price_per_kwh, "price_per_kwh")
    found = []
    for row in _core.energy.tune(
        machine._handle, number, name, records, rows, hours, price
    ):
        product, policy, message, code, word, setting, saving, likely = row[1:9]
        limit, lpm = setting or (None, None)
        advice = Advice(
            row[0],
            product,
            policy,
            message,
            errno.errorcode.get(-code) if code else None,
            word,
            None if limit is None else limit_word(limit),
            lpm,
            None if saving is None else Saving(*saving),
            _likely(likely),
            None if saving is None else row[9],
            None if saving is None else row[10],
            tried.pop(row[0], None),
            row[11],
            _likely(row[12]),
            row[13],
            _likely(row[14]),
            _link(row[15]),
            row[16],
            row[17],
            row[18] or None,
        )
        object.__setattr__(advice, "_check", row[20])
        found.append(advice._written_by(row[19]))
    for drive in tried:
        raise NotFoundError(errno.ENOENT, f"trials: there is no drive {drive!r}")
    return tuple(found)
