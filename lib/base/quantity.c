/* SPDX-License-Identifier: MIT */
#include "base/quantity.h"

#include <inttypes.h>
#include <stdio.h>

/* units: the names of millionths, thousandths, wholes. */
static struct quantity format(uint64_t millionths, const char units[3][3])
{
	struct quantity q;
	uint64_t unit = 1, fraction;
	int scale = 0, digits = 0;

	if (millionths >= 1000)
		scale = millionths >= 1000000 ? 2 : 1;
	for (int i = 0; i < scale; i++) {
		unit *= 1000;
		digits += 3;
	}
	fraction = millionths % unit;
	if (!fraction) {
		snprintf(q.text, sizeof(q.text), "%" PRIu64 " %s",
			 millionths / unit, units[scale]);
		return q;
	}
	for (; fraction % 10 == 0; digits--)
		fraction /= 10;
	snprintf(q.text, sizeof(q.text), "%" PRIu64 ".%0*" PRIu64 " %s",
		 millionths / unit, digits, fraction, units[scale]);
	return q;
}

struct quantity ssdpm__format_us(uint64_t us)
{
	static const char units[3][3] = { "us", "ms", "s" };

	return format(us, units);
}

struct quantity ssdpm__format_uw(uint64_t uw)
{
	static const char units[3][3] = { "uW", "mW", "W" };

	return format(uw, units);
}
