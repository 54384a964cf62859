/* SPDX-License-Identifier: MIT */
/* A survey: its options, runs and file, and how it restores settings. */
#ifndef SSDPM_COMMAND_SURVEY_H
#define SSDPM_COMMAND_SURVEY_H

#include "command.h"
#include "input/input.h"
#include "input/live.h"
#include "options/plan-options.h"
#include "text/progress.h"

#include <sys/types.h>

/* Waits for a time, or for a signal to end. */

#define SECOND_NS INT64_C(1000000000)

/*
 * Catches SIGINT, SIGTERM, SIGHUP and SIGQUIT from now on, except those that
 * nohup(1) and shells set to be ignored.
 */
enum exit_status catch_signals(void);

/* Restores their previous actions. */
void release_signals(void);

/* The first signal caught; 0: none. */
int caught_signal(void);

/* Dies of the signal if one came, so that the caller sees it. */
void die_of_signal(void);

/* CLOCK_BOOTTIME, which continues during a suspend. */
int64_t survey_now_ns(void);

/* How long the machine has been suspended since it was booted. */
int64_t suspended_ns(void);

/* Waits until then; returns early after a signal, which caught_signal() has. */
void wait_until(int64_t boottime_ns);

/* Waits until there is something to read, or for a signal (false). */
bool wait_for_input(int fd);

/* The options of ssdpm measure survey. */

#define MAX_SURVEY_DRIVES 64

struct survey_options {
	uint64_t given;		   /* bits: options of the group */
	const char *save, *resume; /* save, meter: of meter_options */
	const char *drives[MAX_SURVEY_DRIVES];
	size_t n_drives;
	const char *policies[SSDPM_SURVEY_MAX_POLICIES];
	size_t n_policies;
	const char *scenarios[SSDPM_SURVEY_MAX_SCENARIOS];
	size_t n_scenarios;
	const char *meter; /* NULL: the battery that discharges */
	const char *file;  /* to read in a scenario */
	const char *fio;   /* directory; NULL: no fio */
	uint64_t fio_bytes;
	const char *from;   /* an earlier survey, for --dry-run; NULL: none */
	uint64_t sample_ns; /* of --dry-run; 0: 40 readings */
	struct ssdpm_survey_params params;
	bool dry_run;
	bool yes;
};

/* Its settings are a struct survey_options. */
extern const struct option_group survey_option_group;

/*
 * Checks options that depend on each other. Sets defaults; draws a seed if none
 * is given.
 */
enum exit_status check_survey_options(const struct common *common,
				      struct survey_options *options);

/* Whether a word can be the name of a policy or scenario in a survey's file. */
bool is_survey_word(const char *text);

/* The file that a survey writes: ssdpm-survey(5). Whole lines are appended. */

struct survey_file {
	const char *name;
	int fd;
};

/* A reading, or a result of fio; NaN: unknown. */
struct survey_row {
	uint32_t run;
	const char *policy;
	const char *scenario;
	uint32_t block; /* from 1 on */
	double time_s;
	double power_w;
	double latency_us;
	double latency_sd_us;
	double bytes_per_s;
};

/* Creates the file, which must not exist. */
enum exit_status create_survey_file(const char *name,
				    struct survey_file *ret_file);

/* Opens a file to append; removes a line that a power failure cut. */
enum exit_status reopen_survey_file(const char *name,
				    struct survey_file *ret_file);

/* Writes a line of text. Removes it again if the disk is full. */
enum exit_status write_survey_text(const struct survey_file *file,
				   const char *text);

/* "# key: value", "# key" */
enum exit_status write_survey_comment(const struct survey_file *file,
				      const char *key, const char *value);
enum exit_status write_survey_row(const struct survey_file *file,
				  const struct survey_row *row);
enum exit_status sync_survey_file(const struct survey_file *file);
void close_survey_file(struct survey_file *file);

/*
 * What a survey, or a trial of ssdpm tune, must restore in any case. It has its
 * own record beside that of ssdpm apply, of the values when it began. A guard,
 * another process, restores them if the survey is killed. If both are killed,
 * the next command that sets something does.
 */

