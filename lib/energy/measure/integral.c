/* SPDX-License-Identifier: MIT */
/*
 * The energy of a signal: the trapezoid rule over stretches without a gap.
 *
 * Most samples come at a steady rate or in order, are finite, and none is the
 * largest: blocks of those take a quick way. The others go one by one.
 */
#include "measure/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "measure/lanes.h"

/* The step that is usual is told from so many samples. */
#define FIRST_SAMPLES 4096
#define GAP_STEPS 10
/* Saturated: so many at the largest value, so many times those next to it. */
#define SATURATED_SAMPLES 16
#define SATURATED_TIMES 4

/* What has been integrated. */
struct integral_sums {
	struct compensated joules;
	struct ssdpm_energy counts; /* without what comes of them */
	double next_w;		    /* the largest below the maximum */
	uint64_t n_at_next;
	bool any; /* finite sample */
	double last_w;
	int64_t last_ns;
};

struct ssdpm_integral {
	double tolerance;
	uint64_t max_gap_ns; /* 0: not known yet */
	struct integral_sums sums;
	/* With times: the first ones, until the gap is known. */
	size_t n_first;
	int64_t first_ns[FIRST_SAMPLES];
	double first_w[FIRST_SAMPLES];
};

int ssdpm_integral_new(const struct ssdpm_energy_params *params,
		       struct ssdpm_integral **ret_integral,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_energy_params known = { .size = sizeof(known) };
	int err = ssdpm__sized_in(&known, sizeof(known), params,
				  "ssdpm_energy_params", reterr);

	if (!err)
		err = ssdpm__check_reserved(known.reserved,
					    "ssdpm_energy_params", reterr);
	if (err)
		return err;
	if (!(known.tolerance >= 0) || !(known.tolerance < 1))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a tolerance is at least 0 and less than 1");
	if (known.flags)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_energy_params: flags is not 0");
	struct ssdpm_integral *integral = calloc(1, sizeof(*integral));
	if (!integral)
		return ssdpm__no_memory(reterr);
	integral->tolerance = known.tolerance;
	integral->max_gap_ns =
		known.max_gap_ns > INT64_MAX ? INT64_MAX : known.max_gap_ns;
	integral->sums.counts.min_power_w = INFINITY;
	integral->sums.counts.max_power_w = -INFINITY;
	integral->sums.next_w = -INFINITY;
	integral->sums.counts.min_step_ns = UINT64_MAX;
	*ret_integral = integral;
	return 0;
}

struct ssdpm_integral *ssdpm_integral_free(struct ssdpm_integral *integral)
{
	free(integral);
	return NULL;
}

/* The two largest values, and how many there are of each. */
static void count_large(struct integral_sums *sums, double power_w)
{
	struct ssdpm_energy *counts = &sums->counts;

	if (power_w > counts->max_power_w) {
		sums->next_w = counts->max_power_w;
		sums->n_at_next = counts->n_at_max;
		counts->max_power_w = power_w;
		counts->n_at_max = 1;
	} else if (power_w == counts->max_power_w) {
		counts->n_at_max++;
	} else if (power_w > sums->next_w) {
		sums->next_w = power_w;
		sums->n_at_next = 1;
	} else if (power_w == sums->next_w) {
		sums->n_at_next++;
	}
}

/* From the sample before to this one. */
static void take_step(struct integral_sums *sums, double power_w,
		      int64_t time_ns, uint64_t max_gap_ns)
{
	struct ssdpm_energy *counts = &sums->counts;

	if (time_ns < sums->last_ns) {
		counts->n_backwards++;
		return;
	}
	uint64_t step = (uint64_t)time_ns - (uint64_t)sums->last_ns;
	if (!step) {
		counts->n_duplicates++;
		return;
	}
	if (step > max_gap_ns) {
		counts->n_gaps++;
		counts->gap_ns += step;
		return;
	}
	counts->covered_ns += step;
	if (step < counts->min_step_ns)
		counts->min_step_ns = step;
	if (step > counts->max_step_ns)
		counts->max_step_ns = step;
	ssdpm__add(&sums->joules, (sums->last_w / 2 + power_w / 2) *
					  ((double)step / NS_PER_S));
}

