/* SPDX-License-Identifier: MIT */
/* A plan as policies to simulate, and a recommendation as what to write. */
#include "report/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "common/linux-release.h"

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

/* Only the table of a capture is read: a live drive would have to be asked. */
static int fail_without_table(struct ssdpm_device *of_capture,
			      struct ssdpm_error *reterr)
{
	struct ssdpm_apst table;
	int err = of_capture ?
			  ssdpm_device_read_apst(of_capture, &table, reterr) :
			  -ENOENT;

	if (err && err != -ENOENT)
		return err;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   err ? "no APST table is known that it can follow" :
				 "the APST table that was read is none that "
				 "it can follow");
}

/* The table in force, which a capture may have from other settings. */
static int take_today(const struct ssdpm_device_settings *today,
		      struct ssdpm_device *of_capture,
		      struct ssdpm_policy *before, struct ssdpm_error *reterr)
{
	struct ssdpm_device_settings known = { .size = sizeof(known) };
	int err = ssdpm__sized_in(&known, sizeof(known), today,
				  "ssdpm_device_settings", reterr);

	if (err || before->kind != SSDPM_POLICY_TABLE)
		return err;
	if (!(known.known & SSDPM_SETTING_APST))
		return fail_without_table(of_capture, reterr);
	before->table = known.apst;
	return 0;
}

int ssdpm_plan_get_policies(const struct ssdpm_plan *plan,
			    const struct ssdpm_device *device,
			    const struct ssdpm_device_settings *today,
			    struct ssdpm_policy *ret_before,
			    struct ssdpm_policy *ret_after,
			    struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	struct ssdpm_policy before = { .kind = 0 }, after = before;
	struct ssdpm_apst made;
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
	made = before.table;
	if (today)
		err = take_today(today, NULL, &before, reterr);
	if (err)
		return err;
	/* A plan that builds no other table leaves the one in force. */
	if (today && before.kind == SSDPM_POLICY_TABLE &&
	    !memcmp(&made, &after.table, sizeof(made)))
		after.table = before.table;
	ssdpm__sized_out(ret_before, &before, sizeof(before));
	ssdpm__sized_out(ret_after, &after, sizeof(after));
	return 0;
}

int ssdpm__get_policies(const struct report_task *task,
			struct energy_item *item,
			struct ssdpm_policy *ret_before,
			struct ssdpm_policy *ret_after,
			struct ssdpm_error *reterr)
{
	struct ssdpm_device *device = item->drive.device;
	int err = ssdpm_plan_get_policies(task->plan, device, NULL, ret_before,
					  ret_after, reterr);

	if (err)
		return err;
	item->made = ret_before->table;
	return take_today(&item->settings, task->facts.capture ? device : NULL,
			  ret_before, reterr);
}

static void take_params(const struct ssdpm_recommendation *r,
			struct ssdpm_apst_params *ret_params)
{
	ssdpm_apst_params_init(ret_params, sizeof(*ret_params));
	ret_params->max_exit_latency_us = r->limit_us;
	ret_params->primary_timeout_ms = r->primary_timeout_ms;
	ret_params->primary_latency_tolerance_us =
		r->primary_latency_tolerance_us;
	ret_params->secondary_timeout_ms = r->secondary_timeout_ms;
	ret_params->secondary_latency_tolerance_us =
		r->secondary_latency_tolerance_us;
}

/* The file of the port. */
static int give_link_change(const struct ssdpm_recommendation *r,
			    const struct ssdpm_device *device,
			    struct ssdpm_change **ret_changes, size_t *ret_n,
			    struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts =
		device ? ssdpm_device_get_facts(device) : NULL;
	struct ssdpm_change *change;
	char host[16] = "hostN";
	int err = facts ? ssdpm__check_link(device, reterr) : 0;

	if (err)
		return err;
	change = calloc(1, sizeof(*change));
	if (!change)
		return ssdpm__no_memory(reterr);
	if (facts)
		snprintf(host, sizeof(host), "host%u", facts->host);
	snprintf(change->target, sizeof(change->target),
		 "/sys/class/scsi_host/%s/link_power_management_policy", host);
	snprintf(change->value, sizeof(change->value), "%s",
		 ssdpm_lpm_to_string(r->lpm));
	*ret_changes = change;
	*ret_n = 1;
	return 0;
}

static bool has_changes(const struct ssdpm_recommendation *r)
{
	if (r->route == SSDPM_ROUTE_LINK_POLICY)
		return r->lpm;
	return r->possible && r->route != SSDPM_ROUTE_RAW_TABLE;
}

int ssdpm_recommendation_get_changes(const struct ssdpm_recommendation *found,
				     const struct ssdpm_device *device,
				     const struct ssdpm_machine_facts *facts,
				     struct ssdpm_change **ret_changes,
				     size_t *ret_n, struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params params;
	int err = device ? ssdpm__check_place(ssdpm_device_get_facts(device),
					      reterr) :
			   0;

	if (err)
		return err;
	if (found->route == SSDPM_ROUTE_RAW_TABLE && facts &&
	    ssdpm__refuses_raw_table(facts->linux_release))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "Linux %s refuses a raw table",
				   facts->linux_release);
	if (!has_changes(found)) {
		*ret_changes = NULL;
		*ret_n = 0;
		return 0;
	}
	if (found->route == SSDPM_ROUTE_LINK_POLICY)
		return give_link_change(found, device, ret_changes, ret_n,
					reterr);
	take_params(found, &params);
	return ssdpm_device_get_apst_changes(device, facts, &params,
					     ret_changes, ret_n, reterr);
}
