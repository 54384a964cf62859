/* SPDX-License-Identifier: MIT */
/* The way back: from a commit that failed or was killed, and on request. */
#include "apply/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char old_kept[] = "undo";
static const char new_kept[] = "undo.new";

/*
 * The kernel heeds parameters when it builds a table, which a change of the
 * tolerance makes it do: so parameters go back first, and a table of one's own
 * comes last. The rest goes back in reverse.
 */
static uint32_t undo_rank(const struct change *change)
{
	switch (change->kind) {
	case SSDPM_STEP_LPM:
	case SSDPM_STEP_POWER_STATE:
	case SSDPM_STEP_NOPP:
		return 0;
	case SSDPM_STEP_NVME_CORE:
		return 1;
	case SSDPM_STEP_APST:
		return 3;
	default:
		return 2;
	}
}

enum { N_UNDO_RANKS = 4 };

struct undo {
	const struct site *site;
	struct change *const *changes;
	size_t n;
	bool rebuild; /* parameters have changed */
	struct undone done;
};

static int undo_lpm(struct undo *undo, const struct change *change,
		    struct ssdpm_error *reterr)
{
	uint32_t lpm = ssdpm_lpm_from_string(change->before);
	int err;

	if (!lpm)
		return ssdpm__fail(reterr, -EINVAL, 0, "%s is no policy",
				   change->before);
	if (lpm == SSDPM_LPM_KEEP_FIRMWARE_SETTINGS)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "/%s: the kernel does not take %s",
				   change->path, change->before);
	err = ssdpm__set_lpm(undo->site, change->path, &lpm, 1, false, &lpm,
			     reterr);
	/* A port that hangs finds the right policy once it comes back. */
	if (err == -ETIMEDOUT || err == -EIO)
		ssdpm__write_value(undo->site->machine, change->kind,
				   change->path, change->before, NULL);
	return err;
}

/* The kernel's own table, where it does not take this one. */
static int undo_table(struct undo *undo, const struct change *change,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_machine *machine = undo->site->machine;
	char path[SSDPM__TARGET_BYTES], value[SSDPM__VALUE_BYTES];
	int err;

	err = ssdpm__write_value(machine, change->kind, change->path,
				 change->before, reterr);
	if (err != -EACCES && err != -EPERM && err != -EOPNOTSUPP)
		return err;
	ssdpm__log(machine, SSDPM_LOG_WARNING,
		   "/%s: Linux takes no table: it builds its own",
		   change->path);
	snprintf(path, sizeof(path), "%s/power/pm_qos_latency_tolerance_us",
		 change->path);
	err = ssdpm__read_value(machine, SSDPM_STEP_REBUILD, path, value,
				reterr);
	if (err)
		return err;
	return ssdpm__rebuild(machine, path, value, reterr);
}

static int put_back(struct undo *undo, const struct change *change,
		    struct ssdpm_error *reterr)
{
	struct ssdpm_machine *machine = undo->site->machine;

	if (change->kind == SSDPM_STEP_LPM)
		return undo_lpm(undo, change, reterr);
	if (change->kind == SSDPM_STEP_APST)
		return undo_table(undo, change, reterr);
	return ssdpm__write_value(machine, change->kind, change->path,
				  change->before, reterr);
}

/* One of those that a step was to try, with commas between. */
static bool is_listed(const char *list, const char *value)
{
	const size_t length = strlen(value);

	for (;;) {
		size_t n = strcspn(list, ",");

		if (n == length && !memcmp(list, value, n))
			return true;
		if (!list[n])
			return false;
		list += n + 1;
	}
}

