# SPDX-License-Identifier: MIT
"""ssdpm show: each input in each form of output; the drives of a machine."""

from __future__ import annotations

import copy
import json
import pathlib
import re
import subprocess
from collections.abc import Callable
from typing import Any

import documented
import machines
import pytest
from command import EXAMPLE, TOP, Command


def test_a_raw_identify_and_its_json_are_the_same_drive(ssdpm: Command) -> None:
    assert ssdpm.json("show", "drive.bin") == ssdpm.example
    assert ssdpm.json("show", "drive.json") == ssdpm.example


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
    text = ssdpm.output("show", "--json", "drive.bin")
    assert documented.listed(text) == ssdpm.example
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
    assert result.stdout.splitlines()[0] == "{"
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
        assert "unknown command 'nosuch'" in ssdpm.fails(2, word, "nosuch")
        assert "unknown action of measure 'nosuch'" in ssdpm.fails(
            2, word, "measure", "nosuch"
        )
        assert "'foo'" in ssdpm.fails(2, word, "measure", "calibrate", "foo")
    assert "'foo'" in ssdpm.fails(2, "--version", "foo")
    assert "'foo'" in ssdpm.fails(2, "--completion", "bash", "foo")


def test_json_of_show_is_what_python_reads(ssdpm: Command) -> None:
    assert ssdpm.json("show", "drive.bin") == ssdpm.example


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
    header = (TOP / "include/ssdpm/energy/lint.h").read_text()
    names = re.findall(r"(SSDPM_FINDING_\w+) =", header)
    assert len(names) >= 16
    codes = [name.split("_", 2)[2].lower().replace("_", "-") for name in names]
    page = (TOP / "man/ssdpm-show.1").read_text().split(".Ss Findings\n")[1]
    page = page.split(".Sh ")[0]
    assert re.findall(r"^\.It Cm (\S+)$", page, re.M) == codes
    library = (TOP / "man/ssdpm_lint.3").read_text()
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


WORDS = {0: 0x0040, 76: 0x030E, 78: 0x0108, 79: 0x0008, 83: 0x4008, 86: 0x0008}
WORDS |= {87: 0x4000, 91: 128}

HDPARM = """
/dev/sda:

ATA device, with non-removable media
\tModel Number:       Fixture SATA SSD
\tFirmware Revision:  FW 2.0
Capabilities:
\tAdvanced power management level: 128
Commands/features:
\tEnabled\tSupported:
\t   *\tAdvanced Power Management feature set
\t   *\tGen1 signaling speed (1.5Gb/s)
\t   *\tGen2 signaling speed (3.0Gb/s)
\t   *\tGen3 signaling speed (6.0Gb/s)
\t   *\tHost-initiated interface power management
\t   *\tDevice-initiated interface power management
\t    \tDevice Sleep (DEVSLP)
Checksum: correct
"""

TABLE = """\
{}: Fixture SATA SSD, firmware FW 2.0, SATA
  HIPM supported; DIPM enabled; DevSleep supported, not enabled; APM enabled (level 128)
  state         operational  max power  active  idle  entry   exit
  PS0 active    yes                  -       -     -      -      -
  PS1 partial   no                   -       -     -      -  10 us
  PS2 slumber   no                   -       -     -      -  10 ms
  PS3 devsleep  no                   -       -     -      -  20 ms
"""


