/* SPDX-License-Identifier: MIT */
/*
 * Finds changes of a signal's mean by PELT (Killick, Fearnhead and Eckley
 * 2012).
 *
 * The best cuts of the samples up to t are the best ones up to some earlier s,
 * with no cut after s. If s is already worse than t, it can never be the last
 * cut again.
 */
#include "measure/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"

#define MAX_SAMPLES 20000
#define MIN_SAMPLES 2

struct pelt {
	size_t n;
	size_t min;	/* samples of a stretch */
	double penalty; /* in squares of watts */
	double *sums;	/* of the first i values, less the first one */
	double *squares;
	double *cost;	/* of the best cut of the first i */
	uint32_t *last; /* its last cut */
	uint32_t *candidates;
	uint32_t *until; /* of a candidate: it is none from here on */
	size_t n_candidates;
};

/* Sum of squared distances from the mean, from begin to before end. */
static double spread(const struct pelt *pelt, size_t begin, size_t end)
{
	double sum = pelt->sums[end] - pelt->sums[begin];
	double squares = pelt->squares[end] - pelt->squares[begin];

	return ssdpm__max(0, squares - sum * sum / (double)(end - begin));
}

static void choose_last(struct pelt *pelt, size_t end)
{
	double best = INFINITY;
	size_t kept = 0;

	for (size_t i = 0; i < pelt->n_candidates; i++) {
		uint32_t begin = pelt->candidates[i];

		if (pelt->until[i] <= end)
			continue;
		double cost = pelt->cost[begin] + spread(pelt, begin, end) +
			      pelt->penalty;
		if (cost < best) {
			best = cost;
			pelt->last[end] = begin;
		}
		pelt->candidates[kept] = begin;
		pelt->until[kept++] = pelt->until[i];
	}
	pelt->n_candidates = kept;
	pelt->cost[end] = best;
	/*
	 * A cut at "end" needs a stretch after it; candidates stay until then.
	 */
	for (size_t i = 0; i < kept; i++) {
		uint32_t begin = pelt->candidates[i];

		if (pelt->cost[begin] + spread(pelt, begin, end) > best &&
		    pelt->until[i] > end + pelt->min)
			pelt->until[i] = (uint32_t)(end + pelt->min);
	}
}

static void cut(struct pelt *pelt)
{
	pelt->cost[0] = -pelt->penalty;
	for (size_t end = 1; end <= pelt->n; end++) {
		pelt->cost[end] = INFINITY;
		if (end < pelt->min)
			continue;
		size_t begin = end - pelt->min;
		/* A cut leaves at least a stretch before it. */
		if (begin == 0 || begin >= pelt->min) {
			pelt->candidates[pelt->n_candidates] = (uint32_t)begin;
			pelt->until[pelt->n_candidates++] = UINT32_MAX;
		}
		choose_last(pelt, end);
	}
}

/*
 * The noise, from differences of neighbours, which the mean hardly changes.
 * Overwrites values.
 */
static double noise_of(double *values, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++)
		values[i] = fabs(values[i + 1] - values[i]);
	qsort(values, n - 1, sizeof(values[0]), ssdpm__compare_doubles);
	return SIGMAS_PER_MAD * values[(n - 2) / 2] / sqrt(2);
}

static size_t take_finite(const struct ssdpm_samples *samples, double *values,
			  uint32_t *indexes)
{
	size_t n = 0;

	for (size_t i = 0; i < samples->n && n <= MAX_SAMPLES; i++) {
		double power_w = ssdpm__sample_w(samples, i);

		if (!isfinite(power_w))
			continue;
		values[n] = power_w;
		indexes[n++] = (uint32_t)i;
	}
	return n;
}

static void sum_up(struct pelt *pelt, const double *values)
{
	pelt->sums[0] = pelt->squares[0] = 0;
	for (size_t i = 0; i < pelt->n; i++) {
		double value = values[i] - values[0];

		pelt->sums[i + 1] = pelt->sums[i] + value;
		pelt->squares[i + 1] = pelt->squares[i] + value * value;
	}
}

/* Lists the cuts from last to first, then keeps the first "capacity". */
static size_t list_cuts(const struct pelt *pelt, const uint32_t *indexes,
			size_t *ret_begins, size_t capacity)
{
	size_t n = 0, i = 0;

	for (size_t end = pelt->last[pelt->n]; end > 0; end = pelt->last[end])
		n++;
	for (size_t end = pelt->last[pelt->n]; end > 0; end = pelt->last[end]) {
		i++;
		if (n - i < capacity)
			ret_begins[n - i] = indexes[end];
	}
	return n;
}

struct change_room {
	double *values; /* room for 4 times the samples, and more */
	uint32_t *numbers;
};

static int find(const struct ssdpm_samples *samples,
		const struct ssdpm_change_params *params,
		struct change_room *room, size_t *ret_begins, size_t capacity,
		size_t *ret_n, struct ssdpm_error *reterr)
{
	double sigma_w = params->sigma_w, penalty = params->penalty;
	size_t length = samples->n + 1;
	double *values = room->values;
	struct pelt pelt = {
		.min = params->min_samples ? params->min_samples : MIN_SAMPLES,
		.sums = values + length,
		.squares = values + 2 * length,
		.cost = values + 3 * length,
		.last = room->numbers + length,
		.candidates = room->numbers + 2 * length,
		.until = room->numbers + 3 * length,
	};

	pelt.n = take_finite(samples, values, room->numbers);
	if (pelt.n < 2 || pelt.n / 2 < pelt.min)
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"fewer than two stretches of %zu finite samples",
			pelt.min);
	sum_up(&pelt, values);
	if (sigma_w == 0)
		sigma_w = noise_of(values, pelt.n);
	if (penalty == 0)
		penalty = 2 * ssdpm__ln((double)pelt.n);
	pelt.penalty = penalty * sigma_w * sigma_w;
	cut(&pelt);
	*ret_n = list_cuts(&pelt, room->numbers, ret_begins, capacity);
	return 0;
}

int ssdpm_change_points_find(const struct ssdpm_samples *samples,
			     const struct ssdpm_change_params *params,
			     size_t *ret_begins, size_t capacity, size_t *ret_n,
			     struct ssdpm_error *reterr)
{
	struct ssdpm_change_params given = { .size = sizeof(given) };
	int err = ssdpm__samples_check(samples, reterr);

	if (err == 0)
		err = ssdpm__sized_in(&given, sizeof(given), params,
				      "ssdpm_change_params", reterr);
	if (err)
		return err;
	if (!(given.sigma_w >= 0) || !isfinite(given.sigma_w) ||
	    !(given.penalty >= 0) || !isfinite(given.penalty))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"the noise and the penalty of a change are 0 or above");
	if (samples->n > MAX_SAMPLES)
		return ssdpm__fail(
			reterr, -E2BIG, 0,
			"changes are looked for in %d samples at most: take means first",
			MAX_SAMPLES);
	size_t length = samples->n + 1;
	struct change_room room = {
		.values = malloc(4 * length * sizeof(double)),
		.numbers = malloc(4 * length * sizeof(uint32_t)),
	};

	if (!room.values || !room.numbers)
		err = ssdpm__no_memory(reterr);
	else
		err = find(samples, &given, &room, ret_begins, capacity, ret_n,
			   reterr);
	free(room.values);
	free(room.numbers);
	return err;
}
