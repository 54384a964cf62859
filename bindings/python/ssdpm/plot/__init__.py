# SPDX-License-Identifier: MIT
"""Drawing, with matplotlib where it is installed; the methods plot() come here."""

from __future__ import annotations

from ssdpm.plot.estimate import plot_comparison, plot_estimate, plot_stats
from ssdpm.plot.limits import (
    plot_budget,
    plot_cap_curve,
    plot_cap_timeline,
    plot_consistency,
    plot_ftl,
    plot_wa,
)
from ssdpm.plot.measure import (
    plot_activities,
    plot_calibration,
    plot_datasheet,
    plot_matrix,
    plot_proportionality,
    plot_sizes,
)
from ssdpm.plot.survey import plot_analysis, plot_survey

__all__ = [
    "plot_activities",
    "plot_analysis",
    "plot_budget",
    "plot_calibration",
    "plot_cap_curve",
    "plot_cap_timeline",
    "plot_comparison",
    "plot_consistency",
    "plot_datasheet",
    "plot_estimate",
    "plot_ftl",
    "plot_matrix",
    "plot_proportionality",
    "plot_sizes",
    "plot_stats",
    "plot_survey",
    "plot_wa",
]
