/* SPDX-License-Identifier: MIT */
/* Two settings in blocks of random order, and the evidence of their pairs. */
#include <ssdpm/energy/trial.h>

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"
#include "base/words.h"
#include "common/elementary.h"
#include "common/random.h"
#include "trial/mixture.h"

#define SECOND_NS UINT64_C(1000000000)
#define HOUR_NS (3600 * SECOND_NS)
#define MIN_BLOCK_NS (30 * SECOND_NS)
#define MIN_SETTLE_NS (10 * SECOND_NS)
#define MIN_COUNTED_NS (20 * SECOND_NS)
#define MIN_UPDATES 3
#define DEFAULT_LIMIT_NS (HOUR_NS / 2)
#define MAX_LIMIT_NS (7 * 24 * HOUR_NS)
#define MAX_LIKELY_UW UINT64_C(1000000000)
#define MAX_POWER_W 1e6

/* With fewer pairs the noise is unknown. */
#define PAIRS_TO_FORESEE 4
/* The unit of evidence if the caller expects nothing. */
#define UNKNOWN_LIKELY_W 0.1

static const char trial_setting_words[][2] = {
	[SSDPM_TRIAL_A] = "a",
	[SSDPM_TRIAL_B] = "b",
};
ENUM_WORDS(trial_setting)

static const char trial_decision_words[][10] = {
	[SSDPM_TRIAL_NOT_YET] = "not-yet",
	[SSDPM_TRIAL_SAVES] = "saves",
	[SSDPM_TRIAL_COSTS] = "costs",
	[SSDPM_TRIAL_HOPELESS] = "hopeless",
	[SSDPM_TRIAL_UNDECIDED] = "undecided",
};
ENUM_WORDS(trial_decision)

struct ssdpm_trial {
	struct random coin;
	uint64_t settle_ns;
	uint64_t block_ns;
	double likely_w; /* 0: unknown */
	size_t max_pairs;
	struct ssdpm_trial_block block; /* setting 0: none */
	double sum_w;			/* of the readings that count */
	uint64_t n_readings;
	double first_w; /* mean of the first block of the pair */
	size_t n_pairs;
	double differences_w[]; /* A less B */
};

static uint64_t most_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static int check_limits(const struct ssdpm_trial_params *p,
			struct ssdpm_error *reterr)
{
	if (p->update_ns > HOUR_NS || p->response_ns > HOUR_NS)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "update and response: at most an hour each");
	if (p->block_ns > MAX_LIMIT_NS || p->limit_ns > MAX_LIMIT_NS)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "block and limit: at most 7 days each");
	if (p->likely_uw > MAX_LIKELY_UW)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "likely saving: at most 1 kW");
	return 0;
}

/* The time to drop from each block, where the setting before may still show. */
static uint64_t settle_ns_of(const struct ssdpm_trial_params *p)
{
	return most_of(MIN_SETTLE_NS,
		       p->response_ns + most_of(p->response_ns, p->update_ns));
}

static int choose_block(struct ssdpm_trial_params *p, uint64_t settle_ns,
			struct ssdpm_error *reterr)
{
	uint64_t least = most_of(MIN_BLOCK_NS, MIN_UPDATES * p->update_ns);

	least = most_of(least,
			settle_ns + most_of(MIN_COUNTED_NS, p->update_ns));
	if (!p->block_ns)
		p->block_ns = least;
	if (p->block_ns < least)
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"block: at least %llu s for this meter",
			(unsigned long long)((least + SECOND_NS - 1) /
					     SECOND_NS));
	if (!p->limit_ns)
		p->limit_ns = most_of(DEFAULT_LIMIT_NS,
				      2 * TRIAL_MIN_PAIRS * p->block_ns);
	if (p->limit_ns / (2 * p->block_ns) < TRIAL_MIN_PAIRS)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "limit: %u pairs of blocks need %llu s",
				   TRIAL_MIN_PAIRS,
				   (unsigned long long)((2 * TRIAL_MIN_PAIRS *
								 p->block_ns +
							 SECOND_NS - 1) /
							SECOND_NS));
	return 0;
}

int ssdpm_trial_new(const struct ssdpm_trial_params *params,
		    struct ssdpm_trial **ret_trial, struct ssdpm_error *reterr)
{
	struct ssdpm_trial_params known = { .size = sizeof(known) };
	uint64_t settle_ns = 0;
	int err = ssdpm__sized_in(&known, sizeof(known), params,
				  "ssdpm_trial_params", reterr);

	if (!err)
		err = check_limits(&known, reterr);
	if (!err) {
		settle_ns = settle_ns_of(&known);
		err = choose_block(&known, settle_ns, reterr);
	}
	if (err)
		return err;
	size_t max_pairs = (size_t)(known.limit_ns / (2 * known.block_ns));
	struct ssdpm_trial *trial =
		calloc(1, sizeof(*trial) +
				  max_pairs * sizeof(trial->differences_w[0]));

	if (!trial)
		return ssdpm__no_memory(reterr);
	ssdpm__random_seed(&trial->coin, known.seed);
	trial->settle_ns = settle_ns;
	trial->block_ns = known.block_ns;
	trial->likely_w = (double)known.likely_uw / 1e6;
	trial->max_pairs = max_pairs;
	trial->block.size = sizeof(trial->block);
	*ret_trial = trial;
	return 0;
}

struct ssdpm_trial *ssdpm_trial_free(struct ssdpm_trial *trial)
{
	free(trial);
	return NULL;
}

