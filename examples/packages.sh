# SPDX-License-Identifier: MIT
# Sourced by quickstart, tests/run and .ci/run: install Debian packages that are
# missing, or name them where there is no apt.
#
#     need_packages PACKAGE...
#
# Have their files in a directory, where nothing of them is installed or started:
#
#     unpack_packages DIRECTORY PACKAGE...
#     unpack_packages_of SUITE DIRECTORY PACKAGE...
#
# Put the pinned packages of tests/requirements.txt first in PATH, in an environment
# of their own:
#
#     python_environment
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

update_packages() {
	[ "$(id -u)" = 0 ] || as_root=sudo
	${as_root-} apt-get -qq update
}

# archive_uri SUITE: where this machine gets that suite from.
archive_uri() {
	apt-get indextargets --format "\$(REPO_URI) \$(CODENAME)" \
		'Created-By: Packages' |
		awk -v suite="$1" '$2 == suite && !n++ {
			sub("/*$", "", $1)
			print $1
		}'
}

release() {
	(. /etc/os-release && echo "$VERSION_CODENAME")
}

# As of this machine's release, or of another one by a configuration of apt's own:
# that of the machine stays as it is.
download_packages() {
	apt-get -qq download "$@" 2>/dev/null || {
		update_packages
		apt-get -qq download "$@"
	}
}

download_packages_of() {
	configure_apt deb "$1"
	shift
	APT_CONFIG=$PWD/apt/config apt-get -qq download "$@"
}

# download_sources SUITE PACKAGE...: patched as Debian builds them.
download_sources() {
	configure_apt deb-src "$1"
	shift
	APT_CONFIG=$PWD/apt/config apt-get -qq source "$@"
}

# configure_apt TYPE SUITE: in apt/ of this folder
configure_apt() {
	release=$(release)
	[ -n "$(archive_uri "$release")" ] || update_packages
	archive=$(archive_uri "$release")
	if [ -z "$archive" ]; then
		echo "apt names no archive of $release" >&2
		return 1
	fi
	mkdir -p apt/lists/partial apt/cache/archives/partial
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	echo "$1 [signed-by=$keys] $archive $2 main" >apt/sources
	cat >apt/config <<-END
		Dir::Etc::sourcelist "$PWD/apt/sources";
		Dir::Etc::sourceparts "/dev/null";
		Dir::State::lists "$PWD/apt/lists";
		Dir::Cache "$PWD/apt/cache";
		APT::Sandbox::User "root";
	END
	APT_CONFIG=$PWD/apt/config apt-get -qq update
}

unpack_packages() {
	unpack_by download_packages "$@"
}

unpack_packages_of() {
	suite=$1
	shift
	unpack_by "download_packages_of $suite" "$@"
}

unpack_by() {
	download=$1 into=$2
	shift 2
	[ "$(cat "$into/unpacked" 2>/dev/null)" != "$*" ] || return 0
	echo "Unpacking into $into: $*"
	rm -rf "$into"
	mkdir -p "$into/deb" "$into/usr"
	# shellcheck disable=SC2086
	(cd "$into/deb" && $download "$@")
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

python_environment() {
	venv=$PWD/build/venv
	if ! cmp -s tests/requirements.txt "$venv/installed"; then
		echo "Installing into build/venv: tests/requirements.txt"
		mkdir -p build
		/usr/bin/python3 -m venv --clear "$venv"
		"$venv/bin/pip" install --quiet --disable-pip-version-check \
			-r tests/requirements.txt
		cp tests/requirements.txt "$venv/installed"
	fi
	PATH=$venv/bin:$PATH
}
