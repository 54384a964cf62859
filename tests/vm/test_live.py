# SPDX-License-Identifier: MIT
"""The command on a machine with every kind of drive: what it says as root and as a
user, what it sets, what the devices saw of that, and what it leaves behind."""

from __future__ import annotations

import json
import pathlib
import re
import struct
from typing import Any

import drives
import machine
import vm

SCRIPT = r"""
settings() {
	for f in /sys/class/nvme/nvme*/power/pm_qos_latency_tolerance_us \
		/sys/class/scsi_host/host*/link_power_management_policy \
		/sys/module/nvme_core/parameters/apst_*; do
		echo "$f $(cat "$f")"
	done >"/result/settings.$1"
}
disk() {
	basename /sys/class/scsi_host/host$1/device/target*/*/block/sd*
}
host_bits() {
	for n in 0 1; do
		cat /sys/class/scsi_host/host$n/ahci_port_cmd
	done >"/result/bits.$1"
}
for c in /sys/class/nvme/nvme*; do
	echo "$(basename $c) $(cat $c/serial)"
done >/result/names

run list ssdpm list --json
run show ssdpm show --json
run_user user_list ssdpm list --json
run_user user_show ssdpm show --json
run_user user_words ssdpm show
run identify ssdpm show --json --identify
run words ssdpm show --identify
run_user user_identify ssdpm show --json --identify nvme0
run lpm ssdpm lpm --json

cp -R /tree /tmp/tree
ln -s /bin/ssdpm /tmp/tree/build/examples/ssdpm/ssdpm
chown -R 1000 /tmp/tree
SSDPM_PACKAGES_ARE_THERE=1 run_user quickstart /tmp/tree/examples/quickstart

run capture ssdpm capture --identify /result/captured
run before ssdpm list --json

settings first
run_user user_apply ssdpm apply --latency 15ms
settings user

run plan ssdpm plan --json --identify --latency 12ms --lpm min_power
run apply ssdpm apply --json --identify --latency 12ms --lpm min_power
host_bits min_power
run in_force ssdpm check --identify --latency 12ms --lpm min_power
run again ssdpm apply --json --identify --latency 12ms --lpm min_power
run not_in_force ssdpm check --identify --latency 13ms
c=$(controller TWO)
echo 1 >$c/reset_controller
until_true live_controllers 5
run after_reset ssdpm check --identify --latency 12ms --lpm min_power

run medium ssdpm apply --json --identify --lpm med_power_with_dipm
host_bits med_power_with_dipm
settings medium

mount -o remount,ro /sys
run read_only ssdpm apply --latency 1500us --lpm max_performance
mount -o remount,rw /sys
settings read_only

run core ssdpm apply --json --identify --latency 12ms --nvme-core apst_primary_timeout_ms=70 \
	--nvme-core apst_secondary_latency_tol_us=120000

settings before_raw
run raw_drive ssdpm show --json --identify $(basename $c)
printf '\030\144' >/tmp/table
head -c 254 /dev/zero >>/tmp/table
run raw ssdpm apply --json --identify --apst /tmp/table $(basename $c)
run raw_check ssdpm check --identify --apst /tmp/table $(basename $c)
echo 1 >$c/reset_controller
until_true live_controllers 5
run raw_after_reset ssdpm check --identify --apst /tmp/table $(basename $c)
settings after_raw

# Somebody writes a parameter, and nobody has the tables built anew.
run balanced ssdpm apply -q --identify --profile balanced
echo 60 >/sys/module/nvme_core/parameters/apst_primary_timeout_ms
run other_check ssdpm check --identify --profile balanced
run other_plan ssdpm plan --json --identify --profile balanced
echo 1 >$c/reset_controller
until_true live_controllers 5
echo 100 >/sys/module/nvme_core/parameters/apst_primary_timeout_ms
run old_table_check ssdpm check --identify --profile balanced
run old_table_show ssdpm show --json --identify $(basename $c)
run old_table_plan ssdpm plan --json --identify --profile balanced
run old_table_apply ssdpm apply --json --identify --profile balanced
run old_table_again ssdpm check --identify --profile balanced

run nolpm ssdpm lpm --set min_power "$(disk 2)"
run prefix ssdpm lpm --set min_power_bogus "$(disk 0)"
run hot_plug ssdpm lpm --set min_power "$(disk 3)"
run profile ssdpm apply --json --identify --profile power-saver
run profile_check ssdpm check --identify --profile power-saver
run revert ssdpm revert --json
settings last

# Revert has brought back the table of 60 ms, which was there before.
echo 1 >$c/reset_controller
until_true live_controllers 5
# Somebody else writes a parameter: no table is built from it.
echo 500 >/sys/module/nvme_core/parameters/apst_secondary_timeout_ms
run stale ssdpm apply --json --identify --latency 100ms $(basename $c)
run stale_check ssdpm check --identify --latency 100ms $(basename $c)
run stale_revert ssdpm revert --json
"""


