/* SPDX-License-Identifier: MIT */
/*
 * Finds when a drive works from its power alone. Activity begins with some
 * samples well above the baseline, and ends with some close to it.
 */
#include "measure/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"
#include "measure/activity.h"

#define ENTER_SIGMAS 5
#define LEAVE_SIGMAS 3
#define IN_A_ROW 3
#define MAX_FILTER 101

static double threshold(const struct ssdpm_baseline *baseline, double sigmas,
			const struct ssdpm_detect_params *params)
{
	return baseline->level_w +
	       ssdpm__max(sigmas * baseline->sigma_w, params->floor_w);
}

int ssdpm__detector_init(struct detector *detector,
			 const struct ssdpm_samples *samples,
			 const struct ssdpm_baseline *baseline,
			 const struct ssdpm_detect_params *params,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_detect_params known = { .size = sizeof(known) };
	int err = ssdpm__samples_check(samples, reterr);

	if (err == 0)
		err = ssdpm__sized_in(&known, sizeof(known), params,
				      "ssdpm_detect_params", reterr);
	if (err == 0)
		err = ssdpm__check_reserved(known.reserved,
					    "ssdpm_detect_params", reterr);
	if (err)
		return err;
	if (known.enter_sigmas == 0)
		known.enter_sigmas = ENTER_SIGMAS;
	if (known.leave_sigmas == 0)
		known.leave_sigmas = LEAVE_SIGMAS;
	if (!(known.leave_sigmas > 0) ||
	    !(known.enter_sigmas >= known.leave_sigmas) ||
	    !(known.floor_w >= 0))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"activity begins with at least as many sigmas as it ends with, and its floor is not below 0 W");
	if (known.filter_samples > MAX_FILTER ||
	    (known.filter_samples && known.filter_samples % 2 == 0))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"a running median is over an odd number of samples up to %d",
			MAX_FILTER);
	if (!isfinite(baseline->level_w) || !(baseline->sigma_w >= 0))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the baseline is not a finite power");
	*detector = (struct detector){
		.samples = samples,
		.baseline = baseline,
		.enter_w = threshold(baseline, known.enter_sigmas, &known),
		.leave_w = threshold(baseline, known.leave_sigmas, &known),
		.enter_samples =
			known.enter_samples ? known.enter_samples : IN_A_ROW,
		.leave_samples =
			known.leave_samples ? known.leave_samples : IN_A_ROW,
		.reach = known.filter_samples / 2,
		.max_gap_ns = ssdpm__usual_gap(samples),
	};
	return 0;
}

/* A sample, or the median of those around it; NaN if none is finite. */
static double filtered(const struct detector *detector, size_t i)
{
	double values[MAX_FILTER];
	size_t n = 0;

	if (!detector->reach)
		return ssdpm__sample_w(detector->samples, i);
	size_t from = i > detector->reach ? i - detector->reach : 0;
	for (size_t k = from;
	     k <= i + detector->reach && k < detector->samples->n; k++) {
		values[n] = ssdpm__sample_w(detector->samples, k);
		n += isfinite(values[n]) != 0;
	}
	if (!n)
		return NAN;
	qsort(values, n, sizeof(values[0]), ssdpm__compare_doubles);
	return values[(n - 1) / 2] / 2 + values[n / 2] / 2;
}

/* Whether the time between the previous sample and this one is unknown. */
static bool is_break(const struct detector *detector, size_t i)
{
	const int64_t *time_ns = detector->samples->time_ns;

	if (!i || !time_ns)
		return false;
	return time_ns[i] < time_ns[i - 1] ||
	       (uint64_t)time_ns[i] - (uint64_t)time_ns[i - 1] >
		       detector->max_gap_ns;
}

/* Ends activity at i, because the time before i is unknown. */
static bool close_at(struct detector *detector, size_t i,
		     struct stretch *ret_stretch)
{
	bool active = detector->active;

	detector->first = i;
	detector->row = 0;
	detector->active = false;
	if (active)
		*ret_stretch = (struct stretch){ detector->begin, i,
						 detector->open | OPEN_END };
	return active;
}

/* Return: whether activity has ended. */
static bool step(struct detector *detector, size_t i,
		 struct stretch *ret_stretch)
{
	double power_w = filtered(detector, i);
	bool active = detector->active;
	uint32_t needed =
		active ? detector->leave_samples : detector->enter_samples;

	if (isnan(power_w))
		return false;
	if (active ==
	    (power_w > (active ? detector->leave_w : detector->enter_w))) {
		detector->row = 0;
		return false;
	}
	if (!detector->row++)
		detector->turn = i;
	if (detector->row < needed)
		return false;
	detector->row = 0;
	detector->active = !active;
	if (active) {
		*ret_stretch =
			(struct stretch){ detector->begin, detector->turn,
					  detector->open };
		return true;
	}
	detector->begin = detector->turn;
	detector->open = detector->turn == detector->first ? OPEN_BEGIN : 0;
	return false;
}

bool ssdpm__detector_next(struct detector *detector,
			  struct stretch *ret_stretch)
{
	while (detector->at < detector->samples->n) {
		size_t i = detector->at;

		if (is_break(detector, i) && close_at(detector, i, ret_stretch))
			return true;
		detector->at++;
		if (step(detector, i, ret_stretch))
			return true;
	}
	return close_at(detector, detector->samples->n, ret_stretch);
}

int ssdpm__stretch_measure(const struct detector *detector,
			   const struct stretch *stretch,
			   struct ssdpm_activity *ret_activity,
			   struct ssdpm_error *reterr)
{
	const struct ssdpm_samples *all = detector->samples;
	/* The end includes the next sample, which is at the baseline again. */
	size_t end = stretch->end < all->n && !(stretch->open & OPEN_END) ?
			     stretch->end + 1 :
			     stretch->end;
	struct ssdpm_samples samples =
		ssdpm__samples_cut(all, stretch->begin, end);
	struct ssdpm_energy_params params = {
		.size = sizeof(params),
		.max_gap_ns = detector->max_gap_ns,
	};
	struct ssdpm_energy energy = { .size = sizeof(energy) };
	int err = ssdpm_energy_measure(&samples, &params, &energy, reterr);

	if (err)
		return err;
	*ret_activity = (struct ssdpm_activity){
		.begin = stretch->begin,
		.end = stretch->end,
		.begin_ns = ssdpm__sample_ns(all, stretch->begin),
		.end_ns = ssdpm__sample_ns(all, end - 1),
		.energy_j = energy.energy_j,
		.extra_j = energy.energy_j -
			   detector->baseline->level_w *
				   ((double)energy.covered_ns / NS_PER_S),
		.peak_w = energy.max_power_w,
		.open = stretch->open,
	};
	return 0;
}

int ssdpm_activity_find(const struct ssdpm_samples *samples,
			const struct ssdpm_baseline *baseline,
			const struct ssdpm_detect_params *params,
			struct ssdpm_activity *ret_activities, size_t *n,
			struct ssdpm_error *reterr)
{
	struct detector detector;
	struct stretch stretch;
	size_t found = 0;
	int err = ssdpm__detector_init(&detector, samples, baseline, params,
				       reterr);

	for (; !err && ssdpm__detector_next(&detector, &stretch); found++)
		if (found < *n)
			err = ssdpm__stretch_measure(&detector, &stretch,
						     &ret_activities[found],
						     reterr);
	if (!err)
		*n = found;
	return err;
}
