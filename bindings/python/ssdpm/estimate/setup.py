# SPDX-License-Identifier: MIT
"""What all simulations of one drive share."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from typing import Any, SupportsIndex, TypedDict, Union

from ssdpm import _core
from ssdpm._core import energy
from ssdpm.base.convert import check_bool, check_spare, check_word, unsigned_or_zero
from ssdpm.base.errors import InvalidError, UnsupportedError
from ssdpm.device.facts import DeviceSettings
from ssdpm.device.machine import Device
from ssdpm.estimate.parameters import (
    BackgroundWork,
    Overlay,
    link_of,
    model_of,
    parameters_and_work,
)
from ssdpm.model.drive import Model
from ssdpm.parameter import Parameter, check_parameters
from ssdpm.policy.parameters import Algorithm, quirk_bits
from ssdpm.policy.table import ApstTable, table_name
from ssdpm.workload.trace import CountNumbers

TableLike = Union[ApstTable, Algorithm, str, None]
"""A table, a word for one ("linux", "windows:balanced:battery"), "today", which a
device has, "auto", which is that or what Linux does by default, or None: the drive
never sleeps."""

Fed = tuple["str | None", "CountNumbers | None"]
"""Of source_of()."""

DEFAULT_TABLE = "auto"


class Known(TypedDict, total=False):
    """The parameters of a drive, for each simulation of it; see estimate()."""

    pcie_link: str | None
    parameters: Iterable[Parameter] | None
    measured: Overlay | None
    spare: float | None


class RunOptions(Known, total=False):
    """And how one policy is simulated."""

    loop: str
    lpm: str | None
    idle_from_start: bool


class Options(RunOptions, total=False):
    """And what is found of it."""

    likely: bool
    interval_ns: SupportsIndex | None


_APST_QUIRKS = ("no-apst", "no-deepest-ps")
_NO_TABLE = bytes(_core.APST_BYTES)


def said_by_machine(
    model: Model, settings: DeviceSettings | None
) -> tuple[Any, ...] | None:
    """The link policy, table and quirks that the machine of a device has."""
    if settings is None:
        return None
    lpm, table, quirks = settings.lpm, settings.apst, settings.quirks
    return (
        None if quirks is None else quirk_bits(model, quirks, _core.ALGORITHMS["linux"]),
        0 if lpm is None else _core.LPM[lpm],
        None if table is None else table._handle,
        settings.left_alone,
        settings.refused,
    )


class Setup:
    """The arguments that all simulations have in common, checked."""

    def __init__(
        self,
        model: Model | Device,
        *,
        loop: str = "closed",
        lpm: str | None = None,
        pcie_link: str | None = "auto",
        parameters: Iterable[Parameter] | None = None,
        measured: Overlay | None = None,
        spare: float | None = None,
        idle_from_start: bool = False,
        likely: bool = False,
        interval_ns: SupportsIndex | None = None,
    ) -> None:
        self.model, self.settings = model_of(model)
        model = self.model
        self.pcie_link = link_of(pcie_link, self.settings)
        self.loop = check_word(loop, "loop", _core.energy.LOOPS)
        self.background: BackgroundWork | None = None
        if parameters is None:
            self.parameters, self.background = parameters_and_work(
                model, self.pcie_link, measured, spare
            )
        elif spare is not None:
            raise ValueError(
                "parameters, spare: one of both is needed, not both: pass "
                "parameters=ssdpm.parameters(model, spare=spare, ...)"
            )
        elif measured is not None:
            raise ValueError(
                "parameters, measured: one of both is needed, not both: pass "
                "parameters=ssdpm.parameters(model, measured=measured, ...)"
            )
        else:
            self.parameters = check_parameters(parameters)
        if not self.parameters:
            raise InvalidError(errno.EINVAL, "parameters: there is none")
        self.spare_ppm = 0 if spare is None else round(check_spare(spare) * 1e6)
        if lpm is not None and model.kind != "sata":
            raise InvalidError(
                errno.EINVAL, "lpm: a link policy is for SATA drives, this is none"
            )
        if lpm is None and model.kind == "sata":
            usual = energy.reference_policy(model._handle, self.machine())
            lpm = self.settings.lpm if self.settings else usual
        self.lpm = None if lpm is None else check_word(lpm, "lpm", _core.LPM)
        self.flags = 0
        if check_bool(idle_from_start, "idle_from_start"):
            self.flags |= _core.energy.SIM_IDLE_FROM_START
        if check_bool(likely, "likely"):
            self.flags |= _core.energy.SIM_LIKELY
        self.interval_ns = unsigned_or_zero(interval_ns, "interval_ns", 2**64 - 1)

    def table(self, table: TableLike, name: str = "table") -> ApstTable | None:
        if self.model.kind != "nvme":
            if table is None or table in (DEFAULT_TABLE, "linux"):
                return None
            raise UnsupportedError(
                errno.EOPNOTSUPP, "table: a SATA drive has none; lpm is its policy"
            )
        if table is None or isinstance(table, ApstTable):
            return table
        if isinstance(table, str) and table.isascii() and table.isprintable():
            made = energy.table_of_word(
                self.model._handle, str(table), self.core(None), self.machine()
            )
            if made is not None:
                return ApstTable._wrap(made)
        # What is left is "none", or wrong.
        self._check_word(table, name)
        return None

    def _check_word(self, policy: object, name: str) -> None:
        today, *words = energy.common_policies(_core.KINDS[str(self.model.kind)])
        check_word(policy, name, [*words, "windows", today, "auto"])

    def add(self, comparison: energy.Comparison, name: str, policy: TableLike) -> None:
        """A row of a comparison: a table, or a word for a policy."""
        if isinstance(policy, ApstTable):
            comparison.add(name, policy._handle)
            return
        word = "none" if policy is None else policy
        valid = isinstance(word, str) and word.isascii() and word.isprintable()
        if not valid or not comparison.add(name, str(word)):
            self._check_word(word, "policies")

    def named(self, table: TableLike) -> TableLike:
        """The table for "auto"."""
        if not isinstance(table, str) or table != "auto":
            return table
        return energy.reference_policy(self.model._handle, self.machine())

    def table_or_none(self, table: TableLike, name: str) -> ApstTable:
        """The same where C wants a table: None is one without entries."""
        found = self.table(table, name)
        return (
            ApstTable.from_bytes(_NO_TABLE, enabled=False) if found is None else found
        )

    def quirks(self) -> list[str] | str:
        """Those that the machine of a device says, else those of Linux."""
        if self.settings is None or self.settings.quirks is None:
            return "auto"
        return [str(q) for q in self.settings.quirks if str(q) in _APST_QUIRKS]

    def machine(self) -> tuple[Any, ...] | None:
        """The link policy, table and quirks that the machine of a device has."""
        return said_by_machine(self.model, self.settings)

    def core(self, table: ApstTable | None, state: int = 0) -> _core.energy.SimParams:
        return _core.energy.SimParams(
            [one._tuple() for one in self.parameters],
            None if table is None else table._handle,
            0 if self.lpm is None else _core.LPM[self.lpm],
            _core.energy.LOOPS[self.loop],
            self.flags,
            state,
            self.interval_ns,
            0 if self.pcie_link is None else energy.PCIE_LINKS[self.pcie_link],
        )

    def names(self, fed: Fed) -> tuple[Any, ...]:
        """Names in JSON: the drive, the trace, what the reader met, spare_ppm."""
        return (self.model.name or self.model.product, *fed, self.spare_ppm)

    def word(self, table: TableLike) -> str | None:
        """What JSON calls the policy of estimate()."""
        if self.model.kind != "nvme":
            return self.lpm
        if isinstance(table, ApstTable):
            return table_name(table) or None
        if table is None:
            return "none"
        return energy.policy_word(str(self.named(table)))

    def policy_words(self, table: TableLike, *, names_file: bool = True) -> str:
        """What files of a run call the policy: its word, and what it does."""
        if self.lpm is not None:
            return self.lpm
        word = self.word(table) or ""
        if not names_file and isinstance(table, ApstTable) and table._name:
            word = "table"
        return self.table_or_none(self.table(table), "table")._handle.words(word)


def end_number(end_ns: SupportsIndex | None) -> int:
    """None: the trace ends with its last I/O."""
    return unsigned_or_zero(end_ns, "end_ns", 2**64 - 1)
