#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the C program that prints what compiled programs contain.

usage: layout.py INCLUDE_DIR PROGRAM_C

The program prints the size of each public structure, the offsets of its members
and the value of each public constant, ordered by name: a test compares them with
layout.txt. It does not compile if a structure has another size than its comment.
abidiff does not see most of the constants, since no function takes an enum.
"""

from __future__ import annotations

import pathlib
import re
import sys

sys.dont_write_bytecode = True

from common import public_headers, without_comments  # noqa: E402

HEAD = """\
{includes}
#include <stdio.h>

{frozen}
static const struct {{
	const char *name;
	unsigned long long value;
}} facts[] = {{
{facts}
}};

int main(void)
{{
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		printf("%s %llu\\n", facts[i].name, facts[i].value);
}}
"""
FROZEN = re.compile(r"struct (\w+) - [^(]*\(frozen, (\d+) bytes( where a\s[ *]*pointer has 8)?")
BLOCK = re.compile(r"^(struct|enum) (\w+) \{\n(.*?)^\};", re.M | re.S)
# The name before the arrays, at the end of a declaration.
MEMBER = re.compile(r"(\w+)\s*(?:\[[^]]*\]\s*)*$")
CONSTANT = re.compile(r"^#define (SSDPM_\w+) .*(?:\d|_MAX)", re.M)


def members(body: str) -> list[str]:
    return [
        MEMBER.search(name)[1]
        for declaration in body.split(";")[:-1]
        for name in declaration.split(",")
    ]


def block_facts(kind: str, name: str, body: str) -> list[tuple[str, str]]:
    """(name, expression) of a structure or an enum."""
    if kind == "enum":
        return [(word, word) for word in re.findall(r"^\s*(SSDPM_\w+)", body, re.M)]
    size = [(name, f"sizeof(struct {name})")]
    return size + [
        (f"{name}.{member}", f"offsetof(struct {name}, {member})")
        for member in members(body)
    ]


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    headers = public_headers(sys.argv[1])
    texts = [header.read_text() for header in headers]
    plain = without_comments("".join(texts))
    blocks = sorted(BLOCK.findall(plain), key=lambda block: block[1])
    facts = [fact for block in blocks for fact in block_facts(*block)]
    facts += [(name, name) for name in sorted(CONSTANT.findall(plain))]
    pathlib.Path(sys.argv[2]).write_text(
        HEAD.format(
            includes="\n".join(
                f"#include <{header.relative_to(sys.argv[1])}>" for header in headers
            ),
            frozen="".join(
                f"_Static_assert(sizeof(struct {name}) == {size}"
                f"{' || sizeof(void *) != 8' if pointers else ''},\n"
                f'\t       "the comment gives {name} {size} bytes");\n'
                for text in texts
                for name, size, pointers in FROZEN.findall(text)
            ),
            facts="\n".join(f'\t{{ "{name}", {value} }},' for name, value in facts),
        )
    )


if __name__ == "__main__":
    main()
