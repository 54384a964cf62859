# SPDX-License-Identifier: MIT
"""Policies side by side on one workload."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm._core import energy
from ssdpm.base.convert import by_number, check_text, check_words, takes
from ssdpm.base.errors import Error
from ssdpm.base.result import Json, Table, Value, Write, drawn, html_table, in_ms, in_mw
from ssdpm.device.machine import Device
from ssdpm.estimate.parameters import model_of
from ssdpm.estimate.result import Estimate, Likely, Run, Saving
from ssdpm.estimate.setup import Known, Setup, TableLike, end_number, said_by_machine
from ssdpm.estimate.simulation import estimate_from
from ssdpm.model.drive import Model
from ssdpm.policy.table import ApstTable
from ssdpm.workload.trace import TraceLike, record_arrays, source_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

_LPM_WORDS = by_number(_core.LPM)


@dataclass(frozen=True, eq=False)
class ComparedPolicy(Value):
    """One policy of a comparison.

    Attributes:
        names: of all policies that are the same table, at least one.
        estimate: what it costs.
        saving: against the first policy; all 0 for that one, and for a refused one.
        likely: what is likely of it; None: for the first one, for a refused one, and
            where nobody asked for it.
        refused: the port of the drive takes only the link policy of today, and this is
            another one. Or a quirk of Linux keeps the link awake.
    """

    names: tuple[str, ...]
    estimate: Estimate
    saving: Saving
    likely: Likely | None = None
    refused: bool = False

    def _saves(self) -> str:
        if self.refused:
            return "refused by Linux"
        return f"saves {self.saving}" if self.likely is None else str(self.likely)


def default_policies(model: Model | Device) -> tuple[str, ...]:
    """The policies that compare() looks at unless it is told; those of the command.

    NVMe: "linux", "linux-legacy", "windows:SCHEME:SOURCE", "lower-envelope", "none".
    SATA: the link policies of Linux, and "none". A device has "today" before these:
    what its machine does.
    """
    model, settings = model_of(model)
    today, *usual = energy.common_policies(_core.KINDS[str(model.kind)])
    reference = energy.reference_policy(
        model._handle, said_by_machine(model, settings)
    )
    return (today, *usual) if reference == today else tuple(usual)


def named_policies(
    policies: Mapping[str, Any] | Iterable[Any], name: str
) -> list[tuple[str, Any]]:
    """Policies with their names, or with one that says what they are."""
    if isinstance(policies, Mapping):
        for key in policies:
            check_text(key, f"{name}: the name of one")
        return list(policies.items())
    named = []
    for number, policy in enumerate(check_words(policies, name, "policies")):
        word = "none" if policy is None else f"table {number}"
        named.append((str(policy) if isinstance(policy, str) else word, policy))
    return named


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Table, Json):
    """Policies on the same workload; it is a sequence of ComparedPolicy.

    Attributes:
        policies: each table once, with all its names.
        skipped: names of policies that this drive cannot have, and why.
        advised: the name of the policy that likely saves most against the first, and
            keeps the delays within the default limits of tune(); None: none is, or
            nobody asked what is likely. Link policies that have lost data are not
            advised.
    """

    policies: tuple[ComparedPolicy, ...]
    skipped: dict[str, str]
    advised: str | None = None

    def __len__(self) -> int:
        """The number of different policies."""
        return len(self.policies)

    def __iter__(self) -> Iterator[ComparedPolicy]:
        return iter(self.policies)

    def __getitem__(self, key: str | SupportsIndex) -> ComparedPolicy:
        if not isinstance(key, str):
            return self.policies[key]
        for policy in self.policies:
            if key in policy.names:
                return policy
        raise KeyError(key)

    def to_records(self) -> npt.NDArray[np.void]:
        """A row for each policy, as for pandas.DataFrame.

        The columns: names, joined by ", ". Energy, mean power and saving as low,
        nominal and high. The likely saving, if it was asked for. The added latencies
        and counts of the nominal run.
        """
        rows = []
        for policy in self.policies:
            row: dict[str, Any] = {"names": ", ".join(policy.names)}
            estimate = policy.estimate
            for corner in ("low", "nominal", "high"):
                run: Run = getattr(estimate, corner)
                row[f"energy_{corner}_nj"] = run.energy_nj
                row[f"mean_power_{corner}_uw"] = run.mean_power_uw
                row[f"saving_{corner}_nj"] = getattr(policy.saving, f"{corner}_nj")
                row[f"saving_{corner}_uw"] = getattr(policy.saving, f"{corner}_uw")
            if any(one.likely for one in self.policies):
                # The first one saves nothing against itself, which is no verdict.
                row["verdict"] = policy.likely.verdict if policy.likely else ""
                if policy.refused:
                    row["verdict"] = "refused"
                for name in _LIKELY:
                    row[f"saving_likely_{name}"] = getattr(policy.likely, name, 0)
            for name in _COMPARED:
                row[name] = getattr(estimate.nominal, name)
            rows.append(row)
        dtype = [
            (name, _column([row[name] for row in rows], name))
            for name in (rows[0] if rows else {})
        ]
        return np.array([tuple(row.values()) for row in rows], dtype=dtype)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw mean power against mean added latency, and the frontier.

        Args:
            ax: where to; None: a new figure.

        Raises:
            ImportError: matplotlib is not installed.
        """
        return drawn("plot_comparison", self, ax)

    def __repr__(self) -> str:
        lines = [
            f"  {', '.join(p.names)}: {p.estimate._summary()}; {p._saves()}"
            for p in self.policies
        ]
        return "\n".join(["<ssdpm.Comparison", *lines]) + ">"

    def _repr_html_(self) -> str:
        columns = (
            "policy",
            "mean power (low..high)",
            "saving",
            "delayed",
            "mean delay",
            "p99",
            "max",
            "wakes",
        )
        rows = []
        for policy in self.policies:
            estimate, run = policy.estimate, policy.estimate.nominal
            low, high = estimate.low.mean_power_uw, estimate.high.mean_power_uw
            rows.append(
                (
                    ", ".join(policy.names),
                    f"{in_mw(run.mean_power_uw)} mW ({in_mw(low)}..{in_mw(high)})",
                    policy._saves(),
                    f"{100 * run.delayed_share:.3g} %",
                    f"{in_ms(run.delay_mean_ns)} ms",
                    f"{in_ms(run.delay_p99_ns)} ms",
                    f"{in_ms(run.delay_max_ns)} ms",
                    run.n_wakes,
                )
            )
        product = self.policies[0].estimate.model.product if self.policies else None
        return html_table(product or "unknown drive", columns, rows)


