/* SPDX-License-Identifier: MIT */
/* A survey: what it is asked for, what it does, what it writes and puts back.
 */
#ifndef SSDPM_COMMAND_SURVEY_H
#define SSDPM_COMMAND_SURVEY_H

#include "command.h"
#include "input/input.h"
#include "input/live.h"
#include "options/plan-options.h"
#include "text/progress.h"

#include <sys/types.h>

/* Waiting for a moment, or for somebody who wants it to end. */

#define SECOND_NS INT64_C(1000000000)

/*
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT are waited for from now on, but for those
 * that nohup(1) and shells have it ignore.
 */
enum exit_status catch_signals(void);

/* They do what they did before. */
void release_signals(void);

/* The first that came; 0: none. */
int caught_signal(void);

/* Die of the signal, if one came: the caller of the command must know. */
void die_of_signal(void);

/* CLOCK_BOOTTIME, which goes on while the machine is suspended. */
int64_t survey_now_ns(void);

/* How long it has been suspended since it was booted. */
int64_t suspended_ns(void);

/* Until then; returns early where a signal came: caught_signal() has it. */
void wait_until(int64_t boottime_ns);

/* Until there is something to read, or a signal came (false). */
bool wait_for_input(int fd);

/* The options of ssdpm measure survey. */

#define MAX_SURVEY_DRIVES 64

