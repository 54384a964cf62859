# SPDX-License-Identifier: MIT
"""The exposition format of Prometheus, and promtool, which reads it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

from command import TOP

PROMTOOL = TOP / "build/packages/usr/bin/promtool"
LABEL = re.compile(r'(\w+)="((?:[^"\\\n]|\\["\\n])*)"')
SAMPLE = re.compile(rf"(\w+)(?:\{{({LABEL.pattern}(?:,{LABEL.pattern})*)\}})? (\S+)")

Labels = frozenset[tuple[str, str]]


def samples(text: str) -> Iterator[tuple[str, dict[str, str], float]]:
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        found = SAMPLE.fullmatch(line)
        assert found, line
        labels = {
            key: re.sub(r"\\(.)", r"\1", value)
            for key, value in LABEL.findall(found[2] or "")
        }
        yield found[1], labels, float(found[found.re.groups])


class Metrics:
    """What a file says; a series is there once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.values: dict[str, dict[Labels, float]] = {}
        for name, labels, value in samples(text):
            series = self.values.setdefault(name, {})
            assert frozenset(labels.items()) not in series, (name, labels)
            series[frozenset(labels.items())] = value

    def of(self, name: str, **labels: str) -> dict[str, float]:
        """By the first label that is not given: its value, and that of the metric."""
        found = {}
        for series, value in self.values.get(f"ssdpm_{name}", {}).items():
            if labels.items() <= series:
                rest = {k: v for k, v in series if k not in labels}
                found[rest.get("cause") or rest.get("state") or ""] = value
        return found

    def value(self, name: str, **labels: str) -> float:
        [value] = self.of(name, **labels).values()
        return value


def check(text: str) -> None:
    """promtool finds no fault in names, units, types and help."""
    assert PROMTOOL.exists(), "tests/run unpacks build/packages"
    done = subprocess.run(
        [PROMTOOL, "check", "metrics"], input=text, capture_output=True, text=True
    )
    said = done.stdout + done.stderr
    assert not said and done.returncode == 0, said


def check_rules(text: str) -> None:
    done = subprocess.run(
        [PROMTOOL, "check", "rules", "/dev/stdin"],
        input=text, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
