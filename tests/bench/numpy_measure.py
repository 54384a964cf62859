#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Energy and baseline in NumPy, as well as it can be done, against ours.

usage: numpy_measure.py BENCH_MEASURE

BENCH_MEASURE writes its signal, how long it took and what came of it. The same
numbers must come out here.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time

import numpy as np

LIMIT = 3.0


def middle(values: np.ndarray) -> float:
    """The median; @values get another order."""
    half = len(values) // 2
    ranks = [half] if len(values) % 2 else [half - 1, half]
    values.partition(ranks)
    return float(np.mean(values[ranks], dtype=np.float64))


def main() -> int:
    with tempfile.NamedTemporaryFile() as file:
        out = subprocess.run(
            [sys.argv[1], file.name], check=True, capture_output=True, text=True
        ).stdout.split()
        ours_ns, interval_ns, energy_j, level_w, mad_w = map(float, out)
        power = np.fromfile(file.name, np.float32)
    start = time.process_time_ns()
    total = power.sum(dtype=np.float64) - (float(power[0]) + float(power[-1])) / 2
    numpy_j = total * interval_ns * 1e-9
    level = middle(power.copy())
    distances = np.abs(power - np.float64(level))
    mad = middle(distances)
    numpy_ns = time.process_time_ns() - start
    if abs(numpy_j - energy_j) > 1e-9 * energy_j or (level, mad) != (level_w, mad_w):
        print(f"NumPy: {numpy_j} J, {level} W, {mad} W; here: {out[2:]}", file=sys.stderr)
        return 1
    value = numpy_ns / ours_ns
    print(f"bench numpy_vs_energy {value:.2f} >= {LIMIT}")
    return 0 if value >= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
