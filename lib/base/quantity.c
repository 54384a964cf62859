/* SPDX-License-Identifier: MIT */
#include <ssdpm/base.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* The longest text, "18446744073709.551615 s", has 23 bytes. */
static_assert(sizeof(struct ssdpm_quantity) == 24, "frozen");

/* units: the names of millionths, thousandths, wholes. */
static struct ssdpm_quantity format(uint64_t millionths, const char units[3][3])
{
	struct ssdpm_quantity q;
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

struct ssdpm_quantity ssdpm_us_to_text(uint64_t us)
{
	static const char units[3][3] = { "us", "ms", "s" };

	return format(us, units);
}

struct ssdpm_quantity ssdpm_uw_to_text(uint64_t uw)
{
	static const char units[3][3] = { "uW", "mW", "W" };

	return format(uw, units);
}
