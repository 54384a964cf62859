# SPDX-License-Identifier: MIT
"""What the APST table of Linux costs on a workload: energy with its bounds, time in
each state, added latency.

The argument is a file with one drive: what "nvme id-ctrl --raw-binary" writes, or
ssdpm's JSON. The workload is made; ssdpm.read_trace() reads one.
"""

import sys

import ssdpm

N_IOS = 10_000
MEAN_IDLE_NS = 200_000_000
SERVICE_NS = 100_000
NJ_PER_MJ = 1_000_000
NS_PER_MS = 1_000_000
NS_PER_US = 1_000


def main(path: str) -> None:
    model = ssdpm.Model(path)
    trace = ssdpm.generate(
        "lomax", n_ios=N_IOS, mean_idle_ns=MEAN_IDLE_NS, service_ns=SERVICE_NS
    )
    estimate = ssdpm.estimate(model, trace)
    run = estimate.nominal
    print(model.product or "")
    low_nj, high_nj = estimate.low.energy_nj, estimate.high.energy_nj
    print(
        f"{run.energy_nj // NJ_PER_MJ} mJ ({low_nj // NJ_PER_MJ} to "
        f"{high_nj // NJ_PER_MJ}) in {run.duration_ns // NS_PER_MS} ms"
    )
    for state in run.states:
        if state.time_ns:
            print(
                f"PS{state.state} {state.time_ns // NS_PER_MS} ms, "
                f"entered {state.n_entries} times"
            )
    print(f"{run.n_delayed} I/Os delayed, by up to {run.delay_max_ns // NS_PER_US} us")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: estimate.py FILE")
    main(sys.argv[1])
