/* SPDX-License-Identifier: MIT */
/* What the parts of a survey's result share. */
#ifndef SSDPM_LIB_SURVEY_SURVEY_RESULT_H
#define SSDPM_LIB_SURVEY_SURVEY_RESULT_H

#include <ssdpm/energy/survey-result.h>

#include "survey/survey.h"

#define MAX_PAIRS \
	(SSDPM_SURVEY_MAX_POLICIES * (SSDPM_SURVEY_MAX_POLICIES - 1) / 2)

struct run_result {
	struct ssdpm_survey_run_result shown;
	struct ssdpm_survey_summary summary;
};

struct comparison {
	struct ssdpm_survey_comparison shown;
	struct ssdpm_survey_run *runs;
	uint32_t scenario; /* of the file, or the test */
	uint32_t policies[SSDPM_SURVEY_MAX_POLICIES];
	struct ssdpm_survey_analysis analysis;
	struct ssdpm_survey_mean means[SSDPM_SURVEY_MAX_POLICIES];
	struct ssdpm_survey_difference differences[MAX_PAIRS];
	struct ssdpm_error why;
};

struct ssdpm_survey_result {
	struct ssdpm_survey_result_info info;
	char *name;
	struct run_result *runs;
	size_t n_runs;
	struct comparison *comparisons;
	size_t n_comparisons;
	struct ssdpm_survey_recommendation recommendation;
};

/* The last step: what the comparisons speak for. */
void ssdpm__survey_recommend(struct ssdpm_survey_result *result);

#endif
