# SPDX-License-Identifier: MIT
"""The measurement: from samples of power to energy, to what a drive does by itself,
and to a model that fits this drive.

Power is in watts, an array of float32 or float64 that is used as it is; times are
whole nanoseconds, or a rate::

    from ssdpm import measure

    print(measure.energy(power, rate_hz=20_000, tolerance=0.05))
    signal = measure.Signal(power, times=times)
    idle = measure.baseline(signal, window=(0, 1_000_000_000))
    runs = measure.activity(signal, idle)
    runs.plot()

Together with the I/Os of the same run::

    found = measure.calibrate(drive, trace, measure.read_power("watts.csv"))
    print(ssdpm.estimate(drive, other, measured=found))

A prediction first, and its measurement after::

    said = measure.predict(drive, trace)
    print(said.check(measure.energy(power, rate_hz=20_000)))

A study of drives, and a survey of policies::

    print(measure.classify_suite(pandas.read_csv("suite.csv")))
    measure.survey.read("survey.csv").analyse("idle").plot()

A pandas Series is recognised; its index has the times, if it is one of times.
ssdpm_measure(3) has the rules.
"""

from __future__ import annotations

from ssdpm.measure import survey
from ssdpm.measure.activity import (
    Activities,
    Activity,
    IdleWork,
    Tail,
    activity,
    idle_work,
    tail,
)
from ssdpm.measure.background import (
    Background,
    BackgroundClass,
    BackgroundRun,
    Experiment,
    Matrix,
    classify,
    classify_suite,
)
from ssdpm.measure.baseline import Baseline, Level, Sampling, baseline, sampling
from ssdpm.measure.calibrate import calibrate
from ssdpm.measure.calibration import (
    Calibration,
    Contradiction,
    Measured,
    MeasuredStatus,
    MeterTraits,
)
from ssdpm.measure.check import Prediction, PredictionCheck, predict
from ssdpm.measure.energy import Energy, Integral, change_points, energy, steady_state
from ssdpm.measure.profile import (
    DatasheetComparison,
    DatasheetRun,
    ProportionalityCurve,
    SizeLevel,
    SizeProfile,
    SizeRun,
    against_datasheet,
    proportionality,
    proportionality_curve,
    size_profile,
)
from ssdpm.measure.signal import (
    PowerCounts,
    PowerIterator,
    Signal,
    SignalLike,
    iter_power,
    read_power,
)
from ssdpm.measure.state import IdleState, StatePower, idle_state
from ssdpm.measure.trial import TRIAL_DECISIONS, Trial, TrialBlock, TrialState

__all__ = [
    "TRIAL_DECISIONS",
    "Activities",
    "Activity",
    "Background",
    "BackgroundClass",
    "BackgroundRun",
    "Baseline",
    "Calibration",
    "Contradiction",
    "DatasheetComparison",
    "DatasheetRun",
    "Energy",
    "Experiment",
    "IdleState",
    "IdleWork",
    "Integral",
    "Level",
    "Matrix",
    "Measured",
    "MeasuredStatus",
    "MeterTraits",
    "PowerCounts",
    "PowerIterator",
    "Prediction",
    "PredictionCheck",
    "ProportionalityCurve",
    "Sampling",
    "Signal",
    "SignalLike",
    "SizeLevel",
    "SizeProfile",
    "SizeRun",
    "StatePower",
    "Tail",
    "Trial",
    "TrialBlock",
    "TrialState",
    "activity",
    "against_datasheet",
    "baseline",
    "calibrate",
    "change_points",
    "classify",
    "classify_suite",
    "energy",
    "idle_state",
    "idle_work",
    "iter_power",
    "predict",
    "proportionality",
    "proportionality_curve",
    "read_power",
    "sampling",
    "size_profile",
    "steady_state",
    "survey",
    "tail",
]
