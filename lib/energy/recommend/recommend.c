/* SPDX-License-Identifier: MIT */
/*
 * Finds the best setting of each route. A limit alone makes finitely many
 * tables of Linux. recommend-reach.c searches what the parameters of nvme_core
 * reach. A raw table can be any.
 */
#include "likely/internal.h"
#include "recommend/bounds.h"
#include "recommend/internal.h"

#include "base/internal.h"
#include "base/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct ssdpm_recommendations {
	struct ssdpm_recommendation routes[N_ROUTES];
	struct outcome outcomes[N_ROUTES];
	size_t n;
};

static uint32_t states_of(const struct chain *chain)
{
	uint32_t states = 0;

	for (uint32_t i = 0; i < chain->n; i++)
		states |= 1u << chain->steps[i].state;
	return states;
}

static bool keeps_bounds(const struct ssdpm_bounds *bounds,
			 const struct chain *chain, const struct ssdpm_run *run)
{
	if (bounds->max_states && chain->n > bounds->max_states)
		return false;
	return ssdpm__longest_exit_us(chain) <= bounds->max_exit_latency_us &&
	       ssdpm__keeps_delays(bounds, run);
}

/* Less energy; then less delay, longer idle times, shallower states. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
	if (!wide_is_equal(a->fj, b->fj))
		return wide_is_less(a->fj, b->fj);
	if (a->run.delay_sum_ns != b->run.delay_sum_ns)
		return a->run.delay_sum_ns < b->run.delay_sum_ns;
	for (uint32_t i = 0; i < a->chain.n && i < b->chain.n; i++)
		if (a->chain.steps[i].at_ns != b->chain.steps[i].at_ns)
			return a->chain.steps[i].at_ns >
			       b->chain.steps[i].at_ns;
	return states_of(&a->chain) < states_of(&b->chain);
}

/* Runs the table of a candidate. */
static int run_table(struct quest *quest, struct candidate *candidate,
		     struct ssdpm_error *reterr)
{
	struct gaps_task *task = &quest->task;
	int err;

	task->params.apst = &candidate->table;
	err = ssdpm__chain(task->model, &task->params, &task->values,
			   &candidate->chain, reterr);
	task->params.apst = NULL;
	return err ? err :
		     ssdpm__gaps_run(task, &candidate->chain, &quest->delays,
				     &candidate->run, &candidate->fj, reterr);
}

/* Runs quest->now.table, and keeps it if it is the best of its route so far. */
static int consider_table(struct quest *quest, uint32_t route,
			  struct ssdpm_error *reterr)
{
	struct candidate *now = &quest->now, *best = &quest->best[route - 1];
	int err = run_table(quest, now, reterr);

	if (err || !keeps_bounds(&quest->bounds, &now->chain, &now->run))
		return err;
	now->found = true;
	if (!best->found || is_better(now, best))
		*best = *now;
	if (route == SSDPM_ROUTE_LATENCY_LIMIT && quest->n_limits < MAX_LIMITS)
		quest->limits[quest->n_limits++] = *now;
	return 0;
}

int ssdpm__quest_consider(struct quest *quest, uint32_t route,
			  const struct ssdpm_apst_params *params,
			  struct ssdpm_error *reterr)
{
	struct candidate *now = &quest->now;
	int err = ssdpm_apst_generate(quest->task.model, params, &now->table,
				      reterr);

	if (err)
		return err;
	/*
	 * The legacy rule sends idle times of 0 for states without latencies;
	 * no drive ever goes there.
	 */
	if (ssdpm_apst_validate(quest->task.model, &now->table, NULL))
		return 0;
	now->params = *params;
	return consider_table(quest, route, reterr);
}

