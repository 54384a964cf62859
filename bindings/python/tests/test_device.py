# SPDX-License-Identifier: MIT
"""Devices: facts, models, quirks and diagnoses of machines that do not exist."""

from __future__ import annotations

import copy
import dataclasses
import errno
import gc
import json
import logging
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

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


def test_a_model_without_a_dump_is_of_the_catalogue(machine: Maker) -> None:
    root = machine("laptop")
    shutil.rmtree(root / "dumps")
    device = ssdpm.open("nvme0", root)
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
    root = machine("hostile")
    shutil.rmtree(root / "dumps")
    device = ssdpm.open("nvme0", root)
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
    root = machine("laptop")
    shutil.rmtree(root / "dumps")
    device = ssdpm.open("nvme0", root)
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
    with pytest.raises(ssdpm.NotFoundError, match="there are nvme0"):
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
