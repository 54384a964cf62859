# SPDX-License-Identifier: MIT
"""Write amplification: what garbage collection adds to the writes of a host.

By formula, from the spare factor, the share of the flash that holds no data::

    from ssdpm import wa

    wa.calculate(0.07)                           # 7.32: even writes, FIFO
    wa.classes(0.07, [(0.2, 0.8), (0.8, 0.2)])   # 7.68: 80 % of them to 20 %
    wa.calculate(wa.trim(0.07, 0.1))             # one request in ten is TRIM
    wa.curve().plot()

``ssdpm.ftl`` simulates it. The argument spare, as of
ssdpm.estimate(), has its effect on an estimate. ssdpm_writes(3) has the formulas.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.arrays import frozen
from ssdpm.base.convert import (
    check_float,
    check_instance,
    check_list,
    check_measured_wa,
    check_spare,
    check_unsigned,
    check_word,
    check_words,
    number_of,
)
from ssdpm.base.errors import InvalidError, RangeError
from ssdpm.base.result import Scaled, Value, drawn
from ssdpm.estimate.parameters import parameters as find
from ssdpm.model.drive import Model
from ssdpm.parameter import Parameter, check_parameters

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "FORMULAS",
    "Background",
    "ClassesLike",
    "Curve",
    "Nand",
    "WriteCost",
    "background",
    "calculate",
    "classes",
    "curve",
    "spare_of",
    "trim",
    "write_cost",
]

FORMULAS: tuple[str, ...] = tuple(_core.energy.WA_FORMULAS)
"""Of even writes, by what is erased: "random", any block; "fifo", the block written
longest ago; "greedy", the one with the fewest valid pages; "agarwal", the same, older
and too low."""

ClassesLike = Iterable[Sequence[float]]
"""Pairs of a share of all addresses and of all writes; both come to 1."""


def check_classes(classes: ClassesLike) -> list[tuple[float, float]]:
    """Pairs of numbers; the library looks at the sums."""
    result = []
    pairs = check_list(classes, "classes", "(address_share, write_share)")
    for number, one in enumerate(pairs):
        if len(check_list(one, f"classes[{number}]", "two shares")) != 2:
            raise ValueError(
                f"classes[{number}]: (address_share, write_share) is needed"
            )
        address, write = (check_float(x, f"classes[{number}]") for x in one)
        result.append((address, write))
    return result


def _pages(formula: str, pages_per_block: SupportsIndex | None) -> int:
    if formula != "greedy":
        if pages_per_block is not None:
            raise InvalidError(
                errno.EINVAL, f"pages_per_block: the formula {formula!r} has none"
            )
        return 0
    if pages_per_block is None:
        raise InvalidError(errno.EINVAL, 'pages_per_block: "greedy" needs it')
    return check_unsigned(pages_per_block, "pages_per_block", 2**32 - 1)


def calculate(
    spare: float, formula: str = "fifo", pages_per_block: SupportsIndex | None = None
) -> float:
    """Write amplification of even (uniform random) writes, by a formula.

    Args:
        spare: the share of the flash that holds no data, above 0 and below 1; see
            spare_of().
        formula: one of FORMULAS.
        pages_per_block: of "greedy", 2 to 65536; others have none.

    Raises:
        RangeError: the spare factor, or beyond what the formula is valid for.
        InvalidError: pages_per_block is missing, or is for another formula.
    """
    number = _core.energy.WA_FORMULAS[check_word(formula, "formula", FORMULAS)]
    pages = _pages(formula, pages_per_block)
    return _core.energy.wa_calculate(number, check_spare(spare), pages)


def classes(spare: float, classes: ClassesLike) -> float:
    """Write amplification where some addresses are written more often, FIFO.

    Args:
        spare: as for calculate().
        classes: (share of all addresses, share of all writes) of each:
            [(0.2, 0.8), (0.8, 0.2)].

    Raises:
        InvalidError: shares below 0, or that do not come to 1.
        RangeError: the spare factor.
    """
    return _core.energy.wa_calculate_classes(check_spare(spare), check_classes(classes))


def trim(spare: float, share: float) -> float:
    """The spare factor that TRIM makes.

    Args:
        spare: without it.
        share: of requests that are TRIM, 0 or more and below 0.5; the others write.

    Raises:
        RangeError: beyond these.
    """
    return _core.energy.spare_factor_trim(
        check_spare(spare), check_float(share, "share")
    )


def spare_of(flash: float, data: float, parity: float = 0.0) -> float:
    """The spare factor of a drive.

    Args:
        flash: all of it, in any unit.
        data: how much of that the host may write, in the same unit.
        parity: the share of the flash that parity takes: it is not spare.

    Raises:
        RangeError: nothing is spare, or all of it.
    """
    whole = check_float(flash, "flash")
    if not whole > 0:
        raise RangeError(errno.ERANGE, f"flash: {flash} is not above 0")
    used = check_float(data, "data") / whole + check_float(parity, "parity")
    return check_spare(1 - used, "flash, data, parity: their spare factor")


@dataclass(frozen=True, eq=False)
class Nand(Value):
    """What a byte costs inside of a drive.

    Attributes:
        link_pj: pJ for each byte of the host.
        program_pj: for each byte that is programmed.
        read_pj: for each byte that is read to be moved.
        erase_pj: for each byte of a block that is erased.
        program_bytes_per_s: of all flash together; None: without limit.
        read_bytes_per_s: likewise.
    """

    link_pj: float = 0.0
    program_pj: float = 0.0
    read_pj: float = 0.0
    erase_pj: float = 0.0
    program_bytes_per_s: float | None = None
    read_bytes_per_s: float | None = None

    def _numbers(self) -> list[float]:
        return [
            0.0 if value is None else check_float(value, f"nand.{name}")
            for name, value in vars(self).items()
        ]


@dataclass(frozen=True, eq=False)
class WriteCost(Value):
    """The work for each byte that the host writes.

    Attributes:
        byte_pj: link + WA (program + erase) + (WA - 1) read.
        bytes_per_s: what the flash keeps up with; infinite: it has no limit.
    """

    byte_pj: float
    bytes_per_s: float


def write_cost(nand: Nand, wa: float) -> WriteCost:
    """What write amplification does to a byte.

    Args:
        nand: what bytes cost.
        wa: 1 or more.

    Raises:
        InvalidError: numbers below 0, or not finite.
    """
    numbers = check_instance(nand, "nand", Nand)._numbers()
    return WriteCost(*_core.energy.write_cost(numbers, check_float(wa, "wa")))


@dataclass(frozen=True, eq=False)
class Background(Value):
    """The work of a drive for the writes of the host, as another state.

    Attributes:
        low_wa: 1, that of writes in sequence.
        nominal_wa: of even writes, "fifo".
        high_wa: of a drive that collects any block, "random".
        low_ps_per_byte, nominal_ps_per_byte, high_ps_per_byte: picoseconds of work
            for each byte of the host after the drive has that.
        power_uw: all that the drive takes while it does it; nominal.
    """

    low_wa: float
    nominal_wa: float
    high_wa: float
    low_ps_per_byte: int
    nominal_ps_per_byte: int
    high_ps_per_byte: int
    power_uw: int

    power_w = Scaled[float]("power_uw")

    def time_s(self, n_bytes: float) -> float:
        """How long it takes after so many bytes of the host; nominal."""
        return check_float(n_bytes, "n_bytes") * self.nominal_ps_per_byte / 1e12


def background(
    model: Model,
    spare: float,
    parameters: Iterable[Parameter] | None = None,
    measured_wa: float = 1.0,
) -> Background:
    """The work behind the writes of a drive whose spare factor is known.

    Args:
        model: the drive.
        spare: as for calculate().
        parameters: what is known of it, without spare; None: ssdpm.parameters(model).
        measured_wa: write amplification at which its writes were measured.

    Raises:
        RangeError: the spare factor; measured_wa is more than that gives.
    """
    handle = check_instance(model, "model", Model)._handle
    known = find(model) if parameters is None else parameters
    _, numbers = _core.energy.parameters_set_spare(
        handle,
        [one._tuple() for one in check_parameters(known)],
        check_spare(spare),
        check_measured_wa(measured_wa),
    )
    return Background(*numbers)


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Value):
    """Write amplification over the spare factor.

    Attributes:
        spare: ascending.
        wa: of each formula; NaN where it is not valid.
        pages_per_block: of "greedy".
    """

    spare: npt.NDArray[np.float64]
    wa: dict[str, npt.NDArray[np.float64]]
    pages_per_block: int

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        ends = f"{self.spare[0]:.4g}..{self.spare[-1]:.4g}" if len(self.spare) else "-"
        return (
            f"<ssdpm.wa.Curve of {', '.join(self.wa)} at {len(self.spare)} spare "
            f"factors, {ends}>"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw it.

        Args:
            ax: where to; None: a new figure.

        Raises:
            ImportError: matplotlib is not installed.
        """
        return drawn("plot_wa", self, ax)


def curve(
    spare: Iterable[float] | None = None,
    formulas: Iterable[str] = FORMULAS,
    pages_per_block: SupportsIndex = 64,
) -> Curve:
    """Write amplification by several formulas, over the spare factor.

    Args:
        spare: some spare factors; None: 100 from 0.02 to 0.5.
        formulas: some of FORMULAS.
        pages_per_block: of "greedy".

    Raises:
        RangeError: a spare factor that is none. Where only a formula is not valid, its
            value is NaN.
    """
    spares = np.sort(
        np.geomspace(0.02, 0.5, 100)
        if spare is None
        else np.array(
            [check_spare(one) for one in check_list(spare, "spare", "numbers")]
        )
    )
    pages = check_unsigned(pages_per_block, "pages_per_block", 65536, 2)
    found = {}
    for formula in check_words(formulas, "formulas"):
        number = number_of(formula, "formulas", _core.energy.WA_FORMULAS)
        values = np.array([_or_nan(number, float(one), pages) for one in spares])
        found[formula] = frozen(values)
    return Curve(frozen(spares), found, pages)


def _or_nan(formula: int, spare: float, pages: int) -> float:
    try:
        return _core.energy.wa_calculate(formula, spare, pages)
    except RangeError:
        return float("nan")