int ssdpm__quest_limits(struct quest *quest, uint32_t route, bool legacy,
			struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params params = route == SSDPM_ROUTE_LATENCY_LIMIT ?
						  quest->kernel :
						  quest->defaults;
	uint64_t limits[SSDPM_APST_MAX_STEPS];
	size_t n;
	int err;

	if (legacy)
		params.primary_timeout_ms = 0;
	err = ssdpm__quest_consider(quest, route, &params, reterr);
	n = ssdpm_apst_get_steps(quest->task.model, SSDPM_APST_STEP_LIMIT,
				 params.max_exit_latency_us, limits,
				 SSDPM_APST_MAX_STEPS);
	for (size_t i = 0; i < n && !err; i++) {
		params.max_exit_latency_us = limits[i];
		err = ssdpm__quest_consider(quest, route, &params, reterr);
	}
	return err;
}

int ssdpm__quest_search(const struct quest *quest,
			const struct ssdpm_model *model,
			const struct ssdpm_parameter *parameters, size_t n,
			uint32_t max_states, struct ssdpm_apst *ret_table,
			struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params params = quest->task.params;
	struct ssdpm_best_table best = { .size = sizeof(best) };
	struct ssdpm_bounds bounds = quest->bounds;
	int err;

	params.parameters = parameters;
	params.n_parameters = n;
	if (max_states)
		bounds.max_states = max_states;
	err = ssdpm_gaps_best_table(quest->task.gaps, model, &params, &bounds,
				    &best, reterr);
	if (!err)
		*ret_table = best.table;
	return err;
}

static int try_raw_table(struct quest *quest, struct ssdpm_error *reterr)
{
	struct candidate *now = &quest->now;
	int err = ssdpm_apst_generate(quest->task.model, &quest->defaults,
				      &now->table, reterr);

	now->params = quest->defaults;
	if (!err && now->table.enabled)
		err = ssdpm__quest_search(
			quest, quest->task.model, quest->parameters,
			quest->n_parameters, 0, &now->table, reterr);
	return err ? err : consider_table(quest, SSDPM_ROUTE_RAW_TABLE, reterr);
}

static const struct ssdpm_bounds unbounded = {
	.size = sizeof(unbounded),
	.max_delay_mean_ns = UINT64_MAX,
	.max_delay_p99_ns = UINT64_MAX,
	.max_exit_latency_us = UINT64_MAX,
};

static int read_bounds(const struct ssdpm_bounds *from,
		       struct ssdpm_bounds *ret, struct ssdpm_error *reterr)
{
	int err;

	*ret = unbounded;
	err = ssdpm__sized_in(ret, sizeof(*ret), from, "ssdpm_bounds", reterr);
	if (err)
		return err;
	if (ret->patience && !ssdpm_patience_to_string(ret->patience))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_bounds: patience: %u is unknown",
				   ret->patience);
	if (ret->flags &
	    ~(uint32_t)(SSDPM_BOUNDS_MAY_COST | SSDPM_BOUNDS_OWN_MEAN |
			SSDPM_BOUNDS_OWN_P99 | SSDPM_BOUNDS_OWN_EXIT |
			SSDPM_BOUNDS_NO_RAW_TABLE | SSDPM_BOUNDS_IN_FORCE))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_bounds: flags: 0x%x has unknown bits",
				   ret->flags);
	if (ret->flags & SSDPM_BOUNDS_IN_FORCE && !ret->kernel)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"ssdpm_bounds: flags: what is in force needs "
			"a kernel");
	return 0;
}

/* The kernel of the bounds. */
static int read_kernel(const struct ssdpm_bounds *bounds,
		       struct ssdpm_apst_params *ret,
		       struct ssdpm_error *reterr)
{
	int err;

	ssdpm_apst_params_init(ret, sizeof(*ret));
	err = ssdpm__sized_in(ret, sizeof(*ret), bounds->kernel,
			      "ssdpm_apst_params", reterr);
	if (!err && ret->algorithm != SSDPM_APST_LINUX &&
	    ret->algorithm != SSDPM_APST_LINUX_LEGACY)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "ssdpm_bounds: kernel: its algorithm is not "
				  "that of Linux");
	return err;
}

