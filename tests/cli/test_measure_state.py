# SPDX-License-Identifier: MIT
"""ssdpm measure state: which power state is a measured idle power of?"""

from __future__ import annotations

import json
import pathlib
import random
from collections.abc import Callable
from typing import Any

import documented
import pytest
from command import Command

import ssdpm as package
from ssdpm import measure

# 25 mW in PS3, 5 mW in PS4; idle powers are assumed from the maximums.
DRIVE = {
    "schema": "ssdpm.model/1",
    "kind": "nvme",
    "product": "Five States",
    "states": [
        {"operational": True, "max_power_uw": 3_500_000},
        {"operational": True, "max_power_uw": 2_400_000},
        {"operational": True, "max_power_uw": 1_900_000},
        {"operational": False, "max_power_uw": 25_000},
        {"operational": False, "max_power_uw": 5_000},
    ],
}


def write_power(ssdpm: Command, watts: float) -> str:
    """Two seconds of an idle drive at 1 kHz, with noise of 2 %."""
    noise = random.Random(4)
    lines = [
        f"{i / 1000:.3f},{noise.gauss(watts, watts / 50):.6f}" for i in range(2000)
    ]
    ssdpm.write("power.csv", "\n".join(["time_s,power_w", *lines, ""]))
    return "power.csv"


@pytest.fixture
def drive(ssdpm: Command) -> str:
    ssdpm.write("drive.json", json.dumps(DRIVE))
    return "drive.json"


@pytest.mark.parametrize(
    ("watts", "answer"),
    [
        (0.03, "PS3"),
        (0.012, "PS3 (or PS4)"),
        (0.005, "PS4"),
        (0.5, "cannot tell PS0, PS1 and PS2 apart"),
        (0.15, "cannot tell PS1 and PS2 apart"),
        (0.092, "none fits: it is between PS2 and PS3"),
        (8, "none fits: it is above PS0"),
        (0.0005, "none fits: it is below PS4"),
    ],
)
def test_the_second_line_is_the_answer(
    ssdpm: Command, drive: str, watts: float, answer: str
) -> None:
    lines = ssdpm.output("measure", "state", drive, write_power(ssdpm, watts))
    assert lines.splitlines()[1] == f"  {answer}"


def test_a_power_that_is_known_needs_no_file(ssdpm: Command, drive: str) -> None:
    call = ["measure", "state", "--power", "30mW", drive]
    first, answer, *_ = ssdpm.output(*call).splitlines()
    assert (first, answer) == (f"{drive}: 30 mW when idle (28.6 mW to 31.6 mW)", "  PS3")
    model = package.Model(ssdpm.directory / drive)
    assert measure.idle_state(model, 0.03).to_dict() == ssdpm.json(*call)
    assert "power.csv: --power takes no file" in ssdpm.fails(2, *call, "power.csv")
    assert "--power 0" in ssdpm.fails(2, "measure", "state", "--power", "0W", drive)


def test_the_link_of_the_machine_is_part_of_the_power(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    """The link of nvme1 is always on, which takes more than PS3 and PS4."""
    call = ["measure", "state", "--power", "310mW", "--root", str(machine("no-aspm")), "nvme1"]
    assert ssdpm.output(*call).splitlines()[1] == "  cannot tell PS1, PS2, PS3 and PS4 apart"
    assert "PS3" not in ssdpm.output(*call, "--pcie-link", "l1.2").splitlines()[1]
    device = package.open("nvme1", machine("no-aspm"))
    assert measure.idle_state(device, 0.31).to_dict() == ssdpm.json(*call)


def test_the_states_of_a_link_have_names(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    call = ["measure", "state", "--root", str(machine("desktop-6.1")), "sda", "--power"]
    assert ssdpm.output(*call, "30mW").splitlines()[1] == "  PS2 slumber"
    text = ssdpm.output(*call, "15mW")
    assert "none fits: it is between PS2 slumber and PS3 devsleep" in text


def test_a_state_without_a_power_is_unknown(ssdpm: Command) -> None:
    states: list[dict[str, Any]] = [dict(one) for one in DRIVE["states"]]  # type: ignore[attr-defined]
    del states[4]["max_power_uw"]
    ssdpm.write("part.json", json.dumps({**DRIVE, "states": states}))
    text = ssdpm.output("measure", "state", "part.json", write_power(ssdpm, 0.03))
    assert "\n  PS3; the power of PS4 is unknown\n" in text
    text = ssdpm.output("measure", "state", "part.json", write_power(ssdpm, 0.001))
    assert "\n  unknown: ssdpm knows no power of PS4\n" in text
    assert "  PS4          -" in text


def test_the_json_has_the_ranges_and_python_the_same_bytes(
    ssdpm: Command, drive: str
) -> None:
    power = write_power(ssdpm, 0.03)
    page = json.loads(ssdpm.output("measure", "state", "--json", drive, power))
    (item,) = page["idle_states"]
    documented.check(item)
    assert (item["verdict"], item["state"]) == ("one", 3)
    assert item["states"][4]["low_uw"] == 1250
    found = measure.idle_state(
        package.Model(ssdpm.directory / drive),
        measure.baseline(measure.read_power(ssdpm.directory / power)),
    )
    assert found.to_dict() == item
    value = ssdpm.output("measure", "state", "--value", "verdict", drive, power)
    assert value == "one\n"


def test_a_better_meter_tells_more(ssdpm: Command, drive: str) -> None:
    power = write_power(ssdpm, 0.084)
    wide = ssdpm.output("measure", "state", "--meter-gain", "5%", drive, power)
    narrow = ssdpm.output("measure", "state", "--meter-gain", "0.1%", drive, power)
    assert wide.splitlines()[1] == "  PS3"
    assert narrow.splitlines()[1] == "  none fits: it is between PS2 and PS3"


def test_wrong_use_is_refused(ssdpm: Command, drive: str) -> None:
    assert "expected DRIVE FILE" in ssdpm.fails(2, "measure", "state", drive)
    assert ssdpm.fails(2, "measure", "state", drive, "30mW").endswith(
        "30mW: there is no such file; for a power: --power 30mW"
    )
    message = ssdpm.fails(2, "measure", "state", "-", "-")
    assert "standard input is named twice" in message


def test_the_recovered_run_of_a_drive_at_work_fits_no_idle_state(
    ssdpm: Command, drive: str
) -> None:
    """Its writes took 3.19 W (PowerSensor3, ISPASS 2025), no idle power of such a
    drive."""
    lines = [f"{i},{3.19 + (i % 5) / 500}" for i in range(170)]
    ssdpm.write("busy.csv", "\n".join(["time_s,power_w", *lines, ""]))
    text = ssdpm.output("measure", "state", "-i", "0s..170s", drive, "busy.csv")
    assert "none fits: it is above PS0" in text
