/* SPDX-License-Identifier: MIT */
/* A budget that is shared out: its answer, and what each watt buys. */
#include "budget/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"

static const char budget_power_words[][9] = {
	[SSDPM_BUDGET_POWER_MAX] = "max",
	[SSDPM_BUDGET_POWER_EXPECTED] = "expected",
	[SSDPM_BUDGET_POWER_P99] = "p99",
};
ENUM_WORDS(budget_power)

static int check(const struct ssdpm_budget_params *params,
		 struct ssdpm_error *reterr)
{
	if (!params->n_items || params->n_items > SSDPM_BUDGET_MAX_ITEMS)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a budget is for 1 to %d drives",
				   SSDPM_BUDGET_MAX_ITEMS);
	if (!params->items)
		return ssdpm__missing("items", reterr);
	for (size_t i = 0; i < params->n_items; i++)
		if (!params->items[i])
			return ssdpm__missing("an item", reterr);
	return 0;
}

static int keep(struct ssdpm_budget *budget,
		const struct ssdpm_budget_params *params)
{
	const size_t n = params->n_items;

	budget->budget_uw = params->budget_uw;
	budget->base_uw = params->base_uw;
	budget->choices = calloc(n, sizeof(*budget->choices));
	budget->items = calloc(n, sizeof(*budget->items));
	if (!budget->choices || !budget->items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		budget->items[i] = ssdpm_budget_item_ref(
			(struct ssdpm_budget_item *)params->items[i]);
	budget->n_items = n;
	return 0;
}

static int by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* How many items fit in their lowest states: those of the least power first. */
static int count_fitting(const struct problem *problem, uint64_t left_uw,
			 uint64_t *ret_n)
{
	int64_t *powers = malloc(problem->n_items * sizeof(*powers));
	uint64_t n = 0;

	if (!powers)
		return -ENOMEM;
	for (size_t i = 0; i < problem->n_items; i++)
		powers[i] = problem->items[i].choices[0].uw;
	qsort(powers, problem->n_items, sizeof(*powers), by_size);
	while (n < problem->n_items && (uint64_t)powers[n] <= left_uw)
		left_uw -= (uint64_t)powers[n++];
	free(powers);
	*ret_n = n;
	return 0;
}

/* All items in their lowest states: they fit, or they are the answer. */
static bool take_lowest(struct ssdpm_budget *budget,
			const struct problem *problem)
{
	struct ssdpm_budget_answer *answer = &budget->answer;

	answer->size = sizeof(*answer);
	answer->least_power_uw = (uint64_t)problem->least_uw;
	answer->power_uw = answer->least_power_uw;
	answer->loss = (uint64_t)problem->most_loss;
	answer->fits =
		budget->base_uw <= budget->budget_uw &&
		answer->least_power_uw <= budget->budget_uw - budget->base_uw;
	for (size_t i = 0; i < problem->n_items; i++)
		budget->choices[i] = problem->items[i].choices[0].number;
	return answer->fits;
}

static int solve(struct ssdpm_budget *budget, const struct problem *problem)
{
	const uint64_t left_uw = budget->base_uw < budget->budget_uw ?
					 budget->budget_uw - budget->base_uw :
					 0;

	budget->n_frontier = problem->n_moves + 1;
	budget->frontier =
		calloc(budget->n_frontier, sizeof(*budget->frontier));
	if (!budget->frontier)
		return -ENOMEM;
	ssdpm__problem_points(problem, budget->frontier);
	if (!take_lowest(budget, problem))
		return count_fitting(problem, left_uw,
				     &budget->answer.n_fitting);
	budget->answer.n_fitting = problem->n_items;
	/* More than all drives can take changes nothing. */
	return ssdpm__problem_solve(problem,
				    left_uw > INT64_MAX / 2 ? INT64_MAX / 2 :
							      (int64_t)left_uw,
				    budget->choices, &budget->answer);
}

int ssdpm_budget_solve(const struct ssdpm_budget_params *params,
		       struct ssdpm_budget **ret_budget,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_budget_params known = { 0 };
	struct problem problem = { 0 };
	struct ssdpm_budget *budget;
	int err = ssdpm__sized_in(&known, sizeof(known), params,
				  "ssdpm_budget_params", reterr);

	if (!err)
		err = check(&known, reterr);
	if (err)
		return err;
	budget = calloc(1, sizeof(*budget));
	err = budget ? keep(budget, &known) : -ENOMEM;
	if (!err)
		err = ssdpm__problem_new(&problem, known.items, known.n_items);
	if (!err)
		err = solve(budget, &problem);
	ssdpm__problem_free(&problem);
	if (err) {
		ssdpm_budget_free(budget);
		return ssdpm__no_memory(reterr);
	}
	*ret_budget = budget;
	return 0;
}

const struct ssdpm_budget_answer *ssdpm_budget_get_answer(
	const struct ssdpm_budget *budget)
{
	return &budget->answer;
}

const uint32_t *ssdpm_budget_get_choices(const struct ssdpm_budget *budget,
					 size_t *ret_n)
{
	*ret_n = budget->n_items;
	return budget->choices;
}

const struct ssdpm_budget_point *ssdpm_budget_get_frontier(
	const struct ssdpm_budget *budget, size_t *ret_n)
{
	*ret_n = budget->n_frontier;
	return budget->frontier;
}

struct ssdpm_budget *ssdpm_budget_free(struct ssdpm_budget *budget)
{
	if (!budget)
		return NULL;
	for (size_t i = 0; i < budget->n_items; i++)
		ssdpm_budget_item_unref(
			(struct ssdpm_budget_item *)budget->items[i]);
	free(budget->items);
	free(budget->choices);
	free(budget->frontier);
	free(budget);
	return NULL;
}

/* Items of a budget, and those with numbers of the caller. */

struct ssdpm_budget_item *ssdpm__budget_item_alloc(size_t n_devices,
						   size_t n_states)
{
	struct ssdpm_budget_item *item = calloc(1, sizeof(*item));

	if (!item)
		return NULL;
	item->refs = 1;
	item->weight_thousandths = 1000;
	item->devices = calloc(n_devices, sizeof(*item->devices));
	item->states = calloc(n_states, sizeof(*item->states));
	if (!item->devices || !item->states)
		return ssdpm_budget_item_unref(item);
	item->n_devices = n_devices;
	return item;
}

static int check_states(const struct ssdpm_budget_state *states, size_t n,
			struct ssdpm_error *reterr)
{
	int err = 0;

	if (!n || n > SSDPM_BUDGET_MAX_STATES)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "1 to %d states are needed, not %zu",
				   SSDPM_BUDGET_MAX_STATES, n);
	if (!states)
		return ssdpm__missing("states", reterr);
	for (size_t i = 0; i < n && !err; i++) {
		if (states[i].power_uw > SSDPM_BUDGET_MAX ||
		    states[i].loss > SSDPM_BUDGET_MAX)
			err = ssdpm__fail(
				reterr, -EINVAL, 0,
				"state %zu: a power or a loss above 2^40", i);
	}
	return err;
}

