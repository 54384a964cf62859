# SPDX-License-Identifier: MIT
"""The model: what an SSD says of its power states, as exact integers."""

from __future__ import annotations

from ssdpm.model.drive import (
    Catalogue,
    CatalogueMatch,
    CatalogueRow,
    Finding,
    Model,
    load,
)
from ssdpm.model.governor import GovernorMode, governor_modes
from ssdpm.model.sata import SataLink
from ssdpm.model.source import Source
from ssdpm.model.states import PowerState, power_state_dtype

__all__ = [
    "Catalogue",
    "CatalogueMatch",
    "CatalogueRow",
    "Finding",
    "GovernorMode",
    "Model",
    "PowerState",
    "SataLink",
    "Source",
    "governor_modes",
    "load",
    "power_state_dtype",
]
