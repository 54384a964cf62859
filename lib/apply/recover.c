/* SPDX-License-Identifier: MIT */
/*
 * Finds, shows and undoes what a killed commit left, before a plan is made and
 * before it is committed.
 */
#include "apply/internal.h"
#include "base/words.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* The worst of several journals counts. */
static void note_state(struct ssdpm_journal *journal, uint32_t state,
		       uint64_t age_ms)
{
	if (journal->state == SSDPM_JOURNAL_NONE ||
	    state == SSDPM_JOURNAL_REFUSED ||
	    journal->state == SSDPM_JOURNAL_UNDONE)
		journal->state = state;
	journal->stands = journal->state != SSDPM_JOURNAL_NONE &&
			  journal->state != SSDPM_JOURNAL_UNDONE;
	if (journal->age_ms < age_ms)
		journal->age_ms = age_ms;
}

static void note_undone(struct site *site, const struct undone *undone,
			uint64_t age_ms, struct ssdpm_journal *ret_journal)
{
	note_state(ret_journal, SSDPM_JOURNAL_UNDONE, age_ms);
	ret_journal->n_undone += undone->n;
	ret_journal->n_left_alone += undone->n_left_alone;
	ssdpm__log(site->machine, SSDPM_LOG_WARNING,
		   "a run was killed, or could not undo all, %" PRIu64
		   " s ago and is undone now "
		   "(values put back: %" PRIu32 ", left alone: %" PRIu32 ")",
		   age_ms / 1000, undone->n, undone->n_left_alone);
}

static bool is_aside(const char *name)
{
	return strcmp(name, SSDPM__JOURNAL) != 0;
}

static int undo_killed(struct site *site, const char *name,
		       const struct changes *changes, bool each,
		       struct ssdpm_journal *ret_journal,
		       struct ssdpm_error *reterr)
{
	struct undone undone = { 0 };
	uint64_t age_ms = 0;
	int err;

	ssdpm__file_age(site, name, &age_ms);
	/* Without it nobody learns how far this came: that is no reason. */
	ssdpm__journal_open(site, name);
	err = ssdpm__undo(site, changes->list, changes->n, &undone, reterr);
	if (!err)
		err = ssdpm__journal_forget(site, name, reterr);
	ssdpm__site_close_journal(site);
	if (!err) {
		note_undone(site, &undone, age_ms, ret_journal);
		return 0;
	}
	note_state(ret_journal, SSDPM_JOURNAL_KILLED, age_ms);
	if (each &&
	    (is_aside(name) || ssdpm__journal_set_aside(site, changes->device)))
		return 0;
	return err;
}

/* It stands until somebody removes it. */
static void note_refused(const struct site *site, const char *name,
			 const struct ssdpm_error *error,
			 struct ssdpm_journal *ret_journal)
{
	uint64_t age_ms = 0;

	if (ret_journal->state == SSDPM_JOURNAL_REFUSED)
		return;
	ssdpm__file_age(site, name, &age_ms);
	note_state(ret_journal, SSDPM_JOURNAL_REFUSED, age_ms);
	ret_journal->line = error->line;
	snprintf(ret_journal->reason, sizeof(ret_journal->reason), "%s",
		 error->message);
}

static int recover_one(struct site *site, const char *name, bool each,
		       struct ssdpm_journal *ret_journal,
		       struct ssdpm_error *reterr)
{
	struct changes changes = { 0 };
	int err = ssdpm__changes_read(site, name, &changes, reterr);

	if (err == -ENOENT)
		return 0;
	if (err == -ESTALE)
		return ssdpm__journal_forget(site, name, reterr);
	if (err == -EIO)
		note_refused(site, name, reterr, ret_journal);
	if (err)
		return err;
	err = undo_killed(site, name, &changes, each, ret_journal, reterr);
	ssdpm__changes_free(&changes);
	return err;
}

