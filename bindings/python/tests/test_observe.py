# SPDX-License-Identifier: MIT
"""Observations of a drive that sleeps after some time, from lines that are made up."""

from __future__ import annotations

import re
import threading

import pytest

import ssdpm
from made import State, swift
from ssdpm import observe

S, MS = 10**9, 10**6
FORMAT = (
    'name: block_rq_issue\nprint fmt: "<%d:%d> %s %u @%llu", REC->dev, REC->dev, '
    "REC->rwbs, REC->nr_sector, REC->sector\n"
)


@pytest.fixture
def model() -> ssdpm.Model:
    asleep = State(max_power=400, scale=1, operational=False, entry=5000, exit=9000)
    return ssdpm.Model(swift(asleep))


def line(thread: str, time_s: float, event: str) -> str:
    return f"{thread:>16} [001] d..1. {time_s:.6f}: {event}\n"


def read(thread: str, time_s: float, sector: int, device: str = "259,0") -> str:
    place = f"{sector} + 8"
    return (
        line(thread, time_s, f"block_bio_queue: {device} R {place} [x]")
        + line(thread, time_s, f"block_rq_issue: 259,0 R 4096 () {place} [x]")
        + line("<idle>-0", time_s + 0.0002, f"block_rq_complete: 259,0 R () {place} [0]")
    )


def observed(model: ssdpm.Model, text: str) -> observe.Observation:
    observation = observe.Observation()
    assert observation.add_drive(model, "259:0", ctrl_id=0) == 0
    observation.add_partition(0, "259:1")
    observation.feed(text)
    observation.finish(60 * S)
    return observation


def test_shares_are_all_the_energy(model: ssdpm.Model) -> None:
    text = "".join(read(f"p{i % 3}-{i}", 1 + i * 2.5, 8 * i) for i in range(20))
    observation = observed(model, text)
    (drive,) = observation.drives
    causes = observation.causes(0)
    assert [cause.name for cause in causes] == ["p0", "p1", "p2"]
    assert {cause.kind for cause in causes} == {"process"}
    assert drive.resting_nj + sum(c.energy_nj for c in causes) == drive.energy_nj
    assert sum(cause.n_wakes for cause in causes) == drive.n_wakes == 19
    assert drive.now_ns == 60 * S and drive.phase == "resident"
    assert drive.asleep_ns > 50 * S > drive.busy_ns


def test_the_same_is_simulated_by_an_estimate(model: ssdpm.Model) -> None:
    observation = observed(model, "".join(read("a-1", 1 + 3 * i, 8) for i in range(9)))
    trace = ssdpm.Trace.from_columns(
        start_ns=[(1 + 3 * i) * S for i in range(9)],
        op=["read"] * 9,
        bytes=4096,
        # What is recorded has the wake in it, which is taken out.
        service_ns=[200_000] + [observation_service(model)] * 8,
    )
    nominal = ssdpm.estimate(model, trace, loop="open", end_ns=60 * S).nominal
    (drive,) = observation.drives
    assert (drive.energy_nj, drive.n_wakes) == (nominal.energy_nj, nominal.n_wakes)


def observation_service(model: ssdpm.Model) -> int:
    """The base latency, or all that was recorded."""
    base = ssdpm.Service.from_parameters(ssdpm.parameters(model)).base_ns.read
    return min(base, 200_000)


def test_without_a_cause_the_drive_sleeps_longer(model: ssdpm.Model) -> None:
    text = "".join(
        read("often-1", 1 + i, 8) + (read("once-2", 30.5, 800) if i == 29 else "")
        for i in range(40)
    )
    observation = observed(model, text)
    names = [cause.name for cause in observation.causes(0)]
    often = observation.without(0, names.index("often"))
    once = observation.without(0, names.index("once"))
    (drive,) = observation.drives
    assert often.energy_nj == once.energy_nj == drive.energy_nj
    assert often.without_energy_nj < once.without_energy_nj < drive.energy_nj
    assert often.without_asleep_ns > once.without_asleep_ns
    assert often.without_n_wakes == 1 and once.n_wakes == 40
    assert "without it" in str(once)


