# SPDX-License-Identifier: MIT
"""Claims that need files which are not in this tree: kept as numbers, with the day and
the commit of the run. Their verdicts are derived anew each time they are read.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from report import Claim, Number, Range, Report

FILE = Path(__file__).with_name("powersensor3.json")


@dataclass(frozen=True)
class Kept:
    """A report without its rows, and which run it is from."""

    date: str
    commit: str
    report: Report


def git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=FILE.parent, check=True, capture_output=True, text=True
    ).stdout.strip()


def write(report: Report) -> None:
    """With the commit of the tree, which needs to have no changes."""
    if git("status", "--porcelain", "--untracked-files=no"):
        raise SystemExit("commit what has changed first: the run would be of no commit")
    claims = [asdict(claim) for claim in report.claims]
    content = {
        "date": date.today().isoformat(),
        "commit": git("rev-parse", "--short=12", "HEAD"),
        "source": report.source,
        "inputs": list(report.inputs),
        "claims": claims,
    }
    FILE.write_text(json.dumps(content, indent=1) + "\n")


def claim(fields: dict[str, Any]) -> Claim:
    """Refused where its numbers give another verdict than the file has."""
    fields = dict(fields)
    fields["published"] = [Number(**one) for one in fields["published"]]
    fields["ours"] = [Range(**one) for one in fields["ours"]]
    return Claim(**fields)


def read() -> Kept:
    content = json.loads(FILE.read_text())
    claims = [claim(one) for one in content["claims"]]
    report = Report(content["source"], content["inputs"], claims)
    return Kept(content["date"], content["commit"], report)
