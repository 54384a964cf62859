# SPDX-License-Identifier: MIT
"""ssdpm compare and recommend: several policies, the best one, and what the machine of
a device does now, from which savings are counted."""

from __future__ import annotations

import csv
import io
import json
import pathlib
import re
from collections.abc import Callable
from typing import Any

import documented
import measured_run
import machines
import pytest
import ssdpm as package
import trace
from command import Command
from test_estimate import STATED
from test_show import WORDS, identify
from trace import MS, S

SHORT = ["--policy", "linux", "--policy", "linux-legacy", "--policy", "none"]

HUMAN = """\
plain.json: A plain drive on some.csv, closed loop, asleep with the link in l1.2
  4 I/Os in 6.06 s; savings are against linux, which takes 45.1..366 mW
  policy          power  likely                              delay    p99
  linux         71.4 mW                                    12.5 ms  39 ms
  linux-legacy   388 mW  costs 310 mW (likely 220 to 420)  12.5 ms  39 ms
  none            1.5 W  costs 1.4 W (likely 0.99 to 1.9)     0 ns   0 ns
"""


@pytest.fixture
def some(ssdpm: Command) -> Command:
    ssdpm.write("some.csv", trace.SOME)
    return ssdpm


def compare(ssdpm: Command, *options: str) -> Any:
    return ssdpm.json("compare", "-t", "some.csv", *options, "plain.json")


def test_people_get_a_line_for_each_policy(some: Command) -> None:
    call = ["compare", "-t", "some.csv", *SHORT, "--idle-power", "1W..2W"]
    assert some.output(*call, "plain.json") == HUMAN


def test_what_is_likely_is_possible_and_its_word_says_how_sure_it_is(
    some: Command,
) -> None:
    sure = {"saves": 950_001, "probably-saves": 800_001, "not-decided": 0}
    said = some.json("compare", "-t", "lomax", "plain.json")
    words = set()
    assert said["rows"][0]["likely"] is None
    for row in said["rows"][1:]:
        likely, saving = row["likely"], row["saving"]
        for unit in ("nj", "uw"):
            low, median, high = (
                likely[f"{name}_{unit}"] for name in ("low", "median", "high")
            )
            assert saving[f"low_{unit}"] <= low <= median <= high
            assert high <= saving[f"high_{unit}"]
        assert likely["saves_ppm"] >= sure.get(likely["verdict"], 0)
        words.add(likely["verdict"])
    assert {"not-decided", "costs"} <= words
    # None of that is in an estimate alone, where nothing is compared.
    assert '"likely"' not in some.output("estimate", "-t", "lomax", "plain.json", "--json")


def test_what_likely_saves_most_comes_first(some: Command) -> None:
    text = some.output("compare", "-q", "-t", "lomax", "drive.json")
    rows = [line.split()[0] for line in text.splitlines()[3:] if " mW" in line]
    said = some.json("compare", "-t", "lomax", "drive.json")
    first, *others = said["rows"]
    others.sort(key=lambda row: -int(row["likely"]["median_uw"]))
    assert rows == [row["policies"][0] for row in (first, *others)]


def test_what_decides_is_said_with_a_way_to_know_it(some: Command) -> None:
    call = ["compare", "-q", "-t", "lomax", "--policy", "linux", "--policy", "lower-envelope"]
    text = some.output(*call, "drive.json")
    assert text.endswith(
        "  it depends most on the exit latency PS3: lower-envelope\n"
        "    to know it: ssdpm measure calibrate, --exit-latency\n"
    )
    known = ["--entry-latency", "PS3=3.9ms", "--exit-latency", "PS3=11ms"]
    text = some.output(*call, *known, "drive.json")
    assert text.endswith(
        "  it depends most on the transition power: lower-envelope\n"
        "    to know it: ssdpm measure calibrate, --transition-power\n"
    )
    known += ["--transition-power", "2W"]
    assert "to know it" not in some.output(*call, *known, "drive.json")


def test_each_row_is_what_estimate_says(some: Command) -> None:
    """Alone: with others it idles on until the last of them ends."""
    for policy in ("linux", "lower-envelope"):
        [row] = compare(some, "--policy", policy)["rows"]
        alone = some.json("estimate", "-t", "some.csv", "-a", policy, "plain.json")
        assert row["policies"] == [policy]
        assert {key: alone[key] for key in row if key in alone} == {
            key: row[key] for key in row if key in alone
        }


def test_a_lower_envelope_is_the_one_of_python(ssdpm: Command) -> None:
    # Where the link takes power, that of the states decides.
    name, link = "Fanxiang S500Pro 512GB", ["--pcie-link", "l0"]
    call = ["estimate", "-t", "apst-6", "-a", "lower-envelope", *link, name]
    found = ssdpm.json(*call)
    drive = package.Model.catalogue(name)
    same = package.estimate(
        drive, package.generate("apst-6"), "lower-envelope", pcie_link="l0"
    )
    for corner in ("low", "nominal", "high"):
        assert found[corner]["energy_nj"] == getattr(same, corner).energy_nj


