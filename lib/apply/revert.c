/* SPDX-License-Identifier: MIT */
/* Plans that go back: to what was there first, or before another plan. */
#include "apply/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * As the steps are named that set it; a port with several disks has its own.
 * What was there may have lost data.
 */
static int name_port(struct ssdpm_plan *plan, struct step *step,
		     const char *host, char name[32],
		     struct ssdpm_error *reterr)
{
	struct ssdpm_device *device;
	int err;

	snprintf(name, 32, "%s", host);
	err = ssdpm_device_read(plan->machine, host, &device, reterr);
	if (err)
		return err == -ENOMEM ? err : 0;
	ssdpm__port_name(ssdpm_device_get_facts(device), name);
	err = ssdpm__step_warn(plan, step, device, NULL, reterr);
	ssdpm_device_unref(device);
	return err;
}

static int add_drive(struct ssdpm_plan *plan, const char *name,
		     struct ssdpm_model *model, struct ssdpm_error *reterr)
{
	struct ssdpm_device *device;
	int err;

	err = ssdpm_device_read(plan->machine, name, &device, reterr);
	if (err == -ENOENT || err == -ENODEV)
		return 0; /* it shows when the value is read */
	if (err)
		return err;
	err = ssdpm__plan_add_drive(plan, device, model, reterr);
	ssdpm_device_unref(device);
	return err;
}

static int fill_lpm(struct ssdpm_plan *plan, struct step *step,
		    const char *host, struct ssdpm_error *reterr)
{
	struct ssdpm_device_facts facts = { .size = sizeof(facts) };
	char name[32];
	int err;

	step->change.lpms[0] = step->change.after.is.lpm;
	step->change.n_lpms = 1;
	err = ssdpm__sata_read_facts(plan->machine, host, &facts);
	if (!err)
		ssdpm__judge_host_bits(&facts, step);
	if (err == -ENOMEM)
		return ssdpm__no_memory(reterr);
	err = name_port(plan, step, host, name, reterr);
	if (!err)
		err = ssdpm__set_string(&step->device, name, reterr);
	/* A disk may have come since; the way back is what was there. */
	if (!err && !plan->goes_back && step->state == SSDPM_STEP_PLANNED)
		err = ssdpm__lpm_read(plan, step, reterr);
	return err;
}

static int fill(struct ssdpm_plan *plan, struct step *step,
		struct ssdpm_error *reterr)
{
	switch (step->change.kind->role) {
	case ROLE_PARAMETER:
		return ssdpm__plan_add_all_drives(plan, reterr);
	case ROLE_TOLERANCE:
	case ROLE_TABLE:
		return add_drive(plan, step->device, NULL, reterr);
	default:
		return step->change.kind->has_tries ?
			       fill_lpm(plan, step, step->device, reterr) :
			       0;
	}
}

static bool cannot_return(const struct step *step)
{
	return step->change.after.is.lpm == SSDPM_LPM_KEEP_FIRMWARE_SETTINGS;
}

/* Put back what can be; the rest gets the reason why not. */
static int judge_way_back(const struct ssdpm_plan *plan, struct step *step,
			  int err, struct ssdpm_error *error)
{
	struct change *change = &step->change;

	step->state = SSDPM_STEP_LEFT_ALONE;
	if (err) {
		/* Then the commit says that root is needed. */
		if (err == -EACCES)
			step->state = SSDPM_STEP_PLANNED;
		step->unread = err != -ENODEV;
		return ssdpm__set_string(&step->why, error->message, error);
	}
	if (ssdpm__value_is(&change->before, &change->after)) {
		step->state = SSDPM_STEP_IN_FORCE;
		return ssdpm__set_string(&step->why, "it is as it was", error);
	}
	if (!ssdpm__value_is(&change->before, &step->expected))
		return ssdpm__step_set_why(
			step, error,
			"it has changed since %.90s was written: by another "
			"program, or as the drive was plugged in",
			step->expected.text);
	if (cannot_return(step))
		return ssdpm__set_string(
			&step->why,
			"keep_firmware_settings cannot be brought back before "
			"the next boot",
			error);
	step->state = SSDPM_STEP_PLANNED;
	return ssdpm__set_string(&step->why,
				 plan->reverts ?
					 "as it was before the first change" :
					 "as it was before the change",
				 error);
}

