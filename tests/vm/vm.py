# SPDX-License-Identifier: MIT
"""Virtual machines: one initramfs, one boot, its results.

A guest runs a shell script as its first process. What `run NAME COMMAND...`
does in it comes back: output, errors, status. So does whatever else the script
leaves in /result, as a tar archive on the second serial port.
"""

from __future__ import annotations

import functools
import io
import json
import lzma
import os
import pathlib
import re
import shutil
import stat
import subprocess
import time
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
BUILD = TOP / os.environ.get("SSDPM_BUILD", "build")
CACHE = (
    pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    / "ssdpm-vm"
)
SSDPM = BUILD / "examples/ssdpm/ssdpm"
BUSYBOX = pathlib.Path("/bin/busybox")

# What the library opens by itself, which ldd does not see.
OPENED = ("libnvme.so.1", "libatasmart.so.4")


def releases() -> list[str]:
    """The kernels that setup has unpacked, oldest first."""
    return (CACHE / "kernels").read_text().split()


def version(release: str) -> tuple[int, ...]:
    """("6.12.95+deb12-amd64") -> (6, 12, 95)"""
    return tuple(int(n) for n in re.findall(r"\d+", release)[:3])


class Kernel:
    def __init__(self, release: str) -> None:
        self.release = release
        self.top = CACHE / f"kernel-{release}"
        self.image = self.top / f"boot/vmlinuz-{release}"
        self.modules = self.top / "lib/modules" / release
        self.needs: dict[str, tuple[str, list[str]]] = {}
        for line in (self.modules / "modules.dep").read_text().splitlines():
            path, needs = line.split(":")
            self.needs[name_of(path)] = (path, [name_of(p) for p in needs.split()])
        self.builtin = {
            name_of(path)
            for path in (self.modules / "modules.builtin").read_text().split()
        }

    def load_order(self, names: list[str]) -> list[str]:
        """Modules with all that they need, each after what it needs."""
        order: list[str] = []

        def add(name: str) -> None:
            if name in order or name in self.builtin:
                return
            for other in self.needs[name][1]:
                add(other)
            order.append(name)

        for name in names:
            add(name)
        return order

    def module(self, name: str) -> bytes:
        """A module as insmod of busybox takes it: unpacked."""
        path = self.modules / self.needs[name][0]
        data = path.read_bytes()
        return lzma.decompress(data) if path.suffix == ".xz" else data


def name_of(path: str) -> str:
    return pathlib.Path(path).name.split(".ko")[0].replace("-", "_")


@functools.cache
def libraries(program: pathlib.Path) -> tuple[pathlib.Path, ...]:
    text = subprocess.run(
        ["ldd", program], capture_output=True, text=True, check=False
    ).stdout
    return tuple(pathlib.Path(p) for p in re.findall(r"(?:=> |^\t)(/\S+)", text, re.M))


@functools.cache
def opened() -> tuple[pathlib.Path, ...]:
    text = subprocess.run(
        ["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True
    ).stdout
    return tuple(
        pathlib.Path(re.findall(rf"^\t{re.escape(name)} .*x86-64.*=> (\S+)", text, re.M)[0])
        for name in OPENED
    )


class Initramfs:
    """A cpio archive (newc), as the kernel's usr/Kconfig describes it."""

    def __init__(self) -> None:
        self.out = io.BytesIO()
        self.names: set[str] = {"."}

    def _add(self, name: str, mode: int, data: bytes) -> None:
        if name in self.names:
            return
        self.names.add(name)
        parent = os.path.dirname(name)
        if parent:
            self._add(parent, stat.S_IFDIR | 0o755, b"")
        self._record(name, mode, data)

    def _record(self, name: str, mode: int, data: bytes) -> None:
        fields = (len(self.names), mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0)
        head = b"070701" + b"".join(b"%08x" % f for f in fields)
        head += b"%08x%08x" % (len(name) + 1, 0) + name.encode() + b"\0"
        self.out.write(head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4))

    def file(self, name: str, data: bytes | str, mode: int = 0o644) -> None:
        if isinstance(data, str):
            data = data.encode()
        self._add(name.lstrip("/"), stat.S_IFREG | mode, data)

    def link(self, name: str, to: str) -> None:
        self._add(name.lstrip("/"), stat.S_IFLNK | 0o777, to.encode())

    def directory(self, name: str, mode: int = 0o755) -> None:
        self._add(name.lstrip("/"), stat.S_IFDIR | mode, b"")

    def library(self, path: pathlib.Path) -> None:
        """Where the loader looks without a cache of its own: one directory."""
        where = "lib64" if path.name.startswith("ld-linux") else "lib/x86_64-linux-gnu"
        self.file(f"{where}/{path.name}", path.read_bytes(), 0o755)
        for other in libraries(path):
            if f"lib/x86_64-linux-gnu/{other.name}" not in self.names:
                self.library(other)

    def program(self, path: pathlib.Path, name: str | None = None) -> None:
        self.file(name or f"bin/{path.name}", path.read_bytes(), 0o755)
        for library in libraries(path):
            self.library(library)

    def finish(self) -> bytes:
        self.names.add("TRAILER!!!")
        self._record("TRAILER!!!", 0, b"")
        return self.out.getvalue()


@functools.cache
def applets() -> tuple[str, ...]:
    return tuple(
        subprocess.run(
            [BUSYBOX, "--list"], capture_output=True, text=True, check=True
        ).stdout.split()
    )