def test_a_saving_is_taken_at_the_same_corner(some: Command) -> None:
    power = ["--idle-power", "1W..2W"]
    first, none = (
        compare(some, *STATED, *power, "--policy", "linux", "--policy", "none")["rows"][i]
        for i in (0, 1)
    )
    assert set(first["saving"].values()) == {0}
    at = {}
    for corner in ("1W", "1.5W", "2W"):
        a, b = compare(
            some, *STATED, "--idle-power", corner, "--policy", "linux", "--policy", "none"
        )["rows"]
        at[corner] = a["nominal"]["energy_nj"] - b["nominal"]["energy_nj"]
    saving = none["saving"]
    assert saving["nominal_nj"] == at["1.5W"]
    assert (saving["low_nj"], saving["high_nj"]) == (at["2W"], at["1W"])
    # Not the difference of two intervals.
    assert saving["high_nj"] < first["high"]["energy_nj"] - none["low"]["energy_nj"]


def test_policies_that_come_to_the_same_stand_together(some: Command) -> None:
    rows = compare(some)["rows"]
    names = [name for row in rows for name in row["policies"]]
    assert len(names) == len(set(names)) == 12 and names[0] == "linux"
    tables = [json.dumps(row["entries"]) for row in rows]
    assert len(set(tables)) == len(tables)
    text = some.output("compare", "-t", "some.csv", "plain.json")
    merged = next(row for row in rows if len(row["policies"]) > 1)
    others = ", ".join(merged["policies"][1:])
    assert f"\n  * {merged['policies'][0]} is also {others}\n" in text


def test_csv_has_a_line_for_each_policy_even_so(some: Command) -> None:
    call = ["compare", "-q", "-t", "some.csv", "-t", "lomax", "--csv"]
    text = some.output(*call, "plain.json", "drive.json")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2 * 2 * 12
    assert [row["trace"] for row in rows] == ["some.csv"] * 24 + ["lomax"] * 24
    wanted = compare(some)["rows"][1]
    row = next(r for r in rows if r["policy"] == wanted["policies"][0])
    assert int(row["saving_nominal_uw"]) == wanted["saving"]["nominal_uw"]
    assert int(row["energy_nj"]) == wanted["nominal"]["energy_nj"]


def test_drives_and_traces_are_multiplied(some: Command) -> None:
    some.write("sata", identify())
    call = ["compare", "-q", "-t", "some.csv", "-t", "on-off", "drive.json", "sata"]
    answers = some.json(*call)
    assert [(a["trace"], a["drive"]) for a in answers] == [
        ("some.csv", "drive.json"),
        ("some.csv", "sata"),
        ("on-off", "drive.json"),
        ("on-off", "sata"),
    ]
    assert answers[1]["rows"][0]["lpm"] == "med_power_with_dipm"


def test_a_file_with_a_table_is_a_policy(some: Command) -> None:
    some.output("apst", "-q", "--raw", "table", "--max-exit-latency", "20ms", "plain.json")
    rows = compare(some, "--policy", "table", "--policy", "linux")["rows"]
    assert rows[0]["policies"] == ["table"]
    assert [e["target"] for e in rows[0]["entries"]] == [3, 3, 3]
    limited = compare(some, "--policy", "linux", "--policy", "table", "--max-exit-latency", "20ms")["rows"]
    assert limited[0]["policies"] == ["linux", "table"]


def recommend(ssdpm: Command, *options: str) -> Any:
    return ssdpm.json("recommend", "-t", "lomax", *options, "plain.json")


def test_the_best_of_more_routes_is_no_worse(some: Command) -> None:
    answer = recommend(some, "--max-added-mean", "any")
    limit, core, raw = answer["recommendations"]
    assert [r["route"] for r in (limit, core, raw)] == [
        "latency-limit",
        "nvme-core",
        "raw-table",
    ]
    energies = [r["run"]["energy_nj"] for r in (limit, core, raw)]
    assert energies == sorted(energies, reverse=True)
    rows = some.json("compare", "-t", "lomax", "plain.json")["rows"]
    assert all(energies[2] <= row["nominal"]["energy_nj"] for row in rows)


