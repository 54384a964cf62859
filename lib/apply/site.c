/* SPDX-License-Identifier: MIT */
/* The directory of the lock, the journal, and what revert needs. */
#include "apply/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Parts of the default directory, each in the one before. */
static const char *const parts[] = { "run", "ssdpm" };

static int open_in(int parent, const char *name, bool make)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(parent, name, flags);

	if (fd >= 0 || errno != ENOENT || !make)
		return fd < 0 ? -errno : fd;
	if (mkdirat(parent, name, 0755) && errno != EEXIST)
		return -errno;
	fd = openat(parent, name, flags);
	return fd < 0 ? -errno : fd;
}

/* run may be a link, and then leads to somewhere below the root. */
static int open_default(const struct ssdpm_machine *machine, bool make)
{
	int run, fd;

	run = ssdpm__open(machine, parts[0], O_RDONLY | O_DIRECTORY, 0);
	if (run == -ENOENT && make) {
		fd = ssdpm__open(machine, ".", O_RDONLY | O_DIRECTORY, 0);
		if (fd < 0)
			return fd;
		run = open_in(fd, parts[0], make);
		close(fd);
	}
	if (run < 0)
		return run;
	fd = open_in(run, parts[1], make);
	close(run);
	return fd;
}

/* Root does what is written there: nobody else may write it. */
static int check_owner(const struct ssdpm_machine *machine, int fd)
{
	struct stat status;

	if (machine->capture)
		return 0; /* nothing outside of it is written */
	if (fstat(fd, &status))
		return -errno;
	if ((status.st_uid && status.st_uid != geteuid()) ||
	    status.st_mode & (S_IWGRP | S_IWOTH))
		return -EPERM;
	return 0;
}

static int open_directory(const struct ssdpm_plan *plan, bool make)
{
	int fd, err;

	if (!plan->directory) {
		fd = open_default(plan->machine, make);
	} else {
		fd = open(plan->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			fd = errno == ENOENT && make ?
				     open_in(AT_FDCWD, plan->directory, make) :
				     -errno;
	}
	err = fd < 0 ? fd : check_owner(plan->machine, fd);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

int ssdpm__fail_state(const struct site *site, const char *name, int err,
		      struct ssdpm_error *reterr)
{
	const char *why = ssdpm_strerror(err);

	if (err == -EROFS)
		why = "the file system is read-only";
	if (err == -EACCES)
		why = "permission denied" SSDPM__ONLY_ROOT;
	if (err == -EFBIG) {
		err = -ENOSPC;
		why = "larger than this process may write: see ulimit(1)";
	}
	/* Modes give EACCES. */
	if (err == -EPERM) {
		err = -EROFS;
		why = "it, or its directory, is immutable: see lsattr(1)";
	}
	return ssdpm__fail(reterr, err, 0, "the journal %s%s%s: %s",
			   site->directory, name ? "/" : "", name ? name : "",
			   why);
}

int ssdpm__site_find(const struct ssdpm_plan *plan, bool make,
		     struct site *ret_site, struct ssdpm_error *reterr)
{
	struct site site = {
		.machine = plan->machine,
		.directory = plan->directory ? plan->directory : "/run/ssdpm",
		.directory_fd = open_directory(plan, make),
		.lock_fd = -1,
		.journal_fd = -1,
		.state_timeout_ms = plan->state_timeout_ms,
	};
	const int err = site.directory_fd;

	if (err == -EPERM)
		return ssdpm__fail(reterr, err, 0,
				   "%s: somebody else may write there, so that "
				   "what it holds cannot be trusted: remove it",
				   site.directory);
	if (err < 0)
		return ssdpm__fail_state(&site, NULL, err, reterr);
	*ret_site = site;
	return 0;
}

uint64_t ssdpm__now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void ssdpm__sleep_ms(uint32_t ms)
{
	const struct timespec span = { .tv_nsec = (long)ms * 1000000 };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
}

static int lock(int fd, uint32_t timeout_ms)
{
	const int how = timeout_ms == UINT32_MAX ? LOCK_EX : LOCK_EX | LOCK_NB;
	uint64_t end = ssdpm__now_ms() + timeout_ms;

	while (flock(fd, how)) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return -errno;
		if (ssdpm__now_ms() >= end)
			return -EBUSY;
		ssdpm__sleep_ms(5);
	}
	return 0;
}

static bool is_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static bool has_name(const struct site *site, const char *name, int fd)
{
	struct stat own, named;

	return !fstat(fd, &own) &&
	       !fstatat(site->directory_fd, name, &named,
			AT_SYMLINK_NOFOLLOW) &&
	       is_same(&own, &named);
}

/* One that was removed meanwhile keeps nobody out. */
int ssdpm__lock_file(const struct site *site, const char *name, int flags,
		     uint32_t timeout_ms, int *ret_fd)
{
	for (;;) {
		int fd = openat(site->directory_fd, name,
				flags | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
					O_CLOEXEC,
				0600);
		int err = fd < 0 ? -errno : lock(fd, timeout_ms);

		if (!err && has_name(site, name, fd)) {
			*ret_fd = fd;
			return 0;
		}
		if (fd >= 0)
			close(fd);
		if (err)
			return err;
	}
}

static const char *find_strange(int directory_fd, const char *name)
{
	struct stat status;

	if (fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW))
		return NULL;
	switch (status.st_mode & S_IFMT) {
	case S_IFREG:
		return NULL;
	case S_IFLNK:
		return "a link";
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a pipe";
	case S_IFSOCK:
		return "a socket";
	default:
		return "a device";
	}
}

