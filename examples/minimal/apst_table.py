# SPDX-License-Identifier: MIT
"""The APST table that Linux would make for a drive: from which state, after how
much idle time, to which one.

The argument is a file with one drive: what "nvme id-ctrl --raw-binary" writes, or
ssdpm's JSON.
"""

import sys

import ssdpm

MAX_EXIT_LATENCY_US = 100_000


def main(path: str) -> None:
    model = ssdpm.Model(path)
    # With the quirks that Linux has for such a drive.
    table = ssdpm.apst(model, max_exit_latency_us=MAX_EXIT_LATENCY_US)
    print(model.product or "")
    for entry in table.entries:
        print(f"PS{entry.state} -> PS{entry.target} after {entry.idle_ms} ms idle")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: apst_table.py FILE")
    main(sys.argv[1])
