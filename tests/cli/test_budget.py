# SPDX-License-Identifier: MIT
"""ssdpm budget: a power state for each drive, so that all of them fit."""

from __future__ import annotations

import copy
import itertools
import json
import math
import pathlib
import re
import time
from collections.abc import Callable
from typing import Any

import documented
import pytest
import trace
from command import Command

# A data-centre drive as a study of its power governor has it: 2 GB/s at 25 W, 4 W
# at rest, caps of 20 and 10 W.
IDLE = [f"--idle-power=PS{n}=4W" for n in range(3)]
KNOWN = [*IDLE, "--active-power=write=25W", "--bandwidth=write=2GB/s"]
LINEAR = [2_000_000_000, 1_523_809_524, 571_428_571]

HUMAN = """\
Fits: in all 55 W for the drives, 0 W left; 3.81 GiB/s of 5.59 GiB/s kept, 31.7 % lost.
  65 W, of which everything else takes 10 W; 3 drives by maximum power, 75 W without caps; writes, as no --mix is given
      drive          state  power  throughput    lost
  1x  governed.json  PS0     25 W  1.86 GiB/s     0 %
  1x  governed.json  PS1     20 W  1.42 GiB/s  23.8 %
  1x  governed.json  PS2     10 W   545 MiB/s  71.4 %
  no other choice of states within the budget loses less

To set PS1 on a drive nvme0: ssdpm apply --power-state nvme0=1 nvme0
"""


def governed(product: str, *watts: float) -> dict[str, Any]:
    states = [
        {"operational": True, "max_power_uw": round(w * 10**6)}
        | {"entry_latency_us": 0, "exit_latency_us": 0}
        for w in watts
    ]
    head = {"schema": "ssdpm.model/1", "kind": "nvme", "product": product}
    return {**head, "firmware": "1", "states": states}


@pytest.fixture
def drives(ssdpm: Command) -> Command:
    """governed.json, and small.json with other states."""
    ssdpm.write("governed.json", governed("A governed drive", 25, 20, 10))
    ssdpm.write("small.json", governed("A small drive", 12, 9, 7))
    return ssdpm


def budget(ssdpm: Command, watts: object, *words: str) -> Any:
    return ssdpm.json("budget", "--watts", str(watts), *KNOWN, *words)


def least(items: list[dict[str, Any]], limit_uw: int) -> int | None:
    """By trying all choices."""
    losses = [
        sum(state["loss"] for state in choice)
        for choice in itertools.product(*(item["states"] for item in items))
        if sum(state["power_uw"] for state in choice) <= limit_uw
    ]
    return min(losses, default=None)


def test_a_cap_leaves_what_the_linear_model_says(drives: Command) -> None:
    [item] = budget(drives, 20, "governed.json")["items"]
    assert item["state"] == 1 and item["power_uw"] == 20_000_000
    rates = [state["bytes_per_s"]["nominal"] for state in item["states"]]
    assert rates == LINEAR
    lost = [state["lost_bytes_per_s"] for state in item["states"]]
    assert lost == [LINEAR[0] - rate for rate in rates]
    assert [state["limit"] for state in item["states"][1:]] == ["power", "power"]
    assert all(not state["assumed"] for state in item["states"])


def test_the_answer_is_that_of_trying_all_choices(drives: Command) -> None:
    words = ["2x", "governed.json", "small.json", "small.json", "+", "governed.json"]
    for watts in range(44, 108, 3):
        found = budget(drives, watts, *words)
        assert found["loss"] == least(found["items"], watts * 10**6), watts
        chosen = [item["power_uw"] for item in found["items"]]
        assert sum(chosen) == found["power_uw"] <= watts * 10**6
        assert found["left_uw"] == watts * 10**6 - found["power_uw"]
        assert found["bound_loss"] <= found["loss"]


def test_everything_else_takes_its_part_of_the_budget(drives: Command) -> None:
    words = ["2x", "governed.json", "small.json"]
    alone = budget(drives, 40, *words)
    beside = budget(drives, 3120, "--base-watts", "3080", *words)
    assert beside.pop("budget_uw") == 3_120_000_000
    assert beside.pop("base_uw") == 3_080_000_000
    del alone["budget_uw"], alone["base_uw"]
    assert alone == beside


def test_watts_stand_without_a_unit_or_with_one(drives: Command) -> None:
    calls = [("40.5", "1"), ("40.5W", "1W"), ("40500mW", "0.001kW")]
    found = [
        budget(drives, watts, "--base-watts", base, "2x", "governed.json")
        for watts, base in calls
    ]
    assert found[0] == found[1] == found[2]
    assert found[0]["budget_uw"] == 40_500_000


def test_a_hundredth_of_a_watt_decides(drives: Command) -> None:
    assert budget(drives, "45", "2x", "governed.json")["loss"] == LINEAR[0] - LINEAR[1]
    below = budget(drives, "44.99", "2x", "governed.json")
    assert below["power_uw"] == 40_000_000


