# SPDX-License-Identifier: MIT
"""The estimate: what a policy costs and saves on a workload.

Times are whole nanoseconds and energies sums of exact integers. Unknown numbers of
a drive have a low, a nominal and a high value, and so has every result. ssdpm(7) has
the semantics, ssdpm_estimate(3) the rules for what is not known.
"""
