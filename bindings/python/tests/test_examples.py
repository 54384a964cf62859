# SPDX-License-Identifier: MIT
"""The examples: twins in C and Python print the same, the large one adds up.

examples/reproduce: what was published, what ssdpm makes of it, and the README.
"""

from __future__ import annotations

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

YES, WITHIN = "reproduced", "within bounds"
NOT_DERIVABLE, NOT_DECIDABLE = "not derivable", "not decidable"
FITTED = "fitted"

VERDICTS = {
    "apst_patch": {
        "SN530, tables": YES,
        "SN530, power": WITHIN,
        "SN530, workflow 7, old": NOT_DERIVABLE,
        "SN530, workflow 7, new": FITTED,
        "760p, tables": YES,
        "760p, workflow 7, old": NOT_DERIVABLE,
        "760p, workflow 7, new": NOT_DERIVABLE,
        "760p, workflow 7, new, measured latencies": FITTED,
        "PM991, tables": YES,
        "PM991, power": WITHIN,
        "BC511, tables": YES,
        "KBG40, tables": YES,
        "KBG40, power": NOT_DECIDABLE,
        "all, workflow 1": YES,
        "760p and PM991, background work": NOT_DERIVABLE,
    },
    "apst_catalogue": {"old rule": YES, "old and new table": NOT_DECIDABLE},
    "stornvme": {"battery": YES, "Modern Standby": YES},
    "lower_envelope": {
        "first threshold": YES,
        "second threshold": YES,
        "both, in ssdpm's table": YES,
        "ratio at the first": YES,
        "ratio at the second": YES,
        "ALG = OPT + beta": YES,
        "exponential, J(0)": YES,
        "exponential, J(10 ms)": YES,
        "exponential, J(50 ms)": YES,
        "exponential, J(inf)": YES,
        "Lomax, a 3, m 30 ms": YES,
        "Lomax, a 3, m 60 ms": YES,
        "deterministic": YES,
    },
    "uflip": {
        "all, always too high": YES,
        "Memoright, 2 times": WITHIN,
        "MTron, 2 times": WITHIN,
        "X25-E 32 GB, 2 times": WITHIN,
        "X25-E 64 GB, 2 times": WITHIN,
        "Memoright, 3 times": NOT_DERIVABLE,
        "MTron, 3 times": NOT_DERIVABLE,
        "X25-E 32 GB, 3 times": WITHIN,
        "X25-E 64 GB, 3 times": WITHIN,
        "all, idle": NOT_DERIVABLE,
        "Memoright, sequential against random writes": WITHIN,
        "all, background work": NOT_DERIVABLE,
    },
    "p3700_caps": {
        "sequential writes, 25 W": FITTED,
        "sequential writes, 20 W": NOT_DERIVABLE,
        "sequential writes, 10 W": YES,
        "sequential writes, best line": FITTED,
        "sequential writes, none - 20 W - 10 W - none": FITTED,
        "sequential reads": YES,
        "4 KiB random reads": YES,
        "4 KiB random writes, 20 and 10 W": NOT_DERIVABLE,
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
        "all formulas": YES,
        "simulated against formulas": YES,
        "Desnoyers, FIFO": YES,
        "Desnoyers, greedy": YES,
        "spare 0.07 to 0.25": YES,
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
    helpers = {"report", "summary", "powersensor3", "sustained_write"}
    assert {path.stem for path in SCRIPTS.glob("*.py")} == set(VERDICTS) | helpers


@pytest.mark.parametrize("script", VERDICTS)
def test_what_was_published_gets_its_verdict(script: str) -> None:
    report = json.loads(reproduced(script, "--json"))
    assert {c["about"]: c["verdict"] for c in report["claims"]} == VERDICTS[script]
    for claim in report["claims"]:
        assert claim["why"] or claim["verdict"] == YES, claim["about"]
    assert report["source"] and report["inputs"]


def test_the_text_has_all_that_the_json_has() -> None:
    report = json.loads(reproduced("uflip", "--json"))
    text = reproduced("uflip")
    for claim in report["claims"]:
        assert f"{claim['about']}: {claim['verdict']}" in text
        for key in ("published", "predicted", "why"):
            assert claim[key] in text
    for row in report["rows"]:
        for cell in row:
            assert cell in text


def test_the_table_of_the_readme_is_what_the_scripts_say() -> None:
    assert reproduced("summary") in (TOP / "README.md").read_text()


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
    claim = reproduce("uflip").matrix()
    assert claim.predicted.startswith("of runs drawn with these classes, 21 of 21 cells")
    assert "    order         GWP                NS / GWP       none / GWP" in claim.predicted


@pytest.mark.parametrize(
    ("numbers", "published", "verdict"),
    [
        ((1.0, 2.04, 3.0), 2.0, YES),
        ((1.0, 2.06, 3.0), 2.0, WITHIN),
        ((2.06, 2.06, 3.0), 2.0, NOT_DERIVABLE),
        ((1.0, 1.5, 1.9), 2.0, NOT_DERIVABLE),
    ],
)
def test_a_verdict_follows_from_the_bounds(
    reproduce: Any,
    numbers: tuple[float, float, float],
    published: float,
    verdict: str,
) -> None:
    assert reproduce("report").Range(*numbers).verdict(published, 1) == verdict
