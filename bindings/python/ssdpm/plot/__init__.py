# SPDX-License-Identifier: MIT
"""Drawing, with matplotlib where it is installed; the methods plot() come here."""

from __future__ import annotations

from ssdpm.plot.calibration import plot_calibration
from ssdpm.plot.caps import plot_budget, plot_cap_curve, plot_cap_timeline
from ssdpm.plot.estimate import plot_comparison, plot_estimate, plot_stats
from ssdpm.plot.measure import (
    plot_activities,
    plot_datasheet,
    plot_matrix,
    plot_proportionality,
    plot_sizes,
)
from ssdpm.plot.survey import plot_analysis, plot_survey
from ssdpm.plot.writes import plot_consistency, plot_ftl, plot_wa

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
