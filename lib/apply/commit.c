/* SPDX-License-Identifier: MIT */
/*
 * Each drive and port is as it was, or as planned; so are the parameters of
 * nvme_core together. A plan that is strict is one such transaction.
 */
#include "apply/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The steps that are done, and their changes, in this order. After these come
 * the tables that are lost by them: nothing is done, but something undone.
 */
struct commit_work {
	struct ssdpm_plan *plan;
	const char *device; /* whose transaction it is; NULL: that of all */
	struct site *site;
	struct changes kept; /* by the commits before, if it was read */
	bool kept_is_read;
	struct changes old; /* tables older than the parameters */
	struct searched searched;
	struct step **steps;
	struct change **changes;
	size_t n_steps;
	size_t n; /* of changes */
};

static int step_failed(struct step *step, int err,
		       const struct ssdpm_error *error,
		       struct ssdpm_error *reterr)
{
	step->state = SSDPM_STEP_FAILED;
	step->failed = true;
	/* Without memory for the words, the old ones stay. */
	ssdpm__set_string(&step->why, error->message, NULL);
	if (reterr)
		*reterr = *error;
	return err;
}

/* The drive that was planned for: another may take its place. */
static int recheck_serial(const struct ssdpm_plan *plan, const char *device,
			  const struct change *change,
			  struct ssdpm_error *reterr)
{
	uint64_t serial;
	int err = ssdpm__read_serial(plan->machine, change, &serial, reterr);

	if (err || !ssdpm__is_another(change, serial))
		return err;
	return ssdpm__fail(reterr, -ESTALE, 0,
			   "%s: another drive has taken its place: plan again",
			   device);
}

/* Has anybody changed what the plan shows? */
static int recheck_step(struct ssdpm_plan *plan, struct step *step,
			struct ssdpm_error *reterr)
{
	struct change *change = &step->change;
	struct value now;
	int err;

	if (step->state == SSDPM_STEP_LEFT_ALONE)
		return 0;
	err = recheck_serial(plan, step->device, change, reterr);
	if (err)
		return err;
	err = ssdpm__read_value(plan->machine, change->kind, change->path, &now,
				reterr);
	if (err)
		return ssdpm__step_fail(plan, step, err, reterr);
	if (change->kind->command && !change->before.is_known)
		change->before = now;
	if (ssdpm__value_is(&now, &change->before))
		return 0;
	return ssdpm__fail(reterr, -ESTALE, 0,
			   "%s: %s was %.60s when it was planned and is %.60s "
			   "now: plan again: %s",
			   step->device, change->kind->word,
			   change->before.text, now.text, step->target);
}

static int recheck_table(struct ssdpm_plan *plan,
			 const struct plan_drive *drive,
			 struct ssdpm_error *reterr)
{
	const struct change *table = &drive->table;
	struct value now;
	int err;

	if (!table->before.is_known || !ssdpm__drive_is_rebuilt(plan, drive))
		return 0;
	err = ssdpm__read_value(plan->machine, table->kind, table->path, &now,
				reterr);
	if (err)
		return ssdpm__drive_fail(plan, drive, err, reterr);
	if (ssdpm__value_is(&now, &table->before))
		return 0;
	return ssdpm__fail(reterr, -ESTALE, 0,
			   "the table of %s has changed since it was planned: "
			   "plan again",
			   ssdpm_device_get_facts(drive->device)->name);
}

/* A parameter that the plan does not set, but tables were predicted from. */
static int recheck_parameter(const struct ssdpm_plan *plan, uint32_t parameter,
			     struct ssdpm_error *reterr)
{
	char path[SSDPM__TARGET_BYTES];
	uint64_t value;

	ssdpm__parameter_path(parameter, path);
	if (!(plan->facts.nvme_core_known & 1u << parameter) ||
	    ssdpm__read_number(plan->machine, path, 10, &value) ||
	    value == plan->facts.nvme_core[parameter])
		return 0;
	return ssdpm__fail(reterr, -ESTALE, 0,
			   "nvme_core.%s has changed since it was planned: "
			   "plan again",
			   ssdpm_nvme_core_to_string(parameter));
}

