# SPDX-License-Identifier: MIT
"""Devices: facts, models, quirks and diagnoses of machines that do not exist.

Meters by name, and samplers of them, on roots whose files a test changes.

A device in place of a model: its machine says what the policy of today is.
"""

from __future__ import annotations

import copy
import dataclasses
import errno
import gc
import itertools
import json
import logging
import math
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas
import pytest

import ssdpm
from ssdpm import Machine, PowerSource, Quirk

Maker = Callable[[str], Path]


def test_the_devices_of_a_capture_are_listed_in_their_order(machine: Maker) -> None:
    devices = ssdpm.devices(machine("eight-drives"))
    assert isinstance(devices, list)
    names = [device.name for device in devices]
    assert names == ["nvme0", "nvme1", "nvme2", "nvme3"] + [
        "sda", "sdb", "sdc", "sdd", "host4",
    ]  # fmt: skip
    assert [device.kind for device in devices] == ["nvme"] * 4 + ["sata"] * 5
    assert devices[-1].flags >= {"empty"}
    assert "empty" not in devices[-2].flags
    assert devices[-1].product is None


def test_a_controller_has_the_facts_of_sysfs(machine: Maker) -> None:
    nvme = ssdpm.open("nvme0", machine("laptop"))
    assert nvme.product == "WDC PC SN530 SDBPNPZ-512G-1002"
    assert nvme.firmware == "21106000"
    assert (nvme.pci_vendor_id, nvme.pci_device_id) == (0x15B7, 0x5008)
    assert nvme.latency_tolerance_us == 100000
    assert (nvme.reach, nvme.state, nvme.transport) == ("yes", "live", "pcie")
    assert nvme.pcie_enabled is not None
    assert "l1.2" in nvme.pcie_enabled
    assert nvme.kernel_quirks == ()
    # Of a SATA drive only: unknown here, and not 0.
    assert (nvme.host, nvme.ata_port, nvme.lpm, nvme.n_devices) == (None,) * 4


def test_a_disk_has_the_facts_of_its_port(machine: Maker) -> None:
    sda = ssdpm.open("/dev/sda", machine("eight-drives"))
    assert (sda.kind, sda.driver, sda.host) == ("sata", "ahci", 0)
    assert (sda.lpm, sda.lpm_supported) == ("med_power_with_dipm", True)
    assert (sda.devices_without_hipm, sda.n_devices) == (1, 1)
    assert sda.ahci_host_caps is not None
    assert sda.latency_tolerance_us is None


def test_any_is_a_word_and_none_is_no_apst(machine: Maker) -> None:
    assert ssdpm.open("nvme1", machine("apst-empty")).latency_tolerance_us == "any"
    assert ssdpm.open("nvme0", machine("apst-off")).latency_tolerance_us == 0
    quirked = ssdpm.open("nvme1", machine("quirked"))
    assert quirked.latency_tolerance_us is None
    assert quirked.kernel_quirks == (Quirk.NO_APST,)


def test_what_is_out_of_reach_says_why(machine: Maker) -> None:
    reaches = {device.reach for device in ssdpm.devices(machine("server"))}
    assert reaches == {"yes", "vmd", "remapped", "sas", "raid", "usb"}


def test_the_facts_of_a_machine_are_read_anew(machine: Maker) -> None:
    root = machine("laptop")
    one = Machine(root)
    facts = one.facts
    assert facts.power_source is PowerSource.BATTERY
    assert facts.sys_vendor == "LENOVO"
    assert facts.nvme_core["apst_primary_timeout_ms"] == 100
    assert facts.capture == 2
    assert hash(facts) == hash(one.facts)
    (root / "sys/class/power_supply/AC/online").write_text("1\n")
    assert one.facts.power_source is PowerSource.AC
    assert facts.power_source is PowerSource.BATTERY


def test_an_old_linux_has_no_parameters_of_apst(machine: Maker) -> None:
    one = Machine(machine("old-5.10"))
    assert one.facts.nvme_core["apst_primary_timeout_ms"] is None
    assert one.facts.nvme_core["default_ps_max_latency_us"] == 100000
    device = one.open("nvme0")
    assert device.apst_params().algorithm == "linux-legacy"


def test_a_model_is_what_the_capture_has(machine: Maker) -> None:
    device = ssdpm.open("nvme0", machine("laptop"))
    model = device.model()
    assert (model.product, len(model.power_states)) == (device.product, 5)
    assert model.provenance == "reported"


