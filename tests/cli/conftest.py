# SPDX-License-Identifier: MIT
from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable

import pytest
from command import Command

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "captures"))
import machines  # noqa: E402


@pytest.fixture
def ssdpm(tmp_path: pathlib.Path) -> Command:
    return Command(tmp_path)


@pytest.fixture
def machine(tmp_path: pathlib.Path) -> Callable[[str], pathlib.Path]:
    """Write a machine of tests/captures/machines.py; return its root."""

    def write(name: str) -> pathlib.Path:
        root = tmp_path / "machines" / name
        machines.write(name, root)
        return root

    return write
