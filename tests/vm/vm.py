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
import tempfile
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
PACKAGES = TOP / "build/packages"  # what tests/run unpacks
BUSYBOX = pathlib.Path("/bin/busybox")

# What the library opens by itself, which ldd does not see.
OPENED = ("libnvme.so.1", "libatasmart.so.4")


def listed(text: str) -> Any:
    """The item that --json lists; all of them, in a list, where it is not one."""
    answer = json.loads(text)
    (found,) = [value for key, value in answer.items() if key not in ("schema", "errors")]
    return found[0] if len(found) == 1 else found


def releases() -> list[str]:
    """The kernels that setup has unpacked, oldest first; with SSDPM_VM_KERNELS=newest
    the last one alone."""
    unpacked = (CACHE / "kernels").read_text().split()
    return unpacked[-1:] if os.environ.get("SSDPM_VM_KERNELS") == "newest" else unpacked


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

    def tree(self, names: list[str], top: pathlib.Path) -> None:
        """/lib/modules with these alone, for modprobe."""
        modules = top / "lib/modules" / self.release
        (modules / "kernel").mkdir(parents=True)
        for name in self.load_order(names):
            (modules / "kernel" / f"{name}.ko").write_bytes(self.module(name))
        for list_ in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
            shutil.copy(self.modules / list_, modules)
        subprocess.run(["/sbin/depmod", "-b", top, self.release], check=True)


def name_of(path: str) -> str:
    return pathlib.Path(path).name.split(".ko")[0].replace("-", "_")


