/* SPDX-License-Identifier: MIT */
/*
 * The best table with one state, and with two, exactly.
 *
 * With two states, the first step is made at a, the second at b, from the start
 * of the idle time. All terms are sums: F1(a) + F2(b). The search covers all
 * pairs of the times that best-table-cost.c finds for each step. It also covers
 * the least possible b for each a, because a better b before its next time
 * moves down to the least one. Meanwhile, a can move down to its time while b
 * stays. A tree over the times of the second step has the least of each term
 * below a node. For each a, the search finds the least F2(b) that keeps the
 * bounds. It skips all that cannot beat the best pair so far. It assumes no
 * order in the terms, because delays do not fall evenly as b grows.
 *
 * A first state that draws no less than the drive awake can still help. It
 * moves the time of a second state by part of a millisecond. The best a may
 * then also be the last one before b. If b is the least possible and both move
 * together, earlier is better, because the second state draws less.
 */
#include "recommend/best-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

/* Points below a leaf of the tree. */
#define LEAF 16

/* The least of each term among some points. */
struct node {
	struct wide cost_fj;
	struct wide delay_ns;
	int64_t beyond;
};

/* A tree over the second steps; node i covers the nodes 2 i and 2 i + 1. */
struct tree {
	const struct points *points;
	struct node *nodes;
	size_t n_leaves; /* a power of two */
};

/* The pairs of one first and one second state. */
struct state_pair {
	struct best_search *search;
	uint32_t states[2];
	struct points first;
	struct points next; /* by first: the earliest second step */
	struct points second;
	struct tree tree;
	uint64_t next_offset_ns; /* of the times in next */
	uint64_t entry_ms;	 /* of the first state, rounded down */
	bool from_start;
};

/* No entry equals an entry after an infinite time. */
static uint32_t ms_of(const struct setting *setting, uint32_t i)
{
	return i < setting->n ? setting->ms[i] : UINT32_MAX;
}

bool ssdpm__is_better(const struct setting *a, const struct setting *b)
{
	if (!wide_is_equal(a->cost_fj, b->cost_fj))
		return wide_is_less(a->cost_fj, b->cost_fj);
	if (!wide_is_equal(a->delay_ns, b->delay_ns))
		return wide_is_less(a->delay_ns, b->delay_ns);
	for (uint32_t i = 0; i < a->n || i < b->n; i++)
		if (ms_of(a, i) != ms_of(b, i))
			return ms_of(a, i) > ms_of(b, i);
	for (uint32_t i = 0; i < a->n; i++)
		if (a->states[i] != b->states[i])
			return a->states[i] < b->states[i];
	return false;
}

static void offer(struct best_search *search, const struct setting *setting,
		  int64_t beyond)
{
	if (!wide_is_less(search->limits.delay_ns, setting->delay_ns) &&
	    beyond <= search->limits.beyond &&
	    ssdpm__is_better(setting, &search->best))
		search->best = *setting;
}

int ssdpm__search_one(struct best_search *search, struct ssdpm_error *reterr)
{
	const struct gaps_task *task = search->task;
	const struct step_times lattice = { 0, SSDPM_APST_MAX_IDLE_MS };
	struct points points = { 0 };
	int err = 0;

	for (size_t i = 0; i < search->n_states && !err; i++) {
		struct table_step step =
			ssdpm__step(task, task->params.operational_state,
				    search->states[i]);

		if (ssdpm__only_costs(&step))
			continue;
		points.n = 0;
		err = ssdpm__step_times(task->gaps, &step, &lattice, &points,
					reterr);
		if (err)
			break;
		ssdpm__step_costs(task->gaps, &step, &search->limits, 0,
				  &points);
		for (size_t k = 0; k < points.n; k++) {
			const struct table_point *point = &points.points[k];
			const struct setting setting = {
				.n = 1,
				.states = { search->states[i] },
				.ms = { point->ms },
				.cost_fj = point->cost_fj,
				.delay_ns = point->delay_ns,
			};

			offer(search, &setting, point->beyond);
		}
	}
	free(points.points);
	return err;
}

static void offer_pair(struct state_pair *pair, const struct table_point *first,
		       const struct table_point *second, uint64_t second_ms)
{
	const struct setting setting = {
		.n = 2,
		.states = { pair->states[0], pair->states[1] },
		.ms = { first->ms, (uint32_t)second_ms },
		.cost_fj = wide_plus(first->cost_fj, second->cost_fj),
		.delay_ns = wide_plus(first->delay_ns, second->delay_ns),
	};

	offer(pair->search, &setting, first->beyond + second->beyond);
}

