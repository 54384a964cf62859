/* SPDX-License-Identifier: MIT */
/* The report on the file of a survey, in every form. */
#ifndef SSDPM_COMMAND_REPORT_H
#define SSDPM_COMMAND_REPORT_H

#include "html/html.h"
#include "options/numbers.h"
#include "text/output.h"

/* The report on a survey: for people, as JSON, Markdown and a page. */

struct survey_report_options {
	double error_rate;     /* 0: 0.05 */
	double system_power_w; /* 0: what the file says, else the most */
	const char *markdown;  /* NULL: none */
	uint64_t given;	       /* bits: which options of the group */
};

/* Its settings are a struct survey_report_options. */
extern const struct option_group survey_report_group;

/* An option of a report, or of its page, that was given; NULL: none was. */
const char *report_option(const struct survey_report_options *options,
			  const struct page_options *page);

/* Report on one file. */
enum exit_status report_survey(const struct common *common,
			       const struct survey_report_options *options,
			       const struct page_options *page,
			       const char *name);

/* Several files of drives and people as one. */
enum exit_status merge_surveys(const struct common *common,
			       const struct survey_report_options *options,
			       char **names, size_t n);

/* A value of enum ssdpm_survey_quantity in words; of a difference too. */
struct number quantity_text(uint32_t quantity, double value);

/* "5.1 W to 5.3 W" */
struct survey_range {
	char text[128];
};

struct survey_range quantity_range(uint32_t quantity, double low, double high);

/* "0.012", "< 0.001" */
struct number survey_p_text(double p);

/* "mean power, idle", "latency, fio randread" */
struct survey_title {
	char text[320];
};

struct survey_title survey_title(uint32_t quantity, bool fio, const char *of);
struct survey_title comparison_title(const struct ssdpm_survey_comparison *c);

/* A survey that was read, and what it found. */
struct survey_report {
	const char *name;
	struct ssdpm_survey_file *file;
	struct ssdpm_survey_result *result;
	const struct ssdpm_survey_result_info *info;
};

/* Free it in any case. */
enum exit_status load_survey(const char *name,
			     const struct survey_report_options *options,
			     struct survey_report *ret_report);
void free_survey(struct survey_report *report);

/* The name of a policy of the file. */
const char *survey_policy(const struct survey_report *report, uint32_t policy);

#define ADVICE_LINES 64

/* What it speaks for, in words. */
struct survey_advice {
	char lines[ADVICE_LINES][320];
	const char *line_at[ADVICE_LINES];
	size_t n_lines;
	char setting[192];   /* a command, or "" */
	char rule[2048];     /* of udev, or "" */
	const char *warning; /* or NULL */
};

void advise(const struct survey_report *report,
	    struct survey_advice *ret_advice);

/* -: nothing else is printed then, in no other form. */
enum exit_status check_markdown(const struct common *common,
				const struct survey_report_options *settings);

/* How each form says it. */
void print_survey(const struct survey_report *report,
		  const struct survey_advice *advice);
enum exit_status write_survey_markdown(const struct survey_report *report,
				       const struct survey_advice *advice,
				       const char *path);
/* json: of the survey. */
enum exit_status write_survey_page(const struct common *common,
				   const struct page_options *page,
				   const struct survey_report *report,
				   const struct survey_advice *advice,
				   const char *json);

/* A text of Markdown: written piece by piece, then saved; "-": printed. */
struct markdown {
	FILE *file;
	char *text;
	size_t size;
};

enum exit_status begin_markdown(struct markdown *markdown);
enum exit_status end_markdown(struct markdown *markdown, const char *path);

/* What comes from the file can end no cell, and begin no tag. */
void put_text(FILE *file, const char *text);

#endif
