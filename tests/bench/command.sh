#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the bench "command" on the command as it is installed.
#
# usage: command.sh MESON BUILD_DIR PREFIX BINDIR LIBDIR BENCH ARGUMENT...
set -eu

meson=$1 build=$2 prefix=$3 bin=$4 lib=$5
shift 5
into=$build/bench-installed
# meson may be an interpreter and a script: two words.
$meson install -C "$build" --no-rebuild --quiet --tags runtime \
	--destdir "$into" >&2
exec "$@" "$into$prefix/$bin/ssdpm" "$into$prefix/$lib/libssdpm.so.0"
