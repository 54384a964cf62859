# SPDX-License-Identifier: MIT
"""ssdpm show: any input that is right, in every form of output."""

from __future__ import annotations

import copy
import json
import re
import subprocess
from typing import Any

from command import EXAMPLE, TOP, Command


def test_a_raw_identify_and_its_json_are_the_same_drive(ssdpm: Command) -> None:
    assert ssdpm.output("show", "--json", "drive.bin") == EXAMPLE.read_text()
    assert ssdpm.output("show", "--json", "drive.json") == EXAMPLE.read_text()


def test_quirks_are_named_where_there_are_any(ssdpm: Command) -> None:
    assert ssdpm.example["quirks"] == ["no-deepest-ps"]
    assert ssdpm.output("show", "drive.json").endswith("\n  quirks: no-deepest-ps\n")
    verbose = ssdpm("show", "-v", "drive.json").stderr.decode()
    assert "quirk no-deepest-ps (WD Blue SN550: Linux 6.12.117 " in verbose
    model = copy.deepcopy(ssdpm.example)
    model["product"] = "ACME"
    ssdpm.write("acme.json", model)
    assert "quirks" not in ssdpm.output("show", "acme.json")
    shown = ssdpm.json("show", "acme.json", "drive.json", "acme.json")
    assert [drive.get("quirks") for drive in shown] == [None, ["no-deepest-ps"], None]


def test_one_drive_is_an_object_and_two_are_an_array(ssdpm: Command) -> None:
    assert ssdpm.json("show", "drive.bin")["schema"] == "ssdpm.model/1"
    both = ssdpm.json("show", "drive.bin", "drive.json")
    assert both == [ssdpm.example, ssdpm.example]


def test_an_array_of_drives_is_read_back(ssdpm: Command) -> None:
    text = ssdpm.output("show", "--json", "drive.bin", "drive.json")
    ssdpm.write("both.json", text)
    assert ssdpm.output("show", "--json", "both.json") == text
    human = ssdpm.output("show", "both.json")
    assert "both.json[0]: WDC" in human and "both.json[1]: WDC" in human


def test_unknown_values_are_null_a_dash_and_empty(ssdpm: Command) -> None:
    model = {"schema": "ssdpm.model/1", "kind": "nvme", "states": [{"operational": True}]}
    name = ssdpm.write("bare.json", model)
    shown = ssdpm.json("show", name)
    assert shown["product"] is None and shown["apsta"] is None
    state = shown["states"][0]
    assert state["operational"] is True and state["not_reported"] == []
    assert all(state[key] is None for key in state if key not in ("operational", "not_reported"))
    assert ssdpm.output("show", "--value", "states_0_max_power_uw", name) == "\n"
    assert "product=''\n" in ssdpm.output("show", "--shell", name)
    row = ssdpm.output("show", name).splitlines()[2].split()
    assert row == ["PS0", "yes"] + ["-"] * 9


def test_zeros_stand_and_are_marked_as_not_reported(ssdpm: Command) -> None:
    assert "0 us*" in ssdpm.output("show", "drive.bin")
    state = ssdpm.json("show", "drive.bin")["states"][0]
    assert state["exit_latency_us"] == 0
    assert "exit_latency_us" in state["not_reported"]


def test_value_prints_one_line_for_each_drive(ssdpm: Command) -> None:
    text = ssdpm.output("show", "--value", "firmware", "drive.bin", "drive.json")
    assert text == "211070WD\n211070WD\n"


def test_shell_output_survives_any_product_name(ssdpm: Command) -> None:
    model = copy.deepcopy(ssdpm.example)
    model["product"] = "a'b $(touch x) `id` \\ \" ;"
    ssdpm.write("evil.json", model)
    result = ssdpm.shell('eval "$(ssdpm show --shell evil.json)"; printf %s "$product"')
    assert result.stdout == model["product"]
    assert not (ssdpm.directory / "x").exists()


def test_standard_input_pipes_and_process_substitution_are_read(
    ssdpm: Command,
) -> None:
    raw = (ssdpm.directory / "drive.bin").read_bytes()
    text = EXAMPLE.read_text()
    assert ssdpm.output("show", "--json", "-", stdin=raw) == text
    slow = "ssdpm show --json <(sleep 0.2; head -c 999 drive.bin; sleep 0.2; tail -c +1000 drive.bin)"
    assert ssdpm.shell(slow).stdout == text


def test_options_may_follow_operands_and_two_dashes_end_them(
    ssdpm: Command,
) -> None:
    assert ssdpm.json("show", "drive.bin") == ssdpm.example
    (ssdpm.directory / "--json").write_bytes((ssdpm.directory / "drive.bin").read_bytes())
    assert ssdpm.output("show", "--", "--json").startswith("--json: WDC")


