# SPDX-License-Identifier: MIT
"""ssdpm-json(5) documents what the command prints, all of it and nothing else.

Command, which runs the command for all tests, holds every JSON that it prints
against the page: a key that is not there, or has another type, fails there.
"""

from __future__ import annotations

import copy
import json
import os
from typing import Any

import documented
import machines
import measured_run
import pytest
import recordings
import suspends
import surveys
from command import Command

SATA: dict[str, Any] = {
    "schema": "ssdpm.model/1",
    "kind": "sata",
    "product": "A SATA drive",
    "sata": {"words_valid": True, "generations": [1, 2, 3], "apm_level": 128},
    "states": [{"operational": True, "link_state": "active"}],
}

# Together they print every key of every schema.
CALLS = [
    ["show", "--json", "CT500P3SSD8"],
    ["show", "--json", "--lint", "odd.json", "sata.json"],
    ["show", "--json", "--lint", "few.json"],
    ["apst", "--json", "--quirk", "no-apst", "--quirk", "no-deepest-ps", "odd.json"],
    ["apst", "--json", "--max-exit-latency", "any", "odd.json"],
    ["list", "--json", "--catalogue", "WDC PC SN530"],
    ["show", "--json", "-q", "WDC PC SN530"],
    ["apst", "--json", "--algorithm", "windows", "odd.json"],
    ["apst", "--json", "--diff", "windows", "odd.json"],
    ["apst", "--json", "--diff", "linux-legacy", "--algorithm", "windows", "odd.json"],
    ["apst", "--json", "--diff", "linux", "--algorithm", "lower-envelope", "odd.json"],
    ["apst", "--json", "--infer", "linux", "odd.json"],
    ["apst", "--json", "--infer", "windows", "odd.json"],
    ["apst", "--json", "--infer", "lower-envelope", "odd.json"],
    ["apst", "--json", "--keep", "PS3", "odd.json"],
    ["apst", "--json", "--reach", "linux-legacy", "odd.json"],
    ["apst", "--json", "--reach", "raw.txt", "odd.json"],
    ["apst", "--json", "--algorithm", "lower-envelope", "odd.json"],
    ["apst", "--json", "-q", "--all"],
    ["apst", "--json", "-q", "--all", "--diff", "linux-legacy"],
    ["status", "--json", "--root", "laptop"],
    ["status", "--json", "--root", "desktop-6.1"],
    ["tune", "--json", "-n", "--price", "0.3", "--root", "desktop-6.1"],
    ["recommend", "--json", "-q", "-t", "lomax", "--root", "desktop-6.1", "sda"],
    ["watch", "--json", "-q", "--read", "trace.txt", "--device", "259,0", "SN530"],
    ["suspend", "--json", "--root", "suspended"],
    ["tune", "--json", "-n", "--root", "laptop", "--measured", "trials.tsv"],
    ["bisect", "start", "--json", "--errors", "1", "--entries", "1"]
    + ["--root", "eight-drives", "nvme0"],
    *6 * [["bisect", "good", "--json", "--root", "eight-drives"]],
    ["bisect", "bad", "--json", "--root", "eight-drives"],
    # What somebody else sets then is not as before the search.
    ["apply", "--json", "--latency", "7ms", "--root", "eight-drives", "nvme0"],
    ["bisect", "report", "--json", "--root", "eight-drives"],
    ["workload", "--json", "lomax"],
    ["workload", "--json", "--list"],
    ["estimate", "--json", "-t", "lomax", "--interval", "1min", "odd.json"],
    ["estimate", "--json", "-t", "lomax", "--spare", "7%", "--power-cap", "5W"]
    + ["sata.json"],
    ["estimate", "--json", "--mix", "read=1%,write=99%", "--power-cap", "none:1s,5W"]
    + ["odd.json"],
    ["compare", "--json", "-t", "lomax", "--spare", "7%", "odd.json", "sata.json"],
    ["recommend", "--json", "-t", "lomax", "odd.json", "--battery", "50Wh"]
    + ["--system-power", "5W", "--hours-per-day", "8", "--spare", "7%"]
    + ["--max-added-mean", "any"],
    ["budget", "--json", "-w", "9", "odd.json", "+", "odd.json"],
    ["budget", "--json", "-w", "9", "--workload", "lomax", "odd.json"],
    ["show", "--json", "--root", "eight-drives"],
    ["show", "--json", "--root", "desktop-6.1"],
    ["lpm", "--json", "--root", "desktop-6.1"],
    ["plan", "--json", "-q", "--root", "desktop-6.1", "-p", "balanced"]
    + ["--source", "ac", "--persist", "udev", "-t", "lomax"],
    ["plan", "--json", "-q", "--root", "laptop", "-p", "balanced"],
    ["plan", "--json", "--root", "desktop-6.1", "--lpm", "medium_power"],
    ["plan", "--json", "-q", "--root", "laptop", "--apst", "linux-legacy"],
    ["show", "--json", "-q", "--root", "laptop"],
    ["capture", "--json", "--root", "desktop-6.1", "copy"],
    ["measure", "energy", "--json", "power.csv"],
    ["measure", "baseline", "--json", "--idle", "0s..5s", "power.csv"],
    ["measure", "state", "--json", "-i", "0s..5s", "drive.json", "power.csv"],
    ["measure", "background", "--json", "-i", "0s..5s", "--completion", "8s"]
    + ["power.csv"],
    ["measure", "background", "--json", "--sweep", "sweep.csv"],
    ["measure", "survey", "--json", "survey.csv"],
    ["measure", "merge", "--json", "survey.csv", "other.csv"],
    ["measure", "check", "--json", "-q", "-t", "run-plan.csv", "-s", "run-power.csv"]
    + ["intel-760p.json"],
    ["measure", "calibrate", "--json", "intel-760p.json", "run-power.csv"]
    + ["run-ios.csv", "--measured-wa", "2.5x"],
    ["measure", "background", "--json", "--sweep", "suite.csv"],
    ["consistency", "--json", "--series", "iops.log"],
]

