# SPDX-License-Identifier: MIT
"""ssdpm list: the catalogue, drives by their name, the drives of a machine."""

from __future__ import annotations

import copy
import dataclasses
import json
import pathlib
import shutil
from collections.abc import Callable
from typing import Any

import documented
import machines
import pytest
import ssdpm as package
from command import Command

SN530 = "WDC PC SN530"
LIST_KEYS = [
    "schema",
    "kind",
    "vendor_id",
    "product",
    "firmware",
    "seen",
    "table",
    "states_count",
    "deepest_max_power_uw",
]


def own(ssdpm: Command, name: str, **facts: object) -> str:
    """A file with the example drive under another name."""
    return ssdpm.write(name, {**copy.deepcopy(ssdpm.example), **facts})


def test_the_whole_catalogue_is_listed(ssdpm: Command) -> None:
    drives = ssdpm.json("list", "--catalogue")
    assert len(drives) > 1200
    assert all(list(drive) == LIST_KEYS for drive in drives)
    assert {drive["schema"] for drive in drives} == {"ssdpm.list/1"}
    assert {drive["kind"] for drive in drives} == {"nvme", "sata"}
    assert len({drive["table"] for drive in drives}) < len(drives) / 3
    human = ssdpm.output("list", "--catalogue").splitlines()
    assert human[0].split() == ["product", "firmware", "seen", "states", "deepest", "power"]
    assert len(human) == len(drives) + 1
    assert len({len(line) for line in human}) == 1


def test_a_pattern_is_a_part_of_the_product_in_any_letters(ssdpm: Command) -> None:
    drives = ssdpm.json("list", "--catalogue", "sn530")
    assert len(drives) > 10
    assert all("SN530" in drive["product"] for drive in drives)
    assert ssdpm.json("list", "--catalogue", "Sn530") == drives


def test_a_pattern_with_stars_is_for_the_whole_product(ssdpm: Command) -> None:
    begins = ssdpm.json("list", "--catalogue", "wdc pc sn530*")
    assert {drive["product"][: len(SN530)] for drive in begins} == {SN530}
    part = ssdpm.json("list", "--catalogue", "sn530")
    assert 0 < len(begins) < len(part)
    assert ssdpm.json("list", "--catalogue", "*SN530*") == part
    one = ssdpm.json("list", "--catalogue", "INTEL SSDPEKNW???T8")
    assert {drive["product"] for drive in one} >= {"INTEL SSDPEKNW010T8"}
    assert "no drive in the catalogue" in ssdpm.fails(1, "list", "--catalogue", "sn530*")


def test_one_drive_is_an_object_and_value_prints_a_line_each(ssdpm: Command) -> None:
    drive = ssdpm.json("list", "--catalogue", "MZWLJ7T6HALA")
    assert drive == {
        "schema": "ssdpm.list/1",
        "kind": "nvme",
        "vendor_id": 0x144D,
        "product": "SAMSUNG MZWLJ7T6HALA-00AU3",
        "firmware": "EPK9CR5Q",
        "seen": 1,
        "table": drive["table"],
        "states_count": 1,
        "deepest_max_power_uw": 25000000,
    }
    text = ssdpm.output("list", "--catalogue", "--value", "product", "sn530")
    assert len(text.splitlines()) == len(ssdpm.json("list", "--catalogue", "sn530"))
    assert "product='SAMSUNG MZWLJ" in ssdpm.output(
        "list", "--catalogue", "--shell", "MZWLJ7T6HALA"
    )


def test_a_sata_drive_has_no_power_and_no_vendor(ssdpm: Command) -> None:
    drive = ssdpm.json("list", "--catalogue", "SSDSC2KW512G8")
    assert drive["kind"] == "sata" and drive["vendor_id"] is None
    assert drive["deepest_max_power_uw"] is None and drive["states_count"] == 4
    assert ssdpm.output("list", "--catalogue", "SSDSC2KW512G8").split()[-1] == "-"


