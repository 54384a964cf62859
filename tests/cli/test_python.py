# SPDX-License-Identifier: MIT
"""The command and Python find the same in the same files."""

from __future__ import annotations

import json
import textwrap
from typing import Any

import measured_run
import pandas
import pytest
import ssdpm as package
import surveys
from command import EXAMPLE, Command
from ssdpm import measure
from ssdpm.estimate.compare import default_policies
from ssdpm.estimate.setup import Setup
from ssdpm.measure import survey

RUN = ["intel-760p.json", "run-power.csv", "run-ios.csv"]


def agree(said: dict[str, Any], found: survey.Analysis) -> None:
    """To the microwatt that the command writes."""
    assert (said["n_runs"], said["n_blocks"]) == (found.n_runs, found.n_blocks)
    assert (said["n_missing"], said["df"]) == (found.n_missing, found.df)
    assert said["n_different"] == found.n_different
    assert [m["policy"] for m in said["means"]] == list(found.policies)
    for ours, theirs in zip(found.means, said["means"], strict=True):
        for name in ("mean", "low", "high", "se"):
            uw = getattr(ours, f"{name}_w") * 1e6
            assert theirs[f"{name}_uw"] == pytest.approx(uw, abs=1), name
        assert theirs["share_ppm"] == pytest.approx(ours.share * 1e6, abs=1)
    for one, other in zip(found.differences, said["differences"], strict=True):
        assert (one.policy, one.other_policy) == (other["policy"], other["other_policy"])
        assert one.different == other["different"]
        assert other["difference_uw"] == pytest.approx(one.difference_w * 1e6, abs=1)
        assert other["low_uw"] == pytest.approx(one.low_w * 1e6, abs=1)
        assert other["p_ppm"] == pytest.approx(one.p * 1e6, abs=1)


def test_python_analyses_a_survey_as_the_command_does(ssdpm: Command) -> None:
    ssdpm.write("survey.csv", surveys.survey())
    said = ssdpm.json("measure", "survey", "survey.csv")
    found = survey.read(ssdpm.directory / "survey.csv")
    assert said["n_rows"] == found.n_rows and said["policies"] == list(found.policies)
    assert said["n_complete"] == found.count("complete")
    powers = [one for one in said["power"] if one["compared"]]
    assert [one["of"] for one in powers] == list(found.scenarios)
    for one in powers:
        agree(one, found.analyse(one["of"]))


def test_python_classifies_a_suite_as_the_command_does(ssdpm: Command) -> None:
    rows = ["micro_benchmark,drive,pattern,parameter,tail_s,extra_j,sigma_j"]
    for i in range(1, 9):
        rows += [f"order,A 1,RW,{i},{i},{i},0.1", f"order,A 1,SW,{i},0.4,2,0.1"]
        rows += [f"mix,A 1,SW,{i},5,3,0.1", f"mix,B,RW,{i},0,0,0.1"]
    ssdpm.write("suite.csv", "\n".join(rows) + "\n")
    said = ssdpm.json("measure", "background", "--sweep", "suite.csv")
    found = measure.classify_suite(pandas.read_csv(ssdpm.directory / "suite.csv"))
    assert said["micro_benchmarks"] == list(found.micro_benchmarks)
    assert said["drives"] == list(found.drives)
    assert said["patterns"] == list(found.patterns)
    cells = [found[c["micro_benchmark"], c["drive"]] for c in said["cells"]]
    assert cells == [c["text"] for c in said["cells"]]
    assert cells == ["S / GWP", "-", "Ex / -", "- / none"]
    text = ssdpm.output("measure", "background", "--sweep", "suite.csv")
    assert all(f"  {line}".rstrip() in text for line in str(found).splitlines())


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


DRIVE = EXAMPLE
(MODEL,) = package.load(DRIVE)


@pytest.mark.parametrize("word", [*default_policies(MODEL), "windows", "windows:power-saver"])
def test_a_word_for_a_policy_is_the_same_table_in_python_and_in_the_command(
    ssdpm: Command, word: str
) -> None:
    (row,) = ssdpm.json("compare", "-t", "lomax", "-p", word, str(DRIVE))["rows"]
    table = Setup(MODEL).table(word)
    entries = () if table is None or not table.enabled else table.entries
    assert [(e["state"], e["target"], e["idle_ms"]) for e in row["entries"]] == [
        (e.state, e.target, e.idle_ms) for e in entries
    ]


def test_the_policies_that_are_compared_are_the_same_in_python_and_in_the_command(
    ssdpm: Command,
) -> None:
    said = ssdpm.json("compare", "-t", "lomax", str(DRIVE))
    words = [word for row in said["rows"] for word in row["policies"]]
    assert sorted(words) == sorted(default_policies(MODEL))


@pytest.mark.parametrize("power", ["max", "expected", "p99"])
def test_python_writes_a_budget_as_the_command_does(ssdpm: Command, power: str) -> None:
    mix = {"read": 0.7, "write": 0.3}
    drive = package.Model(ssdpm.directory / "plain.json")
    item = package.budget_item(drive, name="plain.json", mix=mix, power=power, weight=2.5)
    call = ["budget", "--power", power, "--base-watts", "0.5", "--mix", "read=70%,write=30%"]
    call += ["--weight", "plain.json=2.5x", "--json", "2x", "plain.json"]
    for watts in (1, 9, 99):  # the first is too little
        said = ssdpm(*call, "-w", str(watts)).stdout.decode()
        found = package.budget([item] * 2, watts, base_watts=0.5, mix=mix)
        assert textwrap.indent(found.to_json().rstrip("\n"), "    ") in said
