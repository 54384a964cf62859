# SPDX-License-Identifier: MIT
"""Plans: shown, committed, verified, and undone, on machines that do not exist."""

from __future__ import annotations

import dataclasses
import errno
import fcntl
import gc
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import ssdpm
from ssdpm import Machine

Maker = Callable[[str], Path]

KERNEL_MAX_US = 2**31 - 2


def tolerance(root: Path | str | None) -> int | str | None:
    return ssdpm.open("nvme0", root).latency_tolerance_us


def contents(root: Path) -> dict[str, bytes]:
    """Of all files in sysfs; the kernel ends what it shows with a newline."""
    return {
        str(path.relative_to(root)): path.read_bytes().rstrip()
        for path in (root / "sys").rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def test_a_plan_is_shown_and_writes_nothing(machine: Maker) -> None:
    root = machine("laptop")
    before = contents(root)
    with ssdpm.plan(root) as plan:
        plan.add_latency_tolerance("nvme0", 25_000)
        (step,) = plan.steps
        assert (step.kind, step.state) == ("latency-tolerance", "planned")
        assert (step.device, step.before, step.after) == ("nvme0", "100000", "25000")
        assert step.target is not None
        assert step.target.endswith("nvme0/power/pm_qos_latency_tolerance_us")
        assert step.flags == {"reversible", "until-reboot"}
        assert step.why
        assert str(plan) == str(step)
        assert "100000 -> 25000: planned" in str(step)
        assert repr(plan) == "<ssdpm.Plan 1 steps, 1 planned>"
        assert "<td>25000</td>" in plan._repr_html_()
    assert contents(root) == before
    assert not (root / "run").exists()
    assert str(ssdpm.plan(root)) == "nothing to do"


def test_leaving_the_block_undoes_what_was_committed(machine: Maker) -> None:
    root = machine("laptop")
    before = contents(root)
    with ssdpm.plan(root) as plan:
        plan.add_latency_tolerance("nvme0", 25_000)
        plan.commit()
        assert tolerance(root) == 25_000
        plan.verify()
        assert [step.state for step in plan.steps] == ["done"]
        assert plan.n_planned == 0
    assert contents(root) == before
    assert [step.state for step in plan.steps] == ["undone"]


def test_an_exception_in_the_block_undoes_it_too(machine: Maker) -> None:
    root = machine("laptop")
    with pytest.raises(ZeroDivisionError), ssdpm.plan(root) as plan:
        plan.add_latency_tolerance("nvme0", "any")
        plan.commit()
        raise ZeroDivisionError
    assert tolerance(root) == 100_000


def ctrl_c_at(words: str) -> Callable[[int, str], None]:
    """A log during which Ctrl-C is pressed, once."""
    left = [words]

    def log(level: int, text: str) -> None:
        if left and text.startswith(left[0]):
            left.clear()
            signal.raise_signal(signal.SIGINT)

    return log


@pytest.mark.parametrize("at_the_end", [False, True], ids=["commit", "end"])
def test_ctrl_c_in_a_commit_or_at_the_end_of_the_block_comes_after_it_is_undone(
    machine: Maker, at_the_end: bool
) -> None:
    root = machine("laptop")
    before = contents(root)
    one = Machine(root, log=ctrl_c_at(f'write "{100_000 if at_the_end else 25_000}"'))
    committed = False
    with pytest.raises(KeyboardInterrupt), ssdpm.plan(one) as plan:
        plan.add_latency_tolerance("nvme0", 25_000)
        plan.commit()
        committed = True
        assert tolerance(root) == 25_000
    assert committed == at_the_end
    assert [step.state for step in plan.steps] == ["undone"]
    assert contents(root) == before


def test_signals_do_not_disturb_a_commit(machine: Maker) -> None:
    root = machine("desktop-6.1")
    before = contents(root)
    heard: list[int] = []
    old = signal.signal(signal.SIGALRM, lambda number, frame: heard.append(number))
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    try:
        for _ in range(5):
            with ssdpm.plan(root) as plan:
                for device in plan.machine.devices():
                    plan.add_profile(device, "power-saver")
                plan.commit()
                plan.verify()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert len(heard) > 10
    assert contents(root) == before


def test_another_commit_is_waited_for_while_other_threads_run(machine: Maker) -> None:
    root = machine("laptop")
    plan = ssdpm.plan(root, lock_timeout_ms=300)
    plan.add_latency_tolerance("nvme0", 25_000)
    (root / "run/ssdpm").mkdir(parents=True)
    errors: list[ssdpm.Error] = []

    def commit() -> None:
        try:
            plan.commit()
        except ssdpm.Error as error:
            errors.append(error)

    with (root / "run/ssdpm/lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        thread = threading.Thread(target=commit)
        thread.start()
        turns = 0
        while thread.is_alive():
            time.sleep(0.01)
            turns += 1
    assert turns > 10
    (error,) = errors
    assert isinstance(error, ssdpm.BusyError)
    assert "it has held the lock for 300 ms" in str(error)
    plan.commit()
    assert tolerance(root) == 25_000


def test_a_search_for_what_fails_keeps_other_plans_out(machine: Maker) -> None:
    root = machine("laptop")
    directory = root / "run/ssdpm/bisect"
    directory.mkdir(parents=True)
    with ssdpm.plan(root, directory=directory) as search:
        search.add_latency_tolerance("nvme0", 0)
        search.commit()
        with ssdpm.plan(root) as plan:
            plan.add_latency_tolerance("nvme0", 25_000)
            with pytest.raises(ssdpm.BusyError, match="ssdpm bisect stop"):
                plan.commit()
        assert tolerance(root) == 0
    # It has put back what it had set.
    with ssdpm.plan(root) as plan:
        plan.add_latency_tolerance("nvme0", 25_000)
        plan.commit()
        assert tolerance(root) == 25_000


def test_threads_take_turns_with_a_plan(machine: Maker) -> None:
    root = machine("eight-drives")
    plan = ssdpm.plan(root)
    seen: list[int] = []

    def add(name: str) -> None:
        for limit in range(1, 21):
            plan.add_latency_tolerance(name, limit)
            seen.append(len(plan.steps))

    names = ["nvme0", "nvme1", "nvme2"]
    threads = [threading.Thread(target=add, args=[name]) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 60
    assert {s.device: s.after for s in plan.steps} == dict.fromkeys(names, "20")


def test_a_plan_that_is_forgotten_stays_in_force(machine: Maker) -> None:
    root = machine("laptop")
    plan = ssdpm.plan(root)
    plan.add_latency_tolerance("nvme0", 25_000)
    plan.commit()
    del plan
    gc.collect()
    assert tolerance(root) == 25_000


def test_a_plan_that_is_kept_stays_until_revert(machine: Maker) -> None:
    root = machine("laptop")
    before = contents(root)
    with ssdpm.plan(root) as plan:
        plan.add_latency_tolerance("nvme0", 25_000)
        plan.commit()
        plan.keep()
    assert tolerance(root) == 25_000
    (step,) = ssdpm.revert(root)
    assert (step.state, step.before, step.after) == ("done", "25000", "100000")
    assert contents(root) == before
    assert ssdpm.revert(root) == ()


def test_the_table_that_linux_will_build_is_predicted(machine: Maker) -> None:
    device = ssdpm.open("nvme0", machine("laptop"))
    plan = ssdpm.plan(device.machine)
    plan.add_latency_tolerance(device, 25_000)
    (planned,) = plan.tables
    assert (planned.device, planned.provenance) == ("nvme0", "reported")
    assert planned.before == device.apst()
    arguments = device.apst_params().arguments() | {"max_exit_latency_us": 25_000}
    assert planned.after == ssdpm.apst(device.model(), **arguments)
    assert planned.before != planned.after
    assert planned.built is None


def test_what_is_so_already_is_not_written(machine: Maker) -> None:
    root = machine("laptop")
    (value,) = root.glob("sys/devices/**/nvme0/power/pm_qos_latency_tolerance_us")
    before = (value.stat().st_ino, value.stat().st_mtime_ns, value.read_text())
    with ssdpm.plan(root) as plan:
        plan.add_latency_tolerance("nvme0", 100_000)
        assert [step.state for step in plan.steps] == ["in-force"]
        assert plan.n_planned == 0
        plan.commit()
    # What was asked for is recorded all the same, for a later check.
    assert (value.stat().st_ino, value.stat().st_mtime_ns, value.read_text()) == before
    assert [path.name for path in (root / "run/ssdpm").iterdir() if path.stat().st_size]


def test_parameters_of_nvme_core_are_for_all_drives(machine: Maker) -> None:
    root = machine("eight-drives")
    with ssdpm.plan(root) as plan:
        plan.add_nvme_core("apst_primary_timeout_ms", 200)
        assert [step.kind for step in plan.steps] == ["nvme-core"]
        plan.read()
        first = plan.steps[0]
        assert first.parameter == "apst_primary_timeout_ms"
        assert first.after_value is not None and first.after_value.nvme_core == 200
        assert (first.device, first.kind) == ("all", "nvme-core")
        assert "all-drives" in first.flags
        assert {step.kind for step in plan.steps[1:]} == {"rebuild"}
        plan.commit()
        assert Machine(root).facts.nvme_core["apst_primary_timeout_ms"] == 200
    assert Machine(root).facts.nvme_core["apst_primary_timeout_ms"] == 100


def test_a_port_gets_the_first_policy_that_it_takes(machine: Maker) -> None:
    root = machine("desktop-6.1")
    with ssdpm.plan(root) as plan:
        plan.add_lpm("sda", ["med_power_with_dipm", "medium_power"])
        plan.add_lpm("sdb", "medium_power")
        plan.commit()
        assert ssdpm.open("sda", root).lpm == "med_power_with_dipm"
        assert ssdpm.open("sdb", root).lpm == "medium_power"
    assert ssdpm.open("sda", root).lpm == "max_performance"
    assert ssdpm.open("sdb", root).lpm == "min_power"


def test_an_empty_port_is_left_alone_unless_any_port_is_meant(machine: Maker) -> None:
    root = machine("desktop-6.1")
    plan = ssdpm.plan(root)
    plan.add_lpm("host2", "medium_power")
    (step,) = plan.steps
    assert (step.state, step.before, step.after) == ("left-alone", None, None)
    assert str(step) == f"host2: left-alone: {step.why}"
    plan = ssdpm.plan(root)
    plan.add_lpm("host2", "medium_power", any_port=True)
    assert [step.state for step in plan.steps] == ["planned"]


def test_a_profile_is_applied_to_all_devices_and_undone(machine: Maker) -> None:
    root = machine("desktop-6.1")
    before = contents(root)
    with ssdpm.plan(root) as plan:
        for device in plan.machine.devices():
            plan.add_profile(device, "power-saver")
        plan.commit()
        plan.verify()
        assert contents(root) != before
    assert contents(root) == before


def test_a_plan_is_made_again_if_somebody_writes_meanwhile(machine: Maker) -> None:
    root = machine("laptop")
    file = root / "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
    rivals = ["701\n"]

    def fill(plan: ssdpm.Plan) -> None:
        plan.add_latency_tolerance("nvme0", 5_000)
        assert [step.after for step in plan.steps] == ["5000"]
        if rivals:
            file.write_text(rivals.pop())

    with ssdpm.plan(root) as plan:
        plan.apply(fill)
        assert [(step.before, step.state) for step in plan.steps] == [("701", "done")]
        assert file.read_text().strip() == "5000"
    assert file.read_text().strip() == "701"


def test_what_fills_a_plan_may_fail(machine: Maker) -> None:
    root = machine("laptop")
    before = contents(root)

    def fill(plan: ssdpm.Plan) -> None:
        plan.add_profile_all()
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ssdpm.plan(root).apply(fill)
    with pytest.raises(ssdpm.NotFoundError):
        ssdpm.plan(root).apply(lambda plan: plan.add_nopp("nvme7", True))
    assert contents(root) == before
    with ssdpm.plan(root) as plan:
        plan.apply(ssdpm.Plan.add_profile_all)
        assert contents(root) != before
    assert contents(root) == before


def test_a_report_says_what_a_profile_would_change(machine: Maker) -> None:
    root = machine("desktop-6.1")
    items = ssdpm.report(root, "power-saver")
    devices = ssdpm.devices(root)
    assert [item.name for item in items] == ["nvme0", "sda", "sdb"]
    for item in items:
        found = next(one for one in devices if one.name == item.name).diagnose()
        assert (item.verdict, item.message) == (found[0].code, found[0].message)
    assert (items[1].policy, items[1].reason, items[1].remedy) == (
        "max_performance",
        "lpm-off",
        "lpm",
    )
    assert items[1].remedy_changes[0].value == "med_power_with_dipm"
    assert (items[1].risk, items[2].reason, items[2].risk) == (None, None, "lpm-min-power")
    for change in items[0].changes + items[1].changes:
        # The whole name of a file that is there.
        assert (root / change.target[1:]).read_text().strip() != change.value
    with ssdpm.plan(root) as plan:
        plan.add_profile_all("power-saver")
        plan.commit()
        assert not any(item.changes for item in ssdpm.report(root, "power-saver"))


def test_a_drive_that_is_gone_does_not_keep_a_report_from_the_others(
    machine: Maker,
) -> None:
    root = machine("desktop-6.1")
    before = ssdpm.report(root)
    assert [item.error for item in before] == [None, None, None]
    drive = (root / "sys/class/nvme/nvme0").resolve()
    shutil.rmtree(drive)
    drive.mkdir()
    *others, gone = ssdpm.report(root)
    assert tuple(others) == before[1:]
    assert (gone.name, gone.error, gone.verdict) == ("nvme0", "ENODEV", None)
    assert gone.message == "no such device" and not gone.changes


def test_whether_a_profile_is_in_force_is_asked_without_a_commit(
    machine: Maker,
) -> None:
    root = machine("laptop")

    def plan() -> ssdpm.Plan:
        result = ssdpm.plan(root)
        result.add_profile("nvme0", "power-saver")
        return result

    with pytest.raises(ssdpm.NotInForceError, match="is 100, not 50"):
        plan().verify()
    plan().commit()
    plan().verify()


def test_a_profile_by_name_is_that_of_the_power_source(machine: Maker) -> None:
    laptop = Machine(machine("laptop"))  # on battery
    named, settings_ = ssdpm.plan(laptop), ssdpm.plan(laptop)
    named.add_profile("nvme0", "performance")
    settings_.add_profile("nvme0", ssdpm.profile("performance", "battery"))
    assert named.steps == settings_.steps


def test_a_profile_by_name_is_that_of_ac_where_the_source_is_not_known(
    machine: Maker,
) -> None:
    root = machine("laptop")
    for file, text in {"AC/online": "?", "BAT0/status": "Unknown"}.items():
        (root / "sys/class/power_supply" / file).write_text(f"{text}\n")
    laptop = Machine(root)
    assert laptop.facts.power_source is None
    named, settings_ = ssdpm.plan(laptop), ssdpm.plan(laptop)
    named.add_profile("nvme0", "performance")
    settings_.add_profile("nvme0", ssdpm.profile("performance", "ac"))
    assert named.steps == settings_.steps
    battery = ssdpm.plan(laptop)
    battery.add_profile("nvme0", ssdpm.profile("performance", "battery"))
    assert battery.steps != named.steps


def test_settings_of_ones_own_set_what_they_say_and_no_more(machine: Maker) -> None:
    mine = ssdpm.ProfileSettings(
        "mine", ssdpm.PowerSource.AC, max_exit_latency_us=12_345
    )
    plan = ssdpm.plan(machine("laptop"))
    plan.add_profile("nvme0", mine)
    assert [(step.kind, step.after) for step in plan.steps] == [
        ("latency-tolerance", "12345")
    ]


def test_a_table_of_ones_own_is_shown_by_its_transitions(machine: Maker) -> None:
    root = machine("laptop")
    device = ssdpm.open("nvme0", root)
    plan = ssdpm.plan(root)
    plan.add_apst(device, ssdpm.apst(device.model(), max_exit_latency_us=0))
    plan.read()
    (step,) = plan.steps
    assert step.before and step.before.startswith("PS0-PS2 to PS3 after ")
    assert step.after == "never sleeps disabled"
    change = f"Set Features 0Ch: {step.before} -> never sleeps disabled: planned"
    assert change in str(step)
    assert "<td>never sleeps disabled</td>" in plan._repr_html_()
    assert step.before_value is not None and step.after_value is not None
    assert step.before_value.table == device.apst()
    assert step.after_value.table is not None
    assert not step.after_value.table.enabled
    assert step.after_value.lpm is None and step.parameter is None
    odd = dataclasses.replace(step, before="ff" * 256, before_value=None)
    assert f"{'ff' * 256} -> never sleeps disabled" in str(odd)


def test_a_table_that_is_not_sound_is_refused(machine: Maker) -> None:
    root = machine("laptop")
    plan = ssdpm.plan(root)
    data = (5 << 3 | 100 << 8).to_bytes(8, "little") + bytes(248)
    with pytest.raises(ssdpm.InvalidError):
        plan.add_apst("nvme0", ssdpm.ApstTable.from_bytes(data))
    assert plan.steps == ()


def test_a_table_for_a_quirked_state_is_forbidden(machine: Maker) -> None:
    root = machine("quirked")
    device = ssdpm.open("nvme0", root)
    deepest = len(device.model().power_states) - 1
    data = (deepest << 3 | 100 << 8).to_bytes(8, "little") + bytes(248)
    with pytest.raises(ssdpm.AccessError) as caught:
        ssdpm.plan(root).add_apst("nvme0", ssdpm.ApstTable.from_bytes(data))
    assert isinstance(caught.value, PermissionError)


def test_a_value_that_another_changed_is_not_overwritten(machine: Maker) -> None:
    root = machine("laptop")
    plan = ssdpm.plan(root)
    plan.add_latency_tolerance("nvme0", 25_000)
    with ssdpm.plan(root) as other:
        other.add_latency_tolerance("nvme0", 50_000)
        other.commit()
        with pytest.raises(ssdpm.NotInForceError):
            plan.commit()
        assert tolerance(root) == 50_000


def test_what_another_changed_in_the_block_is_left_alone_and_the_rest_undone(
    machine: Maker,
) -> None:
    root = machine("eight-drives")
    with ssdpm.plan(root) as plan:
        for name in ("nvme0", "nvme1", "nvme2"):
            plan.add_latency_tolerance(name, 25_000)
        plan.commit()
        changed = ssdpm.open("nvme1", root).path
        assert changed is not None
        file = root / changed.lstrip("/") / "power/pm_qos_latency_tolerance_us"
        file.write_text("70000\n")
    now = {name: ssdpm.open(name, root) for name in ("nvme0", "nvme1", "nvme2")}
    limits = [one.latency_tolerance_us for one in now.values()]
    assert limits == [100_000, 70_000, 100_000]
    assert [step.state for step in plan.steps] == ["undone", "done", "undone"]
    assert "another program" in str(plan.steps[1])


def test_the_journal_is_where_the_caller_says(machine: Maker, tmp_path: Path) -> None:
    root = machine("laptop")
    plan = ssdpm.plan(root, tmp_path / "journal")
    plan.add_latency_tolerance("nvme0", 25_000)
    plan.commit()
    assert (tmp_path / "journal/lock").is_file()
    assert not (root / "run").exists()
    assert ssdpm.revert(root) == ()
    assert tolerance(root) == 25_000
    (step,) = ssdpm.revert(root, tmp_path / "journal")
    assert step.state == "done"
    assert tolerance(root) == 100_000


def test_what_is_no_longer_in_force_is_found(machine: Maker) -> None:
    root = machine("laptop")
    with ssdpm.plan(root) as plan:
        plan.add_latency_tolerance("nvme0", 25_000)
        plan.commit()
        file = next(root.glob("sys/devices/**/pm_qos_latency_tolerance_us"))
        file.write_text("70000\n")
        with pytest.raises(ssdpm.NotInForceError):
            plan.verify()
        assert [step.state for step in plan.steps] == ["differs"]
        plan.keep()


def test_a_table_that_is_not_the_predicted_one_is_found(machine: Maker) -> None:
    root = machine("laptop")
    # A root that nothing was written to has the tables of its kernel.
    (root / "ssdpm-capture").unlink()
    plan = ssdpm.plan(root)
    plan.add_latency_tolerance("nvme0", 100_000)
    plan.verify(commands=True)
    (table,) = plan.tables
    assert table.built == table.after == ssdpm.open("nvme0", root).apst()
    other = ssdpm.apst(ssdpm.open("nvme0", root).model(), max_exit_latency_us=20_000)
    (root / "dumps/nvme0.apst").write_bytes(other.to_bytes())
    plan.verify()
    with pytest.raises(ssdpm.TableDiffersError):
        plan.verify(commands=True)
    assert plan.tables[0].built == other


def test_a_root_without_the_marker_is_not_written_to(machine: Maker) -> None:
    root = machine("laptop")
    (root / "ssdpm-capture").unlink()
    plan = ssdpm.plan(root)
    plan.add_latency_tolerance("nvme0", 25_000)
    with pytest.raises(ssdpm.ReadOnlyError) as caught:
        plan.commit()
    assert caught.value.errno == errno.EROFS
    assert tolerance(root) == 100_000
    with pytest.raises(ssdpm.ReadOnlyError):
        ssdpm.persist("udev", "balanced").write(root)


def test_a_root_has_several_names(
    machine: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = machine("laptop")
    monkeypatch.chdir(root)
    device = ssdpm.open("nvme0", ".")
    for name in (root, f"{root}/", root / "sys/.."):
        plan = ssdpm.plan(name)
        plan.add_latency_tolerance(device, 25_000)
        plan.add_latency_tolerance(Path("/dev/nvme0"), 26_000)
        assert [step.after for step in plan.steps] == ["26000"]
    monkeypatch.chdir(machine("apst-off"))
    with pytest.raises(ssdpm.InvalidError, match="in a plan for"):
        ssdpm.plan(".").add_latency_tolerance(device, 25_000)


def test_a_plan_takes_the_devices_of_its_machine_only(machine: Maker) -> None:
    device = ssdpm.open("nvme0", machine("laptop"))
    plan = ssdpm.plan(machine("apst-off"))
    with pytest.raises(ssdpm.InvalidError, match="in a plan for"):
        plan.add_latency_tolerance(device, 0)
    assert plan.steps == ()


def test_arguments_that_mean_nothing_are_refused(machine: Maker) -> None:
    root = machine("desktop-6.1")
    plan = ssdpm.plan(root)
    with pytest.raises(ssdpm.UnsupportedError):
        plan.add_latency_tolerance("sda", 0)
    with pytest.raises(ssdpm.UnsupportedError):
        plan.add_lpm("nvme0", "medium_power")
    with pytest.raises(ssdpm.RangeError):
        plan.add_latency_tolerance("nvme0", 2**31)
    with pytest.raises(TypeError, match="an integer is needed, not str"):
        plan.add_latency_tolerance("nvme0", "auto")
    with pytest.raises(ssdpm.InvalidError):
        plan.add_lpm("sda", "keep_firmware_settings")
    with pytest.raises(ssdpm.InvalidError):
        plan.add_lpm("sda", [])
    with pytest.raises(ValueError, match="lpms: 'min_powe' is none of"):
        plan.add_lpm("sda", "min_powe")
    with pytest.raises(ssdpm.InvalidError):
        plan.add_nvme_core("force_apst", 1)
    with pytest.raises(ssdpm.NotFoundError):
        plan.add_profile("nvme0", "turbo")
    with pytest.raises(ssdpm.InvalidError):
        plan.revert()
    with pytest.raises(TypeError, match="settings: an ssdpm"):
        plan.add_profile("nvme0", 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="lpms: a list of policies is needed, not int"):
        plan.add_lpm("sda", 3)  # type: ignore[arg-type]
    with pytest.raises(ssdpm.RangeError, match="state_timeout_ms: 0 is not in 1"):
        ssdpm.plan(root, state_timeout_ms=0)
    with pytest.raises(ssdpm.RangeError, match="lock_timeout_ms: 0 is not in 1"):
        ssdpm.plan(root, lock_timeout_ms=0)
    with pytest.raises(TypeError, match=r"cannot pickle an ssdpm\.Plan"):
        pickle.dumps(plan)
    with pytest.raises(TypeError, match="made by ssdpm.plan"):
        ssdpm.Plan()
    assert plan.steps == ()


def test_revert_takes_no_lock_where_nothing_was_committed(machine: Maker) -> None:
    root = machine("laptop")
    (root / "ssdpm-capture").unlink()
    assert ssdpm.revert(root) == ()


def test_a_plan_is_committed_once(machine: Maker) -> None:
    with ssdpm.plan(machine("laptop")) as plan:
        plan.add_latency_tolerance("nvme0", 25_000)
        plan.commit()
        with pytest.raises(ssdpm.Error) as caught:
            plan.commit()
        assert caught.value.errno == errno.EALREADY
        plan.revert()


def test_a_log_cannot_use_the_plan_that_calls_it(machine: Maker) -> None:
    caught: list[RuntimeError] = []
    plans: list[ssdpm.Plan] = []

    def log(level: int, text: str) -> None:
        try:
            for plan in plans:
                assert plan.steps
        except RuntimeError as error:
            caught.append(error)

    one = Machine(machine("laptop"), log=log)
    device = one.open("nvme0")
    model = device.model()
    with ssdpm.plan(one) as plan:
        plan.add_latency_tolerance(device, 25_000, model)
        plans.append(plan)
        plan.commit()
        assert tolerance(one.root) == 25_000
    assert caught
    assert "a log may not use the plan" in str(caught[0])


def recovered(root: Path, directory: Path | None = None) -> int:
    """How many values a lock puts back that a killed commit left."""
    plan = ssdpm.plan(root, directory, strict=True)
    with plan.locked() as journal:
        return 0 if journal is None else journal.n_undone


def test_nothing_is_recovered_where_nothing_was_killed(
    machine: Maker, tmp_path: Path
) -> None:
    assert recovered(machine("laptop")) == 0
    assert recovered(machine("laptop"), tmp_path / "journal") == 0


KILLED = """
import os, signal, sys, ssdpm

def log(level, text):
    if text.startswith('write "26000"'):
        os.kill(os.getpid(), signal.SIGKILL)

with ssdpm.plan(ssdpm.Machine(sys.argv[1], log=log), strict=True) as plan:
    plan.add_latency_tolerance("nvme0", 25_000)
    plan.add_latency_tolerance("nvme1", 26_000)
    plan.commit()
"""


def test_what_a_killed_commit_left_is_put_back(machine: Maker) -> None:
    root = machine("eight-drives")
    before = contents(root)
    killed = subprocess.run([sys.executable, "-c", KILLED, root], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert ssdpm.open("nvme0", root).latency_tolerance_us == 25_000
    journal = ssdpm.read_journal(root)
    assert journal is not None and journal.state == "killed"
    assert journal.age_ms < 600_000
    assert recovered(root) == 2
    assert contents(root) == before
    assert recovered(root) == 0
    assert ssdpm.read_journal(root) is None


def test_a_lock_undoes_what_was_killed_and_leaves_values_of_others(
    machine: Maker,
) -> None:
    root = machine("eight-drives")
    killed = subprocess.run([sys.executable, "-c", KILLED, root], check=False)
    assert killed.returncode == -signal.SIGKILL
    limit = root / "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
    limit.write_text("777\n")
    with ssdpm.plan(root) as plan, plan.locked() as journal:
        assert journal == plan.journal and journal is not None
        assert (journal.state, journal.n_undone) == ("undone", 1)
        assert journal.n_left_alone == 1
        other = ssdpm.plan(root, lock_timeout_ms=10)
        with pytest.raises(ssdpm.BusyError), other.locked():
            pass
        plan.add_latency_tolerance("nvme1", 27_000)
        plan.commit()
        plan.verify()
        plan.keep()
    assert limit.read_text() == "777\n"
    assert ssdpm.open("nvme1", root).latency_tolerance_us == 27_000
    # A revert takes the lock by itself.
    assert [step.state for step in ssdpm.revert(root)] == ["done"]
    assert ssdpm.open("nvme1", root).latency_tolerance_us == 100_000


LIMITS = st.sampled_from([0, 1, 39_000, KERNEL_MAX_US, "any"]) | st.integers(
    0, KERNEL_MAX_US
)


@pytest.fixture(scope="module")
def laptop(machine: Maker) -> Path:
    return machine("laptop")


@settings(max_examples=50)
@given(limit=LIMITS, kept=st.booleans())
def test_what_was_committed_is_read_back_and_revert_restores(
    laptop: Path, limit: int | str, kept: bool
) -> None:
    before = contents(laptop)
    with ssdpm.plan(laptop) as plan:
        plan.add_latency_tolerance("nvme0", limit)
        device = plan.machine.open("nvme0")
        arguments = device.apst_params().arguments() | {"max_exit_latency_us": limit}
        after = ssdpm.apst(device.model(), **arguments)
        assert all(table.after == after for table in plan.tables)
        plan.commit()
        assert tolerance(laptop) == limit
        plan.verify()
        if kept:
            plan.keep()
    if kept:
        assert tolerance(laptop) == limit
        ssdpm.revert(laptop)
    assert contents(laptop) == before


@pytest.mark.parametrize("kind", ["udev", "modprobe", "systemd", "tlp", "tuned"])
def test_a_policy_that_lasts_is_shown_written_and_removed(
    machine: Maker, kind: str
) -> None:
    root = machine("laptop")
    lasting = ssdpm.persist(kind, "balanced", "balanced")
    assert lasting.files
    assert not any((root / file.path.lstrip("/")).exists() for file in lasting.files)
    lasting.write(root)
    for file in lasting.files:
        path = root / file.path.lstrip("/")
        assert path.read_text() == file.contents
        assert path.stat().st_mode & 0o777 == file.mode
    assert lasting.remove(root) == len(lasting.files)
    assert ssdpm.remove_persist(kind, root) == 0
    assert repr(lasting) == f"<ssdpm.Persist {kind}, {len(lasting.files)} files>"


def test_a_file_of_somebody_else_is_left_alone(machine: Maker) -> None:
    root = machine("laptop")
    lasting = ssdpm.persist("systemd", "balanced", command="/opt/bin/ssdpm")
    assert any("/opt/bin/ssdpm" in file.contents for file in lasting.files)
    path = root / lasting.files[0].path.lstrip("/")
    path.parent.mkdir(parents=True, exist_ok=True)
    lasting.check(root)
    path.write_text("# mine\n")
    with pytest.raises(ssdpm.ExistsError):
        lasting.check(root)
    with pytest.raises(ssdpm.ExistsError):
        lasting.write(root)
    assert lasting.remove(root) == 0
    assert path.read_text() == "# mine\n"


def test_files_say_why_on_each_power_source() -> None:
    contents = ssdpm.persist("udev", "performance", "performance").files[0].contents
    for source in ssdpm.PowerSource:
        assert ssdpm.profile("performance", source).reason in contents


def test_files_name_one_profile() -> None:
    auto = ssdpm.persist("udev", "balanced", "power-saver")
    assert "--profile auto" in auto.files[0].contents
    with pytest.raises(ssdpm.InvalidError, match="performance on AC and power-saver"):
        ssdpm.persist("udev", "performance", "power-saver")


def test_a_profile_of_ones_own_lasts_by_its_file(machine: Maker) -> None:
    text = "[mine]\nac.max_exit_latency = 25ms\nac.primary_timeout = 50ms\n"
    mine = ssdpm.profile("mine", text=text)
    with pytest.raises(ssdpm.InvalidError, match="profiles: missing"):
        ssdpm.persist("udev", mine)
    with pytest.raises(ssdpm.InvalidError, match="profiles: a path"):
        ssdpm.persist("udev", mine, profiles="mine.ini")
    lasting = ssdpm.persist("udev", mine, profiles=Path("/etc/mine.ini"))
    assert "--profile mine --profiles /etc/mine.ini" in lasting.files[0].contents


def test_settings_that_are_too_long_are_refused() -> None:
    long = ssdpm.ProfileSettings("x" * 32, ssdpm.PowerSource.AC)
    with pytest.raises(ValueError, match="name: more than 31 bytes"):
        ssdpm.persist("udev", long)
    odd = ssdpm.ProfileSettings("\udcff", ssdpm.PowerSource.AC)
    with pytest.raises(ValueError, match="name: .* has no form in UTF-8"):
        ssdpm.persist("udev", odd)
    many = ssdpm.ProfileSettings(
        "x", ssdpm.PowerSource.AC, lpms=("medium_power",) * 9
    )
    with pytest.raises(ValueError, match="lpms: more"):
        ssdpm.persist("udev", many)
    with pytest.raises(ValueError, match="kind: 'cron' is none of"):
        ssdpm.persist("cron", "balanced")


def test_a_power_state_is_planned_and_a_capture_takes_none(machine: Maker) -> None:
    root = machine("eight-drives")
    plan = ssdpm.plan(root)
    plan.add_power_state("nvme0", 2, 1)
    assert plan.steps[0].before is None
    plan.read()
    (step,) = plan.steps
    assert step.after_value is not None
    assert (step.after_value.power_state, step.after_value.workload_hint) == (2, 1)
    assert (step.kind, step.state) == ("power-state", "planned")
    assert (step.before, step.after) == ("PS0", "PS2 hint 1")
    assert step.flags == {"reversible", "until-reset"}
    assert "PS0 -> PS2 hint 1: planned" in str(step)
    with pytest.raises(ssdpm.UnsupportedError, match="takes no commands"):
        plan.commit()
    kept = ssdpm.plan(root)
    kept.add_power_state("nvme1", 2)
    assert kept.steps[0].after_value is not None
    assert kept.steps[0].after_value.workload_hint is None
    kept.read()
    assert kept.steps[0].after == "PS2 hint 2"
    so = ssdpm.plan(root)
    so.add_power_state("nvme1", 1, 2)
    so.commit()
    so.verify()
    assert so.steps[0].state == "in-force"


def test_power_states_that_cannot_be_are_refused(machine: Maker) -> None:
    root = machine("eight-drives")
    plan = ssdpm.plan(root)
    with pytest.raises(ssdpm.InvalidError, match="non-operational"):
        plan.add_power_state("nvme0", 4)
    with pytest.raises(ssdpm.InvalidError, match="hint"):
        plan.add_power_state("nvme0", 1, 8)
    with pytest.raises(ssdpm.UnsupportedError):
        plan.add_nopp("sda", True)
    with pytest.raises(ssdpm.UnsupportedError):
        plan.add_power_state("sda", 0)
    with pytest.raises(ssdpm.RangeError):
        plan.add_power_state("nvme0", -1)
    with pytest.raises(TypeError):
        plan.add_nopp("nvme0", "on")  # type: ignore[arg-type]
    assert plan.steps == ()
    other = ssdpm.plan(root)
    other.add_nopp("nvme0", True)
    other.read()
    assert other.steps[0].state == "left-alone"
    assert "no permissive mode" in str(other.steps[0].why)


def test_what_a_link_may_do_is_set_and_taken_back(machine: Maker) -> None:
    root = machine("eight-drives")
    drive = ssdpm.Machine(root).open("nvme0")
    assert drive.pcie_capable is not None
    plan = ssdpm.plan(root)
    plan.add_link("nvme0", drive.pcie_capable - {"l1.2"})
    plan.commit()
    (done,) = [step for step in plan.steps if step.state == "done"]
    assert (done.kind, done.device) == ("pcie-link", "nvme0")
    assert done.before_value is not None and done.after_value is not None
    assert (done.before_value.pcie_link, done.after_value.pcie_link) == (True, False)
    plan.revert()
    again = ssdpm.Machine(root).open("nvme0")
    assert again.pcie_enabled == drive.pcie_enabled
    other = ssdpm.plan(root)
    with pytest.raises(ssdpm.InvalidError, match="lacks a feature"):
        other.add_link("nvme0", ["l0s"])
    with pytest.raises(ValueError, match="'l3' is none of"):
        other.add_link("nvme0", "l3")
    with pytest.raises(ssdpm.UnsupportedError):
        other.add_link("sda", [])


def test_the_power_of_a_suspended_drive_is_set_and_taken_back(machine: Maker) -> None:
    root = machine("laptop")
    file = root / "sys/class/nvme/nvme0/device/d3cold_allowed"
    plan = ssdpm.plan(root)
    plan.add_d3cold("nvme0", False)
    plan.commit()
    (done,) = plan.steps
    assert (done.kind, done.device, done.state) == ("d3cold", "nvme0", "done")
    assert done.before_value is not None and done.after_value is not None
    assert (done.before_value.d3cold, done.after_value.d3cold) == (True, False)
    assert file.read_text().strip() == "0"
    plan.revert()
    assert file.read_text().strip() == "1"


def test_the_aspm_policy_is_set_for_all_and_taken_back(machine: Maker) -> None:
    root = machine("laptop")
    plan = ssdpm.plan(root)
    plan.add_aspm_policy("powersupersave")
    plan.commit()
    (done,) = plan.steps
    assert (done.kind, done.device) == ("aspm-policy", "all")
    assert done.flags == {"reversible", "all-drives", "until-reboot"}
    assert done.after_value is not None
    assert done.after_value.aspm_policy == "powersupersave"
    assert ssdpm.Machine(root).facts.aspm_policy == "powersupersave"
    plan.revert()
    assert ssdpm.Machine(root).facts.aspm_policy == "default"
    other = ssdpm.plan(root)
    with pytest.raises(ValueError, match="'fast' is none of"):
        other.add_aspm_policy("fast")


def test_commands_at_a_time_are_set_and_taken_back(machine: Maker) -> None:
    root = machine("eight-drives")
    file = root / "sys/class/block/sda/device/queue_depth"
    file.write_text("32\n")
    plan = ssdpm.plan(root)
    plan.add_queue_depth("sda", 1)
    plan.commit()
    assert file.read_text().strip() == "1"
    assert plan.steps[0].after_value is not None
    assert plan.steps[0].after_value.queue_depth == 1
    plan.revert()
    assert file.read_text().strip() == "32"
    other = ssdpm.plan(root)
    with pytest.raises(ssdpm.InvalidError, match="1 to 32"):
        other.add_queue_depth("sda", 0)
    with pytest.raises(ssdpm.UnsupportedError):
        other.add_queue_depth("nvme0", 1)


def test_what_was_applied_is_looked_at_again(machine: Maker) -> None:
    root = machine("laptop")
    plan = ssdpm.plan(root)
    plan.add_latency_tolerance("nvme0", 25_000)
    plan.commit()
    again = ssdpm.plan(root)
    again.add_applied()
    again.read()
    assert [step.state for step in again.steps] == ["in-force"]
    other = ssdpm.plan(root)
    other.add_latency_tolerance("nvme0", 50_000)
    path = root / str(other.steps[0].target).lstrip("/")
    path.write_text("7000\n")
    again = ssdpm.plan(root)
    again.add_applied()
    again.read()
    assert again.n_planned == 1
    again.commit()
    assert tolerance(root) == 25_000
    ssdpm.revert(root)
    none = ssdpm.plan(root)
    none.add_applied()
    assert none.steps == ()


def test_what_was_applied_to_one_device_is_looked_at_again(machine: Maker) -> None:
    root = machine("desktop-6.1")
    plan = ssdpm.plan(root)
    plan.add_latency_tolerance("nvme0", 25_000)
    plan.add_lpm("sda", ["med_power_with_dipm"])
    plan.commit()
    for name in ("nvme0", "sda"):
        again = ssdpm.plan(root)
        again.add_applied(name)
        again.read()
        assert [step.device for step in again.steps] == [name]
    again.add_applied("nvme0")
    assert len(again.steps) == 2
    with pytest.raises(TypeError, match="device"):
        again.add_applied(0)  # type: ignore[arg-type]


def test_a_setting_lasts_without_a_profile_and_beside_one() -> None:
    own = ssdpm.ProfileSettings("", ssdpm.PowerSource.AC, max_exit_latency_us=5_000)
    alone = ssdpm.persist("systemd", settings=own)
    assert "ssdpm apply --latency 5000us --quiet\n" in alone.files[0].contents
    assert pickle.loads(pickle.dumps(alone)) == alone
    beside = ssdpm.persist("udev", "power-saver", "power-saver", settings=own)
    assert "--profile power-saver --latency 5000us" in beside.files[0].contents
    assert beside != ssdpm.persist("udev", "power-saver", "power-saver")
    with pytest.raises(ssdpm.InvalidError, match="SATA ports alone"):
        ssdpm.persist("tlp", settings=own)
    with pytest.raises(TypeError, match=r"^settings: an? ssdpm.ProfileSettings is needed"):
        ssdpm.persist("udev", settings="balanced")  # type: ignore[arg-type]


def test_a_power_state_lasts() -> None:
    power = ssdpm.PersistPower("0000:01:00.0", "A drive", 2, 1)
    rules = ssdpm.persist("udev", powers=[power]).files[0].contents
    assert "--power-state 2 --workload-hint 1" in rules
    both = [power, ssdpm.PersistPower("0000:02:00.0", "Another", nopp=False)]
    unit = ssdpm.persist("systemd", "balanced", powers=both).files[0].contents
    assert unit.count("ExecStart=") == 3 and "--nopp off" in unit
    with pytest.raises(ssdpm.InvalidError, match="udev and systemd can"):
        ssdpm.persist("tlp", "balanced", powers=[power])
    with pytest.raises(ssdpm.InvalidError, match="ac"):
        ssdpm.persist("udev")
    with pytest.raises(ssdpm.InvalidError, match="powers"):
        ssdpm.persist("udev", powers=[dataclasses.replace(power, product="x" * 64)])