def test_a_recording_says_under_which_policy_it_was_made(model: ssdpm.Model) -> None:
    def recorded(time_s: float, sector: int, wake_s: float) -> str:
        text = read("a-1", time_s, sector)
        return text.replace(f"{time_s + 0.0002:.6f}", f"{time_s + 0.0002 + wake_s:.6f}")

    def service(text: str) -> list[int]:
        trace = ssdpm.read_trace(text.encode(), device="259,0")
        return [int(n) for n in trace.service_ns]

    observation = observe.Observation()
    observation.add_drive(model, "259:0")
    policy = observation.policy()
    found = re.fullmatch(r"# policy: 259,0 base( \d+){4} sleep (\d+) (\d+) (\d+)", policy)
    assert found is not None
    idle, there, wake = (int(found[i]) for i in (2, 3, 4))
    assert there - idle == 5 * MS and wake == 9 * MS
    text = recorded(1, 8, 0) + recorded(31, 16, 0.009) + recorded(61, 24, 0.009)
    assert service(text) == [200_000, 9_200_000, 9_200_000]
    assert service(f"{policy}\n{text}") == [200_000] * 3
    assert service(f"{policy.replace('259', '8')}\n{text}") == service(text)
    with pytest.raises(ssdpm.InvalidError, match="policy cannot be read"):
        service(f"{policy} 7\n{text}")
    # A policy that never sleeps: the wake-ups that were recorded are no work.
    awake = observe.Observation()
    awake.add_drive(model, "259:0", None)
    awake.feed(f"{policy}\n{text}")
    awake.finish(90 * S)
    assert awake.drives[0].busy_ns == 600_000
    with pytest.raises(ssdpm.NotFoundError):
        awake.policy(1)


def test_what_helps_is_less_often(model: ssdpm.Model) -> None:
    reads = [read("monitor-1", 1 + 5 * i, 8) for i in range(12)]
    asked = line("smartctl-7", 32.5, "nvme_setup_cmd: nvme0: qid=0, cmdid=1, x")
    observation = observed(model, "".join([*reads[:7], asked, *reads[7:]]))
    less, ask = observation.help()
    monitor, smartctl = (cause.name for cause in observation.causes())
    assert (less.kind, less.period_ns, less.interval_ns) == ("interval", 5 * S, 60 * S)
    assert (less.cause, less.n_wakes) == (0, 0) and monitor == "monitor"
    # All reads one after the other wake it no more.
    merged = observed(
        model, "".join(read("monitor-1", 1 + i / 5000, 8 * i) for i in range(12))
    )
    saved = observation.drives[0].energy_nj - merged.drives[0].energy_nj
    assert less.saving_low_nj == less.saving_high_nj == pytest.approx(saved, rel=0.01)
    assert str(less) == f"interval: saves {less.saving_high_j:.3g} J"
    # What admin commands cost is unknown.
    assert (ask.kind, ask.cause, smartctl) == ("admin-interval", 1, "smartctl")
    assert ask.saving_low_nj == 0 < ask.saving_high_nj
    assert (ask.period_ns, ask.interval_ns, ask.n_wakes) == (None, None, 11)
    assert set(observe.HELP_KINDS) >= {less.kind, ask.kind}


def test_formats_and_partitions_are_taken(model: ssdpm.Model) -> None:
    observation = observe.Observation()
    observation.add_drive(model, "259:0")
    observation.add_partition(0, "259:1")
    observation.set_format(FORMAT)
    observation.feed(
        line("a-1", 1, "block_bio_queue: 259,1 R 8 + 8 [x]")
        + line("kworker/0:1H-9", 1, "block_rq_issue: <259:0> R 8 @8")
        + line("<idle>-0", 1.001, "block_rq_complete: 259,0 R () 8 + 8 [0]")
    )
    observation.finish()
    assert [cause.name for cause in observation.causes(0)] == ["a"]
    assert observation.counts.n_bad == observation.counts.unknown_bytes == 0
    assert "block/block_rq_issue" in observe.EVENTS
    with pytest.raises(ssdpm.NotFoundError):
        observation.set_format("name: sched_switch\nprint fmt: \"\"\n")
    with pytest.raises(ssdpm.UnknownValueError):
        observation.set_format('name: block_rq_issue\nprint fmt: ""\n')


def test_admin_commands_are_counted_by_controller(model: ssdpm.Model) -> None:
    observation = observe.Observation()
    observation.add_drive(model, "259:0", ctrl_id=3)
    observation.add_drive(model, "259:1")
    for number in (3, 4):
        observation.feed(
            line("smartctl-7", 1, f"nvme_setup_cmd: nvme{number}: qid=0, cmdid=1, x")
        )
    observation.finish()
    assert [drive.n_admin for drive in observation.drives] == [1, None]
    assert observation.causes(0)[0].n_admin == 1 and len(observation.causes(1)) == 0
    assert observation.drives[0].phase is None
    assert repr(observation) == "<ssdpm.observe.Observation of 2 drives>"


