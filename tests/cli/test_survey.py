# SPDX-License-Identifier: MIT
"""ssdpm measure survey FILE: what a survey says, and what it cannot say."""

from __future__ import annotations

import gzip
import pathlib
import statistics

import pytest
import surveys
from command import Command
from surveys import DIPM, MAX, MEDIUM


def report(ssdpm: Command, text: str, *options: str) -> str:
    ssdpm.write("s.csv", text)
    return ssdpm.output("measure", "survey", *options, "s.csv")


def fails(ssdpm: Command, status: int, words: str, *arguments: str) -> None:
    assert words in ssdpm.fails(status, *arguments)


def rules_of(ssdpm: Command, root: pathlib.Path, *options: str) -> str:
    """What plan shows that makes these options last."""
    call = ["plan", "--root", str(root), *options, "--persist", "udev"]
    (file,) = ssdpm.json(*call)["files"]
    return str(file["contents"])


def test_a_survey_finds_what_was_put_in(ssdpm: Command, laptop: pathlib.Path) -> None:
    ssdpm.write("s.csv", surveys.survey(fio=("randread",)))
    answer = ssdpm.json("measure", "survey", "s.csv")
    assert answer["n_complete"] == 45 and answer["n_rows"] == 45 * 60 + 15
    assert answer["policies"] == [MAX, MEDIUM, DIPM]
    assert [c["of"] for c in answer["power"]] == ["idle", "sync", "async"]
    for comparison in answer["power"]:
        for found in comparison["differences"]:
            true = surveys.POLICIES[found["policy"]]
            true -= surveys.POLICIES[found["other_policy"]]
            assert found["low_uw"] <= 1e6 * true <= found["high_uw"]
            assert found["different"] == (abs(true) > 0.1)
    for comparison in answer["latency"]:
        for mean in comparison["means"]:
            true = surveys.LATENCIES[mean["policy"]]
            assert mean["mean_ns"] == pytest.approx(1e3 * true, rel=0.05)
    advice = answer["recommendation"]
    assert advice["kind"] == "change" and advice["policy"] == DIPM
    assert advice["from"] == MAX and advice["scenario"] == "idle"
    assert advice["setting"] == "ssdpm apply --lpm med_power_with_dipm"
    assert advice["udev_rule"] == rules_of(ssdpm, laptop, "--lpm", DIPM.split("=")[1])


def test_the_mean_of_a_policy_is_that_of_its_runs(ssdpm: Command) -> None:
    ssdpm.write("s.csv", surveys.survey())
    answer = ssdpm.json("measure", "survey", "s.csv")
    for comparison in answer["power"]:
        for mean in comparison["means"]:
            runs = [
                run["mean_uw"]
                for run in answer["runs"]
                if (run["policy"], run["scenario"]) == (mean["policy"], comparison["of"])
            ]
            assert mean["n_runs"] == len(runs) == 5
            assert mean["mean_uw"] == pytest.approx(statistics.mean(runs), abs=1)


def test_the_report_says_what_is_saved_and_what_that_costs(ssdpm: Command) -> None:
    text = report(ssdpm, surveys.survey(fio=("seqread", "randread")))
    assert f"  {DIPM} draws the least in idle: 223 mW less (175 mW to 270 mW) than" in text
    assert f"  not shown to differ from it: {MEDIUM}\n" in text
    assert f"  but {MEDIUM} answers sooner: latency, sync, 80.7 us less" in text
    assert "  latency, fio randread: 88.9 us more (80.6 us to 97.3 us)\n" in text
    assert "  throughput, fio seqread: no difference is shown (" in text
    assert "  set it: ssdpm apply --lpm med_power_with_dipm\n" in text
    assert text == report(ssdpm, surveys.survey(fio=("seqread", "randread")))


