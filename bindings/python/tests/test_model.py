# SPDX-License-Identifier: MIT
"""The model: read, looked at, copied, made from numbers.

What is odd in a model: Model.lint().
"""

from __future__ import annotations

import array
import copy
import gc
import io
import json
import pickle
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import ssdpm
from made import State, identify
from ssdpm import Finding, PowerState, SataLink, _core

FIELDS = list(_core.FIELDS)
POWERS = ("max_power_uw", "active_power_uw", "idle_power_uw")
LATENCIES = ("entry_latency_us", "exit_latency_us")
ALWAYS_WRITTEN = FIELDS[:9]
ZERO_STANDS = ("max_power_uw", *LATENCIES)

U32 = 2**32 - 1
LARGEST = {name: 31 for name in FIELDS if name.endswith("_rank")}
LARGEST |= dict.fromkeys((*POWERS, *LATENCIES), U32)
LARGEST["active_power_workload"] = 7
LARGEST |= {name: 255 * 10**12 for name in FIELDS[10:]}


@st.composite
def state_dicts(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """A state as the library writes it."""
    state: dict[str, Any] = {"operational": draw(st.booleans())}
    if kind == "sata":
        state["link_state"] = draw(st.sampled_from(sorted(_core.LINK_STATES)))
    not_reported = []
    for name in FIELDS:
        value = draw(st.none() | st.integers(0, LARGEST[name]))
        if value is not None or name in ALWAYS_WRITTEN:
            state[name] = value
        zero = value == 0 and name in ZERO_STANDS
        if zero or (value is None and draw(st.booleans())):
            not_reported.append(name)
    state["not_reported"] = not_reported
    return state


SATA_FEATURES = (
    "hipm",
    "dipm",
    "device_auto_partial_to_slumber",
    "host_auto_partial_to_slumber",
    "devsleep",
    "apm",
)


@st.composite
def sata_dicts(draw: st.DrawFn) -> dict[str, Any]:
    """What a SATA drive says of its link, as the library writes it."""
    maybe = st.none() | st.booleans()
    return {
        "words_valid": draw(maybe),
        "generations": draw(st.none() | st.sets(st.integers(1, 3)).map(sorted)),
        "apm_level": draw(st.none() | st.integers(0, 0xFF)),
        "rotational": draw(maybe),
        **{f"{name}_supported": draw(maybe) for name in SATA_FEATURES},
        **{f"{name}_enabled": draw(maybe) for name in SATA_FEATURES},
    }


def texts(size: int) -> st.SearchStrategy[str | None]:
    printable = st.characters(min_codepoint=32, max_codepoint=126)
    return st.none() | st.text(printable, max_size=size)


@st.composite
def model_dicts(draw: st.DrawFn) -> dict[str, Any]:
    """A drive as the library writes it."""
    kind = draw(st.sampled_from(sorted(_core.KINDS)))
    provenances = [None, *_core.PROVENANCES]
    least = 1 if kind == "nvme" else 0
    drive: dict[str, Any] = {
        "schema": "ssdpm.model/1",
        "kind": kind,
        "vendor_id": draw(st.none() | st.integers(0, 0xFFFF)),
        "product": draw(texts(40)),
        "firmware": draw(texts(8)),
        "apsta": draw(st.none() | st.integers(0, 0xFF)),
        "provenance": draw(st.sampled_from(provenances)),
        "format": draw(st.sampled_from([None, *_core.FORMATS])),
    }
    if kind == "sata":
        drive["sata"] = draw(sata_dicts())
    drive["states"] = draw(st.lists(state_dicts(kind), min_size=least, max_size=6))
    return drive


def facts(model: ssdpm.Model) -> dict[str, Any]:
    """All of a model but its states, as from_states() takes it."""
    names = ["kind", "vendor_id", "product", "firmware", "apsta"]
    names += ["provenance", "format", "sata"]
    return {name: getattr(model, name) for name in names}


def test_an_identify_structure_becomes_exact_numbers(model: ssdpm.Model) -> None:
    assert facts(model) == {
        "kind": "nvme",
        "vendor_id": 0x1234,
        "product": "ACME Swift 512GB",
        "firmware": "1.0b",
        "apsta": 1,
        "provenance": "reported",
        "format": "nvme-identify",
        "sata": None,
    }
    assert len(model) == 5
    assert model.states["max_power_uw"].tolist() == [
        4_500_000,
        3_000_000,
        1_500_000,
        40_000,
        3_000,
    ]
    deepest = model.power_states[4]
    assert not deepest.operational
    assert (deepest.entry_latency_us, deepest.exit_latency_us) == (54000, 45000)
    assert deepest.idle_power_uw == 2500
    assert deepest.idle_power_w == 0.0025
    assert model.power_states[0].active_power_w == 3.0
    assert model.power_states[0].active_power_workload == 2
    assert model.power_states[1].write_latency_rank == 1


def test_unknown_is_none_and_never_zero(model: ssdpm.Model) -> None:
    state = model.power_states[3]
    assert state.idle_power_uw is None
    assert state.idle_power_w is None
    assert state.emergency_power_fail_recovery_time_us is None
    assert "idle_power_uw" in state.not_reported
    assert model.states["unknown"][3] & _core.FIELDS["idle_power_uw"]


def test_a_latency_of_zero_stands_and_is_said_to_be_not_reported(
    model: ssdpm.Model,
) -> None:
    state = model.power_states[0]
    assert state.exit_latency_us == 0
    assert {"entry_latency_us", "exit_latency_us"} < state.not_reported


def test_facts_that_are_unknown_are_none() -> None:
    model = ssdpm.Model.from_states([PowerState(operational=True)])
    assert set(facts(model).values()) == {"nvme", None}


def test_the_states_are_a_view_without_copy(model: ssdpm.Model) -> None:
    first, second = model.states, model.states
    assert np.shares_memory(first, second)
    assert not first.flags.owndata
    assert first.shape == (5,)
    assert first.dtype == ssdpm.power_state_dtype
    assert first.strides == (128,)


def test_the_states_cannot_be_written(model: ssdpm.Model) -> None:
    states = model.states
    with pytest.raises(ValueError, match="read-only"):
        states["max_power_uw"][0] = 1
    with pytest.raises(ValueError):
        states.flags.writeable = True
    assert not states["max_power_uw"].flags.writeable


def test_the_states_outlive_the_model(raw: bytes) -> None:
    states = ssdpm.Model(raw).states
    field = ssdpm.Model(raw).states["exit_latency_us"]
    gc.collect()
    others = [ssdpm.Model(raw).to_json() for _ in range(100)]
    assert len(set(others)) == 1
    assert states["exit_latency_us"].tolist() == [0, 0, 0, 10000, 45000]
    assert field.tolist() == [0, 0, 0, 10000, 45000]


def test_the_dtype_is_the_layout_of_c() -> None:
    dtype = ssdpm.power_state_dtype
    assert dtype.itemsize == 128
    assert dtype.fields is not None
    offsets = {name: field[1] for name, field in dtype.fields.items()}
    assert offsets["flags"] == 0
    assert offsets["max_power_uw"] == 12
    assert offsets["exit_latency_us"] == 28
    assert offsets["active_power_workload"] == 36
    assert offsets["emergency_power_fail_vault_time_us"] == 56
    others = {"flags", "unknown", "not_reported", "link_state"}
    assert set(FIELDS) == set(offsets) - others - {"shown_active_power_uw"}


def test_the_attributes_of_a_state_are_the_fields_of_c() -> None:
    names = set(PowerState.__dataclass_fields__)
    shown = {"shown_active_power_uw", "idle_power_of_family"}
    assert names == {"operational", "not_reported", "link_state", *FIELDS, *shown}


def test_models_and_states_do_not_change(model: ssdpm.Model) -> None:
    with pytest.raises(AttributeError):
        model.product = "other"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        model.colour = "red"  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        model.power_states[0].operational = False  # type: ignore[misc]


@given(model_dicts())
def test_a_dict_makes_the_round_trip_exactly(drive: dict[str, Any]) -> None:
    model = ssdpm.Model(drive)
    assert model.to_dict() == drive
    assert list(model.to_dict()) == list(drive)
    assert ssdpm.Model(model.to_json().encode()) == model
    assert pickle.loads(pickle.dumps(model)) == model


@given(model_dicts())
def test_states_make_the_round_trip_exactly(drive: dict[str, Any]) -> None:
    model = ssdpm.Model(drive)
    by_array = ssdpm.Model.from_states(model.states, **facts(model))
    by_objects = ssdpm.Model.from_states(model.power_states, **facts(model))
    assert by_array == by_objects == model
    assert by_array.states.tobytes() == model.states.tobytes()


def test_all_32_states_are_read() -> None:
    model = ssdpm.Model(identify([State(max_power=n + 1) for n in range(32)]))
    assert len(model) == 32
    assert model.power_states[31].max_power_w == 0.32


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview])
def test_every_kind_of_bytes_is_read(make: Any, raw: bytes, model: ssdpm.Model) -> None:
    assert ssdpm.Model(make(raw)) == model
    assert ssdpm.Model(make(model.to_json().encode())) == model


