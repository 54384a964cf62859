/* SPDX-License-Identifier: MIT */
/*
 * crash N SEED FILES COMMAND-A COMMAND-B
 *
 * Kills the command that changes from one state to the other at N random
 * moments, and recovers as the next commit would. All values must then be old,
 * or all new. FILES lists the values of the state. A line has a path, and after
 * a blank a mask if the file has a hexadecimal number. Or it has the name of an
 * NVMe controller, for its power state. At the end, all is reverted, and must
 * equal the beginning.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ssdpm/device.h>
#include <ssdpm/apply.h>

struct state {
	char text[4096];
};

static char names[32][256];
static uint64_t masks[32];
static int n_names;

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void read_names(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[300];

	if (!f)
		die(path);
	while (fgets(line, sizeof(line), f)) {
		char *mask;

		line[strcspn(line, "\n")] = 0;
		mask = strchr(line, ' ');
		if (mask) {
			*mask = 0;
			masks[n_names] = strtoull(mask + 1, NULL, 16);
		}
		strcpy(names[n_names++], line);
	}
	fclose(f);
}

static void read_value(const char *name, char *value, size_t size)
{
	FILE *f = fopen(name, "re");

	if (!f || !fgets(value, (int)size, f))
		die(name);
	fclose(f);
	value[strcspn(value, "\n")] = 0;
}

static void wake(const char *name)
{
	_Alignas(4096) char block[4096];
	char node[300];
	int fd;

	snprintf(node, sizeof(node), "/dev/%sn1", name);
	fd = open(node, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0 || pread(fd, block, sizeof(block), 0) < 0)
		die(node);
	close(fd);
}

/* A sleeping controller reports the state in which it sleeps. */
static void read_power(const char *name, char *value, size_t size)
{
	struct ssdpm_device_power power = { .size = sizeof(power) };
	struct ssdpm_error error = { 0 };
	struct ssdpm_machine *machine;
	struct ssdpm_device *device;

	if (ssdpm_machine_new(NULL, &machine, &error) < 0 ||
	    ssdpm_device_read(machine, name, &device, &error) < 0) {
		fprintf(stderr, "%s: %s\n", name, error.message);
		exit(1);
	}
	do {
		wake(name);
		if (ssdpm_device_read_power(device, &power, &error) < 0) {
			fprintf(stderr, "%s: %s\n", name, error.message);
			exit(1);
		}
	} while (power.flags & SSDPM_POWER_FLAG_ASLEEP);
	snprintf(value, size, "PS%u hint %u", power.power_state,
		 power.workload_hint);
	ssdpm_device_unref(device);
	ssdpm_machine_unref(machine);
}

static struct state read_state(void)
{
	struct state state = { "" };
	size_t used = 0;
	char value[256];

	for (int i = 0; i < n_names; i++) {
		if (names[i][0] == '/')
			read_value(names[i], value, sizeof(value));
		else
			read_power(names[i], value, sizeof(value));
		if (masks[i])
			sprintf(value, "%llx",
				(unsigned long long)(strtoull(value, NULL, 16) &
						     masks[i]));
		used += (size_t)snprintf(state.text + used,
					 sizeof(state.text) - used, "%s=%s\n",
					 names[i], value);
	}
	return state;
}

static int same(const struct state *a, const struct state *b)
{
	return strcmp(a->text, b->text) == 0;
}

static pid_t start(const char *command)
{
	char line[512];
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (child == 0) {
		snprintf(line, sizeof(line), "exec %s >/tmp/crash.log 2>&1",
			 command);
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
		_exit(127);
	}
	return child;
}

/* Waits until it begins to write. Return: false: it has ended. */
static bool wait_for_journal(pid_t child, int *status)
{
	while (access("/run/ssdpm/journal", F_OK) != 0) {
		if (waitpid(child, status, WNOHANG) == child)
			return false;
		usleep(200);
	}
	return true;
}

struct duration {
	int64_t whole_us, writing_us;
};

/*
 * Checks the status of ssdpm check: 5 with a journal, else 0. A status of 1
 * means that a drive has fallen asleep and its state is unknown.
 */