def test_nothing_shown_is_not_nothing_there(ssdpm: Command) -> None:
    same = {MAX: 5.0, MEDIUM: 5.0}
    text = report(ssdpm, surveys.survey(same, ("idle",)))
    assert f"no policy is shown to draw less than {MAX} in idle, which is not to say" in text
    assert "finds a difference of" in text and "set it" not in text
    assert ssdpm.json("measure", "survey", "s.csv")["recommendation"]["setting"] is None


def test_what_was_found_is_kept_where_nothing_is_better(ssdpm: Command) -> None:
    text = report(ssdpm, surveys.survey(found=f"host0 {MEDIUM}"))
    assert f"  keep {MEDIUM}: no policy is shown to draw less in idle\n" in text
    assert f"  not shown to differ from it: {DIPM}\n" in text
    # Two drives with two policies: there is none that was in force.
    two = surveys.survey(found=f"host0 {MEDIUM}\n# found: host1 {MAX}")
    assert f"draws the least in idle: 223 mW less (175 mW to 270 mW) than {MAX}" in report(
        ssdpm, two
    )


def test_min_power_comes_with_its_warning(ssdpm: Command) -> None:
    powers = {MAX: 5.2, "lpm=min_power": 4.5}
    text = report(ssdpm, surveys.survey(powers, ("idle",)))
    assert "  lpm=min_power draws the least in idle:" in text
    assert "  warning: min_power lost data on some drives" in text
    for form in (["--markdown", "-"], ["--value", "recommendation_warning"]):
        assert "lost data" in report(ssdpm, surveys.survey(powers, ("idle",)), *form)
    assert "  warning: " not in report(ssdpm, surveys.survey())


def test_two_blocks_tell_no_difference_and_show_each_run(ssdpm: Command) -> None:
    text = report(ssdpm, surveys.survey(scenarios=("idle",), n_blocks=2))
    assert "differences cannot be told from noise: that takes two policies" in text
    assert text.count(f"  {MEDIUM}") == 2
    assert "no policy is recommended" in text
    answer = ssdpm.json("measure", "survey", "s.csv")
    assert answer["recommendation"]["kind"] == "undecided"
    assert answer["power"][0]["means"] == [] and answer["power"][0]["reason"]


def test_interrupted_and_repeated_runs_are_left_out_and_counted(ssdpm: Command) -> None:
    made = surveys.Survey(seed=9)
    text = surveys.survey(scenarios=("idle",))
    text += f"# interrupted\n99,{MAX},idle,5,600.000,9.9,,,\n"
    made.run = 99
    text += made.readings(MAX, "idle", 1, 5.2) + f"101,{MAX},idle,3,600"
    ssdpm.write("s.csv", text)
    answer = ssdpm.json("measure", "survey", "s.csv")
    assert (answer["n_complete"], answer["n_incomplete"], answer["n_replaced"]) == (15, 1, 1)
    assert answer["n_cut"] == 1
    words = ssdpm.output("measure", "survey", "s.csv")
    assert "  1 incomplete run left out\n" in words
    assert "  1 run left out, since a later one is of the same\n" in words
    assert "  1 row cut off, and left out\n" in words


def test_a_slow_begin_is_left_out_of_the_mean_and_said(ssdpm: Command) -> None:
    made = surveys.Survey(n=300)
    text = surveys.head(n=300)
    for block in range(1, 4):
        for policy, watts in surveys.POLICIES.items():
            drift = 0.5 if policy == MAX else 0
            text += made.readings(policy, "idle", block, watts, drift)
    ssdpm.write("s.csv", text)
    answer = ssdpm.json("measure", "survey", "s.csv")
    for run in answer["runs"]:
        if run["policy"] == MAX:
            assert run["summary"]["trend"] == "fall"
            assert run["mean_uw"] == run["summary"]["settled_mean_uw"]
            assert run["summary"]["mean_uw"] > run["mean_uw"] + 5000
            assert run["mean_uw"] == pytest.approx(5.2e6, abs=80000)
    text = ssdpm.output("measure", "survey", "s.csv")
    assert "fell slowly after settling (an averaging artefact): the mean is of the rest" in text


