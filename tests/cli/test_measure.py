# SPDX-License-Identifier: MIT
"""ssdpm measure: energy, baselines and background work of samples of power, from files
and from meters."""

from __future__ import annotations

import gzip
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import time
from typing import Callable

import pytest
from command import Command

S = 10**9


def csv(power: Callable[[int], float], n: int) -> str:
    """A sample each 0.1 s, of an instrument with some noise."""
    noise = random.Random(3)
    rows = (f"{t / 10},{power(t) + noise.gauss(0, 0.01):.4f}\n" for t in range(n))
    return "time_s,power_w\n" + "".join(rows)


def busy(t: int) -> float:
    """Idle at 1 W, 3 W from 20 s on, and after its I/Os (30 s) 2 W up to 34 s."""
    return 3 if 200 <= t < 300 else 2 if 300 <= t < 340 else 1


def regular(t: int) -> float:
    """Half a watt more for half a second, each 10 s."""
    return 1.5 if 60 <= t and t % 100 < 5 else 1


def test_the_energy_of_a_square_has_the_range_of_the_shunt(ssdpm: Command) -> None:
    ssdpm.write("p.csv", "time_s,power_w\n0,2\n1,2\n1,4\n2,4\n")
    assert ssdpm.output("measure", "energy", "--tolerance", "5%", "p.csv") == (
        "p.csv: 6 J (5.71 J to 6.32 J) in 2 s, 3 W on average\n"
        "  2 W to 4 W, 4 samples\n"
        "  at the time of the one before, which does not count: 1\n"
    )
    answer = ssdpm.json("measure", "energy", "--tolerance", "5%", "p.csv")
    assert answer["energy_nj"] == 6 * S
    assert answer["low_nj"] == round(6 * S / 1.05)
    assert answer["high_nj"] == round(6 * S / 0.95)
    assert answer["covered_ns"] == 2 * S and answer["mean_power_uw"] == 3000000
    assert answer["remarks"] == ["duplicates"] and answer["n_duplicates"] == 1
    assert ssdpm.output("measure", "energy", "--value", "energy_nj", "p.csv") == (
        "6000000000\n"
    )
    assert "min_power_uw='2000000'\n" in ssdpm.output(
        "measure", "energy", "--shell", "p.csv"
    )


def test_files_may_be_packed_raw_or_several(ssdpm: Command) -> None:
    rows = "volts,milliamperes\n5,400\n5,400\n5,400\n"
    ssdpm.write("p.csv.gz", gzip.compress(rows.encode()))
    ssdpm.write("p.raw", struct.pack("<3h", 2000, 2000, 2000))
    ssdpm.write("p.f32", struct.pack("<3f", 2, 2, 2))
    ssdpm.write("s.csv", "shunt_mv\n100\n100\n100\n")
    for call in (
        ["--rate", "1kHz", "p.csv.gz"],
        ["--rate", "1kHz", "-f", "int16", "--scale", "1mW", "p.raw"],
        ["--rate", "1000Hz", "-f", "float32", "p.f32"],
        # (0.1 / 0.25) (5.1 - 0.1) = 2
        ["--rate", "1kHz", "--shunt", "250mohm", "--supply", "5.1V", "s.csv"],
    ):
        answer = ssdpm.json("measure", "energy", *call)
        assert answer["energy_nj"] == 4000000 and answer["covered_ns"] == 2000000
        assert answer["remarks"] == ["constant"]
    many = ssdpm.json("measure", "energy", "-r", "1kHz", "p.csv.gz", "p.csv.gz")
    assert [one["file"] for one in many] == ["p.csv.gz", "p.csv.gz"]
    text = ssdpm.output("measure", "energy", "-r", "1Hz", "-", stdin=rows.encode())
    assert text.startswith("-: 4 J in 2 s, 2 W on average\n")


def test_what_is_odd_about_samples_is_said(ssdpm: Command) -> None:
    rows = "0,1\n1,nan\n2,-1\n3,1\n1,2\n2,1e999\n3,2\n100,2\n"
    ssdpm.write("p.csv", "time_s,power_w\n" + rows)
    answer = ssdpm.json("measure", "energy", "--max-gap", "5s", "p.csv")
    assert answer["n_not_finite"] == 2 and answer["n_negative"] == 1
    assert answer["n_backwards"] == 1 and answer["n_gaps"] == 1
    assert answer["gap_ns"] == 97 * S
    assert answer["remarks"] == ["not-finite", "negative", "backwards", "gaps"]
    text = ssdpm.output("measure", "energy", "--max-gap", "5s", "p.csv")
    assert "  no finite number, and left out: 2\n" in text
    assert "  the gaps are 1.62 min\n" in text
    # The columns the wrong way round: time goes back all the time.
    ssdpm.write("q.csv", csv(busy, 300))
    call = ["measure", "energy", "--columns", "power_w,time_s", "q.csv"]
    assert "columns mistaken for each other" in ssdpm.output(*call)


