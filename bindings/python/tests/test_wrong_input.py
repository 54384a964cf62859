# SPDX-License-Identifier: MIT
"""Every argument of every public call gets what it does not take, one at a time.

The calls are those of every_result.py, and those that they make in turn: a profiler
notes with what each public function was called first. One argument after the other is
then replaced. The call may take it; if it does not, the error is of a class that
callers expect and names the argument. Nothing ends the process or runs without an end.
"""

from __future__ import annotations

import inspect
import signal
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ssdpm
from every_result import CALLS, MODULES, World, path_of, public_classes, value_classes

LONG = "x" * 5000
SECONDS = 20
WRONG: dict[str, Callable[[], object]] = {
    "None": lambda: None,
    "an object": object,
    "a function": lambda: len,
    "a negative number": lambda: -1,
    "2^70": lambda: 2**70,
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "1e308": lambda: 1e308,
    "no words": lambda: "",
    "a surrogate": lambda: "a\ud800b",
    "a NUL": lambda: "a\0b",
    "a line feed": lambda: "a\nb",
    "a long word": lambda: LONG,
    "bytes": lambda: b"abc",
    "an empty list": list,
    "a list of None": lambda: [None],
    "a list of a surrogate": lambda: ["\ud800"],
    "rows that differ in length": lambda: [[1, 2], [3]],
    "a dict": lambda: {"a": 1},
    "an array of no dimension": lambda: np.array(5),
    "an array of two": lambda: np.zeros((2, 2)),
    "an array of words": lambda: np.array(["a", "b"]),
    "an array of objects": lambda: np.array([object(), None], dtype=object),
    "an array of complex numbers": lambda: np.array([1j]),
    "negative numbers, backwards": lambda: np.arange(-9.0, 0)[::-2],
    "a masked array": lambda: np.ma.masked_array([1.0, 2.0], [True, False]),
}
# What Python itself says where a check of ours was forgotten.
OTHERS_WORDS = (
    "incompatible",
    "truth value",
    "has no len()",
    "object is not",
    "not subscriptable",
    "cannot be interpreted",
    "could not convert",
    "has no attribute",
    "bytes-like",
    "codec can't",
    "embedded null",
)
# Another argument is named, which has to go with this one.
GOES_WITH = {
    ("ssdpm.consistency.measure", "iops"): "power_w",
    ("ssdpm.consistency.compare", "runs"): "iops",
    ("ssdpm.measure.survey.analyse", "runs"): "scenario",
    ("ssdpm.measure.survey.merge", "results"): "policy",
    ("ssdpm.workload.Trace.save", "path"): "format",
    ("ssdpm.device.Sampler", "meter"): "name",
}
# Waits for a meter, as long as it is told; is made by the functions beside it.
LEFT_OUT = {"ssdpm.device.Sampler.record", "ssdpm.measure.PowerIterator"}


class Call:
    """A public call, and the arguments that it was made with once."""

    def __init__(self, function: Callable[..., object], given: dict[str, Any]) -> None:
        self.function = function
        self.parameters = inspect.signature(function).parameters
        self.given = {name: given[name] for name in self.parameters if name in given}

    def with_other(self, name: str, value: object) -> object:
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for one in self.parameters.values():
            if one.name not in self.given:
                continue
            found = value if one.name == name else self.given[one.name]
            if one.kind is one.VAR_POSITIONAL:
                positional += found if isinstance(found, tuple) else (found,)
            elif one.kind is one.VAR_KEYWORD:
                named |= found if isinstance(found, dict) else {}
            elif one.kind is one.KEYWORD_ONLY:
                named[one.name] = found
            else:
                positional.append(found)
        return self.function(*positional, **named)


def public_code() -> Iterator[tuple[types.CodeType, str, Callable[..., object]]]:
    for module in MODULES:
        for name in module.__all__:
            one = getattr(module, name)
            if inspect.isfunction(one):
                yield one.__code__, path_of(one), one
    for cls in {*public_classes(), *value_classes()}:
        path = path_of(cls)
        for name, member in vars(cls).items():
            function = getattr(member, "__func__", member)
            if not inspect.isfunction(function):
                continue
            # A dataclass takes what its fields are; functions that take it check.
            if name == "__init__" and not hasattr(cls, "__dataclass_fields__"):
                yield function.__code__, path, cls
            elif not name.startswith("_"):
                yield function.__code__, f"{path}.{name}", function


CODE = {code: (name, function) for code, name, function in public_code()}


