# SPDX-License-Identifier: MIT
"""Everyday workloads: the library against the script that makes their statistics."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from everyday import EVERYDAY, from_trace

import ssdpm

TABLES = sorted(EVERYDAY.glob("*.tsv"))


def test_each_table_is_a_workload_and_they_are_listed_first() -> None:
    first = ssdpm.workloads()[: len(TABLES)]
    assert {workload.name for workload in first} == {path.stem for path in TABLES}
    for workload in first:
        table = from_trace.read(EVERYDAY / f"{workload.name}.tsv")
        assert workload.description == table["description"]


@pytest.mark.parametrize("seed", [0, 2**64 - 1])
@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_the_library_makes_what_the_script_makes(path: Path, seed: int) -> None:
    expected = from_trace.generate(from_trace.read(path), seed, 5000)
    trace = ssdpm.generate(path.stem, seed=seed, n_ios=5000)
    assert np.array_equal(trace.records, expected)


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_each_round_takes_every_step_once_and_ends_where_it_began(path: Path) -> None:
    table = from_trace.read(path)
    wanted = {(a, b): n for a, ways in table["next"].items() for b, n in ways.items()}
    chain = from_trace.Chain(table, from_trace.Random(1))
    begun = before = chain.names[chain.state]
    for _ in range(2):
        taken: Counter[tuple[str, str]] = Counter()
        for _ in range(sum(wanted.values())):
            state = chain.go_on()
            taken[before, state] += 1
            before = state
        assert taken == wanted
        assert before == begun


def share(table: Any, sign: str) -> float:
    """The I/Os with this operation, or this class of the pause before, of all."""
    counts = [item for ways in table["next"].values() for item in ways.items()]
    chosen = sum(n for to, n in counts if sign in to[1:])
    return float(chosen / sum(n for _, n in counts))


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_statistics_of_what_is_made_are_those_it_is_made_of(path: Path) -> None:
    table = from_trace.read(path)
    trace = ssdpm.generate(path.stem)
    assert len(trace) == table["n_ios"]
    again = from_trace.fit(trace.records)
    for sign in "rwfd0123456":
        assert share(again, sign) == pytest.approx(share(table, sign), abs=0.02), sign