/* The run of what this kernel does by default on an NVMe drive. */
static int run_default(const struct ssdpm_gaps *gaps,
		       const struct ssdpm_model *model,
		       const struct ssdpm_sim_params *params,
		       const struct ssdpm_bounds *bounds,
		       struct ssdpm_run *ret_run, struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params kernel, usual;
	struct ssdpm_apst table;
	const struct ssdpm_gaps_runs runs = {
		.size = sizeof(runs),
		.tables = &table,
		.n_tables = 1,
		.runs = ret_run,
	};
	int err = read_kernel(bounds, &kernel, reterr);

	ssdpm_apst_params_init(&usual, sizeof(usual));
	usual.algorithm = kernel.algorithm;
	usual.quirks = bounds->quirks;
	if (!err)
		err = ssdpm_apst_generate(model, &usual, &table, reterr);
	return err ? err : ssdpm_gaps_sweep(gaps, model, params, &runs, reterr);
}

int ssdpm_gaps_get_default_bounds(const struct ssdpm_gaps *gaps,
				  const struct ssdpm_model *model,
				  const struct ssdpm_sim_params *params,
				  const struct ssdpm_bounds *from,
				  struct ssdpm_bounds *ret_bounds,
				  struct ssdpm_error *reterr)
{
	struct ssdpm_run run = { .size = sizeof(run) };
	struct ssdpm_bounds given, bounds;
	int err;

	err = ssdpm__sized_check(ret_bounds, sizeof(bounds), "ssdpm_bounds",
				 reterr);
	if (!err)
		err = read_bounds(from, &given, reterr);
	if (err)
		return err;
	if (ssdpm_model_get_info(model)->kind == SSDPM_KIND_NVME)
		err = run_default(gaps, model, params, &given, &run, reterr);
	else
		err = ssdpm__link_default(gaps, model, params, &run, reterr);
	if (err)
		return err;
	if (!given.patience)
		given.patience = SSDPM_PATIENCE_NORMAL;
	bounds = ssdpm__default_bounds(given.patience, &run);
	if (given.flags & SSDPM_BOUNDS_OWN_MEAN)
		bounds.max_delay_mean_ns = given.max_delay_mean_ns;
	if (given.flags & SSDPM_BOUNDS_OWN_P99)
		bounds.max_delay_p99_ns = given.max_delay_p99_ns;
	if (given.flags & SSDPM_BOUNDS_OWN_EXIT)
		bounds.max_exit_latency_us = given.max_exit_latency_us;
	bounds.max_states = given.max_states;
	bounds.quirks = given.quirks;
	bounds.flags |= given.flags;
	bounds.patience = given.patience;
	bounds.kernel = given.kernel;
	ssdpm__sized_out(ret_bounds, &bounds, sizeof(bounds));
	return 0;
}

static int start_bounds(struct quest *quest, const struct ssdpm_gaps *gaps,
			const struct ssdpm_sim_params *params,
			const struct ssdpm_bounds *bounds,
			struct ssdpm_error *reterr)
{
	int err = read_bounds(bounds, &quest->bounds, reterr);

	if (err || bounds)
		return err;
	err = ssdpm_quirks_find(quest->task.model, NULL, &quest->bounds.quirks,
				NULL, reterr);
	return err ? err :
		     ssdpm_gaps_get_default_bounds(gaps, quest->task.model,
						   params, &quest->bounds,
						   &quest->bounds, reterr);
}

static int start(struct quest *quest, const struct ssdpm_gaps *gaps,
		 const struct ssdpm_model *model,
		 const struct ssdpm_sim_params *params,
		 const struct ssdpm_bounds *bounds, struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params given;
	int err = ssdpm__gaps_drive(gaps, model, params, &quest->task, reterr);

	/* The task has only nominal values; savings need all of them. */
	if (!err)
		err = ssdpm__check_params(params, &given, reterr);
	if (!err)
		err = start_bounds(quest, gaps, params, bounds, reterr);
	if (!err)
		err = read_kernel(&quest->bounds, &quest->kernel, reterr);
	if (err)
		return err;
	ssdpm_apst_params_init(&quest->defaults, sizeof(quest->defaults));
	quest->defaults.quirks = quest->bounds.quirks;
	quest->made_of = quest->kernel;
	quest->kernel.quirks = quest->bounds.quirks;
	quest->kernel.max_exit_latency_us = quest->defaults.max_exit_latency_us;
	quest->from = given.apst;
	quest->lpm = given.lpm;
	return ssdpm__take_parameters(model, &given, quest->parameters,
				      &quest->n_parameters, &quest->order,
				      reterr);
}

