# SPDX-License-Identifier: MIT
"""APST tables: made, explained, encoded, checked. Built-in and own profiles.

Questions the other way round: tables that were saved, and what made them.
"""

from __future__ import annotations

import copy
import gc
import inspect
import json
import pathlib
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings

import ssdpm
from oracles import Kernel
from ssdpm import (
    Algorithm,
    ApstDifference,
    ApstEntry,
    PowerScheme,
    PowerSource,
    PowerState,
    Quirk,
    VerdictKind,
    _core,
)
from ssdpm.policy.parameters import POWERS, TIMES

# Small numbers meet the limits often, large ones find overflows.
LATENCIES = st.sampled_from([0, 1, 19, 20, 21, 100]) | st.integers(0, 2**32 - 1)
TIMEOUTS = st.sampled_from([0, 1, 100]) | st.integers(0, 2**24 - 1)
TOLERANCES = st.sampled_from([0, 1, 40, 120]) | st.integers(0, 2**64 - 1)
LIMITS = st.none() | st.sampled_from([0, 20, 99]) | st.integers(0, 2**64 - 2)



@st.composite
def kernels(draw: st.DrawFn) -> Kernel:
    state = st.tuples(st.booleans(), LATENCIES, LATENCIES)
    return Kernel(
        states=draw(st.lists(state, min_size=1, max_size=32)),
        tolerance_us=draw(LIMITS),
        legacy=draw(st.booleans()),
        primary_timeout_ms=draw(TIMEOUTS),
        primary_tolerance_us=draw(TOLERANCES),
        secondary_timeout_ms=draw(TIMEOUTS),
        secondary_tolerance_us=draw(TOLERANCES),
        apsta=draw(st.sampled_from([1, 1, 1, 0, 2])),
        quirks=draw(st.sampled_from([set(), set(), {"no-deepest-ps"}, {"no-apst"}])),
    )


def model_of(kernel: Kernel) -> ssdpm.Model:
    states = [
        PowerState(operational, entry_latency_us=entry, exit_latency_us=exit_)
        for operational, entry, exit_ in kernel.states
    ]
    return ssdpm.Model.from_states(states, apsta=kernel.apsta)


def arguments_of(kernel: Kernel) -> dict[str, Any]:
    limit = kernel.tolerance_us
    return {
        "algorithm": "linux-legacy" if kernel.legacy else "linux",
        "max_exit_latency_us": "any" if limit is None else limit,
        "primary_timeout_ms": kernel.primary_timeout_ms,
        "primary_latency_tolerance_us": kernel.primary_tolerance_us,
        "secondary_timeout_ms": kernel.secondary_timeout_ms,
        "secondary_latency_tolerance_us": kernel.secondary_tolerance_us,
        "quirks": kernel.quirks,
    }


def rows(table: ssdpm.ApstTable) -> list[tuple[int, int]]:
    return list(zip(table.array["target"].tolist(), table.array["idle_ms"].tolist()))


@settings(max_examples=1000)
@given(kernels())
def test_the_table_is_that_of_the_kernel(kernel: Kernel) -> None:
    table = ssdpm.apst(model_of(kernel), **arguments_of(kernel))
    assert (table.sent, table.enabled, rows(table)) == kernel.table()


@given(kernels())
def test_each_state_gets_a_verdict_that_fits_the_table(kernel: Kernel) -> None:
    table = ssdpm.apst(model_of(kernel), **arguments_of(kernel))
    verdicts = table.explain()
    assert [v.state for v in verdicts] == list(range(len(kernel.states)))
    used = {v.state for v in verdicts if v.verdict is VerdictKind.USED}
    assert used == {e.target for e in table.entries if e.idle_ms}
    assert all(v.reason and v.reason.isascii() for v in verdicts)


@given(kernels())
def test_a_table_is_encoded_and_decoded_and_stays_the_same(kernel: Kernel) -> None:
    table = ssdpm.apst(model_of(kernel), **arguments_of(kernel))
    data = table.to_bytes()
    assert len(data) == 256
    words = np.frombuffer(data, "<u8").tolist()
    assert words == [target << 3 | ms << 8 for target, ms in rows(table)]
    again = ssdpm.ApstTable.from_bytes(data, enabled=table.enabled)
    assert rows(again) == rows(table)
    assert (again == table) == table.sent
    if again == table:
        assert hash(again) == hash(table)


