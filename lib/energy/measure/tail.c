/* SPDX-License-Identifier: MIT */
/* Work without I/Os: after the last one, and while idle. */
#include "measure/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "measure/activity.h"

/*
 * A regular series has this many, and the MAD of its period is at most this
 * share of it. The MAD hides any minority, so nine tenths of the times between
 * are also within twice that share.
 */
#define REGULAR_N 4
#define REGULAR_SHARE 0.1

int ssdpm_tail_measure(const struct ssdpm_samples *samples,
		       const struct ssdpm_baseline *baseline,
		       const struct ssdpm_detect_params *params,
		       int64_t completion_ns, struct ssdpm_tail *ret_tail,
		       struct ssdpm_error *reterr)
{
	struct detector detector;
	struct stretch stretch;
	struct ssdpm_activity activity = { 0 };
	int err = ssdpm__detector_init(&detector, samples, baseline, params,
				       reterr);

	if (err)
		return err;
	while (detector.at < samples->n &&
	       ssdpm__sample_ns(samples, detector.at) < completion_ns)
		detector.at++;
	if (detector.at == samples->n)
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"the samples end before the last completion");
	size_t begin = detector.at;

	/* It counts as working until it is seen to rest. */
	detector.active = true;
	detector.begin = begin;
	detector.first = begin;
	ssdpm__detector_next(&detector, &stretch);
	struct ssdpm_tail tail = {
		.end_ns = completion_ns,
		.open = (stretch.open & OPEN_END) != 0,
		.n = stretch.end - begin,
	};

	if (stretch.end > begin) {
		err = ssdpm__stretch_measure(&detector, &stretch, &activity,
					     reterr);
		if (err)
			return err;
		double seconds =
			((double)activity.end_ns - (double)activity.begin_ns) /
			NS_PER_S;

		tail.end_ns = activity.end_ns;
		tail.duration_ns =
			(uint64_t)activity.end_ns - (uint64_t)completion_ns;
		tail.extra_j = activity.extra_j;
		tail.sigma_j =
			baseline->sigma_w * seconds / sqrt((double)tail.n);
	}
	*ret_tail = tail;
	return 0;
}

/* All stretches that have both ends. */
struct tail_work {
	size_t n;
	size_t room;
	int64_t *begin_ns;
	double *length_ns;
	double *extra_j;
};

static int add(struct tail_work *work, const struct ssdpm_activity *activity)
{
	if (work->n == work->room) {
		size_t room = work->room ? 2 * work->room : 64;
		int64_t *begin_ns =
			realloc(work->begin_ns, room * sizeof(*begin_ns));
		if (!begin_ns)
			return -ENOMEM;
		work->begin_ns = begin_ns;
		double *length_ns =
			realloc(work->length_ns, room * sizeof(*length_ns));
		if (!length_ns)
			return -ENOMEM;
		work->length_ns = length_ns;
		double *extra_j =
			realloc(work->extra_j, room * sizeof(*extra_j));
		if (!extra_j)
			return -ENOMEM;
		work->extra_j = extra_j;
		work->room = room;
	}
	work->begin_ns[work->n] = activity->begin_ns;
	work->length_ns[work->n] =
		(double)activity->end_ns - (double)activity->begin_ns;
	work->extra_j[work->n++] = activity->extra_j;
	return 0;
}

static int collect(const struct ssdpm_samples *samples,
		   const struct ssdpm_baseline *baseline,
		   const struct ssdpm_detect_params *params,
		   struct tail_work *work, struct ssdpm_error *reterr)
{
	struct detector detector;
	struct stretch stretch;
	struct ssdpm_activity activity;
	int err = ssdpm__detector_init(&detector, samples, baseline, params,
				       reterr);

	while (err == 0 && ssdpm__detector_next(&detector, &stretch)) {
		if (stretch.open)
			continue;
		err = ssdpm__stretch_measure(&detector, &stretch, &activity,
					     reterr);
		if (err == 0 && add(work, &activity))
			err = ssdpm__no_memory(reterr);
	}
	return err;
}

/* Median and MAD of doubles. 0, -ENOMEM. */
static int middle_of(const double *values, size_t n, double *ret_median,
		     double *ret_mad)
{
	struct ssdpm_samples samples = {
		.power_w = values,
		.n = n,
		.interval_ns = 1,
		.type = SSDPM_SAMPLE_FLOAT64,
	};
	struct selection selection = { .samples = &samples };
	uint64_t finite;
	int err = ssdpm__median(&selection, ret_median, &finite, NULL);

	selection.distances = true;
	selection.from_w = *ret_median;
	if (err == 0 && ret_mad)
		err = ssdpm__median(&selection, ret_mad, &finite, NULL);
	return err;
}

static bool is_regular(const struct tail_work *work, double period,
		       double period_mad)
{
	size_t n_near = 0;

	if (work->n < REGULAR_N || !(period > 0) ||
	    period_mad > REGULAR_SHARE * period)
		return false;
	for (size_t i = 1; i < work->n; i++) {
		const double step = (double)work->begin_ns[i] -
				    (double)work->begin_ns[i - 1];
		const double off =
			step > period ? step - period : period - step;

		n_near += off <= 2 * REGULAR_SHARE * period;
	}
	return 10 * n_near >= 9 * (work->n - 1);
}

static int sum_up(struct tail_work *work, double seconds,
		  struct ssdpm_idle_work *idle)
{
	double period = 0, period_mad = 0, length = 0, total = 0;
	int err = 0;

	idle->n = work->n;
	if (!work->n)
		return 0;
	for (size_t i = 0; i < work->n; i++)
		total += work->extra_j[i];
	idle->mean_extra_w = total / seconds;
	err = middle_of(work->length_ns, work->n, &length, NULL);
	if (err == 0)
		err = middle_of(work->extra_j, work->n, &idle->extra_j,
				&idle->extra_mad_j);
	idle->duration_ns = (uint64_t)length;
	if (err || work->n < 2)
		return err;
	/*
	 * The lengths are no longer needed; reuse their room for the times
	 * between.
	 */
	for (size_t i = 1; i < work->n; i++)
		work->length_ns[i - 1] = (double)work->begin_ns[i] -
					 (double)work->begin_ns[i - 1];
	err = middle_of(work->length_ns, work->n - 1, &period, &period_mad);
	idle->period_ns = (uint64_t)ssdpm__max(0, period);
	idle->period_mad_ns = (uint64_t)period_mad;
	idle->regular = is_regular(work, period, period_mad);
	return err;
}

int ssdpm_idle_work_find(const struct ssdpm_samples *samples,
			 const struct ssdpm_baseline *baseline,
			 const struct ssdpm_detect_params *params,
			 struct ssdpm_idle_work *ret_work,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_idle_work idle = { 0 };
	struct ssdpm_energy energy = { .size = sizeof(energy) };
	struct tail_work work = { 0 };
	int err = ssdpm_energy_measure(samples, NULL, &energy, reterr);

	if (err)
		return err;
	err = collect(samples, baseline, params, &work, reterr);
	if (err == 0 &&
	    sum_up(&work, (double)energy.covered_ns / NS_PER_S, &idle))
		err = ssdpm__no_memory(reterr);
	if (err == 0)
		*ret_work = idle;
	free(work.begin_ns);
	free(work.length_ns);
	free(work.extra_j);
	return err;
}
