# SPDX-License-Identifier: MIT
"""Every plot draws, where it is told to, what the numbers say."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib
import numpy as np
import pytest

import ssdpm
from made import MS, records
from ssdpm import Trace
from test_measure import PUBLISHED, published_suite
from truth import case

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes


@pytest.fixture(autouse=True)
def no_open_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


@pytest.fixture
def trace() -> Trace:
    return ssdpm.generate(
        "lomax", seed=3, n_ios=200, mean_idle_ns=300 * MS, service_ns=100_000
    )


def labels(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    return [text.get_text() for text in legend.get_texts()] if legend else []


def is_drawn(ax: Axes, path: Path) -> None:
    """Nothing lies outside the picture, and there is one."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.savefig(path)
    assert path.stat().st_size > 5000
    box = ax.get_tightbbox()
    assert box is not None
    width, height = figure.get_figwidth() * 100, figure.get_figheight() * 100
    assert box.x0 >= -1 and box.y0 >= -1
    assert box.x1 <= width + 1 and box.y1 <= height + 1


def test_a_trace_shows_its_idle_times(trace: Trace, tmp_path: Path) -> None:
    ax = trace.plot()
    stats = trace.stats()
    assert ax.get_title().startswith(f"{stats.n_gaps} idle times, ")
    heights = [bar.get_height() for bar in ax.patches]  # type: ignore[attr-defined]
    assert sum(heights) == pytest.approx(100)
    [line] = ax.lines
    assert line.get_ydata()[0] == pytest.approx(100)  # type: ignore[index]
    assert line.get_ydata()[-1] == 0  # type: ignore[index]
    is_drawn(ax, tmp_path / "trace.png")


def test_residency_shows_each_state(
    model: ssdpm.Model, trace: Trace, tmp_path: Path
) -> None:
    estimate = ssdpm.estimate(model, trace)
    ax = estimate.plot()
    assert labels(ax) == ["busy", "PS0", "PS3", "PS4", "entry, exit"]
    widths = [bar.get_width() for bar in ax.patches]  # type: ignore[attr-defined]
    assert sum(widths[::2]) == pytest.approx(100)
    assert sum(widths[1::2]) == pytest.approx(100)
    run = estimate.nominal
    assert widths[1] == pytest.approx(100 * run.busy_ns / run.duration_ns)
    is_drawn(ax, tmp_path / "residency.png")


def test_a_timeline_shows_changes_or_power(
    model: ssdpm.Model, trace: Trace, tmp_path: Path
) -> None:
    ax = ssdpm.estimate(model, trace, changes=True).plot("timeline")
    lanes = [text.get_text() for text in ax.get_yticklabels()]
    assert lanes == ["busy", "PS0", "PS3", "PS4"]
    is_drawn(ax, tmp_path / "timeline.png")
    ax = ssdpm.estimate(model, trace, interval_ns=10**9).plot("timeline")
    assert ax.get_ylabel() == "mean power (W)"
    is_drawn(ax, tmp_path / "power.png")
    with pytest.raises(ValueError, match=r"needs ssdpm.estimate\(..., changes=True\)"):
        ssdpm.estimate(model, trace).plot("timeline")


def test_delays_show_how_many_wait_how_long(
    model: ssdpm.Model, trace: Trace, tmp_path: Path
) -> None:
    estimate = ssdpm.estimate(model, trace)
    ax = estimate.plot("delays")
    assert ax.get_title() == f"{estimate.nominal.n_delayed} of 200 I/Os delayed"
    is_drawn(ax, tmp_path / "delays.png")


def test_a_comparison_shows_all_policies_and_the_frontier(
    model: ssdpm.Model, trace: Trace, tmp_path: Path
) -> None:
    comparison = ssdpm.compare(model, trace)
    ax = comparison.plot()
    shown = {label.replace("\n", " ") for label in labels(ax)}
    assert shown == {", ".join(p.names) for p in comparison} | {"frontier (nominal)"}
    is_drawn(ax, tmp_path / "comparison.png")


def test_plots_go_where_they_are_told(model: ssdpm.Model, trace: Trace) -> None:
    estimate = ssdpm.estimate(model, trace, changes=True)
    figure, axes = pyplot.subplots(5)
    assert trace.plot(axes[0]) is axes[0]
    assert estimate.plot(ax=axes[1]) is axes[1]
    assert estimate.plot("timeline", axes[2]) is axes[2]
    assert estimate.plot("delays", axes[3]) is axes[3]
    assert ssdpm.compare(model, trace, ["linux"]).plot(axes[4]) is axes[4]
    assert pyplot.get_fignums() == [figure.number]
    with pytest.raises(ValueError, match=r"^kind: 'pie' is none of 'residency', "):
        estimate.plot("pie")


def test_nothing_to_show_is_no_error(model: ssdpm.Model, tmp_path: Path) -> None:
    busy = Trace.from_records(records(1, service_ns=0))
    estimate = ssdpm.estimate(model, busy, changes=True, interval_ns=1)
    power = ssdpm.estimate(model, busy, interval_ns=1)
    for ax in (
        busy.plot(),
        estimate.plot(),
        estimate.plot("timeline"),
        power.plot("timeline"),
        estimate.plot("delays"),
        ssdpm.compare(model, busy).plot(),
    ):
        is_drawn(ax, tmp_path / "empty.png")


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import ssdpm\n"
        "trace = ssdpm.generate('poisson', n_ios=10)\n"
        "try: trace.plot()\n"
        "except ImportError as error: print(error)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "plot() needs matplotlib: pip install ssdpm[plot]\n"


