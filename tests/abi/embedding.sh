#!/bin/sh
# SPDX-License-Identifier: MIT
# An installed copy can be used by a stranger: with pkg-config, from a folder of
# its own, linked as the build has it: shared, static, or both.
#
# usage: embedding.sh MESON BUILD_DIR KIND LIBRARY EXAMPLE_C ARGUMENTS EXPECTED CC [FLAG...]
#
# KIND is Meson's default_library.
# The last of ARGUMENTS is a drive or a capture, which the program may change.
# EXPECTED is the name of a part of examples.txt.
set -eu

meson=$1 build=$2 kind=$3 library=$4 example=$5 arguments=$6 expected=$7
shift 7

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk -v part="$expected" '$1 == "==" { on = $2 == part; next } on' \
	"$(dirname "$0")/examples.txt" >"$scratch/expected"

fail() {
	echo "$1"
	echo "To mend it: look at what lib/meson.build installs and at $library.pc."
	exit 1
}

# Run a program and compare.
prints_expected() {
	rm -rf "$scratch/input"
	cp -r "${arguments##* }" "$scratch/input"
	case $arguments in
	*\ *) set -- "$@" "${arguments%% *}" ;;
	esac
	"$@" "$scratch/input" >"$scratch/output" || fail "$1: exit status $?"
	diff "$scratch/expected" "$scratch/output" || fail "$1: prints something else"
}

root=$scratch/root
# shellcheck disable=SC2086 # may be an interpreter and a script
$meson install -C "$build" --no-rebuild --quiet --destdir "$root" \
	>"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "install failed"; }
pc=$(find "$root" -name "$library.pc")
[ -n "$pc" ] || fail "$library.pc is not installed"

# This copy comes before one of the machine, which has the libraries that ours needs.
PKG_CONFIG_LIBDIR=${pc%/*}:$(pkg-config --variable=pc_path pkg-config)
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR="$root"
unset PKG_CONFIG_PATH
cflags=$(pkg-config --cflags "$library")
libs=$(pkg-config --libs "$library")
libdir=${libs#*-L}
libdir=${libdir%% *}
mkdir "$scratch/elsewhere"
cp "$example" "$scratch/elsewhere/example.c"
cd "$scratch/elsewhere"

if [ "$kind" != static ]; then
	# shellcheck disable=SC2086 # flags are several words
	"$@" $cflags example.c -o shared $libs || fail "cannot link shared"
	export LD_LIBRARY_PATH="$libdir"
	prints_expected ./shared
	unset LD_LIBRARY_PATH
fi

if [ "$kind" != shared ]; then
	libs=$(pkg-config --static --libs "$library" |
		sed 's/-lssdpm[a-z-]*/-Wl,-Bstatic & -Wl,-Bdynamic/g')
	# shellcheck disable=SC2086
	"$@" $cflags example.c -o static $libs || fail "cannot link static"
	prints_expected ./static
fi
