/* SPDX-License-Identifier: MIT */
/*
 * The class of the work that a drive does after the runs of an experiment, in
 * which one parameter is varied (uFLIP's energy study, 2010).
 */
#include <ssdpm/energy/background.h>

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"
#include "base/words.h"
#include "common/elementary.h"
#include "measure/internal.h"

#define MIN_RUNS 4
#define MIN_VALUES 3
#define MAX_RUNS 20000
/* A tail counts if its energy is that far above noise. */
#define TAIL_SIGMAS 3
/* Fewer runs with a tail are none; fewer than half are not significant. */
#define NONE_SHARE 0.1
#define SIGNIFICANT_SHARE 0.5
/* Extended: seconds, not less than one. */
#define EXTENDED_NS 1e9
/* Grows: a trend that chance does not make, and that matters. */
#define TREND_P 0.01
#define TREND_TIMES 1.5

/* Pairs that agree, that disagree, and those that tie in one of both. */
struct pairs {
	double agree;
	double disagree;
	double tied_x;
	double tied_y;
};

static struct pairs count_pairs(const struct ssdpm_background_run *runs,
				size_t n)
{
	struct pairs pairs = { 0 };

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			double x = runs[i].parameter - runs[k].parameter;
			double y = runs[i].extra_j - runs[k].extra_j;

			pairs.tied_x += x == 0;
			pairs.tied_y += y == 0;
			pairs.agree += (x > 0 && y > 0) || (x < 0 && y < 0);
			pairs.disagree += (x > 0 && y < 0) || (x < 0 && y > 0);
		}
	}
	return pairs;
}

/* For a group of t equal values: t(t-1)(2t+5), t(t-1)(t-2) and t(t-1). */
struct ties {
	double cubic;
	double triple;
	double pair;
};

static struct ties count_ties(double *values, size_t n)
{
	struct ties ties = { 0 };

	qsort(values, n, sizeof(values[0]), ssdpm__compare_doubles);
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && values[next] == values[i];)
			next++;
		double t = (double)(next - i);

		ties.cubic += t * (t - 1) * (2 * t + 5);
		ties.triple += t * (t - 1) * (t - 2);
		ties.pair += t * (t - 1);
	}
	return ties;
}

/*
 * Kendall's tau-b, and the probability of one that is as far from 0 by chance,
 * by the normal approximation with ties (Kendall 1970, chapter 4).
 */
static void find_trend(const struct ssdpm_background_run *runs, size_t n,
		       double *values, struct ssdpm_background_class *class)
{
	struct pairs pairs = count_pairs(runs, n);
	double m = (double)n, all = m * (m - 1) / 2;
	double root = sqrt((all - pairs.tied_x) * (all - pairs.tied_y));
	double sum = pairs.agree - pairs.disagree;

	for (size_t i = 0; i < n; i++)
		values[i] = runs[i].parameter;
	struct ties x = count_ties(values, n);

	for (size_t i = 0; i < n; i++)
		values[i] = runs[i].extra_j;
	struct ties y = count_ties(values, n);
	double variance = (m * (m - 1) * (2 * m + 5) - x.cubic - y.cubic) / 18 +
			  x.triple * y.triple / (9 * m * (m - 1) * (m - 2)) +
			  x.pair * y.pair / (2 * m * (m - 1));

	class->trend = root > 0 ? sum / root : 0;
	class->trend_p =
		variance > 0 ? ssdpm__erfc(fabs(sum) / sqrt(2 * variance)) : 1;
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof(values[0]), ssdpm__compare_doubles);
	return values[(n - 1) / 2] / 2 + values[n / 2] / 2;
}

static int compare_runs(const void *a, const void *b)
{
	const struct ssdpm_background_run *x = a, *y = b;

	return (x->parameter > y->parameter) - (x->parameter < y->parameter);
}

