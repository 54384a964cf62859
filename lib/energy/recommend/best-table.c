/* SPDX-License-Identifier: MIT */
/* The static table of least energy under bounds. */
#include "recommend/best-table.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"

static const struct ssdpm_bounds defaults = {
	.size = sizeof(defaults),
	.max_delay_mean_ns = UINT64_MAX,
	.max_delay_p99_ns = UINT64_MAX,
	.max_exit_latency_us = UINT64_MAX,
};

static int check_bounds(const struct ssdpm_bounds *given,
			struct ssdpm_bounds *ret_bounds,
			struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params kernel;
	int err = 0;

	*ret_bounds = defaults;
	if (given)
		err = ssdpm__sized_in(ret_bounds, sizeof(*ret_bounds), given,
				      "ssdpm_bounds", reterr);
	/* The search is over all tables; a kernel has to be valid all the same.
	 */
	if (!err)
		err = ssdpm__sized_in(&kernel, sizeof(kernel),
				      ret_bounds->kernel, "ssdpm_apst_params",
				      reterr);
	if (err)
		return err;
	if (!ret_bounds->max_states)
		ret_bounds->max_states = 2;
	if (ret_bounds->max_states >= SSDPM_MAX_STATES)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "max_states is %u: there are at most %u",
				   ret_bounds->max_states,
				   SSDPM_MAX_STATES - 1);
	for (uint32_t left = ret_bounds->quirks; left; left &= left - 1)
		if (!ssdpm_quirk_to_string(left & -left))
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "unknown bits in quirks 0x%x",
					   ret_bounds->quirks);
	return 0;
}

/* No table at all: the drive has no APST, or must not use it. */
static bool is_off(const struct gaps_task *task,
		   const struct ssdpm_bounds *bounds, struct ssdpm_apst *table)
{
	const struct ssdpm_model_info *info = ssdpm_model_get_info(task->model);
	bool has_apst = info->unknown & SSDPM_INFO_APSTA || info->apsta;

	*table = (struct ssdpm_apst){ .sent = has_apst };
	return !has_apst || bounds->quirks & SSDPM_QUIRK_NO_APST;
}

static void begin(struct best_search *search, const struct gaps_task *task,
		  const struct ssdpm_bounds *bounds)
{
	uint32_t states[SSDPM_MAX_STATES];
	size_t n = ssdpm__sleep_states(task, states), n_states;
	uint64_t n_ios = 0;

	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		n_ios += task->gaps->intake.n_ios[op];
	*search = (struct best_search){
		.task = task,
		.limits = { .delay_ns = { .high = NO_LIMIT_HIGH },
			    .beyond = INT64_MAX,
			    .beyond_ns = bounds->max_delay_p99_ns },
		.max_states = bounds->max_states,
	};
	if (bounds->max_delay_mean_ns != UINT64_MAX)
		search->limits.delay_ns =
			wide_product(bounds->max_delay_mean_ns, n_ios);
	if (bounds->max_delay_p99_ns != UINT64_MAX)
		search->limits.beyond = (int64_t)(n_ios / 100);
	ssdpm_model_get_states(task->model, &n_states);
	for (size_t i = 0; i < n; i++) {
		uint64_t exit_us = task->values.exit_ns[states[i]] / 1000;

		if (exit_us > bounds->max_exit_latency_us ||
		    (bounds->quirks & SSDPM_QUIRK_NO_DEEPEST_PS &&
		     states[i] + 1 == n_states))
			continue;
		search->states[search->n_states++] = states[i];
	}
}

static int run_search(struct best_search *search, struct ssdpm_error *reterr)
{
	int err = ssdpm__search_one(search, reterr);

	if (!err && search->max_states > 1)
		err = ssdpm__search_two(search, reterr);
	if (!err && search->max_states > 2 && search->n_states > 2)
		err = ssdpm__search_more(search, reterr);
	return err;
}

/* A state that the drive is not led to goes on like the one above it. */
struct ssdpm_apst ssdpm__setting_table(const struct setting *setting)
{
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };
	uint32_t state = 0;

	for (uint32_t i = 0; i < setting->n; i++)
		for (; state < setting->states[i]; state++)
			table.entries[state] = (struct ssdpm_apst_entry){
				.idle_ms = setting->ms[i],
				.target = setting->states[i],
			};
	return table;
}

static int run_table(const struct gaps_task *task,
		     const struct ssdpm_apst *table, struct ssdpm_run *run,
		     struct wide *ret_fj, struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params params = task->params;
	struct delays delays;
	struct chain chain;
	int err;

	params.apst = table;
	err = ssdpm__chain(task->model, &params, &task->values, &chain, reterr);
	if (!err)
		err = ssdpm__delays_new(task->gaps, &delays, reterr);
	if (err)
		return err;
	err = ssdpm__gaps_run(task, &chain, &delays, run, ret_fj, reterr);
	ssdpm__delays_free(&delays);
	return err;
}

/* The energy of the run, less what the best table could be better. */
static int find_bound(const struct best_search *search, struct wide run_fj,
		      uint64_t *ret_nj, struct ssdpm_error *reterr)
{
	struct wide least_fj;
	int err = 0;

	if (search->max_states > 2 && search->n_states > 2) {
		err = ssdpm__cost_bound(search, &least_fj, reterr);
		if (err)
			return err;
		run_fj = wide_minus(run_fj,
				    wide_minus(search->best.cost_fj, least_fj));
	}
	wide_add(&run_fj, wide_of(FJ_PER_NJ / 2));
	*ret_nj = ssdpm__wide_divide(run_fj, FJ_PER_NJ, NULL).low;
	return err;
}

int ssdpm_gaps_best_table(const struct ssdpm_gaps *gaps,
			  const struct ssdpm_model *model,
			  const struct ssdpm_sim_params *params,
			  const struct ssdpm_bounds *bounds,
			  struct ssdpm_best_table *ret_best,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_best_table best = { .size = sizeof(best) };
	struct best_search search = { 0 };
	struct ssdpm_bounds checked;
	struct gaps_task task;
	struct ssdpm_run run;
	struct wide fj;
	int err;

	err = ssdpm__sized_in(&best, sizeof(best), ret_best, "ssdpm_best_table",
			      reterr);
	if (!err && best.run)
		err = ssdpm__sized_check(best.run, sizeof(run), "ssdpm_run",
					 reterr);
	if (!err)
		err = ssdpm__gaps_task(gaps, model, params, &task, reterr);
	if (!err)
		err = check_bounds(bounds, &checked, reterr);
	if (err)
		return err;
	if (!is_off(&task, &checked, &best.table)) {
		begin(&search, &task, &checked);
		err = run_search(&search, reterr);
		best.table = ssdpm__setting_table(&search.best);
	}
	if (!err)
		err = run_table(&task, &best.table, &run, &fj, reterr);
	if (!err)
		err = find_bound(&search, fj, &best.energy_bound_nj, reterr);
	if (err)
		return err;
	if (best.run)
		ssdpm__sized_out(best.run, &run, sizeof(run));
	ssdpm__sized_out(ret_best, &best, sizeof(best));
	return 0;
}
