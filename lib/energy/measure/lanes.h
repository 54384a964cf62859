/* SPDX-License-Identifier: MIT */
/* The loops that all samples go through, as fast as memory allows. */
#ifndef SSDPM_LIB_MEASURE_LANES_H
#define SSDPM_LIB_MEASURE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The plain sum is exact enough for this many samples. */
#define BLOCK_SAMPLES 4096

/* Not finite if a sample is not. */
double ssdpm__block_sum_floats(const float *power_w, size_t n);
double ssdpm__block_sum_doubles(const double *power_w, size_t n);

/*
 * How many samples equal the largest known, and the next one. new: a sample is
 * outside the known range, or between those two.
 */
struct block_extremes {
	uint64_t n_at_max;
	uint64_t n_at_next;
	bool new;
};

struct block_extremes ssdpm__block_extremes_floats(const float *power_w,
						   size_t n, double min,
						   double next, double max);
struct block_extremes ssdpm__block_extremes_doubles(const double *power_w,
						    size_t n, double min,
						    double next, double max);

/*
 * Steps from the sample before the first to the last. The sum is of (power
 * before + power) times step, in W ns. A step is bad if it is 0, negative, or
 * above max_gap_ns, which is at most 2^63 - 1.
 */
struct block_steps {
	double sum;
	uint64_t min_step_ns;
	uint64_t max_step_ns;
	bool bad;
};

struct block_steps ssdpm__block_steps_floats(const float *power_w,
					     const int64_t *time_ns, size_t n,
					     uint64_t max_gap_ns);
struct block_steps ssdpm__block_steps_doubles(const double *power_w,
					      const int64_t *time_ns, size_t n,
					      uint64_t max_gap_ns);

/* A range with both ends; it is empty if from is above to. */
struct lane_range {
	double from;
	double to;
};

/*
 * Counts samples in five ranges, each inside the next. Samples in the third but
 * not in the second are written to kept, which has room.
 */
#define N_RANGES 5
struct block_ranges {
	struct lane_range ranges[N_RANGES];
	uint64_t counts[N_RANGES]; /* added to */
};

/* Return: how many were kept. */
size_t ssdpm__block_ranges_floats(const float *power_w, size_t n,
				  struct block_ranges *ranges, double *kept);
size_t ssdpm__block_ranges_doubles(const double *power_w, size_t n,
				   struct block_ranges *ranges, double *kept);

#endif
