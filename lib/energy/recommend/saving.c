/* SPDX-License-Identifier: MIT */
#include "recommend/internal.h"
#include "estimate/enclosure.h"

#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

/* A table on the gaps. */
struct table_run {
	struct enclosure enclosure;
	struct enclosed enclosed;
	struct ssdpm_run run; /* nominal */
	uint64_t own_ns;
};

/* All of them, until the last one ends. */
struct table_runs {
	struct gaps_task task;
	const struct rivals *rivals;
	struct delays delays;
	struct table_run *tables;
};

/* The idle times that an I/O ends: all but the silent ones; both are sorted. */
static void enclose_idle(const struct ssdpm_gaps *gaps,
			 struct enclosure *enclosure)
{
	const struct gap_times *idle = &gaps->idle, *silent = &gaps->silent;
	uint64_t some[BLOCK];
	size_t n = 0, skip = 0;

	for (size_t i = 0; i < idle->n; i++) {
		if (skip < silent->n && silent->ns[skip] == idle->ns[i]) {
			skip++;
			continue;
		}
		some[n++] = idle->ns[i];
		if (n == BLOCK) {
			ssdpm__enclose_gaps(enclosure, some, n, false);
			n = 0;
		}
	}
	ssdpm__enclose_gaps(enclosure, some, n, false);
	ssdpm__enclose_gaps(enclosure, silent->ns, silent->n, true);
	for (size_t i = 0; i < gaps->early.n; i++)
		ssdpm__enclose_early(enclosure, gaps->early.io[i].gap_ns,
				     gaps->early.io[i].offset_ns);
}

static struct run_base base_of(const struct ssdpm_gaps *gaps,
			       const struct priced_drive *drive)
{
	uint64_t until = gaps->flow.busy.until_ns;
	struct run_base base = {
		.start_ns = gaps->start_ns,
		.until_ns = { until, until },
	};

	ssdpm__base_drive(&base, drive);
	memcpy(base.n_ios, gaps->intake.n_ios, sizeof(gaps->intake.n_ios));
	memcpy(base.bytes, gaps->intake.bytes, sizeof(gaps->intake.bytes));
	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		base.busy_ns[op] = (struct extent){ gaps->flow.busy_ns[op],
						    gaps->flow.busy_ns[op] };
	return base;
}

/* Nominal, for so long after the end of the gaps. */
static int run_nominal(struct table_runs *all, size_t i, uint64_t idle_on_ns,
		       struct ssdpm_error *reterr)
{
	struct gaps_task *task = &all->task;
	struct chain chain;
	int err;

	rival_params(all->rivals, i, &task->params);
	task->idle_on_ns = idle_on_ns;
	err = ssdpm__chain(task->model, &task->params, &task->values, &chain,
			   reterr);
	return err ? err :
		     ssdpm__gaps_run(task, &chain, &all->delays,
				     &all->tables[i].run, NULL, reterr);
}

static int run_enclosed(struct table_runs *all, size_t i,
			struct ssdpm_error *reterr)
{
	const struct priced_drive *drive = &all->rivals->drive;
	const struct ssdpm_gaps *gaps = all->task.gaps;
	const uint32_t times = 1u << (SSDPM_AXIS_LATENCY - 1) |
			       1u << (SSDPM_AXIS_LINK_IDLE_TIME - 1);
	struct table_run *table = &all->tables[i];
	struct run_base base = base_of(gaps, drive);
	int err;

	/* The service times are those of the gaps. */
	err = ssdpm__enclosure_new(all->task.model, &all->task.params,
				   drive->parameters, drive->n, times,
				   &table->enclosure, reterr);
	if (err)
		return err;
	enclose_idle(gaps, &table->enclosure);
	return ssdpm__enclosed_run(&table->enclosure, &base,
				   base.until_ns.high + gaps->end_idle_ns,
				   &table->enclosed, reterr);
}

static int idle_on(struct table_runs *all, size_t i, struct ssdpm_error *reterr)
{
	struct table_run *table = &all->tables[i];
	struct extent others = { 0, 0 };
	uint64_t end_ns = table->own_ns;
	int err = 0;

	for (size_t j = 0; j < all->rivals->n; j++) {
		const struct table_run *other = &all->tables[j];

		end_ns = at_least(end_ns, other->own_ns);
		if (ssdpm__enclosures_are_same(&other->enclosure,
					       &table->enclosure))
			continue;
		others.low = at_least(others.low, other->enclosed.own_ns.low);
		others.high =
			at_least(others.high, other->enclosed.own_ns.high);
	}
	if (end_ns > table->own_ns)
		err = run_nominal(all, i, end_ns - table->own_ns, reterr);
	return err ? err :
		     ssdpm__enclosed_until(&table->enclosed, others,
					   &table->enclosed, reterr);
}

static int run_all(struct table_runs *all, struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < all->rivals->n && !err; i++) {
		err = run_nominal(all, i, 0, reterr);
		all->tables[i].own_ns = all->tables[i].run.duration_ns;
		if (!err)
			err = run_enclosed(all, i, reterr);
	}
	for (size_t i = 0; i < all->rivals->n && !err; i++)
		err = idle_on(all, i, reterr);
	return err;
}

/* Against each one that may be that of today. */
static int widen(const struct table_runs *all, size_t i,
		 struct ssdpm_saving *saving, struct ssdpm_error *reterr)
{
	const struct rivals *rivals = all->rivals;
	const size_t n = i < rivals->n_from ? 1 : rivals->n_from;
	int err = 0;

	for (size_t from = 0; from < n && !err; from++)
		err = ssdpm__widen_saving(
			&rivals->drive, &all->tables[from].enclosed,
			&all->tables[i].enclosed, saving, reterr);
	return err;
}

/* Against the first of them. */
static int give(const struct table_runs *all, struct outcome *ret,
		struct ssdpm_error *reterr)
{
	const struct priced_drive *drive = &all->rivals->drive;
	const struct table_run *from = &all->tables[0];
	int err = 0;

	for (size_t i = 0; i < all->rivals->n && !err; i++) {
		const struct table_run *to = &all->tables[i];

		ret[i].run = ret[i].low = ret[i].high = to->run;
		ret[i].slow = to->enclosure.slow;
		err = ssdpm__price_enclosed(&to->enclosed, drive, false,
					    &ret[i].low, &ret[i].high, reterr);
		if (!err)
			err = ssdpm__nominal_saving(drive, &from->run, &to->run,
						    &ret[i].saving, reterr);
		if (!err)
			err = widen(all, i, &ret[i].saving, reterr);
	}
	return err;
}

int ssdpm__savings(const struct gaps_task *task, const struct rivals *rivals,
		   struct outcome *ret, struct ssdpm_error *reterr)
{
	struct table_runs all = { .task = *task, .rivals = rivals };
	int err = ssdpm__delays_new(task->gaps, &all.delays, reterr);

	if (err)
		return err;
	all.tables = calloc(rivals->n, sizeof(*all.tables));
	err = all.tables ? run_all(&all, reterr) : ssdpm__no_memory(reterr);
	if (!err)
		err = give(&all, ret, reterr);
	for (size_t i = 0; i < rivals->n && all.tables; i++)
		ssdpm__enclosure_free(&all.tables[i].enclosure);
	free(all.tables);
	ssdpm__delays_free(&all.delays);
	return err;
}