/* All of them, whatever becomes of the first. */
static int recover_aside(struct site *site, bool each,
			 struct ssdpm_journal *ret_journal,
			 struct ssdpm_error *reterr)
{
	char name[SSDPM__JOURNAL_BYTES] = SSDPM__JOURNAL;
	struct ssdpm_error error;
	int err, result = 0;

	while (!(err = ssdpm__journal_next(site, name, &error))) {
		err = recover_one(site, name, each, ret_journal, &error);
		if (err && !result)
			result = ssdpm__pass_on(err, &error, reterr);
	}
	if (err != -ENOENT && !result)
		result = ssdpm__pass_on(err, &error, reterr);
	return result;
}

int ssdpm__recover(struct site *site, bool each,
		   struct ssdpm_journal *ret_journal,
		   struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	int err, result;

	*ret_journal = (struct ssdpm_journal){ .size = sizeof(*ret_journal),
					       .state = SSDPM_JOURNAL_NONE };
	ssdpm__journal_drop_new(site);
	result = ssdpm__keep_complete(site, reterr);
	/* A drive that does not answer takes its time: once a lock. */
	if (!result && !(each && site->aside_is_tried))
		result = recover_aside(site, each, ret_journal, reterr);
	site->aside_is_tried = true;
	err = recover_one(site, SSDPM__JOURNAL, each, ret_journal, &error);
	return result ? result : ssdpm__pass_on(err, &error, reterr);
}

/* A user who may not write learns what waits for one who may. */
static void add_journal(const struct ssdpm_plan *plan,
			struct ssdpm_error *reterr)
{
	char name[SSDPM__JOURNAL_BYTES] = "";
	struct ssdpm_error first;
	uint64_t age_ms;
	struct site site;
	int err;

	if (!reterr || ssdpm__site_find(plan, false, &site, NULL))
		return;
	err = ssdpm__journal_next(&site, name, NULL);
	if (!err)
		err = ssdpm__file_age(&site, name, &age_ms);
	ssdpm__site_close(&site);
	if (err)
		return;
	first = *reterr;
	ssdpm__fail(reterr, first.code, first.line,
		    "cannot undo the commit that was killed %" PRIu64
		    " s ago: %.160s",
		    age_ms / 1000, first.message);
}

int ssdpm__plan_open_site(const struct ssdpm_plan *plan, struct site *ret_site,
			  struct ssdpm_error *reterr)
{
	struct site site;
	int err = ssdpm__site_open(plan, &site, reterr);

	if (err == -EACCES || err == -EPERM || err == -EROFS)
		add_journal(plan, reterr);
	if (!err)
		*ret_site = site;
	return err;
}

int ssdpm__plan_recover(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	int err;

	err = ssdpm__recover(&plan->site, plan->is_each, &plan->journal,
			     reterr);
	if (!err)
		err = ssdpm_machine_read_facts(plan->machine, &facts, reterr);
	if (!err)
		plan->facts = facts;
	return err;
}

/* Nobody else sets policies until ssdpm_plan_unlock(). */
int ssdpm_plan_lock(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	int err;

	err = ssdpm__plan_check_open(plan, reterr);
	if (!err && plan->n_steps)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "the plan has steps from before: make a "
				  "new one, and lock it first");
	if (err || plan->is_locked)
		return err;
	err = ssdpm__plan_open_site(plan, &plan->site, reterr);
	if (err)
		return err;
	err = ssdpm__plan_recover(plan, reterr);
	if (err) {
		ssdpm__site_close(&plan->site);
		return err;
	}
	plan->is_locked = true;
	return 0;
}

int ssdpm_plan_get_journal(const struct ssdpm_plan *plan,
			   struct ssdpm_journal *ret_journal)
{
	int err = ssdpm__sized_check(ret_journal, sizeof(plan->journal),
				     "ssdpm_journal", NULL);

