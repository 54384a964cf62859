#!/bin/sh
# SPDX-License-Identifier: MIT
# What distributions install: --buildtype=plain with -O2 -g, stripped. libssdpm is
# counted without the catalogue of drives, which is data, and so are its symbols
# without those that give a word for a value and back; the intent stage has eight.
#
# usage: library-size.sh MESON SOURCE_DIR BUILD_DIR
set -eu

meson=$1 source=$2 build=$3
# meson may be an interpreter and a script: two words.
[ -f "$build/build.ninja" ] || CFLAGS='-O2 -g' $meson setup "$build" "$source" \
	--buildtype=plain -Dpython=disabled -Dcommand=false -Dtests=disabled \
	>/dev/null
core=lib/libssdpm.so.0.1.0
energy=lib/energy/libssdpm-energy.so.0.1.0
ninja -C "$build" --quiet $core $energy

# installed LIBRARY: how many bytes
installed() {
	strip -o "$build/stripped" "$build/$1"
	wc -c <"$build/stripped"
}

# A program with what it needs of the library in it, and the C library outside.
rm -f "$build/core.a"
ar rc "$build/core.a" "$build/$core.p"/*.o "$build"/lib/libssdpm-base.a.p/*.o
${CC:-cc} -O2 -o "$build/linked" -I "$source/include" \
	"$source/tests/bench/identify-to-apst.c" "$build/core.a"

data=$(nm -S "$build/$core" | awk '$NF == "ssdpm_catalogue_data" { print $2 }')
symbols=$(nm -D --defined-only "$build/$core" |
	awk '/ T / && !/_(to|from)_string(@|$)/' | wc -l)
awk -v core="$(installed $core)" -v data="$((0x$data))" -v symbols="$symbols" \
	-v energy="$(installed $energy)" -v linked="$(installed linked)" 'BEGIN {
	printf "bench core_kib %.1f <= 384\n", (core - data) / 1024
	printf "bench core_with_catalogue_kib %.1f\n", core / 1024
	printf "bench static_apst_kib %.1f <= 64\n", linked / 1024
	printf "bench core_symbols %d <= 110\n", symbols
	printf "bench energy_kib %.1f\n", energy / 1024
}'