# A table that was built is read back from a live drive: tests/vm has that.
NOT_HERE = {
    "ssdpm.plan/1": {
        "tables[].built.sent", "tables[].built.enabled", "tables[].built.entries",
        "tables[].built.entries[].state", "tables[].built.entries[].target",
        "tables[].built.entries[].idle_ms",
    },
}  # fmt: skip

# A stream is of a machine that is alive: test_watch_view.py has that.
STREAMED = {"ssdpm.watch-interval/1"}

# What a command needs beside a drive.
NEEDS = {name: ["--trace", "lomax"] for name in ("estimate", "compare", "recommend")}
NEEDS["budget"] = ["--watts", "99"]
NEEDS["watch"] = ["--read", "trace.txt", "--device", "259,0"]


def write_drives(ssdpm: Command) -> None:
    recordings.write(ssdpm.directory)
    odd = copy.deepcopy(ssdpm.example)
    state = odd["states"][4]
    state["exit_latency_us"] = 200_000
    for name in documented.schemas()["ssdpm.model/1"]:
        if "emergency" in name or "quiescence" in name:
            state[name.split(".")[1]] = 1
    # Ranges as of a power whose fraction was not printed.
    state["active_power_uw"] = state["idle_power_uw"] = None
    state["not_reported"] = []
    for power in ("active", "idle"):
        state[f"{power}_power_low_uw"] = state[f"{power}_power_high_uw"] = 1000
    ssdpm.write("odd.json", odd)
    ssdpm.write("sata.json", SATA)
    # PS0 to PS3 after 100 ms, but PS1 after 1 ms: no parameters make that.
    ssdpm.write("raw.txt", "1864000000000000" + "1801000000000000" + "0" * 480)
    few = {"schema": "ssdpm.model/1", "kind": "nvme", "states": [{"operational": True}]}
    ssdpm.write("few.json", few)
    rows = (f"{t},{1 + (7 <= t < 12)}.0{t % 3}\n" for t in range(30))
    ssdpm.write("power.csv", "time_s,power_w\n" + "".join(rows))
    runs = (f"{i},0,0,0\n" for i in range(4))
    ssdpm.write("sweep.csv", "parameter,tail_s,extra_j,sigma_j\n" + "".join(runs))
    ssdpm.write("survey.csv", surveys.survey(fio=("randread",), n_blocks=3))
    other = surveys.survey(fio=("randread",), n_blocks=3, seed=3, drive="Other, FW")
    ssdpm.write("other.csv", other)
    measured_run.write(ssdpm.directory)
    trial = ["WDC PC SN530 SDBPNPZ-512G-1002", "21106000", "battery", "100000", "11000"]
    trial += ["saves", "150000", "100000", "200000", "30000", "8", "480", "BAT0"]
    ssdpm.write("trials.tsv", "# ssdpm trials 1\n#\n" + "\t".join(trial) + "\n")
    ssdpm.write("iops.log", "1000, 500, 1, 0\n2000, 400, 1, 0\n")
    suite = (f"mix,A,SW,{i},0,0,0\n" for i in range(4))
    head = "micro_benchmark,drive,pattern,parameter,tail_s,extra_j,sigma_j\n"
    ssdpm.write("suite.csv", head + "".join(suite))
    suspends.write("team", ssdpm.directory / "suspended")
    for name in ("eight-drives", "desktop-6.1", "laptop"):
        machines.write(name, ssdpm.directory / name)
    # Of a commit that was killed; one that cannot be read stands, too.
    journal = ssdpm.directory / "laptop/run/ssdpm/journal"
    journal.parent.mkdir(parents=True)
    journal.write_text("cut off")
    tlp = ssdpm.directory / "desktop-6.1/etc/tlp.conf"
    tlp.parent.mkdir(exist_ok=True)
    tlp.write_text('SATA_LINKPWR_ON_AC="med_power_with_dipm"\n')


