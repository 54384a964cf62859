/* SPDX-License-Identifier: MIT */
/*
 * Judges whether a signal is sampled fast enough for its events. It compares
 * the sampling with how long the power stays above the baseline, how long I/Os
 * are in work, and how often the instrument updates.
 */
#include "measure/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "measure/activity.h"
#include "base/words.h"

/* An event of at most this many measurements has no reliable length. */
#define SHORT_MEASUREMENTS 2
/* One or two events are chance. */
#define MIN_EVENTS 3
/*
 * Short events matter above these shares of the energy above the baseline, and
 * of all energy.
 */
#define SHORT_SHARE 0.5
#define ENERGY_SHARE 0.01
/* An event needs this many samples to be seen well. */
#define GOOD_SAMPLES 4
/*
 * The least number of runs of equal values, and the longest run that is counted
 * by length.
 */
#define MIN_HOLDS 8
#define MAX_HOLD 1024
/*
 * At most this share of holds is shorter than usual, and at most this share
 * differs from it.
 */
#define HOLD_SHORTER 0.05
#define HOLD_OTHER 0.25
/* A change above this many least steps is a large one. */
#define QUANTA 1.5

/* Runs of equal values, without the first and the last, which are cut. */
struct holds {
	uint64_t counts[MAX_HOLD + 1]; /* by length */
	uint64_t n;
	uint64_t n_samples;
	uint64_t n_large; /* changes by more than the least one */
	double least_w;	  /* the least change */
};

static void find_least(const struct ssdpm_samples *samples, struct holds *holds)
{
	double before = NAN;

	holds->least_w = INFINITY;
	for (size_t i = 0; i < samples->n; i++) {
		double power_w = ssdpm__sample_w(samples, i);

		if (!isfinite(power_w))
			continue;
		double change = fabs(power_w - before);

		if (change > 0 && change < holds->least_w)
			holds->least_w = change;
		before = power_w;
	}
}

static void find_holds(const struct ssdpm_samples *samples, struct holds *holds)
{
	double before = NAN;
	uint64_t length = 0;
	bool first = true;

	find_least(samples, holds);
	for (size_t i = 0; i < samples->n; i++) {
		double power_w = ssdpm__sample_w(samples, i);

		if (!isfinite(power_w))
			continue;
		if (power_w == before || isnan(before)) {
			before = power_w;
			length++;
			continue;
		}
		if (!first) {
			holds->counts[length < MAX_HOLD ? length : MAX_HOLD]++;
			holds->n++;
			holds->n_samples += length;
			holds->n_large += fabs(power_w - before) >
					  QUANTA * holds->least_w;
		}
		first = false;
		before = power_w;
		length = 1;
	}
}

/* Counts the holds in a range of lengths, and finds their mean. */
static uint64_t count_between(const struct holds *holds, size_t from, size_t to,
			      double *ret_mean)
{
	uint64_t n = 0, n_samples = 0;

	for (size_t i = from; i <= to && i < MAX_HOLD; i++) {
		n += holds->counts[i];
		n_samples += i * holds->counts[i];
	}
	*ret_mean = n ? (double)n_samples / (double)n : 0;
	if (to < MAX_HOLD)
		return n;
	/* The lengths of very long holds are known only in sum. */
	*ret_mean = (double)holds->n_samples / (double)holds->n;
	return n + holds->counts[MAX_HOLD];
}

/*
 * How many samples one measurement lasts; 1: each is one measurement. Noise on
 * the steps of an instrument stays on a step by chance and goes to the next
 * one. Many of its runs are much shorter than most.
 */
static double hold_of(const struct holds *holds)
{
	size_t median = 0, around;
	uint64_t n = 0;
	double all = (double)holds->n, mean, unused;

	if (holds->n < MIN_HOLDS || 2 * holds->n_large < holds->n)
		return 1;
	while (2 * n < holds->n)
		n += holds->counts[++median];
	if (median < 2)
		return 1;
	around = median / 8 ? median / 8 : 1;
	size_t from = median - around > 2 ? median - around : 2;

	if ((double)count_between(holds, 1, from - 1, &unused) >
	    HOLD_SHORTER * all)
		return 1;
	/* A longer hold has two equal measurements. */
	if ((double)count_between(holds, from, median + around, &mean) <
	    (1 - HOLD_OTHER) * all)
		return 1;
	return mean;
}

