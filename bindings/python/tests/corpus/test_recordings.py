# SPDX-License-Identifier: MIT
"""Everyday workloads against the recordings that they are made from.

The recording is cut in the middle of its time. What is generated from the first half is
compared with both, on 20 drives of the catalogue under four policies: the mean power,
and the share of all time that the drive is in each state.

The recordings of our own loads that the tables are made from were not kept. Those in
recordings/ were made later by the same scripts: records, without service times. A
table is also compared with such a recording as a whole.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from everyday import EVERYDAY, from_trace

import ssdpm

TOP = Path(__file__).resolve().parents[4]
TRACES = Path(os.environ.get("SSDPM_SHARED", TOP.parent / "shared")) / "data/traces"
RECORDINGS = {
    "phone-messenger": "pixel6a_telegram_exec.csv.gz",
    "server-mysql": "blkreplay_linux-mysql.load.gz",
    "server-mssql": "blkreplay_windows-mssql.load.gz",
}
OURS = (
    "apt-upgrades",
    "compile",
    "desktop-session",
    "server-files",
    "server-postgresql",
)
POLICIES = ("linux", "linux-legacy", "windows:balanced:battery", "none")
N_DRIVES = 20
TOLERANCE = 0.1

# Where what is generated from the first half is further from the second half than the
# first half itself, and by more than 10 %: of 80 runs, and by how much more at most.
# The table of ssdpm_workload(3) has the same.
MISSED = {
    "phone-messenger": (1, 0.001),
    "server-mysql": (0, 0.0),
    "server-mssql": (45, 0.002),
    "apt-upgrades": (3, 0.0005),
    "compile": (60, 0.0035),
    "desktop-session": (0, 0.0),
    "server-files": (0, 0.0),
    "server-postgresql": (0, 0.0),
}
# Likewise where a table is further from the later recording than its halves are from
# each other.
MISSED_LATER = {
    "apt-upgrades": (60, 0.228),
    "compile": (0, 0.0),
    "desktop-session": (0, 0.0),
    "server-files": (57, 0.123),
    "server-postgresql": (0, 0.0),
}

Run = tuple[float, Any]


@functools.cache
def recording(name: str) -> Any:
    if name in OURS:
        path = Path(__file__).parent / f"recordings/{name}.csv.xz"
        return ssdpm.read_trace(path).records
    return ssdpm.read_trace(TRACES / RECORDINGS[name]).records


def halves(ios: Any) -> tuple[Any, Any]:
    starts = ios["start_ns"].astype(np.int64)
    middle = np.searchsorted(starts, (starts[0] + starts[-1]) // 2)
    return ios[:middle], ios[middle:]


@functools.cache
def drives() -> list[ssdpm.Model]:
    """Evenly from all tables of the catalogue with which Linux lets a drive sleep."""
    seen, found = set(), []
    for row in ssdpm.Catalogue():
        if row.table in seen:
            continue
        seen.add(row.table)
        model = ssdpm.Model.catalogue(row.product, firmware=row.firmware)
        if model.kind == "nvme" and ssdpm.apst(model).entries:
            found.append(model)
    step = len(found) / N_DRIVES
    return [found[int((i + 0.5) * step)] for i in range(N_DRIVES)]


def runs(ios: Any) -> list[Run]:
    """Mean power and share of time in each state, of each drive under each policy."""
    results: list[Run] = []
    for model in drives():
        for policy in POLICIES:
            run = ssdpm.estimate(model, ios, policy).nominal
            times = [s.time_ns + s.entry_ns + s.exit_ns for s in run.states]
            results.append((run.mean_power_uw, np.array(times) / run.duration_ns))
    return results


def difference(one: Run, other: Run) -> Run:
    """How far apart they are: the power as a share, and each share of time."""
    return abs(one[0] / other[0] - 1), np.abs(one[1] - other[1])


def beyond(made: Run, real: Run, allowed: Run) -> float:
    """How much further apart than is allowed, and than 10 %: 0, if they are not."""
    power, shares = difference(made, real)
    over = power - max(allowed[0], TOLERANCE)
    return max(0.0, over, float((shares - np.maximum(allowed[1], TOLERANCE)).max()))


def largest(some: list[Run], others: list[Run]) -> float:
    """In percent."""
    found = [difference(one, other) for one, other in zip(some, others)]
    return 100 * max(max(power, float(shares.max())) for power, shares in found)


def check_missed(excess: list[float], expected: tuple[int, float], name: str) -> None:
    n_missed = sum(value > 0 for value in excess)
    print(f"{name}: {n_missed} of {len(excess)} missed, by {max(excess):.5f} at most")
    n_expected, most = expected
    assert len(excess) == N_DRIVES * len(POLICIES)
    assert n_missed == n_expected
    assert max(excess) <= most


@functools.cache
def three_runs(name: str) -> tuple[list[Run], list[Run], list[Run]]:
    first, second = halves(recording(name))
    made = from_trace.generate(from_trace.fit(first))
    return runs(made), runs(first), runs(second)


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_table_is_what_the_script_makes_of_the_recording(name: str) -> None:
    table = from_trace.read(EVERYDAY / f"{name}.tsv")
    del table["description"]
    assert table == from_trace.fit(recording(name))


@pytest.mark.parametrize("name", (*RECORDINGS, *OURS))
def test_what_is_made_from_a_half_agrees_with_that_half(name: str) -> None:
    for made, first, _ in zip(*three_runs(name)):
        assert beyond(made, first, difference(first, first)) == 0


@pytest.mark.parametrize("name", (*RECORDINGS, *OURS))
def test_it_agrees_with_the_other_half_where_the_manual_says_so(name: str) -> None:
    made, first, second = three_runs(name)
    print(f"{name}: halves {largest(first, second):.2f}, own {largest(made, first):.2f}")
    excess = [
        beyond(one, real, difference(other, real))
        for one, other, real in zip(made, first, second)
    ]
    check_missed(excess, MISSED[name], name)


@pytest.mark.parametrize("name", OURS)
def test_a_table_agrees_with_a_later_recording_where_the_manual_says_so(
    name: str,
) -> None:
    _, first, second = three_runs(name)
    made = runs(from_trace.generate(from_trace.read(EVERYDAY / f"{name}.tsv")))
    whole = runs(recording(name))
    print(f"{name}: {largest(made, whole):.2f} from a later recording")
    excess = [
        beyond(one, real, difference(a, b))
        for one, real, a, b in zip(made, whole, first, second)
    ]
    check_missed(excess, MISSED_LATER[name], name)
