/* SPDX-License-Identifier: MIT */
/* What is done while a survey measures: reads, a workload, fio. */
#ifndef SSDPM_COMMAND_SURVEY_WORK_H
#define SSDPM_COMMAND_SURVEY_WORK_H

#include "input/input.h"
#include "survey/file.h"
#include "survey/state.h"

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

/* A program in a group of its own; fd: its standard output, or -1. */
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

#endif
