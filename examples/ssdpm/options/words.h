/* SPDX-License-Identifier: MIT */
/* The values of options that more than one table has. */
#ifndef SSDPM_COMMAND_WORDS_H
#define SSDPM_COMMAND_WORDS_H

#define ALGORITHM_WORDS "linux|linux-legacy|windows|lower-envelope"
#define SCHEME_WORDS                            \
	"windows:performance|windows:balanced|" \
	"windows:power-saver|windows:modern-standby"
#define LPM_WORDS                       \
	"max_performance|medium_power|" \
	"med_power_with_dipm|min_power_with_partial|min_power"
/* Names of files of Linux, below link/ in sysfs. */
#define LINK_WORDS                             \
	"aspm=off|aspm=on|clkpm=off|clkpm=on|" \
	"l0s_aspm=off|l0s_aspm=on|"            \
	"l1_aspm=off|l1_aspm=on|"              \
	"l1_1_aspm=off|l1_1_aspm=on|"          \
	"l1_2_aspm=off|l1_2_aspm=on|"          \
	"l1_1_pcipm=off|l1_1_pcipm=on|"        \
	"l1_2_pcipm=off|l1_2_pcipm=on"
#define TABLE_WORDS ALGORITHM_WORDS "|" SCHEME_WORDS
#define POLICY_WORDS TABLE_WORDS "|none|today|" LPM_WORDS
#define PERSIST_WORDS "udev|modprobe|systemd|tlp|tuned"

#endif
