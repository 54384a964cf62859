/* SPDX-License-Identifier: MIT */
/*
 * The best setting that each route reaches. Linux makes finitely many tables of
 * a limit alone. With the parameters of nvme_core it leads to finitely many
 * sets of at most two states, at any idle times; for each set the search for
 * the best table knows those, if it sees a drive without other states. The
 * legacy rule is one more finite set of tables.
 */
#include "estimate/saving.h"
#include "policy/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A set of states that Linux leads to, and the parameters that do so. */
struct reach {
	uint32_t states; /* bits */
	uint32_t n_changed;
	bool solved; /* the best of them was found, or of more states */
	struct ssdpm_apst_params params;
};

/* All pairs of states, all single ones, none. */
#define MAX_REACHES (1 + SSDPM_MAX_STATES * (SSDPM_MAX_STATES + 1) / 2)

struct candidate {
	bool found;
	struct ssdpm_apst_params params;
	struct ssdpm_apst table;
	struct chain chain;
	struct ssdpm_run run;
	ssdpm__fj fj;
};

struct quest {
	struct gaps_task task;
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	size_t n_parameters;
	struct ssdpm_bounds bounds;
	struct ssdpm_apst_params defaults; /* of Linux, for this drive */
	struct delays delays;
	struct reach reaches[MAX_REACHES];
	uint32_t n_reaches;
	struct candidate now;
	struct candidate best[SSDPM_N_ROUTES]; /* by route - 1 */
};

static uint32_t states_of(const struct chain *chain)
{
	uint32_t states = 0;

	for (uint32_t i = 0; i < chain->n; i++)
		states |= 1u << chain->steps[i].state;
	return states;
}

static bool keeps_bounds(const struct quest *quest,
			 const struct candidate *candidate)
{
	const struct ssdpm_bounds *bounds = &quest->bounds;
	const struct ssdpm_run *run = &candidate->run;
	uint64_t n_ios = 0;

	if (bounds->max_states && candidate->chain.n > bounds->max_states)
		return false;
	for (uint32_t i = 0; i < candidate->chain.n; i++)
		if (candidate->chain.steps[i].exit_ns / 1000 >
		    bounds->max_exit_latency_us)
			return false;
	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		n_ios += run->n_ios[op];
	return run->delay_p99_ns <= bounds->max_delay_p99_ns &&
	       (bounds->max_delay_mean_ns == UINT64_MAX ||
		run->delay_sum_ns <=
			(ssdpm__fj)bounds->max_delay_mean_ns * n_ios);
}

/* Less energy; then less delay, longer idle times, shallower states. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->fj != b->fj)
		return a->fj < b->fj;
	if (a->run.delay_sum_ns != b->run.delay_sum_ns)
		return a->run.delay_sum_ns < b->run.delay_sum_ns;
	for (uint32_t i = 0; i < a->chain.n && i < b->chain.n; i++)
		if (a->chain.steps[i].at_ns != b->chain.steps[i].at_ns)
			return a->chain.steps[i].at_ns >
			       b->chain.steps[i].at_ns;
	return states_of(&a->chain) < states_of(&b->chain);
}

/* Run quest->now.table; keep it if it is the best of its route so far. */
static int consider_table(struct quest *quest, uint32_t route,
			  struct ssdpm_error *reterr)
{
	struct candidate *now = &quest->now, *best = &quest->best[route - 1];
	struct gaps_task *task = &quest->task;
	int r;

	task->params.apst = &now->table;
	r = ssdpm__chain(task->model, &task->params, &task->values, &now->chain,
			 reterr);
	task->params.apst = NULL;
	if (!r)
		r = ssdpm__gaps_run(task, &now->chain, &quest->delays,
				    &now->run, &now->fj, reterr);
	if (r || !keeps_bounds(quest, now))
		return r;
	now->found = true;
	if (!best->found || is_better(now, best))
		*best = *now;
	return 0;
}