static int run_today(struct quest *quest, struct ssdpm_error *reterr)
{
	struct candidate *today = &quest->today;
	int err = 0;

	if (quest->from)
		today->table = *quest->from;
	else
		err = ssdpm_apst_generate(quest->task.model, &quest->kernel,
					  &today->table, reterr);
	if (!err)
		err = run_table(quest, today, reterr);
	if (!err)
		today->found = keeps_bounds(&quest->bounds, &today->chain,
					    &today->run);
	return err;
}

static bool has_raw_table(const struct quest *quest)
{
	return !(quest->bounds.flags & SSDPM_BOUNDS_NO_RAW_TABLE);
}

static int try_routes(struct quest *quest, struct ssdpm_error *reterr)
{
	int err = ssdpm__delays_new(quest->task.gaps, &quest->delays, reterr);

	if (err)
		return err;
	err = run_today(quest, reterr);
	if (!err)
		err = ssdpm__quest_limits(quest, SSDPM_ROUTE_LATENCY_LIMIT,
					  false, reterr);
	if (!err && quest->task.params.flags & SSDPM_SIM_LIKELY)
		err = ssdpm__quest_rank_limits(quest, reterr);
	if (!err && quest->kernel.algorithm == SSDPM_APST_LINUX)
		err = ssdpm__quest_nvme_core(quest, reterr);
	if (!err && has_raw_table(quest))
		err = try_raw_table(quest, reterr);
	ssdpm__delays_free(&quest->delays);
	return err;
}

/*
 * Whether the drive does the same as today for all unknown values. Equal sums
 * of delays have equal means.
 */
static bool is_same(const struct candidate *today, const struct candidate *best,
		    const struct ssdpm_saving *s)
{
	return today->found && !s->low_nj && !s->high_nj && !s->low_uw &&
	       !s->high_uw && today->run.delay_sum_ns == best->run.delay_sum_ns;
}

/* It likely costs; without likely savings, it nominally costs. */
static bool costs(const struct outcome *outcome)
{
	switch (outcome->likely.size ? outcome->likely.verdict : 0) {
	case 0:
		return outcome->saving.nominal_nj < 0;
	case SSDPM_SAVING_NOT_DECIDED:
		return outcome->likely.median_uw < 0;
	case SSDPM_SAVING_PROBABLY_COSTS:
	case SSDPM_SAVING_COSTS:
		return true;
	default:
		return false;
	}
}

/* The saving is too small to matter, or nothing decides what it is. */
static bool is_idle_change(const struct ssdpm_likely *likely)
{
	return likely->verdict == SSDPM_SAVING_TOO_SMALL ||
	       likely->verdict == SSDPM_SAVING_NOT_DECIDED;
}

static uint32_t judge(const struct quest *quest, const struct candidate *best,
		      const struct outcome *outcome)
{
	if (!best->found)
		return SSDPM_ADVICE_NONE;
	if (is_same(&quest->today, best, &outcome->saving))
		return SSDPM_ADVICE_KEEP;
	/* Latency is worth power only if the caller allows that. */
	if (quest->bounds.flags & SSDPM_BOUNDS_MAY_COST && !quest->today.found)
		return SSDPM_ADVICE_SET;
	if (quest->today.found && outcome->likely.size &&
	    is_idle_change(&outcome->likely))
		return SSDPM_ADVICE_KEEP;
	if (costs(outcome))
		return SSDPM_ADVICE_COSTS;
	return outcome->likely.size && outcome->likely.verdict ==
					       SSDPM_SAVING_NOT_DECIDED ?
		       SSDPM_ADVICE_KEEP :
		       SSDPM_ADVICE_SET;
}

