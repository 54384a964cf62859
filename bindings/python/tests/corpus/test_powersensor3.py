# SPDX-License-Identifier: MIT
"""Measured power of a real drive: examples/reproduce/powersensor3.py, the README."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOP = Path(__file__).resolve().parents[4]
TRACES = Path(os.environ.get("SSDPM_SHARED", TOP.parent / "shared")) / "data/traces"
SCRIPTS = TOP / "examples/reproduce"


def run(script: str, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, str(SCRIPTS / script), str(TRACES), *arguments],
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def test_what_was_measured_is_found_again() -> None:
    report = json.loads(run("powersensor3.py", "--json"))
    claims = {claim["about"]: claim for claim in report["claims"]}
    assert {claim["verdict"] for claim in claims.values()} == {"reproduced"}
    assert len(claims) == 4
    assert str(report["inputs"][0]) in run("powersensor3.py")


def test_the_numbers_are_within_what_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    powersensor3: Any = importlib.import_module("powersensor3")
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


def test_the_table_of_the_readme_has_them_too() -> None:
    assert run("summary.py") in (TOP / "README.md").read_text()
