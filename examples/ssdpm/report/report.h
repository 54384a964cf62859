/* SPDX-License-Identifier: MIT */
/* What the file of a survey says, in every form. */
#ifndef SSDPM_COMMAND_REPORT_H
#define SSDPM_COMMAND_REPORT_H

#include "html/html.h"
#include "options/numbers.h"
#include "text/output.h"

/* What the file of a survey says: for people, as JSON, Markdown and a page. */

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

/* What a survey came to: everything that its reports print. */

enum survey_quantity {
	QUANTITY_POWER,	     /* watts */
	QUANTITY_LATENCY,    /* microseconds */
	QUANTITY_THROUGHPUT, /* bytes per second */
	N_QUANTITIES,
};

/* A value in words; of a difference too. */
struct number quantity_text(enum survey_quantity quantity, double value);

/* "5.1 W to 5.3 W" */
struct survey_range {
	char text[128];
};

struct survey_range quantity_range(enum survey_quantity quantity, double low,
				   double high);

/* "0.012", "< 0.001" */
struct number survey_p_text(double p);

/* One run; mean_w NaN: it has no reading. */
struct survey_run_result {
	const struct ssdpm_survey_readings *readings;
	struct ssdpm_survey_summary summary; /* size 0: it has none */
	double mean_w;	   /* that is compared: the settled one, if need be */
	double latency_us; /* mean; NaN: none */
};

#define SURVEY_MAX_PAIRS \
	(SSDPM_SURVEY_MAX_POLICIES * (SSDPM_SURVEY_MAX_POLICIES - 1) / 2)

/*
 * All policies in a scenario, or in a test of fio. Numbers in runs, means and
 * differences are indexes of policies, which has those of the file.
 */
struct survey_comparison {
	enum survey_quantity quantity;
	bool fio;
	const char *of;	   /* the scenario, the test */
	uint32_t scenario; /* its number in the file */
	struct ssdpm_survey_run *runs;
	size_t n_runs;
	uint32_t policies[SSDPM_SURVEY_MAX_POLICIES];
	uint32_t n_policies;
	uint32_t n_few; /* policies that have runs, but too few of them */
	bool compared;
	char why[224]; /* it was not */
	struct ssdpm_survey_analysis analysis;
	struct ssdpm_survey_mean means[SSDPM_SURVEY_MAX_POLICIES];
	struct ssdpm_survey_difference differences[SURVEY_MAX_PAIRS];
};

enum survey_advice_kind {
	ADVICE_UNDECIDED, /* nothing can be told */
	ADVICE_NOT_SHOWN, /* nothing is shown to differ */
	ADVICE_KEEP,	  /* what was found is as good as any */
	ADVICE_CHANGE,
};

#define ADVICE_LINES 64

struct survey_advice {
	enum survey_advice_kind kind;
	const struct survey_comparison *power; /* that it is from, or NULL */
	const char *policy;		       /* NULL: none */
	const char *from;		       /* what it is compared with */
	const struct ssdpm_survey_difference *saving; /* of these */
	bool is_found; /* from was in force before the survey */
	char lines[ADVICE_LINES][320];
	size_t n_lines;
	char setting[192];   /* a command, or "" */
	char rule[640];	     /* of udev, or "" */
	const char *warning; /* or NULL */
};

struct survey_result {
	const char *name;
	struct ssdpm_survey_file *file;
	double error_rate;
	double system_w; /* 0: not known */
	uint32_t n_policies;
	struct survey_run_result *runs;
	size_t n_runs;
	size_t n_status[SSDPM_SURVEY_RUN_REPLACED + 1];
	/* Of runs that count: */
	size_t n_trends[SSDPM_SURVEY_TREND_UNSETTLED + 1];
	size_t n_short; /* nothing can be told of their noise */
	size_t n_empty; /* without a reading */
	struct survey_comparison *comparisons;
	size_t n_comparisons;
	struct survey_advice advice;
};

/* Free it in any case. */
enum exit_status load_survey(const char *name,
			     const struct survey_report_options *options,
			     struct survey_result *ret_result);
void free_survey(struct survey_result *result);

const char *survey_policy(const struct survey_result *result,
			  const struct survey_comparison *c, uint32_t i);

/* That of two policies, sign 1 or -1 for a minus b. */
const struct ssdpm_survey_difference *find_difference(
	const struct survey_comparison *c, uint32_t a, uint32_t b,
	double *ret_sign);

/* "mean power, idle", "latency, fio randread" */
struct survey_title {
	char text[320];
};

struct survey_title comparison_title(const struct survey_comparison *c);

/* survey-advice.c */
void advise(struct survey_result *result);

/* -: nothing else is printed then, in no other form. */
enum exit_status check_markdown(const struct common *common,
				const struct survey_report_options *settings);

/* How each form says it. */
void print_survey(const struct survey_result *result);
void write_survey(struct json_writer *w, const struct survey_result *result);
/* "-": standard output; NULL: it was complained of. */
FILE *open_markdown(const char *path);
enum exit_status close_markdown(FILE *file, const char *path);

enum exit_status write_survey_markdown(const struct survey_result *result,
				       const char *path);
/* "mean_uw", "mean_ns" or "mean_bytes_per_s"; null: no number. */
void write_quantity(struct json_writer *w, enum survey_quantity quantity,
		    const char *name, double value);
enum exit_status write_survey_page(const struct page_options *page,
				   const struct survey_result *result);

#endif
