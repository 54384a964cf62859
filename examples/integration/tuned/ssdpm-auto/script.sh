#!/bin/sh
# Written by ssdpm; `ssdpm revert --persist` removes it
# Kind: tuned
# balanced on AC: what Linux does by itself: nvme_core of Linux 5.14 and later, Kconfig's SATA_MOBILE_LPM_POLICY=3
# power-saver on battery: states up to 200 ms, after 50 ms and 1 s, as StorNVMe's power saver and modern standby; DevSleep, as Linux where it suspends to idle
case $1 in
start) exec /usr/bin/ssdpm apply --profile auto --quiet ;;
verify) exec /usr/bin/ssdpm check --profile auto --quiet ;;
stop) exec /usr/bin/ssdpm revert --quiet ;;
esac
