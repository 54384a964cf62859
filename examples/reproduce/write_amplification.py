# SPDX-License-Identifier: MIT
"""Write amplification: what the papers compute, by ssdpm's formulas and by its
simulated drive; and what more spare area buys.

Xiang and Kurkoski 2012 (arXiv:1110.4245), Agarwal and Marrow 2010, Desnoyers 2014
(ACM Transactions on Storage); the table of all formulas was computed once by other
means.
"""

from __future__ import annotations

from report import NOT_DECIDABLE, NOT_DERIVABLE, REPRODUCED, Claim, Report, main
from ssdpm import ftl, wa

# Blocks of a simulated drive; it is filled, written to for so many times what it
# holds, and measured for as much again. Cold addresses take longer to be written anew.
BLOCKS, TIMES, TIMES_COLD = 4096, 4.0, 20.0
SPARES = (0.07, 0.20, 0.30)
PAGES = (16, 64, 256)
HOT = {"80/20": ((0.2, 0.8), (0.8, 0.2)), "90/10": ((0.1, 0.9), (0.9, 0.1))}

# rho = 0.3 of spare area by data.
RHO_SPARE = 0.3 / 1.3

# By spare factor: random victim, FIFO, greedy with 16, 64 and 256 pages in a block,
# FIFO where 20 % of the addresses have 80 % of the writes, and 10 % 90 %.
TABLE = {
    0.07: ("14.286", "7.3177", "5.1113", "6.6001", "7.1237", "7.6817", "8.3582"),
    0.20: ("5.000", "2.6927", "2.3527", "2.5982", "2.6684", "3.0345", "3.5329"),
    0.30: ("3.333", "1.8762", "1.7164", "1.8332", "1.8652", "2.1974", "2.5859"),
}
NAMES = (
    "random",
    "FIFO",
    *(f"greedy {pages}" for pages in PAGES),
    *(f"FIFO {name}" for name in HOT),
)

INPUTS = [
    "the spare factor is the share of the flash that holds no data; rho is spare area "
    "by data, and 0.3 of that is a spare factor of 0.2308",
    f"simulated drives have {BLOCKS} blocks, one of them in reserve, and 64 pages in "
    "each where nothing else is said; they are filled in sequence, then written to "
    f"for {TIMES:g} times what they hold ({TIMES_COLD:g} where some of it is cold), and "
    f"measured for {TIMES:g} times",
    "25 % spare of a drive with parity in its flash: 7 points of them are parity",
]


def formulas(spare: float) -> tuple[float, ...]:
    """In the order of NAMES."""
    return (
        wa.calculate(spare, "random"),
        wa.calculate(spare, "fifo"),
        *(wa.calculate(spare, "greedy", pages) for pages in PAGES),
        *(wa.classes(spare, classes) for classes in HOT.values()),
    )


def simulate(
    spare: float,
    collector: str,
    pages: int = 64,
    classes: tuple[tuple[float, float], ...] | None = None,
    choices: int | None = None,
) -> float:
    found = ftl.simulate(
        spare,
        n_blocks=BLOCKS,
        pages_per_block=pages,
        collector=collector,
        choices=choices,
        pattern="uniform" if classes is None else "classes",
        classes=classes,
        warm_up=TIMES if classes is None else TIMES_COLD,
        writes=TIMES,
    ).write_amplification
    assert found is not None
    return found


def simulations(spare: float) -> tuple[float, ...]:
    """In the order of NAMES."""
    return (
        simulate(spare, "choices", choices=1),
        simulate(spare, "fifo"),
        *(simulate(spare, "greedy", pages) for pages in PAGES),
        *(simulate(spare, "fifo", classes=classes) for classes in HOT.values()),
    )


def text(value: float, like: str) -> str:
    return f"{value:.{len(like.split('.')[1])}f}"


def verdict(good: bool, why: str) -> tuple[str, str]:
    return (REPRODUCED, "") if good else (NOT_DERIVABLE, why)