def test_admin_commands_that_the_kernel_does_not_tell_are_none(model: ssdpm.Model) -> None:
    """A text with the formats of requests has those of all events that there are."""
    observation = observe.Observation()
    observation.add_drive(model, "259:0", ctrl_id=3)
    observation.add_drive(model, "259:1")
    prints = '"%d,%d %s %llu + %u", REC->dev, REC->dev, REC->rwbs, REC->sector'
    for name in ("block_rq_issue", "block_rq_complete"):
        observation.set_format(f"name: {name}\nprint fmt: {prints}, REC->nr_sector\n")
    assert [drive.n_admin for drive in observation.drives] == [None, None]


def test_a_name_may_be_any_bytes(model: ssdpm.Model) -> None:
    text = read("caf\u00e9-1", 1, 8).encode("latin-1")
    observation = observe.Observation()
    observation.add_drive(model, "259:0")
    for i in range(len(text)):
        observation.feed(memoryview(text)[i : i + 1])
    observation.finish()
    assert observation.causes(0)[0].name.startswith("caf")
    str(observation.causes(0)[0])


@pytest.mark.parametrize("device", ["259", "259,0", "4294967296:0", "a:b", ""])
def test_a_device_is_two_numbers(model: ssdpm.Model, device: str) -> None:
    with pytest.raises(ssdpm.InvalidError, match="^device: a device number"):
        observe.Observation().add_drive(model, device)


def test_wrong_calls_are_refused(model: ssdpm.Model) -> None:
    observation = observed(model, read("a-1", 1, 8))
    with pytest.raises(ssdpm.BusyError):
        observation.add_drive(model, "8:0")
    with pytest.raises(ssdpm.InvalidError, match="finished"):
        observation.feed("x")
    with pytest.raises(ssdpm.NotFoundError):
        observation.causes(1)
    with pytest.raises(ssdpm.NotFoundError):
        observation.without(0, 1)
    other = observe.Observation()
    other.add_drive(model, "8:0")
    with pytest.raises(ssdpm.ExistsError):
        other.add_drive(model, "8:0")
    with pytest.raises(TypeError, match="unexpected keyword argument 'loop'"):
        other.add_drive(model, "8:1", loop="open")  # type: ignore[call-arg]


