#!/bin/sh
# SPDX-License-Identifier: MIT
# What latency do the NVMe drives tolerate? For a script that asks and decides.
#
#     shell.sh [CAPTURE]
set -eu

capture=${1-}
[ -z "$capture" ] || set -- --root "$capture"
for node in "$capture"/sys/class/nvme/nvme[0-9]*; do
	[ -e "$node" ] || continue
	# KEY='value' lines, safe to be evaluated. What fails says so itself.
	facts=$("${SSDPM-ssdpm}" show --quiet --shell "$@" "${node##*/}") ||
		continue
	eval "$facts"
	# shellcheck disable=SC2154
	echo "$name: $product: ${latency_tolerance_us:-no APST}"
done
