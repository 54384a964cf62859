# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What a user does: install the packages, ask for something, change the profile of the
# desktop, boot again, sleep, and remove the packages.
mkdir -p /result
cd /result || exit
# shellcheck source=tests/vm/guest/lib.sh
. /root/lib.sh

# ours NAME: what bears our name; what systemd notes of units is its own affair
ours() {
	find / /run -xdev -name '*ssdpm*' -not -path '/root/*' \
		-not -path '/tmp/*' -not -path '/run/systemd/*' | sort >"$1"
}
tolerance() {
	cat "$(controller TWO)/power/pm_qos_latency_tolerance_us"
}
tolerance_is() {
	[ "$(tolerance)" = "$1" ]
}
ms() {
	echo "$(now | tr -d .)0"
}
# As powerprofilesctl does, which needs Python: a name, its object, a profile. What is
# behind the name may be slow in an emulator.
set_property() {
	busctl --timeout=120 set-property "$1" "$2" "$1" ActiveProfile s "$3"
}
set_profile() {
	set_property org.freedesktop.UPower.PowerProfiles \
		/org/freedesktop/UPower/PowerProfiles "$1" ||
		set_property net.hadess.PowerProfiles /net/hadess/PowerProfiles "$1"
}
# profile NAME TOLERANCE: how long it takes, in ms
profile() {
	run "profile.$1" set_profile "$1"
	begin=$(ms)
	until_true tolerance_is "$2"
	echo "$1 $(tolerance) $(($(ms) - begin))" >>profiles
}

# next_boot NAME: what it is for
next_boot() {
	echo "$1" >boot
	systemctl reboot
	exit
}
# in_force NAME COMMAND...: by itself, in the end
in_force() {
	name=$1
	shift
	until_true ssdpm check -q "$@"
	run "$name" ssdpm check "$@"
}
# last KIND OPTION...: files of this kind make it last; what else is to be done
# stands in their notes
last() {
	kind=$1
	shift
	run "persist.$kind" ssdpm apply "$@" --persist "$kind"
}

installed() {
	ours before
	run install dpkg -i /root/packages/*.deb
	# Linux by itself sets 100 ms, as the profile does.
	cat >/etc/ssdpm.conf <<-END
		[machine]
		profile = auto
		max_exit_latency = 120ms
		[drive]
		desktop_profile = power-saver
		max_exit_latency = 150ms
	END
	in_force first
	# The first call would wait until the bus has started it.
	if [ -e /usr/lib/systemd/system/tuned-ppd.service ]; then
		run desktop systemctl start tuned-ppd.service
	else
		run desktop true
	fi
	profile power-saver 150000
	profile balanced 120000
	run unit systemctl show -p ActiveState,Result ssdpmd.service
}

kept() {
	in_force second
	tolerance >second.tolerance
	run active systemctl is-active ssdpmd.service
	run wanted systemctl is-enabled ssdpmd.service
	run property setpriv --reuid 65534 --clear-groups busctl get-property \
		org.ssdpm1 /org/ssdpm1/drive/"$(basename "$(controller TWO)")" \
		org.ssdpm1.Drive Policy
	run write setpriv --reuid 65534 --clear-groups busctl call org.ssdpm1 \
		/org/ssdpm1 org.ssdpm1.Machine Apply ass 0 performance
}

# As far as the kernel's test of suspend goes, and no further: here the clock wakes
# nobody.
slept() {
	mkdir -p /etc/systemd/sleep.conf.d
	printf '[Sleep]\nSuspendState=freeze\n' \
		>/etc/systemd/sleep.conf.d/freeze.conf
	echo devices >/sys/power/pm_test
	echo 1 >/sys/module/suspend/parameters/pm_test_delay
	echo 0 >"$(controller TWO)/power/pm_qos_latency_tolerance_us"
	run go_to_sleep systemctl suspend
	until_true has_woken || until_true has_woken
	until_true live_controllers 2
	in_force resumed
	tolerance >resumed.tolerance
	journalctl -b -k >kernel
}
has_woken() {
	journalctl -b -k | grep -q 'suspend exit'
}

until_true live_controllers 2
saver="--profile power-saver --source battery"
# Two words on purpose, here and below.
# shellcheck disable=SC2086
case $(cat boot 2>/dev/null) in
"")
	installed
	next_boot kept
	;;
kept)
	kept
	slept
	rm /etc/ssdpm.conf
	run disable systemctl disable --now ssdpmd.service
	last systemd $saver
	run switch_on systemctl enable --now ssdpm.service
	next_boot systemd
	;;
systemd)
	in_force systemd $saver
	run revert.systemd ssdpm revert --persist
	last udev $saver
	next_boot udev
	;;
udev)
	in_force udev $saver
	run revert.udev ssdpm revert --persist
	last modprobe --nvme-core apst_primary_timeout_ms=70
	next_boot modprobe
	;;
modprobe)
	in_force modprobe --nvme-core apst_primary_timeout_ms=70
	run revert.modprobe ssdpm revert --persist
	run keep ssdpm apply --keep -l 110ms
	ours with
	run purge dpkg -P python3-ssdpm ssdpmd ssdpm libssdpm-dev \
		libssdpm-energy0 libssdpm0
	ours after
	# Of all boots, whatever each of them has called the machine.
	journalctl --sync
	journalctl -m -F _BOOT_ID >boots
	journalctl -m -u ssdpmd.service >service
	stty -F /dev/ttyS1 raw
	# GNU tar writes no archive to a terminal.
	tar -c -z -f - . | cat >/dev/ttyS1
	# As in the other guests: status 33.
	printf '\020' | dd of=/dev/port bs=1 seek=1281 conv=notrunc 2>/dev/null
	;;
esac
