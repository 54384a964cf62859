# SPDX-License-Identifier: MIT
"""Power states of a data-centre drive: Intel's P3700 of 2 TB under caps of 25, 20 and
10 W, which were switched on the fly.

What the formula of caps gives of the data sheet alone, and with the energy of a byte that
fits the published writes best. Nothing is tuned to make a claim come true: what fails
is missed.
"""

from __future__ import annotations

import ssdpm
from report import COMPUTED, PUBLISHED, Claim, Range, Report, exact, main, rounded

IDLE_UW, MAX_UW = 4_000_000, 25_000_000
# Of the data sheet: bytes per second, and 4 KiB I/Os per second.
READ, WRITE = 2.8e9, 2.0e9
READ_IOPS, WRITE_IOPS = 460_000, 175_000
PAGE = 4096
# What was measured: GB/s of sequential writes by watts.
WRITES = {25: 2.0, 20: 1.25, 10: 0.6}
DIGITS = {25: 1, 20: 2, 10: 1}
PLACE = "measurement of a P3700 under its power governor modes"

INPUTS = [
    "data sheet: 25 W at most and 4 W idle; 2.8 GB/s of reads, 2.0 of writes; 460K and "
    "175K I/Os of 4 KiB per second",
    "the power that is really drawn without a cap is not public: writes are taken for "
    "25 W and reads for 25 to 100 % of it, as ssdpm does where nothing says more",
    "published: sequential writes 2.0, 1.25 and 0.6 GB/s at 25, 20 and 10 W; sequential "
    "reads and 4 KiB random I/Os unchanged",
]


def model() -> ssdpm.Model:
    """Its three power states."""
    return ssdpm.Model.from_states(
        [
            ssdpm.PowerState(True, max_power_uw=watts * 10**6, idle_power_uw=IDLE_UW)
            for watts in WRITES
        ]
    )


def data_sheet(op: str, bytes_per_s: float, watts: int) -> ssdpm.cap.Result:
    """Of the power state with this cap, and no energy that anybody measured."""
    stream = ssdpm.cap.Stream(op, nand_bytes_per_s=bytes_per_s)
    state = list(WRITES).index(watts)
    drive, cap_w = ssdpm.cap.from_model(model(), [stream], state)
    return drive.at(cap_w)


def least_squares() -> float:
    """Joules per GB of writes, to two digits: P = 4 + e BW through what was published."""
    over = {watts: watts - IDLE_UW / 1e6 for watts in WRITES}
    found = sum(gb * over[w] for w, gb in WRITES.items())
    return round(found / sum(gb * gb for gb in WRITES.values()), 2)


def line(nand_bytes_per_s: float, amplification: float = 1.0) -> ssdpm.cap.Drive:
    """A drive whose bytes cost what fits best."""
    stream = ssdpm.cap.Stream(
        "write",
        nand_bytes_per_s=nand_bytes_per_s * amplification,
        byte_pj=least_squares() * 1e3,
        write_amplification=amplification,
    )
    return ssdpm.cap.Drive([stream], IDLE_UW)


def throughput(result: ssdpm.cap.Result, digits: int = 2) -> Range:
    low, nominal, high = (one / 1e9 for one in result.bytes_per_s)
    return Range(low, nominal, high, "GB/s", digits)


def at_most() -> Claim:
    """Its throughput is an input: no more is shown than that the cap does not tell."""
    return Claim(
        "sequential writes, 25 W",
        PLACE,
        PUBLISHED,
        f"{WRITES[25]} GB/s",
        [rounded(WRITES[25], "GB/s", DIGITS[25])],
        [throughput(data_sheet("write", WRITE, 25))],
        fitted="the data sheet's own number is the input, and 25 W are taken for its "
        "power",
    )


def by_data_sheet(watts: int, why: str) -> Claim:
    return Claim(
        f"sequential writes, {watts} W",
        PLACE,
        PUBLISHED,
        f"{WRITES[watts]} GB/s",
        [rounded(WRITES[watts], "GB/s", DIGITS[watts])],
        [throughput(data_sheet("write", WRITE, watts))],
        why=why,
    )


