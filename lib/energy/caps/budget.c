/* SPDX-License-Identifier: MIT */
/* A budget's problem, and the frontier of its relaxation. */
#include "caps/budget.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

static int by_power(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;

	if (x->uw != y->uw)
		return x->uw < y->uw ? -1 : 1;
	if (x->loss != y->loss)
		return x->loss < y->loss ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* What has no less loss than another one of no more power goes. */
static void drop_dominated(struct item *item)
{
	uint32_t n = 0;

	qsort(item->choices, item->n, sizeof(item->choices[0]), by_power);
	for (uint32_t i = 0; i < item->n; i++)
		if (!n || item->choices[i].loss < item->choices[n - 1].loss)
			item->choices[n++] = item->choices[i];
	item->n = n;
}

/* Does a save more for each microwatt than b? */
static int compare_rates(const struct move *a, const struct move *b)
{
	struct wide x = wide_product((uint64_t)a->less, (uint64_t)b->uw);
	struct wide y = wide_product((uint64_t)b->less, (uint64_t)a->uw);

	return wide_is_less(x, y) - wide_is_less(y, x);
}

static int by_rate(const void *a, const void *b)
{
	const struct move *x = a, *y = b;
	int order = compare_rates(x, y);

	if (order)
		return order;
	if (x->item != y->item)
		return x->item < y->item ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* The corners of the hull, after those of other items. */
static size_t add_moves(const struct item *item, uint32_t number,
			struct move *moves)
{
	uint32_t corner = 0;
	size_t n = 0;

	for (uint32_t i = 1; i < item->n; i++) {
		const struct choice *to = &item->choices[i];
		const struct choice *from = &item->choices[corner];
		struct move move = { to->uw - from->uw, from->loss - to->loss,
				     number, i };

		/* A corner that saves less than what comes after is none. */
		while (n && compare_rates(&moves[n - 1], &move) >= 0) {
			n--;
			move.uw += moves[n].uw;
			move.less += moves[n].less;
		}
		moves[n++] = move;
		corner = i;
	}
	return n;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void find_units(struct problem *p)
{
	for (size_t i = 0; i < p->n_items; i++)
		for (uint32_t j = 1; j < p->items[i].n; j++) {
			const struct choice *choice = &p->items[i].choices[j];

			p->unit_uw = common_divisor(
				choice[0].uw - choice[-1].uw, p->unit_uw);
			p->loss_unit = common_divisor(
				choice[-1].loss - choice[0].loss, p->loss_unit);
		}
	/* Nothing to choose. */
	if (!p->unit_uw)
		p->unit_uw = p->loss_unit = 1;
}

static int check(const struct ssdpm_budget_params *params, size_t *ret_n,
		 struct ssdpm_error *reterr)
{
	const struct ssdpm_budget_option *options = params->options;
	const uint32_t *n_options = params->n_options;
	const size_t n_items = params->n_items;
	size_t n = 0;

	if (!n_items || n_items > SSDPM_BUDGET_MAX_ITEMS)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a budget is for 1 to %d drives",
				   SSDPM_BUDGET_MAX_ITEMS);
	for (size_t i = 0; i < n_items; i++) {
		if (!n_options[i] || n_options[i] > SSDPM_BUDGET_MAX_OPTIONS)
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "drive %zu: 1 to %d states", i + 1,
					   SSDPM_BUDGET_MAX_OPTIONS);
		for (uint32_t j = 0; j < n_options[i]; j++, n++)
			if (options[n].power_uw > SSDPM_BUDGET_MAX ||
			    options[n].loss > SSDPM_BUDGET_MAX)
				return ssdpm__fail(
					reterr, -EINVAL, 0,
					"drive %zu, state %u: a power or a loss above 2^40",
					i + 1, j);
	}
	*ret_n = n;
	return 0;
}

int ssdpm__problem_new(struct problem *problem,
		       const struct ssdpm_budget_params *params,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_budget_params known = { .size = sizeof(known) };
	const struct ssdpm_budget_option *options;
	struct problem p = { 0 };
	size_t n = 0;
	int err = ssdpm__sized_in(&known, sizeof(known), params,
				  "ssdpm_budget_params", reterr);

	if (!err)
		err = check(&known, &n, reterr);
	if (err)
		return err;
	options = known.options;
	p.n_items = known.n_items;
	p.budget_uw = known.budget_uw;
	p.items = calloc(p.n_items, sizeof(*p.items));
	p.choices = calloc(n, sizeof(*p.choices));
	p.moves = calloc(n, sizeof(*p.moves));
	if (!p.items || !p.choices || !p.moves) {
		ssdpm__problem_free(&p);
		return ssdpm__no_memory(reterr);
	}
	n = 0;
	for (uint32_t i = 0; i < p.n_items; i++) {
		struct item *item = &p.items[i];

		item->choices = p.choices + n;
		item->n = known.n_options[i];
		for (uint32_t j = 0; j < item->n; j++, n++)
			p.choices[n] =
				(struct choice){ (int64_t)options[n].power_uw,
						 (int64_t)options[n].loss, j };
		drop_dominated(item);
		p.least_uw += item->choices[0].uw;
		p.most_loss += item->choices[0].loss;
		p.n_moves += add_moves(item, i, p.moves + p.n_moves);
	}
	find_units(&p);
	qsort(p.moves, p.n_moves, sizeof(p.moves[0]), by_rate);
	*problem = p;
	return 0;
}

void ssdpm__problem_free(struct problem *problem)
{
	free(problem->items);
	free(problem->choices);
	free(problem->moves);
}

int ssdpm_budget_get_frontier(const struct ssdpm_budget_params *params,
			      struct ssdpm_budget_option *ret_points,
			      size_t capacity, size_t *ret_n,
			      struct ssdpm_error *reterr)
{
	struct problem problem;
	int err = ssdpm__problem_new(&problem, params, reterr);

	if (err)
		return err;
	int64_t uw = problem.least_uw, loss = problem.most_loss;

	for (size_t i = 0; i <= problem.n_moves && i < capacity; i++) {
		if (i) {
			uw += problem.moves[i - 1].uw;
			loss -= problem.moves[i - 1].less;
		}
		ret_points[i] = (struct ssdpm_budget_option){ (uint64_t)uw,
							      (uint64_t)loss };
	}
	*ret_n = problem.n_moves + 1;
	ssdpm__problem_free(&problem);
	return 0;
}
