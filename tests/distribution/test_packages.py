# SPDX-License-Identifier: MIT
"""Our packages on Debian as it is installed, with the desktop's service of power
profiles that it has: installed, kept over a boot and a sleep, and purged.

SSDPM_DISK: what the script disk has made; SSDPM_RELEASE: of its kernel.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "vm"))
import machine  # noqa: E402
import vm  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SERIALS = ["TWO", "DEEPEST", "HIPM", "DIPM"]
KINDS = ["systemd", "udev", "modprobe"]
BOOTS = ["installed", "kept", *KINDS]
# To find the root; all others are udev's. ext4 asks for the sum by its name.
FIRST = ["ahci", "sd_mod", "crc32c_generic", "ext4"]


def initramfs(kernel: vm.Kernel) -> bytes:
    image = vm.Initramfs()
    for directory in ("dev", "proc", "sys", "mnt"):
        image.directory(directory)
    image.program(vm.BUSYBOX)
    for applet in vm.applets():
        image.link(f"bin/{applet}", "busybox")
    there = {*kernel.needs, *kernel.builtin}
    order = kernel.load_order([name for name in FIRST if name in there])
    for name in order:
        image.file(f"modules/{name}.ko", kernel.module(name))
    image.file("modules/order", "".join(f"{name}\n" for name in order))
    image.file("init", (HERE / "guest/init").read_bytes(), 0o755)
    return image.finish()


@pytest.fixture(scope="module")
def guest() -> vm.Guest:
    """Some boots of one disk."""
    disk, release = os.environ["SSDPM_DISK"], os.environ["SSDPM_RELEASE"]
    kernel = vm.Kernel(release)
    directory = vm.BUILD / "vm" / f"distribution-{release}"
    subprocess.run(["rm", "-rf", directory], check=True)
    (directory / "result").mkdir(parents=True)
    qemu, files = machine.devices(SERIALS)
    files["power.aml"] = machine.acpi_table()
    files["initrd"] = initramfs(kernel)
    for name, data in files.items():
        (directory / name).write_bytes(data)
    root = f"driver=raw,file.driver=file,file.filename={disk},if=none,id=root"
    qemu += [
        *("-acpitable", "file={dir}/power.aml"),
        *("-drive", root),
        *("-device", "ide-hd,drive=root,bus=ide.5,model=ROOT"),
    ]
    command = [
        str(vm.CACHE / "qemu/qemu"),
        *("-L", "/usr/share/seabios", "-L", "/usr/share/qemu"),
        *("-machine", "q35,accel=tcg", "-cpu", "Skylake-Client", "-m", "1024"),
        *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *("-kernel", str(kernel.image), "-initrd", str(directory / "initrd")),
        *("-append", "console=ttyS0 panic=-1 quiet no_timer_check mitigations=off"),
        *("-serial", f"file:{directory}/console"),
        *("-serial", f"file:{directory}/result.tar"),
        *("-device", "isa-debug-exit,iobase=0x501,iosize=4"),
        *(each.replace("{dir}", str(directory)) for each in qemu),
    ]
    for boot in BOOTS:
        status = vm.run_qemu(command, directory, machine.ENVIRONMENT, 900)
        assert (directory / "console").exists(), (directory / "qemu.err").read_text()
        console = (directory / "console").read_text(errors="replace")
        assert "Kernel panic" not in console, (boot, console[:2000])
        # -1: it took too long. The console says how far it has come.
        tail = "\n".join(console.splitlines()[-30:])
        wanted = 33 if boot == BOOTS[-1] else 0
        assert status == wanted, f"{boot}: status {status}\n{tail}"
    subprocess.run(
        ["tar", "-x", "-m", "-z", "-C", directory / "result", "-f", directory / "result.tar"],
        check=True,
    )
    return vm.Guest(release, directory, 0)


def test_the_packages_are_installed_and_keep_what_is_asked_for(guest: vm.Guest) -> None:
    guest.ok("install")
    guest.ok("first")
    assert set(guest.ok("unit").split()) == {"ActiveState=active", "Result=success"}


def test_the_desktop_changes_the_table(guest: vm.Guest) -> None:
    """Within a second of a real processor; an emulated one is not held to it."""
    guest.ok("desktop")
    guest.ok("profile.power-saver")
    guest.ok("profile.balanced")
    profiles = [line.split() for line in guest.read("profiles").splitlines()]
    assert [p[:2] for p in profiles] == [["power-saver", "150000"], ["balanced", "120000"]]
    print(f"Linux {guest.release}: milliseconds: {[ms for *_, ms in profiles]}")


def test_it_is_kept_over_a_boot(guest: vm.Guest) -> None:
    guest.ok("second")
    assert guest.read("second.tolerance").strip() == "120000"
    assert guest.ok("active").strip() == "active"
    assert guest.ok("wanted").strip() == "enabled"


def test_everybody_reads_and_polkit_is_asked_before_a_write(guest: vm.Guest) -> None:
    assert guest.ok("property").split() == ["s", '"120000"']
    assert guest.status("write") != 0
    assert "org.ssdpm.apply" in guest.err("write")


def test_it_is_set_again_after_a_sleep(guest: vm.Guest) -> None:
    """As far as the kernel's test of suspend goes: all devices sleep and wake."""
    guest.ok("go_to_sleep")
    assert "suspend entry (s2idle)" in guest.read("kernel")
    assert "suspend debug: Waiting for 1 second" in guest.read("kernel")
    assert "suspend exit" in guest.read("kernel")
    guest.ok("resumed")
    assert guest.read("resumed.tolerance").strip() == "120000"


@pytest.mark.parametrize("kind", KINDS)
def test_files_of_each_kind_make_it_last(guest: vm.Guest, kind: str) -> None:
    guest.ok(f"persist.{kind}")
    guest.ok(kind)
    guest.ok(f"revert.{kind}")


def test_the_service_has_complained_of_nothing(guest: vm.Guest) -> None:
    assert len(guest.read("boots").split()) == len(BOOTS)
    lines = [line for line in guest.read("service").splitlines() if "ssdpmd[" in line]
    assert lines == []


def test_a_purge_leaves_nothing(guest: vm.Guest) -> None:
    guest.ok("keep")
    assert {"/etc/ssdpm.conf.d", "/run/ssdpm"} <= set(guest.read("with").split())
    guest.ok("purge")
    assert guest.read("before") == guest.read("after") == ""
