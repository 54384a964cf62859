/* SPDX-License-Identifier: MIT */
/*
 * The journal: which values a commit that is under way may have changed. It is
 * whole before the first of them is written, and gone when the last is in
 * force. A holder of the lock that finds one knows that a process was killed.
 * If a device cannot be put back, its journal is set aside as "journal-nvme0":
 * it is in no other device's way. The device is that of the transaction: a disk
 * whose steps also set its port, which other paths name host3.
 */
#include "apply/record/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ASIDE SSDPM__JOURNAL "-"

static const char journal[] = SSDPM__JOURNAL;
static const char new_journal[] = SSDPM__JOURNAL ".new";

bool ssdpm__is_journal(const char *name)
{
	return !strcmp(name, journal) ||
	       (!strncmp(name, ASIDE, strlen(ASIDE)) &&
		strlen(name) < SSDPM__JOURNAL_BYTES);
}

static int find_next(const struct site *site, char name[SSDPM__JOURNAL_BYTES])
{
	char next[SSDPM__JOURNAL_BYTES] = "";
	int fd = openat(site->directory_fd, ".",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	int err = directory ? 0 : -errno;
	struct dirent *entry;

	if (!directory && fd >= 0)
		close(fd);
	if (err)
		return err;
	while (errno = 0, (entry = readdir(directory)))
		if (ssdpm__is_journal(entry->d_name) &&
		    strcmp(entry->d_name, name) > 0 &&
		    (!next[0] || strcmp(entry->d_name, next) < 0))
			strcpy(next, entry->d_name);
	err = -errno;
	closedir(directory);
	if (err)
		return err;
	strcpy(name, next);
	return next[0] ? 0 : -ENOENT;
}

int ssdpm__journal_next(const struct site *site,
			char name[SSDPM__JOURNAL_BYTES],
			struct ssdpm_error *reterr)
{
	int err = find_next(site, name);

	return err && err != -ENOENT ?
		       ssdpm__fail_state(site, NULL, err, reterr) :
		       err;
}

int ssdpm__journal_exists(const struct ssdpm_plan *plan, bool *ret,
			  struct ssdpm_error *reterr)
{
	char name[SSDPM__JOURNAL_BYTES] = "";
	struct site site;
	int err = ssdpm__site_find(plan, false, &site, reterr);

	if (!err) {
		err = ssdpm__journal_next(&site, name, reterr);
		ssdpm__site_close(&site);
	}
	/* Where nobody can look, there may be one. */
	*ret = err != -ENOENT;
	return err == -ENOMEM ? err : 0;
}

bool ssdpm__journal_stands(const struct site *site)
{
	return !faccessat(site->directory_fd, journal, F_OK,
			  AT_SYMLINK_NOFOLLOW);
}

static void name_aside(const char *device, char name[SSDPM__JOURNAL_BYTES])
{
	snprintf(name, SSDPM__JOURNAL_BYTES, ASIDE "%.31s", device);
}

bool ssdpm__journal_is_aside(const struct site *site, const char *device,
			     char ret_name[SSDPM__JOURNAL_BYTES])
{
	name_aside(device, ret_name);
	return !faccessat(site->directory_fd, ret_name, F_OK,
			  AT_SYMLINK_NOFOLLOW);
}

void ssdpm__journal_drop_new(const struct site *site)
{
	static const char *const names[] = { new_journal, "rebuild.new" };

	for (size_t i = 0; i < 2; i++)
		if (!faccessat(site->directory_fd, names[i], F_OK,
			       AT_SYMLINK_NOFOLLOW))
			unlinkat(site->directory_fd, names[i], 0);
}

int ssdpm__journal_open(struct site *site, const char *name)
{
	site->journal_fd = openat(site->directory_fd, name,
				  O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	return site->journal_fd < 0 ? -errno : 0;
}

static int publish(struct site *site)
{
	if (renameat(site->directory_fd, new_journal, site->directory_fd,
		     journal) ||
	    fsync(site->directory_fd))
		return -errno;
	return ssdpm__journal_open(site, journal);
}

int ssdpm__journal_write(struct site *site, const char *device,
			 struct change *const *changes, size_t n,
			 struct ssdpm_error *reterr)
{
	int err;

	err = ssdpm__changes_write(site, new_journal, device, changes, n,
				   reterr);
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
		    const char *rest, struct ssdpm_error *reterr)
{
	char line[SSDPM__VALUE_BYTES + 32];
	int n = snprintf(line, sizeof(line), "%s %zu%s\n", word, index, rest),
	    err;

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
	return add_line(site, "begin", index, "", reterr);
}

void ssdpm__journal_back(const struct site *site, size_t index)
{
	if (site->journal_fd >= 0)
		add_line(site, "back", index, "", NULL);
}

void ssdpm__journal_left(const struct site *site, size_t index,
			 const char *value)
{
	char rest[SSDPM__VALUE_BYTES + 1];

	/* A line holds no other. */
	snprintf(rest, sizeof(rest), " %s", strchr(value, '\n') ? "" : value);
	if (site->journal_fd >= 0)
		add_line(site, "left", index, rest, NULL);
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

int ssdpm__journal_remove(struct site *site, const char *name,
			  struct ssdpm_error *reterr)
{
	int err;

	ssdpm__site_close_journal(site);
	err = remove_name(site, name, reterr);
	if (err)
		return err;
	/* Should it come back, then after a new boot, and is thrown away. */
	fsync(site->directory_fd);
	return 0;
}

/* The values that its commit would have kept are no record. */
static int drop_kept(const struct site *site, struct ssdpm_error *reterr)
{
	return remove_name(site, "undo.new", reterr);
}

int ssdpm__journal_forget(struct site *site, const char *name,
			  struct ssdpm_error *reterr)
{
	int err = 0;

	if (!strcmp(name, journal))
		err = drop_kept(site, reterr);
	return err ? err : ssdpm__journal_remove(site, name, reterr);
}

bool ssdpm__journal_set_aside(struct site *site, const char *device)
{
	char name[SSDPM__JOURNAL_BYTES];

	if (!ssdpm__is_device_name(device) || drop_kept(site, NULL))
		return false;
	name_aside(device, name);
	ssdpm__site_close_journal(site);
	if (renameat(site->directory_fd, journal, site->directory_fd, name))
		return false;
	fsync(site->directory_fd);
	return true;
}
