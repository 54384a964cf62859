/* SPDX-License-Identifier: MIT */
/* Whole files below the root, which a kill leaves as they were or are to be. */
#include "apply/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file, by its directory. */
struct file_place {
	int fd;
	char name[64];
};

/* Open the directory of a path; make what is missing of it. */
static int open_place(struct ssdpm_machine *machine, const char *path,
		      bool make, struct file_place *ret_place)
{
	const char *name = path + 1, *slash;
	int fd = ssdpm__open(machine, ".", O_RDONLY | O_DIRECTORY, 0);
	char directory[128], next[64];
	int up;

	while (fd >= 0 && (slash = strchr(name, '/'))) {
		snprintf(directory, sizeof(directory), "%.*s",
			 (int)(slash - path - 1), path + 1);
		snprintf(next, sizeof(next), "%.*s", (int)(slash - name), name);
		up = fd;
		fd = ssdpm__open(machine, directory, O_RDONLY | O_DIRECTORY, 0);
		if (fd == -ENOENT && make) {
			fd = mkdirat(up, next, 0755) && errno != EEXIST ?
				     -errno :
				     ssdpm__open(machine, directory,
						 O_RDONLY | O_DIRECTORY, 0);
		}
		close(up);
		name = slash + 1;
	}
	if (fd < 0)
		return fd;
	ret_place->fd = fd;
	snprintf(ret_place->name, sizeof(ret_place->name), "%s", name);
	return 0;
}

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);
	ssize_t n;

	while (left) {
		n = write(fd, text, left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		left -= (size_t)n;
	}
	return 0;
}

static int fill_new(int fd, const char *contents, mode_t mode)
{
	int err = write_all(fd, contents);

	/* Whatever the umask is. */
	if (!err && (fchmod(fd, mode) || fsync(fd)))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* The file is the old one or the new one, whatever happens meanwhile. */
static int replace(const struct file_place *place, const char *contents,
		   mode_t mode)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	char name[80];
	int fd, err;

	snprintf(name, sizeof(name), ".%s.new", place->name);
	fd = openat(place->fd, name, flags, 0600);
	if (fd < 0)
		return -errno;
	err = fill_new(fd, contents, mode);
	if (!err && renameat(place->fd, name, place->fd, place->name))
		err = -errno;
	if (err) {
		unlinkat(place->fd, name, 0);
		return err;
	}
	return fsync(place->fd) ? -errno : 0;
}

int ssdpm__replace_file(struct ssdpm_machine *machine, const char *path,
			const char *contents, mode_t mode)
{
	struct file_place place;
	int err = open_place(machine, path, true, &place);

	if (err)
		return err;
	err = replace(&place, contents, mode);
	close(place.fd);
	return err;
}

int ssdpm__remove_file(struct ssdpm_machine *machine, const char *path,
		       int flags)
{
	struct file_place place;
	int err = open_place(machine, path, false, &place);

	if (err)
		return err;
	if (unlinkat(place.fd, place.name, flags))
		err = -errno;
	else if (fsync(place.fd))
		err = -errno;
	close(place.fd);
	return err;
}
