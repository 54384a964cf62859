/* SPDX-License-Identifier: MIT */
/*
 * The file that a survey writes: ssdpm-survey(5). It is only appended to, a
 * whole line at a time.
 */
#ifndef SSDPM_COMMAND_SURVEY_FILE_H
#define SSDPM_COMMAND_SURVEY_FILE_H

#include "survey/options.h"

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

#endif
