#!/bin/sh
# SPDX-License-Identifier: MIT
# Write anew what the command says of each machine; read the difference before you
# commit it. usage: update.sh BUILD
set -eu
build=$(realpath "${1:-build}")
cd "$(dirname "$0")"
here=$PWD
# The root is in what the command advises: a name without folders.
cd "$build/tests/captures"
for golden in "$here"/*.txt; do
	name=$(basename "$golden" .txt)
	"$here/../abi/golden.py" --update "$golden" \
		"$build/examples/ssdpm/ssdpm" show --root "$name"
done