def test_a_counter_wraps_where_one_says_so(ssdpm: Command) -> None:
    ssdpm.write("c.csv", "time_s,energy_uj\n0,3000000\n1,5000000\n2,1000000\n3,3000000\n")
    text = ssdpm.output("measure", "energy", "--counter", "6J", "c.csv")
    assert text.startswith("c.csv: 6 J in 3 s") and "anew 1 time\n" in text
    answer = ssdpm.json("measure", "energy", "c.csv")
    assert answer["n_resets"] == 1 and answer["n_not_finite"] == 1


def test_one_window_is_idle(ssdpm: Command) -> None:
    ssdpm.write("p.csv", csv(busy, 600))
    call = ("measure", "baseline", "--idle", "0s..15s", "-i", "1s..2s", "p.csv")
    assert ssdpm.fails(2, *call) == "ssdpm measure: --idle is given twice"


def test_runs_are_found_above_the_baseline(ssdpm: Command) -> None:
    ssdpm.write("p.csv", csv(busy, 600))
    for idle in ([], ["--idle", "0s..15s"]):
        answer = ssdpm.json("measure", "baseline", *idle, "p.csv")
        assert abs(answer["level_uw"] - 1000000) < 10000
        assert 5000 < answer["sigma_uw"] < 20000
        assert answer["method"] == ("window" if idle else "half-sample")
        (run,) = answer["runs"]
        assert abs(run["begin_ns"] - 20 * S) <= S // 5
        assert abs(run["end_ns"] - 34 * S) <= S // 5
        assert abs(run["extra_nj"] - 24 * S) < S // 4 and run["open"] == 0
    text = ssdpm.output("measure", "baseline", "--idle", "0s..15s", "p.csv")
    assert len(text.splitlines()) == 3
    text = ssdpm.output("measure", "baseline", "--floor", "3W", "p.csv")
    assert text.endswith("  nothing is above it\n")
    assert "no window was named" in text


def test_many_runs_come_with_the_option_that_leaves_out_small_ones(
    ssdpm: Command,
) -> None:
    def pulses(t: int) -> float:
        time_s = t / 10
        if time_s < 10 or time_s % 2 < 1:
            return 1
        return 4 if time_s % 10 < 2 else 1.5

    def shown(n: int, *more: str) -> str:
        ssdpm.write("p.csv", csv(pulses, n))
        return ssdpm.output("measure", "baseline", "-i", "0s..9s", *more, "p.csv")

    assert "--floor" not in shown(300)
    text = shown(1000)
    hint = re.search(r"^  (\d+) stretches; half of them peak at most (\S+) mW", text, re.M)
    assert hint and int(hint[1]) == 45 and 480 < float(hint[2]) < 560
    assert "--floor POWER leaves out small ones" in " ".join(text.split())
    fewer = shown(1000, "--floor", "1W")
    assert "--floor" not in fewer and len(fewer.splitlines()) == 2 + 9


def test_a_run_that_goes_on_is_said_to(ssdpm: Command) -> None:
    ssdpm.write("p.csv", csv(busy, 320))
    text = ssdpm.output("measure", "baseline", "--idle", "0s..15s", "p.csv")
    assert text.endswith("cut off at the end\n")


def test_a_tail_and_what_comes_after_it_are_told_apart(ssdpm: Command) -> None:
    ssdpm.write("p.csv", csv(busy, 600))
    call = ["measure", "background", "--idle", "0s..15s", "--completion", "30s"]
    answer = ssdpm.json(*call, "p.csv")
    tail = answer["tail"]
    assert abs(tail["duration_ns"] - 4 * S) <= S // 5 and not tail["open"]
    assert abs(tail["extra_nj"] - 4 * S) < S // 5 and 0 < tail["sigma_nj"] < S // 5
    assert answer["work"]["n"] == 0
    text = ssdpm.output(*call, "p.csv")
    assert "after the last completion it works for" in text
    assert "idle, it does nothing by itself that can be told\n" in text
    answer = ssdpm.json(*call[:-1], "40s", "p.csv")
    assert answer["tail"]["duration_ns"] == 0
    answer = ssdpm.json("measure", "background", "--idle", "0s..15s", "p.csv")
    assert answer["tail"] is None and answer["work"]["n"] == 1


