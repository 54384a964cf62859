# SPDX-License-Identifier: MIT
"""The two bands of APST (Linux 5.14) over the whole catalogue: what the new rule does
to the table of each drive, as the patch's author did in simulation.
"""

from __future__ import annotations

from dataclasses import dataclass

import ssdpm
from report import PUBLISHED, Claim, Report, main

INPUTS = [
    "drives: every NVMe table of the catalogue that has a state to sleep in, once; "
    "products: the rows (product and firmware) that have it",
    "tables: linux-legacy (old) and linux (new), limit 100 ms, no quirks; "
    "a drive that does not say whether it has APST is taken to have it",
]


@dataclass(frozen=True)
class Chain:
    """What a table does from PS0 on: after how long idle it goes to which state first,
    and the deepest state that it comes to; 0: it never sleeps.
    """

    first_ms: int
    first: int
    deepest: int


def chain(model: ssdpm.Model, algorithm: str) -> Chain:
    table = ssdpm.apst(model, algorithm=algorithm, quirks=())
    targets = {entry.state: entry for entry in table.entries}
    steps = []
    state = 0
    while state in targets and targets[state].target > state:
        steps.append(targets[state])
        state = targets[state].target
    if not steps:
        return Chain(0, 0, 0)
    return Chain(steps[0].idle_ms, steps[0].target, state)


def effects(old: Chain, new: Chain) -> list[str]:
    """All that the new table does to a drive."""
    if not old.deepest:
        return ["sleep only now" if new.deepest else "never sleep, old or new"]
    if not new.deepest:
        return ["lose all their states"]
    found = []
    if new.first_ms != old.first_ms:
        found.append("sleep " + ("sooner" if new.first_ms < old.first_ms else "later"))
    if new.first > old.first:
        found.append("sleep deeper at once")
    if new.deepest < old.deepest:
        found.append("lose their deepest state")
    return found or ["stay as before"]


EFFECTS = (
    "sleep sooner",
    "sleep later",
    "sleep deeper at once",
    "lose their deepest state",
    "lose all their states",
    "sleep only now",
    "never sleep, old or new",
    "stay as before",
)


def report() -> Report:
    catalogue = ssdpm.Catalogue()
    products: dict[int, list[int]] = {}
    for index, row in enumerate(catalogue):
        products.setdefault(row.table, []).append(index)
    counts = {effect: [0, 0] for effect in EFFECTS}
    n_tables = n_products = 0
    first_ms = {"linux-legacy": 0, "linux": 0}
    for rows in products.values():
        model = catalogue.model(rows[0])
        if model.kind != "nvme" or all(s.operational for s in model.power_states):
            continue
        n_tables += 1
        n_products += len(rows)
        old, new = (chain(model, algorithm) for algorithm in first_ms)
        for algorithm, one in zip(first_ms, (old, new)):
            first_ms[algorithm] = max(first_ms[algorithm], one.first_ms)
        for effect in effects(old, new):
            counts[effect][0] += 1
            counts[effect][1] += len(rows)
    said = ", ".join(f"{n} {word}" for word, (n, _) in counts.items() if n)
    longest, longest_now = first_ms.values()
    return Report(
        "A. Bogoslavsky, nvme: extend and modify the APST configuration algorithm, "
        "Linux 5.14: its tables, simulated",
        INPUTS,
        [
            Claim(
                "old rule",
                "commit ebd8a93aa4f5, message: why",
                PUBLISHED,
                "very long idle times on drives that declare long latencies",
                said=f"up to {longest} ms before the first state -> up to "
                f"{longest_now} ms",
                why="no number says what very long is",
            ),
            Claim(
                "old and new table",
                "commit ebd8a93aa4f5, message: how it was tested",
                PUBLISHED,
                "simulated over many devices",
                said=f"{n_tables} tables: {said}",
                why="the patch gives no counts",
            ),
        ],
        ("effect", "tables", "products"),
        [
            ("all", str(n_tables), str(n_products)),
            *((effect, str(a), str(b)) for effect, (a, b) in counts.items()),
        ],
    )


if __name__ == "__main__":
    main(report)
