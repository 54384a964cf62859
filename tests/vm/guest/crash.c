/* SPDX-License-Identifier: MIT */
/*
 * crash N SEED FILES COMMAND-A COMMAND-B
 *
 * Kill the command that goes from one state to the other at N random moments,
 * recover as the next commit would, and see whether all is old or all is new.
 * FILES names what makes the state: a path in each line, and after a blank a
 * mask for those that hold a hexadecimal number.
 */
#include <signal.h>
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

static struct state read_state(void)
{
	struct state state = { "" };
	size_t used = 0;
	char value[256];

	for (int i = 0; i < n_names; i++) {
		read_value(names[i], value, sizeof(value));
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

/* How long it takes when nobody kills it. */
static int64_t whole_run_us(const char *command)
{
	int64_t begin = now_us();
	int status;

	waitpid(start(command), &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "%s: status %x\n", command, (unsigned)status);
		if (system("cat /tmp/crash.log >&2"))
			exit(1);
		exit(1);
	}
	return now_us() - begin;
}

/* From the start to a little after the end; or from the middle, where it
 * writes. */
static int64_t moment_us(int64_t run_us, int late)
{
	double from = late ? 0.5 : 0, part = (double)random() / RAND_MAX;

	return (int64_t)((double)run_us * (from + (1.1 - from) * part));
}

static size_t recover(void)
{
	struct ssdpm_machine *machine;
	struct ssdpm_error error = { 0 };
	size_t n = 0;

	if (ssdpm_machine_new(NULL, &machine, &error) < 0 ||
	    ssdpm_recover(machine, NULL, &n, &error) < 0) {
		fprintf(stderr, "recover: %s\n", error.message);
		exit(1);
	}
	ssdpm_machine_unref(machine);
	return n;
}

int main(int argc, char **argv)
{
	int n, n_old = 0, n_new = 0, n_half = 0, n_whole = 0, n_midway = 0;
	int n_recovered = 0;
	struct state end[2], was, now;
	int64_t run_us[2];
	size_t n_undone;
	int at;

	if (argc != 6)
		return 2;
	n = atoi(argv[1]);
	srandom((unsigned int)atoi(argv[2]));
	read_names(argv[3]);
	whole_run_us(argv[5]);
	for (int i = 0; i < 2; i++) {
		run_us[i] = whole_run_us(argv[4 + i]);
		end[i] = read_state();
		printf("state %d after %lld us:\n%s", i, (long long)run_us[i],
		       end[i].text);
	}
	at = 1;
	for (int i = 0; i < n; i++) {
		int64_t delay = moment_us(run_us[!at], i % 2);
		pid_t child = start(argv[4 + !at]);
		int status;

		usleep((useconds_t)delay);
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		was = read_state();
		n_whole += WIFEXITED(status);
		n_midway += !same(&was, &end[0]) && !same(&was, &end[1]);
		n_undone = recover();
		n_recovered += n_undone > 0;
		now = read_state();
		if (same(&now, &end[at])) {
			n_old++;
		} else if (same(&now, &end[!at])) {
			n_new++;
			at = !at;
		} else {
			n_half++;
			printf("half, killed after %lld us:\n%s",
			       (long long)delay, now.text);
			whole_run_us(argv[4 + at]);
		}
	}
	printf("old %d new %d half %d, whole %d midway %d recovered %d\n",
	       n_old, n_new, n_half, n_whole, n_midway, n_recovered);
	return 0;
}
