/* SPDX-License-Identifier: MIT */
/* The best setting of a drive: what it can have, and which of that to set. */
#include "report/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "common/data-risk.h"
#include "compare/comparison.h"
#include "estimate/sim.h"
#include "recommend/alternatives.h"
#include "recommend/bounds.h"

enum {
	LINUX_LIMIT_US = 100000, /* default_ps_max_latency_us of nvme_core */
	ROW_TODAY = 0,
};

static struct ssdpm_profile_settings limit_of(uint64_t us)
{
	return (struct ssdpm_profile_settings){
		.size = sizeof(struct ssdpm_profile_settings),
		.set = SSDPM_PROFILE_MAX_EXIT_LATENCY,
		.max_exit_latency_us = us,
	};
}

static struct ssdpm_profile_settings link_policy_of(uint32_t lpm)
{
	return (struct ssdpm_profile_settings){
		.size = sizeof(struct ssdpm_profile_settings),
		.set = SSDPM_PROFILE_LPM,
		.n_lpms = 1,
		.lpms = { lpm },
	};
}

/*
 * Without sleep nothing waits; more than the longest exit is of no use. With a
 * quirk, several limits may lead to one table: the first one is taken then.
 */
static size_t list_limits(const struct ssdpm_model *model, bool may_cost,
			  struct ssdpm_profile_settings *settings)
{
	uint64_t limits[SSDPM_APST_MAX_STEPS];
	size_t n = ssdpm_apst_get_steps(model, SSDPM_APST_STEP_LIMIT,
					LINUX_LIMIT_US, limits,
					SSDPM_APST_MAX_STEPS);
	size_t n_settings = 0;

	settings[n_settings++] = limit_of(LINUX_LIMIT_US);
	for (size_t i = 0; i < n; i++)
		if ((limits[i] || may_cost) && limits[i] != LINUX_LIMIT_US)
			settings[n_settings++] = limit_of(limits[i]);
	return n_settings;
}

static size_t list_settings(const struct report_task *task,
			    const struct ssdpm_model *model,
			    struct ssdpm_profile_settings *settings)
{
	const bool may_cost = task->params.patience == SSDPM_PATIENCE_INSTANT;
	uint32_t lpms[N_LINK_POLICIES];
	size_t n;

	if (ssdpm_model_get_info(model)->kind == SSDPM_KIND_NVME)
		return list_limits(model, may_cost, settings);
	n = ssdpm__link_policies(may_cost, lpms);
	for (size_t i = 0; i < n; i++)
		settings[i] = link_policy_of(lpms[i]);
	return n;
}

static struct ssdpm_compared_policy row_of(const struct energy_item *item,
					   size_t index)
{
	struct ssdpm_compared_policy row = { .size = sizeof(row) };

	ssdpm_comparison_get_row(item->comparison, index, &row);
	return row;
}

/* A certain cost matters only where the setting may be set. */
static int begin(const struct report_task *task, struct energy_item *item,
		 const struct ssdpm_policy *today, struct ssdpm_error *reterr)
{
	struct ssdpm_compared_policy row;
	int err = ssdpm__begin_comparison(task, item, today, reterr);

	if (err)
		return err;
	row = row_of(item, ROW_TODAY);
	if (task->params.patience != SSDPM_PATIENCE_INSTANT &&
	    !ssdpm__risks_data(row.resolved.lpm))
		ssdpm__comparison_skip_costs(item->comparison);
	return 0;
}

/* A row is what the plan makes of a setting; the first has that of today. */
static int add_candidate(const struct report_task *task,
			 struct energy_item *item,
			 const struct ssdpm_profile_settings *settings,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_policy before = { .size = sizeof(before) }, after = before;
	struct ssdpm_device *device = item->drive.device;
	int err = ssdpm_plan_add_profile(task->plan, device, item->model,
					 settings, reterr);

	if (!err)
		err = ssdpm__get_policies(task, item, &before, &after, reterr);
	if (!err && !item->comparison)
		err = begin(task, item, &before, reterr);
	if (!err)
		err = ssdpm_comparison_add(item->comparison, "candidate",
					   &after, reterr);
	if (!err)
		item->candidates[item->n_candidates++] = *settings;
	return err;
}

