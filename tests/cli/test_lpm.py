# SPDX-License-Identifier: MIT
"""ssdpm lpm: link policies of SATA ports."""

from __future__ import annotations

import pathlib
import shutil
from collections.abc import Callable

import pytest
import machines
from command import Command

Make = Callable[[str], pathlib.Path]


def policy(root: pathlib.Path, host: str) -> str:
    path = f"sys/class/scsi_host/{host}/link_power_management_policy"
    return (root / path).read_text().strip()


def test_each_port_has_a_line_with_its_reason(ssdpm: Command, machine: Make) -> None:
    ports = ssdpm.json("lpm", "--root", str(machine("external-ports")))
    assert [port["name"] for port in ports] == ["sda", "sdb", "sdc", None]
    assert ports[0]["lpm"] == "med_power_with_dipm"
    assert ports[0]["lpm_supported"] is True and ports[0]["reason"] is None
    assert ports[1]["lpm_supported"] is False and ports[1]["reason"]
    root = ssdpm.directory / "machines/external-ports"
    ssdpm.wide = False
    lines = ssdpm.output("lpm", "--root", str(root)).splitlines()
    assert lines[0].split() == ["host", "disk", "policy", "supported"]
    assert not lines[5] and lines[6].startswith("  sdb: ")
    assert all(len(line) <= 80 for line in lines)
    assert lines[2].split()[:4] == ["host1", "sdb", "max_performance", "no"]


def test_a_reason_is_the_first_of_show_with_what_to_do(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("external-ports"))
    ports = ssdpm.json("lpm", "--root", root)
    shown = ssdpm.json("show", "--root", root)
    assert ports[0]["advice"] is None and ports[3]["advice"] is None
    text = " ".join(ssdpm.output("lpm", "--root", root).split())
    for i, name in ((1, "sdb"), (2, "sdc")):
        first = next(d for d in shown[i]["diagnosis"][1:] if d["severity"] == "problem")
        assert ports[i]["reason"] == first["message"]
        assert ports[i]["advice"] == first["advice"]
        assert "ahci.mask_port_ext=0000:00:17.0=0x" in first["advice"]
        assert f" {name}: {first['message']} {first['advice']}" in text