static void take(struct integral_sums *sums, double power_w, int64_t time_ns,
		 uint64_t max_gap_ns)
{
	sums->counts.n++;
	if (!isfinite(power_w)) {
		sums->counts.n_not_finite++;
		return;
	}
	sums->counts.n_negative += power_w < 0;
	if (power_w < sums->counts.min_power_w)
		sums->counts.min_power_w = power_w;
	count_large(sums, power_w);
	if (sums->any)
		take_step(sums, power_w, time_ns, max_gap_ns);
	sums->any = true;
	sums->last_w = power_w;
	sums->last_ns = time_ns;
}

/* A view of one type or the other. */
static double sum_block(const struct ssdpm_samples *samples, size_t begin,
			size_t n)
{
	if (samples->type == SSDPM_SAMPLE_FLOAT32)
		return ssdpm__block_sum_floats(
			(const float *)samples->power_w + begin, n);
	return ssdpm__block_sum_doubles(
		(const double *)samples->power_w + begin, n);
}

static struct block_extremes find_extremes(const struct ssdpm_samples *samples,
					   size_t begin, size_t n,
					   const struct integral_sums *sums)
{
	double min = sums->counts.min_power_w, max = sums->counts.max_power_w;

	if (samples->type == SSDPM_SAMPLE_FLOAT32)
		return ssdpm__block_extremes_floats(
			(const float *)samples->power_w + begin, n, min,
			sums->next_w, max);
	return ssdpm__block_extremes_doubles((const double *)samples->power_w +
						     begin,
					     n, min, sums->next_w, max);
}

static struct block_steps step_block(const struct ssdpm_samples *samples,
				     size_t begin, size_t n,
				     uint64_t max_gap_ns)
{
	const int64_t *time_ns = samples->time_ns + begin;

	if (samples->type == SSDPM_SAMPLE_FLOAT32)
		return ssdpm__block_steps_floats(
			(const float *)samples->power_w + begin, time_ns, n,
			max_gap_ns);
	return ssdpm__block_steps_doubles((const double *)samples->power_w +
						  begin,
					  time_ns, n, max_gap_ns);
}

static void count_extremes(struct integral_sums *sums,
			   const struct ssdpm_samples *samples, size_t begin,
			   size_t n)
{
	struct ssdpm_energy *counts = &sums->counts;
	struct block_extremes found = find_extremes(samples, begin, n, sums);

	if (!found.new && counts->min_power_w >= 0) {
		counts->n_at_max += found.n_at_max;
		sums->n_at_next += found.n_at_next;
		return;
	}
	for (size_t i = begin; i < begin + n; i++) {
		double power_w = ssdpm__sample_w(samples, i);

		if (power_w < counts->min_power_w)
			counts->min_power_w = power_w;
		counts->n_negative += power_w < 0;
		count_large(sums, power_w);
	}
}

/*
 * The quick way: the sample before begin was taken just before. Return: false
 * if something is unusual, and nothing was done.
 */
static bool take_block(struct integral_sums *sums,
		       const struct ssdpm_samples *samples, size_t begin,
		       size_t n, uint64_t max_gap_ns)
{
	struct ssdpm_energy *counts = &sums->counts;
	double sum = sum_block(samples, begin, n);
	int64_t end_ns = ssdpm__sample_ns(samples, begin + n - 1);
	double end_w = ssdpm__sample_w(samples, begin + n - 1), joules;
	uint64_t min_step, max_step;

	if (!isfinite(sum))
		return false;
	if (samples->time_ns) {
		struct block_steps steps =
			step_block(samples, begin, n, max_gap_ns);

		if (steps.bad || !isfinite(steps.sum))
			return false;
		min_step = steps.min_step_ns;
		max_step = steps.max_step_ns;
		joules = steps.sum / (2 * NS_PER_S);
	} else {
		min_step = max_step =
			(uint64_t)ssdpm__floor(samples->interval_ns + 0.5);
		joules = (sum - end_w / 2 + sums->last_w / 2) *
			 (samples->interval_ns / NS_PER_S);
	}
	ssdpm__add(&sums->joules, joules);
	counts->n += n;
	counts->covered_ns += (uint64_t)end_ns - (uint64_t)sums->last_ns;
	if (min_step < counts->min_step_ns)
		counts->min_step_ns = min_step;
	if (max_step > counts->max_step_ns)
		counts->max_step_ns = max_step;
	count_extremes(sums, samples, begin, n);
	sums->last_w = end_w;
	sums->last_ns = end_ns;
	return true;
}

