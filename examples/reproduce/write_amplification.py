# SPDX-License-Identifier: MIT
"""Write amplification: what the papers say, by ssdpm's formulas and by its simulated
drive; and what more spare area buys.

Xiang and Kurkoski 2012 (arXiv:1110.4245) give three numbers, Desnoyers 2014 (ACM
Transactions on Storage) how good his formulas are. The tests hold the formulas against
a table of ours, at all spare areas.
"""

from __future__ import annotations

from report import PUBLISHED, Claim, Number, Report, exact, main, rounded
from ssdpm import ftl, wa

# Blocks of a simulated drive; it is filled, written to for so many times what it
# holds, and measured for as much again.
BLOCKS, TIMES = 4096, 4.0
SPARES = (0.07, 0.20, 0.30)
PAGES = (16, 64, 256)

# rho = 0.3 of spare area by data.
RHO_SPARE = 0.3 / 1.3

INPUTS = [
    "the spare factor is the share of the flash that holds no data; rho is spare area "
    "by data, and 0.3 of that is a spare factor of 0.2308",
    f"simulated drives have {BLOCKS} blocks, one of them in reserve, and 64 pages in "
    "each where nothing else is said; they are filled in sequence, then written to "
    f"for {TIMES:g} times what they hold, and measured for {TIMES:g} times",
    "25 % spare of a drive with parity in its flash: 7 points of them are parity",
]


def simulate(spare: float, collector: str, pages: int = 64) -> float:
    found = ftl.simulate(
        spare,
        n_blocks=BLOCKS,
        pages_per_block=pages,
        collector=collector,
        warm_up=TIMES,
        writes=TIMES,
    ).write_amplification
    assert found is not None
    return found


def number(about: str, published: str, value: float) -> Claim:
    return Claim(
        about,
        "Xiang and Kurkoski, abstract",
        PUBLISHED,
        published,
        [rounded(float(published), "", 2)],
        [exact(value, "", 4)],
    )


def errors() -> list[tuple[str, float, float]]:
    """What the formula and the simulated drive give for each spare area."""
    rows = []
    for spare in SPARES:
        rows.append(("fifo", wa.calculate(spare, "fifo"), simulate(spare, "fifo")))
        for pages in PAGES:
            formula = wa.calculate(spare, "greedy", pages)
            rows.append((f"greedy {pages}", formula, simulate(spare, "greedy", pages)))
    return rows


def desnoyers(about: str, words: str, off: float, limit: float) -> Claim:
    return Claim(
        about,
        "Desnoyers, abstract",
        PUBLISHED,
        words,
        [Number(None, limit, "%")],
        [exact(off, "%")],
        f"simulated, off by {off:.2f} % at most",
    )


def gain(low: float, high: float) -> float:
    """How many times the writes, where programs alone take time."""
    nand = wa.Nand(program_bytes_per_s=1e9)
    slow, fast = (
        wa.write_cost(nand, wa.calculate(spare)).bytes_per_s for spare in (low, high)
    )
    return fast / slow


def report() -> Report:
    found = errors()
    off = {
        name: max(
            100 * abs(simulated / formula - 1)
            for which, formula, simulated in found
            if which.startswith(name)
        )
        for name in ("fifo", "greedy")
    }
    parity = wa.spare_of(1.0, 0.75, parity=0.07)
    return Report(
        "write amplification: L. Xiang and B. Kurkoski, arXiv:1110.4245; P. Desnoyers, "
        "ACM Transactions on Storage, 2014",
        INPUTS,
        [
            number("rho 0.3, FIFO", "2.36", wa.calculate(RHO_SPARE)),
            number("rho 0.3, Agarwal", "2.17", wa.calculate(RHO_SPARE, "agarwal")),
            number("rho 0.3, simulated", "2.35", simulate(RHO_SPARE, "greedy", 256)),
            desnoyers("FIFO", "exact: in whole percent", off["fifo"], 0.5),
            desnoyers("greedy", "within 2 %", off["greedy"], 2),
            Claim(
                "25 % spare with parity",
                "AnandTech, Crucial M500 review: performance consistency",
                PUBLISHED,
                "steadier writes than with 7 %, in pictures",
                said=f"a spare factor of {parity:.2f}: {gain(0.07, parity):.2f} times "
                "the writes",
                why="the reviews show IOPS as pictures, and the firmware is not known",
            ),
        ],
        ("collector", "formula", "simulated"),
        [
            (name, f"{formula:.4f}", f"{simulated:.4f}")
            for name, formula, simulated in found
        ],
    )


if __name__ == "__main__":
    main(report)
