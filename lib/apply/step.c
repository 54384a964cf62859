/* SPDX-License-Identifier: MIT */
/* A step of a plan: its life, what becomes of it, and the words for that. */
#include "apply/internal.h"

#include "base/words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ssdpm__set_string(char **string, const char *text,
		      struct ssdpm_error *reterr)
{
	char *copy = strdup(text);

	if (!copy)
		return ssdpm__no_memory(reterr);
	free(*string);
	*string = copy;
	return 0;
}

struct step *ssdpm__step_free(struct step *step)
{
	if (!step)
		return NULL;
	ssdpm_device_unref(step->source);
	free(step->change.path);
	free(step->device);
	free(step->target);
	free(step->why);
	free(step->warning);
	free(step->origin);
	free(step);
	return NULL;
}

static int set_target(struct step *step, struct ssdpm_error *reterr)
{
	char file[SSDPM__TARGET_BYTES + 1];
	const char *target = step->change.kind->target;

	snprintf(file, sizeof(file), "/%s", step->change.path);
	return ssdpm__set_string(&step->target, target ? target : file, reterr);
}

int ssdpm__step_new(uint32_t kind, const char *path, const char *device,
		    struct step **ret_step, struct ssdpm_error *reterr)
{
	struct step *step = calloc(1, sizeof(*step));
	int err;

	if (!step)
		return ssdpm__no_memory(reterr);
	step->change.kind = ssdpm__kind(kind);
	step->state = SSDPM_STEP_PLANNED;
	step->flags = SSDPM_STEP_REVERSIBLE | step->change.kind->flags;
	err = ssdpm__set_string(&step->change.path, path, reterr);
	if (!err)
		err = ssdpm__set_string(&step->device, device, reterr);
	if (!err)
		err = ssdpm__set_string(&step->why, "", reterr);
	if (!err)
		err = ssdpm__set_string(&step->warning, "", reterr);
	if (!err)
		err = set_target(step, reterr);
	if (err) {
		ssdpm__step_free(step);
		return err;
	}
	*ret_step = step;
	return 0;
}

void ssdpm__step_settle(struct step *step)
{
	if (ssdpm__value_is(&step->change.before, &step->change.after))
		step->state = SSDPM_STEP_IN_FORCE;
}

int ssdpm__step_leave_alone(struct step *step, const char *why,
			    struct ssdpm_error *reterr)
{
	int err = ssdpm__set_string(&step->why, why, reterr);

	if (!err)
		err = ssdpm__set_string(&step->warning, "", reterr);
	if (err)
		return err;
	step->state = SSDPM_STEP_LEFT_ALONE;
	step->flags = 0;
	memset(&step->change.before, 0, sizeof(step->change.before));
	memset(&step->change.after, 0, sizeof(step->change.after));
	return 0;
}

bool ssdpm__step_is_unknown(const struct step *step)
{
	const struct value *before = &step->change.before;

	return !before->is_known && before->text[0];
}

int ssdpm__step_say_unknown(struct step *step, struct ssdpm_error *reterr)
{
	return ssdpm__step_set_why(step, reterr,
				   "it reads %.60s, which this version does "
				   "not know and could not restore",
				   step->change.before.text);
}

int ssdpm__step_set_why(struct step *step, struct ssdpm_error *reterr,
			const char *format, ...)
{
	char why[512];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	return ssdpm__set_string(&step->why, why, reterr);
}

int ssdpm__step_warn(const struct ssdpm_plan *plan, struct step *step,
		     const struct ssdpm_device *device,
		     const struct ssdpm_model *model,
		     struct ssdpm_error *reterr)
{
	char warning[SSDPM__WARNING_BYTES];
	int err;

	err = ssdpm__warn_of_setting(device, &plan->facts, model,
				     step->change.after.is.lpm, warning,
				     reterr);
	return err ? err : ssdpm__set_string(&step->warning, warning, reterr);
}

static int fail_removed(const char *name, const char *removal, int err,
			struct ssdpm_error *reterr)
{
	if (!removal)
		return err;
	return ssdpm__fail(reterr, -ENODEV, 0, "%s: %s", name, removal);
}

int ssdpm__step_fail(const struct ssdpm_plan *plan, const struct step *step,
		     int err, struct ssdpm_error *reterr)
{
	return fail_removed(step->device,
			    ssdpm__value_removal(plan->machine, &step->change),
			    err, reterr);
}

int ssdpm__drive_fail(const struct ssdpm_plan *plan,
		      const struct plan_drive *drive, int err,
		      struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);

	return fail_removed(facts->name,
			    ssdpm__removal(plan->machine, facts->path + 1), err,
			    reterr);
}

bool ssdpm__step_is_pending(const struct step *step)
{
	return SSDPM_STEPS_PENDING >> step->state & 1;
}

static const char step_state_words[][11] = {
	[SSDPM_STEP_PLANNED] = "planned",
	[SSDPM_STEP_IN_FORCE] = "in-force",
	[SSDPM_STEP_LEFT_ALONE] = "left-alone",
	[SSDPM_STEP_DONE] = "done",
	[SSDPM_STEP_FAILED] = "failed",
	[SSDPM_STEP_UNDONE] = "undone",
	[SSDPM_STEP_DIFFERS] = "differs",
};
ENUM_WORDS(step_state)

static const char step_flag_words[][13] = {
	[FLAG(SSDPM_STEP_REVERSIBLE)] = "reversible",
	[FLAG(SSDPM_STEP_ALL_DRIVES)] = "all-drives",
	[FLAG(SSDPM_STEP_UNTIL_RESET)] = "until-reset",
	[FLAG(SSDPM_STEP_UNTIL_REBOOT)] = "until-reboot",
	[FLAG(SSDPM_STEP_NO_HOST_BITS)] = "no-host-bits",
};
FLAG_WORDS(step_flag)
