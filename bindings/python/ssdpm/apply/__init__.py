# SPDX-License-Identifier: MIT
"""Setting policies: a plan is shown, committed as a whole or not at all, verified,
and undone.

A plan in a with block is a policy for a while, as for a measurement::

    with ssdpm.plan() as plan:
        plan.add_latency_tolerance("nvme0", 25_000)
        plan.read()
        print(plan)                 # what will be written, and why
        plan.commit()
        measure()
    # here everything is as it was, unless plan.keep() was called
"""

from __future__ import annotations

from ssdpm.apply.journal import read_journal, recover, revert
from ssdpm.apply.persist import (
    Persist,
    PersistFile,
    PersistPower,
    persist,
    remove_persist,
)
from ssdpm.apply.plan import Plan, Settings, Target, plan
from ssdpm.apply.report import ReportItem, report
from ssdpm.apply.steps import Journal, PlannedTable, Step, StepValue

__all__ = [
    "Journal",
    "Persist",
    "PersistFile",
    "PersistPower",
    "Plan",
    "PlannedTable",
    "ReportItem",
    "Settings",
    "Step",
    "StepValue",
    "Target",
    "persist",
    "plan",
    "read_journal",
    "recover",
    "remove_persist",
    "report",
    "revert",
]
