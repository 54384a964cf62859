# SPDX-License-Identifier: MIT
"""Drives of this machine that are observed now."""

from __future__ import annotations

import errno
import math
import os
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Union

from ssdpm import _core
from ssdpm.base.convert import check_list, ns_of
from ssdpm.base.errors import InvalidError, RangeError
from ssdpm.base.result import Ongoing
from ssdpm.device.machine import Device, machine_of
from ssdpm.observe.observation import Observation

DriveLike = Union[Device, str, "os.PathLike[str]"]
"""A drive of this machine: a Device, or a name that ssdpm.open() takes."""

_LEAST_NS, _MOST_NS = 200_000_000, 86_400_000_000_000


def _now_ns() -> int:
    """On the clock of the trace."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def _device(drive: DriveLike) -> Device:
    if not isinstance(drive, (Device, str, os.PathLike)):
        raise TypeError(f"drives: a Device or a name is needed, not {type(drive).__name__}")
    try:
        device = drive if isinstance(drive, Device) else machine_of(None).open(drive)
    except ValueError as error:
        raise ValueError(f"drives: {error}") from None
    if device.machine.root is not None:
        raise InvalidError(
            errno.EINVAL, f"drives: {device.name} is of a capture, not of this machine"
        )
    return device


class Watch(Ongoing):
    """Drives that are observed now, from watch().

    Iterated, it waits for the interval and tells what each drive did since the last
    time. It never ends. Each is a dict, as of Observation.next_interval(). Put it in a
    with statement, which ends the trace.

    While a drive is gone, its work is unknown. So it is under load, when its I/Os are
    only counted. uncovered_ns of the observation says for how long.

    Attributes:
        names: the drives; the n-th has the index n in the observation.
        observation: all that is known of them, also after the end.
    """

    __slots__ = ("_core", "_devices", "_interval_ns", "_is_closed", "names", "observation")

    names: tuple[str, ...]
    observation: Observation

    def __init__(self, devices: list[Device], interval_ns: int) -> None:
        self._devices = check_list(devices, "devices", "devices")
        for device in self._devices:
            if not isinstance(device, Device):
                raise TypeError(f"devices: a Device is needed, not {type(device).__name__}")
        if not self._devices:
            raise InvalidError(errno.EINVAL, "devices: there is none")
        self._interval_ns = interval_ns
        self._is_closed = False
        self.names = tuple(device.name for device in self._devices)
        self.observation = Observation()
        self._core = _core.observe.Watch(
            self._devices[0].machine._handle, self.observation._handle
        )
        for device in self._devices:
            self.observation._add_watched(self._core, device)
        self._core.begin()

    def __repr__(self) -> str:
        return f"<ssdpm.observe.Watch of {', '.join(self.names)}>"

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        due_ns = _now_ns()
        while True:
            # One that took too long has missed some.
            missed = max(0, _now_ns() - due_ns) // self._interval_ns
            due_ns += (missed + 1) * self._interval_ns
            self._follow(due_ns)
            for index, name in enumerate(self.names):
                yield self.observation.next_interval(index, name)

    def close(self) -> None:
        """End the trace, and remove what it made in tracefs. It may be called again."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self._core.finish()
        finally:
            self._core.close()

    def lost(self) -> int:
        """Events that the kernel dropped so far, because they were too many.

        Raises:
            ValueError: it is closed.
        """
        return self._core.lost()

    def gone(self) -> tuple[str, ...]:
        """Drives that went away and are not back, looked for once a second.

        Raises:
            ValueError: it is closed.
        """
        return tuple(
            name for index, name in enumerate(self.names) if self._core.is_gone(index)
        )

    def _follow(self, due_ns: int) -> None:
        now_ns = _now_ns()
        while now_ns < due_ns:
            left_ms = math.ceil((due_ns - now_ns) / 1e6)
            self._core.wait(min(left_ms, self._core.wait_ms()))
            now_ns = self._core.step()


def watch(
    drives: Iterable[DriveLike] | DriveLike, *, interval_s: float = 1.0
) -> Watch:
    """Observe drives of this machine from now on, from its trace events; needs root.

    ::

        with ssdpm.observe.watch(["nvme0"], interval_s=60) as live:
            for interval in live:
                print(interval["name"], interval["n_wakes"])

    It sends no command to a drive and writes to none. Each drive is simulated with the
    policy in force. While it waits the GIL is released, and Ctrl-C ends it.

    Under load it turns the trace off and counts I/Os, as ``ssdpm watch`` does. If the
    kernel drops events that come too fast, ``counts.n_lost`` of the observation and
    Watch.lost() count these.

    Args:
        drives: names such as "nvme0" or "/dev/sda", or devices of this machine.
        interval_s: from one interval to the next; from 0.2 s to a day.

    Raises:
        AccessError: not root, or the kernel is locked down.
        NotFoundError: no such drive, or tracefs is not mounted.
        GoneError: no block device belongs to a drive.
        UnsupportedError: the kernel lacks the events of I/Os.
        InvalidError: no drive, or one of a capture.
        ExistsError: a drive is named twice.
        RangeError: interval_s.
        As Device.model() and Observation.add_drive().
    """
    interval_ns = ns_of(interval_s, "interval_s")
    if not _LEAST_NS <= interval_ns <= _MOST_NS:
        raise RangeError(
            errno.ERANGE, f"interval_s: {interval_s:g} is not in 0.2 to 86400"
        )
    if isinstance(drives, (Device, str, os.PathLike)):
        drives = [drives]
    devices = [_device(one) for one in check_list(drives, "drives", "drives")]
    if not devices:
        raise InvalidError(errno.EINVAL, "drives: there is none")
    return Watch(devices, interval_ns)
