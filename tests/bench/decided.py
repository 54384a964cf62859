# SPDX-License-Identifier: MIT
"""How many savings are decided: all NVMe drives of the catalogue, three workloads.

The default of Linux against states after 50 ms and 1 s, which was fixed before the
result was looked at. It prints how often each word is said; tests/statistics/likely-words
says how often a word is wrong where the truth is drawn from other spreads.

    PYTHONPATH=build/bindings/python tests/bench/decided.py
"""

from __future__ import annotations

import collections

import ssdpm

WORKLOADS = {
    "lomax": {"n_ios": 10_000},
    # An office: bursts of work, some seconds of thinking.
    "on-off": {"n_ios": 10_000, "mean_idle_ns": 4_000_000_000},
    # A server that does almost nothing.
    "poisson": {"n_ios": 2_000, "mean_idle_ns": 20_000_000_000},
}
WORDS = (
    "saves", "probably-saves", "too-small", "not-decided", "probably-costs", "costs",
)  # fmt: skip

OPEN = ("probably-saves", "not-decided", "probably-costs")


def main() -> None:
    catalogue = ssdpm.Catalogue()
    models = (catalogue.model(i) for i in range(len(catalogue)))
    drives = [model for model in models if model.kind == "nvme"]
    print(f"{len(drives)} NVMe drives of the catalogue, linux against 50 ms and 1 s")
    print(f"{'workload':10}", *(f"{word:>14}" for word in (*WORDS, "the same")))
    for workload, numbers in WORKLOADS.items():
        trace = ssdpm.generate(workload, **numbers)
        counts: collections.Counter[str] = collections.Counter()
        deciders: collections.Counter[str | None] = collections.Counter()
        for model in drives:
            table = ssdpm.apst(
                model, primary_timeout_ms=50, secondary_timeout_ms=1000
            )
            compared = ssdpm.compare(model, trace, {"linux": "linux", "sooner": table})
            likely = compared["sooner"].likely
            counts["the same" if likely is None else likely.verdict] += 1
            if likely is not None and likely.verdict in OPEN:
                deciders[likely.decider_kind] += 1
        print(f"{workload:10}", *(f"{counts[word]:14}" for word in (*WORDS, "the same")))
        print(
            "  what is open depends most on:",
            ", ".join(f"{kind} {n}" for kind, n in deciders.most_common()),
        )


if __name__ == "__main__":
    main()
