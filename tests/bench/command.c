/* SPDX-License-Identifier: MIT */
/*
 * Measures the start of the command as it is installed: its peak memory, and
 * its wall time relative to "nvme version", which only starts. In the build,
 * the dynamic linker searches many folders, and 5 to 15 % more time passes. For
 * the rest, the command of the build will do. Also measures an estimate of
 * 100,000 I/Os from start to end. Finally lists the drives of a machine with
 * eight, and applies the settings already in force there. Without a command, it
 * also estimates what the best settings of such a machine save.
 *
 * usage: command SSDPM FILE MACHINES INSTALLED LIBRARY
 *
 * INSTALLED is the installed command, and LIBRARY its libssdpm, which is not
 * where the dynamic linker would find it: so it is preloaded. MACHINES is
 * tests/captures/machines.py, which makes the capture. Both FILE and a raw
 * Identify Controller structure are read, and the worse one counts. Likewise
 * for a trace in records and in text. This program stays small, because the
 * kernel counts its memory as a child's until the child's exec.
 */
#include "bench.h"

#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS 301
#define ESTIMATE_RUNS 31
#define WARM_UP 10

#define START_VS_NVME_MAX 0.4
#define PEAK_MAX_MIB 2.5
#define ESTIMATE_MAX_MS 100.0
#define ESTIMATE_PEAK_MAX_MIB 16.0
#define LIST_MAX_MS 20.0
#define APPLY_MAX_MS 20.0
#define STATUS_MAX_MS 20.0

extern char **environ;

enum { JSON, RAW, NVME, N_COMMANDS };
enum { RECORDS, TEXT, N_TRACES };
enum { LIST, APPLY, STATUS, N_LIVE };

struct command {
	const char *argv[12];
	char *const *env; /* NULL: that of this program, which meson sets */
	double ms[RUNS];
	long peak_kib;
};

static struct command commands[N_COMMANDS];
static struct command estimates[N_TRACES];
static struct command live[N_LIVE];
static char captures[] = "/tmp/ssdpm-bench-XXXXXX";
static char capture[64];   /* of eight drives */
static char untouched[64]; /* the same */
static char trace_paths[N_TRACES][32];
static char raw_path[] = "/tmp/ssdpm-bench-XXXXXX";
static posix_spawn_file_actions_t to_null;

/* Milliseconds from start to end, or -1. */
static double run(struct command *command)
{
	double start = wall_ns() / 1e6;
	struct rusage usage;
	int status;
	pid_t pid;

	if (posix_spawn(&pid, command->argv[0], &to_null, NULL,
			(char *const *)command->argv,
			command->env ? command->env : environ) ||
	    wait4(pid, &status, 0, &usage) != pid)
		return -1;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return -1;
	if (usage.ru_maxrss > command->peak_kib)
		command->peak_kib = usage.ru_maxrss;
	return wall_ns() / 1e6 - start;
}

static double median_ms(struct command *command, size_t runs)
{
	return median(command->ms, runs);
}

static long max_peak(const struct command *a, const struct command *b)
{
	return a->peak_kib > b->peak_kib ? a->peak_kib : b->peak_kib;
}

/* Runs them in turn, so that all see the same noise. */
static bool run_all(struct command *all, int n, int runs)
{
	for (int i = -WARM_UP; i < runs; i++) {
		for (int j = 0; j < n; j++) {
			double ms = run(&all[j]);

			if (ms < 0) {
				printf("%s %s: fails\n", all[j].argv[0],
				       all[j].argv[1]);
				return false;
			}
			if (i >= 0)
				all[j].ms[i] = ms;
		}
	}
	return true;
}

/* The same 100,000 I/Os in two forms, from the command itself. */
static bool make_traces(const char *ssdpm)
{
	static const char *const forms[] = { "npy", "csv" };

	for (int i = 0; i < N_TRACES; i++) {
		struct command make = {
			.argv = { ssdpm, "workload", "--to", forms[i], "-o",
				  trace_paths[i], "--n-ios", "100000",
				  "lomax" },
		};
		int fd;

		strcpy(trace_paths[i], "/tmp/ssdpm-bench-XXXXXX");
		fd = mkstemp(trace_paths[i]);
		if (fd < 0)
			return false;
		close(fd);
		if (run(&make) < 0) {
			printf("%s workload: fails\n", ssdpm);
			return false;
		}
		estimates[i] = (struct command){
			.argv = { ssdpm, "estimate", "-q", "-t", trace_paths[i],
				  "WDC PC SN530" },
		};
	}
	return true;
}

/* A drive with two states, of which the last is entered. */
static bool make_raw_file(void)
{
	uint8_t id[4096] = { 0 };
	int fd = mkstemp(raw_path);
	bool ok;

	memset(id + 24, ' ', 40);
	memcpy(id + 24, "Bench", 5);
	id[263] = 1;
	id[265] = 1;
	id[2048] = 200;
	id[2080 + 3] = 2;  /* non-operational */
	id[2080 + 5] = 10; /* 2.56 ms to enter and to leave */
	id[2080 + 9] = 10;
	if (fd < 0)
		return false;
	ok = write(fd, id, sizeof(id)) == (ssize_t)sizeof(id);
	close(fd);
	return ok;
}

