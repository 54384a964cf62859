/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD into the command: a tracefs that is made of files. An instance
 * that it makes gets copies of what SSDPM_INSTANCE has, and SSDPM_REFUSES is
 * the number of an error in its place. Links stay links: trace_pipe leads to a
 * pipe of the test.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRACEFS "/sys/kernel/tracing/"
#define INSTANCE "instances/ssdpm-"

static int shell(const char *format, const char *path)
{
	char line[512];

	snprintf(line, sizeof(line), format, path);
	/* The programs that it runs are not the command. */
	unsetenv("LD_PRELOAD");
	return system(line);
}

int mkdirat(int fd, const char *path, mode_t mode)
{
	static int (*next)(int, const char *, mode_t);
	const char *refuses = getenv("SSDPM_REFUSES");

	*(void **)&next = dlsym(RTLD_NEXT, "mkdirat");
	if (strncmp(path, INSTANCE, strlen(INSTANCE)) != 0)
		return next(fd, path, mode);
	if (refuses) {
		errno = atoi(refuses);
		return -1;
	}
	if (next(fd, path, mode))
		return -1;
	return shell("cp -R \"$SSDPM_INSTANCE\"/. " TRACEFS "%s", path);
}

int unlinkat(int fd, const char *path, int flags)
{
	static int (*next)(int, const char *, int);

	*(void **)&next = dlsym(RTLD_NEXT, "unlinkat");
	if (strncmp(path, INSTANCE, strlen(INSTANCE)) != 0)
		return next(fd, path, flags);
	return shell("rm -r " TRACEFS "%s", path);
}
