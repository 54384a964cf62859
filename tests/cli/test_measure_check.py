# SPDX-License-Identifier: MIT
"""ssdpm measure check: 20 drives whose powers the command does not know, drawn from its
own priors and simulated here; what is refused; and the file that can be sent."""

from __future__ import annotations

import json
import math
import pathlib
import random
import re
import subprocess
import time
from typing import Any

import measured_run
import pytest
from command import COMMAND, Command

TOP = pathlib.Path(__file__).resolve().parents[2]
DRIVE = "intel-760p.json"
PREDICT = ["measure", "check", "-t", "run-plan.csv", DRIVE]
N_CASES = 20
LIKELY = 0.9
# How often chance may fail the test of the count.
CHANCE = 0.001


def window_of(run: measured_run.Run) -> str:
    """From the first I/O to the last completion."""
    start, _, took_ns, _ = run.ios[-1]
    end_ns = start + took_ns
    return f"{run.truth.lead_ns}ns..{end_ns}ns"


def spreads() -> dict[str, float | None]:
    """The standard deviation of each prior; None: its range holds 90 %."""
    lines = (TOP / "lib/energy/likely/priors.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {
        rule: None if log_sd == "range" else float(log_sd)
        for rule, log_sd, *_ in rows[2:]
    }


class Hidden:
    """A drive of the priors: what all its values of one rule share is drawn once."""

    def __init__(self, parameters: list[dict[str, Any]], seed: int, shift: float) -> None:
        self.known = {(p["kind"], p["index"]): p for p in parameters}
        self.random = random.Random(seed)
        self.shift = shift
        self.normals: dict[str, float] = {}
        self.spreads = spreads()

    def value(self, kind: str, index: int) -> float:
        p = self.known[kind, index]
        rule = p["rule"].split(":")[0].split()[0]
        log_sd = self.spreads[rule]
        if log_sd is None:
            log_sd = math.log(p["high"] / max(p["low"], p["nominal"] / 100)) / 3.2897
        if rule not in self.normals:
            self.normals[rule] = self.random.gauss(self.shift, 1)
        drawn = p["nominal"] * math.exp(log_sd * self.normals[rule])
        return float(min(max(drawn, p["low"]), p["high"]))

    def truth(self) -> measured_run.Truth:
        idle_w = self.value("idle_power_uw", 0) / 1e6
        active_w = [self.value("active_power_uw", op) / 1e6 for op in (0, 1)]
        return measured_run.Truth(
            idle_w=idle_w,
            asleep_w=self.value("idle_power_uw", 4) / 1e6,
            active_w=dict(zip(("read", "write"), (max(idle_w, w) for w in active_w))),
            transition_w=self.value("transition_power_uw", 0) / 1e6,
            entry_ns=round(self.value("entry_latency_us", 4) * measured_run.US),
            exit_ns=round(self.value("exit_latency_us", 4) * measured_run.US),
        )


def fails_by_chance(inside: int) -> float:
    """How often so few of the cases, or fewer, are inside a range that holds 90 %."""
    return sum(
        math.comb(N_CASES, k) * LIKELY**k * (1 - LIKELY) ** (N_CASES - k)
        for k in range(inside + 1)
    )


@pytest.fixture
def drive(ssdpm: Command) -> Command:
    measured_run.write(ssdpm.directory)
    return ssdpm


def predicted(ssdpm: Command) -> dict[str, Any]:
    found: dict[str, Any] = ssdpm.json(*PREDICT, "--predict-only")
    return found


def verdicts(ssdpm: Command, shift: float) -> list[str]:
    parameters = predicted(ssdpm)["parameters"]
    found = []
    for seed in range(N_CASES):
        truth = Hidden(parameters, seed, shift).truth()
        run = measured_run.write(ssdpm.directory, truth, seed)
        call = [*PREDICT, "-s", "run-power.csv", "--window", window_of(run)]
        measured = ssdpm.json(*call)["measured"]
        low, high = measured["low_uw"], measured["high_uw"]
        assert low == measured["power_uw"] == high and measured["certain"]
        found.append(measured["verdict"])
    return found