/* The table that Linux makes with these parameters, if the drive can obey. */
static int consider_params(struct quest *quest, uint32_t route,
			   const struct ssdpm_apst_params *params,
			   struct ssdpm_error *reterr)
{
	struct candidate *now = &quest->now;
	int r = ssdpm_apst_generate(quest->task.model, params, &now->table,
				    reterr);

	if (r)
		return r;
	/* The legacy rule sends idle times of 0 for states without latencies:
	 * no drive ever goes there. */
	if (ssdpm_apst_validate(quest->task.model, &now->table, NULL))
		return 0;
	now->params = *params;
	return consider_table(quest, route, reterr);
}

/* All limits; the default first, which stays where another is no better. */
static int try_limits(struct quest *quest, uint32_t route, bool legacy,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params params = quest->defaults;
	uint64_t usual = params.max_exit_latency_us;
	struct steps steps;
	int r;

	if (legacy)
		params.primary_timeout_ms = 0;
	r = consider_params(quest, route, &params, reterr);
	ssdpm__limit_steps(quest->task.model, false, &steps);
	for (uint32_t i = 0; i < steps.n && !r; i++) {
		params.max_exit_latency_us =
			ssdpm__steps_value(&steps, i, usual);
		r = consider_params(quest, route, &params, reterr);
	}
	return r;
}

static struct reach *find_reach(struct quest *quest, uint32_t states)
{
	for (uint32_t i = 0; i < quest->n_reaches; i++)
		if (quest->reaches[i].states == states)
			return &quest->reaches[i];
	return NULL;
}

/* The states that a table leads to. */
static uint32_t follow(const struct ssdpm_apst *table, uint32_t state)
{
	uint32_t states = 0;

	for (; table->entries[state].idle_ms;
	     state = table->entries[state].target)
		states |= 1u << table->entries[state].target;
	return states;
}

static uint32_t count_changed(const struct ssdpm_apst_params *a,
			      const struct ssdpm_apst_params *b)
{
	return (a->max_exit_latency_us != b->max_exit_latency_us) +
	       (a->primary_latency_tolerance_us !=
		b->primary_latency_tolerance_us) +
	       (a->secondary_timeout_ms != b->secondary_timeout_ms) +
	       (a->secondary_latency_tolerance_us !=
		b->secondary_latency_tolerance_us);
}

/* Of the parameters that lead to a set, those with the most defaults stay. */
static int add_reach(struct quest *quest,
		     const struct ssdpm_apst_params *params,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_apst table;
	struct reach reach = {
		.n_changed = count_changed(params, &quest->defaults),
		.params = *params,
	};
	struct reach *same;
	int r = ssdpm_apst_generate(quest->task.model, params, &table, reterr);

	if (r)
		return r;
	reach.states = follow(&table, quest->task.params.operational_state);
	same = find_reach(quest, reach.states);
	if (!same)
		quest->reaches[quest->n_reaches++] = reach;
	else if (reach.n_changed < same->n_changed)
		*same = reach;
	return 0;
}

/* With one limit and primary tolerance: every secondary one, and none. */
static int add_secondaries(struct quest *quest, const struct steps *tolerances,
			   struct ssdpm_apst_params params,
			   struct ssdpm_error *reterr)
{
	uint64_t usual = quest->defaults.secondary_latency_tolerance_us;
	int r = 0;

	for (uint32_t i = 0; i < tolerances->n && !r; i++) {
		params.secondary_latency_tolerance_us =
			ssdpm__steps_value(tolerances, i, usual);
		r = add_reach(quest, &params, reterr);
	}
	params.secondary_latency_tolerance_us = usual;
	params.secondary_timeout_ms = 0;
	return r ? r : add_reach(quest, &params, reterr);
}

