# SPDX-License-Identifier: MIT
"""What the policy of Linux costs on many drives with many traces, in parallel.

Each pair of a trace and a drive is a task of Dask's distributed scheduler: a worker
gets the name of the file and reads it piece by piece, so that a trace may be longer
than memory. The results of a drive are merged by adding integers: exact, and the same
in whatever order they come.

    pip install ssdpm[dask]
    fleet.py TRACES drive.json "WDC PC SN530"        on this machine
    fleet.py --scheduler tcp://host:8786 TRACES ...  on a cluster that sees TRACES
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass

from distributed import Client, LocalCluster, as_completed

import ssdpm


@dataclass(frozen=True)
class Total:
    """One drive with some traces, one after the other; nominal values.

    The bounds are sums of bounds, each with powers of its own: they may be wider than
    those of one estimate over all traces.
    """

    duration_ns: int = 0
    low_nj: int = 0
    energy_nj: int = 0
    high_nj: int = 0
    n_ios: int = 0
    n_wakes: int = 0
    n_delayed: int = 0
    delay_sum_ns: int = 0
    delay_max_ns: int = 0
    delays: tuple[int, ...] = ()

    def __add__(self, other: Total) -> Total:
        pairs = zip(self.delays or (0,) * len(other.delays), other.delays)
        return Total(
            self.duration_ns + other.duration_ns,
            self.low_nj + other.low_nj,
            self.energy_nj + other.energy_nj,
            self.high_nj + other.high_nj,
            self.n_ios + other.n_ios,
            self.n_wakes + other.n_wakes,
            self.n_delayed + other.n_delayed,
            self.delay_sum_ns + other.delay_sum_ns,
            max(self.delay_max_ns, other.delay_max_ns),
            tuple(a + b for a, b in pairs),
        )

    def p99_at_least_ns(self) -> int:
        """The start of the bucket that the 99th percentile of all delays is in."""
        rank = -(-self.n_ios * 99 // 100)
        for start_ns, count in zip(ssdpm.HISTOGRAM_STARTS_NS.tolist(), self.delays):
            rank -= count
            if rank <= 0:
                return int(start_ns)
        return 0


def task(model: ssdpm.Model, path: str) -> Total:
    """What a worker does."""
    with ssdpm.iter_trace(path) as trace:
        estimate = ssdpm.estimate(model, trace)
    run = estimate.nominal
    return Total(
        run.duration_ns,
        estimate.low.energy_nj,
        run.energy_nj,
        estimate.high.energy_nj,
        sum(run.n_ios),
        run.n_wakes,
        run.n_delayed,
        run.delay_sum_ns,
        run.delay_max_ns,
        tuple(estimate.delays.counts.tolist()),
    )


def estimate_all(
    client: Client, models: list[ssdpm.Model], paths: list[str]
) -> list[Total]:
    """A total for each drive."""
    futures = {
        client.submit(task, model, path): number
        for number, model in enumerate(models)
        for path in paths
    }
    totals = [Total()] * len(models)
    for future, total in as_completed(futures, with_results=True):
        totals[futures[future]] += total
    return totals


def report(model: ssdpm.Model, total: Total) -> str:
    # nJ by ns is W
    low, nominal, high = (
        nj * 1000 / total.duration_ns if total.duration_ns else 0.0
        for nj in (total.low_nj, total.energy_nj, total.high_nj)
    )
    return (
        f"{model.product}: {nominal:.3f} mW ({low:.3f}..{high:.3f}), "
        f"{total.n_wakes} wakes, {total.n_delayed} of {total.n_ios} I/Os delayed, "
        f"{total.delay_sum_ns} ns in all, p99 {total.p99_at_least_ns()} ns or more, "
        f"max {total.delay_max_ns} ns"
    )


def load(drive: str) -> ssdpm.Model:
    """A file, or a name of the catalogue."""
    return ssdpm.Model(drive) if os.path.exists(drive) else ssdpm.Model.catalogue(drive)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("traces", help="a directory of traces, and of nothing else")
    parser.add_argument("drives", nargs="+", help="a file, or a name of the catalogue")
    parser.add_argument("--scheduler", help="address; otherwise this machine")
    parser.add_argument("--workers", type=int, help="on this machine")
    arguments = parser.parse_args()
    models = [load(drive) for drive in arguments.drives]
    directory = os.path.abspath(arguments.traces)
    paths = sorted(entry.path for entry in os.scandir(directory) if entry.is_file())
    if arguments.scheduler:
        client = Client(arguments.scheduler)
    else:
        client = Client(
            LocalCluster(
                n_workers=arguments.workers,
                threads_per_worker=1,
                dashboard_address=None,
            )
        )
    with client:
        totals = estimate_all(client, models, paths)
    for model, total in zip(models, totals):
        print(report(model, total))


if __name__ == "__main__":
    main()
