/* SPDX-License-Identifier: MIT */
#include "recommend/recommend.h"
#include "estimate/internal.h"

#include <stdlib.h>

#include "base/internal.h"

/* The runs of all tables with these latencies, until the last of them ends. */
struct table_runs {
	struct gaps_task task;
	const struct rivals *rivals;
	struct delays delays;
	struct ssdpm_run *runs;
};

static int run_table(struct table_runs *all, size_t i, uint64_t idle_on_ns,
		     struct ssdpm_error *reterr)
{
	struct gaps_task *task = &all->task;
	struct chain chain;
	int err;

	task->params.apst = &all->rivals->tables[i];
	task->idle_on_ns = idle_on_ns;
	err = ssdpm__chain(task->model, &task->params, &task->values, &chain,
			   reterr);
	return err ? err :
		     ssdpm__gaps_run(task, &chain, &all->delays, &all->runs[i],
				     NULL, reterr);
}

static int run_tables(struct table_runs *all, enum corner_value latency,
		      struct ssdpm_error *reterr)
{
	const struct rivals *rivals = all->rivals;
	struct corner corner = { { 0 } };
	uint64_t end_ns = 0;
	int err = 0;

	corner.value[SSDPM_AXIS_LATENCY - 1] = (uint8_t)latency;
	ssdpm__values(rivals->drive.parameters, rivals->drive.n,
		      rivals->drive.order.operational_state, &corner,
		      &all->task.values);
	for (size_t i = 0; i < rivals->n_tables && !err; i++) {
		err = run_table(all, i, 0, reterr);
		if (!err && all->runs[i].duration_ns > end_ns)
			end_ns = all->runs[i].duration_ns;
	}
	for (size_t i = 0; i < rivals->n_tables && !err; i++)
		if (all->runs[i].duration_ns < end_ns)
			err = run_table(all, i,
					end_ns - all->runs[i].duration_ns,
					reterr);
	return err;
}

/* Nominal, low, high. */
static int add_latencies(struct table_runs *all, struct ssdpm_run *ret_runs,
			 struct ssdpm_saving *ret_savings,
			 struct ssdpm_error *reterr)
{
	const struct priced_drive *drive = &all->rivals->drive;
	const uint32_t axis = 1u << (SSDPM_AXIS_LATENCY - 1);
	bool open = ssdpm__open_axes(drive->parameters, drive->n,
				     drive->order.operational_state) &
		    axis;
	int err = 0;

	for (int latency = CORNER_NOMINAL;
	     latency <= (open ? CORNER_HIGH : CORNER_NOMINAL) && !err;
	     latency++) {
		bool nominal = latency == CORNER_NOMINAL;

		err = run_tables(all, (enum corner_value)latency, reterr);
		for (size_t i = 0; i < all->rivals->n_tables && !err; i++) {
			if (nominal)
				ret_runs[i] = all->runs[i];
			err = ssdpm__add_saving(drive, &all->runs[0],
						&all->runs[i], nominal,
						&ret_savings[i], reterr);
		}
	}
	return err;
}

int ssdpm__savings(const struct gaps_task *task, const struct rivals *rivals,
		   struct ssdpm_run *ret_runs, struct ssdpm_saving *ret_savings,
		   struct ssdpm_error *reterr)
{
	struct table_runs all = { .task = *task, .rivals = rivals };
	int err = ssdpm__delays_new(task->gaps, &all.delays, reterr);

	if (err)
		return err;
	all.runs = calloc(rivals->n_tables, sizeof(*all.runs));
	err = all.runs ? add_latencies(&all, ret_runs, ret_savings, reterr) :
			 ssdpm__no_memory(reterr);
	free(all.runs);
	ssdpm__delays_free(&all.delays);
	return err;
}
