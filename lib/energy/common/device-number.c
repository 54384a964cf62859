/* SPDX-License-Identifier: MIT */
#include "common/device-number.h"

bool ssdpm__take_device(struct span *text, const char *between,
			uint64_t *ret_device)
{
	uint64_t major, minor;

	if (!ssdpm__take_uint(text, UINT32_MAX, &major) ||
	    !ssdpm__take(text, between) ||
	    !ssdpm__take_uint(text, UINT32_MAX, &minor))
		return false;
	*ret_device = ssdpm__device(major, minor);
	return true;
}
