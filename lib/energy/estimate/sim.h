/* SPDX-License-Identifier: MIT */
/* A simulation, and what its files share. */
#ifndef SSDPM_LIB_ESTIMATE_SIM_H
#define SSDPM_LIB_ESTIMATE_SIM_H

#include "common/histogram.h"
#include "estimate/periods.h"
#include "estimate/timeline.h"
#include "estimate/wakes.h"

/* The axes that change times: for each of their corners there is a course. */
#define N_TIME_AXES 3
static const uint32_t time_axes = 1u << (SSDPM_AXIS_LATENCY - 1) |
				  1u << (SSDPM_AXIS_SERVICE - 1) |
				  1u << (SSDPM_AXIS_LINK_IDLE_TIME - 1);
/* Nominal, corners, and each axis alone, of n such axes. */
#define COURSES_OF(n) (1 + (1u << (n)) + 2 * (n))
#define MAX_COURSES COURSES_OF(N_TIME_AXES)

/* What is counted of a course while it runs; the rest follows from it. */
struct tally {
	struct idle_sum gaps[MAX_CLASSES];
	/* Of these: ended by a continued record, whose delay does not count. */
	struct idle_sum silent[MAX_CLASSES];
	/* The delays of I/Os that do not end an idle time. */
	struct wide late_ns;
	/* The delays that differ inside a class; all, once it is finished. */
	struct histogram delays;
};

/* All that the time takes at one corner of the axes that change it. */
struct course {
	struct corner corner; /* nominal in all axes of power */
	struct chain chain;
	struct wakes wakes;
	uint32_t flow; /* which one it follows */
	/*
	 * The first course that differs in nothing but the service: the same,
	 * as long as no record has come whose service is unknown.
	 */
	uint32_t leader;
	struct tally *tally; /* NULL while it is its leader's */
	/* Once it is finished, without energies and what is a sum of times: as
	 * far as the last completion, and the idle time after that. */
	struct state_times times;
	struct ssdpm_run worked;
	uint64_t rest_ns;
	struct ssdpm_run run; /* all of it, without energies */
};

/* What a result points to. */
struct layers {
	struct ssdpm_run nominal, low, high;
	uint64_t axis_low_nj[N_AXES];
	uint64_t axis_high_nj[N_AXES];
};

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
	struct ssdpm_error failed; /* code 0: it did not */

	/* Closed loop: by the value of the axis of service; open: by course. */
	struct flow flows[MAX_COURSES];
	uint32_t n_flows;
	struct timeline timeline;
	struct period_block block;

	struct layers layers;
	struct ssdpm_result result; /* points to the layers */
	struct wide over_fj;	    /* of values, in every run */
	struct power_order order;
	uint64_t own_duration_ns; /* nominal, before it idles on */

	uint32_t n_courses;	/* the first is the nominal one */
	struct course *courses; /* as many as its open axes need */
};

/* An empty one, to be freed with free(), or NULL. */
struct tally *ssdpm__tally_new(void);

/* The axes of a mask at the combination bits of low (0) and high (1). */
struct corner ssdpm__corner(uint32_t axes, uint32_t bits);

/*
 * The index of the course at this corner, or n_courses. Unless service_counts,
 * the first that is the same in all but the service.
 */
uint32_t ssdpm__find_course(const struct ssdpm_sim *sim, struct corner corner,
			    bool service_counts);

/*
 * Are these courses of two simulations of one drive at the same corner? Along
 * an axis that only one of them has open the other does not change.
 */
bool ssdpm__courses_match(const struct ssdpm_sim *a, uint32_t course_a,
			  const struct ssdpm_sim *b, uint32_t course_b);

/* As far as their numbers, I/Os and bytes tell. */
bool ssdpm__have_same_records(const struct ssdpm_sim *a,
			      const struct ssdpm_sim *b);

/* The run of a course that goes on idling until it lasts this long. */
int ssdpm__course_until(const struct ssdpm_sim *sim,
			const struct course *course, uint64_t duration_ns,
			struct ssdpm_run *ret_run, struct ssdpm_error *reterr);

/* Is it the same as its leader so far? */
static inline bool ssdpm__course_follows(const struct ssdpm_sim *sim,
					 const struct course *course)
{
	return !sim->unknown && &sim->courses[course->leader] != course;
}

/* The records as a course sees them. */
static inline struct flow *ssdpm__course_flow(struct ssdpm_sim *sim,
					      const struct course *course)
{
	if (sim->params.loop == SSDPM_LOOP_CLOSED && !sim->unknown)
		return &sim->flows[0];
	return &sim->flows[course->flow];
}

#endif
