# SPDX-License-Identifier: MIT
"""Adapters as QEMU has them, without link power management. AHCI: older kernels take
every policy and do nothing, newer ones refuse them all. ata_piix: its disk is named,
identified by libatasmart, and left alone."""

from __future__ import annotations

from typing import Any

import vm

SCRIPT = """
. /lib.sh
until_true test -b /dev/sdb
disk_of() {
	basename /sys/bus/pci/drivers/$1/0*/ata*/host*/target*/*/block/sd*
}
ahci=$(disk_of ahci)
piix=$(disk_of ata_piix)
echo "$ahci $piix" >/result/disks
run lpm ssdpm lpm --json
run show ssdpm show --json
run identify ssdpm show --json --identify $ahci
run set ssdpm lpm --set min_power --json $ahci
run check ssdpm check --lpm min_power $ahci
cat /sys/bus/pci/drivers/ahci/0*/ata*/host*/scsi_host/host*/ahci_port_cmd >/result/bits

run piix_identify ssdpm show --json --identify $piix
run_user piix_user ssdpm show --json $piix
run piix_set ssdpm lpm --set min_power $piix
run piix_apply ssdpm apply --json --profile power-saver $piix
"""


def boot(release: str) -> vm.Guest:
    null = "driver=null-co,size=64M,read-zeroes=on,if=none"
    return vm.boot(
        "stock",
        release,
        SCRIPT,
        ["ahci", "ata_piix", "sd_mod", "sg"],
        machine="pc",
        qemu=[
            *("-device", "ich9-ahci,id=ahci"),
            *("-drive", f"{null},id=s0"),
            *("-device", "ide-hd,drive=s0,bus=ahci.0,serial=STOCK,rotation_rate=1"),
            *("-drive", f"{null},id=s1"),
            *("-device", "ide-hd,drive=s1,bus=ide.0,serial=PIIX,rotation_rate=1"),
        ],
        environment={"QEMU_TEST_SATA_LOG": "{dir}/sata.log"},
    )


def disk(guest: vm.Guest, driver: str) -> tuple[str, dict[str, Any]]:
    name = guest.read("disks").split()[["ahci", "ata_piix"].index(driver)]
    (row,) = [row for row in guest.json("show") if row["name"] == name]
    assert row["driver"] == driver
    return name, row


def test_an_adapter_without_link_power_management_is_recognised(
    guest: vm.Guest,
) -> None:
    assert guest.read("test.err") == ""
    name, row = disk(guest, "ahci")
    (port,) = [port for port in guest.json("lpm") if port["name"] == name]
    assert port["lpm"] == "max_performance"
    assert row["verdict"] == "saves-nothing"
    if guest.version < (6, 12):
        assert port["lpm_supported"] is None
        assert guest.status("check") == 0
    else:
        assert port["lpm_supported"] is False
        assert guest.status("set") == 3
        assert guest.status("check") == 3


def test_a_policy_that_does_nothing_says_so(guest: vm.Guest) -> None:
    """6.1 takes it, and the file reads min_power."""
    bits = [int(line, 16) >> 26 & 3 for line in guest.read("bits").split()]
    assert bits == [0] * 6
    assert "PxCMD" in guest.log("sata.log")
    assert "ALPE=1" not in guest.log("sata.log")
    if guest.version < (6, 12):
        (step,) = guest.json("set")["steps"]
        assert step["state"] == "done" and "no-host-bits" in step["flags"]


def test_identify_device_works(guest: vm.Guest) -> None:
    for result in ("identify", "piix_identify"):
        model = guest.json(result)["model"]
        assert model["product"] == "QEMU HARDDISK"
        assert model["provenance"] == "reported"
    assert guest.status("piix_user") == 0


def test_a_disk_out_of_reach_says_why(guest: vm.Guest) -> None:
    _, row = disk(guest, "ata_piix")
    assert row["reach"] == "no-lpm"
    assert row["diagnosis"]


def test_a_disk_out_of_reach_is_not_written_to(guest: vm.Guest) -> None:
    name, _ = disk(guest, "ata_piix")
    assert guest.status("piix_set") == 3
    assert guest.err("piix_set").startswith(f"ssdpm: {name}")
    (step,) = guest.json("piix_apply")["steps"]
    assert step["state"] == "left-alone" and step["why"]