@given(st.lists(st.tuples(st.integers(0, 31), st.integers(0, 2**24 - 1)), max_size=32))
def test_bytes_are_decoded_and_encoded_and_stay_the_same(
    entries: list[tuple[int, int]],
) -> None:
    words = [target << 3 | idle_ms << 8 for target, idle_ms in entries]
    data = np.array(words + [0] * (32 - len(words)), "<u8").tobytes()
    table = ssdpm.ApstTable.from_bytes(data)
    assert table.to_bytes() == data
    assert table.sent and table.enabled
    assert table.entries == tuple(
        ApstEntry(state, target, idle_ms)
        for state, (target, idle_ms) in enumerate(entries)
        if target or idle_ms
    )


def test_the_defaults_are_those_of_the_library(model: ssdpm.Model) -> None:
    parameters = inspect.signature(ssdpm.apst).parameters
    names = set(parameters) - {"model"}
    assert names == set(ssdpm.APST_DEFAULTS)
    assert all(parameters[n].default is None for n in names - {"quirks"})
    assert parameters["quirks"].default == ssdpm.APST_DEFAULTS["quirks"] == "auto"
    assert ssdpm.apst(model) == ssdpm.apst(model, **ssdpm.APST_DEFAULTS)
    assert ssdpm.APST_DEFAULTS["max_exit_latency_us"] == 100_000
    with pytest.raises(TypeError):
        ssdpm.APST_DEFAULTS["quirks"] = ()  # type: ignore[index]


def test_a_usual_drive_gets_a_usual_table(model: ssdpm.Model) -> None:
    table = ssdpm.apst(model)
    assert table.entries == (
        ApstEntry(0, 3, 100),
        ApstEntry(1, 3, 100),
        ApstEntry(2, 3, 100),
        ApstEntry(3, 4, 2000),
    )
    assert table.algorithm is Algorithm.LINUX
    assert table.explain()[4].verdict == "used"
    assert ssdpm.apst(model, max_exit_latency_us=25_000).explain()[4].verdict == (
        VerdictKind.EXIT_TOO_SLOW
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"algorithm": Algorithm.LINUX_LEGACY},
        {"algorithm": "linux-legacy"},
    ],
)
def test_an_algorithm_is_an_enum_or_its_word(
    arguments: dict[str, Any], model: ssdpm.Model
) -> None:
    table = ssdpm.apst(model, **arguments)
    assert table.algorithm is Algorithm.LINUX_LEGACY
    assert table.entries[0] == ApstEntry(0, 3, 750)


@pytest.mark.parametrize(
    "quirks",
    [
        Quirk.NO_DEEPEST_PS,
        "no-deepest-ps",
        [Quirk.NO_DEEPEST_PS],
        {"no-deepest-ps"},
        iter(["no-deepest-ps", "no-deepest-ps"]),
    ],
)
def test_quirks_are_enums_or_words_one_or_many(quirks: Any, model: ssdpm.Model) -> None:
    table = ssdpm.apst(model, quirks=quirks)
    assert {entry.target for entry in table.entries} == {3}
    assert table.explain()[4].verdict is VerdictKind.QUIRK


SN550 = {"product": "WDC WDS500G2B0C-00PXH0", "vendor_id": 0x15B7}
"""Linux 6.12 and later do not let it into its last state."""


def named(model: ssdpm.Model, **info: Any) -> ssdpm.Model:
    return ssdpm.Model.from_states(model.states, apsta=1, **info)


def test_quirks_of_linux_are_applied_unless_others_are_named(
    model: ssdpm.Model,
) -> None:
    drive = named(model, **SN550)
    table = ssdpm.apst(drive)
    assert table.quirks == (Quirk.NO_DEEPEST_PS,)
    assert table == ssdpm.apst(model, quirks="no-deepest-ps")
    assert table.explain()[4].verdict is VerdictKind.QUIRK
    assert ssdpm.apst(drive, quirks="auto") == table
    assert ssdpm.apst(drive, quirks=()) == ssdpm.apst(model)
    both = ssdpm.apst(drive, quirks=["auto", "no-apst"])
    assert both.quirks == (Quirk.NO_APST, Quirk.NO_DEEPEST_PS)
    assert ssdpm.apst(model).quirks == ()
    assert ssdpm.ApstTable.from_bytes(bytes(256)).quirks is None
    assert pickle.loads(pickle.dumps(table)).quirks == table.quirks