static int complete_block(struct ssdpm_trial *trial, struct ssdpm_error *reterr)
{
	if (!trial->n_readings)
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"no reading of the meter counts in block %llu",
			(unsigned long long)trial->block.index);
	double mean_w = trial->sum_w / (double)trial->n_readings;

	if (trial->block.index % 2 == 0) {
		trial->first_w = mean_w;
		return 0;
	}
	trial->differences_w[trial->n_pairs++] =
		trial->block.setting == SSDPM_TRIAL_B ?
			trial->first_w - mean_w :
			mean_w - trial->first_w;
	return 0;
}

/* Each pair starts with the coin's setting and ends with the other. */
static uint32_t next_setting(struct ssdpm_trial *trial, uint64_t index)
{
	if (index == 2 * (uint64_t)trial->max_pairs)
		return 0;
	if (index % 2)
		return SSDPM_TRIAL_A + SSDPM_TRIAL_B - trial->block.setting;
	return ssdpm__random_next(&trial->coin) >> 63 ? SSDPM_TRIAL_A :
							SSDPM_TRIAL_B;
}

static void start_block(struct ssdpm_trial *trial, uint64_t index,
			int64_t now_ns)
{
	trial->block.setting = next_setting(trial, index);
	trial->block.index = index;
	trial->block.start_ns = now_ns;
	trial->block.count_ns = now_ns + (int64_t)trial->settle_ns;
	trial->block.end_ns = now_ns + (int64_t)trial->block_ns;
	trial->sum_w = 0;
	trial->n_readings = 0;
}

static bool has_begun(const struct ssdpm_trial *trial)
{
	return trial->block.end_ns != trial->block.start_ns;
}

int ssdpm_trial_next(struct ssdpm_trial *trial, int64_t now_ns,
		     struct ssdpm_trial_block *ret_block,
		     struct ssdpm_error *reterr)
{
	bool begun = has_begun(trial);
	int err = ssdpm__sized_check(ret_block, sizeof(*ret_block),
				     "ssdpm_trial_block", reterr);

	if (err)
		return err;
	if (now_ns > INT64_MAX - (int64_t)trial->block_ns)
		return ssdpm__fail(reterr, -ERANGE, 0, "the time overflows");
	if (begun && now_ns < trial->block.start_ns)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "the time is before the start of block %llu",
				   (unsigned long long)trial->block.index);
	if (!begun) {
		start_block(trial, 0, now_ns);
	} else if (trial->block.setting && now_ns >= trial->block.end_ns) {
		err = complete_block(trial, reterr);
		if (err)
			return err;
		start_block(trial, trial->block.index + 1, now_ns);
	}
	ssdpm__sized_out(ret_block, &trial->block, sizeof(trial->block));
	return 0;
}

int ssdpm_trial_feed(struct ssdpm_trial *trial, int64_t time_ns, double power_w,
		     struct ssdpm_error *reterr)
{
	if (power_w != power_w)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the reading is not a number");
	if (!(fabs(power_w) <= MAX_POWER_W))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "the reading is above 1 MW");
	if (!trial->block.setting || time_ns < trial->block.count_ns ||
	    time_ns >= trial->block.end_ns)
		return 0;
	trial->sum_w += power_w;
	trial->n_readings++;
	return 0;
}

static uint32_t decide(const struct ssdpm_trial *trial,
		       const struct ssdpm_trial_state *state)
{
	if (state->low_w > 0)
		return SSDPM_TRIAL_SAVES;
	if (state->high_w < 0)
		return SSDPM_TRIAL_COSTS;
	if (state->n_pairs == state->max_pairs)
		return SSDPM_TRIAL_UNDECIDED;
	/*
	 * A saving that shows already is worth the time, whatever is likely.
	 * NaN compares false.
	 */
	if (trial->likely_w > 0 && trial->likely_w < state->resolvable_w &&
	    fabs(state->saving_w) < state->resolvable_w)
		return SSDPM_TRIAL_HOPELESS;
	return SSDPM_TRIAL_NOT_YET;
}

/* Assumes that future pairs repeat the past ones. */
static double resolvable_w(struct differences differences, size_t max_pairs)
{
	differences.repeat = (double)max_pairs / (double)differences.n;
	return (ssdpm__trial_high_w(&differences) -
		ssdpm__trial_low_w(&differences)) /
	       2;
}

int ssdpm_trial_get_state(const struct ssdpm_trial *trial,
			  struct ssdpm_trial_state *ret_state,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_trial_state state = {
		.size = sizeof(state),
		.n_pairs = trial->n_pairs,
		.max_pairs = trial->max_pairs,
		.saving_w = NAN,
		.low_w = -INFINITY,
		.high_w = INFINITY,
		.resolvable_w = NAN,
	};
	struct differences differences = {
		.w = trial->differences_w,
		.n = trial->n_pairs,
		.unit_w = trial->likely_w > 0 ? trial->likely_w :
						UNKNOWN_LIKELY_W,
		.repeat = 1,
	};
	int err = ssdpm__sized_check(ret_state, sizeof(state),
				     "ssdpm_trial_state", reterr);

	if (err)
		return err;
	if (state.n_pairs)
		state.saving_w = ssdpm__trial_middle_w(&differences);
	if (state.n_pairs >= TRIAL_MIN_PAIRS) {
		state.low_w = ssdpm__trial_low_w(&differences);
		state.high_w = ssdpm__trial_high_w(&differences);
	}
	if (state.n_pairs >= PAIRS_TO_FORESEE)
		state.resolvable_w =
			resolvable_w(differences, trial->max_pairs);
	state.decision = decide(trial, &state);
	ssdpm__sized_out(ret_state, &state, sizeof(state));
	return 0;
}
