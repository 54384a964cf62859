/* SPDX-License-Identifier: MIT */
/* What the file of a survey says: for people, as JSON, Markdown and a page. */
#ifndef SSDPM_COMMAND_SURVEY_REPORT_H
#define SSDPM_COMMAND_SURVEY_REPORT_H

#include "html/html.h"

struct survey_report_options {
	double error_rate;     /* 0: 0.05 */
	double system_power_w; /* 0: what the file says, else the most */
	const char *markdown;  /* NULL: none */
	const char *first;     /* option that was given, NULL: none */
};

/* Its settings are a struct survey_report_options. */
extern const struct option_group survey_report_group;

/* Report on one file. */
enum exit_status report_survey(const struct common *common,
			       const struct survey_report_options *options,
			       const struct page_options *page,
			       const char *name);

/* Several files of drives and people as one. */
enum exit_status merge_surveys(const struct common *common,
			       const struct survey_report_options *options,
			       char **names, size_t n);

#endif