def test_the_output_does_not_depend_on_the_locale(ssdpm: Command) -> None:
    before = ssdpm.output("show", "drive.bin")
    ssdpm.environment["LC_ALL"] = "de_DE.UTF-8"
    assert ssdpm.output("show", "drive.bin") == before


def test_a_reader_that_goes_away_is_no_crash(ssdpm: Command) -> None:
    operands = " ".join(["drive.bin"] * 200)
    result = ssdpm.shell(f"ssdpm show --json {operands} | head -n 1; echo ${{PIPESTATUS[0]}}")
    assert result.stdout.splitlines()[0] == "["
    assert result.stdout.splitlines()[1] in ("141", "1", "0")
    assert result.stderr == ""


def test_a_full_disk_is_a_failure(ssdpm: Command) -> None:
    result = ssdpm.shell("ssdpm show drive.bin > /dev/full")
    assert result.returncode == 1
    assert result.stderr == "ssdpm: standard output: No space left on device\n"


def test_verbose_says_what_was_read_and_quiet_says_nothing(ssdpm: Command) -> None:
    result = ssdpm("show", "-v", "drive.bin")
    assert result.stderr.startswith(b"ssdpm: drive.bin: 4096 bytes, 1 drive\n")
    assert ssdpm("show", "-q", "drive.bin").stderr == b""


def test_version_and_help_go_to_standard_output(ssdpm: Command) -> None:
    assert ssdpm.output("--version").startswith("ssdpm 0.")
    assert ssdpm.output("--help").startswith("Usage: ssdpm")
    assert ssdpm.output("show", "--help").startswith("Usage: ssdpm show")


def test_help_of_a_command_is_what_its_option_prints(ssdpm: Command) -> None:
    for word in ("help", "--help", "-h"):
        assert ssdpm.output(word) == ssdpm.output("--help")
        assert ssdpm.output(word, "estimate") == ssdpm.output("estimate", "--help")
        calibrate = ssdpm.output(word, "measure", "calibrate")
        assert calibrate == ssdpm.output("measure", "calibrate", "--help")


def test_a_word_that_nothing_reads_is_a_usage_error(ssdpm: Command) -> None:
    for word in ("help", "--help", "-h"):
        assert "nosuch: no such command" in ssdpm.fails(2, word, "nosuch")
        assert "measure nosuch: no such command" in ssdpm.fails(
            2, word, "measure", "nosuch"
        )
        assert "'foo'" in ssdpm.fails(2, word, "measure", "calibrate", "foo")
    assert "'foo'" in ssdpm.fails(2, "--version", "foo")
    assert "'foo'" in ssdpm.fails(2, "--completion", "bash", "foo")


def test_json_of_show_is_what_python_reads(ssdpm: Command) -> None:
    parsed = json.loads(subprocess.check_output(
        ["ssdpm", "show", "--json", "drive.bin"], cwd=ssdpm.directory, env=ssdpm.environment))
    assert parsed == ssdpm.example


def odd_model(ssdpm: Command) -> dict[str, Any]:
    """PS2 like PS1, and a PS4 that Linux never enters."""
    model: dict[str, Any] = copy.deepcopy(ssdpm.example)
    model["states"][2]["max_power_uw"] = model["states"][1]["max_power_uw"]
    model["states"][4]["exit_latency_us"] = 125_000
    return model


def test_lint_prints_one_line_for_each_finding(ssdpm: Command) -> None:
    ssdpm.write("odd.json", odd_model(ssdpm))
    plain = ssdpm.output("show", "odd.json")
    linted = ssdpm.output("show", "--lint", "odd.json")
    assert linted.startswith(plain)
    assert linted[len(plain) :].splitlines() == [
        "",
        "  equal-power    PS2: maximum 2.4 W, the same as PS1: by the drive's own "
        "numbers nothing is gained by it",
        "  never-entered  PS4: entry+exit 130 ms > 100 ms: Linux 5.14 and later "
        "never enters it, whatever the latency limit, unless "
        "apst_secondary_latency_tol_us is raised",
    ]


def test_lint_adds_a_diagnosis_to_the_json(ssdpm: Command) -> None:
    model = odd_model(ssdpm)
    ssdpm.write("odd.json", model)
    shown = ssdpm.json("show", "--lint", "odd.json")
    diagnosis = shown.pop("diagnosis")
    assert shown == model
    assert [(d["code"], d["state"]) for d in diagnosis] == [
        ("equal-power", 2),
        ("never-entered", 4),
    ]
    assert "diagnosis" not in ssdpm.json("show", "odd.json")
    value = ssdpm.output("show", "--lint", "--value", "diagnosis_count", "odd.json")
    assert value == "2\n"


def test_lint_says_of_the_drive_as_a_whole_what_is_of_no_state(
    ssdpm: Command,
) -> None:
    model = copy.deepcopy(ssdpm.example)
    model["apsta"] = 0
    ssdpm.write("none.json", model)
    (finding,) = ssdpm.json("show", "--lint", "none.json")["diagnosis"]
    assert (finding["code"], finding["state"]) == ("apsta-zero", None)
    assert f"  apsta-zero  {finding['message']}\n" in ssdpm.output(
        "show", "--lint", "none.json"
    )


