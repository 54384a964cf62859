#!/bin/sh
# SPDX-License-Identifier: MIT
# How large the library is as distributors install it, without the catalogue of
# drives, which is data.
#
# usage: library-size.sh LIBRARY
set -eu

limit_kib=120

stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
cp "$1" "$stripped"
strip "$stripped"
bytes=$(wc -c <"$stripped")
data=$(nm -S "$1" | awk '$NF == "ssdpm_catalogue_data" { print $2 }')
awk -v bytes="$bytes" -v data="$((0x${data:-0}))" -v limit="$limit_kib" 'BEGIN {
	kib = (bytes - data) / 1024
	printf "bench library_kib %.1f <= %d\n", kib, limit
	exit kib > limit
}'
