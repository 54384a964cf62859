#!/bin/sh
# SPDX-License-Identifier: MIT
# What the command says of each machine, for a golden test. To write shown.txt
# anew, in build/tests/captures, where the machines are:
#
#     ../../../tests/abi/golden.py --update ../../../tests/captures/shown.txt \
#         ../../../tests/captures/show-all.sh ../../examples/ssdpm/ssdpm-energy
#
# Read the difference before you commit it.
set -eu
wrapper=${MESON_EXE_WRAPPER-} # words: of another processor
for name in laptop desktop-6.1 old-5.10 eight-drives server external-ports \
	apst-empty apst-off quirked no-aspm pm-only-max-performance; do
	echo "== $name"
	# The root is in what the command advises: a name without folders.
	# shellcheck disable=SC2086
	$wrapper "$1" show --root "$name"
	echo
done
