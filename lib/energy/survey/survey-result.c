/* SPDX-License-Identifier: MIT */
/*
 * The result of a survey's file: means of its runs, and comparisons of
 * policies.
 */
#include "survey/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "power/internal.h"
#include "base/words.h"

/* The mean of all that are numbers. */
static double mean_of(const double *values, size_t n)
{
	size_t finite = 0;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(values[i])) {
			sum += values[i];
			finite++;
		}
	return finite ? sum / (double)finite : NAN;
}

/*
 * Readings count as evenly spaced, which a survey asks for; about one in
 * hundreds is late. An unknown step is taken as a second.
 */
static double step_of(const struct ssdpm_survey_result *result,
		      const struct ssdpm_survey_readings *r)
{
	uint64_t ns =
		ssdpm_survey_file_get_params(result->info.file)->interval_ns;

	if (ns)
		return (double)ns;
	if (!r->time_ns || r->n < 2)
		return 1e9;
	double step = ((double)r->time_ns[r->n - 1] - (double)r->time_ns[0]) /
		      (double)(r->n - 1);
	return step >= 1 ? step : 1e9;
}

static void count(struct ssdpm_survey_result_info *info,
		  const struct ssdpm_survey_run_result *run)
{
	info->n_incomplete +=
		run->readings->status == SSDPM_SURVEY_RUN_INCOMPLETE;
	info->n_replaced += run->readings->status == SSDPM_SURVEY_RUN_REPLACED;
	if (run->readings->status != SSDPM_SURVEY_RUN_COMPLETE)
		return;
	info->n_complete++;
	if (isnan(run->mean_w)) {
		info->n_empty++;
	} else if (!run->summary) {
		info->n_short++;
	} else {
		info->n_rise += run->summary->trend == SSDPM_SURVEY_TREND_RISE;
		info->n_fall += run->summary->trend == SSDPM_SURVEY_TREND_FALL;
		info->n_unsettled +=
			run->summary->trend == SSDPM_SURVEY_TREND_UNSETTLED;
	}
}

static int summarise(struct ssdpm_survey_result *result, struct run_result *run,
		     const struct ssdpm_survey_readings *r,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_survey_summary *s = &run->summary;
	const struct ssdpm_samples samples = {
		.power_w = r->power_w,
		.n = r->n,
		.interval_ns = step_of(result, r),
		.type = SSDPM_SAMPLE_FLOAT64,
	};
	struct ssdpm_error error;
	int err;

	run->shown.readings = r;
	run->shown.mean_w = mean_of(r->power_w, r->n);
	run->shown.latency_us = mean_of(r->latency_us, r->n);
	s->size = sizeof(*s);
	err = ssdpm_survey_summarise(&samples, s, &error);
	if (err == -ENOMEM)
		return ssdpm__pass_on(err, &error, reterr);
	if (!err) {
		bool slow = s->trend == SSDPM_SURVEY_TREND_RISE ||
			    s->trend == SSDPM_SURVEY_TREND_FALL;

		run->shown.summary = s;
		run->shown.mean_w = slow ? s->settled_mean_w : s->mean_w;
	}
	count(&result->info, &run->shown);
	return 0;
}

static int summarise_all(struct ssdpm_survey_result *result,
			 struct ssdpm_error *reterr)
{
	const struct ssdpm_survey_readings *readings =
		ssdpm_survey_file_get_readings(result->info.file,
					       &result->n_runs);
	int err = 0;

	result->runs = calloc(result->n_runs + 1, sizeof(*result->runs));
	if (!result->runs)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; i < result->n_runs && !err; i++)
		err = summarise(result, &result->runs[i], &readings[i], reterr);
	return err;
}

/* Adds a run that counts. */
static void add_run(struct comparison *c, double value, uint32_t policy,
		    uint32_t block)
{
	if (isfinite(value))
		c->runs[c->shown.n_runs++] = (struct ssdpm_survey_run){
			.mean_w = value,
			.policy = policy,
			.scenario = c->scenario,
			.block = block,
		};
}

