/* SPDX-License-Identifier: MIT */
/*
 * What is left after a fit, and whether it is only noise: power that follows
 * or leads the I/Os, powers that are others in the second half of the run, and
 * residuals that depend on those before. What is significant and large enough
 * to move the powers contradicts the fit.
 */
#include "calibrate/calibrate.h"

#include <errno.h>
#include <stdlib.h>

/* Standard errors: by chance in fewer than 1 of a million runs. */
#define ERRORS_MIN 5.0

/* The share of a step of power that another row has, or by which the power of
 * one half differs from that of the other. */
#define EFFECT_MIN 0.01

#define N_LAGS 10

/* A chi-square of 10 degrees of freedom: by chance in 1 of a million runs. */
#define LAGS_MAX 48.0
#define CORRELATION_MIN 0.05

enum { LAG, LEAD, HALF, N_EXTRA };

/* The power that is expected of each row, without the drift. */
static void expect(const struct calibrate_task *task, double *expected)
{
	const struct fit *fit = &task->fit;

	for (size_t i = 0; i < fit->n; i++) {
		expected[i] = 0;
		for (size_t j = 0; j < fit->p; j++)
			if (task->keep[j] != task->design.p - 1)
				expected[i] +=
					fit->x[i * fit->p + j] * fit->b[j];
	}
}

static void fill_extra(struct fit *more, const struct fit *fit,
		       const double *expected, double lengths[N_EXTRA])
{
	for (size_t i = 0; i < fit->n; i++) {
		double *row = &more->x[i * more->p];
		double here = expected[i];

		memcpy(row, &fit->x[i * fit->p], fit->p * sizeof(*row));
		row += fit->p;
		row[LAG] = i ? expected[i - 1] - here : 0;
		row[LEAD] = i + 1 < fit->n ? expected[i + 1] - here : 0;
		row[HALF] = i < fit->n / 2 ? -here / 2 : here / 2;
		for (size_t j = 0; j < N_EXTRA; j++)
			lengths[j] += row[j] * row[j];
	}
	for (size_t j = 0; j < N_EXTRA; j++) {
		lengths[j] = sqrt(lengths[j]);
		for (size_t i = 0; i < fit->n && lengths[j] > 0; i++)
			more->x[i * more->p + fit->p + j] /= lengths[j];
	}
}

static uint32_t judge(const struct fit *more, size_t p,
		      const double lengths[N_EXTRA])
{
	static const uint32_t contradictions[N_EXTRA] = {
		[LAG] = SSDPM_CONTRADICTION_EDGES,
		[LEAD] = SSDPM_CONTRADICTION_EDGES,
		[HALF] = SSDPM_CONTRADICTION_HALVES,
	};

	for (size_t j = 0; j < N_EXTRA; j++) {
		double effect = more->b[p + j] / lengths[j];
		double error =
			sqrt(more->covariance[p + j][p + j]) / lengths[j];

		if (fabs(effect) > EFFECT_MIN &&
		    fabs(effect) > ERRORS_MIN * error)
			return contradictions[j];
	}
	return 0;
}

/* Columns that a right fit has no use for. */
static int check_columns(const struct calibrate_task *task,
			 uint32_t *ret_contradiction)
{
	const struct fit *fit = &task->fit;
	double lengths[N_EXTRA] = { 0 };

	if (fit->p + N_EXTRA > FIT_MAX_COLUMNS)
		return 0;
	struct fit *more = malloc(sizeof(*more));
	double *x = calloc(fit->n, (fit->p + N_EXTRA) * sizeof(*x));
	int err = more && x ? 0 : -ENOMEM;

	if (err == 0) {
		*more = *fit;
		more->x = x;
		more->p = fit->p + N_EXTRA;
		expect(task, task->room);
		fill_extra(more, fit, task->room, lengths);
		if (isfinite(ssdpm__fit_at(more, fit->noise)))
			*ret_contradiction = judge(more, fit->p, lengths);
	}
	free(more);
	free(x);
	return err;
}

/* Do residuals depend on those before (Box and Pierce 1970)? */
static bool is_noise(const struct calibrate_task *task)
{
	const double *left = task->room;
	size_t n = task->fit.n;
	double sum = 0, most = 0;

	for (size_t lag = 1; lag <= N_LAGS; lag++) {
		double products = 0, squares = 0, count = 0;

		for (size_t i = lag; i < n; i++) {
			if (isnan(left[i]) || isnan(left[i - lag]))
				continue;
			products += left[i] * left[i - lag];
			squares += left[i] * left[i];
			count++;
		}
		double correlation = squares > 0 ? products / squares : 0;

		sum += count * correlation * correlation;
		most = ssdpm__max(most, fabs(correlation));
	}
	return sum < LAGS_MAX || most < CORRELATION_MIN;
}

int ssdpm__residuals_check(struct calibrate_task *task,
			   uint32_t *ret_contradiction)
{
	int err = check_columns(task, ret_contradiction);

	if (err || *ret_contradiction)
		return err;
	ssdpm__fit_residuals(&task->fit, task->room);
	if (!is_noise(task))
		*ret_contradiction = SSDPM_CONTRADICTION_NOISE;
	return 0;
}