def test_regular_work_has_a_period(ssdpm: Command) -> None:
    ssdpm.write("p.csv", csv(regular, 1000))
    work = ssdpm.json("measure", "background", "p.csv")["work"]
    assert work["n"] == 9 and work["regular"]
    assert abs(work["period_ns"] - 10 * S) <= S // 10
    assert abs(work["extra_nj"] - S // 4) < S // 20
    assert "  regularly, each 10 s" in ssdpm.output("measure", "background", "p.csv")


SWEEP = """experiment,parameter,tail_s,extra_j,sigma_j
pause,1,2,1,0.1
pause,2,4,2,0.1
pause,4,8,4,0.1
pause,8,16,8,0.1
pause,16,32,16,0.1
pause,32,65,32,0.1
"""


def test_experiments_have_classes(ssdpm: Command) -> None:
    rows = "".join(f"size,{i},0,0,0.1\nlong,{i},5,3,0.1\n" for i in range(1, 7))
    rows += "".join(f"short,{i},0.4,3,0.1\n" for i in range(1, 7))
    ssdpm.write("s.csv", SWEEP + rows)
    answers = ssdpm.json("measure", "background", "--sweep", "s.csv")
    assert {a["experiment"]: a["background"] for a in answers} == {
        "pause": "grows",
        "size": "none",
        "long": "extended",
        "short": "small",
    }
    assert [a["n_runs"] for a in answers] == [6] * 4
    assert answers[0]["trend_ppm"] == 1000000
    text = ssdpm.output("measure", "background", "--sweep", "s.csv")
    assert len(text.splitlines()) == 5
    one = SWEEP.replace("experiment,", "").replace("pause,", "")
    text = ssdpm.output(
        "measure", "background", "--sweep", "-", stdin=one.encode()
    )
    assert "  all         grows with the parameter" in text


# What the study of uFLIP published, SW / RW; one word stands for both.
PUBLISHED = """
granularity GWP NS/S S/none
alignment Ex S none
locality GWP NS/S none/GWP
partitioning Ex NS/GWP none/S
order GWP NS/GWP none/GWP
parallelism Ex NS S
mix GWP S none/GWP
"""
DRIVES = ("Memoright", "MTron", "Intel")


def tails_of(word: str, i: int) -> str:
    """The tail of one run of an experiment whose class is known."""
    tail = {"none": 0.0, "S": 0.4, "Ex": 5.0, "GWP": 2.0 * i}
    seconds = tail[word] if word in tail else 0.3 * (i % 4 == 0)
    return f"{i},{seconds},{2 * seconds},0.1"


def suite() -> tuple[str, dict[str, list[str]]]:
    """Runs of all experiments, RW first, and the cells that come of them."""
    lines = ["micro_benchmark,drive,pattern,parameter,tail_s,extra_j,sigma_j"]
    cells = {}
    for line in PUBLISHED.split("\n")[1:-1]:
        name, *published = line.split()
        cells[name] = [cell.replace("/", " / ") for cell in published]
        for drive, cell in zip(DRIVES, published, strict=True):
            sequential, *rest = cell.split("/")
            for pattern, word in (("RW", [sequential, *rest][-1]), ("SW", sequential)):
                where = f"{name},{drive},{pattern}"
                lines += [f"{where},{tails_of(word, i)}" for i in range(1, 13)]
    return "\n".join(lines) + "\n", cells


def test_a_suite_gives_the_matrix_that_was_published(ssdpm: Command) -> None:
    text, cells = suite()
    ssdpm.write("s.csv", text)
    printed = ssdpm.output("measure", "background", "--sweep", "s.csv")
    listed, matrix = printed.split("\n\n")
    assert len(listed.splitlines()) == 1 + 7 * 3 * 2
    head, *rows = [re.split("  +", row.strip()) for row in matrix.splitlines()[:-2]]
    assert head == [f"{drive} SW / RW" for drive in DRIVES]
    assert {name: row for name, *row in rows} == cells
    answer = ssdpm.json("measure", "background", "--sweep", "s.csv")
    assert answer["micro_benchmarks"] == list(cells)
    assert answer["drives"] == list(DRIVES)
    assert answer["patterns"] == ["SW", "RW"]
    found = {(c["micro_benchmark"], c["drive"]): c["text"] for c in answer["cells"]}
    assert found == {
        (name, drive): text
        for name, row in cells.items()
        for drive, text in zip(DRIVES, row, strict=True)
    }
    backgrounds = {
        (e["micro_benchmark"], e["drive"], e["pattern"]): e["background"]
        for e in answer["experiments"]
    }
    for cell in answer["cells"]:
        for one in cell["classes"]:
            where = (cell["micro_benchmark"], cell["drive"], one["pattern"])
            assert one["background"] == backgrounds[where]


def test_what_a_suite_does_not_have_is_left_out_of_its_matrix(ssdpm: Command) -> None:
    head = "micro_benchmark,drive,pattern,parameter,tail_s,extra_j,sigma_j\n"
    wide = (f"m,drive {d},SR,{i},0,0,1\n" for d in range(13) for i in range(4))
    more = (f"n,drive 3,odd,{i},0,0,1\n" for i in range(4))
    ssdpm.write("s.csv", head + "".join([*wide, *more]))
    printed = ssdpm.output("measure", "background", "--sweep", "s.csv")
    _, first, second = printed.split("\n\n")
    assert [len(re.findall("drive [0-9]+ SR / odd", t)) for t in (first, second)] == [11, 2]
    assert "none / -" in first and "- / none" in first
    answer = ssdpm.json("measure", "background", "--sweep", "s.csv")
    cells = {(c["micro_benchmark"], c["drive"]): c for c in answer["cells"]}
    assert cells["n", "drive 3"]["classes"] == [
        {"pattern": "SR", "background": None},
        {"pattern": "odd", "background": "none"},
    ]
    assert cells["n", "drive 4"]["text"] == "-"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("drive,parameter,tail_s,extra_j,sigma_j\n", "1: no column micro_benchmark"),
        ("experiment,drive,pattern,micro_benchmark," + SWEEP[11:], "not by both"),
        (
            "drive,pattern,micro_benchmark,parameter,tail_s,extra_j,sigma_j\n"
            "d,,m,1,1,1,1\n",
            "s.csv:2: pattern: a name of 1 to 200 bytes",
        ),
        (
            "drive,pattern,micro_benchmark,parameter,tail_s,extra_j,sigma_j\n"
            + "".join(f"d,{p},m,{i},1,1,1\n" for p in "abcdefghi" for i in range(4)),
            "a matrix has up to 8 patterns: i is one more",
        ),
        ("", "s.csv: there are no runs"),
        ("parameter,tail_s\n1,2\n", "s.csv:1: no column extra_j"),
        (SWEEP + "pause,x,1,1,1\n", 's.csv:8: parameter: "x" is no number'),
        (SWEEP + "pause,1,1,1\n", 's.csv:8: sigma_j: "" is no number'),
        (SWEEP + "pause,1,-1,1,1\n", "s.csv:8: tail_s: a tail is"),
        (SWEEP + "pause,1,nan,1,1\n", 's.csv:8: tail_s: "nan" is no number'),
        (SWEEP + "other,1,1,1,1\n", "s.csv: other: "),
    ],
)
def test_a_sweep_that_cannot_be_read_or_makes_no_matrix_is_refused(
    ssdpm: Command, text: str, words: str
) -> None:
    ssdpm.write("s.csv", text)
    assert words in ssdpm.fails(1, "measure", "background", "--sweep", "s.csv")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ([], "no ACTION given"),
        (["joules", "p.csv"], "unknown action of measure 'joules'; expected calibrate, check, state, energy, baseline"),
        (["energy"], "no FILE given"),
        (["energy", "--idle", "0s..1s", "p.csv"], "energy takes no --idle"),
        (["baseline", "--tolerance", "5%", "p.csv"], "baseline takes no --tolerance"),
        (["baseline", "--sweep", "p.csv"], "baseline takes no --sweep"),
        (["background", "--sweep", "s.csv", "p.csv"], "takes no other FILE"),
        (["energy", "--tolerance", "5", "p.csv"], "write a number with its unit"),
        (["energy", "--tolerance", "0%", "p.csv"], "above 0"),
        (["energy", "--tolerance", "100%", "p.csv"], "below 100%"),
        (["energy", "--max-gap", "0s", "p.csv"], "above 0"),
        (["energy", "--rate", "20", "p.csv"], "as in 10Hz"),
        (["energy", "--rate", "0Hz", "p.csv"], "above 0"),
        (["energy", "--shunt", "1R", "p.csv"], "mohm or ohm"),
        (["energy", "--supply", "5", "p.csv"], "as in 5V"),
        (["energy", "--format", "wav", "p.csv"], "csv, float32 or int16"),
        (["baseline", "--idle", "10s", "p.csv"], "two dots"),
        (["baseline", "--idle", "10s..5s", "p.csv"], "ends before it begins"),
        (["baseline", "--idle", "0..5s", "p.csv"], "with its unit"),
    ],
)
def test_what_makes_no_sense_is_a_matter_of_usage(
    ssdpm: Command, call: list[str], words: str
) -> None:
    assert words in ssdpm.fails(2, "measure", *call)


