# SPDX-License-Identifier: MIT
"""Power caps: what a drive reaches that may draw only so much.

::

    writes = ssdpm.cap.Stream("write", nand_bytes_per_s=2e9, byte_pj=11080)
    drive = ssdpm.cap.Drive([writes], idle_uw=4_000_000)
    print(drive.at(10))                          # 542 MB/s
    drive.sweep(range(5, 26)).plot()             # throughput against watts
    drive.timeline([(60, None), (60, 20), (60, 10), (60, None)]).plot()

of a drive of this machine, and of a trace::

    drive, cap_w = ssdpm.cap.from_model(model, [ssdpm.cap.Stream("write")], state=2)
    print(ssdpm.cap.simulate(model, trace, cap_w, state=2))
    print(ssdpm.cap.simulate(model, trace, [(60, None), (60, 20), (60, 10)]))

ssdpm_caps(3) has the formula and tells how reliable it is.
"""

from __future__ import annotations

from ssdpm.cap.drive import (
    LIMITS,
    CapsLike,
    Curve,
    Drive,
    Result,
    Run,
    Timeline,
    from_model,
    simulate,
)
from ssdpm.cap.stream import Span, SpanLike, Stream
from ssdpm.wa import Nand

__all__ = [
    "LIMITS",
    "CapsLike",
    "Curve",
    "Drive",
    "Nand",
    "Result",
    "Run",
    "Span",
    "SpanLike",
    "Stream",
    "Timeline",
    "from_model",
    "simulate",
]
