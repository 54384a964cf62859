# SPDX-License-Identifier: MIT
"""What the command measures, and what ssdpm.measure does with the same files."""

from __future__ import annotations

import json

import measured_run
import ssdpm as package
from command import Command
from ssdpm import measure

RUN = ["intel-760p.json", "run-power.csv", "run-ios.csv"]


def test_python_calibrates_as_the_command_does(ssdpm: Command) -> None:
    measured_run.write(ssdpm.directory)
    ssdpm.output("measure", "calibrate", *RUN, "--save", "measured.json")
    drive, power, ios = (ssdpm.directory / name for name in RUN)
    found = measure.calibrate(
        package.Model(drive), package.read_trace(ios), measure.read_power(power)
    )
    ours = json.loads(found.to_json())
    theirs = json.loads((ssdpm.directory / "measured.json").read_text())
    for name in ("policy", "power_name", "trace_name"):
        ours.pop(name), theirs.pop(name)
    assert ours == theirs and found.known


def test_a_file_of_python_is_one_of_the_command(ssdpm: Command) -> None:
    measured_run.write(ssdpm.directory)
    drive, power, ios = (ssdpm.directory / name for name in RUN)
    model = package.Model(drive)
    measure.calibrate(model, package.read_trace(ios), measure.read_power(power)).save(
        ssdpm.directory / "ours.json"
    )
    loaded = measure.Calibration.load(ssdpm.directory / "ours.json")
    trace = package.generate("lomax")
    estimate = package.estimate(model, trace, measured=loaded)
    said = ssdpm.json("estimate", "-t", "lomax", "--measured", "ours.json", RUN[0])
    for corner in ("low", "nominal", "high"):
        run = getattr(estimate, corner)
        assert said[corner]["energy_nj"] == run.energy_nj
        assert said[corner]["delay_max_ns"] == run.delay_max_ns


def test_python_integrates_as_the_command_does(ssdpm: Command) -> None:
    measured_run.write(ssdpm.directory)
    said = ssdpm.json("measure", "energy", RUN[1])
    found = measure.energy(measure.read_power(ssdpm.directory / RUN[1]))
    assert said["n"] == found.n
    assert abs(said["energy_nj"] / 1e9 - found.energy_j) < 1e-9
