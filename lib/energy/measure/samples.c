/* SPDX-License-Identifier: MIT */
/* A view of samples. */
#include "measure/internal.h"

#include <errno.h>

#include "base/internal.h"

int ssdpm__compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int ssdpm__samples_check(const struct ssdpm_samples *samples,
			 struct ssdpm_error *reterr)
{
	if (samples->type != SSDPM_SAMPLE_FLOAT32 &&
	    samples->type != SSDPM_SAMPLE_FLOAT64)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%u is no type of samples", samples->type);
	if (samples->reserved)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "samples: reserved is not 0");
	if (samples->n && !samples->power_w)
		return ssdpm__fail(reterr, -EINVAL, 0, "samples: no powers");
	if (samples->time_ns)
		return 0;
	/* Nor is NaN at least 1. */
	if (!(samples->interval_ns >= 1) ||
	    !(samples->interval_ns * (double)samples->n < 4e18))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"samples without times need an interval of 1 ns or more, and an end before 2^63 ns");
	if (samples->start_ns > INT64_MAX / 2 ||
	    samples->start_ns < -INT64_MAX / 2)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "samples begin at a time beyond 2^62 ns");
	return 0;
}

struct ssdpm_samples ssdpm__samples_cut(const struct ssdpm_samples *samples,
					size_t begin, size_t end)
{
	struct ssdpm_samples cut = *samples;

	if (samples->type == SSDPM_SAMPLE_FLOAT32)
		cut.power_w = (const float *)samples->power_w + begin;
	else
		cut.power_w = (const double *)samples->power_w + begin;
	if (samples->time_ns)
		cut.time_ns = samples->time_ns + begin;
	else
		cut.start_ns = ssdpm__sample_ns(samples, begin);
	cut.n = end - begin;
	return cut;
}
