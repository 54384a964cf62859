# SPDX-License-Identifier: MIT
"""A system bus of a test's own, ssdpmd on it, and those who say something there."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

from command import BUILD, TOP

SSDPMD = BUILD / "examples/ssdpmd/ssdpmd"
# What tests/run unpacks: systemd need not be installed.
PACKAGES = TOP / "build/packages/usr"
LIBRARIES = PACKAGES / "lib/x86_64-linux-gnu/systemd"
BUSCTL = """#!/bin/sh
LD_LIBRARY_PATH={folder} exec {folder}/busctl.program "$@"
"""
CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={socket}</listen>
  <policy context="default">
    <allow user="*"/><allow own="*"/>
    <allow send_type="method_call"/><allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/><allow receive_type="signal"/>
    <allow receive_type="method_return"/><allow receive_type="error"/>
  </policy>
</busconfig>
"""
MACHINE = ("org.ssdpm1", "/org/ssdpm1", "org.ssdpm1.Machine")
DESKTOPS = {
    "net.hadess.PowerProfiles": "/net/hadess/PowerProfiles",
    "org.freedesktop.UPower.PowerProfiles": "/org/freedesktop/UPower/PowerProfiles",
}
POLKIT = "org.freedesktop.PolicyKit1"
NOBODY = 65534


def wait_until(is_so: Callable[[], bool], what: str, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.1)


class Bus:
    """Started with the first call; close() ends all that was started on it."""

    def __init__(self, directory: pathlib.Path) -> None:
        # A socket has a short path, which everybody may go.
        directory.chmod(0o755)
        socket = directory / "bus"
        config = directory / "bus.conf"
        config.write_text(CONFIG.format(socket=socket))
        programs = directory / "bin"
        programs.mkdir()
        # Where everybody may go: the tree may be in the home of root.
        shutil.copy(PACKAGES / "bin/busctl", programs / "busctl.program")
        for library in LIBRARIES.glob("libsystemd-shared-*.so"):
            shutil.copy(library, programs)
        (programs / "busctl").write_text(BUSCTL.format(folder=programs))
        (programs / "busctl").chmod(0o755)
        self.environment = os.environ | {
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={socket}",
            "PATH": f"{programs}:{os.environ['PATH']}",
        }
        self.processes = [
            subprocess.Popen(["dbus-daemon", "--nofork", f"--config-file={config}"])
        ]
        wait_until(socket.exists, "a bus")

    def stop(self) -> None:
        """End what was started last."""
        process = self.processes.pop()
        process.terminate()
        process.wait()

    @contextlib.contextmanager
    def hung(self) -> Iterator[None]:
        """What was started last does not answer."""
        process = self.processes[-1]
        process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        while self.processes:
            self.stop()

    def start(self, *words: str | pathlib.Path, name: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(words, env=self.environment)
        self.processes.append(process)
        wait_until(lambda: self.has(name), f"{words[0]} as {name}")
        return process

    def service(self, root: pathlib.Path, *options: str) -> subprocess.Popen[bytes]:
        return self.start(SSDPMD, "--root", root, *options, name="org.ssdpm1")

    def mock(self, name: str, path: str, interface: str) -> None:
        self.start(
            "/usr/bin/python3", "-m", "dbusmock", "--system", name, path, interface,
            name=name,
        )  # fmt: skip

    def busctl(self, *words: str, user: int = 0) -> subprocess.CompletedProcess[str]:
        command = ["busctl", "--system", "--json=short", *words]
        if user:
            command[:0] = ["setpriv", f"--reuid={user}", "--clear-groups"]
        return subprocess.run(
            command, env=self.environment, text=True, capture_output=True
        )

    def has(self, name: str) -> bool:
        bus = "org.freedesktop.DBus"
        return (
            '"data":[true]'
            in self.busctl(
                "call", bus, "/org/freedesktop/DBus", bus, "NameHasOwner", "s", name
            ).stdout
        )

    def get(self, path: str, interface: str, name: str, user: int = 0) -> Any:
        result = self.busctl(
            "get-property", "org.ssdpm1", path, interface, name, user=user
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)["data"]

    def machine(self, name: str, user: int = 0) -> Any:
        return self.get(*MACHINE[1:], name, user)

    def drive(self, drive: str, name: str, user: int = 0) -> Any:
        return self.get(f"/org/ssdpm1/drive/{drive}", "org.ssdpm1.Drive", name, user)

    def call(
        self, *words: str, user: int = 0
    ) -> tuple[list[list[str]] | None, str]:
        """The steps that a method returns, or None and what is wrong."""
        result = self.busctl("call", *MACHINE, *words, user=user)
        if result.returncode:
            return None, result.stderr
        return json.loads(result.stdout)["data"][0], ""

    def emit(self, directed: bool, *words: str) -> None:
        """An ordinary user says it, to ssdpmd itself or to all."""
        to = ["--destination=org.ssdpm1"] if directed else []
        result = self.busctl("emit", *to, *words, user=NOBODY)
        assert result.returncode == 0, result.stderr

    # ---- others on the bus ----

    def desktop(self, name: str, profile: str) -> None:
        """power-profiles-daemon, under one of its names, has this profile."""
        path = DESKTOPS[name]
        if not self.has(name):
            self.mock(name, path, name)
            self.ok("AddProperty", name, path, "ssv", name, "ActiveProfile", "s", profile)
        self.ok(
            "UpdateProperties", name, path, "sa{sv}", name, "1", "ActiveProfile", "s",
            profile,
        )  # fmt: skip

    def polkit(self, answer: str) -> None:
        """polkit answers everybody so: Python of its reply."""
        path = "/org/freedesktop/PolicyKit1/Authority"
        self.mock(POLKIT, path, f"{POLKIT}.Authority")
        self.ok(
            "AddMethod", POLKIT, path, "sssss", f"{POLKIT}.Authority",
            "CheckAuthorization", "(sa{sv})sa{ss}us", "(bba{ss})", answer,
        )  # fmt: skip

    def ok(self, method: str, name: str, path: str, *words: str) -> None:
        mock = "org.freedesktop.DBus.Mock"
        result = self.busctl("call", name, path, mock, method, *words)
        assert result.returncode == 0, result.stderr