def test_quirks_say_what_is_sure_what_is_not_and_why(model: ssdpm.Model) -> None:
    found = ssdpm.quirks(named(model, **SN550))
    assert found.quirks == (Quirk.NO_DEEPEST_PS,)
    assert found.unknown == (Quirk.NO_APST,)
    assert [(m.quirks, m.unknown) for m in found.matches] == [
        ((Quirk.NO_DEEPEST_PS,), ()),
        ((), (Quirk.NO_APST,)),
    ]
    assert found.matches[0].reason == (
        "WD Blue SN550: Linux 6.12.117 and later, nvme_id_table"
    )
    assert "depends on board_name" in found.matches[1].reason
    perhaps = ssdpm.quirks(named(model, product="PC SN530 NVMe", vendor_id=0x15B7))
    assert perhaps.quirks == ()
    assert Quirk.NO_DEEPEST_PS in perhaps.unknown


def test_a_host_decides_what_the_drive_does_not_say(model: ssdpm.Model) -> None:
    drive = named(model, **SN550)
    old = ssdpm.Host(linux_release="6.1.192-amd64", board_name="Any")
    assert ssdpm.quirks(drive, host=old).quirks == ()
    assert ssdpm.quirks(drive, host=old).unknown == ()
    other = ssdpm.Host(pci_vendor_id=0x15B7, pci_device_id=0x5008, board_name="Any")
    assert ssdpm.quirks(drive, host=other) == ssdpm.Quirks((), (), ())
    board = ssdpm.Host(board_name="LXKT-ZXEG-N6")
    assert Quirk.NO_APST in ssdpm.quirks(drive, host=board).quirks
    sata = ssdpm.Model.from_states([], kind="sata", product="Samsung SSD 860 EVO 1TB")
    ati = ssdpm.Host(adapter_vendor_id=0x1002)
    assert ssdpm.quirks(sata, host=ati).quirks == (
        Quirk.NO_LPM,
        Quirk.NO_LPM_ON_ATI_AND_AMD,
    )


def test_rules_of_the_user_add_quirks(model: ssdpm.Model) -> None:
    rules = "[nvme mine]\nproduct = ACME*\nquirks = no-apst\n"
    found = ssdpm.quirks(model, rules=rules)
    assert found.quirks == (Quirk.NO_APST,)
    assert found.matches[0].reason == "mine: line 1 of the rules"
    with pytest.raises(ssdpm.FormatError, match="quirks: this is no value") as caught:
        ssdpm.quirks(model, rules="[nvme mine]\nquirks = fast")
    assert caught.value.line == 2
    with pytest.raises(ssdpm.TooLargeError):
        ssdpm.quirks(model, rules=rules * 33)


