# SPDX-License-Identifier: MIT
"""The table of what was published and what comes out here: README.md beside this file.

usage: summary.py [--update | --counts]

Prints README.md. --update writes it, and the counts into the README of the project;
--counts prints these. The rows of PowerSensor3 are from powersensor3.json.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import apst_catalogue
import apst_patch
import consistency
import kept
import p3700_caps
import readers_watts
import sata_survey
import stornvme
import uflip
import write_amplification
from report import VERDICTS, Claim, Report

HERE = Path(__file__).parent
TOP = HERE.parents[1]

SCRIPTS: Sequence[tuple[str, Callable[[], Report]]] = (
    ("apst_patch.py", apst_patch.report),
    ("apst_catalogue.py", apst_catalogue.report),
    ("stornvme.py", stornvme.report),
    ("uflip.py", uflip.report),
    ("sata_survey.py", sata_survey.report),
    ("write_amplification.py", write_amplification.report),
    ("consistency.py", consistency.report),
    ("readers_watts.py", readers_watts.report),
    ("p3700_caps.py", p3700_caps.report),
)

HEAD = """\
# What was published, and what comes out here

Each script of this folder holds what one source has published against what ssdpm makes
of it, with all its inputs. Inputs are the same for all drives of a source.
After `tests/run`, this prints the first one, and `--json` writes it:

    PYTHONPATH=build/bindings/python build/venv/bin/python examples/reproduce/apst_patch.py

`summary.py --update` writes this file; edit the scripts, not the file.

No verdict is typed. `report.py` derives each from the numbers of its row, by one rule:

| verdict | what the numbers say |
|---|---|
| reproduced | our nominal value is the published one, within the tolerance behind it |
| within bounds | our range reaches the published value, our nominal value does not |
| fitted | one of the first two, but an input was taken from the published value |
| missed | our range does not reach the published value, fitted or not |
| not derivable | there is a published number, and none of ours |
| not decidable | the source has no number to hold ours against |

A row without a section, figure or table of its source is refused, and so is one that
states another verdict than its numbers give, and a miss without what would explain it.
The tolerance is half of the last published digit, unless a row names another. A row with
several numbers has the verdict of the worst. The column "stands" says where a published
number is from: *published* in words or digits, *digitised by us* from a figure,
*computed by us* from numbers of the source.
"""


def reports() -> list[tuple[str, Report]]:
    """Each with what to call above its table."""
    found = [(f"`{name}`", make()) for name, make in SCRIPTS]
    run = kept.read()
    words = (
        "`sustained_write.py DIRECTORY`; its samples are not in this tree, so that these "
        f"numbers are kept from a run of {run.date} (commit {run.commit}, "
        "`powersensor3.json`)"
    )
    return [*found, (words, run.report)]


def counts(claims: Sequence[Claim]) -> str:
    """On one line: "38 claims: 11 reproduced, ..."."""
    found = Counter(claim.verdict for claim in claims)
    each = ", ".join(f"{found[verdict]} {verdict}" for verdict in VERDICTS)
    return f"{len(claims)} claims: {each}."


def row(claim: Claim) -> str:
    published = claim.words
    if claim.published:
        numbers = dict.fromkeys(map(str, claim.published))
        published += f" [{', '.join(numbers)}]"
    verdict = f"**{claim.verdict}**"
    if claim.reason:
        verdict += f": {claim.reason}"
    cells = (claim.about, claim.place, published, claim.stands, claim.predicted, verdict)
    return "| " + " | ".join(cells) + " |"


def section(name: str, report: Report) -> str:
    return "\n".join(
        (
            f"\n## {report.source}\n",
            f"{name}\n",
            "| claim | in the source | published | stands | ours | verdict |",
            "|---|---|---|---|---|---|",
            *map(row, report.claims),
        )
    )


def readme(found: Sequence[tuple[str, Report]]) -> str:
    every = [claim for _, report in found for claim in report.claims]
    parts = [HEAD, counts(every), *(section(name, report) for name, report in found)]
    return "\n".join(parts) + "\n"


def update(found: Sequence[tuple[str, Report]]) -> None:
    (HERE / "README.md").write_text(readme(found))
    every = [claim for _, report in found for claim in report.claims]
    path = TOP / "README.md"
    text = path.read_text()
    path.write_text(re.sub(r"^\d+ claims: .*\.$", counts(every), text, flags=re.M))


def main() -> None:
    if sys.argv[1:] not in ([], ["--update"], ["--counts"]):
        sys.exit(f"usage: {sys.argv[0]} [--update | --counts]")
    found = reports()
    if sys.argv[1:] == ["--update"]:
        update(found)
    elif sys.argv[1:] == ["--counts"]:
        print(counts([claim for _, report in found for claim in report.claims]))
    else:
        print(readme(found), end="")


if __name__ == "__main__":
    main()
