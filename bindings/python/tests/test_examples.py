# SPDX-License-Identifier: MIT
"""The examples: twins in C and Python print the same, the large one adds up.

examples/reproduce: what was published, what ssdpm makes of it, and the README.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ssdpm

TOP = Path(__file__).parents[3]
DRIVE = TOP / "examples/drives/wd-blue-sn550.json"


# Machines of tests/captures for the examples that look at one.
MACHINES = {"apply": "laptop", "devices": "apst-empty"}


def run(*arguments: object) -> str:
    result = subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(
    "script",
    sorted((TOP / "examples/minimal").glob("*.py")),
    ids=lambda path: path.stem,
)
def test_an_example_prints_what_its_twin_in_c_prints(
    script: Path, machine: Callable[[str], Path]
) -> None:
    texts = (TOP / "tests/abi/examples.txt").read_text()
    twin = texts.split(f"== {script.stem.replace('_', '-')} ==\n")[1]
    name = MACHINES.get(script.stem)
    assert run(script, machine(name) if name else DRIVE) == twin.split("== ")[0]


def test_a_fleet_on_a_cluster_adds_up_to_its_estimates(tmp_path: Path) -> None:
    traces = [
        ssdpm.generate(
            "lomax", seed=n, n_ios=300, mean_idle_ns=300_000_000, service_ns=100_000
        )
        for n in (1, 2)
    ]
    for number, trace in enumerate(traces):
        trace.save(tmp_path / f"{number}.npy")
    drives = [ssdpm.Model(DRIVE), ssdpm.Model.catalogue("WDC PC SN530")]
    out = run(
        TOP / "examples/fleet.py", "--workers", 2, tmp_path, DRIVE, "WDC PC SN530"
    )
    lines = out.splitlines()
    assert len(lines) == 2
    for line, drive in zip(lines, drives):
        runs = [ssdpm.estimate(drive, trace).nominal for trace in traces]
        duration = sum(r.duration_ns for r in runs)
        power = sum(r.energy_nj for r in runs) * 1000 / duration
        delayed = sum(r.n_delayed for r in runs)
        delays = sum(r.delay_sum_ns for r in runs)
        assert line.startswith(f"{drive.product}: {power:.3f} mW (")
        assert f" {sum(r.n_wakes for r in runs)} wakes, " in line
        assert f" {delayed} of 600 I/Os delayed, {delays} ns in all, " in line
        counts = sum(ssdpm.estimate(drive, trace).delays.counts for trace in traces)
        bucket = np.searchsorted(np.cumsum(counts), 594)
        p99_ns = ssdpm.HISTOGRAM_STARTS_NS[bucket]
        assert p99_ns > 0 and f", p99 {p99_ns} ns or more, " in line
        assert line.endswith(f"max {max(r.delay_max_ns for r in runs)} ns")


SCRIPTS = TOP / "examples/reproduce"

YES, WITHIN, MISSED, FITTED = "reproduced", "within bounds", "missed", "fitted"
NOT_DERIVABLE, NOT_DECIDABLE = "not derivable", "not decidable"

# What the numbers gave when somebody last looked; report.py derives it.
VERDICTS = {
    "apst_patch": {
        "SN530, tables": YES,
        "SN530, power": WITHIN,
        "SN530, workflow 7, old": NOT_DERIVABLE,
        "SN530, workflow 7, new": FITTED,
        "760p, tables": YES,
        "760p, workflow 7, old": NOT_DERIVABLE,
        "760p, workflow 7, new": MISSED,
        "760p, workflow 7, new, measured latencies": FITTED,
        "PM991, tables": YES,
        "PM991, power": WITHIN,
        "BC511, tables": YES,
        "KBG40, tables": YES,
        "KBG40, power": NOT_DECIDABLE,
        "all, workflow 1": YES,
        "760p and PM991, background work": NOT_DECIDABLE,
    },
    "apst_catalogue": {"old rule": NOT_DECIDABLE, "old and new table": NOT_DECIDABLE},
    "stornvme": {"battery": YES, "Modern Standby": YES},
    "uflip": {
        "all, always too high": YES,
        "Memoright, data sheet": WITHIN,
        "MTron, data sheet": WITHIN,
        "X25-E 32 GB, data sheet": WITHIN,
        "X25-E 64 GB, data sheet": WITHIN,
        "all, idle": NOT_DERIVABLE,
        "Memoright, sequential against random writes": WITHIN,
        "all, background work": NOT_DERIVABLE,
    },
    "p3700_caps": {
        "sequential writes, 25 W": FITTED,
        "sequential writes, 20 W": MISSED,
        "sequential writes, 10 W": YES,
        "sequential writes, best line": MISSED,
        "sequential writes, none - 20 W - 10 W - none": MISSED,
        "sequential reads": YES,
        "4 KiB random reads": YES,
        "4 KiB random writes, 20 and 10 W": MISSED,
    },
    "sata_survey": {
        "MX500, fio": NOT_DECIDABLE,
        "M550, fio": NOT_DECIDABLE,
        "laptop, power": NOT_DECIDABLE,
    },
    "write_amplification": {
        "rho 0.3, FIFO": YES,
        "rho 0.3, Agarwal": YES,
        "rho 0.3, simulated": YES,
        "FIFO": YES,
        "greedy": YES,
        "25 % spare with parity": NOT_DECIDABLE,
    },
    "consistency": {
        "shape": YES,
        "840 Pro, 25 % spare": NOT_DECIDABLE,
        "M500, 25 % spare": YES,
        "M500 960 GB, floor": NOT_DERIVABLE,
        "m4, floor": NOT_DERIVABLE,
    },
    "readers_watts": {
        "840 Pro 128 GB": NOT_DERIVABLE,
        "840 Pro 256 GB": NOT_DERIVABLE,
        "840 Pro 512 GB": NOT_DERIVABLE,
        "WD Blue 500 GB": NOT_DERIVABLE,
        "WD Blue 1 TB": NOT_DERIVABLE,
        "WD Black 750 GB": NOT_DERIVABLE,
        "Seagate XT 750 GB": NOT_DERIVABLE,
    },
}


def reproduced(script: str, *arguments: str) -> str:
    return run(SCRIPTS / f"{script}.py", *arguments)


@pytest.fixture
def reproduce(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of a script, by its name."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module


def test_every_script_is_tested() -> None:
    # tests/corpus has what the last two read.
    helpers = {"report", "summary", "kept", "powersensor3", "sustained_write"}
    assert {path.stem for path in SCRIPTS.glob("*.py")} == set(VERDICTS) | helpers


@pytest.mark.parametrize("script", VERDICTS)
def test_what_was_published_gets_its_verdict(script: str) -> None:
    report = json.loads(reproduced(script, "--json"))
    assert {c["about"]: c["verdict"] for c in report["claims"]} == VERDICTS[script]
    assert report["source"] and report["inputs"]


def test_the_text_has_all_that_the_json_has() -> None:
    report = json.loads(reproduced("uflip", "--json"))
    text = reproduced("uflip")
    for claim in report["claims"]:
        assert f"{claim['about']}: {claim['verdict']}" in text
        for key in ("words", "place", "stands", "said", "why", "fitted"):
            assert claim[key] in text
    for row in report["rows"]:
        for cell in row:
            assert cell in text


def test_the_readmes_have_the_table_and_the_counts_that_the_scripts_give() -> None:
    text = reproduced("summary")
    assert (SCRIPTS / "README.md").read_text() == text
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    verdicts = [row[-1].split("**")[1] for row in rows if row[-1].startswith("**")]
    words = (YES, WITHIN, FITTED, MISSED, NOT_DERIVABLE, NOT_DECIDABLE)
    counts = ", ".join(f"{verdicts.count(word)} {word}" for word in words)
    line = f"{len(verdicts)} claims: {counts}."
    assert line in text.splitlines()
    assert line in (TOP / "README.md").read_text().splitlines()


def test_what_is_kept_of_powersensor3_says_which_run_it_is_of(reproduce: Any) -> None:
    kept = reproduce("kept").read()
    assert len(kept.date.split("-")) == 3 and len(kept.commit) == 12
    verdicts = {claim.about: claim.verdict for claim in kept.report.claims}
    assert verdicts["900 to 1199 s"] == MISSED


def test_the_patch_has_all_drives_on_all_workflows() -> None:
    rows = json.loads(reproduced("apst_patch", "--json"))["rows"]
    assert len(rows) == len({(drive, flow) for drive, flow, *_ in rows}) == 35


def test_the_tables_of_the_patch_are_those_of_linux(reproduce: Any) -> None:
    patch = reproduce("apst_patch")
    tables = {
        "WD SN530": ([(3, 745), (4, 2200)], [(3, 100), (4, 2000)]),
        "Intel 760p": ([(3, 200), (4, 700)], [(4, 100)]),
        "SK hynix BC511": ([(3, 100), (4, 500)], [(4, 100)]),
        "Samsung PM991": ([(3, 71), (4, 500)], [(4, 100)]),
        "Kioxia KBG40": ([(3, 100), (4, 1750)], [(3, 100), (4, 2000)]),
    }
    assert set(tables) == set(patch.DRIVES)
    for drive, (old, new) in tables.items():
        said = patch.times(ssdpm.Model.catalogue(patch.DRIVES[drive]))
        chains = (
            ", ".join(f"PS{state} after {ms} ms" for state, ms in chain)
            for chain in (old, new)
        )
        assert said == " -> ".join(chains)


@pytest.mark.parametrize("workflow", [3, 6, 7])
def test_the_corners_of_the_patch_lie_within_the_ranges_of_the_library(
    reproduce: Any, workflow: int
) -> None:
    """What the scripts try one by one is among what ssdpm.compare() allows."""
    patch = reproduce("apst_patch")
    for name in patch.DRIVES.values():
        model, io = ssdpm.Model.catalogue(name), patch.trace(workflow)
        policies = [patch.OLD, patch.NEW]
        compared = ssdpm.compare(model, io, policies)
        old, new = compared[patch.OLD].estimate, compared[patch.NEW]
        for parameters in patch.corners(model, ssdpm.parameters(model)):
            one = ssdpm.compare(model, io, policies, parameters=parameters)
            saving = one[patch.NEW].saving
            assert new.saving.low_nj <= saving.nominal_nj <= new.saving.high_nj
            power = one[patch.OLD].estimate.nominal.mean_power_uw
            assert old.low.mean_power_uw <= power <= old.high.mean_power_uw


def test_the_exit_of_the_760p_needs_a_measurement(reproduce: Any) -> None:
    patch = reproduce("apst_patch")
    model = ssdpm.Model.catalogue(patch.DRIVES["Intel 760p"])
    io = patch.trace(7, service_ns=2_000_000)
    latency = {
        exit_us: patch.latency_ms(
            ssdpm.estimate(
                model,
                io,
                parameters=ssdpm.parameters(model, exit_latency_us={"PS4": exit_us}),
            ).nominal
        )
        for exit_us in (8_000, 51_000)
    }
    assert round(latency[8_000]) == 10
    assert round(latency[51_000]) == 53


def test_numbers_of_the_data_sheets_are_too_high_by_at_most_so_much(
    reproduce: Any,
) -> None:
    bounds = [round(d.ratio().nominal, 2) for d in reproduce("uflip").DRIVES]
    assert bounds == [2.60, 2.73, 4.44, 4.56]


def test_spare_area_brings_what_the_formulas_say(reproduce: Any) -> None:
    """Of writes; the drive also reads what it moves, which makes it a little more."""
    script = reproduce("consistency")
    assert script.formula(0.25) == pytest.approx(3.325, abs=5e-4)
    for spare in (0.18, 0.25):
        assert 0.97 < script.gain(spare) / script.formula(spare) < 1.03


def test_any_watts_of_a_video_come_from_some_utilisation(reproduce: Any) -> None:
    for drive in reproduce("readers_watts").DRIVES:
        assert 0 < drive.share() < 1
        assert drive.simulated(drive.share()) == pytest.approx(drive.video_w, rel=1e-3)


def test_the_table_of_fio_would_be_decided_by_runs(reproduce: Any) -> None:
    """At what its last column says, and no longer at a little more."""
    script = reproduce("sata_survey")
    survey = ssdpm.measure.survey
    for drive in script.FIO:
        for test in range(len(script.TESTS)):
            assert survey.judge(script.stated(drive, test, None, None)).missing == (
                "n",
                "between",
            )
            between = script.between_at_most(drive, test)
            for factor, verdict in ((0.99, "different"), (1.01, "not-shown")):
                rows = script.stated(drive, test, factor * between, script.RUNS)
                assert survey.judge(rows).verdict == verdict


def test_the_best_line_through_the_caps_of_the_p3700_is_off_by_so_much(
    reproduce: Any,
) -> None:
    claim = reproduce("p3700_caps").by_line()
    assert claim.predicted == (
        "P = 4 W + 11.08 J/GB: 1.895 / 1.444 / 0.542 GB/s, -5 / +16 / -10 %"
    )


def test_runs_drawn_with_the_classes_of_uflip_give_its_matrix(reproduce: Any) -> None:
    uflip = reproduce("uflip")
    found = uflip.matrix()
    for name, cells in uflip.MATRIX.items():
        assert tuple(found[name, drive] for drive in uflip.MATRIX_DRIVES) == cells


def test_the_baseline_of_samples_drawn_as_uflip_has_them_is_theirs(
    reproduce: Any,
) -> None:
    for seed, drive in enumerate(reproduce("uflip").DRIVES):
        noise = np.random.default_rng(seed).standard_normal(100_000)
        baseline = ssdpm.measure.baseline(
            drive.idle_w + drive.deviation_w * noise, rate_hz=100_000, method="window"
        )
        assert round(baseline.level_w, 2) == drive.idle_w
        assert round(baseline.sigma_w, 2) == drive.deviation_w


@pytest.mark.parametrize(
    ("numbers", "published", "verdict"),
    [
        ((1.0, 2.04, 3.0), (2.0, 2.0, 0.05), YES),
        ((1.0, 2.06, 3.0), (2.0, 2.0, 0.05), WITHIN),
        ((2.06, 2.06, 3.0), (2.0, 2.0, 0.05), MISSED),
        ((1.0, 1.5, 1.9), (2.0, 2.0, 0.05), MISSED),
        ((8.1, 8.1, 51.3), (53.0, 53.0, 0.5), MISSED),
        ((1.52, 1.52, 2.0), (1.25, 1.25, 0.005), MISSED),
        ((1.0, None, 2.6), (2.0, 3.0, 0.0), WITHIN),
        ((2.1, None, 2.6), (2.0, 3.0, 0.0), YES),
        ((0.1, None, 1.9), (2.0, 3.0, 0.0), MISSED),
        ((0.5, 1.4, 9.0), (1.0, None, 0.0), YES),
        ((0.5, 0.9, 9.0), (1.0, None, 0.0), WITHIN),
        ((0.5, 0.9, 0.95), (1.0, None, 0.0), MISSED),
        ((0.5, 0.9, 0.95), (None, 0.9, 0.0), YES),
    ],
)
def test_a_verdict_follows_from_the_bounds(
    reproduce: Any,
    numbers: tuple[float, float | None, float],
    published: tuple[float | None, float | None, float],
    verdict: str,
) -> None:
    report = reproduce("report")
    low, high, tolerance = published
    number = report.Number(low, high, "", tolerance)
    assert report.Range(*numbers).verdict(number) == verdict


@pytest.fixture
def claim(reproduce: Any) -> Callable[..., Any]:
    """A row that is in order, but for what is given."""
    report = reproduce("report")
    row = {
        "about": "a drive",
        "place": "table 1",
        "stands": report.PUBLISHED,
        "words": "2 W",
        "published": [report.rounded(2.0, "W", 1)],
        "ours": [report.exact(2.0, "W")],
    }
    return lambda **more: report.Claim(**{**row, **more})


def test_the_verdict_of_a_claim_is_that_of_its_worst_number(
    reproduce: Any, claim: Callable[..., Any]
) -> None:
    report = reproduce("report")
    two = [report.rounded(2.0, "W", 1)] * 2
    ours = [report.exact(2.0, "W"), report.exact(3.0, "W")]
    assert claim().verdict == YES
    assert claim(fitted="the watts").verdict == FITTED
    assert claim(published=two, ours=ours, why="x").verdict == MISSED
    assert claim(published=two, ours=ours, why="x", fitted="both").verdict == MISSED
    assert claim(ours=[], said="nothing", why="x").verdict == NOT_DERIVABLE
    assert claim(published=[], why="x").verdict == NOT_DECIDABLE


@pytest.mark.parametrize(
    ("more", "cause"),
    [
        ({"place": ""}, "no section, figure or table"),
        ({"place": " "}, "no section, figure or table"),
        ({"words": ""}, "nothing that the source says"),
        ({"stands": "somewhere"}, "expected one of published, digitised by us"),
        ({"verdict": MISSED}, "states 'missed', but its numbers give 'reproduced'"),
        ({"published": [], "why": "x", "verdict": YES}, "give 'not decidable'"),
        ({"published": []}, "not decidable, and nothing says why"),
        ({"ours": []}, "nothing of ours"),
        ({"ours": [], "said": "nothing"}, "not derivable, and nothing says why"),
    ],
)
def test_a_row_that_may_not_stand_in_a_table_is_refused(
    reproduce: Any, claim: Callable[..., Any], more: dict[str, Any], cause: str
) -> None:
    with pytest.raises(reproduce("report").ClaimError, match=cause):
        claim(**more)


def test_a_miss_needs_what_would_explain_it_and_numbers_their_unit(
    reproduce: Any, claim: Callable[..., Any]
) -> None:
    report = reproduce("report")
    far = [report.exact(3.0, "W")]
    assert claim(ours=far, why="another firmware").verdict == MISSED
    with pytest.raises(report.ClaimError, match="nothing says why"):
        claim(ours=far)
    with pytest.raises(report.ClaimError, match="would explain the miss"):
        claim(ours=far, fitted="the watts")
    with pytest.raises(report.ClaimError, match="'missed'"):
        claim(ours=far, why="x", verdict=YES)
    with pytest.raises(report.ClaimError, match="units differ"):
        claim(ours=[report.exact(2.0, "mW")])
    with pytest.raises(report.ClaimError, match="1 published numbers, 2 of ours"):
        claim(ours=far * 2)
    with pytest.raises(report.ClaimError, match="no source"):
        report.Report("", [], [claim()])


def test_a_kept_claim_whose_numbers_were_changed_is_refused(
    reproduce: Any, claim: Callable[..., Any]
) -> None:
    kept, report = reproduce("kept"), reproduce("report")
    fields = dataclasses.asdict(claim())
    assert kept.claim(fields) == claim()
    fields["ours"][0]["nominal"] = fields["ours"][0]["low"] = 2.5
    with pytest.raises(report.ClaimError, match="states 'reproduced'"):
        kept.claim(fields)
