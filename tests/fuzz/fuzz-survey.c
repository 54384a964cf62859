/* SPDX-License-Identifier: MIT */
/* The file of a survey, as it is: it comes from people. */
#include "check.h"

#include <stdlib.h>
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

/* Whatever the file has, there is a result, and each policy has a name. */
static void check_result(const struct ssdpm_survey_file *file)
{
	const struct ssdpm_survey_comparison *c;
	struct ssdpm_survey_result *result;
	struct ssdpm_survey_merge *merge;
	char *text;

	check(!ssdpm_survey_result_new(file, NULL, &result, NULL),
	      "a survey has a result");
	for (size_t i = 0; (c = ssdpm_survey_result_get_comparison(result, i));
	     i++) {
		check(!c->analysis == (c->reason && c->reason_text),
		      "it is compared or has a reason");
		for (size_t k = 0; k < c->n_runs; k++)
			check(ssdpm_survey_file_get_policy(file,
							   c->runs[k].policy),
			      "what was run has a name");
	}
	check(!ssdpm_survey_result_to_json(result, NULL, &text, NULL),
	      "a result is JSON");
	free(text);
	check(!ssdpm_survey_merge_new(
		      (const struct ssdpm_survey_result *[]){ result, result },
		      2, 0, &merge, NULL),
	      "surveys are merged");
	check(!ssdpm_survey_merge_to_json(merge, &text, NULL),
	      "a merge is JSON");
	free(text);
	ssdpm_survey_merge_free(merge);
	ssdpm_survey_result_free(result);
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
	check_result(file);
	ssdpm_survey_file_free(file);
	return 0;
}
