# SPDX-License-Identifier: MIT
"""ssdpm estimate, compare and recommend: what is asked for, and what comes out.

The numbers are checked where a person can do the sum: a trace of four I/Os, and
a drive of which everything is stated.
"""

from __future__ import annotations

import copy
import csv
import gzip
import io
import json
import os
import pathlib
import subprocess
from collections.abc import Callable
from typing import Any

import documented
import pytest
import trace
from command import Command
from test_show import identify
from trace import MS, S

# Everything is certain: 1 W idle, 2 W busy, 3 W on the way.
STATED = ["--idle-power", "1W", "--active-power", "2W", "--transition-power", "3W"]
STATED += ["--entry-latency", "PS3=3.9ms", "--exit-latency", "PS3=11ms"]
STATED += ["--entry-latency", "PS4=5ms", "--exit-latency", "PS4=39ms"]
STATED += ["--link-power", "0uW", "--base-latency", "0us", "--bandwidth", "0B/s"]

HUMAN = """\
plain.json: A plain drive on some.csv, closed loop, asleep with the link in l1.2
  linux: PS0-PS2 to PS3 after 100 ms, PS3 to PS4 after 2 s
  4 I/Os in 6.06 s
                                   low  nominal     high
  energy                        479 mJ   479 mJ   479 mJ
  mean power                     79 mW    79 mW    79 mW
  energy of transitions         188 mJ   188 mJ   188 mJ
  wakes                              2        2        2
  deepest state entered a day   14,248   14,248   14,248
  I/Os delayed                  50.0 %   50.0 %   50.0 %
  delay of these, mean           25 ms    25 ms    25 ms
  delay of all I/Os, mean      12.5 ms  12.5 ms  12.5 ms
    of 50 % at most               0 ns     0 ns     0 ns
    of 99 % at most              39 ms    39 ms    39 ms
    of 99.9 % at most            39 ms    39 ms    39 ms
    at most                      39 ms    39 ms    39 ms

  state       time   share  entering  leaving  energy  entries  wakes
  busy        4 ms   0.1 %         -        -    8 mJ        -      -
  PS0 idle  210 ms   3.5 %      0 ns     0 ns  210 mJ        0      0
  PS3        2.9 s  47.8 %    7.8 ms    11 ms  114 mJ        2      1
  PS4       2.89 s  47.7 %      5 ms    39 ms  146 mJ        1      1
  0 % of the energy rests on assumed values
"""


@pytest.fixture
def some(ssdpm: Command) -> Command:
    ssdpm.write("some.csv", trace.SOME)
    return ssdpm


def estimate(ssdpm: Command, *options: str) -> Any:
    return ssdpm.json("estimate", "-t", "some.csv", *STATED, *options, "plain.json")


