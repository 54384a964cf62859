#!/bin/sh
# SPDX-License-Identifier: MIT
# How large the library is as distributors install it, without the catalogue of
# drives, which is data: the model and the policy (but for the profiles, which
# only a plan asks for) alone, and the whole.
#
# usage: library-size.sh LIBRARY FOUNDATION
set -eu

stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT

# bench NAME LIBRARY LIMIT
bench() {
	cp "$2" "$stripped"
	strip "$stripped"
	bytes=$(wc -c <"$stripped")
	data=$(nm -S "$2" | awk '$NF == "ssdpm_catalogue_data" { print $2 }')
	awk -v name="$1" -v bytes="$bytes" -v data="$((0x${data:-0}))" \
		-v limit="$3" 'BEGIN {
		kib = (bytes - data) / 1024
		printf "bench %s %.1f <= %d\n", name, kib, limit
		exit kib > limit
	}'
}

bench library_kib "$2" 120
bench library_whole_kib "$1" 600
