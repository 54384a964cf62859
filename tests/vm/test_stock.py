# SPDX-License-Identifier: MIT
"""An AHCI adapter without link power management, as QEMU has it: older kernels take
every policy and do nothing, newer ones refuse them all."""

from __future__ import annotations

import machine
import vm

SCRIPT = """
. /lib.sh
until_true test -b /dev/sda
run lpm ssdpm lpm --json
run show ssdpm show --json
run identify ssdpm show --json --identify sda
run set ssdpm lpm --set min_power --json sda
run check ssdpm check --lpm min_power sda
cat /sys/class/scsi_host/host0/ahci_port_cmd >/result/bits
"""


def boot(release: str) -> vm.Guest:
    return vm.boot(
        "stock",
        release,
        SCRIPT,
        ["ahci", "sd_mod", "sg"],
        qemu=machine.disk(0, "STOCK"),
        environment={"QEMU_TEST_SATA_LOG": "{dir}/sata.log"},
    )


def test_an_adapter_without_link_power_management_is_recognised(
    guest: vm.Guest,
) -> None:
    assert guest.read("test.err") == ""
    port = guest.json("lpm")[0]
    assert port["name"] == "sda" and port["lpm"] == "max_performance"
    (disk,) = [row for row in guest.json("show") if row["name"] == "sda"]
    assert disk["verdict"] == "saves-nothing"
    if guest.version < (6, 12):
        assert port["lpm_supported"] is None
    else:
        assert port["lpm_supported"] is False
        assert guest.status("set") == 3
        assert guest.status("check") == 3


def test_a_policy_that_does_nothing_says_so(guest: vm.Guest) -> None:
    """6.1 takes it, and the file reads min_power."""
    assert int(guest.read("bits"), 16) >> 26 & 3 == 0
    assert "ALPE=1" not in guest.log("sata.log")
    if guest.version < (6, 12):
        (step,) = guest.json("set")["steps"]
        assert step["state"] == "done" and "no-host-bits" in step["flags"]


def test_identify_device_works(guest: vm.Guest) -> None:
    disk = guest.json("identify")
    assert disk["model"]["product"] == "QEMU HARDDISK"
    assert disk["model"]["provenance"] == "reported"