/* Who may have changed what was set? */
static const char *say_changed(const struct change *change)
{
	if (change->kind->command)
		return "it was set, and is not so now: a reset or another "
		       "program has changed it";
	if (change->kind->number == SSDPM_STEP_PCIE_LINK &&
	    change->after.is.pcie_link)
		return "it was set, and is off now: the ASPM policy has it "
		       "off, or another program";
	return "it was set, and has changed since: by another program, or as "
	       "the drive was plugged in";
}

/* The value that was set, and whether it is so still. */
static int judge_applied(const struct ssdpm_plan *plan, struct step *step,
			 int err, struct ssdpm_error *error)
{
	struct change *change = &step->change;

	(void)plan;
	if (err == -ENODEV)
		step->state = SSDPM_STEP_LEFT_ALONE;
	if (err)
		return ssdpm__set_string(&step->why, error->message, error);
	if (ssdpm__value_is(&change->before, &change->after)) {
		step->state = SSDPM_STEP_IN_FORCE;
		return ssdpm__set_string(&step->why, "as it was set", error);
	}
	if (ssdpm__step_is_unknown(step)) {
		step->state = SSDPM_STEP_DIFFERS;
		return ssdpm__step_say_unknown(step, error);
	}
	return ssdpm__set_string(&step->why, say_changed(change), error);
}

static int read_recorded(struct ssdpm_plan *plan, struct step *step,
			 struct ssdpm_error *reterr)
{
	struct change *change = &step->change;
	struct ssdpm_error error;
	uint64_t serial;
	int err;

	err = ssdpm__read_serial(plan->machine, change, &serial, &error);
	if (!err && ssdpm__is_another(change, serial))
		err = ssdpm__fail(&error, -ENODEV, 0,
				  "another drive is in its place");
	else if (!err)
		err = ssdpm__read_value(plan->machine, change->kind,
					change->path, &change->before, &error);
	if (err == -ENOMEM)
		return ssdpm__pass_on(err, &error, reterr);
	err = plan->goes_back ? judge_way_back(plan, step, err, &error) :
				judge_applied(plan, step, err, &error);
	return err ? ssdpm__pass_on(err, &error, reterr) :
		     fill(plan, step, reterr);
}

/* From the value that the last commit has set to another, or to the same. */
static int add_recorded(struct ssdpm_plan *plan, const struct change *change,
			const struct value *to, struct ssdpm_error *reterr)
{
	struct step *step;
	char name[32];
	int err;

	ssdpm__change_device(change, name);
	err = ssdpm__step_new(change->kind->number, change->path, name, &step,
			      reterr);
	if (err)
		return err;
	step->read = read_recorded;
	step->change.serial = change->serial;
	step->change.after = *to;
	step->expected = change->after;
	return ssdpm__plan_put(plan, step, reterr);
}

/*
 * The next process with the lock puts back a journal that is set aside, before
 * anything else. The step is never done, and fails until then.
 */
static int read_aside(struct ssdpm_plan *plan, struct step *step,
		      struct ssdpm_error *reterr)
{
	struct change *change = &step->change;
	struct ssdpm_error error;
	int err;

	err = ssdpm__read_value(plan->machine, change->kind, change->path,
				&change->before, &error);
	if (err == -ENOMEM)
		return ssdpm__pass_on(err, &error, reterr);
	err = change->kind->has_tries ?
		      fill_lpm(plan, step, step->device, reterr) :
		      0;
	step->state = SSDPM_STEP_PLANNED;
	return err ? err :
		     ssdpm__set_string(
			     &step->why,
			     "a commit that failed could not put it back",
			     reterr);
}

/* With the target that the record has, if it has one. */
static int add_aside(struct ssdpm_plan *plan, struct change change,
		     struct ssdpm_error *reterr)
{
	struct step *step;
	int err = 0;