def test_arrays_of_bytes_are_read(raw: bytes, model: ssdpm.Model) -> None:
    assert ssdpm.Model(np.frombuffer(raw, np.uint8)) == model
    assert ssdpm.Model(array.array("B", raw)) == model  # type: ignore[arg-type]


def test_paths_are_read(tmp_path: Path, raw: bytes, model: ssdpm.Model) -> None:
    path = tmp_path / "id.bin"
    path.write_bytes(raw)
    assert ssdpm.Model(path) == ssdpm.Model(str(path)) == model
    assert ssdpm.load(path) == [model]


def test_numpy_numbers_in_a_dict_are_numbers(model: ssdpm.Model) -> None:
    drive = model.to_dict()
    drive["vendor_id"] = np.uint16(drive["vendor_id"])
    drive["states"][0]["operational"] = np.bool_(True)
    assert ssdpm.Model(drive) == model


def test_several_drives_need_load(tmp_path: Path, model: ssdpm.Model) -> None:
    other = ssdpm.Model.from_states(model.states, product="other")
    path = tmp_path / "fleet.json"
    path.write_text(json.dumps([model.to_dict(), other.to_dict()]))
    with pytest.raises(ssdpm.FormatError, match=r"2 drives.*ssdpm\.load\(\)") as caught:
        ssdpm.Model(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert ssdpm.load(path) == [model, other]
    assert ssdpm.load(path.read_bytes()) == [model, other]


@pytest.mark.parametrize(
    "source", [None, 5, 1.5, [1, 2], {1, 2}, io.BytesIO(b""), np.zeros(4)]
)
def test_a_source_of_another_type_is_a_typeerror(source: Any) -> None:
    with pytest.raises(TypeError, match="source: a path, bytes or a dict is needed"):
        ssdpm.Model(source)


def test_an_array_of_states_is_not_taken_for_an_identify_structure() -> None:
    with pytest.raises(TypeError, match="source"):
        ssdpm.Model(np.zeros(32, ssdpm.power_state_dtype))


def test_a_dict_with_a_strange_object_is_a_typeerror(model: ssdpm.Model) -> None:
    with pytest.raises(TypeError, match="set has no place"):
        ssdpm.Model(model.to_dict() | {"states": {1}})


@pytest.mark.parametrize("value", [float("nan"), 1.5, "1", True, -1, 2**32])
def test_a_wrong_number_in_a_dict_is_named(value: Any, model: ssdpm.Model) -> None:
    drive = model.to_dict()
    drive["states"][3]["exit_latency_us"] = value
    with pytest.raises((ssdpm.FormatError, ssdpm.RangeError)) as caught:
        ssdpm.Model(drive)
    # NaN is no JSON at all, so the text ends before there is a name.
    if value == value:
        assert str(caught.value).startswith("states[3].exit_latency_us: ")


def test_equal_models_hash_alike_and_others_differ(raw: bytes) -> None:
    one, two = ssdpm.Model(raw), ssdpm.Model(raw)
    other = ssdpm.Model.from_states(one.states, product="other")
    assert one == two
    assert len({one, two, other}) == 2
    assert one != other
    assert one != "ACME"


def test_copies_are_equal(model: ssdpm.Model) -> None:
    assert copy.copy(model) == copy.deepcopy(model) == model


def test_a_subclass_stays_one_when_pickled(raw: bytes) -> None:
    assert type(pickle.loads(pickle.dumps(Sub(raw)))) is Sub
    assert type(Sub.from_states([PowerState(True)])) is Sub


class Sub(ssdpm.Model):
    pass


def test_a_model_prints_well(model: ssdpm.Model) -> None:
    assert repr(model) == "<ssdpm.Model 'ACME Swift 512GB', nvme, 5 states>"
    page = model._repr_html_()
    assert page.count("<tr>") == 6
    assert "&ndash;" in page
    assert "0.0025" in page


def test_html_is_escaped() -> None:
    state = PowerState(operational=True)
    model = ssdpm.Model.from_states([state], product="<script>&")
    assert "<script>" not in model._repr_html_()
    assert "&lt;script&gt;&amp;" in model._repr_html_()


def test_a_sata_drive_may_have_no_state_and_is_still_true() -> None:
    model = ssdpm.Model.from_states([], kind="sata")
    assert len(model) == 0
    assert model
    assert model.power_states == ()
    assert model.states.shape == (0,)
    assert "<tbody></tbody>" in model._repr_html_()


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("vendor_id", -1, ssdpm.RangeError),
        ("vendor_id", 2**16, ssdpm.RangeError),
        ("vendor_id", True, TypeError),
        ("vendor_id", "1", TypeError),
        ("apsta", 256, ssdpm.RangeError),
        ("apsta", 1.0, TypeError),
        ("product", "x" * 41, ssdpm.RangeError),
        ("product", "é", ssdpm.InvalidError),
        ("product", "a\0b", ssdpm.InvalidError),
        ("product", b"x", TypeError),
        ("firmware", "x" * 9, ssdpm.RangeError),
        ("firmware", 1, TypeError),
        ("kind", "floppy", ValueError),
        ("kind", None, TypeError),
        ("provenance", "hearsay", ValueError),
        ("provenance", 1, TypeError),
    ],
)
def test_a_wrong_fact_is_named(name: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=f"^{name}: "):
        ssdpm.Model.from_states([PowerState(True)], **{name: value})


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("exit_latency_us", -1, ssdpm.RangeError),
        ("exit_latency_us", 2**32, ssdpm.RangeError),
        ("exit_latency_us", 1.0, TypeError),
        ("exit_latency_us", True, TypeError),
        ("idle_power_uw", "1", TypeError),
        ("read_latency_rank", 32, ssdpm.RangeError),
        ("read_latency_rank", 256, ssdpm.RangeError),
        ("operational", 1, TypeError),
        ("operational", None, TypeError),
        ("not_reported", {"colour"}, ValueError),
        ("not_reported", {1}, TypeError),
        ("not_reported", {"max_power_uw"}, ssdpm.InvalidError),
    ],
)
def test_a_wrong_value_in_a_state_is_named(
    name: str, value: Any, error: type[Exception]
) -> None:
    good = PowerState(operational=True, max_power_uw=5)
    bad = replace(good, **{name: value})
    # What the library itself finds for not_reported, it says of the field.
    what = "max_power_uw" if value == {"max_power_uw"} else name
    with pytest.raises(error, match=rf"^states\[1\]\.{what}: "):
        ssdpm.Model.from_states([good, bad])


