/* SPDX-License-Identifier: MIT */
#include "recommend/recommend.h"
#include "estimate/sim.h"

#include <stdlib.h>

#include "base/internal.h"

/* Nominal, low, high: enum corner_value. */
#define N_CORNER_VALUES 3

/* One trace, several tables. */
struct savings {
	struct gaps_task task;
	const struct ssdpm_parameter *parameters;
	size_t n_parameters;
	const struct ssdpm_apst *tables;
	size_t n_tables;
	struct delays delays;
	/* By value of the axis of latency, then by table. */
	struct ssdpm_run *runs;
	bool have[N_CORNER_VALUES];
};

/* The runs of all tables with these latencies. */
static int run_tables(struct savings *savings, uint8_t latency,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_run *runs = savings->runs + latency * savings->n_tables;
	struct gaps_task *task = &savings->task;
	struct corner corner = { { 0 } };
	struct chain chain;
	int err = 0;

	corner.value[SSDPM_AXIS_LATENCY - 1] = latency;
	ssdpm__values(savings->parameters, savings->n_parameters,
		      task->params.operational_state, &corner, &task->values);
	for (size_t i = 0; i < savings->n_tables && !err; i++) {
		task->params.apst = &savings->tables[i];
		err = ssdpm__chain(task->model, &task->params, &task->values,
				   &chain, reterr);
		if (!err)
			err = ssdpm__gaps_run(task, &chain, &savings->delays,
					      &runs[i], NULL, reterr);
	}
	savings->have[latency] = !err;
	return err;
}

static int cost_at(struct savings *savings, const struct corner *corner,
		   size_t table, struct cost *ret_cost,
		   struct ssdpm_error *reterr)
{
	uint8_t latency = corner->value[SSDPM_AXIS_LATENCY - 1];
	uint32_t state = savings->task.params.operational_state;
	struct ssdpm_run run =
		savings->runs[latency * savings->n_tables + table];
	struct values values;
	int err;

	ssdpm__values(savings->parameters, savings->n_parameters, state, corner,
		      &values);
	err = ssdpm__run_energy(&run, &values, state, NULL, reterr);
	*ret_cost = (struct cost){ run.energy_nj, run.mean_power_uw };
	return err;
}

/* All tables at one corner. */
static int add_corner(struct savings *savings, struct corner corner,
		      bool nominal, struct ssdpm_saving *ret_savings,
		      struct ssdpm_error *reterr)
{
	uint8_t latency = corner.value[SSDPM_AXIS_LATENCY - 1];
	struct cost from, to;
	int err = 0;

	if (!savings->have[latency])
		err = run_tables(savings, latency, reterr);
	if (!err)
		err = cost_at(savings, &corner, 0, &from, reterr);
	for (size_t i = 1; i < savings->n_tables && !err; i++) {
		err = cost_at(savings, &corner, i, &to, reterr);
		if (!err)
			err = ssdpm__add_saving(&ret_savings[i - 1], &from, &to,
						nominal, reterr);
	}
	return err;
}

static int add_corners(struct savings *savings,
		       struct ssdpm_saving *ret_savings,
		       struct ssdpm_error *reterr)
{
	uint32_t axes =
		ssdpm__open_axes(savings->parameters, savings->n_parameters,
				 savings->task.params.operational_state) &
		~(1u << (SSDPM_AXIS_SERVICE - 1));
	uint32_t n = (uint32_t)__builtin_popcount(axes);
	int err = add_corner(savings, (struct corner){ 0 }, true, ret_savings,
			     reterr);

	for (uint32_t bits = 0; n && bits < 1u << n && !err; bits++)
		err = add_corner(savings, ssdpm__corner(axes, bits), false,
				 ret_savings, reterr);
	return err;
}

int ssdpm__savings(const struct gaps_task *task,
		   const struct ssdpm_parameter *parameters,
		   size_t n_parameters, const struct ssdpm_apst *tables,
		   size_t n_tables, struct ssdpm_saving *ret_savings,
		   struct ssdpm_error *reterr)
{
	struct savings savings = {
		.task = *task,
		.parameters = parameters,
		.n_parameters = n_parameters,
		.tables = tables,
		.n_tables = n_tables,
	};
	int err = ssdpm__delays_new(task->gaps, &savings.delays, reterr);

	if (err)
		return err;
	savings.runs =
		calloc(N_CORNER_VALUES * n_tables, sizeof(*savings.runs));
	if (savings.runs)
		err = add_corners(&savings, ret_savings, reterr);
	else
		err = ssdpm__no_memory(reterr);
	free(savings.runs);
	ssdpm__delays_free(&savings.delays);
	return err;
}
