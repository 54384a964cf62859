#!/bin/sh
# SPDX-License-Identifier: MIT
# The size of the library that distributions install: --buildtype=plain with
# -O2 -g, stripped; with the catalogue of drives, which is data, and without it.
# Neither has a limit yet.
#
# usage: library-size.sh MESON SOURCE_DIR BUILD_DIR
set -eu

meson=$1 source=$2 build=$3
# meson may be an interpreter and a script: two words.
[ -f "$build/build.ninja" ] || CFLAGS='-O2 -g' $meson setup "$build" "$source" \
	--buildtype=plain -Dpython=disabled -Dcommand=false -Dtests=disabled \
	>/dev/null
ninja -C "$build" --quiet lib/libssdpm.so.0.1.0

library=$build/lib/libssdpm.so.0.1.0
strip -o "$build/stripped" "$library"
bytes=$(wc -c <"$build/stripped")
data=$(nm -S "$library" | awk '$NF == "ssdpm_catalogue_data" { print $2 }')
awk -v bytes="$bytes" -v data="$((0x$data))" 'BEGIN {
	printf "bench library_with_catalogue_kib %.1f\n", bytes / 1024
	printf "bench library_kib %.1f\n", (bytes - data) / 1024
}'
