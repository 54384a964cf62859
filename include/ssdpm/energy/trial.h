/* SPDX-License-Identifier: MIT */
/*
 * Trials: whether setting B saves power against setting A, on a running
 * machine.
 *
 *     coin -> blocks of A and B -> readings of a meter -> saving, decision
 *
 * The stage is pure: the caller sets, waits and reads. See ssdpm_trial(3).
 */
#ifndef SSDPM_TRIAL_H
#define SSDPM_TRIAL_H

#include <ssdpm/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The setting of a block. */
enum ssdpm_trial_setting {
	SSDPM_TRIAL_A = 1, /* the one before the trial */
	SSDPM_TRIAL_B = 2, /* the one that may save power */
};

/** What a trial decides. */
enum ssdpm_trial_decision {
	SSDPM_TRIAL_NOT_YET = 1, /* go on */
	SSDPM_TRIAL_SAVES = 2,	 /* B draws less: the interval is above 0 */
	SSDPM_TRIAL_COSTS = 3,	 /* B draws more: the interval is below 0 */
	/* It resolves neither what is likely nor what shows so far: stop. */
	SSDPM_TRIAL_HOPELESS = 4,
	SSDPM_TRIAL_UNDECIDED = 5, /* the time limit is reached */
};

/**
 * struct ssdpm_trial_params - how to try (sized parameters)
 * @size:        sizeof(struct ssdpm_trial_params)
 * @seed:        of the coin that draws the order of each pair. The trial proves
 *               nothing unless the caller draws it at random
 * @update_ns:   from one new reading of the meter to the next; at most 1 h
 * @response_ns: how long power before a reading still changes it: the window of
 *               a meter that averages; at most 1 h
 * @block_ns:    length of a block; 0: the shortest that is allowed. That is 30
 *               s, 3 updates, or 20 s and an update after what is dropped
 * @limit_ns:    time for all blocks, at most 7 days; 0: 30 minutes, or
 *               6 pairs if they take longer
 * @likely_uw:   saving that the caller expects, at most 1 kW; 0: unknown
 */
struct ssdpm_trial_params {
	size_t size;
	uint64_t seed;
	uint64_t update_ns;
	uint64_t response_ns;
	uint64_t block_ns;
	uint64_t limit_ns;
	uint64_t likely_uw;
};

/**
 * struct ssdpm_trial_block - what to set now (sized result)
 * @size:     set by the caller
 * @index:    0 for the first block; two make a pair
 * @start_ns: when it started
 * @count_ns: readings count from here on: 10 s later, two response times, or a
 *            response time and an update
 * @end_ns:   and up to here, itself not counted
 * @setting:  enum ssdpm_trial_setting; 0: no block is left
 * @reserved: 0
 */
struct ssdpm_trial_block {
	size_t size;
	uint64_t index;
	int64_t start_ns;
	int64_t count_ns;
	int64_t end_ns;
	uint32_t setting;
	uint32_t reserved;
};

/**
 * struct ssdpm_trial_state - what is known so far (sized result)
 * @size:         set by the caller
 * @n_pairs:      complete pairs of blocks
 * @max_pairs:    that the time limit has room for
 * @saving_w:     estimate of the power of A less that of B; NaN: no pair
 * @low_w:        confidence sequence of 95 %: it holds for all numbers of pairs
 *                together; -infinity before 6 pairs
 * @high_w:       likewise; infinity before 6 pairs
 * @resolvable_w: half of its expected width at the time limit; NaN before 4
 *                pairs
 * @decision:     enum ssdpm_trial_decision
 * @reserved:     0
 */
struct ssdpm_trial_state {
	size_t size;
	uint64_t n_pairs;
	uint64_t max_pairs;
	double saving_w;
	double low_w;
	double high_w;
	double resolvable_w;
	uint32_t decision;
	uint32_t reserved;
};

struct ssdpm_trial;

/**
 * ssdpm_trial_new() - a trial without a block
 * @ret_trial: free it with ssdpm_trial_free()
 *
 * Return: 0; -ERANGE (a number above its limit, a block shorter than allowed, a
 * time limit without room for 6 pairs: @reterr names the least), -E2BIG,
 * -EINVAL (@params), -ENOMEM.
 */
SSDPM_API int ssdpm_trial_new(const struct ssdpm_trial_params *params,
			      struct ssdpm_trial **ret_trial,
			      struct ssdpm_error *reterr);

/** ssdpm_trial_free() - @trial may be NULL. Return: NULL. */
SSDPM_API struct ssdpm_trial *ssdpm_trial_free(struct ssdpm_trial *trial);

/**
 * ssdpm_trial_next() - the block of a time
 * @now_ns:    on the clock of the readings
 * @ret_block: its size member is set by the caller
 *
 * The first call starts the first block. Later calls return the same block
 * until it has ended; then they complete it and start the next one at @now_ns.
 * Change the setting after this call, if the block has another one.
 *
 * Return: 0; -ENODATA (the meter gave no reading that counts in the block: the
 * trial cannot go on), -ERANGE (@now_ns is before the start of the block, or so
 * late that times overflow), -EINVAL, -E2BIG (@ret_block).
 */
SSDPM_API int ssdpm_trial_next(struct ssdpm_trial *trial, int64_t now_ns,
			       struct ssdpm_trial_block *ret_block,
			       struct ssdpm_error *reterr);

/**
 * ssdpm_trial_feed() - a reading of the meter
 * @time_ns: when it was read
 * @power_w: what it says, up to 1 MW; all readings of a block count alike
 *
 * Readings outside of the counted part of the block change nothing.
 *
 * Return: 0; -EINVAL (NaN), -ERANGE (infinite, or above 1 MW).
 */
SSDPM_API int ssdpm_trial_feed(struct ssdpm_trial *trial, int64_t time_ns,
			       double power_w, struct ssdpm_error *reterr);

/**
 * ssdpm_trial_get_state() - what the complete pairs show
 * @ret_state: its size member is set by the caller
 *
 * May be called at any time. The error rates hold however often it is called,
 * and whenever the caller stops: see ssdpm_trial(3).
 *
 * Return: 0; -EINVAL, -E2BIG (its size).
 */
SSDPM_API int ssdpm_trial_get_state(const struct ssdpm_trial *trial,
				    struct ssdpm_trial_state *ret_state,
				    struct ssdpm_error *reterr);

/** ssdpm_trial_setting_to_string() - "a", "b", or NULL */
SSDPM_API const char *ssdpm_trial_setting_to_string(uint32_t setting);
SSDPM_API uint32_t ssdpm_trial_setting_from_string(const char *word);

/** ssdpm_trial_decision_to_string() - "not-yet", "saves" and so on, or NULL */
SSDPM_API const char *ssdpm_trial_decision_to_string(uint32_t decision);
SSDPM_API uint32_t ssdpm_trial_decision_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
