#!/bin/bash
# SPDX-License-Identifier: MIT
# Upgrades of Debian: apt gets its lists and thirty packages, and installs them; some
# minutes later come the next thirty.
# load-apt.sh SECONDS: record.sh runs it.
RANDOM=1
end=$((SECONDS + $1))
export DEBIAN_FRONTEND=noninteractive HOME=/root

# They come from another machine: here, from memory.
mkdir -p /run/server
cp -r /srv/server/. /run/server
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d
echo "deb [trusted=yes allow-insecure=yes] copy:/run/server ./" >/etc/apt/sources.list
rsyslogd
cron

# pause MEAN: exponential, in seconds
pause() {
	sleep "$(awk -v m="$1" -v r="$RANDOM" \
		'BEGIN { print -m * log((r + 1) / 32769) }')"
}

while [ $SECONDS -lt $end ]; do
	apt-get -q update
	# shellcheck disable=SC2046 # names of packages
	apt-get -q -y --reinstall install \
		$(shuf -n 30 --random-source=<(yes $RANDOM) /srv/server/names)
	apt-get clean
	pause 180
done
