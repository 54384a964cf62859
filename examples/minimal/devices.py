# SPDX-License-Identifier: MIT
"""The drives of this machine: does each save power, and if not, why?

Sends no command to any drive, and needs no root. The argument, if there is one, is
a capture of another machine.
"""

from __future__ import annotations

import sys

import ssdpm


def main(root: str | None) -> None:
    for device in ssdpm.devices(root):
        print(f"{device.name}: {device.product or '-'}")
        for diagnosis in device.diagnose():
            print(f"  {diagnosis.severity}: {diagnosis.message}")
            if diagnosis.remedy is not None:
                print(f"    do: {diagnosis.remedy}")
            for change in diagnosis.changes:
                print(f"    {change.target} = {change.value}")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit("usage: devices.py [CAPTURE]")
    main(sys.argv[1] if len(sys.argv) == 2 else None)
