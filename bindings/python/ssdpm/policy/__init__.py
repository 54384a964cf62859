# SPDX-License-Identifier: MIT
"""The policy: the APST table that an algorithm makes for a drive, and why.

APST (Autonomous Power State Transition, NVMe feature 0Ch) tells a drive for each
power state: after this much idle time, go to that state.
"""

from __future__ import annotations

from ssdpm.policy.inverse import Inferred, Reached, infer, keep, reach
from ssdpm.policy.parameters import APST_DEFAULTS, ApstParameters
from ssdpm.policy.profiles import ProfileSettings, profile, profiles
from ssdpm.policy.quirks import Host, QuirkMatch, Quirks, quirks
from ssdpm.policy.table import (
    ApstDifference,
    ApstDifferences,
    ApstEntry,
    ApstTable,
    Verdict,
    apst,
    apst_entry_dtype,
    load_apst,
)
from ssdpm.policy.words import Algorithm, PowerScheme, PowerSource, Quirk, VerdictKind

__all__ = [
    "APST_DEFAULTS",
    "Algorithm",
    "ApstDifference",
    "ApstDifferences",
    "ApstEntry",
    "ApstParameters",
    "ApstTable",
    "Host",
    "Inferred",
    "PowerScheme",
    "PowerSource",
    "ProfileSettings",
    "Quirk",
    "QuirkMatch",
    "Quirks",
    "Reached",
    "Verdict",
    "VerdictKind",
    "apst",
    "apst_entry_dtype",
    "infer",
    "keep",
    "load_apst",
    "profile",
    "profiles",
    "quirks",
    "reach",
]
