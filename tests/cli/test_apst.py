# SPDX-License-Identifier: MIT
"""ssdpm apst: the table, its options and its forms."""

from __future__ import annotations

import copy
from typing import Any

import documented
import pytest
from command import Command

DEFAULT_ENTRIES = [
    {"state": 0, "target": 3, "idle_ms": 100},
    {"state": 1, "target": 3, "idle_ms": 100},
    {"state": 2, "target": 3, "idle_ms": 100},
    {"state": 3, "target": 4, "idle_ms": 2000},
]
# The example is an SN550: Linux 6.12 and later keep it out of its last state.
WITH_QUIRK = DEFAULT_ENTRIES[:3]


def test_the_default_is_the_table_of_linux(ssdpm: Command) -> None:
    answer = ssdpm.json("apst", "drive.bin")
    assert answer["schema"] == "ssdpm.apst/1"
    assert answer["drive"] == "drive.bin"
    assert answer["algorithm"] == "linux"
    assert answer["sent"] is True and answer["enabled"] is True
    assert answer["apsta_assumed"] is False
    assert answer["entries"] == WITH_QUIRK
    assert answer["raw"] == 3 * "1864000000000000" + 29 * "0" * 16
    assert [v["verdict"] for v in answer["verdicts"]] == [
        "operational", "operational", "operational", "used", "quirk",
    ]
    answer = ssdpm.json("apst", "drive.bin", "--quirk", "none")
    assert answer["entries"] == DEFAULT_ENTRIES
    assert answer["raw"] == (
        3 * "1864000000000000" + "20d0070000000000" + 28 * "0" * 16
    )
    assert answer["verdicts"][4]["verdict"] == "used"


@pytest.mark.parametrize(
    "options, entries",
    [
        (["--max-exit-latency", "39ms"], DEFAULT_ENTRIES),
        (["--max-exit-latency", "38.999ms"], DEFAULT_ENTRIES[:3]),
        (["-l", "any"], DEFAULT_ENTRIES),
        (["--max-exit-latency=0us"], []),
        (["--secondary-timeout", "0s"], DEFAULT_ENTRIES[:3]),
        (["--quirk", "no-deepest-ps"], DEFAULT_ENTRIES[:3]),
        (["--quirk", "no-apst"], []),
        (["--quirk", "no-apst", "--quirk", "no-deepest-ps"], []),
        (["--primary-tolerance", "14899us", "--secondary-tolerance", "1s"],
         [{"state": i, "target": 4, "idle_ms": 2000} for i in range(4)]),
        (["--primary-timeout", "50ms", "--secondary-timeout", "1s"],
         [{"state": i, "target": 3, "idle_ms": 50} for i in range(3)]
         + [{"state": 3, "target": 4, "idle_ms": 1000}]),
        (["--algorithm", "linux-legacy"],
         [{"state": i, "target": 3, "idle_ms": 745} for i in range(3)]
         + [{"state": 3, "target": 4, "idle_ms": 2200}]),
        (["--primary-timeout", "0ms"],
         [{"state": i, "target": 3, "idle_ms": 745} for i in range(3)]
         + [{"state": 3, "target": 4, "idle_ms": 2200}]),
    ],
)
def test_options_change_the_table(
    ssdpm: Command, options: list[str], entries: list[dict[str, int]]
) -> None:
    answer = ssdpm.json("apst", "drive.json", "--quirk", "none", *options)
    assert answer["entries"] == entries


def entries(first: int, second: int) -> list[dict[str, int]]:
    """PS0 to PS2 go to PS3, and that to PS4."""
    return [
        *({"state": i, "target": 3, "idle_ms": first} for i in range(3)),
        {"state": 3, "target": 4, "idle_ms": second},
    ]


