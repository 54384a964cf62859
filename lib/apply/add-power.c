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

static int check_nvme(const struct ssdpm_device_facts *facts,
		      struct ssdpm_error *reterr)
{
	if (facts->kind == SSDPM_KIND_NVME && facts->reach == SSDPM_REACH_YES &&
	    facts->path[0] == '/')
		return 0;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "%s is no NVMe controller in reach", facts->name);
}

/* Not everybody who may look at a plan may ask the drive. */
static int find_before(struct ssdpm_device *device, struct step *step,
		       const char *why, struct ssdpm_error *reterr)
{
	struct change *change = &step->change;
	struct ssdpm_step_value before = { 0 };
	struct ssdpm_error error;
	int err = change->kind->ask(device, &before, &error);

	if (err == -ENOMEM)
		return ssdpm__pass_on(err, &error, reterr);
	if (err)
		return ssdpm__step_set_why(step, reterr,
					   "%s; what it is now is not known: "
					   "%.200s",
					   why, error.message);
	ssdpm__value_set(change->kind, &before, &change->before);
	return ssdpm__set_string(&step->why, why, reterr);
}

static int put(struct ssdpm_plan *plan, struct ssdpm_device *device,
	       uint32_t kind, const struct ssdpm_step_value *after,
	       const char *why, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	struct ssdpm_step_value is = *after;
	struct change *change;
	struct step *step;
	int err;

	err = ssdpm__step_new(kind, facts->path + 1, facts->name, &step,
			      reterr);
	if (err)
		return err;
	change = &step->change;
	err = find_before(device, step, why, reterr);
	if (err) {
		ssdpm__step_free(step);
		return err;
	}
	if (is.workload_hint == SSDPM_WORKLOAD_HINT_KEEP)
		is.workload_hint = change->before.is.workload_hint;
	ssdpm__value_set(change->kind, &is, &change->after);
	if (ssdpm__value_is(&change->before, &change->after))
		step->state = SSDPM_STEP_IN_FORCE;
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
	char why[64];
	int err;

	err = ssdpm__plan_check_open(plan, reterr);
	if (!err)
		err = check_nvme(facts, reterr);
	if (!err)
		err = check_state(facts->name, model, power_state, reterr);
	if (!err && workload_hint > MAX_HINT && !keep)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "%s: there is no workload hint %u: 0 to %d",
				  facts->name, workload_hint, MAX_HINT);
	if (err)
		return err;
	say_power(model, power_state, why);
	return put(plan, device, SSDPM_STEP_POWER_STATE, &after, why, reterr);
}

/* Only where the drive itself says that it has none. */
static int check_nopp(struct ssdpm_device *device, struct ssdpm_error *reterr)
{
	struct ssdpm_device_power power = { .size = sizeof(power) };

	if (ssdpm_device_read_power(device, &power, NULL) ||
	    !(power.supported & SSDPM_POWER_FACT_STATE) ||
	    (power.supported & SSDPM_POWER_FACT_NOPP))
		return 0;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "%s has no permissive mode for non-operational "
			   "states (CTRATT bit 1)",
			   ssdpm_device_get_facts(device)->name);
}

int ssdpm_plan_add_nopp(struct ssdpm_plan *plan, struct ssdpm_device *device,
			uint32_t enabled, struct ssdpm_error *reterr)
{
	const struct ssdpm_step_value after = { .nopp = enabled };
	int err;

	err = ssdpm__plan_check_open(plan, reterr);
	if (!err)
		err = check_nvme(ssdpm_device_get_facts(device), reterr);
	if (!err && enabled > 1)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "enabled: 0 or 1, and not %u", enabled);
	if (!err)
		err = check_nopp(device, reterr);
	if (err)
		return err;
	return put(plan, device, SSDPM_STEP_NOPP, &after,
		   enabled ? "background work may exceed the power of a "
			     "non-operational state, until the next reset" :
			     "no background work beyond the power of a "
			     "non-operational state, until the next reset",
		   reterr);
}
