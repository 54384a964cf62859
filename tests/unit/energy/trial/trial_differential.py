#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The evidence of trials against a slow, obvious one, on random differences.

usage: trial_differential.py TRIAL_CASES [FIRST_SEED [N]]

The model multiplies 1 + 0.9 tanh(s (d - value)) with 30 digits. A value at an end of the
library's interval must be refuted, and one a little inside must not.
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from decimal import Decimal, getcontext

getcontext().prec = 30
N_CASES = 100 // 4 if "SSDPM_FEW_CASES" in os.environ else 100
STRENGTHS = [Decimal(2) ** k for k in range(-8, 4)]
MIN_PAIRS, FORESEE = 6, 4


def tanh(x: Decimal) -> Decimal:
    if abs(x) > 100:
        return Decimal(1) if x > 0 else Decimal(-1)
    e = (2 * abs(x)).exp()
    return (e - 1) / (e + 1) * (1 if x >= 0 else -1)


def evidence(
    differences: list[float], value: float, unit: float, repeat: Decimal, sign: int
) -> Decimal:
    """How much more likely the differences are if their mean is beyond the value."""
    total = Decimal(0)
    for strength in STRENGTHS:
        product = Decimal(1)
        for d in differences:
            x = sign * (Decimal(d) - Decimal(value)) / Decimal(unit)
            product *= 1 + Decimal("0.9") * tanh(strength * x)
        total += product**repeat
    return total / len(STRENGTHS)


def ends(
    differences: list[float], low: float, high: float, unit: float, repeat: Decimal
) -> list[str]:
    """What is wrong with an interval; a factor of 1 + 1e-9 is the noise of doubles."""
    found = []
    inside = 1.1e-5 * unit + 1e-12 * max(map(abs, differences))
    for name, end, sign in (("low", low, 1), ("high", high, -1)):
        at = evidence(differences, end, unit, repeat, sign)
        within = evidence(differences, end + sign * inside, unit, repeat, sign)
        if at < 40 * (1 - Decimal("1e-9")):
            found.append(f"{name} {end} is not refuted: {at:.9g}")
        if within >= 40:
            found.append(f"{name} {end} is too far outside: {within:.9g}")
    return found


def check(
    differences: list[float], room: int, likely_uw: int, line: str
) -> tuple[list[str], str]:
    words = line.split()
    n, decision = int(words[0]), words[5]
    saving, low, high, resolvable = map(float, words[1:5])
    unit = likely_uw / 1e6 if likely_uw else 0.1
    one, found = Decimal(1), list[str]()
    if n != len(differences):
        found.append(f"{n} pairs")
    near = 2e-5 * unit
    for side in (-1, 1):
        more = evidence(differences, saving + side * near, unit, one, 1)
        less = evidence(differences, saving + side * near, unit, one, -1)
        if (more - less) * side > 0:
            found.append(f"saving {saving}: {more:.9g} and {less:.9g}")
    if n < MIN_PAIRS:
        if low != -math.inf or high != math.inf:
            found.append("an interval of few pairs")
    else:
        found += ends(differences, low, high, unit, one)
    if (n < FORESEE) != math.isnan(resolvable):
        found.append(f"resolvable {resolvable} of {n} pairs")
    if n == room and n >= MIN_PAIRS and abs(resolvable - (high - low) / 2) > near:
        found.append("resolvable at the end")
    expected = "not-yet"
    if low > 0:
        expected = "saves"
    elif high < 0:
        expected = "costs"
    elif n == room:
        expected = "undecided"
    elif likely_uw and max(likely_uw / 1e6, abs(saving)) < resolvable:
        expected = "hopeless"
    if decision != expected:
        found.append(f"{decision}, not {expected}")
    return found, decision


def foreseen(
    differences: list[float], room: int, likely_uw: int, resolvable: float
) -> bool:
    """Whether it is half of the interval of so many pairs, by halving."""
    unit = likely_uw / 1e6 if likely_uw else 0.1
    repeat = Decimal(room) / len(differences)
    width = 0.0
    for sign in (1, -1):
        inside = max(differences) if sign > 0 else min(differences)
        outside = inside - sign * 1e5 * max(unit, *map(abs, differences))
        for _ in range(60):
            middle = (inside + outside) / 2
            if evidence(differences, middle, unit, repeat, sign) >= 40:
                outside = middle
            else:
                inside = middle
        width -= sign * outside
    return abs(width / 2 - resolvable) <= 2e-5 * unit + 1e-9 * abs(width)


def make_case(seed: int) -> tuple[int, int, list[float]]:
    rng = random.Random(seed)
    likely_uw = rng.choice([0, 1000, 50_000, 200_000, 5_000_000])
    unit = likely_uw / 1e6 if likely_uw else 0.1
    spread = unit * rng.choice([0, 0.1, 1, 10])
    mean = unit * rng.choice([-3, -1, 0, 0.5, 1, 2])
    n = rng.randrange(1, 16)
    differences = [mean + spread * rng.gauss(0, 1) for _ in range(n)]
    if rng.random() < 0.2:
        differences[rng.randrange(n)] = 1000 * unit * rng.choice([-1, 1])
    return likely_uw, rng.choice([max(n, 6), 30, 200]), differences


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    n = int(sys.argv[3]) if len(sys.argv) > 3 else N_CASES
    cases = {seed: make_case(seed) for seed in range(first, first + n)}
    text = [str(n)]
    for likely_uw, room, differences in cases.values():
        text.append(f"{likely_uw} {room} {len(differences)}")
        text += map(repr, differences)
    done = subprocess.run(
        [sys.argv[1]],
        input="\n".join(text),
        text=True,
        check=True,
        stdout=subprocess.PIPE,
    )
    lines = iter(done.stdout.splitlines())
    decisions = set()
    for seed, (likely_uw, room, differences) in cases.items():
        for k in range(1, len(differences) + 1):
            line = next(lines)
            if 6 < k < len(differences):
                continue
            found, decision = check(differences[:k], room, likely_uw, line)
            decisions.add(decision)
            if found:
                sys.exit("\n".join([f"seed {seed}, {k} pairs: {line}", *found]))
        resolvable = float(line.split()[4])
        if len(differences) >= FORESEE and seed % 5 == 0:
            if not foreseen(differences, room, likely_uw, resolvable):
                sys.exit(f"seed {seed}: resolvable {resolvable}")
    # What is compared must be worth it.
    assert decisions == {"not-yet", "saves", "costs", "undecided", "hopeless"}
    print(f"{n} trials agree")


if __name__ == "__main__":
    main()
