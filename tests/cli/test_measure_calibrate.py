# SPDX-License-Identifier: MIT
"""ssdpm measure calibrate, and what every estimate does with its result."""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import subprocess
from collections.abc import Callable
from typing import Any

import documented
import measured_run
import pytest
import ssdpm as package
import test_completion as completion
from command import Command

RUN = ["intel-760p.json", "run-power.csv", "run-ios.csv"]
BARE = ["measure", "calibrate", *RUN]
# The power of the run is made without an error of the gain.
EXACT = ["--meter-gain", "0%"]
CALIBRATE = [*BARE, *EXACT]
SAVE = [*CALIBRATE, "--save", "measured.json"]
UW = 1e6


@pytest.fixture
def run(ssdpm: Command) -> measured_run.Run:
    """The files of a run whose truth is known."""
    return measured_run.write(ssdpm.directory)


@pytest.fixture(scope="module")
def saved_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is saved of that run: to find it takes long."""
    ssdpm = Command(tmp_path_factory.mktemp("saved"))
    measured_run.write(ssdpm.directory)
    ssdpm.output(*SAVE)
    text = (ssdpm.directory / "measured.json").read_text()
    documented.check(json.loads(text))
    return text


@pytest.fixture
def saved(ssdpm: Command, run: measured_run.Run, saved_text: str) -> dict[str, Any]:
    """Beside the files of the run."""
    ssdpm.write("measured.json", saved_text)
    overlay: dict[str, Any] = json.loads(saved_text)
    return overlay


def by_name(overlay: dict[str, Any]) -> dict[tuple[str, int], dict[str, Any]]:
    return {(one["kind"], one["index"]): one for one in overlay["measured"]}


def test_what_is_known_of_the_drive_is_in_every_interval(
    saved: dict[str, Any], run: measured_run.Run
) -> None:
    truth, found = run.truth, by_name(saved)
    for name, value in {
        ("idle_power_uw", 0): truth.idle_w * UW,
        ("idle_power_uw", 4): truth.asleep_w * UW,
        ("active_power_uw", 0): truth.active_w["read"] * UW,
        ("active_power_uw", 1): truth.active_w["write"] * UW,
        ("transition_power_uw", 0): truth.transition_w * UW,
        ("exit_latency_us", 4): truth.exit_ns / 1000,
    }.items():
        one = found[name]
        assert one["status"] == "known" and one["n"] > 100
        assert one["low"] <= value <= one["high"], name
        assert one["high"] - one["low"] < 0.02 * value + 5000, name
    assert found["idle_power_uw", 3]["status"] == "not-reached"
    assert found["idle_power_uw", 3]["low"] is None
    assert found["idle_power_uw", 3]["reason"]


def test_where_it_is_from_is_kept_and_no_serial_or_directory(
    ssdpm: Command, saved: dict[str, Any], run: measured_run.Run
) -> None:
    assert saved["schema"] == "ssdpm.overlay/1"
    assert (saved["product"], saved["firmware"]) == ("INTEL SSDPEKKW256G8", "001C")
    assert saved["policy"] == "linux: PS0-PS3 to PS4 after 100 ms"
    assert (saved["pcie_link"], saved["lpm"]) == ("l1.2", None)
    assert (saved["power_name"], saved["trace_name"]) == (RUN[1], RUN[2])
    assert (saved["n_samples"], saved["n_ios"]) == (5000, len(run.ios))
    assert saved["date"] is None
    assert 17000 < saved["sigma_uw"] < 22000
    path = str(ssdpm.directory / "run-power.csv")
    call = ["measure", "calibrate", RUN[0], path, RUN[2], *EXACT]
    call += ["--date", "2026-11-22"]
    again = ssdpm.json(*call)
    assert again == {**saved, "date": "2026-11-22"}


def test_python_finds_the_same_of_a_run_as_the_command(
    saved: dict[str, Any], ssdpm: Command
) -> None:
    files = [ssdpm.directory / name for name in RUN]
    (drive,) = package.load(files[0])
    power, trace = package.measure.read_power(files[1]), package.read_trace(files[2])
    found = package.measure.calibrate(drive, trace, power, meter_gain_ppm=0)
    assert json.loads(found.to_json()) == saved


def test_the_clocks_are_brought_together(
    ssdpm: Command, saved: dict[str, Any], run: measured_run.Run
) -> None:
    # The first sample is the mean of a step that begins half of it before.
    offset_ns = run.step_ns // 2 - run.truth.lead_ns
    assert abs(saved["offset_ns"] - offset_ns) <= saved["offset_error_ns"] < 10**6
    given = ssdpm.json(*CALIBRATE, "--offset", "-2.29s")
    assert (given["offset_ns"], given["offset_error_ns"]) == (-2290000000, 0)
    near = ssdpm.json(*CALIBRATE, "--offset", "-2s", "--max-offset", "1s")
    assert abs(near["offset_ns"] - offset_ns) <= near["offset_error_ns"]
    message = ssdpm.fails(1, *CALIBRATE, "--offset", "-1000s")
    assert "have both power and I/Os" in message
    call = [*CALIBRATE, "--max-offset", "1us"]
    assert "at any offset within --max-offset: is it" in ssdpm.fails(1, *call)
    message = ssdpm.fails(1, *CALIBRATE, "--offset", "0s", "--bin", "1ns")
    assert message.endswith(" steps of 1 ns: give a longer --bin")


def test_people_read_a_table_and_then_what_is_odd(
    ssdpm: Command, run: measured_run.Run
) -> None:
    text = ssdpm.output(*CALIBRATE)
    assert text.startswith(
        "intel-760p.json: INTEL SSDPEKKW256G8: 5,000 samples of run-power.csv, "
    )
    assert "in force: linux: PS0-PS3 to PS4 after 100 ms; asleep with the" in text
    assert "none was named" in text
    assert "2.29 s before the first I/O (+-" in text
    row = next(line for line in text.splitlines() if "exit latency PS4 " in line)
    assert row.split()[3:7] == ["8", "ms", "50", "ms"] and row.endswith("known")
    assert "not in this run: idle power PS1, idle power PS2" in text
    assert "none was named" not in ssdpm.output(*CALIBRATE, "-a", "linux")


def test_an_exit_latency_above_the_table_is_said_with_both_numbers(
    ssdpm: Command, saved: dict[str, Any]
) -> None:
    one = by_name(saved)["exit_latency_us", 4]
    assert one["exceeds"] and one["stated"] == 8000
    assert 49900 < one["low"] <= 50000 <= one["high"] < 50100
    (line,) = [x for x in ssdpm.output(*CALIBRATE).splitlines() if "exceeds" in x]
    assert "measured exit latency exceeds the table: 499" in line or "500" in line
    assert line.endswith("the table says 8000 us")


def test_what_cannot_be_told_apart_is_said_with_the_reason(ssdpm: Command) -> None:
    """Reads alone, all of one size: what is of an I/O, and what of its bytes?"""
    run = measured_run.write(ssdpm.directory)
    lines = run.ios_csv().splitlines()
    rows = [line.split(",") for line in lines[1:]]
    same = [",".join([r[0], r[1], "4096", r[3], r[4], r[5]]) for r in rows]
    ssdpm.write("run-ios.csv", "\n".join([lines[0], *same]) + "\n")
    call = [*CALIBRATE, "--operation-energy", "--byte-energy"]
    found = by_name(ssdpm.json(*call))
    both = [found["operation_energy_nj", 0], found["byte_energy_pj", 0]]
    assert {one["status"] for one in both} == {"not-identifiable"}
    assert all("not identifiable from this data" in one["reason"] for one in both)
    assert "byte energy read: not identifiable from this data: it cannot be told " in (
        ssdpm.output(*call)
    )


def test_energies_of_bytes_are_found_where_they_are_asked_for(
    ssdpm: Command,
) -> None:
    truth = measured_run.Truth(byte_j=4e-9)
    hits = 0
    n = 3 if "SSDPM_FEW_CASES" in os.environ else 10
    for seed in range(n):
        measured_run.write(ssdpm.directory, truth, seed)
        found = by_name(ssdpm.json(*CALIBRATE, "--byte-energy"))
        for one in (found["byte_energy_pj", 0], found["byte_energy_pj", 1]):
            hits += one["low"] <= 4000 <= one["high"]
            assert one["low"] > 0 and one["high"] < 8000, seed
    # 19 of 20 on average; fewer than 17 in 2 of 100 tests.
    assert hits >= 2 * n - 3
    refused = ssdpm(*CALIBRATE)
    assert refused.returncode == 1
    assert b"the power depends on the number or the size of I/Os" in refused.stderr
    assert b"(--operation-energy, --byte-energy)" in refused.stderr


def bounds(ssdpm: Command, *call: str) -> tuple[int, int]:
    answer = ssdpm.json("estimate", "-t", "lomax", *call, "intel-760p.json")
    return answer["low"]["energy_nj"], answer["high"]["energy_nj"]


@pytest.mark.usefixtures("saved")
def test_an_estimate_with_it_says_measured_and_has_closer_bounds(
    ssdpm: Command,
) -> None:
    # How long entering takes is not measured.
    entry = ["--entry-latency", "6ms"]
    low, high = bounds(ssdpm, *entry)
    near_low, near_high = bounds(ssdpm, *entry, "--measured", "measured.json")
    assert (near_high - near_low) * 100 < high - low
    call = ["estimate", "-t", "lomax", "--measured", "measured.json", RUN[0]]
    known = {(p["kind"], p["index"]): p for p in ssdpm.json(*call)["parameters"]}
    assert known["exit_latency_us", 4]["provenance"] == "measured"
    assert known["idle_power_uw", 0]["provenance"] == "measured"
    assert known["idle_power_uw", 0]["rule"] == "measured: an interval of 95 %"
    assert known["idle_power_uw", 1]["provenance"] == "assumed"
    # What the link takes is in what was measured.
    assert known["link_power_uw", 0]["high"] == 0
    text = ssdpm.output(*call, "--explain")
    assert ", with measured values\n" in text
    assert "measured: an interval of 95 %" in text


@pytest.mark.usefixtures("saved")
def test_the_delay_of_a_waking_io_is_the_measured_one(ssdpm: Command) -> None:
    call = ["estimate", "-t", "lomax", RUN[0]]
    stated = ssdpm.json(*call)["nominal"]["delay_mean_delayed_ns"]
    measured = ssdpm.json(*call, "--measured", "measured.json")
    # Some come while it falls asleep, which takes 6 ms.
    assert 8e6 <= stated < 8.5e6
    assert 49.9e6 < measured["nominal"]["delay_mean_delayed_ns"] < 50.5e6


@pytest.mark.usefixtures("saved")
def test_what_is_stated_wins_over_what_was_measured(ssdpm: Command) -> None:
    call = ["estimate", "-t", "lomax", RUN[0], "--exit-latency", "PS4=9ms"]
    answer = ssdpm.json(*call, "--measured", "measured.json")
    known = {(p["kind"], p["index"]): p for p in answer["parameters"]}
    one = known["exit_latency_us", 4]
    assert (one["nominal"], one["provenance"]) == (9000, "stated")
    assert known["idle_power_uw", 4]["provenance"] == "measured"


@pytest.mark.usefixtures("saved")
def test_compare_and_recommend_take_it_too(ssdpm: Command) -> None:
    measured = ["--measured", "measured.json"]
    wide, other = ssdpm.json("compare", "-t", "lomax", RUN[0], "plain.json")
    near, same = ssdpm.json("compare", "-t", "lomax", RUN[0], "plain.json", *measured)
    for before, after in zip(wide["rows"], near["rows"], strict=True):
        width = [
            row["high"]["energy_nj"] - row["low"]["energy_nj"] for row in (before, after)
        ]
        # Of PS3, where others of them lead to, the run says nothing.
        assert width[1] < width[0] / 5
    assert same == other
    answer = ssdpm.json("recommend", "-t", "lomax", RUN[0], *measured)
    known = [p for p in answer["parameters"] if p["provenance"] == "measured"]
    assert len(known) == 6
    message = ssdpm.fails(2, "recommend", "-t", "lomax", "plain.json", *measured)
    assert "measured on another drive" in message
    message = ssdpm.fails(2, "compare", "-t", "lomax", "plain.json", *measured)
    assert "measured on another drive" in message


def test_the_milliwatts_of_a_plan_are_closer_with_it(
    ssdpm: Command, saved: dict[str, Any], machine: Callable[[str], pathlib.Path]
) -> None:
    root = ["--root", str(machine("desktop-6.1"))]
    call = ["plan", *root, "-p", "power-saver", "--source", "battery", "-t", "lomax"]
    names = {"product": "Samsung SSD 970 EVO Plus 1TB", "firmware": "2B2QEXM7"}
    ssdpm.write("m.json", {**saved, **names})
    wide, near = ssdpm.json(*call), ssdpm.json(*call, "--measured", "m.json")
    for before, after in zip(wide["estimates"], near["estimates"], strict=True):
        saving = [one["rows"][1]["saving"] for one in (before, after)]
        width = [one["high_uw"] - one["low_uw"] for one in saving]
        if before["product"] == names["product"]:
            assert width[1] < width[0] / 20
        else:  # one of many drives, and not this one
            assert before == after
    message = ssdpm.fails(2, *call, "--measured", "measured.json")
    assert "measured on another drive" in message


def overlay_for(saved: dict[str, Any], **changes: Any) -> str:
    return json.dumps({**saved, **changes})


def test_another_firmware_is_a_warning_and_another_drive_is_refused(
    ssdpm: Command, saved: dict[str, Any]
) -> None:
    call = ["estimate", "-t", "lomax", "--measured", "m.json", RUN[0]]
    ssdpm.write("m.json", overlay_for(saved, firmware="002C"))
    result = ssdpm(*call)
    assert result.returncode == 0
    assert result.stderr == (
        b"ssdpm: m.json: measured with firmware 002C, and intel-760p.json has 001C: "
        b"powers may differ\n"
    )
    assert ssdpm(*call, "-q").stderr == b""
    ssdpm.write("m.json", overlay_for(saved, product=None))
    assert b"taken to be that of intel-760p.json" in ssdpm(*call).stderr
    ssdpm.write("m.json", overlay_for(saved, product="INTEL SSDPEKKW512G8"))
    assert ssdpm.fails(2, *call) == (
        'ssdpm: m.json: measured on another drive: nvme "INTEL SSDPEKKW512G8"'
    )
    ssdpm.write("m.json", overlay_for(saved, kind="sata", pcie_link=None))
    assert "another drive: sata" in ssdpm.fails(2, *call)


def test_more_spikes_than_an_instrument_has_are_asked_about(
    ssdpm: Command, run: measured_run.Run
) -> None:
    asked = "is it the policy that was in force, and is --offset right?"
    wrong = ssdpm(*CALIBRATE, "--wide", "--offset", "-2.3s")  # by half a step
    assert asked in wrong.stdout.decode()
    assert asked not in ssdpm.output(*CALIBRATE)
    # It contradicts the fit, too.
    assert wrong.returncode == 1
    assert b"refused: power rises and falls at other times" in wrong.stderr


@pytest.mark.usefixtures("run")
def test_what_the_data_contradict_is_refused_and_not_saved(ssdpm: Command) -> None:
    ssdpm.write("m.json", "before")
    call = [*CALIBRATE, "--meter-response", "100ms"]
    result = ssdpm(*call, "--json", "--save", "m.json")
    assert result.returncode == 1
    assert b"refused: the meter lags by another time than stated" in result.stderr
    (found,) = json.loads(result.stdout)["calibrations"]
    assert found["contradiction"] == "response"
    statuses = {one["status"] for one in found["measured"]}
    assert statuses == {"contradicted", "not-reached"}
    assert (ssdpm.directory / "m.json").read_text() == "before"
    ssdpm.write("m.json", result.stdout.decode())
    message = ssdpm.fails(1, "estimate", "-t", "lomax", "--measured", "m.json", RUN[0])
    assert "m.json: measured: the run is refused, and no parameter is known" in message
    assert "the meter lags by another time than stated" in message
    assert "contradicted" in ssdpm(*call).stdout.decode()


@pytest.mark.usefixtures("run")
def test_what_is_stated_of_the_meter_is_kept_and_shown(ssdpm: Command) -> None:
    stated = [
        *("--meter-samples", "mean", "--meter-response", "0s"),
        *("--meter-drift", "0W", "--meter-gain", "2%", "--meter-clock", "-20ppm"),
    ]
    assert ssdpm.json(*CALIBRATE, *stated)["meter"] == {
        "known": ["sampling", "response", "drift", "gain", "clock"],
        "sampling": "mean",
        "response_ns": 0,
        "drift_uw": 0,
        "gain_ppm": 20000,
        "clock_ppb": -20000,
    }
    text = ssdpm.output(*CALIBRATE, *stated)
    assert "meter: gain within 2% (stated), a sample is a mean (stated)" in text
    assert "clock slow by -20 ppm (stated)" in text
    assert "gain within 5% (assumed)" in ssdpm.output(*BARE)


@pytest.mark.parametrize(
    ("option", "argument", "words"),
    [
        ("--meter-samples", "median", "unknown --meter-samples 'median'; did you mean 'mean'?"),
        ("--meter-clock", "500", "ppm"),
        ("--meter-clock", "2000000ppm", "too much"),
        ("--meter-gain", "60%", "at most 50%"),
        ("--meter-response", "20", "ms"),
    ],
)
def test_a_meter_that_cannot_be_is_a_matter_of_usage(
    ssdpm: Command, option: str, argument: str, words: str
) -> None:
    assert words in ssdpm.fails(2, *CALIBRATE, option, argument)


@pytest.mark.usefixtures("saved")
def test_another_state_of_the_link_is_said(ssdpm: Command) -> None:
    call = ["estimate", "-t", "lomax", "--measured", "measured.json", RUN[0]]
    result = ssdpm(*call, "--pcie-link", "l0")
    assert result.returncode == 0
    assert b"measured with the link in l1.2" in result.stderr
    assert b"do not hold with the link in l0" in result.stderr


def test_an_overlay_that_is_damaged_or_of_the_future_is_refused(
    ssdpm: Command, saved: dict[str, Any]
) -> None:
    call = ["estimate", "-t", "lomax", "--measured", "m.json", RUN[0]]
    text = json.dumps(saved, indent=1)
    for damaged, words in [
        (text[: len(text) // 2], "not JSON"),
        (text.replace("overlay/1", "overlay/2"), "only \"ssdpm.overlay/1\" is read"),
        (
            text.replace('"status": "known"', '"status": "guessed"', 1),
            "\"guessed\" means nothing here",
        ),
        (text.replace('"mean"', '"median"', 1), "\"median\" means nothing here"),
        (text.replace('"meter": {', '"meter": 1, "x": {', 1), "meter"),
        (text.replace('"low": ', '"low": 9', 1), "low"),
        ("", "no data"),
        ("[]", "overlay"),
    ]:
        ssdpm.write("m.json", damaged)
        message = ssdpm.fails(1, *call)
        assert message.startswith("ssdpm: m.json") and words in message
    assert "No such file" in ssdpm.fails(1, *call[:-2], "none.json", RUN[0])
    assert "name a file" in ssdpm.fails(2, *call[:-2], "-", RUN[0])
    later = json.dumps({**saved, "later": [1, {"x": None}]})
    ssdpm.write("m.json", later)
    assert ssdpm(*call).stderr == b""


def power_rows(run: measured_run.Run) -> list[list[str]]:
    return [line.split(",") for line in run.power_csv().splitlines()[1:]]


def test_power_that_cannot_be_of_the_run_is_refused(
    ssdpm: Command, run: measured_run.Run
) -> None:
    head, rows = "time_s,power_w\n", power_rows(run)
    for lines, words in [
        ([f"{watts},{time}" for time, watts in rows], "mistaken for each other"),
        ([f"{time},nan" for time, _ in rows], "finite"),
        ([f"{time},2.5" for time, _ in rows], "is anything connected?"),
        ([f"{time},{-float(watts)}" for time, watts in rows], "are the leads swapped?"),
        ([f"{time},{watts}" for time, watts in rows[:3]], "need more"),
        (["0,1", "1,x"], "run-power.csv:3"),
    ]:
        ssdpm.write("run-power.csv", head + "\n".join(lines) + "\n")
        result = ssdpm(*CALIBRATE)
        assert words in result.stderr.decode()
        assert (result.returncode, result.stdout) == (1, b"")


def test_samples_that_are_missing_are_said(
    ssdpm: Command, run: measured_run.Run
) -> None:
    rows = power_rows(run)
    some = [f"{t},{'nan' if i % 50 == 0 else w}" for i, (t, w) in enumerate(rows)]
    ssdpm.write("run-power.csv", "time_s,power_w\n" + "\n".join(some) + "\n")
    result = ssdpm(*CALIBRATE)
    assert result.returncode == 0
    assert b"100 samples are no finite number, and left out" in result.stderr
    half = [",".join(row) for row in rows[:2500]]
    ssdpm.write("run-power.csv", "time_s,power_w\n" + "\n".join(half) + "\n")
    result = ssdpm(*CALIBRATE, "--offset", "-2.29s")
    assert result.returncode == 0
    words = b"run-power.csv: samples of 50 s, and run-ios.csv has I/Os of"
    assert words in result.stderr
    assert ssdpm(*CALIBRATE, "--offset", "-2.29s", "-q").stderr == b""


def test_io_that_is_not_of_the_run_is_refused(
    ssdpm: Command, run: measured_run.Run
) -> None:
    lines = run.ios_csv().splitlines()
    rows = [line.split(",") for line in lines[1:]]
    without = [",".join([*row[:3], "", *row[4:]]) for row in rows]
    ssdpm.write("run-ios.csv", "\n".join([lines[0], *without]) + "\n")
    assert "service" in ssdpm.fails(1, *CALIBRATE)
    ssdpm.write("run-ios.csv", lines[0] + "\n")
    assert ssdpm(*CALIBRATE).returncode == 1
    ssdpm.write("run-ios.csv", "words\n")
    assert "--trace-format" in ssdpm.fails(1, *CALIBRATE)


@pytest.mark.parametrize(
    "call, words",
    [
        (RUN[:2], "DRIVE POWER TRACE"),
        ([*RUN, "x"], "DRIVE POWER TRACE"),
        ([*RUN, "--offset", "3"], "with its unit"),
        ([*RUN, "--offset", "--3s"], "with its unit"),
        ([*RUN, "--bin", "0s"], "above 0"),
        ([*RUN, "--max-offset", "0s"], "above 0"),
        ([*RUN, "--meter-response", "2h"], "at most 1 h"),
        ([*RUN, "--meter-drift", "1000001000000W"], "at most 1 MW"),
        ([*RUN, "--meter-gain", "51%"], "at most 50%"),
        ([*RUN, "--meter-gain", "5"], "with its unit"),
        ([*RUN, "--meter-clock", "10001ppm"], "too much"),
        ([*RUN, "--meter-samples", "both"], "unknown --meter-samples 'both'; expected mean or point"),
        ([*RUN, "--date", "x" * 32], "at most 31 bytes"),
        ([*RUN, "--none", "--lpm", "min_power"], "conflicts with"),
        ([*RUN, "--none", "--algorithm", "linux"], "conflicts with"),
        ([*RUN, "--lpm", "sleep"], "max_performance, medium_power"),
        ([*RUN, "--save", "-"], "--json prints it"),
        ([*RUN, "--byte-energy=1pJ"], "option '--byte-energy' takes no argument"),
        (["intel-760p.json", "-", "-"], "named twice"),
        ([*RUN, "--exit-latency", "PS9=1ms"], "no such value"),
        ([*RUN, "--trace-format", "wav"], "unknown --trace-format 'wav'; "),
    ],
)
@pytest.mark.usefixtures("run")
def test_what_makes_no_sense_is_a_matter_of_usage(
    ssdpm: Command, call: list[str], words: str
) -> None:
    assert words in ssdpm.fails(2, "measure", "calibrate", *call)


@pytest.mark.usefixtures("run")
def test_a_policy_that_is_not_for_the_drive_and_a_file_that_cannot_be_written(
    ssdpm: Command,
) -> None:
    assert "for SATA drives" in ssdpm.fails(3, *CALIBRATE, "--lpm", "min_power")
    message = ssdpm.fails(1, *CALIBRATE, "--save", "none/measured.json")
    assert message == "ssdpm: cannot write none/measured.json: No such file or directory"
    message = ssdpm.fails(1, *CALIBRATE, "--save", "/dev/full")
    assert message == "ssdpm: cannot write /dev/full: No space left on device"


@pytest.mark.usefixtures("run")
def test_power_may_come_from_a_pipe_and_the_answer_go_into_a_closed_one(
    ssdpm: Command,
) -> None:
    piped = "cat run-power.csv | ssdpm measure calibrate intel-760p.json - run-ios.csv"
    result = ssdpm.shell(f"set -o pipefail; {piped} --value sigma_uw")
    assert result.returncode == 0 and int(result.stdout) > 0
    reader, writer = os.pipe()
    os.close(reader)
    closed = subprocess.run(
        ["ssdpm", *CALIBRATE],
        cwd=ssdpm.directory,
        env=ssdpm.environment,
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=subprocess.PIPE,
        restore_signals=False,  # SIGPIPE stays ignored: the write fails
        check=False,
    )
    os.close(writer)
    assert (closed.returncode, closed.stderr) == (1, b"")
    full = ssdpm.shell(" ".join(["ssdpm", *CALIBRATE, "--json", ">/dev/full"]))
    assert full.returncode == 1
    assert full.stderr == "ssdpm: standard output: No space left on device\n"


def test_a_sata_drive_keeps_its_link_policy(ssdpm: Command) -> None:
    truth = measured_run.Truth(idle_ns=10**12)  # it never sleeps
    run = measured_run.write(ssdpm.directory, truth)
    drive = {
        "schema": "ssdpm.model/1",
        "kind": "sata",
        "product": "A SATA drive",
        "firmware": "1",
        "states": [{"operational": True, "link_state": "active"}],
    }
    ssdpm.write("sata.json", drive)
    call = ["measure", "calibrate", "sata.json", *RUN[1:], "--lpm", "max_performance"]
    overlay = ssdpm.json(*call, "--save", "m.json")
    assert (overlay["kind"], overlay["lpm"]) == ("sata", "max_performance")
    assert (overlay["pcie_link"], overlay["policy"]) == (None, "max_performance")
    one = by_name(overlay)["idle_power_uw", 0]
    assert one["low"] <= run.truth.idle_w * UW <= one["high"]
    call = ["estimate", "-t", "lomax", "--lpm", "max_performance", "sata.json"]
    answer = ssdpm.json(*call, "--measured", "m.json")
    known = {(p["kind"], p["index"]): p for p in answer["parameters"]}
    assert known["idle_power_uw", 0]["provenance"] == "measured"


def test_names_with_odd_characters_are_kept_as_text(
    ssdpm: Command, run: measured_run.Run
) -> None:
    name = "power \x1b[1m\u20ac.csv"
    ssdpm.write(name, run.power_csv())
    answer = ssdpm.json("measure", "calibrate", RUN[0], name, RUN[2])
    assert answer["power_name"] == "power ?[1m\u20ac.csv"


def test_the_own_options_of_an_action_stand_behind_it(ssdpm: Command) -> None:
    message = ssdpm.fails(2, "measure", "--reference", "5W", "calibrate", *RUN)
    assert "unknown option '--reference'" in message
    message = ssdpm.fails(2, "measure", "--jso", "calibrate", *RUN)
    assert "write calibrate right after measure" in message
    text = ssdpm.output("measure", "calibrate", "--help")
    assert text.startswith("Usage: ssdpm measure calibrate [OPTION]... DRIVE POWER")
    assert text.endswith("More in ssdpm-measure(1).\n")


@pytest.mark.parametrize("complete", [completion.in_bash, completion.in_fish])
def test_shells_complete_its_own_options(
    ssdpm: Command, complete: completion.Complete
) -> None:
    assert "calibrate" in complete(ssdpm, "ssdpm measure cal")
    wanted = {f"--{o}" for o in completion.options(ssdpm, "measure calibrate")}
    found = complete(ssdpm, "ssdpm measure calibrate --")
    assert {word.rstrip("=") for word in found} == wanted
    assert "--sweep" in complete(ssdpm, "ssdpm measure --sw")
    assert complete(ssdpm, "ssdpm measure calibrate --pcie-link ") != []


def test_zsh_completes_its_own_options(ssdpm: Command) -> None:
    completion.completed(
        ssdpm, "zsh", "ssdpm measure calibrate --byte-", "--byte-energy"
    )


def test_samples_slower_than_the_ios_are_said_to_be(
    ssdpm: Command, run: measured_run.Run
) -> None:
    call = ["measure", "calibrate", RUN[0], "slow.csv", RUN[2]]
    header, *rows = (ssdpm.directory / RUN[1]).read_text().splitlines()
    assert header == "time_s,power_w"
    text = header + "\n"
    for i in range(0, len(rows), 50):  # to means of a second
        columns = zip(*(map(float, row.split(",")) for row in rows[i : i + 50]))
        text += "{:.3f},{:.6f}\n".format(*map(statistics.mean, columns))
    ssdpm.write("slow.csv", text)
    said = ssdpm(*call).stderr.decode()
    assert "slow.csv: sampled every 1 s, too slow for the I/Os, which come in " in said
    assert "only if each sample is the mean of its step; sample at least every " in said
    assert ssdpm(*call, "-q").stderr == b""


def test_writes_start_where_the_run_had_them(ssdpm: Command, saved_text: str) -> None:
    measured_run.write(ssdpm.directory)
    assert "measured_wa_milli" not in json.loads(saved_text)
    for name, wa in (("one", None), ("two", 2000)):
        more = {} if wa is None else {"measured_wa_milli": wa}
        ssdpm.write(f"{name}.json", json.dumps({**json.loads(saved_text), **more}))
    call = ["estimate", "-t", "apst-2", "--spare", "20%", "--value", "nominal_energy_nj"]

    def energy(file: str, *more: str) -> str:
        return ssdpm.output(*call, "--measured", file, *more, "intel-760p.json")

    assert energy("two.json") == energy("one.json", "--measured-wa", "2x")
    assert energy("two.json") != energy("one.json")
    assert energy("two.json", "--measured-wa", "1x") == energy("one.json")
    assert ssdpm.json(*CALIBRATE, "--measured-wa", "2.5x")["measured_wa_milli"] == 2500
    assert "1x to 65536x" in ssdpm.fails(2, *CALIBRATE, "--measured-wa", "0.5x")
