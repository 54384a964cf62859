# SPDX-License-Identifier: MIT
"""Readings of a meter."""

from __future__ import annotations

import errno
import math
import os
import time
import warnings
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.convert import check_float, check_instance, check_word
from ssdpm.base.errors import Error, RangeError
from ssdpm.base.result import Live
from ssdpm.device.facts import Meter, Reading
from ssdpm.device.machine import Machine, Root, machine_of


def _seconds(value: object, name: str, *, endless: bool = False) -> float:
    number = check_float(value, name, "seconds are")
    if not number > 0 or (not endless and number == math.inf):
        raise RangeError(errno.ERANGE, f"{name}: {number:g} is not above 0 and finite")
    return number


class Sampler(Live):
    """A meter that is read again and again.

    Args:
        meter: a Meter, or its name, as of Machine.find_meter().
        root: where it is: a capture, a Machine, or None: this machine.
        interval_s: from one reading to the next, for iteration and record().

    Iterated, it waits for the interval and reads, and never ends. A with statement
    closes it.

        with ssdpm.Sampler("BAT0") as sampler:
            times, power = sampler.record(60)
        print(ssdpm.measure.energy(power, times=times))

    Raises:
        BusyError: a battery that charges, or is full: its power is not the machine's.
        GoneError, AccessError, UnsupportedError, Error: it cannot be read.
        As Machine.find_meter().
    """

    __slots__ = ("_handle", "_machine", "interval_s", "meter")

    meter: Meter
    interval_s: float
    _machine: Machine
    _handle: _core.Sampler | None

    def __init__(
        self, meter: Meter | str, root: Root = None, *, interval_s: float = 1.0
    ) -> None:
        self._machine = machine_of(root)
        self.interval_s = _seconds(interval_s, "interval_s")
        if isinstance(meter, str):
            meter = self._machine.find_meter(meter)
        self.meter = check_instance(meter, "meter", Meter)
        check_word(meter.kind, "meter.kind", _core.METER_KINDS)
        self._handle = _core.Sampler(
            self._machine._handle,
            _core.METER_KINDS[meter.kind],
            os.fsencode(meter.name),
            os.fsencode(meter.path),
        )

    def read(self) -> Reading:
        """One reading, now. After a failure the next one may succeed.

        Raises:
            BusyError: it charges now.
            GoneError: it is gone, or a command failed.
            TimedOutError: a command did not end within 30 seconds.
            InvalidError: no number, or one that no power can be.
            ValueError: the sampler is closed.
        """
        if self._handle is None:
            raise ValueError("the sampler is closed")
        time_ns, power_w, energy_j, flags, left_j, update_ns = self._handle.read()
        return Reading(
            time_ns,
            power_w,
            energy_j,
            bool(flags & _core.READING_SAME),
            bool(flags & _core.READING_WRAP),
            bool(flags & _core.READING_RESET),
            bool(flags & _core.READING_CHARGE_COUNTER),
            left_j,
            update_ns or None,
        )

    def __iter__(self) -> Iterator[Reading]:
        due = time.monotonic()
        while True:
            yield self.read()
            # One that took too long has missed some.
            missed = max(0.0, time.monotonic() - due) // self.interval_s
            due += (missed + 1) * self.interval_s
            time.sleep(max(0.0, due - time.monotonic()))

    def record(
        self, duration_s: float
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Times in nanoseconds and watts, for ssdpm.measure.

        Ctrl-C, or a meter that fails, ends it with what was measured, the latter with
        a warning. A failure before anything was measured is raised.

        Args:
            duration_s: how long; infinity: until Ctrl-C.
        """
        end = time.monotonic() + _seconds(duration_s, "duration_s", endless=True)
        times: list[int] = []
        power: list[float] = []
        try:
            for reading in self:
                times.append(reading.time_ns)
                power.append(reading.power_w)
                if time.monotonic() + self.interval_s > end:
                    break
        except KeyboardInterrupt:
            if not times:
                raise
        except Error as error:
            if not times:
                raise
            warnings.warn(
                f"{self.meter.name}: ended after {len(times)} readings: {error}",
                RuntimeWarning,
                stacklevel=2,
            )
        return np.array(times, np.int64), np.array(power, np.float64)

    def close(self) -> None:
        """Let the meter go; close it again without harm."""
        self._handle = None

    def __enter__(self) -> Sampler:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ssdpm.Sampler {self.meter.name!r}, each {self.interval_s:g} s>"
