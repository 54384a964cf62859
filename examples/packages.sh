# SPDX-License-Identifier: MIT
# Sourced by quickstart, tests/run and .ci/run: install Debian packages that are
# missing, or name them where there is no apt.
#
#     need_packages PACKAGE...
#
# Have their files in a directory, where nothing of them is installed or started:
#
#     unpack_packages DIRECTORY PACKAGE...
#
# shellcheck shell=sh

missing_packages() {
	for package in "$@"; do
		case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
		"install ok installed") ;;
		*) echo "$package" ;;
		esac
	done
}

need_packages() {
	if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null
	then
		[ -n "${SSDPM_PACKAGES_ARE_THERE-}" ] && return
		echo "No apt here. Install what these Debian packages hold:" >&2
		echo "    $*" >&2
		echo "then set SSDPM_PACKAGES_ARE_THERE=1 and call again." >&2
		exit 1
	fi
	# shellcheck disable=SC2046,SC2086
	set -- $(missing_packages "$@")
	[ $# -gt 0 ] || return 0
	as_root=
	if [ "$(id -u)" != 0 ]; then
		if ! command -v sudo >/dev/null; then
			echo "Not root, and no sudo. As root, call:" >&2
			echo "    apt-get install $*" >&2
			exit 1
		fi
		as_root=sudo
	fi
	echo "Installing: $*"
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update
	$as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -qq -y --no-install-recommends install "$@" >/dev/null
}

unpack_packages() {
	into=$1
	shift
	[ "$(cat "$into/unpacked" 2>/dev/null)" != "$*" ] || return 0
	echo "Unpacking into $into: $*"
	rm -rf "$into"
	mkdir -p "$into/deb" "$into/usr"
	(
		cd "$into/deb" || exit
		apt-get -qq download "$@" 2>/dev/null || {
			[ "$(id -u)" = 0 ] || as_root=sudo
			${as_root-} apt-get -qq update
			apt-get -qq download "$@"
		}
	)
	for package in "$into"/deb/*.deb; do
		dpkg-deb -x "$package" "$into"
	done
	# As on a system where these are links.
	for folder in bin sbin lib; do
		[ -d "$into/$folder" ] || continue
		cp -a "$into/$folder" "$into/usr"
		rm -r "${into:?}/$folder"
	done
	rm -r "$into/deb"
	echo "$*" >"$into/unpacked"
}
