/* SPDX-License-Identifier: MIT */
/* Random numbers, logarithms and powers, in integers. */
#include "common/random.h"

#include <stddef.h>

#include "base/wide.h"

/* ln 2 x 2^62 */
#define LN2_62 UINT64_C(3196577161300663914)

static uint64_t rotate(uint64_t value, int bits)
{
	return value << bits | value >> (64 - bits);
}

/* splitmix64: G. Steele, D. Lea, C. Flood, OOPSLA 2014; S. Vigna, 2015. */
static uint64_t split_mix(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

void ssdpm__random_seed(struct random *random, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		random->s[i] = split_mix(&seed);
}

uint64_t ssdpm__random_next(struct random *random)
{
	uint64_t *s = random->s;
	uint64_t result = rotate(s[1] * 5, 7) * 9;
	uint64_t shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotate(s[3], 45);
	return result;
}

/* a x b / 2^bits, rounded down, where that fits. */
static uint64_t scaled_product(uint64_t a, uint64_t b, unsigned int bits)
{
	return wide_shifted_right(wide_product(a, b), bits).low;
}

/* The high half of a product: no value is favoured by more than limit/2^64. */
uint64_t ssdpm__random_below(struct random *random, uint64_t limit)
{
	return wide_product(ssdpm__random_next(random), limit).high;
}

/* Squaring a number doubles its logarithm: one bit of it for each square. */
uint64_t ssdpm__log2(uint64_t value)
{
	int whole = 63 - __builtin_clzll(value);
	uint64_t x = value << (63 - whole); /* [1, 2) with 63 bits */
	uint64_t result = (uint64_t)whole;

	for (int i = 0; i < FIXED_BITS; i++) {
		struct wide square = wide_product(x, x);
		uint64_t carry = square.high >> 63;

		result = result << 1 | carry;
		x = square.high;
		if (!carry)
			x = x << 1 | square.low >> 63;
	}
	return result;
}

/* The series of e^x, x < ln 2: its 21st term is below 2^-62. */
uint64_t ssdpm__exp2(uint64_t fraction)
{
	uint64_t x = scaled_product(fraction, LN2_62, 62);
	uint64_t term = UINT64_C(1) << 62, sum = term;

	for (uint32_t i = 1; i <= 20; i++) {
		term = scaled_product(term, x, 62) / i;
		sum += term;
	}
	return sum;
}

/* -log2 of a random number above 0 and up to 1. */
static uint64_t minus_log2(struct random *random)
{
	uint64_t value = ssdpm__random_next(random) + 1; /* 0: 2^64 */

	return value ? ((uint64_t)64 << FIXED_BITS) - ssdpm__log2(value) : 0;
}

uint64_t ssdpm__random_exponential(struct random *random, uint64_t mean_ns)
{
	uint64_t e = scaled_product(minus_log2(random), LN2_62, 62);

	return scaled_product(mean_ns, e, FIXED_BITS);
}

/*
 * The inverse of the distribution: scale x (u^(-1/shape) - 1), where the mean
 * is scale / (shape - 1).
 */
uint64_t ssdpm__random_lomax(struct random *random, uint64_t mean_ns,
			     uint32_t shape_milli)
{
	/* < 2^70 */
	struct wide scale = wide_product(mean_ns, shape_milli - 1000);
	/* Seven more bits: a large shape multiplies what is missing here. */
	uint64_t y = (minus_log2(random) * 1000 << 7) / shape_milli;
	uint32_t whole = (uint32_t)(y >> (FIXED_BITS + 7));
	uint64_t power = ssdpm__exp2(y << (62 - FIXED_BITS - 7) &
				     ((UINT64_C(1) << 62) - 1));

	/* Once in 2^52 draws at most. */
	if (whole > 52)
		return RANDOM_MAX_NS;
	struct wide time = wide_minus(
		wide_shifted_right(wide_times(scale, power >> 10), 52 - whole),
		scale);
	if (!wide_is_less(time, wide_product(RANDOM_MAX_NS, 1000)))
		return RANDOM_MAX_NS;
	return ssdpm__wide_divide(time, 1000, NULL).low;
}
