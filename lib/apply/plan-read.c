/* SPDX-License-Identifier: MIT */
/* The values that the steps of a plan find: read once, before it is shown. */
#include "apply/internal.h"

/* A revert never forgets a journal that was set aside. */
static int leave_unknown(struct step *step, struct ssdpm_error *reterr)
{
	if (step->state != SSDPM_STEP_PLANNED || step->is_aside ||
	    !ssdpm__step_is_unknown(step))
		return 0;
	step->state = SSDPM_STEP_LEFT_ALONE;
	return ssdpm__step_say_unknown(step, reterr);
}

static int read_step(struct ssdpm_plan *plan, struct step *step,
		     struct ssdpm_error *reterr)
{
	int err;

	if (!step->read)
		return 0;
	err = step->read(plan, step, reterr);
	if (!err)
		step->read = NULL;
	return err ? err : leave_unknown(step, reterr);
}

/* Whom it is for: another drive may take its place until the commit. */
static int note_serial(const struct ssdpm_plan *plan, struct step *step,
		       struct ssdpm_error *reterr)
{
	struct change *change = &step->change;

	if (step->state == SSDPM_STEP_LEFT_ALONE || change->serial)
		return 0;
	return ssdpm__read_serial(plan->machine, change, &change->serial,
				  reterr);
}

int ssdpm_plan_read(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; !err && i < plan->n_steps; i++)
		err = read_step(plan, plan->steps[i], reterr);
	for (size_t i = 0; !err && i < plan->n_drives; i++)
		err = ssdpm__look_at_table(plan, &plan->drives[i], reterr);
	if (err)
		return err;
	ssdpm__plan_arrange(plan);
	for (size_t i = 0; !err && i < plan->n_order; i++)
		err = note_serial(plan, plan->order[i], reterr);
	return err;
}