def test_threads_take_turns(model: ssdpm.Model) -> None:
    observation = observe.Observation()
    observation.add_drive(model, "259:0")
    text = "".join(read("a-1", 1 + i / 100, 8 * i) for i in range(500))

    def look() -> None:
        for _ in range(50):
            (drive,) = observation.drives
            assert drive.n_ios <= 2000

    threads = [threading.Thread(target=look) for _ in range(3)]
    threads += [threading.Thread(target=observation.feed, args=(text,))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    observation.finish()
    assert observation.drives[0].n_ios == 500


def test_intervals_follow_each_other_and_are_all_the_time(model: ssdpm.Model) -> None:
    observation = observed(model, "".join(read("a-1", 1 + 3 * i, 8) for i in range(9)))
    (drive,) = observation.drives
    intervals = observation.intervals()
    assert intervals[0].start_ns == drive.start_ns
    assert intervals[-1].end_ns == drive.now_ns
    for one, following in zip(intervals, intervals[1:]):
        assert one.end_ns == following.start_ns
        assert (one.phase, one.state) != (following.phase, following.state)
    times = intervals.to_dataframe()
    spent = (times.end_ns - times.start_ns).groupby(times.phase).sum()
    assert spent["busy"] == drive.busy_ns
    assert spent["resident"] == drive.asleep_ns
    assert spent["entry"] + spent["exit"] == drive.transition_ns
    assert str(intervals[0]).startswith("busy PS0: ")
    assert intervals._repr_html_().count("<tr>") == len(intervals) + 1


def test_intervals_begin_with_the_first_io_that_is_kept(model: ssdpm.Model) -> None:
    observation = observe.Observation()
    observation.add_drive(model, "259:0")
    n = 32768 + 10
    for i in range(n):
        observation.feed(read("a-1", 1 + i / 1000, 8 * i))
    observation.finish()
    assert observation.drives[0].n_ios == n
    assert observation.intervals()[0].start_ns == 1_010_000_000


def test_the_json_has_what_the_values_have(model: ssdpm.Model) -> None:
    observation = observed(model, "".join(read(f"p{i % 3}-1", 1 + i, 8) for i in range(9)))
    (drive,) = observation.drives
    told = observation.to_dict(0, "nvme0")
    assert told["name"] == "nvme0" and observation.to_dict()["name"] == "drive0"
    for key in ("start_ns", "now_ns", "phase", "energy_nj", "resting_nj", "n_wakes"):
        assert told[key] == getattr(drive, key)
    for cause, one in zip(observation.causes(), told["causes"]):
        assert (cause.name, cause.energy_nj) == (one["name"], one["energy_nj"])
    with pytest.raises(ValueError, match="zero byte"):
        observation.to_json(0, "a\0b")
    with pytest.raises(ssdpm.NotFoundError):
        observation.to_json(1)


def test_causes_are_a_table(model: ssdpm.Model) -> None:
    observation = observed(model, read("a-1", 1, 8) + read("b-2", 5, 8))
    frame = observation.causes().to_dataframe()
    assert list(frame.name) == ["a", "b"]
    assert list(frame.n_ios) == [1, 1]
    assert "<td>a</td>" in observation.causes()._repr_html_()
    assert "<td>resident</td>" in observation._repr_html_()
    idle = observe.Observation()
    idle.add_drive(model, "259:0")
    assert list(idle.causes().to_dataframe().columns) == list(frame.columns)
    assert len(idle.intervals()) == 0 and str(idle.causes()) == "no I/O"


def test_the_likely_power_holds_the_nominal_one_of_the_same_time(
    model: ssdpm.Model,
) -> None:
    text = "".join(read("cat-1", 1 + i * 2.5, 8 * i) for i in range(20))
    observation = observed(model, text)
    (drive,) = observation.drives
    likely = observation.likely()
    assert likely is not None
    assert likely.duration_ns == drive.now_ns - drive.start_ns
    assert likely.nominal_uw == round(drive.energy_nj * 10**6 / likely.duration_ns)
    assert 0 < likely.low_uw < likely.median_uw < likely.high_uw
    told = observation.to_dict()["likely"]
    assert told == {key: getattr(likely, key) for key in told}
    assert "likely" in str(likely)


def test_without_an_io_nothing_is_likely(model: ssdpm.Model) -> None:
    observation = observed(model, "")
    assert observation.likely() is None
    assert observation.to_dict()["likely"] is None
    with pytest.raises(ssdpm.NotFoundError):
        observation.likely(1)


def test_intervals_are_all_that_is_observed(model: ssdpm.Model) -> None:
    observation = observe.Observation()
    observation.add_drive(model, "259:0", ctrl_id=0)
    told = [observation.next_interval(0, "nvme0")]
    for i in range(30):
        observation.feed(read(f"p{i % 3}-{i}", 1 + i * 2.5, 8 * i))
        observation.advance(int((2 + i * 2.5) * S))
        told.append(observation.next_interval(0, "nvme0"))
    observation.finish(80 * S)
    told.append(observation.next_interval(0, "nvme0"))
    (drive,) = observation.drives
    assert (told[0]["start_ns"], told[0]["now_ns"], told[0]["causes"]) == (0, 0, [])
    assert told[1]["start_ns"] == drive.start_ns and told[-1]["now_ns"] == 80 * S
    for before, after in zip(told[1:], told[2:]):
        assert before["now_ns"] == after["start_ns"]
    keys = ("busy_ns", "idle_ns", "asleep_ns", "transition_ns", "n_ios", "n_wakes", "bytes")
    for key in keys:
        assert sum(one[key] for one in told) == getattr(drive, key)
    for one in told:
        shares = sum(cause["energy_nj"] for cause in one["causes"])
        assert one["resting_nj"] + shares == one["energy_nj"]
    # Each interval loses less than 1 nJ.
    assert 0 <= drive.energy_nj - sum(one["energy_nj"] for one in told) <= len(told)
    assert [cause["name"] for cause in told[5]["causes"]] == ["p1"]


def test_a_gap_that_is_told_late_makes_no_interval_negative(model: ssdpm.Model) -> None:
    observation = observe.Observation()
    observation.add_drive(model, "259:0", ctrl_id=0)
    observation.feed(read("cat-1", 1, 8))
    observation.advance(20 * S)
    observation.next_interval()
    observation.feed(f"# gap: 259,0 {10 * S} {30 * S} 5\n")
    observation.advance(30 * S)
    told = observation.next_interval()
    assert told["uncovered_ns"] == 20 * S and told["n_uncovered_ios"] == 5
    assert told["asleep_ns"] == told["energy_nj"] == 0