def test_arguments_of_quirks_are_checked(model: ssdpm.Model) -> None:
    with pytest.raises(TypeError, match=r"^model: an ssdpm.Model is needed"):
        ssdpm.quirks("drive")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^host: an ssdpm.Host is needed, not dict"):
        ssdpm.quirks(model, host={})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^rules: a str is needed, not bytes"):
        ssdpm.quirks(model, rules=b"")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^board_name: a str is needed, not int"):
        ssdpm.quirks(model, host=ssdpm.Host(board_name=1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^board_name: a zero byte"):
        ssdpm.quirks(model, host=ssdpm.Host(board_name="a\0b"))
    with pytest.raises(ssdpm.RangeError, match=r"^adapter_vendor_id: 65536 is not"):
        ssdpm.quirks(model, host=ssdpm.Host(adapter_vendor_id=65536))
    with pytest.raises(ValueError, match="both are needed"):
        ssdpm.quirks(model, host=ssdpm.Host(pci_vendor_id=1))
    with pytest.raises(ssdpm.InvalidError, match="^linux_release: no release"):
        ssdpm.quirks(model, host=ssdpm.Host(linux_release="new"))


@pytest.mark.parametrize(
    ("enum", "words"),
    [
        (Algorithm, _core.ALGORITHMS),
        (PowerScheme, _core.SCHEMES),
        (PowerSource, _core.POWER_SOURCES),
        (Quirk, _core.QUIRKS),
        (VerdictKind, _core.VERDICTS),
    ],
)
def test_the_enums_have_the_words_of_the_library(enum: Any, words: Any) -> None:
    assert [member.value for member in enum] == list(words)
    for member in enum:
        assert member == member.value == str(member) == f"{member}"
        assert json.dumps(member) == f'"{member.value}"'


@pytest.mark.parametrize("name", ["max_exit_latency_us", *TIMES, *POWERS])
@pytest.mark.parametrize("value", [True, 1.0, "100", b"1", [1], np.array([1, 2])])
def test_a_number_of_another_type_is_a_typeerror(
    name: str, value: Any, model: ssdpm.Model
) -> None:
    with pytest.raises(TypeError, match=f"^{name}: an integer is needed"):
        ssdpm.apst(model, **{name: value})


@pytest.mark.parametrize("name", ["max_exit_latency_us", *TIMES, *POWERS])
@pytest.mark.parametrize("value", [-1, 2**64, 10**100])
def test_a_number_out_of_range_is_named(
    name: str, value: Any, model: ssdpm.Model
) -> None:
    with pytest.raises(ssdpm.RangeError, match=f"^{name}: ") as caught:
        ssdpm.apst(model, **{name: value})
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("name", ["primary_timeout_ms", "secondary_timeout_ms"])
def test_a_timeout_that_no_entry_holds_is_named(name: str, model: ssdpm.Model) -> None:
    longest: dict[str, Any] = {name: 2**24 - 1}
    ssdpm.apst(model, **longest)
    too_long: dict[str, Any] = {name: 2**24}
    with pytest.raises(ssdpm.RangeError, match=f"^{name} is 16777216 ms; "):
        ssdpm.apst(model, **too_long)


def test_numpy_integers_are_integers(model: ssdpm.Model) -> None:
    table = ssdpm.apst(model, max_exit_latency_us=np.uint32(25_000))
    assert table == ssdpm.apst(model, max_exit_latency_us=25_000)


def test_a_wrong_word_is_named(model: ssdpm.Model) -> None:
    with pytest.raises(ValueError, match=r"^algorithm: 'best' is none of 'linux', "):
        ssdpm.apst(model, algorithm="best")
    with pytest.raises(ValueError, match=r"^scheme: 'turbo' is none of 'performance"):
        ssdpm.apst(model, scheme="turbo")
    with pytest.raises(ValueError, match=r"^power_source: 'dc' is none of 'ac', 'bat"):
        ssdpm.apst(model, power_source="dc")
    with pytest.raises(ValueError, match=r"^quirks: 'fast' is none of 'no-apst', "):
        ssdpm.apst(model, quirks=["fast"])
    with pytest.raises(TypeError, match=r"^algorithm: a str is needed, not int"):
        ssdpm.apst(model, algorithm=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^quirks: a str is needed, not int"):
        ssdpm.apst(model, quirks=[1])  # type: ignore[list-item]


def test_something_that_is_no_model_is_a_typeerror(model: ssdpm.Model) -> None:
    with pytest.raises(TypeError, match=r"^model: an ssdpm.Model is needed, not str"):
        ssdpm.apst("drive.json")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^model: an ssdpm.Model is needed, not None"):
        ssdpm.apst(model).validate(None)  # type: ignore[arg-type]


def test_an_unknown_latency_is_an_error_and_not_zero() -> None:
    model = ssdpm.Model.from_states([PowerState(True), PowerState(False)])
    with pytest.raises(ssdpm.UnknownValueError, match="PS1: exit_latency_us is unk"):
        ssdpm.apst(model)


def test_a_sata_drive_has_no_apst(model: ssdpm.Model) -> None:
    sata = ssdpm.Model.from_states([], kind="sata")
    with pytest.raises(ssdpm.UnsupportedError):
        ssdpm.apst(sata)
    with pytest.raises(ssdpm.UnsupportedError):
        ssdpm.apst(model).validate(sata)


def test_the_array_is_a_read_only_view_that_outlives_the_table(
    model: ssdpm.Model,
) -> None:
    array = ssdpm.apst(model).array
    gc.collect()
    assert array.shape == (32,)
    assert array.dtype == ssdpm.apst_entry_dtype
    assert array.dtype.itemsize == 8
    assert array["target"].tolist()[:5] == [3, 3, 3, 4, 0]
    with pytest.raises(ValueError, match="read-only"):
        array["target"][0] = 1
    table = ssdpm.apst(model)
    assert np.shares_memory(table.array, table.array)


def test_a_table_does_not_change_and_is_not_made_by_hand(model: ssdpm.Model) -> None:
    with pytest.raises(AttributeError):
        ssdpm.apst(model).sent = False  # type: ignore[misc]
    with pytest.raises(TypeError, match=r"ssdpm\.apst\(\)"):
        ssdpm.ApstTable()


def test_tables_are_equal_by_what_a_host_would_program(model: ssdpm.Model) -> None:
    table = ssdpm.apst(model)
    assert table == ssdpm.apst(model, secondary_latency_tolerance_us=99_000)
    assert table != ssdpm.apst(model, secondary_timeout_ms=1999)
    assert table != table.to_bytes()
    read = ssdpm.ApstTable.from_bytes(table.to_bytes())
    assert {table, read} == {table}
    assert table != ssdpm.ApstTable.from_bytes(table.to_bytes(), enabled=False)


def test_a_table_survives_pickling_and_copying(model: ssdpm.Model) -> None:
    table = ssdpm.apst(model, max_exit_latency_us="any", quirks="no-deepest-ps")
    for twin in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table)):
        assert twin == table
        assert twin.explain() == table.explain()
    table = ssdpm.apst(
        model,
        algorithm="windows",
        scheme=PowerScheme.POWER_SAVER,
        power_source=PowerSource.BATTERY,
    )
    assert pickle.loads(pickle.dumps(table)).explain() == table.explain()
    table = ssdpm.apst(
        model,
        algorithm=Algorithm.LOWER_ENVELOPE,
        idle_power_uw=500_000,
        transition_power_uw=700_000,
    )
    assert pickle.loads(pickle.dumps(table)).explain() == table.explain()
    read = ssdpm.ApstTable.from_bytes(bytes(256), enabled=False)
    assert pickle.loads(pickle.dumps(read)) == read


def test_a_table_from_bytes_cannot_be_explained() -> None:
    table = ssdpm.ApstTable.from_bytes(bytes(256))
    assert table.algorithm is None
    with pytest.raises(ssdpm.UnsupportedError, match="a table from bytes"):
        table.explain()


@pytest.mark.parametrize("data", [b"", bytes(255), bytes(257)])
def test_a_table_of_another_length_is_refused(data: bytes) -> None:
    with pytest.raises(ssdpm.FormatError, match=f"^{len(data)} bytes; "):
        ssdpm.ApstTable.from_bytes(data)


def test_a_reserved_bit_in_a_table_is_refused() -> None:
    with pytest.raises(ssdpm.FormatError, match=r"^entry 1: a reserved bit"):
        ssdpm.ApstTable.from_bytes(bytes(8) + b"\1" + bytes(247))


def test_a_table_of_another_type_is_a_typeerror() -> None:
    with pytest.raises(TypeError):
        ssdpm.ApstTable.from_bytes("0" * 256)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^enabled: a bool is needed"):
        ssdpm.ApstTable.from_bytes(bytes(256), enabled=1)  # type: ignore[arg-type]


def test_a_sound_table_is_valid_and_a_faulty_one_says_why(model: ssdpm.Model) -> None:
    ssdpm.apst(model).validate(model)
    upwards = ssdpm.ApstTable.from_bytes(
        bytes(24) + (1 << 3 | 100 << 8).to_bytes(8, "little") + bytes(224)
    )
    with pytest.raises(ssdpm.InvalidError, match=r"^entry 3: target PS1"):
        upwards.validate(model)
    off = ssdpm.ApstTable.from_bytes(ssdpm.apst(model).to_bytes(), enabled=False)
    with pytest.raises(ssdpm.InvalidError, match="not enabled"):
        off.validate(model)


def test_a_table_prints_well(model: ssdpm.Model) -> None:
    table = ssdpm.apst(model)
    assert repr(table) == (
        "<ssdpm.ApstTable enabled; PS0-PS2 to PS3 after 100 ms; "
        "PS3 to PS4 after 2000 ms>"
    )
    assert "<td>PS0-PS2</td><td>PS3</td><td>100</td>" in table._repr_html_()
    off = ssdpm.apst(model, max_exit_latency_us=0)
    assert repr(off) == "<ssdpm.ApstTable switched off>"
    none = ssdpm.Model.from_states(model.states, apsta=0)
    assert repr(ssdpm.apst(none)) == "<ssdpm.ApstTable not sent>"


def test_threads_get_the_same_as_one_alone(raw: bytes, model: ssdpm.Model) -> None:
    limits = list(range(0, 100_000, 250))

    def work(limit: int) -> tuple[bytes, str, Any]:
        own = ssdpm.Model(raw)
        table = ssdpm.apst(model, max_exit_latency_us=limit)
        return table.to_bytes(), own.to_json(), table.explain()

    alone = [work(limit) for limit in limits]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, limits)) == alone