@functools.cache
def libraries(program: pathlib.Path) -> tuple[pathlib.Path, ...]:
    own = PACKAGES / "usr/lib/x86_64-linux-gnu/systemd"
    text = subprocess.run(
        ["ldd", program],
        env={"LD_LIBRARY_PATH": str(own)},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert "not found" not in text, (program, text)
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

    def tree(self, top: pathlib.Path, into: str = "") -> None:
        """A directory with all that is in it."""
        for path in sorted(top.rglob("*")):
            name = f"{into}{path.relative_to(top)}"
            if path.is_symlink():
                self.link(name, os.readlink(path))
            elif path.is_file():
                self.file(name, path.read_bytes(), path.stat().st_mode & 0o777)

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


def add_tlp(image: Initramfs) -> None:
    image.file("bin/tlp", (PACKAGES / "usr/sbin/tlp").read_bytes(), 0o755)
    image.tree(PACKAGES / "usr/share/tlp", "usr/share/tlp/")
    image.file("etc/tlp.conf", (PACKAGES / "etc/tlp.conf").read_bytes())
    image.directory("etc/tlp.d")
    # It reads its configuration in Perl.
    perl = "lib/x86_64-linux-gnu/perl-base"
    for name in ("perl", "flock"):
        image.program(pathlib.Path("/usr/bin") / name)
    image.tree(pathlib.Path("/usr") / perl, f"{perl}/")


# What a system has before anything is installed; no journal, no D-Bus, no logind.
UNITS = """
basic.target final.target local-fs.target local-fs-pre.target multi-user.target
paths.target shutdown.target sleep.target slices.target sockets.target
suspend.target swap.target sysinit.target systemd-suspend.service
systemd-udev-settle.service systemd-udev-trigger.service systemd-udevd.service
systemd-udevd-control.socket systemd-udevd-kernel.socket timers.target umount.target
"""
WANTED = {
    "sockets.target": ["systemd-udevd-control.socket", "systemd-udevd-kernel.socket"],
    "sysinit.target": [
        *("systemd-udevd.service", "systemd-udev-trigger.service"),
        "systemd-udev-settle.service",
    ],
}


def add_systemd(image: Initramfs) -> None:
    for name in ("systemctl", "systemd-run"):
        image.program(PACKAGES / "usr/bin" / name)
    for name in ("systemd", "systemd-sleep"):
        image.program(PACKAGES / "usr/lib/systemd" / name, f"lib/systemd/{name}")
    image.program(pathlib.Path("/bin/kmod"))
    image.link("bin/modprobe", "kmod")
    units = "lib/systemd/system"
    for name in UNITS.split():
        image.file(f"{units}/{name}", (PACKAGES / "usr" / units / name).read_bytes())
    for target, names in WANTED.items():
        for name in names:
            image.link(f"{units}/{target}.wants/{name}", f"../{name}")
    image.link(f"{units}/default.target", "test.target")
    image.file(f"{units}/test.target", (HERE / "guest/test.target").read_bytes())
    image.file(f"{units}/test.service", (HERE / "guest/test.service").read_bytes())
    # Not each of several hundred: it takes as long as the rest of the boot.
    devices = ("acpi", "pci", "power_supply", "scsi", "block", "nvme")
    matches = " ".join(f"--subsystem-match={name}" for name in devices)
    image.file(
        f"{units}/systemd-udev-trigger.service.d/few.conf",
        f"[Service]\nExecStart=\nExecStart=udevadm trigger --action=add {matches}\n",
    )
    image.file("etc/machine-id", "0123456789abcdef0123456789abcdef\n")


def make_initramfs(
    kernel: Kernel,
    script: str,
    modules: list[str],
    files: dict[str, bytes | str],
    links: dict[str, str],
    udev: bool,
    systemd: bool,
    tlp: bool,
    programs: list[pathlib.Path],
    named: dict[pathlib.Path, str],
) -> bytes:
    image = Initramfs()
    for directory in ("dev", "proc", "sys", "tmp", "run", "etc", "mnt", "result", "var/lib"):
        image.directory(directory)
    image.link("usr/bin", "../bin")
    image.link("usr/lib", "../lib")
    image.program(BUSYBOX)
    # Where our udev rules look for it.
    image.program(SSDPM, "usr/local/bin/ssdpm")
    image.program(SSDPM.with_name("ssdpm-energy"), "usr/local/bin/ssdpm-energy")
    image.link("bin/ssdpm", "../usr/local/bin/ssdpm")
    image.program(pathlib.Path("/usr/bin/setpriv"), "bin/as-user")
    for library in opened():
        image.library(library)
    for program in programs:
        image.program(program)
    for program, name in named.items():
        image.program(program, name)
    if udev or systemd:
        image.tree(PACKAGES / "usr/lib/udev/rules.d", "lib/udev/rules.d/")
        for name in ("ata_id", "scsi_id"):
            image.program(PACKAGES / "usr/lib/udev" / name, f"lib/udev/{name}")
        image.program(PACKAGES / "usr/bin/udevadm")
        image.link("lib/systemd/systemd-udevd", "../../bin/udevadm")
    if systemd:
        add_systemd(image)
    if tlp:
        add_tlp(image)
    for name, data in files.items():
        image.file(name, data, 0o755 if data[:2] in (b"#!", "#!", b"\x7fE") else 0o644)
    for name, to in links.items():
        image.link(name, to)
    for applet in applets():
        image.link(f"bin/{applet}", "busybox")
    image.link("sbin", "bin")
    modules = [m.replace("-", "_") for m in modules]
    if systemd:
        # udev finds out which are needed.
        with tempfile.TemporaryDirectory() as top:
            kernel.tree(modules, pathlib.Path(top))
            image.tree(pathlib.Path(top))
    else:
        order = kernel.load_order(modules)
        for name in order:
            image.file(f"modules/{name}.ko", kernel.module(name))
        image.file("modules/order", "".join(f"{name}\n" for name in order))
    image.file("etc/passwd", "root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/:/bin/sh\n")
    image.file("etc/group", "root:x:0:\nuser:x:1000:\ndisk:x:6:\n")
    image.file("init", (HERE / "guest/init").read_bytes(), 0o755)
    image.file("end", (HERE / "guest/end").read_bytes(), 0o755)
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
        return listed(self.ok(name))

    def told(self, name: str) -> tuple[int, dict[str, set[str]]]:
        """The exit status that the JSON of an apply means, and the states of the
        steps of each device."""
        plan = listed(self.out(name))
        states: dict[str, set[str]] = {}
        for step in plan["steps"]:
            states.setdefault(step["device"], set()).add(step["state"])
        failed = {device for device, all_ in states.items() if "failed" in all_}
        if failed:
            held = {s for device in states.keys() - failed for s in states[device]}
            return (6 if held & {"done", "in-force"} else 1), states
        return (0 if plan["in_force"] else 5), states

    def log(self, name: str) -> str:
        """What a device wrote, outside of the guest."""
        path = self.directory / name
        return path.read_text() if path.exists() else ""


def run_qemu(
    command: list[str], directory: pathlib.Path, environment: dict[str, str], limit: float
) -> int:
    """The status of QEMU, whose words are added to qemu.err; -1: it took too long.

    In the environment {dir} is the directory.
    """
    variables = {k: v.replace("{dir}", str(directory)) for k, v in environment.items()}
    with open(directory / "qemu.err", "ab") as errors:
        try:
            return subprocess.run(
                command,
                env={**os.environ, **variables},
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                timeout=limit,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            return -1


def boot(
    name: str,
    release: str,
    script: str,
    modules: list[str],
    *,
    qemu: list[str] | None = None,
    files: dict[str, bytes | str] | None = None,
    links: dict[str, str] | None = None,
    host_files: dict[str, bytes] | None = None,
    environment: dict[str, str] | None = None,
    machine: str = "q35",
    cpu: str = "qemu64",  # "max" is slow: Linux 7.3 uses more of it
    append: str = "",
    icount: bool = False,
    udev: bool = False,
    systemd: bool = False,
    tlp: bool = False,
    programs: list[pathlib.Path] | None = None,
    named: dict[pathlib.Path, str] | None = None,
    limit: float = 600,
) -> Guest:
    """One guest from start to end; its directory is build/vm/NAME-RELEASE.

    With systemd, that is the first process, and modules are loaded by udev. files
    and symbolic links are the guest's, named its programs elsewhere than in /bin, host_files that directory's, which is {dir} in the
    arguments of QEMU and in the environment.
    """
    directory = BUILD / "vm" / f"{name}-{release}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    for file, data in (host_files or {}).items():
        (directory / file).write_bytes(data)
    kernel = Kernel(release)
    initrd = directory / "initrd"
    initrd.write_bytes(make_initramfs(kernel, script, modules, files or {}, links or {}, udev, systemd, tlp, programs or [], named or {}))
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
    status = run_qemu(command, directory, environment or {}, limit)
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