struct survey_options {
	uint64_t given;		   /* bits: which options of the group */
	const char *save, *resume; /* save, meter: of meter_options */
	const char *drives[MAX_SURVEY_DRIVES];
	size_t n_drives;
	const char *policies[SSDPM_SURVEY_MAX_POLICIES];
	size_t n_policies;
	const char *scenarios[SSDPM_SURVEY_MAX_SCENARIOS];
	size_t n_scenarios;
	const char *meter; /* NULL: the battery that discharges */
	const char *file;  /* that is read in a scenario */
	const char *fio;   /* directory; NULL: fio is not run */
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
 * Do they go together? Sets what is not given to its default; a seed, which has
 * none, is drawn.
 */
enum exit_status check_survey_options(const struct common *common,
				      struct survey_options *options);

/* The words of a file of a survey are names of policies and scenarios. */
bool is_survey_word(const char *text);

/*
 * The file that a survey writes: ssdpm-survey(5). It is only appended to, a
 * whole line at a time.
 */

struct survey_file {
	const char *name;
	int fd;
};

/* A reading, or what fio said: NaN is not known. */
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

/* It must not exist. */
enum exit_status create_survey_file(const char *name,
				    struct survey_file *ret_file);

/* To append; a line that was not finished, since power failed, is removed. */
enum exit_status reopen_survey_file(const char *name,
				    struct survey_file *ret_file);

/* text: a line as it is. A line that does not fit on the disk is not left. */
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
 * What a survey, or a trial of ssdpm tune, must put back, whatever becomes of
 * it. Its record is beside that of ssdpm apply: back is to what was in force
 * when it began. A guard, another process, puts it back if the survey is
 * killed. If both are killed, the next command that sets something does.
 */

struct survey_state {
	struct ssdpm_machine *machine; /* borrowed */
	char *directory;
	int lock_fd;  /* -1: none; held while a survey runs */
	int guard_fd; /* -1: there is no guard */
	pid_t guard;
};

/* May settings of this machine be written? A capture needs its marker. */
enum exit_status check_capture(const struct live *live);

/*
 * Take the lock, and put back what a survey left that was killed with its
 * guard.
 */
enum exit_status open_survey_state(const struct common *common,
				   const struct live *live,
				   struct survey_state *ret_state);

/* Put back what was in force; what cannot be is complained of. */
enum exit_status put_back(const struct survey_state *state);

/*
 * A process that puts it back when this one is gone, says so at the end of
 * file, unless that is NULL, and holds nothing else open.
 */
enum exit_status start_guard(struct survey_state *state, const char *file);

/* A group of processes that it is to end then; 0: none. */
void tell_guard(const struct survey_state *state, pid_t group);

/* Put back, send the guard home, let the lock go. Once is enough. */
enum exit_status close_survey_state(struct survey_state *state);

/* Is there something to put back, or does a survey or trial run? */
bool survey_is_left(const struct live *live);
/* One line that says so, and what to do; free it. NULL: out of memory. */
char *describe_left_survey(const struct live *live);

/* Put back what a killed one left; one that runs goes on. */
enum exit_status put_back_killed(const struct common *common,
				 const struct live *live);

/*
 * For ssdpm revert: what a killed survey left. A survey that runs is a failure:
 * it has to be ended.
 */
enum exit_status put_back_after_survey(const struct common *common,
				       const struct live *live, bool dry_run);

/* Which drives and which policies a survey compares. */

struct survey_policy {
	char *text;  /* "lpm=medium_power" */
	char *words; /* what the options point into */
	struct plan_options options;
	struct profile profile;
};

struct survey_policies {
	struct survey_policy list[SSDPM_SURVEY_MAX_POLICIES];
	size_t n;
};

/*
 * The drives that --drive names, or else those that can be compared; standard
 * error names those that are left out.
 */
enum exit_status select_survey_drives(const struct common *common,
				      const struct survey_options *options,
				      struct drives *ret_drives);

/* Those drives once more, as they are now. */
enum exit_status read_survey_drives(const struct common *common,
				    const struct drives *drives,
				    struct drives *ret_drives);

/* "lpm=medium_power", "latency=any": what is in force on a drive. */
void print_survey_setting(FILE *file, const struct drive *drive);

/*
 * The policies of the options, or of none the usual ones for these drives. Each
 * is planned first, so that a wrong one fails before anything is set.
 */
enum exit_status make_survey_policies(const struct common *common,
				      const struct survey_options *options,
				      const struct drives *drives,
				      struct survey_policies *ret_policies);
void free_survey_policies(struct survey_policies *policies);

/*
 * What sets a policy on all drives; a drive that it says nothing of keeps what
 * it has. directory: of the record; NULL: nothing will be committed.
 */
enum exit_status fill_survey_plan(const struct common *common,
				  const struct survey_policy *policy,
				  const struct drives *drives,
				  struct ssdpm_plan *plan);

/* Likewise, with its own plan: ssdpm_plan_free() it. */
enum exit_status plan_survey_policy(const struct common *common,
				    const struct survey_policy *policy,
				    const struct drives *drives,
				    const char *directory,
				    struct ssdpm_plan **ret_plan);

/* The load while a survey measures: reads, a workload, fio. */

/* A file that is read past the cache, 4 KiB at a time. */
struct survey_io {
	const char *name;
	int fd;
	uint64_t n_blocks;
	uint64_t random;
	void *buffer;
};

/* A file that is there, and has data; it is not seen to be on a drive: said. */
enum exit_status open_survey_io(const struct common *common, const char *name,
				const struct drives *drives, uint64_t seed,
				struct survey_io *ret_io);
enum exit_status read_survey_io(struct survey_io *io, double *ret_latency_us);
void close_survey_io(struct survey_io *io);

/* A line for /bin/sh, begun again whenever it ends. */
struct workload {
	const char *line;
	pid_t pid; /* and group; 0: it does not run */
};

enum exit_status start_workload(const struct survey_state *state,
				struct workload *workload);
/* Has it failed? One that ended well is begun again. */
enum exit_status check_workload(const struct survey_state *state,
				struct workload *workload);
void end_workload(const struct survey_state *state, struct workload *workload);

/* A program in its own group; fd: its standard output, or -1. */
enum exit_status start_program(const char *const *argv, int fd, pid_t *ret_pid);
/* Ask it, and after a while make it. Returns its status, as of waitpid(2). */
int end_program(pid_t pid);

/*
 * Run a program to its end, or to a signal, of which it says nothing. text has
 * room for all that it prints.
 */
enum exit_status call_program(const struct survey_state *state,
			      const char *const *argv, char *text, size_t size);

#define N_FIO_JOBS 4
extern const char *const fio_scenarios[N_FIO_JOBS];

struct survey_fio {
	char *path; /* NULL: fio is not run */
	uint64_t bytes;
};

/* There is a directory with room, and fio; the file is made. */
enum exit_status prepare_fio(const struct common *common,
			     const struct survey_state *state,
			     const char *directory, uint64_t bytes,
			     struct survey_fio *ret_fio);

/* One job: latency and throughput of *row; STATUS_FAILED after a signal too. */
enum exit_status run_fio(const struct survey_state *state,
			 const struct survey_fio *fio, size_t job,
			 uint64_t time_ns, struct survey_row *row);
/* Removes the file. */
void close_fio(struct survey_fio *fio);

/* A survey on this machine: what it is, from the begin to its end. */

struct survey {
	const struct common *common;
	struct survey_options options;
	struct drives drives;
	struct survey_policies policies;
	struct ssdpm_meter meter;
	struct ssdpm_survey_step *steps;
	bool *done; /* a step of an earlier call, complete */
	size_t n_steps;
	uint64_t total_ns;
	struct survey_state state;
	struct survey_file file;
	struct survey_io io;
	struct survey_fio fio;
	uint32_t last_run; /* of the file */
	bool is_odd;	   /* what is odd about the readings was said */
	char *resumed;	   /* text that the options point into */
};

/* ssdpm measure survey --save, --resume, --dry-run. */
enum exit_status run_survey(const struct common *common,
			    const struct survey_options *options);

/* plan.c: drives, policies, order and meter. */
enum exit_status prepare_survey(struct survey *survey);
/* The runs and how long they take; each of them if all is true. */
void print_schedule(FILE *file, const struct survey *survey, bool all);
/* Is there anything that only root may write? */
enum exit_status check_survey_privileges(const struct survey *survey);

/* The last scenario may be fio, which no option names. */
const char *survey_scenario(const struct survey *survey,
			    const struct ssdpm_survey_step *step);
bool is_fio_step(const struct survey *survey,
		 const struct ssdpm_survey_step *step);

/* look.c: --dry-run, what the noise lets it tell. */
enum exit_status sample_survey_noise(const struct survey *survey);

/*
 * resume.c: options as the file has them; is it of this machine and
 * these drives, and which steps are done?
 */
enum exit_status read_survey_head(const char *name, struct survey *survey);
enum exit_status write_survey_head(struct survey *survey);
enum exit_status read_survey_rows(struct survey *survey);

/* step.c */
enum step_end {
	STEP_COMPLETE = 1,
	STEP_AGAIN, /* its readings do not count: said */
	STEP_STOP,  /* a failure, which was said, or a signal */
};

enum step_end run_survey_step(struct survey *survey, size_t index,
			      struct ssdpm_sampler *sampler,
			      struct progress *progress);

#endif