def test_the_devices_of_a_card_share_one_state(drives: Command) -> None:
    found = budget(drives, 50, "small.json", "+", "governed.json", "governed.json")
    card, single = found["items"]
    names = [one["drive"] for one in card["devices"]]
    assert names == ["small.json", "governed.json"]
    assert [state["power_uw"] for state in card["states"]] == [
        37_000_000, 29_000_000, 17_000_000
    ]  # fmt: skip
    assert [one["drive"] for one in single["devices"]] == ["governed.json"]
    assert found["power_uw"] == card["power_uw"] + single["power_uw"]


def test_a_card_has_the_states_that_all_its_devices_have(drives: Command) -> None:
    drives.write("two.json", governed("A drive of two states", 25, 20))
    [card] = drives.json("budget", "-w", "99", "governed.json", "+", "two.json")["items"]
    assert [state["state"] for state in card["states"]] == [0, 1]


def test_states_without_work_are_no_choice(drives: Command) -> None:
    [item] = drives.json("budget", "-w", "9", "plain.json")["items"]
    operational = [state["operational"] for state in drives.plain["states"]]
    assert [state["state"] for state in item["states"]] == [
        number for number, works in enumerate(operational) if works
    ]


def test_a_weight_says_whose_throughput_counts(drives: Command) -> None:
    drives.write("other.json", governed("Another drive", 25, 20, 10))
    words = ["governed.json", "other.json"]
    for heavy in words:
        found = budget(drives, 35, "--weight", f"{heavy}=2.5x", *words)
        states = {i["devices"][0]["drive"]: i["state"] for i in found["items"]}
        assert states.pop(heavy) == 0 and list(states.values()) == [2]
    assert found["items"][1]["weight_thousandths"] == 2500
    state = found["items"][1]["states"][2]
    assert state["loss"] == math.floor(2.5 * state["lost_bytes_per_s"] + 0.5)


def test_what_does_not_fit_is_proved(drives: Command) -> None:
    call = ["budget", "-w", "100", "--base-watts", "60.5", *KNOWN, "4x", "governed.json"]
    result = drives(*call, "--wide")
    assert result.returncode == 1
    assert not result.stderr
    text = result.stdout.decode()
    assert re.search(r"drive +lowest state .*\n +4x +governed.json +PS2 +10 W", text)
    assert ", 100 W without caps;" in text and "To set PS" not in text
    assert text.startswith(
        "Does not fit: the drives take at least 40 W, and with everything else 100.5 W, "
        "0.5 W more than the budget; at most 3 of 4 fit.\n"
    )
    result = drives(*call, "--json")
    assert json.loads(result.stdout)["errors"] == [
        "the drives do not fit into 100 W: they and everything else take at least 100.5 W"
    ]
    found = documented.listed(result.stdout)
    assert not found["fits"] and found["least_power_uw"] == 40_000_000
    assert found["n_fitting"] == 3
    assert {found[key] for key in ("power_uw", "left_uw", "loss", "bound_loss")} == {None}
    assert {item["state"] for item in found["items"]} == {2}
    # With a hundredth of a watt more than that it fits.
    assert drives.output(*call[:2], "100.5", *call[3:])


def test_how_near_the_bound_is_that_nothing_beats_is_said(drives: Command) -> None:
    call = ["budget", *KNOWN, "3x", "governed.json", "small.json"]
    for watts in ("43", "46"):
        found = drives.json(*call, "-w", watts)
        assert found["exact"]
        # By hand: the line between the two points of the frontier about it.
        points = [(p["power_uw"], p["loss"]) for p in found["frontier"]]
        after = next(i for i, p in enumerate(points) if p[0] > float(watts) * 1e6)
        (low, most), (high, least) = points[after - 1 : after + 1]
        line = most + (least - most) * (float(watts) * 1e6 - low) / (high - low)
        assert found["bound_loss"] == pytest.approx(line, abs=1)
        text = drives.output(*call, "-w", watts)
        assert found["n_examined"] >= 1
        assert "no other choice of states within the budget loses less\n" in text


def test_everything_else_may_be_above_the_budget_by_itself(drives: Command) -> None:
    result = drives("budget", "-w", "5", "--base-watts", "6", *KNOWN, "governed.json")
    assert result.returncode == 1
    assert b"with everything else 16 W, 11 W" in result.stdout


def test_each_point_of_the_frontier_is_the_answer_for_its_watts(
    drives: Command
) -> None:
    words = ["2x", "governed.json", "3x", "small.json"]
    points = budget(drives, 60, *words)["frontier"]
    assert len(points) > 3
    assert points[-1]["loss"] == 0
    for point in points:
        found = budget(drives, f"{point['power_uw']}uW", *words)
        assert found["loss"] == point["loss"]
        assert found["power_uw"] == point["power_uw"]
    text = drives.output("budget", "-w", "60", *KNOWN, "--frontier", *words)
    assert len(text.split("a watt more gains\n")[1].split("\n\n")[0].splitlines()) == len(points)


