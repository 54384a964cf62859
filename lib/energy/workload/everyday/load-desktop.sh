#!/bin/bash
# SPDX-License-Identifier: MIT
# A desktop session: somebody reads pages in Firefox, writes a text, looks through
# folders and saves photos, with pauses to read and to think.
# load-desktop.sh SECONDS: record.sh runs it.
RANDOM=1
end=$((SECONDS + $1))
export DISPLAY=:0 HOME=/home/user XDG_RUNTIME_DIR=/run/user USER=root
# A sandbox has no place in a chroot.
export MOZ_DISABLE_CONTENT_SANDBOX=1 MOZ_DISABLE_GMP_SANDBOX=1
mkdir -p $HOME $XDG_RUNTIME_DIR /run/dbus /srv/pages /tmp/.X11-unix
chmod 700 $XDG_RUNTIME_DIR
cd $HOME || exit

# Forty pages, each with two pictures.
dd if=/dev/urandom of=/srv/pages/photo bs=1M count=4 2>/dev/null
for page in {0..39}; do
	{
		echo "<!doctype html><title>$page</title><script>"
		echo "localStorage.last=$page;"
		echo "document.cookie='page=$page;max-age=99999'</script>"
		for _ in {0..99}; do
			echo "<p>Page $page. A sentence that somebody reads."
		done
		echo "<img src=$page-0.svg><img src=$page-1.svg>"
	} >"/srv/pages/$page.html"
	for picture in 0 1; do
		{
			echo '<svg xmlns="http://www.w3.org/2000/svg" width="300"'
			echo 'height="200"><desc>'
			head -c 60000 /dev/urandom | base64
			echo '</desc><circle cx="99" cy="99" r="90"/></svg>'
		} >"/srv/pages/$page-$picture.svg"
	done
done

# pause MEAN: exponential, in seconds, at least 1
pause() {
	sleep "$(awk -v m="$1" -v r="$RANDOM" \
		'BEGIN { t = -m * log((r + 1) / 32769); print t < 1 ? 1 : t }')"
}

focus() {
	xdotool search --onlyvisible --class "$1" windowfocus --sync
}

rsyslogd
cron
rm -f /etc/machine-id
dbus-uuidgen --ensure=/etc/machine-id
dbus-daemon --system --fork
Xvfb :0 -screen 0 1280x800x24 -nolisten tcp >/dev/null 2>&1 &
sleep 5
eval "$(dbus-launch --sh-syntax)"
openbox >/dev/null 2>&1 &
python3 -m http.server -d /srv/pages 8000 >/dev/null 2>&1 &
mousepad "$HOME/text.txt" &
firefox-esr --new-window http://localhost:8000/0.html &
sleep 90

while [ $SECONDS -lt $end ]; do
	case $((RANDOM % 10)) in
	[0-5])
		focus firefox
		xdotool key ctrl+l
		xdotool type --delay 120 "localhost:8000/$((RANDOM % 40)).html"
		xdotool key Return
		pause 10
		xdotool key Next
		;;
	[67])
		focus mousepad
		for _ in 1 2 3 4; do
			xdotool type --delay 150 "A sentence that somebody writes. "
			pause 6
		done
		xdotool key ctrl+s
		;;
	8)
		timeout 15 pcmanfm /srv/pages
		;;
	9)
		cp /srv/pages/photo "$HOME/photo-$RANDOM"
		;;
	esac
	pause 25
done
