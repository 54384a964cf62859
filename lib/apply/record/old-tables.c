/* SPDX-License-Identifier: MIT */
/*
 * Drives whose tables are older than the parameters of nvme_core. The kernel
 * builds a table when a drive's own transaction tells it to, which comes after
 * that of the parameters. A kill between the two, or a drive that fails, must
 * not leave tables that everybody takes for new.
 */
#include "apply/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char name[] = "rebuild";
static const char new_name[] = "rebuild.new";

/* A list of another boot is none: that kernel has built all tables anew. */
int ssdpm__read_old_tables(const struct site *site, struct changes *ret_changes,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	int err;

	ret_changes->list = NULL;
	ret_changes->n = 0;
	err = ssdpm__changes_read(site, name, ret_changes, &error);
	if (err == -ENOENT || err == -ESTALE)
		err = 0;
	return ssdpm__pass_on(err, &error, reterr);
}

static int write_list(const struct site *site, const struct changes *changes,
		      struct ssdpm_error *reterr)
{
	int err = 0;

	if (changes->n)
		err = ssdpm__changes_write(site, new_name, "", changes->list,
					   changes->n, reterr);
	else if (unlinkat(site->directory_fd, name, 0))
		err = ssdpm__fail_state(site, name, -errno, reterr);
	if (!err && changes->n &&
	    renameat(site->directory_fd, new_name, site->directory_fd, name))
		err = ssdpm__fail_state(site, name, -errno, reterr);
	return err;
}

static struct change *find(const struct changes *changes, const char *path)
{
	for (size_t i = 0; i < changes->n; i++)
		if (!strcmp(changes->list[i]->path, path))
			return changes->list[i];
	return NULL;
}

/* Once for all drives. Nobody can tell which tables a damaged list names. */
static int read_once(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	struct site site;
	int err;

	if (plan->old_tables_are_read ||
	    ssdpm__site_find(plan, false, &site, NULL))
		return 0;
	err = ssdpm__read_old_tables(&site, &plan->old_tables, &error);
	ssdpm__site_close(&site);
	if (err == -EACCES)
		err = 0;
	plan->old_tables_are_read = !err;
	return ssdpm__pass_on(err, &error, reterr);
}

int ssdpm__has_old_table(struct ssdpm_plan *plan, const char *path, bool *ret,
			 struct ssdpm_error *reterr)
{
	int err = read_once(plan, reterr);

	if (!err)
		*ret = path ? find(&plan->old_tables, path) != NULL :
			      plan->old_tables.n > 0;
	return err;
}

int ssdpm__note_old_tables(const struct site *site, struct changes *changes,
			   const struct ssdpm_plan *plan,
			   struct ssdpm_error *reterr)
{
	const size_t n = changes->n;
	int err = 0;

	for (size_t i = 0; !err && i < plan->n_drives; i++) {
		const struct plan_drive *drive = &plan->drives[i];

		if (!drive->is_renewed ||
		    find(changes, drive->rebuild->change.path))
			continue;
		err = ssdpm__changes_add(changes, &drive->rebuild->change);
		if (err)
			ssdpm__no_memory(reterr);
	}
	if (!err && changes->n > n)
		err = write_list(site, changes, reterr);
	return err;
}

/* Should it fail, tables are built anew once more. */
void ssdpm__forget_old_tables(const struct site *site, struct changes *changes,
			      const struct ssdpm_plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_drives; i++) {
		const struct plan_drive *drive = &plan->drives[i];
		struct change *change =
			drive->is_renewed ?
				find(changes, drive->rebuild->change.path) :
				NULL;

		if (change)
			change->forgotten = true;
	}
	for (size_t i = 0; i < changes->n; i++) {
		struct change *change = changes->list[i];

		if (change->forgotten)
			continue;
		changes->list[i] = changes->list[n];
		changes->list[n++] = change;
	}
	if (n == changes->n)
		return;
	ssdpm__changes_cut(changes, n);
	write_list(site, changes, NULL);
}