/* Safe data matter more than any delay, so that the bounds may be exceeded. */
static uint32_t how_kept(const struct quest *quest,
			 const struct outcome *outcome)
{
	const uint32_t open_axes =
		ssdpm__open_axes(quest->parameters, quest->n_parameters,
				 quest->order.operational_state);
	const uint32_t times = 1u << (SSDPM_AXIS_LATENCY - 1) |
			       1u << (SSDPM_AXIS_LINK_IDLE_TIME - 1);

	if (!ssdpm__keeps_delays(&quest->bounds, &outcome->run))
		return SSDPM_KEPT_NOT;
	/* Percentiles of the possible run are exact only to 1/128. */
	return !(open_axes & times) ||
			       keeps_bounds(&quest->bounds, &outcome->slow,
					    &outcome->high) ?
		       SSDPM_KEPT_SURELY :
		       SSDPM_KEPT_NOMINALLY;
}

static struct ssdpm_saving expected_of(const struct outcome *outcome)
{
	const struct ssdpm_likely *likely = &outcome->likely;

	if (!likely->size)
		return outcome->saving;
	return (struct ssdpm_saving){
		.low_nj = likely->low_nj,
		.nominal_nj = likely->median_nj,
		.high_nj = likely->high_nj,
		.low_uw = likely->low_uw,
		.nominal_uw = likely->median_uw,
		.high_uw = likely->high_uw,
	};
}

void ssdpm__fill_outcome(const struct quest *quest, const struct outcome *kept,
			 struct ssdpm_recommendation *ret)
{
	ret->possible = 1;
	ret->kept = how_kept(quest, kept);
	ret->run = &kept->run;
	ret->low = &kept->low;
	ret->high = &kept->high;
	ret->saving = kept->saving;
	ret->likely = kept->likely.size ? &kept->likely : NULL;
	ret->expected = expected_of(kept);
}

/* Whether Linux would build that table of the settings of today. */
static bool is_made_of_today(const struct quest *quest,
			     const struct ssdpm_apst *table)
{
	struct ssdpm_apst made;

	return quest->bounds.flags & SSDPM_BOUNDS_IN_FORCE &&
	       !ssdpm_apst_generate(quest->task.model, &quest->made_of, &made,
				    NULL) &&
	       !memcmp(&made, table, sizeof(made));
}

/* What to set for a table of Linux. */
static void fill_params(const struct ssdpm_apst_params *params,
			struct ssdpm_recommendation *ret)
{
	ret->limit_us = params->max_exit_latency_us;
	ret->primary_timeout_ms = params->primary_timeout_ms;
	ret->primary_latency_tolerance_us =
		params->primary_latency_tolerance_us;
	ret->secondary_timeout_ms = params->secondary_timeout_ms;
	ret->secondary_latency_tolerance_us =
		params->secondary_latency_tolerance_us;
}

static void fill(const struct quest *quest, uint32_t route,
		 const struct outcome *outcome,
		 struct ssdpm_recommendations *found)
{
	const struct candidate *best = &quest->best[route - 1];
	struct ssdpm_recommendation *ret = &found->routes[route - 1];
	struct outcome *kept = &found->outcomes[route - 1];

	*ret = (struct ssdpm_recommendation){
		.route = route,
		.advice = judge(quest, best, outcome),
		.today_keeps_bounds = quest->today.found,
	};
	if (!best->found)
		return;
	*kept = *outcome;
	ssdpm__fill_outcome(quest, kept, ret);
	ret->apst = best->table;
	if (route == SSDPM_ROUTE_RAW_TABLE)
		return;
	fill_params(&best->params, ret);
	if (ret->advice != SSDPM_ADVICE_SET ||
	    !is_made_of_today(quest, &best->table))
		return;
	ret->advice = SSDPM_ADVICE_REBUILD;
	fill_params(&quest->made_of, ret);
}

