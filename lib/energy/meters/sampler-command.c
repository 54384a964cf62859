/* SPDX-License-Identifier: MIT */
/*
 * Runs the user's command, which prints a power. The child lives for one
 * reading. This code waits for no other child, and changes no signal handler.
 */
#include "meters/sampler.h"

#include "power/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_S 30
#define LIMIT_MS (LIMIT_S * INT64_C(1000))
#define LONGEST_NAP_MS 50

extern char **environ;

static int64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Where a number begins that is not part of a word such as "power1". */
static const char *find_number(const char *text)
{
	for (const char *at = text; *at; at++) {
		const char before = at > text ? at[-1] : ' ';
		const char *digit = at + (*at == '+' || *at == '-');

		digit += *digit == '.';
		if (is_digit(*digit) && !is_letter(before) &&
		    !is_digit(before) && before != '_' && before != '.')
			return at;
	}
	return NULL;
}

/* The unit after a number. false: not a unit of power. */
static bool take_unit(const char *at, int32_t *ret_exponent)
{
	static const struct {
		char word[8];
		int32_t exponent;
	} units[] = {
		{ "W", 0 },    { "mW", -3 },   { "uW", -6 },
		{ "kW", 3 },   { "Watt", 0 },  { "Watts", 0 },
		{ "watt", 0 }, { "watts", 0 }, { "", 0 },
	};
	size_t n = 0;

	while (*at == ' ' || *at == '\t')
		at++;
	while (is_letter(at[n]) || at[n] == '%' || (at[n] & 0x80))
		n++;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (n == strlen(units[i].word) &&
		    !strncmp(at, units[i].word, n)) {
			*ret_exponent = units[i].exponent;
			return at[n] != '/' && at[n] != ':';
		}
	return false;
}

/* The length of a number such as "5", "-0.25" or "5.2e-3". */
static size_t number_length(const char *text)
{
	size_t n = text[0] == '+' || text[0] == '-';
	size_t exponent;

	n += strspn(text + n, "0123456789");
	if (text[n] == '.')
		n += 1 + strspn(text + n + 1, "0123456789");
	if (text[n] != 'e' && text[n] != 'E')
		return n;
	exponent = n + 1 + (text[n + 1] == '+' || text[n + 1] == '-');
	return is_digit(text[exponent]) ?
		       exponent + strspn(text + exponent, "0123456789") :
		       n;
}

bool ssdpm__power_read(const char *text, double *ret_power_w,
		       const char **ret_why)
{
	const char *at = find_number(text);
	struct decimal decimal;
	int32_t exponent;
	double power_w;
	size_t n;

	*ret_why = "no number";
	if (!at)
		return false;
	n = number_length(at);
	*ret_why = "a comma in its number: set LC_ALL=C for it";
	if (at[n] == ',' && is_digit(at[n + 1]) && !memchr(at, '.', n))
		return false;
	*ret_why = "a number with a unit that is not W, mW, uW or kW";
	if (!take_unit(at + n, &exponent))
		return false;
	*ret_why = "no number";
	if (!ssdpm__decimal_read(ssdpm__span(at, n), false, &decimal))
		return false;
	power_w = ssdpm__decimal_double(&decimal, exponent);
	*ret_why = "a power below 0, or above 100 kW";
	if (!(power_w >= 0) || power_w > SSDPM__MAX_POWER_W)
		return false;
	*ret_power_w = power_w;
	return true;
}

/* The child has default signals and its own group, which can be killed. */
static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, all;
	int err;

	sigemptyset(&none);
	sigfillset(&all);
	err = posix_spawnattr_setflags(
		attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
				    POSIX_SPAWN_SETPGROUP);
	if (!err)
		err = posix_spawnattr_setsigmask(attributes, &none);
	if (!err)
		err = posix_spawnattr_setsigdefault(attributes, &all);
	if (!err)
		err = posix_spawnattr_setpgroup(attributes, 0);
	return err;
}

static int set_files(posix_spawn_file_actions_t *files, int output)
{
	int err = posix_spawn_file_actions_adddup2(files, output, 1);

	if (!err)
		err = posix_spawn_file_actions_addopen(files, 0, "/dev/null",
						       O_RDONLY, 0);
	return err;
}

