# SPDX-License-Identifier: MIT
from __future__ import annotations

import pathlib

import pytest
from stage import Stage


@pytest.fixture
def stage(tmp_path: pathlib.Path) -> Stage:
    return Stage(tmp_path, "eight-drives")
