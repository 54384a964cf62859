/* SPDX-License-Identifier: MIT */
/* Steps for NVMe controllers: a tolerance, parameters, a table of one's own. */
#include "apply/internal.h"
#include "policy/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Its values, planned or in force; its words come later. */
static void set_values(struct step *step, const struct ssdpm_step_value *before,
		       const struct ssdpm_step_value *after)
{
	struct change *change = &step->change;

	ssdpm__value_set(change->kind, before, &change->before);
	ssdpm__value_set(change->kind, after, &change->after);
	ssdpm__step_settle(step);
}

static int check_apst(const struct ssdpm_plan *plan,
		      const struct ssdpm_device_facts *facts,
		      char path[SSDPM__TARGET_BYTES],
		      struct ssdpm_error *reterr)
{
	int err = ssdpm__check_nvme(facts, reterr);

	if (err)
		return err;
	if (facts->known & SSDPM_FACT_LATENCY_TOLERANCE &&
	    ssdpm__tolerance_path(facts, path))
		return 0;
	if (facts->flags & SSDPM_DEVICE_LIMIT_UNREAD) {
		err = ssdpm__check_tolerance(plan, facts, reterr);
		return err ? err :
			     ssdpm__fail(reterr, -EIO, 0,
					 "%s: its latency limit could not be "
					 "read",
					 facts->name);
	}
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "%s: the kernel has no APST for it: %s", facts->name,
			   facts->known & SSDPM_FACT_QUIRKS &&
					   facts->kernel_quirks &
						   SSDPM_QUIRK_NO_APST ?
				   "the quirk no-apst forbids it" :
				   "the drive has none, or a quirk forbids it");
}

/* The kernel's table for a tolerance, in words, as far as it is known. */
static int say_tolerance(const struct ssdpm_plan *plan, struct step *step,
			 const struct ssdpm_device *device,
			 const struct ssdpm_model *model, uint64_t us,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_quantity limit = ssdpm_us_to_text(us);
	uint32_t quirks, from_kernel;
	const char *more = "";

	if (model &&
	    !ssdpm_device_get_quirks(device, &plan->facts, model, &quirks,
				     &from_kernel, NULL) &&
	    quirks & SSDPM_QUIRK_NO_DEEPEST_PS)
		more = "; quirk no-deepest-ps: the kernel never uses the last "
		       "state";
	if (!us)
		return ssdpm__step_set_why(step, reterr, "APST is off");
	if (us == SSDPM_LATENCY_ANY)
		return ssdpm__step_set_why(
			step, reterr, "a state may take any time to leave%s",
			more);
	return ssdpm__step_set_why(step, reterr,
				   "a state may take up to %s to leave%s",
				   limit.text, more);
}

/* The table in force, as far as it is known and matters. */
static int read_foreign(struct ssdpm_plan *plan, struct step *step,
			struct ssdpm_error *reterr)
{
	struct plan_drive *drive = ssdpm__plan_find_drive(plan, step->source);
	bool in_force = step->state == SSDPM_STEP_IN_FORCE;
	int err = ssdpm__look_at_table(plan, drive, reterr);

	if (err)
		return err;
	if (drive->is_foreign && !in_force)
		return ssdpm__step_set_why(
			step, reterr,
			"%.200s; the table in force is not what Linux makes of "
			"what is set%s",
			step->why, ssdpm__foreign_words);
	if (drive->unread && in_force)
		return ssdpm__step_set_why(
			step, reterr,
			"%.200s; whether the table in force is that of Linux "
			"is not known: %.200s",
			step->why, drive->unread);
	return 0;
}