def objects(answer: Any) -> list[dict[str, Any]]:
    """All that name a schema, those inside others too."""
    members = answer.values() if isinstance(answer, dict) else answer
    found = [answer] if isinstance(answer, dict) and "schema" in answer else []
    for member in members:
        if isinstance(member, (dict, list)):
            found += objects(member)
    return found


def test_every_key_of_the_page_is_printed(ssdpm: Command) -> None:
    write_drives(ssdpm)
    seen: dict[str, set[str]] = {}
    for call in CALLS:
        for found in objects(documented.items(ssdpm.output(*call))):
            for schema, keys in documented.check(found).items():
                seen.setdefault(schema, set()).update(keys)
    failed = ssdpm("show", "--json", "odd.json", "missing.json")
    seen.update(documented.check(documented.items(failed.stdout)[-1]))
    for schema, documented_keys in documented.schemas().items():
        if schema in STREAMED:
            continue
        missing = set(documented_keys) - seen.get(schema, set())
        assert missing == NOT_HERE.get(schema, set()), schema


def test_the_page_names_the_list_of_each_command(ssdpm: Command) -> None:
    write_drives(ssdpm)
    listed = documented.lists()
    seen: dict[str, str] = {}
    for call in CALLS:
        answer = json.loads(ssdpm.output(*call))
        command = answer["schema"].removeprefix("ssdpm.").removesuffix("/2").replace("-", " ")
        [seen[command]] = set(answer) - {"schema", "errors"}
    for command, name in seen.items():
        assert listed.get(command, listed.get(command.split()[0])) == name, command
    # Two words of the page are commands of their own, with a list of their own.
    assert {one for one in listed if " " in one and "--" not in one} <= set(seen)
    text = ssdpm.output("--help").split("Commands:\n")[1].split("\n\n")[0]
    assert {line.split()[0] for line in text.splitlines()} == {
        command.split()[0] for command in listed
    }