def number(about: str, published: str, value: float) -> Claim:
    found = text(value, published)
    return Claim(
        about,
        published,
        f"{value:.4f}",
        *verdict(found == published, "another number comes out"),
    )


def gain(low: float, high: float) -> tuple[float, float]:
    """What writes gain: where programs alone take time, and where moving a page takes a
    read as well, of a quarter of that time.
    """
    rates = []
    for reads in (None, 4e9):
        nand = wa.Nand(program_bytes_per_s=1e9, read_bytes_per_s=reads)
        slow, fast = (
            wa.write_cost(nand, wa.calculate(spare)).bytes_per_s for spare in (low, high)
        )
        rates.append(fast / slow)
    return rates[0], rates[1]


def report() -> Report:
    by_formula = {spare: formulas(spare) for spare in SPARES}
    simulated = {spare: simulations(spare) for spare in SPARES}
    same = sum(
        text(value, like) == like
        for spare in SPARES
        for value, like in zip(by_formula[spare], TABLE[spare])
    )
    error = {
        name: max(abs(simulated[s][i] / by_formula[s][i] - 1) for s in SPARES) * 100
        for i, name in enumerate(NAMES)
    }
    small = error["greedy 16"]
    large = max(value for name, value in error.items() if name != "greedy 16")
    greedy = max(value for name, value in error.items() if name.startswith("greedy"))
    n = len(NAMES) * len(SPARES)
    plain, with_reads = gain(0.07, 0.25)
    parity = wa.spare_of(1.0, 0.75, parity=0.07)
    return Report(
        "write amplification: Xiang and Kurkoski, Agarwal and Marrow, Desnoyers",
        INPUTS,
        [
            number("rho 0.3, FIFO", "2.36", wa.calculate(RHO_SPARE)),
            number("rho 0.3, Agarwal", "2.17", wa.calculate(RHO_SPARE, "agarwal")),
            number("rho 0.3, simulated", "2.35", simulate(RHO_SPARE, "greedy", 256)),
            Claim(
                "all formulas",
                f"{n} numbers to 4 digits",
                f"{same} of {n}",
                *verdict(same == n, "the others differ"),
            ),
            Claim(
                "simulated against formulas",
                "within 1 % from 64 pages in a block on, within 5 % with 16",
                f"off by {large:.2f} % and by {small:.2f} % at most",
                *verdict(large <= 1 and small <= 5, "the simulation is off by more"),
            ),
            Claim(
                "Desnoyers, FIFO",
                "exact",
                f"simulated, off by {error['FIFO']:.2f} % at most",
                *verdict(error["FIFO"] <= 0.5, "the simulation is off by more"),
            ),
            Claim(
                "Desnoyers, greedy",
                "within 2 %",
                f"simulated, off by {greedy:.2f} % at most",
                *verdict(greedy <= 2, "the simulation is off by more"),
            ),
            Claim(
                "spare 0.07 to 0.25",
                "3.325 times the writes",
                f"{plain:.3f} times; {with_reads:.3f} if reads take a quarter of the "
                "time of programs",
                *verdict(f"{plain:.3f}" == "3.325", "another ratio comes out"),
            ),
            Claim(
                "25 % spare with parity",
                "steadier writes than with 7 %, in pictures",
                f"a spare factor of {parity:.2f}: {gain(0.07, parity)[0]:.2f} times the "
                "writes",
                NOT_DECIDABLE,
                "the reviews show IOPS as pictures, and the firmware is not known",
            ),
        ],
        ("spare", *(name for name in NAMES)),
        [
            (
                f"{spare:.2f}",
                *(
                    f"{text(value, like)} / {text(found, like)}"
                    for value, found, like in zip(
                        by_formula[spare], simulated[spare], TABLE[spare]
                    )
                ),
            )
            for spare in SPARES
        ],
    )


if __name__ == "__main__":
    main(report)
