/* SPDX-License-Identifier: MIT */
/* Finds the best link policy of a SATA drive by running each one. */
#include "recommend/alternatives.h"
#include "recommend/bounds.h"
#include "recommend/internal.h"

#include <stdlib.h>

#include "base/internal.h"
#include "common/data-risk.h"

enum {
	/* All that an unknown policy of today may be, */
	MAX_FROM = SSDPM_LPM_MIN_POWER - SSDPM_LPM_MAX_PERFORMANCE + 1,
	/* and those that may be advised. */
	MAX_LINKS = MAX_FROM + N_LINK_POLICIES,
};

struct links {
	uint32_t lpms[MAX_LINKS];
	struct rivals rivals;
	struct outcome outcomes[MAX_LINKS];
};

int ssdpm__link_default(const struct ssdpm_gaps *gaps,
			const struct ssdpm_model *model,
			const struct ssdpm_sim_params *params,
			struct ssdpm_run *ret_run, struct ssdpm_error *reterr)
{
	uint32_t lpms[N_LINK_POLICIES];
	struct gaps_task task;
	struct delays delays;
	struct chain chain;
	int err = ssdpm__gaps_drive(gaps, model, params, &task, reterr);

	if (!err)
		err = ssdpm__delays_new(gaps, &delays, reterr);
	if (err)
		return err;
	ssdpm__link_policies(false, lpms);
	task.params.lpm = lpms[0];
	err = ssdpm__chain(model, &task.params, &task.values, &chain, reterr);
	if (!err)
		err = ssdpm__gaps_run(&task, &chain, &delays, ret_run, NULL,
				      reterr);
	ssdpm__delays_free(&delays);
	return err;
}

static void list_policies(const struct quest *quest, struct links *links)
{
	const bool may_cost = quest->bounds.flags & SSDPM_BOUNDS_MAY_COST;
	uint32_t from = quest->lpm, to = quest->lpm;
	size_t n = 0;

	if (ssdpm__is_lpm_unknown(quest->task.model, quest->lpm)) {
		from = SSDPM_LPM_MAX_PERFORMANCE;
		to = SSDPM_LPM_MIN_POWER;
	}
	for (uint32_t lpm = from; lpm <= to; lpm++)
		links->lpms[n++] = lpm;
	links->rivals = (struct rivals){
		.drive = { quest->parameters, quest->n_parameters,
			   quest->order },
		.lpms = links->lpms,
		.n_from = n,
	};
	links->rivals.n = n + ssdpm__link_policies(may_cost, links->lpms + n);
}

/* The longest exit latency under a policy. */
static int find_exit(const struct quest *quest, uint32_t lpm, uint64_t *ret_us,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params params = quest->task.params;
	struct chain chain;
	int err;

	params.apst = quest->from; /* a SATA drive has none */
	params.lpm = lpm;
	err = ssdpm__chain(quest->task.model, &params, &quest->task.values,
			   &chain, reterr);
	if (!err)
		*ret_us = ssdpm__longest_exit_us(&chain);
	return err;
}

/* Without likely savings, the nominal saving decides. */
static void decide_nominally(struct ssdpm_likely *likely,
			     const struct ssdpm_saving *saving)
{
	if (likely->size)
		return;
	likely->median_nj = saving->nominal_nj;
	likely->verdict = saving->nominal_nj > 0 ? SSDPM_SAVING_SAVES :
			  saving->nominal_nj < 0 ? SSDPM_SAVING_COSTS :
						   SSDPM_SAVING_TOO_SMALL;
}

/* Another setting, unless it does the same as today's. */
static bool is_other(const struct quest *quest, uint32_t lpm)
{
	return !ssdpm__is_link_same(quest->task.model, quest->lpm, lpm);
}

/*
 * Considers policies that can save. Others count only if today's is beyond the
 * bounds or has lost data.
 */
static void consider(const struct quest *quest, struct links *links,
		     struct alternatives *from, struct alternative *all)
{
	const bool any = from->risks_data || !ssdpm__keeps_alternative(from, 0);

	for (size_t i = 1; i < from->n; i++) {
		const size_t rival = links->rivals.n_from + i - 1;
		struct outcome *outcome = &links->outcomes[rival];

		decide_nominally(&outcome->likely, &outcome->saving);
		if (is_other(quest, links->lpms[rival]) &&
		    (any || outcome->saving.high_nj > 0))
			all[i].likely = &outcome->likely;
	}
}

static int choose(const struct quest *quest, struct links *links,
		  struct chosen *ret_chosen, struct ssdpm_error *reterr)
{
	const size_t n_from = links->rivals.n_from;
	struct alternative all[1 + N_LINK_POLICIES] = { 0 };
	struct alternatives from = {
		.all = all,
		.n = 1 + links->rivals.n - n_from,
		.bounds = &quest->bounds,
		.risks_data = ssdpm__risks_data(quest->lpm),
	};
	int err = 0;

	for (size_t i = 0; i < from.n && !err; i++) {
		const size_t rival = i ? n_from + i - 1 : 0;
		const uint32_t lpm = links->lpms[rival];

		all[i].run = &links->outcomes[rival].run;
		all[i].never_sleeps = lpm == SSDPM_LPM_MAX_PERFORMANCE;
		err = find_exit(quest, lpm, &all[i].exit_us, reterr);
	}
	if (err)
		return err;
	consider(quest, links, &from, all);
	*ret_chosen = ssdpm__choose_alternative(&from);
	return 0;
}

static void fill(const struct quest *quest, const struct links *links,
		 const struct chosen *chosen, struct ssdpm_recommendation *ret,
		 struct outcome *kept)
{
	const size_t n_from = links->rivals.n_from;
	const size_t rival = chosen->index ? n_from + chosen->index - 1 : 0;

	*ret = (struct ssdpm_recommendation){
		.route = SSDPM_ROUTE_LINK_POLICY,
		.advice = chosen->advice,
		.today_keeps_bounds = chosen->today_keeps_bounds,
	};
	if (chosen->advice == SSDPM_ADVICE_NONE)
		return;
	*kept = links->outcomes[rival];
	ssdpm__fill_outcome(quest, kept, ret);
	ret->lpm = chosen->index ? links->lpms[rival] : quest->lpm;
}

int ssdpm__quest_link(const struct quest *quest,
		      struct ssdpm_recommendation *ret,
		      struct outcome *ret_outcome, struct ssdpm_error *reterr)
{
	struct links *links = calloc(1, sizeof(*links));
	struct chosen chosen;
	int err = links ? 0 : ssdpm__no_memory(reterr);

	if (err)
		return err;
	list_policies(quest, links);
	err = ssdpm__savings(&quest->task, &links->rivals, links->outcomes,
			     reterr);
	if (!err && quest->task.params.flags & SSDPM_SIM_LIKELY)
		err = ssdpm__likely_savings(&quest->task, &links->rivals,
					    links->outcomes, reterr);
	if (!err)
		err = choose(quest, links, &chosen, reterr);
	if (!err)
		fill(quest, links, &chosen, ret, ret_outcome);
	free(links);
	return err;
}
