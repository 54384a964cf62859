# SPDX-License-Identifier: MIT
"""Each module of tests has a function boot(release) -> vm.Guest, which is called
once for each kernel; two guests run at a time, one for each core."""

from __future__ import annotations

import concurrent.futures
import os
import time
from typing import Any

import pytest
import vm

pool = concurrent.futures.ThreadPoolExecutor(int(os.environ.get("SSDPM_VM_JOBS", "2")))
guests: dict[tuple[str, str], concurrent.futures.Future[vm.Guest]] = {}
laps: list[str] = []


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "guest" in metafunc.fixturenames:
        metafunc.parametrize("guest", vm.releases(), indirect=True, scope="module")


def pytest_collection_finish(session: pytest.Session) -> None:
    """All boots that the chosen tests need, in the order of the tests."""
    if session.config.option.collectonly:
        return
    for item in session.items:
        assert isinstance(item, pytest.Function)
        release = item.callspec.params.get("guest")
        key = (item.module.__name__, release)
        if release and key not in guests:
            guests[key] = pool.submit(timed, item.module, release)


def timed(module: Any, release: str) -> vm.Guest:
    start = time.monotonic()
    try:
        return module.boot(release)
    finally:
        seconds = time.monotonic() - start
        laps.append(f"{seconds:6.1f} s  {module.__name__} on Linux {release}")


@pytest.fixture
def guest(request: pytest.FixtureRequest) -> vm.Guest:
    return guests[request.module.__name__, request.param].result()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("guests")
    for lap in laps:
        terminalreporter.line(lap)
