# SPDX-License-Identifier: MIT
"""The best setting of each drive, as the command and the plan have it."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import pickle
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ssdpm

Maker = Callable[[str], pathlib.Path]


def test_the_advice_is_what_a_plan_then_has_in_force(machine: Maker) -> None:
    root = machine("desktop-6.1")
    found = {advice.name: advice for advice in ssdpm.tune(root)}
    assert list(found) == ["nvme0", "sda", "sdb"]
    assert found["nvme0"].advice == "keep" and found["nvme0"].max_exit_latency_us
    assert [found[name].lpm for name in ("sda", "sdb")] == ["med_power_with_dipm"] * 2
    with ssdpm.plan(root) as plan:
        for advice in found.values():
            advice.add_to(plan)
        plan.commit()
        assert [step.device for step in plan.steps] == ["sda", "sdb"]
        assert not [one for one in ssdpm.tune(root) if one.advice == "set"]


def test_a_table_to_build_may_be_of_no_limit(machine: Maker) -> None:
    root = machine("laptop")
    [off] = machine("apst-off").glob("dumps/*.apst")
    (root / "dumps/nvme0.apst").write_bytes(off.read_bytes())
    (root / "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us").write_text("any\n")
    [advice] = ssdpm.tune(root)
    assert (advice.advice, advice.max_exit_latency_us) == ("rebuild", "any")


def test_the_saving_is_that_of_a_comparison(machine: Maker) -> None:
    root = machine("desktop-6.1")
    trace = ssdpm.generate("desktop-session")
    [disk] = [device for device in ssdpm.devices(root) if device.name == "sda"]
    [advice] = [one for one in ssdpm.tune(root, trace) if one.name == "sda"]
    today, other = ssdpm.compare(disk, trace, ["today", "med_power_with_dipm"])
    assert advice.saving == other.saving and advice.likely == other.likely
    delays = [one.estimate.nominal.delay_mean_ns for one in (today, other)]
    assert advice.added_mean_ns == delays[1] - delays[0]
    assert advice in ssdpm.tune(root)  # which takes the same workload


def test_a_drive_that_must_be_left_alone_says_why(machine: Maker) -> None:
    advices = ssdpm.tune(machine("server"), "poisson")
    left = [advice for advice in advices if advice.error]
    assert {advice.error for advice in left} == {"ENOTSUP"}
    for advice in left:
        assert (advice.advice, advice.saving, advice.likely) == (None, None, None)
        network = advice.message == "over a network (tcp): its power is not of this machine"
        assert network == (advice.name == "nvme0")
        assert network or "out of reach" in advice.message
        assert advice.message in str(advice)


def test_patience_moves_the_limits(machine: Maker) -> None:
    root = machine("laptop")
    words = ("normal", "patient", "instant")
    found = {word: ssdpm.tune(root, patience=word)[0] for word in words}
    assert found["instant"].advice == "set" and found["instant"].max_exit_latency_us == 0
    assert found["normal"].advice == found["patient"].advice == "keep"
    with pytest.raises(ValueError, match="patience: 'slow' is none of"):
        ssdpm.tune(root, patience="slow")


@pytest.mark.parametrize("name", ["laptop", "desktop-6.1", "eight-drives"])
def test_what_sleep_saves_and_another_route_are_those_of_json(
    machine: Maker, name: str
) -> None:
    advices = ssdpm.tune(machine(name))
    assert any(advice.awake for advice in advices)
    for advice in advices:
        said = json.loads(advice.to_json())
        further = said.get("further") or {"route": None, "likely": None, "gain_uw": None}
        assert advice.further == further["route"]
        assert (advice.further_gain_uw is None) == (advice.further is None)
        assert advice.further_gain_uw == further["gain_uw"]
        assert advice.further_gain_uw is None or advice.further_gain_uw > 0
        for ours, theirs in (
            (advice.further_likely, further["likely"]),
            (advice.awake, said.get("awake")),
        ):
            assert (ours is None) == (theirs is None)
            if ours is not None:
                assert ours.median_uw == theirs["median_uw"]
                assert ours.verdict == theirs["verdict"]


def test_a_link_that_is_off_has_its_price_and_its_remedy(machine: Maker) -> None:
    asleep, advice = ssdpm.tune(machine("no-aspm"))
    assert asleep.link is None  # Linux does not manage it
    link, said = advice.link, json.loads(advice.to_json())["link"]
    assert link is not None and link.likely.verdict == said["likely"]["verdict"] == "saves"
    assert (link.pcie_link_today, link.pcie_link) == ("l0", "l1.2")
    assert link.remedy == said["remedy"] == "aspm-policy-or-firmware"
    assert str(link) == f"link in l1.2, not l0: {link.likely}"
    assert str(advice) == f"nvme1: leave it as it is; {link}"
    [change] = link.changes
    assert (change.target, change.value) == tuple(said["changes"][0].values())
    # A drive at its nominal values saves what its link takes.
    trace = ssdpm.generate("desktop-session")
    drive = ssdpm.devices(machine("no-aspm"))[1]
    at = {one: ssdpm.estimate(drive, trace, pcie_link=one) for one in ("l0", "l1.2")}
    nominal = at["l0"].nominal.mean_power_uw - at["l1.2"].nominal.mean_power_uw
    assert link.likely.median_uw == pytest.approx(nominal, rel=0.02)


def test_it_is_a_value_with_the_object_of_the_command(machine: Maker) -> None:
    [advice] = ssdpm.tune(machine("apst-off"))
    said = json.loads(advice.to_json())
    assert said["schema"] == "ssdpm.advice/1"
    assert (said["advice"], said["name"]) == (advice.advice, advice.name) == ("set", "nvme0")
    assert said["setting"]["max_exit_latency_us"] == advice.max_exit_latency_us == 100000
    assert str(advice).startswith("nvme0: set latency limit 100000 us: ")
    assert pickle.loads(pickle.dumps(advice)) == advice


def test_a_workload_is_needed(machine: Maker) -> None:
    root = machine("laptop")
    with pytest.raises(ssdpm.NotFoundError):
        ssdpm.tune(root, "no such one")
    with pytest.raises(ssdpm.UnknownValueError):
        ssdpm.tune(root, np.empty(0, ssdpm.IO_DTYPE))


def saving_of(decision: str) -> float:
    return -0.1 if decision == "costs" else 0.1


def tried(decision: str, **more: Any) -> ssdpm.TrialResult:
    middle = saving_of(decision)
    return ssdpm.TrialResult(
        decision, n_pairs=8, duration_ns=600 * 10**9, saving_w=middle, low_w=middle - 0.05,
        high_w=middle + 0.05, meter="BAT0", power_source="battery", **more,
    )  # fmt: skip


def test_a_trial_that_saves_decides_what_nothing_else_does(machine: Maker) -> None:
    root = machine("laptop")
    [before] = ssdpm.tune(root)
    assert before.advice == "keep" and before.trial is None
    assert before.takes_trial and before.likely is not None
    assert before.trial_likely_uw == before.likely.high_uw
    assert json.loads(before.to_json())["trial"] is None
    for word in ssdpm.measure.TRIAL_DECISIONS:
        trial = tried(word)
        [advice] = ssdpm.tune(root, trials={"nvme0": trial})
        assert advice.advice == ("set" if word == "saves" else "keep")
        assert advice.max_exit_latency_us == before.max_exit_latency_us
        assert advice.trial == trial and advice.takes_trial
        decided = word in ("saves", "costs")
        assert (advice.trial_likely_uw is None) == decided
        said = json.loads(advice.to_json())
        assert said["trial_likely_uw"] == advice.trial_likely_uw
        said = said["trial"]
        assert (said["decision"], said["meter"]) == (word, "BAT0")
        assert (said["n_pairs"], said["saving_uw"]) == (8, round(saving_of(word) * 1e6))
        assert (said["resolvable_uw"], said["power_source"]) == (None, "battery")


def test_a_setting_is_for_the_drive_that_it_was_found_for(machine: Maker) -> None:
    root = machine("apst-off")
    [advice] = ssdpm.tune(root)
    assert advice.advice == "set"
    plan = ssdpm.plan(root)
    [serial] = root.glob("sys/devices/**/nvme/nvme0/serial")
    serial.write_text("another\n")
    with pytest.raises(ssdpm.NotInForceError, match="nvme0: it is another drive now"):
        advice.add_to(plan)
    assert plan.steps == ()
    # A copy has no machine to ask.
    again = pickle.loads(pickle.dumps(advice))
    assert again == advice
    again.add_to(plan)
    assert plan.steps


def test_a_trial_that_cannot_be_is_refused(machine: Maker) -> None:
    root = machine("laptop")
    with pytest.raises(ssdpm.NotFoundError, match="no drive 'nvme7'"):
        ssdpm.tune(root, trials={"nvme7": tried("saves")})
    with pytest.raises(ValueError, match="decision: 'won' is none of"):
        ssdpm.tune(root, trials={"nvme0": tried("won")})
    with pytest.raises(ssdpm.InvalidError, match="saving_w"):
        ssdpm.tune(root, trials={"nvme0": dataclasses.replace(tried("saves"), saving_w=-0.1)})
    with pytest.raises(ssdpm.InvalidError, match="meter"):
        ssdpm.tune(root, trials={"nvme0": dataclasses.replace(tried("saves"), meter="x" * 64)})
    assert not ssdpm.tune(machine("apst-off"))[0].takes_trial
    with pytest.raises(ssdpm.InvalidError):
        ssdpm.tune(machine("apst-off"), trials={"nvme0": tried("saves")})
    with pytest.raises(TypeError, match="TrialResult"):
        ssdpm.tune(root, trials={"nvme0": 3})  # type: ignore[dict-item]


def test_the_workload_that_is_taken_has_a_reason(machine: Maker) -> None:
    root = machine("laptop")
    laptop = ssdpm.usual_workload(root)
    assert (laptop.name, laptop.reason) == ("desktop-session", "no-server")
    chassis = root / "sys/class/dmi/id/chassis_type"
    chassis.parent.mkdir(parents=True, exist_ok=True)
    chassis.write_text("23\n")  # a rack mount chassis
    server = ssdpm.usual_workload(root)
    assert (server.name, server.reason) == ("server-files", "chassis")
    assert server != laptop and "server-files" in repr(server)
    root = machine("apst-off")
    usual = ssdpm.usual_workload(ssdpm.Machine(root)).name
    assert ssdpm.tune(root) == ssdpm.tune(root, usual)


def test_the_total_is_the_sum_that_the_command_prints(machine: Maker) -> None:
    advice = ssdpm.tune(machine("desktop-6.1"))
    likely = [one.likely for one in advice if one.advice == "set" and one.likely]
    total = ssdpm.total(advice)
    assert total.n == total.n_decided == len(likely) == 2 and not total.n_undecided
    assert total.low_uw == sum(one.low_uw for one in likely)
    assert total.median_uw == sum(one.median_uw for one in likely)
    assert total.high_uw == sum(one.high_uw for one in likely)
    assert {one.verdict for one in likely} == {"saves", "costs"}
    assert total.low_uw > 0 and total.verdict == "saves"
    assert str(total).startswith("saves ") and str(total).endswith("), on 2 drives")
    # A sum of one is that one, also where it is a loss.
    for one in advice:
        if one.advice == "set":
            assert str(ssdpm.total([one])) == f"{one.likely}, on 1 drive"


def test_what_sleep_saves_is_the_sum_of_what_never_sleeping_costs(
    machine: Maker,
) -> None:
    root = machine("desktop-6.1")
    advice = ssdpm.tune(root)
    asleep = [one.awake for one in advice if one.awake]
    total = ssdpm.total_asleep(advice)
    assert total.n == len(asleep) == 2 and not total.n_undecided
    assert total.low_uw == -sum(one.high_uw for one in asleep)
    assert total.median_uw == -sum(one.median_uw for one in asleep)
    assert total.high_uw == -sum(one.low_uw for one in asleep)
    assert (total.n_unread, total.n_unestimated) == (0, 0)
    assert [one.verdict for one in advice] == [one.verdict for one in ssdpm.report(root)]
    # What no one knows is counted.
    drive = (root / "sys/class/nvme/nvme0").resolve()
    shutil.rmtree(drive)
    drive.mkdir()
    total = ssdpm.total_asleep(ssdpm.tune(root))
    assert (total.n, total.n_unread) == (1, 1)
    assert str(ssdpm.total_asleep([])) == "of no drive is a saving known"
    with pytest.raises(TypeError, match="advice"):
        ssdpm.total_asleep(["nvme0"])  # type: ignore[list-item]


def test_a_trial_counts_in_place_of_what_is_likely(machine: Maker) -> None:
    root = machine("laptop")
    assert ssdpm.total(ssdpm.tune(root)).verdict is None
    [advice] = ssdpm.tune(root, trials={"nvme0": tried("saves")})
    total = ssdpm.total([advice])
    assert (total.low_uw, total.median_uw, total.high_uw) == (50000, 100000, 150000)
    assert total.verdict == "saves"
    endless = dataclasses.replace(tried("saves"), high_w=float("inf"))
    [advice] = ssdpm.tune(root, trials={"nvme0": endless})
    total = ssdpm.total([advice])
    assert (total.low_uw, total.median_uw, total.high_uw) == (None, 100000, None)
    assert str(total) == "saves 100 mW, on 1 drive"
    with pytest.raises(TypeError, match="advice"):
        ssdpm.total(["nvme0"])  # type: ignore[list-item]
