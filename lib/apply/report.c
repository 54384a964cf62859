/* SPDX-License-Identifier: MIT */
/* Each drive of a machine: does it save power, and what would a profile set? */
#include "apply/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct report_item {
	struct ssdpm_device *device;
	struct ssdpm_diagnosis *found;
	size_t n_found;
	struct ssdpm_change *changes;
	size_t n_changes;
	char policy[32];
	struct ssdpm_error error; /* of this drive alone; code 0: none */
};

struct ssdpm_report {
	struct report_item *items;
	size_t n;
};

static bool is_drive(const struct ssdpm_device *device)
{
	return !(ssdpm_device_get_facts(device)->flags &
		 (SSDPM_DEVICE_EMPTY | SSDPM_DEVICE_OPTICAL));
}

/* As its file has it. */
static void word_policy(const struct ssdpm_device_facts *facts, char policy[32])
{
	const uint64_t limit_us = facts->latency_tolerance_us;
	const char *lpm = facts->lpm_word;

	if (facts->known & SSDPM_FACT_LPM)
		lpm = ssdpm_lpm_to_string(facts->lpm);
	if (facts->kind == SSDPM_KIND_SATA)
		snprintf(policy, 32, "%s", lpm);
	else if (facts->known & SSDPM_FACT_LATENCY_TOLERANCE &&
		 limit_us != SSDPM_LATENCY_ANY)
		snprintf(policy, 32, "%" PRIu64, limit_us);
	else if (facts->known & SSDPM_FACT_LATENCY_TOLERANCE)
		strcpy(policy, "any");
}

/* A capture has the table; to read that of a live drive takes a command. */
static int diagnose(struct report_item *item, const struct ssdpm_plan *plan,
		    const struct ssdpm_model *model, struct ssdpm_error *reterr)
{
	struct ssdpm_apst table;
	const bool known = plan->facts.capture &&
			   !ssdpm_device_read_apst(item->device, &table, NULL);

	const struct ssdpm_diagnosis_params params = {
		.size = sizeof(params),
		.facts = &plan->facts,
		.model = model,
		.table = known ? &table : NULL,
	};

	return ssdpm_device_diagnose(item->device, &params, &item->found,
				     &item->n_found, reterr);
}

/* Settings that are wrong, or what this process has too little of. */
static bool concerns_all(int err)
{
	return err == -EINVAL || err == -E2BIG || err == -ERANGE ||
	       err == -ENOMEM || err == -EMFILE || err == -ENFILE;
}

/* A drive that is gone, or cannot be read, does not keep the others. */
static int settle(struct report_item *item, int err,
		  const struct ssdpm_error *error, struct ssdpm_error *reterr)
{
	if (concerns_all(err))
		return ssdpm__pass_on(err, error, reterr);
	if (err)
		item->error = *error;
	return 0;
}

static int examine(struct report_item *item, struct ssdpm_plan *plan,
		   const struct ssdpm_catalogue *catalogue,
		   const struct ssdpm_profile_settings *settings,
		   struct ssdpm_error *reterr)
{
	struct ssdpm_device *device = item->device;
	struct ssdpm_model *model = NULL;
	int err;

	if (device->err)
		return ssdpm__fail(reterr, device->err, 0, "%s",
				   ssdpm_strerror(device->err));
	err = ssdpm__check_tolerance(plan, &device->facts, reterr);
	if (!err)
		err = ssdpm__known_model(device, catalogue, &model, reterr);
	if (!err)
		err = ssdpm_plan_add_profile(plan, device, model, settings,
					     reterr);
	if (!err && is_drive(device))
		err = diagnose(item, plan, model, reterr);
	ssdpm_model_unref(model);
	return err;
}

/* A port without a drive has its steps, and no item. */
static int add_item(struct ssdpm_report *report, struct ssdpm_plan *plan,
		    struct ssdpm_device *device,
		    const struct ssdpm_catalogue *catalogue,
		    const struct ssdpm_profile_settings *settings,
		    struct ssdpm_error *reterr)
{
	struct report_item *item = &report->items[report->n];
	struct ssdpm_error error = { 0 };
	int err;

	item->device = ssdpm_device_ref(device);
	word_policy(ssdpm_device_get_facts(device), item->policy);
	err = examine(item, plan, catalogue, settings, &error);
	err = settle(item, err, &error, reterr);
	if (err || is_drive(device))
		report->n++;
	else
		*item = (struct report_item){ .device = ssdpm_device_unref(
						      device) };
	return err;
}

static struct report_item *find_item(struct ssdpm_report *report,
				     const struct ssdpm_device *device)
{
	for (size_t i = 0; i < report->n; i++)
		if (report->items[i].device == device)
			return &report->items[i];
	return NULL;
}

/* What the steps of drives find; those for all drives find nothing of one. */
static int read_steps(struct ssdpm_report *report, struct ssdpm_plan *plan,
		      struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; !err && i < plan->n_steps; i++) {
		struct step *step = plan->steps[i];
		struct report_item *item = find_item(report, step->source);
		struct ssdpm_error error = { 0 };

		if (!item || !step->read)
			continue;
		err = step->read(plan, step, &error);
		err = settle(item, err, &error, reterr);
	}
	ssdpm__plan_arrange(plan);
	return err;
}