def without_dumps(machine: Maker, name: str) -> ssdpm.Device:
    root = machine(name)
    shutil.rmtree(root / "dumps")
    return ssdpm.open("nvme0", root)


def test_a_model_without_a_dump_is_of_the_catalogue(machine: Maker) -> None:
    device = without_dumps(machine, "laptop")
    assert device.model().provenance == "catalogue"
    none = ssdpm.Catalogue(
        {
            "schema": "ssdpm.model/1",
            "kind": "nvme",
            "product": device.product,
            "firmware": device.firmware,
            "states": [{"operational": True}],
        }
    )
    assert len(device.model(catalogue=none).power_states) == 1


def test_a_drive_that_nobody_knows_is_an_error(machine: Maker) -> None:
    device = without_dumps(machine, "hostile")
    with pytest.raises(ssdpm.Error):
        device.model()
    assert device.known_model() is None
    assert device.diagnose()[0].code == "not-known"


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("laptop", "nvme0"),
        ("desktop-6.1", "nvme0"),
        ("old-5.10", "nvme0"),
        ("apst-empty", "nvme0"),
        ("apst-empty", "nvme1"),
        ("quirked", "nvme0"),
    ],
)
def test_the_table_that_is_predicted_is_the_table_in_force(
    machine: Maker, name: str, device: str
) -> None:
    one = ssdpm.open(device, machine(name))
    model = one.model()
    assert ssdpm.apst(model, **one.apst_params().arguments()) == one.apst()


def test_the_quirks_say_whose_they_are(machine: Maker) -> None:
    new = ssdpm.open("nvme0", machine("quirked")).quirks()
    assert new == ssdpm.DeviceQuirks((Quirk.NO_DEEPEST_PS,), from_kernel=True)
    old = ssdpm.open("nvme2", machine("eight-drives"))
    assert old.quirks() == ssdpm.DeviceQuirks((Quirk.NO_DEEPEST_PS,), False)
    explained = ssdpm.quirks(old.model(), host=old.quirks_host())
    assert explained.quirks == old.quirks().quirks
    assert "A2000" in explained.matches[0].reason


def test_a_prediction_takes_what_the_machine_says(machine: Maker) -> None:
    root = machine("no-aspm")
    unmanaged = ssdpm.open("nvme0", root)
    now = unmanaged.settings()
    assert (now.quirks, now.pcie_link, now.lpm) == ((), None, None)
    assert now.apst == ssdpm.apst(unmanaged.model())
    assert ssdpm.open("nvme1", root).settings().pcie_link == "l0"
    laptop = ssdpm.open("nvme0", machine("laptop"))
    assert laptop.settings().pcie_link == "l1.2"
    model = unmanaged.model()
    found = {
        link: next(p for p in ssdpm.parameters(model, link) if p.kind == "link_power_uw")
        for link in (None, "l0", "l1.2")
    }
    assert found[None].low == found["l1.2"].low
    assert found[None].high == found["l0"].high
    without = ssdpm.open("nvme3", machine("eight-drives")).settings()
    assert without.quirks is not None
    assert Quirk.NO_APST in without.quirks
    disk = ssdpm.open("sdb", machine("eight-drives")).settings()
    assert (disk.quirks, disk.pcie_link, disk.lpm) == (None, None, "med_power_with_dipm")


def test_a_diagnosis_has_a_verdict_evidence_and_advice(machine: Maker) -> None:
    device = ssdpm.open("nvme1", machine("apst-empty"))
    found = device.diagnose()
    assert (found[0].code, found[0].severity) == ("saves-less", "problem")
    unused = next(one for one in found if one.code == "state-not-used")
    assert "113 ms" in unused.message
    assert unused.advice is not None
    assert str(unused) == f"{unused.message}; {unused.advice}"
    assert unused.remedy == "latency-tolerance"
    assert unused.changes == (
        ssdpm.Change("nvme_core.apst_secondary_latency_tol_us", "113000"),
    )
    assert str(found[0]) == found[0].message


def test_each_call_of_an_advice_has_the_root_of_the_machine(machine: Maker) -> None:
    root = machine("desktop-6.1")
    advices = [one.advice for one in ssdpm.open("sda", root).diagnose() if one.advice]
    calls = [call for advice in advices for call in advice.split("ssdpm ")[1:]]
    assert calls
    for call in calls:
        assert re.match(rf"\w+ --root '?{re.escape(str(root))}'? ", call), call