struct survey_state {
	struct ssdpm_machine *machine; /* borrowed */
	char *directory;
	int lock_fd;  /* -1: none; held while a survey runs */
	int guard_fd; /* -1: no guard */
	pid_t guard;
};

/*
 * Checks that settings of this machine may be written. A capture needs its
 * marker.
 */
enum exit_status check_capture(const struct live *live);

/*
 * Takes the lock, and restores what a survey left if it was killed with its
 * guard.
 */
enum exit_status open_survey_state(const struct common *common,
				   const struct live *live,
				   struct survey_state *ret_state);

/* Restores the previous values, and complains of those that it cannot. */
enum exit_status put_back(const struct survey_state *state);

/*
 * Starts a process that restores the settings when this one is gone. It notes
 * that at the end of file, unless that is NULL, and keeps nothing else open.
 */
enum exit_status start_guard(struct survey_state *state, const char *file);

/* Names a group of processes for it to end then; 0: none. */
void tell_guard(const struct survey_state *state, pid_t group);

/* Restores, ends the guard and releases the lock. Calling it once is enough. */
enum exit_status close_survey_state(struct survey_state *state);

/* Whether something must be restored, or a survey or trial runs. */
bool survey_is_left(const struct live *live);
/* One line about that, with the remedy; free it. NULL: out of memory. */
char *describe_left_survey(const struct live *live);

/* Restores what a killed one left; does not touch one that runs. */
enum exit_status put_back_killed(const struct common *common,
				 const struct live *live);

/*
 * For ssdpm revert: restores what a killed survey left. A survey that runs is a
 * failure; end it first.
 */
enum exit_status put_back_after_survey(const struct common *common,
				       const struct live *live, bool dry_run);

/* The drives and policies that a survey compares. */

struct survey_policy {
	char *text;  /* "lpm=medium_power" */
	char *words; /* text that the options point into */
	struct plan_options options;
	struct profile profile;
};

struct survey_policies {
	struct survey_policy list[SSDPM_SURVEY_MAX_POLICIES];
	size_t n;
};

/*
 * The drives of --drive, or else all that can be compared. Standard error names
 * those left out.
 */
enum exit_status select_survey_drives(const struct common *common,
				      const struct survey_options *options,
				      struct drives *ret_drives);

/* Reads these drives again, in their present state. */
enum exit_status read_survey_drives(const struct common *common,
				    const struct drives *drives,
				    struct drives *ret_drives);

/* Prints the setting in force on a drive: "lpm=medium_power", "latency=any". */
void print_survey_setting(FILE *file, const struct drive *drive);

/*
 * Makes the policies of the options, or the usual ones for these drives. Each
 * is planned first, so that a wrong one fails before any setting changes.
 */
enum exit_status make_survey_policies(const struct common *common,
				      const struct survey_options *options,
				      const struct drives *drives,
				      struct survey_policies *ret_policies);
void free_survey_policies(struct survey_policies *policies);

/*
 * Fills a plan that sets a policy on all drives. A drive that the policy does
 * not mention keeps its settings. directory: of the record; NULL: never
 * committed.
 */
enum exit_status fill_survey_plan(const struct common *common,
				  const struct survey_policy *policy,
				  const struct drives *drives,
				  struct ssdpm_plan *plan);

/* The same with a new plan: ssdpm_plan_free() it. */
enum exit_status plan_survey_policy(const struct common *common,
				    const struct survey_policy *policy,
				    const struct drives *drives,
				    const char *directory,
				    struct ssdpm_plan **ret_plan);

/* The load during a survey: reads, a workload, fio. */

/* A file that is read past the cache, 4 KiB at a time. */
struct survey_io {
	const char *name;
	int fd;
	uint64_t n_blocks;
	uint64_t random;
	void *buffer;
};

/*
 * Opens an existing file with data. Prints a remark if it may not be on a drive
 * of the survey.
 */