	/* A value that passes may have stayed in between. */
	if (change.kind->is_passing)
		change.kind = ssdpm__kind(SSDPM_STEP_LATENCY_TOLERANCE);
	step = ssdpm__plan_find(plan, change.kind->number, change.path);
	if (!step)
		err = add_recorded(plan, &change, &change.before, reterr);
	if (err)
		return err;
	step = ssdpm__plan_find(plan, change.kind->number, change.path);
	step->read = read_aside;
	step->is_aside = true;
	return 0;
}

static int add_journal(struct ssdpm_plan *plan, const struct site *site,
		       const char *name, struct ssdpm_error *reterr)
{
	struct changes changes = { 0 };
	int err = ssdpm__changes_read(site, name, &changes, reterr);

	for (size_t i = 0; !err && i < changes.n; i++)
		if (changes.list[i]->begun)
			err = add_aside(plan, *changes.list[i], reterr);
	ssdpm__changes_free(&changes);
	return err == -ENOENT || err == -ESTALE ? 0 : err;
}

/* Those of devices that could not be put back. */
static int add_journals(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	char name[SSDPM__JOURNAL_BYTES] = SSDPM__JOURNAL;
	struct site site;
	int err = ssdpm__site_find(plan, false, &site, reterr);

	if (err)
		return err == -ENOENT ? 0 : err;
	while (!err && !(err = ssdpm__journal_next(&site, name, reterr)))
		err = add_journal(plan, &site, name, reterr);
	ssdpm__site_close(&site);
	return err == -ENOENT ? 0 : err;
}

static int add_revert(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	struct changes changes;
	bool has_old = false;
	int err;

	if (plan->n_steps)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the plan has other steps: make a new one");
	err = ssdpm__plan_read_changed(plan, &changes, reterr);
	if (err)
		return err;
	for (size_t i = 0; !err && i < changes.n; i++)
		if (!ssdpm__value_is(&changes.list[i]->before,
				     &changes.list[i]->after))
			err = add_recorded(plan, changes.list[i],
					   &changes.list[i]->before, reterr);
	if (!err)
		err = add_journals(plan, reterr);
	if (!err)
		plan->goes_back = plan->reverts = changes.n || plan->n_steps;
	ssdpm__changes_free(&changes);
	if (!err)
		err = ssdpm__has_old_table(plan, NULL, &has_old, reterr);
	/* As before: with tables that the parameters of now make. */
	if (!err && has_old) {
		plan->goes_back = plan->reverts = true;
		err = ssdpm__plan_add_all_drives(plan, reterr);
	}
	return err;
}

int ssdpm_plan_add_revert(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };

	return ssdpm__pass_on(add_revert(plan, &error), &error, reterr);
}

/*
 * A parameter decides the table of each NVMe drive. The ASPM policy decides
 * each link, also that of a controller for SATA.
 */
static bool concerns(const struct change *change,
		     const struct ssdpm_device_facts *facts)
{
	const bool is_nvme = facts->kind == SSDPM_KIND_NVME;
	char name[32], own[32];

	if (change->kind->flags & SSDPM_STEP_ALL_DRIVES)
		return is_nvme || change->kind->role != ROLE_PARAMETER;
	if (!is_nvme && !facts->ata_port)
		return false; /* USB and SAS have no port of ATA */
	ssdpm__change_device(change, name);
	snprintf(own, sizeof(own), "host%u", facts->host);
	return !strcmp(name, facts->name) || (!is_nvme && !strcmp(name, own));
}

static int add_applied(struct ssdpm_plan *plan,
		       const struct ssdpm_device *device,
		       struct ssdpm_error *reterr)
{
	struct changes changes;
	int err = ssdpm__plan_read_changed(plan, &changes, reterr);

	for (size_t i = 0; !err && i < changes.n; i++)
		if (!device ||
		    concerns(changes.list[i], ssdpm_device_get_facts(device)))
			err = add_recorded(plan, changes.list[i],
					   &changes.list[i]->after, reterr);
	ssdpm__changes_free(&changes);
	return err;
}

int ssdpm_plan_add_applied(struct ssdpm_plan *plan,
			   const struct ssdpm_device *device,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };

	return ssdpm__pass_on(add_applied(plan, device, &error), &error,
			      reterr);
}

