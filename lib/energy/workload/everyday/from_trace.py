#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From a recording to its statistics, and from these to a workload again.

usage: from_trace.py NAME TRACE > NAME.tsv

The head of NAME.tsv, where there is one, stays: it says where the recording is from.
What the numbers mean is in ssdpm_workload(3), Everyday workloads. generate() makes what
the library makes of a table, number by number: tests compare the two, and test tables
that are not in the library.

Uses NumPy and the package ssdpm.
"""

from __future__ import annotations

import pathlib
import re
import sys
from collections import Counter
from typing import Any

import numpy as np

import ssdpm

# Limits between the classes of pauses, in ns: a start follows the one before at once,
# in a burst, and so on to 10 s and more.
LIMITS_NS = [30_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000]
# A pause of this class or a higher one says how busy the host is.
LONG = 3
PHASES = 4
# The phase at a pause is what it and four on each side come to.
AROUND = 4
# A workload is as long as its recording; one with fewer I/Os is repeated, in another
# order, until what is left in the decks does not matter.
LEAST_IOS = 40_000
GAP_PARTS = 32
SIZE_PARTS = 16
OPS = "rwfd"

Table = dict[str, Any]


def phases(gaps: Any, classes: Any) -> Any:
    """How busy the host is, in quarters, 0 the busiest: by the logarithms of the long
    pauses around each one. Starts belong to the next long pause."""
    (long,) = np.nonzero(classes >= LONG)
    if len(long) < PHASES * (2 * AROUND + 1):
        return np.zeros(len(gaps), np.int64)
    sums = np.concatenate([[0.0], np.cumsum(np.log(gaps[long]))])
    index = np.arange(len(long))
    low = np.maximum(0, index - AROUND)
    high = np.minimum(len(long), index + AROUND + 1)
    means = (sums[high] - sums[low]) / (high - low)
    limits = np.quantile(means, np.arange(1, PHASES) / PHASES)
    found = np.searchsorted(limits, means, side="right")
    return found[np.minimum(np.searchsorted(long, np.arange(len(gaps))), len(long) - 1)]


def parts(values: Any, n: int) -> list[Any]:
    """Sorted, in n parts of as many values each, or nearly."""
    ordered = np.sort(values)
    limits = np.arange(n + 1) * len(ordered) // n
    return [
        ordered[min(a, len(ordered) - 1) : max(b, min(a, len(ordered) - 1) + 1)]
        for a, b in zip(limits, limits[1:])
    ]


def fit(ios: Any) -> Table:
    """The statistics of records, as ssdpm.read_trace() gives them."""
    starts = ios["start_ns"].astype(np.int64)
    gaps = np.diff(starts)
    classes = np.searchsorted(LIMITS_NS, gaps, side="right")
    quarters = phases(np.maximum(gaps, 1), classes)
    ops = ios["op"].astype(np.int64) - 1
    names = [
        f"{phase}{OPS[op]}{class_}"
        for phase, op, class_ in zip(quarters, ops[1:], classes)
    ]
    # The last one leads back to the first: from no state there is no way on.
    follows: dict[str, Counter[str]] = {}
    for a, b in zip(names, names[1:] + names[:1]):
        follows.setdefault(a, Counter())[b] += 1
    # Flushes have no place and no size, and are passed over.
    placed = ios[ios["op"] != ssdpm.OPS["flush"]]
    ends = placed["offset"] + placed["bytes"]
    table: Table = {
        "n_ios": len(ios) * -(-LEAST_IOS // len(ios)),
        "area_bytes": -(-int(ends.max()) >> 30) << 30,
        "gap": {},
        "pause": {},
        "size": {},
        "next": {a: dict(sorted(follows[a].items())) for a in sorted(follows)},
    }
    for class_ in np.unique(classes):
        chosen = gaps[classes == class_]
        if len(chosen) <= GAP_PARTS:
            table["pause"][str(class_)] = sorted(map(int, chosen))
            continue
        cut = parts(chosen, GAP_PARTS)
        limits = [int(part[0]) for part in cut] + [int(cut[-1][-1])]
        table["gap"][str(class_)] = limits
    if (ops == OPS.index("f")).any():
        table["size"]["f"] = [int((ops == OPS.index("f")).sum()), 0, *[0] * SIZE_PARTS]
    follow = np.concatenate([[False], placed["offset"][1:] == ends[:-1]])
    for op in np.unique(placed["op"]):
        chosen = placed["op"] == op
        means = [
            round(part.mean() / 512) * 512
            for part in parts(placed["bytes"][chosen].astype(np.int64), SIZE_PARTS)
        ]
        numbers = [int(chosen.sum()), int((chosen & follow).sum()), *means]
        table["size"][OPS[op - 1]] = numbers
    return table


def text(table: Table) -> str:
    """As a file has it."""
    lines = [f"{key}\t{table[key]}" for key in ("n_ios", "area_bytes")]
    for key in ("gap", "pause", "size"):
        for name, numbers in table[key].items():
            lines.append("\t".join([key, name, *map(str, numbers)]))
    for name, counts in table["next"].items():
        cells = [f"{other}:{count}" for other, count in counts.items()]
        lines.append("\t".join(["next", name, *cells]))
    return "\n".join(lines) + "\n"


def read(path: pathlib.Path) -> Table:
    table: Table = {"gap": {}, "pause": {}, "size": {}, "next": {}}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, *cells = line.split("\t")
        if line.startswith("#"):
            continue
        if key in ("gap", "pause", "size"):
            table[key][cells[0]] = [int(cell) for cell in cells[1:]]
        elif key == "next":
            counts = (cell.split(":") for cell in cells[1:])
            table[key][cells[0]] = {name: int(count) for name, count in counts}
        else:
            table[key] = cells[0] if key == "description" else int(cells[0])
    return table


MASK = 2**64 - 1


class Random:
    """xoshiro256**, its state from splitmix64."""

    def __init__(self, seed: int) -> None:
        self.s = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & MASK
            z = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & MASK
            z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
            self.s.append(z ^ z >> 31)

    def below(self, limit: int) -> int:
        s = self.s
        product = s[1] * 5 & MASK
        result = ((product << 7 | product >> 57) & MASK) * 9 & MASK
        shifted = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = (s[3] << 45 | s[3] >> 19) & MASK
        return result * limit >> 64


def draw(random: Random, left: list[int]) -> int:
    """One of the cards that are left, which is laid aside."""
    drawn = random.below(sum(left))
    for index, count in enumerate(left):
        if drawn < count:
            left[index] -= 1
            return index
        drawn -= count
    raise AssertionError


class Deck:
    """Cards that are drawn until none is left, then all again."""

    def __init__(self, n: int) -> None:
        self.left = [1] * n

    def draw(self, random: Random) -> int:
        if not any(self.left):
            self.left = [1] * len(self.left)
        return draw(random, self.left)


class Chain:
    """A random order of all steps of the recording, again and again.

    Each state keeps one way for the end of a round. These ways make a random tree that
    leads to the state where the round began (Wilson 1996), so that no step is left over.
    """

    def __init__(self, table: Table, random: Random) -> None:
        self.random = random
        self.names = list(table["next"])
        numbers = {name: i for i, name in enumerate(self.names)}
        self.to = [[numbers[name] for name in to] for to in table["next"].values()]
        self.counts = [list(to.values()) for to in table["next"].values()]
        self.state = random.below(len(self.names))
        self.n_left = 0

    def begin_round(self) -> None:
        n = len(self.names)
        self.last = [0] * n
        is_reached = [state == self.state for state in range(n)]
        for start in range(n):
            at = start
            while not is_reached[at]:
                self.last[at] = draw(self.random, list(self.counts[at]))
                at = self.to[at][self.last[at]]
            at = start
            while not is_reached[at]:
                is_reached[at] = True
                at = self.to[at][self.last[at]]
        self.left = [list(counts) for counts in self.counts]
        for state in range(n):
            if state != self.state:
                self.left[state][self.last[state]] -= 1
        self.n_left = sum(map(sum, self.counts))

    def go_on(self) -> str:
        if not self.n_left:
            self.begin_round()
        self.n_left -= 1
        left = self.left[self.state]
        way = draw(self.random, left) if any(left) else self.last[self.state]
        self.state = self.to[self.state][way]
        return self.names[self.state]


def generate(table: Table, seed: int = 0, n_ios: int | None = None) -> Any:
    """Records, as the library makes them."""
    random = Random(seed)
    chain = Chain(table, random)
    ranges = {class_: list(zip(of, of[1:])) for class_, of in table["gap"].items()}
    # So few are drawn as they are.
    ranges |= {class_: [(ns, ns) for ns in of] for class_, of in table["pause"].items()}
    gaps = {class_: Deck(len(of)) for class_, of in ranges.items()}
    n_ios = table["n_ios"] if n_ios is None else n_ios
    ios = np.zeros(n_ios, ssdpm.IO_DTYPE)
    state, now, end = chain.names[chain.state], 0, 0
    for i in range(n_ios):
        if i:
            state = chain.go_on()
            low, high = ranges[state[2]][gaps[state[2]].draw(random)]
            now += low + random.below(high - low + 1)
        op = OPS.index(state[1]) + 1
        if state[1] == "f":
            ios[i] = (now, 0, 0, ssdpm.SERVICE_UNKNOWN, op, 0)
            continue
        count, sequential, *sizes = table["size"][state[1]]
        size = sizes[random.below(SIZE_PARTS)]
        last = table["area_bytes"] - size
        if random.below(count) >= sequential or end > last:
            end = random.below(last // 4096 + 1) * 4096
        ios[i] = (now, end, size, ssdpm.SERVICE_UNKNOWN, op, 0)
        end += size
    return ios


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    path = pathlib.Path(__file__).parent / f"{sys.argv[1]}.tsv"
    head = ""
    if path.exists():
        head = "".join(re.findall(r"^(?:#|description).*\n", path.read_text(), re.M))
    trace = ssdpm.read_trace(sys.argv[2])
    sys.stdout.write(head + text(fit(trace.records)))


if __name__ == "__main__":
    main()
