/* SPDX-License-Identifier: MIT */
/* Each drive of a machine, as it is today and as a profile would have it. */
#include "report/internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"

enum { BEFORE, AFTER, CHUNK = 512 };

int ssdpm__begin_comparison(const struct report_task *task,
			    struct energy_item *item,
			    const struct ssdpm_policy *today,
			    struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params params;
	int err;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.flags = task->params.flags & SSDPM_SIM_LIKELY;
	err = ssdpm_comparison_new(item->model, &params, &item->settings,
				   &item->comparison, reterr);
	if (!err)
		err = ssdpm_comparison_add(item->comparison, "today", today,
					   reterr);
	return err;
}

/* Where nothing changes, the second row is the same. */
static int add_profile(const struct report_task *task, struct energy_item *item,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_policy before = { .size = sizeof(before) }, after = before;
	struct ssdpm_device *device = item->drive.device;
	int err = ssdpm_plan_add_profile(task->plan, device, item->model,
					 task->params.settings, reterr);

	if (!err)
		err = ssdpm__get_policies(task, item, &before, &after, reterr);
	if (!err)
		err = ssdpm__begin_comparison(task, item, &before, reterr);
	item->chosen = AFTER;
	return err ? err :
		     ssdpm_comparison_add(item->comparison, "profile", &after,
					  reterr);
}

/* With SSDPM_ENERGY_REPORT_AWAKE, a simulation that decides nothing is left
 * out.
 */
static int check_choice(const struct report_task *task,
			const struct energy_item *item,
			struct ssdpm_error *reterr)
{
	struct ssdpm_compared_policy row = { .size = sizeof(row) };

	if (!(task->params.flags & SSDPM_ENERGY_REPORT_AWAKE) ||
	    item->link.finding)
		return 0;
	for (size_t i = 1; i <= item->n_candidates; i++)
		if (!ssdpm_comparison_get_row(item->comparison, i, &row) &&
		    row.same_as)
			return 0;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "no other setting changes what it does");
}

/* Not with a policy that has lost data; and a link that sleeps is no disk that
 * does. */
static bool sleeps(const struct ssdpm_report_item *drive)
{
	return drive->verdict == SSDPM_DIAGNOSIS_SAVES && !drive->risk &&
	       !(ssdpm_device_get_facts(drive->device)->flags &
		 SSDPM_DEVICE_ROTATIONAL);
}

static int begin_drive(const struct report_task *task, struct energy_item *item,
		       struct ssdpm_error *reterr)
{
	int err;

	if (item->drive.error)
		return ssdpm__fail(reterr, item->drive.error, 0, "%s",
				   item->drive.message);
	err = ssdpm__check_place(ssdpm_device_get_facts(item->drive.device),
				 reterr);
	if (err)
		return err;
	if (task->params.flags & SSDPM_ENERGY_REPORT_AWAKE &&
	    sleeps(&item->drive))
		return ssdpm__fail(reterr, -EALREADY, 0, "it sleeps");
	err = ssdpm_device_read_model(item->drive.device, 0, task->catalogue,
				      &item->model, reterr);
	item->settings.size = sizeof(item->settings);
	if (!err)
		err = ssdpm_device_check_estimable(item->drive.device,
						   item->model, reterr);
	if (!err)
		err = ssdpm_device_get_settings(item->drive.device,
						&task->facts, item->model,
						&item->settings, reterr);
	if (err)
		return err;
	if (!task->params.patience)
		return add_profile(task, item, reterr);
	err = ssdpm__add_candidates(task, item, reterr);
	if (!err)
		err = ssdpm__look_at_link(task, item, reterr);
	if (!err)
		err = check_choice(task, item, reterr);
	return err ? err : ssdpm__begin_further(task, item, reterr);
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

static void find_alike(const struct report_task *task,
		       struct ssdpm_energy_report *report, size_t index)
{
	struct energy_item *item = &report->items[index];

	for (size_t i = 0; i < index && !item->like; i++)
		if (!report->items[i].like &&
		    ssdpm__is_alike(task, &report->items[i], item))
			item->like = &report->items[i];
	if (!item->like)
		return;
	item->comparison = ssdpm_comparison_free(item->comparison);
	item->gaps = ssdpm_gaps_unref(item->gaps);
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
		if (item->drive.device)
			item->identity = ssdpm__read_identity(
				report->machine, item->drive.device);
		err = begin_drive(task, item, &error);
		err = settle(item, err, &error, reterr);
		if (!err)
			find_alike(task, report, i);
	}
	return err;
}

