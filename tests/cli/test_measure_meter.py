# SPDX-License-Identifier: MIT
"""ssdpm measure --meter: power that is measured now."""

from __future__ import annotations

import os
import pathlib
import re
import signal
import subprocess
import time
from typing import Callable

import pytest
from command import Command

SUPPLIES = "sys/class/power_supply"


def put(root: pathlib.Path, path: str, **texts: object) -> pathlib.Path:
    folder = root / path
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(f"{text}\n")
    return folder


@pytest.fixture
def battery(tmp_path: pathlib.Path) -> pathlib.Path:
    """BAT0 of a root, whose files a test may change while they are read."""
    return put(
        tmp_path / "root",
        f"{SUPPLIES}/BAT0",
        type="Battery",
        status="Discharging",
        power_now=6200000,
        energy_now=41000000,
    )


def meter(battery: pathlib.Path, *more: str) -> list[str]:
    root = battery.parents[len(SUPPLIES.split("/"))]
    call = ["measure", "energy", "--root", str(root), "--meter", "BAT0"]
    return [*call, "--interval", "20ms", *more]


def start(
    ssdpm: Command, *call: str, before: tuple[str, ...] = ()
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*before, "ssdpm", *call],
        cwd=ssdpm.directory,
        env=ssdpm.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_lines(path: pathlib.Path, n: int) -> None:
    """Until there are so many samples in a file that is being written."""
    for _ in range(3000):
        if path.exists() and path.read_text().count("\n") >= n:
            return
        time.sleep(0.01)
    raise AssertionError(f"{path} has no {n} lines")