def test_other_programs_that_set_links_are_named(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    (root / "etc/tlp.conf").write_text(
        "SATA_LINKPWR_ON_AC=max_performance\nAHCI_RUNTIME_PM_ON_AC=auto\n"
    )
    text = ssdpm.output("lpm", "--root", str(root), "sda")
    assert text.endswith(
        "\n\n  also set by     tlp: /etc/tlp.conf:1: SATA_LINKPWR_ON_AC=max_performance\n"
        "                  tuned: /usr/lib/tuned/powersave/tuned.conf:5: "
        "alpm=med_power_with_dipm\n"
    )
    server = ssdpm.output("lpm", "--root", str(machine("server")))
    assert "link_power_management_policy" in server.split("also set by")[1]
    assert "pm_qos" not in server


def test_a_policy_that_this_version_does_not_know_is_shown_as_unknown(
    ssdpm: Command, desktop: pathlib.Path
) -> None:
    host = "sys/class/scsi_host/host0/link_power_management_policy"
    (desktop / host).write_text("deepest_power\n")
    at = ("--root", str(desktop))
    port = ssdpm.json("lpm", *at, "sda")
    assert (port["lpm"], port["lpm_word"]) == (None, "deepest_power")
    assert ssdpm.output("lpm", *at, "sda").splitlines()[1].split()[2] == "deepest_power"
    device = ssdpm.json("show", *at, "sda")
    assert (device["lpm"], device["lpm_word"]) == (None, "deepest_power")
    assert device["reach"] == "yes" and device["verdict"] == "not-known"
    text = ssdpm.output("show", *at, "sda")
    assert "the policy of its link is deepest_power, which this version" in text
    assert "no link power" not in text and "has no LPM" not in text
    assert "deepest_power" in ssdpm.output("list", *at)
    # It could not be restored: nothing is written over it.
    message = ssdpm.fails(3, "lpm", *at, "--set", "max_performance", "sda")
    assert "sda: the policy of its port is deepest_power, which" in message
    plan = ssdpm.output("plan", *at, "--profile", "power-saver")
    assert "deepest_power" in plan
    assert (desktop / host).read_text() == "deepest_power\n"


@pytest.mark.parametrize(
    "command",
    [
        ("plan", "--lpm", "min_power"),
        ("apply", "--lpm", "min_power"),
        ("apply", "-n", "--lpm", "min_power"),
        ("lpm", "--set", "min_power"),
        ("lpm", "-n", "--set", "min_power"),
    ],
)
def test_a_policy_that_has_lost_data_is_set_with_a_warning(
    ssdpm: Command, desktop: pathlib.Path, command: tuple[str, ...]
) -> None:
    arguments = (*command, "--root", str(desktop), "sda")
    result = ssdpm(*arguments)
    assert result.returncode == 0
    warning = "min_power has lost data on some drives; the default of Linux is"
    assert f"ssdpm: sda: warning: {warning}" in result.stderr.decode()
    assert warning.encode() not in ssdpm(*arguments, "-q").stderr
    steps = ssdpm.json(*arguments)["steps"]
    assert [warning in step["warning"] for step in steps] == [True]
    # What show says of it is what the setters say.
    shown = ssdpm.json("show", "--root", str(desktop), "sda")
    if command[0] != "plan" and "-n" not in command:
        assert steps[0]["warning"] in [d["message"] for d in shown["diagnosis"]]
    other = ("plan", "--root", str(desktop), "--lpm", "med_power_with_dipm", "sda")
    assert b"warning" not in ssdpm(*other).stderr
    assert ssdpm.json(*other)["steps"][0]["warning"] is None


def test_a_policy_that_has_lost_data_is_named_where_it_is_set(
    ssdpm: Command, desktop: pathlib.Path
) -> None:
    text = ssdpm.output("lpm", "--root", str(desktop))
    assert "\n  sdb: min_power has lost data on some drives; " in text
    assert f"ssdpm lpm --root {desktop} --set med_power_with_dipm sdb" in text
    first = ssdpm.output("--root", str(desktop)).split("why it is so")[0]
    assert first.split()[-1] == "sdb"


def test_a_hot_plug_port_is_named_even_if_nothing_is_on_it(
    ssdpm: Command, machine: Make
) -> None:
    said = ssdpm.output("lpm", "--root", str(machine("eight-drives")))
    words = "host4: port is external (PxCMD.HPCP: hot-plug): with LPM, plugging in is"
    assert words in " ".join(said.split())


def test_a_hot_plug_port_is_set_with_a_warning(ssdpm: Command, machine: Make) -> None:
    root = machine("external-ports")
    (root / "proc/sys/kernel/osrelease").write_text("6.1.0\n")
    for path in root.glob("sys/class/scsi_host/*/link_power_management_supported"):
        path.unlink()
    at = ("--root", str(root))
    for policy, warns in (("med_power_with_dipm", True), ("max_performance", False)):
        for name in ("sdb", "sdc"):
            result = ssdpm("lpm", *at, "-n", "--set", policy, name)
            assert result.returncode == 0, result.stderr
            words = f"ssdpm: {name}: warning: port is external (PxCMD"
            assert (words in result.stderr.decode()) is warns
            assert (b"plugging in is not noticed" in result.stderr) is warns


def test_a_disk_that_is_out_of_reach_has_no_host(ssdpm: Command, machine: Make) -> None:
    root = str(machine("server"))
    lines = ssdpm.output("lpm", "--root", root).splitlines()
    assert lines[2].split() == ["-", "sda", "-", "-"]
    assert any(line.startswith("  sda: out of reach") for line in lines)
    ports = ssdpm.json("lpm", "--root", root)
    assert [port["host"] for port in ports] == [3, None, None]
    assert ports[2]["reason"].startswith("out of reach: behind a USB bridge")


def test_what_the_firmware_set_comes_with_what_to_do(
    ssdpm: Command, desktop: pathlib.Path
) -> None:
    host = "sys/class/scsi_host/host0/link_power_management_policy"
    (desktop / host).write_text("keep_firmware_settings\n")
    (desktop / "proc/sys/kernel/osrelease").write_text("7.3.4\n")
    port = ssdpm.json("lpm", "--root", str(desktop), "sda")
    assert port["reason"].startswith("keep_firmware_settings: ")
    call = f"ssdpm lpm --root {desktop} --set med_power_with_dipm sda"
    assert port["advice"].startswith(call)


def test_a_kernel_that_does_not_say_has_a_dash(ssdpm: Command, machine: Make) -> None:
    root = str(machine("old-5.10"))
    assert ssdpm.json("lpm", "--root", root)["lpm_supported"] is None
    assert ssdpm.output("lpm", "--root", root).splitlines()[1].split()[-1] == "-"


def test_a_target_is_a_disk_or_a_port(ssdpm: Command, machine: Make) -> None:
    root = str(machine("desktop-6.1"))
    for target in ("sda", "/dev/sda", "host0"):
        assert ssdpm.json("lpm", "--root", root, target)["name"] == "sda"
    assert "nvme0" in ssdpm.fails(3, "lpm", "--root", root, "nvme0")
    assert "sdq" in ssdpm.fails(1, "lpm", "--root", root, "sdq")


def test_a_machine_without_ports_is_no_failure(ssdpm: Command, machine: Make) -> None:
    result = ssdpm("lpm", "--root", str(machine("laptop")))
    assert result.returncode == 0 and result.stdout == b""
    assert b"no SATA port" in result.stderr


def test_the_first_policy_that_the_port_takes_is_set(
    ssdpm: Command, desktop: pathlib.Path
) -> None:
    call = ["lpm", "--root", str(desktop), "--set", "med_power_with_dipm,medium_power"]
    plan = ssdpm.json(*call, "sda")
    assert [step["state"] for step in plan["steps"]] == ["done"]
    assert plan["in_force"] is True
    assert policy(desktop, "host0") == "med_power_with_dipm"
    assert policy(desktop, "host1") == "min_power"
    again = ssdpm.json(*call, "sda")
    assert [step["state"] for step in again["steps"]] == ["in-force"]


def test_a_policy_that_the_registers_do_not_show_is_not_in_force(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("eight-drives")
    command = root / "sys/class/scsi_host/host1/ahci_port_cmd"
    at, lpm = ("--root", str(root)), "med_power_with_dipm"
    assert ssdpm("check", *at, "--lpm", lpm).returncode == 0
    command.write_text("c017\n")  # ALPE is clear
    text = ssdpm("check", *at, "--lpm", lpm)
    assert text.returncode == 5
    assert b"sdb: link policy med_power_with_dipm -> " in text.stdout
    assert b"the port reads so, but PxCMD 0000c017 does not show it" in text.stdout
    # A capture keeps its registers: they tell nothing of what was written since.
    for state in ("done", "in-force"):
        plan = ssdpm.json("lpm", *at, "--set", lpm, "sdb")
        assert [step["state"] for step in plan["steps"]] == [state]
    assert ssdpm("check", *at, "--lpm", lpm).returncode == 0


def test_a_port_that_is_named_is_set_even_if_nothing_is_on_it(
    ssdpm: Command, desktop: pathlib.Path
) -> None:
    ssdpm.output("lpm", "--root", str(desktop), "--set", "medium_power", "host2")
    assert policy(desktop, "host2") == "medium_power"


def test_dry_run_writes_nothing(ssdpm: Command, desktop: pathlib.Path) -> None:
    call = ["lpm", "--root", str(desktop), "-n", "--set", "medium_power", "sda"]
    assert "(planned)" in ssdpm.output(*call)
    assert policy(desktop, "host0") == "max_performance"
    assert not (desktop / "run").exists()


def test_a_port_that_the_kernel_refuses_is_status_3(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("external-ports")
    call = ["lpm", "--root", str(root), "--set", "med_power_with_dipm", "sdb"]
    assert "sdb" in ssdpm.fails(3, *call)
    assert policy(root, "host1") == "max_performance"


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--set", "min_power_with_dipm", "sda"], "unknown --set 'min_power_with_dipm'; "),
        (["--set", "", "sda"], "med_power_with_dipm"),
        (["--set", "min_power,", "sda"], "unknown --set 'min_power,'; "),
        (["--set", "keep_firmware_settings", "sda"], "but a boot"),
        (["--set", "min_power"], "--set needs the names of ports"),
        (["--dry-run"], "--dry-run requires --set"),
    ],
)
def test_wrong_usage_is_status_2(
    ssdpm: Command, machine: Make, arguments: list[str], words: str
) -> None:
    root = str(machine("desktop-6.1"))
    assert words in ssdpm.fails(2, "lpm", "--root", root, *arguments)


def test_a_quiet_run_that_goes_well_prints_no_line(
    ssdpm: Command, machine: Make
) -> None:
    call = ["lpm", "-q", "--root", str(machine("desktop-6.1")), "sda"]
    for policy in ("min_power", "min_power", "medium_power"):
        result = ssdpm(*call, "--set", policy)
        assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
    assert ssdpm("lpm", "-q", "-n", *call[2:], "--set", "min_power").stdout
    assert ssdpm.json(*call, "--set", "min_power")["in_force"] is True


def put_behind_multiplier(root: pathlib.Path) -> None:
    """Two disks on one port: sda must not have a policy, and sdb may."""
    fake = machines.Machine(machines.KERNEL_7)
    fake.ahci("0000:00:17.0", [machines.Port(machines.MX100, "max_performance")])
    port = "sys/devices/pci0000:00/0000:00:17.0/ata1"
    for channel, disk in enumerate((machines.MX100, machines.MX500)):
        device = f"{port}/link1.{channel}/dev1.{channel}.0/ata_device/dev1.{channel}.0"
        fake.file(f"{device}/class", "ata")
        fake.file(f"{device}/id", disk.hex_words(channel))
        fake.link(f"sys/class/ata_device/dev1.{channel}.0", device)
    fake.write(root)
    shutil.rmtree(root / port / "link1")
    scsi = root / port / "host0/target0:1:0/0:1:0:0"
    shutil.copytree(root / port / "host0/target0:0:0/0:0:0:0", scsi, symlinks=True)
    (scsi / "block/sda").rename(scsi / "block/sdb")
    (scsi / "block/sdb/device").unlink()
    (scsi / "block/sdb/device").symlink_to("../..")
    (scsi / "model").write_text("CT1000MX500SSD1\n")
    (root / "sys/block/sdb").symlink_to(
        pathlib.Path("..", (scsi / "block/sdb").relative_to(root / "sys"))
    )


@pytest.mark.parametrize("name", ["sda", "sdb"])
@pytest.mark.parametrize(
    "call", [["plan", "--lpm"], ["apply", "--lpm"], ["lpm", "--set"]], ids="-".join
)
def test_a_disk_is_refused_if_another_one_on_its_port_forbids_it(
    ssdpm: Command, call: list[str], name: str
) -> None:
    put_behind_multiplier(ssdpm.directory / "two")
    call = [*call, "med_power_with_dipm", "--root", "two"]
    message = ssdpm.fails(3, *call, name)
    assert "sda: the quirk no-lpm forbids it" in message
    assert policy(ssdpm.directory / "two", "host0") == "max_performance"