def test_a_diagnosis_looks_at_the_table_that_it_is_given(machine: Maker) -> None:
    device = ssdpm.open("nvme0", machine("laptop"))
    empty = ssdpm.ApstTable.from_bytes(bytes(256))
    codes = {one.code for one in device.diagnose(table=empty)}
    assert codes & {"table-differs", "apst-empty"}
    codes = {one.code for one in device.diagnose(table=device.apst())}
    assert not codes & {"table-differs", "apst-empty"}


def test_every_diagnosis_of_every_machine_has_words(machine: Maker) -> None:
    for name in ("desktop-6.1", "eight-drives", "server", "external-ports", "quirked"):
        for device in ssdpm.devices(machine(name)):
            found = device.diagnose()
            assert found
            for one in found:
                assert one.code
                assert one.severity in {"good", "note", "problem", "unknown"}
                assert one.message.isprintable()
            assert found[0].severity != "note" or device.reach != "yes" or (
                "empty" in device.flags
            )


def test_commands_that_a_capture_cannot_answer_are_errors(machine: Maker) -> None:
    device = without_dumps(machine, "laptop")
    with pytest.raises(ssdpm.NotFoundError):
        device.apst()
    with pytest.raises(ssdpm.NotFoundError):
        device.power_state()
    with pytest.raises(ssdpm.UnsupportedError):
        device.devsleep()


def test_what_limits_the_power_is_read(machine: Maker) -> None:
    root = machine("eight-drives")
    power = ssdpm.open("nvme1", root).power()
    assert (power.power_state, power.workload_hint, power.asleep) == (1, 2, False)
    assert (power.light_throttle_k, power.heavy_throttle_k) == (343, 0)
    assert (power.min_throttle_k, power.max_throttle_k) == (321, 356)
    assert power.nopp is True and power.power_measurement is True
    assert (power.power_limit_uw, power.power_limit_w) == (6_000_000, 6.0)
    everything = {"state", "workload-hint", "nopp", "thermal", "limit", "measurement"}
    assert power.supported == everything
    power = ssdpm.open("nvme0", root).power()
    assert power.supported == {"state", "workload-hint"}
    assert power.min_throttle_k is None and power.max_throttle_k is None
    assert (power.power_state, power.nopp, power.power_limit_w) == (0, None, None)
    (root / "dumps/nvme1.power").write_text("power_state 4\n")
    power = ssdpm.open("nvme1", root).power()
    assert power.asleep and power.workload_hint is None
    with pytest.raises(ssdpm.UnsupportedError):
        ssdpm.open("sda", root).power()
    (root / "dumps/nvme1.power").write_text("power_state 99\n")
    with pytest.raises(ssdpm.InvalidError):
        ssdpm.open("nvme1", root).power()


def test_devsleep_is_what_the_log_says(machine: Maker) -> None:
    root = machine("desktop-6.1")
    assert ssdpm.open("sda", root).devsleep() == ssdpm.Devsleep(True, 10, 20)
    with pytest.raises(ssdpm.UnsupportedError):
        ssdpm.open("nvme0", root).devsleep()


def test_owners_and_meters_are_named(machine: Maker) -> None:
    laptop = Machine(machine("laptop"))
    owners = laptop.owners()
    assert {owner.kind for owner in owners} == {"tlp"}
    assert any(owner.setting.startswith("SATA_LINKPWR_ON_BAT") for owner in owners)
    first = owners[0]
    assert str(first).startswith(f"{first.path}:{first.line}: ")
    assert {"battery", "rapl"} <= {meter.kind for meter in laptop.meters()}


def test_a_file_of_ours_is_an_owner_as_a_whole(machine: Maker) -> None:
    root = machine("laptop")
    ssdpm.persist("udev", "balanced").write(root)
    (ours,) = (one for one in Machine(root).owners() if one.kind == "ssdpm")
    assert ours.line is None
    assert str(ours) == f"{ours.path}: {ours.setting}"


def test_the_table_of_a_live_drive_is_not_asked_for(machine: Maker) -> None:
    device = ssdpm.open("nvme0", machine("laptop"))
    assert device.known_table() == device.apst()
    device.machine._root = None
    assert device.known_table() is None


