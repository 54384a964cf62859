/* SPDX-License-Identifier: MIT */
/* A step of a plan: what it shall do, and what is there before it. */
#include "apply/internal.h"

#include <errno.h>
#include <stdio.h>

/* A hint that is kept is 0 where it is not known. */
static void settle(struct step *step)
{
	struct change *change = &step->change;
	struct ssdpm_step_value after = change->after.is;

	if (after.workload_hint == SSDPM_WORKLOAD_HINT_KEEP)
		after.workload_hint = change->before.is.workload_hint;
	ssdpm__value_set(change->kind, &after, &change->after);
	ssdpm__step_settle(step);
}

/* Not everybody who may look at a plan may ask the drive. */
int ssdpm__step_read_now(struct ssdpm_plan *plan, struct step *step,
			 struct ssdpm_error *reterr)
{
	struct change *change = &step->change;
	struct ssdpm_error error;
	int err = ssdpm__read_value(plan->machine, change->kind, change->path,
				    &change->before, &error);

	if (err == -ENOMEM)
		return ssdpm__pass_on(err, &error, reterr);
	/* Nobody could put that back. */
	if (!err && !change->before.text[0])
		return ssdpm__step_leave_alone(
			step, "its file is empty: it is not known", reterr);
	if (err)
		err = ssdpm__step_set_why(step, reterr,
					  "%.200s; what it is now is not "
					  "known: %.200s",
					  step->why, error.message);
	if (!err)
		settle(step);
	return err;
}

int ssdpm__plan_add_step(struct ssdpm_plan *plan, struct ssdpm_device *device,
			 const struct wanted_step *wanted,
			 struct ssdpm_error *reterr)
{
	struct step *step;
	int err = ssdpm__step_new(
		wanted->kind, wanted->path,
		device ? ssdpm_device_get_facts(device)->name : "all", &step,
		reterr);

	if (err)
		return err;
	step->read = wanted->read;
	step->follows_l1 = wanted->follows_l1;
	err = ssdpm__set_string(&step->why, wanted->why, reterr);
	if (err) {
		ssdpm__step_free(step);
		return err;
	}
	if (device)
		step->source = ssdpm_device_ref(device);
	ssdpm__value_set(step->change.kind, &wanted->after,
			 &step->change.after);
	return ssdpm__plan_put(plan, step, reterr);
}

int ssdpm__plan_add_file(struct ssdpm_plan *plan, struct ssdpm_device *device,
			 const char *file, struct wanted_step *wanted,
			 struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	char path[SSDPM__TARGET_BYTES];

	snprintf(path, sizeof(path), "%s/device/%s", facts->path + 1, file);
	wanted->path = path;
	wanted->why = "until the next boot";
	if (!wanted->read)
		wanted->read = ssdpm__step_read_now;
	return ssdpm__plan_add_step(plan, device, wanted, reterr);
}
