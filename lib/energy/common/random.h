/* SPDX-License-Identifier: MIT */
/*
 * Random numbers for generated workloads. They use integers only, so that a
 * seed gives the same records on every machine.
 */
#ifndef SSDPM_LIB_COMMON_RANDOM_H
#define SSDPM_LIB_COMMON_RANDOM_H

#include <stdint.h>

/*
 * xoshiro256** of D. Blackman and S. Vigna ("Scrambled linear pseudorandom
 * number generators", ACM TOMS 47(4), 2021), from its published description.
 */
struct random {
	uint64_t s[4];
};

/* The state comes from the seed by splitmix64, as its authors advise. */
void ssdpm__random_seed(struct random *random, uint64_t seed);
uint64_t ssdpm__random_next(struct random *random);

/* 0 to limit - 1; limit is at least 1. */
uint64_t ssdpm__random_below(struct random *random, uint64_t limit);

/* The largest mean and the largest time of the two functions below. */
#define RANDOM_MAX_MEAN_NS UINT64_C(1000000000000000)
#define RANDOM_MAX_NS (UINT64_C(1) << 62)

/* A time with an exponential distribution of this mean, rounded down. */
uint64_t ssdpm__random_exponential(struct random *random, uint64_t mean_ns);

/*
 * A time with a Lomax distribution (Pareto II) of this mean, rounded down, at
 * most RANDOM_MAX_NS. The shape in thousandths is 1001 to 1000000, because
 * there is no mean at or below 1000.
 */
uint64_t ssdpm__random_lomax(struct random *random, uint64_t mean_ns,
			     uint32_t shape_milli);

/*
 * The logarithm to the base 2 of a whole number above 0, with FIXED_BITS bits
 * after the point; the last bit may be wrong. And 2 to the power of a number
 * from 0 to below 1; argument and result have 62 bits after the point.
 */
#define FIXED_BITS 40

uint64_t ssdpm__log2(uint64_t value);
uint64_t ssdpm__exp2(uint64_t fraction);

#endif
