/* SPDX-License-Identifier: MIT */
/*
 * Steps for the power state of an NVMe drive and what goes with it: Set
 * Features 02h and 11h (NVMe Base 2.1), never saved. Their values are lost at a
 * reset of the controller.
 */
#include "apply/internal.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	FEATURE_STATE = 0x02,
	FEATURE_NOPP = 0x11,
	STATE_BITS = 0xff, /* of the state and the hint */
	HINT_SHIFT = 5,
	MAX_HINT = 7,
	STATUS_CODE = 0x7ff,
	STATUS_INVALID_FIELD = 0x002,
	STATUS_NOT_CHANGEABLE = 0x10e,
};

static void format_state(uint32_t state, uint32_t hint, char value[24])
{
	if (hint)
		snprintf(value, 24, "PS%u hint %u", state, hint);
	else
		snprintf(value, 24, "PS%u", state);
}

static bool parse_state(const char *value, uint32_t *ret_state,
			uint32_t *ret_hint)
{
	struct span span = ssdpm__span(value, strlen(value));
	uint64_t state, hint = 0;

	if (!ssdpm__take(&span, "PS") ||
	    !ssdpm__take_uint(&span, SSDPM_MAX_STATES - 1, &state))
		return false;
	if (span.at != span.end &&
	    (!ssdpm__take(&span, "hint") ||
	     !ssdpm__take_uint(&span, MAX_HINT, &hint) || span.at != span.end))
		return false;
	*ret_state = (uint32_t)state;
	*ret_hint = (uint32_t)hint;
	return true;
}

bool ssdpm__is_power_value(uint32_t kind, const char *value)
{
	uint32_t state, hint;

	if (kind == SSDPM_STEP_NOPP)
		return !strcmp(value, "on") || !strcmp(value, "off");
	return parse_state(value, &state, &hint);
}

/* As it is when it is awake: -EBUSY: it will not wake. */
static int read_awake(struct ssdpm_device *device,
		      struct ssdpm_device_power *power,
		      struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	int err = ssdpm_device_read_power(device, power, reterr);

	if (err || !(power->flags & SSDPM_POWER_FLAG_ASLEEP))
		return err;
	if (!device->machine->capture) {
		err = ssdpm__nvme_wake(device->machine, facts, reterr);
		if (!err)
			err = ssdpm_device_read_power(device, power, reterr);
		if (err || !(power->flags & SSDPM_POWER_FLAG_ASLEEP))
			return err;
	}
	return ssdpm__fail(reterr, -EBUSY, 0,
			   "%s sleeps in PS%u, and does not say which state it "
			   "wakes to",
			   facts->name, power->power_state);
}

int ssdpm__read_power_value(struct ssdpm_device *device, uint32_t kind,
			    char value[SSDPM__VALUE_BYTES],
			    struct ssdpm_error *reterr)
{
	struct ssdpm_device_power power = { .size = sizeof(power) };
	char text[24];
	int err;

	if (kind == SSDPM_STEP_POWER_STATE) {
		err = read_awake(device, &power, reterr);
		if (err)
			return err;
		format_state(power.power_state, power.workload_hint, text);
		strcpy(value, text);
		return 0;
	}
	err = ssdpm_device_read_power(device, &power, reterr);
	if (err)
		return err;
	if (!(power.known & SSDPM_POWER_FACT_NOPP))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s does not say whether it has a "
				   "permissive mode for non-operational states",
				   ssdpm_device_get_facts(device)->name);
	strcpy(value, power.nopp ? "on" : "off");
	return 0;
}

/* Bits beside the two fields stay: NVMe 2.3 has a latency limit there (IIELL).
 */
static int make_dword(struct ssdpm_machine *machine, const char *name,
		      uint32_t state, uint32_t hint, uint32_t *ret_dword,
		      struct ssdpm_error *reterr)
{
	uint32_t now = 0;
	int err = ssdpm__nvme_get_feature(machine, name, FEATURE_STATE, NULL, 0,
					  &now, reterr);

	if (!err)
		*ret_dword = (now & ~(uint32_t)STATE_BITS) |
			     hint << HINT_SHIFT | state;
	return err;
}