def test_nine_of_ten_drives_of_the_priors_are_inside_the_likely_range(
    drive: Command,
) -> None:
    found = verdicts(drive, 0)
    assert fails_by_chance(found.count("inside-likely")) > CHANCE, found
    assert "missed" not in found


def test_drives_that_the_priors_do_not_have_are_found_outside(drive: Command) -> None:
    """The planted fault: each value is two and a half deviations too high."""
    found = verdicts(drive, 2.5)
    assert fails_by_chance(found.count("inside-likely")) < CHANCE, found


def test_a_drive_far_outside_is_missed(drive: Command) -> None:
    for more_w, less_w in ((9.0, 12.0), (0.02, 0.05)):
        truth = measured_run.Truth(
            idle_w=more_w,
            transition_w=more_w,
            active_w={"read": less_w, "write": less_w},
        )
        run = measured_run.write(drive.directory, truth, 5)
        call = [*PREDICT, "-s", "run-power.csv", "--window", window_of(run)]
        measured = drive.json(*call)["measured"]
        assert (measured["verdict"], measured["certain"]) == ("missed", True)
        assert drive.output(*call).splitlines()[-1] == (
            "missed: outside the possible range"
        )


def flat(watts: float) -> str:
    """As long as the plan."""
    return "time_s,power_w\n" + "".join(f"{t},{watts}\n" for t in range(97))


def test_the_measurement_changes_no_byte_of_the_prediction(drive: Command) -> None:
    said = drive.output(*PREDICT, "--predict-only", "-o", "check.json")
    path = drive.directory / "check.json"
    before = path.read_text()
    assert json.loads(before)["measured"] is None
    assert said.startswith(f"{DRIVE}: ") and "\npredicted  " in said
    drive.write("flat.csv", flat(0.7))
    said = drive.output("measure", "check", "-s", "flat.csv", "check.json")
    assert said.endswith("measured   700 mW in 1.6 min\ninside the likely range\n")
    after = path.read_text()
    head, tail = before.split('"measured": null')
    assert after.startswith(head) and after.endswith(tail)
    found = json.loads(after)["measured"]
    assert found["power_uw"] == 700000 and found["n_samples"] == 97
    again = drive.fails(1, "measure", "check", "-s", "flat.csv", "check.json")
    assert again.endswith("it has a measurement already")
    assert path.read_text() == after


def test_the_prediction_is_kept_before_the_meter_is_read(drive: Command) -> None:
    """The command that is the meter sees the file, without a measurement."""
    meter = "command:grep -c 'measured.: null' kept.json"
    call = [*PREDICT, "-o", "kept.json", "-m", meter, "--for", "1s", "--interval", "200ms"]
    answer = drive.json(*call, "-q")
    assert answer["measured"]["power_uw"] == 1000000  # one line
    kept = json.loads((drive.directory / "kept.json").read_text())
    assert kept == answer


def test_the_file_has_the_drive_and_the_digest_and_no_name(drive: Command) -> None:
    found = predicted(drive)
    assert found["policy"] == "linux: PS0-PS3 to PS4 after 100 ms"
    assert found["model"]["product"] == "INTEL SSDPEKKW256G8"
    text = json.dumps(found)
    assert "run-plan.csv" not in text and DRIVE not in text and "serial" not in text
    low, middle, high = (found[f"likely_{one}_uw"] for one in ("low", "median", "high"))
    assert found["possible_low_uw"] <= low < middle < high <= found["possible_high_uw"]
    assert low < found["nominal_uw"] < high
    lines = (drive.directory / "run-plan.csv").read_text().splitlines()
    rows = [[int(cell) for cell in line.split(",")[:4]] for line in lines[1:]]
    ops = [{"read": 1, "write": 2}[line.split(",")[4]] for line in lines[1:]]
    digest = 0xCBF29CE484222325
    for (start, offset, size, service), op in zip(rows, ops):
        for value in (start - rows[0][0], offset, size, service, op, 0):
            for byte in value.to_bytes(8, "little"):
                digest = (digest ^ byte) * 0x100000001B3 % 2**64
    assert found["trace_digest"] == f"{digest:016x}"


