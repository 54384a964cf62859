/* SPDX-License-Identifier: MIT */
/* What tables likely save: from the same idle times as the search. */
#include "likely/internal.h"
#include "recommend/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

/* No table does anything of a shorter one. */
static uint64_t shortest_idle_ns(const struct rivals *rivals)
{
	uint64_t idle_ms = UINT32_MAX;

	if (!rivals->tables)
		return 0;
	for (size_t i = 0; i < rivals->n; i++)
		for (uint32_t j = 0; j < SSDPM_MAX_STATES; j++) {
			const struct ssdpm_apst_entry *entry =
				&rivals->tables[i].entries[j];

			if (entry->target)
				idle_ms = at_most(idle_ms, entry->idle_ms);
		}
	return idle_ms * 1000000;
}

static struct gap_profile *profile_new(const struct gaps_task *task,
				       const struct rivals *rivals)
{
	const struct gap_times *idle = &task->gaps->idle;
	struct gap_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->model = (struct ssdpm_model *)task->model;
	profile->from_ns = shortest_idle_ns(rivals);
	for (size_t i = idle->n; i-- && idle->ns[i] >= profile->from_ns;)
		ssdpm__profile_add(profile, idle->ns[i]);
	return profile;
}

static int subject_new(const struct gaps_task *task,
		       const struct gap_profile *profile,
		       struct subject *ret_subject, struct ssdpm_error *reterr)
{
	const struct ssdpm_gaps *gaps = task->gaps;
	const double idle_ns = (double)gaps->idle.sums[gaps->idle.n];
	struct subject subject;
	int err = ssdpm__subject_new(profile, idle_ns, &subject, reterr);

	if (err)
		return err;
	subject.params = task->params;
	subject.busy_ns =
		(double)(gaps->flow.busy.until_ns - gaps->start_ns) - idle_ns;
	subject.rest_ns = (double)gaps->end_idle_ns;
	*ret_subject = subject;
	return 0;
}

int ssdpm__likely_savings(const struct gaps_task *task,
			  const struct rivals *rivals, struct outcome *outcomes,
			  struct ssdpm_error *reterr)
{
	struct gap_profile *profile = profile_new(task, rivals);
	struct subject from = { 0 }, to;
	int err = profile ? subject_new(task, profile, &from, reterr) :
			    ssdpm__no_memory(reterr);

	to = from; /* and its own policy */
	rival_params(rivals, 0, &from.params);
	if (rivals->n_from > 1)
		from.params.lpm = 0; /* unknown */
	for (size_t i = 0; i < rivals->n && !err; i++) {
		rival_params(rivals, i, &to.params);
		err = ssdpm__find_likely(&rivals->drive, &from, &to,
					 &outcomes[i].saving,
					 &outcomes[i].likely, reterr);
	}
	ssdpm__subject_free(&from);
	free(profile);
	return err;
}

/* All limits, and today, against which they save. */
static int try_limits(struct quest *quest, struct rivals *rivals,
		      struct ssdpm_apst *tables, struct outcome *outcomes,
		      struct ssdpm_error *reterr)
{
	const struct outcome *best = NULL;
	size_t of[MAX_LIMITS];
	int err;

	tables[0] = quest->today.table;
	for (uint32_t i = 0; i < quest->n_limits; i++)
		of[i] = ssdpm__number_of(&quest->limits[i].table, tables,
					 &rivals->n);
	err = ssdpm__savings(&quest->task, rivals, outcomes, reterr);
	if (!err)
		err = ssdpm__likely_savings(&quest->task, rivals, outcomes,
					    reterr);
	if (err)
		return err;
	/* The nominal best stays where none saves more. */
	for (uint32_t i = 0; i < quest->n_limits; i++)
		if (!memcmp(&quest->limits[i].table, &quest->best[0].table,
			    sizeof(quest->best[0].table)))
			best = &outcomes[of[i]];
	for (uint32_t i = 0; i < quest->n_limits && best; i++)
		if (outcomes[of[i]].likely.median_nj > best->likely.median_nj) {
			best = &outcomes[of[i]];
			quest->best[0] = quest->limits[i];
		}
	return 0;
}

int ssdpm__quest_rank_limits(struct quest *quest, struct ssdpm_error *reterr)
{
	struct ssdpm_apst *tables;
	struct rivals rivals = {
		.drive = { quest->parameters, quest->n_parameters,
			   quest->order },
		.n = 1,
		.n_from = 1,
	};
	struct outcome *outcomes;
	int err;

	if (quest->n_limits < 2)
		return 0;
	tables = calloc(quest->n_limits + 1, sizeof(*tables));
	outcomes = calloc(quest->n_limits + 1, sizeof(*outcomes));
	rivals.tables = tables;
	err = tables && outcomes ?
		      try_limits(quest, &rivals, tables, outcomes, reterr) :
		      ssdpm__no_memory(reterr);
	free(outcomes);
	free(tables);
	return err;
}
