# SPDX-License-Identifier: MIT
"""One run for many events: what ssdpm apply --config --coalesce and ssdpmd do."""

from __future__ import annotations

import os
from collections.abc import Callable

from ssdpm import _core
from ssdpm.apply.arguments import directory_path
from ssdpm.device.machine import Root, machine_of


def add_request(
    root: Root = None, directory: str | os.PathLike[str] | None = None
) -> None:
    """Something has happened: ask whoever serves requests for a run. Returns at once.

    Args:
        root: this machine (None), a capture, or a Machine.
        directory: as plan() has it.

    Raises:
        AccessError: root is needed.
        ReadOnlyError: a root without the marker of a capture.
    """
    _core.add_request(machine_of(root)._handle, directory_path(directory))


def serve_requests(
    run: Callable[[], object],
    root: Root = None,
    directory: str | os.PathLike[str] | None = None,
) -> int:
    """One run for many requests, one process at a time; others wait for it.

    Once this returns, each request that was added before the call has had a run that
    began after it, here or elsewhere. The first run comes at once, the next one after
    300 ms without a request, or after 2 s::

        def run():
            with ssdpm.plan() as plan:
                plan.apply(lambda plan: plan.add_intent(ssdpm.Intent.read()))
                plan.keep()

        ssdpm.add_request()
        ssdpm.serve_requests(run)

    Args:
        run: makes a plan of what the machine says by then, and commits it.
        root: this machine (None), a capture, or a Machine.
        directory: as plan() has it.

    Returns:
        How often run was called: 0 where another process has served.

    Raises:
        What run raises: it has served, and is the last one.
        And those of add_request().
    """
    if not callable(run):
        raise TypeError(f"run: a callable is needed, not {type(run).__name__}")
    return _core.serve_requests(
        machine_of(root)._handle, directory_path(directory), run
    )
