/* SPDX-License-Identifier: MIT */
/* The profile of a power source on all drives: switcher ac|battery [CAPTURE] */
#include <ssdpm.h>
#include <stdio.h>
#include <string.h>

/* Called under the lock; again, if somebody else has written meanwhile. */
static int fill(struct ssdpm_plan *plan, void *userdata,
		struct ssdpm_error *error)
{
	struct ssdpm_profile_settings *profile =
		(struct ssdpm_profile_settings *)userdata;
	struct ssdpm_step step = { 0 };
	int err = ssdpm_plan_add_profile(plan, NULL, NULL, profile, error) ||
		  ssdpm_plan_read(plan, error);

	step.size = sizeof(step);
	for (size_t i = 0; !err && !ssdpm_plan_get_step(plan, i, &step); i++)
		if (step.state == SSDPM_STEP_PLANNED)
			printf("%s: %s -> %s\n", step.device, step.before,
			       step.after);
	return err ? error->code : 0;
}

int main(int argc, char **argv)
{
	struct ssdpm_profile_settings profile = { 0 };
	struct ssdpm_machine_params params = { 0 };
	struct ssdpm_machine *machine = NULL;
	struct ssdpm_plan *plan = NULL;
	struct ssdpm_error error;
	uint32_t source = SSDPM_SOURCE_AC;
	int err;

	if (argc < 2) {
		fprintf(stderr, "usage: switcher ac|battery [CAPTURE]\n");
		return 2;
	}
	if (!strcmp(argv[1], "battery"))
		source = SSDPM_SOURCE_BATTERY;
	profile.size = sizeof(profile);
	params.size = sizeof(params);
	params.root = argc > 2 ? argv[2] : NULL;
	err = ssdpm_machine_new(&params, &machine, &error) ||
	      ssdpm_profile_find(NULL, 0, "auto", source, &profile, &error) ||
	      ssdpm_plan_new(machine, NULL, &plan, &error) ||
	      ssdpm_plan_apply(plan, fill, &profile, &error);
	if (err) {
		fprintf(stderr, "switcher: %s\n", error.message);
		if (plan) /* committed, and not in force: undo it */
			ssdpm_plan_revert(plan, NULL);
	}
	ssdpm_plan_free(plan);
	ssdpm_machine_unref(machine);
	return err;
}
