/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD into ssdpmd. Its monotonic clock runs 20 times as fast, so
 * that no test waits for a minute. While the file SSDPMD_KILL exists, a run
 * stops in the middle of a commit, and cannot be watched; that removes the
 * file.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 20, SECOND = 1000000000 };

static pid_t service;

/* Objects and functions are different pointers in C. */
static void find(const char *name, void *function)
{
	*(void **)function = dlsym(RTLD_NEXT, name);
}

static int64_t ns_of(const struct timespec *time)
{
	return (int64_t)time->tv_sec * SECOND + time->tv_nsec;
}

static struct timespec time_of(int64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND),
				  .tv_nsec = (long)(ns % SECOND) };
}

static int real_time(clockid_t clock, struct timespec *now)
{
	static int (*next)(clockid_t, struct timespec *);

	if (!next)
		find("clock_gettime", &next);
	return next(clock, now);
}

/* When the service has begun: its runs are processes that go on from there. */
static int64_t begin_ns(void)
{
	static int64_t begin;
	struct timespec now;

	if (!begin && !real_time(CLOCK_MONOTONIC, &now))
		begin = ns_of(&now);
	return begin;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	const int64_t begin = begin_ns();
	int result = real_time(clock, now);

	if (!result && clock == CLOCK_MONOTONIC)
		*now = time_of(begin + TIMES * (ns_of(now) - begin));
	return result;
}

/* sd-event sets timers to points in time, and the service has no others. */
int timerfd_settime(int fd, int flags, const struct itimerspec *value,
		    struct itimerspec *old)
{
	static int (*next)(int, int, const struct itimerspec *,
			   struct itimerspec *);
	const int64_t begin = begin_ns(), at = ns_of(&value->it_value);
	struct itimerspec real = *value;

	if (!next)
		find("timerfd_settime", &next);
	if (flags & TFD_TIMER_ABSTIME && at > begin)
		real.it_value = time_of(begin + (at - begin) / TIMES);
	return next(fd, flags, &real, old);
}

__attribute__((constructor)) static void begin(void)
{
	service = getpid();
}

static bool is_to_be_killed(void)
{
	const char *path = getenv("SSDPMD_KILL");

	return path && !access(path, F_OK);
}

/* The journal is whole once its first step begins. */
int fdatasync(int fd)
{
	static int (*next)(int);

	if (!next)
		find("fdatasync", &next);
	if (getpid() != service && is_to_be_killed())
		raise(SIGSTOP);
	return next(fd);
}

/* Or it has ended, and can still be waited for. */
static bool has_stopped(pid_t pid)
{
	siginfo_t info = { 0 };

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT) &&
	       info.si_code == CLD_STOPPED;
}

int sd_event_add_child(sd_event *event, sd_event_source **source, pid_t pid,
		       int options, sd_event_child_handler_t handler,
		       void *userdata)
{
	static int (*next)(sd_event *, sd_event_source **, pid_t, int,
			   sd_event_child_handler_t, void *);

	if (!next)
		find("sd_event_add_child", &next);
	if (!is_to_be_killed() || !has_stopped(pid))
		return next(event, source, pid, options, handler, userdata);
	unlink(getenv("SSDPMD_KILL"));
	return -ENOMEM;
}
