/* SPDX-License-Identifier: MIT */
/* ssdpm apply: set a power policy, and prove it. */
#include "options/words.h"
#include "programs.h"

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n)
{
	return run_plan_command(data, common, operands, n, finish_apply);
}

static const struct option_spec own[] = {
	{ "persist", 0, PERSIST_WORDS,
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

static const struct option_group own_group = {
	OPTIONS(own),
};

const struct subcommand cmd_apply = {
	.name = "apply",
	.operands = "[TARGET...]",
	.operands_optional = true,
	.takes_devices = true,
	.list = "plans",
	.summary = "Set a power policy, and prove that it is in force.",
	.own = &own_group,
	.groups = groups,
	.n_groups = 1,
	.examples = "  ssdpm apply --dry-run --profile auto\n"
		    "  ssdpm apply -n --profile power-saver --persist tlp\n"
		    "  ssdpm apply -q --config\n",
	.run = run,
	.settings = &the_plan_command,
};
