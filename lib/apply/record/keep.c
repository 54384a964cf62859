/* SPDX-License-Identifier: MIT */
/* What revert needs: the value of each file before the first commit. */
#include "apply/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char old_kept[] = "undo";
static const char new_kept[] = "undo.new";

int ssdpm__read_kept(const struct site *site, struct changes *ret_changes,
		     struct ssdpm_error *reterr)
{
	int err = -ENOENT;

	ret_changes->list = NULL;
	ret_changes->n = 0;
	/* A commit that is complete but for the name of this file. */
	if (!ssdpm__journal_stands(site))
		err = ssdpm__changes_read(site, new_kept, ret_changes, reterr);
	/* It may get its name between the two. */
	if (err == -ENOENT)
		err = ssdpm__changes_read(site, old_kept, ret_changes, reterr);
	return err == -ENOENT || err == -ESTALE ? 0 : err;
}

/*
 * Does the record go back on what this controller's table is made from? An
 * earlier transaction of the same commit says nothing of it.
 */
static bool is_kept(const struct changes *changes, const struct change *table)
{
	for (size_t i = 0; i < changes->n; i++) {
		const struct change *change = changes->list[i];

		if (!change->is_recent &&
		    !ssdpm__is_another(change, table->serial) &&
		    (change->kind->role == ROLE_PARAMETER ||
		     ssdpm__is_tolerance_of(change, table->path)))
			return true;
	}
	return false;
}

bool ssdpm__is_new(const struct changes *changes, const struct change *change)
{
	const struct change *old = ssdpm__changes_find(changes, change);

	if (change->kind->is_passing)
		return false;
	if (old)
		return ssdpm__is_another(old, change->serial) ||
		       !ssdpm__value_is(&old->after, &change->after);
	/* It was no table of the first settings; Linux builds that one. */
	return change->kind->role != ROLE_TABLE || !is_kept(changes, change);
}

static bool is_same(const struct change *change)
{
	return ssdpm__value_is(&change->before, &change->after);
}

/* A commit tells Linux that a feature of a link stays off, by a write. */
static bool is_told(const struct change *change)
{
	return change->kind->number == SSDPM_STEP_PCIE_LINK &&
	       !change->after.is.pcie_link;
}

bool ssdpm__is_kept_off(const struct site *site, const struct change *change)
{
	const struct change *old;
	struct changes kept;
	bool is_off;

	if (change->kind->number != SSDPM_STEP_PCIE_LINK || !change->begun ||
	    is_told(change) || ssdpm__read_kept(site, &kept, NULL))
		return false;
	old = ssdpm__changes_find(&kept, change);
	is_off = old && is_told(old) && !ssdpm__is_another(old, change->serial);
	ssdpm__changes_free(&kept);
	return is_off;
}

/*
 * A policy of ours has the feature off: that is not what was there first. To go
 * back allows the feature, and the first policy decides.
 */
static void find_first(const struct changes *changes, struct change *change)
{
	const struct ssdpm_step_value on = { .pcie_link = 1 };

	if (!is_told(change) || !is_same(change))
		return;
	for (size_t i = 0; i < changes->n; i++)
		if (changes->list[i]->kind->number == SSDPM_STEP_ASPM_POLICY &&
		    !is_same(changes->list[i]))
			ssdpm__value_set(change->kind, &on, &change->before);
}

/*
 * The first value stays; the value of now is new. Where nothing stands to be
 * put back, or the record is of another drive, what is there before this change
 * is the first.
 */
static int merge(struct changes *changes, const struct change *change)
{
	struct change *old = ssdpm__changes_find(changes, change);

	if (!ssdpm__is_new(changes, change))
		return 0;
	if (!old) {
		int err = ssdpm__changes_add(changes, change);

		if (err)
			return err;
		old = changes->list[changes->n - 1];
		old->is_recent = true;
		find_first(changes, old);
		return 0;
	}
	if (is_same(old) || ssdpm__is_another(old, change->serial))
		old->before = change->before;
	old->after = change->after;
	find_first(changes, old);
	if (change->serial)
		old->serial = change->serial;
	return 0;
}

/*
 * A setting that was so already has no way back. Its user still wants to know
 * whether it stays so. A table is another matter: resets cost it.
 */
static bool is_applied(const struct ssdpm_plan *plan, const struct step *step)
{
	const struct step_kind *kind = step->change.kind;

	return step->state == SSDPM_STEP_IN_FORCE && !plan->goes_back &&
	       kind->role != ROLE_TABLE && !kind->is_passing &&
	       !step->follows_l1;
}