@pytest.mark.parametrize(
    "text",
    [
        "Zeit [s];Leistung [W]\n0,0;1,5\n1,0;1,5\n",
        "0.0,1.5\n1.0,1.5\n",
        "a1,b1,c1\n0,1.5,7\n1,1.5,7\n",
        "time,current,voltage\n0,0.3,5\n1,0.3,5\n",
    ],
)
def test_a_file_without_known_names_is_read_with_the_names_of_the_message(
    ssdpm: Command, text: str
) -> None:
    ssdpm.write("p.csv", text)
    message = ssdpm.fails(1, "measure", "energy", "p.csv")
    assert f'"{text.splitlines()[0]}"' in message
    found = re.search(r", as in (\S+) \(option -c\)$", message)
    assert found, message
    assert ssdpm.json("measure", "energy", "-c", found[1], "p.csv")["energy_nj"] == 1.5e9


@pytest.mark.parametrize(
    ("text", "call", "words"),
    [
        ("", [], "p.csv: there are no samples"),
        ("1,2\n", [], "p.csv:1: no name of a column is known"),
        ("time_s,mib_s\n1,2\n", [], "p.csv: the columns make no power: name the columns "),
        ("time_s,mib_s\n1,2\n", [], "or of a counter of energy (option -c)"),
        ("time_s,amperes\n1,2\n", [], "the voltage of the supply (option -c or --supply)"),
        ("time_s,shunt_v\n1,2\n", [], "without its resistance (option --shunt)"),
        ("power_w\n1\n", [], "the rate of the samples (option -c or --rate)"),
        ("time_s,power_w\n1,2\n2,x\n", [], 'p.csv:3: column 2: "x" is no number'),
        ("time_s,power_w\n1,nan\n", [], "p.csv: no sample is a finite power"),
        ("time_s,power_w\n", [], "p.csv: no sample is a finite power"),
        ("power_w\n1\n", [], "p.csv: no column is a time"),
        ("\0\0\0\0", [], "p.csv: this is no text"),
        ("abc", ["-f", "int16", "-r", "1Hz"], "p.csv: the file ends within"),
        ("abc", ["-f", "int16"], "p.csv: raw samples"),
        ("1,2\n", ["--columns", "time_s,power_kw"], '"power_kw" is none'),
    ],
)
def test_files_that_cannot_be_read_are_named_with_the_line(
    ssdpm: Command, text: str, call: list[str], words: str
) -> None:
    ssdpm.write("p.csv", text)
    assert words in ssdpm.fails(1, "measure", "energy", *call, "p.csv")


