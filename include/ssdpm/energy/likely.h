/* SPDX-License-Identifier: MIT */
/*
 * Likely ranges: the range that holds a saving in 90 of 100 cases, and a word
 * for its sign. They rest on stated assumptions about the unknowns of a drive.
 *
 *     two simulations + priors -> range, chance, word, what would decide it
 *
 * And of one simulation the mean power, so that a measurement can be held
 * against it.
 *
 * The possible range of ssdpm_sim_get_saving() is certain and wide; this one is
 * narrower, and no more certain than its priors: see ssdpm_likely(3).
 */
#ifndef SSDPM_LIKELY_H
#define SSDPM_LIKELY_H

#include <ssdpm/base.h>
#include <ssdpm/energy/estimate.h>
#include <ssdpm/energy/measure.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What can be said of a saving. */
enum ssdpm_saving_verdict {
	SSDPM_SAVING_SAVES = 1,		 /* in more than 95 of 100 cases */
	SSDPM_SAVING_PROBABLY_SAVES = 2, /* in more than 80 */
	SSDPM_SAVING_NOT_DECIDED = 3,
	SSDPM_SAVING_PROBABLY_COSTS = 4,
	SSDPM_SAVING_COSTS = 5,
	/* Nine of ten cases are within 5 mW of nothing. */
	SSDPM_SAVING_TOO_SMALL = 6,
};

/** How a parameter of a drive can be known. */
enum ssdpm_way {
	/* Its Identify data say it, and what was read left it out. */
	SSDPM_WAY_IDENTIFY = 1,
	/* ssdpm_calibrate() finds it in a measured run. */
	SSDPM_WAY_CALIBRATE = 2,
	/* A data sheet, or another measurement: state it. */
	SSDPM_WAY_STATE = 4,
};

/**
 * struct ssdpm_likely - what is likely of a saving (sized result)
 * @size:       sizeof(struct ssdpm_likely)
 * @priors_version: of the assumptions; it changes with them
 * @verdict:    enum ssdpm_saving_verdict
 * @low_uw, @median_uw, @high_uw: mean power that is saved: 5, 50 and 95 of 100
 *              cases have less
 * @low_nj, @median_nj, @high_nj: likewise energy
 * @saves_ppm:  cases that save, in a million
 * @decider_kind: enum ssdpm_parameter_kind of what moves the chance most; 0:
 *              nothing does
 * @decider_index: its state, op - 1, or 0
 * @decider_ppm: by how much the chance differs between the upper half of its
 *              values and the lower one
 * @decider_ways: bits of enum ssdpm_way: how it can be known
 * @reserved:   0
 *
 * The verdict also holds if the spread of one prior is twice as wide, for any
 * prior with fewer than ten independent sources. If these spreads give two
 * words, it is the weaker one. If the words differ in sign, it is
 * SSDPM_SAVING_NOT_DECIDED. A saving is too small if it is so with each of
 * these spreads.
 */
struct ssdpm_likely {
	size_t size;
	uint32_t priors_version;
	uint32_t verdict;
	int64_t low_uw;
	int64_t median_uw;
	int64_t high_uw;
	int64_t low_nj;
	int64_t median_nj;
	int64_t high_nj;
	uint32_t saves_ppm;
	uint32_t decider_kind;
	uint32_t decider_index;
	uint32_t decider_ppm;
	uint32_t decider_ways;
	uint32_t reserved;
};

/**
 * ssdpm_sim_get_likely() - what one policy likely saves against another
 * @from: the one
 * @to:   the other; both were made with SSDPM_SIM_LIKELY
 * @ret_likely: its size member is set by the caller
 *
 * For the same work over the same time, as ssdpm_sim_get_saving(), and within
 * its range. Service times are nominal; in the open loop so are idle times. The
 * same simulations give the same result everywhere.
 *
 * Return: 0; -EINVAL (as for ssdpm_sim_get_saving(), or one was made without
 * SSDPM_SIM_LIKELY), -ERANGE (likewise), -ENOMEM.
 */
SSDPM_API int ssdpm_sim_get_likely(const struct ssdpm_sim *from,
				   const struct ssdpm_sim *to,
				   struct ssdpm_likely *ret_likely,
				   struct ssdpm_error *reterr);

