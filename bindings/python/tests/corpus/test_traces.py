# SPDX-License-Identifier: MIT
"""Real traces: what holds for all estimates holds for theirs.

The measured power of a real drive, in the scripts of examples/reproduce.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ssdpm

TOP = Path(__file__).resolve().parents[4]
TRACES = Path(os.environ.get("SSDPM_SHARED", TOP.parent / "shared")) / "data/traces"

# Not traces of I/Os, or in a format that is not read.
OTHERS = ("SOURCES", "blkreplay_COPYING", "fio-logs", "ps3_")
# Those with several devices: the one to read.
DEVICES = {"umass_Financial_mini.spc": "0"}
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
        # All policies of a comparison end when the last one does.
        assert run.duration_ns == comparison.policies[0].estimate.nominal.duration_ns
        assert row["duration_ns"] == policy.estimate.own_duration_ns
        assert (row["energy_nj"] == run.energy_nj) == (
            row["duration_ns"] == run.duration_ns
        )
        assert row["delay_sum_ns"] == run.delay_sum_ns
        assert best.exact
        assert least.energy_nj <= best.run.energy_nj <= row["energy_nj"]


SCRIPTS = TOP / "examples/reproduce"


def run(script: str, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, str(SCRIPTS / script), str(TRACES), *arguments],
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def module(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module(name)


def test_the_numbers_of_the_samples_are_those_that_were_read_by_other_means(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Watts, mJ/MiB and J/GiB, read from the same figures once before."""
    powersensor3 = module("powersensor3", monkeypatch)
    base, slope, error = powersensor3.reads(TRACES)
    assert base == pytest.approx(2.518, rel=0.01)
    assert slope == pytest.approx(0.621, rel=0.01)
    assert error < 1
    writes = powersensor3.Writes(TRACES)
    assert 285 <= writes.onset_s() <= 290
    assert any(285 <= at <= 290 for at in writes.steps())
    before, after = writes.window((0, 290)), writes.window((290, 390))
    assert before[2] == pytest.approx(9.64, rel=0.02)
    assert after[2] == pytest.approx(35.96, rel=0.02)
    assert (before[0], after[0]) == pytest.approx((3.21, 5.561), rel=0.02)


def rounded(value: Any) -> Any:
    """As a file has it, but for last digits, which sums of other processors may have."""
    return json.loads(
        json.dumps(value), parse_float=lambda digits: float(f"{float(digits):.10g}")
    )


def test_the_claims_that_are_kept_are_those_of_the_samples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So that powersensor3.json is what --keep would write."""
    report = json.loads(run("sustained_write.py", "--json"))
    kept = dataclasses.asdict(module("kept", monkeypatch).read().report)
    for key in ("source", "inputs", "claims"):
        assert rounded(report[key]) == rounded(kept[key]), key
    assert {c["about"]: c["verdict"] for c in report["claims"]} == {
        "simulated, onset": "missed",
        "onset, spare as measured": "fitted",
        "simulated, power and pace": "fitted",
        "energy of a byte": "within bounds",
        "pace after it, means of 100 s": "missed",
        "390 to 590 s": "missed",
        "900 to 1199 s": "missed",
    }
    assert str(report["inputs"][0]) in run("sustained_write.py")


def test_the_onset_follows_from_the_spare_flash_and_the_pace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = module("sustained_write", monkeypatch)
    measured = script.Measured(2.5, 340.0, 3.2, 158.0, 5.56, 0.62)
    for user_gib in (900, 930, 960):
        run = script.Simulated(
            script.Model(user_gib * script.GIB), measured, measured.host_ns // 4, 0
        )
        seconds = (1024 - user_gib) * 1024 / 340.0
        # Less a block in reserve, one that is open, and a part of one.
        assert seconds - 3 <= run.onset_s() <= seconds + 1
