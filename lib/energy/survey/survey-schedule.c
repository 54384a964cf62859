/* SPDX-License-Identifier: MIT */
/* In which order a survey runs its policies, and how long it takes. */
#include "survey/internal.h"

#include <errno.h>

#include "base/internal.h"
#include "common/random.h"

#define SETTLE_NS UINT64_C(600000000000)
#define INTERVAL_NS UINT64_C(3000000000)
#define DURATION_NS UINT64_C(900000000000)
#define BLOCKS 5
#define MAX_NS (UINT64_C(1) << 62)

static bool has_numbers(const struct ssdpm_survey_params *params)
{
	return params->n_policies >= 2 &&
	       params->n_policies <= SSDPM_SURVEY_MAX_POLICIES &&
	       params->n_scenarios >= 1 &&
	       params->n_scenarios <= SSDPM_SURVEY_MAX_SCENARIOS &&
	       params->n_blocks <= SSDPM_SURVEY_MAX_BLOCKS;
}

static uint64_t count_steps(const struct ssdpm_survey_params *params)
{
	return (uint64_t)params->n_policies * params->n_scenarios *
	       params->n_blocks;
}

static int check_times(const struct ssdpm_survey_params *params,
		       struct ssdpm_error *reterr)
{
	uint64_t n = params->duration_ns / params->interval_ns;

	if (n < 2 || n > UINT32_MAX)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"a run of a survey has 2 to 2^32 readings: its duration by its interval");
	if (params->settle_ns > MAX_NS || params->duration_ns > MAX_NS ||
	    params->settle_ns + params->duration_ns >
		    MAX_NS / count_steps(params))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the survey is longer than 2^62 ns");
	return 0;
}

int ssdpm__survey_params(const struct ssdpm_survey_params *params,
			 struct ssdpm_survey_params *known,
			 struct ssdpm_error *reterr)
{
	int err = ssdpm__sized_in(known, sizeof(*known), params,
				  "ssdpm_survey_params", reterr);

	if (!err)
		err = ssdpm__check_reserved(known->reserved,
					    "ssdpm_survey_params", reterr);
	if (err)
		return err;
	if (!has_numbers(known))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"a survey has 2 to %d policies, 1 to %d scenarios and up to %d blocks",
			SSDPM_SURVEY_MAX_POLICIES, SSDPM_SURVEY_MAX_SCENARIOS,
			SSDPM_SURVEY_MAX_BLOCKS);
	if (!known->settle_ns)
		known->settle_ns = SETTLE_NS;
	if (!known->interval_ns)
		known->interval_ns = INTERVAL_NS;
	if (!known->duration_ns)
		known->duration_ns = DURATION_NS;
	if (!known->n_blocks)
		known->n_blocks = BLOCKS;
	return check_times(known, reterr);
}

/* 0 to n - 1 in random order (Fisher and Yates; Durstenfeld 1964). */
static void shuffle(struct random *random, uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n; i-- > 1;) {
		uint32_t k = (uint32_t)ssdpm__random_below(random, i + 1);
		uint32_t moved = order[i];

		order[i] = order[k];
		order[k] = moved;
	}
}

static struct ssdpm_survey_step make_step(
	const struct ssdpm_survey_params *params, uint64_t i)
{
	uint64_t run_ns = params->settle_ns + params->duration_ns;

	return (struct ssdpm_survey_step){
		.begin_ns = i * run_ns,
		.measure_ns = i * run_ns + params->settle_ns,
		.end_ns = (i + 1) * run_ns,
		.n_samples =
			(uint32_t)(params->duration_ns / params->interval_ns),
	};
}

/* A block, whose first step has that number. */
static void fill_block(const struct ssdpm_survey_params *params,
		       struct random *random, uint32_t block,
		       struct ssdpm_survey_step *steps, size_t capacity)
{
	uint32_t scenarios[SSDPM_SURVEY_MAX_SCENARIOS];
	uint32_t policies[SSDPM_SURVEY_MAX_POLICIES];
	uint64_t at =
		(uint64_t)block * params->n_scenarios * params->n_policies;

	shuffle(random, scenarios, params->n_scenarios);
	for (uint32_t i = 0; i < params->n_scenarios; i++) {
		shuffle(random, policies, params->n_policies);
		for (uint32_t k = 0; k < params->n_policies; k++, at++) {
			if (at >= capacity)
				return;
			steps[at] = make_step(params, at);
			steps[at].block = block;
			steps[at].scenario = scenarios[i];
			steps[at].policy = policies[k];
		}
	}
}

int ssdpm_survey_schedule(const struct ssdpm_survey_params *params,
			  struct ssdpm_survey_step *ret_steps, size_t capacity,
			  size_t *ret_n, uint64_t *ret_total_ns,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_survey_params known = { .size = sizeof(known) };
	struct random random;
	int err = ssdpm__survey_params(params, &known, reterr);

	if (err)
		return err;
	uint64_t n = count_steps(&known);

	ssdpm__random_seed(&random, known.seed);
	for (uint32_t block = 0; block < known.n_blocks; block++)
		fill_block(&known, &random, block, ret_steps, capacity);
	*ret_n = (size_t)n;
	*ret_total_ns = n * (known.settle_ns + known.duration_ns);
	return 0;
}
