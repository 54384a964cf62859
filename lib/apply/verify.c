/* SPDX-License-Identifier: MIT */
/* Is it in force? Values, and the tables that the kernel built. */
#include "apply/internal.h"

#include <errno.h>
#include <string.h>

/* The step that says what became of the table of a drive; NULL: none. */
static struct step *find_step(const struct ssdpm_plan *plan,
			      const struct plan_drive *drive)
{
	const char *name = ssdpm_device_get_facts(drive->device)->name;
	struct step *found = NULL;

	for (size_t i = 0; i < plan->n_order; i++)
		if (plan->order[i]->change.kind->role &&
		    !strcmp(plan->order[i]->device, name))
			found = plan->order[i]; /* the last one decides */
	return found;
}

static int read_built(struct plan_drive *drive, struct ssdpm_error *reterr)
{
	struct ssdpm_apst table;
	int err = ssdpm_device_read_apst(drive->device, &table, reterr);

	if (err)
		return err;
	drive->built = table;
	drive->is_built = true;
	return 0;
}

/*
 * A drive of the same name in the catalogue may have another firmware, with
 * other latencies: it decides nothing. A table of one's own is what it is.
 */
static int check_table(struct ssdpm_plan *plan, struct plan_drive *drive,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_apst predicted;
	int err;

	err = ssdpm__predict(plan, drive, true, &predicted, reterr);
	if (err == -ENODATA || err == -ERANGE)
		return 0; /* no prediction */
	if (err || !predicted.sent)
		return err;
	err = read_built(drive, reterr);
	if (err ||
	    (!ssdpm__is_sure(drive) && !ssdpm__plan_find_table(plan, drive)))
		return err;
	return ssdpm__compare_tables(
		ssdpm_device_get_facts(drive->device)->name, &drive->built,
		&predicted, reterr);
}

static void say_not_read(const struct ssdpm_plan *plan,
			 const struct plan_drive *drive,
			 const struct ssdpm_error *error)
{
	struct step *step = find_step(plan, drive);

	if (step)
		ssdpm__step_set_why(step, NULL,
				    "%.200s; the table was not read back: "
				    "%.200s",
				    step->why, error->message);
}

/* Does this plan change the table of the drive? */
static bool is_changed(const struct ssdpm_plan *plan,
		       const struct plan_drive *drive)
{
	const char *name = ssdpm_device_get_facts(drive->device)->name;

	for (size_t i = 0; i < plan->n_order; i++)
		if (plan->order[i]->state == SSDPM_STEP_DONE &&
		    plan->order[i]->change.kind->role &&
		    !strcmp(plan->order[i]->device, name))
			return true;
	return false;
}

static int fail_drive(const struct ssdpm_plan *plan,
		      const struct plan_drive *drive,
		      const struct ssdpm_error *error,
		      struct ssdpm_error *reterr)
{
	struct step *step = find_step(plan, drive);

	step->state = SSDPM_STEP_FAILED;
	step->failed = true;
	ssdpm__set_string(&step->why, error->message, NULL);
	if (reterr)
		*reterr = *error;
	return error->code;
}

int ssdpm__check_tables(struct ssdpm_plan *plan, const char *device,
			struct ssdpm_error *reterr)
{
	struct ssdpm_error error;

	if (plan->machine->capture)
		return 0; /* no kernel builds tables there */
	for (size_t i = 0; i < plan->n_drives; i++) {
		struct plan_drive *drive = &plan->drives[i];
		int err;

		if (!drive->model || !is_changed(plan, drive) ||
		    (device &&
		     strcmp(device,
			    ssdpm_device_get_facts(drive->device)->name)))
			continue;
		err = check_table(plan, drive, &error);
		if (err && ssdpm__drive_fail(plan, drive, 0, &error))
			return fail_drive(plan, drive, &error, reterr);
		if (err == -EOPNOTSUPP || err == -ENODEV || err == -EACCES) {
			say_not_read(plan, drive, &error);
			continue;
		}
		if (!err)
			continue;
		return fail_drive(plan, drive, &error, reterr);
	}
	return 0;
}

