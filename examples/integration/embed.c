/* SPDX-License-Identifier: MIT */
/* Set all drives to the balanced profile; argv[1] is a capture, or nothing. */
#include <ssdpm.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct ssdpm_profile_settings profile = { .size = sizeof(profile) };
	struct ssdpm_machine_params params = { .size = sizeof(params) };
	struct ssdpm_device **devices = NULL;
	struct ssdpm_machine *machine = NULL;
	struct ssdpm_plan *plan = NULL;
	struct ssdpm_error error;
	size_t n = 0;
	int err;

	params.root = argc > 1 ? argv[1] : NULL;
	err = ssdpm_machine_new(&params, &machine, &error) ||
	      ssdpm_profile_find(NULL, 0, "balanced", SSDPM_SOURCE_AC, &profile,
				 &error) ||
	      ssdpm_device_list_read(machine, &devices, &n, &error) ||
	      ssdpm_plan_new(machine, NULL, &plan, &error);
	for (size_t i = 0; !err && i < n; i++)
		err = ssdpm_plan_add_profile(plan, devices[i], NULL, &profile,
					     &error);
	if (!err)
		err = ssdpm_plan_commit(plan, &error);
	if (err)
		fprintf(stderr, "embed: %s\n", error.message);
	ssdpm_plan_free(plan);
	ssdpm_device_list_free(devices, n);
	ssdpm_machine_unref(machine);
	return err ? 1 : 0;
}