/* What the drive cannot do, and not that it failed. */
static int set_feature(struct ssdpm_machine *machine, const char *name,
		       uint8_t fid, uint32_t dword, struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	uint32_t code;
	int err;

	err = ssdpm__nvme_set_feature(machine, name, fid, dword, &error);
	if (!err)
		return 0;
	code = error.nvme_status & STATUS_CODE;
	if (err == -EIO &&
	    (code == STATUS_INVALID_FIELD || code == STATUS_NOT_CHANGEABLE))
		err = error.code = -EOPNOTSUPP;
	if (reterr)
		*reterr = error;
	return err;
}

int ssdpm__write_power_value(struct ssdpm_machine *machine, uint32_t kind,
			     const char *name, const char *value,
			     struct ssdpm_error *reterr)
{
	uint32_t state, hint, dword;
	int err;

	if (machine->capture)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s: a capture takes no commands", name);
	if (kind == SSDPM_STEP_NOPP)
		return set_feature(machine, name, FEATURE_NOPP,
				   !strcmp(value, "on"), reterr);
	if (!parse_state(value, &state, &hint))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s: %.40s is no power state", name, value);
	err = make_dword(machine, name, state, hint, &dword, reterr);
	return err ? err :
		     set_feature(machine, name, FEATURE_STATE, dword, reterr);
}

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
static int find_before(struct ssdpm_device *device, uint32_t kind,
		       char before[SSDPM__VALUE_BYTES], char why_not[256],
		       struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	int err = ssdpm__read_power_value(device, kind, before, &error);

	why_not[0] = '\0';
	if (!err)
		return 0;
	if (err == -ENOMEM) {
		if (reterr)
			*reterr = error;
		return err;
	}
	before[0] = '\0';
	snprintf(why_not, 256, "; what it is now is not known: %.200s",
		 error.message);
	return 0;
}

static int put(struct ssdpm_plan *plan, const struct ssdpm_device *device,
	       uint32_t kind, const char *before, const char *after,
	       const char *why, const char *why_not, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	struct step *step;
	int err;

	err = ssdpm__step_new(kind, facts->path + 1, before, after, &step,
			      reterr);
	if (err)
		return err;
	step->flags = SSDPM_STEP_REVERSIBLE | SSDPM_STEP_UNTIL_RESET;
	if (!strcmp(before, after))
		step->state = SSDPM_STEP_IN_FORCE;
	err = ssdpm__set_string(&step->device, facts->name, reterr);
	if (!err)
		err = ssdpm__step_set_why(step, reterr, "%s%s", why, why_not);
	if (!err)
		return ssdpm__plan_put(plan, step, reterr);
	ssdpm__step_free(step);
	return err;
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
	char before[SSDPM__VALUE_BYTES], after[24], why[64], why_not[256];
	uint32_t now, hint = 0;
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
	if (!err)
		err = find_before(device, SSDPM_STEP_POWER_STATE, before,
				  why_not, reterr);
	if (err)
		return err;
	if (!keep)
		hint = workload_hint;
	else if (!parse_state(before, &now, &hint))
		hint = 0;
	format_state(power_state, hint, after);
	say_power(model, power_state, why);
	return put(plan, device, SSDPM_STEP_POWER_STATE, before, after, why,
		   why_not, reterr);
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
	char before[SSDPM__VALUE_BYTES], why_not[256];
	int err;

	err = ssdpm__plan_check_open(plan, reterr);
	if (!err)
		err = check_nvme(ssdpm_device_get_facts(device), reterr);
	if (!err && enabled > 1)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "enabled: 0 or 1, and not %u", enabled);
	if (!err)
		err = check_nopp(device, reterr);
	if (!err)
		err = find_before(device, SSDPM_STEP_NOPP, before, why_not,
				  reterr);
	if (err)
		return err;
	return put(plan, device, SSDPM_STEP_NOPP, before,
		   enabled ? "on" : "off",
		   enabled ? "background work may exceed the power of a "
			     "non-operational state, until the next reset" :
			     "no background work beyond the power of a "
			     "non-operational state, until the next reset",
		   why_not, reterr);
}