def test_own_drives_are_listed_among_the_others(ssdpm: Command) -> None:
    own(ssdpm, "own.json", product="ZZ Own", firmware=None)
    drive = ssdpm.json("list", "--catalogue=own.json", "zz")
    assert (drive["product"], drive["firmware"], drive["seen"]) == ("ZZ Own", None, 1)
    assert "ZZ Own   -" in ssdpm.output("list", "--catalogue=own.json", "zz")


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["list", "sn530"], "without --catalogue"),
        (["list", "--catalogue", "a", "b"], "one PATTERN at most; here are 2"),
        (["list", "--catalogue", "--shell", "sn530"], "--shell takes one drive"),
        (["list", "--firmware", "x"], "unknown option '--firmware'"),
        (["show", "--catalogue"], "option '--catalogue' requires an argument"),
    ],
)
def test_wrong_usage_is_status_2(
    ssdpm: Command, arguments: list[str], words: str
) -> None:
    assert words in ssdpm.fails(2, *arguments)


def test_what_no_drive_matches_is_named(ssdpm: Command) -> None:
    message = ssdpm.fails(1, "list", "--catalogue", "frobnicate")
    assert message == "ssdpm: frobnicate: no drive in the catalogue matches"
    message = ssdpm.fails(1, "list", "--catalogue", "drive.json")
    assert "write --catalogue=drive.json" in message


def test_a_name_is_a_drive(ssdpm: Command) -> None:
    drive = ssdpm.json("show", "samsung mzwlj7t6hala-00au3")
    assert drive["schema"] == "ssdpm.model/1"
    assert drive["product"] == "SAMSUNG MZWLJ7T6HALA-00AU3"
    assert drive["provenance"] == "catalogue"
    assert (drive["seen"], drive["alternatives"]) == (1, [])
    assert drive["states"][0]["idle_power_uw"] == 7000000
    human = ssdpm.output("show", "SAMSUNG MZWLJ7T6HALA-00AU3")
    assert "APST unknown, from the catalogue (1 seen)\n" in human


def test_what_show_prints_of_a_name_is_read_as_a_drive(ssdpm: Command) -> None:
    text = ssdpm.output("show", "-q", "--json", SN530)
    ssdpm.write("kept.json", text)
    kept, shown = ssdpm.json("show", "kept.json"), documented.listed(text)
    del shown["seen"], shown["alternatives"]
    assert kept == shown


def test_a_choice_between_tables_is_said_unless_quiet(ssdpm: Command) -> None:
    result = ssdpm("show", "--json", SN530)
    note = result.stderr.decode()
    assert note.startswith(f"ssdpm: {SN530}: the catalogue has 3 different tables")
    assert note.count("\n") == 1
    assert ssdpm("show", "-q", SN530).stderr == b""
    shown = documented.listed(result.stdout)
    others = shown["alternatives"]
    assert len(others) == 2
    seen = shown["seen"] + sum(other["seen"] for other in others)
    assert f"as {shown['seen']} of {seen} drives" in note
    for other in others:
        assert other["seen"] < shown["seen"]
        assert other["schema"] == "ssdpm.model/1"
        assert other["states"] != shown["states"]
        assert set(other) == set(shown) - {"alternatives"}


def test_alternatives_in_an_array_are_indented_like_the_rest(ssdpm: Command) -> None:
    text = ssdpm.output("show", "-q", "--json", "drive.json", SN530)
    both = documented.listed(text)
    assert both[0] == ssdpm.example
    assert json.dumps(both[1]["alternatives"]) in json.dumps(both)
    for line in text.splitlines():
        assert line[:1] in "[]{} " and (len(line) - len(line.lstrip())) % 2 == 0


