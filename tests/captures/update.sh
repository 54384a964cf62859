#!/bin/sh
# SPDX-License-Identifier: MIT
# Write anew what the command says of each machine; read the difference before you
# commit it. usage: update.sh BUILD
set -eu
build=$(realpath "${1:-build}")
cd "$(dirname "$0")"
for golden in *.txt; do
	../abi/golden.py --update "$golden" "$build/examples/ssdpm/ssdpm" show \
		--root "$build/tests/captures/${golden%.txt}"
done
