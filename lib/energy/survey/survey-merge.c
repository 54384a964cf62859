/* SPDX-License-Identifier: MIT */
/* Results of many surveys as one: drives are a random sample of all. */
#include "survey/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"

/* To tell where the next drive will be, and not only their mean. */
#define MIN_FOR_NEXT 3

static int compare_drives(const void *a, const void *b)
{
	const struct ssdpm_survey_effect *x = a, *y = b;

	return (x->drive > y->drive) - (x->drive < y->drive);
}

/* Those of a policy, sorted by drive. */
static size_t take(const struct ssdpm_survey_effect *results, size_t n,
		   uint32_t policy, struct ssdpm_survey_effect *taken)
{
	size_t n_taken = 0;

	for (size_t i = 0; i < n; i++)
		if (results[i].policy == policy)
			taken[n_taken++] = results[i];
	qsort(taken, n_taken, sizeof(taken[0]), compare_drives);
	return n_taken;
}

struct weighted {
	double weights;
	double mean;
};

static struct weighted weigh(const struct ssdpm_survey_effect *results,
			     size_t n, double tau2)
{
	struct compensated weights = { 0 }, sum = { 0 };

	for (size_t i = 0; i < n; i++) {
		double weight = 1 / (results[i].se_w * results[i].se_w + tau2);

		ssdpm__add(&weights, weight);
		ssdpm__add(&sum, weight * results[i].mean_w);
	}
	double all = weights.sum + weights.lost;

	return (struct weighted){ all, (sum.sum + sum.lost) / all };
}

/* In place: one result for each drive. */
static size_t join_drives(struct ssdpm_survey_effect *results, size_t n)
{
	size_t n_drives = 0;

	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1;
		     next < n && results[next].drive == results[i].drive;)
			next++;
		struct weighted drive = weigh(results + i, next - i, 0);

		results[n_drives] = results[i];
		results[n_drives].mean_w = drive.mean;
		results[n_drives++].se_w = 1 / sqrt(drive.weights);
	}
	return n_drives;
}

/* Sum of weighted squares from the weighted mean. */
static double spread(const struct ssdpm_survey_effect *results, size_t n,
		     double tau2, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double from = results[i].mean_w - mean;

		sum += from * from / (results[i].se_w * results[i].se_w + tau2);
	}
	return sum;
}

/* DerSimonian and Laird 1986: what Q has more than noise would give it. */
static double between(const struct ssdpm_survey_effect *results, size_t n,
		      double q, double weights)
{
	double squares = 0;

	for (size_t i = 0; i < n; i++) {
		double weight = 1 / (results[i].se_w * results[i].se_w);

		squares += weight * weight;
	}
	return ssdpm__max(0, (q - ((double)n - 1)) /
				     (weights - squares / weights));
}

static void set_intervals(struct ssdpm_survey_merged *merged, double error_rate)
{
	double df = merged->n_drives - 1.0;
	double half = ssdpm__student_t(error_rate, df) * merged->se_w;

	merged->low_w = merged->mean_w - half;
	merged->high_w = merged->mean_w + half;
	merged->drive_low_w = merged->drive_high_w = NAN;
	if (merged->n_drives < MIN_FOR_NEXT)
		return;
	/* Higgins, Thompson and Spiegelhalter 2009. */
	half = ssdpm__student_t(error_rate, df - 1) *
	       sqrt(merged->tau_w * merged->tau_w +
		    merged->se_w * merged->se_w);
	merged->drive_low_w = merged->mean_w - half;
	merged->drive_high_w = merged->mean_w + half;
}

static void merge(const struct ssdpm_survey_effect *drives, size_t n,
		  double error_rate, struct ssdpm_survey_merged *merged)
{
	struct weighted fixed = weigh(drives, n, 0);
	double df = (double)n - 1;
	double q = spread(drives, n, 0, fixed.mean);
	double tau2 = between(drives, n, q, fixed.weights);
	struct weighted random = weigh(drives, n, tau2);
	/* Hartung and Knapp 2001, never less than without it. */
	double factor =
		ssdpm__max(1, spread(drives, n, tau2, random.mean) / df);

	merged->n_drives = (uint32_t)n;
	merged->mean_w = random.mean;
	merged->se_w = sqrt(factor / random.weights);
	merged->tau_w = sqrt(tau2);
	merged->heterogeneity_q = q;
	merged->inconsistency = q > df ? (q - df) / q : 0;
	set_intervals(merged, error_rate);
}

int ssdpm_survey_merge_effects(const struct ssdpm_survey_effect *results,
			       size_t n, uint32_t policy, double error_rate,
			       struct ssdpm_survey_merged *ret_merged,
			       struct ssdpm_error *reterr)
{
	struct ssdpm_survey_merged merged = { 0 };
	int err = ssdpm__error_rate(&error_rate, reterr);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		if (!ssdpm__is_survey_power(results[i].mean_w) ||
		    !(results[i].se_w > 0) ||
		    !ssdpm__is_survey_power(results[i].se_w))
			return ssdpm__fail(
				reterr, -EINVAL, 0,
				"result %zu: a mean is 0 or of 1e-60 to 1e60 W, and its standard error of 1e-60 to 1e60 W",
				i + 1);
	struct ssdpm_survey_effect *taken = calloc(n + 1, sizeof(*taken));

	if (!taken)
		return ssdpm__no_memory(reterr);
	merged.n_results = take(results, n, policy, taken);
	size_t n_drives = join_drives(taken, (size_t)merged.n_results);

	if (n_drives >= 2) {
		merge(taken, n_drives, error_rate, &merged);
		*ret_merged = merged;
	}
	free(taken);
	if (n_drives >= 2)
		return 0;
	return ssdpm__fail(
		reterr, -ENODATA, 0,
		"results of policy %u are of %zu drives: 2 or more are needed to tell how drives differ",
		policy, n_drives);
}