def test_files_that_are_none_are_refused(ssdpm: Command) -> None:
    assert "no: No such file" in ssdpm.fails(1, "measure", "energy", "no")
    assert "bin: is a directory" in ssdpm.fails(1, "measure", "energy", "bin")
    ssdpm.write("cut.gz", gzip.compress(csv(busy, 600).encode())[:-20])
    assert "cut" in ssdpm.fails(1, "measure", "energy", "cut.gz")


def test_no_level_that_stands_out_asks_for_a_window(ssdpm: Command) -> None:
    ssdpm.write("p.csv", csv(lambda t: t / 100, 600))
    assert "(--idle)" in ssdpm.fails(1, "measure", "baseline", "p.csv")
    message = ssdpm.fails(1, "measure", "baseline", "--idle", "900s..901s", "p.csv")
    assert "no sample is in the window" in message


def test_output_that_is_not_wanted_to_its_end_is_no_noise(ssdpm: Command) -> None:
    text = csv(lambda t: 1 + (t > 100 and t % 20 > 10), 8000)
    ssdpm.write("p.csv", text)
    call = "ssdpm measure baseline --idle 0s..10s p.csv"
    assert len(ssdpm.shell(call).stdout.splitlines()) > 300
    result = ssdpm.shell(f"{call} | head -n 1")
    assert result.returncode == 0 and result.stderr == ""
    result = ssdpm.shell(f"{call} > /dev/full")
    assert result.returncode == 1 and "No space left" in result.stderr


def test_samples_that_are_too_slow_for_what_happens_are_said_to_be(
    ssdpm: Command,
) -> None:
    ssdpm.write("p.csv", csv(lambda t: 3 if t % 37 == 5 else 1, 3000))
    said = (
        "  sampled every 100 ms, slower than the events: 81 of 81 are of two samples or "
        "fewer\n    sample at least every 25 ms; or are they spikes of the instrument?\n"
    )
    for what in ("energy", "baseline", "background"):
        assert said in ssdpm.output("measure", what, "p.csv")
        sampling = ssdpm.json("measure", what, "p.csv")["sampling"]
        assert sampling["remarks"] == ["slow"] and sampling["n_short"] == 81
        assert sampling["advised_ns"] == S // 40
    assert ssdpm.json("measure", "energy", "p.csv")["remarks"] == ["slow"]
    # What is seen well is not remarked, and neither is what nobody can tell.
    ssdpm.write("q.csv", csv(regular, 3000))
    for what in ("energy", "baseline", "background"):
        assert "slower" not in ssdpm.output("measure", what, "q.csv")
    answer = ssdpm.json("measure", "energy", "q.csv")["sampling"]
    assert answer["remarks"] == [] and answer["advised_ns"] is None
    assert answer["n_excursions"] == 29 and answer["n_short"] == 0
    ssdpm.write("r.csv", csv(lambda t: t / 50, 1000))
    assert ssdpm.json("measure", "energy", "r.csv")["sampling"]["extra_nj"] is None