def boot(release: str) -> vm.Guest:
    examples = vm.TOP / "examples"
    chart = "usr/share/javascript/chart.js/chart.min.js"
    # What quickstart builds is there, and nothing to build it with.
    files: dict[str, bytes | str] = {
        "tree/examples/quickstart": (examples / "quickstart").read_bytes(),
        "tree/examples/packages.sh": (examples / "packages.sh").read_bytes(),
        "tree/build/build.ninja": "",
        "tree/build/examples/ssdpm/.keep": "",
        "bin/ninja": "#!/bin/sh\n",
        chart: pathlib.Path("/", chart).read_bytes(),
    }
    return machine.boot("live", release, SCRIPT, files=files)


def name(guest: vm.Guest, serial: str) -> str:
    """nvme0 of TWO: they are found in any order."""
    for line in guest.read("names").splitlines():
        device, found = line.split()
        if found == serial:
            return device
    raise AssertionError(serial)


def by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in rows}


def raw(table: dict[str, Any]) -> str:
    """512 digits of a table that is given by its entries."""
    words = [0] * 32
    for entry in table["entries"]:
        words[entry["state"]] = entry["target"] << 3 | entry["idle_ms"] << 8
    return struct.pack("<32Q", *words).hex()


def programmed(guest: vm.Guest, serial: str) -> list[str]:
    return re.findall(r"fid=0x0c dw11=\S+ data=(\S+)", guest.log(f"{serial}.log"))


def verdicts(guest: vm.Guest, result: str) -> dict[str, str]:
    rows = by_name(guest.json(result))
    return {
        serial: rows[name(guest, serial)]["verdict"]
        for serial in [*machine.NVME, "STOCK"]
    }


# Disks are named in any order too.
def ports(guest: vm.Guest, result: str) -> dict[int, dict[str, Any]]:
    rows = guest.json(result)
    return {row["host"]: row for row in rows if row["kind"] == "sata"}


def test_nothing_fails_on_the_way(guest: vm.Guest) -> None:
    assert guest.read("test.err") == ""
    assert guest.status("test") == 0


def test_a_user_sees_what_root_sees_without_commands(guest: vm.Guest) -> None:
    assert guest.json("user_list") == guest.json("list")
    root, user = guest.json("show"), guest.json("user_show")
    for row in (*root, *user):
        for meter in row.get("machine", {}).get("meters", []):
            meter.pop("readable")
    assert user == root
    assert "run ssdpm show --identify as root" in guest.ok("user_words")


def test_identify_needs_root(guest: vm.Guest) -> None:
    assert guest.status("user_identify") == 4
    assert vm.listed(guest.out("user_identify")) == []
    assert "from root alone" in guest.err("user_identify")


def test_quickstart_shows_the_drives_and_their_diagnosis_without_root(
    guest: vm.Guest,
) -> None:
    text = guest.ok("quickstart")
    listed = text[text.index("$ ssdpm list") : text.index("$ ssdpm show")]
    shown = text[text.index("$ ssdpm show") : text.index("WDC PC SN530: mean power")]
    for row in guest.json("user_list"):
        assert re.search(rf"^  {row['name']} .*{row['verdict']}", listed, re.M)
        assert f"\n{row['name']}: " in shown
    assert shown.split("\n", 1)[1].strip() == guest.ok("user_words").strip()


def test_each_drive_has_its_diagnosis(guest: vm.Guest) -> None:
    assert verdicts(guest, "identify") == {
        "TWO": "saves",
        "SLOW": "saves-less",
        "DEEPEST": "saves",
        "NOAPST": "saves-nothing",
        "STOCK": "saves-nothing",
    }
    words = guest.ok("words")
    assert "quirk no-apst" in words
    assert "PS4 never: entry+exit 113 ms > 100 ms" in words
    assert "no-deepest-ps" in words


def test_the_table_in_force_is_the_one_that_is_predicted(guest: vm.Guest) -> None:
    rows = by_name(guest.json("identify"))
    for serial in ("TWO", "SLOW", "DEEPEST"):
        row = rows[name(guest, serial)]
        assert row["table"] == row["table_predicted"]
        assert programmed(guest, serial)[0] == raw(row["table"])


def test_ports_say_whether_they_take_a_policy(guest: vm.Guest) -> None:
    rows = ports(guest, "list")
    assert set(rows) == set(range(6))
    no_lpm = [rows[n]["lpm_supported"] for n in range(6)]
    if guest.version < (6, 12):
        assert no_lpm == [None] * 6
    elif guest.version < (7,):
        assert no_lpm == [True, True, False, True, True, True]
    else:
        assert no_lpm == [True, True, False, False, True, True]
    assert rows[0]["devices_without_hipm"] == 0
    assert rows[1]["devices_without_hipm"] == 1
    assert "hot-plug" in rows[3]["flags"]
    assert "empty" in rows[4]["flags"] and "empty" in rows[5]["flags"]


