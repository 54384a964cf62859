/* SPDX-License-Identifier: MIT */
/*
 * The file of a survey, ssdpm-survey(5): what it holds, run by run.
 *
 * See ssdpm_survey(3).
 */
#ifndef SSDPM_SURVEY_FILE_H
#define SSDPM_SURVEY_FILE_H

#include <ssdpm/base.h>
#include <ssdpm/energy/survey.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct ssdpm_survey_fact - a comment "# key: value" (borrowed)
 * @key:      before the colon; all of it, where there is none
 * @value:    after it; never NULL
 * @line:     where it stands
 * @reserved: 0
 */
struct ssdpm_survey_fact {
	const char *key;
	const char *value;
	uint32_t line;
	uint32_t reserved;
};

/** Whether a run counts. */
enum ssdpm_survey_run_status {
	SSDPM_SURVEY_RUN_COMPLETE = 1,
	SSDPM_SURVEY_RUN_INCOMPLETE = 2, /* it was interrupted */
	SSDPM_SURVEY_RUN_REPLACED = 3,	 /* a later one is of the same thing */
};

/** ssdpm_survey_run_status_to_string() - "complete", "incomplete", "replaced"
 */
SSDPM_API const char *ssdpm_survey_run_status_to_string(uint32_t status);
SSDPM_API uint32_t ssdpm_survey_run_status_from_string(const char *word);

/**
 * struct ssdpm_survey_readings - one run of a survey (borrowed)
 * @time_ns:    of each reading, from when the policy was set; NULL: not known
 * @power_w:    NaN: there was none
 * @latency_us: of the scenario's own I/O; NaN: none
 * @n:          how many readings
 * @run:        its number in the file; 0: it has none
 * @policy, @scenario, @block: from 0 on, as in struct ssdpm_survey_run
 * @status:     enum ssdpm_survey_run_status
 */
struct ssdpm_survey_readings {
	const int64_t *time_ns;
	const double *power_w;
	const double *latency_us;
	size_t n;
	uint64_t run;
	uint32_t policy;
	uint32_t scenario;
	uint32_t block;
	uint32_t status;
};

/**
 * struct ssdpm_survey_fio - one run of fio in a survey (frozen, 48 bytes)
 * @latency_us:    mean of its I/Os; NaN: not known, as the next two
 * @latency_sd_us: their standard deviation
 * @bytes_per_s:   its throughput
 * @run:           its number in the file; 0: it has none
 * @policy, @block: from 0 on
 * @test:          of ssdpm_survey_file_get_test(), from 0 on
 * @status:        enum ssdpm_survey_run_status
 */
struct ssdpm_survey_fio {
	double latency_us;
	double latency_sd_us;
	double bytes_per_s;
	uint64_t run;
	uint32_t policy;
	uint32_t test;
	uint32_t block;
	uint32_t status;
};

/**
 * struct ssdpm_survey_counts - what was met in a file (frozen, 24 bytes)
 * @n_lines: of the file
 * @n_rows:  readings, and results of fio
 * @n_cut:   rows that were being written when the survey was killed: left out
 */
struct ssdpm_survey_counts {
	uint64_t n_lines;
	uint64_t n_rows;
	uint64_t n_cut;
};

struct ssdpm_survey_file;

/**
 * ssdpm_survey_file_open() - read the file of a survey, all of it
 * @fd:       stays the caller's; pipes too; gzip, zstd, xz and bzip2 are
 *            unpacked
 * @ret_file: close it with ssdpm_survey_file_free()
 *
 * The format is in ssdpm-survey(5). A recording of others needs only the
 * columns policy and power_w.
 *
 * Return: 0; -EINVAL (a line that cannot be read, whose number is in @reterr; a
 * version that is not known; no text), -ENODATA (no survey: nothing names its
 * columns), -E2BIG (a line above 1 MiB, more than 2^24 rows or 4096 comments),
 * -EOPNOTSUPP (packed, and this build cannot unpack it), -EIO (packed, and
 * damaged), -ENOMEM, and what read(2) has.
 */
SSDPM_API int ssdpm_survey_file_open(int fd,
				     struct ssdpm_survey_file **ret_file,
				     struct ssdpm_error *reterr);

/**
 * ssdpm_survey_file_open_data() - the same from memory, which may go then
 *
 * Return: as ssdpm_survey_file_open().
 */
SSDPM_API int ssdpm_survey_file_open_data(const void *data, size_t size,
					  struct ssdpm_survey_file **ret_file,
					  struct ssdpm_error *reterr);

/*
 * All that follows is borrowed: it lives as long as the file.
 */

/**
 * ssdpm_survey_file_get_params() - what the survey was to run
 *
 * n_policies and n_scenarios are what the file has; of the others 0 says that
 * the file does not tell.
 */
SSDPM_API const struct ssdpm_survey_params *ssdpm_survey_file_get_params(
	const struct ssdpm_survey_file *file);

/** ssdpm_survey_file_get_counts() - of lines and rows */
SSDPM_API const struct ssdpm_survey_counts *ssdpm_survey_file_get_counts(
	const struct ssdpm_survey_file *file);

/**
 * ssdpm_survey_file_get_fact() - what a comment says
 * @key: "drive", "meter", ...
 * @n:   from 0 on: the first comment of that key, the second, ...
 *
 * Return: its value, or NULL: there is none.
 */
SSDPM_API const char *ssdpm_survey_file_get_fact(
	const struct ssdpm_survey_file *file, const char *key, size_t n);

/** ssdpm_survey_file_get_facts() - all comments, in their order */
SSDPM_API const struct ssdpm_survey_fact *ssdpm_survey_file_get_facts(
	const struct ssdpm_survey_file *file, size_t *ret_n);

/** ssdpm_survey_file_get_policy() - its name, or NULL: no such number */
SSDPM_API const char *ssdpm_survey_file_get_policy(
	const struct ssdpm_survey_file *file, uint32_t policy);

/** ssdpm_survey_file_get_scenario() - its name, or NULL: no such number */
SSDPM_API const char *ssdpm_survey_file_get_scenario(
	const struct ssdpm_survey_file *file, uint32_t scenario);

/** ssdpm_survey_file_get_test() - "randread" of "fio:randread", or NULL */
SSDPM_API const char *ssdpm_survey_file_get_test(
	const struct ssdpm_survey_file *file, uint32_t test);

/** ssdpm_survey_file_get_readings() - all runs, by their number */
SSDPM_API const struct ssdpm_survey_readings *ssdpm_survey_file_get_readings(
	const struct ssdpm_survey_file *file, size_t *ret_n);

/** ssdpm_survey_file_get_fio() - all runs of fio, in the order of the file */
SSDPM_API const struct ssdpm_survey_fio *ssdpm_survey_file_get_fio(
	const struct ssdpm_survey_file *file, size_t *ret_n);

/** ssdpm_survey_file_free() - @file may be NULL. Return: NULL. */
SSDPM_API struct ssdpm_survey_file *ssdpm_survey_file_free(
	struct ssdpm_survey_file *file);

#ifdef __cplusplus
}
#endif

#endif
