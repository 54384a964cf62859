# SPDX-License-Identifier: MIT
"""A latency tolerance for a while: shown, set, checked, and undone.

The drive is nvme0. The argument, if there is one, is a capture, in which nothing is
changed that matters; without one, this machine is, and root is needed.
"""

from __future__ import annotations

import sys

import ssdpm

DEVICE = "nvme0"
MAX_EXIT_LATENCY_US = 25_000


def show(plan: ssdpm.Plan) -> None:
    for step in plan.steps:
        print(f"{step.device}: {step.before} -> {step.after} us, {step.state}")
    for table in plan.tables:
        if table.after is not None:
            used = {entry.target for entry in table.after.entries}
            print(f"{table.device}: will use {len(used)} states")


def main(root: str | None) -> None:
    with ssdpm.plan(root) as plan:
        plan.add_latency_tolerance(DEVICE, MAX_EXIT_LATENCY_US)
        plan.read()
        show(plan)
        plan.commit()
        plan.verify()
        show(plan)  # here one would measure
    show(plan)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit("usage: apply.py [CAPTURE]")
    main(sys.argv[1] if len(sys.argv) == 2 else None)