def test_every_subcommand_that_takes_a_drive_names_a_schema_of_the_page(
    ssdpm: Command,
) -> None:
    recordings.write(ssdpm.directory)
    text = ssdpm.output("--help").split("Commands:\n")[1].split("\n\n")[0]
    for line in text.splitlines():
        name = line.split()[0]
        if "DRIVE" in ssdpm.output(name, "--help").splitlines()[0]:
            call = [name, *NEEDS.get(name, []), "drive.json"]
            assert ssdpm.json(*call)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"serial": "x"}, "serial of ssdpm.model/1 is not in"),
        ({"product": 1}, "product of ssdpm.model/1 is 1"),
        ({"vendor_id": True}, "vendor_id of ssdpm.model/1 is True"),
        ({"kind": None}, "kind of ssdpm.model/1 is None"),
        ({"states": [{"operational": True, "color": 1}]}, "states[].color"),
        ({"states": [{"not_reported": [1]}]}, "states[].not_reported"),
        ({"sata": {"x": 1}}, "sata.x"),
        ({"schema": "ssdpm.other/1"}, "ssdpm.other/1 is not in"),
    ],
)
def test_what_the_page_does_not_say_is_noticed(
    ssdpm: Command, change: dict[str, Any], words: str
) -> None:
    documented.check(ssdpm.example)
    with pytest.raises(AssertionError) as caught:
        documented.check({**ssdpm.example, **change})
    assert words in str(caught.value)


def test_json_is_one_object_for_one_for_many_for_none_and_for_a_failure(
    ssdpm: Command,
) -> None:
    (ssdpm.directory / "bare/sys").mkdir(parents=True)
    for operands, n in (["drive.json"], 1), (["drive.json", "plain.json"], 2):
        answer = json.loads(ssdpm.output("show", "--json", *operands))
        assert answer["schema"] == "ssdpm.show/2"
        assert (len(answer["drives"]), answer["errors"]) == (n, [])
    none = json.loads(ssdpm.output("show", "--json", "-q", "--root", "bare"))
    assert (none["drives"], none["errors"]) == ([], [])
    failed = ssdpm("apst", "--json", "missing.json")
    assert failed.returncode == 1
    answer = json.loads(failed.stdout)
    assert (answer["schema"], answer["drives"]) == ("ssdpm.apst/2", [])
    (error,) = answer["errors"]
    assert failed.stderr.decode() == f"ssdpm: {error}\n"
    assert "missing.json" in error
    assert ssdpm("show", "--json", "--no-such-option").stdout == b""
    assert ssdpm("show", "--value", "kind", "missing.json").stdout == b""


@pytest.mark.parametrize(
    "command, others",
    [
        (["show"], ["ssdpm.device/1"]),
        (["lpm"], ["ssdpm.lpm/1"]),
        (["check", "-q", "--lpm", "med_power_with_dipm"], ["ssdpm.plan/1"]),
    ],
)
def test_a_drive_that_is_gone_has_its_error_in_the_list_and_the_others_are_there(
    ssdpm: Command, command: list[str], others: list[str]
) -> None:
    machines.write("desktop-6.1", ssdpm.directory / "desktop-6.1")
    call = [*command, "--root", "desktop-6.1"]
    failed = ssdpm(*call, "--json", "sdx", "sda")
    assert failed.returncode == 1
    *items, gone = documented.items(failed.stdout)
    assert [item["schema"] for item in items] == others
    assert (gone["schema"], gone["name"]) == ("ssdpm.error/1", "sdx")
    assert json.loads(failed.stdout)["errors"] == [gone["error"]]
    assert failed.stderr.decode() == f"ssdpm: {gone['error']}\n"
    # In no other form there is a part: all of it, or nothing.
    assert ssdpm(*call, "--shell", "sdx", "sda").stdout == b""
    alone = ssdpm(*call, "--json", "sdx")
    assert (alone.returncode, documented.items(alone.stdout)) == (1, [])
    both = ssdpm(*call, "--json", "sdx", "sdy")
    assert both.returncode == 1
    assert [item["name"] for item in documented.items(both.stdout)] == ["sdx", "sdy"]


