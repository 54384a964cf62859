# SPDX-License-Identifier: MIT
"""ssdpm.measure.survey: schedules, runs, what they tell, and what they refuse to tell."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
from collections import Counter
from pathlib import Path

import matplotlib
import numpy as np
import numpy.typing as npt
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ssdpm
from ssdpm.measure import survey
from ssdpm.measure.survey import Result, Run, Stated
from test_plot import is_drawn
from truth import correlated

matplotlib.use("Agg")

from matplotlib import pyplot

S = 10**9
POLICIES = ("max_performance", "medium_power", "min_power", "med_power_with_dipm")


def readings(seed: int, level_w: float, rho: float = 0.9) -> npt.NDArray[np.float64]:
    noise = correlated(np.random.default_rng(seed), 300, rho)
    values: npt.NDArray[np.float64] = level_w + 0.1 * noise
    return values


def runs_of(levels: dict[str, float], n_blocks: int = 5, seed: int = 1) -> list[Run]:
    rng = np.random.default_rng(seed)
    plan = survey.schedule(levels, n_blocks=n_blocks, seed=seed)
    return [
        Run(s.policy, s.scenario, s.block, levels[s.policy] + rng.normal(0.0, 0.02))
        for s in plan
    ]


names = st.lists(st.text("abcdef", min_size=1), min_size=2, max_size=16, unique=True)


@given(names, names, st.integers(1, 7), st.integers(0, 2**64 - 1))
def test_a_block_has_each_policy_once_in_each_scenario(
    policies: list[str], scenarios: list[str], n_blocks: int, seed: int
) -> None:
    plan = survey.schedule(policies, scenarios, n_blocks=n_blocks, seed=seed)
    assert plan == survey.schedule(policies, scenarios, n_blocks=n_blocks, seed=seed)
    wanted = Counter(
        (b, s, p) for b in range(n_blocks) for s in scenarios for p in policies
    )
    assert Counter((s.block, s.scenario, s.policy) for s in plan) == wanted
    for number, step in enumerate(plan):
        assert step.begin_ns == number * 1500 * S
        assert step.measure_ns == step.begin_ns + 600 * S
        assert step.end_ns == step.begin_ns + 1500 * S
        assert step.n_samples == 300
    assert plan.total_ns == len(plan) * 1500 * S
    # A scenario is run to its end in a block before the next one.
    for at in range(0, len(plan), len(policies)):
        together = plan[at : at + len(policies)]
        assert len({(s.block, s.scenario) for s in together}) == 1


def test_a_schedule_is_refused_where_it_is_none() -> None:
    with pytest.raises(ssdpm.InvalidError, match="2 to 16 policies"):
        survey.schedule(["one"])
    with pytest.raises(ValueError, match="policies: 'a' is there more than once"):
        survey.schedule(["a", "a"])
    with pytest.raises(ssdpm.InvalidError, match="2 to 16 policies"):
        survey.schedule("ab")
    with pytest.raises(TypeError, match="policies: a list of names is needed, not int"):
        survey.schedule(5)  # type: ignore[arg-type]
    with pytest.raises(ssdpm.InvalidError, match="2 to 2\\^32 readings"):
        survey.schedule(["a", "b"], duration_ns=S)
    # C has a default there, which is not what 0 says.
    with pytest.raises(ssdpm.RangeError, match="settle_ns: 0 is not in 1 to"):
        survey.schedule(["a", "b"], settle_ns=0)


def test_the_mean_of_a_run_has_an_error_that_respects_correlation() -> None:
    covered = 0
    for seed in range(300):
        found = survey.summarise(readings(seed, 5.0), rate_hz=1 / 3)
        covered += found.low_w <= 5.0 <= found.high_w
        assert found.n == 300 and found.covered_ns == 900 * S
    # 0.95 +- 3 standard errors of 300 such intervals, and 0.01 for short runs.
    assert 0.90 <= covered / 300 <= 0.99
    white = survey.summarise(readings(7, 5.0, 0.0), rate_hz=1 / 3)
    assert white.n_effective > 150
    assert survey.summarise(readings(7, 5.0), rate_hz=1 / 3).n_effective < 60


def test_a_rise_after_settling_is_told_and_left_out() -> None:
    power = readings(3, 5.0, 0.0)
    power[:60] -= 0.5
    found = survey.summarise(power, rate_hz=1 / 3)
    assert found.trend == survey.Trend.RISE
    assert 30 <= found.n_left_out <= 120 and found.trend_w > 0.2
    assert abs(found.settled_mean_w - 5) < abs(found.mean_w - 5)
    assert "; a rise in the first " in str(found)
    step = survey.schedule(["a", "b"])[0]
    assert Run.from_summary(step, found).mean_w == found.settled_mean_w
    assert Run.from_summary(step, found, settled=False).mean_w == found.mean_w


def test_a_run_that_tells_no_noise_is_refused() -> None:
    with pytest.raises(ssdpm.UnknownValueError, match="30 are needed"):
        survey.summarise(readings(1, 5.0)[:29], rate_hz=1)
    with pytest.raises(ssdpm.UnknownValueError, match="is the source updated"):
        survey.summarise(np.ones(100), rate_hz=1)


@given(st.floats(0, 60))
def test_the_range_of_two_is_a_difference(q: float) -> None:
    # One degree of freedom: Cauchy's distribution; many: the normal one.
    t = q / math.sqrt(2)
    cauchy = 1 - 2 / math.pi * math.atan(t)
    assert survey.range_p(q, 2, 1) == pytest.approx(cauchy, abs=2e-9)
    assert survey.range_p(q, 2, 1e9) == pytest.approx(
        math.erfc(t / math.sqrt(2)), abs=2e-9
    )


@pytest.mark.parametrize(
    ("k", "df", "q"),
    # Harter (1960), 5 %.
    [(3, 10, 3.877), (4, 16, 4.046), (10, 20, 5.008), (5, 5, 5.673), (20, 60, 5.241)],
)
def test_the_range_is_that_of_the_tables(k: int, df: int, q: float) -> None:
    assert survey.range_q(0.05, k, df) == pytest.approx(q, abs=6e-4)


@given(st.floats(1e-5, 0.999), st.integers(2, 100), st.floats(1, 1e4))
@settings(max_examples=15)
def test_a_range_and_its_probability_are_inverse(p: float, k: int, df: float) -> None:
    assert survey.range_p(survey.range_q(p, k, df), k, df) == pytest.approx(p, abs=1e-8)


def test_policies_that_differ_are_told_apart_and_others_are_not() -> None:
    levels = dict(zip(POLICIES, (5.2, 5.0, 4.1, 4.1)))
    runs = runs_of(levels)
    found = survey.analyse(runs, policies=POLICIES)
    assert found.policies == POLICIES and found.n_different == 5
    pairs = {(d.policy, d.other_policy): d for d in found.differences}
    assert len(pairs) == 6
    assert not pairs["min_power", "med_power_with_dipm"].different
    assert pairs["max_performance", "min_power"].difference_w == pytest.approx(1.1, 0.05)
    for mean in found.means:
        mine = [run.mean_w for run in runs if run.policy == mean.policy]
        assert mean.mean_w == pytest.approx(np.mean(mine))
        assert mean.share == pytest.approx(mean.mean_w / found.system_w)
    assert repr(found) == (
        "<ssdpm.measure.survey.Analysis idle: 20 runs of 4 policies in 5 blocks, 5 of "
        "6 pairs differ>"
    )
    assert "<td>max_performance</td>" in found._repr_html_()


def test_an_analysis_is_the_analysis_of_variance_of_numpy() -> None:
    levels = {"a": 1.0, "b": 1.01, "c": 1.02}
    runs = runs_of(levels, 6)
    table = np.array(
        [
            [next(r.mean_w for r in runs if (r.policy, r.block) == (p, b)) for p in "abc"]
            for b in range(6)
        ]
    )
    rest = table - table.mean(0) - table.mean(1)[:, None] + table.mean()
    sigma = math.sqrt((rest**2).sum() / 10)
    found = survey.analyse(runs, policies="a b c".split())
    assert found.df == 10 and found.sigma_w == pytest.approx(sigma)
    for one in found.differences:
        q = abs(one.difference_w) / (sigma / math.sqrt(6))
        assert one.p == pytest.approx(survey.range_p(q, 3, 10), abs=1e-8)
        assert one.different == (one.p < 0.05) == (q > found.critical_q)
        half = found.critical_q * sigma / math.sqrt(6)
        assert one.high_w - one.low_w == pytest.approx(2 * half)


def test_runs_may_stand_in_a_frame_of_pandas() -> None:
    runs = runs_of({"a": 1.0, "b": 2.0})
    frame = pandas.DataFrame([vars(run) for run in runs])
    assert survey.analyse(frame) == survey.analyse(runs)
    assert survey.analyse(frame.drop(columns="scenario")) == survey.analyse(runs)
    with pytest.raises(ValueError, match="runs: there is no column 'block'"):
        survey.analyse(frame.drop(columns="block"))


def test_scenarios_share_the_error_rate() -> None:
    runs = runs_of({"a": 1.0, "b": 2.0})
    other = [Run(r.policy, "sync", r.block, r.mean_w) for r in runs]
    with pytest.raises(ValueError, match="scenario: which one of 'idle', 'sync'"):
        survey.analyse(runs + other)
    both = survey.analyse(runs + other, "sync")
    assert both.n_runs == 10 and both.runs == tuple(other)
    assert both.critical_q > survey.analyse(runs).critical_q
    assert both.critical_q == survey.analyse(runs, n_scenarios=2).critical_q
    with pytest.raises(ValueError, match="'async' is none of 'idle', 'sync'"):
        survey.analyse(runs + other, "async")


def test_what_cannot_be_compared_is_said_by_name() -> None:
    runs = runs_of({"a": 1.0, "b": 2.0}, 2)
    with pytest.raises(ssdpm.UnknownValueError) as caught:
        survey.analyse(runs, policies=["b", "a"])
    assert "3 or more are needed" in str(caught.value)
    assert str(caught.value).endswith("(policy 0 is 'b', 1 is 'a')")
    with pytest.raises(ssdpm.InvalidError, match="has been run in block 0"):
        survey.analyse(runs + runs)
    with pytest.raises(ValueError, match="policies: 2 or more are compared"):
        survey.analyse([run for run in runs if run.policy == "a"])
    with pytest.raises(ssdpm.RangeError, match="mean_w: nan is not finite"):
        survey.analyse([Run("a", "idle", 0, math.nan), *runs])
    with pytest.raises(TypeError, match="an ssdpm.Run is needed, not float"):
        survey.analyse([1.0])


def test_a_schedule_says_what_it_can_detect() -> None:
    plan = survey.schedule(POLICIES, n_blocks=5)
    summary = survey.summarise(readings(1, 5.0), rate_hz=1 / 3)
    least = survey.detectable(plan, summary)
    assert not least.between_known and math.isnan(least.power)
    assert "a difference of not less than " in str(least)
    analysis = survey.analyse(runs_of(dict.fromkeys(POLICIES, 5.0)))
    noise = survey.Noise.from_summary(summary, analysis)
    found = survey.detectable(plan, noise, difference_w=least.difference_w)
    assert found.between_known and 0 <= found.power_low <= found.power
    again = survey.detectable(plan, noise, difference_w=found.difference_w)
    assert again.power == pytest.approx(0.8, abs=1e-6)
    assert "found in 80 of 100 surveys; the one that was asked for in 80" in str(again)
    more = survey.detectable(survey.schedule(POLICIES, n_blocks=20), noise)
    assert more.difference_w < found.difference_w
    with pytest.raises(ssdpm.UnknownValueError, match="3 or more do"):
        survey.detectable(survey.schedule(POLICIES, n_blocks=2), noise)
    with pytest.raises(ValueError, match="are known together"):
        survey.detectable(plan, survey.Noise(1.0, 10, S, run_sigma_w=1.0))


def test_a_published_table_is_judged_by_what_it_states() -> None:
    rows = {"one": Stated(55.51, 15.63), "other": Stated(57.04, 722.19)}
    found = survey.judge(rows)
    assert found.verdict == survey.Verdict.NOT_DECIDABLE
    assert found.missing == ("n", "between") and found.row is None
    assert str(found) == (
        "not decidable: how many runs each row is of and the variance between runs are "
        "missing"
    )
    known = {"one": Stated(55, 15, 1.0, 10), "other": Stated(60, 20, 2.0, 10)}
    different = survey.judge(known)
    assert different.verdict == "different" and different.p < 0.001
    assert {different.row, different.other_row} == {"one", "other"}
    alike = survey.judge([Stated(55, None, 5.0, 5), Stated(56, None, 5.0, 5)])
    assert alike.verdict == "not-shown" and alike.row == "0"
    assert "are not shown to differ (p " in str(alike)
    once = survey.judge([Stated(55, 5.0, 1.0, 1), Stated(56, 5.0, 1.0, 1)])
    assert once.missing == ("runs",)


def test_two_rows_are_judged_by_the_test_of_welch() -> None:
    one, other = Stated(10.0, None, 1.0, 6), Stated(12.0, None, 2.0, 9)
    a, b = 1.0**2 / 6, 2.0**2 / 9
    df = (a + b) ** 2 / (a**2 / 5 + b**2 / 8)
    q = 2.0 / math.sqrt((a + b) / 2)
    assert survey.judge([one, other]).p == pytest.approx(
        survey.range_p(q, 2, df), abs=1e-8
    )


def test_results_of_drives_are_merged_and_those_of_one_are_weighed() -> None:
    results = [
        Result("MX500", -1.0, 0.1, "a - b"),
        Result("M550", -0.8, 0.1, "a - b"),
        Result("Liteon", -0.9, 0.1, "a - b"),
        Result("Liteon", -0.9, 0.1, "a - b"),
        Result("Liteon", 7.0, 0.1, "other"),
    ]
    with pytest.raises(ValueError, match="policy: which one of 'a - b', 'other'"):
        survey.merge(results)
    found = survey.merge(results, "a - b")
    assert (found.n_results, found.n_drives) == (4, 3)
    assert found.mean_w == pytest.approx(-0.9)
    assert found.drive_low_w < found.low_w < found.mean_w < found.high_w
    assert str(found).startswith("a - b: -900 mW (")
    two = survey.merge(results[:2])
    assert math.isnan(two.drive_low_w) and "the next one" not in str(two)
    with pytest.raises(ssdpm.UnknownValueError, match="2 or more are needed to tell how"):
        survey.merge(results, "other")
    frame = pandas.DataFrame([vars(one) for one in results[:3]])
    assert survey.merge(frame) == survey.merge(results[:3])


def test_policies_that_are_merged_share_the_error() -> None:
    pairs = ["a - b", "c - b"]
    results = [Result(drive, -0.9, 0.1, pair) for pair in pairs for drive in "xyz"]
    both = survey.merge(results, "a - b")
    alone = survey.merge(results[:3], error_rate=0.025)
    assert (both.low_w, both.high_w) == (alone.low_w, alone.high_w)
    # Student's t with 2 degrees of freedom, of 2.5 %.
    assert (both.high_w - both.low_w) / 2 / both.se_w == pytest.approx(6.2053, rel=1e-4)
    with pytest.raises(ssdpm.InvalidError):
        survey.merge(results, "a - b", error_rate=3)


def test_a_difference_can_be_merged_as_it_is() -> None:
    pair = survey.analyse(runs_of({"a": 1.0, "b": 2.0}), policies=["a", "b"])
    one = Result.from_difference("MX500", pair.differences[0])
    assert one.policy == "a - b" and one.mean_w == pair.differences[0].difference_w


def test_an_analysis_shows_means_and_differences(tmp_path: Path) -> None:
    found = survey.analyse(runs_of(dict(zip(POLICIES, (0.52, 0.50, 0.41, 0.41)))))
    left, right = found.plot()
    assert [text.get_text() for text in left.get_yticklabels()] == list(found.policies)
    assert left.get_xlabel().startswith("mean power (mW)")
    pairs = [text.get_text() for text in right.get_yticklabels()]
    assert pairs == [f"{d.policy} -\n{d.other_policy}" for d in found.differences]
    assert right.get_title() == f"{found.n_different} of 6 pairs differ"
    is_drawn(left, tmp_path / "analysis.png")
    is_drawn(right, tmp_path / "analysis.png")
    _, axes = pyplot.subplots(1, 2)
    assert found.plot(axes) == (axes[0], axes[1])
    pyplot.close("all")


HEAD = """\
# ssdpm survey 1
# drive: Fixture SSD 256GB, FW 1.0
# drive: Other SSD
# policies: lpm=a;lpm=b
# interval_s: 3
# duration_s: 120
run,policy,scenario,block,time_s,power_w,latency_us,latency_sd_us,bytes_per_s
"""


def survey_file(*, rise_w: float = 0.0, seed: int = 5) -> str:
    """Six blocks of two policies, 40 readings each; run 13 is interrupted."""
    rng = np.random.default_rng(seed)
    lines = []
    for number in range(1, 14):
        policy, block = "ab"[number % 2], (number + 1) // 2
        for at in range(40 if number <= 12 else 7):
            power = (5.0 if policy == "a" else 4.0) + 0.05 * rng.standard_normal()
            power -= rise_w if at < 8 and policy == "a" else 0.0
            where = f"{number},lpm={policy},idle,{block},{600 + 3 * at}"
            lines.append(f"{where},{power:.4f},{80 + at},,\n")
    lines.append("14,lpm=a,fio:randread,1,,,137.86,44.33,29000000\n")
    return HEAD + "".join(lines)


def test_a_file_of_a_survey_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "survey.csv"
    path.write_text(survey_file())
    found = survey.read(path)
    assert found.policies == ("lpm=a", "lpm=b") and found.scenarios == ("idle",)
    assert found.get("drive") == ("Fixture SSD 256GB, FW 1.0", "Other SSD")
    assert (found.interval_ns, found.duration_ns) == (3 * S, 120 * S)
    assert found.n_blocks is None and found.settle_ns is None
    assert found.n_rows == 12 * 40 + 7 + 1 and found.n_cut == 0
    assert (found.count("complete"), found.count("incomplete")) == (12, 1)
    first, last = found.readings[0], found.readings[-1]
    assert (first.run, first.policy, first.block) == (1, "lpm=b", 0)
    assert first.time_ns is not None
    assert first.time_ns.tolist() == [(600 + 3 * at) * S for at in range(40)]
    assert first.latency_us.tolist() == [80.0 + at for at in range(40)]
    assert last.status == survey.RunStatus.INCOMPLETE and len(last) == 7
    (tested,) = found.fio
    assert (tested.test, tested.latency_us, tested.bytes_per_s) == (
        "randread",
        137.86,
        29e6,
    )
    assert survey.read(path.read_bytes()) == found
    with path.open("rb") as file:
        assert survey.read(file) == found
    assert repr(found) == (
        "<ssdpm.measure.survey.Survey Fixture SSD 256GB, FW 1.0; 12 complete runs, 1 "
        "incomplete, 1 of fio of 2 policies in idle>"
    )
    assert "<td>lpm=b</td>" in found._repr_html_()
    with pytest.raises(ValueError, match="read-only"):
        first.power_w[0] = 0


def test_a_survey_is_analysed_by_its_complete_runs() -> None:
    found = survey.read(survey_file().encode())
    runs = found.runs()
    assert len(runs) == 12
    for run, one in zip(runs, found.readings):
        assert run.mean_w == one.mean_w == pytest.approx(one.power_w.mean(), abs=0.05)
    analysis = found.analyse()
    assert analysis == survey.analyse(found.runs(), policies=found.policies)
    assert analysis.n_different == 1
    assert analysis.differences[0].difference_w == pytest.approx(1.0, abs=0.05)
    system = survey.read(survey_file().replace("# drive: O", "# system_w: 20\n# x: O").encode())
    assert system.analyse().system_w == 20
    assert system.analyse(system_power_w=10).system_w == 10


def test_a_rise_after_settling_does_not_count() -> None:
    found = survey.read(survey_file(rise_w=0.5).encode())
    assert found.analyse().differences[0].difference_w == pytest.approx(1.0, abs=0.05)
    whole = [one for one in found.readings if one.status == "complete"]
    rising = next(one for one in whole if one.summary().trend == survey.Trend.RISE)
    assert rising.mean_w == rising.summary().settled_mean_w > rising.power_w.mean()


def test_a_survey_says_which_policy_to_set_also_after_a_pickle() -> None:
    found = survey.read(survey_file().encode())
    advice = found.advise()
    assert (advice.kind, advice.scenario) == ("change", "idle")
    assert (advice.policy, advice.from_policy) == ("lpm=b", "lpm=a")
    again = pickle.loads(pickle.dumps(found))
    assert again.advise() == advice and again.analyse() == found.analyse()
    by_hand = dataclasses.replace(found, n_blocks=7)
    with pytest.raises(ssdpm.UnsupportedError, match="made by hand"):
        by_hand.analyse()


def test_a_policy_that_has_lost_data_is_marked_as_a_risk() -> None:
    text = survey_file()
    least = survey.read(text.replace("lpm=b", "lpm=min_power").encode())
    assert least.advise().policy == "lpm=min_power" and least.advise().risks_data
    assert json.loads(least.to_json())["recommendation"]["risks_data"] is True
    assert not survey.read(text.encode()).advise().risks_data


def test_surveys_of_two_drives_are_merged() -> None:
    other = survey_file(seed=6).replace("Fixture", "Second").encode()
    found = survey.merge_surveys([survey.read(survey_file().encode()), survey.read(other)])
    assert (found.n_surveys, found.n_drives) == (2, 2)
    power = next(one for one in found if one.quantity == "power")
    assert power.merged is not None and power.reason is None
    assert abs(power.merged.mean_w) == pytest.approx(1.0, abs=0.05)
    twice = survey.merge_surveys([survey.read(other)] * 2)
    assert twice.n_surveys == 1 and twice.surveys[1].reason is not None


def test_what_others_have_recorded_needs_a_policy_and_a_power() -> None:
    lines = [f"{p},{b},{5 + n / 100}\n" for p in "xy" for b in (1, 2, 3) for n in range(3)]
    found = survey.read(("policy,block,power_w\n" + "".join(lines)).encode())
    assert found.readings[0].run is None and found.readings[0].time_ns is None
    # Too few readings to tell their noise: their mean is what it is.
    assert found.readings[0].mean().mean_w == pytest.approx(5.01)
    with pytest.raises(ssdpm.UnknownValueError, match="30 are needed"):
        found.readings[0].summary()
    assert sorted(run.block for run in found.runs()) == [0, 0, 1, 1, 2, 2]


def test_policies_with_too_few_runs_are_left_out() -> None:
    text = "policy,block,power_w\n" + "".join(
        f"{p},{b},{w}\n"
        for p, n, w in (("x", 4, 5.0), ("y", 4, 6.0), ("z", 2, 7.0))
        for b, w in ((b, w + b * b / 100 + 0.001 * ord(p) * (b % 2)) for b in range(1, n + 1))
    )
    found = survey.read(text.encode())
    assert found.analyse().policies == ("x", "y")
    few = survey.read(b"policy,block,power_w\nx,1,5\ny,1,6\n")
    with pytest.raises(ssdpm.UnknownValueError, match="with runs in 3 blocks each"):
        few.analyse()


def test_a_file_that_is_no_survey_is_refused_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text(HEAD + "1,lpm=a,idle,1,600,watts,,,\n2,lpm=a,idle,1,1,5,,,\n")
    with pytest.raises(ssdpm.FormatError) as caught:
        survey.read(path)
    assert str(caught.value).startswith(f"{path}:8: ")
    with pytest.raises(ssdpm.Error):
        survey.read(b"nothing\n")
    with pytest.raises(FileNotFoundError):
        survey.read(tmp_path / "none.csv")
    with pytest.raises(TypeError, match="a path, an open file or bytes"):
        survey.read(5)  # type: ignore[arg-type]


def test_a_survey_shows_all_of_its_readings(tmp_path: Path) -> None:
    found = survey.read(survey_file().encode())
    ax = found.plot()
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        "lpm=a",
        "lpm=b",
        "mean of a run",
        "not counted",
    ]
    drawn = [np.asarray(line.get_ydata()) for line in ax.lines]
    assert sum(len(line) == 40 for line in drawn) == 12
    assert sum(len(line) == 7 for line in drawn) == 1
    is_drawn(ax, tmp_path / "survey.png")
    with pytest.raises(ValueError, match="scenario: 'sync' is none of 'idle'"):
        found.plot("sync")
    pyplot.close("all")
