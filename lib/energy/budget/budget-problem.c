/* SPDX-License-Identifier: MIT */
/* A budget's problem, and the frontier of its relaxation. */
#include "budget/internal.h"

#include <errno.h>
#include <stdlib.h>

static int by_power(const void *a, const void *b)
{
	const struct budget_choice *x = a, *y = b;

	if (x->uw != y->uw)
		return x->uw < y->uw ? -1 : 1;
	if (x->loss != y->loss)
		return x->loss < y->loss ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* What has no less loss than another one of no more power goes. */
static void drop_dominated(struct problem_item *item)
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
static size_t add_moves(const struct problem_item *item, uint32_t number,
			struct move *moves)
{
	uint32_t corner = 0;
	size_t n = 0;

	for (uint32_t i = 1; i < item->n; i++) {
		const struct budget_choice *to = &item->choices[i];
		const struct budget_choice *from = &item->choices[corner];
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
			const struct budget_choice *choice =
				&p->items[i].choices[j];

			p->unit_uw = common_divisor(
				choice[0].uw - choice[-1].uw, p->unit_uw);
			p->loss_unit = common_divisor(
				choice[-1].loss - choice[0].loss, p->loss_unit);
		}
	/* Nothing to choose. */
	if (!p->unit_uw)
		p->unit_uw = p->loss_unit = 1;
}

int ssdpm__problem_new(struct problem *p,
		       const struct ssdpm_budget_item *const *items, size_t n)
{
	size_t n_choices = 0;

	*p = (struct problem){ .n_items = n };
	for (size_t i = 0; i < n; i++)
		n_choices += items[i]->n_states;
	p->items = calloc(n, sizeof(*p->items));
	p->choices = calloc(n_choices, sizeof(*p->choices));
	p->moves = calloc(n_choices, sizeof(*p->moves));
	if (!p->items || !p->choices || !p->moves)
		return -ENOMEM;
	n_choices = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct problem_item *item = &p->items[i];

		item->choices = p->choices + n_choices;
		item->n = (uint32_t)items[i]->n_states;
		for (uint32_t j = 0; j < item->n; j++, n_choices++)
			p->choices[n_choices] = (struct budget_choice){
				(int64_t)items[i]->states[j].power_uw,
				(int64_t)items[i]->states[j].loss,
				j,
			};
		drop_dominated(item);
		p->least_uw += item->choices[0].uw;
		p->most_loss += item->choices[0].loss;
		p->n_moves += add_moves(item, i, p->moves + p->n_moves);
	}
	find_units(p);
	qsort(p->moves, p->n_moves, sizeof(p->moves[0]), by_rate);
	return 0;
}

void ssdpm__problem_free(struct problem *problem)
{
	free(problem->items);
	free(problem->choices);
	free(problem->moves);
}

void ssdpm__problem_points(const struct problem *problem,
			   struct ssdpm_budget_point *ret_points)
{
	int64_t uw = problem->least_uw, loss = problem->most_loss;

	for (size_t i = 0; i <= problem->n_moves; i++) {
		if (i) {
			uw += problem->moves[i - 1].uw;
			loss -= problem->moves[i - 1].less;
		}
		ret_points[i] = (struct ssdpm_budget_point){ (uint64_t)uw,
							     (uint64_t)loss };
	}
}
