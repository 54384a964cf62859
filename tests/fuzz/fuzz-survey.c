/* SPDX-License-Identifier: MIT */
/* The file of a survey, as it is: it comes from people. */
#include "check.h"

#include <string.h>

static void check_runs(const struct ssdpm_survey_file *file)
{
	size_t n, n_fio, n_rows = 0;
	const struct ssdpm_survey_readings *runs =
		ssdpm_survey_file_get_readings(file, &n);
	const struct ssdpm_survey_fio *fio =
		ssdpm_survey_file_get_fio(file, &n_fio);

	for (size_t i = 0; i < n; i++) {
		check(runs[i].n > 0, "a run has a reading");
		check(ssdpm_survey_file_get_policy(file, runs[i].policy) &&
			      ssdpm_survey_file_get_scenario(file,
							     runs[i].scenario),
		      "what a run is of has a name");
		check(runs[i].block < SSDPM_SURVEY_MAX_BLOCKS, "blocks end");
		check(runs[i].status >= SSDPM_SURVEY_RUN_COMPLETE &&
			      runs[i].status <= SSDPM_SURVEY_RUN_REPLACED,
		      "a run counts or does not");
		n_rows += runs[i].n;
	}
	for (size_t i = 0; i < n_fio; i++)
		check(ssdpm_survey_file_get_policy(file, fio[i].policy) &&
			      ssdpm_survey_file_get_test(file, fio[i].test),
		      "what fio ran has a name");
	check(n_rows + n_fio == ssdpm_survey_file_get_counts(file)->n_rows,
	      "each row is of a run");
}

static void check_facts(const struct ssdpm_survey_file *file)
{
	size_t n;
	const struct ssdpm_survey_fact *facts =
		ssdpm_survey_file_get_facts(file, &n);

	for (size_t i = 0; i < n; i++)
		check(facts[i].value && facts[i].line &&
			      ssdpm_survey_file_get_fact(file, facts[i].key, 0),
		      "a comment is found by its key");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ssdpm_survey_file *file;
	struct ssdpm_error error = { 0 };
	int err = ssdpm_survey_file_open_data(data, size, &file, &error);

	if (err) {
		check_error(err, &error);
		return 0;
	}
	check_runs(file);
	check_facts(file);
	ssdpm_survey_file_free(file);
	return 0;
}
