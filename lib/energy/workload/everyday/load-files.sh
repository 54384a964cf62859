#!/bin/bash
# SPDX-License-Identifier: MIT
# A file server of an office: five people, each of whom opens, changes and saves files
# over SMB, with minutes in between.
# load-files.sh SECONDS: record.sh runs it.
RANDOM=1
end=$((SECONDS + $1))
mkdir -p /srv/files /run/samba /var/log/samba /var/lib/samba/private
printf "%s\n" "[global]" "map to guest = bad user" "guest account = root" "[files]" \
	"path = /srv/files" "read only = no" "guest ok = yes" >/etc/samba/smb.conf
rsyslogd
cron
smbd -D
sleep 5

# pause MEAN: exponential, in seconds
pause() {
	sleep "$(awk -v m="$1" -v r="$RANDOM" \
		'BEGIN { print -m * log((r + 1) / 32769) }')"
}

smb() {
	smbclient -N //localhost/files -D "$1" -c "$2" >/dev/null 2>&1
}

person() {
	RANDOM=$1
	mkdir -p "/run/person$1"
	cd "/run/person$1" || exit
	smb / "mkdir person$1"
	while [ $SECONDS -lt $end ]; do
		pause 120
		name=file$((RANDOM % 30))
		case $((RANDOM % 4)) in
		0)
			# Most documents are small, a few are large.
			dd if=/dev/urandom of=$name bs=1k \
				count=$((RANDOM % 10 ? RANDOM % 400 + 4 : RANDOM / 3)) \
				2>/dev/null
			smb "person$1" "put $name"
			;;
		1) smb "person$1" "get $name copy; put copy $name" ;;
		2) smb "person$1" "get $name copy" ;;
		3) smb / "ls; cd person$1; ls" ;;
		esac
		rm -f "$name" copy
	done
}

for i in 1 2 3 4 5; do
	person $i &
done
wait