int ssdpm_budget_item_from_states(const char *name,
				  const struct ssdpm_budget_state *states,
				  size_t n_states,
				  struct ssdpm_budget_item **ret_item,
				  struct ssdpm_error *reterr)
{
	struct ssdpm_budget_item *item;
	int err = check_states(states, n_states, reterr);

	if (err)
		return err;
	item = ssdpm__budget_item_alloc(1, n_states);
	if (item && name)
		item->devices->name = strdup(name);
	if (!item || (name && !item->devices->name)) {
		ssdpm_budget_item_unref(item);
		return ssdpm__no_memory(reterr);
	}
	memcpy(item->states, states, n_states * sizeof(*states));
	item->n_states = n_states;
	*ret_item = item;
	return 0;
}

struct ssdpm_budget_item *ssdpm_budget_item_ref(struct ssdpm_budget_item *item)
{
	if (item)
		__atomic_add_fetch(&item->refs, 1, __ATOMIC_RELAXED);
	return item;
}

struct ssdpm_budget_item *ssdpm_budget_item_unref(
	struct ssdpm_budget_item *item)
{
	if (!item || __atomic_sub_fetch(&item->refs, 1, __ATOMIC_ACQ_REL))
		return NULL;
	for (size_t i = 0; i < item->n_devices; i++) {
		free(item->devices[i].name);
		free(item->devices[i].workload);
		ssdpm_model_unref(item->devices[i].model);
	}
	free(item->devices);
	free(item->states);
	free(item);
	return NULL;
}

const struct ssdpm_budget_state *ssdpm_budget_item_get_states(
	const struct ssdpm_budget_item *item, size_t *ret_n)
{
	*ret_n = item->n_states;
	return item->states;
}
