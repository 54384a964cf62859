# SPDX-License-Identifier: MIT
"""The devices: what a running Linux, or a capture of one, says of its SSDs, and why
each does or does not save power.

Reading sysfs sends no command to any drive. Commands are sent by what says so:
``commands=True``, Device.apst(), Device.power_state() and Device.devsleep(). All names
are those of <ssdpm/device.h>, but two: what is power_state there is pci_power_state
here, and quirks is kernel_quirks, beside the methods power_state() and quirks().
"""