def test_a_share_is_of_the_system_where_one_says_it(ssdpm: Command) -> None:
    text = report(ssdpm, surveys.survey(), "--system-power", "20W")
    assert "  that is 1.11 % of the system's 20 W\n" in text
    answer = ssdpm.json("measure", "survey", "--system-power", "20W", "s.csv")
    mean = answer["power"][0]["means"][0]
    assert mean["share_ppm"] == pytest.approx(mean["mean_uw"] / 20, abs=1)
    ssdpm.write("s.csv", surveys.survey(system_w="20"))
    assert ssdpm.json("measure", "survey", "s.csv")["system_power_uw"] == 20_000_000


def test_a_stricter_error_rate_has_wider_intervals(ssdpm: Command) -> None:
    ssdpm.write("s.csv", surveys.survey())

    def low(rate: str) -> int:
        answer = ssdpm.json("measure", "survey", "--error-rate", rate, "s.csv")
        return answer["power"][0]["differences"][0]["low_uw"]

    assert low("0.1%") < low("1%") < low("5%") < low("20%")


def test_markdown_has_tables_and_no_markup_of_the_file(ssdpm: Command) -> None:
    text = report(ssdpm, surveys.survey(drive="<b>|x|`, FW"), "--markdown", "-")
    assert text.startswith("## Survey of power policies\n")
    assert "- drive: \\<b\\>\\|x\\|\\`, FW\n" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    for row in rows:
        assert row.count("|") in (6, 5)
    assert len(rows) == 3 * 10 + 2 * 10
    assert "\n```\nssdpm apply --lpm med_power_with_dipm\n```\n" in text
    ssdpm.output("measure", "survey", "--markdown", "s.md", "s.csv")
    beside = (ssdpm.directory / "s.md").read_text()
    assert beside == report(ssdpm, surveys.survey(drive="<b>|x|`, FW"), "--markdown", "-")
    fails(ssdpm, 2, "takes the place", "measure", "survey", "--json", "--markdown", "-", "s.csv")