def test_four_i_os_cost_what_one_can_reckon(some: Command) -> None:
    run = estimate(some)["nominal"]
    # Idle times of 1 s (to PS3), 5 s (to PS4) and 10 ms (awake).
    entry = [0, 0, 0, 39 * MS // 10 * 2, 5 * MS]
    exits = [0, 0, 0, 11 * MS, 39 * MS]
    awake = (100 + 100 + 10) * MS
    in_3 = (1000 - 100) * MS - 39 * MS // 10 + 2 * S
    in_4 = 5 * S - 100 * MS - 39 * MS // 10 - 2 * S - 5 * MS
    times = [awake, 0, 0, in_3, in_4]
    assert [s["time_ns"] for s in run["states"]] == times
    assert [s["entry_ns"] for s in run["states"]] == entry
    assert [s["exit_ns"] for s in run["states"]] == exits
    assert [s["n_wakes"] for s in run["states"]] == [0, 0, 0, 1, 1]
    assert run["duration_ns"] == 4 * MS + sum(times) + sum(entry) + sum(exits)
    mw = 2000 * 4 * MS + 1000 * awake + 20 * in_3 + 5 * in_4
    mw += 3000 * (sum(entry) + sum(exits))
    assert run["energy_nj"] == round(mw / 1000)
    assert run["delay_sum_ns"] == (11 + 39) * MS and run["n_delayed"] == 2


def test_people_get_a_table_with_bounds(some: Command) -> None:
    text = some.output("estimate", "-t", "some.csv", *STATED, "plain.json")
    assert text == HUMAN
    assert not any(line != line.rstrip() for line in text.splitlines())
    text = some.output("estimate", "-t", "some.csv", "plain.json")
    assert "; latency alone moves it from " in text


def test_a_trace_comes_from_anywhere(some: Command) -> None:
    wanted = estimate(some)["nominal"]
    some.write("some.csv.gz", gzip.compress(trace.SOME.encode()))
    call = ["estimate", *STATED, "--json", "plain.json", "-t"]
    for result in (
        some(*call, "-", stdin=trace.SOME.encode()),
        some(*call, "-", stdin=gzip.compress(trace.SOME.encode())),
        some(*call, "some.csv.gz"),
    ):
        assert documented.listed(result.stdout)["nominal"] == wanted


def test_a_policy_is_what_the_options_say(some: Command) -> None:
    assert estimate(some)["policy"] == "linux"
    limited = estimate(some, "--max-exit-latency", "20ms")
    assert [e["target"] for e in limited["entries"]] == [3, 3, 3]
    legacy = estimate(some, "--algorithm", "linux-legacy")
    assert legacy["policy"] == "linux-legacy"
    windows = estimate(some, "-a", "windows", "--power-source", "battery")
    assert windows["policy"] == "windows:balanced:battery"
    none = estimate(some, "--none")
    assert none["policy"] == "none" and none["entries"] == []
    assert none["nominal"]["n_wakes"] == 0
    some.output("apst", "-q", "--raw", "table", "--max-exit-latency", "20ms", "plain.json")
    table = estimate(some, "--table", "table")
    assert table["policy"] == "table" and table["nominal"] == limited["nominal"]
    envelope = estimate(some, "-a", "lower-envelope")
    power = ["--idle-power", "1W", "--transition-power", "3W"]
    asked = some.json("apst", "-a", "lower-envelope", *power, "plain.json")
    assert envelope["entries"] == asked["entries"]


def test_quirks_are_applied_and_said(some: Command) -> None:
    call = ["estimate", "-t", "some.csv", "drive.json"]
    result = some(*call)
    assert b"drive.json: quirk no-deepest-ps" in result.stderr
    assert b"PS4" not in result.stdout
    assert b"to PS4 after" in some(*call, "--quirk", "none").stdout
    assert "never sleeps" in some.output(*call, "--quirk", "no-apst")
    windows = [*call, "-a", "windows", "--quirk", "no-apst"]
    assert "never sleeps" in some.output(*windows)
    some.write("rules.ini", "[nvme mine]\nproduct = A plain*\nquirks = no-apst\n")
    call = ["estimate", "-t", "some.csv", "--quirks-file", "rules.ini", "plain.json"]
    assert "never sleeps" in some.output(*call)


def test_what_is_stated_takes_the_place_of_a_rule(some: Command) -> None:
    base = estimate(some)
    assert base["axes"] == [] and base["loose_states"] == [] and base["assumed_nj"] == 0
    assert base["low"] == base["high"] == base["nominal"]
    # An I/O takes 2 W, and no less than the idle drive.
    more = estimate(some, "--idle-power", "1W..1.5W..3W")
    powers = [p for p in more["parameters"] if p["kind"] == "idle_power_uw"]
    assert [powers[0][key] for key in ("low", "nominal", "high")] == [
        1_000_000,
        1_500_000,
        2_000_000,
    ]
    assert powers[0]["provenance"] == "stated"
    assert more["axes"] == ["idle-power"] and more["widest_axis"] == "idle-power"
    low, nominal, high = (more[k]["energy_nj"] for k in ("low", "nominal", "high"))
    assert low == base["nominal"]["energy_nj"]
    assert nominal - low == high - nominal == 105 * MS
    middle = estimate(some, "--idle-power", "1W..2W")
    assert middle["nominal"]["energy_nj"] - low == 105 * MS
    slow = estimate(some, "--exit-latency", "PS4=51ms", "--entry-latency", "PS4=6ms")
    assert slow["nominal"]["delay_max_ns"] == 51 * MS
    assert slow["nominal"]["states"][4]["entry_ns"] == 6 * MS


@pytest.mark.parametrize(
    "option",
    [
        ["--idle-power", "PS3=30mW"],
        ["--active-power", "read=4W"],
        ["--transition-power", "2W"],
        ["--link-power", "20mW"],
        ["--entry-latency", "PS3=5ms"],
        ["--exit-latency", "12ms"],
        ["--operation-energy", "read=5uJ"],
        ["--byte-energy", "600pJ"],
        ["--end", "1min"],
        ["--loop", "open"],
        ["--idle-from-start"],
    ],
)
def test_each_option_changes_the_outcome(some: Command, option: list[str]) -> None:
    before, after = estimate(some)["nominal"], estimate(some, *option)["nominal"]
    assert before != after
    if option[0] == "--operation-energy":
        assert after["energy_nj"] - before["energy_nj"] == 4 * 5000
    if option[0] == "--byte-energy":
        assert after["energy_nj"] - before["energy_nj"] == 16384 * 600 // 1000 + (
            16384 * 600 % 1000 >= 500
        )
    if option[0] == "--end":
        delays = after["delay_sum_ns"]
        assert after["duration_ns"] == 60 * S + delays


# A gigabyte per second at 1 W above idle is 1000 pJ of each byte.
WRITES = ["estimate", "-t", "writes.csv", *STATED[:-1], "1GB/s"]