static const char *name_of(const struct plan_drive *drive)
{
	return ssdpm_device_get_facts(drive->device)->name;
}

/* Is it of this transaction? */
static bool is_of(const struct commit_work *work, const char *device)
{
	return !work->device || !strcmp(work->device, device);
}

/* A half-done device is put back before anything else is set there. */
static int check_aside(const struct commit_work *work, const struct step *step,
		       struct ssdpm_error *reterr)
{
	char name[SSDPM__JOURNAL_BYTES];

	/* A revert forgets what it leaves alone. */
	if (step->state == SSDPM_STEP_LEFT_ALONE)
		return work->plan->reverts ?
			       ssdpm__searched_check(&work->searched, step,
						     reterr) :
			       0;
	if (ssdpm__journal_is_aside(work->site, step->device, name))
		return ssdpm__fail(reterr, -EIO, 0,
				   "%s: what an earlier commit has set there "
				   "cannot be put back: see %s/%s",
				   step->device, work->site->directory, name);
	if (!step->is_aside)
		return ssdpm__searched_check(&work->searched, step, reterr);
	return ssdpm__fail(reterr, -ESTALE, 0,
			   "%s: what was left there is put back: plan again",
			   step->device);
}

static int recheck_device(const struct commit_work *work,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_plan *plan = work->plan;
	int err = 0;

	for (size_t i = 0; !err && i < plan->n_order; i++) {
		if (!is_of(work, plan->order[i]->device))
			continue;
		err = check_aside(work, plan->order[i], reterr);
		if (!err)
			err = recheck_step(plan, plan->order[i], reterr);
	}
	for (size_t i = 0; !err && i < plan->n_drives; i++)
		if (is_of(work, name_of(&plan->drives[i])))
			err = recheck_table(plan, &plan->drives[i], reterr);
	return err;
}

static int recheck_parameters(const struct ssdpm_plan *plan,
			      struct ssdpm_error *reterr)
{
	int err = 0;

	for (uint32_t i = SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS;
	     !err && plan->n_drives && i < SSDPM_NVME_CORE_FORCE_APST; i++)
		err = recheck_parameter(plan, i, reterr);
	return err;
}

/* Set it, and read it back. */
static int do_value(struct commit_work *work, struct step *step,
		    struct ssdpm_error *reterr)
{
	struct change *change = &step->change;
	struct value now;
	int err = ssdpm__set(work->site, change, reterr);

	if (!err)
		err = ssdpm__read_value(work->plan->machine, change->kind,
					change->path, &now, reterr);
	if (err || ssdpm__value_is(&now, &change->after))
		return err;
	if (work->plan->goes_back &&
	    change->kind->number == SSDPM_STEP_PCIE_LINK &&
	    change->after.is.pcie_link)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "Linux may turn it on again, but its ASPM "
				   "policy, or the firmware, has it off");
	return ssdpm__fail(reterr, -EIO, 0,
			   "%s: %.90s was written, and it reads %.90s",
			   step->target, change->after.text, now.text);
}

/* On the way back the kernel's own table, or its policy, is the next best. */
static bool is_refused(const struct ssdpm_plan *plan, const struct step *step,
		       int err)
{
	if (!plan->goes_back)
		return false;
	if (step->change.kind->number == SSDPM_STEP_PCIE_LINK)
		return err == -EOPNOTSUPP;
	return step->change.kind->role == ROLE_TABLE &&
	       (err == -EACCES || err == -EPERM || err == -EOPNOTSUPP);
}

/*
 * A feature that is to go on: the policy of this commit may have turned it on.
 * If that policy failed, the one of before may forbid the feature.
 */
static int look_at_link(const struct commit_work *work, struct step *step,
			struct ssdpm_error *reterr)
{
	struct ssdpm_machine *machine = work->plan->machine;
	struct change *change = &step->change;
	struct value now;
	int err;

