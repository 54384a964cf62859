# SPDX-License-Identifier: MIT
# Sourced by quickstart, tests/run and .ci/run: install Debian packages that are
# missing, or name them where there is no apt.
#
#     need_packages PACKAGE...
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