static void add_least(struct node *least, struct wide cost_fj,
		      struct wide delay_ns, int64_t beyond)
{
	least->cost_fj = wide_least(least->cost_fj, cost_fj);
	least->delay_ns = wide_least(least->delay_ns, delay_ns);
	if (beyond < least->beyond)
		least->beyond = beyond;
}

static const struct node nothing = {
	.cost_fj = { .high = NO_LIMIT_HIGH },
	.delay_ns = { .high = NO_LIMIT_HIGH },
	.beyond = INT64_MAX / 2,
};

static bool make_tree(struct tree *tree, const struct points *points)
{
	struct node *nodes;
	size_t n = 1;

	while (n * LEAF < points->n)
		n *= 2;
	nodes = malloc(2 * n * sizeof(*nodes));
	if (!nodes)
		return false;
	for (size_t i = 0; i < 2 * n; i++)
		nodes[i] = nothing;
	for (size_t i = 0; i < points->n; i++) {
		const struct table_point *point = &points->points[i];

		add_least(&nodes[n + i / LEAF], point->cost_fj, point->delay_ns,
			  point->beyond);
	}
	for (size_t i = 2 * n - 1; i > 1; i--)
		add_least(&nodes[i / 2], nodes[i].cost_fj, nodes[i].delay_ns,
			  nodes[i].beyond);
	*tree = (struct tree){ points, nodes, n };
	return true;
}

/* The second steps that can follow a first one. */
struct query {
	const struct table_point *first;
	size_t from;
	size_t to;
};

static uint64_t second_ms(const struct state_pair *pair,
			  const struct table_point *first,
			  const struct table_point *second)
{
	return pair->from_start ? second->ms : second->ms - first->ms;
}

/*
 * Whether a point below this node can be better; its last point is before "to".
 * At the same cost and delay, only longer idle times are better.
 */
static bool may_be_better(const struct state_pair *pair,
			  const struct query *query, const struct node *node,
			  size_t to)
{
	const struct best_search *search = pair->search;
	const struct setting *best = &search->best;
	const struct table_point *first = query->first;
	struct wide cost = wide_plus(first->cost_fj, node->cost_fj);
	struct wide delay = wide_plus(first->delay_ns, node->delay_ns);

	if (wide_is_less(search->limits.delay_ns, delay) ||
	    first->beyond + node->beyond > search->limits.beyond)
		return false;
	if (!wide_is_equal(cost, best->cost_fj))
		return wide_is_less(cost, best->cost_fj);
	if (!wide_is_equal(delay, best->delay_ns))
		return wide_is_less(delay, best->delay_ns);
	if (first->ms != ms_of(best, 0))
		return first->ms > ms_of(best, 0);
	return second_ms(pair, first, &pair->second.points[to - 1]) >
	       ms_of(best, 1);
}

/*
 * Searches the n points below node i, the better half first, so that the other
 * is rarely visited. If they are equal, the later comes first.
 */
static void search_tree(struct state_pair *pair, const struct query *query,
			size_t i, size_t from, size_t n)
{
	const struct node *nodes = pair->tree.nodes;
	size_t to = from + n < query->to ? from + n : query->to;
	bool left;

	if (from >= query->to || to <= query->from ||
	    !may_be_better(pair, query, &nodes[i], to))
		return;
	if (n == LEAF) {
		for (; to > from && to > query->from; to--) {
			const struct table_point *second =
				&pair->second.points[to - 1];
			offer_pair(pair, query->first, second,
				   second_ms(pair, query->first, second));
		}
		return;
	}
	left = wide_is_less(nodes[2 * i].cost_fj, nodes[2 * i + 1].cost_fj);
	search_tree(pair, query, 2 * i + !left, from + !left * n / 2, n / 2);
	search_tree(pair, query, 2 * i + left, from + left * n / 2, n / 2);
}

/*
 * Makes the times of the first step, and the earliest times of the second one.
 * Such a time is 1 ms after the entry. If idle time counts from its start, it
 * is the end of the entry, and both steps are made at times that depend on a.
 * The times at which the second step changes are therefore points of the first,
 * too.
 */
