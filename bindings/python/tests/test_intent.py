# SPDX-License-Identifier: MIT
"""What the files of ssdpm.conf(5) ask for, as steps of a plan."""

from __future__ import annotations

import copy
import errno
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import ssdpm
from ssdpm import Intent, Machine

Maker = Callable[[str], Path]

CONFIG = """[machine]
ac.max_exit_latency = 1ms
battery.max_exit_latency = 2ms

[drive]
kind = sata
desktop_profile = power-saver
lpm = medium_power
"""


def put(root: Path, text: str) -> Path:
    (root / "etc").mkdir(exist_ok=True)
    (root / "etc/ssdpm.conf").write_text(text)
    return root


def steps(root: Path, *args: object, **options: object) -> dict[str, tuple[str, str]]:
    """What each device gets, and which line says so."""
    plan = ssdpm.plan(root)
    plan.add_intent(Intent.read(root), *args, **options)  # type: ignore[arg-type]
    return {
        str(step.device): (str(step.after), str(step.origin))
        for step in plan.steps
        if step.state != "left-alone"
    }


def test_a_machine_without_files_asks_for_nothing(machine: Maker) -> None:
    root = machine("laptop")
    intent = Intent.read(root)
    assert not intent and intent.flags == frozenset()
    assert repr(intent) == f"<ssdpm.Intent of {Machine(root)!r}: nothing is asked for>"
    assert steps(root) == {}


def test_the_flags_say_what_it_is_about(machine: Maker) -> None:
    intent = Intent.read(put(machine("laptop"), CONFIG))
    assert intent
    assert intent.flags == {"sets", "by-source", "by-desktop"}
    assert repr(intent).endswith(": by-desktop, by-source, sets>")


def test_each_step_has_the_line_that_decides_it(machine: Maker) -> None:
    root = put(machine("desktop-6.1"), CONFIG)
    limit = ("1000", "/etc/ssdpm.conf, line 2")
    link = ("medium_power", "/etc/ssdpm.conf, line 8")
    assert steps(root) == {"nvme0": limit}
    assert steps(root, "nvme0") == {"nvme0": limit}
    assert steps(root, power_source="battery") == {
        "nvme0": ("2000", "/etc/ssdpm.conf, line 3")
    }
    assert steps(root, "sda", desktop_profile="power-saver") == {"sda": link}
    assert steps(root, desktop_profile="power-saver") == {
        "nvme0": limit,
        "sda": link,
        "sdb": link,
    }
    assert steps(root, "sda", desktop_profile="balanced") == {}


def test_what_the_caller_sets_has_no_line(machine: Maker) -> None:
    plan = ssdpm.plan(machine("laptop"))
    plan.add_latency_tolerance("nvme0", 25_000)
    assert [step.origin for step in plan.steps] == [None]


def test_it_is_that_of_its_files_when_they_were_read(machine: Maker) -> None:
    root = put(machine("laptop"), CONFIG)
    intent = Intent.read(Machine(root))
    put(root, "")
    assert intent and not Intent.read(root)


def test_a_fault_names_its_file_and_line(machine: Maker) -> None:
    root = put(machine("laptop"), "[machine]\nprofile = fast\n")
    with pytest.raises(ssdpm.InvalidError, match=r"/etc/ssdpm\.conf:2: unknown profile 'fast'"):
        Intent.read(root)
    put(root, "\n" * (2**20 + 1))
    with pytest.raises(ssdpm.Error) as caught:
        Intent.read(root)
    assert caught.value.errno == errno.E2BIG


def test_a_name_is_first_that_of_a_profile_of_the_files(machine: Maker) -> None:
    # On battery it is what auto is.
    root = put(machine("laptop"), "[profile power-saver]\nmax_exit_latency = 7ms\n")
    plan = ssdpm.plan(root)
    plan.add_profile("nvme0", "auto")
    assert [step.after for step in plan.steps if step.kind == "latency-tolerance"] == ["7000"]
    assert any("7000" in str(change) for item in ssdpm.report(root) for change in item.changes)
    put(root, "[profile mine]\nmax_exit_latency = 8ms\n")
    plan = ssdpm.plan(root)
    plan.add_profile_all("mine")
    assert [step.after for step in plan.steps if step.kind == "latency-tolerance"] == ["8000"]
    with pytest.raises(ssdpm.NotFoundError, match="mine"):
        plan.add_profile_all("yours")
    with pytest.raises(ssdpm.InvalidError, match=r"ssdpm\.conf:1"):
        ssdpm.report(put(root, "[drive\n"))


def test_wrong_arguments_are_refused(machine: Maker) -> None:
    root = put(machine("laptop"), CONFIG)
    intent, plan = Intent.read(root), ssdpm.plan(root)
    with pytest.raises(TypeError, match=r"made by ssdpm\.Intent\.read"):
        Intent()
    with pytest.raises(TypeError, match="intent: an ssdpm.Intent is needed"):
        plan.add_intent("auto")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="power_source"):
        plan.add_intent(intent, power_source="sun")
    with pytest.raises(TypeError, match="desktop_profile"):
        plan.add_intent(intent, desktop_profile=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="model: it is that of one device"):
        plan.add_intent(intent, model=ssdpm.Model.catalogue("SN530"))
    with pytest.raises(ssdpm.NotFoundError):
        plan.add_intent(intent, "nvme7")
    assert plan.steps == ()


