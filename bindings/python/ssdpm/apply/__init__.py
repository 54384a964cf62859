# SPDX-License-Identifier: MIT
"""Setting policies: a plan is shown, committed device by device, verified,
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