/* What a step writes before it writes the last value. */
static bool is_between(const struct change *change, const char *value)
{
	char other[24];

	if (change->kind == SSDPM_STEP_LPM)
		return !strcmp(value,
			       ssdpm_lpm_to_string(SSDPM_LPM_MAX_PERFORMANCE));
	if (change->kind != SSDPM_STEP_LATENCY_TOLERANCE &&
	    change->kind != SSDPM_STEP_REBUILD)
		return false;
	ssdpm__other_tolerance(change->before, other);
	if (!strcmp(value, other))
		return true;
	ssdpm__other_tolerance(change->after, other);
	return !strcmp(value, other);
}

/* Linux builds a table when what it is made from changes. */
static bool may_be_rebuilt(const struct undo *undo, const struct change *table)
{
	for (size_t i = 0; i < undo->n; i++) {
		const struct change *change = undo->changes[i];

		if (change->begun &&
		    (change->kind == SSDPM_STEP_NVME_CORE ||
		     ssdpm__is_tolerance_of(change, table->path)))
			return true;
	}
	return false;
}

/* Neither what was there before nor what was planned, nor on the way to it. */
static bool is_foreign(const struct undo *undo, const struct change *change,
		       const char *value)
{
	if (!*value || change->flux == FLUX_FAILED)
		return false;
	if (change->kind == SSDPM_STEP_APST &&
	    (!*change->after || may_be_rebuilt(undo, change)))
		return false;
	if (change->begun && is_listed(change->after, value))
		return false;
	return change->flux != FLUX_KILLED || !is_between(change, value);
}

/* Should this be killed, the next one knows that it may be in between. */
static void note_way_back(const struct undo *undo, const struct change *change)
{
	size_t i = 0;

	while (i < undo->n && undo->changes[i] != change)
		i++;
	ssdpm__journal_back(undo->site, i);
}

static int leave_alone(struct undo *undo, const struct change *change,
		       const char *value, bool rebuild,
		       struct ssdpm_error *reterr)
{
	undo->done.n_left_alone++;
	ssdpm__log(undo->site->machine, SSDPM_LOG_WARNING,
		   "/%s is %.40s, which somebody else has written: it stays",
		   change->path, value);
	if (!rebuild)
		return 0;
	return ssdpm__rebuild(undo->site->machine, change->path, value, reterr);
}

static int undo_one(struct undo *undo, const struct change *change,
		    struct ssdpm_error *reterr)
{
	struct ssdpm_machine *machine = undo->site->machine;
	bool rebuild = undo->rebuild && undo_rank(change) == 2;
	char value[SSDPM__VALUE_BYTES];
	int err;

	if (!change->begun && !rebuild)
		return 0;
	err = ssdpm__read_value(machine, change->kind, change->path, value,
				reterr);
	/* A drive that sleeps, and says nothing, takes it all the same. */
	if (err == -EBUSY)
		value[0] = '\0';
	else if (err)
		return err;
	if (!strcmp(value, change->before)) {
		if (!rebuild)
			return 0;
		note_way_back(undo, change);
		return ssdpm__rebuild(machine, change->path, value, reterr);
	}
	if (is_foreign(undo, change, value))
		return leave_alone(undo, change, value, rebuild, reterr);
	note_way_back(undo, change);
	err = put_back(undo, change, reterr);
	undo->done.n += !err;
	return err;
}

/*
 * A device that is gone has nothing to be put back, and what the kernel does
 * not take today it will not take tomorrow: neither must stand in the way of
 * the next commit for ever.
 */
static bool is_final(const struct undo *undo, const struct change *change,
		     int err)
{
	return err == -ENODEV || err == -EINVAL || err == -EOPNOTSUPP ||
	       ssdpm__value_removal(undo->site->machine, change);
}

