/* SPDX-License-Identifier: MIT */
/* Each drive of a machine, as it is today and as a profile would have it. */
#include <ssdpm/energy/report.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

enum { BEFORE, AFTER, CHUNK = 512 };

struct energy_item {
	struct ssdpm_report_item drive;
	struct ssdpm_comparison *comparison; /* NULL: there is an error */
	struct ssdpm_error error;
};

struct ssdpm_energy_report {
	struct ssdpm_report *report;
	struct energy_item *items;
	size_t n;
};

/* What all drives have in common. */
struct report_task {
	struct ssdpm_energy_report_params params;
	struct ssdpm_machine_facts facts;
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_plan *plan;
};

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
	/* A port with several disks has a name of its own. */
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

/* Today is the first row; where nothing changes, the second is the same. */
static int compare(const struct report_task *task,
		   const struct ssdpm_device *device,
		   const struct ssdpm_model *model, struct energy_item *item,
		   struct ssdpm_error *reterr)
{
	struct ssdpm_device_settings settings = { .size = sizeof(settings) };
	struct ssdpm_policy before = { .size = sizeof(before) }, after = before;
	struct ssdpm_sim_params params;
	int err = ssdpm_device_get_settings(device, &task->facts, model,
					    &settings, reterr);

	ssdpm_sim_params_init(&params, sizeof(params));
	params.flags = task->params.flags;
	if (!err)
		err = ssdpm_plan_get_policies(task->plan, device, &before,
					      &after, reterr);
	if (!err)
		err = ssdpm_comparison_new(model, &params, &settings,
					   &item->comparison, reterr);
	if (!err)
		err = ssdpm_comparison_add(item->comparison, "today", &before,
					   reterr);
	if (!err)
		err = ssdpm_comparison_add(item->comparison, "profile", &after,
					   reterr);
	return err;
}

static int begin_drive(const struct report_task *task, struct energy_item *item,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_device *device = item->drive.device;
	struct ssdpm_model *model = NULL;
	int err;

	if (item->drive.error)
		return ssdpm__fail(reterr, item->drive.error, 0, "%s",
				   item->drive.message);
	err = ssdpm_device_read_model(device, 0, task->catalogue, &model,
				      reterr);
	if (!err)
		err = ssdpm_plan_add_profile(task->plan, device, model,
					     task->params.settings, reterr);
	if (!err)
		err = compare(task, device, model, item, reterr);
	ssdpm_model_unref(model);
	return err;
}

/* What fails for one drive does not keep the others. */
static int settle(struct energy_item *item, int err,
		  const struct ssdpm_error *error, struct ssdpm_error *reterr)
{
	if (err == -ENOMEM)
		return ssdpm__pass_on(err, error, reterr);
	if (err) {
		item->comparison = ssdpm_comparison_free(item->comparison);
		item->error = *error;
	}
	return 0;
}

static int begin_drives(const struct report_task *task,
			struct ssdpm_energy_report *report,
			struct ssdpm_error *reterr)
{
	struct ssdpm_report_item drive = { .size = sizeof(drive) };
	int err = 0;

	while (!ssdpm_report_get_item(report->report, report->n, &drive))
		report->n++;
	report->items = calloc(report->n + 1, sizeof(*report->items));
	if (!report->items) {
		report->n = 0;
		return ssdpm__no_memory(reterr);
	}
	for (size_t i = 0; i < report->n && !err; i++) {
		struct energy_item *item = &report->items[i];
		struct ssdpm_error error = { 0 };

		item->drive.size = sizeof(item->drive);
		ssdpm_report_get_item(report->report, i, &item->drive);
		err = begin_drive(task, item, &error);
		err = settle(item, err, &error, reterr);
	}
	return err;
}

static int feed(struct ssdpm_energy_report *report, const struct ssdpm_io *ios,
		size_t n, struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < report->n && !err; i++)
		if (report->items[i].comparison)
			err = ssdpm_comparison_feed(report->items[i].comparison,
						    ios, n, reterr);
	return err;
}

static int feed_workload(struct ssdpm_energy_report *report,
			 const struct ssdpm_energy_report_params *params,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_generator_params made;
	struct ssdpm_trace *trace = NULL;
	struct ssdpm_io ios[CHUNK];
	size_t n = 1;
	int err;

	if (params->ios)
		return feed(report, params->ios, params->n_ios, reterr);
	ssdpm_generator_params_init(&made, sizeof(made));
	made.name = params->workload ? params->workload : "lomax";
	err = ssdpm_trace_generate(&made, &trace, reterr);
	while (!err && n) {
		err = ssdpm_trace_read(trace, ios, CHUNK, &n, reterr);
		if (!err)
			err = feed(report, ios, n, reterr);
	}
	ssdpm_trace_free(trace);
	return err;
}

