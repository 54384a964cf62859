# SPDX-License-Identifier: MIT
"""The catalogue: drives by their name."""

from __future__ import annotations

import copy
import errno
import json
import threading
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

import ssdpm

SN530 = "WDC PC SN530"
CATALOGUE = ssdpm.Catalogue()
ROWS = list(CATALOGUE)


def own(product: str | None, firmware: str | None, exit_us: int = 1) -> dict[str, Any]:
    return {
        "schema": "ssdpm.model/1",
        "kind": "nvme",
        "product": product,
        "firmware": firmware,
        "states": [{"operational": False, "exit_latency_us": exit_us}],
    }


def own_file(path: Path, *drives: dict[str, Any]) -> Path:
    path.write_text(json.dumps(drives, indent=1))
    return path


def test_a_name_gives_a_model() -> None:
    model = ssdpm.Model.catalogue("samsung MZWLJ7T6HALA-00AU3")
    assert model.product == "SAMSUNG MZWLJ7T6HALA-00AU3"
    assert (model.provenance, model.kind, model.apsta) == ("catalogue", "nvme", None)
    assert model.power_states[0].idle_power_w == 7.0
    assert model.alternatives == ()
    assert ssdpm.apst(model).sent


def test_what_differs_is_in_alternatives() -> None:
    model = ssdpm.Model.catalogue(SN530)
    assert len(model.alternatives) == 2
    for other in model.alternatives:
        assert isinstance(other, ssdpm.Model)
        assert other.power_states != model.power_states
        assert other.alternatives == ()
    assert "alternatives" not in model.to_dict()
    same = copy.deepcopy(model)
    assert same == model and same.alternatives == ()


def test_a_model_from_elsewhere_has_no_alternatives(model: ssdpm.Model) -> None:
    assert model.alternatives == ()
    assert ssdpm.Model.from_states(model.states).alternatives == ()


def test_firmware_narrows() -> None:
    for row in CATALOGUE:
        if not row.product.startswith(SN530):
            continue
        model = ssdpm.Model.catalogue(SN530, firmware=row.firmware)
        assert model.firmware == row.firmware
    with pytest.raises(ssdpm.NotFoundError, match="but not with firmware X; it has"):
        ssdpm.Model.catalogue(SN530, "X")


def test_a_name_that_is_not_there_is_a_lookup_error_that_names_similar_ones() -> None:
    with pytest.raises(LookupError, match="did you mean WDC PC SN520") as caught:
        ssdpm.Model.catalogue("WDC PC SN999")
    assert isinstance(caught.value, ssdpm.NotFoundError)
    assert isinstance(caught.value, ssdpm.Error)
    assert caught.value.errno == errno.ENOENT


