/* SPDX-License-Identifier: MIT */
/* What the benchmarks share: clocks, medians, random numbers, verdicts. */
#ifndef SSDPM_TESTS_BENCH_H
#define SSDPM_TESTS_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ssdpm-energy.h>

static inline double clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static inline double wall_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Time of this process: others may run too. */
static inline double cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static inline int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* It sorts the values. */
static inline double median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare_doubles);
	return values[n / 2];
}

/* xorshift64*, Vigna 2016; the seed is not 0. */
static inline uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

/* Above 0, up to 1. */
static inline double uniform(uint64_t *seed)
{
	return ((double)(next_random(seed) >> 11) + 1) / 0x1p53;
}

/* End the benchmark where this does not hold. */
static inline void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	exit(1);
}

/* End the benchmark where a call failed. */
static inline void check(int err, const struct ssdpm_error *error)
{
	must(!err, error->message);
}

/* Print a figure and its limit: is it kept? */
static inline bool keeps(const char *name, double value, double limit)
{
	printf("bench %s %.3f <= %g\n", name, value, limit);
	return value <= limit;
}

#endif