def test_a_capture_of_a_capture_says_the_same(machine: Maker, tmp_path: Path) -> None:
    one = Machine(machine("eight-drives"))
    copy = tmp_path / "copy"
    one.capture(copy)
    assert ssdpm.devices(copy) == one.devices()
    with pytest.raises(ssdpm.ExistsError) as caught:
        one.capture(copy)
    assert isinstance(caught.value, FileExistsError)
    secrets = [
        path
        for path in copy.rglob("*")
        if path.is_file() and not path.is_symlink() and b"SECRET" in path.read_bytes()
    ]
    assert secrets == []


def test_a_name_that_there_is_not_gets_those_that_there_are(machine: Maker) -> None:
    with pytest.raises(ssdpm.NotFoundError, match="sda"):
        ssdpm.open("sdq", machine("desktop-6.1"))


def test_a_root_that_there_is_not_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ssdpm.NotFoundError) as caught:
        Machine(tmp_path / "none")
    assert caught.value.errno == errno.ENOENT
    with pytest.raises(TypeError, match="root: a path is needed, not int"):
        Machine(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="zero byte"):
        Machine("a\0b")
    with pytest.raises(TypeError, match="log: "):
        Machine(tmp_path, log=3)  # type: ignore[arg-type]


def test_this_machine_can_be_asked() -> None:
    one = Machine()
    assert (one.root, repr(one), one.facts.capture) == (None, "<ssdpm.Machine>", 0)
    assert one.facts.linux_release == os.uname().release
    assert isinstance(ssdpm.devices(), list)


def test_a_device_is_a_value(machine: Maker) -> None:
    root = machine("laptop")
    one, other = ssdpm.open("nvme0", root), ssdpm.open("nvme0n1", root)
    assert one == other
    assert hash(one) == hash(other)
    with pytest.raises(AttributeError):
        one.name = "x"  # type: ignore[misc]
    with pytest.raises(TypeError, match=r"cannot pickle an ssdpm\.Device.*open them"):
        pickle.dumps(one)
    assert copy.copy(one) is one
    assert copy.deepcopy([one, one.machine]) == [one, one.machine]
    assert repr(one) == (
        "<ssdpm.Device nvme0 nvme 'WDC PC SN530 SDBPNPZ-512G-1002' "
        "latency_tolerance_us=100000>"
    )
    html = one._repr_html_()
    assert "<td>latency_tolerance_us</td><td>100000</td>" in html
    assert "<td>pci_vendor_id</td><td>0x15b7</td>" in html
    assert "_handle" not in html


def test_devices_are_rows_and_their_facts_columns(machine: Maker) -> None:
    devices = ssdpm.devices(machine("eight-drives"))
    frame = pandas.DataFrame(devices)
    assert list(frame["name"]) == [one.name for one in devices]
    assert {"lpm", "latency_tolerance_us"} <= set(frame.columns)
    assert not {"machine", "_machine", "_handle"} & set(frame.columns)
    assert dataclasses.asdict(devices[0])["product"] == devices[0].product


def test_facts_of_a_machine_go_to_other_processes_and_to_json(machine: Maker) -> None:
    facts = Machine(machine("laptop")).facts
    assert pickle.loads(pickle.dumps(facts)) == facts
    said = json.loads(json.dumps(dataclasses.asdict(facts)))
    assert said["power_source"] == "battery"
    assert said["nvme_core"] == facts.nvme_core


def test_listing_and_diagnosing_loads_no_library_for_commands(machine: Maker) -> None:
    code = (
        "import ssdpm, sys\n"
        "for root in (None, *sys.argv[1:]):\n"
        "    for device in ssdpm.devices(root):\n"
        "        device.diagnose()\n"
        "print(open('/proc/self/maps').read())\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, machine("desktop-6.1")],
        capture_output=True,
        check=True,
        text=True,
    )
    assert "/_core." in result.stdout
    for library in ("libnvme", "libatasmart"):
        assert library not in result.stdout


def test_a_device_is_opened_by_a_path_too(machine: Maker) -> None:
    root = machine("laptop")
    assert ssdpm.open(Path("/dev/nvme0"), root) == ssdpm.open("nvme0", root)
    with pytest.raises(ssdpm.NotFoundError, match="expected nvme0"):
        ssdpm.open("nvme\udcff", root)
    with pytest.raises(TypeError, match="name: a path is needed, not int"):
        ssdpm.open(3, root)  # type: ignore[arg-type]


