/* SPDX-License-Identifier: MIT */
#include "common/linux-release.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

bool ssdpm__takes_nvme_quirks(const char *release)
{
	struct span span = ssdpm__span(release, strlen(release));
	uint64_t major, minor;

	return ssdpm__take_uint(&span, UINT32_MAX, &major) &&
	       ssdpm__take(&span, ".") &&
	       ssdpm__take_uint(&span, UINT32_MAX, &minor) &&
	       (major > 7 || (major == 7 && minor >= 2));
}