def make_plans(world: World) -> None:
    """What returns nothing is not in every_result.py."""
    root = world.write_machine("desktop-6.1")
    with ssdpm.plan(root, world.folder / "plans") as plan:
        plan.add_applied()
        plan.add_lpm("sda", "medium_power")
        plan.add_profile("sda", "balanced")
        plan.add_profile_all("balanced")
        plan.add_intent(
            ssdpm.Intent.read(root),
            "nvme0",
            power_source="ac",
            desktop_profile="balanced",
        )
        plan.add_latency_tolerance("nvme0", 25_000)
        plan.add_nvme_core("apst_primary_timeout_ms", 100)
        plan.read()
    with ssdpm.plan(root, world.folder / "applied") as applied:
        applied.apply(ssdpm.Plan.add_profile_all)
    other = ssdpm.plan(world.write_machine("eight-drives"), world.folder / "others")
    other.add_apst("nvme0", other.machine.open("nvme0").apst())
    refused: list[Callable[[], None]] = [
        lambda: other.add_power_state("nvme0", 0),
        lambda: other.add_nopp("nvme0", True),
        lambda: other.add_link("nvme0", ["l1"]),
        lambda: other.add_queue_depth("sda", 1),
        lambda: other.add_d3cold("nvme0", True),
        lambda: other.add_aspm_policy("default"),
        lambda: other.verify(commands=False),
    ]
    for call in refused:
        try:
            call()
        except ssdpm.Error:
            pass  # The drive has none: it is the call that is noted.
    ssdpm.Intent.keep("profile = auto", other.machine.open("nvme0"), other.machine)
    ssdpm.Intent.forget(other.machine)
    ssdpm.add_request(other.machine, world.folder / "requests")
    ssdpm.persist("udev", "balanced").write(world.write_machine("laptop"))
    ssdpm.persist("udev", "balanced").check(world.root)
    world.machine.capture(world.folder / "captured")
    world.table.validate(world.model)


def write_pages(world: World) -> None:
    drive = world.ftl_drive()
    drive.feed(world.trace)
    drive.trim(0, 1)
    world.calibration.save(world.folder / "again.json")


@pytest.fixture(scope="module")
def calls(
    tmp_path_factory: pytest.TempPathFactory, machine: Callable[[str], Path]
) -> dict[str, Call]:
    found: dict[str, Call] = {}
    world = World(tmp_path_factory.mktemp("wrong"), machine)

    def note(frame: types.FrameType, event: str, _: object) -> None:
        name, function = CODE.get(frame.f_code, ("", len))
        if event == "call" and name and name not in found:
            found[name] = Call(function, dict(frame.f_locals))

    for call in (*CALLS.values(), make_plans, write_pages):
        sys.setprofile(note)
        try:
            call(world)
        finally:
            sys.setprofile(None)
    return found


def is_expected(error: BaseException) -> bool:
    if isinstance(error, ssdpm.Error):
        return True
    if isinstance(error, MemoryError):
        return any(char.isdigit() for char in str(error))
    if isinstance(error, OSError):
        return error.filename is not None
    if isinstance(error, IndexError):
        return str(error).startswith("index: ")
    return isinstance(error, (TypeError, ValueError, OverflowError))


def complaint(error: BaseException, name: str, argument: str) -> str | None:
    """What is wrong with an error; None: nothing."""
    text = str(error)
    if not is_expected(error):
        return f"{type(error).__name__}: {text}"
    if any(words in text for words in OTHERS_WORDS) or len(text) > 6000:
        return text
    # Errors of the library name what C calls it, and its value.
    if isinstance(error, OSError):
        return None if text else "no words"
    words = (argument, argument.rstrip("s"), GOES_WITH.get((name, argument), argument))
    return None if any(word in text for word in words) else f"not named: {text}"


def no_end(*_: object) -> None:
    raise AssertionError(f"no end within {SECONDS} seconds")


def function_names() -> list[str]:
    """Those with arguments; plots have Matplotlib's."""
    names = {
        name
        for code, (name, _) in CODE.items()
        if set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        - {"self", "cls"}
        and not name.endswith(".plot")
    }
    return sorted(names - LEFT_OUT)


def test_all_public_calls_are_tried(calls: dict[str, Call]) -> None:
    assert set(function_names()) - set(calls) == set()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", function_names())
def test_what_is_wrong_is_refused_by_name(
    name: str,
    calls: dict[str, Call],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call = calls[name]
    monkeypatch.chdir(tmp_path)
    signal.signal(signal.SIGALRM, no_end)
    found = []
    for argument in call.given:
        kind = call.parameters[argument].kind
        if argument in ("self", "cls") or kind is inspect.Parameter.VAR_KEYWORD:
            continue
        for what, make in WRONG.items():
            # This machine, which some calls would set, and whose files they write.
            if argument == "root" and what == "None":
                continue
            signal.alarm(SECONDS)
            try:
                call.with_other(argument, make())
            except Exception as error:
                said = complaint(error, name, argument)
                if said is not None:
                    found.append(f"{argument} = {what}: {said[:300]}")
            finally:
                signal.alarm(0)
    assert not found, "\n".join(found)