static void add_readings(const struct ssdpm_survey_result *result,
			 struct comparison *c)
{
	for (size_t i = 0; i < result->n_runs; i++) {
		const struct ssdpm_survey_run_result *run =
			&result->runs[i].shown;
		const struct ssdpm_survey_readings *r = run->readings;

		if (r->status == SSDPM_SURVEY_RUN_COMPLETE &&
		    r->scenario == c->scenario)
			add_run(c,
				c->shown.quantity == SSDPM_SURVEY_POWER ?
					run->mean_w :
					run->latency_us,
				r->policy, r->block);
	}
}

static void add_fio(const struct ssdpm_survey_fio *fio, size_t n,
		    struct comparison *c)
{
	for (size_t i = 0; i < n; i++)
		if (fio[i].status == SSDPM_SURVEY_RUN_COMPLETE &&
		    fio[i].test == c->scenario)
			add_run(c,
				c->shown.quantity == SSDPM_SURVEY_LATENCY ?
					fio[i].latency_us :
					fio[i].bytes_per_s,
				fio[i].policy, fio[i].block);
}

/* Drops policies with too few runs, if others remain. */
static void choose_policies(struct comparison *c)
{
	uint32_t n_runs[SSDPM_SURVEY_MAX_POLICIES] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < c->shown.n_runs; i++)
		n_runs[c->runs[i].policy]++;
	for (uint32_t j = 0; j < SSDPM_SURVEY_MAX_POLICIES; j++)
		if (n_runs[j] >= SURVEY_MIN_BLOCKS)
			c->policies[c->shown.n_policies++] = j;
		else
			c->shown.n_few += n_runs[j] > 0;
	if (c->shown.n_policies < 2)
		return;
	for (size_t i = 0; i < c->shown.n_runs; i++)
		if (n_runs[c->runs[i].policy] >= SURVEY_MIN_BLOCKS)
			c->runs[n++] = c->runs[i];
	c->shown.n_runs = n;
}

/* Adds a comparison, if it has runs. */
static int add_comparison(struct ssdpm_survey_result *result,
			  const struct ssdpm_survey_comparison *shown,
			  uint32_t scenario, struct ssdpm_error *reterr)
{
	struct comparison *c = &result->comparisons[result->n_comparisons];
	const struct ssdpm_survey_fio *fio;
	size_t n_fio;

	fio = ssdpm_survey_file_get_fio(result->info.file, &n_fio);
	c->shown = *shown;
	c->scenario = scenario;
	c->runs = calloc(result->n_runs + n_fio + 1, sizeof(*c->runs));
	if (!c->runs)
		return ssdpm__no_memory(reterr);
	if (shown->fio)
		add_fio(fio, n_fio, c);
	else
		add_readings(result, c);
	if (!c->shown.n_runs) {
		free(c->runs);
		c->runs = NULL;
		return 0;
	}
	choose_policies(c);
	c->shown.runs = c->runs;
	result->n_comparisons++;
	return 0;
}

typedef const char *(*name_fn)(const struct ssdpm_survey_file *file,
			       uint32_t number);

/* Adds the comparisons of two quantities in all scenarios or tests. */
static int add_kind(struct ssdpm_survey_result *result, uint32_t first,
		    name_fn get_name, struct ssdpm_error *reterr)
{
	const struct ssdpm_survey_file *file = result->info.file;
	struct ssdpm_survey_comparison shown = {
		.fio = get_name == ssdpm_survey_file_get_test,
	};
	int err = 0;

	for (shown.quantity = first; shown.quantity <= first + 1;
	     shown.quantity++)
		for (uint32_t i = 0; !err && (shown.of = get_name(file, i));
		     i++)
			err = add_comparison(result, &shown, i, reterr);
	return err;
}

static int add_comparisons(struct ssdpm_survey_result *result,
			   struct ssdpm_error *reterr)
{
	const struct ssdpm_survey_file *file = result->info.file;
	size_t n = 0;
	int err;

	for (uint32_t i = 0; ssdpm_survey_file_get_scenario(file, i); i++)
		n += 2;
	for (uint32_t i = 0; ssdpm_survey_file_get_test(file, i); i++)
		n += 2;
	result->comparisons = calloc(n + 1, sizeof(*result->comparisons));
	if (!result->comparisons)
		return ssdpm__no_memory(reterr);
	err = add_kind(result, SSDPM_SURVEY_POWER,
		       ssdpm_survey_file_get_scenario, reterr);
	return err ? err :
		     add_kind(result, SSDPM_SURVEY_LATENCY,
			      ssdpm_survey_file_get_test, reterr);
}