int ssdpm_plan_add_latency_tolerance(struct ssdpm_plan *plan,
				     struct ssdpm_device *device,
				     struct ssdpm_model *model,
				     uint64_t max_exit_latency_us,
				     struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	const struct ssdpm_step_value before = {
		.max_exit_latency_us = facts->latency_tolerance_us,
	};
	const struct ssdpm_step_value after = {
		.max_exit_latency_us = max_exit_latency_us,
	};
	char path[SSDPM__TARGET_BYTES];
	struct step *step;
	int err;

	err = ssdpm__plan_check_open(plan, reterr);
	if (!err)
		err = check_apst(plan, facts, path, reterr);
	if (err)
		return err;
	if (!ssdpm__profile_takes(SSDPM_PROFILE_MAX_EXIT_LATENCY,
				  max_exit_latency_us))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "%s: %" PRIu64 " us is more than the kernel "
				   "takes, %u us: say any",
				   facts->name, max_exit_latency_us,
				   SSDPM_LATENCY_MAX);
	err = ssdpm__step_new(SSDPM_STEP_LATENCY_TOLERANCE, path, facts->name,
			      &step, reterr);
	if (err)
		return err;
	step->read = read_foreign;
	step->source = ssdpm_device_ref(device);
	set_values(step, &before, &after);
	err = say_tolerance(plan, step, device, model, max_exit_latency_us,
			    reterr);
	if (!err)
		err = ssdpm__plan_add_drive(plan, device, model, reterr);
	if (!err && max_exit_latency_us)
		err = ssdpm__step_warn(plan, step, device, model, reterr);
	if (!err)
		return ssdpm__plan_put(plan, step, reterr);
	ssdpm__step_free(step);
	return err;
}

/* Only a module that is there and lacks the file is too old. */
static int say_no_parameter(const struct ssdpm_plan *plan, uint32_t parameter,
			    struct ssdpm_error *reterr)
{
	const char *name = ssdpm_nvme_core_to_string(parameter);
	char path[SSDPM__TARGET_BYTES];

	ssdpm__parameter_path(parameter, path);
	if (!ssdpm__exists(plan->machine, "sys/module/nvme_core"))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s: nvme_core is not loaded: there is no "
				   "/sys/module/nvme_core",
				   name);
	if (ssdpm__exists(plan->machine, path))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "/%s cannot be read as a number", path);
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "nvme_core has no parameter %s: it came with "
			   "Linux 5.14",
			   name);
}

static int check_parameter(const struct ssdpm_plan *plan, uint32_t parameter,
			   uint64_t value, struct ssdpm_error *reterr)
{
	char path[SSDPM__TARGET_BYTES];
	uint32_t setting;

	if (parameter < SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS ||
	    parameter > SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "parameter %u of nvme_core makes no table",
				   parameter);
	if (!(plan->facts.nvme_core_known & 1u << parameter))
		return say_no_parameter(plan, parameter, reterr);
	ssdpm__parameter_path(parameter, path);
	setting = 1u << ssdpm__profile_of_parameter(path);
	/* A tolerance may be any number: the kernel keeps all 64 bits of it. */
	if (ssdpm__is_timeout(setting) && !ssdpm__profile_takes(setting, value))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "%s: %" PRIu64 " ms does not fit into a "
				   "table: at most %u ms",
				   ssdpm_nvme_core_to_string(parameter), value,
				   SSDPM_APST_MAX_IDLE_MS);
	return 0;
}

static int read_drives(struct ssdpm_plan *plan, struct step *step,
		       struct ssdpm_error *reterr)
{
	(void)step;
	return ssdpm__plan_add_all_drives(plan, reterr);
}

int ssdpm_plan_add_nvme_core(struct ssdpm_plan *plan, uint32_t parameter,
			     uint64_t value, struct ssdpm_error *reterr)
{
	struct ssdpm_step_value before = { 0 }, after = { .nvme_core = value };
	char path[SSDPM__TARGET_BYTES];
	struct step *step;
	int err;

	err = ssdpm__plan_check_open(plan, reterr);
	if (!err)
		err = check_parameter(plan, parameter, value, reterr);
	if (err)
		return err;
	ssdpm__parameter_path(parameter, path);
	err = ssdpm__step_new(SSDPM_STEP_NVME_CORE, path, "all", &step, reterr);
	if (err)
		return err;
	step->read = read_drives;
	before.nvme_core = plan->facts.nvme_core[parameter];
	set_values(step, &before, &after);
	err = ssdpm__step_set_why(step, reterr, "for all controllers");
	if (!err)
		return ssdpm__plan_put(plan, step, reterr);
	ssdpm__step_free(step);
	return err;
}

