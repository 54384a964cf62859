/* SPDX-License-Identifier: MIT */
/*
 * Steps for settings that are numbers. The power state of an NVMe drive and
 * what goes with it are set by Set Features 02h and 11h (NVMe Base 2.1), never
 * saved. The features of its link, its D3cold, the queue depth of a SATA drive
 * and the ASPM policy of the machine are files of sysfs.
 */
#include "apply/internal.h"
#include "policy/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_HINT = 7 };

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
	const struct ssdpm_power_state *of;
	size_t n;

	of = &ssdpm_model_get_states(model, &n)[state];
	if (ssdpm__is_unknown(of, SSDPM_FIELD_MAX_POWER))
		snprintf(why, 64, "%s", lasting);
	else
		snprintf(why, 64, "at most %u.%02u W, %s",
			 of->max_power_uw / 1000000,
			 of->max_power_uw / 10000 % 100, lasting);
}

int ssdpm_plan_add_power_state(struct ssdpm_plan *plan,
			       struct ssdpm_device *device,
			       struct ssdpm_model *model, uint32_t power_state,
			       uint32_t workload_hint,
			       struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	const bool keep = workload_hint == SSDPM_WORKLOAD_HINT_KEEP;
	struct wanted_step wanted = {
		.kind = SSDPM_STEP_POWER_STATE,
		.path = facts->path + 1,
		.after.power_state = power_state,
		.after.workload_hint = workload_hint,
		.read = ssdpm__step_read_now,
	};
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
	if (err)
		return err;
	say_power(model, power_state, why);
	wanted.why = why;
	return ssdpm__plan_add_step(plan, device, &wanted, reterr);
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
	int err = ssdpm__step_read_now(plan, step, reterr);

	if (err || step->change.before.is_known || !lacks_nopp(step->source))
		return err;
	snprintf(why, sizeof(why),
		 "%s has no permissive mode for non-operational states (CTRATT "
		 "bit 1)",
		 step->device);
	return ssdpm__step_leave_alone(step, why, reterr);
}

static int check_switch(const struct ssdpm_device_facts *facts, uint64_t value,
			struct ssdpm_error *reterr)
{
	int err = ssdpm__check_nvme(facts, reterr);

	if (!err && value > 1)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "value: 0 or 1, and not %" PRIu64, value);
	return err;
}

static int add_nopp(struct ssdpm_plan *plan, struct ssdpm_device *device,
		    uint64_t enabled, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	const struct wanted_step wanted = {
		.kind = SSDPM_STEP_NOPP,
		.path = facts->path + 1,
		.after.nopp = enabled != 0,
		.why = enabled ? "background work may exceed the power of a "
				 "non-operational state, until the next reset" :
				 "no background work beyond the power of a "
				 "non-operational state, until the next reset",
		.read = read_nopp,
	};
	int err = check_switch(facts, enabled, reterr);

	return err ? err : ssdpm__plan_add_step(plan, device, &wanted, reterr);
}

static int add_queue_depth(struct ssdpm_plan *plan, struct ssdpm_device *device,
			   uint64_t value, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	struct wanted_step wanted = {
		.kind = SSDPM_STEP_QUEUE_DEPTH,
		.after.queue_depth = (uint32_t)value,
	};

	if (!value || value > SSDPM__MAX_QUEUE_DEPTH)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "value: 1 to %d, and not %" PRIu64,
				   SSDPM__MAX_QUEUE_DEPTH, value);
	if (facts->kind != SSDPM_KIND_SATA || !facts->ata_port ||
	    !strstr(facts->path, "/block/"))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s is no SATA drive of libata",
				   facts->name);
	return ssdpm__plan_add_file(plan, device, "queue_depth", &wanted,
				    reterr);
}

static int add_d3cold(struct ssdpm_plan *plan, struct ssdpm_device *device,
		      uint64_t value, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	struct wanted_step wanted = {
		.kind = SSDPM_STEP_D3COLD,
		.after.d3cold = value != 0,
	};
	int err = check_switch(facts, value, reterr);

	if (!err && !(facts->known & SSDPM_FACT_D3COLD))
		err = ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				  "%s: sysfs has no d3cold_allowed of it",
				  facts->name);
	return err ? err :
		     ssdpm__plan_add_file(plan, device, "d3cold_allowed",
					  &wanted, reterr);
}

static int add_aspm_policy(struct ssdpm_plan *plan, uint64_t value,
			   struct ssdpm_error *reterr)
{
	const struct wanted_step wanted = {
		.kind = SSDPM_STEP_ASPM_POLICY,
		.path = SSDPM__ASPM_POLICY,
		.after.aspm_policy = (uint32_t)value,
		.why = "for all PCIe devices, until the next boot",
		.read = ssdpm__step_read_now,
	};

	if (value > SSDPM_ASPM_POWERSUPERSAVE ||
	    !ssdpm_aspm_policy_to_string((uint32_t)value))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "value: no ASPM policy has %" PRIu64, value);
	if (!ssdpm__exists(plan->machine, SSDPM__ASPM_POLICY))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "this Linux has no ASPM policy: there is no "
				   "/" SSDPM__ASPM_POLICY);
	return ssdpm__plan_add_step(plan, NULL, &wanted, reterr);
}

int ssdpm_plan_add_value(struct ssdpm_plan *plan, struct ssdpm_device *device,
			 uint32_t kind, uint64_t value,
			 struct ssdpm_error *reterr)
{
	int err = ssdpm__plan_check_open(plan, reterr);

	if (err)
		return err;
	switch (kind) {
	case SSDPM_STEP_NOPP:
		return add_nopp(plan, device, value, reterr);
	case SSDPM_STEP_PCIE_LINK:
		return ssdpm__plan_add_link(plan, device, value, reterr);
	case SSDPM_STEP_QUEUE_DEPTH:
		return add_queue_depth(plan, device, value, reterr);
	case SSDPM_STEP_D3COLD:
		return add_d3cold(plan, device, value, reterr);
	case SSDPM_STEP_ASPM_POLICY:
		return add_aspm_policy(plan, value, reterr);
	default:
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "kind: %u has no number for a value", kind);
	}
}
