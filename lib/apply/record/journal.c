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
#include <string.h>
#include <unistd.h>

static const char journal[] = "journal";
static const char new_journal[] = "journal.new";

bool ssdpm__journal_exists(const struct ssdpm_plan *plan)
{
	struct site site;
	bool exists;
	int err = ssdpm__site_find(plan, false, &site, NULL);

	/* Where nobody can look, there may be one. */
	if (err)
		return err != -ENOENT;
	exists = !faccessat(site.directory_fd, journal, F_OK,
			    AT_SYMLINK_NOFOLLOW) ||
		 errno != ENOENT;
	ssdpm__site_close(&site);
	return exists;
}

void ssdpm__journal_drop_new(const struct site *site)
{
	static const char *const names[] = { new_journal, "rebuild.new" };

	for (size_t i = 0; i < 2; i++)
		if (!faccessat(site->directory_fd, names[i], F_OK,
			       AT_SYMLINK_NOFOLLOW))
			unlinkat(site->directory_fd, names[i], 0);
}

int ssdpm__journal_read(const struct site *site, struct changes *ret_changes,
			struct ssdpm_error *reterr)
{
	return ssdpm__changes_read(site, journal, ret_changes, reterr);
}

int ssdpm__journal_open(struct site *site)
{
	site->journal_fd = openat(site->directory_fd, journal,
				  O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	return site->journal_fd < 0 ? -errno : 0;
}

static int publish(struct site *site)
{
	if (renameat(site->directory_fd, new_journal, site->directory_fd,
		     journal) ||
	    fsync(site->directory_fd))
		return -errno;
	return ssdpm__journal_open(site);
}

int ssdpm__journal_write(struct site *site, struct change *const *changes,
			 size_t n, struct ssdpm_error *reterr)
{
	int err;

	err = ssdpm__changes_write(site, new_journal, changes, n, reterr);
	if (err)
		return err;
	err = publish(site);
	return err ? ssdpm__fail_state(site, journal, err, reterr) : 0;
}

/* A kill, or a full disk, may have cut off the last line: it was no step's. */
static int drop_cut_off(int fd)
{
	off_t whole = lseek(fd, 0, SEEK_END), size = whole;
	char last;

	while (whole > 0 && pread(fd, &last, 1, whole - 1) == 1 && last != '\n')
		whole--;
	return whole < size && ftruncate(fd, whole) ? -errno : 0;
}

static int add_line(const struct site *site, const char *word, size_t index,
		    struct ssdpm_error *reterr)
{
	char line[32];
	int n = snprintf(line, sizeof(line), "%s %zu\n", word, index), err;

	do {
		err = drop_cut_off(site->journal_fd);
		if (!err)
			err = ssdpm__write_all(site->journal_fd, line,
					       (size_t)n);
	} while (ssdpm__make_room(site, err));
	if (!err && fdatasync(site->journal_fd))
		err = -errno;
	return err ? ssdpm__fail_state(site, journal, err, reterr) : 0;
}

int ssdpm__journal_begin(const struct site *site, size_t index,
			 struct ssdpm_error *reterr)
{
	return add_line(site, "begin", index, reterr);
}

void ssdpm__journal_back(const struct site *site, size_t index)
{
	if (site->journal_fd >= 0)
		add_line(site, "back", index, NULL);
}

/* A name that is not there needs no rights, and no place that is writable. */
static int remove_name(const struct site *site, const char *name,
		       struct ssdpm_error *reterr)
{
	int err = 0;

	if (unlinkat(site->directory_fd, name, 0))
		err = -errno;
	if (err &&
	    faccessat(site->directory_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) &&
	    errno == ENOENT)
		err = 0;
	return err ? ssdpm__fail_state(site, name, err, reterr) : 0;
}

int ssdpm__journal_remove(struct site *site, struct ssdpm_error *reterr)
{
	int err;

	if (site->journal_fd >= 0)
		close(site->journal_fd);
	site->journal_fd = -1;
	err = remove_name(site, journal, reterr);
	if (err)
		return err;
	/* Should it come back, then after a new boot, and is thrown away. */
	fsync(site->directory_fd);
	return 0;
}

int ssdpm__journal_forget(struct site *site, struct ssdpm_error *reterr)
{
	int err = remove_name(site, "undo.new", reterr);

	return err ? err : ssdpm__journal_remove(site, reterr);
}
