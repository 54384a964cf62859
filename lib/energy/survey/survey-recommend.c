/* SPDX-License-Identifier: MIT */
/* Which policy a survey speaks for. */
#include "survey/internal.h"

#include <errno.h>
#include <string.h>

#include "base/internal.h"
#include "common/data-risk.h"

int ssdpm_survey_comparison_get_difference(
	const struct ssdpm_survey_comparison *comparison, uint32_t policy,
	uint32_t other_policy, struct ssdpm_survey_difference *ret_difference)
{
	uint32_t n = comparison->n_policies;

	for (uint32_t i = 0; comparison->analysis && i < n * (n - 1) / 2; i++) {
		struct ssdpm_survey_difference d =
			comparison->analysis->differences[i];

		if (d.policy == policy && d.other_policy == other_policy) {
			*ret_difference = d;
			return 0;
		}
		if (d.policy != other_policy || d.other_policy != policy)
			continue;
		*ret_difference = (struct ssdpm_survey_difference){
			.policy = policy,
			.other_policy = other_policy,
			.difference_w = -d.difference_w,
			.se_w = d.se_w,
			.low_w = -d.high_w,
			.high_w = -d.low_w,
			.p = d.p,
			.share = -d.share,
			.different = d.different,
		};
		return 0;
	}
	return -ENOENT;
}

/* What most machines do most of the time: nothing. */
static const struct comparison *main_comparison(
	const struct ssdpm_survey_result *result)
{
	const struct comparison *first = NULL;

	for (size_t i = 0; i < result->n_comparisons; i++) {
		const struct comparison *c = &result->comparisons[i];

		if (c->shown.quantity != SSDPM_SURVEY_POWER || c->shown.reason)
			continue;
		if (!strcmp(c->shown.of, "idle"))
			return c;
		if (!first)
			first = c;
	}
	return first;
}

/* The policy that all drives had, "host0 lpm=x"; NULL: there is no one. */
static const char *found_policy(const struct ssdpm_survey_file *file)
{
	const char *found = NULL, *fact;

	for (size_t i = 0;
	     (fact = ssdpm_survey_file_get_fact(file, "found", i)); i++) {
		const char *space = strchr(fact, ' ');
		const char *policy = space ? space + 1 : fact;

		if (found && strcmp(found, policy) != 0)
			return NULL;
		found = policy;
	}
	return found;
}

/* Its number, where it is one of those that are compared. */
static uint32_t find_found(const struct ssdpm_survey_file *file,
			   const struct comparison *c)
{
	const char *found = found_policy(file);

	for (uint32_t i = 0; found && i < c->shown.n_policies; i++) {
		uint32_t policy = c->means[i].policy;

		if (!strcmp(ssdpm_survey_file_get_policy(file, policy), found))
			return policy;
	}
	return SSDPM_SURVEY_NO_POLICY;
}

/* The first one whose mean, by the sign, is the largest. */
static uint32_t extreme(const struct comparison *c, double sign)
{
	uint32_t at = 0;

	for (uint32_t i = 1; i < c->shown.n_policies; i++)
		if (sign * c->means[i].mean_w > sign * c->means[at].mean_w)
			at = i;
	return c->means[at].policy;
}

/* What a survey like this one would have found. */
static double detectable_w(const struct ssdpm_survey_result *result,
			   const struct comparison *c)
{
	/* The noise is of runs of this length, whatever it is. */
	const struct ssdpm_survey_noise noise = {
		.se_w = c->analysis.sigma_w / 1000,
		.se_df = 1,
		.covered_ns = 2,
		.run_sigma_w = c->analysis.sigma_w,
		.run_sigma_df = c->analysis.df,
	};
	struct ssdpm_survey_params params = {
		.size = sizeof(params),
		.settle_ns = 1,
		.interval_ns = 1,
		.duration_ns = 2,
		.n_policies = c->shown.n_policies,
		.n_blocks = c->analysis.n_blocks,
	};
	struct ssdpm_survey_detectable found;

	for (size_t i = 0; i < result->n_comparisons; i++) {
		const struct ssdpm_survey_comparison *one =
			&result->comparisons[i].shown;

		params.n_scenarios += one->quantity == SSDPM_SURVEY_POWER &&
				      one->n_policies > 1;
	}
	if (ssdpm_survey_detectable(&params, &noise, result->info.error_rate, 0,
				    &found, NULL))
		return NAN;
	return found.difference_w;
}

/* A survey names a link policy "lpm=med_power_with_dipm". */
static bool risks_data(const struct ssdpm_survey_file *file, uint32_t policy)
{
	static const char prefix[] = "lpm=";
	const char *name = ssdpm_survey_file_get_policy(file, policy);

	return name && !strncmp(name, prefix, strlen(prefix)) &&
	       ssdpm__risks_data(ssdpm_lpm_from_string(name + strlen(prefix)));
}

void ssdpm__survey_recommend(struct ssdpm_survey_result *result)
{
	struct ssdpm_survey_recommendation *r = &result->recommendation;
	const struct comparison *c = main_comparison(result);
	struct ssdpm_survey_difference saving;

	*r = (struct ssdpm_survey_recommendation){
		.kind = SSDPM_SURVEY_ADVICE_UNDECIDED,
		.policy = SSDPM_SURVEY_NO_POLICY,
		.from = SSDPM_SURVEY_NO_POLICY,
		.detectable_w = NAN,
	};
	if (!c)
		return;
	uint32_t best = extreme(c, -1);

	r->comparison = &c->shown;
	r->detectable_w = detectable_w(result, c);
	r->from = find_found(result->info.file, c);
	r->was_found = r->from != SSDPM_SURVEY_NO_POLICY;
	if (!r->was_found)
		r->from = extreme(c, 1);
	if (!ssdpm_survey_comparison_get_difference(&c->shown, best, r->from,
						    &saving) &&
	    saving.different) {
		r->kind = SSDPM_SURVEY_ADVICE_CHANGE;
		r->policy = best;
	} else if (r->was_found && c->analysis.n_different) {
		r->kind = SSDPM_SURVEY_ADVICE_KEEP;
		r->policy = r->from;
	} else {
		r->kind = SSDPM_SURVEY_ADVICE_NOT_SHOWN;
	}
	r->risks_data = risks_data(result->info.file, r->policy);
}
