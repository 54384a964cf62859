# SPDX-License-Identifier: MIT
"""PowerSensor3 (ISPASS 2025): random writes to a full drive, until nothing is erased any
more: simulated, with garbage collection and with a cache.

usage: sustained_write.py DIRECTORY [--json | --keep]

--keep writes the claims to powersensor3.json, from which summary.py prints them.

The directory is that of powersensor3.py. The drive is not named: what is taken from the
measurement and what comes out are told apart below.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import kept
from powersensor3 import AFTER, BEFORE, Floats, Writes, reads
from report import COMPUTED, DIGITISED, Claim, Number, Range, Report, exact, percent
from ssdpm import ftl

GIB = 2**30
MIB = 2**20
# A page of the simulation stands for 256 of 4 KiB: what counts is how many of them a
# block has, and how many blocks there are.
PAGE = MIB
PAGES_PER_BLOCK = 256
FLASH = 1024 * GIB
USER = 10**12
SECONDS = 1200
ONSET_S = (285, 290)
BEFORE_W, AFTER_W, BEFORE_MIB, AFTER_MIB = 3.2, 5.56, 341.0, 158.0
LATER = ((390, 590), (900, 1199))
ONSET = Number(*ONSET_S, "s", 5)

INPUTS = [
    "assumed: 10^12 bytes of the host in 2^40 bytes of flash, as drives of 1 TB have; "
    "all of it is written, once in sequence as the source says, then at random; the "
    "block written longest ago is collected; 4096 blocks",
    f"measured, before the onset ({BEFORE[0]} to {BEFORE[1]} s): MiB/s and W; the power "
    "at rest is that of the line through the reads",
    f"measured, after it ({AFTER[0]} to {AFTER[1]} s): MiB/s, from which comes the time "
    "of a program, reading what is moved included; W, from which comes the power of the "
    "state in which the drive moves pages",
    "computed: when that state begins, what a byte takes from then on "
    "(from what it took before), MiB/s and W of all later times; held to 5 s and 2 %",
    "a cache in front, for comparison: its size is what was written until the onset, so "
    "that this comes out is no news; its pages take nothing off the pace of the host",
]


@dataclass(frozen=True)
class Model:
    """Which drive: all else is the same."""

    user: int
    cache_pages: int = 0
    collector: str = "fifo"


@dataclass(frozen=True)
class Measured:
    """What is taken from the measurement."""

    rest_w: float
    before_mib: float
    before_w: float
    after_mib: float
    after_w: float
    read_mj: float  # of each MiB that is read

    @property
    def host_ns(self) -> int:
        return round(PAGE / MIB / self.before_mib * 1e9)

    @property
    def host_nj(self) -> int:
        return round((self.before_w - self.rest_w) * self.host_ns)

    def cost(self, program_ns: int, background_uw: int, cache_pages: int) -> ftl.Cost:
        return ftl.Cost(
            host_ns=self.host_ns,
            program_ns=program_ns,
            host_nj=self.host_nj,
            idle_uw=round(self.rest_w * 1e6),
            cache_pages=cache_pages,
            background_uw=background_uw,
        )


class Simulated:
    """A run of a drive, second by second."""

    def __init__(
        self, model: Model, measured: Measured, program_ns: int, background_uw: int
    ) -> None:
        drive = ftl.Drive(
            model.user // PAGE,
            FLASH // PAGE // PAGES_PER_BLOCK,
            PAGES_PER_BLOCK,
            collector=model.collector,
        )
        drive.write(0, drive.n_user_pages)
        cost = measured.cost(program_ns, background_uw, model.cache_pages)
        self.rows = drive.run(SECONDS, cost)

    def onset_s(self) -> int:
        """The first second with work behind the host."""
        return int((self.rows["background_ns"] > 0).argmax())

    def window(self, bounds: tuple[int, int]) -> tuple[float, float]:
        """Mean MiB/s and W."""
        rows = self.rows[bounds[0] : bounds[1]]
        return float(rows["n_written"].mean()) * PAGE / MIB, float(rows["power_w"].mean())

    def amplification(self, bounds: tuple[int, int]) -> float:
        """Pages programmed by pages of the host."""
        rows = self.rows[bounds[0] : bounds[1]]
        return float(rows["n_programmed"].sum() / rows["n_written"].sum())


def bisect(high: int, is_above: Callable[[int], bool]) -> int:
    """The least number that is above."""
    low = 0
    while high - low > max(1, high // 1000):
        middle = (low + high) // 2
        low, high = (low, middle) if is_above(middle) else (middle, high)
    return high


def fit(model: Model, measured: Measured) -> Simulated:
    """With the two numbers that the measurement after the onset gives."""

    def too_slow(program_ns: int) -> bool:
        run = Simulated(model, measured, program_ns, 0)
        return run.window(AFTER)[0] < measured.after_mib

    # Without a cache, programs keep the pace of the host before the onset.
    limit = (3 if model.cache_pages else 1) * measured.host_ns
    program_ns = bisect(limit, too_slow)
    bare = Simulated(model, measured, program_ns, 0)
    share = bare.rows["background_ns"][AFTER[0] : AFTER[1]].mean() / 1e9
    missing_w = measured.after_w - bare.window(AFTER)[1]
    return Simulated(model, measured, program_ns, round(missing_w / share * 1e6))


def numbers(found: tuple[float, float]) -> str:
    return f"{found[0]:.0f} MiB/s, {found[1]:.2f} W"


def rate(writes: Writes, bounds: tuple[int, int]) -> tuple[float, float]:
    watts, gib, _ = writes.window(bounds)
    return gib * GIB / MIB / (bounds[1] - bounds[0]), watts


FIGURE = "figures of random writes over 20 minutes"
FIRMWARE = (
    "how the drive collects, what it caches and its capacity are not known; each of them "
    "would change the pace"
)


def claim(
    about: str,
    words: str,
    published: Sequence[Number],
    ours: Sequence[Range],
    said: str,
    fitted: str = "",
    why: str = "",
) -> Claim:
    return Claim(about, FIGURE, DIGITISED, words, published, ours, said, fitted, why)


def course(pace: Floats) -> tuple[int, float, int, float]:
    """Of means of 100 s after the onset: the least, and then the most; from when on."""
    start = ONSET_S[1]
    sums = np.convolve(pace[start:SECONDS], np.ones(100), "valid") / 100
    least = int(sums[: len(sums) // 2].argmin())
    most = least + int(sums[least:].argmax())
    return start + least, float(sums[least]), start + most, float(sums[most])


def course_claim(writes: Writes, run: Simulated) -> Claim:
    pace = np.interp(np.arange(SECONDS), writes.time, writes.rate)
    real = course(pace)
    made = course(run.rows["n_written"] * (PAGE / MIB))
    words = "{1:.0f} MiB/s from {0} s on, then up to {3:.0f} from {2} s on".format
    units = ("s", "MiB/s") * 2
    return claim(
        "pace after it, means of 100 s",
        words(*real),
        [percent(value, unit, 2) for value, unit in zip(real, units)],
        [exact(value, unit, 0) for value, unit in zip(made, units)],
        words(*made),
        why=FIRMWARE,
    )


def later(writes: Writes, run: Simulated, bounds: tuple[int, int]) -> Claim:
    """A window that nothing was fitted to."""
    real, made = rate(writes, bounds), run.window(bounds)
    off = [abs(m / r - 1) * 100 for m, r in zip(made, real)]
    return claim(
        f"{bounds[0]} to {bounds[1]} s",
        numbers(real),
        [percent(real[0], "MiB/s", 2), percent(real[1], "W", 2)],
        [exact(made[0], "MiB/s", 0), exact(made[1], "W")],
        f"{numbers(made)}: off by {off[0]:.0f} % and {off[1]:.0f} %",
        why=FIRMWARE,
    )


def byte_claim(writes: Writes, run: Simulated, measured: Measured) -> Claim:
    """What a byte takes above rest, from what it took before the onset and the write
    amplification of the simulation, with the bounds that an estimate has: a byte that
    is read takes what the link takes and what the flash does, and nobody knows which.
    """
    fresh = (measured.before_w - measured.rest_w) / measured.before_mib * 1e3
    real, made = [], []
    for bounds in (AFTER, *LATER):
        pace, watts = rate(writes, bounds)
        more = run.amplification(bounds) - 1
        real.append((watts - measured.rest_w) / pace * 1e3)
        low, nominal, high = (
            fresh + more * max(fresh + sign * measured.read_mj, 0)
            for sign in (-1, 0, 1)
        )
        made.append(Range(low, nominal, high, "mJ/MiB", 1))
    return Claim(
        "energy of a byte",
        FIGURE,
        COMPUTED,
        f"{fresh:.2f} -> " + ", ".join(f"{one:.1f}" for one in real) + " mJ/MiB",
        [percent(one, "mJ/MiB", 2) for one in real],
        made,
        why="how much of the energy of a read is that of the link is not public",
    )


def report(directory: Path) -> Report:
    rest_w, read_mj, _ = reads(directory)
    writes = Writes(directory)
    before, after = rate(writes, BEFORE), rate(writes, AFTER)
    measured = Measured(rest_w, *before, *after, read_mj)
    written = writes.window((0, ONSET_S[1]))[1]
    models = {
        "garbage collection": Model(USER),
        "spare as measured": Model(FLASH - round(written * GIB)),
        "greedy": Model(USER, collector="greedy"),
        "a cache": Model(USER, cache_pages=round(written * GIB / PAGE)),
    }
    runs = {name: fit(model, measured) for name, model in models.items()}
    run = runs["garbage collection"]
    onset, made = run.onset_s(), run.window(AFTER)
    given = runs["spare as measured"].onset_s()
    settled = run.window((onset + 5, onset + 105))
    return Report(
        "PowerSensor3, results of ISPASS 2025 (nlesc-recruit/powersensor3-results): random "
        "writes, simulated",
        INPUTS,
        [
            claim(
                "simulated, onset",
                f"from {ONSET_S[0]} to {ONSET_S[1]} s, after {written:.1f} GiB",
                [ONSET],
                [exact(onset, "s", 0)],
                f"at {onset} s, after {(FLASH - USER) / GIB:.1f} GiB",
                why="the capacity is not known; "
                f"{100 * (written * GIB / (FLASH - USER) - 1):.0f} % more of spare "
                "flash would explain it",
            ),
            claim(
                "onset, spare as measured",
                f"from {ONSET_S[0]} to {ONSET_S[1]} s",
                [ONSET],
                [exact(given, "s", 0)],
                f"at {given} s",
                fitted=f"that {written:.1f} GiB are spare",
            ),
            claim(
                "simulated, power and pace",
                f"{BEFORE_W} -> {AFTER_W} W, {BEFORE_MIB:.0f} -> {AFTER_MIB:.0f} MiB/s",
                [percent(AFTER_W, "W", 2), percent(AFTER_MIB, "MiB/s", 2)],
                [exact(made[1], "W"), exact(made[0], "MiB/s", 0)],
                f"{run.window((0, onset))[1]:.2f} -> {made[1]:.2f} W, "
                f"{run.window((0, onset))[0]:.0f} -> {made[0]:.0f} MiB/s; "
                f"{numbers(settled)} in the 100 s from its own onset on",
                fitted="both",
            ),
            byte_claim(writes, run, measured),
            course_claim(writes, run),
            *(later(writes, run, bounds) for bounds in LATER),
        ],
        ("window", "measured", *runs),
        [
            (
                f"{a} to {b} s",
                numbers(rate(writes, (a, b))),
                *(numbers(one.window((a, b))) for one in runs.values()),
            )
            for a, b in ((0, 270), (300, 330), AFTER, *LATER[:1], (590, 790), LATER[1])
        ],
    )


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--json"], ["--keep"]):
        sys.exit(f"usage: {sys.argv[0]} DIRECTORY [--json | --keep]")
    made = report(Path(sys.argv[1]))
    if sys.argv[2:] == ["--keep"]:
        kept.write(made)
    else:
        print(made.to_json() if sys.argv[2:] else made)
