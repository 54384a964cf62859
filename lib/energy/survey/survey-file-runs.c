/* SPDX-License-Identifier: MIT */
/* Makes runs with remarks from the rows of a survey. */
#include "survey/survey-names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Without a number, the policy, scenario and block identify a run. */
static int order_of_runs(const struct survey_row *a, const struct survey_row *b)
{
	if (a->run != b->run || a->run)
		return order(a->run, b->run);
	if (a->block != b->block)
		return order(a->block, b->block);
	if (a->scenario != b->scenario)
		return order(a->scenario, b->scenario);
	return order(a->policy, b->policy);
}

static int compare_rows(const void *a, const void *b)
{
	const struct survey_row *one = a, *other = b;
	int by_run = order_of_runs(one, other);

	return by_run ? by_run : order(one->number, other->number);
}

/* Sorts only if needed; a survey writes its rows in order. */
static void sort_rows(struct ssdpm_survey_file *file)
{
	for (size_t i = 1; i < file->n_rows; i++)
		if (compare_rows(&file->rows[i - 1], &file->rows[i]) > 0) {
			qsort(file->rows, file->n_rows, sizeof(*file->rows),
			      compare_rows);
			return;
		}
}

/* Counts runs; -EINVAL: the rows of a run differ in what they measure. */
static int count_runs(const struct ssdpm_survey_file *file, size_t *ret_n,
		      struct ssdpm_error *reterr)
{
	size_t n = file->n_rows > 0;

	for (size_t i = 1; i < file->n_rows; i++) {
		const struct survey_row *a = &file->rows[i - 1];
		const struct survey_row *b = &file->rows[i];

		if (order_of_runs(a, b))
			n++;
		else if (a->policy != b->policy || a->scenario != b->scenario ||
			 a->block != b->block)
			return ssdpm__fail(reterr, -EINVAL, b->line,
					   "run %llu is of something else in "
					   "line %u: a run has one policy, "
					   "scenario and block",
					   (unsigned long long)b->run, a->line);
	}
	*ret_n = n;
	return 0;
}

static int allocate(struct ssdpm_survey_file *file, struct ssdpm_error *reterr)
{
	/* Without times and steps, the times of readings are unknown. */
	bool timed = file->has_time || file->params.interval_ns;
	size_t n = file->n_rows ? file->n_rows : 1;

	file->readings = calloc(file->n_readings ? file->n_readings : 1,
				sizeof(*file->readings));
	file->power_w = calloc(n, sizeof(*file->power_w));
	file->latency_us = calloc(n, sizeof(*file->latency_us));
	if (timed)
		file->time_ns = calloc(n, sizeof(*file->time_ns));
	if (!file->readings || !file->power_w || !file->latency_us ||
	    (timed && !file->time_ns))
		return ssdpm__no_memory(reterr);
	return 0;
}

/* The time of a reading by its number in the run, from the steps. */
static int64_t step_time(const struct ssdpm_survey_params *params, size_t i)
{
	uint64_t ns;

	if (__builtin_mul_overflow(params->interval_ns, (uint64_t)i, &ns) ||
	    __builtin_add_overflow(ns, params->settle_ns, &ns) ||
	    ns > INT64_MAX)
		return INT64_MAX;
	return (int64_t)ns;
}

static bool is_complete(const struct ssdpm_survey_params *params, size_t n)
{
	if (!params->interval_ns || !params->duration_ns)
		return true;
	return n >= params->duration_ns / params->interval_ns;
}

static void fill_readings(struct ssdpm_survey_file *file)
{
	struct ssdpm_survey_readings *readings = file->readings - 1;

	for (size_t i = 0; i < file->n_rows; i++) {
		const struct survey_row *row = &file->rows[i];

		if (!i || order_of_runs(row - 1, row))
			*++readings = (struct ssdpm_survey_readings){
				.time_ns = file->time_ns ? file->time_ns + i :
							   NULL,
				.power_w = file->power_w + i,
				.latency_us = file->latency_us + i,
				.run = row->run,
				.policy = row->policy,
				.scenario = row->scenario,
				.block = row->block,
			};
		file->power_w[i] = row->power_w;
		file->latency_us[i] = row->latency_us;
		if (file->time_ns)
			file->time_ns[i] =
				file->has_time ?
					row->time_ns :
					step_time(&file->params, readings->n);
		readings->n++;
		readings->status = is_complete(&file->params, readings->n) ?
					   SSDPM_SURVEY_RUN_COMPLETE :
					   SSDPM_SURVEY_RUN_INCOMPLETE;
	}
}

