/* SPDX-License-Identifier: MIT */
/*
 * The mean power of one run. Successive samples are alike, so n of them tell
 * less than n independent ones. The standard error therefore comes from the
 * spectrum at frequency 0 of an autoregression (Heidelberger and Welch 1981;
 * Berk 1974). Burg's method fits it, and AICc chooses an order of at least 1,
 * because few readings do not show their correlation.
 */
#include "survey/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

#define MIN_SAMPLES 30
/* More samples are grouped; the groups' means have the same spectrum there. */
#define MAX_VALUES 4096
#define MAX_ORDER 20
/* The most repeats of a reading, and the least number of updates of a run. */
#define MAX_REPEATS 1024
#define UPDATES_MIN 10
/*
 * What chosen orders and a removed line add to the variance of the spectrum's
 * logarithm, times the number of values. Counted on 4000 runs of 150 and 300
 * values each. Noise with correlations of 0, 0.35 and 0.9 gave the same.
 */
#define CHOSEN 8
#define LINE 2
/* The rounding error of a constant level, as a share of it. */
#define NOTHING 1e-12
/* The error rate of the mean. */
#define ERROR_RATE 0.05
/* This share of level runs is judged to have a trend. */
#define TREND_RATE 0.05
/*
 * If the noise is known, 1 of 20 level runs exceeds this (Anderson and Darling
 * 1952, table 1); if it is unknown, more do.
 */
#define IS_A_BRIDGE 0.46136
/* The search leaves out tenths, up to half. */
#define PARTS 10
#define MAX_LEFT_OUT 5

/* A fitted autoregression. */
struct model {
	double phi[MAX_ORDER];
	uint32_t order;
	double variance; /* of the input noise */
};

struct noise {
	double spectrum; /* variance of the mean, times values */
	double df;
	uint32_t order;
};

/* Raises the order by the reflection of forward and backward errors (Burg). */
static void next_order(struct model *model, double *forward, double *backward,
		       size_t n)
{
	uint32_t p = model->order;
	double product = 0, squares = 0, phi[MAX_ORDER];

	for (size_t i = p + 1; i < n; i++) {
		product += forward[i] * backward[i - 1];
		squares += forward[i] * forward[i] +
			   backward[i - 1] * backward[i - 1];
	}
	double reflection = squares > 0 ? 2 * product / squares : 0;

	for (uint32_t k = 0; k < p; k++)
		phi[k] = model->phi[k] - reflection * model->phi[p - 1 - k];
	memcpy(model->phi, phi, p * sizeof(phi[0]));
	model->phi[p] = reflection;
	model->order = p + 1;
	model->variance *= 1 - reflection * reflection;
	for (size_t i = n; i-- > p + 1;) {
		double was = forward[i];

		forward[i] = was - reflection * backward[i - 1];
		backward[i] = backward[i - 1] - reflection * was;
	}
}

static double mean_of(const double *values, size_t n)
{
	struct compensated sum = { 0 };

	for (size_t i = 0; i < n; i++)
		ssdpm__add(&sum, values[i]);
	return (sum.sum + sum.lost) / (double)n;
}

/*
 * Finds the order, from 1, whose fit justifies its parameters. room: 2 n
 * values.
 */
static struct model fit(const double *values, size_t n, double *room)
{
	double mean = mean_of(values, n), *forward = room, *backward = room + n;
	struct model model = { 0 }, best;
	double least = INFINITY;

	for (size_t i = 0; i < n; i++) {
		forward[i] = backward[i] = values[i] - mean;
		model.variance += forward[i] * forward[i] / (double)n;
	}
	best = model;
	while (model.order < MAX_ORDER &&
	       (!model.order || model.order < n / 10)) {
		next_order(&model, forward, backward, n);
		/* The mean and the variance are parameters, too. */
		double k = model.order + 2.0, m = (double)n;
		double aicc =
			m * ssdpm__ln(model.variance) + 2 * k * m / (m - k - 1);

		if (!(model.variance > 0))
			break;
		if (aicc < least) {
			least = aicc;
			best = model;
		}
	}
	return best;
}

