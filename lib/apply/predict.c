/* SPDX-License-Identifier: MIT */
/* The tables that the kernel has built, and that it will build. */
#include "apply/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void apply_parameter(const struct step *step,
			    struct ssdpm_apst_params *params)
{
	const uint64_t value = step->change.after.is.nvme_core;

	switch (ssdpm__parameter_of(step->change.path)) {
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

/*
 * Steps that are left alone change nothing, nor do those of a device that has
 * failed beside others; all others are, or will be, so.
 */
static void apply_steps(const struct ssdpm_plan *plan,
			const struct ssdpm_device_facts *facts,
			struct ssdpm_apst_params *params)
{
	char path[SSDPM__TARGET_BYTES];
	bool has_path = ssdpm__tolerance_path(facts, path);

	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct step *step = plan->steps[i];
		const struct change *change = &step->change;

		if (step->state == SSDPM_STEP_LEFT_ALONE ||
		    (plan->is_each &&
		     ssdpm_plan_has_failed(plan, step->device)))
			continue;
		if (change->kind->role == ROLE_PARAMETER)
			apply_parameter(step, params);
		else if (change->kind->role == ROLE_TOLERANCE && has_path &&
			 !strcmp(change->path, path))
			params->max_exit_latency_us =
				change->after.is.max_exit_latency_us;
	}
}

int ssdpm__predict(const struct ssdpm_plan *plan,
		   const struct plan_drive *drive, bool after,
		   struct ssdpm_apst *ret_table, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	struct ssdpm_apst_params params;
	const struct step *step =
		after ? ssdpm__plan_find_table(plan, drive) : NULL;
	int err;

	if (step) {
		*ret_table = step->change.after.is.table;
		return 0;
	}
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

bool ssdpm__is_sure(const struct plan_drive *drive)
{
	return drive->model && ssdpm_model_get_info(drive->model)->provenance ==
				       SSDPM_PROVENANCE_REPORTED;
}

/* Tell the caller before the table is replaced. */
static int say_foreign(struct plan_drive *drive, struct ssdpm_error *reterr)
{
	if (!drive->is_foreign || !drive->rebuild)
		return 0;
	return ssdpm__step_set_why(
		drive->rebuild, reterr,
		"the table in force is not what Linux makes of what is set: "
		"another value and this one make it build its own%s",
		ssdpm__foreign_words);
}

static int compare_table(struct plan_drive *drive,
			 const struct ssdpm_apst *predicted,
			 struct ssdpm_error *reterr)
{
	const char *path = ssdpm_device_get_facts(drive->device)->path + 1;
	struct change *table = &drive->table;
	struct ssdpm_step_value now = { 0 };
	struct ssdpm_error error;
	int err;

	table->kind = ssdpm__kind(SSDPM_STEP_APST);
	err = table->kind->command->ask(drive->device, &now, &error);
	if (err == -ENOMEM)
		return ssdpm__pass_on(err, &error, reterr);
	if (err)
		return ssdpm__set_string(&drive->unread, error.message, reterr);
	err = ssdpm__set_string(&table->path, path, reterr);
	if (err)
		return err;
	err = ssdpm__read_serial(drive->device->machine, table, &table->serial,
				 reterr);
	if (err)
		return err;
	ssdpm__value_set(table->kind, &now, &table->before);
	/* Once it is replaced the record has what took its place. */
	memset(&table->after, 0, sizeof(table->after));
	drive->is_foreign =
		ssdpm__compare_tables("", &now.table, predicted, NULL);
	return say_foreign(drive, reterr);
}

/*
 * Somebody may have set a table of his own, or parameters that no table was
 * built from since: what is set says nothing of either.
 */
int ssdpm__look_at_table(const struct ssdpm_plan *plan,
			 struct plan_drive *drive, struct ssdpm_error *reterr)
{
	struct ssdpm_apst predicted;
	int err;

	if (drive->is_looked_at || plan->machine->capture ||
	    !ssdpm__is_sure(drive))
		return 0;
	err = ssdpm__predict(plan, drive, false, &predicted, reterr);
	if (err == -ENOMEM)
		return err;
	if (!err && predicted.sent)
		err = compare_table(drive, &predicted, reterr);
	else
		err = 0;
	drive->is_looked_at = !err;
	return err;
}

static const struct plan_drive *get_drive(const struct ssdpm_plan *plan,
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
	const struct plan_drive *drive;
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
	if (!ssdpm__predict(plan, drive, false, &result.before, NULL))
		result.known |= SSDPM_TABLE_BEFORE;
	/* One that is not what Linux makes of what is set was read. */
	if (drive->is_foreign) {
		result.before = drive->table.before.is.table;
		result.known |= SSDPM_TABLE_BEFORE;
	}
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
