#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each public function with a sized structure has its case in a unit test.

usage: sized.py INCLUDE_DIR TEST_C...
"""

from __future__ import annotations

import pathlib
import re
import sys

sys.dont_write_bytecode = True

from common import Faults, public_headers, without_directives  # noqa: E402

# It has no error to return, so that a test of its own is about it.
APART = {("ssdpm_overlay_match", "ssdpm_overlay")}


# A result that comes back as a parameter points to these, which nobody reads there.
NOT_READ = {
    *((add, one)
      for add in ("ssdpm_total_add_item", "ssdpm_total_add_asleep")
      for one in ("ssdpm_bounds", "ssdpm_profile_settings", "ssdpm_run")),
    ("ssdpm_total_add_item", "ssdpm_report_item"),
    ("ssdpm_total_add_asleep", "ssdpm_trial_result"),
}  # fmt: skip


def structs(text: str) -> dict[str, str]:
    return dict(re.findall(r"^struct (\w+) \{\n(.*?)^\};", text, re.M | re.S))


def pointers(text: str, sized: set[str], before: str = "") -> set[str]:
    """The sized structures that a list of declarations points to."""
    names = re.findall(rf"{before}struct (\w+) \*", text)
    return {name for name in names if name in sized}


def expected(include: str) -> set[tuple[str, str]]:
    """(function, structure), those that parameters point to too."""
    text = "\n".join(
        without_directives(path.read_text()) for path in public_headers(include)
    )
    bodies = structs(text)
    sized = {name for name, body in bodies.items() if "size_t size;" in body}
    result = set()
    for name, parameters in re.findall(
        r"SSDPM_API[^;(]*?(\w+)\s*\(([^;]*?)\);", text, re.S
    ):
        direct = pointers(parameters, sized)
        read = pointers(parameters, sized, "const ")
        nested = {inner for one in read for inner in pointers(bodies[one], sized)}
        result |= {(name, one) for one in direct | nested}
    return result


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    faults = Faults()
    tests = "\n".join(pathlib.Path(path).read_text() for path in sys.argv[2:])
    case = r"\bSIZED(?:_MEMBER)?\(\s*(ssdpm_\w+),\s*(ssdpm_\w+),"
    found = set(re.findall(case, tests))
    for function, one in APART:
        if f"{function}(" in tests:
            found.add((function, one))
    wanted = expected(sys.argv[1]) - NOT_READ
    if len(wanted) < 50:
        faults.add(f"only {len(wanted)} functions with sized structures were read")
    for function, one in sorted(wanted - found):
        faults.add(f"{function}(): no case for struct {one}")
    for function, one in sorted(found - wanted):
        faults.add(f"{function}() takes no struct {one}")
    faults.report("one SIZED() for each in tests/unit/test-sized*.c")


if __name__ == "__main__":
    main()
