/* SPDX-License-Identifier: MIT */
/* The directory of the lock, the journal, and what revert needs. */
#include "apply/internal.h"

#include <errno.h>
#include <fcntl.h>
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

int ssdpm__site_open_directory(const struct ssdpm_machine *machine,
			       const char *directory, bool make, int *ret_fd,
			       struct ssdpm_error *reterr)
{
	const char *advice = "";
	int fd;

	if (!directory) {
		fd = open_default(machine, make);
		directory = "/run/ssdpm";
	} else {
		fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			fd = errno == ENOENT && make ?
				     open_in(AT_FDCWD, directory, make) :
				     -errno;
	}
	if (fd == -EACCES || fd == -EPERM)
		advice = ": only root may";
	if (fd < 0)
		return ssdpm__fail(reterr, fd, 0, "%s: %s%s", directory,
				   ssdpm_strerror(fd), advice);
	*ret_fd = fd;
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
	uint64_t end = ssdpm__now_ms() + timeout_ms;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
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

int ssdpm__site_open(struct ssdpm_machine *machine, const char *directory,
		     uint32_t state_timeout_ms, uint32_t lock_timeout_ms,
		     struct site *ret_site, struct ssdpm_error *reterr)
{
	struct site site = {
		.machine = machine,
		.directory_fd = -1,
		.lock_fd = -1,
		.journal_fd = -1,
		.state_timeout_ms = state_timeout_ms,
	};
	int err;

	err = ssdpm__check_writable(machine, reterr);
	if (!err)
		err = ssdpm__site_open_directory(machine, directory, true,
						 &site.directory_fd, reterr);
	if (err)
		return err;
	site.lock_fd = openat(site.directory_fd, "lock",
			      O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	err = site.lock_fd < 0 ? -errno : lock(site.lock_fd, lock_timeout_ms);
	if (!err) {
		*ret_site = site;
		return 0;
	}
	ssdpm__site_close(&site);
	if (err == -EBUSY)
		return ssdpm__fail(reterr, err, 0,
				   "another program sets policies: it has held "
				   "the lock for %u ms",
				   lock_timeout_ms);
	return ssdpm__fail(reterr, err, 0, "the lock in %s: %s%s",
			   directory ? directory : "/run/ssdpm",
			   ssdpm_strerror(err),
			   err == -EACCES ? ": only root may" : "");
}

void ssdpm__site_close(struct site *site)
{
	if (site->journal_fd >= 0)
		close(site->journal_fd);
	if (site->lock_fd >= 0)
		close(site->lock_fd);
	if (site->directory_fd >= 0)
		close(site->directory_fd);
}