/*
 * The variance of the coefficients' sum, from the covariance of their estimates
 * (by Gohberg and Semencul's inverse). There a is 1, -phi[0], ...
 */
static double variance_of_sum(const struct model *model, double n)
{
	double result = 0, of_first = 0, of_last = 0;

	for (uint32_t i = 0; i < model->order; i++) {
		of_first += i ? -model->phi[i - 1] : 1;
		of_last -= model->phi[model->order - 1 - i];
		result += of_first * of_first - of_last * of_last;
	}
	return ssdpm__max(0, result) / n;
}

/*
 * Estimates the spectrum at frequency 0 and its uncertainty. The variance of
 * its logarithm is the trigamma function of df / 2, which is solved for df.
 * Estimated coefficients are too low by about (1 + 3 sum) / n (Marriott and
 * Pope 1954; Kendall 1954). If a line was removed too, it is (2 + 4 sum) / n.
 * This matters near 1. A random divisor makes the mean quotient too large, by
 * half the variance of its logarithm.
 */
static struct noise noise_of(const double *values, size_t n, bool line,
			     double *room)
{
	struct model model = fit(values, n, room);
	double m = (double)n, sum = 0;

	if (!(model.variance > 0))
		return (struct noise){ .df = 1 };

	for (uint32_t i = 0; i < model.order; i++)
		sum += model.phi[i];
	double gain = 1 - sum, bias = (line ? 2 + 4 * sum : 1 + 3 * sum) / m;
	double variance =
		model.variance * m / (m - model.order - (line ? 2 : 1));

	if (model.order && (line || sum > 0))
		gain = ssdpm__max(gain - bias, gain / 2);
	double log_variance = (2.0 + CHOSEN + (line ? LINE : 0)) / m +
			      4 * variance_of_sum(&model, m) / (gain * gain);

	return (struct noise){
		.spectrum = variance / (gain * gain) *
			    ssdpm__exp(-log_variance / 4),
		.df = ssdpm__max(1, (1 + sqrt(1 + 2 * log_variance)) /
					    log_variance),
		.order = model.order,
	};
}

/*
 * Whether the cumulative sums are those of a level with this noise. Noise known
 * from few samples makes larger sums by chance.
 */
static bool is_level(const double *values, size_t n, const struct noise *noise)
{
	double mean = mean_of(values, n), sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += values[i] - mean;
		squares += sum * sum;
	}
	double statistic = squares / ((double)n * (double)n * noise->spectrum);

	return statistic < IS_A_BRIDGE ||
	       ssdpm__bridge_p(statistic, noise->df) > TREND_RATE;
}

/* All of a run as evenly spaced values. */
struct reading_run {
	double *values;
	size_t n_values;
	double *room;
	size_t repeats; /* readings for each update of the source */
	size_t group;	/* updates for each value */
	double mean;
};

/* Removes the line that fits best. */
static void take_line_out(const double *values, size_t n, double *rest)
{
	double mean = mean_of(values, n), middle = ((double)n - 1) / 2;
	double slope = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		slope += ((double)i - middle) * (values[i] - mean);
		squares += ((double)i - middle) * ((double)i - middle);
	}
	for (size_t i = 0; i < n; i++)
		rest[i] = values[i] - mean -
			  slope / squares * ((double)i - middle);
}

/*
 * Finds the first tenths to drop so that the rest is level, by the noise of the
 * second half (Heidelberger and Welch 1983). A line is removed from that half,
 * because a drift would look like noise. Returns 0 to 5; 6: not even that half
 * is level.
 */
static int find_settled(const struct reading_run *run)
{
	size_t half = run->n_values / 2, n = run->n_values - half;

	take_line_out(run->values + half, n, run->room);
	struct noise noise = noise_of(run->room, n, true, run->room + n);

	for (int part = 0; part <= MAX_LEFT_OUT; part++) {
		size_t begin = run->n_values * (size_t)part / PARTS;

		if (is_level(run->values + begin, run->n_values - begin,
			     &noise))
			return part;
	}
	return MAX_LEFT_OUT + 1;
}

