/* SPDX-License-Identifier: MIT */
#include "options/plan-options.h"

#include "options/advised.h"
#include "input/quirks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A wrong number or name is an error of the command line. */
static enum exit_status status_of_setting(const struct ssdpm_error *error)
{
	if (error->code == -ERANGE)
		return STATUS_USAGE;
	/* A quirk forbids it, not a missing privilege. */
	return error->code == -EPERM ? STATUS_DEVICE_CANNOT :
				       status_of_error(error->code);
}

static enum exit_status complain_of_setting(const char *name,
					    const struct ssdpm_error *error)
{
	complain_of_device(name, error);
	return status_of_setting(error);
}

/* A drive that was not named and cannot do it is no failure. */
static enum exit_status refuse(const struct common *common,
			       const struct drive *drive,
			       const struct ssdpm_error *error)
{
	const bool begins =
		!strncmp(error->message, drive->name, strlen(drive->name));
	char *show;

	if (error->code != -EOPNOTSUPP)
		return complain_of_setting(drive->name, error);
	if (drive->named) {
		show = show_text(drive);
		/* Many messages already begin with the name. */
		complain("%s%s%s; %s says more", begins ? "" : drive->name,
			 begins ? "" : ": ", error->message,
			 show ? show : "ssdpm show");
		free(show);
		return status_of_setting(error);
	}
	if (!common->quiet)
		complain_of_device(drive->name, error);
	return STATUS_DONE;
}

static bool is_kind(const struct drive *drive, uint32_t kind)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);

	return facts->kind == kind && facts->reach == SSDPM_REACH_YES;
}

uint32_t kinds_of(const struct plan_options *options)
{
	const bool for_all =
		options->profile || options->config || options->applied;
	const bool for_nvme =
		plan_has(options, "latency") || options->table_name ||
		options->nvme_core_given || plan_has(options, "power-state") ||
		options->nopp || plan_has(options, "link") || options->d3cold;
	const bool for_sata = options->n_lpms || options->queue_depth;

	return (uint32_t)(for_all || for_nvme) << SSDPM_KIND_NVME |
	       (uint32_t)(for_all || for_sata) << SSDPM_KIND_SATA;
}

/*
 * Each kind of drive takes its own settings. A named drive without any of them
 * is a fault.
 */
static bool is_for(const struct plan_options *options,
		   const struct drive *drive, uint32_t kind)
{
	const bool for_nvme = kinds_of(options) >> SSDPM_KIND_NVME & 1;
	const bool for_sata = kinds_of(options) >> SSDPM_KIND_SATA & 1;

	if (!drive->named)
		return is_kind(drive, kind);
	return kind == SSDPM_KIND_NVME ?
		       !(for_sata && is_kind(drive, SSDPM_KIND_SATA)) :
		       !(for_nvme && is_kind(drive, SSDPM_KIND_NVME));
}

static enum exit_status add_latency(const struct common *common,
				    const struct plan_options *options,
				    struct ssdpm_plan *plan,
				    const struct drive *drive)
{
	struct ssdpm_error error;

	if (!is_for(options, drive, SSDPM_KIND_NVME))
		return STATUS_DONE;
	if (!ssdpm_plan_add_latency_tolerance(plan, drive->device, drive->model,
					      options->max_exit_latency_us,
					      &error))
		return STATUS_DONE;
	return refuse(common, drive, &error);
}

static enum exit_status add_table(const struct common *common,
				  const struct plan_options *options,
				  struct ssdpm_plan *plan,
				  const struct drive *drive)
{
	const struct quirk_options quirk_options = { 0 };
	const struct quirk_rules rules = { 0 };
	enum exit_status status;
	struct ssdpm_apst table;
	struct ssdpm_error error;
	struct quirks quirks;

	if (!is_for(options, drive, SSDPM_KIND_NVME))
		return STATUS_DONE;
	if (!drive->model)
		return refuse(common, drive, &drive->problem);
	status = find_quirks(&quirk_options, &rules, drive, &quirks);
	if (status)
		return status;
	if (!make_table(&options->table, drive, &quirks, &table, &error) &&
	    !ssdpm_plan_add_apst(plan, drive->device, drive->model, &table,
				 &error))
		return STATUS_DONE;
	return refuse(common, drive, &error);
}

