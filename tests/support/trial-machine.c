/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD into the command: a machine with a meter, on which no trial
 * waits. A timer expires as soon as it is set. The machine draws 6 W and some
 * noise, and less while a file has the better setting. Variables:
 *
 * - SSDPM_METER: the file that gets the power in microwatts.
 * - SSDPM_SETTING: the file of a setting, and after a blank the better one.
 * - SSDPM_SAVING_UW: the saving of that one.
 * - SSDPM_NOISE_UW: the amplitude of uniform noise.
 * - SSDPM_EVENT: a number of timers, a blank, and a line for the shell to run
 *   after them.
 * - SSDPM_SUSPENDED: once this file exists, the machine has slept for an hour.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

static int64_t skipped_ns;
static uint64_t n_timers;

/* Objects and functions are different pointers in C. */
static void find(const char *name, void *function)
{
	*(void **)function = dlsym(RTLD_NEXT, name);
}

static int64_t ns_of(const struct timespec *time)
{
	return (int64_t)time->tv_sec * SECOND + time->tv_nsec;
}

static int64_t suspended_ns(void)
{
	const char *path = getenv("SSDPM_SUSPENDED");

	return path && !access(path, F_OK) ? 3600 * SECOND : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	static int (*next)(clockid_t, struct timespec *);
	int64_t ns;
	int result;

	if (!next)
		find("clock_gettime", &next);
	result = next(clock, now);
	if (result || (clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME))
		return result;
	ns = ns_of(now) + skipped_ns;
	if (clock == CLOCK_BOOTTIME)
		ns += suspended_ns();
	*now = (struct timespec){ .tv_sec = (time_t)(ns / SECOND),
				  .tv_nsec = (long)(ns % SECOND) };
	return 0;
}

static long number(const char *name)
{
	const char *text = getenv(name);

	return text ? atol(text) : 0;
}

/* From -1 to 1. */
static double draw(void)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + 1;
	return (double)(state >> 32) / 2147483648.0 - 1;
}

static bool is_better(void)
{
	const char *setting = getenv("SSDPM_SETTING");
	const char *better = setting ? strchr(setting, ' ') : NULL;
	char path[512], text[64] = "";
	FILE *file;

	if (!better || better - setting >= (long)sizeof(path))
		return false;
	snprintf(path, sizeof(path), "%.*s", (int)(better - setting), setting);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = 0;
	fclose(file);
	text[strcspn(text, "\n")] = 0;
	return !strcmp(text, better + 1);
}

static void write_meter(void)
{
	const char *path = getenv("SSDPM_METER");
	FILE *file = path && !access(path, F_OK) ? fopen(path, "we") : NULL;
	double uw = 6e6 + draw() * (double)number("SSDPM_NOISE_UW");

	if (!file)
		return;
	if (is_better())
		uw -= (double)number("SSDPM_SAVING_UW");
	fprintf(file, "%.0f\n", uw);
	fclose(file);
}

/* system(3) would ignore what ends the command. */
static void happen(void)
{
	char *event = getenv("SSDPM_EVENT"), *line;
	FILE *shell;

	if (!event || strtoull(event, &line, 10) != n_timers)
		return;
	shell = popen(line, "re");
	if (shell)
		pclose(shell);
}

int timerfd_settime(int fd, int flags, const struct itimerspec *value,
		    struct itimerspec *old)
{
	static int (*next)(int, int, const struct itimerspec *,
			   struct itimerspec *);
	const struct itimerspec at_once = { .it_value = { .tv_nsec = 1 } };
	struct timespec now;

	if (!next)
		find("timerfd_settime", &next);
	if (!(flags & TFD_TIMER_ABSTIME) || clock_gettime(CLOCK_BOOTTIME, &now))
		return next(fd, flags, value, old);
	if (ns_of(&value->it_value) > ns_of(&now))
		skipped_ns += ns_of(&value->it_value) - ns_of(&now);
	n_timers++;
	if (!number("SSDPM_UPDATE") ||
	    !(n_timers % (uint64_t)number("SSDPM_UPDATE")))
		write_meter();
	happen();
	return next(fd, 0, &at_once, old);
}