def test_a_battery_is_read_and_kept_for_the_same_answer_later(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    answer = ssdpm.json(*meter(battery, "--for", "300ms", "--save", "kept.csv", "-q"))
    assert answer["file"] == "BAT0"
    assert answer["min_power_uw"] == answer["max_power_uw"] == 6200000
    assert answer["counter_nj"] == 0
    assert 2 <= answer["n"] <= 16
    assert answer["energy_nj"] == pytest.approx(
        6.2 * answer["covered_ns"], abs=10_000
    )
    kept = (ssdpm.directory / "kept.csv").read_text().splitlines()
    assert kept[0] == "# meter: battery BAT0"
    assert kept[1] == "time_s,power_w,energy_j"
    assert kept[2] == "0.000000,6.200000,0.000000"
    again = ssdpm.json("measure", "energy", "kept.csv")
    assert again.pop("counter_nj") is None
    assert again | {"file": "BAT0"} == {
        key: value for key, value in answer.items() if key != "counter_nj"
    }


def test_baselines_and_background_work_come_from_meters_too(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    for action, schema in (("baseline", "baseline"), ("background", "background")):
        call = meter(battery, "--for", "300ms", "--idle", "0s..300ms", "-q")
        answer = ssdpm.json("measure", action, *call[2:])
        assert answer["schema"] == f"ssdpm.{schema}/1"
        assert answer["level_uw"] == 6200000


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_what_was_measured(
    ssdpm: Command, battery: pathlib.Path, name: signal.Signals
) -> None:
    kept = ssdpm.directory / "kept.csv"
    process = start(ssdpm, *meter(battery, "--save", str(kept)))
    wait_for_lines(kept, 6)
    process.send_signal(name)
    out, talk = process.communicate(timeout=30)
    assert process.returncode == 0, talk
    assert out.startswith("BAT0: ") and "6.2 W on average" in out
    assert "BAT0 is read until Ctrl-C" in talk


def test_under_nohup_it_goes_on_when_the_terminal_ends(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    kept = ssdpm.directory / "kept.csv"
    process = start(ssdpm, *meter(battery, "--save", str(kept)), before=("nohup",))
    wait_for_lines(kept, 6)
    process.send_signal(signal.SIGHUP)
    wait_for_lines(kept, 2 * kept.read_text().count("\n"))
    process.send_signal(signal.SIGINT)
    out, talk = process.communicate(timeout=30)
    assert process.returncode == 0, talk
    assert "6.2 W on average" in out


def ended_by(ssdpm: Command, battery: pathlib.Path, event: Callable[[], object]) -> str:
    """What is said if this ends a measurement, whose power so far is printed."""
    kept = ssdpm.directory / "kept.csv"
    process = start(ssdpm, *meter(battery, "--for", "60s", "--save", str(kept)))
    wait_for_lines(kept, 6)
    event()
    out, talk = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "6.2 W on average" in out
    return talk


def test_what_was_measured_before_a_battery_charges_is_printed(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    status = battery / "status"
    talk = ended_by(ssdpm, battery, lambda: status.write_text("Charging\n"))
    assert "BAT0 charges" in talk and "what was measured before" in talk
    assert ssdpm.output("measure", "energy", "kept.csv").splitlines()[0].endswith(
        "6.2 W on average"
    )


def test_what_was_measured_before_a_meter_vanishes_is_printed(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    talk = ended_by(ssdpm, battery, (battery / "power_now").unlink)
    assert "BAT0/power_now is gone" in talk


def test_what_was_saved_survives_sigkill(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    kept = ssdpm.directory / "kept.csv"
    process = start(ssdpm, *meter(battery, "--save", str(kept)))
    wait_for_lines(kept, 8)
    process.kill()
    process.communicate(timeout=30)
    assert int(ssdpm.output("measure", "energy", "--value", "n", "kept.csv")) >= 6


def test_readings_without_a_number_are_left_out(ssdpm: Command) -> None:
    ssdpm.write("meter", "echo x >> n; test $(wc -l < n) = 3 && echo none || echo 5\n")
    call = ["--meter", "command:sh meter", "--for", "400ms", "--interval", "40ms"]
    result = ssdpm("measure", "energy", *call)
    assert result.returncode == 0
    assert b'prints "none": no number: left out' in result.stderr
    assert b"5 W on average" in result.stdout


def test_a_meter_that_never_has_a_number_ends_it(ssdpm: Command) -> None:
    call = ["--meter", "command:echo none", "--interval", "10ms", "-q"]
    result = ssdpm("measure", "energy", *call)
    assert result.returncode == 1 and result.stdout == b""
    assert result.stderr.count(b"no number") == 2


def test_a_meter_that_is_slower_than_it_is_read_is_said(ssdpm: Command) -> None:
    ssdpm.write("meter", "echo x >> n; echo $((10 + $(wc -l < n) / 5)) W\n")
    call = ["--meter", "command:sh meter", "--for", "1s", "--interval", "50ms"]
    result = ssdpm("measure", "energy", *call)
    assert result.returncode == 0
    assert b"command repeats its value, and measures about each" in result.stderr
    assert b"repeats" not in ssdpm("measure", "energy", *call, "-q").stderr


def test_a_constant_meter_is_asked_whether_it_measures(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    result = ssdpm(*meter(battery, "--for", "400ms"))
    assert b"BAT0 said the same" in result.stderr
    assert b"all the same" in result.stdout


def test_what_a_counter_says_is_said_whatever_the_steps(
    ssdpm: Command, tmp_path: pathlib.Path
) -> None:
    zone = put(
        tmp_path / "root",
        "sys/class/powercap/intel-rapl:0",
        name="package-0",
        energy_uj=262143000000,
        max_energy_range_uj=262143328850,
    )
    kept = ssdpm.directory / "kept.csv"
    root = ["--root", str(tmp_path / "root"), "--meter", "package-0"]
    call = ["measure", "energy", *root, "--interval", "20ms", "--save", str(kept)]
    process = start(ssdpm, *call, "--json")
    wait_for_lines(kept, 4)
    (zone / "new").write_text("171150\n")
    os.replace(zone / "new", zone / "energy_uj")
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, talk = process.communicate(timeout=30)
    assert process.returncode == 0, talk
    lines = kept.read_text().splitlines()
    assert lines[1:3] == ["time_s,energy_j", "0.000000,0.000000"]
    assert lines[-1].endswith(",0.500000")
    assert '"counter_nj": 500000000,' in out and '"n_resets": 0,' in out


def test_meters_that_are_not_there_or_cannot_be_read_are_named(
    ssdpm: Command, battery: pathlib.Path, machine: Callable[[str], pathlib.Path]
) -> None:
    call = ["measure", "energy", "--root", str(battery.parents[3])]
    assert "there are BAT0" in ssdpm.fails(1, *call, "--meter", "BAT1")
    (battery / "status").write_text("Full\n")
    assert "unplug" in ssdpm.fails(1, *call, "--meter", "battery")
    assert "capture" in ssdpm.fails(3, *call, "--meter", "command:echo 5")
    laptop = ["measure", "energy", "--root", str(machine("laptop"))]
    assert "capture" in ssdpm.fails(3, *laptop, "--meter", "nvme0")
    assert "no capture" in ssdpm.fails(
        1, "measure", "energy", "--root", "bin", "--meter", "BAT0"
    )


def test_who_may_not_read_rapl_is_told(
    ssdpm: Command,
    tmp_path: pathlib.Path,
    unprivileged: Callable[..., subprocess.CompletedProcess[bytes]],
) -> None:
    zone = put(tmp_path / "root", "sys/class/powercap/intel-rapl:0", energy_uj=5)
    (zone / "energy_uj").chmod(0)
    root = ["--root", str(tmp_path / "root"), "--meter", "intel-rapl:0"]
    result = unprivileged("measure", "energy", *root)
    assert result.returncode == 4
    assert b"since Linux 5.10 only root may read it" in result.stderr


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (["energy", "--meter", "BAT0", "p.csv"], "takes the place of FILE"),
        (["energy", "--meter", "BAT0", "--rate", "1Hz"], "takes the place of FILE"),
        (["background", "--meter", "BAT0", "--sweep", "x"], "the place of FILE"),
        (["energy", "--for", "1s", "p.csv"], "--for needs --meter"),
        (["energy", "--interval", "1s", "p.csv"], "--interval needs --meter"),
        (["energy", "--save", "x", "p.csv"], "--save needs --meter"),
        (["energy", "--meter", "BAT0", "--for", "0s"], "must be above 0"),
        (["energy", "--meter", "BAT0", "--interval", "5"], "as in"),
    ],
)
def test_what_makes_no_sense_of_a_meter_is_a_matter_of_usage(
    ssdpm: Command, call: list[str], words: str
) -> None:
    assert words in ssdpm.fails(2, "measure", *call)


def test_a_terminal_sees_how_far_it_is(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    call = " ".join(["ssdpm", *meter(battery, "--for", "2500ms")])
    seen = ssdpm.shell(f"script -qec '{call}' /dev/null").stdout
    assert re.search(r"ssdpm: BAT0: [12] s, [01] s left, 6\.2 W", seen)
    assert "6.2 W on average" in seen
    quiet = ssdpm.shell(f"script -qec '{call} -q' /dev/null").stdout
    assert "left" not in quiet


def test_nothing_is_written_over(ssdpm: Command, battery: pathlib.Path) -> None:
    ssdpm.write("kept.csv", "dear\n")
    message = ssdpm.fails(1, *meter(battery, "--save", "kept.csv"))
    assert "kept.csv: File exists: --save takes a new file" in message
    assert (ssdpm.directory / "kept.csv").read_text() == "dear\n"
    call = ["measure", "energy", "--meter", "command:exit 1", "--save", "new.csv"]
    assert "status 1" in ssdpm.fails(1, *call, "-q")
    assert not (ssdpm.directory / "new.csv").exists()
    assert "no/kept.csv" in ssdpm.fails(1, *meter(battery, "--save", "no/kept.csv"))


def test_a_disk_that_is_full_ends_it(ssdpm: Command, battery: pathlib.Path) -> None:
    line = " ".join(meter(battery, "--for", "10s", "--save", "kept.csv", "-q"))
    result = ssdpm.shell(f"ulimit -f 0; trap '' XFSZ; ssdpm {line}")
    assert result.returncode == 1
    assert "kept.csv: File too large" in result.stderr