@pytest.mark.parametrize("workload", ["lomax", "poisson", "apst-7", "some.csv"])
@pytest.mark.parametrize("today", ["linux", "linux-legacy", "none", "windows:balanced:ac"])
def test_nothing_is_proposed_that_delays_or_costs_unasked(
    some: Command, workload: str, today: str
) -> None:
    made = [] if "." in workload else ["--n-ios", "300"]
    call = ["-t", workload, *made, "--from", today, "plain.json"]
    answer = some.json("recommend", *call)
    bounds = answer["bounds"]
    linux = some.json("estimate", "-t", workload, *made, "plain.json")["nominal"]
    assert bounds["by_default"] is True
    assert bounds["max_delay_p99_ns"] == max(linux["delay_p99_ns"], 25 * MS)
    text = some.output("recommend", *call)
    assert "limits: delays of at most " in text
    proposed = 0
    for one in answer["recommendations"]:
        n_ios = sum(one["run"]["n_ios"])
        usual = max(linux["delay_sum_ns"], linux["duration_ns"] // 100)
        assert one["run"]["delay_sum_ns"] <= usual + n_ios
        assert one["run"]["delay_p99_ns"] <= bounds["max_delay_p99_ns"]
        proposed += one["advice"] == "set"
        if one["advice"] == "set":
            assert one["saving"]["nominal_nj"] >= 0
        else:
            assert "sysfs" not in one and one["modprobe"] is None
            assert "leave all as it is" in one["text"]
    assert text.count("  now, as root") == proposed


def test_less_delay_at_more_power_is_proposed_only_if_asked_for(some: Command) -> None:
    call = ["-t", "lomax", "--max-added-mean", "500us", "plain.json"]
    for one in some.json("recommend", *call)["recommendations"]:
        assert one["advice"] == "costs" and one["today_keeps_bounds"] is False
        assert one["saving"]["nominal_nj"] < 0
        assert "--may-cost: linux is beyond the bounds" in one["text"]
    text = some.output("recommend", *call)
    assert " costs " in text and "as root" not in text and "echo" not in text
    assert "--may-cost" in some.fails(1, "recommend", "-q", "--raw", "raw", *call)
    assert not (some.directory / "raw").exists()
    for one in some.json("recommend", "--may-cost", *call)["recommendations"]:
        assert one["advice"] == "set" and one["saving"]["nominal_nj"] < 0
    text = some.output("recommend", "--may-cost", *call)
    assert text.count("  now, as root") == 3


def test_a_device_is_named_with_the_call_that_sets_it(
    some: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    laptop = machine("laptop")
    # One that takes a raw table.
    (laptop / "proc/sys/kernel/osrelease").write_text("6.6.1\n")
    root = str(laptop)
    call = ["recommend", "-q", "-t", "lomax", "--root", root]
    call += ["--from", "linux-legacy", "nvme0"]
    text = some.output(*call)
    assert "nvmeN" not in text and "echo" not in text
    lines = [line.strip() for line in text.splitlines() if "ssdpm apply" in line]
    assert len(lines) == 3
    answer = some.json(*call)["recommendations"]
    raw = f"ssdpm apply --root {root} --apst FILE nvme0"
    assert [one.get("apply") for one in answer] == [*lines[:2], raw]
    # A capture takes no table: people get the call for that machine.
    assert lines[2] == raw.replace(f" --root {root}", "")
    for one, line in zip(answer, lines):
        some.output(*call, "--raw", "FILE")
        if one["route"] == "raw-table":
            continue  # a capture takes no command
        done = some.shell(f"{line} --json")
        assert done.returncode == 0, done.stderr
        plan = documented.listed(done.stdout)
        assert plan["in_force"] is True
        assert plan["tables"][0]["after"]["entries"] == one["entries"]
        paths = {write["path"] for write in one["sysfs"]}
        assert "/sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us" in paths
        assert some.shell(f"ssdpm revert --root {root}").returncode == 0


def test_a_limit_alone_keeps_parameters_that_somebody_has_set(
    some: Command, laptop: pathlib.Path
) -> None:
    """They are for all drives; the table is the one that they lead to."""
    parameters = laptop / "sys/module/nvme_core/parameters"
    (parameters / "apst_primary_timeout_ms").write_text("500\n")
    (parameters / "apst_secondary_timeout_ms").write_text("300\n")
    call = ["recommend", "-t", "apst-5", "--root", str(laptop), "--may-cost"]
    call += ["--max-exit-latency", "25ms", "nvme0"]
    one = some.json(*call)["recommendations"][0]
    assert (one["route"], one["advice"]) == ("latency-limit", "set")
    done = some.shell(f"{one['apply']} --json")
    assert done.returncode == 0, done.stderr
    plan = documented.listed(done.stdout)
    assert plan["tables"][0]["after"]["entries"] == one["entries"]
    written = {write["path"].rsplit("/", 1)[1]: write["value"] for write in one["sysfs"]}
    assert list(written) == ["pm_qos_latency_tolerance_us"]
    assert one["entries"][0]["idle_ms"] == 500


def test_the_call_names_the_file_of_the_raw_table(
    some: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = str(machine("desktop-6.1"))  # whose kernel takes one
    call = ["recommend", "-t", "apst-5", "--max-added-mean", "any", "--root", root]
    call += ["--raw", "my table", "nvme0"]
    line = f"ssdpm apply --root {root} --apst 'my table' nvme0"
    assert some.json(*call)["recommendations"][2]["apply"] == line
    for_people = line.replace(f" --root {root}", "")
    assert f"    {for_people}\n" in some.output(*call)
    # A capture takes no command.
    assert some.shell(line.replace("apply", "plan")).returncode == 0


@pytest.mark.parametrize(
    ("option", "key", "most"),
    [
        (["--max-added-mean", "1ms"], "delay_mean_ns", 1_000_000),
        (["--max-added-p99", "5ms"], "delay_p99_ns", 5_000_000),
        (["--max-exit-latency", "20ms"], "delay_max_ns", 24_000_000),
    ],
)
def test_bounds_are_kept(some: Command, option: list[str], key: str, most: int) -> None:
    free = recommend(some, "--max-added-mean", "any")
    bound = recommend(some, *option)
    for before, after in zip(free["recommendations"], bound["recommendations"]):
        assert after["possible"] is True
        assert after["run"][key] <= most
        assert after["run"]["energy_nj"] >= before["run"]["energy_nj"]
    assert free["recommendations"][2]["run"][key] > most
    assert any(value is not None for k, value in bound["bounds"].items() if "max_d" in k
               or "exit" in k)  # fmt: skip


def test_what_is_recommended_is_what_linux_builds(some: Command) -> None:
    core = recommend(some, "--max-added-mean", "1ms", "--may-cost")
    core = core["recommendations"][1]
    call = ["apst", "--max-exit-latency", f"{core['limit_us']}us"]
    call += ["--primary-timeout", f"{core['primary_timeout_ms']}ms"]
    call += ["--primary-tolerance", f"{core['primary_latency_tolerance_us']}us"]
    call += ["--secondary-timeout", f"{core['secondary_timeout_ms']}ms"]
    call += ["--secondary-tolerance", f"{core['secondary_latency_tolerance_us']}us"]
    table = some.json(*call, "plain.json")
    assert table["entries"] == core["entries"]
    writes = {w["path"].rsplit("/", 1)[1]: w["value"] for w in core["sysfs"]}
    assert writes["apst_primary_timeout_ms"] == str(core["primary_timeout_ms"])
    assert writes["pm_qos_latency_tolerance_us"] == str(core["limit_us"])
    assert core["modprobe"].startswith("options nvme_core apst_primary_timeout_ms=")


def test_its_run_is_what_estimate_says_of_the_table(some: Command) -> None:
    answer = recommend(some, "--max-added-mean", "1ms")
    raw = answer["recommendations"][2]
    call = ["recommend", "-t", "lomax", "--max-added-mean", "1ms", "--raw", "table"]
    some.output(*call, "--may-cost", "plain.json")
    assert (some.directory / "table").stat().st_size == 256
    run = some.json("estimate", "-t", "lomax", "--table", "table", "plain.json")
    for key in ("busy_ns", "exit_ns", "n_wakes", "n_delayed", "delay_sum_ns"):
        assert run["nominal"][key] == raw["run"][key]
    # Over the same time: until the last table of the three routes ends.
    longer = raw["run"]["duration_ns"] - run["nominal"]["duration_ns"]
    asleep = raw["run"]["energy_nj"] - run["nominal"]["energy_nj"]
    assert 0 < longer < run["nominal"]["duration_ns"] / 50
    assert 0 < asleep < longer * 2


def test_savings_are_made_of_what_is_stated(some: Command) -> None:
    stated = [*STATED, "--idle-power", "PS3=20mW"]
    raw = recommend(some, *stated, "--raw", "best")["recommendations"][2]
    call = ["compare", "-t", "lomax", *stated, "--policy", "linux", "--policy", "best"]
    assert some.json(*call, "plain.json")["rows"][1]["saving"] == raw["saving"]


def test_savings_are_against_what_one_says(some: Command) -> None:
    linux = recommend(some)["recommendations"][2]["saving"]
    none = recommend(some, "--from", "none")
    assert none["from"] == "none"
    assert none["recommendations"][2]["saving"]["nominal_nj"] > linux["nominal_nj"]


def test_a_quirk_is_heeded(some: Command) -> None:
    call = ["recommend", "-q", "-t", "lomax", "--json", "drive.json"]
    for options, deepest in (([], 3), (["--quirk", "none"], 4)):
        answer = documented.listed(some.output(*call, *options))
        used = [e["target"] for r in answer["recommendations"] for e in r["entries"]]
        assert max(used) == deepest
    some.write("rules", "[nvme mine]\nproduct = WDC*\nquirks = no-apst\n")
    answer = documented.listed(some.output(*call, "--quirks-file", "rules"))
    assert all(not r.get("entries") for r in answer["recommendations"])


DELAYS = ["--max-added-mean", "any", "--max-added-p99", "any"]


def test_bounds_are_kept_surely_or_nominally(some: Command) -> None:
    call = ["recommend", "-q", "-t", "lomax", "--from", "none", "plain.json"]
    for bound, kept in (("12ms", "nominally; at worst "), ("300ms", "surely\n")):
        only = [*DELAYS, "--max-exit-latency", bound]
        text = some.output(*call, *only)
        assert f"  the bounds are kept {kept}" in text
        first = some.json(*call, *only)["recommendations"][0]
        assert kept.startswith(first["kept"])
        ends = [first[end]["delay_sum_ns"] for end in ("low", "run", "high")]
        assert ends == sorted(ends)
    assert "the bounds" not in some.output(*call, *DELAYS, "--max-exit-latency", "any")


def test_what_it_means_for_a_battery_and_a_year(some: Command) -> None:
    use = ["--battery", "50Wh", "--system-power", "5W", "--hours-per-day", "10"]
    use += ["--from", "none"]
    raw = recommend(some, *use)["recommendations"][2]
    watts = raw["likely"]["median_uw"] / 1e6
    assert raw["battery"]["nominal_s"] == int(50 * 3600 / (5 - watts) - 36000)
    assert abs(raw["year"]["nominal_wh"] - watts * 3650) <= 1
    assert raw["battery"]["low_s"] <= raw["battery"]["nominal_s"] <= raw["battery"]["high_s"]
    text = some.output("recommend", "-t", "lomax", *use, "plain.json")
    assert f"a battery lasts {raw['battery']['nominal_s'] / 60:.0f} minutes more" in text
    assert f"in a year it takes {raw['year']['nominal_wh'] / 1000:.2f} kWh less" in text


def test_a_loss_is_called_a_loss(some: Command) -> None:
    call = ["recommend", "-t", "lomax", "--max-added-mean", "1us", "plain.json"]
    call += ["--may-cost"]
    use = ["--battery", "50Wh", "--system-power", "5W", "--hours-per-day", "10"]
    text = some.output(*call, *use)
    for words in ("costs ", " more (", "minutes less (", "kWh more ("):
        assert words in text
    assert "saves -" not in text


def test_a_drive_without_apst_gets_an_answer(some: Command) -> None:
    some.write("no.json", {**some.plain, "apsta": 0})
    answer = some.json("recommend", "-t", "lomax", "no.json")
    for one in answer["recommendations"]:
        assert not one.get("entries")
    some.output("recommend", "-t", "lomax", "no.json")
    rows = some.json("compare", "-t", "lomax", "no.json")["rows"]
    assert len(rows) == 1


def test_a_table_of_all_policies_fits_a_terminal(some: Command) -> None:
    text = some.output("compare", "-q", "-t", "lomax", "drive.json", "plain.json")
    rows = [line for line in text.splitlines() if line.startswith("  ")]
    assert max(map(len, rows)) <= 100


def text_of(some: Command, *options: str) -> tuple[Any, str]:
    """The first recommendation, and what people are told of it."""
    call = ["recommend", "-q", *options]
    first = some.json(*call)["recommendations"][0]
    block = some.output(*call).split("\nnvme-core: ")[0]
    return first, block[block.index("\nlatency-limit: ") + 1 :]


def test_where_nothing_is_to_gain_there_is_nothing_to_set(some: Command) -> None:
    some.wide = False
    first, text = text_of(some, "-t", "lomax", "--battery", "50Wh", "--system-power",
                          "5W", "plain.json")  # fmt: skip
    assert set(first["saving"].values()) == {0}
    assert text == (
        "latency-limit: leave all as it is: nothing better found against linux on this\n"
        "  workload; delays 19.6 % of the I/Os by 11.6 ms on average"
    )


def test_the_defaults_of_linux_have_a_name(some: Command) -> None:
    _, text = text_of(some, "-t", "lomax", "--from", "none", "plain.json")
    assert text.startswith("latency-limit: set the latency limit to 100 ms, as Linux does: saves ")
    assert "echo 100000 > /sys/class/nvme/" in text


def test_what_may_be_a_loss_is_said(some: Command) -> None:
    call = ["-t", "lomax", "--from", "none", "plain.json", "--idle-power", "0.5W..1W"]
    first, text = text_of(some, "--transition-power", "0.1W..0.6W..2W", *call)
    assert first["saving"]["low_uw"] < 0 < first["saving"]["nominal_uw"]
    assert first["likely"]["verdict"] == "saves" and "mW (likely " in text
    first, text = text_of(some, "--transition-power", "0.1W..2W..20W", *call)
    assert first["likely"]["verdict"] == "probably-saves"
    assert first["likely"]["low_uw"] < 0 < first["likely"]["median_uw"]
    assert re.search(r"probably saves \d+ mW \(likely\s+-", text)
    first, text = text_of(some, "--transition-power", "1W", *call)
    assert first["saving"]["low_uw"] > 0 and first["likely"]["verdict"] == "saves"


def test_what_saves_too_little_to_matter_is_not_set(some: Command) -> None:
    call = ["--idle-power", "0.5W", "--transition-power", "0.5W"]
    call += ["--idle-power", "PS3=498mW", "--idle-power", "PS4=497mW"]
    for one in recommend(some, "--from", "none", *call)["recommendations"]:
        assert one["likely"]["verdict"] == "too-small" and one["advice"] == "keep"
        assert 0 < one["likely"]["median_uw"] < 5000
        assert "saves too little to matter" in one["text"]
    # Who asks for less delay gets it, however little that is.
    bound = ["--max-added-mean", "0us", "--may-cost"]
    for one in recommend(some, *call, *bound)["recommendations"]:
        assert one["advice"] == "set"


def test_what_is_not_decided_and_costs_in_the_middle_is_not_set(some: Command) -> None:
    call = ["recommend", "-t", "apst-7", "--n-ios", "3000", "WDC PC SN530"]
    bound = ["--max-added-mean", "0.1ms"]
    first = some.json(*call, *bound)["recommendations"][0]
    assert first["likely"]["verdict"] == "not-decided"
    assert first["likely"]["median_uw"] < 0 and not first["today_keeps_bounds"]
    assert first["advice"] == "costs" and ") is not decided: -" in first["text"]
    assert "not decided: -" in some.output("compare", "-t", "apst-7", "WDC PC SN530")
    first = some.json(*call, *bound, "--may-cost")["recommendations"][0]
    assert first["advice"] == "set"


def test_json_has_the_battery_that_people_are_told_of(some: Command) -> None:
    call = ["recommend", "-t", "lomax", "--from", "none", "WDC PC SN530"]
    call += ["--battery", "50Wh", "--system-power", "1W"]
    one = some.json(*call)["recommendations"][1]
    assert one["saving"]["high_uw"] > one["likely"]["high_uw"]
    minutes = round(one["battery"]["nominal_s"] / 60)
    words = f"{minutes // 60} h {minutes % 60} min"
    assert minutes > 120 and f"a battery lasts {words} more" in some.output(*call)
    battery, saved = 50 * 3600, one["likely"]["median_uw"] / 1e6
    wanted = battery / (1 - saved) - battery
    assert abs(one["battery"]["nominal_s"] - wanted) < 1


def test_energy_and_power_agree_where_a_wake_takes_long(some: Command) -> None:
    # PS4 takes long to leave, at less power than it has itself: work takes longer.
    rows = "".join(f"{i * 3 * S},0,512,1000,read,0\n" for i in range(20))
    some.write("slow.csv", trace.HEADER + rows)
    call = ["-t", "slow.csv", "--idle-power", "1W", "--active-power", "2W"]
    for state in ("PS3", "PS4"):
        call += ["--idle-power", f"{state}=20mW"]
    call += ["--transition-power", "10mW", "--exit-latency", "PS4=90ms"]
    first, text = text_of(some, *call, "plain.json")
    # Of all limits, the one that costs nothing over the same time is best.
    assert first["saving"]["nominal_nj"] >= 0 and first["likely"]["median_uw"] >= 0
    assert "sooner" not in text
    rows = some.json("compare", *call, "plain.json")["rows"]
    savings = [row["saving"] for row in rows]
    assert any(one["nominal_nj"] < 0 for one in savings)
    assert all((one["nominal_nj"] < 0) == (one["nominal_uw"] < 0) for one in savings)
    assert len({row["nominal"]["duration_ns"] for row in rows}) == 1
    assert len({row["own_duration_ns"] for row in rows}) > 1


def test_nothing_to_gain_is_said_only_where_the_bounds_are_kept(some: Command) -> None:
    some.write("busy.csv", trace.csv(*((i * MS, MS) for i in range(50))))
    call = ["-t", "busy.csv", "plain.json"]
    for bound in ([], ["--max-added-mean", "1us"], ["--max-added-p99", "1us"]):
        _, text = text_of(some, *bound, *call)
        assert "leave all as it is" in text
    # The drive never sleeps here, and with this limit it never will.
    _, text = text_of(some, "--max-exit-latency", "1us", *call)
    assert text.startswith("latency-limit: set the latency limit to 0 us: likely saves nothing ")
    assert "echo 0 > /sys/class/nvme/" in text


def test_a_drive_cannot_save_more_than_the_system_takes(some: Command) -> None:
    use = ["--battery", "50Wh", "--system-power", "1mW"]
    message = some.fails(2, "recommend", "-t", "lomax", *use, "plain.json")
    assert "--system-power 1 mW: the drive alone may save " in message


Machine = Callable[[str], pathlib.Path]
TRACE = ["-q", "-t", "lomax", "--n-ios", "200"]


def test_a_drive_whose_limit_is_0_saves_against_never_sleeping(
    ssdpm: Command, machine: Machine
) -> None:
    root = str(machine("apst-off"))
    text = ssdpm.output("recommend", *TRACE, "--root", root, "nvme0")
    assert "; APST is off, the latency limit is 0\n  today: never sleeps\n" in text
    advice = ssdpm.json("recommend", *TRACE, "--root", root, "nvme0")
    assert advice["from"] == "today"
    first = advice["recommendations"][0]
    assert first["advice"] == "set" and first["saving"]["nominal_uw"] > 0

    rows = ssdpm.json("compare", *TRACE, "--root", root, "nvme0")["rows"]
    assert rows[0]["policies"][0] == "today" and "none" in rows[0]["policies"]
    assert rows[0]["entries"] == []
    assert ["linux"] in [row["policies"] for row in rows]

    found = ssdpm.json("estimate", *TRACE, "--root", root, "nvme0")
    assert (found["policy"], found["entries"]) == ("today", [])
    linux = ssdpm.json("estimate", *TRACE, "-a", "linux", "--root", root, "nvme0")
    assert linux["policy"] == "linux" and linux["entries"]


def test_today_has_the_parameters_of_the_machine(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    timeout = laptop / "sys/module/nvme_core/parameters/apst_primary_timeout_ms"
    timeout.write_text("1234\n")
    # A table that was read counts more.
    call = ["estimate", *TRACE, "--root", str(laptop), "nvme0"]
    assert ssdpm.json(*call)["entries"][0]["idle_ms"] == 100
    (laptop / "dumps/nvme0.apst").unlink()
    found = ssdpm.json("estimate", *TRACE, "--root", str(laptop), "nvme0")
    assert found["policy"] == "today"
    assert found["entries"][0]["idle_ms"] == 1234
    plan = ssdpm.json(
        "plan", *TRACE, "--root", str(laptop), "--latency", "0us", "nvme0"
    )  # fmt: skip
    before, after = plan["estimates"][0]["rows"]
    assert before["entries"][0]["idle_ms"] == 1234
    assert after["entries"] == []


def test_today_of_a_port_is_its_link_policy(
    ssdpm: Command, desktop: pathlib.Path
) -> None:
    for path in desktop.glob("sys/class/scsi_host/*/link_power_management_policy"):
        path.write_text("medium_power\n")
    found = ssdpm.json("estimate", *TRACE, "--root", str(desktop), "sda")
    assert (found["policy"], found["lpm"]) == ("today", "medium_power")
    text = ssdpm.output("estimate", *TRACE, "--root", str(desktop), "sda")
    assert "\n  today: medium_power\n" in text


def test_only_a_device_has_a_policy_of_today(ssdpm: Command) -> None:
    found = ssdpm.json("estimate", *TRACE, "plain.json")
    assert found["policy"] == "linux"
    rows = ssdpm.json("compare", *TRACE, "plain.json")["rows"]
    assert "today" not in [name for row in rows for name in row["policies"]]
    result = ssdpm("compare", *TRACE, "--policy", "today", "plain.json")
    assert result.returncode == 3
    assert result.stderr == (
        b"ssdpm: plain.json: today is unknown: only devices have it\n"
    )


@pytest.mark.parametrize(
    ("name", "drive", "advised"),
    [
        ("desktop-6.1", "sda", "med_power_with_dipm"),
        # Its port is for hot-plug.
        ("external-ports", "sdb", None),
    ],
)
def test_what_is_advised_is_what_tune_may_set(
    ssdpm: Command, machine: Machine, name: str, drive: str, advised: str | None
) -> None:
    root = machine(name)
    # Otherwise the port of sdb has no policy to choose from.
    for path in root.glob("sys/class/scsi_host/*/link_power_management_supported"):
        path.write_text("1\n")
    call = ["compare", "-t", "desktop-session", "--root", str(root), drive]
    found = ssdpm.json(*call, "--html", "p.html")
    assert found["advised"] == advised
    # min_power would save more, and has lost data.
    saved = {row["policies"][-1]: row["likely"] for row in found["rows"]}
    assert saved["min_power"]["median_uw"] > saved["med_power_with_dipm"]["median_uw"]
    device = package.open(drive, root)
    theirs = package.compare(device, package.generate("desktop-session"))
    assert theirs.advised == advised
    assert device.settings().left_alone == (advised is None)
    page = (ssdpm.directory / "p.html").read_text()
    assert ('"mark": "saves most within limits"' in page) == (advised is not None)
    assert ("ssdpm tune does not propose it" in page) == (advised is None)


def test_a_link_policy_that_the_firmware_has_set_is_a_range(
    ssdpm: Command, desktop: pathlib.Path
) -> None:
    call = ["estimate", *TRACE, "--root", str(desktop), "sda"]
    deep = ssdpm.json(*call, "--lpm", "min_power")
    awake = ssdpm.json(*call, "--lpm", "max_performance")
    for path in desktop.glob("sys/class/scsi_host/*/link_power_management_policy"):
        path.write_text("keep_firmware_settings\n")
    found = ssdpm.json(*call)
    assert found["policy"] == "today"
    assert found["nominal"]["energy_nj"] == awake["nominal"]["energy_nj"]
    assert found["high"]["energy_nj"] >= awake["high"]["energy_nj"]
    assert found["low"]["energy_nj"] <= deep["low"]["energy_nj"]
    assert deep["low"]["energy_nj"] < awake["low"]["energy_nj"]
    assert "so it is a range, min_power to max_performance" in ssdpm.output(*call)


@pytest.mark.parametrize("command", ["compare", "recommend"])
def test_explain_prints_what_is_possible_and_what_is_known(
    some: Command, command: str
) -> None:
    policies = SHORT if command == "compare" else ["--from", "none"]
    call = [command, "-t", "some.csv", *policies, "plain.json"]
    short, long = some.output(*call), some.output(*call, "--explain")
    assert long.startswith(short + "\n")
    possible, known = long[len(short) + 1 :].split("\n\n")
    found = some.json(*call)
    if command == "compare":
        rows = {row["policies"][0]: row["saving"] for row in found["rows"][1:]}
    else:
        rows = {r["route"]: r["saving"] for r in found["recommendations"]}
    lines = possible.splitlines()
    assert lines[0].split() == ["possible", "saving", "low", "nominal", "high"]
    assert [line.split()[0] for line in lines[1:]] == list(rows)
    for line, saving in zip(lines[1:], rows.values()):
        numbers = re.findall(r"(-?[\d.]+) (uW|mW|W)", line)
        unit = {"uW": 1, "mW": 1e3, "W": 1e6}
        watts = [float(number) * unit[word] for number, word in numbers]
        exact = [saving[f"{end}_uw"] for end in ("low", "nominal", "high")]
        assert watts == pytest.approx(exact, rel=0.01, abs=1)
    assert known.startswith("  taken for known")
    assert known.splitlines()[1:] == [
        line
        for line in some.output(
            "estimate", "-t", "some.csv", "-e", "plain.json"
        ).partition("taken for known")[2].splitlines()[1:]
    ]


def test_explain_prints_once_what_is_known_of_each_drive(some: Command) -> None:
    some.write("more.csv", trace.SOME)
    call = ["compare", "-q", "-t", "some.csv", "-t", "more.csv", *SHORT, "--explain"]
    one = some.output(*call, "plain.json")
    assert one.count("possible saving") == 2 and one.count("taken for known") == 1
    assert one.index("taken for known") > one.rindex("possible saving")
    two = some.output(*call, "plain.json", "drive.json")
    assert two.count("possible saving") == 4 and two.count("taken for known") == 2


def test_link_policies_under_which_a_sata_drive_does_the_same_are_one_row(
    some: Command,
) -> None:
    some.write("all", identify())
    some.write("hipm", identify(w78=0))
    some.write("none", identify(w76=WORDS[76] & ~0x200, w78=0))
    call = ["compare", "-q", "-t", "on-off"]

    def rows(name: str) -> list[list[str]]:
        found = some.json(*call, name)["rows"]
        return sorted(sorted(row["policies"]) for row in found)

    partial = ["med_power_with_dipm", "medium_power", "min_power_with_partial"]
    assert len(rows("all")) == 5
    assert rows("hipm") == [partial, ["min_power"], ["none"]]
    assert rows("none") == [sorted([*partial, "min_power", "none"])]
    assert "  * med_power_with_dipm is also medium_power, min" in some.output(*call, "none")


def test_what_is_likely_has_one_unit_and_a_saving_is_positive(some: Command) -> None:
    measured_run.write(some.directory)
    text = some.output("compare", "-q", "-t", "lomax", "intel-760p.json", "WDC PC SN530")
    number = r"(-?[\d.]+)"
    form = rf"(\S+) {number} (?:uW|mW|W) \(likely {number} to {number}( [um]?W)?\)"
    cells = re.findall(form, text)
    assert len(cells) > 8
    for verdict, middle, low, high, unit in cells:
        assert not unit and float(low) <= float(middle) <= float(high)
        # Where it is known which it is, the word says so and not the sign.
        assert verdict == "decided:" or not middle.startswith("-")
    assert [middle for verdict, middle, *_ in cells if verdict == "decided:" and middle < "0"]


def test_a_policy_that_has_lost_data_is_named(some: Command) -> None:
    call = ["compare", "-t", "lomax", "--policy", "min_power", "--policy", "medium_power"]
    warning = "ssdpm: min_power has lost data on some drives\n"
    for words in (["--all"], ["Samsung SSD 860 EVO 1TB"]):
        assert warning in some(*call, *words).stderr.decode()
        assert some(*call, "-q", *words).stderr == b""
    safe = ["compare", "-t", "lomax", "--policy", "medium_power"]
    assert some(*safe, "Samsung SSD 860 EVO 1TB").stderr.decode().count("lost data") == 0


def test_a_row_that_may_lose_data_is_warned_of(
    some: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    """Although nobody named it: the policies of the comparison are all."""
    call = ["compare", "--root", str(machine("desktop-6.1")), "-t", "lomax"]
    warning = b"min_power has lost data on some drives"
    assert some(*call, "sda").stderr.count(warning) == 1
    assert not some(*call, "sda", "-q").stderr
    assert warning not in some(*call, "nvme0").stderr
    named = some(*call, "sda", "--policy", "today", "--policy", "medium_power")
    assert warning not in named.stderr


def test_a_policy_that_the_port_refuses_has_no_price(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    call = ["compare", "-t", "desktop-session", "--root", str(machine("external-ports"))]
    refused = re.sub("  +", "  ", ssdpm.output(*call, "sdb"))
    assert "  med_power_with_dipm  -  refused by Linux" in refused
    assert "  today *  341 mW" in refused and "saves 2" not in refused
    assert "refused" not in ssdpm.output(*call, "sda")
    # A table of savings has those that the port takes, and is left out without one.
    some = ["--policy", "today", "--policy", "med_power_with_dipm"]
    text = ssdpm.output(*call, "-e", *some, "sdb")
    assert "possible" not in text and "\n\n\n" not in text


def test_what_the_port_refuses_saves_nothing_in_any_form(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = machine("external-ports")
    call = ["compare", "-t", "desktop-session", "--root", str(root), "sdb"]
    found = ssdpm.json(*call, "--html", "p.html")
    by_name = {name: row for row in found["rows"] for name in row["policies"]}
    assert {name for name, row in by_name.items() if row["refused"]} == {
        "med_power_with_dipm", "min_power_with_partial", "min_power"
    }  # fmt: skip
    for row in found["rows"]:
        assert not row["refused"] or (row["likely"] is None and not any(row["saving"].values()))
    theirs = package.compare(package.open("sdb", root), package.generate("desktop-session"))
    assert json.loads(theirs.to_json()) == found
    assert theirs["min_power"].refused and not theirs["today"].refused
    assert "min_power: " in repr(theirs) and "; refused by Linux" in repr(theirs)
    lines = list(csv.DictReader(ssdpm.output(*call, "--csv").splitlines()))
    assert {line["policy"] for line in lines if line["verdict"] == "refused"} == {
        name for name, row in by_name.items() if row["refused"]
    }
    page = (ssdpm.directory / "p.html").read_text()
    assert "saves most within limits" not in page and "No policy saves" not in page
    # The policy that savings are against has a price.
    text = ssdpm.output(*call, "--policy", "min_power", "--policy", "today")
    assert re.search("min_power +[0-9.]+ mW +refused by Linux ", text)


def test_a_policy_that_the_port_refuses_has_no_warning(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    call = ["compare", "-t", "desktop-session", "--root", str(machine("external-ports"))]
    warning = b"min_power has lost data"
    assert warning in ssdpm(*call, "sda").stderr
    assert warning not in ssdpm(*call, "sdb").stderr


def test_a_link_that_a_quirk_keeps_awake_has_no_price(ssdpm: Command) -> None:
    machines.write("old-5.10", ssdpm.directory / "old")
    ssdpm.wide = False
    call = ("compare", "-t", "desktop-session", "--root", "old", "sda")
    text = ssdpm.output(*call)
    assert text.count("refused by Linux") == 3
    assert "  refused: a quirk of Linux keeps the link of this drive awake\n" in text
    rows = ssdpm.json(*call)["rows"]
    refused = {name for row in rows if row["refused"] for name in row["policies"]}
    assert refused == {
        "medium_power", "med_power_with_dipm", "min_power_with_partial", "min_power"
    }  # fmt: skip
