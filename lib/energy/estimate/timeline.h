/* SPDX-License-Identifier: MIT */
/* The nominal run as a series: changes of state, and intervals. */
#ifndef SSDPM_LIB_ESTIMATE_TIMELINE_H
#define SSDPM_LIB_ESTIMATE_TIMELINE_H

#include "estimate/periods.h"

/* A stretch of time and its energy; ns 0: only of an I/O and its bytes. */
typedef void (*timeline_spent_fn)(void *spender, uint32_t phase, uint32_t state,
				  uint64_t ns, struct wide energy_fj);

/*
 * Takes the records once more, one by one, for callers that ask for a series.
 * The totals of a run do not come from here.
 */
struct timeline {
	struct flow flow;
	struct wakes wakes;
	struct chain chain;
	struct values values;
	bool open;

	ssdpm_change_fn fn;
	void *userdata;
	timeline_spent_fn spent;
	void *spender;
	uint64_t interval_ns;

	uint64_t start_ns;
	uint64_t elapsed_ns; /* since then, delays too */
	uint64_t shift_ns;   /* closed loop: the delays so far */
	uint32_t phase;	     /* the last one reported */
	uint32_t state;
	struct taken taken; /* what the last record did */

	struct ssdpm_interval *intervals;
	struct wide *energy_fj; /* by interval */
	size_t n_intervals;
	size_t max_intervals;
};

static inline bool ssdpm__timeline_wanted(const struct timeline *timeline)
{
	return timeline->fn || timeline->interval_ns;
}

/*
 * Starts the nominal run of a drive with these parameters, which were checked.
 * -EINVAL: a table that does not fit the drive.
 */
int ssdpm__timeline_init(struct timeline *timeline,
			 const struct ssdpm_model *model,
			 const struct ssdpm_sim_params *params,
			 const struct ssdpm_parameter *parameters, size_t n,
			 struct ssdpm_error *reterr);

void ssdpm__timeline_begin(struct timeline *timeline, uint64_t start_ns);

/* The power of the drive in a phase; when busy, the idle power. */
uint64_t ssdpm__timeline_power(const struct timeline *timeline, uint32_t phase,
			       uint32_t state);

/*
 * Whether intervals may reach the start of the last of n records. Call it
 * before allocating for the first one. -ENOMEM.
 */
int ssdpm__timeline_expect(const struct timeline *timeline,
			   const struct ssdpm_io *ios, size_t n, bool first,
			   struct ssdpm_error *reterr);

/* Takes checked records. -ERANGE, -ENOMEM. */
int ssdpm__timeline_feed(struct timeline *timeline, const struct ssdpm_io *ios,
			 size_t n, struct ssdpm_error *reterr);

/* Adds energy of the last ns to that of their phase. */
void ssdpm__timeline_add(struct timeline *timeline, uint64_t ns,
			 struct wide energy);

/* Idles up to end_ns, unless that is past. */
int ssdpm__timeline_finish(struct timeline *timeline, uint64_t end_ns,
			   struct ssdpm_error *reterr);

void ssdpm__timeline_free(struct timeline *timeline);

#endif
