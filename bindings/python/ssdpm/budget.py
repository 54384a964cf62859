# SPDX-License-Identifier: MIT
"""Power budgets: one state for each of many drives, with the least loss."""

from __future__ import annotations

import errno
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.arrays import floats, frozen, one_dimension
from ssdpm.base.convert import (
    check_instance,
    check_list,
    check_number,
    check_text,
    check_unsigned,
    check_word,
    uw_of,
)
from ssdpm.base.errors import InvalidError, RangeError
from ssdpm.base.result import Json, Table, Value, drawn, html_table
from ssdpm.estimate.parameters import Overlay
from ssdpm.estimate.setup import Setup
from ssdpm.model.drive import Model
from ssdpm.parameter import Parameter, check_parameters
from ssdpm.workload.records import IO_DTYPE, OPS
from ssdpm.workload.trace import TraceLike, all_records

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BUDGET_POWERS = ("max", "expected", "p99")
"""What a state can be counted with."""

_UW = 10**6

DriveLike = Union[Model, Sequence[Model], "BudgetItem"]
"""A drive; a card of several devices that share one state; or numbers of your own."""


def _watts(watts: float) -> str:
    """All digits that there are."""
    return f"{watts:.6f}".rstrip("0").rstrip(".") + " W"


def _column(values: object, name: str) -> list[int]:
    """Whole numbers of 0 to what a budget takes."""
    return [
        check_unsigned(one, f"{name}[{i}]", _core.energy.BUDGET_MAX)
        for i, one in enumerate(check_list(values, name, "numbers"))
    ]


@dataclass(frozen=True, eq=False)
class BudgetItem(Value):
    """What has one state: a drive, or a card of several devices.

    Its arrays are read-only and have an entry for each state.

    Attributes:
        name: what it is called.
        states: the numbers of the states.
        power_uw: what each is counted with.
        loss: what is lost in it, by weight, in any unit that all items share;
            whole numbers. For drives: bytes per second.
        bytes_per_s: throughput, or None: not known.
    """

    name: str
    states: npt.NDArray[np.uint32]
    power_uw: npt.NDArray[np.uint64]
    loss: npt.NDArray[np.uint64]
    bytes_per_s: npt.NDArray[np.float64] | None = None
    _kept: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_text(self.name, "name")
        power, loss = _column(self.power_uw, "power_uw"), _column(self.loss, "loss")
        states = _column(self.states, "states")
        if not 1 <= len(power) <= _core.energy.BUDGET_MAX_STATES:
            raise InvalidError(
                errno.EINVAL,
                f"{self.name}: 1 to {_core.energy.BUDGET_MAX_STATES} states are "
                f"needed, not {len(power)}",
            )
        rates = None
        if self.bytes_per_s is not None:
            rates = floats(self.bytes_per_s, "bytes_per_s")
            one_dimension(rates, "bytes_per_s")
        lengths = {len(power), len(loss), len(states)}
        if len(lengths | ({len(rates)} if rates is not None else set())) > 1:
            raise InvalidError(errno.EINVAL, f"{self.name}: arrays of one length")
        object.__setattr__(self, "states", frozen(np.array(states, np.uint32)))
        object.__setattr__(self, "power_uw", frozen(np.array(power, np.uint64)))
        object.__setattr__(self, "loss", frozen(np.array(loss, np.uint64)))
        if rates is not None:
            object.__setattr__(self, "bytes_per_s", frozen(np.array(rates, np.float64)))

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_kept": None}

    def _item(self) -> _core.energy.BudgetItem:
        """A pickle has one, too: with its numbers, and without the drives."""
        if self._kept is not None:
            kept: _core.energy.BudgetItem = self._kept
            return kept
        states = np.zeros(len(self), _core.energy.budget_state_dtype)
        states["state"], states["power_uw"] = self.states, self.power_uw
        states["loss"] = self.loss
        rates = math.nan if self.bytes_per_s is None else self.bytes_per_s
        for corner in ("low", "nominal", "high"):
            states["bytes_per_s"][corner] = rates
            states["expected_power_uw"][corner] = math.nan
        states["lost_bytes_per_s"] = math.nan
        return _core.energy.budget_item_of_states(self.name, states)

    @property
    def power_w(self) -> npt.NDArray[np.float64]:
        """The power that each state is counted with, in watts."""
        return self.power_uw / _UW

    def __len__(self) -> int:
        """The number of states."""
        return len(self.power_uw)

    def __repr__(self) -> str:
        watts = ", ".join(f"PS{s} {w:g} W" for s, w in zip(self.states, self.power_w))
        return f"<ssdpm.BudgetItem {self.name}: {watts}>"


