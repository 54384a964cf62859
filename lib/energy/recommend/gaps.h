/* SPDX-License-Identifier: MIT */
/* What the files about the sorted idle times of a trace share. */
#ifndef SSDPM_LIB_RECOMMEND_GAPS_H
#define SSDPM_LIB_RECOMMEND_GAPS_H

#include <ssdpm/energy/recommend.h>

#include "estimate/internal.h"
#include "estimate/periods.h"
#include "estimate/wakes.h"

/* Times in ascending order; sums[i] is the sum of the first i of them. */
struct gap_times {
	uint64_t *ns;
	uint64_t *sums;
	size_t n;
	size_t room;
};

/*
 * How long the drive was idle before the busy period of an early I/O, and how
 * long after the start of the period it comes. A wake of d delays it by max(0,
 * d - offset_ns).
 */
struct early {
	uint64_t gap_ns;
	uint64_t offset_ns;
};

struct earlies {
	struct early *io;
	size_t n;
	size_t room;
};

struct ssdpm_gaps {
	unsigned int refs;
	bool finished;
	struct ssdpm_error failed; /* code 0: no failure */
	struct flow flow;
	struct intake intake;
	uint64_t start_ns;     /* of the first record */
	uint64_t end_idle_ns;  /* after the last completion, without a wake */
	struct gap_times idle; /* before each busy period but the first */
	struct gap_times
		silent;	      /* those of them that a continued record ends */
	struct earlies early; /* by gap_ns */
	struct period_block block;
};

/* A drive, and what is taken as known of it. */
struct gaps_task {
	const struct ssdpm_gaps *gaps;
	const struct ssdpm_model *model;
	struct ssdpm_sim_params params;
	struct values values;
	uint64_t
		idle_on_ns; /* how much longer the drive idles after the gaps */
};

/* A part of sorted times. */
struct gap_range {
	size_t from;
	size_t to;
};

/* Idle times that all end in the same way; UINT64_MAX: no limit. */
struct ending {
	uint64_t from_ns;
	uint64_t to_ns;	   /* these are shorter */
	bool entering;	   /* the wake takes delay_ns minus the idle time */
	uint64_t delay_ns; /* otherwise it takes delay_ns */
	struct gap_range idle;
	struct gap_range silent;
};

/* Finds the idle times of an ending. */
struct ending ssdpm__ending(const struct ssdpm_gaps *gaps, uint64_t from_ns,
			    uint64_t to_ns, bool entering, uint64_t delay_ns);

/* Room for the delays of all early I/Os. */
struct delays {
	uint64_t *ns;
	uint64_t *spare;
	size_t n;
};

/* Fills sums from ns; they have room for one more, and may wrap. */
void ssdpm__sum_times(struct gap_times *times);

/* Sorts in ascending order; spare has the same room. */
void ssdpm__sort_times(uint64_t *times, uint64_t *spare, size_t n);
void ssdpm__sort_early(struct early *early, struct early *spare, size_t n);

/* How many of n sorted times are less than ns. */
static inline size_t ssdpm__count_below(const uint64_t *times, size_t n,
					uint64_t ns)
{
	const uint64_t *base = times;

	while (n) {
		size_t half = n / 2;
		bool below = base[half] < ns;

		base = below ? base + half + 1 : base;
		n = below ? n - half - 1 : half;
	}
	return (size_t)(base - times);
}

/* Checks the caller's input, as ssdpm_sim_new() does. */
int ssdpm__gaps_drive(const struct ssdpm_gaps *gaps,
		      const struct ssdpm_model *model,
		      const struct ssdpm_sim_params *params,
		      struct gaps_task *ret_task, struct ssdpm_error *reterr);

/* The same for tables, which only an NVMe drive has. */
int ssdpm__gaps_task(const struct ssdpm_gaps *gaps,
		     const struct ssdpm_model *model,
		     const struct ssdpm_sim_params *params,
		     struct gaps_task *ret_task, struct ssdpm_error *reterr);

/* Room for the early I/Os of these gaps. */
int ssdpm__delays_new(const struct ssdpm_gaps *gaps, struct delays *ret_delays,
		      struct ssdpm_error *reterr);

void ssdpm__delays_free(struct delays *delays);

/*
 * Fills the members of a run about delays. Idle times outside all endings have
 * no delay. Endings do not overlap.
 */
int ssdpm__gaps_delays(const struct ssdpm_gaps *gaps,
		       const struct ending *endings, size_t n,
		       struct delays *delays, struct ssdpm_run *run,
		       struct ssdpm_error *reterr);

/* A run with only what no policy changes. */
struct ssdpm_run ssdpm__gaps_totals(const struct ssdpm_gaps *gaps);

/*
 * Adds its idle times of an ending, which wake the drive from a class of chain.
 */
void ssdpm__gaps_add(const struct ssdpm_gaps *gaps, const struct ending *ending,
		     const struct chain *chain, uint32_t class,
		     struct state_times *times, struct ssdpm_run *run);

/* Fills its sums and energies from times and delays. ret_fj as below. */
int ssdpm__gaps_sum(const struct gaps_task *task, const struct chain *chain,
		    const struct state_times *times, struct ssdpm_run *run,
		    struct wide *ret_fj, struct ssdpm_error *reterr);

/* The run of a chain. ret_fj: its exact energy, or NULL. */
int ssdpm__gaps_run(const struct gaps_task *task, const struct chain *chain,
		    struct delays *delays, struct ssdpm_run *ret_run,
		    struct wide *ret_fj, struct ssdpm_error *reterr);

/* The states that a table may lead to, in order. Return: how many. */
size_t ssdpm__sleep_states(const struct gaps_task *task,
			   uint32_t states[SSDPM_MAX_STATES]);

/* The power of a state, including the link if the drive sleeps in it. */
uint64_t ssdpm__state_power_uw(const struct gaps_task *task, uint32_t state);

/*
 * One option in an idle time: enter a state at once, or stay awake, which has
 * no entry and no exit.
 */
struct option {
	uint32_t state;
	uint64_t entry_ns;
	uint64_t exit_ns;
	uint64_t power_uw;
};

/* The cost of an option; at_end: no I/O ends the idle time. */
struct wide ssdpm__option_cost(const struct option *option,
			       uint64_t transition_uw, uint64_t idle_ns,
			       bool at_end);

/* A choice for idle times from from_ns up to the next choice. */
struct gap_choice {
	uint64_t from_ns;
	uint32_t option;
};

/*
 * The cheapest option for each length of an idle time that an I/O ends; if
 * equal, the one with less delay. Free ret_choices with free(); the first one
 * is from 0 on.
 */
int ssdpm__cheapest(const struct option *options, size_t n,
		    uint64_t transition_uw, struct gap_choice **ret_choices,
		    size_t *ret_n, struct ssdpm_error *reterr);

#endif
