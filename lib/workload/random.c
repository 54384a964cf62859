/* SPDX-License-Identifier: MIT */
/* Random numbers, logarithms and powers, in integers. */
#include "workload/random.h"

__extension__ typedef unsigned __int128 u128;

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

/* The high half of a product: no value is favoured by more than limit/2^64. */
uint64_t ssdpm__random_below(struct random *random, uint64_t limit)
{
	return (uint64_t)((u128)ssdpm__random_next(random) * limit >> 64);
}

/* Squaring a number doubles its logarithm: one bit of it for each square. */
uint64_t ssdpm__log2(uint64_t value)
{
	int whole = 63 - __builtin_clzll(value);
	uint64_t x = value << (63 - whole); /* [1, 2) with 63 bits */
	uint64_t result = (uint64_t)whole;

	for (int i = 0; i < FIXED_BITS; i++) {
		u128 square = (u128)x * x;
		uint64_t carry = (uint64_t)(square >> 127);

		result = result << 1 | carry;
		x = (uint64_t)(square >> (63 + carry));
	}
	return result;
}

/* The series of e^x, x < ln 2: its 21st term is below 2^-62. */
uint64_t ssdpm__exp2(uint64_t fraction)
{
	uint64_t x = (uint64_t)((u128)fraction * LN2_62 >> 62);
	uint64_t term = UINT64_C(1) << 62, sum = term;

	for (uint32_t i = 1; i <= 20; i++) {
		term = (uint64_t)((u128)term * x >> 62) / i;
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
	uint64_t e = (uint64_t)((u128)minus_log2(random) * LN2_62 >> 62);

	return (uint64_t)((u128)mean_ns * e >> FIXED_BITS);
}

/* Without the 128-bit division of libgcc; value < 2^96. */
static u128 divide_by_1000(u128 value)
{
	uint64_t high = (uint64_t)(value >> 32);
	uint64_t low = high % 1000 << 32 | (uint32_t)value;

	return ((u128)(high / 1000) << 32) + low / 1000;
}

/*
 * The inverse of the distribution: scale x (u^(-1/shape) - 1), where the mean
 * is scale / (shape - 1).
 */
uint64_t ssdpm__random_lomax(struct random *random, uint64_t mean_ns,
			     uint32_t shape_milli)
{
	u128 scale = (u128)mean_ns * (shape_milli - 1000); /* < 2^70 */
	/* Seven more bits: a large shape multiplies what is missing here. */
	uint64_t y = (minus_log2(random) * 1000 << 7) / shape_milli;
	uint32_t whole = (uint32_t)(y >> (FIXED_BITS + 7));
	uint64_t power = ssdpm__exp2(y << (62 - FIXED_BITS - 7) &
				     ((UINT64_C(1) << 62) - 1));

	/* Once in 2^52 draws at most. */
	if (whole > 52)
		return RANDOM_MAX_NS;
	u128 time = (scale * (power >> 10) >> (52 - whole)) - scale;
	if (time >= (u128)RANDOM_MAX_NS * 1000)
		return RANDOM_MAX_NS;
	return (uint64_t)divide_by_1000(time);
}
