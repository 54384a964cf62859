/* SPDX-License-Identifier: MIT */
/* Many tables on one trace. */
#include "recommend/gaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

static int check_task(const struct gaps_task *task, struct ssdpm_error *reterr)
{
	if (!task->gaps->finished)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "gaps: not finished; call "
				   "ssdpm_gaps_finish()");
	if (task->params.loop != SSDPM_LOOP_CLOSED)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "loop: idle times alone say nothing about "
				   "the open loop; simulate it");
	return 0;
}

static int find_values(struct gaps_task *task, struct ssdpm_error *reterr)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	const struct corner nominal = { 0 };
	struct chain chain;
	size_t n;
	int err;

	err = ssdpm__take_parameters(task->model, &task->params, parameters, &n,
				     NULL, reterr);
	if (err)
		return err;
	ssdpm__values(parameters, n, task->params.operational_state, &nominal,
		      &task->values);
	/* Is the operational state one? */
	return ssdpm__chain(task->model, &task->params, &task->values, &chain,
			    reterr);
}

int ssdpm__gaps_drive(const struct ssdpm_gaps *gaps,
		      const struct ssdpm_model *model,
		      const struct ssdpm_sim_params *params,
		      struct gaps_task *ret_task, struct ssdpm_error *reterr)
{
	struct gaps_task task = { .gaps = gaps, .model = model };
	int err = ssdpm__check_params(params, &task.params, reterr);

	task.params.apst = NULL;
	if (!err)
		err = check_task(&task, reterr);
	if (!err)
		err = find_values(&task, reterr);
	task.params.parameters = NULL;
	if (!err)
		*ret_task = task;
	return err;
}

int ssdpm__gaps_task(const struct ssdpm_gaps *gaps,
		     const struct ssdpm_model *model,
		     const struct ssdpm_sim_params *params,
		     struct gaps_task *ret_task, struct ssdpm_error *reterr)
{
	if (ssdpm_model_get_info(model)->kind != SSDPM_KIND_NVME)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "not an NVMe drive: only these have tables");
	return ssdpm__gaps_drive(gaps, model, params, ret_task, reterr);
}

size_t ssdpm__sleep_states(const struct gaps_task *task,
			   uint32_t states[SSDPM_MAX_STATES])
{
	size_t n_states, n = 0;
	const struct ssdpm_power_state *all =
		ssdpm_model_get_states(task->model, &n_states);

	for (uint32_t i = task->params.operational_state + 1; i < n_states; i++)
		if (all[i].flags & SSDPM_STATE_NON_OPERATIONAL)
			states[n++] = i;
	return n;
}

uint64_t ssdpm__state_power_uw(const struct gaps_task *task, uint32_t state)
{
	uint64_t power_uw = task->values.idle_power_uw[state];

	if (state != task->params.operational_state)
		power_uw += task->values.link_power_uw;
	return power_uw;
}

static int run_tables(struct gaps_task *task, const struct ssdpm_apst *tables,
		      size_t n, struct ssdpm_run *runs,
		      struct ssdpm_error *reterr)
{
	struct delays delays;
	int err = ssdpm__delays_new(task->gaps, &delays, reterr);

	if (err)
		return err;
	for (size_t i = 0; i < n && !err; i++) {
		struct chain chain;

		task->params.apst = &tables[i];
		err = ssdpm__chain(task->model, &task->params, &task->values,
				   &chain, reterr);
		if (!err)
			err = ssdpm__gaps_run(task, &chain, &delays, &runs[i],
					      NULL, reterr);
	}
	ssdpm__delays_free(&delays);
	return err;
}

/* Those of the caller may be longer or shorter than those of this library. */
static void give_runs(const struct ssdpm_gaps_runs *to,
		      const struct ssdpm_run *made)
{
	const size_t size = to->runs->size;
	char *at = (char *)to->runs;

	for (size_t i = 0; i < to->n_tables; i++, at += size) {
		memcpy(at, &size, sizeof(size));
		ssdpm__sized_out(at, &made[i], sizeof(made[i]));
	}
}

int ssdpm_gaps_sweep(const struct ssdpm_gaps *gaps,
		     const struct ssdpm_model *model,
		     const struct ssdpm_sim_params *params,
		     const struct ssdpm_gaps_runs *runs,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_gaps_runs given = { .size = sizeof(given) };
	struct gaps_task task;
	struct ssdpm_run *made;
	int err;

	err = ssdpm__sized_in(&given, sizeof(given), runs, "ssdpm_gaps_runs",
			      reterr);
	if (!err && given.n_tables)
		err = ssdpm__sized_check(given.runs, sizeof(*made), "ssdpm_run",
					 reterr);
	if (!err)
		err = ssdpm__gaps_task(gaps, model, params, &task, reterr);
	if (err || !given.n_tables)
		return err;
	/* A failure leaves all runs alone. */
	made = calloc(given.n_tables, sizeof(*made));
	if (!made)
		return ssdpm__fail(reterr, -ENOMEM, 0,
				   "gaps: no memory for %zu runs",
				   given.n_tables);
	err = run_tables(&task, given.tables, given.n_tables, made, reterr);
	if (!err)
		give_runs(&given, made);
	free(made);
	return err;
}
