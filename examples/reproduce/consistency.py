# SPDX-License-Identifier: MIT
"""Performance consistency: AnandTech's review of the Crucial M500 (2013).

A drive filled in the order of addresses, then 4 KiB anywhere for 2000 s, IOPS of each
second. Which IOPS a drive falls to is decided by its firmware and its flash, which are
not public: those are measured from a log, as `ssdpm consistency` does it. What a page map
and spare area alone bring about is simulated below.
"""

from __future__ import annotations

import functools

import ssdpm
from report import DIGITISED, PUBLISHED, Claim, Number, Report, exact, main, rounded
from ssdpm import consistency, ftl

# Shares of the flash. Of the 25 % of the M500, 7 are parity.
DEFAULT, MORE, WITH_RAIN = 0.07, 0.25, 0.18
SECONDS = 2000
PAGES_PER_BLOCK = 256
N_BLOCKS = 4096
# 5000 programs in a second: a drive of 4 GiB with the flash of one that is 20 times as
# large and as fast takes the same time to fall.
PROGRAM_NS = 200_000
COST = ftl.Cost.from_bandwidth(4096 * 10**9 // PROGRAM_NS, PAGES_PER_BLOCK)

INPUTS = [
    f"spare area: {DEFAULT:.0%} by default, {MORE:.0%}, and {WITH_RAIN:.0%} where parity "
    "takes 7 points of that",
    f"{N_BLOCKS} blocks of {PAGES_PER_BLOCK} pages, greedy collection; a page is read in "
    f"a tenth and a block erased in 2.56 times the {PROGRAM_NS // 1000} us of a program",
]


@functools.cache
def simulated(spare: float) -> consistency.Consistency:
    (run,) = consistency.simulate(
        [spare],
        seconds=SECONDS,
        cost=COST,
        n_blocks=N_BLOCKS,
        pages_per_block=PAGES_PER_BLOCK,
    )
    return run


def late(spare: float) -> consistency.Consistency:
    """From 1400 s on, as the review has it."""
    return consistency.measure(simulated(spare).iops, begin_s=consistency.LATE_S)


PLACE = "section on performance consistency"


def shape() -> Claim:
    """Its last figures begin at 1400 s with steady state: the drop was before."""
    run, end = simulated(DEFAULT), late(DEFAULT)
    assert run.plateau_iops and run.cliff_s is not None and run.steady_s is not None
    return Claim(
        "shape",
        f"{PLACE}, figures of IOPS over time",
        DIGITISED,
        "a plateau, a sharp drop when fresh blocks run out, then steady state by "
        f"{consistency.LATE_S} s: less than half the plateau",
        [Number(None, consistency.LATE_S, "s"), Number(None, 0.5)],
        [exact(run.steady_s, "s", 0), exact(end.mean_iops / run.plateau_iops)],
        f"after {run.cliff_s} s from {run.plateau_iops:.0f} to {end.mean_iops:.0f} "
        f"operations per second; steady from {run.steady_s} s on",
    )


def gain(spare: float) -> float:
    return late(spare).mean_iops / late(DEFAULT).mean_iops


def formula(spare: float) -> float:
    """FIFO's write amplification by default, by that with this spare area."""
    before, after = (ssdpm.wa.calculate(one) for one in (DEFAULT, spare))
    return before / after


def greatly() -> Claim:
    return Claim(
        "840 Pro, 25 % spare",
        PLACE,
        PUBLISHED,
        "helps greatly",
        said=f"{gain(MORE):.2f} times the operations; the ratio of write amplification "
        f"is {formula(MORE):.3f}",
        why="no number says what greatly is",
    )


def less() -> Claim:
    return Claim(
        "M500, 25 % spare",
        PLACE,
        PUBLISHED,
        "helps less: about 7 % of the spare area goes to RAIN",
        [Number(None, 0.99)],
        [exact(gain(WITH_RAIN) / gain(MORE))],
        f"{gain(WITH_RAIN):.2f} times the operations, where without parity it would be "
        f"{gain(MORE):.2f}; by write amplification {formula(WITH_RAIN):.2f} and "
        f"{formula(MORE):.2f}",
    )


def floor(drive: str, words: str, iops: Number) -> Claim:
    end = late(DEFAULT)
    assert end.floor_share is not None
    return Claim(
        f"{drive}, floor",
        PLACE,
        PUBLISHED,
        words,
        [iops],
        said=f"the simulated drive's worst second is {end.floor_share:.2f} of its mean, "
        "whatever that is",
        why="firmware unknown: it decides when garbage is collected, and its log is not "
        "public; a log would be measured",
    )


def report() -> Report:
    runs = [simulated(spare) for spare in (DEFAULT, WITH_RAIN, MORE)]
    ends = [late(spare) for spare in (DEFAULT, WITH_RAIN, MORE)]
    return Report(
        "AnandTech, Crucial M500 review, 2013: performance consistency",
        INPUTS,
        [
            shape(),
            greatly(),
            less(),
            floor(
                "M500 960 GB",
                "about 2600 operations per second",
                rounded(2600, "IOPS", -2),
            ),
            floor("m4", "as low as 28 operations per second", rounded(28, "IOPS", 0)),
        ],
        ("drive", "plateau", "falls", "steady", "floor from 1400 s", "mean", "variation"),
        [
            (
                run.name,
                f"{run.plateau_iops:.0f}",
                f"{run.cliff_s} s",
                f"{run.steady_s} s",
                f"{end.floor_iops:.0f}",
                f"{end.mean_iops:.0f}",
                f"{end.variation:.4f}",
            )
            for run, end in zip(runs, ends)
        ],
    )


if __name__ == "__main__":
    main(report)