@pytest.mark.parametrize(
    "options, expected, parameters",
    [
        ([], entries(200, 1800), ("balanced", "ac")),
        (["--power-source", "battery"],
         [{"state": i, "target": 4, "idle_ms": 100} for i in range(4)],
         ("balanced", "battery")),
        (["--scheme", "performance"], [], ("performance", "ac")),
        (["--scheme", "performance", "--power-source", "battery"], [],
         ("performance", "battery")),
        (["--scheme", "power-saver"],
         [{"state": i, "target": 4, "idle_ms": 100} for i in range(4)],
         ("power-saver", "ac")),
        (["--scheme", "modern-standby", "--power-source", "ac"],
         [{"state": i, "target": 4, "idle_ms": 50} for i in range(4)],
         ("modern-standby", "ac")),
        (["-l", "25ms"],
         [{"state": i, "target": 3, "idle_ms": 200} for i in range(3)],
         ("balanced", "ac")),
    ],
)
def test_windows_has_a_table_for_each_scheme(
    ssdpm: Command,
    options: list[str],
    expected: list[dict[str, int]],
    parameters: tuple[str, str],
) -> None:
    answer = ssdpm.json("apst", "drive.bin", *options, "--algorithm", "windows")
    assert answer["algorithm"] == "windows"
    assert answer["entries"] == expected
    assert list(answer["parameters"]) == [
        "max_exit_latency_us", "scheme", "power_source", "quirks",
    ]
    assert answer["parameters"]["scheme"] == parameters[0]
    assert answer["parameters"]["power_source"] == parameters[1]
    assert len(answer["verdicts"]) == 5


# In the file the drive takes 630 mW in PS0, 20 mW in PS3, 5 mW in PS4.
@pytest.mark.parametrize(
    "options, expected, powers",
    [
        ([], entries(16, 1210), (630000, 630000)),
        (["--idle-power", "630mW", "--transition-power", "0.63W"],
         entries(16, 1210), (630000, 630000)),
        (["--idle-power", "1W"], entries(16, 1928), (1000000, 1000000)),
        (["--transition-power", "1500000uW"], entries(37, 2877), (630000, 1500000)),
        (["--idle-power", "20mW"],
         [{"state": i, "target": 4, "idle_ms": 57} for i in range(4)],
         (20000, 20000)),
        (["--idle-power", "5mW"], [], (5000, 5000)),
    ],
)
def test_the_lower_envelope_is_of_the_powers_that_are_given(
    ssdpm: Command,
    options: list[str],
    expected: list[dict[str, int]],
    powers: tuple[int, int],
) -> None:
    answer = ssdpm.json("apst", "plain.json", *options, "-a", "lower-envelope")
    assert answer["algorithm"] == "lower-envelope"
    assert answer["entries"] == expected
    assert answer["parameters"] == {
        "max_exit_latency_us": 100000,
        "idle_power_uw": powers[0],
        "transition_power_uw": powers[1],
        "quirks": [],
    }


def test_powers_that_are_not_needed_may_be_unknown(ssdpm: Command) -> None:
    model = copy.deepcopy(ssdpm.example)
    model["states"][0]["idle_power_uw"] = None
    ssdpm.write("awake.json", model)
    call = ["apst", "-a", "lower-envelope", "--quirk", "no-apst", "awake.json"]
    parameters = ssdpm.json(*call)["parameters"]
    assert parameters["idle_power_uw"] is parameters["transition_power_uw"] is None
    assert "(idle" not in ssdpm.output(*call)


def test_the_first_line_says_what_the_table_was_made_with(ssdpm: Command) -> None:
    def first(*options: str) -> str:
        text = ssdpm.output("apst", "drive.bin", *options)
        return text.splitlines()[0].split(", ", 1)[1]

    assert first() == "linux, latency limit 100 ms"
    assert first("-a", "windows", "--power-source", "battery") == (
        "windows (balanced, battery), latency limit 100 ms"
    )
    assert first("-a", "lower-envelope", "--transition-power", "2W") == (
        "lower-envelope (idle 630 mW, transitions 2 W), latency limit 100 ms"
    )


def test_linux_reads_no_parameters_of_others(ssdpm: Command) -> None:
    for algorithm in ("linux", "linux-legacy"):
        answer = ssdpm.json("apst", "drive.bin", "-a", algorithm)
        assert list(answer["parameters"]) == [
            "max_exit_latency_us", "primary_timeout_ms",
            "primary_latency_tolerance_us", "secondary_timeout_ms",
            "secondary_latency_tolerance_us", "quirks",
        ]


