/* SPDX-License-Identifier: MIT */
/* ssdpm plan: what would be set, and what the drives do then. */
#include "options/words.h"
#include "programs.h"

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n)
{
	return run_plan_command(data, common, operands, n, finish_plan);
}

static const struct option_spec own[] = {
	{ "persist", 0, PERSIST_WORDS,
	  "Show the files that make the settings last.",
	  SETS_WORD(struct plan_command, persist,
		    ssdpm_persist_kind_to_string) },
	{ "both-sources", 0, NULL,
	  "Show what the profile sets on AC and on battery.",
	  SETS_FLAG(struct plan_command, both_sources) },
};

static const struct option_group own_group = {
	OPTIONS(own),
};

const struct subcommand cmd_plan = {
	.name = "plan",
	.operands = "[TARGET...]",
	.operands_optional = true,
	.takes_devices = true,
	.list = "plans",
	.summary = "Show what apply would write, and what the drives do then.",
	.own = &own_group,
	.energy_does_more = true, /* --trace */
	.groups = plan_groups,
	.n_groups = N_PLAN_GROUPS,
	.examples = "  ssdpm plan --profile auto\n"
		    "  ssdpm plan --profile auto --both-sources\n"
		    "  ssdpm plan --profile power-saver --persist udev\n"
		    "  ssdpm plan --latency 25ms nvme0\n",
	.run = run,
	.settings = &the_plan_command,
};