MINE = """\
[mine]
ac.max_exit_latency = 25ms
ac.lpm = medium_power max_performance
ac.reason = one that is mine
battery.max_exit_latency = any
battery.reason = no limit
"""


def test_the_built_in_profiles_are_there() -> None:
    assert {"performance", "balanced", "power-saver"} == set(ssdpm.profiles())


@pytest.mark.parametrize("name", ["performance", "balanced", "power-saver"])
@pytest.mark.parametrize("source", ["ac", "battery"])
def test_a_profile_says_its_name_its_source_and_why(name: str, source: str) -> None:
    profile = ssdpm.profile(name, source)
    assert (profile.name, profile.power_source) == (name, source)
    assert isinstance(profile.power_source, PowerSource)
    assert profile.reason


def test_balanced_is_what_linux_does_by_itself() -> None:
    profile = ssdpm.profile("balanced")
    for name in (
        "max_exit_latency_us",
        "primary_timeout_ms",
        "primary_latency_tolerance_us",
        "secondary_timeout_ms",
        "secondary_latency_tolerance_us",
    ):
        assert getattr(profile, name) == ssdpm.APST_DEFAULTS[name]


def test_a_profile_of_ones_own_comes_first_and_says_no_more_than_it_says() -> None:
    assert ssdpm.profiles(MINE)[0] == "mine"
    ac = ssdpm.profile("mine", text=MINE)
    assert ac == ssdpm.ProfileSettings(
        "mine",
        PowerSource.AC,
        "one that is mine",
        max_exit_latency_us=25000,
        lpms=("medium_power", "max_performance"),
    )
    battery = ssdpm.profile("mine", "battery", text=MINE)
    assert battery.max_exit_latency_us == "any"
    assert battery.lpms is None


