/* SPDX-License-Identifier: MIT */
#include "recommend/alternatives.h"

#include "recommend/bounds.h"

#include <string.h>

enum { TODAY = 0 };

/* Those without Slumber on the host's request, which has lost data. */
static const uint32_t link_policies[N_LINK_POLICIES] = {
	SSDPM_LPM_MED_POWER_WITH_DIPM,
	SSDPM_LPM_MEDIUM_POWER,
	SSDPM_LPM_MAX_PERFORMANCE,
};

size_t ssdpm__link_policies(bool may_cost, uint32_t lpms[N_LINK_POLICIES])
{
	memcpy(lpms, link_policies, sizeof(link_policies));
	return may_cost ? N_LINK_POLICIES : N_LINK_POLICIES - 1;
}

/*
 * A decided saving comes first, then the larger likely saving, then less delay.
 */
static bool is_better(const struct alternative *a, const struct alternative *b)
{
	const bool saves = ssdpm_saving_verdict_saves(a->likely->verdict);

	if (saves != ssdpm_saving_verdict_saves(b->likely->verdict))
		return saves;
	if (a->likely->median_nj != b->likely->median_nj)
		return a->likely->median_nj > b->likely->median_nj;
	return a->run->delay_sum_ns < b->run->delay_sum_ns;
}

bool ssdpm__keeps_alternative(const struct alternatives *from, size_t index)
{
	const struct alternative *one = &from->all[index];

	return one->exit_us <= from->bounds->max_exit_latency_us &&
	       ssdpm__keeps_delays(from->bounds, one->run);
}

/* Returns TODAY if there is none. */
static size_t find_best(const struct alternatives *from, bool today_keeps,
			bool within_bounds)
{
	size_t best = TODAY;

	for (size_t i = 1; i < from->n; i++) {
		const struct alternative *one = &from->all[i];

		if (!one->likely || (one->never_sleeps && today_keeps) ||
		    (within_bounds && !ssdpm__keeps_alternative(from, i)))
			continue;
		if (!best || is_better(one, &from->all[best]))
			best = i;
	}
	return best;
}

static uint32_t judge(const struct alternatives *from,
		      const struct chosen *chosen)
{
	const bool keeps = chosen->today_keeps_bounds;
	const struct ssdpm_likely *likely;

	if (!chosen->index)
		return keeps ? SSDPM_ADVICE_KEEP : SSDPM_ADVICE_NONE;
	if (from->risks_data ||
	    (!keeps && from->bounds->flags & SSDPM_BOUNDS_MAY_COST))
		return SSDPM_ADVICE_SET;
	likely = from->all[chosen->index].likely;
	if (ssdpm_saving_verdict_saves(likely->verdict))
		return SSDPM_ADVICE_SET;
	return keeps || likely->verdict == SSDPM_SAVING_NOT_DECIDED ||
			       likely->verdict == SSDPM_SAVING_TOO_SMALL ?
		       SSDPM_ADVICE_KEEP :
		       SSDPM_ADVICE_COSTS;
}

struct chosen ssdpm__choose_alternative(const struct alternatives *from)
{
	struct chosen chosen = {
		.today_keeps_bounds = ssdpm__keeps_alternative(from, TODAY),
	};

	chosen.index = find_best(from, chosen.today_keeps_bounds, true);
	/* Safe data matter more than any delay. */
	if (!chosen.index && from->risks_data)
		chosen.index =
			find_best(from, chosen.today_keeps_bounds, false);
	chosen.advice = judge(from, &chosen);
	return chosen;
}
