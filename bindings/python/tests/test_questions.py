# SPDX-License-Identifier: MIT
"""Questions the other way round: tables that were saved, and what made them."""

from __future__ import annotations

import inspect
import json
import pathlib
import pickle
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

import ssdpm
from oracles import Kernel
from ssdpm import ApstDifference, ApstEntry, Quirk
from test_policy import arguments_of, model_of

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
