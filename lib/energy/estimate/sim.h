/* SPDX-License-Identifier: MIT */
/* A simulation, and what its files share. */
#ifndef SSDPM_LIB_ESTIMATE_SIM_H
#define SSDPM_LIB_ESTIMATE_SIM_H

#include "common/histogram.h"
#include "estimate/enclosure.h"
#include "estimate/periods.h"
#include "estimate/timeline.h"
#include "estimate/wakes.h"

/* The axes that change times. */
static const uint32_t time_axes = 1u << (SSDPM_AXIS_LATENCY - 1) |
				  1u << (SSDPM_AXIS_SERVICE - 1) |
				  1u << (SSDPM_AXIS_LINK_IDLE_TIME - 1);

/* The counts of the nominal run; all else follows from them. */
struct tally {
	struct idle_sum gaps[MAX_CLASSES];
	/* Those ended by a continued record, whose delay does not count. */
	struct idle_sum silent[MAX_CLASSES];
	/* The delays of I/Os that do not end an idle time. */
	struct wide late_ns;
	/* The delays that differ inside a class; all delays once finished. */
	struct histogram delays;
};

/* The nominal run. */
struct course {
	struct chain chain;
	struct wakes wakes;
	struct flow flow;
	struct tally tally;
	/*
	 * Set at the end: times up to the last completion, and the idle time
	 * after it, without energies and sums.
	 */
	struct state_times times;
	struct ssdpm_run worked;
	uint64_t rest_ns;
	struct ssdpm_run run; /* the whole run, without energies */
};

/* An end that several simulations share. */
struct common_end {
	unsigned int refs;
};

/* The storage that a result points to. */
struct layers {
	struct ssdpm_run nominal, low, high;
	uint64_t axis_low_nj[N_AXES];
	uint64_t axis_high_nj[N_AXES];
};

/*
 * Idle times by length, if a policy may use them: the number and the sum in
 * each bucket. calloc() does not touch unused buckets.
 */
struct gap_profile {
	struct ssdpm_model *model;
	struct ssdpm_apst table;
	bool has_table;
	uint64_t from_ns; /* shorter ones are not kept */
	struct idle_sum buckets[HISTOGRAM_BUCKETS];
};

static inline void ssdpm__profile_add(struct gap_profile *profile,
				      uint64_t idle_ns)
{
	struct idle_sum *bucket =
		&profile->buckets[ssdpm__log_bucket(idle_ns, HISTOGRAM_BITS)];

	bucket->n++;
	bucket->ns += idle_ns;
}

struct ssdpm_sim {
	struct ssdpm_sim_params params; /* without its pointers */
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	size_t n_parameters;
	uint32_t axes; /* open */
	size_t n_states;

	struct intake intake;
	uint64_t start_ns; /* of the first record */
	bool unknown;	   /* a record had no service time */
	bool finished;
	bool is_closing;
	struct ssdpm_error failed; /* code 0: no failure */

	struct timeline timeline;
	struct period_block block;
	struct open_block open_block;

	struct layers layers;
	struct ssdpm_result result; /* points to the layers */
	struct wide over_fj;	    /* of values, in every run */
	struct power_order order;
	uint64_t own_duration_ns; /* nominal, before further idling */

	/*
	 * All policies that the drive may have, with all uncertain times. If
	 * several axes are uncertain, each alone follows.
	 */
	struct enclosure *enclosures;
	struct enclosed *enclosed; /* as many, once it is finished */
	uint32_t n_enclosures;
	uint32_t n_policies;
	struct common_end *end;
	struct gap_profile *profile; /* SSDPM_SIM_LIKELY */

	struct course nominal; /* it ends with a large histogram */
};

static inline struct priced_drive ssdpm__sim_drive(const struct ssdpm_sim *sim)
{
	return (struct priced_drive){ sim->parameters, sim->n_parameters,
				      sim->order };
}

/*
 * An enclosure that is certain so far equals the nominal run; from now on it
 * may differ.
 */
void ssdpm__enclosure_follow(struct enclosure *enclosure,
			     const struct ssdpm_sim *sim);

/* Whether the enclosure has equalled the nominal run so far. */
static inline bool ssdpm__enclosure_follows(const struct ssdpm_sim *sim,
					    const struct enclosure *enclosure)
{
	const uint32_t service = 1u << (SSDPM_AXIS_SERVICE - 1);

	return !(enclosure->axes & ~service) && !enclosure->other_policy &&
	       !(enclosure->axes && sim->unknown);
}

/* Compares the numbers of records, I/Os and bytes only. */
bool ssdpm__have_same_records(const struct ssdpm_sim *a,
			      const struct ssdpm_sim *b);

/* The nominal run, idling until it lasts this long. */
int ssdpm__course_until(const struct ssdpm_sim *sim, uint64_t duration_ns,
			struct ssdpm_run *ret_run, struct ssdpm_error *reterr);

static inline struct extent longer_of(struct extent a, struct extent b)
{
	return (struct extent){ at_least(a.low, b.low),
				at_least(a.high, b.high) };
}

#endif