static int make_first(struct state_pair *pair, const struct table_step *one,
		      const struct table_step *two, struct ssdpm_error *reterr)
{
	const struct best_search *search = pair->search;
	const struct ssdpm_gaps *gaps = search->task->gaps;
	const struct step_times awake = { 0, SSDPM_APST_MAX_IDLE_MS };
	const struct step_times both = { pair->next_offset_ns,
					 SSDPM_APST_MAX_IDLE_MS };
	struct points *first = &pair->first, *next = &pair->next;
	int err = ssdpm__step_times(gaps, one, &awake, first, reterr);

	if (!err && pair->from_start)
		err = ssdpm__step_times(gaps, two, &both, next, reterr);
	if (!err)
		err = ssdpm__merge_points(first, next, 0, reterr);
	if (!err && ssdpm__only_costs(one))
		err = ssdpm__merge_points(first, &pair->second,
					  pair->entry_ms + 1, reterr);
	next->n = 0;
	if (!err)
		err = ssdpm__merge_points(next, first, 0, reterr);
	if (err)
		return err;
	ssdpm__step_costs(gaps, one, &search->limits, 0, first);
	ssdpm__step_costs(gaps, two, &search->limits, pair->next_offset_ns,
			  next);
	return 0;
}

static int make_second(struct state_pair *pair, const struct table_step *one,
		       const struct table_step *two, struct ssdpm_error *reterr)
{
	const struct best_search *search = pair->search;
	const struct ssdpm_gaps *gaps = search->task->gaps;
	const struct step_times lattice = {
		.offset_ns = pair->from_start ? 0 : one->entry_ns,
		.max_ms = pair->from_start ? SSDPM_APST_MAX_IDLE_MS :
					     2 * SSDPM_APST_MAX_IDLE_MS,
	};
	int err = ssdpm__step_times(gaps, two, &lattice, &pair->second, reterr);

	if (err)
		return err;
	ssdpm__step_costs(gaps, two, &search->limits, lattice.offset_ns,
			  &pair->second);
	if (!make_tree(&pair->tree, &pair->second))
		return ssdpm__fail(reterr, -ENOMEM, 0,
				   "best table: no memory for the search");
	return 0;
}

/* The first point with a time of at least ms. */
static size_t find_ms(const struct points *points, size_t from, uint64_t ms)
{
	while (from < points->n && points->points[from].ms < ms)
		from++;
	return from;
}

static void search_pair(struct state_pair *pair)
{
	const struct tree *tree = &pair->tree;
	struct query query = { 0 };

	for (size_t i = 0; i < pair->first.n; i++) {
		const struct table_point *first = &pair->first.points[i];
		uint64_t least = first->ms + pair->entry_ms + 1, soonest = 1;
		uint64_t most = (uint64_t)first->ms + SSDPM_APST_MAX_IDLE_MS;

		if (pair->from_start) {
			soonest = least - 1;
			if (soonest > SSDPM_APST_MAX_IDLE_MS)
				soonest = SSDPM_APST_MAX_IDLE_MS;
		}
		offer_pair(pair, first, &pair->next.points[i], soonest);
		query.first = first;
		query.from = find_ms(&pair->second, query.from, least);
		query.to = find_ms(&pair->second, query.to, most + 1);
		search_tree(pair, &query, 1, 0, tree->n_leaves * LEAF);
	}
}

static int search_states(struct best_search *search, uint32_t one, uint32_t two,
			 struct ssdpm_error *reterr)
{
	const struct gaps_task *task = search->task;
	struct table_step first =
		ssdpm__step(task, task->params.operational_state, one);
	struct table_step second = ssdpm__step(task, one, two);
	struct state_pair pair = {
		.search = search,
		.states = { one, two },
		.from_start = task->params.flags & SSDPM_SIM_IDLE_FROM_START,
		.next_offset_ns = first.entry_ns,
	};
	int err;

	if (ssdpm__only_costs(&second) ||
	    (ssdpm__only_costs(&first) &&
	     second.power_uw >= first.from_power_uw))
		return 0;
	if (pair.from_start)
		pair.entry_ms = first.entry_ns / NS_PER_MS;
	else
		pair.next_offset_ns += NS_PER_MS;
	err = make_second(&pair, &first, &second, reterr);
	if (!err)
		err = make_first(&pair, &first, &second, reterr);
	if (!err)
		search_pair(&pair);
	free(pair.first.points);
	free(pair.next.points);
	free(pair.second.points);
	free(pair.tree.nodes);
	return err;
}

int ssdpm__search_two(struct best_search *search, struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < search->n_states; i++)
		for (size_t j = i + 1; j < search->n_states && !err; j++)
			err = search_states(search, search->states[i],
					    search->states[j], reterr);
	return err;
}
