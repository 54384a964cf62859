# SPDX-License-Identifier: MIT
"""The table of the README: of each source, what matters most. Prints Markdown.

usage: summary.py [DIRECTORY]

With the directory that powersensor3.py reads, its rows and those of sustained_write.py
follow.
"""

from __future__ import annotations

import sys
from pathlib import Path

import apst_catalogue
import apst_patch
import consistency
import lower_envelope
import p3700_caps
import powersensor3
import readers_watts
import sata_survey
import stornvme
import sustained_write
import uflip
import write_amplification
from report import REPRODUCED, Report

# What each source is called, and the claims that the table has.
SOURCES = (
    (
        "Linux 5.14, APST patch",
        apst_patch.report,
        (
            "all, workflow 1",
            "SN530, power",
            "SN530, workflow 7, new",
            "760p, workflow 7, new",
            "760p, workflow 7, new, measured latencies",
            "PM991, power",
            "BC511, tables",
            "KBG40, power",
            "760p and PM991, background work",
        ),
    ),
    ("its tables, simulated", apst_catalogue.report, ("old and new table",)),
    ("Microsoft, StorNVMe", stornvme.report, ("battery", "Modern Standby")),
    (
        "theory of idle times",
        lower_envelope.report,
        (
            "both, in ssdpm's table",
            "ALG = OPT + beta",
            "exponential, J(10 ms)",
            "Lomax, a 3, m 30 ms",
            "deterministic",
        ),
    ),
    (
        "uFLIP, 2010",
        uflip.report,
        (
            "X25-E 64 GB, 3 times",
            "Memoright, 3 times",
            "all, always too high",
            "all, idle",
            "Memoright, sequential against random writes",
        ),
    ),
    (
        "SATA link power, survey",
        sata_survey.report,
        ("MX500, fio", "M550, fio", "laptop, power"),
    ),
    (
        "write amplification, papers",
        write_amplification.report,
        (
            "rho 0.3, FIFO",
            "rho 0.3, Agarwal",
            "rho 0.3, simulated",
            "all formulas",
            "simulated against formulas",
            "spare 0.07 to 0.25",
            "25 % spare with parity",
        ),
    ),
    (
        "AnandTech, M500 review, 2013",
        consistency.report,
        ("shape", "840 Pro, 25 % spare", "M500, 25 % spare", "M500 960 GB, floor"),
    ),
    ("its readers, watts", readers_watts.report, ("840 Pro 256 GB", "WD Black 750 GB")),
    (
        "Intel, P3700 2 TB, power states",
        p3700_caps.report,
        (
            "sequential writes, 10 W",
            "sequential writes, 20 W",
            "sequential writes, best line",
            "sequential reads",
            "4 KiB random writes, 20 and 10 W",
        ),
    ),
)
MEASURED = (
    "reads",
    "random writes, onset",
    "random writes, power",
    "random writes, energy per GiB",
)
SIMULATED = (
    "simulated, onset",
    "onset, spare as measured",
    "simulated, power and pace",
    "energy of a byte",
    "pace after it, means of 100 s",
    "390 to 590 s",
    "900 to 1199 s",
)


def rows(source: str, report: Report, abouts: tuple[str, ...]) -> list[str]:
    claims = {claim.about: claim for claim in report.claims}
    found = []
    for about in abouts:
        claim = claims[about]
        verdict = claim.verdict
        if verdict != REPRODUCED:
            verdict += f": {claim.why}"
        cells = (f"{about}: {claim.published}", claim.predicted, verdict)
        found.append(f"| {source} | " + " | ".join(cells) + " |")
        source = ""
    return found


def main() -> None:
    print("| source | published | ours | verdict |")
    print("|---|---|---|---|")
    for source, make, abouts in SOURCES:
        print("\n".join(rows(source, make(), abouts)))
    if len(sys.argv) > 1:
        directory = Path(sys.argv[1])
        report = powersensor3.report(directory)
        print("\n".join(rows("PowerSensor3, 2025", report, MEASURED)))
        report = sustained_write.report(directory)
        print("\n".join(rows("its writes, simulated", report, SIMULATED)))


if __name__ == "__main__":
    main()
