/* SPDX-License-Identifier: MIT */
/* ssdpm lpm: the link policies of SATA ports. */
#include "options/advised.h"
#include "options/words.h"
#include "text/device.h"
#include "text/output.h"
#include "text/remedy.h"
#include "programs.h"

#include <string.h>

struct settings {
	uint32_t lpms[SSDPM_MAX_LPMS];
	size_t n_lpms;
	bool dry_run;
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "set", 0, "POLICY,...", "Set the first of these that the port takes.",
	  SETS_OWN, .values = LPM_WORDS },
	{ "dry-run", 'n', NULL,
	  "Show what --set would write, and write nothing.",
	  SETS_FLAG(struct settings, dry_run) },
};

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct settings *settings = data;

	(void)option;
	/* No ports; and all of them, or nothing. */
	common->list = "plans";
	common->each_alone = false;
	return parse_lpms(common, "set", argument, settings->lpms,
			  &settings->n_lpms);
}

/* The ports that are to be set, read anew. */
struct reading {
	const struct settings *settings;
	char **operands;
	size_t n;
	struct drives drives;
};

/* As what apply --lpm sets. */
static enum exit_status keep_policies(
	struct work *work, const struct settings *settings, size_t n,
	enum exit_status (*go)(const struct work *, bool, size_t))
{
	struct plan_options as_apply = { .n_lpms = settings->n_lpms };
	enum exit_status status;

	memcpy(as_apply.lpms, settings->lpms, sizeof(as_apply.lpms));
	work->options = &as_apply;
	status = go(work, false, n);
	work->options = NULL;
	return status;
}

static enum exit_status fill(struct work *work, void *data)
{
	struct reading *reading = data;
	const struct settings *settings = reading->settings;
	enum exit_status status;

	free_drives(&reading->drives);
	status = read_devices(work->common, reading->operands, reading->n,
			      &reading->drives);
	if (status)
		return status;
	work->drives = &reading->drives;
	for (size_t i = 0; i < work->drives->n && !status; i++)
		status = add_lpm(work->common, work->plan,
				 &work->drives->drives[i], settings->lpms,
				 settings->n_lpms);
	if (!status)
		status = read_plan(work->plan);
	if (!status)
		status = refuse_left_alone(work->common, work->drives,
					   work->plan, 1u << SSDPM_STEP_LPM);
	if (!status)
		work->in_force = all_in_force(work->plan);
	return status ? status :
			keep_policies(work, settings, reading->n,
				      check_settings);
}

static enum exit_status set_ports(const struct common *common,
				  const struct settings *settings,
				  const struct drives *found, char **operands,
				  size_t n)
{
	struct reading reading = { settings, operands, n, { 0 } };
	struct work work = {
		.common = common,
		.drives = found,
		.failures_only = common->quiet && !settings->dry_run,
	};
	enum exit_status status = new_plan(common, found, NULL, &work.plan),
			 printed;

	if (!status && settings->dry_run) {
		status = fill(&work, &reading);
		if (!status)
			status = look_at_journal(&work);
		else
			work.plan = ssdpm_plan_free(work.plan);
	} else if (!status) {
		status = carry_out(&work, fill, &reading);
	}
	if (work.plan) {
		printed = print_work(&work);
		status = status ? status : printed;
	}
	if (!status)
		status = keep_policies(&work, settings, n,
				       settings->dry_run ? show_settings :
							   keep_settings);
	free_work(&work);
	free_drives(&reading.drives);
	return status;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	const struct settings *settings = data;
	enum exit_status status;
	struct drives drives;

	if (settings->n_lpms && !n_operands)
		return usage_error(common,
				   "--set needs the names of ports; all of "
				   "them: ssdpm apply --lpm");
	if (settings->dry_run && !settings->n_lpms)
		return usage_error(common, "--dry-run requires --set");
	status = read_devices(common, operands, n_operands, &drives);
	if (!status && settings->n_lpms)
		status = set_ports(common, settings, &drives, operands,
				   n_operands);
	else if (!status)
		status = show_ports(common, &drives, n_operands);
	free_drives(&drives);
	return status;
}

static const struct option_group own = {
	OPTIONS(options),
	.set = set,
};

const struct subcommand cmd_lpm = {
	.name = "lpm",
	.operands = "[TARGET...]",
	.operands_optional = true,
	.takes_devices = true,
	.list = "ports",
	.each_alone = true,
	.summary = "Print or set the link policies of SATA ports.",
	.own = &own,
	.examples = "  ssdpm lpm\n"
		    "  ssdpm lpm --json\n",
	.run = run,
	.settings = &the_settings,
};