int ssdpm__undo(const struct site *site, struct change *const *changes,
		size_t n, struct undone *ret_undone, struct ssdpm_error *reterr)
{
	struct undo undo = { .site = site, .changes = changes, .n = n };
	struct ssdpm_error error;
	int result = 0;

	for (size_t i = 0; i < n; i++)
		if (changes[i]->kind == SSDPM_STEP_NVME_CORE)
			undo.rebuild |= changes[i]->begun;
	for (uint32_t rank = 0; rank < N_UNDO_RANKS; rank++) {
		for (size_t i = n; i-- > 0;) {
			int err = 0;

			if (undo_rank(changes[i]) == rank)
				err = undo_one(&undo, changes[i], &error);
			if (!err)
				continue;
			ssdpm__log(site->machine, SSDPM_LOG_WARNING,
				   "not put back: %s", error.message);
			undo.done.n_left_alone +=
				is_final(&undo, changes[i], err);
			if (result || is_final(&undo, changes[i], err))
				continue;
			result = err;
			if (reterr)
				*reterr = error;
		}
	}
	*ret_undone = undo.done;
	return result;
}

int ssdpm__read_kept(const struct site *site, struct changes *ret_changes,
		     struct ssdpm_error *reterr)
{
	int err = -ENOENT;

	ret_changes->list = NULL;
	ret_changes->n = 0;
	/* A commit that is complete but for the name of this file. */
	if (faccessat(site->directory_fd, "journal", F_OK, AT_SYMLINK_NOFOLLOW))
		err = ssdpm__changes_read(site, new_kept, ret_changes, reterr);
	/* It may get its name between the two. */
	if (err == -ENOENT)
		err = ssdpm__changes_read(site, old_kept, ret_changes, reterr);
	return err == -ENOENT || err == -ESTALE ? 0 : err;
}

static struct change *find(const struct changes *changes,
			   const struct change *change)
{
	for (size_t i = 0; i < changes->n; i++)
		if (changes->list[i]->kind == change->kind &&
		    !strcmp(changes->list[i]->path, change->path))
			return changes->list[i];
	return NULL;
}

/* Does the record go back on what this controller's table is made from? */
static bool is_kept(const struct changes *changes, const char *controller)
{
	for (size_t i = 0; i < changes->n; i++)
		if (changes->list[i]->kind == SSDPM_STEP_NVME_CORE ||
		    ssdpm__is_tolerance_of(changes->list[i], controller))
			return true;
	return false;
}

/* Does it say anything that the record does not? */
static bool is_new(const struct changes *changes, const struct change *change)
{
	const struct change *old = find(changes, change);

	if (change->kind == SSDPM_STEP_REBUILD)
		return false;
	if (old)
		return strcmp(old->after, change->after);
	/* It was no table of the first settings; Linux builds that one. */
	return change->kind != SSDPM_STEP_APST ||
	       !is_kept(changes, change->path);
}

static bool is_same(const struct change *change)
{
	return !strcmp(change->before, change->after);
}

/*
 * What was there first stays; what is there now is new. Where nothing stands
 * to be put back, what is there before this change is the first.
 */
static int merge(struct changes *changes, const struct change *change)
{
	struct change *old = find(changes, change);
	int err = 0;

	if (!is_new(changes, change))
		return 0;
	if (!old)
		return ssdpm__changes_add(changes, change->kind, change->path,
					  change->before, change->after);
	if (is_same(old))
		err = ssdpm__set_string(&old->before, change->before, NULL);
	return err ? err : ssdpm__set_string(&old->after, change->after, NULL);
}

/*
 * What is so already has no way back, but whoever applied it wants to know
 * whether it is so still. A table is another matter: resets cost it.
 */
static bool is_applied(const struct ssdpm_plan *plan, const struct step *step)
{
	return step->state == SSDPM_STEP_IN_FORCE && !plan->goes_back &&
	       step->change.kind != SSDPM_STEP_APST &&
	       step->change.kind != SSDPM_STEP_REBUILD;
}

bool ssdpm__is_news(const struct changes *kept, const struct ssdpm_plan *plan)
{
	for (size_t i = 0; i < plan->n_order; i++)
		if (is_applied(plan, plan->order[i]) &&
		    is_new(kept, &plan->order[i]->change))
			return true;
	return false;
}