	if (err)
		return err;
	ssdpm__sized_out(ret_journal, &plan->journal, sizeof(plan->journal));
	return 0;
}

/*
 * Without waiting, and without a trace: whoever commits tries again. -EIO: it
 * is no file.
 */
static int look_at_lock(const struct site *site, uint32_t *ret_state,
			struct ssdpm_error *reterr)
{
	int err = ssdpm__check_file(site, "lock", reterr), fd;

	if (err)
		return err;
	fd = openat(site->directory_fd, "lock",
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	*ret_state = fd >= 0 || errno == ENOENT ? SSDPM_JOURNAL_KILLED :
						  SSDPM_JOURNAL_FOUND;
	if (fd < 0)
		return 0;
	if (flock(fd, LOCK_SH | LOCK_NB))
		*ret_state = errno == EWOULDBLOCK ? SSDPM_JOURNAL_RUNNING :
						    SSDPM_JOURNAL_FOUND;
	close(fd);
	return 0;
}

static int look_at_one(const struct site *site, const char *name,
		       struct ssdpm_journal *ret_journal,
		       struct ssdpm_error *reterr)
{
	struct changes changes = { 0 };
	struct ssdpm_error error;
	uint64_t age_ms;
	uint32_t state;
	int err;

	err = ssdpm__changes_read(site, name, &changes, &error);
	ssdpm__changes_free(&changes);
	if (err == -ENOENT || err == -ESTALE)
		return 0;
	if (err && err != -EIO)
		return ssdpm__pass_on(err, &error, reterr);
	/* Another version, which runs, may have written it. */
	if (look_at_lock(site, &state, err ? NULL : &error))
		err = -EIO;
	else if (state == SSDPM_JOURNAL_RUNNING)
		err = 0;
	/* It may have ended between the two. */
	if (err)
		note_refused(site, name, &error, ret_journal);
	else if (!ssdpm__file_age(site, name, &age_ms))
		note_state(ret_journal, state, age_ms);
	return 0;
}

/* One that is set aside meanwhile comes later, under its new name. */
static int look_at_journals(const struct site *site,
			    struct ssdpm_journal *ret_journal,
			    struct ssdpm_error *reterr)
{
	char name[SSDPM__JOURNAL_BYTES] = "";
	int err;

	do {
		err = ssdpm__journal_next(site, name, reterr);
		if (!err)
			err = look_at_one(site, name, ret_journal, reterr);
	} while (!err);
	return err == -ENOENT ? 0 : err;
}

int ssdpm_journal_read(struct ssdpm_machine *machine,
		       const struct ssdpm_plan_params *params,
		       struct ssdpm_journal *ret_journal,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };
	struct ssdpm_plan *plan;
	struct site site;
	int err;

	err = ssdpm__sized_check(ret_journal, sizeof(plan->journal),
				 "ssdpm_journal", reterr);
	/* A plan, since it knows what params mean. */
	if (!err)
		err = ssdpm_plan_new(machine, params, &plan, reterr);
	if (err)
		return err;
	err = ssdpm__site_find(plan, false, &site, &error);
	if (!err) {
		err = look_at_journals(&site, &plan->journal, &error);
		ssdpm__site_close(&site);
	}
	if (err == -ENOENT)
		err = 0;
	if (!err)
		ssdpm__sized_out(ret_journal, &plan->journal,
				 sizeof(plan->journal));
	ssdpm_plan_free(plan);
	return ssdpm__pass_on(err, &error, reterr);
}

static const char journal_state_words[][8] = {
	[SSDPM_JOURNAL_NONE] = "none",	   [SSDPM_JOURNAL_RUNNING] = "running",
	[SSDPM_JOURNAL_KILLED] = "killed", [SSDPM_JOURNAL_FOUND] = "found",
	[SSDPM_JOURNAL_UNDONE] = "undone", [SSDPM_JOURNAL_REFUSED] = "refused",
};
ENUM_WORDS(journal_state)