size_t ssdpm__number_of(const struct ssdpm_apst *table,
			struct ssdpm_apst *tables, size_t *n_tables)
{
	for (size_t i = 0; i < *n_tables; i++)
		if (!memcmp(table, &tables[i], sizeof(*table)))
			return i;
	tables[*n_tables] = *table;
	return (*n_tables)++;
}

/* Compares the medians of likely savings, or else nominal energies. */
static bool saves_more(const struct outcome *a, const struct outcome *b)
{
	return a->likely.size && b->likely.size ?
		       a->likely.median_nj > b->likely.median_nj :
		       a->run.energy_nj < b->run.energy_nj;
}

/* A later route reaches all that an earlier one reaches. */
static void hand_down(struct quest *quest, const struct outcome *outcomes,
		      size_t *of)
{
	for (uint32_t i = 1; i < N_ROUTES; i++)
		if (quest->best[i - 1].found &&
		    (!quest->best[i].found ||
		     saves_more(&outcomes[of[i - 1]], &outcomes[of[i]]))) {
			quest->best[i] = quest->best[i - 1];
			of[i] = of[i - 1];
		}
}

static int answer(struct quest *quest, struct ssdpm_recommendations *ret,
		  struct ssdpm_error *reterr)
{
	struct outcome outcomes[1 + N_ROUTES] = { 0 };
	struct ssdpm_apst tables[1 + N_ROUTES] = { quest->today.table };
	struct rivals rivals = {
		.drive = { quest->parameters, quest->n_parameters,
			   quest->order },
		.tables = tables,
		.n = 1,
		.n_from = 1,
	};
	size_t of[N_ROUTES];
	int err;

	for (uint32_t i = 0; i < N_ROUTES; i++)
		of[i] = quest->best[i].found ?
				ssdpm__number_of(&quest->best[i].table, tables,
						 &rivals.n) :
				0;
	err = ssdpm__savings(&quest->task, &rivals, outcomes, reterr);
	if (!err && quest->task.params.flags & SSDPM_SIM_LIKELY)
		err = ssdpm__likely_savings(&quest->task, &rivals, outcomes,
					    reterr);
	if (err)
		return err;
	hand_down(quest, outcomes, of);
	ret->n = has_raw_table(quest) ? N_ROUTES : SSDPM_ROUTE_RAW_TABLE - 1;
	for (uint32_t i = 0; i < ret->n; i++)
		fill(quest, i + 1, &outcomes[of[i]], ret);
	return 0;
}

static int find_routes(struct quest *quest, struct ssdpm_recommendations *found,
		       struct ssdpm_error *reterr)
{
	int err = try_routes(quest, reterr);

	return err ? err : answer(quest, found, reterr);
}

static int find_link(struct quest *quest, struct ssdpm_recommendations *found,
		     struct ssdpm_error *reterr)
{
	found->n = 1;
	return ssdpm__quest_link(quest, found->routes, found->outcomes, reterr);
}

int ssdpm_recommend(const struct ssdpm_gaps *gaps,
		    const struct ssdpm_model *model,
		    const struct ssdpm_sim_params *params,
		    const struct ssdpm_bounds *bounds,
		    struct ssdpm_recommendations **ret_recommendations,
		    struct ssdpm_error *reterr)
{
	struct ssdpm_recommendations *found = calloc(1, sizeof(*found));
	struct quest *quest = calloc(1, sizeof(*quest));
	int err = found && quest ? 0 : ssdpm__no_memory(reterr);

	if (!err)
		err = start(quest, gaps, model, params, bounds, reterr);
	if (!err)
		err = ssdpm_model_get_info(model)->kind == SSDPM_KIND_NVME ?
			      find_routes(quest, found, reterr) :
			      find_link(quest, found, reterr);
	if (!err)
		*ret_recommendations = found;
	else
		free(found);
	free(quest);
	return err;
}

const struct ssdpm_recommendation *ssdpm_recommendations_get(
	const struct ssdpm_recommendations *recommendations, size_t index)
{
	return index < recommendations->n ? &recommendations->routes[index] :
					    NULL;
}