_COMPARED = (
    "n_wakes",
    "n_deepest",
    "deepest_per_day",
    "n_delayed",
    "delay_mean_ns",
    "delay_p50_ns",
    "delay_p99_ns",
    "delay_p999_ns",
    "delay_max_ns",
)


_LIKELY = ("low_nj", "median_nj", "high_nj", "low_uw", "median_uw", "high_uw")


def _column(values: list[Any], name: str) -> str:
    if isinstance(values[0], str):
        return f"U{max(len(value) for value in values)}"
    return "i8" if name.startswith("saving") else "u8"


@takes(Known, Setup)
def compare(
    model: Model | Device,
    trace: TraceLike,
    policies: Mapping[str, TableLike] | Iterable[TableLike] | None = None,
    *,
    loop: str = "closed",
    idle_from_start: bool = False,
    likely: bool = True,
    end_ns: SupportsIndex | None = None,
    **known: Unpack[Known],
) -> Comparison:
    """Estimate several policies on one workload, and what each saves against the first.

    The trace is read once. Policies that are the same table are taken together.

    Args:
        policies: names and what estimate() takes for a table (SATA: for lpm); or a list
            of these without names; None: default_policies(model), without those that
            this drive cannot have: they are in Comparison.skipped.
        likely: find what is likely of each saving, too.
        And as estimate().

    Raises:
        As estimate().
    """
    setup = Setup(
        model, loop=loop, idle_from_start=idle_from_start, likely=likely, **known
    )
    named = named_policies(
        default_policies(model) if policies is None else policies, "policies"
    )
    if not named:
        raise ValueError("policies: at least one is needed")
    comparison = energy.Comparison(
        setup.model._handle, setup.core(None), setup.machine()
    )
    added: list[tuple[str, Any]] = []
    skipped: dict[str, str] = {}
    for name, policy in named:
        try:
            setup.add(comparison, name, policy)
            added.append((name, policy))
        except Error as error:
            if policies is not None or len(skipped) + 1 == len(named):
                raise
            skipped[name] = str(error)
    for records in record_arrays(trace):
        comparison.feed(records)
    rows = comparison.finish(end_number(end_ns))
    names = setup.names(source_of(trace))

    def write_row(number: int) -> Write:
        return lambda: comparison.row_to_json(names, number, setup.background)

    result = Comparison(
        tuple(
            _compared(setup, number, rows, added, write_row(number))
            for number, row in enumerate(rows)
            if row[0] == number
        ),
        skipped,
        next((name for (name, _), row in zip(added, rows) if row[-1]), None),
    )
    return result._written_by(lambda: comparison.to_json(names))


def _compared(
    setup: Setup,
    number: int,
    rows: list[Any],
    added: list[tuple[str, Any]],
    write: Write,
) -> ComparedPolicy:
    """A row with the names of all that are the same; write its estimate."""
    _, table, lpm, found, saving, likely, refused, _ = rows[number]
    nvme = setup.model.kind == "nvme"
    sleeps = nvme and added[number][1] not in (None, "none")
    return ComparedPolicy(
        tuple(name for (name, _), row in zip(added, rows) if row[0] == number),
        estimate_from(
            setup,
            ApstTable._wrap(table) if sleeps else None,
            None if nvme else _LPM_WORDS.get(lpm),
            found,
        )._written_by(write),
        Saving(*saving),
        None if likely is None else Likely(*likely),
        refused,
    )
