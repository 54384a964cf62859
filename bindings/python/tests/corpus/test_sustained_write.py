# SPDX-License-Identifier: MIT
"""Random writes to a real drive, simulated: examples/reproduce/sustained_write.py."""

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


def test_what_comes_out_and_what_does_not() -> None:
    text = subprocess.run(
        [sys.executable, str(SCRIPTS / "sustained_write.py"), str(TRACES), "--json"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    report = json.loads(text)
    assert {c["about"]: c["verdict"] for c in report["claims"]} == {
        "simulated, onset": "not derivable",
        "onset, spare as measured": "fitted",
        "simulated, power and pace": "fitted",
        "energy of a byte": "within bounds",
        "pace after it, means of 100 s": "not derivable",
        "390 to 590 s": "not derivable",
        "900 to 1199 s": "not derivable",
    }
    for claim in report["claims"]:
        assert claim["why"] or claim["verdict"] == "reproduced", claim["about"]


def test_the_onset_follows_from_the_spare_flash_and_the_pace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    script: Any = importlib.import_module("sustained_write")
    measured = script.Measured(2.5, 340.0, 3.2, 158.0, 5.56, 0.62)
    for user_gib in (900, 930, 960):
        run = script.Simulated(
            script.Model(user_gib * script.GIB), measured, measured.host_ns // 4, 0
        )
        seconds = (1024 - user_gib) * 1024 / 340.0
        # Less a block in reserve, one that is open, and a part of one.
        assert seconds - 3 <= run.onset_s() <= seconds + 1