static int add_done(struct ssdpm_plan *back, const struct change *change,
		    struct ssdpm_error *reterr)
{
	if (!change->begun || change->kind->is_passing)
		return 0;
	return add_recorded(back, change, &change->before, reterr);
}

/* All that the plan of userdata has done. */
static int add_all_done(struct ssdpm_plan *back, void *userdata,
			struct ssdpm_error *reterr)
{
	const struct ssdpm_plan *plan = userdata;
	int err = 0;

	back->goes_back = true;
	for (size_t i = 0; !err && i < plan->n_drives; i++) {
		const struct plan_drive *drive = &plan->drives[i];

		if (drive->model)
			err = add_drive(
				back,
				ssdpm_device_get_facts(drive->device)->name,
				drive->model, reterr);
		if (!err)
			err = add_done(back, &drive->table, reterr);
	}
	for (size_t i = 0; !err && i < plan->n_order; i++)
		err = add_done(back, &plan->order[i]->change, reterr);
	return err;
}

/* A value that was left alone stays done, and its step says why. */
static void set_states(struct ssdpm_plan *plan, const struct ssdpm_plan *back)
{
	for (size_t i = 0; i < plan->n_order; i++) {
		struct step *step = plan->order[i];
		const struct step *undone;

		if (!step->change.begun)
			continue;
		step->change.begun = false;
		undone = ssdpm__plan_find(back, step->change.kind->number,
					  step->change.path);
		if (undone && undone->state == SSDPM_STEP_LEFT_ALONE)
			ssdpm__set_string(&step->why, undone->why, NULL);
		else
			step->state = SSDPM_STEP_UNDONE;
	}
	plan->committed = false;
}

/* Part of it may have gone back: the plan can still be reverted. */
static void read_states(const struct ssdpm_plan *plan)
{
	for (size_t i = 0; i < plan->n_order; i++) {
		struct step *step = plan->order[i];

		if (!step->change.begun)
			continue;
		ssdpm__read_back(plan, step);
		/* One value before and after: it does not tell. */
		if (step->change.kind->is_passing &&
		    step->state == SSDPM_STEP_UNDONE)
			step->state = SSDPM_STEP_DONE;
	}
}

/* A commit that found all in force has written nothing. */
static bool has_begun(const struct ssdpm_plan *plan)
{
	for (size_t i = 0; i < plan->n_order; i++)
		if (plan->order[i]->change.begun)
			return true;
	return false;
}

/*
 * It goes back under the lock that the plan may have. Values are read once a
 * revert that failed before is undone.
 */
static int revert_locked(struct ssdpm_plan *back, struct ssdpm_plan *plan,
			 struct ssdpm_error *reterr)
{
	int err;

	if (plan->is_locked) {
		back->site = plan->site;
		back->is_locked = true;
		err = ssdpm__plan_recover(back, reterr);
	} else {
		err = ssdpm_plan_lock(back, reterr);
	}
	if (!err)
		err = ssdpm__plan_fill_and_commit(back, add_all_done, plan,
						  reterr);
	if (err)
		read_states(plan);
	else
		set_states(plan, back);
	if (back->journal.state != SSDPM_JOURNAL_NONE)
		plan->journal = back->journal;
	if (plan->is_locked) {
		plan->site = back->site;
		back->is_locked = false;
	}
	return err;
}

int ssdpm_plan_revert(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	const struct ssdpm_plan_params params = {
		.size = sizeof(params),
		.directory = plan->directory,
		.state_timeout_ms = plan->state_timeout_ms,
		.lock_timeout_ms = plan->lock_timeout_ms,
		.flags = plan->is_each ? 0 : SSDPM_PLAN_STRICT,
	};
	struct ssdpm_error error = { 0 };
	struct ssdpm_plan *back;
	int err;

	if (!plan->committed)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the plan was not committed");
	if (!has_begun(plan)) {
		plan->committed = false;
		return 0;
	}
	err = ssdpm_plan_new(plan->machine, &params, &back, reterr);
	if (err)
		return err;
	err = revert_locked(back, plan, &error);
	ssdpm_plan_free(back);
	return ssdpm__pass_on(err, &error, reterr);
}