/* Is the energy of the last third that many times that of the first? */
static bool grows(const struct ssdpm_background_run *sorted, size_t n,
		  double *values)
{
	size_t third = (n + 2) / 3;

	for (size_t i = 0; i < third; i++)
		values[i] = sorted[i].extra_j;
	double first = median(values, third);

	for (size_t i = 0; i < third; i++)
		values[i] = sorted[n - third + i].extra_j;
	double last = median(values, third);

	return last > 0 && last >= TREND_TIMES * first;
}

static uint32_t class_of(const struct ssdpm_background_class *class,
			 bool growing, size_t n)
{
	double share = (double)class->n_tails / (double)n;

	if (share < NONE_SHARE)
		return SSDPM_BACKGROUND_NONE;
	if (growing && class->trend > 0 && class->trend_p < TREND_P)
		return SSDPM_BACKGROUND_GROWS;
	if (share < SIGNIFICANT_SHARE)
		return SSDPM_BACKGROUND_NOT_SIGNIFICANT;
	return (double)class->tail_ns < EXTENDED_NS ? SSDPM_BACKGROUND_SMALL :
						      SSDPM_BACKGROUND_EXTENDED;
}

static int check_runs(const struct ssdpm_background_run *sorted, size_t n,
		      struct ssdpm_error *reterr)
{
	size_t n_values = 1;

	for (size_t i = 1; i < n; i++)
		n_values += sorted[i].parameter > sorted[i - 1].parameter;
	if (n_values < MIN_VALUES)
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"a class needs runs with %d values of the parameter or more",
			MIN_VALUES);
	return 0;
}

static int classify(const struct ssdpm_background_run *sorted, size_t n,
		    double *values, struct ssdpm_background_class *ret_class,
		    struct ssdpm_error *reterr)
{
	struct ssdpm_background_class class = { 0 };
	int err = check_runs(sorted, n, reterr);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		class.n_tails +=
			sorted[i].tail_ns > 0 &&
			sorted[i].extra_j > TAIL_SIGMAS * sorted[i].sigma_j;
	find_trend(sorted, n, values, &class);
	for (size_t i = 0; i < n; i++)
		values[i] = (double)sorted[i].tail_ns;
	class.tail_ns = (uint64_t)median(values, n);
	for (size_t i = 0; i < n; i++)
		values[i] = sorted[i].extra_j;
	class.extra_j = median(values, n);
	class.background = class_of(&class, grows(sorted, n, values), n);
	*ret_class = class;
	return 0;
}

int ssdpm_background_classify(const struct ssdpm_background_run *runs, size_t n,
			      struct ssdpm_background_class *ret_class,
			      struct ssdpm_error *reterr)
{
	if (n < MIN_RUNS)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "a class needs %d runs or more", MIN_RUNS);
	if (n > MAX_RUNS)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "more than %d runs of one experiment",
				   MAX_RUNS);
	for (size_t i = 0; i < n; i++)
		if (!isfinite(runs[i].parameter) ||
		    !isfinite(runs[i].extra_j) || !(runs[i].sigma_j >= 0) ||
		    runs[i].reserved)
			return ssdpm__fail(
				reterr, -EINVAL, 0,
				"run %zu is not of finite numbers, or its reserved is not 0",
				i + 1);
	struct ssdpm_background_run *sorted = malloc(n * sizeof(*sorted));
	double *values = malloc(n * sizeof(*values));
	int err;

	if (sorted && values) {
		for (size_t i = 0; i < n; i++)
			sorted[i] = runs[i];
		qsort(sorted, n, sizeof(*sorted), compare_runs);
		err = classify(sorted, n, values, ret_class, reterr);
	} else {
		err = ssdpm__no_memory(reterr);
	}
	free(sorted);
	free(values);
	return err;
}

static const char background_words[][16] = {
	[SSDPM_BACKGROUND_NONE] = "none",
	[SSDPM_BACKGROUND_NOT_SIGNIFICANT] = "not-significant",
	[SSDPM_BACKGROUND_SMALL] = "small",
	[SSDPM_BACKGROUND_EXTENDED] = "extended",
	[SSDPM_BACKGROUND_GROWS] = "grows",
};
ENUM_WORDS(background)