static void take_samples(struct integral_sums *sums,
			 const struct ssdpm_samples *samples,
			 uint64_t max_gap_ns)
{
	for (size_t at = 0; at < samples->n; at += BLOCK_SAMPLES) {
		size_t n = samples->n - at;

		if (n > BLOCK_SAMPLES)
			n = BLOCK_SAMPLES;
		/* The first of all, and one after others that were left out. */
		take(sums, ssdpm__sample_w(samples, at),
		     ssdpm__sample_ns(samples, at), max_gap_ns);
		bool plain = sums->any &&
			     sums->last_ns == ssdpm__sample_ns(samples, at);
		if (n > 1 && plain &&
		    take_block(sums, samples, at + 1, n - 1, max_gap_ns))
			continue;
		for (size_t i = at + 1; i < at + n; i++)
			take(sums, ssdpm__sample_w(samples, i),
			     ssdpm__sample_ns(samples, i), max_gap_ns);
	}
}

static int compare_steps(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The median of the first ones; 0: fewer than two go forward. */
uint64_t ssdpm__usual_step(const struct ssdpm_samples *samples)
{
	const int64_t *time_ns = samples->time_ns;
	size_t n = samples->n < FIRST_SAMPLES ? samples->n : FIRST_SAMPLES;

	uint64_t steps[FIRST_SAMPLES];
	size_t n_steps = 0;

	if (!time_ns)
		return (uint64_t)ssdpm__floor(samples->interval_ns + 0.5);
	for (size_t i = 1; i < n; i++) {
		if (time_ns[i] > time_ns[i - 1])
			steps[n_steps++] =
				(uint64_t)time_ns[i] - (uint64_t)time_ns[i - 1];
	}
	if (n_steps < 2)
		return 0;
	qsort(steps, n_steps, sizeof(steps[0]), compare_steps);
	return steps[(n_steps - 1) / 2];
}

/* Ten usual steps; with less than two steps forward nothing is usual. */
uint64_t ssdpm__usual_gap(const struct ssdpm_samples *samples)
{
	if (!samples->time_ns)
		return (uint64_t)ssdpm__min(
			ssdpm__ceil(GAP_STEPS * samples->interval_ns), 4e18);
	uint64_t usual = ssdpm__usual_step(samples);

	return !usual || usual > INT64_MAX / GAP_STEPS ? INT64_MAX :
							 usual * GAP_STEPS;
}

/* The samples that are held back until the gap is known. */
static struct ssdpm_samples first_samples(const struct ssdpm_integral *integral)
{
	return (struct ssdpm_samples){
		.power_w = integral->first_w,
		.time_ns = integral->first_ns,
		.n = integral->n_first,
		.type = SSDPM_SAMPLE_FLOAT64,
	};
}

/* Return: how many were held back. */
static size_t hold_back(struct ssdpm_integral *integral,
			const struct ssdpm_samples *samples)
{
	size_t i = 0;

	while (i < samples->n && integral->n_first < FIRST_SAMPLES) {
		integral->first_ns[integral->n_first] = samples->time_ns[i];
		integral->first_w[integral->n_first++] =
			ssdpm__sample_w(samples, i++);
	}
	return i;
}

static void feed_timed(struct ssdpm_integral *integral,
		       const struct ssdpm_samples *samples)
{
	size_t held = 0;

	if (!integral->max_gap_ns) {
		held = hold_back(integral, samples);
		if (integral->n_first < FIRST_SAMPLES)
			return;
		struct ssdpm_samples first = first_samples(integral);

		integral->max_gap_ns = ssdpm__usual_gap(&first);
		take_samples(&integral->sums, &first, integral->max_gap_ns);
		integral->n_first = 0;
	}
	struct ssdpm_samples rest =
		ssdpm__samples_cut(samples, held, samples->n);

	take_samples(&integral->sums, &rest, integral->max_gap_ns);
}

int ssdpm_integral_feed(struct ssdpm_integral *integral,
			const struct ssdpm_samples *samples,
			struct ssdpm_error *reterr)
{
	int err = ssdpm__samples_check(samples, reterr);

	if (err)
		return err;
	if (samples->time_ns) {
		feed_timed(integral, samples);
		return 0;
	}
	struct ssdpm_samples first = first_samples(integral);
	take_samples(&integral->sums, &first, ssdpm__usual_gap(&first));
	integral->n_first = 0;
	uint64_t max_gap_ns = integral->max_gap_ns;
	if (!max_gap_ns)
		max_gap_ns = ssdpm__usual_gap(samples);
	take_samples(&integral->sums, samples, max_gap_ns);
	return 0;
}

static uint32_t remarks_of(const struct integral_sums *sums)
{
	const struct ssdpm_energy *counts = &sums->counts;
	uint64_t finite = counts->n - counts->n_not_finite;
	uint32_t remarks = 0;

	if (counts->n_not_finite)
		remarks |= SSDPM_SIGNAL_NOT_FINITE;
	if (counts->n_negative)
		remarks |= SSDPM_SIGNAL_NEGATIVE;
	if (finite > 1 && counts->n_at_max == finite)
		remarks |= SSDPM_SIGNAL_CONSTANT;
	else if (counts->n_at_max >= SATURATED_SAMPLES &&
		 counts->n_at_max / SATURATED_TIMES >= sums->n_at_next)
		remarks |= SSDPM_SIGNAL_SATURATED;
	if (counts->n_duplicates)
		remarks |= SSDPM_SIGNAL_DUPLICATES;
	if (counts->n_backwards)
		remarks |= SSDPM_SIGNAL_BACKWARDS;
	if (counts->n_gaps)
		remarks |= SSDPM_SIGNAL_GAPS;
	return remarks;
}

static struct ssdpm_energy result_of(const struct integral_sums *sums,
				     double tolerance)
{
	struct ssdpm_energy result = sums->counts;

	result.energy_j = sums->joules.sum + sums->joules.lost;
	/* The true value is by up to the tolerance away from the nominal one,
	 * of a resistance that the power was divided by. */
	double one = result.energy_j / (1 + tolerance);
	double other = result.energy_j / (1 - tolerance);
	result.low_j = ssdpm__min(one, other);
	result.high_j = ssdpm__max(one, other);
	result.mean_power_w = NAN;
	if (result.covered_ns)
		result.mean_power_w = result.energy_j /
				      ((double)result.covered_ns / NS_PER_S);
	if (result.min_step_ns > result.max_step_ns)
		result.min_step_ns = result.max_step_ns;
	result.remarks = remarks_of(sums);
	return result;
}

int ssdpm_integral_get(const struct ssdpm_integral *integral,
		       struct ssdpm_energy *ret_energy,
		       struct ssdpm_error *reterr)
{
	int err = ssdpm__sized_check(ret_energy, sizeof(*ret_energy),
				     "ssdpm_energy", reterr);

	if (err)
		return err;
	struct integral_sums sums = integral->sums;
	struct ssdpm_samples first = first_samples(integral);
	take_samples(&sums, &first, ssdpm__usual_gap(&first));
	if (!sums.any)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "no sample is a finite power");
	struct ssdpm_energy result = result_of(&sums, integral->tolerance);
	ssdpm__sized_out(ret_energy, &result, sizeof(result));
	return 0;
}

int ssdpm_energy_measure(const struct ssdpm_samples *samples,
			 const struct ssdpm_energy_params *params,
			 struct ssdpm_energy *ret_energy,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_integral *integral;
	int err = ssdpm_integral_new(params, &integral, reterr);

	if (err)
		return err;
	err = ssdpm_integral_feed(integral, samples, reterr);
	if (err == 0)
		err = ssdpm_integral_get(integral, ret_energy, reterr);
	ssdpm_integral_free(integral);
	return err;
}