def by_line() -> Claim:
    # Under the cap alone: the line gives what the flash would have to do.
    drive = line(10 * WRITE)
    found = {w: drive.at(w).bytes_per_s.nominal / 1e9 for w in WRITES}
    off = {w: 100 * (found[w] / gb - 1) for w, gb in WRITES.items()}
    each = [(w - IDLE_UW / 1e6) / gb for w, gb in WRITES.items()]
    return Claim(
        "sequential writes, best line",
        PLACE,
        PUBLISHED,
        " / ".join(f"{gb}" for gb in WRITES.values()) + " GB/s",
        [rounded(gb, "GB/s", DIGITS[w]) for w, gb in WRITES.items()],
        [exact(one, "GB/s", 3) for one in found.values()],
        f"P = 4 W + {least_squares():.2f} J/GB: "
        + " / ".join(f"{one:.3f}" for one in found.values())
        + " GB/s, "
        + " / ".join(f"{one:+.0f}" for one in off.values())
        + " %",
        fitted="the energy of a byte",
        why="that energy is not constant: "
        + ", ".join(f"{one:.1f}" for one in each)
        + " J/GB; a linear model of caps is good to 16 % here and no better",
    )


def unchanged(about: str, bytes_per_s: float, stands: str = PUBLISHED) -> Claim:
    """Reads: what they draw is not public, and decides."""
    found = throughput(data_sheet("read", bytes_per_s, 10))
    full = bytes_per_s / 1e9
    return Claim(
        about,
        PLACE,
        stands,
        f"unchanged at all caps: {full:.2f} GB/s",
        [rounded(round(full, 2), "GB/s", 2)],
        [found],
        f"{found} at 10 W",
        why="8.6 W of reads, 34.5 % of the maximum, is a rule; at 25 W they would lose "
        "most",
    )


def random_writes() -> Claim:
    """What no energy of a byte can give."""
    full = WRITE_IOPS * PAGE
    amplification = WRITE / full
    alone, amplified = line(full), line(full, amplification)
    found = {
        watts: [d.at(watts).bytes_per_s.nominal / PAGE / 1e3 for d in (alone, amplified)]
        for watts in (20, 10)
    }
    allowed = WRITES[10] * 1e9
    return Claim(
        "4 KiB random writes, 20 and 10 W",
        PLACE,
        PUBLISHED,
        "unchanged: 175K IOPS",
        [rounded(WRITE_IOPS / 1e3, "K IOPS", 0)] * 2,
        [Range(two, one, one, "K IOPS", 0) for one, two in found.values()],
        "; ".join(
            f"{watts} W: {one:.0f}K, or {two:.0f}K with a write amplification of "
            f"{amplification:.1f}"
            for watts, (one, two) in found.items()
        ),
        why=f"{WRITE_IOPS // 1000}K x 4 KiB = {full / 1e6:.0f} MB/s, more than the "
        f"{allowed / 1e6:.0f} MB/s that 10 W leave sequential writes: the drive holds "
        "back something else than energy of bytes",
    )


def on_the_fly() -> Claim:
    """None - 20 W - 10 W - none, a minute each."""
    timeline = line(WRITE).timeline(
        [(60, None), (60, 20), (60, 10), (60, None)], interval_s=None
    )
    rates = timeline.points["bytes_per_s"]["nominal"] / 1e9
    return Claim(
        "sequential writes, none - 20 W - 10 W - none",
        PLACE,
        PUBLISHED,
        "2.0 - 1.25 - 0.6 - 2.0 GB/s, entered and left at once",
        [rounded(WRITES[w], "GB/s", DIGITS[w]) for w in (25, 20, 10, 25)],
        [exact(float(one), "GB/s") for one in rates],
        " - ".join(f"{one:.2f}" for one in rates) + " GB/s",
        fitted="the energy of a byte",
        why="the same line, up to 16 % off; that a cap holds at once is an input",
    )


def report() -> Report:
    rows = []
    for watts in WRITES:
        rows.append(
            (
                f"{watts} W",
                f"{WRITES[watts]}",
                str(throughput(data_sheet("write", WRITE, watts), 3)),
                f"{line(WRITE).at(watts).bytes_per_s.nominal / 1e9:.3f}",
                str(throughput(data_sheet("read", READ, watts))),
            )
        )
    return Report(
        "Intel, power states of data-centre SSDs: P3700 2 TB",
        INPUTS,
        [
            at_most(),
            by_data_sheet(
                20,
                "a byte that costs more under this cap would explain it: 12.8 J/GB, if "
                "the drive draws 20 W, against 10.5 at 25 W",
            ),
            by_data_sheet(10, "what writes draw without a cap is not public"),
            by_line(),
            on_the_fly(),
            unchanged("sequential reads", READ),
            unchanged("4 KiB random reads", READ_IOPS * PAGE, COMPUTED),
            random_writes(),
        ],
        ("cap", "published", "data sheet alone", "best line", "reads"),
        rows,
    )


if __name__ == "__main__":
    main(report)