def test_spare_adds_what_garbage_collection_takes(ssdpm: Command) -> None:
    ssdpm.write("writes.csv", trace.csv((0, MS), bytes=1_000_000, op="write"))
    plain = ssdpm.json(*WRITES, "plain.json")
    spare = ssdpm.json(*WRITES, "--spare", "20%", "plain.json")
    assert "spare_ppm" not in plain and "background" not in plain
    assert spare["spare_ppm"] == 200_000
    # FIFO: 2.6927, so 1692.7 pJ more; any block: 4 times 1000, and as much for reads.
    # At 1 GB/s each, that is 8 us at 1 W above idle.
    more = {
        key: spare[key]["energy_nj"] - plain[key]["energy_nj"]
        for key in ("low", "nominal", "high")
    }
    assert more == {"low": 0, "nominal": 1_693_000, "high": 8_000_000}
    assert spare["background"] == {
        "low_wa_milli": 1000,
        "nominal_wa_milli": 2693,
        "high_wa_milli": 5000,
        "time_ns": 1_693_000,
        "power_uw": 2_000_000,
    }
    byte, time = (p for p in spare["parameters"] if p["rule"].startswith("spare-"))
    assert (byte["kind"], byte["index"]) == ("byte_energy_pj", 1)
    assert (time["kind"], time["index"]) == ("background_time_ps", 0)
    assert [time[key] for key in ("low", "nominal", "high")] == [0, 1693, 8000]
    assert byte["provenance"] == time["provenance"] == "assumed"
    text = ssdpm.output(*WRITES, "--spare", "20%", "plain.json")
    assert "asleep with the link in l1.2, 20.0 % of the flash spare\n" in text
    assert (
        "garbage collection behind the writes: 1.69 ms (0 ns..8 ms) at 2 W; write "
        "amplification 2.69 (1..5.0)\n" in text
    )
    assert "cannot keep up" in text
    # 1 ms of writing and 1.69 ms of work, or 8 ms of it: at 2 W, and not at 9.
    means = [spare[key]["mean_power_uw"] for key in ("low", "nominal", "high")]
    assert means == pytest.approx([2e6] * 3, rel=1e-3) and max(means) <= 2_000_001
    assert [spare[key]["background_ns"] for key in ("low", "nominal", "high")] == [
        0,
        1_693_000,
        8_000_000,
    ]
    assert {spare[key]["duration_ns"] for key in ("low", "nominal", "high")} == {MS}
    text = ssdpm.output(*WRITES, "--spare", "20%", "--end", "1s", "plain.json")
    assert "cannot keep up" not in text and "more than" not in text
    # With 2 ms left the nominal work fits, and the most does not.
    text = ssdpm.output(*WRITES, "--spare", "20%", "--end", "3ms", "plain.json")
    assert "cannot keep up" not in text
    assert "at its most that is more than the time without I/O" in text


def test_work_behind_writes_takes_no_more_than_the_drive_may(ssdpm: Command) -> None:
    """Writes without end: nothing is known but the maximum, 3.5 W."""
    plain, spare = (
        ssdpm.json("estimate", "-t", "apst-2", *more, "WDC PC SN530")
        for more in ([], ["--spare", "7%"])
    )
    assert spare["high"]["background_ns"] > 7 * spare["high"]["duration_ns"]
    for key in ("low", "nominal", "high"):
        assert plain[key]["energy_nj"] <= spare[key]["energy_nj"]
        assert spare[key]["mean_power_uw"] <= 3_500_000
    call = ["estimate", "-t", "apst-2", "--spare", "7%", "WDC PC SN530"]
    uncapped = ssdpm.json(*call, "--power-cap", "3W")["power_cap"]["uncapped_power_uw"]
    for key in ("low", "nominal", "high"):
        assert uncapped[key] == pytest.approx(spare[key]["mean_power_uw"], rel=1e-3)
    # All of it at once: nothing can be above the maximum for that long.
    high = spare["high"]
    assert high["energy_nj"] <= 3.5 * (high["busy_ns"] + high["background_ns"])


def test_spare_starts_where_writes_were_measured(ssdpm: Command) -> None:
    ssdpm.write("writes.csv", trace.csv((0, MS), bytes=1_000_000, op="write"))
    plain = ssdpm.json(*WRITES, "plain.json")["nominal"]["energy_nj"]
    call = [*WRITES, "--spare", "20%", "--measured-wa", "2x", "plain.json"]
    spare = ssdpm.json(*call)
    # 2.6927 / 2 - 1 of 1000 pJ
    assert spare["nominal"]["energy_nj"] - plain == 346_000


def test_compare_and_recommend_count_the_spare(some: Command) -> None:
    some.write("writes.csv", trace.csv((0, MS), (S, MS), bytes=1_000_000, op="write"))
    call = ["-t", "writes.csv", *STATED[:-1], "1GB/s"]
    for command in ("compare", "recommend"):
        plain = some.json(command, *call, "plain.json")
        spare = some.json(command, *call, "--spare", "20%", "plain.json")
        assert spare["spare_ppm"] == 200_000 and "spare_ppm" not in plain

        def energies(found: Any) -> list[int]:
            rows = found.get("rows") or [r["run"] for r in found["recommendations"]]
            return [row.get("nominal", row)["energy_nj"] for row in rows]

        # Of 2 MB, 1693 pJ each, whatever the policy.
        more = {b - a for a, b in zip(energies(plain), energies(spare))}
        assert more == {3_386_000}


