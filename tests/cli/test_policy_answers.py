# SPDX-License-Identifier: MIT
"""A C program, Python and the command are told the same of each policy."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import pytest
import ssdpm as package
from command import BUILD, EXAMPLE, Command
from test_show import identify

PROGRAM = BUILD / "tests/unit/policy-answers"
TRACE = "trace.npy"
NVME, SATA = EXAMPLE.name, "sata.bin"
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
    ssdpm.write(SATA, identify())
    ssdpm.output("workload", "lomax", "--n-ios", "500", "-t", "npy", "-o", TRACE)
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
        arguments = ("compare", "-q", "-t", TRACE, "-p", word, drive)
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
    every = [word for one in fit for word in ("-p", one)]
    ours = told(drives, "compare", drive, TRACE, *fit)
    assert package.compare(model_of(drive), trace, fit).to_json() == ours
    assert is_in_the_command(drives, ours, "compare", "-t", TRACE, *every, drive)


def without_words(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: without_words(v) for k, v in value.items() if k not in FOR_PEOPLE}
    return [without_words(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("workload", ["lomax", "apst-7", "poisson", "uflip-pause-rr"])
def test_every_recommendation_is_the_same_in_c_python_and_the_command(
    drives: Command, workload: str
) -> None:
    Path(TRACE).unlink()
    drives.output("workload", workload, "--n-ios", "900", "-t", "npy", "-o", TRACE)
    ours = told(drives, "recommend", NVME, TRACE)
    theirs = package.recommend(model_of(NVME), package.read_trace(TRACE))
    assert theirs.to_json() == ours
    said = json.loads(drives.output("recommend", "-t", TRACE, NVME, "--json"))
    (found,) = (v for k, v in said.items() if k != "errors" and isinstance(v, list))
    assert without_words(found) == [without_words(json.loads(ours))]
    routes = [one["route"] for one in found[0]["recommendations"]]
    assert routes == ["latency-limit", "nvme-core", "raw-table"]
