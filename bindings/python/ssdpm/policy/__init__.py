# SPDX-License-Identifier: MIT
"""The policy: the APST table that an algorithm makes for a drive, and why.

APST (Autonomous Power State Transition, NVMe feature 0Ch) tells a drive for each
power state: after this much idle time, go to that state.
"""
