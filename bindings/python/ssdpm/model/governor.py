# SPDX-License-Identifier: MIT
"""The modes of a power governor."""

from __future__ import annotations

from dataclasses import dataclass

from ssdpm import _core
from ssdpm.base.convert import check_word, watts_of
from ssdpm.base.values import Value


@dataclass(frozen=True, eq=False)
class GovernorMode(Value):
    """A mode of the power governor of Intel's data-centre drives.

    Attributes:
        mode: 0, 1 or 2; of an NVMe drive its power state.
        power_uw: what it may take on average; None: no limit.
    """

    mode: int
    power_uw: int | None

    @property
    def power_w(self) -> float | None:
        """power_uw in watts."""
        return watts_of(self.power_uw)


def governor_modes(form: str) -> tuple[GovernorMode, ...]:
    """The modes of a form of drive, as published for the DC P3700 and its family.

    Args:
        form: "pcie", "pcie-x8" (a card with two drives on it) or "sata", where mode 1
            is what is typical.

    Raises:
        ValueError: another form.
    """
    check_word(form, "form", _core.GOVERNOR_FORMS)
    modes = _core.governor_modes(_core.GOVERNOR_FORMS[form])
    return tuple(GovernorMode(*mode) for mode in modes)
