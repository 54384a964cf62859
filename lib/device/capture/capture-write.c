/* SPDX-License-Identifier: MIT */
/*
 * The files of a capture. No link is ever followed here: each directory is
 * opened from the one above it.
 */
#include "device/capture/capture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	FOLDER_MODE = 0755,
	FILE_MODE = 0644,
	FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
};

/* Open a directory in fd, which is made if it is not there, and close fd. */
static int enter(int fd, const char *name)
{
	int inner, err = 0;

	if (mkdirat(fd, name, FOLDER_MODE) < 0 && errno != EEXIST)
		err = -errno;
	inner = err ? err : openat(fd, name, FOLDER);
	if (!err && inner < 0)
		inner = -errno;
	close(fd);
	return inner;
}

/* The directory of a path, open, and the last component. */
static int open_parent(int root_fd, const char *path, const char **ret_name)
{
	int fd = openat(root_fd, ".", FOLDER);
	const char *slash;

	if (fd < 0)
		return -errno;
	while (fd >= 0 && (slash = strchr(path, '/'))) {
		char name[NAME_MAX + 1];
		size_t n = (size_t)(slash - path);

		if (n >= sizeof(name)) {
			close(fd);
			return -ENAMETOOLONG;
		}
		memcpy(name, path, n);
		name[n] = 0;
		fd = enter(fd, name);
		path = slash + 1;
	}
	*ret_name = path;
	return fd;
}

int ssdpm__capture_make_folder(int root_fd, const char *path)
{
	const char *name;
	int fd = open_parent(root_fd, path, &name);

	if (fd >= 0)
		fd = enter(fd, name);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t written = write(fd, bytes, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		bytes += written;
		n -= (size_t)written;
	}
	return 0;
}

int ssdpm__capture_write(int root_fd, const char *path, const void *bytes,
			 size_t n)
{
	const char *name;
	int parent = open_parent(root_fd, path, &name);
	int fd, err;

	if (parent < 0)
		return parent;
	/* It may have been written before, and be longer now. */
	unlinkat(parent, name, 0);
	fd = openat(parent, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    FILE_MODE);
	err = fd < 0 ? -errno : write_all(fd, bytes, n);
	if (fd >= 0 && close(fd) < 0 && !err)
		err = -errno;
	close(parent);
	return err;
}

int ssdpm__capture_make_link(int root_fd, const char *path, const char *target)
{
	char text[2 * SSDPM__PATH_BYTES];
	const char *name;
	size_t n = 0;
	int parent, err = 0;

	/* As in sysfs: up to the root of the capture, and down again. */
	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/'))
		n += 3;
	if (n + strlen(target) >= sizeof(text))
		return -ENAMETOOLONG;
	for (size_t i = 0; i < n; i += 3)
		memcpy(text + i, "../", 3);
	strcpy(text + n, target);
	parent = open_parent(root_fd, path, &name);
	if (parent < 0)
		return parent;
	if (symlinkat(text, parent, name) < 0 && errno != EEXIST)
		err = -errno;
	close(parent);
	return err;
}

static bool remove_below(int fd);

static bool remove_entry(int fd, const char *name)
{
	int inner;

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	if (unlinkat(fd, name, 0) == 0)
		return true;
	inner = openat(fd, name, FOLDER);
	if (inner < 0)
		return false;
	while (remove_below(inner))
		;
	close(inner);
	return unlinkat(fd, name, AT_REMOVEDIR) == 0;
}

/* Was anything removed? Not by readdir(3): there may be no memory left. */
static bool remove_below(int fd)
{
	_Alignas(struct dirent) char buffer[2048];
	bool removed = false;
	long n;

	lseek(fd, 0, SEEK_SET);
	/* Each libc declares getdents64() in another way, or not at all. */
	while ((n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < n;) {
			const struct dirent *entry = (void *)(buffer + at);

			removed |= remove_entry(fd, entry->d_name);
			at += entry->d_reclen;
		}
	}
	return removed;
}

void ssdpm__capture_remove(int root_fd)
{
	while (remove_below(root_fd))
		;
}