def test_a_drive_whose_path_no_kernel_gives_is_not_there(machine: Maker) -> None:
    root = machine("laptop")
    bridge = next(root.glob("sys/devices/pci*"))
    odd = Path(os.fsdecode(os.fsencode(bridge) + b"\xff"))
    bridge.rename(odd)
    link = root / "sys/class/nvme/nvme0"
    target = os.readlink(link).replace(bridge.name, odd.name)
    link.unlink()
    link.symlink_to(target)
    with pytest.raises(ssdpm.NotFoundError):
        ssdpm.open("nvme0", root)


def test_what_a_stranger_wrote_is_text_in_a_notebook(machine: Maker) -> None:
    root = machine("laptop")
    model = next(root.glob("sys/devices/**/nvme0/model"))
    model.write_text("<script>&\n")
    html = ssdpm.open("nvme0", root)._repr_html_()
    assert "<td>&lt;script&gt;&amp;</td>" in html


def test_a_device_outlives_its_machine(machine: Maker) -> None:
    device = ssdpm.open("nvme0", machine("laptop"))
    gc.collect()
    assert device.model().product == device.product
    assert device.machine.facts.sys_vendor == "LENOVO"


def test_what_nobody_holds_is_closed_even_if_its_log_holds_it(machine: Maker) -> None:
    class Program:
        def __init__(self, root: Path) -> None:
            self.heard: list[str] = []
            self.machine = Machine(root, log=self.hear)

        def hear(self, level: int, text: str) -> None:
            self.heard.append(text)

    root = machine("laptop")
    gc.collect()
    before = set(os.listdir("/proc/self/fd"))
    program = Program(root)
    (device,) = program.machine.devices()
    assert program.heard
    gone = weakref.ref(program)
    del program
    gc.collect()
    assert gone() is not None  # by its device
    assert device.model().product == device.product
    del device
    gc.collect()
    assert gone() is None
    assert set(os.listdir("/proc/self/fd")) <= before


def test_a_logger_hears_as_much_as_its_level_has_it(
    machine: Maker, caplog: pytest.LogCaptureFixture
) -> None:
    root = machine("laptop")
    with caplog.at_level(logging.DEBUG, "ssdpm"):
        ssdpm.devices(root)
    assert any("nvme0/model" in record.message for record in caplog.records)
    assert {record.name for record in caplog.records} == {"ssdpm"}
    caplog.clear()
    with caplog.at_level(logging.WARNING, "ssdpm"):
        ssdpm.devices(root)
    assert not caplog.records


def test_what_a_logger_does_not_want_is_not_made(machine: Maker) -> None:
    class Counting(logging.Logger):
        levels: ClassVar[list[int]] = []

        def log(self, level: int, *rest: object, **more: object) -> None:
            self.levels.append(level)

    root = machine("laptop")
    Machine(root, log=Counting("mine", logging.WARNING)).devices()
    assert Counting.levels == []
    Machine(root, log=Counting("mine", logging.DEBUG)).devices()
    assert set(Counting.levels) == {logging.DEBUG}


def test_a_callable_hears_everything_without_a_newline(machine: Maker) -> None:
    heard: list[tuple[int, str]] = []
    one = Machine(machine("laptop"), log=lambda level, text: heard.append((level, text)))
    one.devices()
    assert {level for level, _ in heard} <= {10, 20, 30}
    assert any("nvme0/model" in text for _, text in heard)
    assert not any("\n" in text for _, text in heard)


def test_a_log_that_raises_does_not_stop_the_call(
    machine: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda one: told.append(one.exc_value))

    def fail(level: int, text: str) -> None:
        raise ZeroDivisionError(text)

    assert len(Machine(machine("laptop"), log=fail).devices()) == 1
    assert told
    assert all(isinstance(one, ZeroDivisionError) for one in told)


def test_ctrl_c_in_a_log_is_raised_after_the_call(
    machine: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)

    def interrupt(level: int, text: str) -> None:
        raise KeyboardInterrupt

    one = Machine(machine("laptop"), log=interrupt)
    with pytest.raises(KeyboardInterrupt):
        one.devices()
        for _ in range(1000):  # where a signal is heard
            pass
    assert not told


def test_threads_share_a_machine(machine: Maker) -> None:
    heard: list[str] = []
    one = Machine(machine("eight-drives"), log=lambda _, text: heard.append(text))
    first = one.devices()
    results: list[bool] = []

    def read() -> None:
        for _ in range(5):
            results.append(one.devices() == first)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 20
    assert heard