@pytest.mark.parametrize("question", [[], ["--diff", "linux-legacy"], ["--keep", "PS3"]])
def test_a_drive_without_a_table_does_not_keep_that_of_another_from_the_list(
    ssdpm: Command, question: list[str]
) -> None:
    model = {"schema": "ssdpm.model/1", "kind": "sata", "states": [{"operational": True}]}
    ssdpm.directory.joinpath("sata.json").write_text(json.dumps(model))
    failed = ssdpm("apst", "-q", *question, "--json", "missing.json", "sata.json", "drive.json")
    assert failed.returncode == 1
    table, *gone = documented.items(failed.stdout)
    assert table["drive"] == "drive.json"
    assert [one["schema"] for one in gone] == ["ssdpm.error/1"] * 2
    assert [one["name"] for one in gone] == ["missing.json", "sata.json"]
    assert json.loads(failed.stdout)["errors"] == [one["error"] for one in gone]
    failed = ssdpm("apst", "-q", *question, "--json", "sata.json", "drive.json")
    assert failed.returncode == 3
    alone = ssdpm("apst", "-q", *question, "--json", "sata.json")
    assert (alone.returncode, documented.items(alone.stdout)) == (3, [])


def test_what_is_no_port_has_its_error_among_the_ports(ssdpm: Command) -> None:
    machines.write("desktop-6.1", ssdpm.directory / "desktop-6.1")
    call = ["lpm", "--json", "--root", "desktop-6.1"]
    failed = ssdpm(*call, "nvme0", "sda")
    assert failed.returncode == 3
    port, other = documented.items(failed.stdout)
    assert (port["name"], other["name"]) == ("sda", "nvme0")
    assert other["error"] == "nvme0: not behind a SATA port"
    # What sets something does all of it, or nothing.
    failed = ssdpm(*call, "--set", "min_power", "sdx", "sda")
    assert (failed.returncode, documented.items(failed.stdout)) == (1, [])


def test_bytes_that_are_no_text_stay_out_of_the_errors(ssdpm: Command) -> None:
    name = os.fsdecode(b"no\xfftext\x1b.json")
    failed = ssdpm("show", "--json", name)
    (error,) = json.loads(failed.stdout)["errors"]
    assert error.startswith("unknown drive 'no?text?.json'; ")


def test_what_is_printed_is_read_again(ssdpm: Command) -> None:
    (ssdpm.directory / "none/sys").mkdir(parents=True)
    ssdpm.write("two.json", ssdpm.output("show", "--json", "drive.json", "plain.json"))
    assert ssdpm.json("show", "two.json") == ssdpm.json(
        "show", "drive.json", "plain.json"
    )
    ssdpm.write("table.json", ssdpm.output("apst", "--json", "plain.json"))
    same = ssdpm.json("apst", "--diff", "table.json", "plain.json")
    assert same["same"]
    ssdpm.write("none.json", ssdpm.output("show", "--json", "-q", "--root", "none"))
    assert "none.json:3: drives: the array is empty" in ssdpm.fails(1, "show", "none.json")


@pytest.mark.parametrize(
    ("call", "good"),
    [
        (["estimate", "-t", "lomax"], "KCM61RUL960G"),
        (["compare", "-t", "lomax"], "KCM61RUL960G"),
        (["recommend", "-t", "lomax"], "KCM61RUL960G"),
        (["tune", "--dry-run", "--root", "laptop"], "nvme0"),
    ],
)
def test_a_drive_that_is_unknown_leaves_the_others_in_the_json(
    ssdpm: Command, call: list[str], good: str
) -> None:
    machines.write("laptop", ssdpm.directory / "laptop")
    for words in ([good, "frobnicate"], ["frobnicate", good]):
        result = ssdpm(*call, "-q", "--json", *words)
        assert result.returncode == 1
        answer = json.loads(result.stdout)
        [items] = [value for key, value in answer.items() if isinstance(value, list)][:1]
        [bad] = [item for item in items if item["schema"] == "ssdpm.error/1"]
        [rest] = [item for item in items if item is not bad]
        assert bad["name"] == "frobnicate" and answer["errors"] == [bad["error"]]
        assert good in (rest.get("drive"), rest.get("name"))


def test_a_budget_and_a_change_need_all_of_their_drives(ssdpm: Command) -> None:
    machines.write("laptop", ssdpm.directory / "laptop")
    for call in (
        ["budget", "-w", "90", "KCM61RUL960G", "frobnicate"],
        ["tune", "--yes", "--root", "laptop", "nvme0", "frobnicate"],
    ):
        result = ssdpm(*call, "--json")
        answer = json.loads(result.stdout)
        assert result.returncode == 1 and len(answer["errors"]) == 1
        assert [] in answer.values()