	if (change->kind->number != SSDPM_STEP_PCIE_LINK ||
	    !change->after.is.pcie_link || work->plan->goes_back)
		return 0;
	err = ssdpm__read_value(machine, change->kind, change->path, &now,
				reterr);
	if (err || !ssdpm__value_is(&now, &change->after))
		return err ? err :
			     ssdpm__check_aspm_policy(machine, change->path,
						      reterr);
	change->before = now;
	step->state = SSDPM_STEP_IN_FORCE;
	return 0;
}

static int do_step(struct commit_work *work, size_t i,
		   struct ssdpm_error *reterr)
{
	struct step *step = work->steps[i];
	struct ssdpm_error error;
	int err;

	err = look_at_link(work, step, &error);
	if (!err && step->state == SSDPM_STEP_IN_FORCE)
		return 0;
	if (!err)
		err = ssdpm__journal_begin(work->site, i, &error);
	if (err)
		return step_failed(step, err, &error, reterr);
	ssdpm__log(work->plan->machine, SSDPM_LOG_INFO, "%s: %.90s -> %.90s",
		   step->target, step->change.before.text,
		   step->change.after.text);
	step->change.begun = true;
	step->change.flux = FLUX_KILLED; /* as the journal has it */
	err = do_value(work, step, &error);
	if (is_refused(work->plan, step, err)) {
		step->state = SSDPM_STEP_LEFT_ALONE;
		step->change.begun = false;
		return ssdpm__set_string(&step->why, error.message, reterr);
	}
	if (err) {
		ssdpm__note_left(work->site, work->changes, i);
		err = ssdpm__step_fail(work->plan, step, err, &error);
		return step_failed(step, err, &error, reterr);
	}
	step->change.flux = FLUX_NONE;
	step->state = SSDPM_STEP_DONE;
	return 0;
}

/* From the next step on a kill may have cost these tables. */
static int begin_tables(struct commit_work *work, struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = work->n_steps; !err && i < work->n; i++) {
		err = ssdpm__journal_begin(work->site, i, reterr);
		work->changes[i]->begun = !err;
	}
	return err;
}

/*
 * What was refused has changed nothing: then nothing need be undone, and no
 * table built anew, which would be refused as well.
 */
static void look_at_failed(struct commit_work *work)
{
	for (size_t i = 0; i < work->n_steps; i++) {
		struct change *change = work->changes[i];
		struct value now;

		if (work->steps[i]->state == SSDPM_STEP_FAILED &&
		    change->kind->role == ROLE_PARAMETER &&
		    !ssdpm__read_value(work->plan->machine, change->kind,
				       change->path, &now, NULL) &&
		    ssdpm__value_is(&now, &change->before))
			change->begun = false;
	}
}

/* A step that has failed says why already. */
static void add_why(struct step *step, const char *words, const char *message)
{
	if (step->state == SSDPM_STEP_FAILED)
		ssdpm__step_set_why(step, NULL, "%.200s; %s%.200s", step->why,
				    words, message);
	else
		ssdpm__step_set_why(step, NULL, "%s%.200s", words, message);
}

/* Nobody knows what it holds; of a device that is gone there is nothing. */
static void set_unread(const struct ssdpm_plan *plan, struct step *step,
		       struct ssdpm_error *error)
{
	if (ssdpm__step_fail(plan, step, 0, error)) {
		step->state = SSDPM_STEP_FAILED;
		ssdpm__set_string(&step->why, error->message, NULL);
	} else if (step->change.begun) {
		add_why(step, "whether it was put back is not known: ",
			error->message);
		step->state = SSDPM_STEP_DIFFERS;
	}
}

void ssdpm__read_back(const struct ssdpm_plan *plan, struct step *step)
{
	const struct change *change = &step->change;
	struct ssdpm_error error = { 0 };
	struct value now;

	if (ssdpm__read_value(plan->machine, change->kind, change->path, &now,
			      &error)) {
		set_unread(plan, step, &error);
	} else if (!ssdpm__value_is(&now, &change->before)) {
		add_why(step, "it was not put back", "");
		step->state = ssdpm__value_is(&now, &change->after) ?
				      SSDPM_STEP_DONE :
				      SSDPM_STEP_DIFFERS;
	} else if (step->state == SSDPM_STEP_DONE) {
		step->state = SSDPM_STEP_UNDONE;
	}
}

