/* SPDX-License-Identifier: MIT */
/* The sums over idle times whose lengths are not certain. */
#ifndef SSDPM_LIB_ESTIMATE_ENCLOSED_SUMS_H
#define SSDPM_LIB_ESTIMATE_ENCLOSED_SUMS_H

#include "estimate/enclosure.h"

static inline void add_wide(struct wide_extent *sum, struct wide low,
			    struct wide high)
{
	wide_add(&sum->low, low);
	wide_add(&sum->high, high);
}

/* a - b, or 0. */
static inline struct wide less(struct wide a, struct wide b)
{
	return wide_is_less(a, b) ? wide_of(0) : wide_minus(a, b);
}

/* Where the sums of a run are made. */
struct sums {
	const struct chain *quick, *slow;
	bool open;	/* the loop */
	bool ordered;	/* no state takes more than the one before it */
	uint32_t first; /* the first step that counts */
	struct beyond_steps beyond;
	struct wide_extent idle[SSDPM_MAX_STATES];
	struct wide_extent cost[SSDPM_MAX_STATES]; /* of them, what can be
						    together */
	struct wide_extent entry[SSDPM_MAX_STATES];
	struct wide_extent exit[SSDPM_MAX_STATES];
	struct extent n_entries[SSDPM_MAX_STATES];
	struct extent n_wakes[SSDPM_MAX_STATES];
};

/* All idle times of an enclosure, and then that at the end: sums is empty, but
 * for what says how to add. */
void ssdpm__add_cells(const struct enclosure *enclosure, struct sums *sums);
void ssdpm__add_rest(const struct enclosure *enclosure, struct extent rest_ns,
		     struct sums *sums);

#endif