/* Powers are one family of tests, and their costs another. */
static uint32_t family_of(const struct ssdpm_survey_result *result,
			  const struct comparison *of, uint32_t *ret_n)
{
	bool power = of->shown.quantity == SSDPM_SURVEY_POWER;
	uint32_t n = 0, number = 0;

	for (size_t i = 0; i < result->n_comparisons; i++) {
		const struct comparison *c = &result->comparisons[i];

		if ((c->shown.quantity == SSDPM_SURVEY_POWER) != power ||
		    c->shown.n_policies < 2)
			continue;
		if (c == of)
			number = n;
		n++;
	}
	*ret_n = n;
	return number;
}

/* Changes the file's numbers to those of the analysis. */
static void number_runs(struct comparison *c, uint32_t scenario)
{
	uint32_t number[SSDPM_SURVEY_MAX_POLICIES] = { 0 };

	for (uint32_t j = 0; j < c->shown.n_policies; j++)
		number[c->policies[j]] = j;
	for (size_t i = 0; i < c->shown.n_runs; i++) {
		c->runs[i].policy = number[c->runs[i].policy];
		c->runs[i].scenario = scenario;
	}
}

/* Changes them back. */
static void restore_numbers(struct comparison *c)
{
	uint32_t n = c->shown.n_policies;

	for (size_t i = 0; i < c->shown.n_runs; i++) {
		c->runs[i].policy = c->policies[c->runs[i].policy];
		c->runs[i].scenario = c->scenario;
	}
	for (uint32_t j = 0; j < n; j++)
		c->means[j].policy = c->policies[c->means[j].policy];
	for (uint32_t j = 0; j < n * (n - 1) / 2; j++) {
		struct ssdpm_survey_difference *d = &c->differences[j];

		d->policy = c->policies[d->policy];
		d->other_policy = c->policies[d->other_policy];
	}
}

static int compare(const struct ssdpm_survey_result *result,
		   struct comparison *c, struct ssdpm_error *reterr)
{
	bool power = c->shown.quantity == SSDPM_SURVEY_POWER;
	struct ssdpm_survey_analysis_params params = {
		.size = sizeof(params),
		.error_rate = result->info.error_rate,
		.system_power_w = power ? result->info.system_power_w : 0,
		.n_policies = c->shown.n_policies,
	};
	int err;

	if (c->shown.n_policies < 2) {
		c->shown.reason = SSDPM_SURVEY_REASON_POLICIES;
		c->shown.reason_text = c->why.message;
		ssdpm__fail(
			&c->why, -ENODATA, 0,
			"differences cannot be told from noise: that takes two policies with runs in %d blocks each",
			SURVEY_MIN_BLOCKS);
		return 0;
	}
	params.scenario = family_of(result, c, &params.n_scenarios);
	c->analysis.size = sizeof(c->analysis);
	c->analysis.means = c->means;
	c->analysis.differences = c->differences;
	number_runs(c, params.scenario);
	err = ssdpm_survey_analyse(c->runs, c->shown.n_runs, &params,
				   &c->analysis, &c->why);
	restore_numbers(c);
	if (err == -ENOMEM)
		return ssdpm__pass_on(err, &c->why, reterr);
	if (err) {
		c->shown.reason = err == -ENODATA ? SSDPM_SURVEY_REASON_NOISE :
						    SSDPM_SURVEY_REASON_VALUE;
		c->shown.reason_text = c->why.message;
	} else {
		c->shown.analysis = &c->analysis;
	}
	return 0;
}

/* The system's power that the file states; 0: none. */
static double stated_system_w(const struct ssdpm_survey_file *file)
{
	const char *text = ssdpm_survey_file_get_fact(file, "system_w", 0);
	struct decimal decimal;

	if (!text ||
	    !ssdpm__decimal_read((struct span){ text, text + strlen(text) },
				 false, &decimal))
		return 0;
	double value = ssdpm__decimal_double(&decimal, 0);

	return value > 0 && isfinite(value) ? value : 0;
}

