#!/bin/bash
# SPDX-License-Identifier: MIT
# A Debian 12 with what the loads need, for record.sh.
#
# usage: make-root.sh LOAD ROOT
#
# LOAD is one of load-LOAD.sh.
set -euo pipefail
if [ $# -ne 2 ]; then
	sed -n '3,8s/^# \{0,1\}//p' "$0" >&2
	exit 2
fi
load=$1 root=$2
packages=cron,rsyslog,procps,python3-minimal
hooks=()
case $load in
desktop)
	packages+=,dbus,dbus-x11,xvfb,openbox,xdotool,pcmanfm,mousepad,firefox-esr
	packages+=,at-spi2-core,dconf-service,gvfs,fonts-dejavu-core
	;;
files) packages+=,samba,smbclient ;;
postgresql) packages+=,postgresql-15 ;;
compile)
	packages+=,gcc,libc6-dev,make,bc,bison,flex,libelf-dev,linux-source-6.1,xz-utils
	# shellcheck disable=SC2016 # its shell has $1
	hooks+=(--customize-hook='chroot "$1" sh -ec "
		mkdir /srv/linux
		cd /srv/linux
		tar -xJf /usr/src/linux-source-6.1.tar.xz --strip-components 1
		rm /usr/src/linux-source-6.1.tar.xz"')
	;;
apt)
	packages+=,dpkg-dev,libreoffice-core,gimp,emacs-nox,git,vim,texlive-base,openssh-server
	# shellcheck disable=SC2016 # its shell has $1
	hooks+=(--customize-hook='chroot "$1" sh -ec "
		mkdir -p /srv/server
		cd /srv/server
		dpkg-query -W -f \"\\\${Package}\\n\" | sort -R --random-source=/bin/ls |
			head -n 400 | sort >names
		apt-get -qq download \$(cat names)
		dpkg-scanpackages -m . >Packages
		rm -f /usr/sbin/policy-rc.d
		printf \"exit 101\\n\" >/usr/sbin/policy-rc.d
		chmod 755 /usr/sbin/policy-rc.d"')
	;;
esac
mmdebstrap --variant=minbase --format=directory --include="$packages" \
	"${hooks[@]}" bookworm "$root"