/**
 * struct ssdpm_prediction - the mean power of a run, before it is measured
 *                           (sized result)
 * @size:       set by the caller
 * @priors_version: as in struct ssdpm_likely
 * @reserved:   0
 * @duration_ns: nominal, of the run
 * @nominal_uw: mean power with every parameter at its nominal value
 * @likely_low_uw, @likely_median_uw, @likely_high_uw: 5, 50 and 95 of 100 cases
 *              have less
 * @possible_low_uw, @possible_high_uw: no drive has less or more, as in struct
 *              ssdpm_result
 */
struct ssdpm_prediction {
	size_t size;
	uint32_t priors_version;
	uint32_t reserved;
	uint64_t duration_ns;
	uint64_t nominal_uw;
	uint64_t likely_low_uw;
	uint64_t likely_median_uw;
	uint64_t likely_high_uw;
	uint64_t possible_low_uw;
	uint64_t possible_high_uw;
};

/**
 * ssdpm_sim_get_prediction() - the mean power that a run likely has
 * @sim: finished, and made with SSDPM_SIM_LIKELY
 * @ret_prediction: its size member is set by the caller
 *
 * The cases are those of ssdpm_sim_get_likely(). Active powers are drawn too,
 * no less than idle ones; the energies of I/Os and bytes are nominal.
 *
 * Return: 0; -EINVAL (@sim is not finished, or was made without
 * SSDPM_SIM_LIKELY), -E2BIG (the size), -ENOMEM.
 */
SSDPM_API int ssdpm_sim_get_prediction(const struct ssdpm_sim *sim,
				       struct ssdpm_prediction *ret_prediction,
				       struct ssdpm_error *reterr);

/** A prediction, judged by a measurement. */
enum ssdpm_prediction_verdict {
	SSDPM_PREDICTION_INSIDE_LIKELY = 1,
	SSDPM_PREDICTION_INSIDE_POSSIBLE = 2, /* and outside the likely range */
	SSDPM_PREDICTION_MISSED = 3,	      /* outside both */
};

/**
 * struct ssdpm_prediction_check - a prediction and its measurement (sized
 *                                 result)
 * @size:    set by the caller
 * @verdict: enum ssdpm_prediction_verdict, of the mean power
 * @certain: 1: each power within the instrument's error has this verdict
 * @power_uw: mean power that was measured, less what was subtracted
 * @low_uw, @high_uw: it within the error of the instrument
 * @length_differs: 1: the time of the samples and the predicted one differ by
 *           more than a tenth of the longer one
 * @reserved: 0
 */
struct ssdpm_prediction_check {
	size_t size;
	uint32_t verdict;
	uint32_t certain;
	int64_t power_uw;
	int64_t low_uw;
	int64_t high_uw;
	uint32_t length_differs;
	uint32_t reserved;
};

/**
 * ssdpm_prediction_judge() - is the measured power within what was predicted?
 * @energy:      from ssdpm_energy_measure(), whose tolerance is the error of
 *               the instrument
 * @subtracted_w: what the instrument measures beside the drive; 0: nothing
 * @ret_check:   its size member is set by the caller
 *
 * The ends belong to a range.
 *
 * Return: 0; -ENODATA (@energy covers no time), -ERANGE (a power beyond 2^53
 * uW), -EINVAL (a number that is none, @subtracted_w below 0 or more than was
 * measured), -E2BIG (sizes).
 */
SSDPM_API int ssdpm_prediction_judge(const struct ssdpm_prediction *prediction,
				     const struct ssdpm_energy *energy,
				     double subtracted_w,
				     struct ssdpm_prediction_check *ret_check,
				     struct ssdpm_error *reterr);

/**
 * ssdpm_prediction_verdict_to_string() - "inside-likely", "inside-possible",
 *                                        "missed", or NULL
 */
SSDPM_API const char *ssdpm_prediction_verdict_to_string(uint32_t verdict);
SSDPM_API uint32_t ssdpm_prediction_verdict_from_string(const char *word);

/** ssdpm_saving_verdict_to_string() - "saves", "not-decided" and so on, or NULL
 */
SSDPM_API const char *ssdpm_saving_verdict_to_string(uint32_t verdict);
SSDPM_API uint32_t ssdpm_saving_verdict_from_string(const char *word);
/** ssdpm_saving_verdict_saves() - whether it saves, or probably does */
SSDPM_API bool ssdpm_saving_verdict_saves(uint32_t verdict);

/** ssdpm_way_to_string() - "identify", "calibrate", "state", or NULL */
SSDPM_API const char *ssdpm_way_to_string(uint32_t bit);
SSDPM_API uint32_t ssdpm_way_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
