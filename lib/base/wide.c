/* SPDX-License-Identifier: MIT */
#include "base/wide.h"

#include <stddef.h>

/* Digit by digit, in base 2: from the rest that the high limb leaves. */
static uint64_t divide_low(uint64_t low, uint64_t b, uint64_t *rest)
{
	for (int i = 0; i < 64; i++) {
		bool carry = *rest >> 63;

		*rest = *rest << 1 | low >> 63;
		low <<= 1;
		if (carry || *rest >= b) {
			*rest -= b;
			low |= 1;
		}
	}
	return low;
}

struct wide ssdpm__wide_divide(struct wide a, uint64_t b, uint64_t *ret_rest)
{
	uint64_t rest = a.high % b;
	struct wide quotient = { 0, a.high / b };

	if (a.high) {
		quotient.low = divide_low(a.low, b, &rest);
	} else {
		quotient.low = a.low / b;
		rest = a.low % b;
	}
	if (ret_rest)
		*ret_rest = rest;
	return quotient;
}