static int differs(struct step *step, struct ssdpm_error *reterr,
		   const struct ssdpm_error *error)
{
	/* A step that was never done is still planned. */
	if (!ssdpm__step_is_pending(step))
		step->state = SSDPM_STEP_DIFFERS;
	return ssdpm__fail(reterr, -ESTALE, 0, "%s", error->message);
}

/* A value of a device that is gone is not in force. */
static int not_read(const struct ssdpm_plan *plan, struct step *step, int err,
		    struct ssdpm_error *error, struct ssdpm_error *reterr)
{
	if (ssdpm__step_fail(plan, step, 0, error)) {
		err = -ENODEV;
		differs(step, NULL, error);
		ssdpm__set_string(&step->why, error->message, NULL);
	}
	return ssdpm__pass_on(err, error, reterr);
}

static int verify_step(struct ssdpm_plan *plan, struct step *step,
		       uint32_t flags, struct ssdpm_error *reterr)
{
	const struct change *change = &step->change;
	struct ssdpm_error error;
	struct value now;
	int err;

	/* For tables, check_table() does that. */
	if (step->state == SSDPM_STEP_LEFT_ALONE ||
	    change->kind->role == ROLE_TABLE)
		return 0;
	if (change->kind->command && !plan->machine->capture &&
	    !(flags & SSDPM_READ_COMMANDS))
		return 0;
	err = ssdpm__read_value(plan->machine, change->kind, change->path, &now,
				&error);
	if (err)
		return not_read(plan, step, err, &error, reterr);
	if (!ssdpm__value_is(&now, &change->after)) {
		ssdpm__fail(&error, -ESTALE, 0, "%s is %.60s, not %.60s",
			    step->target, now.text, change->after.text);
		return differs(step, reterr, &error);
	}
	if (change->host_bits &&
	    ssdpm__check_host_bits(plan->machine, change->path, now.is.lpm,
				   &error))
		return differs(step, reterr, &error);
	if (step->state == SSDPM_STEP_DIFFERS)
		step->state =
			change->begun ? SSDPM_STEP_DONE : SSDPM_STEP_IN_FORCE;
	return 0;
}

static int verify_table(struct ssdpm_plan *plan, struct plan_drive *drive,
			struct ssdpm_error *reterr)
{
	struct step *step = find_step(plan, drive);
	int err = check_table(plan, drive, reterr);

	if (err)
		err = ssdpm__drive_fail(plan, drive, err, reterr);
	if (err == -EREMOTEIO && step && !ssdpm__step_is_pending(step))
		step->state = SSDPM_STEP_DIFFERS;
	return err;
}

/* All are looked at, and the first failure is returned. */
bool ssdpm__is_otherwise(int err)
{
	return err == -ESTALE || err == -EREMOTEIO || err == -ENODEV;
}

/* The first; what is otherwise counts for more than what cannot be read. */
static void note_failure(int err, const struct ssdpm_error *error,
			 int *first_err, struct ssdpm_error *reterr)
{
	bool counts = !*first_err || (ssdpm__is_otherwise(err) &&
				      !ssdpm__is_otherwise(*first_err));

	if (!err || !counts)
		return;
	*first_err = err;
	if (reterr)
		*reterr = *error;
}

int ssdpm_plan_verify(struct ssdpm_plan *plan, uint32_t flags,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	int first_err = 0, err;

	if (flags & ~(uint32_t)SSDPM_READ_COMMANDS)
		return ssdpm__fail(reterr, -EINVAL, 0, "unknown flags %#x",
				   flags);
	err = ssdpm_plan_read(plan, &error);
	if (err)
		return ssdpm__pass_on(err, &error, reterr);
	for (size_t i = 0; i < plan->n_order; i++) {
		err = verify_step(plan, plan->order[i], flags, &error);
		note_failure(err, &error, &first_err, reterr);
	}
	/* A capture that a plan may write to has no kernel. */
	if (!(flags & SSDPM_READ_COMMANDS) || plan->machine->capture == 2)
		return first_err;
	for (size_t i = 0; i < plan->n_drives; i++) {
		if (!plan->drives[i].model)
			continue;
		err = verify_table(plan, &plan->drives[i], &error);
		note_failure(err, &error, &first_err, reterr);
	}
	return first_err;
}
