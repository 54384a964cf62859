# SPDX-License-Identifier: MIT
"""What all simulations of one drive share."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from typing import SupportsIndex, Union

from ssdpm import _core
from ssdpm._core import energy
from ssdpm.base.convert import (
    check_bool,
    check_word,
    unsigned_or_zero,
    words_of,
)
from ssdpm.base.errors import InvalidError, UnsupportedError
from ssdpm.device.machine import Device
from ssdpm.estimate.parameters import Overlay, link_of, model_of
from ssdpm.estimate.parameters import parameters as parameters_of
from ssdpm.model.drive import Model
from ssdpm.parameter import Parameter, check_parameters
from ssdpm.policy.quirks import quirk_bits
from ssdpm.policy.table import ApstTable
from ssdpm.policy.words import Algorithm, Quirk

TableLike = Union[ApstTable, Algorithm, str, None]
"""A table, a word for one ("linux", "windows:balanced:battery"), "today", which a
device has, "auto", which is that or what Linux does by default, or None: the drive
never sleeps."""

DEFAULT_TABLE = "auto"
DEFAULT_LPM = "med_power_with_dipm"
_NO_TABLE = bytes(_core.APST_BYTES)


def _table(
    model: Model,
    table: TableLike,
    params: energy.SimParams,
    quirks: Iterable[Quirk | str] | str = "auto",
    name: str = "table",
) -> ApstTable | None:
    """A table of what estimate() takes for one; words are the library's."""
    if table is None or isinstance(table, ApstTable):
        return table
    today, *words = energy.common_policies(_core.KINDS["nvme"])
    if isinstance(table, str) and table.isascii() and table.isprintable():
        bits = quirk_bits(model, quirks, _core.ALGORITHMS["linux"])
        made = energy.table_of_word(model._handle, str(table), params, bits)
        if made is not None:
            return ApstTable._wrap(made)
    # What is left is "none", or wrong.
    check_word(table, name, [*words, "windows", today, "auto"])
    return None


def _apst_quirks(quirks: Iterable[Quirk]) -> list[str]:
    return [str(one) for one in quirks if str(one) in ("no-apst", "no-deepest-ps")]


class Setup:
    """What all that is simulated has in common, checked."""

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
        interval_ns: SupportsIndex | None = None,
    ) -> None:
        self.model, self.settings = model_of(model)
        model = self.model
        self.pcie_link = link_of(pcie_link, self.settings)
        self.loop = check_word(loop, "loop", _core.energy.LOOPS)
        if parameters is None:
            self.parameters = parameters_of(model, self.pcie_link, measured, spare)
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
        if lpm is not None and model.kind != "sata":
            raise InvalidError(
                errno.EINVAL, "lpm: a link policy is for SATA drives, this is none"
            )
        if lpm is None and model.kind == "sata":
            lpm = self.settings.lpm if self.settings else DEFAULT_LPM
        self.lpm = None if lpm is None else check_word(lpm, "lpm", _core.LPM)
        self.flags = 0
        if check_bool(idle_from_start, "idle_from_start"):
            self.flags |= _core.energy.SIM_IDLE_FROM_START
        self.interval_ns = unsigned_or_zero(interval_ns, "interval_ns", 2**64 - 1)

    def today(self) -> ApstTable | None:
        """The table that the machine of a device has, if it says so."""
        return None if self.settings is None else self.settings.apst

    def table(self, table: TableLike, name: str = "table") -> ApstTable | None:
        if self.model.kind == "nvme":
            table = self.named(table)
            if isinstance(table, str) and table == "today":
                table = self._known_today()
            return _table(self.model, table, self.core(None), self.quirks(), name)
        if table is None or table in (DEFAULT_TABLE, "linux"):
            return None
        raise UnsupportedError(
            errno.EOPNOTSUPP, "table: a SATA drive has none; lpm is its policy"
        )

    def named(self, table: TableLike) -> TableLike:
        """What "auto" is here."""
        if not isinstance(table, str) or table != "auto":
            return table
        return "today" if self.today() else "linux"

    def _known_today(self) -> ApstTable:
        today = self.today()
        if today is None:
            raise UnsupportedError(
                errno.EOPNOTSUPP, "today: only a device has it, whose machine says so"
            )
        return today

    def table_or_none(self, table: TableLike, name: str) -> ApstTable:
        """The same where C wants a table: None is one without entries."""
        found = self.table(table, name)
        return (
            ApstTable.from_bytes(_NO_TABLE, enabled=False) if found is None else found
        )

    def quirks(self) -> Iterable[Quirk | str] | str:
        """Those that the machine of a device says, else those of Linux."""
        if self.settings is None or self.settings.quirks is None:
            return "auto"
        return _apst_quirks(self.settings.quirks)

    def core(self, table: ApstTable | None, state: int = 0) -> _core.energy.SimParams:
        return _core.energy.SimParams(
            [one._tuple() for one in self.parameters],
            None if table is None else table._handle,
            0 if self.lpm is None else _core.LPM[self.lpm],
            _core.energy.LOOPS[self.loop],
            self.flags,
            state,
            self.interval_ns,
        )


def end_number(end_ns: SupportsIndex | None) -> int:
    """None: the trace ends with its last I/O."""
    return unsigned_or_zero(end_ns, "end_ns", 2**64 - 1)