bool ssdpm__is_news(const struct changes *kept, const struct ssdpm_plan *plan)
{
	for (size_t i = 0; i < plan->n_order; i++)
		if (is_applied(plan, plan->order[i]) &&
		    ssdpm__is_new(kept, &plan->order[i]->change))
			return true;
	return false;
}

static int merge_applied(struct changes *changes, const struct ssdpm_plan *plan)
{
	int err = 0;

	for (size_t i = 0; !err && i < plan->n_order; i++)
		if (is_applied(plan, plan->order[i]) &&
		    !is_told(&plan->order[i]->change))
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
		    (change->kind->role == ROLE_TABLE && is_same(change)))
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
			if ((list[i]->kind->role == ROLE_TABLE) == tables)
				err = merge(changes, list[i]);
	return err;
}

/* The tables that replaced those that are kept, if Linux has built others. */
static void read_tables(const struct site *site, struct changes *all,
			struct change *const *changes, size_t n)
{
	for (size_t i = 0; i < all->n; i++) {
		struct change *change = all->list[i];
		bool rebuilt = false;
		struct value now;

		if (change->kind->role != ROLE_TABLE)
			continue;
		for (size_t k = 0; k < n; k++)
			rebuilt |= ssdpm__is_tolerance_of(changes[k],
							  change->path);
		if (rebuilt && !ssdpm__read_value(site->machine, change->kind,
						  change->path, &now, NULL))
			change->after = now;
	}
}

/*
 * The steps that went back. In a plan that reverts, it is all steps but those
 * that could not be looked at and those without a way back.
 */
static void forget(struct changes *all, const struct ssdpm_plan *plan,
		   const char *device)
{
	for (size_t i = 0; i < plan->n_order; i++) {
		const struct step *step = plan->order[i];
		struct change *change = ssdpm__changes_find(all, &step->change);

		if (change && (!device || !strcmp(step->device, device)) &&
		    (is_same(change) || (plan->reverts && !step->unread)))
			change->forgotten = true;
	}
	for (size_t i = 0; plan->reverts && i < all->n; i++)
		all->list[i]->forgotten |= is_same(all->list[i]);
}

int ssdpm__keep(struct site *site, struct changes *all,
		struct change *const *changes, size_t n,
		const struct ssdpm_plan *plan, const char *device,
		struct ssdpm_error *reterr)
{
	int err = merge_all(all, changes, n);
	size_t n_kept = 0;

	if (!err)
		read_tables(site, all, changes, n);
	if (!err)
		err = merge_applied(all, plan);
	if (!err && plan->goes_back)
		forget(all, plan, device);
	if (err)
		ssdpm__fail(reterr, err, 0, "out of memory");
	if (!err)
		n_kept = count_kept(all);
	if (!err)
		err = ssdpm__changes_write(site, new_kept, "", all->list,
					   n_kept, reterr);
	if (!err)
		ssdpm__changes_cut(all, n_kept);
	/* A value that could not be reverted is not done. */
	if (!err && n_kept && !plan->goes_back)
		err = ssdpm__reserve(site, new_kept, reterr);
	if (!err && fsync(site->directory_fd))
		err = ssdpm__fail_state(site, new_kept, -errno, reterr);
	return err;
}

int ssdpm__keep_complete(const struct site *site, struct ssdpm_error *reterr)
{
	int err = 0;

	if (!ssdpm__journal_stands(site))
		err = ssdpm__keep_finish(site);
	if (!err || err == -ENOENT)
		return 0;
	return ssdpm__fail_state(site, new_kept, err, reterr);
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

int ssdpm__plan_read_changed(struct ssdpm_plan *plan,
			     struct changes *ret_changes,
			     struct ssdpm_error *reterr)
{
	struct site site;
	int err;

	*ret_changes = (struct changes){ 0 };
	err = ssdpm__plan_check_open(plan, reterr);
	if (err)
		return err;
	err = ssdpm__site_find(plan, false, &site, reterr);
	if (err)
		return err == -ENOENT ? 0 : err;
	err = ssdpm__read_kept(&site, ret_changes, reterr);
	ssdpm__site_close(&site);
	return err;
}

int ssdpm__plan_has_changed(struct ssdpm_plan *plan,
			    const struct change *change, bool *ret_changed,
			    struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };
	struct changes changes;
	int err = ssdpm__plan_read_changed(plan, &changes, &error);

	if (err)
		return ssdpm__pass_on(err, &error, reterr);
	*ret_changed = false;
	for (size_t i = 0; i < changes.n; i++)
		*ret_changed |= changes.list[i]->kind == change->kind &&
				!strcmp(changes.list[i]->path, change->path);
	ssdpm__changes_free(&changes);
	return 0;
}