def put(folder: Path, **texts: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(f"{text}\n")
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    battery = tmp_path / "sys/class/power_supply/BAT0"
    put(battery, type="Battery", status="Discharging", power_now=6200000)
    put(battery, energy_now=41000000)
    return tmp_path


def battery_of(root: Path) -> Path:
    return root / "sys/class/power_supply/BAT0"


def test_meters_are_found_by_name_and_path(root: Path) -> None:
    meter = ssdpm.find_meter("BAT0", root)
    assert meter == ssdpm.Machine(root).meters()[0]
    assert meter == ssdpm.Machine(root).find_meter(meter.path)
    assert meter == ssdpm.find_meter("battery", root)
    assert meter == ssdpm.find_meter("machine", root)
    with pytest.raises(ssdpm.NotFoundError, match="expected BAT0"):
        ssdpm.find_meter("BAT1", root)
    with pytest.raises(ssdpm.UnsupportedError, match="capture"):
        ssdpm.find_meter("command:echo 5", root)
    with pytest.raises(TypeError, match="name: a str is needed"):
        ssdpm.find_meter(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="zero byte"):
        ssdpm.find_meter("BAT0\0", root)


def test_drives_of_a_capture_are_no_meters(machine: Maker) -> None:
    with pytest.raises(ssdpm.UnsupportedError):
        ssdpm.find_meter("nvme0", machine("laptop"))


def test_a_reading_has_power_energy_and_time(root: Path) -> None:
    with ssdpm.Sampler("BAT0", root) as sampler:
        first = sampler.read()
        assert (first.power_w, first.energy_j) == (6.2, 0)
        assert not (first.same or first.wrapped or first.reset)
        put(battery_of(root), energy_now=40999990)
        second = sampler.read()
        assert second.energy_j == pytest.approx(0.036)
        assert second.left_j == pytest.approx(40.99999 * 3600)
        assert second.same and not second.charge_counter
        assert second.time_ns > first.time_ns
        assert first.update_ns is second.update_ns is None
        put(battery_of(root), power_now=6100000)
        last = [sampler.read() for _ in range(8)][-1]
        assert last.update_ns is not None
        assert last.update_ns == last.time_ns - first.time_ns


def test_a_counter_has_no_power_at_first_and_may_wrap(root: Path) -> None:
    zone = root / "sys/class/powercap/intel-rapl:0"
    put(zone, name="package-0", energy_uj=9_000_000, max_energy_range_uj=10_000_000)
    sampler = ssdpm.Sampler("package-0", root)
    first = sampler.read()
    assert math.isnan(first.power_w) and first.energy_j == 0
    put(zone, energy_uj=0)
    second = sampler.read()
    assert second.wrapped and not second.reset
    assert second.energy_j == 1
    assert second.power_w == pytest.approx(1e9 / (second.time_ns - first.time_ns))
    put(zone, energy_uj=20_000_000, max_energy_range_uj="none")
    put(zone, energy_uj=1)
    third = sampler.read()
    assert third.energy_j >= 0


def test_what_charges_or_is_gone_is_an_error_of_its_own(root: Path) -> None:
    sampler = ssdpm.Sampler("BAT0", root)
    put(battery_of(root), status="Charging")
    with pytest.raises(ssdpm.BusyError, match="unplug the charger"):
        sampler.read()
    with pytest.raises(ssdpm.BusyError):
        ssdpm.Sampler("BAT0", root)
    put(battery_of(root), status="Discharging", power_now="x")
    with pytest.raises(ssdpm.InvalidError, match="holds no number"):
        sampler.read()
    (battery_of(root) / "power_now").unlink()
    with pytest.raises(ssdpm.GoneError, match="is gone"):
        sampler.read()
    put(battery_of(root), power_now=5000000)
    assert sampler.read().power_w == 5


def test_a_command_is_a_meter() -> None:
    sampler = ssdpm.Sampler("command:echo 5210 mW")
    assert sampler.meter == ssdpm.Meter("command", "command", "echo 5210 mW", True)
    assert sampler.read().power_w == 5.21
    assert math.isnan(sampler.read().energy_j)
    with pytest.raises(ssdpm.GoneError, match="status 3"):
        ssdpm.Sampler("command:exit 3").read()


def test_iteration_waits_for_the_interval(root: Path) -> None:
    sampler = ssdpm.Sampler("BAT0", root, interval_s=0.02)
    times = [reading.time_ns for reading in itertools.islice(sampler, 4)]
    assert times[-1] - times[0] >= 3 * 0.02e9 * 0.9


def test_a_record_is_what_the_measurement_takes(root: Path) -> None:
    sampler = ssdpm.Sampler("BAT0", root, interval_s=0.02)
    times, power = sampler.record(0.2)
    assert times.dtype == np.int64 and power.dtype == np.float64
    assert 2 <= len(times) == len(power) <= 12
    energy = ssdpm.measure.energy(power, times=times)
    assert energy.energy_j == pytest.approx(6.2 * (times[-1] - times[0]) / 1e9)


def test_a_record_keeps_what_was_measured_before_the_meter_failed(
    tmp_path: Path,
) -> None:
    count = tmp_path / "count"
    line = f"echo x >> {count}; test $(wc -l < {count}) -lt 4 && echo 5"
    sampler = ssdpm.Sampler(f"command:{line}", interval_s=0.01)
    with pytest.warns(RuntimeWarning, match="ended after 3 readings"):
        times, power = sampler.record(math.inf)
    assert list(power) == [5, 5, 5] and len(times) == 3
    with pytest.raises(ssdpm.GoneError):
        sampler.record(1)


def test_ctrl_c_ends_a_record(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    naps = iter([None, None, KeyboardInterrupt()])

    def sleep(_: float) -> None:
        nap = next(naps)
        if nap is not None:
            raise nap

    monkeypatch.setattr("ssdpm.device.sampler.time.sleep", sleep)
    _, power = ssdpm.Sampler("BAT0", root, interval_s=0.01).record(math.inf)
    assert list(power) == [6.2] * 3


def test_a_closed_sampler_reads_nothing(root: Path) -> None:
    with ssdpm.Sampler("BAT0", root) as sampler:
        pass
    with pytest.raises(ValueError, match="closed"):
        sampler.read()
    sampler.close()


def test_several_threads_may_share_a_sampler(root: Path) -> None:
    sampler = ssdpm.Sampler("BAT0", root)
    powers: list[float] = []

    def read() -> None:
        powers.extend(sampler.read().power_w for _ in range(50))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert powers == [6.2] * 200


def test_arguments_are_checked(root: Path) -> None:
    with pytest.raises(TypeError, match=r"ssdpm\.Meter is needed"):
        ssdpm.Sampler(5, root)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="interval_s: seconds are needed"):
        ssdpm.Sampler("BAT0", root, interval_s="1")  # type: ignore[arg-type]
    for seconds in (0, -1, math.inf, math.nan):
        with pytest.raises(ssdpm.RangeError, match="interval_s"):
            ssdpm.Sampler("BAT0", root, interval_s=seconds)
    with pytest.raises(ssdpm.RangeError, match="duration_s"):
        ssdpm.Sampler("BAT0", root).record(0)
    with pytest.raises(ValueError, match="none of 'battery'"):
        ssdpm.Sampler(ssdpm.Meter("scale", "x", "/x/y", True), root)
    with pytest.raises(ssdpm.InvalidError, match="no path"):
        ssdpm.Sampler(ssdpm.Meter("hwmon", "x", "y", True), root)


def test_a_sampler_is_of_this_process_and_prints_its_meter(root: Path) -> None:
    sampler = ssdpm.Sampler("BAT0", root, interval_s=2)
    assert repr(sampler) == "<ssdpm.Sampler 'BAT0', each 2 s>"
    assert copy.copy(sampler) is sampler
    with pytest.raises(TypeError, match=r"cannot pickle an ssdpm\.Sampler"):
        pickle.dumps(sampler)


@pytest.fixture(scope="module")
def trace() -> ssdpm.Trace:
    return ssdpm.generate("lomax", n_ios=300)


def test_a_device_brings_its_link_and_its_table(
    machine: Maker, trace: ssdpm.Trace
) -> None:
    root = machine("desktop-6.1")
    tolerance = "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
    (root / tolerance).write_text("0\n")
    device = ssdpm.open("nvme0", root)
    # The table that was read counts more than the limit.
    assert device.settings().apst == ssdpm.apst(device.model())
    (root / "dumps/nvme0.apst").unlink()
    device = ssdpm.open("nvme0", root)
    model = device.model()
    now = device.settings()
    assert now.pcie_link == "l1"
    assert now.apst == ssdpm.apst(model, **device.apst_params().arguments())
    assert now.apst != ssdpm.apst(model)

    taken = ssdpm.estimate(device, trace)
    awake = ssdpm.estimate(model, trace, None, pcie_link="l1")
    assert (taken.table, taken.parameters) == (now.apst, awake.parameters)
    assert (taken.low, taken.high) == (awake.low, awake.high)
    passed = ssdpm.estimate(device, trace, "linux", pcie_link="l0")
    assert passed == ssdpm.estimate(model, trace, "linux", pcie_link="l0")
    assert ssdpm.parameters(device) == ssdpm.parameters(model, "l1")

    compared = ssdpm.compare(device, trace)
    assert "today" in compared.policies[0].names
    assert "none" in compared.policies[0].names
    assert compared["linux"].saving.nominal_uw > 0
    best = ssdpm.recommend(device, trace)
    # A device has its name in the changes, and a model has none.
    without = [dataclasses.replace(one, changes=()) for one in best]
    same = ssdpm.recommend(model, trace, today=None, pcie_link="l1")
    assert without == [dataclasses.replace(one, changes=()) for one in same]
    assert "/nvme0/" in best[0].changes[0].target
    assert "/nvmeN/" in same[0].changes[0].target
    assert best != ssdpm.recommend(model, trace, pcie_link="l1")


def test_patience_sets_the_limits_of_recommend(
    machine: Maker, trace: ssdpm.Trace
) -> None:
    device = ssdpm.open("nvme0", machine("desktop-6.1"))
    limits = {}
    for word in ("normal", "patient", "instant"):
        found = ssdpm.recommend(device, trace, patience=word)
        bounds = json.loads(found.to_json())["bounds"]
        assert (bounds["patience"], bounds["by_default"]) == (word, True)
        limits[word] = bounds["max_delay_p99_ns"]
    assert limits["instant"] < limits["normal"] < limits["patient"]
    given = ssdpm.recommend(device, trace, max_exit_latency_us="any")
    bounds = json.loads(given.to_json())["bounds"]
    assert bounds["max_exit_latency_us"] is None and bounds["max_delay_p99_ns"] == limits["normal"]
    assert bounds["patience"] == "normal" and not bounds["by_default"]
    with pytest.raises(ValueError, match="patience: 'slow' is none of"):
        ssdpm.recommend(device, trace, patience="slow")
    given = ssdpm.recommend(device, trace, patience="patient", max_delay_p99_ns=1)
    assert json.loads(given.to_json())["bounds"]["max_delay_p99_ns"] == 1


def test_a_link_that_nobody_manages_is_a_range(
    machine: Maker, trace: ssdpm.Trace
) -> None:
    device = ssdpm.open("nvme0", machine("no-aspm"))
    found = ssdpm.estimate(device, trace)
    assert found == ssdpm.estimate(device.model(), trace, pcie_link=None)
    link = next(p for p in found.parameters if p.kind == "link_power_uw")
    assert link.low < link.high


def test_a_device_brings_its_quirks(machine: Maker, trace: ssdpm.Trace) -> None:
    device = ssdpm.open("nvme1", machine("quirked"))
    for table in ("linux", "today", "lower-envelope"):
        assert ssdpm.estimate(device, trace, table).nominal.n_wakes == 0
    for one in ssdpm.recommend(device, trace):
        assert one.saving is None or not one.saving.nominal_uw


def test_a_port_brings_its_link_policy(machine: Maker, trace: ssdpm.Trace) -> None:
    root = machine("desktop-6.1")
    for path in root.glob("sys/class/scsi_host/*/link_power_management_policy"):
        path.write_text("medium_power\n")
    device = ssdpm.open("sda", root)
    assert ssdpm.estimate(device, trace).lpm == "medium_power"
    assert ssdpm.estimate(device, trace, lpm="min_power").lpm == "min_power"
    compared = ssdpm.compare(device, trace)
    # The host cannot put the link of this drive to sleep.
    assert compared.policies[0].names == ("today", "medium_power", "none")


def test_only_a_device_has_a_policy_of_today(trace: ssdpm.Trace) -> None:
    model = ssdpm.Model.catalogue("WDC PC SN530")
    assert "today" not in ssdpm.default_policies(model)
    assert ssdpm.estimate(model, trace).table == ssdpm.apst(model)
    with pytest.raises(ssdpm.UnsupportedError, match="today"):
        ssdpm.estimate(model, trace, "today")
