/* SPDX-License-Identifier: MIT */
/* Numbers of block devices, as one value and as text. */
#ifndef SSDPM_LIB_ENERGY_COMMON_DEVICE_NUMBER_H
#define SSDPM_LIB_ENERGY_COMMON_DEVICE_NUMBER_H

#include "base/text.h"

static inline uint64_t ssdpm__device(uint64_t major, uint64_t minor)
{
	return major << 32 | minor;
}

/* "259,0" or "259:0", by what is between, with the blanks after it. */
bool ssdpm__take_device(struct span *text, const char *between,
			uint64_t *ret_device);

#endif
