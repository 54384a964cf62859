/* SPDX-License-Identifier: MIT */
/* What ssdpm measure survey is asked for. */
#ifndef SSDPM_COMMAND_SURVEY_OPTIONS_H
#define SSDPM_COMMAND_SURVEY_OPTIONS_H

#include "command.h"

#define MAX_SURVEY_DRIVES 64

struct survey_options {
	const char *given; /* an option of the survey; NULL: none was given */
	const char *save, *resume; /* save, meter: of meter_options */
	char *drives[MAX_SURVEY_DRIVES];
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
	/* What is not given is 0. */
	struct ssdpm_survey_params params;
	bool has_seed;
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

#endif
