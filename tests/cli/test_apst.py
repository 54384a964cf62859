# SPDX-License-Identifier: MIT
"""ssdpm apst: the table, its options and forms; --diff, --infer, --keep, --reach."""

from __future__ import annotations

import copy
import pathlib
import re
from collections.abc import Callable
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
        (["--max-exit-latency", "any"], DEFAULT_ENTRIES),
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
        (["--max-exit-latency", "25ms"],
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
    text = ssdpm.output("apst", "drive.json", "--max-exit-latency", "1us", "--explain")
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
    assert "unknown --quirk 'fast'; expected no-apst, no-deepest-ps" in message


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


LIMIT = "/sys/class/nvme/nvmeN/power/pm_qos_latency_tolerance_us"
PARAMETERS = "/sys/module/nvme_core/parameters/"


def table_file(ssdpm: Command, *options: str) -> str:
    """A file with the JSON of a table."""
    text = ssdpm.output("apst", "--json", *options, "plain.json")
    return ssdpm.write("table.json", text)


def test_diff_of_two_algorithms_has_both_entries(ssdpm: Command) -> None:
    answer = ssdpm.json("apst", "--diff", "linux-legacy", "plain.json")
    assert answer["schema"] == "ssdpm.apst-diff/1"
    assert (answer["algorithm"], answer["other"]) == ("linux", "linux-legacy")
    assert answer["table"] is None
    assert answer["same"] is False
    assert answer["differences"] == [
        {"state": i, "target": 3, "idle_ms": 100, "other_target": 3,
         "other_idle_ms": 745}
        for i in range(3)
    ] + [{"state": 3, "target": 4, "idle_ms": 2000, "other_target": 4,
          "other_idle_ms": 2200}]


@pytest.mark.parametrize(
    "option, value",
    [
        ("--secondary-timeout", "1s"),
        ("--primary-timeout", "50ms"),
        ("--max-exit-latency", "5ms"),
        ("--primary-tolerance", "1us"),
        ("--secondary-tolerance", "20ms"),
    ],
)
def test_an_option_changes_one_side_of_a_single_diff(
    ssdpm: Command, option: str, value: str
) -> None:
    diff = ("apst", option, value, "--diff", "linux")
    answer = ssdpm.json(*diff, "plain.json")
    assert answer["same"] is False
    defaults = ssdpm.json("apst", "plain.json")["entries"]
    for d in answer["differences"]:
        entry = {e["state"]: e for e in defaults}[d["state"]]
        assert (d["other_target"], d["other_idle_ms"]) == (
            entry["target"], entry["idle_ms"])
    # Given twice, it holds for both.
    assert ssdpm.json(*diff, "--diff", "linux", "plain.json")["same"] is True


def test_quirks_hold_for_both_sides_and_given_twice_all_options_do(
    ssdpm: Command,
) -> None:
    answer = ssdpm.json("apst", "--max-exit-latency", "25ms", "--diff", "linux-legacy", "plain.json")
    assert [d["state"] for d in answer["differences"]] == [0, 1, 2, 3]
    answer = ssdpm.json("apst", "--max-exit-latency", "25ms", "--diff", "linux",
                        "--diff", "linux-legacy", "plain.json")
    assert [d["state"] for d in answer["differences"]] == [0, 1, 2]
    answer = ssdpm.json("apst", "-a", "linux-legacy", "--diff", "linux-legacy",
                        "--quirk", "no-deepest-ps", "plain.json")
    assert answer["same"] is True and answer["differences"] == []


@pytest.mark.parametrize("form", ["--json", "--hex", "--raw"])
def test_diff_with_a_file_takes_all_that_apst_prints(
    ssdpm: Command, form: str
) -> None:
    if form == "--raw":
        ssdpm.output("apst", "--raw", "table", "plain.json")
    else:
        ssdpm.write("table", ssdpm.output("apst", form, "plain.json"))
    assert ssdpm.json("apst", "--diff", "table", "plain.json")["same"] is True
    answer = ssdpm.json("apst", "--max-exit-latency", "25ms", "--diff", "table", "plain.json")
    assert answer["differences"] == [
        {"state": 3, "target": None, "idle_ms": None, "other_target": 4,
         "other_idle_ms": 2000}
    ]


def test_diff_twice_compares_two_tables(ssdpm: Command) -> None:
    table = table_file(ssdpm, "--max-exit-latency", "25ms")
    ssdpm.write("other", ssdpm.output("apst", "--hex", "--max-exit-latency", "0us", "plain.json"))
    answer = ssdpm.json("apst", "--diff", table, "--diff", "other", "plain.json")
    assert (answer["table"], answer["other"]) == (table, "other")
    assert answer["algorithm"] is None and answer["parameters"] is None
    assert (answer["enabled"], answer["other_enabled"]) == (True, False)
    assert [d["state"] for d in answer["differences"]] == [0, 1, 2]
    text = ssdpm.output("apst", "--diff", table, "--diff", "other", "plain.json")
    assert f"{table} and other differ\n" in text
    answer = ssdpm.json("apst", "--diff", "linux-legacy", "--diff", table,
                        "plain.json")
    assert answer["algorithm"] == "linux-legacy" and answer["same"] is False
    assert ssdpm.json("apst", "--diff", table, "--diff", table, "plain.json")["same"]
    assert "unknown file or algorithm 'none'" in ssdpm.fails(
        1, "apst", "--diff", "none", "--diff", table, "plain.json")


def test_diff_says_what_differs_and_what_not(ssdpm: Command) -> None:
    table = table_file(ssdpm)
    text = ssdpm.output("apst", "--diff", table, "plain.json")
    assert "make the same table" in text and " no\n" not in text
    text = ssdpm.output("apst", "--max-exit-latency", "25ms", "--diff", table, "plain.json")
    assert re.search(r"differ\n", text)
    assert re.search(r"PS0-PS2 .* yes\n", text)
    assert re.search(r"PS3 +- +PS4 after 2 s +no\n", text)
    text = ssdpm.output("apst", "--max-exit-latency", "0us", "--diff", table, "plain.json")
    assert re.search(r"APST +off +on +no\n", text)
    assert not re.search(r" \n", text)


def test_a_file_may_be_named_like_an_algorithm(ssdpm: Command) -> None:
    ssdpm.write("linux", ssdpm.output("apst", "--hex", "--max-exit-latency", "0us", "plain.json"))
    assert ssdpm.json("apst", "--diff", "linux", "plain.json")["same"] is True
    assert ssdpm.json("apst", "--diff", "./linux", "plain.json")["same"] is False


def test_infer_finds_the_causes_with_their_limits(ssdpm: Command) -> None:
    answer = ssdpm.json("apst", "--infer", table_file(ssdpm), "plain.json")
    assert answer["schema"] == "ssdpm.apst-infer/1"
    first = answer["candidates"][0]
    assert first["algorithm"] == "linux"
    assert (first["limit_min_us"], first["limit_max_us"]) == (39000, "any")
    assert first["parameters"]["max_exit_latency_us"] == 100000
    table = table_file(ssdpm, "--max-exit-latency", "25ms")
    text = ssdpm.output("apst", "--infer", table, "plain.json")
    assert text.splitlines()[1:3] == [
        "  linux, latency limit 11 ms to 38.999 ms",
        "  linux, quirk no-deepest-ps, latency limit 11 ms to any",
    ]
    text = ssdpm.output("apst", "--infer", "linux-legacy", "plain.json")
    assert "  linux-legacy, latency limit 39 ms to any\n" in text


def test_infer_says_if_nothing_makes_the_table(ssdpm: Command) -> None:
    table = ssdpm.write("table", "Entry[ 1]\n(ITPT): 7 ms\n(ITPS): 2\n")
    answer = ssdpm.json("apst", "--infer", table, "plain.json")
    assert answer["candidates"] == []
    text = ssdpm.output("apst", "--infer", table, "plain.json")
    assert "nothing that is known makes the table of table" in text


def test_infer_tells_settings_that_are_not_the_default(ssdpm: Command) -> None:
    table = table_file(ssdpm, "--primary-timeout", "70ms", "--secondary-timeout", "9s",
                       "--secondary-tolerance", "1s")
    text = ssdpm.output("apst", "--infer", table, "plain.json")
    assert "  linux, primary timeout 70 ms, secondary timeout 9 s, latency" in text
    table = table_file(ssdpm, "--max-exit-latency", "0us")
    text = ssdpm.output("apst", "--infer", table, "plain.json")
    assert text.splitlines()[1:3] == [
        "  linux, latency limit 0 us",
        "  linux, quirk no-apst, whatever the latency limit",
    ]


@pytest.mark.parametrize(
    "state, limit", [("PS3", "38999"), ("3", "38999"), ("ps4", "any")]
)
def test_keep_gives_the_largest_limit(ssdpm: Command, state: str, limit: str) -> None:
    key = "max_exit_latency_us"
    value = ssdpm.output("apst", "--keep", state, "--value", key, "plain.json")
    assert value == limit + "\n"


def test_keep_says_why_there_is_no_limit(ssdpm: Command) -> None:
    model = copy.deepcopy(ssdpm.plain)
    model["states"][4]["exit_latency_us"] = 10500
    ssdpm.write("fast.json", model)
    answer = ssdpm.json("apst", "--keep", "PS3", "fast.json")
    assert answer["schema"] == "ssdpm.apst-keep/1"
    assert answer["max_exit_latency_us"] is None and answer["limit_min_us"] is None
    assert answer["reason"] == (
        "no limit drops PS4 and keeps PS3: PS4 exits in 10.5 ms, PS3 in 11 ms"
    )
    text = ssdpm.output("apst", "--keep", "PS3", "fast.json")
    assert answer["reason"] in text
    answer = ssdpm.json("apst", "--keep", "PS3", "plain.json")
    assert answer["reason"] is None and answer["limit_min_us"] == 11000


@pytest.mark.parametrize("state", ["", "PS", "PS32", "-1", "3x", "PS 3", "0x3", "003"])
def test_keep_takes_a_state_only(ssdpm: Command, state: str) -> None:
    message = ssdpm.fails(2, "apst", f"--keep={state}", "plain.json")
    assert "write a state, as in PS3" in message


def test_keep_refuses_a_state_that_the_drive_has_not(ssdpm: Command) -> None:
    assert "only 5 states" in ssdpm.fails(2, "apst", "--keep", "PS5", "plain.json")


def test_reach_gives_all_ways_to_set_it(ssdpm: Command) -> None:
    answer = ssdpm.json("apst", "--reach", "linux-legacy", "--max-exit-latency", "25ms", "plain.json")
    assert answer["schema"] == "ssdpm.apst-reach/1"
    assert answer["exact"] is True and answer["differences"] == []
    assert answer["sysfs"] == [
        {"path": PARAMETERS + "apst_primary_timeout_ms", "value": "745"},
        {"path": LIMIT, "value": "10999"},
        {"path": LIMIT, "value": "11000"},
    ]
    assert answer["modprobe"] == (
        "options nvme_core apst_primary_timeout_ms=745 "
        "default_ps_max_latency_us=11000"
    )
    assert answer["kernel_command_line"] == (
        "nvme_core.apst_primary_timeout_ms=745 "
        "nvme_core.default_ps_max_latency_us=11000"
    )
    assert answer["assumed_defaults"]["apst_secondary_timeout_ms"] == 2000


def test_what_reach_prints_makes_the_table(ssdpm: Command) -> None:
    table = table_file(ssdpm, "--primary-timeout", "70ms", "--secondary-timeout", "9s")
    answer = ssdpm.json("apst", "--reach", table, "plain.json")
    parameters = answer["parameters"]
    options = [
        f"--max-exit-latency={parameters['max_exit_latency_us']}us",
        f"--primary-timeout={parameters['primary_timeout_ms']}ms",
        f"--primary-tolerance={parameters['primary_latency_tolerance_us']}us",
        f"--secondary-timeout={parameters['secondary_timeout_ms']}ms",
        f"--secondary-tolerance={parameters['secondary_latency_tolerance_us']}us",
    ]
    made = ssdpm.json("apst", *options, "--diff", table, "plain.json")
    assert made["same"] is True
    text = ssdpm.output("apst", "--reach", table, "plain.json")
    assert f"    echo 70 > {PARAMETERS}apst_primary_timeout_ms\n" in text
    assert f"    echo 99999 > {LIMIT}\n    echo 100000 > {LIMIT}\n" in text
    assert "apst_primary_latency_tol_us=15000" in text


def test_reach_of_the_defaults_sets_no_parameter(ssdpm: Command) -> None:
    answer = ssdpm.json("apst", "--reach", "linux", "plain.json")
    assert [write["path"] for write in answer["sysfs"]] == [LIMIT, LIMIT]
    assert answer["modprobe"] is None and answer["kernel_command_line"] is None
    text = ssdpm.output("apst", "--reach", "linux", "plain.json")
    assert "by default" in text and "modprobe" not in text


def test_reach_says_what_differs_in_the_closest(ssdpm: Command) -> None:
    table = ssdpm.write("table", "Entry[0]\n(ITPT): 500\n(ITPS): 4\n"
                        "Entry[3]\n(ITPT): 700\n(ITPS): 4\n")
    answer = ssdpm.json("apst", "--reach", table, "plain.json")
    assert answer["exact"] is False
    assert [d["state"] for d in answer["differences"]] == [1, 2, 3]
    text = ssdpm.output("apst", "--reach", table, "plain.json")
    assert "cannot build" in text
    assert re.search(r"PS0 +PS4 after 500 ms +PS4 after 500 ms +yes\n", text)
    quirked = ssdpm.json("apst", "--reach", "linux", "--quirk", "no-deepest-ps",
                         "plain.json")
    assert quirked["exact"] is True  # the quirk holds for both
    table = table_file(ssdpm)
    quirked = ssdpm.json("apst", "--reach", table, "--quirk", "no-deepest-ps",
                         "plain.json")
    assert [d["state"] for d in quirked["differences"]] == [3]


def test_no_limit_is_written_as_the_kernel_takes_it(ssdpm: Command) -> None:
    model = copy.deepcopy(ssdpm.plain)
    model["states"][4]["exit_latency_us"] = 2**31
    ssdpm.write("slow.json", model)
    answer = ssdpm.json("apst", "--reach", "linux-legacy", "--max-exit-latency", "any", "slow.json")
    assert answer["exact"] is True
    assert [write["value"] for write in answer["sysfs"]][-2:] == ["2147483646", "any"]
    assert "default_ps_max_latency_us=2147483647" in answer["modprobe"]


@pytest.mark.parametrize("question", [["--diff", "linux"], ["--infer", "linux"],
                                      ["--keep", "PS3"], ["--reach", "linux"]])
def test_several_drives_give_several_answers(
    ssdpm: Command, question: list[str]
) -> None:
    answers = ssdpm.json("apst", *question, "plain.json", "drive.bin")
    assert [answer["drive"] for answer in answers] == ["plain.json", "drive.bin"]
    text = ssdpm.output("apst", *question, "plain.json", "drive.bin")
    assert "plain.json: " in text and "drive.bin: " in text


@pytest.mark.parametrize("question", [["--diff", "linux"], ["--infer", "linux"],
                                      ["--keep", "PS0"], ["--reach", "linux"]])
def test_a_sata_drive_cannot(ssdpm: Command, question: list[str]) -> None:
    ssdpm.write("sata.json", {"schema": "ssdpm.model/1", "kind": "sata", "states": []})
    assert "NVMe drive" in ssdpm.fails(3, "apst", *question, "sata.json")


def test_questions_exclude_each_other_and_other_forms(ssdpm: Command) -> None:
    for options in (["--diff", "a", "--infer", "a"], ["--keep", "PS3", "--raw", "f"],
                    ["--reach", "a", "--hex"], ["--infer", "a", "--explain"]):
        message = ssdpm.fails(2, "apst", *options, "plain.json")
        assert "conflicts with" in message
    message = ssdpm.fails(2, "apst", "--keep", "PS3", "--keep", "PS4", "plain.json")
    assert message.endswith("--keep is given too often")
    message = ssdpm.fails(2, "apst", *3 * ["--diff", "linux"], "plain.json")
    assert message.endswith("--diff is given too often")


@pytest.mark.parametrize("name", ["linux:balanced", "linux-legacy:ac", "linux:"])
def test_a_scheme_is_for_windows_only(ssdpm: Command, name: str) -> None:
    message = ssdpm.fails(2, "apst", "--diff", name, "plain.json")
    assert "windows:balanced:battery" in message


def test_a_bad_table_is_refused_with_its_line(ssdpm: Command) -> None:
    ssdpm.write("bad", "Entry[ 0]\n(ITPT): x\n")
    message = ssdpm.fails(1, "apst", "--infer", "bad", "plain.json")
    assert message == "ssdpm: bad:2: ITPT is not a number of 0 to 16777215"
    assert "not an APST table" in ssdpm.fails(
        1, "apst", "--diff", "-", "plain.json", stdin=b"hello")
    assert "unknown file or algorithm 'none'" in ssdpm.fails(1, "apst", "--reach", "none", "plain.json")


def test_an_unknown_apsta_is_said(ssdpm: Command) -> None:
    model = copy.deepcopy(ssdpm.plain)
    model["apsta"] = None
    ssdpm.write("unknown.json", model)
    result = ssdpm("apst", "--keep", "PS3", "unknown.json")
    assert result.returncode == 0 and b"APSTA is unknown" in result.stderr
    assert ssdpm("apst", "-q", "--keep", "PS3", "unknown.json").stderr == b""


def test_a_sata_disk_hides_no_table_of_an_nvme_drive(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = str(machine("desktop-6.1"))
    assert ssdpm.output("apst", "--root", root).startswith(
        "nvme0: Samsung SSD 970 EVO Plus 1TB, linux"
    )
    asked = ssdpm.run("ssdpm", "apst", "--root", root, "nvme0", "sda")
    assert asked.returncode == 3
    assert asked.stdout.startswith("nvme0: ")
    assert "sda: not an NVMe drive" in asked.stderr


def test_without_an_nvme_drive_apst_says_so(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = machine("external-ports")
    asked = ssdpm.run("ssdpm", "apst", "--root", root)
    assert (asked.returncode, asked.stdout) == (0, "")
    assert "there is no NVMe drive" in asked.stderr


def test_a_file_is_not_written_before_a_drive_that_is_not_there(ssdpm: Command) -> None:
    for command in ("apst", "recommend"):
        result = ssdpm(command, "--raw", "raw", "WDC PC SN530", "no such")
        assert result.returncode == 2 and b"--raw takes one drive, here are 2" in result.stderr
        assert not (ssdpm.directory / "raw").exists()