static enum exit_status add_power_state(const struct common *common,
					const struct plan_options *options,
					struct ssdpm_plan *plan,
					const struct drive *drive)
{
	struct ssdpm_error error;
	uint32_t state;

	if (!is_for(options, drive, SSDPM_KIND_NVME))
		return STATUS_DONE;
	if (!find_power_state(options,
			      ssdpm_device_get_facts(drive->device)->name,
			      &state))
		return drive->named ?
			       usage_error(common,
					   "--power-state %s: none for "
					   "%s",
					   options->power_states, drive->name) :
			       STATUS_DONE;
	if (!drive->model && is_kind(drive, SSDPM_KIND_NVME)) {
		enum exit_status status =
			refuse(common, drive, &drive->problem);

		return status && !drive->live->root && !may_send_commands() ?
			       STATUS_NO_PRIVILEGES :
			       status;
	}
	if (!ssdpm_plan_add_power_state(plan, drive->device, drive->model,
					state, options->workload_hint, &error))
		return STATUS_DONE;
	if (error.code != -EINVAL)
		return refuse(common, drive, &error);
	/* With many drives, one without this state is no failure. */
	error.code = -EOPNOTSUPP;
	return refuse(common, drive, &error);
}

static enum exit_status add_switch(const struct common *common,
				   const struct plan_options *options,
				   struct ssdpm_plan *plan,
				   const struct drive *drive, uint32_t kind,
				   uint32_t value)
{
	struct ssdpm_error error;

	if (!is_for(options, drive, SSDPM_KIND_NVME) ||
	    !ssdpm_plan_add_value(plan, drive->device, kind, value == SWITCH_ON,
				  &error))
		return STATUS_DONE;
	return refuse(common, drive, &error);
}

/* With many drives, one whose link lacks a feature is no failure. */
static enum exit_status add_link(const struct common *common,
				 const struct plan_options *options,
				 struct ssdpm_plan *plan,
				 const struct drive *drive)
{
	struct ssdpm_error error;

	if (!is_for(options, drive, SSDPM_KIND_NVME) ||
	    !add_link_steps(plan, drive->device, &options->link, &error))
		return STATUS_DONE;
	if (error.code == -EINVAL)
		error.code = -EOPNOTSUPP;
	return refuse(common, drive, &error);
}

static enum exit_status add_queue_depth(const struct common *common,
					const struct plan_options *options,
					struct ssdpm_plan *plan,
					const struct drive *drive)
{
	const uint32_t no_disk = SSDPM_DEVICE_EMPTY | SSDPM_DEVICE_OPTICAL;
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	struct ssdpm_error error;

	if (!is_for(options, drive, SSDPM_KIND_SATA) ||
	    (!drive->named && facts->flags & no_disk) ||
	    !ssdpm_plan_add_value(plan, drive->device, SSDPM_STEP_QUEUE_DEPTH,
				  options->queue_depth, &error))
		return STATUS_DONE;
	return refuse(common, drive, &error);
}

enum exit_status add_lpm(const struct common *common, struct ssdpm_plan *plan,
			 const struct drive *drive, const uint32_t *lpms,
			 size_t n)
{
	const struct ssdpm_lpm_params params = {
		.size = sizeof(params),
		.lpms = lpms,
		.n_lpms = n,
		.flags = drive->named ? SSDPM_LPM_ANY_PORT : 0,
	};
	struct ssdpm_error error;

	if (!ssdpm_plan_add_lpm(plan, drive->device, drive->model, &params,
				&error))
		return STATUS_DONE;
	return refuse(common, drive, &error);
}

static enum exit_status add_profile(struct ssdpm_plan *plan,
				    const struct profile *profile,
				    const struct drive *drive)
{
	struct ssdpm_error error;

	if (!ssdpm_plan_add_profile(plan, drive->device, drive->model,
				    &profile->now, &error))
		return STATUS_DONE;
	return complain_of_setting(drive->name, &error);
}

/*
 * A parameter concerns every controller. A step with its present limit makes
 * the plan know the drive and show its table.
 */
static enum exit_status keep_latency(struct ssdpm_plan *plan,
				     const struct drive *drive)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	struct ssdpm_error error;

	if (!(facts->known & SSDPM_FACT_LATENCY_TOLERANCE) ||
	    !ssdpm_plan_add_latency_tolerance(plan, drive->device, drive->model,
					      facts->latency_tolerance_us,
					      &error))
		return STATUS_DONE;
	return complain_of_setting(drive->name, &error);
}

