# SPDX-License-Identifier: MIT
"""The examples: twins in C and Python print the same, the large one adds up."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ssdpm

TOP = Path(__file__).parents[3]
DRIVE = TOP / "examples/drives/wd-blue-sn550.json"


# Machines of tests/captures for the examples that look at one.
MACHINES = {"apply": "laptop", "devices": "apst-empty"}


def run(*arguments: object) -> str:
    result = subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(
    "script",
    sorted((TOP / "examples/minimal").glob("*.py")),
    ids=lambda path: path.stem,
)
def test_an_example_prints_what_its_twin_in_c_prints(
    script: Path, machine: Callable[[str], Path]
) -> None:
    twin = TOP / "tests/abi" / f"{script.stem.replace('_', '-')}.txt"
    name = MACHINES.get(script.stem)
    assert run(script, machine(name) if name else DRIVE) == twin.read_text()


def test_a_fleet_on_a_cluster_adds_up_to_its_estimates(tmp_path: Path) -> None:
    traces = [
        ssdpm.generate(
            "lomax", seed=n, n_ios=300, mean_idle_ns=300_000_000, service_ns=100_000
        )
        for n in (1, 2)
    ]
    for number, trace in enumerate(traces):
        trace.save(tmp_path / f"{number}.npy")
    drives = [ssdpm.Model(DRIVE), ssdpm.Model.catalogue("WDC PC SN530")]
    out = run(
        TOP / "examples/fleet.py", "--workers", 2, tmp_path, DRIVE, "WDC PC SN530"
    )
    lines = out.splitlines()
    assert len(lines) == 2
    for line, drive in zip(lines, drives):
        runs = [ssdpm.estimate(drive, trace).nominal for trace in traces]
        duration = sum(r.duration_ns for r in runs)
        power = sum(r.energy_nj for r in runs) * 1000 / duration
        delayed = sum(r.n_delayed for r in runs)
        delays = sum(r.delay_sum_ns for r in runs)
        assert line.startswith(f"{drive.product}: {power:.3f} mW (")
        assert f" {sum(r.n_wakes for r in runs)} wakes, " in line
        assert f" {delayed} of 600 I/Os delayed, {delays} ns in all, " in line
        counts = sum(ssdpm.estimate(drive, trace).delays.counts for trace in traces)
        bucket = np.searchsorted(np.cumsum(counts), 594)
        p99_ns = ssdpm.HISTOGRAM_STARTS_NS[bucket]
        assert p99_ns > 0 and f", p99 {p99_ns} ns or more, " in line
        assert line.endswith(f"max {max(r.delay_max_ns for r in runs)} ns")
