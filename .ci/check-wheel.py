# SPDX-License-Identifier: MIT
"""Is this wheel the Python package alone, and does it work where it stands?"""

from __future__ import annotations

import bz2
import gzip
import lzma
import pathlib
import struct
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
# What unpacks a trace is in the wheel. Zstandard: one block as it is (RFC 8878).
rows = b"0 0 8 8 1\n1 0 8 8 1\n"
zstd = struct.pack("<IBBI", 0xFD2FB528, 0x20, len(rows), len(rows) << 3 | 1)[:-1]
for packed in (
    gzip.compress(rows),
    lzma.compress(rows),
    bz2.compress(rows),
    zstd + rows,
):
    if len(ssdpm.read_trace(packed)) != 2:
        sys.exit(f"{packed[:4]!r}: wrong trace")
# The libraries for commands to drives need not be there.
ssdpm.devices()
for library in ("libnvme", "libatasmart"):
    if library in pathlib.Path("/proc/self/maps").read_text():
        sys.exit(f"{library}: loaded, and no command was asked for")
print(f"wheel {pathlib.Path(wheel).name}: ok")
