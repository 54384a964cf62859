# SPDX-License-Identifier: MIT
"""TuneD, as Debian 12 and 13 have it, with the plug-in for SSDs: per device, set,
verified, and rolled back."""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from stage import BUILD, NEWER, TREE, Stage

PLUGIN = TREE / "examples/integration/tuned-plugin/plugin_ssdpm.py"
DIST = "lib/python3/dist-packages/tuned/plugins"
# What the daemon does with a section of a profile; the hardware is that of /sys.
DRIVER = """
import inspect, json, os, sys, types
from tuned.hardware.device_matcher import DeviceMatcher
from tuned.hardware.device_matcher_udev import DeviceMatcherUdev
from tuned.plugins.instance.factory import Factory
from tuned.plugins.repository import Repository
from tuned.storage.factory import Factory as Storage
from tuned.storage.pickle_provider import PickleProvider
from tuned.utils.global_config import GlobalConfig
from tuned.profiles.variables import Variables

def devices(subsystem):
    for name in sorted(os.listdir(f"/sys/class/{subsystem}" if subsystem == "nvme" else "/sys/block")):
        kind = "disk" if subsystem == "block" else None
        yield types.SimpleNamespace(subsystem=subsystem, device_type=kind, sys_name=name)

inventory = types.SimpleNamespace(
    get_devices=devices, subscribe=lambda *a: None, unsubscribe=lambda *a: None)
config = GlobalConfig("/dev/null")
repository = Repository(None, Storage(PickleProvider("/run/tuned-storage")), inventory,
    DeviceMatcher(), DeviceMatcherUdev(), Factory(), config, Variables())
plugin = repository.create("ssdpm")
plugin.init_devices()
options = json.loads(sys.argv[1])
devices_expression = sys.argv[2] or "*"
words = ["mine", devices_expression, None, None, None, options]
if "priority" in inspect.signature(plugin.create_instance).parameters:
    words.insert(1, 0)
instance = plugin.create_instance(*words)
plugin.assign_free_devices(instance)
plugin.initialize_instance(instance)
instance.apply_tuning()

def read(path):
    with open(path) as file:
        return file.read().strip()

def now():
    nvme = {n: read(f"/sys/class/nvme/{n}/power/pm_qos_latency_tolerance_us")
            for n in ("nvme0", "nvme1")}
    links = [read(f"/sys/class/scsi_host/host{i}/link_power_management_policy")
             for i in range(2)]
    return nvme, links

result = {"applied": now(), "verified": bool(instance.verify_tuning(True))}
instance.unapply_tuning()
result["rolled_back"] = now()
print("RESULT", json.dumps(result))
"""


@pytest.fixture(params=[[], [NEWER]], ids=["debian-12", "debian-13"])
def tuned(stage: Stage, request: pytest.FixtureRequest) -> Stage:
    stage.packages = request.param + stage.packages
    plugins = stage.usr / DIST
    plugins.mkdir(parents=True)
    shutil.copy(PLUGIN, plugins)
    return stage


def drive(stage: Stage, options: dict[str, str], devices: str = "") -> dict[str, object]:
    """Run TuneD's own classes with the Python of the tests, which has NumPy."""
    path = f"/usr/lib/python3/dist-packages:{BUILD / 'bindings/python'}"
    output = stage.run(
        "env", f"PYTHONPATH={path}", sys.executable, "-c", DRIVER,
        json.dumps(options), devices,
    ).stdout  # fmt: skip
    loaded = json.loads(output.split("RESULT ")[1])
    assert isinstance(loaded, dict)
    return loaded


def test_each_nvme_drive_gets_the_latency_tolerance_and_its_own_back(
    tuned: Stage,
) -> None:
    found = drive(tuned, {"max_exit_latency_us": "25000"})
    nvme, links = found["applied"]  # type: ignore[misc]
    assert nvme == {"nvme0": "25000", "nvme1": "25000"}
    assert found["verified"] is True
    nvme_back, links_back = found["rolled_back"]  # type: ignore[misc]
    assert set(nvme_back.values()) == {"100000"}
    assert links_back == links


def test_one_drive_of_many_can_have_a_policy_of_its_own(tuned: Stage) -> None:
    found = drive(tuned, {"max_exit_latency_us": "any"}, "nvme1")
    nvme, _ = found["applied"]  # type: ignore[misc]
    assert nvme == {"nvme0": "100000", "nvme1": "any"}
    assert found["verified"] is True


def test_the_link_of_a_disk_gets_the_policy_and_its_own_back(tuned: Stage) -> None:
    path = tuned.sysfs("class/scsi_host/host0/link_power_management_policy")
    before = path.read_text().strip()
    found = drive(tuned, {"lpm": "medium_power"}, "sda")
    nvme, links = found["applied"]  # type: ignore[misc]
    assert before != links[0] == "medium_power"
    assert set(nvme.values()) == {"100000"}
    assert found["rolled_back"][1][0] == before  # type: ignore[index]


def test_what_is_no_policy_sets_nothing(tuned: Stage) -> None:
    for options in ({"max_exit_latency_us": "soon"}, {"lpm": "best"}):
        found = drive(tuned, options)
        assert found["applied"] == found["rolled_back"]


def test_the_plugin_has_the_style_of_tuned() -> None:
    lines = PLUGIN.read_text().splitlines()
    assert not [line for line in lines if line.startswith(" ")]
