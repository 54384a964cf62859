/* SPDX-License-Identifier: MIT */
/* What the parts of the measurement share. */
#ifndef SSDPM_LIB_MEASURE_INTERNAL_H
#define SSDPM_LIB_MEASURE_INTERNAL_H

#include <math.h>
#include <stdbool.h>

#include <ssdpm/energy/measure.h>

#include "common/elementary.h"

#define NS_PER_S 1e9

/* Sigma over MAD in a normal distribution: 1 / (its third quartile). */
#define SIGMAS_PER_MAD 1.4826022185056018

#define BASELINE_MIN_SAMPLES 3

/* For qsort(); values are finite. */
int ssdpm__compare_doubles(const void *a, const void *b);

/* 0, or -EINVAL: a view that cannot be read. */
int ssdpm__samples_check(const struct ssdpm_samples *samples,
			 struct ssdpm_error *reterr);

static inline double ssdpm__sample_w(const struct ssdpm_samples *samples,
				     size_t i)
{
	if (samples->type == SSDPM_SAMPLE_FLOAT32)
		return ((const float *)samples->power_w)[i];
	return ((const double *)samples->power_w)[i];
}

static inline int64_t ssdpm__sample_ns(const struct ssdpm_samples *samples,
				       size_t i)
{
	if (samples->time_ns)
		return samples->time_ns[i];
	return samples->start_ns +
	       (int64_t)ssdpm__floor((double)i * samples->interval_ns + 0.5);
}

/* The part of "samples" from begin to before end. */
struct ssdpm_samples ssdpm__samples_cut(const struct ssdpm_samples *samples,
					size_t begin, size_t end);

/* The usual step of the first samples; 0: fewer than two samples. */
uint64_t ssdpm__usual_step(const struct ssdpm_samples *samples);

/* Ten times the usual step of the first samples; a longer one is a gap. */
uint64_t ssdpm__usual_gap(const struct ssdpm_samples *samples);

/* A sum that keeps what rounding loses (Neumaier 1974). */
struct compensated {
	double sum;
	double lost;
};

static inline void ssdpm__add(struct compensated *to, double value)
{
	double sum = to->sum + value;

	if (fabs(to->sum) >= fabs(value))
		to->lost += (to->sum - sum) + value;
	else
		to->lost += (value - sum) + to->sum;
	to->sum = sum;
}

/*
 * The exact median of the finite samples, or of their distances from a value.
 * It is the middle value, or the mean of both. 0, -ENODATA (none is finite),
 * -ENOMEM.
 */
struct selection {
	const struct ssdpm_samples *samples;
	bool distances; /* from the value below */
	double from_w;
};

int ssdpm__median(const struct selection *selection, double *ret_median,
		  uint64_t *ret_n, struct ssdpm_error *reterr);

/* The sigma of a baseline with known level, MAD and quantum. */
double ssdpm__quantised_sigma(const struct ssdpm_samples *samples,
			      const struct ssdpm_baseline *baseline);

/* The level, MAD, sigma, error and number of a baseline without a window. */
/*
 * Whether two values, and no others, may be steps of a meter: both are
 * multiples of the step between them. A signal of two levels is none.
 */
static inline bool ssdpm__are_steps(double low_w, double step_w)
{
	const double n = low_w / step_w;

	return fabs(n - ssdpm__floor(n + 0.5)) < 0.01;
}

int ssdpm__half_sample_find(const struct ssdpm_samples *samples,
			    double quantum_w, struct ssdpm_baseline *baseline,
			    struct ssdpm_error *reterr);

#endif
