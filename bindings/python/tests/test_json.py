# SPDX-License-Identifier: MIT
"""The JSON reader takes and refuses what Python's takes and refuses."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import hypothesis.strategies as st
from hypothesis import given, settings

import ssdpm

DRIVE = {
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
    "stands twice",
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
    drive = DRIVE | {"x": value}
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
