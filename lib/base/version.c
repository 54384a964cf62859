/* SPDX-License-Identifier: MIT */
#include <ssdpm/base.h>

const char *ssdpm_version(void)
{
	return SSDPM_VERSION;
}