static int feed(struct ssdpm_energy_report *report, const struct ssdpm_io *ios,
		size_t n, struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < report->n && !err; i++) {
		const struct energy_item *item = &report->items[i];

		if (item->comparison)
			err = ssdpm_comparison_feed(item->comparison, ios, n,
						    reterr);
		if (!err && item->comparison && item->gaps)
			err = ssdpm_gaps_feed(item->gaps, ios, n, reterr);
	}
	return err;
}

static bool has_work(const struct ssdpm_energy_report *report)
{
	for (size_t i = 0; i < report->n; i++)
		if (report->items[i].comparison)
			return true;
	return false;
}

static int feed_workload(struct ssdpm_energy_report *report,
			 const struct ssdpm_energy_report_params *params,
			 struct ssdpm_error *reterr)
{
	const bool is_needed = has_work(report);
	struct ssdpm_generator_params made;
	struct ssdpm_trace *trace = NULL;
	struct ssdpm_io ios[CHUNK];
	size_t n = 1;
	int err;

	if (params->ios)
		return feed(report, params->ios, params->n_ios, reterr);
	ssdpm_generator_params_init(&made, sizeof(made));
	made.name = params->workload;
	err = ssdpm_trace_generate(&made, &trace, reterr);
	while (!err && n && is_needed) {
		err = ssdpm_trace_read(trace, ios, CHUNK, &n, reterr);
		if (!err)
			err = feed(report, ios, n, reterr);
	}
	ssdpm_trace_free(trace);
	return err;
}

/* The simulation of the other drive is that of this one, too. */
static void take_alike(struct energy_item *item)
{
	const struct energy_item *like = item->like;

	item->comparison = like->comparison;
	item->error = like->error;
	item->chosen = like->chosen;
	item->bounds = like->bounds;
	item->advice = like->advice;
	item->further = like->further;
}

static int finish_drive(const struct report_task *task,
			struct energy_item *item, struct ssdpm_error *reterr)
{
	int err = ssdpm_comparison_finish(item->comparison, task->params.end_ns,
					  reterr);

	if (!err && task->params.patience)
		ssdpm__choose(task, item);
	if (!err && task->params.patience)
		err = ssdpm__find_further(task, item, reterr);
	return err;
}

static int finish_drives(const struct report_task *task,
			 struct ssdpm_energy_report *report,
			 struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < report->n && !err; i++) {
		struct energy_item *item = &report->items[i];
		struct ssdpm_error error = { 0 };

		if (item->like)
			take_alike(item);
		else if (item->comparison)
			err = finish_drive(task, item, &error);
		err = settle(item, err, &error, reterr);
		if (!err && item->comparison)
			err = ssdpm__find_link_saving(item, reterr);
	}
	return err;
}

static int check_params(const struct ssdpm_energy_report_params *params,
			struct ssdpm_error *reterr)
{
	if (params->flags &
	    ~(uint32_t)(SSDPM_SIM_LIKELY | SSDPM_ENERGY_REPORT_AWAKE |
			SSDPM_ENERGY_REPORT_FURTHER))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"ssdpm_energy_report_params: flags: 0x%x has "
			"unknown bits",
			params->flags);
	if (params->patience && !ssdpm_patience_to_string(params->patience))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_energy_report_params: patience: "
				   "%u is unknown",
				   params->patience);
	if (params->patience &&
	    (params->settings || !(params->flags & SSDPM_SIM_LIKELY)))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_energy_report_params: patience: it "
				   "takes SSDPM_SIM_LIKELY and no settings");
	if (!params->patience && params->flags & ~(uint32_t)SSDPM_SIM_LIKELY)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_energy_report_params: flags: all but "
				   "SSDPM_SIM_LIKELY need a patience");
	if (params->hours_per_day > 24 || !(params->price_per_kwh >= 0) ||
	    (params->price_per_kwh > 0 && !params->hours_per_day) ||
	    !isfinite(params->price_per_kwh))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_energy_report_params: a price is at "
				   "least 0, of 1 to 24 hours_per_day");
	if (params->ios && !params->n_ios)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "the workload has no record");
	return 0;
}