/* A setting for one drive overrides that of the profile. */
static enum exit_status add_drive_steps(const struct common *common,
					const struct plan_options *options,
					const struct profile *profile,
					struct ssdpm_plan *plan,
					const struct drive *drive)
{
	enum exit_status status = STATUS_DONE;

	if (options->profile)
		status = add_profile(plan, profile, drive);
	if (!status && plan_has(options, "latency"))
		status = add_latency(common, options, plan, drive);
	else if (!status && options->nvme_core_given && !options->profile)
		status = keep_latency(plan, drive);
	if (!status && options->table_name)
		status = add_table(common, options, plan, drive);
	if (!status && plan_has(options, "power-state"))
		status = add_power_state(common, options, plan, drive);
	if (!status && options->nopp)
		status = add_switch(common, options, plan, drive,
				    SSDPM_STEP_NOPP, options->nopp);
	if (!status && options->d3cold)
		status = add_switch(common, options, plan, drive,
				    SSDPM_STEP_D3COLD, options->d3cold);
	if (!status && plan_has(options, "link"))
		status = add_link(common, options, plan, drive);
	if (!status && options->queue_depth)
		status = add_queue_depth(common, options, plan, drive);
	if (!status && options->n_lpms &&
	    is_for(options, drive, SSDPM_KIND_SATA))
		status = add_lpm(common, plan, drive, options->lpms,
				 options->n_lpms);
	return status;
}

static enum exit_status add_for_all(const struct plan_options *options,
				    struct ssdpm_plan *plan)
{
	struct ssdpm_error error;

	if (options->aspm_policy &&
	    ssdpm_plan_add_value(plan, NULL, SSDPM_STEP_ASPM_POLICY,
				 options->aspm_policy, &error))
		return complain_of_setting(NULL, &error);
	for (uint32_t i = 1; ssdpm_nvme_core_to_string(i); i++)
		if ((options->nvme_core_given >> i & 1) &&
		    ssdpm_plan_add_nvme_core(plan, i, options->nvme_core[i],
					     &error))
			return complain_of_setting(NULL, &error);
	return STATUS_DONE;
}

enum exit_status new_plan(const struct common *common,
			  const struct drives *drives,
			  const struct plan_options *options,
			  struct ssdpm_plan **ret_plan)
{
	const struct ssdpm_plan_params params = {
		.size = sizeof(params),
		.directory = options ? options->directory : NULL,
		.flags = (common->identify ? SSDPM_READ_COMMANDS : 0) |
			 (options && options->strict ? SSDPM_PLAN_STRICT : 0),
	};
	struct ssdpm_error error;

	if (!ssdpm_plan_new(drives->lives[0]->machine, &params, ret_plan,
			    &error))
		return STATUS_DONE;
	return complain_of_device(NULL, &error);
}

enum exit_status read_plan(struct ssdpm_plan *plan)
{
	struct ssdpm_error error;

	return ssdpm_plan_read(plan, &error) ?
		       complain_of_device(NULL, &error) :
		       STATUS_DONE;
}

/* A step of a port that disks share is named as its host is. */
static bool is_of(const struct drive *drive, const char *device)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	char host[32];

	snprintf(host, sizeof(host), "host%u", facts->host);
	return !strcmp(facts->name, device) ||
	       (facts->flags & SSDPM_DEVICE_SHARED_PORT &&
		!strcmp(host, device));
}

static const struct drive *find_named(const struct drives *drives,
				      const char *device)
{
	for (size_t i = 0; i < drives->n; i++)
		if (drives->drives[i].named &&
		    is_of(&drives->drives[i], device))
			return &drives->drives[i];
	return NULL;
}

/*
 * Only the drive knows whether it has such a mode, and all disks of a port
 * decide on its policy. A value that is not known is never replaced. "all" are
 * named by --aspm-policy itself.
 */
enum exit_status refuse_left_alone(const struct common *common,
				   const struct drives *drives,
				   const struct ssdpm_plan *plan,
				   uint32_t kinds)
{
	struct ssdpm_step step = { .size = sizeof(step) };
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; !status && !ssdpm_plan_get_step(plan, i, &step);
	     i++) {
		const struct drive *drive = find_named(drives, step.device);
		struct ssdpm_error error = { .code = -EOPNOTSUPP };

		if (!(kinds >> step.kind & 1) ||
		    step.state != SSDPM_STEP_LEFT_ALONE)
			continue;
		if (step.kind == SSDPM_STEP_ASPM_POLICY) {
			complain("ASPM policy left alone: %s", step.why);
			return STATUS_DEVICE_CANNOT;
		}
		if (!drive)
			continue;
		snprintf(error.message, sizeof(error.message), "%s", step.why);
		status = refuse(common, drive, &error);
	}
	return status;
}

