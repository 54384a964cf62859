/* SPDX-License-Identifier: MIT */
/*
 * Finds the least loss within a budget. The relaxed problem lets one drive mix
 * two states, and gives a price of power: the loss that a microwatt saves. At
 * that price each item has a base state. Any other state of it wastes
 * something, which is its reduced cost. A combination cannot be better if it
 * wastes more than the gap between the bound and the next better loss. The rest
 * is combined item by item, in lists without dominated combinations. A
 * combination that can no longer use enough of the budget is dropped, too.
 */
#include "budget/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

#define MAX_STATES (1u << 23)
#define MAX_STEPS (UINT64_C(1) << 30)
#define NO_PARENT UINT32_MAX

/* The states of some items, relative to their base states. */
struct state {
	int64_t uw;
	int64_t loss;
	uint32_t parent; /* in the previous list */
	uint32_t to;	 /* of the item of this list */
};

struct state_list {
	struct state *states;
	size_t n;
	int64_t least_uw; /* the least that later items can add */
	int64_t most_uw;
};

/* An item with several states within the bound. */
struct rest {
	uint32_t item;
	size_t distance;   /* from the price, in moves */
	struct wide waste; /* of its second best */
};

struct solver {
	struct problem problem;
	int64_t slack_uw; /* of the budget, if all items are at base */
	int64_t base_uw;
	int64_t base_loss;
	int64_t price_loss; /* price_loss / price_uw is the price of power */
	int64_t price_uw;
	int64_t bound_loss;
	int64_t best_loss;
	int64_t best_uw;
	bool best_known; /* it is from a list: */
	size_t best_list;
	struct state best_state;
	uint32_t *best; /* the choice of each item */
	size_t *distances;
	struct rest *rests;
	size_t n_rests;
	struct state_list *lists;
	uint64_t n_examined;
	uint64_t n_steps;
	bool gave_up; /* no proof that nothing is better */
};

/* The worth of power and loss at the price, in units of loss times price_uw. */
static struct wide worth(const struct solver *s, int64_t loss, int64_t uw)
{
	return wide_plus(wide_times_signed(loss, (uint64_t)s->price_uw),
			 wide_times_signed(uw, (uint64_t)s->price_loss));
}

/* How much a choice wastes against the base. */
static struct wide waste_of(const struct solver *s,
			    const struct problem_item *item, uint32_t number)
{
	const struct budget_choice *choice = &item->choices[number];
	const struct budget_choice *base = &item->choices[item->base];

	return worth(s, choice->loss - base->loss, choice->uw - base->uw);
}

/*
 * The most that a combination may waste to beat the best one by a whole unit of
 * loss; below 0: none can.
 */
static struct wide gap_of(const struct solver *s)
{
	int64_t better = s->best_loss - s->problem.loss_unit;

	return worth(s, better - s->base_loss, s->slack_uw);
}

/* Solves the relaxed problem, up to the first move that does not fit. */
static size_t take_base(struct solver *s, int64_t budget_uw)
{
	struct problem *p = &s->problem;
	size_t i;

	/* Choices differ by whole units. */
	int64_t budget = budget_uw - (budget_uw - p->least_uw) % p->unit_uw;

	s->slack_uw = budget - p->least_uw;
	s->base_loss = p->most_loss;
	for (i = 0; i < p->n_moves && p->moves[i].uw <= s->slack_uw; i++) {
		const struct move *move = &p->moves[i];

		p->items[move->item].base = move->to;
		s->slack_uw -= move->uw;
		s->base_loss -= move->less;
	}
	s->base_uw = budget - s->slack_uw;
	if (i < p->n_moves) {
		s->price_loss = p->moves[i].less;
		s->price_uw = p->moves[i].uw;
	} else {
		s->price_loss = 0;
		s->price_uw = 1;
	}
	return i;
}

/* Finds a first answer from the later moves that fit, in order for each item.
 */
static void take_more(struct solver *s, size_t from)
{
	const struct problem *p = &s->problem;
	int64_t slack = s->slack_uw;

	s->best_loss = s->base_loss;
	for (size_t i = 0; i < p->n_items; i++)
		s->best[i] = p->items[i].base;
	for (size_t i = from; i < p->n_moves; i++) {
		const struct move *move = &p->moves[i];
		const struct problem_item *item = &p->items[move->item];
		const struct budget_choice *to = &item->choices[move->to];
		const struct budget_choice *is =
			&item->choices[s->best[move->item]];

		/* It may skip a move that did not fit. */
		if (to->uw - is->uw > slack)
			continue;
		slack -= to->uw - is->uw;
		s->best_loss -= is->loss - to->loss;
		s->best[move->item] = move->to;
	}
	s->best_uw = s->slack_uw - slack;
}