static void check_holds(const struct ssdpm_samples *samples,
			struct ssdpm_sampling *sampling, double *ret_hold)
{
	struct holds holds = { 0 };

	find_holds(samples, &holds);
	*ret_hold = hold_of(&holds);
	if (*ret_hold > 1)
		sampling->remarks |= SSDPM_SIGNAL_HELD;
	sampling->interval_ns = (uint64_t)ssdpm__floor(
		*ret_hold * (double)sampling->step_ns + 0.5);
}

static double joules_above(const struct ssdpm_samples *samples, size_t begin,
			   size_t end, double level_w, double step_s)
{
	struct compensated sum = { 0, 0 };

	for (size_t i = begin; i < end; i++) {
		double power_w = ssdpm__sample_w(samples, i);

		if (isfinite(power_w))
			ssdpm__add(&sum, (power_w - level_w) * step_s);
	}
	return sum.sum + sum.lost;
}

/* hold: samples that a measurement lasts. */
static int check_excursions(const struct ssdpm_samples *samples,
			    const struct ssdpm_sampling_params *params,
			    double hold, struct ssdpm_sampling *sampling,
			    struct ssdpm_error *reterr)
{
	struct ssdpm_detect_params detect = { .size = sizeof(detect) };
	const double step_s = (double)sampling->step_ns / NS_PER_S;
	/* A held event begins and ends between two samples. */
	const double most = SHORT_MEASUREMENTS * hold + (hold > 1);
	struct detector detector;
	struct stretch stretch;
	uint64_t n_samples = 0;
	int err = 0;

	if (params->detect)
		err = ssdpm__sized_in(&detect, sizeof(detect), params->detect,
				      "ssdpm_detect_params", reterr);
	detect.enter_samples = detect.leave_samples = 1;
	if (err == 0)
		err = ssdpm__detector_init(&detector, samples, params->baseline,
					   &detect, reterr);
	if (err)
		return err;
	sampling->extra_j = 0;
	while (ssdpm__detector_next(&detector, &stretch)) {
		double joules =
			joules_above(samples, stretch.begin, stretch.end,
				     params->baseline->level_w, step_s);
		size_t n = stretch.end - stretch.begin;

		sampling->n_excursions++;
		sampling->extra_j += joules;
		if (stretch.open || (double)n > most)
			continue;
		sampling->n_short++;
		sampling->short_j += joules;
		n_samples += n;
	}
	if (sampling->n_short)
		sampling->short_ns = (uint64_t)((double)n_samples /
						(double)sampling->n_short *
						(double)sampling->step_ns);
	if (sampling->n_short >= MIN_EVENTS &&
	    sampling->short_j > SHORT_SHARE * sampling->extra_j &&
	    sampling->short_j > ENERGY_SHARE * fabs(sampling->energy_j))
		sampling->remarks |= SSDPM_SIGNAL_SLOW;
	return 0;
}

