# SPDX-License-Identifier: MIT
"""The JSON reader takes and refuses what Python's takes and refuses.

A result of Python is written as the command writes it: the same bytes.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import pickle
import random
import re
import subprocess
import textwrap
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import hypothesis.strategies as st
import pandas
import pytest
from hypothesis import given, settings

import every_result
import ssdpm
from ssdpm import cap, consistency, measure
from ssdpm.base.result import Value
from ssdpm.measure import survey
from test_survey import survey_file

SMALL = {
    "schema": "ssdpm.model/1",
    "kind": "nvme",
    "product": "A drive",
    "states": [{"operational": True, "max_power_uw": 5}],
}
MAX_KEYS, MAX_DEPTH = 256, 32  # limits of our reader alone

# What our reader says of a text that is no JSON, or of one that is binary.
NOT_JSON = (
    "not JSON",
    "not a known format",
    "binary data",
    "is given twice",
    "nested deeper",
    "keys in one object",
)


class NotJson(ValueError):
    """Python takes it, RFC 8259 or our rules do not."""


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs) or len(members) > MAX_KEYS:
        raise NotJson
    return members


def no_constant(word: str) -> NoReturn:
    raise NotJson(word)


def depth(value: Any) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


def read_by_python(text: bytes) -> Any:
    value = json.loads(
        text.decode("utf-8-sig"), object_pairs_hook=once, parse_constant=no_constant
    )
    if depth(value) > MAX_DEPTH:
        raise NotJson
    return value


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=12,
)
SCRAPS = [
    *(bytes([byte]) for byte in range(256)),
    *(b"\\u", b"\\ud83d\\ude00", b"\\ud800", b"null", b"tru", b"-", b"-0", b"00"),
    *(b"1e5", b"1.", b".5", b"+1", b"NaN", b"\xef\xbb\xbf", b"\xc0\x80", b"/*", b"//"),
    *(b'"a":1,"a":2,', b'"\\u0061":1,"a":2,', b"[" * 40 + b"]" * 40, b"\r\n"),
]


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """A drive with something unknown in it, and a few bytes put in or taken out."""
    value = draw(values)
    ascii_only, indent = draw(st.booleans()), draw(st.sampled_from([None, 0, 1]))
    drive = SMALL | {"x": value}
    text = bytearray(
        json.dumps(drive, ensure_ascii=ascii_only, indent=indent).encode(
            "utf-8", "surrogatepass"
        )
    )
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        text[at : at + draw(st.integers(0, 2))] = draw(st.sampled_from(SCRAPS))
    return bytes(text)


@settings(max_examples=1500)
@given(texts())
def test_a_text_is_json_for_us_where_it_is_json_for_python(text: bytes) -> None:
    try:
        value = read_by_python(text)
    except ValueError:
        value = None
    try:
        model = ssdpm.Model(text)
    except ssdpm.FormatError as error:
        is_json = not any(words in str(error) for words in NOT_JSON)
        assert is_json == isinstance(value, (dict, list))
    except ssdpm.RangeError:
        assert value is not None
    else:
        assert isinstance(value, dict)
        assert model.product == value.get("product")


TOP = Path(__file__).resolve().parents[3]
COMMAND = TOP / os.environ.get("SSDPM_BUILD", "build") / "examples/ssdpm/ssdpm"
DRIVE = "wd-blue-sn550.json"
SUITE = "micro_benchmark,drive,pattern,parameter,tail_s,extra_j,sigma_j\n" + "".join(
    f"order,A 1,RW,{i},{i},{i},0.1\norder,A 1,SW,{i},0.4,2,0.1\nmix,B,RW,{i},0,0,0.1\n"
    for i in range(1, 9)
)


class Place:
    """A folder with the files that both read."""

    def __init__(self, folder: Path, machine: Callable[[str], Path]) -> None:
        self.folder = folder
        self.root = machine("laptop")
        (folder / DRIVE).write_bytes((TOP / "examples/drives" / DRIVE).read_bytes())
        self.model = ssdpm.Model(folder / DRIVE)
        self.trace = ssdpm.generate("lomax", n_ios=500)
        table = ssdpm.apst(self.model, algorithm="linux-legacy")
        (folder / "table.bin").write_bytes(table.to_bytes())
        noise = random.Random(1)
        power = [
            1.0 + 2.0 * (i % 1000 < 200) + noise.gauss(0, 0.01) for i in range(6000)
        ]
        lines = (f"{i / 100},{watts}\n" for i, watts in enumerate(power))
        (folder / "watts.csv").write_text("time_s,power_w\n" + "".join(lines))
        self.signal = measure.read_power(folder / "watts.csv")
        (folder / "suite.csv").write_text(SUITE)
        (folder / "survey.csv").write_text(survey_file())
        (folder / "second.csv").write_text(
            survey_file(seed=6).replace("Fixture", "Second")
        )
        log = (f"{1000 * s}, {500 - s % 9}, 1, 4096, 0\n" for s in range(1, 99))
        (folder / "one_iops.log").write_text("".join(log))

    def say(self, *arguments: str) -> str:
        run = subprocess.run(
            [COMMAND, *arguments, "--json"],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert run.stdout, run.stderr
        return run.stdout

    @property
    def table(self) -> ssdpm.ApstTable:
        return ssdpm.load_apst(self.folder / "table.bin")

    @property
    def baseline(self) -> measure.Baseline:
        return measure.baseline(self.signal)


@pytest.fixture(scope="module")
def place(
    tmp_path_factory: pytest.TempPathFactory, machine: Callable[[str], Path]
) -> Place:
    return Place(tmp_path_factory.mktemp("json"), machine)


TRACE = ("-t", "lomax", "--n-ios", "500")

# What Python makes, and how the command is called for the same.
Case = tuple[Callable[[Place], Any], tuple[str, ...]]
CASES: Mapping[str, Case] = {
    "list": (
        lambda p: next(r for r in ssdpm.Catalogue() if r.product.startswith("WDC PC")),
        ("list", "--catalogue", "WDC PC"),
    ),
    "device": (lambda p: ssdpm.open("nvme0", p.root), ("list", "--root", "ROOT")),
    "plan": (lambda p: _plan(p), ("plan", "-q", "-p", "balanced", "nvme0", "--root", "ROOT")),
    "apst": (lambda p: ssdpm.apst(p.model), ("apst", DRIVE)),
    "apst-diff": (
        lambda p: ssdpm.apst(p.model).diff(p.table),
        ("apst", "--diff", "table.bin", DRIVE),
    ),
    "apst-infer": (
        lambda p: ssdpm.infer(p.model, p.table),
        ("apst", "--infer", "table.bin", DRIVE),
    ),
    "apst-reach": (
        lambda p: ssdpm.reach(p.model, p.table),
        ("apst", "--reach", "table.bin", DRIVE),
    ),
    "workload": (lambda p: p.trace.stats(), ("workload", "lomax", "--n-ios", "500")),
    "generator": (lambda p: ssdpm.workloads()[3], ("workload", "--list")),
    "estimate": (
        lambda p: ssdpm.estimate(p.model, p.trace, likely=True, interval_ns=10**11),
        ("estimate", *TRACE, "--interval", "100s", DRIVE),
    ),
    "estimate with spare area": (
        lambda p: ssdpm.estimate(
            p.model, p.trace, "windows", spare=0.07, likely=True
        ),
        ("estimate", *TRACE, "-a", "windows", "--spare", "7%", DRIVE),
    ),
    "estimate out of a comparison": (
        lambda p: ssdpm.compare(p.model, p.trace, ["linux-legacy"])[0].estimate,
        ("estimate", *TRACE, "-a", "linux-legacy", DRIVE),
    ),
    "comparison": (
        lambda p: ssdpm.compare(p.model, p.trace),
        ("compare", *TRACE, DRIVE),
    ),
    "recommendation": (
        lambda p: ssdpm.recommend(p.model, p.trace),
        ("recommend", *TRACE, DRIVE),
    ),
    "cap": (
        lambda p: _capped(p),
        ("estimate", "--power-cap", "2W:60s,none:9s", "--mix", "write=100%", DRIVE),
    ),
    "energy": (lambda p: measure.energy(p.signal), ("measure", "energy", "watts.csv")),
    "energy in pieces": (lambda p: _pieces(p), ("measure", "energy", "watts.csv")),
    "baseline": (
        lambda p: measure.activity(p.signal, p.baseline),
        ("measure", "baseline", "watts.csv"),
    ),
    "background": (
        lambda p: measure.idle_work(p.signal, p.baseline),
        ("measure", "background", "watts.csv"),
    ),
    "background after a completion": (
        lambda p: measure.tail(p.signal, p.baseline, 10 * 10**9),
        ("measure", "background", "--completion", "10s", "watts.csv"),
    ),
    "background-matrix": (
        lambda p: _suite(p),
        ("measure", "background", "--sweep", "suite.csv"),
    ),
    "background-class": (
        lambda p: _suite(p).experiments[0],
        ("measure", "background", "--sweep", "suite.csv"),
    ),
    "consistency": (
        lambda p: consistency.measure(p.folder / "one_iops.log", threshold_iops=495),
        ("consistency", "--threshold", "495", "one_iops.log"),
    ),
    "survey": (
        lambda p: survey.read(p.folder / "survey.csv"),
        ("measure", "survey", "survey.csv"),
    ),
    "survey-merge": (
        lambda p: _merged(p),
        ("measure", "merge", "survey.csv", "second.csv"),
    ),
    "budget": (
        lambda p: ssdpm.budget([p.model, p.model], 9),
        ("budget", "-w", "9W", "2x", DRIVE),
    ),
}


def _plan(place: Place) -> ssdpm.Plan:
    plan = ssdpm.plan(place.root)
    plan.add_profile("nvme0", "balanced")
    plan.read()
    return plan


def _capped(place: Place) -> cap.Timeline:
    drive, _ = cap.from_model(place.model, [cap.Stream("write", io_bytes=131072)])
    return drive.timeline([(60, 2), (9, None)], None)


def _pieces(place: Place) -> measure.Energy:
    integral = measure.Integral()
    with measure.iter_power(place.folder / "watts.csv", chunk=1000) as parts:
        for part in parts:
            integral.feed(part)
    return integral.energy()


def _merged(place: Place) -> survey.Merge:
    names = ("survey.csv", "second.csv")
    return survey.merge_surveys([survey.read(place.folder / name) for name in names])


def _suite(place: Place) -> measure.Matrix:
    return measure.classify_suite(pandas.read_csv(place.folder / "suite.csv"))


# Only the command knows these.
OF_THE_COMMAND = {
    *("text", "apply", "estimates"),
    *("lines", "warning", "setting", "udev_rule"),
}


def without_words(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: without_words(one)
            for key, one in value.items()
            if key not in OF_THE_COMMAND
        }
    return [without_words(one) for one in value] if isinstance(value, list) else value


def of_the_list(said: Mapping[str, Any]) -> list[Any]:
    (found,) = (v for k, v in said.items() if k != "errors" and isinstance(v, list))
    return list(found)


@pytest.mark.parametrize("name", CASES)
def test_python_writes_the_bytes_of_the_command(name: str, place: Place) -> None:
    make, arguments = CASES[name]
    arguments = tuple(str(place.root) if a == "ROOT" else a for a in arguments)
    text, said = make(place).to_json(), place.say(*arguments)
    ours, theirs = json.loads(text), of_the_list(json.loads(said))
    if name == "background-class":
        theirs = theirs[0]["experiments"]
    assert without_words(ours) in [without_words(one) for one in theirs]
    if without_words(ours) == ours or name == "apst-reach":
        indent = " " * (8 if name == "background-class" else 4)
        assert textwrap.indent(text.rstrip("\n"), indent) in said


def test_a_machine_is_written_as_the_command_does(place: Place) -> None:
    said = json.loads(place.say("show", "nvme0", "--root", str(place.root)))
    theirs = of_the_list(said)[0]["machine"]
    assert theirs["meters"]
    assert ssdpm.Machine(place.root).to_dict() == theirs


@pytest.mark.parametrize("name", CASES)
def test_a_pickle_has_the_same_text(name: str, place: Place) -> None:
    found = CASES[name][0](place)
    if isinstance(found, (ssdpm.Plan, ssdpm.Device)):
        return  # they are of this process
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.to_json() == found.to_json()
    assert found.to_dict() == json.loads(found.to_json())


def test_a_value_that_was_made_by_hand_has_no_json(place: Place) -> None:
    found = ssdpm.estimate(place.model, place.trace)
    with pytest.raises(ssdpm.UnsupportedError, match="made by hand"):
        dataclasses.replace(found, loop="open").to_json()
    with pytest.raises(ssdpm.UnsupportedError, match="does not say how it was made"):
        place.table.to_json()


def test_a_prediction_is_that_of_the_command(place: Place) -> None:
    place.trace.save(place.folder / "plan.npy")
    said = place.say("measure", "check", "-t", "plan.npy", "--predict-only", DRIVE)
    [command] = json.loads(said)["predictions"]
    when = command["predicted_at"]
    found = measure.predict(place.model, place.trace, predicted_at=when)
    assert found.to_dict() == command
    assert found.duration_s == pytest.approx(command["duration_ns"] / 1e9)
    estimate = ssdpm.estimate(place.model, place.trace, likely=True)
    assert estimate.likely_power is not None
    assert estimate.likely_power.low_uw == found.likely_low_uw
    assert estimate.likely_power.median_uw == found.likely_median_uw
    assert estimate.likely_power.high_uw == found.likely_high_uw
    assert estimate.likely_power.priors_version == found.priors_version
    assert f"{estimate.likely_power}, " in repr(estimate)
    assert ssdpm.estimate(place.model, place.trace).likely_power is None
    default = measure.predict(place.model, place.trace).to_dict()
    assert default["policy"] == "linux: PS0-PS2 to PS3 after 100 ms"
    awake = measure.predict(place.model, place.trace, None)
    assert awake.to_dict()["policy"] == "none: never sleeps"
    assert awake.nominal_uw > found.nominal_uw
    table = ssdpm.ApstTable.from_data(place.table.to_bytes())
    assert measure.predict(place.model, place.trace, table).to_dict()["policy"] == (
        "PS0-PS2 to PS3 after 745 ms"
    )
    (place.folder / "mine.bin").write_bytes(place.table.to_bytes())
    table = ssdpm.load_apst(place.folder / "mine.bin")
    assert measure.predict(place.model, place.trace, table).to_dict()["policy"] == (
        "table: PS0-PS2 to PS3 after 745 ms"
    )
    named = measure.predict(place.model, place.trace, policy="ours")
    assert named.to_dict()["policy"] == "ours"


def test_the_check_of_a_prediction_is_that_of_the_command(
    place: Place, tmp_path: Path
) -> None:
    path = tmp_path / "check.json"
    found = measure.predict(place.model, place.trace)
    found.save(path)
    assert measure.Prediction.load(path) == found
    options = ("-s", "watts.csv", "--tolerance", "5%", "--subtract", "1.05W")
    [command] = json.loads(place.say("measure", "check", *options, str(path)))["predictions"]
    measured = measure.energy(place.signal, tolerance=0.05)
    when = command["measured"]["measured_at"]
    check = found.check(measured, subtracted_w=1.05, measured_at=when)
    assert check.to_dict() == command
    assert check.to_json() == path.read_text()
    assert check.verdict == command["measured"]["verdict"]
    assert check.power_uw == command["measured"]["power_uw"]
    assert check.power_w == pytest.approx(measured.mean_power_w - 1.05, abs=1e-6)
    for read in (measure.Prediction.load, lambda p: measure.Prediction.from_json(p.read_text())):
        with pytest.raises(ssdpm.ExistsError, match="has a measurement already"):
            read(path)
    with pytest.raises(ssdpm.FormatError, match="is read here"):
        measure.Prediction.from_json("[]")
    doubt = "" if check.certain else ", not certain"
    assert str(check).endswith(f": {check.verdict}{doubt}, of another length")
    assert check.length_differs is command["measured"]["length_differs"] is True
    assert measure.PredictionCheck.load(path) == check
    assert measure.PredictionCheck.from_json(path.read_text()).prediction == found
    with pytest.raises(ssdpm.UnknownValueError, match="no measurement yet"):
        measure.PredictionCheck.from_json(found.to_json())
    broken = [
        ('"verdict": "', '"verdict": "x', "means nothing here"),
        ('"power_uw": ', '"power_uw": 1.5, "x": ', "a fraction"),
        ('"certain": ', '"certain": 1, "x": ', "a boolean"),
        ('"length_differs"', '"other"', "length_differs: is needed"),
    ]
    for old, new, why in broken:
        with pytest.raises(ssdpm.FormatError, match=why):
            measure.PredictionCheck.from_json(check.to_json().replace(old, new))
    for wrong in (-1.0, float("nan")):
        with pytest.raises(ssdpm.InvalidError, match="subtracted_w"):
            found.check(measured, subtracted_w=wrong)
    with pytest.raises(TypeError, match="measured"):
        found.check(1.5)  # type: ignore[arg-type]


# Objects that no class of Python stands for, and why.
NOT_IN_PYTHON = {
    "ssdpm.lpm/1": "a port is a Device",
    "ssdpm.status/1": "tune() returns Advice",
    "ssdpm.capture/1": "Machine.capture() returns nothing",
    "ssdpm.apst-keep/1": "keep() returns a number",
    "ssdpm.error/1": "an error is raised",
}
# Those of classes beside CASES.
ELSEWHERE = {
    "ssdpm.machine/1": ssdpm.Machine,
    "ssdpm.model/1": ssdpm.Model,
    "ssdpm.overlay/1": measure.Calibration,
    "ssdpm.prediction/1": measure.Prediction,
}


def written_schemas() -> set[str]:
    """What the tables of keys have, from which the library is made."""
    tables = [*(TOP / "lib/energy/json").glob("*.keys"), TOP / "lib/object/object.keys"]
    tables.append(TOP / "lib/model/model.keys")
    text = "".join(table.read_text() for table in tables)
    return set(re.findall(r"^@object .* (ssdpm\.[\w-]+/1)$", text, re.MULTILINE))


def test_each_object_of_the_library_is_of_a_class_of_python(place: Place) -> None:
    known = {json.loads(make(place).to_json())["schema"] for make, _ in CASES.values()}
    assert written_schemas() - known == {*NOT_IN_PYTHON, *ELSEWHERE}
    assert all(hasattr(cls, "to_json") for cls in ELSEWHERE.values())


# Functions whose values are no object of ssdpm-json(5).
NO_OBJECT = {
    *("compare", "best_table", "clairvoyant", "proportionality_curve", "size_profile"),
    *("budget_item", "find_meter", "profile", "quirks", "against_datasheet"),
    *("baseline", "sampling", "background", "curve", "write_cost", "simulate"),
    *("analyse", "detectable", "judge", "merge", "schedule", "summarise", "read"),
    *("usual_workload", "total", "total_asleep"),
}


def returned_values() -> dict[str, type]:
    """The classes of values that public functions return, each with a function."""
    found = {}
    for one in every_result.public():
        if inspect.isfunction(one):
            cls = typing.get_type_hints(one).get("return")
            if inspect.isclass(cls) and issubclass(cls, Value):
                found[f"{one.__module__}.{one.__name__}"] = cls
    return found


def test_what_a_function_returns_has_json_or_is_known_to_have_none() -> None:
    found = returned_values()
    without = {name for name, cls in found.items() if not hasattr(cls, "to_json")}
    assert {name.rpartition(".")[2] for name in without} == NO_OBJECT
    assert len(found) - len(without) > 10
