/* SPDX-License-Identifier: MIT */
/*
 * What is likely: the range that holds a saving in 90 of 100 cases, and a word
 * for its sign, under stated assumptions about what is not known of a drive.
 *
 *     two simulations + priors -> range, chance, word, what would decide it
 *
 * The possible range of ssdpm_sim_get_saving() is certain and wide; this one is
 * narrower, and no more certain than its priors: see ssdpm_likely(3).
 */
#ifndef SSDPM_LIKELY_H
#define SSDPM_LIKELY_H

#include <ssdpm/base.h>
#include <ssdpm/energy/estimate.h>

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
 *
 * The verdict holds, too, where the spread of any one prior with fewer than ten
 * independent sources is twice as wide: of two words the weaker one, and
 * SSDPM_SAVING_NOT_DECIDED where they are of two signs. What is too small is so
 * with each of these spreads.
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

/** ssdpm_saving_verdict_to_string() - "saves", "not-decided" and so on, or NULL
 */
SSDPM_API const char *ssdpm_saving_verdict_to_string(uint32_t verdict);
SSDPM_API uint32_t ssdpm_saving_verdict_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