static int by_waste(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;

	if (!wide_is_equal(x->waste, y->waste))
		return wide_is_less(x->waste, y->waste) ? -1 : 1;
	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return x->item < y->item ? -1 : 1;
}

/*
 * Measures how far items are from the price. If many states have a similar
 * price, the nearest come first. Some draw less power and some more, so
 * together they use up the rest.
 */
static void find_distances(struct solver *s, size_t price)
{
	const struct problem *p = &s->problem;

	for (uint32_t i = 0; i < p->n_items; i++)
		s->distances[i] = SIZE_MAX;
	for (size_t i = 0; i < p->n_moves; i++) {
		size_t distance = i < price ? price - i : i - price;
		size_t *known = &s->distances[p->moves[i].item];

		if (distance < *known)
			*known = distance;
	}
}

/* Finds the items that may leave their base state in a better answer. */
static void find_rests(struct solver *s)
{
	struct wide gap = gap_of(s);

	for (uint32_t i = 0; i < s->problem.n_items; i++) {
		const struct problem_item *item = &s->problem.items[i];
		struct rest rest = { i, s->distances[i],
				     wide_plus(gap, wide_of(1)) };

		for (uint32_t j = 0; j < item->n; j++) {
			struct wide waste = waste_of(s, item, j);

			if (j != item->base)
				rest.waste = wide_least(rest.waste, waste);
		}
		if (!wide_is_less(gap, rest.waste))
			s->rests[s->n_rests++] = rest;
	}
	/* The least waste comes first, so that the gap closes early. */
	qsort(s->rests, s->n_rests, sizeof(s->rests[0]), by_waste);
}

/* Finds how much the items after each list can change the power. */
static void find_reach(struct solver *s)
{
	struct wide gap = gap_of(s);
	int64_t least_uw = 0, most_uw = 0;

	for (size_t i = s->n_rests; i--;) {
		const struct problem_item *item =
			&s->problem.items[s->rests[i].item];
		int64_t base_uw = item->choices[item->base].uw;
		uint32_t low = item->base, high = item->base;

		s->lists[i].least_uw = least_uw;
		s->lists[i].most_uw = most_uw;
		for (uint32_t j = 0; j < item->n; j++)
			if (!wide_is_less(gap, waste_of(s, item, j))) {
				low = j < low ? j : low;
				high = j > high ? j : high;
			}
		least_uw += item->choices[low].uw - base_uw;
		most_uw += item->choices[high].uw - base_uw;
	}
}

/* Whether a state can still lead to a better answer than the best one. */
static bool is_useful(const struct solver *s, const struct state_list *list,
		      const struct state *state, struct wide gap)
{
	int64_t unused = s->slack_uw - state->uw;
	struct wide waste = worth(s, state->loss, state->uw);

	if (unused < list->least_uw)
		return false;
	if (unused > list->most_uw)
		wide_add(&waste, worth(s, 0, unused - list->most_uw));
	return !wide_is_less(gap, waste);
}

/* The states of the previous list, each with one choice of an item. */
struct state_source {
	size_t at;
	int64_t uw;
	int64_t loss;
	uint32_t to;
};

static size_t take_sources(const struct solver *s,
			   const struct problem_item *item,
			   struct state_source *sources)
{
	const struct budget_choice *base = &item->choices[item->base];
	struct wide gap = gap_of(s);
	size_t n = 0;

	for (uint32_t j = 0; j < item->n; j++)
		if (!wide_is_less(gap, waste_of(s, item, j)))
			sources[n++] = (struct state_source){
				0, item->choices[j].uw - base->uw,
				item->choices[j].loss - base->loss, j
			};
	return n;
}

/* Takes the next state by power, then by loss. false: no more. */
static bool next_state(const struct state_list *before,
		       struct state_source *sources, size_t n_sources,
		       struct state *ret_state)
{
	struct state_source *best = NULL;

	for (size_t i = 0; i < n_sources; i++) {
		struct state_source *source = &sources[i];

		if (source->at == before->n)
			continue;
		const struct state *state = &before->states[source->at];
		int64_t uw = state->uw + source->uw;
		int64_t loss = state->loss + source->loss;

		if (best && (uw > ret_state->uw ||
			     (uw == ret_state->uw && loss >= ret_state->loss)))
			continue;
		best = source;
		*ret_state = (struct state){ uw, loss, (uint32_t)source->at,
					     source->to };
	}
	if (best)
		best->at++;
	return best != NULL;
}

