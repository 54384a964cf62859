# SPDX-License-Identifier: MIT
"""What a commit has left: its journal, and what was there before."""

from __future__ import annotations

import os
from typing import SupportsIndex

from ssdpm import _core
from ssdpm.apply.arguments import directory_path
from ssdpm.apply.plan import Plan, plan
from ssdpm.apply.steps import Journal, Step
from ssdpm.device.machine import Root, machine_of


def read_journal(
    root: Root = None, directory: str | os.PathLike[str] | None = None
) -> Journal | None:
    """The journal that stands, or None. Writes nothing, and needs no privileges.

    While a journal stands nothing can be called in force. Plan.locked() and
    Plan.commit() undo what it names.

    Args:
        As plan().

    Raises:
        AccessError, Error: the directory cannot be read, or is not to be trusted.
    """
    found = _core.journal_read(machine_of(root)._handle, directory_path(directory))
    return None if found is None else Journal(*found)


def revert(
    root: Root = None,
    directory: str | os.PathLike[str] | None = None,
    *,
    state_timeout_ms: SupportsIndex | None = None,
    lock_timeout_ms: SupportsIndex | None = None,
) -> tuple[Step, ...]:
    """Put back what was there before the first commit.

    Args:
        As plan().

    Returns:
        The steps that it took; a value that somebody else has changed since is
        "left-alone".

    Raises:
        As Plan.add_revert() and Plan.apply().
    """
    back = plan(
        root,
        directory,
        state_timeout_ms=state_timeout_ms,
        lock_timeout_ms=lock_timeout_ms,
    )
    back.apply(Plan.add_revert)
    return back.steps