def _mix(mix: object, io_bytes: int) -> list[tuple[int, float, int]]:
    """Number, share and size of each operation that the mix has."""
    shares = mix
    if isinstance(mix, str):
        shares = {check_word(mix, "mix", ("read", "write")): 1.0}
    if not isinstance(shares, dict) or not shares:
        raise TypeError('mix: "read", "write" or a dict of shares is needed')
    for op in shares:
        check_word(op, "mix", ("read", "write"))
    shares = {op: float(share) for op, share in shares.items()}
    if not all(0 <= share <= 1 for share in shares.values()):
        raise RangeError(errno.ERANGE, f"mix: shares of 0 to 1, not {mix!r}")
    if not math.isclose(sum(shares.values()), 1, abs_tol=1e-9):
        raise InvalidError(errno.EINVAL, f"mix: {mix!r}: the shares do not come to 1")
    return [
        (OPS[op], shares[op], io_bytes)
        for op in ("read", "write")
        if shares.get(op, 0.0) > 0
    ]


class _Work(NamedTuple):
    """How drives are looked at; without a mix they do these records."""

    power: str
    mix: list[tuple[int, float, int]]
    records: npt.NDArray[np.void]
    loop: str


def _work(
    power: str, mix: object, io_bytes: object, trace: TraceLike | None, loop: str
) -> _Work:
    check_word(power, "power", BUDGET_POWERS)
    check_word(loop, "loop", _core.energy.LOOPS)
    size = check_unsigned(io_bytes, "io_bytes", 2**32 - 1, 1)
    if trace is None:
        streams = _mix("write" if mix is None else mix, size)
        return _Work(power, streams, np.empty(0, IO_DTYPE), loop)
    if mix is not None:
        raise ValueError("mix, trace: one of both is needed, not both")
    return _Work(power, [], all_records(trace), loop)


def _thousandths(weight: object, name: str) -> int:
    worth = check_number(weight, name)
    # What is too much the library says.
    thousandths = min(worth * 1000, 2.0**63)
    if not math.isclose(round(thousandths), thousandths, rel_tol=1e-9, abs_tol=1e-9):
        raise RangeError(errno.ERANGE, f"{name}: {worth!r} is finer than a thousandth")
    return round(thousandths)


def budget_item(
    drives: Model | Sequence[Model],
    *,
    name: str | None = None,
    weight: float = 1.0,
    power: str = "max",
    mix: str | dict[str, float] | None = None,
    io_bytes: int = 131072,
    trace: TraceLike | None = None,
    loop: str = "closed",
    measured: Overlay | None = None,
    parameters: Iterable[Parameter] | None = None,
) -> BudgetItem:
    """The states of a drive, with what each takes and loses; of a card, summed.

    Args:
        drives: a drive, or the devices of a card, which share one state.
        name: what it is called; None: its product.
        weight: what its throughput is worth; 0 and more, to a thousandth.
        power: what a state is counted with: "max", the maximum power that it is
            defined with; "expected", the mean of the work; "p99", what the work
            exceeds 1 % of the time. Those that are computed are rounded up to 0.01 W,
            but to no more than the maximum.
        mix: what it does: "write" (None), "read", or shares of all bytes, as in
            ``{"read": 0.7, "write": 0.3}``.
        io_bytes: size of an I/O.
        trace: what it does, instead of a mix.
        loop: as estimate(), of the trace.
        measured: what ssdpm.measure.calibrate() found of this drive.
        parameters: what is known of it, from ssdpm.parameters().

    Raises:
        UnknownValueError: a state whose maximum power the drive does not report.
        UnsupportedError: a SATA drive on a card.
        TypeError, ValueError: an argument of another type, a weight below 0.
    """
    work = _work(power, mix, io_bytes, trace, loop)
    return _item(drives, name, weight, work, measured, parameters)