def test_no_apst_and_a_quirk_are_answers(ssdpm: Command) -> None:
    model = copy.deepcopy(ssdpm.example)
    model["apsta"] = 0
    ssdpm.write("none.json", model)
    answer = ssdpm.json("apst", "none.json")
    assert (answer["sent"], answer["enabled"]) == (False, False)
    assert answer["entries"] == [] and answer["raw"] == "0" * 512
    assert "no APST" in ssdpm.output("apst", "none.json")
    answer = ssdpm.json("apst", "drive.json", "--quirk", "no-apst")
    assert (answer["sent"], answer["enabled"]) == (True, False)
    assert "quirk no-apst" in ssdpm.output("apst", "drive.json", "--quirk", "no-apst")


def test_an_unknown_apsta_counts_as_support_and_is_said(ssdpm: Command) -> None:
    model = copy.deepcopy(ssdpm.example)
    model["apsta"] = None
    ssdpm.write("unknown.json", model)
    result = ssdpm("apst", "--json", "unknown.json")
    assert result.returncode == 0
    assert b"APSTA is unknown" in result.stderr
    answer = documented.listed(result.stdout)
    assert answer["apsta_assumed"] is True
    assert answer["entries"] == WITH_QUIRK
    assert ssdpm("apst", "-q", "unknown.json").stderr == b""


def test_entries_without_idle_time_are_listed(ssdpm: Command) -> None:
    model = copy.deepcopy(ssdpm.example)
    for state in model["states"]:
        state["entry_latency_us"] = state["exit_latency_us"] = 0
        state["not_reported"] = []
    ssdpm.write("zero.json", model)
    answer = ssdpm.json("apst", "zero.json", "-a", "linux-legacy", "--quirk", "none")
    assert answer["entries"][3] == {"state": 3, "target": 4, "idle_ms": 0}
    assert answer["verdicts"][4]["verdict"] == "no-gain"
    text = ssdpm.output("apst", "zero.json", "-a", "linux-legacy", "--quirk", "none")
    assert "never" in text


def test_an_empty_table_is_said_in_words(ssdpm: Command) -> None:
    text = ssdpm.output("apst", "drive.json", "-l", "1us", "--explain")
    assert "the table is empty" in text
    assert "exit 11 ms > limit 1 us" in text


def test_hex_and_raw_are_the_bytes_of_the_json(ssdpm: Command) -> None:
    raw = ssdpm.json("apst", "drive.json")["raw"]
    assert ssdpm.output("apst", "--hex", "drive.json") == raw + "\n"
    assert ssdpm.output("apst", "--value", "raw", "drive.json") == raw + "\n"
    assert ssdpm("apst", "--raw", "-", "drive.json").stdout.hex() == raw
    human = ssdpm.output("apst", "--raw", "table.bin", "drive.json")
    assert human == ssdpm.output("apst", "drive.json")
    assert (ssdpm.directory / "table.bin").read_bytes().hex() == raw


def test_several_drives_give_an_array(ssdpm: Command) -> None:
    answers = ssdpm.json("apst", "drive.bin", "drive.json")
    assert [answer["drive"] for answer in answers] == ["drive.bin", "drive.json"]
    hexes = ssdpm.output("apst", "--hex", "drive.bin", "drive.json")
    assert hexes.splitlines() == [answers[0]["raw"]] * 2


def test_shell_output_has_every_value(ssdpm: Command) -> None:
    result = ssdpm.shell(
        'eval "$(ssdpm apst --shell drive.json)"; '
        "echo $entries_count $entries_2_target $verdicts_4_verdict $enabled $quirks_0"
    )
    assert result.stdout == "3 3 quirk true no-deepest-ps\n"


def quirks_of(answer: dict[str, Any]) -> tuple[list[str], list[str], list[str]]:
    return answer["quirks"], answer["quirks_unknown"], answer["parameters"]["quirks"]


