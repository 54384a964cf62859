/* SPDX-License-Identifier: MIT */
/*
 * The classes of a whole suite, as its study published them: a line for each
 * micro-benchmark, a column for each drive, in a cell the patterns "SW / RW".
 */
#ifndef SSDPM_COMMAND_MEASURE_MATRIX_H
#define SSDPM_COMMAND_MEASURE_MATRIX_H

#include "command.h"
#include "text/output.h"

/* Of what an experiment is the only one in a suite. */
enum place {
	MICRO_BENCHMARK,
	DRIVE,
	PATTERN,
	N_PLACES,
};

extern const char *const place_names[N_PLACES];

struct experiment {
	char *name;
	char *place[N_PLACES]; /* NULL: it is of no suite */
	struct ssdpm_background_run *runs;
	size_t n_runs;
	struct ssdpm_background_class class;
};

struct sweep {
	struct experiment *experiments;
	size_t n;
	bool is_suite;
};

/* "grows with the parameter" */
const char *class_name(uint32_t background);
/* "grows", in JSON and in Python */
const char *class_code(uint32_t background);

/* Whether there is one; all else prints. */
enum exit_status check_matrix(const struct sweep *sweep);

enum exit_status print_matrix(const struct sweep *sweep);

/* micro_benchmarks, drives, patterns and cells of an object that is open. */
enum exit_status write_matrix(struct json_writer *w, const struct sweep *sweep);

#endif