def test_a_meter_that_is_read_too_often_is_said_to_repeat(ssdpm: Command) -> None:
    noise = random.Random(4)
    values = [1 + noise.gauss(0, 0.1) for _ in range(100)]
    rows = (f"{t / 10},{values[t // 10]:.4f}\n" for t in range(1000))
    ssdpm.write("p.csv", "time_s,power_w\n" + "".join(rows))
    text = ssdpm.output("measure", "energy", "p.csv")
    assert "  its values repeat: measured every 1 s, not every 100 ms\n" in text
    answer = ssdpm.json("measure", "energy", "p.csv")
    assert answer["remarks"] == ["held"]
    assert answer["sampling"]["interval_ns"] == S


SUPPLIES = "sys/class/power_supply"


def put(root: pathlib.Path, path: str, **texts: object) -> pathlib.Path:
    folder = root / path
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(f"{text}\n")
    return folder


@pytest.fixture
def battery(tmp_path: pathlib.Path) -> pathlib.Path:
    """BAT0 of a root, whose files a test may change while they are read."""
    return put(
        tmp_path / "root",
        f"{SUPPLIES}/BAT0",
        type="Battery",
        status="Discharging",
        power_now=6200000,
        energy_now=41000000,
    )


def meter(battery: pathlib.Path, *more: str) -> list[str]:
    root = battery.parents[len(SUPPLIES.split("/"))]
    call = ["measure", "energy", "--root", str(root), "--meter", "BAT0"]
    return [*call, "--interval", "20ms", *more]


def start(
    ssdpm: Command, *call: str, before: tuple[str, ...] = ()
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*before, "ssdpm", *call],
        cwd=ssdpm.directory,
        env=ssdpm.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_lines(path: pathlib.Path, n: int) -> None:
    """Until there are so many samples in a file that is being written."""
    for _ in range(3000):
        if path.exists() and path.read_text().count("\n") >= n:
            return
        time.sleep(0.01)
    raise AssertionError(f"{path} has no {n} lines")


