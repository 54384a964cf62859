/* SPDX-License-Identifier: MIT */
/*
 * Steps for the power state of an NVMe drive and what goes with it: Set
 * Features 02h and 11h (NVMe Base 2.1), never saved. Their values are lost at a
 * reset of the controller.
 */
#include "apply/internal.h"

#include <errno.h>
#include <stdio.h>

enum { MAX_HINT = 7 };

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
static int read_power(struct ssdpm_plan *plan, struct step *step,
		      struct ssdpm_error *reterr)
{
	struct change *change = &step->change;
	struct ssdpm_step_value now = { 0 };
	struct ssdpm_error error;
	int err = change->kind->command->ask(step->source, &now, &error);

	(void)plan;
	if (err == -ENOMEM)
		return ssdpm__pass_on(err, &error, reterr);
	if (!err)
		ssdpm__value_set(change->kind, &now, &change->before);
	else
		err = ssdpm__step_set_why(step, reterr,
					  "%.200s; what it is now is not "
					  "known: %.200s",
					  step->why, error.message);
	if (!err)
		settle(step);
	return err;
}

static int put(struct ssdpm_plan *plan, struct ssdpm_device *device,
	       struct step *step, const struct ssdpm_step_value *after,
	       const char *why, struct ssdpm_error *reterr)
{
	int err = ssdpm__set_string(&step->why, why, reterr);

	if (err) {
		ssdpm__step_free(step);
		return err;
	}
	step->source = ssdpm_device_ref(device);
	ssdpm__value_set(step->change.kind, after, &step->change.after);
	return ssdpm__plan_put(plan, step, reterr);
}

static int check_state(const char *name, const struct ssdpm_model *model,
		       uint32_t state, struct ssdpm_error *reterr)
{
	const struct ssdpm_power_state *states;
	size_t n;

	if (!model)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s: which power states it has depends on "
				   "its model, which is not known",
				   name);
	states = ssdpm_model_get_states(model, &n);
	if (state >= n && n == 1)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s has no PS%u: PS0 is its only state",
				   name, state);
	if (state >= n)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s has no PS%u: its states are PS0 to "
				   "PS%zu",
				   name, state, n - 1);
	if (states[state].flags & SSDPM_STATE_NON_OPERATIONAL)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s: PS%u is non-operational: the drive "
				   "leaves it at the next I/O; what lets it "
				   "sleep there is APST",
				   name, state);
	return 0;
}

/* "at most 10 W, until the next reset" */
static void say_power(const struct ssdpm_model *model, uint32_t state,
		      char why[64])
{
	static const char lasting[] = "until the next reset";
	const struct ssdpm_power_state *states;
	size_t n;

	states = ssdpm_model_get_states(model, &n);
	if (states[state].not_reported & SSDPM_FIELD_MAX_POWER)
		snprintf(why, 64, "%s", lasting);
	else
		snprintf(why, 64, "at most %u.%02u W, %s",
			 states[state].max_power_uw / 1000000,
			 states[state].max_power_uw / 10000 % 100, lasting);
}

int ssdpm_plan_add_power_state(struct ssdpm_plan *plan,
			       struct ssdpm_device *device,
			       struct ssdpm_model *model, uint32_t power_state,
			       uint32_t workload_hint,
			       struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	const bool keep = workload_hint == SSDPM_WORKLOAD_HINT_KEEP;
	const struct ssdpm_step_value after = {
		.power_state = power_state,
		.workload_hint = workload_hint,
	};
	struct step *step;
	char why[64];
	int err;

	err = ssdpm__plan_check_open(plan, reterr);
	if (!err)
		err = ssdpm__check_nvme(facts, reterr);
	if (!err)
		err = check_state(facts->name, model, power_state, reterr);
	if (!err && workload_hint > MAX_HINT && !keep)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "%s: there is no workload hint %u: 0 to %d",
				  facts->name, workload_hint, MAX_HINT);
	if (!err)
		err = ssdpm__step_new(SSDPM_STEP_POWER_STATE, facts->path + 1,
				      facts->name, &step, reterr);
	if (err)
		return err;
	step->read = read_power;
	say_power(model, power_state, why);
	return put(plan, device, step, &after, why, reterr);
}

/* Does the drive itself say that it has no such mode? */
static bool lacks_nopp(struct ssdpm_device *device)
{
	struct ssdpm_device_power power = { .size = sizeof(power) };

	return !ssdpm_device_read_power(device, &power, NULL) &&
	       (power.supported & SSDPM_POWER_FACT_STATE) &&
	       !(power.supported & SSDPM_POWER_FACT_NOPP);
}

static int read_nopp(struct ssdpm_plan *plan, struct step *step,
		     struct ssdpm_error *reterr)
{
	char why[96];
	int err = read_power(plan, step, reterr);

	if (err || step->change.before.is_known || !lacks_nopp(step->source))
		return err;
	snprintf(why, sizeof(why),
		 "%s has no permissive mode for non-operational states (CTRATT "
		 "bit 1)",
		 step->device);
	return ssdpm__step_leave_alone(step, why, reterr);
}

int ssdpm_plan_add_nopp(struct ssdpm_plan *plan, struct ssdpm_device *device,
			uint32_t enabled, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	const struct ssdpm_step_value after = { .nopp = enabled };
	struct step *step;
	int err;

	err = ssdpm__plan_check_open(plan, reterr);
	if (!err)
		err = ssdpm__check_nvme(facts, reterr);
	if (!err && enabled > 1)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "enabled: 0 or 1, and not %u", enabled);
	if (!err)
		err = ssdpm__step_new(SSDPM_STEP_NOPP, facts->path + 1,
				      facts->name, &step, reterr);
	if (err)
		return err;
	step->read = read_nopp;
	return put(plan, device, step, &after,
		   enabled ? "background work may exceed the power of a "
			     "non-operational state, until the next reset" :
			     "no background work beyond the power of a "
			     "non-operational state, until the next reset",
		   reterr);
}