/* A state is an answer if all later items stay at base. */
static void look_at(struct solver *s, size_t list, const struct state *state)
{
	int64_t loss = s->base_loss + state->loss;

	if (state->uw > s->slack_uw || loss > s->best_loss ||
	    (loss == s->best_loss && state->uw >= s->best_uw))
		return;
	s->best_loss = loss;
	s->best_uw = state->uw;
	s->best_known = true;
	s->best_list = list;
	s->best_state = *state;
}

static int add_list(struct solver *s, size_t number)
{
	static const struct state start = { 0, 0, NO_PARENT, 0 };
	struct state_list first = { (struct state *)&start, 1, 0, 0 };
	const struct state_list *before =
		number ? &s->lists[number - 1] : &first;
	struct state_list *list = &s->lists[number];
	struct state_source sources[SSDPM_BUDGET_MAX_STATES];
	const struct problem_item *item =
		&s->problem.items[s->rests[number].item];
	size_t n_sources = take_sources(s, item, sources);
	size_t room = before->n * n_sources;
	struct state state, *states;

	s->n_steps += (uint64_t)room * n_sources;
	if (s->n_examined + room > MAX_STATES || s->n_steps > MAX_STEPS) {
		s->gave_up = true;
		return 0;
	}
	/* Pages never written take no memory. */
	states = malloc((room ? room : 1) * sizeof(*states));
	if (!states)
		return -ENOMEM;
	list->states = states;
	while (next_state(before, sources, n_sources, &state)) {
		if ((list->n && state.loss >= states[list->n - 1].loss) ||
		    !is_useful(s, list, &state, gap_of(s)))
			continue;
		states[list->n++] = state;
		look_at(s, number, &state);
	}
	s->n_examined += list->n;
	return 0;
}

/* Traces from the best state back to the first list. */
static void trace_back(struct solver *s)
{
	struct state state = s->best_state;

	if (!s->best_known)
		return;
	for (size_t i = 0; i < s->problem.n_items; i++)
		s->best[i] = s->problem.items[i].base;
	for (size_t i = s->best_list;; i--) {
		s->best[s->rests[i].item] = state.to;
		if (!i)
			break;
		state = s->lists[i - 1].states[state.parent];
	}
}

static int close_gap(struct solver *s)
{
	int err = 0;

	find_rests(s);
	find_reach(s);
	for (size_t i = 0; i < s->n_rests && !wide_is_negative(gap_of(s));
	     i++) {
		err = add_list(s, i);
		if (err || s->gave_up)
			break;
	}
	trace_back(s);
	return err;
}

static int new_solver(struct solver *s, const struct problem *problem)
{
	size_t n = problem->n_items;

	s->best = calloc(n, sizeof(*s->best));
	s->rests = calloc(n, sizeof(*s->rests));
	s->distances = calloc(n, sizeof(*s->distances));
	s->lists = calloc(n, sizeof(*s->lists));
	s->problem = *problem;
	return s->best && s->rests && s->distances && s->lists ? 0 : -ENOMEM;
}

static void free_solver(struct solver *s)
{
	for (size_t i = 0; s->lists && i < s->n_rests; i++)
		free(s->lists[i].states);
	free(s->lists);
	free(s->rests);
	free(s->distances);
	free(s->best);
}

/* The loss that this much power saves, at least 0; rounded down. */
static int64_t price_of(const struct solver *s, int64_t uw)
{
	struct wide product =
		wide_product((uint64_t)uw, (uint64_t)s->price_loss);

	return (int64_t)ssdpm__wide_divide(product, (uint64_t)s->price_uw, NULL)
		.low;
}

static int solve(struct solver *s, int64_t budget_uw)
{
	size_t price = take_base(s, budget_uw);

	take_more(s, price);
	find_distances(s, price);
	s->bound_loss = s->base_loss - price_of(s, s->slack_uw);
	return close_gap(s);
}

int ssdpm__problem_solve(const struct problem *problem, int64_t budget_uw,
			 uint32_t *ret_choices,
			 struct ssdpm_budget_answer *ret_answer)
{
	struct solver s = { 0 };
	int err = new_solver(&s, problem);

	if (!err)
		err = solve(&s, budget_uw);
	if (!err) {
		for (size_t i = 0; i < s.problem.n_items; i++)
			ret_choices[i] =
				s.problem.items[i].choices[s.best[i]].number;
		ret_answer->power_uw = (uint64_t)(s.base_uw + s.best_uw);
		ret_answer->loss = (uint64_t)s.best_loss;
		ret_answer->bound_loss = (uint64_t)s.bound_loss;
		ret_answer->n_examined = s.n_examined;
		ret_answer->exact = !s.gave_up;
	}
	free_solver(&s);
	return err;
}