static int take_params(struct ssdpm_survey_result *result,
		       const struct ssdpm_survey_result_params *params,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_survey_result_params known = { .size = sizeof(known) };
	int err = ssdpm__sized_in(&known, sizeof(known), params,
				  "ssdpm_survey_result_params", reterr);

	if (!err)
		err = ssdpm__error_rate(&known.error_rate, reterr);
	if (err)
		return err;
	if (!(known.system_power_w >= 0) || !isfinite(known.system_power_w))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a system has a power of 0 W or more");
	result->name = strdup(known.name ? known.name : "");
	if (!result->name)
		return ssdpm__no_memory(reterr);
	result->info.name = result->name;
	result->info.error_rate = known.error_rate;
	result->info.system_power_w =
		known.system_power_w > 0 ? known.system_power_w :
					   stated_system_w(result->info.file);
	return 0;
}

int ssdpm_survey_result_new(const struct ssdpm_survey_file *file,
			    const struct ssdpm_survey_result_params *params,
			    struct ssdpm_survey_result **ret_result,
			    struct ssdpm_error *reterr)
{
	struct ssdpm_survey_result *result = calloc(1, sizeof(*result));
	int err;

	if (!result)
		return ssdpm__no_memory(reterr);
	result->info.file = file;
	err = take_params(result, params, reterr);
	if (!err)
		err = summarise_all(result, reterr);
	if (!err)
		err = add_comparisons(result, reterr);
	for (size_t i = 0; i < result->n_comparisons && !err; i++)
		err = compare(result, &result->comparisons[i], reterr);
	if (err) {
		ssdpm_survey_result_free(result);
		return err;
	}
	ssdpm__survey_recommend(result);
	*ret_result = result;
	return 0;
}

struct ssdpm_survey_result *ssdpm_survey_result_free(
	struct ssdpm_survey_result *result)
{
	if (!result)
		return NULL;
	for (size_t i = 0; i < result->n_comparisons; i++)
		free(result->comparisons[i].runs);
	free(result->comparisons);
	free(result->runs);
	free(result->name);
	free(result);
	return NULL;
}

const struct ssdpm_survey_result_info *ssdpm_survey_result_get_info(
	const struct ssdpm_survey_result *result)
{
	return &result->info;
}

const struct ssdpm_survey_run_result *ssdpm_survey_result_get_run(
	const struct ssdpm_survey_result *result, size_t index)
{
	return index < result->n_runs ? &result->runs[index].shown : NULL;
}

const struct ssdpm_survey_comparison *ssdpm_survey_result_get_comparison(
	const struct ssdpm_survey_result *result, size_t index)
{
	return index < result->n_comparisons ?
		       &result->comparisons[index].shown :
		       NULL;
}

const struct ssdpm_survey_recommendation *
ssdpm_survey_result_get_recommendation(const struct ssdpm_survey_result *result)
{
	return &result->recommendation;
}

static const char survey_run_status_words[][11] = {
	[SSDPM_SURVEY_RUN_COMPLETE] = "complete",
	[SSDPM_SURVEY_RUN_INCOMPLETE] = "incomplete",
	[SSDPM_SURVEY_RUN_REPLACED] = "replaced",
};
ENUM_WORDS(survey_run_status)

static const char survey_quantity_words[][11] = {
	[SSDPM_SURVEY_POWER] = "power",
	[SSDPM_SURVEY_LATENCY] = "latency",
	[SSDPM_SURVEY_THROUGHPUT] = "throughput",
};
ENUM_WORDS(survey_quantity)

static const char survey_reason_words[][9] = {
	[SSDPM_SURVEY_REASON_POLICIES] = "policies",
	[SSDPM_SURVEY_REASON_NOISE] = "noise",
	[SSDPM_SURVEY_REASON_VALUE] = "value",
	[SSDPM_SURVEY_REASON_SAME] = "same",
	[SSDPM_SURVEY_REASON_NO_RUN] = "no-run",
	[SSDPM_SURVEY_REASON_DRIVES] = "drives",
};
ENUM_WORDS(survey_reason)

static const char survey_advice_words[][10] = {
	[SSDPM_SURVEY_ADVICE_UNDECIDED] = "undecided",
	[SSDPM_SURVEY_ADVICE_NOT_SHOWN] = "not-shown",
	[SSDPM_SURVEY_ADVICE_KEEP] = "keep",
	[SSDPM_SURVEY_ADVICE_CHANGE] = "change",
};
ENUM_WORDS(survey_advice)