def make_initramfs(
    kernel: Kernel,
    script: str,
    modules: list[str],
    files: dict[str, bytes | str],
    udev: bool,
) -> bytes:
    image = Initramfs()
    for directory in ("dev", "proc", "sys", "tmp", "run", "etc", "mnt", "result", "var/lib"):
        image.directory(directory)
    image.link("usr/bin", "../bin")
    image.link("usr/lib", "../lib")
    image.program(BUSYBOX)
    # Where our udev rules look for it.
    image.program(SSDPM, "usr/local/bin/ssdpm")
    image.link("bin/ssdpm", "../usr/local/bin/ssdpm")
    image.program(pathlib.Path("/usr/bin/setpriv"), "bin/as-user")
    for library in opened():
        image.library(library)
    if udev:
        top = CACHE / "udev"
        for path in sorted(top.rglob("*")):
            name = str(path.relative_to(top))
            if name.startswith(("lib/udev/", "usr/lib/udev/")) and path.is_file():
                if "/hwdb.d/" not in name:
                    image.file(name.removeprefix("usr/"), path.read_bytes(),
                               path.stat().st_mode & 0o777)
        image.program(top / "bin/udevadm")
        image.link("lib/systemd/systemd-udevd", "../../bin/udevadm")
    for name, data in files.items():
        image.file(name, data, 0o755 if data[:2] in (b"#!", "#!", b"\x7fE") else 0o644)
    for applet in applets():
        image.link(f"bin/{applet}", "busybox")
    image.link("sbin", "bin")
    order = kernel.load_order([m.replace("-", "_") for m in modules])
    for name in order:
        image.file(f"modules/{name}.ko", kernel.module(name))
    image.file("modules/order", "".join(f"{name}\n" for name in order))
    image.file("etc/passwd", "root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/:/bin/sh\n")
    image.file("etc/group", "root:x:0:\nuser:x:1000:\ndisk:x:6:\n")
    image.file("init", (HERE / "guest/init").read_bytes(), 0o755)
    image.file("lib.sh", (HERE / "guest/lib.sh").read_bytes())
    image.file("test.sh", script)
    return image.finish()


class Guest:
    """What a guest left behind."""

    def __init__(self, release: str, directory: pathlib.Path, seconds: float) -> None:
        self.release = release
        self.version = version(release)
        self.directory = directory
        self.result = directory / "result"
        self.seconds = seconds

    def read(self, name: str) -> str:
        return (self.result / name).read_text(errors="replace")

    def out(self, name: str) -> str:
        return self.read(f"{name}.out")

    def err(self, name: str) -> str:
        return self.read(f"{name}.err")

    def status(self, name: str) -> int:
        return int(self.read(f"{name}.status"))

    def ok(self, name: str) -> str:
        assert self.status(name) == 0, (name, self.out(name), self.err(name))
        return self.out(name)

    def json(self, name: str) -> Any:
        return json.loads(self.ok(name))

    def log(self, name: str) -> str:
        """What a device wrote, outside of the guest."""
        path = self.directory / name
        return path.read_text() if path.exists() else ""


def boot(
    name: str,
    release: str,
    script: str,
    modules: list[str],
    *,
    qemu: list[str] | None = None,
    files: dict[str, bytes | str] | None = None,
    host_files: dict[str, bytes] | None = None,
    environment: dict[str, str] | None = None,
    machine: str = "q35",
    cpu: str = "qemu64",  # "max" is slow: Linux 7.3 uses more of it
    append: str = "",
    icount: bool = False,
    udev: bool = False,
    limit: float = 240,
) -> Guest:
    """One guest from start to end; its directory is build/vm/NAME-RELEASE.

    files are the guest's, host_files that directory's, which is {dir} in the
    arguments of QEMU and in the environment.
    """
    directory = BUILD / "vm" / f"{name}-{release}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    for file, data in (host_files or {}).items():
        (directory / file).write_bytes(data)
    kernel = Kernel(release)
    initrd = directory / "initrd"
    initrd.write_bytes(make_initramfs(kernel, script, modules, files or {}, udev))
    command = [
        str(CACHE / "qemu/qemu"),
        *("-L", "/usr/share/seabios", "-L", "/usr/share/qemu"),
        *("-machine", f"{machine},accel=tcg", "-cpu", cpu, "-m", "512"),
        *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *("-kernel", str(kernel.image), "-initrd", str(initrd)),
        *("-append", f"console=ttyS0 panic=-1 quiet no_timer_check mitigations=off {append}"),
        *("-serial", f"file:{directory}/console"),
        *("-serial", f"file:{directory}/result.tar"),
        *("-device", "isa-debug-exit,iobase=0x501,iosize=4"),
        *(["-icount", "shift=0,sleep=off"] if icount else []),
        *(a.replace("{dir}", str(directory)) for a in qemu or []),
    ]
    start = time.monotonic()
    variables = {
        k: v.replace("{dir}", str(directory)) for k, v in (environment or {}).items()
    }
    with open(directory / "qemu.err", "wb") as errors:
        try:
            status = subprocess.run(
                command,
                env={**os.environ, **variables},
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                timeout=limit,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            status = -1
    seconds = time.monotonic() - start
    initrd.unlink()
    # The guest's own status 0, as isa-debug-exit gives it; QEMU's failure is 1.
    if status != 33:
        console = (directory / "console").read_text(errors="replace")
        raise RuntimeError(
            f"{name} on {release}: status {status} after {seconds:.0f} s\n"
            + (directory / "qemu.err").read_text()
            + "\n".join(console.splitlines()[-30:])
        )
    (directory / "result").mkdir()
    subprocess.run(
        ["tar", "-x", "-m", "-z", "-C", directory / "result", "-f", directory / "result.tar"],
        check=True,
    )
    return Guest(release, directory, seconds)
