/* SPDX-License-Identifier: MIT */
/* Chooses a policy of a comparison if the caller sets no latency bounds. */
#include "compare/comparison.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"
#include "estimate/sim.h"
#include "recommend/alternatives.h"
#include "recommend/bounds.h"

static struct ssdpm_compared_policy row_of(
	const struct ssdpm_comparison *comparison, size_t index)
{
	struct ssdpm_compared_policy row = { .size = sizeof(row) };

	ssdpm_comparison_get_row(comparison, index, &row);
	return row;
}

/* The lpm of an NVMe drive is max_performance, which is among them. */
static bool is_proposed(const struct ssdpm_compared_policy *row)
{
	uint32_t lpms[N_LINK_POLICIES];
	size_t n = ssdpm__link_policies(true, lpms);

	for (size_t i = 0; i < n; i++)
		if (lpms[i] == row->resolved.lpm)
			return true;
	return false;
}

/*
 * The bounds of the default of Linux; without it in the comparison, fixed
 * limits.
 */
static struct ssdpm_bounds bounds_of(const struct ssdpm_comparison *comparison,
				     size_t usual)
{
	const struct ssdpm_compared_policy row = row_of(comparison, usual);
	struct ssdpm_run run;

	if (row.result)
		return ssdpm__default_bounds(SSDPM_PATIENCE_NORMAL,
					     row.result->nominal);
	run = *row_of(comparison, 0).result->nominal;
	run.delay_sum_ns = 0;
	run.delay_p99_ns = 0;
	return ssdpm__default_bounds(SSDPM_PATIENCE_NORMAL, &run);
}

static struct alternative alternative_of(
	const struct ssdpm_compared_policy *row)
{
	return (struct alternative){
		.run = row->result->nominal,
		.likely = is_proposed(row) ? row->likely : NULL,
		.exit_us = ssdpm__longest_exit_us(&row->sim->nominal.chain),
	};
}

int ssdpm__find_advised(const struct ssdpm_comparison *comparison, size_t n,
			size_t usual, size_t *ret_row)
{
	const struct ssdpm_bounds bounds = bounds_of(comparison, usual);
	struct alternative *all = calloc(n, sizeof(*all));
	const struct alternatives from = {
		.all = all,
		.n = n,
		.bounds = &bounds,
	};
	struct chosen chosen;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_compared_policy row = row_of(comparison, i);

		all[i] = alternative_of(&row);
	}
	chosen = ssdpm__choose_alternative(&from);
	*ret_row = chosen.advice == SSDPM_ADVICE_SET ? chosen.index : 0;
	free(all);
	return 0;
}