/* A policy had turned it on, which may have been undone. */
static void read_link_back(const struct commit_work *work, struct step *step)
{
	struct change *change = &step->change;

	ssdpm__read_value(work->plan->machine, change->kind, change->path,
			  &change->before, NULL);
	step->state = SSDPM_STEP_PLANNED;
	ssdpm__step_settle(step);
}

static void read_all_back(struct commit_work *work)
{
	for (size_t i = 0; i < work->n_steps; i++)
		if (work->steps[i]->state == SSDPM_STEP_DONE ||
		    work->steps[i]->state == SSDPM_STEP_FAILED)
			ssdpm__read_back(work->plan, work->steps[i]);
		else if (work->steps[i]->state == SSDPM_STEP_IN_FORCE)
			read_link_back(work, work->steps[i]);
	/* A value that was put back is not reverted with the rest. */
	for (size_t i = 0; i < work->n_steps; i++)
		if (work->steps[i]->state == SSDPM_STEP_UNDONE ||
		    work->steps[i]->state == SSDPM_STEP_FAILED)
			work->changes[i]->begun = false;
}

/* How much of a message is at most so long, and ends with a word. */
static int whole_words(const char *message, int most)
{
	int n = (int)strnlen(message, (size_t)most + 1);

	if (n <= most)
		return n;
	while (--n && message[n] != ' ')
		;
	return n;
}

/*
 * From a path of sysfs, which is at the begin of a word, to its last name. The
 * path may have a root, and blanks may be in that.
 */
static const char *skip_path(const char *word, const char *root)
{
	const size_t n = strlen(root);
	const char *begin = strncmp(word, root, n) ? word : word + n;
	const char *end = begin + strcspn(begin, " ");
	const char *path = strstr(begin, "/sys/");

	if (!path || path > end)
		return word;
	while (end[-1] != '/')
		end--;
	return end;
}

/* The device and the cause: of a path there is no room for more than a file. */
static void say_short(const struct commit_work *work, const char *device,
		      const struct ssdpm_error *error,
		      struct ssdpm_error *ret_short)
{
	const char *root = work->plan->machine->root;
	const char *at = error->message;
	const bool is_cut = strlen(at) + 1 == sizeof(error->message);
	const bool is_named = !strncmp(at, device, strlen(device));
	char text[sizeof(error->message)];
	size_t n = 0;

	while (*at) {
		if (at == error->message || at[-1] == ' ')
			at = skip_path(at, root ? root : "");
		if (*at)
			text[n++] = *at++;
	}
	ssdpm__fail(ret_short, error->code, error->line, "%s%s%.*s%s%s",
		    is_named ? "" : device, is_named ? "" : ": ", (int)n, text,
		    is_cut ? ": " : "",
		    is_cut ? ssdpm_strerror(error->code) : "");
}

/* The device of the step that failed, or of this change; "": of none. */
static void name_failed(const struct commit_work *work,
			const struct change *change, char name[32])
{
	*name = '\0';
	if (change)
		ssdpm__change_device(change, name);
	for (size_t i = 0; i < work->n_steps; i++)
		if (change ? change == work->changes[i] :
			     work->steps[i]->failed)
			snprintf(name, 32, "%.31s", work->steps[i]->device);
}

/* What failed, and what could not be put back; change: the latter, or NULL. */
static void add_undoing(const struct commit_work *work,
			const struct change *change,
			const struct ssdpm_error *undoing,
			struct ssdpm_error *reterr)
{
	enum { FIRST_BYTES = 120, SECOND_BYTES = 98 };
	const uint32_t nvme_status = reterr ? reterr->nvme_status : 0;
	struct ssdpm_error first, second;
	char name[32];