def test_what_the_instrument_sees_beside_the_drive_is_subtracted(drive: Command) -> None:
    drive.write("flat.csv", flat(10.7))
    call = [*PREDICT, "-s", "flat.csv"]
    assert drive.json(*call)["measured"]["verdict"] == "missed"
    found = drive.json(*call, "--subtract", "10W")["measured"]
    assert found["power_uw"] == 700000 and found["subtracted_uw"] == 10000000
    assert (found["verdict"], found["certain"]) == ("inside-likely", True)
    # 5 % of 10.7 W is more than the range is wide.
    found = drive.json(*call, "--subtract", "10W", "--tolerance", "5%")["measured"]
    assert found["low_uw"] == round(10.7e6 / 1.05) - 10**7
    assert found["high_uw"] == round(10.7e6 / 0.95) - 10**7
    assert (found["verdict"], found["certain"]) == ("inside-likely", False)
    said = drive.output(*call, "--subtract", "10W", "--tolerance", "5%")
    assert said.endswith("; within the instrument's error it may be another verdict\n")


def test_samples_of_another_time_are_said(drive: Command) -> None:
    drive.write("flat.csv", flat(0.7))
    call = [*PREDICT, "-s", "flat.csv", "--window", "0s..30s"]
    result = drive(*call)
    assert result.returncode == 0
    assert (
        b"samples of 29 s, and the prediction is of 1.48 min: measure the whole trace, or "
        b"predict a shorter one"
    ) in result.stderr
    assert b"\nof another length, so no proof: " in result.stdout
    assert drive(*call, "-q").stderr == b""
    measured = drive.json(*call, "-q")["measured"]
    assert (measured["covered_ns"], measured["length_differs"]) == (29 * 10**9, True)
    assert drive.json(*call[:-2])["measured"]["length_differs"] is False


def test_a_window_without_samples_says_where_they_are(drive: Command) -> None:
    drive.write("flat.csv", flat(0.7))
    call = [*PREDICT, "-s", "flat.csv", "--window", "200s..300s"]
    assert drive.fails(1, *call).endswith(
        "no sample is inside --window 200s..300s: the samples are at 0s to 96s"
    )


def test_an_end_before_the_last_io_is_told(drive: Command) -> None:
    for call in (
        [*PREDICT, "--predict-only", "--json"],
        ["estimate", "-t", "run-plan.csv", DRIVE],
        ["compare", "-t", "run-plan.csv", DRIVE],
        ["recommend", "-t", "run-plan.csv", DRIVE],
    ):
        said = drive(*call, "--end", "10s")
        assert said.returncode == 0
        assert said.stderr.count(b"--end is before the last completion, at 1.47 min") == 1
        assert drive(*call, "--end", "200s").stderr == b""
        assert drive(*call, "--end", "10s", "-q").stderr == b""


def test_a_meter_without_a_reading_fails(drive: Command) -> None:
    drive.output(*PREDICT, "--predict-only", "-o", "check.json")
    before = (drive.directory / "check.json").read_text()
    meter = ["-m", "command:echo x", "--for", "300ms", "--interval", "200ms"]
    for call in (["check", *meter, "check.json"], ["energy", *meter]):
        result = drive("measure", *call)
        assert (result.returncode, result.stdout) == (1, b"")
        assert result.stderr.endswith(b"ssdpm: command:echo x: no reading\n")
    assert (drive.directory / "check.json").read_text() == before