def test_the_meters_are_listed(guest: vm.Guest) -> None:
    (row,) = [r for r in guest.json("identify") if "machine" in r][:1]
    meters = {(m["kind"], m["name"]) for m in row["machine"]["meters"]}
    assert meters >= {
        ("battery", "BAT0"),
        ("rapl", "package-0"),
        ("rapl", "core"),
        ("rapl", "dram"),
        ("rapl", "psys"),
    }
    # ACPI's meter has a name of its own in Linux 7.3, and that of its device before.
    assert meters & {("acpi-power", "power_meter"), ("acpi-power", "ACPI000D:00")}


def test_latency_and_policy_are_set_together_and_as_planned(guest: vm.Guest) -> None:
    plan, done = guest.json("plan"), guest.json("apply")
    assert [s["target"] for s in plan["steps"]] == [s["target"] for s in done["steps"]]
    assert {s["state"] for s in done["steps"]} <= {"done", "in-force", "left-alone"}
    assert done["in_force"]
    assert guest.status("in_force") == 0
    for serial in ("TWO", "SLOW", "DEEPEST"):
        (table,) = [t for t in done["tables"] if t["device"] == name(guest, serial)]
        (foretold,) = [t for t in plan["tables"] if t["device"] == name(guest, serial)]
        assert table["built"] == table["after"] == foretold["after"]
        assert raw(table["after"]) in programmed(guest, serial)


def test_what_is_in_force_is_not_written_again(guest: vm.Guest) -> None:
    states = {s["state"] for s in guest.json("again")["steps"]}
    assert states <= {"in-force", "left-alone"}
    assert guest.status("not_in_force") == 5


def test_a_latency_limit_survives_a_reset(guest: vm.Guest) -> None:
    assert guest.status("after_reset") == 0


def test_only_the_disk_with_hipm_gets_the_bits_of_the_host(guest: vm.Guest) -> None:
    bits = {
        policy: [int(line, 16) >> 26 & 3 for line in guest.read(f"bits.{policy}").split()]
        for policy in ("min_power", "med_power_with_dipm")
    }
    # ALPE and ASP; and ASP is gone after the way down.
    assert bits == {"min_power": [3, 0], "med_power_with_dipm": [1, 0]}
    flags = {}
    rows = ports(guest, "list")
    for step in guest.json("apply")["steps"]:
        if step["kind"] == "lpm":
            flags[step["device"]] = "no-host-bits" in step["flags"]
    assert flags[rows[0]["name"]] is False
    assert flags[rows[1]["name"]] is True


def test_a_policy_goes_by_way_of_max_performance(guest: vm.Guest) -> None:
    log = [
        line.split(" ", 1)[1]
        for line in guest.log("sata.log").splitlines()
        if " port0 PxCMD" in line or "disk HIPM" in line
    ]
    steps = [re.sub(r".*(ALPE=\d ASP=\d).*", r"\1", l) for l in log if "ALPE" in l]
    changes = [s for i, s in enumerate(steps) if i == 0 or s != steps[i - 1]]
    off, low, lowest = "ALPE=0 ASP=0", "ALPE=1 ASP=0", "ALPE=1 ASP=1"
    text = " > ".join(changes)
    assert f"{off} > {lowest} > {off} > {low}" in text
    assert f"{lowest} > {low}" not in text


def test_ports_without_a_named_disk_are_left_alone(guest: vm.Guest) -> None:
    alone = {
        s["device"]: s["why"]
        for s in guest.json("apply")["steps"]
        if s["kind"] == "lpm" and s["state"] == "left-alone"
    }
    rows = ports(guest, "list")
    assert set(alone) == {rows[n]["name"] for n in (3, 4, 5)}
    assert all(alone.values())
    # What cannot be done at all is no step.
    assert f"{rows[2]['name']}: " in guest.err("apply")


def test_a_disk_that_linux_knows_to_fail_is_refused(guest: vm.Guest) -> None:
    assert guest.status("nolpm") == 3
    assert guest.err("nolpm").strip()
    assert guest.status("prefix") == 2


def test_a_hot_plug_port_is_set_where_the_kernel_lets(guest: vm.Guest) -> None:
    assert guest.status("hot_plug") == (3 if guest.version >= (7,) else 0)


def test_read_only_sysfs_leaves_all_as_it_was(guest: vm.Guest) -> None:
    assert guest.status("read_only") == 1
    assert "read-only" in guest.err("read_only").lower()
    assert guest.read("settings.read_only") == guest.read("settings.medium")