def test_an_unknown_profile_names_those_that_there_are() -> None:
    with pytest.raises(ssdpm.NotFoundError, match="power-saver"):
        ssdpm.profile("turbo")


def test_a_fault_has_its_line() -> None:
    text = MINE + "max_exit_latency = soon\n"
    with pytest.raises(ssdpm.FormatError) as caught:
        ssdpm.profile("mine", text=text)
    assert caught.value.line == len(text.splitlines())


def test_arguments_of_other_types_are_refused() -> None:
    with pytest.raises(ValueError, match="source: 'mains' is none of"):
        ssdpm.profile("balanced", "mains")
    with pytest.raises(TypeError, match="name: a str"):
        ssdpm.profile(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="name: .* has no form in UTF-8"):
        ssdpm.profile("\udcff")
    with pytest.raises(ValueError, match="name: a zero byte"):
        ssdpm.profile("balanced\0")
    with pytest.raises(TypeError, match="text: a str"):
        ssdpm.profiles(b"")  # type: ignore[arg-type]


LINES = st.sampled_from(MINE.splitlines()) | st.text(max_size=30)


@example("[x]\n")
@given(st.text() | st.lists(LINES, max_size=8).map("\n".join))
def test_no_text_is_anything_but_profiles_or_a_fault_with_its_line(text: str) -> None:
    try:
        names = ssdpm.profiles(text)
    except ssdpm.FormatError as error:
        assert error.line is not None
        assert 1 <= error.line <= text.count("\n") + 1
        return
    assert set(names) >= {"performance", "balanced", "power-saver"}
    for name in names:
        for source in PowerSource:
            try:
                found = ssdpm.profile(name, source, text=text)
            except ssdpm.NotFoundError:
                continue  # it has the other source only
            assert (found.name, found.power_source) == (name, source)


# Few numbers, so that limits, tolerances and latencies meet.
SMALL = st.integers(0, 12)


@st.composite
def small_kernels(draw: st.DrawFn) -> Kernel:
    state = st.tuples(st.booleans(), SMALL, SMALL)
    return Kernel(
        states=draw(st.lists(state, min_size=1, max_size=7)),
        tolerance_us=draw(st.none() | SMALL),
        legacy=draw(st.booleans()),
        primary_timeout_ms=draw(SMALL),
        primary_tolerance_us=draw(st.integers(0, 25)),
        secondary_timeout_ms=draw(SMALL),
        secondary_tolerance_us=draw(st.integers(0, 25)),
        quirks=draw(st.sampled_from([set(), set(), {"no-deepest-ps"}, {"no-apst"}])),
    )