def test_states_of_another_type_are_a_typeerror() -> None:
    with pytest.raises(TypeError, match=r"^states\[0\]: a PowerState is needed"):
        ssdpm.Model.from_states([{"operational": True}])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"^states: an array of one dimension"):
        ssdpm.Model.from_states(np.zeros(3))
    with pytest.raises(TypeError, match=r"^states: an array of one dimension"):
        ssdpm.Model.from_states(np.zeros((2, 2), ssdpm.power_state_dtype))


def test_what_a_sata_drive_says_of_its_link_is_an_object() -> None:
    link = SataLink(
        words_valid=True,
        generations=(1, 2),
        apm_level=128,
        hipm_supported=False,
        dipm_supported=True,
        dipm_enabled=False,
    )
    state = PowerState(operational=True, link_state="active")
    model = ssdpm.Model.from_states([state], kind="sata", sata=link)
    assert model.sata == link
    assert model.to_dict()["sata"]["generations"] == [1, 2]
    assert model.to_dict()["sata"]["hipm_supported"] is False
    assert model.to_dict()["sata"]["hipm_enabled"] is None
    with pytest.raises(FrozenInstanceError):
        link.apm_level = 1  # type: ignore[misc]


def test_a_link_of_which_nothing_is_said_is_unknown() -> None:
    model = ssdpm.Model.from_states([], kind="sata")
    assert model.sata == SataLink()
    assert set(model.to_dict()["sata"].values()) == {None}


