# SPDX-License-Identifier: MIT
"""The survey: which policy is best on this machine.

Runs in a random order, the mean of each with the noise it really has, and all pairs of
policies held against each other::

    from ssdpm.measure import survey

    plan = survey.schedule(["max_performance", "med_power_with_dipm"], seed=1)
    runs = []
    for step in plan:
        ...  # set step.policy, settle, take readings until step.end_ns
        summary = survey.summarise(readings, rate_hz=1 / 3)
        runs.append(survey.Run.from_summary(step, summary))
    found = survey.analyse(runs)
    print(found)
    found.plot()

What `ssdpm measure survey` has written is read in one call::

    survey.read("survey.csv").analyse("idle").plot()

Policies, scenarios and drives are named as the caller likes. ssdpm_survey(3) has the
methods.
"""

from __future__ import annotations

from ssdpm.measure.survey.analysis import (
    Analysis,
    Difference,
    Mean,
    Run,
    analyse,
    range_p,
    range_q,
)
from ssdpm.measure.survey.judge import (
    Detectable,
    Judgement,
    Noise,
    Stated,
    Verdict,
    detectable,
    judge,
)
from ssdpm.measure.survey.merge import (
    Merge,
    Merged,
    MergedDifference,
    MergedSurvey,
    Result,
    merge,
    merge_surveys,
)
from ssdpm.measure.survey.readings import (
    Advice,
    FioRun,
    Readings,
    RunStatus,
    Survey,
    read,
)
from ssdpm.measure.survey.schedule import (
    Schedule,
    Step,
    Summary,
    Trend,
    schedule,
    summarise,
)

__all__ = [
    "Advice",
    "Analysis",
    "Detectable",
    "Difference",
    "FioRun",
    "Judgement",
    "Mean",
    "Merge",
    "Merged",
    "MergedDifference",
    "MergedSurvey",
    "Noise",
    "Readings",
    "Result",
    "Run",
    "RunStatus",
    "Schedule",
    "Stated",
    "Step",
    "Summary",
    "Survey",
    "Trend",
    "Verdict",
    "analyse",
    "detectable",
    "judge",
    "merge",
    "merge_surveys",
    "range_p",
    "range_q",
    "read",
    "schedule",
    "summarise",
]
