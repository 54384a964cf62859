#!/bin/bash
# SPDX-License-Identifier: MIT
# Record the block I/Os of one of our loads, for from_trace.py.
#
# usage: record.sh LOAD SECONDS TRACE.GZ ROOT
#
# LOAD is one of load-LOAD.sh. ROOT is a folder with a Debian 12, as make-root.sh
# makes it. The load runs in it, on an ext4 of its own on a loop device, without a
# network but lo, and with processes of its own. Three minutes pass before the recording
# begins: programs have started. Needs root's rights, tracefs and 5 GB.
#
# The trace is the text of tracefs: block_rq_issue and block_rq_complete of that device.
set -euo pipefail

if [ $# -ne 4 ]; then
	sed -n '3,13s/^# \{0,1\}//p' "$0" >&2
	exit 2
fi
load=$1 seconds=$2 trace=$3 root=$4
here=$(cd "$(dirname "$0")" && pwd)
# All mounts below end with this process.
if [ "${IN_NAMESPACE-}" != "$0" ]; then
	IN_NAMESPACE=$0 exec unshare --mount "$0" "$@"
fi

work=$(mktemp -d)
loop=
instance=
session=
finish() {
	# It ignores other signals, and its processes end with it.
	[ -z "$session" ] || kill -KILL "$session"
	[ -z "$session" ] || wait "$session" || true
	[ -z "$instance" ] || rmdir "$instance"
	umount --recursive "$work/mnt" || true
	[ -z "$loop" ] || losetup -d "$loop"
	rm -rf --one-file-system "$work"
}
trap finish EXIT

mkdir "$work/mnt"
# Without what the kernel would write in the background of a new file system.
mke2fs -q -t ext4 -E lazy_itable_init=0,lazy_journal_init=0 -d "$root" \
	"$work/disk" 4G
loop=$(losetup -f --show "$work/disk")
mount -t ext4 -o relatime "$loop" "$work/mnt"
cp "$here/load-$load.sh" "$work/mnt/root/load.sh"
for mount in run tmp dev/shm; do
	mkdir -p "$work/mnt/$mount"
	mount -t tmpfs tmpfs "$work/mnt/$mount"
done
for device in null zero random urandom; do
	touch "$work/mnt/dev/$device"
	mount --bind "/dev/$device" "$work/mnt/dev/$device"
done

[ -d /sys/kernel/tracing/instances ] ||
	mount -t tracefs tracefs /sys/kernel/tracing
instance=/sys/kernel/tracing/instances/record-$$
mkdir "$instance"
echo 65536 >"$instance/buffer_size_kb"
IFS=: read -r major minor < <(lsblk -d -n -o MAJ:MIN "$loop" | tr -d ' ')
for event in block_rq_issue block_rq_complete; do
	echo "dev == $((major << 20 | minor))" >"$instance/events/block/$event/filter"
done

# shellcheck disable=SC2016 # that shell has $0 and $1
unshare --mount --pid --fork --net --ipc --uts --kill-child --mount-proc \
	/bin/bash -c '
	ip link set lo up
	mkdir -p "$0/proc"
	mount -t proc proc "$0/proc"
	exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		/bin/bash /root/load.sh "$1"' \
	"$work/mnt" $((seconds + 240)) >"$trace.log" 2>&1 &
session=$!
sleep 180
for event in block_rq_issue block_rq_complete; do
	echo 1 >"$instance/events/block/$event/enable"
done
sleep "$seconds"
echo 0 >"$instance/tracing_on"
gzip -9 <"$instance/trace" >"$trace"