static int finish_drives(struct ssdpm_energy_report *report, uint64_t end_ns,
			 struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < report->n && !err; i++) {
		struct energy_item *item = &report->items[i];
		struct ssdpm_error error = { 0 };

		if (!item->comparison)
			continue;
		err = ssdpm_comparison_finish(item->comparison, end_ns, &error);
		err = settle(item, err, &error, reterr);
	}
	return err;
}

static int fill(struct ssdpm_energy_report *report, struct report_task *task,
		struct ssdpm_machine *machine, struct ssdpm_error *reterr)
{
	int err;

	if (task->params.flags & ~(uint32_t)SSDPM_SIM_LIKELY)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"ssdpm_energy_report_params: flags: 0x%x has "
			"unknown bits",
			task->params.flags);
	err = ssdpm__check_reserved(task->params.reserved,
				    "ssdpm_energy_report_params", reterr);
	if (err)
		return err;
	if (task->params.ios && !task->params.n_ios)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "the workload has no record");
	err = ssdpm_report_new(machine, task->params.settings, &report->report,
			       reterr);
	if (!err)
		err = ssdpm_machine_read_facts(machine, &task->facts, reterr);
	if (!err)
		err = ssdpm_catalogue_new(NULL, 0, &task->catalogue, reterr);
	if (!err)
		err = ssdpm_plan_new(machine, NULL, &task->plan, reterr);
	if (!err)
		err = begin_drives(task, report, reterr);
	if (!err)
		err = feed_workload(report, &task->params, reterr);
	if (!err)
		err = finish_drives(report, task->params.end_ns, reterr);
	ssdpm_plan_free(task->plan);
	ssdpm_catalogue_free(task->catalogue);
	return err;
}

int ssdpm_energy_report_new(struct ssdpm_machine *machine,
			    const struct ssdpm_energy_report_params *params,
			    struct ssdpm_energy_report **ret_report,
			    struct ssdpm_error *reterr)
{
	struct report_task task = { .params.size = sizeof(task.params),
				    .facts.size = sizeof(task.facts) };
	struct ssdpm_energy_report *report;
	struct ssdpm_error error = { 0 };
	int err = ssdpm__sized_in(&task.params, sizeof(task.params), params,
				  "ssdpm_energy_report_params", reterr);

	if (err)
		return err;
	report = calloc(1, sizeof(*report));
	if (!report)
		return ssdpm__no_memory(reterr);
	err = fill(report, &task, machine, &error);
	if (err)
		ssdpm_energy_report_free(report);
	else
		*ret_report = report;
	return ssdpm__pass_on(err, &error, reterr);
}

struct ssdpm_energy_report *ssdpm_energy_report_free(
	struct ssdpm_energy_report *report)
{
	if (!report)
		return NULL;
	for (size_t i = 0; i < report->n; i++)
		ssdpm_comparison_free(report->items[i].comparison);
	free(report->items);
	ssdpm_report_free(report->report);
	free(report);
	return NULL;
}

static void take_rows(const struct ssdpm_comparison *comparison,
		      struct ssdpm_energy_report_item *item)
{
	struct ssdpm_compared_policy before = { .size = sizeof(before) };
	struct ssdpm_compared_policy after = { .size = sizeof(after) };

	ssdpm_comparison_get_row(comparison, BEFORE, &before);
	ssdpm_comparison_get_row(comparison, AFTER, &after);
	item->before = before.result->nominal;
	item->after = after.result->nominal;
	item->saving = after.saving;
	item->likely = after.likely;
	item->added_mean_ns = (int64_t)(item->after->delay_mean_ns -
					item->before->delay_mean_ns);
	item->added_p99_ns = (int64_t)(item->after->delay_p99_ns -
				       item->before->delay_p99_ns);
}

int ssdpm_energy_report_get_item(const struct ssdpm_energy_report *report,
				 size_t index,
				 struct ssdpm_energy_report_item *ret_item)
{
	struct ssdpm_energy_report_item result = { 0 };
	const struct energy_item *item;
	int err = ssdpm__sized_check(ret_item, sizeof(result),
				     "ssdpm_energy_report_item", NULL);

	if (err)
		return err;
	if (index >= report->n)
		return -ERANGE;
	item = &report->items[index];
	result.drive = &item->drive;
	result.error = item->error.code;
	result.message = item->error.message;
	if (item->comparison)
		take_rows(item->comparison, &result);
	ssdpm__sized_out(ret_item, &result, sizeof(result));
	return 0;
}

/* What to write for a recommendation. */

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
