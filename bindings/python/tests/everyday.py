# SPDX-License-Identifier: MIT
"""The script that makes statistics of recordings, which is not part of the package."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

EVERYDAY = Path(__file__).resolve().parents[3] / "lib/energy/workload/everyday"


def load_script() -> Any:
    spec = importlib.util.spec_from_file_location(
        "from_trace", EVERYDAY / "from_trace.py"
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


from_trace = load_script()
