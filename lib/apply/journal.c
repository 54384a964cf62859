/* SPDX-License-Identifier: MIT */
/*
 * The journal: which values a commit that is under way may have changed. It is
 * whole before the first of them is written, and gone when the last is in
 * force: what is found by somebody who holds the lock was left by one who was
 * killed.
 */
#include "apply/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static const char journal[] = "journal";
static const char new_journal[] = "journal.new";

bool ssdpm__journal_exists(const struct ssdpm_plan *plan)
{
	struct site site;
	bool exists;

	if (ssdpm__site_look(plan, &site, NULL))
		return false;
	exists = !faccessat(site.directory_fd, journal, F_OK,
			    AT_SYMLINK_NOFOLLOW);
	ssdpm__site_close(&site);
	return exists;
}

static int publish(struct site *site)
{
	if (renameat(site->directory_fd, new_journal, site->directory_fd,
		     journal) ||
	    fsync(site->directory_fd))
		return -errno;
	site->journal_fd = openat(site->directory_fd, journal,
				  O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	return site->journal_fd < 0 ? -errno : 0;
}

int ssdpm__journal_write(struct site *site, struct change *const *changes,
			 size_t n, struct ssdpm_error *reterr)
{
	int err;

	err = ssdpm__changes_write(site, new_journal, changes, n, reterr);
	if (err)
		return err;
	err = publish(site);
	if (!err)
		return 0;
	return ssdpm__fail(reterr, err, 0, "cannot write the journal: %s",
			   ssdpm_strerror(err));
}

int ssdpm__journal_begin(const struct site *site, size_t index,
			 struct ssdpm_error *reterr)
{
	char line[32];
	int n = snprintf(line, sizeof(line), "begin %zu\n", index);
	int err = ssdpm__write_all(site->journal_fd, line, (size_t)n);

	if (!err && fdatasync(site->journal_fd))
		err = -errno;
	if (!err)
		return 0;
	return ssdpm__fail(reterr, err, 0, "cannot write the journal: %s",
			   ssdpm_strerror(err));
}

int ssdpm__journal_remove(struct site *site, struct ssdpm_error *reterr)
{
	int err = 0;

	if (site->journal_fd >= 0)
		close(site->journal_fd);
	site->journal_fd = -1;
	if (unlinkat(site->directory_fd, journal, 0) && errno != ENOENT)
		err = -errno;
	if (err)
		return ssdpm__fail(reterr, err, 0,
				   "cannot remove the journal: %s",
				   ssdpm_strerror(err));
	/* Should it come back, then after a new boot, and is thrown away. */
	fsync(site->directory_fd);
	return 0;
}

int ssdpm__journal_forget(struct site *site, struct ssdpm_error *reterr)
{
	if (unlinkat(site->directory_fd, "undo.new", 0) && errno != ENOENT)
		return ssdpm__fail(reterr, -errno, 0,
				   "cannot remove undo.new: %s",
				   ssdpm_strerror(-errno));
	return ssdpm__journal_remove(site, reterr);
}

int ssdpm__recover(struct site *site, size_t *ret_n, struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	struct changes changes = { 0 };
	int err;

	*ret_n = 0;
	err = ssdpm__changes_read(site, journal, &changes, &error);
	if (err == -ENOENT) {
		/* The next one would be written over it. */
		err = ssdpm__keep_finish(site);
		if (!err || err == -ENOENT)
			return 0;
		return ssdpm__fail(reterr, err, 0,
				   "cannot rename %s/undo.new: %s",
				   site->directory, ssdpm_strerror(err));
	}
	if (err == -ESTALE)
		return ssdpm__journal_forget(site, reterr);
	if (err) {
		if (reterr)
			*reterr = error;
		return err;
	}
	ssdpm__log(site->machine, SSDPM_LOG_WARNING,
		   "a commit was killed: it is undone");
	err = ssdpm__undo(site, changes.list, changes.n, ret_n, reterr);
	if (!err)
		err = ssdpm__journal_forget(site, reterr);
	ssdpm__changes_free(&changes);
	return err;
}

int ssdpm_recover(struct ssdpm_machine *machine,
		  const struct ssdpm_plan_params *params, size_t *ret_n,
		  struct ssdpm_error *reterr)
{
	struct ssdpm_plan *plan;
	struct site site;
	size_t n = 0;
	int err;

	/* A plan, since it knows what params mean. */
	err = ssdpm_plan_new(machine, params, &plan, reterr);
	if (err)
		return err;
	if (ssdpm__journal_exists(plan)) {
		err = ssdpm__site_open(plan, &site, reterr);
		if (!err) {
			err = ssdpm__recover(&site, &n, reterr);
			ssdpm__site_close(&site);
		}
	}
	ssdpm_plan_free(plan);
	if (!err && ret_n)
		*ret_n = n;
	return err;
}
