# SPDX-License-Identifier: MIT
"""One run for many events."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import ssdpm
from ssdpm import Intent

Maker = Callable[[str], Path]


def test_many_requests_are_one_run(machine: Maker) -> None:
    root, runs = machine("laptop"), []
    for _ in range(5):
        ssdpm.add_request(root)
    assert ssdpm.serve_requests(lambda: runs.append(1), root) == 1
    assert ssdpm.serve_requests(lambda: runs.append(1), root) == 0
    assert runs == [1]


def test_a_request_that_comes_in_a_run_has_a_run_of_its_own(
    machine: Maker, tmp_path: Path
) -> None:
    root, runs = machine("laptop"), []

    def run() -> None:
        runs.append(1)
        if len(runs) == 1:
            ssdpm.add_request(root, tmp_path)

    ssdpm.add_request(root, tmp_path)
    assert ssdpm.serve_requests(run, root, tmp_path) == 2 == len(runs)


def test_what_a_run_raises_is_raised_and_it_has_served(machine: Maker) -> None:
    root = machine("laptop")

    def run() -> None:
        raise KeyError("of the run")

    ssdpm.add_request(root)
    with pytest.raises(KeyError, match="of the run"):
        ssdpm.serve_requests(run, root)
    assert ssdpm.serve_requests(run, root) == 0


def test_threads_that_serve_lose_no_request(machine: Maker) -> None:
    root = machine("laptop")
    (root / "etc").mkdir(exist_ok=True)

    def run() -> None:
        with ssdpm.plan(root) as plan:
            plan.apply(lambda plan: plan.add_intent(Intent.read(root)))
            plan.keep()

    def set_to(ms: int) -> None:
        (root / f"etc/ssdpm.conf.d/{ms}.conf").write_text(
            f"[drive]\nkind = nvme\nmax_exit_latency = {ms}ms\n"
        )
        ssdpm.add_request(root)
        ssdpm.serve_requests(run, root)

    (root / "etc/ssdpm.conf.d").mkdir()
    threads = [threading.Thread(target=set_to, args=(ms,)) for ms in range(10, 18)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # The last name decides, whoever came last.
    assert ssdpm.open("nvme0", root).latency_tolerance_us == 17_000


def test_what_serves_must_be_callable(machine: Maker) -> None:
    with pytest.raises(TypeError, match="run: a callable is needed"):
        ssdpm.serve_requests(3, machine("laptop"))  # type: ignore[arg-type]