static void set_trend(const struct reading_run *run,
		      struct ssdpm_survey_summary *summary)
{
	int part = run->n_values < MIN_SAMPLES ? 0 : find_settled(run);
	bool unsettled = part > MAX_LEFT_OUT;

	summary->trend = SSDPM_SURVEY_TREND_NONE;
	summary->settled_mean_w = summary->mean_w;
	summary->settled_se_w = summary->se_w;
	if (!part)
		return;
	size_t begin = run->n_values *
		       (size_t)(unsettled ? MAX_LEFT_OUT : part) / PARTS;
	size_t n = run->n_values - begin;
	double first = mean_of(run->values, begin);
	double rest = mean_of(run->values + begin, n);

	summary->trend_w = rest - first;
	summary->trend = unsettled    ? SSDPM_SURVEY_TREND_UNSETTLED :
			 rest > first ? SSDPM_SURVEY_TREND_RISE :
					SSDPM_SURVEY_TREND_FALL;
	summary->n_left_out = begin * run->group * run->repeats;
	summary->leave_out_ns = (uint64_t)ssdpm__floor(
		(double)summary->covered_ns *
			((double)summary->n_left_out / (double)summary->n) +
		0.5);
	summary->settled_mean_w = rest;
	summary->settled_se_w = sqrt(
		noise_of(run->values + begin, n, false, run->room).spectrum /
		(double)n);
}

static void set_mean(const struct reading_run *run,
		     struct ssdpm_survey_summary *summary)
{
	struct noise noise =
		noise_of(run->values, run->n_values, false, run->room);
	double variance = summary->sd_w * summary->sd_w;

	summary->mean_w = run->mean;
	summary->se_w = sqrt(noise.spectrum / (double)run->n_values);
	summary->se_df = noise.df;
	double half = ssdpm__student_t(ERROR_RATE, noise.df) * summary->se_w;

	summary->low_w = run->mean - half;
	summary->high_w = run->mean + half;
	summary->n_effective = variance / (summary->se_w * summary->se_w);
	summary->order = noise.order;
}

/* Groups updates into values. */
struct update_group {
	double sum;
	size_t n;
};

/* Splits a reading that repeats into updates. */
static void take_stretch(struct reading_run *run, double power_w, size_t length,
			 struct update_group *group)
{
	size_t updates = (length + run->repeats / 2) / run->repeats;

	for (; updates && run->values + run->n_values < run->room; updates--) {
		group->sum += power_w;
		if (++group->n < run->group)
			continue;
		run->values[run->n_values++] = group->sum / (double)group->n;
		*group = (struct update_group){ 0 };
	}
}

static void take_values(const struct ssdpm_samples *samples,
			struct reading_run *run)
{
	struct update_group group = { 0 };
	double last = NAN;
	size_t length = 0;

	for (size_t i = 0; i < samples->n; i++) {
		double power_w = ssdpm__sample_w(samples, i);

		if (!isfinite(power_w))
			continue;
		if (power_w != last || run->repeats == 1) {
			take_stretch(run, last, length, &group);
			length = 0;
		}
		last = power_w;
		length++;
	}
	take_stretch(run, last, length, &group);
}

/* Mean and deviation cover all finite samples. */
static void take_samples(const struct ssdpm_samples *samples,
			 struct reading_run *run,
			 struct ssdpm_survey_summary *summary)
{
	struct compensated all = { 0 }, squares = { 0 };

	for (size_t i = 0; i < samples->n; i++) {
		double power_w = ssdpm__sample_w(samples, i);

		if (isfinite(power_w))
			ssdpm__add(&all, power_w);
	}
	run->mean = (all.sum + all.lost) / (double)summary->n;
	for (size_t i = 0; i < samples->n; i++) {
		double from = ssdpm__sample_w(samples, i) - run->mean;

		if (isfinite(from))
			ssdpm__add(&squares, from * from);
	}
	summary->sd_w =
		sqrt((squares.sum + squares.lost) / ((double)summary->n - 1));
	take_values(samples, run);
}

