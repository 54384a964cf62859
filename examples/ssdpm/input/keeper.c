/* SPDX-License-Identifier: MIT */
/* The program that sets at a boot what files of ssdpm.conf(5) ask for. */
#include "input/live.h"

#include <string.h>

#define RULE "84-ssdpm-config.rules"
#define UNIT "ssdpmd.service"

/* Those that come first hide others of the same name. */
static const char *const roots[] = { "etc", "run", "usr/local/lib", "usr/lib",
				     "lib" };

/* In one of the folders, and not hidden by a link to /dev/null. */
static bool is_installed(const struct live *live, const char *folder,
			 const char *name)
{
	char path[120], real[512];

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", roots[i], folder,
			 name);
		if (!ssdpm_machine_read_link(live->machine, path, real,
					     sizeof(real), NULL))
			return strcmp(real, "dev/null") != 0;
	}
	return false;
}

#define AT_BOOT "systemd/system/multi-user.target.wants"

/* A capture does not have all files. */
bool is_set_at_boot(const struct live *live)
{
	return is_installed(live, AT_BOOT, UNIT) ||
	       is_installed(live, "udev/rules.d", RULE) ||
	       ssdpm_machine_get_capture(live->machine) == 2;
}

/* The rule also starts ssdpmd, where systemd runs. */
const char *keeper_words(const struct live *live)
{
	if (is_installed(live, AT_BOOT, UNIT))
		return "ssdpmd(8) sets them at each boot";
	if (is_installed(live, "udev/rules.d", RULE))
		return "the rule of ssdpm for udev sets them at each boot";
	if (is_set_at_boot(live))
		return "ssdpmd(8), or its rule for udev, sets them at each boot";
	if (is_installed(live, "systemd/system", UNIT))
		return "nothing sets them at a boot, because ssdpmd(8) is not "
		       "enabled; try: systemctl enable --now ssdpmd";
	return "nothing sets them at a boot, because neither ssdpmd(8) nor its "
	       "rule for udev is installed";
}