@given(small_kernels())
def test_what_the_kernel_makes_is_inferred(kernel: Kernel) -> None:
    model = model_of(kernel)
    table = ssdpm.apst(model, **arguments_of(kernel))
    found = ssdpm.infer(model, table)
    assert found
    for parameters in found:
        arguments = parameters.arguments()
        assert ssdpm.apst(model, **arguments) == table
        for limit in parameters.limit_range:
            assert (
                ssdpm.apst(model, **{**arguments, "max_exit_latency_us": limit})
                == table
            )


@given(small_kernels())
def test_what_the_kernel_makes_is_reached(kernel: Kernel) -> None:
    model = model_of(kernel)
    table = ssdpm.apst(model, **arguments_of(kernel))
    reached = ssdpm.reach(model, table, quirks=kernel.quirks)
    assert reached.exact
    assert reached.table == table
    assert reached.parameters.algorithm == "linux"
    assert set(reached.parameters.quirks) == kernel.quirks
    assert ssdpm.apst(model, **reached.parameters.arguments()) == table
    assert len(reached.table.explain()) == len(model)


@given(small_kernels(), st.data())
def test_keep_agrees_with_all_limits_tried(kernel: Kernel, data: st.DataObject) -> None:
    model, arguments = model_of(kernel), arguments_of(kernel)
    state = data.draw(st.integers(0, len(model) - 1))
    del arguments["max_exit_latency_us"]

    def deepest(limit: int | str) -> int | None:
        table = ssdpm.apst(model, max_exit_latency_us=limit, **arguments)
        return max((e.target for e in table.entries if e.idle_ms), default=None)

    limits = [limit for limit in range(14) if deepest(limit) == state]
    try:
        kept = ssdpm.keep(model, state, **arguments)
    except ssdpm.UnsupportedError as error:
        assert not limits
        assert f"PS{state}" in str(error)
    else:
        assert kept == (limits[-1] if limits[-1] < 13 else "any")
        assert deepest(kept) == state


@given(small_kernels(), small_kernels())
def test_a_difference_is_the_same_from_both_sides(one: Kernel, two: Kernel) -> None:
    a = ssdpm.apst(model_of(one), **arguments_of(one))
    b = ssdpm.apst(model_of(two), **arguments_of(two))
    assert tuple(a.diff(a)) == ()
    assert tuple(a.diff(b)) == tuple(
        ApstDifference(d.state, d.other, d.entry) for d in b.diff(a)
    )
    differing = {d.state for d in a.diff(b)}
    same = set(range(32)) - differing
    assert all(a.array[s] == b.array[s] for s in same)
    assert all(a.array[s] != b.array[s] for s in differing)


def test_a_difference_has_both_entries(model: ssdpm.Model) -> None:
    limited = ssdpm.apst(model, max_exit_latency_us=25_000, primary_timeout_ms=50)
    assert ssdpm.apst(model).diff(limited)[2:] == (
        ApstDifference(2, ApstEntry(2, 3, 100), ApstEntry(2, 3, 50)),
        ApstDifference(3, ApstEntry(3, 4, 2000), None),
    )


def test_the_defaults_are_inferred(model: ssdpm.Model) -> None:
    first = ssdpm.infer(model, ssdpm.apst(model))[0]
    arguments = first.arguments()
    assert arguments == dict(ssdpm.APST_DEFAULTS) | {"quirks": ()}
    assert first.limit_range == (45_000, "any")
    assert (first.scheme, first.power_source) == ("balanced", "ac")


def test_several_causes_are_inferred(model: ssdpm.Model) -> None:
    table = ssdpm.apst(model, max_exit_latency_us=25_000)
    limit, quirk, *_ = ssdpm.infer(model, table)
    assert limit.limit_range == (10_000, 44_999)
    assert quirk.quirks == (Quirk.NO_DEEPEST_PS,)
    nothing = ssdpm.ApstTable.from_bytes(bytes([0, 1]).ljust(256, b"\0"))
    assert not ssdpm.infer(model, nothing)


def test_the_closest_is_not_exact(model: ssdpm.Model) -> None:
    wanted = ssdpm.apst(model)
    reached = ssdpm.reach(model, wanted, quirks="no-deepest-ps")
    assert not reached.exact
    assert [d.state for d in reached.table.diff(wanted)] == [3]


