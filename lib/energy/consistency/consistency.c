/* SPDX-License-Identifier: MIT */
/* How even writes go: floor, spread, cliff, steady state. */
#include <ssdpm/energy/consistency.h>

#include "measure/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

#define PLATEAU_S 10
/*
 * A plateau has at least this many seconds, so that one odd second is not its
 * median.
 */
#define MIN_PLATEAU_S 3
#define ROUND_S 60

/*
 * The value that this share of n sorted values does not exceed: nearest rank.
 */
static double quantile(const double *sorted, size_t n, double share)
{
	double rank = ssdpm__ceil(share * (double)n);

	return sorted[rank < 1 ? 0 : (size_t)rank - 1];
}

/* Copies finite values and sorts them. */
static size_t take_finite(const double *iops, size_t n, double *ret_sorted)
{
	size_t n_finite = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(iops[i]))
			ret_sorted[n_finite++] = iops[i];
	qsort(ret_sorted, n_finite, sizeof(*ret_sorted),
	      ssdpm__compare_doubles);
	return n_finite;
}

/* The median of a few seconds; NaN: all are missing. */
static double median_of(const double *iops, size_t n)
{
	double sorted[PLATEAU_S];
	size_t n_finite = take_finite(iops, n, sorted);

	return n_finite ? quantile(sorted, n_finite, 0.5) : NAN;
}

static void find_cliff(const double *iops, size_t n,
		       struct ssdpm_consistency *c)
{
	double half = NAN;

	c->plateau_iops = n < PLATEAU_S ? NAN : median_of(iops, PLATEAU_S);
	c->cliff_s = NAN;
	for (size_t i = MIN_PLATEAU_S; i + PLATEAU_S <= n; i++) {
		if (i <= PLATEAU_S)
			half = median_of(iops, i) / 2;
		if (half > 0 && iops[i] <= half && !(iops[i - 1] <= half) &&
		    median_of(iops + i, PLATEAU_S) <= half) {
			c->plateau_iops = 2 * half;
			c->cliff_s = (double)i;
			return;
		}
	}
}

/* Means of whole minutes, after the last one without a value. */
static size_t make_rounds(const double *iops, size_t n, double *rounds,
			  size_t *ret_first)
{
	size_t n_rounds = 0, first = 0;

	for (size_t i = 0; i + ROUND_S <= n; i += ROUND_S) {
		double sum = 0;
		size_t n_finite = 0;

		for (size_t j = i; j < i + ROUND_S; j++)
			if (isfinite(iops[j])) {
				sum += iops[j];
				n_finite++;
			}
		if (n_finite) {
			rounds[n_rounds++] = sum / (double)n_finite;
		} else {
			n_rounds = 0;
			first = i / ROUND_S + 1;
		}
	}
	*ret_first = first;
	return n_rounds;
}

/*
 * Searches from the cliff on, because the plateau before it is even, too.
 * scratch has room for all seconds.
 */
static void find_steady(const double *iops, size_t n, double *scratch,
			struct ssdpm_consistency *c)
{
	size_t from = isnan(c->cliff_s) ? 0 : (size_t)c->cliff_s;
	size_t first, begin;
	size_t n_rounds = make_rounds(iops + from, n - from, scratch, &first);

	c->steady_s = NAN;
	if (!ssdpm_steady_state_find(scratch, n_rounds, NULL, &begin, NULL))
		c->steady_s = (double)(from + (first + begin) * ROUND_S);
}

static void describe(const double *sorted, size_t n, double threshold_iops,
		     struct ssdpm_consistency *c)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += sorted[i];
		c->n_below += sorted[i] < threshold_iops;
	}
	c->n = n;
	c->mean_iops = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares +=
			(sorted[i] - c->mean_iops) * (sorted[i] - c->mean_iops);
	c->sd_iops = n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
	c->floor_iops = sorted[0];
	c->p01_iops = quantile(sorted, n, 0.001);
	c->p1_iops = quantile(sorted, n, 0.01);
	c->median_iops = quantile(sorted, n, 0.5);
	c->max_iops = sorted[n - 1];
	c->variation = c->mean_iops > 0 ? c->sd_iops / c->mean_iops : NAN;
	c->floor_share = c->mean_iops > 0 ? c->floor_iops / c->mean_iops : NAN;
}

/*
 * Counts the seconds that describe() counts, where their power is known. NaN:
 * there are none.
 */
static double mean_power(const double *iops, const double *power_w,
			 size_t begin, size_t end)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = begin; i < end; i++)
		if (isfinite(iops[i]) && isfinite(power_w[i])) {
			sum += power_w[i];
			n++;
		}
	return n ? sum / (double)n : NAN;
}

static void find_power(const double *iops,
		       const struct ssdpm_consistency_params *params,
		       struct ssdpm_consistency *c)
{
	size_t plateau_s =
		c->cliff_s < PLATEAU_S ? (size_t)c->cliff_s : PLATEAU_S;

	c->plateau_power_w = c->mean_power_w = NAN;
	if (!params->power_w)
		return;
	c->mean_power_w =
		mean_power(iops, params->power_w, (size_t)params->begin_s,
			   (size_t)params->end_s);
	if (isfinite(c->plateau_iops))
		c->plateau_power_w =
			mean_power(iops, params->power_w, 0, plateau_s);
}

