# SPDX-License-Identifier: MIT
"""A call of each public function and method that returns something.

Tests that hold for all results of the package use these calls. The numbers among the
arguments are NumPy's own where a user may have them from an array.
"""

from __future__ import annotations

import dataclasses
import enum
import errno
import importlib
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pandas

import ssdpm
from made import State, swift
from ssdpm import _core, cap, consistency, ftl, measure, observe, suspend, wa
from ssdpm.base.result import Value
from ssdpm.measure import survey
from ssdpm.measure.survey import Result, Stated
from ssdpm.observe import live
from truth import Truth, drive, run as true_run

# tests/captures, which conftest.py adds to the path.
suspends = importlib.import_module("suspends")

MODULES: tuple[ModuleType, ...] = (
    ssdpm,
    measure,
    survey,
    observe,
    suspend,
    cap,
    wa,
    ftl,
    consistency,
)
S = 10**9
OBSERVED = (
    "cat-1 [0] d. 1.0: block_rq_issue: 259,0 R 4096 () 8 + 8 [cat]\n",
    "<idle>-0 [0] d. 1.001: block_rq_complete: 259,0 R () 8 + 8 [0]\n",
    "smartctl-2 [0] d. 20.0: nvme_setup_cmd: nvme1: qid=0, cmdid=1\n",
)
ADMIN_FORMAT = (
    'name: nvme_setup_cmd\nprint fmt: "nvme%d: qid=%d", REC->ctrl_id, REC->qid\n'
)
POWER = b"time_s,power_w\n0,1\n1,2\n2,1.5\n"
FRAME = pandas.DataFrame


def i64(number: int) -> Any:
    """An integer as it comes from an array."""
    return np.int64(number)


def f64(number: float) -> Any:
    """A float as it comes from an array."""
    return np.float64(number)


def public() -> Iterator[object]:
    """Everything in an __all__, once."""
    seen = set()
    for module in MODULES:
        for name in (*module.__all__, *(["open"] if module is ssdpm else [])):
            one = getattr(module, name)
            if id(one) not in seen:
                seen.add(id(one))
                yield one


def public_classes() -> Iterator[type]:
    """Classes of values; errors are raised, and the members of enums are words."""
    for one in public():
        if inspect.isclass(one) and not issubclass(one, (Exception, enum.Enum)):
            yield one


def _is_public(cls: type) -> bool:
    return cls.__module__.startswith("ssdpm") and not cls.__name__.startswith("_")


def value_classes(of: type[Value] = Value) -> Iterator[type]:
    """All classes of values, also those that no __all__ has."""
    for cls in of.__subclasses__():
        has_fields: bool = dataclasses.is_dataclass(cls)
        if has_fields and _is_public(cls):
            yield cls
        yield from value_classes(cls)


def _gives(function: Any) -> bool:
    """Whether it returns something, and no axes of matplotlib."""
    words = str(inspect.signature(function).return_annotation)
    return words != "None" and "Axes" not in words


def path_of(one: Any, *names: str) -> str:
    """With the package in the place of the module that lies in it."""
    package, _, _ = one.__module__.rpartition(".")
    home = one.__module__ if package == "ssdpm" else package
    return ".".join([home, one.__name__, *names])


def public_calls() -> Iterator[str]:
    """What CALLS has to have."""
    for one in public():
        if inspect.isfunction(one) and _gives(one):
            yield path_of(one)
    for cls in {*public_classes(), *value_classes()}:
        for name, member in vars(cls).items():
            function = getattr(member, "__func__", member)
            if name.startswith("_") or not inspect.isfunction(function):
                continue
            if _gives(function):
                yield path_of(cls, name)


class NoEvents:
    """A watch to which no event comes."""

    def __init__(self, machine: object, observation: _core.observe.Observation) -> None:
        self.observation = observation

    def add_drive(
        self, device: object, model: _core.Model, sim_params: _core.energy.SimParams
    ) -> None:
        self.observation.add_drive(model, sim_params, 259, 0, 0)

    def begin(self) -> None:
        pass

    def lost(self) -> int:
        return 0

    def is_gone(self, drive: int) -> bool:
        return False