def _item(
    drives: object,
    name: str | None,
    weight: object,
    work: _Work,
    measured: Overlay | None,
    given: Iterable[Parameter] | None,
) -> BudgetItem:
    thousandths = _thousandths(weight, "weight")
    if name is not None:
        check_text(name, "name")
    models = [drives] if isinstance(drives, Model) else drives
    if isinstance(models, (str, bytes)) or not isinstance(models, Sequence):
        raise TypeError(
            "drives: an ssdpm.Model, or several, is needed, not "
            f"{type(drives).__name__}"
        )
    own = None if given is None else check_parameters(given)
    for model in models:
        check_instance(model, "drives", Model)
    setups = [
        Setup(model, loop=work.loop, parameters=own, measured=measured)
        for model in models
    ]
    kept = _core.energy.budget_item_of_drives(
        [
            (
                name if name and len(models) == 1 else one.model.name,
                one.model._handle,
                one.core(None),
            )
            for one in setups
        ],
        work.mix,
        work.records,
        _core.energy.BUDGET_POWERS[work.power],
        thousandths,
    )
    states = kept.states()
    return BudgetItem(
        name or " + ".join(str(model.product) for model in models),
        states["state"],
        states["power_uw"],
        states["loss"],
        states["bytes_per_s"]["nominal"],
        kept,
    )


