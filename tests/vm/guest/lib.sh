# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by the scripts of the guests.

# run NAME COMMAND...: its output, errors and status become results
run() {
	name=$1
	shift
	"$@" >"/result/$name.out" 2>"/result/$name.err"
	echo $? >"/result/$name.status"
}

# run_user NAME COMMAND...: the same, as a user without privileges
run_user() {
	name=$1
	shift
	run "$name" as-user --reuid 1000 --regid 1000 --clear-groups "$@"
}

# until_true COMMAND...: for 20 s at most
until_true() {
	within 20 "$@"
}

# within SECONDS COMMAND...: the same, for so long at most
within() {
	most=$(($1 * 10))
	shift
	tries=0
	while ! "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		if [ $tries -ge "$most" ]; then
			echo "never true: $*" >&2
			return 1
		fi
		sleep 0.1
	done
}

live_controllers() {
	[ "$(cat /sys/class/nvme/nvme*/state | grep -c live)" = "$1" ]
}

# controller SERIAL: its directory
controller() {
	for c in /sys/class/nvme/nvme*; do
		if [ "$(tr -d ' ' <"$c/serial")" = "$1" ]; then
			echo "$c"
			return
		fi
	done
	echo "no controller $1" >&2
	return 1
}

# power BYTE: the state of the adapter and of the battery, as power.dsl has it
power() {
	# shellcheck disable=SC2059
	printf "\\$(printf %o "$1")" |
		dd of=/dev/port bs=1 seek=179 conv=notrunc 2>/dev/null
}

now() {
	cut -d ' ' -f 1 /proc/uptime
}