/* A parameter of nvme_core is for all controllers. */
static bool concerns(const struct ssdpm_step *step,
		     const struct ssdpm_device_facts *facts)
{
	return step->flags & SSDPM_STEP_ALL_DRIVES ?
		       facts->kind == SSDPM_KIND_NVME :
		       !strcmp(step->device, facts->name);
}

/* A step has the whole path of its file, for which a change has no room. */
static void add_change(struct report_item *item, const struct ssdpm_step *step)
{
	struct ssdpm_change *change = &item->changes[item->n_changes++];
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(item->device);

	if (step->kind == SSDPM_STEP_LATENCY_TOLERANCE)
		snprintf(change->target, sizeof(change->target),
			 SSDPM__TOLERANCE_FILE, facts->name);
	else if (step->kind == SSDPM_STEP_LPM)
		snprintf(change->target, sizeof(change->target),
			 SSDPM__LPM_FILE, facts->host);
	else
		snprintf(change->target, sizeof(change->target), "%s",
			 step->target);
	snprintf(change->value, sizeof(change->value), "%s", step->after);
}

static int add_changes(struct report_item *item, const struct ssdpm_plan *plan,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	item->changes = calloc(plan->n_order + 1, sizeof(*item->changes));
	if (!item->changes)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		if (step.state == SSDPM_STEP_PLANNED &&
		    step.kind != SSDPM_STEP_REBUILD &&
		    concerns(&step, ssdpm_device_get_facts(item->device)))
			add_change(item, &step);
	return 0;
}

static int fill(struct ssdpm_report *report, struct ssdpm_machine *machine,
		struct ssdpm_plan *plan,
		const struct ssdpm_profile_settings *settings,
		struct ssdpm_error *reterr)
{
	struct ssdpm_catalogue *catalogue = NULL;
	struct ssdpm_device **devices = NULL;
	size_t n = 0;
	int err;

	err = ssdpm_catalogue_new(NULL, 0, &catalogue, reterr);
	if (!err)
		err = ssdpm__device_list_read_all(machine, &devices, &n,
						  reterr);
	report->items = calloc(n + 1, sizeof(*report->items));
	if (!err && !report->items)
		err = ssdpm__no_memory(reterr);
	for (size_t i = 0; !err && i < n; i++)
		err = add_item(report, plan, devices[i], catalogue, settings,
			       reterr);
	if (!err)
		err = read_steps(report, plan, reterr);
	for (size_t i = 0; !err && i < report->n; i++)
		err = add_changes(&report->items[i], plan, reterr);
	ssdpm_device_list_free(devices, n);
	ssdpm_catalogue_free(catalogue);
	return err;
}

int ssdpm_report_new(struct ssdpm_machine *machine,
		     const struct ssdpm_profile_settings *settings,
		     struct ssdpm_report **ret_report,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_report *report = calloc(1, sizeof(*report));
	struct ssdpm_error error = { 0 };
	struct ssdpm_plan *plan = NULL;
	int err;

	if (!report)
		return ssdpm__no_memory(reterr);
	err = ssdpm_plan_new(machine, NULL, &plan, &error);
	if (!err)
		err = fill(report, machine, plan, settings, &error);
	ssdpm_plan_free(plan);
	if (err)
		ssdpm_report_free(report);
	else
		*ret_report = report;
	return ssdpm__pass_on(err, &error, reterr);
}

struct ssdpm_report *ssdpm_report_free(struct ssdpm_report *report)
{
	if (!report)
		return NULL;
	for (size_t i = 0; i < report->n; i++) {
		ssdpm_device_unref(report->items[i].device);
		free(report->items[i].found);
		free(report->items[i].changes);
	}
	free(report->items);
	free(report);
	return NULL;
}

/* The drive was read. */
static void take_findings(const struct report_item *item,
			  struct ssdpm_report_item *result)
{
	result->verdict = item->found->code;
	result->message = item->found->message;
	result->diagnoses = item->found;
	result->n_diagnoses = item->n_found;
	for (size_t i = 0; i < item->n_found; i++)
		if (item->found[i].is_main)
			result->reason = &item->found[i];
	result->risk = ssdpm__risk_of(item->found, item->n_found);
}

int ssdpm_report_get_item(const struct ssdpm_report *report, size_t index,
			  struct ssdpm_report_item *ret_item)
{
	struct ssdpm_report_item result = { 0 };
	const struct ssdpm_device_facts *facts;
	const struct report_item *item;
	int err;

	err = ssdpm__sized_check(ret_item, sizeof(result), "ssdpm_report_item",
				 NULL);
	if (err)
		return err;
	if (index >= report->n)
		return -ERANGE;
	item = &report->items[index];
	facts = ssdpm_device_get_facts(item->device);
	result.name = facts->name;
	result.product = facts->product;
	result.policy = item->policy;
	result.error = item->error.code;
	result.message = item->error.message;
	if (!item->error.code) {
		result.device = item->device;
		take_findings(item, &result);
		result.changes = item->changes;
		result.n_changes = item->n_changes;
	}
	ssdpm__sized_out(ret_item, &result, sizeof(result));
	return 0;
}
