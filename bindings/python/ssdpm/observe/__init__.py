# SPDX-License-Identifier: MIT
"""The causes of I/Os and wake-ups of drives, from trace events of Linux.

The caller starts the trace and reads it; an observation takes its lines::

    observation = observe.Observation()
    observation.add_drive(ssdpm.Model("drive.json"), "259:0")
    with open("trace.txt", "rb") as trace:
        for part in iter(lambda: trace.read(1 << 20), b""):
            observation.feed(part)
    observation.finish()
    for cause in observation.causes():
        print(cause)

Or watch() does all of that, on this machine, now::

    with observe.watch("nvme0", interval_s=10) as live:
        for interval in live:
            print(interval["n_wakes"])

ssdpm_observe(3) has the events, the settings of the trace, and the rules.
"""

from __future__ import annotations

from ssdpm.observe.live import DriveLike, Watch, watch
from ssdpm.observe.observation import (
    CAUSE_KINDS,
    EVENTS,
    HELP_KINDS,
    Cause,
    Causes,
    Help,
    Interval,
    Intervals,
    Observation,
    ObservationCounts,
    ObservedDrive,
    ObservedPower,
    Without,
)

__all__ = [
    "CAUSE_KINDS",
    "EVENTS",
    "HELP_KINDS",
    "Cause",
    "Causes",
    "DriveLike",
    "Help",
    "Interval",
    "Intervals",
    "Observation",
    "ObservationCounts",
    "ObservedDrive",
    "ObservedPower",
    "Watch",
    "Without",
    "watch",
]
