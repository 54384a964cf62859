/* SPDX-License-Identifier: MIT */
/* What paired differences tell about their mean: ssdpm_trial(3), Evidence. */
#ifndef SSDPM_LIB_TRIAL_MIXTURE_H
#define SSDPM_LIB_TRIAL_MIXTURE_H

#include <stddef.h>

/* 1.9^5 < 40 < 1.9^6: no interval has an end before. */
#define TRIAL_MIN_PAIRS 6

/* Differences of pairs. unit_w: a saving of this size is found best. */
struct differences {
	const double *w;
	size_t n;
	double unit_w;
	double repeat; /* as if there were so many times as many */
};

/* Where the interval of 95 % begins and ends, of n x repeat >= 6 pairs. */
double ssdpm__trial_low_w(const struct differences *differences);
double ssdpm__trial_high_w(const struct differences *differences);

/* Where the evidence for more and for less is the same: one pair or more. */
double ssdpm__trial_middle_w(const struct differences *differences);

#endif
