# SPDX-License-Identifier: MIT
"""A recording as ssdpm watch --save makes it: ten minutes of a desktop, invented."""

from __future__ import annotations

import pathlib

DRIVE, PARTITION = "259,0", "259,2"


class Recording:
    """Lines of Linux 6.12, in the order of time."""

    def __init__(self) -> None:
        self.lines: list[tuple[float, int, str]] = []
        self.sector = 2048

    def event(self, at: float, thread: str, text: str) -> None:
        name, pid = thread.rsplit("-", 1)
        line = f"{name:>16}-{pid:<7} [002] d..1. {at:.6f}: {text}"
        self.lines.append((at, len(self.lines), line))

    def io(self, at: float, thread: str, rwbs: str, sectors: int, took: float) -> None:
        """An I/O of a thread: queued, sent and completed."""
        place = f"{self.sector} + {sectors}"
        self.sector += 4096
        size = sectors * 512
        name = thread.rsplit("-", 1)[0]
        self.event(at, thread, f"block_bio_queue: {PARTITION} {rwbs} {place} [{name}]")
        self.event(
            at + 1e-5,
            thread,
            f"block_rq_issue: {DRIVE} {rwbs} {size} () {place} none,0,0 [{name}]",
        )
        done = f"block_rq_complete: {DRIVE} {rwbs} () {place} none,0,0 [0]"
        self.event(at + took, "<idle>-0", done)

    def turn_off(self, from_s: float, until_s: float, n_ios: int) -> None:
        """The trace is off for a while, as under load."""
        self.lines = [one for one in self.lines if not from_s <= one[0] < until_s]
        ns = [round(at * 1e9) for at in (from_s, until_s)]
        self.lines.append((until_s, -1, f"# gap: {DRIVE} {ns[0]} {ns[1]} {n_ios}"))

    def text(self) -> str:
        lines = [line for _, _, line in sorted(self.lines)]
        head = [f"# controller: {DRIVE} 0", f"# partition: {PARTITION} {DRIVE}"]
        return "\n".join([*head, *lines, ""])


def desktop(logs: bool = True) -> Recording:
    made = Recording()
    # A browser writes its state; the kernel writes that back, and its journal.
    for i in range(20):
        at = 10.0 + 30 * i
        for page in range(12):
            made.event(
                at + page / 100,
                "firefox-2104",
                f"writeback_dirty_folio: bdi 259:0: ino=77 index={page}",
            )
        for page in range(3):
            made.io(at + 5 + page / 1000, "kworker/u16:3-61", "W", 32, 0.0004)
        made.io(at + 5.1, "jbd2/nvme0n1p2--288", "WS", 16, 0.0006)
        made.io(at + 5.101, "jbd2/nvme0n1p2--288", "WFS", 8, 0.0012)
    # A logger that syncs, and a monitor that asks for the health.
    for i in range(60 if logs else 0):
        made.io(7.0 + 10 * i, "systemd-journal-311", "WS", 8, 0.0502)
    for i in range(10):
        made.event(
            33.0 + 60 * i,
            "smartctl-9001",
            "nvme_setup_cmd: nvme0: qid=0, cmdid=16, nsid=-1, flags=0x0, "
            "meta=0x0, cmd=(nvme_admin_get_log_page cdw10=02 00 7f 00)",
        )
    return made


def crowd(n: int) -> Recording:
    """So many processes, each of which wakes the drive; the first ones more often."""
    made = Recording()
    for i in range(n):
        for turn in range(n - i):
            made.io(5.0 + 20 * (n * turn + i), f"worker-{i}-{400 + i}", "R", 8, 0.0502)
    return made


def idle_monitor() -> Recording:
    """Someone asks a drive for its health that is awake all the time."""
    made = Recording()
    for i in range(600):
        made.io(10 + i / 10, "logger-7", "W", 8, 1e-4)
    asked = "nvme_setup_cmd: nvme0: qid=0, cmdid=16, nsid=-1, cmd=()"
    made.event(40.0, "smartctl-9", asked)
    return made


def write(directory: pathlib.Path) -> None:
    (directory / "trace.txt").write_text(desktop().text())