@pytest.mark.parametrize(
    "name, kind, words",
    [
        ("", ssdpm.InvalidError, "empty"),
        (" ", ssdpm.InvalidError, "empty"),
        ("Gr\xfc\xdfe", ssdpm.InvalidError, "not printable ASCII"),
        ("WDC\0", ssdpm.InvalidError, "not printable ASCII"),
        ("x" * 41, ssdpm.NotFoundError, "40 characters"),
        (None, TypeError, "name: a str is needed"),
        (7, TypeError, "name: a str is needed"),
    ],
)
def test_what_is_no_name_is_refused(
    name: Any, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        ssdpm.Model.catalogue(name)
    with pytest.raises(kind, match=words):
        CATALOGUE.alternatives(name)


def test_firmware_is_a_text() -> None:
    with pytest.raises(TypeError, match="firmware: a str is needed, not int"):
        CATALOGUE.find(SN530, 1)  # type: ignore[arg-type]


def test_rows_are_sorted_and_can_be_taken_by_number() -> None:
    rows = list(CATALOGUE)
    assert len(rows) == len(CATALOGUE) > 1200
    names = [(row.product.lower(), (row.firmware or "").lower()) for row in rows]
    assert names == sorted(names)
    assert CATALOGUE[0] == rows[0] and CATALOGUE[-1] == rows[-1]
    assert all(row.seen >= 1 and row.table >= 1 for row in rows)
    assert repr(CATALOGUE) == f"<ssdpm.Catalogue, {len(rows)} rows>"
    with pytest.raises(FrozenInstanceError):
        rows[0].seen = 2  # type: ignore[misc]
    for index in (len(rows), -len(rows) - 1, 2**40):
        with pytest.raises(IndexError, match="is no row"):
            CATALOGUE[index]
        with pytest.raises(IndexError, match="is no row"):
            CATALOGUE.model(index)
    with pytest.raises(TypeError):
        CATALOGUE["WDC"]  # type: ignore[index]


def test_every_row_becomes_a_model_that_survives_json() -> None:
    for index, row in enumerate(CATALOGUE):
        model = CATALOGUE.model(index)
        assert (model.product, model.firmware) == (row.product, row.firmware)
        assert ssdpm.Model(model.to_dict()) == model
        if model.kind == "nvme":
            assert len(ssdpm.apst(model).explain()) == len(model)


@given(st.data())
def test_a_beginning_finds_what_a_plain_count_finds(data: st.DataObject) -> None:
    product = data.draw(st.sampled_from(ROWS)).product
    length = data.draw(st.integers(1, len(product)))
    name = product[:length].strip().lower()
    rows = [row for row in ROWS if row.product.lower() == name]
    exact = bool(rows)
    if not rows:
        rows = [row for row in ROWS if row.product.lower().startswith(name)]
    seen: dict[int, int] = {}
    for row in rows:
        seen[row.table] = seen.get(row.table, 0) + row.seen
    match = CATALOGUE.find(name)
    others = CATALOGUE.alternatives(name)
    assert (match.exact, match.n_matches, match.n_tables) == (
        exact,
        len(rows),
        len(seen),
    )
    found = [match, *others]
    # max() takes the first of equals, as the library does.
    for each in found:
        table = max(seen, key=lambda table: seen[table])
        assert (CATALOGUE[each.index].table, each.seen) == (table, seen.pop(table))
    assert not seen


def test_own_drives_count_more(tmp_path: Path) -> None:
    path = own_file(tmp_path / "own.json", own("WDC PC SN530 Mine", "1", 77))
    catalogue = ssdpm.Catalogue(path)
    assert len(catalogue) == len(CATALOGUE) + 1
    model = ssdpm.Model.catalogue(SN530, catalogue=catalogue)
    assert model.product == "WDC PC SN530 Mine"
    assert model.power_states[0].exit_latency_us == 77
    assert len(model.alternatives) == 3
    assert ssdpm.Model.catalogue(SN530).product != model.product


def test_own_drives_may_be_a_dict_or_bytes() -> None:
    drive = own("AA Mine", None)
    for source in (drive, json.dumps(drive).encode()):
        catalogue = ssdpm.Catalogue(source)
        [row] = [row for row in catalogue if row.product == "AA Mine"]
        assert (row.firmware, row.seen) == (None, 1)


def test_bad_own_drives_are_named_with_file_and_line(tmp_path: Path) -> None:
    path = own_file(tmp_path / "own.json", own("a", "1"), own(None, "1"))
    with pytest.raises(ssdpm.FormatError, match=r"own.json: drives\[1\].product"):
        ssdpm.Catalogue(path)
    path.write_text("\n{")
    with pytest.raises(ssdpm.FormatError, match="own.json:2: not JSON"):
        ssdpm.Catalogue(path)
    with pytest.raises(FileNotFoundError):
        ssdpm.Catalogue(tmp_path / "gone")
    with pytest.raises(TypeError, match="source: a path"):
        ssdpm.Catalogue(7)  # type: ignore[arg-type]
    with pytest.raises(ssdpm.TooLargeError, match="1024 different tables"):
        ssdpm.Catalogue(own_file(path, *(own("a", "1", i) for i in range(1025))))


def test_a_model_outlives_its_catalogue() -> None:
    catalogue = ssdpm.Catalogue(own("AA Mine", None, 5))
    model = ssdpm.Model.catalogue("AA Mine", catalogue=catalogue)
    del catalogue
    assert model.states["exit_latency_us"].tolist() == [5]


def test_threads_share_a_catalogue() -> None:
    faults: list[object] = []

    def look_up() -> None:
        for row in CATALOGUE:
            if not CATALOGUE.find(row.product, row.firmware).exact:
                faults.append(row)

    threads = [threading.Thread(target=look_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_a_capacity_that_nobody_has_seen_is_as_the_others() -> None:
    match = CATALOGUE.find("CT8000P3SSD8")
    assert match.other_capacity and not match.exact
    assert CATALOGUE[match.index].product.endswith("P3SSD8")
    assert not CATALOGUE.find("CT4000P3SSD8").other_capacity
