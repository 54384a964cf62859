/* SPDX-License-Identifier: MIT */
#include "root.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../support/remove.h"
#include "check.h"

char root[] = "/dev/shm/ssdpm-fuzz-XXXXXX";
int root_fd = -1;

static void end(void)
{
	remove_tree(root);
}

void root_make(void)
{
	if (!mkdtemp(root)) { /* a disk is slower */
		strcpy(root, "/tmp/ssdpm-fuzz-XXXXXX");
		check(mkdtemp(root) != NULL, "there is room for a machine");
	}
	atexit(end);
	root_fd = open(root, O_RDONLY | O_DIRECTORY);
}

void root_put(const char *path, const void *bytes, size_t n)
{
	int fd = openat(root_fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	check(fd >= 0 && write(fd, bytes, n) == (ssize_t)n, "a file is made");
	close(fd);
}

void root_make_folders(const char *path)
{
	char folder[256];

	for (const char *at = path; (at = strchr(at, '/')); at++) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(at - path),
			 path);
		mkdirat(root_fd, folder, 0755);
	}
}
