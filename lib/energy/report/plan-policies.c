/* SPDX-License-Identifier: MIT */
/* A plan as policies to simulate, and a recommendation as what to write. */
#include <ssdpm/energy/report.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/internal.h"

/* A controller's table, as the plan predicts it. */
static bool find_tables(const struct ssdpm_plan *plan, const char *name,
			struct ssdpm_policy *before, struct ssdpm_policy *after)
{
	const uint32_t both = SSDPM_TABLE_BEFORE | SSDPM_TABLE_AFTER;
	struct ssdpm_planned_table table = { .size = sizeof(table) };

	for (size_t i = 0; !ssdpm_plan_get_table(plan, i, &table); i++) {
		if (strcmp(table.device, name) || (table.known & both) != both)
			continue;
		before->kind = after->kind = SSDPM_POLICY_TABLE;
		before->table = table.before;
		after->table = table.after;
		return true;
	}
	return false;
}

/* A port's link policies; what is in force already stays. */
static bool find_lpms(const struct ssdpm_plan *plan,
		      const struct ssdpm_device_facts *facts,
		      struct ssdpm_policy *before, struct ssdpm_policy *after)
{
	struct ssdpm_step step = { .size = sizeof(step) };
	char host[16];

	if (facts->kind != SSDPM_KIND_SATA)
		return false;
	/* A port with several disks has its own name. */
	snprintf(host, sizeof(host), "host%u", facts->host);
	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++) {
		if (step.kind != SSDPM_STEP_LPM ||
		    (strcmp(step.device, facts->name) &&
		     strcmp(step.device, host)) ||
		    !step.before_value || !step.after_value ||
		    step.state == SSDPM_STEP_LEFT_ALONE)
			continue;
		before->kind = after->kind = SSDPM_POLICY_LPM;
		before->lpm = step.before_value->lpm;
		after->lpm = step.after_value->lpm;
		return true;
	}
	return false;
}

int ssdpm_plan_get_policies(const struct ssdpm_plan *plan,
			    const struct ssdpm_device *device,
			    struct ssdpm_policy *ret_before,
			    struct ssdpm_policy *ret_after,
			    struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	struct ssdpm_policy before = { .kind = 0 }, after = before;
	int err = ssdpm__sized_check(ret_before, sizeof(before), "ssdpm_policy",
				     reterr);

	if (!err)
		err = ssdpm__sized_check(ret_after, sizeof(after),
					 "ssdpm_policy", reterr);
	if (err)
		return err;
	if (!find_tables(plan, facts->name, &before, &after) &&
	    !find_lpms(plan, facts, &before, &after))
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "%s: the plan has no table and no link "
				   "policy of it",
				   facts->name);
	ssdpm__sized_out(ret_before, &before, sizeof(before));
	ssdpm__sized_out(ret_after, &after, sizeof(after));
	return 0;
}

/* Linux keeps its defaults where the route leaves them alone. */
static void take_params(const struct ssdpm_recommendation *r,
			struct ssdpm_apst_params *ret_params)
{
	ssdpm_apst_params_init(ret_params, sizeof(*ret_params));
	ret_params->max_exit_latency_us = r->limit_us;
	if (r->route != SSDPM_ROUTE_NVME_CORE)
		return;
	ret_params->primary_timeout_ms = r->primary_timeout_ms;
	ret_params->primary_latency_tolerance_us =
		r->primary_latency_tolerance_us;
	ret_params->secondary_timeout_ms = r->secondary_timeout_ms;
	ret_params->secondary_latency_tolerance_us =
		r->secondary_latency_tolerance_us;
}

int ssdpm_recommendation_get_changes(const struct ssdpm_recommendation *found,
				     const struct ssdpm_device *device,
				     const struct ssdpm_machine_facts *facts,
				     struct ssdpm_change **ret_changes,
				     size_t *ret_n, struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params params;

	if (!found->possible || found->route == SSDPM_ROUTE_RAW_TABLE) {
		*ret_changes = NULL;
		*ret_n = 0;
		return 0;
	}
	take_params(found, &params);
	return ssdpm_device_get_apst_changes(device, facts, &params,
					     ret_changes, ret_n, reterr);
}
