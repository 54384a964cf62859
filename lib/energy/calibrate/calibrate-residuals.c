/* SPDX-License-Identifier: MIT */
/*
 * The residuals of a fit, and whether they are only noise. Three effects are
 * not noise: power that leads or follows the I/Os, powers that change in the
 * second half, residuals that depend on earlier ones. An effect contradicts the
 * fit if it is significant and large enough to move the powers.
 */
#include "calibrate/internal.h"

#include <errno.h>
#include <stdlib.h>

/* Standard errors that chance exceeds in fewer than 1 of a million runs. */
#define ERRORS_MIN 5.0

/*
 * The least share of a step of power: what another row has of it, or the
 * difference between the two halves.
 */
#define EFFECT_MIN 0.01

#define N_LAGS 10

/*
 * A chi-square of 10 degrees of freedom exceeds this by chance in 1 of a
 * million runs.
 */
#define LAGS_MAX 48.0
#define CORRELATION_MIN 0.05

enum { LAG, LEAD, HALF, N_EXTRA };

enum { N_OPS = 4, N_ENERGIES = 2 * N_OPS };

/* The expected power of each row, without the drift. */
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

/* Adds columns that a correct fit does not need. */
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

/* Energies of operations and of bytes, each as a column of length 1. */
static int make_energies(const struct calibrate_task *task,
			 struct design *energies)
{
	const size_t n = task->rows.n;

	for (uint32_t i = 0; i < N_ENERGIES; i++)
		energies->columns[energies->p++] = (struct fit_column){
			.kind = i < N_OPS ? SSDPM_PARAMETER_OPERATION_ENERGY :
					    SSDPM_PARAMETER_BYTE_ENERGY,
			.index = i % N_OPS,
		};
	energies->p++; /* the drift */
	energies->x = calloc(n, energies->p * sizeof(double));
	energies->late = calloc(n, energies->p * sizeof(double));
	energies->y = calloc(n, sizeof(double));
	if (!energies->x || !energies->late || !energies->y)
		return -ENOMEM;
	ssdpm__design_fill(energies, &task->course, &task->rows, &task->meter,
			   task->offset_ns);
	return 0;
}

/* The fitted active power of an operation; 0: none. */
static double active_of(const struct calibrate_task *task, uint32_t op)
{
	for (size_t k = 0; k < task->fit.p; k++) {
		const struct fit_column *column =
			&task->design.columns[task->keep[k]];

		if (column->kind == SSDPM_PARAMETER_ACTIVE_POWER &&
		    column->index == op)
			return task->fit.b[k];
	}
	return 0;
}

/*
 * Whether an energy of I/Os, as one more column, is significant and large
 * enough.
 */
static bool has_energy(const struct calibrate_task *task, struct fit *more,
		       const struct design *energies, size_t which)
{
	const struct fit *fit = &task->fit;
	const size_t p = fit->p;
	double active = active_of(task, energies->columns[which].index);

	if (!energies->columns[which].n || !(active > 0))
		return false;
	for (size_t i = 0; i < fit->n; i++) {
		double *row = &more->x[i * (p + 1)];

		memcpy(row, &fit->x[i * p], p * sizeof(*row));
		row[p] = energies->x[i * energies->p + which];
	}
	more->p = p + 1;
	return isfinite(ssdpm__fit_at(more, fit->noise)) &&
	       fabs(more->b[p]) > EFFECT_MIN * active &&
	       fabs(more->b[p]) > ERRORS_MIN * sqrt(more->covariance[p][p]);
}

static bool is_asked_for(const struct design *design, uint32_t kind)
{
	for (size_t j = 0; j < design->p; j++)
		if (design->columns[j].kind == kind)
			return true;
	return false;
}

/* Looks for energies of I/Os that the caller did not ask for. */
static int check_energies(const struct calibrate_task *task,
			  uint32_t *ret_contradiction)
{
	const struct fit *fit = &task->fit;
	struct design energies = { 0 };
	struct fit *more = malloc(sizeof(*more));
	double *x = calloc(fit->n, (fit->p + 1) * sizeof(*x));
	int err = more && x ? make_energies(task, &energies) : -ENOMEM;

	for (size_t i = 0; err == 0 && i < N_ENERGIES; i++) {
		if (fit->p == FIT_MAX_COLUMNS ||
		    is_asked_for(&task->design, energies.columns[i].kind))
			continue;
		*more = *fit;
		more->x = x;
		if (has_energy(task, more, &energies, i))
			*ret_contradiction = SSDPM_CONTRADICTION_ENERGY;
	}
	free(energies.x);
	free(energies.late);
	free(energies.y);
	free(more);
	free(x);
	return err;
}

/* Whether residuals are independent of earlier ones (Box and Pierce 1970). */
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

	if (!err && !*ret_contradiction)
		err = check_energies(task, ret_contradiction);
	if (err || *ret_contradiction)
		return err;
	ssdpm__fit_residuals(&task->fit, task->room);
	if (!is_noise(task))
		*ret_contradiction = SSDPM_CONTRADICTION_NOISE;
	return 0;
}
