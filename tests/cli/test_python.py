# SPDX-License-Identifier: MIT
"""The command and Python find the same in the same files, and of policies a C program
does too."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import textwrap
from pathlib import Path
from typing import Any, Callable

import machines
import measured_run
import pandas
import pytest
import ssdpm as package
import surveys
import suspends
from command import BUILD, EXAMPLE, Command
from ssdpm import measure
from ssdpm.estimate.compare import default_policies
from ssdpm.estimate.setup import Setup
from ssdpm.measure import survey
from test_show import identify

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


@pytest.mark.parametrize("name", suspends.MACHINES)
def test_python_judges_a_suspend_as_the_command_does(ssdpm: Command, name: str) -> None:
    suspends.write(name, ssdpm.directory / name)
    said = ssdpm.json("suspend", "--root", name)
    assert package.suspend.judge(root=ssdpm.directory / name).to_dict() == said


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
    (row,) = ssdpm.json("compare", "-t", "lomax", "--policy", word, str(DRIVE))["rows"]
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


PROGRAM = BUILD / "tests/unit/policy-answers"
TRACE = "trace.npy"
NVME, OTHER, SATA = EXAMPLE.name, "other.json", "sata.bin"
# What the command says to people.
FOR_PEOPLE = {"text", "apply"}


def told(ssdpm: Command, *arguments: str) -> str:
    return subprocess.run(
        [PROGRAM, *arguments],
        cwd=ssdpm.directory,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=60,
    ).stdout


def words() -> list[str]:
    """All words of the library, but "today", which is the machine's."""
    run = subprocess.run(
        [PROGRAM, "words"], stdout=subprocess.PIPE, text=True, check=True
    )
    return run.stdout.split()


@pytest.fixture
def drives(ssdpm: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Both kinds of drive, and a workload, as files of the current folder."""
    shutil.copy(EXAMPLE, ssdpm.directory)
    [other] = json.loads(ssdpm.output("show", "-q", "--json", "Samsung SSD 970 EVO Plus 1TB"))[
        "drives"
    ]
    ssdpm.write(OTHER, json.dumps(other))
    ssdpm.write(SATA, identify())
    ssdpm.output("workload", "lomax", "--n-ios", "500", "--to", "npy", "-o", TRACE)
    monkeypatch.chdir(ssdpm.directory)
    return ssdpm


def model_of(name: str) -> package.Model:
    (model,) = package.load(name)
    return model


def is_in_the_command(drives: Command, ours: str, *arguments: str) -> bool:
    return textwrap.indent(ours.rstrip("\n"), "    ") in drives.output(*arguments, "--json")


@pytest.mark.parametrize("drive", [NVME, SATA])
def test_every_word_of_a_policy_is_the_same_in_c_python_and_the_command(
    drives: Command, drive: str
) -> None:
    trace = package.read_trace(TRACE)
    fit, others = [], []
    for word in words():
        ours = subprocess.run(
            [PROGRAM, "compare", drive, TRACE, word],
            capture_output=True,
            text=True,
            check=False,
        )
        (others if ours.returncode else fit).append(word)
        arguments = ("compare", "-q", "-t", TRACE, "--policy", word, drive)
        if ours.returncode:
            message = ours.stderr.strip().partition(": ")[2]
            with pytest.raises(package.Error, match=re.escape(message)):
                package.compare(model_of(drive), trace, [word])
            assert drives.fails(3, *arguments).endswith(f": {message}")
            continue
        theirs = package.compare(model_of(drive), trace, [word])
        assert theirs.to_json() == ours.stdout
        assert is_in_the_command(drives, ours.stdout, *arguments)
    assert len(fit) >= 7 and len(others) >= 6
    if drive == NVME:
        assert others == words()[-6:]
    # All at once: those that are the same for the drive stand in one row.
    every = [word for one in fit for word in ("--policy", one)]
    ours = told(drives, "compare", drive, TRACE, *fit)
    found = package.compare(model_of(drive), trace, fit)
    assert found.to_json() == ours
    assert package.answer("compare", [found], key="comparisons") == drives.output(
        "compare", "-t", TRACE, *every, drive, "--json"
    )


def without_words(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: without_words(v) for k, v in value.items() if k not in FOR_PEOPLE}
    return [without_words(one) for one in value] if isinstance(value, list) else value


NVME_ROUTES = ["latency-limit", "nvme-core", "raw-table"]


@pytest.mark.parametrize("workload", ["lomax", "apst-7", "poisson", "uflip-pause-rr"])
@pytest.mark.parametrize(
    ("drive", "expected"), [(NVME, NVME_ROUTES), (OTHER, NVME_ROUTES), (SATA, ["link-policy"])]
)
def test_every_recommendation_is_the_same_in_c_python_and_the_command(
    drives: Command, drive: str, expected: list[str], workload: str
) -> None:
    Path(TRACE).unlink()
    drives.output("workload", workload, "--n-ios", "900", "--to", "npy", "-o", TRACE)
    ours = told(drives, "recommend", drive, TRACE)
    theirs = package.recommend(model_of(drive), package.read_trace(TRACE))
    assert theirs.to_json() == ours
    said = json.loads(drives.output("recommend", "-t", TRACE, drive, "--json"))
    (found,) = (v for k, v in said.items() if k != "errors" and isinstance(v, list))
    assert without_words(found) == [without_words(json.loads(ours))]
    routes = [one["route"] for one in found[0]["recommendations"]]
    assert routes == expected


@pytest.mark.parametrize("name", machines.MACHINES)
def test_a_report_has_the_reason_that_the_command_gives(
    ssdpm: Command, machine: Callable[[str], Path], name: str
) -> None:
    root = machine(name)
    out = ssdpm("status", "--json", "--root", str(root)).stdout
    said = {one["name"]: one.get("reason") for one in json.loads(out)["drives"]}
    devices = {one.name: one for one in package.devices(root)}
    for item in package.report(root):
        if item.error:
            continue
        found = devices[item.name].diagnose()
        reasons = [one.message for one in found if one.code == item.reason]
        assert said[item.name] in (reasons or [None])