def identify(**changes: int) -> bytes:
    """IDENTIFY DEVICE data; identify(w76=0) changes a word."""
    words = dict(WORDS)
    for first, text in ((23, "FW 2.0  "), (27, "Fixture SATA SSD".ljust(40))):
        for i in range(0, len(text), 2):
            words[first + i // 2] = ord(text[i]) << 8 | ord(text[i + 1])
    words |= {int(name[1:]): value for name, value in changes.items()}
    return b"".join(words.get(i, 0).to_bytes(2, "little") for i in range(256))


def hexadecimal(data: bytes) -> bytes:
    """As Linux and hdparm write it: eight words a line."""
    words = [f"{data[i + 1]:02x}{data[i]:02x}" for i in range(0, 512, 2)]
    lines = [" ".join(words[i : i + 8]) for i in range(0, 256, 8)]
    return "".join(f"{line}\n" for line in lines).encode()


FORMS = {
    "ata-identify": identify(),
    "ata-identify-hex": b"\n/dev/sda:\n" + hexadecimal(identify()),
    "hdparm-text": HDPARM.encode(),
    "atasmart-blob": b"IDFY\0\0\2\0" + identify() + b"SMST\0\0\0\4\0\0\0\1",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_shows_the_same_link_states(ssdpm: Command, form: str) -> None:
    name = ssdpm.write("saved", FORMS[form])
    assert ssdpm.output("show", name) == TABLE.format(name)
    assert ssdpm.json("show", name)["format"] == form
    text = ssdpm.output("show", "--json", name)
    ssdpm.write("again.json", text)
    assert ssdpm.output("show", "--json", "again.json") == text
    assert ssdpm.output("show", "again.json") == TABLE.format("again.json")


def test_json_has_the_facts_of_the_link(ssdpm: Command) -> None:
    name = ssdpm.write("saved", identify())
    sata = ssdpm.json("show", name)["sata"]
    assert sata["generations"] == [1, 2, 3]
    assert sata["hipm_supported"] is True and sata["hipm_enabled"] is None
    assert sata["dipm_enabled"] is True and sata["devsleep_enabled"] is False
    assert sata["apm_level"] == 128 and sata["words_valid"] is True
    assert ssdpm.output("show", "--value", "states_1_link_state", name) == "partial\n"
    assert ssdpm.output("show", "--value", "sata_generations_2", name) == "3\n"


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"w76": 0x0100, "w78": 0, "w83": 0x4000, "w86": 0},
         "HIPM not supported; DIPM not supported; DevSleep not supported; "
         "APM not supported"),
        ({"w79": 0x0100, "w86": 0},
         "HIPM supported; DIPM supported, not enabled; DevSleep enabled; "
         "APM supported, not enabled"),
        ({"w76": 0, "w83": 0},
         "HIPM unknown; DIPM unknown; DevSleep unknown; APM unknown"),
        ({"w91": 0},
         "HIPM supported; DIPM enabled; DevSleep supported, not enabled; APM enabled"),
    ],
)  # fmt: skip
def test_each_feature_has_its_word(
    ssdpm: Command, changes: dict[str, int], line: str
) -> None:
    if "w83" in changes and not changes["w83"]:
        changes = changes | {"w87": 0}
    name = ssdpm.write("saved", identify(**changes))
    shown = ssdpm.output("show", name).splitlines()
    assert shown[1] == f"  {line}"
    note = "  The drive says nothing of its link; Linux takes that for not supported"
    assert (note in shown) == (changes.get("w76") == 0)


def test_a_sata_drive_has_no_apst(ssdpm: Command) -> None:
    name = ssdpm.write("saved", identify())
    assert "not an NVMe drive: only these have APST" in ssdpm.fails(3, "apst", name)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (bytes(512), "all bytes are 0"),
        (identify(w0=0x85C0), "not an ATA device"),
        (identify(w255=0x00A5), "checksum"),
        (hexadecimal(identify())[:-5], ":32: 255 words of four hexadecimal digits"),
        (b"SMST\0\0\0\4\0\0\0\1", "without a chunk IDFY"),
        (HDPARM.encode() * 2, ":23: a second drive begins here"),
    ],
)
def test_what_is_no_drive_is_refused_with_the_reason(
    ssdpm: Command, content: bytes, words: str
) -> None:
    name = ssdpm.write("bad", content)
    assert words in ssdpm.fails(1, "show", name)


Make = Callable[[str], pathlib.Path]


def test_without_a_drive_all_are_diagnosed_and_the_machine_follows(
    ssdpm: Command, machine: Make
) -> None:
    text = ssdpm.output("show", "--root", str(machine("apst-empty")))
    blocks = text.split("\n\n")
    assert blocks[0].startswith("nvme0: WDC PC SN530")
    assert "  saves nothing: " in blocks[0]
    assert "  ! APST enabled but empty: " in blocks[0]
    assert blocks[1].startswith("nvme1: Fixture Slow SSD")
    assert "PS4" in blocks[1] and "113 ms" in blocks[1]
    assert blocks[-1].startswith("This machine: ")
    assert "apst_secondary_latency_tol_us=100000" in blocks[-1]
    assert "max power" not in text


