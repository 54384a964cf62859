/* SPDX-License-Identifier: MIT */
#include "survey/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* A handler can have nothing else. */
static volatile sig_atomic_t caught;
static int wake_fds[2] = { -1, -1 };
static int timer_fd = -1;

static void handle(int number)
{
	const int error = errno;

	if (!caught)
		caught = number;
	/* Full is as good as written. */
	if (write(wake_fds[1], "", 1) < 0)
		errno = error;
}

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static struct sigaction before[N_NUMBERS];
/* Callers nest: the first one catches them, and the last one releases them. */
static int n_catchers;

enum exit_status catch_signals(void)
{
	struct sigaction action = {
		.sa_handler = handle,
		.sa_flags = SA_RESTART,
	};
	const struct sigaction ignored = { .sa_handler = SIG_IGN };

	if (n_catchers++)
		return STATUS_DONE;
	timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
	if (timer_fd < 0 || pipe2(wake_fds, O_CLOEXEC | O_NONBLOCK)) {
		n_catchers--;
		return failure("no timer: %s", strerror(errno));
	}
	for (size_t i = 0; i < N_NUMBERS; i++)
		if (!sigaction(numbers[i], NULL, &before[i]) &&
		    before[i].sa_handler != SIG_IGN)
			sigaction(numbers[i],
				  numbers[i] == SIGPIPE ? &ignored : &action,
				  NULL);
	return STATUS_DONE;
}

void release_signals(void)
{
	if (--n_catchers)
		return;
	for (size_t i = 0; i < N_NUMBERS; i++)
		sigaction(numbers[i], &before[i], NULL);
	for (size_t i = 0; i < 2; i++) {
		close(wake_fds[i]);
		wake_fds[i] = -1;
	}
	close(timer_fd);
	timer_fd = -1;
}

int caught_signal(void)
{
	return (int)caught;
}

void die_of_signal(void)
{
	const int number = caught_signal();

	if (!number)
		return;
	fflush(NULL);
	signal(number, SIG_DFL);
	raise(number);
}

static int64_t read_clock(clockid_t clock)
{
	struct timespec now = { 0, 0 };

	clock_gettime(clock, &now);
	return now.tv_sec * SECOND_NS + now.tv_nsec;
}

int64_t survey_now_ns(void)
{
	return read_clock(CLOCK_BOOTTIME);
}

int64_t suspended_ns(void)
{
	const int64_t awake = read_clock(CLOCK_MONOTONIC);

	return read_clock(CLOCK_BOOTTIME) - awake;
}

bool wait_for_input(int fd)
{
	struct pollfd fds[2] = {
		{ .fd = wake_fds[0], .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
	};

	while (!caught) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return false;
		if (!caught && fds[1].revents)
			return true;
	}
	return false;
}

void wait_until(int64_t boottime_ns)
{
	struct itimerspec at = {
		.it_value = { .tv_sec = (time_t)(boottime_ns / SECOND_NS),
			      .tv_nsec = (long)(boottime_ns % SECOND_NS) },
	};
	uint64_t n;

	if (boottime_ns <= survey_now_ns() ||
	    timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &at, NULL))
		return;
	if (wait_for_input(timer_fd) && read(timer_fd, &n, sizeof(n)) < 0)
		return;
}
