# SPDX-License-Identifier: MIT
"""Is this wheel the Python package alone, and does it work where it stands?"""

from __future__ import annotations

import pathlib
import sys
import zipfile

import ssdpm

wheel, drive = sys.argv[1:]
for name in zipfile.ZipFile(wheel).namelist():
    path = pathlib.PurePath(name)
    if not path.parts[0].startswith("ssdpm"):
        sys.exit(f"{name}: outside the package")
    if path.suffix in (".h", ".pc", ".a", ".1", ".3") or "libssdpm" in name:
        sys.exit(f"{name}: does not belong into a wheel")
module = pathlib.Path(ssdpm.__file__).parent
if "site-packages" not in str(module):
    sys.exit(f"{module}: not the installed package")
table = ssdpm.apst(ssdpm.Model(drive))
if [(e.state, e.target) for e in table.entries] != [(0, 3), (1, 3), (2, 3)]:
    sys.exit(f"wrong table: {table!r}")
# The libraries for commands to drives need not be there.
ssdpm.devices()
for library in ("libnvme", "libatasmart"):
    if library in pathlib.Path("/proc/self/maps").read_text():
        sys.exit(f"{library}: loaded, and no command was asked for")
print(f"wheel {pathlib.Path(wheel).name}: ok")
