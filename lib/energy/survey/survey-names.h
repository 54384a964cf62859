/* SPDX-License-Identifier: MIT */
/* What the parts of the reader of surveys share. */
#ifndef SSDPM_LIB_SURVEY_SURVEY_NAMES_H
#define SSDPM_LIB_SURVEY_SURVEY_NAMES_H

#include <ssdpm/energy/survey-file.h>

#include "power/internal.h"

#define SURVEY_MAX_NAMES 16
#define SURVEY_NAME_BYTES 256
#define SURVEY_MAX_FACTS 4096
#define SURVEY_FACT_BYTES 4096
#define SURVEY_MAX_ROWS (1u << 24)

enum survey_column {
	SURVEY_SKIP,
	SURVEY_RUN,
	SURVEY_POLICY,
	SURVEY_SCENARIO,
	SURVEY_BLOCK,
	SURVEY_TIME,
	SURVEY_POWER,
	SURVEY_LATENCY,
	SURVEY_LATENCY_SD,
	SURVEY_RATE,
	N_SURVEY_COLUMNS,
};

struct survey_names {
	char *at[SURVEY_MAX_NAMES];
	uint32_t n;
};

/* run 0: the file has no numbers. */
struct survey_row {
	uint64_t run;
	int64_t time_ns;
	double power_w;
	double latency_us;
	uint32_t policy;
	uint32_t scenario;
	uint32_t block;
	uint32_t line;
	uint64_t number; /* of the row, in the order of the file */
};

struct ssdpm_survey_file {
	/* The state of the reader. */
	struct input input;
	uint8_t columns[POWER_MAX_COLUMNS];
	uint32_t n_columns; /* 0: no line of names so far */
	char separator;
	bool has_time;
	bool is_marked;		/* "# ssdpm survey 1" was there */
	struct ssdpm_error cut; /* a row that ends too early; code 0: none */
	struct survey_row *rows;
	size_t n_rows, room_rows, room_fio, room_facts;

	/* The results. */
	struct ssdpm_survey_params params;
	struct ssdpm_survey_counts counts;
	struct survey_names policies, scenarios, tests;
	struct ssdpm_survey_fact *facts;
	size_t n_facts;
	struct ssdpm_survey_readings *readings;
	size_t n_readings;
	struct ssdpm_survey_fio *fio;
	size_t n_fio;
	int64_t *time_ns;
	double *power_w;
	double *latency_us;
};

/* Makes runs from rows and frees the rows. */
int ssdpm__survey_make_runs(struct ssdpm_survey_file *file,
			    struct ssdpm_error *reterr);

#endif
