#!/bin/sh
# SPDX-License-Identifier: MIT
# What meson install puts there is gone after ninja uninstall, and the service is
# whole.
#
# usage: uninstall.sh MESON NINJA BUILD_DIR [yes]    yes: with the service
set -eu

meson=$1 ninja=$2 build=$3 service=${4-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
	echo "$1"
	exit 1
}

# shellcheck disable=SC2086 # may be an interpreter and a script
$meson install -C "$build" --no-rebuild --quiet --destdir "$scratch/root" \
	>"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "install failed"; }
if [ "$service" = yes ]; then
	for file in ssdpmd ssdpmd.service ssdpmd.path org.ssdpm1.conf \
		org.ssdpm1.service org.ssdpm.policy 84-ssdpm-config.rules \
		commands.conf ssdpmd.8 ssdpm-dbus.5; do
		[ -n "$(find "$scratch/root" -name "$file" -type f)" ] ||
			fail "$file is not installed"
	done
fi
"$ninja" -C "$build" uninstall >"$scratch/log" 2>&1 ||
	{ cat "$scratch/log"; fail "uninstall failed"; }
left=$(find "$scratch" ! -type d ! -path "$scratch/log")
[ -z "$left" ] || fail "uninstall leaves $left"