def test_expected_power_is_that_of_the_work(drives: Command) -> None:
    reads = ["--active-power", "read=10W", "--bandwidth", "read=2.8GB/s"]
    mix = [*reads, "--mix", "read=100%"]
    [item] = budget(drives, 30, "--power", "expected", *mix, "governed.json")["items"]
    # Reads take 10 W, so that no cap costs anything, and all count the same.
    assert [state["power_uw"] for state in item["states"]] == [10_000_000] * 3
    assert [state["lost_bytes_per_s"] for state in item["states"]] == [0] * 3


def test_no_state_is_counted_with_more_than_its_maximum(drives: Command) -> None:
    watts = 25.1234, 12.3456, 7.0012
    drives.write("odd.json", governed("Of odd powers", *watts))
    for power in ("expected", "p99"):
        for spare in ((), ("--spare", "7%"), ("--spare", "0.5%")):
            for work in ((), ("--workload", "apst-1", "--n-ios", "2000")):
                call = ["--power", power, *spare, *work, "odd.json"]
                [item] = drives.json("budget", "-w", "99", *call)["items"]
                for state, most in zip(item["states"], watts):
                    most_uw = round(most * 10**6)
                    assert state["power_uw"] <= most_uw, call
                    assert state["expected_power_uw"]["high"] <= most_uw, call


def test_p99_is_above_the_mean_of_a_mix(drives: Command) -> None:
    mix = ["--active-power", "read=10W", "--bandwidth", "read=2.8GB/s"]
    mix += ["--mix", "read=90%,write=10%", "governed.json"]
    powers = {
        word: budget(drives, 30, "--power", word, *mix)["items"][0]["states"][0]["power_uw"]
        for word in ("max", "expected", "p99")
    }
    assert 10_000_000 < powers["expected"] < powers["p99"] == powers["max"] == 25_000_000
    assert powers["expected"] % 10_000 == 0


def test_drives_on_a_workload_lose_what_the_cap_takes(drives: Command) -> None:
    rows = "".join(f"{i * 65536},{i * 131072},131072,,write,0\n" for i in range(2000))
    drives.write("writes.csv", trace.HEADER + rows)
    found = budget(drives, 45, "--workload", "writes.csv", "2x", "governed.json")
    assert found["workload"] == "writes.csv" and found["mix"] is None
    assert sorted(item["state"] for item in found["items"]) == [0, 1]
    states = found["items"][0]["states"]
    rates = [state["bytes_per_s"]["nominal"] for state in states]
    assert rates[0] > rates[1] > rates[2] > 0
    # Caps act as in the mix of writes, but for the time before each transfer.
    assert rates[2] / rates[0] == pytest.approx(LINEAR[2] / LINEAR[0], rel=0.1)


def test_each_drive_has_work_of_its_own(drives: Command) -> None:
    drives.write("other.json", governed("Another drive", 25, 20, 10))
    words = ["governed.json", "other.json"]
    fast = ["--active-power=read=8W", "--bandwidth=read=2.8GB/s"]
    own = ["--mix", "other.json=read=100%"]
    found = budget(drives, 35, *fast, *own, *words)
    # The one that reads is capped for nothing.
    assert [item["state"] for item in found["items"]] == [0, 2]
    assert found["loss"] == 0
    works = [item["devices"][0]["mix"]["read_ppm"] for item in found["items"]]
    assert works == [0, 10**6] and found["mix"]["read_ppm"] == 0
    alone = budget(drives, 35, *fast, "--mix", "read=100%", "other.json")
    assert alone["items"][0]["states"] == found["items"][1]["states"]
    text = drives.output("budget", "-w", "35", *KNOWN, *fast, *own, *words)
    first, second = text.splitlines()[1:3]
    assert first.endswith("power, 50 W without caps; writes, as no --mix is given")
    assert second == "  other.json: reads"
    # What nobody does is not said.
    text = drives.output("budget", "-w", "35", *KNOWN, *fast, *own, "other.json")
    assert "\n  35 W; 1 drive by maximum power, 25 W without caps\n  other.json: reads\n" in text


def test_a_drive_has_a_workload_of_its_own_beside_a_mix(drives: Command) -> None:
    call = ["--n-ios", "300", "--op", "write"]
    words = ["governed.json", "small.json"]
    both = budget(drives, 30, *call, "--workload", "small.json=lomax", *words)
    alone = budget(drives, 30, *call, "--workload", "lomax", "small.json")
    assert both["items"][1]["states"] == alone["items"][0]["states"]
    assert both["items"][1]["devices"][0]["workload"] == "lomax"
    assert both["items"][0]["devices"][0]["workload"] is None
    mixed = budget(drives, 30, "--workload", "lomax", "--mix",
                   "governed.json=write=100%", *call, *words)  # fmt: skip
    assert mixed["items"][1]["states"] == both["items"][1]["states"]
    assert mixed["items"][0]["states"] == both["items"][0]["states"]


def test_files_may_have_an_equals_sign_in_their_names(drives: Command) -> None:
    rows = "".join(f"{i * 65536},{i * 131072},131072,,write,0\n" for i in range(50))
    for name in ("day=1.csv", "small.json=1.csv"):
        drives.write(name, trace.HEADER + rows)
    drives.write("disk=0.json", governed("A drive", 25, 20, 10))
    for text, workload in (
        ("day=1.csv", "day=1.csv"),
        ("disk=0.json=day=1.csv", "day=1.csv"),
        ("./small.json=1.csv", "./small.json=1.csv"),
    ):
        found = budget(drives, 90, "--workload", text, "disk=0.json", "small.json")
        assert found["items"][0]["devices"][0]["workload"] == workload