def test_lint_judges_each_drive_and_says_where_nothing_is_odd(
    ssdpm: Command,
) -> None:
    ssdpm.write("odd.json", odd_model(ssdpm))
    both = ssdpm.json("show", "--lint", "drive.bin", "odd.json")
    assert [len(drive["diagnosis"]) for drive in both] == [0, 2]
    assert "nothing is odd" in ssdpm.output("show", "--lint", "drive.bin")
    # What it printed is a drive still: unknown keys are ignored.
    ssdpm.write("both.json", json.dumps(both))
    assert ssdpm.json("show", "both.json")[0] == ssdpm.example


def test_every_code_of_a_finding_is_in_the_man_pages(ssdpm: Command) -> None:
    header = (TOP / "include/ssdpm/model.h").read_text()
    names = re.findall(r"(SSDPM_FINDING_\w+) =", header)
    assert len(names) >= 16
    codes = [name.split("_", 2)[2].lower().replace("_", "-") for name in names]
    page = (TOP / "man/ssdpm-show.1").read_text().split(".Ss Findings\n")[1]
    page = page.split(".Sh ")[0]
    assert re.findall(r"^\.It Cm (\S+)$", page, re.M) == codes
    library = (TOP / "man/ssdpm_model.3").read_text()
    assert re.findall(r"^\.It Dv (SSDPM_FINDING_\w+)$", library, re.M) == names


# The powers of a HFS960GD0MEE-5410A as nvme-cli 1.8 prints them, and two states more.
NO_FRACTIONS = """\
NVME Identify Controller:
mn        : HFS960GD0MEE-5410A
fr        : 40033A00
npss      : 3
apsta     : 0
ps    0 : mp:7.39W operational enlat:1 exlat:1 rrt:0 rrl:0
          rwt:0 rwl:0 idle_power:2.02W active_power:4.02W
ps    1 : mp:6.82W operational enlat:1 exlat:1 rrt:1 rrl:1
          rwt:1 rwl:1 idle_power:2.02W active_power:2.02W
ps    2 : mp:2.75W operational enlat:1 exlat:1 rrt:2 rrl:2
          rwt:2 rwl:2 idle_power:2.02W active_power:0.02W
ps    3 : mp:0.0250W non-operational enlat:1 exlat:1 rrt:2 rrl:2
          rwt:2 rwl:2 idle_power:0.02W active_power:-
"""


def test_a_power_without_its_fraction_is_a_range(ssdpm: Command) -> None:
    name = ssdpm.write("old.txt", NO_FRACTIONS)
    lines = ssdpm.output("show", name).splitlines()
    rows = [" ".join(line.split()) for line in lines]
    assert "7.39 W 4..4.99 W 2..2.99 W 1 us" in rows[2]
    assert "2.75 W 0..990 mW 2..2.75 W 1 us" in rows[4]
    assert "25 mW - 0..25 mW 1 us" in rows[5]
    note = "  a range: nvme-cli before 1.12 printed no fraction; 0: perhaps not reported"
    assert lines[6] == note
    first, _, third, last = ssdpm.json("show", name)["states"]
    assert first["idle_power_uw"] is None and first["active_power_uw"] is None
    assert first["idle_power_low_uw"] == 2_000_000
    assert first["idle_power_high_uw"] == 2_990_000
    assert first["active_power_low_uw"] == 4_000_000
    assert first["active_power_high_uw"] == 4_990_000
    assert third["idle_power_high_uw"] == 2_750_000
    assert last["idle_power_high_uw"] == 25_000
    assert "active_power_low_uw" not in last
    value = ssdpm.output("show", "--value", "states_2_idle_power_high_uw", name)
    assert value == "2750000\n"


def test_json_of_a_power_without_its_fraction_is_read_back(ssdpm: Command) -> None:
    text = ssdpm.output("show", "--json", ssdpm.write("old.txt", NO_FRACTIONS))
    ssdpm.write("old.json", text)
    assert ssdpm.output("show", "--json", "old.json") == text
    assert "2..2.99 W" in ssdpm.output("show", "old.json")


def test_an_estimate_takes_the_range_of_a_power(ssdpm: Command) -> None:
    name = ssdpm.write("old.txt", NO_FRACTIONS)
    explained = ssdpm.json("estimate", "-t", "lomax", name)["parameters"]
    idle = next(p for p in explained if p["kind"] == "idle_power_uw")
    assert idle["provenance"] == "reported" and idle["rule"].startswith("IDLP-range:")
    assert (idle["low"], idle["nominal"], idle["high"]) == (2_000_000, 2_000_000, 2_990_000)
