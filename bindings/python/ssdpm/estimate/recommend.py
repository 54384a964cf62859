# SPDX-License-Identifier: MIT
"""The best table, and the best setting that each route reaches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex

from ssdpm import _core
from ssdpm.base.convert import by_number, check_bool, check_unsigned, check_word, takes
from ssdpm.base.result import Several, Value, in_ms, in_mw
from ssdpm.device.facts import Change
from ssdpm.device.machine import Device
from ssdpm.estimate.gaps import Gaps, gaps_of
from ssdpm.estimate.result import Likely, Run, Saving, run_from
from ssdpm.estimate.setup import DEFAULT_TABLE, Known, Setup, TableLike
from ssdpm.model.drive import Model
from ssdpm.policy.parameters import Quirk, limit_word, quirk_bits
from ssdpm.policy.table import ApstTable
from ssdpm.workload.trace import TraceLike, source_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True, eq=False)
class BestTable(Value):
    """What best_table() found.

    Attributes:
        table: one without entries where nothing saves.
        run: its nominal run.
        energy_bound_nj: no table with whole milliseconds costs less.
    """

    table: ApstTable
    run: Run
    energy_bound_nj: int

    @property
    def exact(self) -> bool:
        """Whether no table is better."""
        return self.energy_bound_nj == self.run.energy_nj


def _bounds(
    setup: Setup,
    max_delay_mean_ns: SupportsIndex | str | None,
    max_delay_p99_ns: SupportsIndex | str | None,
    max_exit_latency_us: SupportsIndex | str | None,
    max_states: SupportsIndex,
    quirks: Iterable[Quirk | str] | Quirk | str,
    flags: int = 0,
) -> tuple[int, int, int, int, int, int]:
    most = 2**64 - 1

    def bound(value: SupportsIndex | str | None, name: str) -> int:
        return most if value is None else check_unsigned(value, name, most)

    return (
        bound(max_delay_mean_ns, "max_delay_mean_ns"),
        bound(max_delay_p99_ns, "max_delay_p99_ns"),
        bound(max_exit_latency_us, "max_exit_latency_us"),
        check_unsigned(max_states, "max_states", 31),
        quirk_bits(
            setup.model,
            setup.quirks() if isinstance(quirks, str) and quirks == "auto" else quirks,
            _core.ALGORITHMS["linux"],
        ),
        flags,
    )


@takes(Known, Setup)
def best_table(
    model: Model | Device,
    trace: TraceLike | Gaps,
    *,
    max_delay_mean_ns: SupportsIndex | None = None,
    max_delay_p99_ns: SupportsIndex | None = None,
    max_exit_latency_us: SupportsIndex | None = None,
    max_states: SupportsIndex = 2,
    quirks: Iterable[Quirk | str] | Quirk | str = "auto",
    end_ns: SupportsIndex | None = None,
    **known: Unpack[Known],
) -> BestTable:
    """The static table of least nominal energy on a workload, closed loop.

    Args:
        max_delay_mean_ns: the mean added latency over all I/Os; None: no bound, as for
            the next two.
        max_delay_p99_ns: no more than 1 % of the I/Os are delayed by more.
        max_exit_latency_us: of every state that is used.
        max_states: how many states may be used; 1 and 2 are exact, up to 31 is a
            search that says how far it may be from the best.
        quirks: as for apst().
        And as sweep().

    Raises:
        As sweep().
    """
    setup = Setup(model, **known)
    bounds = _bounds(
        setup,
        max_delay_mean_ns,
        max_delay_p99_ns,
        max_exit_latency_us,
        max_states,
        quirks,
    )
    gaps = gaps_of(setup, trace, end_ns)
    table, [run], bound_nj = _core.energy.gaps_best_table(
        gaps, setup.model._handle, setup.core(None), bounds
    )
    return BestTable(ApstTable._wrap(table), run_from(run, len(setup.model)), bound_nj)


_ROUTE_WORDS = by_number(_core.energy.ROUTES)


@dataclass(frozen=True, eq=False)
class Recommendation(Value):
    """The best setting that a route reaches; str() of it says what to do.

    Attributes:
        route: "latency-limit" (pm_qos_latency_tolerance_us alone), "nvme-core" (the
            parameters apst_* of nvme_core too) or "raw-table" (Set Features); of a SATA
            drive "link-policy".
        possible: whether a setting of this route keeps the bounds; if not, all that
            follows the advice is None.
        advice: "set" it; "keep" all as it is: the drive does the same today, or the
            setting saves too little to matter or is not known to save;
            "costs": keep all as it is, because what keeps the bounds takes more power;
            "none": no setting of this route keeps the bounds; "rebuild": the setting is
            that of today, but Linux builds another table of it than the one in force.
            Then changes have Linux build it.
        today_keeps_bounds: whether the table or link policy of today does.
        table: the table that the drive will have; None: it is a SATA drive.
        max_exit_latency_us: the latency limit to set, or "any" (the first two routes).
        primary_timeout_ms: and the next three, parameters of nvme_core (that route).
        kept: "surely": the bounds hold with all latencies that the drive can have;
            "nominally": with the nominal ones, and with others perhaps not;
            "not": the link policy of today has lost data, and no safe one that sleeps keeps them.
        run: its nominal run.
        low, high: the least and the most that is possible of each number of it.
        saving: against the table of today.
        likely: what is likely of it; None: nobody asked for it.
        changes: what to write, in this order. First files of sysfs, until the next
            boot; "nvmeN" is the controller of a drive that is no device, and parameters
            that the machine of a device has are left out. The limit comes twice, because only a
            change of it takes effect. Then parameters to boot with. None for
            "raw-table". For a SATA drive: the file of its port, "hostN".
        lpm: the link policy that a SATA drive will have; None: unknown, as today.
    """

    route: str
    possible: bool
    advice: str
    today_keeps_bounds: bool
    table: ApstTable | None = None
    max_exit_latency_us: int | str | None = None
    primary_timeout_ms: int | None = None
    primary_latency_tolerance_us: int | None = None
    secondary_timeout_ms: int | None = None
    secondary_latency_tolerance_us: int | None = None
    kept: str | None = None
    run: Run | None = None
    low: Run | None = None
    high: Run | None = None
    saving: Saving | None = None
    likely: Likely | None = None
    changes: tuple[Change, ...] = ()
    lpm: str | None = None

    def _setting(self) -> str:
        if self.route == "link-policy":
            return f"the link policy to {self.lpm}"
        if self.route == "raw-table":
            return f"the table {self.table!r}"
        files = [one for one in self.changes if one.target.startswith("/")]
        names = [one.target.rpartition("/")[2] for one in files]
        text = f"{names[-1]} to another value and then to {files[-1].value}"
        core = [f"{n}={one.value}" for n, one in zip(names[:-2], files)]
        return " ".join(["nvme_core", *core]) + ", " + text if core else text

    def _change(self) -> str:
        if self.advice == "set":
            return f"set {self._setting()}"
        limit = self.max_exit_latency_us
        unit = "" if limit == "any" else " us"
        return f"have Linux build its APST table of the latency limit {limit}{unit}"

    def __str__(self) -> str:
        if self.run is None or self.saving is None:
            return f"{self.route}: no setting keeps the bounds"
        delays = (
            f"on this workload; delays {100 * self.run.delayed_share:.3g} % of I/Os by "
            f"{in_ms(self.run.delay_mean_delayed_ns)} ms on average"
        )
        if self.advice == "keep" and not self.saving.low_uw | self.saving.high_uw:
            return f"leave all as it is: nothing better found {delays}"
        if self.advice in ("set", "rebuild"):
            what = f"{self._change()}: {self._effect()} {delays}"
            return f"{what}; {self._bounds_kept()}"
        why = (
            "leave all as it is"
            if self.today_keeps_bounds
            else "leave all as it is, or ask for less delay with may_cost=True"
        )
        return f"{why}: to set {self._setting()} {self._effect()} {delays}"

    def _bounds_kept(self) -> str:
        assert self.high is not None
        if self.kept == "not":
            return "the bounds are not kept: no safe link policy that sleeps keeps them"
        if self.kept == "surely":
            return "the bounds are kept surely"
        mean, p99 = in_ms(self.high.delay_mean_ns), in_ms(self.high.delay_p99_ns)
        return f"the bounds are kept nominally; at worst {mean} ms on average, p99 {p99} ms"

    def _effect(self) -> str:
        assert self.saving is not None
        if self.likely is not None:
            return str(self.likely)
        low, high = self.saving.low_uw, self.saving.high_uw
        if self.saving.nominal_uw < 0:
            more = f"{in_mw(-self.saving.nominal_uw)} mW more"
            return f"costs {more} ({in_mw(-high)}..{in_mw(-low)})"
        if not self.saving.nominal_uw:
            return f"saves nothing ({in_mw(low)}..{in_mw(high)} mW)"
        return f"saves {self.saving}"


@dataclass(frozen=True, eq=False)
class Recommendations(Several[Recommendation]):
    """What each route reaches: recommend().

    In the JSON the sentence and the call of the command are null.

    Attributes:
        recommendations: in the order of the routes.
    """

    recommendations: tuple[Recommendation, ...]


_WITH_LIMIT = ("latency-limit", "nvme-core")
_NVME_CORE = (
    "primary_timeout_ms",
    "primary_latency_tolerance_us",
    "secondary_timeout_ms",
    "secondary_latency_tolerance_us",
)


def _recommendation(found: tuple[Any, ...], n_states: int) -> Recommendation:
    *answer, kept, [run], [low], [high], saving, likely, changes = found
    route, possible, advice, today_keeps, table, lpm, limit, *times = answer
    word = _ROUTE_WORDS[route]
    if not possible:
        return Recommendation(word, False, advice, today_keeps)
    return Recommendation(
        route=word,
        possible=True,
        advice=advice,
        today_keeps_bounds=today_keeps,
        table=None if word == "link-policy" else ApstTable._wrap(table),
        lpm=lpm,
        max_exit_latency_us=limit_word(limit) if word in _WITH_LIMIT else None,
        kept=kept,
        run=run_from(run, n_states),
        low=run_from(low, n_states),
        high=run_from(high, n_states),
        saving=Saving(*saving),
        likely=None if likely is None else Likely(*likely),
        changes=Change._make(changes),
        **(dict(zip(_NVME_CORE, times)) if word == "nvme-core" else {}),
    )


@takes(Known, Setup)
def recommend(
    model: Model | Device,
    trace: TraceLike | Gaps,
    *,
    today: TableLike = DEFAULT_TABLE,
    max_delay_mean_ns: SupportsIndex | str | None = None,
    max_delay_p99_ns: SupportsIndex | str | None = None,
    max_exit_latency_us: SupportsIndex | str | None = None,
    patience: str = "normal",
    may_cost: bool = False,
    max_states: SupportsIndex = 2,
    quirks: Iterable[Quirk | str] | Quirk | str = "auto",
    likely: bool = True,
    end_ns: SupportsIndex | None = None,
    **known: Unpack[Known],
) -> Recommendations:
    """The best setting that each route reaches, in the order of the routes.

    A SATA drive has one route: the link policy of its port. A device whose kernel
    refuses raw tables has no "raw-table".

    Args:
        today: the table that an NVMe drive has now, which savings are against; as table
            of estimate(). A SATA drive has the link policy of its port, or if that is
            not known, the default of Linux.
        max_delay_mean_ns, max_delay_p99_ns, max_exit_latency_us: as for best_table();
            "any": no bound; None: that of the patience.
        patience: "normal": all delays together last for at most 1 % of the time, and
            one I/O in 100 may wait for more than 25 ms. If the default of Linux delays
            for longer, that is the limit. "patient" and "instant" as for tune().
        may_cost: where the table of today does not keep the bounds, advise to set what
            does even if it takes more power.
        likely: find what is likely of each saving; its word then decides on the advice.
        And as best_table().

    Raises:
        UnsupportedError: as estimate(); a device shares its port with other disks, its
            port takes no other link policy, or a plan would leave the port alone.
        UnknownValueError: the latency limit of a device cannot be read.
        And as best_table().
    """
    setup = Setup(model, likely=likely, **known)
    given = (max_delay_mean_ns, max_delay_p99_ns, max_exit_latency_us)
    mean, p99, exit_latency = (
        None if isinstance(one, str) and one == "any" else one for one in given
    )
    flags = _core.energy.BOUNDS_MAY_COST if check_bool(may_cost, "may_cost") else 0
    place = None
    if isinstance(model, Device):
        place = _core.energy.DeviceBounds(
            model._handle, model.machine._handle, setup.model._handle
        )
        flags |= place.flags
        if setup.named(today) != "today":
            flags &= ~_core.energy.BOUNDS_IN_FORCE
    for one, bit in zip(given, _core.energy.BOUNDS_OWN, strict=True):
        flags |= bit if one is not None else 0
    bounds = _bounds(setup, mean, p99, exit_latency, max_states, quirks, flags)
    known_patience = _core.energy.PATIENCES
    number = known_patience[check_word(patience, "patience", known_patience)]
    now = setup.table_or_none(today, "today")._handle
    gaps = gaps_of(setup, trace, end_ns)
    found = _core.energy.Recommendations(
        gaps,
        setup.model._handle,
        setup.core(None),
        bounds,
        number,
        now,
        place,
    )
    fed = trace._fed if isinstance(trace, Gaps) else source_of(trace)
    names, word = setup.names(fed), setup.word(today)
    result = Recommendations(
        tuple(_recommendation(one, len(setup.model)) for one in found.answers())
    )
    return result._written_by(lambda: found.to_json(names, word))