def test_firmware_narrows(ssdpm: Command) -> None:
    rows = ssdpm.json("list", "--catalogue", f"{SN530}*")
    for firmware in {row["firmware"] for row in rows}:
        seen = sum(row["seen"] for row in rows if row["firmware"] == firmware)
        shown = ssdpm.json("show", "-q", SN530, "--firmware", firmware.lower())
        assert shown["firmware"] == firmware
        others = shown["alternatives"]
        assert {other["firmware"] for other in others} <= {firmware}
        assert shown["seen"] + sum(other["seen"] for other in others) == seen
    message = ssdpm.fails(1, "show", "--firmware", "X", "SAMSUNG MZWLJ7T6HALA-00AU3")
    assert "not with firmware X; it has EPK9CR5Q" in message


def test_apst_takes_a_name(ssdpm: Command) -> None:
    answer = documented.listed(ssdpm("apst", "--json", SN530).stdout)
    assert answer["drive"] == SN530 and answer["apsta_assumed"]
    assert answer["entries"][0] == {"state": 0, "target": 3, "idle_ms": 100}
    assert "not an NVMe drive" in ssdpm.fails(3, "apst", "INTEL SSDSC2KW512G8")


def test_a_file_beats_a_drive_of_its_name(ssdpm: Command) -> None:
    own(ssdpm, SN530, product="a file")
    assert ssdpm.json("show", SN530)["product"] == "a file"


def test_a_name_that_is_not_there_names_similar_ones(ssdpm: Command) -> None:
    message = ssdpm.fails(1, "show", "WDC PC SN999")
    assert message.startswith("ssdpm: unknown drive 'WDC PC SN999'; no such file, and ")
    assert "did you mean WDC PC SN520" in message
    message = ssdpm.fails(1, "apst", "no/such/file.bin")
    assert message.endswith("; no such file, and not in the catalogue")
    assert '"" is no drive' in ssdpm.fails(1, "show", "")


def test_a_drive_of_another_capacity_is_said_to_be_one(ssdpm: Command) -> None:
    words = "the catalogue has no drive of this capacity"
    name = "Samsung SSD 970 EVO 4TB"
    remark = ssdpm("show", name).stderr.decode()
    assert remark == f"ssdpm: {name}: {words}; taken: Samsung SSD 970 EVO 500GB\n"
    assert not ssdpm("show", "-q", name).stderr
    remark = ssdpm("show", "CT8000P3SSD8").stderr.decode()
    assert f"{words}, but 2 different tables of others; taken: CT500P3SSD8" in remark
    assert words not in ssdpm("show", "CT4000P3SSD8").stderr.decode()


def test_own_drives_count_more_than_the_catalogues(ssdpm: Command) -> None:
    own(ssdpm, "own.json", product="wdc pc sn530 mine", firmware="1")
    arguments = ("show", "-q", "--catalogue", "own.json", SN530)
    shown = ssdpm.json(*arguments)
    assert shown["product"] == "wdc pc sn530 mine"
    assert shown["provenance"] == "catalogue" and shown["seen"] == 1
    assert len(shown["alternatives"]) == 3
    result = ssdpm("apst", "--catalogue", "own.json", "wdc pc sn530 mine")
    assert (result.returncode, result.stderr) == (0, b"")


@pytest.mark.parametrize("operand", ["drive.bin", SN530])
@pytest.mark.parametrize(
    "content, words",
    [
        (b"", "own: no data"),
        (b"\n\n{", "own:3: not JSON"),
        (
            b'[{"schema": "ssdpm.model/1", "kind": "sata", "states": []}]',
            "own: drives[0].product",
        ),
    ],
)
def test_a_bad_catalogue_is_named_whether_it_is_needed_or_not(
    ssdpm: Command, operand: str, content: bytes, words: str
) -> None:
    ssdpm.write("own", content)
    assert words in ssdpm.fails(1, "show", "--catalogue", "own", operand)
    assert words in ssdpm.fails(1, "list", "--catalogue=own")
    assert "gone: No such file" in ssdpm.fails(1, "show", "--catalogue", "gone", operand)


