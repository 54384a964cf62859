/* SPDX-License-Identifier: MIT */
/* ssdpm check: is a power policy in force? */
#include "programs.h"

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n)
{
	return run_plan_command(data, common, operands, n, finish_check);
}

static const struct group_use groups[] = {
	{ .group = &plan_option_group,
	  .settings = &the_plan_options,
	  .verb = "Expect" },
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
	.run = run,
	.settings = &the_plan_command,
};
