# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What a user does: install the packages, ask for something, change the profile of the
# desktop, boot again, sleep, and remove the packages.
result=/root/result
mkdir -p $result
cd $result || exit
# shellcheck source=tests/vm/guest/lib.sh
. /root/lib.sh

# ours NAME: what bears our name
ours() {
	find / -xdev -name '*ssdpm*' -not -path '/root/*' -not -path '/tmp/*' |
		sort >"$1"
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
# profile NAME TOLERANCE: how long it takes, in ms
profile() {
	powerprofilesctl set "$1" 2>>profile.err
	begin=$(ms)
	until_true tolerance_is "$2"
	echo "$1 $(tolerance) $(($(ms) - begin))" >>profiles
}

until_true live_controllers 2
boot=$(cat boot 2>/dev/null)
if [ -z "$boot" ]; then
	ours before
	run install dpkg -i /root/packages/*.deb
	printf '[machine]\nprofile = auto\n[drive]\ndesktop_profile = power-saver\n' \
		>/etc/ssdpm.conf
	echo 'max_exit_latency = 150ms' >>/etc/ssdpm.conf
	until_true ssdpm check -q
	run first ssdpm check
	run list ssdpm list
	profile power-saver 150000
	profile balanced 100000
	run unit systemctl show -P Result ssdpmd.service
	echo second >boot
	systemctl reboot
	exit
fi

until_true ssdpm check -q
run second ssdpm check
tolerance >second.tolerance
run active systemctl is-active ssdpmd.service
run wanted systemctl is-enabled ssdpmd.service
run property setpriv --reuid 65534 --clear-groups busctl get-property org.ssdpm1 \
	/org/ssdpm1/drive/"$(basename "$(controller TWO)")" org.ssdpm1.Drive Policy
run write setpriv --reuid 65534 --clear-groups busctl call org.ssdpm1 \
	/org/ssdpm1 org.ssdpm1.Machine Apply ass 0 performance

# It sleeps until the clock wakes it, as far as the kernel sleeps here.
mkdir -p /etc/systemd/sleep.conf.d
printf '[Sleep]\nSuspendState=freeze\n' >/etc/systemd/sleep.conf.d/freeze.conf
run sleep rtcwake -m no -s 15
echo 0 >"$(controller TWO)/power/pm_qos_latency_tolerance_us"
run go_to_sleep systemctl suspend
slept() {
	journalctl -b -t systemd-sleep | grep -q 'returned from sleep'
}
until_true slept || until_true slept
until_true live_controllers 2
until_true ssdpm check -q
run resumed ssdpm check
journalctl -b -k >kernel
journalctl -b -u ssdpmd.service >service

run purge dpkg -P python3-ssdpm ssdpmd ssdpm libssdpm-dev libssdpm-energy0 libssdpm0
rm -f /etc/ssdpm.conf
ours after
stty -F /dev/ttyS1 raw
tar -c -z -f - . >/dev/ttyS1
# As in the other guests: status 33.
printf '\020' | dd of=/dev/port bs=1 seek=1281 conv=notrunc 2>/dev/null