def test_a_battery_is_read_and_kept_for_the_same_answer_later(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    answer = ssdpm.json(*meter(battery, "--for", "300ms", "--save", "kept.csv", "-q"))
    assert answer["file"] == "BAT0"
    assert answer["min_power_uw"] == answer["max_power_uw"] == 6200000
    assert answer["counter_nj"] == 0
    assert 2 <= answer["n"] <= 16
    assert answer["energy_nj"] == pytest.approx(
        6.2 * answer["covered_ns"], abs=10_000
    )
    kept = (ssdpm.directory / "kept.csv").read_text().splitlines()
    assert kept[0] == "# meter: battery BAT0"
    assert kept[1] == "time_s,power_w,energy_j"
    assert kept[2] == "0.000000,6.200000,0.000000"
    again = ssdpm.json("measure", "energy", "kept.csv")
    assert again.pop("counter_nj") is None
    assert again | {"file": "BAT0"} == {
        key: value for key, value in answer.items() if key != "counter_nj"
    }


def test_baselines_and_background_work_come_from_meters_too(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    for action, schema in (("baseline", "baseline"), ("background", "background")):
        call = meter(battery, "--for", "300ms", "--idle", "0s..300ms", "-q")
        answer = ssdpm.json("measure", action, *call[2:])
        assert answer["schema"] == f"ssdpm.{schema}/1"
        assert answer["level_uw"] == 6200000


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_what_was_measured(
    ssdpm: Command, battery: pathlib.Path, name: signal.Signals
) -> None:
    kept = ssdpm.directory / "kept.csv"
    process = start(ssdpm, *meter(battery, "--save", str(kept)))
    wait_for_lines(kept, 6)
    process.send_signal(name)
    out, talk = process.communicate(timeout=30)
    assert process.returncode == 0, talk
    assert out.startswith("BAT0: ") and "6.2 W on average" in out
    assert "BAT0 is read until Ctrl-C" in talk


def test_under_nohup_it_goes_on_when_the_terminal_ends(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    kept = ssdpm.directory / "kept.csv"
    process = start(ssdpm, *meter(battery, "--save", str(kept)), before=("nohup",))
    wait_for_lines(kept, 6)
    process.send_signal(signal.SIGHUP)
    wait_for_lines(kept, 2 * kept.read_text().count("\n"))
    process.send_signal(signal.SIGINT)
    out, talk = process.communicate(timeout=30)
    assert process.returncode == 0, talk
    assert "6.2 W on average" in out


def ended_by(ssdpm: Command, battery: pathlib.Path, event: Callable[[], object]) -> str:
    """What is said if this ends a measurement, whose power so far is printed."""
    kept = ssdpm.directory / "kept.csv"
    process = start(ssdpm, *meter(battery, "--for", "60s", "--save", str(kept)))
    wait_for_lines(kept, 6)
    event()
    out, talk = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "6.2 W on average" in out
    return talk


def test_what_was_measured_before_a_battery_charges_is_printed(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    status = battery / "status"
    talk = ended_by(ssdpm, battery, lambda: status.write_text("Charging\n"))
    assert "BAT0 charges" in talk and "what was measured before" in talk
    assert ssdpm.output("measure", "energy", "kept.csv").splitlines()[0].endswith(
        "6.2 W on average"
    )


def test_what_was_measured_before_a_meter_vanishes_is_printed(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    talk = ended_by(ssdpm, battery, (battery / "power_now").unlink)
    assert "BAT0/power_now is gone" in talk


def test_what_was_saved_survives_sigkill(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    kept = ssdpm.directory / "kept.csv"
    process = start(ssdpm, *meter(battery, "--save", str(kept)))
    wait_for_lines(kept, 8)
    process.kill()
    process.communicate(timeout=30)
    assert int(ssdpm.output("measure", "energy", "--value", "n", "kept.csv")) >= 6


def script_meter(ssdpm: Command, script: str, time: str, interval: str) -> list[str]:
    """A call that reads what a script prints."""
    meter = f"command:sh {ssdpm.write('meter', script)}"
    call = ["measure", "energy", "--meter", meter]
    return [*call, "--for", time, "--interval", interval]


def test_readings_without_a_number_are_left_out(ssdpm: Command) -> None:
    script = "echo x >> n; test $(wc -l < n) = 3 && echo none || echo 5\n"
    result = ssdpm(*script_meter(ssdpm, script, "400ms", "40ms"))
    assert result.returncode == 0
    assert b'prints "none": no number: left out' in result.stderr
    assert b"5 W on average" in result.stdout


def test_a_meter_that_never_has_a_number_ends_it(ssdpm: Command) -> None:
    call = ["--meter", "command:echo none", "--interval", "10ms", "-q"]
    result = ssdpm("measure", "energy", *call)
    assert result.returncode == 1 and result.stdout == b""
    assert result.stderr.count(b"no number") == 2


def test_a_meter_that_is_slower_than_it_is_read_is_said(ssdpm: Command) -> None:
    script = "echo x >> n; echo $((10 + $(wc -l < n) / 5)) W\n"
    call = script_meter(ssdpm, script, "1s", "50ms")
    result = ssdpm(*call)
    assert result.returncode == 0
    assert b"command repeats its value, and measures about each" in result.stderr
    assert b"repeats" not in ssdpm(*call, "-q").stderr


def test_a_constant_meter_is_asked_whether_it_measures(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    result = ssdpm(*meter(battery, "--for", "400ms"))
    assert b"BAT0 said the same" in result.stderr
    assert b"all the same" in result.stdout


def test_what_a_counter_says_is_said_whatever_the_steps(
    ssdpm: Command, tmp_path: pathlib.Path
) -> None:
    zone = put(
        tmp_path / "root",
        "sys/class/powercap/intel-rapl:0",
        name="package-0",
        energy_uj=262143000000,
        max_energy_range_uj=262143328850,
    )
    kept = ssdpm.directory / "kept.csv"
    root = ["--root", str(tmp_path / "root"), "--meter", "package-0"]
    call = ["measure", "energy", *root, "--interval", "20ms", "--save", str(kept)]
    process = start(ssdpm, *call, "--json")
    wait_for_lines(kept, 4)
    (zone / "new").write_text("171150\n")
    os.replace(zone / "new", zone / "energy_uj")
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, talk = process.communicate(timeout=30)
    assert process.returncode == 0, talk
    lines = kept.read_text().splitlines()
    assert lines[1:3] == ["time_s,energy_j", "0.000000,0.000000"]
    assert lines[-1].endswith(",0.500000")
    assert '"counter_nj": 500000000,' in out and '"n_resets": 0,' in out


def test_meters_that_are_not_there_or_cannot_be_read_are_named(
    ssdpm: Command, battery: pathlib.Path, machine: Callable[[str], pathlib.Path]
) -> None:
    call = ["measure", "energy", "--root", str(battery.parents[3])]
    assert "unknown power meter 'BAT1'; expected BAT0" in ssdpm.fails(1, *call, "--meter", "BAT1")
    (battery / "status").write_text("Full\n")
    assert "unplug" in ssdpm.fails(1, *call, "--meter", "battery")
    assert "capture" in ssdpm.fails(3, *call, "--meter", "command:echo 5")
    laptop = ["measure", "energy", "--root", str(machine("laptop"))]
    assert "capture" in ssdpm.fails(3, *laptop, "--meter", "nvme0")
    assert "no capture" in ssdpm.fails(
        1, "measure", "energy", "--root", "bin", "--meter", "BAT0"
    )


def test_who_may_not_read_rapl_is_told(
    ssdpm: Command,
    tmp_path: pathlib.Path,
    unprivileged: Callable[..., subprocess.CompletedProcess[bytes]],
) -> None:
    zone = put(tmp_path / "root", "sys/class/powercap/intel-rapl:0", energy_uj=5)
    (zone / "energy_uj").chmod(0)
    root = ["--root", str(tmp_path / "root"), "--meter", "intel-rapl:0"]
    result = unprivileged("measure", "energy", *root)
    assert result.returncode == 4
    assert b"since Linux 5.10 only root may read it" in result.stderr


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (["energy", "--meter", "BAT0", "p.csv"], "takes the place of FILE"),
        (["energy", "--meter", "BAT0", "--rate", "1Hz"], "takes the place of FILE"),
        (["background", "--meter", "BAT0", "--sweep", "x"], "the place of FILE"),
        (["energy", "--for", "1s", "p.csv"], "--for requires --meter"),
        (["energy", "--interval", "1s", "p.csv"], "--interval requires --meter"),
        (["energy", "--save", "x", "p.csv"], "--save requires --meter"),
        (["energy", "--meter", "BAT0", "--for", "0s"], "must be above 0"),
        (["energy", "--meter", "BAT0", "--interval", "5"], "as in"),
    ],
)
def test_what_makes_no_sense_of_a_meter_is_a_matter_of_usage(
    ssdpm: Command, call: list[str], words: str
) -> None:
    assert words in ssdpm.fails(2, "measure", *call)


def test_a_terminal_sees_how_far_it_is(
    ssdpm: Command, battery: pathlib.Path
) -> None:
    call = " ".join(["ssdpm", *meter(battery, "--for", "2500ms")])
    seen = ssdpm.shell(f"script -qec '{call}' /dev/null").stdout
    assert re.search(r"ssdpm: BAT0: [12] s, [01] s left, 6\.2 W", seen)
    assert "6.2 W on average" in seen
    quiet = ssdpm.shell(f"script -qec '{call} -q' /dev/null").stdout
    assert "left" not in quiet


def test_nothing_is_written_over(ssdpm: Command, battery: pathlib.Path) -> None:
    ssdpm.write("kept.csv", "dear\n")
    message = ssdpm.fails(1, *meter(battery, "--save", "kept.csv"))
    assert "kept.csv: File exists: --save takes a new file" in message
    assert (ssdpm.directory / "kept.csv").read_text() == "dear\n"
    call = ["measure", "energy", "--meter", "command:exit 1", "--save", "new.csv"]
    assert "status 1" in ssdpm.fails(1, *call, "-q")
    assert not (ssdpm.directory / "new.csv").exists()
    assert "no/kept.csv" in ssdpm.fails(1, *meter(battery, "--save", "no/kept.csv"))


def test_a_disk_that_is_full_ends_it(ssdpm: Command, battery: pathlib.Path) -> None:
    line = " ".join(meter(battery, "--for", "10s", "--save", "kept.csv", "-q"))
    result = ssdpm.shell(f"ulimit -f 0; trap '' XFSZ; ssdpm {line}")
    assert result.returncode == 1
    assert "kept.csv: File too large" in result.stderr


@pytest.mark.parametrize(
    ("head", "line", "options", "power_w"),
    [
        ("s;W", "{s:.3f};2.5", [], 2.5),
        ("s;W", "{s:.3f};2,5", [], 2.5),
        ("ms;mV", "{ms};20", ["--shunt", "0.1ohm", "--supply", "5V"], 0.996),
        ("ms;mV", "{ms},0;20,0", ["--shunt", "0.1ohm", "--supply", "5V"], 0.996),
        ("ms,mA", "{ms},400", ["--supply", "5V"], 2),
        ("ms;mA;V", "{ms};400;3,3", ["--supply", "5V"], 1.32),
        ("Time [\u00b5s];Power [\u00b5W]", "{us};2500000", [], 2.5),
        ("\u03bcs,W", "{us},2.5", [], 2.5),
        ("s,J", "{s:.3f},{s:.3f}", [], 1),
    ],
)
def test_a_log_of_1_khz_is_read_by_the_units_in_its_head(
    ssdpm: Command, head: str, line: str, options: list[str], power_w: float
) -> None:
    def row(ms: int) -> str:
        text = line.format(s=ms / 1000, ms=ms, us=ms * 1000)
        return text.replace(".", ",") if "," in line and ";" in line else text

    ssdpm.write("log.csv", "\n".join([head, *map(row, range(2001)), ""]))
    result = ssdpm.json("measure", "energy", *options, "log.csv")
    assert result["mean_power_uw"] == pytest.approx(power_w * 1e6, rel=1e-6)
    assert result["covered_ns"] == 2 * 10**9


def test_a_voltage_or_a_current_alone_makes_no_power(ssdpm: Command) -> None:
    for head, option in (("ms;mV", ["--supply", "5V"]), ("ms;mA", []), ("ms;V", [])):
        ssdpm.write("log.csv", f"{head}\n0;1\n1;1\n")
        message = ssdpm.fails(1, "measure", "energy", *option, "log.csv")
        assert "the columns make no power" in message
    # Nothing but the micro sign is a letter.
    ssdpm.write("log.csv", "\u00e9s;W\n0;1\n1;1\n")
    assert "time" in ssdpm.fails(1, "measure", "energy", "log.csv")
