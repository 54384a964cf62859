# SPDX-License-Identifier: MIT
"""A disk on ata_piix, which knows no link power management: named, identified by
libatasmart, and left alone."""

from __future__ import annotations

import vm

SCRIPT = """
. /lib.sh
until_true test -b /dev/sda
run list ssdpm list --json
run show ssdpm show --json --identify sda
run_user user ssdpm show --json sda
run set ssdpm lpm --set min_power sda
run apply ssdpm apply --json --profile power-saver
"""


def boot(release: str) -> vm.Guest:
    return vm.boot(
        "piix",
        release,
        SCRIPT,
        ["ata_piix", "sd_mod", "sg"],
        machine="pc",
        qemu=[
            *("-drive", "driver=null-co,size=64M,read-zeroes=on,if=none,id=s0"),
            *("-device", "ide-hd,drive=s0,bus=ide.0,serial=PIIX,rotation_rate=1"),
        ],
    )


def test_the_disk_is_named_with_its_driver_and_why_it_is_out_of_reach(
    guest: vm.Guest,
) -> None:
    assert guest.read("test.err") == ""
    (disk,) = [row for row in guest.json("list") if row["name"] == "sda"]
    assert disk["driver"] == "ata_piix"
    assert disk["reach"] == "no-lpm"
    assert disk["diagnosis"]


def test_libatasmart_identifies_it(guest: vm.Guest) -> None:
    disk = guest.json("show")
    assert disk["model"]["product"] == "QEMU HARDDISK"
    assert disk["model"]["provenance"] == "reported"
    assert guest.status("user") == 0


def test_it_is_not_written_to(guest: vm.Guest) -> None:
    assert guest.status("set") == 3
    assert guest.err("set").strip()
    steps = guest.json("apply")["steps"]
    assert not [s for s in steps if s["device"] == "sda" and s["state"] != "left-alone"]