class World:
    """What the calls are made with; each thing is made once."""

    def __init__(self, folder: Path, write_machine: Callable[[str], Path]) -> None:
        self.folder = folder
        self.write_machine = write_machine

    @cached_property
    def model(self) -> ssdpm.Model:
        asleep = State(
            max_power=400, scale=1, operational=False, entry=5000, exit=9000
        )
        return ssdpm.Model(swift(asleep))

    @cached_property
    def sata(self) -> ssdpm.Model:
        return ssdpm.Model.catalogue("Crucial_CT")

    @cached_property
    def trace(self) -> ssdpm.Trace:
        return ssdpm.Trace.from_columns(
            start_ns=np.arange(0, 60 * S, 10**8),
            op=["read", "write"] * 300,
            bytes=i64(65536),
            service_ns=[200_000, None] * 300,
        )

    @cached_property
    def table(self) -> ssdpm.ApstTable:
        return ssdpm.apst(self.model)

    @cached_property
    def estimate(self) -> ssdpm.Estimate:
        return ssdpm.estimate(
            self.model, self.trace, changes=True, likely=True, interval_ns=i64(S)
        )

    @cached_property
    def gaps(self) -> ssdpm.Gaps:
        return ssdpm.Gaps(self.trace)

    @cached_property
    def signal(self) -> measure.Signal:
        """Two seconds of work in each of ten seconds."""
        noise = np.random.default_rng(1).normal(0, 0.01, 6000)
        return measure.Signal(
            1.0 + 2.0 * (np.arange(6000) % 1000 < 200) + noise, rate_hz=100
        )

    @cached_property
    def baseline(self) -> measure.Baseline:
        return measure.baseline(self.signal, window=(3 * S, 9 * S))

    @cached_property
    def runs(self) -> list[measure.BackgroundRun]:
        return [
            measure.BackgroundRun(i64(n), i64(n * S), f64(n), 0.1)
            for n in range(8)
        ]

    @cached_property
    def energy(self) -> measure.Energy:
        return measure.energy(self.signal, tolerance=f64(0.05))

    @cached_property
    def prediction(self) -> measure.Prediction:
        return measure.predict(self.model, self.trace, end_ns=i64(90 * S))

    @cached_property
    def calibration(self) -> measure.Calibration:
        made = true_run(Truth(), 1, n=1200)
        return measure.calibrate(
            made.model, made.trace, made.signal, measured_wa=f64(1.5)
        )

    @cached_property
    def analysed(self) -> list[survey.Run]:
        rng = np.random.default_rng(2)
        return [
            survey.Run(policy, "idle", i64(block), watts + rng.normal(0, 0.02))
            for block in range(5)
            for policy, watts in (("a", 1.0), ("b", 0.8), ("c", 0.8))
        ]

    @cached_property
    def schedule(self) -> survey.Schedule:
        return survey.schedule(["a", "b"], n_blocks=i64(3))

    @cached_property
    def summary(self) -> survey.Summary:
        return survey.summarise(self.signal.power_w, rate_hz=i64(1))

    @cached_property
    def analysis(self) -> survey.Analysis:
        return survey.analyse(self.analysed, system_power_w=f64(20))

    @cached_property
    def survey(self) -> survey.Survey:
        from test_survey import survey_file

        return survey.read(survey_file().encode())

    @cached_property
    def drive(self) -> cap.Drive:
        stream = cap.Stream(
            "write", nand_bytes_per_s=f64(2e9), byte_pj=(9e3, 11e3, i64(12_000))
        )
        return cap.Drive([stream], idle_uw=i64(4_000_000), nand=wa.Nand(0.5))

    @cached_property
    def cost(self) -> ftl.Cost:
        return ftl.Cost(i64(10_000), program_ns=20_000, idle_uw=i64(5))

    @cached_property
    def written(self) -> ftl.Run:
        return ftl.simulate(
            0.2, n_blocks=i64(64), fill=True, seconds=i64(3), cost=self.cost
        )

    @cached_property
    def log(self) -> consistency.Consistency:
        return consistency.measure(
            np.full(700, 1000.0), threshold_iops=i64(5), power_w=np.full(700, 2.0)
        )

    @cached_property
    def compared(self) -> consistency.Comparison:
        return consistency.compare([self.log])

    @cached_property
    def stored(self) -> Path:
        """A trace in a file."""
        self.trace.save(self.folder / "trace.npy")
        return self.folder / "trace.npy"

    @cached_property
    def overlay(self) -> Path:
        self.calibration.save(self.folder / "overlay.json")
        return self.folder / "overlay.json"

    @cached_property
    def root(self) -> Path:
        return self.write_machine("eight-drives")

    @cached_property
    def machine(self) -> ssdpm.Machine:
        return ssdpm.Machine(self.root)

    @cached_property
    def desktop(self) -> ssdpm.Device:
        return ssdpm.open("sda", self.write_machine("desktop-6.1"))

    @cached_property
    def nvme(self) -> ssdpm.Device:
        return self.machine.open("nvme1")

    @cached_property
    def plan(self) -> ssdpm.Plan:
        plan = ssdpm.plan(self.root, self.folder / "run")
        plan.add_latency_tolerance("nvme0", i64(25_000))
        return plan

    @cached_property
    def sampler(self) -> ssdpm.Sampler:
        return ssdpm.Sampler("command:echo 5 W", interval_s=f64(0.01))

    @cached_property
    def settings(self) -> ssdpm.ProfileSettings:
        return ssdpm.profile("balanced")

    @cached_property
    def simulated(self) -> cap.Run:
        return cap.simulate(self.model, self.trace, i64(4))

    def applied(self) -> tuple[ssdpm.Step, ...]:
        root = self.write_machine("laptop")
        plan = ssdpm.plan(root, self.folder / "applied")
        plan.add_latency_tolerance("nvme0", 25_000)
        plan.commit()
        return ssdpm.revert(root, self.folder / "applied")

    def journal(self) -> ssdpm.Journal | None:
        """What a killed commit left."""
        from test_apply import KILLED

        root = self.write_machine("eight-drives")
        subprocess.run([sys.executable, "-c", KILLED, root], check=False)
        return ssdpm.read_journal(root)

    def locked(self) -> object:
        with ssdpm.plan(self.write_machine("laptop")).locked() as journal:
            return journal

    def simulation(self) -> ssdpm.Simulation:
        simulation = ssdpm.Simulation(self.model)
        simulation.feed(self.trace)
        return simulation

    def integral(self) -> measure.Integral:
        integral = measure.Integral()
        integral.feed(self.signal)
        return integral

    def level(self) -> measure.Level:
        level = measure.Level()
        level.feed(self.signal)
        return level

    def trial(self) -> measure.Trial:
        trial = measure.Trial(
            update_ns=i64(S), response_ns=i64(S), likely_uw=i64(10**5), seed=i64(1)
        )
        now = 0
        for _ in range(8):
            block = trial.next(i64(now))
            trial.feed(i64(block.count_ns), f64(5 if block.setting == "a" else 4))
            now = block.end_ns
        trial.next(now)
        return trial

    def live(self) -> observe.Watch:
        """The drive of a capture, on a trace without an event; a real one needs root."""
        device = ssdpm.open("nvme0", self.root)
        found = mock.patch.object(live, "_device", lambda _: device)
        with found, mock.patch.object(_core.observe, "Watch", NoEvents):
            return observe.watch("nvme0", interval_s=f64(0.2))

    def observation(self) -> observe.Observation:
        observation = observe.Observation()
        drive = observation.add_drive(
            self.model, "259:0", self.table, ctrl_id=i64(1), lpm=None
        )
        observation.add_partition(i64(drive), "259:1")
        observation.set_format(ADMIN_FORMAT)
        for line in OBSERVED:
            observation.feed(line)
        observation.advance(i64(30 * S))
        observation.finish(i64(40 * S))
        return observation

    @cached_property
    def suspended(self) -> Path:
        """The root of a machine that did not reach its deepest sleep."""
        suspends.write("team", self.folder / "team")
        return self.folder / "team"

    def reading(self) -> suspend.SuspendReading:
        return suspend.read(self.suspended)

    def verdict(self) -> suspend.SuspendVerdict:
        log = "nvme 0000:01:00.0: PCI PM: Suspend power state: D3hot\n"
        after = self.reading().add_log(log)
        return suspend.judge(None, after, root=self.suspended, suspend="s2idle")

    def ftl_drive(self) -> ftl.Drive:
        return ftl.Drive(i64(3000), i64(64))

    def suite(self) -> measure.Matrix:
        return measure.classify_suite({("pause", "X", "RW"): self.runs})

    def stated(self) -> dict[str, Stated]:
        state = Stated
        return {
            "a": state(f64(5), None, f64(0.1), i64(3)),
            "b": state(4.0, 0.1, 0.1, 3),
        }

    def results(self) -> list[Result]:
        return [Result(d, f64(0.5), f64(0.1)) for d in "xyz"]

    def items(self) -> ssdpm.Budget:
        item = ssdpm.BudgetItem(
            "card",
            np.arange(2, dtype=np.uint32),
            np.array([5_000_000, 3_000_000], np.uint64),
            np.array([0, 100], np.uint64),
        )
        return ssdpm.budget([self.model, item], i64(30))

    def constructed(self) -> list[object]:
        """What callers make, with numbers of NumPy."""
        power = i64(5_000_000)
        return [
            ssdpm.PowerState(True, max_power_uw=power),
            ssdpm.SataLink(generations=(i64(1),)),
            ssdpm.Host(pci_vendor_id=i64(5)),
            ssdpm.Service(*[ssdpm.PerOp(*np.arange(4))] * 2),
            ssdpm.PersistPower("0000:01:00.0", "X", i64(1)),
            self.cost,
            self.stated(),
            wa.Nand(f64(1), f64(2)),
            cap.Span(f64(1), f64(2), f64(3)),
            ssdpm.Parameter("idle_power_uw", 0, "stated", i64(1), i64(2), i64(3), "mine"),
            ssdpm.TrialResult("saves", i64(6), i64(1), f64(2), f64(1), f64(3)),
        ]

    def advised(self) -> object:
        plan = ssdpm.plan(self.root)
        for advice in ssdpm.tune(self.root, "poisson"):
            advice.add_to(plan)
        return plan