struct ssdpm_recommendations *ssdpm_recommendations_free(
	struct ssdpm_recommendations *recommendations)
{
	free(recommendations);
	return NULL;
}

/* A year: what lasts longer is no machine at work, and has a wrong reading. */
#define MOST_BATTERY_H 8760

static bool lasts(double battery_mwh, double system_uw, double saved_uw)
{
	return battery_mwh > 0 && system_uw > 0 && system_uw > saved_uw;
}

static bool lasts_a_year(double battery_mwh, double uw)
{
	return battery_mwh * 1e3 > uw * MOST_BATTERY_H;
}

static double longer_s(double battery_mwh, double system_uw, double saved_uw)
{
	const double uws = battery_mwh * 3600e3;

	return uws / (system_uw - saved_uw) - uws / system_uw;
}

int ssdpm_saving_get_battery_s(const struct ssdpm_saving *saving,
			       double battery_mwh, double system_uw,
			       struct ssdpm_gain *ret_s,
			       struct ssdpm_error *reterr)
{
	const double low = (double)saving->low_uw;
	const double nominal = (double)saving->nominal_uw;
	const double high = (double)saving->high_uw;

	if (!lasts(battery_mwh, system_uw, low) ||
	    !lasts(battery_mwh, system_uw, nominal) ||
	    !lasts(battery_mwh, system_uw, high))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the drive alone saves the power that was "
				   "given for the system");
	if (lasts_a_year(battery_mwh, system_uw - high))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "the battery would last longer than a year");
	ret_s->low = longer_s(battery_mwh, system_uw, low);
	ret_s->nominal = longer_s(battery_mwh, system_uw, nominal);
	ret_s->high = longer_s(battery_mwh, system_uw, high);
	return 0;
}

void ssdpm_saving_get_year_wh(const struct ssdpm_saving *saving,
			      double hours_per_day, struct ssdpm_gain *ret_wh)
{
	ret_wh->low = (double)saving->low_uw * hours_per_day * 365 / 1e6;
	ret_wh->nominal =
		(double)saving->nominal_uw * hours_per_day * 365 / 1e6;
	ret_wh->high = (double)saving->high_uw * hours_per_day * 365 / 1e6;
}

static const char advice_words[][8] = {
	[SSDPM_ADVICE_SET] = "set",	    [SSDPM_ADVICE_KEEP] = "keep",
	[SSDPM_ADVICE_COSTS] = "costs",	    [SSDPM_ADVICE_NONE] = "none",
	[SSDPM_ADVICE_REBUILD] = "rebuild",
};
ENUM_WORDS(advice)

static const char kept_words[][10] = {
	[SSDPM_KEPT_SURELY] = "surely",
	[SSDPM_KEPT_NOMINALLY] = "nominally",
	[SSDPM_KEPT_NOT] = "not",
};
ENUM_WORDS(kept)

static const char route_words[][14] = {
	[SSDPM_ROUTE_LATENCY_LIMIT] = "latency-limit",
	[SSDPM_ROUTE_NVME_CORE] = "nvme-core",
	[SSDPM_ROUTE_RAW_TABLE] = "raw-table",
	[SSDPM_ROUTE_LINK_POLICY] = "link-policy",
};
ENUM_WORDS(route)

static const char bounds_flag_words[][13] = {
	[FLAG(SSDPM_BOUNDS_MAY_COST)] = "may-cost",
	[FLAG(SSDPM_BOUNDS_OWN_MEAN)] = "own-mean",
	[FLAG(SSDPM_BOUNDS_OWN_P99)] = "own-p99",
	[FLAG(SSDPM_BOUNDS_OWN_EXIT)] = "own-exit",
	[FLAG(SSDPM_BOUNDS_NO_RAW_TABLE)] = "no-raw-table",
	[FLAG(SSDPM_BOUNDS_IN_FORCE)] = "in-force",
};
FLAG_WORDS(bounds_flag)
