# SPDX-License-Identifier: MIT
"""What smartctl prints, in place of a drive."""

from __future__ import annotations

import json
from typing import Any

import pytest
from command import Command

NOTE = (
    "  idle and active power: not taken from smartctl, which reads their scale "
    "from the wrong bits\n"
)
HINT = (
    "  this drive probably reports its idle power: nvme id-ctrl --raw-binary shows it\n"
)
TEXT = """\
=== START OF INFORMATION SECTION ===
Model Number:                       ACME Swift 512GB
Firmware Version:                   1.0b
PCI Vendor/Subsystem ID:            0x1234

Supported Power States
St Op     Max   Active     Idle   RL RT WL WT  Ent_Lat  Ex_Lat
 0 +     4.50W    2.00W       -    0  1  2  3        0       0
 1 -   0.0035W       -        -    4  4  4  4     5000   10000
"""
P3_TEXT = """\
Model Number: CT4000P3PSSD8

Supported Power States
St Op     Max   Active     Idle   RL RT WL WT  Ent_Lat  Ex_Lat
 0 +     6.00W  0.0000W       -    0  0  0  0        0       0
 1 +     3.00W  0.0000W       -    0  0  0  0        0       0
 2 +     1.50W  0.0000W       -    0  0  0  0        0       0
 3 -   0.0250W  0.0000W       -    3  3  3  3     5000    1900
 4 -   0.0030W       -        -    4  4  4  4    13000  100000
"""
SATA_TEXT = """\
Device Model:     ACME Slow 256GB
Firmware Version: 7
SATA Version is:  SATA 3.1, 6.0 Gb/s (current: 6.0 Gb/s)
APM level is:     254 (maximum performance)
"""
OLD_JSON = {
    "smartctl": {"version": [7, 3]},
    "device": {"protocol": "NVMe"},
    "model_name": "ACME Swift 512GB",
}
NEW_JSON = {
    "smartctl": {"version": [7, 5]},
    "device": {"protocol": "NVMe"},
    "model_name": "ACME Swift 512GB",
    "firmware_version": "1.0b",
    "nvme_pci_vendor": {"id": 0x1234, "subsystem_id": 0x1234},
    "nvme_power_states": [
        {
            "non_operational_state": number > 0,
            "relative_read_latency": latency,
            "relative_read_throughput": throughput,
            "relative_write_latency": write_latency,
            "relative_write_throughput": write_throughput,
            "entry_latency_us": entry,
            "exit_latency_us": exit_,
            "max_power": {"value": value, "scale": scale, "units_per_watt": units},
        }
        for number, (
            latency, throughput, write_latency, write_throughput, entry, exit_,
            value, scale, units,
        ) in enumerate([(0, 1, 2, 3, 0, 0, 450, 2, 100), (4, 4, 4, 4, 5000, 10000, 35, 1, 10000)])
    ],
}  # fmt: skip


def test_show_prints_the_table_and_why_two_columns_are_empty(ssdpm: Command) -> None:
    name = ssdpm.write("drive.txt", TEXT)
    shown = ssdpm.output("show", name)
    lines = shown.splitlines()
    assert lines[0] == (
        "drive.txt: ACME Swift 512GB, firmware 1.0b, vendor 0x1234, APST unknown"
    )
    assert lines[2].split() == [
        *("PS0", "yes", "4.5", "W", "-", "-", "0", "us*", "0", "us*"),
        *("1", "0", "3", "2"),
    ]
    assert lines[3].split() == [
        *("PS1", "no", "3.5", "mW", "-", "-", "5", "ms", "10", "ms"),
        *("4", "4", "4", "4"),
    ]
    assert shown.endswith(NOTE + HINT)


def test_a_family_is_said(ssdpm: Command) -> None:
    text = ssdpm.output("show", "-q", "CT500P3SSD8")
    assert "672 mW" in text and "probably reports" not in text
    assert "  idle power: what a drive of the same vendor, table and active " in text
    rows = ssdpm.json("estimate", "-q", "-t", "lomax", "CT500P3SSD8")["parameters"]
    of = {(p["kind"], p["index"]): p for p in rows}
    assert of["idle_power_uw", 0]["provenance"] == "family"
    assert of["idle_power_uw", 0]["rule"].startswith("IDLP-of-family: 57 drives ")
    assert of["idle_power_uw", 4]["provenance"] == "assumed"


def contains(estimate: dict[str, Any], mean_power_uw: int) -> bool:
    low, high = (estimate[name]["mean_power_uw"] for name in ("low", "high"))
    return low <= mean_power_uw <= high