def test_a_prediction_that_cannot_be_is_refused(drive: Command) -> None:
    drive.write("flat.csv", flat(0.7))
    drive.output(*PREDICT, "--predict-only", "-o", "check.json")
    good = (drive.directory / "check.json").read_text()
    call = ["measure", "check", "-s", "flat.csv", "bad.json"]
    for text, words in [
        (good[:100], "not JSON"),
        (good.replace("prediction/1", "prediction/2"), "is read here"),
        (good.replace('"measured": null', '"later": null'), "measured: is needed"),
        (good.replace('"nominal_uw"', '"other_uw"'), "nominal_uw: is needed"),
        (good.replace('"likely_low_uw": ', '"likely_low_uw": 9'), "not within the possible range"),
        (good.replace('"nominal_uw": ', '"nominal_uw": 9'), "not within the possible range"),
        (re.sub('"duration_ns": [0-9]+', '"duration_ns": 0', good, count=1), "duration_ns"),
        (good.replace('"priors_version": 4', '"priors_version": -2'), "priors_version"),
        ("[]", "is read here"),
        ("", "no data"),
    ]:
        drive.write("bad.json", text)
        message = drive.fails(1, *call)
        assert message.startswith("ssdpm: bad.json") and words in message, words
        assert (drive.directory / "bad.json").read_text() == text
    said = drive.fails(1, *call[:-1], "none.json")
    assert said.endswith("none.json is no file of a prediction (No such file or directory); a DRIVE requires --trace")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ([DRIVE], "give --samples, --meter or --predict-only"),
        ([DRIVE, DRIVE, "-s", "run-power.csv"], "one DRIVE with --trace"),
        (["-s", "run-power.csv", "-m", "BAT0", DRIVE], "--samples conflicts with --meter"),
        (["-s", "run-power.csv", "--for", "1s", DRIVE], "--for requires --meter"),
        (["--predict-only", "-s", "x", DRIVE], "--predict-only conflicts with --samples"),
        (["--predict-only", DRIVE, "-o", "x"], "--predict-only requires --trace"),
        (["-t", "run-plan.csv", "--predict-only", DRIVE], "requires --output or --json"),
        (["-s", "run-power.csv", "-"], "- requires --output or --json"),
        (["-s", "run-power.csv", "--none", "x.json"], "--none requires --trace"),
        (["-s", "run-power.csv", "--idle-power", "1W", "x.json"], "requires --trace"),
        (["-s", "run-power.csv", "--loop", "closed", "x.json"], "requires --trace"),
        (["-s", "run-power.csv", "--end", "1s", "x.json"], "requires --trace"),
        (["-s", "run-power.csv", "--pcie-link", "l1", "x.json"], "requires --trace"),
        (["-s", "run-power.csv", "--trace-device", "1", "x.json"], "requires --trace"),
        (["-t", "lomax", "--json", "--predict-only", "--trace-format", "spc", DRIVE],
         "--trace-format is for traces that are read, and lomax is made"),
        (["-s", "run-power.csv", "-o", "-", "x.json"], "--json prints it"),
        (["-s", "run-power.csv", "--tolerance", "0%", "x.json"], "above 0 and below 100%"),
        (["-s", "run-power.csv", "--window", "2s", "x.json"], "--window"),
        (["-s", "x", *2 * ["--window", "1s..2s"], "x.json"], "--window is given twice"),
        (["-s", "x", "-s", "y", "x.json"], "--samples is given twice"),
        (["-t", "-", "-s", "-", DRIVE], "standard input is named twice"),
        (["-s", "-", "-"], "standard input is named twice"),
        (["-t", "-", "-s", "x", "-"], "standard input is named twice"),
        (["-s", "run-power.csv", DRIVE], f"{DRIVE} is a drive, which requires --trace"),
        (["-s", "run-power.csv", "."], ". is no file of a prediction; a DRIVE requires --trace"),
    ],
)
def test_what_makes_no_sense_is_a_matter_of_usage(
    drive: Command, call: list[str], words: str
) -> None:
    assert words in drive.fails(2, "measure", "check", *call)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--window", "1s..2s"),
        ("--tolerance", "5%"),
        ("--subtract", "1W"),
        ("--rate", "1kHz"),
        ("--shunt", "1ohm"),
        ("--samples", "x"),
        ("--meter", "BAT0"),
        ("--for", "1s"),
    ],
)
def test_a_prediction_alone_takes_no_option_of_measuring(
    drive: Command, option: str, value: str
) -> None:
    call = [*PREDICT, "--predict-only", "--json", option, value]
    assert f"--predict-only conflicts with {option}" in drive.fails(2, *call)


def test_a_prediction_is_taken_for_no_drive(drive: Command) -> None:
    drive.write("flat.csv", flat(0.7))
    drive.output(*PREDICT, "--predict-only", "-o", "check.json")
    call = ["measure", "check", "-t", "run-plan.csv", "-s", "flat.csv", "check.json"]
    words = "check.json is a prediction: --trace is for a DRIVE"
    assert drive.fails(2, *call).endswith(words)
    drive.output("measure", "check", "-s", "flat.csv", "check.json")
    assert drive.fails(2, *call).endswith(words)