	if (!reterr)
		return;
	name_failed(work, NULL, name);
	say_short(work, name, reterr, &first);
	name_failed(work, change, name);
	say_short(work, name, undoing, &second);
	ssdpm__fail(reterr, first.code, first.line,
		    "%.*s; and to undo it failed: %.*s",
		    whole_words(first.message, FIRST_BYTES), first.message,
		    whole_words(second.message, SECOND_BYTES), second.message);
	reterr->nvme_status = nvme_status;
}

/* The one device of all its steps, or "": a shared setting is all drives'. */
static const char *device_of(const struct commit_work *work)
{
	for (size_t i = 0; i < work->n_steps; i++)
		if (work->changes[i]->kind->role == ROLE_PARAMETER ||
		    strcmp(work->steps[i]->device, work->steps[0]->device) != 0)
			return "";
	return work->n_steps ? work->steps[0]->device : "";
}

/* The journal stays where a value could not be put back: the next tries. */
static void undo(struct commit_work *work, struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };
	struct undone undone;
	int err;

	look_at_failed(work);
	err = ssdpm__undo(work->site, work->changes, work->n, &undone, &error);
	read_all_back(work);
	if (!err)
		err = ssdpm__journal_forget(work->site, SSDPM__JOURNAL, &error);
	if (!err && work->site->goes_back)
		ssdpm__reserve(work->site, "undo", NULL);
	if (!err)
		return;
	add_undoing(work, undone.failed, &error, reterr);
	if (work->device)
		ssdpm__journal_set_aside(work->site, device_of(work));
}

/* Only what took their place is replaced by them again. */
static void note_tables(struct commit_work *work)
{
	for (size_t i = work->n_steps; i < work->n; i++) {
		struct change *table = work->changes[i];
		struct value now;

		if (!ssdpm__read_value(work->plan->machine, table->kind,
				       table->path, &now, NULL))
			table->after = now;
	}
}

static int do_steps(struct commit_work *work, struct ssdpm_error *reterr)
{
	int err;

	err = ssdpm__journal_write(work->site, device_of(work), work->changes,
				   work->n, reterr);
	if (!err)
		err = begin_tables(work, reterr);
	for (size_t i = 0; !err && i < work->n_steps; i++)
		err = do_step(work, i, reterr);
	if (!err)
		err = ssdpm__check_tables(work->plan, work->device, reterr);
	if (!err)
		note_tables(work);
	if (!err)
		err = ssdpm__keep(work->site, &work->kept, work->changes,
				  work->n, work->plan, work->device, reterr);
	/* From here on it is committed. */
	if (!err)
		err = ssdpm__journal_remove(work->site, SSDPM__JOURNAL, reterr);
	if (err)
		undo(work, reterr);
	else
		ssdpm__keep_finish(work->site);
	return err;
}

/* A step that an earlier commit of the plan has done is done again. */
static bool is_to_be_done(const struct step *step)
{
	return step->state != SSDPM_STEP_IN_FORCE &&
	       step->state != SSDPM_STEP_LEFT_ALONE &&
	       !ssdpm__step_is_unknown(step);
}

/*
 * A feature may be off by the policy alone, and a later policy turns it on.
 * Linux is told to keep it off. Only the record shows that it was told.
 */
static bool is_untold(const struct commit_work *work, const struct step *step)
{
	return step->change.kind->number == SSDPM_STEP_PCIE_LINK &&
	       step->state == SSDPM_STEP_IN_FORCE && !work->plan->goes_back &&
	       !step->change.after.is.pcie_link && !step->follows_l1 &&
	       ssdpm__is_new(&work->kept, &step->change);
}

/*
 * A policy that this commit has set may have changed what was in force. In one
 * transaction it will: then the step is done after it, whatever it reads.
 */
static int read_link(const struct commit_work *work, struct step *step,
		     struct ssdpm_error *reterr)
{
	const struct ssdpm_plan *plan = work->plan;
	const struct step *policy = ssdpm__plan_find(
		plan, SSDPM_STEP_ASPM_POLICY, SSDPM__ASPM_POLICY);
	const bool is_in_force = step->state == SSDPM_STEP_IN_FORCE;
	struct change *change = &step->change;
	struct value now;
	int err;

