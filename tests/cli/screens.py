# SPDX-License-Identifier: MIT
"""ssdpm watch in a terminal of its own, and the screen that it shows."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time
from typing import Any, Callable

import pyte
from command import preloaded
from test_watch_live import INSIDE, MACHINE, Watched

END_S = 60.0


def begin_session() -> None:
    """As a login shell does; jobs of a shell's background ignore some signals."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Terminal:
    """Runs a call; what it writes is drawn by a terminal that is not ours."""

    def __init__(
        self, watched: Watched, *arguments: str, rows: int = 24, columns: int = 80, **more: str
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.fd, self.other = os.openpty()
        self.before = termios.tcgetattr(self.other)
        self.set_size(rows, columns)
        program = str(watched.ssdpm.directory / "bin/ssdpm")
        inside = ["unshare", "-m", "bash", "-ec", INSIDE, str(watched.root), preloaded(MACHINE)]
        environment = {**watched.environment, "TERM": "xterm-256color", **more}
        self.process = subprocess.Popen(
            [*inside, program, "watch", *arguments],
            cwd=watched.ssdpm.directory,
            env=environment,
            stdin=self.other,
            stdout=self.other,
            stderr=self.other,
            start_new_session=True,
            # Python ignores SIGXFSZ, and so does the command then.
            restore_signals=False,
            preexec_fn=begin_session,
        )

    def set_size(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))

    def resize(self, rows: int, columns: int) -> None:
        self.screen.resize(rows, columns)
        self.raw = b""
        self.set_size(rows, columns)

    def press(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def read(self, wait_s: float) -> bool:
        """What is there; false: nobody has the terminal open any more."""
        if not select.select([self.fd], [], [], wait_s)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError as error:
            assert error.errno == errno.EIO
            return False
        self.raw += data
        self.stream.feed(data)
        return bool(data)

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def wait(self, pattern: str) -> re.Match[str]:
        """Until the pattern is on the screen."""
        return self.until(lambda: re.search(pattern, self.text, re.M), pattern)

    def until(self, look: Callable[[], Any], what: str = "it") -> Any:
        end = time.monotonic() + END_S
        while not (found := look()):
            assert time.monotonic() < end, f"no {what!r} in\n{self.text}"
            assert self.read(0.1), f"it ended before {what!r}:\n{self.text}"
        return found

    def row(self, name: str) -> int:
        """The line that begins so."""
        return next(i for i, line in enumerate(self.lines) if line.startswith(name))

    def frame(self) -> list[tuple[int, str]]:
        """The latest frame that is whole: the lines with their numbers."""
        frames = self.raw.rsplit(b"\033[1;1H", 2)
        assert len(frames) > 2, "two frames are needed"
        whole = b"\033[1;1H" + frames[1]
        lines = re.findall(rb"\033\[(\d+);1H(.*?)(?=\033\[\d+;1H|$)", whole, re.S)
        escape = re.compile(rb"\033\[[\d;?]*[A-Za-z]")
        return [(int(number), escape.sub(b"", line).decode()) for number, line in lines]

    def fills(self, rows: int, columns: int) -> bool:
        """Whether the latest frame has all lines, and none that is too long."""
        if self.raw.count(b"\033[1;1H") < 2:
            return False
        frame = self.frame()
        numbers = [number for number, _ in frame]
        widest = max(len(line) for _, line in frame)
        return numbers == list(range(1, rows + 1)) and widest == columns

    def is_own(self) -> bool:
        """Whether the command has the terminal for itself."""
        shown = max(self.raw.rfind(b"\033[?1049h"), 0)
        return self.raw.rfind(b"\033[?1049l") < shown

    def is_as_before(self) -> bool:
        modes = b"\033[?25h" in self.raw and b"\033[?7h" in self.raw
        return modes and not self.is_own() and termios.tcgetattr(self.other) == self.before

    def ends(self) -> int:
        """Its exit status; the terminal must be as it was before."""
        end = time.monotonic() + END_S
        while self.process.poll() is None:
            assert time.monotonic() < end, self.text
            self.read(0.05)
        while select.select([self.fd], [], [], 0)[0] and self.read(0):
            pass
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait()
        for fd in (self.fd, self.other):
            if fd >= 0:
                os.close(fd)