/* The place of a run's subject; the last complete run of a subject counts. */
static size_t place(uint32_t policy, uint32_t scenario, uint32_t block)
{
	return ((size_t)block * SURVEY_MAX_NAMES + scenario) *
		       SURVEY_MAX_NAMES +
	       policy;
}

#define N_PLACES \
	((size_t)SSDPM_SURVEY_MAX_BLOCKS * SURVEY_MAX_NAMES * SURVEY_MAX_NAMES)

static int mark_replaced(struct ssdpm_survey_file *file,
			 struct ssdpm_error *reterr)
{
	uint32_t *last = calloc(N_PLACES, sizeof(*last));

	if (!last)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; i < file->n_readings; i++) {
		struct ssdpm_survey_readings *run = &file->readings[i];
		uint32_t *at =
			&last[place(run->policy, run->scenario, run->block)];

		if (run->status != SSDPM_SURVEY_RUN_COMPLETE)
			continue;
		if (*at)
			file->readings[*at - 1].status =
				SSDPM_SURVEY_RUN_REPLACED;
		*at = (uint32_t)i + 1;
	}
	if (file->n_fio)
		memset(last, 0, N_PLACES * sizeof(*last));
	for (size_t i = 0; i < file->n_fio; i++) {
		struct ssdpm_survey_fio *fio = &file->fio[i];
		uint32_t *at = &last[place(fio->policy, fio->test, fio->block)];

		if (*at)
			file->fio[*at - 1].status = SSDPM_SURVEY_RUN_REPLACED;
		*at = (uint32_t)i + 1;
	}
	free(last);
	return 0;
}

int ssdpm__survey_make_runs(struct ssdpm_survey_file *file,
			    struct ssdpm_error *reterr)
{
	sort_rows(file);
	int err = count_runs(file, &file->n_readings, reterr);
	if (err == 0)
		err = allocate(file, reterr);
	if (err)
		return err;
	fill_readings(file);
	file->counts.n_rows = file->n_rows + file->n_fio;
	file->params.n_policies = file->policies.n;
	file->params.n_scenarios = file->scenarios.n;
	free(file->rows);
	file->rows = NULL;
	return mark_replaced(file, reterr);
}

const struct ssdpm_survey_params *ssdpm_survey_file_get_params(
	const struct ssdpm_survey_file *file)
{
	return &file->params;
}

const struct ssdpm_survey_counts *ssdpm_survey_file_get_counts(
	const struct ssdpm_survey_file *file)
{
	return &file->counts;
}

const char *ssdpm_survey_file_get_fact(const struct ssdpm_survey_file *file,
				       const char *key, size_t n)
{
	for (size_t i = 0; i < file->n_facts; i++)
		if (!strcmp(file->facts[i].key, key) && n-- == 0)
			return file->facts[i].value;
	return NULL;
}

const struct ssdpm_survey_fact *ssdpm_survey_file_get_facts(
	const struct ssdpm_survey_file *file, size_t *ret_n)
{
	*ret_n = file->n_facts;
	return file->facts;
}

static const char *name_of(const struct survey_names *names, uint32_t i)
{
	return i < names->n ? names->at[i] : NULL;
}

const char *ssdpm_survey_file_get_policy(const struct ssdpm_survey_file *file,
					 uint32_t policy)
{
	return name_of(&file->policies, policy);
}

const char *ssdpm_survey_file_get_scenario(const struct ssdpm_survey_file *file,
					   uint32_t scenario)
{
	return name_of(&file->scenarios, scenario);
}

const char *ssdpm_survey_file_get_test(const struct ssdpm_survey_file *file,
				       uint32_t test)
{
	return name_of(&file->tests, test);
}

const struct ssdpm_survey_readings *ssdpm_survey_file_get_readings(
	const struct ssdpm_survey_file *file, size_t *ret_n)
{
	*ret_n = file->n_readings;
	return file->readings;
}

const struct ssdpm_survey_fio *ssdpm_survey_file_get_fio(
	const struct ssdpm_survey_file *file, size_t *ret_n)
{
	*ret_n = file->n_fio;
	return file->fio;
}