def test_the_attributes_of_a_link_are_the_keys_of_json() -> None:
    names = list(SataLink.__dataclass_fields__)
    keys = ssdpm.Model.from_states([], kind="sata").to_dict()["sata"]
    assert set(names) == set(keys)
    assert [f"{name}_supported" for name in _core.SATA_FEATURES] == names[4::2]
    assert [f"{name}_enabled" for name in _core.SATA_FEATURES] == names[5::2]


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("words_valid", 1, TypeError),
        ("generations", 14, TypeError),
        ("generations", [1, 2], TypeError),
        ("generations", (0,), ssdpm.RangeError),
        ("generations", (4,), ssdpm.RangeError),
        ("generations", ("1",), TypeError),
        ("apm_level", 256, ssdpm.RangeError),
        ("apm_level", True, TypeError),
        ("rotational", 1, TypeError),
        ("hipm_supported", 1, TypeError),
        ("apm_enabled", "yes", TypeError),
    ],
)
def test_a_wrong_fact_of_a_link_is_named(
    name: str, value: Any, error: type[Exception]
) -> None:
    link = replace(SataLink(), **{name: value})
    with pytest.raises(error, match=rf"^sata\.{name}: "):
        ssdpm.Model.from_states([], kind="sata", sata=link)


def test_only_a_sata_drive_has_a_link(model: ssdpm.Model) -> None:
    assert model.sata is None
    with pytest.raises(ssdpm.InvalidError, match=r"^sata: the drive is 'nvme'"):
        ssdpm.Model.from_states(model.states, sata=SataLink())
    with pytest.raises(TypeError, match=r"^sata: a SataLink is needed, not dict"):
        ssdpm.Model.from_states([], kind="sata", sata={})  # type: ignore[arg-type]