def test_a_policy_changes_what_is_predicted(drive: Command) -> None:
    awake = drive.json(*PREDICT, "--predict-only", "--none")
    asleep = predicted(drive)
    assert awake["policy"].startswith("none")
    assert awake["nominal_uw"] > asleep["nominal_uw"]
    assert awake["trace_digest"] == asleep["trace_digest"]
    drive.output("apst", "--raw", "mine.bin", DRIVE)
    mine = drive.json(*PREDICT, "--predict-only", "--table", "mine.bin")
    assert mine["policy"] == "table: PS0-PS3 to PS4 after 100 ms"
    call = [*PREDICT, "--predict-only", "-o", "x.json"]
    assert "for SATA drives" in drive.fails(3, *call, "--lpm", "min_power")
    assert not (drive.directory / "x.json").exists()


def test_a_trace_of_other_columns_of_several_devices_and_with_a_bad_line_is_read(
    drive: Command,
) -> None:
    lines = ["when;what;at;size;disk", "0;r;0;512;a", "500;w;8192;512;b", "900;r;0;512;a"]
    drive.write("other.txt", "\n".join(lines) + "\n")
    columns = "time:s,op,offset,bytes,device;separator=semicolon;skip=1"

    def said(*arguments: str) -> str:
        result = drive(*arguments, "--json")
        assert result.returncode == 1
        return (result.stdout + result.stderr).decode()

    call = ["measure", "check", "-t", "other.txt", "--predict-only", DRIVE]
    call += ["--trace-columns", columns]
    assert "--trace-device" in said(*call)
    call += ["--trace-device", "a"]
    assert drive.json(*call)["n_ios"] == [2, 0, 0, 0]
    drive.write("other.txt", "\n".join([*lines, "x"]) + "\n")
    assert "other.txt:5" in said(*call)
    assert drive.json(*call, "--trace-skip-bad")["n_ios"] == [2, 0, 0, 0]


def test_no_file_of_somebody_is_written_over(drive: Command) -> None:
    def contents() -> dict[str, bytes]:
        files = filter(pathlib.Path.is_file, drive.directory.iterdir())
        return {path.name: path.read_bytes() for path in files}

    drive.output(*PREDICT, "--predict-only", "-o", "p.json")
    before = contents()
    for output in ("p.json", DRIVE, "run-plan.csv", "run-power.csv"):
        call = [*PREDICT, "-o", output]
        words = f"{output}: it exists: name a new file with --output"
        assert words in drive.fails(1, *call, "--predict-only")
        assert words in drive.fails(1, *call, "-s", "run-power.csv")
    call = ["measure", "check", "-s", "run-power.csv", "p.json", "-o", "run-power.csv"]
    assert "it exists" in drive.fails(1, *call)
    assert contents() == before


def test_a_file_that_appears_meanwhile_is_not_written_over(drive: Command) -> None:
    """The command waits for the trace, and has looked for the file before that."""
    call = ["measure", "check", "-t", "-", "--predict-only", "-o", "new.json", DRIVE]
    with subprocess.Popen(
        [COMMAND, *call],
        cwd=drive.directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(0.5)
        drive.write("new.json", "mine")
        trace = (drive.directory / "run-plan.csv").read_bytes()
        _, said = process.communicate(trace)
    assert process.returncode == 1
    assert b"new.json: it exists: name a new file with --output" in said
    assert (drive.directory / "new.json").read_text() == "mine"


def test_a_measurement_that_fails_leaves_no_new_file(drive: Command) -> None:
    drive.output(*PREDICT, "--predict-only", "-o", "check.json")
    before = (drive.directory / "check.json").read_text()
    call = ["measure", "check", "-s", "none.csv", "-o", "new.json", "check.json"]
    drive.fails(1, *call)
    assert not (drive.directory / "new.json").exists()
    drive.write("none.csv", flat(0.7))
    drive.output(*call)
    assert json.loads((drive.directory / "new.json").read_text())["measured"]
    assert (drive.directory / "check.json").read_text() == before


def test_no_more_is_subtracted_than_was_measured(drive: Command) -> None:
    call = [*PREDICT, "-s", "run-power.csv", "--subtract", "90W"]
    assert "more than was measured" in drive.fails(1, *call)
