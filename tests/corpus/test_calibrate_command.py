# SPDX-License-Identifier: MIT
"""A calibration from what was measured of a real drive.

PowerSensor3 (ISPASS 2025) has the mean power and the throughput of random reads for
each size of request, one at a time, for 10 s each. No trace of I/Os was published; but
one read at a time of a known size, at a known rate, is a trace: each takes its size by
the rate. The drive was never idle, so nothing is found of that.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import subprocess

import numpy as np
import numpy.typing as npt

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / os.environ.get("SSDPM_BUILD", "build")
COMMAND = BUILD / "examples/ssdpm/ssdpm"
SHARED = pathlib.Path(os.environ.get("SSDPM_SHARED", TOP.parent / "shared"))
TRACES = SHARED / "data/traces"

Floats = npt.NDArray[np.float64]

# Read from the same figures once, by other means: watts, and mJ/MiB as pJ a byte.
BASE_UW, BYTE_PJ = 2518000, 621e6 / 2**20
STEP_NS = 200_000_000  # stands for the 10 s of a size
BINS = 60

DRIVE = {
    "schema": "ssdpm.model/1",
    "kind": "nvme",
    "states": [{"operational": True, "max_power_uw": 9000000}],
}


def columns(name: str) -> tuple[Floats, Floats]:
    first, second = np.loadtxt(TRACES / name, delimiter=",", skiprows=1, unpack=True)
    return first, second


def runs() -> list[tuple[float, float, float]]:
    """Size in bytes, bytes per second, watts: means of sizes that are alike."""
    size, power = columns("ps3_nvme_randread_power_vs_bs.csv")
    known, rate = columns("ps3_nvme_randread_bw_vs_bs.csv")
    rate = np.interp(size, known, rate)
    place = np.digitize(size, np.geomspace(size.min(), size.max() * 1.0001, BINS + 1))
    means = [
        (size[place == one].mean() * 1024, rate[place == one].mean() * 2**20)
        + (power[place == one].mean(),)
        for one in np.unique(place)
    ]
    # In the order of sizes they would look like a drift of the instrument.
    random.Random(1).shuffle(means)
    return means


def write(directory: pathlib.Path) -> None:
    power, ios = ["time_s,power_w"], ["start_ns,offset,bytes,service_ns,op,flags"]
    for i, (size, rate, watts) in enumerate(runs()):
        begin_ns = i * STEP_NS
        n = max(1, round(STEP_NS / 1e9 * rate / size))
        power.append(f"{(begin_ns + STEP_NS / 2) / 1e9:.6f},{watts:.5f}")
        for j in range(n):
            start_ns = begin_ns + j * STEP_NS // n
            end_ns = begin_ns + (j + 1) * STEP_NS // n
            ios.append(f"{start_ns},0,{round(size)},{end_ns - start_ns},read,0")
    (directory / "power.csv").write_text("\n".join(power) + "\n")
    (directory / "ios.csv").write_text("\n".join(ios) + "\n")
    (directory / "drive.json").write_text(json.dumps(DRIVE))


def test_the_line_of_real_reads_is_in_the_intervals(tmp_path: pathlib.Path) -> None:
    write(tmp_path)
    call = [str(COMMAND), "measure", "calibrate", "--none", "--offset", "100ms"]
    result = subprocess.run(
        [*call, "--byte-energy", "--json", "drive.json", "power.csv", "ios.csv"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    measured = json.loads(result.stdout)["measured"]
    found = {(one["kind"], one["index"]): one for one in measured}
    for name, value in [
        (("active_power_uw", 0), BASE_UW),
        (("byte_energy_pj", 0), BYTE_PJ),
    ]:
        one = found[name]
        assert one["status"] == "known"
        assert one["low"] <= value <= one["high"]
        assert abs(one["nominal"] / value - 1) < 0.01
        assert one["high"] - one["low"] < 0.02 * value
    assert found["idle_power_uw", 0]["status"] == "not-reached"