static int merge_applied(struct changes *changes, const struct ssdpm_plan *plan)
{
	int err = 0;

	for (size_t i = 0; !err && i < plan->n_order; i++)
		if (is_applied(plan, plan->order[i]))
			err = merge(changes, &plan->order[i]->change);
	return err;
}

/* Those that the record still needs come first. Return: how many. */
static size_t count_kept(struct changes *changes)
{
	size_t n = 0;

	for (size_t i = 0; i < changes->n; i++) {
		struct change *change = changes->list[i];

		if (change->forgotten ||
		    (change->kind == SSDPM_STEP_APST && is_same(change)))
			continue;
		changes->list[i] = changes->list[n];
		changes->list[n++] = change;
	}
	return n;
}

/* Tables first: settings of the same commit say nothing of them. */
static int merge_all(struct changes *changes, struct change *const *list,
		     size_t n)
{
	int err = 0;

	for (int tables = 1; tables >= 0; tables--)
		for (size_t i = 0; !err && i < n; i++)
			if ((list[i]->kind == SSDPM_STEP_APST) == tables)
				err = merge(changes, list[i]);
	return err;
}

/* What took the place of tables that are kept, where Linux has built others. */
static int read_tables(const struct site *site, struct changes *all,
		       struct change *const *changes, size_t n)
{
	char value[SSDPM__VALUE_BYTES];
	int err = 0;

	for (size_t i = 0; !err && i < all->n; i++) {
		struct change *change = all->list[i];
		bool rebuilt = false;

		if (change->kind != SSDPM_STEP_APST)
			continue;
		for (size_t k = 0; k < n; k++)
			rebuilt |= ssdpm__is_tolerance_of(changes[k],
							  change->path);
		if (rebuilt)
			err = ssdpm__read_value(site->machine, change->kind,
						change->path, value, NULL);
		if (rebuilt && !err)
			err = ssdpm__set_string(&change->after, value, NULL);
		if (err != -ENOMEM)
			err = 0;
	}
	return err;
}

/*
 * What has gone back; and of a plan that reverts all steps, but those that
 * could not be looked at, and what had no way back.
 */
static void forget(struct changes *all, const struct ssdpm_plan *plan)
{
	for (size_t i = 0; i < plan->n_order; i++) {
		const struct step *step = plan->order[i];
		struct change *change = find(all, &step->change);

		if (change &&
		    (is_same(change) || (plan->reverts && !step->unread)))
			change->forgotten = true;
	}
	for (size_t i = 0; plan->reverts && i < all->n; i++)
		all->list[i]->forgotten |= is_same(all->list[i]);
}

int ssdpm__keep(struct site *site, struct changes *all,
		struct change *const *changes, size_t n,
		const struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	int err = merge_all(all, changes, n);
	size_t n_kept = 0;

	if (!err)
		err = read_tables(site, all, changes, n);
	if (!err)
		err = merge_applied(all, plan);
	if (!err && plan->goes_back)
		forget(all, plan);
	if (err)
		ssdpm__fail(reterr, err, 0, "out of memory");
	if (!err)
		n_kept = count_kept(all);
	if (!err)
		err = ssdpm__changes_write(site, new_kept, all->list, n_kept,
					   reterr);
	/* What could not be reverted is not done. */
	if (!err && n_kept && !plan->goes_back)
		err = ssdpm__reserve(site, new_kept, reterr);
	if (!err && fsync(site->directory_fd))
		err = ssdpm__fail_state(site, new_kept, -errno, reterr);
	return err;
}

/* Should it fail, the next commit does it. */
int ssdpm__keep_finish(const struct site *site)
{
	if (faccessat(site->directory_fd, new_kept, F_OK, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (renameat(site->directory_fd, new_kept, site->directory_fd,
		     old_kept))
		return -errno;
	fsync(site->directory_fd);
	/* What a revert has used, for the rest. */
	if (site->goes_back)
		ssdpm__reserve(site, old_kept, NULL);
	return 0;
}
