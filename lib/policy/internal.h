/* SPDX-License-Identifier: MIT */
/* The policy stage: what its files share. */
#ifndef SSDPM_LIB_POLICY_INTERNAL_H
#define SSDPM_LIB_POLICY_INTERNAL_H

#include "base/internal.h"

#include <ssdpm/policy.h>

/* Which idle time a state qualifies for; lower numbers are preferred. */
enum band {
	BAND_PRIMARY = 1,
	BAND_SECONDARY = 2,
	BAND_NONE = 3, /* too slow for both */
};

/*
 * A walk over the states from the deepest one up, as the kernel does it. The
 * target and idle time are what every shallower state gets.
 */
struct walk {
	struct ssdpm_apst_params params;
	bool two_bands;
	const struct ssdpm_power_state *states;
	uint32_t n_states;
	struct ssdpm_apst_entry entry;
	enum band band; /* of the target */
};

/* Why nothing is to be walked: the table is off, or not even sent. */
enum off {
	ON = 0,
	OFF_NOT_SUPPORTED, /* APSTA is 0 */
	OFF_QUIRK,
	OFF_LIMIT, /* the latency limit is 0 */
};

/* Check the input and start a walk. */
int ssdpm__walk_start(const struct ssdpm_model *model,
		      const struct ssdpm_apst_params *params,
		      struct walk *ret_walk, enum off *ret_off,
		      struct ssdpm_error *reterr);

/* Look at one state; the one before it was the next deeper one. */
enum ssdpm_verdict ssdpm__walk_judge(struct walk *walk, uint32_t state);

#endif