def test_verbose_says_how_many_rows_there_are(ssdpm: Command) -> None:
    result = ssdpm("show", "-v", "SAMSUNG MZWLJ7T6HALA-00AU3")
    words = "ssdpm: SAMSUNG MZWLJ7T6HALA-00AU3: 1 row in the catalogue\n"
    assert result.stderr.decode().startswith(words)


Make = Callable[[str], pathlib.Path]


def listed(ssdpm: Command, root: pathlib.Path) -> dict[str, dict[str, Any]]:
    answer = ssdpm.json("list", "--root", str(root))
    drives = answer if isinstance(answer, list) else [answer]
    return {drive["name"]: drive for drive in drives}


def test_each_drive_has_a_line_with_what_is_set_and_whether_it_saves(
    ssdpm: Command, machine: Make
) -> None:
    lines = ssdpm.output("list", "--root", str(machine("eight-drives"))).splitlines()
    assert lines[0].split() == [
        "name", "product", "firmware", "kind", "setting", "saving",
    ]  # fmt: skip
    assert [line.split()[0] for line in lines[1:]] == [
        "nvme0", "nvme1", "nvme2", "nvme3", "sda", "sdb", "sdc", "sdd", "host4",
    ]  # fmt: skip
    assert lines[1].split()[-4:] == ["nvme", "100", "ms", "saves"]
    assert lines[5].split()[-3:] == ["sata", "med_power_with_dipm", "saves"]
    assert all(line == line.rstrip() for line in lines)


def test_what_is_out_of_reach_has_its_reason(ssdpm: Command, machine: Make) -> None:
    drives = listed(ssdpm, machine("server"))
    reach = {name: drive["reach"] for name, drive in drives.items()}
    assert reach["sda"] == "sas"
    assert reach["sdb"] == "raid"
    assert reach["sdc"] == "usb"
    assert reach["nvme0"] == "yes"
    assert {"vmd", "remapped"} <= set(reach.values())
    for drive in drives.values():
        if drive["reach"] != "yes":
            assert drive["verdict"] == "out-of-reach"
    text = ssdpm.output("list", "--root", str(machine_root(ssdpm, "server")))
    assert "out-of-reach: usb" in text


# Dumps that are too long are an error of the command.
READABLE = sorted(machines.MACHINES.keys() - {"hostile"})


@pytest.mark.parametrize("name", READABLE)
def test_the_package_says_the_same_of_each_drive(
    ssdpm: Command, machine: Make, name: str
) -> None:
    root = machine(name)
    said = {one.name: one.to_dict() for one in package.devices(root)}
    drives = listed(ssdpm, root)
    assert said == drives
    assert json.loads(json.dumps(said)) == said


@pytest.mark.parametrize("name", READABLE)
def test_the_package_says_the_same_of_the_machine(
    ssdpm: Command, machine: Make, name: str
) -> None:
    root = machine(name)
    one = package.Machine(root)
    said = ssdpm.json("show", "--root", str(root), one.devices()[0].name)["machine"]
    assert said.pop("schema") == "ssdpm.machine/1"
    assert said.pop("owners") == [
        {**dataclasses.asdict(owner), "sets": list(owner.sets)} for owner in one.owners()
    ]
    assert said.pop("meters") == [dataclasses.asdict(meter) for meter in one.meters()]
    facts = dataclasses.asdict(one.facts)
    assert said.pop("capture") is (facts.pop("capture") > 0)
    assert said == facts


def machine_root(ssdpm: Command, name: str) -> pathlib.Path:
    return ssdpm.directory / "machines" / name


def test_an_old_kernel_says_less_and_that_is_null(
    ssdpm: Command, machine: Make
) -> None:
    drives = listed(ssdpm, machine("old-5.10"))
    assert drives["nvme0"]["reset_count"] is None
    assert drives["nvme0"]["quirks_from_kernel"] is False
    assert drives["sda"]["lpm_supported"] is None