def test_quirks_of_linux_are_in_force_and_said(ssdpm: Command) -> None:
    result = ssdpm("apst", "--json", "drive.json")
    assert result.stderr.decode() == (
        "ssdpm: drive.json: quirk no-deepest-ps "
        "(WD Blue SN550: Linux 6.12.117 and later, nvme_id_table)\n"
    )
    assert quirks_of(documented.listed(result.stdout)) == (
        ["no-deepest-ps"], ["no-apst"], ["no-deepest-ps"],
    )
    assert ssdpm("apst", "-q", "drive.json").stderr == b""
    none = ssdpm("apst", "--json", "--quirk", "none", "drive.json")
    assert none.stderr == b""
    assert quirks_of(documented.listed(none.stdout)) == ([], [], [])
    verbose = ssdpm("apst", "-v", "drive.json").stderr.decode()
    assert "perhaps quirk no-apst (Lenovo N60z: depends on board_name" in verbose


def test_quirks_are_added_to_those_of_linux(ssdpm: Command) -> None:
    answer = ssdpm.json("apst", "drive.json", "--quirk", "no-apst")
    assert quirks_of(answer) == (
        ["no-apst", "no-deepest-ps"], [], ["no-apst", "no-deepest-ps"],
    )
    assert answer["enabled"] is False
    answer = ssdpm.json("apst", "drive.json", "--quirk", "simple-suspend")
    assert quirks_of(answer) == (
        ["no-deepest-ps", "simple-suspend"], ["no-apst"], ["no-deepest-ps"],
    )
    answer = ssdpm.json("apst", "drive.json", "--quirk=none", "--quirk=no-apst")
    assert quirks_of(answer) == (["no-apst"], [], ["no-apst"])
    message = ssdpm.fails(2, "apst", "drive.json", "--quirk", "fast")
    assert "--quirk fast: no-apst, no-deepest-ps" in message


def test_a_near_miss_has_no_quirk_but_perhaps_one(ssdpm: Command) -> None:
    model = copy.deepcopy(ssdpm.example)
    model["product"] = "WD Blue SN570 250GB"
    ssdpm.write("sn570.json", model)
    assert quirks_of(ssdpm.json("apst", "sn570.json")) == ([], ["no-apst"], [])
    model["product"] = "WDC PC SN530 SDBPNPZ-256G-1006"
    ssdpm.write("sn530.json", model)
    answer = ssdpm.json("apst", "sn530.json")
    assert quirks_of(answer) == ([], ["no-apst", "no-deepest-ps"], [])
    assert answer["entries"] == DEFAULT_ENTRIES


def test_each_drive_has_its_own_quirks(ssdpm: Command) -> None:
    model = copy.deepcopy(ssdpm.example)
    model["product"] = "ACME"
    ssdpm.write("acme.json", model)
    answers = ssdpm.json("apst", "drive.json", "acme.json", "drive.json")
    assert [answer["entries"] for answer in answers] == [
        WITH_QUIRK, DEFAULT_ENTRIES, WITH_QUIRK,
    ]


def test_a_file_adds_rules(ssdpm: Command) -> None:
    ssdpm.write("rules", "[nvme mine]\nproduct = WDC*\nquirks = no-apst\n")
    result = ssdpm("apst", "--json", "--quirks-file", "rules", "drive.json")
    assert b"quirk no-apst (mine: line 1 of the rules)" in result.stderr
    assert documented.listed(result.stdout)["quirks"] == ["no-apst", "no-deepest-ps"]
    shown = ssdpm.json("show", "--quirks-file", "rules", "drive.json")
    assert shown["quirks"] == ["no-apst", "no-deepest-ps"]
    ssdpm.write("rules", "[nvme mine]\nquirks = fast\n")
    for subcommand in ("apst", "show"):
        message = ssdpm.fails(1, subcommand, "drive.json", "--quirks-file", "rules")
        assert "rules:2: quirks: this is no value for it" in message
        message = ssdpm.fails(1, subcommand, "drive.json", "--quirks-file", "none")
        assert "none: No such file" in message