static int check(const double *iops, size_t n,
		 struct ssdpm_consistency_params *params,
		 struct ssdpm_error *reterr)
{
	if (!params->end_s || params->end_s > n)
		params->end_s = n;
	if (n && params->begin_s >= params->end_s)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "from second %llu on: there are only %llu",
				   (unsigned long long)params->begin_s,
				   (unsigned long long)params->end_s);
	if (!(params->threshold_iops >= 0))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the threshold must be 0 or more");
	for (size_t i = 0; i < n; i++) {
		if (isinf(iops[i]) || iops[i] < 0)
			return ssdpm__fail(
				reterr, -EINVAL, 0,
				"second %zu: operations are 0 or more, and finite",
				i);
		if (params->power_w &&
		    (isinf(params->power_w[i]) || params->power_w[i] < 0))
			return ssdpm__fail(
				reterr, -EINVAL, 0,
				"second %zu: watts are 0 or more, and finite",
				i);
	}
	return 0;
}

int ssdpm_consistency_measure(const double *iops, size_t n,
			      const struct ssdpm_consistency_params *params,
			      struct ssdpm_consistency *ret_consistency,
			      struct ssdpm_error *reterr)
{
	struct ssdpm_consistency_params known = { .size = sizeof(known) };
	struct ssdpm_consistency c = { 0 };
	int err = ssdpm__sized_check(ret_consistency, sizeof(c),
				     "ssdpm_consistency", reterr);

	if (!err)
		err = ssdpm__sized_in(&known, sizeof(known), params,
				      "ssdpm_consistency_params", reterr);
	if (!err)
		err = check(iops, n, &known, reterr);
	if (err)
		return err;
	double *scratch = malloc((n ? n : 1) * sizeof(*scratch));

	if (!scratch)
		return ssdpm__no_memory(reterr);
	size_t n_seconds = (size_t)(known.end_s - known.begin_s);
	size_t n_finite = take_finite(iops + known.begin_s, n_seconds, scratch);

	if (n_finite) {
		describe(scratch, n_finite, known.threshold_iops, &c);
		c.n_holes = n_seconds - n_finite;
		find_cliff(iops, n, &c);
		find_steady(iops, n, scratch, &c);
		find_power(iops, &known, &c);
		ssdpm__sized_out(ret_consistency, &c, sizeof(c));
	} else {
		err = ssdpm__fail(reterr, -ENODATA, 0,
				  "no second has a number of operations");
	}
	free(scratch);
	return err;
}

/* Whether the rounds of a test are steady, and how power follows load. */
#define WINDOW 5
#define MAX_RANGE 0.2
#define MAX_SLOPE 0.1

/* Whether a window is within both limits. */
static bool is_steady(const double *rounds, size_t n, double max_range,
		      double max_slope)
{
	double min = INFINITY, max = -INFINITY, sum = 0, slope = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		min = ssdpm__min(min, rounds[i]);
		max = ssdpm__max(max, rounds[i]);
		sum += rounds[i];
	}
	double mean = sum / (double)n;

	for (size_t i = 0; i < n; i++) {
		double x = (double)i - ((double)n - 1) / 2;

		slope += x * (rounds[i] - mean);
		squares += x * x;
	}
	/* Between the ends of the fitted line. */
	double excursion = fabs(slope / squares) * ((double)n - 1);

	return max - min <= max_range * mean && excursion <= max_slope * mean;
}

int ssdpm_steady_state_find(const double *rounds, size_t n,
			    const struct ssdpm_steady_params *params,
			    size_t *ret_begin, struct ssdpm_error *reterr)
{
	struct ssdpm_steady_params known = { .size = sizeof(known) };
	int err = ssdpm__sized_in(&known, sizeof(known), params,
				  "ssdpm_steady_params", reterr);

	if (!err)
		err = ssdpm__check_reserved(known.reserved,
					    "ssdpm_steady_params", reterr);
	if (err)
		return err;
	if (!known.window)
		known.window = WINDOW;
	if (known.max_range == 0)
		known.max_range = MAX_RANGE;
	if (known.max_slope == 0)
		known.max_slope = MAX_SLOPE;
	if (known.window < 2 || !(known.max_range > 0) ||
	    !(known.max_slope > 0))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"steady state: a window of 2 rounds or more and limits above 0 are needed");
	for (size_t i = 0; i < n; i++)
		if (!isfinite(rounds[i]))
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "round %zu is not a finite number",
					   i + 1);
	for (size_t i = 0; i + known.window <= n; i++)
		if (is_steady(rounds + i, known.window, known.max_range,
			      known.max_slope)) {
			*ret_begin = i;
			return 0;
		}
	return ssdpm__fail(reterr, -ENODATA, 0,
			   "steady state was not reached in %zu rounds", n);
}

int ssdpm_proportionality(const double *load, const double *power_w, size_t n,
			  double *ret_index, struct ssdpm_error *reterr)
{
	double above = 0;

	for (size_t i = 0; i < n; i++)
		if (!isfinite(load[i]) || !isfinite(power_w[i]) ||
		    !(i ? load[i] > load[i - 1] : load[i] == 0))
			return ssdpm__fail(
				reterr, -EINVAL, 0,
				"loads begin with 0 and ascend, powers are finite");
	if (n < 2 || !(power_w[n - 1] > 0))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"two loads or more are needed, and a power above 0 W at the last");
	/* Both are shares of the last one. */
	for (size_t i = 1; i < n; i++) {
		double width = (load[i] - load[i - 1]) / load[n - 1];
		double left = power_w[i - 1] / power_w[n - 1] -
			      load[i - 1] / load[n - 1];
		double right =
			power_w[i] / power_w[n - 1] - load[i] / load[n - 1];

		above += width * (left + right) / 2;
	}
	/* A constant power leaves a triangle of 1/2 above the line. */
	*ret_index = 1 - above / 0.5;
	return 0;
}