/* Return: 0 or an errno. */
static int spawn(const char *line, int output, pid_t *ret_pid)
{
	char shell[] = "sh", option[] = "-c",
	     copy[sizeof(((struct ssdpm_meter *)NULL)->path)];
	char *const arguments[] = { shell, option, copy, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int err;

	snprintf(copy, sizeof(copy), "%s", line);
	err = posix_spawn_file_actions_init(&files);
	if (err)
		return err;
	err = posix_spawnattr_init(&attributes);
	if (!err) {
		err = set_files(&files, output);
		if (!err)
			err = set_attributes(&attributes);
		if (!err)
			err = posix_spawn(ret_pid, "/bin/sh", &files,
					  &attributes, arguments, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&files);
	return err;
}

/* Reads the output up to the room in text. 0, -ETIMEDOUT, -errno. */
static int read_output(int fd, int64_t deadline_ms, char *text, size_t size)
{
	struct pollfd wanted = { .fd = fd, .events = POLLIN };
	char rest[512];
	size_t n = 0;

	for (;;) {
		const int64_t left_ms = deadline_ms - now_ms();
		const bool room = n < size - 1;
		ssize_t got;
		int ready = 0;

		if (left_ms > 0)
			ready = poll(&wanted, 1, (int)left_ms);
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return ready ? -errno : -ETIMEDOUT;
		got = read(fd, room ? text + n : rest,
			   room ? size - 1 - n : sizeof(rest));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (room)
			text[n += (size_t)got] = 0;
		if (!got)
			return 0;
	}
}

/*
 * Waits for its end after its output has ended. 0; -ETIMEDOUT: it still runs.
 */
static int wait_for(pid_t pid, int64_t deadline_ms, int *ret_status)
{
	int64_t nap_ms = 1;

	for (;;) {
		const pid_t r = waitpid(pid, ret_status, WNOHANG);

		if (r == pid)
			return 0;
		/* SIGCHLD is ignored, or other code has waited for it. */
		if (r < 0 && errno != EINTR) {
			*ret_status = 0;
			return 0;
		}
		if (now_ms() >= deadline_ms)
			return -ETIMEDOUT;
		nanosleep(
			&(struct timespec){ .tv_nsec = (long)nap_ms * 1000000 },
			NULL);
		nap_ms = nap_ms < LONGEST_NAP_MS ? 2 * nap_ms : nap_ms;
	}
}

static void kill_group(pid_t pid)
{
	int status;

	/* No group yet: the child has not started, and has no children. */
	if (kill(-pid, SIGKILL))
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

static int run_child(const char *line, int pipe_fds[2], char *text, size_t size,
		     int *ret_status)
{
	const int64_t deadline_ms = now_ms() + LIMIT_MS;
	pid_t pid;
	int err;

	err = -spawn(line, pipe_fds[1], &pid);
	close(pipe_fds[1]);
	if (!err) {
		err = read_output(pipe_fds[0], deadline_ms, text, size);
		if (!err)
			err = wait_for(pid, deadline_ms, ret_status);
		if (err)
			kill_group(pid);
	}
	close(pipe_fds[0]);
	return err;
}

static int check_status(const char *line, int status,
			struct ssdpm_error *reterr)
{
	if (WIFSIGNALED(status))
		return ssdpm__fail(reterr, -ENODEV, 0,
				   "command:%.100s: it was killed by signal %d",
				   line, WTERMSIG(status));
	if (WEXITSTATUS(status))
		return ssdpm__fail(reterr, -ENODEV, 0,
				   "command:%.100s: it failed with status %d",
				   line, WEXITSTATUS(status));
	return 0;
}

int ssdpm__command_look(const char *line, struct meter_value *ret_value,
			struct ssdpm_error *reterr)
{
	struct meter_value value = { 0 };
	int fds[2], status = 0, err;
	char text[1024] = "";
	const char *why;

	if (pipe2(fds, O_CLOEXEC))
		return ssdpm__fail(reterr, -errno, 0, "command:%.100s: %s",
				   line, ssdpm_strerror(-errno));
	err = run_child(line, fds, text, sizeof(text), &status);
	if (err == -ETIMEDOUT)
		return ssdpm__fail(reterr, err, 0,
				   "command:%.100s: it did not end within %d "
				   "s, and was killed",
				   line, LIMIT_S);
	if (err)
		return ssdpm__fail(reterr, err, 0, "command:%.100s: %s", line,
				   ssdpm_strerror(err));
	err = check_status(line, status, reterr);
	if (err)
		return err;
	if (!ssdpm__power_read(text, &value.power_w, &why))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "command:%.64s prints \"%.*s\": %s", line,
				   (int)strcspn(text, "\n") < 64 ?
					   (int)strcspn(text, "\n") :
					   64,
				   text, why);
	*ret_value = value;
	return 0;
}
