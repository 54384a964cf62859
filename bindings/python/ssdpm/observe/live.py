# SPDX-License-Identifier: MIT
"""Drives of this machine that are observed now."""

from __future__ import annotations

import errno
import math
import os
import re
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Union

from ssdpm import _core
from ssdpm.base.convert import check_list, ns_of
from ssdpm.base.errors import (
    GoneError,
    InvalidError,
    NotFoundError,
    RangeError,
    UnsupportedError,
)
from ssdpm.base.result import Ongoing
from ssdpm.device.machine import Device, machine_of
from ssdpm.observe.observation import EVENTS, Observation

DriveLike = Union[Device, str, "os.PathLike[str]"]
"""A drive of this machine: a Device, or a name that ssdpm.open() takes."""

_TICK_NS = 200_000_000
_LEAST_NS, _MOST_NS = 200_000_000, 86_400_000_000_000
# A kernel that writes as fast as this reads has no end.
_MOST_READS = 64
# Without these no I/O is seen.
_NEEDED = ("block/block_rq_issue", "block/block_rq_complete")
_WHOLE = _core.observe.DISK_PARTS["whole"]
_STACKED = _core.observe.DISK_PARTS["stacked"]

_Disk = tuple[int, int, int, str]


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


def _disks(device: Device) -> list[_Disk]:
    disks = _core.observe.disks(device.machine._handle, device._handle)
    if not disks or disks[0][0] != _WHOLE:
        raise GoneError(errno.ENODEV, f"{device.name}: no block device belongs to it")
    return disks


def _add(observation: Observation, device: Device, disks: list[_Disk]) -> None:
    controller = re.fullmatch(r"nvme([0-9]+)", device.name)
    index = observation.add_drive(
        device,
        f"{disks[0][1]}:{disks[0][2]}",
        ctrl_id=int(controller[1]) if controller else None,
    )
    for part, major, minor, _ in disks[1:]:
        if part != _STACKED:
            observation.add_partition(index, f"{major}:{minor}")


def _set_formats(observation: Observation, tracer: _core.observe.Tracer) -> None:
    for index, event in enumerate(EVENTS):
        try:
            text = tracer.format(index)
        except NotFoundError:
            if event in _NEEDED:
                raise UnsupportedError(
                    errno.EOPNOTSUPP,
                    f"not supported by this kernel: it has no trace event {event}",
                ) from None
            continue
        observation.set_format(text)


class Watch(Ongoing):
    """Drives that are observed now, from watch().

    Iterated, it waits for the interval and tells what each drive did since the last
    time, without an end. Each is a dict, as of Observation.next_interval(). Put it in a
    with statement, which ends the trace.

    Attributes:
        names: the drives; the n-th has the index n in the observation.
        observation: all that is known of them, also after the end.
    """

    __slots__ = (
        "_devices",
        "_disks",
        "_interval_ns",
        "_is_closed",
        "_tracer",
        "names",
        "observation",
    )

    names: tuple[str, ...]
    observation: Observation

    def __init__(self, devices: list[Device], interval_ns: int) -> None:
        self._devices = check_list(devices, "devices", "devices")
        for device in self._devices:
            if not isinstance(device, Device):
                raise TypeError(f"devices: a Device is needed, not {type(device).__name__}")
        self._interval_ns = interval_ns
        self._is_closed = False
        self.names = tuple(device.name for device in self._devices)
        self.observation = Observation()
        self._disks = [_disks(device) for device in self._devices]
        for device, disks in zip(self._devices, self._disks):
            _add(self.observation, device, disks)
        self._tracer = _core.observe.Tracer([one for disks in self._disks for one in disks])
        try:
            _set_formats(self.observation, self._tracer)
        except BaseException:
            self._tracer.close()
            raise

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
        now_ns = _now_ns()
        try:
            self._read()
        finally:
            self._tracer.close()
        self.observation.finish(now_ns)

    def lost(self) -> int:
        """Events that the kernel dropped so far, because they were too many.

        Raises:
            ValueError: it is closed.
        """
        return self._tracer.lost()

    def _read(self) -> bool:
        """The text that came; whether that is all of it."""
        for _ in range(_MOST_READS):
            text = self._tracer.read()
            if not text:
                return True
            self.observation.feed(text)
        return False

    def _follow(self, due_ns: int) -> None:
        now_ns = _now_ns()
        while now_ns < due_ns:
            self._tracer.wait(math.ceil(min(due_ns - now_ns, _TICK_NS) / 1e6))
            # Time first: what comes after it is later.
            now_ns = _now_ns()
            if self._read():
                self.observation.advance(now_ns)
        for device, disks in zip(self._devices, self._disks):
            try:
                is_same = _disks(device)[0] == disks[0]
            except (GoneError, NotFoundError):
                is_same = False
            if not is_same:
                raise GoneError(errno.ENODEV, f"{device.name} went away")


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

    ``ssdpm watch`` turns the trace off under load. This does not: each I/O costs
    processor time, however many there are. The kernel drops events that come too fast.
    ``counts.n_lost`` of the observation and Watch.lost() count these.

    Args:
        drives: names such as "nvme0" or "/dev/sda", or devices of this machine.
        interval_s: from one interval to the next; from 0.2 s to a day.

    Raises:
        AccessError: not root, or the kernel is locked down.
        NotFoundError: no such drive, or tracefs is not mounted.
        GoneError: no block device belongs to a drive; later: a drive went away.
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