static int lies(void)
{
	const int wanted = access("/run/ssdpm/journal", F_OK) ? 0 : 5;
	int status = 0;

	for (int left = 50; left; left--) {
		for (int i = 0; i < n_names; i++)
			if (names[i][0] != '/')
				wake(names[i]);
		waitpid(start("ssdpm check -q"), &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status) == wanted)
			return 0;
		if (wanted || !WIFEXITED(status) || WEXITSTATUS(status) != 1)
			break;
	}
	printf("check: status %x instead of %d:\n", (unsigned)status, wanted);
	fflush(stdout);
	system("cat /tmp/crash.log");
	return 1;
}

/* How long the command takes if it is not killed. */
static struct duration measure(const char *command)
{
	int64_t begin = now_us(), writing;
	struct duration duration;
	pid_t child = start(command);
	int status;
	bool runs = wait_for_journal(child, &status);

	writing = now_us();
	if (runs)
		waitpid(child, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "%s: status %x\n", command, (unsigned)status);
		system("cat /tmp/crash.log >&2");
		exit(1);
	}
	duration.whole_us = now_us() - begin;
	duration.writing_us = now_us() - writing;
	return duration;
}

/*
 * At any moment from its start to a little after its end; or, every other time,
 * while it writes.
 */
static int run_and_kill(const char *command, struct duration *duration,
			bool writing)
{
	int64_t *longest =
		writing ? &duration->writing_us : &duration->whole_us;
	double part = 1.1 * (double)random() / RAND_MAX;
	pid_t child = start(command);
	int status;

	if (writing && !wait_for_journal(child, &status))
		return status;
	usleep((useconds_t)(part * (double)*longest));
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	/* Its duration depends on the machine's other work. */
	*longest += WIFEXITED(status) ? -*longest / 8 : *longest / 64;
	return status;
}

static size_t recover(void)
{
	const struct ssdpm_plan_params params = {
		.size = sizeof(params),
		.flags = SSDPM_PLAN_STRICT,
	};
	struct ssdpm_journal journal = { .size = sizeof(journal) };
	struct ssdpm_machine *machine;
	struct ssdpm_plan *plan;
	struct ssdpm_error error = { 0 };

	if (ssdpm_machine_new(NULL, &machine, &error) < 0 ||
	    ssdpm_plan_new(machine, &params, &plan, &error) < 0 ||
	    ssdpm_plan_lock(plan, &error) < 0) {
		fprintf(stderr, "recover: %s\n", error.message);
		exit(1);
	}
	ssdpm_plan_get_journal(plan, &journal);
	ssdpm_plan_free(plan);
	ssdpm_machine_unref(machine);
	return journal.n_undone;
}

int main(int argc, char **argv)
{
	int n, n_old = 0, n_new = 0, n_half = 0, n_whole = 0, n_midway = 0;
	int n_recovered = 0, n_lies = 0;
	struct state first, end[2], was, now;
	struct duration durations[2];
	size_t n_undone;
	int at;

	if (argc != 6)
		return 2;
	n = atoi(argv[1]);
	srandom((unsigned int)atoi(argv[2]));
	read_names(argv[3]);
	first = read_state();
	measure(argv[5]);
	for (int i = 0; i < 2; i++) {
		durations[i] = measure(argv[4 + i]);
		end[i] = read_state();
		printf("state %d after %lld us, %lld of them writing:\n%s", i,
		       (long long)durations[i].whole_us,
		       (long long)durations[i].writing_us, end[i].text);
	}
	at = 1;
	for (int i = 0; i < n; i++) {
		int status =
			run_and_kill(argv[4 + !at], &durations[!at], i % 2);

		was = read_state();
		n_whole += WIFEXITED(status);
		n_midway += !same(&was, &end[0]) && !same(&was, &end[1]);
		n_lies += lies();
		n_undone = recover();
		n_lies += lies();
		n_recovered += n_undone > 0;
		now = read_state();
		if (same(&now, &end[at])) {
			n_old++;
		} else if (same(&now, &end[!at])) {
			n_new++;
			at = !at;
		} else {
			n_half++;
			printf("half:\n%s", now.text);
			measure(argv[4 + at]);
		}
	}
	printf("old %d new %d half %d, whole %d midway %d recovered %d lies %d\n",
	       n_old, n_new, n_half, n_whole, n_midway, n_recovered, n_lies);
	measure("ssdpm revert -q");
	now = read_state();
	printf("reverted %d\n", same(&now, &first));
	if (!same(&now, &first))
		printf("first:\n%snow:\n%s", first.text, now.text);
	return 0;
}
