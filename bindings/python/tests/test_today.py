# SPDX-License-Identifier: MIT
"""A device in place of a model: its machine says what the policy of today is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import ssdpm

Maker = Callable[[str], Path]


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
    assert best == ssdpm.recommend(model, trace, today=None, pcie_link="l1")
    assert best != ssdpm.recommend(model, trace, pcie_link="l1")


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
    assert compared.policies[0].names == ("today", "medium_power")


def test_only_a_device_has_a_policy_of_today(trace: ssdpm.Trace) -> None:
    model = ssdpm.Model.catalogue("WDC PC SN530")
    assert "today" not in ssdpm.default_policies(model)
    assert ssdpm.estimate(model, trace).table == ssdpm.apst(model)
    with pytest.raises(ssdpm.UnsupportedError, match="today"):
        ssdpm.estimate(model, trace, "today")
