/* SPDX-License-Identifier: MIT */
/* ssdpm plan, apply and check: what would be set, set it, is it so? */
#include "options/units.h"
#include "options/apst-options.h"
#include "programs.h"

#include <stdlib.h>

static struct plan_command the_settings;
struct plan_options the_plan_options;

/* The files set all drives alike, but for power states. */
static enum exit_status check_persist(const struct common *common,
				      const struct plan_command *settings,
				      size_t n)
{
	const struct plan_options *options = &settings->plan;

	if (options->table_name)
		return usage_error(
			common,
			"--persist %s cannot make --apst last: each reset of a "
			"drive brings the table of Linux back; --latency and "
			"--nvme-core last",
			ssdpm_persist_kind_to_string(settings->persist));
	if (options->config && (settings->persist == SSDPM_PERSIST_UDEV ||
				settings->persist == SSDPM_PERSIST_SYSTEMD))
		return usage_error(
			common,
			"what the files ask for lasts already, by ssdpmd(8) or "
			"its rule for udev; --persist tlp, tuned or modprobe "
			"has others set the same");
	if (n && (plan_has(options, "latency") || options->nvme_core_given ||
		  options->n_lpms))
		return usage_error(
			common,
			"--persist %s makes --latency, --nvme-core and --lpm "
			"last for all drives: name no TARGET",
			ssdpm_persist_kind_to_string(settings->persist));
	return STATUS_DONE;
}

static enum exit_status check_options(const struct common *common,
				      struct plan_command *settings, size_t n)
{
	enum exit_status status = check_plan_options(common, &settings->plan);

	if (!status && settings->persist)
		status = check_persist(common, settings, n);
	if (!status && settings->keep)
		status = check_keep(common, &settings->plan, n);
	if (status)
		return status;
	if (settings->coalesce && !settings->plan.config)
		return usage_error(common,
				   "--coalesce is for --config: other calls "
				   "do not ask for the same");
	if (!status && settings->both_sources &&
	    (!settings->plan.profile || settings->plan.power_source))
		return usage_error(common,
				   "--both-sources requires --profile, and "
				   "conflicts with --source");
	return status ? status :
			check_saving(common, settings->both_sources, n);
}

/* The work after the options are checked and the machine is found. */
typedef enum exit_status (*finish_fn)(struct work *work,
				      const struct plan_command *settings,
				      char **operands, size_t n);

/* The machine alone: who commits reads its devices under the lock. */
static enum exit_status find_machine(const struct common *common,
				     struct drives *drives)
{
	drives->lives = calloc(1, sizeof(*drives->lives));
	if (!drives->lives)
		return failure("out of memory");
	drives->n_lives = 1;
	return open_live(common, common->root, &drives->lives[0]);
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands,
			    finish_fn finish)
{
	struct plan_command settings = *(const struct plan_command *)data;
	struct work work = { .common = common, .options = &settings.plan };
	struct drives drives = { 0 };
	enum exit_status status;
	bool commits;

	settings.plan = the_plan_options;
	settings.plan.strict = settings.strict;
	commits = finish == finish_apply && !settings.dry_run;
	status = check_options(common, &settings, n_operands);
	if (!status)
		status = commits ? find_machine(common, &drives) :
				   read_devices(common, operands, n_operands,
						&drives);
	work.drives = &drives;
	if (!status)
		status = find_intent(&drives, &settings.plan);
	if (!status && !common->identify && !commits)
		identify_concerned(&work, NULL, &drives);
	if (!status)
		status = finish(&work, &settings, operands, n_operands);
	free_work(&work);
	free_drives(&drives);
	return status;
}

static enum exit_status run_plan_command(const void *data,
					 const struct common *common,
					 char **operands, size_t n)
{
	return run(data, common, operands, n, finish_plan);
}

static enum exit_status run_apply(const void *data, const struct common *common,
				  char **operands, size_t n)
{
	return run(data, common, operands, n, finish_apply);
}

static enum exit_status run_check(const void *data, const struct common *common,
				  char **operands, size_t n)
{
	return run(data, common, operands, n, finish_check);
}

#define PERSIST "udev|modprobe|systemd|tlp|tuned"

static const struct option_spec plan_own[] = {
	{ "persist", 0, PERSIST, "Show the files that make the settings last.",
	  SETS_WORD(struct plan_command, persist,
		    ssdpm_persist_kind_to_string) },
	{ "both-sources", 0, NULL,
	  "Show what the profile sets on AC and on battery.",
	  SETS_FLAG(struct plan_command, both_sources) },
};

static const struct option_spec apply_own[] = {
	{ "persist", 0, PERSIST,
	  "Show and write the files that make the settings last.",
	  SETS_WORD(struct plan_command, persist,
		    ssdpm_persist_kind_to_string) },
	{ "keep", 0, NULL,
	  "Keep the settings from now on, in /etc/ssdpm.conf.d.",
	  SETS_FLAG(struct plan_command, keep) },
	{ "strict", 0, NULL, "Restore all devices if one fails.",
	  SETS_FLAG(struct plan_command, strict), .rare = true },
	{ "coalesce", 0, NULL,
	  "Serve many calls with one run, as from udev rules.",
	  SETS_FLAG(struct plan_command, coalesce), .rare = true },
	{ "dry-run", 'n', NULL, "Write nothing, as ssdpm plan.",
	  SETS_FLAG(struct plan_command, dry_run) },
};

static const struct group_use groups[] = {
	USE(&plan_option_group, &the_plan_options),
};

static const struct option_group own_plan_own = {
	OPTIONS(plan_own),
};

const struct subcommand cmd_plan = {
	.name = "plan",
	.operands = "[TARGET...]",
	.operands_optional = true,
	.takes_devices = true,
	.list = "plans",
	.summary = "Show what apply would write, and what the drives do then.",
	.own = &own_plan_own,
	.energy_does_more = true, /* --trace */
	.groups = plan_groups,
	.n_groups = N_PLAN_GROUPS,
	.examples = "  ssdpm plan --profile auto\n"
		    "  ssdpm plan --profile auto --both-sources\n"
		    "  ssdpm plan --profile power-saver --persist udev\n"
		    "  ssdpm plan --power-state 1 --persist udev nvme0\n",
	.run = run_plan_command,
	.settings = &the_settings,
};

static const struct option_group own_apply_own = {
	OPTIONS(apply_own),
};

const struct subcommand cmd_apply = {
	.name = "apply",
	.operands = "[TARGET...]",
	.operands_optional = true,
	.takes_devices = true,
	.list = "plans",
	.summary = "Set a power policy, and prove that it is in force.",
	.own = &own_apply_own,
	.groups = groups,
	.n_groups = 1,
	.examples = "  ssdpm apply --dry-run --profile auto\n"
		    "  ssdpm apply -n --profile power-saver --persist tlp\n"
		    "  ssdpm apply -q --config --coalesce\n",
	.run = run_apply,
	.settings = &the_settings,
};

const struct subcommand cmd_check = {
	.name = "check",
	.each_alone = true,
	.operands = "[TARGET...]",
	.operands_optional = true,
	.takes_devices = true,
	.list = "plans",
	.summary =
		"Check whether a power policy is in force (exit status 5: no).",
	.groups = groups,
	.n_groups = 1,
	.examples = "  ssdpm check --profile auto || test $? = 5\n"
		    "  ssdpm check || test $? = 5\n",
	.run = run_check,
	.settings = &the_settings,
};