/* To the drives that were named, or to all. */
static enum exit_status add_applied(const struct drives *drives,
				    struct ssdpm_plan *plan)
{
	const bool named = are_named(drives);
	struct ssdpm_error error;

	for (size_t i = 0; i < (named ? drives->n : 1); i++)
		if (ssdpm_plan_add_applied(
			    plan, named ? drives->drives[i].device : NULL,
			    &error))
			return complain_of_device(NULL, &error);
	return STATUS_DONE;
}

static enum exit_status read_intent(const struct drives *drives,
				    struct ssdpm_intent **ret_intent)
{
	struct ssdpm_error error;

	return ssdpm_intent_read(drives->lives[0]->machine, ret_intent,
				 &error) ?
		       complain_of_device(NULL, &error) :
		       STATUS_DONE;
}

enum exit_status find_intent(const struct drives *drives,
			     struct plan_options *options)
{
	struct ssdpm_intent *intent;
	enum exit_status status;

	if (!options->applied)
		return STATUS_DONE;
	status = read_intent(drives, &intent);
	if (status)
		return status;
	options->config = ssdpm_intent_get_flags(intent) & SSDPM_INTENT_SETS;
	options->applied = !options->config;
	ssdpm_intent_free(intent);
	return STATUS_DONE;
}

/* Reads the files again, because they decide under the lock. */
static enum exit_status add_intent(const struct plan_options *options,
				   const struct drives *drives,
				   struct ssdpm_plan *plan)
{
	const struct ssdpm_intent_params params = {
		.size = sizeof(params),
		.power_source = options->power_source,
	};
	struct ssdpm_intent *intent;
	enum exit_status status = read_intent(drives, &intent);
	struct ssdpm_error error;

	if (status)
		return status;
	for (size_t i = 0; i < drives->n && !status; i++) {
		const struct drive *drive = &drives->drives[i];

		if (ssdpm_plan_add_intent(plan, drive->device, drive->model,
					  intent, &params, &error))
			status = complain_of_setting(drive->name, &error);
	}
	ssdpm_intent_free(intent);
	return status;
}

/* Steps that only an option asks for, or ssdpm.conf(5). */
enum {
	SINGLE_KINDS = 1 << SSDPM_STEP_NOPP | 1 << SSDPM_STEP_PCIE_LINK |
		       1 << SSDPM_STEP_QUEUE_DEPTH | 1 << SSDPM_STEP_D3COLD |
		       1 << SSDPM_STEP_ASPM_POLICY,
};

enum exit_status fill_plan(const struct common *common,
			   const struct plan_options *options,
			   const struct profile *profile,
			   const struct drives *drives, struct ssdpm_plan *plan)
{
	enum exit_status status = check_power_states(common, options, drives);
	uint32_t asked = options->applied ? 0 : SINGLE_KINDS;

	if (!status && options->applied)
		status = add_applied(drives, plan);
	if (!status && options->config)
		status = add_intent(options, drives, plan);
	for (size_t i = 0; i < drives->n && !status; i++)
		status = add_drive_steps(common, options, profile, plan,
					 &drives->drives[i]);
	if (!status)
		status = add_for_all(options, plan);
	if (!status)
		status = read_plan(plan);
	/* A profile leaves a port alone, and is in force. */
	if (options->n_lpms)
		asked |= 1u << SSDPM_STEP_LPM;
	return status ? status : refuse_left_alone(common, drives, plan, asked);
}

enum exit_status make_plan(const struct common *common,
			   const struct plan_options *options,
			   const struct profile *profile,
			   const struct drives *drives,
			   struct ssdpm_plan **ret_plan)
{
	struct ssdpm_plan *plan;
	enum exit_status status = new_plan(common, drives, options, &plan);

	if (status)
		return status;
	status = fill_plan(common, options, profile, drives, plan);
	if (status)
		ssdpm_plan_free(plan);
	else
		*ret_plan = plan;
	return status;
}