static int fill(struct ssdpm_energy_report *report, struct report_task *task,
		struct ssdpm_machine *machine, struct ssdpm_error *reterr)
{
	int err;

	err = ssdpm__check_reserved(task->params.reserved,
				    "ssdpm_energy_report_params", reterr);
	if (!err)
		err = check_params(&task->params, reterr);
	if (err)
		return err;
	report->machine = ssdpm_machine_ref(machine);
	report->hours_per_day = task->params.hours_per_day;
	report->price_per_kwh = task->params.price_per_kwh;
	if (!task->params.workload)
		task->params.workload = ssdpm_machine_get_workload(machine);
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
		err = finish_drives(task, report, reterr);
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

static void free_item(struct energy_item *item)
{
	if (!item->like)
		ssdpm_comparison_free(item->comparison);
	ssdpm_model_unref(item->model);
	free(item->candidates);
	free(item->trial);
	ssdpm_gaps_unref(item->gaps);
	ssdpm_recommendations_free(item->recommendations);
}

struct ssdpm_energy_report *ssdpm_energy_report_free(
	struct ssdpm_energy_report *report)
{
	if (!report)
		return NULL;
	for (size_t i = 0; i < report->n; i++)
		free_item(&report->items[i]);
	free(report->items);
	ssdpm_report_free(report->report);
	ssdpm_machine_unref(report->machine);
	free(report);
	return NULL;
}

static void take_rows(const struct ssdpm_comparison *comparison, size_t chosen,
		      struct ssdpm_energy_report_item *item)
{
	struct ssdpm_compared_policy before = { .size = sizeof(before) };
	struct ssdpm_compared_policy after = { .size = sizeof(after) };

	ssdpm_comparison_get_row(comparison, BEFORE, &before);
	ssdpm_comparison_get_row(comparison, chosen, &after);
	item->before = before.result->nominal;
	item->after = after.result->nominal;
	item->saving = after.saving;
	item->likely = after.likely;
	item->added_mean_ns = (int64_t)(item->after->delay_mean_ns -
					item->before->delay_mean_ns);
	item->added_p99_ns = (int64_t)(item->after->delay_p99_ns -
				       item->before->delay_p99_ns);
}

int ssdpm__get_row(const struct energy_item *item, const char *name,
		   struct ssdpm_compared_policy *ret_row)
{
	size_t i = 0;
	int err;

	do
		err = ssdpm_comparison_get_row(item->comparison, i++, ret_row);
	while (!err && strcmp(ret_row->name, name));
	return err;
}

/* Without SSDPM_ENERGY_REPORT_FURTHER there is no such row. */
static const struct ssdpm_likely *find_awake(const struct energy_item *item)
{
	struct ssdpm_compared_policy row = { .size = sizeof(row) };

	return ssdpm__get_row(item, ROW_AWAKE, &row) ? NULL : row.likely;
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
		take_rows(item->comparison, item->chosen, &result);
	if (item->comparison)
		result.model = item->model;
	if (item->comparison && item->candidates) {
		result.advice = item->advice;
		result.bounds = &item->bounds;
		result.trial = item->trial;
		result.takes_trial = ssdpm__takes_trial(item);
		result.trial_likely_uw =
			ssdpm__find_trial_likely_uw(item, result.likely);
		result.further =
			ssdpm__get_further(item, &result.further_gain_uw);
		result.awake = find_awake(item);
		result.link = item->link.finding ? &item->link : NULL;
	}
	if (result.bounds && item->chosen)
		result.settings = item->advice == SSDPM_ADVICE_REBUILD ?
					  &item->limit_today :
					  &item->candidates[item->chosen - 1];
	ssdpm__sized_out(ret_item, &result, sizeof(result));
	return 0;
}

static const char energy_report_flag_words[][8] = {
	[FLAG(SSDPM_ENERGY_REPORT_AWAKE)] = "awake",
	[FLAG(SSDPM_ENERGY_REPORT_FURTHER)] = "further",
};
FLAG_WORDS(energy_report_flag)
