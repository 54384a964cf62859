/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD into the command: a tracefs that is made of files. An instance
 * that it makes gets copies of what SSDPM_INSTANCE has, and SSDPM_REFUSES is
 * the number of an error in its place. Links stay links: trace_pipe leads to a
 * pipe of the test. With SSDPM_STEPS the time of day is set at each look at it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
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

/* Back by an hour, ahead by two, back by three and so on. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	static int (*next)(clockid_t, struct timespec *);
	static long n_looks;
	int err;

	*(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
	err = next(clock, time);
	if (!err && clock == CLOCK_REALTIME && getenv("SSDPM_STEPS")) {
		n_looks++;
		time->tv_sec += 3600 * (n_looks & 1 ? -n_looks : n_looks);
	}
	return err;
}

time_t time(time_t *ret_time)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (ret_time)
		*ret_time = now.tv_sec;
	return now.tv_sec;
}
