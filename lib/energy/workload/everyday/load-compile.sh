#!/bin/bash
# SPDX-License-Identifier: MIT
# Somebody works on a C program: Linux is built whole, then with one file changed, again
# and again, with minutes in between to read and to write.
# load-compile.sh SECONDS: record.sh runs it.
RANDOM=1
end=$((SECONDS + $1))
rsyslogd
cron
cd /srv/linux || exit
make -s tinyconfig
mapfile -t files < <(find kernel mm fs lib -maxdepth 1 -name "*.c" | sort)

# pause MEAN: exponential, in seconds
pause() {
	sleep "$(awk -v m="$1" -v r="$RANDOM" \
		'BEGIN { print -m * log((r + 1) / 32769) }')"
}

while [ $SECONDS -lt $end ]; do
	case $((RANDOM % 8)) in
	0) make -s clean ;;
	*) echo "/* A remark. */" >>"${files[RANDOM % ${#files[@]}]}" ;;
	esac
	make -s
	pause 60
done