CALLS: Mapping[str, Callable[[World], object]] = {
    "constructed": World.constructed,
    "ssdpm.apply.Persist.remove": lambda w: ssdpm.persist(
        "udev", "balanced"
    ).remove(w.root),
    "ssdpm.apply.Intent.read": lambda w: ssdpm.Intent.read(w.root),
    "ssdpm.apply.Intent.profile": lambda w: ssdpm.Intent.read(w.root).profile("auto"),
    "ssdpm.apply.Intent.settings": lambda w: ssdpm.Intent.read(w.root).settings(),
    "ssdpm.apply.serve_requests": lambda w: ssdpm.serve_requests(
        dict, w.root, w.folder / "run"
    ),
    "ssdpm.apply.persist": lambda w: ssdpm.persist("udev", w.settings),
    "ssdpm.apply.plan": lambda w: w.plan,
    "ssdpm.apply.Plan.to_dict": lambda w: w.plan.to_dict(),
    "ssdpm.apply.Plan.to_json": lambda w: w.plan.to_json(),
    "ssdpm.apply.Plan.locked": World.locked,
    "ssdpm.apply.Plan.has_failed": lambda w: w.plan.has_failed(),
    "ssdpm.apply.read_journal": World.journal,
    "ssdpm.device.Device.settings": lambda w: w.nvme.settings(),
    "ssdpm.apply.remove_persist": lambda w: ssdpm.remove_persist("udev", w.root),
    "ssdpm.apply.report": lambda w: ssdpm.report(w.root, "power-saver"),
    "ssdpm.apply.revert": World.applied,
    "ssdpm.estimate.tune": lambda w: ssdpm.tune(w.root, "poisson"),
    "ssdpm.estimate.total": lambda w: ssdpm.total(ssdpm.tune(w.root, "poisson")),
    "ssdpm.estimate.total_asleep": lambda w: ssdpm.total_asleep(
        ssdpm.tune(w.root, "poisson")
    ),
    "ssdpm.LinkSaving": lambda w: ssdpm.tune(w.write_machine("no-aspm"), "poisson"),
    "ssdpm.estimate.usual_workload": lambda w: ssdpm.usual_workload(w.root),
    "ssdpm.estimate.Advice.add_to": World.advised,
    "ssdpm.base.answer": lambda w: ssdpm.answer("show", [w.model], key="drives"),
    "ssdpm.budget.Budget.to_records": lambda w: w.items().to_records(),
    "ssdpm.budget.budget": World.items,
    "ssdpm.budget.budget_item": lambda w: ssdpm.budget_item(
        w.model, weight=f64(2)
    ),
    "ssdpm.measure.Calibration.fitted": lambda w: w.calibration.fitted(),
    "ssdpm.measure.Prediction.check": lambda w: w.prediction.check(w.energy),
    "ssdpm.measure.Prediction.to_json": lambda w: w.prediction.to_json(),
    "ssdpm.measure.PredictionCheck.to_json": lambda w: (
        w.prediction.check(w.energy).to_json()
    ),
    "ssdpm.measure.predict": lambda w: w.prediction,
    "ssdpm.measure.Calibration.from_json": lambda w: (
        measure.Calibration.from_json(w.calibration.to_json())
    ),
    "ssdpm.measure.Calibration.get": lambda w: w.calibration.get(
        "idle_power_uw", i64(1)
    ),
    "ssdpm.measure.Calibration.load": lambda w: measure.Calibration.load(w.overlay),
    "ssdpm.measure.Calibration.match": lambda w: w.calibration.match(w.model),
    "ssdpm.measure.Calibration.parameters": lambda w: w.calibration.parameters(
        drive()
    ),
    "ssdpm.measure.Calibration.to_json": lambda w: w.calibration.to_json(),
    "ssdpm.measure.calibrate": lambda w: w.calibration,
    "ssdpm.cap.Curve.to_records": lambda w: w.drive.sweep([10, None]).to_records(),
    "ssdpm.cap.Drive.at": lambda w: w.drive.at(i64(10)),
    "ssdpm.cap.Drive.sweep": lambda w: w.drive.sweep(np.arange(5, 9)),
    "ssdpm.cap.Drive.timeline": lambda w: w.drive.timeline([(i64(3), 10)]),
    "ssdpm.cap.from_model": lambda w: cap.from_model(w.model, [cap.Stream("write")]),
    "ssdpm.cap.simulate": lambda w: w.simulated,
    "ssdpm.consistency.compare": lambda w: w.compared,
    "ssdpm.consistency.measure": lambda w: w.log,
    "ssdpm.consistency.read": lambda w: consistency.read(
        "".join(f"{1000 * s}, 500, 1, 4096, 0\n" for s in range(1, 20)).encode()
    ),
    "ssdpm.consistency.simulate": lambda w: consistency.simulate(
        np.array([0.2]), seconds=i64(20), n_blocks=64
    ),
    "ssdpm.device.Device.apst": lambda w: w.nvme.apst(),
    "ssdpm.device.Device.apst_params": lambda w: w.nvme.apst_params(),
    "ssdpm.device.Device.devsleep": lambda w: w.desktop.devsleep(),
    "ssdpm.device.Device.diagnose": lambda w: w.nvme.diagnose(),
    "ssdpm.device.Device.known_model": lambda w: w.nvme.known_model(),
    "ssdpm.device.Device.known_table": lambda w: w.nvme.known_table(),
    "ssdpm.device.Device.model": lambda w: w.nvme.model(),
    "ssdpm.device.Device.power": lambda w: w.nvme.power(),
    "ssdpm.device.Device.power_state": lambda w: w.nvme.power_state(),
    "ssdpm.device.Device.quirks": lambda w: w.nvme.quirks(),
    "ssdpm.device.Device.quirks_host": lambda w: w.nvme.quirks_host(),
    "ssdpm.device.Device.to_dict": lambda w: w.nvme.to_dict(),
    "ssdpm.device.Device.to_json": lambda w: w.nvme.to_json(),
    "ssdpm.device.Machine.devices": lambda w: w.machine.devices(),
    "ssdpm.device.Machine.find_meter": lambda w: w.sampler._machine.find_meter(
        "command:echo 5"
    ),
    "ssdpm.device.Machine.meters": lambda w: ssdpm.Machine(
        w.write_machine("laptop")
    ).meters(),
    "ssdpm.device.Machine.open": lambda w: w.machine.open("sda"),
    "ssdpm.device.Machine.to_dict": lambda w: w.machine.to_dict(),
    "ssdpm.device.Machine.to_json": lambda w: w.machine.to_json(),
    "ssdpm.device.Machine.owners": lambda w: ssdpm.Machine(
        w.write_machine("server")
    ).owners(),
    "ssdpm.device.Sampler.read": lambda w: w.sampler.read(),
    "ssdpm.device.Sampler.record": lambda w: w.sampler.record(f64(0.02)),
    "ssdpm.device.devices": lambda w: ssdpm.devices(w.root),
    "ssdpm.device.find_meter": lambda w: ssdpm.find_meter("command:echo 5"),
    "ssdpm.device.open": lambda w: ssdpm.open("nvme0", w.root),
    "ssdpm.estimate.Comparison.to_records": lambda w: ssdpm.compare(
        w.model, w.trace
    ).to_records(),
    "ssdpm.estimate.Estimate.state_names": lambda w: w.estimate.state_names(),
    "ssdpm.estimate.Saving.battery_minutes": lambda w: ssdpm.compare(
        w.model, w.trace
    )["none"].saving.battery_minutes(f64(50), f64(20)),
    "ssdpm.estimate.Saving.kwh_per_year": lambda w: ssdpm.compare(
        w.model, w.trace
    )["none"].saving.kwh_per_year(),
    "ssdpm.estimate.Simulation.finish": lambda w: w.simulation().finish(),
    "ssdpm.estimate.best_table": lambda w: ssdpm.best_table(w.model, w.gaps),
    "ssdpm.estimate.clairvoyant": lambda w: ssdpm.clairvoyant(w.model, w.gaps),
    "ssdpm.estimate.compare": lambda w: ssdpm.compare(w.model, w.trace),
    "ssdpm.estimate.default_policies": lambda w: ssdpm.default_policies(w.model),
    "ssdpm.estimate.estimate": lambda w: w.estimate,
    "ssdpm.estimate.parameters": lambda w: ssdpm.parameters(
        w.model, exit_latency_us={i64(2): i64(50)}, idle_power_w={0: 0.5}
    ),
    "ssdpm.estimate.recommend": lambda w: ssdpm.recommend(w.model, w.gaps),
    "ssdpm.estimate.sweep": lambda w: ssdpm.sweep(w.model, w.gaps, ["linux"]),
    "ssdpm.ftl.Cost.from_bandwidth": lambda w: ftl.Cost.from_bandwidth(i64(80_000_000)),
    "ssdpm.ftl.Drive.run": lambda w: w.ftl_drive().run(2, w.cost),
    "ssdpm.ftl.simulate": lambda w: w.written,
    "ssdpm.measure.BackgroundRun.from_tail": lambda w: measure.BackgroundRun.from_tail(
        f64(3), measure.tail(w.signal, w.baseline, 52 * S)
    ),
    "ssdpm.measure.DatasheetRun.from_energy": lambda w: (
        measure.DatasheetRun.from_energy("x", f64(3), measure.energy(w.signal))
    ),
    "ssdpm.measure.Integral.energy": lambda w: w.integral().energy(),
    "ssdpm.measure.Trial.next": lambda w: w.trial().next(i64(240 * S)),
    "ssdpm.measure.TrialState": lambda w: w.trial().state,
    "ssdpm.observe.Observation.add_drive": (
        lambda w: observe.Observation().add_drive(w.model, "259:0", w.table)
    ),
    "ssdpm.observe.Observation.causes": lambda w: w.observation().causes(i64(0)),
    "ssdpm.observe.Observation.help": lambda w: w.observation().help(i64(0)),
    "ssdpm.observe.Observation.intervals": lambda w: w.observation().intervals(i64(0)),
    "ssdpm.observe.Observation.likely": lambda w: w.observation().likely(i64(0)),
    "ssdpm.observe.Observation.next_interval": (
        lambda w: w.observation().next_interval(i64(0), "x")
    ),
    "ssdpm.observe.Observation.policy": lambda w: w.observation().policy(i64(0)),
    "ssdpm.observe.Observation.to_dict": lambda w: w.observation().to_dict(i64(0)),
    "ssdpm.observe.Observation.to_json": lambda w: w.observation().to_json(i64(0), "x"),
    "ssdpm.observe.Observation.without": (
        lambda w: w.observation().without(i64(0), i64(0))
    ),
    "ssdpm.suspend.SuspendReading.add_log": lambda w: w.reading().add_log(b"nothing"),
    "ssdpm.suspend.judge": World.verdict,
    "ssdpm.suspend.read": World.reading,
    "ssdpm.measure.Level.baseline": lambda w: w.level().baseline(),
    "ssdpm.measure.Experiment.to_json": lambda w: w.suite().experiments[0].to_json(),
    "ssdpm.measure.Matrix.to_json": lambda w: w.suite().to_json(),
    "ssdpm.measure.Matrix.get": lambda w: w.suite().get("pause", "X", "RW"),
    "ssdpm.measure.Matrix.words": lambda w: w.suite().words("pause", "X"),
    "ssdpm.measure.Signal.times_ns": lambda w: w.signal.times_ns(),
    "ssdpm.measure.activity": lambda w: measure.activity(w.signal, w.baseline),
    "ssdpm.measure.against_datasheet": lambda w: measure.against_datasheet(
        [measure.DatasheetRun("x", f64(3), f64(2), f64(5))]
    ),
    "ssdpm.measure.baseline": lambda w: w.baseline,
    "ssdpm.measure.change_points": lambda w: measure.change_points(w.signal),
    "ssdpm.measure.classify": lambda w: measure.classify(w.runs),
    "ssdpm.measure.classify_suite": World.suite,
    "ssdpm.measure.energy": lambda w: measure.energy(w.signal),
    "ssdpm.measure.idle_state": lambda w: measure.idle_state(w.model, w.baseline),
    "ssdpm.measure.idle_work": lambda w: measure.idle_work(w.signal, w.baseline),
    "ssdpm.measure.proportionality": lambda w: measure.proportionality(
        np.arange(4), np.arange(4) + 1.0
    ),
    "ssdpm.measure.proportionality_curve": lambda w: measure.proportionality_curve(
        np.arange(4), np.arange(4) + 1.0
    ),
    "ssdpm.measure.size_profile": lambda w: measure.size_profile(
        [measure.SizeRun(i64(4096), f64(1), f64(2))]
    ),
    "ssdpm.measure.steady_state": lambda w: measure.steady_state(np.ones(9)),
    "ssdpm.measure.tail": lambda w: measure.tail(w.signal, w.baseline, 52 * S),
    "ssdpm.model.Catalogue.alternatives": lambda w: ssdpm.Catalogue().alternatives(
        "WDC PC SN530"
    ),
    "ssdpm.model.Catalogue.find": lambda w: ssdpm.Catalogue().find("WDC PC SN530"),
    "ssdpm.model.Catalogue.model": lambda w: ssdpm.Catalogue().model(i64(0)),
    "ssdpm.model.Model.catalogue": lambda w: w.sata,
    "ssdpm.model.Model.from_states": lambda w: ssdpm.Model.from_states(
        w.model.states, apsta=i64(1)
    ),
    "ssdpm.model.Model.lint": lambda w: w.model.lint(),
    "ssdpm.model.Model.power_range_uw": lambda w: w.model.power_range_uw(
        i64(0), "max_power_uw"
    ),
    "ssdpm.model.Model.to_dict": lambda w: w.model.to_dict(),
    "ssdpm.model.Model.to_json": lambda w: w.model.to_json(),
    "ssdpm.model.governor_modes": lambda w: ssdpm.governor_modes("pcie"),
    "ssdpm.model.load": lambda w: ssdpm.load(w.model.to_dict()),
    "ssdpm.policy.ApstParameters.arguments": lambda w: ssdpm.infer(w.model, w.table)[
        0
    ].arguments(),
    "ssdpm.policy.ApstTable.diff": lambda w: w.table.diff(
        ssdpm.apst(w.model, max_exit_latency_us=0)
    ),
    "ssdpm.policy.ApstTable.explain": lambda w: w.table.explain(),
    "ssdpm.policy.ApstTable.from_bytes": lambda w: ssdpm.ApstTable.from_bytes(
        w.table.to_bytes()
    ),
    "ssdpm.policy.ApstTable.from_data": lambda w: ssdpm.ApstTable.from_data(
        w.table.to_bytes()
    ),
    "ssdpm.policy.ApstTable.to_bytes": lambda w: w.table.to_bytes(),
    "ssdpm.policy.ApstTable.to_dict": lambda w: w.table.to_dict(),
    "ssdpm.policy.ApstTable.to_json": lambda w: w.table.to_json(),
    "ssdpm.policy.apst": lambda w: w.table,
    "ssdpm.policy.infer": lambda w: ssdpm.infer(w.model, w.table),
    "ssdpm.policy.keep": lambda w: ssdpm.keep(w.model, i64(2), quirks=()),
    "ssdpm.policy.load_apst": lambda w: ssdpm.load_apst(
        _written(w.folder / "table.bin", w.table.to_bytes())
    ),
    "ssdpm.policy.profile": lambda w: w.settings,
    "ssdpm.policy.profiles": lambda w: ssdpm.profiles(),
    "ssdpm.policy.quirks": lambda w: ssdpm.quirks(
        ssdpm.Model.catalogue("KINGSTON SA2000")
    ),
    "ssdpm.policy.reach": lambda w: ssdpm.reach(w.model, w.table),
    "ssdpm.measure.iter_power": lambda w: list(measure.iter_power(POWER)),
    "ssdpm.measure.read_power": lambda w: measure.read_power(POWER),
    "ssdpm.measure.sampling": lambda w: measure.sampling(w.signal, w.baseline),
    "ssdpm.measure.survey.Noise.from_summary": lambda w: survey.Noise.from_summary(
        w.summary, w.analysis
    ),
    "ssdpm.measure.survey.Readings.mean": lambda w: w.survey.readings[0].mean(),
    "ssdpm.measure.survey.Readings.summary": lambda w: w.survey.readings[0].summary(),
    "ssdpm.measure.survey.Result.from_difference": lambda w: survey.Result.from_difference(
        "x", w.analysis.differences[0]
    ),
    "ssdpm.measure.survey.Run.from_summary": lambda w: survey.Run.from_summary(
        w.schedule[0], w.summary
    ),
    "ssdpm.measure.survey.Survey.advise": lambda w: w.survey.advise(),
    "ssdpm.measure.survey.merge_surveys": lambda w: survey.merge_surveys([w.survey]),
    "ssdpm.measure.survey.Survey.analyse": lambda w: w.survey.analyse(),
    "ssdpm.measure.survey.Survey.count": lambda w: w.survey.count("complete"),
    "ssdpm.measure.survey.Survey.get": lambda w: w.survey.get("drive"),
    "ssdpm.measure.survey.Survey.runs": lambda w: w.survey.runs(),
    "ssdpm.measure.survey.analyse": lambda w: w.analysis,
    "ssdpm.measure.survey.detectable": lambda w: survey.detectable(w.schedule, w.summary),
    "ssdpm.measure.survey.judge": lambda w: survey.judge(w.stated()),
    "ssdpm.measure.survey.merge": lambda w: survey.merge(w.results()),
    "ssdpm.measure.survey.range_p": lambda w: survey.range_p(3.5, i64(3), f64(9)),
    "ssdpm.measure.survey.range_q": lambda w: survey.range_q(0.05, 3, 9),
    "ssdpm.measure.survey.read": lambda w: w.survey,
    "ssdpm.measure.survey.schedule": lambda w: w.schedule,
    "ssdpm.measure.survey.summarise": lambda w: w.summary,
    "ssdpm.wa.Background.time_s": lambda w: wa.background(w.model, 0.1).time_s(
        f64(1e9)
    ),
    "ssdpm.wa.background": lambda w: wa.background(w.model, f64(0.1)),
    "ssdpm.wa.calculate": lambda w: wa.calculate(f64(0.1)),
    "ssdpm.wa.classes": lambda w: wa.classes(0.07, np.array([(0.2, 0.8), (0.8, 0.2)])),
    "ssdpm.wa.curve": lambda w: wa.curve(np.array([0.1, 0.2])),
    "ssdpm.wa.spare_of": lambda w: wa.spare_of(i64(512), f64(480)),
    "ssdpm.wa.trim": lambda w: wa.trim(f64(0.1), f64(0.1)),
    "ssdpm.wa.write_cost": lambda w: wa.write_cost(
        wa.Nand(f64(1), f64(2)), f64(2)
    ),
    "ssdpm.workload.Histogram.share_above": lambda w: w.trace.stats().gaps.share_above(
        i64(1000)
    ),
    "ssdpm.workload.Service.from_parameters": lambda w: ssdpm.Service.from_parameters(
        ssdpm.parameters(w.model)
    ),
    "ssdpm.workload.Trace.from_columns": lambda w: w.trace,
    "ssdpm.workload.Trace.from_dataframe": lambda w: ssdpm.Trace.from_dataframe(
        w.trace.to_dataframe()
    ),
    "ssdpm.workload.Trace.from_records": lambda w: ssdpm.Trace.from_records(
        w.trace.records
    ),
    "ssdpm.workload.Trace.stats": lambda w: w.trace.stats(),
    "ssdpm.workload.Trace.to_dataframe": lambda w: w.trace.to_dataframe(),
    "ssdpm.workload.fio_job": lambda w: ssdpm.fio_job("poisson"),
    "ssdpm.workload.generate": lambda w: ssdpm.generate("lomax", n_ios=i64(5)),
    "ssdpm.workload.iter_trace": lambda w: ssdpm.iter_trace(w.stored),
    "ssdpm.workload.read_trace": lambda w: ssdpm.read_trace(w.stored),
    "ssdpm.workload.trace_stats": lambda w: ssdpm.trace_stats(w.trace),
    "ssdpm.workload.workloads": lambda w: ssdpm.workloads(),
    # Classes that no function returns.
    "ssdpm.Catalogue": lambda w: ssdpm.Catalogue(),
    "ssdpm.Gaps": lambda w: w.gaps,
    "ssdpm.Simulation": World.simulation,
    "ssdpm.Sampler": lambda w: w.sampler,
    "ssdpm.Machine": lambda w: w.machine,
    "ssdpm.ftl.Drive": World.ftl_drive,
    "ssdpm.measure.Integral": World.integral,
    "ssdpm.measure.Level": World.level,
    "ssdpm.measure.Trial": World.trial,
    "ssdpm.observe.Observation": World.observation,
    "ssdpm.observe.Watch.gone": lambda w: w.live().gone(),
    "ssdpm.observe.Watch.lost": lambda w: w.live().lost(),
    "ssdpm.observe.watch": World.live,
    "ssdpm.observe.ObservationCounts": lambda w: w.observation().counts,
    "ssdpm.observe.ObservedDrive": lambda w: w.observation().drives,
    "ssdpm.measure.PowerIterator": lambda w: measure.iter_power(POWER),
    "ssdpm.quirks": lambda w: ssdpm.quirks(w.model),
}


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def members(value: object) -> Iterator[tuple[str, object]]:
    """What people reach from a value of ours: fields, slots, properties, items."""
    cls = type(value)
    names = {n for c in cls.__mro__ for n, m in vars(c).items() if isinstance(m, property)}
    names |= {n for c in cls.__mro__ for n in getattr(c, "__slots__", ())}
    names |= set(getattr(value, "__dict__", {}))
    for name in sorted(names):
        if not name.startswith("_"):
            try:
                yield f".{name}", getattr(value, name)
            except ssdpm.Error:
                pass  # It does not have that.
    # A record of a trace is an element of an array; samplers and readers go on.
    if hasattr(cls, "__getitem__") and hasattr(cls, "__len__") and cls is not ssdpm.Trace:
        if hasattr(cls, "__iter__"):
            items: Iterable[object] = value  # type: ignore[assignment]
            yield from ((f"[{n}]", one) for n, one in enumerate(items))


def walk(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """A value and everything in it, with where it is."""
    yield path, value
    inner: Iterator[tuple[str, object]] = iter(())
    if isinstance(value, Mapping):
        pairs = value.items()
        inner = (
            (f"[{key!r}]{end}", one)
            for key, item in pairs
            for end, one in ((".key", key), ("", item))
        )
    elif _is_public(type(value)) and not isinstance(value, enum.Enum):
        inner = members(value)
    elif isinstance(value, (tuple, list, set, frozenset)):
        inner = ((f"[{n}]", one) for n, one in enumerate(value))
    for name, one in inner:
        # A device knows its machine, which knows all devices.
        if isinstance(one, ssdpm.Machine) and path:
            continue
        yield from walk(one, path + name)
