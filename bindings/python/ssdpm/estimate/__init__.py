# SPDX-License-Identifier: MIT
"""The estimate: what a policy costs and saves on a workload.

Times are whole nanoseconds and energies sums of exact integers. What nobody knows of
a drive has a low, a nominal and a high value, and so has every result. ssdpm(7) has
the semantics, ssdpm_estimate(3) the rules for what is not known.
"""

from __future__ import annotations

from ssdpm.estimate.compare import ComparedPolicy, Comparison, compare, default_policies
from ssdpm.estimate.gaps import Gaps, clairvoyant, sweep
from ssdpm.estimate.parameters import Overlay, parameters
from ssdpm.estimate.recommend import (
    BestTable,
    Recommendation,
    Recommendations,
    best_table,
    recommend,
)
from ssdpm.estimate.result import PHASES, Estimate, change_dtype, interval_dtype
from ssdpm.estimate.run import Residency, Run, Saving
from ssdpm.estimate.setup import TableLike
from ssdpm.estimate.simulation import Simulation, estimate

__all__ = [
    "PHASES",
    "BestTable",
    "ComparedPolicy",
    "Comparison",
    "Estimate",
    "Gaps",
    "Overlay",
    "Recommendation",
    "Recommendations",
    "Residency",
    "Run",
    "Saving",
    "Simulation",
    "TableLike",
    "best_table",
    "change_dtype",
    "clairvoyant",
    "compare",
    "default_policies",
    "estimate",
    "interval_dtype",
    "parameters",
    "recommend",
    "sweep",
]