enum exit_status open_survey_io(const struct common *common, const char *name,
				const struct drives *drives, uint64_t seed,
				struct survey_io *ret_io);
enum exit_status read_survey_io(struct survey_io *io, double *ret_latency_us);
void close_survey_io(struct survey_io *io);

/* A line for /bin/sh, restarted whenever it ends. */
struct workload {
	const char *line;
	pid_t pid; /* and group; 0: not running */
};

enum exit_status start_workload(const struct survey_state *state,
				struct workload *workload);
/* Checks that it has not failed. Restarts one that ended well. */
enum exit_status check_workload(const struct survey_state *state,
				struct workload *workload);
void end_workload(const struct survey_state *state, struct workload *workload);

/* Starts a program in its own group; fd: its standard output, or -1. */
enum exit_status start_program(const char *const *argv, int fd, pid_t *ret_pid);
/* Asks it to end, and later kills it. Return: its status, as of waitpid(2). */
int end_program(pid_t pid);

/*
 * Runs a program to its end, or to a signal, which it does not report. text has
 * room for all its output.
 */
enum exit_status call_program(const struct survey_state *state,
			      const char *const *argv, char *text, size_t size);

#define N_FIO_JOBS 4
extern const char *const fio_scenarios[N_FIO_JOBS];

struct survey_fio {
	char *path; /* NULL: no fio */
	uint64_t bytes;
};

/* Checks for fio and a directory with room, and creates the file. */
enum exit_status prepare_fio(const struct common *common,
			     const struct survey_state *state,
			     const char *directory, uint64_t bytes,
			     struct survey_fio *ret_fio);

/*
 * Runs one job, and sets latency and throughput of *row. STATUS_FAILED after a
 * signal, too.
 */
enum exit_status run_fio(const struct survey_state *state,
			 const struct survey_fio *fio, size_t job,
			 uint64_t time_ns, struct survey_row *row);
/* Removes the file. */
void close_fio(struct survey_fio *fio);

/* A survey on this machine, from start to end. */

struct survey {
	const struct common *common;
	struct survey_options options;
	struct drives drives;
	struct survey_policies policies;
	struct ssdpm_meter meter;
	struct ssdpm_survey_step *steps;
	bool *done; /* steps that an earlier call completed */
	size_t n_steps;
	uint64_t total_ns;
	struct survey_state state;
	struct survey_file file;
	struct survey_io io;
	struct survey_fio fio;
	uint32_t last_run; /* of the file */
	bool is_odd;	   /* oddities of the readings were reported */
	char *resumed;	   /* text that the options point into */
};

/* ssdpm measure survey --save, --resume, --dry-run. */
enum exit_status run_survey(const struct common *common,
			    const struct survey_options *options);

/* plan.c: drives, policies, order and meter. */
enum exit_status prepare_survey(struct survey *survey);
/* Prints the runs and their length; with "all", each of them. */
void print_schedule(FILE *file, const struct survey *survey, bool all);
/* Checks the rights of root if a file requires them. */
enum exit_status check_survey_privileges(const struct survey *survey);

/* The last scenario may be fio, which no option names. */
const char *survey_scenario(const struct survey *survey,
			    const struct ssdpm_survey_step *step);
bool is_fio_step(const struct survey *survey,
		 const struct ssdpm_survey_step *step);

/* look.c: --dry-run, what the noise allows to detect. */
enum exit_status sample_survey_noise(const struct survey *survey);

/*
 * resume.c: reads options from the file, checks that the machine and drives
 * match, and finds the completed steps.
 */
enum exit_status read_survey_head(const char *name, struct survey *survey);
enum exit_status write_survey_head(struct survey *survey);
enum exit_status read_survey_rows(struct survey *survey);

/* step.c */
enum step_end {
	STEP_COMPLETE = 1,
	STEP_AGAIN, /* its readings do not count: reported */
	STEP_STOP,  /* a reported failure, or a signal */
};

enum step_end run_survey_step(struct survey *survey, size_t index,
			      struct ssdpm_sampler *sampler,
			      struct progress *progress);

#endif