	if (change->kind->number != SSDPM_STEP_PCIE_LINK ||
	    step->state == SSDPM_STEP_LEFT_ALONE || step->follows_l1 || !policy)
		return 0;
	if (!work->device && is_in_force && ssdpm__step_is_pending(policy))
		step->state = SSDPM_STEP_PLANNED;
	if (policy->state != SSDPM_STEP_DONE)
		return 0;
	err = ssdpm__read_value(plan->machine, change->kind, change->path, &now,
				reterr);
	/* A feature that was on before the policy counts as on. */
	if (!err && (is_in_force || now.is.pcie_link))
		change->before = now;
	if (!err && is_in_force && !ssdpm__value_is(&now, &change->after))
		step->state = SSDPM_STEP_PLANNED;
	return err;
}

static int take_steps(struct commit_work *work, struct ssdpm_error *reterr)
{
	const struct ssdpm_plan *plan = work->plan;
	/* One more: it may be none, and malloc(0) may be NULL. */
	const size_t n = plan->n_order + plan->n_drives + 1;

	work->steps = calloc(n, sizeof(*work->steps));
	work->changes = calloc(n, sizeof(*work->changes));
	if (!work->steps || !work->changes)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; i < plan->n_order; i++) {
		struct step *step = plan->order[i];
		int err;

		if (!is_of(work, step->device))
			continue;
		err = read_link(work, step, reterr);
		if (err)
			return err;
		if (!is_to_be_done(step) && !is_untold(work, step))
			continue;
		step->state = SSDPM_STEP_PLANNED;
		step->failed = false;
		step->change.begun = false;
		step->change.flux = FLUX_NONE;
		step->change.left = (struct value){ 0 };
		work->steps[work->n] = step;
		work->changes[work->n++] = &step->change;
	}
	work->n_steps = work->n;
	for (size_t i = 0; i < plan->n_drives; i++) {
		struct plan_drive *drive = &plan->drives[i];

		if (!is_of(work, name_of(drive)))
			continue;
		drive->table.begun = false;
		if (drive->is_foreign && ssdpm__drive_is_rebuilt(plan, drive))
			work->changes[work->n++] = &drive->table;
	}
	return 0;
}

/* Once: a commit that has failed makes it unknown again. */
static int read_kept(struct commit_work *work, struct ssdpm_error *reterr)
{
	int err = 0;

	if (!work->kept_is_read)
		err = ssdpm__read_kept(work->site, &work->kept, reterr);
	work->kept_is_read = !err;
	return err;
}

static void forget_kept(struct commit_work *work)
{
	if (work->kept_is_read)
		ssdpm__changes_free(&work->kept);
	work->kept_is_read = false;
}

/* One transaction: all of it, or nothing. */
static int commit_device(struct commit_work *work, struct ssdpm_error *reterr)
{
	struct ssdpm_plan *plan = work->plan;
	int err;

	work->n = work->n_steps = 0;
	/* A value that cannot be kept is not set; kept ones have their name. */
	err = ssdpm__keep_complete(work->site, reterr);
	if (!err)
		err = read_kept(work, reterr);
	if (!err)
		err = take_steps(work, reterr);
	if (!err &&
	    (work->n || plan->reverts || ssdpm__is_news(&work->kept, plan))) {
		err = do_steps(work, reterr);
		if (err)
			forget_kept(work);
	}
	ssdpm__site_close_journal(work->site);
	free(work->steps);
	free(work->changes);
	work->steps = NULL;
	work->changes = NULL;
	return err;
}

/* The first step of the device that is to be done, or else that is in force. */
static struct step *find_step(const struct commit_work *work)
{
	const struct ssdpm_plan *plan = work->plan;
	struct step *found = NULL;

	for (size_t i = 0; i < plan->n_order; i++) {
		struct step *step = plan->order[i];

		if (!is_of(work, step->device))
			continue;
		if (is_to_be_done(step))
			return step;
		if (!found && step->state == SSDPM_STEP_IN_FORCE)
			found = step;
	}
	return found;
}

/*
 * No step has failed, but what goes with them: the first one says so. What
 * could not be put back keeps its state.
 */