static int check_deepest(const char *name, const struct ssdpm_model *model,
			 const struct ssdpm_apst *table,
			 struct ssdpm_error *reterr)
{
	size_t n;

	ssdpm_model_get_states(model, &n);
	for (size_t i = 0; i < SSDPM_MAX_STATES; i++)
		if (table->entries[i].idle_ms &&
		    table->entries[i].target + 1 == n)
			return ssdpm__fail(
				reterr, -EPERM, 0,
				"%s: the quirk no-deepest-ps forbids "
				"PS%zu, where entry %zu leads",
				name, n - 1, i);
	return 0;
}

/* The drive is known to fail with what a quirk forbids. */
static int check_quirks(const struct ssdpm_plan *plan,
			const struct ssdpm_device *device,
			const struct ssdpm_model *model,
			const struct ssdpm_apst *table,
			struct ssdpm_error *reterr)
{
	const char *name = ssdpm_device_get_facts(device)->name;
	uint32_t quirks, from_kernel;
	int err;

	err = ssdpm_device_get_quirks(device, &plan->facts, model, &quirks,
				      &from_kernel, reterr);
	if (err)
		return err;
	if (quirks & SSDPM_QUIRK_NO_APST && table->enabled)
		return ssdpm__fail(reterr, -EPERM, 0,
				   "%s: the quirk no-apst forbids APST", name);
	if (quirks & SSDPM_QUIRK_NO_DEEPEST_PS)
		return check_deepest(name, model, table, reterr);
	return 0;
}

static int check_table(const struct ssdpm_plan *plan,
		       const struct ssdpm_device *device,
		       const struct ssdpm_model *model,
		       const struct ssdpm_apst *table,
		       struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	char path[SSDPM__TARGET_BYTES];
	int err;

	err = ssdpm__check_nvme(facts, reterr);
	if (err)
		return err;
	if (!model)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"%s: whether a table is sound depends on its "
			"model, which is not known",
			facts->name);
	if (!table->sent)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s: a table that is not sent", facts->name);
	err = check_quirks(plan, device, model, table, reterr);
	if (!err)
		err = check_apst(plan, facts, path, reterr);
	if (!err)
		err = ssdpm_apst_validate(model, table, reterr);
	return err;
}

/* Not everybody who may look at a plan may read the table. */
static int read_table(struct ssdpm_plan *plan, struct step *step,
		      struct ssdpm_error *reterr)
{
	struct change *change = &step->change;
	struct ssdpm_step_value now = { 0 };
	int err = change->kind->command->ask(step->source, &now, NULL);

	(void)plan;
	if (err)
		return err == -ENOMEM ? ssdpm__no_memory(reterr) : 0;
	ssdpm__value_set(change->kind, &now, &change->before);
	ssdpm__step_settle(step);
	return 0;
}

int ssdpm_plan_add_apst(struct ssdpm_plan *plan, struct ssdpm_device *device,
			struct ssdpm_model *model,
			const struct ssdpm_apst *table,
			struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	const struct ssdpm_step_value after = { .table = *table };
	struct step *step;
	int err;

	err = ssdpm__plan_check_open(plan, reterr);
	if (!err)
		err = check_table(plan, device, model, table, reterr);
	if (!err)
		err = ssdpm__step_new(SSDPM_STEP_APST, facts->path + 1,
				      facts->name, &step, reterr);
	if (err)
		return err;
	ssdpm__value_set(step->change.kind, &after, &step->change.after);
	step->read = read_table;
	step->source = ssdpm_device_ref(device);
	err = ssdpm__step_set_why(
		step, reterr,
		"until the next reset or change of the latency tolerance; Linux "
		"6.12.110, 7.2 and later refuse it");
	if (!err)
		err = ssdpm__plan_add_drive(plan, device, model, reterr);
	if (!err && table->enabled)
		err = ssdpm__step_warn(plan, step, device, model, reterr);
	if (!err)
		return ssdpm__plan_put(plan, step, reterr);
	ssdpm__step_free(step);
	return err;
}
