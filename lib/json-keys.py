#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From the tables of keys: what writes JSON, and what ssdpm-json(5) says of it.

usage: json-keys.py code KEYS OUTPUT      a header with the functions that write
       json-keys.py rows KEYS OUTPUT      a header with rows for ssdpm__json_rows()
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
alone. "@splice TEXT" writes the members of an object that is a text, which are on
the page by a type in parentheses. "@only LIST EXPRESSION" is an @if whose key the page names in that list alone.
"@members PART, ARGUMENTS" writes the keys of a part here, "@from FILE PART"
names a part of another table. What follows the colon says how a value is written, and
with that which type the page names; a * in it is the key, a % the key without its
unit. FORMS has the forms. In IN, a line "@keys FILE" stands for the sections of that
table. Where a type in parentheses follows, others write the key: it is on the page
alone.

Code is fast to write, rows are small: ten bytes a key. In a table for rows a value is a
member of the one argument of its part, and a condition a member, or one with & BIT,
== VALUE or <= VALUE after it. ROWS has the forms.
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
    # The same with a sign.
    "int?": (
        "number or null",
        "if ({1})\nssdpm__json_int(w, {key}, {0});\nelse\nssdpm__json_null(w, {key});",
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
    # Bits, of which each has a number.
    "bits": (
        "array of number",
        "ssdpm__json_begin(w, {key}, '[');\nw->one_line = true;\n"
        "for (uint32_t i = 0; i < 32; i++)\nif ({0} >> i & 1)\n"
        "ssdpm__json_uint(w, NULL, i);\nssdpm__json_end(w, ']');",
    ),
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
    # A value and its quantity, which is the name of the list that it stands in. The
    # unit follows the key: QUANTITIES.
    "quantity": ("number or null", "write_quantity(w, {key}, {0}, {1});"),
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

# Forms of rows: their type, and the word of enum json_form.
ROWS = {
    "string": ("text", "STRING"),
    "string?": ("text or null", "STRING"),
    # "" is not known, either.
    "text?": ("text or null", "TEXT"),
    "uint": ("number", "UINT"),
    "uint?": ("number or null", "UINT"),
    "known": ("number or null", "UINT"),
    # INT32_MIN is not known.
    "int?": ("number or null", "INT"),
    # A member, or a condition.
    "bool": ("boolean", "BOOL"),
    "bool?": ("boolean or null", "BOOL"),
    "latency": ("number or text", "LATENCY"),
    "latency?": ("number or text or null", "LATENCY"),
    # A value, and the function that has its word; a third argument is a condition.
    "word": ("text", "WORD"),
    "word?": ("text or null", "WORD"),
    "words": ("array of text", "WORDS"),
    "words?": ("array of text or null", "WORDS"),
    # A part, and what it is of: a member (&v->x), or what a member points to (v->x).
    "object": ("object", "OBJECT"),
    "object?": ("object or null", "OBJECT"),
    # The text of an object.
    "json": ("object", "JSON"),
    "json?": ("object or null", "JSON"),
    # A part, the first, and how many.
    "list": ("array", "LIST"),
    # A part, and the function that gets item i: 1; 0: it is left out; -1: no more.
    "every": ("array", "EVERY"),
}  # fmt: skip

# The units of the quantities of a survey.
QUANTITIES = {"power": "uw", "latency": "ns", "throughput": "bytes_per_s"}


class Key(NamedTuple):
    names: list[str]
    form: str
    arguments: list[str]
    prose: list[str]
    condition: str = ""
    only: str = ""  # the list that it stands in; "": all


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
    condition = only = ""
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        if line.startswith((".\\\"", "#")) or not line:
            continue
        head = re.fullmatch(r"@(object|part|row) (\w+)\((.+?)\)(?: (ssdpm\.\S+))?", line)
        when = re.fullmatch(r"@when (.+)", line)
        other = re.fullmatch(r"@from (\S+) (\w+)", line)
        only_if = re.fullmatch(r"@(?:if|only (\w+)) (.+)", line)
        members = re.fullmatch(r"@(members|splice) (.+)", line)
        key = re.fullmatch(r"@ ([\w, ]+): ([\w?]+) (.+)", line)
        on_page = re.fullmatch(r"@ ([\w, .[\]]+): \((.+)\)", line)
        if head:
            is_row = head[1] == "row"
            objects.append(Object(head[2], head[3], head[4] or "", is_row, [], []))
        elif other:
            parts = read(str(pathlib.Path(path).parent / other[1]))
            objects += [one for one in parts if one.name == other[2]]
        elif only_if:
            only, condition = only_if[1] or "", only_if[2]
        elif (when or members) and objects:
            form, text = ("when", when[1]) if when else (members[1], members[2])
            arguments = [text] if when else split(text)
            objects[-1].keys.append(Key([], form, arguments, [], condition))
            condition = ""
        elif on_page and objects:
            objects[-1].keys.append(Key(on_page[1].split(", "), "", [on_page[2]], []))
        elif key and objects and key[2] in {**FORMS, **ROWS}:
            names, arguments = key[1].split(", "), split(key[3])
            objects[-1].keys.append(Key(names, key[2], arguments, [], condition, only))
            condition = only = ""
        elif line.startswith("@") or not objects:
            sys.exit(f"{path}:{number}: neither an object, nor a key, nor prose")
        else:
            last = objects[-1]
            (last.keys[-1].prose if last.keys else last.prose).append(line)
    return objects


def function(name: str) -> str:
    return f"write_{name}"


def has_part(key: Key) -> bool:
    return key.form.startswith(("object", "list", "each", "every"))


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
    if key.form == "splice":
        return f"ssdpm__json_members(w, {key.arguments[0]});\n"
    if not key.form:
        return ""
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


def unit_of(key: Key, prefix: str) -> str:
    if key.form != "quantity":
        return ""
    return "_" + QUANTITIES[prefix.split("[")[0]]


def entries(
    one: Object, parts: dict[str, Object], prefixes: list[str], seen: set[str]
) -> list[str]:
    """Each key once, with all prefixes: several objects may be the same part."""
    lines = []
    for key in one.keys:
        if key.form == "members":
            lines += entries(parts[key.arguments[0]], parts, prefixes, seen)
        every = [
            prefix + name + unit_of(key, prefix)
            for prefix in prefixes
            if prefix.startswith(key.only)
            for name in key.names
        ]
        names = [name for name in every if name not in seen]
        seen.update(names)
        if not names:
            continue
        type_ = key.arguments[0] if not key.form else {**FORMS, **ROWS}[key.form][0]
        lines += [f".It Cm {' , '.join(names)} No ({type_})", *key.prose]
        if has_part(key):
            inside = "[]." if type_ == "array" else "."
            part = parts[key.arguments[0]]
            lines += entries(part, parts, [name + inside for name in names], seen)
    return lines


def sections(source: str) -> str:
    objects = read(source)
    parts = {one.name: one for one in objects if not one.schema}
    lines = []
    for one in objects:
        if one.schema:
            lines += [f".Ss {one.schema}", *one.prose, ".Bl -tag -width Ds"]
            lines += [".It Cm schema No (text)", f".Ql {one.schema}"]
            lines += [*entries(one, parts, [""], set()), ".El"]
    return "\n".join(lines)


def page(source: str, tables: list[str]) -> str:
    by_name = {pathlib.Path(table).name: table for table in tables}
    text = pathlib.Path(source).read_text()
    return re.sub(r"^@keys (\S+)$", lambda m: sections(by_name.pop(m[1])), text, flags=re.M)


class Rows:
    """The rows of a table, and what they count: words of keys, functions, parts."""

    def __init__(self, source: str) -> None:
        self.source = source
        objects = read(source)
        # Those with a schema come first, in their order.
        self.parts = sorted(objects, key=lambda one: not one.schema)
        self.keys: dict[str, int] = {}
        self.words: list[str] = []
        self.getters: list[tuple[str, str]] = []

    def key(self, name: str) -> int:
        end = sum(len(key) + 1 for key in self.keys)
        return self.keys.setdefault(name, end)

    def part(self, name: str) -> int:
        return [one.name for one in self.parts].index(name)

    def text(self) -> str:
        rows, firsts, n = "", "", 0
        for one in self.parts:
            made = [row for key in one.keys for row in self.rows(one, key)]
            firsts += f"{{ {n}, sizeof({structure(one)}), {int(one.is_row)} }},\n"
            rows += "".join(f"{row},\n" for row in [*made, "{ .form = 0 }"])
            n += len(made) + 1
        name = pathlib.Path(self.source).name
        keys = "\n".join(f'"{key}\\0"' for key in self.keys)
        return (
            f"/* Made from {name} by json-keys.py. */\n"
            f"static const struct json_row rows[] = {{\n{rows}}};\n"
            f"static const struct json_part parts[] = {{\n{firsts}}};\n"
            f"static const char keys[] =\n{keys};\n{self.functions()}"
        )

    def functions(self) -> str:
        words = "".join(
            f"case {i}:\nreturn {name}(value);\n" for i, name in enumerate(self.words)
        )
        items = "".join(
            f"case {i}:\nreturn {name}(base, i, item);\n"
            for i, (name, _) in enumerate(self.getters)
        )
        room = "".join(
            f"_Static_assert(sizeof({item}) <= JSON_ROOM, \"{name}\");\n"
            for name, item in self.getters
        )
        return room + (
            "static const char *get_word(unsigned int which, uint32_t value)\n"
            f"{{\nswitch (which) {{\n{words}}}\nreturn NULL;\n}}\n"
            "static int get_item(unsigned int which, const void *base, size_t i,\n"
            f"void *item)\n{{\nswitch (which) {{\n{items}}}\nreturn -1;\n}}\n"
            "static const struct json_table table = {\n"
            ".rows = rows, .parts = parts, .keys = keys, .get_word = get_word,\n"
            ".get_item = get_item,\n};\n"
        )

    def rows(self, one: Object, key: Key) -> list[str]:
        if not key.form:
            return []
        if key.form in ("when", "members", "splice"):
            return [self.row(one, key, "")]
        return [self.row(one, key, name) for name in key.names]

    def row(self, one: Object, key: Key, name: str) -> str:
        arguments = [a.replace("*", name) for a in key.arguments]
        condition = key.condition
        at, form, argument, more = "0", ROWS.get(key.form, ("", ""))[1], "0", ""
        if key.form == "when":
            form, condition = "WHEN", arguments[0]
        elif key.form == "splice":
            form, at, condition = "SPLICE", offset(one, arguments[0]), arguments[0]
        elif key.form == "members" or form == "OBJECT":
            form = "MEMBERS" if key.form == "members" else form
            argument, place = str(self.part(arguments[0])), arguments[1]
            form += "" if place.startswith("&") or "->" not in place else "_AT"
            at = offset(one, place) if "->" in place else "0"
            condition = condition or (arguments[2:] or [""])[0]
        elif form == "EVERY":
            argument = str(self.part(arguments[0]))
            getter = (arguments[1], structure(self.parts[int(argument)]))
            self.getters += [] if getter in self.getters else [getter]
            more = f".test = {self.getters.index(getter)}"
        elif form == "LIST":
            argument, at = str(self.part(arguments[0])), offset(one, arguments[1])
            more = f".test_at = {offset(one, arguments[2])}"
        else:
            at, argument = offset(one, arguments[0]), self.argument(one, form, arguments)
            last = arguments[2:] if form in ("WORD", "WORDS") else arguments[1:]
            condition = condition or (last or [""])[0]
            condition = arguments[0] if key.form == "known" else condition
        if form in ("EVERY", "LIST") and condition:
            sys.exit(f"{self.source}: {name}: a condition needs a part")
        if not more:
            more = test(one, condition) if condition else ".test = JSON_ALWAYS"
        left_out = " | ROW_OMIT" if key.condition or form == "SPLICE" else ""
        return f"{{ {self.key(name) if name else 0}, {at}, .form = ROW_{form}{left_out}, " + (
            f".argument = {argument}, {more} }}"
        )

    def argument(self, one: Object, form: str, arguments: list[str]) -> str:
        if form in ("WORD", "WORDS"):
            if arguments[1] not in self.words:
                self.words.append(arguments[1])
            return str(self.words.index(arguments[1]))
        if form == "BOOL":
            return code_of(one, arguments[0])
        if form in ("STRING", "TEXT"):
            return f"JSON_IS_POINTER({structure(one)}, {member(one, arguments[0])})"
        return f"JSON_WIDTH({structure(one)}, {member(one, arguments[0])})"


def structure(one: Object) -> str:
    return one.parameter.removeprefix("const ").split(" *")[0]


def member(one: Object, place: str) -> str:
    """The member that an expression begins with."""
    found = re.match(r"&?(\w+)->([\w.[\]]+)", place)
    if not found or found[1] != one.parameter.split("*")[1]:
        sys.exit(f"{one.name}: {place} is no member of {one.parameter}")
    return found[2]


def offset(one: Object, place: str) -> str:
    return f"offsetof({structure(one)}, {member(one, place)})"


def code_of(one: Object, condition: str) -> str:
    """The byte that says what is asked of a member."""
    _, sign, value = [*condition.split(" ", 2), "", ""][:3]
    if sign:
        return {"&": "JSON_BIT", "==": "JSON_EQUALS", "<=": "JSON_AT_MOST"}[sign] + f"({value})"
    return f"JSON_SET({structure(one)}, {member(one, condition)})"


def test(one: Object, condition: str) -> str:
    return f".test_at = {offset(one, condition)}, .test = {code_of(one, condition)}"


def main() -> None:
    what, *files, output = sys.argv[1:]
    if what == "code":
        pathlib.Path(output).write_text(code(*files))
    elif what == "rows":
        pathlib.Path(output).write_text(Rows(*files).text())
    else:
        pathlib.Path(output).write_text(page(files[0], files[1:]))


main()
