/* SPDX-License-Identifier: MIT */
/* Exact numbers in units that people read, for the library and the command. */
#ifndef SSDPM_LIB_BASE_QUANTITY_H
#define SSDPM_LIB_BASE_QUANTITY_H

#include <stdint.h>

struct quantity {
	char text[24]; /* the longest, "18446744073709.551615 s", has 23 */
};

/* "0 us", "8.5 ms", "2 s": nothing is rounded. */
struct quantity ssdpm__format_us(uint64_t us);

/* "0 uW", "2.5 mW", "3.5 W". */
struct quantity ssdpm__format_uw(uint64_t uw);

#endif