/* Every set of states that the two idle times can lead to. */
static int find_reaches(struct quest *quest, struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params params = quest->defaults;
	struct steps limits, tolerances;
	int r = 0;

	ssdpm__limit_steps(quest->task.model, false, &limits);
	ssdpm__tolerance_steps(quest->task.model, &tolerances);
	for (uint32_t i = 0; i < limits.n * tolerances.n && !r; i++) {
		params.max_exit_latency_us =
			ssdpm__steps_value(&limits, i / tolerances.n,
					   quest->defaults.max_exit_latency_us);
		params.primary_latency_tolerance_us = ssdpm__steps_value(
			&tolerances, i % tolerances.n,
			quest->defaults.primary_latency_tolerance_us);
		r = add_secondaries(quest, &tolerances, params, reterr);
	}
	return r;
}

/* What is known of a drive that stays awake in these states. */
static size_t filter_parameters(const struct quest *quest, uint32_t awake,
				struct ssdpm_parameter *parameters)
{
	size_t n = 0;

	for (size_t i = 0; i < quest->n_parameters; i++) {
		const struct ssdpm_parameter *p = &quest->parameters[i];
		bool latency = p->kind == SSDPM_PARAMETER_ENTRY_LATENCY ||
			       p->kind == SSDPM_PARAMETER_EXIT_LATENCY;

		if (!latency || !(awake >> p->index & 1))
			parameters[n++] = *p;
	}
	return n;
}

/* A drive that cannot sleep but in these states, and what is known of it. */
static int make_other(const struct quest *quest, uint32_t states,
		      struct ssdpm_model **ret_model,
		      struct ssdpm_parameter *parameters, size_t *ret_n,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_power_state other[SSDPM_MAX_STATES] = { 0 };
	const struct ssdpm_model *model = quest->task.model;
	uint32_t awake = 0;
	size_t n_states;
	const struct ssdpm_power_state *all =
		ssdpm_model_get_states(model, &n_states);

	memcpy(other, all, n_states * sizeof(*all));
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		if (other[i].flags & SSDPM_STATE_NON_OPERATIONAL &&
		    !(states >> i & 1)) {
			other[i].flags &=
				~(uint32_t)SSDPM_STATE_NON_OPERATIONAL;
			awake |= 1u << i;
		}
	*ret_n = filter_parameters(quest, awake, parameters);
	return ssdpm_model_new(ssdpm_model_get_info(model), other, n_states,
			       ret_model, reterr);
}

static int find_table(const struct quest *quest,
		      const struct ssdpm_model *model,
		      const struct ssdpm_parameter *parameters, size_t n,
		      uint32_t max_states, struct ssdpm_apst *ret_table,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params params = quest->task.params;
	struct ssdpm_bounds bounds = quest->bounds;

	params.parameters = parameters;
	params.n_parameters = n;
	if (max_states)
		bounds.max_states = max_states;
	return ssdpm_gaps_best_table(quest->task.gaps, model, &params, &bounds,
				     ret_table, NULL, NULL, reterr);
}

/* What Linux has to be told for the idle times of a table. */
static int consider_times(struct quest *quest, const struct ssdpm_apst *table,
			  bool *ret_reached, struct ssdpm_error *reterr)
{
	uint32_t state = quest->task.params.operational_state;
	struct reach *reach = find_reach(quest, follow(table, state));
	const struct ssdpm_apst_entry *first = &table->entries[state];
	const struct ssdpm_apst_entry *second = &table->entries[first->target];
	struct ssdpm_apst_params params;
	struct ssdpm_apst made;
	int r;

	*ret_reached = reach;
	if (!reach || !first->idle_ms)
		return 0;
	params = reach->params;
	r = ssdpm_apst_generate(quest->task.model, &params, &made, reterr);
	if (r)
		return r;
	/* The two default timeouts differ: they say which one leads there. */
	if (made.entries[state].idle_ms == params.primary_timeout_ms)
		params.primary_timeout_ms = first->idle_ms;
	else
		params.secondary_timeout_ms = first->idle_ms;
	if (second->idle_ms)
		params.secondary_timeout_ms = second->idle_ms;
	return consider_params(quest, SSDPM_ROUTE_NVME_CORE, &params, reterr);
}

