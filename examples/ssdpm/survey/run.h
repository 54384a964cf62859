/* SPDX-License-Identifier: MIT */
/* A survey on this machine: what it is, from the begin to its end. */
#ifndef SSDPM_COMMAND_SURVEY_RUN_H
#define SSDPM_COMMAND_SURVEY_RUN_H

#include "text/progress.h"
#include "survey/policies.h"
#include "survey/work.h"

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

/* survey-plan.c: drives, policies, order and meter. */
enum exit_status prepare_survey(struct survey *survey);
/* What is run, and how long that takes; with each run where all is wanted. */
void print_schedule(FILE *file, const struct survey *survey, bool all);
/* Is there anything that only root may write? */
enum exit_status check_survey_privileges(const struct survey *survey);

/* The last scenario may be fio, which no option names. */
const char *survey_scenario(const struct survey *survey,
			    const struct ssdpm_survey_step *step);
bool is_fio_step(const struct survey *survey,
		 const struct ssdpm_survey_step *step);

/* survey-look.c: --dry-run, what the noise lets it tell. */
enum exit_status sample_survey_noise(const struct survey *survey);

/*
 * survey-resume.c: options as the file has them; is it of this machine and
 * these drives, and which steps are done?
 */
enum exit_status read_survey_head(const char *name, struct survey *survey);
enum exit_status write_survey_head(struct survey *survey);
enum exit_status read_survey_rows(struct survey *survey);

/* survey-step.c */
enum step_end {
	STEP_COMPLETE = 1,
	STEP_AGAIN, /* its readings do not count: said */
	STEP_STOP,  /* a failure, which was said, or a signal */
};

enum step_end run_survey_step(struct survey *survey, size_t index,
			      struct ssdpm_sampler *sampler,
			      struct progress *progress);

#endif
