/* SPDX-License-Identifier: MIT */
/* Goes through samples and finds stretches of activity. */
#ifndef SSDPM_LIB_MEASURE_ACTIVITY_H
#define SSDPM_LIB_MEASURE_ACTIVITY_H

#include "measure/internal.h"

struct detector {
	const struct ssdpm_samples *samples;
	const struct ssdpm_baseline *baseline;
	double enter_w;
	double leave_w;
	uint32_t enter_samples;
	uint32_t leave_samples;
	uint32_t reach; /* of the running median, to each side */
	uint64_t max_gap_ns;
	size_t at;    /* the next sample */
	size_t first; /* of this piece: before it is a gap, or nothing */
	bool active;
	uint32_t open;
	size_t begin;
	size_t turn;  /* first sample of those in a row that would change it */
	uint32_t row; /* how many these are */
};

/* Bits of ssdpm_activity.open. */
enum { OPEN_BEGIN = 1, OPEN_END = 2 };

struct stretch {
	size_t begin;
	size_t end;
	uint32_t open;
};

/* Checks all of them. 0, -EINVAL, -E2BIG. */
int ssdpm__detector_init(struct detector *detector,
			 const struct ssdpm_samples *samples,
			 const struct ssdpm_baseline *baseline,
			 const struct ssdpm_detect_params *params,
			 struct ssdpm_error *reterr);

/* The next stretch. Return: false if there is none. */
bool ssdpm__detector_next(struct detector *detector,
			  struct stretch *ret_stretch);

/* What a stretch drew. */
int ssdpm__stretch_measure(const struct detector *detector,
			   const struct stretch *stretch,
			   struct ssdpm_activity *ret_activity,
			   struct ssdpm_error *reterr);

#endif