def test_each_drive_has_powers_of_its_own(drives: Command) -> None:
    words = ["governed.json", "small.json"]
    known = ["--active-power=write=25W", "--bandwidth=write=2GB/s"]

    def states(*options: str) -> list[Any]:
        found = drives.json("budget", "-w", "99", *known, *options, *words)
        return [item["states"] for item in found["items"]]

    four, five = states("--idle-power=4W"), states("--idle-power=5W")
    # Without a state: of all in which a drive works.
    assert four == states(*IDLE)
    # What is of one drive stands, wherever it is given.
    mixed = [four[0], five[1]]
    own = [f"--idle-power=small.json=PS{n}=5W" for n in range(3)]
    assert states("--idle-power=small.json=5W", "--idle-power=4W") == mixed
    assert states(*own, "--idle-power=4W") == mixed
    assert states(*IDLE, "--idle-power=small.json=5W") == mixed
    slow = states("--idle-power=4W", "--bandwidth=small.json=write=1GB/s")
    assert slow[0] == four[0] and slow[1] != four[1]


def test_devices_of_a_card_have_values_of_their_own(drives: Command) -> None:
    card = ["governed.json", "+", "small.json"]
    own = budget(drives, 99, "--idle-power=small.json=1W", *card)
    apart = budget(drives, 99, "--idle-power=small.json=1W", "governed.json", "small.json")
    for state in range(3):
        rates = [
            item["states"][state]["bytes_per_s"]["nominal"]
            for item in (*own["items"], *apart["items"])
        ]
        assert rates[0] == pytest.approx(rates[1] + rates[2], abs=2)


def test_a_maximum_of_one_drive_is_given(drives: Command) -> None:
    for name in ("one.json", "two.json"):
        drives.write(name, governed("A silent drive", 25, 0))
    call = ["budget", "-w", "99", *IDLE[:2], "--max-power", "PS1=20W"]
    call += ["--max-power", "two.json=PS1=15W", "one.json", "two.json"]
    powers = [item["states"][1]["power_uw"] for item in drives.json(*call)["items"]]
    assert powers == [20_000_000, 15_000_000]


def test_a_workload_of_reads_loses_nothing_under_caps_that_it_stays_below(
    drives: Command,
) -> None:
    reads = ["--active-power", "read=9W", "--bandwidth", "read=2.8GB/s"]
    call = ["--workload", "lomax", "--n-ios", "500", "--op", "read"]
    found = budget(drives, 10, *reads, *call, "governed.json")
    assert found["loss"] == 0
    assert found["items"][0]["power_uw"] == 10_000_000


def test_what_is_assumed_is_said(drives: Command) -> None:
    drives.wide = False
    text = drives.output("budget", "-w", "30", "governed.json")
    assert text.endswith(
        "  losses are a guess, as these are assumed: full throughput, active power, idle\n"
        "    power; give them, or --measured\n"
    )
    assert "assumed" not in drives.output("budget", "-w", "30", *KNOWN, "governed.json")


def test_a_maximum_that_a_drive_does_not_report_is_given(drives: Command) -> None:
    drives.write("unknown.json", governed("A silent drive", 25, 0, 10))
    call = ["budget", "-w", "20", *KNOWN]
    assert drives.fails(1, *call, "unknown.json") == (
        "ssdpm: unknown.json: it does not report the maximum power of PS1: give it "
        "with --max-power PS1=POWER"
    )
    given = drives.json(*call, "--max-power", "PS1=20W", "unknown.json")
    known = drives.json(*call, "governed.json")
    for item in (*given["items"], *known["items"]):
        del item["devices"]
    assert given == known


def test_many_drives_of_a_file_are_each_given_a_state(drives: Command) -> None:
    fleet = [
        governed(f"Drive {n}", *(30 + 0.37 * n % 11 - 3 * s for s in range(8)))
        for n in range(500)
    ]
    drives.write("fleet.json", json.dumps(fleet))
    begin = time.monotonic()
    found = drives.json("budget", "-w", "12345.67", "fleet.json")
    assert time.monotonic() - begin < 10
    assert len(found["items"]) == 500
    assert found["power_uw"] <= 12_345_670_000
    assert 0 <= found["loss"] - found["bound_loss"] < found["loss"] / 1000


