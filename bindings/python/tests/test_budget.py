# SPDX-License-Identifier: MIT
"""Power budgets: against trying everything, and against the command's model."""

from __future__ import annotations

import itertools
import json
import pickle
import random
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ssdpm
from made import State, identify
from ssdpm import Budget, BudgetItem
from test_plot import is_drawn, labels


def governed(product: str = "A governed drive") -> ssdpm.Model:
    """25, 20 and 10 W."""
    states = [State(max_power=watts * 100) for watts in (25, 20, 10)]
    return ssdpm.Model(identify(product=product, states=states))


def known(model: ssdpm.Model) -> tuple[ssdpm.Parameter, ...]:
    """2 GB/s at 25 W, 4 W at rest."""
    return ssdpm.parameters(
        model,
        idle_power_w={0: 4, 1: 4, 2: 4},
        active_power_w={"write": 25, "read": 10},
        bandwidth_bytes_per_second={"write": 2 * 10**9, "read": 28 * 10**8},
    )


def item(name: str, *pairs: tuple[int, int]) -> BudgetItem:
    """Pairs of 0.01 W and loss."""
    power = np.array([uw * 10_000 for uw, _ in pairs])
    loss = np.array([p[1] for p in pairs])
    return BudgetItem(name, np.array(range(len(pairs))), power, loss)


def least(items: list[BudgetItem], limit_uw: int) -> int | None:
    """The least loss by trying all choices; None: they do not fit."""
    losses = [
        sum(loss for _, loss in choice)
        for choice in itertools.product(
            *(
                [(int(p), int(q)) for p, q in zip(one.power_uw, one.loss)]
                for one in items
            )
        )
        if sum(power for power, _ in choice) <= limit_uw
    ]
    return min(losses, default=None)


def check(items: list[BudgetItem], found: Budget) -> None:
    limit = found.budget_uw - found.base_uw
    assert found.fits == (least(items, limit) is not None)
    chosen = [(int(i.power_uw[c]), int(i.loss[c])) for i, c in zip(items, found.choices)]
    assert sum(power for power, _ in chosen) == found.power_uw
    assert sum(loss for _, loss in chosen) == found.loss
    if found.fits:
        assert found.loss == least(items, limit)
        assert found.power_uw <= limit
        assert found.bound_loss is not None and found.bound_loss <= found.loss
    else:
        assert found.power_uw == sum(int(i.power_uw.min()) for i in items) > limit


