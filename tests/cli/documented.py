# SPDX-License-Identifier: MIT
"""What ssdpm-json(5) says of each schema's keys, and JSON held against it."""

from __future__ import annotations

import functools
import json
import os
import re
from pathlib import Path
from typing import Any

BUILD = Path(__file__).resolve().parents[2] / os.environ.get("SSDPM_BUILD", "build")
PAGE = BUILD / "man/ssdpm-json.5"

# Words of the page, and what Python makes of such a value.
TYPES: dict[str, type] = {
    "text": str,
    "number": int,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


def keys_of(section: str) -> dict[str, set[str]]:
    """Each key of a schema's section, with the types that it may have."""
    keys: dict[str, set[str]] = {}
    joined = section.replace("\\\n", "")
    for names, types in re.findall(r"^\.It Cm (.+) No \((.+)\)$", joined, re.M):
        for name in re.split(r"\s*,\s*", names):
            assert name not in keys, f"{name} is given twice in {PAGE.name}"
            keys[name] = set(types.split(" or "))
    return keys


@functools.cache
def schemas() -> dict[str, dict[str, set[str]]]:
    """The keys of each schema, with the words for their types."""
    text = PAGE.read_text()
    found = re.findall(r"^\.Ss (ssdpm\.\S+)\n(.*?)(?=^\.S[sh] )", text, re.M | re.S)
    assert found, f"no schema in {PAGE.name}"
    return {name: keys_of(section) for name, section in found}


@functools.cache
def lists() -> dict[str, str]:
    """The name of each command's list, as in {"measure state": "idle_states"}."""
    part = PAGE.read_text().split("names its list after its subject:\n")[1].split(".El\n")[0]
    return {
        command: name
        for name, commands in re.findall(r"^\.It Cm (\S+)\n\.Cm (.+)$", part, re.M)
        for command in commands.replace("Fl Fl ", "--").split(" , ")
    }


def is_of_type(value: object, word: str) -> bool:
    if word.startswith("array of "):
        items = word.removeprefix("array of ").split(" and ")
        return isinstance(value, list) and all(
            any(is_of_type(v, item) for item in items) for v in value
        )
    return type(value) is TYPES[word]


def is_plain(value: object, types: set[str]) -> bool:
    """Nothing inside it has keys of its own."""
    return not isinstance(value, (dict, list)) or any("array of" in t for t in types)


def check_object(value: dict[str, Any], prefix: str, schema: str) -> set[str]:
    """Hold the members of an object against the page; return their keys."""
    keys = schemas()[schema]
    seen = set()
    for name, member in value.items():
        key = prefix + name
        assert key in keys, f"{key} of {schema} is not in {PAGE.name}"
        assert any(is_of_type(member, word) for word in keys[key]), (
            f"{key} of {schema} is {member!r}; {PAGE.name} has {keys[key]}"
        )
        seen.add(key)
        if not is_plain(member, keys[key]):
            seen |= check_members(member, key, schema)
    return seen


def check_members(value: Any, key: str, schema: str) -> set[str]:
    seen: set[str] = set()
    items = value if isinstance(value, list) else [value]
    inside = f"{key}[]." if isinstance(value, list) else f"{key}."
    for item in items:
        # An object inside another may have a schema of its own.
        if isinstance(item, dict) and "schema" not in item:
            seen |= check_object(item, inside, schema)
        else:
            check(item)
    return seen


def check(item: dict[str, Any]) -> dict[str, set[str]]:
    """Hold an item against the page; return the keys of each schema that occur."""
    schema = item["schema"]
    assert schema in schemas(), f"{schema} is not in {PAGE.name}"
    return {schema: check_object(item, "", schema)}


def items(text: str | bytes) -> list[dict[str, Any]]:
    """What the list of an answer holds: all that --json prints is one object."""
    answer = json.loads(text)
    schema, name, *_ = answer
    assert list(answer) == ["schema", name, "errors"], list(answer)
    assert re.fullmatch(r"ssdpm\.[a-z-]+/2", answer["schema"]), answer["schema"]
    assert is_of_type(answer["errors"], "array of text"), answer["errors"]
    found: list[dict[str, Any]] = answer[name]
    return found


def listed(text: str | bytes) -> Any:
    """The item of an answer; all of them, in a list, where it is not one."""
    found = items(text)
    return found[0] if len(found) == 1 else found


def check_answer(text: str | bytes, status: int) -> None:
    """Hold all that the command printed with --json against the page."""
    for item in items(text):
        check(item)
    # 5: not in force. Nothing failed then, either.
    assert status in (0, 5) or json.loads(text)["errors"]
