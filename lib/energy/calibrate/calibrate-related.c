/* SPDX-License-Identifier: MIT */
/*
 * Whether the power is related to the I/Os.
 *
 * A fit finds some powers in any data. So the test compares how much of the
 * power the I/Os explain with how much they explain when rotated against it.
 * The two are alike if power and I/Os are unrelated. This is a permutation
 * test; it rotates, because successive samples are not independent. It uses
 * ranks instead of powers, so that a few extreme samples do not decide. All
 * drift is removed first.
 */
#include "calibrate/internal.h"

#include <errno.h>
#include <stdlib.h>

/*
 * How often the I/Os are rotated. By chance, their own place is the best of all
 * in 1 of 60 cases.
 */
#define SHIFTS 59

/* Fewer rotations decide nothing at a level of 5 %. */
#define SHIFTS_MIN 19

/*
 * A rotation whose I/Os are more alike than this does not count. A periodic
 * load would have to be better than itself.
 */
#define ALIKE 0.5

#define GOLDEN 0.6180339887498949

/* The rows between the first and the last with power and I/Os. */
struct relation {
	const double *x; /* of the fit */
	size_t p;	 /* its columns */
	size_t first;
	size_t n;
	size_t columns[FIT_MAX_COLUMNS]; /* without the drift */
	size_t n_columns;
	double *ranks; /* of the power; 0, the mean: not measured */
	double *expected;
	double normal[FIT_MAX_COLUMNS][FIT_MAX_COLUMNS];
	double b[FIT_MAX_COLUMNS];
};

static void find_window(struct relation *relation,
			const struct calibrate_task *task)
{
	const double *y = task->design.y;
	size_t first = 0, end = task->rows.n;

	while (first < end && isnan(y[first]))
		first++;
	while (end > first && isnan(y[end - 1]))
		end--;
	relation->first = first;
	relation->n = end - first;
	for (size_t k = 0; k < task->fit.p; k++)
		if (task->keep[k] != task->design.p - 1)
			relation->columns[relation->n_columns++] = k;
}

/* The place of a value among sorted ones. */
static size_t place(const double *sorted, size_t n, double value, bool after)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle] < value ||
		    (after && sorted[middle] == value))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Ranks without their mean and without their slope. */
static void rank(struct relation *relation, const double *y, double *sorted)
{
	double times = 0, squares = 0, products = 0;
	size_t n = 0;

	for (size_t i = 0; i < relation->n; i++) {
		if (isnan(y[i]))
			continue;
		sorted[n++] = y[i];
		times += (double)i;
	}
	qsort(sorted, n, sizeof(sorted[0]), ssdpm__compare_doubles);
	for (size_t i = 0; i < relation->n; i++) {
		double time = (double)i - times / (double)n;

		if (isnan(y[i]))
			continue;
		relation->ranks[i] =
			0.5 * (double)(place(sorted, n, y[i], false) +
				       place(sorted, n, y[i], true)) -
			0.5 * (double)n;
		squares += time * time;
		products += time * relation->ranks[i];
	}
	for (size_t i = 0; i < relation->n; i++)
		if (!isnan(y[i]))
			relation->ranks[i] -= ((double)i - times / (double)n) *
					      products / squares;
}

static const double *row_at(const struct relation *relation, size_t i)
{
	return &relation->x[(relation->first + i) * relation->p];
}

static void square(struct relation *relation)
{
	size_t n = relation->n_columns;

	for (size_t i = 0; i < relation->n; i++) {
		const double *row = row_at(relation, i);

		for (size_t j = 0; j < n; j++)
			for (size_t k = 0; k <= j; k++)
				relation->normal[j][k] +=
					row[relation->columns[j]] *
					row[relation->columns[k]];
	}
}

/* The share of the power that the I/Os explain, rotated by this many rows. */
static double explained(struct relation *relation, size_t shift)
{
	double right[FIT_MAX_COLUMNS] = { 0 };
	double squares = 0, found = 0;
	size_t at = shift;

	for (size_t i = 0; i < relation->n; i++) {
		const double *row = row_at(relation, at);
		double value = relation->ranks[i];

		for (size_t j = 0; j < relation->n_columns; j++)
			right[j] += row[relation->columns[j]] * value;
		squares += value * value;
		at = at + 1 < relation->n ? at + 1 : 0;
	}
	ssdpm__fit_solve(relation->normal, relation->n_columns, right,
			 relation->b);
	for (size_t j = 0; j < relation->n_columns; j++)
		found += relation->b[j] * right[j];
	return found / squares;
}

/* The power that the fit expects, without the mean. */
static void expect(struct relation *relation)
{
	double sum = 0;

	for (size_t i = 0; i < relation->n; i++) {
		const double *row = row_at(relation, i);
		double value = 0;

		for (size_t j = 0; j < relation->n_columns; j++)
			value += row[relation->columns[j]] * relation->b[j];
		relation->expected[i] = value;
		sum += value;
	}
	for (size_t i = 0; i < relation->n; i++)
		relation->expected[i] -= sum / (double)relation->n;
}

/* The correlation of the expected power with itself, rotated. */
static double likeness(const struct relation *relation, size_t shift)
{
	double squares = 0, products = 0;
	size_t at = shift;

	for (size_t i = 0; i < relation->n; i++) {
		squares += relation->expected[i] * relation->expected[i];
		products += relation->expected[i] * relation->expected[at];
		at = at + 1 < relation->n ? at + 1 : 0;
	}
	return squares > 0 ? products / squares : 1;
}

/*
 * The advantage of an offset that is the best of n_places. Both ratios are like
 * a chi-square. If a chi-square exceeds x once in a times, it exceeds x + 2
 * ln(n) once in a times n. For one in 40, x is at least 5.
 */
static double advantage(uint64_t n_places)
{
	return 1 + 0.4 * ssdpm__ln((double)n_places);
}

static bool compare_shifts(struct relation *relation, uint64_t n_places)
{
	double here = explained(relation, 0), most = 0;
	unsigned int n = 0;

	expect(relation);
	for (unsigned int i = 1; i <= SHIFTS; i++) {
		double turns = i * GOLDEN;
		size_t shift = (size_t)((turns - ssdpm__floor(turns)) *
					(double)relation->n);

		if (fabs(likeness(relation, shift)) > ALIKE)
			continue;
		most = ssdpm__max(most, explained(relation, shift));
		n++;
	}
	return n < SHIFTS_MIN ||
	       here * (1 - most) > advantage(n_places) * most * (1 - here);
}

int ssdpm__is_related(const struct calibrate_task *task, uint64_t n_places,
		      bool *ret_related)
{
	struct relation *relation = calloc(1, sizeof(*relation));
	int err = relation ? 0 : -ENOMEM;

	if (err)
		return err;
	relation->x = task->fit.x;
	relation->p = task->fit.p;
	find_window(relation, task);
	relation->ranks = calloc(relation->n, sizeof(double));
	relation->expected = calloc(relation->n, sizeof(double));
	if (relation->ranks && relation->expected) {
		rank(relation, task->design.y + relation->first,
		     relation->expected);
		square(relation);
		*ret_related = isnan(ssdpm__fit_factor(relation->normal,
						       relation->n_columns)) ||
			       compare_shifts(relation, n_places);
	} else {
		err = -ENOMEM;
	}
	free(relation->ranks);
	free(relation->expected);
	free(relation);
	return err;
}
