/* SPDX-License-Identifier: MIT */
/* Set all drives to the balanced profile: what a power daemon does with us. */
#include <ssdpm.h>
#include <stdio.h>

/* Drives that it cannot be set for get a step that says why. */
static int set_all(struct ssdpm_machine *machine, struct ssdpm_plan *plan,
		   struct ssdpm_error *error)
{
	struct ssdpm_profile_settings balanced = { .size = sizeof(balanced) };
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	struct ssdpm_device **devices = NULL;
	size_t n = 0;
	int err;

	err = ssdpm_machine_read_facts(machine, &facts, error);
	if (!err)
		err = ssdpm_profile_find(NULL, 0, "balanced",
					 facts.power_source ?
						 facts.power_source :
						 SSDPM_SOURCE_AC,
					 &balanced, error);
	if (!err)
		err = ssdpm_device_list_read(machine, &devices, &n, error);
	for (size_t i = 0; !err && i < n; i++)
		err = ssdpm_plan_add_profile(plan, devices[i], NULL, &balanced,
					     error);
	ssdpm_device_list_free(devices, n);
	return err ? err : ssdpm_plan_commit(plan, error);
}

static void print_steps(const struct ssdpm_plan *plan)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		printf("%s: %s: %s -> %s: %s\n", step.device, step.target,
		       step.before, step.after,
		       ssdpm_step_state_to_string(step.state));
}

int main(int argc, char **argv)
{
	/* argv[1]: a capture; nothing: this machine, as root. */
	const struct ssdpm_machine_params params = {
		.size = sizeof(params), .root = argc > 1 ? argv[1] : NULL
	};
	struct ssdpm_machine *machine = NULL;
	struct ssdpm_plan *plan = NULL;
	struct ssdpm_error error;
	int err;

	err = ssdpm_machine_new(&params, &machine, &error);
	if (!err)
		err = ssdpm_plan_new(machine, NULL, &plan, &error);
	if (!err)
		err = set_all(machine, plan, &error);
	if (plan)
		print_steps(plan);
	if (err)
		fprintf(stderr, "embed: %s\n", error.message);
	ssdpm_plan_free(plan);
	ssdpm_machine_unref(machine);
	return err ? 1 : 0;
}
