#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From the tables of keys: what writes JSON, and what ssdpm-json(5) says of it.

usage: json-keys.py code KEYS OUTPUT      a header with the functions that write
       json-keys.py page IN KEYS... OUTPUT    the page

A table has a part for each object:

    @object energy(const struct ssdpm_power_report *r) ssdpm.energy/1
    What it is, for the page, in mdoc(7).
    @ file: string r->name
    What these keys mean.
    @ n, n_gaps: uint r->energy->*
    ...
    @part sampling(const struct ssdpm_sampling *s)
    @ step_ns: uint s->*

A part has no schema: it stands inside others. A "@row" is a part on one line. "@when
EXPRESSION" leaves out the keys after it where that is 0, "@if EXPRESSION" the next one
alone. "@members PART, ARGUMENTS" writes the keys of a part here, "@from FILE PART"
names a part of another table. What follows the colon says how a value is written, and
with that which type the page names; a * in it is the key, a % the key without its
unit. FORMS has the forms. In IN, a line "@keys FILE" stands for the sections of that
table.
"""

from __future__ import annotations

import pathlib
import re
import sys
from typing import NamedTuple

# How a value is written: its type, and the call; {} are its arguments.
FORMS = {
    "string": ("text", "ssdpm__json_string(w, {key}, {0});"),
    "string?": ("text or null", "ssdpm__json_string(w, {key}, {0});"),
    "uint": ("number", "ssdpm__json_uint(w, {key}, {0});"),
    "int": ("number", "ssdpm__json_int(w, {key}, {0});"),
    "bool": ("boolean", "ssdpm__json_bool(w, {key}, {0});"),
    # 0 is not known.
    "known": ("number or null", "ssdpm__json_known(w, {key}, {0});"),
    # A value, and how many of the unit are one of it.
    "scaled": ("number or null", "ssdpm__json_scaled(w, {key}, {0}, {1});"),
    # The first, how many, and of the unit in one; where there are none: null.
    "numbers": ("array of number and null or null", "ssdpm__json_numbers(w, {key}, {0}, {1}, {2});"),
    # A number, and whether there is one.
    "uint?": (
        "number or null",
        "if ({1})\nssdpm__json_uint(w, {key}, {0});\nelse\nssdpm__json_null(w, {key});",
    ),
    # The same of a truth.
    "bool?": (
        "boolean or null",
        "if ({1})\nssdpm__json_bool(w, {key}, {0});\nelse\nssdpm__json_null(w, {key});",
    ),
    # A latency, and whether there is one.
    "latency?": (
        "number or text or null",
        "if (({1}) && {0} == SSDPM_LATENCY_ANY)\nssdpm__json_string(w, {key}, \"any\");\n"
        "else if ({1})\nssdpm__json_uint(w, {key}, {0});\n"
        "else\nssdpm__json_null(w, {key});",
    ),
    # How many, and the text of number i; NULL is left out.
    "texts": (
        "array of text",
        "ssdpm__json_begin(w, {key}, '[');\nw->one_line = true;\n"
        "for (size_t i = 0; i < {0}; i++)\nif ({1})\n"
        "ssdpm__json_string(w, NULL, {1});\nssdpm__json_end(w, ']');",
    ),
    # Bits, and the function that has their words.
    "words": ("array of text", "ssdpm__json_words(w, {key}, {0}, {1});"),
    # The first, and how many.
    "uints": ("array of number", "ssdpm__json_uints(w, {key}, {0}, {1});"),
    # A part, and its arguments; with ?: null where the first of them is NULL.
    "object": ("object", "{begin}{0}(w, {rest});\nssdpm__json_end(w, '}}');"),
    "object?": (
        "object or null",
        "if (!({1})) {{\nssdpm__json_null(w, {key});\n}} else {{\n"
        "{begin}{0}(w, {rest});\nssdpm__json_end(w, '}}');\n}}",
    ),
    # A part, the first, and how many.
    "list": (
        "array",
        "ssdpm__json_begin(w, {key}, '[');\nfor (size_t i = 0; i < {2}; i++) {{\n"
        "{begin}{0}(w, &({1})[i]);\nssdpm__json_end(w, '}}');\n"
        "}}\nssdpm__json_end(w, ']');",
    ),
    # A part, how many, and a call that makes the item of number i, or gives false.
    "each": (
        "array",
        "ssdpm__json_begin(w, {key}, '[');\nfor (size_t i = 0; i < {1}; i++) {{\n"
        "{type} item;\n\nif (!{2})\ncontinue;\n"
        "{begin}{0}(w, &item);\nssdpm__json_end(w, '}}');\n"
        "}}\nssdpm__json_end(w, ']');",
    ),
    # A function that writes a number, or null, and what it is of.
    "written": ("number or null", "{0}(w, {key}, {1});"),
    # How many, and the text of number i, each on a line of its own.
    "lines": (
        "array of text",
        "ssdpm__json_begin(w, {key}, '[');\nfor (size_t i = 0; i < {0}; i++)\n"
        "ssdpm__json_string(w, NULL, {1});\nssdpm__json_end(w, ']');",
    ),
    # An object of this table, which has a section of its own, the first, and how many.
    "items": (
        "array",
        "ssdpm__json_begin(w, {key}, '[');\nfor (size_t i = 0; i < {2}; i++) {{\n"
        "ssdpm__json_begin(w, NULL, '{{');\nwrite_{0}(w, &({1})[i]);\n"
        "ssdpm__json_end(w, '}}');\n}}\nssdpm__json_end(w, ']');",
    ),
}  # fmt: skip


class Key(NamedTuple):
    names: list[str]
    form: str
    arguments: list[str]
    prose: list[str]
    condition: str = ""


class Object(NamedTuple):
    name: str
    parameter: str
    schema: str  # "": it is a part
    is_row: bool
    prose: list[str]
    keys: list[Key]


def split(arguments: str) -> list[str]:
    """At the commas that are not inside a call."""
    return re.split(r", (?![^()]*\))", arguments)


def read(path: str) -> list[Object]:
    objects: list[Object] = []
    condition = ""
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        if line.startswith((".\\\"", "#")) or not line:
            continue
        head = re.fullmatch(r"@(object|part|row) (\w+)\((.+?)\)(?: (ssdpm\.\S+))?", line)
        when = re.fullmatch(r"@when (.+)", line)
        other = re.fullmatch(r"@from (\S+) (\w+)", line)
        only_if = re.fullmatch(r"@if (.+)", line)
        members = re.fullmatch(r"@members (.+)", line)
        key = re.fullmatch(r"@ ([\w, ]+): (\S+) (.+)", line)
        if head:
            is_row = head[1] == "row"
            objects.append(Object(head[2], head[3], head[4] or "", is_row, [], []))
        elif other:
            parts = read(str(pathlib.Path(path).with_name(other[1])))
            objects += [one for one in parts if one.name == other[2]]
        elif only_if:
            condition = only_if[1]
        elif (when or members) and objects:
            form, text = ("when", when[1]) if when else ("members", members[1])
            arguments = [text] if when else split(text)
            objects[-1].keys.append(Key([], form, arguments, []))
        elif key and objects and key[2] in FORMS:
            names, arguments = key[1].split(", "), split(key[3])
            objects[-1].keys.append(Key(names, key[2], arguments, [], condition))
            condition = ""
        elif line.startswith("@") or not objects:
            sys.exit(f"{path}:{number}: neither an object, nor a key, nor prose")
        else:
            last = objects[-1]
            (last.keys[-1].prose if last.keys else last.prose).append(line)
    return objects


def function(name: str) -> str:
    return f"write_{name}"


def has_part(key: Key) -> bool:
    return key.form.startswith(("object", "list", "each"))


def call(key: Key, name: str, parts: dict[str, Object]) -> str:
    stem = name.rsplit("_", 1)[0]
    arguments = [a.replace("*", name).replace("%", stem) for a in key.arguments]
    known = {"key": f'"{name}"'}
    if has_part(key):
        part = parts[arguments[0]]
        inside = "NULL" if key.form in ("list", "each") else known["key"]
        known["begin"] = f"ssdpm__json_begin(w, {inside}, '{{');\n"
        known["begin"] += "w->one_line = true;\n" if part.is_row else ""
        known["type"] = part.parameter.removeprefix("const ").split(" *")[0]
        known["rest"] = ", ".join(arguments[1:])
        arguments[0] = function(arguments[0])
    return FORMS[key.form][1].format(*arguments, **known)


def body(key: Key, parts: dict[str, Object]) -> str:
    if key.form == "when":
        return f"if (!({key.arguments[0]}))\nreturn;\n"
    if key.form == "members":
        part, *arguments = key.arguments
        return f"{function(part)}(w, {', '.join(arguments)});\n"
    calls = "".join(f"{call(key, name, parts)}\n" for name in key.names)
    return f"if ({key.condition}) {{\n{calls}}}\n" if key.condition else calls


def code(source: str) -> str:
    """The parts first: what is called stands before."""
    objects = sorted(read(source), key=lambda one: bool(one.schema))
    parts = {one.name: one for one in objects if not one.schema}
    text = f"/* Made from {pathlib.Path(source).name} by json-keys.py. */\n"
    for one in objects:
        text += f"\nstatic void {function(one.name)}(struct json_writer *w, {one.parameter})\n{{\n"
        if one.schema:
            text += f'ssdpm__json_string(w, "schema", "{one.schema}");\n'
        text += "".join(body(key, parts) for key in one.keys) + "}\n"
    return text


def entries(one: Object, parts: dict[str, Object], prefixes: list[str]) -> list[str]:
    """Each key with all prefixes: several objects may be the same part."""
    lines = []
    for key in one.keys:
        if key.form == "members":
            lines += entries(parts[key.arguments[0]], parts, prefixes)
        if not key.names:
            continue
        names = [prefix + name for prefix in prefixes for name in key.names]
        lines += [f".It Cm {' , '.join(names)} No ({FORMS[key.form][0]})", *key.prose]
        if has_part(key):
            inside = "[]." if FORMS[key.form][0] == "array" else "."
            part = parts[key.arguments[0]]
            lines += entries(part, parts, [name + inside for name in names])
    return lines


def sections(source: str) -> str:
    objects = read(source)
    parts = {one.name: one for one in objects if not one.schema}
    lines = []
    for one in objects:
        if one.schema:
            lines += [f".Ss {one.schema}", *one.prose, ".Bl -tag -width Ds"]
            lines += [".It Cm schema No (text)", f".Ql {one.schema}"]
            lines += [*entries(one, parts, [""]), ".El"]
    return "\n".join(lines)


def page(source: str, tables: list[str]) -> str:
    by_name = {pathlib.Path(table).name: table for table in tables}
    text = pathlib.Path(source).read_text()
    return re.sub(r"^@keys (\S+)$", lambda m: sections(by_name.pop(m[1])), text, flags=re.M)


def main() -> None:
    what, *files, output = sys.argv[1:]
    if what == "code":
        pathlib.Path(output).write_text(code(*files))
    else:
        pathlib.Path(output).write_text(page(files[0], files[1:]))


main()
