/* SPDX-License-Identifier: MIT */
/*
 * The length that a trial without an error must have. After n errors in t0
 * entries the rate of errors is gamma-distributed, with shape n and rate t0. T
 * entries more have none with a probability of (t0 / (t0 + T))^n. In a search
 * of k trials, each may be wrong with 0.05 / k.
 */
#include "bisect/internal.h"

#include <errno.h>

#include "base/internal.h"

#define ERRORS_BEYOND 10000 /* count as so many */
#define MAX_TRIALS 1000
#define PER_ERROR_RATE 20 /* 1 / 0.05 */

/* Numbers below 2^15 with 32 bits behind the point. */
#define BITS 32
#define ONE (UINT64_C(1) << BITS)

static uint64_t multiply_down(uint64_t a, uint64_t b)
{
	const uint64_t a_high = a >> BITS, a_low = a & (ONE - 1);
	const uint64_t b_high = b >> BITS, b_low = b & (ONE - 1);

	return ((a_high * b_high) << BITS) + a_high * b_low + a_low * b_high +
	       ((a_low * b_low) >> BITS);
}

/* Is root^n at least this? Never true by rounding. */
static bool reaches(uint64_t root, uint64_t n, uint64_t value)
{
	uint64_t power = ONE;

	for (uint64_t i = 0; i < n && power < value; i++)
		power = multiply_down(power, root);
	return power >= value;
}

/* The n-th root, rounded up. */
static uint64_t root_up(uint64_t value, uint64_t n)
{
	uint64_t low = ONE, high = value;

	while (high - low > 1) {
		const uint64_t middle = low + (high - low) / 2;

		if (reaches(middle, n, value))
			high = middle;
		else
			low = middle;
	}
	return high;
}

int ssdpm_bisect_calculate_entries(uint64_t n_errors, uint64_t n_entries,
				   uint64_t n_trials, uint64_t *ret_entries,
				   struct ssdpm_error *reterr)
{
	if (!n_errors || !n_entries || n_entries > UINT32_MAX)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "need at least one error, in 1 to %llu "
				   "entries",
				   (unsigned long long)UINT32_MAX);
	if (!n_trials || n_trials > MAX_TRIALS)
		return ssdpm__fail(reterr, -ERANGE, 0, "need 1 to %d trials",
				   MAX_TRIALS);
	if (n_errors > ERRORS_BEYOND)
		n_errors = ERRORS_BEYOND;
	const uint64_t more =
		root_up((n_trials * PER_ERROR_RATE) << BITS, n_errors) - ONE;
	const uint64_t rest = n_entries * (more & (ONE - 1));

	*ret_entries = n_entries * (more >> BITS) + (rest >> BITS) +
		       ((rest & (ONE - 1)) != 0);
	return 0;
}
