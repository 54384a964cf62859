# SPDX-License-Identifier: MIT
"""Meters by name, and samplers of them, on roots whose files a test changes."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ssdpm

Maker = Callable[[str], Path]


def put(folder: Path, **texts: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(f"{text}\n")
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    battery = tmp_path / "sys/class/power_supply/BAT0"
    put(battery, type="Battery", status="Discharging", power_now=6200000)
    put(battery, energy_now=41000000)
    return tmp_path


def battery_of(root: Path) -> Path:
    return root / "sys/class/power_supply/BAT0"


def test_meters_are_found_by_name_and_path(root: Path) -> None:
    meter = ssdpm.find_meter("BAT0", root)
    assert meter == ssdpm.Machine(root).meters()[0]
    assert meter == ssdpm.Machine(root).find_meter(meter.path)
    assert meter == ssdpm.find_meter("battery", root)
    with pytest.raises(ssdpm.NotFoundError, match="there are BAT0"):
        ssdpm.find_meter("BAT1", root)
    with pytest.raises(ssdpm.UnsupportedError, match="capture"):
        ssdpm.find_meter("command:echo 5", root)
    with pytest.raises(TypeError, match="name: a str is needed"):
        ssdpm.find_meter(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="zero byte"):
        ssdpm.find_meter("BAT0\0", root)


def test_drives_of_a_capture_are_no_meters(machine: Maker) -> None:
    with pytest.raises(ssdpm.UnsupportedError):
        ssdpm.find_meter("nvme0", machine("laptop"))


def test_a_reading_has_power_energy_and_time(root: Path) -> None:
    with ssdpm.Sampler("BAT0", root) as sampler:
        first = sampler.read()
        assert (first.power_w, first.energy_j) == (6.2, 0)
        assert not (first.same or first.wrapped or first.reset)
        put(battery_of(root), energy_now=40999990)
        second = sampler.read()
        assert second.energy_j == pytest.approx(0.036)
        assert second.same and not second.charge_counter
        assert second.time_ns > first.time_ns


def test_a_counter_has_no_power_at_first_and_may_wrap(root: Path) -> None:
    zone = root / "sys/class/powercap/intel-rapl:0"
    put(zone, name="package-0", energy_uj=9_000_000, max_energy_range_uj=10_000_000)
    sampler = ssdpm.Sampler("package-0", root)
    first = sampler.read()
    assert math.isnan(first.power_w) and first.energy_j == 0
    put(zone, energy_uj=0)
    second = sampler.read()
    assert second.wrapped and not second.reset
    assert second.energy_j == 1
    assert second.power_w == pytest.approx(1e9 / (second.time_ns - first.time_ns))
    put(zone, energy_uj=20_000_000, max_energy_range_uj="none")
    put(zone, energy_uj=1)
    third = sampler.read()
    assert third.energy_j >= 0


def test_what_charges_or_is_gone_is_an_error_of_its_own(root: Path) -> None:
    sampler = ssdpm.Sampler("BAT0", root)
    put(battery_of(root), status="Charging")
    with pytest.raises(ssdpm.BusyError, match="unplug the charger"):
        sampler.read()
    with pytest.raises(ssdpm.BusyError):
        ssdpm.Sampler("BAT0", root)
    put(battery_of(root), status="Discharging", power_now="x")
    with pytest.raises(ssdpm.InvalidError, match="holds no number"):
        sampler.read()
    (battery_of(root) / "power_now").unlink()
    with pytest.raises(ssdpm.GoneError, match="is gone"):
        sampler.read()
    put(battery_of(root), power_now=5000000)
    assert sampler.read().power_w == 5


def test_a_command_is_a_meter() -> None:
    sampler = ssdpm.Sampler("command:echo 5210 mW")
    assert sampler.meter == ssdpm.Meter("command", "command", "echo 5210 mW", True)
    assert sampler.read().power_w == 5.21
    assert math.isnan(sampler.read().energy_j)
    with pytest.raises(ssdpm.GoneError, match="status 3"):
        ssdpm.Sampler("command:exit 3").read()


def test_iteration_waits_for_the_interval(root: Path) -> None:
    sampler = ssdpm.Sampler("BAT0", root, interval_s=0.02)
    times = [reading.time_ns for reading in itertools.islice(sampler, 4)]
    assert times[-1] - times[0] >= 3 * 0.02e9 * 0.9


def test_a_record_is_what_the_measurement_takes(root: Path) -> None:
    sampler = ssdpm.Sampler("BAT0", root, interval_s=0.02)
    times, power = sampler.record(0.2)
    assert times.dtype == np.int64 and power.dtype == np.float64
    assert 2 <= len(times) == len(power) <= 12
    energy = ssdpm.measure.energy(power, times=times)
    assert energy.energy_j == pytest.approx(6.2 * (times[-1] - times[0]) / 1e9)


def test_a_record_keeps_what_was_measured_before_the_meter_failed(
    tmp_path: Path,
) -> None:
    count = tmp_path / "count"
    line = f"echo x >> {count}; test $(wc -l < {count}) -lt 4 && echo 5"
    sampler = ssdpm.Sampler(f"command:{line}", interval_s=0.01)
    with pytest.warns(RuntimeWarning, match="ended after 3 readings"):
        times, power = sampler.record(math.inf)
    assert list(power) == [5, 5, 5] and len(times) == 3
    with pytest.raises(ssdpm.GoneError):
        sampler.record(1)


def test_ctrl_c_ends_a_record(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    naps = iter([None, None, KeyboardInterrupt()])

    def sleep(_: float) -> None:
        nap = next(naps)
        if nap is not None:
            raise nap

    monkeypatch.setattr("ssdpm.device.sampler.time.sleep", sleep)
    _, power = ssdpm.Sampler("BAT0", root, interval_s=0.01).record(math.inf)
    assert list(power) == [6.2] * 3


def test_a_closed_sampler_reads_nothing(root: Path) -> None:
    with ssdpm.Sampler("BAT0", root) as sampler:
        pass
    with pytest.raises(ValueError, match="closed"):
        sampler.read()
    sampler.close()


def test_several_threads_may_share_a_sampler(root: Path) -> None:
    sampler = ssdpm.Sampler("BAT0", root)
    powers: list[float] = []

    def read() -> None:
        powers.extend(sampler.read().power_w for _ in range(50))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert powers == [6.2] * 200


def test_arguments_are_checked(root: Path) -> None:
    with pytest.raises(TypeError, match=r"ssdpm\.Meter is needed"):
        ssdpm.Sampler(5, root)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="interval_s: seconds are needed"):
        ssdpm.Sampler("BAT0", root, interval_s="1")  # type: ignore[arg-type]
    for seconds in (0, -1, math.inf, math.nan):
        with pytest.raises(ssdpm.RangeError, match="interval_s"):
            ssdpm.Sampler("BAT0", root, interval_s=seconds)
    with pytest.raises(ssdpm.RangeError, match="duration_s"):
        ssdpm.Sampler("BAT0", root).record(0)
    with pytest.raises(ValueError, match="none of 'battery'"):
        ssdpm.Sampler(ssdpm.Meter("scale", "x", "/x/y", True), root)
    with pytest.raises(ssdpm.InvalidError, match="no path"):
        ssdpm.Sampler(ssdpm.Meter("hwmon", "x", "y", True), root)


def test_a_sampler_is_of_this_process_and_prints_its_meter(root: Path) -> None:
    sampler = ssdpm.Sampler("BAT0", root, interval_s=2)
    assert repr(sampler) == "<ssdpm.Sampler 'BAT0', each 2 s>"
    assert copy.copy(sampler) is sampler
    with pytest.raises(TypeError, match=r"cannot pickle an ssdpm\.Sampler"):
        pickle.dumps(sampler)