def test_a_named_device_is_shown_with_its_table_and_states(
    ssdpm: Command, machine: Make
) -> None:
    text = ssdpm.output("show", "--root", str(machine("laptop")), "nvme0")
    assert "latency limit   100 ms" in text
    assert "APST by rule    PS0-PS2 to PS3 after 100 ms, PS3 to PS4 after 2 s" in text
    assert "PCIe link       clkpm, l1, l1.1, l1.2" in text
    assert "PS3    no               25 mW" in text


def test_a_sata_port_is_shown_with_its_registers(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("external-ports"))
    text = ssdpm.output("show", "--root", root, "sdb", "host3")
    assert "HPCP (hot-plug)" in text or "ESP (external)" in text
    assert "LPM policy      max_performance" in text
    assert "mask_port_ext" in text
    assert "host3: no drive" in text


@pytest.mark.parametrize(
    "name", ["nvme0", "nvme0n1", "nvme0n1p1", "/dev/nvme0", "/dev/nvme0n1"]
)
def test_a_device_goes_by_all_its_names(
    ssdpm: Command, machine: Make, name: str
) -> None:
    root = str(machine("laptop"))
    assert ssdpm.output("show", "--root", root, "--value", "name", name) == "nvme0\n"


def test_a_disk_that_is_out_of_reach_has_no_port(ssdpm: Command, machine: Make) -> None:
    root = str(machine("server"))
    text = ssdpm.output("show", "--root", root, "sdc")
    assert "out of reach: behind a USB bridge" in text
    assert "ata0" not in text and "LPM" not in text


def test_what_is_printed_of_every_machine_is_documented(
    ssdpm: Command, machine: Make
) -> None:
    for name in machines.MACHINES:
        result = ssdpm("show", "--json", "--root", str(machine(name)))
        assert documented.items(result.stdout)
        assert result.returncode == (1 if name == "hostile" else 0), name


def test_the_model_and_the_machine_are_inside_the_device(
    ssdpm: Command, machine: Make
) -> None:
    answer = ssdpm.json("show", "--root", str(machine("laptop")), "nvme0")
    assert answer["schema"] == "ssdpm.device/1"
    assert answer["model"]["schema"] == "ssdpm.model/1"
    assert answer["model"]["states"][4]["exit_latency_us"] == 39000
    assert answer["machine"]["power_source"] == "battery"
    assert answer["machine"]["nvme_core"]["apst_primary_timeout_ms"] == 100
    assert answer["table"] == answer["table_predicted"]
    assert answer["power_state"] == 0
    text = ssdpm.output("show", "--root", str(machine_of(ssdpm)), "--shell", "nvme0")
    assert "machine_power_source='battery'\n" in text


def machine_of(ssdpm: Command) -> pathlib.Path:
    return ssdpm.directory / "machines/laptop"


def test_an_old_kernel_has_no_parameters_and_null_says_so(
    ssdpm: Command, machine: Make
) -> None:
    answer = ssdpm.json("show", "--root", str(machine("old-5.10")), "nvme0")
    assert answer["machine"]["nvme_core"]["apst_primary_timeout_ms"] is None
    # The rule of Linux 5.13 and before: 50 times what entry and exit take.
    assert answer["table_predicted"]["entries"][0]["idle_ms"] == 745


