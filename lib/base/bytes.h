/* SPDX-License-Identifier: MIT */
/* Numbers as drives and files hold them: the low byte first. */
#ifndef SSDPM_LIB_BASE_BYTES_H
#define SSDPM_LIB_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t ssdpm__little_endian(const uint8_t *bytes, size_t n)
{
	uint64_t value = 0;

	while (n--)
		value = value << 8 | bytes[n];
	return value;
}

#endif