def test_service_and_link_are_options_too(some: Command) -> None:
    some.write("u.csv", trace.SOME.replace(f",{MS},", ",,"))
    call = ["estimate", "-t", "u.csv", *STATED, "--json", "plain.json"]
    call += ["--base-latency", "0us", "--bandwidth", "4096000B/s"]
    assert documented.listed(some.output(*call))["nominal"]["busy_ns"] == 4 * MS
    call[-3:] = ["2ms", "--bandwidth", "0B/s"]
    assert documented.listed(some.output(*call))["nominal"]["busy_ns"] == 8 * MS
    call = ["estimate", "-t", "some.csv", "--value", "nominal_energy_nj", "plain.json"]
    values = [some.output(*call, "--pcie-link", link) for link in ("l0", "l1", "l1.2")]
    assert len(set(values)) == 3
    working = ["--operational-state", "PS1", "--value", "operational_state"]
    assert some.output("estimate", "-t", "some.csv", *working, "plain.json") == "1\n"


def test_the_course_adds_up(some: Command) -> None:
    answer = estimate(some, "--interval", "1s")
    run, pieces = answer["nominal"], answer["intervals"]
    assert [p["start_ns"] for p in pieces] == [i * S for i in range(len(pieces))]
    asleep = sum(s["time_ns"] for s in run["states"][1:])
    assert sum(p["asleep_ns"] for p in pieces) == asleep
    assert sum(p["busy_ns"] for p in pieces) == run["busy_ns"]
    assert sum(p["n_ios"] for p in pieces) == 4
    assert abs(sum(p["energy_nj"] for p in pieces) - run["energy_nj"]) <= 1
    call = ["estimate", "-t", "some.csv", *STATED, "--csv", "--interval", "1s"]
    rows = list(csv.DictReader(io.StringIO(some.output(*call, "plain.json"))))
    assert [{k: int(r[k]) for k in pieces[0]} for r in rows] == pieces
    assert rows[0]["drive"] == "plain.json" and rows[0]["policy"] == "linux"


def test_csv_has_a_line_for_each_state(some: Command) -> None:
    states = estimate(some)["nominal"]["states"]
    some.write('odd, "name".json', some.plain)
    call = ["estimate", "-t", "some.csv", *STATED, "--csv", 'odd, "name".json']
    rows = list(csv.DictReader(io.StringIO(some.output(*call))))
    assert {row["drive"] for row in rows} == {'odd, "name".json'}
    assert [{k: int(r[k]) for k in states[0]} for r in rows] == states


def test_values_and_shell_lines(some: Command) -> None:
    call = ["estimate", "-t", "some.csv", *STATED, "plain.json"]
    energy = estimate(some)["nominal"]["energy_nj"]
    assert some.output(*call, "--value", "nominal_energy_nj") == f"{energy}\n"
    assert f"nominal_energy_nj='{energy}'\n" in some.output(*call, "--shell")
    twice = some.output(*call, "drive.json", "-q", "--value", "nominal_n_wakes")
    assert twice == "2\n2\n"


def test_explain_names_each_rule(some: Command) -> None:
    call = ["estimate", "-t", "some.csv", "--explain"]
    text = some.output(*call, "plain.json")
    for line in ("idle power PS0", "exit latency PS4 ", "link power ", "bandwidth read "):
        assert f"\n  {line}" in text
    rules = {p["rule"] for p in estimate(some)["parameters"]}
    text = some.output(*call, *STATED, "plain.json")
    assert all(rule in text for rule in rules)


def test_a_drive_of_32_states_is_explained_whole(some: Command) -> None:
    model = dict(some.plain)
    states = []
    for i in range(32):
        state = dict(model["states"][4 if i else 0])
        if i:
            state.update(max_power_uw=100_000 - 1000 * i, exit_latency_us=1000 * i + 7)
            state.update(idle_power_uw=None, not_reported=["idle_power_uw"])
        states.append(state)
    some.write("many.json", {**model, "states": states})
    text = some.output("estimate", "-t", "some.csv", "-e", "many.json")
    assert all(f"\n  exit latency PS{i} " in text for i in range(1, 32))
    assert text.count("taken for known") == 1


def test_sata_drives_have_link_policies(some: Command) -> None:
    some.write("sata", identify())
    call = ["estimate", "-t", "some.csv", "--json", "sata"]
    assert documented.listed(some.output(*call))["lpm"] == "med_power_with_dipm"
    energies = {}
    for lpm in ("max_performance", "medium_power", "min_power"):
        answer = documented.listed(some.output(*call, "--lpm", lpm))
        assert answer["lpm"] == answer["policy"] == lpm
        energies[lpm] = answer["nominal"]["energy_nj"]
    assert energies["max_performance"] > energies["min_power"]
    none = documented.listed(some.output(*call, "--none"))
    assert none["nominal"]["energy_nj"] == energies["max_performance"]
    text = some.output("estimate", "-t", "some.csv", "sata")
    assert "  med_power_with_dipm: link power management\n" in text
    message = some.fails(3, "estimate", "-t", "some.csv", "-a", "linux", "sata")
    assert "linux is for NVMe drives" in message
    message = some.fails(3, "estimate", "-t", "some.csv", "--lpm", "min_power", "plain.json")
    assert "min_power is for SATA drives" in message
    rows = some.json("compare", "-t", "some.csv", "sata")["rows"]
    assert rows[0]["policies"][0] == "med_power_with_dipm"


