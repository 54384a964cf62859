/* SPDX-License-Identifier: MIT */
/* Writes the results of surveys as JSON; survey.keys has the keys. */
#include <ssdpm/energy/json.h>

#include <math.h>
#include <stdio.h>

#include "base/json-text.h"

/* A survey and the content of its file. */
struct whole {
	const struct ssdpm_survey_result_info *info;
	const struct ssdpm_survey_params *params;
	const struct ssdpm_survey_counts *counts;
	size_t n_comparisons;
	size_t n_runs;
};

/* Numbers of policies, and their names. */
struct named_run {
	const struct ssdpm_survey_run_result *run;
	const struct ssdpm_survey_readings *readings;
	const char *policy;
	const char *scenario;
};

struct named_comparison {
	const struct ssdpm_survey_file *file;
	const struct ssdpm_survey_comparison *c;
	struct ssdpm_survey_analysis analysis;
	size_t n_means;
	size_t n_differences;
};

struct named_mean {
	const struct ssdpm_survey_mean *mean;
	const char *policy;
	uint32_t quantity;
};

struct named_difference {
	const struct ssdpm_survey_difference *d;
	const char *policy;
	const char *other_policy;
	uint32_t quantity;
};

struct advised {
	const struct ssdpm_survey_recommendation *recommendation;
	const char *policy;
	const char *from;
	const char *scenario;
	struct ssdpm_survey_words words;
};

/* The key of a value has the unit of its quantity. */
static void write_quantity(struct json_writer *w, const char *key, double value,
			   uint32_t quantity)
{
	static const struct {
		const char *unit;
		double scale;
	} units[] = {
		[SSDPM_SURVEY_POWER] = { "uw", 1e6 },
		[SSDPM_SURVEY_LATENCY] = { "ns", 1e3 },
		[SSDPM_SURVEY_THROUGHPUT] = { "bytes_per_s", 1 },
	};
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", key, units[quantity].unit);
	ssdpm__json_scaled(w, name, value, units[quantity].scale);
}

static const char *fact(const struct whole *s, const char *key, size_t i)
{
	return ssdpm_survey_file_get_fact(s->info->file, key, i);
}

static size_t count_facts(const struct whole *s, const char *key)
{
	size_t n = 0;

	while (fact(s, key, n))
		n++;
	return n;
}

static const char *policy_name(const struct whole *s, size_t i)
{
	return ssdpm_survey_file_get_policy(s->info->file, (uint32_t)i);
}

static bool get_run(const struct whole *s,
		    const struct ssdpm_survey_result *result, size_t i,
		    struct named_run *ret_run)
{
	const struct ssdpm_survey_run_result *run =
		ssdpm_survey_result_get_run(result, i);

	*ret_run = (struct named_run){
		.run = run,
		.readings = run->readings,
		.policy = ssdpm_survey_file_get_policy(s->info->file,
						       run->readings->policy),
		.scenario = ssdpm_survey_file_get_scenario(
			s->info->file, run->readings->scenario),
	};
	return true;
}

static bool get_comparison(const struct whole *s,
			   const struct ssdpm_survey_result *result,
			   const char *quantity, size_t i,
			   struct named_comparison *ret)
{
	const struct ssdpm_survey_comparison *c =
		ssdpm_survey_result_get_comparison(result, i);

	*ret = (struct named_comparison){
		.file = s->info->file,
		.c = c,
		.analysis = { .sigma_w = NAN, .block_sigma_w = NAN },
	};
	if (c->analysis) {
		ret->analysis = *c->analysis;
		ret->n_means = c->n_policies;
		ret->n_differences =
			(size_t)c->n_policies * (c->n_policies - 1) / 2;
	}
	return c->quantity == ssdpm_survey_quantity_from_string(quantity);
}

static bool get_mean(const struct named_comparison *n, size_t i,
		     struct named_mean *ret_mean)
{
	const struct ssdpm_survey_mean *mean = &n->analysis.means[i];

	*ret_mean = (struct named_mean){
		.mean = mean,
		.policy = ssdpm_survey_file_get_policy(n->file, mean->policy),
		.quantity = n->c->quantity,
	};
	return true;
}

static bool get_difference(const struct named_comparison *n, size_t i,
			   struct named_difference *ret)
{
	const struct ssdpm_survey_difference *d = &n->analysis.differences[i];

	*ret = (struct named_difference){
		.d = d,
		.policy = ssdpm_survey_file_get_policy(n->file, d->policy),
		.other_policy =
			ssdpm_survey_file_get_policy(n->file, d->other_policy),
		.quantity = n->c->quantity,
	};
	return true;
}

static size_t count_parts(const struct ssdpm_survey_merge *merge)
{
	size_t n = 0;

	while (ssdpm_survey_merge_get_part(merge, n))
		n++;
	return n;
}

static bool get_part(const struct ssdpm_survey_merge *merge, size_t i,
		     struct ssdpm_survey_merge_part *ret_part)
{
	*ret_part = *ssdpm_survey_merge_get_part(merge, i);
	return true;
}

static size_t count_rows(const struct ssdpm_survey_merge *merge)
{
	size_t n = 0;

	while (ssdpm_survey_merge_get_row(merge, n))
		n++;
	return n;
}

static bool get_row(const struct ssdpm_survey_merge *merge,
		    const char *quantity, size_t i,
		    struct ssdpm_survey_merge_row *ret_row)
{
	*ret_row = *ssdpm_survey_merge_get_row(merge, i);
	return ret_row->quantity == ssdpm_survey_quantity_from_string(quantity);
}

#include "survey-json.h"

static void take(const struct ssdpm_survey_result *result,
		 const struct ssdpm_survey_words *words,
		 struct whole *ret_whole, struct advised *ret_advised)
{
	const struct ssdpm_survey_result_info *info =
		ssdpm_survey_result_get_info(result);
	const struct ssdpm_survey_recommendation *r =
		ssdpm_survey_result_get_recommendation(result);
	const struct ssdpm_survey_file *file = info->file;

	*ret_whole = (struct whole){
		.info = info,
		.params = ssdpm_survey_file_get_params(file),
		.counts = ssdpm_survey_file_get_counts(file),
	};
	while (ssdpm_survey_result_get_comparison(result,
						  ret_whole->n_comparisons))
		ret_whole->n_comparisons++;
	while (ssdpm_survey_result_get_run(result, ret_whole->n_runs))
		ret_whole->n_runs++;
	*ret_advised = (struct advised){
		.recommendation = r,
		.policy = ssdpm_survey_file_get_policy(file, r->policy),
		.from = ssdpm_survey_file_get_policy(file, r->from),
		.scenario = r->comparison ? r->comparison->of : NULL,
	};
	if (words)
		ret_advised->words = *words;
}

int ssdpm_survey_result_to_json(const struct ssdpm_survey_result *result,
				const struct ssdpm_survey_words *words,
				char **ret_text, struct ssdpm_error *reterr)
{
	struct json_writer w = { 0 };
	struct advised advised;
	struct whole whole;

	if (words && words->n_lines && !words->lines)
		return ssdpm__missing("lines", reterr);
	take(result, words, &whole, &advised);
	ssdpm__json_begin(&w, NULL, '{');
	write_survey(&w, result, &whole, &advised);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}

int ssdpm_survey_merge_to_json(const struct ssdpm_survey_merge *merge,
			       char **ret_text, struct ssdpm_error *reterr)
{
	struct json_writer w = { 0 };

	ssdpm__json_begin(&w, NULL, '{');
	write_merge(&w, merge, ssdpm_survey_merge_get_info(merge));
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}