def test_a_text_of_smartctl_estimates_as_that_of_nvme_cli_by_family(
    ssdpm: Command,
) -> None:
    """The catalogue has what nvme-cli prints of the drive of 4 TB."""
    ssdpm.write("p3.txt", P3_TEXT)
    call = ["estimate", "-q", "-t", "lomax"]
    by_family = ssdpm.json(*call, "p3.txt")
    reported = ssdpm.json(*call, "CT4000P3PSSD8")
    assert by_family["nominal"]["mean_power_uw"] == reported["nominal"]["mean_power_uw"]
    kinds = {p["provenance"] for p in by_family["parameters"]}
    assert "family" in kinds
    assert contains(by_family, reported["nominal"]["mean_power_uw"])
    likely = by_family["likely_power"]
    assert likely == reported["likely_power"]
    assert likely["low_uw"] <= reported["nominal"]["mean_power_uw"] <= likely["high_uw"]
    assert likely["high_uw"] < 1.5 * likely["low_uw"]
    # What is unknown then are the latencies; with those that it declares:
    declared = ["PS3=5ms", "PS3=1900us", "PS4=13ms", "PS4=100ms"]
    options = ["--entry-latency", "--exit-latency"] * 2
    for option, value in zip(options, declared):
        call += [option, value]
    powers = ssdpm.json(*call, "p3.txt")
    assert contains(powers, reported["nominal"]["mean_power_uw"])
    assert powers["high"]["mean_power_uw"] < 1.5 * powers["low"]["mean_power_uw"]


def test_text_and_json_of_one_drive_differ_in_their_format_alone(
    ssdpm: Command,
) -> None:
    text = ssdpm.json("show", ssdpm.write("drive.txt", TEXT))
    other = ssdpm.json("show", ssdpm.write("new.json", NEW_JSON))
    assert text["format"] == "smartctl-text" and other["format"] == "smartctl-json"
    # And in the active power, which smartctl's JSON does not have.
    shown = [state.pop("shown_active_power_uw", None) for state in text["states"]]
    assert any(shown)
    assert text | {"format": None} == other | {"format": None}
    assert ssdpm.output("show", "new.json").endswith(NOTE)


def test_what_show_kept_of_smartctl_says_so_again(ssdpm: Command) -> None:
    ssdpm.write("drive.txt", TEXT)
    kept = ssdpm.output("show", "--json", "drive.txt")
    ssdpm.write("kept.json", kept)
    assert ssdpm.output("show", "--json", "kept.json") == kept
    assert ssdpm.output("show", "kept.json").endswith(NOTE + HINT)


def test_the_note_is_for_smartctl_alone(ssdpm: Command) -> None:
    assert "smartctl" not in ssdpm.output("show", "drive.bin")
    name = ssdpm.write("sata.txt", SATA_TEXT)
    assert "smartctl" not in ssdpm.output("show", name)


def test_smartctl_json_and_our_own_may_stand_in_one_array(ssdpm: Command) -> None:
    name = ssdpm.write("both.json", json.dumps([NEW_JSON, ssdpm.example]))
    first, second = ssdpm.json("show", name)
    assert first["product"] == "ACME Swift 512GB" and second == ssdpm.example


def test_apst_is_made_of_smartctl_text_with_a_note_on_apsta(ssdpm: Command) -> None:
    name = ssdpm.write("drive.txt", TEXT)
    result = ssdpm("apst", name)
    assert result.returncode == 0
    assert b"APST" in result.stderr and b"\n" in result.stderr
    assert b"PS1" in result.stdout


def test_a_sata_drive_is_shown_as_far_as_smartctl_goes(ssdpm: Command) -> None:
    drive = ssdpm.json("show", ssdpm.write("sata.txt", SATA_TEXT))
    assert drive["kind"] == "sata" and drive["product"] == "ACME Slow 256GB"
    assert drive["sata"]["generations"] == [1, 2, 3] and drive["sata"]["apm_level"] == 254
    assert drive["sata"]["hipm_supported"] is None
    assert [state["link_state"] for state in drive["states"]] == ["active"]


@pytest.mark.parametrize(
    "content, words",
    [
        (TEXT.partition("\n\n")[0], "table of power states: call smartctl -c"),
        (TEXT.replace(" 5000 ", " 5.00 "), "bad:9: power state 1, Ent_Lat: "),
        (json.dumps(OLD_JSON), "bad:1: nvme_power_states: missing: smartctl 7.3 "),
    ],
)
def test_what_is_missing_or_wrong_is_named(
    ssdpm: Command, content: str, words: str
) -> None:
    assert words in ssdpm.fails(1, "show", ssdpm.write("bad", content))