def ata_identify() -> bytes:
    """IDENTIFY DEVICE data: three generations, DIPM enabled, DevSleep, APM 128."""
    words = {0: 0x0040, 76: 0x010E, 78: 0x0108, 79: 0x0008}
    words |= {83: 0x4008, 86: 0x0008, 87: 0x4000, 91: 128}
    for first, text in ((23, "FW 2.0  "), (27, "Fixture SATA SSD".ljust(40))):
        for at in range(0, len(text), 2):
            words[first + at // 2] = ord(text[at]) << 8 | ord(text[at + 1])
    return b"".join(words.get(i, 0).to_bytes(2, "little") for i in range(256))


def test_identify_device_data_become_link_states() -> None:
    model = ssdpm.Model(ata_identify())
    assert (model.kind, model.format) == ("sata", "ata-identify")
    assert (model.product, model.firmware) == ("Fixture SATA SSD", "FW 2.0")
    assert model.sata == SataLink(
        words_valid=True,
        generations=(1, 2, 3),
        apm_level=128,
        hipm_supported=False,
        dipm_supported=True,
        dipm_enabled=True,
        device_auto_partial_to_slumber_supported=False,
        device_auto_partial_to_slumber_enabled=False,
        host_auto_partial_to_slumber_supported=False,
        devsleep_supported=True,
        devsleep_enabled=False,
        apm_supported=True,
        apm_enabled=True,
    )
    states = model.power_states
    assert [state.link_state for state in states] == [
        "active",
        "partial",
        "slumber",
        "devsleep",
    ]
    assert [state.operational for state in states] == [True, False, False, False]
    assert [state.exit_latency_us for state in states] == [None, 10, 10_000, 20_000]
    assert {state.max_power_uw for state in states} == {None}


def test_a_sata_drive_prints_the_states_of_its_link() -> None:
    page = ssdpm.Model(ata_identify())._repr_html_()
    assert "<td>PS1 partial</td>" in page
    assert "Fixture SATA SSD (sata)" in page


def test_too_many_or_no_states_are_refused() -> None:
    with pytest.raises(ssdpm.InvalidError, match="33 power states"):
        ssdpm.Model.from_states([PowerState(True)] * 33)
    with pytest.raises(ssdpm.InvalidError, match="no power state"):
        ssdpm.Model.from_states([])


def test_an_array_that_contradicts_itself_is_refused() -> None:
    states = np.zeros(1, ssdpm.power_state_dtype)
    states["unknown"] = _core.FIELDS["idle_power_uw"]
    states["idle_power_uw"] = 5
    with pytest.raises(ssdpm.InvalidError, match=r"^states\[0\]\.idle_power_uw: "):
        ssdpm.Model.from_states(states)


def test_an_array_is_copied_whatever_its_padding_and_strides_are() -> None:
    raw = np.full(128 * 4, 0xFF, np.uint8)
    states = raw.view(ssdpm.power_state_dtype)[::2]
    for name in states.dtype.names or ():
        states[name] = 0
    states["max_power_uw"] = [7, 8]
    model = ssdpm.Model.from_states(states)
    states["max_power_uw"] = 9
    assert model.states["max_power_uw"].tolist() == [7, 8]


def test_the_governor_has_the_published_modes() -> None:
    watts = {"pcie": [25, 20, 10], "pcie-x8": [40, 35, 25], "sata": [None, 7, 5]}
    for form, powers in watts.items():
        modes = ssdpm.governor_modes(form)
        assert [mode.mode for mode in modes] == [0, 1, 2]
        assert [mode.power_w for mode in modes] == powers
    with pytest.raises(ValueError, match="form"):
        ssdpm.governor_modes("u2")


def test_a_power_without_its_fraction_has_a_range() -> None:
    model = ssdpm.Model(
        b"ps 0 : mp:2.50W operational idle_power:2.02W active_power:-\n"
        b"ps 1 : mp:0.0250W non-operational idle_power:0.02W active_power:-\n"
    )
    assert model.power_states[0].idle_power_uw is None
    assert model.power_range_uw(0, "idle_power_uw") == (2_000_000, 2_500_000)
    assert model.power_range_uw(1, "idle_power_uw") == (0, 25_000)
    assert model.power_range_uw(0, "max_power_uw") == (2_500_000, 2_500_000)
    assert model.power_range_uw(0, "active_power_uw") is None
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert again.power_range_uw(0, "idle_power_uw") == (2_000_000, 2_500_000)
    with pytest.raises(ssdpm.RangeError, match="PS2"):
        model.power_range_uw(2, "idle_power_uw")
    with pytest.raises(ValueError, match="exit_latency_us"):
        model.power_range_uw(0, "exit_latency_us")


SOUND = (
    PowerState(operational=True, max_power_uw=5_000_000, idle_power_uw=500_000),
    PowerState(
        operational=False,
        max_power_uw=3_000,
        idle_power_uw=3_000,
        entry_latency_us=60_000,
        exit_latency_us=40_000,
    ),
)


def test_nothing_is_odd_in_a_sound_drive() -> None:
    assert ssdpm.Model.from_states(SOUND, apsta=1).lint() == ()


@st.composite
def sound_states(draw: st.DrawFn) -> list[PowerState]:
    """Powers fall, latencies rise up to 100 ms together, who sleeps is deeper."""
    n_awake, n_asleep = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    n = n_awake + n_asleep
    powers = draw(st.sets(st.integers(1, 75_000_000), min_size=n, max_size=n))
    entries = draw(st.lists(st.integers(1, 50_000), min_size=n, max_size=n))
    exits = draw(st.lists(st.integers(1, 50_000), min_size=n, max_size=n))
    numbers = zip(sorted(powers, reverse=True), sorted(entries), sorted(exits))
    return [
        PowerState(
            operational=number < n_awake,
            max_power_uw=power,
            idle_power_uw=power,
            entry_latency_us=entry if number >= n_awake else min(entry, 999),
            exit_latency_us=exit_ if number >= n_awake else min(exit_, 999),
        )
        for number, (power, entry, exit_) in enumerate(numbers)
    ]


@given(sound_states(), st.none() | st.integers(1, 255))
def test_any_sound_drive_gives_no_finding(
    states: list[PowerState], apsta: int | None
) -> None:
    assert ssdpm.Model.from_states(states, apsta=apsta).lint() == ()


def test_a_finding_has_a_code_a_state_and_a_line_of_words() -> None:
    slow = replace(SOUND[1], exit_latency_us=70_000)
    (finding,) = ssdpm.Model.from_states([SOUND[0], slow], apsta=1).lint()
    assert finding == Finding(
        code="never-entered",
        state=1,
        message=(
            "PS1: entry+exit 130 ms > 100 ms: Linux 5.14 and later never enters it, "
            "whatever the latency limit, unless apst_secondary_latency_tol_us is raised"
        ),
    )
    with pytest.raises(FrozenInstanceError):
        finding.state = 2  # type: ignore[misc]


def test_a_finding_on_the_drive_has_no_state() -> None:
    (finding,) = ssdpm.Model.from_states(SOUND, apsta=0).lint()
    assert (finding.code, finding.state) == ("apsta-zero", None)


def test_a_drive_that_reports_no_idle_power_is_said_so_once(model: ssdpm.Model) -> None:
    assert [(f.code, f.state) for f in model.lint()] == [("idle-power-unknown", None)]
    assert "4 of 5 states" in model.lint()[0].message


@given(model_dicts())
def test_any_model_is_judged_in_words_and_order(drive: dict[str, Any]) -> None:
    model = ssdpm.Model(drive)
    findings = model.lint()
    assert findings == model.lint()
    order = [-1 if f.state is None else f.state for f in findings]
    assert order == sorted(order)
    for finding in findings:
        assert finding.code in _core.FINDING_CODES
        assert finding.message and "\n" not in finding.message
        assert finding.state is None or finding.state < len(model)
        if finding.state is not None:
            assert finding.message.startswith(f"PS{finding.state}: ")


@given(model_dicts())
def test_no_finding_rests_on_what_is_unknown(drive: dict[str, Any]) -> None:
    for state in drive["states"]:
        for name in ("max_power_uw", "entry_latency_us", "exit_latency_us"):
            state[name] = None
        state["not_reported"] = []
    drive["apsta"] = None
    codes = {finding.code for finding in ssdpm.Model(drive).lint()}
    assert codes <= {
        "idle-power-unknown",
        "only-operational",
        "operational-after-non-operational",
        "sata-no-lpm",
        "sata-words-invalid",
        "smartctl-source",
    }