def test_a_user_may_not_apply_and_changes_nothing(guest: vm.Guest) -> None:
    assert guest.status("user_apply") == 4
    assert "root" in guest.err("user_apply")
    assert guest.read("settings.user") == guest.read("settings.first")


def test_parameters_make_all_drives_build_their_tables_anew(guest: vm.Guest) -> None:
    done = guest.json("core")
    assert done["in_force"]
    for serial in ("TWO", "SLOW", "DEEPEST"):
        (table,) = [t for t in done["tables"] if t["device"] == name(guest, serial)]
        assert table["built"] == table["after"]
        assert {e["idle_ms"] for e in table["after"]["entries"]} <= {70, 2000}
        assert raw(table["after"]) in programmed(guest, serial)


def refuses_tables(guest: vm.Guest) -> bool:
    return guest.version >= (7, 2) or (6, 12, 110) <= guest.version < (6, 13)


def test_a_table_of_ones_own_holds_until_a_reset_or_is_refused(guest: vm.Guest) -> None:
    table = "1864" + "00" * 254
    if refuses_tables(guest):
        assert guest.status("raw") == 3
        assert "Linux refuses" in guest.err("raw")
        assert guest.status("raw_check") == 5
        assert table not in programmed(guest, "TWO")
    else:
        assert guest.json("raw")["in_force"]
        assert guest.status("raw_check") == 0
        assert table in programmed(guest, "TWO")
    assert guest.status("raw_after_reset") == 5
    assert guest.read("settings.before_raw") == guest.read("settings.after_raw")


def test_a_table_of_other_parameters_is_seen_and_built_anew(guest: vm.Guest) -> None:
    assert guest.status("balanced") == 0
    assert guest.status("other_check") == 5
    # All values are those of the profile again, and the table is not.
    two = name(guest, "TWO")
    shown = guest.json("old_table_show")
    assert {e["idle_ms"] for e in shown["table"]["entries"]} == {60, 2000}
    assert {e["idle_ms"] for e in shown["table_predicted"]["entries"]} == {100, 2000}
    assert guest.status("old_table_check") == 5
    for result, state in (("old_table_plan", "planned"), ("old_table_apply", "done")):
        steps = guest.json(result)["steps"]
        assert [(s["device"], s["kind"]) for s in steps if s["state"] == state] == [
            (two, "rebuild")
        ]
    assert guest.status("old_table_again") == 0


def test_a_parameter_without_its_table_gets_one(guest: vm.Guest) -> None:
    done = guest.json("stale")
    assert done["in_force"]
    assert [(s["kind"], s["state"]) for s in done["steps"]] == [
        ("latency-tolerance", "in-force"),
        ("rebuild", "done"),
    ]
    (table,) = done["tables"]
    assert table["built"] == table["after"]
    assert 500 in {e["idle_ms"] for e in table["built"]["entries"]}
    assert guest.status("stale_check") == 0
    # The table before is brought back where Linux takes one.
    (step,) = guest.json("stale_revert")["steps"]
    tables = programmed(guest, "TWO")
    if refuses_tables(guest):
        assert (step["kind"], step["state"]) == ("apst", "left-alone")
        assert tables[-1] == raw(table["built"])
    else:
        assert (step["kind"], step["state"]) == ("apst", "done")
        assert tables[-1] == tables[0] != raw(table["built"])


def test_a_profile_is_in_force_and_revert_goes_back_to_the_start(
    guest: vm.Guest,
) -> None:
    assert guest.json("profile")["in_force"]
    assert guest.status("profile_check") == 0
    assert guest.status("revert") == 0
    first = dict(l.split() for l in guest.read("settings.first").splitlines())
    last = dict(l.split() for l in guest.read("settings.last").splitlines())
    # What the kernel does not take back: keep_firmware_settings.
    lost = {k for k, v in first.items() if v == "keep_firmware_settings"}
    assert {k: v for k, v in last.items() if k not in lost} == {
        k: v for k, v in first.items() if k not in lost
    }


def test_a_capture_says_on_this_side_all_that_the_guest_said(guest: vm.Guest) -> None:
    root = str(guest.result / "captured")

    def of_capture(command: str) -> Any:
        # What is advised names the capture.
        said = json.dumps(drives.ssdpm(command, "--json", "--root", root))
        return json.loads(said.replace(f" --root {root}", ""))

    here = of_capture("show")
    there = guest.json("identify")
    for rows, is_capture in ((here, True), (there, False)):
        for row in rows:
            if "machine" in row:
                assert row["machine"].pop("capture") is is_capture
            # The drive fell asleep between the two.
            if row["kind"] == "nvme":
                assert row.pop("power_state") in range(5)
    assert here == there
    assert of_capture("lpm") == guest.json("lpm")