def test_each_drive_of_a_machine_has_the_policy_of_its_kind(
    some: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = str(machine("desktop-6.1"))
    call = ["estimate", "-t", "some.csv", "--json"]
    for operands in (["--root", root], [root]):
        answers = documented.listed(some.output(*call, *operands))
        names = [answer["drive"].removeprefix(f"{root}:") for answer in answers]
        assert names == ["nvme0", "sda", "sdb"]
        assert [answer["policy"] for answer in answers] == ["today"] * 3
        assert answers[0]["enabled"]
        assert [answer["lpm"] for answer in answers[1:]] == ["max_performance", "min_power"]
    message = some.fails(3, "estimate", "-t", "some.csv", "-a", "linux", root)
    assert f"{root}:sda: linux is for NVMe drives" in message


def with_own_drive(server: pathlib.Path) -> pathlib.Path:
    """Its drive is over no network."""
    for path in server.glob("sys/class/nvme/*/transport"):
        path.write_text("pcie\n")
    return server


def test_drives_of_a_machine_that_are_not_known_are_left_out(
    some: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = machine("apst-empty")
    (root / "dumps/nvme1.identify").unlink()
    call = ["estimate", "-t", "some.csv", "--json", "--root", str(root)]
    run = some(*call)
    assert documented.listed(run.stdout)["drive"] == "nvme0"
    assert b"nvme1" in run.stderr
    server = some.output(*call[:-1], str(with_own_drive(machine("server"))))
    assert documented.listed(server)["drive"] == "nvme0"
    (root / "dumps/nvme0.identify").unlink()
    for model in (root / "sys").rglob("model"):
        model.write_text("Nobody knows me\n")
    run = some(*call)
    assert run.returncode == 1 and documented.items(run.stdout) == []
    assert run.stderr.count(b'does not know "Nobody knows me"') == 2
    (some.directory / "empty/sys").mkdir(parents=True)
    none = some(*call[:-1], "empty")
    assert none.returncode == 1
    assert json.loads(none.stdout)["errors"] == ["no drive that is known is in empty"]


def test_a_power_cap_makes_i_os_longer(some: Command) -> None:
    """1 W over idle for 1 ms is 0.5 W over idle for 2 ms."""
    call = ["--none", "--power-cap", "1500mW"]
    assert "power_cap" not in estimate(some, "--none")
    cap = estimate(some, *call)["power_cap"]
    assert cap["cap_uw"] == 1_500_000
    assert cap["uncapped_duration_ns"] == 6 * S + 14 * MS
    assert cap["duration_ns"] == 6 * S + 18 * MS
    assert cap["n_ios"] == cap["n_slowed"] == 4
    assert cap["delay_mean_ns"] == cap["delay_p99_ns"] == cap["delay_max_ns"] == MS
    assert cap["loss_ppm"] == dict.fromkeys(("low", "nominal", "high"), 665)
    assert cap["power_uw"]["nominal"] == round(1e6 * 6.022 / 6.018)
    assert cap["uncapped_power_uw"]["nominal"] == round(1e6 * 6.018 / 6.014)
    assert cap["max_power_uw"]["high"] == 1_001_000
    assert cap["interval_ns"] == S
    text = some.output("estimate", "-t", "some.csv", *STATED, *call, "plain.json")
    assert "under a power cap of 1.5 W in PS0: 4 of 4 I/Os take longer\n" in text
    words = next(line for line in text.splitlines() if "throughput lost" in line)
    assert words.split() == ["throughput", "lost", *3 * ["0.1", "%"]]
    # What comes from standard input is read once.
    from_stdin = some(
        *["estimate", "-t", "-", *STATED, *call, "--json", "plain.json"],
        stdin=trace.SOME.encode(),
    )
    assert documented.listed(from_stdin.stdout)["power_cap"] == cap
    message = some.fails(
        1, "estimate", "-t", "some.csv", *STATED, "--power-cap", "1W", "plain.json"
    )
    assert "--power-cap 1 W: a cap of 1000000 uW" in message
    assert "leaves nothing for I/Os" in message


def rows(text: str) -> list[list[str]]:
    """Of what comes of each cap."""
    lines = text.splitlines()
    head = next(i for i, line in enumerate(lines) if "limited by" in line)
    return [line.split() for line in lines[head + 1 :]]


def test_caps_that_change_hold_one_after_the_other(some: Command) -> None:
    """I/Os of 1 ms at 0, 1.001, 6.003 and 6.014 s, 1 W over idle."""
    caps = "none:1s,1500mW:1s,none:4005ms,1500mW"
    call = ["--none", "--power-cap", caps]
    run = estimate(some, *call)["power_cap"]
    points = run["points"]
    assert run["cap_uw"] == 1_500_000
    assert [p["cap_uw"] for p in points] == [None, 1_500_000, None, 1_500_000]
    assert [p["start_ns"] for p in points] == [0, S, 2 * S, 6 * S + 5 * MS]
    assert sum(p["duration_ns"] for p in points) == run["duration_ns"]
    # The drive takes an I/O in each of them.
    assert [p["limit"] for p in points] == [None, "power", None, "power"]
    assert run["n_slowed"] == 2
    seconds = [p["duration_ns"] / 1e9 for p in points]
    moved = [p["bytes_per_s"]["nominal"] * s for p, s in zip(points, seconds)]
    assert [round(b / 4096, 2) for b in moved] == [1, 1, 1, 1]
    joules = sum(p["nominal_energy_nj"] for p in points) / 1e9
    mean = run["power_uw"]["nominal"] / 1e6
    assert joules == pytest.approx(mean * run["duration_ns"] / 1e9, rel=1e-5)
    text = some.output("estimate", "-t", "some.csv", *STATED, *call, "plain.json")
    assert "under power caps that change in PS0: " in text
    assert [row[:5] for row in rows(text)][:2] == [
        ["0", "ns", "1", "s", "none"],
        ["1", "s", "1", "s", "1.5"],
    ]
    text = some.output(
        "estimate", "-t", "some.csv", *STATED, *call, "--csv", "plain.json"
    )
    lines = list(csv.DictReader(io.StringIO(text)))
    for line, point in zip(lines, points):
        assert line["start_ns"] == str(point["start_ns"])
        assert line["cap_uw"] == str(point["cap_uw"] or "")
        assert line["limit"] == (point["limit"] or "")
        assert line["high_power_uw"] == str(point["power_uw"]["high"])
    # What it does not come to.
    caps = "none:1h,1500mW"
    call = ["estimate", "-t", "some.csv", *STATED, "--none", "--power-cap", caps]
    assert rows(some.output(*call, "plain.json"))[1] == ["1.5", "W", "not", "reached"]


def mix(ssdpm: Command, *arguments: str) -> Any:
    return ssdpm.json("estimate", "--mix", "write=100%", *arguments, "plain.json")


def test_a_mix_is_done_as_fast_as_each_cap_lets_it(ssdpm: Command) -> None:
    known = ["--idle-power", "1W", "--active-power", "write=4W", "--bandwidth"]
    known += ["write=1GB/s"]
    found = mix(ssdpm, *known, "--power-cap", "none:60s,3W:1min,2W:30s,none:1s")
    assert found["schema"] == "ssdpm.cap/1"
    assert found["mix"] == {"read_ppm": 0, "write_ppm": 10**6, "io_bytes": 131072}
    points = found["points"]
    assert [p["bytes_per_s"]["nominal"] for p in points] == [
        10**9,
        666_666_667,
        333_333_333,
        10**9,
    ]
    assert [p["power_uw"]["high"] // 10**6 for p in points] == [4, 3, 2, 4]
    assert [p["nominal_energy_nj"] // 10**9 for p in points] == [240, 180, 60, 4]
    assert [p["limit"] for p in points] == ["nand", "power", "power", "nand"]
    assert [p["start_ns"] // S for p in points] == [0, 60, 120, 150]
    # One cap, and no time: in a second.
    [one] = mix(ssdpm, *known, "--power-cap", "3W")["points"]
    assert (one["duration_ns"], one["nominal_energy_nj"]) == (S, 3 * S)
    [tie] = mix(ssdpm, *known, "--power-cap", "4W")["points"]
    assert tie["limit"] == "nand"
    halves = mix(ssdpm, *known, "--power-cap", "none:1s,3W:1s", "--interval", "500ms")
    assert len(halves["points"]) == 4
    text = ssdpm.output(
        *["estimate", "--mix", "read=50%,write=50%", *known],
        *["--power-cap", "none:60s,3W", "plain.json"],
    )
    assert "50.0 % of reads, 50.0 % of writes of 128 KiB, as many as it can" in text
    assert rows(text)[1][:6] == ["1", "min", "1", "s", "3", "W"]


def test_a_cap_may_be_that_of_a_state(ssdpm: Command) -> None:
    """With the time that the drive takes to change to it."""
    drive = copy.deepcopy(ssdpm.example)
    states = drive["states"]
    for state in states[:2]:
        state.update(exit_latency_us=100_000, entry_latency_us=150_000, not_reported=[])
    ssdpm.write("plain.json", drive)
    watts = [state["max_power_uw"] for state in states]
    points = mix(ssdpm, "--power-cap", "PS0:1s,PS1:1s")["points"]
    assert [p["cap_uw"] for p in points] == watts[:2]
    alone = mix(ssdpm, "--power-cap", "PS1:1s")["points"][0]["bytes_per_s"]["nominal"]
    assert points[1]["bytes_per_s"]["nominal"] == pytest.approx(alone * 0.75)
    for state in ("PS4", "PS9"):
        call = ["estimate", "--mix", "write=100%", "--power-cap", state, "plain.json"]
        message = ssdpm.fails(3, *call)
        # Quirks of tables do nothing here.
        assert message.startswith(f"ssdpm: plain.json, --power-cap {state}: the drive has no {state}")


def test_one_i_o_costs_something(ssdpm: Command) -> None:
    ssdpm.write("some.csv", trace.csv((5, MS)))
    run = estimate(ssdpm)["nominal"]
    assert run["duration_ns"] == MS and run["energy_nj"] == 2 * MS
    assert run["n_gaps"] == run["n_delayed"] == 0
    run = estimate(ssdpm, "--end", "10s")["nominal"]
    assert run["duration_ns"] == 10 * S and run["states"][4]["n_entries"] == 1


def test_bad_lines_are_counted_in_all(ssdpm: Command) -> None:
    ssdpm.write("bad.csv", trace.SOME + "oops\n")
    for command in ("estimate", "compare", "recommend"):
        call = [command, "-t", "bad.csv", "plain.json"]
        assert "bad.csv:6: " in ssdpm.fails(1, *call)
        result = ssdpm(*call, "--skip-bad", "--json")
        assert b"1 line could not be read" in result.stderr
        assert documented.listed(result.stdout)["counts"]["n_bad"] == 1


def peak_kib(ssdpm: Command, n_ios: int) -> int:
    """What an estimate of so many I/Os from a pipe takes of memory."""
    call = ["ssdpm", "workload", "--to", "csv", "--n-ios", str(n_ios), "on-off"]
    where: dict[str, Any] = {"cwd": ssdpm.directory, "env": ssdpm.environment}
    writer = subprocess.Popen(call, stdout=subprocess.PIPE, **where)
    call = ["ssdpm", "estimate", "-t", "-", "--value", "counts_n_ios", "plain.json"]
    with (ssdpm.directory / "out").open("wb") as out:
        reader = subprocess.Popen(call, stdin=writer.stdout, stdout=out, **where)
    assert writer.stdout
    writer.stdout.close()
    _, status, usage = os.wait4(reader.pid, 0)
    reader.returncode = status
    assert status == 0 and writer.wait() == 0
    assert (ssdpm.directory / "out").read_text() == f"{n_ios}\n"
    return usage.ru_maxrss


def test_a_long_trace_takes_no_more_memory_than_a_short_one(ssdpm: Command) -> None:
    assert peak_kib(ssdpm, 1_000_000) <= peak_kib(ssdpm, 20_000) + 2048


ESTIMATE = ["estimate", "-t", "some.csv", "plain.json"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ([*ESTIMATE, "-t", "some.csv"], "--trace is given twice"),
        ([*ESTIMATE, "--none", "--lpm", "min_power"], "--none conflicts with --lpm"),
        ([*ESTIMATE, "--none", "--none"], "--none is given twice"),
        ([*ESTIMATE, "--interval", "0s"], "--interval 0s: must be above 0"),
        (["estimate", "-q", "-t", "desktop-session", "drive.json", "--interval", "1ns"],
         "desktop-session: --interval: "),
        ([*ESTIMATE, "--power-cap", "0W"], "--power-cap 0W: must be above 0"),
        ([*ESTIMATE, "--power-cap", "10"], "--power-cap 10: "),
        ([*ESTIMATE, "--power-cap", "1W,2W"], "--power-cap 1W: say how long it holds"),
        ([*ESTIMATE, "--power-cap", "1W:5,2W"], "--power-cap 5: write a number with"),
        ([*ESTIMATE, "--power-cap", "1W:0s,2W"], "--power-cap 1W: say how long"),
        ([*ESTIMATE, "--power-cap", "1W:1s,"], "--power-cap : write a power, none or"),
        ([*ESTIMATE, "--power-cap", "-1W"], "--power-cap -1W: write a power, none or"),
        ([*ESTIMATE, "--power-cap", "PSx"], "--power-cap PSx: a state is PS0 to PS31"),
        ([*ESTIMATE, "--power-cap", "1W", "--power-cap", "2W"], "is given twice"),
        ([*ESTIMATE, "--power-cap", ",".join(["1W:1s"] * 65)], "more than 64 caps"),
        ([*ESTIMATE, "--power-cap", "1" * 70 + "W"], "is too long"),
        ([*ESTIMATE, "--mix", "write=100%"], "--mix conflicts with --trace"),
        (
            [*ESTIMATE, "--csv", "--power-cap", "1W", "--interval", "1s"],
            "--power-cap conflicts with --interval in --csv",
        ),
        ([*ESTIMATE, "--none", "--max-exit-latency", "20ms"], "--none conflicts with the options of an APST"),
        ([*ESTIMATE, "--lpm", "low"], "unknown --lpm 'low'; expected keep_firmware_settings, "),
        ([*ESTIMATE, "--scheme", "balanced"], "--scheme is for --algorithm windows"),
        ([*ESTIMATE, "--loop", "half"], "unknown --loop 'half'; expected closed or open"),
        ([*ESTIMATE, "--pcie-link", "l2"], "unknown --pcie-link 'l2'; expected l0, l1 or l1.2"),
        ([*ESTIMATE, "--operational-state", "3"], "write a state, as in PS1"),
        ([*ESTIMATE, "--operational-state", "PS32"], "write a state, as in PS1"),
        ([*ESTIMATE, "--idle-power", "1"], "write a number with its unit"),
        ([*ESTIMATE, "--idle-power", "3W..1W"], "the lowest stands first"),
        ([*ESTIMATE, "--idle-power", "1W..2W..3W..4W"], "write LOW..HIGH"),
        ([*ESTIMATE, "--idle-power", "x=1W"], "before = stands a state, as in PS4"),
        ([*ESTIMATE, "--idle-power", "PS9=1W"], "--idle-power PS9=1W: "),
        ([*ESTIMATE, "--idle-power", "99999W"], "--idle-power 99999W: "),
        ([*ESTIMATE, "--active-power", "trim=1W"], "before = stands read, write, "),
        ([*ESTIMATE, "--link-power", "PS1=1W"], "there is but one of these"),
        ([*ESTIMATE, "--bandwidth", "1MB"], "the unit is B/s, kB/s, MB/s"),
        ([*ESTIMATE, "--byte-energy", "1W"], "the unit is pJ, nJ, uJ, mJ or J"),
        ([*ESTIMATE, "--operation-energy", "1pJ"], "finer than a nanojoule"),
        ([*ESTIMATE, "--link-idle-time", "1ms"], "the drive has no such value"),
        ([*ESTIMATE, "--spare", "0%"], "--spare 0%: above 0 % and below 100 %"),
        ([*ESTIMATE, "--spare", "100%"], "--spare 100%: above 0 % and below 100 %"),
        ([*ESTIMATE, "--spare", "0.07"], "write a number with its unit, as in 5%"),
        ([*ESTIMATE, "--spare", "-7%"], "write a number with its unit, as in 5%"),
        ([*ESTIMATE, "--spare", "nan%"], "write a number with its unit, as in 5%"),
        ([*ESTIMATE, "--spare", "0.0001%"], "may take more than a millisecond"),
        ([*ESTIMATE, "--measured-wa", "2x"], "--measured-wa requires --spare"),
        ([*ESTIMATE, "--measured-wa", "0.9x"], "--measured-wa 0.9x: 1x to 65536x"),
        ([*ESTIMATE, "--measured-wa", "2"], "as in 2.5x"),
        ([*ESTIMATE, "--spare", "20%", "--measured-wa", "2.7x"], "and so not of this drive"),
        ([*ESTIMATE, "--csv", "--json"], "--csv conflicts with --json"),
        ([*ESTIMATE, "--seed", "1"], "--seed is for workloads that are made"),
        (["estimate", "-t", "-", "-"], "standard input is named twice"),
        (["compare", "-t", "-", "-t", "-", "plain.json"], "named twice"),
        (["compare", "-t", "some.csv", "-a", "linux", "plain.json"], "--policy"),
        (["compare", "-t", "some.csv", "--policy", "windows:x", "plain.json"], "--policy windows:x"),
        (["recommend", "-t", "some.csv", "--loop", "open", "plain.json"], "closed loop"),
        (["recommend", "-t", "some.csv", "--battery", "5Wh", "plain.json"], "requires --system-power"),
        (["recommend", "-t", "some.csv", "--battery=5W", "plain.json"], "mWh, Wh or kWh"),
        (["recommend", "-t", "some.csv", "--max-states", "0", "plain.json"], "from 1 to 31"),
        (["recommend", "-t", "some.csv", "--hours-per-day", "25", "plain.json"], "1 to 24"),
        (["recommend", "-t", "-", "--html", "p.html", "plain.json"], "reads the trace twice"),
        (["recommend", "-t", "some.csv", "--raw", "r", "plain.json", "plain.json"],
         "--raw takes one drive"),
    ],
)  # fmt: skip
def test_wrong_usage_is_explained(some: Command, call: list[str], words: str) -> None:
    assert words in some.fails(2, *call)


def test_what_cannot_be_done_is_explained(some: Command) -> None:
    call = ["-t", "some.csv", "plain.json"]
    assert "gone: No such file" in some.fails(1, "estimate", "--table", "gone", *call)
    assert "unknown file or policy 'gone'" in some.fails(1, "compare", "--policy", "gone", *call)
    message = some.fails(1, "estimate", "--operational-state", "PS4", *call)
    assert "plain.json, linux: " in message
    some.write("table", "18640000" + "0" * 504)  # from PS0 to PS3, and PS3 stays
    some.output("estimate", "--table", "table", *call)
    some.write("table", "f8640000" + "0" * 504)  # to PS31, which there is not
    assert "plain.json, table: " in some.fails(1, "estimate", "--table", "table", *call)


@pytest.mark.parametrize("command", ["estimate", "compare", "recommend"])
def test_the_usual_workload_is_that_of_tune(
    some: Command, command: str, machine: Callable[[str], pathlib.Path]
) -> None:
    """By the machine of the drive; the screen names it."""
    for name, workload in [("laptop", "desktop-session"), ("server", "server-files")]:
        root = str(with_own_drive(machine(name)))
        tuned = some.output("tune", "-n", "--root", root).splitlines()[-1]
        assert tuned.startswith(f"Workload: {workload} (")
        result = some(command, "--root", root, "nvme0")
        assert result.returncode == 0
        said = tuned.removeprefix("Workload: ").encode()
        assert b"workload: " + said in b" ".join(result.stderr.split())
        assert workload.encode() in result.stdout
        quiet = some(command, "-q", "--root", root, "nvme0")
        assert not quiet.stderr and quiet.stdout == result.stdout
    alone = some(command, "plain.json")
    assert b"workload: desktop-session; --trace" in b" ".join(alone.stderr.split())
    both = [str(with_own_drive(machine(name))) for name in ("laptop", "server")]
    mixed = b" ".join(some(command, *both).stderr.split())
    assert b"no --trace given: desktop-session is for" in mixed