def test_a_latency_limit_is_set_by_its_option_and_rule(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    powers = {"latency=0us": 5.2, "latency=25ms": 4.9}
    text = surveys.survey(powers, ("idle",), found="")
    ssdpm.write("s.csv", text)
    advice = ssdpm.json("measure", "survey", "s.csv")["recommendation"]
    assert advice["setting"] == "ssdpm apply --latency 25ms"
    assert advice["udev_rule"] == rules_of(ssdpm, laptop, "--latency", "25ms")
    assert 'ATTR{power/pm_qos_latency_tolerance_us}="25000"' in advice["udev_rule"]
    # A policy with words for a shell is never put into a command.
    evil = {"lpm=$(reboot)": 4.9, "latency=1ms": 5.2}
    ssdpm.write("s.csv", surveys.survey(evil, ("idle",), found=""))
    advice = ssdpm.json("measure", "survey", "s.csv")["recommendation"]
    assert advice["policy"] == "lpm=$(reboot)"
    assert advice["setting"] is None and advice["udev_rule"] is None


def test_data_of_others_need_policy_and_power_only(ssdpm: Command) -> None:
    rows = "policy,block,power_w\na,1,5.31\nb,1,5.22\na,2,5.35\nb,2,5.24\na,3,5.29\nb,3,5.20\n"
    text = report(ssdpm, rows)
    assert "  b draws the least in idle: " in text and "set it" not in text
    assert "too short, or all the same" in text
    ssdpm.write("s.csv.gz", gzip.compress(rows.encode()))
    packed = ssdpm.output("measure", "survey", "s.csv.gz")
    assert packed.splitlines()[1:] == text.splitlines()[1:]
    assert ssdpm.output("measure", "survey", "-", stdin=rows.encode()).startswith("-: 6 ")


@pytest.mark.parametrize(
    "rows, words",
    [
        ("policy,power_w\na,5W\n", 's.csv:2: "5W" is no number'),
        ("a,b\n1,2\n", "s.csv:1: no column policy"),
        ("# ssdpm survey 9\n", "s.csv:1: a survey of a version"),
        ("", "s.csv: this is no survey"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(
    ssdpm: Command, rows: str, words: str
) -> None:
    ssdpm.write("s.csv", rows)
    fails(ssdpm, 1, words, "measure", "survey", "s.csv")


def test_options_of_other_measurements_are_refused(ssdpm: Command) -> None:
    ssdpm.write("s.csv", surveys.survey(n_blocks=3))
    fails(ssdpm, 2, "survey takes no --idle", "measure", "survey", "-i", "0s..1s", "s.csv")
    fails(ssdpm, 2, "energy takes no --markdown", "measure", "energy", "--markdown", "x", "s.csv")
    fails(ssdpm, 2, "energy takes no --html", "measure", "energy", "--html", "x", "s.csv")
    fails(ssdpm, 2, "above 0 and below", "measure", "survey", "--error-rate", "0%", "s.csv")


def drive(number: int, saves_w: float = 0.2, **more: str) -> str:
    powers = {MAX: 4.0 + number, MEDIUM: 4.0 + number - saves_w}
    facts = {"drive": f"Drive {number}, FW", **more}
    return surveys.survey(powers, ("idle",), seed=number, **facts)


def test_drives_are_merged_by_their_differences(ssdpm: Command) -> None:
    names = [ssdpm.write(f"{i}.csv", drive(i)) for i in range(1, 7)]
    answer = ssdpm.json("measure", "merge", *names)
    [row] = answer["power"]
    assert (row["policy"], row["from"], row["of"]) == (MEDIUM, MAX, "idle")
    assert row["n_drives"] == row["n_results"] == 6
    assert row["low_uw"] < -200_000 < row["high_uw"] < 0
    assert row["high_uw"] - row["low_uw"] < 60_000
    assert row["drive_low_uw"] < row["low_uw"] and row["drive_high_uw"] > row["high_uw"]
    found = [
        ssdpm.json("measure", "survey", name)["power"][0]["differences"][0]["difference_uw"]
        for name in names
    ]
    assert -max(found) <= row["mean_uw"] <= -min(found)
    assert [one["left_out"] for one in answer["files"]] == [None] * 6


def test_intervals_of_several_pairs_hold_together(ssdpm: Command) -> None:
    """Bonferroni: each of 2.5 % of error where there are two."""
    names = []
    for i in range(1, 7):
        powers = {MAX: 4.0 + i, MEDIUM: 3.8 + i, surveys.DIPM: 3.7 + i}
        text = surveys.survey(powers, ("idle",), seed=i, drive=f"Drive {i}, FW")
        names.append(ssdpm.write(f"{i}.csv", text))
    answer = ssdpm.json("measure", "merge", *names)
    assert (answer["error_rate_ppm"], answer["row_error_rate_ppm"]) == (50_000, 25_000)
    for row in answer["power"]:
        # Student's t with 5 degrees of freedom.
        half = (row["high_uw"] - row["low_uw"]) / 2
        assert abs(half / row["se_uw"] - 3.163) < 0.002
    text = ssdpm.output("measure", "merge", *names)
    said = "each of 97.5 %, so that the 2 of a column hold together with 95 % (Bonferroni)"
    assert said in text
    assert said in ssdpm.output("measure", "merge", "--markdown", "-", *names)
    answer = ssdpm.json("measure", "merge", "--error-rate", "10%", *names)
    assert answer["row_error_rate_ppm"] == 50_000
    assert abs((answer["power"][0]["high_uw"] - answer["power"][0]["low_uw"]) / 2
               / answer["power"][0]["se_uw"] - 2.571) < 0.002  # fmt: skip


def test_drives_that_differ_say_so(ssdpm: Command) -> None:
    names = [ssdpm.write(f"{i}.csv", drive(i, 0.1 * i)) for i in range(1, 6)]
    [row] = ssdpm.json("measure", "merge", *names)["power"]
    assert row["inconsistency_ppm"] > 900_000 and row["tau_uw"] > 100_000
    text = ssdpm.output("measure", "merge", *names)
    assert text.startswith("5 surveys of 5 drives\n  1.csv: Drive 1\n")
    assert f"  mean power, idle  {MEDIUM} - {MAX}       5" in text and ", I2 9" in text


def test_files_of_one_drive_are_one_result(ssdpm: Command) -> None:
    names = [ssdpm.write(f"{i}.csv", drive(i, drive="Same, FW")) for i in (1, 2)]
    names.append(ssdpm.write("3.csv", drive(3)))
    [row] = ssdpm.json("measure", "merge", *names)["power"]
    assert row["n_results"] == 3 and row["n_drives"] == 2
    assert row["drive_low_uw"] is None
    text = ssdpm.output("measure", "merge", *names)
    assert text.startswith("3 surveys of 2 drives\n") and "takes 3 drives" in text
    [row] = ssdpm.json("measure", "merge", *names[:2])["power"]
    assert row["reason"] == "of one drive: two or more are needed"
    assert row["mean_uw"] is None


def test_what_is_left_out_of_a_merger_is_said(ssdpm: Command) -> None:
    names = [ssdpm.write(f"{i}.csv", drive(i)) for i in (1, 2, 3)]
    short = ssdpm.write("short.csv", surveys.survey(scenarios=("idle",), n_blocks=2, seed=7))
    twice = ssdpm.write("twice.csv", drive(1))
    text = ssdpm.output("measure", "merge", *names, short, twice)
    assert text.startswith("3 surveys of 3 drives\n")
    assert "  left out short.csv: differences cannot be told from noise" in text
    assert "  left out twice.csv: it is the same survey as 1.csv\n" in text
    assert ssdpm.output("measure", "merge", *names).splitlines()[4:] == text.splitlines()[6:]
    answer = ssdpm.json("measure", "merge", short)
    assert answer["power"] == [] and answer["files"][0]["left_out"]


def test_a_merger_is_a_table_for_an_issue_tracker(ssdpm: Command) -> None:
    names = [ssdpm.write(f"{i}.csv", drive(i, drive=f"<b>{i}|, FW")) for i in (1, 2, 3)]
    text = ssdpm.output("measure", "merge", "--markdown", "-", *names)
    assert "| \\<b\\>1\\| | used |\n|---|---|\n" in text
    tables = [line for line in text.splitlines() if line.count("|") == 8]
    assert len(tables) == 3 and "mean power, idle" in tables[2]
    fails(ssdpm, 2, "merge takes no --html", "measure", "merge", "--html", "x", *names)
    fails(ssdpm, 2, "merge takes FILEs", "measure", "merge")
    fails(ssdpm, 2, "takes no --system-power", "measure", "merge", "--system-power", "5W", *names)
    fails(ssdpm, 1, "x.csv: No such file", "measure", "merge", "x.csv", *names)


def test_policies_that_some_files_lack_are_merged_over_the_others(
    ssdpm: Command
) -> None:
    names = [ssdpm.write(f"{i}.csv", drive(i)) for i in (1, 2)]
    three = {MEDIUM: 5.0, DIPM: 4.9}
    more = [
        ssdpm.write(f"{i}.csv", surveys.survey(three, ("idle",), seed=i, drive=f"Drive {i}, F"))
        for i in (3, 4)
    ]
    rows = ssdpm.json("measure", "merge", *names, *more)["power"]
    # The first policy that all have.
    assert [(row["policy"], row["from"], row["n_drives"]) for row in rows] == [
        (MAX, MEDIUM, 2),
        (DIPM, MEDIUM, 2),
    ]