/* A search that may leave states out has found the best of fewer too. */
static void mark_solved(struct quest *quest, uint32_t states)
{
	for (uint32_t i = 0; i < quest->n_reaches; i++)
		if (!(quest->reaches[i].states & ~states))
			quest->reaches[i].solved = true;
}

/* The best idle times for the states of one set. */
static int try_reach(struct quest *quest, uint32_t states,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_model *model;
	struct ssdpm_apst table;
	bool reached;
	size_t n;
	int r = make_other(quest, states, &model, parameters, &n, reterr);

	if (r)
		return r;
	r = find_table(quest, model, parameters, n,
		       (uint32_t)__builtin_popcount(states), &table, reterr);
	ssdpm_model_unref(model);
	if (!r)
		r = consider_times(quest, &table, &reached, reterr);
	if (!r && reached)
		mark_solved(quest, states);
	return r;
}

/* All sets of so many states. */
static int try_reaches(struct quest *quest, int n_states,
		       struct ssdpm_error *reterr)
{
	int r = 0;

	for (uint32_t i = 0; i < quest->n_reaches && !r; i++) {
		const struct reach *reach = &quest->reaches[i];

		if (!reach->solved &&
		    __builtin_popcount(reach->states) == n_states)
			r = try_reach(quest, reach->states, reterr);
	}
	return r;
}

static int try_nvme_core(struct quest *quest, struct ssdpm_error *reterr)
{
	uint32_t max = quest->bounds.max_states == 1 ? 1 : 2;
	struct ssdpm_apst table;
	bool reached = false;
	int r = try_limits(quest, SSDPM_ROUTE_NVME_CORE, false, reterr);

	if (!r)
		r = try_limits(quest, SSDPM_ROUTE_NVME_CORE, true, reterr);
	if (!r)
		r = find_reaches(quest, reterr);
	if (!r)
		r = find_table(quest, quest->task.model, quest->parameters,
			       quest->n_parameters, max, &table, reterr);
	if (!r)
		r = consider_times(quest, &table, &reached, reterr);
	/* Where the best of all tables can be reached, that is that. */
	for (uint32_t n = max; n && !r && !reached; n--)
		r = try_reaches(quest, (int)n, reterr);
	return r;
}

static int try_raw_table(struct quest *quest, struct ssdpm_error *reterr)
{
	struct candidate *now = &quest->now;
	int r = ssdpm_apst_generate(quest->task.model, &quest->defaults,
				    &now->table, reterr);

	now->params = quest->defaults;
	if (!r && now->table.enabled)
		r = find_table(quest, quest->task.model, quest->parameters,
			       quest->n_parameters, 0, &now->table, reterr);
	return r ? r : consider_table(quest, SSDPM_ROUTE_RAW_TABLE, reterr);
}

static int start_bounds(struct quest *quest, const struct ssdpm_bounds *bounds,
			struct ssdpm_error *reterr)
{
	quest->bounds = (struct ssdpm_bounds){
		.size = sizeof(quest->bounds),
		.max_delay_mean_ns = UINT64_MAX,
		.max_delay_p99_ns = UINT64_MAX,
		.max_exit_latency_us = UINT64_MAX,
	};
	if (!bounds)
		return 0;
	return ssdpm__copy_sized(&quest->bounds, sizeof(quest->bounds), bounds,
				 "ssdpm_bounds", reterr);
}