/* The usual places, also for users without sbin in PATH. */
static bool find_nvme(char *path, size_t size)
{
	const char *search = getenv("PATH");
	char directories[4096];

	snprintf(directories, sizeof(directories), "%s:/usr/sbin:/sbin",
		 search ? search : "/usr/bin");
	for (char *at = strtok(directories, ":"); at; at = strtok(NULL, ":")) {
		snprintf(path, size, "%s/nvme", at);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

static bool report(void)
{
	double json = median_ms(&commands[JSON], RUNS);
	double raw = median_ms(&commands[RAW], RUNS);
	double nvme = median_ms(&commands[NVME], RUNS);
	long peak = max_peak(&commands[JSON], &commands[RAW]);
	bool ok;

	printf("medians: json %.3f ms, raw %.3f ms, nvme version %.3f ms\n",
	       json, raw, nvme);
	ok = keeps("cli_start_vs_nvme_version",
		   (json > raw ? json : raw) / nvme, START_VS_NVME_MAX);
	return keeps("cli_peak_mib", (double)peak / 1024, PEAK_MAX_MIB) && ok;
}

static bool report_estimates(void)
{
	double ms = median_ms(&estimates[RECORDS], ESTIMATE_RUNS);
	double text_ms = median_ms(&estimates[TEXT], ESTIMATE_RUNS);
	long peak = max_peak(&estimates[RECORDS], &estimates[TEXT]);
	bool ok;

	printf("medians: records %.3f ms, text %.3f ms\n", ms, text_ms);
	ok = keeps("estimate_process_ms", ms > text_ms ? ms : text_ms,
		   ESTIMATE_MAX_MS);
	return keeps("estimate_process_mib", (double)peak / 1024,
		     ESTIMATE_PEAK_MAX_MIB) &&
	       ok;
}

/* Runs a program of PATH; its wall time does not matter. */
static bool do_once(const char *const *argv)
{
	int status;
	pid_t pid;

	return !posix_spawnp(&pid, argv[0], &to_null, NULL, (char *const *)argv,
			     environ) &&
	       waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       !WEXITSTATUS(status);
}

/* Eight drives, with the profile in force after the first call. */
static bool make_capture(const char *ssdpm, const char *machines)
{
	if (!mkdtemp(captures))
		return false;
	snprintf(capture, sizeof(capture), "%s/eight-drives", captures);
	snprintf(untouched, sizeof(untouched), "%s/untouched", captures);
	live[STATUS] = (struct command){
		.argv = { ssdpm, "--root", untouched },
	};
	live[LIST] = (struct command){
		.argv = { ssdpm, "list", "--root", capture },
	};
	live[APPLY] = (struct command){
		.argv = { ssdpm, "apply", "-q", "--root", capture, "--profile",
			  "power-saver" },
	};
	return do_once((const char *[]){ "python3", machines, "eight-drives",
					 capture, NULL }) &&
	       do_once((const char *[]){ "python3", machines, "eight-drives",
					 untouched, NULL }) &&
	       do_once(live[APPLY].argv);
}

static bool report_live(void)
{
	bool ok = keeps("list_8_drives_ms", median_ms(&live[LIST], RUNS),
			LIST_MAX_MS);

	ok = keeps("apply_in_force_ms", median_ms(&live[APPLY], RUNS),
		   APPLY_MAX_MS) &&
	     ok;
	return keeps("status_8_drives_ms", median_ms(&live[STATUS], RUNS),
		     STATUS_MAX_MS) &&
	       ok;
}

static bool measure_live(const char *ssdpm, const char *machines)
{
	bool ok = make_capture(ssdpm, machines) &&
		  run_all(live, N_LIVE, RUNS) && report_live();

	do_once((const char *[]){ "rm", "-r", captures, NULL });
	return ok;
}

/* Measures all, even if the first one fails. */
static bool measure(const char *ssdpm, const char *machines)
{
	bool start = make_raw_file() && run_all(commands, N_COMMANDS, RUNS) &&
		     report();
	bool estimate = make_traces(ssdpm) &&
			run_all(estimates, N_TRACES, ESTIMATE_RUNS) &&
			report_estimates();
	bool on_devices = measure_live(ssdpm, machines);

	unlink(raw_path);
	for (int i = 0; i < N_TRACES; i++)
		unlink(trace_paths[i]);
	return start && estimate && on_devices;
}

int main(int argc, char **argv)
{
	static char nvme[4200], preload[4200];
	static char *const env[] = { preload, NULL }, *const none[] = { NULL };

	if (argc != 6) {
		fprintf(stderr, "usage: command SSDPM FILE MACHINES INSTALLED "
				"LIBRARY\n");
		return 2;
	}
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", argv[5]);
	if (!find_nvme(nvme, sizeof(nvme))) {
		printf("nvme is not found: install the package nvme-cli\n");
		return 1;
	}
	posix_spawn_file_actions_init(&to_null);
	posix_spawn_file_actions_addopen(&to_null, STDOUT_FILENO, "/dev/null",
					 O_WRONLY, 0);
	commands[JSON] =
		(struct command){ .argv = { argv[4], "apst", "-q", argv[2] },
				  .env = env };
	commands[RAW] =
		(struct command){ .argv = { argv[4], "apst", "-q", raw_path },
				  .env = env };
	commands[NVME] =
		(struct command){ .argv = { nvme, "version" }, .env = none };
	return measure(argv[1], argv[3]) ? 0 : 1;
}