def test_limits_are_numbers_any_or_null(ssdpm: Command, machine: Make) -> None:
    empty = listed(ssdpm, machine("apst-empty"))
    assert empty["nvme0"]["latency_tolerance_us"] == 1000
    assert empty["nvme1"]["latency_tolerance_us"] == "any"
    off = listed(ssdpm, machine("apst-off"))
    assert off["nvme0"]["latency_tolerance_us"] == 0
    assert off["nvme0"]["verdict"] == "saves-nothing"
    none = listed(ssdpm, machine("quirked"))
    assert none["nvme1"]["latency_tolerance_us"] is None


def test_a_machine_without_drives_is_no_failure_and_names_the_catalogue(
    ssdpm: Command,
) -> None:
    (ssdpm.directory / "bare/sys").mkdir(parents=True)
    result = ssdpm("list", "--root", "bare")
    assert result.returncode == 0 and result.stdout == b""
    assert result.stderr.decode().count("\n") == 1
    assert "ssdpm list --catalogue" in result.stderr.decode()
    assert ssdpm("list", "--root", "bare", "-q").stderr == b""
    assert ssdpm.json("list", "--root", "bare", "-q") == []


def test_one_drive_is_one_object(ssdpm: Command, machine: Make) -> None:
    root = str(machine("laptop"))
    assert ssdpm.output("list", "--root", root, "--value", "name") == "nvme0\n"
    assert "verdict='saves'" in ssdpm.output("list", "--root", root, "--shell")


def test_an_operand_belongs_to_the_catalogue(ssdpm: Command) -> None:
    message = ssdpm.fails(2, "list", "sn530")
    assert "--catalogue" in message


def test_a_root_that_is_none_is_an_error(ssdpm: Command) -> None:
    assert "nowhere" in ssdpm.fails(1, "list", "--root", "nowhere")
    ssdpm.write("file", "")
    assert "file" in ssdpm.fails(1, "list", "--root", "file")


def test_hostile_names_reach_no_terminal(ssdpm: Command, machine: Make) -> None:
    root = str(machine("hostile"))
    for command in ("list", "show", "lpm", "check --lpm min_power",
                    "plan --latency 1ms"):  # fmt: skip
        for more in ([], ["--json"], ["-v"]):
            result = ssdpm(*command.split(), *more, "--root", root)
            text = (result.stdout + result.stderr).decode()
            assert text.replace("\n", "").isprintable(), (command, more)


def test_verbose_says_which_files_are_read_and_no_command_is_sent(
    ssdpm: Command, machine: Make
) -> None:
    result = ssdpm("list", "-v", "--root", str(machine("laptop")))
    assert result.returncode == 0
    log = result.stderr.decode()
    assert "pm_qos_latency_tolerance_us" in log
    assert all(line.startswith("ssdpm: ") for line in log.splitlines())
    assert "Identify" not in log


def test_a_pipe_that_is_closed_early_is_no_noise(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    result = ssdpm.shell(f"ssdpm list --root {eight_drives} | head -n 1")
    assert result.returncode == 0 and result.stderr == ""


@pytest.mark.parametrize("name", machines.MACHINES)
def test_every_machine_is_listed_and_documented(
    ssdpm: Command, machine: Make, name: str
) -> None:
    result = ssdpm("list", "--root", str(machine(name)), "--json")
    assert documented.items(result.stdout)
    assert result.returncode == (1 if name == "hostile" else 0)


def test_a_drive_that_vanishes_is_left_out_and_named(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    shutil.rmtree(next(eight_drives.glob("sys/devices/pci*/*/*/nvme/nvme1")))
    result = ssdpm("list", "--root", str(eight_drives))
    assert result.returncode == 1 and b"nvme1" not in result.stdout and b"nvme2" in result.stdout
    assert b"nvme1: it cannot be read: not found" in result.stderr


def test_identify_without_root_is_refused_with_advice(
    ssdpm: Command, unprivileged: Callable[..., Any]
) -> None:
    result = unprivileged("list", "--identify")
    assert result.returncode == 4 and result.stdout == b""
    assert b"root" in result.stderr