static int compare_lengths(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Finds the lengths of stretches of work. Return: how many; 0: one is unknown.
 */
static size_t find_work(const struct ssdpm_io *ios, size_t n, uint64_t rest_ns,
			uint64_t *lengths)
{
	uint64_t begin_ns = 0, end_ns = 0;
	size_t n_lengths = 0;

	for (size_t i = 0; i < n; i++) {
		const uint64_t service_ns = ios[i].service_ns;

		if (service_ns == SSDPM_SERVICE_UNKNOWN)
			return 0;
		if (i && ios[i].start_ns > end_ns &&
		    ios[i].start_ns - end_ns >= rest_ns) {
			lengths[n_lengths++] = end_ns - begin_ns;
			begin_ns = end_ns = ios[i].start_ns;
		}
		if (!i)
			begin_ns = ios[i].start_ns;
		if (ios[i].start_ns + service_ns > end_ns)
			end_ns = ios[i].start_ns + service_ns;
	}
	lengths[n_lengths++] = end_ns - begin_ns;
	return n_lengths;
}

static int check_ios(const struct ssdpm_sampling_params *params,
		     struct ssdpm_sampling *sampling,
		     struct ssdpm_error *reterr)
{
	uint64_t *lengths = calloc(params->n_ios, sizeof(*lengths));

	if (!lengths)
		return ssdpm__no_memory(reterr);
	size_t n = find_work(params->ios, params->n_ios, sampling->interval_ns,
			     lengths);

	if (n >= MIN_EVENTS) {
		qsort(lengths, n, sizeof(*lengths), compare_lengths);
		sampling->busy_ns = lengths[(n - 1) / 2];
		if (sampling->busy_ns / SHORT_MEASUREMENTS <
		    sampling->interval_ns)
			sampling->remarks |= SSDPM_SIGNAL_SLOWER_THAN_IO;
	}
	free(lengths);
	return 0;
}

/* A quarter of the shortest event, but at least a nanosecond. */
static uint64_t advise(const struct ssdpm_sampling *sampling)
{
	uint64_t event_ns = UINT64_MAX;

	if (sampling->remarks & SSDPM_SIGNAL_SLOW)
		event_ns = sampling->short_ns;
	if (sampling->remarks & SSDPM_SIGNAL_SLOWER_THAN_IO &&
	    sampling->busy_ns < event_ns)
		event_ns = sampling->busy_ns;
	if (event_ns == UINT64_MAX)
		return 0;
	return event_ns / GOOD_SAMPLES ? event_ns / GOOD_SAMPLES : 1;
}

static int check(const struct ssdpm_samples *samples,
		 const struct ssdpm_sampling_params *params,
		 struct ssdpm_sampling *sampling, struct ssdpm_error *reterr)
{
	double hold;
	int err = 0;

	for (size_t i = 0; i < samples->n; i++)
		sampling->n += isfinite(ssdpm__sample_w(samples, i)) != 0;
	if (!sampling->n)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "no sample is a finite power");
	sampling->step_ns = ssdpm__usual_step(samples);
	sampling->energy_j = joules_above(samples, 0, samples->n, 0,
					  (double)sampling->step_ns / NS_PER_S);
	check_holds(samples, sampling, &hold);
	if (params->baseline)
		err = check_excursions(samples, params, hold, sampling, reterr);
	if (err == 0 && params->n_ios)
		err = check_ios(params, sampling, reterr);
	sampling->advised_ns = advise(sampling);
	return err;
}

/* Without a baseline, fewer checks are possible. */
static int find_baseline(const struct ssdpm_samples *samples,
			 struct ssdpm_baseline *baseline,
			 struct ssdpm_sampling_params *params,
			 struct ssdpm_error *reterr)
{
	int err = ssdpm_baseline_find(samples, NULL, baseline, NULL);

	if (err == -ENOMEM)
		return ssdpm__no_memory(reterr);
	params->baseline = err ? NULL : baseline;
	return 0;
}

int ssdpm_sampling_check(const struct ssdpm_samples *samples,
			 const struct ssdpm_sampling_params *params,
			 struct ssdpm_sampling *ret_sampling,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_sampling_params known = { .size = sizeof(known) };
	struct ssdpm_sampling sampling = { .extra_j = NAN };
	struct ssdpm_baseline baseline;
	int err = ssdpm__sized_check(ret_sampling, sizeof(sampling),
				     "ssdpm_sampling", reterr);

	if (err == 0)
		err = ssdpm__samples_check(samples, reterr);
	if (err == 0)
		err = ssdpm__sized_in(&known, sizeof(known), params,
				      "ssdpm_sampling_params", reterr);
	if (err == 0 && known.n_ios && !known.ios)
		err = ssdpm__fail(reterr, -EINVAL, 0, "n_ios, and no ios");
	if (err == 0 && !params)
		err = find_baseline(samples, &baseline, &known, reterr);
	if (err == 0)
		err = check(samples, &known, &sampling, reterr);
	if (err == 0)
		ssdpm__sized_out(ret_sampling, &sampling, sizeof(sampling));
	return err;
}

static const char signal_remark_words[][15] = {
	[FLAG(SSDPM_SIGNAL_NOT_FINITE)] = "not-finite",
	[FLAG(SSDPM_SIGNAL_NEGATIVE)] = "negative",
	[FLAG(SSDPM_SIGNAL_CONSTANT)] = "constant",
	[FLAG(SSDPM_SIGNAL_SATURATED)] = "saturated",
	[FLAG(SSDPM_SIGNAL_DUPLICATES)] = "duplicates",
	[FLAG(SSDPM_SIGNAL_BACKWARDS)] = "backwards",
	[FLAG(SSDPM_SIGNAL_GAPS)] = "gaps",
	[FLAG(SSDPM_SIGNAL_SLOW)] = "slow",
	[FLAG(SSDPM_SIGNAL_SLOWER_THAN_IO)] = "slower-than-io",
	[FLAG(SSDPM_SIGNAL_HELD)] = "held",
};
FLAG_WORDS(signal_remark)
