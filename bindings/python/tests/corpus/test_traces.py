# SPDX-License-Identifier: MIT
"""Real traces: what holds for all estimates holds for theirs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import ssdpm

TOP = Path(__file__).resolve().parents[4]
TRACES = Path(os.environ.get("SSDPM_SHARED", TOP.parent / "shared")) / "data/traces"

# Not traces of I/Os, or in a format that is not read.
OTHERS = ("SOURCES", "blkreplay_COPYING", "cloudPhysicsIO", "fio-logs", "ps3_")
# Those with several devices: the one to read.
DEVICES = {"mqsim_wsrch-small.trace": "0", "umass_Financial_mini.spc": "0"}
FILES = sorted(p for p in TRACES.iterdir() if not p.name.startswith(OTHERS))
MODEL = ssdpm.Model.catalogue("WDC PC SN530")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_trace_is_read_and_estimated(path: Path) -> None:
    device = DEVICES.get(path.name)
    if device is not None:
        with pytest.raises(ssdpm.FormatError, match="several devices"):
            ssdpm.read_trace(path)
    trace = ssdpm.read_trace(path, device=device)
    assert trace.counts is not None
    assert trace.counts.n_ios == sum(trace.stats().n_ios) > 0
    with ssdpm.iter_trace(path, device=device, chunk=1000) as parts:
        assert ssdpm.estimate(MODEL, parts) == ssdpm.estimate(MODEL, trace)
    comparison = ssdpm.compare(MODEL, trace)
    assert not comparison.skipped
    tables = {p.names[0]: p.estimate.table for p in comparison}
    rows = ssdpm.sweep(MODEL, trace, tables)
    best = ssdpm.best_table(MODEL, trace)
    least = ssdpm.clairvoyant(MODEL, trace)
    for policy, row in zip(comparison, rows):
        run = policy.estimate.nominal
        assert run.duration_ns == (
            run.busy_ns + run.idle_ns + run.entry_ns + run.exit_ns
        )
        assert row["energy_nj"] == run.energy_nj
        assert row["delay_sum_ns"] == run.delay_sum_ns
        assert best.exact
        assert least.energy_nj <= best.run.energy_nj <= run.energy_nj
