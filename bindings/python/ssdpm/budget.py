# SPDX-License-Identifier: MIT
"""Power budgets: one state for each of many drives, with the least loss."""

from __future__ import annotations

import errno
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

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
from ssdpm.base.errors import (
    InvalidError,
    RangeError,
    UnknownValueError,
    UnsupportedError,
)
from ssdpm.base.notebook import html_table
from ssdpm.base.optional import drawn
from ssdpm.base.values import Value
from ssdpm.cap.drive import Result, from_model
from ssdpm.cap.run import Run, simulate
from ssdpm.cap.stream import Stream
from ssdpm.estimate.parameters import Overlay, parameters
from ssdpm.model.drive import Model
from ssdpm.parameter import Parameter, check_parameters
from ssdpm.workload.records import IO_DTYPE, OPS
from ssdpm.workload.trace import TraceLike, record_arrays

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BUDGET_POWERS = ("max", "expected", "p99")
"""What a state can be counted with."""

_UW = 10**6
_UNIT_UW = 10_000  # powers that are computed are rounded up to 0.01 W

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
            whole numbers. Of drives: bytes per second.
        bytes_per_s: throughput, or None: not known.
    """

    name: str
    states: npt.NDArray[np.uint32]
    power_uw: npt.NDArray[np.uint64]
    loss: npt.NDArray[np.uint64]
    bytes_per_s: npt.NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        check_text(self.name, "name")
        power, loss = _column(self.power_uw, "power_uw"), _column(self.loss, "loss")
        states = _column(self.states, "states")
        if not 1 <= len(power) <= _core.energy.BUDGET_MAX_OPTIONS:
            raise InvalidError(
                errno.EINVAL,
                f"{self.name}: 1 to {_core.energy.BUDGET_MAX_OPTIONS} states are "
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

    @property
    def power_w(self) -> npt.NDArray[np.float64]:
        """What each state is counted with, in watts."""
        return self.power_uw / _UW

    def __len__(self) -> int:
        """The number of states."""
        return len(self.power_uw)

    def __repr__(self) -> str:
        watts = ", ".join(f"PS{s} {w:g} W" for s, w in zip(self.states, self.power_w))
        return f"<ssdpm.BudgetItem {self.name}: {watts}>"


def _read_share(mix: object) -> float:
    """Of all bytes."""
    if isinstance(mix, str):
        return float(check_word(mix, "mix", ("read", "write")) == "read")
    if not isinstance(mix, dict) or not mix:
        raise TypeError('mix: "read", "write" or a dict of shares is needed')
    for op in mix:
        check_word(op, "mix", ("read", "write"))
    shares = {op: float(share) for op, share in mix.items()}
    if not all(0 <= share <= 1 for share in shares.values()):
        raise RangeError(errno.ERANGE, f"mix: shares of 0 to 1, not {mix!r}")
    if not math.isclose(sum(shares.values()), 1, abs_tol=1e-9):
        raise InvalidError(errno.EINVAL, f"mix: {mix!r}: the shares do not come to 1")
    return shares.get("read", 0.0)


@dataclass(frozen=True)
class _Work:
    """What drives are looked at with."""

    power: str
    read_share: float
    io_bytes: int
    records: npt.NDArray[np.void] | None
    loop: str

    def streams(self) -> list[Stream]:
        shares = {"read": self.read_share, "write": 1 - self.read_share}
        return [
            Stream(op, share, io_bytes=self.io_bytes)
            for op, share in shares.items()
            if share > 0
        ]

    @property
    def n_bytes(self) -> int:
        records = self.records
        assert records is not None
        moves = np.isin(records["op"], [OPS["read"], OPS["write"]])
        return int(records["bytes"][moves].sum(dtype=np.uint64))


def _work(
    power: str, mix: object, io_bytes: object, trace: TraceLike | None, loop: str
) -> _Work:
    check_word(power, "power", BUDGET_POWERS)
    check_word(loop, "loop", _core.energy.LOOPS)
    size = check_unsigned(io_bytes, "io_bytes", 2**32 - 1, 1)
    if trace is None:
        share = _read_share("write" if mix is None else mix)
        return _Work(power, share, size, None, loop)
    if mix is not None:
        raise ValueError("mix, trace: one of both is needed, not both")
    parts = [np.asarray(part) for part in record_arrays(trace)]
    # Joined records lose their alignment.
    records = np.concatenate(parts).astype(IO_DTYPE) if parts else np.empty(0, IO_DTYPE)
    work = _Work(power, 0.0, size, records, loop)
    if not work.n_bytes:
        raise UnknownValueError(
            errno.ENODATA, "trace: nothing is read or written, so nothing can be lost"
        )
    return work


def _states(models: Sequence[Model]) -> list[int]:
    """The states in which all devices of a card work."""
    for model in models:
        if model.kind != "nvme":
            raise UnsupportedError(
                errno.EOPNOTSUPP,
                f"{model.product}: a SATA drive has no power states to choose from: "
                "what it takes belongs to base_watts",
            )
    shared = [
        number
        for number in range(min(len(model.states) for model in models))
        if all(model.power_states[number].operational for model in models)
    ]
    if not shared:
        raise UnsupportedError(errno.EOPNOTSUPP, "no state in which all devices work")
    for model in models:
        for number in shared:
            if not model.power_states[number].max_power_uw:
                raise UnknownValueError(
                    errno.ENODATA,
                    f"{model.product}: it does not report the maximum power of "
                    f"PS{number}",
                )
    return shared


def _look(
    model: Model, known: tuple[Parameter, ...], state: int, work: _Work
) -> tuple[float, float]:
    """Throughput and power of a drive in a state; it does nothing where the cap is
    below what it takes at rest, or where it does not keep up."""
    cap_uw = float(model.power_states[state].max_power_uw or 0)
    found: Result | Run
    try:
        if work.records is None:
            drive, cap_w = from_model(model, work.streams(), state, parameters=known)
            found = drive.at(cap_w)
            rate = found.bytes_per_s.nominal
        else:
            found = simulate(
                model,
                work.records,
                cap_uw / _UW,
                state=state,
                table=None,
                loop=work.loop,
                parameters=known,
            )
            full = work.n_bytes * 1e9 / found.uncapped_duration_ns
            rate = full * (1 - found.loss_share.nominal)
    except RangeError:
        return 0.0, cap_uw
    if work.power == "max":
        return rate, cap_uw
    power = found.power_uw if work.power == "expected" else found.p99_power_uw
    # No more than the state allows.
    return rate, min(math.ceil(power.nominal / _UNIT_UW) * _UNIT_UW, cap_uw)


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
        weight: what its throughput is worth; 0 and more.
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
        UnsupportedError: a SATA drive.
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
    worth = check_number(weight, "weight")
    if name is not None:
        check_text(name, "name")
    models = [drives] if isinstance(drives, Model) else drives
    if isinstance(models, (str, bytes)) or not isinstance(models, Sequence):
        raise TypeError(
            "drives: an ssdpm.Model, or several, is needed, not "
            f"{type(drives).__name__}"
        )
    if not models:
        raise InvalidError(errno.EINVAL, "a card has one device or more")
    own = None if given is None else check_parameters(given)
    if own is not None and measured is not None:
        raise ValueError("parameters, measured: one of both is needed, not both")
    for model in models:
        check_instance(model, "drives", Model)
    states = _states(models)
    power, rates = np.zeros(len(states)), np.zeros(len(states))
    for model in models:
        known = parameters(model, measured=measured) if own is None else own
        for i, state in enumerate(states):
            rate, uw = _look(model, known, state, work)
            rates[i] += rate
            power[i] += uw
    # Halves are rounded up, as the command does.
    lost = np.floor(rates.max() - rates + 0.5)
    words = name or " + ".join(str(model.product) for model in models)
    return BudgetItem(
        words,
        np.array(states),
        power.astype(np.uint64),
        np.floor(lost * worth + 0.5).astype(np.uint64),
        rates,
    )


@dataclass(frozen=True, eq=False)
class Budget(Value):
    """Drives in a budget: the states that lose least; from budget().

    Attributes:
        items: what has a state each.
        budget_uw, base_uw: what may be drawn in all, and what all else draws.
        fits: whether the drives fit. If not, the choices are the lowest states: that
            these are above the budget is why.
        choices: of each item, which of its states.
        power_uw, loss: of all of them. No choice within the budget has less loss.
        exact: so it is. False: thousands of choices are as good as each other, and
            2**23 combinations did not tell: some may lose less than that, but none
            less than bound_loss; or nothing fits.
        bound_loss: of the relaxed problem: no choice is below it; None: nothing fits.
        n_examined: combinations that were looked at to close the rest, or None.
        frontier_power_uw, frontier_loss: what each watt buys, from the least power on:
            with such a budget for the items no choice loses less.
    """

    items: tuple[BudgetItem, ...]
    budget_uw: int
    base_uw: int
    fits: bool
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
        """Of all items, in watts."""
        return self.power_uw / _UW

    @property
    def left_w(self) -> float:
        """What is left of the budget; below 0: by how much nothing fits."""
        return (self.budget_uw - self.base_uw - self.power_uw) / _UW

    def to_records(self) -> npt.NDArray[np.void]:
        """A row for each item, for pandas.DataFrame and the like."""
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
            return f"nothing fits into {budget}: the lowest states take {left} more"
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
    seen: dict[tuple[int, float], BudgetItem] = {}
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
        key = (id(one), check_number(weight, "weights"))
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
    counts = np.array([len(item) for item in items], np.uint32)
    options = np.empty((int(counts.sum()), 2), np.uint64)
    options[:, 0] = np.concatenate([item.power_uw for item in items])
    options[:, 1] = np.concatenate([item.loss for item in items])
    frontier = _core.energy.budget_frontier(options, counts)
    found = (
        _core.energy.budget_solve(options, counts, limit - base)
        if base <= limit
        else None
    )
    bound: int | None = None
    examined: int | None = None
    exact = False
    if found is not None:
        choices, power_uw, loss, bound, examined, exact = found
    else:
        choices = np.array([item.power_uw.argmin() for item in items], np.uint32)
        pairs = list(zip(items, choices))
        power_uw = sum(int(item.power_uw[i]) for item, i in pairs)
        loss = sum(int(item.loss[i]) for item, i in pairs)
    return Budget(
        items=items,
        budget_uw=limit,
        base_uw=base,
        fits=found is not None,
        choices=frozen(np.array(choices, np.uint32)),
        power_uw=power_uw,
        loss=loss,
        exact=exact,
        bound_loss=bound,
        n_examined=examined,
        frontier_power_uw=frozen(np.array(frontier[:, 0], np.uint64)),
        frontier_loss=frozen(np.array(frontier[:, 1], np.uint64)),
    )