static int start(struct quest *quest, const struct ssdpm_gaps *gaps,
		 const struct ssdpm_model *model,
		 const struct ssdpm_sim_params *params,
		 const struct ssdpm_bounds *bounds, struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params given;
	int r = ssdpm__gaps_task(gaps, model, params, &quest->task, reterr);

	/* The task keeps nominal values alone, savings need all of them. */
	if (!r)
		r = ssdpm__check_params(params, &given, reterr);
	if (!r)
		r = start_bounds(quest, bounds, reterr);
	if (r)
		return r;
	ssdpm_apst_params_init(&quest->defaults, sizeof(quest->defaults));
	quest->defaults.quirks = quest->bounds.quirks;
	if (!given.parameters)
		return ssdpm_parameters_from_model(
			model, given.pcie_link, quest->parameters,
			&quest->n_parameters, reterr);
	memcpy(quest->parameters, given.parameters,
	       given.n_parameters * sizeof(*given.parameters));
	quest->n_parameters = given.n_parameters;
	return 0;
}

static int try_routes(struct quest *quest, struct ssdpm_error *reterr)
{
	int r = ssdpm__delays_new(quest->task.gaps, &quest->delays, reterr);

	if (r)
		return r;
	r = try_limits(quest, SSDPM_ROUTE_LATENCY_LIMIT, false, reterr);
	if (!r)
		r = try_nvme_core(quest, reterr);
	if (!r)
		r = try_raw_table(quest, reterr);
	ssdpm__delays_free(&quest->delays);
	return r;
}

static void fill(const struct candidate *best, uint32_t route,
		 const struct ssdpm_saving *saving,
		 struct ssdpm_recommendation *ret)
{
	*ret = (struct ssdpm_recommendation){ .route = route };
	if (!best->found)
		return;
	ret->possible = 1;
	ret->apst = best->table;
	ret->run = best->run;
	ret->saving = *saving;
	if (route != SSDPM_ROUTE_RAW_TABLE)
		ret->limit_us = best->params.max_exit_latency_us;
	if (route != SSDPM_ROUTE_NVME_CORE)
		return;
	ret->primary_timeout_ms = best->params.primary_timeout_ms;
	ret->primary_latency_tolerance_us =
		best->params.primary_latency_tolerance_us;
	ret->secondary_timeout_ms = best->params.secondary_timeout_ms;
	ret->secondary_latency_tolerance_us =
		best->params.secondary_latency_tolerance_us;
}

static int answer(const struct quest *quest, const struct ssdpm_apst *from,
		  struct ssdpm_recommendation ret[SSDPM_N_ROUTES],
		  struct ssdpm_error *reterr)
{
	struct ssdpm_apst tables[1 + SSDPM_N_ROUTES] = { { .sent = 0 } };
	struct ssdpm_saving savings[SSDPM_N_ROUTES];
	int r = 0;

	if (from)
		tables[0] = *from;
	else
		r = ssdpm_apst_generate(quest->task.model, &quest->defaults,
					&tables[0], reterr);
	for (uint32_t i = 0; i < SSDPM_N_ROUTES; i++)
		tables[i + 1] = quest->best[i].table;
	if (!r)
		r = ssdpm__savings(&quest->task, quest->parameters,
				   quest->n_parameters, tables,
				   1 + SSDPM_N_ROUTES, savings, reterr);
	for (uint32_t i = 0; i < SSDPM_N_ROUTES && !r; i++)
		fill(&quest->best[i], i + 1, &savings[i], &ret[i]);
	return r;
}

int ssdpm_recommend(
	const struct ssdpm_gaps *gaps, const struct ssdpm_model *model,
	const struct ssdpm_sim_params *params,
	const struct ssdpm_bounds *bounds, const struct ssdpm_apst *from,
	struct ssdpm_recommendation ret_recommendations[SSDPM_N_ROUTES],
	struct ssdpm_error *reterr)
{
	struct quest *quest = calloc(1, sizeof(*quest));
	int r;

	if (!quest)
		return ssdpm__fail(reterr, -ENOMEM, 0, "out of memory");
	r = start(quest, gaps, model, params, bounds, reterr);
	if (!r)
		r = try_routes(quest, reterr);
	if (!r)
		r = answer(quest, from, ret_recommendations, reterr);
	free(quest);
	return r;
}