def test_a_signal_shows_its_runs_and_its_baseline(tmp_path: Path) -> None:
    one = case(5)
    signal = ssdpm.measure.Signal(one.power_w, rate_hz=1000)
    idle = ssdpm.measure.baseline(signal)
    assert abs(idle.level_w / one.baseline_w - 1) < 0.01
    runs = ssdpm.measure.activity(signal, idle)
    ax = runs.plot()
    assert ax.get_title().startswith("3 runs, ")
    assert ax.get_ylabel() == "power (mW)"
    assert labels(ax)[:2] == ["samples", "runs (3)"]
    assert labels(ax)[2].startswith(f"baseline {idle.level_w * 1e3:.4g} mW")
    # Fewer points than samples, and no peak is lost.
    drawn = np.asarray(ax.lines[0].get_ydata())
    assert len(drawn) < len(signal) and drawn.max() == one.power_w.max() * 1e3
    is_drawn(ax, tmp_path / "runs.png")


def test_a_signal_without_runs_is_drawn_too(tmp_path: Path) -> None:
    power = [1.0, 1.1, 0.9, 1.0, float("nan")]
    signal = ssdpm.measure.Signal(power, times=[2**60 + n for n in range(5)])
    idle = ssdpm.measure.baseline(signal, method="window")
    ax = ssdpm.measure.activity(signal, idle).plot()
    assert ax.get_xlabel() == f"time since {2**60} ns (s)"
    assert labels(ax)[0] == "samples" and ax.get_ylabel() == "power (W)"
    is_drawn(ax, tmp_path / "none.png")


def test_a_matrix_shows_each_class_once_or_for_each_pattern(tmp_path: Path) -> None:
    matrix = ssdpm.measure.classify_suite(published_suite())
    ax = matrix.plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == list(PUBLISHED)
    shown = [text.get_text() for text in ax.texts]
    cells = [cell for row in PUBLISHED.values() for cell in row]
    assert shown == " / ".join(cells).split(" / ")
    assert labels(ax)[0] == "none" and len(labels(ax)) == 5
    is_drawn(ax, tmp_path / "matrix.png")
    assert ssdpm.measure.classify_suite({}).plot().texts[0].get_text() == "no experiments"


def size_runs() -> list[ssdpm.measure.SizeRun]:
    return [
        ssdpm.measure.SizeRun(2**k, time_s * factor, 2 * time_s * factor, pattern)
        for k in range(9, 19)
        for pattern, time_s in (("SW", 2.0 ** (k - 9)), ("RW", 5.0 + 2.0 ** (k - 9)))
        for factor in (1.0, 1.02, 0.5)
    ]


def test_time_and_energy_stand_side_by_side(tmp_path: Path) -> None:
    profile = ssdpm.measure.size_profile(size_runs())
    left, right = profile.plot()
    for ax, name in ((left, "time_s"), (right, "energy_j")):
        drawn = {tuple(np.asarray(line.get_ydata()).tolist()) for line in ax.lines}
        for pattern in ("SW", "RW"):
            levels = [one for one in profile.levels if one.pattern == pattern]
            assert tuple(getattr(one, name) for one in levels) in drawn
        ticks = [text.get_text() for text in ax.get_xticklabels()]
        assert ticks[0] == "512 B" and "8 KiB" in ticks
        is_drawn(ax, tmp_path / "sizes.png")
    assert left.get_ylabel() == "time (s)" and right.get_ylabel() == "energy (J)"
    assert labels(right) == ["SW", "RW"]
    empty = ssdpm.measure.size_profile([]).plot()
    assert [ax.texts[0].get_text() for ax in empty] == ["no runs", "no runs"]


def test_a_data_sheet_stands_beside_what_was_measured(tmp_path: Path) -> None:
    runs = [
        ssdpm.measure.DatasheetRun("Memoright", 2.5, 60.0, 62.0),
        ssdpm.measure.DatasheetRun("X25-E", 2.4, 30.0, 27.0),
    ]
    ax = ssdpm.measure.against_datasheet(runs).plot()
    heights = [bar.get_height() for bar in ax.patches]  # type: ignore[attr-defined]
    assert heights == [150.0, 72.0, 62.0, 27.0]
    assert [text.get_text() for text in ax.texts] == ["2.4 times", "2.7 times"]
    assert labels(ax) == ["data sheet x time", "measured"]
    is_drawn(ax, tmp_path / "datasheet.png")
    none = ssdpm.measure.against_datasheet([]).plot()
    assert none.texts[0].get_text() == "no runs"


def test_a_curve_of_proportionality_has_both_ends(tmp_path: Path) -> None:
    curve = ssdpm.measure.proportionality_curve([0, 1, 2], [0.5, 0.6, 0.8])
    ax = curve.plot()
    assert ax.get_title() == f"proportionality index {curve.index:.2f}"
    assert ax.get_ylabel() == "power (mW)"
    drawn = [np.asarray(line.get_ydata()).tolist() for line in ax.lines]
    assert drawn == [[500.0, 600.0, 800.0], [0, 800.0], [800.0, 800.0]]
    assert labels(ax) == ["measured", "in proportion", "no change"]
    is_drawn(ax, tmp_path / "curve.png")