def test_keep_takes_what_apst_takes_but_the_limit(model: ssdpm.Model) -> None:
    taken = set(inspect.signature(ssdpm.apst).parameters)
    assert set(inspect.signature(ssdpm.keep).parameters) == (
        taken - {"max_exit_latency_us"} | {"state"}
    )
    assert ssdpm.keep(model, 3) == 44_999
    assert ssdpm.keep(model, 4, algorithm="linux-legacy") == "any"
    with pytest.raises(ssdpm.UnsupportedError, match="PS0: APST enters only"):
        ssdpm.keep(model, 0)
    with pytest.raises(ssdpm.InvalidError, match="only 5 states"):
        ssdpm.keep(model, 5)
    with pytest.raises(ssdpm.RangeError, match="state: -1"):
        ssdpm.keep(model, -1)


def saved(table: ssdpm.ApstTable) -> dict[str, bytes]:
    raw = table.to_bytes()
    entries = "".join(
        f"\tEntry[{e.state:2}]\r\n\tIdle Time Prior to Transition (ITPT): "
        f"{e.idle_ms} ms\r\n\tIdle Transition Power State   (ITPS): {e.target}\r\n"
        for e in table.entries
    )
    return {
        "raw": raw,
        "hex": raw.hex().encode(),
        "text": b"get-feature:0x0c (x), Current value:0x00000001\r\n"
        + entries.encode(),
        "dump": b"".join(
            f"{at:04x}: {raw[at:at + 16].hex(' ')} \"....\"\n".encode()
            for at in range(0, 256, 16)
        ),
        "json": json.dumps({"schema": "ssdpm.apst/1", "raw": raw.hex()}).encode(),
    }


@pytest.mark.parametrize("form", ["raw", "hex", "text", "dump", "json"])
def test_a_saved_table_is_read(
    form: str, model: ssdpm.Model, tmp_path: pathlib.Path
) -> None:
    table = ssdpm.apst(model)
    data = saved(table)[form]
    assert ssdpm.ApstTable.from_data(data) == table
    assert ssdpm.ApstTable.from_data(bytearray(data)) == table
    path = tmp_path / "table"
    path.write_bytes(data)
    assert ssdpm.load_apst(path) == ssdpm.load_apst(str(path)) == table


def test_what_is_no_table_is_a_format_error(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "table"
    path.write_text("Entry[ 0]\n(ITPT): x\n")
    with pytest.raises(ssdpm.FormatError, match="ITPT is not a number") as caught:
        ssdpm.load_apst(path)
    assert (caught.value.filename, caught.value.line) == (str(path), 2)
    with pytest.raises(ssdpm.FormatError, match="no data"):
        ssdpm.ApstTable.from_data(b"")
    with pytest.raises(ssdpm.TooLargeError, match="1024 JSON values"):
        ssdpm.ApstTable.from_data(b"[" + b"1," * 2000 + b"1]")
    with pytest.raises(FileNotFoundError):
        ssdpm.load_apst(tmp_path / "missing")


@pytest.mark.parametrize("sent", [True, False])
def test_a_read_table_can_be_pickled(sent: bool) -> None:
    text = {"schema": "ssdpm.apst/1", "entries": [], "sent": sent}
    table = ssdpm.ApstTable.from_data(json.dumps(text).encode())
    again = pickle.loads(pickle.dumps(table))
    assert again == table
    assert again.sent is sent


@pytest.mark.parametrize(
    "call",
    [
        lambda model, table: ssdpm.infer(table, table),
        lambda model, table: ssdpm.infer(model, b"x"),  # type: ignore[arg-type]
        lambda model, table: ssdpm.reach(model, None),  # type: ignore[arg-type]
        lambda model, table: ssdpm.reach(table, table),
        lambda model, table: ssdpm.keep(table, 3),
        lambda model, table: ssdpm.keep(model, "3"),  # type: ignore[arg-type]
        lambda model, table: table.diff(model),
        lambda model, table: ssdpm.ApstTable.from_data("text"),  # type: ignore[arg-type]
        lambda model, table: ssdpm.load_apst(5.0),  # type: ignore[arg-type]
    ],
)
def test_another_type_is_a_typeerror(call: Any, model: ssdpm.Model) -> None:
    with pytest.raises(TypeError):
        call(model, ssdpm.apst(model))


def test_a_sata_drive_has_no_answers() -> None:
    model = ssdpm.Model.from_states([], kind="sata")
    table = ssdpm.ApstTable.from_bytes(bytes(256))
    for call in (
        lambda: ssdpm.infer(model, table),
        lambda: ssdpm.reach(model, table),
        lambda: ssdpm.keep(model, 0),
    ):
        with pytest.raises(ssdpm.UnsupportedError, match="not an NVMe drive"):
            call()
