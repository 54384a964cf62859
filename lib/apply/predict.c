/* SPDX-License-Identifier: MIT */
/* The tables that the kernel has built, and that it will build. */
#include "apply/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void apply_parameter(const struct step *step,
			    struct ssdpm_apst_params *params)
{
	uint64_t value = strtoull(step->change.after, NULL, 10);

	switch (step->parameter) {
	case SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS:
		params->primary_timeout_ms = value;
		break;
	case SSDPM_NVME_CORE_APST_PRIMARY_LATENCY_TOL_US:
		params->primary_latency_tolerance_us = value;
		break;
	case SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS:
		params->secondary_timeout_ms = value;
		break;
	case SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US:
		params->secondary_latency_tolerance_us = value;
		break;
	}
}

static uint64_t parse_tolerance(const char *value)
{
	if (!strcmp(value, "any"))
		return SSDPM_LATENCY_ANY;
	return strtoull(value, NULL, 10);
}

/* Steps that are left alone change nothing; all others are, or will be, so. */
static void apply_steps(const struct ssdpm_plan *plan,
			const struct ssdpm_device_facts *facts,
			struct ssdpm_apst_params *params)
{
	char path[SSDPM__TARGET_BYTES];
	bool has_path = ssdpm__tolerance_path(facts, path);

	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct step *step = plan->steps[i];

		if (step->state == SSDPM_STEP_LEFT_ALONE)
			continue;
		if (step->change.kind == SSDPM_STEP_NVME_CORE)
			apply_parameter(step, params);
		else if (step->change.kind == SSDPM_STEP_LATENCY_TOLERANCE &&
			 has_path && !strcmp(step->change.path, path))
			params->max_exit_latency_us =
				parse_tolerance(step->change.after);
	}
}

int ssdpm__predict(const struct ssdpm_plan *plan, const struct drive *drive,
		   bool after, struct ssdpm_apst *ret_table,
		   struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	struct ssdpm_apst_params params;
	const struct step *step =
		after ? ssdpm__plan_find_table(plan, drive) : NULL;
	int err;

	if (step)
		return ssdpm__value_to_table(step->change.after, ret_table,
					     reterr);
	err = ssdpm_apst_params_init(&params, sizeof(params));
	if (!err)
		err = ssdpm_device_get_apst_params(drive->device, &plan->facts,
						   drive->model, &params,
						   reterr);
	if (err)
		return err;
	if (after)
		apply_steps(plan, facts, &params);
	return ssdpm_apst_generate(drive->model, &params, ret_table, reterr);
}

bool ssdpm__is_sure(const struct drive *drive)
{
	return drive->model && ssdpm_model_get_info(drive->model)->provenance ==
				       SSDPM_PROVENANCE_REPORTED;
}

static int note_table(const struct drive *drive, struct change *table,
		      struct ssdpm_error *reterr)
{
	const char *path = ssdpm_device_get_facts(drive->device)->path + 1;
	char value[SSDPM__VALUE_BYTES];
	struct ssdpm_apst now;
	int err;

	err = ssdpm_device_read_apst(drive->device, &now, reterr);
	if (!err)
		err = ssdpm__table_to_value(&now, value, reterr);
	if (!err)
		err = ssdpm__set_string(&table->path, path, reterr);
	/* Once it is replaced the record has what took its place. */
	if (!err)
		err = ssdpm__set_string(&table->after, "", reterr);
	if (!err)
		err = ssdpm__set_string(&table->before, value, reterr);
	return err;
}

/*
 * Somebody may have set a table of his own, or parameters that no table was
 * built from since: what is set says nothing of either.
 */
int ssdpm__look_at_table(const struct ssdpm_plan *plan, struct drive *drive,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_apst predicted, now;
	struct ssdpm_error error;
	int err;

	if (plan->machine->capture || !ssdpm__is_sure(drive))
		return 0;
	err = ssdpm__predict(plan, drive, false, &predicted, reterr);
	if (err == -ENOMEM)
		return err;
	if (err || !predicted.sent)
		return 0;
	drive->table.kind = SSDPM_STEP_APST;
	err = note_table(drive, &drive->table, &error);
	if (err && err != -ENOMEM)
		return ssdpm__set_string(&drive->unread, error.message, reterr);
	if (!err)
		err = ssdpm__value_to_table(drive->table.before, &now, &error);
	if (err) {
		if (reterr)
			*reterr = error;
		return err;
	}
	drive->is_foreign = ssdpm__compare_tables("", &now, &predicted, NULL);
	return 0;
}

size_t ssdpm_plan_get_n_tables(const struct ssdpm_plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_drives; i++)
		n += plan->drives[i].model != NULL;
	return n;
}

static const struct drive *get_drive(const struct ssdpm_plan *plan,
				     size_t index)
{
	for (size_t i = 0; i < plan->n_drives; i++)
		if (plan->drives[i].model && !index--)
			return &plan->drives[i];
	return NULL;
}

int ssdpm_plan_get_table(const struct ssdpm_plan *plan, size_t index,
			 struct ssdpm_planned_table *ret_table)
{
	struct ssdpm_planned_table result = { 0 };
	const struct drive *drive;
	int err;

	err = ssdpm__sized_check(ret_table, sizeof(result),
				 "ssdpm_planned_table", NULL);
	if (err)
		return err;
	drive = get_drive(plan, index);
	if (!drive)
		return -ERANGE;
	result.device = ssdpm_device_get_facts(drive->device)->name;
	result.provenance = ssdpm_model_get_info(drive->model)->provenance;
	/* A table that is not what Linux makes of what is set was read. */
	err = drive->is_foreign ?
		      ssdpm__value_to_table(drive->table.before, &result.before,
					    NULL) :
		      ssdpm__predict(plan, drive, false, &result.before, NULL);
	if (!err)
		result.known |= SSDPM_TABLE_BEFORE;
	if (!ssdpm__predict(plan, drive, true, &result.after, NULL))
		result.known |= SSDPM_TABLE_AFTER;
	result.built = drive->built;
	if (drive->is_built)
		result.known |= SSDPM_TABLE_BUILT;
	ssdpm__sized_out(ret_table, &result, sizeof(result));
	return 0;
}

static void format_entry(const struct ssdpm_apst_entry *entry, char *text,
			 size_t size)
{
	if (!entry->idle_ms && !entry->target)
		snprintf(text, size, "empty");
	else
		snprintf(text, size, "to PS%u after %u ms", entry->target,
			 entry->idle_ms);
}

int ssdpm__compare_tables(const char *device, const struct ssdpm_apst *built,
			  const struct ssdpm_apst *predicted,
			  struct ssdpm_error *reterr)
{
	uint32_t differs = ssdpm_apst_diff(built, predicted);
	char is[48], must_be[48];
	uint32_t i = 0;

	if (!built->enabled != !predicted->enabled)
		return ssdpm__fail(reterr, -EREMOTEIO, 0,
				   "%s: APST is %s, predicted: %s", device,
				   built->enabled ? "enabled" : "off",
				   predicted->enabled ? "enabled" : "off");
	if (!differs)
		return 0;
	while (!(differs >> i & 1))
		i++;
	format_entry(&built->entries[i], is, sizeof(is));
	format_entry(&predicted->entries[i], must_be, sizeof(must_be));
	return ssdpm__fail(reterr, -EREMOTEIO, 0,
			   "%s: the kernel's entry %u is %s, predicted: %s",
			   device, i, is, must_be);
}