@dataclass(frozen=True, eq=False)
class Budget(Table, Json):
    """Drives in a budget: the states that lose least; from budget().

    Attributes:
        items: what has a state each.
        budget_uw, base_uw: what may be drawn in all, and what all else draws.
        fits: whether the drives fit. If not, the choices are the lowest states: that
            these are above the budget is why.
        n_fitting: how many of the items fit at most, those of the least power first.
        choices: of each item, which of its states.
        power_uw, loss: of all of them. No choice within the budget has less loss.
        exact: so it is. False: they do not fit, or 2**23 combinations did not tell
            which of thousands of good choices is best. Some may lose less than that,
            but none less than bound_loss.
        bound_loss: of the relaxed problem: no choice is below it; None: they do not fit.
        n_examined: combinations that were looked at to close the rest, or None.
        frontier_power_uw, frontier_loss: what each watt buys, from the least power on:
            with such a budget for the items no choice loses less.
    """

    items: tuple[BudgetItem, ...]
    budget_uw: int
    base_uw: int
    fits: bool
    n_fitting: int
    choices: npt.NDArray[np.uint32]
    power_uw: int
    loss: int
    exact: bool
    bound_loss: int | None
    n_examined: int | None
    frontier_power_uw: npt.NDArray[np.uint64]
    frontier_loss: npt.NDArray[np.uint64]

    __hash__ = None  # type: ignore[assignment]

    @property
    def states(self) -> npt.NDArray[np.uint32]:
        """The number of the power state of each item."""
        pairs = zip(self.items, self.choices)
        return frozen(np.array([item.states[i] for item, i in pairs], np.uint32))

    @property
    def power_w(self) -> float:
        """The sum of all items, in watts."""
        return self.power_uw / _UW

    @property
    def left_w(self) -> float:
        """The rest of the budget; below 0: by how much they do not fit."""
        return (self.budget_uw - self.base_uw - self.power_uw) / _UW

    def to_records(self) -> npt.NDArray[np.void]:
        """A row for each item, as for pandas.DataFrame."""
        width = max(len(item.name) for item in self.items)
        dtype = [("name", f"U{width}"), ("state", "u4"), ("power_uw", "u8")]
        dtype += [("loss", "u8"), ("bytes_per_s", "f8")]
        rows = []
        for item, i in zip(self.items, self.choices):
            rates = item.bytes_per_s
            rate = math.nan if rates is None else float(rates[i])
            row = (item.name, item.states[i], item.power_uw[i], item.loss[i], rate)
            rows.append(row)
        return np.array(rows, dtype=dtype)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the frontier of watts against loss, the budget and what was chosen.

        Args:
            ax: where to; None: a new figure.

        Raises:
            ImportError: matplotlib is not installed.
        """
        return drawn("plot_budget", self, ax)

    def _summary(self) -> str:
        budget, left = _watts(self.budget_uw / _UW), _watts(abs(self.left_w))
        if not self.fits:
            return (
                f"{self.n_fitting} of {len(self.items)} fit into {budget} at most: "
                f"all take at least {left} more"
            )
        base = f" beside {_watts(self.base_uw / _UW)}" if self.base_uw else ""
        words = f"{_watts(self.power_w)}{base}, {left} of {budget} left"
        return words if self.exact else f"{words}, loss perhaps not the least"

    def __repr__(self) -> str:
        lines = [
            f"  {item.name}: PS{item.states[i]}, {item.power_w[i]:g} W, "
            f"loss {item.loss[i]}"
            for item, i in zip(self.items[:20], self.choices)
        ]
        if len(self.items) > 20:
            lines.append(f"  and {len(self.items) - 20} more")
        return "\n".join([f"<ssdpm.Budget {self._summary()}", *lines]) + ">"

    def _repr_html_(self) -> str:
        rows = [
            (
                item.name,
                f"PS{item.states[i]}",
                f"{item.power_w[i]:g} W",
                int(item.loss[i]),
            )
            for item, i in zip(self.items, self.choices)
        ]
        return html_table(self._summary(), ("drive", "state", "power", "loss"), rows)


def _items(
    drives: Iterable[DriveLike],
    weights: Iterable[float] | None,
    work: _Work,
    measured: Overlay | None,
) -> tuple[BudgetItem, ...]:
    listed = check_list(drives, "drives", "drives")
    if not 1 <= len(listed) <= _core.energy.BUDGET_MAX_ITEMS:
        raise InvalidError(
            errno.EINVAL,
            f"drives: 1 to {_core.energy.BUDGET_MAX_ITEMS}, not {len(listed)}",
        )
    worth = [1.0] * len(listed)
    if weights is not None:
        worth = check_list(weights, "weights", "numbers")
    if len(worth) != len(listed):
        raise InvalidError(
            errno.EINVAL, f"weights: {len(worth)} of them for {len(listed)} drives"
        )
    seen: dict[tuple[int, int], BudgetItem] = {}
    items = []
    for one, weight in zip(listed, worth):
        if isinstance(one, BudgetItem):
            if weights is not None and weight != 1:
                raise InvalidError(
                    errno.EINVAL, f"{one.name}: the weight of an item is in its loss"
                )
            items.append(one)
            continue
        # Many of one kind are looked at once.
        key = (id(one), _thousandths(weight, "weights"))
        if key not in seen:
            seen[key] = _item(one, None, weight, work, measured, None)
        items.append(seen[key])
    return tuple(items)


def budget(
    drives: Iterable[DriveLike],
    watts: float,
    *,
    base_watts: float = 0.0,
    power: str = "max",
    mix: str | dict[str, float] | None = None,
    io_bytes: int = 131072,
    trace: TraceLike | None = None,
    loop: str = "closed",
    weights: Iterable[float] | None = None,
    measured: Overlay | None = None,
) -> Budget:
    """A state for each drive, so that all fit and the weighted loss is least.

    ::

        drive = ssdpm.Model.catalogue("KCM61RUL960G")
        found = ssdpm.budget([drive] * 4, 60)
        found.states  # PS1, PS3, PS4, PS4
        found.plot()

    Drives with work, powers or a calibration of their own are items::

        reader = ssdpm.budget_item(drive, mix="read")
        writer = ssdpm.budget_item(drive, trace=trace, weight=2)
        ssdpm.budget([reader, writer, drive], 60)

    Args:
        drives: drives; a list of several is a card, whose devices share one state;
            or BudgetItem, with numbers of your own or from budget_item().
        watts: what may be drawn in all.
        base_watts: what everything but these drives draws.
        weights: of each drive; None: 1.
        And as budget_item().

    Raises:
        As budget_item().
    """
    limit, base = uw_of(watts, "watts"), uw_of(base_watts, "base_watts")
    work = _work(power, mix, io_bytes, trace, loop)
    items = _items(drives, weights, work, measured)
    solved = _core.energy.Budget([item._item() for item in items], limit, base)
    fits, power_uw, loss, bound_loss, n_examined, exact, n_fitting = solved.answer()
    frontier = solved.frontier()
    found = Budget(
        items=items,
        budget_uw=limit,
        base_uw=base,
        fits=fits,
        n_fitting=n_fitting,
        choices=frozen(solved.choices()),
        power_uw=power_uw,
        loss=loss,
        exact=exact,
        bound_loss=bound_loss if fits else None,
        n_examined=n_examined if fits else None,
        frontier_power_uw=frozen(frontier["power_uw"].copy()),
        frontier_loss=frozen(frontier["loss"].copy()),
    )
    return found._written_by(lambda: solved.to_json(work.mix))
