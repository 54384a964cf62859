# SPDX-License-Identifier: MIT
"""A stage for the programs that read our files: a mount namespace with the sysfs
of a machine that does not exist, the programs of build/packages, and an /etc and
/run of its own. Nothing of the machine that runs the tests is changed.
"""

from __future__ import annotations

import os
import pathlib
import shlex
import subprocess
import sys

TREE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SSDPM_BUILD", "build")).resolve()
PACKAGES = TREE / "build" / "packages"
# Of Debian 13: tuned alone.
NEWER = TREE / "build" / "packages-trixie"
sys.path.insert(0, str(TREE / "tests" / "captures"))
import machines  # noqa: E402

# $1: what the stage is made of; the rest is the command.
SET_UP = """
set -eu
parts=$1
shift
mount -t tmpfs none /mnt
cp -a "$parts/etc" "$parts/usr" /mnt
mount -t overlay none -o "lowerdir=/mnt/usr:$USR:/usr" /usr
mount -t overlay none -o "lowerdir=/mnt/etc:$ETC:/etc" /etc
mount -t tmpfs none /run
mkdir /run/udev /mnt/dev
[ -z "$SYSTEMD" ] || mkdir -p /run/systemd/system
touch /mnt/dev/null
mount --bind /dev/null /mnt/dev/null
mount --rbind /mnt/dev /dev
mount --bind "$parts/sys" /sys
exec "$@"
"""


class Stage:
    """root is a capture, which files may be written to; run() goes on stage."""

    def __init__(self, folder: pathlib.Path, machine: str) -> None:
        assert (PACKAGES / "unpacked").exists(), "tests/run unpacks build/packages"
        self.root = folder / machine
        machines.write(machine, self.root)
        (self.root / "etc").mkdir()
        # What is called writes its arguments down.
        self.usr = self.root / "usr"
        (self.usr / "bin").mkdir(parents=True)
        self.calls = folder / "calls"
        self.calls.touch()
        command = self.usr / "bin" / "ssdpm"
        command.write_text(f'#!/bin/sh\necho "$*" >>{self.calls}\n')
        command.chmod(0o755)
        self.systemd = False
        self.packages = [PACKAGES]

    def persist(self, kind: str, profile: str = "auto") -> list[pathlib.Path]:
        """Write the files of this kind; return what there is in etc/."""
        program = BUILD / "tests" / "system" / "persist-files"
        subprocess.run([program, kind, profile, self.root], check=True)
        return sorted(p for p in (self.root / "etc").rglob("*") if p.is_file())

    def sysfs(self, path: str) -> pathlib.Path:
        return self.root / "sys" / path

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        unshare = ["unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c", SET_UP]
        environment = {
            "PATH": "/usr/sbin:/usr/bin",
            "USR": ":".join(f"{folder}/usr" for folder in self.packages),
            "ETC": ":".join(f"{folder}/etc" for folder in self.packages),
            "SYSTEMD": "yes" if self.systemd else "",
            "SYSTEMD_DEVICE_VERIFY_SYSFS": "0",
            "LC_ALL": "C",
        }
        result = subprocess.run(
            [*unshare, "stage", str(self.root), *command],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        assert result.returncode == 0, f"{shlex.join(command)}:\n{result.stdout}"
        return result

    def shell(self, script: str) -> str:
        return self.run("sh", "-euc", script).stdout