def test_it_is_of_this_process(machine: Maker) -> None:
    intent = Intent.read(machine("laptop"))
    assert copy.copy(intent) is intent and copy.deepcopy(intent) is intent
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(intent)


def test_what_is_kept_is_read_until_it_is_forgotten(machine: Maker) -> None:
    root = machine("laptop")
    drive = Machine(root).open("nvme0")
    Intent.keep("max_exit_latency = 25ms", drive, root)
    Intent.keep("profile = auto\nprimary_timeout = 77ms\n", root=root)
    found = steps(root)
    assert found["nvme0"][0] == "25000"
    assert found["nvme0"][1].startswith("/etc/ssdpm.conf.d/50-local.conf, line ")
    two = "kind = nvme\n[machine]\nprofile = auto"
    for lines in ("max_exit_latency = 25", two, "profile = nobody", ""):
        with pytest.raises(ssdpm.InvalidError):
            Intent.keep(lines, drive, root)
    assert steps(root) == found
    kept = root / "etc/ssdpm.conf.d/50-local.conf"
    kept.write_text("# mine\n[machine]\n")
    Intent.keep("profile = auto", root=root)
    assert kept.read_text() == "# mine\n[machine]\n\n[machine]\nprofile = auto\n"
    Intent.forget(root)
    Intent.forget(root)
    assert not Intent.read(root)


def test_what_is_kept_until_the_boot_goes_before_what_is_kept_for_good(
    machine: Maker,
) -> None:
    root = machine("laptop")
    drive = Machine(root).open("nvme0")
    Intent.keep("max_exit_latency = 25ms", drive, root)
    Intent.keep("max_exit_latency = 7ms", drive, root, until_reboot=True)
    value, origin = steps(root)["nvme0"]
    assert value == "7000"
    assert origin.startswith("/run/ssdpm.conf.d/50-local.conf, line ")
    Intent.forget(root, until_reboot=True)
    assert steps(root)["nvme0"][0] == "25000"
    with pytest.raises(TypeError, match="until_reboot"):
        Intent.keep("profile = auto", root=root, until_reboot=1)  # type: ignore[arg-type]


def test_a_device_that_fails_is_its_own_result(machine: Maker) -> None:
    root = put(
        machine("eight-drives"),
        "[machine]\nmax_exit_latency = 25ms\n[drive]\nport = *:03:00.0\npower_state = 1\n",
    )
    plan = ssdpm.plan(root)
    plan.add_intent(Intent.read(root))
    with pytest.raises(ssdpm.UnsupportedError):
        plan.commit()
    assert plan.has_failed() and plan.has_failed("nvme2")
    assert not plan.has_failed("nvme0")
    states = {(step.device, step.kind): step.state for step in plan.steps}
    assert states["nvme0", "latency-tolerance"] == "done"
    assert states["nvme2", "latency-tolerance"] == "undone"
    plan.revert()
    strict = ssdpm.plan(root, strict=True)
    strict.add_intent(Intent.read(root))
    with pytest.raises(ssdpm.UnsupportedError):
        strict.commit()
    assert strict.has_failed("nvme0")
    assert {step.state for step in strict.steps} <= {
        "undone", "failed", "planned", "left-alone"
    }


def test_profiles_of_the_files_are_known_by_name(machine: Maker) -> None:
    text = "[profile quiet]\nac.max_exit_latency = any\nbattery.max_exit_latency = 1ms\n"
    intent = Intent.read(put(machine("laptop"), text))
    assert intent.profiles == ("quiet", "balanced", "performance", "power-saver")
    assert intent.profile("quiet").max_exit_latency_us == "any"
    assert intent.profile("quiet", "battery").max_exit_latency_us == 1000
    assert intent.profile("auto", "battery").name == "power-saver"
    with pytest.raises(ssdpm.NotFoundError, match="unknown profile 'quite'; expected quiet, "):
        intent.profile("quite")
    with pytest.raises(ValueError, match="source"):
        intent.profile("quiet", "solar")


def test_settings_are_those_that_all_drives_get(machine: Maker) -> None:
    intent = Intent.read(put(machine("laptop"), CONFIG))
    assert intent.settings().max_exit_latency_us == 1000
    assert intent.settings("battery").max_exit_latency_us == 2000
    assert intent.settings().lpms is None  # of a profile of the desktop


def test_what_files_ask_for_lasts_by_other_programs(machine: Maker) -> None:
    text = CONFIG.replace("desktop_profile = power-saver\n", "")
    intent = Intent.read(put(machine("laptop"), text + "[profile mine]\nlpm = max_performance\n"))
    (file, *_) = ssdpm.persist("tlp", files=intent).files
    assert 'SATA_LINKPWR_ON_AC="medium_power"' in file.contents
    with pytest.raises(ssdpm.InvalidError, match="read the files"):
        ssdpm.persist("udev", files=intent)
    (file, *_) = ssdpm.persist("udev", "mine", files=intent).files
    assert "--profile mine" in file.contents
    with pytest.raises(ssdpm.NotFoundError, match="unknown profile 'mine'"):
        ssdpm.persist("udev", "mine")
