/* SPDX-License-Identifier: MIT */
/*
 * Under the parameters of nvme_core, Linux reaches finitely many sets of at
 * most two states, at any idle times. The search for the best table finds the
 * best idle times of each set on a drive without other states. The legacy rule
 * is one more finite set of tables.
 */
#include "recommend/internal.h"

#include <string.h>

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

/*
 * Adds the set of states to which parameters lead. If it is known, those with
 * the most defaults stay.
 */
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
	int err =
		ssdpm_apst_generate(quest->task.model, params, &table, reterr);

	if (err)
		return err;
	reach.states = follow(&table, quest->task.params.operational_state);
	same = find_reach(quest, reach.states);
	if (!same)
		quest->reaches[quest->n_reaches++] = reach;
	else if (reach.n_changed < same->n_changed)
		*same = reach;
	return 0;
}

/* One value of a parameter for each table that it can make. */
struct reach_steps {
	uint64_t values[SSDPM_APST_MAX_STEPS];
	size_t n;
};

static void find_steps(const struct quest *quest, uint32_t step,
		       uint64_t preferred, struct reach_steps *ret_steps)
{
	ret_steps->n =
		ssdpm_apst_get_steps(quest->task.model, step, preferred,
				     ret_steps->values, SSDPM_APST_MAX_STEPS);
}

/*
 * Tries each secondary tolerance, and none, with one limit and primary
 * tolerance.
 */
static int add_secondaries(struct quest *quest, struct ssdpm_apst_params params,
			   struct ssdpm_error *reterr)
{
	uint64_t usual = quest->defaults.secondary_latency_tolerance_us;
	struct reach_steps tolerances;
	int err = 0;

	find_steps(quest, SSDPM_APST_STEP_TOLERANCE, usual, &tolerances);
	for (size_t i = 0; i < tolerances.n && !err; i++) {
		params.secondary_latency_tolerance_us = tolerances.values[i];
		err = add_reach(quest, &params, reterr);
	}
	params.secondary_latency_tolerance_us = usual;
	params.secondary_timeout_ms = 0;
	return err ? err : add_reach(quest, &params, reterr);
}

/* Finds every set of states that the two idle times can lead to. */
static int find_reaches(struct quest *quest, struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params params = quest->defaults;
	struct reach_steps limits, tolerances;
	int err = 0;

	find_steps(quest, SSDPM_APST_STEP_LIMIT, params.max_exit_latency_us,
		   &limits);
	find_steps(quest, SSDPM_APST_STEP_TOLERANCE,
		   params.primary_latency_tolerance_us, &tolerances);
	for (size_t i = 0; i < limits.n * tolerances.n && !err; i++) {
		params.max_exit_latency_us = limits.values[i / tolerances.n];
		params.primary_latency_tolerance_us =
			tolerances.values[i % tolerances.n];
		err = add_secondaries(quest, params, reterr);
	}
	return err;
}

/* The parameters of a drive that stays awake in these states. */
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

/* A drive that can only sleep in these states, and its parameters. */
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

/* Considers the parameters of Linux for the idle times of a table. */
static int consider_times(struct quest *quest, const struct ssdpm_apst *table,
			  bool *ret_reached, struct ssdpm_error *reterr)
{
	uint32_t state = quest->task.params.operational_state;
	struct reach *reach = find_reach(quest, follow(table, state));
	const struct ssdpm_apst_entry *first = &table->entries[state];
	const struct ssdpm_apst_entry *second = &table->entries[first->target];
	struct ssdpm_apst_params params;
	struct ssdpm_apst made;
	int err;

	*ret_reached = reach;
	if (!reach || !first->idle_ms)
		return 0;
	params = reach->params;
	err = ssdpm_apst_generate(quest->task.model, &params, &made, reterr);
	if (err)
		return err;
	/*
	 * The two default timeouts differ, and thus tell which one leads there.
	 */
	if (made.entries[state].idle_ms == params.primary_timeout_ms)
		params.primary_timeout_ms = first->idle_ms;
	else
		params.secondary_timeout_ms = first->idle_ms;
	if (second->idle_ms)
		params.secondary_timeout_ms = second->idle_ms;
	return ssdpm__quest_consider(quest, SSDPM_ROUTE_NVME_CORE, &params,
				     reterr);
}

/* A search that may leave states out has also found the best of fewer. */
static void mark_solved(struct quest *quest, uint32_t states)
{
	for (uint32_t i = 0; i < quest->n_reaches; i++)
		if (!(quest->reaches[i].states & ~states))
			quest->reaches[i].solved = true;
}

/* Finds the best idle times for the states of one set. */
static int try_reach(struct quest *quest, uint32_t states,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_model *model;
	struct ssdpm_apst table;
	bool reached;
	size_t n;
	int err = make_other(quest, states, &model, parameters, &n, reterr);

	if (err)
		return err;
	err = ssdpm__quest_search(quest, model, parameters, n,
				  (uint32_t)__builtin_popcount(states), &table,
				  reterr);
	ssdpm_model_unref(model);
	if (!err)
		err = consider_times(quest, &table, &reached, reterr);
	if (!err && reached)
		mark_solved(quest, states);
	return err;
}

/* Tries all sets of this many states. */
static int try_reaches(struct quest *quest, int n_states,
		       struct ssdpm_error *reterr)
{
	int err = 0;

	for (uint32_t i = 0; i < quest->n_reaches && !err; i++) {
		const struct reach *reach = &quest->reaches[i];

		if (!reach->solved &&
		    __builtin_popcount(reach->states) == n_states)
			err = try_reach(quest, reach->states, reterr);
	}
	return err;
}

int ssdpm__quest_nvme_core(struct quest *quest, struct ssdpm_error *reterr)
{
	uint32_t max = quest->bounds.max_states == 1 ? 1 : 2;
	struct ssdpm_apst table;
	bool reached = false;
	int err = ssdpm__quest_limits(quest, SSDPM_ROUTE_NVME_CORE, false,
				      reterr);

	if (!err)
		err = ssdpm__quest_limits(quest, SSDPM_ROUTE_NVME_CORE, true,
					  reterr);
	if (!err)
		err = find_reaches(quest, reterr);
	if (!err)
		err = ssdpm__quest_search(
			quest, quest->task.model, quest->parameters,
			quest->n_parameters, max, &table, reterr);
	if (!err)
		err = consider_times(quest, &table, &reached, reterr);
	/* If the best of all tables can be reached, it is the answer. */
	for (uint32_t n = max; n && !err && !reached; n--)
		err = try_reaches(quest, (int)n, reterr);
	return err;
}