int ssdpm__check_file(const struct site *site, const char *name,
		      struct ssdpm_error *reterr)
{
	const char *strange = find_strange(site->directory_fd, name);

	if (!strange)
		return 0;
	return ssdpm__fail(reterr, -EIO, 0,
			   "%s/%s is %s, and no file: remove it",
			   site->directory, name, strange);
}

int ssdpm__file_age(const struct site *site, const char *name,
		    uint64_t *ret_age_ms)
{
	struct timespec now;
	struct stat status;
	int64_t age;

	if (fstatat(site->directory_fd, name, &status, AT_SYMLINK_NOFOLLOW))
		return -errno;
	clock_gettime(CLOCK_REALTIME, &now);
	age = ((int64_t)now.tv_sec - status.st_mtim.tv_sec) * 1000 +
	      (now.tv_nsec - status.st_mtim.tv_nsec) / 1000000;
	*ret_age_ms = age < 0 ? 0 : (uint64_t)age; /* a clock that was set */
	return 0;
}

static bool is_same_file(int a, int b)
{
	struct stat one, other;

	return !fstat(a, &one) && !fstat(b, &other) && is_same(&one, &other);
}

int ssdpm__site_find_search(const struct ssdpm_plan *plan,
			    const struct site *own, struct site *ret_search)
{
	struct site search = { .machine = plan->machine,
			       .directory = "/run/ssdpm/bisect" };
	int parent = open_default(plan->machine, false);

	if (parent < 0)
		return parent;
	search.directory_fd = open_in(parent, "bisect", false);
	close(parent);
	if (search.directory_fd < 0)
		return search.directory_fd;
	if (is_same_file(search.directory_fd, own->directory_fd)) {
		close(search.directory_fd);
		return -ENOENT;
	}
	*ret_search = search;
	return 0;
}

int ssdpm__site_open(const struct ssdpm_plan *plan, struct site *ret_site,
		     struct ssdpm_error *reterr)
{
	struct site site;
	int err;

	err = ssdpm__check_writable(plan->machine, reterr);
	if (!err)
		err = ssdpm__site_find(plan, true, &site, reterr);
	if (err)
		return err;
	err = ssdpm__check_file(&site, "lock", reterr);
	if (err) {
		ssdpm__site_close(&site);
		return err;
	}
	err = ssdpm__lock_file(&site, "lock", O_RDONLY, plan->lock_timeout_ms,
			       &site.lock_fd);
	if (!err) {
		*ret_site = site;
		return 0;
	}
	if (err == -EBUSY)
		ssdpm__fail(reterr, err, 0,
			    "another program sets policies: it has held the "
			    "lock for %u ms",
			    plan->lock_timeout_ms);
	else
		err = ssdpm__fail_state(&site, "lock", err, reterr);
	ssdpm__site_close(&site);
	return err;
}

void ssdpm__site_close_journal(struct site *site)
{
	if (site->journal_fd >= 0)
		close(site->journal_fd);
	site->journal_fd = -1;
}

void ssdpm__site_close(struct site *site)
{
	ssdpm__site_close_journal(site);
	/* A child that was forked meanwhile has the descriptor, too. */
	if (site->lock_fd >= 0) {
		flock(site->lock_fd, LOCK_UN);
		close(site->lock_fd);
	}
	if (site->directory_fd >= 0)
		close(site->directory_fd);
}