static void fail_device(const struct commit_work *work,
			const struct ssdpm_error *error)
{
	struct step *step = find_step(work);

	if (!step)
		return;
	if (ssdpm__step_is_pending(step) || step->state == SSDPM_STEP_IN_FORCE)
		step_failed(step, 0, error, NULL);
	step->failed = true;
}

/* A device that is gone is nobody else's failure, but a stale plan is. */
static bool is_of_device(const struct commit_work *work, int err)
{
	return work->device && err != -ESTALE && err != -ENOMEM;
}

/* The device of this step is one that no step before it has. */
static bool is_first(const struct ssdpm_plan *plan, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(plan->order[i]->device, plan->order[index]->device))
			return false;
	return true;
}

/* What became of the transactions of a commit. */
struct commit_result {
	int err; /* of the first that failed */
	struct ssdpm_error *reterr;
	size_t n_done, n_failed;
};

/* A transaction without a step to take has done nothing. */
static void note(struct commit_result *result, int err, size_t n_steps,
		 const struct ssdpm_error *error)
{
	result->n_done += !err && n_steps;
	result->n_failed += err != 0;
	if (!err || result->err)
		return;
	result->err = err;
	*result->reterr = *error;
}

/* Nothing is written before all that can be read was looked at. */
static int recheck(struct commit_work *work, bool *failed,
		   struct commit_result *result)
{
	const struct ssdpm_plan *plan = work->plan;
	struct ssdpm_error error;
	int err = 0;

	for (size_t i = 0; i < plan->n_order && !err; i++) {
		if (!is_first(plan, i) || (i && !plan->is_each))
			continue;
		work->device = plan->is_each ? plan->order[i]->device : NULL;
		err = recheck_device(work, &error);
		if (!is_of_device(work, err))
			continue;
		failed[i] = err;
		if (err) {
			fail_device(work, &error);
			note(result, err, 0, &error);
		}
		err = 0;
	}
	if (!err)
		err = recheck_parameters(plan, &error);
	if (err)
		*result->reterr = error;
	return err;
}

/* A process that finds new parameters must find which tables are old. */
static int commit_noted(struct commit_work *work, const struct step *first,
			struct ssdpm_error *reterr)
{
	int err = 0;

	if (first->change.kind->role == ROLE_PARAMETER)
		err = ssdpm__note_old_tables(work->site, &work->old, work->plan,
					     reterr);
	return err ? err : commit_device(work, reterr);
}

/*
 * The parameters come first, as in the order of the steps, and each table is
 * made from what became of them.
 */
static int commit_each(struct commit_work *work, const bool *failed,
		       struct commit_result *result)
{
	const struct ssdpm_plan *plan = work->plan;
	struct ssdpm_error error;

	for (size_t i = 0; i < plan->n_order; i++) {
		int err;

		if (failed[i] || !is_first(plan, i))
			continue;
		work->device = plan->order[i]->device;
		/* The next transaction would write over it. */
		if (result->err && ssdpm__journal_stands(work->site))
			err = ssdpm__fail(&error, -EIO, 0,
					  "%s: left as it is: the journal of "
					  "what failed before stands",
					  work->device);
		else
			err = commit_noted(work, plan->order[i], &error);
		if (err && !ssdpm_plan_has_failed(plan, work->device))
			fail_device(work, &error);
		note(result, err, work->n_steps, &error);
	}
	return result->err;
}

/* Before anything is written: which tables the commit has built anew. */
static void mark_renewed(const struct ssdpm_plan *plan)
{
	for (size_t i = 0; i < plan->n_drives; i++)
		plan->drives[i].is_renewed =
			ssdpm__drive_is_built_anew(plan, &plan->drives[i]);
}

/* all: nothing was done, or all of it was undone. */
static void unmark_failed(const struct ssdpm_plan *plan, bool all)
{
	for (size_t i = 0; i < plan->n_drives; i++)
		if (all ||
		    ssdpm_plan_has_failed(plan, name_of(&plan->drives[i])))
			plan->drives[i].is_renewed = false;
}