static int check_samples(const struct ssdpm_samples *samples,
			 struct ssdpm_survey_summary *summary,
			 struct ssdpm_error *reterr)
{
	bool differs = false;
	double first = NAN;

	for (size_t i = 0; i < samples->n; i++) {
		double power_w = ssdpm__sample_w(samples, i);

		if (!isfinite(power_w))
			continue;
		if (!summary->n++)
			first = power_w;
		differs |= power_w != first;
	}
	summary->n_not_finite = samples->n - summary->n;
	if (summary->n < MIN_SAMPLES)
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"a run of %zu readings, of which %llu are finite, does not tell its noise: %d are needed",
			samples->n, (unsigned long long)summary->n,
			MIN_SAMPLES);
	if (!differs)
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"all readings of the run are the same: is the source updated at all?");
	return 0;
}

static int set_covered(const struct ssdpm_samples *samples,
		       struct ssdpm_survey_summary *summary,
		       struct ssdpm_error *reterr)
{
	int64_t first = ssdpm__sample_ns(samples, 0);
	int64_t last = ssdpm__sample_ns(samples, samples->n - 1);

	if (last <= first)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"the last reading of the run is not after the first");
	double span = (double)((uint64_t)last - (uint64_t)first);

	summary->covered_ns = (uint64_t)ssdpm__floor(
		span * (double)samples->n / ((double)samples->n - 1) + 0.5);
	return 0;
}

/*
 * How often each update of a source is read. A slow source repeats its
 * readings; 1: it does not. Nine of ten stretches have this length or more.
 * Chance repeats, such as from coarse steps, would include shorter ones.
 */
static size_t count_repeats(const struct ssdpm_samples *samples,
			    uint64_t n_finite)
{
	size_t stretches[MAX_REPEATS + 1] = { 0 }, n = 0;
	size_t length = 0;
	double last = NAN;
	bool first = true;

	for (size_t i = 0; i < samples->n; i++) {
		double power_w = ssdpm__sample_w(samples, i);

		if (!isfinite(power_w))
			continue;
		if (power_w != last && length) {
			/* The first stretch may be cut off. */
			stretches[length < MAX_REPEATS ? length :
							 MAX_REPEATS] += !first;
			n += !first;
			first = false;
			length = 0;
		}
		last = power_w;
		length++;
	}
	size_t repeats = 1, most = (size_t)n_finite / UPDATES_MIN;

	for (size_t shorter = 0; repeats < MAX_REPEATS; repeats++) {
		shorter += stretches[repeats];
		if (shorter * 10 > n)
			break;
	}
	if (!n)
		return 1;
	return repeats < most ? repeats : most;
}

static int run_begin(const struct ssdpm_samples *samples, uint64_t n,
		     struct reading_run *run)
{
	*run = (struct reading_run){ .repeats = count_repeats(samples, n) };
	size_t updates = (size_t)(n / run->repeats);

	run->group = (updates - 1) / MAX_VALUES + 1;
	/* An upper limit, because stretches are rounded. */
	size_t room = 2 * updates / run->group + 1;

	run->values = malloc(3 * room * sizeof(*run->values));
	if (!run->values)
		return -ENOMEM;
	run->room = run->values + room;
	return 0;
}

int ssdpm_survey_summarise(const struct ssdpm_samples *samples,
			   struct ssdpm_survey_summary *ret_summary,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_survey_summary summary = { 0 };
	int err = ssdpm__sized_check(ret_summary, sizeof(summary),
				     "ssdpm_survey_summary", reterr);

	if (!err)
		err = ssdpm__samples_check(samples, reterr);
	if (!err)
		err = check_samples(samples, &summary, reterr);
	if (!err)
		err = set_covered(samples, &summary, reterr);
	if (err)
		return err;
	struct reading_run run;

	if (run_begin(samples, summary.n, &run))
		return ssdpm__no_memory(reterr);
	take_samples(samples, &run, &summary);
	set_mean(&run, &summary);
	set_trend(&run, &summary);
	ssdpm__sized_out(ret_summary, &summary, sizeof(summary));
	free(run.values);
	return 0;
}
