# SPDX-License-Identifier: MIT
"""Power states and power policies of SSDs.

Three steps, each one a value that never changes::

    model = ssdpm.Model("drive.json")        # what the drive says of itself
    table = ssdpm.apst(model)                # the APST table Linux makes of it
    for verdict in table.explain():          # and why
        print(verdict.state, verdict.verdict, verdict.reason)

The unit is part of each name: ``_us`` microseconds, ``_ms`` milliseconds, ``_uw``
microwatts, all exact integers; ``_w`` watts, a float made from them. ``None`` is a
value that nobody knows; it is never 0.

Nothing here opens a drive or changes one.
"""

from __future__ import annotations

from ssdpm import _core
from ssdpm.base import (
    Error,
    FormatError,
    InvalidError,
    NotFoundError,
    RangeError,
    TooLargeError,
    UnknownValueError,
    UnsupportedError,
)
from ssdpm.model import (
    Catalogue,
    CatalogueMatch,
    CatalogueRow,
    Finding,
    Model,
    PowerState,
    SataLink,
    load,
    power_state_dtype,
)
from ssdpm.policy import (
    APST_DEFAULTS,
    Algorithm,
    ApstDifference,
    ApstEntry,
    ApstParameters,
    ApstTable,
    Host,
    PowerScheme,
    PowerSource,
    Quirk,
    QuirkMatch,
    Quirks,
    Reached,
    Verdict,
    VerdictKind,
    apst,
    apst_entry_dtype,
    infer,
    keep,
    load_apst,
    quirks,
    reach,
)

__version__: str = _core.version()

__all__ = [
    "APST_DEFAULTS",
    "Algorithm",
    "ApstDifference",
    "ApstEntry",
    "ApstParameters",
    "ApstTable",
    "Catalogue",
    "CatalogueMatch",
    "CatalogueRow",
    "Error",
    "Finding",
    "FormatError",
    "Host",
    "InvalidError",
    "Model",
    "NotFoundError",
    "PowerScheme",
    "PowerSource",
    "PowerState",
    "Quirk",
    "QuirkMatch",
    "Quirks",
    "RangeError",
    "Reached",
    "SataLink",
    "TooLargeError",
    "UnknownValueError",
    "UnsupportedError",
    "Verdict",
    "VerdictKind",
    "__version__",
    "apst",
    "apst_entry_dtype",
    "infer",
    "keep",
    "load",
    "load_apst",
    "power_state_dtype",
    "quirks",
    "reach",
]
