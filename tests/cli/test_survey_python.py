# SPDX-License-Identifier: MIT
"""What the command says of a survey or a suite, and what Python finds in the file."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
import surveys
from command import Command
from ssdpm import measure
from ssdpm.measure import survey


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
