# SPDX-License-Identifier: MIT
from __future__ import annotations

import pathlib

import pytest
from command import Command


@pytest.fixture
def ssdpm(tmp_path: pathlib.Path) -> Command:
    return Command(tmp_path)
