# SPDX-License-Identifier: MIT
"""The devices: what a running Linux, or a capture of one, says of its SSDs, and why
each does or does not save power.

Reading sysfs sends no command to any drive. Commands are sent by what says so:
``commands=True``, Device.apst(), Device.power_state() and Device.devsleep(). All names
are those of <ssdpm/device.h>, but two: what is power_state there is pci_power_state
here, and quirks is kernel_quirks, beside the methods power_state() and quirks().
"""

from __future__ import annotations

from ssdpm.device.facts import (
    Change,
    DevicePower,
    DeviceQuirks,
    DeviceSettings,
    Devsleep,
    Diagnosis,
    MachineFacts,
    Meter,
    Owner,
    Reading,
)
from ssdpm.device.log import Log
from ssdpm.device.machine import Device, Machine, Root, devices, find_meter, open
from ssdpm.device.sampler import Sampler

__all__ = [
    "Change",
    "Device",
    "DevicePower",
    "DeviceQuirks",
    "DeviceSettings",
    "Devsleep",
    "Diagnosis",
    "Log",
    "Machine",
    "MachineFacts",
    "Meter",
    "Owner",
    "Reading",
    "Root",
    "Sampler",
    "devices",
    "find_meter",
    "open",
]
