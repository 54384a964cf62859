#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the C program that holds the words of each enum against its values.

usage: words.py INCLUDE_DIR PROGRAM_C

Each value has a word of its own, which gives the value; 0, one past the end and
every other number below 4096 and every other bit have none; no other word has a
value.
"""

from __future__ import annotations

import pathlib
import re
import sys

sys.dont_write_bytecode = True

from common import public_headers, without_comments  # noqa: E402

PROGRAM = """\
{includes}
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct words {{
	const char *name;
	const char *(*to_string)(uint32_t value);
	uint32_t (*from_string)(const char *word);
	uint32_t values[64];
}};

static const struct words all[] = {{
{rows}
}};

static int faults;

static void expect(bool is_so, const struct words *words, uint32_t value,
		   const char *what)
{{
	if (!is_so)
		printf("%s %u: %s\\n", words->name, value, what);
	faults += !is_so;
}}

static bool has(const struct words *words, uint32_t value)
{{
	for (size_t i = 0; words->values[i]; i++)
		if (words->values[i] == value)
			return true;
	return false;
}}

static void check(const struct words *words, uint32_t value)
{{
	const char *word = words->to_string(value);
	char longer[64];

	expect(!word == !has(words, value), words, value,
	       word ? "it has a word" : "it has no word");
	if (!word)
		return;
	expect(*word && strlen(word) < 48, words, value, "no good word");
	expect(words->from_string(word) == value, words, value,
	       "its word gives another value");
	snprintf(longer, sizeof(longer), "%.62sx", word);
	expect(!words->from_string(longer), words, value, "x after its word");
	longer[strlen(word) - 1] = 0;
	expect(words->from_string(longer) != value, words, value,
	       "its word without the end gives it too");
}}

int main(void)
{{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {{
		for (uint32_t value = 0; value < 4096; value++)
			check(&all[i], value);
		for (uint32_t bit = 4096; bit; bit <<= 1)
			check(&all[i], bit);
		expect(!all[i].to_string(UINT32_MAX), &all[i], UINT32_MAX,
		       "it has a word");
		expect(!all[i].from_string("") && !all[i].from_string(NULL) &&
			       !all[i].from_string("?"),
		       &all[i], 0, "a word that is none has a value");
	}}
	return faults != 0;
}}
"""


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    headers = public_headers(sys.argv[1])
    text = without_comments("".join(header.read_text() for header in headers))
    enums = dict(re.findall(r"^enum ssdpm_(\w+) \{\n(.*?)^\};", text, re.M | re.S))
    rows = []
    for name in re.findall(r"\bssdpm_(\w+)_(?:to|from)_string\(", text)[::2]:
        values = re.findall(r"^\s*(SSDPM_\w+)", enums[name], re.M)
        rows.append(
            f'\t{{ "{name}", ssdpm_{name}_to_string, ssdpm_{name}_from_string,\n'
            f"\t  {{ {', '.join(values)} }} }},"
        )
    pathlib.Path(sys.argv[2]).write_text(
        PROGRAM.format(
            includes="\n".join(
                f"#include <{header.relative_to(sys.argv[1])}>" for header in headers
            ),
            rows="\n".join(rows),
        )
    )


if __name__ == "__main__":
    main()