def test_a_thousand_random_cases_are_those_of_trying_all_choices() -> None:
    dice = random.Random(7)
    n_fit = 0
    for _ in range(1000):
        items = [
            item(
                f"drive {n}",
                *(
                    (dice.randrange(1, 4000), dice.randrange(0, 10**9))
                    for _ in range(dice.randrange(1, 7))
                ),
            )
            for n in range(dice.randrange(1, 6))
        ]
        most = sum(int(one.power_uw.max()) for one in items)
        watts = dice.randrange(0, most // 10_000 + 2) / 100
        found = ssdpm.budget(items, watts)
        check(items, found)
        n_fit += found.fits
    assert 300 < n_fit < 1000


pairs = st.lists(
    st.tuples(st.integers(0, 3000), st.integers(0, 50)), min_size=1, max_size=5
)


@given(st.lists(pairs, min_size=1, max_size=5), st.integers(0, 12_000))
def test_losses_that_are_alike_and_powers_of_zero_are_solved_too(
    listed: list[list[tuple[int, int]]], hundredths: int
) -> None:
    items = [item(f"drive {n}", *some) for n, some in enumerate(listed)]
    check(items, ssdpm.budget(items, hundredths / 100))


@given(st.lists(pairs, min_size=1, max_size=4))
def test_each_point_of_the_frontier_is_the_answer_for_its_watts(
    listed: list[list[tuple[int, int]]],
) -> None:
    items = [item(f"drive {n}", *some) for n, some in enumerate(listed)]
    found = ssdpm.budget(items, 1000)
    powers = found.frontier_power_uw.astype(np.int64)
    losses = found.frontier_loss.astype(np.int64)
    assert np.all(np.diff(powers) > 0) and np.all(np.diff(losses) < 0)
    slopes = np.diff(losses) / np.diff(powers)
    assert np.all(np.diff(slopes) >= -1e-12)
    for power, loss in zip(powers, losses):
        one = ssdpm.budget(items, power / 1e6)
        assert (one.power_uw, one.loss) == (power, loss)
    # Between two points nothing is below the line.
    for i in range(len(powers) - 1):
        middle = int(powers[i] + powers[i + 1]) // 2
        line = losses[i] + slopes[i] * (middle - powers[i])
        assert ssdpm.budget(items, middle / 1e6).loss >= line - 1e-6


def test_a_cap_leaves_what_the_linear_model_says() -> None:
    model = governed()
    one = ssdpm.budget_item(model, parameters=known(model))
    assert one.bytes_per_s is not None
    assert one.bytes_per_s == pytest.approx([2e9, 16 / 21 * 2e9, 6 / 21 * 2e9])
    assert list(one.power_w) == [25, 20, 10]
    assert list(one.loss) == [0, 476190476, 1428571429]
    heavy = ssdpm.budget_item(model, parameters=known(model), weight=0.5)
    assert list(heavy.loss) == [0, 238095238, 714285715]


def test_reads_below_the_lowest_cap_lose_nothing() -> None:
    model = governed()
    for mix in ("read", {"read": 1.0}):
        one = ssdpm.budget_item(
            model, parameters=known(model), mix=mix, power="expected"
        )
        assert list(one.loss) == [0, 0, 0]
        assert list(one.power_w) == [10, 10, 10]


def test_p99_of_a_mix_is_that_of_its_writes() -> None:
    model = governed()
    mix = {"read": 0.9, "write": 0.1}
    powers = [
        ssdpm.budget_item(model, parameters=known(model), mix=mix, power=word).power_w[0]
        for word in ssdpm.BUDGET_POWERS
    ]
    assert powers[0] == powers[2] == 25 and 10 < powers[1] < 25


def test_the_devices_of_a_card_share_one_state() -> None:
    model = governed()
    one = ssdpm.budget_item(model, parameters=known(model))
    card = ssdpm.budget_item([model, model], parameters=known(model), name="card")
    assert card.name == "card"
    assert list(card.power_uw) == list(2 * one.power_uw)
    found = ssdpm.budget([card, one], 50)
    assert list(found.states) in ([1, 2], [2, 0])
    check([card, one], found)


def test_a_workload_is_slowed_by_the_cap() -> None:
    model = governed()
    # Written one after the other, at full speed.
    records = np.zeros(2000, ssdpm.IO_DTYPE)
    records["start_ns"] = np.arange(2000) * 65_536
    records["service_ns"] = ssdpm.SERVICE_UNKNOWN
    records["op"] = ssdpm.OPS["write"]
    records["bytes"] = 131_072
    trace = records
    one = ssdpm.budget_item(model, parameters=known(model), trace=trace)
    assert one.bytes_per_s is not None
    assert one.loss[0] == 0 < one.loss[1] < one.loss[2]
    assert one.bytes_per_s[2] / one.bytes_per_s[0] == pytest.approx(6 / 21, rel=0.1)
    half = ssdpm.budget([model], 20, trace=iter([trace[:1000], trace[1000:]]))
    whole = ssdpm.budget([model], 20, trace=trace)
    assert half.loss == whole.loss


def test_weights_are_of_each_drive() -> None:
    drives = [governed("One"), governed("Two")]
    for heavy in (0, 1):
        weights = [1.0, 1.0]
        weights[heavy] = 2.5
        found = ssdpm.budget(drives, 35, weights=weights)
        assert found.states[heavy] == 0 and found.states[1 - heavy] == 2


def test_what_does_not_fit_says_by_how_much() -> None:
    found = ssdpm.budget([governed()] * 4, 100, base_watts=60.5)
    assert not found.fits and found.bound_loss is None and found.n_examined is None
    assert found.left_w == -0.5 and found.power_w == 40
    assert list(found.states) == [2] * 4
    assert found.n_fitting == 3
    assert "3 of 4 fit into 100 W at most: all take at least 0.5 W more" in repr(found)
    assert ssdpm.budget([governed()] * 4, 100.5, base_watts=60.5).fits
    assert not ssdpm.budget([governed()], 5, base_watts=6).fits


def test_many_drives_are_looked_at_and_solved_in_little_time() -> None:
    dice = random.Random(3)
    items = [
        item(f"drive {n}", *((3000 - 300 * s + dice.randrange(200), s * s * dice.randrange(10**8)) for s in range(8)))
        for n in range(500)
    ]  # fmt: skip
    found = ssdpm.budget(items, 9876.54)
    assert found.fits and found.bound_loss is not None
    assert found.loss - found.bound_loss < found.loss / 1000
    assert len(found.to_records()) == 500
    assert repr(found).endswith("  and 480 more>")


def test_results_are_frozen_and_print_well() -> None:
    found = ssdpm.budget([governed("<one>"), [governed("Two"), governed("Two")]], 60)
    with pytest.raises(FrozenInstanceError):
        found.fits = False  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        found.choices[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        found.items[0].loss[0] = 1
    assert repr(found).startswith("<ssdpm.Budget ")
    assert "<one>" not in found._repr_html_() and "Two + Two" in found._repr_html_()
    beside = ssdpm.budget([governed()], 13000.25, base_watts=12980.125)
    words = "<ssdpm.Budget 20 W beside 12980.125 W, 0.125 W of 13000.25 W left\n"
    assert repr(beside).startswith(words)
    rows = found.to_records()
    assert rows["power_uw"].sum() == found.power_uw
    assert repr(found.items[0]) == "<ssdpm.BudgetItem <one>: PS0 25 W, PS1 20 W, PS2 10 W>"


def test_the_frontier_is_drawn_with_the_budget_and_the_answer(tmp_path: Path) -> None:
    found = ssdpm.budget([governed()] * 5, 90, base_watts=10)
    ax = found.plot()
    assert labels(ax) == ["least loss (corners are reached)", "budget, 90 W", "chosen"]
    line, limit, answer = ax.lines
    assert np.array_equal(limit.get_xdata(), [90, 90])
    assert answer.get_xdata()[0] == pytest.approx(10 + found.power_w)  # type: ignore[index]
    assert len(line.get_xdata()) == len(found.frontier_loss)  # type: ignore[arg-type]
    is_drawn(ax, tmp_path / "budget.png")
    beyond = ssdpm.budget([item("one", (900, 5), (500, 7))], 2).plot()
    assert labels(beyond)[-1] == "lowest states: more than the budget"
    assert beyond.get_ylabel() == "loss"
    is_drawn(beyond, tmp_path / "beyond.png")


def test_wrong_arguments_are_said() -> None:
    model = governed()
    one = item("one", (900, 5))
    cases: list[tuple[type[Exception], str, object]] = [
        (TypeError, "a list of drives", lambda: ssdpm.budget(model, 9)),  # type: ignore[arg-type]
        (ssdpm.InvalidError, "drives: 1 to 65536, not 0", lambda: ssdpm.budget([], 9)),
        (TypeError, "watts: watts are needed", lambda: ssdpm.budget([one], "9")),  # type: ignore[arg-type]
        (ssdpm.InvalidError, "watts: -1 W is no power", lambda: ssdpm.budget([one], -1)),
        (ssdpm.InvalidError, "watts: nan W is no power", lambda: ssdpm.budget([one], float("nan"))),
        (ssdpm.InvalidError, "base_watts: inf W is no power", lambda: ssdpm.budget([one], 1, base_watts=float("inf"))),
        (ValueError, "'min' is none of", lambda: ssdpm.budget([one], 1, power="min")),
        (ValueError, "'trim' is none of", lambda: ssdpm.budget([one], 1, mix={"trim": 1.0})),
        (ssdpm.InvalidError, "do not come to 1", lambda: ssdpm.budget([one], 1, mix={"read": 0.5})),
        (ssdpm.RangeError, "shares of 0 to 1", lambda: ssdpm.budget([one], 1, mix={"read": 1.5, "write": -0.5})),
        (ValueError, "one of both", lambda: ssdpm.budget([one], 1, mix="read", trace=ssdpm.generate("lomax", n_ios=9))),
        (ssdpm.InvalidError, "1 of them for 2 drives", lambda: ssdpm.budget([model, model], 1, weights=[1])),
        (ssdpm.RangeError, "weights: -1.0 is not finite and at least 0", lambda: ssdpm.budget([model], 1, weights=[-1])),
        (ssdpm.RangeError, "weights: 0.0001 is finer than a thousandth", lambda: ssdpm.budget([model], 1, weights=[0.0001])),
        (ssdpm.RangeError, "its weight is too much", lambda: ssdpm.budget([model], 1, weights=[1e300])),
        (ssdpm.InvalidError, "is in its loss", lambda: ssdpm.budget([one], 1, weights=[2])),
        (ssdpm.InvalidError, "one device or more", lambda: ssdpm.budget([[]], 1)),
        (TypeError, "drives: an ssdpm.Model", lambda: ssdpm.budget([[one]], 1)),  # type: ignore[list-item]
        (ssdpm.InvalidError, "1 to 256 states", lambda: item("none")),
        (ssdpm.InvalidError, "arrays of one length", lambda: BudgetItem("x", np.array([0]), np.array([1, 2]), np.array([1, 2]))),
        (ssdpm.RangeError, r"power_uw\[0\]: -1", lambda: BudgetItem("x", np.array([0]), np.array([-1]), np.array([0]))),
        (TypeError, r"loss\[0\]: an integer", lambda: BudgetItem("x", np.array([0]), np.array([1]), np.array([0.5]))),
    ]  # fmt: skip
    for error, words, call in cases:
        with pytest.raises(error, match=words):
            call()  # type: ignore[operator]


def test_what_is_not_known_is_not_guessed() -> None:
    states = [State(max_power=2500), State(max_power=0)]
    silent = ssdpm.Model(identify(product="A silent drive", states=states))
    with pytest.raises(ssdpm.UnknownValueError, match="maximum power of PS1"):
        ssdpm.budget([silent], 9)


@pytest.mark.parametrize("power", ["expected", "p99"])
def test_no_state_is_counted_with_more_than_its_maximum(power: str) -> None:
    # In 0.0001 W: not of the grid that computed powers are rounded up to.
    states = [State(max_power=watts, scale=1) for watts in (61234, 53456, 40012)]
    odd = ssdpm.Model(identify(states=states))
    most = [6_123_400, 5_345_600, 4_001_200]
    for mix in ("write", "read", {"read": 0.5, "write": 0.5}):
        found = ssdpm.budget_item(odd, power=power, mix=mix)
        assert np.all(found.power_uw <= most), mix
    assert list(ssdpm.budget_item(odd, power=power).power_uw[1:]) == most[1:]


def test_items_have_work_of_their_own() -> None:
    drive = governed()
    reader = ssdpm.budget_item(drive, mix="read", parameters=known(drive))
    writer = ssdpm.budget_item(drive, mix="write", parameters=known(drive))
    found = ssdpm.budget([reader, writer], 35)
    # Reads take 10 W: their cap costs nothing.
    assert list(found.states) == [2, 0] and found.loss == 0 and found.exact


def test_json_has_drives_and_numbers_of_the_caller() -> None:
    drive = governed()
    one = ssdpm.budget_item(drive, name="a", mix="read", weight=2.5)
    found = ssdpm.budget([one, drive, item("mine", (900, 5))], 60, mix={"write": 1})
    told = json.loads(found.to_json())
    assert told["schema"] == "ssdpm.budget/1" and told["commands"] == []
    assert told["power"] is None and told["loss"] == found.loss
    assert told["mix"] == {"read_ppm": 0, "write_ppm": 10**6, "io_bytes": 131072}
    names = [one["devices"][0]["drive"] for one in told["items"]]
    assert names == ["a", None, "mine"]
    assert [i["state"] for i in told["items"]] == [int(s) for s in found.states]
    assert [i["weight_thousandths"] for i in told["items"]] == [2500, 1000, 1000]
    assert told["items"][2]["states"][0]["bytes_per_s"]["nominal"] is None
    assert pickle.loads(pickle.dumps(found)).to_json() == found.to_json()


def test_a_pickle_of_an_item_has_its_numbers() -> None:
    one = pickle.loads(pickle.dumps(ssdpm.budget_item(governed(), name="a")))
    found = ssdpm.budget([one, one], 35)
    assert found.loss == ssdpm.budget([governed()] * 2, 35).loss


def test_thousands_of_choices_that_are_alike_are_not_called_exact() -> None:
    dice = random.Random(1)
    states = np.arange(32, dtype=np.uint32)
    items = []
    for n in range(200):
        steps = np.cumsum([dice.randrange(1, 10**6) for _ in range(32)])
        noise = np.array([dice.randrange(1000) for _ in range(32)])
        items.append(
            BudgetItem(
                f"drive {n}", states, 5 * 10**7 - steps, steps * 1000 + noise
            )
        )
    found = ssdpm.budget(items, 8000)
    assert found.fits and not found.exact
    assert found.bound_loss is not None
    assert 0 <= found.loss - found.bound_loss < found.loss / 10**5
    assert "perhaps not the least" in repr(found)
    assert found.power_w <= 8000
