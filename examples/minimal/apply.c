/* SPDX-License-Identifier: MIT */
/*
 * A latency tolerance for a while: shown, set, checked, and undone.
 *
 * The drive is nvme0. The argument, if there is one, is a capture, in which
 * nothing is changed that matters; without one, this machine is, and root is
 * needed.
 */
#include <ssdpm.h>

#include <stdio.h>

#define DEVICE "nvme0"
#define MAX_EXIT_LATENCY_US 25000

static int count_used(const struct ssdpm_apst *table)
{
	uint32_t used = 0;
	int n = 0;

	for (size_t i = 0; i < SSDPM_MAX_STATES; i++)
		if (table->entries[i].idle_ms)
			used |= 1u << table->entries[i].target;
	for (; used; used &= used - 1)
		n++;
	return n;
}

static void show(const struct ssdpm_plan *plan)
{
	struct ssdpm_planned_table table = { .size = sizeof(table) };
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		printf("%s: %s -> %s us, %s\n", step.device, step.before,
		       step.after, ssdpm_step_state_to_string(step.state));
	for (size_t i = 0; !ssdpm_plan_get_table(plan, i, &table); i++)
		if (table.known & SSDPM_TABLE_AFTER)
			printf("%s: will use %d states\n", table.device,
			       count_used(&table.after));
}

static int set_for_a_while(struct ssdpm_plan *plan, struct ssdpm_device *device,
			   struct ssdpm_model *model, struct ssdpm_error *error)
{
	int err = ssdpm_plan_add_latency_tolerance(plan, device, model,
						   MAX_EXIT_LATENCY_US, error);
	int undone;

	if (!err)
		err = ssdpm_plan_read(plan, error);
	if (err)
		return err;
	show(plan);
	err = ssdpm_plan_commit(plan, error);
	if (err)
		return err;
	err = ssdpm_plan_verify(plan, 0, error);
	show(plan); /* here one would measure */
	undone = ssdpm_plan_revert(plan, err ? NULL : error);
	show(plan);
	return err ? err : undone;
}

int main(int argc, char **argv)
{
	struct ssdpm_machine_params params = { .size = sizeof(params) };
	struct ssdpm_machine *machine = NULL;
	struct ssdpm_device *device = NULL;
	struct ssdpm_model *model = NULL;
	struct ssdpm_plan *plan = NULL;
	struct ssdpm_error error;
	int err;

	if (argc > 2) {
		fprintf(stderr, "usage: apply [CAPTURE]\n");
		return 2;
	}
	params.root = argv[1];
	err = ssdpm_machine_new(&params, &machine, &error);
	if (!err)
		err = ssdpm_device_read(machine, DEVICE, &device, &error);
	if (!err)
		err = ssdpm_plan_new(machine, NULL, &plan, &error);
	/* Without a model there is no prediction of the table, and no harm. */
	if (!err)
		ssdpm_device_read_model(device, 0, NULL, &model, NULL);
	if (!err)
		err = set_for_a_while(plan, device, model, &error);
	if (err)
		fprintf(stderr, "apply: %s\n", error.message);
	ssdpm_plan_free(plan);
	ssdpm_model_unref(model);
	ssdpm_device_unref(device);
	ssdpm_machine_unref(machine);
	return err ? 1 : 0;
}
