# SPDX-License-Identifier: MIT
"""Settings of all tests, and the drive that most of them look at."""

import importlib
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

import ssdpm
from made import State, swift

# A shell's background job ignores SIGINT, and the tests would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples everywhere, and no clock: a slow machine is no fault.
hypothesis.settings.register_profile("ssdpm", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ssdpm")


@pytest.fixture
def raw() -> bytes:
    """A drive of five states as most are: it does not report idle powers."""
    return swift(
        State(max_power=150, ranks=(2, 2, 2, 2)),
        State(max_power=400, scale=1, operational=False, entry=5000, exit=10000),
        State(
            max_power=30,
            scale=1,
            operational=False,
            entry=54000,
            exit=45000,
            idle=(25, 1),
        ),
    )


@pytest.fixture
def model(raw: bytes) -> ssdpm.Model:
    return ssdpm.Model(raw)


sys.path.append(str(Path(__file__).parents[3] / "tests/captures"))
machines = importlib.import_module("machines")


@pytest.fixture(scope="session", autouse=True)
def this_machine_is_left_alone() -> Iterator[None]:
    before = machines.own_settings()
    yield
    assert machines.own_settings() == before


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Write a machine of tests/captures/machines.py; return its root, a new one."""

    def write(name: str) -> Path:
        root = tmp_path_factory.mktemp("machine") / name
        machines.write(name, root)
        return root

    return write
