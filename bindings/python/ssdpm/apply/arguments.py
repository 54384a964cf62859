# SPDX-License-Identifier: MIT
"""What calls of this stage take, as C takes it."""

from __future__ import annotations

import os
from typing import Any, SupportsIndex, Union

from ssdpm import _core
from ssdpm.base.convert import (
    check_instance,
    check_path,
    check_text,
    unsigned_or_zero,
)
from ssdpm.device.machine import Machine
from ssdpm.policy.parameters import PowerSource
from ssdpm.policy.profiles import ProfileSettings, settings_dict, settings_from

Settings = Union[ProfileSettings, str]


def directory_path(directory: str | os.PathLike[str] | None) -> bytes | None:
    """None: the directory of the library."""
    return None if directory is None else check_path(directory, "directory")


def timeout_numbers(
    state_timeout_ms: SupportsIndex | None, lock_timeout_ms: SupportsIndex | None
) -> tuple[int, int]:
    """For C, where 0 is the default."""
    most = 2**32 - 1
    return (
        unsigned_or_zero(state_timeout_ms, "state_timeout_ms", most, 1),
        unsigned_or_zero(lock_timeout_ms, "lock_timeout_ms", most, 1),
    )


def profile_members(machine: Machine, settings: Settings) -> dict[str, Any]:
    """The members for C; a name is that of a profile on the source of now."""
    if isinstance(settings, str):
        name = check_text(settings, "settings")
        source = _core.POWER_SOURCES[machine.facts.power_source or PowerSource.AC]
        settings = settings_from(_core.Intent(machine._handle).settings(name, source))
    check_instance(settings, "settings", ProfileSettings)
    return settings_dict(settings)