static int commit_locked(struct commit_work *work, struct ssdpm_error *reterr)
{
	struct ssdpm_plan *plan = work->plan;
	struct commit_result result = { .reterr = reterr };
	bool *failed = calloc(plan->n_order + 1, sizeof(*failed));
	struct ssdpm_journal found;
	int err;

	if (!failed)
		return ssdpm__no_memory(reterr);
	work->site->goes_back = plan->goes_back;
	/* Under one lock, too: it may be what this plan could not undo. */
	err = ssdpm__recover(work->site, plan->is_each, &found, reterr);
	if (found.state != SSDPM_JOURNAL_NONE)
		plan->journal = found;
	if (!err)
		err = ssdpm__read_old_tables(work->site, &work->old, reterr);
	if (!err)
		err = ssdpm__searched_read(plan, work->site, &work->searched,
					   reterr);
	if (!err)
		err = recheck(work, failed, &result);
	ssdpm__searched_free(&work->searched);
	work->device = NULL;
	mark_renewed(plan);
	if (err)
		unmark_failed(plan, true);
	else if (plan->is_each && plan->n_order)
		err = commit_each(work, failed, &result);
	else
		err = commit_device(work, reterr);
	unmark_failed(plan, err && !plan->is_each);
	ssdpm__forget_old_tables(work->site, &work->old, plan);
	ssdpm__changes_free(&work->old);
	forget_kept(work);
	/* What was done stays, whatever became of the rest. */
	plan->committed = !err || (result.n_failed && result.n_done);
	free(failed);
	return err;
}

/*
 * Would a commit write nothing, not even a record? A plan that is locked looks
 * again all the same: the library calls values in force only under the lock.
 */
static int find_idle(const struct ssdpm_plan *plan, bool *ret_idle,
		     struct ssdpm_error *reterr)
{
	struct changes kept = { 0 };
	struct site site;
	bool exists;
	int err;

	*ret_idle = false;
	if (ssdpm_plan_count(plan, SSDPM_STEPS_PENDING) || plan->reverts ||
	    plan->is_locked)
		return 0;
	err = ssdpm__journal_exists(plan, &exists, reterr);
	if (err || exists)
		return err;
	err = ssdpm__site_find(plan, false, &site, NULL);
	if (!err) {
		err = ssdpm__read_kept(&site, &kept, NULL);
		ssdpm__site_close(&site);
	}
	*ret_idle = (!err || err == -ENOENT) && !ssdpm__is_news(&kept, plan);
	ssdpm__changes_free(&kept);
	return err == -ENOMEM ? ssdpm__no_memory(reterr) : 0;
}

/* A user who may not write does not fail if there is nothing to write. */
static bool is_needless(const struct ssdpm_plan *plan, int err)
{
	bool exists;

	return (err == -EACCES || err == -EPERM || err == -EROFS) &&
	       !ssdpm_plan_count(plan, SSDPM_STEPS_PENDING) &&
	       !ssdpm__journal_exists(plan, &exists, NULL) && !exists;
}

int ssdpm_plan_commit(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	struct commit_work work = { .plan = plan, .site = &plan->site };
	struct ssdpm_error error = { 0 };
	struct site site;
	bool idle = false;
	int err;

	if (plan->committed)
		return ssdpm__fail(reterr, -EALREADY, 0,
				   "the plan was committed");
	err = ssdpm_plan_read(plan, &error);
	if (!err)
		err = find_idle(plan, &idle, &error);
	if (err)
		return ssdpm__pass_on(err, &error, reterr);
	if (idle) {
		plan->committed = true;
		return 0;
	}
	if (!plan->is_locked) {
		work.site = &site;
		err = ssdpm__plan_open_site(plan, &site, &error);
	}
	if (err && is_needless(plan, err)) {
		plan->committed = true;
		return 0;
	}
	if (err)
		return ssdpm__pass_on(err, &error, reterr);
	err = ssdpm__pass_on(commit_locked(&work, &error), &error, reterr);
	if (!plan->is_locked)
		ssdpm__site_close(&site);
	return err;
}