def test_a_capture_is_an_operand_of_every_command_that_takes_a_drive(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("eight-drives")
    assert len(ssdpm.json("show", str(root))) == 9
    laptop = machine("laptop")
    answer = ssdpm.json("estimate", "-q", "-t", "lomax", "--n-ios", "9", str(laptop))
    assert answer["drive"] == f"{laptop}:nvme0"
    table = ssdpm.output("apst", "-q", "--value", "raw", "--root", str(root), "nvme0")
    file = machine_dump(root)
    assert table == ssdpm.output("apst", "-q", "--value", "raw", str(file))


def machine_dump(root: pathlib.Path) -> pathlib.Path:
    return root / "dumps/nvme0.identify"


def test_a_device_that_is_there_comes_before_a_file_and_the_catalogue(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("laptop"))
    ssdpm.write("nvme0", json.dumps(ssdpm.plain))
    ssdpm.write("nvme7", json.dumps(ssdpm.plain))
    device = ssdpm.json("show", "--root", root, "nvme0")
    assert device["product"].startswith("WDC PC SN530")
    assert ssdpm.json("show", "--root", root, "./nvme0")["product"] == "A plain drive"
    # No such device: a file of that name will do.
    assert ssdpm.json("show", "--root", root, "nvme7")["product"] == "A plain drive"
    message = ssdpm.fails(1, "show", "--root", root, "nvme9")
    assert "nvme9" in message and "nvme0" in message
    assert "sdz" in ssdpm.fails(1, "show", "--root", root, "/dev/sdz")


def test_a_directory_that_is_no_capture_is_an_error(ssdpm: Command) -> None:
    (ssdpm.directory / "folder").mkdir()
    assert "no capture" in ssdpm.fails(1, "show", "folder")


def test_a_drive_that_nothing_knows_is_shown_without_states(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("server")
    text = ssdpm.output("show", "--root", str(root), "sda")
    assert "power states: not known: " in text
    assert ssdpm.json("show", "--root", str(root), "sda")["model"] is None
    # Without a model there is no table, and that is said.
    assert "sda" in ssdpm.fails(3, "apst", "--root", str(root), "sda")


def test_what_the_kernel_says_of_quirks_stands(ssdpm: Command, machine: Make) -> None:
    root = str(machine("quirked"))
    answer = ssdpm.json("show", "--root", root, "nvme0")
    assert answer["quirks_from_kernel"] is True
    assert "no-deepest-ps" in answer["quirks"]
    entries = ssdpm.json("apst", "-q", "--root", root, "nvme0")["entries"]
    assert {entry["target"] for entry in entries} == {3}


def test_a_user_without_privileges_sees_the_same(
    ssdpm: Command, machine: Make, unprivileged: Callable[..., Any]
) -> None:
    root = str(machine("laptop"))
    ssdpm.wide = False
    result = unprivileged("show", "--root", root)
    assert result.returncode == 0
    assert result.stdout.decode() == ssdpm.output("show", "--root", root)


def test_lint_judges_the_model_of_a_device(ssdpm: Command, machine: Make) -> None:
    root = str(machine("laptop"))
    answer = ssdpm.json("show", "--lint", "--root", root, "nvme0")
    assert any("code" in finding for finding in answer["model"]["diagnosis"])


def test_a_line_to_share_is_the_model_and_nothing_else(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("laptop"))
    line = ssdpm.output("show", "--root", root, "--identify", "--share", "nvme0")
    assert line.count("\n") == 1 and line.endswith("}\n")
    whole = ssdpm.json("show", "--root", root, "--identify", "nvme0")["model"]
    assert json.loads(line) == {key: whole[key] for key in json.loads(line)}
    assert set(json.loads(line)) == {
        "schema", "kind", "vendor_id", "product", "firmware", "apsta", "provenance",
        "format", "states",
    }  # fmt: skip
    # It is a drive like any other.
    again = ssdpm.output("show", "--share", "-", stdin=line.encode())
    assert again == line


def test_only_what_a_drive_itself_says_is_shared(ssdpm: Command, machine: Make) -> None:
    assert "the catalogue has it" in ssdpm.fails(1, "show", "--share", "-q", "WDC PC SN530")
    for option in ("--json", "--lint"):
        message = ssdpm.fails(2, "show", "--share", option, "x")
        assert "--share conflicts with --" in message
    root = str(machine("server"))
    assert "sda is out of reach" in ssdpm.fails(3, "show", "--root", root, "--share", "sda")


@pytest.mark.parametrize(
    ("name", "transport", "flags"), [("laptop", "pcie", []), ("server", None, ["fabrics"])]
)
def test_a_transport_that_has_no_file_shows_by_the_place_of_the_controller(
    ssdpm: Command,
    machine: Callable[[str], pathlib.Path],
    name: str,
    transport: str | None,
    flags: list[str],
) -> None:
    root = machine(name)
    (root / "sys/class/nvme/nvme0/transport").unlink()
    facts = ssdpm.json("show", "--root", str(root), "nvme0")
    facts = facts.get("device", facts)
    assert facts["transport"] == transport
    assert [flag for flag in facts["flags"] if flag == "fabrics"] == flags
    for call in (["estimate", "--trace", "apst-1"], ["budget", "--watts", "20"]):
        result = ssdpm(*call, "--root", str(root), "nvme0")
        assert (b"over a network (NVMe over Fabrics)" in result.stderr) == bool(flags)
