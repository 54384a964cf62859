# SPDX-License-Identifier: MIT
"""What holds for all results of the package, whatever function they are from."""

from __future__ import annotations

import copy
import dataclasses
import enum
import importlib
import inspect
import json
import pickle
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ssdpm
from every_result import (
    CALLS,
    FRAME,
    World,
    public_calls,
    public_classes,
    value_classes,
    walk,
)
from ssdpm.base.result import Live, Value

PLAIN = (bool, int, float, str, bytes, type(None))
# A state of its own that goes on: a copy would be another thing.
GOES_ON: tuple[type, ...] = (
    ssdpm.Simulation,
    ssdpm.ftl.Drive,
    ssdpm.measure.Integral,
    ssdpm.measure.Level,
    ssdpm.measure.Trial,
    ssdpm.observe.Observation,
    ssdpm.observe.Watch,
    ssdpm.TraceIterator,
    ssdpm.measure.PowerIterator,
)


@pytest.fixture(scope="module")
def world(
    tmp_path_factory: pytest.TempPathFactory, machine: Callable[[str], Path]
) -> World:
    return World(tmp_path_factory.mktemp("every"), machine)


def test_all_public_functions_and_methods_are_called() -> None:
    wanted = set(public_calls())
    assert wanted - set(CALLS) == set()
    assert len(wanted) > 100


def test_counts_of_runs_are_subtracted_and_written_as_json(world: World) -> None:
    few, many = (ssdpm.estimate(world.model, world.trace[:n]).nominal for n in (5, 50))
    assert few.n_ios.read - many.n_ios.read == -22
    again = json.loads(json.dumps(dataclasses.asdict(many)))
    assert again["n_ios"] == [25, 25, 0, 0] and again["duration_ns"] == many.duration_ns


@pytest.mark.parametrize("name", CALLS)
def test_a_result_has_pythons_own_numbers(name: str, world: World) -> None:
    for path, value in walk(CALLS[name](world)):
        ours = type(value).__module__.startswith("ssdpm")
        if isinstance(value, np.ndarray):
            assert value.dtype.kind != "O", f"{name}{path}"
            continue
        containers = (tuple, list, dict, set, frozenset, FRAME)
        plain = type(value) in PLAIN or isinstance(value, enum.Enum)
        known = ours or plain or type(value) in containers
        assert known, f"{name}{path} is {value!r} of {type(value)}"


def test_all_classes_of_values_are_among_the_results(world: World) -> None:
    seen = {type(value) for call in CALLS.values() for _, value in walk(call(world))}
    assert {*public_classes(), *value_classes()} - seen == set()


def test_a_dataclass_is_a_value_or_a_live_thing() -> None:
    found = set()
    for info in pkgutil.walk_packages(ssdpm.__path__, "ssdpm."):
        module = importlib.import_module(info.name)
        for cls in vars(module).values():
            if inspect.isclass(cls) and dataclasses.is_dataclass(cls):
                found.add(cls)
    assert len(found) > 80
    others = {cls for cls in found if not issubclass(cls, (Value, Live))}
    assert {cls.__name__ for cls in others} == {"MeasuredRun"}


def instances(name: str, world: World) -> list[object]:
    """Of our classes, one of each path."""
    return [
        value
        for _, value in walk(CALLS[name](world))
        if type(value).__module__.startswith("ssdpm")
    ]


@pytest.mark.parametrize("name", CALLS)
def test_a_result_equals_its_copies_and_pickles(name: str, world: World) -> None:
    for value in instances(name, world):
        assert repr(value)
        assert value == value
        if isinstance(value, GOES_ON):
            for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
                with pytest.raises(TypeError, match="cannot copy or pickle an ssdpm"):
                    duplicate(value)
            continue
        assert copy.copy(value) == value
        assert copy.deepcopy(value) == value
        if isinstance(value, Live):
            with pytest.raises(TypeError, match="cannot pickle an ssdpm"):
                pickle.dumps(value)
            continue
        again = pickle.loads(pickle.dumps(value))
        assert type(again) is type(value)
        assert again == value and not (again != value)
        assert value != 5
        try:
            number = hash(value)
        except TypeError:
            continue
        assert hash(again) == number


@pytest.mark.parametrize("name", CALLS)
def test_arrays_of_a_value_are_read_only_also_after_a_pickle(
    name: str, world: World
) -> None:
    for value in instances(name, world):
        if not isinstance(value, Value):
            continue
        for one in (value, copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            for field in dataclasses.fields(one):  # type: ignore[arg-type]
                array = getattr(one, field.name)
                if isinstance(array, np.ndarray):
                    assert not array.flags.writeable, f"{type(one)}.{field.name}"


@pytest.mark.parametrize("name", CALLS)
def test_a_result_is_a_table_in_notebooks_a_dict_and_a_frame(
    name: str, world: World
) -> None:
    for value in instances(name, world):
        if isinstance(value, Value):
            assert value._repr_html_().startswith("<table>")
        if hasattr(value, "to_json"):
            try:
                text = value.to_json()
            except ssdpm.UnsupportedError:  # made by hand, or of bytes
                continue
            assert value.to_dict() == json.loads(text)  # type: ignore[attr-defined]
        if hasattr(value, "to_dataframe"):
            frame = value.to_dataframe()
            rows: Any = value.to_records() if hasattr(value, "to_records") else value
            assert isinstance(frame, FRAME) and len(frame) == len(rows)


def test_a_frame_has_the_fields_of_its_items_or_the_columns_of_its_records(
    world: World,
) -> None:
    found = ssdpm.infer(world.model, world.table)
    frame = found.to_dataframe()
    assert list(frame["algorithm"]) == [one.algorithm for one in found]
    assert list(frame) == [one.name for one in dataclasses.fields(ssdpm.ApstParameters)]
    comparison = ssdpm.compare(world.model, world.trace)
    records = comparison.to_records()
    assert list(comparison.to_dataframe()) == list(records.dtype.names or ())
