# SPDX-License-Identifier: MIT
"""Copy files with their folders, which meson's fs.copyfile() does not know.

usage: copy_files.py FROM TO STAMP FILE...
"""

import pathlib
import shutil
import sys

if len(sys.argv) < 4:
    sys.exit(__doc__)
source, target, stamp = map(pathlib.Path, sys.argv[1:4])
for name in sys.argv[4:]:
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source / name, target / name)
stamp.touch()