def test_devices_are_named_once(
    drives: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = str(machine("apst-off"))
    one = ["budget", "-w", "99", "--root", root, "nvme0"]
    assert drives.output(*one)
    for words in (["nvme0"], ["/dev/nvme0n1"], ["+", "nvme0"]):
        assert drives.fails(2, *one, *words).endswith(
            "is named twice: it takes its power once"
        )
    assert drives.fails(2, *one[:-1], "2x", "nvme0") == (
        "ssdpm budget: nvme0 is a device: it is there once"
    )


def three_drives(
    drives: Command, machine: Callable[[str], pathlib.Path]
) -> tuple[list[str], Any]:
    """A call, and what it finds."""
    root = str(machine("eight-drives"))
    call = ["budget", "-w", "10.5", "--root", root, "nvme0", "nvme1", "+", "nvme2"]
    return call, drives.json(*call)


def test_apply_takes_the_command_that_is_printed(
    drives: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    call, found = three_drives(drives, machine)
    states = {
        one["drive"]: item["state"]
        for item in found["items"]
        for one in item["devices"]
    }
    assert states["nvme1"] == states["nvme2"] and len(set(states.values())) == 2
    [command] = found["commands"]
    assert drives.output(*call).endswith(
        "\nThis sets it on that machine until the drives are reset;\n"
        f"with --persist udev, after that too:\n  {command}\n"
    )
    # All or nothing: a part of it may be over the budget.
    assert command.startswith("ssdpm apply --strict --power-state nvme0=")
    root = call[call.index("--root") + 1]
    plan = f"ssdpm plan --json --root {root}"
    planned = drives.shell(command.replace("ssdpm apply --strict", plan))
    assert planned.returncode == 0, planned.stderr
    steps = documented.listed(planned.stdout)["steps"]
    after = {step["device"]: step["after"].split()[0] for step in steps}
    assert after == {name: f"PS{state}" for name, state in states.items()}


def test_what_is_printed_lasts_with_a_file_of_udev(
    drives: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    call, found = three_drives(drives, machine)
    plan = f"ssdpm plan --persist udev --root {call[call.index('--root') + 1]}"
    command = found["commands"][0].replace("ssdpm apply --strict", plan)
    text = drives.shell(command).stdout
    numbers = re.findall(r"--power-state (\d+) ", text)
    states = [item["state"] for item in found["items"] for _ in item["devices"]]
    assert sorted(map(int, numbers)) == sorted(states)


def test_a_drive_that_is_in_its_state_stays_there(
    drives: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = str(machine("eight-drives"))
    [command] = drives.json("budget", "-w", "99", "--root", root, "nvme0")["commands"]
    assert "nvme0=0" in command
    applied = drives.shell(f"{command} --root {root}")
    assert (applied.returncode, applied.stdout.splitlines()[-1]) == (0, "in force")


def test_only_what_fits_and_is_a_device_can_be_set(
    drives: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = str(machine("eight-drives"))
    assert drives.json("budget", "-w", "99", "governed.json")["commands"] == []
    assert b"ssdpm apply" not in drives("budget", "-w", "1", "--root", root, "nvme0").stdout
    mixed = drives.json("budget", "-w", "99", "--root", root, "governed.json", "nvme0")
    assert mixed["commands"] == ["ssdpm apply --power-state nvme0=0 nvme0"]


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("nvme0=1,nvme7=2", "--power-state nvme0=1,nvme7=2: unknown drive 'nvme7'"),
        ("nvme0=1,nvme0=2", "--power-state nvme0=1,nvme0=2: nvme0 is given twice"),
        ("=1", "--power-state =1: a number, or devices as in nvme0=1,nvme1=2"),
        ("nvme0=1,", "--power-state nvme0=1,: a number, or devices as in nvme0=1,nvme1=2"),
        ("nvme0=32", "--power-state 32: at most 31"),
        ("nvme0=1", "--power-state nvme0=1: none for nvme1"),
    ],
)  # fmt: skip
def test_a_wrong_list_of_power_states_is_said(
    drives: Command, machine: Callable[[str], pathlib.Path], argument: str, message: str
) -> None:
    call = ["plan", "--root", str(machine("eight-drives")), "--power-state", argument]
    assert drives.fails(2, *call, "nvme0", "nvme1") == f"ssdpm plan: {message}"


def test_a_card_names_its_devices_one_by_one(drives: Command) -> None:
    drives.write("two.json", json.dumps([governed("One", 9, 5), governed("Two", 9, 5)]))
    assert drives.fails(2, "budget", "-w", "9", "two.json", "+", "small.json") == (
        "ssdpm budget: two.json: several drives; name the devices of a card one by one"
    )


def sata(drives: Command) -> str:
    """A SATA drive of which one state is known, and no power."""
    state = {"max_power_uw": None, "operational": True}
    for key in drives.example["states"][0]:
        state.setdefault(key, None if key.endswith("_us") or key.endswith("_uw") else 0)
    del state["not_reported"]
    model = {"schema": "ssdpm.model/1", "kind": "sata", "product": "A SATA drive"}
    return drives.write("sata.json", {**model, "states": [state]})


def test_a_sata_drive_counts_with_the_most_that_it_takes(drives: Command) -> None:
    """Whatever --power is: a mean of what nobody knows would be a guess."""
    name = sata(drives)
    for power in "max", "expected", "p99":
        call = ("--power", power, "--max-power", f"{name}=PS0=4W", "3x", name, "small.json")
        answer = drives.json("budget", "-w", "40", *call)
        assert answer["fits"] is True
        *disks, other = answer["items"]
        assert len(disks) == 3
        for disk in disks:
            assert disk["power_uw"] == 4_000_000
            assert disk["lost_bytes_per_s"] == 0
            assert len(disk["states"]) == 1
            (state,) = disk["states"]
            assert state["bytes_per_s"] == dict.fromkeys(("low", "nominal", "high"))
            assert state["expected_power_uw"] == {"low": 0, "nominal": None, "high": 4_000_000}
        # The other one has what is left, as if the disks were everything else.
        rest = drives.json("budget", "-w", "40", "--base-watts", "12", *call[:2], "small.json")
        assert other["state"] == rest["items"][0]["state"]
        text = drives.output("budget", "-w", "40", *call)
        assert re.search(r"3x  sata\.json +SATA +4 W +- +-", text)


def test_disks_that_do_not_fit_are_told_with_what_they_take(drives: Command) -> None:
    name = sata(drives)
    call = ("--max-power", f"{name}=PS0=4W", "3x", name)
    assert drives.json("budget", "-w", "12", *call)["fits"] is True
    text = drives.output("budget", "-w", "12", *call)
    assert text.startswith("Fits: in all 12 W, 0 W left; the throughput is unknown.\n")
    assert "loses less" not in text
    result = drives("budget", "-w", "11.9", *call)
    assert result.returncode == 1
    words = b"Does not fit: the drives take at least 12 W, 0.1 W more than the budget; at most"
    assert result.stdout.startswith(words + b"\n  2 of 3 fit.\n")


def test_what_a_sata_drive_takes_is_never_assumed(drives: Command) -> None:
    name = sata(drives)
    needed = (
        f"ssdpm: {name}: no SATA drive reports its maximum power: give it with "
        f"--max-power '{name}=PS0=POWER'"
    )
    assert drives.fails(1, "budget", "-w", "9", name) == needed
    powers = ["read=2W", "write=3W", "flush=1W", "discard=1W"]
    options = [word for power in powers for word in ("--active-power", power)]
    assert drives.fails(1, "budget", "-w", "9", *options[:-2], name) == needed
    [item] = drives.json("budget", "-w", "9", *options, name)["items"]
    assert item["power_uw"] == 3_000_000


def test_a_sata_drive_is_no_part_of_a_card(drives: Command) -> None:
    name = sata(drives)
    call = ("--max-power", "PS0=4W", name, "+", "small.json")
    assert drives("budget", "-w", "9", *call).stderr.decode() == (
        f"ssdpm: {name}: a SATA drive is no part of a card\n"
        f"ssdpm: {name} + small.json would be a card; "
        "for two drives write + 1x small.json\n"
    )
    cards = ("-w", "200", "2x", "small.json", "+", "Samsung SSD 860 EVO 500GB")
    assert "write + 1x" not in drives.fails(3, "budget", "-q", *cards)
    assert drives("budget", *cards).stderr.decode().endswith(
        "; for one drive more write + 1x 'Samsung SSD 860 EVO 500GB'\n"
    )


@pytest.mark.parametrize(
    ("words", "same"),
    [
        (["2xsmall.json"], ["2x", "small.json"]),
        (["2X", "small.json"], ["2x", "small.json"]),
        (["2x small.json"], ["2x", "small.json"]),
        (["2x", "small.json", "+", "3x", "small.json"], ["2x", "small.json", "3x", "small.json"]),
        (["small.json", "+", "1xgoverned.json"], ["small.json", "governed.json"]),
        (["2x small.json + 3x governed.json"], ["2x", "small.json", "3x", "governed.json"]),
        (["small.json + governed.json"], ["small.json", "+", "governed.json"]),
        (["2x small.json +", " governed.json"], ["2x", "small.json", "+", "governed.json"]),
        (["2xSSDPE2KX010T8"], ["SSDPE2KX010T8", "SSDPE2KX010T8"]),
    ],
)  # fmt: skip
def test_a_count_and_a_plus_may_be_written_as_people_write_them(
    drives: Command, words: list[str], same: list[str]
) -> None:
    drives.write("small.json", governed("A small drive", 12, 9, 7))
    call = ["budget", "--json", "-q", "-w", "99"]
    assert drives.output(*call, *words) == drives.output(*call, *same)


def test_a_file_is_a_drive_whatever_its_name(drives: Command) -> None:
    for name in ("2x", "3xa", "a + b", "+"):
        drives.write(name, governed("A drive", 12, 9, 7))
        [item] = budget(drives, 99, name)["items"]
        assert item["devices"][0]["drive"] == name


def test_a_counted_card_is_told_from_drives_one_by_one(drives: Command) -> None:
    words = ["2x", "governed.json", "+", "small.json"]
    done = drives("budget", "-w", "99", *KNOWN, *words)
    assert done.stderr.decode() == (
        "ssdpm: 2x governed.json + small.json are cards, whose drives share one state; "
        "for one drive more write + 1x small.json\n"
    )
    done_alone = drives("budget", "-w", "99", *KNOWN, *words[1:])
    assert done_alone.stderr.decode() == (
        "ssdpm: governed.json + small.json is a card, whose drives share one state; "
        "for two drives write + 1x small.json\n"
    )
    assert drives("budget", "-q", "-w", "99", *KNOWN, *words[1:]).stderr == b""
    assert b"2 cards by maximum power" in done.stdout
    words[3:] = ["1x", "small.json"]
    done = drives("budget", "-w", "99", *KNOWN, *words)
    assert b"3 drives by maximum power" in done.stdout and done.stderr == b""


def test_help_explains_the_count_and_the_plus(ssdpm: Command) -> None:
    text = ssdpm.output("budget", "--help").split("Operands:\n")[1].split("\n\n")[0]
    assert [line.split("  ")[1] for line in text.splitlines()] == [
        "12x DRIVE",
        "A + B",
        "12x A + 2x B",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["governed.json"], "no --watts given: what may be drawn in all"),
        (["-w", "x", "governed.json"], "--watts x: write a number with its unit, as in 3120, 3120W or 3.12kW"),
        (["-w", "9V", "governed.json"], "--watts 9V: the unit is uW, mW, W or kW"),
        (["-w", "0.0000001", "governed.json"], "--watts 0.0000001: finer than a microwatt"),
        (["-w", "-9", "governed.json"], "--watts -9: write a number with its unit, as in 3120, 3120W or 3.12kW"),
        (["-w", "9", "+", "governed.json"], "+ belongs between two drives"),
        (["-w", "9", "governed.json", "+"], "+: no drive follows"),
        (["-w", "9", "governed.json", "+", "+", "small.json"], "+ belongs between two drives"),
        (["-w", "9", "governed.json", "2x", "+", "small.json"], "+ belongs between two drives"),
        (["-w", "9", "governed.json +"], "+: no drive follows"),
        (["-w", "9", "2x3xsmall.json"], "2x 3x: one count will do"),
        (["-w", "9", "2x", "3x", "small.json"], "2x 3x: one count will do"),
        (["-w", "9", "2x"], "2x: no drive follows"),
        (["-w", "9", "0x", "small.json"], "0x: 1x to 65536x"),
        (["-w", "9", "99999x", "small.json"], "99999x: 1x to 65536x"),
        (["-w", "9", "40000x", "small.json", "40000x", "small.json"], "more than 65536 drives"),
        (["-w", "9", "--power", "min", "small.json"], "unknown --power 'min'; expected max, expected or p99"),
        (["-w", "9", "--mix", "read=70%", "small.json"], "--mix read=70%: the shares do not come to 100%"),
        (["-w", "9", "--mix", "trim=100%", "small.json"], "--mix trim=100%: write read=70%,write=30%"),
        (["-w", "9", "--mix", "read=50%,read=50%", "small.json"], "--mix read=50%,read=50%: read is given twice"),
        (["-w", "9", "--mix", "read=1", "small.json"], "--mix 1: write a number with its unit, as in 5%"),
        (["-w", "9", "--io-bytes", "0B", "small.json"], "--io-bytes 0B: 1B up to below 4GiB"),
        (["-w", "9", "--weight", "2", "small.json"], "--weight 2: write a drive and its weight, as in nvme0=2x"),
        (["-w", "9", "--weight", "nvme7=2x", "small.json"], "--weight nvme7=2x: unknown drive 'nvme7'"),
        (["-w", "9", "--weight", "small.json=2", "small.json"], "--weight 2: write a number with its unit, as in 2.5x"),
        (["-w", "9", "--weight", "small.json=9999999x", "small.json"], "--weight: that of small.json is too much"),
        (["-w", "9", "--max-power", "20W", "small.json"], "--max-power 20W: write a state and its power, as in PS1=20W"),
        (["-w", "9", "--max-power", "PS1=20", "small.json"], "--max-power 20: write a number with its unit, as in 800uW, 500mW or 2W"),
        (["-w", "9", "--max-power", "PS99=20W", "small.json"], "--max-power PS99=20W: write a state and its power, as in PS1=20W"),
        (["-w", "9", "--operational-state", "PS1", "small.json"], "--operational-state: the states are what is looked for"),
        (["-w", "9", "--loop", "open", "small.json"], "--loop requires --workload"),
        (["-w", "9", "--end", "1s", "small.json"], "--end: throughput is of a whole workload"),
        (["-w", "9", "--seed", "1", "small.json"], "options of traces and of made workloads are for a --workload"),
        (["-w", "9", "--workload", "lomax", "--mix", "read=100%", "small.json"], "--mix read=100%: one --workload or --mix is what a drive does"),
        (["-w", "9", "--workload", "-", "-"], "standard input is named twice"),
        (["-w", "9", "--workload", "small.json=-", "-"], "standard input is named twice"),
        (["-w", "9", "--workload", "small.json=lomax", "--mix", "small.json=read=100%", "small.json"], "--mix small.json=read=100%: one --workload or --mix is what a drive does"),
        (["-w", "9", "--workload", "small.json=", "small.json"], "--workload small.json=: no file is named"),
        (["-w", "9", "--mix", "nvme7=read=100%", "small.json"], "--mix nvme7=read=100%: unknown drive 'nvme7'"),
        (["-w", "9", "--mix", "small.json=reads=100%", "small.json"], "--mix small.json=reads=100%: write read=70%,write=30%"),
        (["-w", "9", "--idle-power", "nvme7=4W", "small.json"], "--idle-power nvme7=4W: unknown drive 'nvme7'"),
        (["-w", "9", "--idle-power", "nvme7=PS1=4W", "small.json"], "--idle-power nvme7=PS1=4W: unknown drive 'nvme7'"),
        (["-w", "9", "--max-power", "nvme7=PS1=4W", "small.json"], "--max-power nvme7=PS1=4W: unknown drive 'nvme7'"),
        (["-w", "9", "--idle-power", "=4W", "small.json"], "--idle-power =4W: before = stands a state, as in PS4"),
    ],
)  # fmt: skip
def test_wrong_use_is_said(drives: Command, words: list[str], message: str) -> None:
    assert drives.fails(2, "budget", *words) == f"ssdpm budget: {message}"


def test_a_workload_that_moves_nothing_is_refused(drives: Command) -> None:
    drives.write("flush.csv", trace.csv((0, 1), (9, 1), bytes=0, op="flush"))
    assert drives.fails(1, "budget", "-w", "9", "--workload", "flush.csv", "small.json") == (
        "ssdpm: flush.csv: nothing is read or written, so that nothing can be lost"
    )


def test_a_reader_that_leaves_is_no_failure_of_words(drives: Command) -> None:
    call = "ssdpm budget -w 99999 --json 2000x governed.json | head -1"
    result = drives.shell(call)
    assert (result.stdout, result.stderr) == ("{\n", "")


def test_people_see_one_line_for_what_is_alike(drives: Command) -> None:
    text = drives.output(
        "budget", "-w", "65", "--base-watts", "10", *KNOWN, "3x", "governed.json"
    )
    assert text == HUMAN


def test_one_key_is_enough_for_a_script(drives: Command) -> None:
    call = ["budget", "-w", "45", *KNOWN, "2x", "governed.json"]
    assert drives.output(*call, "--value", "left_uw") == "0\n"
    assert "items_1_state='1'" in drives.output(*call, "--shell")


def test_the_drive_of_a_model_is_not_changed_by_asking(drives: Command) -> None:
    before = copy.deepcopy(json.loads((drives.directory / "governed.json").read_text()))
    budget(drives, 30, "--max-power", "PS0=20W", "governed.json")
    assert json.loads((drives.directory / "governed.json").read_text()) == before


def test_a_count_without_its_sign_names_the_call_that_has_it(ssdpm: Command) -> None:
    for words in (["24", "KCM61RUL960G"], ["24", "x", "KCM61RUL960G"], ["24 KCM61RUL960G"]):
        result = ssdpm("budget", "--watts", "300", *words)
        assert result.returncode == 1
        assert result.stderr.decode().splitlines()[-1] == "ssdpm: try: 24x KCM61RUL960G"
    ssdpm.output("budget", "--watts", "300", "24x", "KCM61RUL960G")
    assert "try" not in ssdpm.fails(1, "budget", "--watts", "300", "870 NOSUCH")


def test_a_loss_that_only_ranks_show_is_no_zero(ssdpm: Command) -> None:
    call = ["budget", "-w", "240", "--mix", "read=100%", "24x", "KCM61RUL960G"]
    text = ssdpm.output(*call)
    assert text.splitlines()[0].endswith(" kept, more than 0 % lost.")
    assert "by its ranks, KCM61RUL960G is slower in PS4 than the table says" in text
    assert "no other choice" not in text
    states = ssdpm.json(*call)["items"][0]["states"]
    assert [one["state"] for one in states if one["outranked"]] == [3, 4, 5]
    # With more power, no drive is in a state that its ranks call slower.
    plenty = ["budget", "-w", "600", *call[3:]]
    assert "more than" not in ssdpm.output(*plenty)
    assert {one["state"] for one in ssdpm.json(*plenty)["items"]} == {2}


def test_a_rank_weighs_as_its_drive_does(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = str(machine("eight-drives"))
    call = ["budget", "-w", "10.3", "--mix", "read=100%", "--root", root, "nvme0", "nvme1"]
    for dear, cheap in (("nvme0", "nvme1"), ("nvme1", "nvme0")):
        lines = ssdpm.output(*call, "--weight", f"{dear}=1000x").splitlines()
        states = {line.split()[0]: line.split()[1] for line in lines[3:5]}
        assert states == {dear: "PS0", cheap: "PS1"}


def test_a_drive_over_a_network_does_not_count(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = machine("server")
    message = ssdpm.fails(3, "budget", "-w", "60", "--root", str(root), "nvme0")
    assert "nvme0: over a network (tcp): its power is not of this machine" in message
    message = ssdpm.fails(1, "budget", "-w", "60", "--root", str(root))
    assert message == "ssdpm: no drive draws power of this machine"
    root = machine("eight-drives")
    (root / "sys/class/nvme/nvme0/transport").write_text("tcp\n")
    result = ssdpm("budget", "-w", "99", "--root", str(root))
    assert b"nvme0 is over a network: it does not count\n" in result.stderr
    assert b"nvme1" not in result.stderr