/* What Linux does by default on this drive, with this kernel. */
static int add_default(const struct report_task *task, struct energy_item *item,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params of_machine = { .size = sizeof(of_machine) };
	struct ssdpm_policy usual = { .size = sizeof(usual),
				      .kind = SSDPM_POLICY_LPM };
	uint32_t lpms[N_LINK_POLICIES];
	int err = 0;

	ssdpm__link_policies(false, lpms);
	usual.lpm = lpms[0];
	if (ssdpm_model_get_info(item->model)->kind == SSDPM_KIND_NVME) {
		usual.kind = SSDPM_POLICY_ALGORITHM;
		ssdpm_apst_params_init(&usual.params, sizeof(usual.params));
		err = ssdpm_device_get_apst_params(item->drive.device,
						   &task->facts, item->model,
						   &of_machine, reterr);
		usual.params.algorithm = of_machine.algorithm;
		usual.params.quirks = of_machine.quirks;
	}
	return err ? err :
		     ssdpm_comparison_add(item->comparison, ROW_LINUX, &usual,
					  reterr);
}

/* A drive that never sleeps, to say what sleep saves today. */
static int add_awake(const struct report_task *task, struct energy_item *item,
		     struct ssdpm_error *reterr)
{
	int err;

	if (!(task->params.flags & SSDPM_ENERGY_REPORT_FURTHER))
		return 0;
	err = ssdpm_comparison_add(item->comparison, ROW_AWAKE, NULL, reterr);
	if (!err)
		ssdpm__comparison_want_likely(item->comparison);
	return err;
}

int ssdpm__add_candidates(const struct report_task *task,
			  struct energy_item *item, struct ssdpm_error *reterr)
{
	struct ssdpm_profile_settings settings[MAX_CANDIDATES];
	const size_t n = list_settings(task, item->model, settings);
	const char *obstacle = NULL;
	struct ssdpm_error error;
	int err = ssdpm__check_port(ssdpm_device_get_facts(item->drive.device),
				    reterr);

	if (err)
		return err;
	item->candidates = calloc(n + 1, sizeof(*item->candidates));
	if (!item->candidates)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; i < n && !err && !obstacle; i++) {
		err = add_candidate(task, item, &settings[i], &error);
		if (err == -ENOENT)
			obstacle = ssdpm__find_obstacle(task->plan,
							item->drive.name);
		if (obstacle)
			err = 0;
	}
	if (err)
		return ssdpm__pass_on(err, &error, reterr);
	if (obstacle && !item->n_candidates)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0, "%s", obstacle);
	item->limit_today = limit_of(ssdpm_device_get_facts(item->drive.device)
					     ->latency_tolerance_us);
	err = add_default(task, item, reterr);
	return err ? err : add_awake(task, item, reterr);
}

static bool never_sleeps(const struct ssdpm_profile_settings *settings)
{
	return settings->set & SSDPM_PROFILE_LPM ?
		       settings->lpms[0] == SSDPM_LPM_MAX_PERFORMANCE :
		       !settings->max_exit_latency_us;
}

static struct alternative alternative_of(const struct energy_item *item,
					 size_t index)
{
	const struct ssdpm_compared_policy row = row_of(item, index);

	return (struct alternative){
		.run = row.result->nominal,
		.likely = row.likely,
		.exit_us = ssdpm__longest_exit_us(&row.sim->nominal.chain),
		.never_sleeps = index != ROW_TODAY &&
				never_sleeps(&item->candidates[index - 1]),
	};
}

/*
 * Linux would build that table of the limit of today, and the drive has another
 * one.
 */
static bool is_made_already(const struct energy_item *item, size_t index)
{
	const struct ssdpm_compared_policy row = row_of(item, index);

	return index != ROW_TODAY &&
	       item->candidates[index - 1].set &
		       SSDPM_PROFILE_MAX_EXIT_LATENCY &&
	       !memcmp(&row.resolved.apst, &item->made, sizeof(item->made));
}

static void take_choice(struct energy_item *item, const struct chosen *chosen)
{
	item->chosen = chosen->index;
	item->advice = chosen->advice;
	if (chosen->advice == SSDPM_ADVICE_SET &&
	    is_made_already(item, chosen->index))
		item->advice = SSDPM_ADVICE_REBUILD;
}

void ssdpm__choose(const struct report_task *task, struct energy_item *item)
{
	const struct ssdpm_compared_policy today = row_of(item, ROW_TODAY);
	struct ssdpm_compared_policy usual = { .size = sizeof(usual) };
	struct alternative all[MAX_CANDIDATES + 1];
	const struct alternatives from = {
		.all = all,
		.n = item->n_candidates + 1,
		.bounds = &item->bounds,
		.risks_data = ssdpm__risks_data(today.resolved.lpm),
	};
	struct chosen chosen;

	ssdpm__get_row(item, ROW_LINUX, &usual);
	item->bounds = ssdpm__default_bounds(task->params.patience,
					     usual.result->nominal);
	for (size_t i = 0; i < from.n; i++)
		all[i] = alternative_of(item, i);
	chosen = ssdpm__choose_alternative(&from);
	take_choice(item, &chosen);
}
